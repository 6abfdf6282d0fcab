"""Runs compared by weights of queries, or in groups of queries.

This module declares what `irev compare-by` and `irev.compare_by` can be asked.
"""

from __future__ import annotations

from collections.abc import Mapping

from irev.base.choice import File, Word, as_in, choice
from irev.base.records import dataclass
from irev.base.settings import Settings
from irev.commands.question import DIGITS, EVERY_QUERY, MEASURING, REPORTING, Question
from irev.commands.shared import Contrasts, PictureChoices, picture_choice
from irev.statistics.plan import Plan


@dataclass(frozen=True)
class CompareByChoices(Contrasts):
    """Which runs are compared, and by what."""

    weights: tuple[tuple[bytes, float], ...] | None = as_in(
        Settings,
        "query_weights",
        flags="--query-weights",
        says="FILE has the weight of each query, in lines `query weight`: compare weighted means, with --interval t or"
        " of the bootstrap",
        more="",
        not_with="groups",
    )
    groups: str | Mapping[str, str] | None = choice(
        None,
        "FILE has the group of each query, in lines `query TAB group`: show the differences in each group, and test"
        " whether they are the same in all (the interaction of run and group)",
        File(),
    )
    interval: str = as_in(Plan, "interval")
    confidence: float = as_in(Plan, "confidence")
    alpha: float = as_in(Plan, "alpha")
    seed: int = as_in(Plan, "seed")
    unjudged: str | None = choice(
        None,
        "expected values if each unjudged document among the first results had the grade of a random judged one of the"
        " query. Measures need a cutoff",
        Word(("bootstrap",)),
    )
    plot: str | None = picture_choice("also draw the differences")
    width: float = as_in(PictureChoices, "width")


QUESTION = Question(
    "compare-by",
    about="""Compare weighted means of runs, or means in groups of queries.

--query-weights FILE has the weight of each query, such as how often users ask it. --groups FILE has the group of each
query. Every judged query counts; one without results counts as an empty ranking. Files are those of `irev compare`.""",
    example="irev compare-by --groups groups.tsv -m AP qrels.txt keyword.run semantic.run",
    files="QRELS RUN RUN… | RESULT…",
    choices=CompareByChoices,
    shared=(DIGITS, REPORTING, EVERY_QUERY, MEASURING, "compat"),
)
