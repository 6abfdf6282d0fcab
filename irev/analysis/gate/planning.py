"""Planning a gate: how often each condition on a drop turns red, for drops that are known.

The chances are those of normal differences. Their spread comes from runs that were measured, or is given.
"""

from __future__ import annotations

import math
from collections.abc import Iterator

from irev.analysis.comparison.alignment import Aligned
from irev.analysis.comparison.contrasts import differences_of, pairs_of
from irev.base.records import dataclass
from irev.errors import UsageError
from irev.statistics import drops
from irev.statistics.variance import sample_variance


@dataclass(frozen=True)
class Planned:
    """A gate.

    Attributes
    ----------
    allowed : float
        The drop that it allows, 0 or more.
    drop : float or None
        The true drop that is asked about; None for some that suit `allowed`.
    queries : int or None
        How many; None for as many as were measured.
    variance : float or None
        Of the differences of single queries; None for the one that was measured.
    alpha : float
        Level of the tests.
    """

    allowed: float
    drop: float | None = None
    queries: int | None = None
    variance: float | None = None
    alpha: float = 0.05

    @property
    def drops(self) -> tuple[float, ...]:
        """The true drops that are asked about."""
        if self.drop is not None:
            return (self.drop,)
        return tuple(times * (self.allowed or 0.01) for times in (0.0, 0.5, 1.0, 2.0, 3.0, 5.0))


@dataclass(frozen=True)
class Chance:
    """How often a gate turns red.

    Attributes
    ----------
    measure, baseline, run : str
        What was measured; empty without runs.
    queries : int
    variance : float or None
        Of the differences of single queries; None where it is not known.
    drop : float
        The true drop.
    by_value : float or None
        Chance that ``--max-drop`` fails; None, here and below, where the variance is 0 or not known, or there are
        fewer than two queries.
    significant : float or None
        The same with ``--significant``.
    any_drop : float or None
        The same with ``--any-drop``, too.
    no_worse : float or None
        Chance that ``--no-worse-than`` does not hold.
    """

    measure: str
    baseline: str
    run: str
    queries: int
    variance: float | None
    drop: float
    by_value: float | None = None
    significant: float | None = None
    any_drop: float | None = None
    no_worse: float | None = None


def from_variance(planned: Planned) -> list[Chance]:
    """The chances of a gate without any data.

    Raises
    ------
    UsageError
        Without a variance, or a number of queries.
    """
    if planned.variance is None:
        raise UsageError("without runs a variance is needed", remedy="give --variance, or judgments and runs")
    if planned.queries is None:
        raise UsageError("without runs a number of queries is needed", remedy="give --number, or judgments and runs")
    return list(_chances(planned, ("", "", ""), planned.queries, planned.variance))


def from_runs(aligned: Aligned, baseline: int | None, planned: Planned) -> list[Chance]:
    """The chances of a gate for runs that differ as these do, under every measure.

    Raises
    ------
    UsageError
        For one run alone.
    """
    if len(aligned.runs) < 2:
        raise UsageError("there is nothing to compare", remedy="give at least two runs")
    pairs = pairs_of(len(aligned.runs), baseline)
    found: list[Chance] = []
    for measured in aligned.measured:
        for (base, run), differences in zip(pairs, differences_of(measured.values, pairs).T, strict=True):
            about = (measured.quantity.standard, aligned.runs[base], aligned.runs[run])
            variance = sample_variance(differences) if planned.variance is None else planned.variance
            found += _chances(planned, about, planned.queries or len(differences), variance)
    return found


def _chances(planned: Planned, about: tuple[str, str, str], queries: int, variance: float | None) -> Iterator[Chance]:
    for drop in planned.drops:
        if not variance or not math.isfinite(variance) or queries < 2:
            yield Chance(*about, queries, variance, drop)
            continue
        asked = (queries, drop, planned.allowed, math.sqrt(variance))
        yield Chance(
            *about,
            queries,
            variance,
            drop,
            drops.measured_beyond(*asked),
            drops.shown_beyond(*asked, planned.alpha),
            drops.shown_and_measured_beyond(*asked, planned.alpha),
            1 - drops.shown_within(*asked, planned.alpha),
        )
