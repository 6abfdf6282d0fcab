"""Probabilistic interleaving: runs are distributions from which documents are drawn, those of high rank most often.

Katja Hofmann, Shimon Whiteson and Maarten de Rijke, A Probabilistic Method for Inferring Preferences from Clicks, CIKM
2011.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Sequence
from math import fsum
from typing import TYPE_CHECKING

from irev.questions.online.interleaving.interleaved import A, B, Clicked, Interleaved, filled
from irev.questions.online.interleaving.methods import InterleavingMethod

if TYPE_CHECKING:
    from irev.base.chance import SeededChance
    from irev.base.segments import Floats

TAU = 3
"""How steeply the probability of a document falls with its rank: as rank ** -TAU."""


class _Left:
    """What a run has that is not shown, best first: documents, their ranks, and weights of these."""

    def __init__(self, run: Sequence[bytes]) -> None:
        self.documents = [*run]
        self.ranks = [*range(1, len(run) + 1)]
        self.weights = [1.0 / float(rank**TAU) for rank in self.ranks]
        self._rank = dict(zip(run, self.ranks, strict=True))

    def take(self, document: bytes) -> float:
        """Take out a document; the probability that it had to be drawn next, 0 where the run has it not."""
        rank = self._rank.get(document)
        if rank is None:
            return 0.0
        place = bisect_left(self.ranks, rank)
        probability = self.weights[place] / fsum(self.weights)
        del self.documents[place], self.ranks[place], self.weights[place]
        return probability


def draw(a: Sequence[bytes], b: Sequence[bytes], length: int, chance: SeededChance) -> Interleaved:
    """For every position a coin says whose distribution a document is drawn from; it leaves both of them.

    The probability of a document of rank r is r ** -3 over the sum of that over all that the run has left. As the coins
    are independent of each other, and of what was shown before, so are the teams of a list given its documents: the
    share of A in one is P_A / (P_A + P_B), by the probabilities that both runs had for it. What is left when either run
    has nothing more is nobody's.
    """
    left_a, left_b = _Left(a), _Left(b)
    shown: dict[bytes, str | None] = {}
    shares: list[float | None] = []
    while len(shown) < length and left_a.documents and left_b.documents:
        left, team = (left_a, A) if chance.coin() else (left_b, B)
        document = left.documents[chance.choose(left.weights)]
        shown[document] = team
        of_a, of_b = left_a.take(document), left_b.take(document)
        shares.append(of_a / (of_a + of_b))
    filled(shown, length, a, b)
    shares += [None] * (len(shown) - len(shares))
    return Interleaved(tuple(shown), tuple(shown.values()), tuple(shares))


def credit(clicked: Clicked) -> tuple[Floats, Floats]:
    """A click is shared out by the probabilities that A, and that B, contributed the document, given the list.

    That is the credit by teams, as they were drawn, in expectation over all ways in which the list could have come
    about: no more noise than there has to be. Its mean over lists and clicks is what compares runs; the sign of a
    single list says less, since shares of clicks at random are 1/2 on average and not in the median.
    """
    import numpy as np

    share = clicked.share if clicked.share is not None else np.empty(0)
    return share, 1 - share


METHOD = InterleavingMethod(draw, credit, lambda k: k, whole=True)
