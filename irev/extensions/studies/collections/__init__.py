"""Collections: runs on several collections, side by side, and what all collections say of their differences.

This module declares what `irev collections` and `irev.collections` can be asked.
"""

from __future__ import annotations

from collections.abc import Sequence

from irev.base.choice import File, as_in, choice
from irev.base.records import dataclass
from irev.commands.question import Question
from irev.commands.shared import PictureChoices, RunPairs, measure_choice, picture_choice
from irev.extensions.studies.study import SHARED, confidence_choice


@dataclass(frozen=True)
class CollectionsChoices:
    """Which collections are looked at, and which runs are compared."""

    path: str | None = choice(None, "the collections", File())
    measures: tuple[str, ...] = measure_choice("a measure. Repeat it for more. Default: AP and nDCG@10")
    baseline: str | None = as_in(RunPairs, "baseline")
    all_pairs: bool = as_in(RunPairs, "all_pairs")
    confidence: float = confidence_choice()
    plot: str | None = picture_choice("also draw a forest plot of the differences")
    width: float = as_in(PictureChoices, "width")

    def first(self, runs: Sequence[str]) -> int | None:
        """The place of the run that the others are compared with, by its name; None for all pairs."""
        return RunPairs(baseline=self.baseline, all_pairs=self.all_pairs).first(runs, ())


QUESTION = Question(
    "collections",
    says="Score and compare runs on several collections.",
    about="""Score runs on several collections, and compare them: on each, and on all together.

FILE is TOML: each [[collection]] has a name, qrels and runs, and perhaps a group. Runs with the same name are the same
run. Shown are their means with the macro average, and the differences from the first run, or --baseline, with a
random-effects meta-analysis. Every judged query counts; one without results scores 0.""",
    example="irev collections -m nDCG@10 collections.toml",
    files="FILE",
    choices=CollectionsChoices,
    shared=SHARED,
)
