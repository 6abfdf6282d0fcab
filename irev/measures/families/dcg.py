"""Cumulative gain, plain and discounted, and the shares that they are of the ideal.

All of them take the gain of a document and the discount of a rank in the same ways, which `irev.measures.gains` has.
The values on average over ties are exact: such a sum is linear in the gain that stands at each rank.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np

from irev.base import segments
from irev.base.segments import Floats, Ints
from irev.measures.families.precision import CUTOFFS
from irev.measures.gains import (
    DISCOUNT,
    GAIN,
    Gained,
    Given,
    Scale,
    both,
    discounted_over_ties,
    gain_despite_ties,
    ideal,
    retrieved,
)
from irev.measures.measure import MadeOf, Terms, measure
from irev.measures.parameters import Cutoffs, Mapping, Option, Pairs
from irev.ranking.ranked import Ranked

_GAINS: dict[str, Option] = {**GAIN, "gains": Mapping()}
"""Gains where pairs of grade and gain are not the parameter."""


# Without a cutoff


def _expected_dcg(ranked: Ranked, pairs: Given, **scale: Any) -> Terms:
    return Terms(ranked.owner, ranked.rank, discounted_over_ties(ranked, pairs, Scale(**scale)))


@measure(
    "dcg",
    beyond_one=True,
    standard="DCG",
    over=Pairs(),
    options={**GAIN, **DISCOUNT},
    cut="dcg_cut",
    graded=True,
    new_in_10=True,
    also=("ranx dcg_burges gain=exp", "textbook dcg_jk discount=jarvelin2002"),
    expected=_expected_dcg,
    bounds="rising",
)
def dcg(ranked: Ranked, pairs: Given, **scale: Any) -> Terms:
    """Discounted cumulative gain of all results.

    dcg = sum over the ranks i of gain_i / log2(i + 1). The gain of a document is its grade. Grades 3 2 3:
    3 / log2(2) + 2 / log2(3) + 3 / log2(4) = 5.7619.

    Many textbooks, and the paper that introduced it, have another discount: gain_1 + sum over the ranks i ≥
    2 of gain_i / log2(i), so that rank 2 counts as much as rank 1. That is discount=jarvelin2002: for the
    same grades 3 + 2 / log2(2) + 3 / log2(3) = 6.8928.

    Parameters: other gains for some grades, dcg.1=3,2=9; they may be 0 or negative. The grade -1 stands for
    documents without a judgment and -2 for those judged with a negative grade, which otherwise have no
    gain. gain=exp: the gain of grade g is 2^g - 1, for grades up to 1000; gains given by pairs stay as given.
    discount=jarvelin2002, or jk: gains at ranks i < b count in full, those from rank b on are divided by
    log_b(i), where b is base=2 or any number above 1; the larger it is, the more patient the reader.
    discount=zipf: the gain at rank i is divided by i. Where --gains gives a gain to every grade, that
    stands in for the grade.

    The relevance level (-l) plays no part, unless rel=2 is asked for: then grades below 2 count as 0. A
    query without results has 0. At a cutoff it is dcg_cut.

    Elsewhere: the discount log2(i + 1) of trec_eval, ranx and most others, and the gain 2^g - 1, are usual
    since Burges et al.; ranx has the latter as dcg_burges.

    Source: Kalervo Järvelin and Jaana Kekäläinen, Cumulated gain-based evaluation of IR techniques, ACM
    Transactions on Information Systems 20(4), 2002; Chris Burges et al., Learning to rank using gradient
    descent, ICML 2005. Over ties: Frank McSherry and Marc Najork, Computing information retrieval
    performance measures efficiently in the presence of tied scores, ECIR 2008.

    Example: grades 3 2 1 2 3: dcg 6.7838, dcg_3=7 12.3312, dcg_gain=exp 13.3928,
    dcg_discount=jarvelin2002 7.9230, dcg_discount=jarvelin2002,base=10 11.0000, dcg_discount=zipf 5.4333.
    """
    run = ranked.once(retrieved, pairs, Scale(**scale))
    return Terms(run.owner, run.rank, run.discounted, made_of=MadeOf(run))


def _ideal(ranked: Ranked, pairs: Given, **scale: Any) -> Floats:
    return ranked.once(ideal, pairs, Scale(**scale)).total


@measure(
    "ideal_dcg",
    beyond_one=True,
    better="neither",
    standard="IDCG",
    over=Pairs(),
    options={**GAIN, **DISCOUNT},
    cut="ideal_dcg_cut",
    graded=True,
    new_in_10=True,
    expected=_ideal,
    bounds="rising",
)
def ideal_dcg(ranked: Ranked, pairs: Given, **scale: Any) -> Floats:
    """Discounted cumulative gain of the best ranking that the judgments allow.

    ideal_dcg = sum over j of I_j / log2(j + 1), where I_1 ≥ I_2 ≥ … are the positive gains of all judged
    documents.

    Parameters: other gains for some grades, gain, discount and base, as for dcg. The results play no part,
    nor does the relevance level (-l). A query without positive grades has 0. At a cutoff it is
    ideal_dcg_cut.

    Example: grades 3 2 1 2, not retrieved 3: ideal_dcg 7.1410, ideal_dcg_gain=exp 14.5954,
    ideal_dcg_discount=jarvelin2002 8.6925.
    """
    return _ideal(ranked, pairs, **scale)


def _expected_ndcg(ranked: Ranked, pairs: Given, **scale: Any) -> Terms:
    return replace(_expected_dcg(ranked, pairs, **scale), over=_ideal(ranked, pairs, **scale))


@measure(
    "ndcg",
    standard="nDCG",
    over=Pairs(),
    options={**GAIN, **DISCOUNT},
    cut="ndcg_cut",
    graded=True,
    also=("ir_measures NDCG", "ranx ndcg_burges gain=exp"),
    expected=_expected_ndcg,
    bounds="share",
)
def ndcg(ranked: Ranked, pairs: Given, **scale: Any) -> Terms:
    """Discounted cumulative gain of all results as a share of the ideal.

    ndcg = dcg / ideal_dcg with dcg = sum over the ranks i of gain_i / log2(i + 1) and ideal_dcg the same sum for
    all judged documents in their best order, however few documents were retrieved. The gain of a document
    is its grade.

    Parameters: other gains for some grades, ndcg.1=3,2=9; they may be 0 or negative. The grade -1 stands
    for documents without a judgment and -2 for those judged with a negative grade, which otherwise have no
    gain. gain=exp: the gain of grade g is 2^g - 1, for grades up to 1000; gains given by pairs stay as given.
    discount=jarvelin2002, or jk: gains at ranks i < b count in full, those from rank b on are divided by
    log_b(i), where b is base=2 or any number above 1. discount=zipf: the gain at rank i is divided by i.
    The ideal has the same gains and the same discount.

    The relevance level (-l) plays no part, unless rel=2 is asked for: then grades below 2 count as 0. A
    query without a positive gain in the judgments has 0. At a cutoff it is ndcg_cut.

    Elsewhere: nDCG in ir_measures, where gain=exp is dcg='exp-log2', and ndcg and ndcg_burges in ranx, with
    these numbers. trec_eval compares the gains of its pairs as whole numbers, so that a perfect ranking has
    0 for 1=0.1,2=0.5,3=0.9; here it has 1.

    Source: Kalervo Järvelin and Jaana Kekäläinen, Cumulated gain-based evaluation of IR techniques, ACM
    Transactions on Information Systems 20(4), 2002, whose discount is jarvelin2002; Chris Burges et al.,
    Learning to rank using gradient descent, ICML 2005, for the gain 2^g - 1. Over ties: Frank McSherry and
    Marc Najork, Computing information retrieval performance measures efficiently in the presence of tied
    scores, ECIR 2008.

    Example: grades 3 2 1 2 3: ndcg 0.9500, ndcg_3=7 0.9024, ndcg_gain=exp 0.9176,
    ndcg_discount=jarvelin2002 0.9115, ndcg_discount=zipf 0.9261.
    """
    run, best = both(ranked, pairs, Scale(**scale))
    return Terms(run.owner, run.rank, run.discounted, best.total, made_of=MadeOf(run, best))


# At a cutoff


def _expected_dcg_at(ranked: Ranked, k: int, gains: Given, **scale: Any) -> Terms:
    return _expected_dcg(ranked.at(depth=k), gains, **scale)


@measure(
    "dcg_cut",
    beyond_one=True,
    standard="DCG",
    over=Cutoffs(*CUTOFFS),
    options={**_GAINS, **DISCOUNT},
    graded=True,
    also=("ranx dcg@k", "ranx dcg_burges@k gain=exp", "textbook dcg_jk@k discount=jarvelin2002"),
    expected=_expected_dcg_at,
    bounds="rising",
)
def dcg_at(ranked: Ranked, k: int, gains: Given, **scale: Any) -> Terms:
    """Discounted cumulative gain of the first k results.

    dcg_cut_k = sum over the ranks i ≤ k of gain_i / log2(i + 1). The gain of a document is its grade. It
    has no upper limit, and is for comparisons over the same queries; ndcg_cut is between 0 and 1. Grades 3
    2 3: 3 / log2(2) + 2 / log2(3) + 3 / log2(4) = 5.7619.

    Many textbooks have gain_1 + sum over the ranks 2 ≤ i ≤ k of gain_i / log2(i). That is
    discount=jarvelin2002: for the same grades 3 + 2 / log2(2) + 3 / log2(3) = 6.8928.

    Parameters: gain, discount and base, as for dcg, and gains={1:3,2:9}, other gains for some grades, which
    stand beside each other in dcg.

    Documents without a judgment, or with a negative grade, add nothing unless gains has the grade -1 or -2.
    The relevance level (-l) plays no part. With fewer than k results it is that of all of them.

    Elsewhere: DCG@k of many papers is dcg_cut_k,gain=exp, which ranx calls dcg_burges@k. Its own
    documentation has 2^(g - 1) for that gain; its numbers, like these, are those of 2^g - 1.

    Source: Kalervo Järvelin and Jaana Kekäläinen, Cumulated gain-based evaluation of IR techniques, ACM
    Transactions on Information Systems 20(4), 2002, whose discount is jarvelin2002. Over ties: Frank McSherry and
    Marc Najork, Computing information retrieval performance measures efficiently in the presence of tied
    scores, ECIR 2008.

    Example: grades 3 2 3 0 0 1 2 2 3 0: dcg_cut_3 5.7619, dcg_cut_3,gain=exp 12.3928,
    dcg_cut_2,discount=jarvelin2002 5.0000, dcg_cut_3,discount=jarvelin2002 6.8928,
    dcg_cut_10,discount=jarvelin2002 9.6051, dcg_cut_10,discount=jarvelin2002,base=3 12.2989,
    dcg_cut_3,discount=zipf 5.0000, dcg_cut_3,gains=2:9 10.1784.
    """
    return _near(ranked, k, gains, Scale(**scale))


def _near(
    ranked: Ranked, k: int, gains: Given, scale: Scale, over: Floats | float = 1.0, best: Gained | None = None
) -> Terms:
    run = ranked.once(retrieved, gains, scale)
    near = run.rank <= k
    return Terms(run.owner[near], run.rank[near], run.discounted[near], over, made_of=MadeOf(run, best, k))


def _ideal_at(ranked: Ranked, k: int, gains: Given, **scale: Any) -> Floats:
    best = ranked.once(ideal, gains, Scale(**scale))
    top = best.rank <= k
    return segments.total(best.discounted[top], best.owner[top], ranked.size)


@measure(
    "ideal_dcg_cut",
    beyond_one=True,
    better="neither",
    standard="IDCG",
    over=Cutoffs(*CUTOFFS),
    options={**_GAINS, **DISCOUNT},
    graded=True,
    expected=_ideal_at,
    bounds="rising",
)
def ideal_dcg_at(ranked: Ranked, k: int, gains: Given, **scale: Any) -> Floats:
    """Highest discounted cumulative gain that any ranking could have at rank k.

    ideal_dcg_cut_k = sum over j ≤ k of I_j / log2(j + 1), where I_1 ≥ I_2 ≥ … are the positive gains of all
    judged documents. It is what ndcg_cut divides by.

    Parameters: gain, gains, discount and base, as for dcg_cut. The results play no part, nor does the
    relevance level (-l). A query without positive grades has 0.

    Source: Kalervo Järvelin and Jaana Kekäläinen, Cumulated gain-based evaluation of IR techniques, ACM
    Transactions on Information Systems 20(4), 2002, whose discount is jarvelin2002.

    Example: grades 3 2, not retrieved 3: ideal_dcg_cut_2 4.8928, ideal_dcg_cut_3 5.8928,
    ideal_dcg_cut_3,gain=exp 12.9165, ideal_dcg_cut_3,discount=jarvelin2002 7.2619.
    """
    return _ideal_at(ranked, k, gains, **scale)


def _expected_ndcg_at(ranked: Ranked, k: int, gains: Given, **scale: Any) -> Terms:
    return replace(_expected_dcg_at(ranked, k, gains, **scale), over=_ideal_at(ranked, k, gains, **scale))


@measure(
    "ndcg_cut",
    standard="nDCG",
    over=Cutoffs(*CUTOFFS),
    options={**_GAINS, **DISCOUNT},
    graded=True,
    also=("BEIR NDCG@k", "ranx ndcg@k", "ranx ndcg_burges@k gain=exp", "MTEB ndcg_at_k"),
    expected=_expected_ndcg_at,
    bounds="share",
)
def ndcg_at(ranked: Ranked, k: int, gains: Given, **scale: Any) -> Terms:
    """Discounted cumulative gain of the first k results as a share of the ideal, also at k.

    ndcg_cut_k = (sum over the ranks i ≤ k of g_i / log2(i + 1)) / (the same sum of the k highest judged
    grades). This is what is commonly written nDCG@k, with grades as gains.

    Parameters: gain, discount and base, as for ndcg, and gains={1:3,2:9}, other gains for some grades, which
    stand beside each other in ndcg. The ideal has the same gains and the same discount.

    Documents without a judgment, or with a negative grade, add nothing unless gains has the grade -1 or -2.
    The relevance level (-l) plays no part, unless rel=2 is asked for: then grades below 2 count as 0. With
    fewer than k results the ideal is still taken at k. A query without positive grades has 0.

    Elsewhere: nDCG@k in ir_measures, NDCG@k in BEIR, ndcg_at_k in MTEB and ndcg@k in ranx, with these
    numbers; ranx -l2 is rel=2. The gain 2^g - 1, gain=exp, is ndcg_burges@k in ranx and dcg='exp-log2' in
    ir_measures, which leaves it to gdeval: that gives 5 decimals, and takes the natural logarithm, which
    makes no difference to a share. nDCG(gains={1:3})@k of ir_measures can come out as 0 when nDCG@k is
    asked for together with it. Libraries whose ideal is made of the retrieved documents alone give more.

    Source: Kalervo Järvelin and Jaana Kekäläinen, Cumulated gain-based evaluation of IR techniques, ACM
    Transactions on Information Systems 20(4), 2002, whose discount is jarvelin2002; Chris Burges et al.,
    Learning to rank using gradient descent, ICML 2005, for the gain 2^g - 1. Over ties: Frank McSherry and
    Marc Najork, Computing information retrieval performance measures efficiently in the presence of tied
    scores, ECIR 2008.

    Example: grades 0 3 2 0, not retrieved 3: ndcg_cut_1 0.0000, ndcg_cut_2 0.3869, ndcg_cut_5 0.4909,
    ndcg_cut_5,gain=exp 0.4581, ndcg_cut_5,gains=2:9 0.5158, ndcg_cut_5,discount=jarvelin2002 0.5869.
    """
    best = ranked.once(ideal, gains, Scale(**scale))
    return _near(ranked, k, gains, Scale(**scale), _ideal_at(ranked, k, gains, **scale), best)


# Without a discount


def _expected_cg(ranked: Ranked, gain: str, gains: Given) -> Terms:
    worth = gain_despite_ties(ranked, gains, Scale(gain))
    return Terms(ranked.owner, ranked.rank, worth * ranked.chance_within(ranked.last_rank))


@measure(
    "cg",
    beyond_one=True,
    standard="CG",
    options=_GAINS,
    cut="depth",
    graded=True,
    expected=_expected_cg,
    bounds="rising",
)
def cumulative_gain(ranked: Ranked, gain: str, gains: Given) -> Terms:
    """Cumulative gain: the gains of the results, added up without a discount.

    cg = sum over the ranks i of gain_i. The gain of a document is its grade. In what order the results
    stand plays no part but for the cutoff: cg_k is that of the first k results.

    Parameters: gain=exp: the gain of grade g is 2^g - 1, for grades up to 1000. gains={1:3,2:9}: other gains
    for some grades; they may be 0 or negative. Among them, the grade -1 stands for documents without a
    judgment and -2 for those judged with a negative grade, which otherwise have no gain.

    The relevance level (-l) plays no part. A query without results has 0.

    Source: Kalervo Järvelin and Jaana Kekäläinen, Cumulated gain-based evaluation of IR techniques, ACM
    Transactions on Information Systems 20(4), 2002.

    Example: grades 3 2 1 2 3: cg 11.0000, cg_2 5.0000, cg_gain=exp 21.0000, cg_2,gains=2:9 12.0000.
    """
    run = ranked.once(retrieved, gains, Scale(gain))
    return Terms(run.owner, run.rank, run.gain, made_of=MadeOf(run, discounted=False))


def _ideal_gain(ranked: Ranked, k: int, gain: str, gains: Given) -> Floats:
    best = ranked.once(ideal, gains, Scale(gain))
    top = best.rank <= k
    return segments.total(best.gain[top], best.owner[top], ranked.size)


def _expected_ncg(ranked: Ranked, k: int, gain: str, gains: Given) -> Terms:
    return replace(_expected_cg(ranked.at(depth=k), gain, gains), over=_ideal_gain(ranked, k, gain, gains))


@measure(
    "ncg", standard="NCG", over=Cutoffs(*CUTOFFS), options=_GAINS, graded=True, expected=_expected_ncg, bounds="share"
)
def normalised_cumulative_gain(ranked: Ranked, k: int, gain: str, gains: Given) -> Terms:
    """Cumulative gain of the first k results as a share of the highest there could be at k.

    ncg_k = (sum over the ranks i ≤ k of gain_i) / (the same sum of the k highest judged gains). The gain of a
    document is its grade. It is to graded judgments what the capped recall relative_P is to binary ones: how
    much of what k results could hold is there, in whatever order, which suits a first stage whose results
    are ranked anew.

    Parameters: gain and gains, as for cg. The ideal has the same gains.

    Documents without a judgment, or with a negative grade, add nothing unless gains has the grade -1 or -2.
    The relevance level (-l) plays no part. With fewer than k results the ideal is still taken at k. A query
    without positive grades has 0.

    Source: Kalervo Järvelin and Jaana Kekäläinen, Cumulated gain-based evaluation of IR techniques, ACM
    Transactions on Information Systems 20(4), 2002.

    Example: grades 0 3 2 0, not retrieved 3: ncg_1 0.0000, ncg_2 0.5000, ncg_5 0.6250, ncg_5,gain=exp 0.5882.
    """
    run = ranked.once(retrieved, gains, Scale(gain))
    near = run.rank <= k
    made_of = MadeOf(run, ranked.once(ideal, gains, Scale(gain)), k, discounted=False)
    return Terms(run.owner[near], run.rank[near], run.gain[near], _ideal_gain(ranked, k, gain, gains), made_of=made_of)


# Averaged over ranks


@measure("ndcg_rel", standard="nDCGrel", graded=True, over=Pairs())
def ndcg_at_relevant(ranked: Ranked, pairs: Given) -> Floats:
    """Normalised discounted cumulative gain, averaged over the places of the documents with a positive gain.

    ndcg_rel = (sum over the ranks i with gain_i > 0 of D(i) / Z(min(i, m)) + (m - their number) · D(n) /
    Z(m)) / m. D(i) is the discounted gain of the first i results, Z(j) that of the first j documents of the
    ideal ranking, and m the number of judged documents with a positive gain: one that is not retrieved
    counts with the final value.

    Parameter: other gains for some grades, as for ndcg. The relevance level (-l) plays no part. A query
    without a positive gain in the judgments has 0, and so has one whose sum is negative.

    Example: grades 2 0 1, not retrieved 1: ndcg_rel 0.8657.
    """
    run, best = both(ranked, pairs)
    gaining = run.gain > 0
    owner, rank = run.owner[gaining], run.rank[gaining]
    # Unjudged documents may be given a gain where no judged one has any. As C does, divide by 0 then.
    with np.errstate(all="ignore"):
        shares = run.so_far[gaining] / best.within(owner, rank)
        missed = best.count - segments.count(owner, ranked.size)
        summed = segments.total(shares, owner, ranked.size) + missed * run.total / best.total
        return np.where(summed > 0, summed / best.count, 0.0)


@measure("Rndcg", standard="RnDCG", graded=True, over=Pairs())
def ndcg_at_levels(ranked: Ranked, pairs: Given) -> Floats:
    """Normalised discounted cumulative gain, averaged over the ranks where the ideal gain changes.

    Rndcg = the mean of D(b) / Z(b) over each rank b that ends a run of equal gains in the ideal ranking,
    and once more of D(n) / Z(m) when n ≥ m + 2. D(i) is the discounted gain of the first i results, Z(j)
    that of the first j documents of the ideal ranking, and m the number of judged documents with a positive
    gain.

    Parameter: other gains for some grades, as for ndcg. The relevance level (-l) matters in one way: a
    query without relevant documents has 0. So has one without a positive gain in the judgments.

    Example: grades 1 2 0: Rndcg 0.6799.
    """
    run, best = both(ranked, pairs)
    last = np.ones(len(best.gain), dtype=bool)
    last[:-1] = (np.diff(best.gain) != 0) | (np.diff(best.owner) != 0)
    owner = best.owner[last]
    shares = run.within(owner, best.rank[last]) / best.so_far[last]
    beyond = (best.count > 0) & (ranked.retrieved >= best.count + 2)
    final = np.where(beyond, segments.ratio(run.total, best.total), 0.0)
    summed = segments.total(shares, owner, ranked.size) + final
    mean = segments.ratio(summed, segments.count(owner, ranked.size) + beyond)
    return np.where(ranked.relevant_total > 0, mean, 0.0)


# G: what the documents above cost in vain


@measure("binG", standard="binG", cut="depth", bounds="search")
def binary_gain_over_cost(ranked: Ranked) -> Terms:
    """Relevant documents, each discounted by the number of other documents above it.

    binG = (sum over the relevant documents retrieved of 1 / log2(2 + f)) / R, where f is the number of
    documents above it that are not relevant. It is G with a gain of 1 for every relevant document: unlike
    the discount of dcg, this one does not grow while the results are relevant.

    Unjudged documents count as not relevant. A query without relevant documents has 0.

    Example: grades 1 1 0 1, R = 4: binG 0.6577.
    """
    misses = ranked.relevant_rank - segments.position(ranked.relevant_owner, ranked.size) - 1
    return Terms(ranked.relevant_owner, ranked.relevant_rank, 1.0 / segments.log2(misses + 2), ranked.relevant_total)


@measure("G", standard="G", graded=True, over=Pairs())
def gain_over_cost(ranked: Ranked, pairs: Given) -> Terms:
    """Gains of the results, each discounted by how far they have fallen behind the ideal ranking.

    G = (sum over the ranks i of gain_i / log2(2 + C_i - X_i)) / (sum of all positive gains in the
    judgments), where X_i is the sum of the first i gains of the run, and C_i the same for the ideal ranking
    with every document counted as 1 at least, those beyond its end included. The gain of a document is its
    grade.

    Parameter: other gains for some grades, G.1=3,2=9, as for ndcg. The relevance level (-l) plays no part.
    A query without a positive gain in the judgments has 0.

    Example: grades 2 0 1, not retrieved 1: G 0.6577.
    """
    run, best = both(ranked, pairs)
    spent = segments.running_sum(np.maximum(best.gain, 1.0), best.owner, ranked.size)
    depth = np.minimum(run.rank, best.count[run.owner])
    cost = np.zeros(len(run.rank))
    some = depth > 0
    cost[some] = spent[segments.starts(best.count)[run.owner[some]] + depth[some] - 1]
    cost = _ones_added(cost, run.rank - depth)
    earned = segments.running_sum(run.gain, run.owner, ranked.size)
    # Gains given to unjudged documents can exceed the ideal, and make the divisor 0 or nan, as in C.
    with np.errstate(all="ignore"):
        values = run.gain / segments.log2(2 + cost - earned)
    return Terms(run.owner, run.rank, values, segments.total(best.gain, best.owner, ranked.size))


def _ones_added(values: Floats, times: Ints) -> Floats:
    """Each value with 1.0 added so many times, rounded after every addition as in a loop.

    Rounding happens only where a power of two is crossed, so the additions up to there are made at once.
    """
    values, left = values.copy(), times.copy()
    if (values == np.floor(values)).all():
        return values + left
    while (left > 0).any():
        border = np.ldexp(1.0, np.frexp(values)[1])
        steps = np.minimum(left, np.ceil(border - values)).astype(np.int64)
        values = np.where(steps > 0, (values + (steps - 1)) + 1.0, values)
        left -= steps
    return values
