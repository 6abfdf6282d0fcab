"""How often intervals hold the difference of weighted means, and how wide they are.

Differences of queries have a standard deviation of 0.2. Their weights are equal; or lognormal (σ = 1), as frequencies
of queries are, and unrelated to the differences; or related: queries that weigh more vary less, and gain more; or
lognormal with σ = 2, where differences are skewed: exponential less their mean. The intervals are those of
`irev.statistics.ratios`, and Student's of n queries that takes the weights for numbers of queries, each of which were
seen: it draws from the queries by their weights.

python benchmarks/weighted_means.py [--experiments 1000] [--seed 0]     print the table
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from shared import parser_of

from irev.statistics.plan import Plan
from irev.statistics.ratios import weighted_mean

Random = np.random.Generator
PLAN = Plan(samples=500)


def equal(random: Random, n: int) -> tuple[np.ndarray, np.ndarray, float]:
    return random.normal(0.02, 0.2, n), np.ones(n), 0.02


def unrelated(random: Random, n: int) -> tuple[np.ndarray, np.ndarray, float]:
    return random.normal(0.02, 0.2, n), random.lognormal(0, 1, n), 0.02


def related(random: Random, n: int) -> tuple[np.ndarray, np.ndarray, float]:
    log = random.normal(0, 1, n)
    # E[w d] / E[w], w = exp(log): under the weights the mean of log is 1.
    return random.normal(0.02 * log, 0.2 / (1 + np.exp(log))), np.exp(log), 0.02


def skewed(random: Random, n: int) -> tuple[np.ndarray, np.ndarray, float]:
    return random.exponential(0.2, n) - 0.2, random.lognormal(0, 2, n), 0.0


def shaped(random: Random, shape: str, effective: int, n: int = 100) -> np.ndarray:
    """Weights of n queries, about so many effective ones: equal ones of a few, which have half of all or nearly all;
    geometric; or Pareto's (α = 2), of half as many queries again."""
    if shape == "few, half":
        few = max(1, round(effective / 4))
        return np.where(np.arange(n) < few, 1 / few, 1 / (n - few))
    if shape == "few, all":
        return np.where(np.arange(n) < effective, 1.0, 0.001)
    if shape == "geometric":
        return ((effective - 1) / (effective + 1)) ** np.arange(n)
    return random.pareto(2, 3 * effective // 2) + 1


def missed(experiments: int, seed: int, shape: str, effective: int) -> tuple[float, float]:
    """n eff, and how many of 100 t intervals of skewed differences (exponential less their mean) miss the mean."""
    random, misses, total = np.random.default_rng([seed, effective, len(shape)]), 0, 0.0
    for _ in range(experiments):
        weights = shaped(random, shape, effective)
        found = weighted_mean(random.exponential(0.2, len(weights)) - 0.2, weights, PLAN)
        misses += found.interval is None or not found.interval.low <= 0 <= found.interval.high
        total += found.effective or 0.0
    return total / experiments, 100 * misses / experiments


SHAPES = ("few, half", "few, all", "geometric", "Pareto")


def main() -> None:
    asked = parser_of(__doc__, experiments=1000, seed=0).parse_args()
    random = np.random.default_rng(asked.seed)
    print("| weights | queries | n eff | t | percentile | bca | as numbers of queries |\n|---|---|---|---|---|---|---|")
    for draw in (equal, unrelated, related, skewed):
        for n in (25, 50, 200):
            held, effective = np.zeros(4), 0.0
            for _ in range(asked.experiments):
                values, weights, true = draw(random, n)
                for place, kind in enumerate(("t", "percentile", "bca")):
                    found = weighted_mean(values, weights, replace(PLAN, interval=kind))
                    span = found.interval
                    held[place] += span is not None and span.low <= true <= span.high
                drawn = random.choice(values, n, p=weights / weights.sum())
                reach = 1.96 * drawn.std(ddof=1) / np.sqrt(n)
                held[3] += abs(np.average(values, weights=weights) - true) <= reach
                effective += found.effective or 0.0
            shares = " | ".join(f"{100 * each / asked.experiments:.1f}" for each in held)
            print(f"| {draw.__name__} | {n} | {effective / asked.experiments:.0f} | {shares} |", flush=True)
    print("\n| weights | n eff | miss |\n|---|---:|---:|")
    for shape in SHAPES:
        for effective in (4, 6, 10, 15, 20, 25, 35, 50):
            known, share = missed(asked.experiments, asked.seed, shape, effective)
            print(f"| {shape} | {known:.1f} | {share:.1f} |", flush=True)


if __name__ == "__main__":
    main()
