"""Weighted means, against sums written out, resampling query by query, and Student's where weights are equal."""

import math
import runpy
from dataclasses import replace

import numpy as np
import pytest
from conftest import ROOT
from scipy import stats

from irev.statistics import intervals
from irev.statistics.intervals import INTERVALS, of_differences
from irev.statistics.plan import Plan
from irev.statistics.ratios import ratio, weighted_mean

CHANCE = np.random.default_rng(11)
PLAN = Plan(samples=4000, confidence=0.9)


def drawn(n=30):
    return CHANCE.normal(0.05, 0.2, n), CHANCE.lognormal(0, 1, n)


def mean_of(pairs):
    return sum(weight * value for value, weight in pairs) / sum(weight for _, weight in pairs)


def test_the_error_is_that_of_leaving_each_query_out():
    values, weights = drawn()
    pairs, n = [*zip(values, weights, strict=True)], len(values)
    whole = mean_of(pairs)
    error = math.sqrt((n - 1) / n * sum((mean_of(pairs[:i] + pairs[i + 1 :]) - whole) ** 2 for i in range(n)))
    shares = [weight / sum(weights) for weight in weights]
    of_one = sum(s / (1 - s) for s in shares) ** 2
    degrees = of_one / (
        sum(s**2 * (1 - 2 * s) / (1 - s) ** 4 for s in shares) + sum(s**2 / (1 - s) ** 2 for s in shares) ** 2
    )
    found = weighted_mean(values, weights, PLAN)
    reach = stats.t.ppf(0.95, degrees) * error
    assert (whole, whole - reach, whole + reach) == pytest.approx((found.mean, *found.interval))
    assert 1 / sum(s**2 for s in shares) == pytest.approx(found.effective)
    assert 2 * stats.t.sf(abs(whole) / error, degrees) == pytest.approx(found.p)


def test_equal_weights_are_students_mean():
    values, _ = drawn()
    found, expected = weighted_mean(values, np.full(30, 2.5), PLAN), stats.ttest_1samp(values, 0)
    low, high = expected.confidence_interval(0.9)
    assert (values.mean(), low, high, expected.pvalue) == pytest.approx((found.mean, *found.interval, found.p))
    for kind in ("percentile", "bca"):
        plan = replace(PLAN, interval=kind)
        (alone,) = intervals.interval(kind, values[:, None], plan)
        assert alone == pytest.approx(weighted_mean(values, np.ones(30), plan).interval)


def test_the_bootstrap_draws_queries_with_their_weights():
    values, weights = drawn()
    pairs = [*zip(values, weights, strict=True)]
    means = [mean_of([pairs[i] for i in CHANCE.integers(0, 30, 30)]) for _ in range(4000)]
    found = weighted_mean(values, weights, replace(PLAN, interval="percentile")).interval
    assert np.quantile(means, [0.05, 0.95]) == pytest.approx(found, abs=0.012)

    z = stats.norm.ppf(np.mean(np.array(means) < mean_of(pairs)))
    left_out = np.array([mean_of(pairs[:i] + pairs[i + 1 :]) for i in range(30)])
    away = left_out.mean() - left_out
    acceleration = (away**3).sum() / (6 * (away**2).sum() ** 1.5)
    shares = [z + end / (1 - acceleration * end) for end in (z + stats.norm.ppf(0.05), z + stats.norm.ppf(0.95))]
    corrected = weighted_mean(values, weights, replace(PLAN, interval="bca")).interval
    assert np.quantile(means, stats.norm.cdf(shares)) == pytest.approx(corrected, abs=0.02)


def test_queries_without_weight_do_not_count_and_what_does_not_vary_has_no_interval():
    values, weights = drawn()
    more = weighted_mean(np.append(values, 9.0), np.append(weights, 0.0), PLAN)
    assert weighted_mean(values, weights, PLAN) == more
    assert (0.5, None, None) == (*weighted_mean(np.full(4, 0.5), np.arange(1.0, 5.0), PLAN)[:1], None, None)
    for of, by in (([0.5] * 4, [1.0, 2.0, 3.0, 4.0]), ([0.1, 0.2], [1.0, 0.0]), ([0.1, 0.2], [0.0, 0.0])):
        assert weighted_mean(np.array(of), np.array(by), replace(PLAN, interval="bca")).interval is None


@pytest.mark.parametrize("weight", [1e8, 1e9, 1e17])
def test_a_query_with_nearly_all_of_the_weight_leaves_no_interval(weight):
    found = weighted_mean(np.array([0.4, -0.1, 0.4]), np.array([weight, 1, 1]), PLAN)
    assert (None, None) == (found.interval, found.p)


@pytest.mark.parametrize("kind", INTERVALS)
def test_queries_that_are_not_in_the_sample_make_the_interval_of_differences_wider(kind):
    """With equal weights as without weights; of equal differences as of none, or no interval."""
    plan, equal = replace(PLAN, interval=kind), np.full(12, 0.5)
    for values in (np.array([0.3, -0.1, 0.2] + [0.0] * 9), np.zeros(12), np.full(12, 0.4)):
        (expected,) = of_differences(values[:, None], plan, 1.0)
        assert pytest.approx(expected) == weighted_mean(values, equal, plan).interval
    assert weighted_mean(np.full(3, 0.4), np.ones(3), plan).interval is None
    few, weights = np.array([0.3, 0.0, 0.0, 0.0, 0.0, 0.0]), np.array([5.0, 1, 1, 1, 1, 1])
    (narrow, wide), share = (weighted_mean(few, weights, plan, largest=each).interval for each in (0.0, 1.0)), 0.5
    n = weights.sum() ** 2 / (weights**2).sum()
    error = (1 - share) / (1 + n * share / 5) * math.sqrt(2 / (n * (n - 1)))
    freedom = ratio(few * weights, weights).freedom
    off = math.hypot((narrow.high - narrow.low) / 2, stats.t.ppf(0.95, freedom) * error)
    assert (wide.high - wide.low) / 2 == pytest.approx(off)


def test_intervals_of_weighted_and_corrected_differences_hold_the_mean_where_few_queries_differ():
    """A small version of benchmarks/few_differ.py."""
    few_differ = runpy.run_path(str(ROOT / "benchmarks" / "few_differ.py"))
    for kind, share, n, (before, narrow, after, wide) in few_differ["elsewhere"](400, 1, (0.03,), (25,)):
        assert after >= 90 > 75 > before, (kind, share, n)
        assert narrow < wide
