"""How often the intervals of `irev judges` hold the true agreement, where it is known: judgments are made up.

Of each document two judges see a normal number; their numbers have a correlation, which differs between topics (the
standard deviation of its Fisher transform is 0.35). A topic has its own share of relevant documents (a normal shift of
all numbers), and a second judge who is more or less generous (a shift of their numbers alone). Cuts make grades 0 to 3;
1 and more is relevant. The number of documents is lognormal (standard deviation 0.5 of the logarithm). The truth is the
coefficient of 40,000 topics.

    python benchmarks/agreement.py [--trials 2000] [--seed 0]     print the table of benchmarks/README.md

Samples in which a coefficient has no interval are left out. Columns "percentile" have the interval that irev made
before: percentiles of 500 bootstrap samples of topics, in a quarter of the trials.
"""

from __future__ import annotations

import argparse
from typing import NamedTuple

import numpy as np

from irev.statistics import raters
from irev.statistics.intervals import middle
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


def tables(case: Case, topics: int, random: np.random.Generator) -> np.ndarray:
    """(topics, 4, 4) tables of grades."""
    documents = np.maximum(5, np.round(case.documents * np.exp(random.normal(0, 0.5, topics)))).astype(int)
    topic = np.repeat(np.arange(topics), documents)
    correlation = np.tanh(random.normal(np.arctanh(case.correlation), 0.35, topics))[topic]
    shift, judge = random.normal(0, case.topics, topics)[topic], random.normal(0, case.judge, topics)[topic]
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


def main() -> None:
    parser = argparse.ArgumentParser(description="How often intervals of agreement hold.")
    parser.add_argument("--trials", type=int, default=2000)
    parser.add_argument("--seed", type=int, default=0)
    given = parser.parse_args()
    print("| judgments | topics | " + " | ".join(COEFFICIENTS) + " | percentile: " + " | ".join(COEFFICIENTS) + " |")
    print("|---|---:|" + "---:|" * (2 * len(COEFFICIENTS)))
    every: dict[int, list[list[float]]] = {topics: [] for topics in SIZES}
    for case in CASES:
        for topics in SIZES:
            shares = [share for each in held(case, topics, given.trials, given.seed) for share in each.values()]
            every[topics].append(shares)
            print(line(case.name, topics, shares), flush=True)
    for topics, rows in every.items():
        print(line("mean", topics, np.mean(rows, axis=0).tolist()))


def line(name: str, topics: int, shares: list[float]) -> str:
    """A line of the table."""
    return f"| {name} | {topics} | " + " | ".join(f"{100 * share:.1f}" for share in shares) + " |"


if __name__ == "__main__":
    main()
