"""A table for people: measures as rows, or, query by query, measures as columns.

When the columns of all measures do not fit the screen they are spread over several tables, one below the other, so that
it can be read at 80 columns. Ids are text, never markup, and control characters in them are shown escaped.
"""

from __future__ import annotations

import io
import re
from collections.abc import Iterator, Sequence

from rich import box
from rich.console import Console
from rich.table import Table
from rich.text import Text

from irev.errors import printable
from irev.result import Result, Screen

_GAP = 2
"""Blanks between two columns: one of padding, one between cells."""

_LABEL = 11
"""Labels above a column are broken at an underscore when they are longer than this."""

_NARROWEST = 20


def render(result: Result, screen: Screen) -> bytes:
    """The result as one table or several."""
    output = io.StringIO()
    console = Console(
        file=output,
        width=max(screen.width, _NARROWEST),
        force_terminal=screen.colour,
        color_system="standard" if screen.colour else None,
        highlight=False,
        emoji=False,
        markup=False,
        legacy_windows=False,
    )
    for number, table in enumerate(_by_query(result, screen) if result.per_query else _summary(result)):
        if number:
            console.print()
        console.print(table)
    if result.policy:
        count = "1 query" if result.scores.considered == 1 else f"{result.scores.considered} queries"
        console.print()
        console.print(Text(f"{count}: {result.policy}"), style="dim")
    # Rich fills every line to the width of the table; nobody needs the blanks at its end.
    lines = (line.rstrip(" ") for line in output.getvalue().split("\n"))
    return "\n".join(lines).encode("utf-8", "replace")


def _shown(value: float | int | bytes | None) -> str:
    if value is None:
        return ""
    if isinstance(value, bytes):
        return printable(value)
    return str(value) if isinstance(value, int) else f"{value:.4f}"


def _table() -> Table:
    return Table(box=box.SIMPLE_HEAD, show_edge=False, pad_edge=False, padding=(0, 1, 0, 0), header_style="bold")


def _summary(result: Result) -> Iterator[Table]:
    if not result.summarised:
        return
    table = _table()
    table.add_column("measure", no_wrap=True)
    table.add_column(Text("all queries"), justify="right", overflow="fold")
    for column, value in zip(result.scores.columns, result.summary.values, strict=True):
        if value is not None:
            table.add_row(Text(column.request.label), Text(_shown(value)))
    yield table


def _by_query(result: Result, screen: Screen) -> Iterator[Table]:
    queries = [printable(query) for query in result.scores.queries]
    columns: list[tuple[str, list[str]]] = []
    for column, value in zip(result.scores.columns, result.summary.values, strict=True):
        per_query = column.request.measure.per_query
        cells = [_shown(v) for v in column.values.tolist()] if per_query else [""] * len(queries)
        if result.summarised:
            cells.append(_shown(value))
        if per_query or result.summarised:
            columns.append((_broken(column.request.label), cells))
    names = [*queries, "all"] if result.summarised else queries
    first = min(max(map(len, ["query", *names])), screen.width // 2)
    for group in _fitting(columns, screen.width - first - _GAP):
        table = _table()
        table.add_column("query", overflow="fold", max_width=first)
        for label, _ in group:
            table.add_column(Text(label, justify="right"), justify="right", overflow="fold")
        for row, name in enumerate(names):
            if row == len(queries):
                table.add_section()
            style = "bold" if row == len(queries) else ""
            table.add_row(Text(name), *(Text(cells[row]) for _, cells in group), style=style)
        yield table


def _broken(label: str) -> str:
    """A label on several lines, each as many of its words as fit."""
    lines = [""]
    for word in re.findall(r"_?[^_]*", label):
        if lines[-1] and len(lines[-1] + word) > _LABEL:
            lines.append("")
        lines[-1] += word
    return "\n".join(lines)


def _fitting(columns: Sequence[tuple[str, list[str]]], width: int) -> Iterator[list[tuple[str, list[str]]]]:
    """The columns in groups, each no wider than `width` where that is possible."""
    group: list[tuple[str, list[str]]] = []
    used = 0
    for label, cells in columns:
        needed = max(map(len, [*label.split("\n"), *cells])) + _GAP
        if group and used + needed > width:
            yield group
            group, used = [], 0
        group.append((label, cells))
        used += needed
    if group:
        yield group
