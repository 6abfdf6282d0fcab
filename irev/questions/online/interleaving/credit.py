"""What clicks on interleaved lists are worth to either run: a method's rule for single clicks, added up by list."""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple

import numpy as np

from irev.base.segments import Floats
from irev.questions.online.interleaving import methods
from irev.questions.online.interleaving.interleaved import Clicked, Interleaved, clicked


class Credit(NamedTuple):
    """What each of `i` lists is worth to A and to B, both float (i,); 0 for lists without a click that counts."""

    a: Floats
    b: Floats


def credited(method: str, clicks: Clicked, impressions: int) -> Credit:
    """The credit of A and of B for clicks on `impressions` lists of one method.

    A document that is clicked again counts once, and one of nobody's not at all: it says nothing to Joachims' rule of
    how far anybody looked either. Clicks may stand in any order. Raises `UsageError` for a method that there is not.
    """
    rule = methods.find(method).credit
    order = np.lexsort((clicks.position, clicks.impression))
    impression, position = clicks.impression[order], clicks.position[order]
    again = (impression[1:] == impression[:-1]) & (position[1:] == position[:-1])
    counted = clicks.at(order[np.r_[True, ~again][: len(order)] & (clicks.team[order] != 0)])
    a, b = (np.bincount(counted.impression, worth, impressions).astype(np.float64) for worth in rule(counted))
    return Credit(a, b)


def credit(method: str, shown: Interleaved, positions: Iterable[int]) -> tuple[float, float]:
    """The credit of A and of B for clicks at some positions of one list, counting from 1."""
    found = credited(method, clicked([shown], ((0, position) for position in positions)), 1)
    return float(found.a[0]), float(found.b[0])
