"""Paired tests: the table of them, the one way to run any, what a test hands back, and the words that tests share; and
the rows that tests and intervals take where queries depend on each other.

Adding a test is a module in `irev.statistics.paired_tests`.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from irev.base.records import dataclass
from irev.base.registry import Registry, module_of
from irev.base.segments import Bools, Floats, Ints
from irev.statistics import paired_tests
from irev.statistics.plan import TEST_NAMES, Plan


@dataclass(frozen=True)
class TestResult:
    """The result of one test.

    Attributes
    ----------
    statistic : float or None
        Of the test's own kind, which `PairedTest.statistic` names; None where it is not defined.
    p : float or None
        The p-value, between 0 and 1; None where there is none, and then `note` says why.
    method : str
        How p was obtained, in a few words: ``100,000 sign flips, seed 0``.
    note : str
        What is special about this one; mostly empty.
    least : float or None
        The smallest p-value that any outcome can have, with as many differences that are not 0; None where p can be as
        small as one likes. With 5 differences a two-sided sign test has no p below 2/2^5 = 0.0625.
    """

    statistic: float | None
    p: float | None
    method: str
    note: str = ""
    least: float | None = None


@dataclass(frozen=True)
class PairedTest:
    """A paired test.

    Attributes
    ----------
    title : str
        As it is written in a sentence.
    statistic : str
        What its statistic is.
    function : callable
        (differences (n, c), plan) to one `TestResult` per column. n is at least 2, all differences are finite, and no
        column is all zeros: `test` answers those.
    of_mean : bool
        Whether the mean difference is what it tests, so that what it shows to be greater has the greater mean.
    sampled : bool
        Whether it draws samples.
    of_rows : bool
        Whether it takes rows as a sample, not signs and ranks of differences.
    """

    title: str
    statistic: str
    function: Callable[[Floats, Plan], list[TestResult]]
    of_mean: bool = True
    sampled: bool = False
    of_rows: bool = False


NO_DIFFERENCE = "no query differs"
CONSTANT = "all queries differ by the same amount: no variance to test against"


def as_extreme(sampled: Floats, observed: Floats, slack: Floats, alternative: str) -> Bools:
    """Which sampled values lie as far out as the observed one, or farther, in the direction of the alternative.

    Values that differ from the observed one by no more than `slack` are equal to it.
    """
    if alternative == "greater":
        return sampled >= observed - slack
    if alternative == "less":
        return sampled <= observed + slack
    return np.abs(sampled) >= np.abs(observed) - slack


def resampled(observed: float, beyond: int, plan: Plan, what: str) -> TestResult:
    """A p-value from random samples, `beyond` of them as extreme as what was observed: p = (beyond + 1)/(samples + 1).

    The observed arrangement is one of those that chance could have made, hence the two ones; p is never 0 (Davison
    and Hinkley, Bootstrap Methods and their Application, 1997, chapter 4).
    """
    m = plan.samples + 1
    return TestResult(observed, (beyond + 1) / m, f"{plan.samples:,} {what}, seed {plan.seed}", least=1 / m)


def tail(alternative: str, below: float, above: float) -> float:
    """The p-value, given the probabilities of a statistic as low as the observed one or lower, as high or higher.

    Two-sided it is twice the smaller, and at most 1.
    """
    return {"less": below, "greater": above}.get(alternative, min(1.0, 2 * min(below, above)))


def least_of_signs(differences: int, alternative: str) -> float:
    """The p-value of a test of signs where all of k differences have the same sign: 1/2^k, two-sided twice that."""
    return min(1.0, (2.0 if alternative == "two-sided" else 1.0) * 0.5**differences)


def _fill() -> None:
    for name in TEST_NAMES:
        TESTS.add(name, module_of(paired_tests.__name__, name).TEST)


TESTS: Registry[PairedTest] = Registry("paired test", _fill)
"""All of them, by name; filled when first asked for, since their modules import this one."""


def test(name: str, differences: Floats, plan: Plan) -> list[TestResult]:
    """The test called `name`, of each column of differences.

    Parameters
    ----------
    name : str
        One of `TESTS`; `UsageError` with a suggestion otherwise.
    differences : (n, c) array
        One row per query, one column per pair of runs. The columns share random samples.
    plan : Plan
        Whose `tests` are not looked at.

    Returns
    -------
    list of TestResult
        One for each column. Fewer than two queries, or differences that are not finite: no p, and a note. No query
        differs: p is 1, and a note.
    """
    entry = TESTS.find(name)
    settled = [_settled(column) for column in differences.T]
    open_columns = [i for i, tested in enumerate(settled) if tested is None]
    results = iter(entry.function(differences[:, open_columns], plan) if open_columns else [])
    return [next(results) if tested is None else tested for tested in settled]


def _settled(column: Floats) -> TestResult | None:
    """The result where no test is needed to know it, whichever was asked for."""
    if len(column) < 2:
        return TestResult(None, None, "not tested", "fewer than two queries")
    if not np.isfinite(column).all():
        return TestResult(None, None, "not tested", "a difference is not a finite number")
    if not column.any():
        return TestResult(0.0, 1.0, "not tested", NO_DIFFERENCE)
    return None


def cluster_sums(values: Floats, cluster: Ints | None) -> Floats:
    """(G, k) sums of (n, k) values over G clusters, times G/n, so that their mean is the mean of the values; the values
    themselves without clusters.

    If chance alone sets two runs apart, the sum of a cluster's differences could as well have the other sign: tests of
    signs and ranks take these.
    """
    if cluster is None:
        return values
    size = np.bincount(cluster)
    found: Floats = np.stack([np.bincount(cluster, weights=column) for column in values.T], axis=1)
    return np.asarray(found * (len(size) / len(values)), dtype=np.float64)


def equal_clusters(cluster: Ints) -> float:
    """(Σ size)² / Σ size²: as many clusters of equal size say as much (Kish, Survey Sampling, 1965, section 11.7)."""
    size = np.bincount(cluster)
    return float(size.sum() ** 2 / (size**2).sum())


def jackknifed(values: Floats, cluster: Ints | None) -> Floats:
    """(G, k) pseudo-values of the means of (n, k) values, of which each of G clusters is left out in turn; the values
    themselves without clusters.

    Their mean is that of the values, and t = mean/(s/√G) of the pseudo-values is the cluster-robust t, with the
    jackknife's error and G - 1 degrees of freedom. With clusters of equal size they are the means of the clusters.
    benchmarks/clusters.py has how often tests err with clusters of unequal sizes.

    Tukey, Bias and Confidence in Not-Quite Large Samples, Annals of Mathematical Statistics 29, 1958; Cameron and
    Miller, A Practitioner's Guide to Cluster-Robust Inference, Journal of Human Resources 50(2), 2015.

    Parameters
    ----------
    values : (n, k) array
    cluster : (n,) array or None
        The number of each query's cluster, from 0 to G - 1.
    """
    if cluster is None:
        return values
    size, mean = np.bincount(cluster)[:, None], values.mean(axis=0)
    with np.errstate(invalid="ignore"):  # of infinite values there is no test
        moved = cluster_sums(values, cluster) * (len(values) / len(size)) - size * mean
        moved *= (len(size) - 1) / (len(values) - size)
        return np.asarray(mean + (moved - moved.mean(axis=0)))


def rows_for(test: str) -> Callable[[Floats, Ints | None], Floats]:
    """Return the function that makes the rows of a test from clusters: `jackknifed` or `cluster_sums`."""
    return jackknifed if TESTS[test].of_rows else cluster_sums
