"""Aggregation: from one value per query to the one for all queries, by the rule that each measure names."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from irev import segments
from irev.evaluation import Scores
from irev.measures.average_precision import FLOOR

Summarised = float | int | bytes | None


@dataclass(frozen=True, eq=False)
class Summary:
    """The line for all queries of every column.

    Attributes
    ----------
    values : tuple
        One per column of the `Scores`, in their order: a float for a real measure, an int for a count,
        bytes for the run id, None for a measure that has no summary.
    """

    values: tuple[Summarised, ...]


def summarise(scores: Scores) -> Summary:
    """Summarise every column by the rule of its measure (`irev.measures.measure.Summary`)."""
    return Summary(tuple(_RULES[column.request.measure.summary](scores, column.values) for column in scores.columns))


def _added(values: npt.NDArray[Any]) -> float:
    """Sum in query order, left to right, as C adds; `np.sum` adds pairwise and rounds otherwise."""
    return float(segments.total(values, np.zeros(len(values), dtype=np.int64), 1)[0])


def _mean(scores: Scores, values: npt.NDArray[Any]) -> float:
    return _added(values) / scores.considered


def _sum(scores: Scores, values: npt.NDArray[Any]) -> int:
    return int(values.sum())


def _geometric_mean(scores: Scores, values: npt.NDArray[Any]) -> float:
    """From logarithms; a query that counts without being evaluated enters with the lowest."""
    absent = scores.considered - len(scores.queries)
    return math.exp((_added(values) + absent * math.log(FLOOR)) / scores.considered)


def _judged_relevant(scores: Scores, values: npt.NDArray[Any]) -> int:
    """Over all judged queries trec_eval counts positive grades in the file, whatever the relevance level."""
    return scores.positive_judgments if scores.complete else _sum(scores, values)


_RULES: dict[str, Callable[[Scores, npt.NDArray[Any]], Summarised]] = {
    "mean": _mean,
    "sum": _sum,
    "geometric mean": _geometric_mean,
    "queries": lambda scores, values: scores.considered,
    "run tag": lambda scores, values: scores.tag,
    "judged relevant": _judged_relevant,
    "none": lambda scores, values: None,
}
