"""A run of arrays of neighbours under judgments that are such arrays: evaluated some queries at a time, never as text.

The values are those of the same rows as lines, to the last bit.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import AbstractContextManager, nullcontext
from dataclasses import replace
from typing import TYPE_CHECKING, Any, NamedTuple, TypeVar

import numpy as np

from irev.base import segments
from irev.base.errors import Faults, InputError, ProblemError
from irev.base.settings import Settings
from irev.base.workers import processors
from irev.evaluation.result import Facts
from irev.evaluation.scores import TOGETHER, Column, Scores, evaluate, summarise
from irev.extensions.vectors.files import (
    CheckedNeighbours,
    NeighbourArrays,
    NeighbourJudgments,
    NeighbourRows,
    in_byte_order,
    in_memory,
    together,
)
from irev.extensions.vectors.functions import Neighbours
from irev.extensions.vectors.ranking import RepeatedId, by_score, distances_of, hits, impossible, misplaced, ranked
from irev.ranking.hits import UnmatchedIds
from irev.ranking.ranking import LeftOut, require_none_left_out
from irev.reading import formats
from irev.reading.runs import Reading, tag_of
from irev.reading.written_ids import whole_number_ids

if TYPE_CHECKING:
    from irev.evaluation.scores import Summary
    from irev.measures import Request
    from irev.reading.sources import Source

T = TypeVar("T")
R = TypeVar("R")

DISTANCES = "distances"
"""The kind of judgments of measures that look at distances."""

_USUAL = 31 << 20
"""Bytes. The C library gives the memory of large arrays back to the system as soon as they are let go, and to be given
it again takes longer than all that is done in it. The first large array that is let go teaches it what is usual."""


def evaluated(
    run: Source | Neighbours,
    judgments: NeighbourJudgments,
    requests: Sequence[Request],
    settings: Settings,
    per_query: bool = True,
) -> tuple[Reading, Scores, Summary, LeftOut, Facts] | None:
    """What comes of a run in a file or in memory; None where it is none of arrays, or more is asked for than the order
    of its rows says.

    Raises `InputError` for a row that is wrong, and for a run that has more rows than the judgments.
    """
    if not judgments.for_arrays or not _suit(settings):
        return None
    if isinstance(run, Neighbours):
        arrays = in_memory(run, "run")
        return None if arrays is None else _evaluated(nullcontext(arrays), b"run", judgments, requests, settings, True)
    _, stream = formats.opened(formats.RUNS, settings.run_format, run, settings, Faults())
    if not isinstance(stream, NeighbourRows):
        return None
    return _evaluated(stream.opened(), tag_of(run.name), judgments, requests, settings, per_query)


def _evaluated(
    arrays: AbstractContextManager[NeighbourArrays],
    tag: bytes,
    judgments: NeighbourJudgments,
    requests: Sequence[Request],
    settings: Settings,
    per_query: bool,
) -> tuple[Reading, Scores, Summary, LeftOut, Facts]:
    np.empty(_USUAL, dtype=np.uint8)
    with judgments.arrays() as truth, arrays as found:
        there, rows = found.ids.shape[0], truth.ids.shape[0]
        if there > rows:
            remedy = "expected results for the queries of the judgments, in their order"
            raise InputError(
                f"{truth.name} has only {rows} rows, so no query {rows}", f"{found.name}, row {rows + 1}", remedy
            )
        counts = rows if settings.complete else there
        order, columns = in_byte_order(np.arange(counts)), None
        judged = retrieved = tied = alike = 0
        nothing: list[int] = []
        example, any_hit, doubt = None, False, ""
        for begin, part in _ahead(
            _of_rows(requests, settings, judgments, found.name, tag), _blocks(truth, found, counts)
        ):
            columns = columns or [_like(column, counts) for column in part.columns]
            for column, more in zip(columns, part.columns, strict=True):
                column.values[begin : begin + len(more.values)] = more.values
                if column.weights is not None and more.weights is not None:
                    column.weights[begin : begin + len(more.values)] = more.weights
            judged, retrieved = judged + part.judged, retrieved + part.retrieved
            tied, alike = tied + part.tied, alike + part.alike
            nothing += part.empty
            any_hit, example, doubt = any_hit or part.any_hit, example or part.example, doubt or part.doubt
        name = found.name
    missing = whole_number_ids(in_byte_order(np.arange(there, rows)))
    empty = whole_number_ids(in_byte_order(np.array(nothing, dtype=np.int64)))
    left_out = LeftOut(missing, (), settings.complete, False, None if any_hit else example, empty=empty)
    if settings.strict:
        require_none_left_out(left_out, name, settings)
    queries = judgments.queries if counts == rows else whole_number_ids(order)
    columns = [column.picked(order) for column in columns or ()]
    scores = Scores(queries, tuple(columns), counts, settings.complete, judgments.positive, tag, unknown="")
    of_all = summarise(scores)
    if not per_query:
        scores = replace(scores, columns=tuple(replace(column, values=np.empty(0)) for column in columns))
    facts = Facts(judged, retrieved - judged, tied, missing, (), empty=empty, alike=alike)
    return Reading(there, retrieved, tag, unfit=doubt), scores, of_all, left_out, facts


def _suit(settings: Settings) -> bool:
    """Whether rows are taken as they stand, each once."""
    which = ("queries", "query_weights", "only", "compat", "gains", "negative")
    return settings.are_usual(*which, "order", "ties", "duplicates", "costs", "drop_self", "document_of")


def _like(column: Column, queries: int) -> Column:
    """A column like one of some queries, with room for so many."""
    weights = None if column.weights is None else np.empty(queries)
    return replace(column, values=np.empty(queries, dtype=column.values.dtype), weights=weights)


class _BlockRows(NamedTuple):
    """Some rows of two files.

    Attributes
    ----------
    begin, there : int
        How many rows stand before, and how many of these the run has.
    truth, distances : array (n, K)
        Ids of true neighbours, and their distances, if there are any.
    found, near : array (n, k)
        The same of results; distances where both have them.
    falling : bool
        Whether distances are similarities, which fall.
    opens : bool (n, k) or None
        Where in a row each score begins, where scores order it.
    """

    begin: int
    there: int
    truth: Any
    distances: Any
    found: Any
    near: Any
    falling: bool
    opens: Any


class _RowsScored(NamedTuple):
    """What comes of some rows.

    Attributes
    ----------
    columns : tuple of Column
        Their values.
    judged, retrieved, tied, alike : int
        How many results have a judgment, how many there are, above the cutoff of the run, how many rows have a judged
        result whose score another one has, and how many of them have that score alone.
    any_hit : bool
        Whether any result has a judgment, whatever its rank.
    example : UnmatchedIds or None
        What is shown where no rows have such a result.
    doubt : str
        Why few of the first results are true neighbours, where that was found.
    empty : list of int
        Rows of the run without a result.
    """

    columns: tuple[Column, ...]
    judged: int
    retrieved: int
    tied: int
    alike: int
    any_hit: bool
    example: UnmatchedIds | None
    doubt: str
    empty: list[int]


def _blocks(truth: NeighbourArrays, found: NeighbourArrays, rows: int) -> Iterator[_BlockRows]:
    """The rows of both files, some at a time. Raises `ProblemError`."""
    width, there = found.ids.shape[1], found.ids.shape[0]
    size = min(together(truth.ids.shape[1] + width), TOGETHER)  # those that are evaluated together
    checked = [CheckedNeighbours(each, judged, repetitions=False) for each, judged in ((truth, True), (found, False))]
    for begin in range(0, rows, size):
        ids, distances, _ = checked[0].read(begin, min(begin + size, rows))
        results, near, problem = checked[1].read(begin, min(begin + len(ids), there)) if begin < there else _NOTHING
        if problem is not None:
            raise ProblemError(found.name, problem, "row")
        got = 0 if results is None else len(results)
        if got < len(ids):
            absent = np.full((len(ids) - got, width), -1)
            results = absent if results is None else np.concatenate((results, absent))
            near = absent if near is None else np.concatenate((near, absent))
        opens = None
        if found.scored and results is not None and near is not None:
            results, near, opens = by_score(results, near)
        near = near if distances is not None and truth.scored == found.scored else None
        yield _BlockRows(begin, got, ids, distances, results, near, checked[0].falling, opens)
    one, other = checked
    if truth.scored != found.scored:
        return
    if (one.rising and other.falling and not other.rising) or (one.falling and other.rising and not other.falling):
        went, others = ("fall", "rise") if one.rising else ("rise", "fall")
        fact = f"distances {went} along its rows, and {others} along those of {truth.name}"
        raise InputError(fact, found.name, "expected distances in both, or similarities in both")


_NOTHING = None, None, None


def _of_rows(
    requests: Sequence[Request], settings: Settings, judgments: NeighbourJudgments, name: str, tag: bytes
) -> Callable[[_BlockRows], tuple[int, _RowsScored]]:
    """What evaluates some rows."""
    of_distances = any(request.measure.of == DISTANCES for request in requests)

    def work(rows: _BlockRows) -> tuple[int, _RowsScored]:
        found = hits(rows.truth, rows.found, rows.begin)
        if isinstance(found, RepeatedId):
            raise ProblemError(judgments.name if found.judged else name, found.problem, "row")
        count = len(rows.truth)
        queries: Any = range(rows.begin, rows.begin + count)  # their number alone
        missing = np.arange(count) >= rows.there
        known = None
        if rows.near is not None:
            pairs = rows.distances, rows.near, rows.falling
            known = distances_of(rows.truth, rows.found, *pairs)
            problem = impossible(rows.truth, rows.found, found, *pairs, rows.begin) if of_distances else None
            if problem is not None:
                reason = misplaced(rows.truth, rows.found, found) or problem.remedy
                raise ProblemError(name, replace(problem, remedy=reason), "row")
        whole = tag, judgments, settings, known, rows.opens
        ranking = ranked(rows.truth, rows.distances, rows.found, found, queries, missing, *whole)
        scores = evaluate(ranking, requests)
        any_hit = len(found.owner) > 0
        example = None if any_hit else _example(rows)
        doubt = "" if rows.begin else misplaced(rows.truth, rows.found, found)
        tied = len(segments.distinct(ranking.owner[ranking.tie_first < ranking.tie_last]))
        retrieved = int(ranking.retrieved.sum())
        counts = len(ranking.rank), retrieved, tied, ranking.all_alike if tied else 0
        empty = np.flatnonzero(~(rows.found[: rows.there] >= 0).any(axis=1)) + rows.begin
        return rows.begin, _RowsScored(scores.columns, *counts, any_hit, example, doubt, empty.tolist())

    return work


def _example(rows: _BlockRows) -> UnmatchedIds | None:
    """The first of these rows that has results, the first of these, and its nearest neighbour."""
    for row in np.flatnonzero(np.any(rows.found >= 0, axis=1))[:1].tolist():
        first = (table[row][table[row] >= 0][0] for table in (rows.found, rows.truth))
        return UnmatchedIds(*(b"%d" % number for number in (rows.begin + row, *first)))
    return None


def _ahead(work: Callable[[T], R], given: Iterable[T]) -> Iterator[R]:
    """What work makes of each, in order, on as many threads as there are processors."""
    threads = processors()
    with ThreadPoolExecutor(threads) as workers:
        waiting: deque[Future[R]] = deque()
        for each in given:
            waiting.append(workers.submit(work, each))
            if len(waiting) > threads:
                yield waiting.popleft().result()
        while waiting:
            yield waiting.popleft().result()
