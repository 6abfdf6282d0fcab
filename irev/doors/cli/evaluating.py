"""What commands that evaluate runs share: which files are what, the settings, the warnings, and the refusal of options
that have no effect; and the runs that questions compare, evaluated (`evaluated_systems`) or saved (`saved_systems`).

Ignoring an option may mislead, such as gains where no measure looks at them: it is refused. Options about looks and
about how something is computed are none of these: where a style has no such looks, they are ignored.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import fields, replace
from typing import TYPE_CHECKING, Any, TypeVar

import click
from click.core import ParameterSource

from irev.base.settings import COLUMNS, DEFAULT_MEASURES, Settings, policy_of
from irev.base.text import counted
from irev.doors.cli.options import QueryList, Running, with_numbers
from irev.doors.cli.streams import progress_of, warn
from irev.evaluation.notes import (
    Note,
    doubt_notes,
    filled_notes,
    lacking_notes,
    left_out_notes,
    level_notes,
    listed,
    reading_notes,
)
from irev.output.styles import needs_inputs

if TYPE_CHECKING:
    from irev.evaluation.batch import Evaluated, Work
    from irev.evaluation.comparison import Aligned, Quantity, System
    from irev.evaluation.comparison.systems import Gathered
    from irev.evaluation.files import FirstDocuments, Runs
    from irev.evaluation.page_data import ToShow
    from irev.evaluation.result import Input, Outcome
    from irev.measures import Request
    from irev.ranking.fusion.inputs import FileRun, SharedQueries
    from irev.reading.judgments import Judgments

R = TypeVar("R")


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
        watched=lambda batch, paths: progress_of(batch, paths, running.quiet),
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
            given = counted(len(files), "file")
            more = f" and at least one RUN, but got {given}" if least else ", and any number of runs"
            raise click.BadArgumentUsage(f"expected QRELS{more}", ctx)
        sets, files = (("", files[0]),), files[1:]
    elif not files:
        raise click.BadArgumentUsage("expected at least one RUN", ctx)
    if len({name for name, _ in sets}) < len(sets):
        raise click.UsageError("two sets of judgments have the same name; use --qrels NAME=FILE", ctx)
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
        raise click.UsageError("-c means --queries qrels, but another --queries is given", ctx)
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


def of_each_run(task: Work[R], paths: Sequence[str], running: Running) -> list[R]:
    """What a task makes of each of some runs, with progress shown."""
    from irev.evaluation.batch import Batch
    from irev.evaluation.executors import local

    batch = Batch(task, paths, local(paths, running.jobs))
    with progress_of(batch, paths, running.quiet):
        return list(batch.results())


def first_of_files(
    paths: Sequence[str], settings: Settings, most: int | None, style: str, running: Running
) -> tuple[list[FirstDocuments], list[Input]]:
    """The first `most` documents of every query of some runs, or all, and the files, if `style` says what these were.

    With progress shown.
    """
    from irev.evaluation.files import FirstDocumentsTask
    from irev.evaluation.result import Input

    found = of_each_run(FirstDocumentsTask(settings, most, needs_inputs(style)), paths, running)
    return found, [Input("run", run.name, *run.digest) for run in found if run.digest is not None]


SHARED = 3
"""So many runs are named with what is said of each; what is said of more is said once, unless all is asked for."""


def say(notes: Sequence[Note], runs: int, everything: bool) -> None:
    """Say what there is to be said of so many runs; of many alike in one line, unless `everything` is wanted.

    Where that is so, all that is said of single runs stands behind it.
    """
    about: dict[str, set[str]] = {}
    for note in notes:
        about.setdefault(note.shared, set()).add(note.run)
    for shared, named in about.items():
        if len(named) > SHARED and not everything:
            warn(f"{len(named)} of {runs} runs {shared}; --all-warnings names them")
    for note in notes:
        if everything or len(about[note.shared]) <= SHARED:
            warn(f"{note.run}{note.said}")


def note_judgments(judgments: Judgments, settings: Settings, requests: Sequence[Request] | None = None) -> None:
    """What judgments were perhaps meant to be instead, and grades that the relevance level does not suit."""
    say_each(doubt_notes(judgments.name, judgments.doubts, judgments.details))
    say_each(level_notes(judgments, settings, requests))


def note_ties(outcomes: Sequence[Outcome], settings: Settings, everything: bool = True) -> None:
    """Ties that hold a judged document: there the numbers depend on how ties are broken."""
    if settings.ties == "average":
        return
    several_runs, several_qrels = (len({getattr(o, of) for o in outcomes}) > 1 for of in ("run", "qrels"))
    notes = []
    for outcome in outcomes:
        tied, size = outcome.facts.tied, len(outcome.scores.queries)
        if tied:
            queries = "1 query has" if tied == 1 else f"{tied} of {size} queries have"
            which = [outcome.run] * several_runs + [f"under {outcome.qrels}"] * several_qrels
            of = ": " if which else ""
            said = f"{of}{queries} a judged document in a tie, ordered by --ties {settings.ties}"
            shared = f"have judged documents in ties, ordered by --ties {settings.ties}"
            notes.append(Note(" ".join(which), said, shared))
    say(notes, len(outcomes), everything)


def note_groups(outcomes: Sequence[Outcome], ungrouped: Sequence[bytes]) -> None:
    """Queries that count and are in no group, and groups none of whose queries counts in any run."""
    if ungrouped:
        warn(listed(ungrouped, "query {} is in no group", "queries are in no group"))
    counting = {group.name for outcome in outcomes for group in outcome.groups if group.size}
    empty = sorted({group.name for outcome in outcomes for group in outcome.groups} - counting)
    if empty:
        of = listed(empty, "group {} has no query that counts", "groups have no query that counts")
        warn(f"{of}; a line of groups is query, tab, group")


def say_each(notes: Iterable[Note]) -> None:
    """Say each of them."""
    for note in notes:
        warn(f"{note.run}{note.said}")


def fused_notes(runs: Sequence[FileRun], shared: SharedQueries) -> Iterator[Note]:
    """What there is to say of runs that were fused: queries that they lack, and runs that are given twice."""
    yield from side_by_side_notes(runs, shared)
    first: dict[tuple[object, ...], FileRun] = {}
    for run in runs:
        before = first.setdefault((run.print, run.reading.rows, run.reading.tag), run)
        if before is not run:
            said = f": this seems to be the same run as {before.name}; it counts twice"
            yield Note(run.name, said, "seem to be duplicates of other runs; each copy counts")


def side_by_side_notes(runs: Sequence[FileRun], shared: SharedQueries) -> Iterator[Note]:
    """What there is to say of runs that were read side by side: queries that they lack."""
    for run, queries in zip(runs, shared.lacking, strict=True):
        yield from reading_notes(run.reading, run.name)
        yield from lacking_notes(run.name, queries)


def are_saved(files: Sequence[str], scores: bool) -> bool:
    """Whether files hold values of queries, rather than judgments and runs; no files at all are taken for such."""
    from irev.evaluation.comparison.systems import hold_scores

    return scores or not files or hold_scores(files)


def saved_systems(
    ctx: click.Context, files: Sequence[str], measures: Sequence[str], settings: Settings, running: Running
) -> Gathered:
    """The runs in files of saved results."""
    from irev.evaluation.comparison.systems import Gathered, policy_of_saved, read, wanted

    if not files:
        raise click.BadArgumentUsage("expected QRELS and RUNs, or saved results", ctx)
    if not (settings.queries == "both"):
        raise click.UsageError(
            "for saved results, --queries is qrels (all queries) or both (queries that all have)", ctx
        )
    refuse_evaluating(ctx)
    saved = read(files, running.names_given, warn)
    for note in saved.notes:
        warn(note)
    policy = policy_of_saved(saved.systems, not settings.complete)
    aligned = _comparable(saved.systems, wanted(saved.systems, measures), settings)
    return Gathered(aligned, policy, saved.inputs, saved.files, saved.notes)


def refuse_evaluating(ctx: click.Context) -> None:
    """Raise `UsageError` for an option that changes values, since those of saved results stay as they are."""
    changing = {each.name for each in fields(Settings)} - {"queries", "complete"}
    for parameter in ctx.command.params:
        given = ctx.get_parameter_source(parameter.name or "") is ParameterSource.COMMANDLINE
        if parameter.name in changing and given:
            option = next(opt for opt in parameter.opts if opt.startswith("--"))
            fact = f"{option} cannot change results that were saved"
            raise click.UsageError(f"{fact}; give judgments and runs, or leave out the option", ctx)


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
    from irev.evaluation.comparison.systems import Gathered, asked, holds_pairs, left_out_measures, of_outcome
    from irev.evaluation.scores import suited
    from irev.measures.request import warn_of_aggregates

    ((_, judged),) = sets
    if settings.qrels_format is None and holds_pairs(judged):
        fact = f"'{judged}' has lines of a query and a value, which are no judgments"
        raise click.UsageError(f"{fact}; add --scores to compare values", ctx)
    quantities = asked(measures or DEFAULT_MEASURES, settings.compat)
    requests = catalogue.parse(measures or DEFAULT_MEASURES, settings.compat, warn)
    warn_of_aggregates(requests, warn)
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
    from irev.evaluation.comparison import align

    aligned = align(systems, quantities, both=_shared(settings))
    say_each(filled_notes(aligned.filled, aligned.left_out))
    return aligned


def _shared(settings: Settings) -> bool:
    """Whether queries that not all runs have are left out."""
    return settings.queries == "both" and not settings.complete


GIVEN = (ParameterSource.COMMANDLINE, ParameterSource.DEFAULT_MAP)
"""Where an option is from that somebody has asked for: typed, or written into a configuration file."""


def refuse_idle(ctx: click.Context, why: str, *names: str) -> None:
    """Raise `click.UsageError` for an option that is given and would change nothing.

    Parameters
    ----------
    ctx : click.Context
    why : str
        What keeps it from changing anything, and what to do.
    names : str
        The parameters of the command that are meant.
    """
    for parameter in ctx.command.params:
        if parameter.name in names and ctx.get_parameter_source(parameter.name) in GIVEN:
            written = next((option for option in parameter.opts if option.startswith("--")), parameter.opts[0])
            short = next((option for option in parameter.opts if not option.startswith("--")), written)
            written += f" ({short})" * (short != written)  # which of the two was typed is not known
            raise click.UsageError(f"{written} has no effect here: {why}", ctx)


def refuse_idle_scales(ctx: click.Context, requests: Iterable[Request]) -> None:
    """Raise `click.UsageError` for gains where no measure looks at grades, and for costs where none looks at these."""
    requests = tuple(requests)
    if not any(request.measure.graded for request in requests):
        refuse_idle(ctx, "no measure uses gains, as nDCG@10 does", "gains")
    if not any(request.costs for request in requests):
        refuse_idle(ctx, "no measure uses costs, as TBG and 'INST(of=EC)' do", "costs")
    from irev.base.aggregates import WEIGHTED

    if not any(request.aggregate == WEIGHTED for request in requests):
        refuse_idle(ctx, "no measure uses weights of queries, as 'AP(agg=weighted)' does", "query_weights")


def refuse_idle_columns(ctx: click.Context, judged: bool, retrieved: bool) -> None:
    """Raise `UsageError` for names of columns where no file has any, as `irev.reading.columns.require_named` does."""
    if any(ctx.params.get(name) for name in COLUMNS):
        from irev.reading.columns import require_named

        require_named(ctx.params, judged, retrieved)
