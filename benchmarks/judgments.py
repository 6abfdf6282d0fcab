"""Measure what looks after judgments, `irev judges`, `coverage` and `pool`, against `irev eval -c` of the same runs.

Whole processes: one warm-up of each, then rounds of eval and the others in turn; processor time of each and all of its
children, with the ratio to eval within a round, and the peak memory of the largest of its processes. The goal is less
than ten times eval.

    python benchmarks/judgments.py
    python benchmarks/judgments.py --topics 50 --runs 10 --rounds 9
"""

from __future__ import annotations

import os
import random
import sys
import tempfile
from contextlib import ExitStack
from pathlib import Path

from shared import Used, parser_of, spread, used_by

MEASURES = ("-m", "AP", "-m", "nDCG@10")
COLUMNS = ("command", "÷ eval: min / median / max", "peak")


def written(folder: Path, topics: int, runs: int, depth: int) -> tuple[str, str, list[str]]:
    """Two judges of the likeliest documents of each topic, and runs that have each its own order of them."""
    chance = random.Random(1)
    names = ["first", "second", *(f"run{number}" for number in range(runs))]
    with ExitStack() as opened:
        first, second, *others = (opened.enter_context(open(folder / name, "w")) for name in names)
        for topic in range(topics):
            pool = [f"doc-{number:09d}" for number in chance.sample(range(8_000_000), 2 * depth)]
            for document in pool[: depth // 2 : 2]:
                grade = chance.choice((0, 0, 0, 1, 2, 3))
                for file, given in ((first, grade), (second, max(grade + chance.choice((-1, 0, 0, 1)), 0))):
                    file.write(f"{topic} 0 {document} {given}\n")
            for number, file in enumerate(others):
                order = sorted(range(len(pool)), key=lambda i: i + chance.gauss(0, depth / 5))[:depth]
                file.write("".join(f"{topic} Q0 {pool[i]} {n} {-n} run{number}\n" for n, i in enumerate(order)))
    paths = [str(folder / name) for name in names]
    return paths[0], paths[1], paths[2:]


def measured(*arguments: str) -> Used:
    """What irev takes."""
    return used_by([sys.executable, "-m", "irev", *arguments])


def main() -> int:
    """Print a table."""
    arguments = parser_of(__doc__, topics=250, runs=60, depth=1000, rounds=3).parse_args()
    with tempfile.TemporaryDirectory() as name:
        first, second, runs = written(Path(name), arguments.topics, arguments.runs, arguments.depth)
        plain = ["eval", "-c", *MEASURES, first, *runs]
        commands = {
            "irev coverage": ["coverage", *MEASURES, first, *runs],
            "irev judges --run": ["judges", *MEASURES, *(w for run in runs for w in ("--run", run)), first, second],
            "irev pool --depth 100": ["pool", "--depth", "100", "-o", os.devnull, *runs],
        }
        measured(*plain)
        peaks = dict.fromkeys(commands, 0.0)
        ratios: dict[str, list[float]] = {command: [] for command in commands}
        for _ in range(arguments.rounds):
            base = measured(*plain).processor
            for command, words in commands.items():
                found = measured(*words)
                ratios[command].append(found.processor / base)
                peaks[command] = max(peaks[command], found.peak)
    print(f"| {' | '.join(COLUMNS)} |\n|{'---|' * len(COLUMNS)}")
    for command, each in ratios.items():
        print(f"| `{command}` | {spread(each, 2)} | {peaks[command]:.0f} MB |")
    return 0


if __name__ == "__main__":
    sys.exit(main())
