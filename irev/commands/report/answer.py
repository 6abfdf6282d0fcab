"""The answer of ``irev report``: a page about runs."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

from irev.base.records import cached_property, dataclass
from irev.base.settings import policy
from irev.base.text import named
from irev.commands.pages import (
    EvaluatedRuns,
    compared,
    disambiguate,
    made_by,
    require_pages,
    require_same_zeros,
    to_show,
)
from irev.commands.report import DEFAULT_MEASURES, ReportChoices
from irev.evaluation.comparison import in_clusters
from irev.evaluation.comparison.systems import aligned_outcomes, quantity_of
from irev.evaluation.curves import CurvePicture
from irev.evaluation.curves.by_run import DOMINATED, FRONT, dominating, tradeoff
from irev.evaluation.inputs import Inputs, evaluate, require_files, warn_of_runs
from irev.evaluation.notes import cluster_notes, not_common_notes
from irev.evaluation.result import Result, on_same_queries
from irev.evaluation.scores import suited
from irev.measures import Request, among, parse
from irev.output.finding import ReportedFinding
from irev.output.pages.report import Board, ReportPage
from irev.output.report import Look, Sort
from irev.output.reports.comparison import ComparisonReport, against_best, found_against_best
from irev.output.reports.grid import AgainstBest, standings
from irev.reading.lists import SHOWN, read_resources
from irev.reading.sources import Source

LARGE = 5_000_000
"""Bytes of a page above which there is a word on that."""


@dataclass(frozen=True, eq=False)
class Written(ReportedFinding):
    """A page about runs."""

    page: ReportPage
    output: str | None

    @cached_property
    def _content(self) -> bytes:
        return self.page.written()

    @property
    def files(self) -> Iterator[tuple[str, Sequence[bytes]]]:
        yield self.output or "-", [self._content]

    @property
    def notes(self) -> Iterator[str]:
        if len(self._content) > LARGE:
            without = " without the texts of documents," if self.page.documents else ""
            remedy = f"show fewer documents of each query (--top),{without} or fewer runs"
            yield f"the page has {len(self._content) / 1e6:.1f} MB, which browsers are slow to open; {remedy}"


def answer(inputs: Inputs, choices: ReportChoices) -> Written:
    """The page about runs."""
    runs = choices.files[1:]
    require_files(runs)
    requests = inputs.of_single_queries(choices.measures or DEFAULT_MEASURES)
    settings = suited(inputs.settings, requests, inputs.warn)
    inputs = replace(inputs, settings=settings)
    require_pages(requests, settings)
    (coverage,) = parse([f"Unjudged@{choices.top}"])
    every = tuple(dict.fromkeys((*requests, coverage)))
    evaluated = evaluate(inputs, every, digest=True, each_query=True, unjudged=True, show=to_show(choices.top))
    require_same_zeros(evaluated.outcomes, requests, settings)
    warn_of_runs(inputs, evaluated, ties=True)
    outcomes, some = on_same_queries(evaluated.outcomes)
    inputs.say([*not_common_notes(some)])
    by = _ranked_by(choices, requests)
    result = Result(disambiguate(outcomes), settings, policy(settings), evaluated.inputs)
    found = EvaluatedRuns(evaluated, runs, result.outcomes, inputs, choices.top)
    comparison, first = _comparison(inputs, choices, result, requests, by, runs)
    page = found.page(requests, comparison, first)
    page = replace(page, coverage=coverage, board=_board(choices, result, by, comparison)).by_rank()
    return Written(made_by(inputs, page), choices.output)


def _comparison(
    inputs: Inputs,
    choices: ReportChoices,
    result: Result,
    requests: Sequence[Request],
    by: Request,
    files: Sequence[str],
) -> tuple[ComparisonReport | None, int]:
    """How runs differ, where there are several, and the place of the one that the others are compared with: the
    best, unless another is named."""
    outcomes = result.outcomes
    is_best = choices.baseline is None and not choices.all_pairs
    first = _best_of(result, by) if is_best else choices.against.first([outcome.run for outcome in outcomes], files)
    comparison = compared(outcomes, requests, result.policy, first, is_best, choices.clusters)
    if comparison is not None:
        measured = comparison.comparison.compared[0].measured
        inputs.say([*cluster_notes(measured.queries, measured.cluster)])
    return comparison, first or 0


# The leaderboard


def _ranked_by(choices: ReportChoices, requests: Sequence[Request]) -> Request:
    """The measure that runs are ranked by. Raises `UsageError` for none of those that are shown."""
    return requests[0] if choices.sort is None else among(choices.sort, requests, per_query=True)


def _best_of(result: Result, by: Request) -> int:
    """The place of the run that is ranked first."""
    ranks = standings(replace(result, per_query=False), Look(sort=Sort(by)))
    return next((place for place, outcome in enumerate(result.outcomes) if ranks.get(outcome, 1) == 1), 0)


def _board(choices: ReportChoices, result: Result, by: Request, comparison: ComparisonReport | None) -> Board:
    """What the page of a result has beside its numbers; `comparison` is that of the page."""
    taken, picture = ({}, None) if choices.resources is None else _resources(choices.resources, result, by)
    known = _known(choices, result, by, comparison)
    return Board(by, known, "" if choices.title is None else named(choices.title), taken, tradeoff=picture)


def _resources(path: str, result: Result, by: Request) -> tuple[dict[str, dict[str, str]], CurvePicture]:
    """What the runs took, by their names and those of the columns; and by which run each is dominated, if by any, in
    the measure that they are ranked by and the first column. And the picture of these two."""
    with Source(path) as source:
        found = read_resources(source)
    picture = tradeoff(result.outcomes, by, found, found.columns[0])
    points = [point for curve in picture.curves for point in curve.points]
    columns = found.columns
    if found.of_queries:
        columns = tuple(f"{column}:{each}" for column in columns for each in SHOWN)
    beaten = dominating([point.y for point in points], [point.x for point in points], by.better != "lower")
    taken = {}
    for run, other in zip([point.label for point in points], beaten, strict=True):
        taken[run] = {named(column): f"{found.value(run, column):g}" for column in columns}
        if other is None or other >= 0:
            said = FRONT if other is None else f"{DOMINATED} by {points[other].label}"
            taken[run][f"{by.standard} against {named(picture.x.name)}"] = said
    return taken, picture


def _known(
    choices: ReportChoices, result: Result, by: Request, comparison: ComparisonReport | None
) -> AgainstBest | None:
    """What is shown of the difference between each run and the best, of several."""
    if len(result.outcomes) < 2 or by.better == "neither":
        return None
    found = None if comparison is None else comparison.comparison
    if found is not None and found.others:  # the page has compared runs with the best
        compared = tuple(each for each in found.compared if each.measured.quantity == quantity_of(by))
        return found_against_best(replace(found, compared=compared), by, result.policy)
    aligned = in_clusters(aligned_outcomes(result.outcomes, [by.base], both=True), choices.clusters)
    return against_best(aligned, by, _best_of(result, by), result.policy)
