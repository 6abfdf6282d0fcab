"""``irev eval``: options to settings and requests, the calls of the pipeline, and notes on what was left out."""

from __future__ import annotations

import os
import re
import sys
from typing import TYPE_CHECKING, Any

import click

from irev import __version__
from irev.errors import shown
from irev.settings import CURRENT, VERSIONS, Settings

if TYPE_CHECKING:
    from irev.ranking import LeftOut
    from irev.reading.runs import Reading

_NAMED = 5
"""How many queries a note names before it only counts."""


class WholeNumber(click.ParamType[int]):
    """A whole number in decimal digits; unlike C, nothing else is read as one."""

    name = "integer"

    def __init__(self, least: int) -> None:
        self.least = least

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> int:
        if isinstance(value, int):
            return value
        if not re.fullmatch(r"\s*[+-]?[0-9]+\s*", value, re.ASCII):
            self.fail(f"'{value}' is not a whole number", param, ctx)
        if len(value.strip()) > 18:
            self.fail(f"{value} is too large", param, ctx)
        if int(value) < self.least:
            self.fail(f"{value} is below {self.least}", param, ctx)
        return int(value)


def _refused(sentence: str, allowed: str | None = None) -> Any:
    """Callback of an option of trec_eval that is not served: refuse it with a sentence rather than ignore it."""

    def callback(ctx: click.Context, param: click.Parameter, value: str | None) -> None:
        if value is not None and value != allowed:
            raise click.UsageError(f"{param.opts[0]} {value}: {sentence}", ctx)

    return callback


def _debug(ctx: click.Context, param: click.Parameter, value: str | None) -> bytes | None:
    """``-D 0`` means nothing, ``-D 0.QID`` evaluates that query alone, and debug output is not served."""
    if value is None:
        return None
    level, _, query = value.partition(".")
    if level != "0":
        raise click.UsageError(f"-D {value}: there is no debug output; -D 0.QUERY evaluates that query alone", ctx)
    return os.fsencode(query) if query else None


@click.command("eval", short_help="Score a run against relevance judgments.")
@click.argument("files", metavar="QRELS RUN", nargs=-1)
@click.option("-q", "--per-query", "--query_eval_wanted", is_flag=True, help="Print the values of each query too.")
@click.option("-n", "--no-summary", "--nosummary", is_flag=True, help="Leave out the lines for all queries.")
@click.option(
    "-c",
    "--complete",
    "--complete_rel_info_wanted",
    is_flag=True,
    help="Average over all judged queries; one that the run lacks has found nothing.",
)
@click.option(
    "-l",
    "--level",
    "--level_for_rel",
    metavar="GRADE",
    type=WholeNumber(0),
    default=1,
    show_default=True,
    help="Lowest grade that counts as relevant.",
)
@click.option(
    "-M",
    "--depth",
    "--Max_retrieved_per_topic",
    metavar="N",
    type=WholeNumber(0),
    help="Keep the first N documents of each ranking.",
)
@click.option(
    "-J",
    "--judged-only",
    "--Judged_docs_only",
    is_flag=True,
    help="Then drop documents without a grade of 0 or more, and close the ranks.",
)
@click.option(
    "-N",
    "--collection-size",
    "--Number_docs_in_coll",
    metavar="N",
    type=WholeNumber(0),
    default=0,
    help="Documents in the collection; only 'utility' needs it.",
)
@click.option(
    "-m",
    "--measure",
    "measures",
    metavar="NAME",
    multiple=True,
    help="A measure (map), with parameters (P.5,10), a printed label (P_10) or a set (official, set, all_trec)."
    " Repeat it for more. Default: official.",
)
@click.option(
    "-f",
    "--format",
    "style",
    type=click.Choice(["trec", "table"]),
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
@click.option(
    "--compat",
    type=click.Choice(VERSIONS),
    default=CURRENT,
    show_default=True,
    help="The version of trec_eval whose numbers are wanted.",
)
@click.option(
    "-R",
    "--Rel_info_format",
    metavar="NAME",
    expose_value=False,
    callback=_refused("judgments are read in the format qrels only", "qrels"),
    help="Format of the judgments: qrels.",
)
@click.option(
    "-T",
    "--Results_format",
    metavar="NAME",
    expose_value=False,
    callback=_refused("runs are read in the format trec_results only", "trec_results"),
    help="Format of the run: trec_results.",
)
@click.option(
    "-Z",
    "--Zscore",
    metavar="FILE",
    expose_value=False,
    callback=_refused("z-scores are not supported"),
    hidden=True,
)
@click.option("-D", "--Debug_level", "only", metavar="0.QUERY", callback=_debug, help="Evaluate this query alone.")
@click.version_option(__version__, "-v", "--version", message="irev %(version)s", help="Show the version and exit.")
@click.help_option("-h", "--help")
@click.pass_context
def eval_command(
    ctx: click.Context,
    files: tuple[str, ...],
    per_query: bool,
    no_summary: bool,
    complete: bool,
    level: int,
    depth: int | None,
    judged_only: bool,
    collection_size: int,
    measures: tuple[str, ...],
    style: str,
    output: str | None,
    compat: str,
    only: bytes | None,
) -> None:
    """Score the results in RUN against the relevance judgments in QRELS.

    QRELS has lines `query 0 document grade`, RUN has lines `query Q0 document rank score tag`. One of the two may be
    `-`, standard input; gzip is recognised by content.
    """
    if len(files) != 2:
        raise click.UsageError(f"expected two files, QRELS and RUN, but got {len(files)}", ctx)
    if files[0] == files[1] == "-":
        raise click.UsageError("only one of QRELS and RUN can be standard input", ctx)
    settings = Settings(
        level=level,
        depth=depth,
        judged_only=judged_only,
        complete=complete,
        collection_size=collection_size,
        compat=compat,
        only=only,
    )

    from irev import measures as catalogue
    from irev import ranking
    from irev.aggregation import summarise
    from irev.evaluation import evaluate
    from irev.reading import qrels
    from irev.rendering import render
    from irev.result import Result, Screen
    from irev.sources import Source

    requests = catalogue.parse(measures, compat, warn=_warn)
    with Source(files[0]) as judged, Source(files[1]) as retrieved:
        judgments = qrels.read(judged, compat)
        ranked, reading, left_out = ranking.rank(judgments, retrieved, settings)
    scores = evaluate(ranked, requests)
    result = Result(scores, summarise(scores), per_query, not no_summary)
    rendered = render(style, result, Screen() if style == "trec" else _screen(output))

    _note(left_out, reading, settings, retrieved.name)
    from irev.cli.output import write

    write(rendered, output, files)


def _screen(output: str | None) -> Any:
    import shutil

    from irev.result import Screen

    terminal = output is None and sys.stdout.isatty()
    return Screen(shutil.get_terminal_size().columns, terminal and not os.environ.get("NO_COLOR"))


def _warn(message: str) -> None:
    click.echo(f"irev: warning: {message}", err=True)


def _note(left_out: LeftOut, reading: Reading, settings: Settings, run: str) -> None:
    """Say on standard error what the numbers do not show."""
    if left_out.not_retrieved and settings.only is None:
        consequence = "counted as finding nothing" if settings.complete else "left out (-c counts them)"
        _warn(
            _listed(
                left_out.not_retrieved,
                "judged query has no results",
                "judged queries have no results",
                consequence,
                run,
            )
        )
    if left_out.not_judged and settings.only is None:
        _warn(_listed(left_out.not_judged, "query has no judgments", "queries have no judgments", "left out", run))
    if reading.other_tag:
        differ = f"run ids differ, among them {shown(reading.other_tag)}"
        _warn(f"{run}: {differ}; runid is that of the last row, {shown(reading.tag)}")
    if reading.shifted is not None:
        _warn(f"{run}:{reading.shifted}: more than 6 fields, and the rank is no number; has an id a blank in it?")


def _listed(queries: list[bytes], one: str, several: str, consequence: str, run: str) -> str:
    named = ", ".join(shown(query)[1:-1] for query in queries[:_NAMED])
    more = f" and {len(queries) - _NAMED} more" if len(queries) > _NAMED else ""
    return f"{run}: {len(queries)} {one if len(queries) == 1 else several}: {named}{more}; {consequence}"
