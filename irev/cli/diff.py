"""``irev diff``: what changed between two runs, query by query and document by document."""

from __future__ import annotations

import os
from collections.abc import Sequence
from contextlib import ExitStack
from functools import partial
from typing import TYPE_CHECKING, Any

import click

from irev.base.settings import LOOKED_AT_BY
from irev.base.text import decoded
from irev.cli.evaluating import settings_of
from irev.cli.help import Command
from irev.cli.idle import refuse_idle, refuse_idle_columns, refuse_idle_in, refuse_idle_scales
from irev.cli.notes import note_judgments, note_left_out, note_reading
from irev.cli.options import (
    EVERY_QUERY,
    MEASURING,
    NAMING,
    READING,
    REPORTING,
    TEXTS,
    Excerpted,
    Reporting,
    WholeNumber,
    inputs_given,
    measure_option,
    settings_options,
    taken,
)
from irev.cli.output import refuse_clashes, show, write
from irev.cli.streams import warn

if TYPE_CHECKING:
    from irev.analysis.diff import Detail
    from irev.output.reports.difference import Names
    from irev.ranking.second_pass import RankedRun


@click.command(
    "diff",
    cls=Command,
    short_help="Show what changed between two runs.",
    epilog="irev diff -m nDCG@10 qrels.txt keyword.run semantic.run",
)
@click.argument("qrels", metavar="QRELS")
@click.argument("before", metavar="A")
@click.argument("after", metavar="B")
@measure_option(f"A measure, by which queries are ordered. Further ones are shown beside it. Default: {LOOKED_AT_BY}.")
@click.option("--query", "asked", metavar="ID", multiple=True, help="Show this query. Repeat it for more.")
@click.option(
    "--limit",
    metavar="N",
    type=WholeNumber(0),
    default=10,
    show_default=True,
    help="Show the N queries that lost most, and the N that won most.",
)
@click.option("--best", is_flag=True, help="Show those that won first.")
@click.option("-n", "--top", metavar="N", type=WholeNumber(1), help="Show N documents of each query. Default: 5.")
@click.option("--all", "everything", is_flag=True, help="Show all documents of each query that changed anything.")
@click.option(
    "--pool-depth",
    metavar="K",
    type=WholeNumber(1),
    help="How many ranks documents enter and leave. Default: the cutoff of the first measure, or 10.",
)
@click.option(
    "--unjudged",
    metavar="FILE",
    help="Write a line `query document rank` for each document without a judgment that entered the first K ranks of a"
    " query that is shown.",
)
@settings_options(TEXTS, REPORTING, NAMING, EVERY_QUERY, MEASURING, READING)
@click.help_option("-h", "--help")
@click.pass_context
def diff_command(
    ctx: click.Context,
    /,
    qrels: str,
    before: str,
    after: str,
    measures: tuple[str, ...],
    asked: tuple[str, ...],
    limit: int,
    best: bool,
    pool_depth: int | None,
    unjudged: str | None,
    **choices: Any,
) -> None:
    """Show what changed from run A to run B: the queries that lost and won most, and the documents that moved there.

    What documents contribute adds up to the change, for measures that are sums over ranks. Every judged query counts,
    one that a run lacks as having found nothing.
    """
    shown, look = taken(Excerpted, choices), taken(Reporting, choices)
    settings, listed = settings_of(choices, ctx)
    inputs = inputs_given(ctx, (qrels, before, after, shown.titles, shown.documents, *listed))
    refuse_clashes(look.output, inputs, {"--unjudged": unjudged})
    to = look.to(inputs)
    if asked:
        refuse_idle(ctx, "the queries to show are named by --query", "limit", "best")
    elif not limit:
        of_documents = ("top", "everything", "pool_depth", "unjudged", "titles", "documents", "best")
        refuse_idle(ctx, "--limit 0 shows no query and no document", *of_documents)
    if shown.everything:
        refuse_idle(ctx, "--all shows all documents", "top")
    refuse_idle_in(ctx, to.style, "digits", "titles", "documents", "top", "everything")

    from irev.analysis.diff import Chosen, difference
    from irev.analysis.explain import requests_of, require_judged
    from irev.evaluation.scores import suited
    from irev.output.reports.difference import DifferenceReport, shown_ids
    from irev.ranking.second_pass import in_file
    from irev.reading import qrels as reading_qrels
    from irev.reading.sources import Source

    requests = requests_of(measures, settings.compat, warn)
    settings = suited(settings, requests, warn)
    refuse_idle_scales(ctx, requests)
    chosen = Chosen(tuple(dict.fromkeys(map(os.fsencode, asked))), limit, best)
    with Source(qrels) as source:
        judgments = reading_qrels.read(source, settings)
    require_judged(chosen.queries, judgments)
    with ExitStack() as opened:
        sources = [opened.enter_context(Source(path)) for path in (before, after)]
        runs = [in_file(judgments, source, settings.of_every_query(tuple(judgments.queries))) for source in sources]
        found = difference(runs[0], runs[1], requests, chosen, pool_depth)

    refuse_idle_columns(ctx, judgments.named, any(run.reading.named for run in runs))
    queries = [detail.query for detail in found.details]
    excerpt = shown.of(queries, partial(shown_ids, found.details), settings.allow_large)
    report = DifferenceReport(found, _names(judgments.name, runs), settings.policy, excerpt)

    note_judgments(judgments, settings, requests)
    for run in runs:
        note_reading(run.reading, run.name)
        note_left_out(run.left_out, settings, run.name)
    if unjudged is not None:
        write(_to_judge(found.details), unjudged, inputs)
    show(report, to)


def _names(judgments: str, runs: Sequence[RankedRun]) -> Names:
    """What files and runs are called."""
    from irev.base.text import named
    from irev.evaluation.run_names import names_of
    from irev.output.reports.difference import Names

    files = [run.name for run in runs]
    tags = [decoded(run.ranked.tag) for run in runs]
    called = names_of(files, tags, (), lambda message: None)
    return Names(*map(named, (judgments, *called, *files)))


def _to_judge(details: Sequence[Detail]) -> bytes:
    """A line for each document that entered and has no judgment."""
    return b"".join(
        b"%b %b %d\n" % (detail.query, move.document, move.after or 0)
        for detail in details
        for move in detail.newcomers
    )
