"""Cases: a condition for one run, measured. What the run has, what its baseline had, and which queries are to blame."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np

from irev.base.errors import UsageError
from irev.base.records import dataclass
from irev.base.segments import Floats, Ints, values_on
from irev.base.text import decoded
from irev.evaluation.result import Outcome
from irev.evaluation.scores import Scores
from irev.evaluation.summary import summarise
from irev.measures import Request
from irev.questions.check.baseline import AGAIN, AGAIN_BY_QUERY
from irev.questions.check.conditions import (
    AGAINST,
    COUNTS,
    EVERY_QUERY,
    MAX_DROP,
    MAX_SHARE_LOSING,
    Condition,
    GateRules,
)
from irev.questions.check.verdict import Change
from irev.statistics.effects import equivalence
from irev.statistics.intervals import Interval, interval
from irev.statistics.paired import TestResult
from irev.statistics.paired import test as paired_test
from irev.statistics.rounding import constant
from irev.statistics.shares import Share, share


@dataclass(frozen=True)
class Weighed:
    """What differences of queries show of a drop, compared with the drop that is allowed.

    Gains, by which a query is better than in the baseline, and room, what it may lose, add up to what it has left: a
    mean below 0 is a drop larger than is allowed, and each test is one of that sum, with one side.

    Attributes
    ----------
    interval : Interval or None
        Of the difference, run minus baseline, by Student's t; each end is a one-sided bound at the level of the plan.
    worse : TestResult
        The plan's test of the drop being larger than is allowed, or than 0 where any drop is looked for.
    p_no_worse : float or None
        Student's, of the drop being as large as is allowed or larger; a small one shows that it is smaller.
    still : bool
        Whether no query has more left than another, so that there is no variance to test against.
    unharmed : bool
        Whether no query lost anything.
    """

    interval: Interval | None
    worse: TestResult
    p_no_worse: float | None
    still: bool
    unharmed: bool


def weigh(gains: Floats, room: Floats, lower: bool, rules: GateRules) -> Weighed:
    """Hold n gains against the room that each has.

    Parameters
    ----------
    gains, room : (n,)
        n is at least 1; those that are not finite are not tested.
    lower : bool
        Whether lower values are better, so that the difference is the gain with its sign turned.
    rules : GateRules
    """
    plan = rules.plan
    with np.errstate(invalid="ignore"):
        left = gains + room
    # 0.1 - 0.1 of two sums is not always 0, and a sign test would count it.
    tested = gains if rules.any_drop else np.where(np.abs(left) <= rules.precision, 0.0, left)
    less = replace(plan, alternative="less")
    # One-sided bounds at a level are the ends of an interval with twice that level outside.
    spans = replace(plan, confidence=1 - min(2 * plan.alpha, 0.99))
    differences = -gains if lower else gains
    return Weighed(
        interval=interval("t", differences[:, None], spans)[0],
        worse=paired_test(plan.tests[0], tested[:, None], less)[0],
        p_no_worse=equivalence(left, 0.0).p_not_worse,
        still=len(left) > 1 and bool(np.isfinite(left).all()) and constant(left),
        unharmed=bool((gains >= 0).all()),
    )


@dataclass(frozen=True)
class Case:
    """A condition for one run.

    Attributes
    ----------
    outcome : Outcome
    queries : int
        How many queries the condition is about.
    measured : float
    before : float or None
        What the baseline has; None where the condition needs none.
    drop : float
        How much worse the run is than the baseline.
    weighed : Weighed or None
        What the queries show of the drop, where that is tested.
    changes : tuple of Change
        The queries that are to blame, worst first.
    losing : Share or None
        The share of the queries that lose more than they may.
    apart : float or None
        How much more the run has than the baseline, where that is not the difference of both values but was estimated.
    aside : str
        What is said in brackets behind the numbers.
    """

    outcome: Outcome
    queries: int
    measured: float
    before: float | None = None
    drop: float = 0.0
    weighed: Weighed | None = None
    changes: tuple[Change, ...] = ()
    losing: Share | None = None
    apart: float | None = None
    aside: str = ""

    @property
    def difference(self) -> float | None:
        """How much more the run has than the baseline."""
        if self.apart is not None:
            return self.apart
        return None if self.before is None else self.measured - self.before


def case_of(condition: Condition, outcome: Outcome, baseline: Outcome | None, rules: GateRules) -> Case:
    """Measure what a condition is about.

    Raises
    ------
    UsageError
        For a condition without the baseline that it needs, a baseline that lacks what it is about, and a test of what
        is no mean of queries.
    """
    part = part_of(outcome, condition.group)
    considered = len(part.queries)
    if condition.took is not None:
        return Case(outcome, considered, condition.took.value(outcome.run, condition.count))
    if condition.request is None:
        return Case(outcome, considered, COUNTS[condition.count][1](outcome.facts, outcome.scores.queries))
    request = condition.request
    measured = value_of(outcome, outcome, condition.group, request)
    if condition.kind not in AGAINST:
        changes = _violating(condition, part) if condition.kind == EVERY_QUERY else ()
        return Case(outcome, considered, measured, changes=changes)
    if baseline is None:
        raise UsageError(f"{condition.named}: there is nothing to compare with", remedy="give a baseline")
    old = part_like(baseline, outcome, condition.group)
    require_measured(old, condition, rules.significant)
    before = value_of(baseline, outcome, condition.group, request)
    drop = _drop(request, part, old, before, measured)
    if not has_queries(old, request):
        return Case(outcome, considered, measured, before, drop)
    then, now = paired(request, part, old)
    gains = gains_of(request, then, now, rules.precision)
    changes = worst(part, then, now, gains, condition.loss + rules.precision)
    losing = weighed = None
    if condition.kind == MAX_SHARE_LOSING:
        losing = share(len(changes), considered, condition.value, rules.plan.alpha)
    if rules.tests(condition):
        _require_mean(part, condition)
        allowed = allowance(condition, before)
        if math.isfinite(allowed):  # of an infinite one there is no test, nor any need for one
            room = _room(condition, then, before)
            # What fails for any drop is a condition on drops; one on what must be shown is about what it allows.
            suited = replace(rules, any_drop=rules.any_drop and condition.kind == MAX_DROP)
            weighed = weigh(gains, room, request.better == "lower", suited)
    return Case(outcome, considered, measured, before, drop, weighed, changes, losing)


def allowance(condition: Condition, before: float) -> float:
    """The drop that a condition allows."""
    return condition.value * abs(before) if condition.relative else condition.value


def _room(condition: Condition, then: Floats, before: float) -> Floats:
    """What each query may lose, so that the drop is the allowed one when all do.

    A share is one of the baseline's true mean, which the queries only estimate. So each query may lose that share of
    its own value, and the test sees how these vary along with the differences.
    """
    if not condition.relative:
        return np.full(len(then), condition.value)
    return condition.value * math.copysign(1.0, before) * then


def _require_mean(scores: Scores, condition: Condition) -> None:
    """Tests and intervals are about means of queries; of a sum or a median they would say something else."""
    for column in scores.columns:
        if column.request != condition.request:
            continue
        if (column.request.aggregate or column.request.measure.summary) != "mean" or column.weights is not None:
            raise UsageError(
                f"{condition.named}: tests are about means of queries, and {column.request.standard} is none",
                remedy="ask for it with agg=mean, or leave out the test",
            )


def require_measured(old: Scores, condition: Condition, significant: bool) -> None:
    """Raise `UsageError` when a baseline has not got what a condition asks of it, with a test or without one."""
    request = condition.request
    if request is None:
        return
    if not has(old, request):
        raise UsageError(f"{condition.named}: the baseline has no {request.standard}", remedy=AGAIN)
    by_query = condition.kind != MAX_DROP or condition.group or significant
    if by_query and not has_queries(old, request):
        raise UsageError(
            f"{condition.named}: the baseline was saved without the values of single queries",
            remedy=AGAIN_BY_QUERY,
        )


# Values


def part_of(outcome: Outcome, group: str) -> Scores:
    """The scores of the queries that a condition is about."""
    if not group:
        return outcome.scores
    (queries,) = (set(each.queries) for each in outcome.groups if name_of(each.name) == group)
    return outcome.scores.of([query in queries for query in outcome.scores.queries])


def part_like(baseline: Outcome, outcome: Outcome, group: str) -> Scores:
    """The scores of the same queries in the baseline, which may have been saved without groups."""
    if not group:
        return baseline.scores
    queries = set(part_of(outcome, group).queries)
    return baseline.scores.of([query in queries for query in baseline.scores.queries])


def name_of(group: bytes) -> str:
    """A group as conditions call it."""
    return decoded(group)


def value_of(of: Outcome, like: Outcome, group: str, request: Request) -> float:
    """The value for all queries, or for those that a run has in a group."""
    place = next(place for place, column in enumerate(of.scores.columns) if column.request == request)
    summary = summarise(part_like(of, like, group)) if group else of.summary
    value = summary.values[place]
    return float(value) if isinstance(value, float | int) else math.nan


def has(scores: Scores, request: Request) -> bool:
    """Whether there are values of a measure."""
    return any(column.request == request for column in scores.columns)


def has_queries(scores: Scores, request: Request) -> bool:
    """Whether these are values of single queries, which a saved result need not have."""
    return all(len(column.values) == len(scores.queries) for column in scores.columns if column.request == request)


def _array(scores: Scores, request: Request) -> Floats:
    (values,) = (column.values for column in scores.columns if column.request == request)
    return values.astype(np.float64)


def paired(request: Request, scores: Scores, old: Scores) -> tuple[Floats, Floats]:
    """The values of the baseline and of the run, query by query."""
    return values_on(_array(old, request), old.queries, scores.queries), _array(scores, request)


# Gains and losses


def gains_of(request: Request, before: Floats, after: Floats, precision: float) -> Floats:
    """How much better every query is; 0 where that is not a number, or so little that rounding may have made it."""
    with np.errstate(invalid="ignore"):
        gains = before - after if request.better == "lower" else after - before
    return np.where(np.isnan(gains) | (np.abs(gains) <= precision), 0.0, gains)


def _drop(request: Request, scores: Scores, old: Scores, before: float, after: float) -> float:
    """How much worse the value for all queries is.

    Of two that are infinite it is what queries lost in the mean, those nothing that are infinite in both; NaN where
    that cannot be told.
    """
    if before != after:
        return after - before if request.better == "lower" else before - after
    if math.isfinite(after):
        return 0.0
    if not has_queries(old, request):
        return math.nan
    with np.errstate(invalid="ignore"):
        return -float(gains_of(request, *paired(request, scores, old), 0.0).mean())


def worst(scores: Scores, before: Floats, after: Floats, gains: Floats, loss: float) -> tuple[Change, ...]:
    """Queries that lost more than so much, worst first."""
    order = np.argsort(gains, kind="stable")
    return told(scores, before, after, order[gains[order] < -loss])


def told(scores: Scores, before: Floats, after: Floats, places: Ints) -> tuple[Change, ...]:
    """What became of the queries at these places."""
    return tuple(Change(scores.queries[i], float(before[i]), float(after[i])) for i in places.tolist())


def _violating(condition: Condition, scores: Scores) -> tuple[Change, ...]:
    """Queries that are not as every query should be, worst first."""
    request = condition.request
    if request is None:
        return ()
    by_query = zip(scores.queries, _array(scores, request).tolist(), strict=True)
    odd = [Change(query, None, value) for query, value in by_query if not condition.holds(value)]
    return tuple(sorted(odd, key=lambda change: change.after, reverse=condition.sign in ("<", "<=")))
