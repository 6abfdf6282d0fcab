"""Evaluation: rankings and requests in, one number per query and request out, and one for all queries.

Many queries are evaluated some at a time, in their order: what measures share on the way is as long as all of their
values, and whoever wants no more than a summary keeps none of these. A sum goes on where it was, so that it has the
same last bit. An aggregate that is asked for may be one of all values together, which keeps its own.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import replace
from itertools import chain
from typing import Any, NamedTuple

import numpy as np

from irev.base import segments
from irev.base.errors import InputError, UsageError, option, shown
from irev.base.records import dataclass
from irev.base.registry import provided, where
from irev.base.segments import FLOOR, WEIGHTED, Array, Floats, Ints
from irev.base.settings import SINGLE_PRECISION, Settings
from irev.measures import MEASURES, Request, parse
from irev.measures.measure import ORDER_FREE, Terms, Values, Weighted, summed
from irev.measures.parameters import Warn
from irev.measures.request import BOOTSTRAP
from irev.ranking.ranked import Ranked
from irev.reading.fields import GRADES
from irev.reading.formats import JUDGMENTS, listed
from irev.reading.judgments import Judgments


@dataclass(frozen=True, eq=False)
class Column:
    """What one request gives.

    Attributes
    ----------
    request : Request
        The measure and its parameter.
    values : (q,)
        One value per query: float64, int64 for a count, bytes (object) for a text. None at all where no more than the
        summary was kept.
    weights : float (q,) or None
        What each query weighs in the line for all queries; None where all weigh the same.
    """

    request: Request
    values: Array
    weights: Floats | None = None

    def picked(self, queries: Array) -> Column:
        """The same of some queries, in their order."""
        return Column(self.request, self.values[queries], None if self.weights is None else self.weights[queries])


SAVED = "values alone do not tell them, judgments and runs do"
"""Why the judged shares of runs are unknown that were not evaluated for a comparison."""


class Beside(NamedTuple):
    """What is computed beside the requested measures, so that comparisons find unevenly judged runs.

    Attributes
    ----------
    requests : tuple of Request
    unknown : str
        Why that is not all it takes; empty if it is.
    """

    requests: tuple[Request, ...] = ()
    unknown: str = SAVED


NOTHING_BESIDE = Beside()


@dataclass(frozen=True, eq=False)
class Scores:
    """The scores of one run, query by query, with what their summary needs to know.

    Attributes
    ----------
    queries : sequence of bytes, length q
        The evaluated queries, in byte order.
    columns : tuple of Column
        One for each request, in order of output.
    considered : int
        Queries that averages divide by; more than q where some count without being evaluated.
    complete : bool
        Whether all judged queries are averaged over, including those that the run lacks.
    positive_judgments : int
        Judgments with a positive grade in the whole file, of whatever query.
    tag : bytes
        Run id of the last row of the run.
    beside : tuple of Column
        What `of_unjudged` adds for comparisons, which no output lists.
    unknown : str
        Why that does not tell whether unjudged documents decide a comparison; empty if it does.
    """

    queries: Sequence[bytes]
    columns: tuple[Column, ...]
    considered: int
    complete: bool
    positive_judgments: int
    tag: bytes
    beside: tuple[Column, ...] = ()
    unknown: str = SAVED

    def of(self, queries: Sequence[bool]) -> Scores:
        """The scores of some of the queries, as if there were no others."""
        return self.at(np.flatnonzero(queries))

    def at(self, kept: Ints) -> Scores:
        """The same, given the places of the queries."""
        return Scores(
            queries=tuple(self.queries[i] for i in kept.tolist()),
            columns=tuple(column.picked(kept) for column in self.columns),
            considered=len(kept),
            complete=False,  # what is counted in the whole file is not counted by query
            positive_judgments=self.positive_judgments,
            tag=self.tag,
            beside=tuple(column.picked(kept) for column in self.beside),
            unknown=self.unknown,
        )


def require_ranks(requests: Sequence[Request], settings: Settings) -> None:
    """Raise `UsageError` where documents have no ranks of their own, and for measures that are not numbers."""
    settings.require_ranks()
    for request in requests:
        if not request.measure.numeric:
            raise UsageError(f"the values of '{request.label}' are not numbers", remedy="choose another measure")


TOGETHER = 1 << 16
"""Queries that are evaluated at the same time; where there are more, memory does not grow with what is made of them."""


def evaluate(ranked: Ranked, requests: Iterable[Request]) -> Scores:
    """Compute every request for every query.

    Parameters
    ----------
    ranked : Ranked
        The rankings, with relevance level, judged-only and depth already applied (`Ranked.at`).
    requests : iterable of Request
        What to compute, as `irev.measures.parse` gives it.

    Raises
    ------
    UsageError
        For a request that needs other judgments, without an expected value over ties where the settings ask for one,
        without bounds for these judgments, or with a parameter that does not suit them.
    """
    parts = in_parts(ranked, requests)
    first = next(parts)
    if len(first.queries) == ranked.size:
        return first
    # Room for all of them is made at once: parts that are joined at the end would need it twice.
    made: dict[Request, Column] = {}
    columns = tuple(_with_room(column, ranked.size, made) for column in first.columns)
    begin = 0
    for part in chain((first,), parts):
        here = slice(begin, begin + len(part.queries))
        for column, found in zip(columns, part.columns, strict=True):
            column.values[here] = found.values
            if column.weights is not None and found.weights is not None:
                column.weights[here] = found.weights
        begin = here.stop
    return scores_of(ranked, columns)


def evaluate_beside(ranked: Ranked, requests: Sequence[Request], beside: Beside) -> Scores:
    """Compute requests as `evaluate` does, and others that stand in `Scores.beside`."""
    found = evaluate(ranked, (*requests, *beside.requests))
    columns, count = found.columns, len(requests)
    return replace(found, columns=columns[:count], beside=columns[count:], unknown=beside.unknown)


FIRST = 10
"""Number of first ranks that are looked at for measures without a cutoff."""


def without_unjudged(request: Request) -> Request:
    """Return the measure on condensed lists, which have no unjudged documents."""
    return replace(request, judged_only=True)


_BEST = "best"


def with_best(request: Request) -> Request | None:
    """The value if unjudged documents among the first had the highest grade; None where that is not the best value."""
    known = request.cutoff is not None and request.better == "higher" and request.bounds != "none"
    return replace(request, bound=_BEST) if known else None


def judged_among_first(request: Request) -> Request:
    """The share of judged documents among the ranks that a measure looks at, weighed by the number of its results.

    The weight tells a query without results, which has no unjudged documents, from one of which nothing is judged.
    """
    (judged,) = parse([f"Judged(by=pooled)@{request.cutoff or FIRST}"])
    return judged


def changes_with_judgments(request: Request) -> bool:
    """Return True for measures of which unjudged documents could decide a comparison."""
    return (
        request.measure.numeric
        and request.measure.per_query
        and request.measure.summary not in ("none", "queries")
        and request.better != "neither"
        and request.bounds != "fixed"
        and not (request.bound or request.judged_only)
    )


def of_unjudged(requests: Iterable[Request], judgments: Judgments, settings: Settings) -> Beside:
    """Return the requests that tell whether unjudged documents decide a comparison: see `contrasts.Unjudged`.

    Nothing where judgments hardly name documents that are not relevant: then runs with more judged documents are better
    runs, and condensed lists have relevant documents alone.
    """
    if settings.judged_only or judgments.neighbours:  # of which everything is judged
        return Beside(unknown="")
    averaged = settings.ties == "average"
    if judgments.details is not None:
        return Beside(unknown=f"not for judgments of {judgments.details.kind.name}")
    if settings.costs is not None:
        return Beside(unknown="not where results have costs")
    if averaged and settings.depth is not None:
        return Beside(unknown="not for expected values over ties of rankings that are cut")
    if not _judge_nonrelevant(judgments, settings):
        return Beside(unknown="most queries have no document judged not relevant")
    bases = dict.fromkeys(request.base for request in requests if changes_with_judgments(request))
    beside = (
        each
        for base in bases
        for each in (without_unjudged(base), judged_among_first(base), None if averaged else with_best(base))
        if each
    )
    return Beside(tuple(dict.fromkeys(beside)), "")


def _judge_nonrelevant(judgments: Judgments, settings: Settings) -> bool:
    """Return True if at least half of the queries have a document that is judged not relevant."""
    below = (judgments.grade >= 0) & (judgments.grade < settings.level)
    return 2 * len(np.unique(judgments.query[below])) >= len(judgments.queries)


def in_parts(ranked: Ranked, requests: Iterable[Request]) -> Iterator[Scores]:
    """What `evaluate` computes, for some queries at a time, in their order; at least one part."""
    requests = tuple(requests)
    _require_kind(requests, ranked)
    if ranked.settings.ties == "average":
        _require_expected(requests, ranked)
    if ranked.size <= TOGETHER or any(request.bound not in ("", _BEST) for request in requests):
        ranked = ranked.wide
        yield scores_of(ranked, _columns(ranked, requests, _bounds(ranked, requests)))
        return
    for begin in range(0, ranked.size, TOGETHER):
        part = ranked.part(begin, min(begin + TOGETHER, ranked.size))
        yield scores_of(part, _columns(part, requests, _bounds(part, requests)))


def scores_of(ranked: Ranked, columns: tuple[Column, ...]) -> Scores:
    """The scores of rankings, given the columns."""
    return Scores(
        queries=ranked.queries,
        columns=columns,
        considered=ranked.considered,
        complete=ranked.settings.complete,
        positive_judgments=ranked.positive_judgments,
        tag=ranked.tag,
    )


def _columns(ranked: Ranked, requests: tuple[Request, ...], made: dict[Request, Column]) -> tuple[Column, ...]:
    shared = any(request.aggregate or request.bound for request in requests)
    return tuple(_column(ranked, request, made) if shared else _computed(ranked, request) for request in requests)


def _column(ranked: Ranked, request: Request, made: dict[Request, Column]) -> Column:
    """Requests that differ in their aggregate alone share their values."""
    base = request.base
    if base not in made:
        made[base] = _computed(ranked, base)
    weights = made[base].weights
    if request.aggregate == WEIGHTED:
        own = _query_weights(ranked)
        weights = own if weights is None or own is None else weights * own
    return Column(request, made[base].values, weights)


def _query_weights(ranked: Ranked) -> Floats | None:
    """(q,) The weight of each query, None where they have none. Raises `InputError` for a query that lacks one."""
    given = ranked.settings.query_weights
    if given is None:
        return None
    known = dict(given)
    for query in ranked.queries:
        if query not in known:
            raise InputError(f"the query {shown(query)} has no weight", remedy=f"add it to {option('query_weights')}")
    return np.array([known[query] for query in ranked.queries], dtype=np.float64)


def _with_room(column: Column, queries: int, made: dict[Request, Column]) -> Column:
    """A column for so many queries, like one for some of them; those that share their values share it."""
    base = column.request.base
    if base not in made:
        values = np.empty(queries, dtype=column.values.dtype)
        weighed = column.weights is not None and column.request.aggregate != WEIGHTED
        made[base] = Column(base, values, np.empty(queries) if weighed else None)
    if column.request.aggregate == WEIGHTED and column.weights is not None:
        return Column(column.request, made[base].values, np.empty(queries))
    return Column(column.request, made[base].values, made[base].weights)


def _computed(ranked: Ranked, request: Request) -> Column:
    values = _values(ranked, request)
    weights = values.weights if isinstance(values, Weighted) else None
    return Column(request, summed(values, ranked.size), weights)


def _values(ranked: Ranked, request: Request) -> Values:
    measure = request.measure
    view = _view(ranked, request)
    if request.k is not None:
        view = view.at(depth=request.k)
    positional, named = measure.arguments(request.value.value, dict(request.options))
    if ranked.settings.ties == "average" and callable(measure.expected):
        return measure.expected(view, *positional, **named)
    return measure.function(view, *positional, **named)


def terms(ranked: Ranked, request: Request) -> Terms | None:
    """The terms that the values of a request are the sums of; None for a measure that is no sum over ranks.

    Their ranks are those of the rankings as the request sees them: without unjudged documents where it drops them.
    """
    values = None if request.bound else _values(ranked.wide, request.base)
    return values if isinstance(values, Terms) else None


def _view(ranked: Ranked, request: Request) -> Ranked:
    """The rankings at the relevance level of a request, or without gains below it, and without unjudged documents."""
    view = ranked.at(level=request.level, judged_only=request.judged_only)
    graded = request.measure.graded and request.level is not None
    return view.without_gain_below(view.settings.level) if graded else view


def _bounds(ranked: Ranked, requests: Iterable[Request]) -> dict[Request, Column]:
    """All bounds that are asked for, those under one relevance level together."""
    under: dict[tuple[float | None, bool], list[Request]] = {}
    for request in requests:
        if request.bound:
            graded = request.measure.graded and request.level is not None
            under.setdefault((request.level, graded), []).append(request.base)
    if not under:
        return {}
    found: dict[Request, Column] = {}
    for group in under.values():
        view = _view(ranked, group[0])
        values = {each: _all_best(view, each) for each in group if each.bound == _BEST}
        if others := [each for each in group if each.bound != _BEST]:
            values |= _bounding().bounded(view, others)
        found |= {request: Column(request, of) for request, of in values.items()}
    return found


def _bounding() -> Any:
    """The module for bounds. Raises `UsageError` where no extension has one."""
    if (found := provided("bounds")) is None:
        fact = f"what computes bounds, and values of drawn grades, is {where('bounds')}"
        raise UsageError(fact, remedy="leave out bounds and bootstrap")
    return found


def value_of(ranked: Ranked, request: Request) -> Floats:
    """Return the value of each query of rankings that are at the relevance level of the request."""
    view = ranked if request.k is None else ranked.at(depth=request.k)
    positional, named = request.measure.arguments(request.value.value, dict(request.options))
    return summed(request.measure.function(view, *positional, **named), ranked.size).astype(np.float64)


def _all_best(ranked: Ranked, request: Request) -> Floats:
    """Values of a measure with a cutoff, where unjudged documents among the first results have the highest grade.

    The number of relevant documents and the ideal ranking stay the same, and values of measures up to 1 are cut there.
    """
    values = value_of(ranked, request)
    limit = request.cutoff or 0
    holes = ranked.within(limit, ranked.grade >= 0) < np.minimum(ranked.retrieved, limit)
    some = np.flatnonzero(holes & (segments.count(ranked.judged_owner, ranked.size) > 0))
    if len(some):

        def grades(query: bytes, judged: Floats, ranks: int, _: int) -> Floats:
            return np.full((ranks, 1), ranked.highest_grade)

        best = value_of(with_grades(ranked, some.tolist(), limit, grades, 1), request)
        values[some] = np.minimum(best, 1.0) if request.of_one else best
    return values


def with_grades(
    ranked: Ranked, queries: list[int], limit: int, grades_of: Callable[[bytes, Floats, int, int], Floats], each: int
) -> Ranked:
    """So many rankings of each of some queries, whose first results all have grades: `grades_of` the query, its
    judgments, so many ranks, and so many rankings."""
    grades, judgments = [], []
    for query in queries:
        hits = slice(*np.searchsorted(ranked.owner, (query, query + 1)))
        rank, grade = ranked.rank[hits], ranked.grade[hits]
        judged = ranked.judged_grade[slice(*np.searchsorted(ranked.judged_owner, (query, query + 1)))]
        near = (rank <= limit) & (grade >= 0)
        found = grades_of(ranked.queries[query], judged, limit, each)[: ranked.retrieved[query]]
        found[rank[near] - 1] = grade[near, None]
        grades.append(found.T)
        judgments.append(judged)
    copies = np.arange(len(queries) * each)
    shown = np.repeat([found.shape[1] for found in grades], each)
    owner = np.repeat(copies, shown)
    rank = segments.position(owner, len(copies)) + 1
    source = np.repeat(queries, each)
    return replace(
        ranked,
        queries=tuple(ranked.queries[query] for query in source.tolist()),
        missing=ranked.missing[source],
        retrieved=ranked.retrieved[source],
        owner=owner,
        rank=rank,
        grade=np.concatenate([found.ravel() for found in grades]),
        tie_first=rank,
        tie_last=rank,
        judged_owner=np.repeat(copies, np.repeat([len(judged) for judged in judgments], each)),
        judged_grade=np.concatenate([np.tile(judged, each) for judged in judgments]),
        considered=len(copies),
        details=None,
        judgment=None,
        judged=None,
        score=None,
        _views={},
    )


def suited(settings: Settings, requests: Sequence[Request], warn: Warn) -> Settings:
    """The settings, with the format of judgments that every measure needs, where none is named and lines alone do not
    tell it, such as whether their second field is a subtopic. `warn` is told.
    """
    kinds = {request.measure.of for request in requests}
    if settings.qrels_format is not None or len(kinds) != 1 or GRADES in kinds:
        return settings

    for form in JUDGMENTS.values():
        if form.kind.name in kinds and form.kind.implied:
            warn(f"{form.kind.implied}; --qrels-format {form.name} says so")
            return replace(settings, qrels_format=form.name)
    return settings


def _require_kind(requests: Iterable[Request], ranked: Ranked) -> None:
    """Every measure has judgments of the kind that it needs, or the evaluation is refused."""
    kind = GRADES if ranked.details is None else ranked.details.kind.name
    graded = ranked.details is None or ranked.details.kind.graded
    for request in requests:
        if request.measure.of not in (GRADES, kind):
            wanted = request.measure.of
            named = [f"--qrels-format {form.option}" for form in listed(JUDGMENTS) if form.kind.name == wanted]
            fact = f"the measure '{request.base.label}' needs judgments of {wanted}, and these are of {kind}"
            reads = (
                f"{' or '.join(named)} reads them" if named else f"give arrays of neighbours that both have {wanted}"
            )
            raise UsageError(fact, remedy=reads)
        if request.measure.of == GRADES and not graded and not _of_no_grades(request, ranked):
            fact = f"the measure '{request.base.label}' needs grades, and these are judgments of {kind}"
            known = ", ".join(name for name, measure in MEASURES.items() if measure.of == kind)
            raise UsageError(fact, remedy=f"choose one for them with -m: {known}")


def _of_no_grades(request: Request, ranked: Ranked) -> bool:
    """Whether a measure is about what was asked and answered, whatever the grades are."""
    assigned = ranked.details is not None and ranked.details.kind.assigned
    of_shares = assigned and request.measure.name in ("judged", "unjudged")
    return of_shares or request.measure.summary in ("queries", "run tag")


def _require_expected(requests: Iterable[Request], ranked: Ranked) -> None:
    """Every measure has an expected value over ties, or the evaluation is refused."""
    cut = ranked.settings.depth is not None
    for request in requests:
        if cut and (ranked.settings.judged_only or request.judged_only):
            raise UsageError(
                "there are no expected values over ties if a ranking is cut before unjudged documents are removed",
                remedy="leave out one of -M and -J, or choose another --ties",
            )
        expected = request.measure.expected
        known = callable(expected) or (expected == ORDER_FREE and not cut and request.k is None)
        known &= ranked.settings.costs is None or not request.costs
        if not known:
            where = " of the first results" if expected == ORDER_FREE else ""
            raise UsageError(
                f"the expected value{where} over ties of the measure '{request.base.label}' has no closed form",
                remedy="ask for it with another --ties",
            )
        if request.bound:
            what = "drawn grades" if request.bound == BOOTSTRAP else "bounds"
            raise UsageError(f"there are no {what} for expected values over ties", remedy="choose another --ties")


# Aggregation: from one value per query to the one for all queries

Summarised = float | int | bytes | None


@dataclass(frozen=True, eq=False)
class Summary:
    """The line for all queries of every column.

    Attributes
    ----------
    values : tuple
        One per column of the `Scores`, in their order: a float for a real measure, an int for a count,
        bytes for the run id, None for a measure that has no summary.
    """

    values: tuple[Summarised, ...]


def summarise(scores: Scores) -> Summary:
    """Summarise every column by the rule of its measure (`irev.measures.measure.Summary`) or as asked for."""
    return _summarised((scores,), scores)


def evaluate_summary(ranked: Ranked, requests: Iterable[Request]) -> tuple[Scores, Summary]:
    """What `evaluate` computes, summarised, and these scores without values of single queries.

    Memory does not grow with the number of requests.
    """
    requests = tuple(requests)
    scores = scores_of(ranked, tuple(Column(request, np.empty(0)) for request in requests))
    return scores, _summarised(in_parts(ranked, requests), scores)


def _summarised(parts: Iterable[Scores], scores: Scores) -> Summary:
    """The summary of the columns of all parts in turn, `scores` saying of all queries what no column does."""
    folding = Folding(column.request for column in scores.columns)
    for part in parts:
        folding.add(part.columns)
    return folding.summary(scores)


class Folding:
    """Values that come some queries at a time, in the order of the queries, on the way to those for all of them."""

    def __init__(self, requests: Iterable[Request]) -> None:
        self._rules = [_rule(request) for request in requests]

    def add(self, columns: Iterable[Column]) -> None:
        """Take the columns of the next queries, one for each request."""
        for rule, column in zip(self._rules, columns, strict=True):
            rule.add(column)

    def summary(self, scores: Scores) -> Summary:
        """What became of them, `scores` saying of all queries what no column does."""
        return Summary(tuple(rule.value(scores) for rule in self._rules))


class _Rule:
    """How the values of one request become one, part by part; this one makes nothing of them."""

    def __init__(self, request: Request) -> None:
        self.request = request

    def add(self, column: Column) -> None:
        """Take the values of the next queries."""

    def value(self, scores: Scores) -> Summarised:
        """What became of them, `scores` saying what there is to know of all queries together."""
        return None


class _QueriesCounted(_Rule):
    def value(self, scores: Scores) -> int:
        return scores.considered


class _Tag(_Rule):
    def value(self, scores: Scores) -> bytes:
        return scores.tag


class _Mean(_Rule):
    total = 0.0
    weight: float | None = None

    def add(self, column: Column) -> None:
        values = column.values
        if column.weights is not None:
            self.weight = segments.sum_in_order(column.weights, self.weight or 0.0)
            values = values * column.weights
        self.total = segments.sum_in_order(values, self.total)

    def value(self, scores: Scores) -> float:
        if self.weight is not None:
            return self.total / (self.weight or 1.0)
        return self.total / scores.considered if scores.considered else math.nan


class _WeightedMean(_Mean):
    """By the weights of queries. Raises `UsageError` where there are none, and where a query counts that has no row."""

    def value(self, scores: Scores) -> float:
        if scores.considered != len(scores.queries):
            fact = f"trec_eval {SINGLE_PRECISION} always counts queries without results as 0"
            raise UsageError(f"{fact}, and they have weights", remedy="leave out --compat, or -c")
        if self.weight is None and len(scores.queries):
            return segments.aggregate(WEIGHTED, np.empty(0))  # which says so
        return self.total / self.weight if self.weight else math.nan


class _AddedUp(_Rule):
    total: int | float = 0

    def add(self, column: Column) -> None:
        if column.values.dtype.kind == "i":
            self.total += int(column.values.sum())
        else:  # an expected number, or a bound of one, need not be whole
            self.total = segments.sum_in_order(column.values, self.total)

    def value(self, scores: Scores) -> int | float:
        return self.total


class _JudgedRelevant(_AddedUp):
    """Over all judged queries trec_eval counts positive grades in the file, whatever the relevance level."""

    def value(self, scores: Scores) -> int | float:
        return scores.positive_judgments if scores.complete and self.request.plain else self.total


class _GeometricMean(_Mean):
    """From logarithms; a query that counts without being evaluated enters with the lowest."""

    def value(self, scores: Scores) -> float:
        absent = scores.considered - len(scores.queries)
        if not scores.considered:
            return math.nan
        try:
            return math.exp((self.total + absent * math.log(FLOOR)) / scores.considered)
        except OverflowError:  # of z-scores alone, and then C has no fault either
            return math.inf


class _Aggregate(_Rule):
    """Of all values together, which are kept; a query that counts without being evaluated has found nothing."""

    def __init__(self, request: Request) -> None:
        super().__init__(request)
        self._values: list[Floats] = []

    def add(self, column: Column) -> None:
        self._values.append(column.values)

    def value(self, scores: Scores) -> float:
        absent = np.zeros(scores.considered - len(scores.queries))
        return segments.aggregate(self.request.aggregate, np.concatenate((*self._values, absent)))


def _rule(request: Request) -> _Rule:
    if request.aggregate == WEIGHTED:
        return _WeightedMean(request)
    return _Aggregate(request) if request.aggregate else _RULES[request.measure.summary](request)


_RULES: dict[str, type[_Rule]] = {
    "mean": _Mean,
    "sum": _AddedUp,
    "geometric mean": _GeometricMean,
    "queries": _QueriesCounted,
    "run tag": _Tag,
    "judged relevant": _JudgedRelevant,
    "none": _Rule,
}
