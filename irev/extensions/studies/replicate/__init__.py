"""Replication: whether improvements of an earlier experiment are found again.

This module declares what `irev replicate` and `irev.replicate` can be asked.
"""

from __future__ import annotations

from irev.base.choice import File, choice
from irev.base.records import dataclass
from irev.commands.question import Question
from irev.extensions.studies.study import SHARED, StudyChoices


@dataclass(frozen=True)
class EarlierExperiment:
    """The experiment before."""

    original: str | None = choice(None, "saved results of the runs in an earlier experiment", File())


@dataclass(frozen=True)
class ReplicateChoices(StudyChoices, EarlierExperiment):
    """Which experiments are compared."""


QUESTION = Question(
    "replicate",
    says="Show whether earlier improvements are found again.",
    about="""Show whether the improvements of an earlier experiment are found again.

ORIGINAL is a result that `irev eval -q -c -f json` saved, with the same runs, the baseline first. Shown are the effect
ratio and the difference of relative improvements; with the same queries also how far their values are apart. RESULTs
are saved results or tables of values, as for `irev compare`.""",
    example="irev replicate original.csv qrels.txt keyword.run semantic.run",
    files="ORIGINAL QRELS RUN RUN… | ORIGINAL RESULT…",
    choices=ReplicateChoices,
    shared=SHARED,
)
