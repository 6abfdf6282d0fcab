"""What is measured of clicks: one record each. All are ratios of two sums over the impressions of all users.

Radlinski, Kurup and Joachims, How Does Clickthrough Data Reflect Retrieval Quality?, CIKM 2008, has most of them.
"""

from __future__ import annotations

from typing import Literal

import numpy as np

from irev.base.records import dataclass
from irev.base.registry import Registry
from irev.base.segments import Bools
from irev.questions.online.by_user import Columns, float_sums, sorted_sums
from irev.reading.events.log import Impressions
from irev.reading.events.schema import MICROSECONDS

UNITS = 2329089562800
"""Units of which reciprocal ranks are added as whole numbers, so that no order matters: the least number that 1 to 30
divide. That of a rank above 30 is rounded to the nearest unit."""


@dataclass(frozen=True)
class ClickMetric:
    """Σ `sum` / Σ `per`, of columns of `irev.questions.online.by_user.OF_USERS`.

    Attributes
    ----------
    name : str
        As it is asked for.
    description : str
        What it is, in a sentence.
    sum, per : str
    unit : int
        What a sum is divided by to be in seconds, or a number.
    better : str
        ``higher`` or ``lower``.
    timed : bool
        Whether the log needs times.
    absent : bool
        Whether it is about what did not happen, so that users to whom it did have less than 1.
    of_conversions : bool
        Whether it is about conversions, and about nothing where it is 0 in all buckets.
    """

    name: str
    description: str
    sum: str
    per: str
    unit: int = 1
    better: Literal["higher", "lower"] = "higher"
    timed: bool = False
    absent: bool = False
    of_conversions: bool = False


METRICS: Registry[ClickMetric] = Registry("metric of clicks")

for _metric in (
    ClickMetric("ctr", "click-through: share of impressions with a click", "clicked", "impressions"),
    ClickMetric(
        "abandonment",
        "share of impressions without a click",
        "abandoned",
        "impressions",
        better="lower",
        absent=True,
    ),
    ClickMetric("clicks", "clicks per impression", "clicks", "impressions"),
    ClickMetric(
        "first_click",
        "seconds from an impression to its first click, of those with one",
        "first",
        "clicked",
        MICROSECONDS,
        "lower",
        timed=True,
    ),
    ClickMetric("max_rr", "1/rank of the highest click, of impressions with one", "highest", "clicked", UNITS),
    ClickMetric("mean_rr", "1/rank of a click", "reciprocal", "clicks", UNITS),
    ClickMetric("dwell", "seconds on a document clicked, where they are known", "dwell", "dwells", MICROSECONDS),
    ClickMetric("conversions", "conversions per impression", "conversions", "impressions", of_conversions=True),
    ClickMetric("value", "value of conversions per impression", "value", "impressions", of_conversions=True),
):
    METRICS.add(_metric.name, _metric)


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
