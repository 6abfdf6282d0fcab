"""What tests of comparisons share: values of systems, and the outputs of a command taken apart."""

import csv
import io
import json
import random
from pathlib import Path

from conftest import ROOT
from schema import faults

QRELS = str(ROOT / "sample_data" / "qrels.txt")
RUNS = tuple(str(ROOT / "sample_data" / f"{name}.run") for name in ("hybrid", "keyword", "semantic"))

QUERIES = [f"q{number}" for number in range(12)]
"""The queries of `table`."""

Systems = dict[str, dict[str, float]]
"""The values of systems, by query."""


def table(path, **runs):
    """Write a file of values of `QUERIES`, a column for each run; return its path."""
    rows = "".join(
        f"{query}," + ",".join(str(values[at]) for values in runs.values()) + "\n" for at, query in enumerate(QUERIES)
    )
    path.write_text(f"query,{','.join(runs)}\n{rows}")
    return str(path)


def random_values(seed: int, queries: int, systems: int, steps: int = 1000) -> Systems:
    """Values of systems A, B, …, which differ in how good they are, on queries of which some are hard for all."""
    draw = random.Random(seed)
    ease = [draw.random() for _ in range(queries)]
    return {
        chr(65 + k): {
            f"q{i}": round(min(1.0, max(0.0, of + 0.06 * k + draw.gauss(0, 0.1))) * steps) / steps
            for i, of in enumerate(ease)
        }
        for k in range(systems)
    }


FEW, SOME, MANY = random_values(1, 8, 3, steps=20), random_values(2, 30, 4), random_values(3, 70, 3)
"""With ties and zeros, which all outcomes can be counted of; without ties; more than exact tests take."""


def write_pairs(values: Systems) -> list[str]:
    """A file in the current folder for each system, called as it is, with a query and its value on each line."""
    for name, of in values.items():
        Path(name).write_text("".join(f"{query} {value}\n" for query, value in of.items()))
    return list(values)


def rows(irev, *arguments: str) -> list[dict[str, str]]:
    exact = () if arguments[0] == "power" else ("--digits", "exact")
    status, stdout, stderr = irev(*arguments, "-f", "tsv", *exact)
    assert status == 0, stderr
    return list(csv.DictReader(io.StringIO(stdout.decode()), delimiter="\t"))


def record(irev, *arguments: str, stdin: bytes = b"") -> dict:
    """The record that a command writes, which must be what the schema describes."""
    status, stdout, stderr = irev(*arguments, "-f", "json", stdin=stdin)
    assert status == 0, stderr
    found = json.loads(stdout)
    assert [] == faults(found)
    return found


def shown(irev, *arguments: str, stdin: bytes = b"") -> str:
    """What a command prints for people."""
    status, stdout, stderr = irev(*arguments, stdin=stdin)
    assert status == 0, stderr
    return stdout.decode()


def sentences(text: str) -> str:
    return " ".join(text.split())


def both(values: Systems, first: str, second: str) -> tuple[list[float], list[float]]:
    queries = sorted(values[first])
    return [values[first][query] for query in queries], [values[second][query] for query in queries]


def contrasts(found: dict) -> list[dict]:
    return [contrast for measure in found["measures"] for contrast in measure["contrasts"]]
