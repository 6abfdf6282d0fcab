"""Sample-ratio mismatch: whether groups are as large as they were meant to be.

Where they are not, users were lost or counted twice in one group and not in another, and no comparison of the groups
means anything: Fabijan et al., Diagnosing Sample Ratio Mismatch in Online Controlled Experiments, KDD 2019.
"""

from __future__ import annotations

import math

import numpy as np

from irev.base.segments import Floats, Ints
from irev.statistics import special
from irev.statistics.paired import tail

EXPECTED = 50
"""Fewer members expected of a group are too few for the approximation: with 5 expected of some groups, chi-square has
p ≤ 0.001 in 3 of 1,000 splits, with 50 in 1.2."""

STATES = 200_000
"""Counts of all groups but two are gone through, where there are no more ways than so many."""

UNLIKELY = 1e-300
"""Counts of a group that are less likely, given those before, are left out."""

DRAWN = 50_000
TOGETHER = 1_000_000
"""Groupings that are drawn instead, and how many counts of them are in memory at a time."""

SLACK = 1e-9
"""Sums that differ by less, of themselves, are equal."""


def mismatch(counts: Ints, shares: Floats) -> float:
    """p of groups of such sizes, when each member falls into a group with the chance that is its share.

    Two groups: the exact binomial test, twice the smaller tail and at most 1. More: the chance of a sum Σ (count -
    expected)²/expected that is as large, Pearson's. It is exact, of the multinomial distribution, where the counts of
    all groups but the two largest can be gone through in `STATES`, as those of three groups nearly always can. Else it
    is that of chi-square with k - 1 degrees of freedom where `EXPECTED` or more are expected in each group, and else
    (m + 1)/(n + 1), m of `DRAWN` = n groupings drawn at random, always the same, having a sum as large. A chance below
    1e-300 or so is 0.

    Parameters
    ----------
    counts : (k,)
        Members of each group, k ≥ 2.
    shares : (k,)
        Above 0; only their proportions count, so that 1 and 1 are halves.
    """
    n, expected = int(counts.sum()), shares / shares.sum()
    if not n:
        return 1.0
    if len(counts) == 2:
        (one, two), (share, rest) = counts.tolist(), expected.tolist()
        # As many ones or more is as many twos or fewer.
        return tail("two-sided", float(special.bdtr(one, n, share)), float(special.bdtr(two, n, rest)))
    expected = expected * n
    apart = float(((counts - expected) ** 2 / expected).sum())
    exact = _exact(n, np.sort(expected), apart)
    if exact is not None:
        return exact
    if expected.min() < EXPECTED:
        return _drawn(n, expected, apart)
    return float(special.chdtrc(len(counts) - 1, apart))


def _exact(n: int, expected: Floats, apart: float) -> float | None:
    """The chance of a sum as large; None where there are too many ways. Groups come with the smallest first."""
    bound = apart * (1 - SLACK)
    left, chance, sums = np.array([n]), np.ones(1), np.zeros(1)
    for place in range(len(expected) - 2):
        share = expected[place] / expected[place:].sum()
        # Members that may be in this group, whatever the groups before it have.
        most = _most(n, share)
        if len(left) * (most + 1) > STATES:
            return None
        k = np.arange(most + 1)
        of, count = np.repeat(np.arange(len(left)), len(k)), np.tile(k, len(left))
        chances = chance[of] * _binomial(count, left[of], share)
        kept = chances > UNLIKELY
        of, count, chance = of[kept], count[kept], chances[kept]
        left, sums = left[of] - count, sums[of] + (count - expected[place]) ** 2 / expected[place]
    one, two = expected[-2:]
    # Of the last two groups: sums are as large where the count of the first is at most one root, or at least the other.
    curve, middle = 1 / one + 1 / two, left / two
    inside = middle**2 - curve * (one + (left - two) ** 2 / two - (bound - sums))
    off = np.sqrt(np.maximum(inside, 0))
    low, high = np.floor((middle - off) / curve), np.ceil((middle + off) / curve)
    share = one / (one + two)
    below = np.where(low < 0, 0.0, special.bdtr(np.clip(low, 0, left), left, share))
    above = np.where(high > left, 0.0, special.bdtr(np.clip(left - high, 0, left), left, 1 - share))
    tails = np.where((inside <= 0) | (low >= high), 1.0, np.minimum(below + above, 1.0))
    return min(1.0, float((chance * tails).sum()))


def _most(n: int, share: float) -> int:
    """A count that hardly any binomial number exceeds: by Bernstein's inequality, with a chance of `UNLIKELY`."""
    size = -math.log(UNLIKELY)
    return min(n, math.ceil(n * share + size / 3 + math.sqrt(size**2 / 9 + 2 * size * n * share * (1 - share))))


def _binomial(count: Ints, n: Ints, share: float) -> Floats:
    """The chance of so many of n."""
    count = np.where(count <= n, count, -1)
    known = np.maximum(count, 0)
    log = special.gammaln(n + 1.0) - special.gammaln(known + 1.0) - special.gammaln(n - known + 1.0)
    log += known * math.log(share) + (n - known) * math.log1p(-share)
    chances: Floats = np.where(count < 0, 0.0, np.exp(log))
    return chances


def least(n: int, shares: Floats) -> float:
    """The least p of n members: where all are in the group with the smallest share."""
    return mismatch(np.where(np.arange(len(shares)) == np.argmin(shares), n, 0), shares)


def _drawn(n: int, expected: Floats, apart: float) -> float:
    """How likely a sum is that is as large, by groupings drawn at random."""
    random = np.random.default_rng(0)
    several = max(1, TOGETHER // len(expected))
    found = 0
    for done in range(0, DRAWN, several):
        counts = random.multinomial(n, expected / expected.sum(), min(several, DRAWN - done))
        sums = ((counts - expected) ** 2 / expected).sum(axis=1)
        found += int((sums >= apart * (1 - SLACK)).sum())
    return (found + 1) / (DRAWN + 1)
