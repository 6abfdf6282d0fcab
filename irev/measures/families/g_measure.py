"""G and its binary form: each gain discounted by what the documents above it cost the reader in vain."""

from __future__ import annotations

import numpy as np

from irev.base import segments
from irev.base.segments import Floats, Ints
from irev.measures.gains import Given, both
from irev.measures.measure import Terms, measure
from irev.measures.parameters import Pairs
from irev.ranking.ranked import Ranked


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
