"""How often the intervals of `irev judges` hold the true agreement, where it is known: judgments are made up.

Of each document two judges see a normal number; their numbers have a correlation, which differs between topics (the
standard deviation of its Fisher transform is 0.35). A topic has its own share of relevant documents (a normal shift of
all numbers), and a second judge who is more or less generous (a shift of their numbers alone). Cuts make grades 0 to 3;
1 and more is relevant. The number of documents is lognormal (standard deviation 0.5 of the logarithm). The truth is the
coefficient of 40,000 topics.

    python benchmarks/agreement.py [--trials 2000] [--seed 0] [--only TABLE]     print the tables

Samples in which a coefficient has no interval are left out. Columns "percentile" have the interval that irev made
before: percentiles of 500 bootstrap samples of topics, in a quarter of the trials.

*Shifts*: how many of 100 tests find that the second judge overrates, by a mean shift of all that this judge sees: the
Stuart-Maxwell test of documents as if they were independent, that of `raters.homogeneity`, and t of the mean
difference.

*Tau*: runs whose true means have a standard deviation under each judge and a correlation; values of queries have a
deviation of 0.2 that all runs share and one of 0.2 of each run, of which the judges share seven tenths. How many of 100
intervals hold the mean tau of samples of as many queries, and the tau of the true means.
"""

from __future__ import annotations

import argparse
from typing import NamedTuple

import numpy as np

from irev.extensions.judging import raters
from irev.extensions.judging.raters import tau_interval
from irev.statistics.correlations import kendall_b
from irev.statistics.intervals import middle
from irev.statistics.ratios import p_of_zero, ratio
from irev.statistics.resampling import resampled_counts

GRADES = np.arange(4.0)
RELEVANT = GRADES >= 1
SIZES = (10, 20, 30, 50)
RESAMPLED = 500
PLAIN, QUADRATIC = (raters.apart(weights, GRADES) for weights in ("none", "quadratic"))

COEFFICIENTS = {
    "same": raters.equal,
    "kappa": lambda tables: raters.kappa(tables, PLAIN),
    "weighted": lambda tables: raters.kappa(tables, QUADRATIC),
    "alpha": lambda tables: raters.alpha(tables + np.swapaxes(tables, -1, -2), "ordinal", GRADES),
    "overlap": lambda tables: raters.overlap(tables, RELEVANT),
    "mean overlap": raters.share,
}
PROPORTIONS = ("same", "overlap", "mean overlap")


class Case(NamedTuple):
    """What judgments are like: correlation, median number of documents, shifts of topics and of the second judge."""

    name: str
    correlation: float
    documents: int
    topics: float
    judge: float
    cuts: tuple[float, float, float]


CASES = (
    Case("good agreement", 0.8, 40, 0.8, 0.3, (0.5, 1.0, 1.6)),
    Case("high agreement", 0.95, 40, 0.8, 0.2, (0.5, 1.0, 1.6)),
    Case("low agreement", 0.5, 40, 0.8, 0.3, (0.5, 1.0, 1.6)),
    Case("few documents", 0.8, 10, 1.0, 0.3, (0.3, 0.8, 1.4)),
    Case("topics alike", 0.8, 100, 0.3, 0.1, (0.0, 0.5, 1.0)),
    Case("few relevant", 0.8, 40, 1.0, 0.4, (1.2, 1.7, 2.2)),
    Case("one in twenty", 0.8, 20, 0.5, 0.2, (1.8, 2.3, 2.8)),
    Case("nearly the same", 0.97, 10, 0.5, 0.1, (1.8, 2.3, 2.8)),
)


def tables(case: Case, topics: int, random: np.random.Generator, overrated: float = 0.0) -> np.ndarray:
    """(topics, 4, 4) tables of grades; the second judge sees all numbers higher by so much."""
    documents = np.maximum(5, np.round(case.documents * np.exp(random.normal(0, 0.5, topics)))).astype(int)
    topic = np.repeat(np.arange(topics), documents)
    correlation = np.tanh(random.normal(np.arctanh(case.correlation), 0.35, topics))[topic]
    shift, judge = random.normal(0, case.topics, topics)[topic], random.normal(overrated, case.judge, topics)[topic]
    seen = random.standard_normal(len(topic))
    other = correlation * seen + np.sqrt(1 - correlation**2) * random.standard_normal(len(topic))
    grades = (np.digitize(each, case.cuts) for each in (seen + shift, other + shift + judge))
    return raters.tables(*grades, topic, topics, len(GRADES))


def parts(counted: np.ndarray, name: str) -> np.ndarray:
    """What a coefficient is of."""
    if name != "mean overlap":
        return counted
    overlaps = raters.overlap(counted, RELEVANT)
    overlaps = overlaps[~np.isnan(overlaps)]
    return np.stack([overlaps, np.ones(len(overlaps))], axis=1)


def percentiles(counted: np.ndarray, name: str, seed: int) -> tuple[float, float] | None:
    """The interval of topics drawn again."""
    flat = parts(counted, name)
    if len(flat) < 2:
        return None
    drawn = np.concatenate([*resampled_counts(len(flat), RESAMPLED, seed)]) @ flat.reshape(len(flat), -1)
    return middle(COEFFICIENTS[name](drawn.reshape(-1, *flat.shape[1:])), 0.95)


def held(case: Case, topics: int, trials: int, seed: int) -> tuple[dict[str, float], dict[str, float]]:
    """Shares of intervals that hold the truth: of jackknife-t, and of percentiles."""
    random = np.random.default_rng([seed, CASES.index(case), topics])
    whole = tables(case, 40_000, random)
    truth = {name: float(of(parts(whole, name).sum(axis=0))) for name, of in COEFFICIENTS.items()}
    found: dict[str, list[bool]] = {name: [] for name in COEFFICIENTS}
    before: dict[str, list[bool]] = {name: [] for name in COEFFICIENTS}
    for trial in range(trials):
        counted = tables(case, topics, random)
        for name, coefficient in COEFFICIENTS.items():
            ends = raters.interval(coefficient, parts(counted, name), 0.95, name in PROPORTIONS)
            found[name] += [ends[0] <= truth[name] <= ends[1]] if ends is not None else []
            if trial % 4 == 0:
                ends = percentiles(counted, name, trial)
                before[name].append(ends is not None and ends[0] <= truth[name] <= ends[1])
    return tuple({name: float(np.mean(each)) for name, each in of.items()} for of in (found, before))


def units(counted: np.ndarray) -> np.ndarray:
    """A table for each document."""
    cells = np.repeat(np.arange(counted[0].size), counted.sum(axis=0).astype(int).ravel())
    return raters.tables(cells // len(GRADES), cells % len(GRADES), np.arange(len(cells)), len(cells), len(GRADES))


def overrating(case: Case, topics: int, shift: float, trials: int, seed: int) -> list[float]:
    """Shares of tests that find a judge to overrate: of documents, of topics, and t."""
    random = np.random.default_rng([seed, CASES.index(case), topics])
    found = np.zeros(3)
    for _ in range(trials):
        counted = tables(case, topics, random, shift)
        apart = ratio(counted.sum(axis=1) @ GRADES - counted.sum(axis=2) @ GRADES, counted.sum(axis=(1, 2)))
        tests = (raters.homogeneity(units(counted)), raters.homogeneity(counted))
        p = [*(1.0 if test is None else test.p for test in tests), p_of_zero(apart) or 1.0]
        found += np.array(p) <= 0.05
    return (found / trials).tolist()


def shifts(trials: int, seed: int) -> None:
    print("| judgments | topics | shift | documents | Stuart-Maxwell | t |")
    print("|---|---:|---:|---:|---:|---:|")
    for case in CASES[:1] + CASES[3:4] + CASES[6:7]:
        for topics in SIZES:
            for shift in (0.0, 0.15):
                shares = overrating(case, topics, shift, trials // 2, seed)
                numbers = " | ".join(f"{100 * share:.1f}" for share in shares)
                print(f"| {case.name} | {topics} | {shift:g} | {numbers} |", flush=True)


def taus_held(runs: int, queries: int, spread: float, alike: float, trials: int, seed: int) -> tuple[float, float]:
    """Shares of intervals of tau that hold the mean tau of samples of as many queries, and the tau of true means."""
    random = np.random.default_rng([seed, runs, queries])
    held = np.zeros(2)

    def sample() -> tuple[np.ndarray, np.ndarray]:
        shared = random.normal(0, 0.2, (queries, 1))
        own, other = random.normal(0, 0.2, (2, queries, runs))
        return means[0] + shared + own, means[1] + shared + 0.7 * own + 0.7 * other

    for _ in range(trials):
        one, other = random.normal(0, spread, (2, runs))
        means = one, alike * one + np.sqrt(1 - alike**2) * other
        first, second = sample()
        tau = kendall_b(first.mean(axis=0), second.mean(axis=0))
        low, high = tau_interval(tau, first, second, 0.95, 0) or (tau, tau)
        taus = [kendall_b(*(each.mean(axis=0) for each in sample())) for _ in range(100)]
        held += [low <= truth <= high for truth in (np.mean(taus), kendall_b(*means))]
    return tuple((held / trials).tolist())


def taus(trials: int, seed: int) -> None:
    print("| runs | queries | deviation | correlation | mean tau | true tau |")
    print("|---:|---:|---:|---:|---:|---:|")
    for runs in (2, 3, 6, 15):
        for queries in (2, 3, 5, 10, 25, 50):
            for spread, alike in ((0.05, 0.9), (0.02, 0.95), (0.05, 1.0)):
                numbers = (f"{100 * each:.1f}" for each in taus_held(runs, queries, spread, alike, trials // 10, seed))
                print(f"| {runs} | {queries} | {spread:g} | {alike:g} | {' | '.join(numbers)} |", flush=True)


def main() -> None:
    parser = argparse.ArgumentParser(description="How often intervals of agreement hold.")
    parser.add_argument("--trials", type=int, default=2000)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--only", choices=("intervals", "shifts", "tau"))
    given = parser.parse_args()
    for name, table in {"intervals": intervals, "shifts": shifts, "tau": taus}.items():
        if given.only in (None, name):
            table(given.trials, given.seed)


def intervals(trials: int, seed: int) -> None:
    print("| judgments | topics | " + " | ".join(COEFFICIENTS) + " | percentile: " + " | ".join(COEFFICIENTS) + " |")
    print("|---|---:|" + "---:|" * (2 * len(COEFFICIENTS)))
    every: dict[int, list[list[float]]] = {topics: [] for topics in SIZES}
    for case in CASES:
        for topics in SIZES:
            shares = [share for each in held(case, topics, trials, seed) for share in each.values()]
            every[topics].append(shares)
            print(line(case.name, topics, shares), flush=True)
    for topics, rows in every.items():
        print(line("mean", topics, np.mean(rows, axis=0).tolist()))


def line(name: str, topics: int, shares: list[float]) -> str:
    """A line of the table."""
    return f"| {name} | {topics} | " + " | ".join(f"{100 * share:.1f}" for share in shares) + " |"


if __name__ == "__main__":
    main()
