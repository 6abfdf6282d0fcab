"""The measures that are asked for most, of one query with few documents, in plain Python.

A call of numpy takes as long as adding ten numbers does, and the function of a measure is a dozen such calls. What
comes out here is what these functions give, to the last bit; whatever is not in `FEW` is left to them.
"""

from __future__ import annotations

import math
from bisect import bisect_right
from collections.abc import Callable, Sequence
from functools import partial
from typing import TypeAlias

import numpy as np

from irev.base.records import cached_property
from irev.base.segments import Floats
from irev.measures.request import Request


class JudgedQuery:
    """A query and its judgments.

    Attributes
    ----------
    query, name : str, bytes
    grades : dict of str to float
        The grade of each judged document.
    documents, falling : tuple of str, list of float
        Documents and their grades, highest first.
    relevant : int
        How many are relevant.
    ideal : dict of float to float
        The discounted gains of the ideal ranking up to a rank, where it was asked for.
    """

    def __init__(self, query: str, name: bytes, grades: dict[str, float], level: float) -> None:
        self.query, self.name, self.grades = query, name, grades
        self.documents = tuple(sorted(grades, key=grades.__getitem__, reverse=True))
        self.falling = [grades[document] for document in self.documents]
        self.relevant = sum(1 for grade in self.falling if grade >= level)
        self.ideal: dict[float, float] = {}

    @cached_property
    def grade(self) -> Floats:
        """The same as `falling`, as an array."""
        return np.array(self.falling)


Hits: TypeAlias = list[tuple[int, float]]
"""Rank and grade of every retrieved document with a judgment, by rank."""

Function: TypeAlias = Callable[[JudgedQuery, Hits, list[int]], float]
"""The value of a query, given its hits and the ranks of those that are relevant."""


def _average_precision(query: JudgedQuery, hits: Hits, ranks: list[int], k: float) -> float:
    total = 0.0
    for found, rank in enumerate(ranks, 1):
        if rank > k:
            break
        total += found / rank
    return total / query.relevant if query.relevant else 0.0


def _precision(query: JudgedQuery, hits: Hits, ranks: list[int], k: float) -> float:
    return bisect_right(ranks, k) / k


def _recall(query: JudgedQuery, hits: Hits, ranks: list[int], k: float) -> float:
    return bisect_right(ranks, k) / query.relevant if query.relevant else 0.0


def _r_precision(query: JudgedQuery, hits: Hits, ranks: list[int], k: float) -> float:
    return bisect_right(ranks, query.relevant) / query.relevant if query.relevant else 0.0


def _success(query: JudgedQuery, hits: Hits, ranks: list[int], k: float) -> float:
    return 1.0 if ranks and ranks[0] <= k else 0.0


def _reciprocal_rank(query: JudgedQuery, hits: Hits, ranks: list[int], k: float) -> float:
    return 1.0 / ranks[0] if ranks and ranks[0] <= k else 0.0


def _ndcg(query: JudgedQuery, hits: Hits, ranks: list[int], k: float) -> float:
    total = 0.0
    for rank, grade in hits:
        if grade > 0 and rank <= k:
            total += grade / _log2(rank + 1)
    ideal = query.ideal.get(k)
    if ideal is None:
        ideal = 0.0
        for rank, grade in enumerate(query.falling, 1):
            if grade <= 0 or rank > k:
                break
            ideal += grade / _log2(rank + 1)
        query.ideal[k] = ideal
    return total / ideal if ideal else 0.0


_log2 = math.log2

FEW: dict[str, Callable[..., float]] = {
    "map": _average_precision,
    "map_cut": _average_precision,
    "P": _precision,
    "recall": _recall,
    "success": _success,
    "recip_rank": _reciprocal_rank,
    "Rprec": _r_precision,
    "ndcg": _ndcg,
    "ndcg_cut": _ndcg,
}
"""By the name of a measure, its function; its cutoff `k` is infinite where there is none."""


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
    value = request.value.value
    if value and (isinstance(value, tuple) or request.k is not None):  # a tuple has the gains of some grades
        return None
    k = value or request.k or math.inf
    return partial(few, k=k)  # which can be sent
