"""Rank-biased overlap of two rankings that may have different items, end, and have ties.

At every depth d the two agree to some degree A_d, which is weighed by (1 - p) · p^(d-1): p is the chance that a reader
who has compared the first d goes on to depth d + 1. What stands below the end of a ranking is not known, and so there
is a lowest and a highest value, and one in between that takes the agreement to stay what it is at the end.

Webber, Moffat and Zobel, A Similarity Measure for Indefinite Rankings, ACM Transactions on Information Systems 28(4),
2010; for ties Corsi and Urbano, The Treatment of Ties in Rank-Biased Overlap, SIGIR 2024.
"""

from __future__ import annotations

import math
from typing import Literal, NamedTuple

import numpy as np

from irev.base import segments
from irev.base.segments import Floats, Ints

Ties = Literal["a", "b", "w"]
TIES: tuple[Ties, ...] = ("a", "b", "w")
"""What tied items are to `overlap`."""


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
    """(l,) How many items of some kind stand among the first so many: whole ones, and those of the tie at that rank."""

    whole: Ints
    partly: Ints


def _alone(ranking: TiedPlaces, flags: Ints, depth: Ints, ties: Ties) -> tuple[_Reached, Floats]:
    """How many flagged items are reached at each depth, and how far those are that tie there."""
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
    # An item is whole from its last rank on. Before that it has products of shares, of which there are none without
    # ties; they are the same for all items that have the same two ties.
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
