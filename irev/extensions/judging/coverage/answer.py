"""Coverage: what of the runs was judged, what the holes could change, and how much runs owe to judgments of their own.

A document without a judgment counts as not relevant. Runs that were not pooled have more of these than runs that were,
and so may have lower values than they deserve: `coverage_of` says how many there are, between which values the scores
lie whatever those that a run found turn out to be, and what becomes of each run under the judgments that the others
brought in.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from itertools import combinations
from typing import NamedTuple

import numpy as np

from irev.base.errors import InputError, UsageError, option
from irev.base.records import dataclass
from irev.base.segments import Bools, Floats, mean
from irev.base.settings import Settings
from irev.base.text import decoded
from irev.commands.agreement import Ordering
from irev.evaluation.batch import Batch, Evaluated, Task, local
from irev.evaluation.inputs import Inputs, names_of, refuse_idle_columns, require_runs, warn_of_evaluated
from irev.evaluation.notes import judgments_notes, not_common_notes
from irev.evaluation.result import Input, common_queries
from irev.evaluation.scores import evaluate, suited, summarise
from irev.evaluation.side_by_side import judgment_at, judgments_in_order
from irev.extensions.judging.coverage import CoverageChoices
from irev.extensions.judging.coverage.finding import Bias, Coverage, Exchange, Hole, RunCoverage, Score
from irev.measures import Request, parse
from irev.measures.request import HIGH, LOW
from irev.ranking import ranking
from irev.ranking.hits import TopK
from irev.ranking.ranked import Ranked, some
from irev.reading import ids, qrels
from irev.reading.judgments import Judgments
from irev.reading.small_files import read_groups
from irev.reading.sources import Source
from irev.statistics import correlations
from irev.statistics.rounding import begins

DEPTHS = (1, 5, 10, 20, 50, 100, 200, 500, 1000)
"""Where the share of judged documents is told, as deep as runs go."""


class Covered(NamedTuple):
    """A run, and what it leaves open.

    Attributes
    ----------
    evaluated : Evaluated
        Under all judgments.
    ranked : Ranked
    top_k : TopK
        Its first documents, and where judged ones stand.
    bounds : tuple of ((float, float) or None)
        Of each request the lowest and highest value for all queries; None where no exact method is known.
    """

    evaluated: Evaluated
    ranked: Ranked
    top_k: TopK
    bounds: tuple[tuple[float, float] | None, ...]

    def under_fewer(self, judgments: Judgments, removed: Bools, requests: Sequence[Request]) -> list[float]:
        """The values for all queries as if some judgments, (j,) flagged, had never been made.

        The queries stay the same: one of which nothing is judged any more has nothing to find.
        """
        kept = ~np.append(removed, True)  # the last place is for hits without a judgment, which do not occur here
        hits = kept[judgment_at(self.ranked, self.ranked.owner, self.ranked.rank, judgments, self.top_k)]
        judged = kept[:-1][judgments_in_order(self.ranked, judgments)]
        grade = judgments.grade[~removed]
        fewer = _with_fewer(self.ranked, hits, judged, int((grade > 0).sum()), float(grade.max(initial=0.0)))
        return numbers_of(fewer, requests)


def numbers_of(ranked: Ranked, requests: Sequence[Request]) -> list[float]:
    """The values of requests for all queries."""
    return [float(value or 0.0) for value in summarise(evaluate(ranked, requests)).values]


@dataclass(frozen=True, eq=False)
class Covering:
    """Evaluates runs, and keeps what is asked of coverage.

    Attributes
    ----------
    task : Task
        Under one set of judgments.
    most : int
        First documents of each query to keep.
    bounded : tuple of Request
        What to give bounds of.
    """

    task: Task
    most: int
    bounded: tuple[Request, ...]

    def evaluated(self, path: str, watch: Callable[[int], None] | None = None, name: str | None = None) -> Covered:
        (judgments,) = self.task.judgments
        with Source(path, digest=self.task.digest, watch=watch, name=name) as source:
            ranked, reading, left_out, top_k = ranking.rank_with_top_k(judgments, source, self.task.settings, self.most)
            digest = source.digest() if self.task.digest else None
        found = self.task.of(source.name, reading, [(ranked, left_out)], digest)
        bounds = tuple(_bounds(ranked, request) for request in self.bounded)
        # Without what measures have made of the rankings, which is many times as large.
        return Covered(found, replace(ranked, _views={}), top_k, bounds)


class CoveredRuns(NamedTuple):
    """Several runs, and what they leave open.

    Attributes
    ----------
    names : sequence of str
    runs : tuple of Covered
    judgments : Judgments
    inputs : tuple of Input
    """

    names: Sequence[str]
    runs: tuple[Covered, ...]
    judgments: Judgments
    inputs: tuple[Input, ...]


def asked_of(requests: Sequence[Request]) -> tuple[Request, ...]:
    """What to evaluate: the requests, the same of condensed lists, and the share that are judged at each of
    `DEPTHS`."""
    judged = parse([f"judged.{','.join(map(str, DEPTHS))}"])
    return (*requests, *(replace(request, judged_only=True) for request in requests), *judged)


def cover(inputs: Inputs, most: int) -> CoveredRuns:
    """Evaluate every run, and keep its first documents of each query; of files alone.

    Raises
    ------
    UsageError
        For names that are not as many as runs, or are not different.
    InputError
        For a file that cannot be read or understood, or that shares no query with the judgments.
    """
    require_runs(inputs)
    requests, paths = inputs.requests, inputs.runs
    settings = suited(inputs.settings, requests, inputs.warn)
    ((_, judged),) = inputs.judgments
    with Source(judged, digest=True) as source:
        judgments = qrels.read(source, settings)
        read = [Input("qrels", source.name, *source.digest())]
    judgments.require_grades("coverage is")
    of_each = settings.of_every_query(tuple(judgments.queries))
    batch = Batch(
        Covering(Task((judgments,), asked_of(requests), of_each, digest=True), most, requests),
        paths,
        local(paths, inputs.jobs),
    )
    with inputs.watched(batch, paths):
        runs = tuple(batch.results())
    some: tuple[bytes, ...] = ()
    if of_each.queries == "both" and not of_each.complete:
        runs, some = _on_same_queries(runs, requests)
    evaluated = [each.evaluated for each in runs]
    read += [Input("run", each.name, *each.digest) for each in evaluated if each.digest]
    names = names_of(inputs, [each.reading.tag for each in evaluated])
    inputs.tell(judgments_notes(judgments, settings, requests), settings)
    warn_of_evaluated(inputs, evaluated, settings)
    inputs.tell(not_common_notes(some))
    refuse_idle_columns(inputs, judgments.named, any(each.reading.named for each in evaluated))
    return CoveredRuns(names, runs, judgments, tuple(read))


def _on_same_queries(
    runs: tuple[Covered, ...], requests: Sequence[Request]
) -> tuple[tuple[Covered, ...], tuple[bytes, ...]]:
    """The runs with the queries that all of them have, and the queries that some of them lack."""
    common, some = common_queries([each.ranked.queries for each in runs])
    return tuple(_with_queries(each, common, requests) for each in runs) if some else runs, some


def _with_queries(each: Covered, queries: set[bytes], requests: Sequence[Request]) -> Covered:
    ranked = _of_queries(each.ranked, np.array([query in queries for query in each.ranked.queries]))
    scores = evaluate(ranked, asked_of(requests))
    evaluated = each.evaluated._replace(scores=(scores,), summaries=(summarise(scores),))
    bounds = tuple(_bounds(ranked, request) for request in requests)
    return Covered(evaluated, replace(ranked, _views={}), each.top_k, bounds)


def _bounds(ranked: Ranked, request: Request) -> tuple[float, float] | None:
    if request.bounds in ("fixed", "none"):
        return None
    both = [replace(request, bound=bound) for bound in (LOW, HIGH)]
    try:
        low, high = numbers_of(ranked, both)
    except UsageError:  # no exact method is known under these judgments
        return None
    return low, high


def _of_queries(ranked: Ranked, kept: Bools) -> Ranked:
    """The rankings of some of the queries, (q,) flagged, as if there were no others."""
    hits, judged, number = kept[ranked.owner], kept[ranked.judged_owner], np.cumsum(kept) - 1
    return replace(
        ranked.with_hits(hits),
        queries=tuple(ranked.queries[query] for query in np.flatnonzero(kept).tolist()),
        missing=ranked.missing[kept],
        retrieved=ranked.retrieved[kept],
        owner=number[ranked.owner[hits]],
        judged_owner=number[ranked.judged_owner[judged]],
        judged_grade=ranked.judged_grade[judged],
        judged=some(ranked.judged, judged),
        element=None if ranked.element is None else ranked.element[np.repeat(kept, ranked.retrieved)],
        considered=int(kept.sum()),
        _views={},
    ).wide


def _with_fewer(ranked: Ranked, hits: Bools, judged: Bools, positive_judgments: int, highest_grade: float) -> Ranked:
    """These rankings under fewer judgments: (h,) the hits that stay hits, (j,) the judgments that stay."""
    return replace(
        ranked.with_hits(hits),
        judged_owner=ranked.judged_owner[judged],
        judged_grade=ranked.judged_grade[judged],
        judged=some(ranked.judged, judged),
        positive_judgments=positive_judgments,
        highest_grade=highest_grade,
        _views={},
    )


def answer(inputs: Inputs, choices: CoverageChoices) -> Coverage:
    """What judgments cover of runs, and what could follow from what they do not cover."""
    require_answer(inputs.settings)
    require_suited(inputs.requests)
    found = cover(inputs, choices.top)
    groups, read = choices.groups or {}, list[Input]()
    if isinstance(groups, str):
        with Source(groups, digest=True) as source:
            groups = {decoded(run): decoded(group) for run, group in read_groups(source, "run").items()}
            read.append(Input("groups", source.name, *source.digest()))
    require_groups(groups, found.names, read[0].name if read else "groups")
    made = coverage_of(found, inputs.requests, groups, choices, inputs.settings)
    return replace(made, inputs=(*found.inputs, *read), everything=choices.per_query)


def require_answer(settings: Settings) -> None:
    """Raise `UsageError` for settings under which the question has no answer."""
    if settings.judged_only:
        fact = f"{option('judged_only')} has no effect: values without unjudged documents are shown in any case"
    elif settings.ties == "average":
        fact = f"documents in ties have no rank of their own under {option('ties', 'average')}"
    elif settings.queries == "run":
        fact = f"{option('queries', 'run')} means other queries for each run, but comparisons need the same queries"
    else:
        return
    raise UsageError(fact, remedy="leave it out")


def coverage_of(
    found: CoveredRuns,
    requests: Sequence[Request],
    groups: Mapping[str, str],
    choices: CoverageChoices,
    settings: Settings,
) -> Coverage:
    """What the judgments cover of runs, and what that does to their values.

    Parameters
    ----------
    found : CoveredRuns
        Their scores are those of `irev.extensions.judging.coverage.answer.asked_of`.
    requests : sequence of Request
    groups : mapping of str to str
        The group of a run; one without is a group of its own.
    choices : CoverageChoices
    settings : Settings

    A judged document is a group's own if no run of another group has it up to the depth of the pool, and one of its own
    has. Leaving out a run with what it alone brought in is Zobel's, and leaving out its group is usual at TREC.

    Zobel, How Reliable Are the Results of Large-Scale Information Retrieval Experiments?, SIGIR 1998; Buckley, Dimmick,
    Soboroff and Voorhees, Bias and the Limits of Pooling for Large Collections, Information Retrieval 10, 2007.
    """
    names, covered, judgments = found.names, found.runs, found.judgments
    of_runs = [(name in groups, groups.get(name, name)) for name in names]  # a run may be called as a group of others
    apart = sorted(set(of_runs))
    number = {group: place for place, group in enumerate(apart)}
    pooled = np.array([(each.top_k.rank > 0) & (each.top_k.rank <= choices.pool_depth) for each in covered])
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
    runs = []
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
        runs.append(
            RunCoverage(
                name,
                of_runs[run][1],
                tuple(shares[place] if depth <= deepest else None for place, depth in enumerate(depths)),
                unjudged[run],
                lonely[run],
                int(own.sum()),
                int((own & (judgments.grade >= settings.level)).sum()),
                scores,
            )
        )
    bounded = tuple(all(each.bounds[m] is not None for each in covered) for m in range(len(requests)))
    exchanges = [
        each for m, request in enumerate(requests) if bounded[m] for each in _exchanges(names, runs, m, request)
    ]
    return Coverage(
        policy=settings.policy,
        queries=covered[0].ranked.considered,
        first=choices.top,
        pool_depth=choices.pool_depth,
        inputs=(),
        runs=tuple(runs),
        shared=tuple(sorted(Counter(hole.runs for hole in holes).items())),
        exchanges=tuple(exchanges),
        pairs=len(names) * (len(names) - 1) // 2,
        bounded=bounded,
        biases=tuple(_bias(names, runs, m, request) for m, request in enumerate(requests)) if len(apart) > 1 else (),
        holes=tuple(holes),
        measures=tuple(request.standard for request in requests),
        depths=depths,
        grouped=bool(groups),
    )


def require_groups(groups: Mapping[str, str], names: Sequence[str], path: str) -> None:
    """Raise `InputError` for a group of a run that there is not."""
    for name in groups:
        if name not in names:
            raise InputError(f"there is no run {name}", path, f"the runs are {', '.join(names)}")


def require_suited(requests: Sequence[Request]) -> None:
    """Raise `UsageError` for a measure that has no number for all queries, or that looks at nothing but coverage."""
    for request in requests:
        known = request.measure.summary not in ("none", "queries") or bool(request.aggregate)
        if request.measure.kind == "text" or not known or request.bound or request.judged_only:
            fact = f"{request.standard} does not change with unjudged documents"
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
        first = each.top_k.first
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
        correlations.kendall_b(*merits) if len(names) > 1 else None,
        request.better,
    )
