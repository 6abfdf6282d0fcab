"""How often A/B tests err, where the truth is known: users are made up.

*Level*: both buckets are the same, and a difference is found at α = 0.05. t is Welch's t-test by the delta method as it
was before, *jackknife* that of `irev.statistics.ratios`, *permutation* that of `irev.extensions.clicks.statistics` with
199 ways to deal users out (irev draws 9,999), and *irev* the permutation where Kohavi's rule asks for more users than
there are in a bucket, and else the jackknife. *Rule*: in how many of 100 tests it does.

- spend, σ: each user has one lognormal value of that σ;
- spend per visit, σ: 1 + Poisson(4) visits, each worth the same lognormal value to a user;
- rare spend: of 20 users one has a lognormal value of σ = 1, the others 0;
- machines: 1 + Poisson(3) visits, of which 30 in 100 get a click; of 100 users one comes 500 (50) times as often, and
  always clicks;
- clicks: 1 + Poisson(4) visits, clicked as often as a user does (beta, mean 0.3);
- other spread: the same mean in both, σ = 1 in one bucket and 1.5 in the other.

*Values*: how many of 100 intervals at 95% hold the true value of a bucket, and how many go below 0: t as it was before,
which has no interval where no user differs, and irev's. Shares are rates of users (beta, a + b = 3) over 1 + Poisson(4)
visits, or over one visit alike for all.

*Intervals*: the second bucket has values 20% higher; how many of 100 intervals at 95% hold the true difference, and how
many tests find it. *Looks*: 100 users come to each bucket a day, and a t-test is made each day until one finds
something.

python benchmarks/ab_tests.py [--experiments 500] [--seed 0] [--only TABLE]     print the tables
"""

from __future__ import annotations

import argparse
import math
from collections.abc import Callable

import numpy as np

from irev.extensions.clicks import statistics
from irev.extensions.clicks.online.ab.buckets import MetricSums
from irev.extensions.clicks.online.by_user import Users as UserColumns
from irev.extensions.clicks.online.metrics import METRICS
from irev.statistics import ratios
from irev.statistics.ratios import ONCE

Users = tuple[np.ndarray, np.ndarray]
Draw = Callable[[np.random.Generator, int], Users]

LOOKS = (1, 5, 14, 28)


def spend(sigma: float) -> Draw:
    def draw(random: np.random.Generator, n: int) -> Users:
        return np.exp(sigma * random.standard_normal(n) - sigma * sigma / 2), np.ones(n)

    return draw


def per_visit(sigma: float) -> Draw:
    def draw(random: np.random.Generator, n: int) -> Users:
        visits = 1.0 + random.poisson(4, n)
        return visits * spend(sigma)(random, n)[0], visits

    return draw


def rare(random: np.random.Generator, n: int) -> Users:
    return np.where(random.random(n) < 0.05, spend(1)(random, n)[0], 0.0), np.ones(n)


def machines(often: int) -> Draw:
    def draw(random: np.random.Generator, n: int) -> Users:
        machine = random.random(n) < 0.01
        visits = (1 + random.poisson(3, n)) * np.where(machine, often, 1)
        return np.where(machine, visits, random.binomial(visits, 0.3)).astype(float), visits.astype(float)

    return draw


def clicks(random: np.random.Generator, n: int) -> Users:
    visits = 1 + random.poisson(4, n)
    return random.binomial(visits, random.beta(1.5, 3.5, n)).astype(float), visits.astype(float)


CASES: tuple[tuple[str, int, int, Draw, Draw], ...] = (
    *((f"spend, σ = {sigma:g}", 500, 5000, spend(sigma), spend(sigma)) for sigma in (1, 1.5, 2)),
    *((f"spend, σ = {sigma:g}", 200, 2000, spend(sigma), spend(sigma)) for sigma in (1, 1.5, 2)),
    *((f"spend, σ = {sigma:g}", 1000, 1000, spend(sigma), spend(sigma)) for sigma in (1, 2)),
    *((f"spend per visit, σ = {sigma:g}", 200, 2000, per_visit(sigma), per_visit(sigma)) for sigma in (1, 2)),
    ("rare spend", 200, 2000, rare, rare),
    *(
        (f"machines, × {often}", n, n, machines(often), machines(often))
        for often, n in ((500, 100), (500, 200), (500, 1000), (50, 200), (50, 1000))
    ),
    ("clicks", 1000, 1000, clicks, clicks),
    ("clicks", 30, 30, clicks, clicks),
    ("other spread, 1 and 1.5", 200, 2000, spend(1), spend(1.5)),
    ("other spread, 1.5 and 1", 200, 2000, spend(1.5), spend(1)),
)
"""What is drawn, and users of either bucket."""

TO_FIND = (
    ("spend, σ = 1", 200, 2000, spend(1)),
    ("spend, σ = 1.5", 200, 2000, spend(1.5)),
    ("spend, σ = 1", 500, 500, spend(1)),
    ("spend per visit, σ = 1", 200, 2000, per_visit(1)),
    ("clicks", 300, 300, clicks),
)


def by_delta(of: Users, other: Users) -> ratios.RatioDifference:
    """Welch's t by the delta method."""
    known = []
    for y, x in (of, other):
        value, n = y.sum() / x.sum(), len(y)
        error = np.sqrt(n / (n - 1)) * np.linalg.norm(y - value * x) / x.sum()
        known.append(ratios.Ratio(float(value), float(error), n))
    return ratios.difference(known[0], known[1], 0.95)


def skewness(group: Users) -> float:
    y, x = group
    apart = y - y.sum() / x.sum() * x
    second = (apart**2).mean()
    return float((apart**3).mean() / second**1.5) if second else 0.0


def ruled(of: Users, other: Users) -> bool:
    """Whether Kohavi's rule asks for more users."""
    return any(len(each[0]) < statistics.needed(skewness(each)) for each in (of, other))


def compared(of: Users, other: Users) -> tuple[list[ratios.RatioDifference], bool]:
    """By t, jackknife, permutation and irev; and whether the rule asks for more."""
    known = [ratios.ratio(*each) for each in (of, other)]
    jackknife, dealt = ratios.difference(known[0], known[1], 0.95), statistics.deal(of, other, 0.95)
    rule = ruled(of, other)
    return [by_delta(of, other), jackknife, dealt, dealt if rule else jackknife], rule


def level(random: np.random.Generator, experiments: int) -> None:
    off = 100 * math.sqrt(0.05 * 0.95 / experiments)
    print(
        f"\nDifferences found where there is none, of 100, at α = 0.05; {experiments:,} tests in a row, ± {off:.1f}.\n"
    )
    print("| values | users | t | jackknife | permutation | irev | rule |")
    print("|---|---:|---:|---:|---:|---:|---:|")
    for name, n, m, one, two in CASES:
        found = np.zeros(5)
        for _ in range(experiments):
            tests, rule = compared(one(random, n), two(random, m))
            found += [*((1.0 if test.p is None else test.p) <= 0.05 for test in tests), rule]
        print(
            f"| {name} | {n:,} : {m:,} | {' | '.join(f'{each:.1f}' for each in 100 * found / experiments)} |",
            flush=True,
        )


def intervals(random: np.random.Generator, experiments: int) -> None:
    print(
        "\nA bucket with values 20% higher: intervals of 100 that hold the true difference, and tests that find it.\n"
    )
    print("| values | users | t: held | found | irev: held | found |")
    print("|---|---:|---:|---:|---:|---:|")
    for name, n, m, draw in TO_FIND:
        truth = 0.2 * (0.3 if draw is clicks else 1.0)
        found = np.zeros(4)
        for _ in range(experiments):
            y, x = draw(random, n)
            if draw is clicks:
                x = 1.0 + random.poisson(4, n)
                y = random.binomial(x.astype(int), random.beta(1.8, 3.2, n)).astype(float)
            else:
                y = 1.2 * y
            tests, _ = compared((y, x), draw(random, m))
            for place, test in enumerate((tests[0], tests[3])):
                found[2 * place] += (test.low or 0) <= truth <= (test.high or 0)
                found[2 * place + 1] += (test.p or 0) <= 0.05
        print(
            f"| {name} | {n:,} : {m:,} | {' | '.join(f'{each:.1f}' for each in 100 * found / experiments)} |",
            flush=True,
        )


def shares(mean: float, alike: bool = False) -> Draw:
    def draw(random: np.random.Generator, n: int) -> Users:
        visits = np.ones(n, dtype=int) if alike else 1 + random.poisson(4, n)
        rates = mean if alike else random.beta(3 * mean, 3 - 3 * mean, n)
        return random.binomial(visits, rates).astype(float), visits.astype(float)

    return draw


VALUES: tuple[tuple[str, str, float, Draw], ...] = (
    *((f"share {mean:g}, one visit", "ctr", mean, shares(mean, alike=True)) for mean in (0.01, 0.03)),
    *((f"share {mean:g}", "ctr", mean, shares(mean)) for mean in (0.03, 0.1, 0.3, 0.97)),
    *((f"spend, σ = {sigma:g}", "value", 1.0, spend(sigma)) for sigma in (0.5, 1, 1.5, 2)),
    ("spend per visit, σ = 1", "value", 1.0, per_visit(1)),
    ("rare spend", "value", 0.05, rare),
)
"""What is drawn, a metric of that kind, and the true value."""


def in_bucket(y: np.ndarray, x: np.ndarray, name: str) -> MetricSums:
    """Users of a bucket, as irev adds them up."""
    metric = METRICS[name]
    n, sums = len(x), {metric.sum: np.asarray(y * metric.unit)}
    nothing = np.zeros(n, dtype=np.int64)
    users = UserColumns(np.zeros((n, 2), np.uint64), nothing, x.astype(np.int64), sums, nothing, nothing, {})
    found = MetricSums(metric, 0)
    found.add(users, np.ones(n, dtype=bool))
    found.settle()
    found.vary(users, np.ones(n, dtype=bool))
    return found


def held(
    random: np.random.Generator, experiments: int, n: int, name: str, truth: float, draw: Draw
) -> tuple[float, float, float, float]:
    """Shares of intervals of a value that hold it, and that go below 0, by t and by irev."""
    found = np.zeros(4)
    for _ in range(experiments):
        of = in_bucket(*draw(random, n), name)
        for place, span in enumerate((ratios.around(of.ratio(), 0.95), of.interval(0.95, ONCE))):
            if span is not None:
                found[2 * place] += span.low <= truth <= span.high
                found[2 * place + 1] += span.low < 0
    one, below, two, under = (found / experiments).tolist()
    return one, below, two, under


def values(random: np.random.Generator, experiments: int) -> None:
    print(f"\nIntervals of the value of a bucket, of 100 that hold it; {experiments:,} samples a row.\n")
    print("| values | users | t: held | below 0 | irev: held | below 0 |")
    print("|---|---:|---:|---:|---:|---:|")
    for name, metric, truth, draw in VALUES:
        for n in (60, 150, 300):
            numbers = (f"{100 * each:.1f}" for each in held(random, experiments, n, metric, truth, draw))
            print(f"| {name} | {n} | {' | '.join(numbers)} |", flush=True)


def looked(random: np.random.Generator, experiments: int, days: int, users: int = 100) -> np.ndarray:
    """After how many of so many days a t-test had found a difference where there is none, as a share of tests."""
    from scipy.special import stdtr

    found = np.zeros((experiments, days), dtype=bool)
    sums = np.zeros((2, experiments))
    for day in range(days):
        # Users of one impression, clicked with a chance of 0.3.
        sums += random.binomial(users, 0.3, (2, experiments))
        n = users * (day + 1)
        rate = sums / n
        error = np.sqrt((rate * (1 - rate) / (n - 1)).sum(axis=0))
        found[:, day] = 2 * stdtr(2 * (n - 1), -np.abs(rate[0] - rate[1]) / error) <= 0.05
    return np.logical_or.accumulate(found, axis=1).mean(axis=0)


def looks(random: np.random.Generator, experiments: int) -> None:
    shares = looked(random, experiments, max(LOOKS))
    print(f"\nDifferences found where there is none, of 100, by looking each day; {experiments:,} tests.\n")
    print(f"| looks | {' | '.join(str(each) for each in LOOKS)} |")
    print(f"|---|{'---:|' * len(LOOKS)}")
    print(f"| found | {' | '.join(f'{100 * shares[each - 1]:.1f}' for each in LOOKS)} |")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--experiments", type=int, default=500)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--only", choices=("looks", "level", "interval", "values"))
    asked = parser.parse_args()
    statistics.SAMPLES = 199
    tables = {
        **{"looks": looks, "level": level, "interval": intervals},
        "values": values,
    }
    for name, table in tables.items():
        if asked.only in (None, name):
            table(np.random.default_rng(asked.seed), 20_000 if name == "looks" else asked.experiments)


if __name__ == "__main__":
    main()
