"""Many evaluations in one process, and processes that are killed at random: nothing grows, hangs or stays.

``python tests/test_soak.py 1000`` makes a thousand evaluations, ``python tests/test_soak.py kill 200`` kills so many
processes; the tests make fewer.
"""

from __future__ import annotations

import contextlib
import gc
import os
import random
import signal
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pyarrow
import pytest
from click.testing import CliRunner
from pyarrow import parquet

import irev
from irev.base.settings import Settings
from irev.cli import irev as group
from irev.evaluation.inputs import Inputs, evaluate_files
from irev.measures import parse
from irev.reading import runs

linux = pytest.mark.skipif(sys.platform != "linux", reason="asks /proc")


def grown() -> tuple[int, int, int, int]:
    """Bytes that are resident, files that are open, threads, and processes that were begun and are still there."""
    gc.collect()
    resident = int(Path("/proc/self/statm").read_text().split()[1]) * os.sysconf("SC_PAGE_SIZE")
    children = [*Path("/proc/self/task").glob("*/children")]
    begun = sum(len(each.read_text().split()) for each in children)
    return resident, len(os.listdir("/proc/self/fd")), threading.active_count(), begun


def table(rows: list[tuple[str, str, float]]) -> pyarrow.Table:
    columns = zip(("query_id", "doc_id", "score"), zip(*rows, strict=True), strict=True)
    return pyarrow.table({name: list(values) for name, values in columns})


def kinds(folder: Path) -> dict[str, Callable[[], object]]:
    """An evaluation of each kind: from memory, of files of all kinds, shared out among processes, refused."""
    queries, documents = 60, 40
    rows = [(f"q{q}", f"d{(q * 7 + d * 3) % 97}", float(-d)) for q in range(queries) for d in range(documents)]
    qrels = {f"q{q}": {f"d{(q + d) % 97}": d % 3 for d in range(9)} for q in range(queries)}
    (folder / "qrels").write_text("".join(f"{q} 0 {d} {g}\n" for q, of in qrels.items() for d, g in of.items()))
    (folder / "run").write_text("".join(f"{q} Q0 {d} 1 {s} t\n" for q, d, s in rows))
    (folder / "faulty").write_text("".join(f"{q} Q0 {d} 1 {s} t\n" for q, d, s in rows) + "q1 Q0 d 1 x t\n")
    mixed = random.Random(1).sample(rows, len(rows))
    (folder / "mixed").write_text("".join(f"{q} Q0 {d} 1 {s} t\n" for q, d, s in mixed))
    parquet.write_table(table(mixed), folder / "mixed.parquet")
    arrays = tuple(np.array(column) for column in zip(*rows, strict=True))
    nested: dict[str, dict[str, float]] = {}
    for query, document, score in rows:
        nested.setdefault(query, {})[document] = score
    evaluator = irev.Evaluator(qrels, ["AP", "nDCG@10"])
    paths = [folder / "run", folder / "mixed"]

    def refused() -> None:
        with contextlib.suppress(irev.IrevError):
            irev.evaluate(folder / "qrels", folder / "faulty", "AP")

    def shared_out() -> None:
        files = Inputs((("", str(folder / "qrels")),), (str(folder / "run"),), jobs=2)
        evaluate_files(files, parse(["AP"]), Settings())

    def command() -> None:
        out, *files = (str(folder / name) for name in ("out.parquet", "qrels", "run"))
        assert 0 == CliRunner().invoke(group, ["eval", "-q", "-o", out, *files]).exit_code

    return {
        "a dictionary": lambda: evaluator.evaluate(nested),
        "one query": lambda: evaluator.evaluate({"q1": nested["q1"]}),
        "arrays": lambda: evaluator.evaluate(arrays),
        "a file": lambda: irev.evaluate(folder / "qrels", folder / "run", "AP"),
        "lines in no order": lambda: irev.evaluate(folder / "qrels", folder / "mixed", "AP"),
        "a table in no order": lambda: irev.evaluate(folder / "qrels", folder / "mixed.parquet", "AP"),
        "a run that is wrong": refused,
        "several runs": lambda: irev.compare(folder / "qrels", paths, "AP"),
        "ranges of processes": shared_out,
        "the command": command,
    }


def soak(rounds: int, folder: Path, said: Callable[[str], object] = lambda line: None) -> tuple[list[int], ...]:
    """What has grown from the end of the first fifth of some rounds to the end of all."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(runs, "LARGE", 1)
        patch.setattr(runs, "RANGE", 1 << 14)
        works = [*kinds(folder).items()]
        first = None
        for number in range(rounds):
            works[number % len(works)][1]()
            if number >= rounds // 5 and number % len(works) == 0:
                now = grown()
                first = first or now
                size, *others = now
                said(f"{number:6} evaluations: {size / 1e6:.1f} MB; files, threads and processes {others}")
        return first, grown()


@linux
@pytest.mark.thorough
def test_nothing_grows_over_many_evaluations(tmp_path):
    first, last = soak(220, tmp_path)
    assert first[1:] == last[1:]
    assert last[0] - first[0] < 8e6, "some 50 kB for each evaluation stay"


SHARED_OUT = """
import sys
from irev.reading import runs
runs.LARGE, runs.RANGE = 1, 1 << 14
from irev.__main__ import command
command()
"""


def killed(rounds: int, folder: Path, seed: int) -> dict[str, int]:
    """How often a command ended in which way, one of whose processes was killed at a random moment."""
    chance = random.Random(seed)
    run, qrels, out = folder / "run", folder / "qrels", folder / "out.csv"
    run.write_text("".join(f"{q} Q0 d{d} 1 {-d} t\n" for q in range(3000) for d in range(40)))
    qrels.write_text("".join(f"{q} 0 d{q % 40} 1\n" for q in range(3000)))
    temporary = folder / "temporary"
    temporary.mkdir()
    command = [sys.executable, "-c", SHARED_OUT, "-q", "-n", "-j2", "-mmap", "-o", str(out), str(qrels), str(run)]
    known = {**os.environ, "TMPDIR": str(temporary), "PYTHONPATH": os.pathsep.join(filter(None, sys.path))}
    subprocess.run(command, env=known, check=True, capture_output=True)
    expected = out.read_bytes()
    found = {"done": 0, "an error": 0, "not reached": 0}
    for _ in range(rounds):
        out.unlink(missing_ok=True)
        running = subprocess.Popen(command, env=known, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        begun: list[int] = []
        while not begun and running.poll() is None:
            with contextlib.suppress(OSError):
                begun = [*map(int, Path(f"/proc/{running.pid}/task/{running.pid}/children").read_text().split())]
        time.sleep(chance.random() * 0.15)
        with contextlib.suppress(OSError):
            begun = [*map(int, Path(f"/proc/{running.pid}/task/{running.pid}/children").read_text().split())] or begun
        reached = False
        for child in chance.sample(begun, min(1, len(begun))):
            with contextlib.suppress(ProcessLookupError):
                os.kill(child, signal.SIGKILL)
                reached = True
        stdout, stderr = running.communicate(timeout=60)
        assert b"" == stdout
        if running.returncode == 0:
            assert expected == out.read_bytes()
            found["done" if reached else "not reached"] += 1
        else:
            assert 2 == running.returncode, stderr
            assert b"a process that evaluated runs was stopped by signal 9" in stderr
            assert not out.exists()
            found["an error"] += 1
        assert not any(Path(f"/proc/{child}").exists() for child in begun)
        assert [] == os.listdir(temporary)
        assert {"run", "qrels", "temporary", "out.csv"} >= set(os.listdir(folder))
    return found


@linux
@pytest.mark.thorough
def test_processes_that_are_killed_leave_nothing(tmp_path):
    found = killed(12, tmp_path, seed=3)
    assert 12 == sum(found.values())
    assert found["an error"]


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as place:
        if sys.argv[1] == "kill":
            print(killed(int(sys.argv[2]), Path(place), seed=int(time.time())))
        else:
            print(soak(int(sys.argv[1]), Path(place), print))
