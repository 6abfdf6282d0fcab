"""Which judgment can move the difference between two runs most: what to judge next to tell them apart.

The difference of average precision between runs A and B is, but for its divisor, a quadratic form in the relevance x of
the documents, Σ over i ≤ j of c_ij x_i x_j, where c_ij = 1 / max(a_i, a_j) - 1 / max(b_i, b_j), a and b are ranks, and
a fraction is 0 where its run lacks one of the two documents: Ben Carterette, James Allan and Ramesh Sitaraman, Minimal
Test Collections for Retrieval Evaluation, SIGIR 2006. There the document that can contribute most is judged next; here
it is the one whose judgment is expected to change the difference most.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import NamedTuple

import numpy as np

from irev import measures
from irev.base import segments
from irev.base.errors import UsageError
from irev.base.segments import Floats, Ints
from irev.base.settings import CURRENT
from irev.measures.request import Request
from irev.questions.pool.candidates import Candidates, Selection


class Weighing(NamedTuple):
    """A measure by which two runs are told apart.

    Attributes
    ----------
    name : str
        As papers have it.
    weights : callable
        ``weights(candidates, level)``: (d,) how much each document can move the difference.
    """

    name: str
    weights: Callable[[Candidates, float], Floats]


def weighing(name: str) -> Weighing:
    """The measure that is named as after ``-m``: AP, nDCG or nDCG@k. Raises `UsageError` for any other."""
    requests = measures.parse([name], CURRENT)
    if len(requests) == 1:
        (request,) = requests
        if request == Request(request.measure, request.value):
            if request.measure.name == "map":
                return Weighing("AP", by_average_precision)
            if request.measure.name == "ndcg_cut" or (request.measure.name == "ndcg" and not request.value.value):
                cutoff = request.cutoff
                return Weighing(request.standard, lambda candidates, level: by_gain(candidates, level, cutoff))
    raise UsageError(f"documents are not weighed by {name}", remedy="choose AP, nDCG or nDCG@k, such as nDCG@10")


def choose(
    candidates: Candidates, most: int, level: float, weights: Callable[[Candidates, float], Floats]
) -> Selection:
    """The documents of one query with the highest weights that are not judged, at most so many; equal ones by id.

    One that cannot move the difference at all is not among them. Weights are compared in twelve decimals, since further
    ones depend on the order in which they were added.
    """
    if not candidates.unjudged.any():
        return Selection(np.empty(0, dtype=np.int64), np.empty(0))
    weight = np.round(weights(candidates, level), 12)
    order = np.argsort(-weight, kind="stable")
    order = order[(candidates.unjudged & (weight > 0))[order]][:most]
    return Selection(order, weight[order])


def chance(candidates: Candidates, level: float) -> float:
    """How likely a document without a judgment is relevant: (1 + r) / (2 + n), where n of the documents of the two runs
    are judged and r of these relevant."""
    return (1 + np.count_nonzero(candidates.grade >= level)) / (2 + np.count_nonzero(~candidates.unjudged))


def by_average_precision(candidates: Candidates, level: float) -> Floats:
    """(d,) |E(difference | relevant) - E(difference | not relevant)| of each document, for average precision.

    The expectation is over the relevance of all other documents: 1 or 0 of one that is judged, `chance` of any other,
    independently. So it is |c_ii + Σ over j ≠ i of c_ij p_j|. It is divided by the number of relevant documents that is
    expected, those that are judged relevant and no run has included.
    """
    probability = _probability(candidates, level)
    weight = np.abs(_pairs(candidates.ranks(0), probability) - _pairs(candidates.ranks(1), probability))
    return weight / _expected_relevant(candidates, level)


def _pairs(rank: Ints, probability: Floats) -> Floats:
    """(d,) 1 / r_i + Σ over j ≠ i of p_j / max(r_i, r_j), and 0 for a document that is not there."""
    there = np.flatnonzero(rank)
    there = there[np.argsort(rank[there])]
    place, chances = rank[there], probability[there]
    before = np.concatenate(([0.0], np.cumsum(chances)[:-1])) if len(there) else chances
    below = np.concatenate((np.cumsum((chances / place)[::-1])[::-1][1:], [0.0])) if len(there) else chances
    found = np.zeros(len(rank))
    found[there] = (1 + before) / place + below
    return found


def by_gain(candidates: Candidates, level: float, cutoff: int | None) -> Floats:
    """(d,) How much the difference of nDCG changes if a document is relevant, with gains 1 and 0.

    That is the difference between its discounts 1 / log2(1 + rank) in the two runs, 0 beyond the cutoff and where it is
    not there, divided by the ideal of as many relevant documents as are expected, rounded up.
    """
    first, second = (_discounts(candidates.ranks(run), cutoff) for run in (0, 1))
    expected = max(math.ceil(_expected_relevant(candidates, level)), 1)
    ideal = np.arange(1, min(expected, cutoff or expected) + 1)
    return np.abs(first - second) / segments.total(_discounts(ideal, None), np.zeros(len(ideal), np.int64), 1)


def _discounts(rank: Ints, cutoff: int | None) -> Floats:
    there = rank > 0 if cutoff is None else (rank > 0) & (rank <= cutoff)
    return np.where(there, 1 / segments.log2(np.where(there, rank + 1, 2)), 0.0)


def _probability(candidates: Candidates, level: float) -> Floats:
    judged = (candidates.grade >= level).astype(np.float64)
    return np.where(candidates.unjudged, chance(candidates, level), judged)


def _expected_relevant(candidates: Candidates, level: float) -> float:
    return candidates.relevant + chance(candidates, level) * np.count_nonzero(candidates.unjudged)
