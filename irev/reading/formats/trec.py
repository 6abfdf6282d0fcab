"""TREC's own formats: white-space separated lines of four fields for judgments, and of six for runs.

Lines with fewer of these fields are formats of their own, read only when asked for: such a line could as well be one
that lost a field.
"""

from __future__ import annotations

import re
from dataclasses import replace
from functools import partial

from irev.base.errors import Faults, Problem
from irev.base.registry import Registry
from irev.base.settings import Settings
from irev.base.text import REAL
from irev.reading.fields import GROUPS, JudgmentKind, Layout
from irev.reading.formats import JUDGMENTS, RUNS, Format
from irev.reading.sources import BOM, Source, Stream

QRELS = Layout(
    fields=("query", "ignored", "document", "grade"),
    exact=True,
    empty_lines=False,
    comments="line start",
    example="query 0 document grade",
)
QRELS_GROUPS = replace(QRELS, fields=("query", "group", "document", "grade"), example="query group document grade")
QRELS_OF_THREE = replace(QRELS, fields=("query", "document", "grade"), example="query document grade")
RUN = Layout(
    fields=("query", "Q0", "document", "rank", "score", "tag"),
    exact=False,
    empty_lines=True,
    comments="first field",
    example="query Q0 document rank score tag",
)
RUN_OF_THREE = replace(RUN, fields=("query", "document", "score"), exact=True, example="query document score")
RUN_OF_FOUR = replace(
    RUN, fields=("query", "document", "rank", "score"), exact=True, example="query document rank score"
)


LAYOUTS = (
    {"trec": RUN, "trec3": RUN_OF_THREE, "trec4": RUN_OF_FOUR},
    {"trec": QRELS, "trec3": QRELS_OF_THREE},
)
"""The layouts of runs, and of judgments, by the names of formats."""


def certainly(table: Registry[Format], head: bytes) -> bool:
    """Whether a file begins as one of these formats and as no other: numbers stand where names of columns could.

    What begins otherwise may be of them too, but then all formats are asked, whose modules take time to import.
    """
    while head.startswith(b"#"):
        comment, _, head = head.partition(b"\n")
        if b"," in comment or b"\t" in comment:
            return False
    line, end, _ = head.partition(b"\n")
    line = line.rstrip(b" \t\r")
    fields = line.split()
    if len(fields) != (6 if table is RUNS else 4) or not end or line.startswith((b"{", b"[", b'"', b" ", b"\t")):
        return False
    query, ignored, _, number, *rest = fields
    return (
        not any(space in line for space in b"\v\f\r")
        and any(digit in query for digit in b"0123456789")
        and ignored.removeprefix(b"Q").isdigit()
        and (number.isdigit() and _is_decimal(rest[0]) if rest else number.removeprefix(b"-").isdigit())
    )


def _is_decimal(field: bytes) -> bool:
    whole, point, decimals = field.removeprefix(b"-").partition(b".")
    return (decimals if point else whole).isdigit() and (whole.isdigit() or not whole)


def lines(layout: Layout, source: Source, settings: Settings, faults: Faults) -> tuple[Layout, Stream]:
    """The file as it is. trec_eval 9 knows no comments; a byte order mark would be a part of the first query id."""
    if source.head(len(BOM)) == BOM:
        fact = "the file begins with a byte order mark, which would be part of the first query id"
        faults.note(Problem(1, "E109", fact, "write it as UTF-8 without one", column=1))
    return replace(layout, comments="none") if settings.single_precision else layout, source


def fits(table: Registry[Format], line: bytes) -> bool:
    """Whether a line has the fields of TREC's format, and a number for the grade or score; words may be grades."""
    fields = line.split()
    if table is RUNS:
        return len(fields) >= len(RUN.fields) and re.fullmatch(REAL.encode(), fields[4]) is not None
    return len(fields) == len(QRELS.fields) and re.fullmatch(REAL.encode(), fields[3]) is not None


Format(
    name="trec",
    description="TREC qrels: query, an ignored field, document and grade, separated by white space.",
    example="q1 0 d01 2\nq1 0 d02 0\n",
    lines=partial(lines, QRELS),
).add_to(JUDGMENTS)
Format(
    name="trec3",
    description="TREC qrels without the ignored field: query, document and grade, separated by white space.",
    example="q1 d01 2\nq1 d02 0\n",
    lines=partial(lines, QRELS_OF_THREE),
    suggested=True,
).add_to(JUDGMENTS)
Format(
    name="qrels_jg",
    description="TREC qrels of several people: query, judgment group, document and grade. A document may be judged"
    " in each group.",
    example="q1 ann d01 2\nq1 bob d01 0\n",
    lines=partial(lines, QRELS_GROUPS),
    kind=JudgmentKind(GROUPS, graded=False),
).add_to(JUDGMENTS)
Format(
    name="trec",
    description="TREC run: query, an ignored field, document, rank, score and run tag, separated by white space.",
    example="q1 Q0 d01 1 12.5 bm25\nq1 Q0 d02 2 11.0 bm25\n",
    lines=partial(lines, RUN),
).add_to(RUNS)
Format(
    name="trec3",
    description="Query, document and score, separated by white space, as retrieval libraries write them.",
    example="q1 d01 12.5\nq1 d02 11.0\n",
    lines=partial(lines, RUN_OF_THREE),
    suggested=True,
).add_to(RUNS)
Format(
    name="trec4",
    description="Query, document, rank and score, separated by white space, as rerankers write them. Ordered by "
    "score, or by rank with --order rank.",
    example="q1 d01 1 12.5\nq1 d02 2 11.0\n",
    lines=partial(lines, RUN_OF_FOUR),
    suggested=True,
).add_to(RUNS)
