"""Aggregation: from one value per query to the one for all queries, by the rule that each measure names or the request
asks for."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from irev.base import aggregates
from irev.base.aggregates import FLOOR
from irev.evaluation.scores import Column, Scores

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
    """Summarise every column by the rule of its measure (`irev.measures.measure.Summary`) or as asked for."""
    return Summary(tuple(_summarised(scores, column) for column in scores.columns))


def _summarised(scores: Scores, column: Column) -> Summarised:
    if column.request.aggregate:
        # A query that counts without being evaluated has found nothing.
        absent = np.zeros(scores.considered - len(scores.queries))
        return aggregates.aggregate(column.request.aggregate, np.concatenate((column.values, absent)))
    return _RULES[column.request.measure.summary](scores, column)


def _mean(scores: Scores, column: Column) -> float:
    if column.weights is not None:
        return aggregates.total(column.values * column.weights) / (aggregates.total(column.weights) or 1.0)
    return aggregates.total(column.values) / scores.considered if scores.considered else math.nan


def _sum(scores: Scores, column: Column) -> int | float:
    # An expected number, or a bound of one, need not be whole.
    return int(column.values.sum()) if column.values.dtype.kind == "i" else aggregates.total(column.values)


def _geometric_mean(scores: Scores, column: Column) -> float:
    """From logarithms; a query that counts without being evaluated enters with the lowest."""
    absent = scores.considered - len(scores.queries)
    if not scores.considered:
        return math.nan
    return math.exp((aggregates.total(column.values) + absent * math.log(FLOOR)) / scores.considered)


def _judged_relevant(scores: Scores, column: Column) -> int | float:
    """Over all judged queries trec_eval counts positive grades in the file, whatever the relevance level."""
    plain = scores.complete and column.request.plain
    return scores.positive_judgments if plain else _sum(scores, column)


_RULES: dict[str, Callable[[Scores, Column], Summarised]] = {
    "mean": _mean,
    "sum": _sum,
    "geometric mean": _geometric_mean,
    "queries": lambda scores, column: scores.considered,
    "run tag": lambda scores, column: scores.tag,
    "judged relevant": _judged_relevant,
    "none": lambda scores, column: None,
}
