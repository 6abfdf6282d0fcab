"""The runs that ``irev check`` judges, and the baselines that they are compared with.

Runs in files are evaluated; saved results and evaluations of Python exist already. Saved baselines are records as
`irev.evaluation.record` makes them, so that ``irev show`` shows them and ``irev compare`` reads them.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, NamedTuple

from irev.base.directions import Direction, directions_in
from irev.base.errors import InputError, UsageError, option
from irev.base.registry import did_you_mean
from irev.base.settings import SAME, Settings, policy, value_shown
from irev.commands.check import CheckChoices
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
from irev.evaluation.objects import scored
from irev.evaluation.record import AGAIN as SAVED
from irev.evaluation.result import Input, Outcome, Result, on_same_queries, same_judgments
from irev.evaluation.scores import of_unjudged, suited
from irev.reading.sources import STANDARD_INPUT, Source

if TYPE_CHECKING:
    from irev.commands.check.finding import CheckReport
    from irev.evaluation.files import Runs
    from irev.measures import Request

ROUNDING = 1e-12
"""Differences up to this may come of adding numbers: 0.7 - 0.69 is more than 0.01."""

AGAIN = "delete it, and make it again from a good run with `irev check --update-baseline`"
AGAIN_BY_QUERY = "make it again with `irev eval -c -q -f json`"
"""What makes a baseline that will do, and one that has every judged query, each with its values."""

CHANGED_JUDGMENTS = "The baseline was made with other judgments, which may explain differences."
UNKNOWN_JUDGMENTS = "It is not known whether the baseline was made with the same judgments."


def require_comparable(
    baseline: Result, name: str, settings: Settings, inputs: tuple[Input, ...], allow_changed: bool
) -> str | None:
    """Raise `InputError` for a baseline that was made otherwise, or under other judgments.

    Parameters
    ----------
    baseline : Result
    name : str
        What messages call it.
    settings : Settings
        Those of now.
    inputs : tuple of Input
        The judgments of now.
    allow_changed : bool
        Whether other judgments are all right.

    Returns
    -------
    str or None
        What is to be said of judgments that changed, where that is allowed.
    """
    if settings.complete and not baseline.settings.complete:
        fact = "the baseline lacks the judged queries for which its run has no results"
        raise InputError(fact, name, AGAIN_BY_QUERY)
    if baseline.settings.complete and not settings.complete:
        raise InputError("the baseline counts every judged query", name, f"leave {option('queries')} out")
    for field in SAME:
        then, now = getattr(baseline.settings, field), getattr(settings, field)
        if then != now:
            raise InputError(
                f"the baseline was made with {field.replace('_', '-')} {value_shown(then)}, not {value_shown(now)}",
                name,
                AGAIN,
            )
    if baseline.several_qrels:
        raise InputError("the baseline has results under several judgments", name, AGAIN)
    if same_judgments(baseline.inputs, inputs):
        return None
    if not allow_changed:
        remedy = f"{AGAIN}, or say {option('allow_changed_qrels')}"
        raise InputError("the baseline was made with other judgments", name, remedy)
    return CHANGED_JUDGMENTS


def _outcome_for(baseline: Result, run: str, name: str) -> Outcome:
    """The outcome that a run is to be compared with: the one of its name, or the only one there is."""
    named = [outcome for outcome in baseline.outcomes if outcome.run == run]
    if named:
        return named[0]
    if len(baseline.outcomes) == 1:
        return baseline.outcomes[0]
    known = ", ".join(outcome.run for outcome in baseline.outcomes)
    raise InputError(
        f"the baseline has no run '{run}' but {known}",
        name,
        "give the run the same name as before, NAME=RUN",
    )


class Held(NamedTuple):
    """What runs are compared with.

    Attributes
    ----------
    name : str
        What messages call it; empty for nothing.
    outcomes : mapping of str to Outcome
        By the name of the run; empty where there are none yet.
    notes : tuple of str
        What is to be said of it.
    """

    name: str = ""
    outcomes: Mapping[str, Outcome] = MappingProxyType({})
    notes: tuple[str, ...] = ()


def held_run(run: Outcome, name: str, outcomes: Sequence[Outcome]) -> Held:
    """A run that all are compared with. Raises `InputError` for one of other queries."""
    for outcome in outcomes:
        _require_same_queries(outcome, run, name, f"{option('queries', 'qrels')} counts all that are judged")
    return Held(name, {outcome.run: run for outcome in outcomes})


def held_result(baseline: Result, name: str, runs: Result, allow_changed: bool = False, again: str = AGAIN) -> Held:
    """A result that runs are compared with by their names, where `again` says how to make a suitable one.

    Raises
    ------
    InputError
        For a result that was made otherwise, of other judgments or of other queries, or that lacks a run.
    """
    note: str | None = UNKNOWN_JUDGMENTS
    if all(each.facts.known for each in (*runs.outcomes, *baseline.outcomes)):
        note = require_comparable(baseline, name, runs.settings, runs.inputs, allow_changed)
    found = {each.run: _outcome_for(baseline, each.run, name) for each in runs.outcomes}
    for outcome in runs.outcomes:
        _require_same_queries(outcome, found[outcome.run], name, again)
    return Held(name, found, (note,) if note else ())


def _require_same_queries(outcome: Outcome, baseline: Outcome, name: str, remedy: str) -> None:
    odd = {*outcome.scores.queries} ^ {*baseline.scores.queries}
    if odd:
        count = f"{len(odd)} {'query is' if len(odd) == 1 else 'queries are'} in only one of them"
        raise InputError(f"the baseline has other queries than {outcome.run}: {count}", name, remedy)


# Runs

OF_RANKINGS = ("baseline_run", "groups")
"""Choices that have no effect on results that exist already."""


class RunsToJudge(NamedTuple):
    """Runs that are to be judged.

    Attributes
    ----------
    result : Result
        The runs, evaluated by the measures of all conditions, with their judgments.
    held : Held
        What they are compared with.
    qrels : str
        What the judgments are called.
    files : sequence of str
        The file of each run, where they have some.
    notes : tuple of str
        What else the verdict says of them.
    tell : callable
        Says what is to be said of their files, when the verdict is there.
    page : callable
        Makes a page about them, with the verdict first.
    """

    result: Result
    held: Held = Held()
    qrels: str = ""
    files: Sequence[str] = ()
    notes: tuple[str, ...] = ()
    tell: Callable[[], None] = lambda: None
    page: Callable[[CheckReport], bytes] = lambda report: b""


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
    return saved.read_together(inputs.runs, inputs.names, inputs.warn, _better(choices))


def _better(choices: CheckChoices) -> dict[str, Direction]:
    return directions_in(text for name in KINDS for text in getattr(choices, name))


def runs_to_judge(
    inputs: Inputs, choices: CheckChoices, conditions: Sequence[Condition], there: tuple[Result, Sequence[str]] | None
) -> RunsToJudge:
    """The runs, and what they are compared with; `there` are results that exist already."""
    requests = requests_of(conditions)
    if there is None:
        inputs = replace(inputs, settings=suited(inputs.settings, requests, inputs.warn))
        refuse_idle_scales(inputs, requests)
        return _of_files(inputs, choices, requests)
    result, files = there
    for outcome in result.outcomes:
        require_evaluated(outcome, requests)
    if inputs.held is not None:
        against = [each for each in conditions if each.kind in AGAINST]
        return _of_held(inputs, result, choices, requests, requests_of(against))
    return RunsToJudge(result, _held(_baseline_result(inputs, choices), choices, result), files=files)


def _of_files(inputs: Inputs, choices: CheckChoices, requests: Sequence[Request]) -> RunsToJudge:
    """Runs in files, evaluated."""
    settings, paged, to_show = inputs.settings, choices.paged, None
    beside = () if choices.baseline_run is None else (choices.baseline_run,)
    paths = (*inputs.runs, *beside)
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
    result = Result(found.outcomes, settings, settings.policy, found.inputs, per_query=True)
    held = _held(before, choices, result)
    if found.beside:
        held = held_run(found.beside[0], choices.baseline_run or "", found.outcomes)
    ((_, judged),) = inputs.judgments
    return RunsToJudge(
        result,
        held,
        judged,
        inputs.runs,
        tell=lambda: warn_of_runs(inputs, found),
        page=lambda report: _page(inputs, found, paths, report),
    )


def _held(before: Result | None, choices: CheckChoices, runs: Result) -> Held:
    """The saved result that runs are compared with, which need not be there yet."""
    name = choices.baseline or ""
    return Held(name) if before is None else held_result(before, name, runs, choices.allow_changed_qrels)


def _baseline_result(inputs: Inputs, choices: CheckChoices) -> Result | None:
    """What the baseline holds, None where there is none; one that is to be written need not be there yet."""
    path = choices.baseline
    if path is None or (choices.update_baseline and not os.path.exists(path)):
        return None
    if path != STANDARD_INPUT and not os.path.exists(path):
        raise InputError("there is no such file", path, f"{option('update_baseline')} writes the first one")
    with Source(path) as source:
        remedy = f"{SAVED}, or name a run by {option('baseline_run')}"
        return saved.read(source, remedy, _better(choices), warn=inputs.warn)


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
    inputs: Inputs,
    result: Result,
    choices: CheckChoices,
    requests: Sequence[Request],
    against: Sequence[Request],
) -> RunsToJudge:
    """Evaluations, and what they are compared with `against` some measures. Raises `UsageError` where one is not
    there."""
    _require_names(inputs, result)
    if inputs.baseline is not None:
        before = _held_before(inputs.baseline, result, against)
        again = f"evaluate both with {option('complete')} on, under the same judgments"
        name = ", ".join(each.run for each in before)
        if inputs.baseline.same_judgments is False and not choices.allow_changed_qrels:
            fact = "the baseline was made with other judgments"
            raise InputError(fact, name, f"{again}, or say {option('allow_changed_qrels')}")
        if against and inputs.runs and inputs.beside:
            runs = dict(zip(inputs.names, inputs.runs, strict=True))
            before = _with_shares(inputs, before, inputs.beside, requests)
            result = replace(result, outcomes=_with_shares(inputs, result.outcomes, runs, requests))
        held = held_result(replace(result, outcomes=before), name, result, again=again)
        notes = {None: (UNKNOWN_JUDGMENTS,), False: (CHANGED_JUDGMENTS,), True: ()}[inputs.baseline.same_judgments]
        return RunsToJudge(result, held, notes=notes)
    if choices.baseline is None:
        return RunsToJudge(result)
    with Source(choices.baseline) as source:
        read = saved.read(source, warn=inputs.warn)
    notes = ()
    if any(each.role == "qrels" for each in read.inputs) and (judged := _judgments_file(inputs)):
        result = replace(result, inputs=judged)
    else:
        notes, read = (UNKNOWN_JUDGMENTS,), replace(read, inputs=())
    return RunsToJudge(result, held_result(read, source.name, result, choices.allow_changed_qrels), notes=notes)


def _held_before(baseline: HeldEvaluations, result: Result, requests: Sequence[Request]) -> tuple[Outcome, ...]:
    """Evaluations that others are compared with, one for all or one for each. Raises `UsageError` where one lacks."""
    before = {outcome.run: outcome for outcome in baseline.outcomes}
    runs = [outcome.run for outcome in result.outcomes]
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


def _require_names(inputs: Inputs, result: Result) -> None:
    """Raise `UsageError` for judgments without runs, and for runs that were not evaluated."""
    if (not inputs.judgments or not inputs.runs) and (inputs.judgments or inputs.runs or inputs.beside):
        fact = "qrels and runs are needed together to tell whether unjudged documents decide"
        raise UsageError(fact, remedy="give both, or none")
    names = [outcome.run for outcome in result.outcomes]
    for name in inputs.names:
        if name not in names:
            fact = f"there is no evaluation of the run {name!r}, which is one of runs"
            raise UsageError(fact, remedy=did_you_mean(name, names))
