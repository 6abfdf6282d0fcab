"""`check`: whether runs are as good as they must be, by the conditions that ``irev check`` takes."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any, Literal, TypedDict, Unpack

from irev.api.comparison import require_named, same_judgments
from irev.api.evaluation import Evaluation
from irev.api.options import (
    Options,
    checked_record,
    groups_of,
    path_of,
    require_known,
    require_several,
    warned,
)
from irev.base.errors import UsageError
from irev.base.settings import DEFAULT_MEASURES, SAME, Settings
from irev.base.text import encoded
from irev.evaluation.inputs import HeldEvaluations, Inputs
from irev.evaluation.objects import Judged, Path, Retrieved
from irev.evaluation.result import Outcome, in_groups
from irev.evaluation.scores import Summary

if TYPE_CHECKING:
    from irev.commands.check import CheckChoices
    from irev.commands.check.finding import CheckReport
    from irev.commands.check.verdict import Verdict


Limits = Mapping[str, float | str] | Iterable[str] | float | str
"""Limits by measure, ``{"nDCG@10": 0.42}``; texts as after the option, ``["nDCG@10=0.42"]``; or one for all of them."""


class Gate(TypedDict, total=False):
    """Conditions on runs, with the names that ``irev check`` has for them.

    Attributes
    ----------
    min, max : Limits
        The lowest and the highest value that is allowed.
    every_query : str, or iterable of str
        What must hold for every query, ``RR>0``.
    max_drop : Limits
        By how much a run may be worse than the baseline: ``0.01``, or ``"2%"`` of its value.
    no_worse_than : Limits
        The run must be shown, by a test, to be worse by less than this.
    max_query_losses : Limits
        How many queries may be worse.
    max_share_losing : Limits
        The largest share of queries that may lose more than a loss, ``{"nDCG@10>0.2": "2%"}``, as an exact bound shows.
    significant : float or None
        A drop fails only if it is shown to be larger than is allowed, at this level. None, unless given: by its value.
    undecided : str or None
        What a condition counts as when the queries are too few to tell, ``pass`` or ``fail``; None for ``fail`` with
        `no_worse_than` and `max_share_losing`, ``pass`` otherwise.
    clusters : path, str, or mapping of str to str, or None
        The cluster of each query, of queries that depend on each other, as for `compare`.
    """

    min: Limits
    max: Limits
    every_query: str | Iterable[str]
    max_drop: Limits
    no_worse_than: Limits
    max_query_losses: Limits
    max_share_losing: Limits
    significant: float | None
    undecided: Literal["fail", "pass"] | None
    clusters: str | os.PathLike[str] | Mapping[str, str] | None


class GateOptions(Gate, Options, total=False):
    """Conditions on a run, and options of its evaluation."""


def check(
    evaluations: Mapping[str, Evaluation],
    *,
    baseline: Evaluation | Mapping[str, Evaluation] | Path | None = None,
    groups: Mapping[str, str] | None = None,
    qrels: Judged | None = None,
    runs: Mapping[str, Retrieved] | None = None,
    baseline_runs: Mapping[str, Retrieved] | None = None,
    allow_changed_qrels: bool = False,
    **gate: Unpack[Gate],
) -> Verdict:
    """Check that runs are as good as they must be.

    Parameters
    ----------
    evaluations : mapping of str to Evaluation
        By the names of their runs; made with ``complete=True``, so that a run that lost its hard queries does not pass,
        and with all measures that conditions are about.
    baseline : Evaluation, mapping of str to Evaluation, or path, optional
        What runs are compared with: an evaluation, several by the names of their runs, or a result that ``irev check
        --update-baseline`` or ``irev eval -c -q -f json`` saved. A saved result must have been made with the same
        options and, where `qrels` is a file, under the same judgments, and evaluations under the same judgments as the
        runs; where that is not known, as of judgments in memory, a note of the verdict says so.
    groups : mapping of str to str, optional
        The group of each query, for conditions about some of them: ``{"group:hard/RR": 0.4}``.
    qrels : path, nested dictionary, data frame, arrays, or Qrels, optional
        The judgments.
    runs : mapping of str to path, nested dictionary, data frame, arrays, or Run, optional
        What was evaluated, by the names in `evaluations`.
    baseline_runs : mapping of str to the same, optional
        The runs of `baseline`, by the names of runs; a single run is used for all. With `qrels` and `runs`, the verdict
        says whether unjudged documents decide.
    allow_changed_qrels : bool
        Whether the baseline may have been made with other judgments; a note of the verdict then says so.
    **gate
        What is required; see `Gate`.

    Returns
    -------
    Verdict
        Whether it `holds`, a sentence on that in `headline`, and a `Finding` for each condition and run in `findings`:
        state, value, baseline, interval, p-value, the reason in words, and the queries that made it fail. Notebooks
        show it.

    Raises
    ------
    UsageError
        For an invalid condition, an unknown run, group or measure in a condition, or a condition on a change if
        there is no baseline; evaluations that were made with different options, or without judged queries that their
        run lacks, unless `queries` asked for others; nothing required, and a choice that no condition is judged by.
    InputError
        For a baseline that cannot be read, was made with other options, or is of other queries.
    """

    from irev.commands.check import QUESTION

    choices = _choices(gate, baseline=baseline, allow_changed_qrels=allow_changed_qrels)
    about = _inputs_of(evaluations, baseline, groups, qrels, runs, baseline_runs)
    if isinstance(baseline, str | os.PathLike):
        choices = replace(choices, baseline=path_of("baseline", baseline))
    report: CheckReport = QUESTION.answer(about, choices)
    return report.verdict


def _inputs_of(
    evaluations: Mapping[str, Evaluation],
    baseline: Evaluation | Mapping[str, Evaluation] | Path | None,
    groups: Mapping[str, str] | None,
    qrels: Judged | None,
    runs: Mapping[str, Retrieved] | None,
    baseline_runs: Mapping[str, Retrieved] | None,
) -> Inputs:
    """Evaluations, and what they are compared with."""
    require_named(evaluations)
    for given in (runs, baseline_runs):
        if given is not None:
            require_several("runs", given)
    if not evaluations:
        raise UsageError("there is nothing to check", remedy="give at least one evaluation")
    before = {"baseline": baseline} if isinstance(baseline, Evaluation) else baseline
    others: Mapping[str, Evaluation] = before if isinstance(before, Mapping) else {}
    require_named(others, "baseline: ")
    settings = _same_settings([*evaluations.items(), *others.items()])
    grouping = {encoded(query): encoded(group) for query, group in groups_of(groups).items()}
    same = same_judgments([*evaluations.values(), *others.values()]) if others else None
    made = tuple(_outcome(name, each, grouping) for name, each in evaluations.items())
    made_before = tuple(_outcome(name, each, {}) for name, each in others.items())
    return Inputs(
        [] if qrels is None else [("", qrels)],
        [*(runs or {}).values()],
        settings,
        names=[*(runs or {})],
        held=HeldEvaluations(made, (settings,) * len(made), None),
        baseline=HeldEvaluations(made_before, (settings,) * len(made_before), same) if others else None,
        beside=baseline_runs or {},
        flags={"baseline_run": "baseline_runs"},
        warn=warned,
    )


def _choices(gate: Gate, **more: Any) -> CheckChoices:
    """Return the choices of a check. Raises `UsageError` for those that cannot be."""
    from irev.commands.check import CheckChoices

    require_known(gate, Gate)
    found: CheckChoices = checked_record(CheckChoices, {**gate, **more}, (*Gate.__annotations__, *more))
    return found


def _same_settings(together: Sequence[tuple[str, Evaluation]]) -> Settings:
    """The settings of evaluations. Raises `UsageError` where they differ, or where judged queries are missing."""
    first, settings = together[0][0], together[0][1].settings
    for name, each in together:
        if odd := [field for field in ("complete", *SAME) if getattr(each.settings, field) != getattr(settings, field)]:
            raise UsageError(f"{name!r} was evaluated with another {odd[0]} than {first!r}")
        lacking = each.left_out.not_retrieved
        if not settings.complete and settings.queries == "both" and lacking:
            fact = (
                f"{name!r} was evaluated without {len(lacking)} of the judged queries, because it has no "
                "results for them"
            )
            raise UsageError(fact, remedy="evaluate with complete=True, or with the queries that count in queries=")
        if settings.complete and settings.single_precision and lacking:
            fact = "trec_eval 9.0.8 has no values for queries that a run lacks, but conditions need them"
            raise UsageError(fact, remedy="evaluate with the judged queries listed in queries=")
    return settings


def _outcome(name: str, evaluation: Evaluation, grouping: Mapping[bytes, bytes]) -> Outcome:
    """An evaluation as conditions are judged by it, with a column for each measure, whatever it was called."""
    places = {column.request: place for place, column in reversed([*enumerate(evaluation.scores.columns)])}
    kept = sorted(places.values())
    scores = replace(evaluation.scores, columns=tuple(evaluation.scores.columns[place] for place in kept))
    summary = Summary(tuple(evaluation.summary.values[place] for place in kept))
    return Outcome(name, "", scores, summary, evaluation.facts, in_groups(scores, grouping))


def measures_required(compat: str, **gate: Unpack[Gate]) -> tuple[str, ...]:
    """The measures that runs have to be evaluated by to be checked, by their standard names.

    Those of conditions; where none names any, those that ``irev check`` takes. Raises `UsageError` as `check` does.
    """
    from irev.commands.check.answer import requirements
    from irev.commands.check.conditions import requests_of

    conditions = requirements(_choices(gate), DEFAULT_MEASURES, compat)  # what they are compared with is not known yet
    return tuple(request.standard for request in requests_of(conditions))
