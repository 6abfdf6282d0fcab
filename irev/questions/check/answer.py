"""What is required of runs is read, what they are compared with is found, and a verdict is reached."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, NamedTuple, Protocol

from irev.base.errors import InputError, UsageError, decimal, option, spoken
from irev.base.records import dataclass
from irev.base.settings import Settings
from irev.evaluation.notes import Note, chosen_notes
from irev.evaluation.result import Input, Outcome, Result
from irev.measures import Request, parse
from irev.questions.check import CheckChoices
from irev.questions.check import baseline as baselines
from irev.questions.check.baseline import Rankings
from irev.questions.check.cases import require_measured
from irev.questions.check.conditions import AGAINST, KINDS, MAX_DROP, NO_WORSE_THAN, Condition, GateRules, read
from irev.questions.check.finding import CheckReport, History, Verdict
from irev.questions.check.judging import judge
from irev.questions.check.verdict import Finding, Why
from irev.questions.shared import Texts
from irev.reading.sources import Source
from irev.statistics.corrections import CORRECTIONS
from irev.statistics.paired import TESTS
from irev.statistics.plan import Plan

if TYPE_CHECKING:
    from irev.questions.check.corrected import BothOutcomes, ValuesOfRuns

NOTHING = (
    f"no condition is given; add one, for example {option('min', 'nDCG@10=0.4')} or {option('max_drop', 'AP=0.01')}"
)


@dataclass(frozen=True)
class Required:
    """What is required of runs.

    Attributes
    ----------
    conditions : tuple of Condition
    requests : tuple of Request
        The measures that take to be evaluated, and are shown: those of the conditions, and those asked for beside them.
    """

    conditions: tuple[Condition, ...]
    requests: tuple[Request, ...]


def requirements(
    choices: CheckChoices, usual: Sequence[str], compat: str, unusual: Callable[[str], None] = lambda message: None
) -> Required:
    """Read conditions.

    Those that name no measure are about the measures that are shown, or else those of other conditions, or else the
    `usual` ones. `unusual` is told of measures that are named in a doubtful way.

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
    named = [each for kind, text in written for each in read(kind, text, (), compat, took) if each.request is not None]
    fallback = measures or tuple(dict.fromkeys(each.measure for each in named)) or tuple(usual)
    conditions = tuple(each for kind, text in written for each in read(kind, text, fallback, compat, took))
    if not conditions:
        raise UsageError(NOTHING)
    shown = _numbers(measures, compat, unusual) if measures else ()
    asked = [*(each.request for each in conditions if each.request is not None), *shown]
    return Required(conditions, tuple(dict.fromkeys(asked)))


def _numbers(measures: Sequence[str], compat: str, unusual: Callable[[str], None]) -> tuple[Request, ...]:
    """The measures that have numbers. One whose values are texts is refused by its name, and left out of a set."""
    found = parse(measures, compat, unusual)
    for name in measures:
        if all(request.measure.kind == "text" for request in parse([name], compat)):
            raise UsageError(f"{name} has no numbers", remedy="choose another measure")
    if left := [request.standard for request in found if request.measure.kind == "text"]:
        unusual(f"not shown: {', '.join(left)} (no numbers)")
    return tuple(request for request in found if request.measure.kind != "text")


@dataclass(frozen=True)
class Baseline:
    """What runs are to be compared with.

    Attributes
    ----------
    name : str
        What messages call it; empty for nothing.
    saved : Result or None
        Results to be compared with by the names of runs; None where there are none yet.
    run : Outcome or None
        A run that all are compared with.
    allow_changed : bool
        Whether its judgments may have been others.
    replaced : bool
        Whether one that was made otherwise is about to be replaced, so that nothing is compared with it.
    """

    name: str = ""
    saved: Result | None = None
    run: Outcome | None = None
    allow_changed: bool = False
    replaced: bool = False


class RunsToJudge(NamedTuple):
    """Runs that are to be judged.

    Attributes
    ----------
    outcomes : sequence of Outcome
        The runs, evaluated by all of `Required.requests`.
    settings : Settings
        How they were evaluated.
    baseline : Baseline
    inputs : tuple of Input
        Their judgments, where a saved result is to have been made under the same.
    qrels : str
        What the judgments are called.
    files : sequence of str
        The file of each run, where they have some.
    rankings : Rankings or None
        Where rankings are had from again, to tell why a condition does not hold; they are asked for only then.
    notes : tuple of str
        What else the verdict says of them.
    tell : callable
        Says what is to be said of their files, when the verdict is there.
    page : callable
        Makes a page about them, with the verdict first.
    both : BothOutcomes or None
        The runs, and then those that they are compared with, under human and predicted judgments, where there are such.
    """

    outcomes: Sequence[Outcome]
    settings: Settings
    baseline: Baseline
    inputs: tuple[Input, ...] = ()
    qrels: str = ""
    files: Sequence[str] = ()
    rankings: Rankings | None = None
    notes: tuple[str, ...] = ()
    tell: Callable[[], None] = lambda: None
    page: Callable[[CheckReport], bytes] = lambda report: b""
    both: BothOutcomes | None = None


class GivenToCheck(Protocol):
    """What is to be checked, files or evaluations in memory, as the doors have it."""

    settings: Settings
    texts: Texts

    @property
    def digits(self) -> int:
        """How many follow the point in sentences."""

    @property
    def usual(self) -> Sequence[str]:
        """The measures that conditions are about where nobody names any."""

    def called(self, name: str) -> str:
        """What the door calls a choice."""

    def warn(self, message: str) -> None:
        """Tell of measures that are named in a doubtful way."""

    def say(self, notes: Sequence[Note], runs: int = 1) -> None:
        """Warn of something, that was noted of so many runs."""

    def evaluate(self, asked: Required, choices: CheckChoices) -> RunsToJudge:
        """The runs, and what they are compared with."""


def answer(given: GivenToCheck, choices: CheckChoices) -> CheckReport:
    """Whether runs are as good as they must be, and why they are not."""
    if choices.predicted is not None:
        from irev.questions.check.corrected import require_correctable

        require_correctable(choices)
    asked = requirements(choices, given.usual, given.settings.compat, given.warn)
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
    rules = GateRules(plan, significant, choices.any_drop, choices.undecided, digits=given.digits)
    runs = given.evaluate(asked, choices)
    both = None
    if runs.both is not None:
        from irev.questions.check.corrected import values_of_runs

        both = values_of_runs(runs.both, runs.outcomes, runs.settings)
        given.say([*chosen_notes(both.found.found.chosen, both.found.human)])
    found = check(asked, runs, rules, both)
    texts, large = given.texts, given.settings.allow_large
    queries = {change.query for moved in found.moved for change in moved.queries}
    queries |= {cause.query for why in found.whys for cause in why.causes}
    named = {name for why in found.whys for cause in why.causes for name in (cause.document, cause.by) if name}
    found = replace(
        found,
        notes=tuple(spoken(note, given.called) for note in found.notes),
        titles=texts.of_queries(queries, large),
        documents=texts.of_documents(named, large),
    )
    history = None if choices.log is None else _history(choices.log, runs, choices.build)
    runs.tell()
    return CheckReport(found, choices, runs.page, history)


def _history(log: str, runs: RunsToJudge, said: Sequence[str]) -> History:
    """This build, and how results changed up to it, where a log has builds that can be compared with it."""
    from irev.questions.builds import build_of, builds_of_log
    from irev.questions.trend.answer import trend_of

    result = Result(tuple(runs.outcomes), runs.settings, runs.settings.policy, tuple(runs.inputs), per_query=True)
    build, before = build_of(result, said), builds_of_log(log)
    return History(log, build, trend_of([*before, build]) if before else None)


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
        note = baselines.require_comparable(
            baseline.saved, baseline.name, runs.settings, runs.inputs, baseline.allow_changed
        )
        found = {each.run: baselines.outcome_for(baseline.saved, each.run, baseline.name) for each in outcomes}
        for outcome in outcomes:
            baselines.require_same_queries(outcome, found[outcome.run].scores, baseline.name)
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
    findings, values, moved = judge(held.conditions, asked.requests, outcomes, held.outcomes, rules, both)
    told: tuple[Why, ...] = ()
    if runs.rankings is not None and held.outcomes and not all(finding.holds for finding in findings):
        from irev.questions.check.causes import whys  # which a check that holds has no need of

        told = tuple(whys(findings, asked.requests, outcomes, held.outcomes, settings, rules, runs.rankings))
    return Verdict(
        findings,
        values,
        moved,
        policy=settings.policy,
        baseline=runs.baseline.name if held.outcomes else "",
        qrels=runs.qrels,
        files=tuple((outcome.run, file) for outcome, file in zip(outcomes, named, strict=True)),
        notes=(
            *(() if both is None else both.notes),
            *runs.notes,
            *held.notes,
            *_how(held.conditions, findings, rules, corrected=both is not None),
            *_more(told, runs.baseline),
        ),
        digits=rules.digits,
        whys=told,
        corrected=None if both is None else both.found,
    )


def _more(told: Sequence[Why], baseline: Baseline) -> Iterator[str]:
    """How to learn more of what made queries fall, where the baseline has values alone."""
    if all(why.compared for why in told):
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
        if TESTS[plan.tests[0]].sampled:
            said.append(f"{plan.samples:,} samples, seed {plan.seed}")
        yield f"{', '.join(said)}."
    if any(found.low == found.high for found in findings if found.low is not None):
        yield "If no query differs, or all differ by the same amount, the test shows nothing about other queries."
    if any(found.losing is not None for found in findings):
        yield (
            f"Shares of queries: exact bound of Clopper and Pearson, one-sided, level {decimal(plan.alpha)}; p is "
            "the probability that so few queries or fewer lose, if the true share is the limit."
        )
