"""Judgments and run to rankings: the only place that orders documents, breaks ties, joins with the judgments, and cuts.

Documents are ordered by score, highest first, and documents of equal score by id, highest bytes first; the rank column
and the order of rows mean nothing. A block of complete queries is ranked in full, and then only its judged hits are
kept (see `irev.ranked`): the rest of the block is let go, so memory does not grow with the run.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from irev import segments
from irev.errors import InputError, shown
from irev.ranked import Ranked
from irev.reading import ids, runs
from irev.reading.numbers import TOLERANCE, Decimals
from irev.reading.qrels import Judgments
from irev.reading.runs import Block, Reading
from irev.segments import Bools, Floats, Ints
from irev.settings import Settings
from irev.sources import Source


@dataclass(frozen=True, eq=False)
class Hits:
    """What is kept of a block: per query how much was retrieved, and its judged documents.

    Attributes
    ----------
    queries : list of bytes
        The queries of the block, s of them.
    retrieved : int (s,)
        Documents retrieved for each.
    query, judgment : int (h,)
        For each hit its query and its judgment, as indices into the judgments.
    rank, tie_first, tie_last : int (h,)
        Its rank, and the first and last rank of its tie.
    """

    queries: list[bytes]
    retrieved: Ints
    query: Ints
    judgment: Ints
    rank: Ints
    tie_first: Ints
    tie_last: Ints


@dataclass(frozen=True, eq=False)
class LeftOut:
    """Queries that were not evaluated: judged ones that the run lacks, and ones of the run without judgments."""

    not_retrieved: list[bytes]
    not_judged: list[bytes]


def rank(judgments: Judgments, source: Source, settings: Settings) -> tuple[Ranked, Reading, LeftOut]:
    """Rank a run under judgments.

    Parameters
    ----------
    judgments : Judgments
    source : Source
        The run.
    settings : Settings
        Level, depth, judged-only and the queries to evaluate; all are applied to what is returned.

    Returns
    -------
    ranked : Ranked
    reading : Reading
        What reading the run found.
    left_out : LeftOut

    Raises
    ------
    InputError
        For a run that cannot be read, or that shares no query with the judgments.
    """
    blocks, reading = runs.read(source, lambda block: hits(block, judgments, settings), settings.compat)
    retrieved = {
        query: count for block in blocks for query, count in zip(block.queries, block.retrieved.tolist(), strict=True)
    }
    left_out = LeftOut(
        [query for query in judgments.queries if query not in retrieved],
        sorted(query for query in retrieved if query not in judgments.index),
    )
    scores_missing = settings.complete and not settings.single_precision
    if len(left_out.not_retrieved) == len(judgments.queries) and not scores_missing:
        raise InputError(
            f"{judgments.name} and {source.name} have no query in common: judgments begin with query"
            f" {shown(judgments.queries[0])}, results with query {shown(next(iter(retrieved)))}",
            remedy="do the two files belong together?",
        )
    evaluated = _evaluated(judgments, retrieved, settings, scores_missing)
    ranked = _joined(judgments, blocks, retrieved, evaluated, reading.tag, settings)
    return ranked.at(depth=settings.depth, judged_only=settings.judged_only), reading, left_out


def hits(block: Block, judgments: Judgments, settings: Settings) -> Hits:
    """Rank the documents of a block, and keep those that the judgments name."""
    score = _scores(block.score, settings)
    boundary = np.zeros(len(score), dtype=bool)
    boundary[block.first] = True
    order = _order(block, score, boundary)
    in_order = score if order is None else score[order]

    # Queries of the block as indices into the judgments; -1 for one without judgments.
    of_block = np.array([judgments.index.get(query, -1) for query in block.queries], dtype=np.int64)
    rows, judgment = judgments.find(block.text, of_block[block.query], block.start, block.length, block.key)
    place = rows if order is None else _inverse(order)[rows]

    first = last = place
    if _any_tied(in_order, boundary, place):
        opens = boundary.copy()
        opens[1:] |= in_order[1:] != in_order[:-1]
        group_start = np.append(np.flatnonzero(opens), len(score))
        group = np.searchsorted(group_start, place, "right") - 1
        first, last = group_start[group], group_start[group + 1] - 1
        place = _break_ties(block, order, place, group, group_start, rows)

    query_start = block.first[block.query[rows]]
    by_rank = np.argsort(place)
    return Hits(
        block.queries,
        np.diff(np.append(block.first, len(score))),
        of_block[block.query[rows]][by_rank],
        judgment[by_rank],
        (place - query_start)[by_rank] + 1,
        (first - query_start)[by_rank] + 1,
        (last - query_start)[by_rank] + 1,
    )


def _scores(column: Decimals, settings: Settings) -> Floats:
    """The scores to order by: doubles, or what single precision leaves of them."""
    if not settings.single_precision:
        return column.value
    with np.errstate(over="ignore"):  # beyond 3.4e38 a score is infinite in single precision
        if column.uncertain is not None:
            # Rounding twice differs from rounding once only near the middle between two single-precision numbers.
            low, high = (column.value * (1 + side * TOLERANCE) for side in (-1, 1))
            near = column.uncertain & (low.astype(np.float32) != high.astype(np.float32))
            column.settle(np.flatnonzero(near))
        return column.value.astype(np.float32).astype(np.float64)


def _order(block: Block, score: Floats, boundary: Bools) -> Ints | None:
    """Rows by query and falling score; None when they already stand so. Equal scores stay in the order of rows."""
    order = None
    if not ((score[1:] <= score[:-1]) | boundary[1:]).all():
        order = np.lexsort((-score, block.query))
    uncertain = block.score.uncertain
    if uncertain is None or score is not block.score.value:
        return order
    # Values that are known only within a tolerance: neighbours closer than that are read again exactly, unless all that
    # are close are close because they are written alike.
    rows = np.arange(len(score)) if order is None else order
    above, below = rows[:-1], rows[1:]
    with np.errstate(invalid="ignore"):  # infinities
        close = np.abs(score[above] - score[below]) <= 4 * TOLERANCE * np.abs(score[above])
    close &= (uncertain[above] | uncertain[below]) & ~boundary[1:]
    if not (close & ~block.score.written_alike(above, below)).any():
        return order
    block.score.settle(np.unique(np.concatenate((above[close], below[close]))))
    return np.lexsort((-score, block.query))


def _any_tied(score: Floats, boundary: Bools, place: Ints) -> bool:
    """Whether a document at one of the places has the score of a neighbour in its query."""
    above, below = np.maximum(place - 1, 0), np.minimum(place + 1, len(score) - 1)
    tied_above = (score[place] == score[above]) & ~boundary[place]
    tied_below = (score[place] == score[below]) & ~boundary[below] & (below > place)
    return bool((tied_above | tied_below).any())


def _inverse(order: Ints) -> Ints:
    inverse = np.empty_like(order)
    inverse[order] = np.arange(len(order))
    return inverse


def _break_ties(block: Block, order: Ints | None, place: Ints, group: Ints, group_start: Ints, rows: Ints) -> Ints:
    """The places of the hits with documents of equal score ordered by id; only ties that hold a hit are looked at."""
    sizes = group_start[group + 1] - group_start[group]
    tied = np.unique(group[sizes > 1])
    counts = group_start[tied + 1] - group_start[tied]
    owner = np.repeat(np.arange(len(tied)), counts)
    places = group_start[tied][owner] + segments.position(owner, len(tied))
    members = places if order is None else order[places]
    placed = np.full(len(block.query), -1, dtype=np.int64)
    placed[members[ids.falling(block.text, block.start[members], block.length[members], owner)]] = places
    broken = placed[rows]
    return np.where(broken >= 0, broken, place)


def _evaluated(
    judgments: Judgments, retrieved: dict[bytes, int], settings: Settings, scores_missing: bool
) -> list[int]:
    """Indices of the queries to evaluate. trec_eval 9 does not score a query that the run lacks, only divides by it."""
    queries = judgments.queries
    if settings.only is not None and not (
        settings.only in judgments.index and (scores_missing or settings.only in retrieved)
    ):
        raise InputError(f"query {shown(settings.only)}, asked for with -D, is not in both files")
    return [
        i
        for i, query in enumerate(queries)
        if (scores_missing or query in retrieved) and settings.only in (None, query)
    ]


def _joined(
    judgments: Judgments,
    blocks: list[Hits],
    retrieved: dict[bytes, int],
    evaluated: list[int],
    tag: bytes,
    settings: Settings,
) -> Ranked:
    """The hits of all blocks, in the order of the judged queries."""
    place = np.full(len(judgments.queries), -1, dtype=np.int64)
    place[evaluated] = np.arange(len(evaluated))

    def joined(name: str) -> Ints:
        return np.concatenate([getattr(block, name) for block in blocks])

    owner = place[joined("query")]
    # Within a query hits come from one block, in the order of ranks, and a stable sort leaves them so.
    order = segments.gathered(owner)
    judged_owner = place[judgments.query]
    best_first = segments.falling_order(judgments.grade)
    judged_order = best_first[segments.gathered(judged_owner[best_first])]
    queries = tuple(judgments.queries[i] for i in evaluated)
    return Ranked(
        settings=Settings(
            level=settings.level,
            complete=settings.complete,
            collection_size=settings.collection_size,
            compat=settings.compat,
        ),
        queries=queries,
        missing=np.array([query not in retrieved for query in queries], dtype=bool),
        retrieved=np.array([retrieved.get(query, 0) for query in queries], dtype=np.int64),
        owner=owner[order],
        rank=joined("rank")[order],
        grade=judgments.grade[joined("judgment")][order],
        tie_first=joined("tie_first")[order],
        tie_last=joined("tie_last")[order],
        judged_owner=judged_owner[judged_order],
        judged_grade=judgments.grade[judged_order],
        considered=len(judgments.queries) if settings.complete else len(queries),
        positive_judgments=int(np.count_nonzero(judgments.grade > 0)),
        tag=tag,
    )
