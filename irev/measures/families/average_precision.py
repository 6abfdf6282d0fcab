"""Average precision: precision at the rank of every relevant document, averaged over all of them."""

from __future__ import annotations

import math

import numpy as np

from irev.base import segments
from irev.base.segments import Floats, Ints, logarithms
from irev.measures.expected_over_ties import divided_ties, expected_relevant, opens_tie
from irev.measures.families.precision import CUTOFFS
from irev.measures.measure import Terms, measure
from irev.measures.parameters import Cutoffs, WordParameter
from irev.ranking.ranked import Ranked

OVER = WordParameter("relevant", "found")
"""What the sum is divided by: all relevant documents, or those among the results."""


def _expected(ranked: Ranked, k: int | None, over: Ints) -> Terms:
    """Expected value when tied documents stand in any order: one term for each tie with relevant documents.

    In a tie of m documents from rank f on, r of them relevant, with c relevant documents above it, each rank j holds a
    relevant document with probability r / m, and then c + 1 + (j - f)(r - 1) / (m - 1) are expected up to it.
    """
    ranked = ranked.at(depth=k)
    depth = ranked.settings.depth or ranked.last_rank
    opens = opens_tie(ranked)
    owner, first = ranked.relevant_owner[opens], ranked.tie_first[ranked.relevant][opens]
    size = ranked.tie_last[ranked.relevant][opens] - first + 1
    above = segments.position(ranked.relevant_owner, ranked.size)[opens]
    relevant = np.diff(np.append(np.flatnonzero(opens), len(opens)))
    harmonic = np.concatenate(([0.0], np.cumsum(1.0 / np.arange(1, ranked.last_rank + 1))))
    seen = np.minimum(first + size - 1, depth) - first + 1
    inverse = harmonic[first + seen - 1] - harmonic[first - 1]
    inverse[size == 1] = 1.0 / first[size == 1]
    pace = segments.ratio(relevant - 1, size - 1)
    values = relevant / size * ((above + 1) * inverse + pace * (seen - first * inverse))
    return Terms(owner, first, values, over)


def _expected_over_found(ranked: Ranked, k: int | None) -> Floats:
    """The same, divided by the relevant documents found, of which a tie that the cut divides has now more, now fewer.

    When j of them stand on the s ranks of that tie before the cut, these are s documents that tie, j of them relevant.
    """
    ranked = ranked.at(depth=k)
    terms = _expected(ranked, None, ranked.relevant_total)
    values = segments.ratio(segments.total(terms.values, terms.owner, ranked.size), expected_relevant(ranked))
    first_ranks = ranked.tie_first[ranked.relevant]
    for tie in divided_ties(ranked):
        begin, end = np.searchsorted(ranked.relevant_owner, (tie.query, tie.query + 1)).tolist()
        above = int(np.count_nonzero(first_ranks[begin:end] < tie.first))
        sure = terms.values[(terms.owner == tie.query) & (terms.rank < tie.first)].sum()
        inverse = (1.0 / np.arange(tie.first, tie.first + tie.inside)).sum()
        found = np.arange(tie.relevant + 1)
        pace = (found - 1) / max(tie.inside - 1, 1)
        sums = found / tie.inside * ((above + 1) * inverse + pace * (tie.inside - tie.first * inverse))
        values[tie.query] = (tie.chances() * segments.ratio(sure + sums, above + found)).sum()
    return values


def _expected_map(ranked: Ranked, over: str = "relevant") -> Terms | Floats:
    return _expected_map_cut(ranked, None, over)


def _expected_map_cut(ranked: Ranked, k: int | None, over: str = "relevant") -> Terms | Floats:
    return _expected_over_found(ranked, k) if over == "found" else _expected(ranked, k, ranked.relevant_total)


def _expected_map_cap(ranked: Ranked, k: int) -> Terms:
    return _expected(ranked, k, np.minimum(ranked.relevant_total, k))


@measure(
    "map",
    at_ranks=True,
    standard="AP",
    options={"over": OVER},
    cut="map_cut",
    also=("ir_measures MAP",),
    expected=_expected_map,
    bounds="search",
    unbounded=("over", ("found",)),
)
def average_precision(ranked: Ranked, over: str = "relevant") -> Terms:
    """Mean average precision.

    map = (sum of r_i / i over the ranks i of relevant documents) / R: precision at every relevant document,
    averaged over all of them, those not retrieved as 0. For one query this is its average precision, AP;
    the line for all queries is the mean.

    A query without relevant documents has 0. Unjudged documents count as not relevant. With a
    cutoff it is map_cut.

    Parameters: over, relevant unless given. over=found divides by the number of relevant documents retrieved, so that
    documents that were missed do not matter.

    Elsewhere: ragas, torchmetrics with top_k, and Haystack 2.20 divide by the relevant documents found: over=found.

    Source: Chris Buckley and Ellen Voorhees, Retrieval System Evaluation, in TREC: Experiment and
    Evaluation in Information Retrieval, MIT Press, 2005. Over ties: Frank McSherry and Marc Najork, Computing
    Information Retrieval Performance Measures Efficiently in the Presence of Tied Scores, ECIR 2008.

    Example: grades 1 0 1 0 1, R = 5: map 0.4533, map_over=found 0.7556.
    """
    divisor = ranked.relevant_retrieved if over == "found" else ranked.relevant_total
    return Terms(ranked.relevant_owner, ranked.relevant_rank, ranked.relevant_precision, divisor, precisions=True)


@measure("gm_map", standard="GMAP", bounds="search", summary="geometric mean", per_query=False)
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
    return logarithms(average_precision(ranked).total(ranked.size))


@measure(
    "map_cut",
    at_ranks=True,
    standard="AP",
    over=Cutoffs(*CUTOFFS),
    options={"over": OVER},
    also=("ir_measures MAP@k", "BEIR MAP@k", "ranx map@k", "MTEB map_at_k"),
    expected=_expected_map_cut,
    bounds="search",
    unbounded=("over", ("found",)),
)
def average_precision_at(ranked: Ranked, k: int, over: str = "relevant") -> Terms:
    """Average precision of the first k results.

    map_cut_k = (sum of r_i / i over the ranks i ≤ k of relevant documents) / R.

    The divisor is R, the number of relevant documents, also where k is smaller: with R > k even a perfect
    ranking stays below 1. A query without relevant documents has 0.

    Parameters: over, relevant unless given. over=found divides by the number of relevant documents among the
    first k results.

    Elsewhere: ir_measures, ranx, BEIR and MTEB divide by R too, under the names AP@k and MAP@k. Programs that
    divide by min(k, R) compute map_cap. torchmetrics with top_k=k divides by the relevant documents found, over=found.

    Example: grades 1 0 1 0 1, R = 3: map_cut_3 0.5556, map_cut_5 0.7556, map_cut_1 0.3333,
    map_cut_3,over=found 0.8333.
    """
    return _cut(ranked, k, ranked.relevant_within(k) if over == "found" else ranked.relevant_total)


@measure(
    "map_cap",
    at_ranks=True,
    standard="AP_cap",
    over=Cutoffs(*CUTOFFS),
    expected=_expected_map_cap,
    bounds="search",
)
def capped_average_precision_at(ranked: Ranked, k: int) -> Terms:
    """Average precision at k, divided by the highest value that any ranking of k results could have.

    map_cap_k = (sum of r_i / i over the ranks i ≤ k of relevant documents) / min(k, R).

    A perfect ranking has 1 at every cutoff, also where R > k. A query without relevant documents has 0.

    Elsewhere: what many call MAP@k. The programs that evaluate runs divide by R under that name, which is
    map_cut.

    Example: grades 1 0 1 0 1, R = 3: map_cap_1 1.0000, map_cap_2 0.5000, map_cap_5 0.7556.
    """
    return _cut(ranked, k, np.minimum(k, ranked.relevant_total))


def _cut(ranked: Ranked, k: int, over: Ints) -> Terms:
    within = ranked.relevant_rank <= k
    return Terms(
        ranked.relevant_owner[within],
        ranked.relevant_rank[within],
        ranked.relevant_precision[within],
        over,
        precisions=True,
    )


@measure("yaap", beyond_one=True, at_ranks=True, standard="YAAP", bounds="search")
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
