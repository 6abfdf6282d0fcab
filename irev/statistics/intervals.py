"""Confidence intervals for a mean: the table of methods, and the one way to use any."""

from __future__ import annotations

import math
import sys
from collections.abc import Callable, Iterator
from typing import NamedTuple

import numpy as np

from irev.base.records import dataclass
from irev.base.registry import Registry
from irev.base.segments import Floats, Ints
from irev.statistics import special
from irev.statistics.paired import cluster_sums, jackknifed
from irev.statistics.plan import IntervalKind, Plan
from irev.statistics.resampling import gathered_means
from irev.statistics.rounding import SLACK, constant, restored, scaled


class Interval(NamedTuple):
    """From `low` to `high`, both included."""

    low: float
    high: float

    def recorded(self) -> list[float]:
        """What records say of it."""
        return [*self]


@dataclass(frozen=True)
class Method:
    """A way to make intervals.

    Attributes
    ----------
    name : IntervalKind
        As it is asked for.
    title : str
        As it is written in a sentence.
    function : callable
        (values (n, c), plan) to one `Interval` or None per column. n is at least 2, values are finite, and no column
        is constant: `interval` answers those.
    """

    name: IntervalKind
    title: str
    function: Callable[[Floats, Plan], list[Interval | None]]


INTERVALS: Registry[Method] = Registry("kind of interval")

WIDER = "wider where not all queries differ, or all by the same amount"
"""What is said of the intervals of `of_differences`."""

DEFINED = 0.95
"""The share of samples that have to have a statistic for it to have an interval."""

FORGOTTEN = 5
"""With so many queries that differ, half as much as without any is allowed for those that may differ and do not."""

TOGETHER = 1 << 23
"""Numbers kept at once, 64 MB of them: of so many columns the resampled means are made in one go."""


def interval(name: str, values: Floats, plan: Plan) -> list[Interval | None]:
    """Intervals for the mean of each column, two-sided, at the plan's confidence.

    Parameters
    ----------
    name : str
        One of `INTERVALS`; `UsageError` with a suggestion otherwise.
    values : (n, c) array
        One row per query. The columns share random samples.
    plan : Plan
        Its `confidence`, and for the bootstrap `samples` and `seed`.

    Returns
    -------
    list of Interval or None
        None where there is no interval: fewer than two queries, or values that are not finite. Where all values are
        the same, both ends are their mean.
    """
    function = INTERVALS.find(name).function
    return _each(lambda small: function(small, plan), values)


def of_differences(
    differences: Floats, plan: Plan, largest: float, cluster: Ints | None = None
) -> list[Interval | None]:
    """Intervals of the plan's kind for the mean of each column of differences, with the errors that are `unseen`.

    They reach √(half² + (reach·unseen)²) to either side, with half of the width that the kind has: Student's is mean ±
    t·√(s²/n + unseen²), and mean ± t·s/√n where all queries differ.

    Parameters
    ----------
    differences : (n, c) array
    plan : Plan
    largest : float
        The largest difference that there can be (`possible`).
    cluster : (n,), optional
        The number of each query's cluster, where queries depend on each other.

    Returns
    -------
    list of Interval or None
        None as `interval`, and where all queries differ by the same amount, other than 0, and are so few that the
        interval would reach further than `largest`.
    """
    rows = jackknifed(differences, cluster)
    reach = quantile(len(rows), plan.confidence) if len(rows) > 1 else 0.0
    both = zip(interval(plan.interval, rows, plan), unseen(differences, largest, cluster), strict=True)
    return [widened(span, reach * error, largest) for span, error in both]


def widened(span: Interval | None, reach: float, largest: float) -> Interval | None:
    """The interval that reaches √(half² + reach²) to either side, with half of the width of `span`; None as in
    `of_differences`."""
    if span is None or not reach:
        return span
    middle, half = span.low / 2 + span.high / 2, span.high / 2 - span.low / 2
    wide = math.hypot(half, reach)
    known = math.isfinite(wide) and (half or not middle or wide <= largest)
    return Interval(middle - wide, middle + wide) if known else None


def possible(values: Floats) -> float:
    """The largest difference of two such values: 1 if all lie from 0 to 1, otherwise the range of those there are."""
    finite = values[np.isfinite(values)]
    low, high = float(finite.min(initial=0.0)), float(finite.max(initial=0.0))
    return 1.0 if low >= -SLACK and high <= 1 + SLACK else min(high - low, sys.float_info.max)


def unseen(differences: Floats, largest: float, cluster: Ints | None = None) -> list[float]:
    """`unseen_error` for each column; differences that may be rounding errors of such values are none.

    Where all queries differ by the same amount, none differs from the others, and the error is that of no difference.
    """
    rows = jackknifed(differences, cluster)
    moved = np.abs(cluster_sums(differences, cluster)) > SLACK * largest
    with np.errstate(invalid="ignore"):
        moved &= np.ptp(rows, axis=0) > SLACK * np.abs(rows).max(axis=0)
    return [unseen_error(len(rows), seen, largest) for seen in np.count_nonzero(moved, axis=0).tolist()]


def unseen_error(n: float, seen: float, largest: float) -> float:
    """The standard error of a mean of n differences that is due to queries that differ and are not in the sample.

    It is largest · (1 - m/n) / (1 + m/5) · √(2 / (n (n - 1))), with m the queries `seen` to differ. The last factor is
    the standard error of n differences of which one is +1 and one -1. Without a query that differs, Student's interval
    has no width. With few, it misses the true mean too often, because the sample lacks others that decide the mean.
    benchmarks/few_differ.py compares this with other bounds.
    """
    return largest * (1 - seen / n) / (1 + seen / FORGOTTEN) * math.sqrt(2 / (n * (n - 1))) if n > 1 else 0.0


def queries_to_exclude(difference: float, largest: float, confidence: float) -> int:
    """The least n with which an interval excludes such a difference, if no query differs."""

    def reach(n: int) -> float:
        return quantile(n, confidence) * unseen_error(n, 0, largest)

    few, many = 1, 2
    while reach(many) > difference:
        few, many = many, 2 * many
    while many - few > 1:
        middle = (few + many) // 2
        few, many = (middle, many) if reach(middle) > difference else (few, middle)
    return many


def middle(sampled: Floats, confidence: float) -> Interval | None:
    """The quantiles (1 ∓ confidence)/2 of samples of a statistic, of type 7; None where less than `DEFINED` of them
    have it, the others being NaN."""
    defined = sampled[~np.isnan(sampled)]
    if len(defined) < DEFINED * len(sampled):
        return None
    low, high = np.quantile(defined, [(1 - confidence) / 2, (1 + confidence) / 2])
    return Interval(float(low), float(high))


def of_means(values: Floats, plan: Plan, rows: Floats | None = None) -> list[Interval | None]:
    """As `interval` for the plan's kind, but of values from 0 to 1 `by_score` where that is t.

    `rows` have the same means and do not depend on each other, where the values do. Where all values are 0, or all 1,
    but for rounding, the interval is that for a mean of values that are nothing else: Wilson's. Where they are another
    constant, it is that of differences that are all equal (`of_differences`).
    """
    rows = values if rows is None else rows
    found = interval(plan.interval, rows, plan)
    if len(rows) < 2:
        return found
    shares = np.all((values >= -SLACK) & (values <= 1 + SLACK), axis=0)
    for place, (span, share) in enumerate(zip(found, shares, strict=True)):
        if span is None or not share:
            continue
        column = values[:, place].clip(0, 1)
        mean = float(column.mean())
        if mean <= 0 or column.max() <= SLACK:
            found[place] = all_alike(0, len(rows), plan.confidence)
        elif mean >= 1 or column.min() >= 1 - SLACK:
            found[place] = all_alike(1, len(rows), plan.confidence)
        elif span.low < span.high:
            found[place] = by_score(span, mean) if plan.interval == "t" else span
        else:
            reach = quantile(len(rows), plan.confidence) * unseen_error(len(rows), 0, 1.0)
            span = widened(span, reach, 1.0)
            found[place] = span and Interval(max(span.low, 0.0), min(span.high, 1.0))
    return found


def all_alike(value: float, n: int, confidence: float) -> Interval:
    """Wilson's interval for the mean of n values that are all 0, or all 1, with Student's quantile."""
    square = quantile(n, confidence) ** 2 / n
    return Interval(1 / (1 + square), 1.0) if value else Interval(0.0, square / (1 + square))


def by_score(student: Interval, mean: float) -> Interval:
    """The interval for the mean of values from 0 to 1, given Student's, value ± t·e, and the mean of the sample.

    It has all μ with (value - μ)² ≤ t²e²·μ(1 - μ)/(mean·(1 - mean)). The error e is that of a mean like that of the
    sample. Nearer to 0 or 1 values vary less, most of all those that are 0 or 1, as many reciprocal ranks are.
    Student's interval is equally wide on both sides, and misses more often on that of the longer tail.

    Of values that are 0 or 1 it is Wilson's: Probable Inference, the Law of Succession, and Statistical Inference, JASA
    22, 1927.
    """
    value, reach = min(max((student.low + student.high) / 2, 0.0), 1.0), (student.high - student.low) / 2
    square = reach**2 / (mean * (1 - mean))
    middle = (value + square / 2) / (1 + square)
    off = math.sqrt(square * (square / 4 + value * (1 - value))) / (1 + square)
    return Interval(max(middle - off, 0.0), min(middle + off, 1.0))


@dataclass(frozen=True)
class Share:
    """What a sample shows of a share.

    Attributes
    ----------
    count, of : int
        In the sample.
    low, high : float
        The exact one-sided bounds of the share: each is on the wrong side of it with a chance of at most alpha.
    p_below : float
        The p-value of the share being as large as the limit: a small one shows that it is smaller.
    least : float
        The smallest p_below that a sample of this size can have: (1 - limit)^of, where none count.
    """

    count: int
    of: int
    low: float
    high: float
    p_below: float
    least: float


def share(count: int, of: int, limit: float, alpha: float, alike: float = 1.0) -> Share:
    """The exact bounds and test of a binomial share.

    The upper bound u has P(X ≤ count) = alpha for X binomial with `of` trials and chance u, and is 1 where all of the
    sample count; the lower bound l has P(X ≥ count) = alpha, and is 0 where none do. p_below = P(X ≤ count) under the
    limit, so that it is at most alpha exactly where the upper bound is at most the limit.

    Clopper and Pearson, The Use of Confidence or Fiducial Limits Illustrated in the Case of the Binomial, Biometrika
    26(4), 1934.

    Parameters
    ----------
    count, of : int
        `of` is at least 1.
    limit : float
        The share that is tested, between 0 and 1.
    alpha : float
        Level of each bound and of the test, between 0 and 1.
    alike : float
        So many of the sample say as much as one of them alone, 1 or more: numbers are divided by it.
    """
    counted, all_of = count / alike, of / alike
    low = 0.0 if count == 0 else float(special.betaincinv(counted, all_of - counted + 1, alpha))
    high = 1.0 if count == of else float(special.betaincinv(counted + 1, all_of - counted, 1 - alpha))
    if alike == 1:
        return Share(count, of, low, high, float(special.bdtr(count, of, limit)), float(special.bdtr(0, of, limit)))
    below = 1.0 if count == of else float(special.betainc(all_of - counted, counted + 1, 1 - limit))
    return Share(count, of, low, high, below, (1 - limit) ** all_of)


def _each(function: Callable[[Floats], list[Interval | None]], values: Floats) -> list[Interval | None]:
    """Apply the function to the columns that vary, scaled so that nothing overflows."""
    n, columns = values.shape
    found: list[Interval | None] = [None] * columns
    defined = np.flatnonzero(np.isfinite(values).all(axis=0)) if n >= 2 else np.empty(0, dtype=np.int64)
    if not len(defined):
        return found
    small, exponents = scaled(values[:, defined])
    still = np.array([constant(column) for column in small.T])
    ends: list[Interval | None] = [Interval(mean, mean) for mean in small.mean(axis=0).tolist()]
    if not still.all():
        made = iter(function(small[:, ~still]))
        ends = [end if fixed else next(made) for end, fixed in zip(ends, still, strict=True)]
    for place, end, exponent in zip(defined.tolist(), ends, exponents, strict=True):
        sized = None if end is None else restored(np.array(end), exponent)
        found[place] = None if sized is None or not np.isfinite(sized).all() else Interval(*sized.tolist())
    return found


def student(values: Floats, plan: Plan) -> list[Interval | None]:
    """mean ± t·s/√n, with t the quantile of Student's distribution with n - 1 degrees of freedom.

    Student, The Probable Error of a Mean, Biometrika 6(1), 1908.
    """
    off = quantile(len(values), plan.confidence) * (values.std(axis=0, ddof=1) / math.sqrt(len(values)))
    mean = values.mean(axis=0)
    return [Interval(float(low), float(high)) for low, high in zip(mean - off, mean + off, strict=True)]


def quantile(n: float, confidence: float) -> float:
    """Standard errors that Student's interval of n values, of n - 1 degrees of freedom, reaches to either side."""
    return float(special.stdtrit(n - 1, (1 + confidence) / 2))


def percentile(values: Floats, plan: Plan) -> list[Interval | None]:
    """The middle of the bootstrap means: their quantiles (1 - confidence)/2 and (1 + confidence)/2, of type 7.

    Efron and Tibshirani, An Introduction to the Bootstrap, 1993, chapter 13.
    """
    shares = [(1 - plan.confidence) / 2, (1 + plan.confidence) / 2]
    return [
        Interval(float(low), float(high))
        for means in _bootstrapped(values, plan)
        for low, high in np.quantile(means, shares, axis=0).T
    ]


def bca(values: Floats, plan: Plan) -> list[Interval | None]:
    """Quantiles of the bootstrap means, corrected for bias and acceleration.

    With z_0 = Φ⁻¹(share of the bootstrap means below the mean, those equal to it counting half) and a = Σ u³/(6 (Σ
    u²)^1.5), u being the mean of all jackknife means less each of them, the quantiles taken are Φ(z_0 + (z_0 + z)/(1 -
    a(z_0 + z))), for z = Φ⁻¹((1 ∓ confidence)/2). None where that has no value, as where all bootstrap means lie on
    one side of the mean.

    Efron, Better Bootstrap Confidence Intervals, JASA 82, 1987; Efron and Tibshirani, An Introduction to the
    Bootstrap, 1993, chapter 14.
    """
    found: list[Interval | None] = []
    for means in _bootstrapped(values, plan):
        columns = values[:, len(found) : len(found) + means.shape[1]]
        for column, sampled in zip(columns.T, means.T, strict=True):
            # Leaving out a value moves the mean by that value's distance from the mean, over n - 1; which cancels.
            mean, size = column.mean(), np.abs(column).max()
            found.append(corrected_quantiles(sampled, mean, column - mean, size, plan.confidence))
    return found


def corrected_quantiles(means: Floats, mean: float, moved: Floats, size: float, confidence: float) -> Interval | None:
    """The quantiles that `bca` takes of bootstrap means.

    Parameters
    ----------
    means : (samples,)
    mean : float
    moved : (n,)
        How far leaving out each value moves the mean, towards it, by any factor.
    size : float
        Of the largest value: means that differ by less than rounding are one.
    confidence : float
    """
    slack = SLACK * size
    below = ((means < mean - slack).mean() + (means <= mean + slack).mean()) / 2
    if not 0 < below < 1:
        return None
    bias = float(special.ndtri(below))
    acceleration = float((moved**3).sum() / (6 * (moved**2).sum() ** 1.5))
    z = bias + special.ndtri(np.array([(1 - confidence) / 2, (1 + confidence) / 2]))
    stretch = 1 - acceleration * z
    if not (np.isfinite(z).all() and (stretch > 0).all()):
        return None
    low, high = np.quantile(means, special.ndtr(bias + z / stretch))
    return Interval(float(low), float(high))


def _bootstrapped(values: Floats, plan: Plan) -> Iterator[Floats]:
    """Bootstrap means (samples, some columns), column after column; the same samples for all."""
    together = max(1, TOGETHER // plan.samples)
    for i in range(0, values.shape[1], together):
        yield gathered_means(values[:, i : i + together], plan.samples, plan.seed)


for _method in (
    Method("t", "Student's t interval", student),
    Method("percentile", "bootstrap percentile interval", percentile),
    Method("bca", "bias-corrected and accelerated bootstrap interval", bca),
):
    INTERVALS.add(_method.name, _method)
