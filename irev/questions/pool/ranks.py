"""What ranks alone say of which documents to judge: the first of every run, and those that all runs together put first.

Depth: Karen Spärck Jones and Keith van Rijsbergen, Report on the Need for and Provision of an "Ideal" Information
Retrieval Test Collection, Cambridge 1975. Reciprocal rank fusion: Gordon Cormack, Charles Clarke and Stefan Büttcher,
Reciprocal Rank Fusion Outperforms Condorcet and Individual Rank Learning Methods, SIGIR 2009.
"""

from __future__ import annotations

import numpy as np

from irev.base.segments import Floats
from irev.questions.pool.candidates import Candidates, Selection
from irev.ranking.fusion.methods import reciprocal
from irev.ranking.fusion.votes import summed


def by_depth(candidates: Candidates) -> Selection:
    """All candidates, of which no more were read than are asked for; best rank first, equal ones by id, highest
    first."""
    return Selection(np.argsort(candidates.best, kind="stable"))


def by_fusion(candidates: Candidates, budget: int) -> Selection:
    """The documents of the highest scores that are not judged, as many as the budget has left; ties by id."""
    score = fused(candidates)
    order = np.argsort(-score, kind="stable")
    order = order[candidates.unjudged[order]][: max(budget - candidates.judged, 0)]
    return Selection(order, score[order])


def fused(candidates: Candidates) -> Floats:
    """(d,) The sum of 1 / (60 + rank) over the runs that have a document, as ``irev fuse`` has it."""
    return summed(reciprocal(candidates.rank), candidates.document, candidates.found_by)
