"""What a worker is sent and does: paths, judgments once in a process, no other file, no other version."""

import os
import pickle
import subprocess
import sys
import threading
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path

import pytest
from conftest import environment
from small_runs import small_runs

from irev.base.errors import InputError
from irev.base.settings import Settings
from irev.base.workers import described
from irev.evaluation.batch import JudgmentsFile, Task
from irev.extensions.clusters import futures
from irev.measures import parse
from irev.reading import chunks, qrels
from irev.reading.sources import Source

HERE = described(False)


@pytest.fixture
def files(tmp_path):
    yield small_runs(tmp_path, 4)
    futures.forget()


def task_of(path: str, settings: Settings = Settings()) -> Task:  # noqa: B008 - it is frozen
    """What is done with runs under the judgments of a file."""
    with Source(path, digest=True) as source:
        judgments = qrels.read(source, settings)
        file = JudgmentsFile(path, path, source.digest().sha256)
    return Task((judgments,), parse(["AP"]), settings, files=(file,))


def worked(task: Task, runs: list[str]) -> list:
    """What comes of runs in a worker that is asked as a stranger is."""
    name, _, found = futures.evaluate(
        HERE, False, "stranger:1", futures.packed(task), [futures.sent(run) for run in runs]
    )
    assert futures.identity() == name
    return [outcome for outcome, _ in futures.unpacked(found)]


@pytest.fixture(autouse=True)
def threads(monkeypatch):
    monkeypatch.setattr(chunks, "THREADS", chunks.THREADS)


def readings(monkeypatch) -> list[str]:
    """The judgments that are read, as they are."""
    read, real = [], qrels.read

    def counted(source, settings):
        read.append(source.name)
        return real(source, settings)

    monkeypatch.setattr(futures.qrels, "read", counted)
    return read


def test_judgments_are_read_once_in_a_process_however_many_threads_want_them(files, monkeypatch):
    path, runs = files
    task, read = task_of(path), readings(monkeypatch)
    with ThreadPoolExecutor(4) as pool:
        found = list(pool.map(lambda run: worked(task, [run]), runs * 5))
    assert [path] == read
    assert [worked(task, [run])[0].summaries[0].values for run in runs * 5] == [
        each[0].summaries[0].values for each in found
    ]


def test_judgments_that_were_read_otherwise_or_hold_something_else_are_read_again(files, monkeypatch):
    path, runs = files
    read = readings(monkeypatch)
    for settings in (Settings(), Settings(negative="nonrelevant"), Settings()):
        worked(task_of(path, settings), runs[:1])
    assert 3 + 2 == len(read), "three times to make the task, and twice in the worker"
    Path(path).write_text(Path(path).read_text() + "q9 0 d1 1\n")
    worked(task_of(path), runs[:1])
    assert 3 + 2 + 2 == len(read)


def test_a_process_keeps_a_few_sets_of_judgments_and_all_of_one_task(files):
    path, runs = files
    tasks = [task_of(path, Settings(level=level)) for level in range(1, 8)]
    for task in tasks:
        worked(task, runs[:1])
    assert futures.MOST == len(futures._kept)
    many = replace(tasks[0], judgments=(), files=tuple(small_set(path, number) for number in range(9)))
    assert 9 == len(worked(many, runs[:1])[0].scores)
    assert 9 == len(futures._kept)
    worked(tasks[0], runs[:1])
    assert futures.MOST == len(futures._kept)


def small_set(path: str, number: int) -> JudgmentsFile:
    """Judgments beside others, and different ones."""
    other = f"{path}{number}"
    Path(other).write_text(f"q0 0 d0 {number}\nq0 0 d1 1\n")
    return task_of(other).files[0]


def test_judgments_are_not_sent_and_neither_are_runs(tmp_path):
    path, _ = small_runs(tmp_path, 1, queries=2000)
    packed = futures.packed(task_of(path))
    assert len(packed) < 10_000 < os.path.getsize(path)
    assert b"q77" not in packed


def test_a_worker_in_another_folder_reads_the_same_files_and_calls_them_as_they_were_typed(
    files, monkeypatch, tmp_path
):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "bad").write_text("q0 Q0 d1 1 x t\n")
    task = task_of("qrels")
    arguments = HERE, False, "stranger:1", futures.packed(task), [futures.sent("run0000"), futures.sent("./bad")]
    (tmp_path / "elsewhere").mkdir()
    monkeypatch.chdir(tmp_path / "elsewhere")
    (first, size), (second, _) = futures.unpacked(futures.evaluate(*arguments)[2])
    assert ("run0000", os.path.getsize(tmp_path / "run0000")) == (first.name, size)
    assert "./bad:1: the score 'x' is not a number" in str(second)


def test_behind_a_fault_nothing_of_a_portion_is_read(files, tmp_path):
    path, runs = files
    (tmp_path / "bad").write_text("q0 Q0 d1 1 x t\n")
    found = worked(task_of(path), [runs[0], str(tmp_path / "bad"), runs[1]])
    assert 2 == len(found)
    assert isinstance(found[1], InputError)


def test_a_run_that_a_worker_cannot_have_is_named_with_the_worker(files, tmp_path):
    path, _ = files
    for run, said in ((str(tmp_path / "none"), "there is no such file"), (str(tmp_path), "this is a directory")):
        (found,) = worked(task_of(path), [run])
        assert str(found).startswith(f"{run}: {said} (worker {futures.identity()}); ")


def test_judgments_that_a_worker_cannot_have_are_named_with_it(files):
    path, runs = files
    task = task_of(path)
    os.remove(path)
    (found,) = worked(task, runs)
    assert str(found).startswith(f"{path}: there is no such file (worker {futures.identity()}); ")


@pytest.mark.parametrize("other", ["q0 0 d0 1\n", "no judgments at all", ""])
def test_other_judgments_under_the_same_path_are_refused_and_not_used(files, other):
    path, runs = files
    task = task_of(path)
    Path(path).write_text(other)
    (found,) = worked(task, runs)
    assert f"{path}: the worker {futures.identity()} has another file under this path" in str(found)


def test_a_worker_with_other_versions_does_nothing(files, monkeypatch):
    _, runs = files
    monkeypatch.setattr(pickle, "loads", None)  # what another version has sent may not even be read
    for there, averages in ((HERE + "1", False), (HERE, True)):
        asked = there, averages, "a:1", b"", [futures.sent(runs[0])]
        assert (futures.identity(), described(averages), b"") == futures.evaluate(*asked)


def test_other_processes_use_a_thread_each_and_this_one_as_many_as_before(files, monkeypatch):
    path, runs = files
    task = futures.packed(task_of(path))
    monkeypatch.setattr(chunks, "THREADS", 3)
    futures.evaluate(HERE, False, futures.identity(), task, [futures.sent(runs[0])])
    assert 3 == chunks.THREADS
    futures.evaluate(HERE, False, "stranger:1", task, [futures.sent(runs[0])])
    assert 1 == chunks.THREADS


def test_what_waits_for_judgments_of_another_task_is_not_kept_from_its_own(files):
    """Threads of one process may have several tasks, and forget what they have kept at any time."""
    path, runs = files
    tasks = [task_of(path, Settings(level=level)) for level in (1, 2, 3)]
    expected = [worked(task, runs[:1])[0].summaries[0].values for task in tasks]
    found: list[bool] = []

    def again(number: int) -> None:
        for _ in range(20):
            futures.forget()
            found.append(expected[number] == worked(tasks[number], runs[:1])[0].summaries[0].values)

    threads = [threading.Thread(target=again, args=(number,)) for number in (0, 1, 2)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert [True] * 60 == found


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="is about the C library of GNU")
def test_pages_that_a_worker_of_dask_gives_back_are_kept_for_the_next_run(files, tmp_path):
    """How often the system has to make a page while a run is evaluated again, by its sender and by a worker."""
    path, (run, *_) = files
    Path(run).write_text("".join(f"q{i} Q0 d{j} 1 {j} t\n" for i in range(4) for j in range(30_000)))
    (tmp_path / "task").write_bytes(futures.packed(task_of(path)))
    code = (
        "import resource, sys\n"
        "from pathlib import Path\n"
        "from irev.base.workers import described\n"
        "from irev.extensions.clusters import futures\n"
        "task, run, where = sys.argv[1:]\n"
        "sender = futures.identity() if where == 'here' else 'stranger:1'\n"
        "asked = described(False), False, sender, Path(task).read_bytes(), [(run, run)]\n"
        "for _ in range(3):\n"
        "    before = resource.getrusage(resource.RUSAGE_SELF).ru_minflt\n"
        "    assert futures.evaluate(*asked)[2]\n"
        "print(resource.getrusage(resource.RUSAGE_SELF).ru_minflt - before)\n"
    )
    made = {}
    for where in ("here", "there"):
        command = [sys.executable, "-c", code, str(tmp_path / "task"), run, where]
        dask = environment(MALLOC_TRIM_THRESHOLD_="65536")
        done = subprocess.run(command, env=dask, capture_output=True, check=True, timeout=60)
        made[where] = int(done.stdout)
    assert made["there"] * 5 < made["here"]
