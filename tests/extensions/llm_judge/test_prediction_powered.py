"""Means by human values of some queries and predicted values of all, against slow definitions and ppi_py."""

import itertools
import math
import random

import numpy as np
import pytest
import scipy.stats
from reference_statistics import by_score, prediction_powered

from irev.extensions.llm_judge.prediction_powered import (
    by_parts,
    chosen,
    corrected,
    favour,
    mean_of,
    parts,
    queries_needed,
)
from irev.statistics.plan import Plan

# What ppi_mean_pointestimate and _calc_lam_glm of ppi-python 0.2.3 (PyPI) made of human values of the first queries,
# and of predictions of all, and the ends of ppi_mean_ci at alpha 0.05.
PPI_PY = [
    ([0.52, 0.56, 0.36, 0.71], [0.24, 0.54, 0.37, 0.6, 0.63, 0.07], 0.07706747929153478, 0.5307565955619907,
     0.4115138515369261, 0.6499993395870554),
    ([0.61, 0.08, 0.49, 0.32, 0.5], [1.0, 0.47, 0.84, 0.48, 0.64, 0.15, 0.63, 0.87, 0.52, 0.74, 0.67, 0.06],
     0.24338014880045605, 0.3595988952991243, 0.2226148219191085, 0.4965829686791401),
    ([0, 0.03, 0.24, 0, 0.13, 0],
     [0.72, 0.88, 0.71, 0.92, 0.39, 0.8, 0.44, 0.94, 0.88, 0.1, 0.14, 0.22, 0.97, 0.44, 0.63], 0.0,
     0.06666666666666667, -0.005445725009098054, 0.13877905834243137),
    ([1, 1, 0.91, 0.28], [0.83, 0.57, 0.28, 0.06, 0.85, 0.99, 0.09], 0.20687352265000164, 0.8405986505520837,
     0.5743827570877729, 1.1068145440163946),
]  # fmt: skip


@pytest.mark.parametrize(("human", "predicted", "tuning", "estimate", "low", "high"), PPI_PY)
def test_the_estimate_and_its_tuning_are_those_of_ppi_py(human, predicted, tuning, estimate, low, high):
    n, total = len(human), len(predicted)
    found = corrected(np.array(human), np.array(predicted), np.arange(n))
    # λ of ppi_py belongs to the mean of the queries that are not judged, and here to that of all.
    assert tuning == pytest.approx(found.tuning * (total - n) / total, abs=1e-9)
    assert estimate == pytest.approx(found.value, abs=1e-9)
    assert (low + high) / 2 == pytest.approx(found.value, abs=1e-9)
    # Its error has a fixed λ, variances over n, and a normal quantile.
    rest = np.array(human) - tuning * np.array(predicted[:n])
    error = math.sqrt(rest.var() / n + tuning**2 * np.var(predicted[n:]) / (total - n))
    assert (high - low) / 2 == pytest.approx(scipy.stats.norm.ppf(0.975) * error, abs=1e-9)


def test_a_live_ppi_py_has_the_same():
    peer = pytest.importorskip("ppi_py", reason="pip install ppi-python")
    chance = np.random.default_rng(3)
    for n, slope, noise in itertools.product((3, 15, 60), (-0.5, 0.0, 0.6, 1.5), (0.05, 0.4)):
        predicted = chance.random(200)
        human = slope * predicted[:n] + chance.normal(0, noise, n)
        given = human, predicted[:n], predicted[n:]
        found = corrected(human, predicted, np.arange(n))
        tuned = {"lam": found.tuning * (200 - n) / 200}
        ends = np.concatenate(peer.ppi_mean_ci(*given, alpha=0.05))
        for value in (peer.ppi_mean_pointestimate(*given), peer.ppi_mean_pointestimate(*given, **tuned), ends.mean()):
            assert found.value == pytest.approx(float(np.squeeze(value)), abs=1e-9)
        assert np.concatenate(peer.ppi_mean_ci(*given, alpha=0.05, **tuned)) == pytest.approx(ends, abs=1e-9)


def test_the_estimate_and_its_error_are_what_the_slow_definition_has():
    chance = random.Random(0)
    for _ in range(200):
        total = chance.randint(3, 30)
        judged = chance.sample(range(total), chance.randint(2, total))
        predicted = [chance.random() for _ in range(total)]
        slope, noise = chance.choice((-0.5, 0.0, 0.4, 1.0, 2.0)), chance.choice((0.05, 0.3))
        human = [slope * predicted[i] + chance.gauss(0, noise) for i in judged]
        found = corrected(np.array(human), np.array(predicted), np.array(judged))
        expected = prediction_powered(human, predicted, judged)
        assert expected == pytest.approx(
            (found.tuning, found.estimate.value, found.estimate.error), rel=1e-9, abs=1e-12
        )


def test_useless_predictions_leave_the_interval_of_human_values():
    human = np.array([0.2, 0.4, 0.9, 0.1, 0.5])
    found = corrected(human, np.full(20, 0.5), np.arange(5))
    expected = scipy.stats.t.interval(0.95, 4, human.mean(), human.std(ddof=1) / math.sqrt(5))
    assert expected == pytest.approx(found.interval(0.95), rel=1e-12)
    assert found.tuning == 0.0
    assert found.worth == pytest.approx(0.0, abs=1e-9)
    assert scipy.stats.ttest_1samp(human, 0).pvalue == pytest.approx(found.p, rel=1e-9)


def test_good_predictions_are_worth_queries():
    chance = np.random.default_rng(1)
    predicted = chance.random(400)
    found = corrected(predicted[:40] + chance.normal(0, 0.03, 40), predicted, np.arange(40))
    alone = 40 + found.worth
    assert found.human.error * math.sqrt(40 / alone) == pytest.approx(found.estimate.error, rel=1e-12)
    assert alone > 200


def test_where_every_query_is_judged_the_mean_is_the_humans():
    human, predicted = np.array([0.1, 0.7, 0.3, 0.4]), np.array([0.2, 0.9, 0.1, 0.5])
    found = corrected(human, predicted, np.arange(4))
    assert human.mean() == pytest.approx(found.value, rel=1e-12)
    assert found.predicted == pytest.approx(predicted.mean(), rel=1e-12)


def test_intervals_of_shares_are_what_the_slow_definition_has():
    chance = np.random.default_rng(6)
    for n in (4, 9, 30):
        for _ in range(30):
            human, predicted = chance.beta(0.4, 0.2, n), chance.beta(0.5, 0.3, 100)
            predicted[:n] = (human + predicted[:n]) / 2
            found = corrected(human, predicted, np.arange(n), share=True)
            t = scipy.stats.t.ppf(0.975, n - 1)
            expected = by_score(found.value, found.estimate.error, t, human.mean())
            assert expected == pytest.approx(found.interval(0.95), abs=1e-12)
            alone = by_score(human.mean(), scipy.stats.sem(human), t, human.mean())
            assert alone == pytest.approx(found.human_interval(0.95), abs=1e-12)


def test_intervals_of_what_is_0_or_1_are_those_of_wilson():
    human = np.array([1.0] * 14 + [0.0] * 3)
    found = corrected(human, np.full(40, 0.5), np.arange(17), share=True).interval(0.95)
    # Wilson's, with Student's t, and the variance over n - 1.
    reach = scipy.stats.t.ppf(0.975, 16) * math.sqrt(17 / 16)
    expected = scipy.stats.binomtest(14, 17).proportion_ci(2 * scipy.stats.norm.cdf(reach) - 1, method="wilson")
    assert (expected.low, expected.high) == pytest.approx(found, rel=1e-9)


def test_shares_and_their_intervals_stay_between_0_and_1():
    human = np.array([1.0, 1.0, 1.0, 0.6])
    predicted = np.array([0.6, 0.6, 0.6, 0.0, 0.9, 0.9, 0.9, 0.9])
    found = corrected(human, predicted, np.arange(4), share=True)
    assert found.estimate.value > found.value == 1.0
    assert found.interval(0.95).high == pytest.approx(1.0, abs=1e-12)
    assert found.interval(0.95).high <= 1.0
    assert 0 < found.interval(0.95).low < 1
    assert corrected(human, predicted, np.arange(4)).interval(0.95).high > 1
    assert corrected(np.ones(4), predicted, np.arange(4), share=True).interval(0.95) is None


def test_intervals_of_shares_whose_human_mean_is_at_an_end_are_cut_there():
    human, predicted = (
        np.array([1.5, 0.6, 1.6, 0.7, 1.4, 0.9]),
        np.array([0.9, 1.0, 0.7, 0.8, 1.0, 0.6, 0.2, 0.4, 0.9, 1.0]),
    )
    found = corrected(human, predicted, np.arange(6), share=True)
    low, high = found.interval(0.95)
    assert 0 < low < 1 == high


def test_a_human_mean_that_rounding_moves_from_an_end_is_at_the_end():
    human, predicted = np.array([0.8, 1.3, 0.9, 1.1, 1.1, 0.8]), np.linspace(0, 1, 20)
    found = corrected(human, predicted, np.arange(6), share=True)
    assert 1 - 1e-15 < found.human.value < 1
    assert found.interval(0.95).low == pytest.approx(
        corrected(human, predicted, np.arange(6)).interval(0.95).low, rel=1e-12
    )


def test_as_many_queries_are_needed_as_the_first_number_that_is_enough():
    chance = random.Random(1)
    for _ in range(200):
        judged, most = chance.randint(2, 40), chance.randint(40, 300)
        of_all = chance.choice((0.0, 0.0001, 0.0004))
        error = math.sqrt(of_all + chance.random() ** 2 * 0.01)
        width = chance.choice((0.05, 0.1, 0.2, 0.4))
        share, largest = chance.choice(((1.0, 1.0), (0.5, 1.0), (0.0, 0.1)))

        def wide(n):
            unseen = largest * (1 - share) / (1 + n * share / 5) * math.sqrt(2 / (n * (n - 1)))  # noqa: B023
            squared = (error**2 - of_all) * judged / n + of_all + unseen**2  # noqa: B023
            return 2 * scipy.stats.t.ppf(0.975, n - 1) * math.sqrt(squared)

        expected = next((n for n in range(2, most + 1) if wide(n) <= width), None)
        assert expected == queries_needed(error, of_all, judged, most, width, 0.95, share, largest)


def test_where_all_queries_are_judged_the_error_is_that_of_human_values():
    chance = np.random.default_rng(5)
    predicted = chance.random(300)
    human = predicted * 0.8 + chance.normal(0, 0.1, 300)
    found = corrected(human[:60], predicted, np.arange(60))
    of_sample = (found.estimate.error**2 - found.of_all) * 60
    assert human.std(ddof=1) / math.sqrt(300) == pytest.approx(math.sqrt(of_sample / 300 + found.of_all), rel=0.1)


def test_one_judged_query_has_an_estimate_and_no_error():
    found = corrected(np.array([0.5]), np.array([0.1, 0.3, 0.8]), np.array([2]))
    assert (0.5, None, None, None) == (found.value, found.interval(0.95), found.p, found.worth)
    with pytest.raises(ValueError, match="no query is judged"):
        corrected(np.array([]), np.array([0.1]), np.array([], dtype=int))


def test_values_that_are_the_same_everywhere_have_no_interval():
    found = corrected(np.full(5, 0.3), np.full(9, 0.3), np.arange(5))
    assert (0.3, 0.0, None) == (found.value, found.estimate.error, found.interval(0.95))


def test_the_bias_is_the_mean_of_human_less_predicted_values():
    human, predicted = np.array([0.3, 0.5, 0.1]), np.array([0.6, 0.4, 0.5])
    found, apart = mean_of(human - predicted), human - predicted
    assert (apart.mean(), apart.std(ddof=1) / math.sqrt(3)) == pytest.approx((found.value, found.error), rel=1e-12)


def test_a_run_is_favoured_by_how_its_bias_is_from_that_of_the_others():
    differences = np.random.default_rng(2).normal(size=(12, 3))
    for run, found in enumerate(favour(differences)):
        apart = differences[:, run] - np.delete(differences, run, axis=1).mean(axis=1)
        assert (apart.mean(), apart.std(ddof=1) / math.sqrt(12)) == pytest.approx((found.value, found.error), rel=1e-12)
    one, other = favour(differences[:, :2])
    assert one.value == pytest.approx(-other.value, rel=1e-12)


def test_a_sample_of_the_easy_queries_looks_chosen():
    predicted = np.sort(np.random.default_rng(3).random(60))
    easy, spread = np.arange(40, 60), np.arange(0, 60, 3)
    expected = scipy.stats.ttest_ind(predicted[easy], np.delete(predicted, easy), equal_var=False).pvalue
    assert expected == pytest.approx(chosen(predicted, easy), rel=1e-9)
    assert expected < 1e-6 < 0.5 < chosen(predicted, spread)
    assert chosen(predicted, np.array([0])) is None


@pytest.mark.thorough
def test_intervals_of_95_percent_hold_the_truth_in_95_of_100_samples():
    chance, held = np.random.default_rng(4), 0
    for _ in range(4000):
        truth = chance.beta(1, 2, 200)
        predicted = np.clip(truth + 0.2 + chance.normal(0, 0.15, 200), 0, 1)
        low, high = corrected(truth[:20], predicted, np.arange(20), share=True).interval(0.95)
        held += low <= 1 / 3 <= high
    # Three standard errors are 1.0 of 100.
    assert 93.5 <= held / 40 <= 97


# Several at once


def test_parts_add_up_to_the_error_of_many_queries():
    random = np.random.default_rng(5)
    predicted = random.random(4000)
    judged = np.arange(2000)
    human = 0.7 * predicted[judged] + 0.2 * random.random(2000)
    found = corrected(human, predicted, judged)
    added = parts(human, predicted, judged, found.tuning)
    assert 0 == pytest.approx(added.sum(), abs=1e-12)
    assert found.estimate.error == pytest.approx(np.sqrt((added**2).sum()), rel=0.01)


@pytest.mark.parametrize("correlation", [0.0, 0.5, -0.9])
def test_adjusted_p_is_the_chance_of_the_largest_t(correlation):
    """Of two estimates by the distribution function of the bivariate t, which scipy integrates."""
    parts_of = np.array([[1.0, correlation], [0.0, np.sqrt(1 - correlation**2)]])
    t, degrees = np.array([1.4, -2.1]), 14
    shape = np.array([[1.0, correlation], [correlation, 1.0]])
    law = scipy.stats.multivariate_t(shape=shape, df=degrees)

    def reached(at: float) -> float:
        return float(1 - law.cdf([at, at], lower_limit=[-at, -at], random_state=0))

    found = by_parts(t, parts_of, degrees, Plan(samples=400_000))
    expected = [max(2 * scipy.stats.t.sf(1.4, degrees), reached(2.1)), reached(2.1)]
    assert expected == pytest.approx(found.tolist(), abs=0.003)


def test_estimates_that_are_one_another_have_the_p_of_one():
    random = np.random.default_rng(1)
    added = np.repeat(random.standard_normal((50, 1)), 3, axis=1)
    found = by_parts(np.array([2.0, -2.0, 2.0]), added * [1.0, -3.0, 0.1], 9, Plan(samples=200_000))
    assert [2 * scipy.stats.t.sf(2.0, 9)] * 3 == pytest.approx(found.tolist(), abs=0.003)
