"""A metric in a bucket: what is added over users, how much they vary, and what makes them vary less.

What users did before the test says much of what they do in it, and nothing of the bucket that they were drawn for. So
CUPED takes θ times that from what they do (Deng, Xu, Kohavi and Walker, Improving the Sensitivity of Online Controlled
Experiments by Utilizing Pre-Experiment Data, WSDM 2013): y of a user becomes y - θw, with w = y₀ - qx₀ of the time
before, q = Σ y₀ / Σ x₀ over all users of the test. Σ w is 0 over all of them, and in each bucket but for chance. With
u = y - rx, r being the ratio of the bucket, θ = Σ uw / Σ w² is the one with which u varies least: the variance falls by
the squared correlation of u and w. Who was not there before has a w of 0.
"""

from __future__ import annotations

import math
from collections import Counter
from fractions import Fraction
from typing import Any

import numpy as np

from irev.base.segments import Bools, Floats, Ints
from irev.extensions.clicks import user_permutation
from irev.extensions.clicks.online.by_user import Columns, Users
from irev.extensions.clicks.online.metrics import ClickMetric
from irev.extensions.clicks.ratios import ExactSum, Jackknife, around_share, around_skewed
from irev.statistics.intervals import Interval
from irev.statistics.ratios import Looks, Ratio

ENOUGH = 10
"""So many users of each bucket at least must have another value than the commonest of the bucket, or t is not used."""


class LessVariance:
    """What makes a metric vary less, alike in all buckets: what users did before.

    Attributes
    ----------
    weight : float
        θ.
    explained : float or None
        The share by which the variance falls; None without a log of the time before.
    """

    def __init__(self, metric: ClickMetric, before: bool) -> None:
        self.metric, self.before = metric, before
        self.weight, self.explained = 0.0, (0.0 if before else None)
        self._y, self._x = ExactSum(), ExactSum()
        self._center = 0.0
        self._products = ExactSum(), ExactSum(), ExactSum()

    def of(self, sums: Columns, impressions: Any) -> tuple[Any, Any]:
        """y and x of users."""
        return sums[self.metric.sum], impressions if self.metric.per == "impressions" else sums[self.metric.per]

    def add(self, users: Users, here: Bools) -> None:
        """Take what users did before."""
        if self.before:
            for total, each in zip((self._y, self._x), self.of(users.before, users.before["impressions"]), strict=True):
                total.add(each[here])

    def settle(self) -> None:
        """Make q of what was added."""
        if self._x.exact:
            self._center = float(self._y.exact / self.metric.unit / self._x.exact)

    def shift(self, users: Users) -> Floats:
        """w of each user."""
        y, x = self.of(users.before, users.before["impressions"])
        found: Floats = y / self.metric.unit - self._center * x
        return found

    def covary(self, u: Floats, w: Floats) -> None:
        """Take u and w of users of one bucket."""
        for total, each in zip(self._products, (u * w, w * w, u * u), strict=True):
            total.add(each)

    def weigh(self) -> None:
        """Make θ of what was taken."""
        both, own, other = (total.value for total in self._products)
        if own and other:
            self.weight, self.explained = both / own, both / own * both / other


class MetricSums:
    """A metric in a bucket, over those of its users who have anything to divide by.

    Users come once to be added, with a log of the time before once more to be compared with it, then to see how they
    vary around the ratio, and where that is too skewed for t once more, to be kept.
    """

    def __init__(self, metric: ClickMetric, bucket: int, less: LessVariance | None = None) -> None:
        self.metric, self.bucket = metric, bucket
        self.less = LessVariance(metric, before=False) if less is None else less
        self.n = self.any = 0
        self.few, self.below = True, False
        self._often: Counter[float] = Counter()
        self._y, self._x, self._w = ExactSum(), ExactSum(), ExactSum()
        self._jackknife: Jackknife | None = None
        self._moments = ExactSum(), ExactSum()
        self._value, self._print, self._kept = 0.0, 0.0, list[tuple[Floats, Floats]]()
        self._wild = False

    def _of(self, users: Users, here: Bools) -> tuple[Ints, Any, Ints]:
        """The rows of users who have anything to divide by, and their y and x."""
        y, x = self.less.of(users.sums, users.impressions)
        rows = np.flatnonzero(here & (x > 0))
        return rows, y[rows], x[rows]

    def add(self, users: Users, here: Bools) -> None:
        """Take users."""
        _, y, x = self._of(users, here)
        self.n += len(x)
        self.any += int(np.count_nonzero(y < x if self.metric.absent else y > 0))
        self.below |= bool((y < 0).any())
        if self.few and len(x):
            # Of more users no fewer have another value than most, so that what is enough stays so.
            values, counts = np.unique(y / x, return_counts=True)
            self._often.update(dict(zip(values.tolist(), counts.tolist(), strict=True)))
            self.few = self.n - max(self._often.values()) < ENOUGH
            if not self.few:
                self._often.clear()
        for total, values in ((self._y, y), (self._x, x)):
            total.add(values if _largest(values) < 1 << 38 else values.astype(np.float64))

    def settle(self) -> bool:
        """Make the ratio of what was added; whether there is one."""
        x = self._x.exact
        if not x:
            return False
        self._value = float((self._y.exact / self.metric.unit - Fraction(self.less.weight) * self._w.exact) / x)
        self._jackknife = Jackknife(self._value, float(x))
        return True

    def covary(self, users: Users, here: Bools) -> None:
        """Add the covariance of what users did with what they did before the test."""
        _, y, x, w = self._beside(users, here)
        self._w.add(w)
        self.less.covary(y - self._value * x, w)

    def vary(self, users: Users, here: Bools) -> None:
        """See how users vary."""
        rows, y, x = self._floats(users, here)
        if self._jackknife is None or not len(x):
            return
        self._jackknife.add(y, x)
        with np.errstate(over="ignore", invalid="ignore"):
            apart = y - self._value * x
            powers = apart**2, apart**3
            self._print += float(apart @ (users.key[rows, 0] * 2.0**-64))
        self._wild |= not all(np.isfinite(power).all() for power in powers)
        for total, power in zip(self._moments, powers, strict=True):
            total.add(power if not self._wild else np.zeros(0))

    def keep(self, users: Users, here: Bools) -> None:
        """Keep users, who will be dealt out again."""
        self._kept.append(self._floats(users, here)[1:])

    def _beside(self, users: Users, here: Bools) -> tuple[Ints, Floats, Floats, Floats]:
        """The rows, y, x and w of users who have anything to divide by, or did before: that is all but for chance alike
        in all buckets, and having something to divide by in the test need not be."""
        y, x = self.less.of(users.sums, users.impressions)
        w = self.less.shift(users)
        rows = np.flatnonzero(here & ((x > 0) | (w != 0)))
        return rows, np.where(x > 0, y, 0)[rows] / self.metric.unit, x[rows].astype(np.float64), w[rows]

    def _floats(self, users: Users, here: Bools) -> tuple[Ints, Floats, Floats]:
        if self.less.weight:
            rows, above, below, w = self._beside(users, here)
            return rows, above - self.less.weight * w, below
        rows, y, x = self._of(users, here)
        return rows, y / self.metric.unit, np.asarray(x, dtype=np.float64)

    @property
    def fingerprint(self) -> float | None:
        """|Σ hu|/√Σ u² of u = y - rx, h being the hash of the user's id as a number from 0 to 1: equal for metrics
        whose u are multiples of each other, and for no others but by chance. None where there is no error above 0."""
        if self._wild or not self.ratio().error:
            return None
        return abs(self._print) / math.sqrt(self._moments[0].value or math.inf)

    @property
    def kept(self) -> tuple[Floats, Floats]:
        """y and x of each user."""
        y, x = (np.concatenate(columns) for columns in zip(*self._kept, strict=True))
        return y, x

    def ratio(self) -> Ratio:
        """The ratio."""
        return Ratio(None, None, self.n) if self._jackknife is None else self._jackknife.ratio()

    def interval(self, confidence: float, looks: Looks) -> Interval | None:
        """The interval of the ratio; of values that are not below 0 it does not go below 0."""
        if self.metric.share:
            return around_share(self.ratio(), confidence, looks)
        found = around_skewed(self.ratio(), self.skewness or 0.0, confidence, looks)
        return found if found is None or self.below else Interval(max(found.low, 0.0), found.high)

    @property
    def skewness(self) -> float | None:
        """m₃/m₂^1.5 of y - rx; None where there is no error above 0."""
        ratio = self.ratio()
        if self._wild or not ratio.error:
            return None
        second, third = (total.value / ratio.n for total in self._moments)
        deviation = math.sqrt(second)
        if not deviation:
            return None
        skewness = third / deviation / deviation / deviation
        return skewness if abs(skewness) > user_permutation.SLACK else 0.0


def too_skewed(of: MetricSums, other: MetricSums) -> bool:
    """Whether values vary, and either bucket has fewer users than Kohavi's rule asks for."""
    if of.few or other.few or None in (of.ratio().error, other.ratio().error):
        return False
    return any(each.n < user_permutation.needed(each.skewness or 0.0) for each in (of, other))


def _largest(values: Any) -> int:
    return int(np.abs(values).max(initial=0))
