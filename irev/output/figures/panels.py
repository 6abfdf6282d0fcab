"""What a figure of a comparison shows, how much of it there is room for, and the figure as plain text."""

from __future__ import annotations

import math
import textwrap
from collections.abc import Iterator, Sequence

import numpy as np

from irev.base.records import dataclass
from irev.base.segments import Floats, Ints
from irev.base.text import named

MOST_INTERVALS = 60
"""A figure has no more mean differences."""

MOST_BARS = 12
"""Nor single queries of more pairs of runs."""


@dataclass(frozen=True, eq=False)
class Panel:
    """Two runs under a measure, query by query.

    Attributes
    ----------
    measure, baseline, run : str
        What they are called, as given.
    differences : array, shape (n,)
        Value of the run minus that of the baseline, for each query.
    queries : tuple of bytes
        The n queries.
    low, high : float or None
        Ends of the interval of the mean difference, where there is one.
    mean : float
    margin : float or None
        A difference that is too small to matter, where one was stated.
    """

    measure: str
    baseline: str
    run: str
    differences: Floats
    queries: tuple[bytes, ...]
    low: float | None
    high: float | None
    mean: float
    margin: float | None

    @property
    def order(self) -> Ints:
        """The places of the queries whose difference is finite, the best for the run first."""
        values = np.asarray(self.differences, dtype=np.float64)
        falling = np.argsort(-values, kind="stable")
        kept: Ints = falling[np.isfinite(values[falling])]
        return kept

    @property
    def finite(self) -> Floats:
        """The differences that are finite, in this order."""
        kept: Floats = np.asarray(self.differences, dtype=np.float64)[self.order]
        return kept

    @property
    def interval(self) -> tuple[float, float] | None:
        """The interval, if it has two ends."""
        if self.low is None or self.high is None or not np.isfinite([self.low, self.high]).all():
            return None
        return self.low, self.high

    @property
    def counts(self) -> str:
        """On how many queries the difference is above and below zero, and what is not a number."""
        values = self.finite
        odd = len(self.differences) - len(values)
        several = f"{len(self.differences):,} queries" if len(self.differences) != 1 else "1 query"
        above, below = int((values > 0).sum()), int((values < 0).sum())
        return f"{several}: {above:,} above 0, {below:,} below" + (f", {odd:,} no number" if odd else "")

    @property
    def still(self) -> str:
        """What is said where no finite difference is other than 0."""
        return "no query differs" if len(self.finite) == len(self.differences) else "no other query differs"

    @property
    def endless(self) -> str:
        """What stands for a mean that is not finite."""
        return "no number" if np.isnan(self.mean) else f"{self.mean}"


def by_measure(panels: Sequence[Panel]) -> dict[str, list[Panel]]:
    """The panels of each measure, under its name as it can be shown."""
    found: dict[str, list[Panel]] = {}
    for panel in panels:
        found.setdefault(named(panel.measure), []).append(panel)
    return found


def one_baseline(panels: Sequence[Panel]) -> str:
    """The run that all others are compared with; nothing where there are several."""
    baselines = {panel.baseline for panel in panels}
    return named(baselines.pop()) if len(baselines) == 1 else ""


def pair(panel: Panel) -> str:
    """What is subtracted from what."""
    return f"{named(panel.run)} − {named(panel.baseline)}"


def subject(panels: Sequence[Panel]) -> str:
    """What the rows of intervals are."""
    baseline = one_baseline(panels)
    return f"mean difference to {baseline}" if baseline else "mean difference"


def label(panel: Panel, panels: Sequence[Panel]) -> str:
    """What a row of intervals is called: the run, and what it is compared with where that is not the same for all."""
    return named(panel.run) if one_baseline(panels) else pair(panel)


def reach(panels: Sequence[Panel]) -> float:
    """The largest difference of a query to either side; 0 where no query differs."""
    return max((float(np.abs(panel.finite).max(initial=0.0)) for panel in panels), default=0.0)


def span(panels: Sequence[Panel]) -> tuple[float, float]:
    """From where to where an axis with these means, their intervals, zero and the margin goes."""
    marks = [0.0]
    for panel in panels:
        marks += [panel.mean, *(panel.interval or ())]
        marks += [-panel.margin, panel.margin] if panel.margin is not None else []
    finite = [mark for mark in marks if np.isfinite(mark)]
    low, high = min(finite), max(finite)
    return (low, high) if low < high else (-1.0, 1.0)


def thinned(values: Floats, most: int) -> Floats:
    """Sorted values at evenly spaced places, the first and the last among them, where there are too many to draw."""
    if len(values) <= most:
        return values
    kept: Floats = values[np.linspace(0, len(values) - 1, most).round().astype(np.intp)]
    return kept


def admitted(panels: Sequence[Panel]) -> tuple[list[Panel], list[Panel], list[str]]:
    """The panels whose intervals there is room for, those whose queries there is, and sentences on what is left out."""
    notes = []
    if len(panels) > MOST_INTERVALS:
        notes.append(f"Only the first {MOST_INTERVALS} of {len(panels)} differences are drawn.")
    if len(panels) > MOST_BARS:
        notes.append(f"Single queries are drawn for the first {MOST_BARS} of {len(panels)}.")
    return list(panels[:MOST_INTERVALS]), list(panels[:MOST_BARS]), notes


NARROWEST = 40

_LEAST = 12
"""Columns that intervals have at least."""

_ROWS = 4
"""Lines on either side of zero that bars are drawn in."""

_WIDEST_BAR = 3

_MANY = 1000
"""From here on nobody reads four decimals."""


def text(panels: Sequence[Panel], caption: str, width: int = 80) -> str:
    """The figure in lines of no more than `width` columns, or `NARROWEST` where there are fewer."""
    width = max(width, NARROWEST)
    intervals, bars, notes = admitted(panels)
    blocks = [_intervals(measure, group, width) for measure, group in by_measure(intervals).items()]
    for measure, group in by_measure(bars).items():
        most = reach(group)
        blocks += [_bars(measure, panel, most, width) for panel in group]
    blocks.append(line for sentence in (caption, *notes) for line in textwrap.wrap(sentence, width))
    return "\n".join("\n".join(line.rstrip() for line in block) + "\n" for block in blocks)


# Means with their intervals


def _intervals(measure: str, panels: list[Panel], width: int) -> Iterator[str]:
    margin = panels[0].margin
    shade = f"; ░ within {margin:g}" if margin is not None else ""
    yield from textwrap.wrap(f"{measure}, {subject(panels)}{shade}", width)
    labels = [label(panel, panels) for panel in panels]
    numbers = [_numbers(panel) for panel in panels]
    indent, end = max(map(len, labels)), max(map(len, numbers))
    apart = indent > width // 3 or indent + end + 4 > width - _LEAST  # then what is long stands above its interval
    indent = 0 if apart else indent
    scale = _Columns(*span(panels), width - 2 - indent - (0 if apart else end + 2))
    for name, panel, number in zip(labels, panels, numbers, strict=True):
        if apart:
            yield from textwrap.wrap(f"{name}  {number}", width, break_on_hyphens=False)
            yield f"  {_interval(panel, scale)}"
        else:
            yield f"{name:{indent}}  {_interval(panel, scale)}  {number}"
    yield f"{'':{indent}}  {_axis(scale, margin)}"


def _axis(scale: _Columns, margin: float | None) -> str:
    """Zero, and what is within the margin of it."""
    line = [" "] * scale.columns
    if margin is not None:
        first, last = scale.place(-margin), scale.place(margin)
        line[first : last + 1] = "░" * (last + 1 - first)
    line[scale.place(0.0)] = "0"
    return "".join(line)


class _Columns:
    """Numbers to columns."""

    def __init__(self, low: float, high: float, columns: int) -> None:
        self.low, self.columns = low, max(columns, 3)
        self.step = (high - low) / (self.columns - 1) or 1.0

    def place(self, value: float) -> int:
        return min(max(round((value - self.low) / self.step), 0), self.columns - 1)


def _interval(panel: Panel, scale: _Columns) -> str:
    line = [" "] * scale.columns
    line[scale.place(0.0)] = "│"
    if panel.interval is not None:
        first, last = map(scale.place, panel.interval)
        line[first : last + 1] = "─" * (last + 1 - first)
        if first <= scale.place(0.0) <= last:
            line[scale.place(0.0)] = "┼"
        line[first], line[last] = "├", "┤"
    if math.isfinite(panel.mean):
        line[scale.place(panel.mean)] = "●"
    return "".join(line)


def _numbers(panel: Panel) -> str:
    if not math.isfinite(panel.mean):
        return panel.endless
    interval = panel.interval
    return f"{_signed(panel.mean)}" + (f" [{_signed(interval[0])}, {_signed(interval[1])}]" if interval else "")


def _signed(value: float) -> str:
    if abs(value) >= _MANY:
        return f"{value:+.6g}"
    return f"{value:+.4f}" if round(value, 4) else " 0.0000"


# Single queries


def _bars(measure: str, panel: Panel, most: float, width: int) -> Iterator[str]:
    yield from textwrap.wrap(f"{measure}, {pair(panel)}", width, break_on_hyphens=False)
    yield from textwrap.wrap(panel.counts, width)
    values = panel.finite
    if not len(values):
        return
    if not values.any():
        yield f"{panel.still.capitalize()}."
        return
    yield from bars(values, most, width)


def bars(values: Floats, most: float, width: int) -> Iterator[str]:
    """Sorted bars or others, of which the highest could be `most`, in a few lines above and below zero.

    They take the whole width where they are many, or as much as they need.
    """
    margin = max(len(_short(most * row / _ROWS)) for row in range(-_ROWS, _ROWS + 1)) + 1
    heights = _heights(values, most, width - margin - 1)
    rows = range(_height(heights.max()), -_height(-heights.min()) - 1, -1)
    for row in rows:
        if row == 0:
            yield f"{'0':>{margin}}┼{'─' * len(heights)}"
        else:
            mark = _short(most * row / _ROWS) if row in (rows[0], rows[-1]) else ""
            cells = "".join(_block(height, row) for height in heights.tolist())
            yield f"{mark:>{margin}}┤{cells}" if mark else f"{'':{margin}}│{cells}"


def _heights(values: Floats, most: float, columns: int) -> Floats:
    """The height of each column, in half lines: bars of several columns, with gaps, where there are few queries."""
    heights = thinned(values, columns) / most * 2 * _ROWS
    whole = np.where(heights > 0, np.ceil(heights - 0.5), np.floor(heights + 0.5))
    whole = np.where((whole == 0) & (heights != 0), np.sign(heights), whole)  # a bar however small the difference
    wide = min(columns // len(whole), _WIDEST_BAR + 1)
    if wide > 1:
        whole = np.repeat(whole, wide)
        whole[wide - 1 :: wide] = 0
    return whole


def _height(half_lines: float) -> int:
    """How many lines bars take."""
    return max(math.ceil(half_lines / 2), 0)


def _block(height: float, row: int) -> str:
    """The sign that a bar has in a line: those above zero count from 1, those below from -1."""
    filled = abs(height) - 2 * (abs(row) - 1) if height * row > 0 else 0
    return "█" if filled >= 2 else ("▄" if row > 0 else "▀") if filled >= 1 else " "


def _short(value: float) -> str:
    return f"{value:+.3g}"
