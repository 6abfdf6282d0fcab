"""Sakai's topic set size design, and how often a gate fails.

Topic set size design says how many topics a collection needs so that a test or an interval will be as good as is
wanted, from an estimate of the variance: Sakai, Topic Set Size Design, Information Retrieval Journal 19(3), 2016, and
Laboratory Experiments in Information Retrieval, 2018, chapter 6, after Nagata, How to Design the Sample Size, 2003.

Every number of queries is the smallest that is enough and at least 2; None is more than `MOST`, or never.
"""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np

from irev.base.segments import Floats
from irev.statistics import special
from irev.statistics.effects import fewest, power_of
from irev.statistics.rounding import constant


def needed_anova(systems: int, difference: float, variance: float, alpha: float, power: float) -> int | None:
    """Topics with which one-way analysis of variance finds that systems differ, with a chance of at least `power`.

    F has k - 1 and k(n - 1) degrees of freedom and noncentrality λ = n·difference²/(2·variance), the smallest that the
    means can have when the best and the worst are `difference` apart.

    Parameters
    ----------
    systems : int
        k, at least 2.
    difference : float
        Largest less smallest true mean that must not be missed (Sakai's minD).
    variance : float
        Within a system, assumed the same for all.
    """
    if variance <= 0 or difference == 0:
        return None if difference == 0 else 2

    def enough(n: int) -> bool:
        between, within = systems - 1, systems * (n - 1)
        moved = n * difference**2 / (2 * variance)
        missed = float(special.ncfdtr(between, within, moved, special.fdtri(between, within, 1 - alpha)))
        # scipy gives up where a finding is certain.
        return 1 - missed >= power if 0 <= missed <= 1 else moved > between

    return fewest(enough)


Unseen = Callable[[int], float]
"""The error of `intervals.unseen_error` that n queries will have."""


def all_differ(_: int) -> float:
    """No such error."""
    return 0.0


def needed_interval(width: float, variance: float, alpha: float, unseen: Unseen = all_differ) -> int | None:
    """Topics with which the 1 - alpha interval of a paired difference is expected to be at most `width` wide.

    Its width is 2 t √(s²/n + unseen²), with t the quantile 1 - alpha/2 of Student's distribution with n - 1 degrees of
    freedom; the standard deviation s of n normal differences is expected to be σ √(2/(n - 1)) Γ(n/2)/Γ((n - 1)/2).

    Parameters
    ----------
    width : float
        From end to end, above 0 (Sakai's δ).
    variance : float
        σ², of the differences.
    """
    if width <= 0:
        return None

    def enough(n: int) -> bool:
        shrunk = math.sqrt(2 / (n - 1)) * math.exp(math.lgamma(n / 2) - math.lgamma((n - 1) / 2))
        error = math.hypot(shrunk * math.sqrt(variance / n), unseen(n))
        return 2 * float(special.stdtrit(n - 1, 1 - alpha / 2)) * error <= width

    return fewest(enough)


_CUTS = 2_000
"""Equally likely sample deviations that stand for all of them."""


def measured_beyond(n: int, drop: float, limit: float, spread: float) -> float:
    """Chance that the measured drop is larger than the limit: Φ((drop - limit)·√n/spread)."""
    return float(special.ndtr((drop - limit) * math.sqrt(n) / spread))


def shown_beyond(n: int, drop: float, limit: float, spread: float, alpha: float) -> float:
    """Chance that a one-sided t test shows the drop to be larger than the limit; it is alpha where they are equal."""
    return power_of(n, (drop - limit) / spread, alpha, "greater")


def shown_within(n: int, drop: float, limit: float, spread: float, alpha: float, unseen: float = 0.0) -> float:
    """Chance that a one-sided t test, with the error √(s²/n + unseen²), shows the drop to be smaller than the limit;
    where they are equal it is alpha, and less with an error above 0."""
    if not unseen:
        return power_of(n, (limit - drop) / spread, alpha, "greater")
    errors = np.hypot(_deviations(n, spread) / math.sqrt(n), unseen)
    below = limit - float(special.stdtrit(n - 1, 1 - alpha)) * errors
    return float(special.ndtr((below - drop) * math.sqrt(n) / spread).mean())


def _deviations(n: int, spread: float) -> Floats:
    """Equally likely standard deviations of n normal differences."""
    likely = (np.arange(_CUTS) + 0.5) / _CUTS
    return np.asarray(spread * np.sqrt(special.chdtri(n - 1, likely) / (n - 1)))


def sample_variance(values: Floats) -> float | None:
    """Of values as a sample, 0 where they are the same but for rounding; None for fewer than two, where some are not
    finite, and where the squares are too large to be told."""
    if len(values) < 2 or not np.isfinite(values).all():
        return None
    if constant(values):
        return 0.0
    with np.errstate(over="ignore", invalid="ignore"):
        variance = float(values.var(ddof=1))
    return None if math.isnan(variance) else variance
