"""Judgments of a sample: what was pooled is divided into strata, and of each only some documents were judged."""

from __future__ import annotations

import numpy as np

from irev.base.settings import Settings
from irev.errors import Faults, Problem, shown
from irev.reading.fields import Layout, line
from irev.reading.formats import JUDGMENTS, Format
from irev.reading.formats.trec import ends_in_number
from irev.reading.formats.trec import lines as trec_lines
from irev.reading.qrels import Judgments
from irev.reading.sources import Source, Stream

KIND = "strata"

LAYOUT = Layout(
    fields=("query", "ignored", "document", "group", "grade"),
    exact=True,
    empty_lines=False,
    comments="line start",
    example="query 0 document stratum grade",
)


def _lines(source: Source, settings: Settings, faults: Faults) -> tuple[Layout, Stream]:
    return trec_lines(LAYOUT, source, settings, faults)


def _check(judgments: Judgments, faults: Faults) -> None:
    """A document is in one stratum."""
    details = judgments.details
    if details is None or details.group is None or details.groups is None:
        return
    owner, row = details.rows(np.arange(len(judgments.grade)))
    again = np.flatnonzero(np.append(False, owner[1:] == owner[:-1]))
    if not len(again):
        return
    names, places, strata = details.groups.names, details.place, details.group
    found = []
    for i in again.tolist():
        two = sorted((int(row[i - 1]), int(row[i])), key=lambda each: int(places[each]))
        document, query = details.documents[int(owner[i])], judgments.queries[int(judgments.query[owner[i]])]
        first, second = (shown(names[int(strata[each])]) for each in two)
        fact = f"document {shown(document)} of query {shown(query)} is in stratum {second}, and in stratum {first}"
        at = [line(judgments.text, int(places[each])) for each in two]
        found.append(Problem(at[1], "E161", fact, "a document is in one stratum; keep one of the lines", at[0]))
    for problem in sorted(found):
        faults.note(problem)


JUDGMENTS.add(
    "strata",
    Format(
        name="strata",
        description="The qrels of sample_eval, of a sample: query, an ignored field, document, stratum and"
        " grade, -1 for a document that was not judged.",
        example="q1 0 d01 1 2\nq1 0 d02 2 -1\n",
        lines=_lines,
        likely=lambda lines: ends_in_number(lines[0], 5),
        kind=KIND,
        check=_check,
    ),
)
