"""What a figure shows, and how much of it there is room for."""

from __future__ import annotations

from collections.abc import Sequence

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
        """On how many queries the difference is above and below zero, and what is no number."""
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
