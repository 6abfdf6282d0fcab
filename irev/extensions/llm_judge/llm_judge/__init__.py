"""LLM judge: what runs are worth by a model's judgments of all queries, corrected by a human's of a random sample.

This module declares what `irev llm-judge` and `irev.llm_judge` can be asked.
"""

from __future__ import annotations

import math
import re
from collections.abc import Mapping
from typing import Any, NamedTuple

from irev.base.choice import Kind, Real, RunFiles, RunName, Whole, as_in, choice
from irev.base.records import dataclass
from irev.base.text import REAL
from irev.commands.question import DIGITS, REPORTING, Question
from irev.commands.shared import cluster_choice, measure_choice, picture_choice
from irev.statistics.plan import Plan

PREDICTED, HUMAN = "predicted", "human"
"""The two sets of judgments."""


class Limit(NamedTuple):
    """A measure, as typed, and the number that its corrected value or difference is compared with."""

    measure: str
    value: float


class MeasureLimits(Kind):
    """Measures and numbers, ``nDCG@10=0.42``; in Python a dictionary of them."""

    metavar = "NAME=VALUE"
    expected = "a dictionary of measures and numbers, such as {'nDCG@10': 0.42}"
    offers = "measures"

    def read(self, text: str) -> Limit:
        measure, _, number = text.rpartition("=")
        if not measure or not re.fullmatch(REAL, number, re.ASCII) or not math.isfinite(float(number)):
            raise ValueError(f"expected a measure and a number, such as nDCG@10=0.42, found '{text}'")
        return Limit(measure, float(number))

    def check(self, value: Any) -> tuple[Limit, ...]:
        if not isinstance(value, Mapping) or not all(isinstance(name, str) for name in value):
            raise ValueError(self.expected)
        try:
            return tuple(Limit(name, Real(-math.inf).check(number)) for name, number in value.items())
        except ValueError:
            raise ValueError(self.expected) from None


def _condition(says: str, needs: str = "") -> tuple[Limit, ...]:
    made: tuple[Limit, ...] = choice((), says, MeasureLimits(), several=True, needs=needs, heading="Conditions")
    return made


@dataclass(frozen=True)
class LlmJudgeChoices:
    """Which runs are compared, what is required of them, and what intervals are of."""

    files: tuple[str, ...] = choice(
        (),
        "the model's judgments, a human's, and runs",
        RunFiles(sets=(PREDICTED, HUMAN), called="LLM.qrels, HUMAN.qrels"),
    )
    measures: tuple[str, ...] = measure_choice("a measure. Repeat it for more. Default: AP and nDCG@10")
    baseline: str | None = choice(
        None, "the run that the others are compared with. Default: all pairs of runs", RunName()
    )
    min: tuple[Limit, ...] = _condition("the lowest corrected value that is allowed")
    max_drop: tuple[Limit, ...] = _condition("the largest corrected drop from the baseline that is allowed", "baseline")
    no_worse_than: tuple[Limit, ...] = _condition(
        "a one-sided test of the corrected difference from the baseline must show that the loss is smaller than this",
        "baseline",
    )
    interval_width: float | None = choice(
        None,
        "also show how many queries a human must judge in all for an interval of a difference of this expected width",
        Real(open_ends=True),
        "--width",
        not_with="clusters sequential",
    )
    sequential: int | None = choice(
        None,
        "intervals and p-values that allow a human to judge more queries after a look. N is about how many will be"
        " judged in the end: give the same N at every look. Default: valid for one look",
        Whole(2),
    )
    clusters: str | tuple[tuple[bytes, bytes], ...] | None = cluster_choice()
    confidence: float = as_in(Plan, "confidence", heading="")
    plot: str | None = picture_choice("also draw a forest plot")


QUESTION = Question(
    "llm-judge",
    says="Correct a model's judgments by some of a human's.",
    about="""Show what RUNs are worth by a model's judgments of all queries, corrected by a human's judgments of some.

LLM.qrels has a model's judgments of all queries, HUMAN.qrels a human's judgments of a random sample of the queries, as
`irev pool --audit` draws one. Means and differences have intervals by prediction-powered inference; the bias says
whether the model overrates a run. A query without results counts as 0. Ends with status 1 if a condition does not
hold.""",
    example="irev llm-judge -m P@5 llm/llm.txt llm/human.txt llm/bm25.run llm/rerank.run",
    files="LLM.qrels HUMAN.qrels RUN…",
    choices=LlmJudgeChoices,
    shared=(REPORTING, DIGITS, "level", "gains", "qrels_format", "columns"),
)
