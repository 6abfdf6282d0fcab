"""How often intervals of a difference hold the true one where few queries differ, as between two versions of a system.

A share of the queries differ. Sizes of these differences are like those of AP (beta, 0.7 and 5), of reciprocal ranks
(of two ranks drawn among 1 to 5, 10 and none), of nDCG (normal, 0.2), and of P@10 (geometric tenths); all, four in five
or half of them are gains. Rare losses: 15% of the queries differ; nine in ten of these gain up to 0.133, the tenth
loses 0.4 to 0.8, and the true mean is 0.

    python benchmarks/few_differ.py [--experiments 4000] [--seed 0]     print the tables of benchmarks/README.md

Intervals at 95%: Student's; irev's, of `intervals.of_differences` with `largest` 1; Student's of a sample with one
query more at +1/4 and one more at -1/4; betting (the hedged capital process of Waudby-Smith and Ramdas, Estimating
Means of Bounded Random Variables by Betting, JRSS B 86, 2024, in a twentieth of the experiments); and Maurer and
Pontil's (Empirical Bernstein Bounds, COLT 2009). The last two hold 95% for whatever lies between -1 and 1.

Intervals of other kinds, without and with the error of queries that are not in the sample: by weights (lognormal, σ =
1), of the posterior (in a fortieth of the experiments), and with human judgments of n of 400 queries, of which a model
finds the same difference but for one in five.
"""

from __future__ import annotations

import argparse
import math
from dataclasses import replace

import numpy as np

from irev.extensions.llm_judge.prediction_powered import corrected
from irev.extensions.studies.statistics.bayesian import posterior
from irev.statistics import effects, intervals, paired
from irev.statistics.plan import Plan
from irev.statistics.ratios import weighted_mean

Floats = np.ndarray
Ends = tuple[Floats, Floats]
Random = np.random.Generator

PLAN = Plan()
SIZES = (10, 25, 50, 150)
SHARES = (0.01, 0.03, 0.1, 0.3, 1.0)
GAINS = (0.5, 0.8, 1.0)
POOL = 200_000
RANKS, CHANCES = (0, 1, 1 / 2, 1 / 3, 1 / 4, 1 / 5, 1 / 10), (0.15, 0.35, 0.15, 0.1, 0.1, 0.05, 0.1)


def sizes(random: Random) -> dict[str, Floats]:
    """Of differences of queries that differ, by measure."""
    ranks = np.abs(random.choice(RANKS, POOL, p=CHANCES) - random.choice(RANKS, POOL, p=CHANCES))
    return {
        "AP": random.beta(0.7, 5, POOL),
        "RR": ranks[ranks > 0],
        "nDCG": np.minimum(np.abs(random.normal(0, 0.2, POOL)), 1),
        "P@10": np.minimum(random.geometric(0.6, POOL) / 10, 1),
    }


def drawn(random: Random, pool: Floats, gains: float, share: float, shape: tuple[int, int]) -> tuple[Floats, float]:
    """(n, experiments) Differences, and their true mean."""
    sign = np.where(random.random(shape) < gains, 1, -1)
    found = random.choice(pool, shape) * sign * (random.random(shape) < share)
    return found, float(pool.mean()) * (2 * gains - 1) * share


def rare_losses(random: Random, shape: tuple[int, int]) -> Floats:
    touched, lost = random.random(shape) < 0.15, random.random(shape) < 0.1
    return np.where(touched, np.where(lost, -random.uniform(0.4, 0.8, shape), random.uniform(0, 0.4 / 3, shape)), 0.0)


def ends(spans: list[intervals.Interval | None]) -> Ends:
    low, high = np.array([(math.nan, math.nan) if span is None else span for span in spans]).T
    return low, high


def student(values: Floats) -> Ends:
    return ends(intervals.interval("t", values, PLAN))


def irev(values: Floats) -> Ends:
    return ends(intervals.of_differences(values, PLAN, 1.0))


def two_more(values: Floats) -> Ends:
    row = np.full((1, values.shape[1]), 0.25)
    return student(np.vstack([values, row, -row]))


def betting(values: Floats) -> Ends:
    """Of (d + 1)/2, which lies between 0 and 1: means on a grid against which neither of two bettors gets rich."""
    scaled, found = (values + 1) / 2, []
    count = np.arange(1, len(values) + 1)
    grid = np.linspace(0, 1, 201)
    for column in scaled.T:
        mean = (0.5 + np.cumsum(column)) / (count + 1)
        variance = (0.25 + np.cumsum((column - mean) ** 2)) / (count + 1)
        stake = np.sqrt(2 * math.log(2 / 0.05) / (len(column) * np.append(0.25, variance[:-1])))[:, None]
        off = column[:, None] - grid
        up = np.minimum(stake, 0.75 / np.maximum(grid, 1e-9)) * off
        down = -np.minimum(stake, 0.75 / np.maximum(1 - grid, 1e-9)) * off
        wealth = np.maximum(np.log1p(up).cumsum(axis=0), np.log1p(down).cumsum(axis=0)).max(axis=0) + math.log(0.5)
        kept = grid[wealth < math.log(1 / 0.05)]
        found.append((kept[0] - 1 / 200, kept[-1] + 1 / 200))
    low, high = 2 * np.array(found).T - 1
    return low, high


def maurer_pontil(values: Floats) -> Ends:
    n, log = len(values), math.log(4 / 0.05)
    reach = np.sqrt(2 * values.var(axis=0, ddof=1) * log / n) + 2 * 7 * log / (3 * (n - 1))
    return values.mean(axis=0) - reach, values.mean(axis=0) + reach


METHODS = {"t": student, "irev": irev, "two more": two_more, "betting": betting, "Maurer, Pontil": maurer_pontil}


def held(method: str, values: Floats, mean: float) -> tuple[float, float]:
    """How many of 100 intervals hold the mean, and how wide they are."""
    part = values[:, : max(1, values.shape[1] // 20)] if method == "betting" else values
    low, high = METHODS[method](part)
    return float(100 * np.mean((low <= mean + 1e-12) & (high >= mean - 1e-12))), float(np.mean(high - low))


def coverage(experiments: int, seed: int, methods: tuple[str, ...] = (*METHODS,)) -> list[tuple[str, int, list[float]]]:
    """For each share of queries that differ and each n, by method: the lowest coverage and the mean width."""
    rows = []
    for share in SHARES:
        for n in SIZES:
            random = np.random.default_rng([seed, n, int(1000 * share)])
            cases = [(pool, gains) for pool in sizes(random).values() for gains in GAINS]
            made = [drawn(random, pool, gains, share, (n, experiments)) for pool, gains in cases]
            rows.append((f"{100 * share:g}%", n, _summed(methods, made)))
    for n in SIZES:
        random = np.random.default_rng([seed, n])
        rows.append(("rare losses", n, _summed(methods, [(rare_losses(random, (n, experiments)), 0.0)])))
    return rows


def _summed(methods: tuple[str, ...], made: list[tuple[Floats, float]]) -> list[float]:
    found: list[float] = []
    for method in methods:
        both = [held(method, *each) for each in made]
        found += [min(share for share, _ in both), float(np.mean([width for _, width in both]))]
    return found


def found_without_a_difference(experiments: int, seed: int) -> list[tuple[str, int, float, float]]:
    """Of 100 samples of a mean of 0, how many have p ≤ 0.05 by t, and how many of these an interval without 0."""
    rows = []
    for name in ("3%", "10%", "30%", "rare losses"):
        for n in SIZES:
            random = np.random.default_rng([seed, n, len(name)])
            if name == "rare losses":
                values = rare_losses(random, (n, experiments))
            else:
                values, _ = drawn(random, sizes(random)["RR"], 0.5, float(name[:-1]) / 100, (n, experiments))
            p = np.array([each.p if each.p is not None else 1.0 for each in paired.test("t", values, PLAN)])
            low, high = irev(values)
            found, outside = p <= 0.05, (low > 0) | (high < 0)
            rows.append((name, n, float(100 * found.mean()), float(100 * (found & outside).mean())))
    return rows


def passed(experiments: int, seed: int) -> list[tuple[str, int, float, float]]:
    """Of 100 runs with a drop that is the allowed one, how many are shown to be no worse: by t before, and by irev."""
    rows = []
    for share in SHARES:
        for n in SIZES:
            random = np.random.default_rng([seed, n, int(1000 * share), 1])
            values, mean = drawn(random, sizes(random)["RR"], 0.2, share, (n, experiments))
            plan = Plan(confidence=0.9)  # each end is a one-sided bound at 5%
            before, after = (ends(intervals.of_differences(values, plan, largest))[0] for largest in (0.0, 1.0))
            rows.append(
                (f"{100 * share:g}%", n, *(float(100 * np.mean(low > mean + 1e-12)) for low in (before, after)))
            )
    return rows


def all_equal(experiments: int, seed: int) -> list[tuple[int, list[float]]]:
    """Of 100 samples of few queries: all differ by the same amount, at most; no irev interval; Student's intervals that
    hold the mean, those without width included, at least; and irev's, of those that there are."""
    rows = []
    for n in (2, 3, 4, 5, 6, 8):
        random, found = np.random.default_rng([seed, n]), []
        for pool in sizes(random).values():
            for share in (0.5, 1.0):
                values, mean = drawn(random, pool, 0.8, share, (n, experiments))
                low, high = irev(values)
                there = ~np.isnan(low)
                holds = (low[there] <= mean + 1e-12) & (high[there] >= mean - 1e-12)
                equal = (np.ptp(values, axis=0) < 1e-12) & values.any(axis=0)
                found.append((equal.mean(), 1 - there.mean(), -held("t", values, mean)[0] / 100, -holds.mean()))
        rows.append((n, [100 * abs(max(column)) for column in zip(*found, strict=True)]))
    return rows


def elsewhere(
    experiments: int, seed: int, shares: tuple[float, ...] = (0.03, 0.1, 0.3, 0.6), queries: tuple[int, ...] = SIZES[1:]
) -> list[tuple[str, str, int, list[float]]]:
    """Intervals that hold the mean without and with the error of queries that are not in the sample, of 100 samples, at
    least, and mean widths: by weights, of the posterior, and by prediction-powered inference."""
    rows = []
    for share in shares:
        for n in queries:
            for kind, times in (("weights", 10), ("posterior", 40), ("predicted", 10)):
                if kind == "posterior" and share < 0.5:
                    continue  # none, where half of the differences or more are 0
                random, found = np.random.default_rng([seed, n, int(1000 * share)]), []
                for pool in sizes(random).values():
                    for gains in (0.5, 0.8):
                        both = [
                            _other(kind, random, pool, gains, share, n) for _ in range(max(experiments // times, 1))
                        ]
                        made = [each for each in both if None not in each[0]]
                        held = [[low <= mean <= high for low, high in spans] for spans, mean in made]
                        wide = [[high - low for low, high in spans] for spans, mean in made]
                        found.append([*np.mean(held, axis=0), *np.mean(wide, axis=0)])
                least, means = np.min(found, axis=0), np.mean(found, axis=0)
                rows.append((kind, f"{100 * share:g}%", n, [100 * least[0], means[2], 100 * least[1], means[3]]))
    return rows


def _other(kind: str, random: Random, pool: Floats, gains: float, share: float, n: int) -> tuple[list, float]:
    values, mean = drawn(random, pool, gains, share, (400 if kind == "predicted" else n, 1))
    values = values[:, 0]
    if kind == "weights":
        weights = random.lognormal(0, 1, n)
        return [weighted_mean(values, weights, PLAN, largest=largest).interval for largest in (0.0, 1.0)], mean
    if kind == "posterior":
        (error,) = intervals.unseen(values[:, None], 1.0)
        made = [posterior(values, unseen=each) for each in (0.0, error)]
        return [None if each.low is None else (each.low, each.high) for each in made], mean
    guesses = np.where(random.random(400) < 0.8, values, drawn(random, pool, gains, share, (400, 1))[0][:, 0])
    found = corrected(values[:n], guesses, np.arange(n))
    (error,) = intervals.unseen(np.where(values[:n], values[:n], guesses[:n])[:, None], 1.0)
    made = [replace(found, unseen=each).interval(0.95) or (found.value, found.value) for each in (0.0, error)]
    return made, mean


def warned(experiments: int, seed: int) -> list[tuple[str, int, list[float]]]:
    """Of 100 samples: irev's intervals that hold the mean, and warnings of skewed differences, by two rules.

    Both ask for Cochran's 25 G² queries, more than there are. The old one then warned where |G| ≥ 4 √(6/n), irev's
    where the mean is further from the median than in nine of ten sign flips.
    """
    rows = []
    for name in (*sizes(np.random.default_rng(0)), "rare gains", "rare losses", "exponential", "lognormal"):
        for share in (0.1, 0.3, 1.0) if name in ("AP", "RR", "nDCG", "P@10") else (1.0,):
            for n in SIZES[1:]:
                random, shape = np.random.default_rng([seed, n, len(name), int(100 * share)]), (n, experiments)
                mean = 0.0
                if name == "rare gains":
                    values = np.where(random.random(shape) < 0.08, 0.4, -0.4 * 0.08 / 0.92)
                elif name == "rare losses":
                    values = rare_losses(random, shape)
                elif name == "exponential":
                    values = 0.1 * random.exponential(1, shape) - 0.1
                elif name == "lognormal":
                    values = 0.1 * np.exp(random.normal(0, 1, shape)) - 0.1 * math.exp(0.5)
                else:
                    values, mean = drawn(random, sizes(random)[name], 0.5, share, shape)
                wanted = [effects.queries_wanted(column) is not None for column in values.T]
                skewed = np.abs([effects.skewness(column) or 0.0 for column in values.T])
                old = (skewed >= 4 * math.sqrt(6 / n)) & (np.ceil(25 * skewed**2) > n)
                about = f"{name}, {100 * share:g}% differ" if name in ("AP", "RR", "nDCG", "P@10") else name
                shares = [held("irev", values, mean)[0], 100 * float(old.mean()), 100 * float(np.mean(wanted))]
                rows.append((about, n, shares))
    return rows


def main() -> None:
    parser = argparse.ArgumentParser(description="How often intervals hold where few queries differ.")
    parser.add_argument("--experiments", type=int, default=4000)
    parser.add_argument("--seed", type=int, default=0)
    asked = parser.parse_args()
    print("| differ | queries | " + " | ".join(METHODS) + " |\n|---|---:|" + "---:|" * len(METHODS))
    for name, n, numbers in coverage(asked.experiments, asked.seed):
        cells = [f"{share:.1f} ({width:.3f})" for share, width in zip(numbers[::2], numbers[1::2], strict=True)]
        print(f"| {name} | {n} | {' | '.join(cells)} |", flush=True)
    print("\n| queries | all equal | no interval | t | irev |\n|---:|---:|---:|---:|---:|")
    for n, shares in all_equal(asked.experiments, asked.seed):
        print(f"| {n} | {' | '.join(f'{share:.1f}' for share in shares)} |", flush=True)
    print("\n| interval | differ | queries | before | now |\n|---|---|---:|---:|---:|")
    for kind, name, n, (before, narrow, after, wide) in elsewhere(asked.experiments, asked.seed):
        print(f"| {kind} | {name} | {n} | {before:.1f} ({narrow:.3f}) | {after:.1f} ({wide:.3f}) |", flush=True)
    print("\n| differ | queries | p ≤ 0.05 | and 0 outside the interval |\n|---|---:|---:|---:|")
    for name, n, found, outside in found_without_a_difference(asked.experiments, asked.seed):
        print(f"| {name} | {n} | {found:.1f} | {outside:.1f} |", flush=True)
    print("\n| differences | queries | interval holds | warned before | warns |\n|---|---:|---:|---:|---:|")
    for name, n, shares in warned(max(asked.experiments // 4, 1), asked.seed):
        print(f"| {name} | {n} | {' | '.join(f'{share:.1f}' for share in shares)} |", flush=True)
    print("\n| differ | queries | passed before | passes |\n|---|---:|---:|---:|")
    for name, n, before, after in passed(asked.experiments, asked.seed):
        print(f"| {name} | {n} | {before:.1f} | {after:.1f} |", flush=True)


if __name__ == "__main__":
    main()
