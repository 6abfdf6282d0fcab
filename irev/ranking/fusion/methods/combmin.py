"""CombMIN."""

from __future__ import annotations

from irev.base.segments import Floats
from irev.ranking.fusion.method import SCORES, FusionMethod
from irev.ranking.fusion.votes import Votes


def combmin(votes: Votes) -> Floats:
    """The lowest of the scores, over the runs that have the document: one that a single run has keeps its score.

    Edward Fox and Joseph Shaw, Combination of Multiple Searches, TREC-2, 1994.
    """
    return -votes.highest(-votes.score)


METHOD = FusionMethod(combmin, SCORES)
