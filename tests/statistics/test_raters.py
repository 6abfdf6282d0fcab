"""Agreement of raters: by hand, against statsmodels and krippendorff, and of many tables at once."""

import math
import warnings

import krippendorff
import numpy as np
import pytest
from statsmodels.stats.inter_rater import cohens_kappa

from irev.statistics import raters

TWO = np.array([0.0, 1.0])


def test_kappa_of_cohens_formula_by_hand():
    # 20 of 35 + 15 alike; by chance 25 · 30 + 25 · 20 of 50 · 50.
    table = np.array([[20.0, 5.0], [10.0, 15.0]])
    assert 0.7 == raters.equal(table)
    assert (0.7 - 0.5) / (1 - 0.5) == pytest.approx(float(raters.kappa(table, raters.apart("none", TWO))), abs=1e-15)


def test_weighted_kappa_by_hand():
    # Distances 0, 1, 4: observed 1 · 1 + 1 · 4 = 5; by chance, n = 4, rows 2 1 1, columns 1 1 2:
    # (2 · 1 · 1 + 2 · 2 · 4 + 1 · 1 · 1 + 1 · 2 · 1 + 1 · 1 · 4 + 1 · 1 · 1) / 4 = 26 / 4.
    table = np.array([[1.0, 0.0, 1.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]])
    grades = np.array([0.0, 1.0, 2.0])
    assert 1 - 4 / (26 / 4) == pytest.approx(float(raters.kappa(table, raters.apart("quadratic", grades))), abs=1e-15)


def test_overlap_is_what_both_hold_relevant_of_what_either_does():
    table = np.array([[9.0, 1.0, 0.0], [2.0, 3.0, 1.0], [0.0, 0.0, 4.0]])
    assert (3 + 1 + 4) / (1 + 2 + 3 + 1 + 4) == float(raters.overlap(table, np.array([False, True, True])))


def test_alpha_of_krippendorffs_own_example():
    """Computing Krippendorff's Alpha-Reliability, 2011, section C: four observers, twelve units, gaps."""
    nothing = -1
    observers = [
        [1, 2, 3, 3, 2, 1, 4, 1, 2, nothing, nothing, nothing],
        [1, 2, 3, 3, 2, 2, 4, 1, 2, 5, nothing, 3],
        [nothing, 3, 3, 3, 2, 3, 4, 2, 2, 5, 1, nothing],
        [1, 2, 3, 3, 2, 4, 4, 1, 2, 5, 1, nothing],
    ]
    ratings = np.where(np.array(observers).T < 0, -1, np.array(observers).T - 1)
    counted = raters.coincidences(ratings, np.zeros(12, int), 1, 5)[0]
    categories = np.arange(1.0, 6.0)
    found = [round(float(raters.alpha(counted, level, categories)), 3) for level in raters.LEVELS]
    assert [0.743, 0.815, 0.849] == found


@pytest.mark.parametrize("seed", range(20))
def test_coefficients_are_those_of_other_programs(seed):
    random = np.random.default_rng(seed)
    for _ in range(10):
        g, n, m = (int(random.integers(*ends)) for ends in ((2, 6), (5, 60), (2, 6)))
        ratings = random.integers(0, g, (n, m))
        ratings[:, 1] = np.where(random.random(n) < 0.6, ratings[:, 0], ratings[:, 1])
        ratings = np.where(random.random((n, m)) < 0.2, -1, ratings)
        topic = random.integers(0, 3, n)
        categories = np.arange(float(g))
        counted = raters.coincidences(ratings, topic, 3, g).sum(axis=0)
        data = np.where(ratings < 0, np.nan, ratings).T
        for level in raters.LEVELS:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                try:
                    expected = krippendorff.alpha(data, value_domain=[*range(g)], level_of_measurement=level)
                except ValueError:  # where all ratings are alike it has no alpha
                    expected = math.nan
            assert expected == pytest.approx(float(raters.alpha(counted, level, categories)), abs=1e-12, nan_ok=True)
        both = (ratings[:, 0] >= 0) & (ratings[:, 1] >= 0)
        table = raters.tables(ratings[both, 0], ratings[both, 1], topic[both], 3, g).sum(axis=0)
        for weights, theirs in (("none", None), ("linear", "linear"), ("quadratic", "quadratic")):
            with np.errstate(invalid="ignore", divide="ignore"):
                expected = cohens_kappa(table, wt=theirs, return_results=False)
            found = float(raters.kappa(table, raters.apart(weights, categories)))
            assert expected == pytest.approx(found, abs=1e-12, nan_ok=True)


def test_where_chance_would_not_disagree_there_is_no_coefficient():
    table = np.array([[7.0, 0.0], [0.0, 0.0]])
    assert math.isnan(raters.kappa(table, raters.apart("none", TWO)))
    assert math.isnan(raters.alpha(2 * table, "ordinal", TWO))
    assert math.isnan(raters.overlap(table, np.array([False, True])))
    assert math.isnan(raters.equal(np.zeros((2, 2))))


def test_many_tables_have_the_coefficients_that_each_has_alone():
    tables = np.random.default_rng(1).integers(0, 9, (50, 4, 4)).astype(float)
    grades = np.array([0.0, 1.0, 2.0, 3.5])
    relevant = grades >= 1
    for coefficient in (
        raters.equal,
        lambda t: raters.kappa(t, raters.apart("linear", grades)),
        lambda t: raters.overlap(t, relevant),
        *(lambda t, level=level: raters.alpha(t + np.swapaxes(t, -1, -2), level, grades) for level in raters.LEVELS),
    ):
        np.testing.assert_allclose(coefficient(tables), [coefficient(each) for each in tables], rtol=1e-12)


def test_an_interval_is_of_topics_drawn_again():
    """Of every sample of three topics, all 27 of them, which random ones come close to."""
    random = np.random.default_rng(2)
    counted = random.integers(1, 9, (3, 2, 2)).astype(float)
    every = [float(raters.equal(counted[[a, b, c]].sum(axis=0))) for a in range(3) for b in range(3) for c in range(3)]
    (found,) = raters.intervals([lambda tables, _: raters.equal(tables)], [counted], 0.5, 200_000, 1)
    assert np.quantile(np.repeat(every, 1000), [0.25, 0.75]) == pytest.approx([found.low, found.high], abs=1e-12)


def test_alpha_of_means_over_topics_is_that_of_sums():
    counted = np.random.default_rng(3).integers(0, 9, (7, 3, 3)).astype(float)
    counted += np.swapaxes(counted, 1, 2)
    grades = np.arange(3.0)
    for level in raters.LEVELS:
        whole = raters.alpha(counted.sum(axis=0), level, grades)
        assert float(whole) == pytest.approx(float(raters.alpha(counted.mean(axis=0), level, grades, 7)), abs=1e-12)


def test_one_topic_and_samples_without_the_coefficient_have_no_interval():
    table = np.array([[[3.0, 1.0], [1.0, 3.0]]])
    assert [None] == raters.intervals([lambda tables, _: raters.equal(tables)], [table], 0.95, 99, 0)
    seldom = np.zeros((20, 2, 2))
    seldom[0] = table[0]
    assert [None] == raters.intervals([lambda tables, _: raters.equal(tables)], [seldom], 0.95, 999, 0)
