"""Sample-ratio mismatch: against scipy.stats, every outcome of a small one, and by simulation."""

import itertools
import math

import numpy as np
import pytest
import scipy.stats

from irev.extensions.clicks import statistics
from irev.extensions.clicks.statistics import least, mismatch


def p(counts, shares):
    return mismatch(np.array(counts), np.array(shares, dtype=float))


@pytest.mark.parametrize("counts", [(5, 5), (0, 10), (7, 3), (500_500, 499_500), (821_588, 815_482)])
def test_two_halves_are_the_exact_binomial_test_of_scipy(counts):
    assert scipy.stats.binomtest(counts[0], sum(counts), 0.5).pvalue == pytest.approx(p(counts, (1, 1)), rel=1e-9)


def test_unequal_shares_are_twice_the_smaller_tail():
    below, above = scipy.stats.binom.cdf(30, 200, 0.1), scipy.stats.binom.sf(29, 200, 0.1)
    assert 2 * min(below, above) == pytest.approx(p((30, 170), (0.1, 0.9)), rel=1e-9)
    assert p((30, 170), (0.1, 0.9)) == pytest.approx(p((170, 30), (9, 1)), rel=1e-9)


@pytest.mark.parametrize(
    ("counts", "shares"), [((300_500, 299_000, 600_500), (1, 1, 2)), ((1000, 1100, 900, 1000, 1010), (1, 1, 1, 1, 1))]
)
def test_many_members_of_more_groups_are_the_chi_square_test_of_scipy(counts, shares):
    expected = np.array(shares) / np.sum(shares) * np.sum(counts)
    assert scipy.stats.chisquare(counts, expected).pvalue == pytest.approx(p(counts, shares), rel=1e-9)


def test_groups_without_members_and_as_large_as_meant_do_not_mismatch():
    assert [1.0] * 4 == [p((0, 0), (1, 1)), p((0, 0, 0), (1, 1, 1)), p((5, 5), (1, 1)), p((20, 40, 20), (1, 2, 1))]


def test_two_groups_keep_the_level_exactly():
    """Of all ways that nine members can fall, those that the test rejects have no more than its level together."""
    for share, alpha in itertools.product((0.5, 0.2), (0.01, 0.05, 0.1)):
        chances = [math.comb(9, k) * share**k * (1 - share) ** (9 - k) for k in range(10)]
        rejected = [chance for k, chance in enumerate(chances) if p((k, 9 - k), (share, 1 - share)) <= alpha]
        assert math.fsum(rejected) <= alpha


def slowly(counts, shares):
    """The chances of all ways that give a sum as large."""
    n, chances = sum(counts), np.array(shares) / sum(shares)
    ways = itertools.product(range(n + 1), repeat=len(counts) - 1)
    every = np.array([(*way, n - sum(way)) for way in ways if sum(way) <= n])
    apart = ((every - n * chances) ** 2 / (n * chances)).sum(axis=1)
    here = ((np.array(counts) - n * chances) ** 2 / (n * chances)).sum()
    return scipy.stats.multinomial.pmf(every, n, chances)[apart >= here * (1 - 1e-9)].sum()


@pytest.mark.parametrize(
    ("counts", "shares"),
    [
        ((5, 5, 5), (1, 1, 1)),
        ((11, 3, 1), (1, 1, 1)),
        ((26, 26, 8), (10, 10, 1)),
        ((8, 26, 26), (1, 10, 10)),
        ((1, 0, 3), (1, 1, 1)),
        ((0, 0, 30), (1, 1, 1)),
        ((0, 20, 22), (1, 10, 10)),
        ((2, 3, 4, 9), (1, 2, 3, 4)),
        ((1, 1, 1, 1, 4), (5, 1, 1, 2, 1)),
    ],
)
def test_the_chance_of_three_groups_and_more_is_exact(counts, shares):
    assert slowly(counts, shares) == pytest.approx(p(counts, shares), rel=1e-9)


def test_where_ways_are_too_many_and_few_are_expected_groupings_are_drawn(monkeypatch):
    monkeypatch.setattr(statistics, "STATES", 0)
    for counts, shares in (((5, 5, 5), (1, 1, 1)), ((11, 3, 1), (1, 1, 1)), ((26, 26, 8), (10, 10, 1))):
        exact = slowly(counts, shares)
        assert exact == pytest.approx(p(counts, shares), abs=4 * math.sqrt(exact / 50_000) + 1 / 50_000)
        assert p(counts, shares) == p(counts, shares)


def test_the_chance_is_not_chi_square_where_few_are_expected_of_a_group():
    """Of splits into eight groups, six of them with 5.5 expected, χ² has p ≤ 0.001 in 3 of 1,000."""
    shares = np.array([2e-5] * 6 + [0.5, 0.5])
    sizes = np.random.default_rng(5).multinomial(275_000, shares / shares.sum(), size=200_000)
    expected = 275_000 * shares / shares.sum()
    apart = ((sizes - expected) ** 2 / expected).sum(axis=1)
    # The split of which one in a thousand is as far apart, or farther.
    rare = sizes[np.argsort(apart)[-200]]
    assert scipy.stats.chisquare(rare, expected).pvalue < 0.0004
    assert p(rare, shares) == pytest.approx(0.001, rel=0.4)


def test_ways_that_are_too_many_are_not_listed(monkeypatch):
    """Of 300 million users in three groups: a list of the ways would have 800 MB."""
    monkeypatch.setattr(np, "arange", lambda *_: pytest.fail("all ways are listed"))
    counts = (100_020_000, 99_990_000, 99_990_000)
    assert scipy.stats.chisquare(counts).pvalue == pytest.approx(p(counts, (1, 1, 1)), rel=1e-9)


def test_the_least_p_is_that_of_all_members_in_the_smallest_group():
    for n, shares in ((4, (1, 1)), (5, (3, 1)), (3, (1, 1, 1)), (6, (1, 2, 3))):
        ways = itertools.product(range(n + 1), repeat=len(shares))
        every = [p(way, shares) for way in ways if sum(way) == n]
        assert min(every) == pytest.approx(least(n, np.array(shares, dtype=float)))


@pytest.mark.thorough
def test_three_groups_keep_the_level():
    sizes = np.random.default_rng(0).multinomial(90, [0.2, 0.3, 0.5], size=4000)
    low, high = scipy.stats.binom.ppf([0.5e-4, 1 - 0.5e-4], 4000, 0.05)
    rejected = np.count_nonzero([mismatch(counts, np.array([2.0, 3.0, 5.0])) < 0.05 for counts in sizes])
    assert low <= rejected <= high
