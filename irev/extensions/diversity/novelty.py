"""Novelty: what a result adds to the results above it, for a reader with one of several subtopics in mind.

A document is relevant to a subtopic when its grade for that reaches the relevance level. The subtopics of a topic are
those with a relevant document, retrieved or not, and all count alike; grades above the level count no more than it.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from functools import partial

import numpy as np

from irev.base import segments
from irev.base.errors import UsageError, decimal
from irev.base.segments import Floats, Ints
from irev.extensions.diversity import subtopics
from irev.extensions.diversity.files import KIND
from irev.extensions.diversity.subtopics import expected_novelty, novelty, number
from irev.measures.expected_over_ties import linear_in
from irev.measures.measure import Terms
from irev.measures.parameters import Cutoffs, Option, RealParameter, WordParameter
from irev.ranking.ranked import Ranked

CUTOFFS = (5, 10, 20)
"""Those of ndeval."""

ALPHA: dict[str, Option] = {"alpha": RealParameter(0.5, 0.0, 1.0)}
NORM: dict[str, Option] = {"norm": WordParameter("perfect", "none")}
IDEAL: dict[str, Option] = {"ideal": WordParameter("greedy", "exact")}
BETA: dict[str, Option] = {"beta": RealParameter(0.5, 0.0, 1.0)}

_MOST_RANKS = 10**6
"""So many ranks of a perfect ranking are added up; with the usual alpha 66 are all that count."""

Discount = Callable[[int], Floats]
"""The weights of so many ranks, from 1 on."""


def _by_logarithm(ranks: int) -> Floats:
    return 1.0 / segments.log2(np.arange(2, ranks + 2))


def _by_rank(ranks: int) -> Floats:
    return 1.0 / np.arange(1, ranks + 1)


def _by_patience(beta: float) -> Discount:
    def weights(ranks: int) -> Floats:
        factors = np.full(ranks, beta)
        factors[:1] = 1.0
        return np.cumprod(factors)

    return weights


def _sum(
    ranked: Ranked, k: int | None, alpha: float, discount: Discount, over: Floats | Ints | float, times: float = 1.0
) -> Terms:
    """Novelty times the weights of the ranks up to k."""
    value = ranked.once(novelty, alpha)
    near = value > 0
    if k is not None:
        near &= ranked.rank <= k
    rank = ranked.rank[near]
    weights = discount(int(rank.max(initial=0)))
    return Terms(ranked.owner[near], rank, value[near] * weights[rank - 1], over, times)


def _expected(
    ranked: Ranked, k: int | None, alpha: float, discount: Discount, over: Floats | Ints | float, times: float = 1.0
) -> Terms:
    """The same on average over the orders of ties."""
    weights = discount(ranked.last_rank)
    for cut in (k, ranked.settings.depth):
        if cut is not None:
            weights[cut:] = 0.0
    owner, first, values = expected_novelty(ranked, alpha, weights)
    return Terms(owner, first, values, over, times)


Sum = Callable[..., Terms]
"""``novel(k, alpha, discount, over, times)``: `_sum` or `_expected` of some rankings."""

_of_novelty = linear_in(lambda ranked: partial(_sum, ranked), lambda ranked: partial(_expected, ranked))


def _perfect(ranked: Ranked, k: int, alpha: float, discount: Discount) -> Floats:
    """(q,) What a ranking has of which each document is relevant to every subtopic."""
    subtopics = ranked.once(number)
    found = np.zeros(ranked.size)
    for n in segments.distinct(subtopics).tolist():
        # Beyond these ranks nothing is left that would change the sum.
        left = 1.0 - alpha  # which is 1 where alpha is too small for a double
        ranks = k if left == 1.0 else 2 if left == 0.0 else min(k, int(-64 / math.log2(left)) + 2)
        if ranks > _MOST_RANKS:
            raise UsageError(
                f"{ranks} ranks are too many for the ideal ranking with alpha={decimal(alpha)}",
                remedy="use norm=none, which does not divide by the ideal",
            )
        gain = np.full(min(k, ranks), left)
        gain[0] = n
        found[subtopics == n] = np.cumsum(np.cumprod(gain) * discount(len(gain)))[-1]
    return found


def _ideal(ranked: Ranked, k: int, alpha: float, discount: Discount, ideal: str) -> Floats:
    """(q,) What the ideal ranking has, in its first k ranks."""
    if ideal == "exact":
        return subtopics.exact(ranked, alpha, discount(min(k, len(ranked.judged_owner))))
    documents = int(segments.count(ranked.judged_owner, ranked.size).max(initial=0))
    depth = min(max(k, 20), documents)  # which the usual cutoffs share
    return ranked.once(subtopics.greedy, alpha, depth).total(discount(min(k, depth)), ranked.size)


# By the logarithm of the rank


@_of_novelty(
    "alpha_dcg",
    of=KIND,
    standard="alpha-DCG",
    over=Cutoffs(*CUTOFFS),
    options={**ALPHA, **NORM},
    also=("ir_measures alpha_DCG@k", "ir_measures α_DCG@k"),
)
def alpha_dcg(ranked: Ranked, novel: Sum, k: int, alpha: float, norm: str) -> Terms:
    """Novelty-biased discounted cumulative gain of the first k results.

    alpha_dcg_k = (sum over the ranks i ≤ k of G_i / log2(i + 1)) / P_k. G_i, the novelty of a result, is the sum of
    (1 - alpha)^c over the subtopics that it is relevant to, where c is the number of results above it that are
    relevant to the same one. P_k is the same sum for a ranking of which each document is relevant to every
    subtopic.

    Parameters: alpha, how much a subtopic that was met is worth less, from 0, nothing, to 1, all of it; 0.5 unless
    given. norm=none: the sum itself, which is not divided. And a relevance level, rel=2.

    Documents without a judgment add nothing, and neither do results behind the last. Subtopics that no document is
    relevant to are left out. A query without subtopics has 0. P_k depends on the number of subtopics, not on which
    documents there are, so that few rankings come near 1; alpha_ndcg divides by what these documents can reach.

    Elsewhere: ndeval, and so ir_measures, does not divide at cutoff 1 and has no cutoff above 20. The paper does
    not divide at all, which is norm=none.

    Source: Charles L. A. Clarke et al., Novelty and diversity in information retrieval evaluation, SIGIR 2008; the
    divisor is that of Charles L. A. Clarke, Nick Craswell, Ian Soboroff and Azin Ashkan, A comparative analysis of
    cascade measures for novelty and diversity, WSDM 2011.

    Example: subtopics 1,2 1 - 3, not retrieved 2: alpha_dcg_1 0.6667, alpha_dcg_4 0.6126, alpha_dcg_4,norm=none
    2.7461, alpha_dcg_4,alpha=0,norm=none 3.0616.
    """
    over = 1.0 if norm == "none" else _perfect(ranked, k, alpha, _by_logarithm)
    return novel(k, alpha, _by_logarithm, over)


@_of_novelty(
    "alpha_ndcg",
    of=KIND,
    standard="alpha-nDCG",
    over=Cutoffs(*CUTOFFS),
    options={**ALPHA, **IDEAL},
    also=("ir_measures alpha_nDCG@k", "ir_measures α_nDCG@k"),
)
def alpha_ndcg(ranked: Ranked, novel: Sum, k: int, alpha: float, ideal: str) -> Terms:
    """Novelty-biased discounted cumulative gain of the first k results as a share of that of the ideal ranking.

    alpha_ndcg_k = D_k / I_k with D_k = sum over the ranks i ≤ k of G_i / log2(i + 1) and I_k the same for the ideal
    ranking of all judged documents. G_i is the sum of (1 - alpha)^c over the subtopics that a result is relevant to,
    where c is the number of results above it that are relevant to the same one.

    Parameters: alpha, as for alpha_dcg. ideal=exact: the ideal is the best ranking there is. That takes long to
    find, and where too long, it is an error. Unless asked for, the ideal is greedy: at each rank the document that
    adds most, of several the one with the highest id. A ranking can be better than that, so that the value exceeds
    1.

    Documents without a judgment add nothing. A query without subtopics has 0.

    Elsewhere: ndeval, and so ir_measures, has the greedy ideal and no cutoff above 20. The paper leaves open how
    the ideal is found.

    Source: Charles L. A. Clarke et al., Novelty and diversity in information retrieval evaluation, SIGIR 2008.

    Example: subtopics 1,2 1 - 3, not retrieved 2: alpha_ndcg_1 1.0000, alpha_ndcg_4 0.8869,
    alpha_ndcg_4,ideal=exact 0.8869, alpha_ndcg_4,alpha=0 0.8596.
    """
    return novel(k, alpha, _by_logarithm, _ideal(ranked, k, alpha, _by_logarithm, ideal))


# By the rank


@_of_novelty(
    "err_ia",
    of=KIND,
    standard="ERR-IA",
    over=Cutoffs(*CUTOFFS),
    options={**ALPHA, **NORM},
    also=("ir_measures ERR_IA@k",),
)
def err_ia(ranked: Ranked, novel: Sum, k: int, alpha: float, norm: str) -> Terms:
    """Intent-aware expected reciprocal rank of the first k results: readers stop at what satisfies them.

    err_ia_k = (sum over the ranks i ≤ k of G_i / i) / P_k. G_i is the sum of (1 - alpha)^c over the subtopics that
    a result is relevant to, where c is the number of results above it that are relevant to the same one. P_k is the
    same sum for a ranking of which each document is relevant to every subtopic.

    Parameters: alpha, how likely a relevant document satisfies a reader, 0.5 unless given. norm=none: alpha / S ·
    sum over the ranks i ≤ k of G_i / i, with S the number of subtopics, which is one over the rank at which a
    reader stops, on average over readers and subtopics.

    As P_k grows with k, the value may fall with it; norm=none never does. A query without subtopics has 0.

    Elsewhere: ndeval, and so ir_measures, does not divide at cutoff 1 and has no cutoff above 20. The papers do not
    divide, which is norm=none for the grades 0 and 1, where a relevant document satisfies with a probability of
    0.5.

    Source: Olivier Chapelle, Donald Metzler, Ya Zhang and Pierre Grinspan, Expected Reciprocal Rank for Graded
    Relevance, CIKM 2009; Olivier Chapelle et al., Intent-based diversification of web search results: metrics and
    algorithms, Information Retrieval 14(6), 2011; the divisor is that of Charles L. A. Clarke, Nick Craswell, Ian
    Soboroff and Azin Ashkan, A comparative analysis of cascade measures for novelty and diversity, WSDM 2011.

    Example: subtopics 1,2 1 - 3, not retrieved 2: err_ia_1 0.6667, err_ia_4 0.6107, err_ia_4,norm=none 0.4167.
    """
    if norm == "none":
        return novel(k, alpha, _by_rank, ranked.once(number), alpha)
    return novel(k, alpha, _by_rank, _perfect(ranked, k, alpha, _by_rank))


@_of_novelty(
    "nerr_ia",
    of=KIND,
    standard="nERR-IA",
    over=Cutoffs(*CUTOFFS),
    options={**ALPHA, **IDEAL},
    also=("ir_measures nERR_IA@k",),
)
def nerr_ia(ranked: Ranked, novel: Sum, k: int, alpha: float, ideal: str) -> Terms:
    """Intent-aware expected reciprocal rank of the first k results as a share of that of the ideal ranking.

    nerr_ia_k = E_k / I_k with E_k = sum over the ranks i ≤ k of G_i / i and I_k the same for the ideal ranking of all
    judged documents. G_i is the novelty of a result, as for err_ia.

    Parameters: alpha, as for err_ia, and ideal=exact, as for alpha_ndcg.

    Documents without a judgment add nothing. A query without subtopics has 0.

    Elsewhere: ndeval, and so ir_measures, has the greedy ideal, at each rank the document that adds most, and no
    cutoff above 20.

    Source: Charles L. A. Clarke, Nick Craswell, Ian Soboroff and Azin Ashkan, A comparative analysis of cascade
    measures for novelty and diversity, WSDM 2011.

    Example: subtopics 1,2 1 - 3, not retrieved 2: nerr_ia_1 1.0000, nerr_ia_4 0.8955, nerr_ia_4,ideal=exact 0.8955.
    """
    return novel(k, alpha, _by_rank, _ideal(ranked, k, alpha, _by_rank, ideal))


# By patience


@_of_novelty("nrbp", of=KIND, standard="NRBP", options={**ALPHA, **BETA}, cut="depth")
def nrbp(ranked: Ranked, novel: Sum, alpha: float, beta: float) -> Terms:
    """Novelty- and rank-biased precision: novelty per result seen, for a reader who goes on with probability beta.

    nrbp = (1 - (1 - alpha) · beta) / S · sum over the ranks i of G_i · beta^(i-1), with S the number of subtopics.
    G_i is the sum of (1 - alpha)^c over the subtopics that a result is relevant to, where c is the number of
    results above it that are relevant to the same one.

    Parameters: alpha, how much a subtopic that was met is worth less, and beta, how patient the reader is; both are
    0.5 unless given, and lie between 0 and 1. And a cutoff, nrbp.k=10 or NRBP@10: the first so many results alone.

    A ranking of which each document is relevant to every subtopic would have 1. A query without subtopics has 0.

    Source: Charles L. A. Clarke, Maheedhar Kolla and Olga Vechtomova, An effectiveness measure for ambiguous and
    underspecified queries, ICTIR 2009.

    Example: subtopics 1,2 1 - 3, not retrieved 2: nrbp 0.5938, nrbp_alpha=0 0.4375, nrbp_beta=0.8 0.5824, nrbp_2
    0.5625.
    """
    times = 1.0 - (1.0 - alpha) * beta
    return novel(None, alpha, _by_patience(beta), ranked.once(number), times)


@_of_novelty("nnrbp", of=KIND, standard="nNRBP", options={**ALPHA, **BETA, **IDEAL}, cut="depth")
def nnrbp(ranked: Ranked, novel: Sum, alpha: float, beta: float, ideal: str) -> Terms:
    """Novelty- and rank-biased precision as a share of that of the ideal ranking.

    nnrbp = N / I with N = sum over the ranks i of G_i · beta^(i-1) and I the same for the ideal ranking of all judged
    documents. G_i is the novelty of a result, as for nrbp.

    Parameters: alpha and beta, as for nrbp, and ideal=exact, as for alpha_ndcg. At a cutoff, nnrbp.k=10 or
    nNRBP@10, the ideal is not cut.

    A query without subtopics has 0.

    Elsewhere: ndeval prints nan where no document is relevant to a subtopic, and has the greedy ideal.

    Source: Charles L. A. Clarke, Maheedhar Kolla and Olga Vechtomova, An effectiveness measure for ambiguous and
    underspecified queries, ICTIR 2009.

    Example: subtopics 1,2 1 - 3, not retrieved 2: nnrbp 0.8837, nnrbp_alpha=0 0.9130, nnrbp_ideal=exact 0.8837.
    """
    documents = int(segments.count(ranked.judged_owner, ranked.size).max(initial=0))
    # What stands further down is worth less than a sum of doubles can show.
    ranks = documents if beta == 1.0 else 1 if beta == 0.0 else min(documents, int(-64 / math.log2(beta)) + 2)
    discount = _by_patience(beta)
    return novel(None, alpha, discount, _ideal(ranked, max(ranks, 1), alpha, discount, ideal))
