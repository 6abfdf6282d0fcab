"""Sample-ratio mismatch: against scipy.stats, every outcome of a small one, and by simulation."""

import itertools
import math

import numpy as np
import pytest
import scipy.stats

from irev.statistics.sample_ratio import mismatch


def p(counts, shares):
    return mismatch(np.array(counts), np.array(shares, dtype=float))


@pytest.mark.parametrize("counts", [(5, 5), (0, 10), (7, 3), (500_500, 499_500), (821_588, 815_482)])
def test_two_halves_are_the_exact_binomial_test_of_scipy(counts):
    assert scipy.stats.binomtest(counts[0], sum(counts), 0.5).pvalue == pytest.approx(p(counts, (1, 1)), rel=1e-9)


def test_unequal_shares_are_twice_the_smaller_tail():
    below, above = scipy.stats.binom.cdf(30, 200, 0.1), scipy.stats.binom.sf(29, 200, 0.1)
    assert 2 * min(below, above) == pytest.approx(p((30, 170), (0.1, 0.9)), rel=1e-9)
    assert p((30, 170), (0.1, 0.9)) == pytest.approx(p((170, 30), (9, 1)), rel=1e-9)


@pytest.mark.parametrize(("counts", "shares"), [((30, 30, 60), (1, 1, 2)), ((1000, 1100, 900), (1, 1, 1))])
def test_more_groups_are_the_chi_square_test_of_scipy(counts, shares):
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


def test_where_few_are_expected_of_a_group_the_chance_is_nearly_the_exact_one():
    """Of all ways in which 15 fall into three groups, and of 60 into groups as unequal as 10, 10 and 1."""
    for counts, shares in (
        ((5, 5, 5), (1, 1, 1)),
        ((11, 3, 1), (1, 1, 1)),
        ((26, 26, 8), (10, 10, 1)),
        ((1, 0, 3), (1, 1, 1)),
    ):
        n, chances = sum(counts), np.array(shares) / sum(shares)
        every = np.array([(one, two, n - one - two) for one in range(n + 1) for two in range(n + 1 - one)])
        apart = ((every - n * chances) ** 2 / (n * chances)).sum(axis=1)
        here = ((np.array(counts) - n * chances) ** 2 / (n * chances)).sum()
        exact = scipy.stats.multinomial.pmf(every, n, chances)[apart >= here * (1 - 1e-9)].sum()
        assert exact == pytest.approx(p(counts, shares), abs=4 * math.sqrt(exact / 50_000) + 1 / 50_000)
        assert p(counts, shares) == p(counts, shares)


@pytest.mark.thorough
def test_three_groups_keep_the_level():
    sizes = np.random.default_rng(0).multinomial(90, [0.2, 0.3, 0.5], size=4000)
    low, high = scipy.stats.binom.ppf([0.5e-4, 1 - 0.5e-4], 4000, 0.05)
    rejected = np.count_nonzero([mismatch(counts, np.array([2.0, 3.0, 5.0])) < 0.05 for counts in sizes])
    assert low <= rejected <= high
