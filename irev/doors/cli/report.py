"""What the command line alone does for ``irev report``: it evaluates runs, or reads results, and writes the page."""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any, NamedTuple

import click

from irev.base.exit import DONE
from irev.base.settings import ALL, BOTH, Settings, policy
from irev.doors.cli.evaluating import (
    evaluate_runs,
    files_of,
    note_filled,
    note_not_common,
    note_runs,
    note_ties,
    refuse_evaluating,
    settings_of,
)
from irev.doors.cli.idle import refuse_idle_scales
from irev.doors.cli.options import Running, inputs_given, pick
from irev.doors.cli.output import refuse_clashes, write
from irev.doors.cli.pages import (
    EvaluatedRuns,
    compared,
    corrected_page,
    disambiguate,
    made_by,
    require_files,
    require_pages,
    require_same_zeros,
    to_show,
)
from irev.doors.cli.streams import warn, warnings_heard
from irev.errors import InputError, UsageError
from irev.questions.report.choices import DEFAULT_MEASURES, ReportChoices
from irev.questions.texts import Texts
from irev.statistics.plan import plan_alone

if TYPE_CHECKING:
    from irev.evaluation.files import Runs
    from irev.evaluation.result import Result
    from irev.measures import Request
    from irev.output.pages.report import ReportPage
    from irev.output.report import Report
    from irev.output.reports.comparison.compact import ComparisonReport
    from irev.questions.curves.sheet import ResultSheet

LARGE = 5_000_000
"""Bytes of a page above which there is a word on that."""


def write_about(ctx: click.Context, values: dict[str, Any]) -> int:
    """Write the page; the exit status."""
    choices, running, texts = pick(ReportChoices, values), pick(Running, values), pick(Texts, values)
    output, digits = values.pop("output"), values.pop("digits")
    if choices.site is not None and output is not None:
        raise click.UsageError("--output is the file of one page, and --site the folder of many: give one", ctx)
    settings, listed = settings_of(values, ctx)
    judges = [path for _, path in choices.others]
    inputs = inputs_given(ctx, (*choices.files, *listed, *texts.paths, choices.saved, *judges))
    refuse_clashes(output, inputs)
    from irev.evaluation.comparison.contrasts import require_suitable

    require_suitable(choices, choices.all_pairs)
    asked = _Asked(ctx, choices, texts, settings, running, digits)
    with warnings_heard() as warnings:
        page, sheets = _of_saved(asked, choices.saved) if choices.saved is not None else _of_runs(asked, output)
    page = made_by(ctx, page, warnings)
    if choices.site is not None:
        _write_site(choices.site, page, sheets, inputs)
        return DONE
    written = page.written()
    if len(written) > LARGE:
        without = " without the texts of documents," if texts.documents else ""
        remedy = f"show fewer documents of each query (--top),{without} or fewer runs"
        warn(f"the page has {len(written) / 1e6:.1f} MB, which browsers are slow to open; {remedy}")
    write(written, output, inputs, safe=True)
    return DONE


def _write_site(folder: str, page: ReportPage, sheets: Sequence[ResultSheet], inputs: tuple[str, ...]) -> None:
    """Write the files of a site into a folder, which is made if it is not there."""
    from irev.questions.report.site import site

    for name, content in site(page, sheets):
        path = os.path.join(folder, name)
        try:
            os.makedirs(os.path.dirname(path) or ".", exist_ok=True)
        except OSError as error:
            raise UsageError(f"no folder can be made there ({error.strerror})", folder, "name another") from None
        write(content, path, inputs, safe=True)


class _Asked(NamedTuple):
    """What is asked for about runs."""

    ctx: click.Context
    choices: ReportChoices
    texts: Texts
    settings: Settings
    running: Running
    digits: int


def _of_runs(asked: _Asked, output: str | None) -> tuple[ReportPage, list[ResultSheet]]:
    """The page about runs that are evaluated, and the sheets of these runs, where a site has them."""
    ctx, choices, texts, settings, running, digits = asked
    sets, runs = files_of(choices.files, (), ctx)
    if choices.predicted is not None:
        (human,), sets = sets, (("", choices.predicted),)
    refuse_clashes(output, runs)
    require_files(runs)

    from irev.evaluation.result import Result, on_same_queries
    from irev.evaluation.scores import suited
    from irev.evaluation.single_queries import requests_of
    from irev.measures import parse
    from irev.questions.curves.sheet import MEASURES
    from irev.questions.report.leaderboard import board, ranked_by

    requests = requests_of(choices.measures or DEFAULT_MEASURES, settings.compat, warn)
    settings = suited(settings, requests, warn)
    refuse_idle_scales(ctx, requests)
    require_pages(requests, settings, ctx)
    if choices.covers:
        from irev.questions.coverage.answer import require_answer, require_suited

        require_answer(settings)
        require_suited(requests)
    (coverage,) = parse([f"Judged@{choices.top}"])
    on_sheets = () if choices.site is None else tuple(parse(MEASURES, settings.compat))
    every = tuple(dict.fromkeys((*requests, coverage, *(parse(["AP"]) if on_sheets else ()))))
    show = to_show(choices.top, on_sheets)
    evaluated = evaluate_runs(sets, runs, every, settings, running, digest=True, each_query=True, show=show)
    require_same_zeros(evaluated.outcomes, requests, settings)
    note_runs(evaluated, [name for name, _ in sets], settings, running.all_warnings)
    note_ties(evaluated.outcomes, settings, running.all_warnings)
    outcomes, some = on_same_queries(evaluated.outcomes)
    note_not_common(some)
    by = ranked_by(choices, requests)
    result = Result(disambiguate(outcomes), settings, policy(settings), evaluated.inputs)
    if choices.predicted is not None:
        return _of_both(asked, human, result, requests, evaluated, runs), []
    comparison, first = _comparison(choices, result, requests, by, runs)
    found = EvaluatedRuns(evaluated, runs, result.outcomes, settings, running, choices.top)
    page = found.page(requests, comparison, first, texts, digits)
    judged = tuple(_judgments(asked, sets[0], runs, requests))
    page = replace(page, coverage=coverage, judgments=judged, board=board(choices, result, by)).by_rank()
    sheets = found.sheets(on_sheets) if on_sheets else {}
    return page, [sheets[outcome.run] for outcome in page.outcomes if sheets]


def _of_both(
    asked: _Asked,
    human: tuple[str, str],
    result: Result,
    requests: Sequence[Request],
    evaluated: Runs,
    runs: Sequence[str],
) -> ReportPage:
    """The page about runs that were evaluated by a model, whose means human judgments correct."""
    from irev.doors.cli.given import FilesGiven
    from irev.evaluation.comparison.alignment import pairs_of
    from irev.questions.predicted import corrected_runs
    from irev.questions.report.leaderboard import board, ranked_by

    ctx, choices, texts, settings, running, digits = asked
    measures = [request.standard for request in requests]
    given = FilesGiven(ctx, (human,), runs, measures, running, settings, quiet=True)

    def pairs(names: Sequence[str]) -> Sequence[tuple[int, int]]:
        alone = choices.baseline is None or choices.all_pairs
        return pairs_of(len(names), None if alone else choices.against.first(names, runs))

    corrected = corrected_runs(given, str(choices.predicted), choices.confidence, choices.alpha, pairs)
    found = EvaluatedRuns(evaluated, runs, result.outcomes, settings, running, choices.top)
    page = corrected_page(found, result, corrected, requests, texts, digits)
    ranked = board(choices, page.result, ranked_by(choices, requests), alone=True)
    return replace(page, board=ranked).by_rank()


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


def _of_saved(asked: _Asked, path: str) -> tuple[ReportPage, list[ResultSheet]]:
    """The page about a result that was saved: its values, without rankings."""
    ctx, choices, texts, settings, _, digits = asked
    from irev.evaluation import saved
    from irev.evaluation.side_by_side import values_alone
    from irev.output.pages.report import ReportPage
    from irev.questions.report.leaderboard import board, ranked_by
    from irev.reading.sources import Source

    if choices.files:
        raise click.UsageError("--from is about a saved result, and takes no other files", ctx)
    refuse_evaluating(ctx)
    with Source(path) as source:
        result = saved.read(source)
    saved.require_queries(result, source.name)
    if result.several_qrels:
        raise InputError("results under several judgments", source.name, "save those under one of them")
    requests = _saved_requests(result, choices.measures, source.name)
    result, left_out = _on_queries(result, requests, settings)
    by = ranked_by(choices, requests)
    result = replace(result, outcomes=disambiguate(result.outcomes))
    comparison, _ = _comparison(choices, result, requests, by, ())
    side = values_alone(result.outcomes, requests, result.settings.level)
    titles = texts.of_queries(side.queries, result.settings.allow_large)
    page = ReportPage(result, requests, side, comparison, source.name, titles=titles, digits=digits)
    return replace(page, left_out=left_out, board=board(choices, result, by)).by_rank(), []


def _on_queries(result: Result, requests: Sequence[Request], settings: Settings) -> tuple[Result, int]:
    """A saved result whose runs have the same queries, with a word on others; and how many are left out.

    As in `irev compare`, a query that any run has counts, one that a run lacks as 0, unless asked otherwise.
    """
    from irev.evaluation.comparison.systems import aligned_outcomes
    from irev.evaluation.result import on_same_queries, with_zeros

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
    choices: ReportChoices, result: Result, requests: Sequence[Request], by: Request, files: Sequence[str]
) -> tuple[ComparisonReport | None, int]:
    """How runs differ, where there are several, and the place of the one that the others are compared with: the
    best, unless another is named."""
    from irev.questions.report.leaderboard import best_of

    outcomes, plan = result.outcomes, plan_alone(choices)
    if choices.baseline is None and not choices.all_pairs:
        best = best_of(result, by)
        return compared(outcomes, requests, result.policy, best, plan, is_best=True), best
    first = choices.against.first([outcome.run for outcome in outcomes], files)
    return compared(outcomes, requests, result.policy, first, plan), first or 0
