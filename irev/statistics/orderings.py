"""How far two orderings of the same items agree, such as runs by two measures.

Both come as values of the items, higher is better; equal values are ties. Every coefficient is 1 for two equal
orderings without ties, and None where it is not defined: fewer than two items, or a value that is not a number.
"""

from __future__ import annotations

import math

import numpy as np

from irev.base.aggregates import mean
from irev.base.segments import Floats, Ints
from irev.statistics.overlap import overlap, places


def kendall_a(a: Floats, b: Floats) -> float | None:
    """Kendall's τ_a = (C - D)/(n(n - 1)/2), with C pairs of items in the same order and D in opposite orders.

    From -1 to 1. A pair that ties on either side counts as neither, so that ties bring it nearer to 0.

    Kendall, A New Measure of Rank Correlation, Biometrika 30, 1938.
    """
    ranks = _ranks(a, b)
    if ranks is None:
        return None
    same, _, _ = _pairs(*ranks)
    n = len(a)
    return same / (n * (n - 1) / 2)


def kendall_b(a: Floats, b: Floats) -> float | None:
    """Kendall's τ_b = (C - D)/√(pairs that do not tie in a · pairs that do not tie in b).

    From -1 to 1. None where all items tie on one side.

    Kendall, The Treatment of Ties in Ranking Problems, Biometrika 33, 1945.
    """
    ranks = _ranks(a, b)
    if ranks is None:
        return None
    same, apart_a, apart_b = _pairs(*ranks)
    return same / math.sqrt(apart_a * apart_b) if apart_a and apart_b else None


def tau_ap_one_way(truth: Floats, estimate: Floats) -> float | None:
    """AP correlation of an estimate with the true ordering, which weighs disagreement at the top of the estimate more.

    For each item of the estimate that is not among those tied at the top, the share of the items above it, its ties
    apart, that the truth has above it as well; the mean of these, doubled, less 1. From -1 to 1; the other way round it
    has another value. None where all items tie on one side.

    Yilmaz, Aslam and Robertson, A New Rank Correlation Coefficient for Information Retrieval, SIGIR 2008. Ties, which
    they have not, are as in `tau_ap`.
    """
    ranks = _ranks(estimate, truth)
    return None if ranks is None else _toward(*ranks)


def tau_ap(a: Floats, b: Floats) -> float | None:
    """AP correlation of two orderings of which neither is the true one: the mean of both ways, τ_ap,b.

    Urbano and Marrero, The Treatment of Ties in AP Correlation, ICTIR 2017, whose the ties are.
    """
    one, other = tau_ap_one_way(a, b), tau_ap_one_way(b, a)
    return None if one is None or other is None else (one + other) / 2


def rbo(a: Floats, b: Floats, p: float = 0.9) -> float | None:
    """Rank-biased overlap, extrapolated: RBO_ext = (1 - p) Σ_d p^(d-1) X_d/d + p^n, for depths d from 1 to n.

    X_d is how many of the n items stand among the first d of both; below depth n the agreement is taken to stay what it
    is there, which is complete. p, at least 0 and below 1, is the chance that a reader goes on to the next depth. From
    `least_rbo`, which is far from 0 for few items, to 1. Tied items stand in any order with the same chance,
    independently in both orderings, and X_d is what is expected then; so that an ordering with ties does not agree with
    itself completely.

    Webber, Moffat and Zobel, A Similarity Measure for Indefinite Rankings, ACM Transactions on Information Systems
    28(4), 2010; the ties are RBO^a of Corsi and Urbano, The Treatment of Ties in Rank-Biased Overlap, SIGIR 2024.
    """
    ranks = _ranks(a, b)
    if ranks is None:
        return None
    ordered = [np.argsort(-side, kind="stable") for side in ranks]
    one, other = (places(-np.sort(-side).astype(np.float64)) for side in ranks)
    everything = np.argsort(ordered[0]), np.argsort(ordered[1])
    return overlap(one, other, everything, p).extrapolated


def least_rbo(n: int, p: float = 0.9) -> float | None:
    """The least that `rbo` can be for n items: that of an ordering and its reverse, X_d = max(0, 2d - n)."""
    if n < 2:
        return None
    return (1 - p) * math.fsum(p ** (d - 1) * max(0, 2 * d - n) / d for d in range(1, n + 1)) + p**n


def _ranks(a: Floats, b: Floats) -> tuple[Ints, Ints] | None:
    """Dense ranks of both, the highest value last; None where nothing can be said."""
    if len(a) < 2 or np.isnan(a).any() or np.isnan(b).any():
        return None
    return np.unique(a, return_inverse=True)[1], np.unique(b, return_inverse=True)[1]


def _pairs(a: Ints, b: Ints) -> tuple[int, int, int]:
    """Pairs in the same order less those in opposite orders; pairs that do not tie in a; in b."""
    same = apart_a = apart_b = 0
    for i in range(1, len(a)):
        in_a, in_b = np.sign(a[:i] - a[i]), np.sign(b[:i] - b[i])
        same += int(in_a @ in_b)
        apart_a += int(np.count_nonzero(in_a))
        apart_b += int(np.count_nonzero(in_b))
    return same, apart_a, apart_b


def _toward(reference: Ints, other: Ints) -> float | None:
    """AP correlation of `other` with the reference."""
    if not np.ptp(reference) or not np.ptp(other):
        return None
    shares = []
    for i in np.flatnonzero(reference < reference.max()):
        above = reference > reference[i]
        shares.append(np.count_nonzero(above & (other > other[i])) / np.count_nonzero(above))
    return 2 * mean(np.array(shares)) - 1
