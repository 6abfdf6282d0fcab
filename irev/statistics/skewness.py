"""Skewness of differences, and whether there are too few queries for it."""

from __future__ import annotations

import math

import numpy as np

from irev.base.segments import Floats
from irev.statistics.rounding import constant, scaled

COCHRAN = 25
"""A mean of n values is nearly normal where n is at least 25 times the square of their skewness."""

CHANCE = 4
"""A skewness of as many standard errors, √(6/n) each, is more than samples of normal values have."""


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

    That is ⌈25 G_1²⌉, where it is more than n and |G_1| is at least 4 √(6/n), which it never is for fewer than ten
    values; else None. The rule is about one interval at 95%; a family of tests at 5% together would need more.

    Cochran, Sampling Techniques, 3rd edition, 1977, section 2.15.
    """
    found, n = skewness(values), len(values)
    if found is None or abs(found) < CHANCE * math.sqrt(6 / n):
        return None
    wanted = math.ceil(COCHRAN * found * found)
    return wanted if wanted > n else None
