"""How large a difference is, whatever its p-value: wins and losses, and effect sizes."""

from __future__ import annotations

import math

import numpy as np

from irev.base.records import dataclass
from irev.base.segments import Floats
from irev.statistics.intervals import Interval
from irev.statistics.power import noncentrality
from irev.statistics.rounding import constant, scaled, tied


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


def outcomes(differences: Floats, tolerance: float) -> tuple[int, int, int]:
    """Wins, ties, losses: differences above `tolerance`, of at most that size but for rounding, below minus that.

    One that is not a number is none of the three.
    """
    ties = tied(differences, tolerance)
    return int((~ties & (differences > 0)).sum()), int(ties.sum()), int((~ties & (differences < 0)).sum())


def effect(differences: Floats, tolerance: float, confidence: float = 0.95) -> Effect:
    """The effect sizes of n differences; those of at most `tolerance` are ties."""
    wins, ties, losses = outcomes(differences, tolerance)
    n = wins + ties + losses
    standardised = _standardised(differences)
    return Effect(
        standardised=standardised,
        interval=None if standardised is None else _interval(standardised, len(differences), confidence),
        common_language=(wins + ties / 2) / n if n else None,
        improved=wins / n if n else None,
    )


def _interval(standardised: float, n: int, confidence: float) -> Interval:
    t, rest = standardised * math.sqrt(n), (1 - confidence) / 2
    low, high = (noncentrality(t, n - 1, chance) / math.sqrt(n) for chance in (1 - rest, rest))
    return Interval(low, high)


def _standardised(differences: Floats) -> float | None:
    if len(differences) < 2 or not np.isfinite(differences).all() or constant(differences):
        return None
    small = scaled(differences)[0]
    return float(small.mean() / small.std(ddof=1))
