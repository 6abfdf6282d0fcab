"""Effect ratio, delta relative improvement and RMSE, against their definitions and repro_eval's numbers."""

import math

import numpy as np
import pytest

from irev.extensions.studies.statistics.meta_analysis import replication

BEFORE = np.array([0.2, 0.5, 0.1, 0.4]), np.array([0.3, 0.6, 0.1, 0.7])
AFTER = np.array([0.25, 0.45, 0.15, 0.3]), np.array([0.35, 0.5, 0.05, 0.5])


def mean(values):
    return sum(values.tolist()) / len(values)


def test_it_is_as_defined():
    found = replication(BEFORE, AFTER, same_queries=True)
    (base, advanced), (base_again, advanced_again) = (tuple(map(mean, each)) for each in (BEFORE, AFTER))
    assert found.effect_ratio == pytest.approx((advanced_again - base_again) / (advanced - base))
    assert found.relative == pytest.approx(advanced / base - 1)
    assert found.delta_relative == pytest.approx((advanced / base - 1) - (advanced_again / base_again - 1))
    squares = [(one - other) ** 2 for one, other in zip(BEFORE[1].tolist(), AFTER[1].tolist(), strict=True)]
    assert found.rmse == pytest.approx(math.sqrt(sum(squares) / 4))


def test_it_is_what_repro_eval_says():
    """ER, DRI and RMSE of repro_eval 0.5 for the same values."""
    found = replication(BEFORE, AFTER, same_queries=True)
    expected = (0.5, 0.1992753623188404, 0.06614378277661477, 0.11726039399558572)
    assert expected == pytest.approx((found.effect_ratio, found.delta_relative, found.rmse_baseline, found.rmse))


def test_other_queries_have_no_rmse():
    found = replication(BEFORE, tuple(each[:3] for each in AFTER))
    assert (None, None) == (found.rmse_baseline, found.rmse)


def test_what_cannot_be_divided_is_left_out():
    found = replication((np.zeros(3), np.zeros(3)), (np.ones(3), np.ones(3)))
    assert (None, None, None) == (found.effect_ratio, found.relative, found.delta_relative)
