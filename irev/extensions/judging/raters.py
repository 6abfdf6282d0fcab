"""Agreement of raters: kappa, weighted kappa, alpha and overlap, from tables that count what was rated how.

A table counts what two raters gave: a row for each category of the first, a column for each of the second. The
coincidences of any number of raters are such a table too. Whatever takes a table takes many of one shape, as
``(…, g, g)``; a coefficient that a table has none of is NaN.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import NamedTuple

import numpy as np

from irev.base.segments import Bools, Floats, Ints
from irev.statistics import special
from irev.statistics.intervals import Interval, all_alike, quantile, unseen_error
from irev.statistics.resampling import resampled_counts
from irev.statistics.rounding import SLACK

Coefficient = Callable[[Floats], Floats]
"""``coefficient(tables)``: one number for each table."""


def apart(weights: str, categories: Floats) -> Floats:
    """(g, g) How far categories are apart: ``linear`` |a - b|, ``quadratic`` (a - b)², ``none`` 1 unless equal."""
    distance = np.abs(categories[:, None] - categories[None, :])
    if weights == "quadratic":
        return distance**2
    return distance if weights == "linear" else (distance > 0).astype(np.float64)


def equal(tables: Floats) -> Floats:
    """The share on the diagonal: of all that was rated twice, what was rated alike."""
    return _ratio(np.trace(tables, axis1=-2, axis2=-1), tables.sum(axis=(-2, -1)))


def kappa(tables: Floats, distance: Floats) -> Floats:
    """1 - Σ d_ij o_ij / Σ d_ij e_ij, with e_ij = o_i· o_·j / n: disagreement, as a share of that of chance.

    With distances of 1 Cohen's kappa; with others its weighted form. NaN where chance would not disagree, as where
    both raters gave one category alone, and the same.

    Cohen, A Coefficient of Agreement for Nominal Scales, Educational and Psychological Measurement 20(1), 1960;
    Weighted Kappa, Psychological Bulletin 70(4), 1968.
    """
    rows, columns = tables.sum(axis=-1), tables.sum(axis=-2)
    observed = (tables * distance).sum(axis=(-2, -1))
    expected = np.einsum("...i,ij,...j->...", rows, distance, columns)
    return 1 - _ratio(observed * rows.sum(axis=-1), expected)


def overlap(tables: Floats, relevant: Bools) -> Floats:
    """What both hold to be relevant, as a share of what either does; NaN where nothing is.

    Voorhees, Variations in Relevance Judgments and the Measurement of Retrieval Effectiveness, Information Processing
    and Management 36(5), 2000, where the overlap of a collection is the mean over its topics.
    """
    both = np.einsum("i,...ij,j->...", relevant, tables, relevant)
    neither = np.einsum("i,...ij,j->...", ~relevant, tables, ~relevant)
    return _ratio(both, tables.sum(axis=(-2, -1)) - neither)


def share(parts: Floats) -> Floats:
    """The first of two numbers (…, 2) as a share of the second; NaN where the second is 0."""
    return _ratio(parts[..., 0], parts[..., 1])


def alpha(coincidences: Floats, level: str, categories: Floats) -> Floats:
    """Krippendorff's alpha, 1 - (n - 1) Σ o_ck δ²_ck / Σ n_c n_k δ²_ck, of any number of raters, with gaps.

    Parameters
    ----------
    coincidences : (…, g, g)
        As `coincidences` counts them, summed over topics.
    level : str
        ``nominal``: δ² is 1 unless c = k; ``interval``: (c - k)²; ``ordinal``: the square of how many ratings lie
        between the two, each of them counting half.
    categories : (g,)
        Rising.

    Krippendorff, Content Analysis, 3rd edition, 2013, chapter 12; Hayes and Krippendorff, Answering the Call for a
    Standard Reliability Measure for Coding Data, Communication Methods and Measures 1(1), 2007.
    """
    counts = coincidences.sum(axis=-1)
    n = counts.sum(axis=-1)
    if level == "ordinal":
        middle = np.cumsum(counts, axis=-1) - counts / 2
        distance = (middle[..., :, None] - middle[..., None, :]) ** 2
    else:
        distance = apart("quadratic" if level == "interval" else "none", categories)
    observed = (coincidences * distance).sum(axis=(-2, -1))
    expected = (counts[..., :, None] * counts[..., None, :] * distance).sum(axis=(-2, -1))
    return 1 - _ratio((n - 1) * observed, expected)


def tables(first: Ints, second: Ints, topic: Ints, topics: int, categories: int) -> Floats:
    """(topics, g, g) How often the raters gave each pair of categories, which are given as their places."""
    cell = (topic * categories + first) * categories + second
    counts = np.bincount(cell, minlength=topics * categories**2).astype(np.float64)
    return counts.reshape(topics, categories, categories)


def coincidences(ratings: Ints, topic: Ints, topics: int, categories: int) -> Floats:
    """(topics, g, g) For each unit with m ≥ 2 ratings its ordered pairs of ratings, each counting 1/(m - 1).

    Parameters
    ----------
    ratings : (u, raters)
        Places of categories, -1 where a rater gave none.
    topic : (u,)
    """
    found = np.zeros((topics, categories, categories))
    given = (ratings >= 0).sum(axis=1)
    for first in range(ratings.shape[1]):
        for second in range(ratings.shape[1]):
            both = (ratings[:, first] >= 0) & (ratings[:, second] >= 0)
            if first == second or not both.any():
                continue
            place = (topic[both], ratings[both, first], ratings[both, second])
            np.add.at(found, place, 1 / (given[both] - 1.0))
    return found


def interval(coefficient: Coefficient, counted: Floats, confidence: float, proportion: bool) -> Interval | None:
    """Jackknife-t interval of a coefficient over topics, since documents of one topic are not independent.

    With θ the coefficient of the sum of all n tables, θ_i that of all but the i-th, and d_i = θ_i - θ:

    - the standard error is s = √Σ d_i² (Tukey's, without the factor (n - 1)/n, as in HC3 and CR3);
    - the degrees of freedom are (n - 1) · min(1, 2 / (κ - 1)), with κ = n Σ d_i⁴ / (Σ d_i²)² · (n + 1) / (n - 1), the
      kurtosis of the d_i: few topics that move the coefficient much say little about its error;
    - topics that do not move the coefficient add the error of `intervals.unseen_error`, as queries that do not differ;
    - the interval is θ ± t·s; for a `proportion`, logit θ ± t·s / (θ (1 - θ)), taken back.

    Parameters
    ----------
    coefficient : Coefficient
        No value is beyond -1 and 1, or beyond 0 and 1 for a `proportion`; nor is an end of the interval.
    counted : (topics, …)
        What the coefficient is of, one row for each topic.
    confidence : float
    proportion : bool

    Returns
    -------
    Interval or None
        None with fewer than two topics, and where the coefficient has no value, or none without some topic. A
        proportion of 0 or 1 has Wilson's interval.

    Tukey, Bias and Confidence in Not-Quite Large Samples, Annals of Mathematical Statistics 29, 1958; MacKinnon and
    White, Some Heteroskedasticity-Consistent Covariance Matrix Estimators with Improved Finite Sample Properties,
    Journal of Econometrics 29(3), 1985; Satterthwaite, An Approximate Distribution of Estimates of Variance Components,
    Biometrics Bulletin 2(6), 1946. benchmarks/agreement.py has how often intervals hold.
    """
    topics = len(counted)
    if topics < 2:
        return None
    # Sums of the topics before and after each: a difference from the whole would leave rounding errors for zeros.
    others = np.zeros(counted.shape)
    others[1:] += np.cumsum(counted[:-1], axis=0)
    others[:-1] += np.cumsum(counted[:0:-1], axis=0)[::-1]
    value = float(coefficient(counted.sum(axis=0)))
    squares = (coefficient(others) - value) ** 2
    variance = float(squares.sum())
    if math.isnan(variance):
        return None
    if proportion and value in (0.0, 1.0):
        return all_alike(value, topics, confidence)
    reach = quantile(topics, confidence) * unseen_error(topics, int(np.count_nonzero(squares)), 1.0)
    if variance:
        kurtosis = topics * float(((squares / variance) ** 2).sum()) * (topics + 1) / (topics - 1)
        freedom = (topics - 1) * min(1.0, 2 / (kurtosis - 1))
        reach = math.hypot(reach, float(special.stdtrit(freedom, (1 + confidence) / 2)) * math.sqrt(variance))
    if not proportion:
        return Interval(max(value - reach, -1.0), min(value + reach, 1.0))
    odds, reach = math.log(value / (1 - value)), reach / (value * (1 - value))
    return Interval((1 + math.tanh((odds - reach) / 2)) / 2, (1 + math.tanh((odds + reach) / 2)) / 2)


class Homogeneity(NamedTuple):
    """A test that two raters give each category equally often: its statistic, degrees of freedom, and p."""

    statistic: float
    degrees: int
    p: float


def homogeneity(tables: Floats) -> Homogeneity | None:
    """Marginal homogeneity by topics (topics, g, g): d'V⁻d is χ² of as many degrees of freedom as V has ranks, d being
    Σ d_t, V Σ d_t d_t', and d_t how much more often the second rater gave each category in a topic. None where no
    d_t differs from 0.

    Where every topic has one unit it is the test of Stuart (A Test for Homogeneity of the Marginal Distributions in a
    Two-Way Classification, Biometrika 42, 1955) and Maxwell (Comparing the Classification of Subjects by Two
    Independent Judges, British Journal of Psychiatry 116, 1970). Units of a topic need not be independent.
    """
    apart = tables.sum(axis=-2) - tables.sum(axis=-1)
    variance = apart.T @ apart
    degrees = int(np.linalg.matrix_rank(variance, hermitian=True))
    if not degrees:
        return None
    total = apart.sum(axis=0)
    statistic = float(total @ np.linalg.pinv(variance, hermitian=True) @ total)
    return Homogeneity(statistic, degrees, float(special.chdtrc(degrees, statistic)))


def _ratio(part: Floats, whole: Floats) -> Floats:
    with np.errstate(invalid="ignore", divide="ignore"):
        return np.where(whole > 0, part / whole, np.nan)


TOGETHER = 1 << 20
"""Signs of pairs of items that are in memory at a time."""


SAMPLES = 1_000
"""Samples of queries of which the standard error of tau is that of their taus."""


def tau_interval(tau: float, first: Floats, second: Floats, confidence: float, seed: int) -> Interval | None:
    """tau ± z·s, within -1 and 1, for Kendall's tau b of the means of two orderings of k items, (n, k) values each; s
    is its standard deviation over samples of the n rows; a sample in which all items tie has a tau of 0.
    None where all samples have the same tau, which says nothing about other rows.

    It is for the tau that other samples of n rows have on average. Chance swaps items that are close, so that the tau
    of endless rows may be higher. benchmarks/agreement.py has how often it holds.
    """
    one, other = np.triu_indices(first.shape[1], 1)
    rows = max(1, TOGETHER // len(one))

    def signs(means: Floats) -> Floats:
        apart = means[:, one] - means[:, other]
        equal = np.abs(apart) <= SLACK * np.abs(means).max(axis=1, keepdims=True)
        found: Floats = np.where(equal, 0.0, np.sign(apart))
        return found

    taus = []
    for times in resampled_counts(len(first), SAMPLES, seed):
        for at in range(0, len(times), rows):
            a, b = (signs(times[at : at + rows] @ values) for values in (first, second))
            known = np.sqrt((a * a).sum(axis=1) * (b * b).sum(axis=1))
            taus.append((a * b).sum(axis=1) / np.where(known, known, 1.0))
    sampled = np.concatenate(taus)
    if np.ptp(sampled) <= SLACK:
        return None
    reach = float(special.ndtri((1 + confidence) / 2)) * float(np.std(sampled, ddof=1))
    return Interval(max(tau - reach, -1.0), min(tau + reach, 1.0))
