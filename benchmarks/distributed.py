"""Measure what lies past one process of irev: many runs on a cluster of Dask, against `-j 2`.

    python benchmarks/distributed.py runs
    python benchmarks/distributed.py runs --runs 200 --rounds 3

Runs
    A thousand runs of 50 queries and 1,000 documents each (`FILES` different files, under as many names as it takes),
    evaluated as a whole process from start to exit by ``-j 2``, and on the workers of a cluster on this machine, one
    and two of them, that is there already. One warm-up each, in which the outputs are compared byte by byte; then
    rounds in which all take turns. What counts is the ratio within a round, and of these the median.
"""

from __future__ import annotations

import argparse
import os
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

sys.path[:] = [path for path in sys.path if Path(path or ".").resolve() != Path(__file__).resolve().parent]
# Or this script would be the package that Dask has, of the same name.

import numpy as np  # noqa: E402

ROOT = Path(__file__).resolve().parent.parent

FILES, QUERIES, DEPTH, JUDGED = 50, 50, 1_000, 200
GOAL = 1.3
MEASURES = ("-m", "AP", "-m", "nDCG@10", "-m", "P@10", "-m", "Recall@100")


def write_runs(folder: Path, runs: int) -> None:
    """Judgments, runs, and a list of these."""
    rng = np.random.default_rng(1)
    documents = [f"clueweb-{number:012}" for number in rng.choice(10**12, 20_000, replace=False).tolist()]
    with open(folder / "qrels", "w") as file:
        for query in range(QUERIES):
            for document, grade in zip(rng.choice(20_000, JUDGED, False), rng.integers(0, 4, JUDGED), strict=True):
                file.write(f"{query} 0 {documents[document]} {grade}\n")
    for number in range(min(FILES, runs)):
        with open(folder / f"file{number}", "w") as file:
            for query in range(QUERIES):
                scores = np.sort(rng.normal(10, 3, DEPTH))[::-1].tolist()
                chosen = rng.choice(20_000, DEPTH, False).tolist()
                file.writelines(
                    f"{query} Q0 {documents[document]} {rank} {score:.6f} tag{number}\n"
                    for rank, (document, score) in enumerate(zip(chosen, scores, strict=True), start=1)
                )
    names = [folder / f"run{number:05}" for number in range(runs)]
    for number, name in enumerate(names):
        os.link(folder / f"file{number % FILES}", name)
    (folder / "list").write_text("".join(f"{name}\n" for name in names))


def evaluated(folder: Path, *more: str) -> tuple[float, bytes]:
    """Seconds that an evaluation takes as a whole process, and what it prints."""
    command = [sys.executable, "-m", "irev", "eval", *MEASURES, "-f", "csv", *more]
    command += [str(folder / "qrels"), f"@{folder / 'list'}"]
    begun = time.perf_counter()
    done = subprocess.run(command, cwd=ROOT, capture_output=True, check=True)
    return time.perf_counter() - begun, done.stdout


def runs(arguments: argparse.Namespace) -> int:
    """Print a table; the status is 1 when outputs differ."""
    from distributed import LocalCluster

    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        write_runs(folder, arguments.runs)
        size = sum(path.stat().st_size for path in folder.glob("run*"))
        clusters = [
            LocalCluster(n_workers=workers, threads_per_worker=1, processes=True, dashboard_address=":0")
            for workers in (1, 2)
        ]
        try:
            ways = {"-j 1": ("-j", "1"), "-j 2": ("-j", "2")}
            for workers, cluster in enumerate(clusters, start=1):
                address = cluster.scheduler_address.replace("tcp://", "dask://")
                ways[f"Dask, {workers} worker{'s' * (workers > 1)}"] = ("--on", address)
            if len({evaluated(folder, *options)[1] for options in ways.values()}) > 1:
                print("the outputs differ", file=sys.stderr)
                return 1
            rounds = [
                {way: evaluated(folder, *options)[0] for way, options in ways.items()} for _ in range(arguments.rounds)
            ]
        finally:
            for cluster in clusters:
                cluster.close()
    print(f"{arguments.runs:,} runs of {QUERIES * DEPTH:,} lines, {size / 1e9:.2f} GB; {arguments.rounds} rounds\n")
    print("| way | seconds, median | ÷ -j 2: min / median / max |\n|---|---|---|")
    for way in ways:
        ratios = [each[way] / each["-j 2"] for each in rounds]
        seconds = statistics.median(each[way] for each in rounds)
        print(f"| {way} | {seconds:.2f} | {min(ratios):.2f} / {statistics.median(ratios):.2f} / {max(ratios):.2f} |")
    met = statistics.median(each["Dask, 2 workers"] / each["-j 2"] for each in rounds) <= GOAL
    print(f"\ngoal: Dask with 2 workers takes at most {GOAL} × the time of -j 2: {'met' if met else 'missed'}")
    return 0


def main() -> int:
    """Measure what is asked for."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    commands = parser.add_subparsers(required=True)
    of_runs = commands.add_parser("runs", help="many runs on Dask")
    of_runs.add_argument("--runs", type=int, default=1_000)
    of_runs.add_argument("--rounds", type=int, default=5)
    of_runs.set_defaults(measure=runs)
    arguments = parser.parse_args()
    status: int = arguments.measure(arguments)
    return status


if __name__ == "__main__":
    sys.exit(main())
