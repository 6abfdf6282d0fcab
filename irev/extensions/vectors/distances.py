"""Nearest neighbours by their distances, whichever they are: judgments and run are arrays that have them."""

from __future__ import annotations

from typing import TYPE_CHECKING, cast

import numpy as np

from irev.base.errors import UsageError
from irev.base.segments import Floats, Ints
from irev.measures.measure import Weighted, measure
from irev.measures.parameters import Cutoffs, RealParameter, WordParameter
from irev.ranking.ranked import Ranked

if TYPE_CHECKING:
    from irev.extensions.vectors.ranking import Distances

KIND = "distances"


def _first(ranked: Ranked, k: int) -> tuple[Floats, Floats, Ints]:
    """(q, k) The distances of the first k true neighbours and results, infinite where there are fewer, and (q,) of how
    many true ones."""
    known = cast("Distances", ranked.details)
    tables = []
    for table in (known.true, known.found):
        first = np.full((ranked.size, k), np.inf)
        first[:, : table.shape[1]] = table[:, :k]
        tables.append(first)
    return tables[0], tables[1], np.isfinite(tables[0]).sum(axis=1)


@measure(
    "distance_recall",
    standard="DistanceRecall",
    of=KIND,
    over=Cutoffs(1, 10, 100),
    options={"eps": RealParameter(0.001, 0.0), "tolerance": WordParameter("absolute", "relative")},
)
def distance_recall(ranked: Ranked, k: int, eps: float, tolerance: str) -> Floats:
    """Share of the k nearest neighbours that the first k results are as near as, within a tolerance.

    distance_recall_k = min(r_k, m) / m, where m is the smaller one of k and the number of true neighbours, t the
    distance of the m-th of these, and r_k the number of the first k results at a distance of at most t + eps.

    Parameters: eps, 0.001; and tolerance=absolute, or relative, with which the limit is t · (1 + eps).

    A result counts whether or not the judgments name it. Similarities are distances with their sign changed, and have
    no relative tolerance. A query without true neighbours has 0.

    Elsewhere: recall of ann-benchmarks, whose epsilon recall is tolerance=relative with eps 0.01, and 0.1 for the large
    one. It computes in the four bytes of its files; here limits have eight.

    Source: Martin Aumüller, Erik Bernhardsson and Alexander Faithfull, ANN-Benchmarks: A Benchmarking Tool for
    Approximate Nearest Neighbor Algorithms, Information Systems 87, 2020.

    Example: true distances 1 2 3, and 1 3 3.0005 of the results: distance_recall_1 1.0000, distance_recall_2 0.5000,
    distance_recall_3 1.0000, distance_recall_2,eps=0.5,tolerance=relative 1.0000.
    """
    true, found, counts = _first(ranked, k)
    limit = true[np.arange(ranked.size), np.maximum(counts, 1) - 1]
    if tolerance == "relative":
        if (limit < 0).any():
            raise UsageError("similarities have no relative tolerance", remedy="leave out tolerance=relative")
        limit = limit * (1 + eps)
    else:
        limit = limit + eps
    near = np.count_nonzero((found <= limit[:, None]) & np.isfinite(found), axis=1)
    value = np.zeros(ranked.size)
    np.divide(np.minimum(near, counts), counts, out=value, where=counts > 0)
    return value


@measure("distance_ratio", standard="DistanceRatio", of=KIND, over=Cutoffs(1, 10, 100), better="lower")
def distance_ratio(ranked: Ranked, k: int) -> Weighted:
    """How many times as far away the first k results are as the k nearest neighbours.

    distance_ratio_k = (sum of the distances of the first m results) / (sum of those of the m nearest neighbours), where
    m is the smallest one of k and the numbers of results and of neighbours. The line for all queries has the sums over
    all of them.

    The best value is 1. A query without results, or with true distances of 0 alone, has 1 and weighs nothing.
    Similarities have no such ratio.

    Elsewhere: relative error of ann-benchmarks, which adds all distances of the truth and of the results, so that both
    have to be k.

    Example: true distances 1 2 3, and 1 3 4 of the results: distance_ratio_1 1.0000, distance_ratio_3 1.3333.
    """
    true, found, _ = _first(ranked, k)
    both = np.isfinite(true) & np.isfinite(found)
    if (true[both] < 0).any() or (found[both] < 0).any():
        raise UsageError("similarities have no ratio of distances", remedy="give distances, or leave out DistanceRatio")
    over, sums = (np.where(both, table, 0.0).sum(axis=1) for table in (true, found))
    value = np.ones(ranked.size)
    np.divide(sums, over, out=value, where=over > 0)
    return Weighted(value, over)
