"""Judging: conditions, runs and a baseline in, a `irev.questions.check.finding.Verdict` out.

Without significance a condition is judged by the measured value. With it, by what the queries show of the drop d that
is allowed, each by a test with one side: it passes when the drop is shown to be smaller than d, it fails when it is
shown to be larger, and otherwise there are too few queries to tell.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING

import numpy as np

from irev.base.errors import UsageError, option
from irev.base.registry import did_you_mean
from irev.evaluation.result import Outcome
from irev.measures import Request
from irev.questions.check.baseline import ROUNDING
from irev.questions.check.cases import (
    Case,
    Weighed,
    allowance,
    case_of,
    gains_of,
    has,
    has_queries,
    name_of,
    paired,
    part_of,
    told,
    value_of,
)
from irev.questions.check.conditions import (
    EVERY_QUERY,
    MAX,
    MAX_DROP,
    MAX_QUERY_LOSSES,
    MIN,
    NO_WORSE_THAN,
    Condition,
    GateRules,
    required,
)
from irev.questions.check.verdict import ORDER, WORST, Finding, MeasuredValue, Moved, State
from irev.questions.check.words import reason_of
from irev.statistics.corrections import adjusted, least
from irev.statistics.shares import Share

if TYPE_CHECKING:
    from irev.questions.check.corrected import ValuesOfRuns


def judge(
    conditions: Sequence[Condition],
    shown: Sequence[Request],
    outcomes: Sequence[Outcome],
    baselines: Mapping[str, Outcome],
    rules: GateRules,
    both: ValuesOfRuns | None = None,
) -> tuple[tuple[Finding, ...], tuple[MeasuredValue, ...], tuple[Moved, ...]]:
    """Judge every condition for every run that it is about.

    Parameters
    ----------
    conditions : sequence of Condition
    shown : sequence of Request
        Measures for the tables.
    outcomes : sequence of Outcome
        The runs.
    baselines : mapping of str to Outcome
        What each run is compared with, by the name of the run; empty for nothing.
    rules : GateRules
    both : ValuesOfRuns, optional
        What human and predicted judgments say together, where that is judged.

    Returns
    -------
    findings, values, moved
        As in `Verdict`, findings in its order.

    Raises
    ------
    UsageError
        For a condition about a run or a group that there is not, or without the baseline that it needs.
    """
    found: list[tuple[Condition, Case]] = []
    for condition in conditions:
        _require_known(condition, outcomes)
        for outcome in outcomes:
            if condition.run in ("", outcome.run):
                measure = case_of if both is None else both.case_of
                found.append((condition, measure(condition, outcome, baselines.get(outcome.run), rules)))
    chances = zip(found, _corrected(found, rules), _least(found, rules), strict=True)
    findings = [_finding(condition, case, p, least, rules) for (condition, case), p, least in chances]
    findings.sort(key=lambda finding: (finding.holds, ORDER[finding.state]))
    if both is not None:
        return tuple(findings), tuple(both.measured(shown, outcomes)), ()
    told = tuple(values(conditions, shown, outcomes, baselines))
    return tuple(findings), told, tuple(moved(shown, outcomes, baselines, rules))


def _require_known(condition: Condition, outcomes: Sequence[Outcome]) -> None:
    runs = [outcome.run for outcome in outcomes]
    if condition.run and condition.run not in runs:
        near = did_you_mean(condition.run, runs, f"there are {', '.join(runs)}")
        raise UsageError(f"{condition.named}: there is no run '{condition.run}'", remedy=near)
    groups = [name_of(group.name) for group in outcomes[0].groups]
    if condition.group and condition.group not in groups:
        near = did_you_mean(
            condition.group, groups, f"there are {', '.join(groups)}" if groups else f"name {option('groups', 'FILE')}"
        )
        raise UsageError(f"{condition.named}: there is no group '{condition.group}'", remedy=near)
    for outcome in outcomes:
        # A condition on every query would hold for no queries at all.
        if condition.run in ("", outcome.run) and not part_of(outcome, condition.group).considered:
            of_group = f" in the group '{condition.group}'" if condition.group else ""
            raise UsageError(f"{condition.named}: no query{of_group} counts", remedy="list judged queries")


def _corrected(found: Sequence[tuple[Condition, Case]], rules: GateRules) -> list[float | None]:
    """The p-values of conditions that have one.

    Those of drops are corrected together, since each is another chance to fail. Those of what has to be shown are not:
    all of them have to be small for a check to hold.
    """
    drops = [None if c.kind != MAX_DROP or case.weighed is None else case.weighed.worse.p for c, case in found]
    corrected = adjusted(rules.plan.correction or "holm", drops)
    return [p if c.kind == MAX_DROP else _p_shown(case) for (c, case), p in zip(found, corrected, strict=True)]


def _least(found: Sequence[tuple[Condition, Case]], rules: GateRules) -> list[float | None]:
    """The smallest p with which each condition can be shown to fail, where it has such a limit; of a share of the
    queries the smallest with which it can be shown to hold."""
    worse = [None if case.weighed is None else case.weighed.worse for _, case in found]
    drops = [test for (condition, _), test in zip(found, worse, strict=True) if condition.kind == MAX_DROP and test]
    corrected = iter(least(rules.plan.correction or "holm", drops))
    limits: list[float | None] = []
    for (condition, case), test in zip(found, worse, strict=True):
        if case.losing is not None:
            limits.append(case.losing.least)
        elif test is None:
            limits.append(None)
        else:
            limits.append(next(corrected) if condition.kind == MAX_DROP else test.least)
    return limits


def _p_shown(case: Case) -> float | None:
    if case.losing is not None:
        return case.losing.p_below
    return None if case.weighed is None else case.weighed.p_no_worse


def _finding(condition: Condition, case: Case, p: float | None, least: float | None, rules: GateRules) -> Finding:
    state = _state(condition, case, p, rules)
    span = None if case.weighed is None else case.weighed.interval
    why, named = reason_of(condition, case, state, p, least, rules)
    queries = case.changes if condition.kind != MAX_QUERY_LOSSES or state == "fail" else ()
    return Finding(
        condition=condition.written,
        run=case.outcome.run,
        group=condition.group,
        measure=condition.measure,
        state=state,
        holds=state == "pass" or (state == "undecided" and rules.lenient(condition)),
        required=required(condition),
        measured=case.measured,
        reason=why,
        baseline=case.before,
        difference=case.difference,
        low=None if span is None else span.low,
        high=None if span is None else span.high,
        p=p,
        losing=case.losing,
        queries=() if state == "pass" else queries[:WORST],
        named=named,
    )


def _state(condition: Condition, case: Case, p: float | None, rules: GateRules) -> State:
    value, before = case.measured, case.before
    if condition.kind == MIN:
        return "pass" if value >= condition.value - ROUNDING else "fail"
    if condition.kind == MAX:
        return "pass" if value <= condition.value + ROUNDING else "fail"
    if condition.kind == EVERY_QUERY:
        return "fail" if case.changes else "pass"
    if condition.kind == MAX_QUERY_LOSSES:
        return "pass" if len(case.changes) <= condition.value else "fail"
    if case.losing is not None:
        return _of_share(case.losing, condition.value)
    if before is None or math.isnan(value) or math.isnan(before):
        return "fail"
    if not math.isfinite(case.drop):
        return "pass" if case.drop < 0 else "fail"  # of which there is no test
    exceeded = case.drop > allowance(condition, before) + rules.precision
    if case.weighed is None:
        return "fail" if exceeded else "pass"
    return _weighed(case.weighed, exceeded, case.weighed.worse.p if condition.kind == NO_WORSE_THAN else p, rules)


def _of_share(losing: Share, limit: float) -> State:
    if losing.high <= limit:
        return "pass"
    return "fail" if losing.low > limit else "undecided"


def _weighed(weighed: Weighed, exceeded: bool, p: float | None, rules: GateRules) -> State:
    """What a drop is shown to be, which is larger than is allowed only where the measured one is, whatever the test."""
    if exceeded:
        # Where every query is worse by the same amount no t can be made, and nothing is left to chance.
        shown = p <= rules.plan.alpha if p is not None else weighed.still
        return "fail" if shown else "undecided"
    if weighed.still:
        return "pass" if weighed.unharmed else "undecided"
    return "pass" if weighed.p_no_worse is not None and weighed.p_no_worse <= rules.plan.alpha else "undecided"


def values(
    conditions: Sequence[Condition],
    requests: Sequence[Request],
    outcomes: Sequence[Outcome],
    baselines: Mapping[str, Outcome],
) -> Iterator[MeasuredValue]:
    """Every measure of every run, over all queries and over the groups that conditions are about."""
    groups = ["", *dict.fromkeys(condition.group for condition in conditions if condition.group)]
    for outcome in outcomes:
        baseline = baselines.get(outcome.run)
        for group in groups:
            part = part_of(outcome, group)
            for request in requests:
                before = None
                if baseline is not None and has(baseline.scores, request):
                    known = not group or has_queries(baseline.scores, request)
                    before = value_of(baseline, outcome, group, request) if known else None
                value = value_of(outcome, outcome, group, request)
                better = request.better
                yield MeasuredValue(outcome.run, group, request.standard, part.considered, value, before, better)


def moved(
    requests: Sequence[Request], outcomes: Sequence[Outcome], baselines: Mapping[str, Outcome], rules: GateRules
) -> Iterator[Moved]:
    """The queries of each run that changed most, worst first."""
    for outcome in outcomes:
        baseline = baselines.get(outcome.run)
        for request in requests:
            if baseline is None or not request.measure.per_query or not has(baseline.scores, request):
                continue
            if not has_queries(baseline.scores, request):
                continue
            before, after = paired(request, outcome.scores, baseline.scores)
            gains = gains_of(request, before, after, rules.precision)
            order = np.argsort(gains, kind="stable")
            changed = order[gains[order] != 0]
            most = changed[np.argsort(-np.abs(gains[changed]), kind="stable")][:WORST]
            if len(most):
                worst_first = most[np.argsort(gains[most], kind="stable")]
                yield Moved(outcome.run, request.standard, told(outcome.scores, before, after, worst_first))
