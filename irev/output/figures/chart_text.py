"""Figures of curves as plain text: grids of letters and dashes, boxes and bars, which a terminal has in colours."""

from __future__ import annotations

import math
import re
import textwrap
from collections.abc import Iterator, Sequence
from itertools import pairwise

import numpy as np

from irev.base.text import and_more, named, real
from irev.evaluation.curves import (
    BARS,
    BOXES,
    LINES,
    POINTS,
    STEPS_AFTER,
    STEPS_BEFORE,
    Curve,
    Curves,
)
from irev.output.figures.charts import (
    MOST_CURVES,
    admitted,
    by_name,
    captions,
    finite,
    left_out,
    limits,
    numbers_on,
    ranks_on,
    several,
    stated,
    title,
)
from irev.output.figures.panels import NARROWEST, bars
from irev.output.report import Inked, inked

_ROWS = 16
"""Lines of a grid."""

_SQUARE = 2
"""Columns that are about as wide as a line is high."""

_WIDEST = 100
"""No grid is wider: what is far apart is not seen together."""

_MARGIN = 12
"""Columns for the numbers beside bars."""

_SIGN = re.compile(r"(?:^|   )([A-Z]\S) ")
"""What a name of a legend stands behind."""

_MOST_BLOCKS = 10
"""Bars that need more lines are left out."""

_LETTERS = "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
_DASHES = "─╌═·~"
"""What is between the points of the first curves; of the others it is their letter, in small."""

_ALONE, _ALONE_BETWEEN = "●", "·"
_SEVERAL = "+"


def text(charts: Sequence[Curves], caption: str, width: int = 80) -> str:
    """The figure in lines of no more than `width` columns, or `NARROWEST` where there are fewer."""
    shown, notes = admitted(charts)
    width = max(width, NARROWEST)
    said = [line for each in (*captions(shown, caption), *notes) for line in textwrap.wrap(each, width)]
    return "".join(f"{line}\n" for line in (*drawn(shown, width), "", *said))


def drawn(charts: Sequence[Curves], width: int) -> Iterator[str]:
    """The same without the caption, an empty line between two pictures."""
    shown, notes = admitted(charts)
    for number, chart in enumerate(shown):
        if number:
            yield ""
        for line in _lines(chart, max(width, NARROWEST)):
            yield line if isinstance(line, Inked) else line.rstrip()
    for note in notes:
        yield from textwrap.wrap(note, max(width, NARROWEST))


def _lines(chart: Curves, width: int) -> Iterator[str]:
    if title(chart) != chart.kind:
        yield from textwrap.wrap(title(chart), width, break_on_hyphens=False)
    if not any(finite(curve.points) for curve in chart.curves):
        yield "There is nothing to draw."
    elif chart.drawn == BARS:
        yield from _bars(chart, width)
    elif chart.drawn == BOXES:
        yield from _boxes(chart, width)
    else:
        yield from _grid(chart, width)
    for note in chart.notes:
        yield from textwrap.wrap(note, width)


# Bars


def _bars(chart: Curves, width: int) -> Iterator[str]:
    for curve in chart.curves:
        for said in filter(None, (stated(chart, curve), left_out(curve))):
            yield from textwrap.wrap(said, width)
        values = np.array([point.y for point in finite(curve.points)])
        reach = limits(chart)[1][1]
        if (np.diff(values) <= 0).all():
            yield from bars(values, reach, width)
        else:  # of bars in any order none may be left out
            several = range(0, len(values), width - _MARGIN)
            for begin in several[:_MOST_BLOCKS]:
                yield from bars(values[begin : begin + several.step], reach, width)
            if len(several) > _MOST_BLOCKS:
                yield and_more(len(values), several[_MOST_BLOCKS], ",").strip()
        yield from textwrap.wrap(f"{len(values):,} {named(chart.x.title)}", width)


# Boxes


def _boxes(chart: Curves, width: int) -> Iterator[str]:
    (low, high), _ = limits(chart)
    shown = chart.curves[:MOST_CURVES]
    indent = min(max(len(named(curve.name)) for curve in shown), width // 3)
    columns = min(width - indent - 2, _WIDEST)

    def place(value: float) -> int:
        return round((min(max(value, low), high) - low) / (high - low) * (columns - 1))

    for curve in shown:
        ends = [curve.values[name] for name in ("lowest", "q25", "median", "q75", "highest")]
        line = [" "] * columns
        if all(end is not None and math.isfinite(end) for end in ends):
            first, left, middle, right, last = (place(end or 0.0) for end in ends)
            line[first : last + 1] = "─" * (last + 1 - first)
            line[left : right + 1] = "▒" * (right + 1 - left)
            line[first], line[last] = ("├" if first < left else "▒"), ("┤" if last > right else "▒")
            line[middle] = "█"
        yield f"{_cut(named(curve.name), indent):{indent}}  {''.join(line)}"
    marks = [(place(number), f"{number:g}") for number in numbers_on(low, high, 6)]
    yield f"{'':{indent}}  {_marked(marks, columns)}"
    for curve in shown:
        yield from textwrap.wrap("; ".join(filter(None, (_quartiles(curve), left_out(curve)))), width)


def _quartiles(curve: Curve) -> str:
    ends = " ".join(real(curve.values[name], 4) for name in ("lowest", "q25", "median", "q75", "highest"))
    return f"{named(curve.name)}: {ends}, mean {real(curve.values['mean'], 4)}"


# Grids


def _grid(chart: Curves, width: int) -> Iterator[str]:
    (left, right), (low, high) = limits(chart)
    if chart.drawn == LINES:
        low, high = _near(chart, low, high)
    rows = _ROWS
    ticks = {round((high - number) / (high - low) * (rows - 1)): f"{number:g}" for number in numbers_on(low, high, 6)}
    margin = max(map(len, ticks.values())) + 1
    columns = min(width - margin - 1, _WIDEST, _SQUARE * rows * 5 // 4 if chart.drawn == POINTS else _WIDEST)
    cells = [[" "] * columns for _ in range(rows)]
    plane = _Plane(chart, (left, right), (low, high), columns, rows)
    inks: dict[tuple[int, int], int] = {}
    if chart.drawn == POINTS:
        _dot(chart, plane, cells)
    else:
        inks = _join(chart, plane, cells)
    if named(chart.y.title) != title(chart):
        yield _cut(named(chart.y.title), width)
    for row, line in enumerate(cells):
        begin = f"{ticks[row]:>{margin}}┤" if row in ticks else f"{'':{margin}}│"
        places = [(len(begin) + column, inks[row, column]) for column in range(columns) if (row, column) in inks]
        yield inked((begin + "".join(line)).rstrip(), ((place, place + 1, ink) for place, ink in places))
    numbers = ranks_on(left, right) if chart.x.logarithmic else numbers_on(left, right, 6)
    marks = [(plane.column(number), f"{number:g}") for number in numbers]
    axis = ["─"] * columns
    for place, _ in marks:
        axis[place] = "┴"
    yield f"{'':{margin}}└{''.join(axis)}"
    yield f"{'':{margin}} {_marked(marks, columns)}"
    yield f"{'':{margin}} {named(chart.x.title):^{columns}}".rstrip()
    yield from _legend(chart, width)


def _near(chart: Curves, low: float, high: float) -> tuple[float, float]:
    """The part of the axis that curves are in, up to round numbers, where that is less than half of it."""
    values = [point.y for curve in chart.curves[:MOST_CURVES] for point in finite(curve.points)]
    if not values or max(values) - min(values) >= (high - low) / 2:
        return low, high
    numbers = numbers_on(low, high, 2 * _ROWS)
    low = max((number for number in numbers if number <= min(values) and number < high), default=low)
    return low, min((number for number in numbers if number >= max(values) and number > low), default=high)


class _Plane:
    """Numbers to cells."""

    def __init__(
        self, chart: Curves, across: tuple[float, float], up: tuple[float, float], columns: int, rows: int
    ) -> None:
        self.across, self.up, self.columns, self.rows = across, up, columns, rows
        self.logarithmic = chart.x.logarithmic

    def share(self, x: float) -> float:
        """How far along the axis a number is, from 0 to 1."""
        left, right = self.across
        if self.logarithmic:
            return math.log(x / left) / math.log(right / left)
        return (x - left) / (right - left)

    def column(self, x: float) -> int:
        return min(max(round(self.share(x) * (self.columns - 1)), 0), self.columns - 1)

    def row(self, y: float) -> int:
        low, high = self.up
        return min(max(round((high - y) / (high - low) * (self.rows - 1)), 0), self.rows - 1)


def _join(chart: Curves, plane: _Plane, cells: list[list[str]]) -> dict[tuple[int, int], int]:
    """Letters at points, a cross where several have one, and dashes between them, which take turns where curves meet.

    Returns whose the sign of each cell is.
    """
    shown = chart.curves[:MOST_CURVES]
    marks: dict[tuple[int, int], list[int]] = {}
    passing: dict[tuple[int, int], list[int]] = {}
    for place, curve in enumerate(shown):
        points = [(plane.share(point.x), point.y) for point in finite(curve.points)]
        if not points:
            continue
        for cell in dict.fromkeys(_path(chart.drawn, points, plane)):
            passing.setdefault(cell, []).append(place)
        if chart.drawn != STEPS_AFTER:  # steps may be as many as queries
            places = [min(max(round(share * (plane.columns - 1)), 0), plane.columns - 1) for share, _ in points]
            for cell in dict.fromkeys((plane.row(y), at) for (_, y), at in zip(points, places, strict=True)):
                marks.setdefault(cell, []).append(place)
    inks = {}
    for (row, column), places in (passing | marks).items():
        if (row, column) in marks and len(places) > 1:
            cells[row][column] = _SEVERAL
            continue
        place = places[column % len(places)]
        letter, dash = _signs(shown, place)
        cells[row][column] = letter if (row, column) in marks else dash
        inks[row, column] = place
    return inks if len(shown) > 1 else {}


def _signs(shown: Sequence[Curve], place: int) -> tuple[str, str]:
    """The letter of a curve, and its dash."""
    if len(shown) == 1:
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
    """How high a curve is at a share of the axis; None where there is nothing of it."""
    slack = 1e-9
    if drawn == STEPS_AFTER:
        return max((y for x, y in points if x <= share + slack), default=0.0)
    if drawn == STEPS_BEFORE:
        return next((y for x, y in points if share <= x + slack), None)
    for (x, y), (next_x, next_y) in pairwise(points):
        if x - slack <= share <= next_x + slack:
            return y + (next_y - y) * ((share - x) / (next_x - x) if next_x > x else 0.0)
    return None


def _dot(chart: Curves, plane: _Plane, cells: list[list[str]]) -> None:
    """The number of points in each cell, or a letter for each point where they are few; and the diagonal, or zero."""
    if chart.equal:
        for column in range(plane.columns):
            left, right = plane.across
            cells[plane.row(left + (right - left) * column / (plane.columns - 1))][column] = "·"
    if chart.zeros:
        for column in range(plane.columns):
            cells[plane.row(0.0)][column] = "·"
        for row in range(plane.rows):
            cells[row][plane.column(0.0)] = "·"
    letters = iter(_LETTERS)
    for curve in chart.curves[:MOST_CURVES]:
        points = finite(curve.points)
        lettered = _lettered(chart, curve)
        counts: dict[tuple[int, int], int] = {}
        for point in points:
            cell = plane.row(point.y), plane.column(point.x)
            counts[cell] = counts.get(cell, 0) + 1
            if lettered:
                letter = next(letters)
                cells[cell[0]][cell[1]] = letter if cells[cell[0]][cell[1]] in " ·" else _SEVERAL
        for (row, column), count in () if lettered else counts.items():
            cells[row][column] = str(count) if count < 10 else "#"


def _lettered(chart: Curves, curve: Curve) -> bool:
    """Whether points are letters."""
    return by_name(chart, curve) and sum(len(each.points) for each in chart.curves) <= len(_LETTERS)


def _legend(chart: Curves, width: int) -> Iterator[str]:
    shown = chart.curves[:MOST_CURVES]
    if chart.drawn == POINTS:
        letters = iter(_LETTERS)
        for curve in shown:
            if _lettered(chart, curve):
                names = [f"{next(letters)} {named(point.label)}" for point in finite(curve.points)]
                of = f"{named(curve.name)}: " if len(shown) > 1 else ""
                yield from textwrap.wrap(of + "   ".join(names), width)
            else:
                yield from textwrap.wrap(
                    f"A digit is the number of {several(chart)} at that place; # is ten or more.", width
                )
            for said in filter(None, (stated(chart, curve), left_out(curve))):
                yield from textwrap.wrap(said, width)
        return
    entries = []
    for place, curve in enumerate(shown):
        sign = _ALONE if len(shown) == 1 else "".join(_signs(shown, place))
        said = "; ".join(filter(None, (stated(chart, curve), left_out(curve))))
        entries.append(f"{sign} {named(curve.name)}" + (f": {said}" if said else ""))
    entries += [f"{_SEVERAL} several"] if len(shown) > 1 else []
    apart = entries if any(curve.values for curve in shown) else ["   ".join(entries)]
    signs = {"".join(_signs(shown, place)): place for place in range(len(shown))}
    for entry in apart:
        for line in textwrap.wrap(entry, width, subsequent_indent="   " if len(apart) > 1 else ""):
            found = [(each.start(1), each.end(1), signs[each[1]]) for each in _SIGN.finditer(line) if each[1] in signs]
            yield inked(line, found)


def _marked(marks: list[tuple[int, str]], columns: int) -> str:
    """Numbers below their places, those left out that others stand in the way of."""
    line = [" "] * columns
    free = 0
    for place, number in marks:
        begin = min(max(place - len(number) // 2, 0), columns - len(number))
        if begin >= free:
            line[begin : begin + len(number)] = number
            free = begin + len(number) + 1
    return "".join(line)


def _cut(name: str, width: int) -> str:
    return name if len(name) <= width else f"{name[: width - 1]}…"
