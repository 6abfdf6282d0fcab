"""``irev curves``: runs by recall, by cutoff and by query, as numbers and as pictures."""

from __future__ import annotations

import os
from collections.abc import Sequence
from contextlib import ExitStack
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import click

from irev.base.records import dataclass
from irev.base.text import decoded
from irev.doors.cli.evaluating import evaluate_runs, files_of, note_runs, settings_of
from irev.doors.cli.help import Command
from irev.doors.cli.idle import refuse_idle, refuse_idle_in, refuse_idle_scales
from irev.doors.cli.options import (
    COMPARING,
    EVERY_QUERY,
    READING,
    REPORTING,
    RUNNING,
    Reporting,
    Running,
    inputs_given,
    measure_option,
    options_of,
    pick,
    sets_option,
    settings_options,
)
from irev.doors.cli.output import ending_of, refuse_clashes, show, write
from irev.doors.cli.streams import warn
from irev.evaluation.curves.kinds import (
    AGREEMENT,
    KINDS,
    LOOKED_AT_BY,
    NIST,
    ONE_QUERY,
    RECALL_PRECISION,
    WITH_QUERIES,
)
from irev.output.styles import obeys
from irev.statistics.plan import Plan

if TYPE_CHECKING:
    from irev.analysis.curves import Wanted
    from irev.base.settings import Settings
    from irev.evaluation.curves.curve import Curves
    from irev.output.reports.curves import HowMade


class CutoffList(click.ParamType[tuple[int, ...]]):
    """Ranks, ``1,5,10``, which stand in their order, each once."""

    name = "cutoffs"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> tuple[int, ...]:
        if isinstance(value, tuple):
            return value
        from irev.errors import UsageError
        from irev.measures.parameters import Cutoffs

        try:
            return tuple(each.value for each in Cutoffs().parse("--cutoffs", value, warn))
        except UsageError as error:
            self.fail(str(error), param, ctx)


@dataclass(frozen=True)
class OfKind:
    """What options of single kinds say."""

    asked: tuple[str, ...]
    rule: str | None
    cutoffs: tuple[int, ...] | None
    baseline: str | None
    confidence: float
    tie_tolerance: float


@click.command(
    "curves",
    cls=Command,
    short_help="Draw runs by recall, cutoff and query.",
    epilog="irev curves --kind cutoff -m nDCG qrels.txt keyword.run semantic.run",
)
@click.argument("files", metavar="QRELS RUN…", nargs=-1)
@click.option(
    "--kind",
    "curve",
    type=click.Choice([*KINDS]),
    metavar="KIND",
    default=RECALL_PRECISION,
    show_default=True,
    help="What is drawn. " + "; ".join(f"{kind}: {shows}" for kind, shows in KINDS.items()) + ".",
)
@measure_option(
    "A measure. Repeat it for more. Default: AP and nDCG@10; by cutoff nDCG, P and R, named without a cutoff."
)
@click.option(
    "--query", "asked", metavar="ID", multiple=True, help="With --kind query: this query. Repeat it for more."
)
@click.option(
    "--rule",
    type=click.Choice([NIST]),
    help="With --kind recall-precision: nist reaches a point where recall is at least that; trec_eval rounds.",
)
@click.option("--cutoffs", metavar="K,…", type=CutoffList(), help="By cutoff: these, instead of some up to 1000.")
@click.option("--baseline", metavar="NAME", help="The run that the others are held against. Default: the first.")
@sets_option("With --kind agreement: judgments, once for each set.")
@click.option("-q", "--per-query", is_flag=True, help="Show every query, or point, where people read.")
@click.option(
    "--plot",
    metavar="FILE",
    help="Also draw the curves, as .svg, .png, .pdf or .html (with matplotlib), or as .txt.",
)
@settings_options(options_of(Plan, "confidence", "tie_tolerance"), RUNNING, REPORTING, EVERY_QUERY, COMPARING, READING)
@click.help_option("-h", "--help")
@click.pass_context
def curves_command(
    ctx: click.Context,
    /,
    files: tuple[str, ...],
    curve: str,
    measures: tuple[str, ...],
    sets: tuple[tuple[str, str], ...],
    per_query: bool,
    plot: str | None,
    **choices: Any,
) -> None:
    """Draw runs, and print the numbers that are drawn, which are those of `irev eval`.

    Averages are over queries, and over the same ones for all runs: every judged query counts, one that a run lacks as
    0. On a terminal the figure is made of letters; --plot makes a picture.
    """
    of_kind, running, look = pick(OfKind, choices), pick(Running, choices), pick(Reporting, choices)
    settings, listed = settings_of(choices, ctx)
    if settings.ties == "average" and curve in (ONE_QUERY, RECALL_PRECISION):
        raise click.UsageError("documents in ties have no rank of their own under --ties average; choose another", ctx)
    if settings.queries == "run":
        raise click.UsageError("--queries run has other queries for each run; curves are over the same ones", ctx)
    inputs = inputs_given(ctx, (*files, *listed, *(path for _, path in sets)))
    refuse_clashes(look.output, inputs, {"--plot": plot})
    to = look.to(inputs)
    if plot is not None:
        from irev.output.figures import require_drawable

        require_drawable(ending_of(plot))
    refuse_idle_in(ctx, to.style, "digits")
    _refuse_idle_of(ctx, curve)
    if not obeys(to.style, "details"):
        refuse_idle(ctx, f"-f {to.style} has every point anyway", "per_query")

    from irev.analysis.curves import Wanted
    from irev.output.reports.curves import CurvesReport

    plan = Plan(confidence=of_kind.confidence, tie_tolerance=of_kind.tie_tolerance)
    wanted = Wanted(curve, measures, of_kind.rule, of_kind.cutoffs or (), plan=plan)
    if curve == ONE_QUERY:
        charts, made = _of_queries(ctx, files, of_kind.asked, settings, running)
    else:
        charts, made = _of_runs(ctx, files, sets, wanted, of_kind.baseline, settings, running)
    report = CurvesReport(charts, made, per_query)
    if plot is not None:
        from irev.output.figures import figure_of_curves

        write(figure_of_curves(charts, ending_of(plot), made.caption, report.title), plot, inputs)
    show(report, to)


def _refuse_idle_of(ctx: click.Context, kind: str) -> None:
    """Refuse what a kind does not look at."""
    only = {**LOOKED_AT_BY, "asked": LOOKED_AT_BY["query"], "per_query": WITH_QUERIES, "sets": (AGREEMENT,)}
    for name, kinds in only.items():
        if kind not in kinds:
            refuse_idle(ctx, f"it is for --kind {', '.join(kinds)}", name)


def _of_runs(
    ctx: click.Context,
    files: tuple[str, ...],
    sets: tuple[tuple[str, str], ...],
    wanted: Wanted,
    baseline: str | None,
    settings: Settings,
    running: Running,
) -> tuple[Sequence[Curves], HowMade]:
    """The pictures that evaluations make."""
    from irev.analysis.comparison.systems import place_of
    from irev.analysis.curves import curves_of, requests_of, require_runs, same_queries
    from irev.doors.cli.notes import note_not_common
    from irev.evaluation.scores import suited
    from irev.output.reports.curves import HowMade, policy_of

    sets, paths = files_of(files, sets, ctx)
    require_runs(wanted.kind, len(paths))
    requests = requests_of(wanted, settings, warn)
    settings = suited(settings, requests, warn)
    refuse_idle_scales(ctx, requests)
    evaluated = evaluate_runs(sets, paths, requests, settings, running, digest=True, each_query=True)
    note_runs(evaluated, [name for name, _ in sets], settings, running.all_warnings)
    outcomes, left_out = same_queries(evaluated.outcomes)
    note_not_common(left_out)
    names = tuple(dict.fromkeys(outcome.run for outcome in outcomes))
    if baseline is not None:
        wanted = replace(wanted, baseline=place_of(baseline, names, paths))
    made = HowMade(settings, policy_of(settings, len(paths)), outcomes[0].scores.considered, evaluated.inputs)
    return curves_of(wanted, outcomes, settings), made


def _of_queries(
    ctx: click.Context, files: tuple[str, ...], asked: tuple[str, ...], settings: Settings, running: Running
) -> tuple[Sequence[Curves], HowMade]:
    """The pictures of single queries, which rankings make."""
    from irev.analysis.single_queries import require_judged
    from irev.doors.cli.notes import note_judgments, note_left_out, note_reading
    from irev.evaluation.curves.of_one_query import of_one_query
    from irev.evaluation.result import Input
    from irev.evaluation.run_names import names_of
    from irev.output.reports.curves import HowMade
    from irev.ranking import ranking
    from irev.reading import qrels
    from irev.reading.sources import Source

    refuse_idle_scales(ctx, ())
    if not asked:
        raise click.UsageError("expected --query ID, the query to draw", ctx)
    ((_, path),), paths = files_of(files, (), ctx)
    chosen = tuple(dict.fromkeys(map(os.fsencode, asked)))
    with ExitStack() as opened:
        source = opened.enter_context(Source(path, digest=True))
        judgments = qrels.read(source, settings)
        inputs = [Input("qrels", source.name, *source.digest())]
        require_judged(chosen, judgments)
        note_judgments(judgments, settings)
        every = settings.of_every_query(tuple(judgments.queries))
        found, tags = [], []
        for each in paths:
            with Source(each, digest=True) as source:
                ranked, reading, left_out = ranking.rank(judgments, source, every)
                inputs.append(Input("run", source.name, *source.digest()))
                note_reading(reading, source.name)
                note_left_out(left_out, settings, source.name)
            found.append(ranked)
            tags.append(decoded(reading.tag))
    names = names_of(paths, tags, running.names_given, warn)
    runs = dict(zip(names, found, strict=True))
    return [of_one_query(runs, query) for query in chosen], HowMade(settings, "each by itself", len(chosen), inputs)
