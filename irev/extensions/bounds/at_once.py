"""The lowest and highest values of measures of which they are found without a search."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from irev.base import segments
from irev.base.segments import Floats, Ints
from irev.evaluation.scores import value_of
from irev.measures.measure import Terms
from irev.measures.request import Request
from irev.ranking.ranked import Ranked

Extremes = tuple[Floats, Floats]
"""(q,) lowest and highest values."""


def _of_average_precision(ranked: Ranked, k: int | None, cap: int | None) -> Extremes:
    """Lowest and highest value over all that unjudged results may turn out to be; `cap` bounds the divisor.

    For each number m of relevant ones among them, from 0 on, the sum of precisions grows by what the next one adds: its
    own precision, and 1 / i for every relevant document at a rank i below it. That is a running sum from the top for
    the highest and from the bottom for the lowest value.
    """
    every = ranked.every_rank()
    unknown = ~(every.grade >= 0)
    weight = 1.0 / every.rank
    if k is not None:
        weight[every.rank > k] = 0.0
    judged_above = every.relevant_so_far - every.relevant
    known = Terms(every.owner, every.rank, np.where(every.relevant, (judged_above + 1) * weight, 0.0)).total(every.size)
    unknown_so_far = segments.running_count(unknown, every.owner, every.size)
    owner, total = every.owner[unknown], every.relevant_total
    lowest = segments.ratio(known, _capped(total, cap))
    highest = lowest.copy()

    below = _sum_below(np.where(every.relevant, weight, 0.0), every)
    added = ((judged_above + unknown_so_far) * weight + below)[unknown]
    values = known[owner] + segments.running_sum(added, owner, every.size)
    number = unknown_so_far[unknown]
    np.maximum.at(highest, owner, values / _capped(total[owner] + number, cap))

    below = _sum_below(np.where(every.relevant | unknown, weight, 0.0), every)
    added = ((judged_above + 1) * weight + below)[unknown]
    values = known[owner] + _from_the_end(added, owner, every.size)
    number = segments.count(owner, every.size)[owner] - number + 1
    np.minimum.at(lowest, owner, values / _capped(total[owner] + number, cap))
    return lowest, highest


def _capped(total: Ints, cap: int | None) -> Ints:
    return total if cap is None else np.minimum(total, cap)


def _sum_below(values: Floats, every: Ranked) -> Floats:
    """Sum of what stands at lower ranks of the same query, itself excluded."""
    return _from_the_end(values, every.owner, every.size) - values


def _from_the_end(values: Floats, owner: Ints, queries: int) -> Floats:
    """Sum of each query from each row to its last, that row included."""
    return segments.running_sum(values[::-1], (queries - 1 - owner)[::-1], queries)[::-1]


def _of_recall(ranked: Ranked, k: int) -> Extremes:
    """Lowest when what is not judged turns out relevant below k alone, highest when above k alone."""
    found, total = ranked.relevant_within(k), ranked.relevant_total
    unjudged = ranked.retrieved - segments.count(ranked.owner[ranked.grade >= 0], ranked.size)
    near = np.minimum(ranked.retrieved, k) - ranked.within(k, ranked.grade >= 0)
    return segments.ratio(found, total + unjudged - near), segments.ratio(found + near, total + near)


def _of_search_length(ranked: Ranked, request: Request) -> Extremes:
    """The first relevant document is the one known to be, or any above it without a judgment; or there is none."""
    known = value_of(ranked, request)
    first = segments.first(ranked.relevant_rank, ranked.relevant_owner, ranked.size, missing=0)
    every = ranked.every_rank()
    above = ~(every.grade >= 0) & ((first == 0)[every.owner] | (every.rank < first[every.owner]))
    lowest, highest = known.copy(), known.copy()
    np.minimum.at(lowest, every.owner[above], every.rank[above].astype(np.float64))
    np.maximum.at(highest, every.owner[above], every.rank[above].astype(np.float64))
    return lowest, highest


AT_ONCE: dict[str, Callable[[Ranked, Request], Extremes]] = {
    "map": lambda ranked, request: _of_average_precision(ranked, None, None),
    "map_cut": lambda ranked, request: _of_average_precision(ranked, request.value.value, None),
    "map_cap": lambda ranked, request: _of_average_precision(ranked, request.value.value, request.value.value),
    "recall": lambda ranked, request: _of_recall(ranked, request.value.value),
    "search_length": _of_search_length,
}
"""By the name of a measure, given the rankings at the relevance level and cutoff of the request."""
