"""``python -m irev.spark``, and what ``spark-submit`` is given."""

from __future__ import annotations

import copy
import sys
from collections.abc import Sequence
from typing import Any

import click

from irev.doors.cli import command as command_called
from irev.doors.cli import run
from irev.doors.cli.evaluating import note_ties, say, settings_of
from irev.doors.cli.idle import GIVEN, refuse_idle_scales
from irev.doors.cli.options import QueryList, Reporting, Running, inputs_given, pick
from irev.doors.cli.output import show
from irev.doors.cli.streams import warn
from irev.evaluation.notes import left_out_notes
from irev.output.styles import EVALUATION, TABLE
from irev.questions.eval.sorting import sort_of

NOT_HERE = {
    "sets": "Spark evaluates with one set of judgments at a time",
    "groups": "compute values of groups from -q, for example with Spark's groupBy",
    "significance": "save the result of each run with -q -f json, and give them to `irev compare`",
    "only": "filter the tables before",
    "jobs": "Spark has workers of its own",
    "executor": "Spark has workers of its own",
    "wait": "Spark has workers of its own",
    "allow_large": "Spark reads files of any size",
    "partitioned": "Spark reads a folder as one table",
    "query_weights": "weight the values that -q writes",
    "grade_words": "write grades as numbers before",
    "document_of": "cut ids in a table before",
    "costs": "`irev eval` reads the types of results, from files in TREC's format",
    "zscore": "`irev eval` makes z-scores of files",
    "per_query_to": "-q writes them, to -o FILE",
    "quiet": "it shows no progress",
    "collections": "evaluate one collection at a time",
    "log": "save the result with -q -f json; `irev trend` reads it",
    "build": "save the result with -q -f json; `irev trend` reads it",
    "predicted": "`irev eval` corrects a model's judgments, from files",
    "confidence": "only --predicted has intervals, with `irev eval`",
    "plot": "only --predicted has a picture, with `irev eval`",
    "width": "only --predicted has a picture, with `irev eval`",
    "no_notes": "only --predicted has a picture, with `irev eval`",
}
"""Options of ``irev eval`` that are not served, and what to do instead."""


def spark_eval(
    ctx: click.Context,
    /,
    files: tuple[str, ...],
    measures: tuple[str, ...],
    aggregates: tuple[str, ...],
    bounds: bool,
    per_query: bool,
    no_summary: bool,
    order_column: str | None,
    buckets: int | None,
    memory: int | None,
    **choices: Any,
) -> None:
    """Score the results in every RUN against the relevance judgments in QRELS, with Spark.

    QRELS and RUN are paths or addresses that Spark reads, of files or folders: lines of TREC's formats, compressed or
    not, and Parquet where they end in .parquet or formats say so. table:NAME is a table of Spark.
    """
    for name, why in NOT_HERE.items():
        choices.pop(name, None)
        if ctx.get_parameter_source(name) in GIVEN:
            option = next(parameter for parameter in ctx.command.params if parameter.name == name)
            raise click.UsageError(f"{max(option.opts, key=len)} is not for Spark: {why}", ctx)
    if isinstance(choices["queries"], QueryList):
        raise click.UsageError("--queries FILE is not for Spark: filter the tables before", ctx)
    running = pick(Running, {**choices, "jobs": None, "quiet": True, "executor": None, "wait": 0})
    look = pick(Reporting, choices)
    for name in ("names_given", "all_warnings"):
        choices.pop(name)
    if len(files) < 2:
        raise click.UsageError(f"expected QRELS and at least one RUN, but got {len(files)} of them", ctx)
    judgments, paths = files[0], files[1:]
    settings, _ = settings_of(
        {
            **choices,
            "costs": None,
            "grade_words": None,
            "document_of": None,
            "only": None,
            "allow_large": False,
            "partitioned": False,
        },
        ctx,
    )
    to = look.to(inputs_given(ctx, files), EVALUATION)

    from irev import measures as catalogue
    from irev.evaluation.files import names_of
    from irev.evaluation.result import Result
    from irev.output.reports.evaluation import EvaluationReport
    from irev.spark.many_runs import evaluate_paths

    requests = catalogue.parse(measures, settings.compat, warn, aggregates, bounds)
    refuse_idle_scales(ctx, requests)
    if look.sort is not None:
        sort = sort_of(look.sort, requests, runs=len(paths), per_query=per_query, style=to.style)
        to = to._replace(sort=sort)
    found = evaluate_paths(
        judgments, paths, requests, settings, order_column, buckets, memory, per_query=per_query, warn=warn
    )
    tags = [each.tag for each in found]
    names = names_of(paths, tags, running.names_given, warn)
    outcomes = tuple(each.outcome(name) for each, name in zip(found, names, strict=True))
    result = Result(outcomes, settings, settings.policy, (), per_query, summarised=not no_summary)
    notes = [note for each in found for note in left_out_notes(each.left_out, settings, each.path)]
    say(notes, len(found), running.all_warnings)
    if to.style == TABLE:
        note_ties(outcomes, settings, running.all_warnings)
    show(EvaluationReport(result), to)


def _options() -> list[click.Parameter]:
    """Those of ``irev eval``, and what Spark takes beside them."""
    own: Sequence[click.Parameter] = (
        click.Option(
            ["--order-column"],
            metavar="NAME",
            help="The column of a table or of Parquet with whole numbers that order the rows of each query, for --order"
            " file, --ties file and --duplicates first.",
        ),
        click.Option(
            ["--buckets"],
            metavar="N",
            type=click.IntRange(1),
            help="Number of parts into which queries are divided. Default: parts of about a million rows.",
        ),
        click.Option(
            ["--memory"],
            metavar="MB",
            type=click.IntRange(1),
            help="Memory in MB that a worker may use for rows that are evaluated together. Default: 1024.",
        ),
    )
    served = []
    for parameter in command_called("eval").params:
        kept = copy.copy(parameter)
        if isinstance(kept, click.Option) and kept.name in NOT_HERE:
            kept.hidden = True
        served.append(kept)
    return [*served[:1], *own, *served[1:]]


def command() -> click.Group:
    """The command of this module: a group, as further commands may come."""
    made = copy.copy(command_called("eval"))
    made.params = _options()
    made.callback = click.pass_context(spark_eval)
    made.help = (spark_eval.__doc__ or "").replace("\n    ", "\n").strip()
    made.short_help = "Score runs against relevance judgments, with Spark."
    made.epilog = "python -m irev.spark eval -f table -m nDCG@10,AP qrels.parquet run.parquet"
    settings = {"help_option_names": ["-h", "--help"], "max_content_width": 100}
    return click.Group("spark", commands={"eval": made}, context_settings=settings, help="irev on Spark.")


if __name__ == "__main__":
    sys.exit(run(sys.argv[1:], command(), "python -m irev.spark"))
