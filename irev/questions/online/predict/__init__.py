"""Predict: whether offline differences of past experiments predicted online ones.

This module declares what `irev online predict` can be asked.
"""

from __future__ import annotations

from irev.base.choice import as_in, choice
from irev.base.kinds import File, Measure, NewFile, Share, Whole
from irev.base.records import dataclass
from irev.questions.question import REPORTING, Question
from irev.questions.shared import PictureChoices


@dataclass(frozen=True)
class PredictChoices:
    """How measures are compared with what users did."""

    file: str = choice("", "past experiments", File())
    measures: tuple[str, ...] = choice(
        (),
        "a measure. Repeat it for more. Default: all that the experiments have",
        Measure(),
        flags="-m --measure --metric",
        several=True,
    )
    plot: str | None = choice(
        None,
        "also draw online against offline differences, as .svg, .png, .pdf or .html (with matplotlib), or as .txt",
        NewFile(),
    )
    width: float = as_in(PictureChoices, "width")
    no_notes: bool = as_in(PictureChoices, "no_notes")
    confidence: float = choice(0.95, "confidence level of the intervals", Share())
    samples: int = choice(10_000, "number of samples of experiments, to compare measures", Whole(1))
    seed: int = choice(0, "random seed", Whole())


QUESTION = Question(
    "predict",
    says="Test whether offline differences predict online ones.",
    about="""Test, measure by measure, whether offline differences of past experiments predicted the online ones.

EXPERIMENTS is CSV or JSON lines with name, online, optionally online_error, and the offline difference of each
    measure.""",
    example="irev online predict experiments.csv",
    files="EXPERIMENTS",
    choices=PredictChoices,
    shared=(REPORTING,),
    group="online",
)
