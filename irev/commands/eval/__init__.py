"""Evaluation: what runs score against relevance judgments.

This module declares what `irev eval` can be asked.
"""

from __future__ import annotations

from irev.base.choice import Aggregates, File, Flag, JudgmentSets, RunFiles, as_in, choice
from irev.base.records import dataclass
from irev.commands.question import (
    ELSEWHERE,
    EVALUATING,
    JOBS,
    READING,
    SHOWING,
    SKIPPING,
    WHICH_QUERIES,
    Question,
)
from irev.commands.shared import (
    Contrasts,
    Logged,
    measure_choice,
)
from irev.output.styles import EVALUATION


@dataclass(frozen=True)
class EvalChoices:
    """What is measured, and what of it is shown."""

    files: tuple[str, ...] = choice((), "the judgments, and runs", RunFiles())
    measures: tuple[str, ...] = measure_choice(
        "a measure (map, nDCG@10), with parameters (P.5,10), a printed label (P_10) or a set (official, set,"
        " all_trec); `irev measures` lists them. Repeat it for more. Default: official"
    )
    aggregates: tuple[str, ...] = choice(
        (),
        "how values of queries are combined: mean, gmean, median, min, max, sd, sum, or a quantile such as q25",
        Aggregates(),
        "--aggregate",
    )
    bounds: bool = choice(False, "add the lowest and highest value that missing judgments could give", Flag())
    per_query: bool = choice(False, "print the values of each query too", Flag(), "-q --per-query --query_eval_wanted")
    medians: bool = choice(
        False,
        "show the best, median and worst value of each query over the runs, instead of the values of runs",
        Flag(),
        not_with="per_query significance zscore groups",
    )
    no_summary: bool = choice(False, "leave out the lines for all queries", Flag(), "-n --no-summary --nosummary")
    sets: tuple[tuple[str, str], ...] = choice(
        (),
        "judgments under which every run is evaluated. Repeat it for more sets. All other files are runs then",
        JudgmentSets(),
        "--qrels",
        several=True,
    )
    groups: str | None = choice(
        None, "groups of queries, `query TAB group` or JSON: show numbers for each group too", File()
    )
    significance: bool = choice(
        False,
        "with --sort: say for each run whether its difference from the best run is significant",
        Flag(),
    )
    clusters: str | tuple[tuple[bytes, bytes], ...] | None = as_in(Contrasts, "clusters", needs="significance")
    zscore: str | None = choice(
        None,
        "print z-scores, (value - mean) / deviation, with the `query measure mean deviation` of FILE, in -f trec",
        File(),
        "-Z --zscore --Zscore",
    )
    log: str | None = as_in(Logged, "log")


QUESTION = Question(
    "eval",
    about="""Score the results in every RUN against the relevance judgments in QRELS.

QRELS has lines `query 0 document grade`, RUN has lines `query Q0 document rank score tag`. One of the files may be `-`,
standard input; compression is recognised by content. `@FILE` stands for the runs that FILE lists, and `NAME=RUN` is
RUN with another name.""",
    example="irev eval -f table -m nDCG@10,AP qrels.txt keyword.run semantic.run",
    files="QRELS RUN…",
    choices=EvalChoices,
    shared=(JOBS, SKIPPING, ELSEWHERE, SHOWING, WHICH_QUERIES, "query_weights", EVALUATING, READING),
    kind=EVALUATION,
)
