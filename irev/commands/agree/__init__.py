"""Agree: whether two measures, sets of judgments or sets of queries order runs alike.

This module declares what `irev agree` can be asked.
"""

from __future__ import annotations

from irev.base.choice import JudgmentSets, NamedFile, OpenShare, as_in, choice
from irev.base.records import dataclass
from irev.commands.question import EVERY_QUERY, MEASURING, REPORTING, Question
from irev.commands.shared import Systems


@dataclass(frozen=True)
class AgreeChoices(Systems):
    """What orders the runs."""

    scores: bool = as_in(Systems, "scores", not_with="sets")
    sets: tuple[tuple[str, str], ...] = choice(
        (),
        "order the runs under these judgments; once for each set. All other files are runs then",
        JudgmentSets(),
        "--qrels",
        several=True,
    )
    subsets: tuple[tuple[str, str], ...] = choice(
        (),
        "order the runs by the queries that this file lists; once for each set of queries",
        NamedFile("NAME=FILE"),
        "--subset",
        several=True,
    )
    persistence: float = choice(
        0.9,
        "persistence of rank-biased overlap; a higher one gives more weight to low ranks",
        OpenShare(),
        "--rbo-p",
    )


QUESTION = Question(
    "agree",
    about="""Measure how far two rankings of the RUNs agree: by two measures, sets of judgments or sets of queries.

Each measure, set of judgments and set of queries ranks the runs, and every two of these rankings are compared.
`irev rbo` compares two rankings of documents, without judgments.""",
    example="irev agree -m AP -m RR qrels.txt hybrid.run keyword.run semantic.run",
    files="QRELS RUN RUN… | RESULT…",
    choices=AgreeChoices,
    shared=(REPORTING, EVERY_QUERY, MEASURING, "qrels_format"),
)
