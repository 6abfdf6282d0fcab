"""The position-based model: a document is clicked if it is looked at and attractive, and deep ones are looked at less.

Nick Craswell, Onno Zoeter, Michael Taylor and Bill Ramsey, An Experimental Comparison of Click Position-Bias Models,
WSDM 2008, who call it the examination hypothesis; Thorsten Joachims, Adith Swaminathan and Tobias Schnabel, Unbiased
Learning-to-Rank with Biased Feedback, WSDM 2017, for the propensities 1 / rank.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from irev.questions.online.simulate.models import ClickModel

if TYPE_CHECKING:
    from irev.base.chance import SeededChance


def propensities(length: int) -> tuple[float, ...]:
    """Position r is looked at with probability 1 / r, whatever stands there and was clicked."""
    return tuple(1.0 / position for position in range(1, length + 1))


def clicks(attractive: Sequence[float], chance: SeededChance) -> list[int]:
    """P(click at r) = 1 / r × the probability that the document there is clicked if it is looked at."""
    looked_at = propensities(len(attractive))
    return [
        position
        for position, (seen, attracts) in enumerate(zip(looked_at, attractive, strict=True), 1)
        if chance.uniform() < seen * attracts
    ]


MODEL = ClickModel(clicks, propensities)
