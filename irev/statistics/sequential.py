"""Looks: intervals and p-values for one look at a time chosen before, and such as hold at every look.

Who computes a usual interval each day, and stops when it excludes 0, errs far more often than it says. A confidence
sequence has an interval for each moment, and the chance that any of them ever misses the truth is at most 1 -
confidence.

Means and ratios have the asymptotic confidence sequence of Waudby-Smith, Arbour, Sinha, Kennedy and Ramdas,
Time-Uniform Central Limit Theory and Asymptotic Confidence Sequences, Annals of Statistics 52(6), 2024: the normal
mixture of Robbins (Statistical Methods Related to the Law of the Iterated Logarithm, Annals of Mathematical Statistics
41(5), 1970), with the error estimated. Signs have the mixture over a beta distribution of Ville (Étude critique de la
notion de collectif, 1939) and Robbins, which is exact. benchmarks/looks.py has how often they err and how wide they
are.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import NamedTuple, Protocol

from irev.base.segments import Floats
from irev.statistics import special
from irev.statistics.intervals import Interval

TIGHTEST = 8.2
"""r = ρ²n at which a sequence reaches the fewest standard errors, at a confidence of 95%: (1 + 1/r) log((1 + r)/0.05²)
is least there, and at 99% near it."""


class Looks(Protocol):
    """How t = value/error is read."""

    def reach(self, confidence: float, freedom: float) -> float:
        """Errors that an interval reaches to either side, for t of so many degrees of freedom."""

    def p(self, t: float, freedom: float) -> float:
        """Two-sided p; at most 1 - confidence exactly where the interval excludes 0."""


class Once:
    """One look, at a time that was chosen before: Student's t."""

    def reach(self, confidence: float, freedom: float) -> float:
        return float(special.stdtrit(freedom, (1 + confidence) / 2))

    def p(self, t: float, freedom: float) -> float:
        return 2 * float(special.stdtr(freedom, -abs(t)))


class Always(NamedTuple):
    """Any number of looks, at any times.

    For a z of the normal distribution the interval reaches √((1 + 1/r) log((1 + r)/(1 - confidence)²)) errors, and p is
    √(1 + r) exp(-z² r/(2(1 + r))), at most 1: the inverse of what a bet on the mixture has won. r grows with what was
    seen, and must not depend on what is found. Where the error is estimated by few, z is the normal quantile with the
    same p as t, so that early looks are not bolder than later ones.

    Attributes
    ----------
    part : float
        How much was seen, of what was planned: above 0, and 1 when all is seen, where the interval is narrowest in
        errors. What is planned has to be the same at all looks.
    """

    part: float

    def reach(self, confidence: float, freedom: float) -> float:
        """How many standard errors the interval reaches to either side; infinite while very little was seen."""
        r = TIGHTEST * self.part
        z = math.sqrt((1 + 1 / r) * (math.log1p(r) - 2 * math.log(1 - confidence)))
        return -float(special.stdtrit(freedom, special.ndtr(-z))) if special.ndtr(-z) > 0 else math.inf

    def p(self, t: float, freedom: float) -> float:
        r = TIGHTEST * self.part
        z = float(special.ndtri(special.stdtr(freedom, -abs(t))))
        return math.exp(min(0.0, math.log1p(r) / 2 - z * z * r / (2 * (1 + r))))


ONCE = Once()


def mean(values: Floats, planned: float, confidence: float) -> tuple[Interval | None, float | None]:
    """The interval of a mean, and p of 0, at any look.

    Parameters
    ----------
    values : (n,)
        All that was seen so far, independent of each other.
    planned : float
        About how many there will be; the same at all looks.
    confidence : float

    Returns
    -------
    Interval or None, float or None
        None of fewer than two values, and where none differ.
    """
    n = len(values)
    error = float(values.std(ddof=1)) / math.sqrt(n) if n > 1 else 0.0
    if not error:
        return None, None
    looks, middle = Always(n / planned), float(values.mean())
    off = looks.reach(confidence, n - 1) * error
    return Interval(middle - off, middle + off), looks.p(middle / error, n - 1)


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
