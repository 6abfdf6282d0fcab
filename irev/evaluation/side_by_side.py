"""Several runs side by side: the values of each query, and the documents that stand first in any of the rankings.

A run is read once for its numbers and for what is shown of it (`ShowingTask`). Documents without a judgment that are
among the first of one run may stand anywhere in another: `Located` reads the runs again and says where. What a page of
rankings shows, as arrays: a row for each document that one of the runs has among its first, or the ideal
ranking has, with its rank in every run; and for measures that are sums over ranks, the terms that each of them adds.
Of these follow the documents that a difference between two runs is due to most.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import field, replace
from typing import NamedTuple

import numpy as np

from irev.base import segments
from irev.base.records import dataclass
from irev.base.segments import Bools, Floats, Ints
from irev.base.settings import Settings
from irev.base.text import decoded
from irev.evaluation.batch import Evaluated, IdealColumns, ShownRun, ShownTerms, Task
from irev.evaluation.result import Outcome, on_same_queries
from irev.evaluation.scores import Scores, Summary, evaluate, evaluate_summary, summarise, terms
from irev.measures import Request
from irev.measures.measure import part_of
from irev.ranking import ranking
from irev.ranking.hits import Firsts, TopK
from irev.ranking.ranked import Ranked
from irev.reading import flat_ids, ids, in_memory
from irev.reading.flat_ids import FlatIds
from irev.reading.judgments import Judgments
from irev.reading.sources import Source


class IdealRows(NamedTuple):
    """The first documents of the ideal rankings, those of equal gain by their ids; `i` of all `q` queries together.

    Attributes
    ----------
    begin : int (q + 1,)
        Where those of each query begin.
    row : int (i,)
        Their rows among the documents.
    gain, value : float (i,)
        What they are worth, and what they would add.
    """

    begin: Ints
    row: Ints
    gain: Floats
    value: Floats


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
    ideal : IdealRows or None
        None for a measure that is no share of what the ideal ranking has.
    """

    term: Floats
    total: Floats
    deeper: Floats
    over: Floats
    times: float
    ideal: IdealRows | None


@dataclass(frozen=True, eq=False)
class SideBySide:
    """Runs side by side; `q` queries, `r` runs, `m` measures, `d` documents.

    Attributes
    ----------
    outcomes : tuple of Outcome
        The runs, all with the same queries.
    requests : tuple of Request, length m
    queries : tuple of bytes, length q
    relevant : bool (q,)
        Whether anything is relevant for each query; true where that is not known.
    values : tuple of float (q, r), length m
    level : float
        The lowest grade that counts as relevant.
    depth : int
        How many documents of each ranking are shown; 0 where no ranking is known.
    retrieved : int (q, r)
    begin : int (q + 1,)
        Where the documents of each query begin.
    documents : FlatIds, length d
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
    relevant: Bools
    values: tuple[Floats, ...]
    level: float
    depth: int
    retrieved: Ints
    begin: Ints
    documents: FlatIds
    grade: Floats
    rank: Ints
    sums: tuple[Summed | None, ...]

    def of_runs(self, order: Sequence[int]) -> SideBySide:
        """The same with the runs in another order."""
        of_each = [
            each
            and replace(
                each,
                term=each.term[:, order],
                total=each.total[:, order],
                deeper=each.deeper[:, order],
                over=each.over[:, order],
            )
            for each in self.sums
        ]
        return replace(
            self,
            outcomes=tuple(self.outcomes[place] for place in order),
            values=tuple(values[:, order] for values in self.values),
            retrieved=self.retrieved[:, order],
            rank=self.rank[:, order],
            sums=tuple(of_each),
        )


Locate = Callable[[Judgments], Sequence[Ints]]
"""Where the documents that some judgments name stand in each run, as `irev.ranking.ranking.ranks` has it."""


def side_by_side(
    outcomes: Sequence[Outcome],
    shown: Sequence[ShownRun],
    requests: Sequence[Request],
    judgments: Judgments,
    level: float,
    depth: int,
    locate: Locate | None,
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
    locate : callable or None
        Is asked once, and only where a document without a judgment may stand below what was kept of a run. None where
        no such rank is shown; then it is 0.
    """
    kept, _ = on_same_queries(outcomes)
    queries = tuple(kept[0].scores.queries)
    # Where the queries of each run are among these; -1 for one that not all runs have.
    number = {query: place for place, query in enumerate(queries)}
    moved = [np.array([number.get(query, -1) for query in outcome.scores.queries]) for outcome in outcomes]
    retrieved = np.zeros((len(queries), len(shown)), dtype=np.int64)
    for run, (each, to) in enumerate(zip(shown, moved, strict=True)):
        retrieved[to[to >= 0], run] = each.retrieved[to >= 0]

    columns = [[column.request for column in outcome.scores.columns].index for outcome in outcomes]
    terms = [[each.terms[at(request)] for each, at in zip(shown, columns, strict=True)] for request in requests]
    place = np.full(len(judgments.queries), -1, dtype=np.int64)
    place[judgments.places(queries)] = np.arange(len(queries))
    ideals = [_ideal(of[0], judgments, place, len(queries), depth) for of in terms]
    pool = _Pool(len(queries), place, judgments, [each.top_k.first for each in shown], ideals)
    rank = np.zeros((len(pool.documents), len(shown)), dtype=np.int64)
    judged = np.flatnonzero(pool.judgment >= 0)
    for run, (each, rows) in enumerate(zip(shown, pool.others, strict=True)):
        rank[judged, run] = each.top_k.rank[pool.judgment[judged]]
        first = each.top_k.first
        rank[rows[rows >= 0], run] = first.place[first.judgment < 0][rows >= 0]
    if locate is not None:
        _locate_others(pool, queries, rank, retrieved, depth, locate)
    sums = tuple(
        None if of[0] is None else _summed([each for each in of if each is not None], ideal, moved, pool, depth)
        for of, ideal in zip(terms, ideals, strict=True)
    )
    grade = np.append(judgments.grade, math.nan)[pool.judgment]
    values, relevant = _values(kept, requests), judgments.relevant(queries, level)
    begin, documents = pool.begin, pool.documents
    return SideBySide(
        kept, tuple(requests), queries, relevant, values, level, depth, retrieved, begin, documents, grade, rank, sums
    )


def _values(outcomes: Sequence[Outcome], requests: Sequence[Request]) -> tuple[Floats, ...]:
    at = [column.request for column in outcomes[0].scores.columns].index
    return tuple(
        np.column_stack([outcome.scores.columns[at(request)].values.astype(np.float64) for outcome in outcomes])
        for request in requests
    )


class _IdealJudgments(NamedTuple):
    """The first documents of ideal rankings, by query, gain and id: their queries, judgments, gains and terms."""

    query: Ints
    judgment: Ints
    gain: Floats
    value: Floats


def _ideal(
    terms: ShownTerms | None, judgments: Judgments, place: Ints, queries: int, depth: int
) -> _IdealJudgments | None:
    """Those of a measure; `place` is where each query of the judgments stands among those that are shown."""
    found = None if terms is None else terms.ideal
    if found is None:
        return None
    depth = depth if found.depth is None else min(depth, found.depth)
    query = place[judgments.query[found.judgment]]
    # Documents of equal gain may change places: those that tie with the last one that is shown, with that.
    least = np.full(queries, -math.inf)
    last = np.flatnonzero((found.place == depth) & (query >= 0))
    least[query[last]] = found.gain[last]
    kept = np.flatnonzero((query >= 0) & (found.gain >= least[query]))
    query, judgment, gain = query[kept], found.judgment[kept], found.gain[kept]
    start, length = judgments.document_start[judgment], judgments.document_length[judgment]
    order = ids.rising(judgments.text, start, length, query, -gain)
    by_rank = np.lexsort((found.place[kept], query))
    first = segments.position(query[order], queries) < depth
    return _IdealJudgments(
        query[order][first], judgment[order][first], gain[order][first], found.value[kept][by_rank][first]
    )


class _Pool:
    """The documents that are shown, each once for its query, by query and id.

    Attributes
    ----------
    query : int (d,)
    begin : int (q + 1,)
        Where those of each query begin.
    documents : FlatIds
    judgment : int (d,)
        -1 for a document that the judgments do not name.
    row : int (j,)
        Where the document of each judgment stands; -1 for one that is not shown.
    others : list of int (t,)
        The same for the first documents of each run that have no judgment, -1 where their query is not shown.
    """

    def __init__(
        self,
        queries: int,
        place: Ints,
        judgments: Judgments,
        firsts: Sequence[Firsts],
        ideals: Sequence[_IdealJudgments | None],
    ) -> None:
        there = np.zeros(len(judgments.grade) + 1, dtype=bool)
        for judgment in (*(first.judgment for first in firsts), *(ideal.judgment for ideal in ideals if ideal)):
            there[judgment] = True
        there[-1] = False  # where documents without a judgment have left their mark
        judged = np.flatnonzero(there)
        judged = judged[place[judgments.query[judged]] >= 0]
        named = FlatIds(judgments.text, judgments.document_start[judged], judgments.document_length[judged])
        without = [place[first.query[first.judgment < 0]] for first in firsts]
        others = [first.others.pick(np.flatnonzero(at >= 0)) for first, at in zip(firsts, without, strict=True)]
        called = flat_ids.joined([named, *others])
        query = np.concatenate([place[judgments.query[judged]], *(at[at >= 0] for at in without)])
        order = ids.rising(called.text, called.start, called.length, query)
        opens = segments.opens(query[order])
        opens[ids.changes(called.text, called.start[order], called.length[order])] = True
        number = np.empty(len(order), dtype=np.int64)
        number[order] = np.cumsum(opens) - 1
        self.documents, self.query = called.pick(order[opens]), query[order[opens]]
        self.begin = np.searchsorted(self.query, np.arange(queries + 1))
        self.judgment = np.full(len(self.query), -1, dtype=np.int64)
        self.judgment[number[: len(judged)]] = judged
        self.row = np.full(len(judgments.grade), -1, dtype=np.int64)
        self.row[judged] = number[: len(judged)]
        self.others = []
        taken = len(judged)
        for at in without:
            rows = np.full(len(at), -1, dtype=np.int64)
            shown = int(np.count_nonzero(at >= 0))
            rows[at >= 0] = number[taken : taken + shown]
            taken += shown
            self.others.append(rows)


def _locate_others(
    pool: _Pool, queries: Sequence[bytes], rank: Ints, retrieved: Ints, depth: int, locate: Locate
) -> None:
    """Fill in the ranks of documents without a judgment where they are below what was kept of a run."""
    unknown = (pool.judgment < 0)[:, None] & (rank == 0) & (retrieved[pool.query] > depth)
    rows = np.flatnonzero(unknown.any(axis=1))
    if not len(rows):
        return
    wanted: dict[str, dict[str, float]] = {}
    for query, document in zip(pool.query[rows].tolist(), pool.documents.pick(rows), strict=True):
        wanted.setdefault(decoded(queries[query]), {})[decoded(document)] = 0.0
    named = in_memory.judgments(wanted, Settings())
    number = {query: place for place, query in enumerate(queries)}
    places = np.array([number[name] for name in named.queries], dtype=np.int64)
    # The same documents, and so the same in the same order.
    order = ids.rising(named.text, named.document_start, named.document_length, places[named.query])
    for run, ranks in enumerate(locate(named)):
        below = np.flatnonzero(ranks[order] > depth)
        rank[rows[below], run] = ranks[order][below]


def _summed(
    terms: Sequence[ShownTerms], ideal: _IdealJudgments | None, moved: Sequence[Ints], pool: _Pool, depth: int
) -> Summed:
    """The terms of one measure in every run."""
    queries = len(pool.begin) - 1
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
    best = None
    if ideal is not None:
        begin = np.searchsorted(ideal.query, np.arange(queries + 1))
        best = IdealRows(begin, pool.row[ideal.judgment], ideal.gain, ideal.value)
    return Summed(term, total, deeper, over, terms[0].times, best)


def share(summed: Summed, query: int, run: int) -> float:
    """The value that terms add up to."""
    return part_of(float(summed.total[query, run]), summed.times, float(summed.over[query, run]))


class Attribution(NamedTuple):
    """A document, and its part in the change of its query.

    Attributes
    ----------
    query, document : bytes
    grade : float
    before, after : int
        Its ranks; 0 where it was not retrieved.
    contribution : float
        How much of the change of the query is its doing.
    """

    query: bytes
    document: bytes
    grade: float
    before: int
    after: int
    contribution: float


def attribution(
    before: ShownRun, after: ShownRun, number: int, judgments: Judgments, counting: Sequence[bytes], most: int
) -> tuple[Attribution, ...]:
    """The judged documents that contribute most, up or down, the largest contribution first.

    Parameters
    ----------
    before, after : ShownRun
        What was kept of two runs for the same queries.
    number : int
        Which of the requests.
    judgments : Judgments
    counting : sequence of bytes
        The queries that count.
    most : int
        How many, at most. Equal ones stand in the order of their queries and ids.
    """
    old, new = before.terms[number], after.terms[number]
    if old is None or new is None:
        return ()
    counts = np.zeros(len(judgments.queries) + 1, dtype=bool)
    counts[judgments.places(counting)] = True
    change = shares(new, judgments) - shares(old, judgments)
    change[~counts[judgments.query]] = 0.0
    size = np.abs(change)
    changed = np.flatnonzero(size)
    if len(changed) > most:  # and whatever is as large as the last of them
        least = np.partition(size[changed], len(changed) - most)[len(changed) - most]
        changed = changed[size[changed] >= least]
    found = [
        Attribution(
            judgments.queries[judgments.query[row]],
            ids.at(judgments.text, judgments.document_start[row], judgments.document_length[row]),
            float(judgments.grade[row]),
            int(before.top_k.rank[row]),
            int(after.top_k.rank[row]),
            float(change[row]),
        )
        for row in changed.tolist()
    ]
    return tuple(sorted(found, key=lambda each: (-abs(each.contribution), each.query, each.document))[:most])


def shares(terms: ShownTerms, judgments: Judgments) -> Floats:
    """(j,) What each judged document is of the value of its query."""
    over = terms.over[terms.owner]
    share = np.divide(terms.times * terms.value, over, out=np.zeros(len(over)), where=over != 0)
    judged = terms.judgment >= 0
    return segments.total(share[judged], terms.judgment[judged], len(judgments.grade))


# What is kept of each run while it is read


class ToShow(NamedTuple):
    """What is to be kept of each run.

    Attributes
    ----------
    most : int
        Documents of each ranking.
    curves : tuple of Request
        What is evaluated for curves.
    """

    most: int
    curves: tuple[Request, ...] = ()


@dataclass(frozen=True, eq=False)
class ShowingTask(Task):
    """A task that also keeps what is shown, of one set of judgments."""

    show: ToShow = field(default_factory=lambda: ToShow(10))

    def evaluated(self, path: str, watch: Callable[[int], None] | None = None, name: str | None = None) -> Evaluated:
        (judgments,) = self.judgments
        with Source(path, digest=self.digest, watch=watch, name=name) as source:
            ranked, reading, left_out, top_k = ranking.rank_with_top_k(judgments, source, self.settings, self.show.most)
            digest = source.digest() if self.digest else None
        found = self.of(source.name, reading, [(ranked, left_out)], digest)
        wide = ranked.wide
        of_requests = tuple(_terms(wide, each, judgments, top_k) for each in self.requests)
        return found._replace(shown=ShownRun(top_k, wide.retrieved, of_requests, *self._of_curves(ranked)))

    def _of_curves(self, ranked: Ranked) -> tuple[Scores, Summary]:
        """What curves are made of: values of single queries where the queries of another run may be others, and of
        counts. Nothing where runs say how far they have what is judged, since these retrieve nothing."""
        curves = () if ranked.details is not None and ranked.details.kind.assigned else self.show.curves
        if self.settings.queries == "both" and not self.settings.complete:
            scores = evaluate(ranked, curves)
            return scores, summarise(scores)
        alone = [request for request in curves if request.measure.kind != "count"]
        scores, averages = evaluate_summary(ranked, alone)
        counts = evaluate(ranked, [request for request in curves if request.measure.kind == "count"])
        scores = replace(scores, columns=(*scores.columns, *counts.columns))
        return scores, Summary((*averages.values, *summarise(counts).values))


@dataclass(frozen=True, eq=False)
class Located:
    """Where the documents that `judgments` name stand in each run of a batch."""

    judgments: Judgments
    settings: Settings

    def evaluated(self, path: str, watch: Callable[[int], None] | None = None, name: str | None = None) -> Ints:
        with Source(path, watch=watch, name=name) as source:
            return ranking.ranks(self.judgments, source, self.settings)


def _terms(ranked: Ranked, request: Request, judgments: Judgments, top_k: TopK) -> ShownTerms | None:
    found = terms(ranked, request)
    if found is None:
        return None
    owner, rank = found.owner.astype(np.int64), found.rank.astype(np.int64)
    if request.judged_only and not ranked.settings.judged_only:
        kept = ranked.grade >= 0  # ranks are those of a ranking without the others
        begin = segments.starts(segments.count(ranked.owner[kept], ranked.size))
        rank = ranked.rank[kept][begin[owner] + rank - 1]
    over = np.broadcast_to(np.asarray(found.over, dtype=np.float64), (ranked.size,))
    ideal = None
    if found.made_of is not None and found.made_of.ideal is not None and found.made_of.ideal.judgment is not None:
        best, depth = found.made_of.ideal, found.made_of.depth
        value = best.discounted if found.made_of.discounted else best.gain
        row = judgments_in_order(ranked, judgments)[best.judgment]
        least = np.full(ranked.size, -np.inf)  # what may change places with the last above the cutoff
        if depth is not None:
            last = best.rank == depth
            least[best.owner[last]] = best.gain[last]
        inside = np.flatnonzero(best.gain >= least[best.owner])
        ideal = IdealColumns(row[inside], best.rank[inside], best.gain[inside], value[inside], depth)
    judgment = judgment_at(ranked, owner, rank, judgments, top_k)
    return ShownTerms(owner, rank, judgment, np.asarray(found.values, dtype=np.float64), over, found.times, ideal)


def judgments_in_order(ranked: Ranked, judgments: Judgments) -> Ints:
    """(j,) The judgment of each of `Ranked.judged_grade`."""
    evaluated = np.zeros(len(judgments.queries) + 1, dtype=bool)
    evaluated[judgments.places(ranked.queries)] = True
    evaluated[-1] = False  # where queries without judgments have left their mark
    return judgments.by_query[evaluated[judgments.query[judgments.by_query]]]


def judgment_at(ranked: Ranked, owner: Ints, rank: Ints, judgments: Judgments, top_k: TopK) -> Ints:
    """The judgment of the document at each rank, -1 for one without."""
    there = np.flatnonzero(top_k.rank)
    width = int(max(top_k.rank.max(initial=0), rank.max(initial=0))) + 1
    known = judgments.query[there].astype(np.int64) * width + top_k.rank[there]
    by_place = np.argsort(known)
    known, there = known[by_place], there[by_place]
    place = judgments.places(ranked.queries)[owner]
    wanted = place * width + rank
    at = np.searchsorted(known, wanted)
    found = np.append(there, -1)[at]
    found[(np.append(known, -1)[at] != wanted) | (place < 0)] = -1
    return found
