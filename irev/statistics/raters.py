"""Agreement of raters: kappa, weighted kappa, alpha and overlap, from tables that count what was rated how.

A table counts what two raters gave: a row for each category of the first, a column for each of the second. The
coincidences of any number of raters are such a table too. Whatever takes a table takes many of one shape, as
``(…, g, g)``, so that samples of them need no loop; a coefficient that a table has none of is NaN.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from irev.base.segments import Bools, Floats, Ints
from irev.statistics.intervals import Interval, middle
from irev.statistics.resampling import resampled_means

WEIGHTS = ("linear", "quadratic")
LEVELS = ("nominal", "ordinal", "interval")

Coefficient = Callable[[Floats, int], Floats]
"""``coefficient(tables, topics)``: one number for each table, which is a sum that was divided by so many topics."""


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
    and Management 36(5), 2000. (There the mean over topics; here documents of all topics count together.)
    """
    both = np.einsum("i,...ij,j->...", relevant, tables, relevant)
    neither = np.einsum("i,...ij,j->...", ~relevant, tables, ~relevant)
    return _ratio(both, tables.sum(axis=(-2, -1)) - neither)


def alpha(coincidences: Floats, level: str, categories: Floats, topics: int = 1) -> Floats:
    """Krippendorff's alpha, 1 - (n - 1) Σ o_ck δ²_ck / Σ n_c n_k δ²_ck, of any number of raters, with gaps.

    Parameters
    ----------
    coincidences : (…, g, g)
        As `coincidences` counts them, summed over topics, or their means over `topics`.
    level : str
        ``nominal``: δ² is 1 unless c = k; ``interval``: (c - k)²; ``ordinal``: the square of how many ratings lie
        between the two, each of them counting half.
    categories : (g,)
        Rising.
    topics : int
        By how many the coincidences were divided.

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
    return 1 - _ratio((n - 1 / topics) * observed, expected)


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


def intervals(
    coefficients: list[Coefficient], counted: list[Floats], confidence: float, samples: int, seed: int
) -> list[Interval | None]:
    """Percentile intervals of coefficients, with topics drawn again, since documents of one topic are not independent.

    Parameters
    ----------
    coefficients : list of Coefficient
    counted : list of (topics, g, g)
        The tables of each; all have the same topics, which all are drawn together.
    confidence, samples, seed
        Of the intervals, and of the samples that they are the quantiles of, of type 7.

    Returns
    -------
    list of (Interval or None)
        None with fewer than two topics, and where `middle` has none.

    Efron and Tibshirani, An Introduction to the Bootstrap, 1993, chapter 13.
    """
    topics = len(counted[0]) if counted else 0
    if topics < 2:
        return [None] * len(coefficients)
    flat = np.concatenate([each.reshape(topics, -1) for each in counted], axis=1)
    ends = np.cumsum([0, *(each[0].size for each in counted)])
    sampled: list[list[Floats]] = [[] for _ in coefficients]
    for means in resampled_means(flat, samples, seed):
        for place, (coefficient, each) in enumerate(zip(coefficients, counted, strict=True)):
            block = means[:, ends[place] : ends[place + 1]]
            sampled[place].append(coefficient(block.reshape(-1, *each.shape[1:]), topics))
    return [middle(np.concatenate(values), confidence) for values in sampled]


def _ratio(part: Floats, whole: Floats) -> Floats:
    with np.errstate(invalid="ignore", divide="ignore"):
        return np.where(whole > 0, part / whole, np.nan)
