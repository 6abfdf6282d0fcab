"""Ways to fuse: functions of votes, called as users call them; ``--list`` shows the first paragraph of each.

The command line lists the names, so numpy is imported only where it is used.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, TypeVar

from irev.ranking.fusion.method import RANKS, SCORES, FusionMethod

if TYPE_CHECKING:
    from irev.base.segments import Floats, Ints
    from irev.ranking.fusion.votes import Votes

F = TypeVar("F", bound=Callable[..., "Floats"])

METHODS: dict[str, FusionMethod] = {}
"""All of them, by their names."""

K = 60.0
"""The constant of reciprocal rank fusion in its paper."""


def _method(of: str, weighted: bool = False, k: float | None = None) -> Callable[[F], F]:
    """Enter a function under its name; the rest is as in `FusionMethod`."""

    def enter(function: F) -> F:
        METHODS[function.__name__] = FusionMethod(function, of, weighted, k)
        return function

    return enter


@_method(RANKS, weighted=True)
def borda(votes: Votes) -> Floats:
    """Borda's election: of c documents that any run has, a run gives c points to its first, c - 1 to its second, ….

    What a run has left it shares out equally to the documents that it lacks: (c - n + 1) / 2 points each where it ranks
    n of them; so does a run that has nothing for the query, n = 0. With weights each point of a run is worth w.

    Javed Aslam and Mark Montague, Models for Metasearch, SIGIR 2001.
    """
    import numpy as np

    from irev.ranking.fusion.votes import summed

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


@_method(SCORES)
def combanz(votes: Votes) -> Floats:
    """The mean of the scores over the runs that have the document.

    Edward Fox and Joseph Shaw, Combination of Multiple Searches, TREC-2, 1994.
    """
    return votes.sum(votes.score) / votes.count


@_method(SCORES)
def combmax(votes: Votes) -> Floats:
    """The highest of the scores, over the runs that have the document.

    Edward Fox and Joseph Shaw, Combination of Multiple Searches, TREC-2, 1994.
    """
    return votes.highest(votes.score)


@_method(SCORES)
def combmed(votes: Votes) -> Floats:
    """The median of the scores over the runs that have the document, of two in the middle their mean.

    Edward Fox and Joseph Shaw, Combination of Multiple Searches, TREC-2, 1994.
    """
    return votes.median(votes.score)


@_method(SCORES)
def combmin(votes: Votes) -> Floats:
    """The lowest of the scores, over the runs that have the document: one that a single run has keeps its score.

    Edward Fox and Joseph Shaw, Combination of Multiple Searches, TREC-2, 1994.
    """
    return -votes.highest(-votes.score)


@_method(SCORES)
def combmnz(votes: Votes) -> Floats:
    """The sum of the scores times the number of runs that have the document.

    Runs that have it count whatever their score is, so that 0 after min-max counts too.

    Edward Fox and Joseph Shaw, Combination of Multiple Searches, TREC-2, 1994; Joon Ho Lee, Analyses of Multiple
    Evidence Combination, SIGIR 1997.
    """
    return votes.sum(votes.score) * votes.count


@_method(SCORES, weighted=True)
def combsum(votes: Votes) -> Floats:
    """The sum of the scores; with weights the weighted sum.

    A run that lacks the document adds nothing, which is the lowest there is after min-max, and the average after z.

    Edward Fox and Joseph Shaw, Combination of Multiple Searches, TREC-2, 1994. Weighted: Christopher Vogt and Garrison
    Cottrell, Fusion Via a Linear Combination of Scores, Information Retrieval 1, 1999.
    """
    return votes.sum(votes.weighted(votes.score))


@_method(RANKS)
def isr(votes: Votes) -> Floats:
    """Inverse square rank: the sum of 1 / rank² times the number of runs that have the document.

    André Mourão, Flávio Martins and João Magalhães, Inverse Square Rank Fusion for Multimodal Search, CBMI 2014;
    Multimodal Medical Information Retrieval with Unsupervised Rank Fusion, Computerized Medical Imaging and Graphics
    39, 2015.
    """
    return votes.sum(1 / votes.rank.astype(float) ** 2) * votes.count


@_method(RANKS, weighted=True, k=K)
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
