"""Average precision for more than two grades: Q-measure, and graded average precision."""

from __future__ import annotations

import numpy as np

from irev.base import segments
from irev.base.segments import Bools, Floats, Ints
from irev.measures import gains
from irev.measures.measure import Terms, measure
from irev.measures.parameters import RealParameter
from irev.ranking.ranked import Ranked

# Both measures are sums over pairs of documents, of which the lower one has a weight that depends on its rank. Of two
# documents in one tie either may be the lower, at any rank.


def _divisors(ranked: Ranked, owner: Ints, rank: Ints, beta: float) -> Floats:
    """Rank plus beta times the sum of the gains that the ideal ranking has up to there."""
    best = ranked.once(gains.ideal, (), gains.PLAIN)
    so_far = np.append(segments.running_sum(best.gain, best.owner, ranked.size), 0.0)
    place = segments.starts(best.count)[owner] + np.minimum(rank, best.count[owner]) - 1
    divisors: Floats = rank + beta * so_far[np.where(best.count[owner] > 0, place, -1)]
    return divisors


def _credits(ranked: Ranked, beta: float) -> tuple[Bools, Floats, Bools]:
    """The hits that are relevant or gain something; what each adds to the blended count of those above; which of them
    are relevant."""
    relevant = ranked.relevant & (ranked.grade >= 0)
    gain = gains.positive(ranked)
    some = relevant | (gain > 0)
    return some, (relevant + beta * gain)[some], relevant[some]


def _expected_q(ranked: Ranked, beta: float) -> Terms:
    some, credit, relevant = _credits(ranked, beta)
    owner, first = ranked.owner[some], ranked.tie_first[some]
    begins = np.flatnonzero(segments.opens(owner, first))
    ties = len(begins)
    tie = np.cumsum(segments.opens(owner, first)) - 1
    above = (segments.running_sum(credit, owner, ranked.size) - credit)[begins]
    inside, own = segments.total(credit, tie, ties), segments.total(credit * relevant, tie, ties)
    count = segments.count(tie[relevant], ties)

    # Each rank of each tie that holds such documents.
    owner, first, last = owner[begins], first[begins], ranked.tie_last[some][begins]
    size = last - first + 1
    end = last if ranked.settings.depth is None else np.minimum(last, ranked.settings.depth)
    held = np.repeat(np.arange(ties), np.maximum(end - first + 1, 0))
    place = segments.position(held, ties)
    weight = 1.0 / _divisors(ranked, owner[held], first[held] + place, beta)
    alone = segments.total(weight, held, ties)
    # Of the other documents of the tie, as many as `place` stand above, each alike.
    paired = segments.ratio(segments.total(weight * place, held, ties), size - 1)
    values = (alone * (count * above + own) + paired * (count * inside - own)) / size
    return Terms(owner, first, values, ranked.relevant_total)


@measure(
    "q_measure",
    standard="Q",
    graded=True,
    options={"beta": RealParameter(1.0, 0.0)},
    expected=_expected_q,
    bounds="search",
)
def q_measure(ranked: Ranked, beta: float) -> Terms:
    """Q-measure: average precision in which precision is blended with the share of the ideal gain.

    q_measure = (sum of (r_i + beta · cg_i) / (i + beta · cg*_i) over the ranks i of relevant documents) / R.
    cg_i is the sum of the gains of the first i results, and cg*_i the same for the ideal ranking, which has all
    judged documents, highest gain first. The gain of a document is its grade.

    Parameter: beta, 1 unless given: the higher, the more grades matter, and the less it costs to stand further
    down; with 0 it is average precision.

    Documents without a judgment, or with a negative grade, gain nothing. The relevance level (-l) says which
    documents are relevant, but takes no gain from the others, which rel= does. The ideal ranking has 1. A query
    without relevant documents has 0.

    Source: Tetsuya Sakai, On the reliability of information retrieval metrics based on graded relevance,
    Information Processing and Management 43(2), 2007.

    Example: grades 2 0 1 3, R = 3: q_measure 0.7352, q_measure_beta=0 0.8056, q_measure_beta=10 0.7232.
    """
    some, credit, relevant = _credits(ranked, beta)
    owner, rank = ranked.owner[some], ranked.rank[some]
    blended = segments.running_sum(credit, owner, ranked.size)[relevant]
    owner, rank = owner[relevant], rank[relevant]
    return Terms(owner, rank, blended / _divisors(ranked, owner, rank, beta), ranked.relevant_total)


def _gaining(ranked: Ranked) -> tuple[Bools, Floats]:
    """The hits with a gain above 0, and the sum of all gains in the judgments of each query."""
    best = ranked.once(gains.ideal, (), gains.PLAIN)
    return gains.positive(ranked) > 0, segments.total(best.gain, best.owner, ranked.size)


def _expected_gap(ranked: Ranked) -> Terms:
    some, total = _gaining(ranked)
    inverse = ranked.mean_over_ties(1.0 / np.arange(1, ranked.last_rank + 1))[some]
    owner, first, gain = ranked.owner[some], ranked.tie_first[some], gains.positive(ranked)[some]
    others = (ranked.tie_last - ranked.tie_first)[some]
    # The mean, over the ranks i = first + t, of (t / others) / i: t of the others are above, each alike.
    paired = segments.ratio(ranked.chance_within(ranked.last_rank)[some] - first * inverse, others)
    tie = np.cumsum(segments.opens(owner, first)) - 1
    before = _smaller_gains(tie, gain)
    above = _smaller_gains(owner, gain) - before
    beside = before + _smaller_gains(tie[-1:] - tie[::-1], gain[::-1])[::-1] - 2 * gain
    return Terms(owner, first, inverse * (gain + above) + paired * beside, total)


def _smaller_gains(part: Ints, gain: Floats) -> Floats:
    """(n,) For each row the sum, over the rows of its part up to it and itself, of the smaller of the two gains.

    Parts rise. Gains are compared bit by bit of their order, the highest first: of two rows of one part that agree so
    far, one has the bit. So time grows with the bits, not with the number of gains.
    """
    level = np.searchsorted(segments.distinct(gain), gain)
    rows, found = np.arange(len(gain)), np.zeros(len(gain))
    for bit in reversed(range(int(level.max(initial=0)).bit_length())):
        number = np.cumsum(segments.opens(part)) - 1
        high = (level[rows] >> bit & 1).astype(bool)
        parts = int(number[-1]) + 1
        lower = segments.running_sum(np.where(high, 0.0, gain[rows]), number, parts)
        higher = segments.running_sum(high.astype(np.float64), number, parts)
        found[rows] += np.where(high, lower, gain[rows] * higher)
        part = 2 * number + high
        order = np.argsort(part, kind="stable")
        rows, part = rows[order], part[order]
    if len(rows):
        number = np.cumsum(segments.opens(part)) - 1
        found[rows] += gain[rows] * (segments.position(number, int(number[-1]) + 1) + 1)
    return found


@measure("gap", standard="GAP", cut="depth", graded=True, expected=_expected_gap, bounds="search")
def graded_average_precision(ranked: Ranked) -> Terms:
    """Graded average precision: average precision for a reader of whom it is not known which grades count as relevant.

    gap = (sum over the ranks i with g_i > 0 of (1 / i) · sum over j ≤ i with g_j > 0 of min(g_i, g_j)) / (sum of
    all positive grades of the judgments). Each step from a grade to the next higher one is as likely the one from
    which on documents are relevant; the sums are averages over these. With the grades 0 and 1 it is average
    precision.

    Parameter: a cutoff, gap.10 or GAP@10: the first so many results alone, with the divisor of all.

    Documents without a judgment, or with a negative grade, are not relevant from any grade on. The relevance
    level (-l) plays no part. Gains that are given to grades say how likely a document of that grade is
    relevant, up to a factor. A query without positive grades has 0.

    Source: Stephen Robertson, Evangelos Kanoulas and Emine Yilmaz, Extending average precision to graded
    relevance judgments, SIGIR 2010.

    Example: grades 2 0 1 3, R = 3: gap 0.6944, gap_3 0.4444.
    """
    some, total = _gaining(ranked)
    owner, rank, gain = ranked.owner[some], ranked.rank[some], ranked.gain[some]
    return Terms(owner, rank, _smaller_gains(owner, gain) / rank, total)
