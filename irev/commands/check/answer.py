"""The answer of ``irev check``: read the conditions, find the baseline, measure, and judge each condition for each run.

Without significance a condition is judged by the measured value. With significance, one-sided tests over the queries
compare the drop with the allowed drop d: the condition passes if the drop is shown to be smaller than d, fails if it is
shown to be larger, and otherwise there are too few queries to tell.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Hashable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from irev.base.errors import InputError, UsageError, decimal, option, spoken
from irev.base.records import dataclass
from irev.base.registry import did_you_mean
from irev.base.settings import DEFAULT_MEASURES
from irev.base.text import counted
from irev.commands.check import CheckChoices
from irev.commands.check import baseline as baselines
from irev.commands.check.baseline import ROUNDING
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
    Case,
    Condition,
    GateRules,
    Weighed,
    allowance,
    case_of,
    changes_of,
    gains_of,
    has,
    has_queries,
    name_of,
    paired,
    part_of,
    read,
    require_measured,
    require_possible,
    required,
    value_of,
)
from irev.commands.check.finding import CheckReport, History, Verdict
from irev.commands.check.runs import Baseline, Required, RunsToJudge, existing, runs_to_judge
from irev.commands.check.verdict import ORDER, WORST, Finding, MeasuredValue, Moved, State, Why
from irev.commands.check.words import reason_of
from irev.evaluation.inputs import Inputs
from irev.evaluation.notes import chosen_notes, cluster_notes, skewed, unknown_shares
from irev.evaluation.result import Outcome, in_groups
from irev.evaluation.scores import changes_with_judgments, without_unjudged
from irev.evaluation.summary import summarise
from irev.measures import Request
from irev.measures.request import others_in, parse_among
from irev.reading.sources import Source
from irev.statistics.corrections import CORRECTIONS, adjusted, least
from irev.statistics.paired import TESTS, TestResult
from irev.statistics.plan import Plan
from irev.statistics.shares import Share

if TYPE_CHECKING:
    from irev.commands.check.corrected import ValuesOfRuns


NOTHING = (
    f"no condition is given; add one, for example {option('min', 'nDCG@10=0.4')} or {option('max_drop', 'AP=0.01')}"
)


def requirements(
    choices: CheckChoices,
    usual: Sequence[str],
    compat: str,
    unusual: Callable[[str], None] = lambda message: None,
    others: Mapping[str, Request] = NO_OTHERS,
) -> Required:
    """Read conditions.

    Those that name no measure are about the measures that are shown, or else those of other conditions, or else the
    `usual` ones. `unusual` is told of measures that are named in a doubtful way. `others` are measures of other
    programs by their names.

    Raises
    ------
    UsageError
        For a text that is not a condition, a measure that does not exist or has texts for values, and when nothing is
        required.
    """
    took = None
    if choices.resources is not None:
        from irev.reading.resources import read_resources

        with Source(choices.resources) as source:
            took = read_resources(source)
    measures, written = choices.measures, [(kind, text) for kind in KINDS for text in getattr(choices, kind)]
    own = (each for kind, text in written for each in read(kind, text, (), compat, took, others))
    named = dict.fromkeys(each.measure for each in own if each.request is not None)
    fallback = measures or tuple(named) or tuple(usual)
    conditions = tuple(each for kind, text in written for each in read(kind, text, fallback, compat, took, others))
    if not conditions:
        raise UsageError(NOTHING)
    shown = _numbers(measures, compat, unusual, others) if measures else ()
    asked = [*(each.request for each in conditions if each.request is not None), *shown]
    return Required(conditions, tuple(dict.fromkeys(asked)))


def _numbers(
    measures: Sequence[str], compat: str, unusual: Callable[[str], None], others: Mapping[str, Request]
) -> tuple[Request, ...]:
    """The measures that have numbers. One whose values are texts is refused by its name, and left out of a set."""
    found = parse_among(measures, others, compat, unusual)
    for name in measures:
        if all(request.measure.kind == "text" for request in parse_among([name], others, compat, unusual)):
            raise UsageError(f"{name} has no numbers", remedy="choose another measure")
    if left := [request.standard for request in found if request.measure.kind == "text"]:
        unusual(f"left out: {', '.join(left)} (no numbers)")
    return tuple(request for request in found if request.measure.kind != "text")


def answer(inputs: Inputs, choices: CheckChoices) -> CheckReport:
    """Whether runs are as good as they must be, and why they are not."""
    if choices.predicted is not None:
        from irev.commands.check.corrected import require_correctable

        require_correctable(choices)
    there = existing(inputs, choices)
    settings, known = (inputs.settings, ()) if there is None else (there[0].settings, there[0].requests)
    usual = DEFAULT_MEASURES if there is None else dict.fromkeys(each.standard for each in known)
    unusual = inputs.warn if inputs.held is None else lambda message: None
    asked = requirements(choices, tuple(usual), settings.compat, unusual, others_in(known))
    require_possible(asked.conditions, settings)
    if choices.groups is not None and not any(condition.group for condition in asked.conditions):
        remedy = f"for example {option('min', 'group:NAME/AP=0.3')}"
        raise UsageError(f"{option('groups')} has no effect: no condition is about a group", remedy=remedy)
    if choices.predicted is not None and not asked.requests:
        fact = f"{option('predicted')} has no effect: no condition is about a measure"
        raise UsageError(fact, remedy=f"for example {option('min', 'nDCG@10=0.4')}")
    plan = Plan(
        (choices.test,),
        correction=choices.correction,
        samples=choices.samples,
        seed=choices.seed,
        alpha=choices.significant or 0.05,
    )
    significant = choices.significant is not None
    rules = GateRules(plan, significant, choices.any_drop, choices.undecided, digits=inputs.digits)
    runs = runs_to_judge(inputs, choices, asked, there)
    if any(rules.tests(each) or each.kind == MAX_SHARE_LOSING for each in asked.conditions):
        every = sorted({query for outcome in runs.outcomes for query in outcome.scores.queries})
        numbers = None
        if choices.clusters is not None:
            from irev.evaluation.comparison import cluster_numbers

            numbers = cluster_numbers(every, choices.clusters)
            rules = replace(rules, clusters=dict(zip(every, numbers.tolist(), strict=True)))
        inputs.say([*cluster_notes(every, numbers)])
    both = None
    if runs.both is not None:
        from irev.commands.check.corrected import values_of_runs

        both = values_of_runs(runs.both, runs.outcomes, runs.settings, choices.clusters)
        inputs.say([*both.warnings, *chosen_notes(both.found.found.chosen, both.found.human)])
    found = check(asked, runs, rules, both)
    queries = {change.query for moved in found.moved for change in moved.queries}
    queries |= {cause.query for why in found.whys for cause in why.causes}
    named = {name for why in found.whys for cause in why.causes for name in (cause.document, cause.by) if name}
    found = replace(
        found,
        notes=tuple(spoken(note, lambda name: inputs.flags.get(name, name)) for note in found.notes),
        titles=inputs.titles_of(queries),
        documents=inputs.texts_of(named),
    )
    history = None if choices.log is None else _history(choices.log, runs, choices, inputs.warn)
    runs.tell()
    return CheckReport(found, choices, runs.page, history, runs.result if there is None else there[0])


def _history(log: str, runs: RunsToJudge, choices: CheckChoices, warn: Callable[[str], object]) -> History:
    """This build, and how results changed up to it, where a log has builds that can be compared with it."""
    from irev.commands.builds import build_of, builds_of_log
    from irev.commands.trend.answer import trend_of

    build, before = build_of(runs.result, choices.build), builds_of_log(log, warn=warn)
    return History(log, build, trend_of([*before, build], clusters=choices.clusters) if before else None)


@dataclass(frozen=True)
class Held:
    """What every run is compared with.

    Attributes
    ----------
    outcomes : mapping of str to Outcome
        By the name of the run; empty for nothing.
    conditions : tuple of Condition
        Those that can be judged so.
    precision : float
        Differences up to this may come of rounding alone.
    notes : tuple of str
        What is to be said of it.
    """

    outcomes: Mapping[str, Outcome]
    conditions: tuple[Condition, ...]
    precision: float = baselines.ROUNDING
    notes: tuple[str, ...] = ()


def hold(runs: RunsToJudge, conditions: tuple[Condition, ...], rules: GateRules) -> Held:
    """Find what every run is compared with.

    Raises
    ------
    InputError
        For a baseline that was made otherwise, of other judgments or of other queries, or that lacks a run.
    """
    baseline, outcomes = runs.baseline, runs.outcomes
    if baseline.run is not None:
        remedy = f"{option('queries', 'qrels')} counts all that are judged"
        for outcome in outcomes:
            baselines.require_same_queries(outcome, baseline.run.scores, baseline.name, remedy)
        return Held({outcome.run: baseline.run for outcome in outcomes}, conditions)
    if baseline.saved is None:
        return _without("There is no baseline yet", conditions) if baseline.name else Held({}, conditions)
    try:
        note: str | None = baselines.UNKNOWN_JUDGMENTS
        if all(each.facts.known for each in (*outcomes, *baseline.saved.outcomes)):
            note = baselines.require_comparable(
                baseline.saved, baseline.name, runs.settings, runs.inputs, baseline.allow_changed
            )
        found = {each.run: baselines.outcome_for(baseline.saved, each.run, baseline.name) for each in outcomes}
        for outcome in outcomes:
            baselines.require_same_queries(outcome, found[outcome.run].scores, baseline.name, baseline.again)
        if baseline.replaced:  # where it is not, what it lacks is told when it is looked for
            for condition in conditions:
                for before in found.values() if condition.kind in AGAINST else ():
                    require_measured(before.scores, condition, rules.significant)
    except (InputError, UsageError):
        if not baseline.replaced:
            raise
        return _without("The baseline was made with other settings, and is replaced", conditions)
    return Held(found, conditions, baselines.tolerance(baseline.saved), (note,) if note else ())


def _without(why: str, conditions: tuple[Condition, ...]) -> Held:
    """Nothing to be compared with, which leaves the conditions that need nothing."""
    kept = tuple(condition for condition in conditions if condition.kind not in AGAINST)
    return Held(
        {},
        kept,
        notes=(f"{why}, so conditions that need one were not checked.",) if len(kept) < len(conditions) else (),
    )


def check(asked: Required, runs: RunsToJudge, rules: GateRules, both: ValuesOfRuns | None = None) -> Verdict:
    """Judge what is required of runs, by `both` kinds of judgments where there are predicted ones.

    Raises
    ------
    InputError
        As `hold` does, and for rankings that are not those that were evaluated.
    UsageError
        For a condition about a run, a group or a value that there is not.
    """
    outcomes, settings = runs.outcomes, runs.settings
    held = hold(runs, asked.conditions, rules)
    rules = replace(rules, precision=held.precision)
    named = runs.files or [""] * len(outcomes)
    findings, values, moved = _judge(held.conditions, asked.requests, outcomes, held.outcomes, rules, both)
    unjudged: tuple[str, ...] = ()
    if both is None:
        findings, unjudged = _on_unjudged(findings, held, asked.requests, outcomes, rules)
    reasons: tuple[Why, ...] = ()
    if runs.rankings is not None and held.outcomes and not all(finding.holds for finding in findings):
        from irev.commands.check.causes import whys  # which a check that holds has no need of

        reasons = tuple(whys(findings, asked.requests, outcomes, held.outcomes, settings, rules, runs.rankings))
    return Verdict(
        findings,
        values,
        moved,
        policy=runs.policy or settings.policy,
        baseline=runs.baseline.name if held.outcomes else "",
        qrels=runs.qrels,
        files=tuple((outcome.run, file) for outcome, file in zip(outcomes, named, strict=True)),
        notes=(
            *(() if both is None else both.notes),
            *runs.notes,
            *held.notes,
            *_how(held.conditions, findings, rules, corrected=both is not None),
            *unjudged,
            *_more(reasons, runs.baseline),
        ),
        digits=rules.digits,
        whys=reasons,
        corrected=None if both is None else both.found,
    )


def _more(reasons: Sequence[Why], baseline: Baseline) -> Iterator[str]:
    """How to learn more of what made queries fall, where the baseline has values alone."""
    if all(why.compared for why in reasons):
        return
    runs = [] if baseline.saved is None else [each for each in baseline.saved.inputs if each.role == "run"]
    if gone := [each.name for each in runs if not baselines.still_there(each)]:
        yield (
            f"The baseline has only values, and its run is no longer in {', '.join(gone)}. Keep a copy of such a "
            f"run: with {option('baseline_run')}, irev shows which documents pushed others down."
        )
        return
    made_of = f" ({', '.join(each.name for each in runs)})" if runs else ""
    yield (
        f"The baseline has only values; give its run{made_of} with {option('baseline_run')} to see which "
        "documents pushed others down."
    )


def _how(
    conditions: Sequence[Condition], findings: Sequence[Finding], rules: GateRules, corrected: bool
) -> Iterator[str]:
    """How tests were made, where there are any, and what they do not show."""
    plan, kinds = rules.plan, {condition.written: condition.kind for condition in conditions}
    tested = {condition.kind for condition in conditions if rules.tests(condition)}
    if tested:
        allowed = "the drop that is allowed"
        against = allowed
        if rules.any_drop:
            against = (
                f"any drop, and of {option(NO_WORSE_THAN)} against {allowed}" if NO_WORSE_THAN in tested else "any drop"
            )
        test = "t test of corrected differences" if corrected else TESTS[plan.tests[0]].title
        said = [f"Tests: {test}, one-sided, against {against}, level {decimal(plan.alpha)}"]
        if any(found.p is not None for found in findings if kinds[found.condition] == MAX_DROP):
            said.append(CORRECTIONS[plan.correction or "holm"].title)
        if rules.clusters:
            said.append(f"by {counted(len({*rules.clusters.values()}), 'cluster')} of queries")
        if TESTS[plan.tests[0]].sampled:
            said.append(f"{plan.samples:,} samples, seed {plan.seed}")
        yield f"{', '.join(said)}."
        tests = [(f"{found.measure} of {found.run}", found.skewed) for found in findings if found.low is not None]
        yield from skewed([(name, *(of or (0, None))) for name, of in tests], "test", "cluster" * bool(rules.clusters))
    if any(found.losing is not None for found in findings):
        alike = ", as if all queries of a cluster did the same" * bool(rules.clusters)
        yield (
            f"Shares of queries: exact bound of Clopper and Pearson, one-sided, level {decimal(plan.alpha)}{alike}; p "
            "is the probability that so few queries or fewer lose, if the true share is the limit."
        )


# Judging


def _judge(
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
        For a condition about an unknown run or group, or without the baseline that it needs.
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
    values = tuple(_values(conditions, shown, outcomes, baselines))
    return tuple(findings), values, tuple(_moved(shown, outcomes, baselines, rules))


def _on_unjudged(
    findings: tuple[Finding, ...],
    held: Held,
    requests: Sequence[Request],
    outcomes: Sequence[Outcome],
    rules: GateRules,
) -> tuple[tuple[Finding, ...], tuple[str, ...]]:
    """The findings, with a mark where they change without unjudged documents, and sentences on these documents."""
    against = [
        condition
        for condition in held.conditions
        if condition.kind in AGAINST and condition.request is not None and changes_with_judgments(condition.request)
    ]
    pairs = [(held.outcomes[each.run], each) for each in outcomes if each.run in held.outcomes and against]
    unknown = {outcome.run: before.unknown_shares or outcome.unknown_shares for before, outcome in pairs}
    uneven: dict[tuple[str, str], bool] = {}
    sentences = dict.fromkeys(unknown_shares(unknown.values()))
    for before, outcome in pairs:
        if not unknown[outcome.run]:
            found, said = _unevenly_judged(before, outcome, requests, rules.digits)
            uneven |= {(outcome.run, name): none for name, none in found.items()}
            sentences |= dict.fromkeys(said)
    states: dict[tuple[str, str, str], State] = {}
    if uneven:
        without = [_condensed(outcome) for outcome in outcomes]
        baselines = {run: _condensed(outcome) for run, outcome in held.outcomes.items()}
        again, _, _ = _judge(against, requests, without, baselines, rules)
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
        from irev.output.reports.comparison import what_mark_means

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
    before: Outcome, outcome: Outcome, requests: Sequence[Request], digits: int
) -> tuple[dict[str, bool], list[str]]:
    """The measures that clearly look at more judged documents of the run or of the baseline, with whether they look at
    none of one of them; and sentences on them."""
    from irev.evaluation.comparison.systems import aligned_outcomes
    from irev.output.reports.comparison import unevenly_judged

    measured = (
        {column.request for column in each.columns if column.request.measure.numeric} for each in (before, outcome)
    )
    known = set.intersection(*measured)
    asked = [request for request in requests if request in known and request.better != "neither"]
    aligned = aligned_outcomes([replace(before, run="the baseline"), outcome], asked, both=True)
    found, said = unevenly_judged(aligned, 0, digits)
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
    if condition.count in UNKNOWN_ELSEWHERE and not condition.took and not outcomes[0].facts.known:
        fact = f"{condition.named}: '{condition.count}' is not known of values that another program computed"
        raise UsageError(fact, remedy="give judgments and runs")
    for outcome in outcomes:
        # A condition on every query would hold for no queries at all.
        if condition.run in ("", outcome.run) and not part_of(outcome, condition.group).considered:
            of_group = f" in the group '{condition.group}'" if condition.group else ""
            raise UsageError(f"{condition.named}: no query{of_group} counts", remedy="list judged queries")


def _drops(found: Sequence[tuple[Condition, Case]]) -> dict[tuple[Hashable, ...], TestResult]:
    """Tests of drops; conditions on the same values, as of AP and of map, are one test."""
    weighed = (case.weighed for of, case in found if of.kind == MAX_DROP)
    return {each.tested: each.worse for each in weighed if each is not None}


def _corrected(found: Sequence[tuple[Condition, Case]], rules: GateRules) -> list[float | None]:
    """The p-values of conditions that have one.

    Those of drops are corrected together, since each is another chance to fail. Those of what has to be shown are not:
    all of them have to be small for a check to hold.
    """
    drops = _drops(found)
    p_values = adjusted(rules.plan.correction or "holm", [test.p for test in drops.values()])
    corrected = dict(zip(drops, p_values, strict=True))
    return [
        _p_shown(case) if of.kind != MAX_DROP or not case.weighed else corrected[case.weighed.tested]
        for of, case in found
    ]


def _least(found: Sequence[tuple[Condition, Case]], rules: GateRules) -> list[float | None]:
    """The smallest p with which each condition can be shown to fail, where it has such a limit; of a share of the
    queries the smallest with which it can be shown to hold."""
    drops = _drops(found)
    limits = least(rules.plan.correction or "holm", [*drops.values()])
    corrected = dict(zip(drops, limits, strict=True))

    def limit(condition: Condition, case: Case) -> float | None:
        if case.losing is not None:
            return case.losing.least
        if case.weighed is None:
            return None
        return corrected[case.weighed.tested] if condition.kind == MAX_DROP else case.weighed.worse.least

    return [limit(*each) for each in found]


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
        skewed=_skewed(condition, case, rules),
    )


def _skewed(condition: Condition, case: Case, rules: GateRules) -> tuple[int, int] | None:
    of_mean = condition.kind == NO_WORSE_THAN or TESTS[rules.plan.tests[0]].of_mean
    return case.weighed.skewed if case.weighed is not None and of_mean else None


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
        return "pass" if case.drop < 0 else "fail"  # no test is made of an infinite drop
    exceeded = case.drop > allowance(condition, before) + rules.precision
    if case.weighed is None:
        return "fail" if exceeded else "pass"
    if condition.kind == NO_WORSE_THAN:
        p = case.weighed.worse.p
    elif case.weighed.unchanged:
        return "pass"
    return _weighed(case.weighed, exceeded, p, rules)


def _of_share(losing: Share, limit: float) -> State:
    if losing.high <= limit:
        return "pass"
    return "fail" if losing.low > limit else "undecided"


def _weighed(weighed: Weighed, exceeded: bool, p: float | None, rules: GateRules) -> State:
    """Whether the drop is shown to be smaller or larger than allowed. It is never larger unless the measured drop
    is."""
    shown = p if exceeded else weighed.p_no_worse
    if shown is None or shown > rules.plan.alpha:
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
            part = part_of(outcome, group)
            for request in requests:
                before = None
                if baseline is not None and has(baseline.scores, request):
                    known = not group or has_queries(baseline.scores, request)
                    before = value_of(baseline, outcome, group, request) if known else None
                value = value_of(outcome, outcome, group, request)
                better = request.better
                yield MeasuredValue(outcome.run, group, request.standard, part.considered, value, before, better)


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
