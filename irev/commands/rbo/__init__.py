"""RBO: how far the rankings of two runs overlap, query by query, without judgments.

This module declares what `irev rbo` and `irev.rbo` can be asked.
"""

from __future__ import annotations

from irev.base.choice import OpenShare, RunFile, Word, choice
from irev.base.records import dataclass
from irev.commands.question import REPORTING, Question

TIES = {
    "a": "the expected value over all orders of tied documents counts (RBO^a)",
    "b": "as RBO^a, divided by the overlap of each run with itself (RBO^b)",
    "w": "tied documents share one rank (RBO^w)",
}
"""What documents of equal score are."""


@dataclass(frozen=True)
class RboChoices:
    """How two rankings are compared."""

    a: str = choice("", "a run", RunFile())
    b: str = choice("", "another run", RunFile())
    p: float = choice(0.9, "persistence; a higher one gives more weight to low ranks", OpenShare(), "--rbo-p")
    rbo_ties: str = choice(
        "a",
        "how ties count. a: the expected value over all orders; b: the same, scaled at each depth so that a run"
        " overlaps fully with itself; w: documents of equal score share a rank",
        Word(TIES),
    )


QUESTION = Question(
    "rbo",
    about="""Measure how far the rankings of two runs overlap, query by query, without judgments.

Rank-biased overlap averages, over all depths d, the share of documents that both have in common among their first d.
The top weighs most (Webber, Moffat and Zobel 2010).""",
    example="irev rbo hybrid.run semantic.run",
    files="RUN RUN",
    choices=RboChoices,
    shared=(REPORTING, "depth"),
)
