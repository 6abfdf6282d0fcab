"""Reciprocal rank fusion: the documents that all runs together put first.

Gordon Cormack, Charles Clarke and Stefan Büttcher, Reciprocal Rank Fusion Outperforms Condorcet and Individual Rank
Learning Methods, SIGIR 2009.
"""

from __future__ import annotations

import numpy as np

from irev.analysis.pools.candidates import Candidates
from irev.analysis.pools.selection import Selection
from irev.base import segments
from irev.base.segments import Floats

K = 60
"""The constant of the paper."""


def choose(candidates: Candidates, budget: int) -> Selection:
    """The documents of the highest scores that are not judged, as many as the budget has left; ties by id."""
    score = fused(candidates)
    order = np.argsort(-score, kind="stable")
    order = order[candidates.unjudged[order]][: max(budget - candidates.judged, 0)]
    return Selection(order, score[order])


def fused(candidates: Candidates) -> Floats:
    """(d,) The sum of 1 / (60 + rank) over the runs that have a document.

    Added from the best rank on, whatever the order of the runs, so that the last digit does not depend on it.
    """
    order = np.lexsort((candidates.rank, candidates.document))
    return segments.total(1 / (K + candidates.rank[order]), candidates.document[order], len(candidates.documents))
