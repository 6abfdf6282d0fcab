"""The cascade model: a user reads from the top, clicks the first document that attracts, and is done.

Nick Craswell, Onno Zoeter, Michael Taylor and Bill Ramsey, An Experimental Comparison of Click Position-Bias Models,
WSDM 2008.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from irev.questions.online.simulate.models import ClickModel

if TYPE_CHECKING:
    from irev.base.chance import SeededChance


def clicks(attractive: Sequence[float], chance: SeededChance) -> list[int]:
    """P(click at r) = p_r × (1 - p_1) … (1 - p_{r-1}), with p_i the probability that the document at i attracts.

    Whether a position is looked at depends on what stands above it, so that there are no propensities.
    """
    for position, attracts in enumerate(attractive, 1):
        if chance.uniform() < attracts:
            return [position]
    return []


MODEL = ClickModel(clicks)
