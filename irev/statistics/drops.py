"""Drops that are tolerated up to a limit: how often a sample of queries exceeds it, for a true drop that is known.

All of it is for n differences, at least 2, that are normal, with the mean -drop and the standard deviation `spread`,
which is above 0.
"""

from __future__ import annotations

import math

from irev.statistics.power import power_of

_CUTS = 2_000
"""Equally likely sample deviations that stand for all of them."""


def measured_beyond(n: int, drop: float, limit: float, spread: float) -> float:
    """Chance that the measured drop is larger than the limit: Φ((drop - limit)·√n/spread)."""
    from irev.statistics.special import ndtr

    return float(ndtr((drop - limit) * math.sqrt(n) / spread))


def shown_beyond(n: int, drop: float, limit: float, spread: float, alpha: float) -> float:
    """Chance that a one-sided t test shows the drop to be larger than the limit; it is alpha where they are equal."""
    return power_of(n, (drop - limit) / spread, alpha, "greater")


def shown_within(n: int, drop: float, limit: float, spread: float, alpha: float) -> float:
    """Chance that a one-sided t test shows the drop to be smaller than the limit; it is alpha where they are equal."""
    return power_of(n, (limit - drop) / spread, alpha, "greater")


def shown_and_measured_beyond(n: int, drop: float, limit: float, spread: float, alpha: float) -> float:
    """Chance that a one-sided t test shows that there is a drop, and the measured one is larger than the limit.

    For a sample deviation s both hold when the measured drop is beyond max(limit, t·s/√n), with t the quantile 1 -
    alpha of Student's distribution. Mean and deviation of a normal sample are independent, so the chance is that of
    the mean, averaged over s.
    """
    import numpy as np

    from irev.statistics.special import chdtri, ndtr, stdtrit

    likely = (np.arange(_CUTS) + 0.5) / _CUTS
    deviations = spread * np.sqrt(chdtri(n - 1, likely) / (n - 1))
    beyond = np.maximum(limit, float(stdtrit(n - 1, 1 - alpha)) * deviations / math.sqrt(n))
    return float(ndtr((drop - beyond) * math.sqrt(n) / spread).mean())
