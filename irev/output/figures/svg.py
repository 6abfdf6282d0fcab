"""Pictures in SVG: curves, bars and points, with axes, names and numbers; and forest plots, with several
estimates of each number and their intervals on one scale. Pages have them, and so do files.

Colours are classes of `picture.css`: eight for light and for dark, that colour-blind people tell apart. Further curves
have dashes, and every curve has its name. Coordinates have three digits, so that values can be read back from them to
the fifth.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from typing import NamedTuple

import numpy as np

from irev.base.errors import decimal
from irev.base.text import interval, named, real, reals, signed
from irev.evaluation.curves import (
    BARS,
    LINES,
    POINTS,
    STEPS_AFTER,
    STEPS_BEFORE,
    TRADEOFF,
    Curve,
    CurvePicture,
    Point,
)
from irev.output.figures.charts import (
    TOUCH,
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
    thinned,
)
from irev.output.pages import Attributes, Markup, folded_columns, joined, sentence, tag
from irev.output.report import Form

COLOURS = 8
MARKED = 40
"""Points of a curve up to which each has a mark, unless there are more curves than colours."""

_APART = 12.5
"""Pixels between names at the ends of lines."""

_SAMPLE = 20
"""Pixels for a piece of the line before its name, where lines have dashes."""

_TICKS = 6
"""Most numbers along an axis."""

_DASHES = (None, "6 3", "2 2", "8 2 2 2")

_LONGEST = 26
"""Letters of the name of a point."""

_NAMED, _QUERY = 40, 12
"""More bars than this have no names; of names that are longer than this the middle is left out."""

_MOST_BARS = 800
"""More bars than this cannot be told apart."""

_WIDE_APART = 0.12
"""Names of points in a narrow picture have to be so far apart, as a share of the axes."""

Scale = Callable[[float], float]


class PlotArea(NamedTuple):
    """The size of a picture and the margins around its axes, in pixels.

    Attributes
    ----------
    sign : float
        Pixels that a letter may take.
    narrow : bool
        Whether the names of curves stand below the axes and not beside them.
    """

    width: float = 574
    height: float = 320
    left: float = 52
    right: float = 132
    top: float = 12
    bottom: float = 44
    sign: float = 7
    narrow: bool = False

    @property
    def end(self) -> float:
        """Where axes end at the right."""
        return self.width - self.right

    @property
    def base(self) -> float:
        """Where axes end below."""
        return self.height - self.bottom


PIXELS, SIGN = 96, 6.1
"""Pixels in an inch of a file, and those that a letter may take there."""

PAGE = PlotArea()


def frame_of(chart: CurvePicture, form: Form | None = None) -> PlotArea:
    """The room for a picture in a page, or in a file of this form."""
    frame = PAGE
    if form is not None:
        wide, narrow = form.width * PIXELS, form.narrow
        beside = min(max(len(named(chart.curves[place].name)) for place in prominent(chart)), 28) * SIGN + 16
        frame = PlotArea(wide, 0.75 * wide if narrow else 320, 52, 16 if narrow else beside, 12, 44, SIGN, narrow)
        if chart.drawn == BARS:
            frame = frame._replace(height=220, right=16)
        elif chart.drawn == POINTS:
            frame = _square(frame, narrow, len(chart.curves) > 1)
    if chart.drawn == BARS:
        (curve,) = chart.curves
        names = [_query(point) for point in finite(curve.points)] if len(curve.points) <= _NAMED else []
        more = max(map(len, names), default=0) * frame.sign
        mean = 5 * frame.sign if curve.values.get("mean") is not None and "low" in curve.values else 0
        return frame._replace(height=frame.height + more, bottom=frame.bottom + more, right=16 + mean)
    if frame.narrow and chart.drawn != POINTS:
        more = 16.0 * math.ceil(len(prominent(chart)) / 2)
        return frame._replace(height=frame.height + more, bottom=frame.bottom + more)
    return frame


def _square(frame: PlotArea, narrow: bool, named_at_ends: bool) -> PlotArea:
    """Room for points: two pictures fit beside each other, unless the figure is narrow."""
    wide = frame.width if narrow else frame.width / 2
    right = 80 if named_at_ends else 16
    axes = wide - frame.left - right
    return frame._replace(width=wide, height=axes + frame.top + frame.bottom, right=right)


def drawn(curves: CurvePicture, extra: str = "") -> Markup:
    """A figure of a page: the picture, with its caption below; nothing where no point can be drawn.

    Of many curves few have colours and names, and the caption says so.
    """
    (curves,), notes = admitted([curves])
    if not any(finite(curve.points) for curve in curves.curves):
        return Markup()
    frame = frame_of(curves)
    said = " ".join((curves.caption, *said_of_names([curves]), *notes)) + extra
    of_picture: Attributes = {
        "viewBox": f"0 0 {frame.width:g} {frame.height:g}",
        "width": f"{frame.width:g}",
        "height": f"{frame.height:g}",
        "role": "img",
        "aria-label": f"{curves.y.title} by {curves.x.title}" + (f": {named(curves.about)}" if curves.about else ""),
    }
    picture = tag("svg", of_picture, parts_of(curves, frame))
    caption = tag("figcaption", None, sentence(f"{named(curves.about)}. {said}" if curves.about else said))
    return tag("figure", None, picture, caption)


def parts_of(curves: CurvePicture, frame: PlotArea) -> Iterator[Markup]:
    """The elements of a picture: axes, and what is drawn in them; of many curves most are grey."""
    x, y, x_ends, y_ends = _scales(curves, frame)
    yield from _axes(curves, frame, x, y, x_ends, y_ends)
    if curves.drawn == BARS:
        yield from _bars(curves.curves[0], frame, x, y)
        return
    chosen = prominent(curves)
    others = () if curves.drawn == POINTS else (of for place, of in enumerate(curves.curves) if place not in chosen)
    if faint := "".join(_path(kept, curves.drawn, x, y) for each in others if (kept := finite(each.points))):
        yield tag("path", {"class": "curve rest", "d": faint})
    some = replace(curves, curves=tuple(curves.curves[place] for place in chosen))
    yield from _lines(some, points_called(curves) if curves.labels == "run" else [], frame, x, y)


def _lines(curves: CurvePicture, called: Sequence[Point], frame: PlotArea, x: Scale, y: Scale) -> Iterator[Markup]:
    """Lines, steps or points, and their names."""
    shown = [(number, curve) for number, curve in enumerate(curves.curves) if finite(curve.points)]
    dashed = len(shown) > COLOURS
    heights = _heights([y(finite(curve.points)[-1].y) for _, curve in shown], frame)
    for place, (number, curve) in enumerate(shown):
        kind = f"s{number % COLOURS} run"
        dashes = _DASHES[(number * frame.narrow + number // COLOURS) % len(_DASHES)]
        kept = finite(curve.points)
        front = curves.kind == TRADEOFF and not number  # what can be had up to the next point
        path = _path(_to_the_ends(curves, kept), STEPS_AFTER if front else curves.drawn, x, y)
        at = frame.end + 8, heights[place]
        if frame.narrow and curves.drawn != POINTS:
            at = _below(place, frame)
        named_at = len(shown) > 1 or curves.drawn != POINTS
        if named_at and (dashed or frame.narrow):  # what colours do not tell apart is seen beside the name
            path += f"M{at[0]:g} {at[1]:.3f}h{_SAMPLE - 4}"
        line: Attributes = {"class": f"curve {kind}", "d": path, "stroke-dasharray": dashes}
        yield tag("path", line, tag("title", None, named(curve.name)))
        if curves.drawn == POINTS or (len(kept) <= MARKED and not dashed):
            for look, alike in (
                ("rest", [point for point in kept if called and point not in called]),
                (kind, [point for point in kept if not called or point in called]),
            ):
                if dots := "".join(f"M{x(point.x):.3f} {y(point.y):.3f}h0" for point in alike):
                    yield tag("path", {"class": f"dots {look}", "d": dots})
        for point in (point for point in kept if point in called):
            at_x = x(point.x)
            anchor = "end" if at_x > (frame.left + frame.end) / 2 else "start"
            yield svg_text(at_x, y(point.y) - 6, _short(named(point.label), _LONGEST), f"point {kind}", anchor)
        if named_at:
            aside = _SAMPLE * (dashed or frame.narrow)
            room = frame.width / 2 - 10 if frame.narrow and curves.drawn != POINTS else frame.right - 8
            label: Attributes = {"class": f"label {kind}", "x": f"{at[0] + aside:g}", "y": f"{at[1] + 4:.1f}"}
            yield tag("text", label, sentence(_short(named(curve.name), int((room - aside) // frame.sign))))
    for point in points_to_name(curves, _WIDE_APART if frame.narrow else TOUCH):
        yield svg_text(x(point.x), y(point.y) - 6, named(point.label), "point s0 run", "middle")


def _below(place: int, frame: PlotArea) -> tuple[float, float]:
    """Where the name of a curve stands below a narrow picture, in two columns."""
    return 8 + (place % 2) * frame.width / 2, frame.base + 52 + 16 * (place // 2)


def _bars(curve: Curve, frame: PlotArea, x: Scale, y: Scale) -> Iterator[Markup]:
    """Bars that stand on zero, or hang from it; and their mean with its interval, where it is known."""
    mean, low, high = (curve.values.get(name) for name in ("mean", "low", "high"))
    if low is not None and high is not None and math.isfinite(high - low):
        width = f"{frame.end - frame.left:g}"
        yield _shade(f"{frame.left:g}", f"{y(high):.3f}", width, f"{y(low) - y(high):.3f}")
    points = finite(curve.points)
    heights = np.array([point.y for point in points])
    if len(points) > _MOST_BARS and (np.diff(heights) <= 0).all():
        points = [points[place] for place in thinned(np.arange(len(points), dtype=float), _MOST_BARS).astype(int)]
    zero, half = y(0.0), max(min(x(1.0) - x(0.0), 48.0) * 0.4, 0.2)
    for kind, side in (("up", 1), ("down", -1)):
        places = [(x(point.x), y(point.y)) for point in points if side * point.y > 0]
        if path := "".join(f"M{at - half:.3f} {zero:.3f}V{up:.3f}H{at + half:.3f}V{zero:.3f}z" for at, up in places):
            yield tag("path", {"class": f"bars {kind}", "d": path})
    if len(points) <= _NAMED:
        for point in points:
            turned = f"translate({x(point.x) + 4:.1f} {frame.base + 6:g}) rotate(-90)"
            name: Attributes = {"class": "axis", "transform": turned, "text-anchor": "end"}
            yield tag("text", name, sentence(_query(point)))
    if "low" in curve.values and mean is not None and math.isfinite(mean):
        yield tag("path", {"class": "mark", "d": f"M{frame.left:g} {y(mean):.3f}H{frame.end:g}"})
        yield svg_text(frame.end + 4, y(mean) + 4, "mean", "axis", "start")


def _query(point: Point) -> str:
    return _short(named(point.label), _QUERY)


def _scales(curves: CurvePicture, frame: PlotArea) -> tuple[Scale, Scale, tuple[float, float], tuple[float, float]]:
    """Where points stand in a picture, and the ends of its axes."""
    x_ends, y_ends = limits(curves)
    if curves.drawn == BARS:  # each stands in the middle of room of its own
        x_ends = x_ends[0] + 0.5, x_ends[1] + 0.5
    x = scale(x_ends, frame.left, frame.end, curves.x.logarithmic)
    return x, scale(y_ends, frame.base, frame.top), x_ends, y_ends


def scale(ends: tuple[float, float], begin: float, stop: float, logarithmic: bool = False) -> Scale:
    """Where numbers stand between two places, of which these are the ends."""
    low, high = map(math.log, ends) if logarithmic else ends

    def place(value: float) -> float:
        at = math.log(value) if logarithmic else value
        return begin + (at - low) / (high - low) * (stop - begin)

    return place


def _to_the_ends(curves: CurvePicture, points: Sequence[Point]) -> Sequence[Point]:
    """Points whose steps go from one end of the axis to the other."""
    (left, right), (low, _) = limits(curves)
    if curves.drawn == STEPS_BEFORE:
        return [Point(left, points[0].y), *points]
    if curves.drawn == STEPS_AFTER:
        return [Point(left, low), *points, Point(right, points[-1].y)]
    return points


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


def _axes(
    curves: CurvePicture, frame: PlotArea, x: Scale, y: Scale, x_ends: tuple[float, float], y_ends: tuple[float, float]
) -> Iterator[Markup]:
    base = f"{y(0.0) if curves.drawn == BARS else frame.base:.3f}"
    numbers = numbers_on(*y_ends, _TICKS)
    grid = "".join(f"M{frame.left:g} {y(value):.3f}H{frame.end:g}" for value in numbers)
    yield tag("path", {"class": "grid", "d": grid})
    for value in numbers:
        yield svg_text(frame.left - 6, y(value) + 4, decimal(round(value, 12)), "axis y", "end")
    # A long title begins at the top of the picture.
    at = max((frame.top + frame.base) // 2, len(curves.y.title) * frame.sign / 2)
    turned = f"translate(13 {at:g}) rotate(-90)"
    yield tag("text", {"class": "name", "transform": turned, "text-anchor": "middle"}, sentence(curves.y.title))
    if curves.drawn != BARS:
        for value in ranks_on(*x_ends, frame.narrow) if curves.x.logarithmic else numbers_on(*x_ends, _TICKS):
            yield svg_text(x(value), frame.base + 16, decimal(round(value, 12)), "axis x", "middle")
    yield tag("line", {"class": "base", "x1": f"{frame.left:g}", "x2": f"{frame.end:g}", "y1": base, "y2": base})
    below = frame.height - 8
    if frame.narrow and curves.drawn not in (BARS, POINTS):
        below = frame.base + 36
    yield svg_text((frame.left + frame.end) / 2, below, curves.x.title, "name", "middle")
    marks = [f"M{x(mark):.3f} {frame.top:g}V{frame.base:g}" for mark in curves.marks]
    if curves.equal and curves.drawn == POINTS:
        marks.append(f"M{frame.left:g} {frame.base:g}L{frame.end:g} {frame.top:g}")
    if marks:
        yield tag("path", {"class": "mark", "d": "".join(marks)})


def _heights(wanted: Sequence[float], frame: PlotArea) -> list[float]:
    """Where names stand, near the ends of their lines and apart from each other."""
    room = frame.base - frame.top
    size = min(_APART / room, 1 / max(len(wanted), 1))
    return [frame.base - at * room for at in apart([(frame.base - y) / room for y in wanted], [size] * len(wanted))]


def _short(name: str, most: int) -> str:
    """A name cut in its middle: names of runs are alike in the beginning more often than at the end."""
    return name if len(name) <= most else f"{name[: most - 7]}…{name[-6:]}"


def svg_text(x: float, y: float, text: str, kind: str, anchor: str) -> Markup:
    """A text at a place: its class, and which end of it stands there."""
    return tag("text", {"class": kind, "x": f"{x:.1f}", "y": f"{y:.1f}", "text-anchor": anchor}, sentence(text))


def _shade(x: str, y: str, width: str, height: str) -> Markup:
    return tag("rect", {"class": "shade", "x": x, "y": y, "width": width, "height": height})


MOST = 1000
"""Points of single queries of which a picture has a table; those of more queries stand in that of the queries alone."""


def with_numbers(curves: CurvePicture, digits: int, about: str = "") -> Markup:
    """A picture with its numbers below it; nothing where no point can be drawn. `about` is added to its caption."""
    figure = drawn(curves, about)
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
    many = curves.labels == "run" or (curves.labels == "query" and len(points) > MOST)
    if not points or many:
        return None
    alike = len({tuple(point.x for point in curve.points) for curve in curves.curves}) == 1
    if not curves.labels and alike:
        places = zip(*(curve.points for curve in curves.curves), strict=True)
        heights = [reals([point.y for point in place], digits) for place in places]
        header = ("run", *(f"{point.x:g}" for point in curves.curves[0].points))
        return NumberTable(header, [[named(curve.name) for curve in curves.curves], *heights], 1)
    columns = [(curves.labels, [named(point.label) for point in points])] if curves.labels else []
    if len(curves.curves) > 1:
        columns.insert(0, ("run", [named(curve.name) for curve in curves.curves for _ in curve.points]))
    labels = len(columns)
    if curves.x.name != "place":  # that of a bar is not a number of its own
        columns.append((curves.x.name, [real(point.x, digits) for point in points]))
    word = signed if curves.drawn == BARS else real
    columns.append((curves.y.name, [word(point.y, digits) for point in points]))
    for name, column in zip(curves.more, zip(*(point.more for point in points), strict=True), strict=True):
        columns.append((name.replace("_", " "), reals(column, digits)))
    return NumberTable(tuple(name for name, _ in columns), [column for _, column in columns], labels)


# Forest plots

MOST_ESTIMATED = 24
"""A figure has no more numbers, so that they can be told apart."""

MOST_BELOW = 12
"""Nor more pictures below."""

_DIGITS = 4


class Estimate(NamedTuple):
    """An estimate by one method, and its interval, if it has one."""

    by: str
    value: float
    interval: tuple[float, float] | None


class Estimated(NamedTuple):
    """Several estimates of one number, drawn beside each other.

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


_BESIDE, _AFTER, _ABOVE, _BELOW = 86, 14, 6, 26
_LINE, _GAP, _REACH = 19, 6, 5

_ESTIMATED_TICKS = 5
"""Most numbers along the axis."""

_KINDS = ("s7", "s1", "s0")
"""The colour of each estimate. The last one is the best estimate, and has a full mark."""


def forest(group: Sequence[Estimated], width: float, sign: float) -> tuple[float, Markup]:
    """A forest plot of numbers on one scale: its height, and its elements."""
    low, high = ends_of(group)
    room = (high - low) * 0.03
    left = _BESIDE if any(each.by for of in group for each in of.estimates) else _AFTER
    x = scale((low - room, high + room), left, width - _AFTER)
    bottom = _ABOVE + sum(_LINE * (len(of.estimates) + 1) + _GAP for of in group)
    numbers = numbers_on(low - room, high + room, _ESTIMATED_TICKS)
    parts, grid = [], "".join(f"M{x(value):.1f} {_ABOVE}V{bottom}" for value in numbers)
    if (margin := group[0].margin) is not None:
        width_of = f"{x(margin) - x(-margin):.1f}"
        parts.append(_shade(f"{x(-margin):.1f}", f"{_ABOVE}", width_of, f"{bottom - _ABOVE}"))
    parts.append(tag("path", {"class": "grid", "d": grid}))
    for value in numbers:
        parts.append(svg_text(x(value), bottom + 16, decimal(round(value, 12)), "axis x", "middle"))
    if group[0].zero:
        parts.append(
            tag("line", {"class": "base", "x1": f"{x(0):.1f}", "x2": f"{x(0):.1f}", "y1": _ABOVE, "y2": bottom})
        )
    y = _ABOVE
    for of in group:
        y += _LINE
        parts.append(svg_text(8, y - 5, _short(of.name, int((width - 8) // sign)), "label", "start"))
        for number, each in enumerate(of.estimates, len(_KINDS) - len(of.estimates)):
            y += _LINE
            parts.append(svg_text(left - 10, y - 5, _short(each.by, int((left - 10) // sign)), "name", "end"))
            parts.append(
                _mark(of, each, max(number, 0), x(each.value), y - 9.5, [x(end) for end in each.interval or ()])
            )
        y += _GAP
    return bottom + _BELOW, joined(parts)


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
