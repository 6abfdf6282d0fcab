"""CombANZ."""

from __future__ import annotations

from irev.base.segments import Floats
from irev.ranking.fusion.method import SCORES, FusionMethod
from irev.ranking.fusion.votes import Votes


def combanz(votes: Votes) -> Floats:
    """The mean of the scores over the runs that have the document.

    Edward Fox and Joseph Shaw, Combination of Multiple Searches, TREC-2, 1994.
    """
    return votes.sum(votes.score) / votes.count


METHOD = FusionMethod(combanz, SCORES)
