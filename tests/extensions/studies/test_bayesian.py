"""The posterior of a mean difference under Student-t noise, against a plain sum over a fine grid."""

import math

import numpy as np
import pytest
from scipy import stats

from irev.extensions.studies.statistics.bayesian import NORMAL, Posterior, posterior
from irev.statistics.intervals import Interval, unseen, widened

HEAVY = (0.31, -0.02, 0.05, 0.11, -0.07, 0.02)


def nodes(low, high, parts):
    """Gauss and Legendre's nodes and weights in parts of an interval."""
    node, weight = np.polynomial.legendre.leggauss(12)
    edges = np.linspace(low, high, parts + 1)
    half, middle = (edges[1:] - edges[:-1]) / 2, (edges[1:] + edges[:-1]) / 2
    return (middle[:, None] + half[:, None] * node).ravel(), (half[:, None] * weight).ravel()


def obvious(differences, limit):
    """The probability above a limit: likelihood times prior, summed over μ on both sides of it, log σ and ν."""
    values, scale = np.array(differences), float(np.std(differences))
    log_sigma, of_sigma = nodes(math.log(scale) - 6, math.log(scale) + 7, 10)
    log_nu, of_nu = nodes(0, math.log(600), 6)
    sides = []
    for side in (1, -1):
        log_far, of_far = nodes(-17, 8, 25)
        mean = limit + side * scale * np.exp(log_far)
        total = np.zeros(len(mean))
        for nu, weight in zip(np.exp(log_nu), of_nu, strict=True):
            scaled = (values - mean[:, None, None]) / np.exp(log_sigma)[:, None]
            likelihood = np.exp(stats.t.logpdf(scaled, nu).sum(axis=2) - len(values) * log_sigma)
            total += weight * nu * math.exp(-(nu - 1) / 29) * (likelihood @ of_sigma)
        sides.append(float((total * np.exp(log_far) * of_far).sum()))
    return sides[0] / sum(sides)


@pytest.mark.thorough
@pytest.mark.parametrize("differences", [HEAVY, (0.0, 0.0, 0.1, 0.2, -0.05), (0.1, 0.2, 0.4, 0.25)])
def test_it_is_what_a_plain_sum_says(differences):
    found = posterior(np.array(differences), 0.9, 0.04)
    near = 1e-6 if len({*differences}) == len(differences) else 5e-6  # the plain sum is coarse where two are equal
    for expected, limit in ((found.better, 0), (found.beyond, 0.04), (0.05, found.high), (0.95, found.low)):
        assert expected == pytest.approx(obvious(differences, limit), abs=near)
    assert 0.5 == pytest.approx(obvious(differences, found.median), abs=near)


def test_of_many_normal_differences_it_is_near_student_s_t():
    """ν is then large, and the posterior with ν infinite is Student's interval and its p-value."""
    differences = stats.norm.ppf((np.arange(400) + 0.5) / 400) * 0.1 + 0.005
    found, tested = posterior(differences), stats.ttest_1samp(differences, 0)
    assert found.better == pytest.approx(1 - tested.pvalue / 2, abs=0.01)
    assert (found.low, found.high) == pytest.approx(tuple(tested.confidence_interval(0.95)), abs=0.001)


def test_scale_sign_and_order_change_nothing_else():
    values = np.array(HEAVY)
    found = posterior(values, margin=0.02)
    scaled, turned = posterior(values[::-1] * 1e-9, margin=2e-11), posterior(-values)
    assert (found.better, found.beyond) == pytest.approx((scaled.better, scaled.beyond), abs=1e-8)
    assert found.median == pytest.approx(scaled.median * 1e9, rel=1e-6)
    assert found.better == pytest.approx(1 - turned.better, abs=1e-8)
    assert (found.low, found.high) == pytest.approx((-turned.high, -turned.low), rel=1e-5)


@pytest.mark.parametrize(
    ("differences", "note"),
    [
        ((0.1, 0.2), "fewer than three queries"),
        ((0.1, math.inf, 0.2), "a difference is not a finite number"),
        ((0.1, 0.1, 0.1), "all queries differ by the same amount: no variance to test against"),
        ((0.0, 0.0, 0.1, 0.2), "half of the differences or more are equal"),
    ],
)
def test_where_there_is_none_it_says_why(differences, note):
    assert Posterior(None, None, None, None, None, note) == posterior(np.array(differences))


def test_of_skewed_differences_it_is_about_their_mean():
    """The centre of symmetric noise is below the mean of an exponential, and more queries are surer of it: normal noise
    has Student's interval and p-value."""
    differences = -np.log1p(-(np.arange(50) + 0.5) / 50) - 0.9
    found, tested = posterior(differences, 0.9, 0.1), stats.ttest_1samp(differences, 0)
    assert NORMAL == found.note
    assert found.better == pytest.approx(1 - tested.pvalue / 2, rel=1e-9)
    assert found.beyond == pytest.approx(
        1 - stats.ttest_1samp(differences, 0.1, alternative="greater").pvalue, rel=1e-9
    )
    assert (found.low, found.high) == pytest.approx(tuple(tested.confidence_interval(0.9)), rel=1e-9)
    assert differences.mean() == pytest.approx(found.median)
    assert "" == posterior(np.array([*differences, *-differences])).note


def test_differences_that_differ_by_rounding_are_equal():
    values = np.append(0.1 + 1e-17 * np.arange(30) + np.spacing(0.1) * (np.arange(30) % 3), np.linspace(-1, 1, 20))
    assert "half of the differences or more are equal" == posterior(values).note


@pytest.mark.parametrize("values", [(1e200, -1e200, 1, 2), (1e308, -1e308, 1, 2)])
def test_sizes_too_far_apart_have_none(values):
    assert "the differences are too far apart in size" == posterior(np.array(values)).note


def test_the_largest_numbers_are_as_others():
    values = np.array([1, -1, 0.5, -0.2])
    assert posterior(values).better == pytest.approx(posterior(values * 1e308).better)


@pytest.mark.parametrize("skewed", [False, True])
def test_queries_that_are_not_in_the_sample_make_the_interval_wider_and_the_sign_less_sure(skewed):
    differences = np.array([0.3, -0.1, 0.2, 0.25, 0.15, 0.05, 0.0, 0.0, 0.0, 0.0]) + skewed * np.array([0.7] + [0] * 9)
    (error,) = unseen(differences[:, None], 1.0)
    narrow, wide = (posterior(differences, 0.9, 0.1, each) for each in (0.0, error))
    assert skewed == (wide.note == NORMAL)
    low, high = widened(Interval(narrow.low, narrow.high), stats.t.ppf(0.95, 9) * error, 1.0)
    assert wide.high - wide.low == pytest.approx(high - low, rel=1e-6)
    assert narrow.median == pytest.approx(wide.median)
    assert 0.5 < wide.better < narrow.better
    ends = posterior(differences, 0.9, wide.low, error), posterior(differences, 0.9, wide.high, error)
    assert (0.95, 0.05) == pytest.approx(tuple(each.beyond for each in ends), abs=1e-6)
