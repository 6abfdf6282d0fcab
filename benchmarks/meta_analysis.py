"""How often a difference on several collections is found that is not there, and how often predictions hold.

The true differences on collections have the mean 0 and a given standard deviation, those of queries 0.2. Of 100
experiments, how many find a difference at α = 0.05: by the mean of all collections weighed by their errors, as if they
had one true difference (fixed effect); by random effects with an interval of the normal distribution, and with Hartung
and Knapp's; by random effects, where the latter is modified, and by the macro average of
`irev.extensions.studies.statistics.meta_analysis`. And how many prediction intervals hold the true difference on one
more collection.

python benchmarks/meta_analysis.py [--experiments 10000] [--seed 0]     print the table
"""

from __future__ import annotations

import numpy as np
from scipy import stats
from shared import parser_of

from irev.extensions.studies.statistics.meta_analysis import macro_average, random_effects
from irev.statistics.intervals import quantile

Random = np.random.Generator

SIZES = {
    "2 of 50 queries": (50,) * 2,
    "50 and 7,405 queries": (50, 7405),
    "3 of 50 queries": (50,) * 3,
    "5 of 50 queries": (50,) * 5,
    "10 of 50 queries": (50,) * 10,
    "50, 648 and 7,405 queries": (50, 648, 7405),
    "5 of 50 to 7,405 queries": (50, 300, 1000, 3452, 7405),
    "10 of 49 to 7,405 queries": (49, 50, 300, 323, 648, 1000, 1406, 3452, 6666, 7405),
}
"""Queries of collections; the last are of sizes such as BEIR's."""


def experiment(random: Random, sizes: np.ndarray, spread: float) -> tuple[float, ...]:
    """Which of the five ways find a difference, and whether the prediction interval holds."""
    true, another = random.normal(0, spread, len(sizes)), random.normal(0, spread)
    measured = random.normal(true, 0.2 / np.sqrt(sizes))
    variances = 0.2**2 * random.chisquare(sizes - 1) / (sizes - 1) / sizes
    fixed = 1 / variances
    found = random_effects(measured, variances)
    weights = 1 / (variances + found.tau_squared)
    normal = found.over.mean * np.sqrt(weights.sum())
    spread = (weights * (measured - found.over.mean) ** 2).sum() / (len(sizes) - 1)
    low, high = found.predicted or (np.nan, np.nan)
    # metafor's prediction interval has one degree of freedom more.
    narrower = np.nan if len(sizes) == 2 else quantile(len(sizes), 0.95) / quantile(len(sizes) - 1, 0.95)
    return (
        2 * stats.norm.sf(abs((fixed * measured).sum()) / np.sqrt(fixed.sum())) <= 0.05,
        2 * stats.norm.sf(abs(normal)) <= 0.05,
        2 * stats.t.sf(abs(normal) / np.sqrt(spread), len(sizes) - 1) <= 0.05,
        (found.over.p or 1) <= 0.05,
        (macro_average(measured).p or 1) <= 0.05,
        low <= another <= high if found.predicted else np.nan,
        abs(another - found.over.mean) <= narrower * (high - low) / 2 if found.predicted else np.nan,
    )


def main() -> None:
    asked = parser_of(__doc__, experiments=10_000, seed=0).parse_args()
    random = np.random.default_rng(asked.seed)
    print(
        "| collections | SD between | fixed effect | normal | Hartung-Knapp | modified | macro average"
        " | prediction holds | with k - 1 |"
    )
    print("|---|---|---|---|---|---|---|---|---|")
    for name, sizes in SIZES.items():
        for spread in (0.0, 0.01, 0.03, 0.1):
            found = np.mean([experiment(random, np.array(sizes), spread) for _ in range(asked.experiments)], axis=0)
            cells = ("–" if np.isnan(each) else f"{100 * each:.1f}" for each in found)
            print(f"| {name} | {spread:g} | {' | '.join(cells)} |", flush=True)


if __name__ == "__main__":
    main()
