"""A reader with a goal, who wants to gain so much in all and goes on while it is far: INST.

INST is one member of a family of measures, C/W/L, that differ in nothing but how likely a reader goes on from each
rank; the others would stand here.
"""

from __future__ import annotations

import numpy as np

from irev.base import segments
from irev.base.segments import Floats
from irev.errors import UsageError, decimal
from irev.measures import gains
from irev.measures.measure import measure
from irev.measures.parameters import Real, Whole
from irev.ranking.ranked import Ranked


def _shares(ranked: Ranked, max_rel: float | str, min_rel: float) -> Floats:
    """(h,) The gain of each hit between 0 and 1."""
    if not isinstance(max_rel, str) and max_rel <= min_rel:
        raise UsageError(
            f"max_rel of measure 'inst' is {decimal(max_rel)}, and not above min_rel, which is {decimal(min_rel)}",
            remedy="max_rel is the grade that gains 1, min_rel the one that gains nothing",
        )
    high = gains.highest(ranked) if isinstance(max_rel, str) else max_rel
    return segments.ratio(np.clip(gains.positive(ranked) - min_rel, 0.0, max(high - min_rel, 0.0)), high - min_rel)


@measure(
    "inst",
    standard="INST",
    graded=True,
    options={
        "T": Real(1.0, 0.5),
        "max_rel": Real("auto", 0.0, open=True, words=("auto",)),
        "min_rel": Real(0.0, 0.0),
        "depth": Whole(1000, 1, 1_000_000),
    },
)
def inst(ranked: Ranked, T: float, max_rel: float | str, min_rel: float, depth: int) -> Floats:
    """INST: gain per result seen, for a reader who wants to gain T in all.

    inst = (sum of V_i · x_i) / (sum of V_i) over the ranks i ≤ depth, where x_i is the gain at rank i and V_i the
    probability that the reader gets there: V_1 = 1 and V_{i+1} = V_i · ((i + T + T_i - 1) / (i + T + T_i))² with
    T_i = T - (x_1 + … + x_i), what is still wanted. The more is still wanted and the further down the reader is,
    the more likely the next result is looked at.

    The gain x of a document is (grade - min_rel) / (max_rel - min_rel), with grades outside these two moved to the
    nearer one.

    Parameters: T, 1 unless given, how much is wanted, 0.5 at least; max_rel, the highest grade of the judgments, over
    all queries, unless given; min_rel, 0 unless given; and depth, 1000 unless given. The depth matters: weights
    fall slowly, and what stands beyond it is left out.

    Documents without a judgment, or with a negative grade, gain nothing, nor do ranks below the last result,
    which count all the same. The relevance level (-l) plays no part. A query without results has 0.

    Elsewhere: cwl-eval and ir_measures compute the same, at a fixed depth of 1000; ir_measures requires max_rel, and
    moves grades outside of it, too.

    Source: Alistair Moffat, Peter Bailey, Falk Scholer and Paul Thomas, INST: an adaptive metric for information
    retrieval evaluation, Australasian Document Computing Symposium, 2015; the family in their Incorporating user
    expectations and behavior into the measurement of search effectiveness, ACM Transactions on Information Systems
    35(3), 2017.

    Example: grades 2 0 1 -, R = 2: inst 0.6639, inst_T=2 0.3503, inst_max_rel=4 0.2655.
    """
    gain = _shares(ranked, max_rel, min_rel)
    some = np.flatnonzero((gain > 0) & (ranked.rank <= depth))
    some = some[segments.stable_order(ranked.rank[some])]
    owner, gain = ranked.owner[some], gain[some]
    last = int(ranked.rank[some].max(initial=0))
    bounds = np.searchsorted(ranked.rank[some], np.arange(1, last + 2)).tolist()
    reached, wanted = np.ones(ranked.size), np.full(ranked.size, T)
    value, weights = np.zeros(ranked.size), np.zeros(ranked.size)
    # Rank by rank over all queries at once.
    for i in range(1, depth + 1):
        weights += reached
        if i <= last:
            here = slice(bounds[i - 1], bounds[i])
            value[owner[here]] += reached[owner[here]] * gain[here]
            wanted[owner[here]] -= gain[here]
        reached *= ((i + T + wanted - 1.0) / (i + T + wanted)) ** 2
    return value / weights
