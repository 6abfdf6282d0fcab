"""Several runs side by side: the values of each query, and the documents that stand first in any of the rankings.

What a page of rankings shows, as arrays: a row for each document that one of the runs has among its first, or the ideal
ranking has, with its rank in every run; and for measures that are sums over ranks, the terms that each of them adds.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

import numpy as np

from irev.analysis.explain import scaled
from irev.base import segments
from irev.base.segments import Floats, Ints
from irev.base.settings import Settings
from irev.base.text import decoded
from irev.errors import UsageError
from irev.evaluation.curves.same_queries import on_same_queries
from irev.evaluation.result import Outcome
from irev.evaluation.shown import ShownRun, ShownTerms
from irev.measures import Request
from irev.reading import memory
from irev.reading.qrels import Judgments


class IdealDocument(NamedTuple):
    """A document of the ideal ranking of a query: its row among the documents, and what it would add."""

    row: int
    gain: float
    value: float


@dataclass(frozen=True, eq=False)
class Summed:
    """A measure as ``times · (sum of terms) / over``; `q` queries, `r` runs.

    Attributes
    ----------
    term : float (q, r, depth)
        What the document at each rank adds to the sum; NaN where it adds nothing.
    total, deeper, over : float (q, r)
        The sum, how much of it comes from below the ranks that are shown, and what divides it.
    times : float
    ideal : tuple of tuples of IdealDocument, length q
        The first documents of the ideal ranking; those of equal gain by their ids. Empty for a measure that is no share
        of what that has.
    """

    term: Floats
    total: Floats
    deeper: Floats
    over: Floats
    times: float
    ideal: tuple[tuple[IdealDocument, ...], ...]


@dataclass(frozen=True, eq=False)
class SideBySide:
    """Runs side by side; `q` queries, `r` runs, `m` measures, `d` documents.

    Attributes
    ----------
    outcomes : tuple of Outcome
        The runs, all with the same queries.
    requests : tuple of Request, length m
    queries : tuple of bytes, length q
    values : tuple of float (q, r), length m
    level : float
        The lowest grade that counts as relevant.
    depth : int
        How many documents of each ranking are shown; 0 where no ranking is known.
    retrieved : int (q, r)
    begin : int (q + 1,)
        Where the documents of each query begin.
    documents : tuple of bytes, length d
        Those of a query in the order of their bytes.
    grade : float (d,)
        NaN for one that the judgments do not name.
    rank : int (d, r)
        0 where it was not retrieved.
    sums : tuple of (Summed or None), length m
        None for a measure that is no sum over ranks.
    """

    outcomes: tuple[Outcome, ...]
    requests: tuple[Request, ...]
    queries: tuple[bytes, ...]
    values: tuple[Floats, ...]
    level: float
    depth: int
    retrieved: Ints
    begin: Ints
    documents: tuple[bytes, ...]
    grade: Floats
    rank: Ints
    sums: tuple[Summed | None, ...]


Locate = Callable[[Judgments], Sequence[Ints]]
"""Where the documents that some judgments name stand in each run, as `irev.ranking.ranking.ranks` has it."""


def require_ranks(requests: Sequence[Request], settings: Settings) -> None:
    """Raise `UsageError` where documents have no ranks of their own, and for measures that are no numbers."""
    if settings.ties == "average":
        raise UsageError("documents in ties have no rank of their own under --ties average", remedy="choose another")
    for request in requests:
        if not request.measure.numeric:
            raise UsageError(f"the values of '{request.label}' are no numbers", remedy="choose another measure")


def side_by_side(
    outcomes: Sequence[Outcome],
    shown: Sequence[ShownRun],
    requests: Sequence[Request],
    judgments: Judgments,
    level: float,
    depth: int,
    locate: Locate,
) -> SideBySide:
    """Lay runs side by side.

    Parameters
    ----------
    outcomes : sequence of Outcome
        Under one set of judgments; the queries that all of them have are shown.
    shown : sequence of ShownRun
        What was kept of each run, for the same queries.
    requests : sequence of Request
        The measures that are shown; others may have been evaluated with them.
    judgments : Judgments
    level : float
        The lowest grade that counts as relevant.
    depth : int
        How many documents of each ranking are shown, as many as were kept.
    locate : callable
        Is asked once, and only where a document without a judgment may stand below what was kept of a run.
    """
    kept, _ = on_same_queries(outcomes)
    queries = tuple(kept[0].scores.queries)
    # Where the queries of each run are among these; -1 for one that not all runs have.
    number = {query: place for place, query in enumerate(queries)}
    moved = [np.array([number.get(query, -1) for query in outcome.scores.queries]) for outcome in outcomes]
    retrieved = np.zeros((len(queries), len(shown)), dtype=np.int64)
    for run, (each, to) in enumerate(zip(shown, moved, strict=True)):
        retrieved[to[to >= 0], run] = each.retrieved[to >= 0]

    pool = _Pool(queries, judgments)
    tops = [pool.add_tops(each, depth) for each in shown]
    columns = [[column.request for column in outcome.scores.columns].index for outcome in outcomes]
    terms = [[each.terms[at(request)] for each, at in zip(shown, columns, strict=True)] for request in requests]
    ideals = [pool.add_ideal(of[0], depth) for of in terms]
    begin, order = pool.in_order()
    rank = np.zeros((len(pool.documents), len(shown)), dtype=np.int64)
    judged = np.flatnonzero(pool.judgment >= 0)
    for run, each in enumerate(shown):
        rank[judged, run] = each.tops.rank[pool.judgment[judged]]
        rows, ranks = tops[run]
        rank[rows, run] = ranks
    _locate_others(pool, rank, retrieved, depth, locate)
    place = np.empty_like(order)
    place[order] = np.arange(len(order))
    sums = tuple(
        None if of[0] is None else _summed([each for each in of if each is not None], ideal, moved, pool, place, depth)
        for of, ideal in zip(terms, ideals, strict=True)
    )
    documents = tuple(pool.documents[row] for row in order.tolist())
    grade = np.append(judgments.grade, math.nan)[pool.judgment][order]
    return SideBySide(
        kept,
        tuple(requests),
        queries,
        _values(kept, requests),
        level,
        depth,
        retrieved,
        begin,
        documents,
        grade,
        rank[order],
        sums,
    )


_IdealRows = tuple[tuple[tuple[int, float, float], ...], ...]
"""Of each query the row, gain and term of each document of its ideal ranking."""


def values_alone(outcomes: Sequence[Outcome], requests: Sequence[Request], level: float) -> SideBySide:
    """Runs side by side of which the values alone are known, as of saved results, and no ranking."""
    kept, _ = on_same_queries(outcomes)
    queries, runs = tuple(kept[0].scores.queries), len(kept)
    begin = np.zeros(len(queries) + 1, dtype=np.int64)
    none = np.empty((0, runs), dtype=np.int64)
    retrieved = np.zeros((len(queries), runs), dtype=np.int64)
    sums = (None,) * len(requests)
    return SideBySide(
        kept, tuple(requests), queries, _values(kept, requests), level, 0, retrieved, begin, (), np.empty(0), none, sums
    )


def _values(outcomes: Sequence[Outcome], requests: Sequence[Request]) -> tuple[Floats, ...]:
    at = [column.request for column in outcomes[0].scores.columns].index
    return tuple(
        np.column_stack([outcome.scores.columns[at(request)].values.astype(np.float64) for outcome in outcomes])
        for request in requests
    )


class _Pool:
    """The documents that are shown, each once for its query, as they come.

    Attributes
    ----------
    query : list of int
    documents : list of bytes
    judgment : int (d,)
        -1 for a document that the judgments do not name.
    """

    def __init__(self, queries: Sequence[bytes], judgments: Judgments) -> None:
        self.queries, self.judgments = queries, judgments
        self.query: list[int] = []
        self.documents: list[bytes] = []
        self._judgments: list[int] = []
        self._number = {query: place for place, query in enumerate(queries)}
        self._of_judged: dict[int, int] = {}
        self._of_others: dict[tuple[int, bytes], int] = {}

    @property
    def judgment(self) -> Ints:
        return np.array(self._judgments, dtype=np.int64)

    def _new(self, query: int, document: bytes, judgment: int) -> int:
        self.query.append(query)
        self.documents.append(document)
        self._judgments.append(judgment)
        return len(self.documents) - 1

    def add_tops(self, shown: ShownRun, depth: int) -> tuple[list[int], list[int]]:
        """Add the first documents of a run; their rows and ranks."""
        rows, ranks = [], []
        judged, others = self._of_judged, self._of_others
        for name, top in shown.tops.first.items():
            query = self._number.get(name)
            if query is None:
                continue
            for rank, (document, judgment) in enumerate(
                zip(top.documents[:depth], top.judgment[:depth], strict=True), start=1
            ):
                row = judged.get(judgment) if judgment >= 0 else others.get((query, document))
                if row is None:
                    row = self._new(query, document, judgment)
                    if judgment >= 0:
                        judged[judgment] = row
                    else:
                        others[query, document] = row
                rows.append(row)
                ranks.append(rank)
        return rows, ranks

    def add_ideal(self, terms: ShownTerms | None, depth: int) -> _IdealRows:
        """Add the first documents of the ideal rankings of a measure: of each query their rows, gains and terms."""
        ideal = None if terms is None else terms.ideal
        if ideal is None:
            return ((),) * len(self.queries)
        depth = depth if ideal.depth is None else min(depth, ideal.depth)
        query = self._of_judgments[ideal.judgment]
        # Documents of equal gain may change places: those that tie with the last one that is shown, with that.
        least = np.full(len(self.queries), -math.inf)
        last = np.flatnonzero((ideal.place == depth) & (query >= 0))
        least[query[last]] = ideal.gain[last]
        kept = np.flatnonzero((query >= 0) & (ideal.gain >= least[query]))
        judgment = ideal.judgment[kept]
        text, start = self.judgments.text.data, self.judgments.document_start[judgment].astype(np.int64)
        stop = start + self.judgments.document_length[judgment]
        columns = (query[kept], judgment, -ideal.gain[kept], ideal.value[kept], start, stop)
        listed: list[list[tuple[float, bytes, int]]] = [[] for _ in self.queries]
        values: list[list[float]] = [[] for _ in self.queries]  # rank by rank, as they come
        for at, number, gain, value, begin, end in zip(*(each.tolist() for each in columns), strict=True):
            listed[at].append((gain, bytes(text[begin:end]), number))
            values[at].append(value)
        return tuple(
            tuple(
                (self._row(at, number, document), -gain, value)
                for (gain, document, number), value in zip(sorted(documents)[:depth], of_query, strict=False)
            )
            for at, (documents, of_query) in enumerate(zip(listed, values, strict=True))
        )

    @cached_property
    def _of_judgments(self) -> Ints:
        """(j,) The query of each judgment among those that are shown, -1 for one of another query."""
        number = np.array([self._number.get(query, -1) for query in self.judgments.queries], dtype=np.int64)
        return number[self.judgments.query]

    def _row(self, query: int, judgment: int, document: bytes) -> int:
        if judgment not in self._of_judged:
            self._of_judged[judgment] = self._new(query, document, judgment)
        return self._of_judged[judgment]

    def in_order(self) -> tuple[Ints, Ints]:
        """Where the documents of each query begin when they stand by query and id, and the rows in that order."""
        order = sorted(range(len(self.documents)), key=lambda row: (self.query[row], self.documents[row]))
        begin = np.searchsorted(np.array(self.query, dtype=np.int64)[order], np.arange(len(self.queries) + 1))
        return begin, np.array(order, dtype=np.int64)


def _locate_others(pool: _Pool, rank: Ints, retrieved: Ints, depth: int, locate: Locate) -> None:
    """Fill in the ranks of documents without a judgment where they are below what was kept of a run."""
    query = np.array(pool.query, dtype=np.int64)
    unknown = (pool.judgment < 0)[:, None] & (rank == 0) & (retrieved[query] > depth) if len(query) else rank > 0
    rows = np.flatnonzero(unknown.any(axis=1)).tolist()
    if not rows:
        return
    wanted: dict[str, dict[str, float]] = {}
    for row in rows:
        wanted.setdefault(decoded(pool.queries[pool.query[row]]), {})[decoded(pool.documents[row])] = 0.0
    named = memory.judgments(wanted, Settings())
    row_of = {(pool.query[row], pool.documents[row]): row for row in rows}
    number = {name: place for place, name in enumerate(pool.queries)}
    places = [number[name] for name in named.queries]
    text, start = named.text.data, named.document_start.astype(np.int64)
    spans = zip(named.query.tolist(), start.tolist(), (start + named.document_length).tolist(), strict=True)
    found = [row_of[places[at], bytes(text[begin:end])] for at, begin, end in spans]
    for run, ranks in enumerate(locate(named)):
        below = np.flatnonzero(ranks > depth)
        rank[np.array(found)[below], run] = ranks[below]


def _summed(
    terms: Sequence[ShownTerms],
    ideal: _IdealRows,
    moved: Sequence[Ints],
    pool: _Pool,
    place: Ints,
    depth: int,
) -> Summed:
    """The terms of one measure in every run; `place` is where each row of the pool stands in the end."""
    queries = len(pool.queries)
    term = np.full((queries, len(terms), depth), math.nan)
    total, deeper, over = (np.zeros((queries, len(terms))) for _ in range(3))
    for run, (each, to) in enumerate(zip(terms, moved, strict=True)):
        over[to[to >= 0], run] = each.over[to >= 0]
        owner = to[each.owner]
        counts = owner >= 0
        owner, rank, value = owner[counts], each.rank[counts], each.value[counts]
        total[:, run] = segments.total(value, owner, queries)
        below = rank > depth
        deeper[:, run] = segments.total(value[below], owner[below], queries)
        at = owner[~below] * depth + rank[~below] - 1  # a document may have several terms
        added = segments.total(value[~below], at, queries * depth)
        column = np.full(queries * depth, math.nan)
        column[at] = added[at]
        term[:, run] = column.reshape(queries, depth)
    best = tuple(tuple(IdealDocument(int(place[row]), *rest) for row, *rest in of_query) for of_query in ideal)
    return Summed(term, total, deeper, over, terms[0].times, best)


def share(summed: Summed, query: int, run: int) -> float:
    """The value that terms add up to."""
    return scaled(float(summed.total[query, run]), summed.times, float(summed.over[query, run]))
