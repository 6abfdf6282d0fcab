"""Comma-separated values: a header, then a line for each row.

Fields are quoted as RFC 4180 has it, where they have to be; lines end in a newline alone. Bytes are those of the files.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from itertools import islice
from math import inf, isfinite

from irev.base.errors import InputError, shown
from irev.base.text import EXACT, encoded
from irev.output.report import Listed, Plain, Report

# Not by the module csv: before Python 3.13 it leaves a carriage return without quotes, and then cannot read it back.

_SPECIAL = re.compile(r'["\r\n]')


def pieces(report: Report) -> Iterator[bytes]:
    """The header and the rows, some at a time."""
    return (encoded(text) for text in together(map(_joined, lines(report))))


def _joined(fields: list[str]) -> str:
    line = ",".join(fields)
    # Seldom is there anything, and to look at the whole line is fast.
    if '"' in line or "\n" in line or "\r" in line or line.count(",") >= len(fields):
        line = ",".join(map(_quoted, fields))
    return f"{line}\n"


def _quoted(field: str) -> str:
    return '"' + field.replace('"', '""') + '"' if "," in field or _SPECIAL.search(field) else field


def lines(report: Report) -> Iterator[list[str]]:
    """A header, and the rows as text: nothing for what is not there, and ``true`` or ``false``."""
    columns, exact = report.columns, report.exact
    yield list(columns)
    real: Callable[[float], str] = repr if report.look.digits == EXACT else f"%.{report.look.digits}f".__mod__
    reals = [repr if column in exact else real for column in columns]
    for row in report.rows:  # of which there may be millions
        yield [value if value.__class__ is str else _text(value, real) for value, real in zip(row, reals, strict=True)]


TOGETHER = 1 << 14
"""Lines that are made at the same time."""


def together(made: Iterator[str]) -> Iterator[str]:
    """Lines, so many at a time."""
    while some := "".join(islice(made, TOGETHER)):
        yield some


def _text(value: Plain | Listed, real: Callable[[float], str]) -> str:
    if value.__class__ is float and -inf < value < inf:
        return real(value)
    if value is None or isinstance(value, str):
        return value or ""
    if isinstance(value, tuple):
        return " ".join(_member(each, real) for each in value)
    if isinstance(value, int):
        return str(value).lower() if isinstance(value, bool) else str(value)
    return real(value) if isfinite(value) else repr(value)


_BLANK = re.compile("[ \t-\r]")

NOBODY = "-"
"""Stands in a list in one field where there is no value."""


def _member(value: Plain, real: Callable[[float], str]) -> str:
    """A value of a list, of which the others stand in the same field with blanks between them."""
    if value is None:
        return NOBODY
    text = _text(value, real)
    if text in (NOBODY, "") or _BLANK.search(text):
        fact = f"a list in one field cannot have {shown(encoded(text))}"
        fact += ": it means that there is no value" if text == NOBODY else ": there is a blank in it"
        raise InputError(fact, remedy="use -f jsonl or -f parquet")
    return text
