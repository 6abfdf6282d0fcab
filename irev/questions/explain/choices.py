"""What `irev explain` and `irev.explain` can be asked."""

from __future__ import annotations

from irev.base.choice import choice
from irev.base.kinds import Flag, Measure, QrelsFile, QueryId, RunFile, Whole
from irev.base.records import dataclass
from irev.base.settings import LOOKED_AT_BY
from irev.questions.question import MEASURING, NAMING, READING, REPORTING, TEXTS, Question


@dataclass(frozen=True)
class ExplainChoices:
    """Which query is explained, and how much of its ranking people see."""

    qrels: str = choice("", "the judgments", QrelsFile())
    run: str = choice("", "the run", RunFile())
    query: bytes | None = choice(
        None,
        "the query. Default: the one with the worst value of the first measure",
        QueryId(),
        not_with="listing",
    )
    listing: bool = choice(False, "list the queries by value, the worst first, and explain none", Flag(), "--list")
    measures: tuple[str, ...] = choice(
        (),
        f"a measure; `irev measures` lists them. Repeat it for more. Default: {LOOKED_AT_BY}",
        Measure(),
        "-m --measure --metric",
        several=True,
    )
    top: int | None = choice(
        None,
        "show the first N ranks. Default: up to the cutoff, or 10",
        Whole(1),
        "-n --top",
        not_with="everything listing",
    )
    everything: bool = choice(False, "show all ranks", Flag(), "--all", not_with="listing")


QUESTION = Question(
    "explain",
    says="Show why a query has the number that it has.",
    about="""Show what the value of a measure is made of for one query: rank by rank, with what each document adds.

Beside the documents of the RUN stands the ideal ranking, where the measure is a share of that. For a measure that is no
sum over ranks, what can be counted is shown. Every judged query counts; one without results scores 0.""",
    example="irev explain -m nDCG@10 --query q2 qrels.txt keyword.run",
    files="QRELS RUN",
    choices=ExplainChoices,
    shared=(TEXTS, REPORTING, NAMING, MEASURING, READING),
)
