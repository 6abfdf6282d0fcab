"""Time and memory of recall over arrays of neighbours: `irev eval`, irev in Python from paths and from arrays, and
numpy, which reads both and compares sorted rows.

    python benchmarks/neighbours.py              # a million queries of 100 neighbours, five rounds
    python benchmarks/neighbours.py 100000 3

All run as whole processes, in turns, and ratios are those of a round. What they print has to be the same. The inputs,
800 MB for a million queries, are made once, in benchmarks/data. In Python, irev should take no more than 1.3 times the
time and memory of the command: from arrays, that is beside the memory of the arrays.
"""

from __future__ import annotations

import os
import statistics
import subprocess
import sys
import time
from pathlib import Path

import numpy as np

HERE = Path(__file__).parent
DATA = HERE / "data"
WIDTH, BASE, CUTOFFS = 100, 1_000_000, (1, 10, 100)

NUMPY = f"""
import sys
import numpy as np
truth, found = (np.load(path, mmap_mode="r") for path in sys.argv[1:])
counts = dict.fromkeys({CUTOFFS}, 0)
for begin in range(0, len(truth), 4096):
    of_truth, of_found = truth[begin : begin + 4096], found[begin : begin + 4096]
    for k in counts:
        both = np.concatenate((np.sort(of_truth[:, :k], axis=1), np.sort(of_found[:, :k], axis=1)), axis=1)
        both.sort(axis=1)
        counts[k] += int(np.count_nonzero(both[:, 1:] == both[:, :-1]))
print(*(f"{{count / len(truth) / k:.4f}}" for k, count in counts.items()))
"""

PYTHON = f"""
import sys
import irev
found = irev.evaluate(*sys.argv[1:], [f"kNNRecall@{{k}}" for k in {CUTOFFS}])
for value in found.mean().values():
    print(f"{{value:.4f}}")
"""
ARRAYS = PYTHON.replace("*sys.argv[1:]", "*(irev.top_k(numpy.load(path)) for path in sys.argv[1:])").replace(
    "import irev", "import irev, numpy"
)


def made(queries: int) -> tuple[str, str]:
    """Files of true neighbours, and of found ones, nearly in their order, of which 8 in 100 are others."""
    paths = DATA / f"truth-{queries}.npy", DATA / f"found-{queries}.npy"
    if not all(path.exists() for path in paths):  # by another process: what this one takes counts for those it starts
        subprocess.run([sys.executable, "-c", f"import neighbours; neighbours.make({queries})"], cwd=HERE, check=True)
    return str(paths[0]), str(paths[1])


def make(queries: int) -> None:
    """Write the two files."""
    paths = DATA / f"truth-{queries}.npy", DATA / f"found-{queries}.npy"
    DATA.mkdir(exist_ok=True)
    tables = [np.lib.format.open_memmap(path, "w+", np.int32, (queries, WIDTH)) for path in paths]
    chance = np.random.default_rng(1)
    for begin in range(0, queries, 10_000):
        size = min(10_000, queries - begin)
        step = BASE // WIDTH
        truth = chance.permuted(chance.integers(0, step, (size, WIDTH)) + np.arange(WIDTH) * step, axis=1)
        order = np.argsort(np.arange(WIDTH) + chance.normal(0, 3, (size, WIDTH)), axis=1)
        found = np.take_along_axis(truth, order, axis=1) + BASE * (chance.random((size, WIDTH)) < 0.08)
        tables[0][begin : begin + size], tables[1][begin : begin + size] = truth, found
    for table in tables:
        table.flush()


def run(command: list[str]) -> tuple[float, float, float, list[str]]:
    """Seconds, those of processors, the peak in MB, and the numbers that were printed."""
    begin = time.perf_counter()
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
        printed = process.stdout.read() if process.stdout else ""
        _, status, usage = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode:
        raise SystemExit(f"{command[:4]} ended with status {process.returncode}")
    numbers = [word for word in printed.split() if word[0].isdigit() and "." in word]
    return time.perf_counter() - begin, usage.ru_utime + usage.ru_stime, usage.ru_maxrss * 1024 / 1e6, numbers


def main(queries: int = 1_000_000, rounds: int = 5) -> None:
    files = made(queries)
    names = [word for k in CUTOFFS for word in ("-m", f"kNNRecall@{k}")]
    ways = {
        "irev": [sys.executable, "-m", "irev", "eval", *names, *files],
        "paths": [sys.executable, "-c", PYTHON, *files],
        "arrays": [sys.executable, "-c", ARRAYS, *files],
        "numpy": [sys.executable, "-c", NUMPY, *files],
    }
    if len({tuple(run(way)[3]) for way in ways.values()}) > 1:
        raise SystemExit("the numbers differ")
    found = [{name: run(way) for name, way in ways.items()} for _ in range(rounds)]
    for name in ways:
        wall, busy, most = (statistics.median(each[name][i] for each in found) for i in range(3))
        ratios = [statistics.median(each[name][i] / each["irev"][i] for each in found) for i in range(3)]
        said = "{:.2f} of its time, {:.2f} of its processor time, {:.2f} of its memory".format(*ratios)
        print(f"{name:6} {wall:6.2f} s, {busy:6.2f} s of processors, {most:5.0f} MB; against irev eval {said}")


if __name__ == "__main__":
    main(*map(int, sys.argv[1:3]))
