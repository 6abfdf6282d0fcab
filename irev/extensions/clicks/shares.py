"""Shares and numbers of users: whether they differ, by exact tests, at one look or at every look.

Signs and counts at every look have the mixture over a beta distribution of Ville (Étude critique de la notion de
collectif, 1939) and Robbins (Statistical Methods Related to the Law of the Iterated Logarithm, Annals of Mathematical
Statistics 41(5), 1970), which is exact. benchmarks/looks.py has how often they err and how wide they are.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from irev.statistics import special
from irev.statistics.intervals import Interval
from irev.statistics.ratios import TIGHTEST

SLACK_OF_CHANCES = 1e-7
"""Chances of tables that differ by less, of themselves, are equal: logarithms of factorials round."""


def as_large(first: int, of_first: int, second: int, of_second: int) -> float:
    """Fisher's exact two-sided p of a share being as large in one sample as in another: the chance, given how many
    there are in both, of a table that is no likelier than this one.

    Chances that differ by rounding alone count as equal. Fisher, The Design of Experiments, 1935, section 21; Irwin,
    Tests of Significance for Differences between Percentages Based on Small Numbers, Metron 12(2), 1935.

    Parameters
    ----------
    first, of_first, second, of_second : int
        So many of so many, in each sample.
    """
    both = first + second
    k = np.arange(max(0, both - of_second), min(both, of_first) + 1, dtype=np.float64)
    rest = of_first - k, both - k, of_second - both + k
    log = -(special.gammaln(k + 1) + sum(special.gammaln(each + 1) for each in rest))
    chances = np.exp(log - log.max())
    # The lowest first, so that none is lost among larger ones.
    chances.sort()
    here = math.exp(float(log[first - int(k[0])] - log.max()))
    return min(1.0, float(chances[chances <= here * (1 + SLACK_OF_CHANCES)].sum() / chances.sum()))


def least_as_large(both: int, of_first: int, of_second: int) -> float:
    """The least p that `as_large` can have, of `both` in the two samples together: that of all in one of them, as far
    as it goes."""
    most = min(both, of_first), max(0, both - of_second)
    return min(as_large(first, of_first, both - first, of_second) for first in most)


def lead(wins: float, ties: float, losses: float, reach: float) -> tuple[float, float]:
    """The score interval of (wins - losses)/n, n counting ties too: all Δ that are not `reach` standard errors away,
    these being what they are if Δ is true.

    Without ties it is Wilson's of the share of wins (Probable Inference, the Law of Succession, and Statistical
    Inference, JASA 22, 1927): it holds shares near 0 and 1 as often as others, and has a width where all are wins.
    Tango, Equivalence Test and Confidence Interval for the Difference in Proportions for the Paired-Sample Design,
    Statistics in Medicine 17, 1998.

    Parameters
    ----------
    wins, ties, losses : float
        0 or more each, and together above 0. What is not independent counts for less: as many as independent ones
        would say as much.
    reach : float
        Above 0; 1.96 for a confidence of 95%.
    """
    n, apart = wins + ties + losses, wins - losses

    def away(delta: float) -> float:
        """Standard errors from Δ, squared, with the sign of what is seen less Δ."""
        b = -wins - losses + (2 * n - apart) * delta
        c = -losses * delta * (1 - delta)
        # The likeliest chance of a loss, if Δ is true.
        chance = (math.sqrt(max(b * b - 8 * n * c, 0.0)) - b) / (4 * n)
        variance = n * max(2 * chance + delta - delta * delta, 0.0)
        off = apart - n * delta
        if off * off <= 1e-24 * n * n:
            return 0.0
        return math.copysign(off * off / variance if variance else math.inf, off)

    def end(inside: float, outside: float, sign: int) -> float:
        for _ in range(100):
            middle = (inside + outside) / 2
            if sign * away(middle) <= reach * reach:
                inside = middle
            else:
                outside = middle
        return outside

    return end(apart / n, -1.0, 1), end(apart / n, 1.0, -1)


class Signs(NamedTuple):
    """The interval of the share of wins, and p of a share of 1/2."""

    interval: Interval
    p: float


def signs(wins: int, losses: int, planned: float, confidence: float) -> Signs:
    """The share of wins, at any look: exact, of signs that are independent and that no later look changes.

    A share π is outside where B(a + wins, a + losses)/B(a, a) is at least π^wins (1 - π)^losses/(1 - confidence): a bet
    against π, spread over all shares by a beta distribution, has won so much that the chance of it is 1 - confidence at
    most (Ville 1939). p is the inverse of what is won against 1/2.

    Parameters
    ----------
    wins, losses : int
    planned : float
        About how many there will be; the same at all looks. a is (planned/8.2 - 1)/2, and at least 1/2.
    confidence : float
    """
    won = _won(a := _weight(planned) / 2, wins) + _won(a, losses) - _won(2 * a, wins + losses)

    def outside(share: float) -> bool:
        return won - _likely((wins, losses), (share, 1 - share)) >= -math.log(1 - confidence)

    def end(inside: float, out: float) -> float:
        for _ in range(60):
            middle = (inside + out) / 2
            inside, out = (inside, middle) if outside(middle) else (middle, out)
        return out

    n = wins + losses
    at = wins / n if n else 0.5
    interval = Interval(end(at, 0.0) if wins else 0.0, end(at, 1.0) if losses else 1.0)
    return Signs(interval, counts((wins, losses), (0.5, 0.5), planned))


def counts(seen: Sequence[int], shares: Sequence[float], planned: float) -> float:
    """p of so many of each kind, if shares are these, at any look: the same mixture, over a Dirichlet distribution of
    which these are the means. Lindon and Malek, Anytime-Valid Inference for Multinomial Count Data, NeurIPS 2022.

    Parameters
    ----------
    seen : sequence of int
    shares : sequence of float
        Above 0, and 1 together.
    planned : float
        As in `signs`.
    """
    weight = _weight(planned)
    won = math.fsum(_won(weight * share, count) for count, share in zip(seen, shares, strict=True)) - _won(
        weight, sum(seen)
    )
    return math.exp(min(0.0, _likely(seen, shares) - won))


def _weight(planned: float) -> float:
    """How many signs what is supposed before weighs as much as."""
    return max(planned / TIGHTEST - 1, 1.0)


def _won(weight: float, count: int) -> float:
    """log Γ(weight + count)/Γ(weight)."""
    return math.lgamma(weight + count) - math.lgamma(weight)


def _likely(seen: Sequence[int], chances: Sequence[float]) -> float:
    """The logarithm of the chance of what was seen, in its order."""
    return math.fsum(count * math.log(chance) for count, chance in zip(seen, chances, strict=True) if count)
