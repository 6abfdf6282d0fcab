"""CombMED."""

from __future__ import annotations

from irev.base.segments import Floats
from irev.ranking.fusion.method import SCORES, FusionMethod
from irev.ranking.fusion.votes import Votes


def combmed(votes: Votes) -> Floats:
    """The median of the scores over the runs that have the document, of two in the middle their mean.

    Edward Fox and Joseph Shaw, Combination of Multiple Searches, TREC-2, 1994.
    """
    return votes.median(votes.score)


METHOD = FusionMethod(combmed, SCORES)
