"""How far two rows of numbers agree: as orderings of the same items, such as runs by two measures; and correlations
with intervals, and how much better one row correlates with a common row than another row does, by drawing the pairs
again.

**Orderings** are values of the items, higher is better; equal values are ties. Every coefficient is 1 for two equal
orderings without ties, and None where it is not defined: fewer than two items, or a value that is not a number.

**Correlations**: of fewer than two pairs, and where all numbers of a row are equal, there is none.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator

import numpy as np

from irev.base.aggregates import mean
from irev.base.records import dataclass
from irev.base.segments import Floats, Ints
from irev.statistics.intervals import Interval, normal_quantile
from irev.statistics.overlap import overlap, places
from irev.statistics.resampling import resampled_counts
from irev.statistics.rounding import constant, scaled

# Orderings


def kendall_a(a: Floats, b: Floats) -> float | None:
    """Kendall's τ_a = (C - D)/(n(n - 1)/2), with C pairs of items in the same order and D in opposite orders.

    From -1 to 1. A pair that ties on either side counts as neither, so that ties bring it nearer to 0.

    Kendall, A New Measure of Rank Correlation, Biometrika 30, 1938.
    """
    ranks = _ranks(a, b)
    if ranks is None:
        return None
    same, _, _ = _pairs(*ranks)
    n = len(a)
    return same / (n * (n - 1) / 2)


def kendall_b(a: Floats, b: Floats) -> float | None:
    """Kendall's τ_b = (C - D)/√(pairs that do not tie in a · pairs that do not tie in b).

    From -1 to 1. None where all items tie on one side.

    Kendall, The Treatment of Ties in Ranking Problems, Biometrika 33, 1945.
    """
    ranks = _ranks(a, b)
    if ranks is None:
        return None
    same, apart_a, apart_b = _pairs(*ranks)
    return same / math.sqrt(apart_a * apart_b) if apart_a and apart_b else None


def tau_ap_one_way(truth: Floats, estimate: Floats) -> float | None:
    """AP correlation of an estimate with the true ordering, which weighs disagreement at the top of the estimate more.

    For each item of the estimate that is not among those tied at the top, the share of the items above it, its ties
    apart, that the truth has above it as well; the mean of these, doubled, less 1. From -1 to 1; the other way round it
    has another value. None where all items tie on one side.

    Yilmaz, Aslam and Robertson, A New Rank Correlation Coefficient for Information Retrieval, SIGIR 2008. Ties, which
    they have not, are as in `tau_ap`.
    """
    ranks = _ranks(estimate, truth)
    return None if ranks is None else _toward(*ranks)


def tau_ap(a: Floats, b: Floats) -> float | None:
    """AP correlation of two orderings of which neither is the true one: the mean of both ways, τ_ap,b.

    Urbano and Marrero, The Treatment of Ties in AP Correlation, ICTIR 2017, whose the ties are.
    """
    one, other = tau_ap_one_way(a, b), tau_ap_one_way(b, a)
    return None if one is None or other is None else (one + other) / 2


def rbo(a: Floats, b: Floats, p: float = 0.9) -> float | None:
    """Rank-biased overlap, extrapolated: RBO_ext = (1 - p) Σ_d p^(d-1) X_d/d + p^n, for depths d from 1 to n.

    X_d is how many of the n items stand among the first d of both; below depth n the agreement is taken to stay what it
    is there, which is complete. p, at least 0 and below 1, is the chance that a reader goes on to the next depth. From
    `least_rbo`, which is far from 0 for few items, to 1. Tied items stand in any order with the same chance,
    independently in both orderings, and X_d is what is expected then; so that an ordering with ties does not agree with
    itself completely.

    Webber, Moffat and Zobel, A Similarity Measure for Indefinite Rankings, ACM Transactions on Information Systems
    28(4), 2010; the ties are RBO^a of Corsi and Urbano, The Treatment of Ties in Rank-Biased Overlap, SIGIR 2024.
    """
    ranks = _ranks(a, b)
    if ranks is None:
        return None
    ordered = [np.argsort(-side, kind="stable") for side in ranks]
    one, other = (places(-np.sort(-side).astype(np.float64)) for side in ranks)
    everything = np.argsort(ordered[0]), np.argsort(ordered[1])
    return overlap(one, other, everything, p).extrapolated


def least_rbo(n: int, p: float = 0.9) -> float | None:
    """The least that `rbo` can be for n items: that of an ordering and its reverse, X_d = max(0, 2d - n)."""
    if n < 2:
        return None
    return (1 - p) * math.fsum(p ** (d - 1) * max(0, 2 * d - n) / d for d in range(1, n + 1)) + p**n


def _ranks(a: Floats, b: Floats) -> tuple[Ints, Ints] | None:
    """Dense ranks of both, the highest value last; None where nothing can be said."""
    if len(a) < 2 or np.isnan(a).any() or np.isnan(b).any():
        return None
    return np.unique(a, return_inverse=True)[1], np.unique(b, return_inverse=True)[1]


def _pairs(a: Ints, b: Ints) -> tuple[int, int, int]:
    """Pairs in the same order less those in opposite orders; pairs that do not tie in a; in b."""
    same = apart_a = apart_b = 0
    for i in range(1, len(a)):
        in_a, in_b = np.sign(a[:i] - a[i]), np.sign(b[:i] - b[i])
        same += int(in_a @ in_b)
        apart_a += int(np.count_nonzero(in_a))
        apart_b += int(np.count_nonzero(in_b))
    return same, apart_a, apart_b


def _toward(reference: Ints, other: Ints) -> float | None:
    """AP correlation of `other` with the reference."""
    if not np.ptp(reference) or not np.ptp(other):
        return None
    shares = []
    for i in np.flatnonzero(reference < reference.max()):
        above = reference > reference[i]
        shares.append(np.count_nonzero(above & (other > other[i])) / np.count_nonzero(above))
    return 2 * mean(np.array(shares)) - 1


# Correlations with intervals


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
    return pearson(_shared_ranks(a), _shared_ranks(b))


def _shared_ranks(values: Floats) -> Floats:
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
