"""Judgments and run to rankings: orders documents, breaks ties, joins with the judgments, and cuts.

`irev.ranking.small_dictionaries` does the same of few documents in plain Python, and what changes here changes there.

Documents are ordered by score, highest first, and documents of equal score by id, highest bytes first; the rank column
and the order of rows mean nothing. A block of complete queries is ranked in full, and then only its judged hits are
kept (see `irev.ranking.ranked`): the rest of the block is let go, so memory does not grow with the run. Of a few
queries, those that someone wants to look at, everything is kept (see `irev.ranking.full`).
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from dataclasses import replace
from itertools import chain, compress, islice
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from irev.base import segments
from irev.base.processes import processors
from irev.base.records import dataclass
from irev.base.segments import AnyInts, Bools, Floats, Ints
from irev.base.settings import Settings
from irev.base.text import and_more
from irev.errors import InputError, Problem, decimal, shown
from irev.ranking.full import FullRanking, Texts
from irev.ranking.ranked import Ranked
from irev.reading import ids, runs
from irev.reading.block import Block
from irev.reading.flat_ids import FlatIds, of_some
from irev.reading.judgments import Judgments
from irev.reading.numbers import TOLERANCE, Decimals
from irev.reading.runs import Reading
from irev.reading.sources import Source

if TYPE_CHECKING:
    from irev.ranking.top_k import Firsts, TopK
    from irev.reading.costs import Costs


@dataclass(frozen=True, eq=False)
class Hits:
    """What is kept of a block: per query how much was retrieved, and its judged documents.

    Attributes
    ----------
    place : int (s,)
        For each query of the block, s of them, its index in the judgments, -1 for one without.
    unjudged : list of bytes
        The queries without judgments.
    retrieved : int (s,)
        Documents retrieved for each.
    stranger : tuple of bytes, or None
        A judged query of the block and a document retrieved for it, where the judgments name no document of the block.
    judgment : int (h,)
        For each hit its judgment, as an index into the judgments.
    rank, tie_first, tie_last : int (h,)
        Its rank, and the first and last rank of its tie; one array for all three where there are no ties.
    score : float (h,) or None
        Its score, where judgments are of what runs assign scores to.
    element : int (r,) or None
        Which of `Settings.costs` each of the r documents of the block has, by query and rank, where there are costs.
    """

    place: Ints
    unjudged: list[bytes]
    retrieved: Ints
    judgment: Ints
    rank: Ints
    tie_first: Ints
    tie_last: Ints
    stranger: tuple[bytes, bytes] | None = None
    score: Floats | None = None
    element: AnyInts | None = None

    def queries(self, judgments: Judgments) -> Iterator[bytes]:
        """The queries of the block, under the judgments that it was ranked under."""
        unjudged = iter(self.unjudged)
        return (judgments.queries[place] if place >= 0 else next(unjudged) for place in self.place.tolist())


class NoOverlap(NamedTuple):
    """An example from files that have queries in common, and no document: as of different collections.

    Attributes
    ----------
    query, retrieved, judged : bytes
        A query, and a document that was retrieved for it and one that is judged for it.
    """

    query: bytes
    retrieved: bytes
    judged: bytes

    @property
    def fact(self) -> str:
        """What there is to say."""
        query, retrieved, judged = map(shown, self)
        return f"none of the retrieved documents is judged: for query {query} {retrieved} is retrieved, {judged} judged"

    @property
    def remedy(self) -> str:
        """What to look at."""
        return "are the document ids those of the judgments?"


@dataclass(frozen=True, eq=False)
class LeftOut:
    """Queries that are not in both files: judged ones that the run lacks, and ones of the run without judgments.

    Either kind counts, as queries with nothing found or nothing to find, or is left out. And `strangers`, an example,
    where none of the retrieved documents is judged for its query, so that everything is left out in effect.
    """

    not_retrieved: Sequence[bytes]
    not_judged: Sequence[bytes]
    not_retrieved_count: bool
    not_judged_count: bool
    strangers: NoOverlap | None = None


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
        _require_gains(judgments, settings)
    blocks, reading = runs.read(
        source, lambda block: [hits(block, each, settings) for each in sets], settings, jobs=jobs, ranks_alone=True
    )
    ranked = [
        _ranked(judgments, [under.pop(0) for under in blocks], source.name, reading.tag, settings) for judgments in sets
    ]
    return ranked, reading


def rank_with_top_k(
    judgments: Judgments, source: Source, settings: Settings, most: int
) -> tuple[Ranked, Reading, LeftOut, TopK]:
    """Rank a run as `rank` does, and keep the first `most` documents of each query, and the rank of each judged one.

    Depth and judged-only are applied to these too.
    """
    _require_gains(judgments, settings)
    most = most if settings.depth is None else min(most, settings.depth)
    blocks, reading = runs.read(
        source,
        lambda block: (hits(block, judgments, settings), _tops(block, judgments, settings, most)),
        settings,
    )
    from irev.ranking.top_k import Firsts, TopK

    first = Firsts.joined([found for _, found in blocks])
    rank = _ranks([found for found, _ in blocks], judgments, settings)
    ranked, left_out = _ranked(judgments, [found for found, _ in blocks], source.name, reading.tag, settings)
    return ranked, reading, left_out, TopK(first, rank)


First = dict[bytes, tuple[bytes, ...]]
"""The first documents of each query of a run, in the order of their ranks."""


def first_documents(source: Source, settings: Settings, most: int | None) -> tuple[First, Reading]:
    """The first `most` documents of each query of a run, or all of them, without any judgments.

    Raises `InputError` for a run that cannot be read.
    """
    blocks, reading = runs.read(source, lambda block: _first(block, settings, most), settings)
    return {query: documents for block in blocks for query, documents in block.items()}, reading


def first_of_blocks(blocks: Iterable[Block], settings: Settings, most: int | None) -> First:
    """The same of a run that is in memory already."""
    return {query: documents for block in blocks for query, documents in _first(block, settings, most).items()}


def _first(block: Block, settings: Settings, most: int | None) -> First:
    rows = first_rows(block, settings, most)
    ends = np.searchsorted(block.query[rows], np.arange(len(block.queries) + 1)).tolist()
    text, starts, stops = block.text.data, block.start[rows], block.start[rows] + block.length[rows]
    documents = tuple(bytes(text[begin:stop]) for begin, stop in zip(starts.tolist(), stops.tolist(), strict=True))
    return {name: documents[begin:end] for name, begin, end in zip(block.queries, ends, ends[1:], strict=False)}


def first_rows(block: Block, settings: Settings, most: int | None) -> Ints:
    """The first rows of each query of a block, at most so many, or all: by query, in the order of their ranks."""
    return _first_rows(block, settings, most)[0]


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


def rank_keeping(
    judgments: Judgments, source: Source, settings: Settings, chosen: Collection[bytes]
) -> tuple[Ranked, Reading, LeftOut, dict[bytes, FullRanking]]:
    """Rank a run as `rank` does, and keep the chosen queries whole; the latter as `keep` gives them."""
    _require_gains(judgments, settings)
    wanted = frozenset(chosen)
    blocks, reading = runs.read(
        source,
        lambda block: (hits(block, judgments, settings), wholes(block, judgments, settings, wanted)),
        settings,
    )
    ranked, left_out = _ranked(judgments, [found for found, _ in blocks], source.name, reading.tag, settings)
    return ranked, reading, left_out, _all_of(chosen, [kept for _, kept in blocks], judgments, settings)


def keep(
    judgments: Judgments, source: Source, settings: Settings, chosen: Collection[bytes]
) -> dict[bytes, FullRanking]:
    """The full rankings of chosen queries alone, for whoever has ranked the run before and has rewound it.

    Parameters
    ----------
    judgments : Judgments
    source : Source
        The run.
    settings : Settings
        Depth and judged-only are applied to what is returned; which queries are evaluated plays no part.
    chosen : collection of bytes
        The queries.

    Returns
    -------
    whole : dict of bytes to FullRanking
        One for each of them, without documents where the run has none.
    """
    wanted = frozenset(chosen)
    blocks, _ = runs.read(source, lambda block: wholes(block, judgments, settings, wanted), settings)
    return _all_of(chosen, blocks, judgments, settings)


def keep_blocks(
    judgments: Judgments, blocks: Iterable[Block], settings: Settings, chosen: Collection[bytes]
) -> dict[bytes, FullRanking]:
    """The same of a run that is in memory already."""
    wanted = frozenset(chosen)
    return _all_of(chosen, (wholes(block, judgments, settings, wanted) for block in blocks), judgments, settings)


def _all_of(
    chosen: Collection[bytes], blocks: Iterable[list[FullRanking]], judgments: Judgments, settings: Settings
) -> dict[bytes, FullRanking]:
    found = {whole.query: whole for block in blocks for whole in block}
    return {
        query: (found[query] if query in found else _nothing(query, judgments)).at(settings.depth, settings.judged_only)
        for query in chosen
    }


def _nothing(query: bytes, judgments: Judgments) -> FullRanking:
    """The ranking of a query for which nothing was retrieved."""
    none = np.empty(0, dtype=np.int64)
    return FullRanking(query, Texts(), Texts(), np.empty(0), none, none, *_judged(query, judgments))


def _judged(query: bytes, judgments: Judgments) -> tuple[Texts, Floats]:
    """The documents that the judgments name for a query, and their grades, best first, equal ones by id."""
    (place,) = judgments.places([query])
    if place < 0:
        return Texts(), np.empty(0)
    rows = np.flatnonzero(judgments.query == place)
    # They come in the order of their keys, which means nothing, and of long ids is another one in each process.
    rows = rows[ids.rising(judgments.text, judgments.document_start[rows], judgments.document_length[rows])]
    rows = rows[segments.falling_order(judgments.grade[rows])]
    documents = _texts(judgments.text, judgments.document_start[rows], judgments.document_length[rows])
    return documents, judgments.grade[rows]


def _texts(text: ids.Bytes, start: Ints, length: Ints) -> Texts:
    return Texts(ids.at(text, begin, size) for begin, size in zip(start.tolist(), length.tolist(), strict=True))


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
    _require_gains(judgments, settings)
    if settings.costs is not None:
        remedy = "name its file, in TREC's format, or leave out costs"
        raise InputError("there are no element types of a run in memory, which costs go by", name, remedy)
    found = list(_one_ahead(lambda block: hits(block, judgments, settings), blocks))
    return _ranked(judgments, found, name, tag, settings, whole)


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


def _ranked(
    judgments: Judgments, blocks: list[Hits], run: str, tag: bytes, settings: Settings, whole: bool = True
) -> tuple[Ranked, LeftOut]:
    """The rankings of all blocks together, and which queries are not in both."""
    retrieved = _RetrievedCounts.of(judgments, blocks)
    listed = None if isinstance(settings.queries, str) else sorted(settings.queries)
    left_out = LeftOut(
        of_some(judgments.queries, np.flatnonzero(retrieved.of_judged < 0))
        if listed is None
        else tuple(compress(listed, retrieved.of_queries(listed) < 0)),
        tuple(sorted(retrieved.others) if listed is None else compress(listed, judgments.places(listed) < 0)),
        not_retrieved_count=settings.complete or listed is not None,
        not_judged_count=settings.queries == "run" or listed is not None,
        strangers=strangers(judgments, blocks),
    )
    if whole and not (retrieved.of_judged >= 0).any():
        require_common(judgments, run, retrieved.others, settings)
    if settings.strict and settings.only is None:
        require_none_left_out(left_out, run)
    ranked = _joined(judgments, blocks, retrieved, tag, settings)
    return ranked.at(depth=settings.depth, judged_only=settings.judged_only), left_out


class _RetrievedCounts(NamedTuple):
    """How many documents a run has for each query.

    Attributes
    ----------
    judgments : Judgments
    of_judged : int (judged queries,)
        For each query of the judgments, -1 where the run lacks it.
    others : dict of bytes to int
        For each query without judgments.
    """

    judgments: Judgments
    of_judged: Ints
    others: dict[bytes, int]

    @classmethod
    def of(cls, judgments: Judgments, blocks: Sequence[Hits]) -> _RetrievedCounts:
        """What all blocks of a run have."""
        count = segments.full(len(judgments.queries), -1)
        others: dict[bytes, int] = {}
        for block in blocks:
            judged = block.place >= 0
            count[block.place[judged]] = block.retrieved[judged]
            others.update(zip(block.unjudged, block.retrieved[~judged].tolist(), strict=True))
        return cls(judgments, count, others)

    def of_queries(self, queries: Sequence[bytes]) -> Ints:
        """Documents retrieved for each of some queries, -1 where the run lacks it."""
        place = self.judgments.places(queries)
        count: Ints = np.append(self.of_judged, np.int64(-1))[place]
        for row in np.flatnonzero(place < 0).tolist():
            count[row] = self.others.get(queries[row], -1)
        return count


def strangers(judgments: Judgments, blocks: Sequence[Hits]) -> NoOverlap | None:
    """An example where the judgments name no document that was retrieved for its query; None where they do, and where
    there is no query in common."""
    if any((block.judgment >= 0).any() for block in blocks):
        return None
    for query, retrieved in (block.stranger for block in blocks if block.stranger is not None):
        judged = np.flatnonzero(judgments.query == judgments.places([query]))
        if len(judged):
            row = judged[np.argmin(judgments.document_start[judged])]  # the first of the file
            start, length = judgments.document_start[row], judgments.document_length[row]
            return NoOverlap(query, retrieved, ids.at(judgments.text, start, length))
    return None


def require_common(judgments: Judgments, run: str, retrieved: dict[bytes, int], settings: Settings) -> None:
    """Refuse files that share no query, unless every judged query is scored, as trec_eval 10 does with -c."""
    scores_missing = settings.complete and not settings.single_precision
    if retrieved.keys().isdisjoint(judgments.queries) and not scores_missing:
        raise no_common_query(judgments.name, judgments.queries[0], run, next(iter(retrieved)))


def no_common_query(judgments: str, judged: bytes, run: str, retrieved: bytes) -> InputError:
    """The error of judgments and a run that share no query, given a query of each."""
    return InputError(
        f"{judgments} and {run} have no query in common: judgments begin with query {shown(judged)}, results with query"
        f" {shown(retrieved)}",
        remedy="do the two files belong together?",
    )


def require_none_left_out(left_out: LeftOut, run: str) -> None:
    """Raise `InputError` for queries that are left out."""
    for queries, count, what in (
        (left_out.not_retrieved, left_out.not_retrieved_count, "has no results for"),
        (left_out.not_judged, left_out.not_judged_count, "has results without judgments for"),
    ):
        if queries and not count:
            named = ", ".join(shown(query) for query in queries[:5])
            more = and_more(len(queries), 5)
            raise InputError(f"it {what} {named}{more}", run, "--strict leaves no query out")


def _require_gains(judgments: Judgments, settings: Settings) -> None:
    """With --gains every grade needs one."""
    if settings.gains is not None:
        given = [grade for grade, _ in settings.gains]
        grades = judgments.grade if judgments.details is None else judgments.details.grade
        lacking = np.setdiff1d(grades[grades >= 0], given)
        if len(lacking):
            grade = decimal(lacking[0])
            raise InputError(f"grade {grade} has no gain", judgments.name, f"add {grade}=… to --gains")


def ordered_by(judgments: Judgments, settings: Settings) -> str:
    """How documents of equal score are ordered: by the usual rule of what the judgments are of, or as asked for."""
    own = "" if judgments.details is None else judgments.details.ties
    return own if own and settings.ties == Settings().ties else settings.ties


def hits(block: Block, judgments: Judgments, settings: Settings) -> Hits:
    """Rank the documents of a block, and keep those that the judgments name."""
    score = comparable_scores(block.score, settings)
    boundary = _boundary(block)
    ties = ordered_by(judgments, settings)
    order = _order(block, score, boundary, stable=ties == "file")
    in_order = score if order is None else score[order]

    # Queries of the block as indices into the judgments; -1 for one without judgments.
    of_block = judgments.places(block.queries)
    rows, judgment = judgments.find(block.text, of_block[block.query], block.start, block.length, block.key)
    if judgments.assigned:
        _refuse_unknown(block, judgments, of_block, rows)
    stranger = None if len(rows) else _stranger(block, of_block)
    place = rows if order is None else _inverse(order)[rows]

    ranks = [place]  # and the first and last place of each tie, where there is any
    if not judgments.assigned and _any_tied(in_order, boundary, place):
        group_start = _tie_starts(in_order, boundary)
        group = np.searchsorted(group_start, place, "right") - 1
        if ties != "file":
            place = _break_ties(block, order, place, group, group_start, rows, ties == "docid-asc")
        ranks = [place, group_start[group], group_start[group + 1] - 1]

    query_start = block.first[block.query[rows]]
    by_rank = np.argsort(place)
    rank, *tied = (segments.narrowed((each - query_start)[by_rank] + 1, _MANY) for each in ranks)
    tie_first, tie_last = tied or (rank, rank)
    return Hits(
        segments.narrowed(of_block, _MANY),
        [block.queries[number] for number in np.flatnonzero(of_block < 0).tolist()],
        segments.narrowed(np.diff(np.append(block.first, len(score))), _MANY),
        segments.narrowed(judgment[by_rank], _MANY),
        rank,
        tie_first,
        tie_last,
        stranger,
        score[rows][by_rank] if judgments.assigned else None,
        None if settings.costs is None else _elements(block, settings.costs, order, in_order, boundary, ties),
    )


def _elements(block: Block, costs: Costs, order: Ints | None, in_order: Floats, boundary: Bools, ties: str) -> AnyInts:
    """Which of the costs each document of a block has, by query and rank."""
    from irev.reading.costs import of_rows  # rarely wanted

    rows = _by_rank(block, order, _tie_starts(in_order, boundary), ties)
    return of_rows(block, costs)[rows]


def _by_rank(block: Block, order: Ints | None, group_start: Ints, ties: str) -> Ints:
    """All rows of a block, by query and rank, given where ties begin."""
    rows = np.arange(len(block.query)) if order is None else order
    if ties == "file":
        return rows
    sizes = np.diff(group_start)
    group = np.repeat(np.arange(len(sizes)), sizes)
    place = _break_ties(block, order, np.arange(len(rows)), group, group_start, rows, ties == "docid-asc")
    return rows[np.argsort(place)]


def _refuse_unknown(block: Block, judgments: Judgments, of_block: Ints, known: Ints) -> None:
    """Add to the faults of a block the rows of judged queries that are not among the known.

    Raises `InputError` for one of a block that was in memory, which has no lines.
    """
    others = of_block[block.query] >= 0
    others[known] = False
    rows, fields = np.flatnonzero(others), block.fields

    def told(row: int) -> tuple[str, str]:
        written = shown(ids.at(block.text, block.start[row], block.length[row]))
        fact = f"{written} is none of the {judgments.kind} of query {shown(block.queries[block.query[row]])}"
        return fact, f"they are those of {judgments.name}: was it made of another version of these?"

    if not fields.layout.fields:
        for row in rows[:1].tolist():
            fact, remedy = told(row)
            raise InputError(fact, remedy=remedy)
        return
    fields.faults.add(
        rows,
        lambda row: Problem(fields.line_of(int(block.row[row])), "E115", *told(row)),
        lambda some: fields.lines_of(block.row[some]),
    )


_MANY = 1 << 10
"""Numbers of a block that are kept in few bytes each, since there may be many such blocks."""


def _stranger(block: Block, of_block: Ints) -> tuple[bytes, bytes] | None:
    """The first judged query of a block, and the first of its documents."""
    for row in np.flatnonzero(of_block[block.query] >= 0)[:1].tolist():
        return block.queries[block.query[row]], ids.at(block.text, block.start[row], block.length[row])
    return None


def wholes(block: Block, judgments: Judgments, settings: Settings, chosen: frozenset[bytes]) -> list[FullRanking]:
    """The full rankings of those queries of a block that are chosen, neither cut nor without unjudged documents."""
    numbers = [number for number, query in enumerate(block.queries) if query in chosen]
    if not numbers:
        return []
    block = block.without(np.flatnonzero(~np.isin(block.query, numbers)))
    score = comparable_scores(block.score, settings)
    boundary = _boundary(block)
    ties = ordered_by(judgments, settings)
    order = _order(block, score, boundary, stable=ties == "file")
    rows = np.arange(len(score)) if order is None else order

    group_start = _tie_starts(score[rows], boundary)
    sizes = np.diff(group_start)
    group = np.repeat(np.arange(len(sizes)), sizes)
    first, last = group_start[group], group_start[group + 1] - 1
    rows = _by_rank(block, order, group_start, ties)

    of_block = judgments.places(block.queries)
    found, judgment = judgments.find(block.text, of_block[block.query], block.start, block.length, block.key)
    grade = np.full(len(score), np.nan)
    grade[found] = judgments.grade[judgment]
    kept = []
    for number in numbers:
        begin = int(block.first[number])
        end = begin + int(np.count_nonzero(block.query == number))
        mine = rows[begin:end]
        kept.append(
            FullRanking(
                block.queries[number],
                _texts(block.text, block.start[mine], block.length[mine]),
                _written(block, mine, settings),
                grade[mine],
                first[begin:end] - begin + 1,
                last[begin:end] - begin + 1,
                *_judged(block.queries[number], judgments),
                averaged=settings.ties == "average",
            )
        )
    return kept


def _tops(block: Block, judgments: Judgments, settings: Settings, most: int) -> Firsts:
    """The first documents of each judged query of a block; of those judged alone, where no others count."""
    settings = replace(settings, ties=ordered_by(judgments, settings))
    rows, place = _first_rows(block, settings, None if settings.judged_only else most)
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
    from irev.ranking.top_k import Firsts

    return Firsts(query[counts], rank[counts], judgment[counts], called)


def _first_rows(block: Block, settings: Settings, most: int | None) -> tuple[Ints, Ints]:
    """The first rows of each query of a block, in the order of their ranks, and where each stands in that of all.

    At most so many of a query; None for all of them.
    """
    score = comparable_scores(block.score, settings)
    order = _order(block, score, _boundary(block), stable=settings.ties == "file")
    sizes = np.diff(np.append(block.first, len(score)))
    in_order = score if order is None else score[order]
    place, group, group_start = _first_places(in_order, block.first, sizes if most is None else most, sizes)
    rows = place if order is None else order[place]
    if settings.ties != "file" and len(place):
        place = _break_ties(block, order, place, group, group_start, rows, settings.ties == "docid-asc")
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


def _written(block: Block, rows: Ints, settings: Settings) -> Texts:
    """What ranks some rows of a block, as it is written; a score in memory with the digits that tell it from others."""
    for field in ("score", "rank"):
        if field in block.fields.layout.fields:
            starts, stops = (offsets[block.row[rows]] for offsets in block.fields.span(field))
            return _texts(block.text, starts, stops - starts)
    if settings.order != "score":
        return Texts([b""] * len(rows))
    score = block.score
    if len(score.text):  # of a file that was read into memory
        return _texts(score.text, score.start[rows], score.stop[rows] - score.start[rows])
    return Texts(repr(value).encode() for value in score.value[rows].tolist())


def _boundary(block: Block) -> Bools:
    """(n,) Where the rows of each query begin."""
    boundary = np.zeros(len(block.query) + 1, dtype=bool)
    boundary[block.first] = True  # one past the end for a query without rows
    return boundary[:-1]


def _tie_starts(score: Floats, boundary: Bools) -> Ints:
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


def _order(block: Block, score: Floats, boundary: Bools, stable: bool) -> Ints | None:
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


def _falling(block: Block, score: Floats, stable: bool) -> Ints:
    """Rows by query and falling score."""
    if len(score) < _FEW * len(block.queries):
        return np.lexsort((-score, block.query))
    order = np.empty(len(score), dtype=np.int64)
    ends = [*block.first[1:].tolist(), len(score)]
    for begin, end in zip(block.first.tolist(), ends, strict=True):
        # numpy sorts numbers several times faster when equal ones may change places.
        order[begin:end] = np.argsort(-score[begin:end], kind="stable" if stable else None)
        order[begin:end] += begin
    return order


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


def _break_ties(
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


def _evaluated(retrieved: _RetrievedCounts, settings: Settings) -> Ints | list[bytes]:
    """The queries to evaluate, in order: as indices into the judgments where all are judged.

    trec_eval 9 does not score a query that the run lacks, only divides by it.
    """
    judgments, count = retrieved.judgments, retrieved.of_judged
    there: Ints = segments.narrowed(np.flatnonzero(count >= 0))
    if not isinstance(settings.queries, str):
        queries = set(settings.queries)
    elif settings.queries == "run" and retrieved.others:
        queries = {judgments.queries[i] for i in there.tolist()} | retrieved.others.keys()
    else:
        complete = settings.queries != "run" and settings.complete and not settings.single_precision
        found = segments.narrowed(np.arange(len(count))) if complete else there
        if settings.only is None:
            return found
        queries = {settings.only} if judgments.places([settings.only]) in found else set()
    if settings.only is not None:
        queries &= {settings.only}
        if not queries:
            raise InputError(f"query {shown(settings.only)}, asked for with -D, is not in both files")
    return sorted(queries)


def _joined(
    judgments: Judgments, blocks: list[Hits], retrieved: _RetrievedCounts, tag: bytes, settings: Settings
) -> Ranked:
    """The hits of all blocks, in the order of the queries. The blocks are lost."""
    evaluated, count = _evaluated(retrieved, settings), retrieved.of_judged
    place = segments.full(len(count), -1)
    if isinstance(evaluated, list):
        queries: Sequence[bytes] = tuple(evaluated)
        count, of_judgments = retrieved.of_queries(queries), judgments.places(queries)
        there = np.flatnonzero(of_judgments >= 0)
        place[of_judgments[there]] = there
    else:
        whole = len(evaluated) == len(count)
        queries = judgments.queries if whole else of_some(judgments.queries, evaluated)
        place[evaluated] = np.arange(len(evaluated), dtype=place.dtype)
        count = count if whole else count[evaluated]
    element = None if settings.costs is None else _elements_in_order(blocks, place, queries)
    owner, rank, grade, tie_first, tie_last, judgment, score = _hits_in_order(judgments, blocks, place)
    judged_owner, judged_grade, judged = _judged_in_order(judgments, place)
    return Ranked(
        settings=settings.uncut,
        queries=queries,
        missing=count < 0,
        retrieved=np.maximum(count, 0),
        owner=owner,
        rank=rank,
        grade=grade,
        tie_first=tie_first,
        tie_last=tie_last,
        judged_owner=judged_owner,
        judged_grade=judged_grade,
        considered=len(judgments.queries) if settings.complete else len(queries),
        positive_judgments=judgments.positive,
        highest_grade=judgments.highest,
        tag=tag,
        details=judgments.details,
        judgment=judgment,
        judged=judged,
        score=score,
        element=element,
    )


def _elements_in_order(blocks: list[Hits], place: Ints, queries: Sequence[bytes]) -> AnyInts:
    """The elements of all blocks, in the order of the queries, given the place of each judged one among them, -1 for
    one that is not wanted."""
    unjudged = {name: number for number, name in enumerate(queries)} if any(block.unjudged for block in blocks) else {}
    owner: list[AnyInts] = [np.empty(0, dtype=np.int64)]
    element: list[AnyInts] = [np.empty(0, dtype=np.uint8)]
    for block in blocks:
        of_query = np.append(place, np.int64(-1))[block.place]
        of_query[block.place < 0] = [unjudged.get(name, -1) for name in block.unjudged]
        owner.append(np.repeat(of_query, block.retrieved))
        element.append(np.empty(0, dtype=np.uint8) if block.element is None else block.element)
    of_row, of_all = np.concatenate(owner), np.concatenate(element)
    kept = np.flatnonzero(of_row >= 0)
    return of_all[kept[segments.stable_order(of_row[kept])]]


def _hits_in_order(
    judgments: Judgments, blocks: list[Hits], place: Ints
) -> tuple[Ints, Ints, Floats, Ints, Ints, Ints | None, Floats | None]:
    """Query, rank, grade and tie of every hit, and its judgment where that is more than a grade, and its score where
    that is wanted.

    Given the place of each judged query, -1 for one that is not wanted. The blocks are lost as soon as they are joined,
    for where hits are many they count.
    """
    judgment, rank = _together(blocks, "judgment"), _together(blocks, "rank")
    ties = [rank, rank]
    if any(block.tie_first is not block.rank for block in blocks):
        ties = [_together(blocks, "tie_first"), _together(blocks, "tie_last")]
    scores = [block.score for block in blocks if block.score is not None]
    score = np.concatenate([np.empty(0), *scores]) if judgments.assigned else None
    blocks.clear()
    owner = segments.pick(place, segments.pick(judgments.query, judgment))
    # Within a query hits come from one block, in the order of ranks, and a stable sort leaves them so.
    order = segments.gathered(owner)
    owner, judgment = segments.pick(owner, order), segments.pick(judgment, order)
    grade = segments.pick(judgments.grade, judgment)
    known = None if judgments.details is None else judgment
    del judgment
    tied = ties[0] is not rank
    rank = segments.pick(rank, order)
    first, last = (segments.pick(each, order) for each in ties) if tied else (rank, rank)
    return owner, rank, grade, first, last, known, None if score is None else score[order]


def _together(blocks: list[Hits], name: str) -> Any:
    """Numbers of the hits of all blocks, in eight bytes each unless they are many."""
    values = [getattr(block, name) for block in blocks]
    if sum(map(len, values)) <= segments.MANY:
        return np.concatenate(values).astype(np.int64, copy=False)
    return np.concatenate([segments.narrowed(each, -1) for each in values])  # small ones too


def _judged_in_order(judgments: Judgments, place: Ints) -> tuple[Ints, Floats, Ints | None]:
    """Query and grade of every judgment of the queries that are wanted, and which one it is where that is more."""
    # Evaluated queries stand in the order of judged ones, so that their judgments need no sorting.
    judged = judgments.by_query
    if (place < 0).any():
        judged = judged[place[judgments.query[judged]] >= 0]
    owner = segments.full(len(judged), 0)
    for begin, end in segments.pieces(len(judged)):
        owner[begin:end] = place[judgments.query[judged[begin:end]]]
    return owner, segments.pick(judgments.grade, judged), None if judgments.details is None else judged
