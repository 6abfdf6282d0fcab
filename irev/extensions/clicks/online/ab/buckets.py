"""A/B tests: whether users of one bucket behaved differently from those of another.

Users were drawn for buckets, so the tests treat users as random: every metric is a ratio of sums over users, and how
users vary says how well it is known (`irev.statistics.ratios`). Whether buckets are as large as they were meant to be
is looked at first; where they are not, nothing else is found.

t is right where no few users decide. Where nearly all users of a bucket have the same value, how users vary is not
known: of no clicks by a hundred users the standard error is 0. There Fisher's test of how many users have any decides.
Where values are so skewed that Kohavi's rule asks for more users, as where a few spend most or come most, users are
dealt out again (`irev.extensions.clicks.statistics`). benchmarks/ab_tests.py has how often each errs.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Any, NamedTuple

import numpy as np

from irev.base.errors import UsageError
from irev.base.records import dataclass
from irev.base.registry import did_you_mean
from irev.base.segments import Bools, Floats, Ints
from irev.evaluation.comparison.contrasts import BETTER, NOT_SHOWN, UNKNOWN, WORSE
from irev.extensions.clicks import statistics
from irev.extensions.clicks.events.log import Impressions, Log
from irev.extensions.clicks.events.schema import DROP
from irev.extensions.clicks.online import AbChoices
from irev.extensions.clicks.online.by_user import ByUser, Users
from irev.extensions.clicks.online.logs import PER_USER, looks_at
from irev.extensions.clicks.online.metrics import METRICS, ClickMetric, did
from irev.extensions.clicks.statistics import (
    ExactSum,
    Jackknife,
    around_share,
    around_skewed,
    as_large,
    counts,
    detectable,
    least_as_large,
)
from irev.statistics import corrections, ratios
from irev.statistics.intervals import Interval
from irev.statistics.ratios import ONCE, Looks, Ratio, RatioDifference

ENOUGH = 10
"""So many users of each bucket at least must have another value than the commonest of the bucket, or t is not used."""


class MetricSums:
    """A metric in a bucket, over those of its users who have anything to divide by.

    Users come once to be added, then to see how they vary around the ratio, and where that is too skewed for t once
    more, to be kept.
    """

    def __init__(self, metric: ClickMetric, bucket: int) -> None:
        self.metric, self.bucket = metric, bucket
        self.n = self.any = 0
        self.few, self.below = True, False
        self._often: Counter[float] = Counter()
        self._y, self._x = ExactSum(), ExactSum()
        self._jackknife: Jackknife | None = None
        self._moments = ExactSum(), ExactSum()
        self._value, self._print, self._kept = 0.0, 0.0, list[tuple[Floats, Floats]]()
        self._wild = False

    def _of(self, users: Users, here: Bools) -> tuple[Ints, Any, Ints]:
        """The rows of users who have anything to divide by, and their y and x."""
        per = self.metric.per
        y, x = users.sums[self.metric.sum], users.impressions if per == "impressions" else users.sums[per]
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
        self._value = float(self._y.exact / self.metric.unit / x)
        self._jackknife = Jackknife(self._value, float(x))
        return True

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

    def _floats(self, users: Users, here: Bools) -> tuple[Ints, Floats, Floats]:
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
        return skewness if abs(skewness) > statistics.SLACK else 0.0


def too_skewed(of: MetricSums, other: MetricSums) -> bool:
    """Whether values vary, and either bucket has fewer users than Kohavi's rule asks for."""
    if of.few or other.few or None in (of.ratio().error, other.ratio().error):
        return False
    return any(each.n < statistics.needed(each.skewness or 0.0) for each in (of, other))


def _largest(values: Any) -> int:
    return int(np.abs(values).max(initial=0))


MISMATCH = 0.001
"""At most this p says that buckets are not as large as meant: a check that is made of every test must not cry often.
Fabijan et al., Diagnosing Sample Ratio Mismatch in Online Controlled Experiments, KDD 2019, take 0.0005."""

WELCH, FISHER, PERMUTATION = "t", "fisher", "permutation"
"""The tests: Welch's of ratios, Fisher's of how many users have any, and that of users who are dealt out again."""


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
        return self.effective < ratios.HEAVY * self.users


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
        `WELCH`, `FISHER`, `PERMUTATION`; None where there is no p.
    least : float or None
        The least p that there can be: of `FISHER` with as many users who have any in both buckets together, of
        `PERMUTATION` with so many samples. None where there is none above 0, and no p.
    adjusted : float or None
        p, corrected over all metrics and buckets.
    detectable : float or None
        The minimum detectable effect of t at `AbChoices.alpha`, uncorrected, with `AbChoices.power`.
    finding : str
        One of `irev.evaluation.comparison.contrasts.FINDINGS`; `UNKNOWN` wherever the sizes of buckets do not fit, and
        where `FISHER` has more users with any and the ratio is lower, or the other way round.
    """

    bucket: str
    found: RatioDifference
    few: bool
    risen: float
    test: str | None
    least: float | None
    adjusted: float | None
    detectable: float | None
    finding: str


class MetricFound(NamedTuple):
    """A metric: its value in each bucket, how skewed it is, the interval of the value, and the contrasts.

    `skewness` is m₃/m₂^1.5 of y - rx over users, r being the ratio: that of the values, where every user has one. None
    where there is no error above 0. `same_as` is an earlier metric of which
    the values of users are perfectly correlated with these, so that both are one test.
    """

    metric: ClickMetric
    values: tuple[Ratio, ...]
    skewness: tuple[float | None, ...]
    intervals: tuple[Interval | None, ...]
    contrasts: tuple[BucketContrast, ...]
    same_as: str | None = None


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
    least : float or None
        The least p that so few users can have; None where it is at most `MISMATCH`.
    metrics : tuple of MetricFound
    plan : AbChoices
    """

    buckets: tuple[Bucket, ...]
    p: float | None
    mismatch: bool
    least: float | None
    metrics: tuple[MetricFound, ...]
    plan: AbChoices


class Buckets:
    """Takes impressions, and then compares their buckets."""

    def __init__(self, log: Log, plan: AbChoices, memory: int | None = None) -> None:
        self._log, self._plan = log, plan
        self._metrics = _metrics(plan, log)
        self._users = ByUser(memory)

    def add(self, some: Impressions) -> None:
        """Take some impressions."""
        bucket = some.bucket.astype(np.int32)
        self._users.add(some, {"bucket": bucket, **did(some, self._metrics)})

    def close(self) -> None:
        """Let go of what was taken."""
        self._users.close()

    def compare(self) -> BucketTest:
        """What is found of all that was taken."""
        names, plan, metrics = self._log.facts.buckets or ["all"], self._plan, self._metrics
        sums = {(metric.name, place): MetricSums(metric, place) for metric in metrics for place in range(len(names))}
        sizes = np.zeros((len(names), 4), dtype=np.int64)
        squares = [ExactSum() for _ in names]
        for users in self._users:
            bucket, several = _of_one_bucket(users)
            self._note(users, bucket, several)
            sound = ~several
            for place in range(len(names)):
                here = sound & (bucket == place)
                counts = users.impressions, users.sums["clicks"], users.sums["conversions"]
                sizes[place] += [np.count_nonzero(here), *(int(each[here].sum()) for each in counts)]
                squares[place].add(users.impressions[here].astype(np.float64) ** 2)
            for each in sums.values():
                each.add(users, sound & (bucket == each.bucket))
        order, plan = _order(names, sizes, plan)
        known = [each for each in sums.values() if each.settle()]
        self._again(known, MetricSums.vary)
        if plan.sequential is None:
            self._again(_skewed(metrics, sums, order), MetricSums.keep)
        return _compared(names, order, sizes, [each.value for each in squares], metrics, sums, plan)

    def _again(self, sums: Sequence[MetricSums], look: Callable[[MetricSums, Users, Bools], None]) -> None:
        """Look at all users once more, for some sums."""
        for users in self._users if sums else ():
            bucket, several = _of_one_bucket(users)
            for each in sums:
                look(each, users, ~several & (bucket == each.bucket))

    def _note(self, users: Users, first: Ints, several: Bools) -> None:
        """Note users of several buckets, which are faults of the log."""
        other = np.flatnonzero(np.maximum(users.columns["bucket"], 0) != first[users.of])
        other = other[np.lexsort((users.places[other], users.of[other]))]
        lost, at = np.unique(users.of[other], return_index=True)
        self._log.fail(
            users.places[other[at]],
            "E145",
            "the user of this impression was in another bucket before",
            "users must stay in their bucket",
            users.place[lost],
        )
        counts = {name: int(users.sums[name][several].sum()) for name in ("clicks", "conversions")}
        self._log.leave_out(impressions=int(users.impressions[several].sum()), **counts)


def _of_one_bucket(users: Users) -> tuple[Ints, Bools]:
    """The first bucket of each user, and who is in another as well."""
    bucket = np.maximum(users.columns["bucket"], 0)
    first = np.empty(len(users.place), dtype=bucket.dtype)
    earliest = users.places == users.place[users.of]
    first[users.of[earliest]] = bucket[earliest]
    several = np.zeros(len(first), dtype=bool)
    several[users.of[bucket != first[users.of]]] = True
    return first, several


def _skewed(
    metrics: Sequence[ClickMetric], sums: Mapping[tuple[str, int], MetricSums], order: Sequence[int]
) -> list[MetricSums]:
    """What is compared by dealing users out."""
    first, others = order[:1], order[1:]
    found: dict[tuple[str, int], MetricSums] = {}
    for metric in metrics:
        for place in others:
            pair = [(metric.name, each) for each in (*first, place)]
            if too_skewed(*(sums[each] for each in pair)):
                found |= {each: sums[each] for each in pair}
    return [*found.values()]


def _metrics(plan: AbChoices, log: Log) -> list[ClickMetric]:
    """The metrics that are wanted, and possible."""
    timed = log.facts.timed
    chosen = [METRICS.find(name) for name in dict.fromkeys(plan.metrics)]
    for metric in chosen:
        if metric.timed and not timed:
            if plan.on_error != DROP:
                log.require_sound()  # times that cannot be read may be why there are none
            raise UsageError(f"{metric.name} needs times, but a log has none")
    return chosen or [metric for metric in METRICS.values() if not metric.asked and (timed or not metric.timed)]


def _order(names: Sequence[str], sizes: Ints, plan: AbChoices) -> tuple[list[int], AbChoices]:
    """Buckets that have users, by name, the baseline first; and the plan with its name."""
    there = [place for place in sorted(range(len(names)), key=names.__getitem__) if sizes[place, 0]]
    known = [names[place] for place in there]
    baseline = known[0] if plan.baseline is None and known else plan.baseline
    for name in (baseline, *dict(plan.shares)):
        if known and name is not None and name not in known:
            raise UsageError(
                f"there is no bucket '{name}'", remedy=did_you_mean(name, known, f"there are {', '.join(known)}")
            )
    return sorted(there, key=lambda place: names[place] != baseline), replace(plan, baseline=baseline)


def _compared(
    names: Sequence[str],
    order: Sequence[int],
    sizes: Ints,
    squares: Sequence[float],
    metrics: Sequence[ClickMetric],
    sums: Mapping[tuple[str, int], MetricSums],
    plan: AbChoices,
) -> BucketTest:
    shares = _shares([names[place] for place in order], plan)
    buckets = tuple(
        _bucket(names[place], share, sizes[place], squares[place]) for place, share in zip(order, shares, strict=True)
    )
    p = least = None
    if len(buckets) > 1:
        users = np.array([bucket.users for bucket in buckets])
        if plan.sequential is None:
            p = statistics.mismatch(users, np.array(shares))
            least = statistics.least(int(users.sum()), np.array(shares))
        else:
            p = counts(users.tolist(), shares, plan.sequential / PER_USER)
    mismatch = p is not None and p <= MISMATCH
    looks = looks_at(sum(bucket.impressions for bucket in buckets), plan.sequential)
    found, prints = list[MetricFound](), list[list[float | None]]()
    for metric in metrics if order else ():
        of_metric = [sums[metric.name, place] for place in order]
        values = tuple(each.ratio() for each in of_metric)
        nothing = metric.rare and not any(value.value for value in values)
        if not plan.metrics and (nothing or all(value.value is None for value in values)):
            continue  # the log has none of what it is about
        first, *others = of_metric
        contrasts = tuple(
            _contrast(bucket.name, of, first, plan, looks) for bucket, of in zip(buckets[1:], others, strict=True)
        )
        intervals = tuple(each.interval(plan.confidence, looks) for each in of_metric)
        found.append(MetricFound(metric, values, tuple(each.skewness for each in of_metric), intervals, contrasts))
        prints.append([each.fingerprint for each in of_metric])
    known = [*zip(found, prints, strict=True)]
    firsts = [next(at for at, each in enumerate(known) if each is own or _one(each, own)) for own in known]
    tested = [(first, bucket) for first in sorted({*firsts}) for bucket in range(len(buckets) - 1)]
    values_of_p = [found[first].contrasts[bucket].found.p for first, bucket in tested]
    adjusted = dict(zip(tested, corrections.adjusted(plan.correction, values_of_p), strict=True))
    judged = tuple(
        each._replace(
            contrasts=tuple(
                _judged(each.metric, contrast, adjusted[first, bucket], mismatch, plan)
                for bucket, contrast in enumerate(each.contrasts)
            ),
            same_as=None if found[first] is each else found[first].metric.name,
        )
        for each, first in zip(found, firsts, strict=True)
    )
    return BucketTest(buckets, p, mismatch, None if least is None or least <= MISMATCH else least, judged, plan)


def _one(one: tuple[MetricFound, list[float | None]], other: tuple[MetricFound, list[float | None]]) -> bool:
    """Whether two metrics are one: the values of users are perfectly correlated, and so all tests have the same p.

    Values that vary between buckets alone are so where tests have the same p.
    """
    numbers = [[*prints, *(each.found.p for each in of.contrasts)] for of, prints in (one, other)]
    alike = (
        a == b if a is None or b is None else math.isclose(a, b, rel_tol=1e-9, abs_tol=1e-9)
        for a, b in zip(*numbers, strict=True)
    )
    differ = any(one[1]) or any(contrast.found.p not in (None, 1.0) for contrast in one[0].contrasts)
    return differ and all(alike)


def _bucket(name: str, share: float, sizes: Ints, squares: float) -> Bucket:
    users, impressions, clicks, conversions = (int(each) for each in sizes)
    return Bucket(name, share, users, impressions, clicks, conversions, float(impressions) ** 2 / squares)


def _contrast(bucket: str, of: MetricSums, other: MetricSums, plan: AbChoices, looks: Looks = ONCE) -> BucketContrast:
    """The contrast, not judged yet."""
    value, base = of.ratio(), other.ratio()
    found = ratios.difference(value, base, plan.confidence, looks)
    if plan.sequential is not None and (of.few or other.few or too_skewed(of, other)):
        found = RatioDifference(found.difference, relative=found.relative)  # t is wrong yet, and no look may be
        return BucketContrast(bucket, found, of.few or other.few, 0.0, None, None, None, None, UNKNOWN)
    if found.difference is None or not (of.few or other.few):
        test, least = None if found.p is None else WELCH, None
        if too_skewed(of, other):
            found, test = statistics.deal(of.kept, other.kept, plan.confidence), PERMUTATION
            least = statistics.LEAST
        least_effect = detectable(value, base, plan.alpha, plan.power, looks)
        return BucketContrast(bucket, found, False, found.difference or 0.0, test, least, None, least_effect, UNKNOWN)
    p = least = None
    risen = of.any / of.n - other.any / other.n
    if not (of.below or other.below or (of.any == of.n and other.any == other.n)):
        p = as_large(of.any, of.n, other.any, other.n)
        least = least_as_large(of.any + other.any, of.n, other.n)
    found = RatioDifference(found.difference, p=p, relative=found.relative)
    if of.metric.absent:
        risen = -risen
    return BucketContrast(bucket, found, True, risen, None if p is None else FISHER, least, None, None, UNKNOWN)


def _judged(
    metric: ClickMetric, contrast: BucketContrast, adjusted: float | None, unsound: bool, plan: AbChoices
) -> BucketContrast:
    finding = UNKNOWN
    if adjusted is not None and not unsound:
        risen = contrast.risen > 0
        if adjusted > plan.alpha:
            finding = NOT_SHOWN
        elif risen == ((contrast.found.difference or 0.0) > 0):
            finding = BETTER if risen == (metric.better == "higher") else WORSE
    return contrast._replace(adjusted=adjusted, finding=finding)


def _shares(names: Sequence[str], plan: AbChoices) -> list[float]:
    """The share of users that each bucket was to have, of 1 in all."""
    given = dict(plan.shares) or dict.fromkeys(names, 1.0)
    missing = [name for name in names if name not in given]
    if missing:
        fact = f"no share is given for the bucket '{missing[0]}'"
        raise UsageError(fact, remedy="give a share for every bucket, or for none")
    try:
        total = math.fsum(given[name] for name in names)
    except OverflowError:
        total = math.inf
    shares = [given[name] / total for name in names]
    if not all(shares):
        raise UsageError("the shares of buckets differ too much, or are too large", remedy="give them as parts of 1")
    return shares
