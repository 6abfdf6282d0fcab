"""What more processors would give one large run: times with those that are here, and a model of those that are not.

    python benchmarks/scaling.py                    # the input msmarco, made if it is missing
    python benchmarks/scaling.py --rounds 9

A run takes serial + parallel / n seconds with n processes on as many processors: `serial` is what one process does
alone (imports, judgments, joining what others send, output), `parallel` what they share out. Both are fitted to the
medians that are measured, which take turns within a round. A bound is printed beside them, which the model leaves out
as long as it is far: the bytes that all processes together would fetch from memory in a second, against those that a
copy of an array moves here.
"""

from __future__ import annotations

import os
import statistics
import subprocess
import sys
import time
from pathlib import Path

import generate
import numpy as np
from shared import parser_of, used_by

WANTED = (1, 2, 4, 8, 16, 32, 64)
PAST_CACHE = 3
"""Passes over the bytes of a chunk that memory has to serve: the file's pages are read, written to a buffer, and read
from there when they have left the cache. All others find them in it (benchmarks/passes.py counts them)."""


def main() -> None:
    """Print the table."""
    parser = parser_of(__doc__, rounds=7)
    parser.add_argument("--run", type=Path)
    parser.add_argument("--qrels", type=Path)
    options = parser.parse_args()
    if options.run is None:
        folder = generate.DEFAULT_FOLDER
        generate.generate(["msmarco"], folder, generate.seed_of(folder) or generate.DEFAULT_SEED)
        options.run, options.qrels = folder / "msmarco.run", folder / "msmarco.qrels"
    size = options.run.stat().st_size
    with open(options.run, "rb") as file:
        lines = sum(block.count(b"\n") for block in iter(lambda: file.read(1 << 24), b""))
    here = [n for n in WANTED if n <= len(os.sched_getaffinity(0))]
    files = [str(options.qrels), str(options.run)]
    wall: dict[int, list[float]] = {n: [] for n in here}
    processor: dict[int, list[float]] = {n: [] for n in here}
    for _ in range(options.rounds + 1):  # the first one warms up
        for n in here:
            took, used = timed([sys.executable, "-m", "irev", "eval", "-j", str(n), *files], n)
            wall[n].append(took)
            processor[n].append(used)
    median = {n: statistics.median(wall[n][1:]) for n in here}
    if len(here) > 1:
        shares = np.array([[1.0, 1.0 / n] for n in here])
        serial, parallel = np.linalg.lstsq(shares, np.array([median[n] for n in here]), rcond=None)[0].tolist()
    else:
        serial, parallel = float("nan"), median[1]
    print(f"{lines:,} lines, {size:,} bytes, {options.rounds} rounds; medians")
    print("| processors | seconds | times one | million lines a second | |")
    print("|---|---|---|---|---|")
    for n in WANTED:
        seconds = median[n] if n in here else serial + parallel / n
        kind = "measured" if n in here else "follows"
        print(f"| {n} | {seconds:.2f} | {median[1] / seconds:.1f} | {lines / seconds / 1e6:.1f} | {kind} |")
    used = {n: statistics.median(processor[n][1:]) for n in here}
    print(f"serial {serial:.3f} s, shared out {parallel:.3f} s")
    print(", ".join(f"{used[n] / lines * 1e6:.3f} s of processors per million lines, {n} processes" for n in here))
    moved = copied()
    most = max(WANTED)
    wanted = PAST_CACHE * size / (serial + parallel / most) / 1e9
    print(f"a copy moves {moved:.1f} GB a second here; {most} processes would ask for {wanted:.1f}")


def timed(command: list[str], processors: int) -> tuple[float, float]:
    """Seconds that a command takes on so many processors, and of these that it and its children use."""
    mine = sorted(os.sched_getaffinity(0))[:processors]
    found = used_by(["taskset", "-c", ",".join(map(str, mine)), *command], cwd=None, stderr=subprocess.DEVNULL)
    return found.wall, found.processor


def copied() -> float:
    """Gigabytes read and written in a second by one process that copies what fits into no cache."""
    source, target = np.ones(1 << 28, np.uint8), np.empty(1 << 28, np.uint8)
    best = 0.0
    for _ in range(5):
        begin = time.perf_counter()
        np.copyto(target, source)
        best = max(best, 2 * len(source) / (time.perf_counter() - begin) / 1e9)
    return best


if __name__ == "__main__":
    main()
