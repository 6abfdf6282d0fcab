"""Numbers as data for other programs: the form that tsv, csv, jsonl and parquet share.

Every row of a result says what it is about: the run, the judgments where there are several, the group where there are
any, and the query, ``all`` for all of them or all of a group. A tidy list has a line for each number, a wide one for
each row. A report brings its rows along.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from irev.base.text import EXACT, number
from irev.evaluation.result import Result, Row, rows
from irev.evaluation.summary import Summarised
from irev.measures import MEASURES, Request
from irev.measures.parameters import Value
from irev.output.report import Plain, Report

SIZE = Request(MEASURES["num_q"], Value(None, ""))
"""Where there are groups, how many queries count in each, asked for or not."""


@dataclass(frozen=True, eq=False)
class Entry:
    """A row, and what it is about.

    Attributes
    ----------
    about : dict of str to (str or None)
        ``run``, ``qrels`` and ``group`` where there are any, ``query``, in this order. The group is None in a row that
        is not about one. Bytes that are no UTF-8 are lone surrogates, as `os.fsdecode` makes them.
    values : dict of str to value
        By the names of measures, no two alike.
    """

    about: dict[str, str | None]
    values: dict[str, Summarised]


def entries(result: Result) -> Iterator[Entry]:
    """The rows of a result in their order."""
    names, keys, grouped = _names(result), about_keys(result), result.grouped
    for row in rows(result):
        values = {names[request]: value for request, value in _values(row, grouped).items()}
        yield Entry(_about(row, keys), values)


def lines(result: Result) -> Iterator[list[str]]:
    """A header, and the numbers as text: a line for each of them, or for each row where the result is to be wide."""
    keys = about_keys(result)
    if result.wide:
        columns = _columns(result)
        yield [*keys, *columns]
        for entry in entries(result):
            yield [*_texts(entry), *(result.text(entry.values.get(column)) for column in columns)]
    else:
        yield [*keys, "measure", "value"]
        for entry in entries(result):
            texts = _texts(entry)
            for name, value in entry.values.items():
                yield [*texts, name, result.text(value)]


def report_lines(report: Report) -> Iterator[list[str]]:
    """A header, and the rows of a report as text: nothing for what is not there, and ``true`` or ``false``."""
    columns, exact = report.columns, report.exact
    yield list(columns)
    digits = [EXACT if column in exact else report.look.digits for column in columns]
    for row in report.rows:
        yield [_plain_text(value, places) for value, places in zip(row, digits, strict=True)]


def _plain_text(value: Plain, digits: int) -> str:
    if value is None or isinstance(value, str):
        return value or ""
    return str(value).lower() if isinstance(value, bool) else number(value, digits)


def size_of(row: Row) -> int:
    """How many queries the averages of a row for several queries divide by."""
    return row.outcome.scores.considered if row.group is None else row.group.size


def about_keys(result: Result) -> list[str]:
    """What rows say they are about."""
    qrels = ["qrels"] if result.several_qrels else []
    group = ["group"] if result.grouped else []
    return ["run", *qrels, *group, "query"]


def _texts(entry: Entry) -> list[str]:
    return [text or "" for text in entry.about.values()]


def _about(row: Row, keys: list[str]) -> dict[str, str | None]:
    group = None if row.group is None else _decoded(row.group.name)
    query = "all" if row.query is None else _decoded(row.name)
    known = {"run": row.outcome.run, "qrels": row.outcome.qrels, "group": group, "query": query}
    return {key: known[key] for key in keys}


def _values(row: Row, grouped: bool) -> Mapping[Request, Summarised]:
    values = dict(row.values)
    sized = row.query is None and grouped and SIZE not in values
    return {SIZE: size_of(row), **values} if sized else values


def _names(result: Result) -> dict[Request, str]:
    """What every request is called; of two that are called alike, as two levels of recall can be, one has a number."""
    names: dict[str, Request] = {}
    for request in dict.fromkeys([*result.requests, *(request.base for request in result.requests), SIZE]):
        name, number = result.name(request), 1
        while name in names:
            number += 1
            name = f"{result.name(request)}#{number}"
        names[name] = request
    return {request: name for name, request in names.items()}


def _columns(result: Result) -> list[str]:
    """The names that any row has a value for, in the order asked for."""
    sized = result.summarised and result.grouped and SIZE not in result.requests
    wanted: dict[Request, None] = {SIZE: None} if sized else {}
    for request, value in zip(result.requests, result.outcomes[0].summary.values, strict=True):
        if result.per_query and request.measure.per_query:
            wanted[request.base] = None
        if result.summarised and value is not None:
            wanted[request] = None
    names = _names(result)
    return [names[request] for request in wanted]


def _decoded(text: bytes) -> str:
    return text.decode("utf-8", "surrogateescape")
