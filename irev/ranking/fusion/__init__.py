"""Fusion: several runs made one, query by query; the ways to do so, and what is asked for.

`inputs` brings the queries of all runs together while they are read, and `fused` makes a run of what they say of
documents (`Votes`). Ways to fuse are functions of votes, called as users call them; ``--list`` shows the first
paragraph of each. The command line lists the names, so numpy is imported only where it is used.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, TypeVar

from irev.base.errors import UsageError, option
from irev.base.records import dataclass
from irev.base.registry import docstring

if TYPE_CHECKING:
    from irev.base.segments import Floats, Ints
    from irev.ranking.fusion.votes import RunRankings, Votes

RANKS, SCORES = "ranks", "scores"
"""What is looked at of the rankings."""


@dataclass(frozen=True)
class FusionMethod:
    """A way to fuse.

    Attributes
    ----------
    function : callable
        ``function(votes)``: (d,) the score of each document; ``function(votes, k)`` where it has a constant.
    of : str
        `RANKS`, or `SCORES`, which are normalised before.
    weighted : bool
        Whether runs may have weights: their contributions are added up.
    k : float or None
        Its constant, unless another is asked for.
    """

    function: Callable[..., Floats]
    of: str
    weighted: bool = False
    k: float | None = None

    @property
    def says(self) -> str:
        """What it is, in a line."""
        return _first_line(self.function)


@dataclass(frozen=True)
class Normalisation:
    """A way to make scores of different runs comparable.

    Attributes
    ----------
    function : callable
        ``function(rankings)``: (n,) what stands for the score of each row.
    of : str
        `RANKS` or `SCORES`.
    positive : bool
        Whether the highest score of every query has to be above 0.
    """

    function: Callable[[RunRankings], Floats]
    of: str = SCORES
    positive: bool = False

    @property
    def says(self) -> str:
        """What it is, in a line."""
        return _first_line(self.function)


def _first_line(function: Callable[..., Floats]) -> str:
    return docstring(function).split("\n\n", 1)[0].replace("\n", " ").strip()


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


USUAL_METHOD, USUAL_NORM, NONE = "rrf", "min-max", "none"


@dataclass(frozen=True)
class FusionSpec:
    """A fusion.

    Attributes
    ----------
    method : str
        One of `METHODS`.
    norm : str
        One of `NORMALISATIONS`, or ``none``, which a method of ranks has too.
    k : float or None
        The constant of a method that has one.
    weights : tuple of float or None
        One for each run.
    depth : int or None
        The first so many documents of each ranking of the runs; None for all.
    top : int or None
        The first so many documents of each fused ranking.
    """

    method: str = USUAL_METHOD
    norm: str = NONE
    k: float | None = None
    weights: tuple[float, ...] | None = None
    depth: int | None = None
    top: int | None = None

    @property
    def of_scores(self) -> bool:
        """Whether anything is computed from scores, and not from ranks alone."""
        if METHODS[self.method].of != SCORES:
            return False
        return self.norm == NONE or NORMALISATIONS[self.norm].of == SCORES


def require_weights(spec: FusionSpec, runs: int) -> None:
    """Raise `UsageError` for weights that are not as many as the runs, or all of which are 0."""
    if spec.weights is None:
        return
    if len(spec.weights) != runs:
        said = f"{len(spec.weights)} weight{'s' * (len(spec.weights) != 1)} for {runs} run{'s' * (runs != 1)}"
        raise UsageError(said, remedy=f"give {option('weights')} one number for each run, in their order")
    if not any(spec.weights):
        raise UsageError("all weights are 0, so no run counts", remedy="give one run another weight")
