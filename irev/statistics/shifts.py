"""Shifts: at which of many builds the values of queries rose or fell by more than chance."""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import NamedTuple

import numpy as np

from irev.base.segments import Floats
from irev.statistics.rounding import SLACK, constant

ALPHA = 0.05
"""The probability that any look at a history finds a fall where there is none; the same for a rise."""


class Shift(NamedTuple):
    """A build from which on values are higher or lower than before.

    Attributes
    ----------
    at : int
        The place of the first build with other values.
    seen : int
        The place of the build whose look found it.
    difference : float
        The mean of the builds from `at` on, minus the mean of those before, between the neighbouring shifts.
    p : float
        Of the look that found it: one-sided, not corrected.
    """

    at: int
    seen: int
    difference: float
    p: float


def share_of(look: int) -> float:
    """The share of the error that look 1, 2, … may use: 1/log₂(look + 1) − 1/log₂(look + 2). All shares add to 1."""
    return 1 / math.log2(look + 1) - 1 / math.log2(look + 2)


def shifts(values: Floats, alpha: float = ALPHA) -> list[Shift]:
    """Every build at which the mean over queries rose or fell, in order.

    Each build with other values than the one before is a look. It compares, query by query, the mean of the last 1, 2,
    4, … builds with the mean of as many builds before them, as far as the last shift allows, by Student's one-sided
    paired t test. A look may err with probability α·`share_of`, half of it with one build on each side, a quarter with
    two, and so on. By Bonferroni's inequality all looks together, however many builds follow, find a fall where there
    is none with probability α at most, if differences are roughly normal. Builds need not be independent of each
    other. As many builds on both sides: then skewed noise does not make differences skewed.

    A shift begins at the build that splits the mean values between the neighbouring shifts best, by least squares.

    Parameters
    ----------
    values : float (b, q)
        Of each query in each build, in the order of builds. Where all differences are the same there is no test.
    alpha : float, optional

    Sources: Page, Continuous Inspection Schemes, Biometrika 41, 1954; Lan and DeMets, Discrete Sequential Boundaries
    for Clinical Trials, Biometrika 70(3), 1983, for error that is spent look by look.
    """
    means, seen = values.mean(axis=1), list(_seen(values, alpha))
    bounds = [0, *(at for at, _, _ in seen), len(values)]
    found = []
    for place, (_, now, p) in enumerate(seen):
        begin, end = bounds[place], bounds[place + 2]
        at = bounds[place + 1] = begin + split(means[begin:end])
        found.append(Shift(at, now, float(means[at:end].mean() - means[begin:at].mean()), p))
    return found


def _seen(values: Floats, alpha: float) -> Iterator[tuple[int, int, float]]:
    """Where each shift seems to begin when a look finds it, the build of that look, and its p."""
    from irev.statistics.special import stdtr

    builds, queries = values.shape
    rounding = SLACK * np.abs(values).max(initial=0.0)
    begin = looks = 0
    for now in range(1, builds):
        if queries < 2 or np.array_equal(values[now], values[now - 1]):
            continue
        looks, size = looks + 1, 1
        allowed = alpha * share_of(looks)
        while 2 * size <= now + 1 - begin:
            allowed /= 2
            middle = now + 1 - size
            differences = values[middle : now + 1].mean(axis=0) - values[middle - size : middle].mean(axis=0)
            differences[np.abs(differences) <= rounding] = 0
            if not constant(differences):
                t = float(differences.mean() / (differences.std(ddof=1) / math.sqrt(queries)))
                if (p := float(stdtr(queries - 1, -abs(t)))) <= allowed:
                    begin += split(values[begin : now + 1].mean(axis=1))
                    yield begin, now, p
                    break
            size *= 2


def split(means: Floats) -> int:
    """Where two parts of a series differ most, by least squares: the place at which the second one begins."""
    total, sizes = len(means), np.arange(1, len(means))
    before = np.cumsum(means)[:-1]
    gaps = np.abs((means.sum() - before) / (total - sizes) - before / sizes)
    return 1 + int(np.argmax(gaps * np.sqrt(sizes * (total - sizes))))
