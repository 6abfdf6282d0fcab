"""Exact tests of shares, against scipy's."""

import math
import random

import numpy as np
import pytest
import scipy.stats

from irev.extensions.clicks.statistics import as_large, lead


def test_whether_shares_are_as_large_is_fishers_test():
    rng = random.Random(0)
    for _ in range(300):
        of_first, of_second = rng.randint(1, 60), rng.randint(1, 400)
        first, second = rng.randint(0, of_first), rng.randint(0, of_second)
        table = [[first, of_first - first], [second, of_second - second]]
        expected = scipy.stats.fisher_exact(table).pvalue
        assert expected == pytest.approx(as_large(first, of_first, second, of_second), rel=1e-9)


def test_shares_of_many_have_a_chance_too():
    expected = scipy.stats.fisher_exact([[500_000, 500_000], [499_000, 501_000]]).pvalue
    assert expected == pytest.approx(as_large(500_000, 1_000_000, 499_000, 1_000_000), rel=1e-6)
    assert as_large(0, 10**6, 10**6, 10**6) < 1e-300
    assert 1.0 == as_large(0, 10**6, 0, 10)


# The lead of one of two outcomes


def slow_lead(wins: float, ties: float, losses: float, reach: float) -> tuple[float, float]:
    """All Δ of a grid that the likeliest multinomial distribution with that difference does not put too far away; the
    chance of a loss is found by trying many."""
    n, inside = wins + ties + losses, []
    for delta in np.linspace(-1, 1, 2001):
        chance = np.linspace(max(0.0, -delta), (1 - delta) / 2, 4001)
        with np.errstate(divide="ignore", invalid="ignore"):
            parts = ((wins, chance + delta), (losses, chance), (ties, 1 - delta - 2 * chance))
            likely = sum(count * np.log(np.maximum(of, 0.0)) if count else 0.0 * of for count, of in parts)
        best = chance[int(np.nanargmax(likely))]
        error = math.sqrt(max(n * (2 * best + delta - delta**2), 0.0))
        if abs(wins - losses - n * delta) <= reach * error + 1e-9:
            inside.append(float(delta))
    return min(inside), max(inside)


@pytest.mark.parametrize(
    "counts", [(3, 0, 1), (19, 7, 5), (0, 0, 4), (10, 0, 0), (0, 9, 0), (2, 30, 1), (4.5, 2.25, 0)]
)
@pytest.mark.parametrize("reach", [1.0, 1.96, 3.2])
def test_the_interval_of_a_lead_has_all_that_its_test_does_not_reject(counts, reach):
    assert slow_lead(*counts, reach) == pytest.approx(lead(*counts, reach), abs=2e-3)


@pytest.mark.parametrize(("wins", "losses"), [(19, 1), (20, 0), (5, 5), (0, 7)])
def test_without_ties_the_interval_of_a_lead_is_wilsons(wins, losses):
    ends = scipy.stats.binomtest(wins, wins + losses).proportion_ci(0.95, method="wilson")
    low, high = lead(wins, 0, losses, scipy.stats.norm.ppf(0.975))
    assert (ends.low, ends.high) == pytest.approx(((1 + low) / 2, (1 + high) / 2), abs=1e-9)
