"""``irev report --sheet``: TREC's sheet of one run, instead of a page about all."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from irev.doors.cli.evaluating import evaluate_runs, files_of, note_runs
from irev.doors.cli.idle import refuse_idle_in
from irev.doors.cli.output import ending_of, refuse_clashes, reporting_to, show, write

if TYPE_CHECKING:
    from irev.base.settings import Settings
    from irev.doors.cli.options import Running

PAPER, PAGE = "pdf", "html"


def write_sheet(
    ctx: click.Context,
    files: tuple[str, ...],
    look: tuple[str | None, str | None, int],
    settings: Settings,
    running: Running,
    inputs: tuple[str, ...],
) -> None:
    """Write the sheet of the first run; the others are those that the median is over.

    `look` is the style, the output file and the digits, as options say.
    """
    style, output, digits = look
    if settings.queries == "run":
        raise click.UsageError("--queries run has other queries for each run; a sheet is over the same ones", ctx)
    sets, runs = files_of(files, (), ctx)
    refuse_clashes(output, (*inputs, *runs))
    paper = style is None and output is not None and ending_of(output) == PAPER
    to = reporting_to(style, None if paper else output, inputs, digits=digits)
    if not paper:
        refuse_idle_in(ctx, to.style, "digits")

    from irev.analysis.comparison.defaults import policy
    from irev.doors.cli.notes import note_not_common
    from irev.evaluation.curves.by_query import FEWEST_RUNS, beside_others, values_by_query
    from irev.evaluation.curves.curve import HowMade
    from irev.evaluation.curves.recall_precision import recall_precision
    from irev.evaluation.curves.same_queries import on_same_queries
    from irev.measures import parse
    from irev.output.figures import require_drawable
    from irev.output.report import Look
    from irev.output.reports.sheet import MEASURES, SheetReport

    if paper:
        require_drawable(PAPER)
    requests = parse(MEASURES, settings.compat)
    evaluated = evaluate_runs(sets, runs, requests, settings, running, digest=True, each_query=True)
    note_runs(evaluated, [name for name, _ in sets], settings, running.all_warnings)
    outcomes, left_out = on_same_queries(evaluated.outcomes)
    note_not_common(left_out)
    first, *others = evaluated.evaluated
    # The run is not one of the others, under whatever name it is there again: `my.run runs/*`.
    kept = [True, *(each.digest != first.digest for each in others)]
    outcomes = tuple(outcome for outcome, it in zip(outcomes, kept, strict=True) if it)
    sheet = outcomes[0]
    histogram = None
    if len(outcomes) >= FEWEST_RUNS:
        of = next(each for each in values_by_query(outcomes) if each.measure == "AP")
        histogram = beside_others(of.measure, of.runs[0], of.queries, of.values[:, 0], of.values[:, 1:])
    made = HowMade(
        settings, settings.policy if len(outcomes) == 1 else policy(settings), sheet.scores.considered, evaluated.inputs
    )
    report = SheetReport(sheet, recall_precision([sheet], settings), histogram, len(outcomes) - 1, made)
    seen = report.seen(Look(names="standard", digits=digits))
    if paper:
        from irev.output.figures.sheet import pdf

        write(pdf(seen.title, [*seen.sheets], seen.charts, [*seen.notes]), output, inputs, safe=True)
    elif to.style == PAGE:
        from irev.output.pages.sheet import page

        write(page(seen), output, inputs, safe=True)
    else:
        show(report, to)
