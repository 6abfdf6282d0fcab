"""Agreement of raters: by hand, against statsmodels and krippendorff, and of many tables at once."""

import functools
import math
import runpy
import warnings

import krippendorff
import numpy as np
import pytest
from conftest import ROOT
from scipy.stats import binom
from scipy.stats import t as student
from statsmodels.stats.inter_rater import cohens_kappa

from benchmarks import agreement
from irev.extensions.judging import raters

WEIGHTS = ("linear", "quadratic")
LEVELS = ("nominal", "ordinal", "interval")

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
    found = [round(float(raters.alpha(counted, level, categories)), 3) for level in LEVELS]
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
        for level in LEVELS:
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
        *(lambda t, level=level: raters.alpha(t + np.swapaxes(t, -1, -2), level, grades) for level in LEVELS),
    ):
        np.testing.assert_allclose(coefficient(tables), [coefficient(each) for each in tables], rtol=1e-12)


def obvious(coefficient, counted, confidence, proportion):
    """The jackknife-t interval, a topic at a time."""
    n = len(counted)
    value = float(coefficient(sum(counted)))
    moved = [float(coefficient(sum(counted[j] for j in range(n) if j != i))) - value for i in range(n)]
    error = math.sqrt(sum(d**2 for d in moved))
    kurtosis = sum(d**4 for d in moved) / n / (sum(d**2 for d in moved) / n) ** 2 * (n + 1) / (n - 1)
    off = student.ppf((1 + confidence) / 2, (n - 1) * min(1, 2 / (kurtosis - 1))) * error
    unseen = (1 - sum(d != 0 for d in moved) / n) / (1 + sum(d != 0 for d in moved) / 5) * math.sqrt(2 / (n * (n - 1)))
    off = math.hypot(off, student.ppf((1 + confidence) / 2, n - 1) * unseen)
    if not proportion:
        return max(-1, value - off), min(1, value + off)
    off /= value * (1 - value)
    return tuple(1 / (1 + math.exp(-(math.log(value / (1 - value)) + end))) for end in (-off, off))


@pytest.mark.parametrize("seed", range(6))
def test_an_interval_is_the_jackknife_over_topics(seed):
    random = np.random.default_rng(seed)
    counted = random.poisson(random.gamma(1, 4, (int(random.integers(3, 30)), 3, 3))).astype(float) + np.eye(3)
    grades = np.arange(3.0)
    for coefficient, proportion in (
        (raters.equal, True),
        (lambda tables: raters.overlap(tables, grades >= 1), True),
        (lambda tables: raters.kappa(tables, raters.apart("quadratic", grades)), False),
        (lambda tables: raters.alpha(tables + np.swapaxes(tables, -1, -2), "ordinal", grades), False),
    ):
        found = raters.interval(coefficient, counted, 0.9, proportion)
        assert obvious(coefficient, counted, 0.9, proportion) == pytest.approx(found, abs=1e-9)


def test_topics_that_decide_alone_make_an_interval_wider():
    """The same error, from all topics alike and from one of them."""
    alike = np.array([[1.0, 2.0], [0.0, 2.0]] * 10)
    low, high = raters.interval(raters.share, alike, 0.95, True)
    alone = np.array([[5.0, 2.0]] + [[9.0, 20.0]] * 19)
    odd = raters.interval(raters.share, alone, 0.95, False)
    moved = raters.share(alone.sum(axis=0) - alone) - raters.share(alone.sum(axis=0))
    assert odd.high - odd.low > 2 * 3 * math.sqrt((moved**2).sum()), "t of 19 degrees of freedom is 2.1"
    assert 0 < low < 0.25 < high < 1


def test_an_interval_stays_where_values_can_be():
    counted = np.array([[1.0, 1.0], [1.0, 1.0], [0.0, 1.0], [1.0, 1.0]])
    low, high = raters.interval(raters.share, counted, 0.999999, True)
    assert 0 <= low < 0.75 < high <= 1
    tables = np.array([[[9.0, 0.0], [0.0, 9.0]], [[1.0, 3.0], [0.0, 0.0]], [[2.0, 0.0], [1.0, 2.0]]])
    assert (-1, 1) == raters.interval(lambda t: raters.kappa(t, raters.apart("none", TWO)), tables, 0.9999, False)


def test_where_every_topic_says_the_same_an_interval_allows_for_others():
    tables = np.tile(np.eye(3), (10, 1, 1))
    reach = student.ppf(0.975, 9) * math.sqrt(2 / 90)
    found = raters.interval(lambda t: raters.kappa(t, raters.apart("none", np.arange(3.0))), tables, 0.95, False)
    assert (1 - reach, 1.0) == pytest.approx(found)
    wilsons = 1 / (1 + student.ppf(0.975, 9) ** 2 / 10)
    assert (wilsons, 1.0) == pytest.approx(raters.interval(raters.equal, tables, 0.95, True))
    assert (0.0, 1 - wilsons) == pytest.approx(raters.interval(raters.share, np.array([[0.0, 2.0]] * 10), 0.95, True))
    low, high = raters.interval(raters.share, np.array([[1.0, 2.0]] * 10), 0.95, True)
    assert 0.2 < low < 0.5 < high < 0.8


def test_topics_that_do_not_move_a_coefficient_make_its_interval_wider():
    """Of ten topics two have disagreements, and eight nothing but documents that neither finds relevant."""
    tables = np.array([[[9.0, 1.0], [0.0, 4.0]], [[8.0, 0.0], [2.0, 5.0]], *[[[0.0, 0.0], [0.0, 0.0]]] * 8])
    coefficient = functools.partial(raters.kappa, distance=raters.apart("none", TWO))
    found = raters.interval(coefficient, tables, 0.95, False)
    assert found == pytest.approx(obvious(coefficient, tables, 0.95, False))


def test_one_topic_and_a_coefficient_that_one_topic_alone_has_have_no_interval():
    table = np.array([[[3.0, 1.0], [1.0, 3.0]]])
    assert raters.interval(raters.equal, table, 0.95, True) is None
    seldom = np.zeros((20, 2, 2))
    seldom[0] = table[0]
    assert raters.interval(raters.equal, seldom, 0.95, True) is None
    assert raters.interval(raters.share, np.empty((0, 2)), 0.95, True) is None


def test_parts_of_ratings_leave_no_rounding_errors_behind_for_zeros():
    """Four judges count thirds: what is left without the only topic of two grades has one grade, and no alpha."""
    ratings = np.array([[0, 0, 0, 1], [0, 0, 1, 1], *[[0, 0, 0, 0]] * 9])
    counted = raters.coincidences(ratings, np.array([0, 0, *range(1, 10)]), 10, 2)
    assert raters.interval(lambda t: raters.alpha(t, "ordinal", TWO), counted, 0.95, False) is None


@pytest.mark.thorough
@pytest.mark.parametrize("topics", [10, 30])
def test_intervals_hold_the_truth_as_often_as_the_page_says(topics):
    """A small version of benchmarks/agreement.py: percentiles of the bootstrap held 83 to 90% with 10 topics."""
    agreement = runpy.run_path(str(ROOT / "benchmarks" / "agreement.py"))
    found, _ = agreement["held"](agreement["CASES"][0], topics, trials=400, seed=1)
    for name, share in found.items():
        assert 0.92 <= share <= 0.985, name


@pytest.mark.parametrize(
    ("table", "statistic", "p"),
    [
        # Unaided distance vision of 7,477 women (Stuart 1955), and McNemar's test: by R 4
        (
            [[1520, 266, 124, 66], [234, 1512, 432, 78], [117, 362, 1772, 205], [36, 82, 179, 492]],
            11.95657,
            0.007533425,
        ),
        ([[30, 12], [5, 40]], 2.882353, 0.08955507),
    ],
)
def test_marginal_homogeneity_of_single_documents_is_what_r_has(table: list, statistic: float, p: float) -> None:
    counts = np.array(table)
    cells = np.repeat(np.arange(counts.size), counts.ravel())
    units = raters.tables(*divmod(cells, len(counts)), np.arange(len(cells)), len(cells), len(counts))
    found = raters.homogeneity(units)
    assert (statistic, len(counts) - 1, p) == pytest.approx(found, rel=1e-5)


def test_judges_of_the_same_margins_are_not_tested() -> None:
    assert raters.homogeneity(np.array([[[3.0, 1.0], [1.0, 2.0]]] * 4)) is None


def test_a_judge_who_varies_by_topic_is_not_found_to_overrate() -> None:
    """Documents as if independent find it in about a third of samples, topics in as few as said."""
    documents, topics, t = agreement.overrating(agreement.CASES[0], 20, 0.0, 150, 0)
    assert documents > 0.2
    assert binom.cdf(150 * max(topics, t) - 1, 150, 0.05) < 0.999
    assert agreement.overrating(agreement.CASES[0], 20, 0.4, 20, 0)[2] > 0.8


def test_intervals_of_tau_hold_the_mean_tau_of_other_samples() -> None:
    mean, _ = agreement.taus_held(6, 30, 0.05, 0.9, 60, 0)
    assert binom.cdf(60 * mean, 60, 0.92) > 0.001
