"""How large a difference is, whatever its p-value: wins and losses, effect sizes, how skewed differences are, and
whether a difference is shown to be small (equivalence), which is more than that none was found."""

from __future__ import annotations

import math

import numpy as np

from irev.base.records import dataclass
from irev.base.segments import Floats
from irev.statistics import special
from irev.statistics.intervals import Interval
from irev.statistics.paired import CONSTANT, NO_DIFFERENCE
from irev.statistics.power import noncentrality
from irev.statistics.rounding import constant, scaled


@dataclass(frozen=True)
class Effect:
    """Sizes of an effect, from n paired differences.

    Attributes
    ----------
    standardised : float or None
        Cohen's d_z = mean/s, with s the standard deviation of the differences over n - 1. None where s is 0 or not
        defined: fewer than two queries, all differences the same, one that is not finite. Cohen, Statistical Power
        Analysis for the Behavioral Sciences, 2nd edition, 1988; Lakens, Calculating and Reporting Effect Sizes,
        Frontiers in Psychology 4, 2013.
    interval : Interval or None
        Of the true standardised difference δ, with the confidence that was asked for: δ√n is the noncentrality of the
        t distribution that d_z√n comes from, and the ends are the δ for which so high a value, and so low a one, has a
        chance of (1 - confidence)/2. For normal differences. None where there is no d_z. Steiger and Fouladi,
        Noncentrality Interval Estimation and the Evaluation of Statistical Models, in: What if There Were No
        Significance Tests?, 1997; Cumming and Finch, A Primer on Confidence Intervals Based on Central and Noncentral
        Distributions, Educational and Psychological Measurement 61, 2001.
    common_language : float or None
        Chance that the run does better on a query: (wins + ties/2)/n, the probability of superiority for dependent
        samples (Grissom and Kim, Effect Sizes for Research, 2012). 0.5 is no effect. None without queries.
    improved : float or None
        Share of the queries won: wins/n. None without queries.
    """

    standardised: float | None
    interval: Interval | None
    common_language: float | None
    improved: float | None


def outcomes(differences: Floats) -> tuple[int, int, int]:
    """Wins, ties, losses: differences above 0, of 0, below 0. One that is not a number is none of the three."""
    return int((differences > 0).sum()), int((differences == 0).sum()), int((differences < 0).sum())


def effect(differences: Floats, confidence: float | None = 0.95, rows: Floats | None = None) -> Effect:
    """The effect sizes of n differences; `rows` as in `design_effect`.

    There is no interval for a confidence of None.
    """
    wins, ties, losses = outcomes(differences)
    n = wins + ties + losses
    standardised = _standardised(differences)
    rows = differences if rows is None else rows
    span, alike = None, design_effect(differences, rows)
    if standardised is not None and alike and confidence is not None:
        span = _interval(standardised, len(differences) / alike, len(rows) - 1, confidence)
    return Effect(
        standardised=standardised,
        interval=span,
        common_language=(wins + ties / 2) / n if n else None,
        improved=wins / n if n else None,
    )


def _interval(standardised: float, n: float, degrees: int, confidence: float) -> Interval:
    t, rest = standardised * math.sqrt(n), (1 - confidence) / 2
    low, high = (noncentrality(t, degrees, chance) / math.sqrt(n) for chance in (1 - rest, rest))
    return Interval(low, high)


def design_effect(differences: Floats, rows: Floats) -> float | None:
    """Return the design effect: the variance of the mean, relative to that of independent queries.

    It is 1 where `rows`, which have the same mean and do not depend on each other, are the differences. None where
    there is no variance. Kish, Survey Sampling, 1965, section 8.2.
    """
    if rows is differences:
        return 1.0
    if len(rows) < 2 or not np.isfinite(differences).all() or constant(differences):
        return None
    variances = ((values / np.abs(differences).max()).var(ddof=1) / len(values) for values in (rows, differences))
    return float(next(variances) / next(variances))


def _standardised(differences: Floats) -> float | None:
    if len(differences) < 2 or not np.isfinite(differences).all() or constant(differences):
        return None
    small = scaled(differences)[0]
    return float(small.mean() / small.std(ddof=1))


COCHRAN = 25
"""A mean of n values is nearly normal where n is at least 25 times the square of their skewness."""

BY_CHANCE = 1.645
"""A sum of as many standard deviations over sign flips is larger than nine in ten flips make it."""


def skewness(values: Floats) -> float | None:
    """G_1 = √(n (n - 1)) / (n - 2) · m_3 / m_2^1.5, with m_k the mean of (x - mean)^k.

    None for fewer than three values, values that are not finite, and values that are all the same.

    Joanes and Gill, Comparing Measures of Sample Skewness and Kurtosis, The Statistician 47(1), 1998.
    """
    n = len(values)
    if n < 3 or not np.isfinite(values).all() or constant(values):
        return None
    small = scaled(values)[0]
    off = small - small.mean()
    squares = off * off
    return float((squares * off).mean() / squares.mean() ** 1.5) * math.sqrt(n * (n - 1)) / (n - 2)


def queries_wanted(values: Floats) -> int | None:
    """How many values Cochran's rule asks for, where these are too few and more skewed than chance makes them.

    That is ⌈25 G_1²⌉, where it is more than n and the mean is further from the median than in nine of ten sign flips:
    with v the values minus their median, |Σ v| is at least 1.645 √Σ v²; else None. Few large values of either sign make
    G_1 large whatever their distribution, and flips of their signs as well. The rule is about one interval at 95%; a
    family of tests at 5% together would need more. benchmarks/few_differ.py compares rules.

    Cochran, Sampling Techniques, 3rd edition, 1977, section 2.15.
    """
    found, n = skewness(values), len(values)
    if found is None or (wanted := math.ceil(COCHRAN * found * found)) <= n:
        return None
    small = scaled(values)[0]
    off = small - np.median(small)
    return wanted if abs(off.sum()) >= BY_CHANCE * math.sqrt((off * off).sum()) else None


@dataclass(frozen=True)
class Equivalence:
    """Two one-sided t tests against a margin.

    Attributes
    ----------
    p_not_worse : float or None
        Of the mean difference being -margin or less; a small one shows that the run is not worse by the margin.
    p_not_better : float or None
        Of the mean difference being margin or more.
    p : float or None
        The larger of both; a small one shows that the runs are the same within the margin.
    note : str
        Why there is no p, or what is special about it; mostly empty.
    """

    p_not_worse: float | None
    p_not_better: float | None
    p: float | None
    note: str = ""


def equivalence(differences: Floats, margin: Floats | float, unseen: float = 0.0) -> Equivalence:
    """The tests of n differences, with t = (mean ± margin)/√(s²/n + unseen²) on n - 1 degrees of freedom.

    The error is that of `intervals.widened`: what a test excludes, the interval excludes. Where it is 0, as where all
    queries differ by the same amount, there is no p.

    Parameters
    ----------
    differences : (n,)
    margin : (n,) or float
        Of each query, or of all; the mean of it is the margin of the mean.
    unseen : float
        As `intervals.unseen` has it.

    Schuirmann, A Comparison of the Two One-Sided Tests Procedure and the Power Approach for Assessing the Equivalence
    of Average Bioavailability, Journal of Pharmacokinetics and Biopharmaceutics 15(6), 1987.
    """
    n = len(differences)
    if n < 2:
        return Equivalence(None, None, None, "fewer than two queries")
    if not np.isfinite(differences).all():
        return Equivalence(None, None, None, "a difference is not a finite number")
    # A quarter of all, so that no sum overflows: p is the same.
    quarters, within = differences / 4, np.asarray(margin) / 4
    not_worse, not_better = (_p_above(side, unseen / 4) for side in (within + quarters, within - quarters))
    if not_worse is None or not_better is None:
        note = CONSTANT if differences.any() else f"{NO_DIFFERENCE}, and so there is no variance to test against"
        return Equivalence(None, None, None, note)
    return Equivalence(not_worse, not_better, max(not_worse, not_better))


def _p_above(values: Floats, more: float) -> float | None:
    """p of a mean of 0 or less, one-sided, with the error √(s²/n + more²)."""
    n, (small, exponent) = len(values), scaled(values)
    spread = 0.0 if constant(values) else float(small.std(ddof=1)) / math.sqrt(n)
    error = math.hypot(spread, float(np.ldexp(more, -int(exponent))))
    return float(special.stdtr(n - 1, -float(small.mean()) / error)) if error else None
