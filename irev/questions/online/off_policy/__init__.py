"""Off-policy: what another ranking would have got from the users of a log.

This module declares what `irev online off-policy` and `irev.off_policy` can be asked.
"""

from __future__ import annotations

from typing import Literal, get_args

from irev.base.choice import choice
from irev.base.kinds import File, Name, Real, Share, Whole
from irev.base.records import dataclass
from irev.questions.online import ON_ERROR_CHOICE
from irev.questions.question import REPORTING, RUN_READING, RUNNING, Question

Metric = Literal["clicks", "dcg", "reciprocal", "precision"]
METRICS: tuple[Metric, ...] = get_args(Metric)

Model = Literal["position", "item-position", "list"]
POSITION, ITEM_POSITION, LIST = MODELS = get_args(Model)
"""What a click on a document depends on beside the document: the position, which may be looked at; the position, in a
way that is the document's own; or the whole list."""


@dataclass(frozen=True)
class OffPolicyChoices:
    """What is estimated."""

    files: tuple[str, ...] = choice((), "the run, and the files of the log", File())
    on_error: str = choice(*ON_ERROR_CHOICE)
    propensities: str | None = choice(
        None,
        "the probability that users look at each position, one a line. Default: those in the log",
        File(),
    )
    model: str = choice(
        POSITION,
        "what a click on a document depends on: position, with propensities; item-position, where a document counts at"
        " its own rank alone; or list, where the whole list has to be the run's. The last two need no propensities",
        Name(MODELS),
    )
    metric: str = choice(
        "clicks",
        "clicks per impression; or DCG, the sum of 1/rank, or precision, where the gain of a document is the "
        "probability of a click when users look at it",
        Name(METRICS),
        flags="--estimate",
    )
    cutoff: int | None = choice(None, "count only the first K documents. Default: as many as were shown", Whole(1))
    clip: float = choice(10.0, "the largest weight of a click in the clipped estimate", Real(open_ends=True))
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
    confidence: float = choice(0.95, "confidence level of the intervals", Share())


QUESTION = Question(
    "off-policy",
    says="Estimate clicks of a run that users did not see.",
    about="""Estimate the clicks that RUN would have got, from a LOG of clicks on other lists.

This is off-policy, or counterfactual, evaluation. By default it assumes that only the position decides whether users
look at a document, with known probabilities; --model chooses other assumptions. Several LOGs are read as one, in
their order.""",
    example="irev online off-policy semantic.run ab_test.csv",
    files="RUN LOG…",
    choices=OffPolicyChoices,
    shared=(REPORTING, RUNNING, RUN_READING),
    group="online",
)
