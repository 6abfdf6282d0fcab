"""The numbers of an evaluation as tables for people: one of any width, as pages and papers have it, or several that a
screen has room for.

One run has its measures as rows. Several runs, sets of judgments or groups are rows, and measures columns; so are
queries, where each is wanted. The best run is marked in each column, for every query where there are any.
Ids are text in which control characters are shown escaped; what else a format forbids, its style escapes.

A screen has room for so many columns and for many rows: of several runs each measure has a table of which run was best
and worst.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import NamedTuple

import numpy as np

from irev.base.errors import printable
from irev.base.records import dataclass
from irev.base.text import disambiguate, named, number
from irev.evaluation.result import Outcome, Result, Row, order, query_rows, summary_rows
from irev.evaluation.scores import Summarised
from irev.measures import Request
from irev.output.report import MARK, Cell, Look, Sheet


def grid(result: Result, look: Look, shown_by: AgainstBest | None = None) -> Sheet:
    """The numbers of a result, laid out; with what is shown of the runs against the best, where that is known."""
    if len(result.outcomes) == 1 and not result.per_query and not result.grouped:
        return _measures_as_rows(result, look)
    return _measures_as_columns(result, look, shown_by)


# Measures as rows


def _measures_as_rows(result: Result, look: Look) -> Sheet:
    """Measures as rows, aggregates and bounds as columns."""
    (outcome,) = result.outcomes
    found: dict[Request, dict[str, str]] = {}
    for row in summary_rows(outcome) if result.summarised else ():
        for request, value in row.values:
            texts = found.setdefault(replace(request.base, bound=""), {})
            texts[_heading(request, result)] = shown(value, look.digits)
    headings = list(dict.fromkeys(heading for texts in found.values() for heading in texts))
    rows = [
        (Cell(look.name(request)), *(Cell(texts.get(heading, "")) for heading in headings))
        for request, texts in found.items()
    ]
    return _made(result, ["measure", *headings], 1, frozenset({0}), [rows])


def _heading(request: Request, result: Result) -> str:
    """What a number for all queries is: ``all queries``, or its aggregate where there are several; and which bound."""
    several = any(each.aggregate for each in result.requests)
    name = request.aggregate or (request.measure.summary if several and request.measure.numeric else "")
    return " ".join(filter(None, (name, request.bound))) or "all queries"


# Measures as columns


_Subject = tuple[str, bytes | None, bytes | None, str]
_ComparedColumn = tuple[_Subject, Request]


@dataclass(frozen=True, eq=False)
class _Line:
    """A row of the table: what it is about, its values, and how these were made of those of single queries."""

    row: Row
    values: dict[Request, Summarised]
    aggregate: str = ""

    @property
    def subject(self) -> _Subject:
        """What runs are compared on: judgments, query, group, aggregate."""
        group = None if self.row.group is None else self.row.group.name
        return self.row.outcome.qrels, self.row.query, group, self.aggregate


def _measures_as_columns(result: Result, look: Look, known: AgainstBest | None) -> Sheet:
    ranks = standings(result, look)
    if ranks:
        result = replace(result, outcomes=tuple(ranks))
    sections = [lines for lines in _sections(result, look) if lines]
    lines = [line for section in sections for line in section]
    asked = [request.base if result.per_query else request for request in result.requests]
    present = {request for line in lines for request in line.values}
    requests = [request for request in dict.fromkeys(asked) if request in present]
    odd = {outcome for outcome in result.outcomes if result.is_odd(outcome)}

    def comparable(line: _Line) -> bool:
        return line.row.query is not None or line.row.outcome not in odd

    best = _best([*filter(comparable, lines)], requests, look) if result.several_runs else {}
    runs = {outcome: named(outcome.run) + MARK * (outcome in odd) for outcome in result.outcomes}

    labels = [*(["rank"] if ranks else []), *_labels(result)]
    header = [*labels, *(look.name(request) for request in requests), *([] if known is None else [_AGAINST])]
    texts = frozenset(
        [*(place for place, label in enumerate(labels) if label in _TEXTS)]
        + [place for place, request in enumerate(requests, len(labels)) if request.measure.kind == "text"]
        + ([] if known is None else [len(header) - 1])
    )
    rows = [
        [
            (
                *(Cell(_rank(line, ranks) if label == "rank" else _about(line, label, runs)) for label in labels),
                *(_cell(line, request, best if comparable(line) else {}, look) for request in requests),
                *([] if known is None else [_finding(line, known)]),
            )
            for line in section
        ]
        for section in sections
    ]
    of_runs = frozenset(place for place, label in enumerate(labels) if label == "run")
    return replace(_made(result, header, len(labels), texts, rows), notes=notes(result, known), names=of_runs)


_AGAINST = "vs best"


def _rank(line: _Line, ranks: Mapping[Outcome, int]) -> str:
    return str(ranks[line.row.outcome]) if line.row.group is None and not line.aggregate else ""


def _finding(line: _Line, known: AgainstBest) -> Cell:
    """What is shown of a run against the best, in the row for all of its queries."""
    return known.findings.get(line.row.outcome.run, Cell("")) if line.row.group is None else Cell("")


def _sections(result: Result, look: Look) -> Iterator[list[_Line]]:
    """Single queries and all of them apart, run by run; else runs together, unless they have groups."""
    if not result.per_query:
        each = [[_Line(row, _numbers(row)) for row in summary_rows(outcome)] for outcome in result.outcomes]
        each = each if result.summarised else []
        yield from each if result.grouped else [[line for lines in each for line in lines]]
        return
    for outcome in result.outcomes:
        yield [_Line(row, dict(row.values)) for row in _sorted_rows(outcome, look)]
        if result.summarised:
            yield [line for row in summary_rows(outcome) for line in _by_aggregate(row, result)]


def _numbers(row: Row) -> dict[Request, Summarised]:
    """The values of a row for all queries without the run tag, which is not a number."""
    return {request: value for request, value in row.values if request.measure.kind != "text"}


def _sorted_rows(outcome: Outcome, look: Look) -> list[Row]:
    found = list(query_rows(outcome))
    by, descending = look.by_measure
    return [found[place] for place in order(outcome, by, descending)]


def _by_aggregate(row: Row, result: Result) -> Iterable[_Line]:
    """A line for each aggregate, each with values in the columns of single queries."""
    found: dict[str, _Line] = {}
    for request, value in _numbers(row).items():
        above = _heading(replace(request, bound=""), result)
        aggregate = "" if above == "all queries" else above
        found.setdefault(aggregate, _Line(row, {}, aggregate)).values[request.base] = value
    return found.values()


_TEXTS = frozenset({"run", "qrels", "group", "query"})


def _labels(result: Result) -> list[str]:
    wanted = {
        "run": result.several_runs,
        "qrels": result.several_qrels,
        "group": result.grouped,
        "query": result.per_query,
        "queries": result.grouped,
        "judged": result.several_qrels,
    }
    return [label for label, has in wanted.items() if has]


def _about(line: _Line, label: str, runs: dict[Outcome, str]) -> str:
    """What stands in a column of labels."""
    row = line.row
    outcome, several = row.outcome, row.query is None
    match label:
        case "run":
            return runs[outcome]
        case "qrels":
            return named(outcome.qrels)
        case "group":
            return printable(disambiguate(row.group.name)) if row.group else "all" if several else ""
        case "query":
            return ", ".join(filter(None, ("all", line.aggregate))) if several else printable(row.name)
        case "queries":
            return str(row.size) if several else ""
        case _:
            return number(outcome.facts.judged_share, 2) if several and row.group is None else ""


def _cell(line: _Line, request: Request, best: dict[_ComparedColumn, str], look: Look) -> Cell:
    text = shown(line.values.get(request), look.digits)
    return Cell(text, text != "" and text == best.get((line.subject, request)))


def _best(lines: Sequence[_Line], requests: Sequence[Request], look: Look) -> dict[_ComparedColumn, str]:
    """The best number of several runs for the same queries, as it is shown: what looks alike is marked alike."""
    found: dict[_ComparedColumn, list[float]] = {}
    for line in lines:
        for request in requests:
            value = line.values.get(request)
            merit = request.better != "neither" and "sd" not in (line.aggregate, request.aggregate)
            if isinstance(value, float | int) and merit:
                found.setdefault((line.subject, request), []).append(value)
    best = {}
    for (subject, request), values in found.items():
        lower = request.better == "lower"
        worst = math.inf if lower else -math.inf
        known = [value for value in values if not math.isnan(value) and value != worst]
        if len(values) > 1 and known:
            best[subject, request] = shown(min(known) if lower else max(known), look.digits)
    return best


# Both


def _made(
    result: Result,
    header: Sequence[str],
    labels: int,
    texts: frozenset[int],
    sections: Iterable[list[tuple[Cell, ...]]],
) -> Sheet:
    return Sheet(
        "" if result.several_runs else named(result.outcomes[0].run),
        tuple(header),
        labels,
        texts,
        tuple(tuple(rows) for rows in sections),
        notes(result),
    )


def notes(result: Result, known: AgainstBest | None = None) -> tuple[str, ...]:
    """Which queries count; what `MARK` means behind a run, that it is averaged over other queries than most runs; and
    how runs were compared with the best, if they were."""
    counts = sorted({outcome.scores.considered for outcome in result.outcomes})
    count = "1 query" if counts == [1] else " or ".join(map(str, counts)) + " queries"
    odd = any(result.is_odd(outcome) for outcome in result.outcomes)
    policy = [f"{count}: {result.policy}"] if result.policy else []
    averaged = [f"{MARK} averaged over other queries than most runs, so never marked as best"] if odd else []
    return (*policy, *averaged, *([] if known is None else [known.note]))


def shown(value: Summarised, digits: int) -> str:
    """A value as text that is safe to show."""
    if value is None:
        return ""
    return printable(value) if isinstance(value, bytes) else number(value, digits)


class AgainstBest(NamedTuple):
    """What is known of the difference between each run and the best.

    Attributes
    ----------
    measure : Request
        By which runs are compared.
    findings : mapping of str to Cell
        By the names of runs: one of `irev.evaluation.comparison.contrasts.FINDINGS`, or ``best``.
    p : mapping of str to (float or None)
        By the names of runs, but the best: the corrected p-value of the difference.
    rests : mapping of str to (bool or None)
        By these names: whether the finding rests on unjudged documents, None if that is unknown.
    note : str
        Which test, correction, level and queries.
    """

    measure: Request
    findings: Mapping[str, Cell]
    p: Mapping[str, float | None]
    rests: Mapping[str, bool | None]
    note: str


def standings(result: Result, look: Look) -> dict[Outcome, int]:
    """The outcomes in their order, each with its rank; nothing unless runs are sorted by a measure.

    Those under the same judgments are ranked among each other, and the best is the first, whichever end of the table it
    stands at. Equal values share a rank, and what is not a number stands last.
    """
    if look.sort is None or not isinstance(look.sort.by, Request) or result.per_query or not result.several_runs:
        return {}
    request, descending = look.sort.by, look.sort.descending
    best_down = request.better != "lower"
    ranks: dict[Outcome, int] = {}
    for qrels in dict.fromkeys(outcome.qrels for outcome in result.outcomes):
        values = {outcome: value_of(outcome, request) for outcome in result.outcomes if outcome.qrels == qrels}
        rank, last, found = 0, math.nan, {}
        for place, outcome in enumerate(sorted(values, key=lambda each: _place(values[each], best_down)), 1):
            rank = rank if values[outcome] == last else place
            last = values[outcome]
            found[outcome] = rank
        down = best_down if descending is None else descending
        ranks |= {outcome: found[outcome] for outcome in sorted(values, key=lambda each: _place(values[each], down))}
    return ranks


def value_of(outcome: Outcome, request: Request) -> float:
    """The number for all queries of a run under a measure."""
    values = zip(outcome.scores.columns, outcome.summary.values, strict=True)
    found = next(value for column, value in values if column.request == request)
    return math.nan if found is None or isinstance(found, bytes) else float(found)


def _place(value: float, down: bool) -> tuple[bool, float]:
    return math.isnan(value), -value if down else value


# On a screen


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
            yield from over_runs_sheets(result, look)
        if result.summarised:
            yield _rows(result, look, known)
    else:
        alone = replace(result, outcomes=(replace(result.outcomes[0], groups=()),))
        if result.per_query:
            yield replace(grid(alone, look), title="")
        if result.grouped and result.summarised:
            yield _rows(result, look)
        elif not result.per_query:
            sheet = _measures_as_rows(replace(alone, summarised=True), look)  # there is nothing else to show
            yield replace(sheet, title="", labels=len(sheet.header))  # aggregates and bounds stay together


def _rows(result: Result, look: Look, known: AgainstBest | None = None) -> Sheet:
    """Runs, sets of judgments and groups as rows, measures as columns."""
    sheet = grid(replace(result, per_query=False), look, known)
    return replace(sheet, title="", sections=(tuple(row for section in sheet.sections for row in section),))


def over_runs(result: Result, look: Look) -> Iterator[tuple[str, Request, list[tuple[bytes, Topic]]]]:
    """For each set of judgments and measure, the queries with what several runs have for them."""
    for qrels in dict.fromkeys(outcome.qrels for outcome in result.outcomes):
        outcomes = [outcome for outcome in result.outcomes if outcome.qrels == qrels]
        queries = sorted({query for outcome in outcomes for query in outcome.scores.queries})
        for place, column in enumerate(outcomes[0].columns):
            if column.request.measure.kind == "text":
                continue
            values = [
                (named(each.run), dict(zip(each.scores.queries, each.columns[place].values.tolist(), strict=True)))
                for each in outcomes
            ]
            topics = [_topic(query, values, column.request) for query in queries]
            key = _sorted_by(column.request, look)
            pairs = [*zip(queries, topics, strict=True)]
            yield qrels, column.request, pairs if key is None else sorted(pairs, key=lambda pair: key(pair[1]))


def over_runs_sheets(result: Result, look: Look) -> Iterator[Sheet]:
    """For each measure the queries as rows, with the best, median and worst value, whose these were, and how far
    apart they are."""
    for qrels, request, topics in over_runs(result, look):
        title = look.name(request) + (f", {named(qrels)}" if result.several_qrels else "")
        section = tuple(
            (Cell(printable(disambiguate(query, result.grouped))), *_topic_cells(topic, look))
            for query, topic in topics
        )
        header = ("query", "best", "median", "worst", "spread", "best run", "worst run")
        yield Sheet(title, header, 1, frozenset({0, 5, 6}), (section,), names=frozenset({5, 6}))


class Topic(NamedTuple):
    """The values that several runs have for a query, and whose the extremes are."""

    best: float
    median: float
    worst: float
    spread: float
    best_run: str
    worst_run: str


def _topic(query: bytes, values: Sequence[tuple[str, dict[bytes, float]]], request: Request) -> Topic:
    sign = -1 if request.better == "lower" else 1
    has = [(value[query], name) for name, value in values if query in value]
    ordered = sorted((value for value, _ in has), key=lambda value: sign * value)
    worst, middle, best = ordered[0], float(np.median(ordered)), ordered[-1]
    spread = 0.0 if best == worst else abs(best - worst)
    return Topic(best, middle, worst, spread, _those(has, best), _those(has, worst))


def _topic_cells(topic: Topic, look: Look) -> list[Cell]:
    numbers = (topic.best, topic.median, topic.worst, topic.spread)
    return [*(Cell(number(value, look.digits)) for value in numbers), Cell(topic.best_run), Cell(topic.worst_run)]


def _sorted_by(request: Request, look: Look) -> Callable[[Topic], tuple[bool, float]] | None:
    """What queries are sorted by under a measure: worst first by its median, best or worst, widest first by spread."""
    by, descending = (None, None) if look.sort is None else look.sort
    if by is None or (isinstance(by, Request) and by.base != request):
        return None
    column = "median" if isinstance(by, Request) else by
    if descending is None:
        descending = column == "spread" or request.better == "lower"
    sign = -1 if descending else 1

    def place(topic: Topic) -> tuple[bool, float]:
        value = float(getattr(topic, column))
        return value != value, sign * value

    return place


def _those(has: list[tuple[float, str]], value: float) -> str:
    """The run that has a value, or the first and how many others."""
    runs = [name for each, name in has if each == value or (each != each and value != value)]
    return runs[0] if len(runs) == 1 else f"{runs[0]} +{len(runs) - 1}"
