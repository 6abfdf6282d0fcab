"""``irev compare``: whether the differences between runs are real, and how large they are."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from irev.doors.cli.evaluating import settings_of
from irev.doors.cli.help import Command
from irev.doors.cli.idle import refuse_idle, refuse_idle_in
from irev.doors.cli.options import (
    COMPARING,
    ELSEWHERE,
    EVERY_QUERY,
    NAMING,
    READING,
    REPORTING,
    RUNNING,
    Reporting,
    Running,
    inputs_given,
    options_of,
    pick,
    settings_options,
)
from irev.doors.cli.output import ending_of, refuse_clashes, show, write
from irev.doors.cli.question import refuse_idle_choices
from irev.doors.cli.systems import gather
from irev.output.report import LAYOUTS, PAPER
from irev.questions.systems import Contrasts
from irev.statistics.plan import Plan

if TYPE_CHECKING:
    from irev.analysis.comparison.contrasts import Comparison


@click.command(
    "compare",
    cls=Command,
    short_help="Test whether runs differ.",
    epilog="irev compare -m nDCG@10 qrels.txt keyword.run semantic.run",
)
@click.argument("files", metavar="QRELS RUN RUN… | RESULT…", nargs=-1)
@click.option("-q", "--per-query", is_flag=True, help="Show the difference of every query too.")
@click.option("--details", is_flag=True, help="Show all that was found, where people read; other formats have it.")
@click.option(
    "--layout",
    type=click.Choice(LAYOUTS),
    default=LAYOUTS[0],
    show_default=True,
    help="One of paper: one table of runs and measures, with marks and a caption that say what is significant.",
)
@click.option(
    "--columns-fit", is_flag=True, help="With --layout paper: no wider than a column, nor longer than a page."
)
@click.option(
    "--plot",
    metavar="FILE",
    help="Also draw the differences, as .svg, .png, .pdf or .html (with matplotlib), or as .txt.",
)
@settings_options(
    options_of(Contrasts, "measures"),
    options_of(Contrasts, "baseline", "all_pairs"),
    options_of(Contrasts, "scores"),
    options_of(Plan),
    options_of(Contrasts, "power"),
    RUNNING,
    ELSEWHERE,
    REPORTING,
    NAMING,
    EVERY_QUERY,
    COMPARING,
    READING,
)
@click.pass_context
def compare_command(
    ctx: click.Context,
    /,
    files: tuple[str, ...],
    measures: tuple[str, ...],
    per_query: bool,
    details: bool,
    layout: str,
    columns_fit: bool,
    power: float,
    plot: str | None,
    scores: bool,
    **choices: Any,
) -> None:
    """Compare runs, query by query: by how much they differ, and whether chance explains it.

    The first RUN, or --baseline, is held against each of the others. Every judged query counts, one that a run lacks as
    0. Instead of judgments and runs, RESULTs may be given: what `irev eval -q -f json` saved, what `trec_eval -q`
    printed, or tables of values.
    """
    against, running, look = pick(Contrasts, choices), pick(Running, choices), pick(Reporting, choices)
    plan = pick(Plan, choices)
    refuse_idle_choices(ctx, Contrasts, True)
    refuse_idle_choices(ctx, Plan, True)
    settings, listed = settings_of(choices, ctx)
    inputs = inputs_given(ctx, (*files, *listed))
    refuse_clashes(look.output, inputs, {"--plot": plot})
    if look.output is not None and ending_of(look.output) in ("svg", "png", "pdf"):
        raise click.UsageError(f"'{look.output}' is to be a figure; --plot draws one", ctx)
    to = look.to(inputs)

    from irev.analysis.comparison.contrasts import compare, require_suitable
    from irev.base.text import counted
    from irev.doors.cli import progress
    from irev.doors.cli.notes import left_out
    from irev.output.figures import require_drawable
    from irev.output.reports.comparison.report import ComparisonReport
    from irev.output.styles import for_screens

    if plot is not None:
        require_drawable(ending_of(plot))
    require_suitable(plan, against.all_pairs)
    refuse_idle_in(ctx, to.style, "digits", "details", "layout", "columns_fit")
    if layout == PAPER:
        refuse_idle(ctx, "--layout paper has one table", "details", "per_query")
        refuse_idle(ctx, "--layout paper shows no number of queries", "power")
        if plot is None:
            names = ("interval", "confidence", "simultaneous", "margin")
            refuse_idle(ctx, "--layout paper shows no interval and no margin", *names)
    else:
        refuse_idle(ctx, "it is for --layout paper", "columns_fit")
    gathered = gather(ctx, files, measures, settings, running, scores)
    aligned, first = gathered.aligned, against.first(gathered.aligned.runs, gathered.files)
    with progress.working(f"comparing {counted(len(aligned.runs), 'run')}", running.quiet):
        comparison = compare(aligned, first, plan, power)
    remarks = (*gathered.notes, *left_out(aligned))
    more = "--details" if for_screens(to.style) else None
    report = ComparisonReport(
        comparison, gathered.policy, remarks, gathered.inputs, per_query, details, layout, columns_fit, more
    )
    if layout == PAPER and to.style == "latex":
        _note_size(len(comparison.runs))
    if plot is not None:
        _draw(comparison, plot, inputs, gathered.policy)
    show(report, to)


def _note_size(runs: int) -> None:
    from irev.doors.cli.streams import warn
    from irev.output.styles.latex import PAGE

    if runs > 2 * PAGE:
        warn(f"a table of {runs:,} runs is too large for a page, or too small to be read; compare fewer")


def _draw(comparison: Comparison, path: str, inputs: tuple[str, ...], policy: str) -> None:
    """Write a figure, in the format that the file's name asks for."""
    from irev.output.figures import figure
    from irev.output.reports.comparison.figure import caption, panels

    write(figure(panels(comparison), ending_of(path), caption(comparison, policy)), path, inputs)
