"""CombMAX."""

from __future__ import annotations

from irev.base.segments import Floats
from irev.ranking.fusion.method import SCORES, FusionMethod
from irev.ranking.fusion.votes import Votes


def combmax(votes: Votes) -> Floats:
    """The highest of the scores, over the runs that have the document.

    Edward Fox and Joseph Shaw, Combination of Multiple Searches, TREC-2, 1994.
    """
    return votes.highest(votes.score)


METHOD = FusionMethod(combmax, SCORES)
