"""Audits: queries or documents that ``irev pool --audit --predicted`` drew for a human to judge, each with the
probability with which it was drawn. They go out with an empty column for grades, and come back when it is filled in."""

from __future__ import annotations

from functools import partial
from typing import Any

import numpy as np

from irev.base.errors import Faults, InputError, Problem, shown
from irev.base.settings import Settings
from irev.extensions.samples.files import PROBABILITIES, notes, refuse_others, refuse_several
from irev.reading.fields import DRAWN_DOCUMENTS, DRAWN_QUERIES, JudgmentKind, Layout, line
from irev.reading.formats import JUDGMENTS, Format, Rewritten, head_of, rewritten_layout
from irev.reading.formats.delimited import FILL_IN, IGNORED, UNFILLED, DelimitedLines, header
from irev.reading.json_reader import (
    JsonRecords,
    field_of,
    first_fields,
    id_field,
    members_of,
    number_field,
    reading,
    unfit,
)
from irev.reading.judgments import Judgments
from irev.reading.sources import Source, Stream

COLUMNS = {"query": "query", "document": "document", "grade": "grade", "drawn": "group", "probability": "probability"}
"""The columns of an audit, and the fields that they are."""


def _check(judgments: Judgments, faults: Faults) -> None:
    """One kind of thing was drawn, and of a query that was drawn each document has its probability."""
    details = judgments.details
    if details is None or details.probability is None:
        return
    group, groups = details.grouped
    drawn = [each for each in (DRAWN_QUERIES, DRAWN_DOCUMENTS) if groups.are(each)[group].any()][:1]
    expected = " or ".join(each.decode() for each in drawn or (DRAWN_QUERIES, DRAWN_DOCUMENTS))
    remedy = f"expected {expected} in every line, as in the original file"
    refuse_others(judgments, faults, tuple(drawn), "{} stands for what was drawn", remedy)
    refuse_several(judgments, faults, "E103", "drawn as {}, and as {}", "keep one of the lines")
    if drawn != [DRAWN_QUERIES]:
        return
    query = judgments.query[details.judgment]
    first = np.unique(query, return_index=True)[1]
    other = np.flatnonzero(details.probability != details.probability[first][np.searchsorted(query[first], query)])
    place = details.place.astype(np.int64)

    def problem(row: int) -> Problem:
        fact = f"query {shown(judgments.queries[int(query[row])])} was drawn, and has several probabilities"
        return Problem(line(judgments.text, int(place[row])), "E114", fact, "leave them unchanged")

    faults.add(other[np.argsort(place[other])], problem)


def _header(head: bytes) -> tuple[str, list[str]] | None:
    """What separates the columns, and what they are called; None for any other file.

    One without probabilities is refused as an audit: read as other judgments, all that was drawn would weigh the same.
    """
    if b"drawn" not in head.partition(b"\n")[0]:
        return None
    headers = ((separator, header(head, separator)) for separator in ",;\t")
    return next((found for found in headers if COLUMNS.keys() - {"probability"} <= {*found[1]}), None)


def _in_records(head: bytes) -> bool:
    """Whether a file begins with a record that has the fields of an audit, all but perhaps the probability."""
    return b"drawn" in head and COLUMNS.keys() - {"probability"} <= first_fields(head).keys()


def _record_line(record: Any) -> str:
    """The same of a record of JSON; further fields are ignored."""
    fields = members_of(record, "record")
    found = []
    for name in COLUMNS:
        value = field_of(fields, name, name)
        if name == "grade" and value is None:
            raise unfit("E113", UNFILLED, FILL_IN)
        found.append((number_field if name in ("grade", "probability") else id_field)(value, name))
    return " ".join(found)


def _lines(source: Source, settings: Settings, faults: Faults) -> tuple[Layout, Stream]:
    """The lines of an audit; further columns are ignored."""
    if _in_records(head_of(source)):
        example = '{"query": "q1", "document": "d01", "grade": 2, "drawn": "query", "probability": 0.25}'
        lines = reading((*COLUMNS.values(),), example, partial(JsonRecords, _record_line), "line")
        return lines(source, settings, faults)
    separator, names = _header(head_of(source)) or (",", [*COLUMNS])
    if "probability" not in names:
        raise InputError(
            "there is a column drawn, and no column probability", source.name, "leave the columns as they were"
        )
    fields = tuple(COLUMNS.get(name, IGNORED) for name in names)
    table = DelimitedLines(source.name, separator, fields, faults, unrated=False, alike=None, joined={})
    return rewritten_layout(fields, separator.join(names), named=False), Rewritten(source, table.rewritten, faults)


Format(
    name="audit",
    description="The file of irev pool --audit --predicted, with its grades filled in: CSV, TSV or records of"
    " JSON with query, document, grade, drawn (query or document) and probability.",
    example="query,document,grade,drawn,probability\nq1,d01,2,query,0.25\nq1,d02,0,query,0.25\n",
    lines=_lines,
    recognised=lambda head, settings: _header(head) is not None or _in_records(head),
    special=1,
    kind=JudgmentKind(PROBABILITIES, _check, notes=notes),
).add_to(JUDGMENTS)
