"""CombMNZ."""

from __future__ import annotations

from irev.base.segments import Floats
from irev.ranking.fusion.method import SCORES, FusionMethod
from irev.ranking.fusion.votes import Votes


def combmnz(votes: Votes) -> Floats:
    """The sum of the scores times the number of runs that have the document.

    Runs that have it count whatever their score is, so that 0 after min-max counts too.

    Edward Fox and Joseph Shaw, Combination of Multiple Searches, TREC-2, 1994; Joon Ho Lee, Analyses of Multiple
    Evidence Combination, SIGIR 1997.
    """
    return votes.sum(votes.score) * votes.count


METHOD = FusionMethod(combmnz, SCORES)
