"""Several runs on one set of queries, without which their averages are not of the same thing."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from irev.base.segments import Floats, values_on
from irev.errors import InputError
from irev.evaluation.result import Outcome
from irev.evaluation.scores import Column
from irev.evaluation.summary import summarise


def on_same_queries(outcomes: Sequence[Outcome]) -> tuple[tuple[Outcome, ...], tuple[bytes, ...]]:
    """The outcomes with the queries that all of them have under the same judgments, and the queries that some lack.

    Columns without values of single queries, as saved results have them, are left out where queries are. Raises
    `InputError` when they have no query in common.
    """
    found: list[Outcome] = []
    left_out: set[bytes] = set()
    for qrels in dict.fromkeys(outcome.qrels for outcome in outcomes):
        kept, some = _on_same_queries([outcome for outcome in outcomes if outcome.qrels == qrels])
        found += kept
        left_out.update(some)
    return tuple(found), tuple(sorted(left_out))


def _on_same_queries(outcomes: Sequence[Outcome]) -> tuple[tuple[Outcome, ...], tuple[bytes, ...]]:
    """The same under one set of judgments."""
    of_each = [set(outcome.scores.queries) for outcome in outcomes]
    common = set.intersection(*of_each)
    some = tuple(sorted(set.union(*of_each) - common))
    if not common:
        raise InputError("the runs have no query in common", remedy="--queries qrels counts all that are judged")
    if not some:
        return tuple(outcomes), ()
    return tuple(_part(outcome, common) for outcome in outcomes), some


def with_zeros(outcome: Outcome, queries: tuple[bytes, ...]) -> Outcome:
    """The outcome with these queries, those it has and others in the order of their bytes, the others as 0.

    It has the columns with numbers for single queries alone.
    """
    had = outcome.scores.queries

    def there(values: Floats) -> Floats:
        return values_on(values.astype(np.float64), had, queries, absent=0.0)

    columns = tuple(
        Column(
            column.request,
            there(column.values).astype(column.values.dtype),
            None if column.weights is None else there(column.weights),
        )
        for column in outcome.scores.columns
        if column.request.measure.numeric and len(column.values) == len(had)
    )
    scores = replace(outcome.scores, queries=queries, columns=columns, considered=len(queries), complete=False)
    return replace(outcome, scores=scores, summary=summarise(scores), groups=())


def _part(outcome: Outcome, queries: set[bytes]) -> Outcome:
    size = len(outcome.scores.queries)
    columns = tuple(column for column in outcome.scores.columns if len(column.values) == size)
    scores = replace(outcome.scores, columns=columns).of([query in queries for query in outcome.scores.queries])
    return replace(outcome, scores=scores, summary=summarise(scores), groups=())
