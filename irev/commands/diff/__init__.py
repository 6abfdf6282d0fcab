"""Diff: which queries changed from one run to another, and which documents made them change.

This module declares what `irev diff` and `irev.diff` can be asked.
"""

from __future__ import annotations

from irev.base.choice import Flag, NewFile, QrelsFile, QueryId, RunFile, Whole, choice
from irev.base.records import dataclass
from irev.base.settings import LOOKED_AT_BY
from irev.commands.question import DIGITS, EVERY_QUERY, FORMATS, MEASURING, ORDERING, REPORTING, TEXTS, Question
from irev.commands.shared import measure_choice


@dataclass(frozen=True)
class DiffChoices:
    """Which queries and documents are looked at."""

    qrels: str = choice("", "the judgments", QrelsFile())
    before: str = choice("", "the earlier run", RunFile())
    after: str = choice("", "the later run", RunFile())
    measures: tuple[str, ...] = measure_choice(
        f"a measure, by which queries are ordered. Further ones are shown beside it. Default: {LOOKED_AT_BY}"
    )
    query: tuple[bytes, ...] = choice((), "show this query. Repeat it for more", QueryId(), several=True)
    limit: int = choice(10, "show the N queries that lost most, and the N that won most", Whole(), not_with="query")
    best: bool = choice(False, "show the queries that won first", Flag(), not_with="query")
    top: int | None = choice(None, "show N documents of each query. Default: 5", Whole(1), not_with="everything")
    everything: bool = choice(False, "show all documents of each query that changed anything", Flag(), "--all")
    pool_depth: int | None = choice(
        None,
        "the number of first ranks that documents enter and leave. Default: the cutoff of the first measure, or 10",
        Whole(1),
    )
    unjudged: str | None = choice(
        None,
        "write a line `query document rank` for each document without a judgment that entered the first ranks"
        " (--pool-depth) of a query that is shown",
        NewFile(),
    )


QUESTION = Question(
    "diff",
    about="""Show what changed from run A to run B: the queries that lost and won most, and which documents moved there.

For measures that are sums over ranks, the contributions of documents add up to the change. Every judged query counts;
one without results counts as an empty ranking.""",
    example="irev diff -m nDCG@10 qrels.txt keyword.run semantic.run",
    files="QRELS A B",
    choices=DiffChoices,
    shared=(TEXTS, REPORTING, DIGITS, EVERY_QUERY, MEASURING, FORMATS, ORDERING, "compat"),
)
