"""Aggregation: from one value per query to the one for all queries, by the rule that each measure names or the request
asks for.

Queries may come some at a time, in their order: a sum goes on where it was, so that it has the same last bit, and no
value is kept that was added. An aggregate that is asked for may be one of all values together, which keeps its own.
"""

from __future__ import annotations

import math
from collections.abc import Iterable

import numpy as np

from irev.base import aggregates
from irev.base.aggregates import FLOOR, WEIGHTED
from irev.base.errors import UsageError
from irev.base.records import dataclass
from irev.base.segments import Floats
from irev.base.settings import SINGLE_PRECISION
from irev.evaluation.scores import Column, Scores, in_parts, scores_of
from irev.measures import Request
from irev.ranking.ranked import Ranked

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
    return _summarised((scores,), scores)


def evaluate(ranked: Ranked, requests: Iterable[Request]) -> tuple[Scores, Summary]:
    """What `irev.evaluation.scores.evaluate` computes, summarised, and these scores without values of single queries.

    Memory does not grow with the number of requests.
    """
    requests = tuple(requests)
    scores = scores_of(ranked, tuple(Column(request, np.empty(0)) for request in requests))
    return scores, _summarised(in_parts(ranked, requests), scores)


def _summarised(parts: Iterable[Scores], scores: Scores) -> Summary:
    """The summary of the columns of all parts in turn, `scores` saying of all queries what no column does."""
    folding = Folding(column.request for column in scores.columns)
    for part in parts:
        folding.add(part.columns)
    return folding.summary(scores)


class Folding:
    """Values that come some queries at a time, in the order of the queries, on the way to those for all of them."""

    def __init__(self, requests: Iterable[Request]) -> None:
        self._rules = [_rule(request) for request in requests]

    def add(self, columns: Iterable[Column]) -> None:
        """Take the columns of the next queries, one for each request."""
        for rule, column in zip(self._rules, columns, strict=True):
            rule.add(column)

    def summary(self, scores: Scores) -> Summary:
        """What became of them, `scores` saying of all queries what no column does."""
        return Summary(tuple(rule.value(scores) for rule in self._rules))


class _Rule:
    """How the values of one request become one, part by part; this one makes nothing of them."""

    def __init__(self, request: Request) -> None:
        self.request = request

    def add(self, column: Column) -> None:
        """Take the values of the next queries."""

    def value(self, scores: Scores) -> Summarised:
        """What became of them, `scores` saying what there is to know of all queries together."""
        return None


class _QueriesCounted(_Rule):
    def value(self, scores: Scores) -> int:
        return scores.considered


class _Tag(_Rule):
    def value(self, scores: Scores) -> bytes:
        return scores.tag


class _Mean(_Rule):
    total = 0.0
    weight: float | None = None

    def add(self, column: Column) -> None:
        values = column.values
        if column.weights is not None:
            self.weight = aggregates.total(column.weights, self.weight or 0.0)
            values = values * column.weights
        self.total = aggregates.total(values, self.total)

    def value(self, scores: Scores) -> float:
        if self.weight is not None:
            return self.total / (self.weight or 1.0)
        return self.total / scores.considered if scores.considered else math.nan


class _WeightedMean(_Mean):
    """By the weights of queries. Raises `UsageError` where there are none, and where a query counts that has no row."""

    def value(self, scores: Scores) -> float:
        if scores.considered != len(scores.queries):
            fact = f"trec_eval {SINGLE_PRECISION} always counts queries without results as 0"
            raise UsageError(f"{fact}, and they have weights", remedy="leave out --compat, or -c")
        if self.weight is None and len(scores.queries):
            return aggregates.aggregate(WEIGHTED, np.empty(0))  # which says so
        return self.total / self.weight if self.weight else math.nan


class _AddedUp(_Rule):
    total: int | float = 0

    def add(self, column: Column) -> None:
        if column.values.dtype.kind == "i":
            self.total += int(column.values.sum())
        else:  # an expected number, or a bound of one, need not be whole
            self.total = aggregates.total(column.values, self.total)

    def value(self, scores: Scores) -> int | float:
        return self.total


class _JudgedRelevant(_AddedUp):
    """Over all judged queries trec_eval counts positive grades in the file, whatever the relevance level."""

    def value(self, scores: Scores) -> int | float:
        return scores.positive_judgments if scores.complete and self.request.plain else self.total


class _GeometricMean(_Mean):
    """From logarithms; a query that counts without being evaluated enters with the lowest."""

    def value(self, scores: Scores) -> float:
        absent = scores.considered - len(scores.queries)
        if not scores.considered:
            return math.nan
        try:
            return math.exp((self.total + absent * math.log(FLOOR)) / scores.considered)
        except OverflowError:  # of z-scores alone, and then C has no fault either
            return math.inf


class _Aggregate(_Rule):
    """Of all values together, which are kept; a query that counts without being evaluated has found nothing."""

    def __init__(self, request: Request) -> None:
        super().__init__(request)
        self._values: list[Floats] = []

    def add(self, column: Column) -> None:
        self._values.append(column.values)

    def value(self, scores: Scores) -> float:
        absent = np.zeros(scores.considered - len(scores.queries))
        return aggregates.aggregate(self.request.aggregate, np.concatenate((*self._values, absent)))


def _rule(request: Request) -> _Rule:
    if request.aggregate == WEIGHTED:
        return _WeightedMean(request)
    return _Aggregate(request) if request.aggregate else _RULES[request.measure.summary](request)


_RULES: dict[str, type[_Rule]] = {
    "mean": _Mean,
    "sum": _AddedUp,
    "geometric mean": _GeometricMean,
    "queries": _QueriesCounted,
    "run tag": _Tag,
    "judged relevant": _JudgedRelevant,
    "none": _Rule,
}
