"""Judgments of subtopics: a document is judged for each subtopic of a topic on its own.

The lines are those of ordinary judgments, with the subtopic in the field that these ignore. No file is certainly the
one or the other, so the format is named, or follows from the measures that are asked for.
"""

from __future__ import annotations

from dataclasses import replace

from irev.reading.fields import SUBTOPICS
from irev.reading.formats import JUDGMENTS, Format, trec

LINES = replace(trec.QRELS, fields=("query", "group", "document", "grade"), example="topic subtopic document grade")


JUDGMENTS.add(
    "subtopics",
    Format(
        name="subtopics",
        description="Judgments of subtopics, as of TREC's Web tracks: topic, subtopic, document and grade, separated by"
        " white space; 0 is a subtopic like all others.",
        example="q1 1 d01 1\nq1 2 d01 0\n",
        lines=lambda *given: trec.lines(LINES, *given),
        kind=SUBTOPICS,
    ),
)
