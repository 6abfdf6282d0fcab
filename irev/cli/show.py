"""``irev show``: a result that was saved as JSON, in any of the other styles."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

import click

from irev.cli.help import Command
from irev.cli.idle import refuse_idle_in, refuse_idle_summaries
from irev.cli.options import SHOWING, Reporting, settings_options, taken
from irev.cli.output import show
from irev.cli.sorting import sort_of
from irev.output.styles import EVALUATION

if TYPE_CHECKING:
    from irev.evaluation.result import Result


@click.command(
    "show",
    cls=Command,
    short_help="Show a saved result in another way.",
    epilog="irev show -f table results.json",
)
@click.argument("file", metavar="RESULT.json")
@click.option("-q", "--per-query", is_flag=True, help="Show the values of each query too.")
@click.option("-n", "--no-summary", is_flag=True, help="Leave out the values for all queries.")
@settings_options(SHOWING)
@click.help_option("-h", "--help")
@click.pass_context
def show_command(
    ctx: click.Context,
    /,
    file: str,
    per_query: bool,
    no_summary: bool,
    **choices: Any,
) -> None:
    """Show a result that `irev eval -f json` saved, as `irev eval` would have shown it with the same options.

    Neither judgments nor runs are needed. RESULT.json may be `-`, standard input, and compressed. Values of single
    queries are there when it was saved with -q.
    """
    look = taken(Reporting, choices)
    to = look.to((file,), EVALUATION)
    refuse_idle_summaries(ctx, to.style, per_query, no_summary)
    refuse_idle_in(ctx, to.style, "sort", "wide", "digits")

    from irev.evaluation import saved
    from irev.output.reports.evaluation import EvaluationReport
    from irev.reading.sources import Source

    with Source(file) as source:
        result = saved.read(source)
    _require(result, per_query, not no_summary, source.name)
    runs = len({outcome.run for outcome in result.outcomes})
    to = to._replace(sort=sort_of(ctx, look.sort, result.requests, runs=runs, per_query=per_query, style=to.style))
    show(EvaluationReport(replace(result, per_query=per_query, summarised=not no_summary)), to)


def _require(result: Result, per_query: bool, summarised: bool, name: str) -> None:
    """Raise `InputError` for values that are wanted and were not saved."""
    from irev.errors import InputError
    from irev.evaluation.saved import require_queries

    if per_query:
        require_queries(result, name)
    if summarised and not result.summarised:
        raise InputError("the values for all queries were not saved", name, "leave them out with -n")
