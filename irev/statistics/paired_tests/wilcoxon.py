"""Wilcoxon's signed-rank test of paired differences."""

from __future__ import annotations

import math

import numpy as np

from irev.base.segments import Bools, Floats
from irev.base.text import counted
from irev.statistics import special
from irev.statistics.paired import NO_DIFFERENCE, PairedTest, TestResult, least_of_signs, tail
from irev.statistics.plan import Plan
from irev.statistics.rounding import begins, tied

SMALL = 50
"""Up to so many non-zero differences, p is exact unless asked otherwise."""

MOST = 2_000_000_000
"""More additions than these, a second or two of them, are not spent on an exact p: it is the normal one's by then."""


def wilcoxon(differences: Floats, plan: Plan) -> list[TestResult]:
    """Are the differences symmetric about 0? The statistic W is the sum of the ranks of the positive ones.

    Differences are ranked by size, the smallest first; equal ones share the mean of their ranks, and those that are
    equal but for rounding are equal. A difference is zero when its size is at most the plan's `tie_tolerance`, and
    `zeros` says what happens to those: ``drop``, before ranking (Wilcoxon); ``pratt``, after ranking; ``split``, half
    of their ranks count as positive.

    With up to 50 non-zero differences, p is exact: the distribution of W over all signs of the non-zero ranks, ties
    or not (split zeros only move it, so that exact p is the same as Pratt's). With more it is from the normal
    distribution, corrected for ties, not for continuity (as R's `wilcox.test` is with `correct=FALSE`); there split
    zeros widen the distribution as tied ranks do. `wilcoxon` asks for either.

    What is tested is not the mean. With thousands of queries it finds differences that are of no consequence, and some
    that are of shape alone.

    Wilcoxon, Individual Comparisons by Ranking Methods, Biometrics Bulletin 1(6), 1945; Pratt, Remarks on Zeros and
    Ties in the Wilcoxon Signed Rank Procedures, JASA 54, 1959; Cureton, The Normal Approximation to the Signed-Rank
    Sampling Distribution when Zero Differences are Present, JASA 62, 1967.
    """
    return [_column(column, plan) for column in differences.T]


def _column(column: Floats, plan: Plan) -> TestResult:
    zero = tied(column, plan.tie_tolerance)
    zeros = int(zero.sum())
    if zeros == len(column):
        return TestResult(0.0, 1.0, "not tested", NO_DIFFERENCE)
    if plan.zeros == "drop":
        column, zero = column[~zero], np.zeros(len(column) - zeros, dtype=np.bool_)
    ranks = _ranks(column, zero)
    nonzero, positive = ranks[~zero], float(ranks[~zero & (column > 0)].sum())
    split = float(ranks[zero].sum()) / 2 if plan.zeros == "split" else 0.0

    exactly = plan.wilcoxon == "exact" or (plan.wilcoxon == "auto" and len(nonzero) <= SMALL)
    if exactly and len(nonzero) * 2 * float(nonzero.sum()) <= MOST:
        method, (below, above) = "exact", _exact_tails(nonzero, positive)
        least = least_of_signs(len(nonzero), plan.alternative)
    else:
        method = "normal approximation without continuity correction"
        varying = ranks if plan.zeros == "split" else nonzero
        below, above = _normal_tails(positive, nonzero, varying)
        lowest = _normal_tails(0.0, nonzero, varying)[0]  # as far as the highest: both tails are alike
        least = tail(plan.alternative, lowest, lowest)
        if exactly:
            method += f", since {len(nonzero):,} non-zero differences are too many for exact p"
    if zeros:
        handled = {"drop": "dropped", "pratt": "ranked and dropped (Pratt)", "split": "split"}[plan.zeros]
        method += f", {counted(zeros, 'zero')} {handled}"
    return TestResult(positive + split, tail(plan.alternative, below, above), method, least=least)


def _ranks(column: Floats, zero: Bools) -> Floats:
    """Ranks of the sizes, from 1; zeros come first, and equal sizes have the mean of their ranks."""
    sizes = np.where(zero, 0.0, np.abs(column))
    order = np.argsort(sizes, kind="stable")
    ordered = sizes[order]
    starts = np.flatnonzero(begins(ordered))
    if zero.any() and zero.sum() not in starts:  # a size above the tolerance is no zero, however small
        starts = np.sort(np.append(starts, zero.sum()))
    ends = np.append(starts[1:], len(ordered))
    ranks = np.empty(len(ordered))
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


def _normal_tails(positive: float, nonzero: Floats, varying: Floats) -> tuple[float, float]:
    """The same from a normal distribution: mean Σ rank/2 over the non-zero ones, variance Σ rank²/4 over `varying`."""
    z = (positive - float(nonzero.sum()) / 2) / math.sqrt(float((varying**2).sum()) / 4)
    return float(special.ndtr(z)), float(special.ndtr(-z))


TEST = PairedTest("Wilcoxon signed-rank test", "W, the sum of the positive ranks", wilcoxon, of_mean=False)
