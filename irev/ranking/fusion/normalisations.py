"""Ways to make scores of different runs comparable: functions of rankings; ``--list`` shows the first
paragraph of each.

The command line lists the names, so numpy is imported only where it is used.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from irev.ranking.fusion.method import RANKS, Normalisation

if TYPE_CHECKING:
    from irev.base.segments import Floats
    from irev.ranking.fusion.votes import RunRankings


def by_highest(rankings: RunRankings) -> Floats:
    """score / highest: 1 for the best of each query.

    Only where the highest score of a query is above 0; any other is refused, since dividing by it would turn the
    ranking upside down or is not possible.

    Joon Ho Lee, Combining Multiple Evidence from Different Properties of Weighting Schemes, SIGIR 1995.
    """
    return rankings.score / rankings.highest[rankings.owner]


def min_max(rankings: RunRankings) -> Floats:
    """(score - lowest) / (highest - lowest): from 1 for the best of each query to 0 for the last.

    Where all scores of a query are equal, as that of a single document is, each is the best: 1.

    Joon Ho Lee, Analyses of Multiple Evidence Combination, SIGIR 1997; Mark Montague and Javed Aslam, Relevance Score
    Normalization for Metasearch, CIKM 2001, call it standard; Shengli Wu, Fabio Crestani and Yaxin Bi, Evaluating Score
    Normalization Methods in Data Fusion, AIRS 2006, zero-one.
    """
    import numpy as np

    lowest, width = rankings.lowest, rankings.highest - rankings.lowest
    one = width == 0
    found = (rankings.score - lowest[rankings.owner]) / np.where(one, 1.0, width)[rankings.owner]
    found[one[rankings.owner]] = 1.0
    return found


def rank(rankings: RunRankings) -> Floats:
    """1 - (rank - 1) / n, whatever the scores are: from 1 for the best of n documents down to 1 / n.

    Elena Renda and Umberto Straccia, Web Metasearch: Rank vs. Score Based Rank Aggregation Methods, SAC 2003.
    """
    return 1 - (rankings.rank - 1) / rankings.size[rankings.owner]


def by_sum(rankings: RunRankings) -> Floats:
    """(score - lowest) / the sum of that over the query: shares, 0 for the last.

    Where all n scores of a query are equal each is 1 / n.

    Mark Montague and Javed Aslam, Relevance Score Normalization for Metasearch, CIKM 2001.
    """
    above = min_max(rankings)
    return above / rankings.total(above)[rankings.owner]


def z(rankings: RunRankings) -> Floats:
    """(score - mean) / standard deviation, both of the query's scores, the latter divided by n: mean 0, variance 1.

    Where all scores of a query are equal each is 0.

    Mark Montague and Javed Aslam, Relevance Score Normalization for Metasearch, CIKM 2001, as ZMUV; Elena Renda and
    Umberto Straccia, Web Metasearch: Rank vs. Score Based Rank Aggregation Methods, SAC 2003.
    """
    import numpy as np

    from irev.base import segments

    score = min_max(rankings)  # of which z is the same, and whose squares neither vanish nor overflow
    apart = score - (rankings.total(score) / rankings.size)[rankings.owner]
    deviation = np.sqrt(rankings.total(np.square(apart)) / rankings.size)
    return segments.ratio(apart, deviation[rankings.owner])


NORMALISATIONS = {
    "max": Normalisation(by_highest, positive=True),
    "min-max": Normalisation(min_max),
    "rank": Normalisation(rank, RANKS),
    "sum": Normalisation(by_sum),
    "z": Normalisation(z),
}
"""All of them, by the names that users type."""
