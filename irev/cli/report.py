"""``irev report``: one page that anyone can open, with runs, topics, rankings and how it was made."""

from __future__ import annotations

import os
import shlex
from collections.abc import Sequence
from dataclasses import dataclass, fields, replace
from typing import TYPE_CHECKING, Any, NamedTuple

import click

from irev.base.settings import Settings
from irev.base.text import encoded
from irev.cli.evaluating import evaluate_runs, files_of, note_runs, settings_of
from irev.cli.help import Command
from irev.cli.idle import refuse_idle, refuse_idle_gains
from irev.cli.notes import note_ties
from irev.cli.options import (
    EVERY_QUERY,
    MEASURING,
    READING,
    RUNNING,
    TEXTS,
    Digits,
    Excerpted,
    Running,
    WholeNumber,
    inputs_given,
    measure_option,
    settings_options,
    taken,
)
from irev.cli.output import refuse_clashes, write
from irev.cli.streams import warn, warnings_heard
from irev.cli.testing_options import AGAINST, TESTING, Against, plan_of, refuse_evaluating, refuse_idle_tests
from irev.errors import InputError, UsageError, printable
from irev.statistics.plan import Plan

if TYPE_CHECKING:
    from irev.analysis.side_by_side import SideBySide
    from irev.base.segments import Ints
    from irev.evaluation.curves.curve import Curves
    from irev.evaluation.files import Runs
    from irev.evaluation.result import Outcome, Result
    from irev.measures import Request
    from irev.output.pages.report import Differing, ReportPage
    from irev.output.reports.comparison.report import ComparisonReport
    from irev.reading.qrels import Judgments

DEFAULT_MEASURES = ("nDCG@10", "AP", "RR", "R@100")
"""What a page shows unless asked otherwise; topics are ordered by the first."""

LARGE = 5_000_000
"""Bytes of a page above which there is a word on that."""

CUTOFFS = (1, 2, 3, 5, 10, 20, 50, 100, 200, 500, 1000)
"""Where curves by cutoff have their points."""

MOST = 36
"""Documents that differences are due to, of all runs together."""


class TypedCommand(Command):
    """A command that knows what was typed: the object of its context."""

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        ctx.obj = tuple(args)
        return super().parse_args(ctx, args)


SHOWING = (
    click.option(
        "--from", "saved", metavar="RESULT", help="Write about a saved result, which has values and no rankings."
    ),
    click.option("-o", "--output", metavar="FILE", help="Write to FILE instead of standard output."),
    click.option(
        *("-n", "--top", "--depth", "top"),
        metavar="N",
        type=WholeNumber(1),
        default=10,
        show_default=True,
        help="Show the first N documents of each ranking.",
    ),
    click.option(
        "--digits",
        type=Digits(),
        metavar="N",
        default=4,
        show_default=True,
        help="Digits behind the point, or `exact`: as many as it takes.",
    ),
)
"""What is written, and where. ``--depth``, which elsewhere cuts rankings, is how many documents are shown."""


@dataclass(frozen=True)
class Showing:
    """What the options of `SHOWING`, and of `TEXTS`, say."""

    saved: str | None
    output: str | None
    top: int
    digits: int
    titles: str | None
    documents: str | None


CUT = click.option(
    *("-M", "--Max_retrieved_per_topic", "depth"),
    metavar="N",
    type=WholeNumber(0),
    help="Evaluate no more than the first N documents of each ranking.",
)


@click.command(
    "report",
    cls=TypedCommand,
    short_help="Write a page about runs that anyone can open.",
    epilog="irev report -o report.html qrels.txt keyword.run semantic.run",
)
@click.argument("files", metavar="QRELS RUN…", nargs=-1)
@measure_option(f"A measure; topics are ordered by the first. Default: {', '.join(DEFAULT_MEASURES)}.")
@settings_options(SHOWING, TEXTS, AGAINST, TESTING, RUNNING, EVERY_QUERY, (MEASURING[0], CUT, *MEASURING[2:]), READING)
@click.help_option("-h", "--help")
@click.pass_context
def report_command(ctx: click.Context, /, files: tuple[str, ...], measures: tuple[str, ...], **choices: Any) -> None:
    """Write one page of HTML about RUNs: numbers and their significance, every topic, and the documents behind it.

    The page needs no network, no server and no other file. Every judged query counts, one that a run lacks as 0. The
    first RUN, or --baseline, is held against each of the others.
    """
    against, running, showing = taken(Against, choices), taken(Running, choices), taken(Showing, choices)
    plan = plan_of(choices)
    against.require_one(ctx)
    settings, listed = settings_of(choices, ctx)
    inputs = inputs_given(ctx, (*files, *listed, showing.titles, showing.documents, showing.saved))
    refuse_clashes(showing.output, inputs)

    from irev.analysis.comparison.contrasts import require_suitable

    require_suitable(plan, against.all_pairs)
    refuse_idle_tests(ctx, plan, against)
    with warnings_heard() as warnings:
        if showing.saved is not None:
            page = _of_saved(ctx, files, measures, showing, against, plan)
        else:
            page = _of_runs(_OfRuns(ctx, files, measures, showing, settings, running), against, plan)
    command = printable(encoded(shlex.join(["irev", "report", *ctx.obj])))
    written = replace(page, warnings=warnings, command=command, versions=_versions()).written()
    if len(written) > LARGE:
        without = " without the texts of documents," if showing.documents else ""
        remedy = f"show fewer documents of each topic (-n),{without} or fewer runs"
        warn(f"the page has {len(written) / 1e6:.1f} MB, which browsers are slow to open; {remedy}")
    write(written, showing.output, inputs, safe=True)


class _OfRuns(NamedTuple):
    """What is asked for about runs."""

    ctx: click.Context
    files: tuple[str, ...]
    measures: tuple[str, ...]
    showing: Showing
    settings: Settings
    running: Running


def _of_runs(asked: _OfRuns, against: Against, plan: Plan) -> ReportPage:
    """The page about runs that are evaluated."""
    ctx, files, measures, showing, settings, running = asked
    sets, runs = files_of(files, (), ctx)
    refuse_clashes(showing.output, runs)
    _require_files(runs)
    _refuse_alone(ctx, len(runs))

    from irev.analysis.explain import requests_of
    from irev.analysis.side_by_side import require_ranks
    from irev.evaluation.curves import by_cutoff, recall_precision
    from irev.evaluation.curves.same_queries import on_same_queries
    from irev.evaluation.result import Result
    from irev.evaluation.shown import ToShow
    from irev.measures import parse
    from irev.output.pages.report import ReportPage

    if settings.queries == "run":
        raise click.UsageError("rankings beside each other are of the same queries: not --queries run", ctx)
    requests = requests_of(measures or DEFAULT_MEASURES, settings.compat, warn)
    refuse_idle_gains(ctx, requests)
    require_ranks(requests, settings)
    (coverage,) = parse([f"Judged@{showing.top}"])
    every = tuple(dict.fromkeys((*requests, coverage)))
    show = ToShow(showing.top, (*recall_precision.requests(), *by_cutoff.requests(cutoffs=CUTOFFS)))
    evaluated = evaluate_runs(sets, runs, every, settings, running, digest=True, each_query=True, show=show)
    note_runs(evaluated, [name for name, _ in sets], settings, running.all_warnings)
    note_ties(evaluated.outcomes, settings, running.all_warnings)
    outcomes, _ = on_same_queries(evaluated.outcomes)
    result = Result(outcomes, settings, settings.policy, evaluated.inputs)
    comparison, first = _comparison(ctx, result, requests, runs, against, plan)
    side = _side_by_side(evaluated, runs, requests, settings, running, showing.top)
    texts = Excerpted(showing.titles, showing.documents, None, False)
    shown = texts.of(side.queries, lambda _: {*side.documents}, settings.allow_large)
    differing = _differing(evaluated, outcomes, every.index(requests[0]), first)
    return ReportPage(
        result,
        requests,
        side,
        comparison,
        evaluated.judgments[0].name,
        coverage,
        curves=_curves(evaluated, outcomes, settings),
        differing=differing,
        titles=shown.titles,
        documents=shown.documents,
        digits=showing.digits,
    )


def _of_saved(
    ctx: click.Context,
    files: tuple[str, ...],
    measures: tuple[str, ...],
    showing: Showing,
    against: Against,
    plan: Plan,
) -> ReportPage:
    """The page about a result that was saved: its values, without rankings."""
    from irev.analysis.side_by_side import values_alone
    from irev.evaluation import saved
    from irev.evaluation.curves.same_queries import on_same_queries
    from irev.output.pages.report import ReportPage
    from irev.reading.sources import Source

    if files:
        raise click.UsageError("--from is about a saved result, and takes no other files", ctx)
    refuse_evaluating(ctx)
    refuse_idle(ctx, "a saved result has no rankings", "top", "documents", "jobs", "all_warnings", "names_given")
    with Source(showing.saved or "") as source:
        result = saved.read(source)
    saved.require_queries(result, source.name)
    if result.several_qrels:
        raise InputError("results under several judgments", source.name, "save those under one of them")
    _refuse_alone(ctx, len(result.outcomes))
    requests = _saved_requests(result, measures, source.name)
    outcomes, _ = on_same_queries([_only(outcome, requests) for outcome in result.outcomes])
    result = replace(result, outcomes=outcomes)
    comparison, _ = _comparison(ctx, result, requests, (), against, plan)
    side = values_alone(result.outcomes, requests, result.settings.level)
    texts = Excerpted(showing.titles, None, None, False)
    shown = texts.of(side.queries, lambda _: set(), result.settings.allow_large)
    return ReportPage(result, requests, side, comparison, source.name, titles=shown.titles, digits=showing.digits)


def _saved_requests(result: Result, measures: Sequence[str], name: str) -> tuple[Request, ...]:
    """The measures of a saved result that are asked for, all of them unless any is."""
    from irev.analysis.explain import requests_of

    there = tuple(each for each in result.requests if each.measure.numeric and each == each.base)
    if not there:
        raise InputError("no measure has numbers for single queries", name)
    asked = requests_of(measures, result.settings.compat, warn) if measures else there
    for request in asked:
        if request not in there:
            known = ", ".join(each.standard for each in there[:9])
            raise UsageError(f"{request.standard} was not saved", name, f"there are {known}")
    return asked


def _only(outcome: Outcome, requests: Sequence[Request]) -> Outcome:
    """A saved outcome with these measures alone, of which it has the values of single queries."""
    from irev.evaluation.summary import Summary

    places = [[column.request for column in outcome.scores.columns].index(request) for request in requests]
    scores = replace(outcome.scores, columns=tuple(outcome.scores.columns[place] for place in places))
    return replace(outcome, scores=scores, summary=Summary(tuple(outcome.summary.values[place] for place in places)))


def _refuse_alone(ctx: click.Context, runs: int) -> None:
    """Refuse options of comparisons where there is one run."""
    if runs == 1:
        names = [each.name for each in fields(Plan)]
        refuse_idle(ctx, "there is one run, and nothing to compare it with", "baseline", "all_pairs", *names)


def _require_files(runs: Sequence[str]) -> None:
    """Raise `InputError` for a run that cannot be read twice: once for its numbers, once for ranks of documents."""
    for path in runs:
        if path == "-" or (os.path.exists(path) and not os.path.isfile(path) and not os.path.isdir(path)):
            name = "<stdin>" if path == "-" else path
            raise InputError("a run is read twice, and this is no file", name, "write it to a file first")


def _comparison(
    ctx: click.Context,
    result: Result,
    requests: Sequence[Request],
    files: Sequence[str],
    against: Against,
    plan: Plan,
) -> tuple[ComparisonReport | None, int]:
    """How the runs differ, where there are several; and which of them the others are held against."""
    if len(result.outcomes) == 1:
        return None, 0
    from irev.analysis.comparison.alignment import align
    from irev.analysis.comparison.contrasts import compare
    from irev.analysis.comparison.systems import of_outcome, quantity_of
    from irev.output.reports.comparison.report import ComparisonReport

    systems = [of_outcome(outcome) for outcome in result.outcomes]
    aligned = align(systems, tuple(dict.fromkeys(map(quantity_of, requests))), both=True)
    first = against.first(aligned, files, ctx)
    return ComparisonReport(compare(aligned, first, plan), result.policy), first or 0


def _side_by_side(
    evaluated: Runs,
    runs: Sequence[str],
    requests: Sequence[Request],
    settings: Settings,
    running: Running,
    top: int,
) -> SideBySide:
    from irev.analysis.side_by_side import side_by_side
    from irev.cli import progress
    from irev.evaluation.batch import Batch, processes
    from irev.evaluation.shown import Located

    def locate(judgments: Judgments) -> list[Ints]:
        batch = Batch(Located(judgments, settings), runs, processes(runs, running.jobs))
        with progress.shown(batch, runs, running.quiet):
            return list(batch.results())

    shown = [each.shown for each in evaluated.evaluated if each.shown is not None]
    return side_by_side(evaluated.outcomes, shown, requests, evaluated.judgments[0], settings.level, top, locate)


def _curves(evaluated: Runs, outcomes: Sequence[Outcome], settings: Settings) -> tuple[Curves, ...]:
    """The curves of averages; none where runs had other queries than those that all have."""
    from irev.evaluation.curves import by_cutoff, recall_precision

    if any(one is not other for one, other in zip(outcomes, evaluated.outcomes, strict=True)):
        return ()
    shown = [each.shown for each in evaluated.evaluated if each.shown is not None]
    made = [
        replace(outcome, scores=each.scores, summary=each.summary)
        for outcome, each in zip(outcomes, shown, strict=True)
    ]
    return (
        recall_precision.recall_precision(made, settings),
        by_cutoff.against_each_other(made),
        *by_cutoff.by_cutoff(made),
    )


def _differing(evaluated: Runs, outcomes: Sequence[Outcome], number: int, first: int) -> list[Differing]:
    """The documents that the differences to the baseline are due to."""
    from irev.analysis.responsible import responsible
    from irev.output.pages.report import Differing

    shown = [each.shown for each in evaluated.evaluated if each.shown is not None]
    others = [place for place in range(len(shown)) if place != first]
    most = max(MOST // max(len(others), 4), 2)
    queries = outcomes[0].scores.queries
    return [
        Differing(
            outcomes[first].run,
            outcomes[place].run,
            responsible(shown[first], shown[place], number, evaluated.judgments[0], queries, most),
        )
        for place in others
    ]


def _versions() -> dict[str, str]:
    """The programs that numbers depend on."""
    import platform
    from importlib.metadata import version

    from irev import __version__

    of_packages = {name: version(name) for name in ("numpy", "scipy")}
    return {"irev": __version__, "Python": platform.python_version(), **of_packages}
