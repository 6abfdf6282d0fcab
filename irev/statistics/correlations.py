"""How far two orderings of the same items agree, such as runs by two measures.

**Orderings** are values of the items, higher is better; equal values are ties. Every coefficient is 1 for two equal
orderings without ties, and None where it is not defined: fewer than two items, or a value that is not a number.

**Rank-biased overlap** is of two rankings that may have different items, end, and have ties. At every depth d the two
agree to some degree A_d, which is weighed by (1 - p) · p^(d-1): p is the chance that a reader who has compared the
first d goes on to depth d + 1. What stands below the end of a ranking is not known, and so there is a lowest and a
highest value, and one in between that takes the agreement to stay what it is at the end. Webber, Moffat and Zobel, A
Similarity Measure for Indefinite Rankings, ACM Transactions on Information Systems 28(4), 2010; for ties Corsi and
Urbano, The Treatment of Ties in Rank-Biased Overlap, SIGIR 2024.
"""

from __future__ import annotations

import math
from typing import Literal, NamedTuple

import numpy as np

from irev.base import segments
from irev.base.segments import Floats, Ints, mean

# Rank-biased overlap


Ties = Literal["a", "b", "w"]
TIES: tuple[Ties, ...] = ("a", "b", "w")
"""How `overlap` treats tied items."""


class Overlap(NamedTuple):
    """The rank-biased overlap of two rankings.

    Attributes
    ----------
    extrapolated : float
        With the agreement below the ends taken to be what it is there, RBO_ext.
    least : float
        With nothing more in common below the ends, RBO_min.
    residual : float
        How much more it could be, RBO_res: RBO_max is the least value and this.
    """

    extrapolated: float
    least: float
    residual: float


class TiedPlaces(NamedTuple):
    """Where the items of a ranking stand, n of them, in its order.

    Attributes
    ----------
    first, last : int (n,)
        First and last rank of those that an item ties with, counting from 1.
    """

    first: Ints
    last: Ints

    def shares(self, depth: Ints | int, ties: Ties) -> Floats:
        """(n,) How far each is among the first `depth`."""
        if ties == "w":
            return np.where(self.first <= depth, 1.0, 0.0)
        shares: Floats = np.clip((depth - self.first + 1) / (self.last - self.first + 1), 0.0, 1.0)
        return shares


def places(score: Floats) -> TiedPlaces:
    """The places of items with these scores, which fall or stay."""
    begins = segments.opens(score)
    group = np.cumsum(begins) - 1
    first = np.flatnonzero(begins)
    return TiedPlaces((first + 1)[group], np.append(first[1:], len(score))[group])


def overlap(one: TiedPlaces, other: TiedPlaces, common: tuple[Ints, Ints], p: float, ties: Ties = "a") -> Overlap:
    """Rank-biased overlap of two rankings.

    Parameters
    ----------
    one, other : TiedPlaces
    common : (int (c,), int (c,))
        Where the items that both have stand in each, counting from 0.
    p : float
        At least 0 and below 1.
    ties : str
        ``a``: an item of a tie stands at each of its ranks with the same chance, and A_d is what is expected over all
        orders of all ties; a ranking with ties does not agree with itself completely. ``b``: that, divided by what
        each has with itself, so that it does. ``w``, of Webber, Moffat and Zobel: tied items stand at the same rank,
        the first of theirs, and A_d is 2 |both| / (|one| + |other|).

    A ranking without items has nothing in common with another: 0, with a residual of 1.
    """
    if len(one.first) > len(other.first):
        one, other, common = other, one, common[::-1]
    s, l = len(one.first), len(other.first)  # noqa: E741 (as in the papers)
    if not s:
        return Overlap(0.0, 0.0, 1.0)
    depth = np.arange(1, l + 1)
    shared = _shared(one, other, common, l, ties)
    size = [_size(one, depth, ties), _size(other, depth, ties)]
    over = np.sqrt(size[0]) * np.sqrt(size[1]) if ties == "b" else (size[0] + size[1]) / 2
    beyond = depth - s

    # Of the items that the longer ranking alone has, the shorter one may have some below its end: in their order.
    alone = np.ones(l, dtype=bool)
    alone[common[1]] = False
    reached, part = _alone(other, alone, depth, ties)
    most = np.minimum(beyond, reached.whole) + np.clip(beyond - reached.whole, 0, reached.partly) * part
    usual = beyond * (shared[s - 1] / over[s - 1]) * _over(reached.whole + reached.partly * part, reached)
    after = beyond > 0
    both = float(shared[-1])
    end = l + s - round(both)  # where all that either has could be in both
    powers = np.cumprod(np.concatenate(([1.0], np.full(end, p))))
    weights = powers[:l]
    least = _sum(shared / over * weights)
    extended = _sum((shared + np.where(after, usual, 0.0)) / over * weights)
    further = _sum(np.where(after, most, 0.0) / over * weights)

    # Below the end of both, where nothing is known of either.
    below = np.arange(l + 1, end + 1)
    nothing_new = both * (-math.log1p(-p) / p - _sum(weights / depth)) if p else 0.0
    extended += (both + (l - s) * shared[s - 1] / over[s - 1]) / l * powers[l] / (1 - p)
    all_new = _sum((2 * below - l - s + both) / below * powers[l:end]) + powers[end] / (1 - p)
    found = extended, least + nothing_new, max(further + all_new - nothing_new, 0.0)
    return Overlap(*(float((1 - p) * each) for each in found))


def _sum(values: Floats) -> float:
    """Added from the first on, so that it is the same on every machine."""
    return float(np.cumsum(values)[-1]) if len(values) else 0.0


class _Reached(NamedTuple):
    """(l,) How many items of some kind are reached at each depth: before the tie at that depth, and in it."""

    whole: Ints
    partly: Ints


def _alone(ranking: TiedPlaces, flags: Ints, depth: Ints, ties: Ties) -> tuple[_Reached, Floats]:
    """How many flagged items are reached at each depth, and the share of the tie at that depth that is."""
    so_far = np.concatenate(([0], np.cumsum(flags)))
    first, last = ranking.first[depth - 1], ranking.last[depth - 1]
    if ties == "w":
        return _Reached(so_far[last], np.zeros_like(depth)), np.ones(len(depth))
    part = (depth - first + 1) / (last - first + 1)
    return _Reached(so_far[first - 1], so_far[last] - so_far[first - 1]), part


def _over(values: Floats, reached: _Reached) -> Floats:
    """The values over how many items are reached at all."""
    count = reached.whole + reached.partly
    quotient: Floats = np.divide(values, count, out=np.zeros(len(values)), where=count > 0)
    return quotient


def _size(ranking: TiedPlaces, depth: Ints, ties: Ties) -> Floats:
    """(l,) How many items a ranking has at each depth; of ``b`` the sum of the squares of their shares. Below its end
    it has one more at each, without a tie."""
    if ties == "a":
        return depth.astype(np.float64)
    within = np.minimum(depth, len(ranking.first))
    first, last = ranking.first[within - 1], ranking.last[within - 1]
    size = last if ties == "w" else first - 1 + (within - first + 1) ** 2 / (last - first + 1)
    return np.where(depth > len(ranking.first), depth, size).astype(np.float64)


def _shared(one: TiedPlaces, other: TiedPlaces, common: tuple[Ints, Ints], length: int, ties: Ties) -> Floats:
    """(l,) What both have at each depth: the sum of the products of shares."""
    first = np.maximum(one.first[common[0]], other.first[common[1]])
    last = np.maximum(one.last[common[0]], other.last[common[1]])
    if ties == "w":
        last = first
    # An item counts in full from its last rank on. Before that, a tied item counts by products of shares, which are
    # the same for all items in the same two ties.
    shared = np.cumsum(np.bincount(last, minlength=length + 1)[1:]).astype(np.float64)
    groups: dict[tuple[int, int], list[int]] = {}
    for i in np.flatnonzero(first < last).tolist():
        pair = int(one.first[common[0][i]]), int(other.first[common[1][i]])
        groups.setdefault(pair, []).append(i)
    for members in groups.values():
        i = members[0]
        depth = np.arange(first[i], last[i])
        product = np.ones(len(depth))
        for ranking, place in ((one, common[0][i]), (other, common[1][i])):
            begin, end = ranking.first[place], ranking.last[place]
            product *= np.minimum((depth - begin + 1) / (end - begin + 1), 1.0)
        shared[depth - 1] += len(members) * product
    return shared


# Orderings


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
