"""Precision and recall at ranks: how much of the top is relevant, and how much of the relevant is there."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from irev import segments
from irev.measures.measure import Terms, measure
from irev.measures.parameters import Cutoffs, Levels
from irev.ranked import Ranked
from irev.segments import Floats, Ints

CUTOFFS = (5, 10, 15, 20, 30, 100, 200, 500, 1000)


def _relevant(ranked: Ranked, depth: int | Ints, over: npt.NDArray[Any] | float) -> Terms:
    """r_k / `over` at k = `depth`: one term, 1, for each relevant hit within the depth."""
    limit = depth if isinstance(depth, int) else depth[ranked.relevant_owner]
    within = ranked.relevant_rank <= limit
    owner, rank = ranked.relevant_owner[within], ranked.relevant_rank[within]
    return Terms(owner, rank, np.ones(len(rank)), over)


@measure("P", over=Cutoffs(*CUTOFFS))
def precision(ranked: Ranked, k: int) -> Terms:
    """Share of the first k results that are relevant.

    P_k = r_k / k, where r_k is the number of relevant documents among the first k.

    A query with fewer than k results counts the missing ones as not relevant: the divisor stays k.
    Documents without a judgment count as not relevant.

    Source: Chris Buckley and Ellen Voorhees, Retrieval System Evaluation, in TREC: Experiment and
    Evaluation in Information Retrieval, MIT Press, 2005.

    Example: grades 1 0 1 0 1, R = 3: P_3 0.6667, P_4 0.5000, P_5 0.6000, P_10 0.3000.
    """
    return _relevant(ranked, k, k)


@measure("recall", over=Cutoffs(*CUTOFFS))
def recall(ranked: Ranked, k: int) -> Terms:
    """Share of all relevant documents that stand among the first k results.

    recall_k = r_k / R, where r_k is the number of relevant documents among the first k and R the number of
    relevant documents in the judgments.

    A query with fewer than k results is judged by what it has. A query without relevant documents has 0.

    Example: grades 1 0 1 1 0, R = 4: recall_5 0.7500, recall_1 0.2500.
    """
    return _relevant(ranked, k, ranked.relevant_total)


@measure("relative_P", over=Cutoffs(*CUTOFFS))
def relative_precision(ranked: Ranked, k: int) -> Terms:
    """Precision at k as a share of the best that any ranking could reach there.

    relative_P_k = r_k / min(k, R). Elsewhere known as R-cap or capped recall: with fewer than k relevant
    documents it is recall, otherwise precision, so a perfect ranking has 1 at every cutoff.

    A query without relevant documents has 0.

    Example: grades 1 0 1 0, R = 3: relative_P_2 0.5000, relative_P_4 0.6667.
    """
    return _relevant(ranked, k, np.minimum(k, ranked.relevant_total))


@measure("success", over=Cutoffs(1, 5, 10))
def success(ranked: Ranked, k: int) -> Floats:
    """Whether a relevant document stands among the first k results: 1 or 0.

    Its average is the share of queries that found something; elsewhere known as hit rate, and in question
    answering at times as recall at k, which it is not.

    A query without relevant documents has 0.

    Example: grades 0 0 1, R = 4: success_1 0.0000, success_5 1.0000.
    """
    return (ranked.relevant_within(k) > 0).astype(np.float64)


@measure("Rprec")
def r_precision(ranked: Ranked) -> Terms:
    """Precision at rank R, the number of relevant documents.

    Rprec = r_R / R. At that rank precision and recall coincide, and a perfect ranking has 1 for every
    query, however many relevant documents the query has.

    With fewer than R results the missing ones count as not relevant. A query without relevant documents has
    0.

    Source: Chris Buckley and Ellen Voorhees, Retrieval System Evaluation, in TREC: Experiment and
    Evaluation in Information Retrieval, MIT Press, 2005.

    Example: grades 1 0 1 1, R = 3: Rprec 0.6667.
    """
    return _relevant(ranked, ranked.relevant_total, ranked.relevant_total)


@measure("Rprec_mult", over=Levels(0.2, 0.4, 0.6, 0.8, 1.0, 1.2, 1.4, 1.6, 1.8, 2.0))
def r_precision_at_multiples(ranked: Ranked, multiple: float) -> Terms:
    """Precision at a multiple of R, the number of relevant documents.

    Rprec_mult_c = r_k / k with k = c · R + 0.9 cut to a whole number. Low multiples show how precise the
    top is, high ones how much is found in the end, at comparable places for every query.

    With fewer than k results the missing ones count as not relevant. The value is 0 where k is 0 or less,
    and so for a query without relevant documents.

    Example: grades 1 0 1 1, R = 3: Rprec_mult_0.20 1.0000, Rprec_mult_1.00 0.6667, Rprec_mult_2.00 0.5000.
    """
    depth = np.clip(np.trunc(multiple * ranked.relevant_total + 0.9), 0, 2.0**62)
    return _relevant(ranked, depth.astype(np.int64), depth)


@measure("recip_rank")
def reciprocal_rank(ranked: Ranked) -> Floats:
    """One over the rank of the first relevant document.

    recip_rank = 1 / (rank of the first relevant document), and 0 when none is retrieved. Its average over
    queries is the mean reciprocal rank, MRR. There is no cutoff: a document at rank 500 still earns 0.002.

    Source: Ellen Voorhees, The TREC-8 Question Answering Track Report, TREC-8, 1999.

    Example: grades 1 | 0 0 1 | 0 1, R = 1: recip_rank 0.6111.
    """
    first = segments.first(ranked.relevant_rank, ranked.relevant_owner, ranked.size, missing=0)
    return segments.ratio(1.0, first)
