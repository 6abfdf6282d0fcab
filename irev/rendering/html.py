"""A page with one table, which needs no other file; the best number of each column is bold.

Ids are text, never markup, and one in a script that runs from right to left moves nothing around it. Screen readers are
told which cells are headings, and of what.
"""

from __future__ import annotations

from collections.abc import Iterator
from html import escape

from irev.grid import Cell, Grid, grid
from irev.result import Result, Screen

NAMES = "standard"

_STYLE = """\
:root { color-scheme: light dark; font-family: system-ui, sans-serif; }
table { border-collapse: collapse; }
caption { text-align: left; padding-bottom: 0.6em; }
th, td { padding: 0.2em 0.8em; text-align: left; font-weight: normal; white-space: pre-wrap; }
th[scope="col"] { font-weight: bold; vertical-align: bottom; }
tbody { border-top: 1px solid; }
.number { text-align: right; font-variant-numeric: tabular-nums; }"""


def render(result: Result, screen: Screen) -> bytes:
    """The page. The screen has no influence."""
    return "".join(f"{line}\n" for line in _page(grid(result))).encode("utf-8", "replace")


def _page(table: Grid) -> Iterator[str]:
    title = escape(table.title or "Evaluation")
    yield "<!DOCTYPE html>"
    yield '<html lang="en">'
    yield '<meta charset="utf-8">'
    yield '<meta name="viewport" content="width=device-width">'
    yield f"<title>{title}</title>"
    yield f"<style>\n{_STYLE}\n</style>"
    yield "<table>"
    notes = [f"<bdi>{escape(note)}</bdi>" for note in (table.title, table.policy, table.remark) if note]
    if notes:
        yield f"<caption>{'<br>'.join(notes)}</caption>"
    yield "<thead>"
    yield _row(_heading(label, place, table) for place, label in enumerate(table.header))
    yield "</thead>"
    for section in table.sections:
        yield "<tbody>"
        for row in section:
            yield _row(_cell(cell, place, table) for place, cell in enumerate(row))
        yield "</tbody>"
    yield "</table>"
    yield "</html>"


def _row(cells: Iterator[str]) -> str:
    return f"<tr>{''.join(cells)}</tr>"


def _heading(label: str, place: int, table: Grid) -> str:
    return f'<th scope="col"{_kind(place, table)}>{escape(label)}</th>'


def _cell(cell: Cell, place: int, table: Grid) -> str:
    text = escape(cell.text)
    if place < table.labels:
        return f'<th scope="row"{_kind(place, table)}><bdi>{text}</bdi></th>' if text else "<td></td>"
    return f"<td{_kind(place, table)}>{f'<strong>{text}</strong>' if cell.best else text}</td>"


def _kind(place: int, table: Grid) -> str:
    return "" if place in table.texts else ' class="number"'
