"""Scores in standard deviations from their mean."""

from __future__ import annotations

import numpy as np

from irev.base import segments
from irev.base.segments import Floats
from irev.ranking.fusion.method import Normalisation
from irev.ranking.fusion.normalisations.min_max import min_max
from irev.ranking.fusion.votes import RunRankings


def z(rankings: RunRankings) -> Floats:
    """(score - mean) / standard deviation, both of the query's scores, the latter divided by n: mean 0, variance 1.

    Where all scores of a query are equal each is 0.

    Mark Montague and Javed Aslam, Relevance Score Normalization for Metasearch, CIKM 2001, as ZMUV; Elena Renda and
    Umberto Straccia, Web Metasearch: Rank vs. Score Based Rank Aggregation Methods, SAC 2003.
    """
    score = min_max(rankings)  # of which z is the same, and whose squares neither vanish nor overflow
    apart = score - (rankings.total(score) / rankings.size)[rankings.owner]
    deviation = np.sqrt(rankings.total(np.square(apart)) / rankings.size)
    return segments.ratio(apart, deviation[rankings.owner])


NORMALISATION = Normalisation(z)
