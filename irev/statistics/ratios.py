"""Ratios of two sums over users, such as clicks by impressions, and differences between two groups of users.

Users are independent of each other; the impressions of one user are not. The delta method has the variance of the
ratio from how users vary, whatever varies inside of them: Deng, Knoblich and Lu, Applying the Delta Method in Metric
Analytics, KDD 2018; Budylin et al., Consistent Transformation of Ratio Metrics for Efficient Online Controlled
Experiments, WSDM 2018.
"""

from __future__ import annotations

import math
from fractions import Fraction

from irev.base.records import dataclass
from irev.base.segments import Floats
from irev.statistics.intervals import Interval, quantile
from irev.statistics.power import noncentrality
from irev.statistics.rounding import SLACK

Exact = Fraction | int | float


@dataclass(frozen=True)
class Ratio:
    """Σ y / Σ x over users.

    Attributes
    ----------
    value : float or None
        None where Σ x is 0, and where a sum is not finite.
    error : float or None
        Its standard error, √(n/(n - 1) Σ (y - value·x)²) / |Σ x|; 0 where no y is off by more than 10^-12 of what it
        is, which is rounding. None where there is no value, for fewer than two
        users, and where the squares are too large to be told.
    n : int
        Users.
    """

    value: float | None
    error: float | None
    n: int


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
    """The ratio Σ y / Σ x, of one entry for each user."""
    above, below = float(y.sum()), float(x.sum())
    if not (below and math.isfinite(above) and math.isfinite(below) and math.isfinite(above / below)):
        return Ratio(None, None, len(y))
    value = above / below
    apart = y - value * x
    return _with_error(len(y), value, below, float(apart @ apart), float(y @ y) + value * value * float(x @ x))


def of_sums(n: int, y: Exact, x: Exact, yy: Exact, xy: Exact, xx: Exact) -> Ratio:
    """The same from n and the sums Σ y, Σ x, Σ y², Σ xy, Σ x² over users: Σ (y - rx)² is Σ y² - 2r Σ xy + r² Σ x².

    The sums are to be exact, since little is left where users hardly differ: the squares of numbers about a million
    that vary by one are 10^12, and what is looked for is 1.
    """
    if not x:
        return Ratio(None, None, n)
    value = Fraction(y) / Fraction(x)
    size = Fraction(yy) + value * value * Fraction(xx)
    return _with_error(n, float(value), float(x), float(size - 2 * value * Fraction(xy)), float(size))


def _with_error(n: int, value: float, x: float, squares: float, size: float) -> Ratio:
    """A ratio, given Σ (y - rx)² and Σ y² + r² Σ x²."""
    if n < 2 or not (math.isfinite(size) and math.isfinite(squares)):
        return Ratio(value, None, n)
    # What y is off by rounding is nothing.
    squares = squares if squares > SLACK**2 * size else 0.0
    return Ratio(value, math.sqrt(n / (n - 1) * squares) / abs(x), n)


def around(of: Ratio, confidence: float) -> Interval | None:
    """value ± t·error, with n - 1 degrees of freedom; None where the error is none or 0: no user differs then."""
    if of.value is None or not of.error:
        return None
    reach = quantile(of.n, confidence) * of.error
    return Interval(of.value - reach, of.value + reach)


def p_of_zero(of: Ratio) -> float | None:
    """Two-sided p of a ratio of 0: of t = value/error, with n - 1 degrees of freedom.

    Without an error above 0 it is 1 for a ratio of 0, if there are two users, and else None.
    """
    from irev.statistics.special import stdtr

    if of.value is None or of.error is None:
        return None
    if not of.error:
        return None if of.value else 1.0
    return 2 * float(stdtr(of.n - 1, -abs(of.value) / of.error))


def difference(of: Ratio, other: Ratio, confidence: float) -> RatioDifference:
    """`of` less `other`: difference ± t·error, and p of t = difference/error.

    t has ν = (e² + e'²)²/(e⁴/(n - 1) + e'⁴/(n' - 1)) degrees of freedom, so that with x = 1 for every user it is
    Welch's test (The Generalization of 'Student's' Problem when Several Different Population Variances are Involved,
    Biometrika 34, 1947). The relative interval has all θ with (r - (1 + θ)r')² ≤ t²(e² + (1 + θ)²e'²), with the same t:
    Fieller, Some Problems in Interval Estimation, JRSS B 16(2), 1954. The delta method would make it symmetric, which
    it is not when the other ratio is known badly.
    """
    from irev.statistics.special import stdtr, stdtrit

    if of.value is None or other.value is None:
        return RatioDifference(None)
    apart = of.value - other.value
    relative = apart / other.value if other.value > 0 else None
    error, degrees = _error(of, other)
    if error is None or degrees is None:
        same = apart == 0 and of.error is not None and other.error is not None
        return RatioDifference(apart, p=1.0 if same else None, relative=relative)
    t = float(stdtrit(degrees, (1 + confidence) / 2))
    p = 2 * float(stdtr(degrees, -abs(apart) / error))
    low, high = apart - t * error, apart + t * error
    ends: tuple[float, float] | None = None
    if relative is not None:
        # All in units of the other ratio.
        reach, other_reach = (t * (each.error or 0.0) / other.value for each in (of, other))
        ends = _fieller(of.value / other.value, reach, other_reach)
    return RatioDifference(apart, error, degrees, low, high, p, relative, *(ends or (None, None)))


def detectable(of: Ratio, other: Ratio, alpha: float, power: float) -> float | None:
    """The minimum detectable effect: the true difference that a two-sided test at level `alpha` finds, in the right
    direction, with a chance of `power`, for groups that vary and are as large as these. None where there is no error.

    It is λ·error, λ being the noncentrality with which t, of the degrees of freedom of `difference`, exceeds its
    quantile 1 - alpha/2 with that chance; for many users nearly (z_{1 - alpha/2} + z_power)·error. Bloom, Minimum
    Detectable Effects, Evaluation Review 19(5), 1995; Kohavi, Tang and Xu, Trustworthy Online Controlled Experiments,
    2020, chapter 17.
    """
    from irev.statistics.special import stdtrit

    error, degrees = _error(of, other)
    if error is None or degrees is None:
        return None
    return noncentrality(float(stdtrit(degrees, 1 - alpha / 2)), degrees, 1 - power) * error


def _error(of: Ratio, other: Ratio) -> tuple[float | None, float | None]:
    """The standard error of the difference, and its degrees of freedom."""
    if of.error is None or other.error is None or not (of.error or other.error):
        return None, None
    error = math.hypot(of.error, other.error)
    # Shares of the variance, so that nothing vanishes when squared twice.
    one, two = (of.error / error) ** 2, (other.error / error) ** 2
    return error, 1 / (one**2 / (of.n - 1) + two**2 / (other.n - 1))


def _fieller(quotient: float, reach: float, other_reach: float) -> tuple[float, float] | None:
    """The ends of quotient - 1, of a number that is known to within `reach` and one of 1 to within `other_reach`; None
    where they have none."""
    known = 1 - other_reach**2
    if known <= 0:
        return None
    off = math.sqrt(reach**2 * known + (quotient * other_reach) ** 2)
    return (quotient - off) / known - 1, (quotient + off) / known - 1
