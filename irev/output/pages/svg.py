"""Pictures in SVG, written without a library: curves, with axes, names and numbers; and forest plots, with several
estimates of each number and their intervals on one scale.

Colours are classes, of which the style of the page has eight for light and for dark, that people tell apart who do not
see all of them; further curves have dashes, and every curve has its name at its end. Coordinates have three digits, so
that values can be read back from them to the fifth.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from typing import Any, NamedTuple

from irev.base.errors import decimal
from irev.base.text import named, real, reals, signed
from irev.evaluation.curves import BARS, LINES, POINTS, STEPS_AFTER, STEPS_BEFORE, TRADEOFF, CurvePicture, Point
from irev.output.figures.bars import MOST_ESTIMATED, Estimate, Estimated, by_title, ends_of, worded
from irev.output.figures.charts import (
    admitted,
    apart,
    finite,
    limits,
    numbers_on,
    points_called,
    points_to_name,
    prominent,
    ranks_on,
    said_of_names,
)
from irev.output.pages.html import Attributes, Markup, folded_columns, joined, sentence, tag

WIDTH, HEIGHT = 574, 320
LEFT, RIGHT, TOP, BOTTOM = 52, 132, 12, 44
COLOURS = 8
MARKED = 40
"""Points of a curve up to which each has a mark, unless there are more curves than colours."""

_APART = 12.5
"""Pixels between names at the ends of lines."""

_NAMES = WIDTH - RIGHT + 8
"""Where names begin."""

_SIGN = 7
"""Pixels that a letter of a name may take."""

_SAMPLE = 20
"""Pixels for a piece of the line before its name, where lines have dashes."""

_TICKS = 6
"""Most numbers along an axis."""

_DASHES = (None, "6 3", "2 2", "8 2 2 2")

_LONGEST = 26
"""Letters of the name of a point."""

Scale = Callable[[float], float]


class Picked(NamedTuple):
    """Which runs a picture has curves of, in their order.

    Attributes
    ----------
    runs : sequence of str
    number : int or None
        By which the script finds the picture, to draw other runs.
    """

    runs: Sequence[str]
    number: int | None


def drawn(curves: CurvePicture, extra: str = "", picked: Picked | None = None) -> Markup:
    """A figure: the picture, with its caption below; nothing where no point can be drawn.

    Of many curves few have colours and names, and the caption says so.
    """
    (curves,), notes = admitted([curves])
    if not any(finite(curve.points) for curve in curves.curves):
        return Markup()
    x, y, x_ends, y_ends = _scales(curves)
    chosen, others = prominent(curves), []
    if picked is not None:
        places = {curve.name: place for place, curve in enumerate(curves.curves)}
        chosen = [places[name] for name in picked.runs if name in places]
        left = len(places) - len(chosen)
        if left:
            notes = [f"{left} of {len(places)} curves are grey and have no name: all but {_listed(picked.runs)}."]
    if curves.drawn != POINTS and len(chosen) < len(curves.curves):  # below those that the script may draw
        others = [finite(curve.points) for place, curve in enumerate(curves.curves) if picked or place not in chosen]
    parts = [_axes(curves, x, y, x_ends, y_ends)]
    if faint := "".join(_path(kept, curves.drawn, x, y) for kept in others if kept):
        parts.append(tag("path", {"class": "curve rest", "d": faint}))
    some = replace(curves, curves=tuple(curves.curves[place] for place in chosen))
    shown = [(number, curve, kept) for number, curve in enumerate(some.curves) if (kept := finite(curve.points))]
    lines = [] if curves.drawn == BARS else shown
    for _, _, kept in shown if curves.drawn == BARS else ():
        for kind, side in (("up", 1), ("down", -1)):
            if standing := [point for point in kept if side * point.y > 0]:
                parts.append(tag("path", {"class": f"bars {kind}", "d": _bars(standing, x, y)}))
    called = points_called(curves) if curves.labels == "run" else []
    heights = _heights([y(kept[-1].y) for _, _, kept in lines])
    for (number, curve, kept), at in zip(lines, heights, strict=True):
        kind = f"s{number % COLOURS} run"
        front = curves.kind == TRADEOFF and not number  # what can be had up to the next point
        path = _path(kept, STEPS_AFTER if front else curves.drawn, x, y)
        if len(lines) > COLOURS:  # what colours do not tell apart is seen beside the name
            path += f"M{_NAMES} {at:.3f}h{_SAMPLE - 4}"
        dashes = _DASHES[number // COLOURS % len(_DASHES)]
        line: Attributes = {"class": f"curve {kind}", "d": path, "stroke-dasharray": dashes}
        parts.append(tag("path", line, tag("title", None, named(curve.name))))
        if curves.drawn == POINTS or (len(kept) <= MARKED and len(lines) <= COLOURS):
            for look, alike in (
                ("rest", [point for point in kept if called and point not in called]),
                (kind, [point for point in kept if not called or point in called]),
            ):
                if dots := "".join(f"M{x(point.x):.3f} {y(point.y):.3f}h0" for point in alike):
                    parts.append(tag("path", {"class": f"dots {look}", "d": dots}))
        for point in (point for point in kept if point in called):
            at_x = x(point.x)
            anchor = "end" if at_x > (LEFT + WIDTH - RIGHT) / 2 else "start"
            parts.append(svg_text(at_x, y(point.y) - 6, _short(named(point.label), _LONGEST), f"point {kind}", anchor))
    for point in points_to_name(some):
        parts.append(svg_text(x(point.x), y(point.y) - 6, named(point.label), "point s0 run", "middle"))
    aside = _SAMPLE * (len(lines) > COLOURS)
    for (number, curve, _), at in zip(lines, heights, strict=True):
        kind = f"label s{number % COLOURS} run"
        label: Attributes = {"class": kind, "x": _NAMES + aside, "y": f"{at + 4:.1f}"}
        parts.append(tag("text", label, _short(named(curve.name), (RIGHT - 8 - aside) // _SIGN)))
    said = " ".join((curves.caption, *said_of_names([some]), *notes)) + extra
    about = f"{curves.y.title} by {curves.x.title}" + (f": {named(curves.about)}" if curves.about else "")
    of_picture: Attributes = {
        "viewBox": f"0 0 {WIDTH} {HEIGHT}",
        "width": WIDTH,
        "height": HEIGHT,
        "role": "img",
        "aria-label": about,
        "data-chart": None if picked is None else picked.number,
    }
    picture = tag("svg", of_picture, parts)
    caption = tag("figcaption", None, sentence(f"{named(curves.about)}. {said}" if curves.about else said))
    return tag("figure", None, picture, caption)


def _listed(names: Sequence[str]) -> str:
    *others, last = map(named, names)
    return f"{', '.join(others)} and {last}" if others else last


def paths(curves: CurvePicture, runs: Sequence[str]) -> dict[str, list[Any]]:
    """What the script draws curves of: of each run the path, and the height at which it ends; nothing where there is
    none."""
    by_name = {curve.name: finite(curve.points) for curve in curves.curves}
    if not any(by_name.values()):
        return {"d": [None] * len(runs), "e": [None] * len(runs)}
    x, y, _, _ = _scales(curves)
    found = [by_name.get(run) or None for run in runs]
    return {
        "d": [points and _path(points, curves.drawn, x, y) for points in found],
        "e": [points and round(y(points[-1].y), 1) for points in found],
    }


FRAME = {"x": WIDTH - RIGHT + 8, "top": TOP, "bottom": HEIGHT - BOTTOM, "signs": (RIGHT - 8) // 7}
"""Where the script writes the names of curves."""


def _scales(curves: CurvePicture) -> tuple[Scale, Scale, tuple[float, float], tuple[float, float]]:
    """Where points stand in a picture, and the ends of its axes."""
    x_ends, y_ends = limits(curves)
    if curves.drawn == BARS:  # each stands in the middle of room of its own
        x_ends = x_ends[0] + 0.5, x_ends[1] + 0.5
    x = scale(x_ends, LEFT, WIDTH - RIGHT, curves.x.logarithmic)
    return x, scale(y_ends, HEIGHT - BOTTOM, TOP), x_ends, y_ends


def scale(ends: tuple[float, float], begin: float, stop: float, logarithmic: bool = False) -> Scale:
    """Where numbers stand between two places, of which these are the ends."""
    low, high = map(math.log, ends) if logarithmic else ends

    def place(value: float) -> float:
        at = math.log(value) if logarithmic else value
        return begin + (at - low) / (high - low) * (stop - begin)

    return place


def _path(points: Sequence[Point], joined_by: str, x: Scale, y: Scale) -> str:
    places = [(x(point.x), y(point.y)) for point in points]
    first, *others = places
    path = f"M{first[0]:.3f} {first[1]:.3f}"
    for at, up in others:
        if joined_by == LINES:
            path += f"L{at:.3f} {up:.3f}"
        elif joined_by == STEPS_AFTER:
            path += f"H{at:.3f}V{up:.3f}"
        elif joined_by == STEPS_BEFORE:
            path += f"V{up:.3f}H{at:.3f}"
        else:
            path += f"M{at:.3f} {up:.3f}"
    return path


def _bars(points: Sequence[Point], x: Scale, y: Scale) -> str:
    """Bars that stand on zero, or hang from it."""
    zero, half = y(0.0), max(min(x(1.0) - x(0.0), 24.0) * 0.4, 0.2)
    places = [(x(point.x), y(point.y)) for point in points]
    return "".join(f"M{at - half:.3f} {zero:.3f}V{up:.3f}H{at + half:.3f}V{zero:.3f}z" for at, up in places)


def _axes(curves: CurvePicture, x: Scale, y: Scale, x_ends: tuple[float, float], y_ends: tuple[float, float]) -> Markup:
    bottom, right = HEIGHT - BOTTOM, WIDTH - RIGHT
    base = f"{y(0.0) if curves.drawn == BARS else bottom:.3f}"
    numbers = numbers_on(*y_ends, _TICKS)
    grid = "".join(f"M{LEFT} {y(value):.3f}H{right}" for value in numbers)
    parts = [tag("path", {"class": "grid", "d": grid})]
    for value in numbers:
        parts.append(svg_text(LEFT - 6, y(value) + 4, decimal(round(value, 12)), "axis y", "end"))
    if curves.drawn != BARS:
        for value in ranks_on(*x_ends) if curves.x.logarithmic else numbers_on(*x_ends, _TICKS):
            parts.append(svg_text(x(value), bottom + 16, decimal(round(value, 12)), "axis x", "middle"))
    parts.append(tag("line", {"class": "base", "x1": LEFT, "x2": right, "y1": base, "y2": base}))
    parts.append(svg_text((LEFT + right) / 2, HEIGHT - 8, curves.x.title, "name", "middle"))
    parts.append(
        tag(
            "text",
            {"class": "name", "transform": f"translate(13 {(TOP + bottom) // 2}) rotate(-90)", "text-anchor": "middle"},
            curves.y.title,
        )
    )
    return joined(parts)


def _heights(wanted: Sequence[float]) -> list[float]:
    """Where names stand, near the ends of their lines and apart from each other."""
    bottom, room = HEIGHT - BOTTOM, HEIGHT - BOTTOM - TOP
    size = min(_APART / room, 1 / max(len(wanted), 1))
    return [bottom - at * room for at in apart([(bottom - y) / room for y in wanted], [size] * len(wanted))]


def _short(name: str, most: int) -> str:
    """A name cut in its middle: names of runs are alike in the beginning more often than at the end."""
    return name if len(name) <= most else f"{name[: most - 7]}…{name[-6:]}"


def svg_text(x: float, y: float, text: str, kind: str, anchor: str) -> Markup:
    """A text at a place: its class, and which end of it stands there."""
    return tag("text", {"class": kind, "x": f"{x:.1f}", "y": f"{y:.1f}", "text-anchor": anchor}, text)


MOST = 1000
"""Points of single queries of which a picture has a table; those of more queries stand in that of the queries alone."""


def with_numbers(curves: CurvePicture, digits: int, about: str = "", picked: Picked | None = None) -> Markup:
    """A picture with its numbers below it; nothing where no point can be drawn. `about` is added to its caption."""
    figure = drawn(curves, about, picked)
    if not figure:
        return figure
    found = numbers(curves, digits)
    if found is None:
        where = "the table of runs" if curves.labels == "run" else "single queries"
        below = tag("p", {"class": "note"}, f"Its numbers are those of {where}.")
    else:
        by = curves.labels if curves.x.name == "place" else curves.x.title
        of = f", {named(curves.about)}" if curves.about else ""
        title = f"Numbers: {curves.y.title} by {by}{of}"
        below = folded_columns(*found, range(found.labels), title, "numbers")
    return tag("div", {"class": "chart"}, figure, below)


class NumberTable(NamedTuple):
    """The columns of a table of numbers as texts, of which the first are labels."""

    header: tuple[str, ...]
    columns: Sequence[Sequence[str]]
    labels: int


def numbers(curves: CurvePicture, digits: int) -> NumberTable | None:
    """The exact values that are drawn; None where there are none, too many, or they stand in the table of runs."""
    points = [point for curve in curves.curves for point in curve.points]
    if not points or curves.labels == "run" or (curves.labels == "query" and len(points) > MOST):
        return None
    if not curves.labels:
        places = zip(*(curve.points for curve in curves.curves), strict=True)
        heights = [reals([point.y for point in place], digits) for place in places]
        header = ("run", *(f"{point.x:g}" for point in curves.curves[0].points))
        return NumberTable(header, [[named(curve.name) for curve in curves.curves], *heights], 1)
    columns = [(curves.labels, [named(point.label) for point in points])]
    if several := len(curves.curves) > 1:
        columns.insert(0, ("run", [named(curve.name) for curve in curves.curves for _ in curve.points]))
    if curves.x.name != "place":  # that of a bar is not a number of its own
        columns.append((curves.x.name, [real(point.x, digits) for point in points]))
    word = signed if curves.drawn == BARS else real
    columns.append((curves.y.name, [word(point.y, digits) for point in points]))
    for name, column in zip(curves.more, zip(*(point.more for point in points), strict=True), strict=True):
        columns.append((name.replace("_", " "), reals(column, digits)))
    return NumberTable(tuple(name for name, _ in columns), [column for _, column in columns], 2 if several else 1)


# Forest plots

_BESIDE, _AFTER, _ABOVE, _BELOW = 86, 14, 6, 26
_LINE, _GAP, _REACH = 19, 6, 5

_ESTIMATED_TICKS = 5
"""Most numbers along the axis."""

_KINDS = ("s7", "s1", "s0")
"""The colour of each estimate. The last one is the best estimate, and has a full mark."""


def forests(numbers: Sequence[Estimated]) -> Iterator[Markup]:
    """A figure for each title; of many numbers the first."""
    shown = numbers[:MOST_ESTIMATED]
    left = f" Only the first {len(shown)} of {len(numbers):,} are drawn." if len(numbers) > len(shown) else ""
    for title, group in by_title(shown).items():
        caption = tag("figcaption", None, sentence(f"{title}.{left}"))
        yield tag("div", {"class": "chart"}, tag("figure", None, _forest(title, group), caption))


def _forest(title: str, group: Sequence[Estimated]) -> Markup:
    low, high = ends_of(group)
    room = (high - low) * 0.03
    x = scale((low - room, high + room), _BESIDE, WIDTH - _AFTER)
    bottom = _ABOVE + sum(_LINE * (len(of.estimates) + 1) + _GAP for of in group)
    numbers = numbers_on(low - room, high + room, _ESTIMATED_TICKS)
    parts = [tag("path", {"class": "grid", "d": "".join(f"M{x(value):.1f} {_ABOVE}V{bottom}" for value in numbers)})]
    for value in numbers:
        parts.append(svg_text(x(value), bottom + 16, decimal(round(value, 12)), "axis x", "middle"))
    if group[0].zero:
        parts.append(
            tag("line", {"class": "base", "x1": f"{x(0):.1f}", "x2": f"{x(0):.1f}", "y1": _ABOVE, "y2": bottom})
        )
    y = _ABOVE
    for of in group:
        y += _LINE
        parts.append(svg_text(0, y - 5, of.name, "label", "start"))
        for number, each in enumerate(of.estimates, len(_KINDS) - len(of.estimates)):
            y += _LINE
            parts.append(svg_text(_BESIDE - 10, y - 5, each.by, "name", "end"))
            parts.append(
                _mark(of, each, max(number, 0), x(each.value), y - 9.5, [x(end) for end in each.interval or ()])
            )
        y += _GAP
    about: Attributes = {
        "viewBox": f"0 0 {WIDTH} {bottom + _BELOW}",
        "width": WIDTH,
        "height": bottom + _BELOW,
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
