"""Sample-ratio mismatch: whether groups are as large as they were meant to be.

Where they are not, users were lost or counted twice in one group and not in another, and no comparison of the groups
means anything: Fabijan et al., Diagnosing Sample Ratio Mismatch in Online Controlled Experiments, KDD 2019.
"""

from __future__ import annotations

from irev.base.segments import Floats, Ints
from irev.statistics.tested import tail


def mismatch(counts: Ints, shares: Floats) -> float:
    """p of groups of such sizes, when each member falls into a group with the chance that is its share.

    Two groups: the exact binomial test, twice the smaller tail and at most 1. More: Pearson's chi-square with k - 1
    degrees of freedom, Σ (count - expected)²/expected, which is an approximation, good where at least about five are
    expected in each group. A chance below 1e-300 or so is 0.

    Parameters
    ----------
    counts : (k,)
        Members of each group, k ≥ 2.
    shares : (k,)
        Above 0; only their proportions count, so that 1 and 1 are halves.
    """
    from scipy.special import bdtr, chdtrc

    n, expected = int(counts.sum()), shares / shares.sum()
    if not n:
        return 1.0
    if len(counts) == 2:
        (one, two), (share, rest) = counts.tolist(), expected.tolist()
        # As many ones or more is as many twos or fewer.
        return tail("two-sided", float(bdtr(one, n, share)), float(bdtr(two, n, rest)))
    expected = expected * n
    return float(chdtrc(len(counts) - 1, ((counts - expected) ** 2 / expected).sum()))
