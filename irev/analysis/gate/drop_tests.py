"""Weighing: what the differences of queries show of a drop, held against the drop that is allowed.

Everything here is about gains, by which a query is better than in the baseline, and room, what it may lose. Their sum
is what it has left: a mean below 0 is a drop larger than is allowed, and each test is one of that sum, with one side.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from irev.analysis.gate.rules import GateRules
from irev.base.records import dataclass
from irev.base.segments import Floats
from irev.statistics import paired
from irev.statistics.equivalence import equivalence
from irev.statistics.intervals import Interval, interval
from irev.statistics.paired import TestResult
from irev.statistics.rounding import constant


@dataclass(frozen=True)
class Weighed:
    """What differences show.

    Attributes
    ----------
    interval : Interval or None
        Of the difference, run minus baseline, by Student's t; each end is a one-sided bound at the level of the plan.
    worse : TestResult
        The plan's test of the drop being larger than is allowed, or than 0 where any drop is looked for.
    p_no_worse : float or None
        Student's, of the drop being as large as is allowed or larger; a small one shows that it is smaller.
    still : bool
        Whether no query has more left than another, so that there is no variance to test against.
    unharmed : bool
        Whether no query lost anything.
    """

    interval: Interval | None
    worse: TestResult
    p_no_worse: float | None
    still: bool
    unharmed: bool


def weigh(gains: Floats, room: Floats, lower: bool, rules: GateRules) -> Weighed:
    """Hold n gains against the room that each has.

    Parameters
    ----------
    gains, room : (n,)
        n is at least 1; those that are not finite are not tested.
    lower : bool
        Whether lower values are better, so that the difference is the gain with its sign turned.
    rules : GateRules
    """
    plan = rules.plan
    with np.errstate(invalid="ignore"):
        left = gains + room
    # 0.1 - 0.1 of two sums is not always 0, and a sign test would count it.
    tested = gains if rules.any_drop else np.where(np.abs(left) <= rules.precision, 0.0, left)
    less = replace(plan, alternative="less")
    # One-sided bounds at a level are the ends of an interval with twice that level outside.
    spans = replace(plan, confidence=1 - min(2 * plan.alpha, 0.99))
    differences = -gains if lower else gains
    return Weighed(
        interval=interval("t", differences[:, None], spans)[0],
        worse=paired.test(plan.tests[0], tested[:, None], less)[0],
        p_no_worse=equivalence(left, 0.0).p_not_worse,
        still=len(left) > 1 and bool(np.isfinite(left).all()) and constant(left),
        unharmed=bool((gains >= 0).all()),
    )
