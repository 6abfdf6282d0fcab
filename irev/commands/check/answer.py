"""The answer of ``irev check``: read the conditions, find the baseline, measure, and judge each condition for each run.

Without significance a condition is judged by the measured value. With significance, one-sided tests over the queries
compare the drop with the allowed drop d: the condition passes if the drop is shown to be smaller than d, fails if it is
shown to be larger, and otherwise there are too few queries to tell.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from functools import partial

import numpy as np

from irev.base.errors import UsageError, decimal, option, spoken
from irev.base.registry import did_you_mean
from irev.base.settings import DEFAULT_MEASURES
from irev.base.text import counted
from irev.commands.check import CheckChoices
from irev.commands.check.baseline import ROUNDING
from irev.commands.check.causes import whys
from irev.commands.check.conditions import (
    AGAINST,
    EVERY_QUERY,
    KINDS,
    MAX,
    MAX_DROP,
    MAX_QUERY_LOSSES,
    MAX_SHARE_LOSING,
    MIN,
    NO_OTHERS,
    NO_WORSE_THAN,
    UNKNOWN_ELSEWHERE,
    Condition,
    GateRules,
    allowance,
    changes_of,
    gains_of,
    has,
    has_queries,
    measured_for,
    name_of,
    of_group,
    paired,
    read,
    requests_of,
    require_possible,
    value_of,
)
from irev.commands.check.finding import CheckReport
from irev.commands.check.runs import RunsToJudge, existing, runs_to_judge
from irev.commands.check.verdict import (
    DIGITS,
    ORDER,
    WORST,
    Finding,
    MeasuredValue,
    Moved,
    State,
    Verdict,
    Weighed,
    Why,
)
from irev.commands.check.words import reason_of
from irev.evaluation.comparison import cluster_numbers
from irev.evaluation.comparison.systems import aligned_outcomes
from irev.evaluation.inputs import Inputs
from irev.evaluation.notes import cluster_notes, skewed, unknown_shares
from irev.evaluation.result import Outcome, in_groups
from irev.evaluation.scores import changes_with_judgments, summarise, without_unjudged
from irev.measures import Request
from irev.measures.request import others_in
from irev.output.reports.comparison import unevenly_judged, what_mark_means
from irev.statistics.corrections import adjusted
from irev.statistics.intervals import Share

NOTHING = (
    f"no condition is given; add one, for example {option('min', 'nDCG@10=0.4')} or {option('max_drop', 'AP=0.01')}"
)


def requirements(
    choices: CheckChoices, usual: Sequence[str], compat: str, others: Mapping[str, Request] = NO_OTHERS
) -> tuple[Condition, ...]:
    """Read conditions.

    Those that name no measure are about the measures of other conditions, or else the `usual` ones. `others` are
    measures of other programs by their names.

    Raises
    ------
    UsageError
        For a text that is not a condition, a measure that does not exist or has texts for values, and when nothing is
        required.
    """
    written = [(kind, text) for kind in KINDS for text in getattr(choices, kind)]
    own = (each for kind, text in written for each in read(kind, text, (), compat, others))
    named = dict.fromkeys(each.measure for each in own if each.request is not None)
    fallback = tuple(named) or tuple(usual)
    conditions = tuple(each for kind, text in written for each in read(kind, text, fallback, compat, others))
    if not conditions:
        raise UsageError(NOTHING)
    return conditions


def answer(inputs: Inputs, choices: CheckChoices) -> CheckReport:
    """Whether runs are as good as they must be, and why they are not."""
    there = existing(inputs, choices)
    settings, known = (inputs.settings, ()) if there is None else (there[0].settings, there[0].requests)
    usual = DEFAULT_MEASURES if there is None else dict.fromkeys(each.standard for each in known)
    conditions = requirements(choices, tuple(usual), settings.compat, others_in(known))
    require_possible(conditions, settings)
    if choices.groups is not None and not any(condition.group for condition in conditions):
        remedy = f"for example {option('min', 'group:NAME/AP=0.3')}"
        raise UsageError(f"{option('groups')} has no effect: no condition is about a group", remedy=remedy)
    rules = GateRules(choices.significant or 0.05, choices.significant is not None, choices.undecided)
    runs = runs_to_judge(inputs, choices, conditions, there)
    if any(rules.tests(each) or each.kind == MAX_SHARE_LOSING for each in conditions):
        every = sorted({query for outcome in runs.outcomes for query in outcome.scores.queries})
        numbers = None
        if choices.clusters is not None:
            numbers = cluster_numbers(every, choices.clusters)
            rules = replace(rules, clusters=dict(zip(every, numbers.tolist(), strict=True)))
        inputs.say([*cluster_notes(every, numbers)])
    found = check(conditions, runs, rules)
    notes = tuple(spoken(note, lambda name: inputs.flags.get(name, name)) for note in found.notes)
    keep, trend = None, None
    if choices.log is not None:
        from irev.commands import builds

        build, before = builds.build_of(runs.result), builds.builds_of_log(choices.log, warn=inputs.warn)
        keep = partial(builds.keep, choices.log, build)
        if before:
            from irev.commands.trend.answer import trend_of

            trend = trend_of([*before, build], clusters=choices.clusters)
    runs.tell()
    result = runs.result if there is None else there[0]
    return CheckReport(replace(found, notes=notes), choices, runs.page, keep, trend, result)


def check(conditions: tuple[Condition, ...], runs: RunsToJudge, rules: GateRules) -> Verdict:
    """Judge what is required of runs.

    Raises
    ------
    InputError
        For rankings that are not those that were evaluated.
    UsageError
        For a condition about a run, a group or a value that does not exist.
    """
    outcomes, settings, requests, held = runs.outcomes, runs.settings, requests_of(conditions), runs.held
    later = False
    if held.name and not held.outcomes:
        alone = tuple(condition for condition in conditions if condition.kind not in AGAINST)
        conditions, later = alone, len(alone) < len(conditions)
    findings = _judge(conditions, outcomes, held.outcomes, rules)
    findings, unjudged = _on_unjudged(findings, conditions, held.outcomes, outcomes, rules)
    reasons: tuple[Why, ...] = ()
    if runs.rankings is not None and held.outcomes and not all(finding.holds for finding in findings):
        reasons = tuple(whys(findings, requests, outcomes, held.outcomes, settings, rules, runs.rankings))
    more = (
        f"The baseline has only values. Keep a copy of its run: with {option('baseline_run')}, irev shows which"
        " documents pushed others down."
    )
    return Verdict(
        findings,
        tuple(_values(conditions, requests, outcomes, held.outcomes)),
        tuple(_moved(requests, outcomes, held.outcomes, rules)),
        policy=runs.policy or settings.policy,
        baseline=held.name if held.outcomes else "",
        qrels=runs.qrels,
        files=tuple(zip([outcome.run for outcome in outcomes], runs.files or [""] * len(outcomes), strict=True)),
        shown_as=CheckReport,
        notes=(
            *runs.notes,
            *held.notes,
            *(["There is no baseline yet, so conditions that need one were not checked."] if later else []),
            *_how(conditions, findings, rules),
            *unjudged,
            *([] if all(why.compared for why in reasons) else [more]),
        ),
        whys=reasons,
    )


def _how(conditions: Sequence[Condition], findings: Sequence[Finding], rules: GateRules) -> Iterator[str]:
    """How tests were made, where there are any, and what they do not show."""
    kinds = {condition.written: condition.kind for condition in conditions}
    if any(map(rules.tests, conditions)):
        said = f"Tests: paired t test, one-sided, against the drop that is allowed, level {decimal(rules.alpha)}"
        if any(found.p is not None for found in findings if kinds[found.condition] == MAX_DROP):
            said += ", Holm's correction"
        if rules.clusters:
            said += f", by {counted(len({*rules.clusters.values()}), 'cluster')} of queries"
        yield f"{said}."
        tests = [(f"{found.measure} of {found.run}", found.weighed) for found in findings if found.low is not None]
        yield from skewed(
            [(name, *((of and of.skewed) or (0, None))) for name, of in tests], "test", "cluster" * bool(rules.clusters)
        )
    if any(found.losing is not None for found in findings):
        alike = ", as if all queries of a cluster did the same" * bool(rules.clusters)
        yield (
            f"Shares of queries: exact bound of Clopper and Pearson, one-sided, level {decimal(rules.alpha)}{alike}; p "
            "is the probability that so few queries or fewer lose, if the true share is the limit."
        )


# Judging


def _judge(
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


def _on_unjudged(
    findings: tuple[Finding, ...],
    conditions: Sequence[Condition],
    befores: Mapping[str, Outcome],
    outcomes: Sequence[Outcome],
    rules: GateRules,
) -> tuple[tuple[Finding, ...], tuple[str, ...]]:
    """The findings, with a mark where they change without unjudged documents, and sentences on these documents."""
    against = [
        condition
        for condition in conditions
        if condition.kind in AGAINST and condition.request is not None and changes_with_judgments(condition.request)
    ]
    pairs = [(befores[each.run], each) for each in outcomes if each.run in befores and against]
    unknown = {outcome.run: before.unknown_shares or outcome.unknown_shares for before, outcome in pairs}
    uneven: dict[tuple[str, str], bool] = {}
    sentences = dict.fromkeys(unknown_shares(unknown.values()))
    for before, outcome in pairs:
        if not unknown[outcome.run]:
            found, said = _unevenly_judged(before, outcome, requests_of(conditions))
            uneven |= {(outcome.run, name): none for name, none in found.items()}
            sentences |= dict.fromkeys(said)
    states: dict[tuple[str, str, str], State] = {}
    if uneven:
        without = [_condensed(outcome) for outcome in outcomes]
        baselines = {run: _condensed(outcome) for run, outcome in befores.items()}
        again = _judge(against, without, baselines, rules)
        states = {(each.condition, each.run, each.group): each.state for each in again}

    about = {condition.written for condition in against}

    def rests(finding: Finding) -> bool | None:
        if finding.condition not in about or unknown.get(finding.run):
            return None if finding.condition in about else False
        none = uneven.get((finding.run, finding.measure))
        other = states.get((finding.condition, finding.run, finding.group), finding.state)
        return none is not None and finding.state != "undecided" and (none or other != finding.state)

    marked = tuple(replace(finding, rests_on_unjudged=rests(finding)) for finding in findings)
    if resting := [each for each in marked if each.rests_on_unjudged]:
        sentences[what_mark_means("result", any(uneven[each.run, each.measure] for each in resting))] = None
    return marked, tuple(sentences)


def _condensed(outcome: Outcome) -> Outcome:
    """The same with the values without unjudged documents, of measures that have these in `Scores.beside`."""
    beside = {column.request: column.values for column in outcome.scores.beside}
    columns = tuple(
        replace(column, values=beside.get(without_unjudged(column.request), column.values))
        for column in outcome.scores.columns
    )
    scores = replace(outcome.scores, columns=columns, beside=())
    grouping = {query: group.name for query, group in outcome.group_of.items()}
    return replace(outcome, scores=scores, summary=summarise(scores), groups=in_groups(scores, grouping))


def _unevenly_judged(
    before: Outcome, outcome: Outcome, requests: Sequence[Request]
) -> tuple[dict[str, bool], list[str]]:
    """The measures that clearly look at more judged documents of the run or of the baseline, with whether they look at
    none of one of them; and sentences on them."""
    measured = (
        {column.request for column in each.columns if column.request.measure.numeric} for each in (before, outcome)
    )
    known = set.intersection(*measured)
    asked = [request for request in requests if request in known and request.better != "neither"]
    aligned = aligned_outcomes([replace(before, run="the baseline"), outcome], asked, both=True)
    found, said = unevenly_judged(aligned, 0, DIGITS)
    return {measure: none for (measure, _, _), none in found.items()}, said


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
        return _of_share(found.losing, condition.value)
    if before is None or math.isnan(value) or math.isnan(before):
        return "fail"
    if not math.isfinite(found.drop):
        return "pass" if found.drop < 0 else "fail"  # no test is made of an infinite drop
    exceeded = found.drop > allowance(condition, before) + rules.precision
    if weighed is None:
        return "fail" if exceeded else "pass"
    if condition.kind == NO_WORSE_THAN:
        return _weighed(weighed, exceeded, weighed.worse.p, rules)
    return "pass" if weighed.unchanged else _weighed(weighed, exceeded, found.p, rules)


def _of_share(losing: Share, limit: float) -> State:
    if losing.high <= limit:
        return "pass"
    return "fail" if losing.low > limit else "undecided"


def _weighed(weighed: Weighed, exceeded: bool, p: float | None, rules: GateRules) -> State:
    """Whether the drop is shown to be smaller or larger than allowed. It is never larger unless the measured drop
    is."""
    shown = p if exceeded else weighed.p_no_worse
    if shown is None or shown > rules.alpha:
        return "undecided"
    return "fail" if exceeded else "pass"


def _values(
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
            part = of_group(outcome, group)
            for request in requests:
                before = None
                if baseline is not None and has(baseline.scores, request):
                    known = not group or has_queries(baseline.scores, request)
                    before = value_of(of_group(baseline, group, outcome), request) if known else None
                about = (outcome.run, group, request.standard, part.scores.considered)
                yield MeasuredValue(*about, value_of(part, request), before, request.better)


def _moved(
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
                yield Moved(outcome.run, request.standard, changes_of(outcome.scores, before, after, worst_first))
