"""Measures for incomplete judgments: preferences among judged documents, inference, how much is judged."""

from __future__ import annotations

import numpy as np

from irev.base import segments
from irev.base.segments import Floats, Ints, logarithms
from irev.measures.expected_over_ties import EVERY, Count, of_hits
from irev.measures.families.precision import CUTOFFS
from irev.measures.measure import Terms, Weighted, measure
from irev.measures.parameters import Cutoffs, WordParameter
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


# What has a judgment


BY = WordParameter("results", "ranks", "cutoff", "pooled")
"""What is counted, and what it is divided by; the docstring of `judged` defines them."""

SET_BY = WordParameter("results", "pooled")
"""The same without a cutoff, where there are no ranks beyond the results."""


def _judged(ranked: Ranked, count: Count, k: int, by: str) -> Floats | Weighted:
    """Share of the judged, from how many of the first k results are."""
    shown, known = np.minimum(ranked.retrieved, k), count(ranked.grade >= 0, k)
    return _share(known + (k - shown if by == "ranks" else 0), shown, k, by)


def _unjudged(ranked: Ranked, count: Count, k: int, by: str) -> Floats | Weighted:
    """Share of the unjudged, from how many of the first k results are judged."""
    shown, known = np.minimum(ranked.retrieved, k), count(ranked.grade >= 0, k)
    return _share((k if by == "cutoff" else shown) - known, shown, k, by)


def _share(counted: Floats | Ints, shown: Ints, k: int, by: str) -> Floats | Weighted:
    if by == "pooled":
        return Weighted(segments.ratio(counted, shown), shown.astype(np.float64))
    return segments.ratio(counted, shown if by == "results" else k)


@of_hits("judged", standard="Judged", over=Cutoffs(*CUTOFFS), options={"by": BY})
def judged(ranked: Ranked, count: Count, k: int, by: str) -> Floats | Weighted:
    """Share of the first k results that have a judgment.

    With j documents of the first k judged, that is, of a grade of 0 or more, and n results:

    By results: judged_k = j / min(k, n), and 0 for a query without results.

    By ranks: judged_k = (j + k - min(k, n)) / k: missing ranks count as judged. It is 1 - unj_k.

    By cutoff: judged_k = j / k: missing ranks count as unjudged.

    By pooled: for one query as results; the line for all queries is (sum of j) / (sum of min(k, n)), so that
    queries with many results weigh more.

    The lower, the less the other measures can be trusted at that depth. For a query that the run lacks it is
    1 by ranks, and 0 otherwise. Under -J, which drops what is unjudged, every query with at least
    k results has 1.

    Parameters: by, one of the four words; results unless given.

    Elsewhere: the same name gives five numbers. Judged of ir_measures and the judged documents of Anserini
    divide by results, and ir_measures counts a negative grade as a judgment. trec_eval prints unj, 1 - judged
    by ranks. Hole of BEIR and MTEB is 1 - judged by ranks where a document that the judgments name for any
    query is judged, which is not offered here. Pyserini pools.

    Example: grades 1 - | - - - - - - - - - -, R = 1: judged_10 0.2500, judged_10,by=ranks 0.4500,
    judged_10,by=cutoff 0.0500, judged_10,by=pooled 0.0833.
    """
    return _judged(ranked, count, k, by)


@of_hits("set_judged", standard="Judged", cut="judged", options={"by": SET_BY})
def set_judged(ranked: Ranked, count: Count, by: str) -> Floats | Weighted:
    """Share of all results that have a judgment.

    set_judged = j / n, where j is the number of documents retrieved that are judged, that is, of a grade of 0
    or more, and n the number of documents retrieved.

    By pooled the line for all queries is (sum of j) / (sum of n), so that queries with many results weigh more.

    A query without results has 0. With a cutoff it is judged_k.

    Parameters: by, results or pooled; results unless given.

    Elsewhere: Judged of ir_measures without a cutoff, which counts a negative grade as a judgment.

    Example: grades 1 - | - - - - - - - - - -, R = 1: set_judged 0.2500, set_judged_by=pooled 0.0833.
    """
    return _judged(ranked, count, EVERY, by)


@of_hits("unjudged", better="lower", standard="Unjudged", over=Cutoffs(*CUTOFFS), options={"by": BY})
def unjudged_at(ranked: Ranked, count: Count, k: int, by: str) -> Floats | Weighted:
    """Share of the first k results that have no judgment.

    With j documents of the first k judged, that is, of a grade of 0 or more, and n results:

    By results: unjudged_k = (min(k, n) - j) / min(k, n), and 0 for a query without results.

    By ranks: unjudged_k = (min(k, n) - j) / k: missing ranks count as judged. It is unj_k.

    By cutoff: unjudged_k = (k - j) / k: missing ranks count as unjudged.

    By pooled: for one query as results; the line for all queries is (sum of min(k, n) - j) /
    (sum of min(k, n)).

    It is 1 - judged_k in the same way, but for a query without results, which by results and pooled has 0 in
    both.

    Parameters: by, one of the four words; results unless given.

    Elsewhere: unj of trec_eval is by ranks. Hole of BEIR and MTEB takes a document for judged when the
    judgments name it for whatever query, which is not offered here.

    Example: grades 1 - . | 0 - 1, R = 1: unjudged_2 0.5000, unjudged_4 0.5000, unjudged_4,by=ranks 0.3750,
    unjudged_4,by=cutoff 0.6250, unjudged_4,by=pooled 0.5000.
    """
    return _unjudged(ranked, count, k, by)


@of_hits("set_unjudged", better="lower", standard="Unjudged", cut="unjudged", options={"by": SET_BY})
def set_unjudged(ranked: Ranked, count: Count, by: str) -> Floats | Weighted:
    """Share of all results that have no judgment.

    set_unjudged = (n - j) / n, where j is the number of documents retrieved that are judged, that is, of a
    grade of 0 or more, and n the number of documents retrieved.

    By pooled the line for all queries is (sum of n - j) / (sum of n).

    A query without results has 0. With a cutoff it is unjudged_k.

    Parameters: by, results or pooled; results unless given.

    Example: grades 1 - | - - - - - - - - - -, R = 1: set_unjudged 0.7500, set_unjudged_by=pooled 0.9167.
    """
    return _unjudged(ranked, count, EVERY, by)
