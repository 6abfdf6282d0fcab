"""How large a difference is, whatever its p-value: wins and losses, effect sizes, how skewed differences are, and
whether a difference is shown to be small (equivalence), which is more than that none was found; and how many queries it
takes to find one: the power of the paired t test.

Every number of queries is the smallest that is enough and at least 2; None is more than `MOST`, or never.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import NamedTuple

import numpy as np

from irev.base.records import dataclass
from irev.base.segments import Floats
from irev.statistics import special
from irev.statistics.intervals import Interval
from irev.statistics.paired import CONSTANT, NO_DIFFERENCE, outcomes
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


# Power


MOST = 10_000_000
"""Queries beyond which nobody asks."""


def power_of(n: int, effect: float, alpha: float, alternative: str = "two-sided") -> float:
    """Chance that the paired t test of n queries finds a true effect, at level `alpha`.

    t follows the noncentral t distribution with n - 1 degrees of freedom and noncentrality effect·√n. Two-sided, a
    finding in the wrong direction counts, too. Cohen, Statistical Power Analysis for the Behavioral Sciences, 1988.

    Parameters
    ----------
    n : int
        Queries, at least 2.
    effect : float
        Cohen's d_z: the true mean difference over the true standard deviation of differences.
    alpha : float
        Level of the test, between 0 and 1.
    alternative : str
        ``two-sided``, ``greater`` or ``less``.
    """
    moved = effect * math.sqrt(n)
    if alternative != "two-sided":
        toward = moved if alternative == "greater" else -moved
        return 1 - below_noncentral(float(special.stdtrit(n - 1, 1 - alpha)), n - 1, toward)
    limit = float(special.stdtrit(n - 1, 1 - alpha / 2))
    return min(1.0, 1 - below_noncentral(limit, n - 1, moved) + below_noncentral(-limit, n - 1, moved))


def below_noncentral(limit: float, degrees: float, moved: float) -> float:
    """P(t ≤ limit) for a noncentral t."""
    chance = float(special.nctdtr(degrees, moved, limit))
    if 0 <= chance <= 1:
        return chance
    # So far from the middle that scipy gives up, the normal approximation is 0 or 1: Abramowitz and Stegun, 26.7.10.
    if math.isinf(moved):
        return float(moved < 0)
    return float(special.ndtr((limit * (1 - 1 / (4 * degrees)) - moved) / math.sqrt(1 + limit**2 / (2 * degrees))))


def noncentrality(t: float, degrees: float, chance: float) -> float:
    """The noncentrality of which P(T ≤ t) is `chance`, for T of a noncentral t distribution; the larger, the lower."""
    low = high = t
    step = math.sqrt(1 + t**2 / (2 * degrees))
    while below_noncentral(t, degrees, low) < chance:
        low, step = low - step, 2 * step
    while below_noncentral(t, degrees, high) > chance:
        high, step = high + step, 2 * step
    while high - low > 1e-12 * max(1.0, abs(t)):
        middle = (low + high) / 2
        if middle in (low, high):
            break
        low, high = (low, middle) if below_noncentral(t, degrees, middle) <= chance else (middle, high)
    return (low + high) / 2


def queries_needed(
    effect: float, alpha: float, power: float, alternative: str = "two-sided", size: float = 1.0
) -> int | None:
    """The queries that a paired t test needs to find an effect (d_z) with a chance of `power`; None for an effect of 0,
    and one that lies in the other direction than the alternative. With clusters of the mean
    `size` the effect is that of their pseudo-values."""
    away = {"greater": effect <= 0, "less": effect >= 0}.get(alternative, effect == 0)
    if away or math.isnan(effect):
        return None
    found = fewest(lambda n: power_of(n, effect, alpha, alternative) >= power)
    return found if found is None else math.ceil(found * size)


class NeedSpan(NamedTuple):
    """From how many queries to how many it may take: `most` is None where none up to `MOST` are enough."""

    least: int | None
    most: int | None


def needed_span(
    low: float, high: float, alpha: float, power: float, alternative: str = "two-sided", size: float = 1.0
) -> NeedSpan:
    """`queries_needed` for every effect from `low` to `high`: the fewest, for the effect that is found most easily, and
    the most, for the one that is hardest to find. An interval that holds 0 has no most; one without an effect in the
    direction of the alternative has no least either.

    With the ends of the interval of an effect that was measured, such as `Effect.interval`,
    the number that the true effect needs lies between these as often as the interval holds the true effect.
    """
    if alternative == "two-sided":
        easiest, hardest = max(abs(low), abs(high)), 0.0 if low <= 0 <= high else min(abs(low), abs(high))
    else:
        easiest, hardest = (high, low) if alternative == "greater" else (low, high)
    return NeedSpan(*(queries_needed(effect, alpha, power, alternative, size) for effect in (easiest, hardest)))


def fewest(enough: Callable[[int], bool]) -> int | None:
    """The smallest number from 2 to `MOST` that is enough, when any larger one is enough, too."""
    low, high = 1, 2  # low is not enough
    while not enough(high):
        if high == MOST:
            return None
        low, high = high, min(2 * high, MOST)
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (low, middle) if enough(middle) else (middle, high)
    return high
