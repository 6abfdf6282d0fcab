"""Bayes: how probable it is that a run is better than the baseline.

This module declares what `irev bayes` and `irev.bayes` can be asked.
"""

from __future__ import annotations

from irev.base.choice import Real, choice
from irev.base.records import dataclass
from irev.commands.question import Question
from irev.extensions.studies.study import SHARED, StudyChoices, confidence_choice


@dataclass(frozen=True)
class BayesChoices(StudyChoices):
    """Which runs are looked at, and what difference matters."""

    confidence: float = confidence_choice()
    margin: float | None = choice(
        None, "also show the probability that a run is better by more than D", Real(open_ends=True)
    )


QUESTION = Question(
    "bayes",
    says="Show how probable it is that a run is better.",
    about="""Show how probable it is that each run is better than the baseline: the posterior of the mean difference.

The model is a location plus Student-t noise, with priors that prefer no difference to another. The first RUN, or
--baseline, is compared with each of the others. Every judged query counts; one without results scores 0. RESULTs are
saved results or tables of values, as for `irev compare`.""",
    example="irev bayes --margin 0.01 qrels.txt keyword.run semantic.run",
    files="QRELS RUN RUN… | RESULT…",
    choices=BayesChoices,
    shared=SHARED,
)
