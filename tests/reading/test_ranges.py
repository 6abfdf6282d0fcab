"""A large run that processes share out: the same results, warnings and faults as from threads, whatever the ranges."""

import contextlib
import os
import random
import signal
import subprocess
import sys
import time
from dataclasses import astuple
from itertools import pairwise
from multiprocessing.connection import Connection
from pathlib import Path
from unittest import mock

import numpy as np
import pytest
from conftest import environment

from irev.base import workers
from irev.base.errors import InputError, IrevError
from irev.base.settings import Settings
from irev.reading import block, runs
from irev.reading.chunks import Chunks
from irev.reading.sources import Source

pytestmark = pytest.mark.skipif(
    not workers.COPIES or workers.threads_suffice(), reason="threads read, as processes are no copies or need none"
)


@pytest.fixture
def tiny(monkeypatch):
    """Every file is large, and ranges have so many bytes."""

    def of(size: int, windows: tuple[int, ...] = (40, 4000)) -> None:
        monkeypatch.setattr("irev.reading.runs.LARGE", 0)
        monkeypatch.setattr("irev.reading.runs.RANGE", size)
        monkeypatch.setattr("irev.reading.runs.WINDOWS", windows)

    return of


def rows(block) -> list[tuple[bytes, bytes, float]]:
    """Query, document and score of each row."""
    text = block.text.tobytes()
    return [
        (block.queries[query], text[start : start + length], float(score))
        for query, start, length, score in zip(block.query, block.start, block.length, block.score.value, strict=True)
    ]


def read(path: Path, jobs: int, settings: Settings = Settings()) -> tuple:  # noqa: B008 - a frozen record
    """What comes of a run: its rows by query, what reading it found, how many bytes were counted; or the error."""
    counted = []
    with Source(os.fspath(path), watch=counted.append) as source:
        try:
            kept, reading = runs.read(source, rows, settings, jobs=jobs)
        except IrevError as error:
            return type(error), str(error)
    return [row for part in kept for row in part], astuple(reading), sum(counted)


def random_run(chance: random.Random) -> bytes:
    """Lines of some queries, with what makes cuts difficult: blanks, comments, other ends of lines, faults."""
    queries = [f"{'q' * chance.randint(0, 3)}{number}" for number in range(chance.randint(1, 12))]
    lines = []
    for query in queries:
        documents = chance.sample(range(100), chance.choice((1, 2, 5, 30)))
        lines += [
            f"{query}{chance.choice((' ', chr(9)))}Q0 d{each} 1 {chance.choice((1, 2.5, each))} {query[:1]}tag"
            for each in documents
        ]
    for _ in range(chance.choice((0, 0, 1, 4))):
        odd = chance.choice(("", "  ", "# a comment", " # another", f"{queries[0]} Q0 d1 1 1 tag", "x", "q Q0 d 1 x t"))
        lines.insert(chance.randint(0, len(lines)), odd)
    end = chance.choice(("\n", "\n", "\r\n"))
    return (end.join(lines) + chance.choice((end, ""))).encode()


@pytest.mark.thorough
@pytest.mark.parametrize("size", [1, 7, 100, 1000])
def test_rows_facts_and_faults_are_those_that_threads_find(tmp_path, tiny, size):
    chance = random.Random(size)
    tiny(size, chance.choice(((5,), (40, 4000), (1 << 16,))))
    path = tmp_path / "run"
    for _ in range(8):
        path.write_bytes(random_run(chance))
        settings = Settings(duplicates=chance.choice(("error", "first", "best")))
        expected = read(path, 1, settings)

        assert expected == read(path, chance.choice((2, 3)), settings), path.read_bytes()


@pytest.mark.thorough
def test_ranges_are_the_file_and_no_query_is_in_two_of_them(tmp_path, tiny):
    path = tmp_path / "run"
    for seed in range(40):
        chance = random.Random(seed)
        tiny(chance.choice((1, 10, 50, 200)), chance.choice(((5,), (40, 4000), (1 << 16,))))
        counts = [chance.choice((1, 3, 20)) for _ in range(chance.randint(1, 20))]
        path.write_text("".join(f"q{'1' * q} Q0 d{d} 1 1 t\n" for q, n in enumerate(counts) for d in range(n)))
        data = path.read_bytes()
        with Source(os.fspath(path)) as source:
            found = runs.cuts(source, Chunks(source, whole_queries=True))
        parts = [data[begin:end] for begin, end in pairwise(found)]

        assert data == b"".join(parts)
        assert len(counts) == sum(len({line.split()[0] for line in part.splitlines()}) for part in parts)


def large(folder: Path, queries: int = 300) -> Path:
    """A run that is cut into some ten ranges where they are tiny."""
    scores = np.random.default_rng(1).normal(size=(queries, 40)).round(3).tolist()
    path = folder / "run"
    path.write_text(
        "".join(f"{q} Q0 d{d} 1 {score} t\n" for q, each in enumerate(scores) for d, score in enumerate(each))
    )
    return path


def test_a_run_is_cut_and_read_by_others(tmp_path, tiny):
    tiny(1 << 15)
    path = large(tmp_path)
    with Source(os.fspath(path)) as source:
        assert 5 < len(runs.cuts(source, Chunks(source, whole_queries=True)))
        numbers, _ = runs.read(source, lambda block: os.getpid(), Settings(), jobs=2)

    assert os.getpid() not in numbers


@pytest.mark.parametrize("kind", ["small", "piped", "compressed", "hashed"])
def test_what_cannot_be_shared_out_is_read_here(tmp_path, tiny, kind):
    tiny(1 << 15)
    path = large(tmp_path)
    if kind == "small":
        runs.LARGE = 1 << 26  # put back by the fixture
    if kind == "compressed":
        subprocess.run(["gzip", path], check=True)
        path = tmp_path / "run.gz"
    if kind == "piped":
        os.mkfifo(tmp_path / "pipe")
        with subprocess.Popen(["sh", "-c", "cat run > pipe"], cwd=tmp_path), Source(f"{tmp_path}/pipe") as source:
            numbers, _ = runs.read(source, lambda block: os.getpid(), Settings(), jobs=2)
    else:
        with Source(os.fspath(path), digest=kind == "hashed") as source:
            numbers, _ = runs.read(source, lambda block: os.getpid(), Settings(), jobs=2)

    assert {os.getpid()} == set(numbers)


def test_threads_read_where_they_run_at_the_same_time(tmp_path, tiny, monkeypatch):
    """As in a Python without an interpreter lock, which is told so here."""
    tiny(1 << 15)
    monkeypatch.setattr("sys._is_gil_enabled", lambda: False, raising=False)
    with Source(os.fspath(large(tmp_path))) as source:
        numbers, _ = runs.read(source, lambda block: os.getpid(), Settings(), jobs=2)

    assert {os.getpid()} == set(numbers)


def test_threads_read_where_no_process_can_begin(tmp_path, tiny, monkeypatch):
    """As in a container that allows one alone."""
    tiny(1 << 15)
    path = large(tmp_path)
    expected = read(path, 1)

    def refuse(*given):
        raise BlockingIOError(11, "Resource temporarily unavailable")

    monkeypatch.setattr("os.fork", refuse)
    assert expected == read(path, 2)


def test_a_file_that_grows_meanwhile_is_refused(tmp_path, tiny):
    tiny(1 << 15)
    path = large(tmp_path)

    def work(block):
        with open(path, "ab") as file:
            file.write(b"\n")

    with Source(os.fspath(path)) as source, pytest.raises(InputError, match="changed while it was being read"):
        runs.read(source, work, Settings(), jobs=2)


@pytest.mark.parametrize(
    ("raised", "kind", "said"),
    [
        (ZeroDivisionError("divided"), RuntimeError, "ZeroDivisionError: divided"),
        (MemoryError(), InputError, "memory ran"),
    ],
)
def test_what_is_raised_there_is_raised_here(tmp_path, tiny, raised, kind, said):
    tiny(1 << 15)
    path = large(tmp_path)
    with (
        mock.patch.object(block.Parser, "digest", side_effect=raised),
        pytest.raises(kind, match=said),
        Source(os.fspath(path)) as source,
    ):
        runs.read(source, rows, Settings(), jobs=2)


SHARED_OUT = (
    "import sys, irev.reading.runs as runs; runs.LARGE = 0;"
    "runs.RANGE = 1 << 14; from irev.cli import run; sys.exit(run(sys.argv[1:]))"
)
"""The command, with ranges so small that there are many of a small file."""


def children(parent: int) -> list[int]:
    """The processes that a process has begun."""
    return [int(each) for each in Path(f"/proc/{parent}/task/{parent}/children").read_text().split()]


@pytest.mark.thorough
@pytest.mark.parametrize("seed", range(4))
def test_a_process_that_is_killed_is_an_error_or_had_nothing_left_to_do(tmp_path, seed):
    """At moments that differ: no hang, nothing of half of the file, and no process that is left."""
    path, qrels = large(tmp_path, 2000), tmp_path / "qrels"
    qrels.write_text("".join(f"{q} 0 d{q % 40} 1\n" for q in range(2000)))
    command = [sys.executable, "-c", SHARED_OUT, "-j2", "-mmap", str(qrels), str(path)]
    whole = subprocess.run(command, env=environment(), capture_output=True, check=True).stdout
    running = subprocess.Popen(command, env=environment(), stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    begun: list[int] = []
    while not begun and running.poll() is None:
        with contextlib.suppress(OSError):
            begun = children(running.pid)
    time.sleep(random.Random(seed).choice((0, 0.005, 0.02, 0.05)))
    for child in begun[:1]:
        with contextlib.suppress(ProcessLookupError):
            os.kill(child, signal.SIGKILL)
    stdout, stderr = running.communicate(timeout=60)

    if running.returncode == 0:
        assert whole == stdout
    else:
        assert (2, b"") == (running.returncode, stdout)
        assert (
            b"a process that evaluated runs was stopped by signal 9; use fewer of them, as `irev eval -j 1` does"
            in stderr
        )
    assert not any(Path(f"/proc/{child}").exists() for child in begun)


@pytest.mark.thorough
def test_output_is_the_same_as_from_one_process(tmp_path):
    path, qrels = large(tmp_path), tmp_path / "qrels"
    qrels.write_text("".join(f"{q} 0 d{q % 40} 1\n" for q in range(1, 310)))
    found = [
        subprocess.run(
            [sys.executable, "-c", SHARED_OUT, "-q", "-mall_trec", jobs, str(qrels), str(path)],
            env=environment(),
            capture_output=True,
            check=True,
        )
        for jobs in ("-j1", "-j2", "-j3")
    ]

    assert b"299" in found[0].stdout
    assert b"10 judged queries have no results" in found[0].stderr
    assert [(found[0].stdout, found[0].stderr)] * 2 == [(each.stdout, each.stderr) for each in found[1:]]


def test_a_process_that_is_killed_while_it_sends_is_an_error():
    """Whose half of a result is no end of file."""

    def work(number: int) -> bytes:
        if number == 3:
            os.kill(os.getpid(), signal.SIGKILL)
        return bytes(1 << 22)

    def killed_half_way(number: int) -> bytes:
        pid = os.getpid()
        subprocess.Popen(["sh", "-c", f"sleep 0.2; kill -9 {pid}"])
        return bytes(1 << 26)

    with pytest.raises(InputError, match="was stopped by signal 9"):
        list(workers.results(work, 5, 2))
    slow = workers.results(killed_half_way, 1, 1)
    slowly = mock.patch.object(Connection, "_recv", _slowly(Connection._recv))
    with slowly, pytest.raises(InputError, match="was stopped by signal 9"):
        list(slow)


def _slowly(read):
    """What reads from a pipe when its writer has been killed, having filled it."""

    def slow(pipe, size):
        if size > 8:
            time.sleep(0.6)
        return read(pipe, size)

    return slow
