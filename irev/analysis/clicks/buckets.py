"""A/B tests: whether users of one bucket did otherwise than those of another.

Users were drawn for buckets, so users are what chance is about: every metric is a ratio of sums over users, and how
users vary says how well it is known (`irev.statistics.ratios`). Whether buckets are as large as they were meant to be
is looked at first; where they are not, nothing else is found.

Where nearly all users of a bucket have the same value, how users vary is not known: of no clicks by a hundred users the
standard error is 0, and t finds differences that are none. There it is not t that decides but how many users have any.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import NamedTuple

import numpy as np

from irev.analysis.clicks.actions import ByUser, Users, did
from irev.analysis.clicks.metrics import METRICS, ClickMetric
from irev.analysis.comparison.contrasts import BETTER, NOT_SHOWN, UNKNOWN, WORSE
from irev.base.exact_sums import ExactSum
from irev.base.records import dataclass
from irev.base.registry import did_you_mean
from irev.base.segments import Bools, Ints
from irev.errors import UsageError
from irev.reading.events.log import Impressions, Log
from irev.statistics import corrections, ratios, sample_ratio
from irev.statistics.intervals import Interval
from irev.statistics.ratios import Ratio, RatioDifference
from irev.statistics.shares import as_large

MISMATCH = 0.001
"""At most this p says that buckets are not as large as meant: a check that is made of every test must not cry often.
Fabijan et al., Diagnosing Sample Ratio Mismatch in Online Controlled Experiments, KDD 2019, take 0.0005."""

ENOUGH = 10
"""So many users of each bucket at least must have another value than the commonest of the bucket, or t is not used."""

HEAVY = 0.1
"""Users weigh by how often they come; where they weigh as much as fewer than this share of them, some do too much."""

EFFECTIVE = 30
"""And where that is fewer than so many, t is not believed: a few users are what its result is due to."""

WELCH, FISHER = "t", "fisher"
"""The tests: Welch's of ratios, and Fisher's of how many users have any."""


@dataclass(frozen=True)
class BucketPlan:
    """How buckets are compared.

    Attributes
    ----------
    metrics : tuple of str
        Some of `METRICS`; none for all that the log has anything for.
    baseline : str or None
        The bucket that others are held against; None for the first by name.
    shares : mapping of str to float
        Of users, as they were drawn for buckets; none for equal ones.
    confidence, alpha, power : float
    correction : str
        One of `irev.statistics.corrections.CORRECTIONS`.
    """

    metrics: tuple[str, ...] = ()
    baseline: str | None = None
    shares: Mapping[str, float] | None = None
    confidence: float = 0.95
    alpha: float = 0.05
    power: float = 0.8
    correction: str = "holm"


class Bucket(NamedTuple):
    """A bucket, what share of users it was to have, and how many there are.

    `effective` is (Σ x)²/Σ x² over users of x impressions: as many users who all come equally often weigh as much
    (Kish, Survey Sampling, 1965).
    """

    name: str
    share: float
    users: int
    impressions: int
    clicks: int
    conversions: int
    effective: float

    @property
    def heavy(self) -> bool:
        """Whether some users weigh much more than others."""
        return self.effective < HEAVY * self.users

    @property
    def too_heavy(self) -> bool:
        """Whether so much more that t is not believed."""
        return self.heavy and self.effective < EFFECTIVE


class BucketContrast(NamedTuple):
    """A bucket against the baseline, by one metric.

    Attributes
    ----------
    bucket : str
    found : RatioDifference
        Without what follows from errors, but for p, unless the test is `WELCH`.
    few : bool
        Whether fewer than `ENOUGH` users of either bucket have another value than most.
    risen : float
        How much more users of the bucket have any, as a share, by `FISHER`; else the difference.
    test : str or None
        `WELCH`, `FISHER`; None where there is no p.
    adjusted : float or None
        p, corrected over all metrics and buckets.
    detectable : float or None
        The minimum detectable effect at `BucketPlan.alpha`, uncorrected, with `BucketPlan.power`.
    finding : str
        One of `irev.analysis.comparison.contrasts.FINDINGS`; `UNKNOWN` wherever the sizes of buckets do not fit, and
        where `FISHER` has more users with any and the ratio is lower, or the other way round; and where some users of
        either bucket are too heavy for `WELCH`.
    """

    bucket: str
    found: RatioDifference
    few: bool
    risen: float
    test: str | None
    adjusted: float | None
    detectable: float | None
    finding: str


class MetricFound(NamedTuple):
    """A metric: its value in each bucket, the interval of that, and the contrasts."""

    metric: ClickMetric
    values: tuple[Ratio, ...]
    intervals: tuple[Interval | None, ...]
    contrasts: tuple[BucketContrast, ...]


@dataclass(frozen=True)
class BucketTest:
    """What an A/B test found.

    Attributes
    ----------
    buckets : tuple of Bucket
        By name, the baseline first.
    p : float or None
        Of the sizes of the buckets, if users fall into them by their shares; None for one bucket.
    mismatch : bool
        Whether that is at most `MISMATCH`.
    metrics : tuple of MetricFound
    plan : BucketPlan
    """

    buckets: tuple[Bucket, ...]
    p: float | None
    mismatch: bool
    metrics: tuple[MetricFound, ...]
    plan: BucketPlan


class UserOfBucket(NamedTuple):
    """A user: where the log first has it, the hash of the id, the bucket, and values by metric, None where there is
    nothing to divide by."""

    place: int
    key: tuple[int, int]
    bucket: str
    impressions: int
    values: dict[str, float | None]


class Buckets:
    """Takes impressions, and then compares their buckets."""

    def __init__(self, log: Log, memory: int | None = None) -> None:
        self._log = log
        self._users = ByUser(memory)

    def add(self, some: Impressions) -> None:
        """Take some impressions."""
        bucket = some.bucket.astype(np.int32)
        self._users.add(some, {"bucket": bucket, **did(some)})

    def close(self) -> None:
        """Let go of what was taken."""
        self._users.close()

    def compare(self, plan: BucketPlan, per_user: list[UserOfBucket] | None = None) -> BucketTest:
        """What is found of all that was taken; `per_user` gets every user, where it is wanted."""
        names = self._log.facts.buckets or ["all"]
        metrics = _metrics(plan, self._log.facts.timed)
        sums = {(metric.name, bucket): _Sums() for metric in metrics for bucket in range(len(names))}
        sizes = np.zeros((len(names), 4), dtype=np.int64)
        squares = [ExactSum() for _ in names]
        for users in self._users:
            bucket, sound = self._of_one_bucket(users)
            for place in range(len(names)):
                here = sound & (bucket == place)
                counts = users.impressions, users.sums["clicks"], users.sums["conversions"]
                sizes[place] += [np.count_nonzero(here), *(int(each[here].sum()) for each in counts)]
                squares[place].add(users.impressions[here].astype(np.float64) ** 2)
                for metric in metrics:
                    sums[metric.name, place].add(metric, users, here)
            if per_user is not None:
                per_user += _listed(users, bucket, sound, names, metrics)
        if per_user is not None:
            per_user.sort(key=lambda user: user.place)
        return _compared(names, sizes, [each.value for each in squares], metrics, sums, plan)

    def _of_one_bucket(self, users: Users) -> tuple[Ints, Bools]:
        """The bucket of each user, and who is in no other; the others are faults of the log."""
        bucket = np.maximum(users.columns["bucket"], 0)
        first = np.empty(len(users.place), dtype=bucket.dtype)
        earliest = users.places == users.place[users.of]
        first[users.of[earliest]] = bucket[earliest]
        other = np.flatnonzero(bucket != first[users.of])
        other = other[np.lexsort((users.places[other], users.of[other]))]
        several, at = np.unique(users.of[other], return_index=True)
        self._log.fail(
            users.places[other[at]],
            "E145",
            "the user of this impression was in another bucket before",
            "users must stay in theirs",
            users.place[several],
        )
        sound = np.ones(len(first), dtype=bool)
        sound[several] = False
        lost = users.impressions[several], users.sums["clicks"][several], users.sums["conversions"][several]
        self._log.leave_out(*(int(each.sum()) for each in lost))
        return first, sound


class _Sums:
    """Over users: Σ y, Σ x, Σ y², Σ xy, Σ x², of those who have anything to divide by; and how many have any, and
    whether `ENOUGH` have another value than most."""

    def __init__(self) -> None:
        self.n = self.any = 0
        self.unit = 1
        self.few, self.below = True, False
        self._often: Counter[float] = Counter()
        self.sums = [ExactSum() for _ in range(5)]

    def add(self, metric: ClickMetric, users: Users, here: Bools) -> None:
        per = users.impressions if metric.per == "impressions" else users.sums[metric.per]
        rows = np.flatnonzero(here & (per > 0))
        x, y = per[rows], users.sums[metric.sum][rows]
        if y.dtype.kind == "f" or max(_largest(x), _largest(y)) > 1 << 19:
            x, y = x.astype(np.float64), y.astype(np.float64)
        self.unit = metric.unit
        self.n += len(rows)
        self.any += int(np.count_nonzero(y < x if metric.absent else y > 0))
        self.below |= bool((y < 0).any())
        if self.few and len(rows):
            # Of more users no fewer have another value than most, so that what is enough stays so.
            values, counts = np.unique(y / x, return_counts=True)
            self._often.update(dict(zip(values.tolist(), counts.tolist(), strict=True)))
            self.few = self.n - max(self._often.values()) < ENOUGH
            if not self.few:
                self._often.clear()
        for total, values in zip(self.sums[:2], (y, x), strict=True):
            total.add(values)
        for total, (one, other) in zip(self.sums[2:], ((y, y), (x, y), (x, x)), strict=True):
            total.add_products(one, other)

    def ratio(self) -> Ratio:
        y, x, yy, xy, xx = (total.exact for total in self.sums)
        return ratios.of_sums(self.n, y / self.unit, x, yy / self.unit**2, xy / self.unit, xx)


def _largest(values: Ints) -> int:
    return int(np.abs(values).max(initial=0))


def _metrics(plan: BucketPlan, timed: bool) -> list[ClickMetric]:
    """The metrics that are wanted, and possible."""
    chosen = [METRICS.find(name) for name in dict.fromkeys(plan.metrics)] or [*METRICS.values()]
    for metric in chosen:
        if metric.timed and not timed and plan.metrics:
            raise UsageError(f"{metric.name} needs times, and the log has none")
    return [metric for metric in chosen if timed or not metric.timed]


def _compared(
    names: Sequence[str],
    sizes: Ints,
    squares: Sequence[float],
    metrics: Sequence[ClickMetric],
    sums: Mapping[tuple[str, int], _Sums],
    plan: BucketPlan,
) -> BucketTest:
    there = [place for place in sorted(range(len(names)), key=names.__getitem__) if sizes[place, 0]]
    known = [names[place] for place in there]
    baseline = known[0] if plan.baseline is None and known else plan.baseline
    for name in (baseline, *(plan.shares or ())):
        if name is not None and name not in known:
            raise UsageError(
                f"there is no bucket '{name}'", remedy=did_you_mean(name, known, f"there are {', '.join(known)}")
            )
    order = sorted(there, key=lambda place: names[place] != baseline)
    shares = _shares([names[place] for place in order], plan)
    buckets = tuple(
        _bucket(names[place], share, sizes[place], squares[place]) for place, share in zip(order, shares, strict=True)
    )
    p = None
    if len(buckets) > 1:
        p = sample_ratio.mismatch(np.array([bucket.users for bucket in buckets]), np.array(shares))
    mismatch = p is not None and p <= MISMATCH
    found = []
    for metric in metrics:
        values = [sums[metric.name, place].ratio() for place in order]
        nothing = metric.of_conversions and not any(value.value for value in values)
        if not plan.metrics and (nothing or all(value.value is None for value in values)):
            continue  # the log has none of what it is about
        first, *others = (sums[metric.name, place] for place in order)
        contrasts = [
            _contrast(metric, bucket.name, of, first, plan) for bucket, of in zip(buckets[1:], others, strict=True)
        ]
        intervals = tuple(ratios.around(value, plan.confidence) for value in values)
        found.append(MetricFound(metric, tuple(values), intervals, tuple(contrasts)))
    adjusted = iter(corrections.adjusted(plan.correction, [each.found.p for of in found for each in of.contrasts]))
    heavy = {bucket.name for bucket in buckets if bucket.too_heavy or buckets[0].too_heavy}
    found = [
        of._replace(
            contrasts=tuple(
                _judged(
                    of.metric, each, next(adjusted), mismatch or (each.test == WELCH and each.bucket in heavy), plan
                )
                for each in of.contrasts
            )
        )
        for of in found
    ]
    return BucketTest(buckets, p, mismatch, tuple(found), replace(plan, baseline=baseline))


def _bucket(name: str, share: float, sizes: Ints, squares: float) -> Bucket:
    users, impressions, clicks, conversions = (int(each) for each in sizes)
    return Bucket(name, share, users, impressions, clicks, conversions, float(impressions) ** 2 / squares)


def _contrast(metric: ClickMetric, bucket: str, of: _Sums, other: _Sums, plan: BucketPlan) -> BucketContrast:
    """The contrast, not judged yet."""
    value, base = of.ratio(), other.ratio()
    found = ratios.difference(value, base, plan.confidence)
    if found.difference is None or not (of.few or other.few):
        test = None if found.p is None else WELCH
        detectable = ratios.detectable(value, base, plan.alpha, plan.power)
        return BucketContrast(bucket, found, False, found.difference or 0.0, test, None, detectable, UNKNOWN)
    p, risen = None, of.any / of.n - other.any / other.n
    if not (of.below or other.below or (of.any == of.n and other.any == other.n)):
        p = as_large(of.any, of.n, other.any, other.n)
    found = RatioDifference(found.difference, p=p, relative=found.relative)
    return BucketContrast(
        bucket, found, True, -risen if metric.absent else risen, None if p is None else FISHER, None, None, UNKNOWN
    )


def _judged(
    metric: ClickMetric, contrast: BucketContrast, adjusted: float | None, unsound: bool, plan: BucketPlan
) -> BucketContrast:
    finding = UNKNOWN
    if adjusted is not None and not unsound:
        risen = contrast.risen > 0
        if adjusted > plan.alpha:
            finding = NOT_SHOWN
        elif risen == ((contrast.found.difference or 0.0) > 0):
            finding = BETTER if risen == (metric.better == "higher") else WORSE
    return contrast._replace(adjusted=adjusted, finding=finding)


def _shares(names: Sequence[str], plan: BucketPlan) -> list[float]:
    """The share of users that each bucket was to have, of 1 in all."""
    given = plan.shares or dict.fromkeys(names, 1.0)
    missing = [name for name in names if name not in given]
    if missing:
        raise UsageError(f"no share is given for the bucket '{missing[0]}'", remedy="give one for each, or for none")
    try:
        total = math.fsum(given[name] for name in names)
    except OverflowError:
        total = math.inf
    shares = [given[name] / total for name in names]
    if not all(shares):
        raise UsageError("the shares of buckets are too far apart, or too large", remedy="give them as parts of 1")
    return shares


def _listed(
    users: Users, bucket: Ints, sound: Bools, names: Sequence[str], metrics: Sequence[ClickMetric]
) -> list[UserOfBucket]:
    found = []
    for row in np.flatnonzero(sound).tolist():
        values = {}
        for metric in metrics:
            per = int(users.impressions[row] if metric.per == "impressions" else users.sums[metric.per][row])
            values[metric.name] = float(users.sums[metric.sum][row]) / metric.unit / per if per else None
        key = int(users.key[row, 0]), int(users.key[row, 1])
        found.append(
            UserOfBucket(int(users.place[row]), key, names[int(bucket[row])], int(users.impressions[row]), values)
        )
    return found
