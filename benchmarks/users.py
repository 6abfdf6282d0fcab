"""How often tests and intervals over users err, where the truth is known: users are made up.

A user sees 1 + Poisson(4) impressions, and clicks each with a probability of the user's own, which is drawn from a beta
distribution with mean m and variance m(1 - m)/6: some click nearly always, others hardly ever. Two groups of as many
users have the same m, 0.3, for the tests; for intervals of the relative difference one has 0.36, 20% more.

python benchmarks/users.py [--experiments 10000] [--seed 0]     print the table of docs/statistics.md
"""

import math

import numpy as np
from scipy.special import chdtrc
from shared import parser_of

from irev.statistics import ratios

SIZES = (10, 30, 100, 1000)


def clicks(random: np.random.Generator, users: int, rate: float) -> tuple[np.ndarray, np.ndarray]:
    """Clicks and impressions of each user."""
    impressions = 1 + random.poisson(4, users)
    readiness = random.beta(5 * rate, 5 * (1 - rate), users)
    return random.binomial(impressions, readiness).astype(float), impressions.astype(float)


def of_impressions(a: np.ndarray, shown_a: np.ndarray, b: np.ndarray, shown_b: np.ndarray) -> float:
    """p of Pearson's test, which takes each impression for independent."""
    rate = (a.sum() + b.sum()) / (shown_a.sum() + shown_b.sum())
    error = math.sqrt(rate * (1 - rate) * (1 / shown_a.sum() + 1 / shown_b.sum()))
    z = (a.sum() / shown_a.sum() - b.sum() / shown_b.sum()) / error if error else 0.0
    return float(chdtrc(1, z * z))


def by_delta(of: ratios.Ratio, other: ratios.Ratio) -> tuple[float, float]:
    """The symmetric interval of a relative difference, for comparison."""
    value = of.value / other.value
    error = value * math.hypot(of.error / of.value, other.error / other.value)
    return value - 1 - 1.96 * error, value - 1 + 1.96 * error


def row(random: np.random.Generator, users: int, experiments: int) -> list[float]:
    """How many of 100 experiments err."""
    errs = np.zeros(4)
    for _ in range(experiments):
        same = [clicks(random, users, 0.3) for _ in range(2)]
        found = ratios.difference(*(ratios.ratio(*each) for each in same), 0.95)
        errs[0] += (found.p or 1.0) < 0.05
        errs[1] += of_impressions(*same[0], *same[1]) < 0.05
        of, other = (ratios.ratio(*clicks(random, users, rate)) for rate in (0.36, 0.3))
        found = ratios.difference(of, other, 0.95)
        low, high = found.relative_low, found.relative_high
        errs[2] += low is not None and not low <= 0.2 <= high
        low, high = by_delta(of, other) if of.value and other.value else (-1.0, 1.0)
        errs[3] += not low <= 0.2 <= high
    return (100 * errs / experiments).tolist()


def main() -> None:
    asked = parser_of(__doc__, experiments=10_000, seed=0).parse_args()
    random = np.random.default_rng(asked.seed)
    print("| users in a group | t over users | χ² of impressions | Fieller | symmetric |")
    print("|---:|---:|---:|---:|---:|")
    for users in SIZES:
        numbers = " | ".join(f"{value:.1f}" for value in row(random, users, asked.experiments))
        print(f"| {users:,} | {numbers} |")


if __name__ == "__main__":
    main()
