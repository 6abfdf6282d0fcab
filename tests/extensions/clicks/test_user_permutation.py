"""Users who are dealt out to groups again: against all ways to do it, and by simulation."""

import itertools
import math

import numpy as np
import pytest
import scipy.stats

from irev.extensions.clicks import statistics
from irev.extensions.clicks.statistics import deal
from irev.statistics import ratios


def t(of, other):
    """t of the difference of two ratios, by the delta method."""
    values, squares = [], 0.0
    for y, x in (of, other):
        value = y.sum() / x.sum()
        values.append(value)
        squares += len(y) / (len(y) - 1) * ((y - value * x) ** 2).sum() / x.sum() ** 2
    apart = values[0] - values[1]
    return apart / math.sqrt(squares) if squares > 1e-20 else math.copysign(math.inf, apart) if apart else 0.0


def every_t(of, other):
    """t of all ways to deal users out."""
    y, x = (np.concatenate(columns) for columns in zip(of, other, strict=True))
    for chosen in itertools.combinations(range(len(y)), len(of[0])):
        first = np.isin(np.arange(len(y)), chosen)
        yield t((y[first], x[first]), (y[~first], x[~first]))


def group(random, n, sigma=1.0):
    x = 1.0 + random.poisson(3, n)
    return x * random.lognormal(0, sigma, n), x


@pytest.mark.parametrize(("n", "m"), [(4, 9), (9, 4), (6, 6)])
def test_p_is_that_of_all_ways_to_deal_users_out(n, m):
    random = np.random.default_rng(n)
    for _ in range(3):
        of, other = group(random, n), group(random, m)
        every, here = np.array([*every_t(of, other)]), t(of, other)
        tails = [(every >= here - 1e-9 * abs(here)).mean(), (every <= here + 1e-9 * abs(here)).mean()]
        assert min(1, 2 * min(tails)) == pytest.approx(deal(of, other, 0.95).p, abs=0.02)


def test_equal_users_and_ties_are_as_far_out_as_each_other():
    """Of 3 and 3 users, whose values are 1, 1, 1 and 0, 0, 0, one way of 20 is as far out to either side."""
    ones = np.ones(3)
    spread = 1e-3 * np.arange(3.0)
    found = deal((ones + spread, ones), (spread, ones), 0.9)
    assert 0.1 == pytest.approx(found.p, abs=0.01)
    nothing = deal((ones, ones), (np.zeros(3), ones), 0.95)
    assert (1.0, None, None) == (nothing.difference, nothing.p, nothing.low)


@pytest.mark.thorough
def test_neither_order_nor_units_change_what_is_found():
    random = np.random.default_rng(3)
    of, other = group(random, 300), group(random, 2500)
    found = deal(of, other, 0.95)
    mixed = [
        tuple(column[order] for column in each) for each in (of, other) for order in [random.permutation(len(each[0]))]
    ]
    assert found == deal(mixed[0], mixed[1], 0.95)
    larger = deal((1024 * of[0], of[1]), (1024 * other[0], other[1]), 0.95)
    assert (found.p, 1024 * found.low) == (larger.p, pytest.approx(larger.low))


def test_intervals_leave_out_0_exactly_where_p_is_small():
    random = np.random.default_rng(4)
    for number in range(40):
        (y, x), other = group(random, 20), group(random, 60)
        found = deal((y * (1 + number / 20), x), other, 0.95)
        assert (found.p <= 0.05) == (not found.low <= 0 <= found.high)
        if found.relative_low is not None:
            assert (found.p <= 0.05) == (not found.relative_low <= 0 <= found.relative_high)


def test_of_many_values_that_are_not_skewed_it_is_t():
    random = np.random.default_rng(5)
    of, other = ((random.normal(10, 1, n), np.ones(n)) for n in (600, 900))
    found = deal(of, other, 0.95)
    expected = ratios.difference(ratios.ratio(*of), ratios.ratio(*other), 0.95)
    assert expected.p == pytest.approx(found.p, abs=0.02)
    assert (expected.low, expected.high) == (pytest.approx(found.low, abs=0.006), pytest.approx(found.high, abs=0.006))


@pytest.mark.parametrize("sigma", [1.0, 2.0])
def test_the_sums_of_users_who_do_not_decide_may_be_drawn_together(sigma, monkeypatch):
    random = np.random.default_rng(6)
    of, other = group(random, 200, sigma), group(random, 2400, sigma)
    together = deal(of, other, 0.95)
    monkeypatch.setattr(statistics, "SINGLY", 10_000)
    singly = deal(of, other, 0.95)
    assert singly.p == pytest.approx(together.p, abs=0.02)
    assert singly.high - singly.low == pytest.approx(together.high - together.low, rel=0.05)


def test_skewed_values_in_unequal_groups_are_found_to_differ_as_seldom_as_said(monkeypatch):
    """t finds a difference in 12 of 100."""
    monkeypatch.setattr(statistics, "SAMPLES", 199)
    random, tests, found, by_t = np.random.default_rng(7), 300, 0, 0
    for _ in range(tests):
        of, other = ((random.lognormal(0, 2, n), np.ones(n)) for n in (40, 400))
        found += deal(of, other, 0.95).p <= 0.05
        by_t += ratios.difference(ratios.ratio(*of), ratios.ratio(*other), 0.95).p <= 0.05
    assert found <= scipy.stats.binom.ppf(0.999, tests, 0.05) < by_t
