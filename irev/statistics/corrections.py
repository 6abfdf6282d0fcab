"""Many tests at once: corrections of their p-values, and Tukey's test of all pairs of runs."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np

from irev.base.records import dataclass
from irev.base.registry import Registry
from irev.base.segments import Floats
from irev.statistics.paired import TestResult
from irev.statistics.plan import JOINT, MAX_T, OF_MEANS, OfValues, Plan
from irev.statistics.resampling import shuffled_sums
from irev.statistics.rounding import SLACK


@dataclass(frozen=True)
class Correction:
    """A way to correct the p-values of a family of tests.

    Attributes
    ----------
    name : OfValues
        As it is asked for.
    title : str
        As it is written in a sentence.
    description : str
        What it holds down.
    function : callable
        m p-values in rising order to as many adjusted ones, which `adjusted` cuts at 1.
    """

    name: OfValues
    title: str
    description: str
    function: Callable[[Floats], Floats]


CORRECTIONS: Registry[Correction] = Registry("correction")


def adjusted(name: str, p: Sequence[float | None]) -> list[float | None]:
    """The adjusted p-values of a family: a test is significant at a level when its adjusted p is at most that level.

    Parameters
    ----------
    name : str
        One of `CORRECTIONS`; `UsageError` with a suggestion otherwise.
    p : sequence of float or None
        None is a test without a p-value: it stays None, and does not count in the size of the family.
    """
    correction = CORRECTIONS.find(name)
    given = [i for i, value in enumerate(p) if value is not None]
    values = np.array([value for value in p if value is not None], dtype=np.float64)
    order = np.argsort(values, kind="stable")
    results: list[float | None] = [None] * len(p)
    for place, value in zip(order.tolist(), np.minimum(1.0, correction.function(values[order])).tolist(), strict=True):
        results[given[place]] = value
    return results


def least(name: str, tested: Sequence[TestResult]) -> list[float | None]:
    """The smallest adjusted p-value that each test of a family can have: that of all tests at their least p.

    A test of which p can be as small as one likes counts as 0, so that the corrected p of others is not promised to be
    higher than it can be; None is such a test itself, and one without a p-value.
    """
    found = adjusted(name, [None if each.p is None else each.least or 0.0 for each in tested])
    return [None if each.least is None else p for each, p in zip(tested, found, strict=True)]


def chosen(plan: Plan, tests: int, all_pairs: bool) -> str:
    """The correction for a family of so many tests: the plan's, or what `Plan.correction` says of None."""
    if plan.correction is not None:
        return plan.correction
    if tests < 2:
        return "none"
    return MAX_T if all_pairs and set(plan.tests) <= set(OF_MEANS) else "holm"


def level(name: str, alpha: float, tests: int) -> float:
    """The p-value at which one of so many tests is significant at alpha, whatever the others show.

    Holm's correction needs no smaller one, and the joint ones, which know how tests depend on each other, hardly any.
    """
    if name in JOINT:
        return alpha / tests
    return alpha / (float(CORRECTIONS.find(name).function(np.array([1e-9] + [1.0] * (tests - 1)))[0]) * 1e9)


def none(p: Floats) -> Floats:
    """p as it is."""
    return p


def bonferroni(p: Floats) -> Floats:
    """m·p. Dunn, Multiple Comparisons among Means, JASA 56, 1961."""
    return p * len(p)


def holm(p: Floats) -> Floats:
    """(m - i + 1)·p_i for the i-th smallest, and never less than that of a smaller p: as safe as Bonferroni's and never
    weaker. Holm, A Simple Sequentially Rejective Multiple Test Procedure, Scandinavian Journal of Statistics 6, 1979.
    """
    return np.maximum.accumulate(p * np.arange(len(p), 0, -1))


def benjamini_hochberg(p: Floats) -> Floats:
    """m·p_i/i for the i-th smallest, and never more than that of a larger p. Benjamini and Hochberg, Controlling the
    False Discovery Rate, Journal of the Royal Statistical Society B 57, 1995.
    """
    return np.minimum.accumulate((p * len(p) / np.arange(1, len(p) + 1))[::-1])[::-1]


def benjamini_yekutieli(p: Floats) -> Floats:
    """The same, times 1 + 1/2 + … + 1/m. Benjamini and Yekutieli, The Control of the False Discovery Rate in Multiple
    Testing under Dependency, Annals of Statistics 29, 2001.
    """
    return benjamini_hochberg(p) * float((1 / np.arange(1, len(p) + 1)).sum())


for _correction in (
    Correction("holm", "Holm's correction", "the chance of any false finding, with more power than Bonferroni's", holm),
    Correction("bonferroni", "Bonferroni's correction", "the chance of any false finding", bonferroni),
    Correction(
        "bh",
        "the Benjamini-Hochberg correction",
        "the share of false findings among the findings, for tests that do not depend on each other or rise together",
        benjamini_hochberg,
    ),
    Correction(
        "by",
        "the Benjamini-Yekutieli correction",
        "the share of false findings among the findings, however the tests depend on each other",
        benjamini_yekutieli,
    ),
    Correction("none", "no correction", "each test stands alone", none),
):
    CORRECTIONS.add(_correction.name, _correction)


def tukey(values: Floats, plan: Plan) -> Floats:
    """Adjusted p-values of all pairs of runs, by the randomised form of Tukey's honestly significant difference.

    If no run differed from another, the k values of a query could stand in any order. They are shuffled inside every
    query; the largest mean less the smallest one is what chance makes of the most different pair. p = (b + 1)/(m + 1),
    when in b of m samples it is at least the difference of the pair. The chance of any false finding among all pairs is
    held down together. Always two-sided.

    Carterette, Multiple Testing in Statistical Analysis of Systems-Based Information Retrieval Experiments, ACM
    Transactions on Information Systems 30(1), 2012; Sakai, Laboratory Experiments in Information Retrieval, 2018.

    Parameters
    ----------
    values : (n, k) array
        One row per query, one column per run.
    plan : Plan
        Its `samples` and `seed`.

    Returns
    -------
    (k, k) array
        Symmetric, with 1 on the diagonal. All NaN where a value is not finite, or there is no query.
    """
    n, k = values.shape
    if not n or not np.isfinite(values).all():
        return np.full((k, k), np.nan)
    # Queries on which all runs do the same add as much to every mean, in any order.
    small = np.ldexp(values, -int(np.frexp(np.abs(values).max(initial=0.0))[1]))
    moving = small[small.max(axis=1, initial=-1.0) > small.min(axis=1, initial=1.0)]
    sums = moving.sum(axis=0)
    gaps = np.abs(sums[:, None] - sums) - SLACK * np.abs(moving).max(axis=1, initial=0.0).sum()
    beyond = np.zeros((k, k))
    for shuffled in shuffled_sums(moving, plan.samples, plan.seed):
        spread = np.sort(shuffled.max(axis=0) - shuffled.min(axis=0))
        beyond += len(spread) - np.searchsorted(spread, gaps)
    return (beyond + 1) / (plan.samples + 1)
