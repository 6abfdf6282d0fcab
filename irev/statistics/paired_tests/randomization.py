"""Fisher's randomisation test of paired differences: the signs of the differences flipped."""

from __future__ import annotations

import numpy as np

from irev.base.segments import Floats
from irev.statistics.paired import PairedTest, TestResult, as_extreme, least_of_signs, resampled
from irev.statistics.plan import Plan
from irev.statistics.resampling import flipped_sums
from irev.statistics.rounding import SLACK, restored, scaled


def randomization(differences: Floats, plan: Plan) -> list[TestResult]:
    """If it did not matter which run got which of a query's two values, how often would the means be this far apart?

    Each difference keeps its sign or loses it, by a fair coin; the statistic is the mean. With k differences that are
    not 0, there are 2^k outcomes. When these are no more than the samples of the plan, all are counted and p is exact;
    otherwise p = (b + 1)/(m + 1), when b of m random outcomes are at least as extreme as the observed one. Outcomes
    that equal it but for rounding count as equal. Assumes nothing of how differences are distributed.

    Fisher, The Design of Experiments, 1935; for retrieval, Smucker, Allan and Carterette, A Comparison of Statistical
    Significance Tests for Information Retrieval Evaluation, CIKM 2007.
    """
    small, exponents = scaled(differences)
    sums, slack = small.sum(axis=0), SLACK * np.abs(small).sum(axis=0)
    means = restored(small.mean(axis=0), exponents).tolist()
    several = np.count_nonzero(small, axis=0) >= plan.samples.bit_length()  # 2^k is more than the samples
    beyond = np.zeros(len(sums), dtype=np.int64)
    if several.any():
        for flipped in flipped_sums(small[:, several], plan.samples, plan.seed):
            beyond[several] += as_extreme(flipped, sums[several], slack[several], plan.alternative).sum(axis=0)
    return [
        resampled(mean, int(beyond[i]), plan, "sign flips")
        if several[i]
        else _exact(small[:, i], float(sums[i]), float(slack[i]), mean, plan.alternative)
        for i, mean in enumerate(means)
    ]


def _exact(column: Floats, observed: float, slack: float, mean: float, alternative: str) -> TestResult:
    """All 2^k outcomes. Each is a sum over the first half of the differences plus one over the second, so that 2^(k/2)
    sums of either, one of them in order, tell how many outcomes reach any value."""
    column = column[column != 0]
    k = len(column)
    first, second = _signed_sums(column[: k // 2]), np.sort(_signed_sums(column[k // 2 :]))

    def at_least(value: float) -> float:
        return float((len(second) - np.searchsorted(second, value - first)).sum()) / 2.0**k

    # Outcomes lie symmetrically about 0.
    if alternative == "two-sided":
        reached = abs(observed) - slack
        p = 2 * at_least(reached) if reached > 0 else 1.0
    else:
        p = at_least((observed if alternative == "greater" else -observed) - slack)
    return TestResult(mean, p, f"exact over 2^{k} sign flips", least=least_of_signs(k, alternative))


def _signed_sums(values: Floats) -> Floats:
    """±v_1 ± v_2 …, for all signs."""
    sums = np.zeros(1)
    for value in values:
        sums = np.concatenate([sums - value, sums + value])
    return sums


TEST = PairedTest("randomisation test", "mean difference", randomization, sampled=True)
