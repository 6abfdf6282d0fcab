"""The page about runs as a site: a page of its own for each run, its sheet, and for each query; all of them static.

Addresses are relative, and names of files are letters, digits, ``-``, ``_`` and ``.``, so that it works from a disk and
on any host.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import replace

from irev.base.errors import printable
from irev.evaluation.side_by_side import SideBySide
from irev.output.pages.html import END, Attributes, Markup, document, isolated, joined, literal, tag
from irev.output.pages.queries import text_of
from irev.output.pages.report import ReportPage
from irev.output.report import Form, Look
from irev.output.reports.comparison import directed
from irev.output.reports.ranking import grade_text
from irev.questions.curves.sheet import ResultSheet

INDEX, UP = "index.html", "../index.html"

_LONGEST = 60
"""Characters of the name of a file."""

_RESERVED = ("con", "prn", "aux", "nul", *(f"{port}{number}" for port in ("com", "lpt") for number in range(10)))
"""What no file can be called on Windows, whatever its ending."""


def file_names(folder: str, names: Sequence[str]) -> list[str]:
    """A file for each name, no two alike on any system: ``runs/bm25.html``."""
    taken = {*_RESERVED}
    last: dict[str, int] = {}
    found = []
    for name in names:
        plain = re.sub(r"[^A-Za-z0-9_-]+", "-", name)[:_LONGEST].strip("-") or "x"
        file, number = plain, last.get(plain.casefold(), 1)
        while file.casefold() in taken:
            number += 1
            file = f"{plain}-{number}"
        last[plain.casefold()] = number
        taken.add(file.casefold())
        found.append(f"{folder}/{file}.html")
    return found


def site(page: ReportPage, sheets: Sequence[ResultSheet]) -> Iterator[tuple[str, bytes]]:
    """The files of the site, with `page` as its first; `sheets` are those of its runs, in their order."""
    runs = [outcome.run for outcome in page.outcomes]
    queries = [printable(query) for query in page.side.queries]
    of_runs, of_queries = file_names("runs", runs), file_names("queries", queries)
    board = replace(
        page.board,
        sheets=dict(zip(runs, of_runs, strict=True)),
        queries=dict(zip(page.side.queries, of_queries, strict=True)),
    )
    index = replace(page, board=board, side=replace(page.side, depth=0))
    yield INDEX, index.written()
    for file, sheet in zip(of_runs, sheets, strict=True):
        yield file, sheet.seen(Look("standard", page.digits)).drawn(Form("html"), up=UP)
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
