"""The runs that ``irev check`` judges, and what they are compared with.

Runs in files are evaluated; saved results and evaluations of Python exist already.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import replace
from typing import TYPE_CHECKING, Any, NamedTuple

from irev.base.directions import directions_in
from irev.base.errors import InputError, UsageError, option
from irev.base.records import dataclass
from irev.base.registry import did_you_mean
from irev.base.settings import Settings, policy
from irev.commands.check import CheckChoices
from irev.commands.check import baseline as baselines
from irev.commands.check.baseline import CHANGED_JUDGMENTS, UNKNOWN_JUDGMENTS, Again, Rankings
from irev.commands.check.conditions import AGAINST, KINDS, Condition
from irev.evaluation import saved
from irev.evaluation.inputs import (
    HUMAN,
    PREDICTED,
    HeldEvaluations,
    Inputs,
    evaluate,
    first_documents,
    first_of,
    is_path,
    judgments_of,
    outcomes_of,
    refuse_evaluating,
    refuse_idle_scales,
    warn_of_evaluated,
    warn_of_runs,
    with_predicted,
)
from irev.evaluation.record import AGAIN
from irev.evaluation.result import Input, Outcome, Result, on_same_queries
from irev.evaluation.scores import of_unjudged, suited
from irev.reading.sources import STANDARD_INPUT, Source

if TYPE_CHECKING:
    from irev.commands.check.corrected import BothOutcomes
    from irev.commands.check.finding import CheckReport
    from irev.evaluation.files import Runs
    from irev.measures import Request
    from irev.ranking.ranking import First

OF_RANKINGS = ("baseline_run", "predicted", "groups")
"""Choices that have no effect on results that exist already."""


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
    again : str
        How to make a suitable one.
    """

    name: str = ""
    saved: Result | None = None
    run: Outcome | None = None
    allow_changed: bool = False
    replaced: bool = False
    again: str = baselines.AGAIN


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
    policy : str
        Which queries count, in words, where the settings do not say it.
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
    policy: str = ""

    @property
    def result(self) -> Result:
        """The runs, as they are saved."""
        policy = self.policy or self.settings.policy
        return Result(tuple(self.outcomes), self.settings, policy, tuple(self.inputs), per_query=True)


def require_evaluated(outcome: Outcome, requests: Iterable[Request]) -> None:
    """Raise `UsageError` where an evaluation that is there already lacks a measure."""
    known = {column.request for column in outcome.scores.columns}
    for request in requests:
        if request not in known:
            fact = f"'{outcome.run}' was not evaluated by {request.standard}"
            raise UsageError(fact, remedy="evaluate it by all measures that conditions are about")


def existing(inputs: Inputs, choices: CheckChoices) -> tuple[Result, Sequence[str]] | None:
    """Results that exist already, and the file of each run; None where judgments and runs are to be evaluated."""
    if inputs.held is not None:
        settings = inputs.settings
        return Result(inputs.held.outcomes, settings, settings.policy, per_query=True), ()
    if inputs.judgments:
        return None
    refuse_evaluating(inputs)
    for name, flag in inputs.flags.items():
        if name in OF_RANKINGS and name in inputs.given:
            raise UsageError(f"{flag} has no effect here: give judgments and runs instead of results")
    if choices.paged:
        raise UsageError("a page is about rankings", remedy="give judgments and runs instead of results")
    better = directions_in(text for name in ("measures", *KINDS) for text in getattr(choices, name))
    return saved.read_together(inputs.runs, inputs.names, inputs.warn, better)


def runs_to_judge(
    inputs: Inputs, choices: CheckChoices, asked: Required, there: tuple[Result, Sequence[str]] | None
) -> RunsToJudge:
    """The runs, and what they are compared with; `there` are results that exist already."""
    if inputs.held is not None:
        if choices.predicted is not None:
            return _by_both_in_memory(inputs, inputs.held, choices, asked)
        return _of_held(inputs, inputs.held, choices, asked)
    if there is not None:
        return _of_results(inputs, choices, asked, *there)
    inputs = replace(inputs, settings=suited(inputs.settings, asked.requests, inputs.warn))
    refuse_idle_scales(inputs, asked.requests)
    if choices.predicted is not None:
        return _by_both(inputs, choices, asked, choices.predicted)
    return _of_files(inputs, choices, asked)


def _beside(choices: CheckChoices) -> tuple[str, ...]:
    """The run that is evaluated beside the others, if there is one."""
    return () if choices.baseline_run is None else (choices.baseline_run,)


def _of_files(inputs: Inputs, choices: CheckChoices, asked: Required) -> RunsToJudge:
    """Runs in files, evaluated."""
    settings, beside, paged = inputs.settings, _beside(choices), choices.paged
    paths, to_show = (*inputs.runs, *beside), None
    if paged:
        from irev.commands import pages
        from irev.commands.report import SHOWN

        pages.require_files(paths)
        pages.require_pages(_paged(asked.requests), settings)
        to_show = pages.to_show(SHOWN)
    before = _baseline_result(inputs, choices)
    kept = choices.baseline is not None or choices.log is not None
    found = evaluate(
        inputs,
        asked.requests,
        digest=paged or kept,
        content=kept,
        digest_runs=paged or choices.update_baseline,
        groups=choices.groups,
        beside=beside,
        each_query=True,
        unjudged=bool(beside),
        show=to_show,
    )
    if paged:
        pages.require_same_zeros((*found.outcomes, *found.beside), _paged(asked.requests), settings)
    ((_, judged),) = inputs.judgments
    return RunsToJudge(
        found.outcomes,
        settings,
        Baseline(
            choices.baseline or choices.baseline_run or "",
            before,
            found.beside[0] if found.beside else None,
            choices.allow_changed_qrels,
            choices.force and choices.update_baseline,
        ),
        found.inputs,
        judged,
        inputs.runs,
        _rankings_of_files(inputs, found, beside),
        tell=lambda: warn_of_runs(inputs, found),
        page=lambda report: _page(inputs, found, paths, report),
    )


def _of_results(
    inputs: Inputs, choices: CheckChoices, asked: Required, result: Result, files: Sequence[str]
) -> RunsToJudge:
    """Results in files."""
    for outcome in result.outcomes:
        require_evaluated(outcome, asked.requests)
    baseline = Baseline(
        choices.baseline or "",
        _baseline_result(inputs, choices),
        allow_changed=choices.allow_changed_qrels,
        replaced=choices.force and choices.update_baseline,
    )
    return RunsToJudge(result.outcomes, result.settings, baseline, result.inputs, files=files, policy=result.policy)


def _by_both(inputs: Inputs, choices: CheckChoices, asked: Required, model: str) -> RunsToJudge:
    """Runs in files under human judgments, and those of a model in this file."""
    from irev.commands.check.corrected import BothOutcomes

    settings, ((_, human),), beside = inputs.settings, inputs.judgments, _beside(choices)
    paths = (*inputs.runs, *beside)
    if choices.paged:
        from irev.commands import pages

        pages.require_files(paths)
        pages.require_pages(_paged(asked.requests), settings)
    both = with_predicted(inputs, model)
    found = evaluate(both, asked.requests, beside=beside, each_query=True)
    warn_of_evaluated(both, found.evaluated, settings, HUMAN)
    every = (*found.outcomes, *found.beside)
    by_human, by_model = ([each for each in every if each.qrels == name] for name in (HUMAN, PREDICTED))

    def firsts() -> list[First]:
        return [each.first for each in first_of(inputs, paths, settings.depth, digest=False)[0]]

    held = by_model[len(inputs.runs) :]
    return RunsToJudge(
        by_model[: len(inputs.runs)],
        settings,
        Baseline(choices.baseline_run or "", run=held[0] if held else None),
        found.inputs,
        human,
        inputs.runs,
        page=lambda report: _page_by_both(inputs, choices, report, asked.requests, model),
        both=BothOutcomes(found.judgments[0], found.judgments[1], by_human, by_model, firsts),
    )


def _baseline_result(inputs: Inputs, choices: CheckChoices) -> Result | None:
    """What the baseline holds, None where there is none; one that is to be written need not be there yet."""
    path = choices.baseline
    if path is None or (choices.update_baseline and not os.path.exists(path)):
        return None
    if path != STANDARD_INPUT and not os.path.exists(path):
        raise InputError("there is no such file", path, f"{option('update_baseline')} writes the first one")
    with Source(path) as source:
        better = directions_in(text for name in KINDS for text in getattr(choices, name))
        return saved.read(source, f"{AGAIN}, or name a run by {option('baseline_run')}", better, warn=inputs.warn)


def _rankings_of_files(inputs: Inputs, found: Runs, beside: Sequence[str]) -> Rankings:
    """Where the rankings of runs, and of the one they are compared with, are read again."""
    judgments, settings = found.judgments[0], inputs.settings
    paths = dict(zip([each.run for each in found.outcomes], inputs.runs, strict=True))

    def again(path: str, queries: Collection[bytes]) -> Again | None:
        from irev.commands.check.causes import in_file

        return in_file(judgments, path, settings, queries)

    return Rankings(
        lambda run, queries: again(paths[run], queries),
        (lambda run, queries: again(beside[0], queries)) if beside else None,
    )


def _page(inputs: Inputs, found: Runs, paths: Sequence[str], report: CheckReport) -> bytes:
    """The verdict and its reasons first, then the runs, compared with that of the baseline.

    Without such a run they are compared with nothing but their conditions.
    """
    from irev.commands.pages import EvaluatedRuns, compared, disambiguate, made_by
    from irev.commands.report import SHOWN

    names = {outcome.run for outcome in found.outcomes}
    beside = [replace(each, run=f"{each.run} (before)") if each.run in names else each for each in found.beside]
    kept, _ = on_same_queries([*found.outcomes, *beside])
    aligned = disambiguate(kept)
    requests = _paged([column.request for column in aligned[0].scores.columns])
    first = len(found.outcomes) if beside else 0
    comparison = compared(aligned, requests, policy(inputs.settings), first) if beside else None
    page = EvaluatedRuns(found, paths, aligned, inputs, SHOWN).page(requests, comparison, first)
    return made_by(inputs, replace(page, verdict=report)).written()


def _page_by_both(
    inputs: Inputs, choices: CheckChoices, report: CheckReport, requests: Sequence[Request], model: str
) -> bytes:
    """The verdict first, then the runs by both kinds of judgments, and their queries by those of the model."""
    from irev.commands.pages import EvaluatedRuns, corrected_page, disambiguate, made_by, to_show
    from irev.commands.report import SHOWN

    corrected, settings, paged = report.verdict.corrected, inputs.settings, _paged(requests)
    if corrected is None:
        return b""
    by_model, beside = replace(inputs, judgments=(("", model),)), _beside(choices)
    found = evaluate(by_model, paged, digest=True, beside=beside, each_query=True, show=to_show(SHOWN))
    names = [*dict.fromkeys(line.run for line in corrected.found.means)]
    every = zip((*found.outcomes, *found.beside), names, strict=True)
    outcomes = disambiguate([replace(each, run=name) for each, name in every])
    result = Result(outcomes, settings, policy(settings), found.inputs)
    runs = EvaluatedRuns(found, (*inputs.runs, *beside), outcomes, inputs, SHOWN)
    page = corrected_page(runs, result, corrected, paged)
    return made_by(inputs, replace(page, verdict=report)).written()


def _paged(requests: Sequence[Request]) -> tuple[Request, ...]:
    """The measures that a page shows: those with numbers for single queries."""
    return tuple(each for each in requests if each.measure.numeric and each == each.base)


# Evaluations of Python


def _of_held(inputs: Inputs, held: HeldEvaluations, choices: CheckChoices, asked: Required) -> RunsToJudge:
    """Evaluations, and what they are compared with. Raises `UsageError` where a measure is not there."""
    for outcome in held.outcomes:
        require_evaluated(outcome, asked.requests)
    settings, rankings = inputs.settings, _rankings_in_memory(inputs, held)
    found = RunsToJudge(held.outcomes, settings, Baseline())
    if inputs.baseline is not None:
        baseline, notes = _held_baseline(inputs.baseline, held, choices, asked)
        against = any(each.kind in AGAINST for each in asked.conditions)
        if against and rankings is not None and inputs.beside and baseline.saved is not None:
            runs = dict(zip(inputs.names, inputs.runs, strict=True))
            before = _with_shares(inputs, baseline.saved.outcomes, inputs.beside, asked.requests)
            baseline = replace(baseline, saved=replace(baseline.saved, outcomes=before))
            found = found._replace(outcomes=_with_shares(inputs, held.outcomes, runs, asked.requests))
        return found._replace(baseline=baseline, rankings=rankings, notes=notes)
    if choices.baseline is None:
        return found
    with Source(choices.baseline) as source:
        read = saved.read(source, warn=inputs.warn)
    if any(each.role == "qrels" for each in read.inputs) and (judged := _judgments_file(inputs)):
        baseline = Baseline(source.name, read, allow_changed=choices.allow_changed_qrels)
        return found._replace(baseline=baseline, inputs=judged, rankings=rankings)
    baseline = Baseline(source.name, replace(read, inputs=()))
    return found._replace(baseline=baseline, rankings=rankings, notes=(UNKNOWN_JUDGMENTS,))


def _held_baseline(
    baseline: HeldEvaluations, held: HeldEvaluations, choices: CheckChoices, asked: Required
) -> tuple[Baseline, tuple[str, ...]]:
    """Evaluations that others are compared with, and what the verdict says of them."""
    before = {outcome.run: outcome for outcome in baseline.outcomes}
    compared = [each.request for each in asked.conditions if each.kind in AGAINST and each.request is not None]
    runs = [outcome.run for outcome in held.outcomes]
    for run in runs if len(before) > 1 else ():
        if run not in before:
            near = did_you_mean(run, before, f"there are {', '.join(before)}")
            raise UsageError(f"there is no baseline of the run {run!r}", remedy=near)
    for each in before if len(before) == 1 else runs:
        require_evaluated(before[each], compared)
    settings = held.settings[0]
    result = Result(tuple(before.values()), settings, settings.policy, per_query=True)
    name, again = ", ".join(before), f"evaluate both with {option('complete')} on, under the same judgments"
    if baseline.same_judgments is False and not choices.allow_changed_qrels:
        fact = "the baseline was made with other judgments"
        raise InputError(fact, name, f"{again}, or say {option('allow_changed_qrels')}")
    notes = {None: (UNKNOWN_JUDGMENTS,), False: (CHANGED_JUDGMENTS,), True: ()}[baseline.same_judgments]
    return Baseline(name, result, again=again), notes


def _with_shares(
    inputs: Inputs, outcomes: Sequence[Outcome], runs: Mapping[str, Any], requests: Sequence[Request]
) -> tuple[Outcome, ...]:
    """The outcomes with what tells whether unjudged documents decide; a single run is that of all of them."""
    from irev.evaluation.objects import scored

    ((_, judgments),), (only,) = inputs.judged, runs.values() if len(runs) == 1 else (None,)
    beside, found = of_unjudged(requests, judgments, inputs.settings), list[Outcome]()
    for outcome in outcomes:
        if (run := runs.get(outcome.run, only)) is not None:
            of_run = scored(judgments, run, (), inputs.settings, outcome.run, lambda *said: None, beside)[0]
            if tuple(of_run.queries) == tuple(outcome.scores.queries):
                scores = replace(outcome.scores, beside=of_run.beside, unknown=of_run.unknown)
                outcome = replace(outcome, scores=scores)
        found.append(outcome)
    return tuple(found)


def _judgments_file(inputs: Inputs) -> tuple[Input, ...]:
    """The file of judgments with its hash, where they are one that can be read twice."""
    path = next((os.fsdecode(data) for _, data in inputs.judgments if is_path(data)), "")
    if not os.path.isfile(path):
        return ()
    with Source(path, digest=True) as source:
        content = judgments_of(inputs, path, inputs.settings).content
        return (Input("qrels", path, *source.digest(), content),)


def _rankings_in_memory(inputs: Inputs, held: HeldEvaluations) -> Rankings | None:
    """The rankings of runs, by the names that they are evaluated under. Raises `UsageError` for other names."""
    if not inputs.judgments or not inputs.runs:
        if inputs.judgments or inputs.runs or inputs.beside:
            raise UsageError(
                "qrels and runs are needed together to explain why conditions do not hold",
                remedy="give both, or none",
            )
        return None
    names = [outcome.run for outcome in held.outcomes]
    for name in inputs.names:
        if name not in names:
            fact = f"there is no evaluation of the run {name!r}, which is one of runs"
            raise UsageError(fact, remedy=did_you_mean(name, names))
    ((_, judged),), runs, before = inputs.judgments, dict(zip(inputs.names, inputs.runs, strict=True)), inputs.beside

    def again(run: Any, queries: Collection[bytes]) -> Again | None:
        from irev.commands.check.causes import queries_alone
        from irev.evaluation.objects import ranked_run

        if run is None:
            return None
        alone = queries_alone(inputs.settings, queries)
        judgments = judgments_of(inputs, judged, alone)
        with ExitStack() as opened:
            found = ranked_run(judgments, run, alone, opened, inputs.warn)
            return Again(found.ranked, found.keep(queries))

    def of_baseline(name: str, queries: Collection[bytes]) -> Again | None:
        (only,) = before.values() if len(before) == 1 else (None,)
        return again(before.get(name, only), queries)

    return Rankings(lambda name, queries: again(runs.get(name), queries), of_baseline if before else None)


def _by_both_in_memory(inputs: Inputs, held: HeldEvaluations, choices: CheckChoices, asked: Required) -> RunsToJudge:
    """Runs under human and predicted judgments. Raises `UsageError` where judgments or runs are not there."""
    from irev.commands.check.corrected import BothOutcomes

    names, settings, others = [each.run for each in held.outcomes], inputs.settings, inputs.beside
    if not inputs.judgments or not {*names} <= {*inputs.names}:
        raise UsageError(
            "predicted takes judgments and runs", remedy="give qrels and runs, by the names of evaluations"
        )
    if not settings.complete:
        raise UsageError("predicted takes every query into account", remedy=f"evaluate with {option('complete')} on")
    if len(others) > 1 and {*names} != {*others}:
        raise UsageError("baseline_runs has other names than runs", remedy="give one, or one for each run")
    ordered = others if len(others) < 2 else {name: others[name] for name in names}
    before = {f"{name} (before)" if name in names else name: run for name, run in ordered.items()}
    there: Mapping[str, Any] = dict(zip(inputs.names, inputs.runs, strict=True))
    every = {**{name: there[name] for name in names}, **before}
    both = with_predicted(replace(inputs, runs=[*every.values()], names=[*every]), choices.predicted)
    found = outcomes_of(both, replace(settings, queries="qrels"), requests=asked.requests)
    by_human, by_model = ([each for each in found if each.qrels == name] for name in (HUMAN, PREDICTED))
    human, model = (judgments for _, judgments in both.judged)
    held_before: Outcome | None = by_model[len(names)] if before else None
    return RunsToJudge(
        by_model[: len(names)],
        settings,
        Baseline(", ".join(ordered), run=held_before),
        both=BothOutcomes(
            human,
            model,
            by_human,
            by_model,
            lambda: [each.first for each in first_documents(both, settings.depth)[1]],
        ),
    )
