"""A table for pull requests and wikis, in the Markdown that GitHub reads; the best number of each column is bold.

What GitHub could take for markup, in ids too, is escaped (see `irev.output.markdown_escapes`). A report has a heading,
and one above each table that has a title.
"""

from __future__ import annotations

from irev.errors import escaped, without_orders
from irev.output.markdown_escapes import literal, paragraph
from irev.output.report import CODE, MARK, Cell, Report, Sheet

NAMES = "standard"
OBEYS = ("digits", "sort", "details", "layout", "groups", "titles", "documents", "top", "everything")

_NARROWEST = 3
"""A delimiter row has three signs in a cell at least."""


def write(report: Report) -> bytes:
    """Headings, sentences and tables; tables that stand for themselves have no headings."""
    parts = [] if report.bare else [f"## {literal(report.title)}" if report.title else ""]
    parts += map(paragraph, report.lead)
    for sheet in report.sheets:
        parts.append(f"### {literal(sheet.title)}" if sheet.title and not report.bare else "")
        parts.append(_table(sheet) if sheet.header else "")
        parts += map(paragraph, sheet.notes)
    return _parted([*parts, *map(paragraph, report.notes)])


def _parted(parts: list[str]) -> bytes:
    """Parts with an empty line between them."""
    return ("\n\n".join(filter(None, parts)) + "\n").encode("utf-8", "replace")


def _table(table: Sheet) -> str:
    rows = [[_cell(cell) for cell in row] for section in table.sections for row in section]
    header = [literal(label) for label in table.header]
    widths = [max(_NARROWEST, *(len(row[place]) for row in [header, *rows])) for place in range(len(header))]
    rules = [f":{'-' * (w - 1)}" if i in table.texts else f"{'-' * (w - 1)}:" for i, w in enumerate(widths)]
    return "\n".join(_line(cells, widths, table) for cells in (header, rules, *rows))


def _line(cells: list[str], widths: list[int], table: Sheet) -> str:
    aligned = (
        cell.ljust(width) if place in table.texts else cell.rjust(width)
        for place, (cell, width) in enumerate(zip(cells, widths, strict=True))
    )
    return "| " + " | ".join(aligned) + " |"


def _cell(cell: Cell) -> str:
    if cell.tone == CODE and "`" not in cell.text and "|" not in cell.text:
        return f"`{without_orders(escaped(cell.text))}`"
    text = f"**{literal(cell.text)}**" if cell.best else literal(cell.text)
    if cell.second:  # which is underlined, where the element for that is taken away
        text = f"<ins>{text}</ins>"
    if cell.above:
        text += f"<sup>{literal(cell.above)}</sup>"
    return text + literal(MARK) if cell.significant else text
