"""Exact tests of shares, against scipy's."""

import random

import pytest
import scipy.stats

from irev.statistics.shares import as_large


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
