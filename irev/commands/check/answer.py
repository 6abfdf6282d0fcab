"""The answer of ``irev check``: read the conditions, find the baseline, and judge each condition for each run."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace

import numpy as np

from irev.base.errors import UsageError, decimal, option, spoken
from irev.base.settings import DEFAULT_MEASURES
from irev.base.text import counted
from irev.commands.check import CheckChoices
from irev.commands.check.conditions import (
    AGAINST,
    KINDS,
    MAX_DROP,
    MAX_SHARE_LOSING,
    NO_OTHERS,
    Condition,
    read,
    requests_of,
    require_possible,
)
from irev.commands.check.finding import CheckReport
from irev.commands.check.judging import (
    GateRules,
    changes_of,
    gains_of,
    has,
    has_queries,
    judge,
    of_group,
    paired,
    value_of,
)
from irev.commands.check.runs import existing, runs_to_judge
from irev.commands.check.verdict import DIGITS, WORST, Finding, MeasuredValue, Moved, State, Verdict
from irev.evaluation.comparison import cluster_numbers
from irev.evaluation.comparison.systems import aligned_outcomes
from irev.evaluation.inputs import Inputs
from irev.evaluation.notes import cluster_notes, skewed, unknown_shares
from irev.evaluation.result import Outcome, in_groups
from irev.evaluation.scores import changes_with_judgments, summarise, without_unjudged
from irev.measures import Request
from irev.measures.request import others_in
from irev.output.reports.comparison import unevenly_judged, what_mark_means

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
    outcomes, held, requests = runs.result.outcomes, runs.held, requests_of(conditions)
    if any(rules.tests(each) or each.kind == MAX_SHARE_LOSING for each in conditions):
        every = sorted({query for outcome in outcomes for query in outcome.scores.queries})
        numbers = None
        if choices.clusters is not None:
            numbers = cluster_numbers(every, choices.clusters)
            rules = replace(rules, clusters=dict(zip(every, numbers.tolist(), strict=True)))
        inputs.say([*cluster_notes(every, numbers)])
    notes = [*runs.notes, *held.notes]
    if held.name and not held.outcomes:
        alone = tuple(condition for condition in conditions if condition.kind not in AGAINST)
        if len(alone) < len(conditions):
            notes.append("There is no baseline yet, so conditions that need one were not checked.")
        conditions = alone
    findings = judge(conditions, outcomes, held.outcomes, rules)
    findings, unjudged = _on_unjudged(findings, conditions, held.outcomes, outcomes, rules)
    notes += [*_how(conditions, findings, rules), *unjudged]
    found = Verdict(
        findings,
        tuple(_values(conditions, requests, outcomes, held.outcomes)),
        tuple(_moved(requests, outcomes, held.outcomes)),
        policy=runs.result.policy,
        baseline=held.name if held.outcomes else "",
        qrels=runs.qrels,
        files=tuple(zip([outcome.run for outcome in outcomes], runs.files or [""] * len(outcomes), strict=True)),
        shown_as=CheckReport,
        notes=tuple(spoken(note, lambda name: inputs.flags.get(name, name)) for note in notes),
    )
    runs.tell()
    return CheckReport(found, choices, runs.page, runs.result)


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
        again = judge(against, without, baselines, rules)
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
    requests: Sequence[Request], outcomes: Sequence[Outcome], baselines: Mapping[str, Outcome]
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
            gains = gains_of(request, before, after)
            order = np.argsort(gains, kind="stable")
            changed = order[gains[order] != 0]
            most = changed[np.argsort(-np.abs(gains[changed]), kind="stable")][:WORST]
            if len(most):
                worst_first = most[np.argsort(gains[most], kind="stable")]
                yield Moved(outcome.run, request.standard, changes_of(outcome.scores, before, after, worst_first))
