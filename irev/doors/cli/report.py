"""What the command line alone does for ``irev report``: it evaluates runs, or reads results, and writes the page."""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any, NamedTuple

import click

from irev.base.exit import DONE
from irev.base.settings import ALL, BOTH, Settings, policy
from irev.doors.cli.evaluating import evaluate_runs, files_of, note_runs, settings_of
from irev.doors.cli.idle import refuse_idle_scales
from irev.doors.cli.notes import note_filled, note_not_common, note_ties
from irev.doors.cli.options import Running, inputs_given, pick
from irev.doors.cli.output import ending_of, refuse_clashes, reporting_to, show, write
from irev.doors.cli.pages import (
    EvaluatedRuns,
    compared,
    disambiguate,
    made_by,
    require_files,
    require_pages,
    require_same_zeros,
    to_show,
)
from irev.doors.cli.streams import warn, warnings_heard
from irev.doors.cli.systems import refuse_evaluating
from irev.errors import InputError, UsageError
from irev.questions.report.choices import DEFAULT_MEASURES, ReportChoices
from irev.questions.texts import Texts
from irev.statistics.plan import plan_alone

if TYPE_CHECKING:
    from irev.evaluation.result import Outcome, Result
    from irev.measures import Request
    from irev.output.pages.report import ReportPage
    from irev.output.report import Report
    from irev.output.reports.comparison.compact import ComparisonReport

ON_PAPER = "pdf"
"""The ending of a file that a sheet goes to as a page of paper."""

LARGE = 5_000_000
"""Bytes of a page above which there is a word on that."""


def write_about(ctx: click.Context, values: dict[str, Any]) -> int:
    """Write the page, or the sheet, that is asked for; the exit status."""
    choices, running, texts = pick(ReportChoices, values), pick(Running, values), pick(Texts, values)
    output, digits = values.pop("output"), values.pop("digits")
    settings, listed = settings_of(values, ctx)
    judges = [path for _, path in choices.others]
    inputs = inputs_given(ctx, (*choices.files, *listed, *texts.paths, choices.saved, *judges))
    refuse_clashes(output, inputs)
    if choices.sheet:
        _write_sheet(ctx, choices.files, (choices.style, output, digits), settings, running, inputs)
        return DONE

    from irev.evaluation.comparison.contrasts import require_suitable

    require_suitable(choices, choices.all_pairs)
    asked = _Asked(ctx, choices, texts, settings, running, digits)
    with warnings_heard() as warnings:
        page = _of_saved(asked, choices.saved) if choices.saved is not None else _of_runs(asked, output)
    written = made_by(ctx, page, warnings).written()
    if len(written) > LARGE:
        without = " without the texts of documents," if texts.documents else ""
        remedy = f"show fewer documents of each topic (--top),{without} or fewer runs"
        warn(f"the page has {len(written) / 1e6:.1f} MB, which browsers are slow to open; {remedy}")
    write(written, output, inputs, safe=True)
    return DONE


class _Asked(NamedTuple):
    """What is asked for about runs."""

    ctx: click.Context
    choices: ReportChoices
    texts: Texts
    settings: Settings
    running: Running
    digits: int


def _of_runs(asked: _Asked, output: str | None) -> ReportPage:
    """The page about runs that are evaluated."""
    ctx, choices, texts, settings, running, digits = asked
    sets, runs = files_of(choices.files, (), ctx)
    refuse_clashes(output, runs)
    require_files(runs)

    from irev.evaluation.curves.curve import on_same_queries
    from irev.evaluation.scores import suited
    from irev.evaluation.single_queries import requests_of
    from irev.measures import parse

    requests = requests_of(choices.measures or DEFAULT_MEASURES, settings.compat, warn)
    settings = suited(settings, requests, warn)
    refuse_idle_scales(ctx, requests)
    require_pages(requests, settings, ctx)
    if choices.covers:
        from irev.questions.coverage.answer import require_answer, require_suited

        require_answer(settings)
        require_suited(requests)
    (coverage,) = parse([f"Judged@{choices.top}"])
    every = tuple(dict.fromkeys((*requests, coverage)))
    show = to_show(choices.top)
    evaluated = evaluate_runs(sets, runs, every, settings, running, digest=True, each_query=True, show=show)
    require_same_zeros(evaluated.outcomes, requests, settings)
    note_runs(evaluated, [name for name, _ in sets], settings, running.all_warnings)
    note_ties(evaluated.outcomes, settings, running.all_warnings)
    outcomes, some = on_same_queries(evaluated.outcomes)
    note_not_common(some)
    outcomes, comparison, first = _comparison(choices, outcomes, requests, policy(settings), runs)
    found = EvaluatedRuns(evaluated, runs, outcomes, settings, running, choices.top)
    page = found.page(requests, comparison, first, texts, digits)
    return replace(page, coverage=coverage, judgments=tuple(_judgments(asked, sets[0], runs, requests)))


def _judgments(
    asked: _Asked, judged: tuple[str, str], runs: Sequence[str], requests: Sequence[Request]
) -> Iterator[Report]:
    """What is said of the judgments, where that is asked for."""
    from irev.doors.cli.given import FilesGiven

    ctx, choices, _, settings, running, _ = asked
    if choices.others:
        from irev.questions.judges import answer as judges
        from irev.questions.judges.choices import JudgesChoices

        files = ((os.path.basename(judged[1]), judged[1]), *choices.others)
        found = judges.answer(FilesGiven(ctx, files, (), (), running, settings), JudgesChoices())
        yield replace(found, inputs=(), more="irev judges -q")
    if choices.covers:
        from irev.questions.coverage import answer as coverage
        from irev.questions.coverage.choices import CoverageChoices

        given = FilesGiven(ctx, (judged,), runs, (), running, settings, quiet=True)
        given.requests = tuple(requests)
        yield replace(coverage.answer(given, CoverageChoices()), more="irev coverage -q")


def _of_saved(asked: _Asked, path: str) -> ReportPage:
    """The page about a result that was saved: its values, without rankings."""
    ctx, choices, texts, settings, running, digits = asked
    from irev.evaluation import saved
    from irev.evaluation.side_by_side import values_alone
    from irev.output.pages.report import ReportPage
    from irev.reading.sources import Source

    if choices.files:
        raise click.UsageError("--from is about a saved result, and takes no other files", ctx)
    for name, given in (("--name", running.names_given), ("--documents", texts.documents)):
        if given:
            raise click.UsageError(f"{name} has no effect with --from", ctx)
    refuse_evaluating(ctx)
    with Source(path) as source:
        result = saved.read(source)
    saved.require_queries(result, source.name)
    if result.several_qrels:
        raise InputError("results under several judgments", source.name, "save those under one of them")
    requests = _saved_requests(result, choices.measures, source.name)
    result, left_out = _on_queries(result, requests, settings)
    outcomes, comparison, _ = _comparison(choices, result.outcomes, requests, result.policy, ())
    result = replace(result, outcomes=outcomes)
    side = values_alone(result.outcomes, requests, result.settings.level)
    titles = texts.of_queries(side.queries, result.settings.allow_large)
    page = ReportPage(result, requests, side, comparison, source.name, titles=titles, digits=digits)
    return replace(page, left_out=left_out)


def _on_queries(result: Result, requests: Sequence[Request], settings: Settings) -> tuple[Result, int]:
    """A saved result whose runs have the same queries, with a word on others; and how many are left out.

    As in `irev compare`, a query that any run has counts, one that a run lacks as 0, unless asked otherwise.
    """
    from irev.evaluation.comparison.systems import aligned_outcomes
    from irev.evaluation.curves.curve import on_same_queries, with_zeros

    outcomes = result.outcomes
    if len({tuple(outcome.scores.queries) for outcome in outcomes}) == 1:
        return result, 0
    both = settings.queries == "both" and not settings.complete
    found = aligned_outcomes(outcomes, requests, both)
    note_filled(found)
    if both:
        kept, some = on_same_queries(outcomes)
        return replace(result, outcomes=kept, policy=BOTH), len(some)
    queries = found.measured[0].queries
    return replace(result, outcomes=tuple(with_zeros(each, queries) for each in outcomes), policy=ALL), 0


def _saved_requests(result: Result, measures: Sequence[str], name: str) -> tuple[Request, ...]:
    """The measures of a saved result that are asked for, all of them unless any is."""
    from irev.evaluation.single_queries import requests_of

    there = tuple(each for each in result.requests if each.measure.numeric and each == each.base)
    if not there:
        raise InputError("no measure has numbers for single queries", name)
    asked = requests_of(measures, result.settings.compat, warn) if measures else there
    for request in asked:
        if request not in there:
            known = ", ".join(each.standard for each in there[:9])
            raise UsageError(f"{request.standard} was not saved", name, f"there are {known}")
    return asked


def _comparison(
    choices: ReportChoices,
    outcomes: Sequence[Outcome],
    requests: Sequence[Request],
    policy: str,
    files: Sequence[str],
) -> tuple[tuple[Outcome, ...], ComparisonReport | None, int]:
    """The runs, with names that can be told apart; how they differ, where there are several; and which of them the
    others are held against."""
    first = choices.against.first([outcome.run for outcome in outcomes], files)
    outcomes = disambiguate(outcomes)
    return outcomes, compared(outcomes, requests, policy, first, plan_alone(choices)), first or 0


def _write_sheet(
    ctx: click.Context,
    files: tuple[str, ...],
    look: tuple[str | None, str | None, int],
    settings: Settings,
    running: Running,
    inputs: tuple[str, ...],
) -> None:
    """Write the sheet of the first run; the others are those that the median is over.

    `look` is the style, the output file and the digits, as options say.
    """
    style, output, digits = look
    if settings.queries == "run":
        raise click.UsageError("--queries run has other queries for each run; a sheet is over the same ones", ctx)
    sets, runs = files_of(files, (), ctx)
    refuse_clashes(output, (*inputs, *runs))
    paper = style is None and output is not None and ending_of(output) == ON_PAPER
    to = reporting_to(style, None if paper else output, inputs, digits=digits)

    from irev.base.settings import policy
    from irev.doors.cli.notes import note_not_common
    from irev.evaluation.curves.by_query import FEWEST_RUNS, beside_others, values_by_query
    from irev.evaluation.curves.curve import HowMade, on_same_queries
    from irev.evaluation.curves.recall_precision import recall_precision
    from irev.measures import parse
    from irev.output.figures import require_drawable
    from irev.output.report import Look
    from irev.output.reports.sheet import MEASURES, SheetReport

    if paper:
        require_drawable(ON_PAPER)
    requests = parse(MEASURES, settings.compat)
    evaluated = evaluate_runs(sets, runs, requests, settings, running, digest=True, each_query=True)
    note_runs(evaluated, [name for name, _ in sets], settings, running.all_warnings)
    outcomes, left_out = on_same_queries(evaluated.outcomes)
    note_not_common(left_out)
    first, *others = evaluated.evaluated
    # The run is not one of the others, under whatever name it is there again: `my.run runs/*`.
    kept = [True, *(each.digest != first.digest for each in others)]
    outcomes = tuple(outcome for outcome, it in zip(outcomes, kept, strict=True) if it)
    sheet = outcomes[0]
    histogram = None
    if len(outcomes) >= FEWEST_RUNS:
        of = next(each for each in values_by_query(outcomes) if each.measure == "AP")
        histogram = beside_others(of.measure, of.runs[0], of.queries, of.values[:, 0], of.values[:, 1:])
    made = HowMade(
        settings, settings.policy if len(outcomes) == 1 else policy(settings), sheet.scores.considered, evaluated.inputs
    )
    report = SheetReport(sheet, recall_precision([sheet], settings), histogram, len(outcomes) - 1, made)
    seen = report.seen(Look(names="standard", digits=digits))
    if paper:
        from irev.output.reports.sheet import pdf

        write(pdf(seen.title, [*seen.sheets], seen.charts, [*seen.notes]), output, inputs, safe=True)
    elif to.style == "html":
        from irev.output.reports.sheet import page

        write(page(seen), output, inputs, safe=True)
    else:
        show(report, to)
