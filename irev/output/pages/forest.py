"""A forest plot in SVG: several estimates of each number, with their intervals, on one scale."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Protocol

from irev.base.errors import decimal
from irev.output.figures.bars import MOST_ESTIMATED, Estimate, Estimated, by_title, ends_of, worded
from irev.output.figures.charts import numbers_on
from irev.output.pages.html import Attributes, Markup, sentence, tag
from irev.output.pages.svg import WIDTH, scale, svg_text
from irev.output.report import Look, Report

_LEFT, _RIGHT, _TOP, _FOOT = 86, 14, 6, 26
_LINE, _GAP, _REACH = 19, 6, 5

_TICKS = 5
"""Most numbers along the axis."""

_KINDS = ("s7", "s1", "s0")
"""The colour of each estimate; the last is the one to believe, and its mark is full."""


class Estimates(Protocol):
    """A finding that has several estimates of its numbers."""

    @property
    def estimated(self) -> Sequence[Estimated]:
        """The numbers."""

    def seen(self, look: Look) -> Report:
        """The report, with another look."""


def forests(numbers: Sequence[Estimated]) -> Iterator[Markup]:
    """A figure for each title; of many numbers the first."""
    shown = numbers[:MOST_ESTIMATED]
    left = f" Only the first {len(shown)} of {len(numbers):,} are drawn." if len(numbers) > len(shown) else ""
    for title, group in by_title(shown).items():
        caption = tag("figcaption", None, sentence(f"{title}.{left}"))
        yield tag("div", {"class": "chart"}, tag("figure", None, _picture(title, group), caption))


def _picture(title: str, group: Sequence[Estimated]) -> Markup:
    low, high = ends_of(group)
    room = (high - low) * 0.03
    x = scale((low - room, high + room), _LEFT, WIDTH - _RIGHT)
    bottom = _TOP + sum(_LINE * (len(of.estimates) + 1) + _GAP for of in group)
    numbers = numbers_on(low - room, high + room, _TICKS)
    parts = [tag("path", {"class": "grid", "d": "".join(f"M{x(value):.1f} {_TOP}V{bottom}" for value in numbers)})]
    for value in numbers:
        parts.append(svg_text(x(value), bottom + 16, decimal(round(value, 12)), "axis x", "middle"))
    if group[0].zero:
        parts.append(tag("line", {"class": "base", "x1": f"{x(0):.1f}", "x2": f"{x(0):.1f}", "y1": _TOP, "y2": bottom}))
    y = _TOP
    for of in group:
        y += _LINE
        parts.append(svg_text(0, y - 5, of.name, "label", "start"))
        for number, each in enumerate(of.estimates, len(_KINDS) - len(of.estimates)):
            y += _LINE
            parts.append(svg_text(_LEFT - 10, y - 5, each.by, "name", "end"))
            parts.append(
                _mark(of, each, max(number, 0), x(each.value), y - 9.5, [x(end) for end in each.interval or ()])
            )
        y += _GAP
    about: Attributes = {
        "viewBox": f"0 0 {WIDTH} {bottom + _FOOT}",
        "width": WIDTH,
        "height": bottom + _FOOT,
        "role": "img",
        "aria-label": f"Estimates of {title} and their intervals",
    }
    return tag("svg", about, parts)


def _mark(of: Estimated, each: Estimate, place: int, at: float, y: float, ends: Sequence[float]) -> Markup:
    """An estimate with its interval: a circle, a diamond, or for the last a dot."""
    path = f"M{ends[0]:.1f} {y}H{ends[1]:.1f}" + "".join(f"M{end:.1f} {y - 4}v8" for end in ends) if ends else ""
    signs = (
        f"M{at - _REACH:.1f} {y}a{_REACH} {_REACH} 0 1 0 {2 * _REACH} 0a{_REACH} {_REACH} 0 1 0 {-2 * _REACH} 0z",
        f"M{at:.1f} {y - _REACH}l{_REACH} {_REACH}l{-_REACH} {_REACH}l{-_REACH} {-_REACH}z",
    )
    kind, said = _KINDS[place], tag("title", None, f"{of.name}, {each.by}: {worded(of, each)}")
    if place < len(signs):
        return tag("g", {"class": kind}, said, tag("path", {"class": "curve", "d": path + signs[place]}))
    dot = tag("path", {"class": "dots full", "d": f"M{at:.1f} {y}h0"})
    return tag("g", {"class": kind}, said, tag("path", {"class": "curve", "d": path}), dot)
