"""Two groups of users who are dealt out again: the test of ratios that holds where few users decide about them.

Where values are skewed, such as what users spend, and one group is much smaller than the other, Student's t is skewed
too, and finds differences that are not there. If the groups do not differ, any users could have been in either, so
that every way to deal them out is as likely as the one that was seen: p is exact, however values are distributed
(Pitman, Significance Tests Which May Be Applied to Samples from Any Populations, JRSS Supplement 4, 1937). What is
compared is t itself, so that for many users the test is also right where groups have the same ratio and vary
differently (Janssen, Studentized Permutation Tests for Non-i.i.d. Hypotheses, Statistics & Probability Letters 36,
1997; Chung and Romano, Exact and Asymptotically Robust Permutation Tests, Annals of Statistics 41(2), 2013).
benchmarks/ab_tests.py has how often it errs, beside other tests.
"""

from __future__ import annotations

import math
from collections.abc import Iterator

import numpy as np

from irev.base.segments import Floats
from irev.statistics.ratios import RatioDifference, fieller

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
