"""Compare: whether the differences between runs are real, and how large they are.

This module declares what `irev compare` can be asked.
"""

from __future__ import annotations

from collections.abc import Mapping

from irev.base.choice import as_in, choice
from irev.base.kinds import File, Flag, Whole, Word
from irev.base.records import dataclass
from irev.base.settings import Settings
from irev.commands.question import (
    DIGITS,
    ELSEWHERE,
    EVERY_QUERY,
    FORMATS,
    JOBS,
    MEASURING,
    ORDERING,
    REPORTING,
    RUNNING,
    Question,
)
from irev.commands.shared import Contrasts, PictureChoices, picture_choice
from irev.output.report import LAYOUTS, TABLES
from irev.statistics.plan import Plan

_TESTED = "tests alternative interval correction family seed layout"
"""The choices of tests and of how they are shown."""

_OTHER_THAN_INTERVALS = " ".join(each for each in _TESTED.split() if each not in ("interval", "seed"))

_OTHERWISE = "Instead of tests"


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
    bayes: bool = choice(
        False,
        "show the probability that a run is better, and better by more than --margin: a posterior under "
        "Student-t noise",
        Flag(),
        settles=f"{_TESTED} clusters alpha seeds original",
        heading=_OTHERWISE,
    )
    seeds: int | None = choice(
        None,
        "each system has N runs, listed one after the other, that differ only by the random seed: compare the "
        "systems for other queries and other seeds. A baseline without seeds is one run, named with --baseline",
        Whole(2),
        settles=f"{_TESTED} clusters margin original",
        heading=_OTHERWISE,
    )
    original: str | None = choice(
        None,
        "RESULT of the same runs in an earlier experiment: show whether its improvements are replicated",
        File(),
        settles=f"{_TESTED} clusters margin alpha confidence",
        heading=_OTHERWISE,
    )
    weights: tuple[tuple[bytes, float], ...] | None = as_in(
        Settings,
        "query_weights",
        flags="--query-weights",
        says="FILE has the weight of each query, in lines `query weight`: compare weighted means, with --interval t or"
        " of the bootstrap",
        more="",
        settles=f"{_OTHER_THAN_INTERVALS} margin per_query bayes seeds original",
        heading=_OTHERWISE,
    )
    groups: str | Mapping[str, str] | None = choice(
        None,
        "FILE has the group of each query, in lines `query TAB group`: show the differences in each group, and test"
        " whether they are the same in all (the interaction of run and group)",
        File(),
        settles=f"{_OTHER_THAN_INTERVALS} margin per_query bayes seeds original weights",
        heading=_OTHERWISE,
    )
    collections: str | None = choice(
        None,
        "compare runs on several collections, which FILE has as for `irev eval`: the difference on each, and all"
        " together by a random-effects meta-analysis, beside the macro average",
        File(),
        settles=f"{_TESTED} clusters margin scores per_query names_given bayes seeds original weights groups unjudged",
        heading=_OTHERWISE,
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
    says="Test whether runs differ.",
    about="""Compare runs, query by query: by how much they differ, and whether chance could explain it.

The first RUN, or --baseline, is compared with each of the others. Every judged query counts; one without results counts
as an empty ranking. RESULTs stand for judgments and runs: what `irev eval -q -f json` saved, what `trec_eval -q`
printed, or tables of values.
--bayes, --seeds and --original say otherwise than by tests whether runs differ, --groups in groups of queries, and
--collections on several collections.""",
    example="irev compare -m nDCG@10 qrels.txt keyword.run semantic.run",
    files="QRELS RUN RUN… | RESULT…",
    choices=CompareChoices,
    shared=(
        RUNNING,
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
