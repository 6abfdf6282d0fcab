"""A table for a paper: a ``tabular`` with the rules of the package booktabs; the best number of each column is bold.

Whatever LaTeX could take for a command, in ids too, is written so that it prints as it is. Letters outside ASCII stand
as they are, in UTF-8.
"""

from __future__ import annotations

import re

from irev.grid import Cell, grid
from irev.result import Result, Screen

NAMES = "standard"

_ESCAPES = {
    "\\": r"\textbackslash{}",
    "~": r"\textasciitilde{}",
    "^": r"\textasciicircum{}",
    "<": r"\textless{}",  # these three are other signs in the fonts of old
    ">": r"\textgreater{}",
    "|": r"\textbar{}",
    '"': r"\symbol{34}",  # begins a command in German texts
    "'": r"\textquotesingle{}",
    "`": r"\textasciigrave{}",
    "[": "{[}",  # after the end of a row these two are taken for its arguments
    "*": "{*}",
    **{sign: "\\" + sign for sign in "{}&%$#_"},
}
_SPECIAL = re.compile("[" + re.escape("".join(_ESCAPES)) + "]")
_LIGATURE = re.compile(r"(?<=-)(?=-)|(?<=,)(?=,)")
"""Between signs that are drawn as another one where they meet."""


def render(result: Result, screen: Screen) -> bytes:
    """The table, with what is to be said about it as comments above. The screen has no influence."""
    table = grid(result)
    columns = "".join("l" if place in table.texts else "r" for place in range(len(table.header)))
    comments = [*filter(None, (table.title, table.policy)), r"needs \usepackage{booktabs}"]
    lines = [*(f"% {comment}" for comment in comments), rf"\begin{{tabular}}{{{columns}}}", r"\toprule"]
    lines.append(_row([_text(label) for label in table.header]))
    for section in table.sections:
        lines += [r"\midrule", *(_row([_cell(cell) for cell in row]) for row in section)]
    lines.append(r"\bottomrule")
    if table.remark:
        lines.append(rf"\multicolumn{{{len(columns)}}}{{l}}{{\footnotesize {_text(table.remark)}}} \\")
    return "\n".join([*lines, r"\end{tabular}", ""]).encode("utf-8", "replace")


def _row(cells: list[str]) -> str:
    return " & ".join(cells) + r" \\"


def _cell(cell: Cell) -> str:
    return rf"\textbf{{{_text(cell.text)}}}" if cell.best else _text(cell.text)


def _text(text: str) -> str:
    return _LIGATURE.sub("{}", _SPECIAL.sub(lambda found: _ESCAPES[found[0]], text))
