"""Discounted cumulative gain and its normalised forms."""

from __future__ import annotations

import numpy as np

from irev import segments
from irev.measures import gains
from irev.measures.gains import Gained
from irev.measures.measure import Terms, measure
from irev.measures.parameters import Cutoffs, Pairs
from irev.measures.precision import CUTOFFS
from irev.ranked import Ranked
from irev.segments import Floats


def _both(ranked: Ranked, pairs: gains.Given) -> tuple[Gained, Gained]:
    """The retrieved documents with a gain, and the ideal ranking."""
    return ranked.once(gains.retrieved, pairs), ranked.once(gains.ideal, pairs)


@measure("dcg", over=Pairs(), new_in_10=True)
def dcg(ranked: Ranked, pairs: gains.Given) -> Terms:
    """Discounted cumulative gain of all results.

    dcg = sum over the ranks i of gain_i / log2(i + 1). The gain of a document is its grade.

    Parameter: other gains for some grades, dcg.1=3,2=9; they may be 0 or negative. The grade -1 stands for
    documents without a judgment and -2 for those judged with a negative grade, which otherwise have no
    gain.

    The relevance level (-l) plays no part. A query without results has 0.

    Source: Kalervo Järvelin and Jaana Kekäläinen, Cumulated gain-based evaluation of IR techniques, ACM
    Transactions on Information Systems 20(4), 2002, whose discount is log2(i) from rank 2 on.

    Example: grades 3 2 1 2 3: dcg 6.7838, dcg_3=7 12.3312.
    """
    run = ranked.once(gains.retrieved, pairs)
    return Terms(run.owner, run.rank, run.discounted)


@measure("ideal_dcg", over=Pairs(), new_in_10=True)
def ideal_dcg(ranked: Ranked, pairs: gains.Given) -> Floats:
    """Discounted cumulative gain of the best ranking that the judgments allow.

    ideal_dcg = sum over j of I_j / log2(j + 1), where I_1 ≥ I_2 ≥ … are the positive gains of all judged
    documents.

    Parameter: other gains for some grades, as for dcg. The results play no part, nor does the relevance
    level (-l). A query without positive grades has 0.

    Example: grades 3 2 1 2, not retrieved 3: ideal_dcg 7.1410.
    """
    return ranked.once(gains.ideal, pairs).total


@measure("ndcg", over=Pairs())
def ndcg(ranked: Ranked, pairs: gains.Given) -> Terms:
    """Discounted cumulative gain of all results as a share of the ideal.

    ndcg = dcg / ideal_dcg with dcg = sum over the ranks i of gain_i / log2(i + 1) and ideal_dcg the same of
    all judged documents in their best order, however few documents were retrieved. The gain of a document
    is its grade.

    Parameter: other gains for some grades, ndcg.1=3,2=9; they may be 0 or negative. The grade -1 stands for
    documents without a judgment and -2 for those judged with a negative grade, which otherwise have no
    gain.

    The relevance level (-l) plays no part. A query without a positive gain in the judgments has 0.

    Source: Kalervo Järvelin and Jaana Kekäläinen, Cumulated gain-based evaluation of IR techniques, ACM
    Transactions on Information Systems 20(4), 2002, whose discount is log2(i) from rank 2 on.

    Example: grades 3 2 1 2 3: ndcg 0.9500, ndcg_3=7 0.9024.
    """
    run, best = _both(ranked, pairs)
    return Terms(run.owner, run.rank, run.discounted, best.total)


@measure("ndcg_cut", over=Cutoffs(*CUTOFFS))
def ndcg_at(ranked: Ranked, k: int) -> Terms:
    """Discounted cumulative gain of the first k results as a share of the ideal, also at k.

    ndcg_cut_k = (sum over the ranks i ≤ k of g_i / log2(i + 1)) / (the same of the k highest judged
    grades). This is what is commonly written nDCG@k, with grades as gains.

    Documents without a judgment, or with a negative grade, add nothing. The relevance level (-l) plays no
    part. With fewer than k results the ideal is still taken at k. A query without positive grades has 0.

    Source: Kalervo Järvelin and Jaana Kekäläinen, Cumulated gain-based evaluation of IR techniques, ACM
    Transactions on Information Systems 20(4), 2002, whose discount is log2(i) from rank 2 on.

    Example: grades 0 3 2 0, not retrieved 3: ndcg_cut_1 0.0000, ndcg_cut_2 0.3869, ndcg_cut_5 0.4909.
    """
    run, best = _both(ranked, ())
    near = run.rank <= k
    top = best.rank <= k
    over = segments.total(best.discounted[top], best.owner[top], ranked.size)
    return Terms(run.owner[near], run.rank[near], run.discounted[near], over)


@measure("ndcg_rel", over=Pairs())
def ndcg_at_relevant(ranked: Ranked, pairs: gains.Given) -> Floats:
    """Normalised discounted cumulative gain, averaged over the places of the documents with a positive gain.

    ndcg_rel = (sum over the ranks i with gain_i > 0 of D(i) / Z(min(i, m)) + (m - their number) · D(n) /
    Z(m)) / m. D(i) is the discounted gain of the first i results, Z(j) that of the first j documents of the
    ideal ranking, and m the number of judged documents with a positive gain: one that is not retrieved
    counts with the final value.

    Parameter: other gains for some grades, as for ndcg. The relevance level (-l) plays no part. A query
    without a positive gain in the judgments has 0, and so has one whose sum is negative.

    Example: grades 2 0 1, not retrieved 1: ndcg_rel 0.8657.
    """
    run, best = _both(ranked, pairs)
    gaining = run.gain > 0
    owner, rank = run.owner[gaining], run.rank[gaining]
    # Unjudged documents may be given a gain where no judged one has any. As C does, divide by 0 then.
    with np.errstate(all="ignore"):
        shares = run.so_far[gaining] / best.within(owner, rank)
        missed = best.count - segments.count(owner, ranked.size)
        summed = segments.total(shares, owner, ranked.size) + missed * run.total / best.total
        return np.where(summed > 0, summed / best.count, 0.0)


@measure("Rndcg", over=Pairs())
def ndcg_at_levels(ranked: Ranked, pairs: gains.Given) -> Floats:
    """Normalised discounted cumulative gain, averaged over the ranks where the ideal gain changes.

    Rndcg = the mean of D(b) / Z(b) over each rank b that ends a run of equal gains in the ideal ranking,
    and once more of D(n) / Z(m) when n ≥ m + 2. D(i) is the discounted gain of the first i results, Z(j)
    that of the first j documents of the ideal ranking, and m the number of judged documents with a positive
    gain.

    Parameter: other gains for some grades, as for ndcg. The relevance level (-l) matters in one way: a
    query without relevant documents has 0. So has one without a positive gain in the judgments.

    Example: grades 1 2 0: Rndcg 0.6799.
    """
    run, best = _both(ranked, pairs)
    last = np.ones(len(best.gain), dtype=bool)
    last[:-1] = (np.diff(best.gain) != 0) | (np.diff(best.owner) != 0)
    owner = best.owner[last]
    shares = run.within(owner, best.rank[last]) / best.so_far[last]
    beyond = (best.count > 0) & (ranked.retrieved >= best.count + 2)
    final = np.where(beyond, segments.ratio(run.total, best.total), 0.0)
    summed = segments.total(shares, owner, ranked.size) + final
    mean = segments.ratio(summed, segments.count(owner, ranked.size) + beyond)
    return np.where(ranked.relevant_total > 0, mean, 0.0)
