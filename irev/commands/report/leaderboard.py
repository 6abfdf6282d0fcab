"""What makes a leaderboard of a page: the order of runs, what they took, and which differ from the best."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from irev.base.text import named
from irev.commands.report import ReportChoices
from irev.evaluation.comparison import in_clusters
from irev.evaluation.comparison.systems import aligned_outcomes, quantity_of
from irev.evaluation.curves import CurvePicture
from irev.evaluation.curves.tradeoff import DOMINATED, FRONT, dominating, tradeoff
from irev.evaluation.result import Result
from irev.measures import Request, among
from irev.output.pages.overview import Board
from irev.output.report import Look, Sort
from irev.output.reports.comparison import ComparisonReport, against_best, found_against_best
from irev.output.reports.grid import AgainstBest, standings
from irev.reading.resources import SHOWN, read_resources
from irev.reading.sources import Source


def ranked_by(choices: ReportChoices, requests: Sequence[Request]) -> Request:
    """The measure that runs are ranked by. Raises `UsageError` for none of those that are shown."""
    return requests[0] if choices.sort is None else among(choices.sort, requests, per_query=True)


def best_of(result: Result, by: Request) -> int:
    """The place of the run that is ranked first."""
    ranks = standings(replace(result, per_query=False), Look(sort=Sort(by)))
    return next((place for place, outcome in enumerate(result.outcomes) if ranks.get(outcome, 1) == 1), 0)


def board(
    choices: ReportChoices, result: Result, by: Request, comparison: ComparisonReport | None = None, alone: bool = False
) -> Board:
    """What the page of a result has beside its numbers; nothing on how runs differ from the best where it stands
    `alone`. `comparison` is that of the page, which may say it already."""
    taken, picture = ({}, None) if choices.resources is None else _resources(choices.resources, result, by)
    known = None if alone else _known(choices, result, by, comparison)
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
    return against_best(aligned, by, best_of(result, by), result.policy)
