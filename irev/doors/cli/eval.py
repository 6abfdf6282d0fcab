"""``irev eval``: options to settings and requests, the calls of the pipeline, and notes on what was left out."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

import click

from irev import __version__
from irev.doors.cli.evaluating import evaluate_runs, files_of, note_runs, settings_of
from irev.doors.cli.help import ABOUT, Command, Headed
from irev.doors.cli.idle import refuse_idle_in, refuse_idle_scales, refuse_idle_summaries
from irev.doors.cli.notes import note_ties
from irev.doors.cli.options import (
    ELSEWHERE,
    EVALUATING,
    READING,
    RUNNING,
    SHOWING,
    WHICH_QUERIES,
    Aggregates,
    Reporting,
    Running,
    inputs_given,
    measure_option,
    pick,
    sets_option,
    settings_options,
)
from irev.doors.cli.output import Output, refuse_clashes, show
from irev.doors.cli.sorting import against_best, refuse_idle_significance, sort_of
from irev.doors.cli.streams import warn
from irev.output.styles import EVALUATION, TABLE, TREC, needs_inputs, obeys

if TYPE_CHECKING:
    from irev.evaluation.result import Outcome
    from irev.reading.zscores import ZScores


@click.command(
    "eval",
    cls=Command,
    short_help="Score runs against relevance judgments.",
    epilog="irev eval -f table -m nDCG@10,AP qrels.txt keyword.run semantic.run",
)
@click.argument("files", metavar="QRELS RUN…", nargs=-1)
@measure_option(
    "A measure (map, nDCG@10), with parameters (P.5,10), a printed label (P_10) or a set (official, set,"
    " all_trec); `irev measures` lists them. Repeat it for more. Default: official."
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
@click.option("-q", "--per-query", "--query_eval_wanted", is_flag=True, help="Print the values of each query too.")
@click.option(
    "--per-query-to",
    metavar="FILE",
    help="Write the values of each query to FILE, as its ending asks for, whatever else is shown.",
)
@click.option("-n", "--no-summary", "--nosummary", is_flag=True, help="Leave out the lines for all queries.")
@sets_option("Evaluate every run under these judgments, side by side; once for each set.")
@click.option(
    "--groups", metavar="FILE", help="Groups of queries, `query TAB group` or JSON: numbers for each of them too."
)
@click.option(
    "--significance",
    is_flag=True,
    help="With a table of runs that --sort orders: which of them are not shown to differ from the best.",
)
@click.option(
    "-Z",
    "--zscore",
    "--Zscore",
    metavar="FILE",
    help="Print z-scores, (value - mean) / deviation, with the `query measure mean deviation` of FILE, in -f trec.",
)
@settings_options(RUNNING, ELSEWHERE, SHOWING, WHICH_QUERIES, EVALUATING, READING)
@click.version_option(
    __version__,
    "-v",
    "--version",
    message="irev %(version)s",
    help="Show the version and exit.",
    cls=Headed,
    heading=ABOUT,
)
@click.pass_context
def eval_command(
    ctx: click.Context,
    /,
    files: tuple[str, ...],
    measures: tuple[str, ...],
    aggregates: tuple[str, ...],
    bounds: bool,
    per_query: bool,
    per_query_to: str | None,
    no_summary: bool,
    sets: tuple[tuple[str, str], ...],
    groups: str | None,
    significance: bool,
    zscore: str | None,
    **choices: Any,
) -> None:
    """Score the results in every RUN against the relevance judgments in QRELS.

    QRELS has lines `query 0 document grade`, RUN has lines `query Q0 document rank score tag`. One of the files may be
    `-`, standard input; compression is recognised by content. `@FILE` stands for the runs that FILE lists.
    """
    running, look = pick(Running, choices), pick(Reporting, choices)
    lists = [path for path in files if path.startswith("@")]
    sets, runs = files_of(files, sets, ctx)
    settings, listed = settings_of(choices, ctx)
    inputs = inputs_given(ctx, (*(path for _, path in sets), *runs, *lists, *listed, groups, zscore))
    to = look.to(inputs, EVALUATION)
    of_queries = None if per_query_to is None else _of_queries(look, per_query_to, inputs)
    for style in (to.style, *(() if of_queries is None else (of_queries.style,))):
        if zscore is not None and style != TREC:
            fact = f"-Z {zscore}: z-scores are printed in trec_eval's lines, and not by -f {style}"
            raise click.UsageError(fact, ctx)
    refuse_idle_summaries(ctx, to.style, per_query, no_summary)
    idle = [name for name in ("wide", "digits") if of_queries is None or not obeys(of_queries.style, name)]
    refuse_idle_in(ctx, to.style, "sort", *idle)

    from irev import measures as catalogue
    from irev.base.text import counted
    from irev.doors.cli import progress
    from irev.evaluation.result import Result
    from irev.evaluation.scores import suited
    from irev.output.reports.evaluation import EvaluationReport

    requests = catalogue.parse(measures, settings.compat, warn, aggregates, bounds)
    settings = suited(settings, requests, warn)
    refuse_idle_scales(ctx, requests)
    to = to._replace(sort=sort_of(ctx, look.sort, requests, runs=len(runs), per_query=per_query, style=to.style))
    refuse_idle_significance(ctx, to.sort, runs=len(runs), sets=len(sets), per_query=per_query)
    digest = needs_inputs(to.style) or (of_queries is not None and needs_inputs(of_queries.style))
    known_zscores = _zscores_of(zscore)
    each = per_query or significance or known_zscores is not None or of_queries is not None
    evaluated = evaluate_runs(sets, runs, requests, settings, running, digest=digest, groups=groups, per_query=each)
    outcomes = evaluated.outcomes
    if known_zscores is not None:
        outcomes = _in_zscores(outcomes, known_zscores)
    result = Result(
        outcomes,
        settings,
        settings.policy,
        evaluated.inputs,
        per_query,
        summarised=not no_summary,
        zscores=known_zscores is not None,
    )
    note_runs(evaluated, [name for name, _ in sets], settings, running.all_warnings)
    if to.style == TABLE:
        note_ties(evaluated.outcomes, settings, running.all_warnings)
    with progress.working(f"comparing {counted(len(runs), 'run')}", running.quiet or not significance):
        known = against_best(result, to.sort) if significance else None
    if of_queries is not None:
        show(EvaluationReport(replace(result, per_query=True, summarised=False)), of_queries)
    show(EvaluationReport(result, known), to)


def _of_queries(look: Reporting, path: str, inputs: tuple[str, ...]) -> Output:
    """Where the values of queries go, and how."""
    refuse_clashes(look.output, inputs, {"--per-query-to": path})
    return replace(look, style=None, output=path, sort=None).to(inputs, EVALUATION)


def _zscores_of(path: str | None) -> ZScores | None:
    """The means and deviations that a file has, where one is given."""
    if path is None:
        return None
    from irev.reading.sources import Source
    from irev.reading.zscores import read_zscores

    with Source(path) as source:
        return read_zscores(source)


def _in_zscores(outcomes: tuple[Outcome, ...], known: ZScores) -> tuple[Outcome, ...]:
    """The outcomes in z-scores, with a warning for measures that the file has nothing of."""
    from irev.evaluation.zscores import missing, standardised

    lacking = ", ".join(missing(outcomes[0], known))
    if lacking:
        warn(f"{known.name} has no means of {lacking}, which no line for a query shows: 0.0000 says nothing of it")
    return tuple(standardised(outcome, known) for outcome in outcomes)
