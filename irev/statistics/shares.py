"""Shares: of how many queries something is true, judged by how many of a sample it is true of."""

from __future__ import annotations

import math

import numpy as np

from irev.base.records import dataclass
from irev.statistics import special

SLACK_OF_CHANCES = 1e-7
"""Chances of tables that differ by less, of themselves, are equal: logarithms of factorials round."""


@dataclass(frozen=True)
class Share:
    """What a sample shows of a share.

    Attributes
    ----------
    count, of : int
        In the sample.
    low, high : float
        The exact one-sided bounds of the share: each is on the wrong side of it with a chance of at most alpha.
    p_below : float
        The p-value of the share being as large as the limit: a small one shows that it is smaller.
    least : float
        The smallest p_below that a sample of this size can have: (1 - limit)^of, where none count.
    """

    count: int
    of: int
    low: float
    high: float
    p_below: float
    least: float


def share(count: int, of: int, limit: float, alpha: float, alike: float = 1.0) -> Share:
    """The exact bounds and test of a binomial share.

    The upper bound u has P(X ≤ count) = alpha for X binomial with `of` trials and chance u, and is 1 where all of the
    sample count; the lower bound l has P(X ≥ count) = alpha, and is 0 where none do. p_below = P(X ≤ count) under the
    limit, so that it is at most alpha exactly where the upper bound is at most the limit.

    Clopper and Pearson, The Use of Confidence or Fiducial Limits Illustrated in the Case of the Binomial, Biometrika
    26(4), 1934.

    Parameters
    ----------
    count, of : int
        `of` is at least 1.
    limit : float
        The share that is tested, between 0 and 1.
    alpha : float
        Level of each bound and of the test, between 0 and 1.
    alike : float
        So many of the sample say as much as one of them alone, 1 or more: numbers are divided by it.
    """
    counted, all_of = count / alike, of / alike
    low = 0.0 if count == 0 else float(special.betaincinv(counted, all_of - counted + 1, alpha))
    high = 1.0 if count == of else float(special.betaincinv(counted + 1, all_of - counted, 1 - alpha))
    if alike == 1:
        return Share(count, of, low, high, float(special.bdtr(count, of, limit)), float(special.bdtr(0, of, limit)))
    below = 1.0 if count == of else float(special.betainc(all_of - counted, counted + 1, 1 - limit))
    return Share(count, of, low, high, below, (1 - limit) ** all_of)


def as_large(first: int, of_first: int, second: int, of_second: int) -> float:
    """Fisher's exact two-sided p of a share being as large in one sample as in another: the chance, given how many
    there are in both, of a table that is no likelier than this one.

    Chances that differ by rounding alone count as equal. Fisher, The Design of Experiments, 1935, section 21; Irwin,
    Tests of Significance for Differences between Percentages Based on Small Numbers, Metron 12(2), 1935.

    Parameters
    ----------
    first, of_first, second, of_second : int
        So many of so many, in each sample.
    """
    both = first + second
    k = np.arange(max(0, both - of_second), min(both, of_first) + 1, dtype=np.float64)
    rest = of_first - k, both - k, of_second - both + k
    log = -(special.gammaln(k + 1) + sum(special.gammaln(each + 1) for each in rest))
    chances = np.exp(log - log.max())
    # The lowest first, so that none is lost among larger ones.
    chances.sort()
    here = math.exp(float(log[first - int(k[0])] - log.max()))
    return min(1.0, float(chances[chances <= here * (1 + SLACK_OF_CHANCES)].sum() / chances.sum()))


def least_as_large(both: int, of_first: int, of_second: int) -> float:
    """The least p that `as_large` can have, of `both` in the two samples together: that of all in one of them, as far
    as it goes."""
    most = min(both, of_first), max(0, both - of_second)
    return min(as_large(first, of_first, both - first, of_second) for first in most)


def lead(wins: float, ties: float, losses: float, reach: float) -> tuple[float, float]:
    """The score interval of (wins - losses)/n, n counting ties too: all Δ that are not `reach` standard errors away,
    these being what they are if Δ is true.

    Without ties it is Wilson's of the share of wins (Probable Inference, the Law of Succession, and Statistical
    Inference, JASA 22, 1927): it holds shares near 0 and 1 as often as others, and has a width where all are wins.
    Tango, Equivalence Test and Confidence Interval for the Difference in Proportions for the Paired-Sample Design,
    Statistics in Medicine 17, 1998.

    Parameters
    ----------
    wins, ties, losses : float
        0 or more each, and together above 0. What is not independent counts for less: as many as independent ones
        would say as much.
    reach : float
        Above 0; 1.96 for a confidence of 95%.
    """
    n, apart = wins + ties + losses, wins - losses

    def away(delta: float) -> float:
        """Standard errors from Δ, squared, with the sign of what is seen less Δ."""
        b = -wins - losses + (2 * n - apart) * delta
        c = -losses * delta * (1 - delta)
        # The likeliest chance of a loss, if Δ is true.
        chance = (math.sqrt(max(b * b - 8 * n * c, 0.0)) - b) / (4 * n)
        variance = n * max(2 * chance + delta - delta * delta, 0.0)
        off = apart - n * delta
        if off * off <= 1e-24 * n * n:
            return 0.0
        return math.copysign(off * off / variance if variance else math.inf, off)

    def end(inside: float, outside: float, sign: int) -> float:
        for _ in range(100):
            middle = (inside + outside) / 2
            if sign * away(middle) <= reach * reach:
                inside = middle
            else:
                outside = middle
        return outside

    return end(apart / n, -1.0, 1), end(apart / n, 1.0, -1)
