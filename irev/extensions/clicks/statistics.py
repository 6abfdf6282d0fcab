"""Statistics of users: ratios over users who come in parts, shares, users who are dealt out again, and groups that are
not as large as they were meant to be.

Users who are dealt out: where values are skewed, such as what users spend, and one group is much smaller than the
other, Student's t is skewed too, and finds differences that are not there. If the groups do not differ, any users could
have been in either, so that every way to deal them out is as likely as the one that was seen: p is exact, however
values are distributed (Pitman, Significance Tests Which May Be Applied to Samples from Any Populations, JRSS Supplement
4, 1937). What is compared is t itself, so that for many users the test is also right where groups have the same ratio
and vary differently (Janssen, Studentized Permutation Tests for Non-i.i.d. Hypotheses, Statistics & Probability Letters
36, 1997; Chung and Romano, Exact and Asymptotically Robust Permutation Tests, Annals of Statistics 41(2), 2013).
benchmarks/ab_tests.py has how often it errs, beside other tests.

Sample-ratio mismatch: where groups are not as large as they were meant to be, users were lost or counted twice in one
group and not in another, and no comparison of the groups means anything: Fabijan et al., Diagnosing Sample Ratio
Mismatch in Online Controlled Experiments, KDD 2019.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterator, Sequence
from fractions import Fraction
from typing import NamedTuple

import numpy as np

from irev.base.records import dataclass
from irev.base.segments import Array, Floats, Ints
from irev.statistics import special
from irev.statistics.effects import noncentrality
from irev.statistics.intervals import Interval, quantile
from irev.statistics.paired import tail
from irev.statistics.ratios import (
    ONCE,
    TIGHTEST,
    Looks,
    Ratio,
    RatioDifference,
    error_of_difference,
    fieller,
    jackknife_terms,
    of_terms,
)

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


SLACK_OF_CHANCES = 1e-7
"""Chances of tables that differ by less, of themselves, are equal: logarithms of factorials round."""


def as_large(first: int, of_first: int, second: int, of_second: int) -> float:
    """Fisher's exact two-sided p of a share being as large in one sample as in another: the chance, given how many
    there are in both, of a table that is no likelier than this one.

    Chances that differ by rounding alone count as equal. Fisher, The Design of Experiments, 1935, section 21; Irwin,
    Tests of Significance for Differences between Percentages Based on Small Numbers, Metron 12(2), 1935.

    Parameters
    ----------
    first, of_first, second, of_second : int
        So many of so many, in each sample.
    """
    both = first + second
    k = np.arange(max(0, both - of_second), min(both, of_first) + 1, dtype=np.float64)
    rest = of_first - k, both - k, of_second - both + k
    log = -(special.gammaln(k + 1) + sum(special.gammaln(each + 1) for each in rest))
    chances = np.exp(log - log.max())
    # The lowest first, so that none is lost among larger ones.
    chances.sort()
    here = math.exp(float(log[first - int(k[0])] - log.max()))
    return min(1.0, float(chances[chances <= here * (1 + SLACK_OF_CHANCES)].sum() / chances.sum()))


def least_as_large(both: int, of_first: int, of_second: int) -> float:
    """The least p that `as_large` can have, of `both` in the two samples together: that of all in one of them, as far
    as it goes."""
    most = min(both, of_first), max(0, both - of_second)
    return min(as_large(first, of_first, both - first, of_second) for first in most)


def lead(wins: float, ties: float, losses: float, reach: float) -> tuple[float, float]:
    """The score interval of (wins - losses)/n, n counting ties too: all Δ that are not `reach` standard errors away,
    these being what they are if Δ is true.

    Without ties it is Wilson's of the share of wins (Probable Inference, the Law of Succession, and Statistical
    Inference, JASA 22, 1927): it holds shares near 0 and 1 as often as others, and has a width where all are wins.
    Tango, Equivalence Test and Confidence Interval for the Difference in Proportions for the Paired-Sample Design,
    Statistics in Medicine 17, 1998.

    Parameters
    ----------
    wins, ties, losses : float
        0 or more each, and together above 0. What is not independent counts for less: as many as independent ones
        would say as much.
    reach : float
        Above 0; 1.96 for a confidence of 95%.
    """
    n, apart = wins + ties + losses, wins - losses

    def away(delta: float) -> float:
        """Standard errors from Δ, squared, with the sign of what is seen less Δ."""
        b = -wins - losses + (2 * n - apart) * delta
        c = -losses * delta * (1 - delta)
        # The likeliest chance of a loss, if Δ is true.
        chance = (math.sqrt(max(b * b - 8 * n * c, 0.0)) - b) / (4 * n)
        variance = n * max(2 * chance + delta - delta * delta, 0.0)
        off = apart - n * delta
        if off * off <= 1e-24 * n * n:
            return 0.0
        return math.copysign(off * off / variance if variance else math.inf, off)

    def end(inside: float, outside: float, sign: int) -> float:
        for _ in range(100):
            middle = (inside + outside) / 2
            if sign * away(middle) <= reach * reach:
                inside = middle
            else:
                outside = middle
        return outside

    return end(apart / n, -1.0, 1), end(apart / n, 1.0, -1)


class Signs(NamedTuple):
    """The interval of the share of wins, and p of a share of 1/2."""

    interval: Interval
    p: float


def signs(wins: int, losses: int, planned: float, confidence: float) -> Signs:
    """The share of wins, at any look: exact, of signs that are independent and that no later look changes.

    A share π is outside where B(a + wins, a + losses)/B(a, a) is at least π^wins (1 - π)^losses/(1 - confidence): a bet
    against π, spread over all shares by a beta distribution, has won so much that the chance of it is 1 - confidence at
    most (Ville 1939). p is the inverse of what is won against 1/2.

    Parameters
    ----------
    wins, losses : int
    planned : float
        About how many there will be; the same at all looks. a is (planned/8.2 - 1)/2, and at least 1/2.
    confidence : float
    """
    won = _won(a := _weight(planned) / 2, wins) + _won(a, losses) - _won(2 * a, wins + losses)

    def outside(share: float) -> bool:
        return won - _likely((wins, losses), (share, 1 - share)) >= -math.log(1 - confidence)

    def end(inside: float, out: float) -> float:
        for _ in range(60):
            middle = (inside + out) / 2
            inside, out = (inside, middle) if outside(middle) else (middle, out)
        return out

    n = wins + losses
    at = wins / n if n else 0.5
    interval = Interval(end(at, 0.0) if wins else 0.0, end(at, 1.0) if losses else 1.0)
    return Signs(interval, counts((wins, losses), (0.5, 0.5), planned))


def counts(seen: Sequence[int], shares: Sequence[float], planned: float) -> float:
    """p of so many of each kind, if shares are these, at any look: the same mixture, over a Dirichlet distribution of
    which these are the means. Lindon and Malek, Anytime-Valid Inference for Multinomial Count Data, NeurIPS 2022.

    Parameters
    ----------
    seen : sequence of int
    shares : sequence of float
        Above 0, and 1 together.
    planned : float
        As in `signs`.
    """
    weight = _weight(planned)
    won = math.fsum(_won(weight * share, count) for count, share in zip(seen, shares, strict=True)) - _won(
        weight, sum(seen)
    )
    return math.exp(min(0.0, _likely(seen, shares) - won))


def _weight(planned: float) -> float:
    """How many signs what is supposed before weighs as much as."""
    return max(planned / TIGHTEST - 1, 1.0)


def _won(weight: float, count: int) -> float:
    """log Γ(weight + count)/Γ(weight)."""
    return math.lgamma(weight + count) - math.lgamma(weight)


def _likely(seen: Sequence[int], chances: Sequence[float]) -> float:
    """The logarithm of the chance of what was seen, in its order."""
    return math.fsum(count * math.log(chance) for count, chance in zip(seen, chances, strict=True) if count)


RULE = 355
"""Kohavi's rule: Student's t is trusted with so many users in each group times the square of the skewness. Kohavi,
Deng, Longbotham and Xu, Seven Rules of Thumb for Web Site Experimenters, KDD 2014, after Boos and Hughes-Oliver, How
Large Does n Have to Be for Z and t Intervals?, The American Statistician 54(2), 2000."""

SAMPLES = 9_999
"""Ways to deal users out that are drawn, always the same."""

LEAST = 2 / (SAMPLES + 1)
"""The least p of the test."""

SINGLY = 1_000
"""So many users, those farthest from the common ratio, are dealt out one by one. The sums of all others are drawn from
the normal distribution that sums of users drawn without replacement come to."""

SLACK = 1e-9
"""Values of t that differ by less, of themselves, are equal."""

BLOCK = 1 << 21
"""Numbers that are in memory at a time."""

Users = tuple[Floats, Floats]
"""y and x of each user."""


def needed(skewness: float) -> int:
    """How many users Kohavi's rule asks for in a group."""
    return math.ceil(RULE * skewness * skewness)


def deal(of: Users, other: Users, confidence: float) -> RatioDifference:
    """The test of Σ y / Σ x being the same in two groups, whose users are dealt out again.

    t is the difference over √(e² + e'²), e being the error of either ratio by the delta method, √(n/(n - 1) Σ (y -
    rx)²)/Σ x. p is twice the smaller of the shares of t as large, and as small, among `SAMPLES` ways to deal users out
    and the one that was seen, and at most 1. Both intervals exclude 0 exactly where p is at most 1 - confidence: they
    reach as many errors to either side as t does at the quantiles (1 ∓ confidence)/2.

    Parameters
    ----------
    of, other : (n,) and (n,), (m,) and (m,)
        y and x of the users, at least two in each group, and x above 0. Their order changes nothing.
    confidence : float

    Returns
    -------
    RatioDifference
        Without degrees of freedom; where no user differs from the ratio of the own group, without all that follows
        from errors.
    """
    (value, error), (base, other_error) = _known(of), _known(other)
    apart, both = value - base, math.hypot(error, other_error)
    relative = apart / base if base > 0 else None
    if not both:
        return RatioDifference(apart, relative=relative)
    y, x = (np.concatenate(columns) for columns in zip(of, other, strict=True))
    sampled = np.sort(np.concatenate(list(_sampled(y, x, len(of[0])))))
    observed = apart / both
    slack = SLACK * abs(observed)
    above = len(sampled) - int(np.searchsorted(sampled, observed - slack))
    below = int(np.searchsorted(sampled, observed + slack, side="right"))
    p = min(1.0, 2 * (min(above, below) + 1) / (SAMPLES + 1))
    beyond = max(1, math.floor((1 - confidence) / 2 * (SAMPLES + 1) + SLACK))
    left, right = float(sampled[-beyond]), -float(sampled[beyond - 1])
    low = high = None
    if relative is not None:
        ends = [fieller(value / base, t * error / base, t * other_error / base) for t in (left, right)]
        if left > 0 < right and ends[0] is not None and ends[1] is not None:
            low, high = ends[0][0], ends[1][1]
    return RatioDifference(apart, both, None, apart - left * both, apart + right * both, p, relative, low, high)


def _known(group: Users) -> tuple[float, float]:
    """The ratio of a group, and its error by the delta method."""
    y, x = group
    above, below = math.fsum(y), math.fsum(x)
    squares = math.fsum((y - above / below * x) ** 2)
    if squares <= SLACK**2 * math.fsum(y * y):  # what y is off by rounding is nothing
        squares = 0.0
    return above / below, math.sqrt(len(y) / (len(y) - 1) * squares) / below


def _sampled(y: Floats, x: Floats, first: int) -> Iterator[Floats]:
    """t of each way to deal the users out, some at a time."""
    n = len(y)
    u = y - math.fsum(y) / math.fsum(x) * x
    order = np.lexsort((x, y, -np.abs(u)))
    u, x = u[order] / (np.abs(u).max() or 1.0), x[order] / x.max()
    columns = np.stack((u, x, u * u, u * x, x * x), axis=1)
    singly = n if n <= 2 * SINGLY else SINGLY
    single, rest = columns[:singly], columns[singly:]
    total = columns.sum(axis=0)
    if len(rest):
        mean, root = rest.mean(axis=0), _root(np.cov(rest, rowvar=False))
    random = np.random.Generator(np.random.PCG64(0))
    rows = max(1, BLOCK // singly)
    for done in range(0, SAMPLES, rows):
        several = min(rows, SAMPLES - done)
        # Of the users dealt out one by one, so many come to the first group: those with the lowest keys.
        here = random.hypergeometric(singly, len(rest), first, several) if len(rest) else np.full(several, first)
        keys = random.random((several, singly))
        ranks = np.unique(np.maximum(here, 1) - 1)
        bounds = np.partition(keys, ranks, axis=1)[np.arange(several), np.maximum(here, 1) - 1]
        sums = (keys <= np.where(here, bounds, -1.0)[:, None]).astype(np.float64) @ single
        if len(rest):
            left = (first - here)[:, None].astype(np.float64)
            normal = random.standard_normal((several, len(mean))) @ root.T
            sums += left * mean + np.sqrt(left * (len(rest) - left) / len(rest)) * normal
        yield _t(sums, total - sums, first, n - first)


def _t(sums: Floats, others: Floats, n: int, m: int) -> Floats:
    """t of two groups of n and m users, from Σ u, Σ x, Σ u², Σ ux and Σ x² of each."""
    apart, variance = np.zeros(len(sums)), np.zeros(len(sums))
    with np.errstate(divide="ignore", invalid="ignore"):
        for sign, users, (u, x, uu, ux, xx) in ((1, n, sums.T), (-1, m, others.T)):
            ratio = u / x
            apart += sign * ratio
            variance += users / (users - 1) * np.maximum(uu - 2 * ratio * ux + ratio * ratio * xx, 0) / (x * x)
        t: Floats = apart / np.sqrt(variance)
    return np.where(np.isnan(t), 0.0, t)


def _root(covariance: Floats) -> Floats:
    """A lower triangle L with L L' = covariance, which may be singular (Cholesky)."""
    root = np.zeros_like(covariance)
    for column in range(len(root)):
        left = covariance[column, column] - root[column] @ root[column]
        if left > SLACK * covariance[column, column]:
            root[column:, column] = (covariance[column:, column] - root[column:] @ root[column]) / math.sqrt(left)
    return root


EXPECTED = 50
"""Fewer members expected of a group are too few for the approximation: with 5 expected of some groups, chi-square has
p ≤ 0.001 in 3 of 1,000 splits, with 50 in 1.2."""

STATES = 200_000
"""Counts of all groups but two are gone through, where there are no more ways than so many."""

UNLIKELY = 1e-300
"""Counts of a group that are less likely, given those before, are left out."""

DRAWN = 50_000
TOGETHER = 1_000_000
"""Groupings that are drawn instead, and how many counts of them are in memory at a time."""


def mismatch(counts: Ints, shares: Floats) -> float:
    """p of groups of such sizes, when each member falls into a group with the chance that is its share.

    Two groups: the exact binomial test, twice the smaller tail and at most 1. More: the chance of a sum Σ (count -
    expected)²/expected that is as large, Pearson's. It is exact, of the multinomial distribution, where the counts of
    all groups but the two largest can be gone through in `STATES`, as those of three groups nearly always can. Else it
    is that of chi-square with k - 1 degrees of freedom where `EXPECTED` or more are expected in each group, and else
    (m + 1)/(n + 1), m of `DRAWN` = n groupings drawn at random, always the same, having a sum as large. A chance below
    1e-300 or so is 0.

    Parameters
    ----------
    counts : (k,)
        Members of each group, k ≥ 2.
    shares : (k,)
        Above 0; only their proportions count, so that 1 and 1 are halves.
    """
    n, expected = int(counts.sum()), shares / shares.sum()
    if not n:
        return 1.0
    if len(counts) == 2:
        (one, two), (share, rest) = counts.tolist(), expected.tolist()
        # As many ones or more is as many twos or fewer.
        return tail("two-sided", float(special.bdtr(one, n, share)), float(special.bdtr(two, n, rest)))
    expected = expected * n
    apart = float(((counts - expected) ** 2 / expected).sum())
    exact = _exact(n, np.sort(expected), apart)
    if exact is not None:
        return exact
    if expected.min() < EXPECTED:
        return _drawn(n, expected, apart)
    return float(special.chdtrc(len(counts) - 1, apart))


def _exact(n: int, expected: Floats, apart: float) -> float | None:
    """The chance of a sum as large; None where there are too many ways. Groups come with the smallest first."""
    bound = apart * (1 - SLACK)
    left, chance, sums = np.array([n]), np.ones(1), np.zeros(1)
    for place in range(len(expected) - 2):
        share = expected[place] / expected[place:].sum()
        # Members that may be in this group, whatever the groups before it have.
        most = _most(n, share)
        if len(left) * (most + 1) > STATES:
            return None
        k = np.arange(most + 1)
        of, count = np.repeat(np.arange(len(left)), len(k)), np.tile(k, len(left))
        chances = chance[of] * _binomial(count, left[of], share)
        kept = chances > UNLIKELY
        of, count, chance = of[kept], count[kept], chances[kept]
        left, sums = left[of] - count, sums[of] + (count - expected[place]) ** 2 / expected[place]
    one, two = expected[-2:]
    # Of the last two groups: sums are as large where the count of the first is at most one root, or at least the other.
    curve, middle = 1 / one + 1 / two, left / two
    inside = middle**2 - curve * (one + (left - two) ** 2 / two - (bound - sums))
    off = np.sqrt(np.maximum(inside, 0))
    low, high = np.floor((middle - off) / curve), np.ceil((middle + off) / curve)
    share = one / (one + two)
    below = np.where(low < 0, 0.0, special.bdtr(np.clip(low, 0, left), left, share))
    above = np.where(high > left, 0.0, special.bdtr(np.clip(left - high, 0, left), left, 1 - share))
    tails = np.where((inside <= 0) | (low >= high), 1.0, np.minimum(below + above, 1.0))
    return min(1.0, float((chance * tails).sum()))


def _most(n: int, share: float) -> int:
    """A count that hardly any binomial number exceeds: by Bernstein's inequality, with a chance of `UNLIKELY`."""
    size = -math.log(UNLIKELY)
    return min(n, math.ceil(n * share + size / 3 + math.sqrt(size**2 / 9 + 2 * size * n * share * (1 - share))))


def _binomial(count: Ints, n: Ints, share: float) -> Floats:
    """The chance of so many of n."""
    count = np.where(count <= n, count, -1)
    known = np.maximum(count, 0)
    log = special.gammaln(n + 1.0) - special.gammaln(known + 1.0) - special.gammaln(n - known + 1.0)
    log += known * math.log(share) + (n - known) * math.log1p(-share)
    chances: Floats = np.where(count < 0, 0.0, np.exp(log))
    return chances


def least(n: int, shares: Floats) -> float:
    """The least p of n members: where all are in the group with the smallest share."""
    return mismatch(np.where(np.arange(len(shares)) == np.argmin(shares), n, 0), shares)


def _drawn(n: int, expected: Floats, apart: float) -> float:
    """How likely a sum is that is as large, by groupings drawn at random."""
    random = np.random.default_rng(0)
    several = max(1, TOGETHER // len(expected))
    found = 0
    for done in range(0, DRAWN, several):
        counts = random.multinomial(n, expected / expected.sum(), min(several, DRAWN - done))
        sums = ((counts - expected) ** 2 / expected).sum(axis=1)
        found += int((sums >= apart * (1 - SLACK)).sum())
    return (found + 1) / (DRAWN + 1)
