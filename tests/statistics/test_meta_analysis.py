"""Random-effects meta-analysis, against sums written out and metafor's numbers."""

import math

import numpy as np
import pytest
from scipy import optimize, stats

from irev.statistics.meta_analysis import macro_average, random_effects

CHANCE = np.random.default_rng(7)


def obvious(differences, variances, confidence):
    """Weighted means term by term; τ² is where the expected Q is the Q that was found."""
    k = len(differences)

    def mean(weights):
        return sum(w * d for w, d in zip(weights, differences, strict=True)) / sum(weights)

    fixed = [1 / v for v in variances]
    q = sum(w * (d - mean(fixed)) ** 2 for w, d in zip(fixed, differences, strict=True))

    def expected_q(tau_squared):
        """Of independent differences with variances v_i + τ², each w_i (d_i - mean)² by itself."""
        of_mean = sum(w * w * (v + tau_squared) for w, v in zip(fixed, variances, strict=True)) / sum(fixed) ** 2
        return sum(
            w * ((v + tau_squared) + of_mean - 2 * w * (v + tau_squared) / sum(fixed))
            for w, v in zip(fixed, variances, strict=True)
        )

    tau_squared = 0.0 if expected_q(0) >= q else optimize.brentq(lambda t: expected_q(t) - q, 0, 1e3, xtol=1e-15)
    weights = [1 / (v + tau_squared) for v in variances]
    centre = mean(weights)
    spread = sum(w * (d - centre) ** 2 for w, d in zip(weights, differences, strict=True)) / (k - 1)
    half = stats.t.ppf((1 + confidence) / 2, k - 1) * math.sqrt(spread / sum(weights))
    p = 2 * stats.t.sf(abs(centre) / math.sqrt(spread / sum(weights)), k - 1)
    return centre, centre - half, centre + half, p, tau_squared, q, stats.chi2.sf(q, k - 1)


@pytest.mark.parametrize(("k", "tau"), [(2, 0.0), (2, 0.2), (3, 0.1), (5, 0.0), (8, 0.05), (18, 0.3)])
def test_estimates_are_what_sums_say(k, tau):
    variances = CHANCE.uniform(0.0004, 0.01, k)
    differences = CHANCE.normal(0.03, np.sqrt(variances + tau**2))
    found = random_effects(differences, variances, 0.9)
    numbers = (*found.over, found.tau_squared, found.q, found.q_p)
    assert obvious(differences, variances, 0.9) == pytest.approx(numbers, rel=1e-9, abs=1e-12)
    assert max(0, 1 - (k - 1) / found.q) == pytest.approx(found.i_squared)
    assert [1 / (v + found.tau_squared) for v in variances] == pytest.approx(
        np.array(found.weights) * (1 / (variances + found.tau_squared)).sum()
    )


def test_the_numbers_are_those_of_metafor():
    """rma(y, v, method="DL", test="knha") of metafor 3.8.1, and weights(); the prediction interval is by hand."""
    variances = np.array([0.0004, 0.0009, 0.00025, 0.0016, 0.00001])
    found = random_effects(np.array([0.031, -0.012, 0.084, 0.046, 0.005]), variances)
    expected = (3.09954732092e-02, -1.62708930063e-02, 7.82618394246e-02, 1.42763215987e-01, 1.44875894140e-03)
    assert expected == pytest.approx((*found.over, found.tau_squared), rel=1e-10)
    assert (84.9831486161, 26.6367422687, 2.35395699103e-05) == pytest.approx(
        (100 * found.i_squared, found.q, found.q_p), rel=1e-10
    )
    weights = (21.0563147051, 16.5738805281, 22.9155821555, 12.7684906653, 26.6857319460)
    assert weights == pytest.approx(100 * np.array(found.weights), rel=1e-10)
    reach = stats.t.ppf(0.975, 3) * math.sqrt(found.tau_squared + 0.0197301926205**2)
    assert (found.over.mean - reach, found.over.mean + reach) == pytest.approx(found.predicted, rel=1e-9)


def test_of_two_collections_nothing_is_predicted_and_of_equal_differences_nothing_varies():
    found = random_effects(np.array([0.1, 0.1]), np.array([0.01, 0.02]))
    assert (None, 0.0, 0.0, 1.0) == (found.predicted, found.tau_squared, found.i_squared, found.q_p)
    assert (0.1, 0.1, 0.1, None) == pytest.approx(tuple(found.over))


def test_the_macro_average_is_students_of_the_differences():
    differences = CHANCE.normal(0.02, 0.1, 6)
    found, expected = macro_average(differences, 0.9), stats.ttest_1samp(differences, 0)
    low, high = expected.confidence_interval(0.9)
    assert (differences.mean(), low, high, expected.pvalue) == pytest.approx(tuple(found))
