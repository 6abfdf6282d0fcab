"""Ranks in the place of scores."""

from __future__ import annotations

from irev.base.segments import Floats
from irev.ranking.fusion.method import RANKS, Normalisation
from irev.ranking.fusion.votes import RunRankings


def rank(rankings: RunRankings) -> Floats:
    """1 - (rank - 1) / n, whatever the scores are: from 1 for the best of n documents down to 1 / n.

    Elena Renda and Umberto Straccia, Web Metasearch: Rank vs. Score Based Rank Aggregation Methods, SAC 2003.
    """
    return 1 - (rankings.rank - 1) / rankings.size[rankings.owner]


NORMALISATION = Normalisation(rank, RANKS)
