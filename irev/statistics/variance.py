"""Analysis of variance: what share of it comes from queries, what from runs, what is left."""

from __future__ import annotations

import numpy as np

from irev.base.records import dataclass
from irev.base.segments import Floats, sum_in_order
from irev.statistics import special
from irev.statistics.rounding import SLACK


@dataclass(frozen=True)
class Anova:
    """Two-way analysis of variance without replication: value = mean + effect of the run + effect of the query + rest.

    With n queries and k runs, M the mean of all values: ss_runs = n Σ (run mean - M)², ss_queries = k Σ (query mean -
    M)², ss_residual = Σ (value - run mean - query mean + M)². f tests whether any run differs from another; for two
    runs it is the square of the paired t.

    f has the distribution that Fisher gave it when the differences of any two runs vary alike (sphericity), which those
    of two variants of one system and of two strangers do not. ε, between 1/(k - 1) and 1, says how far the residuals
    are from that, and both degrees of freedom are multiplied by it: with S the matrix of the sums of products of the
    residuals of two runs, ε = (tr S)²/((k - 1) tr S²).

    Attributes
    ----------
    ss_runs, ss_queries, ss_residual : float or None
        Sums of squares; None where a value is not finite or there are no values.
    df_runs, df_queries, df_residual : int
        Degrees of freedom: k - 1, n - 1, (k - 1)(n - 1).
    ms_residual : float or None
        ss_residual/df_residual: the variance that is left, of which tests and intervals are made.
    f : float or None
        (ss_runs/df_runs)/ms_residual.
    epsilon : float or None
        ε; 1 for two runs, None where there is no f.
    p : float or None
        Chance of such an f or a larger one when no run differs, with ε·df_runs and ε·df_residual degrees of freedom;
        None where there is none, and then `note` says why.
    share_runs, share_queries, share_residual : float or None
        Of the sum of all squares (η²); None where that is 0.
    note : str
        What is special; mostly empty.
    """

    ss_runs: float | None
    ss_queries: float | None
    ss_residual: float | None
    df_runs: int
    df_queries: int
    df_residual: int
    ms_residual: float | None
    f: float | None
    epsilon: float | None
    p: float | None
    share_runs: float | None
    share_queries: float | None
    share_residual: float | None
    note: str = ""


def anova(values: Floats) -> Anova:
    """The analysis of (n, k) values, one row per query and one column per run.

    Fisher, Statistical Methods for Research Workers, 1925; Greenhouse and Geisser, On Methods in the Analysis of
    Profile Data, Psychometrika 24, 1959 (ε); for retrieval, Tague-Sutcliffe and Blustein, A Statistical Analysis of the
    TREC-3 Data, TREC-3, 1995.
    """
    n, k = values.shape
    degrees = (max(0, k - 1), max(0, n - 1), max(0, k - 1) * max(0, n - 1))
    if not values.size or not np.isfinite(values).all():
        note = "a value is not a finite number" if values.size else "there are no values"
        return Anova(None, None, None, *degrees, None, None, None, None, None, None, None, note)
    exponent = int(np.frexp(np.abs(values).max())[1])
    small = np.ldexp(values, -exponent)
    mean, runs, queries = small.mean(), small.mean(axis=0), small.mean(axis=1)
    residual = small - runs - queries[:, None] + mean
    # What is left by rounding is nothing.
    spreads = [
        np.where(np.abs(spread) > SLACK * np.abs(small).max(), spread, 0.0)
        for spread in (runs - mean, queries - mean, residual)
    ]
    squares = [float((spread**2).sum()) for spread in spreads]
    squares = [n * squares[0], k * squares[1], squares[2]]
    f, epsilon, p, note = _tested(squares[0], spreads[2], n, k)
    with np.errstate(over="ignore"):
        sized = [float(np.ldexp(square, 2 * exponent)) for square in squares]
    if not np.isfinite(sized).all():
        return Anova(
            None, None, None, *degrees, None, f, epsilon, p, *_shares(squares), "the sums of squares are too large"
        )
    left = sized[2] / degrees[2] if degrees[2] else None
    return Anova(sized[0], sized[1], sized[2], *degrees, left, f, epsilon, p, *_shares(squares), note)


def _shares(squares: list[float]) -> tuple[float | None, float | None, float | None]:
    whole = sum_in_order(np.array(squares))
    if not whole:
        return None, None, None
    return squares[0] / whole, squares[1] / whole, squares[2] / whole


def _tested(runs: float, residuals: Floats, n: int, k: int) -> tuple[float | None, float | None, float | None, str]:
    """f, ε, p and what is special about them."""
    if k < 2:
        return None, None, None, "fewer than two runs"
    if n < 2:
        return None, None, None, "fewer than two queries"
    if not residuals.any():
        if not runs:
            return None, None, 1.0, "no query differs"
        note = "the runs differ by the same amount on every query: no variance to test against"
        return None, None, None, note
    products = residuals.T @ residuals
    left = float(np.trace(products))
    f = runs * (n - 1) / left
    epsilon = min(1.0, max(left**2 / ((k - 1) * float((products**2).sum())), 1 / (k - 1)))
    return f, epsilon, float(special.fdtrc(epsilon * (k - 1), epsilon * (k - 1) * (n - 1), f)), ""


def welch(means: Floats, errors: Floats, sizes: Floats) -> tuple[float, float, float]:
    """F, its second degrees of freedom, and p of k groups having the same true mean, whose variances may differ.

    With w = 1/error², W = Σ w, M = Σ w·mean/W and Λ = Σ (1 - w/W)²/(n - 1), F = Σ w (mean - M)²/(k - 1) / (1 + 2 (k -
    2)/(k² - 1) Λ), with k - 1 and (k² - 1)/(3Λ) degrees of freedom. Of two groups F is the square of Welch's t.

    Welch, On the Comparison of Several Mean Values: An Alternative Approach, Biometrika 38, 1951.

    Parameters
    ----------
    means, errors : (k,) array
        Of each of two groups or more, and the standard errors of the means, above 0.
    sizes : (k,) array
        How many values that do not depend on each other each has, at least two.
    """
    k = len(means)
    weights = (errors.min() / errors) ** 2
    whole = weights.sum()
    off = means - (weights @ means) / whole
    spread = float(((1 - weights / whole) ** 2 / (sizes - 1)).sum())
    f = float(weights @ off**2) / errors.min() ** 2 / (k - 1) / (1 + 2 * (k - 2) / (k**2 - 1) * spread)
    degrees = (k**2 - 1) / (3 * spread)
    return float(f), degrees, float(special.fdtrc(k - 1, degrees, f))
