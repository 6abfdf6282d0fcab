"""A/B test: whether users of one bucket behaved differently from users of another.

This module declares what `irev online ab` can be asked.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from irev.base.choice import choice
from irev.base.kinds import File, Flag, Kind, Name, Real, Share, Word
from irev.base.records import dataclass
from irev.base.text import REAL
from irev.questions.online import LogChoices
from irev.questions.online.ab.metrics import METRICS
from irev.questions.question import PROGRESS, REPORTING, Question
from irev.statistics.plan import OF_VALUES


class BucketShares(Kind):
    """Buckets, and their shares of users: ``old=0.9,new=0.1``; in Python a dictionary."""

    metavar = "BUCKET=P,…"
    name = "shares"
    expected = "a dictionary of buckets and numbers above 0"

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
        if not isinstance(value, Mapping):
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
        " at a rank. Repeat it for more. Default: all metrics that the log has values for, except `sessions` and"
        " ctr_1 to ctr_10",
        Name(tuple(METRICS), "NAME"),
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
    before: tuple[str, ...] = choice(
        (),
        "a log of the same users before the test, to reduce variance (CUPED): what users did before is used to "
        "adjust their values. Repeat it for a log in several files",
        File(),
        several=True,
    )
    stratify: bool = choice(
        False,
        "compare users within the strata that the log names, such as their countries, so that values vary less"
        " (post-stratification)",
        Flag(),
        not_with="before",
    )
    cap: float | None = choice(None, "cap the values of users at this quantile, such as 0.99. Default: no cap", Share())
    power: float = choice(
        0.8, "the power for the column detectable: the true difference that a test finds with this probability", Share()
    )


QUESTION = Question(
    "ab",
    says="Compare the buckets of an A/B test.",
    about="""Compare what users did in the buckets of an A/B test, from a LOG of clicks.

Look once, at a time chosen before: with 14 daily looks at p ≤ 0.05, 22 of 100 tests find a difference that does not
exist. Results of --sequential are valid at every look. Several LOGs are read as one, in their order: JSON lines, CSV,
TSV or Parquet. Exit status: 0 done, 1 the buckets have wrong sizes, 2 wrong usage or a log with errors.""",
    example="irev online ab ab_test.csv",
    files="LOG…",
    choices=AbChoices,
    shared=(REPORTING, PROGRESS, "allow_large"),
    group="online",
)
