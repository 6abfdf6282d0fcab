"""Notes on samples: too few relevant documents for some estimates."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from irev.base.errors import JudgmentsWarning
from irev.base.settings import Settings
from irev.base.text import percent
from irev.evaluation.notes import Note
from irev.reading.fields import PICKED
from irev.reading.judgments import Judgments

if TYPE_CHECKING:
    from irev.measures import Request

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
    if details is None:
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


def notes(judgments: Judgments, settings: Settings, requests: Sequence[Request] | None) -> Iterator[Note]:
    """A sample with so few relevant documents that estimates which are asked for are biased."""
    sample = sampled(judgments, settings.level)
    if sample is None or judgments.details is None:
        return
    if sample.few and any(request.measure.name in BIASED for request in requests or ()):
        said = (
            f": {percent(round(sample.share, 3))} of the documents that were sampled are judged, with"
            f" {sample.relevant:.1f} relevant documents a query; with fewer than 8, estimates of AP and nDCG are"
            " biased"
        )
        yield Note(judgments.name, said, "", JudgmentsWarning)
