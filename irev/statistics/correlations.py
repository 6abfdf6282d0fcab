"""Correlations of two rows of numbers, with intervals; and how much better one row correlates with a common
row than another row does, by drawing the pairs again.

Of fewer than two pairs, and where all numbers of a row are equal, there is no correlation.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator

import numpy as np

from irev.base.records import dataclass
from irev.base.segments import Floats
from irev.statistics.intervals import Interval, normal_quantile
from irev.statistics.orderings import kendall_b
from irev.statistics.resampling import resampled_counts
from irev.statistics.rounding import constant, scaled


@dataclass(frozen=True)
class CorrelationKind:
    """A coefficient of correlation of n pairs, r, and how its interval is made: tanh(atanh r ± z·√(v/(n - k))).

    Attributes
    ----------
    title : str
        As it is written in a sentence.
    function : callable
        Two rows of numbers to r, or None.
    variance : callable
        r to v.
    lost : int
        k.
    """

    title: str
    function: Callable[[Floats, Floats], float | None]
    variance: Callable[[float], float]
    lost: int


def pearson(a: Floats, b: Floats) -> float | None:
    """Pearson's r, Σ (a - ā)(b - b̄)/√(Σ (a - ā)² Σ (b - b̄)²): how near pairs are to a line."""
    if len(a) < 2 or constant(a) or constant(b):
        return None
    one, other = (small - small.mean() for small in (scaled(a)[0], scaled(b)[0]))
    return float(np.clip((one @ other) / math.sqrt(float(one @ one) * float(other @ other)), -1, 1))


def spearman(a: Floats, b: Floats) -> float | None:
    """Spearman's ρ: Pearson's r of ranks, equal numbers sharing the mean of theirs."""
    return pearson(_ranks(a), _ranks(b))


def _ranks(values: Floats) -> Floats:
    _, place, counts = np.unique(values, return_inverse=True, return_counts=True)
    return (np.cumsum(counts) - (counts - 1) / 2)[place]


PEARSON = CorrelationKind("Pearson's r", pearson, lambda _: 1.0, 3)
SPEARMAN = CorrelationKind("Spearman's ρ", spearman, lambda r: 1 + r * r / 2, 3)
KENDALL = CorrelationKind("Kendall's τ_b", kendall_b, lambda _: 0.437, 4)


@dataclass(frozen=True)
class Correlation:
    """A coefficient, and its interval; None where there is none of either."""

    value: float | None
    interval: Interval | None


def correlation(of: CorrelationKind, a: Floats, b: Floats, confidence: float) -> Correlation:
    """The coefficient of pairs, with its interval: Fisher's transformation, with the variances that simulations give
    for the coefficients of ranks. There is none of fewer than k + 1 pairs, and none for a coefficient of -1 or 1, of
    which the variance is not known.

    Bonett and Wright, Sample Size Requirements for Estimating Pearson, Kendall and Spearman Correlations, Psychometrika
    65(1), 2000; Fieller, Hartley and Pearson, Tests for Rank Correlation Coefficients, Biometrika 44, 1957.
    """
    r, n = of.function(a, b), len(a)
    if r is None or n <= of.lost or abs(r) >= 1:
        return Correlation(r, None)
    reach = normal_quantile(confidence) * math.sqrt(of.variance(r) / (n - of.lost))
    return Correlation(r, Interval(math.tanh(math.atanh(r) - reach), math.tanh(math.atanh(r) + reach)))


def resampled_kendall(columns: Floats, other: Floats, samples: int, seed: int) -> Floats:
    """(samples, c) Kendall's τ_b of each of (n, c) columns with another, (n,), of n rows that were drawn again; NaN
    where there is none. A row that is drawn twice ties with itself, and so counts in no pair."""
    apart = np.sign(other[:, None] - other[None, :])
    own = [np.sign(column[:, None] - column[None, :]) for column in columns.T]
    return np.concatenate(list(_kendall(own, apart, samples, seed)))


def _kendall(own: list[Floats], apart: Floats, samples: int, seed: int) -> Iterator[Floats]:
    """Blocks of it. A pair of rows counts as often as one was drawn times as often as the other was."""
    for drawn in resampled_counts(len(apart), samples, seed):
        differ = _counted(np.abs(apart), drawn)
        with np.errstate(invalid="ignore"):
            yield np.stack(
                [_counted(each * apart, drawn) / np.sqrt(_counted(np.abs(each), drawn) * differ) for each in own],
                axis=1,
            )


def _counted(signs: Floats, drawn: Floats) -> Floats:
    """(b,) Σ_ij drawn_i drawn_j signs_ij of each sample."""
    counts: Floats = ((drawn @ signs) * drawn).sum(axis=1)
    return counts
