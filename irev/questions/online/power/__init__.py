"""Power: how many users an A/B test takes, or interleaving, from a past log.

This module declares what `irev online power` can be asked.
"""

from __future__ import annotations

from irev.base.choice import as_in, choice
from irev.base.kinds import File, Real, Share
from irev.base.records import dataclass
from irev.questions.online import ON_ERROR_CHOICE
from irev.questions.online.ab import AbChoices
from irev.questions.question import PROGRESS, REPORTING, Question


@dataclass(frozen=True)
class OnlinePowerChoices:
    """What is planned."""

    files: tuple[str, ...] = choice((), "the files of the past log, in their order", File())
    on_error: str = choice(*ON_ERROR_CHOICE)
    metrics: tuple[str, ...] = as_in(AbChoices, "metrics")
    baseline: str | None = choice(
        None, "the bucket whose users give the variance. Default: the first by name", flags="--baseline"
    )
    differences: tuple[float, ...] = choice(
        (),
        "a difference to find: for metrics a share of the value, 0.02 for 2%; for interleaved lists a difference "
        "of mean credit. Repeat it for more. Default: some usual ones",
        Real(open_ends=True),
        flags="--difference",
        several=True,
    )
    share: float = choice(0.5, "the share of users in the new bucket", Share())
    power: float = choice(0.8, "probability of finding the difference", Share())
    alpha: float = choice(0.05, "the largest p-value that is significant", Share())


QUESTION = Question(
    "power",
    says="Estimate how many users a test needs.",
    about="""Estimate from a past LOG how many users and impressions a test needs to find a difference.

A log of an A/B test, or of ordinary lists, shows what an A/B test of two buckets needs; a log of interleaved lists
shows what interleaving needs. Several LOGs are read as one, in their order.""",
    example="irev online power ab_test.csv",
    files="LOG…",
    choices=OnlinePowerChoices,
    shared=(REPORTING, PROGRESS, "allow_large"),
    group="online",
)
