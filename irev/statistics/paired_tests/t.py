"""Student's t test of paired differences."""

from __future__ import annotations

import math

from irev.base.segments import Floats
from irev.statistics import special
from irev.statistics.paired import CONSTANT, PairedTest, TestResult, tail
from irev.statistics.plan import Plan
from irev.statistics.rounding import constant, scaled


def paired_t(differences: Floats, plan: Plan) -> list[TestResult]:
    """Is the mean difference 0? t = mean/(s/√n), with s the standard deviation over n - 1, on n - 1 degrees of freedom.

    Assumes that means of n differences are nearly normal. In the simulation of docs/statistics.md the test kept its
    level from 25 queries on with values like AP and P@10, and not where few queries lose much. Where all differences
    are the same there is no t, and no p.

    Student, The Probable Error of a Mean, Biometrika 6(1), 1908; for retrieval, Urbano, Lima and Hanjalic, Statistical
    Significance Testing in Information Retrieval, SIGIR 2019.
    """
    return [_column(column, plan.alternative) for column in differences.T]


def _column(column: Floats, alternative: str) -> TestResult:
    n = len(column)
    method = f"paired t, {n - 1:,} degree{'' if n == 2 else 's'} of freedom"
    if constant(column):
        return TestResult(None, None, method, CONSTANT)
    column = scaled(column)[0]
    t = float(column.mean() / (column.std(ddof=1) / math.sqrt(n)))
    return TestResult(t, tail(alternative, float(special.stdtr(n - 1, t)), float(special.stdtr(n - 1, -t))), method)


TEST = PairedTest("paired t test", "t", paired_t, of_rows=True)
