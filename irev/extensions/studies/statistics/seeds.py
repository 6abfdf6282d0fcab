"""Two systems compared by several runs of each, made with different random seeds.

The value of system s in query q by its run r is μ_s + q + (sq) + r + e, where queries,
what queries do to a system, runs and the rest are random. Of two systems with R runs each on the same n queries the
mean difference then has the variance 2 (σ²_sq / n + σ²_r / R + σ²_e / nR): more queries do nothing for the second term,
and more runs nothing for the first.

Components are those of the balanced analysis of variance, which are REML's where none is below 0: Searle, Casella and
McCulloch, Variance Components, 1992, chapter 4. The quantile is the mean of Student's for queries and for runs, each
weighed by its part of the variance: Cochran and Cox, Experimental Designs, 1957, section 4.14. One system's runs may
vary more than the other's, as against a baseline without seeds; so runs have Welch's degrees of freedom (The
Generalization of "Student's" Problem, Biometrika 34, 1947), from R - 1 to 2 (R - 1). docs/statistics.md has what was
measured (benchmarks/differences.py).
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from irev.base.segments import Floats
from irev.statistics import special
from irev.statistics.rounding import SLACK, restored, scaled


class OverSeeds(NamedTuple):
    """The difference of two systems over all runs that there could be.

    Attributes
    ----------
    difference : float
        Of the second from the first, in the mean over runs and queries.
    low, high, p : float or None
        Student's interval and p-value; None where nothing varies but by rounding, as where all values differ by the
        same amount, and where a value is not finite.
    of_queries, of_runs, of_rest : float
        Standard deviations: of what queries do to a system, of its runs, and of the rest; 0 where an estimate is below.
    """

    difference: float
    low: float | None
    high: float | None
    p: float | None
    of_queries: float
    of_runs: float
    of_rest: float


def over_seeds(first: Floats, second: Floats, confidence: float = 0.95) -> OverSeeds:
    """The difference of two systems.

    Parameters
    ----------
    first, second : (n, R)
        Values of the same n queries, at least 2, by R runs, at least 2.
    confidence : float

    Notes
    -----
    An estimate below 0 counts as 0, so that the variance is never below that of a paired test of the systems' means.
    """
    n, runs = first.shape
    table = np.stack([first, second])
    if not np.isfinite(table).all():
        return OverSeeds(float(second.mean() - first.mean()), None, None, None, math.nan, math.nan, math.nan)
    exponent = scaled(table.ravel())[1]
    table = np.ldexp(table, -exponent)
    of_query = table.mean(axis=2)
    of_run = table.mean(axis=1)
    of_system = of_run.mean(axis=1)
    difference = float(of_system[1] - of_system[0])
    # What is left by rounding is nothing.
    interaction, apart, rest = (
        np.where(np.abs(spread) > SLACK * np.abs(table).max(), spread, 0.0)
        for spread in (
            of_query - of_query.mean(axis=0) - of_system[:, None] + of_system.mean(),
            of_run - of_system[:, None],
            table - of_query[:, :, None] - of_run[:, None, :] + of_system[:, None, None],
        )
    )
    queries = runs * float((interaction**2).sum()) / (n - 1)
    of_each = n * (apart**2).sum(axis=1) / (runs - 1)
    seeds, error = float(of_each.mean()), float((rest**2).sum()) / (2 * (n - 1) * (runs - 1))
    of_both = float((of_each**2).sum())
    freedom = np.array([n - 1, (runs - 1) * float(of_each.sum()) ** 2 / of_both if of_both else math.inf])
    parts = [max(queries - error, 0.0) / runs, max(seeds - error, 0.0) / n, error]

    def sized(value: float) -> float:
        return float(restored(np.array(value), exponent))

    deviations = [sized(math.sqrt(part)) for part in parts]
    # What is below 0 is taken for 0, in the variance as among the components.
    variances = np.array([queries, max(seeds - error, 0.0)])
    if (variance := float(variances.sum())) <= 0:
        return OverSeeds(sized(difference), None, None, None, *deviations)
    share, spread = variances / variance, math.sqrt(2 * variance / (n * runs))

    def quantile(tail: float) -> float:
        """How many errors from the mean leave so much above."""
        return float((share * -special.stdtrit(freedom, tail)).sum())

    half = quantile((1 - confidence) / 2) * spread
    low, high = -700.0, math.log(0.5)
    for _ in range(80):
        middle = (low + high) / 2
        low, high = (low, middle) if quantile(math.exp(middle)) < abs(difference) / spread else (middle, high)
    ends = sized(difference - half), sized(difference + half)
    fits = all(map(math.isfinite, ends))
    low_end, high_end = (end if fits else None for end in ends)
    return OverSeeds(sized(difference), low_end, high_end, 2 * math.exp(high), *deviations)
