"""Sample-ratio mismatch: whether groups are as large as they were meant to be.

Where they are not, users were lost or counted twice in one group and not in another, and no comparison of the groups
means anything: Fabijan et al., Diagnosing Sample Ratio Mismatch in Online Controlled Experiments, KDD 2019.
"""

from __future__ import annotations

from irev.base.segments import Floats, Ints
from irev.statistics.tested import tail

EXPECTED = 5
"""Fewer members expected of a group are too few for the approximation."""

DRAWN = 50_000
TOGETHER = 1_000_000
"""Groupings that are drawn instead, and how many counts of them are in memory at a time."""

SLACK = 1e-9
"""Sums that differ by less, of themselves, are equal."""


def mismatch(counts: Ints, shares: Floats) -> float:
    """p of groups of such sizes, when each member falls into a group with the chance that is its share.

    Two groups: the exact binomial test, twice the smaller tail and at most 1. More: Pearson's chi-square with k - 1
    degrees of freedom, Σ (count - expected)²/expected, which is an approximation, good where at least about `EXPECTED`
    are expected in each group. Where fewer are, (m + 1)/(n + 1), m of `DRAWN` = n groupings drawn at random, always the
    same, having a sum as large. A chance below 1e-300 or so is 0.

    Parameters
    ----------
    counts : (k,)
        Members of each group, k ≥ 2.
    shares : (k,)
        Above 0; only their proportions count, so that 1 and 1 are halves.
    """
    from irev.statistics.special import bdtr, chdtrc

    n, expected = int(counts.sum()), shares / shares.sum()
    if not n:
        return 1.0
    if len(counts) == 2:
        (one, two), (share, rest) = counts.tolist(), expected.tolist()
        # As many ones or more is as many twos or fewer.
        return tail("two-sided", float(bdtr(one, n, share)), float(bdtr(two, n, rest)))
    expected = expected * n
    apart = float(((counts - expected) ** 2 / expected).sum())
    if expected.min() < EXPECTED:
        return _drawn(n, expected, apart)
    return float(chdtrc(len(counts) - 1, apart))


def _drawn(n: int, expected: Floats, apart: float) -> float:
    """How likely a sum is that is as large, by groupings drawn at random."""
    import numpy as np

    random = np.random.default_rng(0)
    several = max(1, TOGETHER // len(expected))
    found = 0
    for done in range(0, DRAWN, several):
        counts = random.multinomial(n, expected / expected.sum(), min(several, DRAWN - done))
        sums = ((counts - expected) ** 2 / expected).sum(axis=1)
        found += int((sums >= apart * (1 - SLACK)).sum())
    return (found + 1) / (DRAWN + 1)
