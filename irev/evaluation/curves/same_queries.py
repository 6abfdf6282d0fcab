"""Several runs on one set of queries, without which their averages are not of the same thing."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from irev.errors import InputError
from irev.evaluation.result import Outcome
from irev.evaluation.summary import summarise


def on_same_queries(outcomes: Sequence[Outcome]) -> tuple[tuple[Outcome, ...], tuple[bytes, ...]]:
    """The outcomes with the queries that all of them have, and the queries that some of them lack.

    Columns without values of single queries, as saved results have them, are left out where queries are. Raises
    `InputError` when they have no query in common.
    """
    of_each = [set(outcome.scores.queries) for outcome in outcomes]
    common = set.intersection(*of_each)
    some = tuple(sorted(set.union(*of_each) - common))
    if not common:
        raise InputError("the runs have no query in common", remedy="--queries qrels counts all that are judged")
    if not some:
        return tuple(outcomes), ()
    return tuple(_part(outcome, common) for outcome in outcomes), some


def _part(outcome: Outcome, queries: set[bytes]) -> Outcome:
    size = len(outcome.scores.queries)
    columns = tuple(column for column in outcome.scores.columns if len(column.values) == size)
    scores = replace(outcome.scores, columns=columns).of([query in queries for query in outcome.scores.queries])
    return replace(outcome, scores=scores, summary=summarise(scores), groups=())
