"""Skewness of differences: against scipy, and when there are too few queries for it."""

import math
import runpy

import numpy as np
import pytest
from conftest import ROOT
from scipy import stats

from irev.statistics.effects import queries_wanted, skewness


@pytest.mark.parametrize("n", [3, 10, 57])
def test_skewness_is_scipys_without_bias(n):
    values = np.random.default_rng(n).exponential(size=n)
    assert stats.skew(values, bias=False) == pytest.approx(skewness(values), rel=1e-12)
    assert -skewness(values) == pytest.approx(skewness(-1e200 * values), rel=1e-12)


@pytest.mark.parametrize("values", [[], [1.0, 2.0], [0.1, 0.1, 0.1], [1.0, 2.0, math.inf], [1.0, math.nan, 2.0]])
def test_some_values_have_no_skewness(values):
    assert skewness(np.array(values)) is None
    assert queries_wanted(np.array(values)) is None


def test_cochrans_rule_asks_for_queries():
    """3 gains in 50 queries: G = √(50 · 49) / 48 · (1 - 2 · 0.06) / √(0.06 · 0.94)."""
    values = np.repeat([0.4, 0.0], [3, 47])
    found = math.sqrt(50 * 49) / 48 * (1 - 0.12) / math.sqrt(0.06 * 0.94)
    assert found == pytest.approx(skewness(values), rel=1e-12)
    assert math.ceil(25 * found**2) == queries_wanted(values) == queries_wanted(-values)


def test_enough_queries_and_skewness_of_chance_are_no_reason_to_warn():
    assert queries_wanted(np.repeat([0.4, 0.0], [60, 940])) is None, "25 · 3.7² is 345"
    assert queries_wanted(np.repeat([1.0, 0.0], [1, 8])) is None, "one value may have either sign"
    symmetric = np.random.default_rng(1).normal(size=(50, 200))
    assert sum(queries_wanted(column) is not None for column in symmetric.T) <= 2


@pytest.mark.thorough
def test_rare_gains_break_levels_and_are_warned_of():
    """A small version of benchmarks/significance.py --only gains."""
    (table,) = runpy.run_path(str(ROOT / "benchmarks" / "significance.py"))["gains"](600, 400, 1)
    rows = {(cells[0], cells[1]): cells[3:] for cells in map(_cells, table.splitlines()) if len(cells) == 7}
    assert rows["rare gains", "50"][1] > 12 > 8
    assert rows["rare gains", "50"][3] >= 80
    assert rows["simulated", "100"][3] <= 10


def test_few_large_differences_of_either_sign_are_no_skewness():
    """Versions of a system of which few queries differ: √(6/n) took the sample's few large differences for a tail."""
    random = np.random.default_rng(2)
    size = random.beta(0.7, 5, (50, 400)) * (random.random((50, 400)) < 0.1)
    even = size * random.choice([-1, 1], size.shape)
    assert np.mean([abs(skewness(column) or 0) >= 4 * math.sqrt(6 / 50) for column in even.T]) > 0.5
    assert np.mean([queries_wanted(column) is not None for column in even.T]) < 0.1
    tail = np.exp(random.normal(0, 1, (50, 400)))
    assert np.mean([queries_wanted(column) is not None for column in tail.T]) > 0.7


def _cells(line):
    cells = [cell.strip(" *") for cell in line.strip("|").split("|")]
    return [cell if place < 2 else _number(cell) for place, cell in enumerate(cells)]


def _number(cell):
    try:
        return float(cell)
    except ValueError:
        return math.nan
