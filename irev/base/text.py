"""How numbers and names are worded wherever people read them, and how both are written in files.

Signs, intervals, p-values; what JSON has no numbers for; ids, which are bytes, as texts.
"""

from __future__ import annotations

import math
import re
from collections.abc import Sequence
from typing import Any

from irev.base.errors import decimal, escaped

EXACT = -1
"""As a number of digits: as many as it takes to read back the same number."""

REAL = r"[+-]?([0-9]+\.?[0-9]*|\.[0-9]+)([eE][+-]?[0-9]+)?"
"""A real number in decimal digits, as a regular expression; blanks, underscores and words are none."""

MISSING = "–"
"""Stands where there is no number."""


def real(value: float | None, digits: int) -> str:
    """A number with so many digits after the decimal point."""
    return MISSING if value is None or math.isnan(value) else number(value, digits)


def reals(values: Sequence[float], digits: int) -> list[str]:
    """`real` of each of many numbers, sooner."""
    if digits == EXACT or {*map(type, values)} != {float}:
        return [real(value, digits) for value in values]
    texts = map(f"%.{digits}f".__mod__, values)
    return [MISSING if text == "nan" else text for text in texts]


def signed(value: float | None, digits: int) -> str:
    """A difference with its sign; without one if none of its digits is other than 0."""
    if value is None or math.isnan(value):
        return MISSING
    text = number(value, digits)
    if not text.strip("-0."):
        return text.lstrip("-")
    return text if text.startswith("-") else f"+{text}"


def percentage(value: float | None) -> str:
    """A share as a percentage, with its sign."""
    return MISSING if value is None or not math.isfinite(value) else f"{100 * value:+.1f}%"


def ends(low: float | None, high: float | None) -> tuple[float, float] | None:
    """The ends of an interval; None where it lacks one."""
    return None if low is None or high is None else (low, high)


def interval(span: tuple[float, float] | None, digits: int, sign: bool = True) -> str:
    """An interval: ``[-0.01, +0.05]``."""
    if span is None:
        return MISSING
    word = signed if sign else real
    return f"[{word(span[0], digits)}, {word(span[1], digits)}]"


def p_value(p: float | None) -> str:
    """A p-value with four digits; one that would be shown as 0 as what it is below."""
    if p is None:
        return MISSING
    return "<0.0001" if p < 0.0001 else f"{p:.4f}"


def percent(share: float) -> str:
    """A share such as a confidence level: ``95%``."""
    return f"{decimal(round(100 * share, 10))}%"


def counted(count: int, one: str, several: str = "") -> str:
    """A count and what is counted: ``1 query``, ``2 queries``."""
    return f"{count:,} {one if count == 1 else several or one + 's'}"


def and_more(count: int, named: int, sign: str = "") -> str:
    """What follows the first of so many that are named, ``and 3 more``; nothing where that is all of them.

    Thousands have a `sign` between them, where one is given.
    """
    return f" and {count - named:{sign}} more" if count > named else ""


def plain(value: float | None) -> Any:
    """A number as JSON has it."""
    if value is None:
        return None
    return value if math.isfinite(value) else repr(float(value))


def scipy_version() -> str:
    """The version of scipy, whose distributions p-values are taken from; empty where it is not installed."""
    from importlib.metadata import PackageNotFoundError, version

    try:
        return version("scipy")
    except PackageNotFoundError:
        return ""


def decoded(name: bytes) -> str:
    """An id, a tag or a name as data: bytes that are no UTF-8 are lone surrogates, as `os.fsdecode` makes them."""
    return name.decode("utf-8", "surrogateescape")


def encoded(text: str) -> bytes:
    """The bytes of which `decoded` made a text."""
    return text.encode("utf-8", "surrogateescape")


def number(value: float | int, digits: int) -> str:
    """A number in decimal digits, so many behind the point when it is no count.

    Infinity is ``inf``, and what is not a number ``nan``, in every output.
    """
    return repr(value) if digits == EXACT or isinstance(value, int) else f"{value:.{digits}f}"


_LIKE_ALL = rb'"*all"*'
_LIKE_A_GROUP = rb'"*all(:.*)?"*'


def disambiguate(query: bytes, grouped: bool = False) -> bytes:
    """A query as outputs show it: as it is, but one called ``all`` in quotes, since ``all`` means all queries.

    One that is called ``"all"`` gets another pair, so that no two look alike. Where there are groups, so does one that
    looks like ``all:GROUP``.
    """
    if b"all" not in query:
        return query
    like = re.fullmatch(_LIKE_A_GROUP if grouped else _LIKE_ALL, query, re.DOTALL)
    return b'"%b"' % query if like else query


def named(text: str) -> str:
    """The name of a run or a file as text that is safe to show."""
    return escaped(text)


def brief(value: object) -> str:
    """A value that somebody's program has handed in, as messages show it: cut where it is very long."""
    written = repr(value)
    return written if len(written) <= 60 else written[:60] + "…"
