"""Reciprocal rank fusion: the documents that all runs together put first.

Gordon Cormack, Charles Clarke and Stefan Büttcher, Reciprocal Rank Fusion Outperforms Condorcet and Individual Rank
Learning Methods, SIGIR 2009.
"""

from __future__ import annotations

import numpy as np

from irev.analysis.pools.candidates import Candidates
from irev.analysis.pools.selection import Selection
from irev.base.segments import Floats
from irev.ranking.fusion.methods.rrf import reciprocal
from irev.ranking.fusion.votes import summed


def choose(candidates: Candidates, budget: int) -> Selection:
    """The documents of the highest scores that are not judged, as many as the budget has left; ties by id."""
    score = fused(candidates)
    order = np.argsort(-score, kind="stable")
    order = order[candidates.unjudged[order]][: max(budget - candidates.judged, 0)]
    return Selection(order, score[order])


def fused(candidates: Candidates) -> Floats:
    """(d,) The sum of 1 / (60 + rank) over the runs that have a document, as ``irev fuse`` has it."""
    return summed(reciprocal(candidates.rank), candidates.document, candidates.found_by)
