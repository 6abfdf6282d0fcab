"""Ratios over users who come in parts, and what only clicks need of ratios: intervals of shares and of skewed sums, and
means that the data only bound."""

from __future__ import annotations

import math
from collections import Counter
from fractions import Fraction
from typing import NamedTuple

import numpy as np

from irev.base.records import dataclass
from irev.base.segments import Array, Floats
from irev.statistics import special
from irev.statistics.effects import noncentrality
from irev.statistics.intervals import Interval, quantile
from irev.statistics.ratios import ONCE, Looks, Ratio, error_of_difference, jackknife_terms, of_terms

_BITS, _LOW = 53, 26


_PIECE = 1 << 24


class ExactSum:
    """A sum of finite numbers, as whole multiples of powers of two.

    Every float is a whole number of 53 bits times a power of two. The upper and the lower bits of numbers of the same
    power are added as whole numbers that a float holds exactly.
    """

    def __init__(self) -> None:
        self._whole = 0
        self._of_power: Counter[int] = Counter()

    def add(self, values: Array) -> None:
        """Add all of some values, whole numbers (of fewer than 2^39 in size) or floats."""
        if values.dtype.kind in "iu":
            self._whole += sum(int(values[at : at + _PIECE].sum()) for at in range(0, len(values), _PIECE))
            return
        for at in range(0, len(values), _PIECE):
            piece = values[at : at + _PIECE]
            mantissa, power = np.frexp(piece[piece != 0])
            if not len(power):
                continue
            whole = np.ldexp(mantissa, _BITS).astype(np.int64)
            least = int(power.min())
            high = np.bincount(power - least, weights=(whole >> _LOW).astype(np.float64))
            low = np.bincount(power - least, weights=(whole & ((1 << _LOW) - 1)).astype(np.float64))
            for place in np.flatnonzero(high.astype(bool) | low.astype(bool)).tolist():
                self._of_power[least + place] += (int(high[place]) << _LOW) + int(low[place])

    @property
    def exact(self) -> Fraction:
        """The sum."""
        least = min(self._of_power, default=_BITS)
        total = sum(number << (power - least) for power, number in self._of_power.items())
        return Fraction(total) * Fraction(2) ** (least - _BITS) + self._whole

    @property
    def value(self) -> float:
        """The float that is nearest to the sum."""
        return float(self.exact)


class Jackknife:
    """The ratio of users who come in parts and in any order, which changes nothing, to the last bit.

    Its error and degrees are those of `irev.statistics.ratios.ratio`.

    If all impressions of a unit are alike, and do not vary alike, t has about (Σ s²)²/Σ s⁴ degrees of freedom
    (Satterthwaite, An Approximate Distribution of Estimates of Variance Components, Biometrics Bulletin 2, 1946).
    benchmarks/interleaving.py has how often tests err with and without this.

    Parameters
    ----------
    value, x : float
        Σ y / Σ x and Σ x over all users.
    alike : bool
        For units that chance treats as one, such as all impressions of one interleaved list: the degrees are the
        geometric mean of both numbers, where that is less than the first.
    """

    def __init__(self, value: float, x: float, alike: bool = False) -> None:
        self._value, self._x, self._alike, self._n, self._whole = value, x, alike, 0, False
        self._sums = [ExactSum() for _ in range(7)]

    def add(self, y: Floats, x: Floats) -> None:
        """Take some users: y and x of each, x being 0 or more."""
        self._n += len(y)
        terms = jackknife_terms(y, x, self._value, self._x)
        if terms is None:
            self._whole = True
            return
        for total, term in zip(self._sums, terms, strict=True):
            total.add(term)

    def ratio(self) -> Ratio:
        """The ratio, when all users were taken."""
        sums = None if self._whole else [total.value for total in self._sums]
        return of_terms(self._value, self._n, sums, self._alike)


def crossed(users: Ratio, lists: Ratio, both: Ratio) -> Ratio:
    """One ratio over units that belong to a user and to a list, where neither users nor lists repeat by chance.

    The variance is that over users plus that over lists less that over pairs of both, and at least either of the first
    two (Cameron, Gelbach and Miller, Robust Inference with Multiway Clustering, Journal of Business and Economic
    Statistics 29(2), 2011); the degrees of freedom are the fewer of both. Without an error where one has none.

    Parameters
    ----------
    users, lists, both : Ratio
        The same ratio by `Jackknife` over users, over lists, and over pairs of a user and a list.
    """
    if users.error is None or lists.error is None or both.error is None:
        return Ratio(users.value, None, min(users.n, lists.n))
    larger = max(users.error, lists.error)
    variance = max(users.error**2 + lists.error**2 - both.error**2, larger**2)
    fewer = min(users, lists, key=lambda each: each.freedom)
    return Ratio(users.value, math.sqrt(variance), fewer.n, fewer.degrees, fewer.effective)


def around_share(of: Ratio, confidence: float, looks: Looks = ONCE) -> Interval | None:
    """The interval of a ratio of which no user has less than 0 or more than 1: Clopper and Pearson's of nr of n, where
    n = r(1 - r)/error² · (z/t)², z being t of endless degrees of freedom. Where no user differs, r(1 - r)/error² is
    `Ratio.effective`. None where there is no error.

    Korn and Graubard, Confidence Intervals for Proportions with Small Expected Number of Positive Counts Estimated from
    Survey Data, Survey Methodology 24(2), 1998.
    """
    if of.value is None or of.error is None or of.effective is None:
        return None
    z, t = (looks.reach(confidence, freedom) for freedom in (math.inf, of.freedom))
    if not math.isfinite(t):
        return None
    share = min(max(of.value, 0.0), 1.0)
    n = (share * (1 - share) / of.error**2 if of.error else of.effective) * (z / t) ** 2
    with_any, without = n * share, n * (1 - share)
    tail = float(special.ndtr(-z))
    low = float(special.betaincinv(with_any, without + 1, tail)) if with_any else 0.0
    return Interval(low, 1 - float(special.betaincinv(without, with_any + 1, tail)) if without else 1.0)


def around_skewed(of: Ratio, skewness: float, confidence: float, looks: Looks = ONCE) -> Interval | None:
    """As `around`, with t made symmetric by Hall's cubic: of skewness g and a = g/√n, value - error·q(±t), where
    q(t) = 3/a (∛(1 + a(t - a/6)) - 1).

    Hall, On the Removal of Skewness by Transformation, JRSS B 54(1), 1992; Zhou and Gao, One-Sided Confidence Intervals
    for Means of Positively Skewed Distributions, The American Statistician 54(2), 2000.
    """
    if of.value is None or not of.error:
        return None
    reach, a = looks.reach(confidence, of.freedom), skewness / math.sqrt(of.n)
    if not math.isfinite(reach):
        return None
    low, high = (t if abs(a) < TINY else 3 / a * (math.cbrt(1 + a * (t - a / 6)) - 1) for t in (reach, -reach))
    return Interval(of.value - low * of.error, of.value - high * of.error)


def detectable(of: Ratio, other: Ratio, alpha: float, power: float, looks: Looks = ONCE) -> float | None:
    """The minimum detectable effect: the true difference that a two-sided test at level `alpha` finds, in the right
    direction, with a chance of `power`, for groups that vary and are as large as these. None where there is no error.

    It is λ·error, λ being the noncentrality with which t, of the degrees of freedom of `difference`, exceeds its
    quantile 1 - alpha/2 with that chance; for many users nearly (z_{1 - alpha/2} + z_power)·error. Bloom, Minimum
    Detectable Effects, Evaluation Review 19(5), 1995; Kohavi, Tang and Xu, Trustworthy Online Controlled Experiments,
    2020, chapter 17.
    """
    error, degrees = error_of_difference(of, other)
    if error is None or degrees is None:
        return None
    reach = looks.reach(1 - alpha, degrees)
    return noncentrality(reach, degrees, 1 - power) * error if math.isfinite(reach) else None


@dataclass(frozen=True)
class Bounded:
    """A mean that the data only bound from both sides, such as one with unseen parts.

    It lies between a lower and an upper end, each of which is estimated. The interval goes from the lower limit of the
    lower end to the upper limit of the upper end, and a test asks the end that is nearer to zero: Manski, Nonparametric
    Bounds on Treatment Effects, American Economic Review 80(2), 1990; Imbens and Manski, Confidence Intervals for
    Partially Identified Parameters, Econometrica 72(6), 2004.

    Where few events decide, each limit is computed as if one more event had happened, of all that could have happened
    the one that moves the limit most. Fay and Feuer do so with the upper limit of a weighted sum of counts, whose mean
    and variance are these (Confidence Intervals for Directly Standardized Rates, Statistics in Medicine 16, 1997).

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
    return float(special.stdtr(of.freedom, -value / of.error)) if of.error else float(value <= 0)


TINY = 1e-6
"""Skewness that changes no interval."""
