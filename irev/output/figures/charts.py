"""Figures of curves: which curves have room, the limits of axes, and captions; and the figures as plain text.

Plain text draws lines and points as grids of letters and dashes, and values as bars.
"""

from __future__ import annotations

import math
import textwrap
from collections.abc import Iterable, Iterator, Sequence
from itertools import pairwise

import numpy as np

from irev.base.segments import Floats
from irev.base.text import and_more, counted, ends, interval, named, signed
from irev.evaluation.curves import (
    BARS,
    LINES,
    MANY,
    POINTS,
    STEPS_AFTER,
    STEPS_BEFORE,
    Curve,
    CurvePicture,
    Point,
)

MOST_CHARTS = 24
"""A figure has no more pictures below each other."""

HIGHEST = 3
"""Of `MANY` curves so many have colours and names, beside the lowest and those that the picture names."""

_TICKS = 6
"""Nor an axis more numbers."""

_EACH = 20
"""Up to here every rank is one of these."""

TOUCH = 0.05
"""Names of points have to be so far apart, as a share of the axes."""


def admitted(charts: Sequence[CurvePicture]) -> tuple[list[CurvePicture], list[str]]:
    """The pictures that there is room for, and sentences on what is left out or has no name."""
    notes = []
    if len(charts) > MOST_CHARTS:
        notes.append(f"Only the first {MOST_CHARTS} of {len(charts)} pictures are drawn.")
    charts = charts[:MOST_CHARTS]
    notes += filter(None, map(_unnamed, charts))
    return list(charts), [*dict.fromkeys(notes)]


def _unnamed(chart: CurvePicture) -> str:
    """A sentence on curves and points without a name."""
    of_runs = chart.drawn == POINTS
    count = len(chart.curves) if not of_runs else sum(len(curve.points) for curve in chart.curves)
    if count <= MANY or chart.drawn == BARS:
        return ""
    left = count - (len(prominent(chart)) if not of_runs else len(points_called(chart)))
    what = "points have no name" if of_runs else "curves are grey and have no name"
    *others, last = f"the {HIGHEST} highest", "the lowest", *map(named, chart.named)
    return f"{left} of {count} {what}: all but {', '.join(others)} and {last}."


def _chosen(chart: CurvePicture, of: Sequence[Curve | Point]) -> list[int]:
    """The places of the highest, of those that the picture names, and of the lowest."""
    order = sorted(
        (place for place, each in enumerate(of) if _has_place(each)), key=lambda place: -_height_of(of[place])
    )
    called = (
        place for place, each in enumerate(of) if (each.name if isinstance(each, Curve) else each.label) in chart.named
    )
    return [*dict.fromkeys((*order[:HIGHEST], *called, *order[-1:]))]


def _has_place(of: Curve | Point) -> bool:
    return bool(finite(of.points if isinstance(of, Curve) else [of]))


def _height_of(of: Curve | Point) -> float:
    """The value of a point, the mean of a curve, or that of its points."""
    if isinstance(of, Point):
        return of.y
    mean = of.values.get("mean")
    points = finite(of.points)
    return math.fsum(point.y for point in points) / len(points) if mean is None else mean


def prominent(chart: CurvePicture) -> list[int]:
    """The places of the curves that have colours and names: all, or few of many."""
    return _chosen(chart, chart.curves) if len(chart.curves) > MANY else [*range(len(chart.curves))]


def points_called(chart: CurvePicture) -> list[Point]:
    """The points, each of a run, that have names: all, or few of many; of a trade-off those that no other beats."""
    points = [point for curve in chart.curves for point in finite(curve.points)]
    if len(points) <= MANY:
        return points
    first = finite(chart.curves[0].points)
    called = [first[place] for place in _chosen(chart, first)]
    return [*called, *(point for point in points if point.label in chart.named and point not in called)]


def said_of_names(charts: Iterable[CurvePicture]) -> list[str]:
    """What the numbers are that stand at points, where some do."""
    found = dict.fromkeys(
        (chart.labels, chart.curves[prominent(chart)[0]].name) for chart in charts if points_to_name(chart)
    )
    return [f"Numbers at points of {named(curve)}: {named(label)}." for label, curve in found]


def captions(charts: Sequence[CurvePicture], caption: str) -> list[str]:
    """What a figure says below: how to read its pictures, once for those that are read alike; then the caption."""
    return [*dict.fromkeys(each.caption for each in charts if each.caption), caption]


def said_below(chart: CurvePicture) -> list[str]:
    """What is said below a picture: its notes, and the values of its curves."""
    found = list(chart.notes)
    for curve in (chart.curves[place] for place in prominent(chart)):
        if words := "; ".join(filter(None, (stated(chart, curve), left_out(curve)))):
            found.append(words if len(chart.curves) == 1 else f"{named(curve.name)}: {words}")
    return found


def notes_on(charts: Sequence[CurvePicture]) -> list[str]:
    """Sentences on signs in pictures."""
    notes = said_of_names(charts)
    if any("low" in curve.values for chart in charts for curve in chart.curves):
        notes.append("Dashed: the mean; grey: its interval.")
    return notes


def title(chart: CurvePicture) -> str:
    """The heading of a picture."""
    return ", ".join(named(part) for part in (chart.measure, chart.about) if part) or named(chart.kind)


def finite(points: Iterable[Point]) -> list[Point]:
    """Those that have a place."""
    return [point for point in points if math.isfinite(point.x) and math.isfinite(point.y)]


def left_out(curve: Curve) -> str:
    """What is said of points without a place."""
    odd = len(curve.points) - len(finite(curve.points))
    return f"{counted(odd, 'value')} not finite, not drawn" if odd else ""


def limits(chart: CurvePicture) -> tuple[tuple[float, float], tuple[float, float]]:
    """From where to where the axes go; bars reach equally far to either side of zero."""
    points = [point for curve in chart.curves for point in finite(curve.points)]
    across = [point.x for point in points]
    up = [point.y for point in points]
    if chart.drawn == BARS:
        more = [chart.curves[0].values.get(end) for end in ("mean", "low", "high")] if _has_interval(chart) else []
        reach = chart.y.high or max(
            (abs(value) for value in (*up, *more) if value is not None and math.isfinite(value)), default=0.0
        )
        return (0.0, float(max(len(points), 1))), (0.0 if chart.y.low == 0 else -(reach or 1.0), reach or 1.0)
    low, high = _ends(up, chart.y.low, chart.y.high)
    if chart.drawn != POINTS and chart.y.high is None:
        step = numbers_on(low, high, _TICKS)
        high = next((end for end in (step[-1], 2 * step[-1] - step[-2]) if end >= high), high)
    return _ends(across, chart.x.low, chart.x.high), (low, high)


def _has_interval(chart: CurvePicture) -> bool:
    return "low" in chart.curves[0].values


def _ends(values: list[float], low: float | None, high: float | None) -> tuple[float, float]:
    least = min(values, default=0.0) if low is None else low
    most = max(values, default=1.0) if high is None else high
    if most - least > 1e-9 * max(abs(least), abs(most)):
        return least, most
    return least, least + max(1.0, abs(least) / 1000)  # 1 more is no other number where they are huge


def points_to_name(chart: CurvePicture, touch: float = TOUCH) -> list[Point]:
    """Points along lines that are called by what they are about, as k of (recall at k, precision at k): of the first
    curve with a name, and none so close to another that the two would touch."""
    if chart.drawn != LINES or not chart.labels or not (first := prominent(chart)):
        return []
    (left, right), (low, high) = limits(chart)
    found: list[Point] = []
    for point in finite(chart.curves[first[0]].points):
        apart = (max(abs(point.x - each.x) / (right - left), abs(point.y - each.y) / (high - low)) for each in found)
        if min(apart, default=1.0) >= touch:
            found.append(point)
    return found


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


_WORDS = {"not_numbers": "no number", "queries": "", "q25": "", "q75": "", "lowest": "", "highest": "", "R": ""}
"""How values are called, where not by their names; nothing for those that are seen or told otherwise."""


def stated(chart: CurvePicture, curve: Curve) -> str:
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


# Plain text

NARROWEST = 40

_BAR_ROWS = 4
"""Lines on either side of zero that bars are drawn in."""

_WIDEST_BAR = 3

_ROWS = 16
"""Lines of a grid."""

_SQUARE = 2
"""Columns that are about as wide as a line is high."""

_WIDEST = 100
"""Columns of the widest grid."""

_MARGIN = 12
"""Columns for the numbers beside bars."""

_MOST_BLOCKS = 10
"""Bars that need more lines are left out."""

_LETTERS = "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
_DASHES = "─╌═·~"
"""Signs between the points of the first curves. Further curves have their letter there, in lower case."""

_ALONE, _ALONE_BETWEEN = "●", "·"
_SEVERAL, _OTHERS = "+", "░"


def drawn(charts: Sequence[CurvePicture], width: int) -> Iterator[str]:
    """The lines of a figure in text; an empty line separates pictures."""
    shown, notes = admitted(charts)
    for number, chart in enumerate(shown):
        if number:
            yield ""
        for line in _lines(chart, max(width, NARROWEST)):
            yield line.rstrip()
    for note in notes:
        yield from textwrap.wrap(note, max(width, NARROWEST))


def _lines(chart: CurvePicture, width: int) -> Iterator[str]:
    if title(chart) != chart.kind:
        yield from textwrap.wrap(title(chart), width, break_on_hyphens=False)
    if not any(finite(curve.points) for curve in chart.curves):
        yield "There is nothing to draw."
    elif chart.drawn == BARS:
        yield from _bars(chart, width)
    else:
        yield from _grid(chart, width)
    for note in chart.notes:
        yield from textwrap.wrap(note, width)


# Bars


def _bars(chart: CurvePicture, width: int) -> Iterator[str]:
    for curve in chart.curves:
        for said in filter(None, (stated(chart, curve), left_out(curve))):
            yield from textwrap.wrap(said, width)
        values = np.array([point.y for point in finite(curve.points)])
        reach = limits(chart)[1][1]
        if (np.diff(values) <= 0).all():
            yield from _bars_of(values, reach, width)
        else:  # of bars in any order none may be left out
            several = range(0, len(values), width - _MARGIN)
            for begin in several[:_MOST_BLOCKS]:
                yield from _bars_of(values[begin : begin + several.step], reach, width)
            if len(several) > _MOST_BLOCKS:
                yield and_more(len(values), several[_MOST_BLOCKS], ",").strip()
        yield from textwrap.wrap(f"{len(values):,} {named(chart.x.title)}", width)


def _bars_of(values: Floats, most: float, width: int) -> Iterator[str]:
    """Sorted bars or others, of which the highest could be `most`, in a few lines above and below zero.

    They take the whole width where they are many, or as much as they need.
    """
    margin = max(len(_short(most * row / _BAR_ROWS)) for row in range(-_BAR_ROWS, _BAR_ROWS + 1)) + 1
    heights = _bar_heights(values, most, width - margin - 1)
    rows = range(_lines_of(heights.max()), -_lines_of(-heights.min()) - 1, -1)
    for row in rows:
        if row == 0:
            yield f"{'0':>{margin}}┼{'─' * len(heights)}"
        else:
            mark = _short(most * row / _BAR_ROWS) if row in (rows[0], rows[-1]) else ""
            cells = "".join(_block(height, row) for height in heights.tolist())
            yield f"{mark:>{margin}}┤{cells}" if mark else f"{'':{margin}}│{cells}"


def _bar_heights(values: Floats, most: float, columns: int) -> Floats:
    """The height of each column, in half lines: bars of several columns, with gaps, where there are few queries."""
    heights = thinned(values, columns) / most * 2 * _BAR_ROWS
    whole = np.where(heights > 0, np.ceil(heights - 0.5), np.floor(heights + 0.5))
    whole = np.where((whole == 0) & (heights != 0), np.sign(heights), whole)  # a bar however small the difference
    wide = min(columns // len(whole), _WIDEST_BAR + 1)
    if wide > 1:
        whole = np.repeat(whole, wide)
        whole[wide - 1 :: wide] = 0
    return whole


def _lines_of(half_lines: float) -> int:
    """Return the number of lines that the bars take."""
    return max(math.ceil(half_lines / 2), 0)


def _block(height: float, row: int) -> str:
    """The sign that a bar has in a line: those above zero count from 1, those below from -1."""
    filled = abs(height) - 2 * (abs(row) - 1) if height * row > 0 else 0
    return "█" if filled >= 2 else ("▄" if row > 0 else "▀") if filled >= 1 else " "


def _short(value: float) -> str:
    return f"{value:+.3g}"


def thinned(values: Floats, most: int) -> Floats:
    """Sorted values at evenly spaced places, the first and the last among them, where there are too many to draw."""
    if len(values) <= most:
        return values
    kept: Floats = values[np.linspace(0, len(values) - 1, most).round().astype(np.intp)]
    return kept


# Grids


def _grid(chart: CurvePicture, width: int) -> Iterator[str]:
    (left, right), (low, high) = limits(chart)
    if chart.drawn == LINES:
        low, high = _near(chart, low, high)
    rows = _ROWS
    ticks = {round((high - number) / (high - low) * (rows - 1)): f"{number:g}" for number in numbers_on(low, high, 6)}
    margin = max(map(len, ticks.values())) + 1
    columns = min(width - margin - 1, _WIDEST, _SQUARE * rows * 5 // 4 if chart.drawn == POINTS else _WIDEST)
    cells = [[" "] * columns for _ in range(rows)]
    plane = _Plane(chart, (left, right), (low, high), columns, rows)
    (_dot if chart.drawn == POINTS else _join)(chart, plane, cells)
    if named(chart.y.title) != title(chart):
        yield from textwrap.wrap(named(chart.y.title), width)
    for row, line in enumerate(cells):
        begin = f"{ticks[row]:>{margin}}┤" if row in ticks else f"{'':{margin}}│"
        yield begin + "".join(line)
    numbers = ranks_on(left, right) if chart.x.logarithmic else numbers_on(left, right, 6)
    marks = [(plane.column(number), f"{number:g}") for number in numbers]
    axis = ["─"] * columns
    for place, _ in marks:
        axis[place] = "┴"
    yield f"{'':{margin}}└{''.join(axis)}"
    yield f"{'':{margin}} {_marked(marks, columns)}"
    yield f"{'':{margin}} {named(chart.x.title):^{columns}}".rstrip()
    yield from _legend(chart, width)


def _near(chart: CurvePicture, low: float, high: float) -> tuple[float, float]:
    """The part of the axis that curves are in, up to round numbers, where that is less than half of it."""
    values = [point.y for curve in chart.curves for point in finite(curve.points)]
    if not values or max(values) - min(values) >= (high - low) / 2:
        return low, high
    numbers = numbers_on(low, high, 2 * _ROWS)
    low = max((number for number in numbers if number <= min(values) and number < high), default=low)
    return low, min((number for number in numbers if number >= max(values) and number > low), default=high)


class _Plane:
    """Converts numbers on axes to cells of a grid."""

    def __init__(
        self, chart: CurvePicture, across: tuple[float, float], up: tuple[float, float], columns: int, rows: int
    ) -> None:
        self.across, self.up, self.columns, self.rows = across, up, columns, rows
        self.logarithmic = chart.x.logarithmic

    def share(self, x: float) -> float:
        """The place of a number on the x axis, from 0 to 1."""
        left, right = self.across
        if self.logarithmic:
            return math.log(x / left) / math.log(right / left)
        return (x - left) / (right - left)

    def column(self, x: float) -> int:
        return min(max(round(self.share(x) * (self.columns - 1)), 0), self.columns - 1)

    def row(self, y: float) -> int:
        low, high = self.up
        return min(max(round((high - y) / (high - low) * (self.rows - 1)), 0), self.rows - 1)


def _join(chart: CurvePicture, plane: _Plane, cells: list[list[str]]) -> None:
    """Letters at points, a cross where several have one, and dashes between them, taking turns where curves meet."""
    looks = {place: look for look, place in enumerate(prominent(chart))}
    marks: dict[tuple[int, int], list[int]] = {}
    passing: dict[tuple[int, int], list[int]] = {}
    for place, curve in enumerate(chart.curves):
        points = [(plane.share(point.x), point.y) for point in finite(curve.points)]
        if not points:
            continue
        path = dict.fromkeys(_path(chart.drawn, points, plane))
        if place not in looks:
            for row, column in path:
                cells[row][column] = _OTHERS
            continue
        for cell in path:
            passing.setdefault(cell, []).append(looks[place])
        if chart.drawn != STEPS_AFTER:  # steps may be as many as queries
            places = [min(max(round(share * (plane.columns - 1)), 0), plane.columns - 1) for share, _ in points]
            for cell in dict.fromkeys((plane.row(y), at) for (_, y), at in zip(points, places, strict=True)):
                marks.setdefault(cell, []).append(looks[place])
    for (row, column), places in (passing | marks).items():
        if (row, column) in marks and len(places) > 1:
            cells[row][column] = _SEVERAL
            continue
        letter, dash = _signs(len(looks), places[column % len(places)])
        cells[row][column] = letter if (row, column) in marks else dash


def _signs(several: int, place: int) -> tuple[str, str]:
    """The letter of one of several curves, and its dash."""
    if several == 1:
        return _ALONE, _ALONE_BETWEEN
    return _LETTERS[place], _DASHES[place] if place < len(_DASHES) else _LETTERS[place].lower()


def _path(drawn: str, points: list[tuple[float, float]], plane: _Plane) -> Iterator[tuple[int, int]]:
    """The cells that a curve passes, from column to column; steep parts without gaps."""
    last = None
    for column in range(plane.columns):
        share = column / (plane.columns - 1)
        y = _height(drawn, points, share)
        if y is None:
            last = None
            continue
        row = plane.row(y)
        for between in range(min(row, row if last is None else last), max(row, row if last is None else last) + 1):
            if between != last or between == row:
                yield between, column
        last = row


def _height(drawn: str, points: list[tuple[float, float]], share: float) -> float | None:
    """The value of a curve at a share of the x axis; None outside the curve."""
    slack = 1e-9
    if drawn == STEPS_AFTER:
        return max((y for x, y in points if x <= share + slack), default=0.0)
    if drawn == STEPS_BEFORE:
        return next((y for x, y in points if share <= x + slack), None)
    for (x, y), (next_x, next_y) in pairwise(points):
        if x - slack <= share <= next_x + slack:
            return y + (next_y - y) * ((share - x) / (next_x - x) if next_x > x else 0.0)
    return None


def _dot(chart: CurvePicture, plane: _Plane, cells: list[list[str]]) -> None:
    """A letter for each point that has a name; and the diagonal where both axes have one scale."""
    if chart.equal:
        for column in range(plane.columns):
            left, right = plane.across
            cells[plane.row(left + (right - left) * column / (plane.columns - 1))][column] = "·"
    letters, called = iter(_LETTERS), points_called(chart)
    for point in (point for curve in chart.curves for point in finite(curve.points)):
        row, column = plane.row(point.y), plane.column(point.x)
        if point not in called:
            cells[row][column] = _OTHERS if cells[row][column] in " ·" else cells[row][column]
        else:
            letter = next(letters)
            cells[row][column] = letter if cells[row][column] in (" ·" + _OTHERS) else _SEVERAL


def _legend(chart: CurvePicture, width: int) -> Iterator[str]:
    shown = [chart.curves[place] for place in prominent(chart)]
    if chart.drawn == POINTS:
        letters, called = iter(_LETTERS), points_called(chart)
        for curve in shown:
            there = [point for point in finite(curve.points) if point in called]
            names = [f"{next(letters)} {named(point.label)}" for point in there]
            of = f"{named(curve.name)}: " if len(shown) > 1 else ""
            yield from textwrap.wrap(of + "   ".join(names), width)
            for said in filter(None, (stated(chart, curve), left_out(curve))):
                yield from textwrap.wrap(said, width)
        return
    entries = []
    for place, curve in enumerate(shown):
        sign = _ALONE if len(shown) == 1 else "".join(_signs(len(shown), place))
        said = "; ".join(filter(None, (stated(chart, curve), left_out(curve))))
        entries.append(f"{sign} {named(curve.name)}" + (f": {said}" if said else ""))
    entries += [f"{_SEVERAL} several"] if len(shown) > 1 else []
    entries += [f"{_OTHERS} others"] if len(shown) < len(chart.curves) else []
    apart = entries if any(curve.values for curve in shown) else ["   ".join(entries)]
    for entry in apart:
        yield from textwrap.wrap(entry, width, subsequent_indent="   " if len(apart) > 1 else "")


def _marked(marks: list[tuple[int, str]], columns: int) -> str:
    """Numbers below their places, without those for which there is no room."""
    line = [" "] * columns
    free = 0
    for place, number in marks:
        begin = min(max(place - len(number) // 2, 0), columns - len(number))
        if begin >= free:
            line[begin : begin + len(number)] = number
            free = begin + len(number) + 1
    return "".join(line)
