"""Measure tests and intervals that draw samples, for ten pairs of runs at once, against scipy for one pair.

Differences are normal; 100,000 samples on 1,000 queries, one thread. One warm-up, in which p-values and ends of
intervals are compared (they come of other random numbers, so they agree as far as so many samples do); then rounds of
irev, scipy, irev, scipy, …. What counts is the ratio within a round, and of these the median. `permutation_test` and
`bootstrap` are given vectorised statistics, and the batch that is fastest for them.

    python benchmarks/resampling.py
    python benchmarks/resampling.py --queries 50 --rounds 9
"""

from __future__ import annotations

import os
import statistics
import sys
import time
from collections.abc import Callable
from pathlib import Path

from shared import parser_of, spread

os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")  # as the command does

import numpy as np
import scipy.stats

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from irev.statistics import intervals, paired
from irev.statistics.plan import Plan

SAMPLES, PAIRS, BATCH = 100_000, 10, 1_000


def mean(values: np.ndarray, axis: int = -1) -> np.ndarray:
    """The statistic."""
    return values.mean(axis=axis)


def duels(queries: int) -> dict[str, tuple[Callable[[], float], Callable[[], float]]]:
    """For each method what irev does for all pairs, and scipy for the first; both give a number to compare."""
    rng = np.random.default_rng(1)
    differences = rng.normal(0.01, 0.2, (queries, PAIRS))
    one = differences[:, 0]
    plan = Plan(samples=SAMPLES)

    def flips() -> float:
        return float(paired.test("randomization", differences, plan)[0].p or 0.0)

    def scipy_flips() -> float:
        found = scipy.stats.permutation_test(
            (one,), mean, permutation_type="samples", n_resamples=SAMPLES, batch=BATCH, rng=2, vectorized=True
        )
        return float(found.pvalue)

    def bca() -> float:
        return float((intervals.interval("bca", differences, plan)[0] or (0.0,))[0])

    def scipy_bca() -> float:
        found = scipy.stats.bootstrap(
            (one,), mean, n_resamples=SAMPLES, batch=BATCH, method="BCa", rng=2, vectorized=True
        )
        return float(found.confidence_interval.low)

    return {"sign flips": (flips, scipy_flips), "BCa interval": (bca, scipy_bca)}


def timed(function: Callable[[], float]) -> float:
    """Seconds that a call takes."""
    begun = time.perf_counter()
    function()
    return time.perf_counter() - begun


def main() -> int:
    """Print a table."""
    arguments = parser_of(__doc__, queries=1_000, rounds=5).parse_args()
    print(
        f"{SAMPLES:,} samples, {arguments.queries:,} queries; irev: {PAIRS} pairs, scipy {scipy.__version__}: 1 pair\n"
    )
    print("| method | irev | scipy | scipy ÷ irev: min / median / max |\n|---|---|---|---|")
    for name, (ours, theirs) in duels(arguments.queries).items():
        if abs(ours() - theirs()) > 0.02:
            raise SystemExit(f"{name}: {ours()} and {theirs()}")
        rounds = [(timed(ours), timed(theirs)) for _ in range(arguments.rounds)]
        ratios = [other / mine for mine, other in rounds]
        seconds = (statistics.median(column) for column in zip(*rounds, strict=True))
        mine, other = (f"{value:.2f} s" for value in seconds)
        print(f"| {name} | {mine} | {other} | {spread(ratios)} |")
    return 0


if __name__ == "__main__":
    sys.exit(main())
