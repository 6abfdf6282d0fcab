"""Choices of the questions that compare runs query by query, however the values of single queries come about."""

from __future__ import annotations

from collections.abc import Sequence

from irev.base.choice import choice
from irev.base.kinds import File, Flag, Measure, RunName, RunsOrResults, Share
from irev.base.records import dataclass

TESTED = "tests alternative interval simultaneous correction family tie_tolerance samples seed power"
"""The choices of tests that are made for runs under one set of judgments."""


@dataclass(frozen=True)
class ModelJudgments:
    """Judgments by a model, beside those of a human."""

    predicted: str | None = choice(
        None,
        "a model's judgments of all queries. QRELS then has a human's judgments of a random sample of the "
        "queries, which correct them",
        File(),
    )


@dataclass(frozen=True)
class Systems:
    """Which runs are looked at, and by which measures."""

    files: tuple[str, ...] = choice((), "judgments and runs, or saved results", RunsOrResults())
    measures: tuple[str, ...] = choice(
        (),
        "a measure. Repeat it for more. Default: AP and nDCG@10; of saved results, all that they share",
        Measure(),
        "-m --measure --metric",
        several=True,
    )
    scores: bool = choice(
        False,
        "the files have values of single queries, not judgments and runs. Needed only for lines of a query and "
        "its value; records of irev, lines of `trec_eval -q` and tables with a header are recognised",
        Flag(),
    )


@dataclass(frozen=True)
class Contrasts(Systems):
    """Which runs are compared with which, and how probably a difference is to be found."""

    baseline: str | None = choice(
        None, "the run that the others are compared with. Default: the first", RunName(), not_with="all_pairs"
    )
    all_pairs: bool = choice(False, "compare all runs with each other", Flag())
    power: float = choice(
        0.8,
        "show how many queries are needed to find the difference with this probability",
        Share(),
        heading="Significance",
    )

    def first(self, runs: Sequence[str], files: Sequence[str]) -> int | None:
        """The place of the run that the others are compared with, by its name or its file; None for all pairs."""
        from irev.evaluation.comparison.systems import place_of

        if self.baseline is None:
            return None if self.all_pairs else 0
        return place_of(self.baseline, runs, files)
