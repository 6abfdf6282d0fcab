"""Equivalence: whether a difference is shown to be small. No difference found is not that."""

from __future__ import annotations

import math

import numpy as np

from irev.base.records import dataclass
from irev.base.segments import Floats
from irev.statistics.rounding import constant, scaled
from irev.statistics.test_result import CONSTANT, NO_DIFFERENCE


@dataclass(frozen=True)
class Equivalence:
    """Two one-sided t tests against a margin.

    Attributes
    ----------
    p_not_worse : float or None
        Of the mean difference being -margin or less; a small one shows that the run is not worse by the margin.
    p_not_better : float or None
        Of the mean difference being margin or more.
    p : float or None
        The larger of both; a small one shows that the runs are the same within the margin.
    note : str
        Why there is no p, or what is special about it; mostly empty.
    """

    p_not_worse: float | None
    p_not_better: float | None
    p: float | None
    note: str = ""


def equivalence(differences: Floats, margin: float) -> Equivalence:
    """The tests of n differences, with t = (mean ± margin)/(s/√n) on n - 1 degrees of freedom.

    Where all queries differ by the same amount, or none does, there is no variance to test against, and no p: two
    queries without a difference show nothing of a third.

    Schuirmann, A Comparison of the Two One-Sided Tests Procedure and the Power Approach for Assessing the Equivalence
    of Average Bioavailability, Journal of Pharmacokinetics and Biopharmaceutics 15(6), 1987.
    """
    n = len(differences)
    if n < 2:
        return Equivalence(None, None, None, "fewer than two queries")
    if not np.isfinite(differences).all():
        return Equivalence(None, None, None, "a difference is not a finite number")
    if constant(differences):
        note = CONSTANT if differences.any() else f"{NO_DIFFERENCE}, and so there is no variance to test against"
        return Equivalence(None, None, None, note)
    from irev.statistics.special import stdtr

    small, exponent = scaled(differences)
    mean, error = float(small.mean()), float(small.std(ddof=1)) / math.sqrt(n)
    with np.errstate(over="ignore"):
        reach = float(np.ldexp(margin, -int(exponent)))
    not_worse = float(stdtr(n - 1, -(mean + reach) / error))
    not_better = float(stdtr(n - 1, (mean - reach) / error))
    return Equivalence(not_worse, not_better, max(not_worse, not_better))
