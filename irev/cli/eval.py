"""``irev eval``: options to settings and requests, the calls of the pipeline, and notes on what was left out."""

from __future__ import annotations

import os
import sys
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import click

from irev import __version__
from irev.cli.notes import note_judgments, note_run, note_ties, warn
from irev.cli.options import EVALUATING, LISTS, READING, Aggregates, complete_measures, settings_options
from irev.cli.output import refuse_inputs, write
from irev.rendering import styles
from irev.settings import Settings

if TYPE_CHECKING:
    from irev.result import Screen


@click.command("eval", short_help="Score a run against relevance judgments.")
@click.argument("files", metavar="QRELS RUN", nargs=-1)
@click.option(
    "-m",
    "--measure",
    "measures",
    metavar="NAME",
    multiple=True,
    help="A measure (map, nDCG@10), with parameters (P.5,10), a printed label (P_10) or a set (official, set,"
    " all_trec); `irev measures` lists them. Repeat it for more. Default: official.",
    shell_complete=complete_measures,
)
@click.option(
    "--aggregate",
    "aggregates",
    metavar="NAME,…",
    type=Aggregates(),
    default=(),
    help="How the line for all queries is made: mean, gmean, median, min, max, sd, sum, or a quantile such as q25.",
)
@click.option(
    "--bounds",
    is_flag=True,
    help="Add the lowest and highest value there could be, whatever unjudged results turn out to be.",
)
@click.option(
    "--names",
    type=click.Choice(("trec", "standard")),
    help="Names of measures: map_cut_10 or AP@10. Default: standard in tables, trec elsewhere.",
)
@click.option("-q", "--per-query", "--query_eval_wanted", is_flag=True, help="Print the values of each query too.")
@click.option("-n", "--no-summary", "--nosummary", is_flag=True, help="Leave out the lines for all queries.")
@click.option(
    "-f",
    "--format",
    "style",
    type=click.Choice(styles()),
    default="trec",
    show_default=True,
    help="trec: trec_eval's lines; table: for people.",
)
@click.option(
    "-o",
    "--output",
    "--Output_old_results_format",
    "output",
    metavar="FILE",
    help="Write to FILE instead of standard output.",
)
@settings_options(EVALUATING, READING)
@click.version_option(__version__, "-v", "--version", message="irev %(version)s", help="Show the version and exit.")
@click.help_option("-h", "--help")
@click.pass_context
def eval_command(
    ctx: click.Context,
    /,
    files: tuple[str, ...],
    measures: tuple[str, ...],
    per_query: bool,
    no_summary: bool,
    aggregates: tuple[str, ...],
    bounds: bool,
    names: str | None,
    style: str,
    output: str | None,
    **choices: Any,
) -> None:
    """Score the results in RUN against the relevance judgments in QRELS.

    QRELS has lines `query 0 document grade`, RUN has lines `query Q0 document rank score tag`. One of the two may be
    `-`, standard input; compression is recognised by content.
    """
    if len(files) != 2:
        raise click.UsageError(f"expected two files, QRELS and RUN, but got {len(files)}", ctx)
    if files[0] == files[1] == "-":
        raise click.UsageError("only one of QRELS and RUN can be standard input", ctx)
    settings = _consistent(Settings(**choices), ctx)
    inputs = (*files, *ctx.meta.get(LISTS, ()))
    refuse_inputs(output, inputs)

    from irev import measures as catalogue
    from irev import ranking
    from irev.aggregation import summarise
    from irev.evaluation import evaluate
    from irev.reading import qrels
    from irev.rendering import render
    from irev.result import Result, Screen
    from irev.sources import Source

    requests = catalogue.parse(measures, settings.compat, warn, aggregates, bounds)
    settings = replace(settings, elsewhere=max(request.elsewhere for request in requests))
    with Source(files[0]) as judged, Source(files[1]) as retrieved:
        judgments = qrels.read(judged, settings)
        ranked, reading, left_out = ranking.rank(judgments, retrieved, settings)
    scores = evaluate(ranked, requests)
    standard = names == "standard" or (names is None and style == "table")
    result = Result(scores, summarise(scores), per_query, not no_summary, _policy(settings), standard)
    rendered = render(style, result, Screen() if style == "trec" else _screen(output))

    note_judgments(judgments, settings)
    note_run(left_out, reading, settings, retrieved.name)
    if style == "table":
        note_ties(ranked, settings)
    write(rendered, output, inputs, safe=style == "table")


def _consistent(settings: Settings, ctx: click.Context) -> Settings:
    """The settings when -c and --queries agree."""
    if settings.queries == "qrels":
        return replace(settings, queries="both", complete=True)
    if settings.complete and settings.queries != "both":
        raise click.UsageError("-c means --queries qrels, and another --queries is given", ctx)
    return settings


def _policy(settings: Settings) -> str:
    """Which queries count, in words."""
    if settings.only is not None:
        return "the one asked for"
    if not isinstance(settings.queries, str):
        return "those listed, one that is not in both files as 0"
    if settings.queries == "run":
        return "all of the run, one without judgments as 0"
    return "all that are judged, one without results as 0" if settings.complete else "those in both files"


def _screen(output: str | None) -> Screen:
    import shutil

    from irev.result import Screen

    terminal = output is None and sys.stdout.isatty()
    return Screen(shutil.get_terminal_size().columns, terminal and not os.environ.get("NO_COLOR"))
