"""Two systems over runs and queries, against sums written out and lme4's numbers."""

import math

import numpy as np
import pytest
from scipy import stats

from irev.extensions.studies.statistics.seeds import over_seeds

CHANCE = np.random.default_rng(3)


def made(n, runs, of_runs=0.03):
    queries = CHANCE.normal(0, 0.2, n)[:, None]
    return [
        mean
        + queries
        + CHANCE.normal(0, 0.07, n)[:, None]
        + CHANCE.normal(0, of_runs, runs)
        + CHANCE.normal(0, 0.02, (n, runs))
        for mean in (0.3, 0.35)
    ]


def obvious(first, second):
    """Mean squares, cell by cell."""
    n, runs = first.shape
    table = dict(np.ndenumerate(np.stack([first, second])))

    def mean(**at):
        places = [(axis, at[name]) for axis, name in enumerate("sqr") if name in at]
        kept = [value for cell, value in table.items() if all(cell[axis] == place for axis, place in places)]
        return sum(kept) / len(kept)

    queries = runs * sum((mean(s=s, q=q) - mean(q=q) - mean(s=s) + mean()) ** 2 for s in (0, 1) for q in range(n))
    seeds = n * sum((mean(s=s, r=r) - mean(s=s)) ** 2 for s in (0, 1) for r in range(runs))
    rest = sum((value - mean(s=s, q=q) - mean(s=s, r=r) + mean(s=s)) ** 2 for (s, q, r), value in table.items())
    of_each = [n * sum((mean(s=s, r=r) - mean(s=s)) ** 2 for r in range(runs)) / (runs - 1) for s in (0, 1)]
    welch = sum(of_each) ** 2 / sum(each**2 / (runs - 1) for each in of_each)
    return queries / (n - 1), seeds / (2 * (runs - 1)), rest / (2 * (n - 1) * (runs - 1)), welch


@pytest.mark.parametrize(("n", "runs", "of_runs"), [(6, 2, 0.03), (5, 3, 0.1), (7, 4, 0.0)])
def test_components_interval_and_p_are_what_sums_say(n, runs, of_runs):
    first, second = made(n, runs, of_runs)
    found, (queries, seeds, rest, welch) = over_seeds(first, second, 0.9), obvious(first, second)
    expected = [max(queries - rest, 0) / runs, max(seeds - rest, 0) / n, rest]
    assert [math.sqrt(each) for each in expected] == pytest.approx([found.of_queries, found.of_runs, found.of_rest])
    variance = queries + max(seeds - rest, 0)
    spread = math.sqrt(2 * variance / (n * runs))
    share = queries / variance

    def quantile(p):
        return share * stats.t.isf(p, n - 1) + (1 - share) * stats.t.isf(p, welch)

    assert found.difference == pytest.approx((second - first).mean())
    assert found.high - found.difference == pytest.approx(spread * quantile(0.05))
    assert abs(found.difference) / spread == pytest.approx(quantile(found.p / 2))


def test_runs_that_are_alike_are_a_paired_test_of_queries():
    first, second = (np.repeat(each[:, :1], 3, axis=1) for each in made(20, 1))
    found = over_seeds(first, second)
    assert found.p == pytest.approx(stats.ttest_rel(second[:, 0], first[:, 0]).pvalue)
    assert 0 == pytest.approx(found.of_runs + found.of_rest, abs=1e-12)


def test_against_a_baseline_without_seeds_runs_have_the_freedom_of_one_system():
    chance, found = np.random.default_rng(4), 0
    for _ in range(400):
        first, second = chance.normal(0, 0.1, (2, 200, 1))
        seeds = chance.normal(0, 0.1, (1, 2)) + chance.normal(0, 0.03, (200, 2))
        found += over_seeds(np.repeat(first, 2, axis=1), second + seeds).p <= 0.05
    assert found <= 35, "of 400; 20 are expected, and there were 50 when both systems were thought to vary alike"


def test_components_are_those_of_lme4():
    """``lmer(y ~ s + (1 | q) + (1 | s:q) + (1 | s:r))`` of R's lme4, by REML, says these of the same values."""
    s, q, r = np.meshgrid(np.arange(2), np.arange(8), np.arange(3), indexing="ij")
    y = np.sin(1 + s + 2 * q + 3 * r + 5 * s * q + 7 * s * r) / 4 + np.sin(11 * s * q + 2 * q + s) / 3
    y += s + q / 3 + s * r / 5
    found = over_seeds(y[0], y[1])
    assert (0.230470, 0.128035, 0.214439) == pytest.approx((found.of_queries, found.of_runs, found.of_rest), abs=2e-6)


def test_a_shift_that_is_constant_but_for_rounding_is_no_test_and_neither_is_nan():
    first = np.random.default_rng(1).random((10, 2)).round(3)
    second = first + 0.1
    assert (None, None, None) == over_seeds(first, second)[1:4]
    second[0, 0] = math.nan
    assert (None, None, None) == over_seeds(first, second)[1:4]
