"""The bootstrap over users: every sample of a few, and the plain one that draws users."""

import itertools
import math

import numpy as np
import pytest
import scipy.stats

from irev.statistics.user_bootstrap import interval


def ratio(sums):
    with np.errstate(invalid="ignore"):
        return sums[:, 0] / sums[:, 1]


ROWS = np.array([[0.0, 1.0], [1.0, 2.0], [3.0, 4.0]])
COUNTS = np.array([2, 1, 2])


def test_an_interval_is_of_users_drawn_again():
    """Of all 3125 samples of five users, of whom two and two are alike."""
    users = ROWS.repeat(COUNTS, axis=0)
    every = [ratio(users[list(drawn)].sum(axis=0)[None])[0] for drawn in itertools.product(range(5), repeat=5)]
    # The middle of a step of the distribution, so that chance does not decide on which side a quantile falls.
    for confidence in (0.5, 0.8, 0.9):
        rest = (1 - confidence) / 2
        assert np.quantile(every, [rest, 1 - rest]) == pytest.approx(
            list(interval(ROWS, COUNTS, ratio, confidence, 100_000, 1)), abs=0.012
        )


@pytest.mark.thorough
def test_samples_have_the_distribution_of_those_that_draw_users():
    random = np.random.default_rng(0)
    rows, counts = np.unique(random.poisson((1, 3), (300, 2)).astype(float), axis=0, return_counts=True)
    seen = []

    def watched(sums):
        seen.append(sums.copy())
        return sums[:, 0]

    interval(rows, counts, watched, 0.95, 5000, 7)
    found = np.concatenate(seen)
    users = rows.repeat(counts, axis=0)
    plain = np.array([users[random.integers(0, 300, 300)].sum(axis=0) for _ in range(5000)])
    for column in range(2):
        assert scipy.stats.ks_2samp(found[:, column], plain[:, column]).pvalue > 0.001
    assert scipy.stats.ks_2samp(ratio(found), ratio(plain)).pvalue > 0.001


def test_neither_the_order_of_the_rows_nor_how_they_are_split_changes_the_interval():
    split = np.array([[3.0, 4.0], [0.0, 1.0], [3.0, 4.0], [1.0, 2.0], [9.0, 9.0], [0.0, 1.0]])
    counts = np.array([1, 1, 1, 1, 0, 1])
    assert interval(ROWS, COUNTS, ratio, 0.95, 1000, 3) == interval(split, counts, ratio, 0.95, 1000, 3)


def test_a_seed_gives_the_same_interval_again_and_another_seed_another_one():
    found = [interval(ROWS, 40 * COUNTS, ratio, 0.95, 500, seed) for seed in (1, 1, 2)]
    assert found[0] == found[1] != found[2]


def test_many_samples_are_the_first_few_and_more(monkeypatch):
    whole = interval(ROWS, COUNTS, ratio, 0.95, 1000, 3)
    monkeypatch.setattr("irev.statistics.resampling.BLOCK", 24)
    assert whole == interval(ROWS, COUNTS, ratio, 0.95, 1000, 3)


def test_one_user_has_no_interval_and_users_who_are_alike_have_one_without_width():
    assert interval(ROWS, np.array([0, 1, 0]), ratio, 0.95, 100, 1) is None
    assert interval(ROWS[:0], COUNTS[:0], ratio, 0.95, 100, 1) is None
    assert (0.5, 0.5) == interval(ROWS, np.array([0, 9, 0]), ratio, 0.95, 100, 1)


def test_where_too_few_samples_have_the_statistic_there_is_no_interval():
    """With one user of a hundred who has anything to divide by, a third of the samples have nobody."""
    rows, counts = np.array([[0.0, 0.0], [1.0, 2.0]]), np.array([99, 1])
    assert interval(rows, counts, ratio, 0.95, 1000, 1) is None
    some = interval(rows, np.array([90, 10]), ratio, 0.95, 1000, 1)
    assert (0.5, 0.5) == some


@pytest.mark.thorough
def test_intervals_hold_the_truth_nearly_as_often_as_they_say():
    random = np.random.default_rng(5)
    held = 0
    for seed in range(400):
        users = random.poisson(1.0, (200, 1)).astype(float)
        rows, counts = np.unique(users, axis=0, return_counts=True)
        low, high = interval(rows, counts, lambda sums: sums[:, 0] / 200, 0.9, 400, seed)
        held += low <= 1 <= high
    # Percentile intervals of a skewed mean are a little short; none of this is at the edge.
    assert 0.9 == pytest.approx(held / 400, abs=4 * math.sqrt(0.9 * 0.1 / 400))
