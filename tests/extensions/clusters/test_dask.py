"""A cluster of Dask, with a scheduler and workers that are processes: the bytes of the command without it, whatever
becomes of a worker."""

import contextlib
import os
import signal
import subprocess
import sys
import threading
import time

import pytest
from conftest import ROOT, Started, environment
from outcomes import refused
from small_runs import small_runs

import irev as package
from irev.base.settings import Settings
from irev.evaluation.inputs import Inputs, evaluate_files
from irev.measures import parse

pytest.importorskip("distributed", reason="needs dask[distributed]")

pytestmark = [
    pytest.mark.thorough,
    pytest.mark.filterwarnings("ignore"),  # of how the package is written, and of what it runs on
    pytest.mark.skipif(sys.platform == "win32", reason="Windows has no signal that kills"),
]


@contextlib.contextmanager
def begun():
    """The client of a cluster with two workers that are processes, each of which is begun again when it is lost."""
    from distributed import Client, LocalCluster

    # Workers see the code beside these tests, whatever else is installed.
    before = os.environ.get("PYTHONPATH")
    os.environ["PYTHONPATH"] = str(ROOT)
    of_processes = {"n_workers": 2, "threads_per_worker": 1, "processes": True}
    with (
        LocalCluster(**of_processes, dashboard_address=":0", silence_logs=60) as cluster,
        Client(cluster) as client,
    ):
        yield client
    if before is None:
        del os.environ["PYTHONPATH"]
    else:
        os.environ["PYTHONPATH"] = before


@pytest.fixture(scope="module")
def cluster():
    """One for tests that leave it as it was."""
    with begun() as client:
        yield client


@pytest.fixture
def doomed():
    """One whose workers are killed."""
    with begun() as client:
        yield client


@pytest.fixture(scope="module")
def files(tmp_path_factory):
    """A thousand runs, and a list of them."""
    folder = tmp_path_factory.mktemp("runs")
    qrels, runs = small_runs(folder, 1000)
    (folder / "list").write_text("\n".join(runs))
    return qrels, runs, f"@{folder / 'list'}"


def name(client) -> str:
    """The cluster as ``--executor`` has it."""
    return client.scheduler.address.replace("tcp://", "dask://")


def tasks(client) -> int:
    """How many pieces of work the scheduler knows of."""
    return client.run_on_scheduler(lambda dask_scheduler: len(dask_scheduler.tasks))


def soon(holds, seconds: float = 30.0) -> bool:
    """Whether something comes to hold."""
    ends = time.monotonic() + seconds
    while time.monotonic() < ends:
        if holds():
            return True
        time.sleep(0.05)
    return False


def test_a_thousand_runs_have_the_same_bytes(irev, cluster, files):
    qrels, _, listed = files
    asked = ("-q", "-mAP", "-mnDCG@5", "-fcsv", qrels, listed)
    done = irev(*asked)
    assert 0 == done.status
    assert done == irev(*asked, "--executor", name(cluster))
    assert soon(lambda: tasks(cluster) == 0)


def test_comparisons_have_the_same_bytes(irev, cluster, files):
    qrels, runs, _ = files
    asked = ("compare", "-fjson", "-mAP", qrels, *runs[:4])
    assert irev(*asked) == irev(*asked, "--executor", name(cluster))


def test_checks_and_pages_have_the_same_bytes(irev, cluster, files, tmp_path):
    qrels, runs, _ = files
    asked = ("check", "--min", "AP=0.9", "--baseline-run", runs[0], qrels, *runs[1:4])
    done = irev(*asked)
    assert 1 == done.status
    assert done == irev(*asked, "--executor", name(cluster))
    here, there = tmp_path / "here" / "page.html", tmp_path / "there" / "page.html"
    for page, more in ((here, ()), (there, ("--executor", name(cluster)))):
        page.parent.mkdir()
        assert 0 == irev("report", qrels, *runs[:4], "-o", str(page), *more).status
    command = f" --executor {name(cluster)}"
    assert here.read_text() == there.read_text().replace(command, "").replace("/there/", "/here/")


def test_a_client_is_an_executor(cluster, files):
    qrels, runs, _ = files
    found = package.evaluate_runs(qrels, runs[:20], ["AP"], complete=True, executor=cluster)
    expected = [package.evaluate(qrels, run, ["AP"], complete=True).to_json() for run in runs[:20]]
    assert expected == [each.to_json() for each in found.values()]


def test_the_earliest_fault_is_told_and_a_missing_run_with_the_worker(irev, cluster, files, tmp_path):
    qrels, runs, _ = files
    (tmp_path / "bad").write_text("q1 Q0 d1 1 x t\n")
    asked = (qrels, *runs[:30], str(tmp_path / "bad"), str(tmp_path / "none"), *runs[30:300])
    assert irev(*asked) == irev(*asked, "--executor", name(cluster))
    workers = [f":{pid})" for pid in cluster.run(os.getpid).values()]
    done = irev(qrels, *runs[:30], str(tmp_path / "none"), str(tmp_path / "bad"), "--executor", name(cluster))
    refused(done, "/none: there is no such file (worker ")
    assert any(worker in done.stderr for worker in workers)


def test_the_runs_of_a_worker_that_is_killed_are_done_again(doomed, files):
    qrels, runs, _ = files
    killed: list[int] = []

    @contextlib.contextmanager
    def killing(batch, paths):
        """Kill one of the workers as soon as some of the runs are done."""

        def kill() -> None:
            assert soon(lambda: batch.done > 100)
            killed.extend(list(doomed.run(os.getpid).values())[:1])
            os.kill(killed[0], signal.SIGKILL)

        thread = threading.Thread(target=kill)
        thread.start()
        yield
        assert batch.done == len(paths)
        thread.join()

    asked, settings = [("", qrels)], Settings()
    expected = evaluate_files(Inputs(asked, runs, jobs=1), parse(["AP"]), settings)
    found = evaluate_files(Inputs(asked, runs, executor=doomed, watched=killing), parse(["AP"]), settings)
    assert 1 == len(killed)
    assert [each.summary.values for each in expected.outcomes] == [each.summary.values for each in found.outcomes]


def test_runs_that_kill_every_worker_are_an_error_that_names_them(irev, doomed, files):
    qrels, runs, _ = files
    doomed.run_on_scheduler(lambda dask_scheduler: setattr(dask_scheduler, "allowed_failures", 0))

    def die_at_work():
        from irev.extensions.clusters import futures

        futures.identity = lambda: os._exit(9)

    doomed.run(die_at_work)
    done = irev(qrels, *runs[:2], "--executor", name(doomed))
    refused(done, "a worker was lost, or could not do its work, while these runs were evaluated: ")
    assert "/run000" in done.stderr
    assert "KilledWorker" in done.stderr


@pytest.mark.parametrize(("package", "module"), [("irev", "irev.base.workers"), ("numpy", "numpy")])
def test_a_worker_with_another_version_is_refused_with_both(irev, cluster, files, package, module):
    qrels, _, listed = files

    def pretend(version: str) -> str:
        import importlib

        there = importlib.import_module(module)
        real, there.__version__ = there.__version__, version
        return real

    one = next(iter(cluster.nthreads()))
    (real,) = cluster.run(pretend, "0.0.7", workers=[one]).values()
    (pid,) = cluster.run(os.getpid, workers=[one]).values()
    try:
        done = irev(qrels, listed, "--executor", name(cluster))
    finally:
        cluster.run(pretend, real, workers=[one])
    refused(done, "values would differ between machines: the worker ")
    there, here = done.stderr.split(", this machine has ")
    assert f":{pid} has " in there
    assert f"{package} 0.0.7" in there
    assert f"{package} {real}" in here


def test_judgments_that_one_worker_cannot_read_are_named_with_it(irev, cluster, files, tmp_path):
    qrels, _, listed = files
    one = next(iter(cluster.nthreads()))
    (pid,) = cluster.run(os.getpid, workers=[one]).values()

    def without_files():
        from irev.base.errors import UnreachableError
        from irev.extensions.clusters import futures

        def refuse(path, **_):
            raise UnreachableError("cannot be opened (Permission denied)", path)

        futures.forget()
        real, futures.Source = futures.Source, refuse
        futures.real = real

    def with_files():
        from irev.extensions.clusters import futures

        futures.Source = futures.real

    cluster.run(without_files, workers=[one])
    try:
        done = irev(qrels, listed, "--executor", name(cluster))
    finally:
        cluster.run(with_files, workers=[one])
    refused(done, f"{qrels}: cannot be opened (Permission denied) (worker ")
    assert f":{pid})" in done.stderr


def test_a_scheduler_needs_no_irev(irev, cluster, files):
    qrels, runs, _ = files
    command = [sys.executable, "-m", "irev", "-mAP", qrels, *runs[:20], "--executor", name(cluster)]
    expected = irev("-mAP", qrels, *runs[:20])
    modules = {each: sys.modules[each] for each in sys.modules if each.partition(".")[0] == "irev"}
    try:  # which is in this process
        for each in modules:
            del sys.modules[each]
        sys.modules["irev"] = None
        done = subprocess.run(
            command, env=environment(PYTHONWARNINGS="ignore"), capture_output=True, timeout=60, check=True
        )
    finally:
        sys.modules.update(modules)
    assert expected.stdout == done.stdout


def test_a_worker_without_irev_is_told_as_that(irev, doomed, files):
    def without_irev():
        import sys

        for each in [each for each in sys.modules if each.partition(".")[0] == "irev"]:
            del sys.modules[each]
        sys.modules["irev"] = None

    doomed.run(without_irev)
    refused(irev(files[0], files[1][0], "--executor", name(doomed)), "a worker cannot import irev (")


def test_ctrl_c_leaves_nothing_at_the_scheduler(cluster, files, tmp_path):
    qrels, runs, _ = files
    (tmp_path / "list").write_text("\n".join(runs * 10))
    running = Started(
        [sys.executable, "-m", "irev", qrels, f"@{tmp_path / 'list'}", "--executor", name(cluster)],
        env=environment(PYTHONWARNINGS="ignore"),
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    )
    assert soon(lambda: tasks(cluster) > 0)
    running.send_signal(signal.SIGINT)
    stdout, stderr = running.communicate(timeout=30)
    assert (130, b"", b"") == (running.returncode, stdout, stderr)
    assert soon(lambda: tasks(cluster) == 0)


def test_a_cluster_that_gets_no_workers_is_an_error_after_a_while(irev, files):
    from distributed import LocalCluster

    with LocalCluster(n_workers=0, dashboard_address=":0", silence_logs=60) as cluster:
        address = cluster.scheduler_address.replace("tcp://", "dask://")
        for command in (("eval",), ("check", "--min", "AP=0")):
            done = irev(*command, files[0], files[1][0], "--executor", f"{address}?wait=1")
            refused(done, "has no workers yet; waiting 1 seconds", "has had no workers for 1 seconds")


def test_no_scheduler_is_an_error(irev, files, monkeypatch):
    from irev.extensions.clusters import executors

    monkeypatch.setattr(executors, "PATIENCE", 0.5)
    refused(
        irev(files[0], files[1][0], "--executor", "dask://127.0.0.1:1"), "no scheduler of Dask answers at 127.0.0.1:1 ("
    )
