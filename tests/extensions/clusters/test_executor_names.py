"""Executors by their names, ``--executor``: the bytes of the command without it, in every style, and what is refused.

A pool of threads stands in for the cluster; test_dask.py tries a real one.
"""

import sys
import typing
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager

import pytest
from outcomes import refused
from small_runs import small_runs

import irev as package
from irev.evaluation import batch
from irev.extensions.clusters import executors
from irev.extensions.clusters.futures import Futures
from irev.output.styles import EVALUATION, styles

pytestmark = pytest.mark.thorough

OF_THREADS = ("--executor", "dask://localhost:1")


class Pool(ThreadPoolExecutor):
    """A pool that tells whether it was started and closed."""

    begun: typing.ClassVar["list[Pool]"] = []

    def __init__(self):
        super().__init__(2)
        self.begun.append(self)


@pytest.fixture
def threads(monkeypatch):
    """A cluster of two threads."""
    monkeypatch.setattr(Pool, "begun", [])

    @contextmanager
    def of_dask(*asked):
        with Pool() as pool:
            yield Futures(pool, 2)

    monkeypatch.setattr(executors, "of_dask", of_dask)


@pytest.fixture
def folder(tmp_path, monkeypatch):
    """Runs, in the folder that the commands run in; two of them with what is worth a warning, and a list."""
    small_runs(tmp_path, 6)
    (tmp_path / "few").write_text("q0 Q0 d1 1 1 few\nq9 Q0 d1 1 1 fewer\n")
    (tmp_path / "twin").write_bytes((tmp_path / "run0001").read_bytes())
    (tmp_path / "less").write_text("q0 0 d1 1\nq1 0 d2 1\n")
    (tmp_path / "groups").write_text("q0\ta\nq1\tb\n")
    (tmp_path / "list").write_text("run0000\nrun0002\nfew\ntwin\n")
    monkeypatch.chdir(tmp_path)
    return tmp_path


RUNS = ("run0000", "run0001", "few", "twin", "run0003")


@pytest.mark.parametrize("style", styles(EVALUATION))
@pytest.mark.parametrize("more", [(), ("-q", "-c", "-l2")])
def test_every_style_of_eval_has_the_same_bytes(irev, folder, threads, style, more):
    asked = ("eval", "-f", style, *more, "-mAP", "-mnDCG@5", "-mrelstring", "qrels", *RUNS)
    assert irev(*asked) == irev(*asked, *OF_THREADS)
    assert irev(*asked) == irev(*asked, "--executor", "processes", "-j2")
    assert 1 == len(Pool.begun)


@pytest.mark.parametrize("style", styles())
def test_every_style_of_compare_has_the_same_bytes(irev, folder, threads, style):
    asked = ("compare", "-f", style, "-mAP", "-mP.3", "qrels", "run0000", "run0001", "run0003")
    done = irev(*asked)
    assert 0 == done.status
    assert done == irev(*asked, *OF_THREADS)


@pytest.mark.parametrize(
    "asked",
    [
        ("--qrels", "a=qrels", "--qrels", "b=less", "-fjson", "-q", *RUNS),
        ("--groups", "groups", "--bounds", "-mP.2", "qrels", *RUNS),
        ("--aggregate", "median,sd", "--ties", "average", "-mnDCG@5", "qrels", "@list"),
        ("-ftable", "--sort", "AP", "--significance", "-mAP", "-c", "qrels", "run0000", "run0003", "run0004"),
        ("qrels", *(f"{name}={run}" for name, run in zip("abcde", RUNS, strict=True))),
        ("-J", "-M3", "--compat", "9.0.8", "--duplicates", "first", "qrels", *RUNS),
        ("--queries", "run", "qrels", "few"),
    ],
)
def test_options_mean_what_they_mean_without(irev, folder, threads, asked):
    done = irev(*asked)
    assert 0 == done.status, done.stderr
    assert done == irev(*asked, *OF_THREADS)


def test_faults_are_those_without_but_for_files_that_a_worker_lacks(irev, folder, threads):
    (folder / "bad").write_text("q0 Q0 d1 1 x t\n")
    (folder / "worse").write_text("q0\n")
    asked = ("qrels", "run0000", "bad", "worse")
    assert 2 == irev(*asked).status
    assert irev(*asked) == irev(*asked, *OF_THREADS)
    assert irev("nothing", "bad") == irev("nothing", "bad", *OF_THREADS)
    refused(irev("qrels", "run0000", "none", *OF_THREADS), "none: there is no such file (worker ")


def test_names_of_files_give_no_orders_in_what_workers_say(irev, folder, threads):
    name = "\x1b[31mred\n::error::x"
    done = irev("qrels", "run0000", name, *OF_THREADS)
    refused(done)
    assert "\x1b" not in done.stderr
    assert r"\x1b[31mred\n::error::x: there is no such file" in done.stderr
    assert 1 == done.stderr.count("\n")


@pytest.mark.parametrize(
    ("asked", "said"),
    [
        (("eval", "-", "run0000"), "workers cannot read standard input; write it to a file that they can read"),
        (("eval", "qrels", "-"), "workers cannot read standard input"),
        (("compare", "qrels", "-", "run0000"), "workers cannot read standard input"),
        (("eval", "--qrels", "a=-", "run0000"), "workers cannot read standard input"),
        (("eval", "qrels", "/dev/null"), "/dev/null: workers cannot read this, which is no file; write it to a file"),
        (
            ("eval", "--run-format", "letor-scores:x", "qrels", "run0000"),
            "--run-format letor-scores needs a second file for each run, which workers do not get",
        ),
    ],
)
def test_what_workers_cannot_do_is_refused_before_they_are_asked(irev, folder, threads, asked, said):
    refused(irev(*asked, *OF_THREADS), said)
    assert [] == Pool.begun


def test_what_is_not_installed_is_told_with_what_installs_it(irev, folder, monkeypatch):
    monkeypatch.setitem(sys.modules, "distributed", None)
    for loaded in [loaded for loaded in sys.modules if loaded.startswith("distributed.")]:
        monkeypatch.delitem(sys.modules, loaded)
    refused(irev(*OF_THREADS, "qrels", "run0000"), "pip install 'dask[distributed]'")


def test_a_pool_is_closed_again_and_one_that_is_handed_in_is_not(folder, threads):
    package.evaluate_runs("qrels", ["run0000"], executor=OF_THREADS[1])
    assert [True] == [pool._shutdown for pool in Pool.begun]
    with Pool() as pool:
        package.evaluate_runs("qrels", ["run0000"], executor=pool)
        assert not pool._shutdown


def test_processes_are_those_of_jobs(folder):
    found = package.evaluate_runs("qrels", ["run0000", "run0001"], "AP", executor="processes")
    assert [each.mean() for each in package.evaluate_runs("qrels", ["run0000", "run0001"], "AP").values()] == [
        each.mean() for each in found.values()
    ]
    assert isinstance(batch.local(["a", "b", "c"], 2), batch.Processes)
    assert isinstance(batch.local(["a"], 2), batch.InTurn)
