"""Precision and recall at ranks: how much of the top is relevant, and how much of the relevant is there."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

import numpy as np

from irev.base import segments
from irev.base.segments import Array, Bools, Floats, Ints
from irev.measures.expected_over_ties import Chances, linear_in, of_chances, opens_tie
from irev.measures.measure import Terms, measure
from irev.measures.parameters import Cutoffs, Levels, Numbers, RealParameter, WholeParameter, WordParameter
from irev.ranking.ranked import Ranked

CUTOFFS = (5, 10, 15, 20, 30, 100, 200, 500, 1000)


def _relevant(ranked: Ranked, depth: int | Ints, over: Array | float) -> Terms:
    """r_k / `over` at k = `depth`: one term, 1, for each relevant hit within the depth."""
    limit = depth if isinstance(depth, int) else depth[ranked.relevant_owner]
    within = ranked.relevant_rank <= limit
    owner, rank = ranked.relevant_owner[within], ranked.relevant_rank[within]
    return Terms(owner, rank, np.ones(len(rank)), over)


def _expected(ranked: Ranked, depth: int | Ints, over: Array | float) -> Terms:
    """The same when tied documents stand in any order: how likely each relevant hit is within the depth."""
    return Terms(
        ranked.relevant_owner, ranked.tie_first[ranked.relevant], ranked.chance_within(depth)[ranked.relevant], over
    )


Within = Callable[..., Terms]
"""``relevant(depth, over)``: `_relevant` or `_expected` of some rankings."""

_of_relevant_within = linear_in(lambda ranked: partial(_relevant, ranked), lambda ranked: partial(_expected, ranked))


def _expected_success(ranked: Ranked, k: int) -> Floats:
    """One minus the probability that no relevant document of any tie stands within k ranks.

    Of m documents that tie, s within k, each further relevant one, after i others, misses with (m - s - i) / (m - i).
    """
    opens = opens_tie(ranked)
    others = segments.position(np.cumsum(opens) - 1, int(opens.sum()))
    size = (ranked.tie_last - ranked.tie_first + 1)[ranked.relevant]
    within = np.rint(ranked.chance_within(k)[ranked.relevant] * size)
    missed = np.ones(ranked.size)
    np.multiply.at(missed, ranked.relevant_owner, np.maximum(size - within - others, 0) / (size - others))
    return 1.0 - missed


def _expected_reciprocal_rank(ranked: Ranked) -> Floats:
    """Over the ranks that the first relevant document may have, all of them in its tie.

    Of m documents that tie, r of them relevant, the first relevant one comes after t others with probability
    r / m · (m - r)(m - r - 1)… / ((m - 1)(m - 2)…), t factors above and below.
    """
    opens = np.flatnonzero(opens_tie(ranked))
    owners = ranked.relevant_owner[opens]
    leads = segments.opens(owners)
    counts = np.diff(np.append(opens, len(ranked.relevant_owner)))[leads]
    first, last = (tie[ranked.relevant][opens][leads] for tie in (ranked.tie_first, ranked.tie_last))
    values = 1.0 / first
    depth = ranked.last_rank if ranked.settings.depth is None else ranked.settings.depth
    for i in np.flatnonzero(last > first).tolist():
        size, relevant = int(last[i] - first[i] + 1), int(counts[i])
        others = np.arange(size - relevant)
        passed = (size - relevant - others) / (size - 1.0 - others)
        chance = relevant / size * np.cumprod(np.concatenate(([1.0], passed)))
        rank = first[i] + np.arange(len(chance))
        values[i] = float((chance / rank)[rank <= depth].sum())
    expected = np.zeros(ranked.size)
    expected[owners[leads]] = values
    return expected


@_of_relevant_within(
    "P",
    at_ranks=True,
    standard="P",
    also=("ir_measures Precision@k", "BEIR P@k", "ranx precision@k", "MTEB precision_at_k"),
    bounds="rising",
    over=Cutoffs(*CUTOFFS),
)
def precision(ranked: Ranked, relevant: Within, k: int) -> Terms:
    """Share of the first k results that are relevant.

    P_k = r_k / k, where r_k is the number of relevant documents among the first k.

    A query with fewer than k results counts the missing ones as not relevant: the divisor stays k.
    Unjudged documents count as not relevant.

    Elsewhere: textbooks and ranx call the share of all results precision, without a cutoff, and so does -m: it is
    set_P.

    Source: Chris Buckley and Ellen Voorhees, Retrieval System Evaluation, in TREC: Experiment and
    Evaluation in Information Retrieval, MIT Press, 2005.

    Example: grades 1 0 1 0 1, R = 3: P_3 0.6667, P_4 0.5000, P_5 0.6000, P_10 0.3000.
    """
    return relevant(k, k)


@_of_relevant_within(
    "recall",
    at_ranks=True,
    standard="R",
    also=("ir_measures Recall@k", "BEIR Recall@k", "ranx recall@k", "MTEB recall_at_k"),
    bounds="search",
    over=Cutoffs(*CUTOFFS),
)
def recall(ranked: Ranked, relevant: Within, k: int) -> Terms:
    """Share of all relevant documents that stand among the first k results.

    recall_k = r_k / R, where r_k is the number of relevant documents among the first k and R the number of
    relevant documents in the judgments.

    A query with fewer than k results is judged by what it has. A query without relevant documents has 0.

    Elsewhere: textbooks and ranx say recall, without a cutoff, for all results of a query: here that is set_recall.

    Example: grades 1 0 1 1 0, R = 4: recall_5 0.7500, recall_1 0.2500.
    """
    return relevant(k, ranked.relevant_total)


def _first_judgments(ranked: Ranked) -> Ints:
    """(q,) Where the judgments of each query begin."""
    first: Ints = np.searchsorted(ranked.judged_owner, np.arange(ranked.size))
    return first


@measure(
    "knn_recall",
    standard="kNNRecall",
    over=Cutoffs(1, 10, 100),
    options={"of": WholeParameter("k", 1, 2**31 - 1, ("k",))},
)
def nearest_recall(ranked: Ranked, k: int, of: int | str) -> Floats:
    """Share of the nearest neighbours, or of the documents with the highest grades, among the first k results.

    knn_recall_k = min(r_k, m) / m, where m is the smaller one of n and the number of relevant documents, n is k unless
    given, and r_k is the number of the first k results whose grade is not below the m-th highest of the judgments.

    Parameter: of, n. kNNRecall@10 is 10-recall@10, of the 10 nearest among the first 10; kNNRecall(of=1)@100 is
    1-recall@100.

    A document with the grade of the m-th counts as well as that one, so that it does not matter which of several
    neighbours at the same distance was found. A query with fewer than n relevant documents, as after a filter, is
    judged by those. A query without relevant documents has 0.

    Elsewhere: big-ann-benchmarks counts distances within 0.000001 of the k-th as equal, and it and VectorDBBench divide
    by k where there are fewer neighbours.

    Source: Hervé Jégou, Matthijs Douze and Cordelia Schmid, Product Quantization for Nearest Neighbor Search, IEEE
    Transactions on Pattern Analysis and Machine Intelligence 33(1), 2011.

    Example: grades 3 0 1 2, not retrieved 2: knn_recall_1 1.0000, knn_recall_2 0.5000, knn_recall_4,of=1 1.0000,
    knn_recall_4,of=2 1.0000, knn_recall_4 0.7500.
    """
    most = k if isinstance(of, str) else of
    counts = np.minimum(ranked.relevant_total, most)
    last = ranked.once(_first_judgments) + counts - 1
    least = np.full(ranked.size, np.inf)
    some = counts > 0
    least[some] = ranked.judged_grade[last[some]]
    alike = ranked.size > 0 and bool((least == least[0]).all())  # as where every query has as many neighbours
    found = ranked.within(k, ranked.grade >= (least[0] if alike else least[ranked.owner]))
    return segments.ratio(np.minimum(found, counts), counts)


@_of_relevant_within(
    "relative_P",
    at_ranks=True,
    standard="R_cap",
    also=("BEIR R_cap@k", "MTEB R_cap_at_k"),
    bounds="search",
    over=Cutoffs(*CUTOFFS),
)
def relative_precision(ranked: Ranked, relevant: Within, k: int) -> Terms:
    """Precision at k, divided by the highest value that any ranking could have.

    relative_P_k = r_k / min(k, R). With fewer than k relevant documents it is recall, otherwise precision, so
    a perfect ranking has 1 at every cutoff.

    A query without relevant documents has 0.

    Elsewhere: R_cap@k or capped recall in BEIR, which fails for a query without relevant documents, and in MTEB, which
    leaves such a query out of the mean.

    Example: grades 1 0 1 0, R = 3: relative_P_2 0.5000, relative_P_4 0.6667.
    """
    return relevant(k, np.minimum(k, ranked.relevant_total))


@measure(
    "success",
    standard="Success",
    also=("ranx hit_rate@k", "MTEB hit_rate_at_k", "MTEB cv_recall_at_k", "BEIR top_k_accuracy@k"),
    expected=_expected_success,
    bounds="rising",
    over=Cutoffs(1, 5, 10),
)
def success(ranked: Ranked, k: int) -> Floats:
    """Whether a relevant document stands among the first k results: 1 or 0.

    Its average is the share of queries that found something. A query without relevant documents has 0.

    Elsewhere: hit rate; BEIR prints it as Accuracy@k, which is another measure in ir_measures (pair_accuracy) and here;
    work on question answering often calls it recall@k, which is another measure everywhere else.

    Example: grades 0 0 1, R = 4: success_1 0.0000, success_5 1.0000.
    """
    return (ranked.relevant_within(k) > 0).astype(np.float64)


@_of_relevant_within(
    "Rprec", at_ranks=True, standard="Rprec", also=("ir_measures RPrec", "ranx r-precision"), bounds="search"
)
def r_precision(ranked: Ranked, relevant: Within) -> Terms:
    """Precision at rank R, the number of relevant documents.

    Rprec = r_R / R. At that rank precision and recall coincide, and a perfect ranking has 1 for every
    query, however many relevant documents the query has.

    With fewer than R results the missing ones count as not relevant. A query without relevant documents has
    0.

    Source: Chris Buckley and Ellen Voorhees, Retrieval System Evaluation, in TREC: Experiment and
    Evaluation in Information Retrieval, MIT Press, 2005.

    Example: grades 1 0 1 1, R = 3: Rprec 0.6667.
    """
    return relevant(ranked.relevant_total, ranked.relevant_total)


@_of_relevant_within(
    "Rprec_mult", standard="RprecMult", bounds="search", over=Levels(0.2, 0.4, 0.6, 0.8, 1.0, 1.2, 1.4, 1.6, 1.8, 2.0)
)
def r_precision_at_multiples(ranked: Ranked, relevant: Within, multiple: float) -> Terms:
    """Precision at a multiple of R, the number of relevant documents.

    Rprec_mult_c = r_k / k with k = c · R + 0.9 cut to a whole number. Low multiples show how precise the
    top is, high ones how much is found in the end, at comparable places for every query.

    With fewer than k results the missing ones count as not relevant. The value is 0 where k is 0 or less,
    and so for a query without relevant documents.

    Example: grades 1 0 1 1, R = 3: Rprec_mult_0.20 1.0000, Rprec_mult_1.00 0.6667, Rprec_mult_2.00 0.5000.
    """
    depth = np.clip(np.trunc(multiple * ranked.relevant_total + 0.9), 0, 2.0**62)  # 0 where there is none
    return relevant(depth.astype(np.int64), depth)


@measure(
    "recip_rank",
    standard="RR",
    cut="depth",
    also=("ir_measures MRR", "BEIR MRR@k", "ranx mrr@k", "ranx mrr", "MTEB mrr_at_k"),
    expected=_expected_reciprocal_rank,
    bounds="rising",
)
def reciprocal_rank(ranked: Ranked) -> Floats:
    """One over the rank of the first relevant document.

    recip_rank = 1 / (rank of the first relevant document), and 0 when none is retrieved. Its average over
    queries is the mean reciprocal rank, MRR. Without a cutoff a document at rank 500 still earns 0.002; with one,
    recip_rank_10, the value is 0 when no relevant document stands among the first 10.

    Elsewhere: RR@k or MRR@k. trec_eval reads recip_rank.10 and ignores the 10. ir_measures breaks ties by rising
    document id for RR@k and by falling id for RR, ranx and BEIR by the order of their input. BEIR and the script of
    MS MARCO divide by all judged queries (-c), MTEB by all queries of the run (--queries run).

    Source: Ellen Voorhees, The TREC-8 Question Answering Track Report, TREC-8, 1999.

    Example: grades 1 | 0 0 1 | 0 1, R = 1: recip_rank 0.6111, recip_rank_2 0.5000.
    """
    first = segments.first(ranked.relevant_rank, ranked.relevant_owner, ranked.size, missing=0)
    return segments.ratio(1.0, first)


# The F measure


@of_chances(
    "F",
    at_ranks=True,
    standard="F",
    over=Cutoffs(*CUTOFFS),
    options={"beta": RealParameter(1.0, 0.0, 1e6)},
    also=("ranx f1@k",),
    bounds="search",
)
def f_measure(ranked: Ranked, chances: Chances, k: int, beta: float) -> Terms:
    """Weighted harmonic mean of the precision and the recall of the first k results.

    F_k = (1 + beta²) · P · R' / (beta² · P + R') with P = r_k / k and R' = r_k / R, which is
    (1 + beta²) · r_k / (beta² · R + k); 0 when nothing relevant stands among the first k.

    With fewer than k results the missing ones count as not relevant: precision is divided by k. A query
    without relevant documents has 0.

    Parameters: beta, 1 unless given: recall matters beta times as much as precision. Above 1 it leans to
    recall, below 1 to precision, and with 0 it is precision.

    Elsewhere: ranx calls it f1. What it calls f1 without a cutoff is set_F, where precision is divided by
    the number of results.

    Source: C. J. van Rijsbergen, Information Retrieval, Butterworths, 1979.

    Example: grades 1 1 0 1, R = 5: F_4 0.6667, F_10 0.4000, F_4,beta=2 0.6250, F_4,beta=0.5 0.7143.
    """
    # With P = r / k and R' = r / R the harmonic mean is linear in r.
    divisor = beta * beta * ranked.relevant_total + k
    counted = chances(k)[ranked.relevant]
    return Terms(ranked.relevant_owner, ranked.relevant_rank, counted, divisor, times=1.0 + beta * beta)


# Interpolated precision


TENTHS = (0.0, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 1.0)


@measure(
    "iprec_at_recall",
    at_ranks=True,
    standard="IPrec",
    bounds="search",
    over=Levels(*TENTHS),
    options={"rule": WordParameter("trec_eval", "nist")},
)
def interpolated_precision(ranked: Ranked, recall: float, rule: str = "trec_eval") -> Floats:
    """Highest precision at any rank with the given share of the relevant documents, rounded to whole ones, or more.

    iprec_at_recall_c = the highest of r_i / i over the ranks i of the k-th and every later relevant
    document, where k is c · R rounded to the nearest whole number, half upwards, and at least 1. It never
    increases with c. Version 9.0.8 of trec_eval rounds otherwise, k = c · R + 0.9 cut to a whole number,
    which --compat 9.0.8 reproduces.

    Option rule: with nist, k is c · R rounded up, the least k for which k / R is at least c. This is how TREC explains
    its curve. Version 9.0.8 has the same k, unless c · R is inexact or its fraction is above 0 and below 0.1.

    The value is 0 when fewer than k relevant documents are retrieved, and so without results or without
    relevant documents.

    Source: Chris Buckley and Ellen Voorhees, Retrieval System Evaluation, in TREC: Experiment and
    Evaluation in Information Retrieval, MIT Press, 2005.

    Example: grades 0 1 1 0, R = 4: iprec_at_recall_0.00 0.6667, iprec_at_recall_0.50 0.6667,
    iprec_at_recall_0.70 0.0000.
    """
    reached, place = _first_that_counts(ranked, recall, rule)
    value = np.zeros(ranked.size)
    value[reached] = ranked.once(_highest_ahead)[place]
    return value


def _first_that_counts(ranked: Ranked, recall: float, rule: str) -> tuple[Bools, Ints]:
    """Return the queries that reach a recall, and the place of their k-th relevant document among all of these."""
    with np.errstate(over="ignore"):
        exact = recall * ranked.relevant_total.astype(np.float64)
    if rule == "nist":
        wanted = _least(exact, recall, ranked.relevant_total)
    else:
        wanted = np.trunc(exact + 0.9) if ranked.settings.single_precision else _rounded(exact)
    reached = (ranked.relevant_retrieved > 0) & (wanted <= ranked.relevant_retrieved)
    first = segments.starts(ranked.relevant_retrieved)[reached]
    return reached, first + np.maximum(wanted[reached], 1).astype(np.int64) - 1


def deciding_ranks(ranked: Ranked, recall: float, rule: str = "trec_eval") -> tuple[int, int] | None:
    """Return the rank from which precision counts at a recall, and the rank from there with the highest precision.

    It is for a single query; None where it does not reach the recall.
    """
    _, place = _first_that_counts(ranked, recall, rule)
    if not len(place):
        return None
    first = int(place[0])
    best = first + int(ranked.relevant_precision[first:].argmax())
    return int(ranked.relevant_rank[first]), int(ranked.relevant_rank[best])


@measure(
    "11pt_avg",
    at_ranks=True,
    standard="IPrecAvg",
    bounds="search",
    over=Numbers(*TENTHS, key="points"),
    options={"rule": WordParameter("trec_eval", "nist")},
)
def eleven_point_average(ranked: Ranked, points: tuple[float, ...], rule: str = "trec_eval") -> Floats:
    """Interpolated precision averaged over eleven points of recall, by trec_eval's rounding: textbooks' is rule=nist.

    11pt_avg = the mean of iprec_at_recall at recall 0.0, 0.1, … 1.0. Recall c is reached with c · R relevant documents,
    rounded to the nearest whole number. In textbooks and in TREC's curve it is reached where recall is c or more, which
    is 11pt_avg_rule=nist: with R = 8, relevant documents at ranks 1 2 9 11 15 20 give 0.5146 here and 0.4295 there.

    Parameter: other points of recall, in any order and number; the average is over all of them.

    Option rule: nist takes the points as TREC explains its curve, as for iprec_at_recall.

    A query without results or without relevant documents has 0.

    Example: grades 0 1 1 0, R = 4: 11pt_avg 0.4242, 11pt_avg_0,0.5,1 0.4444,
    11pt_avg_0.6,rule=nist 0.0000.
    """
    value = np.zeros(ranked.size)
    # trec_eval meets the highest recall first, and the order of additions decides the last bit.
    for point in reversed(points):
        value += interpolated_precision(ranked, point, rule)
    return value / len(points)


def _highest_ahead(ranked: Ranked) -> Floats:
    return segments.highest_ahead(ranked.relevant_precision, ranked.relevant_owner, ranked.size)


def _least(exact: Floats, recall: float, total: Ints) -> Floats:
    """The least whole number k with k / `total` of at least `recall`, `exact` being their product but for rounding."""
    least = np.ceil(exact)
    # 7 / 100 is the float that 0.07 is, while 0.07 · 100 is more than 7.
    least -= segments.ratio(least - 1, total) >= recall
    return least + (segments.ratio(least, total) < recall)


def _rounded(values: Floats) -> Floats:
    """The nearest whole number, half away from zero."""
    whole = np.trunc(values)
    with np.errstate(invalid="ignore"):
        return whole + np.copysign(np.abs(values - whole) >= 0.5, values)
