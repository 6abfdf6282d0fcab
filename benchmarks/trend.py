"""How often `irev trend` finds a planted fall at its build, and one where there is none. Histories are made up.

A history has 30 builds and the values of 200 queries. From a build drawn between the 9th and the 26th on all values are
lower by 0.3 standard deviations of the noise. The noise is

- new in every build: normal; skewed (a squared exponential); rare losses (5 of 100 queries lose the same);
- or new in every third build, which is a new version of the system; the builds between are equal;
- or that of one change: all builds are equal, up to the one that falls.

A second table has histories of changes that stay: in each of 29 builds some queries lose 0.01 and a tenth as many gain
0.1, so that the true mean stays as it is; how many have a false fall. A third has how many have one in any of 27
measures of one run, which have half of the variance of their noise in common, at 5% for each and for all.

python benchmarks/trend.py [--histories 1000] [--seed 0]     print the tables
"""

from __future__ import annotations

import argparse
import math
from collections.abc import Callable

import numpy as np
from shared import parser_of

from irev.statistics.shifts import ALPHA, shifts

BUILDS, QUERIES, NOISE, FALL, MEASURES = 30, 200, 0.1, 0.3, 27
Draw = Callable[[np.random.Generator, tuple[int, int]], np.ndarray]


def _normal(random: np.random.Generator, size: tuple[int, int]) -> np.ndarray:
    return random.normal(0, 1, size)


def _skewed(random: np.random.Generator, size: tuple[int, int]) -> np.ndarray:
    return (random.exponential(1, size) ** 2 - 2) / math.sqrt(20)


def _losses(random: np.random.Generator, size: tuple[int, int]) -> np.ndarray:
    return -((random.random(size) < 0.05) - 0.05) / math.sqrt(0.05 * 0.95)


def _versions(random: np.random.Generator, size: tuple[int, int]) -> np.ndarray:
    return np.repeat(_normal(random, (size[0] // 3, size[1])), 3, axis=0)


NOISES: dict[str, Draw] = {
    "normal, new in every build": _normal,
    "skewed, new in every build": _skewed,
    "rare losses, new in every build": _losses,
    "normal, new in every third build": _versions,
}


def _staying(random: np.random.Generator, queries: int, lost: float) -> np.ndarray:
    """Values of queries, of which some lose a little and few gain much in each build."""
    drawn = random.random((BUILDS - 1, queries))
    changes = np.where(drawn < lost, -0.01, 0.0) + np.where(drawn > 1 - lost / 10, 0.1, 0.0)
    return random.beta(1, 2, queries) + np.vstack([np.zeros(queries), np.cumsum(changes, axis=0)])


def _falls(values: np.ndarray, alpha: float = ALPHA) -> bool:
    return any(shift.difference < 0 for shift in shifts(values, alpha))


def _staying_and_together(options: argparse.Namespace) -> None:
    """Print the second and the third table."""
    print("\n| queries | that lose in each build | a false fall |\n|---|---|---|")
    for queries in (50, 200, 1000):
        for lost in (0.03, 0.1, 0.3):
            random = np.random.default_rng(options.seed)
            false = sum(_falls(_staying(random, queries, lost)) for _ in range(options.histories))
            print(f"| {queries:,} | {lost:.0%} | {false / options.histories:.1%} |", flush=True)
    random, histories = np.random.default_rng(options.seed), options.histories // 10
    false = np.zeros(2)
    for _ in range(histories):
        common = _normal(random, (BUILDS, QUERIES))
        series = [common + _normal(random, common.shape) for _ in range(MEASURES)]
        false += [any(_falls(each, alpha) for each in series) for alpha in (ALPHA, ALPHA / MEASURES)]
    print("\n| 5% for | a false fall in any of 27 measures |\n|---|---|")
    print(f"| each | {false[0] / histories:.1%} |\n| all, --family all | {false[1] / histories:.1%} |")


def main() -> None:
    options = parser_of(__doc__, histories=1000, seed=0).parse_args()
    print("| noise | found at its build | found at most one build away | a false fall where nothing changes |")
    print("|---|---|---|---|")
    for name, draw in {**NOISES, "none but that of the change": None}.items():
        random = np.random.default_rng(options.seed)
        exact = near = false = 0
        for _ in range(options.histories):
            level = random.beta(1, 2, QUERIES)
            place = int(random.integers(8, 26))
            if draw is None:
                values = np.tile(level, (BUILDS, 1))
                changed = values.copy()
                changed[place:] += NOISE * random.normal(-FALL, 1, QUERIES)
            else:
                values = level + NOISE * draw(random, (BUILDS, QUERIES))
                changed = values.copy()
                changed[place:] -= NOISE * FALL
            false += any(shift.difference < 0 for shift in shifts(values))
            falls = [shift.at for shift in shifts(changed) if shift.difference < 0]
            exact += falls[:1] == [place]
            near += any(abs(at - place) <= 1 for at in falls)
        print(
            "| " + " | ".join([name, *(f"{each / options.histories:.1%}" for each in (exact, near, false))]) + " |",
            flush=True,
        )
    _staying_and_together(options)


if __name__ == "__main__":
    main()
