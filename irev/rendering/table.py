"""Tables for people.

One run has its measures as rows, and aggregates and bounds as columns; or, query by query, measures as columns. Several
runs, sets of judgments or groups are rows, measures columns; query by query, each measure has a table of which run was
best and worst. When columns do not fit the screen they are spread over several tables, one below the other, so that it
can be read at 80 columns. Ids are text, never markup, and control characters in them are shown escaped.
"""

from __future__ import annotations

import io
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

import numpy as np
from rich import box
from rich.console import Console
from rich.table import Table
from rich.text import Text

from irev.errors import printable
from irev.grid import MARK, heading, named, notes, shown
from irev.measures import Request
from irev.result import Outcome, Result, Screen, number, order, summary_rows, told_apart
from irev.tidy import size_of

NAMES = "standard"

_GAP = 2
"""Blanks between two columns: one of padding, one between cells."""

_LABEL = 11
"""Labels above a column are broken when they are longer than this."""

_NARROWEST = 20

_BAR = 10
"""Width of a bar that shows a value."""


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
    for count, table in enumerate(_tables(result, screen)):
        if count:
            console.print()
        console.print(table)
    for count, note in enumerate(filter(None, notes(result))):
        if not count:
            console.print()
        console.print(Text(note), style="dim")
    # Rich fills every line to the width of the table; nobody needs the blanks at its end.
    lines = (line.rstrip(" ") for line in output.getvalue().split("\n"))
    return "\n".join(lines).encode("utf-8", "replace")


def _tables(result: Result, screen: Screen) -> Iterator[Table]:
    if len(result.outcomes) > 1:
        if result.per_query:
            yield from _compared(result, screen)
        if result.summarised:
            yield from _rows(result, screen)
    else:
        if result.per_query:
            yield from _by_query(result, screen)
        if result.grouped and result.summarised:
            yield from _rows(result, screen)
        elif not result.per_query:
            yield from _summary(result)


@dataclass(frozen=True)
class _Column:
    """A column of a table: what stands above it, and a cell for each row."""

    label: str
    cells: list[str]
    left: bool = False

    @property
    def width(self) -> int:
        return max(map(len, [*self.label.split("\n"), *self.cells])) + _GAP


def _table(title: str = "") -> Table:
    return Table(
        box=box.SIMPLE_HEAD,
        show_edge=False,
        pad_edge=False,
        padding=(0, 1, 0, 0),
        header_style="bold",
        title=Text(title, style="bold") if title else None,
        title_justify="left",
    )


def _drawn(
    fixed: Sequence[_Column], others: Sequence[_Column], screen: Screen, ends: int, title: str = ""
) -> Iterator[Table]:
    """The columns in as many tables as it takes, each with the fixed ones; a rule before the last `ends` rows."""
    rows = len((*fixed, *others)[0].cells)
    limit = max(screen.width // 2, 6)
    used = sum(min(column.width, limit) for column in fixed)
    for group in _fitting(others, screen.width - used):
        table = _table(title)
        for column in fixed:
            right = "left" if column.left else "right"
            table.add_column(Text(column.label), justify=right, overflow="fold", max_width=limit)  # type: ignore[arg-type]
        for column in group:
            justify = "left" if column.left else "right"
            table.add_column(Text(column.label, justify=justify), justify=justify, overflow="fold")  # type: ignore[arg-type]
        for row in range(rows):
            if ends and row == rows - ends:
                table.add_section()
            style = "bold" if row >= rows - ends else ""
            table.add_row(*(Text(column.cells[row]) for column in (*fixed, *group)), style=style)
        yield table


def _fitting(columns: Sequence[_Column], width: int) -> Iterator[list[_Column]]:
    """The columns in groups, each no wider than `width` where that is possible."""
    group: list[_Column] = []
    used = 0
    for column in columns:
        if group and used + column.width > width:
            yield group
            group, used = [], 0
        group.append(column)
        used += column.width
    if group or not columns:
        yield group


def _broken(label: str) -> str:
    """A label on several lines, each as much of it as fits."""
    lines = [""]
    for word in filter(None, re.findall(r"[_(,@]?[^_(,@]*", label)):
        if lines[-1] and len(lines[-1] + word) > _LABEL:
            lines.append("")
        lines[-1] += word
    return "\n".join(lines)


# One run


def _summary(result: Result) -> Iterator[Table]:
    """Measures as rows, aggregates and bounds as columns."""
    (outcome,) = result.outcomes
    rows: dict[Request, dict[str, str]] = {}
    for request, value in next(summary_rows(outcome)).values:
        row = rows.setdefault(replace(request.base, bound=""), {})
        row[heading(request, result)] = shown(value, result)
    headings = list(dict.fromkeys(above for row in rows.values() for above in row))
    table = _table()
    table.add_column("measure", overflow="fold")
    for above in headings:
        table.add_column(Text(above), justify="right", overflow="fold")
    for request, row in rows.items():
        table.add_row(Text(result.name(request)), *(Text(row.get(above, "")) for above in headings))
    yield table


def _by_query(result: Result, screen: Screen) -> Iterator[Table]:
    """Queries as rows, measures as columns; then the numbers for all of them."""
    (outcome,) = result.outcomes
    places = order(outcome, result.sort)
    queries = [printable(told_apart(outcome.scores.queries[i], result.grouped)) for i in places]
    summary = next(summary_rows(outcome)).values if result.summarised else ()
    ends = list(dict.fromkeys(_end(request, result) for request, _ in summary))
    cells: dict[Request, list[str]] = {}
    for column in outcome.columns:
        values = column.values.tolist()
        cells[column.request] = [*(shown(values[i], result) for i in places), *([""] * len(ends))]
    for request, value in summary:
        column_cells = cells.setdefault(request.base, [""] * (len(queries) + len(ends)))
        column_cells[len(queries) + ends.index(_end(request, result))] = shown(value, result)
    columns = []
    for request, texts in cells.items():
        columns.append(_Column(_broken(result.name(request)), texts))
        if result.sort is not None and request == result.sort.base:
            columns.append(_Column("", [*_bars(outcome, request, places), *([""] * len(ends))], left=True))
    names = _Column("query", [*queries, *ends], left=True)
    if sum(column.width for column in (names, *columns)) > screen.width:  # bars are for those who have room
        columns = [column for column in columns if column.label]
    yield from _drawn([names], columns, screen, len(ends))


def _bars(outcome: Outcome, request: Request, places: list[int]) -> list[str]:
    """A bar for each query, as long as its share of 1, or of the highest value above that."""
    (values,) = (column.values for column in outcome.columns if column.request == request)
    finite = np.where(np.isfinite(values), values, 0.0)
    most = max(float(finite.max(initial=0.0)), 1.0)
    return ["█" * round(_BAR * max(float(finite[i]), 0.0) / most) for i in places]


def _end(request: Request, result: Result) -> str:
    """The name of the row at the end that a number for all queries stands in."""
    above = heading(replace(request, bound=""), result)
    return "all" if above == "all queries" else f"all, {above}"


# Several runs, sets of judgments or groups


def _rows(result: Result, screen: Screen) -> Iterator[Table]:
    """Runs, sets of judgments and groups as rows, measures as columns."""
    rows = [row for outcome in result.outcomes for row in summary_rows(outcome)]
    fixed = []
    if result.several_runs:
        fixed.append(_Column("run", [_run(row.outcome, result) for row in rows], left=True))
    if result.several_qrels:
        fixed.append(_Column("qrels", [named(row.outcome.qrels) for row in rows], left=True))
    if result.grouped:
        fixed.append(
            _Column("group", ["all" if row.group is None else printable(row.group.name) for row in rows], left=True)
        )
        fixed.append(_Column("queries", [str(size_of(row)) for row in rows]))
    if result.several_qrels:
        shares = [number(row.outcome.facts.judged_share, 2) if row.group is None else "" for row in rows]
        fixed.append(_Column("judged", shares))
    columns = []
    for request in dict.fromkeys(request for row in rows for request, _ in row.values):
        if request.measure.kind != "text":
            cells = [shown(dict(row.values).get(request), result) for row in rows]
            columns.append(_Column(_broken(result.name(request)), cells))
    yield from _drawn(fixed, columns, screen, 0)


def _run(outcome: Outcome, result: Result) -> str:
    return named(outcome.run) + (MARK if result.is_odd(outcome) else "")


def _compared(result: Result, screen: Screen) -> Iterator[Table]:
    """For each measure the queries as rows, with the best, median and worst value, and whose it was."""
    for qrels in dict.fromkeys(outcome.qrels for outcome in result.outcomes):
        outcomes = [outcome for outcome in result.outcomes if outcome.qrels == qrels]
        queries = sorted({query for outcome in outcomes for query in outcome.scores.queries})
        for place, column in enumerate(outcomes[0].columns):
            if column.request.measure.kind == "text":
                continue
            title = result.name(column.request) + (f", {named(qrels)}" if result.several_qrels else "")
            values = [
                dict(zip(each.scores.queries, each.columns[place].values.tolist(), strict=True)) for each in outcomes
            ]
            yield from _comparison(result, screen, title, column.request, outcomes, queries, values)


def _comparison(
    result: Result,
    screen: Screen,
    title: str,
    request: Request,
    outcomes: list[Outcome],
    queries: list[bytes],
    values: list[dict[bytes, float]],
) -> Iterator[Table]:
    names = [named(outcome.run) for outcome in outcomes]
    sign = -1 if request.measure.better == "lower" else 1
    best: list[str] = []
    best_run: list[str] = []
    median: list[str] = []
    worst: list[str] = []
    worst_run: list[str] = []
    medians: list[float] = []
    for query in queries:
        has = [(value[query], name) for value, name in zip(values, names, strict=True) if query in value]
        ordered = sorted((value for value, _ in has), key=lambda value: sign * value)
        middle = float(np.median(ordered))
        medians.append(sign * middle)
        best.append(shown(ordered[-1], result))
        worst.append(shown(ordered[0], result))
        median.append(number(middle, result.digits))
        best_run.append(_those(has, ordered[-1]))
        worst_run.append(_those(has, ordered[0]))
    places = list(range(len(queries)))
    if result.sort is not None and result.sort.base == request:
        places.sort(key=lambda i: medians[i])
    asked = [printable(told_apart(query, result.grouped)) for query in queries]
    columns = [("best", best, False), ("run", best_run, True), ("median", median, False)]
    columns += [("worst", worst, False), ("run", worst_run, True)]
    fixed = [_Column("query", [asked[i] for i in places], left=True)]
    drawn = [_Column(label, [cells[i] for i in places], left) for label, cells, left in columns]
    yield from _drawn(fixed, drawn, screen, 0, title)


def _those(has: list[tuple[float, str]], value: float) -> str:
    """The run that has a value, or the first and how many others."""
    runs = [name for each, name in has if each == value or (each != each and value != value)]
    return runs[0] if len(runs) == 1 else f"{runs[0]} +{len(runs) - 1}"
