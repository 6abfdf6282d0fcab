"""``irev show``: a result that was saved as JSON, in any of the other styles."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import click

from irev.base.errors import InputError
from irev.base.exit import DONE
from irev.cli.help import Command
from irev.cli.options import GROUPS, Reporting, pick, refuse_idle, reporting_to, show
from irev.cli.output import warn
from irev.commands import question
from irev.commands.eval.answer import sort_of
from irev.evaluation import saved
from irev.evaluation.result import Result
from irev.evaluation.saved import require_queries
from irev.output.reports.evaluation import EvaluationReport
from irev.output.styles import EVALUATION, TABLE
from irev.reading.sources import Source


@click.command(
    "show",
    cls=Command,
    params=[*GROUPS[question.SHOWING]],
    epilog="irev show -f table results.json",
)
@click.argument("file", metavar="RESULT.json")
@click.option("-q", "--per-query", is_flag=True, help="Show the values of each query too.")
@click.option("-n", "--no-summary", is_flag=True, help="Leave out the values for all queries.")
@click.pass_context
def show_command(
    ctx: click.Context,
    /,
    file: str,
    per_query: bool,
    no_summary: bool,
    **choices: Any,
) -> int:
    """Show a result that `irev eval -f json` saved, as `irev eval` would have shown it with the same options.

    Neither judgments nor runs are needed. RESULT.json may be `-`, standard input, and compressed. Values of single
    queries are there when it was saved with -q.
    """
    look = reporting_to(pick(Reporting, choices), (file,), EVALUATION)
    if no_summary and not per_query and look.style == TABLE:
        refuse_idle(ctx, "without -q nothing else is shown", "no_summary")

    with Source(file) as source:
        result = saved.read(source, warn=warn)
    _require(result, per_query, not no_summary, source.name)
    runs = len({outcome.run for outcome in result.outcomes})
    sort = None
    if look.sort is not None:
        style = look.style or TABLE
        sort = sort_of(look.sort, result.requests, runs=runs, per_query=per_query, style=style)
    found = EvaluationReport(replace(result, per_query=per_query, summarised=not no_summary))
    show(found, look, (file,), sort)
    return DONE


def _require(result: Result, per_query: bool, summarised: bool, name: str) -> None:
    """Raise `InputError` for values that are wanted and were not saved."""
    if per_query:
        require_queries(result, name)
    if summarised and not result.summarised:
        raise InputError("the values for all queries were not saved", name, "leave them out with -n")
