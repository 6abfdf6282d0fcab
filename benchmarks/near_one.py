"""How often intervals and tests hold what they promise where recall is near 1, as that of nearest neighbours is.

A query finds each of its 10 nearest neighbours with a chance of its own, whose mean over queries is given: the same
for all queries; of a beta distribution with a + b = 5; or with a + b = 0.5, where most queries find all, and few hardly
any. Of 100 samples, how many intervals of the mean miss it: Student's, irev's (by score), and bootstrap percentiles.
Beside it are two runs. They are equal, and how often a test finds a difference at α = 0.05; or the second also finds
half of what the first misses, and how many intervals of the difference miss that: Student's, and irev's, which allows
for queries that differ and are not in the sample.

python benchmarks/near_one.py [--experiments 2000] [--seed 0]     print the tables
"""

from __future__ import annotations

import numpy as np
from shared import parser_of

from irev.statistics import intervals, paired
from irev.statistics.plan import Plan

Random = np.random.Generator
PLAN = Plan(samples=2000)
QUERIES = {"alike": None, "varied": 5.0, "few hard": 0.5}
"""a + b of the chances of queries."""


def found(random: Random, size: float | None, mean: float, n: int, trials: int) -> tuple[np.ndarray, np.ndarray]:
    """(n, trials) How many neighbours of each query two runs of the same chances find."""
    chances = np.full((n, trials), mean) if size is None else random.beta(mean * size, (1 - mean) * size, (n, trials))
    return random.binomial(10, chances), random.binomial(10, chances)


def missed(spans: list[intervals.Interval | None], true: float) -> float:
    """Of 100 intervals, how many miss."""
    held = [span is not None and span.low - 1e-12 <= true <= span.high + 1e-12 for span in spans]
    return 100 - 100 * sum(held) / len(held)


def main() -> None:
    asked = parser_of(__doc__, experiments=2000, seed=0).parse_args()
    random = np.random.default_rng(asked.seed)
    cases = [(name, mean, n) for name in QUERIES for mean in (0.9, 0.98, 0.995) for n in (50, 200, 1000)]
    print("| queries | recall | n | t | irev | percentile |\n|---|---|---|---|---|---|")
    for name, mean, n in cases:
        values = found(random, QUERIES[name], mean, n, asked.experiments)[0] / 10
        percentile = missed(intervals.percentile(values, PLAN), mean)
        shares = [missed(intervals.interval("t", values, PLAN), mean), missed(intervals.of_means(values, PLAN), mean)]
        print(f"| {name} | {mean:g} | {n:,} | {shares[0]:.1f} | {shares[1]:.1f} | {percentile:.1f} |", flush=True)
    tests = ("t", "randomization", "sign")
    heading = ["queries", "recall", "n", "t test", "randomisation", "sign", "t interval", "irev"]
    print(f"\n| {' | '.join(heading)} |\n|{'---|' * len(heading)}")
    for name, mean, n in cases:
        one, other = found(random, QUERIES[name], mean, n, asked.experiments)
        differences = (other - one) / 10
        shares = []
        for test in tests:
            results = paired.test(test, differences, PLAN)
            shares.append(100 * sum(each.p is not None and each.p <= 0.05 for each in results) / len(results))
        better = (other + random.binomial(10 - other, 0.5) - one) / 10
        for largest in (0.0, 1.0):
            shares.append(missed(intervals.interval("t", better, PLAN, largest), (1 - mean) / 2))
        print(f"| {name} | {mean:g} | {n:,} | {' | '.join(f'{each:.1f}' for each in shares)} |", flush=True)


if __name__ == "__main__":
    main()
