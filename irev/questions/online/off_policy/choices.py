"""What `irev online off-policy` and `irev.off_policy` can be asked."""

from __future__ import annotations

from typing import Literal, get_args

from irev.base.choice import choice
from irev.base.kinds import File, Name, Real, Share, Whole
from irev.base.records import dataclass
from irev.questions.online.choices import ON_ERROR_CHOICE
from irev.questions.question import REPORTING, RUN_READING, RUNNING, Question

Metric = Literal["clicks", "dcg", "reciprocal", "precision"]
METRICS: tuple[Metric, ...] = get_args(Metric)


@dataclass(frozen=True)
class OffPolicyChoices:
    """What is estimated."""

    files: tuple[str, ...] = choice((), "the run, and the files of the log", File())
    on_error: str = choice(*ON_ERROR_CHOICE)
    propensities: str | None = choice(
        None,
        "the probability that each position is looked at, one on each line. Default: those in the log",
        File(),
    )
    metric: str = choice(
        "clicks",
        "clicks per impression; or DCG, the sum of 1/rank, or precision, with the probability of a click on a document"
        " that is looked at for its gain",
        Name(METRICS),
        flags="--estimate",
    )
    cutoff: int | None = choice(None, "only the first K documents count. Default: as many as were shown", Whole(1))
    clip: float = choice(10.0, "the most that a click counts in the clipped estimate", Real(open_ends=True))
    effective: float = choice(
        100.0,
        "the smallest effective number of looks that an estimate may rest on",
        Real(1),
        flags="--min-effective",
    )
    support: float = choice(
        0.5,
        "the smallest share of its weight that documents shown must have for differences to have a p",
        Real(0, 1),
        flags="--min-support",
    )
    confidence: float = choice(0.95, "confidence level of the intervals", Share())


QUESTION = Question(
    "off-policy",
    says="What another run would have got from the users of a log.",
    about="""Estimate what RUN would have got from the users of a LOG, from clicks on the lists that were shown.

This is off-policy, or counterfactual, evaluation. It supposes that position alone decides whether a document is looked
at, with known probabilities. Several LOGs are one, in their order.""",
    example="irev online off-policy semantic.run ab_test.csv",
    files="RUN LOG…",
    choices=OffPolicyChoices,
    shared=(REPORTING, RUNNING, RUN_READING),
    group="online",
)
