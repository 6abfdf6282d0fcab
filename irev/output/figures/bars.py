"""Forest plots: several estimates of each number with their intervals, one below the other."""

from __future__ import annotations

import textwrap
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, NamedTuple

from irev.base.text import interval, real, signed
from irev.output.figures.charts import drawn

if TYPE_CHECKING:
    from irev.evaluation.curves import CurvePicture


MOST_ESTIMATED = 24
"""A figure has no more numbers, so that they can be told apart."""

MOST_BELOW = 12
"""Nor more pictures below."""

_DIGITS, _LONGEST = 4, 30
_SIGNS = ("○", "◇", "●")


class Estimate(NamedTuple):
    """An estimate by one method, and its interval, if it has one."""

    by: str
    value: float
    interval: tuple[float, float] | None


class Estimated(NamedTuple):
    """A number of which there are several estimates.

    Attributes
    ----------
    title : str
        What it is one of, such as a measure; those of one title stand in one picture, on one scale.
    name : str
        What it is called, safe to show.
    estimates : tuple of Estimate
        The last is the one to believe; all but the last two of more than three have one sign.
    zero : bool
        Whether it is a difference, of which 0 is marked.
    margin : float or None
        A difference that is too small to matter, where one was stated: what is within it is shaded.
    """

    title: str
    name: str
    estimates: tuple[Estimate, ...]
    zero: bool
    margin: float | None = None


def worded(of: Estimated, each: Estimate) -> str:
    """The value of an estimate, and its interval."""
    word = signed if of.zero else real
    span = "" if each.interval is None else f" {interval(each.interval, _DIGITS, of.zero)}"
    return f"{word(each.value, _DIGITS)}{span}"


def _kind(number: int, of: Estimated) -> int:
    """Which of the signs and colours an estimate has."""
    return max(number + len(_SIGNS) - len(of.estimates), 0)


def by_title(numbers: Sequence[Estimated]) -> dict[str, list[Estimated]]:
    """The numbers of each title."""
    found: dict[str, list[Estimated]] = {}
    for each in numbers:
        found.setdefault(each.title, []).append(each)
    return found


def ends_of(numbers: Sequence[Estimated]) -> tuple[float, float]:
    """From where to where a scale goes."""
    margin = numbers[0].margin or 0.0
    values = [-margin, margin] if numbers[0].zero else []
    for of in numbers:
        for each in of.estimates:
            values += [each.value, *(each.interval or ())]
    low, high = min(values), max(values)
    return (low, high) if high > low else (low - 0.5, high + 0.5)


# Plain text


def text(numbers: Sequence[Estimated], below: Sequence[CurvePicture], said: Sequence[str]) -> str:
    lines = [*_lines(numbers), *drawn(below, 80), *([""] if below else [])]
    return "".join(f"{line}\n" for line in (*lines, *(line for each in said for line in textwrap.wrap(each, 80))))


def _lines(numbers: Sequence[Estimated]) -> Iterator[str]:
    for title, group in by_title(numbers).items():
        margin = group[0].margin
        yield from textwrap.wrap(title + ("" if margin is None else f"; ░ within {margin:g}"), 80)
        low, high = ends_of(group)
        labels = [_label(of, each) for of in group for each in of.estimates]
        beside = max(map(len, labels)) if max(map(len, labels)) <= _LONGEST else 0  # or above
        columns = max(80 - beside - max(len(worded(of, each)) for of in group for each in of.estimates) - 6, 12)
        step = (high - low) / (columns - 1)
        for of in group:
            yield from textwrap.wrap(of.name if len(of.estimates) > 1 else "", 80)
            for number, each in enumerate(of.estimates):
                line = [" "] * columns
                if of.zero:
                    line[round(-low / step)] = "│"
                if each.interval is not None:
                    first, last = (round((end - low) / step) for end in each.interval)
                    line[first : last + 1] = ["┼" if sign == "│" else "─" for sign in line[first : last + 1]]
                    line[first], line[last] = "├", "┤"
                line[round((each.value - low) / step)] = _SIGNS[_kind(number, of)]
                if not beside:
                    yield from (f"  {part}" for part in textwrap.wrap(_label(of, each), 78))
                yield f"  {_label(of, each) if beside else '':{beside}}  {''.join(line)}  {worded(of, each)}"
        if margin is not None:
            first, last = (round((end - low) / step) for end in (-margin, margin))
            yield f"  {'':{beside}}  {' ' * first}{'░' * (last + 1 - first)}"
        yield ""


def _label(of: Estimated, each: Estimate) -> str:
    """Return the name of an estimate: its method, or its subject if it stands alone."""
    return each.by if len(of.estimates) > 1 else ", ".join(filter(None, (of.name, each.by)))
