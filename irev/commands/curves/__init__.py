"""Curves: runs by recall, by cutoff and by query, as numbers and as pictures.

This module declares what `irev curves` and `irev.curves` can be asked.
"""

from __future__ import annotations

from irev.base.choice import File, Flag, Kind, QueryId, Ranks, RunFiles, RunName, Word, as_in, choice
from irev.base.records import dataclass
from irev.commands.question import DIGITS, EVERY_QUERY, JOBS, MEASURING, REPORTING, Question
from irev.commands.shared import PictureChoices, measure_choice, picture_choice
from irev.evaluation.curves import (
    BY_CUTOFF,
    DIFFERENCES,
    KINDS,
    NIST,
    ONE_QUERY,
    RECALL_PRECISION,
    SHEET,
    TRADEOFF,
    WITH_QUERIES,
    WITHOUT_MEASURES,
)
from irev.statistics.plan import Plan


def _of(*kinds: str) -> str:
    """What a choice needs that some kinds alone look at."""
    return f"curve={','.join(kinds)}"


@dataclass(frozen=True)
class CurvesChoices:
    """What is drawn."""

    files: tuple[str, ...] = choice((), "the judgments, and runs", RunFiles())
    curve: str = choice(
        RECALL_PRECISION,
        "what is drawn. " + "; ".join(f"{kind}: {shows}" for kind, shows in KINDS.items()),
        Word(tuple(KINDS), "KIND"),
        "--kind",
    )
    measures: tuple[str, ...] = measure_choice(
        "a measure. Repeat it for more. Default: AP and nDCG@10; by cutoff nDCG, P and R, named without a cutoff",
        needs=_of(*(kind for kind in KINDS if kind not in WITHOUT_MEASURES)),
    )
    query: tuple[bytes, ...] = choice(
        (), "with --kind query: the query to draw. Repeat it for more", QueryId(), several=True, needs=_of(ONE_QUERY)
    )
    rule: str | None = choice(
        None,
        "with --kind recall-precision: how recall points are found. nist: recall is at least the point; trec_eval:"
        " the number of relevant documents is rounded",
        Word((NIST,)),
        needs=_of(RECALL_PRECISION),
    )
    cutoffs: tuple[int, ...] = choice(
        (), "with curves by cutoff: the cutoffs. Default: some up to 1000", Ranks(), needs=_of(*BY_CUTOFF)
    )
    baseline: str | None = choice(
        None,
        "the run that the others are compared with, by default the first; among many runs, one that has a name",
        RunName(),
        needs=_of(*(kind for kind in KINDS if kind != SHEET)),
    )
    resources: str | None = choice(
        None,
        "with --kind tradeoff: what runs took, a table with a header: run, perhaps query, and numbers such as latency",
        File(),
        needs=_of(TRADEOFF),
    )
    against: str | None = choice(
        None,
        "with --kind tradeoff: the column to draw measures against; with queries, a statistic of it: latency:p99, p50"
        " unless given. Which value is better is known of times, costs and the like; say it of others: qps:higher."
        " Default: the first column",
        Kind(),
        needs=_of(TRADEOFF),
    )
    per_query: bool = choice(
        False, "show every query, or point, in formats for people", Flag(), "-q --per-query", needs=_of(*WITH_QUERIES)
    )
    plot: str | None = picture_choice("also draw the curves")
    width: float = as_in(PictureChoices, "width")
    confidence: float = as_in(Plan, "confidence", needs=_of(DIFFERENCES))


QUESTION = Question(
    "curves",
    about="""Draw runs, and print the numbers of the picture, which are those of `irev eval`.

Averages are over the same queries for all runs: every judged query counts; one without results counts as an empty
ranking. On a terminal the figure consists of characters; --plot makes a picture.""",
    example="irev curves --kind cutoff -m nDCG qrels.txt keyword.run semantic.run",
    files="QRELS RUN…",
    choices=CurvesChoices,
    shared=(JOBS, DIGITS, REPORTING, EVERY_QUERY, MEASURING, "qrels_format", "compat"),
)
