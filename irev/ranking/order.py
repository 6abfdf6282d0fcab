"""The order of the results of a query: scores, and ties among them; and the first results of queries."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from irev.base import segments
from irev.base.records import dataclass
from irev.base.segments import Bools, Floats, Ints
from irev.base.settings import Settings
from irev.reading import flat_ids, ids
from irev.reading.block import Block
from irev.reading.flat_ids import FlatIds
from irev.reading.numbers import TOLERANCE, Decimals


@dataclass(frozen=True, eq=False)
class Firsts:
    """The first documents of the judged queries of a run, or of a part of it, `t` of them.

    Attributes
    ----------
    query : int (t,)
        Index of the query among those that are judged.
    place : int (t,)
        Its rank, 1, 2, 3, … in each query.
    judgment : int (t,)
        Its judgment, as an index into the judgments; -1 for one that they do not name.
    others : FlatIds
        The ids of these last, in their order; what the others are called stands in the judgments.
    """

    query: Ints
    place: Ints
    judgment: Ints
    others: FlatIds

    @classmethod
    def joined(cls, parts: Sequence[Firsts]) -> Firsts:
        """One behind the other."""
        query, place, judgment = (
            np.concatenate([getattr(part, name) for part in parts]) for name in ("query", "place", "judgment")
        )
        return cls(query, place, judgment, flat_ids.joined([part.others for part in parts]))


@dataclass(frozen=True, eq=False)
class TopK:
    """The first documents of a run, and where the judged ones stand.

    Attributes
    ----------
    first : Firsts
    rank : int (j,)
        Of each judgment the rank of its document; 0 where it was not retrieved, or was cut off or dropped.
    """

    first: Firsts
    rank: Ints


def first_rows(block: Block, settings: Settings, most: int | None) -> tuple[Ints, Ints]:
    """The first rows of each query of a block, in the order of their ranks, and where each stands in that of all.

    At most so many of a query; None for all of them.
    """
    score = comparable_scores(block.score, settings)
    order = order_of(block, score, query_boundary(block), stable=settings.ties == "file")
    sizes = np.diff(np.append(block.first, len(score)))
    in_order = score if order is None else score[order]
    place, group, group_start = _first_places(in_order, block.first, sizes if most is None else most, sizes)
    rows = place if order is None else order[place]
    if settings.ties != "file" and len(place):
        place = break_ties(block, order, place, group, group_start, rows, settings.ties == "docid-asc")
        by_rank = np.argsort(place)
        rows, place = rows[by_rank], place[by_rank]
    if most is not None:
        kept = np.flatnonzero(place - block.first[block.query[rows]] < most)
        rows, place = rows[kept], place[kept]
    return rows, place


def _first_places(in_order: Floats, first: Ints, most: Ints | int, sizes: Ints) -> tuple[Ints, Ints, Ints]:
    """The first places of each query, and whatever ties with the last of them; their ties, and where these begin.

    Parameters
    ----------
    in_order : float (n,)
        Scores, falling within each query.
    first, sizes : int (s,)
        The first place of each query, and how many it has.
    most : int (s,) or int
        How many places are wanted of each.
    """
    counts = np.minimum(sizes, most)
    cut = np.flatnonzero((counts > 0) & (counts < sizes))
    last = first[cut] + counts[cut]
    for query, end in zip(*(each[in_order[last] == in_order[last - 1]].tolist() for each in (cut, last)), strict=True):
        rest = in_order[end : first[query] + sizes[query]] != in_order[end - 1]
        counts[query] += int(np.argmax(rest)) if rest.any() else len(rest)
    # Behind the last place of each query stands one that opens a tie of its own, and so ends the one before.
    owner = np.repeat(np.arange(len(first)), counts + 1)
    position = segments.position(owner, len(first))
    place, behind = first[owner] + position, position == counts[owner]
    value = in_order[np.minimum(place, len(in_order) - 1)] if len(in_order) else np.empty(len(place))
    opens = (position == 0) | behind
    opens[1:] |= value[1:] != value[:-1]
    group = np.cumsum(opens) - 1
    return place[~behind], group[~behind], place[opens]


def query_boundary(block: Block) -> Bools:
    """(n,) Where the rows of each query begin."""
    boundary = np.zeros(len(block.query) + 1, dtype=bool)
    boundary[block.first] = True  # one past the end for a query without rows
    return boundary[:-1]


def tie_starts(score: Floats, boundary: Bools) -> Ints:
    """Where each group of documents of equal score begins, in the order of ranks, and where the last one ends."""
    opens = boundary.copy()
    opens[1:] |= score[1:] != score[:-1]
    return np.append(np.flatnonzero(opens), len(score))


def comparable_scores(column: Decimals, settings: Settings) -> Floats:
    """The scores to order by: doubles, or what single precision leaves of them."""
    if not settings.single_precision or settings.order != "score":
        return column.value
    with np.errstate(over="ignore"):  # beyond 3.4e38 a score is infinite in single precision
        if column.uncertain is not None:
            # Rounding twice differs from rounding once only near the middle between two single-precision numbers.
            low, high = (column.value * (1 + side * TOLERANCE) for side in (-1, 1))
            near = column.uncertain & (low.astype(np.float32) != high.astype(np.float32))
            column.settle(np.flatnonzero(near))
        return column.value.astype(np.float32).astype(np.float64)


def order_of(block: Block, score: Floats, boundary: Bools, stable: bool) -> Ints | None:
    """Rows by query and falling score; None when they already stand so. `stable`: equal scores in the order of rows."""
    order = None
    if not ((score[1:] <= score[:-1]) | boundary[1:]).all():
        order = _falling(block, score, stable)
    uncertain = block.score.uncertain
    if uncertain is None or score is not block.score.value:
        return order
    # Values that are known only within a tolerance: neighbours closer than that are read again exactly, unless all that
    # are close are close because they are written alike.
    rows = np.arange(len(score)) if order is None else order
    above, below = rows[:-1], rows[1:]
    with np.errstate(invalid="ignore", over="ignore"):  # infinities, and differences beyond the largest double
        close = np.abs(score[above] - score[below]) <= 4 * TOLERANCE * np.abs(score[above])
    close &= (uncertain[above] | uncertain[below]) & ~boundary[1:]
    if not (close & ~block.score.written_alike(above, below)).any():
        return order
    block.score.settle(segments.distinct(np.concatenate((above[close], below[close]))))
    return _falling(block, score, stable)


_FEW = 64
"""Rows of a query, on average, below which all queries are sorted at once."""

_SIXTEEN_BITS = 1 << 16
"""Numbers below this are sorted eight times faster by numpy, which counts them."""


def _falling(block: Block, score: Floats, stable: bool) -> Ints:
    """Rows by query and falling score."""
    kind: Any = "stable" if stable else None
    if len(score) < _FEW * len(block.queries):
        if len(block.queries) > _SIXTEEN_BITS:
            return np.lexsort((-score, block.query))
        by_score = np.argsort(-score, kind=kind)
        return by_score[np.argsort(block.query.astype(np.uint16)[by_score], kind="stable")]
    order = np.empty(len(score), dtype=np.int64)
    ends = [*block.first[1:].tolist(), len(score)]
    for begin, end in zip(block.first.tolist(), ends, strict=True):
        # numpy sorts numbers several times faster when equal ones may change places.
        order[begin:end] = np.argsort(-score[begin:end], kind=kind)
        order[begin:end] += begin
    return order


def any_tied(score: Floats, boundary: Bools, place: Ints) -> bool:
    """Whether a document at one of the places has the score of a neighbour in its query."""
    above, below = np.maximum(place - 1, 0), np.minimum(place + 1, len(score) - 1)
    tied_above = (score[place] == score[above]) & ~boundary[place]
    tied_below = (score[place] == score[below]) & ~boundary[below] & (below > place)
    return bool((tied_above | tied_below).any())


def break_ties(
    block: Block, order: Ints | None, place: Ints, group: Ints, group_start: Ints, rows: Ints, rising: bool
) -> Ints:
    """The places of the hits with documents of equal score ordered by id; only ties that hold a hit are looked at."""
    sizes = group_start[group + 1] - group_start[group]
    tied = segments.distinct(group[sizes > 1])
    counts = group_start[tied + 1] - group_start[tied]
    owner = np.repeat(np.arange(len(tied)), counts)
    places = group_start[tied][owner] + segments.position(owner, len(tied))
    members = places if order is None else order[places]
    placed = np.full(len(block.query), -1, dtype=np.int64)
    by_id = ids.falling(block.text, block.start[members], block.length[members], -owner if rising else owner)
    # Rising ids are falling ones, read backwards.
    placed[members[by_id[::-1] if rising else by_id]] = places
    broken = placed[rows]
    return np.where(broken >= 0, broken, place)
