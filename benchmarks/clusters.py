"""How often tests of two equal runs err where queries depend on each other. Differences are made up.

Each experiment has G clusters of 5 queries in the mean: all of 5; 1 to 9, each as often; or geometric, where a few are
large. "alike" is the number of clusters of equal size that say as much, (Σ size)² / Σ size². The difference of a query
is √ρ·a + √(1 - ρ)·e, a being that of its cluster, so that two queries of a cluster have the intraclass correlation ρ.
a and e are normal, or skewed (exponentials less their mean). Sizes are drawn again for every 100 experiments.
Of 100 experiments without a true difference, how many have p ≤ 0.05: by

- the t test and by sign flips (999) of queries, and the same by clusters (`--clusters`);
- any of three pairs of runs, by clusters and the maximum-t method;
- and how many intervals by clusters miss a true difference of 0.5.

A second table has how many upper bounds of a share of queries (`irev check --max-share-losing`) are below the true
share, where a query loses with a chance that its cluster has by a beta distribution, of queries and by clusters.

A third table has how many intervals of corrected means (`irev llm-judge`) miss the truth, of queries and by clusters:
100 clusters of 5 queries have human and predicted values, both 0 in the mean, which share two thirds of their variance;
a human judged 100 queries, drawn alone or as 20 whole clusters.

python benchmarks/clusters.py [--experiments 6000] [--seed 0]     print the tables
"""

from __future__ import annotations

from collections.abc import Callable, Iterator

import numpy as np
from shared import parser_of

from irev.extensions.llm_judge.prediction_powered import corrected
from irev.statistics import intervals, maximum_t, paired
from irev.statistics.paired import cluster_sums, equal_clusters, jackknifed
from irev.statistics.plan import Plan

PLAN = Plan(samples=999)
TOGETHER = 100
SIZES: dict[str, Callable[[np.random.Generator, int], np.ndarray]] = {
    "5": lambda random, clusters: np.full(clusters, 5),
    "1 to 9": lambda random, clusters: random.integers(1, 10, clusters),
    "geometric": lambda random, clusters: random.geometric(0.2, clusters),
}
DRAWS: dict[str, Callable[[np.random.Generator, tuple[int, int]], np.ndarray]] = {
    "normal": lambda random, size: random.normal(0, 1, size),
    "skewed": lambda random, size: random.exponential(1, size) - 1,
}


def differences(
    random: np.random.Generator, draw: str, cluster: np.ndarray, correlation: float, columns: int
) -> np.ndarray:
    """(n, columns) Of queries in clusters, with mean 0 and variance 1."""
    of_cluster = DRAWS[draw](random, (int(cluster[-1]) + 1, columns))[cluster]
    alone = DRAWS[draw](random, (len(cluster), columns))
    return np.sqrt(correlation) * of_cluster + np.sqrt(1 - correlation) * alone


def errors(values: np.ndarray, cluster: np.ndarray) -> Iterator[float]:
    """How many of the columns err, for each of the ways."""
    rows, sums = jackknifed(values, cluster), cluster_sums(values, cluster)
    for name, taken in (("t", values), ("randomization", values), ("t", rows), ("randomization", sums)):
        yield sum((found.p or 0) <= PLAN.alpha for found in paired.test(name, taken, PLAN))
    pairs = [(0, 1), (0, 2), (1, 2)]
    threes = [sums[:, place : place + 3] for place in range(0, values.shape[1] - 2, 3)]
    found = [maximum_t.adjusted(three, pairs, PLAN).min() <= PLAN.alpha for three in threes]
    yield float(np.mean(found)) * values.shape[1]
    spans = intervals.interval("t", jackknifed(values + 0.5, cluster), PLAN)
    yield sum(span is not None and not span.low <= 0.5 <= span.high for span in spans)


def table(random: np.random.Generator, experiments: int, draw: str, sizes: str, clusters: int) -> Iterator[str]:
    """A row for each correlation."""
    for correlation in (0.0, 0.3, 0.6):
        total, alike = np.zeros(6), 0.0
        for _ in range(experiments // TOGETHER):
            cluster = np.repeat(np.arange(clusters), SIZES[sizes](random, clusters))
            alike += equal_clusters(cluster) / (experiments // TOGETHER)
            total += [*errors(differences(random, draw, cluster, correlation, TOGETHER), cluster)]
        found = total / (experiments // TOGETHER) / TOGETHER
        about = (draw, f"{clusters}", sizes, f"{alike:.1f}", f"{correlation:.1f}")
        cells = (*about, *(f"{100 * share:.1f}" for share in found))
        yield f"| {' | '.join(cells)} |"


def bounds(random: np.random.Generator, experiments: int, sizes: str, clusters: int) -> Iterator[str]:
    """A row for each correlation and share."""
    for correlation in (0.3, 0.6):
        for true in (0.05, 0.1):
            missed = np.zeros(2)
            strength = (1 - correlation) / correlation
            for _ in range(experiments):
                size = SIZES[sizes](random, clusters)
                chance = random.beta(true * strength, (1 - true) * strength, clusters)
                count, of = int(random.binomial(size, chance).sum()), int(size.sum())
                alike = float((size**2).sum()) / of
                missed += [intervals.share(count, of, 0.5, 0.05, each).high < true for each in (1.0, alike)]
            cells = (f"{clusters}", sizes, f"{correlation:.1f}", f"{100 * true:.0f}%")
            yield f"| {' | '.join((*cells, *(f'{100 * each / experiments:.1f}' for each in missed)))} |"


def predicted(random: np.random.Generator, experiments: int, whole: bool) -> Iterator[str]:
    """A row for each correlation."""
    cluster = np.repeat(np.arange(100), 5)
    for correlation in (0.0, 0.3, 0.6):
        missed = np.zeros(2)
        for _ in range(experiments):
            columns = differences(random, "normal", cluster, correlation, 3)
            human, model = (columns[:, 0] * np.sqrt(2) + columns[:, place] for place in (1, 2))
            if whole:
                judged = np.flatnonzero(np.isin(cluster, random.choice(100, 20, replace=False)))
            else:
                judged = np.sort(random.choice(500, 100, replace=False))
            for place, of in enumerate((None, cluster)):
                span = corrected(human[judged], model, judged, cluster=of).interval(0.95)
                missed[place] += span is None or not span.low <= 0 <= span.high
        cells = (
            "clusters" if whole else "queries",
            f"{correlation:.1f}",
            *(f"{100 * m / experiments:.1f}" for m in missed),
        )
        yield f"| {' | '.join(cells)} |"


def main() -> None:
    options = parser_of(__doc__, experiments=6000, seed=0).parse_args()
    random = np.random.default_rng(options.seed)
    print("| values | clusters | sizes | alike | ρ | t | flips | by clusters: t | flips | max-t | interval |")
    print("|---|---|---|---|---|---|---|---|---|---|---|")
    for draw in DRAWS:
        for sizes in SIZES:
            for clusters in (8, 12, 25, 50):
                for row in table(random, options.experiments, draw, sizes, clusters):
                    print(row, flush=True)
    print("\n| clusters | sizes | ρ | share | bound of queries | by clusters |")
    print("|---|---|---|---|---|---|")
    for sizes in ("5", "geometric"):
        for clusters in (25, 50, 200):
            for row in bounds(random, options.experiments, sizes, clusters):
                print(row, flush=True)
    print("\n| drawn | ρ | intervals of queries miss | by clusters |")
    print("|---|---|---|---|")
    for whole in (False, True):
        for row in predicted(random, options.experiments, whole):
            print(row, flush=True)


if __name__ == "__main__":
    main()
