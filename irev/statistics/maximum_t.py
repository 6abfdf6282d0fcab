"""The maximum-t method: many paired t tests at once, by the signs of whole queries.

If chance alone sets runs apart, the differences of a query could as well all have the other sign. The signs of whole
queries are flipped, for all pairs of runs together, so that pairs depend on each other as they do in the data; what
chance makes of the largest of all t is what the observed ones are compared with. Each pair is measured in its own
standard error, so that a run that is far off, or two that are nearly the same, hide nothing from the others.

Westfall and Young, Resampling-Based Multiple Testing, 1993 (maximum statistics, step-down); Romano and Wolf, Exact and
Approximate Stepdown Methods for Multiple Hypothesis Testing, JASA 100, 2005; for signs, Fisher's test of
`irev.statistics.paired.randomization`.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np

from irev.base.segments import Floats
from irev.statistics.paired import least_of_signs
from irev.statistics.plan import Plan
from irev.statistics.resampling import BLOCK, all_flipped_sums, flipped_sums
from irev.statistics.rounding import SLACK, restored, scaled

ColumnPairs = Sequence[tuple[int, int]]
"""Columns: a baseline and a run."""


TOGETHER = 1 << 22
"""So many differences are held at once."""


def adjusted(values: Floats, pairs: ColumnPairs, plan: Plan) -> Floats:
    """Adjusted p-values: of all pairs that do not differ, the chance of finding any different at a level is that level.

    t_j = mean/(s/√n) of the differences of pair j, and T_j the same after flipping the signs of queries. In the order
    of the t, the largest first, the p of the first pair is the share of flips in which the largest T of all pairs
    reaches its t; that of the next, the share in which the largest T but that of the first does, and so on; none is
    less than the one before it (step-down). With k queries on which any pair differs there are 2^k flips; when these
    are no more than the samples of the plan all are counted, otherwise p = (b + 1)/(m + 1) for b of m random ones.
    Those that equal the observed t but for rounding count as equal.

    The level holds where the differences of a query are symmetric about 0 together, and nearly where queries are many.

    Parameters
    ----------
    values : (n, k) array
        One row per query, finite, and near enough in size to be squared.
    pairs : sequence of (int, int)
        The differences are those of the second column minus the first.
    plan : Plan
        Its `alternative`, `samples` and `seed`.

    Returns
    -------
    (len(pairs),) array
        In the order of the pairs; 1 for one that never differs.
    """
    shares = _Shares(values, pairs)
    observed = shares.of(values.sum(axis=0)[None])[0]
    towards = {"two-sided": np.abs, "greater": np.positive, "less": np.negative}[plan.alternative]
    order = np.argsort(-towards(observed), kind="stable")
    reached = (towards(observed) - shares.slack)[order]
    beyond, flips = np.zeros(len(order), dtype=np.int64), 0
    for flipped in shares.flipped(plan):
        # The largest of those that come later in the order, itself included.
        largest = np.maximum.accumulate(towards(flipped)[:, order[::-1]], axis=1)[:, ::-1]
        beyond += (largest >= reached).sum(axis=0)
        flips += len(flipped)
    p = np.empty(len(order))
    p[order] = np.maximum.accumulate(beyond / flips if shares.exact(plan) else (beyond + 1) / (flips + 1))
    return p


def least(values: Floats, pairs: ColumnPairs, plan: Plan) -> float:
    """The smallest p that `adjusted` can give for so many queries that differ: all differences of a pair have one sign,
    and of all flips only that, and two-sided its opposite, reach as far."""
    shares = _Shares(values, pairs)
    if shares.exact(plan):
        return least_of_signs(len(shares.moving), plan.alternative)
    return 1 / (plan.samples + 1)


def method(values: Floats, pairs: ColumnPairs, plan: Plan) -> str:
    """How `adjusted` knows: ``100,000 joint sign flips, seed 0``, or ``exact over 2^7 joint sign flips``."""
    shares = _Shares(values, pairs)
    if shares.exact(plan):
        return f"exact over 2^{len(shares.moving)} joint sign flips"
    return f"{plan.samples:,} joint sign flips, seed {plan.seed}"


class _Shares:
    """Sums of differences as shares of the largest that they could be: Σ d/√(n Σ d²), from -1 to 1.

    Σ d² is the same whatever the signs, so that t = share·√((n - 1)/(1 - share²)) rises with the share.
    """

    def __init__(self, values: Floats, pairs: ColumnPairs) -> None:
        self.first, self.second = (np.array(side, dtype=np.intp) for side in (*zip(*pairs, strict=True),))
        sizes = np.abs(values)
        moving, norm = np.zeros(len(values), dtype=bool), np.empty(len(self.first))
        step = max(1, TOGETHER // max(len(values), 1))  # pairs: all differences may be far more than the values
        for begin in range(0, len(norm), step):
            first, second = self.first[begin : begin + step], self.second[begin : begin + step]
            differences = values[:, second] - values[:, first]
            # Equal values of which one rounded differently are no difference.
            differences[np.abs(differences) <= SLACK * np.maximum(sizes[:, first], sizes[:, second])] = 0.0
            moving |= differences.any(axis=1)
            small, exponents = scaled(differences)
            norm[begin : begin + step] = restored(np.sqrt(len(values) * (small**2).sum(axis=0)), exponents)
        self.moving = values[moving]
        self.scale = np.divide(1.0, norm, where=norm > 0, out=np.zeros_like(norm))
        total = sizes.sum(axis=0)
        self.slack = SLACK * (total[self.first] + total[self.second]) * self.scale

    def of(self, sums: Floats) -> Floats:
        """(…, pairs) from sums (…, k) of the columns."""
        return (sums[:, self.second] - sums[:, self.first]) * self.scale

    def exact(self, plan: Plan) -> bool:
        """Whether all flips are no more than the samples."""
        return len(self.moving) < plan.samples.bit_length()

    def flipped(self, plan: Plan) -> Iterator[Floats]:
        """The shares after flipping, (block, pairs) at a time."""
        exact = self.exact(plan)
        blocks = all_flipped_sums(self.moving) if exact else flipped_sums(self.moving, plan.samples, plan.seed)
        rows = max(1, BLOCK // len(self.scale))
        for sums in blocks:
            for begin in range(0, len(sums), rows):
                yield self.of(sums[begin : begin + rows])
