"""Judgments and run to rankings: for all judged hits, or for the first documents.

`irev.evaluation.dictionaries` ranks dictionaries of Python from the side of the judgments; what changes here changes
there.

Documents are ordered by score, highest first, and documents of equal score by id, highest bytes first; the rank column
and the order of rows mean nothing. A block of complete queries is ranked in full, and then only its judged hits are
kept (see `irev.ranking.ranked`): the rest of the block is let go, so memory does not grow with the run. Of a few
queries, those that someone wants to look at, everything is kept (see `irev.ranking.full`).
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import replace
from itertools import chain, compress, islice
from typing import TypeVar

import numpy as np

from irev.base import segments
from irev.base.errors import InputError, decimal, option, shown
from irev.base.records import dataclass
from irev.base.segments import Ints
from irev.base.settings import RELEVANT, Settings
from irev.base.text import and_more
from irev.base.workers import processors
from irev.ranking.hits import (
    Firsts,
    Hits,
    RetrievedCounts,
    TopK,
    UnmatchedIds,
    first_rows,
    hits,
    joined,
    near_miss,
    no_overlap,
    ordered_by,
)
from irev.ranking.ranked import Ranked
from irev.reading import runs
from irev.reading.block import Block
from irev.reading.flat_ids import FlatIds, of_some
from irev.reading.judgments import Judgments
from irev.reading.runs import Reading
from irev.reading.sources import Source

R = TypeVar("R")


@dataclass(frozen=True, eq=False)
class LeftOut:
    """Queries that are not in both files, and examples of ids that do not match.

    Attributes
    ----------
    not_retrieved, not_judged : sequence of bytes
        Judged queries that the run lacks, and queries of the run without judgments.
    not_retrieved_count, not_judged_count : bool
        Whether such queries count, as queries without results or without relevant documents. Otherwise they are left
        out.
    empty : sequence of bytes
        Queries that count and of which the run has no results, although it names them.
    no_overlap : UnmatchedIds or None
        An example of ids, if none of the retrieved documents is judged for its query.
    near_miss : UnmatchedIds or None
        An example of ids, if some documents are judged, and many ids differ from judged ones only in how they are
        written.
    """

    not_retrieved: Sequence[bytes]
    not_judged: Sequence[bytes]
    not_retrieved_count: bool
    not_judged_count: bool
    no_overlap: UnmatchedIds | None = None
    near_miss: UnmatchedIds | None = None
    empty: Sequence[bytes] = ()

    @property
    def missing(self) -> tuple[bytes, ...]:
        """Judged queries for which nothing was retrieved."""
        return tuple(sorted({*self.not_retrieved, *self.empty}))


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
        For a grade without a gain where gains are given, a run that cannot be read or that shares no query with the
        judgments, or a query that would be left out under `Settings.strict`.
    """
    ((ranked, left_out),), reading = rank_under((judgments,), source, settings)
    return ranked, reading, left_out


def rank_under(
    sets: Sequence[Judgments], source: Source, settings: Settings, jobs: int = 1
) -> tuple[list[tuple[Ranked, LeftOut]], Reading]:
    """Rank a run under several sets of judgments, reading it once, with so many processes where it is large.

    The rankings under each, as `rank` gives them.
    """
    for judgments in sets:
        require_gains(judgments, settings)
    blocks, reading = runs.read(
        source, lambda block: [hits(block, each, settings) for each in sets], settings, jobs=jobs, ranks_alone=True
    )
    ranked = [ranked_of(each, [under.pop(0) for under in blocks], source.name, reading.tag, settings) for each in sets]
    return ranked, reading


def rank_with_top_k(
    judgments: Judgments, source: Source, settings: Settings, most: int
) -> tuple[Ranked, Reading, LeftOut, TopK]:
    """Rank a run as `rank` does, and keep the first `most` documents of each query, and the rank of each judged one.

    Depth and judged-only are applied to these too.
    """
    require_gains(judgments, settings)
    most = most if settings.depth is None else min(most, settings.depth)
    blocks, reading = runs.read(
        source,
        lambda block: (hits(block, judgments, settings), _tops(block, judgments, settings, most)),
        settings,
    )
    first = Firsts.joined([found for _, found in blocks])
    rank = _ranks([found for found, _ in blocks], judgments, settings)
    ranked, left_out = ranked_of(judgments, [found for found, _ in blocks], source.name, reading.tag, settings)
    return ranked, reading, left_out, TopK(first, rank)


First = dict[bytes, tuple[bytes, ...]]
"""The first documents of each query of a run, in the order of their ranks."""


Blocks = Source | Iterable[Block]
"""A run in a file, or the blocks of one that is in memory already."""


def of_blocks(run: Blocks, work: Callable[[Block], R], settings: Settings) -> tuple[list[R], Reading]:
    """What is kept of each block, and what reading the file found, if it is one."""
    if isinstance(run, Source):
        return runs.read(run, work, settings)
    return [*map(work, run)], Reading(0, 0, b"")


def first_documents(run: Blocks, settings: Settings, most: int | None) -> tuple[First, Reading]:
    """The first `most` documents of each query of a run, or all of them, without any judgments.

    Raises `InputError` for a run that cannot be read.
    """
    blocks, reading = of_blocks(run, lambda block: _first(block, settings, most), settings)
    return {query: documents for block in blocks for query, documents in block.items()}, reading


def _first(block: Block, settings: Settings, most: int | None) -> First:
    rows, _ = first_rows(block, settings, most)
    ends = np.searchsorted(block.query[rows], np.arange(len(block.queries) + 1)).tolist()
    text, starts, stops = block.text.data, block.start[rows], block.start[rows] + block.length[rows]
    documents = tuple(bytes(text[begin:stop]) for begin, stop in zip(starts.tolist(), stops.tolist(), strict=True))
    return {name: documents[begin:end] for name, begin, end in zip(block.queries, ends, ends[1:], strict=False)}


def ranks(judgments: Judgments, source: Source, settings: Settings) -> Ints:
    """(j,) Where the documents that the judgments name stand in a run; 0 for one that is not there, or is cut off."""
    blocks, _ = runs.read(source, lambda block: hits(block, judgments, settings), settings)
    return _ranks(blocks, judgments, settings)


def _ranks(blocks: Iterable[Hits], judgments: Judgments, settings: Settings) -> Ints:
    rank = np.zeros(len(judgments.grade), dtype=np.int64)
    for block in blocks:
        rank[block.judgment] = block.rank
    if settings.depth is not None:
        rank[rank > settings.depth] = 0
    if settings.judged_only:
        rank[~(judgments.grade >= 0)] = 0
        there = np.flatnonzero(rank)
        there = there[np.lexsort((rank[there], judgments.query[there]))]
        rank[there] = segments.position(judgments.query[there].astype(np.int64), len(judgments.queries)) + 1
    return rank


def rank_blocks(
    judgments: Judgments, blocks: Iterable[Block], name: str, tag: bytes, settings: Settings, whole: bool = True
) -> tuple[Ranked, LeftOut]:
    """Rank a run that is in memory already, as `rank` does a file.

    Parameters
    ----------
    judgments : Judgments
    blocks : iterable of Block
        The blocks of the run, ranked as they come. No query is in two of them.
    name : str
        What messages call the run.
    tag : bytes
        Its run id.
    settings : Settings
        As for `rank`.
    whole : bool
        Whether this is all of the judgments and the run. Of a part of them it is no fault to share no query.

    Raises
    ------
    InputError
        As `rank`.
    """
    require_gains(judgments, settings)
    if settings.costs is not None:
        remedy = "name its file, in TREC's format, or leave out costs"
        raise InputError("a run in memory has no element types, which costs need", name, remedy)
    found = list(_one_ahead(lambda block: hits(block, judgments, settings), blocks))
    return ranked_of(judgments, found, name, tag, settings, whole)


def _one_ahead(work: Callable[[Block], Hits], blocks: Iterable[Block]) -> Iterator[Hits]:
    """What work makes of each block, in order: another thread works on one while this one makes the next."""
    coming = iter(blocks)
    begun = list(islice(coming, 2))
    if len(begun) < 2 or processors() == 1:
        yield from map(work, chain(begun, coming))
        return
    from concurrent.futures import Future, ThreadPoolExecutor

    with ThreadPoolExecutor(1) as worker:
        waiting: deque[Future[Hits]] = deque()
        for block in chain(begun, coming):
            waiting.append(worker.submit(work, block))
            if len(waiting) > 2:  # blocks are large
                yield waiting.popleft().result()
        while waiting:
            yield waiting.popleft().result()


def ranked_of(
    judgments: Judgments, blocks: list[Hits], run: str, tag: bytes, settings: Settings, whole: bool = True
) -> tuple[Ranked, LeftOut]:
    """The rankings of all blocks together, and which queries are not in both."""
    retrieved = RetrievedCounts.of(judgments, blocks)
    listed = None if isinstance(settings.queries, str) else sorted(settings.queries)
    names = judgments.queries if listed is None else listed
    counts = retrieved.of_judged if listed is None else retrieved.of_queries(listed)
    others = retrieved.others.keys() - {*judgments.unanswerable}
    near = near_miss(judgments, blocks)
    apart = no_overlap(judgments, blocks, near)
    left_out = LeftOut(
        of_some(names, np.flatnonzero(counts < 0)),
        tuple(sorted(others) if listed is None else compress(listed, judgments.places(listed) < 0)),
        not_retrieved_count=settings.complete or listed is not None,
        not_judged_count=settings.queries == "run" or listed is not None,
        no_overlap=apart,
        near_miss=near if apart is None else None,
        empty=of_some(names, np.flatnonzero(counts == 0)),
    )
    if whole and not (retrieved.of_judged >= 0).any():
        require_common(judgments, run, retrieved.others, settings)
    if whole and listed is not None:
        require_listed(judgments, listed)
    if settings.strict and settings.only is None:
        require_none_left_out(left_out, run, settings)
    ranked = joined(judgments, blocks, retrieved, tag, settings)
    return ranked.at(depth=settings.depth, judged_only=settings.judged_only), left_out


def require_common(judgments: Judgments, run: str, retrieved: dict[bytes, int], settings: Settings) -> None:
    """Refuse files that share no query, unless every judged query is scored, as trec_eval 10 does with -c."""
    scores_missing = settings.complete and settings.queries != RELEVANT and not settings.single_precision
    if retrieved.keys().isdisjoint((*judgments.queries, *judgments.unanswerable)) and not scores_missing:
        raise no_common_query(judgments.name, judgments.queries[0], run, next(iter(retrieved)))


def no_common_query(judgments: str, judged: bytes, run: str, retrieved: bytes) -> InputError:
    """The error of judgments and a run that share no query, given a query of each."""
    return InputError(
        f"{judgments} and {run} have no query in common: the first query is {shown(judged)} in the judgments and "
        f"{shown(retrieved)} in the results",
        remedy="do the two files belong together?",
    )


def require_listed(judgments: Judgments, listed: Sequence[bytes]) -> None:
    """Refuse a list of queries of which none is judged: all of them would score 0."""
    if (judgments.places(listed) < 0).all():
        judged = f"{shown(listed[0])} is in the list, and {shown(judgments.queries[0])} in the judgments"
        fact = f"none of the listed queries is judged: for example, {judged}"
        raise InputError(fact, judgments.name, "do the list and the judgments belong together?")


def require_none_left_out(left_out: LeftOut, run: str, settings: Settings) -> None:
    """Raise `InputError` for queries that are left out, and for listed ones without judgments."""
    if left_out.not_judged and not isinstance(settings.queries, str):
        fact = f"the list of queries has {_named(left_out.not_judged)}, without judgments"
        raise InputError(fact, remedy=f"correct the list, or leave out {option('strict')}")
    for queries, count, what in (
        (left_out.not_retrieved, left_out.not_retrieved_count, "has no results for"),
        (left_out.not_judged, left_out.not_judged_count, "has results without judgments for"),
    ):
        if queries and not count:
            raise InputError(f"it {what} {_named(queries)}", run, "--strict allows no query to be left out")


def _named(queries: Sequence[bytes]) -> str:
    return ", ".join(map(shown, queries[:5])) + and_more(len(queries), 5)


def require_gains(judgments: Judgments, settings: Settings) -> None:
    """With --gains every grade needs one."""
    if settings.gains is not None:
        given = [grade for grade, _ in settings.gains]
        grades = judgments.grade if judgments.details is None else judgments.details.grade
        lacking = np.setdiff1d(grades[grades >= 0], given)
        if len(lacking):
            grade = decimal(lacking[0])
            raise InputError(f"grade {grade} has no gain", judgments.name, f"add {grade}=… to --gains")


def _tops(block: Block, judgments: Judgments, settings: Settings, most: int) -> Firsts:
    """The first documents of each judged query of a block; of those judged alone, where no others count."""
    settings = replace(settings, ties=ordered_by(judgments, settings))
    rows, place = first_rows(block, settings, None if settings.judged_only else most)
    of_block = judgments.places(block.queries)
    judgment = np.full(len(rows), -1, dtype=np.int64)
    found, judged = judgments.find(
        block.text, of_block[block.query[rows]], block.start[rows], block.length[rows], block.key[rows]
    )
    judgment[found] = judged
    if settings.judged_only:
        inside = place - block.first[block.query[rows]] < (settings.depth or len(block.query))
        grade = np.append(judgments.grade, np.nan)[judgment]
        kept = np.flatnonzero(inside & (grade >= 0))
        rows, judgment = rows[kept], judgment[kept]
        kept = np.flatnonzero(segments.position(block.query[rows], len(block.queries)) < most)
        rows, judgment = rows[kept], judgment[kept]
    query = of_block[block.query[rows]]
    rank = segments.position(block.query[rows], len(block.queries)) + 1
    counts = np.flatnonzero(query >= 0)
    others = rows[counts][judgment[counts] < 0]
    called = FlatIds(block.text, block.start[others], block.length[others]).copied()
    return Firsts(query[counts], rank[counts], judgment[counts], called)
