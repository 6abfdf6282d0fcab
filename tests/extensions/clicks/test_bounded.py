"""A mean between two ends: by scipy.stats, and where intervals and p are to say the same."""

import math

import pytest
from scipy.stats import t

from irev.extensions.clicks.statistics import Bounded
from irev.statistics import ratios
from irev.statistics.ratios import Ratio


def test_each_end_is_moved_by_one_event_on_its_own_side():
    found = Bounded(Ratio(0.2, 0.03, 12, 7.5), Ratio(0.5, 0.04, 12), 0.01, 0.02)
    low = 0.19 - t.ppf(0.975, 7.5) * math.hypot(0.03, 0.01)
    high = 0.52 + t.ppf(0.975, 11) * math.hypot(0.04, 0.02)
    assert (low, high) == pytest.approx(tuple(found.interval(0.95)), rel=1e-12)
    assert 2 * t.sf(0.19 / math.hypot(0.03, 0.01), 7.5) == pytest.approx(found.p_of_zero(), rel=1e-9)


def test_the_end_nearer_to_zero_is_tested():
    low, high = Ratio(-0.5, 0.04, 12), Ratio(-0.2, 0.03, 12)
    assert 2 * t.cdf(-0.2 / 0.03, 11) == pytest.approx(Bounded(low, high, 0.0, 0.0).p_of_zero(), rel=1e-9)
    assert 1.0 == Bounded(low, Ratio(0.0, 0.03, 12), 0.0, 0.0).p_of_zero()
    assert 1.0 == Bounded(low, Ratio(0.3, 0.03, 12), 0.0, 0.0).p_of_zero()


@pytest.mark.parametrize("confidence", [0.5, 0.9, 0.99])
def test_p_is_where_the_interval_excludes_zero(confidence):
    held = set()
    for low in (-0.3, -0.1, -0.05, 0.02, 0.06, 0.1, 0.3):
        for apart in (0.0, 0.04, 0.2):
            found = Bounded(Ratio(low, 0.03, 9), Ratio(low + apart, 0.05, 9, 3.3), 0.01, 0.02)
            ends = found.interval(confidence)
            excluded = not ends.low <= 0 <= ends.high
            assert excluded == (found.p_of_zero() < 1 - confidence)
            held.add(excluded)
    assert {True, False} == held


def test_without_a_gap_and_moves_it_is_the_interval_of_a_ratio():
    one = Ratio(0.4, 0.1, 8, 5.5)
    assert tuple(ratios.around(one, 0.9)) == pytest.approx(tuple(Bounded(one, one, 0.0, 0.0).interval(0.9)))
    assert ratios.p_of_zero(one) == pytest.approx(Bounded(one, one, 0.0, 0.0).p_of_zero())


def test_what_no_user_varies_has_no_width():
    still = Ratio(0.4, 0.0, 8)
    assert (0.4, 0.4) == Bounded(still, still, 0.0, 0.0).interval(0.9)
    assert 0.0 == Bounded(still, still, 0.0, 0.0).p_of_zero()
    assert 1.0 == Bounded(Ratio(0.0, 0.0, 8), Ratio(0.0, 0.0, 8), 0.0, 0.0).p_of_zero()


@pytest.mark.parametrize("unknown", [Ratio(0.4, None, 1), Ratio(None, None, 5)])
def test_without_an_error_nothing_is_said(unknown):
    for found in (Bounded(unknown, Ratio(1.0, 0.1, 5), 0.1, 0.1), Bounded(Ratio(0.1, 0.1, 5), unknown, 0.1, 0.1)):
        assert found.interval(0.95) is None is found.p_of_zero()
