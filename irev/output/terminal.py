"""Terminals: how many columns texts and tables take there, and the console of rich that tables are drawn on."""

from __future__ import annotations

import io
import re
import unicodedata
from typing import TYPE_CHECKING

from irev.base.errors import escaped
from irev.output.report import Sheet

if TYPE_CHECKING:
    from rich.console import Console


GAP = 2
"""Blanks between two columns: one of padding, one between cells."""

LABEL = 11
"""Labels above a column are broken when they are longer than this."""


def width(text: str) -> int:
    """How many columns of a terminal a text takes."""
    if text.isascii():
        return len(text)
    return sum(
        0 if unicodedata.combining(character) else 2 if unicodedata.east_asian_width(character) in "WF" else 1
        for character in text
    )


def broken(label: str) -> str:
    """A label on several lines, each as much of it as fits; a line can begin with a sign that parts words."""
    lines = [""]
    for word in filter(None, re.findall("[ _(,@]?[^ _(,@]*", label)):
        if lines[-1] and len(lines[-1] + word) > LABEL:
            lines.append("")
        lines[-1] += word
    return "\n".join(line.strip(" ") for line in lines)


def shortened(text: str, most: int) -> str:
    """A text of at most so many columns, of which the middle is left out where it has more."""
    if width(text) <= most:
        return text
    head, tail = text, text
    while width(head) > most // 2:
        head = head[:-1]
    while width(tail) > most - 1 - width(head):
        tail = tail[1:]
    return f"{head}…{tail}"


_RIGHT_TO_LEFT = "\u0590-\u08ff\ufb1d-\ufdff\ufe70-\ufeff\U00010800-\U00010fff\U0001e800-\U0001efff"
_ANY = re.compile(f"[{_RIGHT_TO_LEFT}]")
_CELL = re.compile(r"\S(?:\S| (?!(?:\x1b\[[0-9;]*m)*(?:\s|$)))*")
"""A stretch without two blanks; the lines between columns of a table have more, with colours between them perhaps."""

_WORD = rf"\S*[{_RIGHT_TO_LEFT}]\S*?(?=[,;:.]*(?:\s|$))"
_WORDS = re.compile(f"{_WORD}(?: {_WORD})*")


def isolated(lines: str) -> str:
    """Lines in which texts in scripts that run from right to left, such as Hebrew, move nothing beside them.

    Each cell of a table that begins with one, up to the blanks between two columns, stands between signs that take no
    room, and so do such words in sentences and titles.
    """
    if not _ANY.search(lines):
        return lines
    return "".join(map(_isolated, lines.splitlines(keepends=True)))


def _isolated(line: str) -> str:
    in_columns = len(_CELL.findall(line)) > 1

    def cell(found: re.Match[str]) -> str:
        texts = _CELL if in_columns and _ANY.search(found[0].split()[0]) else _WORDS
        return texts.sub("\u2068\\g<0>\u2069", found[0])

    return _CELL.sub(cell, line)


def width_of(sheet: Sheet) -> int:
    """How many columns of a terminal a sheet takes."""
    rows = [[width(escaped(cell.text)) for cell in row] for section in sheet.sections for row in section]
    labels = map(escaped, sheet.header)
    widths: list[int] = [
        max([width(label) if len(label) <= LABEL else max(map(width, label.split())), *column])
        for label, *column in zip(labels, *rows, strict=True)
    ]
    return sum(widths) + GAP * len(widths)


def console(output: io.StringIO, width: int, colour: bool) -> Console:
    """A console that writes to `output`, never to the terminal, and takes nothing in a text for markup."""
    from rich.console import Console

    return Console(
        file=output,
        width=width,
        force_terminal=colour,
        color_system="standard" if colour else None,
        highlight=False,
        emoji=False,
        markup=False,
        legacy_windows=False,
    )
