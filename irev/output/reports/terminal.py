"""The numbers of an evaluation as tables for people on a screen, which has room for so many columns and for many rows.

One run has its measures as rows; or, query by query, measures as columns, and the queries that a measure sorts with a
bar each, where these fit. Several runs, sets of judgments or groups are rows, as in `irev.output.reports.grid`; query
by query, each measure has a table of which run was best and worst.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from typing import NamedTuple

import numpy as np

from irev.base.errors import printable
from irev.base.text import disambiguate, named, number
from irev.evaluation.result import Outcome, Result, order, summary_rows
from irev.measures import Request
from irev.output.report import Cell, Look, Sheet
from irev.output.reports.grid import AgainstBest, grid, heading, measures_as_rows, notes, shown
from irev.output.terminal import GAP, broken

_SHORTEST, _LONGEST = 10, 60
"""Widths of bars that show values; where there is less room, there are none."""

_BAD = "long: bad"
"""What stands above bars of a measure of which the lower values are the better ones."""


def tables(result: Result, look: Look, known: AgainstBest | None = None) -> Iterator[Sheet]:
    """The numbers of a result, in tables one below the other, the last of which has the notes."""
    sheets = [replace(sheet, notes=()) for sheet in _tables(result, look, known)]
    if not sheets:
        yield Sheet("", (), 0, frozenset(), (), notes(result, known))
        return
    yield from sheets[:-1]
    yield replace(sheets[-1], notes=notes(result, known))


def _tables(result: Result, look: Look, known: AgainstBest | None) -> Iterator[Sheet]:
    if len(result.outcomes) > 1:
        if result.per_query:
            yield from _compared(result, look)
        if result.summarised:
            yield _rows(result, look, known)
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


def _rows(result: Result, look: Look, known: AgainstBest | None = None) -> Sheet:
    """Runs, sets of judgments and groups as rows, measures as columns."""
    sheet = grid(replace(result, per_query=False), look, known)
    return replace(sheet, title="", sections=(tuple(row for section in sheet.sections for row in section),))


def _by_query(result: Result, look: Look) -> Sheet:
    """Queries as rows, measures as columns, and a bar for each where one sorts; then the numbers for all of them."""
    (outcome,) = result.outcomes
    by, descending = look.by_measure
    places = order(outcome, by, descending)
    summary = next(summary_rows(outcome)).values if result.summarised else ()
    ends = list(dict.fromkeys(_end(request, result) for request, _ in summary))
    columns: dict[Request, list[Cell]] = {}
    for column in outcome.columns:
        values = column.values.tolist()
        found = [Cell(shown(values[i], look.digits), tone=_tone(values[i], column.request)) for i in places]
        columns[column.request] = [*found, *([Cell("")] * len(ends))]
    for request, value in summary:
        cells = columns.setdefault(request.base, [Cell("")] * (len(places) + len(ends)))
        cells[len(places) + ends.index(_end(request, result))] = Cell(shown(value, look.digits), tone="total")
    names = [Cell(printable(disambiguate(outcome.scores.queries[i], result.grouped))) for i in places]
    labelled = [("query", [*names, *(Cell(end, tone="total") for end in ends)])]
    labelled += [(look.name(request), cells) for request, cells in columns.items()]
    texts = [[*broken(label).split("\n"), *(cell.text for cell in cells)] for label, cells in labelled]
    room = (look.width or 0) - GAP - sum(max(map(len, each)) + GAP for each in texts)
    place = next((n for n, request in enumerate(columns, 1) if by is not None and request == by.base), 0)
    if place and room >= _SHORTEST:
        bars = _bars(outcome, by, places, min(room, _LONGEST)) if by is not None else []
        label = _BAD if by is not None and by.better == "lower" else ""
        labelled.insert(place + 1, (label, [*bars, *([Cell("")] * len(ends))]))
    return _by_columns(labelled, len(places))


def _tone(value: object, request: Request) -> str:
    """Zeros stand out where a zero is the worst that there is."""
    return "bad" if value == 0 and request.better == "higher" and request.measure.kind != "text" else ""


def _by_columns(columns: Sequence[tuple[str, list[Cell]]], queries: int) -> Sheet:
    """A table of columns, each a label and cells, of which those behind the queries are about all of them."""
    rows = list(zip(*(cells for _, cells in columns), strict=True))
    texts = frozenset(place for place, (label, _) in enumerate(columns) if not place or label in ("", _BAD))
    sections = filter(None, (tuple(rows[:queries]), tuple(rows[queries:])))
    return Sheet("", tuple(label for label, _ in columns), 1, texts, tuple(sections))


def _bars(outcome: Outcome, request: Request, places: list[int], width: int) -> list[Cell]:
    """A bar for each query, as long as its share of 1, or of the highest value above that, to an eighth of a sign.

    An infinite value has a whole one, and what is not a number none.
    """
    (values,) = (column.values for column in outcome.columns if column.request == request.base)
    finite = np.where(np.isfinite(values), values, 0.0)
    most = max(float(finite.max(initial=0.0)), 1.0)
    shares = np.where(values == np.inf, 1.0, np.maximum(finite, 0.0) / most)
    eighths = [round(8 * width * float(shares[i])) for i in places]
    return [
        Cell("zero", tone="bad") if _tone(values[i], request) else Cell(_bar(length), tone="quiet")
        for i, length in zip(places, eighths, strict=True)
    ]


def _bar(eighths: int) -> str:
    whole, rest = divmod(eighths, 8)
    return "█" * whole + " ▏▎▍▌▋▊▉"[rest].strip()


def _end(request: Request, result: Result) -> str:
    """The name of the row at the end that a number for all queries stands in."""
    above = heading(replace(request, bound=""), result)
    return "all" if above == "all queries" else f"all, {above}"


def _compared(result: Result, look: Look) -> Iterator[Sheet]:
    """For each measure the queries as rows, with the best, median and worst value, whose these were, and how far
    apart they are."""
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
            topics = [_topic(place, query, values, column.request) for place, query in enumerate(queries)]
            key = _sorted_by(column.request, look)
            if key is not None:
                topics.sort(key=key)
            names = [Cell(printable(disambiguate(query, result.grouped))) for query in queries]
            section = tuple((names[topic.place], *_topic_cells(topic, look)) for topic in topics)
            header = ("query", "best", "median", "worst", "spread", "best run", "worst run")
            yield Sheet(title, header, 1, frozenset({0, 5, 6}), (section,), names=frozenset({5, 6}))


class _Topic(NamedTuple):
    """The values that several runs have for a query, whose the extremes are, and its place."""

    place: int
    best: float
    median: float
    worst: float
    spread: float
    best_run: str
    worst_run: str


def _topic(place: int, query: bytes, values: Sequence[tuple[str, dict[bytes, float]]], request: Request) -> _Topic:
    sign = -1 if request.better == "lower" else 1
    has = [(value[query], name) for name, value in values if query in value]
    ordered = sorted((value for value, _ in has), key=lambda value: sign * value)
    worst, middle, best = ordered[0], float(np.median(ordered)), ordered[-1]
    spread = 0.0 if best == worst else abs(best - worst)
    return _Topic(place, best, middle, worst, spread, _those(has, best), _those(has, worst))


def _topic_cells(topic: _Topic, look: Look) -> list[Cell]:
    numbers = (topic.best, topic.median, topic.worst, topic.spread)
    return [*(Cell(number(value, look.digits)) for value in numbers), Cell(topic.best_run), Cell(topic.worst_run)]


def _sorted_by(request: Request, look: Look) -> Callable[[_Topic], tuple[bool, float]] | None:
    """What queries are sorted by under a measure: worst first by its median, best or worst, widest first by spread."""
    by, descending = (None, None) if look.sort is None else look.sort
    if by is None or (isinstance(by, Request) and by.base != request):
        return None
    column = "median" if isinstance(by, Request) else by
    if descending is None:
        descending = column == "spread" or request.better == "lower"
    sign = -1 if descending else 1

    def place(topic: _Topic) -> tuple[bool, float]:
        value = float(getattr(topic, column))
        return value != value, sign * value

    return place


def _those(has: list[tuple[float, str]], value: float) -> str:
    """The run that has a value, or the first and how many others."""
    runs = [name for each, name in has if each == value or (each != each and value != value)]
    return runs[0] if len(runs) == 1 else f"{runs[0]} +{len(runs) - 1}"
