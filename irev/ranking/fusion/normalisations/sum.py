"""Scores that add up to 1."""

from __future__ import annotations

from irev.base.segments import Floats
from irev.ranking.fusion.method import Normalisation
from irev.ranking.fusion.normalisations.min_max import min_max
from irev.ranking.fusion.votes import RunRankings


def by_sum(rankings: RunRankings) -> Floats:
    """(score - lowest) / the sum of that over the query: shares, 0 for the last.

    Where all n scores of a query are equal each is 1 / n.

    Mark Montague and Javed Aslam, Relevance Score Normalization for Metasearch, CIKM 2001.
    """
    above = min_max(rankings)
    return above / rankings.total(above)[rankings.owner]


NORMALISATION = Normalisation(by_sum)
