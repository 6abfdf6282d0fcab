"""Random-effects meta-analysis, against sums written out and metafor's numbers."""

import math

import numpy as np
import pytest
from scipy import optimize, stats

from irev.extensions.studies.statistics.meta_analysis import macro_average, random_effects

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
    spread = max(1, sum(w * (d - centre) ** 2 for w, d in zip(weights, differences, strict=True)) / (k - 1))
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


METAFOR = {
    (0.031, -0.012, 0.084, 0.046, 0.005): (
        (3.09954732092e-02, -2.37843235166e-02, 8.57752699349e-02, 1.91284173309e-01, 1.44875894140e-03),
        (-0.0880372870223, 0.1500282334406),
        (84.9831486161, 26.6367422687, 2.35395699103e-05),
        (21.0563147051, 16.5738805281, 22.9155821555, 12.7684906653, 26.6857319460),
    ),
    (0.031, 0.028, 0.030, 0.033): (
        (0.0302613827993, -0.00480572807032, 0.065328493669, 0.0709613717919, 0.0),
        (-0.00480572807032, 0.065328493669),
        (0.0, 0.0120067453626, 0.999651347362),
        (30.3541315346, 13.4907251265, 48.5666104553, 7.58853288364),
    ),
    (0.031, -0.112): (
        (-0.0387517482517, -0.946973772558, 0.869470276054, 0.683732275712, 0.0095745),
        (-1.57844251691, 1.50093902041),
        (93.6427209154, 15.73, 7.3056258911e-05),
        (51.2225536701, 48.7774463299),
    ),
}
"""rma(y, v, method="DL", test="adhoc") of metafor 3.8.1, with predict(), which has k - 1 degrees of freedom where irev
has k - 2, I2, QE, QEp and weights()."""


@pytest.mark.parametrize("differences", METAFOR)
def test_the_numbers_are_those_of_metafor(differences):
    variances = np.array([0.0004, 0.0009, 0.00025, 0.0016, 0.00001][: len(differences)])
    found = random_effects(np.array(differences), variances)
    over, predicted, heterogeneity, weights = METAFOR[differences]
    assert over == pytest.approx((*found.over, found.tau_squared), rel=1e-9)
    if len(differences) == 2:
        assert found.predicted is None
    else:
        fewer, more = stats.t.ppf(0.975, len(differences) - np.array([2, 1]))
        reach = (predicted[1] - predicted[0]) / 2 * fewer / more
        assert (over[0] - reach, over[0] + reach) == pytest.approx(found.predicted, rel=1e-9)
    assert heterogeneity == pytest.approx((100 * found.i_squared, found.q, found.q_p), rel=1e-9)
    assert weights == pytest.approx(100 * np.array(found.weights), rel=1e-9)


def test_equal_differences_of_collections_are_as_sure_as_their_queries_say():
    variances = np.array([0.01, 0.02])
    found = random_effects(np.array([0.1, 0.1]), variances)
    assert (0.0, 0.0, 1.0) == (found.tau_squared, found.i_squared, found.q_p)
    reach = stats.t.ppf(0.975, 1) / math.sqrt((1 / variances).sum())
    assert (0.1 - reach, 0.1 + reach) == pytest.approx(found.over[1:3])


@pytest.mark.parametrize(
    ("sizes", "spread", "usual", "modified"),
    [((50, 7405), 0.03, 0.24, 0.10), ((50, 648, 7405), 0.01, 0.17, 0.10), ((50,) * 5, 0.1, 0.05, 0.05)],
)
def test_random_effects_err_less_often_than_with_hartung_and_knapps_own_interval(sizes, spread, usual, modified):
    random, sizes = np.random.default_rng(0), np.array(sizes)
    errors = []
    for _ in range(600):
        measured = random.normal(0, np.sqrt(spread**2 + 0.04 / sizes))
        variances = 0.04 * random.chisquare(sizes - 1) / (sizes - 1) / sizes
        found = random_effects(measured, variances)
        weights = 1 / (variances + found.tau_squared)
        t = found.over.mean / math.sqrt((weights * (measured - found.over.mean) ** 2).sum() / weights.sum())
        own = 2 * stats.t.sf(abs(t) * math.sqrt(len(sizes) - 1), len(sizes) - 1)
        errors.append((own <= 0.05, found.over.p <= 0.05))
    assert pytest.approx((usual, modified), abs=0.035) == tuple(np.mean(errors, axis=0))


def test_the_macro_average_is_students_of_the_differences():
    differences = CHANCE.normal(0.02, 0.1, 6)
    found, expected = macro_average(differences, 0.9), stats.ttest_1samp(differences, 0)
    low, high = expected.confidence_interval(0.9)
    assert (differences.mean(), low, high, expected.pvalue) == pytest.approx(tuple(found))
