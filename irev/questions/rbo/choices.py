"""What `irev rbo` and `irev.rbo` can be asked."""

from __future__ import annotations

from irev.base.choice import choice
from irev.base.kinds import RunFile, Share, Word
from irev.base.records import dataclass
from irev.questions.question import REPORTING, RUN_READING, RUNNING, Question

TIES = {
    "a": "documents of equal score stand in any order, and what is expected over all orders counts (RBO^a)",
    "b": "as RBO^a, divided by what each run has with itself (RBO^b)",
    "w": "documents of equal score stand at one rank (RBO^w)",
}
"""What documents of equal score are."""


@dataclass(frozen=True)
class RboChoices:
    """How two rankings are compared."""

    a: str = choice("", "a run", RunFile())
    b: str = choice("", "another run", RunFile())
    p: float = choice(0.9, "persistence; a higher one gives more weight to low ranks", Share(), "--rbo-p")
    rbo_ties: str = choice(
        "a",
        "how ties count. a: the expected value over all orders; b: the same, divided by the overlap of each run"
        " with itself; w: documents of equal score share a rank",
        Word(TIES),
    )


QUESTION = Question(
    "rbo",
    says="Measure the rank-biased overlap of two runs.",
    about="""Measure how far the rankings of two runs overlap, query by query, without judgments.

Rank-biased overlap averages, over all depths d, the share of documents that the first d of both have in common. The top
weighs most (Webber, Moffat and Zobel 2010).""",
    example="irev rbo hybrid.run semantic.run",
    files="RUN RUN",
    choices=RboChoices,
    shared=(RUNNING, REPORTING, "depth", RUN_READING),
)
