"""Judgments of a sample: what was pooled is divided into strata, and of each only some documents were judged."""

from __future__ import annotations

import numpy as np

from irev.base.settings import Settings
from irev.errors import Faults, Problem, shown
from irev.reading.fields import Layout, line
from irev.reading.formats import JUDGMENTS, Format
from irev.reading.formats.trec import ends_in_number
from irev.reading.formats.trec import lines as trec_lines
from irev.reading.judgments import Judgments
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


def refuse_several(judgments: Judgments, faults: Faults, code: str, fact: str, remedy: str) -> None:
    """Adds to `faults` every document of several groups; `fact` has places for the name of one, and of the one before
    it in the file."""
    details = judgments.details
    if details is None:
        return
    group, groups = details.grouped
    owner, row = details.rows(np.arange(len(judgments.grade)))
    again = np.flatnonzero(owner[1:] == owner[:-1])
    place = details.place[row].astype(np.int64)
    later = np.maximum(place[again], place[again + 1])

    def problem(i: int) -> Problem:
        two = sorted((int(row[i]), int(row[i + 1])), key=lambda each: int(details.place[each]))
        document, query = details.documents[int(owner[i])], judgments.queries[int(judgments.query[owner[i]])]
        first, second = (shown(groups.called(int(group[each]))) for each in two)
        what = f"document {shown(document)} of query {shown(query)} is {fact.format(second, first)}"
        there, here = (line(judgments.text, int(details.place[each])) for each in two)
        return Problem(here, code, what, remedy, there)

    faults.add(again[np.argsort(later, kind="stable")], problem)


def _check(judgments: Judgments, faults: Faults) -> None:
    """A document is in one stratum."""
    remedy = "a document is in one stratum; keep one of the lines"
    refuse_several(judgments, faults, "E161", "in stratum {}, and in stratum {}", remedy)


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
