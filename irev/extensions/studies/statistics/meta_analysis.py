"""One difference that was measured several times: on several collections, by random-effects meta-analysis; or in an
experiment that was done again.

Collection i has the true difference θ_i, and the measured one d_i = θ_i + e_i. Its queries tell the variance v_i of the
error e_i. The θ_i vary from collection to collection with variance τ² around μ, the mean over all collections that
there could be. The estimator of τ² is DerSimonian and Laird's, Meta-Analysis in Clinical Trials, Controlled Clinical
Trials 7, 1986; the interval of μ that of Hartung and Knapp, On Tests of the Overall Treatment Effect in Meta-Analysis
with Normally Distributed Responses, Statistics in Medicine 20, 2001, as Röver, Knapp and Friede modify it,
Hartung-Knapp-Sidik-Jonkman Approach and Its Modification for Random-Effects Meta-Analysis with Few Studies, BMC Medical
Research Methodology 15, 2015; I² that of Higgins and Thompson, Quantifying Heterogeneity in a Meta-Analysis, Statistics
in Medicine 21, 2002; the prediction interval that of Higgins, Thompson and Spiegelhalter, A Re-Evaluation of
Random-Effects Meta-Analysis, JRSS A 172, 2009.

The weights follow the sizes of collections. Where these are very different and collections few the interval is too
narrow, without the modification twice as often (benchmarks/meta_analysis.py); Student's interval of the d_i themselves,
around the macro average, is not.

**Replication**: Timo Breuer et al., How to Measure the Reproducibility of System-Oriented IR Experiments, SIGIR 2020.
An experiment has a baseline and an advanced system; it is done again with the same queries, or with others.
"""

from __future__ import annotations

import math
from typing import Any, NamedTuple

import numpy as np

from irev.base.segments import Floats
from irev.statistics import special
from irev.statistics.intervals import quantile
from irev.statistics.rounding import constant


class OverCollections(NamedTuple):
    """A mean difference over all collections that there could be.

    Attributes
    ----------
    mean : float
    low, high, p : float or None
        Its interval and two-sided p-value; None where all differences are the same.
    """

    mean: float
    low: float | None
    high: float | None
    p: float | None


class RandomEffects(NamedTuple):
    """A random-effects meta-analysis of k differences.

    Attributes
    ----------
    over : OverCollections
        μ = Σ w_i d_i / Σ w_i with w_i = 1/(v_i + τ²), ± t_{k-1} e, with e² = max(1, Σ w_i (d_i - μ)²/(k - 1)) / Σ w_i.
    weights : tuple of float
        w_i / Σ w_i.
    tau_squared : float
        The variance of the true differences: max(0, (Q - (k - 1)) / (Σ u_i - Σ u_i² / Σ u_i)), with u_i = 1/v_i.
    q, q_p : float
        Cochran's Q = Σ u_i (d_i - Σ u_i d_i / Σ u_i)², and its p-value by χ² with k - 1 degrees of freedom: whether
        differences vary more than queries explain.
    i_squared : float
        max(0, (Q - (k - 1)) / Q): the share of their variance that queries do not explain.
    predicted : pair of float, or None
        The prediction interval for the true difference on one more such collection, μ ± t_{k-2} √(τ² + e²); None
        for two collections.
    """

    over: OverCollections
    weights: tuple[float, ...]
    tau_squared: float
    q: float
    q_p: float
    i_squared: float
    predicted: tuple[float, float] | None

    def recorded(self) -> dict[str, Any]:
        """What records say of it."""
        found = self._asdict()
        return {**found.pop("over")._asdict(), **found}


def random_effects(differences: Floats, variances: Floats, confidence: float = 0.95) -> RandomEffects:
    """The meta-analysis of differences.

    Parameters
    ----------
    differences : (k,)
        Of at least 2 collections.
    variances : (k,)
        Of their errors: s²/n for a mean over n queries; all above 0.
    confidence : float
    """
    k = len(differences)
    fixed = 1 / variances
    q = float((fixed * (differences - np.average(differences, weights=fixed)) ** 2).sum())
    excess = q - (k - 1)
    tau_squared = max(0.0, excess / float(fixed.sum() - (fixed**2).sum() / fixed.sum()))
    weights = 1 / (variances + tau_squared)
    mean = float(np.average(differences, weights=weights))
    spread = float((weights * (differences - mean) ** 2).sum()) / (k - 1)
    error = math.sqrt(max(1.0, spread) / float(weights.sum()))
    predicted = None
    if k > 2:
        reach = quantile(k - 1, confidence) * math.sqrt(tau_squared + error**2)
        predicted = (mean - reach, mean + reach)
    return RandomEffects(
        _around(mean, error, k, confidence),
        tuple((weights / weights.sum()).tolist()),
        tau_squared,
        q,
        float(special.chdtrc(k - 1, q)),
        max(0.0, excess / q) if q > 0 else 0.0,
        predicted,
    )


def macro_average(differences: Floats, confidence: float = 0.95) -> OverCollections:
    """The mean of differences of at least 2 collections, which weigh the same, with Student's interval of them.

    That is for all collections that there could be, too, and needs no variances.
    """
    error = 0.0 if constant(differences) else float(differences.std(ddof=1)) / math.sqrt(len(differences))
    return _around(float(differences.mean()), error, len(differences), confidence)


def _around(mean: float, error: float, k: int, confidence: float) -> OverCollections:
    """An estimate with its interval and p-value by Student's t with k - 1 degrees of freedom."""
    if not error > 0:
        return OverCollections(mean, None, None, None)
    reach = quantile(k, confidence) * error
    p = 2 * float(special.stdtr(k - 1, -abs(mean) / error))
    return OverCollections(mean, mean - reach, mean + reach, p)


# Replication


class Replication(NamedTuple):
    """The improvement in an experiment, and in its repetition.

    Attributes
    ----------
    improvement, again : float
        Mean of the advanced system less that of the baseline, in the experiment and where it was done again.
    effect_ratio : float or None
        The second of these as a share of the first: 1 is as large, below 0 is a loss; None where there was none.
    relative, relative_again : float or None
        The improvements as shares of the baselines' means; None where that is 0.
    delta_relative : float or None
        The first less the second: 0 is as large, below 0 is larger than before.
    rmse_baseline, rmse : float or None
        Root mean squared difference of the values of queries, of the baseline and of the advanced system; None where
        the queries are others.
    """

    improvement: float
    again: float
    effect_ratio: float | None
    relative: float | None
    relative_again: float | None
    delta_relative: float | None
    rmse_baseline: float | None
    rmse: float | None


def replication(before: tuple[Floats, Floats], after: tuple[Floats, Floats], same_queries: bool = False) -> Replication:
    """Hold an experiment against the one before.

    Parameters
    ----------
    before, after : (baseline, advanced)
        Values of the queries, those of both systems in one order.
    same_queries : bool
        Whether both experiments have the same queries, in one order.
    """
    (base, advanced), (base_again, advanced_again) = before, after
    improvement = float((advanced - base).mean())
    again = float((advanced_again - base_again).mean())
    relative, relative_again = (_relative(*each) for each in (before, after))
    delta = None if relative is None or relative_again is None else relative - relative_again
    errors = (
        [math.sqrt(float(((one - other) ** 2).mean())) for one, other in zip(before, after, strict=True)]
        if same_queries
        else [None, None]
    )
    ratio = None if improvement == 0 else again / improvement
    return Replication(improvement, again, ratio, relative, relative_again, delta, *errors)


def _relative(baseline: Floats, advanced: Floats) -> float | None:
    mean = float(baseline.mean())
    return None if mean == 0 else (float(advanced.mean()) - mean) / mean
