"""Explain: what the value of a measure is made of for one query.

This module declares what `irev explain` and `irev.explain` can be asked.
"""

from __future__ import annotations

from irev.base.choice import Flag, Grades, QrelsFile, QueryId, RunFile, Whole, Wholes, choice
from irev.base.records import dataclass
from irev.base.settings import LOOKED_AT_BY
from irev.commands.question import DIGITS, FORMATS, MEASURING, ORDERING, REPORTING, TEXTS, Question
from irev.commands.shared import measure_choice


@dataclass(frozen=True)
class ExplainChoices:
    """Which query is explained, and how much of its ranking people see."""

    qrels: str = choice("", "the judgments", QrelsFile())
    run: str = choice("", "the run", RunFile())
    query: bytes | None = choice(
        None,
        "the query. Default: the one with the worst value of the first measure",
        QueryId(),
        not_with="grades",
    )
    grades: tuple[tuple[float | None, ...], ...] = choice(
        (),
        "explain a ranking of documents with these grades, best rank first, instead of files",
        Grades(),
        more="; - is an unjudged document. Repeat it for the mean of several rankings",
        several=True,
    )
    relevant: tuple[int, ...] | None = choice(
        None,
        "how many documents are relevant in all, a number for each ranking",
        Wholes(),
        more="; those not among the grades have the lowest relevant grade",
        needs="grades",
    )
    measures: tuple[str, ...] = measure_choice(
        f"a measure; `irev measures` lists them. Repeat it for more. Default: {LOOKED_AT_BY}"
    )
    top: int | None = choice(
        None,
        "show the first N ranks. Default: up to the cutoff, or 10",
        Whole(1),
        not_with="everything",
    )
    everything: bool = choice(False, "show all ranks", Flag(), "--all")


QUESTION = Question(
    "explain",
    about="""Show how the value of a measure for one query is computed: rank by rank, with what each document adds.

Where the measure divides by the ideal ranking, that is shown too. For a measure that is not a sum over ranks, counts
are shown. Every judged query counts; one without results counts as an empty ranking.

A ranking may also be given by its grades alone: irev explain --grades 3,2,3,0,1,2 -m nDCG@6,AP --relevant 8""",
    example="irev explain -m nDCG@10 --query q2 qrels.txt keyword.run",
    files="QRELS RUN",
    choices=ExplainChoices,
    shared=(TEXTS, REPORTING, DIGITS, MEASURING, FORMATS, ORDERING, "compat"),
)
