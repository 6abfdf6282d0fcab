"""Ratios of two sums over users, such as clicks by impressions, and differences between two groups of users; and means
of values that have weights, Σ w v / Σ w, which are such ratios.

Users are independent of each other; the impressions of one user are not. So the variance of a ratio comes from how
users vary, whatever varies inside of them (Deng, Knoblich and Lu, Applying the Delta Method in Metric Analytics, KDD
2018). A user who comes 500 times as often as others pulls the ratio so close that hardly anything seems to vary. That
is why `Jackknife` leaves each user out in turn, and counts degrees of freedom by how users weigh.

A weighted mean is a ratio of two sums over the queries, which are a sample; the weight of a query comes with it. Where
all weigh the same its t interval is Student's interval of the mean. The bootstrap draws queries with their weights:
Efron and Tibshirani, An Introduction to the Bootstrap, 1993, chapters 13 and 14.
"""

from __future__ import annotations

import math
from collections import Counter
from fractions import Fraction
from typing import NamedTuple

import numpy as np

from irev.base.records import dataclass
from irev.base.segments import Array, Floats, Ints
from irev.statistics import special
from irev.statistics.intervals import Interval, corrected_quantiles, quantile, unseen_error, widened
from irev.statistics.plan import Plan
from irev.statistics.power import noncentrality
from irev.statistics.resampling import resampled_counts
from irev.statistics.rounding import SLACK
from irev.statistics.sequential import ONCE, Looks

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


HEAVY = 0.1
"""Users weigh as much as they come; where all weigh as much as fewer than this share of them, a few weigh too much."""


LEFT = 1e-6
"""Where leaving out a user leaves a smaller share of Σ x than this there is no error: degrees of freedom are then a
difference of numbers that agree in most of their digits."""


TINY = 1e-6
"""Skewness that changes no interval."""


@dataclass(frozen=True)
class Ratio:
    """Σ y / Σ x over users.

    Attributes
    ----------
    value : float or None
        None where Σ x is 0, and where a sum is not finite.
    error : float or None
        Its standard error, by `Jackknife`; 0 where no y is off by more than 10^-12 of what it is, which is rounding.
        None where there is no value, for fewer than two users, where one user has all but a millionth of Σ x, and
        where the squares are too large to be told.
    n : int
        Users.
    degrees : float or None
        The degrees of freedom of t = value/error; None where there is no error, or n - 1 of them.
    effective : float or None
        (Σ x)²/Σ x²: so many users who all come equally often would weigh as much (Kish, Survey Sampling, 1965). None
        where it is not known.
    """

    value: float | None
    error: float | None
    n: int
    degrees: float | None = None
    effective: float | None = None

    @property
    def freedom(self) -> float:
        """The degrees of freedom of t: n - 1 where no others are given."""
        return self.n - 1 if self.degrees is None else self.degrees

    @property
    def heavy(self) -> bool:
        """Whether a few users weigh much more than the others."""
        return self.effective is not None and self.effective < HEAVY * self.n


@dataclass(frozen=True)
class RatioDifference:
    """One ratio less another, of two groups of users who have nothing to do with each other.

    Attributes
    ----------
    difference : float or None
        None where one of them has no value; so has everything else then.
    error, degrees : float or None
        √(e² + e'²), and the degrees of freedom that Welch and Satterthwaite give its t; None where a group has no
        error, or neither has one above 0: where no user differs there is no variance to test against.
    low, high : float or None
        Of the interval for the true difference; None where there is no error.
    p : float or None
        Two-sided, of no difference. Without an error, 1 where the ratios are equal and of at least two users each, and
        else None.
    relative : float or None
        difference/other; None unless the other ratio is above 0.
    relative_low, relative_high : float or None
        Fieller's interval for it, which excludes 0 exactly where the other interval does. None where there is no error,
        and where the other ratio is so little known that the interval has no end.
    """

    difference: float | None
    error: float | None = None
    degrees: float | None = None
    low: float | None = None
    high: float | None = None
    p: float | None = None
    relative: float | None = None
    relative_low: float | None = None
    relative_high: float | None = None


class Jackknife:
    """How well Σ y / Σ x is known: from what it would be without each user in turn.

    Users may come in parts and in any order, which changes nothing, to the last bit.

    The error is √((n - 1)/n Σ (r_i - r)²), r_i being the ratio without user i: r_i - r = -(y - rx)/(Σ x - x) (Tukey,
    Bias and Confidence in Not-Quite Large Samples, Annals of Mathematical Statistics 29, 1958; of clusters of unequal
    size Bell and McCaffrey, Bias Reduction in Standard Errors for Linear Regression with Multi-Stage Samples, Survey
    Methodology 28(2), 2002). With s the share of a user in Σ x, t has as many degrees of freedom as

        (Σ s/(1 - s))² / (Σ s²(1 - 2s)/(1 - s)⁴ + (Σ s²/(1 - s)²)²),

    which are Bell and McCaffrey's for that variance if all impressions vary alike, and n - 1 where users weigh the
    same. If all impressions of a unit are alike instead, there are about (Σ s²)²/Σ s⁴ (Satterthwaite, An Approximate
    Distribution of Estimates of Variance Components, Biometrics Bulletin 2, 1946). benchmarks/interleaving.py has how
    often tests err with and without this.

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
        # Of (r_i - r)², of what rounding of these can come to, and of the terms of the degrees and of `effective`.
        self._sums = [ExactSum() for _ in range(7)]

    def add(self, y: Floats, x: Floats) -> None:
        """Take some users: y and x of each, x being 0 or more."""
        self._n += len(y)
        rest = self._x - x
        if (rest < LEFT * self._x).any():
            self._whole = True
            return
        with np.errstate(over="ignore", invalid="ignore"):
            share, left = x / self._x, rest / self._x
            apart = (y - self._value * x) / rest
            size = (y / rest) ** 2 + (self._value * x / rest) ** 2
            odds = share / left
            first = odds**2 * (1 - 2 * share) / left**2
            terms = (apart**2, size, odds, first, odds**2, share**2, share**4)
        if not all(np.isfinite(term).all() for term in terms):
            self._whole = True
            return
        for total, term in zip(self._sums, terms, strict=True):
            total.add(term)

    def ratio(self) -> Ratio:
        """The ratio, when all users were taken."""
        n = self._n
        if n < 2 or self._whole:
            return Ratio(self._value, None, n)
        squares, size, odds, first, second, shares, fourth = (total.value for total in self._sums)
        # What y is off by rounding is nothing.
        squares = squares if squares > SLACK**2 * size else 0.0
        error = math.sqrt((n - 1) / n * squares)
        degrees = odds**2 / (first + second**2)
        if self._alike:
            degrees = min(degrees, math.sqrt(degrees * shares**2 / fourth))
        return Ratio(self._value, error, n, degrees, 1 / shares)


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


def ratio(y: Floats, x: Floats) -> Ratio:
    """The ratio Σ y / Σ x, of one entry for each user."""
    above, below = float(y.sum()), float(x.sum())
    if not (below and math.isfinite(above) and math.isfinite(below) and math.isfinite(above / below)):
        return Ratio(None, None, len(y))
    found = Jackknife(above / below, below)
    found.add(y, x)
    return found.ratio()


def around(of: Ratio, confidence: float, looks: Looks = ONCE) -> Interval | None:
    """value ± t·error, t by its degrees of freedom; None where the error is none or 0: no user differs then. Also
    None where an interval that holds at every look is still infinite."""
    if of.value is None or not of.error:
        return None
    reach = looks.reach(confidence, of.freedom) * of.error
    return Interval(of.value - reach, of.value + reach) if math.isfinite(reach) else None


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


def p_of_zero(of: Ratio, looks: Looks = ONCE) -> float | None:
    """Two-sided p of a ratio of 0: of t = value/error, by its degrees of freedom.

    Without an error above 0 it is 1 for a ratio of 0, if there are two users, and else None.
    """
    if of.value is None or of.error is None:
        return None
    if not of.error:
        return None if of.value else 1.0
    return looks.p(of.value / of.error, of.freedom)


def difference(of: Ratio, other: Ratio, confidence: float, looks: Looks = ONCE) -> RatioDifference:
    """`of` less `other`: difference ± t·error, and p of t = difference/error.

    t has (e² + e'²)²/(e⁴/ν + e'⁴/ν') degrees of freedom, ν being those of either ratio, so that with x = 1 for every
    user it is Welch's test (The Generalization of 'Student's' Problem when Several Different Population Variances are
    Involved, Biometrika 34, 1947). The relative interval has all θ with (r - (1 + θ)r')² ≤ t²(e² + (1 + θ)²e'²), with
    the same t: Fieller, Some Problems in Interval Estimation, JRSS B 16(2), 1954. The delta method would make it
    symmetric, which it is not when the other ratio is known badly.
    """
    if of.value is None or other.value is None:
        return RatioDifference(None)
    apart = of.value - other.value
    relative = apart / other.value if other.value > 0 else None
    error, degrees = _error(of, other)
    if error is None or degrees is None:
        same = apart == 0 and of.error is not None and other.error is not None
        return RatioDifference(apart, p=1.0 if same else None, relative=relative)
    t, p = looks.reach(confidence, degrees), looks.p(apart / error, degrees)
    if not math.isfinite(t):
        return RatioDifference(apart, error, degrees, p=p, relative=relative)
    low, high = apart - t * error, apart + t * error
    ends: tuple[float, float] | None = None
    if relative is not None:
        # All in units of the other ratio.
        reach, other_reach = (t * (each.error or 0.0) / other.value for each in (of, other))
        ends = fieller(of.value / other.value, reach, other_reach)
    return RatioDifference(apart, error, degrees, low, high, p, relative, *(ends or (None, None)))


def detectable(of: Ratio, other: Ratio, alpha: float, power: float, looks: Looks = ONCE) -> float | None:
    """The minimum detectable effect: the true difference that a two-sided test at level `alpha` finds, in the right
    direction, with a chance of `power`, for groups that vary and are as large as these. None where there is no error.

    It is λ·error, λ being the noncentrality with which t, of the degrees of freedom of `difference`, exceeds its
    quantile 1 - alpha/2 with that chance; for many users nearly (z_{1 - alpha/2} + z_power)·error. Bloom, Minimum
    Detectable Effects, Evaluation Review 19(5), 1995; Kohavi, Tang and Xu, Trustworthy Online Controlled Experiments,
    2020, chapter 17.
    """
    error, degrees = _error(of, other)
    if error is None or degrees is None:
        return None
    reach = looks.reach(1 - alpha, degrees)
    return noncentrality(reach, degrees, 1 - power) * error if math.isfinite(reach) else None


def _error(of: Ratio, other: Ratio) -> tuple[float | None, float | None]:
    """The standard error of the difference, and its degrees of freedom."""
    if of.error is None or other.error is None or not (of.error or other.error):
        return None, None
    error = math.hypot(of.error, other.error)
    # Shares of the variance, so that nothing vanishes when squared twice.
    one, two = (of.error / error) ** 2, (other.error / error) ** 2
    return error, 1 / (one**2 / of.freedom + two**2 / other.freedom)


def fieller(quotient: float, reach: float, other_reach: float) -> tuple[float, float] | None:
    """The ends of quotient - 1, of a number that is known to within `reach` and one of 1 to within `other_reach`; None
    where they have none."""
    known = 1 - other_reach**2
    if known <= 0:
        return None
    off = math.sqrt(reach**2 * known + (quotient * other_reach) ** 2)
    return (quotient - off) / known - 1, (quotient + off) / known - 1


# Weighted means


class MeanByWeights(NamedTuple):
    """A weighted mean.

    Attributes
    ----------
    mean : float or None
        None where no query has a weight above 0, and so is everything else then.
    effective : float or None
        (Σ w)²/Σ w²: so many queries of equal weight would weigh as much (Kish, Survey Sampling, 1965).
    interval : Interval or None
        With the error of queries that differ and are not in the sample, as `intervals.of_differences`; None as there,
        and where one query has all but a millionth of the weight.
    p : float or None
        Two-sided, of a mean of 0, by t.
    """

    mean: float | None
    effective: float | None
    interval: Interval | None
    p: float | None


def weighted_mean(
    values: Floats, weights: Floats, plan: Plan, cluster: Ints | None = None, largest: float = 1.0
) -> MeanByWeights:
    """The mean of (n,) differences, which are at most `largest`, by their weights, which are 0 or more.

    Of the plan count `interval`, `confidence`, and for the bootstrap `samples` and `seed`. Values without a weight do
    not count. Of values in clusters, (n,) numbers, each cluster is one value with the weight of all of its values.
    Queries that differ and are not in the sample count as in `n eff` queries, of which those of the sample that differ
    are their share of the weight.
    """
    counts = weights > 0
    values, weights = values[counts], weights[counts]
    if cluster is not None:
        number = np.unique(cluster[counts], return_inverse=True)[1]
        sums = np.bincount(number, weights=values * weights)
        weights = np.bincount(number, weights=weights).astype(np.float64)
        values = sums / weights
    found = ratio(values * weights, weights)
    span = around(found, plan.confidence)
    if span is not None and plan.interval != "t":
        sampled = _resampled(values, weights, plan)
        if plan.interval == "percentile":
            low, high = np.quantile(sampled, [(1 - plan.confidence) / 2, (1 + plan.confidence) / 2])
            span = Interval(float(low), float(high))
        else:
            mean, total = float(found.value or 0.0), weights.sum()
            moved = weights * (values - mean) / (total - weights)
            span = corrected_quantiles(sampled, mean, moved, float(np.abs(values).max()), plan.confidence)
    if found.value is not None and found.error is not None and found.effective is not None:
        span = Interval(found.value, found.value) if not found.error else span
        differ = weights[np.abs(values) > SLACK * largest].sum() / weights.sum() if found.error else 0.0
        error = unseen_error(found.effective, found.effective * differ, largest)
        span = widened(span, quantile(found.freedom + 1, plan.confidence) * error, largest)
    return MeanByWeights(found.value, found.effective, span, p_of_zero(found))


def _resampled(values: Floats, weights: Floats, plan: Plan) -> Floats:
    """Weighted means of queries that were drawn again."""
    both = np.stack([values * weights, weights], axis=1)
    sums = np.concatenate([times @ both for times in resampled_counts(len(values), plan.samples, plan.seed)])
    return np.asarray(sums[:, 0] / sums[:, 1], dtype=np.float64)


# Means that are only bounded


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
