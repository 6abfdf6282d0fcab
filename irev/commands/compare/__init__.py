"""Compare: whether the differences between runs are real, and how large they are.

This module declares what `irev compare` can be asked.
"""

from __future__ import annotations

from irev.base.choice import Flag, Word, as_in, choice
from irev.base.records import dataclass
from irev.commands.question import (
    DIGITS,
    ELSEWHERE,
    EVERY_QUERY,
    FORMATS,
    JOBS,
    MEASURING,
    ORDERING,
    REPORTING,
    Question,
)
from irev.commands.shared import Contrasts, PictureChoices, picture_choice
from irev.output.report import LAYOUTS, TABLES
from irev.statistics.plan import Plan


@dataclass(frozen=True)
class CompareChoices(Plan, Contrasts):
    """Which runs are compared, how, and how much is shown."""

    # Within the margin a run that differs is found equivalent, of which the one table of a paper says nothing.
    margin: float | None = as_in(Plan, "margin", needs="layout=tables")
    per_query: bool = choice(
        False, "show the difference of every query too", Flag(), "-q --per-query", needs="layout=tables"
    )
    layout: str = choice(
        TABLES,
        "one of paper: one table of runs and measures, with marks and notes that say what is significant",
        Word(LAYOUTS),
    )
    unjudged: str | None = choice(
        None,
        "expected values if each unjudged document among the first results had the grade of a random judged one of the"
        " query. Measures need a cutoff",
        Word(("bootstrap",)),
    )
    plot: str | None = picture_choice("also draw the differences")
    width: float = as_in(PictureChoices, "width")


QUESTION = Question(
    "compare",
    about="""Compare runs, query by query: by how much they differ, and whether chance could explain it.

The first RUN, or --baseline, is compared with each of the others; `NAME=RUN` is RUN with another name. Every judged
query counts; one without results counts as an empty ranking. RESULTs stand for judgments and runs: what `irev eval -q
-f json` saved, what `trec_eval -q` printed, or tables of values.""",
    example="irev compare -m nDCG@10 qrels.txt keyword.run semantic.run",
    files="QRELS RUN RUN… | RESULT…",
    choices=CompareChoices,
    shared=(
        JOBS,
        DIGITS,
        ELSEWHERE,
        REPORTING,
        EVERY_QUERY,
        MEASURING,
        FORMATS,
        ORDERING,
        "document_of",
        "compat",
    ),
)
