"""The mean of values that have weights, Σ w v / Σ w, and how well it is known.

It is a ratio of two sums over the queries, which are a sample; the weight of a query comes with it. Its t interval has
the error of the jackknife, and degrees of freedom by how queries weigh (`irev.statistics.ratios`); where all weigh the
same that is Student's interval of the mean. The bootstrap draws queries with their weights: Efron and Tibshirani, An
Introduction to the Bootstrap, 1993, chapters 13 and 14.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from irev.base.segments import Floats
from irev.statistics.intervals import Interval, corrected_quantiles
from irev.statistics.plan import Plan
from irev.statistics.ratios import around, p_of_zero, ratio
from irev.statistics.resampling import resampled_counts


class MeanByWeights(NamedTuple):
    """A weighted mean.

    Attributes
    ----------
    mean : float or None
        None where no query has a weight above 0, and so is everything else then.
    effective : float or None
        (Σ w)²/Σ w²: so many queries of equal weight would weigh as much (Kish, Survey Sampling, 1965).
    interval : Interval or None
        None where values do not vary, and where one query has all but a millionth of the weight.
    p : float or None
        Two-sided, of a mean of 0, by t.
    """

    mean: float | None
    effective: float | None
    interval: Interval | None
    p: float | None


def weighted_mean(values: Floats, weights: Floats, plan: Plan) -> MeanByWeights:
    """The mean of (n,) values by their weights, which are 0 or more.

    Of the plan count `interval`, `confidence`, and for the bootstrap `samples` and `seed`. Values without a weight do
    not count.
    """
    counts = weights > 0
    values, weights = values[counts], weights[counts]
    found = ratio(values * weights, weights)
    span = around(found, plan.confidence)
    if span is not None and plan.interval != "t":
        sampled = _resampled(values, weights, plan)
        if plan.interval == "percentile":
            low, high = np.quantile(sampled, [(1 - plan.confidence) / 2, (1 + plan.confidence) / 2])
            span = Interval(float(low), float(high))
        else:
            mean, total = float(found.value or 0.0), weights.sum()
            moved = weights * (values - mean) / (total - weights)
            span = corrected_quantiles(sampled, mean, moved, float(np.abs(values).max()), plan.confidence)
    return MeanByWeights(found.value, found.effective, span, p_of_zero(found))


def _resampled(values: Floats, weights: Floats, plan: Plan) -> Floats:
    """Weighted means of queries that were drawn again."""
    both = np.stack([values * weights, weights], axis=1)
    sums = np.concatenate([times @ both for times in resampled_counts(len(values), plan.samples, plan.seed)])
    return np.asarray(sums[:, 0] / sums[:, 1], dtype=np.float64)
