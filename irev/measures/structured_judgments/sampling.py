"""How much of a sample there is to estimate from: where it is too little, estimates of average precision are biased."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from irev.reading.formats.structured import PICKED, PROBABILITIES, STRATA
from irev.reading.judgments import Judgments

BIASED = frozenset({"statap", "stat_Rprec", "xinfap", "infndcg"})
"""The measures that divide by what is estimated."""

FEW = 8
"""With fewer relevant documents of a query, in the mean, the bias was up to two thirds of the value in the simulation
of docs/sampled.md; with as many and more it was 8% at most."""

LOW = 0.5
"""Where more than this share was drawn, estimates are near what they estimate however few documents are relevant."""


class Sampled(NamedTuple):
    """A sample.

    Attributes
    ----------
    share : float
        Of the documents that were not certain to be judged, how many were.
    relevant : float
        Relevant documents that are judged, of a query in the mean.
    """

    share: float
    relevant: float

    @property
    def few(self) -> bool:
        """Whether there are too few for estimates of average precision."""
        return self.share <= LOW and self.relevant < FEW


def sampled(judgments: Judgments, level: float) -> Sampled | None:
    """What was drawn; None for judgments of no sample, and of one that is complete."""
    details = judgments.details
    if details is None or judgments.kind not in (PROBABILITIES, STRATA):
        return None
    group, groups = details.grouped
    if details.probability is not None:
        by_chance = ~groups.are(*PICKED)[group] & (details.probability < 1)
        drawn, documents = float(by_chance.sum()), float((1 / details.probability[by_chance]).sum())
    else:
        size, judged = np.bincount(group), np.bincount(group[details.grade >= 0], minlength=int(group.max()) + 1)
        part = judged < size
        drawn, documents = float(judged[part].sum()), float(size[part].sum())
    if not documents:
        return None
    return Sampled(drawn / documents, float((judgments.grade >= level).sum()) / len(judgments.queries))
