"""Coverage: what of the runs was judged, what the holes could change, and how much runs owe to judgments of their own.

A document without a judgment counts as not relevant. Runs that were not pooled have more of these than runs that were,
and so may have lower values than they deserve: `coverage_of` says how many there are, between which values the scores
lie whatever those that a run found turn out to be, and what becomes of each run under the judgments that the others
brought in.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Mapping, Sequence
from itertools import combinations
from typing import NamedTuple

import numpy as np

from irev.analysis.comparison.agreement import Ordering
from irev.base.aggregates import mean
from irev.base.records import dataclass
from irev.base.segments import Floats
from irev.errors import InputError, UsageError
from irev.evaluation.covered import DEPTHS, Covered
from irev.evaluation.curves.by_query import one_scale
from irev.evaluation.curves.curve import LINES, POINTS, Axis, Curve, Curves, Point
from irev.measures import Request
from irev.reading import ids
from irev.reading.qrels import Judgments
from irev.statistics import orderings
from irev.statistics.rounding import begins

POOL_DEPTH = 100
"""To which rank runs were pooled, unless it is said: deeper documents are nobody's own contribution."""

FIRST = 10
"""So many first documents of each query are looked at for what is not judged."""


class Score(NamedTuple):
    """A run under one measure.

    Attributes
    ----------
    value : float
    condensed : float
        Of its list without unjudged documents.
    low, high : float or None
        Between which it lies, whatever the unjudged documents of the run turn out to be; None where no exact method is
        known.
    place : int
        Among the runs, from 1.
    without : float
        Its value without the judgments that its group alone brought in.
    place_without : int
        Its place then, the others being as they are.
    """

    value: float
    condensed: float
    low: float | None
    high: float | None
    place: int
    without: float
    place_without: int

    @property
    def change(self) -> float:
        """What it gains, or loses, by not having been pooled; 0 where both are infinite."""
        return 0.0 if self.without == self.value else self.without - self.value


class RunCoverage(NamedTuple):
    """A run.

    Attributes
    ----------
    name, group : str
        The group is its own name where it has none.
    judged : tuple of (float or None)
        The share of its first documents that is judged, for each depth, the mean over queries for which it has any;
        None beyond its deepest ranking.
    unjudged, alone : int
        Pairs of a query and a document that is not judged among its first documents; and those that no other run has
        there.
    own, own_relevant : int
        Judged documents that its group alone brought into the pool, and how many of these are relevant.
    scores : tuple of Score
        For each measure.
    """

    name: str
    group: str
    judged: tuple[float | None, ...]
    unjudged: int
    alone: int
    own: int
    own_relevant: int
    scores: tuple[Score, ...]


class Hole(NamedTuple):
    """A document that is not judged, and that runs have among their first.

    Attributes
    ----------
    query, document : bytes
    runs : int
        How many have it there.
    best : int
        Its best rank.
    """

    query: bytes
    document: bytes
    runs: int
    best: int


class Exchange(NamedTuple):
    """Two runs that could change places.

    Attributes
    ----------
    measure : str
    better, worse : str
        As they stand.
    difference : float
        Of their values, positive.
    needed : float
        How much of what could happen it takes: the difference as a share of how far the better run could fall and the
        worse one rise; 1 could just not happen, or is an infinite difference.
    """

    measure: str
    better: str
    worse: str
    difference: float
    needed: float


class Bias(NamedTuple):
    """How much runs owe to judgments of their own, under one measure.

    Attributes
    ----------
    measure : str
    mean, largest : float
        Of the sizes of the changes of values.
    largest_run : str
        Whose change that is.
    places : int
        The largest change of a place.
    tau : float or None
        Kendall's tau-b of the order of the runs as they are with that of all their values without.
    better : str
        ``higher`` or ``lower``: which values of the measure are.
    """

    measure: str
    mean: float
    largest: float
    largest_run: str
    places: int
    tau: float | None
    better: str


@dataclass(frozen=True, eq=False)
class Coverage:
    """What the judgments cover of runs.

    Attributes
    ----------
    runs : tuple of RunCoverage
    measures : tuple of str
        As papers write them.
    depths : tuple of int
    first : int
        How many first documents were looked at for what is not judged.
    pool_depth : int
    grouped : bool
        Whether groups were given.
    queries : int
        That count.
    shared : tuple of (int, int)
        By how many runs unjudged first documents are shared, and how many are by so many.
    holes : tuple of Hole
        These documents, those of most runs first, then by best rank and name.
    exchanges : tuple of Exchange
        The easiest first, for each measure that has bounds.
    pairs : int
        Of runs.
    bounded : tuple of bool
        Which measures have bounds.
    biases : tuple of Bias
        For each measure; none at all of one group alone.
    """

    runs: tuple[RunCoverage, ...]
    measures: tuple[str, ...]
    depths: tuple[int, ...]
    first: int
    pool_depth: int
    grouped: bool
    queries: int
    shared: tuple[tuple[int, int], ...]
    holes: tuple[Hole, ...]
    exchanges: tuple[Exchange, ...]
    pairs: int
    bounded: tuple[bool, ...]
    biases: tuple[Bias, ...]


def coverage_of(
    names: Sequence[str],
    covered: Sequence[Covered],
    judgments: Judgments,
    requests: Sequence[Request],
    groups: Mapping[str, str],
    *,
    first: int = FIRST,
    pool_depth: int = POOL_DEPTH,
    level: float = 1.0,
) -> Coverage:
    """What the judgments cover of runs, and what that does to their values.

    Parameters
    ----------
    names : sequence of str
        Of the runs.
    covered : sequence of Covered
        Their scores are those of `irev.evaluation.covered.asked_of`.
    judgments : Judgments
    requests : sequence of Request
    groups : mapping of str to str
        The group of a run; one without is a group of its own.
    first : int
        How many first documents of each query are looked at for what is not judged.
    pool_depth : int
        The rank to which runs were pooled.
    level : float
        From which grade on a document is relevant.

    A judged document is a group's own if no run of another group has it up to the depth of the pool, and one of its own
    has. Leaving out a run with what it alone brought in is Zobel's, and leaving out its group is usual at TREC.

    Zobel, How Reliable Are the Results of Large-Scale Information Retrieval Experiments?, SIGIR 1998; Buckley, Dimmick,
    Soboroff and Voorhees, Bias and the Limits of Pooling for Large Collections, Information Retrieval 10, 2007.
    """
    of_runs = [(name in groups, groups.get(name, name)) for name in names]  # a run may be called as a group of others
    apart = sorted(set(of_runs))
    number = {group: place for place, group in enumerate(apart)}
    pooled = np.array([(each.tops.rank > 0) & (each.tops.rank <= pool_depth) for each in covered])
    by_group = np.zeros((len(apart), len(judgments.grade)), dtype=bool)
    for run, group in enumerate(of_runs):
        by_group[number[group]] |= pooled[run]
    counting = np.zeros(len(judgments.queries) + 1, dtype=bool)  # the last is of queries that are not judged
    for each in covered:
        counting[judgments.places(each.ranked.queries)] = True
    counting[-1] = False
    judged = (judgments.grade >= 0) & counting[judgments.query]
    alone = (by_group.sum(axis=0) == 1) & judged
    holes, unjudged, lonely = _holes(covered, judgments)
    depths = tuple(depth for depth in DEPTHS if depth <= max(_deepest(each) for each in covered)) or DEPTHS[:1]
    table = np.array([[float(value or 0.0) for value in each.evaluated.summaries[0].values] for each in covered])
    values, condensed = table[:, : len(requests)], table[:, len(requests) : 2 * len(requests)]
    without = values.copy()
    if len(apart) > 1:
        for run, each in enumerate(covered):
            own = alone & by_group[number[of_runs[run]]]
            if own.any():
                without[run] = each.under_fewer(judgments, own, requests)
    found = []
    for run, (name, each) in enumerate(zip(names, covered, strict=True)):
        own = alone & by_group[number[of_runs[run]]]
        scores = tuple(
            Score(
                float(values[run, m]),
                float(condensed[run, m]),
                low,
                high,
                _place(values[run, m], np.delete(values[:, m], run), request),
                float(without[run, m]),
                _place(without[run, m], np.delete(values[:, m], run), request),
            )
            for m, request in enumerate(requests)
            for low, high in [each.bounds[m] or (None, None)]
        )
        shares = _shares(each)
        deepest = _deepest(each)
        found.append(
            RunCoverage(
                name,
                of_runs[run][1],
                tuple(shares[place] if depth <= deepest else None for place, depth in enumerate(depths)),
                unjudged[run],
                lonely[run],
                int(own.sum()),
                int((own & (judgments.grade >= level)).sum()),
                scores,
            )
        )
    bounded = tuple(all(each.bounds[m] is not None for each in covered) for m in range(len(requests)))
    exchanges = [
        each for m, request in enumerate(requests) if bounded[m] for each in _exchanges(names, found, m, request)
    ]
    return Coverage(
        tuple(found),
        tuple(request.standard for request in requests),
        depths,
        first,
        pool_depth,
        bool(groups),
        covered[0].ranked.considered,
        tuple(sorted(Counter(hole.runs for hole in holes).items())),
        tuple(holes),
        tuple(exchanges),
        len(names) * (len(names) - 1) // 2,
        bounded,
        tuple(_bias(names, found, m, request) for m, request in enumerate(requests)) if len(apart) > 1 else (),
    )


def pictures(coverage: Coverage) -> tuple[Curves, ...]:
    """The share that is judged, by rank; and for each measure runs by their values with and without their own."""
    judged = Curves(
        "judged",
        "",
        "",
        Axis("k", "first k documents", float(coverage.depths[0]), float(max(coverage.depths[-1], 2)), logarithmic=True),
        Axis("judged", "share that is judged", 0.0, 1.0),
        tuple(
            Curve(
                run.name,
                tuple(
                    Point(float(k), share)
                    for k, share in zip(coverage.depths, run.judged, strict=True)
                    if share is not None
                ),
            )
            for run in coverage.runs
        ),
        LINES,
        "Share of the first k documents that is judged, mean over queries with results.",
    )
    return (judged, *(_without(coverage, place) for place in range(len(coverage.biases))))


def _without(coverage: Coverage, place: int) -> Curves:
    scores = [run.scores[place] for run in coverage.runs]
    low, high = one_scale(np.array([each.value for each in scores]), np.array([each.without for each in scores]))
    measure = coverage.measures[place]
    whose = "its group" if coverage.grouped else "it"
    side = "above" if coverage.biases[place].better == "lower" else "below"
    points = tuple(Point(each.value, each.without, run.name) for each, run in zip(scores, coverage.runs, strict=True))
    return Curves(
        "without",
        measure,
        "",
        Axis("value", measure, low, high),
        Axis("without", f"{measure} without what {whose} alone brought in", low, high),
        (Curve("", points, {"tau b": coverage.biases[place].tau}),),
        POINTS,
        f"A point for each run; {side} the diagonal are those that owe something to judgments that {whose} alone"
        " brought in.",
        labels="run",
        equal=True,
    )


def require_groups(groups: Mapping[str, str], names: Sequence[str], path: str) -> None:
    """Raise `InputError` for a group of a run that there is not."""
    for name in groups:
        if name not in names:
            raise InputError(f"there is no run {name}", path, f"runs are called {', '.join(names)}")


def require_suited(requests: Sequence[Request]) -> None:
    """Raise `UsageError` for a measure that has no number for all queries, or that looks at nothing but coverage."""
    for request in requests:
        known = request.measure.summary not in ("none", "queries") or bool(request.aggregate)
        if request.measure.kind == "text" or not known or request.bound or request.judged_only:
            fact = f"{request.standard} has no values that unjudged documents could change"
            raise UsageError(fact, remedy="choose another measure")


def _deepest(each: Covered) -> int:
    return int(each.ranked.retrieved.max(initial=0))


def _shares(each: Covered) -> list[float]:
    """What is judged at each of `DEPTHS`, the means over queries with results: no documents lack no judgments."""
    scores = each.evaluated.scores[0]
    there = each.ranked.retrieved > 0
    return [mean(column.values[there]) for column in scores.columns[-len(DEPTHS) :]]


def _merit(values: Floats, request: Request) -> Floats:
    """The better the higher; values that differ by rounding are equal."""
    return Ordering("", values, request.better, 0).merit


def _place(value: float, others: Floats, request: Request) -> int:
    merit = _merit(np.append(others, value), request)
    return int((merit > merit[-1]).sum()) + 1


def _more(one: float, other: float) -> bool:
    """Whether a number is larger by more than rounding explains."""
    return one > other and bool(begins(np.array([other, one]))[1])


def _holes(covered: Sequence[Covered], judgments: Judgments) -> tuple[list[Hole], list[int], list[int]]:
    """What is not judged of the first documents; of each run how many, and how many of these it has alone."""
    runs: Counter[tuple[bytes, bytes]] = Counter()
    best: dict[tuple[bytes, bytes], int] = {}
    own: list[list[tuple[bytes, bytes]]] = []
    for each in covered:
        first = each.tops.first
        graded = np.append(judgments.grade, np.nan)[first.judgment]
        unnamed = iter(first.others)
        counting = set(judgments.places(each.ranked.queries).tolist())
        mine = []
        for query, place, judgment, grade in zip(
            first.query.tolist(), first.place.tolist(), first.judgment.tolist(), graded.tolist(), strict=True
        ):
            if grade >= 0:
                continue
            document = (
                next(unnamed)
                if judgment < 0
                else ids.at(judgments.text, judgments.document_start[judgment], judgments.document_length[judgment])
            )
            if query not in counting:
                continue
            pair = judgments.queries[query], document
            mine.append(pair)
            runs[pair] += 1
            best[pair] = min(best.get(pair, place), place)
        own.append(mine)
    found = [Hole(*pair, count, best[pair]) for pair, count in runs.items()]
    found.sort(key=lambda hole: (-hole.runs, hole.best, hole.query, hole.document))
    return found, [len(mine) for mine in own], [sum(runs[pair] == 1 for pair in mine) for mine in own]


def _exchanges(names: Sequence[str], runs: Sequence[RunCoverage], m: int, request: Request) -> list[Exchange]:
    """Pairs of runs whose order the unjudged documents could reverse.

    The best of the worse run is above the worst of the better one, each by the documents that it has itself. A document
    that both have could not be relevant for one of them alone, so there may be too many; and one that the other alone
    has may lower what is divided by all relevant documents, so there may be too few.
    """
    sign = -1.0 if request.better == "lower" else 1.0
    found = []
    for one, other in combinations(range(len(names)), 2):
        a, b = (one, other) if sign * (runs[one].scores[m].value - runs[other].scores[m].value) >= 0 else (other, one)
        better, worse = runs[a].scores[m], runs[b].scores[m]
        difference = sign * (better.value - worse.value)
        worst, best = (better.low, worse.high) if sign > 0 else (better.high, worse.low)
        worst, best = sign * (worst or 0.0), sign * (best or 0.0)
        if _more(sign * better.value, sign * worse.value) and _more(best, worst):
            reach = best - worst
            needed = 1.0 if math.isinf(difference) else difference / (difference + reach)
            found.append(Exchange(request.standard, names[a], names[b], difference, needed))
    return sorted(found, key=lambda each: each.needed)


def _bias(names: Sequence[str], runs: Sequence[RunCoverage], m: int, request: Request) -> Bias:
    scores = [run.scores[m] for run in runs]
    changes = np.array([abs(score.change) for score in scores])
    largest = int(changes.argmax())
    merits = [
        _merit(np.array(values), request)
        for values in ([score.value for score in scores], [score.without for score in scores])
    ]
    return Bias(
        request.standard,
        mean(changes),
        float(changes[largest]),
        names[largest],
        max(abs(score.place - score.place_without) for score in scores),
        orderings.kendall_b(*merits) if len(names) > 1 else None,
        request.better,
    )
