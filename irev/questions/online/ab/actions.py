"""What users did at each impression, in columns of numbers that are added exactly."""

from __future__ import annotations

import numpy as np

from irev.base.segments import Bools
from irev.questions.online.ab.metrics import UNITS
from irev.questions.online.by_user import Columns, float_sums, sorted_sums
from irev.reading.events.log import Impressions
from irev.reading.events.schema import MICROSECONDS


def did(some: Impressions) -> Columns:
    """What was done at each impression, in the columns that `irev.questions.online.ab.metrics` names."""
    n = len(some)
    clicks = np.bincount(some.click_of, minlength=n)
    begins = np.flatnonzero(np.append(True, some.click_of[1:] != some.click_of[:-1])[: len(some.click_of)])
    where = some.click_of[begins]
    reciprocal = np.rint(UNITS / some.position)
    first, highest, total, dwell = (np.zeros(n) for _ in range(4))
    dwells = np.zeros(n, dtype=np.int64)
    if len(begins):
        first[where] = np.minimum.reduceat(some.click_time, begins) - some.time[where]
        highest[where] = reciprocal[begins]
        total[where] = float_sums(reciprocal, some.click_of, n)[where]
        known: Bools = ~np.isnan(some.dwell)
        dwell = float_sums(np.rint(np.where(known, some.dwell, 0) * MICROSECONDS), some.click_of, n)
        dwells[where] = np.add.reduceat(known.astype(np.int64), begins)
    return {
        "clicked": (clicks > 0).astype(np.int8),
        "abandoned": (clicks == 0).astype(np.int8),
        "clicks": clicks.astype(np.int32),
        "first": first,
        "highest": highest,
        "reciprocal": total,
        "dwell": dwell,
        "dwells": dwells.astype(np.int32),
        "conversions": np.bincount(some.conversion_of, minlength=n).astype(np.int32),
        "value": sorted_sums(np.nan_to_num(some.value), some.conversion_of, n),
    }
