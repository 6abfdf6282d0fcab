"""What figures of curves have alike, as pictures and as text: how much is drawn, from where to where, what is said."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable, Sequence

from irev.base.text import counted, ends, interval, named, signed
from irev.evaluation.curves import (
    BARS,
    LINES,
    POINTS,
    Curve,
    Curves,
    Point,
)

MOST_CHARTS = 24
"""A figure has no more pictures below each other."""

MOST_CURVES = 20
"""Nor a picture more curves."""

_TICKS = 6
"""Nor an axis more numbers."""

_EACH = 20
"""Up to here every rank is one of these."""

MOST_NAMES = 26
"""Nor are more points called by their names; there are as many letters."""

TOUCH = 0.05
"""Names of points have to be so far apart, as a share of the axes."""

_COINCIDE = 9
"""Points whose coordinates agree in so many decimals are one."""


def admitted(charts: Sequence[Curves]) -> tuple[list[Curves], list[str]]:
    """The pictures that there is room for, and sentences on what is left out."""
    notes = []
    if len(charts) > MOST_CHARTS:
        notes.append(f"Only the first {MOST_CHARTS} of {len(charts)} pictures are drawn.")
    most = max((len(each.curves) for each in charts), default=0)
    if most > MOST_CURVES:
        notes.append(f"Only the first {MOST_CURVES} of {most} curves are drawn.")
    return list(charts[:MOST_CHARTS]), notes


def said_of_names(charts: Iterable[Curves]) -> list[str]:
    """What the numbers are that stand at points, where some do."""
    labels = dict.fromkeys(chart.labels for chart in charts if points_to_name(chart))
    return [f"Numbers at points of the first curve: {named(label)}." for label in labels]


def captions(charts: Sequence[Curves], caption: str) -> list[str]:
    """What a figure says below: how to read its pictures, once for those that are read alike; then the caption."""
    return [*dict.fromkeys(each.caption for each in charts if each.caption), caption]


def title(chart: Curves) -> str:
    """What stands above a picture."""
    return ", ".join(named(part) for part in (chart.measure, chart.about) if part) or named(chart.kind)


def finite(points: Iterable[Point]) -> list[Point]:
    """Those that have a place."""
    return [point for point in points if math.isfinite(point.x) and math.isfinite(point.y)]


def left_out(curve: Curve) -> str:
    """What is said of points without a place."""
    odd = len(curve.points) - len(finite(curve.points))
    return f"{counted(odd, 'value')} not finite, not drawn" if odd else ""


def limits(chart: Curves, most: int | None = MOST_CURVES) -> tuple[tuple[float, float], tuple[float, float]]:
    """From where to where the axes go, for so many of the curves; bars reach equally far to either side of zero."""
    points = [point for curve in chart.curves[:most] for point in finite(curve.points)]
    across = [point.x for point in points]
    up = [point.y for point in points]
    if chart.drawn == BARS:
        more = [chart.curves[0].values.get(end) for end in ("mean", "low", "high")] if _has_interval(chart) else []
        reach = chart.y.high or max(
            (abs(value) for value in (*up, *more) if value is not None and math.isfinite(value)), default=0.0
        )
        return (0.0, float(max(len(points), 1))), (-(reach or 1.0), reach or 1.0)
    low, high = _ends(up, chart.y.low, chart.y.high)
    if chart.drawn != POINTS and chart.y.high is None:
        step = numbers_on(low, high, _TICKS)
        high = next((end for end in (step[-1], 2 * step[-1] - step[-2]) if end >= high), high)
    return _ends(across, chart.x.low, chart.x.high), (low, high)


def _has_interval(chart: Curves) -> bool:
    return "low" in chart.curves[0].values


def _ends(values: list[float], low: float | None, high: float | None) -> tuple[float, float]:
    least = min(values, default=0.0) if low is None else low
    most = max(values, default=1.0) if high is None else high
    if most - least > 1e-9 * max(abs(least), abs(most)):
        return least, most
    return least, least + max(1.0, abs(least) / 1000)  # 1 more is no other number where they are huge


def points_to_name(chart: Curves, touch: float = TOUCH) -> list[Point]:
    """Points along lines that are called by what they are about, as k of (recall at k, precision at k): of the first
    curve, and none so close to another that the two would touch."""
    if chart.drawn != LINES or not chart.labels:
        return []
    (left, right), (low, high) = limits(chart)
    found: list[Point] = []
    for point in finite(chart.curves[0].points):
        apart = (max(abs(point.x - each.x) / (right - left), abs(point.y - each.y) / (high - low)) for each in found)
        if min(apart, default=1.0) >= touch:
            found.append(point)
    return found


def by_name(chart: Curves, curve: Curve) -> bool:
    """Whether each of the points has its name beside it: queries are too many, and runs never are."""
    return chart.labels == "run" or (chart.labels != "query" and len(curve.points) <= MOST_NAMES)


def several(chart: Curves) -> str:
    """What points are, as a word for many."""
    return {"query": "queries"}.get(chart.labels, f"{chart.labels}s")


def apart(wanted: Sequence[float], sizes: Sequence[float]) -> list[float]:
    """Heights near those wanted, at which texts of these sizes do not touch: pushed up from below, then down again."""
    order = sorted(range(len(wanted)), key=lambda place: wanted[place])
    found = list(wanted)
    for before, place in zip([None, *order], order, strict=False):
        least = 0.0 if before is None else found[before] + (sizes[before] + sizes[place]) / 2
        found[place] = max(found[place], least)
    for after, place in zip([None, *reversed(order)], reversed(order), strict=False):
        most = 1.0 if after is None else found[after] - (sizes[after] + sizes[place]) / 2
        found[place] = min(found[place], most)
    return found


def coinciding(points: Sequence[Point]) -> dict[tuple[float, float], int]:
    """How many points there are at each place."""
    return Counter((round(point.x, _COINCIDE) + 0.0, round(point.y, _COINCIDE) + 0.0) for point in points)


_WORDS = {"not_numbers": "no number", "queries": "", "q25": "", "q75": "", "lowest": "", "highest": "", "R": ""}
"""How values are called, where not by their names; nothing for those that are seen or told otherwise."""


def stated(chart: Curves, curve: Curve) -> str:
    """The values of a curve, in a few words."""
    values = curve.values
    if _has_interval(chart):
        span = ends(values["low"], values["high"])
        between = "no interval" if span is None else interval(span, 4)
        counts = "/".join(f"{values[word]:,}" for word in ("wins", "ties", "losses"))
        return f"mean {signed(values['mean'], 4)} {between}; wins/ties/losses {counts}"
    return ", ".join(
        (counted(value, word.removesuffix("s"), word) if isinstance(value, int) else f"{word} {value:.4f}")
        for name, value in values.items()
        if (word := _WORDS.get(name, name)) and value is not None and not (name == "not_numbers" and not value)
    )


def numbers_on(low: float, high: float, most: int) -> list[float]:
    """Round numbers along an axis, at most so many, and two at least."""
    span = high - low
    if not 1e-290 < span < math.inf:  # there are no steps of such a size
        return [low, high]
    for exponent in range(math.floor(math.log10(span)) - 2, math.floor(math.log10(span)) + 2):
        for factor in (1, 2, 5):
            step = factor * 10.0**exponent
            first, last = math.ceil(low / step - 1e-9), math.floor(high / step + 1e-9)
            if last - first + 1 <= most:
                return [n * step for n in range(first, last + 1)]
    return [low, high]


def ranks_on(first: float, last: float, narrow: bool = False) -> list[int]:
    """Ranks along a logarithmic axis."""
    steps = range(1, 10) if last <= _EACH and not narrow else (1, 2, 5)
    return [rank for power in range(9) for step in steps if first <= (rank := step * 10**power) <= last]
