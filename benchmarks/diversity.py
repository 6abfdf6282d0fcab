"""Measure a diversity run of a million lines, `irev eval --qrels-format subtopics`, against ndeval and pyndeval.

Whole processes: one warm-up of each, then rounds of irev and the others in turn; processor time of each and all of its
children, with the ratio to irev within a round, and the peak memory. All print the 21 lines of ndeval for every topic,
and before anything is timed these are compared, digit by digit. ndeval is taken from `PATH` if it is there, and
pyndeval if it is installed. The goal is that irev takes at most a fifth of their time.

    python benchmarks/diversity.py
    python benchmarks/diversity.py --topics 500 --rounds 3
"""

from __future__ import annotations

import importlib.util
import random
import shutil
import statistics
import subprocess
import sys
import tempfile
from pathlib import Path

from shared import ROOT, Used, parser_of, spread, used_by

MEASURES = ("ERR-IA", "nERR-IA", "alpha-DCG", "alpha-nDCG", "NRBP", "nNRBP", "MAP-IA", "P-IA", "strec")
"""In the order of ndeval."""

COLUMNS = ("program", "÷ irev: min / median / max", "peak")

OF_PYNDEVAL = """
import sys, pyndeval

def rows(path):
    with open(path) as file:
        yield from map(str.split, file)

judged = [(topic, subtopic, document, int(grade)) for topic, subtopic, document, grade in rows(sys.argv[1])]
run = [(topic, document, float(score)) for topic, _, document, _, score, _ in rows(sys.argv[2])]
for topic, values in sorted(pyndeval.ndeval(judged, run).items()):
    print("run", topic, *(f"{value:.6f}" for value in values.values()), sep=",")
"""


def written(folder: Path, topics: int, depth: int, judged: int) -> tuple[str, str]:
    """Judgments of some documents of each topic for all of its subtopics, and a run that finds most of these."""
    chance = random.Random(1)
    paths = str(folder / "qrels"), str(folder / "run")
    with open(paths[0], "w") as qrels, open(paths[1], "w") as run:
        for topic in range(1, topics + 1):
            documents = [f"clueweb09-en{number:010d}" for number in chance.sample(range(8_000_000), depth)]
            subtopics = range(1, chance.randint(3, 8) + 1)
            for document in sorted(chance.sample(documents[: 4 * judged], judged)):
                for subtopic in subtopics:
                    qrels.write(f"{topic} {subtopic} {document} {int(chance.random() < 0.15)}\n")
            for rank, document in enumerate(documents, start=1):
                run.write(f"{topic} Q0 {document} {rank} {depth - rank + chance.random():.6f} run\n")
    return paths


def commands(qrels: str, run: str) -> dict[str, list[str]]:
    """The command of each program that is there."""
    asked = [part for name in MEASURES for part in ("-m", name)]
    irev = [sys.executable, "-m", "irev", "eval", "--qrels-format", "subtopics", "-q", "--digits", "6"]
    found = {"irev": [*irev, *asked, qrels, run]}
    if shutil.which("ndeval"):
        found["ndeval"] = ["ndeval", qrels, run]
    if importlib.util.find_spec("pyndeval"):
        found["pyndeval"] = [sys.executable, "-c", OF_PYNDEVAL, qrels, run]
    return found


def values(program: str, printed: str) -> dict[str, list[str]]:
    """What a program printed for each topic, in the order of ndeval; not what it says of all."""
    found: dict[str, list[str]] = {}
    for line in printed.splitlines():
        if program == "irev":
            _, topic, value = line.split("\t")
            if topic != "all":
                found.setdefault(topic, []).append(value)
        elif not line.startswith("runid,"):
            _, topic, *numbers = line.split(",")
            if topic != "amean":
                found[topic] = numbers
    return found


def main() -> int:
    """Print a table."""
    options = parser_of(__doc__, topics=100, depth=10_000, judged=300, rounds=5).parse_args()
    with tempfile.TemporaryDirectory() as folder:
        qrels, run = written(Path(folder), options.topics, options.depth, options.judged)
        programs = commands(qrels, run)
        printed = {
            name: values(name, subprocess.run(command, cwd=ROOT, stdout=subprocess.PIPE, text=True, check=True).stdout)
            for name, command in programs.items()
        }
        for name, found in printed.items():
            pairs = (pair for topic in found for pair in zip(found[topic], printed["irev"][topic], strict=True))
            wrong = sum(theirs != mine for theirs, mine in pairs)
            print(f"{name}: {sum(map(len, found.values()))} values, {wrong} that irev prints otherwise")
        samples: dict[str, list[Used]] = {name: [] for name in programs}
        for _ in range(options.rounds):
            for name, command in programs.items():
                samples[name].append(used_by(command))
    print("| " + " | ".join(COLUMNS) + " |")
    print("|---|---|---|")
    for name, found in samples.items():
        ratios = [theirs.processor / mine.processor for theirs, mine in zip(found, samples["irev"], strict=True)]
        seconds = statistics.median(each.processor for each in found)
        print(f"| {name} | {spread(ratios)} ({seconds:.2f} s) | {max(each.peak for each in found):.0f} MB |")
    return 0


if __name__ == "__main__":
    sys.exit(main())
