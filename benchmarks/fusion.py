"""Measure `irev fuse` against ranx, as whole processes: files in, a file out, starting up included.

ranx reads TREC's files, fuses and saves the fused run by its own functions. It compiles what it runs with numba and
keeps that beside itself: `warm` is with all of it there, `cold` with none, as in a container that was just made. One
warm-up of each, in which the scores of both are compared; then rounds of irev and ranx in turn, and of each round the
ratio of wall time and of processor time. The goal is ten times.

    python benchmarks/fusion.py
    python benchmarks/fusion.py --runs 3 --queries 50 --depth 100 --rounds 5
    python benchmarks/fusion.py --method combsum --cold
"""

from __future__ import annotations

import math
import os
import statistics
import subprocess
import sys
import tempfile
from concurrent.futures import ProcessPoolExecutor
from multiprocessing import get_context
from pathlib import Path

from shared import Used, parser_of, used_by

OF_RANX = {
    "rrf": ("rrf", None),
    "combsum": ("sum", "min-max"),
    "combmnz": ("mnz", "min-max"),
    "borda": ("bordafuse", None),
}
"""What ranx calls a method, and the normalisation before it."""

RANX = """
import sys
from ranx import Run, fuse
method, norm, output, *paths = sys.argv[1:]
runs = [Run.from_file(path, kind="trec") for path in paths]
fused = fuse(runs, norm=norm if norm != "None" else None, method=method)
fused.name = method
fused.save(output, kind="trec")
"""


def written(folder: Path, runs: int, queries: int, depth: int) -> list[str]:
    """Runs that have most of their documents in common, by falling score, without ties."""
    import numpy as np

    rng = np.random.default_rng(1)
    paths = [folder / f"run{number}.run" for number in range(runs)]
    files = [path.open("w") for path in paths]
    for query in range(queries):
        pool = rng.choice(8_841_823, 3 * depth, replace=False)
        for number, file in enumerate(files):
            score = np.log(3 * depth / np.arange(1, 3 * depth + 1)) + rng.normal(size=3 * depth)
            first = np.argsort(-score)[:depth]
            file.writelines(
                f"{1000 + query} Q0 {document} {rank} {value:.9f} run{number}\n"
                for rank, (document, value) in enumerate(
                    zip(pool[first].tolist(), score[first].tolist(), strict=True), start=1
                )
            )
    for file in files:
        file.close()
    return [str(path) for path in paths]


def measured(words: list[str], environment: dict[str, str]) -> Used:
    """What a command takes that has these variables, too."""
    return used_by(words, env={**os.environ, **environment}, stderr=subprocess.DEVNULL)


def apart(ours: Path, theirs: Path) -> float:
    """By how much scores of two files differ at most; infinite where their documents do."""
    found, others = scores(ours), scores(theirs)
    return max(abs(found[each] - others[each]) for each in found) if found.keys() == others.keys() else math.inf


def scores(path: Path) -> dict[tuple[str, str], float]:
    """The score of each query and document of a file."""
    fields = (line.split() for line in path.read_text().splitlines())
    return {(query, document): float(score) for query, _, document, _, score, _ in fields}


def main() -> int:
    """Print a table."""
    parser = parser_of(__doc__, runs=5, queries=500, depth=1000, rounds=3)
    parser.add_argument("--method", choices=OF_RANX, action="append")
    parser.add_argument("--cold", action="store_true", help="also with nothing compiled")
    arguments = parser.parse_args()
    # This process stays small: Linux starts the peak of a child at that of the process it was forked from.
    elsewhere = ProcessPoolExecutor(1, get_context("spawn"))
    with tempfile.TemporaryDirectory() as name, elsewhere:
        folder = Path(name)
        paths = elsewhere.submit(written, folder, arguments.runs, arguments.queries, arguments.depth).result()
        kept = {"NUMBA_CACHE_DIR": str(folder / "compiled")}
        print(f"{arguments.runs} runs of {arguments.queries} queries and {arguments.depth} documents")
        print(f"{'method':10}{'ranx is':8}{'÷ irev by the clock, of processors':>36}{'peak MB: irev, ranx':>24}")
        for method in arguments.method or ["rrf", "combsum"]:
            ours, theirs = folder / "ours.run", folder / "theirs.run"
            irev = [sys.executable, "-m", "irev", "fuse", "--method", method, "-o", str(ours), *paths]
            ranx = [sys.executable, "-c", RANX, *map(str, OF_RANX[method]), str(theirs), *paths]
            measured(irev, {})
            measured(ranx, kept)
            if (most := elsewhere.submit(apart, ours, theirs).result()) > 1e-9:
                raise SystemExit(f"{method}: scores differ by {most}")
            for state in ("warm", "cold")[: 1 + arguments.cold]:
                rounds = []
                for number in range(arguments.rounds if state == "warm" else 1):
                    mine = measured(irev, {})
                    cache = kept if state == "warm" else {"NUMBA_CACHE_DIR": str(folder / f"{method}-cold-{number}")}
                    rounds.append((mine, measured(ranx, cache)))
                clock, processors = (
                    statistics.median(theirs[what] / mine[what] for mine, theirs in rounds) for what in (0, 1)
                )
                peaks = [max(each[which][2] for each in rounds) for which in (0, 1)]
                print(
                    f"{method:10}{state:8}{clock:24.1f}{processors:12.1f}{peaks[0]:14.0f}{peaks[1]:10.0f}", flush=True
                )
    return 0


if __name__ == "__main__":
    sys.exit(main())
