"""Click models: how users of a log go through lists, and which model says best what they click.

This module declares what `irev online click-models` can be asked.
"""

from __future__ import annotations

from irev.base.choice import choice
from irev.base.kinds import File, NewFile, Share
from irev.base.records import dataclass
from irev.questions.online import ON_ERROR_CHOICE
from irev.questions.question import PROGRESS, REPORTING, Question


@dataclass(frozen=True)
class ClickModelChoices:
    """What is fitted."""

    files: tuple[str, ...] = choice((), "the files of the log, in their order", File())
    on_error: str = choice(*ON_ERROR_CHOICE)
    confidence: float = choice(0.95, "confidence level of the intervals", Share())
    attraction_to: str | None = choice(
        None,
        "also write how attractive each document is for its query, by the model that predicts best, with an interval:"
        " a CSV file",
        NewFile(),
    )
    propensities_to: str | None = choice(
        None,
        "also write the probability that users look at each position, by the position model, one a line: input "
        "for irev online off-policy --propensities",
        NewFile(),
    )


QUESTION = Question(
    "click-models",
    says="Fit click models to a log.",
    about="""Fit click models to a LOG: how often users look at each position, and whether they go on after a click.

Models are compared by how well they predict the clicks of users that they were not fitted to. Several LOGs are read as
one, in their order. Impressions need a query and documents.""",
    example="irev online click-models ab_test.csv",
    files="LOG…",
    choices=ClickModelChoices,
    shared=(REPORTING, PROGRESS, "allow_large"),
    group="online",
)
