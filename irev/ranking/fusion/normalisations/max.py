"""Scores divided by the highest."""

from __future__ import annotations

from irev.base.segments import Floats
from irev.ranking.fusion.method import Normalisation
from irev.ranking.fusion.votes import RunRankings


def by_highest(rankings: RunRankings) -> Floats:
    """score / highest: 1 for the best of each query.

    Only where the highest score of a query is above 0; any other is refused, since dividing by it would turn the
    ranking upside down or is not possible.

    Joon Ho Lee, Combining Multiple Evidence from Different Properties of Weighting Schemes, SIGIR 1995.
    """
    return rankings.score / rankings.highest[rankings.owner]


NORMALISATION = Normalisation(by_highest, positive=True)
