"""Wilcoxon's signed-rank test of paired differences."""

from __future__ import annotations

import math

import numpy as np

from irev.base.segments import Floats
from irev.base.text import counted
from irev.statistics import special
from irev.statistics.paired import PairedTest, TestResult, least_of_signs, tail
from irev.statistics.plan import Plan
from irev.statistics.rounding import begins

SMALL = 50
"""Up to so many non-zero differences, p is exact."""


def wilcoxon(differences: Floats, plan: Plan) -> list[TestResult]:
    """Are the differences symmetric about 0? The statistic W is the sum of the ranks of the positive ones.

    Zeros are dropped. The other differences are ranked by size, the smallest first; equal ones share the mean of their
    ranks, and those that are equal but for rounding are equal.

    With up to 50 differences, p is exact: the distribution of W over all signs of the ranks, ties or not. With more it
    is from the normal distribution, corrected for ties, not for continuity (as R's `wilcox.test` is with
    `correct=FALSE`).

    What is tested is not the mean. With thousands of queries it finds differences that are of no consequence, and some
    that are of shape alone.

    Wilcoxon, Individual Comparisons by Ranking Methods, Biometrics Bulletin 1(6), 1945.
    """
    return [_column(column, plan) for column in differences.T]


def _column(column: Floats, plan: Plan) -> TestResult:
    different = column[column != 0]
    ranks = _ranks(np.abs(different))
    positive = float(ranks[different > 0].sum())
    if len(ranks) <= SMALL:
        method, (below, above) = "exact", _exact_tails(ranks, positive)
        least = least_of_signs(len(ranks), plan.alternative)
    else:
        method = "normal approximation without continuity correction"
        below, above = _normal_tails(positive, ranks)
        lowest = _normal_tails(0.0, ranks)[0]  # as far as the highest: both tails are alike
        least = tail(plan.alternative, lowest, lowest)
    if zeros := len(column) - len(ranks):
        method += f", {counted(zeros, 'zero')} dropped"
    return TestResult(positive, tail(plan.alternative, below, above), method, least=least)


def _ranks(sizes: Floats) -> Floats:
    """Ranks from 1; equal sizes have the mean of their ranks."""
    order = np.argsort(sizes, kind="stable")
    starts = np.flatnonzero(begins(sizes[order]))
    ends = np.append(starts[1:], len(sizes))
    ranks = np.empty(len(sizes))
    ranks[order] = np.repeat((starts + ends + 1) / 2, ends - starts)
    return ranks


def _exact_tails(ranks: Floats, positive: float) -> tuple[float, float]:
    """P(W ≤ positive) and P(W ≥ positive) when each rank counts or not, by a fair coin.

    Ranks are whole or halves, so that doubled they are places in the array of all sums.
    """
    doubled = np.rint(2 * ranks).astype(np.int64)
    chance = np.zeros(int(doubled.sum()) + 1)
    chance[0] = 1.0
    reached = 0
    for rank in doubled.tolist():
        half = chance[: reached + 1] / 2
        chance[: reached + 1] = half
        chance[rank : rank + reached + 1] += half
        reached += rank
    place = round(2 * positive)
    # Both sums add the small chances of one tail: 1 - the other would lose what is left of them.
    return min(1.0, float(chance[: place + 1].sum())), min(1.0, float(chance[place:].sum()))


def _normal_tails(positive: float, ranks: Floats) -> tuple[float, float]:
    """The same from a normal distribution: mean Σ rank/2, variance Σ rank²/4."""
    z = (positive - float(ranks.sum()) / 2) / math.sqrt(float((ranks**2).sum()) / 4)
    return float(special.ndtr(z)), float(special.ndtr(-z))


TEST = PairedTest("Wilcoxon signed-rank test", "W, the sum of the positive ranks", wilcoxon, of_mean=False)
