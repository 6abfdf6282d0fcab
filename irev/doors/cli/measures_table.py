"""The list of measures for a terminal: a table for each family, all with the same columns.

Where the terminal is too narrow for three columns, what a measure is stands below its names.
"""

from __future__ import annotations

import io
from collections.abc import Sequence

from rich.padding import Padding
from rich.table import Table
from rich.text import Text

from irev.measures.pages import FamilyPage, summary, widths, written
from irev.output.terminal import console

_NARROWEST = 30
_ROOMY = 100
"""Columns of a terminal from which on no name is broken."""
_NAMES = (17, 13)
"""The most columns of the two names where there is less room; a few long names take two lines."""
_SENTENCE = 28
"""The least columns in which a sentence is easy to read beside the names."""


def table(families: Sequence[FamilyPage], width: int, colour: bool) -> str:
    """The families one below the other, in lines of at most `width` columns where that is possible."""
    output = io.StringIO()
    screen = console(output, max(width, _NARROWEST), colour)
    columns = widths(families)
    if screen.width < _ROOMY:
        columns = (min(columns[0], _NAMES[0]), min(columns[1], _NAMES[1]))
    wide = screen.width - sum(columns) - 6 >= _SENTENCE
    for number, family in enumerate(families):
        if number:
            screen.print()
        screen.print(Text(family.title, style="bold"))
        if not wide:
            for measure in family.measures:
                screen.print(Padding(Text("  ".join(written(measure)), style="cyan"), (0, 0, 0, 2)))
                screen.print(Padding(Text(summary(measure)), (0, 0, 0, 4)))
            continue
        grid = Table.grid(padding=(0, 2, 0, 0))
        grid.add_column(width=0)
        for column in columns:
            grid.add_column(width=column, overflow="fold")
        grid.add_column()
        for measure in family.measures:
            name, standard = written(measure)
            grid.add_row("", Text(name, style="cyan"), Text(standard, style="green"), Text(summary(measure)))
        screen.print(grid)
    # Rich fills every line to the width of the table; nobody needs the blanks at its end.
    return "\n".join(line.rstrip(" ") for line in output.getvalue().rstrip("\n").split("\n"))
