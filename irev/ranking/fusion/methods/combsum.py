"""CombSUM, and with weights the linear combination of scores."""

from __future__ import annotations

from irev.base.segments import Floats
from irev.ranking.fusion.method import SCORES, FusionMethod
from irev.ranking.fusion.votes import Votes


def combsum(votes: Votes) -> Floats:
    """The sum of the scores; with weights the weighted sum.

    A run that lacks the document adds nothing, which is the lowest there is after min-max, and the average after z.

    Edward Fox and Joseph Shaw, Combination of Multiple Searches, TREC-2, 1994. Weighted: Christopher Vogt and Garrison
    Cottrell, Fusion Via a Linear Combination of Scores, Information Retrieval 1, 1999.
    """
    return votes.sum(votes.weighted(votes.score))


METHOD = FusionMethod(combsum, SCORES, weighted=True)
