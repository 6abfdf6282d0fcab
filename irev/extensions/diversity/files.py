"""Judgments of subtopics: a document is judged for each subtopic of a topic on its own, in the field that ordinary
judgments ignore. No file is certainly the one or the other, so the format is named, or follows from the measures that
are asked for."""

from __future__ import annotations

from dataclasses import replace
from functools import partial

from irev.reading.fields import JudgmentKind
from irev.reading.formats import JUDGMENTS, Format
from irev.reading.formats.trec import QRELS, lines

KIND = "subtopics"
"""The kind of these judgments, each with grades of documents; their format is called so too."""

_LAYOUT = replace(QRELS, fields=("query", "group", "document", "grade"), example="topic subtopic document grade")

Format(
    name="subtopics",
    description="Judgments of subtopics, as of TREC's Web tracks: query, subtopic, document and grade, separated by"
    " white space; 0 is an ordinary subtopic.",
    example="q1 1 d01 1\nq1 2 d01 0\n",
    lines=partial(lines, _LAYOUT),
    kind=JudgmentKind(
        KIND,
        implied="all measures are of subtopics, so the second field of the judgments is read as the subtopic",
        doubt="the subtopic of every line is {}; are these judgments of subtopics?",
    ),
).add_to(JUDGMENTS)
