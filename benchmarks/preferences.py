"""Measure preferences, `irev eval -R prefs -m all_prefs`, against trec_eval on the same files.

Whole processes: one warm-up of each, then rounds of both in turn; processor time of each with the ratio within a round,
and the peak memory. Before anything is timed, what both print is compared. There are as many preferences as asked for,
in three forms: `subgroups`, ten people per query who prefer one of two documents many times, so that preferences follow
from others; `groups`, each of them by somebody else; `levels`, one person's order of 200 documents. `orders` is that of
1,000 documents of every query, which is more. `prefs_pair` and the like look at every two documents.

    python benchmarks/preferences.py
    python benchmarks/preferences.py --forms groups levels --rounds 9
"""

from __future__ import annotations

import os
import random
import statistics
import subprocess
import sys
import tempfile
from itertools import combinations
from pathlib import Path

from shared import parser_of, spread

ROOT = Path(__file__).resolve().parent.parent
DOCUMENTS, MANY = 200, 1000
FORMS = {"subgroups": "prefs", "groups": "prefs", "levels": "qrels_prefs", "orders": "qrels_prefs"}
"""What is measured against trec_eval, with its format."""


def ranked(chance: random.Random, query: int, worth: dict[str, float]) -> str:
    """The lines of 800 results, the better ones mostly first."""
    guess = {document: value + chance.gauss(0, 0.3) for document, value in worth.items()}
    ordered = sorted(guess, key=lambda d: -guess[d])[:800]
    return "".join(f"{query} Q0 {d} {i} {-i} tag\n" for i, d in enumerate(ordered))


def order(query: int, worth: dict[str, float]) -> str:
    """The lines of judgments of all documents, each above the one before."""
    return "".join(f"{query} 0 {d} {i}\n" for i, d in enumerate(sorted(worth, key=lambda d: worth[d])))


def written(folder: Path, preferences: int, queries: int) -> None:
    """The files of each form, and a run for each; those of the first forms are one."""
    chance = random.Random(1)
    worth = [{f"doc{d:06d}": chance.random() for d in range(DOCUMENTS)} for _ in range(queries)]
    with open(folder / "run", "w") as run:
        for query, documents in enumerate(worth):
            run.write(ranked(chance, query, {**documents, **{f"other{d:06d}": 0.3 for d in range(800)}}))
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
            levels.write(order(query, documents))
    with open(folder / "orders", "w") as orders, open(folder / "orders.run", "w") as run:
        for query in range(queries):
            documents = {f"doc{d:06d}": chance.random() for d in range(MANY)}
            orders.write(order(query, documents))
            run.write(ranked(chance, query, documents))


def measured(command: list[str], folder: Path, most: float, output: str = os.devnull) -> tuple[float, float]:
    """Seconds of processors that a command takes, as many as it may where it takes more; and its peak, in MB."""
    environment = os.environ | {"PYTHONPATH": str(ROOT)}
    with open(folder / output, "w") as printed:
        process = subprocess.Popen(["timeout", str(most), *command], cwd=folder, stdout=printed, env=environment)
        _, _, used = os.wait4(process.pid, 0)
    return used.ru_utime + used.ru_stime, used.ru_maxrss / 1000


def main() -> int:
    """Print a table."""
    parser = parser_of(__doc__, preferences=1_000_000, queries=100, rounds=5)
    parser.add_argument("--forms", nargs="+", choices=(*FORMS, "pairs"), default=[*FORMS, "pairs"])
    parser.add_argument("--most", type=float, default=300.0, help="seconds after which trec_eval is ended")
    arguments = parser.parse_args()
    irev = [sys.executable, "-m", "irev", "eval"]
    print("| form | trec_eval ÷ irev: min / median / max | seconds | peak |\n|---|---|---|---|")
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        written(folder, arguments.preferences, arguments.queries)
        for form in arguments.forms:
            if form == "pairs":
                words = ["--qrels-format", "pairs", "-c", "-m", "Compat", form, "run"]
                programs = [[*irev, *words]]
            else:
                words = ["-R", FORMS[form], "-c", "-m", "all_prefs", form, "orders.run" if form == "orders" else "run"]
                programs = [[*irev, *words], ["trec_eval", *words]]
            for program in programs:
                measured(program, folder, arguments.most, f"printed by {Path(program[0]).name}")
            printed = {(folder / f"printed by {Path(program[0]).name}").read_bytes() for program in programs}
            if len(printed) > 1:
                print(f"{form}: they print different values, or trec_eval was ended")
            samples = [
                [measured(program, folder, arguments.most) for program in programs] for _ in range(arguments.rounds)
            ]
            ratios = [theirs / ours for (ours, _), *others in samples for theirs, _ in others]
            columns = [*zip(*samples, strict=True)]
            seconds = ", ".join(f"{statistics.median(second for second, _ in column):.2f}" for column in columns)
            peaks = ", ".join(f"{max(peak for _, peak in column):.0f} MB" for column in columns)
            print(f"| {form} | {spread(ratios, 2) if ratios else ''} | {seconds} | {peaks} |", flush=True)
    return 0


if __name__ == "__main__":
    sys.exit(main())
