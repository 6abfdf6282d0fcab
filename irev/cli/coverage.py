"""``irev coverage``: what judgments cover of runs, and what the holes could change."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from irev.analysis.comparison.defaults import DEFAULT_MEASURES
from irev.cli.evaluating import files_of, settings_of
from irev.cli.help import Command
from irev.cli.idle import refuse_idle, refuse_idle_columns, refuse_idle_in, refuse_idle_scales
from irev.cli.options import (
    EVERY_QUERY,
    MEASURING,
    READING,
    REPORTING,
    RUNNING,
    Reporting,
    Running,
    WholeNumber,
    inputs_given,
    measure_option,
    settings_options,
    taken,
)
from irev.cli.output import ending_of, refuse_clashes, show, write
from irev.cli.streams import warn

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from irev.base.settings import Settings
    from irev.evaluation.covered import CoveredRuns
    from irev.measures import Request
    from irev.output.reports.coverage import CoverageReport


@click.command(
    "coverage",
    cls=Command,
    short_help="What of runs was judged, and what holes could change.",
    epilog="irev coverage qrels.txt hybrid.run keyword.run semantic.run",
)
@click.argument("files", metavar="QRELS RUN…", nargs=-1)
@measure_option("A measure. Repeat it for more. Default: AP and nDCG@10.")
@click.option(
    "--groups", metavar="FILE", help="Groups of runs, `run TAB group` or JSON: those of a group are left out together."
)
@click.option(
    "--pool-depth",
    metavar="N",
    type=WholeNumber(1),
    default=100,
    show_default=True,
    help="To which rank runs were pooled.",
)
@click.option(
    "-n",
    "--top",
    metavar="N",
    type=WholeNumber(1),
    default=10,
    show_default=True,
    help="Look at the first N documents for what is not judged.",
)
@click.option(
    "--plot",
    metavar="FILE",
    help="Also draw shares and values, as .svg, .png, .pdf or .html (with matplotlib), or as .txt.",
)
@click.option("-q", "--per-query", is_flag=True, help="Show every unjudged document and pair where people read.")
@settings_options(RUNNING, REPORTING, EVERY_QUERY, MEASURING, READING)
@click.help_option("-h", "--help")
@click.pass_context
def coverage_command(
    ctx: click.Context,
    /,
    files: tuple[str, ...],
    measures: tuple[str, ...],
    groups: str | None,
    pool_depth: int,
    top: int,
    per_query: bool,
    plot: str | None,
    **choices: Any,
) -> None:
    """Say what of every RUN was judged, and what of its values depends on what was not.

    A document without a judgment counts as not relevant. How many there are, between which values scores lie whatever
    they turn out to be, which runs could change places, and how each run would fare had it not been pooled.
    """
    running, look = taken(Running, choices), taken(Reporting, choices)
    settings, listed = settings_of(choices, ctx)
    refuse_without_answer(ctx, settings)
    (judged,), paths = files_of(files, (), ctx)
    lists = [path for path in files if path.startswith("@")]
    inputs = inputs_given(ctx, (judged[1], *paths, *lists, *listed, groups))
    refuse_clashes(look.output, inputs, {"--plot": plot})
    to = look.to(inputs)
    if plot is not None:
        from irev.output.figures import require_drawable

        require_drawable(ending_of(plot))
    refuse_idle_in(ctx, to.style, "digits")

    from irev import measures as catalogue
    from irev.analysis.coverage import pictures, require_suited
    from irev.evaluation.scores import suited
    from irev.output.styles import obeys

    if not obeys(to.style, "details"):
        refuse_idle(ctx, f"-f {to.style} has every document and pair anyway", "per_query")
    requests = catalogue.parse(measures or DEFAULT_MEASURES, settings.compat, warn)
    settings = suited(settings, requests, warn)
    refuse_idle_scales(ctx, requests)
    require_suited(requests)
    report = covered(
        judged[1],
        paths,
        requests,
        settings,
        running,
        top=top,
        pool_depth=pool_depth,
        groups=groups,
        everything=per_query,
        note=lambda found: _note(ctx, found, requests, settings, running),
    )
    if plot is not None:
        from irev.output.figures import figure_of_curves

        write(figure_of_curves(pictures(report.coverage), ending_of(plot), report.counting, report.title), plot, inputs)
    show(report, to)


def refuse_without_answer(ctx: click.Context, settings: Settings) -> None:
    """Refuse settings under which the question has no answer."""
    refuse_idle(ctx, "values of lists without unjudged documents stand beside the others", "judged_only")
    if settings.ties == "average":
        raise click.UsageError("documents in ties have no rank of their own under --ties average; choose another", ctx)
    if settings.queries == "run":
        raise click.UsageError("--queries run has other queries for each run; these are held against each other", ctx)


def covered(
    judged: str,
    paths: Sequence[str],
    requests: Sequence[Request],
    settings: Settings,
    running: Running,
    *,
    top: int = 10,
    pool_depth: int = 100,
    groups: str | None = None,
    everything: bool = False,
    more: str = "-q",
    note: Callable[[CoveredRuns], None] = lambda found: None,
) -> CoverageReport:
    """What judgments cover of runs, as a report, made with progress shown; `note` says what there is to be said."""
    from irev.analysis.coverage import coverage_of
    from irev.cli import progress
    from irev.evaluation.covered import cover
    from irev.output.reports.coverage import CoverageReport

    found = cover(
        judged,
        paths,
        requests,
        settings,
        names=running.names_given,
        most=top,
        jobs=running.jobs,
        warn=warn,
        watched=lambda batch, some: progress.shown(batch, some, running.quiet),
    )
    note(found)
    grouped, read = _groups(groups, found.names)
    coverage = coverage_of(
        found.names,
        found.runs,
        found.judgments,
        requests,
        grouped,
        first=top,
        pool_depth=pool_depth,
        level=settings.level,
    )
    return CoverageReport(coverage, settings.policy, (*found.inputs, *read), everything, more)


def _note(
    ctx: click.Context, found: CoveredRuns, requests: Sequence[Request], settings: Settings, running: Running
) -> None:
    """Say what is to be said of judgments and runs."""
    from irev.cli.notes import note_judgments, note_not_common, say
    from irev.evaluation.notes import left_out_notes, reading_notes

    note_judgments(found.judgments, settings, requests)
    evaluated = [each.evaluated for each in found.runs]
    notes = [
        note
        for each in evaluated
        for note in (*reading_notes(each.reading, each.name), *left_out_notes(each.left_out[0], settings, each.name))
    ]
    say(notes, len(evaluated), running.all_warnings)
    note_not_common(found.some)
    refuse_idle_columns(ctx, found.judgments.named, any(each.reading.named for each in evaluated))


def _groups(path: str | None, names: tuple[str, ...]) -> tuple[dict[str, str], tuple[Any, ...]]:
    """The group of each run that has one, and the file."""
    if path is None:
        return {}, ()
    from irev.analysis.coverage import require_groups
    from irev.base.text import decoded
    from irev.evaluation.result import Input
    from irev.reading.id_lists import read_groups
    from irev.reading.sources import Source

    with Source(path, digest=True) as source:
        found = {decoded(run): decoded(group) for run, group in read_groups(source, "run").items()}
        read = Input("groups", source.name, *source.digest())
    require_groups(found, names, read.name)
    return found, (read,)
