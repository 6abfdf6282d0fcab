"""A table for pull requests and wikis, in the Markdown that GitHub reads; the best number of each column is bold.

A report has a heading, and one above each table that has a title. Ids and names are from strangers, and must not become
markup. GitHub does more with text than Markdown does: it makes links of addresses, tells the people and teams that are
mentioned, notes in an issue that it was referred to, and draws emoji. A backslash keeps Markdown away. The rest looks
at the text that came out of it, so only a character between helps: one that takes no room.
"""

from __future__ import annotations

import re

from irev.base.errors import escaped, without_orders
from irev.output.report import CODE, MARK, Cell, Report, Sheet

NAMES = "standard"

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


APART = "\N{ZERO WIDTH SPACE}"

# Between letters and digits an underscore is no markup, as in names of measures. Addresses become links by themselves.
_SPECIAL = re.compile(r"[\\`*\[\]<>&|~$]|(?<![^\W_])_|_(?![^\W_])|:(?=//)|(?<=\bwww)\.", re.ASCII)

# A name of a measure such as nDCG@10 mentions nobody, and is to be copied as it is.
_TELLING = re.compile(
    r"""
      (?<![A-Za-z0-9])@(?!(?<=\)@)\d+(?!\w))   # @user, @organisation/team, and not P(rel=2)@3
    | @(?=[\w.+-]*\.\w)            # user@host.example
    | \#(?=\d)                     # #12
    | \bGH-(?=\d)                  # GH-12
    | :(?=[\w+-]+:)                # :tada:
    """,
    re.ASCII | re.IGNORECASE | re.VERBOSE,
)

_OPENING = re.compile(r"^(?:[#+=-]|:(?=:)|\d+(?=[.)]))")
"""What makes a heading, a list or a rule of a line that begins with it, or an order to a log."""


def apart(text: str) -> str:
    """Text in which GitHub finds no mention, reference or emoji; signs of markup are left as they are."""
    return _TELLING.sub(rf"\g<0>{APART}", text)


def literal(text: str) -> str:
    """Text for a cell of a table, or for the middle of a line."""
    return _SPECIAL.sub(r"\\\g<0>", apart(escaped(text)))


def paragraph(text: str) -> str:
    """Text for a paragraph of its own."""
    return _OPENING.sub(_escaped, literal(text.strip()))


def _escaped(opening: re.Match[str]) -> str:
    """A backslash before a sign, or between a number and what makes it one of a list."""
    return f"{opening[0]}\\" if opening[0].isdigit() else f"\\{opening[0]}"
