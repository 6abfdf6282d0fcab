"""Ratios of two sums over users, such as clicks by impressions, and differences between two groups of users; and means
of values that have weights, Σ w v / Σ w, which are such ratios.

Users are independent of each other; the impressions of one user are not. So the variance of a ratio comes from how
users vary, whatever varies inside of them (Deng, Knoblich and Lu, Applying the Delta Method in Metric Analytics, KDD
2018). A user who comes 500 times as often as others pulls the ratio so close that hardly anything seems to vary. That
is why `ratio` leaves each user out in turn, and counts degrees of freedom by how users weigh.

A weighted mean is a ratio of two sums over the queries, which are a sample; the weight of a query comes with it. Where
all weigh the same its t interval is Student's interval of the mean. The bootstrap draws queries with their weights:
Efron and Tibshirani, An Introduction to the Bootstrap, 1993, chapters 13 and 14.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import NamedTuple, Protocol

import numpy as np

from irev.base.records import dataclass
from irev.base.segments import Floats, Ints
from irev.statistics import special
from irev.statistics.intervals import Interval, corrected_quantiles, quantile, unseen_error, widened
from irev.statistics.plan import Plan
from irev.statistics.resampling import resampled_counts
from irev.statistics.rounding import SLACK

TIGHTEST = 8.2
"""r = ρ²n at which a sequence reaches the fewest standard errors, at a confidence of 95%: (1 + 1/r) log((1 + r)/0.05²)
is least there, and at 99% near it."""


class Looks(Protocol):
    """How t = value/error is read."""

    def reach(self, confidence: float, freedom: float) -> float:
        """Errors that an interval reaches to either side, for t of so many degrees of freedom."""

    def p(self, t: float, freedom: float) -> float:
        """Two-sided p; at most 1 - confidence exactly where the interval excludes 0."""


class Once:
    """One look, at a time that was chosen before: Student's t."""

    def reach(self, confidence: float, freedom: float) -> float:
        return float(special.stdtrit(freedom, (1 + confidence) / 2))

    def p(self, t: float, freedom: float) -> float:
        return 2 * float(special.stdtr(freedom, -abs(t)))


class Always(NamedTuple):
    """Any number of looks, at any times: an asymptotic confidence sequence.

    Who computes a usual interval each day, and stops when it excludes 0, errs far more often than it says. A confidence
    sequence has an interval for each moment, and the chance that any of them ever misses the truth is at most 1 -
    confidence.

    For a z of the normal distribution the interval reaches √((1 + 1/r) log((1 + r)/(1 - confidence)²)) errors, and p is
    √(1 + r) exp(-z² r/(2(1 + r))), at most 1: the inverse of what a bet on the mixture has won. r grows with what was
    seen, and must not depend on what is found. Where the error is estimated by few, z is the normal quantile with the
    same p as t, so that early looks are not bolder than later ones.

    Attributes
    ----------
    part : float
        How much was seen, of what was planned: above 0, and 1 when all is seen, where the interval is narrowest in
        errors. What is planned has to be the same at all looks.

    Waudby-Smith, Arbour, Sinha, Kennedy and Ramdas, Time-Uniform Central Limit Theory and Asymptotic Confidence
    Sequences, Annals of Statistics 52(6), 2024: the normal mixture of Robbins, Statistical Methods Related to the Law
    of the Iterated Logarithm, Annals of Mathematical Statistics 41(5), 1970, with the error estimated.
    benchmarks/looks.py has how often it errs and how wide it is.
    """

    part: float

    def reach(self, confidence: float, freedom: float) -> float:
        """How many standard errors the interval reaches to either side; infinite while very little was seen."""
        r = TIGHTEST * self.part
        z = math.sqrt((1 + 1 / r) * (math.log1p(r) - 2 * math.log(1 - confidence)))
        return -float(special.stdtrit(freedom, special.ndtr(-z))) if special.ndtr(-z) > 0 else math.inf

    def p(self, t: float, freedom: float) -> float:
        r = TIGHTEST * self.part
        z = float(special.ndtri(special.stdtr(freedom, -abs(t))))
        return math.exp(min(0.0, math.log1p(r) / 2 - z * z * r / (2 * (1 + r))))


ONCE = Once()


HEAVY = 0.1
"""Users weigh as much as they come; where all weigh as much as fewer than this share of them, a few weigh too much."""


LEFT = 1e-6
"""Where leaving out a user leaves a smaller share of Σ x than this there is no error: degrees of freedom are then a
difference of numbers that agree in most of their digits."""


@dataclass(frozen=True)
class Ratio:
    """Σ y / Σ x over users.

    Attributes
    ----------
    value : float or None
        None where Σ x is 0, and where a sum is not finite.
    error : float or None
        Its standard error, by the jackknife; 0 where no y is off by more than 10^-12 of what it is, which is rounding.
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


def ratio(y: Floats, x: Floats) -> Ratio:
    """The ratio Σ y / Σ x, of one entry for each user.

    Its error is that of the jackknife, √((n - 1)/n Σ (r_i - r)²), r_i being the ratio without user i: r_i - r = -(y -
    rx)/(Σ x - x) (Tukey, Bias and Confidence in Not-Quite Large Samples, Annals of Mathematical Statistics 29, 1958; of
    clusters of unequal size Bell and McCaffrey, Bias Reduction in Standard Errors for Linear Regression with
    Multi-Stage Samples, Survey Methodology 28(2), 2002). With s the share of a user in Σ x, t has as many degrees of
    freedom as

        (Σ s/(1 - s))² / (Σ s²(1 - 2s)/(1 - s)⁴ + (Σ s²/(1 - s)²)²),

    which are Bell and McCaffrey's for that variance if all impressions vary alike, and n - 1 where users weigh the
    same.
    """
    above, below = float(y.sum()), float(x.sum())
    if not (below and math.isfinite(above) and math.isfinite(below) and math.isfinite(above / below)):
        return Ratio(None, None, len(y))
    terms = jackknife_terms(y, x, above / below, below)
    return of_terms(above / below, len(y), None if terms is None else [math.fsum(term.tolist()) for term in terms])


def jackknife_terms(y: Floats, x: Floats, value: float, total: float) -> tuple[Floats, ...] | None:
    """The terms of the error and of the degrees of freedom, of users of all whose ratio is `value` and Σ x `total`.

    They are (r_i - r)², what rounding of these can come to, the terms of the degrees, and those of `Ratio.effective`.
    None where a user has all but a millionth of Σ x, and where a square is too large.
    """
    rest = total - x
    if (rest < LEFT * total).any():
        return None
    with np.errstate(over="ignore", invalid="ignore"):
        share, left = x / total, rest / total
        apart = (y - value * x) / rest
        size = (y / rest) ** 2 + (value * x / rest) ** 2
        odds = share / left
        first = odds**2 * (1 - 2 * share) / left**2
        terms = (apart**2, size, odds, first, odds**2, share**2, share**4)
    return terms if all(np.isfinite(term).all() for term in terms) else None


def of_terms(value: float, n: int, sums: Sequence[float] | None, alike: bool = False) -> Ratio:
    """The ratio of n users, given the sums of their terms; for units that chance treats as one, `alike`, the degrees
    are the geometric mean with those of Satterthwaite where that is less."""
    if n < 2 or sums is None:
        return Ratio(value, None, n)
    squares, size, odds, first, second, shares, fourth = sums
    # What y is off by rounding is nothing.
    squares = squares if squares > SLACK**2 * size else 0.0
    degrees = odds**2 / (first + second**2)
    if alike:
        degrees = min(degrees, math.sqrt(degrees * shares**2 / fourth))
    return Ratio(value, math.sqrt((n - 1) / n * squares), n, degrees, 1 / shares)


def around(of: Ratio, confidence: float, looks: Looks = ONCE) -> Interval | None:
    """value ± t·error, t by its degrees of freedom; None where the error is none or 0: no user differs then. Also
    None where an interval that holds at every look is still infinite."""
    if of.value is None or not of.error:
        return None
    reach = looks.reach(confidence, of.freedom) * of.error
    return Interval(of.value - reach, of.value + reach) if math.isfinite(reach) else None


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
    error, degrees = error_of_difference(of, other)
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


def error_of_difference(of: Ratio, other: Ratio) -> tuple[float | None, float | None]:
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
