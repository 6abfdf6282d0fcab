"""Borda fusion."""

from __future__ import annotations

import numpy as np

from irev.base.segments import Floats
from irev.ranking.fusion.method import RANKS, FusionMethod
from irev.ranking.fusion.votes import Votes, summed


def borda(votes: Votes) -> Floats:
    """Borda's election: of c documents that any run has, a run gives c points to its first, c - 1 to its second, ….

    What a run has left it shares out equally to the documents that it lacks: (c - n + 1) / 2 points each where it ranks
    n of them; so does a run that has nothing for the query, n = 0. With weights each point of a run is worth w.

    Javed Aslam and Mark Montague, Models for Metasearch, SIGIR 2001.
    """
    rankings = votes.rankings
    candidates = np.bincount(votes.query, minlength=rankings.queries).astype(np.float64)
    ranked = np.zeros((rankings.queries, rankings.runs))
    ranked[rankings.query, rankings.run] = rankings.size
    # Every document gets what it would if all runs lacked it, and from each run that has it what that gives in excess.
    lacking = (candidates[:, None] - ranked + 1) / 2
    if votes.weights is not None:
        lacking *= votes.weights
    query = np.repeat(np.arange(rankings.queries), rankings.runs)
    shared = summed(lacking.ravel(), query, np.full(rankings.queries, rankings.runs))
    neutral = (candidates[rankings.query] + rankings.size + 1) / 2
    return shared[votes.query] + votes.sum(votes.weighted(neutral[rankings.owner] - votes.rank))


METHOD = FusionMethod(borda, RANKS, weighted=True)
