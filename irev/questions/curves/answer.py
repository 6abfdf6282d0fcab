"""Curves of several runs: which measures a kind of picture takes, and the pictures that outcomes make.

The points are made in `irev.evaluation.curves`; what a kind needs beside them, pairs of runs, intervals, orderings, is
decided here.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import combinations

from irev.base.settings import policy
from irev.base.text import percent
from irev.errors import UsageError, option
from irev.evaluation.comparison.alignment import differences_of, pairs_of
from irev.evaluation.comparison.systems import place_of
from irev.evaluation.curves import by_cutoff, by_query, recall_precision
from irev.evaluation.curves.by_query import ValuesByQuery, values_by_query
from irev.evaluation.curves.curve import Curves as Picture
from irev.evaluation.curves.curve import HowMade
from irev.evaluation.curves.kinds import (
    AGREEMENT,
    BY_CUTOFF,
    CUTOFF,
    DIFFERENCES,
    OF_PAIRS,
    ONE_QUERY,
    RECALL_PRECISION,
    SCATTER,
    TOPICS,
)
from irev.evaluation.curves.of_one_query import AP, of_one_query
from irev.evaluation.result import Outcome
from irev.measures import Request
from irev.questions.agreement import agreement, of_agreement, orderings_of, require_orders
from irev.questions.curves.choices import CurvesChoices
from irev.questions.curves.finding import Curves
from irev.questions.question import GivenSystems
from irev.statistics import effects, intervals
from irev.statistics.plan import Plan


def answer(given: GivenSystems, choices: CurvesChoices) -> Curves:
    """The pictures of one kind."""
    settings = given.settings
    if settings.ties == "average" and choices.curve in (ONE_QUERY, RECALL_PRECISION):
        fact = f"documents in ties have no rank of their own under {option('ties')} average"
        raise UsageError(fact, remedy="choose another")
    if settings.queries == "run":
        raise UsageError(f"{option('queries')} run has other queries for each run; curves are over the same ones")
    if choices.curve == ONE_QUERY:
        return _of_queries(given, choices)
    _require_runs(choices.curve, given.run_count)
    outcomes, _ = given.on_same_queries(_requests(given, choices), each_query=True)
    counting = settings.policy if given.run_count == 1 else policy(settings)
    made = HowMade(settings, counting, outcomes[0].scores.considered, tuple(given.inputs))
    return Curves(_drawn(given, choices, outcomes), made, choices.per_query)


def _of_queries(given: GivenSystems, choices: CurvesChoices) -> Curves:
    """Of single queries, which rankings make."""
    asked = tuple(dict.fromkeys(choices.query))
    if not asked:
        raise UsageError("the query to draw is needed", remedy=f"give {option('query')}")
    with given.single_queries(given.settings, asked, requests=AP) as (_, _, found):
        names = given.names([run.ranked.tag for run in found])
        runs = dict(zip(names, (run.ranked for run in found), strict=True))
        pictures = tuple(of_one_query(runs, query) for query in asked)
    return Curves(pictures, HowMade(given.settings, "each by itself", len(asked), tuple(given.inputs)))


def _require_runs(kind: str, runs: int) -> None:
    """Raise `UsageError` for fewer runs than a kind takes, to be told before a long computation."""
    if kind in OF_PAIRS and runs < 2:
        raise UsageError("there is nothing to compare", remedy="give at least two runs")
    if kind == AGREEMENT and runs < 2:
        raise UsageError("there is nothing to order", remedy="give at least two runs")
    if kind == TOPICS:
        by_query.require_median(runs)


def _requests(given: GivenSystems, choices: CurvesChoices) -> tuple[Request, ...]:
    """What to evaluate. Raises `UsageError` for a measure that there is not, or that does not suit the kind."""
    kind = choices.curve
    if kind == RECALL_PRECISION:
        return recall_precision.requests(choices.rule)
    if kind in BY_CUTOFF:
        names = by_cutoff.AXES[kind][0] if kind in by_cutoff.AXES else choices.measures
        return by_cutoff.requests(names, choices.cutoffs or by_cutoff.CUTOFFS)
    requests = tuple(given.requests)
    if kind == AGREEMENT:
        require_orders(requests)
        return requests
    numeric = tuple(request for request in requests if request.measure.numeric)
    if not numeric:
        raise UsageError(f"{requests[0].standard} has no numbers for single queries", remedy="choose another measure")
    return tuple(dict.fromkeys(request.base for request in numeric))


def _drawn(given: GivenSystems, choices: CurvesChoices, outcomes: Sequence[Outcome]) -> tuple[Picture, ...]:
    """The pictures of runs, which evaluations make; those under one set of judgments are on the same queries."""
    kind = choices.curve
    if kind == RECALL_PRECISION:
        return (recall_precision.recall_precision(outcomes, given.settings, choices.rule),)
    if kind == CUTOFF:
        return by_cutoff.by_cutoff(outcomes)
    if kind in by_cutoff.AXES:
        return (by_cutoff.against_each_other(outcomes, kind),)
    if kind == AGREEMENT:
        return _agreements(outcomes)
    plan, baseline = Plan(confidence=choices.confidence, tie_tolerance=choices.tie_tolerance), 0
    if choices.baseline is not None:
        names = tuple(outcome.run for outcome in outcomes)
        baseline = place_of(choices.baseline, names, choices.files[-given.run_count :])
    found: list[Picture] = []
    for table in values_by_query(outcomes):
        if kind == DIFFERENCES:
            found += _differences(table, baseline, plan)
        elif kind == SCATTER:
            found += _scatters(table, baseline)
        elif kind == TOPICS:
            found += by_query.topics(table.measure, table.runs, table.queries, table.values)
        else:
            found.append(by_query.distribution(table.measure, table.runs, table.queries, table.values))
    return tuple(found)


def _differences(table: ValuesByQuery, baseline: int, plan: Plan) -> tuple[Picture, ...]:
    """Of every run from the baseline, with the interval and the outcomes that comparisons have."""
    pairs = pairs_of(len(table.runs), baseline)
    differences = differences_of(table.values, pairs)
    spans = intervals.interval(plan.interval, differences, plan)
    found = []
    for number, (base, run) in enumerate(pairs):
        gains = -differences[:, number] if table.better == "lower" else differences[:, number]
        found.append(
            by_query.sorted_differences(
                table.measure,
                (table.runs[base], table.runs[run]),
                table.queries,
                (table.values[:, base], table.values[:, run]),
                spans[number],
                effects.outcomes(gains, plan.tie_tolerance),
                percent(plan.confidence),
            )
        )
    return tuple(found)


def _scatters(table: ValuesByQuery, baseline: int) -> tuple[Picture, ...]:
    return tuple(
        by_query.scatter(
            table.measure,
            (table.runs[base], table.runs[run]),
            table.queries,
            (table.values[:, base], table.values[:, run]),
        )
        for base, run in pairs_of(len(table.runs), baseline)
    )


def _agreements(outcomes: Sequence[Outcome]) -> tuple[Picture, ...]:
    """Every two orderings of the runs, as `irev.questions.agreement` has them."""
    runs, orderings = orderings_of(outcomes, ())
    agreed = agreement(runs, orderings).agreed
    return tuple(
        of_agreement(runs, one, other, each)
        for (one, other), each in zip(combinations(orderings, 2), agreed, strict=True)
    )
