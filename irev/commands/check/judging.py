"""Judge conditions: measure each for a run, test it, and say why it holds, does not, or cannot be told.

Without significance a condition is judged by the measured value. With significance, one-sided tests over the queries
compare the drop with the allowed drop d: the condition passes if the drop is shown to be smaller than d, fails if it is
shown to be larger, and otherwise there are too few queries to tell.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace

import numpy as np

from irev.base.errors import UsageError, option, printable
from irev.base.records import dataclass
from irev.base.registry import did_you_mean
from irev.base.segments import Floats, Ints, values_on
from irev.base.text import and_more, decoded, disambiguate, number
from irev.base.text import signed as with_sign
from irev.commands.check.conditions import (
    AGAINST,
    COUNTS,
    EVERY_QUERY,
    MAX,
    MAX_DROP,
    MAX_QUERY_LOSSES,
    MAX_SHARE_LOSING,
    MIN,
    NO_WORSE_THAN,
    SHOWING,
    UNKNOWN_ELSEWHERE,
    Condition,
    required,
)
from irev.commands.check.runs import AGAIN, AGAIN_BY_QUERY, ROUNDING
from irev.commands.check.verdict import DIGITS, ORDER, WORST, Change, Finding, State, Weighed, shown, signed
from irev.evaluation.result import Outcome
from irev.evaluation.scores import Scores, summarise
from irev.measures import Request
from irev.statistics.corrections import adjusted
from irev.statistics.effects import equivalence, queries_wanted
from irev.statistics.intervals import Share, of_differences, possible, queries_to_exclude, share, unseen
from irev.statistics.paired import CONSTANT, jackknifed
from irev.statistics.paired import test as paired_test
from irev.statistics.plan import Plan
from irev.statistics.rounding import constant


@dataclass(frozen=True)
class GateRules:
    """How conditions against a baseline are judged.

    Attributes
    ----------
    alpha : float
        The level of tests and bounds.
    significant : bool
        Whether a drop must be shown to be larger than is allowed to fail.
    undecided : str or None
        What an undecided condition counts as, ``fail`` or ``pass``; None for what suits its kind.
    clusters : mapping of bytes to int, or None
        The number of each query's cluster; None where queries do not depend on each other.
    """

    alpha: float = 0.05
    significant: bool = False
    undecided: str | None = None
    clusters: Mapping[bytes, int] | None = None

    def cluster(self, queries: Sequence[bytes]) -> Ints | None:
        """(n,) The number of each query's cluster among those of some queries, where queries have clusters."""
        if self.clusters is None:
            return None
        return np.unique([self.clusters[query] for query in queries], return_inverse=True)[1].astype(np.int64)

    def tests(self, condition: Condition) -> bool:
        """Whether a condition is judged by a test of differences."""
        return condition.kind == NO_WORSE_THAN or (condition.kind == MAX_DROP and self.significant)

    def lenient(self, condition: Condition) -> bool:
        """Whether a condition counts as passed where the queries are too few to tell."""
        if self.undecided is not None:
            return self.undecided == "pass"
        return condition.kind not in SHOWING


def judge(
    conditions: Sequence[Condition], outcomes: Sequence[Outcome], baselines: Mapping[str, Outcome], rules: GateRules
) -> tuple[Finding, ...]:
    """Judge every condition for every run that it is about, in the order of `Verdict`; `baselines` is what each run is
    compared with, by the name of the run.

    Raises
    ------
    UsageError
        For a condition about an unknown run or group, or without the baseline that it needs.
    """
    found: list[tuple[Condition, Finding]] = []
    for condition in conditions:
        _require_known(condition, outcomes)
        for outcome in outcomes:
            if condition.run in ("", outcome.run):
                found.append((condition, measured_for(condition, outcome, baselines.get(outcome.run), rules)))
    findings = [_judged(condition, each, rules) for condition, each in _corrected(found)]
    return tuple(sorted(findings, key=lambda finding: (finding.holds, ORDER[finding.state])))


def _require_known(condition: Condition, outcomes: Sequence[Outcome]) -> None:
    runs = [outcome.run for outcome in outcomes]
    if condition.run and condition.run not in runs:
        near = did_you_mean(condition.run, runs, f"there are {', '.join(runs)}")
        raise UsageError(f"{condition.named}: there is no run '{condition.run}'", remedy=near)
    groups = [decoded(group.name) for group in outcomes[0].groups]
    if condition.group and condition.group not in groups:
        near = did_you_mean(
            condition.group, groups, f"there are {', '.join(groups)}" if groups else f"name {option('groups', 'FILE')}"
        )
        raise UsageError(f"{condition.named}: there is no group '{condition.group}'", remedy=near)
    if condition.count in UNKNOWN_ELSEWHERE and not outcomes[0].facts.known:
        fact = f"{condition.named}: '{condition.count}' is not known of values that another program computed"
        raise UsageError(fact, remedy="give judgments and runs")
    for outcome in outcomes:
        # A condition on every query would hold for no queries at all.
        if condition.run in ("", outcome.run) and not of_group(outcome, condition.group).scores.considered:
            where = f" in the group '{condition.group}'" if condition.group else ""
            raise UsageError(f"{condition.named}: no query{where} counts", remedy="list judged queries")


def _corrected(found: Sequence[tuple[Condition, Finding]]) -> Iterator[tuple[Condition, Finding]]:
    """Correct the p-values of drops together by Holm's method, since each is another chance to fail.

    Conditions on the same values, as of AP and of map, are one test. P-values of what has to be shown are not
    corrected: all of them have to be small for a check to hold.
    """
    tests = [each.weighed for condition, each in found if condition.kind == MAX_DROP and each.weighed is not None]
    drops = {each.tested: each.worse.p for each in tests}
    corrected = dict(zip(drops, adjusted("holm", [*drops.values()]), strict=True))
    for condition, each in found:
        if condition.kind == MAX_DROP and each.weighed is not None:
            each = replace(each, p=corrected[each.weighed.tested])
        yield condition, each


def _judged(condition: Condition, found: Finding, rules: GateRules) -> Finding:
    """The finding with its state, and why it is so."""
    state = _state(condition, found, rules)
    why, named = reason_of(condition, found, state, rules.alpha)
    blamed = state != "pass" and (condition.kind != MAX_QUERY_LOSSES or state == "fail")
    holds = state == "pass" or (state == "undecided" and rules.lenient(condition))
    queries = found.queries[:WORST] if blamed else ()
    return replace(found, state=state, holds=holds, reason=why, named=named, queries=queries)


def _state(condition: Condition, found: Finding, rules: GateRules) -> State:
    value, before, weighed = found.measured, found.baseline, found.weighed
    if condition.kind == MIN:
        return "pass" if value >= condition.value - ROUNDING else "fail"
    if condition.kind == MAX:
        return "pass" if value <= condition.value + ROUNDING else "fail"
    if condition.kind == EVERY_QUERY:
        return "fail" if found.queries else "pass"
    if condition.kind == MAX_QUERY_LOSSES:
        return "pass" if len(found.queries) <= condition.value else "fail"
    if found.losing is not None:
        if found.losing.high <= condition.value:
            return "pass"
        return "fail" if found.losing.low > condition.value else "undecided"
    if before is None or math.isnan(value) or math.isnan(before):
        return "fail"
    if not math.isfinite(found.drop):
        return "pass" if found.drop < 0 else "fail"  # no test is made of an infinite drop
    exceeded = found.drop > allowance(condition, before) + ROUNDING
    if weighed is None:
        return "fail" if exceeded else "pass"
    if condition.kind == NO_WORSE_THAN:
        return _weighed(weighed, exceeded, weighed.worse.p, rules)
    return "pass" if weighed.unchanged else _weighed(weighed, exceeded, found.p, rules)


def _weighed(weighed: Weighed, exceeded: bool, p: float | None, rules: GateRules) -> State:
    """Whether the drop is shown to be smaller or larger than allowed. It is never larger unless the measured drop
    is."""
    shown = p if exceeded else weighed.p_no_worse
    if shown is None or shown > rules.alpha:
        return "undecided"
    return "fail" if exceeded else "pass"


# Measured for a run


def weigh(
    gains: Floats, room: Floats, lower: bool, rules: GateRules, largest: float, cluster: Ints | None = None
) -> Weighed:
    """Test whether n queries lost more than they may.

    Parameters
    ----------
    gains, room : (n,)
        n is at least 1; those that are not finite are not tested.
    lower : bool
        Whether lower values are better, so that the difference is the gain with its sign turned.
    rules : GateRules
    largest : float
        The largest gain or loss that a query can have.
    cluster : (n,), optional
        The number of each query's cluster.
    """
    # One-sided bounds at a level are the ends of an interval with twice that level outside.
    plan = Plan(alternative="less", confidence=1 - min(2 * rules.alpha, 0.99))
    with np.errstate(invalid="ignore"):
        left = gains + room
    # 0.1 - 0.1 of two sums is not always 0, and a sign test would count it.
    tested = np.where(np.abs(left) <= ROUNDING, 0.0, left)
    rows = jackknifed(gains[:, None], cluster)[:, 0]
    (more,) = unseen(gains[:, None], largest, cluster)
    wanted, unchanged, allowed = None, len(gains) > 1 and not gains.any(), float(room.mean())
    if unchanged and largest and allowed > 0:
        wanted = math.ceil(queries_to_exclude(allowed, largest, plan.confidence) * len(gains) / len(rows))
    (worse,) = paired_test("t", jackknifed(tested[:, None], cluster), plan)
    p_no_worse = equivalence(rows, jackknifed(room[:, None], cluster)[:, 0], more).p_not_worse
    if worse.note == CONSTANT and p_no_worse is not None and not unchanged:
        worse = replace(worse, p=1 - p_no_worse)
    (span,) = of_differences((-gains if lower else gains)[:, None], plan, largest, cluster)
    needed = queries_wanted(rows)
    return Weighed(
        interval=span,
        worse=worse,
        p_no_worse=p_no_worse,
        still=len(left) > 1 and bool(np.isfinite(left).all()) and constant(left),
        unchanged=unchanged,
        wanted=wanted,
        skewed=(len(rows), needed) if needed else None,
        tested=((tested + 0.0).tobytes(), worse.p),
    )


def measured_for(condition: Condition, outcome: Outcome, baseline: Outcome | None, rules: GateRules) -> Finding:
    """Measure what a condition is about; its state is not told yet.

    Raises
    ------
    UsageError
        For a condition without the baseline that it needs, a baseline that lacks what it is about, and a test of what
        is no mean of queries.
    """
    of_queries, request = of_group(outcome, condition.group), condition.request
    part = of_queries.scores
    about = (condition.written, outcome.run, condition.group, condition.measure, required(condition))
    if request is None:
        return Finding(*about, COUNTS[condition.count][1](outcome.facts, outcome.scores.queries), len(part.queries))
    value = value_of(of_queries, request)
    found = Finding(*about, value, len(part.queries))
    if condition.kind not in AGAINST:
        return replace(found, queries=_violating(condition, part)) if condition.kind == EVERY_QUERY else found
    if baseline is None:
        raise UsageError(f"{condition.named}: there is nothing to compare with", remedy="give a baseline")
    _require_measured(baseline.scores, condition, rules.significant)
    baseline = of_group(baseline, condition.group, outcome)
    old, before = baseline.scores, value_of(baseline, request)
    found = replace(found, baseline=before, difference=value - before, drop=_drop(request, part, old, before, value))
    if not has_queries(old, request):
        return found
    then, now = paired(request, part, old)
    gains = gains_of(request, then, now)
    order = np.argsort(gains, kind="stable")
    changes = changes_of(part, then, now, order[gains[order] < -condition.loss - ROUNDING])
    found = replace(found, queries=changes)
    cluster = rules.cluster(part.queries)
    if condition.kind == MAX_SHARE_LOSING:
        alike = 1.0 if cluster is None else float((np.bincount(cluster) ** 2).sum()) / len(part.queries)
        lost = share(len(changes), len(part.queries), condition.value, rules.alpha, alike)
        return replace(found, losing=lost, p=lost.p_below)
    if not rules.tests(condition):
        return found
    _require_mean(part, condition)
    if not math.isfinite(allowance(condition, before)):  # there is no test of it, nor any need for one
        return found
    most = possible(np.stack([then, now]))
    weighed = weigh(gains, _room(condition, then, before), request.better == "lower", rules, most, cluster)
    values = ((then + 0.0).tobytes(), (now + 0.0).tobytes())
    weighed = replace(weighed, tested=(part.queries, *values, *weighed.tested))
    span = weighed.interval
    low, high = (None, None) if span is None else (span.low, span.high)
    return replace(found, low=low, high=high, p=weighed.p_no_worse, weighed=weighed)


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
    (column,) = (each for each in scores.columns if each.request == condition.request)
    request = column.request
    if (request.aggregate or request.measure.summary) != "mean" or column.weights is not None:
        fact = f"{condition.named}: tests are about means of queries, and {request.standard} is none"
        raise UsageError(fact, remedy="ask for it with agg=mean, or leave out the test")


def _require_measured(old: Scores, condition: Condition, significant: bool) -> None:
    """Raise `UsageError` for a baseline without the values that a condition needs."""
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


def of_group(outcome: Outcome, group: str, like: Outcome | None = None) -> Outcome:
    """The outcome for the queries of a group, if one is named; of a baseline, which may have been saved without groups,
    those that the run `like` has there."""
    if not group:
        return outcome
    (queries,) = ({*each.queries} for each in (like or outcome).groups if decoded(each.name) == group)
    scores = outcome.scores.of([query in queries for query in outcome.scores.queries])
    return replace(outcome, scores=scores, summary=summarise(scores))


def value_of(outcome: Outcome, request: Request) -> float:
    """The value for all queries."""
    place = next(place for place, column in enumerate(outcome.scores.columns) if column.request == request)
    value = outcome.summary.values[place]
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


def gains_of(request: Request, before: Floats, after: Floats, precision: float = ROUNDING) -> Floats:
    """How much better every query is; 0 if that is not a number, or so small that it may be a rounding error."""
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


def changes_of(scores: Scores, before: Floats, after: Floats, places: Ints) -> tuple[Change, ...]:
    """The changes of the queries at these places."""
    return tuple(Change(scores.queries[i], float(before[i]), float(after[i])) for i in places.tolist())


def _violating(condition: Condition, scores: Scores) -> tuple[Change, ...]:
    """Queries that are not as every query should be, worst first."""
    request = condition.request
    if request is None:
        return ()
    by_query = zip(scores.queries, _array(scores, request).tolist(), strict=True)
    odd = [Change(query, None, value) for query, value in by_query if not condition.holds(value)]
    return tuple(sorted(odd, key=lambda change: change.after, reverse=condition.sign in ("<", "<=")))


# Reasons

_NAMED = 3
"""How many queries a sentence has room for."""

_MOST_DIGITS = 17
"""Behind the point: what no number between 0 and 1 needs more of."""

TOO_FEW = "the queries are too few to tell"


def reason_of(condition: Condition, found: Finding, state: State, level: float) -> tuple[str, str]:
    """Why a condition holds for a run, does not, or cannot be told; and the end of that, if it names queries."""
    digits, count = _telling(condition, found, state), len(found.queries)
    text = str(int(found.measured)) if condition.request is None else number(found.measured, digits)
    said = f"{found.run}: {found.subject} is {text}"
    if found.baseline is not None and found.difference is not None:
        by = "" if math.isnan(found.difference) else f" ({with_sign(found.difference, digits)})"
        said += f", the baseline {number(found.baseline, digits)}{by}"
    said += f"; required: {found.required}"
    if condition.kind == EVERY_QUERY:
        said = f"{found.run}: {found.subject} must be {found.required}; "
        said += f"it is not for {count} of {found.considered}" if count else "it is"
    if condition.kind == MAX_QUERY_LOSSES:
        said += f"; {count} of {found.considered} {'is' if count == 1 else 'are'}"
    if found.losing is not None:
        said += f"; {_lost(found.losing, state, found.p)}"
        if state == "undecided" and (least := found.losing.least) > level:
            said += f", and no result can show that the condition holds: p is at least {least:.4f} whatever the values"
    if found.weighed is not None:
        said += f"; {_tested(found.weighed, found.considered, state, found.p)}"
    queries = f" ({_those(found.queries, digits)})" if state != "pass" and found.queries else ""
    return said + queries, queries


def _telling(condition: Condition, found: Finding, state: State) -> int:
    """As many digits as show that a condition does not hold: 0.7215 is not seen to be below 0.7215."""
    digits = DIGITS
    if state != "fail" or condition.request is None or condition.kind not in (MIN, MAX, MAX_DROP):
        return digits
    value, limit = found.measured, condition.value
    if condition.kind == MAX_DROP:
        value, limit = found.drop, math.nan if found.baseline is None else allowance(condition, found.baseline)
    while digits < _MOST_DIGITS and round(value, digits) == round(limit, digits):
        digits += 1
    return digits


def _lost(losing: Share, state: State, p: float | None) -> str:
    """What the share of the queries that lose too much is measured to be, and what it may be."""
    said = f"{losing.count} of {losing.of} {'does' if losing.count == 1 else 'do'}, and of all queries "
    if state == "fail":  # p is that of the share being small enough
        return f"{said}at least {100 * losing.low:.1f}%"
    said += f"at most {100 * losing.high:.1f}%" + (f", {_p(p)}" if p is not None else "")
    return f"{said}: {TOO_FEW}" if state == "undecided" else said


def _tested(weighed: Weighed, queries: int, state: State, p: float | None) -> str:
    span = weighed.interval
    between = "" if span is None else f"the difference is between {signed(span.low)} and {signed(span.high)}"
    if weighed.unchanged and span is not None and span.low < span.high:
        said = f"no query differs, which excludes a drop of more than {shown(span.high)}"
        if weighed.wanted is None or weighed.wanted <= queries:
            return said
        return f"{said}; about {weighed.wanted:,} queries without a difference would exclude the drop that is allowed"
    if weighed.still and state == "undecided":
        return f"all queries differ by the same amount, and {queries} are too few to tell how others differ"
    if p is None:
        note = weighed.worse.note
        return f"the test has no result ({note})" if note else "the test has no result"
    if state == "undecided":
        return f"{between}, {_p(p)}: {TOO_FEW}" if between else f"{_p(p)}: cannot tell"
    return ", ".join(filter(None, (between, _p(p))))


def _p(p: float) -> str:
    return f"p = {p:.4f}" if p >= 0.0001 else "p < 0.0001"


def _those(changes: Sequence[Change], digits: int) -> str:
    named = []
    for change in changes[:_NAMED]:
        query = printable(disambiguate(change.query))
        values = number(change.after, digits)
        if change.before is not None:
            values = f"{number(change.before, digits)} to {values}"
        named.append(f"{query}: {values}")
    more = and_more(len(changes), _NAMED)
    more = more and f",{more}"
    return ", ".join(named) + more
