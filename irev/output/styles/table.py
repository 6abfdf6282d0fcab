"""Tables for people.

One run has its measures as rows, and aggregates and bounds as columns; or, query by query, measures as columns. Several
runs, sets of judgments or groups are rows, measures columns; query by query, each measure has a table of which run was
best and worst. When columns do not fit the screen they are spread over several tables, one below the other, so that it
can be read at 80 columns. Ids are text, never markup, and control characters in them are shown escaped.

The sheets of a report are drawn the same way, with its sentences around them.
"""

from __future__ import annotations

import io
import itertools
import re
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass, replace

import numpy as np
from rich import box
from rich.console import Console
from rich.table import Table
from rich.text import Text

from irev.base.text import named, number, told_apart
from irev.errors import printable
from irev.evaluation.result import Outcome, Result, Screen, order, summary_rows
from irev.measures import Request
from irev.output.report import MARK, Cell, Report, Sheet
from irev.output.reports.grid import MARK as ODD
from irev.output.reports.grid import heading, notes, shown
from irev.output.reports.tidy import size_of

NAMES = "standard"

_GAP = 2
"""Blanks between two columns: one of padding, one between cells."""

_LABEL = 11
"""Labels above a column are broken when they are longer than this."""

_RULED = box.Box("    \n    \n ── \n    \n ── \n    \n    \n    \n")
"""A rule below the header, and one between sections."""

_NARROWEST = 20

_LEAST = 6
"""No column of labels is folded at less."""

_WORDS = 30
"""A column of longer texts is given this much, if there is no more: texts can be folded."""

_TONES = {"good": "green", "bad": "red", "quiet": "dim"}

_PLACE = "\ue000"
"""Stands for a blank at the end of a cell, where Rich leaves no real one. Text that is safe to show never has it."""

_BLANKS = re.compile(r"(?: |\x1b\[[0-9;]*m)+$", re.MULTILINE)
"""Blanks at the end of a line, coloured or not."""

_BAR = 10
"""Width of a bar that shows a value."""


def render(result: Result, screen: Screen) -> bytes:
    """The result as one table or several."""
    output = io.StringIO()
    console = _console(output, screen)
    for count, table in enumerate(_tables(result, screen)):
        if count:
            console.print()
        console.print(table)
    for count, note in enumerate(filter(None, notes(result))):
        if not count:
            console.print()
        console.print(Text(note), style="dim")
    return _trimmed(output.getvalue())


SCREEN = True


def write(report: Report) -> bytes:
    """The title and the sentences of a report, and each of its sheets as one table or several."""
    output = io.StringIO()
    screen = Screen(report.look.width or 80, report.look.colour)
    console = _console(output, screen)
    for count, part in enumerate(_parts(report, Screen(console.width, screen.colour))):
        if count:
            console.print()
        for each in part:
            console.print(each)
    return _trimmed(output.getvalue())


def _console(output: io.StringIO, screen: Screen) -> Console:
    return Console(
        file=output,
        width=max(screen.width, _NARROWEST),
        force_terminal=screen.colour,
        color_system="standard" if screen.colour else None,
        highlight=False,
        emoji=False,
        markup=False,
        legacy_windows=False,
    )


def _trimmed(text: str) -> bytes:
    """Rich fills every line to the width of the table; nobody needs the blanks at its end."""
    return _BLANKS.sub(lambda end: end[0].replace(" ", ""), text.replace(_PLACE, " ")).encode("utf-8", "replace")


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
    """A column of a table.

    Attributes
    ----------
    label : str
        What stands above it.
    cells : list of str
        One for each row.
    left : bool
        Whether they begin at the left, as texts do; numbers end at the right.
    styles : list of str
        One for each cell, where they have any.
    most : int or None
        The width at which cells are folded.
    """

    label: str
    cells: list[str]
    left: bool = False
    styles: list[str] | None = None
    most: int | None = None

    @property
    def width(self) -> int:
        return max(map(len, [*self.label.split("\n"), *self.cells])) + _GAP

    @property
    def least(self) -> int:
        """The width without which it is not in a table with others."""
        return min(self.width, self.most + _GAP) if self.most else self.width

    def text(self, row: int) -> Text:
        return Text(self.cells[row], self.styles[row] if self.styles else "")


def _table(title: str = "", lines: box.Box = box.SIMPLE_HEAD) -> Table:
    return Table(
        box=lines,
        show_edge=False,
        pad_edge=False,
        padding=(0, 1, 0, 0),
        header_style="bold",
        title=Text(title, style="bold") if title else None,
        title_justify="left",
    )


def _drawn(
    fixed: Sequence[_Column],
    others: Sequence[_Column],
    screen: Screen,
    ends: int = 0,
    title: str = "",
    rules: Collection[int] = (),
) -> Iterator[Table]:
    """The columns in as many tables as it takes, each with the fixed ones.

    An empty line stands before the last `ends` rows, which are bold; a rule before each row whose number is in `rules`.
    """
    rows = len((*fixed, *others)[0].cells)
    limit = max(screen.width // 2, _LEAST)
    used = sum(column.least if column.most else min(column.width, limit) for column in fixed)
    for group in _fitting(others, screen.width - used):
        table = _table(title, _RULED if rules else box.SIMPLE_HEAD)
        for column in fixed:
            right = "left" if column.left else "right"
            table.add_column(Text(column.label), justify=right, overflow="fold", max_width=column.most or limit)  # type: ignore[arg-type]
        for column in group:
            justify = "left" if column.left else "right"
            table.add_column(Text(column.label, justify=justify), justify=justify, overflow="fold")  # type: ignore[arg-type]
        for row in range(rows):
            if row in rules or (ends and row == rows - ends):
                table.add_section()
            style = "bold" if row >= rows - ends else ""
            table.add_row(*(column.text(row) for column in (*fixed, *group)), style=style)
        yield table


def _fitting(columns: Sequence[_Column], width: int) -> Iterator[list[_Column]]:
    """The columns in groups, each no wider than `width` where that is possible."""
    group: list[_Column] = []
    used = 0
    for column in columns:
        if group and used + column.least > width:
            yield group
            group, used = [], 0
        group.append(column)
        used += column.least
    if group or not columns:
        yield group


def _broken(label: str, before: str = "_(,@") -> str:
    """A label on several lines, each as much of it as fits; a line can begin with the signs of `before`."""
    lines = [""]
    for word in filter(None, re.findall(f"[{before}]?[^{before}]*", label)):
        if lines[-1] and len(lines[-1] + word) > _LABEL:
            lines.append("")
        lines[-1] += word
    return "\n".join(line.strip(" ") for line in lines)


# A report


def _parts(report: Report, screen: Screen) -> Iterator[Sequence[Text | Table]]:
    """What empty lines stand between: each is a list of what stands directly below each other."""
    if report.title:
        yield [Text(report.title, "bold")]
    if lead := [Text(sentence) for sentence in report.lead]:
        yield lead
    for sheet in report.sheets:
        title = [Text(sheet.title, "bold")] if sheet.title else []
        for table in _spread(sheet, screen) if sheet.header else ():
            yield [*title, table]
            title = []
        if title or sheet.notes:
            yield [*title, *(Text(note, "dim") for note in sheet.notes)]
    if notes := [Text(note) for note in report.notes]:
        yield notes


def _spread(sheet: Sheet, screen: Screen) -> Iterator[Table]:
    """A sheet in as many tables as it takes, each with its labels."""
    rows = [row for section in sheet.sections for row in section]
    columns = []
    for place, label in enumerate(sheet.header):
        cells = [row[place] for row in rows]
        styles = [" ".join(filter(None, ("bold" if cell.best else "", _TONES.get(cell.tone, "")))) for cell in cells]
        left = place in sheet.texts
        columns.append(_Column(_broken(label, " _(,@"), _marked(cells), left, styles, _WORDS if left else None))
    labels, others = columns[: sheet.labels], columns[sheet.labels :]
    room = max(screen.width // 2, screen.width - sum(column.least for column in others))
    starts = list(itertools.accumulate(len(section) for section in sheet.sections))
    yield from _drawn(_within(labels, room), others, screen, rules=starts)


def _marked(cells: Sequence[Cell]) -> list[str]:
    """Texts with the marks of what is significant; without one a blank, so that digits stand below each other."""
    without = _PLACE if any(cell.significant for cell in cells) else ""
    return [cell.text + (MARK if cell.significant else without) for cell in cells]


def _within(columns: Sequence[_Column], room: int) -> list[_Column]:
    """The columns folded to fit some room: those that take less than their share leave the rest to the wider ones."""
    most: dict[int, int] = {}
    for place in sorted(range(len(columns)), key=lambda place: columns[place].width):
        share = room // (len(columns) - len(most)) - _GAP
        most[place] = min(columns[place].width - _GAP, max(share, _LEAST))
        room -= most[place] + _GAP
    return [replace(column, most=most[place]) for place, column in enumerate(columns)]


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
    return named(outcome.run) + (ODD if result.is_odd(outcome) else "")


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
