"""Intervals and p-values for a mean that the data only bound from both sides, such as one with unseen parts.

The mean lies between a lower and an upper end, each of which is estimated. The interval goes from the lower limit of
the lower end to the upper limit of the upper end, and a test asks the end that is nearer to zero: Manski,
Nonparametric Bounds on Treatment Effects, American Economic Review 80(2), 1990; Imbens and Manski, Confidence Intervals
for Partially Identified Parameters, Econometrica 72(6), 2004.

Where few events decide, each limit is computed as if one more event had happened, of all that could have happened the
one that moves the limit most. Fay and Feuer do so with the upper limit of a weighted sum of counts, whose mean and
variance are these (Confidence Intervals for Directly Standardized Rates, Statistics in Medicine 16, 1997).
"""

from __future__ import annotations

import math
from typing import NamedTuple

from irev.base.records import dataclass
from irev.statistics.intervals import Interval, quantile
from irev.statistics.ratios import Ratio


@dataclass(frozen=True)
class Bounded:
    """A mean between two ends.

    Attributes
    ----------
    low, high : Ratio
        The ends, of the same users.
    down, up : float
        How far one more event could move an end down, and up; 0 where none could.
    """

    low: Ratio
    high: Ratio
    down: float
    up: float

    def interval(self, confidence: float) -> Interval | None:
        """From the lower limit of the lower end to the upper limit of the upper end, by Student's t. None where an end
        has no error, as with fewer than two users."""
        low, high = self._below(), self._above()
        if low is None or high is None:
            return None
        return Interval(
            low.value - quantile(low.freedom + 1, confidence) * low.error,
            high.value + quantile(high.freedom + 1, confidence) * high.error,
        )

    def p_of_zero(self) -> float | None:
        """Two-sided p of a mean of 0: below 1 - confidence exactly where `interval` excludes 0, and 1 where 0 lies
        between the ends. None where an end has no error."""
        low, high = self._below(), self._above()
        if low is None or high is None:
            return None
        return min(1.0, 2 * min(_tail(low.value, low), _tail(-high.value, high)))

    def _below(self) -> _End | None:
        return _moved(self.low, -self.down)

    def _above(self) -> _End | None:
        return _moved(self.high, self.up)


class _End(NamedTuple):
    value: float
    error: float
    freedom: float


def _moved(end: Ratio, by: float) -> _End | None:
    """An end as if one more event had moved it."""
    if end.value is None or end.error is None:
        return None
    return _End(end.value + by, math.hypot(end.error, by), end.freedom)


def _tail(value: float, of: _End) -> float:
    """One-sided p of a mean of at most 0."""
    from irev.statistics.special import stdtr

    return float(stdtr(of.freedom, -value / of.error)) if of.error else float(value <= 0)
