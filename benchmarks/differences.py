"""How often differences are found that are not there, and how often intervals hold the truth, without tests of queries.

*Seeds*: two systems of equal mean, whose differences of queries have a standard deviation of 0.1, and those of the
runs of both by their seeds are given; then where queries differ by 0.001, and a run from another on a query by 0.1
("rest"). Of 100 experiments, how many find a difference at α = 0.05: by a paired t test
of one run of each, by one of the means over runs, by Satterthwaite's degrees of freedom, and by
`irev.extensions.studies.statistics.seeds`.

*Posterior*: the true difference is 0. How many of 100 experiments have a P(better) above 0.975 or below 0.025, and how
many intervals hold the truth, by `irev.extensions.studies.statistics.bayesian` and by Student's t: of normal
differences; of Student's t with 3 degrees of freedom; of normal ones of which three of ten queries are ties; of ones
that are skewed, an exponential less its mean; of rare gains, beside small losses and ties; and of a few losses: nine of
ten queries gain a little, one loses nine times that.

python benchmarks/differences.py [--experiments 4000] [--seed 0]     print the tables
"""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np
from scipy import stats
from shared import parser_of

from irev.extensions.studies.statistics.bayesian import posterior
from irev.extensions.studies.statistics.seeds import over_seeds

Random = np.random.Generator


def seeds(
    random: Random,
    experiments: int,
    queries: int,
    runs: int,
    spreads: tuple[float, float],
    apart: float = 0.1,
    rest: float = 0.01,
) -> tuple[float, ...]:
    """Of 100 experiments, how many find a difference in each way."""
    found = np.zeros(4)
    for _ in range(experiments):
        both = [
            random.normal(0, apart / math.sqrt(2), queries)[:, None]
            + random.normal(0, spread, runs)
            + random.normal(0, rest, (queries, runs))
            for spread in spreads
        ]
        one, other = both
        p = (
            stats.ttest_rel(one[:, 0], other[:, 0]).pvalue,
            stats.ttest_rel(one.mean(axis=1), other.mean(axis=1)).pvalue,
            _satterthwaite(one, other),
            over_seeds(one, other).p,
        )
        found += np.array(p) <= 0.05
    return tuple(100 * found / experiments)


def _satterthwaite(one: np.ndarray, other: np.ndarray) -> float:
    n, runs = one.shape
    found = over_seeds(one, other)
    parts = np.array([runs * found.of_queries**2 + found.of_rest**2, n * found.of_runs**2, 0.0])
    seeds_square = n * found.of_runs**2 + found.of_rest**2
    freedom = np.array([n - 1, 2 * (runs - 1), 2 * (n - 1) * (runs - 1)])
    squares = np.array([parts[0], seeds_square * (found.of_runs > 0), found.of_rest**2 * (found.of_runs > 0)])
    degrees = parts.sum() ** 2 / (squares**2 / freedom).sum()
    return 2 * stats.t.sf(abs(found.difference) / math.sqrt(2 * parts.sum() / (n * runs)), degrees)


def _ties(random: Random, n: int) -> np.ndarray:
    values = random.normal(0, 0.1, n)
    values[random.permutation(n)[: 3 * n // 10]] = 0.0
    return values


DIFFERENCES: dict[str, Callable[[Random, int], np.ndarray]] = {
    "normal": lambda random, n: random.normal(0, 0.1, n),
    "t, 3 degrees": lambda random, n: 0.1 * random.standard_t(3, n),
    "three of ten tie": _ties,
    "skewed": lambda random, n: 0.1 * (random.exponential(1, n) - 1),
    "rare gains": lambda random, n: (
        np.where(random.random(n) < 0.4, 0, random.normal(-0.02, 0.01, n)) + 0.15 * (random.random(n) < 0.08)
    ),
    "few losses": lambda random, n: np.where(random.random(n) < 0.1, -0.09, 0.01) + random.normal(0, 0.003, n),
}


def believed(random: Random, experiments: int, draw: Callable[[Random, int], np.ndarray], n: int) -> tuple[float, ...]:
    """Of 100 experiments: sure of a sign, and intervals that hold 0, by the posterior; the same by Student's t."""
    sure = held = significant = 0
    for _ in range(experiments):
        values = draw(random, n)
        found = posterior(values)
        significant += stats.ttest_1samp(values, 0).pvalue <= 0.05
        if found.better is None:
            continue
        sure += not 0.025 <= found.better <= 0.975
        held += found.low <= 0 <= found.high  # type: ignore[operator]
    return tuple(100 * each / experiments for each in (sure, held, significant))


def main() -> None:
    asked = parser_of(__doc__, experiments=4000, seed=0).parse_args()
    random = np.random.default_rng(asked.seed)
    print("| seeds, SD | queries | runs | one run each | mean of runs | Satterthwaite | irev |")
    print("|---|---|---|---|---|---|---|")
    for spreads in ((0.0, 0.0), (0.01, 0.01), (0.03, 0.03), (0.0, 0.03), (0.01, 0.1)):
        for queries, runs in ((50, 2), (50, 5), (200, 2), (200, 5)):
            found = seeds(random, asked.experiments, queries, runs, spreads)
            both = " and ".join(f"{each:g}" for each in dict.fromkeys(spreads))
            print(f"| {both} | {queries} | {runs} | {' | '.join(f'{each:.1f}' for each in found)} |", flush=True)
    again = np.random.default_rng(asked.seed)
    for spreads, runs in (((0.03, 0.03), 2), ((0.03, 0.03), 3), ((0.03, 0.03), 5), ((0.0, 0.03), 2)):
        found = seeds(again, asked.experiments // 2, 50, runs, spreads, 0.001, 0.1)
        both = " and ".join(f"{each:g}" for each in dict.fromkeys(spreads))
        print(f"| {both}; rest 0.1 | 50 | {runs} | {' | '.join(f'{each:.1f}' for each in found)} |", flush=True)
    print("\n| differences | queries | sure of a sign | interval holds 0 | t test |\n|---|---|---|---|---|")
    for name, draw in DIFFERENCES.items():
        for n in (10, 25, 50, 200):
            found = believed(random, max(asked.experiments // 4, 1), draw, n)
            print(f"| {name} | {n} | {' | '.join(f'{each:.1f}' for each in found)} |", flush=True)


if __name__ == "__main__":
    main()
