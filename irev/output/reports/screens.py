"""The numbers of an evaluation as tables for people on a screen, which has room for so many columns and for many rows.

One run has its measures as rows; or, query by query, measures as columns, and the queries that a measure sorts with a
bar each, where these fit. Several runs, sets of judgments or groups are rows, as in `irev.output.reports.grid`; query
by query, each measure has a table of which run was best and worst.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

import numpy as np

from irev.base.text import named, number, told_apart
from irev.errors import printable
from irev.evaluation.result import Outcome, Result, order, summary_rows
from irev.measures import Request
from irev.output.report import Cell, Look, Sheet
from irev.output.reports.grid import grid, heading, measures_as_rows, notes, shown
from irev.output.widths import GAP, broken

_BAR = 10
"""Width of a bar that shows a value."""


def tables(result: Result, look: Look) -> Iterator[Sheet]:
    """The numbers of a result, in tables one below the other, the last of which has the notes."""
    sheets = [replace(sheet, notes=()) for sheet in _tables(result, look)]
    if not sheets:
        yield Sheet("", (), 0, frozenset(), (), notes(result))
        return
    yield from sheets[:-1]
    yield replace(sheets[-1], notes=notes(result))


def _tables(result: Result, look: Look) -> Iterator[Sheet]:
    if len(result.outcomes) > 1:
        if result.per_query:
            yield from _compared(result, look)
        if result.summarised:
            yield _rows(result, look)
    else:
        if result.per_query:
            yield _by_query(result, look)
        if result.grouped and result.summarised:
            yield _rows(result, look)
        elif not result.per_query:
            yield _summary(result, look)


def _summary(result: Result, look: Look) -> Sheet:
    """Measures as rows, aggregates and bounds as columns, which stay together."""
    (outcome,) = result.outcomes
    alone = replace(outcome, groups=())
    sheet = measures_as_rows(replace(result, outcomes=(alone,), summarised=True), look)  # there is nothing else to show
    return replace(sheet, title="", labels=len(sheet.header))


def _rows(result: Result, look: Look) -> Sheet:
    """Runs, sets of judgments and groups as rows, measures as columns."""
    sheet = grid(replace(result, per_query=False), look)
    return replace(sheet, title="", sections=(tuple(row for section in sheet.sections for row in section),))


def _by_query(result: Result, look: Look) -> Sheet:
    """Queries as rows, measures as columns; then the numbers for all of them."""
    (outcome,) = result.outcomes
    places = order(outcome, look.sort)
    summary = next(summary_rows(outcome)).values if result.summarised else ()
    ends = list(dict.fromkeys(_end(request, result) for request, _ in summary))
    columns: dict[Request, list[str]] = {}
    for column in outcome.columns:
        values = column.values.tolist()
        columns[column.request] = [*(shown(values[i], look.digits) for i in places), *([""] * len(ends))]
    for request, value in summary:
        texts = columns.setdefault(request.base, [""] * (len(places) + len(ends)))
        texts[len(places) + ends.index(_end(request, result))] = shown(value, look.digits)
    names = [*(printable(told_apart(outcome.scores.queries[i], result.grouped)) for i in places), *ends]
    labelled = [("query", names)]
    for request, texts in columns.items():
        labelled.append((look.name(request), texts))
        if look.sort is not None and request == look.sort.base:
            labelled.append(("", [*_bars(outcome, request, places), *([""] * len(ends))]))
    taken = sum(max(map(len, [*broken(label).split("\n"), *texts])) + GAP for label, texts in labelled)
    if look.width is not None and taken > look.width:  # bars are for those who have room
        labelled = [(label, texts) for label, texts in labelled if label]
    return _by_columns(labelled, len(places))


def _by_columns(columns: Sequence[tuple[str, list[str]]], queries: int) -> Sheet:
    """A table of columns, each a label and texts, of which those behind the queries are about all of them."""
    rows = list(zip(*(texts for _, texts in columns), strict=True))
    sections = (
        tuple(tuple(map(Cell, row)) for row in rows[:queries]),
        tuple(tuple(Cell(text, tone="total") for text in row) for row in rows[queries:]),
    )
    texts = frozenset(place for place, (label, _) in enumerate(columns) if not place or not label)
    return Sheet("", tuple(label for label, _ in columns), 1, texts, tuple(filter(None, sections)))


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


def _compared(result: Result, look: Look) -> Iterator[Sheet]:
    """For each measure the queries as rows, with the best, median and worst value, and whose it was."""
    for qrels in dict.fromkeys(outcome.qrels for outcome in result.outcomes):
        outcomes = [outcome for outcome in result.outcomes if outcome.qrels == qrels]
        queries = sorted({query for outcome in outcomes for query in outcome.scores.queries})
        for place, column in enumerate(outcomes[0].columns):
            if column.request.measure.kind == "text":
                continue
            title = look.name(column.request) + (f", {named(qrels)}" if result.several_qrels else "")
            values = [
                (named(each.run), dict(zip(each.scores.queries, each.columns[place].values.tolist(), strict=True)))
                for each in outcomes
            ]
            rows = list(_comparison(queries, values, column.request, look))
            if look.sort is not None and look.sort.base == column.request:
                rows.sort(key=lambda row: row[0])
            names = [Cell(printable(told_apart(query, result.grouped))) for query in queries]
            header = ("query", "best", "run", "median", "worst", "run")
            section = tuple((names[place], *cells) for _, place, cells in rows)
            yield Sheet(title, header, 1, frozenset({0, 2, 5}), (section,))


def _comparison(
    queries: Sequence[bytes], values: Sequence[tuple[str, dict[bytes, float]]], request: Request, look: Look
) -> Iterator[tuple[float, int, tuple[Cell, ...]]]:
    """For each query how good its median is, its place, and what is shown of it."""
    sign = -1 if request.measure.better == "lower" else 1
    for place, query in enumerate(queries):
        has = [(value[query], name) for name, value in values if query in value]
        ordered = sorted((value for value, _ in has), key=lambda value: sign * value)
        worst, middle, best = ordered[0], float(np.median(ordered)), ordered[-1]
        texts = (
            shown(best, look.digits),
            _those(has, best),
            number(middle, look.digits),
            shown(worst, look.digits),
            _those(has, worst),
        )
        yield sign * middle, place, tuple(map(Cell, texts))


def _those(has: list[tuple[float, str]], value: float) -> str:
    """The run that has a value, or the first and how many others."""
    runs = [name for each, name in has if each == value or (each != each and value != value)]
    return runs[0] if len(runs) == 1 else f"{runs[0]} +{len(runs) - 1}"
