"""A table for pull requests and wikis, in the Markdown that GitHub reads; the best number of each column is bold.

Whatever GitHub could take for markup, in ids too, has a backslash before it.
"""

from __future__ import annotations

import re

from irev.grid import Cell, Grid, grid
from irev.result import Result, Screen

NAMES = "standard"

# Between letters and digits an underscore is no markup, as in names of measures. Addresses become links by themselves.
_SPECIAL = re.compile(r"[\\`*\[\]<>&|~$]|(?<![^\W_])_|_(?![^\W_])|:(?=//)|(?<=\bwww)\.", re.ASCII)

_NARROWEST = 3
"""A delimiter row has three signs in a cell at least."""


def render(result: Result, screen: Screen) -> bytes:
    """The table, and what is to be said about it below. The screen has no influence."""
    table = grid(result)
    rows = [[_cell(cell) for cell in row] for section in table.sections for row in section]
    header = [_text(label) for label in table.header]
    widths = [max(_NARROWEST, *(len(row[place]) for row in [header, *rows])) for place in range(len(header))]
    rules = [f":{'-' * (w - 1)}" if i in table.texts else f"{'-' * (w - 1)}:" for i, w in enumerate(widths)]
    lines = [_line(header, widths, table), _line(rules, widths, table), *(_line(row, widths, table) for row in rows)]
    for note in filter(None, (table.policy, table.remark)):
        lines += ["", _text(note)]
    return ("\n".join(lines) + "\n").encode("utf-8", "replace")


def _line(cells: list[str], widths: list[int], table: Grid) -> str:
    aligned = (
        cell.ljust(width) if place in table.texts else cell.rjust(width)
        for place, (cell, width) in enumerate(zip(cells, widths, strict=True))
    )
    return "| " + " | ".join(aligned) + " |"


def _cell(cell: Cell) -> str:
    return f"**{_text(cell.text)}**" if cell.best else _text(cell.text)


def _text(text: str) -> str:
    return _SPECIAL.sub(r"\\\g<0>", text)
