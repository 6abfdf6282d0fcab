"""Ratios of sums over users: by hand, against a slow definition and scipy.stats, and by simulation."""

import math
from fractions import Fraction

import numpy as np
import pytest
import scipy.stats

from irev.extensions.clicks.statistics import Jackknife, crossed, detectable
from irev.statistics import ratios
from irev.statistics.ratios import Ratio, RatioDifference


def slow_error(y, x):
    """The standard error of the ratio of two means, as the delta method is written: with the variances of both means
    and their covariance, in fractions."""
    y, x = ([Fraction(float(value)) for value in values] for values in (y, x))
    n = len(y)

    def covariance(a, b):
        return sum((p - sum(a) / n) * (q - sum(b) / n) for p, q in zip(a, b, strict=True)) / (n - 1)

    mean_y, mean_x = sum(y) / n, sum(x) / n
    r = mean_y / mean_x
    return math.sqrt((covariance(y, y) - 2 * r * covariance(y, x) + r**2 * covariance(x, x)) / (n * mean_x**2))


def group(random, users, rate):
    """Clicks and impressions of users who differ: in how much they see, and in how readily they click."""
    impressions = random.poisson(4, users) + 1.0
    readiness = random.beta(5 * rate, 5 * (1 - rate), users)
    return random.binomial(impressions.astype(int), readiness).astype(float), impressions


def slow_jackknife(y, x):
    """The error and degrees of freedom by their definitions: every user left out in turn, and Bell and McCaffrey's
    (tr B)²/tr B² of the matrix that makes the variance of impressions that vary alike."""
    n, r = len(y), y.sum() / x.sum()
    without = np.array([(y.sum() - y[i]) / (x.sum() - x[i]) for i in range(n)])
    apart = np.eye(n) - np.outer(x, np.ones(n)) / x.sum()  # of the sums of users, residuals
    away = apart / (x.sum() - x)[:, None]
    matrix = np.sqrt(x)[:, None] * (away.T @ away) * np.sqrt(x)
    return math.sqrt((n - 1) / n * ((without - r) ** 2).sum()), np.trace(matrix) ** 2 / np.trace(matrix @ matrix)


def test_the_ratio_of_three_users_by_hand():
    # 3 clicks in 6 impressions; without a user each 2/5, 3/4, 1/3. Users of 1, 2, 3 impressions weigh as 36/14.
    found = ratios.ratio(np.array([1.0, 0.0, 2.0]), np.array([1.0, 2.0, 3.0]))
    error = math.sqrt(2 / 3 * ((2 / 5 - 1 / 2) ** 2 + (3 / 4 - 1 / 2) ** 2 + (1 / 3 - 1 / 2) ** 2))
    odds = 1 / 5 + 1 / 2 + 1
    first = (1 / 6) ** 2 * (2 / 3) / (5 / 6) ** 4 + (1 / 3) ** 2 * (1 / 3) / (2 / 3) ** 4 + 0
    degrees = odds**2 / (first + (1 / 25 + 1 / 4 + 1) ** 2)
    assert (0.5, error, 3, degrees, 36 / 14) == pytest.approx(
        (found.value, found.error, found.n, found.degrees, found.effective)
    )


@pytest.mark.parametrize("seed", range(10))
def test_the_error_and_its_degrees_are_those_of_leaving_each_user_out(seed):
    random = np.random.default_rng(seed)
    y, x = group(random, int(random.integers(2, 60)), 0.3)
    x[0] *= random.choice([1, 5, 500])
    dwell = y * random.lognormal(3, 1, len(y))
    for part, whole in ((y, x), (dwell, x), (dwell, y + 1), (-dwell, x)):
        found = ratios.ratio(part, whole)
        assert part.sum() / whole.sum() == found.value
        assert slow_jackknife(part, whole) == pytest.approx((found.error, found.degrees), rel=1e-9)


@pytest.mark.parametrize("seed", range(5))
def test_users_in_parts_and_in_another_order_give_the_same_to_the_last_bit(seed):
    random = np.random.default_rng(seed)
    y, x = group(random, 40, 0.3)
    dwell = y * random.lognormal(3, 1, len(y))
    value, total = ratios.ratio(dwell, x).value, float(x.sum())
    order = random.permutation(40)
    whole, parts = (Jackknife(value, total) for _ in range(2))
    whole.add(dwell, x)
    for some in np.split(order, [3, 3, 30]):
        parts.add(dwell[some], x[some])
    assert whole.ratio() == parts.ratio()


def test_where_all_come_equally_often_t_has_one_degree_less_than_users():
    for n in (2, 3, 40):
        assert (n - 1, n) == pytest.approx(_degrees(np.full(n, 3.0)))


def test_a_user_who_comes_500_times_as_often_leaves_one_degree_of_freedom():
    found = ratios.ratio(np.arange(100.0), np.append(np.ones(99), 500.0))
    assert 1 == pytest.approx(found.degrees, abs=0.1)
    assert found.heavy
    assert not ratios.ratio(np.arange(100.0), np.ones(100)).heavy


def test_of_units_that_are_alike_the_degrees_are_the_geometric_mean_of_both_numbers():
    y, x = np.arange(8.0), np.array([1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0, 40.0])
    usual = ratios.ratio(y, x)
    found = Jackknife(usual.value, float(x.sum()), alike=True)
    found.add(y, x)
    alike = (x**2).sum() ** 2 / (x**4).sum()
    assert (usual.error, math.sqrt(usual.degrees * alike)) == pytest.approx(
        (found.ratio().error, found.ratio().degrees)
    )
    even = Jackknife(3.5, 8.0, alike=True)
    even.add(y, np.ones(8))
    assert 7 == pytest.approx(even.ratio().degrees)


def test_an_error_over_users_and_lists_is_at_least_that_over_either():
    users, lists = Ratio(0.5, 0.3, 100, 40.0, 50.0), Ratio(0.5, 0.4, 20, 9.0, 12.0)
    for both, error in ((0.0, 0.5), (0.3, 0.4), (0.45, 0.4)):
        found = crossed(users, lists, Ratio(0.5, both, 900, 500.0))
        assert Ratio(0.5, pytest.approx(error), 20, 9.0, 12.0) == found
    assert Ratio(0.5, None, 20) == crossed(users, Ratio(0.5, None, 20), users)


def test_there_is_no_error_where_one_user_has_everything():
    found = ratios.ratio(np.array([3.0, 1.0]), np.array([4.0, 0.0]))
    assert (1.0, None) == (found.value, found.error)


def _degrees(x):
    found = ratios.ratio(np.arange(float(len(x))), x)
    return found.degrees, found.effective


def credits(random, users, heavy):
    """Clicks of users, each for A or B by a chance of the user's own that favours neither; one comes `heavy` times as
    often."""
    clicks = 1 + random.poisson(4, users)
    clicks[0] *= heavy
    for_a = random.binomial(clicks, random.beta(2, 2, users))
    return (2.0 * for_a - clicks), clicks.astype(float)


@pytest.mark.parametrize(("users", "heavy"), [(3, 1), (10, 10), (100, 500)])
def test_few_and_heavy_users_find_no_more_than_the_level(users, heavy):
    """Of 400 logs without a preference; with n - 1 degrees and the delta method it would be up to 370 of these."""
    random = np.random.default_rng(7)
    found = [ratios.p_of_zero(ratios.ratio(*credits(random, users, heavy))) for _ in range(400)]
    assert sum(p is not None and p <= 0.05 for p in found) <= scipy.stats.binom.ppf(0.999, 400, 0.05)


def test_a_mean_has_the_error_that_a_mean_has():
    y = np.random.default_rng(1).normal(5, 2, 40)
    assert scipy.stats.sem(y) == pytest.approx(ratios.ratio(y, np.ones(40)).error, rel=1e-12)


def test_the_difference_of_means_is_welchs_test():
    random = np.random.default_rng(3)
    a, b = random.normal(5, 2, 12), random.normal(6, 5, 30)
    of, other = ratios.ratio(a, np.ones(12)), ratios.ratio(b, np.ones(30))
    expected = scipy.stats.ttest_ind(a, b, equal_var=False)
    found = ratios.difference(of, other, 0.9)
    assert expected.pvalue == pytest.approx(found.p, rel=1e-9)
    assert expected.df == pytest.approx(found.degrees, rel=1e-9)
    ends = expected.confidence_interval(0.9)
    assert (ends.low, ends.high) == pytest.approx((found.low, found.high), rel=1e-9)
    assert (found.difference, found.relative) == (of.value - other.value, (of.value - other.value) / other.value)


@pytest.mark.parametrize("seed", range(5))
def test_the_relative_interval_ends_where_the_test_of_that_ratio_begins_to_reject(seed):
    """Fieller's definition: θ is inside where r - θr' is no farther from 0 than t standard errors of it."""
    random = np.random.default_rng(seed)
    of, other = ratios.ratio(*group(random, 30, 0.3)), ratios.ratio(*group(random, 30, 0.2))
    found = ratios.difference(of, other, 0.95)
    t = scipy.stats.t.ppf(0.975, found.degrees)
    for end in (found.relative_low, found.relative_high):
        theta = 1 + end
        away = (of.value - theta * other.value) / math.hypot(of.error, theta * other.error)
        assert t == pytest.approx(abs(away), rel=1e-9)
    assert found.relative_low < found.relative < found.relative_high


@pytest.mark.parametrize("seed", range(20))
def test_p_and_both_intervals_say_the_same(seed):
    random = np.random.default_rng(seed)
    found = ratios.difference(
        ratios.ratio(*group(random, 80, 0.3)), ratios.ratio(*group(random, 80, 0.2)), confidence=0.95
    )
    says = found.p < 0.05
    assert [says] * 2 == [found.low > 0 or found.high < 0, found.relative_low > 0 or found.relative_high < 0]


def test_a_relative_interval_without_end_is_none():
    # 0.5 is not two standard errors from 0: any multiple of it may be what the other is.
    found = ratios.difference(Ratio(1.0, 0.1, 100), Ratio(0.5, 0.3, 100), 0.95)
    assert (1.0, None, None) == (found.relative, found.relative_low, found.relative_high)
    assert found.low is not None


def test_nothing_is_relative_to_what_is_not_above_zero():
    for value in (0.0, -0.5):
        found = ratios.difference(Ratio(1.0, 0.1, 100), Ratio(value, 0.01, 100), 0.95)
        assert (None, None, None) == (found.relative, found.relative_low, found.relative_high)
        assert found.p is not None


def test_there_is_no_ratio_without_anything_to_divide_by():
    nothing = ratios.ratio(np.zeros(3), np.zeros(3))
    assert Ratio(None, None, 3) == nothing == ratios.ratio(np.array([1.0, 0.0, 0.0]), np.zeros(3))
    assert Ratio(None, None, 0) == ratios.ratio(np.zeros(0), np.zeros(0))
    assert RatioDifference(None) == ratios.difference(nothing, Ratio(0.5, 0.1, 9), 0.95)
    assert ratios.around(nothing, 0.95) is None
    assert detectable(nothing, nothing, 0.05, 0.8) is None


def test_one_user_has_a_ratio_and_no_error():
    one = ratios.ratio(np.array([1.0]), np.array([4.0]))
    assert Ratio(0.25, None, 1) == one
    assert RatioDifference(-0.25, relative=-0.5) == ratios.difference(one, Ratio(0.5, 0.1, 9), 0.95)


def test_where_no_user_differs_there_is_no_variance_to_test_against():
    # Ten tenths do not add up to a whole, and 0.1 · 3 is not 0.3.
    tenths = ratios.ratio(np.full(10, 0.1) * np.arange(1, 11), np.arange(1.0, 11))
    assert 0 == tenths.error
    assert ratios.around(tenths, 0.95) is None
    assert RatioDifference(0.0, p=1.0, relative=0.0) == ratios.difference(tenths, tenths, 0.95)
    found = ratios.difference(tenths, Ratio(0.5, 0.0, 3), 0.95)
    assert (None, None, None) == (found.low, found.high, found.p)
    assert ratios.difference(tenths, Ratio(0.5, 0.1, 3), 0.95).p is not None


def test_numbers_too_large_to_square_have_a_ratio_and_no_error():
    with np.errstate(over="ignore"):
        found = ratios.ratio(np.array([1e200, 2e200]), np.ones(2))
    assert Ratio(1.5e200, None, 2) == found
    assert Ratio(None, None, 2) == ratios.ratio(np.array([math.inf, 2.0]), np.ones(2))


@pytest.mark.parametrize("level", [1e3, 1e6, 1e9])
def test_users_who_hardly_differ_have_the_error_that_they_have(level):
    y = level + np.random.default_rng(5).normal(size=20)
    x = np.ones(20)
    expected = slow_error(y, x)
    assert expected == pytest.approx(ratios.ratio(y, x).error, rel=1e-6)


def test_the_unit_of_a_sum_changes_nothing_but_the_unit():
    random = np.random.default_rng(4)
    (a, shown_a), (b, shown_b) = group(random, 50, 0.3), group(random, 50, 0.2)
    found, millis = (
        ratios.difference(ratios.ratio(unit * a, shown_a), ratios.ratio(unit * b, shown_b), 0.95) for unit in (1, 1000)
    )
    assert (found.p, found.relative_low, found.degrees) == pytest.approx(
        (millis.p, millis.relative_low, millis.degrees)
    )
    assert 1000 * found.low == pytest.approx(millis.low)


def test_the_interval_of_one_ratio_is_students():
    y = np.random.default_rng(5).normal(5, 2, 12)
    expected = scipy.stats.t.interval(0.9, 11, y.mean(), scipy.stats.sem(y))
    assert expected == pytest.approx(tuple(ratios.around(ratios.ratio(y, np.ones(12)), 0.9)), rel=1e-9)


def test_the_p_of_zero_is_that_of_students_test():
    y = np.random.default_rng(6).normal(0.5, 1, 12)
    expected = scipy.stats.ttest_1samp(y, 0).pvalue
    assert expected == pytest.approx(ratios.p_of_zero(ratios.ratio(y, np.ones(12))), rel=1e-9)
    assert [None, None, None, 1.0] == [
        ratios.p_of_zero(each)
        for each in (Ratio(None, None, 3), Ratio(1.0, None, 1), Ratio(1.0, 0.0, 3), Ratio(0.0, 0.0, 3))
    ]


def test_of_many_users_the_detectable_effect_is_the_one_of_the_textbooks():
    of, other = Ratio(0.3, 0.003, 10**6), Ratio(0.3, 0.004, 10**6)
    z = scipy.stats.norm.ppf
    assert (z(0.975) + z(0.8)) * 0.005 == pytest.approx(detectable(of, other, 0.05, 0.8), rel=1e-5)


def test_the_detectable_effect_of_two_small_groups_is_found_as_often_as_it_says():
    """By the power of the t test of two groups that are as large as each other, and vary alike."""
    found = detectable(Ratio(1.0, 0.1, 8), Ratio(1.0, 0.1, 8), 0.05, 0.8)
    moved = found / math.hypot(0.1, 0.1)
    limit = scipy.stats.t.ppf(0.975, 14)
    assert 0.8 == pytest.approx(scipy.stats.nct.sf(limit, 14, moved), rel=1e-6)


def experiments(times, users, rates, seed=0):
    random = np.random.default_rng(seed)
    for _ in range(times):
        yield [group(random, users, rate) for rate in rates]


@pytest.mark.thorough
def test_the_test_keeps_its_level_where_clicks_are_not_independent():
    """A thousand experiments in which nothing differs; the limits are those of a level of 5% with a chance of one in
    ten thousand. A test that takes each impression for a user finds more."""
    low, high = scipy.stats.binom.ppf([0.5e-4, 1 - 0.5e-4], 1000, 0.05)
    kept = naive = 0
    for (a, shown_a), (b, shown_b) in experiments(1000, 200, (0.3, 0.3)):
        kept += ratios.difference(ratios.ratio(a, shown_a), ratios.ratio(b, shown_b), 0.95).p < 0.05
        table = [[a.sum(), (shown_a - a).sum()], [b.sum(), (shown_b - b).sum()]]
        naive += scipy.stats.chi2_contingency(table, correction=False).pvalue < 0.05
    assert low <= kept <= high
    assert naive > high


@pytest.mark.thorough
def test_intervals_hold_the_truth_as_often_as_they_say():
    low, high = scipy.stats.binom.ppf([0.5e-4, 1 - 0.5e-4], 1000, 0.9)
    absolute = relative = 0
    for a, b in experiments(1000, 100, (0.36, 0.3), seed=1):
        result = ratios.difference(ratios.ratio(*a), ratios.ratio(*b), 0.9)
        absolute += result.low <= 0.06 <= result.high
        relative += result.relative_low <= 0.2 <= result.relative_high
    assert low <= absolute <= high
    assert low <= relative <= high
