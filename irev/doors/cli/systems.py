"""Runs as questions compare them: judgments and runs that are evaluated, or results that were saved."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import click
from click.core import ParameterSource

from irev.base.settings import DEFAULT_MEASURES, policy_of
from irev.doors.cli.evaluating import evaluate_runs, note_runs
from irev.doors.cli.idle import refuse_idle_scales
from irev.doors.cli.options import Running

if TYPE_CHECKING:
    from irev.base.settings import Settings
    from irev.evaluation.comparison.alignment import Aligned, Quantity, System
    from irev.evaluation.comparison.systems import Gathered


def are_saved(files: Sequence[str], scores: bool) -> bool:
    """Whether files hold values of queries, rather than judgments and runs; no files at all are taken for such."""
    from irev.evaluation.comparison.systems import hold_scores

    return scores or not files or hold_scores(files)


def saved_systems(
    ctx: click.Context, files: Sequence[str], measures: Sequence[str], settings: Settings, running: Running
) -> Gathered:
    """The runs in files of saved results."""
    from irev.doors.cli.streams import warn
    from irev.evaluation.comparison.systems import Gathered, policy_of_saved, read, wanted

    if not files:
        raise click.BadArgumentUsage("expected QRELS and RUNs, or saved results", ctx)
    if not (settings.queries == "both"):
        raise click.UsageError("of saved results count all queries, or those that all have (--queries both)", ctx)
    refuse_evaluating(ctx)
    saved = read(files, running.names_given, warn)
    for note in saved.notes:
        warn(note)
    policy = policy_of_saved(saved.systems, not settings.complete)
    aligned = _comparable(saved.systems, wanted(saved.systems, measures), settings)
    return Gathered(aligned, policy, saved.inputs, saved.files, saved.notes)


def refuse_evaluating(ctx: click.Context) -> None:
    """Raise `UsageError` for an option that changes values, since those of saved results stay as they are."""
    from dataclasses import fields

    from irev.base.settings import Settings

    changing = {each.name for each in fields(Settings)} - {"queries", "complete"}
    for parameter in ctx.command.params:
        given = ctx.get_parameter_source(parameter.name or "") is ParameterSource.COMMANDLINE
        if parameter.name in changing and given:
            option = next(opt for opt in parameter.opts if opt.startswith("--"))
            fact = f"{option} cannot change results that were saved"
            raise click.UsageError(f"{fact}; give judgments and runs, or leave it out", ctx)


def evaluated_systems(
    ctx: click.Context,
    sets: Sequence[tuple[str, str]],
    runs: Sequence[str],
    measures: Sequence[str],
    settings: Settings,
    running: Running,
) -> Gathered:
    """The runs in files, evaluated."""
    from irev import measures as catalogue
    from irev.doors.cli.streams import warn
    from irev.evaluation.comparison.systems import Gathered, asked, holds_pairs, left_out_measures, of_outcome
    from irev.evaluation.scores import suited

    ((_, judged),) = sets
    if settings.qrels_format is None and holds_pairs(judged):
        fact = f"'{judged}' has lines of a query and a value, which are no judgments"
        raise click.UsageError(f"{fact}; say --scores to compare values", ctx)
    quantities = asked(measures or DEFAULT_MEASURES, settings.compat)
    requests = catalogue.parse(measures or DEFAULT_MEASURES, settings.compat, warn)
    settings = suited(settings, requests, warn)
    refuse_idle_scales(ctx, requests)
    notes = tuple(left_out_measures(requests, quantities))
    for note in notes:
        warn(note)
    evaluated = evaluate_runs(sets, runs, requests, settings, running, digest=True)
    note_runs(evaluated, [name for name, _ in sets], settings, running.all_warnings)
    aligned = _comparable([of_outcome(outcome) for outcome in evaluated.outcomes], quantities, settings)
    return Gathered(aligned, policy_of(settings, _shared(settings)), evaluated.inputs, tuple(runs), notes)


def _comparable(systems: Sequence[System], quantities: Sequence[Quantity], settings: Settings) -> Aligned:
    """The systems on the same queries, with a word on those that do not count, or count as 0."""
    from irev.doors.cli.notes import note_filled
    from irev.evaluation.comparison.alignment import align

    aligned = align(systems, quantities, both=_shared(settings))
    note_filled(aligned)
    return aligned


def _shared(settings: Settings) -> bool:
    """Whether queries that not all runs have are left out."""
    return settings.queries == "both" and not settings.complete
