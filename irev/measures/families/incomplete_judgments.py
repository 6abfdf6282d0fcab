"""Measures for incomplete judgments: preferences among judged documents, inference, how much is unjudged."""

from __future__ import annotations

import numpy as np

from irev.base import segments
from irev.base.aggregates import logarithms
from irev.base.segments import Floats
from irev.measures.expected_over_ties import Count, of_hits
from irev.measures.measure import Terms, measure
from irev.measures.parameters import Cutoffs
from irev.ranking.ranked import Ranked

EPSILON = 0.00001
"""Smoothing of infAP's estimate of precision among the judged."""


@measure("bpref", standard="Bpref", also=("ir_measures BPref",), bounds="search")
def binary_preference(ranked: Ranked) -> Terms:
    """Share of the preferences for relevant over judged nonrelevant documents that the ranking keeps.

    bpref = (sum over the relevant documents retrieved of 1 - min(b, R) / min(B, R)) / R, where b is the
    number of judged nonrelevant documents ranked above it and B is their number in the judgments. A term
    with b = 0 is 1.

    Documents without a judgment, or with a negative grade, are passed over: they neither help nor hurt. A
    query without relevant documents has 0; one without judged nonrelevant documents has its recall.

    Elsewhere: ranx takes a negative grade for a judgment of not relevant, and where nothing is judged not
    relevant its bpref is not a number, nor is then the mean over queries; trectools drops negative grades.

    Source: Chris Buckley and Ellen Voorhees, Retrieval Evaluation with Incomplete Information, SIGIR 2004.

    Example: grades 1 - 0 1 0 1, R = 3: bpref 0.5000.
    """
    above = ranked.nonrelevant_so_far[ranked.relevant]
    relevant = ranked.relevant_total[ranked.relevant_owner]
    nonrelevant = ranked.nonrelevant_total[ranked.relevant_owner]
    lost = segments.ratio(np.minimum(above, relevant), np.minimum(nonrelevant, relevant))
    return Terms(ranked.relevant_owner, ranked.relevant_rank, 1.0 - lost, ranked.relevant_total, by_rank=False)


@measure("gm_bpref", standard="GMBpref", bounds="search", summary="geometric mean", per_query=False)
def binary_preference_logarithm(ranked: Ranked) -> Floats:
    """Geometric mean over queries of bpref.

    gm_bpref = exp(mean of ln(max(bpref, 0.00001))).

    Printed for all queries together only. A query that kept no preference, or has no relevant documents, or
    that the run lacks while -c counts it, enters as 0.00001.

    Example: grades 1 0 | 0 1 0 1, R = 2: gm_bpref 0.3536.
    """
    return logarithms(binary_preference(ranked).total(ranked.size))


@measure("infAP", standard="infAP", bounds="search")
def inferred_average_precision(ranked: Ranked) -> Terms:
    """Average precision estimated from judgments of a random sample of the pool.

    infAP = (sum over the relevant documents retrieved of E) / R. At rank 1, E = 1; at rank j + 1, E = 1 /
    (j + 1) + (j / (j + 1)) · ((s + b + u) / j) · ((s + e) / (s + b + 2e)), where e =
    0.00001 and, of the j documents above that rank, s are relevant, b are judged not relevant, and u are in the pool
    but not judged.

    A negative grade says "in the pool, but not judged"; a document that the judgments do not name is
    outside the pool and counts as not relevant. With every pool document judged, infAP is average precision
    but for e. A query without relevant documents has 0.

    Source: Emine Yilmaz and Javed A. Aslam, Estimating Average Precision with Incomplete and Imperfect
    Judgments, CIKM 2006.

    Example: grades 1 . 0 1, R = 2: infAP 0.8125.
    """
    owner = ranked.relevant_owner
    found = segments.position(owner, ranked.size)
    nonrelevant = ranked.nonrelevant_so_far[ranked.relevant]
    unjudged = segments.running_count(ranked.grade < 0, ranked.owner, ranked.size)[ranked.relevant]
    above = (ranked.relevant_rank - 1).astype(np.float64)
    in_pool = segments.ratio(found + nonrelevant + unjudged, above)
    relevant_in_pool = (found + EPSILON) / (found + nonrelevant + 2 * EPSILON)
    expected = 1.0 / (above + 1.0) + (above / (above + 1.0)) * in_pool * relevant_in_pool
    return Terms(owner, ranked.relevant_rank, expected, ranked.relevant_total)


@of_hits("unj", better="lower", standard="Unj", over=Cutoffs(5, 10, 20), new_in_10=True)
def unjudged(ranked: Ranked, count: Count, k: int) -> Floats:
    """Share of the first k ranks that hold a document without a judgment.

    unj_k = (documents among the first k that have no grade of 0 or more) / k. The higher, the less the
    other measures can be trusted at that depth.

    A negative grade counts as no judgment. The divisor stays k for a query with fewer than k results, so
    their missing ranks count as judged. A query that the run lacks has 0, and so has every query under -J.

    Elsewhere: other tools count in other ways, and mostly the judged ones; judged and unjudged have them all,
    and unj is unjudged by ranks.

    Example: grades 1 - 0 ., R = 1: unj_2 0.5000, unj_4 0.5000, unj_5 0.4000.
    """
    return (np.minimum(ranked.retrieved, k) - count(ranked.grade >= 0, k)) / k
