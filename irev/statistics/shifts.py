"""Shifts: at which of many builds the values of queries rose or fell by more than chance."""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import NamedTuple

import numpy as np

from irev.base.segments import Floats, Ints
from irev.statistics import special
from irev.statistics.effects import queries_wanted, skewness
from irev.statistics.intervals import possible, unseen
from irev.statistics.paired import jackknifed
from irev.statistics.rounding import SLACK, constant

ALPHA = 0.05
"""The probability that any look at a history finds a fall where there is none; the same for a rise."""


FEWEST = 3
"""With fewer queries, or clusters, nothing is tested: they have no skewness, and say too little of other queries."""


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
    wanted : int or None
        As `effects.queries_wanted` has it for the differences of the look.
    """

    at: int
    seen: int
    difference: float
    p: float
    wanted: int | None = None


def share_of(look: int) -> float:
    """The share of the error that look 1, 2, … may use: 1/log₂(look + 1) − 1/log₂(look + 2). All shares add to 1."""
    return 1 / math.log2(look + 1) - 1 / math.log2(look + 2)


def shifts(values: Floats, alpha: float = ALPHA, cluster: Ints | None = None) -> list[Shift]:
    """Every build at which the mean over queries rose or fell, in order.

    Each build with other values than the one before is a look. It compares, query by query, the mean of the last 1, 2,
    4, … builds with the mean of as many builds before them, as far as the last shift allows, by Student's one-sided
    paired t test. A look may err with probability α·`share_of`, half of it with one build on each side, a quarter with
    two, and so on. By Bonferroni's inequality all looks together, however many builds follow, find a fall where there
    is none with probability α at most, as far as the test of a look keeps its level. Builds need not be independent of
    each other. As many builds on both sides: then skewed noise does not make differences skewed.

    Changes that stay are skewed, where many queries lose a little and few gain much. Then a sample that has too few of
    these shows a fall. So the error allows for queries that differ and are not in the sample, and t is Johnson's, t +
    g (1/6 + t²/3)/√n with g the skewness of the differences, where that is nearer to 0 than Student's.
    benchmarks/trend.py has how often that is enough.

    A shift begins at the build that splits the mean values between the neighbouring shifts best, by least squares, of
    the builds that the look compared and in the direction that it found. So a fall that is marked was found by a test,
    but for its exact build, which is an estimate.

    Parameters
    ----------
    values : float (b, q)
        Of each query in each build, in the order of builds. Where all differences are the same there is no test, nor
        of fewer than `FEWEST` queries or clusters.
    alpha : float, optional
    cluster : (q,), optional
        The number of each query's cluster, where queries depend on each other.

    Sources: Johnson, Modified t Tests and Confidence Intervals for Asymmetrical Populations, JASA 73, 1978; Page,
    Continuous Inspection Schemes, Biometrika 41, 1954; Lan and DeMets, Discrete Sequential Boundaries
    for Clinical Trials, Biometrika 70(3), 1983, for error that is spent look by look.
    """
    means, looks = values.mean(axis=1), list(_looks(values, alpha, cluster))
    found: list[Shift] = []
    for place, (first, shift) in enumerate(looks):
        begin = found[-1].at if found else 0
        end = looks[place + 1][1].at if place + 1 < len(looks) else len(values)
        at = begin + _split(means[begin:end], shift.difference, max(first - begin, 1), shift.seen - begin)
        found.append(shift._replace(at=at))
    return found


def _looks(values: Floats, alpha: float, cluster: Ints | None) -> Iterator[tuple[int, Shift]]:
    """The shifts as the looks find them, with the first build at which each can begin."""
    builds, queries = values.shape
    means, largest = values.mean(axis=1), possible(values)
    rounding = SLACK * np.abs(values).max(initial=0.0)
    begin = looks = 0
    for now in range(1, builds):
        if queries < FEWEST or np.array_equal(values[now], values[now - 1]):
            continue
        looks, size = looks + 1, 1
        allowed = alpha * share_of(looks)
        while 2 * size <= now + 1 - begin:
            allowed /= 2
            middle = now + 1 - size
            differences = values[middle : now + 1].mean(axis=0) - values[middle - size : middle].mean(axis=0)
            differences[np.abs(differences) <= rounding] = 0
            mean = float(differences.mean())
            if (p := _p(differences, largest, cluster, allowed)) is not None and p <= allowed:
                first = middle - size + 1
                begin += _split(means[begin : now + 1], mean, first - begin, now - begin)
                yield first, Shift(begin, now, mean, p, queries_wanted(jackknifed(differences[:, None], cluster)[:, 0]))
                break
            size *= 2


def _p(differences: Floats, largest: float, cluster: Ints | None, allowed: float) -> float | None:
    """One-sided p of a look; None where no query or cluster differs from another. A p above what is allowed is that of
    Student's t alone."""
    rows = jackknifed(differences[:, None], cluster)[:, 0]
    n = len(rows)
    if n < FEWEST or constant(rows):
        return None
    (more,) = unseen(differences[:, None], largest, cluster)
    mean = float(rows.mean())
    error = math.hypot(float(rows.std(ddof=1)) / math.sqrt(n), more)
    t = abs(mean) / error
    p = float(special.stdtr(n - 1, -t))
    if p > allowed:
        return p
    skewed = math.copysign(1.0, mean) * (skewness(rows) or 0.0)
    return float(special.stdtr(n - 1, -min(t, max(0.0, t + skewed * (1 / 6 + t * t / 3) / math.sqrt(n)))))


def _split(means: Floats, towards: float, first: int, last: int) -> int:
    """The place from `first` to `last` at which the second of two parts begins, where these differ most by least
    squares: the second is the higher one where `towards` is positive, else the lower one."""
    total, sizes = len(means), np.arange(1, len(means))
    before = np.cumsum(means)[:-1]
    gaps = (means.sum() - before) / (total - sizes) - before / sizes
    signed = gaps * np.sqrt(sizes * (total - sizes)) * math.copysign(1.0, towards)
    return first + int(np.argmax(signed[first - 1 : last]))
