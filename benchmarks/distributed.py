"""Measure what lies past one process of irev: many runs on a cluster of Dask, against `-j 2`; tables on Spark.

    python benchmarks/distributed.py runs
    python benchmarks/distributed.py runs --runs 200 --rounds 3
    python benchmarks/distributed.py spark
    python benchmarks/distributed.py spark --rows 70000000 --queries 100000 10000000

Runs
    A thousand runs of 50 queries and 1,000 documents each (`FILES` different files, under as many names as it takes),
    evaluated as a whole process from start to exit by ``-j 2``, and on the workers of a cluster on this machine, one
    and two of them, that is there already. One warm-up each, in which the outputs are compared byte by byte; then
    rounds in which all take turns. What counts is the ratio within a round, and of these the median. Beside the time
    from start to exit stands that of processors: of the process and those that it begins, of workers, scheduler and
    their minders.
"""

from __future__ import annotations

import argparse
import contextlib
import os
import resource
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any, NamedTuple

if __name__ == "__main__":  # in the processes of workers it is none
    import on_spark

sys.path[:] = [path for path in sys.path if Path(path or ".").resolve() != Path(__file__).resolve().parent]
# Or this script would be the package that Dask has, of the same name.

import numpy as np  # noqa: E402

ROOT = Path(__file__).resolve().parent.parent

ENVIRONMENT = dict(os.environ)
"""As it was given: Dask changes that of whoever begins its workers, and the C library would heed it."""

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


class Spent(NamedTuple):
    """What an evaluation took, in seconds, and what it printed."""

    wall: float
    processor: float
    output: bytes


def evaluated(folder: Path, options: tuple[str, ...], client: Any) -> Spent:
    """An evaluation as a whole process, on the workers of a client or on none."""

    def processors() -> float:
        children = resource.getrusage(resource.RUSAGE_CHILDREN)
        workers = 0.0 if client is None else sum(client.run(time.process_time).values())
        return workers + time.process_time() + children.ru_utime + children.ru_stime

    command = [sys.executable, "-m", "irev", "eval", *MEASURES, "-f", "csv", *options]
    command += [str(folder / "qrels"), f"@{folder / 'list'}"]
    processor, begun = processors(), time.perf_counter()
    done = subprocess.run(command, cwd=ROOT, env=ENVIRONMENT, capture_output=True, check=True)
    return Spent(time.perf_counter() - begun, processors() - processor, done.stdout)


def runs(arguments: argparse.Namespace) -> int:
    """Print a table; the status is 1 when outputs differ."""
    from distributed import Client, LocalCluster

    with contextlib.ExitStack() as opened:
        folder = Path(opened.enter_context(tempfile.TemporaryDirectory()))
        write_runs(folder, arguments.runs)
        size = sum(path.stat().st_size for path in folder.glob("run*"))
        ways: dict[str, tuple[tuple[str, ...], Any]] = {"-j 1": (("-j", "1"), None), "-j 2": (("-j", "2"), None)}
        for workers in (1, 2):
            cluster = opened.enter_context(
                LocalCluster(n_workers=workers, threads_per_worker=1, processes=True, dashboard_address=":0")
            )
            address = cluster.scheduler_address.replace("tcp://", "dask://")
            client = opened.enter_context(Client(cluster))
            ways[f"Dask, {workers} worker{'s' * (workers > 1)}"] = (("--executor", address), client)
        if len({evaluated(folder, *way).output for way in ways.values()}) > 1:
            print("the outputs differ", file=sys.stderr)
            return 1
        rounds = [{name: evaluated(folder, *way) for name, way in ways.items()} for _ in range(arguments.rounds)]
    print(f"{arguments.runs:,} runs of {QUERIES * DEPTH:,} lines, {size / 1e9:.2f} GB; {arguments.rounds} rounds\n")
    print("| way | seconds | ÷ -j 2: min / median / max | processor seconds | ÷ -j 2: min / median / max |")
    print("|---|---|---|---|---|")
    for name in ways:
        cells = []
        for kind in ("wall", "processor"):
            spent = [getattr(each[name], kind) for each in rounds]
            ratios = [getattr(each[name], kind) / getattr(each["-j 2"], kind) for each in rounds]
            cells.append(f"{statistics.median(spent):.2f}")
            cells.append(f"{min(ratios):.2f} / {statistics.median(ratios):.2f} / {max(ratios):.2f}")
        print(f"| {name} | {' | '.join(cells)} |")
    met = statistics.median(each["Dask, 2 workers"].wall / each["-j 2"].wall for each in rounds) <= GOAL
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
    on_spark.add_to(commands)
    arguments = parser.parse_args()
    status: int = arguments.measure(arguments)
    return status


if __name__ == "__main__":
    sys.exit(main())
