"""Any bytes give a result or one message, never another exception and never a hang, in every format and compression.

A mutation fuzzer: valid files are flipped, cut, doubled, spliced with one another and filled with odd tokens, and given
to ``irev eval`` and ``irev validate``, which must agree on what is refused. In TREC's format the slow reference judges.
Formats come from the tables of the package, so a new one is tried without a line here unless it is binary. Seeds are
fixed; ``PYTHONPATH=tests python tests/reading/test_fuzz.py SECONDS [SEED]`` goes on for longer, with others.
"""

import contextlib
import importlib.util
import io
import json
import random
import re
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from conftest import in_process
from mutations import UNGRADED, fault_of, mutated
from test_compression import COMPRESS
from workbooks import workbook

from irev.reading.formats import BOM, DEFAULT, JUDGMENTS, RUNS
from irev.reading.sources import COMPRESSIONS, UNREADABLE

ROUNDS = 150
"""Pairs of files for each format and each compression."""

# Valid files


def renumbered(text: str, by: int) -> str:
    """Other documents, scores and ranks: numbers of one digit grow by `by`."""
    return re.sub(r"(?<![\d\w.])(q?)(\d)(?![\d\w.])", lambda match: f"{match[1]}{int(match[2]) + by}", text)


def table_of_two(value: str, number: float) -> object:
    """Two queries of three documents each."""
    import pyarrow

    rows = [(f"q{n // 3}", f"d{n}", number * n) for n in range(6)]
    names = ("query_id", "doc_id", value)
    return pyarrow.table({name: list(column) for name, column in zip(names, zip(*rows, strict=True), strict=True)})


def parquet(value: str, number: float) -> bytes:
    """The table in three row groups."""
    import pyarrow.parquet

    out = io.BytesIO()
    pyarrow.parquet.write_table(table_of_two(value, number), out, row_group_size=2)
    return out.getvalue()


def arrow(value: str, number: float) -> bytes:
    """The table as a file in three batches."""
    import pyarrow.ipc

    out, table = io.BytesIO(), table_of_two(value, number)
    with pyarrow.ipc.new_file(out, table.schema) as writer:
        writer.write_table(table, max_chunksize=2)
    return out.getvalue()


def sheet(value: str, number: float) -> bytes:
    """The table as a workbook."""
    table = table_of_two(value, number)
    return workbook([table.column_names, *zip(*table.to_pydict().values(), strict=True)])


BINARY: dict[str, Callable[[], tuple[bytes, bytes]]] = {
    "parquet": lambda: (parquet("relevance", 1), parquet("score", 1.5)),
    "arrow": lambda: (arrow("relevance", 1), arrow("score", 1.5)),
    "xlsx": lambda: (sheet("relevance", 1), sheet("score", 1.5)),
}
"""Judgments and a run in each format that is no text, so that its example is none."""


def with_more(example: str) -> list[bytes]:
    """An example, with other line ends, and longer."""
    lines = example.splitlines(keepends=True)
    head = [] if re.search(r"\d", lines[0]) else [lines.pop(0)]
    longer = "".join([*head, *lines, *(line.replace("d0", f"d{n}") for n in range(1, 9) for line in lines)])
    found = [example.encode(), example.replace("\n", "\r\n").encode(), longer.encode(), BOM + longer.encode()]
    if example.startswith("{"):
        with contextlib.suppress(ValueError, KeyError):
            whole = json.loads(example)
            found += [json.dumps(whole | {"q2": whole["q1"], "é": whole["q1"]}, indent=n).encode() for n in (0, 2)]
            found.append(json.dumps({"é\n": whole["q1"]}).encode())
    return found


def examples(table, name: str, place: int) -> list[bytes]:
    if name not in table:
        return with_more(table[DEFAULT].example)
    return [BINARY[name]()[place]] if name in BINARY else with_more(table[name].example)


MARKS = (BOM, *(mark for kind in COMPRESSIONS for mark in kind.marks), *UNREADABLE)
"""How files begin that irev refuses or unpacks, of which the reference knows nothing."""

# One pair of files

NAMES = [
    name
    for name in dict.fromkeys((*JUDGMENTS, *RUNS))
    if (name not in BINARY or importlib.util.find_spec("pyarrow")) and not (name in RUNS and RUNS[name].beside)
]
SIZES = (1 << 21, 1 << 21, 1, 7, 64, 1000)


def pairs(name: str, compression: str | None, chance: random.Random) -> Iterator[tuple[bytes, bytes, list[str], int]]:
    """Without end: two files, at least one of which is of that format, options and a size of chunks."""
    judged, retrieved = examples(JUDGMENTS, name, 0), examples(RUNS, name, 1)
    every = [
        data
        for table, place in ((JUDGMENTS, 0), (RUNS, 1))
        for n in table
        if n in NAMES
        for data in examples(table, n, place)
    ]
    named = [word for table, word in ((JUDGMENTS, "--qrels-format"), (RUNS, "--run-format")) if name in table]
    while True:
        files = [chance.choice(judged), chance.choice(retrieved)]
        which = chance.choice(((0,), (1,), (0, 1)))
        for place in which:
            if compression is None:
                files[place] = mutated(files[place], every, chance)
            elif chance.random() < 0.5:
                files[place] = mutated(COMPRESS[compression](files[place]), every, chance)
            else:
                files[place] = COMPRESS[compression](mutated(files[place], every, chance))
        options = [word for option in named for word in (option, name)]
        if name not in (DEFAULT, *UNGRADED) and chance.random() < 0.3:
            options = []
        yield files[0], files[1], options, chance.choice(SIZES)


def faults(folder: Path, name: str, compression: str | None, chance: random.Random, rounds: int) -> Iterator[str]:
    """What `fault_of` finds in so many pairs, each with the pair."""
    source = pairs(name, compression, chance)
    for _ in range(rounds):
        qrels, run, options, size = next(source)
        marked = qrels.startswith(MARKS) or run.startswith(MARKS)
        judge = name == DEFAULT and compression is None and not marked
        fault = fault_of(folder, qrels, run, options, size, judge)
        if fault:
            yield f"qrels = {qrels[:3000]!r}\nrun = {run[:3000]!r}\n{options} {size}\n{fault}"


@pytest.mark.thorough
@pytest.mark.parametrize("name", NAMES)
def test_any_file_gives_a_result_or_one_message(tmp_path, name):
    found = next(faults(tmp_path, name, None, random.Random(1), ROUNDS * (4 if name == DEFAULT else 1)), None)
    assert found is None, found


@pytest.mark.thorough
@pytest.mark.parametrize("compression", COMPRESS)
def test_any_compressed_file_gives_a_result_or_one_message(tmp_path, compression):
    found = next(faults(tmp_path, DEFAULT, compression, random.Random(1), ROUNDS), None)
    assert found is None, found


@pytest.mark.thorough
@pytest.mark.parametrize(("table", "place"), [(JUDGMENTS, 0), (RUNS, 1)], ids=["judgments", "runs"])
def test_what_is_mutated_is_valid(tmp_path, table, place):
    """A fuzzer that begins with garbage finds nothing."""
    refused = []
    for name in table:
        if name not in NAMES:
            continue
        data = examples(table, name, place)[0]
        other = examples((RUNS, JUDGMENTS)[place], name, 1 - place)[0]
        options = ["--qrels-format", name] * (name in JUDGMENTS) + ["--run-format", name] * (name in RUNS)
        for path, content in (("a", data), ("b", other)):
            (tmp_path / path).write_bytes(content)
        files = [str(tmp_path / path) for path in ("ab" if place == 0 else "ba")]
        status = in_process("validate", *options, *files)
        if status.status and b"E120" not in status.stdout:  # examples of two formats may be of other queries
            refused.append((name, status))
    assert [] == refused


def main(seconds: float, seed: int) -> None:
    """Go on for so long, printing each new kind of fault."""
    import tempfile

    end, kinds = time.monotonic() + seconds, set()
    with tempfile.TemporaryDirectory() as folder:
        done = 0
        while time.monotonic() < end:
            chance = random.Random(seed)
            for name, compression in [*((name, None) for name in NAMES), *((DEFAULT, kind) for kind in COMPRESS)]:
                for found in faults(Path(folder), name, compression, chance, 40):
                    kind = re.sub(r"[0-9]+", "#", found[-160:])
                    if kind not in kinds:
                        kinds.add(kind)
                        print(f"== {name} {compression}, seed {seed}\n{found}\n", flush=True)
                done += 40
            seed += 1
    print(f"{done} pairs, {len(kinds)} kinds of fault, next seed {seed}")


if __name__ == "__main__":
    main(float(sys.argv[1]), int(sys.argv[2]) if len(sys.argv) > 2 else 1000)
