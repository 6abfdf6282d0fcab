"""Whether an improvement that was found before is found again: effect ratio, delta relative improvement, RMSE.

Timo Breuer et al., How to Measure the Reproducibility of System-Oriented IR Experiments, SIGIR 2020. An experiment has
a baseline and an advanced system; it is done again with the same queries, or with others.
"""

from __future__ import annotations

import math
from typing import NamedTuple

from irev.base.segments import Floats


class Replication(NamedTuple):
    """The improvement in an experiment, and in its repetition.

    Attributes
    ----------
    improvement, again : float
        Mean of the advanced system less that of the baseline, in the experiment and where it was done again.
    effect_ratio : float or None
        The second of these as a share of the first: 1 is as large, below 0 is a loss; None where there was none.
    relative, relative_again : float or None
        The improvements as shares of the baselines' means; None where that is 0.
    delta_relative : float or None
        The first less the second: 0 is as large, below 0 is larger than before.
    rmse_baseline, rmse : float or None
        Root mean squared difference of the values of queries, of the baseline and of the advanced system; None where
        the queries are others.
    """

    improvement: float
    again: float
    effect_ratio: float | None
    relative: float | None
    relative_again: float | None
    delta_relative: float | None
    rmse_baseline: float | None
    rmse: float | None


def replication(before: tuple[Floats, Floats], after: tuple[Floats, Floats], same_queries: bool = False) -> Replication:
    """Hold an experiment against the one before.

    Parameters
    ----------
    before, after : (baseline, advanced)
        Values of the queries, those of both systems in one order.
    same_queries : bool
        Whether both experiments have the same queries, in one order.
    """
    (base, advanced), (base_again, advanced_again) = before, after
    improvement = float((advanced - base).mean())
    again = float((advanced_again - base_again).mean())
    relative, relative_again = (_relative(*each) for each in (before, after))
    delta = None if relative is None or relative_again is None else relative - relative_again
    errors = (
        [math.sqrt(float(((one - other) ** 2).mean())) for one, other in zip(before, after, strict=True)]
        if same_queries
        else [None, None]
    )
    ratio = None if improvement == 0 else again / improvement
    return Replication(improvement, again, ratio, relative, relative_again, delta, *errors)


def _relative(baseline: Floats, advanced: Floats) -> float | None:
    mean = float(baseline.mean())
    return None if mean == 0 else (float(advanced.mean()) - mean) / mean
