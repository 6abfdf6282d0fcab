"""The measures that are asked for most, of one query with few documents, in plain Python.

A call of numpy takes as long as adding ten numbers does, and the function of a measure is a dozen such calls. What
comes out here is what these functions give, to the last bit; whatever is not in `FEW` is left to them.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from functools import partial
from typing import NamedTuple, TypeAlias

from irev.measures.parameters import NONE
from irev.measures.request import Request


class FewHits(NamedTuple):
    """One query.

    Attributes
    ----------
    hits : sequence of (int, float)
        Rank and grade of every retrieved document with a judgment, by rank.
    judged : sequence of float
        The grades of all its judgments, highest first.
    level : float
        The lowest grade that is relevant.
    relevant : int
        How many judgments are.
    """

    hits: Sequence[tuple[int, float]]
    judged: Sequence[float]
    level: float
    relevant: int


Function: TypeAlias = Callable[[FewHits], float]


def _average_precision(query: FewHits, k: float) -> float:
    found, total, level = 0, 0.0, query.level
    for rank, grade in query.hits:
        if grade >= level and rank <= k:
            found += 1
            total += found / rank
    return total / query.relevant if query.relevant else 0.0


def _within(query: FewHits, k: float) -> int:
    level = query.level
    return sum(1 for rank, grade in query.hits if grade >= level and rank <= k)


def _precision(query: FewHits, k: float) -> float:
    return _within(query, k) / k


def _recall(query: FewHits, k: float) -> float:
    return _within(query, k) / query.relevant if query.relevant else 0.0


def _success(query: FewHits, k: float) -> float:
    return 1.0 if _within(query, k) else 0.0


def _reciprocal_rank(query: FewHits, k: float) -> float:
    level = query.level
    return next((1.0 / rank for rank, grade in query.hits if grade >= level and rank <= k), 0.0)


def _ndcg(query: FewHits, k: float) -> float:
    total = ideal = 0.0
    for rank, grade in query.hits:
        if grade > 0 and rank <= k:
            total += grade / _log2(rank + 1)
    for rank, grade in enumerate(query.judged, 1):
        if grade <= 0 or rank > k:
            break
        ideal += grade / _log2(rank + 1)
    return total / ideal if ideal else 0.0


_log2 = math.log2

FEW: dict[str, Callable[[FewHits, float], float]] = {
    "map": _average_precision,
    "map_cut": _average_precision,
    "P": _precision,
    "recall": _recall,
    "success": _success,
    "recip_rank": _reciprocal_rank,
    "ndcg_cut": _ndcg,
}
"""By the name of a measure, its function of a query and a cutoff, which is infinite where there is none."""


def functions_of(requests: Sequence[Request]) -> tuple[Function, ...] | None:
    """A function for each request; None where one has none."""
    found = [_function(request) for request in requests]
    known = tuple(each for each in found if each is not None)
    return known if len(known) == len(found) else None


def _function(request: Request) -> Function | None:
    few = FEW.get(request.measure.name)
    of_query_alone = not (request.options or request.judged_only or request.bound or request.aggregate)
    if few is None or not of_query_alone or request.level is not None:
        return None
    parametric = request.measure.parameter is not NONE
    if parametric and request.k is not None:
        return None
    k = request.value.value if parametric else math.inf if request.k is None else request.k
    return partial(_at, few, k)  # which can be sent


def _at(few: Callable[[FewHits, float], float], k: float, query: FewHits) -> float:
    return few(query, k)
