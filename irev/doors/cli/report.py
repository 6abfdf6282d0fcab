"""``irev report``: one page that anyone can open, with runs, topics, rankings and how it was made."""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from dataclasses import fields, replace
from typing import TYPE_CHECKING, Any, NamedTuple

import click

from irev.analysis.comparison.defaults import ALL, BOTH, policy
from irev.base.records import dataclass
from irev.base.settings import Settings
from irev.doors.cli.evaluating import evaluate_runs, files_of, note_runs, settings_of
from irev.doors.cli.help import TypedCommand
from irev.doors.cli.idle import refuse_idle, refuse_idle_scales
from irev.doors.cli.notes import note_filled, note_not_common, note_ties
from irev.doors.cli.options import (
    DIGITS,
    EVERY_QUERY,
    MEASURING,
    OUTPUT,
    READING,
    RUNNING,
    NamedFile,
    Running,
    WholeNumber,
    inputs_given,
    measure_option,
    options_of,
    pick,
    settings_options,
)
from irev.doors.cli.output import refuse_clashes, write
from irev.doors.cli.pages import (
    SHOWN,
    EvaluatedRuns,
    aligned,
    compared,
    disambiguate,
    made_by,
    require_files,
    require_pages,
    require_same_zeros,
    to_show,
)
from irev.doors.cli.question import refuse_idle_choices
from irev.doors.cli.streams import warn, warnings_heard
from irev.doors.cli.systems import refuse_evaluating
from irev.errors import InputError, UsageError
from irev.output.styles import styles
from irev.questions.systems import Contrasts
from irev.questions.texts import Texts
from irev.statistics.plan import Plan

if TYPE_CHECKING:
    from irev.evaluation.result import Outcome, Result
    from irev.measures import Request
    from irev.output.pages.report import ReportPage
    from irev.output.report import Report
    from irev.output.reports.comparison.compact import ComparisonReport

DEFAULT_MEASURES = ("nDCG@10", "AP", "RR", "R@100")
"""What a page shows unless asked otherwise; topics are ordered by the first."""

LARGE = 5_000_000
"""Bytes of a page above which there is a word on that."""

SHOWING = (
    click.option(
        "--sheet",
        is_flag=True,
        help="Instead write TREC's sheet of the first RUN, with its queries against the median of the others; to a FILE"
        " that ends in .pdf as a page of paper.",
    ),
    click.option(
        *("-f", "--format", "style"),
        metavar="STYLE",
        type=click.Choice(styles()),
        help=f"How to write a sheet: {', '.join(styles())}. Default: what the ending of FILE asks for, or table.",
    ),
    click.option(
        "--from", "saved", metavar="RESULT", help="Write about a saved result, which has values and no rankings."
    ),
    OUTPUT,
    click.option(
        "--top",
        metavar="N",
        type=WholeNumber(1),
        default=SHOWN,
        show_default=True,
        help="Show the first N documents of each ranking.",
    ),
    DIGITS,
    click.option(
        "--coverage",
        "covers",
        is_flag=True,
        help="Also say how much of the runs was judged, and how far missing judgments could change scores.",
    ),
    click.option(
        "--judge",
        "others",
        metavar="[NAME=]FILE",
        type=NamedFile(),
        multiple=True,
        help="Also say how far those of QRELS agree with these judgments, as `irev judges` does. Repeat it.",
    ),
)
"""What is written, and where."""


@dataclass(frozen=True)
class Showing:
    """What the options of `SHOWING`, and those of texts, say."""

    sheet: bool
    style: str | None
    saved: str | None
    output: str | None
    top: int
    digits: int
    titles: str | None
    documents: str | None
    covers: bool
    others: tuple[tuple[str, str], ...]


CUT = click.option(
    *("-M", "--Max_retrieved_per_topic", "depth"),
    metavar="N",
    type=WholeNumber(0),
    help="Evaluate no more than the first N documents of each ranking.",
)


@click.command(
    "report",
    cls=TypedCommand,
    short_help="Write a self-contained HTML report about runs.",
    epilog="irev report -o report.html qrels.txt keyword.run semantic.run",
)
@click.argument("files", metavar="QRELS RUN…", nargs=-1)
@measure_option(f"A measure; queries are ordered by the first. Default: {', '.join(DEFAULT_MEASURES)}.")
@settings_options(
    SHOWING,
    options_of(Texts),
    options_of(Contrasts, "baseline", "all_pairs"),
    options_of(Plan),
    RUNNING,
    EVERY_QUERY,
    (MEASURING[0], CUT, *MEASURING[2:]),
    READING,
)
@click.pass_context
def report_command(ctx: click.Context, /, files: tuple[str, ...], measures: tuple[str, ...], **choices: Any) -> None:
    """Write one page of HTML about RUNs: numbers and their significance, every query, and the documents behind it.

    The page needs no network, no server and no other file. Every judged query counts, one that a run lacks as finding
    nothing. The first RUN, or --baseline, is held against each of the others.
    """
    against, running, showing = pick(Contrasts, choices), pick(Running, choices), pick(Showing, choices)
    plan = pick(Plan, choices)
    refuse_idle_choices(ctx, Contrasts, True)
    refuse_idle_choices(ctx, Plan, True)
    settings, listed = settings_of(choices, ctx)
    judges = [path for _, path in showing.others]
    inputs = inputs_given(ctx, (*files, *listed, showing.titles, showing.documents, showing.saved, *judges))
    refuse_clashes(showing.output, inputs)
    if showing.sheet:
        from irev.doors.cli.sheet import write_sheet

        write_sheet(ctx, files, (showing.style, showing.output, showing.digits), settings, running, inputs)
        return
    refuse_idle(ctx, "it is for --sheet", "style")

    from irev.analysis.comparison.contrasts import require_suitable

    require_suitable(plan, against.all_pairs)
    with warnings_heard() as warnings:
        if showing.saved is not None:
            page = _of_saved(_OfRuns(ctx, files, measures, showing, settings, running), against, plan)
        else:
            page = _of_runs(_OfRuns(ctx, files, measures, showing, settings, running), against, plan)
    written = made_by(ctx, page, warnings).written()
    if len(written) > LARGE:
        without = " without the texts of documents," if showing.documents else ""
        remedy = f"show fewer documents of each topic (--top),{without} or fewer runs"
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


def _of_runs(asked: _OfRuns, against: Contrasts, plan: Plan) -> ReportPage:
    """The page about runs that are evaluated."""
    ctx, files, measures, showing, settings, running = asked
    sets, runs = files_of(files, (), ctx)
    refuse_clashes(showing.output, runs)
    require_files(runs)
    _refuse_alone(ctx, len(runs))

    from irev.analysis.single_queries import requests_of
    from irev.evaluation.curves.same_queries import on_same_queries
    from irev.evaluation.scores import suited
    from irev.measures import parse

    requests = requests_of(measures or DEFAULT_MEASURES, settings.compat, warn)
    settings = suited(settings, requests, warn)
    refuse_idle_scales(ctx, requests)
    require_pages(requests, settings, ctx)
    if showing.covers:
        from irev.questions.coverage.answer import require_answer, require_suited

        require_answer(settings)
        require_suited(requests)
    (coverage,) = parse([f"Judged@{showing.top}"])
    every = tuple(dict.fromkeys((*requests, coverage)))
    show = to_show(showing.top)
    evaluated = evaluate_runs(sets, runs, every, settings, running, digest=True, each_query=True, show=show)
    require_same_zeros(evaluated.outcomes, requests, settings)
    note_runs(evaluated, [name for name, _ in sets], settings, running.all_warnings)
    note_ties(evaluated.outcomes, settings, running.all_warnings)
    outcomes, some = on_same_queries(evaluated.outcomes)
    note_not_common(some)
    outcomes, comparison, first = _comparison(ctx, outcomes, requests, policy(settings), runs, against, plan)
    found = EvaluatedRuns(evaluated, runs, outcomes, settings, running, showing.top)
    texts = Texts(showing.titles, showing.documents)
    page = found.page(requests, comparison, first, texts, showing.digits)
    return replace(page, coverage=coverage, judgments=tuple(_judgments(asked, sets[0], runs, requests)))


def _judgments(
    asked: _OfRuns, judged: tuple[str, str], runs: Sequence[str], requests: Sequence[Request]
) -> Iterator[Report]:
    """What is said of the judgments, where that is asked for."""
    from irev.doors.cli.given import FilesGiven

    ctx, _, _, showing, settings, running = asked
    if showing.others:
        from irev.questions.judges import answer as judges
        from irev.questions.judges.choices import JudgesChoices

        files = ((os.path.basename(judged[1]), judged[1]), *showing.others)
        found = judges.answer(FilesGiven(ctx, files, (), (), running, settings), JudgesChoices())
        yield replace(found, inputs=(), more="irev judges -q")
    if showing.covers:
        from irev.questions.coverage import answer as coverage
        from irev.questions.coverage.choices import CoverageChoices

        given = FilesGiven(ctx, (judged,), runs, (), running, settings, quiet=True)
        given.requests = tuple(requests)
        yield replace(coverage.answer(given, CoverageChoices()), more="irev coverage -q")


def _of_saved(asked: _OfRuns, against: Contrasts, plan: Plan) -> ReportPage:
    """The page about a result that was saved: its values, without rankings."""
    ctx, files, measures, showing, settings, _ = asked
    from irev.analysis.side_by_side import values_alone
    from irev.evaluation import saved
    from irev.output.pages.report import ReportPage
    from irev.reading.sources import Source

    if files:
        raise click.UsageError("--from is about a saved result, and takes no other files", ctx)
    refuse_evaluating(ctx)
    refuse_idle(ctx, "a saved result has no rankings", "top", "documents", "jobs", "all_warnings", "names_given")
    refuse_idle(ctx, "it is about judgments and runs, and the values are saved", "covers", "others")
    with Source(showing.saved or "") as source:
        result = saved.read(source)
    saved.require_queries(result, source.name)
    if result.several_qrels:
        raise InputError("results under several judgments", source.name, "save those under one of them")
    _refuse_alone(ctx, len(result.outcomes))
    requests = _saved_requests(result, measures, source.name)
    result, left_out = _on_queries(result, requests, settings)
    outcomes, comparison, _ = _comparison(ctx, result.outcomes, requests, result.policy, (), against, plan)
    result = replace(result, outcomes=outcomes)
    side = values_alone(result.outcomes, requests, result.settings.level)
    titles = Texts(showing.titles).of_queries(side.queries, result.settings.allow_large)
    page = ReportPage(result, requests, side, comparison, source.name, titles=titles, digits=showing.digits)
    return replace(page, left_out=left_out)


def _on_queries(result: Result, requests: Sequence[Request], settings: Settings) -> tuple[Result, int]:
    """A saved result whose runs have the same queries, with a word on others; and how many are left out.

    As in `irev compare`, a query that any run has counts, one that a run lacks as 0, unless asked otherwise.
    """
    from irev.analysis.comparison.alignment import align
    from irev.analysis.comparison.systems import of_outcome, quantity_of
    from irev.evaluation.curves.same_queries import on_same_queries, with_zeros

    outcomes = result.outcomes
    if len({tuple(outcome.scores.queries) for outcome in outcomes}) == 1:
        return result, 0
    both = settings.queries == "both" and not settings.complete
    systems = [of_outcome(outcome) for outcome in outcomes]
    found = align(systems, tuple(dict.fromkeys(map(quantity_of, requests))), both)
    note_filled(found)
    if both:
        kept, some = on_same_queries(outcomes)
        return replace(result, outcomes=kept, policy=BOTH), len(some)
    queries = found.measured[0].queries
    return replace(result, outcomes=tuple(with_zeros(each, queries) for each in outcomes), policy=ALL), 0


def _saved_requests(result: Result, measures: Sequence[str], name: str) -> tuple[Request, ...]:
    """The measures of a saved result that are asked for, all of them unless any is."""
    from irev.analysis.single_queries import requests_of

    there = tuple(each for each in result.requests if each.measure.numeric and each == each.base)
    if not there:
        raise InputError("no measure has numbers for single queries", name)
    asked = requests_of(measures, result.settings.compat, warn) if measures else there
    for request in asked:
        if request not in there:
            known = ", ".join(each.standard for each in there[:9])
            raise UsageError(f"{request.standard} was not saved", name, f"there are {known}")
    return asked


def _refuse_alone(ctx: click.Context, runs: int) -> None:
    """Refuse options of comparisons where there is one run."""
    if runs == 1:
        names = [each.name for each in fields(Plan)]
        refuse_idle(ctx, "there is one run, and nothing to compare it with", "baseline", "all_pairs", *names)


def _comparison(
    ctx: click.Context,
    outcomes: Sequence[Outcome],
    requests: Sequence[Request],
    policy: str,
    files: Sequence[str],
    against: Contrasts,
    plan: Plan,
) -> tuple[tuple[Outcome, ...], ComparisonReport | None, int]:
    """The runs, with names that can be told apart; how they differ, where there are several; and which of them the
    others are held against."""
    if len(outcomes) == 1:
        return disambiguate(outcomes), None, 0
    first = against.first(aligned(outcomes, requests).runs, files)
    outcomes = disambiguate(outcomes)
    return outcomes, compared(outcomes, requests, policy, first, plan), first or 0
