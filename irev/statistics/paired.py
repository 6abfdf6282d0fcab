"""Paired tests: the table of them, and the one way to run any.

Adding a test is a module in `irev.statistics.paired_tests`.
"""

from __future__ import annotations

import numpy as np

from irev.base.registry import Registry, module_of
from irev.base.segments import Floats
from irev.statistics import paired_tests
from irev.statistics.plan import TEST_NAMES, Plan
from irev.statistics.test_result import NO_DIFFERENCE, PairedTest, TestResult

__all__ = ["TESTS", "PairedTest", "TestResult", "test"]

TESTS: Registry[PairedTest] = Registry("paired test")
for _name in TEST_NAMES:
    TESTS.add(_name, module_of(paired_tests.__name__, _name).TEST)


def test(name: str, differences: Floats, plan: Plan) -> list[TestResult]:
    """The test called `name`, of each column of differences.

    Parameters
    ----------
    name : str
        One of `TESTS`; `UsageError` with a suggestion otherwise.
    differences : (n, c) array
        One row per query, one column per pair of runs. The columns share random samples.
    plan : Plan
        Whose `tests` are not looked at.

    Returns
    -------
    list of TestResult
        One for each column. Fewer than two queries, or differences that are not finite: no p, and a note. No query
        differs: p is 1, and a note.
    """
    entry = TESTS.find(name)
    settled = [_settled(column) for column in differences.T]
    open_columns = [i for i, tested in enumerate(settled) if tested is None]
    results = iter(entry.function(differences[:, open_columns], plan) if open_columns else [])
    return [next(results) if tested is None else tested for tested in settled]


def _settled(column: Floats) -> TestResult | None:
    """The result where no test is needed to know it, whichever was asked for."""
    if len(column) < 2:
        return TestResult(None, None, "not tested", "fewer than two queries")
    if not np.isfinite(column).all():
        return TestResult(None, None, "not tested", "a difference is not a finite number")
    if not column.any():
        return TestResult(0.0, 1.0, "not tested", NO_DIFFERENCE)
    return None
