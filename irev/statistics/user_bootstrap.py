"""The bootstrap over users, of whom many have the same values.

To draw n users with replacement and count how often each value was drawn is to draw those counts from a multinomial
distribution. So users with equal values are one row with a count, and a sample costs what the distinct rows do,
however many users there are.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from irev.base.segments import Floats, Ints, total
from irev.statistics.intervals import Interval, middle
from irev.statistics.resampling import resampled_sums

Statistic = Callable[[Floats], Floats]
"""(samples, c) sums over the users of each sample to one number for each; NaN where there is none."""


def interval(
    values: Floats, counts: Ints, statistic: Statistic, confidence: float, resamples: int, seed: int
) -> Interval | None:
    """Percentile interval of a statistic of sums over users, with users drawn again.

    Parameters
    ----------
    values : (u, c) array
        One row of c values for all users who have these; rows may repeat. Neither that nor their order changes the
        interval.
    counts : (u,)
        How many users have the row; 0 is allowed.
    statistic : Statistic
        A mean is ``lambda sums: sums[:, 0] / n``, a ratio ``lambda sums: sums[:, 0] / sums[:, 1]``.
    confidence : float
        The ends are the quantiles (1 ∓ confidence)/2 of the samples, of type 7.
    resamples, seed : int

    Returns
    -------
    Interval or None
        None with fewer than two users, and where `middle` has none.

    Efron and Tibshirani, An Introduction to the Bootstrap, 1993, chapters 6 and 13.
    """
    n = int(counts.sum())
    if n < 2:
        return None
    rows, of = np.unique(values, axis=0, return_inverse=True)
    users = total(counts, of.ravel(), len(rows))
    kept = users > 0
    samples = resampled_sums(rows[kept], users[kept], resamples, seed)
    return middle(np.concatenate([statistic(sums) for sums in samples]), confidence)
