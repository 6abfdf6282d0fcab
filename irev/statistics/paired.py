"""Paired tests: the table of them, the one way to run any, what a test hands back, and the words that tests share; and
the rows that tests and intervals take where queries depend on each other.
"""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np

from irev.base.records import dataclass
from irev.base.registry import Registry
from irev.base.segments import Bools, Floats, Ints
from irev.base.text import counted
from irev.statistics import special
from irev.statistics.plan import Plan
from irev.statistics.resampling import flipped_sums, resampled_means
from irev.statistics.rounding import SLACK, begins, constant, restored, scaled


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


def outcomes(differences: Floats) -> tuple[int, int, int]:
    """Wins, ties, losses: differences above 0, of 0, below 0. One that is not a number is none of the three."""
    return int((differences > 0).sum()), int((differences == 0).sum()), int((differences < 0).sum())


def paired_t(differences: Floats, plan: Plan) -> list[TestResult]:
    """Is the mean difference 0? t = mean/(s/√n), with s the standard deviation over n - 1, on n - 1 degrees of freedom.

    Assumes that means of n differences are nearly normal. In the simulation of docs/statistics.md the test kept its
    level from 25 queries on with values like AP and P@10, and not where few queries lose much. Where all differences
    are the same there is no t, and no p.

    Student, The Probable Error of a Mean, Biometrika 6(1), 1908; for retrieval, Urbano, Lima and Hanjalic, Statistical
    Significance Testing in Information Retrieval, SIGIR 2019.
    """
    return [_student(column, plan.alternative) for column in differences.T]


def _student(column: Floats, alternative: str) -> TestResult:
    n = len(column)
    method = f"paired t, {n - 1:,} degree{'' if n == 2 else 's'} of freedom"
    if constant(column):
        return TestResult(None, None, method, CONSTANT)
    column = scaled(column)[0]
    t = float(column.mean() / (column.std(ddof=1) / math.sqrt(n)))
    return TestResult(t, tail(alternative, float(special.stdtr(n - 1, t)), float(special.stdtr(n - 1, -t))), method)


def randomization(differences: Floats, plan: Plan) -> list[TestResult]:
    """If it did not matter which run got which of a query's two values, how often would the means be this far apart?

    Each difference keeps its sign or loses it, by a fair coin; the statistic is the mean. With k differences that are
    not 0, there are 2^k outcomes. When these are no more than the samples of the plan, all are counted and p is exact;
    otherwise p = (b + 1)/(m + 1), when b of m random outcomes are at least as extreme as the observed one. Outcomes
    that equal it but for rounding count as equal. Assumes nothing of how differences are distributed.

    Fisher, The Design of Experiments, 1935; for retrieval, Smucker, Allan and Carterette, A Comparison of Statistical
    Significance Tests for Information Retrieval Evaluation, CIKM 2007.
    """
    small, exponents = scaled(differences)
    sums, slack = small.sum(axis=0), SLACK * np.abs(small).sum(axis=0)
    means = restored(small.mean(axis=0), exponents).tolist()
    several = np.count_nonzero(small, axis=0) >= plan.samples.bit_length()  # 2^k is more than the samples
    beyond = np.zeros(len(sums), dtype=np.int64)
    if several.any():
        for flipped in flipped_sums(small[:, several], plan.samples, plan.seed):
            beyond[several] += as_extreme(flipped, sums[several], slack[several], plan.alternative).sum(axis=0)
    return [
        resampled(mean, int(beyond[i]), plan, "sign flips")
        if several[i]
        else _exact(small[:, i], float(sums[i]), float(slack[i]), mean, plan.alternative)
        for i, mean in enumerate(means)
    ]


def _exact(column: Floats, observed: float, slack: float, mean: float, alternative: str) -> TestResult:
    """All 2^k outcomes. Each is a sum over the first half of the differences plus one over the second, so that 2^(k/2)
    sums of either, one of them in order, tell how many outcomes reach any value."""
    column = column[column != 0]
    k = len(column)
    first, second = _signed_sums(column[: k // 2]), np.sort(_signed_sums(column[k // 2 :]))

    def at_least(value: float) -> float:
        return float((len(second) - np.searchsorted(second, value - first)).sum()) / 2.0**k

    # Outcomes lie symmetrically about 0.
    if alternative == "two-sided":
        reached = abs(observed) - slack
        p = 2 * at_least(reached) if reached > 0 else 1.0
    else:
        p = at_least((observed if alternative == "greater" else -observed) - slack)
    return TestResult(mean, p, f"exact over 2^{k} sign flips", least=least_of_signs(k, alternative))


def _signed_sums(values: Floats) -> Floats:
    """±v_1 ± v_2 …, for all signs."""
    sums = np.zeros(1)
    for value in values:
        sums = np.concatenate([sums - value, sums + value])
    return sums


def bootstrap(differences: Floats, plan: Plan) -> list[TestResult]:
    """If queries are a sample of all queries and the true mean is 0, how often would a sample's be this far from it?

    n queries are drawn from the n, with replacement; the mean difference of these, less the observed mean, is what
    chance makes of a true mean of 0. p = (b + 1)/(m + 1), when b of m such means are at least as extreme as the
    observed one; those that equal it but for rounding count as equal. Where all queries differ by the same amount,
    drawing them again changes nothing, and there is no p. With 25 queries it found too much in the simulation of
    docs/statistics.md: 5.8 to 6.5 of 100 where 5 are meant.

    The shift method of Noreen, Computer Intensive Methods for Testing Hypotheses, 1989; for retrieval, Smucker, Allan
    and Carterette, A Comparison of Statistical Significance Tests for Information Retrieval Evaluation, CIKM 2007.
    """
    small, exponents = scaled(differences)
    mean, slack = small.mean(axis=0), SLACK * np.abs(small).max(axis=0)
    still = [constant(column) for column in small.T]
    beyond = np.zeros(len(mean), dtype=np.int64)
    if not all(still):
        for means in resampled_means(small, plan.samples, plan.seed):
            beyond += as_extreme(means - mean, mean, slack, plan.alternative).sum(axis=0)
    return [
        TestResult(observed, None, "bootstrap shift", CONSTANT)
        if still[i]
        else resampled(observed, int(beyond[i]), plan, "bootstrap samples, shifted")
        for i, observed in enumerate(restored(mean, exponents).tolist())
    ]


def sign(differences: Floats, plan: Plan) -> list[TestResult]:
    """Are there more positive differences than negative ones? p is exact: a fair coin decides each, the distribution is
    binomial.

    The statistic is the number of positive ones. Differences of 0 are ties, and left out. How large a difference is
    does not count, so that the test says nothing of the mean.

    Arbuthnot, An Argument for Divine Providence, Philosophical Transactions 27, 1710; Conover, Practical Nonparametric
    Statistics, 1999, section 3.4.
    """
    return [of_outcomes(*outcomes(column), plan.alternative) for column in differences.T]


def of_outcomes(wins: int, ties: int, losses: int, alternative: str) -> TestResult:
    """The same of how many differences are positive, ties, and negative."""
    decided = wins + losses
    if not decided:
        return TestResult(0.0, 1.0, "not tested", NO_DIFFERENCE)
    method = f"exact binomial, {wins:,} of {decided:,} positive"
    if ties:
        method += f", {counted(ties, 'tie')} left out"
    method += _by_hand(wins, losses, alternative)
    # As many positive ones or more is as many negative ones or fewer.
    below, above = float(special.bdtr(wins, decided, 0.5)), float(special.bdtr(losses, decided, 0.5))
    least = least_of_signs(decided, alternative)
    return TestResult(float(wins), tail(alternative, below, above), method, least=least)


BY_HAND = 12
"""Decided queries up to which the p-value is written as the sum that one computes by hand."""


def _by_hand(wins: int, losses: int, alternative: str) -> str:
    decided, two_sided = wins + losses, alternative == "two-sided"
    if decided > BY_HAND:
        return ""
    fewer = {"less": wins, "greater": losses}.get(alternative, min(wins, losses))
    ways = [math.comb(decided, number) for number in range(fewer + 1)]
    limit = ", at most 1" if two_sided and 2 * sum(ways) > 2**decided else ""
    return f"; p = {'2 · ' * two_sided}({' + '.join(map(str, ways))}) / 2^{decided}{limit}"


SMALL = 50
"""Up to so many non-zero differences, p is exact."""


def wilcoxon(differences: Floats, plan: Plan) -> list[TestResult]:
    """Are the differences symmetric about 0? The statistic W is the sum of the ranks of the positive ones.

    Zeros are dropped. The other differences are ranked by size, the smallest first; equal ones share the mean of their
    ranks, and those that are equal but for rounding are equal.

    With up to 50 differences, p is exact: the distribution of W over all signs of the ranks, ties or not. With more it
    is from the normal distribution, corrected for ties, not for continuity (as R's `wilcox.test` is with
    `correct=FALSE`).

    What is tested is not the mean. With thousands of queries it finds differences that are of no consequence, and some
    that are of shape alone.

    Wilcoxon, Individual Comparisons by Ranking Methods, Biometrics Bulletin 1(6), 1945.
    """
    return [_signed_ranks(column, plan) for column in differences.T]


def _signed_ranks(column: Floats, plan: Plan) -> TestResult:
    different = column[column != 0]
    ranks = _ranks(np.abs(different))
    positive = float(ranks[different > 0].sum())
    if len(ranks) <= SMALL:
        method, (below, above) = "exact", _exact_tails(ranks, positive)
        least = least_of_signs(len(ranks), plan.alternative)
    else:
        method = "normal approximation without continuity correction"
        below, above = _normal_tails(positive, ranks)
        lowest = _normal_tails(0.0, ranks)[0]  # as far as the highest: both tails are alike
        least = tail(plan.alternative, lowest, lowest)
    if zeros := len(column) - len(ranks):
        method += f", {counted(zeros, 'zero')} dropped"
    return TestResult(positive, tail(plan.alternative, below, above), method, least=least)


def _ranks(sizes: Floats) -> Floats:
    """Ranks from 1; equal sizes have the mean of their ranks."""
    order = np.argsort(sizes, kind="stable")
    starts = np.flatnonzero(begins(sizes[order]))
    ends = np.append(starts[1:], len(sizes))
    ranks = np.empty(len(sizes))
    ranks[order] = np.repeat((starts + ends + 1) / 2, ends - starts)
    return ranks


def _exact_tails(ranks: Floats, positive: float) -> tuple[float, float]:
    """P(W ≤ positive) and P(W ≥ positive) when each rank counts or not, by a fair coin.

    Ranks are whole or halves, so that doubled they are places in the array of all sums.
    """
    doubled = np.rint(2 * ranks).astype(np.int64)
    chance = np.zeros(int(doubled.sum()) + 1)
    chance[0] = 1.0
    reached = 0
    for rank in doubled.tolist():
        half = chance[: reached + 1] / 2
        chance[: reached + 1] = half
        chance[rank : rank + reached + 1] += half
        reached += rank
    place = round(2 * positive)
    # Both sums add the small chances of one tail: 1 - the other would lose what is left of them.
    return min(1.0, float(chance[: place + 1].sum())), min(1.0, float(chance[place:].sum()))


def _normal_tails(positive: float, ranks: Floats) -> tuple[float, float]:
    """The same from a normal distribution: mean Σ rank/2, variance Σ rank²/4."""
    z = (positive - float(ranks.sum()) / 2) / math.sqrt(float((ranks**2).sum()) / 4)
    return float(special.ndtr(z)), float(special.ndtr(-z))


TESTS: Registry[PairedTest] = Registry("paired test")
for _name, _test in {
    "bootstrap": PairedTest("bootstrap shift test", "mean difference", bootstrap, sampled=True, of_rows=True),
    "randomization": PairedTest("randomisation test", "mean difference", randomization, sampled=True),
    "sign": PairedTest("sign test", "number of positive differences", sign, of_mean=False),
    "t": PairedTest("paired t test", "t", paired_t, of_rows=True),
    "wilcoxon": PairedTest("Wilcoxon signed-rank test", "W, the sum of the positive ranks", wilcoxon, of_mean=False),
}.items():
    TESTS.add(_name, _test)


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
