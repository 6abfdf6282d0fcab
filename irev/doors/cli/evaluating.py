"""What commands that evaluate runs share: which files are what, with which settings, what is said of it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import click

from irev.base.settings import Settings
from irev.doors.cli.idle import GIVEN, refuse_idle_columns
from irev.doors.cli.notes import note_groups, note_judgments, say
from irev.doors.cli.options import QueryList, Running, with_numbers
from irev.doors.cli.streams import warn
from irev.evaluation.notes import Note, left_out_notes, reading_notes

if TYPE_CHECKING:
    from irev.evaluation.batch import Evaluated
    from irev.evaluation.files import FirstDocuments, Runs
    from irev.evaluation.page_data import ToShow
    from irev.evaluation.result import Input
    from irev.measures import Request


def evaluate_runs(
    sets: Sequence[tuple[str, str]],
    runs: Sequence[str],
    requests: Sequence[Request],
    settings: Settings,
    running: Running,
    *,
    digest: bool,
    digest_runs: bool | None = None,
    groups: str | None = None,
    beside: Sequence[str] = (),
    each_query: bool = False,
    per_query: bool = True,
    show: ToShow | None = None,
) -> Runs:
    """Evaluate as `irev.evaluation.files.evaluate_files` does, and as options of `RUNNING` say; with progress shown."""
    from irev.doors.cli import progress
    from irev.evaluation.files import Files, evaluate_files

    found = evaluate_files(
        Files(sets, runs, running.names_given, beside, groups),
        requests,
        settings,
        digest=digest,
        digest_runs=digest_runs,
        each_query=each_query,
        per_query=per_query,
        show=show,
        jobs=running.jobs,
        executor=running.executor,
        wait=running.wait,
        warn=warn,
        watched=lambda batch, paths: progress.shown(batch, paths, running.quiet),
    )
    retrieved = any(each.reading.named for each in found.evaluated)
    refuse_idle_columns(click.get_current_context(), any(each.named for each in found.judgments), retrieved)
    note_groups(found.outcomes, found.ungrouped)
    return found


def files_of(
    files: tuple[str, ...], sets: tuple[tuple[str, str], ...], ctx: click.Context, least: int = 1
) -> tuple[tuple[tuple[str, str], ...], tuple[str, ...]]:
    """The sets of judgments, and the runs, those in lists and folders included; of these at least so many."""
    if not sets:
        if len(files) <= least:
            more = f" and at least one RUN, but got {len(files)} of them" if least else ", and any number of runs"
            raise click.BadArgumentUsage(f"expected QRELS{more}", ctx)
        sets, files = (("", files[0]),), files[1:]
    elif not files:
        raise click.BadArgumentUsage("expected at least one RUN", ctx)
    if len({name for name, _ in sets}) < len(sets):
        raise click.UsageError("two sets of judgments are called alike; --qrels NAME=FILE names them", ctx)
    return sets, runs_of(files, ctx)


def runs_of(files: Sequence[str], ctx: click.Context) -> tuple[str, ...]:
    """The runs, those in lists and folders included."""
    from irev.reading.small_files import runs_named

    return tuple(path for argument in files for path in runs_named(argument, ctx.params["partitioned"]))


def settings_of(choices: Mapping[str, Any], ctx: click.Context) -> tuple[Settings, tuple[str, ...]]:
    """The settings that options ask for, -c and --queries agreeing, and the files that were read for them."""
    queries = choices.get("queries", Settings.queries)
    listed = (queries.path,) if isinstance(queries, QueryList) else ()
    wanted = queries.queries if isinstance(queries, QueryList) else queries
    settings = Settings(**{**with_numbers(choices), "queries": wanted})
    if settings.qrels_format is not None:
        from irev.reading.formats import settled

        settings = settled(settings)
    said = ctx.get_parameter_source("queries") in GIVEN
    if settings.queries == "qrels":
        settings = replace(settings, queries="both", complete=True)
    elif settings.complete and (said or settings.queries != "both"):
        raise click.UsageError("-c means --queries qrels, and another --queries is given", ctx)
    return settings, listed


def note_runs(runs: Runs, sets: Sequence[str], settings: Settings, everything: bool) -> None:
    """Say of judgments and runs what the numbers do not show."""
    requests = [column.request for column in runs.outcomes[0].scores.columns]
    for each in runs.judgments:
        note_judgments(each, settings, requests)
    note_evaluated(runs.evaluated, sets, settings, everything)


def note_evaluated(
    evaluated: Sequence[Evaluated], sets: Sequence[str], settings: Settings, everything: bool, sampled: str = ""
) -> None:
    """Say of runs what was read of them, and which queries were left out under each set of judgments; not which ones
    have no judgments in the one that is `sampled`."""
    notes: list[Note] = []
    for run in evaluated:
        notes += reading_notes(run.reading, run.name)
        for name, left_out in zip(sets, run.left_out, strict=True):
            called = f"{run.name} under {name}" if len(sets) > 1 else run.name
            some = replace(left_out, not_judged=()) if sampled and name == sampled else left_out
            notes += left_out_notes(some, settings, called)
    say(notes, len(evaluated) * max(len(sets), 1), everything)


def first_of_files(
    paths: Sequence[str], settings: Settings, most: int | None, style: str, running: Running
) -> tuple[list[FirstDocuments], list[Input]]:
    """The first `most` documents of every query of some runs, or all, and the files, if `style` says what these were.

    With progress shown.
    """
    from irev.doors.cli import progress
    from irev.evaluation.batch import Batch
    from irev.evaluation.executors import local
    from irev.evaluation.files import FirstDocumentsTask
    from irev.evaluation.result import Input
    from irev.output.styles import needs_inputs

    batch = Batch(FirstDocumentsTask(settings, most, needs_inputs(style)), paths, local(paths, running.jobs))
    with progress.shown(batch, paths, running.quiet):
        found = list(batch.results())
    return found, [Input("run", run.name, *run.digest) for run in found if run.digest is not None]
