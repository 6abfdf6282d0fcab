"""Correlations and their intervals: against scipy.stats, by hand, and by simulation."""

import math

import numpy as np
import pytest
import scipy.stats

from irev.statistics.correlations import (
    KENDALL,
    PEARSON,
    SPEARMAN,
    Correlation,
    correlation,
    resampled_kendall,
)

ALL = {
    PEARSON: scipy.stats.pearsonr,
    SPEARMAN: scipy.stats.spearmanr,
    KENDALL: scipy.stats.kendalltau,
}


def pairs(random, n, rho):
    a, noise = random.normal(size=(2, n))
    return a, rho * a + math.sqrt(1 - rho**2) * noise


@pytest.mark.parametrize("of", ALL, ids=lambda of: of.title)
@pytest.mark.parametrize("seed", range(5))
def test_the_coefficients_are_scipys_with_ties_and_without(of, seed):
    random = np.random.default_rng(seed)
    for a, b in (pairs(random, 20, 0.5), random.integers(0, 4, (2, 15)).astype(float)):
        assert ALL[of](a, b).statistic == pytest.approx(correlation(of, a, b, 0.95).value, abs=1e-12)


def test_pearsons_interval_is_scipys():
    a, b = pairs(np.random.default_rng(1), 12, 0.6)
    expected = scipy.stats.pearsonr(a, b).confidence_interval(0.9)
    assert tuple(expected) == pytest.approx(tuple(correlation(PEARSON, a, b, 0.9).interval), rel=1e-12)


def test_the_interval_of_kendalls_tau_by_hand():
    # Of 21 pairs the six among the last four are in the wrong order; n - 4 is 3.
    a = np.arange(7.0)
    b = np.array([0.0, 1.0, 2.0, 6.0, 5.0, 4.0, 3.0])
    found = correlation(KENDALL, a, b, 0.95)
    assert (21 - 2 * 6) / 21 == pytest.approx(found.value, abs=1e-15)
    reach = 1.959963984540054 * math.sqrt(0.437 / 3)
    ends = [math.tanh(math.atanh(9 / 21) + side * reach) for side in (-1, 1)]
    assert ends == pytest.approx(list(found.interval), abs=1e-12)


@pytest.mark.parametrize("of", ALL, ids=lambda of: of.title)
def test_where_nothing_varies_there_is_none_and_of_few_pairs_and_perfect_ones_no_interval(of):
    rising, still = np.arange(9.0), np.full(9, 0.1)
    assert Correlation(None, None) == correlation(of, rising, still, 0.95) == correlation(of, still, rising, 0.95)
    assert Correlation(None, None) == correlation(of, rising[:1], rising[:1], 0.95)
    assert Correlation(1.0, None) == correlation(of, rising, 1e300 * rising, 0.95)
    few = correlation(of, np.array([1.0, 2.0, 3.0]), np.array([1.0, 3.0, 2.0]), 0.95)
    assert few.value is not None
    assert few.interval is None


@pytest.mark.thorough
@pytest.mark.parametrize("of", ALL, ids=lambda of: of.title)
@pytest.mark.parametrize("rho", [0.0, 0.6])
def test_intervals_hold_the_truth_about_as_often_as_they_say(of, rho):
    """Of normal pairs, of which the true coefficients are known: τ = 2/π asin ρ, ρ_s = 6/π asin(ρ/2)."""
    truth = {
        PEARSON: rho,
        SPEARMAN: 6 / math.pi * math.asin(rho / 2),
        KENDALL: 2 / math.pi * math.asin(rho),
    }[of]
    random = np.random.default_rng(3)
    held = [
        found.low <= truth <= found.high
        for found in (correlation(of, *pairs(random, 20, rho), 0.95).interval for _ in range(1000))
    ]
    assert 0.93 <= np.mean(held) <= 0.97


def test_drawn_again_kendalls_tau_is_that_of_the_rows_that_were_drawn():
    random = np.random.default_rng(4)
    columns, other = random.integers(0, 5, (8, 3)).astype(float), random.integers(0, 5, 8).astype(float)
    found = resampled_kendall(columns, other, 50, 9)
    drawn = np.random.Generator(np.random.PCG64(9)).integers(0, 8, size=(50, 8), dtype=np.uint16)
    with np.errstate(invalid="ignore"):
        expected = [
            [scipy.stats.kendalltau(columns[rows, place], other[rows]).statistic for place in range(3)]
            for rows in drawn
        ]
    np.testing.assert_allclose(expected, found, atol=1e-12)


def test_a_sample_in_which_nothing_varies_has_none():
    assert np.isnan(resampled_kendall(np.zeros((3, 1)), np.arange(3.0), 5, 0)).all()
