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
from irev.base.registry import did_you_mean
from irev.base.settings import Settings, policy
from irev.commands.check import CheckChoices
from irev.commands.check import baseline as baselines
from irev.commands.check.baseline import CHANGED_JUDGMENTS, UNKNOWN_JUDGMENTS, Again, Held, Rankings
from irev.commands.check.causes import in_file, queries_alone
from irev.commands.check.conditions import AGAINST, KINDS, Condition, requests_of
from irev.evaluation import saved
from irev.evaluation.inputs import (
    HeldEvaluations,
    Inputs,
    evaluate,
    is_path,
    judgments_of,
    refuse_evaluating,
    refuse_idle_scales,
    require_files,
    warn_of_runs,
)
from irev.evaluation.objects import ranked_run, scored
from irev.evaluation.record import AGAIN
from irev.evaluation.result import Input, Outcome, Result, on_same_queries
from irev.evaluation.scores import of_unjudged, suited
from irev.reading.sources import STANDARD_INPUT, Source

if TYPE_CHECKING:
    from irev.commands.check.finding import CheckReport
    from irev.evaluation.files import Runs
    from irev.measures import Request

OF_RANKINGS = ("baseline_run", "groups")
"""Choices that have no effect on results that exist already."""


class RunsToJudge(NamedTuple):
    """Runs that are to be judged.

    Attributes
    ----------
    outcomes : sequence of Outcome
        The runs, evaluated by the measures of all conditions.
    settings : Settings
        How they were evaluated.
    held : Held
        What they are compared with.
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
    policy : str
        Which queries count, in words, where the settings do not say it.
    """

    outcomes: Sequence[Outcome]
    settings: Settings
    held: Held = Held()
    inputs: tuple[Input, ...] = ()
    qrels: str = ""
    files: Sequence[str] = ()
    rankings: Rankings | None = None
    notes: tuple[str, ...] = ()
    tell: Callable[[], None] = lambda: None
    page: Callable[[CheckReport], bytes] = lambda report: b""
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
    better = directions_in(text for name in KINDS for text in getattr(choices, name))
    return saved.read_together(inputs.runs, inputs.names, inputs.warn, better)


def runs_to_judge(
    inputs: Inputs, choices: CheckChoices, conditions: Sequence[Condition], there: tuple[Result, Sequence[str]] | None
) -> RunsToJudge:
    """The runs, and what they are compared with; `there` are results that exist already."""
    if inputs.held is not None:
        return _of_held(inputs, inputs.held, choices, conditions)
    requests = requests_of(conditions)
    if there is not None:
        return _of_results(inputs, choices, requests, *there)
    inputs = replace(inputs, settings=suited(inputs.settings, requests, inputs.warn))
    refuse_idle_scales(inputs, requests)
    return _of_files(inputs, choices, requests)


def _beside(choices: CheckChoices) -> tuple[str, ...]:
    """The run that is evaluated beside the others, if there is one."""
    return () if choices.baseline_run is None else (choices.baseline_run,)


def _of_files(inputs: Inputs, choices: CheckChoices, requests: Sequence[Request]) -> RunsToJudge:
    """Runs in files, evaluated."""
    settings, beside, paged = inputs.settings, _beside(choices), choices.paged
    paths, to_show = (*inputs.runs, *beside), None
    if paged:
        from irev.commands import pages
        from irev.commands.report import SHOWN

        require_files(paths)
        if not _paged(requests):
            fact = "a page shows values of single queries, but no condition is about a measure that has any"
            raise UsageError(fact, remedy="add one, for example --min AP=0")
        pages.require_pages(_paged(requests), settings)
        to_show = pages.to_show(SHOWN)
    before = _baseline_result(inputs, choices)
    kept = choices.baseline is not None or choices.log is not None
    found = evaluate(
        inputs,
        requests,
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
        pages.require_same_zeros((*found.outcomes, *found.beside), _paged(requests), settings)
    held = _held(before, choices, Result(found.outcomes, settings, "", found.inputs))
    if found.beside:
        held = baselines.held_run(found.beside[0], choices.baseline_run or "", found.outcomes)
    ((_, judged),) = inputs.judgments
    return RunsToJudge(
        found.outcomes,
        settings,
        held,
        found.inputs,
        judged,
        inputs.runs,
        _rankings_of_files(inputs, found, beside),
        tell=lambda: warn_of_runs(inputs, found),
        page=lambda report: _page(inputs, found, paths, report),
    )


def _of_results(
    inputs: Inputs, choices: CheckChoices, requests: Sequence[Request], result: Result, files: Sequence[str]
) -> RunsToJudge:
    """Results in files."""
    for outcome in result.outcomes:
        require_evaluated(outcome, requests)
    held = _held(_baseline_result(inputs, choices), choices, result)
    return RunsToJudge(result.outcomes, result.settings, held, result.inputs, files=files, policy=result.policy)


def _held(before: Result | None, choices: CheckChoices, runs: Result) -> Held:
    """The saved result that runs are compared with, which need not be there yet."""
    name = choices.baseline or ""
    return Held(name) if before is None else baselines.held_result(before, name, runs, choices.allow_changed_qrels)


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


def _paged(requests: Sequence[Request]) -> tuple[Request, ...]:
    """The measures that a page shows: those with numbers for single queries."""
    return tuple(each for each in requests if each.measure.numeric and each == each.base)


# Evaluations of Python


def _of_held(
    inputs: Inputs, held: HeldEvaluations, choices: CheckChoices, conditions: Sequence[Condition]
) -> RunsToJudge:
    """Evaluations, and what they are compared with. Raises `UsageError` where a measure is not there."""
    requests = requests_of(conditions)
    for outcome in held.outcomes:
        require_evaluated(outcome, requests)
    found = RunsToJudge(held.outcomes, inputs.settings, rankings=_rankings_in_memory(inputs, held))
    if inputs.baseline is not None:
        against = [each for each in conditions if each.kind in AGAINST]
        before = _held_before(inputs.baseline, held, requests_of(against))
        again = f"evaluate both with {option('complete')} on, under the same judgments"
        name = ", ".join(each.run for each in before)
        if inputs.baseline.same_judgments is False and not choices.allow_changed_qrels:
            fact = "the baseline was made with other judgments"
            raise InputError(fact, name, f"{again}, or say {option('allow_changed_qrels')}")
        if against and found.rankings is not None and inputs.beside:
            runs = dict(zip(inputs.names, inputs.runs, strict=True))
            before = _with_shares(inputs, before, inputs.beside, requests)
            found = found._replace(outcomes=_with_shares(inputs, held.outcomes, runs, requests))
        made = replace(found.result, outcomes=before)
        notes = {None: (UNKNOWN_JUDGMENTS,), False: (CHANGED_JUDGMENTS,), True: ()}[inputs.baseline.same_judgments]
        return found._replace(held=baselines.held_result(made, name, found.result, again=again), notes=notes)
    if choices.baseline is None:
        return found
    with Source(choices.baseline) as source:
        read = saved.read(source, warn=inputs.warn)
    if any(each.role == "qrels" for each in read.inputs) and (judged := _judgments_file(inputs)):
        found = found._replace(inputs=judged)
    else:
        found, read = found._replace(notes=(UNKNOWN_JUDGMENTS,)), replace(read, inputs=())
    return found._replace(held=baselines.held_result(read, source.name, found.result, choices.allow_changed_qrels))


def _held_before(baseline: HeldEvaluations, held: HeldEvaluations, requests: Sequence[Request]) -> tuple[Outcome, ...]:
    """Evaluations that others are compared with, one for all or one for each. Raises `UsageError` where one lacks."""
    before = {outcome.run: outcome for outcome in baseline.outcomes}
    runs = [outcome.run for outcome in held.outcomes]
    for run in runs if len(before) > 1 else ():
        if run not in before:
            near = did_you_mean(run, before, f"there are {', '.join(before)}")
            raise UsageError(f"there is no baseline of the run {run!r}", remedy=near)
    for each in before if len(before) == 1 else runs:
        require_evaluated(before[each], requests)
    return tuple(before.values())


def _with_shares(
    inputs: Inputs, outcomes: Sequence[Outcome], runs: Mapping[str, Any], requests: Sequence[Request]
) -> tuple[Outcome, ...]:
    """The outcomes with what tells whether unjudged documents decide; a single run is that of all of them."""
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
