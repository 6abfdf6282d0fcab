"""What users see and click: the questions of ``irev online``, and what each of them can be asked.

`Given` is what they are asked about: runs, judgments and logs, in files or in memory. The module or folder of the name
of a question has its answer.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from irev.base.choice import (
    File,
    Kind,
    NearName,
    NewFile,
    OpenShare,
    Real,
    RunFile,
    Whole,
    Word,
    Words,
    as_in,
    choice,
)
from irev.base.records import dataclass
from irev.base.text import REAL
from irev.commands.question import LISTS, REPORTING, Question
from irev.extensions.clicks.events.schema import METHODS, ON_ERROR, REFUSE
from irev.extensions.clicks.online.metrics import METRICS
from irev.statistics.plan import OF_VALUES

GROUP = "online"

OF_LOGS = (REPORTING,)
"""What questions about logs share with others."""

ABOUT = """Evaluate clicks: interleaving and A/B tests.

Mix two runs into lists, show them, log what users see and click (docs/logs.md), and find which run they prefer. Or show
each user one run, in an A/B test, and compare what they do."""


@dataclass(frozen=True)
class LogChoices:
    """How a log is read and tested."""

    files: tuple[str, ...] = choice((), "the files of the log, in their order", File())
    on_error: str = choice(
        REFUSE,
        "what to do with faulty events: refuse the log (error), or drop each with all events of its impression; a "
        "user in several buckets is dropped with all events",
        Word(ON_ERROR),
    )
    alpha: float = choice(0.05, "the largest p-value that is significant", OpenShare())
    confidence: float = choice(0.95, "confidence level of the intervals", OpenShare())
    sequential: int | None = choice(
        None,
        "make intervals and p-values that allow for a look at any time. N is the number of impressions planned for"
        " the whole test: give the same N at every look. Default: valid for one look, at a time chosen before",
        Whole(1),
    )


@dataclass(frozen=True)
class InterleaveChoices:
    """How lists are made of two runs."""

    a: str = choice("", "a run", RunFile())
    b: str = choice("", "the other run", RunFile())
    method: str = choice(
        "team-draft",
        "how the lists are mixed. Team-draft: in each round both runs add their best document (Radlinski et al."
        " 2008); probabilistic: drawn from softmax distributions over ranks"
        " (Hofmann et al. 2011)",
        NearName(tuple(sorted(METHODS))),
    )
    length: int = choice(10, "the largest number of documents in a list", Whole(1))
    draws: int = choice(
        1,
        "number of lists for each query; show each user one of them at random. If all users see the same list, the"
        " result depends on one random draw",
        Whole(1, 1_000_000),
    )
    seed_of_lists: int = choice(0, "random seed", Whole(), flags="--seed")
    within_first: int | None = choice(
        None,
        "use only the first K documents of each run. Default: all",
        Whole(1),
        flags="--within",
        needs="method=probabilistic",
    )


INTERLEAVE = Question(
    "interleave",
    says="Interleave two runs, to see which one users click.",
    about="""Mix the runs A and B into one list for each query that both have, and say which run each document is from.

Queries are in the order of their bytes. The list of a query depends only on the seed and the id of the query. When one
run has no more documents, the other fills the list; clicks on these documents count for neither run.""",
    example="irev online interleave hybrid.run keyword.run",
    files="A B",
    choices=InterleaveChoices,
    shared=(LISTS,),
    group=GROUP,
    style="jsonl",
)


PREFERENCE = Question(
    "preference",
    says="Find which run users prefer, from clicks on mixed lists.",
    about="""Find which of two runs users prefer, from a LOG of clicks on interleaved lists.

Look once, at a time chosen before: with daily looks, false findings are far too frequent. Results of
--sequential are valid at every look. Several LOGs are read as one, in their order: JSON lines, CSV, TSV or Parquet.""",
    example="irev online preference interleaved.jsonl",
    files="LOG…",
    choices=LogChoices,
    shared=OF_LOGS,
    group=GROUP,
)


class BucketShares(Kind):
    """Buckets, and their shares of users: ``old=0.9,new=0.1``; in Python a dictionary."""

    metavar = "BUCKET=P,…"
    name = "shares"
    expected = "a dictionary of the names of buckets and numbers above 0"

    def read(self, text: str) -> tuple[tuple[str, float], ...]:
        found: dict[str, float] = {}
        for part in text.split(","):
            bucket, equals, share = part.rpartition("=")
            if not (equals and re.fullmatch(REAL, share, re.ASCII) and 0 < float(share) < float("inf")):
                raise ValueError(f"'{part}' is no bucket and share above 0, such as new=0.5")
            if bucket in found:
                raise ValueError(f"{bucket} is given twice")
            found[bucket] = float(share)
        return tuple(found.items())

    def check(self, value: Any) -> tuple[tuple[str, float], ...]:
        if not isinstance(value, Mapping) or not all(isinstance(name, str) for name in value):
            raise ValueError(self.expected)
        try:
            return tuple((name, Real(open_ends=True).check(share)) for name, share in value.items())
        except ValueError:
            raise ValueError(self.expected) from None


@dataclass(frozen=True)
class AbChoices(LogChoices):
    """How buckets are compared."""

    metrics: tuple[str, ...] = choice(
        (),
        f"a metric: {', '.join(name for name in METRICS if not name.startswith('ctr_'))}, or ctr_1 to ctr_10, clicks"
        " at a rank. Several have commas between them. Default: all metrics that the log has values for, except"
        " ctr_1 to ctr_10",
        Words(tuple(METRICS), "NAME,…"),
        flags="-m --measure --metric",
        several=True,
    )
    baseline: str | None = choice(
        None, "the bucket with which others are compared. Default: the first by name", flags="--baseline"
    )
    shares: tuple[tuple[str, float], ...] = choice(
        (), "the share of users that each bucket was meant to have. Default: equal shares", BucketShares()
    )
    correction: str = choice(
        "holm", "how p-values are corrected, over all metrics and buckets together", Word(OF_VALUES)
    )
    power: float = choice(
        0.8,
        "the power for the column detectable: the true difference that a test finds with this probability",
        OpenShare(),
    )


AB = Question(
    "ab",
    says="Compare the buckets of an A/B test.",
    about="""Compare what users did in the buckets of an A/B test, from a LOG of clicks.

Look once, at a time chosen before: with 14 daily looks at p ≤ 0.05, 22 of 100 tests find a difference that does not
exist. Results of --sequential are valid at every look. Several LOGs are read as one, in their order: JSON lines, CSV,
TSV or Parquet. Exit status: 0 done, 1 the buckets have wrong sizes, 2 wrong usage or a log with errors.""",
    example="irev online ab ab_test.csv",
    files="LOG…",
    choices=AbChoices,
    shared=OF_LOGS,
    group=GROUP,
)


@dataclass(frozen=True)
class ClickModelChoices:
    """What is fitted."""

    files: tuple[str, ...] = as_in(LogChoices, "files")
    on_error: str = as_in(LogChoices, "on_error")
    confidence: float = as_in(LogChoices, "confidence")
    propensities_to: str | None = choice(
        None,
        "also write the probability that users look at each position, by the position model, one a line: input "
        "for irev online off-policy --propensities",
        NewFile(),
    )


CLICK_MODELS = Question(
    "click-models",
    says="Fit click models to a log.",
    about="""Fit click models to a LOG: how often users look at each position, and whether they go on after a click.

Models are compared by how well they predict the clicks of users that they were not fitted to. Several LOGs are read as
one, in their order. Impressions need a query and documents.""",
    example="irev online click-models ab_test.csv",
    files="LOG…",
    choices=ClickModelChoices,
    shared=OF_LOGS,
    group=GROUP,
)


@dataclass(frozen=True)
class OffPolicyChoices:
    """What is estimated."""

    files: tuple[str, ...] = choice((), "the run, and the files of the log", File())
    on_error: str = as_in(LogChoices, "on_error")
    propensities: str | None = choice(
        None,
        "the probability that users look at each position, one a line. Default: those in the log",
        File(),
    )
    cutoff: int | None = choice(None, "count only the first K documents. Default: as many as were shown", Whole(1))
    effective: float = choice(
        100.0,
        "refuse an estimate that is based on fewer effective looks than this",
        Real(1),
        flags="--min-effective",
    )
    support: float = choice(
        0.5,
        "give a p-value only where shown documents have at least this share of the weight",
        Real(0, 1),
        flags="--min-support",
    )
    confidence: float = as_in(LogChoices, "confidence")


OFF_POLICY = Question(
    "off-policy",
    says="Estimate clicks of a run that users did not see.",
    about="""Estimate the clicks that RUN would have got, from a LOG of clicks on other lists.

This is off-policy, or counterfactual, evaluation. It assumes that only the position decides whether users look at a
document, with known probabilities. Several LOGs are read as one, in their order.""",
    example="irev online off-policy semantic.run ab_test.csv",
    files="RUN LOG…",
    choices=OffPolicyChoices,
    shared=(REPORTING,),
    group=GROUP,
)


QUESTIONS = {each.name: each for each in (INTERLEAVE, PREFERENCE, AB, CLICK_MODELS, OFF_POLICY)}
"""The questions of the group by their names."""
