"""Judgments of subtopics: a document is judged for each subtopic of a topic on its own.

The lines are those of ordinary judgments, with the subtopic in the field that these ignore. No file is certainly the
one or the other, so the format is named.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from irev.errors import Faults, Problem, shown
from irev.reading import ids
from irev.reading.fields import line
from irev.reading.formats import JUDGMENTS, Format, trec
from irev.reading.qrels import Judgments

LINES = replace(trec.QRELS, fields=("query", "group", "document", "grade"), example="topic subtopic document grade")

KIND = "subtopics"

NONE = b"0"
"""The number of no subtopic: ndeval's qrels have it for documents that no subtopic is about."""


def _check(judgments: Judgments, faults: Faults) -> None:
    """Subtopic 0 is none, so that no document is relevant to it, and a topic with no other has no subtopics."""
    details = judgments.details
    if details is None or details.group is None or details.groups is None:
        return
    of_none = details.groups.are(NONE)[details.group]
    place = details.place.astype(np.int64)
    judgment = np.repeat(np.arange(len(details.start) - 1), np.diff(details.start))

    def relevant(row: int) -> Problem:
        length = judgments.document_length[judgment[row]]
        fact = f"document {shown(ids.at(judgments.text, place[row], length))} is relevant to subtopic 0, which is none"
        return Problem(line(judgments.text, place[row]), "E116", fact, "number subtopics from 1")

    rows = np.flatnonzero(of_none & (details.grade > 0))
    faults.add(rows[np.argsort(place[rows])], relevant)

    query = judgments.query[judgment].astype(np.int64)
    first = np.full(len(judgments.queries), np.iinfo(np.int64).max)
    np.minimum.at(first, query, place)
    without = np.bincount(query, minlength=len(first)) > 0
    without[query[~of_none]] = False

    def empty(topic: int) -> Problem:
        fact = f"topic {shown(judgments.queries[topic])} has no subtopics: its lines have subtopic 0, which is none"
        return Problem(line(judgments.text, first[topic]), "E117", fact, "leave it out, or judge it for a subtopic")

    topics = np.flatnonzero(without)
    faults.add(topics[np.argsort(first[topics])], empty)


JUDGMENTS.add(
    "subtopics",
    Format(
        name="subtopics",
        description="Judgments of subtopics, as of TREC's Web tracks: topic, subtopic, document and grade, separated by"
        " white space; subtopic 0 stands for none.",
        example="q1 1 d01 1\nq1 2 d01 0\n",
        lines=lambda *given: trec.lines(LINES, *given),
        kind=KIND,
        check=_check,
    ),
)
