"""Measure how the memory of every command grows, and hold it to the bounds that docs/scale.md states.

    python benchmarks/bounds.py            # all commands; a status of 1 where one is above its bound
    python benchmarks/bounds.py eval diff  # some

The input has 8 runs of 250 queries with 200 documents, 400,000 lines, and 20 judgments for each query. Each command is
measured on it, and with four times the runs, the queries and the documents. What is printed is the most memory that one
process of the command had (`ru_maxrss`), in MB; commands run in one process, `-j 1`, where they can.
"""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
from pathlib import Path

import numpy as np

RUNS, QUERIES, DEPTH, JUDGED, TIMES = 8, 250, 200, 20, 4
GROWN = {"": (1, 1, 1), "runs": (TIMES, 1, 1), "queries": (1, TIMES, 1), "documents": (1, 1, TIMES)}

COMMANDS = {
    "eval": ("eval -j 1 QRELS RUNS", 70, 120),
    "eval -q -f json": ("eval -j 1 -q -f json QRELS RUNS", 80, 130),
    "compare": ("compare -j 1 -m AP,nDCG@10 QRELS RUNS", 90, 140),
    "compare --all-pairs": ("compare -j 1 --all-pairs -m AP,nDCG@10 QRELS RUNS", 100, 150),
    "check": ("check -j 1 --min AP=0 QRELS RUNS", 80, 130),
    "diff": ("diff -m AP QRELS PAIR", 80, 130),
    "explain": ("explain -m AP QRELS RUN", 80, 130),
    "power": ("power -m AP QRELS PAIR", 90, 140),
    "agree": ("agree -m AP,nDCG@10 QRELS RUNS", 80, 130),
    "rbo": ("rbo PAIR", 90, 130),
    "judges": ("judges a=QRELS b=QRELS", 70, 80),
    "coverage": ("coverage -m AP QRELS RUNS", 90, 170),
    "pool": ("pool --depth 20 RUNS", 80, 140),
    "fuse": ("fuse RUNS -o OUT", 140, 190),
    "curves": ("curves -j 1 QRELS RUNS", 80, 130),
    "report": ("report -j 1 QRELS RUNS -o OUT", 120, 210),
    "validate": ("validate QRELS RUNS", 80, 130),
    "convert": ("convert --force RUN OUT.parquet", 240, 310),
}
"""What follows `irev`, and the bounds: MB on the input, and MB with four times of anything."""


def made(folder: Path, runs: int, queries: int, depth: int) -> tuple[str, list[str]]:
    """Judgments and runs of this size."""
    folder.mkdir()
    random = np.random.default_rng(1)
    with open(folder / "qrels", "w") as file:
        for query in range(queries):
            documents = random.choice(depth * 2, JUDGED, replace=False)
            file.writelines(
                f"q{query} 0 d{document} {grade}\n" for document, grade in zip(documents, [0, 0, 1, 2] * 5, strict=True)
            )
    for run in range(runs):
        with open(folder / f"run{run}", "w") as file:
            for query in range(queries):
                documents = random.permutation(depth * 2)[:depth]
                file.writelines(
                    f"q{query} Q0 d{document} {rank} {depth - rank} s{run}\n" for rank, document in enumerate(documents)
                )
    return str(folder / "qrels"), [str(folder / f"run{run}") for run in range(runs)]


def peak(command: list[str]) -> float:
    """MB of the command's largest process."""
    process = subprocess.Popen(
        [sys.executable, "-m", "irev", *command], stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True
    )
    assert process.stderr is not None
    said = process.stderr.read()
    _, status, used = os.wait4(process.pid, 0)
    if os.waitstatus_to_exitcode(status) not in (0, 1):
        raise SystemExit(f"irev {' '.join(command)}: {said}")
    return used.ru_maxrss * 1024 / 1e6


def main() -> None:
    """Print the table."""
    wanted = sys.argv[1:] or list(COMMANDS)
    above = 0
    print("| command | MB | " + " | ".join(f"{TIMES} × the {name}" for name in GROWN if name) + " |")
    print("|---|---|---|---|---|")
    with tempfile.TemporaryDirectory() as folder:
        inputs = {
            name: made(Path(folder) / (name or "base"), RUNS * runs, QUERIES * queries, DEPTH * depth)
            for name, (runs, queries, depth) in GROWN.items()
        }
        for name in wanted:
            words, small, large = COMMANDS[name]
            peaks = []
            for qrels, runs in inputs.values():
                places = {"QRELS": [qrels], "RUNS": runs, "RUN": runs[:1], "PAIR": runs[:2], "OUT": [f"{folder}/out"]}
                peaks.append(
                    peak(
                        [
                            part
                            for word in words.split()
                            for part in places.get(word, [word.replace("QRELS", qrels).replace("OUT", f"{folder}/out")])
                        ]
                    )
                )
            print(f"| `{name}` | " + " | ".join(f"{each:.0f}" for each in peaks) + " |", flush=True)
            if peaks[0] > small or max(peaks) > large:
                above += 1
                print(f"{name}: above {small} or {large} MB", file=sys.stderr)
    raise SystemExit(above > 0)


if __name__ == "__main__":
    main()
