"""Average precision: precision at the rank of every relevant document, averaged over all of them."""

from __future__ import annotations

import math

import numpy as np

from irev.measures.measure import Terms, measure
from irev.measures.parameters import Cutoffs
from irev.measures.precision import CUTOFFS
from irev.ranked import Ranked
from irev.segments import Floats

FLOOR = 0.00001
"""What a geometric mean takes for a value below it."""


@measure("map")
def average_precision(ranked: Ranked) -> Terms:
    """Mean average precision.

    map = (sum of r_i / i over the ranks i of relevant documents) / R: precision at every relevant document,
    averaged over all of them, those not retrieved as 0. For one query this is its average precision, AP;
    the line for all queries is the mean.

    A query without relevant documents has 0. Documents without a judgment count as not relevant.

    Source: Chris Buckley and Ellen Voorhees, Retrieval System Evaluation, in TREC: Experiment and
    Evaluation in Information Retrieval, MIT Press, 2005.

    Example: grades 1 0 1 0 1, R = 3: map 0.7556.
    """
    return Terms(ranked.relevant_owner, ranked.relevant_rank, ranked.relevant_precision, ranked.relevant_total)


@measure("gm_map", summary="geometric mean", per_query=False)
def average_precision_logarithm(ranked: Ranked) -> Floats:
    """Geometric mean over queries of average precision.

    gm_map = exp(mean of ln(max(AP, 0.00001))), where AP is what map gives for one query. Where the mean
    looks at differences, this looks at ratios: doubling 0.05 counts as much as doubling 0.4, so hard
    queries matter.

    Printed for all queries together only. A query that found nothing, or has no relevant documents, or that
    the run lacks while -c counts it, enters as 0.00001.

    Source: Stephen Robertson, On GMAP: and other transformations, CIKM 2006.

    Example: grades 1 | 0 1 | 0 0 0 0 0 0 0 0 0 1, R = 1: gm_map 0.3684.
    """
    return logarithm(average_precision(ranked).total(ranked.size))


def logarithm(values: Floats) -> Floats:
    """ln(max(value, `FLOOR`)), of which a geometric mean is made; `np.log` rounds otherwise than C."""
    return np.array([math.log(max(value, FLOOR)) for value in values.tolist()], dtype=np.float64)


@measure("map_cut", over=Cutoffs(*CUTOFFS))
def average_precision_at(ranked: Ranked, k: int) -> Terms:
    """Average precision of the first k results.

    map_cut_k = (sum of r_i / i over the ranks i ≤ k of relevant documents) / R.

    The divisor is R, the number of relevant documents, also where k is smaller: with R > k even a perfect
    ranking stays below 1. Other programs divide by min(k, R). A query without relevant documents has 0.

    Example: grades 1 0 1 0 1, R = 3: map_cut_3 0.5556, map_cut_5 0.7556, map_cut_1 0.3333.
    """
    within = ranked.relevant_rank <= k
    return Terms(
        ranked.relevant_owner[within],
        ranked.relevant_rank[within],
        ranked.relevant_precision[within],
        ranked.relevant_total,
    )


@measure("yaap")
def smoothed_average_precision(ranked: Ranked) -> Floats:
    """Yet another average precision: its smoothed log odds.

    yaap = ln((1 + s) / (1 + R - s)) with s = sum of r_i / i over the ranks i of relevant documents, which
    is R times average precision. The scale is open at both ends, so the mean over queries does not favour
    the middle; the smoothing keeps AP = 0 and AP = 1 finite.

    It is negative below AP = 0.5. A query without relevant documents has 0.

    Source: Stephen Robertson, On Smoothing Average Precision, ECIR 2012.

    Example: grades 1 0 1 0 1, R = 3: yaap 0.6337.
    """
    found = Terms(ranked.relevant_owner, ranked.relevant_rank, ranked.relevant_precision).total(ranked.size)
    odds = (1.0 + found) / (1.0 + ranked.relevant_total - found)
    return np.array([math.log(x) for x in odds.tolist()], dtype=np.float64)
