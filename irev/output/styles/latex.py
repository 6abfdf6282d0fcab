"""A table for a paper: a ``tabular`` with the rules of the package booktabs; the best number of each column is bold.

Whatever LaTeX could take for a command, in ids too, is written so that it prints as it is. Letters outside ASCII stand
as they are, in UTF-8. A report has a ``tabular`` for each of its tables, with what is to be said about it below.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace

from irev.base.errors import escaped, without_orders
from irev.output.report import CODE, MARK, Cell, Report, Sheet
from irev.output.terminal import width

NAMES = "standard"

_ESCAPES = {
    "\\": r"\textbackslash{}",
    "~": r"\textasciitilde{}",
    "^": r"\textasciicircum{}",
    "<": r"\textless{}",  # these three are other signs in the fonts of old
    ">": r"\textgreater{}",
    "|": r"\textbar{}",
    '"': r"\symbol{34}",  # begins a command in German texts
    "`": r"\textasciigrave{}",
    "[": "{[}",  # after the end of a row these two are taken for its arguments
    "*": "{*}",
    **{sign: "\\" + sign for sign in "{}&%$#_"},
    "−": "$-$",  # pdfTeX has these in mathematics alone
    "≤": r"$\leq$",
    "≥": r"$\geq$",
    "≠": r"$\neq$",
    "≈": r"$\approx$",
    "∞": r"$\infty$",
    "α": r"$\alpha$",
    "ε": r"$\varepsilon$",
    "τ": r"$\tau$",
    "†": r"\textdagger{}",
    "‡": r"\textdaggerdbl{}",
    "§": r"\S{}",
    "¶": r"\P{}",
    "–": r"\textendash{}",
    "Δ": r"$\Delta$",
}
_SPECIAL = re.compile("[" + re.escape("".join(_ESCAPES)) + "]")
_LIGATURE = re.compile(r"(?<=-)(?=-)|(?<=,)(?=,)|(?<=')(?=')|(?<=:)(?=:)")
"""Between signs that are drawn as another one where they meet; two colons give an order to a log of GitHub."""


def write(report: Report) -> bytes:
    """The tables, with titles and leading sentences as comments; a dagger is the mark of significance.

    What is said about a table stands below it; about one that stands for itself, in comments for a caption, but what a
    mark means is its last row.
    """
    if report.bare:
        return _written([line for sheet in report.sheets for line in _bare(sheet)])
    sheets = list(report.sheets)
    large = [sheet for sheet in sheets if sheet.header and _is_large(sheet)]
    lines = [*_comments(report.title, *report.lead), _NEEDS_FIT if large else _NEEDS]
    for count, sheet in enumerate(sheets):
        lines += [*([""] if count else []), *_comments(sheet.title)]
        if sheet.header:
            tabular = _tabular(sheet, [], minus="$-$")
            lines += _fitted(tabular, r"\linewidth") if sheet in large else tabular
        lines += [_small(_text(note)) for note in sheet.notes]
    return _written([*lines, *map(_legend, report.notes)])


def _bare(sheet: Sheet) -> list[str]:
    if sheet.anchor:
        return _floating(sheet)
    marks = [note for note in sheet.notes if note.startswith(MARK)]
    caption = [note for note in sheet.notes if note not in marks]
    last = [rf"\multicolumn{{{len(sheet.header)}}}{{l}}{{\footnotesize {_text(note)}}} \\" for note in marks]
    tabular, needs = _tabular(sheet, last), _NEEDS
    if _is_large(sheet):
        tabular, needs = _fitted(tabular, r"\linewidth"), _NEEDS_FIT
    return [*_comments(sheet.title, *caption), needs, *tabular]


def _floating(sheet: Sheet) -> list[str]:
    """A whole table with its caption, which stands above it, as captions of tables do, and small notes below.

    One that is much wider than a column stands across all columns of the page. It is made smaller where it may be too
    large.
    """
    points, rows = _points(sheet), tuple(row for section in sheet.sections for row in section)
    kind, room = ("table*", r"\textwidth") if points > _COLUMN / _SMALLEST else ("table", r"\columnwidth")
    fits = points > _COLUMN or len(rows) > PAGE
    tabular = _tabular(replace(sheet, sections=(rows,)), [], minus="$-$")
    return [
        _NEEDS_FIT if fits else _NEEDS,
        rf"\begin{{{kind}}}",
        r"\centering",
        rf"\caption{{{_text(sheet.notes[0])}}}",
        rf"\label{{{sheet.anchor}}}",
        *(_fitted(tabular, room) if fits else tabular),
        r"\par\medskip",
        _small(_text(" ".join(sheet.notes[1:]))),
        rf"\end{{{kind}}}",
    ]


def _points(sheet: Sheet) -> int:
    """About how wide a table is that is set in type of 10 points."""
    rows = [row for section in sheet.sections for row in section]
    columns = (
        max([_across(label), *(_across(row[place].text) + _across(row[place].above) for row in rows)])
        for place, label in enumerate(sheet.header)
    )
    return sum(columns) + _GAP * len(sheet.header)


def _across(text: str) -> int:
    text = escaped(text)
    return _SIGN * width(text) + _CAPITAL * sum(map(str.isupper, text))


def _fitted(tabular: list[str], room: str) -> list[str]:
    """A table that is made smaller where it has no room."""
    begin = rf"\begin{{adjustbox}}{{max width={room}, max totalheight=0.8\textheight}}"
    return [begin, *tabular, r"\end{adjustbox}"]


def _is_large(sheet: Sheet) -> bool:
    return _points(sheet) > _COLUMN or sum(map(len, sheet.sections)) > _LONG


_MINUS = re.compile(r"(?<![\w)])-(?=[\d.])")
"""A hyphen that is the sign of a number."""

_DAGGER = r"\textdagger{}"
_NEEDS = r"% needs \usepackage{booktabs}"
_NEEDS_FIT = r"% needs \usepackage{booktabs} and \usepackage{adjustbox}"

PAGE = 40
"""Rows of a table with a caption that a page holds."""

_COLUMN = 230
"""Points that a table has in a column of a paper that has two: 241 in those of ACM, 252 in IEEE's."""

_SMALLEST = 0.75
"""A table that would have to be made smaller than this stands across both columns."""

_SIGN, _CAPITAL, _GAP = 5, 2, 12
"""Points of a digit, how much more a capital letter takes, and those between two columns of a table."""

_LONG = 45
"""Tables of more rows are longer than a page."""


def _comments(*texts: str) -> list[str]:
    return [f"% {without_orders(escaped(text))}" for text in texts if text]


def _legend(note: str) -> str:
    """A note of a report, which may be the one that says what the mark of significance means."""
    said = note.removeprefix(MARK)
    return _small(_text(note) if said == note else rf"\textsuperscript{{{_DAGGER}}}" + _text(said))


def _small(text: str) -> str:
    """A paragraph below what it is about, no wider than the page."""
    return rf"\par{{\raggedright\footnotesize {text}\par}}"


def _written(lines: list[str]) -> bytes:
    return "\n".join([*lines, ""]).encode("utf-8", "replace")


def _tabular(table: Sheet, end: list[str], minus: str = "-") -> list[str]:
    """The lines of a table, the last of which are given; in columns of numbers with a sign for minus."""
    rows = [row for section in table.sections for row in section]
    # What is raised has a column of its own, so that digits stand below each other.
    numbers = {place for place in range(len(table.header)) if place not in table.texts}
    raised = {place for place in numbers if any(row[place].above for row in rows)}
    kinds = ("l" if place in table.texts else "r@{}l" if place in raised else "r" for place in range(len(table.header)))
    lines = [rf"\begin{{tabular}}{{{''.join(kinds)}}}", r"\toprule"]
    heads = (
        rf"\multicolumn{{2}}{{c}}{{{_text(label)}}}" if place in raised else _text(label)
        for place, label in enumerate(table.header)
    )
    lines.append(_row([*heads]))

    def signed(place: int, text: str) -> str:
        return text if place in table.texts else _MINUS.sub(lambda _: minus, text)

    def cells(row: tuple[Cell, ...]) -> Iterator[str]:
        for place, cell in enumerate(row):
            yield signed(place, _cell(cell)) + ("" if place in raised else _raised(cell))
            if place in raised:
                yield _raised(cell)

    for section in table.sections:
        lines += [r"\midrule", *(_row([*cells(row)]) for row in section)]
    return [*lines, r"\bottomrule", *end, r"\end{tabular}"]


def _raised(cell: Cell) -> str:
    return rf"\textsuperscript{{{_text(cell.above)}}}" if cell.above else ""


def _row(cells: list[str]) -> str:
    return " & ".join(cells) + r" \\"


def _cell(cell: Cell) -> str:
    text = rf"\textbf{{{_text(cell.text)}}}" if cell.best else _text(cell.text)
    if cell.second:
        text = rf"\underline{{{text}}}"
    if cell.tone == CODE:
        text = rf"\texttt{{{text}}}"
    return text + rf"\rlap{{\textsuperscript{{{_DAGGER}}}}}" if cell.significant else text


def _text(text: str) -> str:
    return _LIGATURE.sub("{}", _SPECIAL.sub(lambda found: _ESCAPES[found[0]], escaped(text)))
