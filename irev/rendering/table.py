"""A table for people: measures as rows, aggregates and bounds as columns, or, query by query, measures as columns.

When the columns of all measures do not fit the screen they are spread over several tables, one below the other, so that
it can be read at 80 columns. Ids are text, never markup, and control characters in them are shown escaped.
"""

from __future__ import annotations

import io
import re
from collections.abc import Iterator, Sequence
from dataclasses import replace

from rich import box
from rich.console import Console
from rich.table import Table
from rich.text import Text

from irev.errors import printable
from irev.measures import Request
from irev.result import Result, Screen, told_apart

_GAP = 2
"""Blanks between two columns: one of padding, one between cells."""

_LABEL = 11
"""Labels above a column are broken when they are longer than this."""

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
    rows: dict[Request, dict[str, str]] = {}
    for column, value in zip(result.scores.columns, result.summary.values, strict=True):
        if value is not None:
            row = rows.setdefault(replace(column.request.base, bound=""), {})
            row[_heading(column.request, result)] = _shown(value)
    headings = list(dict.fromkeys(heading for row in rows.values() for heading in row))
    table = _table()
    table.add_column("measure", overflow="fold")
    for heading in headings:
        table.add_column(Text(heading), justify="right", overflow="fold")
    for request, row in rows.items():
        table.add_row(Text(result.name(request)), *(Text(row.get(heading, "")) for heading in headings))
    yield table


def _heading(request: Request, result: Result) -> str:
    """What a number for all queries is: ``all queries``, or its aggregate where there are several; and which bound."""
    several = any(column.request.aggregate for column in result.scores.columns)
    name = request.aggregate or (request.measure.summary if several and request.measure.numeric else "")
    return " ".join(filter(None, (name, request.bound))) or "all queries"


def _by_query(result: Result, screen: Screen) -> Iterator[Table]:
    queries = [printable(told_apart(query)) for query in result.scores.queries]
    summary = {c.request: v for c, v in zip(result.scores.columns, result.summary.values, strict=True)}
    ends = list(dict.fromkeys(_end(request, result) for request in summary)) if result.summarised else []
    columns: dict[Request, list[str]] = {}
    for column in result.columns:
        columns[column.request] = [*map(_shown, column.values.tolist()), *([""] * len(ends))]
    for request, value in summary.items():
        if result.summarised:
            cells = columns.setdefault(request.base, [""] * (len(queries) + len(ends)))
            cells[len(queries) + ends.index(_end(request, result))] = _shown(value)
    names = [*queries, *ends]
    first = min(max(map(len, ["query", *names])), screen.width // 2)
    labelled = [(_broken(result.name(request)), cells) for request, cells in columns.items()]
    for group in _fitting(labelled, screen.width - first - _GAP):
        table = _table()
        table.add_column("query", overflow="fold", max_width=first)
        for label, _ in group:
            table.add_column(Text(label, justify="right"), justify="right", overflow="fold")
        for row, name in enumerate(names):
            if row == len(queries):
                table.add_section()
            style = "bold" if row >= len(queries) else ""
            table.add_row(Text(name), *(Text(cells[row]) for _, cells in group), style=style)
        yield table


def _end(request: Request, result: Result) -> str:
    """The name of the row at the end that a number for all queries stands in."""
    heading = _heading(replace(request, bound=""), result)
    return "all" if heading == "all queries" else f"all, {heading}"


def _broken(label: str) -> str:
    """A label on several lines, each as much of it as fits."""
    lines = [""]
    for word in re.findall(r"[_(,@]?[^_(,@]*", label):
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
