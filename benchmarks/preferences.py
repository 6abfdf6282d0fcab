"""Measure preferences, `irev eval -R prefs -m all_prefs`, against trec_eval on the same files.

Whole processes: rounds of both in turn, processor time of each with the ratio within a round. There are as many
preferences as asked for, in three forms: `subgroups`, ten people per query who prefer one of two documents many times,
so that preferences follow from others; `groups`, each of them by somebody else; `levels`, one person's order of many
documents. `prefs_pair` and the like look at every two documents.

    python benchmarks/preferences.py
    python benchmarks/preferences.py --preferences 1000000 --rounds 1
"""

from __future__ import annotations

import argparse
import os
import random
import statistics
import subprocess
import sys
import tempfile
from itertools import combinations
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
DOCUMENTS = 200


def written(folder: Path, preferences: int, queries: int) -> dict[str, tuple[str, str]]:
    """The files of each form with its format, and a run."""
    chance = random.Random(1)
    worth = [{f"doc{d:06d}": chance.random() for d in range(DOCUMENTS)} for _ in range(queries)]
    with open(folder / "run", "w") as run:
        for query, documents in enumerate(worth):
            others = {f"other{d:06d}": 0.3 for d in range(800)}
            guess = {d: value + chance.gauss(0, 0.3) for d, value in {**documents, **others}.items()}
            ordered = sorted(guess, key=lambda d: -guess[d])[:800]
            run.write("".join(f"{query} Q0 {d} {i} {-i} tag\n" for i, d in enumerate(ordered)))
    with open(folder / "subgroups", "w") as subgroups, open(folder / "groups", "w") as groups:
        for query, documents in enumerate(worth):
            for person in range(10):
                own = {d: value + chance.gauss(0, 0.1) for d, value in documents.items()}
                for number in range(preferences // queries // 10):
                    pair = sorted(chance.sample(sorted(own), 2), key=lambda d: -own[d])
                    for file, where in ((subgroups, f"p{person} {number}"), (groups, f"p{person}n{number} 0")):
                        file.write("".join(f"{query} {where} {d} {2 - i}\n" for i, d in enumerate(pair)))
    with open(folder / "pairs", "w") as pairs:
        for query, documents in enumerate(worth):
            every = [(a, b) if documents[a] > documents[b] else (b, a) for a, b in combinations(documents, 2)]
            chosen = chance.sample(every, min(preferences // queries, len(every)))
            pairs.write("".join(f"{query} {better} {worse}\n" for better, worse in chosen))
    of_order = DOCUMENTS * (DOCUMENTS - 1) // 2
    with open(folder / "levels", "w") as levels:
        for query, documents in enumerate(worth[: max(1, preferences // of_order)]):
            ordered = sorted(documents, key=lambda d: documents[d])
            levels.write("".join(f"{query} 0 {d} {i}\n" for i, d in enumerate(ordered)))
    return {name: (name, "qrels_prefs" if name == "levels" else "prefs") for name in ("subgroups", "groups", "levels")}


def seconds(command: list[str], folder: Path, most: float) -> float:
    """Seconds of processors that a command takes; as many as it may where it takes more."""
    environment = os.environ | {"PYTHONPATH": str(ROOT)}
    with open(os.devnull, "w") as nowhere:
        process = subprocess.Popen(
            ["timeout", str(most), *command], cwd=folder, stdout=nowhere, stderr=nowhere, env=environment
        )
        _, _, used = os.wait4(process.pid, 0)
    return used.ru_utime + used.ru_stime


def main() -> int:
    """Print a table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--preferences", type=int, default=1_000_000)
    parser.add_argument("--queries", type=int, default=100)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--most", type=float, default=300.0, help="seconds after which trec_eval is ended")
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        files = written(folder, arguments.preferences, arguments.queries)
        print(f"{'form':12}{'trec_eval':>12}{'irev':>10}{'ratio':>8}   processor seconds, medians")
        for form, (file, kind) in files.items():
            words = ["-R", kind, "-c", "-m", "all_prefs", file, "run"]
            found = [
                (
                    seconds(["trec_eval", *words], folder, arguments.most),
                    seconds([sys.executable, "-m", "irev", "eval", *words], folder, arguments.most),
                )
                for _ in range(arguments.rounds)
            ]
            theirs, ours = (statistics.median(each) for each in zip(*found, strict=True))
            ratio = statistics.median(a / b for a, b in found)
            print(f"{form:12}{theirs:12.2f}{ours:10.2f}{ratio:8.2f}")
        words = ["--qrels-format", "pairs", "-c", "-m", "Compat", "pairs", "run"]
        command = [sys.executable, "-m", "irev", "eval", *words]
        ours = statistics.median(seconds(command, folder, arguments.most) for _ in range(arguments.rounds))
        print(f"{'pairs':12}{'':12}{ours:10.2f}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
