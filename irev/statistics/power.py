"""How many queries it takes: the power of the paired t test.

Every number of queries is the smallest that is enough and at least 2; None is more than `MOST`, or never.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import NamedTuple

from irev.statistics import special

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
        return 1 - _below(float(special.stdtrit(n - 1, 1 - alpha)), n - 1, toward)
    limit = float(special.stdtrit(n - 1, 1 - alpha / 2))
    return min(1.0, 1 - _below(limit, n - 1, moved) + _below(-limit, n - 1, moved))


def _below(limit: float, degrees: float, moved: float) -> float:
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
    while _below(t, degrees, low) < chance:
        low, step = low - step, 2 * step
    while _below(t, degrees, high) > chance:
        high, step = high + step, 2 * step
    while high - low > 1e-12 * max(1.0, abs(t)):
        middle = (low + high) / 2
        if middle in (low, high):
            break
        low, high = (low, middle) if _below(t, degrees, middle) <= chance else (middle, high)
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

    With the ends of the interval of an effect that was measured, such as `irev.statistics.effects.Effect.interval`,
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
