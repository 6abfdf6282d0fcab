"""Inverse square rank fusion."""

from __future__ import annotations

import numpy as np

from irev.base.segments import Floats
from irev.ranking.fusion.method import RANKS, FusionMethod
from irev.ranking.fusion.votes import Votes


def isr(votes: Votes) -> Floats:
    """Inverse square rank: the sum of 1 / rank² times the number of runs that have the document.

    André Mourão, Flávio Martins and João Magalhães, Inverse Square Rank Fusion for Multimodal Search, CBMI 2014;
    Multimodal Medical Information Retrieval with Unsupervised Rank Fusion, Computerized Medical Imaging and Graphics
    39, 2015.
    """
    return votes.sum(1 / np.square(votes.rank.astype(np.float64))) * votes.count


METHOD = FusionMethod(isr, RANKS)
