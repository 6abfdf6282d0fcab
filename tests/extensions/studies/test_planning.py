"""Topic set size design: numbers of topics against published ones and scipy's distributions."""

import math

import pytest
import scipy.stats

from irev.extensions.studies.statistics import planning


def test_the_topics_for_four_systems_are_vidakovics():
    # Statistics for Bioengineering Sciences, 2011, example 11.8: λ = n/4, 90% power at .05: 58 a group.
    assert planning.needed_anova(4, 0.5, 0.5, 0.05, 0.9) == 58


@pytest.mark.parametrize("systems", [2, 10, 100])
@pytest.mark.parametrize("difference", [0.02, 0.1, 1.0])
def test_the_topics_for_systems_are_the_fewest_that_have_the_power(systems, difference):
    def found(n):
        degrees = systems - 1, systems * (n - 1)
        limit = scipy.stats.f.ppf(0.95, *degrees)
        return scipy.stats.ncf.sf(limit, *degrees, n * difference**2 / (2 * 0.05))

    n = planning.needed_anova(systems, difference, 0.05, 0.05, 0.8)
    assert found(n) >= 0.8
    assert n == 2 or found(n - 1) < 0.8


def test_systems_that_do_not_differ_are_never_told_apart():
    assert planning.needed_anova(3, 0.0, 0.05, 0.05, 0.8) is None
    assert planning.needed_anova(3, 0.1, 0.0, 0.05, 0.8) == 2
    assert planning.needed_anova(3, 1e9, 0.01, 0.05, 0.8) == 2


@pytest.mark.parametrize("width", [0.02, 0.1, 0.5])
def test_the_topics_for_an_interval_are_the_fewest_that_make_it_narrow(width):
    def expected_width(n):
        deviation = math.sqrt(0.05 / (n - 1)) * scipy.stats.chi.mean(n - 1)
        return 2 * scipy.stats.t.ppf(0.975, n - 1) * deviation / math.sqrt(n)

    n = planning.needed_interval(width, 0.05, 0.05)
    assert expected_width(n) <= width < expected_width(n - 1)


def test_an_interval_without_width_takes_more_topics_than_there_are():
    assert planning.needed_interval(0.0, 0.05, 0.05) is None
    assert planning.needed_interval(1e-6, 0.05, 0.05) is None
    assert planning.needed_interval(0.1, 0.0, 0.05) == 2
