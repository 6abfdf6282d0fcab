"""The tables that all styles write, as parts of a page: each in a frame that scrolls by itself where it is too wide."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from irev.errors import escaped
from irev.output.html_escapes import literal
from irev.output.pages.html import END, Attributes, Markup, isolated, tag
from irev.output.report import MARK, Cell, Report, Sheet
from irev.output.widths import width


def tables(report: Report, level: int = 3) -> Iterator[Markup]:
    """Sentences and tables of a report, in their order."""
    yield from sentences(report.lead)
    for sheet in report.sheets:
        yield from sheet_of(sheet, level)
    yield from sentences(report.notes, "note")


def sentences(texts: Iterable[str], kind: str | None = None) -> Iterator[Markup]:
    """A paragraph for each."""
    for text in texts:
        yield tag("p", {"class": kind}, isolated(text))


def sheet_of(sheet: Sheet, level: int = 3) -> Iterator[Markup]:
    """A sheet with its heading, and its notes below."""
    if sheet.header:
        yield framed(table(sheet), sheet.title, level)
    yield from sentences(sheet.notes, "note")


def framed(table: Markup, title: str, level: int = 3, name: str | None = None) -> Markup:
    """A table below its heading, in a frame that can be scrolled, by keys too."""
    heading = tag(f"h{level}", None, isolated(title)) if title else None
    region: Attributes = {"class": "frame", "tabindex": 0, "role": "region", "aria-label": f"Table: {name or title}"}
    return tag("div", {"class": "sheet"}, heading, tag("div", region, table))


def folded(sheet: Sheet, title: str, kind: str = "") -> Markup:
    """A table as lines of text below its title, opened by a click: few elements however many cells there are.

    It reads and prints without the script, which makes a table of it when it is opened: a tab ends each cell.
    """
    rows = [sheet.header, *(tuple(map(_in_a_line, row)) for section in sheet.sections for row in section)]
    widths = [max(map(width, column)) for column in zip(*rows, strict=True)]
    lines = (
        "\t".join(
            literal(text + room if place in sheet.texts else room + text)
            for place, (text, most) in enumerate(zip(row, widths, strict=True))
            for room in (" " * (most - width(text)),)
        ).rstrip(" ")
        for row in rows
    )
    region: Attributes = {"class": "frame", "tabindex": 0, "role": "region", "aria-label": f"Table: {title}"}
    texts = " ".join(map(str, sorted(sheet.texts)))
    about: Attributes = {"class": f"sheet folded {kind}".strip(), "data-labels": sheet.labels, "data-texts": texts}
    pre = tag("pre", None, Markup(END.join(lines)))
    return tag("details", about, tag("summary", None, title), tag("div", region, pre))


def _in_a_line(cell: Cell) -> str:
    return escaped(cell.text + MARK * cell.significant)


def table(sheet: Sheet) -> Markup:
    """The table itself."""
    head = tag("thead", None, tag("tr", None, (_heading(label, i, sheet) for i, label in enumerate(sheet.header))))
    bodies = (
        tag("tbody", None, (tag("tr", None, (_cell(cell, i, sheet) for i, cell in enumerate(row))) for row in section))
        for section in sheet.sections
    )
    return tag("table", None, head, bodies)


def _heading(label: str, place: int, sheet: Sheet) -> Markup:
    return tag("th", {"scope": "col", "class": _class(place, sheet)}, label)


def _cell(cell: Cell, place: int, sheet: Sheet) -> Markup:
    kind = _class(place, sheet, cell.tone)
    if place < sheet.labels and cell.text:
        return tag("th", {"scope": "row", "class": kind}, cell.text)
    text = tag("strong", None, cell.text) if cell.best else tag("u", None, cell.text) if cell.second else cell.text
    return tag("td", {"class": kind}, text, MARK if cell.significant else None)


def _class(place: int, sheet: Sheet, tone: str = "") -> str | None:
    return " ".join(filter(None, ("" if place in sheet.texts else "n", tone))) or None
