"""Shifts: at which of many builds the values of queries rose or fell by more than chance."""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import NamedTuple

import numpy as np

from irev.base.segments import Floats
from irev.statistics import special
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
        What the look compared: the mean of the last builds minus the mean of as many builds before them.
    p : float
        Of the look: one-sided, not corrected.
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

    A shift begins at the build that splits the mean values between the neighbouring shifts best, by least squares, of
    the builds that the look compared and in the direction that it found. So a fall that is marked was found by a test,
    but for its exact build, which is an estimate.

    Parameters
    ----------
    values : float (b, q)
        Of each query in each build, in the order of builds. Where all differences are the same there is no test.
    alpha : float, optional

    Sources: Page, Continuous Inspection Schemes, Biometrika 41, 1954; Lan and DeMets, Discrete Sequential Boundaries
    for Clinical Trials, Biometrika 70(3), 1983, for error that is spent look by look.
    """
    means, looks = values.mean(axis=1), list(_looks(values, alpha))
    found: list[Shift] = []
    for place, (first, shift) in enumerate(looks):
        begin = found[-1].at if found else 0
        end = looks[place + 1][1].at if place + 1 < len(looks) else len(values)
        at = begin + _split(means[begin:end], shift.difference, max(first - begin, 1), shift.seen - begin)
        found.append(shift._replace(at=at))
    return found


def _looks(values: Floats, alpha: float) -> Iterator[tuple[int, Shift]]:
    """The shifts as the looks find them, with the first build at which each can begin."""
    builds, queries = values.shape
    means = values.mean(axis=1)
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
                mean = float(differences.mean())
                t = mean / (float(differences.std(ddof=1)) / math.sqrt(queries))
                if (p := float(special.stdtr(queries - 1, -abs(t)))) <= allowed:
                    first = middle - size + 1
                    begin += _split(means[begin : now + 1], mean, first - begin, now - begin)
                    yield first, Shift(begin, now, mean, p)
                    break
            size *= 2


def _split(means: Floats, towards: float, first: int, last: int) -> int:
    """The place from `first` to `last` at which the second of two parts begins, where these differ most by least
    squares: the second is the higher one where `towards` is positive, else the lower one."""
    total, sizes = len(means), np.arange(1, len(means))
    before = np.cumsum(means)[:-1]
    gaps = (means.sum() - before) / (total - sizes) - before / sizes
    signed = gaps * np.sqrt(sizes * (total - sizes)) * math.copysign(1.0, towards)
    return first + int(np.argmax(signed[first - 1 : last]))
