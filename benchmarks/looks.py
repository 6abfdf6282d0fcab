"""How often confidence sequences err at any of many looks, and how wide they are. Data are made up.

*Level*: there is no difference, and at each of 2,000 looks one is looked for at α = 0.05. How many of 100 experiments
find one at any look, by the usual test of one look, and by `irev.statistics.ratios.Always` and
`irev.extensions.clicks.statistics`, as `irev online ab` and `irev online preference` use them with `--sequential`,
planned for as much as comes in all (1) or a tenth of it (0.1). Each look adds

- rates: a user to each bucket, clicked with a chance of 0.3; 1 : 9: one and nine;
- rare: ten users to each bucket (two and eighteen), of whom 2 in 100 click;
- spend, σ: ten users to each bucket (two and eighteen), each of one lognormal value;
- visits: an impression of one of 60 users, who come again and again, and click as often as they do (beta, mean 0.3);
- credit: a value of 1 or -1 of one of 40 users, who each lean to one side (beta 2, 2);
- signs: a sign; by the binomial test and by the mixture over a beta distribution.

As `irev online ab` does, a bucket is tested when ten of its users have another value than most, and when there are as
many users as Kohavi's rule asks for.

*Widths*: standard errors that an interval reaches, when so many of 10,000 are seen; and how wide the interval of signs
is, where half of them win. Both beside the package confseq (0.0.11), where it is installed.

python benchmarks/looks.py [--experiments 1000] [--looks 2000] [--seed 0]     print the tables
"""

from __future__ import annotations

import argparse
import math
from collections.abc import Callable, Iterator

import numpy as np

from irev.extensions.clicks import statistics
from irev.extensions.clicks.statistics import counts, signs
from irev.statistics.ratios import ONCE, Always, Looks

PLANNED = (1.0, 0.1)
Seen = tuple[np.ndarray, np.ndarray]
"""t of each look, and its degrees of freedom; t is 0 where nothing is tested yet."""


def _moments(values: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Mean, variance and skewness of values at each look, of (looks, values of each)."""
    n = np.arange(1, len(values) + 1) * values.shape[1]
    first, second, third = (np.cumsum((values**power).sum(axis=1)) / n for power in (1, 2, 3))
    variance = np.maximum(second - first**2, 0)
    with np.errstate(divide="ignore", invalid="ignore"):
        skewness = (third - 3 * first * second + 2 * first**3) / variance**1.5
    return first, variance * n / np.maximum(n - 1, 1), np.nan_to_num(skewness)


def buckets(draw: Callable[[np.random.Generator, tuple[int, int]], np.ndarray], n: int, m: int, rate: bool) -> Callable:
    """Two buckets that grow by n and m users at each look."""

    def experiment(random: np.random.Generator, looks: int) -> Seen:
        mean, variance, degrees, ready = [], [], [], np.ones(looks, dtype=bool)
        for each in (n, m):
            values = draw(random, (looks, each))
            users = np.arange(1, looks + 1) * each
            first, second, skewness = _moments(values)
            mean.append(first)
            variance.append(second / users)
            degrees.append(users - 1)
            some = np.cumsum(values.sum(axis=1)) if rate else users
            ready &= np.minimum(some, users - some if rate else users) >= 10
            ready &= users >= statistics.RULE * skewness**2
        both = variance[0] + variance[1]
        with np.errstate(divide="ignore", invalid="ignore"):
            t = np.where(ready, (mean[0] - mean[1]) / np.sqrt(both), 0.0)
            freedom = both**2 / (variance[0] ** 2 / degrees[0] + variance[1] ** 2 / degrees[1])
        return np.nan_to_num(t), np.nan_to_num(freedom, nan=1.0)

    return experiment


def spend(sigma: float) -> Callable:
    return lambda random, size: np.exp(sigma * random.standard_normal(size) - sigma * sigma / 2)


def again(users: int, a: float, b: float, compared: bool) -> Callable:
    """Impressions of users who come again and again: two buckets, or against a half."""

    def experiment(random: np.random.Generator, looks: int) -> Seen:
        chance = random.beta(a, b, users)
        of = random.integers(users, size=looks)
        y, x = np.zeros(users), np.zeros(users)
        t, freedom = np.zeros(looks), np.ones(looks)
        half = np.arange(users) < users // 2
        for look, user in enumerate(of.tolist()):
            x[user] += 1
            y[user] += random.random() < chance[user]
            known = [_known(y[here], x[here]) for here in ((half, ~half) if compared else (slice(None),))]
            if any(each[1] <= 0 for each in known):
                continue
            error = sum(each[1] for each in known)
            apart = known[0][0] - (known[1][0] if compared else 0.5)
            t[look] = apart / math.sqrt(error)
            freedom[look] = error**2 / sum(each[1] ** 2 / each[2] for each in known)
        return t, freedom

    return experiment


def _known(y: np.ndarray, x: np.ndarray) -> tuple[float, float, float]:
    """The ratio, its variance and its degrees of freedom, as `irev.extensions.clicks.statistics.Jackknife` has them; a
    variance of 0 where fewer than ten users differ from most."""
    there = x > 0
    y, x = y[there], x[there]
    if len(x) < 2:
        return 0.0, 0.0, 1.0
    ratios = y / x
    if len(x) - max(np.unique(ratios, return_counts=True)[1]) < 10:
        return 0.0, 0.0, 1.0
    value, share = y.sum() / x.sum(), x / x.sum()
    apart = (y - value * x) / (x.sum() - x)
    odds = share / (1 - share)
    degrees = odds.sum() ** 2 / ((odds**2 * (1 - 2 * share) / (1 - share) ** 2).sum() + (odds**2).sum() ** 2)
    return value, float((len(x) - 1) / len(x) * (apart**2).sum()), float(degrees)


CASES: tuple[tuple[str, Callable], ...] = (
    ("rates, 1 : 1", buckets(lambda random, size: random.random(size) < 0.3, 1, 1, True)),
    ("rates, 1 : 9", buckets(lambda random, size: random.random(size) < 0.3, 1, 9, True)),
    ("rare, 10 : 10", buckets(lambda random, size: random.random(size) < 0.02, 10, 10, True)),
    ("rare, 2 : 18", buckets(lambda random, size: random.random(size) < 0.02, 2, 18, True)),
    ("spend, σ = 1, 10 : 10", buckets(spend(1), 10, 10, False)),
    ("spend, σ = 1, 2 : 18", buckets(spend(1), 2, 18, False)),
    ("spend, σ = 1.5, 2 : 18", buckets(spend(1.5), 2, 18, False)),
    ("visits", again(60, 1.5, 3.5, True)),
    ("credit", again(40, 2.0, 2.0, False)),
)


def found(t: np.ndarray, freedom: np.ndarray, looks: Callable[[int], Looks]) -> bool:
    """Whether any look finds a difference."""
    at = np.flatnonzero(np.abs(t) > 1.9)
    return any(looks(look).p(float(t[look]), float(freedom[look])) <= 0.05 for look in at.tolist())


def found_by_signs(random: np.random.Generator, looks: int) -> Iterator[bool]:
    from scipy.stats import binom

    wins = np.cumsum(random.random(looks) < 0.5)
    n = np.arange(1, looks + 1)
    yield bool((2 * binom.cdf(np.minimum(wins, n - wins), n, 0.5) <= 0.05).any())
    for planned in PLANNED:
        sure = np.flatnonzero(np.abs(2 * wins - n) > 1.9 * np.sqrt(n)).tolist()
        yield any(counts((int(wins[at]), int(n[at] - wins[at])), (0.5, 0.5), planned * looks) <= 0.05 for at in sure)


def level(random: np.random.Generator, experiments: int, looks: int) -> None:
    off = 100 * math.sqrt(0.05 * 0.95 / experiments)
    print(
        f"\nExperiments of 100 that find a difference at any of {looks:,} looks; {experiments:,} a row, ± {off:.1f}\n"
    )
    print(f"| | one look | {' | '.join(f'sequence, planned {each:g}' for each in PLANNED)} |")
    print(f"|---|{'---:|' * (1 + len(PLANNED))}")
    for name, experiment in CASES:
        erred = np.zeros(1 + len(PLANNED))
        for _ in range(experiments):
            t, freedom = experiment(random, looks)
            sequences = [
                found(t, freedom, lambda look, planned=planned: Always((look + 1) / looks / planned))
                for planned in PLANNED
            ]
            erred += [found(t, freedom, lambda _: ONCE), *sequences]
        print(f"| {name} | {' | '.join(f'{100 * each / experiments:.1f}' for each in erred)} |", flush=True)


def level_of_signs(random: np.random.Generator, experiments: int, looks: int) -> None:
    """The last row of the same table."""
    erred = np.zeros(1 + len(PLANNED))
    for _ in range(experiments):
        erred += [*found_by_signs(random, looks)]
    print(f"| signs | {' | '.join(f'{100 * each / experiments:.1f}' for each in erred)} |", flush=True)


def widths(planned: int) -> None:
    from scipy.stats import beta

    try:
        from confseq import boundaries as confseq
    except ImportError:
        confseq = None
    print(f"\nHow far 95% intervals reach, in standard errors, and how wide those of signs are; {planned:,} planned\n")
    print("| seen | one look | sequence | confseq | signs, one look | sequence | confseq |")
    print("|---:|---:|---:|---:|---:|---:|---:|")
    for part in (0.01, 0.1, 0.5, 1, 2, 10, 100):
        n = round(planned * part)
        reach = [looks.reach(0.95, math.inf) for looks in (ONCE, Always(part))]
        low, high = signs(n // 2, n // 2, planned, 0.95).interval
        exact = beta.ppf(0.975, n // 2 + 1, n // 2) - beta.ppf(0.025, n // 2, n // 2 + 1)
        theirs, of_signs = ["–"] * 2
        if confseq is not None:
            bound = confseq.normal_mixture_bound(n, 0.05, v_opt=planned, alpha_opt=0.05, is_one_sided=False)
            theirs = f"{bound / math.sqrt(n):.2f}"
            ends = confseq.bernoulli_confidence_interval(n // 2, n, 0.05, t_opt=planned, alpha_opt=0.05)
            of_signs = f"{ends[1] - ends[0]:.4f}"
        print(f"| {n:,} | {reach[0]:.2f} | {reach[1]:.2f} | {theirs} | {exact:.4f} | {high - low:.4f} | {of_signs} |")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--experiments", type=int, default=1_000)
    parser.add_argument("--looks", type=int, default=2_000)
    parser.add_argument("--seed", type=int, default=0)
    asked = parser.parse_args()
    widths(10_000)
    level(np.random.default_rng(asked.seed), asked.experiments, asked.looks)
    level_of_signs(np.random.default_rng(asked.seed + 1), asked.experiments, asked.looks)


if __name__ == "__main__":
    main()
