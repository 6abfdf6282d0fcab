"""Whether as many users and queries as are planned for find what they are to find, and how many interleaving saves.

Users are made up who see the runs of sample_data: one impression each, of a query by chance; position r is looked at
with a chance of 1/r, and a document that is looked at is clicked with a chance by its grade, 0.05 to 0.875. Two runs
are compared by team draft, by the mean credit, and by an A/B test of half the users each, by share of impressions
with a click and by clicks. The true difference is that of two million users. From a past log of 5,000 users comes how
much they vary, and so how many it takes to find the true difference with a chance of 80%; *found* is how many of
1,000 experiments of that size do, of 100. *Swapped* is semantic with the second and third document of each query
swapped.

Queries: the numbers are those of `irev power`, of one test alone or of one among several that are corrected together.
One run of several differs from the others by d_z; *found* is how often `irev compare` says so, of 100. And pilots of 50
queries: with as many queries as the measured difference of those that are significant needs, the true difference is
found with this chance. And gates where few queries differ.

python benchmarks/planning.py [--experiments 1000] [--seed 0]     print the tables
"""

from __future__ import annotations

import argparse
from collections.abc import Callable
from pathlib import Path

import numpy as np
from scipy import stats

import irev
from irev.extensions.studies.statistics.planning import shown_within
from irev.statistics import ratios
from irev.statistics.corrections import adjusted, level
from irev.statistics.effects import fewest, power_of, queries_needed
from irev.statistics.intervals import of_differences, unseen_error
from irev.statistics.maximum_t import adjusted as by_maximum_t
from irev.statistics.plan import Plan

SAMPLE = Path(__file__).resolve().parent.parent / "sample_data"
LENGTH, DRAWS, TRUE, PAST = 10, 400, 2_000_000, 5_000
Draw = Callable[[np.random.Generator, int], np.ndarray]


def grades() -> dict[tuple[str, str], int]:
    lines = (SAMPLE / "qrels.txt").read_text(encoding="utf-8").splitlines()
    rows = (line.split() for line in lines if line and not line.startswith("#"))
    return {(query, document): int(grade) for query, _, document, grade in rows}


def run_of(name: str) -> dict[str, list[str]]:
    """The documents of each query, the best first."""
    found: dict[str, list[tuple[float, str]]] = {}
    for line in (SAMPLE / f"{name}.run").read_text(encoding="utf-8").splitlines():
        query, _, document, _, score, _ = line.split()
        found.setdefault(query, []).append((-float(score), document))
    return {query: [document for _, document in sorted(rows)][:LENGTH] for query, rows in found.items()}


def swapped(run: dict[str, list[str]]) -> dict[str, list[str]]:
    return {query: [*rest[:1], rest[2], rest[1], *rest[3:]] for query, rest in run.items()}


def scored(run: dict[str, list[str]]) -> dict[str, dict[str, float]]:
    return {query: {each: -float(place) for place, each in enumerate(rows)} for query, rows in run.items()}


def looked(lists: list[tuple[str, list[str]]], judged: dict[tuple[str, str], int]) -> np.ndarray:
    """The chance of a click at each position of each list; 0 beyond its end."""
    chances = np.zeros((len(lists), 2 * LENGTH))
    for row, (query, documents) in enumerate(lists):
        for place, document in enumerate(documents):
            grade = max(judged.get((query, document), 0), 0)
            chances[row, place] = max((2**grade - 1) / 8, 0.05) / (place + 1)
    return chances


def bucket(run: dict[str, list[str]], measure: Callable[[np.ndarray], np.ndarray]) -> Draw:
    chances = looked([*run.items()], grades())

    def draw(random: np.random.Generator, n: int) -> np.ndarray:
        shown = chances[random.integers(len(chances), size=n)]
        return measure(random.random(shown.shape) < shown)

    return draw


def interleaved(a: dict[str, list[str]], b: dict[str, list[str]]) -> Draw:
    """The credit of impressions, NaN without a click."""
    found = irev.interleave(scored(a), scored(b), draws=DRAWS, length=LENGTH)
    lists = [(query.decode(), each) for query, drawn in found.drawn.items() for each in drawn]
    chances = looked([(query, [one.decode() for one in each.documents]) for query, each in lists], grades())
    sides = np.zeros(chances.shape)
    for row, (_, each) in enumerate(lists):
        for place, team in enumerate(each.teams):
            sides[row, place] = {"A": 1, "B": -1}.get(team or "", 0)

    def draw(random: np.random.Generator, n: int) -> np.ndarray:
        shown = random.integers(len(chances), size=n)
        clicked = random.random((n, chances.shape[1])) < chances[shown]
        return np.where(clicked.any(axis=1), (clicked * sides[shown]).sum(axis=1), np.nan)

    return draw


def true(draw: Draw, random: np.random.Generator) -> tuple[float, float]:
    """The mean, and the share of impressions that count."""
    values = np.concatenate([draw(random, TRUE // 20) for _ in range(20)])
    return float(np.nanmean(values)), float((~np.isnan(values)).mean())


def ratio(values: np.ndarray) -> ratios.Ratio:
    values = values[~np.isnan(values)].astype(float)
    return ratios.ratio(values, np.ones(len(values)))


def deviation(draw: Draw, random: np.random.Generator) -> float:
    known = ratio(draw(random, PAST))
    return (known.error or 0.0) * known.n**0.5


def users_needed(effect: float, groups: int = 2) -> int | None:
    """Users of whom a t test at 0.05 finds an effect, a difference over the deviation of a user, with a chance of 80%;
    two groups are of the same size."""

    def enough(n: int) -> bool:
        freedom = n - groups
        moved = abs(effect) * (n / (4 if groups == 2 else 1)) ** 0.5
        return freedom > 0 and float(stats.nct.sf(stats.t.ppf(0.975, freedom), freedom, moved)) >= 0.8

    return fewest(enough)


def table(random: np.random.Generator, experiments: int) -> None:
    measures = {"share with a click": lambda of: of.any(axis=1), "clicks": lambda of: of.sum(axis=1)}
    runs = {name: run_of(name) for name in ("keyword", "hybrid", "semantic")}
    runs["swapped"] = swapped(runs["semantic"])
    print(f"\nImpressions that find the true difference with a chance of 80%; {experiments:,} experiments of each.\n")
    print(
        "| runs | A/B test by | difference | impressions | found | interleaved: credit | impressions | found | fewer |"
    )
    print("|---|---|---:|---:|---:|---:|---:|---:|---:|")
    for a, b in (("semantic", "keyword"), ("hybrid", "keyword"), ("semantic", "hybrid"), ("semantic", "swapped")):
        lists = interleaved(runs[a], runs[b])
        credit, share = true(lists, random)
        clicked = users_needed(credit / deviation(lists, random), groups=1) or 0
        shown = round(clicked / share)
        found = sum((ratios.p_of_zero(ratio(lists(random, shown))) or 1) <= 0.05 for _ in range(experiments))
        for name, measure in measures.items():
            draws = [bucket(runs[each], measure) for each in (a, b)]
            (one, _), (two, _) = (true(draw, random) for draw in draws)
            users = users_needed((one - two) / deviation(draws[1], random))
            if users is None:
                print(f"| {a}, {b} | {name} | {one - two:+.4f} | – | – | {credit:+.3f} | {shown:,} | | |", flush=True)
                continue
            tests = min(experiments, max(100, 20_000_000 // users))
            right = 0
            for _ in range(tests):
                both = [ratio(draw(random, users // 2)) for draw in draws]
                right += (ratios.difference(both[0], both[1], 0.95).p or 1) <= 0.05
            print(
                f"| {a}, {b} | {name} | {one - two:+.4f} | {users:,} | {100 * right / tests:.0f} | {credit:+.3f}"
                f" | {shown:,} | {100 * found / experiments:.0f} | {users / shown:.1f} times |",
                flush=True,
            )


def families(random: np.random.Generator, experiments: int) -> None:
    """Whether one difference among several is found with the queries that are planned for it."""
    print("\n| d_z | tests, correction | planned for one test | found | planned for all | found |")
    print("|---|---|---:|---:|---:|---:|")
    plan = Plan(samples=999)
    for effect in (0.25, 0.5):
        for runs, correction in ((3, "holm"), (10, "holm"), (5, "max-t")):
            pairs = [(a, b) for b in range(runs) for a in range(b) if a == 0 or correction == "max-t"]
            cells = []
            for tests in (1, len(pairs)):
                queries = queries_needed(effect, level(correction, 0.05, tests), 0.8) or 0
                found = 0
                for _ in range(experiments):
                    values = random.normal(0, 0.5**0.5, (queries, runs))
                    values[:, 1] += effect
                    if correction == "max-t":
                        p = by_maximum_t(values, pairs, plan)[0]
                    else:
                        changes = values[:, 1:] - values[:, :1]
                        p = adjusted("holm", stats.ttest_1samp(changes, 0).pvalue.tolist())[0]
                    found += p <= 0.05
                cells.append(f"{queries:,} | {100 * found / experiments:.0f}")
            print(f"| {effect} | {len(pairs)}, {correction} | {' | '.join(cells)} |", flush=True)


def pilots(random: np.random.Generator, experiments: int) -> None:
    """The power of the number of queries that a significant pilot asks for."""
    print("\n| true d_z | significant pilots, of 100 | true power of their numbers of queries |")
    print("|---|---:|---:|")
    for effect in (0.05, 0.1, 0.2, 0.3, 0.5):
        changes = random.normal(effect, 1, (10 * experiments, 50))
        measured = changes.mean(axis=1) / changes.std(axis=1, ddof=1)
        reached = measured[stats.ttest_1samp(changes, 0, axis=1).pvalue <= 0.05]
        chances = [power_of(queries_needed(each, 0.05, 0.8) or 2, effect, 0.05) for each in reached.tolist()]
        print(f"| {effect} | {10 * len(reached) / experiments:.0f} | {np.mean(chances):.2f} |", flush=True)


def few_differ(seed: int, experiments: int) -> None:
    """Gates where few queries differ, by normal differences of mean -0.05 and deviation 0.1."""
    print("\nOf 100 runs whose drop is shown to be smaller than 0.03: planned, by Student's t, and as it happens.\n")
    print("| differ | drop | queries | planned | t | shown |\n|---:|---:|---:|---:|---:|---:|")
    for share in (0.1, 0.2, 0.4):
        drop, spread = 0.05 * share, (share * (0.1**2 + 0.05**2) - (0.05 * share) ** 2) ** 0.5
        for n in (50, 100):
            random = np.random.default_rng([seed, n, int(10 * share)])
            differs = random.random((n, experiments)) < share
            values = np.where(differs, random.normal(-0.05, 0.1, differs.shape), 0.0)
            spans = of_differences(values, Plan(confidence=0.9), 1.0)
            shown = np.mean([span is not None and span.low > -0.03 for span in spans])
            errors = (unseen_error(n, share * n, 1.0), 0.0)
            planned, student = (shown_within(n, drop, 0.03, spread, 0.05, each) for each in errors)
            numbers = " | ".join(f"{100 * each:.1f}" for each in (planned, student, shown))
            print(f"| {100 * share:.0f}% | {drop:.3f} | {n} | {numbers} |", flush=True)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--experiments", type=int, default=1_000)
    parser.add_argument("--seed", type=int, default=0)
    asked = parser.parse_args()
    families(np.random.default_rng(asked.seed), asked.experiments)
    pilots(np.random.default_rng(asked.seed), asked.experiments)
    few_differ(asked.seed, 2 * asked.experiments)
    table(np.random.default_rng(asked.seed), asked.experiments)


if __name__ == "__main__":
    main()
