"""Seeds: systems compared by several runs of each, which differ only by the random seed.

This module declares what `irev seeds` and `irev.seeds` can be asked.
"""

from __future__ import annotations

from irev.base.choice import Whole, choice
from irev.base.records import dataclass
from irev.commands.question import Question
from irev.extensions.studies.study import SHARED, StudyChoices, confidence_choice


@dataclass(frozen=True)
class SeedsChoices(StudyChoices):
    """Which runs are those of a system."""

    confidence: float = confidence_choice()
    runs_per_system: int | None = choice(None, "how many runs each system has; must be given", Whole(2))


QUESTION = Question(
    "seeds",
    says="Compare systems by several runs of each, with other random seeds.",
    about="""Compare systems that have several runs each. The runs of a system differ only in the random seed.

Name all runs of one system, then all runs of the next. A baseline without seeds is one run, named with --baseline.
Intervals and tests are for other queries and other seeds. Every judged query counts; one without results scores 0.
RESULTs are saved results or tables of values, as for `irev compare`.""",
    example="irev seeds --runs-per-system 2 -m AP qrels.txt keyword.run hybrid.run semantic.run semantic.run",
    files="QRELS RUN RUN… | RESULT…",
    choices=SeedsChoices,
    shared=SHARED,
)
