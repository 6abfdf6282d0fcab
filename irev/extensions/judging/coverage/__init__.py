"""Coverage: how much of the runs was judged, and how far missing judgments could change scores.

This module declares what `irev coverage` and `irev.coverage` can be asked.
"""

from __future__ import annotations

from collections.abc import Mapping

from irev.base.choice import File, Flag, RunFiles, Whole, as_in, choice
from irev.base.records import dataclass
from irev.commands.question import EVERY_QUERY, REPORTING, Question
from irev.commands.shared import PictureChoices, measure_choice, picture_choice


@dataclass(frozen=True)
class CoverageChoices:
    """What of judgments and runs is looked at."""

    files: tuple[str, ...] = choice((), "the judgments, and runs", RunFiles())
    measures: tuple[str, ...] = measure_choice("a measure. Repeat it for more. Default: AP and nDCG@10")
    groups: str | Mapping[str, str] | None = choice(
        None, "groups of runs, `run TAB group` or JSON: the runs of a group are left out together", File()
    )
    pool_depth: int = choice(100, "the depth to which the runs were pooled", Whole(1))
    top: int = choice(10, "count unjudged documents among the first N", Whole(1))
    plot: str | None = picture_choice(
        "also draw the share of judged documents, and each run's value with and without its own judgments"
    )
    width: float = as_in(PictureChoices, "width")
    per_query: bool = choice(
        False, "show every unjudged document and pair in formats for people", Flag(), "-q --per-query"
    )


QUESTION = Question(
    "coverage",
    says="Show how much of the runs was judged.",
    about="""Show how much of every RUN was judged, and how far missing judgments could change its scores.

An unjudged document counts as not relevant. Shown are how many there are, the lowest and the highest score that their
judgments could give, which runs could change places, and what each run would score if it had not been pooled.""",
    example="irev coverage qrels.txt hybrid.run keyword.run semantic.run",
    files="QRELS RUN…",
    choices=CoverageChoices,
    shared=(REPORTING, EVERY_QUERY, "level", "qrels_format"),
)
