"""How large a difference is, whatever its p-value: wins and losses, and effect sizes."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from irev.base.segments import Floats
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
    common_language : float or None
        Chance that the run does better on a query: (wins + ties/2)/n, the probability of superiority for dependent
        samples (Grissom and Kim, Effect Sizes for Research, 2012). 0.5 is no effect. None without queries.
    improved : float or None
        Share of the queries won: wins/n. None without queries.
    """

    standardised: float | None
    common_language: float | None
    improved: float | None


def outcomes(differences: Floats, tolerance: float) -> tuple[int, int, int]:
    """Wins, ties, losses: differences above `tolerance`, of at most that size but for rounding, below minus that.

    One that is not a number is none of the three.
    """
    ties = tied(differences, tolerance)
    return int((~ties & (differences > 0)).sum()), int(ties.sum()), int((~ties & (differences < 0)).sum())


def effect(differences: Floats, tolerance: float) -> Effect:
    """The effect sizes of n differences; those of at most `tolerance` are ties."""
    wins, ties, losses = outcomes(differences, tolerance)
    n = wins + ties + losses
    return Effect(
        standardised=_standardised(differences),
        common_language=(wins + ties / 2) / n if n else None,
        improved=wins / n if n else None,
    )


def _standardised(differences: Floats) -> float | None:
    if len(differences) < 2 or not np.isfinite(differences).all() or constant(differences):
        return None
    small = scaled(differences)[0]
    return float(small.mean() / small.std(ddof=1))
