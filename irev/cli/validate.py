"""``irev validate``: options to rules, a report for each file, and the verdict."""

from __future__ import annotations

import os
import re
from dataclasses import replace
from typing import Any

import click

from irev.base.exit_status import DONE, FAILED, REFUSED
from irev.base.settings import Settings
from irev.cli.help import Command
from irev.cli.idle import refuse_idle, refuse_idle_columns
from irev.cli.options import READING, WholeNumber, setting_option, settings_options
from irev.cli.output import reporting_to, show
from irev.output.styles import GITHUB, TEXT, VALIDATION, styles

UNUSABLE = "E100"
"""The code of a file that nothing can be said about."""

ABOUT_RUNS = (
    *("max_depth", "costs", "tag", "sorted_"),
    *("run_format", "order", "ties", "duplicates", "drop_self"),
)
"""Parameters that nothing looks at where there are judgments alone."""


_EXPLAINED = ("text", "table", "github", "json")


@click.command(
    "validate",
    cls=Command,
    short_help="Find everything that is wrong with judgments and runs.",
    epilog="irev validate qrels.txt keyword.run",
)
@click.argument("files", metavar="QRELS [RUN]...", nargs=-1)
@click.option(
    "-f",
    "--format",
    "style",
    metavar="STYLE",
    type=click.Choice(styles(VALIDATION)),
    default=TEXT,
    show_default=True,
    help="text: a line for each problem; table, for people; github: workflow annotations; json: one record;"
    f" {', '.join(each for each in styles(VALIDATION) if each not in _EXPLAINED)}.",
)
@click.option(
    "--max-problems",
    metavar="N",
    type=WholeNumber(1),
    default=100,
    show_default=True,
    help="Show at most N problems of each code and file; the rest is counted.",
)
@click.option("--strict", is_flag=True, help="Fail on warnings too.")
@click.option("--stats", is_flag=True, help="Show what the files hold.")
@click.option(
    "--topics",
    metavar="FILE",
    help="The topics: a run must have results for each, and for no others; judgments for no others.",
)
@click.option("--max-depth", metavar="N", type=WholeNumber(1), help="The most results that a query may have.")
@click.option(
    "--docids",
    metavar="FILE",
    help="The document ids of the collection, one on each line: no run and no judgment may have others.",
)
@setting_option("costs", type=str)
@click.option("--tag", metavar="PATTERN", help="A regular expression that the run id must match as a whole.")
@click.option("--sorted", "sorted_", is_flag=True, help="The rows of a query must stand by falling score.")
@setting_option("level")
@settings_options(READING)
@click.help_option("-h", "--help")
@click.pass_context
def validate_command(
    ctx: click.Context,
    /,
    files: tuple[str, ...],
    style: str,
    max_problems: int,
    strict: bool,
    stats: bool,
    topics: str | None,
    max_depth: int | None,
    docids: str | None,
    costs: str | None,
    tag: str | None,
    sorted_: bool,
    **choices: Any,
) -> int:
    """Find everything that is wrong with the judgments in QRELS and the results in each RUN, in one pass.

    Errors are what `irev eval` refuses, and breaches of the rules given here. Warnings are legal and usually a
    mistake. Exit status: 0 no errors, 1 errors found (with --strict, warnings too), 2 wrong usage or a file that
    cannot be used at all.
    """
    if not files:
        raise click.UsageError("expected QRELS, and any number of runs", ctx)
    if [*files, topics, docids, costs].count("-") > 1:
        raise click.UsageError("only one file can be standard input", ctx)
    if len(files) == 1:
        refuse_idle(ctx, "it is about runs, and none is given", *ABOUT_RUNS)
    if choices["order"] == "file":
        refuse_idle(ctx, "under --order file rows are in order", "sorted_")
    if style == GITHUB:
        refuse_idle(ctx, "-f github has no place for it; text and json have", "stats")
    to = reporting_to(style, None, (*files, *filter(None, (topics, docids, costs))), kind=VALIDATION)
    settings = Settings(**choices)
    pattern = _pattern(tag, ctx)

    from irev.analysis.validation.checking import check_costs, check_judgments, check_run
    from irev.analysis.validation.track_rules import DocIds, TrackRules
    from irev.output.reports.validation import ValidationReport
    from irev.reading.id_lists import read_ids, runs_named
    from irev.reading.sources import Source

    wanted: tuple[bytes, ...] | None = None
    if topics is not None:
        with Source(topics) as source:
            wanted = tuple(read_ids(source))
    collection = None
    if docids is not None:
        with Source(docids) as source:
            source.large = settings.allow_large
            collection = DocIds.read(source)
    rules = TrackRules(wanted, max_depth, pattern, sorted_, collection)
    judgments, report = check_judgments(files[0], settings, max_problems, rules)
    runs = [path for argument in files[1:] for path in runs_named(argument, settings.dataset)]
    priced = []
    if costs is not None:
        known, about = check_costs(costs, max_problems)
        priced, settings = [about], replace(settings, costs=known or None)
    reports = [report, *(check_run(judgments, run, settings, rules, max_problems) for run in runs)]
    judged, *retrieved = (each.faults.named or UNUSABLE in each.faults.counts for each in reports)
    refuse_idle_columns(ctx, judged, any(retrieved))
    reports[1:1] = priced
    found = ValidationReport(reports, stats)
    show(found, to)
    if any(UNUSABLE in report.faults.counts for report in reports):
        return REFUSED
    return FAILED if found.tally("error") or (strict and found.tally("warning")) else DONE


def _pattern(tag: str | None, ctx: click.Context) -> re.Pattern[bytes] | None:
    try:
        return None if tag is None else re.compile(os.fsencode(tag))
    except re.error as error:
        raise click.UsageError(f"--tag {tag}: this is no regular expression ({error})", ctx) from None
