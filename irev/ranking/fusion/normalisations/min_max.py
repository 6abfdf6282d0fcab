"""Scores between 0 and 1."""

from __future__ import annotations

import numpy as np

from irev.base.segments import Floats
from irev.ranking.fusion.method import Normalisation
from irev.ranking.fusion.votes import RunRankings


def min_max(rankings: RunRankings) -> Floats:
    """(score - lowest) / (highest - lowest): from 1 for the best of each query to 0 for the last.

    Where all scores of a query are equal, as that of a single document is, each is the best: 1.

    Joon Ho Lee, Analyses of Multiple Evidence Combination, SIGIR 1997; Mark Montague and Javed Aslam, Relevance Score
    Normalization for Metasearch, CIKM 2001, call it standard; Shengli Wu, Fabio Crestani and Yaxin Bi, Evaluating Score
    Normalization Methods in Data Fusion, AIRS 2006, zero-one.
    """
    lowest, width = rankings.lowest, rankings.highest - rankings.lowest
    one = width == 0
    found = (rankings.score - lowest[rankings.owner]) / np.where(one, 1.0, width)[rankings.owner]
    found[one[rankings.owner]] = 1.0
    return found


NORMALISATION = Normalisation(min_max)
