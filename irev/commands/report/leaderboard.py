"""What makes a leaderboard of a page: what runs are, where their names lead, and what its organisers say."""

from __future__ import annotations

import re
from collections.abc import Collection, Sequence
from dataclasses import replace

from irev.base.errors import InputError, Problem, ProblemError, UsageError, shown
from irev.base.text import decoded, encoded, named
from irev.commands.report import PageChoices
from irev.evaluation.comparison import in_clusters
from irev.evaluation.comparison.systems import aligned_outcomes, quantity_of
from irev.evaluation.curves import CurvePicture
from irev.evaluation.curves.tradeoff import DOMINATED, FRONT, dominating, tradeoff
from irev.evaluation.result import Result
from irev.measures import Request, among
from irev.output.pages.overview import COLOUR, Board, is_address
from irev.output.report import Look, Sort
from irev.output.reports.comparison import ComparisonReport, against_best, found_against_best
from irev.output.reports.grid import AgainstBest, standings
from irev.reading import limits
from irev.reading.resources import SHOWN, read_resources
from irev.reading.small_tables import read_small_table
from irev.reading.sources import Source
from irev.statistics.plan import Plan

RUN = "run"
"""The column of tags that says whose they are."""

_COLOUR = re.compile(r"#([0-9a-fA-F]{3}|[0-9a-fA-F]{6})")


def ranked_by(choices: PageChoices, requests: Sequence[Request]) -> Request:
    """The measure that runs are ranked by. Raises `UsageError` for none of those that are shown."""
    return requests[0] if choices.sort is None else among(choices.sort, requests, per_query=True)


def best_of(result: Result, by: Request) -> int:
    """The place of the run that is ranked first."""
    ranks = standings(replace(result, per_query=False), Look(sort=Sort(by)))
    return next((place for place, outcome in enumerate(result.outcomes) if ranks.get(outcome, 1) == 1), 0)


def board(
    choices: PageChoices, result: Result, by: Request, comparison: ComparisonReport | None = None, alone: bool = False
) -> Board:
    """What the page of a result has beside its numbers; nothing on how runs differ from the best where it stands
    `alone`. `comparison` is that of the page, which may say it already.

    Raises
    ------
    UsageError
        For a link of a run that there is not, and for one that is no address.
    InputError
        For a table of tags without a column of runs, a colour that is none, a description that is no UTF-8.
    """
    runs = {outcome.run for outcome in result.outcomes}
    for run, address in choices.links:
        if named(run) not in runs:
            raise UsageError(f"--link: there is no run '{run}'", remedy=f"there are {', '.join(sorted(runs)[:5])}")
        if not is_address(address):
            fact = f"--link: '{address}' is not an allowed address"
            raise UsageError(fact, remedy="use https://…, or the path of a file relative to the page")
    tags = {} if choices.tags is None else _tags(choices.tags, runs)
    picture = None
    if choices.resources is not None:
        taken, picture = _resources(choices.resources, result, by)
        for run, columns in taken.items():
            tags[run] = {**tags.get(run, {}), **columns}
    return Board(
        by,
        None if alone else _known(choices, result, by, comparison),
        "" if choices.title is None else named(choices.title),
        "" if choices.description is None else _text(choices.description),
        tags,
        {named(run): address for run, address in choices.links},
        tradeoff=picture,
    )


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
    choices: PageChoices, result: Result, by: Request, comparison: ComparisonReport | None
) -> AgainstBest | None:
    """What is shown of the difference between each run and the best, of several."""
    if len(result.outcomes) < 2 or by.better == "neither":
        return None
    found = None if comparison is None else comparison.comparison
    if found is not None and found.others:  # the page has compared runs with the best
        compared = tuple(each for each in found.compared if each.measured.quantity == quantity_of(by))
        return found_against_best(replace(found, compared=compared), by, result.policy)
    plan = Plan() if found is None else replace(found.plan, alternative="two-sided")
    aligned = in_clusters(aligned_outcomes(result.outcomes, [by.base], both=True), choices.clusters)
    return against_best(aligned, by, best_of(result, by), result.policy, plan)


def _text(path: str) -> str:
    with Source(path) as source:
        content = source.content(limits.CONFIGURATION)
        try:
            return content.decode("utf-8-sig")
        except UnicodeDecodeError:
            raise InputError("the description is not UTF-8", source.name, "save it as UTF-8") from None


def _tags(path: str, runs: Collection[str]) -> dict[str, dict[str, str]]:
    """The tags of these runs, by their names and those of the columns; the table may have others too."""
    with Source(path) as source:
        table = read_small_table(source, "expected a header with the column run, and a line for each run")
    if RUN not in table.columns:
        raise InputError("there is no column run", table.file, "name the column of runs so, with tags in the others")
    found = {}
    for line, run, row in zip(table.lines, table.ids(RUN), table.rows, strict=True):
        tags = {name: decoded(cell) for name, cell in zip(table.columns, row, strict=True) if name != RUN and cell}
        if not _COLOUR.fullmatch(tags.get(COLOUR, "#000")):
            fact = f"{shown(encoded(tags[COLOUR]))} is not a colour"
            raise ProblemError(table.file, Problem(line, "E113", fact, "expected one such as #0b5fb0"))
        if named(run) in runs:
            found[named(run)] = {named(name): text if name == COLOUR else named(text) for name, text in tags.items()}
    return found
