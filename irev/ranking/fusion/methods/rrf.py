"""Reciprocal rank fusion."""

from __future__ import annotations

from irev.base.segments import Floats, Ints
from irev.ranking.fusion.method import RANKS, FusionMethod
from irev.ranking.fusion.votes import Votes

K = 60.0
"""The constant of the paper."""


def rrf(votes: Votes, k: float) -> Floats:
    """Reciprocal rank fusion: the sum of 1 / (k + rank) over the runs that have the document.

    A larger k lets the first ranks count for less. With weights the sum of w / (k + rank).

    Gordon Cormack, Charles Clarke and Stefan Büttcher, Reciprocal Rank Fusion Outperforms Condorcet and Individual Rank
    Learning Methods, SIGIR 2009.
    """
    return votes.sum(votes.weighted(reciprocal(votes.rank, k)))


def reciprocal(rank: Ints, k: float = K) -> Floats:
    """What a rank is worth."""
    return 1 / (k + rank)


METHOD = FusionMethod(rrf, RANKS, weighted=True, k=K)
