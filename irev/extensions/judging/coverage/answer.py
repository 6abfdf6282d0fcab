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
from dataclasses import replace
from itertools import combinations

import numpy as np

from irev.base.errors import InputError, UsageError, option
from irev.base.segments import Floats, mean
from irev.base.settings import Settings
from irev.base.text import decoded
from irev.commands.agreement import Ordering
from irev.evaluation.inputs import Inputs
from irev.evaluation.result import Input
from irev.extensions.judging.coverage import CoverageChoices
from irev.extensions.judging.coverage.covered import DEPTHS, Covered, CoveredRuns, cover
from irev.extensions.judging.coverage.finding import Bias, Coverage, Exchange, Hole, RunCoverage, Score
from irev.measures import Request
from irev.reading import ids
from irev.reading.judgments import Judgments
from irev.reading.small_files import read_groups
from irev.reading.sources import Source
from irev.statistics import correlations
from irev.statistics.rounding import begins


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
        Their scores are those of `irev.extensions.judging.coverage.covered.asked_of`.
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
