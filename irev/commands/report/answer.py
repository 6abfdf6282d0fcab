"""The answer of ``irev report``: a page about runs, or a site of several pages.

A site also has a page for each run, its sheet, and for each query. All are static. Links are relative, and names of
files have only letters, digits, ``-``, ``_`` and ``.``, so that the site works from a disk and on any host.
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import islice

from irev.base.errors import printable
from irev.base.records import cached_property, dataclass
from irev.base.settings import policy
from irev.base.text import named
from irev.commands.curves.sheet import MEASURES, ResultSheet
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
from irev.evaluation.side_by_side import SideBySide
from irev.measures import Request, among, parse
from irev.output.finding import Put, ReportedFinding, file_names, make_folder
from irev.output.pages.html import END, Attributes, Markup, document, isolated, joined, literal, tag
from irev.output.pages.queries import text_of
from irev.output.pages.report import Board, ReportPage
from irev.output.report import Look, Sort
from irev.output.reports.comparison import ComparisonReport, against_best, directed, found_against_best
from irev.output.reports.grid import AgainstBest, standings
from irev.output.reports.ranking import grade_text
from irev.reading.lists import SHOWN, read_resources
from irev.reading.sources import Source

AT_ONCE = 32
"""Pages of a site that are written at the same time."""

LARGE = 5_000_000
"""Bytes of a page above which there is a word on that."""


@dataclass(frozen=True, eq=False)
class Written(ReportedFinding):
    """A page, and the sheets of its runs, of which a site is made."""

    page: ReportPage
    of_runs: Sequence[ResultSheet]
    choices: ReportChoices

    @cached_property
    def _content(self) -> bytes:
        return self.page.written()

    def write(self, put: Put) -> None:
        if self.choices.site is None:
            put(self.choices.output or "-", [self._content])
            return
        from concurrent.futures import ThreadPoolExecutor

        folder, pages = self.choices.site, site(self.page, self.of_runs)
        # A disk takes its time to keep a file, and hardly more for several.
        with ThreadPoolExecutor(AT_ONCE) as writers:
            while some := [*islice(pages, AT_ONCE)]:
                for inside in {os.path.dirname(name) for name, _ in some}:
                    make_folder(folder, inside)
                for written in [writers.submit(put, os.path.join(folder, name), [content]) for name, content in some]:
                    written.result()

    @property
    def notes(self) -> Iterator[str]:
        if self.choices.site is None and len(self._content) > LARGE:
            without = " without the texts of documents," if self.page.documents else ""
            remedy = f"show fewer documents of each query (--top),{without} or fewer runs"
            yield f"the page has {len(self._content) / 1e6:.1f} MB, which browsers are slow to open; {remedy}"


def answer(inputs: Inputs, choices: ReportChoices) -> Written:
    """The page about runs, and the sheets of these runs, where a site has them."""
    runs = choices.files[1:]
    if choices.site is None:
        require_files(runs)
    requests = inputs.of_single_queries(choices.measures or DEFAULT_MEASURES)
    settings = suited(inputs.settings, requests, inputs.warn)
    inputs = replace(inputs, settings=settings)
    require_pages(requests, settings)
    (coverage,) = parse([f"Unjudged@{choices.top}"])
    on_sheets = () if choices.site is None else tuple(parse(MEASURES, settings.compat))
    every = tuple(dict.fromkeys((*requests, coverage, *(parse(["AP"]) if on_sheets else ()))))
    # A site has no rankings side by side, only documents that differences in the first measure are due to.
    terms = None if choices.site is None else requests[:1]
    evaluated = evaluate(
        inputs, every, digest=True, each_query=True, unjudged=True, show=to_show(choices.top, on_sheets, terms)
    )
    require_same_zeros(evaluated.outcomes, requests, settings)
    warn_of_runs(inputs, evaluated, ties=True)
    outcomes, some = on_same_queries(evaluated.outcomes)
    inputs.say([*not_common_notes(some)])
    by = _ranked_by(choices, requests)
    result = Result(disambiguate(outcomes), settings, policy(settings), evaluated.inputs)
    found = EvaluatedRuns(evaluated, runs, result.outcomes, inputs, choices.top, read_again=choices.site is None)
    comparison, first = _comparison(inputs, choices, result, requests, by, runs)
    page = found.page(requests, comparison, first)
    page = replace(page, coverage=coverage, board=_board(choices, result, by, comparison)).by_rank()
    sheets = found.sheets(on_sheets) if on_sheets else {}
    of_runs = [sheets[outcome.run] for outcome in page.outcomes if sheets]
    return Written(made_by(inputs, page), of_runs, choices)


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


# The pages of a site

INDEX, UP = "index.html", "../index.html"


def site(page: ReportPage, sheets: Sequence[ResultSheet]) -> Iterator[tuple[str, bytes]]:
    """The files of the site, with `page` as its first; `sheets` are those of its runs, in their order."""
    runs = [outcome.run for outcome in page.outcomes]
    queries = [printable(query) for query in page.side.queries]
    of_runs, of_queries = file_names("runs", runs, "html"), file_names("queries", queries, "html")
    board = replace(
        page.board,
        sheets=dict(zip(runs, of_runs, strict=True)),
        queries=dict(zip(page.side.queries, of_queries, strict=True)),
    )
    index = replace(page, board=board, side=replace(page.side, depth=0))
    yield INDEX, index.written()
    for file, sheet in zip(of_runs, sheets, strict=True):
        yield file, sheet.page(UP, page.digits)
    links = [tag("a", {"href": f"../{file}"}, isolated(run)) for run, file in zip(runs, of_runs, strict=True)]
    made = _QueryPages(index, page.side, links)
    for place, file in enumerate(of_queries):
        around = [of_queries[each] if 0 <= each < len(of_queries) else "" for each in (place - 1, place + 1)]
        yield file, made.of(place, queries[place], around)


class _QueryPages:
    """A page for each query; `links` lead to the runs. What all pages have is made once, and rows are filled in."""

    def __init__(self, page: ReportPage, side: SideBySide, links: Sequence[Markup]) -> None:
        self._page, self._side, self._links = page, side, links
        heads = "".join(f'<th scope="col" class="n">{literal(directed(each))}</th>' for each in page.requests)
        self._head = f'<thead><tr><th scope="col" class="n">rank</th><th scope="col">run</th>{heads}</tr></thead>'
        self._row = f'<tr><th scope="row" class="n">%d</th><td>%s</td>{len(page.requests) * _NUMBER}</tr>'

    def of(self, place: int, name: str, around: Sequence[str]) -> bytes:
        """The values of all runs for a query, the best first, and the first documents of the best two."""
        page, side, links = self._page, self._side, self._links
        first, values = page.requests[0], side.values[0][place].tolist()
        sign = 1 if first.better == "lower" else -1
        order = sorted(range(len(links)), key=lambda run: (values[run] != values[run], sign * values[run], run))
        columns = [links, *(table[place] for table in page.values)]
        rows = [self._row % (rank, *(column[run] for column in columns)) for rank, run in enumerate(order, 1)]
        table = Markup(f"<table>{self._head}<tbody>{END.join(rows)}</tbody></table>")
        ways = [tag("a", {"href": UP}, "All runs")]
        for to, said in zip(around, ("‹ Query before", "Query after ›"), strict=True):
            ways += [tag("a", {"href": f"../{to}"}, said)] if to else []
        title = text_of(page.titles.get(side.queries[place]))
        top = tag(
            "header",
            None,
            tag("nav", {"aria-label": "Other pages"}, tag("ul", None, (tag("li", None, way) for way in ways))),
            tag("h1", None, isolated(name)),
            tag("p", {"class": "title"}, isolated(title)) if title else None,
        )
        rankings = (self._ranking(place, run) for run in order[:2]) if side.depth else ()
        cards = tag("div", {"class": "cards"}, rankings)
        parts = (tag("h2", None, "Runs"), _framed(table, "Runs"), tag("h2", None, "First documents of the best"), cards)
        return document(name, joined(top, END, tag("main", None, parts)), scripted=False)

    def _ranking(self, place: int, run: int) -> Markup:
        """The first documents of a run for a query, with their grades and texts."""
        page, side = self._page, self._side
        begin, end = side.begin[place : place + 2].tolist()
        ranks = enumerate(side.rank[begin:end, run].tolist(), begin)
        rows = []
        for rank, at in sorted((rank, at) for at, rank in ranks if 0 < rank <= side.depth):
            name = side.documents[at]
            text = text_of(page.documents.get(name))
            words = tag("span", {"class": "others"}, isolated(text)) if text else ""
            rows.append(_DOCUMENT % (rank, isolated(printable(name)), words, grade_text(float(side.grade[at]))))
        table = Markup(f"<table>{_DOCUMENTS}<tbody>{''.join(rows)}</tbody></table>")
        framed = _framed(table, page.outcomes[run].run)
        return tag("div", {"class": "sheet card"}, tag("h3", None, self._links[run]), framed)


_NUMBER = '<td class="n">%s</td>'

_DOCUMENT = f'<tr><th scope="row" class="n">%d</th><td class="doc">%s%s</td>{_NUMBER}</tr>'

_DOCUMENTS = (
    '<thead><tr><th scope="col" class="n">rank</th><th scope="col">document</th><th scope="col" class="n">grade</th>'
    "</tr></thead>"
)


def _framed(table: Markup, name: str) -> Markup:
    about: Attributes = {"class": "frame", "tabindex": 0, "role": "region", "aria-label": f"Table: {name}"}
    return tag("div", about, table)
