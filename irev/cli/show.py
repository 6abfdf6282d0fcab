"""``irev show``: a result that was saved as JSON, in any of the other styles."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import click

from irev.base.errors import InputError, message
from irev.base.exit import DONE, FAILED
from irev.base.text import and_more, counted, decoded
from irev.base.version import __version__
from irev.cli.help import Command
from irev.cli.options import GROUPS, Reporting, pick, refuse_idle
from irev.cli.output import reporting_to, show
from irev.cli.streams import warn
from irev.commands import question
from irev.commands.eval.finding import sort_of
from irev.evaluation import saved
from irev.evaluation.rerun import made_again
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
@click.option(
    "--rerun",
    is_flag=True,
    help="Compute the result again from its files and settings, and show what differs. Exit status 0: "
    "nothing, 1: files or numbers.",
)
@click.pass_context
def show_command(
    ctx: click.Context,
    /,
    file: str,
    per_query: bool,
    no_summary: bool,
    rerun: bool,
    **choices: Any,
) -> int:
    """Show a result that `irev eval -f json` saved, as `irev eval` would have shown it with the same options.

    Neither judgments nor runs are needed. RESULT.json may be `-`, standard input, and compressed. Values of single
    queries are there when it was saved with -q.
    """
    if rerun:
        refuse_idle(ctx, "--rerun only shows what differs", "per_query", "no_summary", *choices)
        return _rerun(file)
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


MOST = 20
"""So many numbers that differ are shown; the others are counted."""


def _rerun(file: str) -> int:
    """Say what differs of a saved result when it is made again."""
    with Source(file) as source:
        result = saved.read(source, warn=warn)
    again = made_again(result, source.name)
    lines = [
        f"{then.role} {then.name}: changed, sha256 {then.sha256} then, {now.sha256} now" for then, now in again.changed
    ]
    if again.version != __version__:
        lines.append(f"irev {again.version} then, {__version__} now")
    for number in again.different[:MOST]:
        of = " ".join(filter(None, (number.run, f"under {number.qrels}" if number.qrels else "")))
        lines.append(
            f"{of}: {number.label} {decoded(number.about)}: {_value(number.then)} then, {_value(number.now)} now"
        )
    if more := and_more(len(again.different), MOST):
        lines.append(more.strip())
    said = counted(again.numbers, "number"), counted(len(again.files), "file")
    if again.same:
        lines.append(f"the same: {said[0]} of {said[1]}")
    else:
        lines.append(f"different: {len(again.different)} of {said[0]}, {len(again.changed)} of {said[1]}")
    click.echo("\n".join(map(message, lines)))
    return DONE if again.same else FAILED


def _value(value: Any) -> str:
    return (
        "none"
        if value is None
        else value.decode("utf-8", "backslashreplace")
        if isinstance(value, bytes)
        else repr(value)
    )


def _require(result: Result, per_query: bool, summarised: bool, name: str) -> None:
    """Raise `InputError` for values that are wanted and were not saved."""
    if per_query:
        require_queries(result, name)
    if summarised and not result.summarised:
        raise InputError("the values for all queries were not saved", name, "leave them out with -n")
