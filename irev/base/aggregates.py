"""Aggregates: one number for many. What `--aggregate` and ``agg=`` name; knows nothing of retrieval.

Values are added from left to right, as a loop in C does. An aggregate of no values at all is NaN.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable

import numpy as np

from irev.base import segments
from irev.base.errors import UsageError, option
from irev.base.registry import did_you_mean
from irev.base.segments import Floats

Aggregate = Callable[[Floats], float]

FLOOR = 0.00001
"""What a geometric mean takes for a value below it."""


def total(values: Floats, before: float = 0.0) -> float:
    """Sum, left to right; `np.sum` adds pairwise and rounds otherwise. `before` is the sum of what stands before."""
    if before:
        values = np.concatenate(([before], values))
    return float(segments.total(values, np.zeros(len(values), dtype=np.int64), 1)[0])


def mean(values: Floats) -> float:
    """Arithmetic mean."""
    return total(values) / len(values) if len(values) else math.nan


def geometric_mean(values: Floats) -> float:
    """exp(mean of ln(max(value, 0.00001)))."""
    return math.exp(mean(logarithms(values))) if len(values) else math.nan


def logarithms(values: Floats) -> Floats:
    """ln(max(value, `FLOOR`)), of which a geometric mean is made; `np.log` rounds otherwise than C."""
    return np.array([math.log(max(value, FLOOR)) for value in values.tolist()], dtype=np.float64)


def standard_deviation(values: Floats) -> float:
    """Of the queries as a sample: sqrt(sum of (x - mean)² / (n - 1)); NaN for fewer than two."""
    if len(values) < 2:
        return math.nan
    with np.errstate(invalid="ignore", over="ignore"):  # an infinite value has no deviation
        return math.sqrt(total((values - mean(values)) ** 2) / (len(values) - 1))


def quantile(values: Floats, share: float) -> float:
    """The value below which a share of the values lies, interpolated linearly between neighbours (type 7 of
    Hyndman and Fan, Sample Quantiles in Statistical Packages, The American Statistician 50(4), 1996)."""
    if not len(values):
        return math.nan
    ordered = np.sort(values)
    place = share * (len(ordered) - 1)
    low, high = float(ordered[math.floor(place)]), float(ordered[math.ceil(place)])
    # The difference of two infinities is not a number.
    return low if low == high else low + (high - low) * (place - math.floor(place))


AGGREGATES: dict[str, tuple[str, Aggregate]] = {
    "mean": ("arithmetic mean", mean),
    "gmean": ("geometric mean, values below 0.00001 as 0.00001", geometric_mean),
    "median": ("the value in the middle", lambda values: quantile(values, 0.5)),
    "min": ("lowest value", lambda values: quantile(values, 0.0)),
    "max": ("highest value", lambda values: quantile(values, 1.0)),
    "sd": ("standard deviation of the sample", standard_deviation),
    "sum": ("sum", total),
}
"""The meaning and the function of each aggregate, by name. ``q25`` or ``p25`` and the like are quantiles."""

WEIGHTED = "weighted"
"""The mean by the weights of queries, which values alone do not have."""

_QUANTILE = r"[qp](\d{1,2}(\.\d{1,6})?|100)"

_WEIGHTS = f"`irev eval` and `irev check` take {option('query_weights')}"


def check(name: str) -> str:
    """`name`, if it names an aggregate; ``p25`` becomes ``q25``. Raises `UsageError` with the nearest one otherwise."""
    if name in AGGREGATES or name == WEIGHTED:
        return name
    if re.fullmatch(_QUANTILE, name, re.ASCII):
        return f"q{name[1:]}"
    known = ", ".join([*AGGREGATES, "q25 (any percentage)"])
    raise UsageError(f"there is no aggregate '{name}'", remedy=did_you_mean(name, AGGREGATES) or f"there are {known}")


def aggregate(name: str, values: Floats) -> float:
    """The aggregate called `name`, such as ``median`` or ``q25``, of the values of all queries."""
    if name in AGGREGATES:
        return AGGREGATES[name][1](values)
    if name == WEIGHTED:
        raise UsageError(f"agg={WEIGHTED} needs weights of queries, but there are none", remedy=_WEIGHTS)
    return quantile(values, float(name[1:]) / 100)
