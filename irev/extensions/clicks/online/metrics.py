"""What is measured of clicks: one record each. All are ratios of two sums over the impressions of all
users. numpy is imported where they are computed alone.

Radlinski, Kurup and Joachims, How Does Clickthrough Data Reflect Retrieval Quality?, CIKM 2008, has most of them.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, Literal

from irev.base.records import dataclass
from irev.base.registry import Registry
from irev.extensions.clicks.events.schema import MICROSECONDS

if TYPE_CHECKING:
    from irev.base.segments import Bools
    from irev.extensions.clicks.events.log import Impressions
    from irev.extensions.clicks.online.by_user import Columns

UNITS = 2329089562800
"""Units of which reciprocal ranks are added as whole numbers, so that no order matters: the least number that 1 to 30
divide. That of a rank above 30 is rounded to the nearest unit."""


RANKS = range(1, 11)
"""Those of which clicks are counted each by itself, where that is asked for."""


@dataclass(frozen=True)
class ClickMetric:
    """Σ `sum` / Σ `per` over users, of columns that `did` has of each impression.

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
    share : bool
        Whether no value of a user is below 0 or above 1.
    rare : bool
        Whether it is about events that a log may lack, and about nothing where it is 0 in all buckets.
    asked : bool
        Whether it is measured only where it is asked for.
    """

    name: str
    description: str
    sum: str
    per: str
    unit: int = 1
    better: Literal["higher", "lower"] = "higher"
    timed: bool = False
    absent: bool = False
    share: bool = False
    rare: bool = False
    asked: bool = False


METRICS: Registry[ClickMetric] = Registry("metric of clicks")

for _metric in (
    ClickMetric("ctr", "click-through rate: share of impressions with a click", "clicked", "impressions", share=True),
    ClickMetric(
        "abandonment",
        "share of impressions without a click",
        "abandoned",
        "impressions",
        better="lower",
        absent=True,
        share=True,
    ),
    ClickMetric("clicks", "clicks per impression", "clicks", "impressions"),
    ClickMetric(
        "first_click",
        "seconds from an impression to its first click, over impressions with a click",
        "first",
        "clicked",
        MICROSECONDS,
        "lower",
        timed=True,
    ),
    ClickMetric(
        "max_rr", "1/rank of the highest click, over impressions with a click", "highest", "clicked", UNITS, share=True
    ),
    ClickMetric("mean_rr", "1/rank of a click", "reciprocal", "clicks", UNITS, share=True),
    ClickMetric("dwell", "seconds spent on a clicked document, where known", "dwell", "dwells", MICROSECONDS),
    ClickMetric("conversions", "conversions per impression", "conversions", "impressions", rare=True),
    ClickMetric("value", "value of conversions per impression", "value", "impressions", rare=True),
    *(
        ClickMetric(
            f"ctr_{rank}",
            f"share of impressions with a click at rank {rank}",
            f"at_{rank}",
            "impressions",
            share=True,
            asked=True,
        )
        for rank in RANKS
    ),
):
    METRICS.add(_metric.name, _metric)


def did(some: Impressions, metrics: Iterable[ClickMetric]) -> Columns:
    """What was done at each impression, in the columns that metrics name."""
    import numpy as np

    from irev.base import segments
    from irev.extensions.clicks.online.by_user import float_sums, sorted_sums

    n = len(some)
    clicks = np.bincount(some.click_of, minlength=n)
    begins = np.flatnonzero(segments.opens(some.click_of))
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
        **{
            f"at_{rank}": np.bincount(np.unique(some.click_of[some.position == rank]), minlength=n).astype(np.int8)
            for rank in RANKS
            if any(metric.sum == f"at_{rank}" for metric in metrics)
        },
    }
