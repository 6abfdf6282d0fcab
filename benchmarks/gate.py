"""When does a gate turn red? How often conditions of ``irev check`` fail, by simulation.

    nice python benchmarks/gate.py                # some minutes; prints the tables of docs/check.md
    nice python benchmarks/gate.py --trials 500   # a quick look
    nice python benchmarks/gate.py --write        # replaces the tables there

The scores are those of `significance`: values like AP of two systems that agree on which queries are hard, drawn from
margins and a copula that were fitted to scores, with means that are apart by a drop that is known. All tests have one
side and the level 0.05, and the drop that is allowed is `ALLOWED`.

Drops
    The conditions that are about a drop, as far as the drop is large. By value: it fails when the measured drop is
    larger than is allowed. Significant: when it is shown to be larger than is allowed, by the t test. Any drop: when
    there is shown to be one, and the measured one is larger than is allowed. No worse: unless it is shown to be smaller
    than is allowed.

Tests
    The same condition, significant, by each of the tests.

Rare losses
    A share `RARE` of queries lose `LOSS`, so that the true drop is their product; all others differ by a normal number
    with a standard deviation of 0.02, and one side's mean is not moved by these. How often the run passes a condition
    that it should not pass: to be no worse than by that drop, and to have at most half of that share of losing queries.

The error given with each table is the largest binomial one.
"""

from __future__ import annotations

import argparse
import sys
import time
from pathlib import Path

import numpy as np
from significance import Fitted, Floats, batches, deviation, error, fitted, percent, same, table

from irev.statistics import paired
from irev.statistics.intervals import share
from irev.statistics.plan import Plan

PAGE = Path(__file__).resolve().parent.parent / "docs" / "check.md"
BEGIN, END = "<!-- simulation: begin -->", "<!-- simulation: end -->"

ALPHA = 0.05
ALLOWED = 0.01
DROPS = (0.0, 0.005, 0.01, 0.02, 0.03, 0.05)
SIZES = (50, 200, 1000)
RARE, LOSS = 0.04, 0.5
RARE_SIZES = (25, 50, 100, 200, 500)
POOL = 200


def main() -> int:
    """Simulate, and print or write the tables."""
    parser = argparse.ArgumentParser(description="How often a gate fails, by simulation.")
    parser.add_argument("--trials", type=int, default=4_000, help="simulated checks for each number")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--write", action="store_true", help="replace the tables in docs/check.md")
    options = parser.parse_args()
    began = time.monotonic()
    fit = fitted(POOL, 2, 0, np.random.default_rng([options.seed, 0]))
    blocks = [
        by_rule(fit, options.trials, options.seed),
        rare(options.trials, options.seed),
    ]
    text = "\n\n".join(blocks) + "\n"
    print(text)
    if options.write:
        before, _, rest = PAGE.read_text(encoding="utf-8").partition(BEGIN)
        PAGE.write_text(f"{before}{BEGIN}\n\n{text}\n{END}{rest.partition(END)[2]}", encoding="utf-8")
    print(f"{time.monotonic() - began:.0f} s", file=sys.stderr)
    return 0


def gains(fit: Fitted, drop: float, queries: int, trials: int, random: np.random.Generator) -> Floats:
    """Differences (queries, trials), of which the true mean is -drop."""
    means = same(fit)
    margins = fit.margins(means + np.array([0.0, -drop]))
    found = []
    for batch in batches(trials, queries):
        pair = margins.drawn(queries, batch % POOL, random)
        found.append(pair[:, 1] - pair[:, 0])
    return np.concatenate(found, axis=1)


def shown(values: Floats, side: str) -> np.ndarray:
    """In which columns the t test shows that the mean is on a side of 0."""
    found = paired.test("t", values, Plan(alternative=side))
    return np.array([tested.p is not None and tested.p <= ALPHA for tested in found])


def by_rule(fit: Fitted, trials: int, seed: int) -> str:
    """How often each condition fails."""
    rows = []
    for queries in SIZES:
        count = trials if queries < SIZES[-1] else trials // 5
        for place, drop in enumerate(DROPS):
            found = gains(fit, drop, queries, count, np.random.default_rng([seed, 1, queries, place]))
            exceeded = -found.mean(axis=0) > ALLOWED
            red = (
                exceeded,
                exceeded & shown(found + ALLOWED, "less"),
                ~shown(found + ALLOWED, "greater"),
            )
            rows.append([f"{queries:,}", f"{drop:g}", *map(percent, red)])
    spread = float(deviation(fit.margins(same(fit)), np.random.default_rng(seed)).mean())
    title = (
        f"Builds that turn red, of 100, where a drop of {ALLOWED} is allowed; differences of queries have a standard"
        f" deviation of {spread:.2f} on average; ± {error(0.5, trials)}, at 1,000 queries ± {error(0.5, trials // 5)}."
    )
    options = ("`--max-drop`", "with `--significant`", "`--no-worse-than`")
    return title + "\n\n" + table(["queries", "true drop", *options], rows)


def rare(trials: int, seed: int) -> str:
    """How often a run passes of which a few queries lose much."""
    rows, drop = [], RARE * LOSS
    for queries in RARE_SIZES:
        random = np.random.default_rng([seed, 3, queries])
        lost = random.random((queries, trials)) < RARE
        found = np.where(lost, -LOSS, random.normal(0.0, 0.02, lost.shape))
        counts = lost.sum(axis=0).tolist()
        bounds = {count: share(count, queries, RARE / 2, ALPHA).high for count in set(counts)}
        few = np.array([bounds[count] <= RARE / 2 for count in counts])
        rows.append([f"{queries:,}", percent(shown(found + drop, "greater")), percent(few)])
    title = (
        f"Builds that stay green, of 100, where {100 * RARE:g}% of queries lose {LOSS}, which is a drop of {drop:g}; ±"
        f" {error(0.5, trials)}."
    )
    header = ["queries", f"`--no-worse-than {drop:g}`", f"`--max-share-losing '>0.2={50 * RARE:g}%'`"]
    return title + "\n\n" + table(header, rows)


if __name__ == "__main__":
    sys.exit(main())
