"""Judging: conditions, runs and a baseline in, a `irev.analysis.gate.verdict.Verdict` out.

Without significance a condition is judged by the measured value. With it, by the interval of the difference and the
drop d that is allowed: it passes when the interval lies wholly above -d, it fails when the drop is larger than d and
significant, and otherwise there are too few queries to tell.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np

from irev.analysis.comparison.contrasts import Aligned, Contrast, Measured, compare
from irev.analysis.comparison.systems import quantity_of
from irev.analysis.gate.baseline import ROUNDING
from irev.analysis.gate.conditions import (
    AGAINST,
    COUNTS,
    EVERY_QUERY,
    MAX,
    MAX_DROP,
    MAX_QUERY_LOSSES,
    MIN,
    NO_WORSE_THAN,
    Condition,
    required,
)
from irev.analysis.gate.verdict import ORDER, Change, Finding, Moved, State, Value, Verdict
from irev.base.registry import did_you_mean
from irev.base.segments import Floats, Ints
from irev.base.text import number, signed, told_apart
from irev.errors import UsageError, decimal, printable
from irev.evaluation.result import Outcome
from irev.evaluation.scores import Scores
from irev.evaluation.summary import summarise
from irev.measures import Request
from irev.statistics.families import adjusted
from irev.statistics.plan import Plan

WORST = 10
"""How many queries a finding names."""

_NAMED = 3
"""How many of these a sentence has room for."""

_MOST_DIGITS = 17
"""Behind the point: what no number between 0 and 1 needs more of."""


@dataclass(frozen=True)
class Rules:
    """How conditions against a baseline are judged.

    Attributes
    ----------
    plan : Plan
        The test, and its level, `Plan.alpha`.
    significant : bool
        Whether a drop must be significant to fail.
    undecided : str or None
        What an undecided condition counts as, ``fail`` or ``pass``; None for what suits its kind.
    precision : float
        Differences up to this are none: half the last digit of a baseline that was rounded, or what adding rounds.
    digits : int
        How many follow the point in sentences.
    """

    plan: Plan
    significant: bool = False
    undecided: str | None = None
    precision: float = ROUNDING
    digits: int = 4


def judge(
    conditions: Sequence[Condition],
    shown: Sequence[Request],
    outcomes: Sequence[Outcome],
    baselines: Mapping[str, Outcome],
    rules: Rules,
) -> tuple[tuple[Finding, ...], tuple[Value, ...], tuple[Moved, ...]]:
    """Judge every condition for every run that it is about.

    Parameters
    ----------
    conditions : sequence of Condition
    shown : sequence of Request
        Measures for the tables.
    outcomes : sequence of Outcome
        The runs.
    baselines : mapping of str to Outcome
        What each run is held against, by the name of the run; empty for nothing.
    rules : Rules

    Returns
    -------
    findings, values, moved
        As in `Verdict`, findings in its order.

    Raises
    ------
    UsageError
        For a condition about a run or a group that there is not, or without the baseline that it needs.
    """
    found: list[tuple[Condition, _Case]] = []
    for condition in conditions:
        _require_known(condition, outcomes)
        for outcome in outcomes:
            if condition.run in ("", outcome.run):
                found.append((condition, _case(condition, outcome, baselines.get(outcome.run), rules)))
    corrected = _corrected(found, rules)
    findings = [_finding(condition, case, p, rules) for (condition, case), p in zip(found, corrected, strict=True)]
    findings.sort(key=lambda finding: (finding.holds, ORDER[finding.state]))
    values = _values(conditions, shown, outcomes, baselines)
    return tuple(findings), values, tuple(_moved(shown, outcomes, baselines, rules))


def _require_known(condition: Condition, outcomes: Sequence[Outcome]) -> None:
    runs = [outcome.run for outcome in outcomes]
    if condition.run and condition.run not in runs:
        near = did_you_mean(condition.run, runs, f"there are {', '.join(runs)}")
        raise UsageError(f"{condition.text}: there is no run '{condition.run}'", remedy=near)
    groups = [_name(group.name) for group in outcomes[0].groups]
    if condition.group and condition.group not in groups:
        near = did_you_mean(
            condition.group, groups, f"there are {', '.join(groups)}" if groups else "name --groups FILE"
        )
        raise UsageError(f"{condition.text}: there is no group '{condition.group}'", remedy=near)
    for outcome in outcomes:
        # A condition on every query would hold for no queries at all.
        if condition.run in ("", outcome.run) and not _part(outcome, condition.group).considered:
            of_group = f" in the group '{condition.group}'" if condition.group else ""
            raise UsageError(f"{condition.text}: no query{of_group} counts", remedy="name queries that are judged")


@dataclass(frozen=True)
class _Case:
    """A condition for one run: what was measured, how much worse that is than the baseline, and the contrast with it
    where that is tested."""

    outcome: Outcome
    baseline: Outcome | None
    measured: float
    before: float | None
    contrast: Contrast | None = None
    changes: tuple[Change, ...] = ()
    drop: float = 0.0

    @property
    def difference(self) -> float | None:
        return None if self.before is None else self.measured - self.before


def _case(condition: Condition, outcome: Outcome, baseline: Outcome | None, rules: Rules) -> _Case:
    if condition.request is None:
        return _Case(outcome, None, COUNTS[condition.count][1](outcome.facts, outcome.scores.queries), None)
    request = condition.request
    measured = _value(outcome, outcome, condition.group, request)
    if condition.kind not in AGAINST:
        before = None
        changes = _violating(condition, _part(outcome, condition.group)) if condition.kind == EVERY_QUERY else ()
        return _Case(outcome, baseline, measured, before, None, changes)
    if baseline is None:
        raise UsageError(
            f"{condition.text}: there is nothing to compare with", remedy="name --baseline or --baseline-run"
        )
    part, old = _part(outcome, condition.group), _part_like(baseline, outcome, condition.group)
    require_measured(old, condition, rules.significant)
    before = _value(baseline, outcome, condition.group, request)
    tested = condition.kind == NO_WORSE_THAN or (condition.kind == MAX_DROP and rules.significant)
    if tested:
        _require_mean(part, condition)
    contrast = _contrast(condition, part, old, before, rules) if tested else None
    drop = _drop(request, part, old, before, measured)
    return _Case(outcome, baseline, measured, before, contrast, _losses(request, part, old, rules), drop)


def _require_mean(scores: Scores, condition: Condition) -> None:
    """Tests and intervals are about means of queries; of a sum or a median they would say something else."""
    for column in scores.columns:
        if column.request != condition.request:
            continue
        if (column.request.aggregate or column.request.measure.summary) != "mean" or column.weights is not None:
            raise UsageError(
                f"{condition.text}: tests are about means of queries, and {column.request.standard} is none",
                remedy="ask for it with agg=mean, or leave out the test",
            )


def require_measured(old: Scores, condition: Condition, significant: bool) -> None:
    """Raise `UsageError` when a baseline has not got what a condition asks of it, with a test or without one."""
    request = condition.request
    if request is None:
        return
    if not _has(old, request):
        again = "make it again with `irev check --update-baseline --force`"
        raise UsageError(f"{condition.text}: the baseline has no {request.standard}", remedy=again)
    by_query = condition.kind != MAX_DROP or condition.group or significant
    if by_query and not _values_of(old, request):
        raise UsageError(
            f"{condition.text}: the baseline was saved without the values of single queries",
            remedy="make it again with `irev eval -c -q -f json`",
        )


def _part(outcome: Outcome, group: str) -> Scores:
    """The scores of the queries that a condition is about."""
    if not group:
        return outcome.scores
    (queries,) = (set(each.queries) for each in outcome.groups if _name(each.name) == group)
    return outcome.scores.of([query in queries for query in outcome.scores.queries])


def _part_like(baseline: Outcome, outcome: Outcome, group: str) -> Scores:
    """The scores of the same queries in the baseline, which may have been saved without groups."""
    if not group:
        return baseline.scores
    queries = set(_part(outcome, group).queries)
    return baseline.scores.of([query in queries for query in baseline.scores.queries])


def _value(of: Outcome, like: Outcome, group: str, request: Request) -> float:
    """The value for all queries, or for those that a run has in a group."""
    place = next(place for place, column in enumerate(of.scores.columns) if column.request == request)
    summary = summarise(_part_like(of, like, group)) if group else of.summary
    value = summary.values[place]
    return float(value) if isinstance(value, float | int) else math.nan


def _by_query(scores: Scores, request: Request) -> dict[bytes, float]:
    return dict(zip(scores.queries, _array(scores, request).tolist(), strict=True))


def _array(scores: Scores, request: Request) -> Floats:
    (values,) = (column.values for column in scores.columns if column.request == request)
    return values.astype(np.float64)


def _paired(request: Request, scores: Scores, old: Scores) -> tuple[Floats, Floats]:
    """The values of the baseline and of the run, query by query."""
    after = _array(scores, request)
    if old.queries == scores.queries:
        return _array(old, request), after
    given = _by_query(old, request)
    return np.array([given[query] for query in scores.queries]), after


def _gain(request: Request, before: float, after: float) -> float:
    """How much better a value is."""
    return before - after if request.measure.better == "lower" else after - before


def _gains(request: Request, before: Floats, after: Floats) -> Floats:
    """The same of every query; 0 where it is no number."""
    with np.errstate(invalid="ignore"):
        gains = before - after if request.measure.better == "lower" else after - before
    return np.where(np.isnan(gains), 0.0, gains)


def _drop(request: Request, scores: Scores, old: Scores, before: float, after: float) -> float:
    """How much worse the value for all queries is.

    Of two that are infinite it is what queries lost in the mean, those nothing that are infinite in both; NaN where
    that cannot be told.
    """
    if before != after:
        return -_gain(request, before, after)
    if math.isfinite(after):
        return 0.0
    if not _values_of(old, request):
        return math.nan
    with np.errstate(invalid="ignore"):
        return -float(_gains(request, *_paired(request, scores, old)).mean())


def _losses(request: Request, scores: Scores, old: Scores, rules: Rules) -> tuple[Change, ...]:
    """Queries with a worse value than in the baseline, worst first."""
    if not _values_of(old, request):
        return ()
    before, after = _paired(request, scores, old)
    gains = _gains(request, before, after)
    order = np.argsort(gains, kind="stable")
    return _told(scores, before, after, order[gains[order] < -rules.precision])


def _told(scores: Scores, before: Floats, after: Floats, places: Ints) -> tuple[Change, ...]:
    return tuple(Change(scores.queries[i], float(before[i]), float(after[i])) for i in places.tolist())


def _violating(condition: Condition, scores: Scores) -> tuple[Change, ...]:
    """Queries that are not as every query should be, worst first."""
    request = condition.request
    if request is None:
        return ()
    by_query = _by_query(scores, request)
    odd = [Change(query, None, value) for query, value in by_query.items() if not condition.holds(value)]
    return tuple(sorted(odd, key=lambda change: change.after, reverse=condition.sign in ("<", "<=")))


def _contrast(condition: Condition, scores: Scores, old: Scores, before: float, rules: Rules) -> Contrast:
    """The run against the baseline, on the same queries."""
    if condition.request is None:
        raise ValueError("a count has no contrast")
    old_values, new_values = _paired(condition.request, scores, old)
    with np.errstate(invalid="ignore"):
        same = np.abs(new_values - old_values) <= rules.precision
    values = np.stack((old_values, np.where(same, old_values, new_values)), axis=1)
    measured = Measured(quantity_of(condition.request), scores.queries, values)
    margin = _allowed(condition, before)
    # One-sided tests at a level have an interval of twice that level outside.
    outside = 2 * rules.plan.alpha if condition.kind == NO_WORSE_THAN else rules.plan.alpha
    plan = replace(
        rules.plan, margin=margin or None, correction="none", family="measure", confidence=1 - min(outside, 0.99)
    )
    return compare(Aligned(("baseline", "run"), (measured,)), 0, plan).compared[0].contrasts[0]


def _allowed(condition: Condition, before: float) -> float:
    """The drop that a condition allows."""
    return condition.value * abs(before) if condition.relative else condition.value


def _corrected(found: Sequence[tuple[Condition, _Case]], rules: Rules) -> list[float | None]:
    """The p-values of conditions that have one.

    Those of drops are corrected together, since each is another chance to fail. Those of being no worse are not: all of
    them have to be small for a check to hold.
    """
    drops = [None if c.kind != MAX_DROP or case.contrast is None else case.contrast.tests[0].p for c, case in found]
    corrected = adjusted(rules.plan.correction or "holm", drops)
    return [_p_not_worse(case) if c.kind == NO_WORSE_THAN else p for (c, case), p in zip(found, corrected, strict=True)]


def _p_not_worse(case: _Case) -> float | None:
    equivalent = None if case.contrast is None else case.contrast.equivalent
    return None if equivalent is None else equivalent.p_not_worse


# Findings


def _finding(condition: Condition, case: _Case, p: float | None, rules: Rules) -> Finding:
    state = _state(condition, case, p, rules)
    low, high = _span(condition, case)
    queries = case.changes if condition.kind != MAX_QUERY_LOSSES or state == "fail" else ()
    return Finding(
        condition=condition.text,
        run=case.outcome.run,
        group=condition.group,
        measure=condition.measure,
        state=state,
        holds=state == "pass" or (state == "undecided" and _lenient(condition, rules)),
        required=required(condition),
        measured=case.measured,
        reason=_reason(condition, case, state, p, rules),
        baseline=case.before,
        difference=case.difference,
        low=low,
        high=high,
        p=p,
        queries=() if state == "pass" else queries[:WORST],
    )


def _lenient(condition: Condition, rules: Rules) -> bool:
    """Whether an undecided condition counts as passed."""
    if rules.undecided is not None:
        return rules.undecided == "pass"
    return condition.kind != NO_WORSE_THAN


def _span(condition: Condition, case: _Case) -> tuple[float | None, float | None]:
    """The interval of the difference, run minus baseline."""
    span = None if case.contrast is None else case.contrast.interval
    return (None, None) if span is None else (span.low, span.high)


def _state(condition: Condition, case: _Case, p: float | None, rules: Rules) -> State:
    value, before = case.measured, case.before
    if condition.kind == MIN:
        return "pass" if value >= condition.value - ROUNDING else "fail"
    if condition.kind == MAX:
        return "pass" if value <= condition.value + ROUNDING else "fail"
    if condition.kind == EVERY_QUERY:
        return "fail" if case.changes else "pass"
    if condition.kind == MAX_QUERY_LOSSES:
        return "pass" if len(case.changes) <= condition.value else "fail"
    if before is None or condition.request is None or math.isnan(value) or math.isnan(before):
        return "fail"
    allowed, drop = _allowed(condition, before), case.drop
    if not math.isfinite(drop):
        return "pass" if drop < 0 else "fail"  # of which there is no test
    if case.contrast is None:
        return "pass" if drop <= allowed + rules.precision else "fail"
    low, high = _span(condition, case)
    tested = p if condition.kind == MAX_DROP else case.contrast.tests[0].p
    exceeded = drop > allowed + rules.precision
    if low is not None and high is not None:
        worst = -high if condition.request.measure.better == "lower" else low
        if worst > -allowed or (low == high and not exceeded):
            return "pass"
        if low == high and tested is None:
            return "fail"  # every query is worse by the same amount, of which no t is made: nothing is left to chance
    return "fail" if tested is not None and tested <= rules.plan.alpha and exceeded else "undecided"


def _reason(condition: Condition, case: _Case, state: State, p: float | None, rules: Rules) -> str:
    """A sentence that says what was required and what was found."""
    digits = _telling(condition, case, state, rules)
    subject = f"{condition.group}/{condition.measure}" if condition.group else condition.measure
    text = str(int(case.measured)) if condition.request is None else number(case.measured, digits)
    said = f"{case.outcome.run}: {subject} is {text}"
    if case.before is not None and case.difference is not None:
        by = "" if math.isnan(case.difference) else f" ({signed(case.difference, digits)})"
        said += f", the baseline {number(case.before, digits)}{by}"
    said += f"; required: {required(condition)}"
    if condition.kind == EVERY_QUERY:
        count = len(case.changes)
        said = f"{case.outcome.run}: {subject} is to be {condition.sign} {decimal(condition.value)} for every query; "
        said += f"it is not for {count} of {len(_part(case.outcome, condition.group).queries)}" if count else "it is"
    if condition.kind == MAX_QUERY_LOSSES:
        worse, are = len(case.changes), "is" if len(case.changes) == 1 else "are"
        said += f"; {worse} of {len(_part(case.outcome, condition.group).queries)} {are}"
    if case.contrast is not None:
        said += f"; {_tested(case, state, p, rules)}"
    if state != "pass" and case.changes:
        said += f" ({_those(case.changes, digits)})"
    return said


def _telling(condition: Condition, case: _Case, state: State, rules: Rules) -> int:
    """As many digits as show that a condition does not hold: 0.7215 is not seen to be below 0.7215."""
    digits = rules.digits
    if state != "fail" or condition.request is None or condition.kind not in (MIN, MAX, MAX_DROP):
        return digits
    value, limit = case.measured, condition.value
    if condition.kind == MAX_DROP:
        value, limit = case.drop, math.nan if case.before is None else _allowed(condition, case.before)
    while digits in range(_MOST_DIGITS) and round(value, digits) == round(limit, digits):
        digits += 1
    return digits


def _tested(case: _Case, state: State, p: float | None, rules: Rules) -> str:
    digits = rules.digits
    span = None if case.contrast is None else case.contrast.interval
    between = ""
    if span is not None:
        between = f"the difference lies between {signed(span.low, digits)} and {signed(span.high, digits)}"
        if p is None and state == "fail":  # no test was made, nor any needed
            return f"{between}: every query is worse by the same amount" if span.low == span.high else between
    if p is None:
        note = "" if case.contrast is None else case.contrast.tests[0].note
        return f"the test says nothing ({note})" if note else "the test says nothing"
    how = f"p = {p:.4f}" if p >= 0.0001 else "p < 0.0001"
    if state == "undecided":
        return f"{between}, {how}: the queries are too few to tell" if between else f"{how}: cannot tell"
    return ", ".join(filter(None, (between, how)))


def _those(changes: Sequence[Change], digits: int) -> str:
    named = []
    for change in changes[:_NAMED]:
        query = printable(told_apart(change.query))
        values = number(change.after, digits)
        if change.before is not None:
            values = f"{number(change.before, digits)} to {values}"
        named.append(f"{query}: {values}")
    more = f", and {len(changes) - _NAMED} more" if len(changes) > _NAMED else ""
    return ", ".join(named) + more


# Tables


def _values(
    conditions: Sequence[Condition],
    requests: Sequence[Request],
    outcomes: Sequence[Outcome],
    baselines: Mapping[str, Outcome],
) -> tuple[Value, ...]:
    """Every measure of every run, over all queries and over the groups that conditions are about."""
    groups = ["", *dict.fromkeys(condition.group for condition in conditions if condition.group)]
    found = []
    for outcome in outcomes:
        baseline = baselines.get(outcome.run)
        for group in groups:
            part = _part(outcome, group)
            for request in requests:
                before = None
                if baseline is not None and _has(baseline.scores, request):
                    known = not group or _values_of(baseline.scores, request)
                    before = _value(baseline, outcome, group, request) if known else None
                value = _value(outcome, outcome, group, request)
                better = request.measure.better
                found.append(Value(outcome.run, group, request.standard, part.considered, value, before, better))
    return tuple(found)


def _has(scores: Scores, request: Request) -> bool:
    return any(column.request == request for column in scores.columns)


def _moved(
    requests: Sequence[Request], outcomes: Sequence[Outcome], baselines: Mapping[str, Outcome], rules: Rules
) -> list[Moved]:
    """The queries of each run that changed most, worst first."""
    found = []
    for outcome in outcomes:
        baseline = baselines.get(outcome.run)
        for request in requests:
            if baseline is None or not request.measure.per_query or not _has(baseline.scores, request):
                continue
            if not _values_of(baseline.scores, request):
                continue
            before, after = _paired(request, outcome.scores, baseline.scores)
            gains = _gains(request, before, after)
            order = np.argsort(gains, kind="stable")
            changed = order[np.abs(gains[order]) > rules.precision]
            most = changed[np.argsort(-np.abs(gains[changed]), kind="stable")][:WORST]
            if len(most):
                worst_first = most[np.argsort(gains[most], kind="stable")]
                found.append(Moved(outcome.run, request.standard, _told(outcome.scores, before, after, worst_first)))
    return found


def _values_of(scores: Scores, request: Request) -> bool:
    """Whether the values of single queries are there, which a saved result need not have."""
    return all(len(column.values) == len(scores.queries) for column in scores.columns if column.request == request)


def verdict(
    judged: tuple[tuple[Finding, ...], tuple[Value, ...], tuple[Moved, ...]],
    *,
    policy: str,
    baseline: str,
    qrels: str,
    files: Sequence[tuple[str, str]],
    notes: Sequence[str],
    digits: int,
) -> Verdict:
    """What `judge` found, with what it was found of."""
    return Verdict(*judged, policy, baseline, qrels, tuple(files), tuple(notes), digits)


def _name(group: bytes) -> str:
    return group.decode("utf-8", "surrogateescape")
