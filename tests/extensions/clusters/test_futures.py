"""Executors of concurrent.futures: the numbers of a plain loop, in the order of runs, whoever is first or breaks."""

import functools
import multiprocessing
import os
import signal
import threading
from concurrent.futures import BrokenExecutor, Executor, Future, ProcessPoolExecutor, ThreadPoolExecutor

import pytest
from hypothesis import given
from hypothesis import strategies as st
from small_runs import small_runs

import irev
from irev.extensions.clusters import futures
from irev.extensions.clusters.futures import AHEAD, EACH, LEAST, PORTION, SHARES, Futures, portions

pytestmark = pytest.mark.thorough

MEASURES = ["AP", "nDCG@5", "P@3", "ERR(gmax=auto)", "AP(agg=median)", "num_ret", "runid", "relstring"]
OPTIONS = (
    {},
    {"complete": True, "level": 2, "depth": 4},
    {"ties": "docid-asc", "queries": ["q1", "q3", "q9"], "gains": {0: 0, 1: 3, 2: 7, 3: 8}},
    {"negative": "nonrelevant", "judged_only": True, "compat": "9.0.8"},
)


def plain_loop(qrels, runs, measures, **options):
    """The slow and obvious way, as records to the last digit."""
    return [irev.evaluate(qrels, run, measures, **options).to_dict() for run in runs]


def by(executor, qrels, runs, measures, **options):
    """The same by an executor."""
    return [each.to_dict() for each in irev.evaluate_runs(qrels, runs, measures, executor=executor, **options).values()]


class Fake(Executor):
    """Does what it is given when it holds so many pieces of work, the last one first; keeps all its futures."""

    def __init__(self, together: int = 1) -> None:
        self.together = together
        self.held: list = []
        self.futures: list[Future] = []
        self.most = 0

    def submit(self, fn, /, *args, **kwargs):
        future: Future = Future()
        self.futures.append(future)
        self.held.append((future, fn, args))
        self.most = max(self.most, sum(not each.done() for each in self.futures))
        if len(self.held) == self.together:
            self.work()
        return future

    def work(self):
        while self.held:
            future, fn, args = self.held.pop()
            if future.set_running_or_notify_cancel():
                future.set_result(fn(*args))


class Slowly(Fake):
    """Does one piece of work in a thread, some time after it was given it."""

    def submit(self, fn, /, *args, **kwargs):
        future = super().submit(fn, *args)
        threading.Timer(0.001, self.one).start()
        return future

    def one(self):
        future, fn, args = self.held.pop(0)
        if future.set_running_or_notify_cancel():
            future.set_result(fn(*args))


class Broken(Fake):
    """Breaks at some piece of work, as a pool whose process is killed; all that it holds is lost."""

    def submit(self, fn, /, *args, **kwargs):
        if len(self.futures) == self.together - 1:
            for future, *_ in self.held:
                future.set_exception(BrokenExecutor("a process ended"))
            raise BrokenExecutor("a process ended")
        return super().submit(fn, *args)


@pytest.fixture(scope="module")
def files(tmp_path_factory):
    return small_runs(tmp_path_factory.mktemp("runs"), 12)


@pytest.mark.parametrize("options", OPTIONS)
def test_threads_have_the_numbers_of_a_plain_loop(files, options):
    with ThreadPoolExecutor(3) as executor:
        assert plain_loop(*files, MEASURES, **options) == by(executor, *files, MEASURES, **options)


@pytest.mark.filterwarnings("ignore:This process:DeprecationWarning")  # it may have threads, says Python 3.12
@pytest.mark.parametrize("method", ["fork", "spawn"])
def test_processes_have_the_numbers_of_a_plain_loop(files, method):
    if method not in multiprocessing.get_all_start_methods():
        pytest.skip(f"this system does not begin processes by {method}")
    expected = [plain_loop(*files, MEASURES, **options) for options in OPTIONS]
    with ProcessPoolExecutor(2, mp_context=multiprocessing.get_context(method)) as executor:
        assert expected == [by(executor, *files, MEASURES, **options) for options in OPTIONS]


def test_what_is_ready_last_may_be_the_first(files):
    assert plain_loop(*files, MEASURES) == by(Fake(together=12), *files, MEASURES)


def test_runs_are_called_as_without_an_executor(files, tmp_path):
    qrels, runs = files
    twins = [*runs[:3], runs[1]]
    assert [*irev.evaluate_runs(qrels, twins, "AP")] == [*irev.evaluate_runs(qrels, twins, "AP", executor=Fake())]
    named = {"b": runs[1], "a": runs[0]}
    assert (
        ["b", "a"]
        == [*irev.evaluate_runs(qrels, named, "AP")]
        == [*irev.evaluate_runs(qrels, named, "AP", executor=Fake())]
    )
    assert {} == irev.evaluate_runs(qrels, [], executor=Fake())


def test_evaluations_of_an_executor_are_compared_as_others(files):
    qrels, runs = files
    ours = irev.compare(irev.evaluate_runs(qrels, runs[:3], ["AP"], complete=True, executor=Fake(3)))
    unknown = " Judged shares unknown: values alone do not tell them, judgments and runs do."
    assert irev.compare(qrels, runs[:3], ["AP"])._repr_html_() == ours._repr_html_().replace(unknown, "")


@pytest.mark.parametrize("together", [1, 5])
def test_of_several_faults_that_of_the_earliest_run_is_raised_whatever_is_ready_first(files, tmp_path, together):
    qrels, runs = files
    (tmp_path / "bad").write_text("q1 Q0 d1 1 x t\n")
    (tmp_path / "worse").write_text("q1 Q0\n")
    asked = [runs[0], runs[1], str(tmp_path / "bad"), str(tmp_path / "worse"), runs[2]]
    with pytest.raises(irev.InputError) as alone:
        irev.evaluate_runs(qrels, asked)
    with pytest.raises(irev.InputError) as raised:
        irev.evaluate_runs(qrels, asked, executor=Fake(together))
    assert str(alone.value) == str(raised.value)


def test_what_a_measure_refuses_in_a_worker_is_told_as_here(files):
    with pytest.raises(irev.UsageError) as alone:
        irev.evaluate_runs(*files, ["AP", "alpha_nDCG@5"])
    with pytest.raises(irev.UsageError) as raised:
        irev.evaluate_runs(*files, ["AP", "alpha_nDCG@5"], executor=Fake())
    assert str(alone.value) == str(raised.value)


def test_behind_a_fault_nothing_is_sent_and_what_waits_is_cancelled(files, tmp_path):
    class Stuck(Fake):
        """Does the first piece of work alone."""

        def submit(self, fn, /, *args, **kwargs):
            if not self.futures:
                return super().submit(fn, *args)
            self.futures.append(Future())
            return self.futures[-1]

    qrels, runs = files
    (tmp_path / "bad").write_text("q1 Q0 d1 1 x t\n")
    executor = Stuck()
    with pytest.raises(irev.InputError, match="bad:1"):
        irev.evaluate_runs(qrels, [str(tmp_path / "bad"), *runs * 20], executor=executor)
    first, *others = executor.futures
    assert AHEAD * LEAST == len(executor.futures)
    assert first.done()
    assert all(future.cancelled() for future in others)


@pytest.mark.filterwarnings("ignore::irev.DocumentsWarning")  # nothing of some is judged
def test_never_more_is_sent_than_keeps_workers_busy(tmp_path):
    qrels, runs = small_runs(tmp_path, 100, queries=1, depth=1)
    executor = Slowly(together=0)
    assert plain_loop(qrels, runs, "AP") == by(executor, qrels, runs, "AP")
    assert AHEAD * LEAST >= executor.most
    assert len(executor.futures) > executor.most, "or nothing was tried"


@pytest.mark.skipif(os.name == "nt", reason="Windows wakes nobody who waits, at an interrupt")
def test_an_interrupt_cancels_what_waits(files):
    executor = Fake(together=1000)
    before = signal.signal(signal.SIGINT, signal.default_int_handler)  # what runs tests may ignore it
    try:
        threading.Timer(0.3, os.kill, (os.getpid(), signal.SIGINT)).start()
        with pytest.raises(KeyboardInterrupt):
            irev.evaluate_runs(*files, executor=executor)
    finally:
        signal.signal(signal.SIGINT, before)
    assert 12 == len(executor.futures)
    assert all(future.cancelled() for future in executor.futures)


def test_a_pool_that_breaks_names_the_runs_that_it_had(files):
    qrels, runs = files
    with pytest.raises(irev.InputError) as raised:
        irev.evaluate_runs(qrels, runs, executor=Broken(together=5))
    assert f"while these runs were evaluated: {runs[0]}, {runs[1]}, {runs[2]} and 1 more" in str(raised.value)
    assert "BrokenExecutor: a process ended" in str(raised.value)


@pytest.mark.filterwarnings("ignore:This process:DeprecationWarning")
def test_a_process_that_ends_breaks_its_pool_and_is_no_endless_wait(files):
    with (
        ProcessPoolExecutor(2, initializer=os._exit, initargs=(3,)) as executor,
        pytest.raises(irev.InputError, match="a worker was lost"),
    ):
        irev.evaluate_runs(*files, executor=executor)


def test_a_pool_that_was_closed_is_an_error_that_names_what_it_was_to_do(files):
    with ThreadPoolExecutor(1) as executor:
        pass
    with pytest.raises(irev.InputError, match=r"run0000.*cannot schedule new futures after shutdown"):
        irev.evaluate_runs(*files, executor=executor)


def pretend(monkeypatch, **others) -> None:
    """Have workers, and not who asks, find something else in the module."""
    real = futures.evaluate

    @functools.wraps(real)
    def evaluate(*arguments):
        with monkeypatch.context() as there:
            for name, value in others.items():
                there.setattr(futures, name, value)
            return real(*arguments)

    monkeypatch.setattr(futures, "evaluate", evaluate)


def test_a_worker_whose_vectors_differ_is_refused_where_ties_are_averaged_alone(files, monkeypatch):
    real = futures.described
    pretend(monkeypatch, described=lambda averages: real(averages) + "x" * averages)
    assert plain_loop(*files, "AP") == by(Fake(), *files, "AP")
    with pytest.raises(irev.InputError, match="values would differ between machines"):
        irev.evaluate_runs(*files, "AP", executor=Fake(), ties="average")


@pytest.mark.parametrize("executor", [7, "mpj", "dask://", "dask://host", "dask://a b:1", object()])
def test_what_is_no_executor_is_refused(files, executor):
    with pytest.raises(irev.UsageError, match=r"is not an executor; expected dask://HOST:PORT, .* or processes"):
        irev.evaluate_runs(*files, executor=executor)


def test_what_is_in_memory_is_no_file_that_a_worker_could_read(files):
    qrels, runs = files
    for judged, retrieved, said in (
        ({"q1": {"d1": 1}}, runs, "judgments of type dict"),
        (irev.read_qrels(qrels), runs, "judgments of type Qrels"),
        (qrels, {"a": runs[0], "b": {"q1": {"d1": 1.0}}}, "a run of type dict"),
    ):
        with pytest.raises(irev.UsageError, match=f"workers read files, not {said}; write it to a file"):
            irev.evaluate_runs(judged, retrieved, executor=Fake())
    with pytest.raises(TypeError, match="expected several runs"):
        irev.evaluate_runs(qrels, runs[0])


def test_runs_in_memory_are_evaluated_here(files):
    qrels, runs = files
    judged, retrieved = irev.read_qrels(qrels), irev.read_run(runs[1])
    found = irev.evaluate_runs(judged, {"file": runs[0], "held": retrieved}, "AP")
    assert [irev.evaluate(qrels, run, "AP").mean() for run in runs[:2]] == [each.mean() for each in found.values()]


@given(st.lists(st.integers(0, 2 * PORTION), max_size=60), st.integers(1, 40))
def test_portions_are_all_runs_in_their_order_and_none_is_large_that_need_not_be(costs, workers):
    found = list(portions(costs, workers))
    assert list(range(len(costs))) == [number for begin, end in found for number in range(begin, end)]
    for begin, end in found:
        assert end > begin
        assert end - begin == 1 or sum(costs[begin:end]) <= min(PORTION, sum(costs) // (SHARES * workers))


def test_thousands_of_small_runs_are_a_few_portions():
    assert 16 <= len(list(portions([EACH] * 10_000, 2))) <= 32
    assert 10_000 * EACH // PORTION <= len(list(portions([EACH] * 10_000, 1))) <= 16


def test_what_is_no_task_is_refused():
    with pytest.raises(TypeError, match="is no task with judgments"):
        next(Futures(Fake()).evaluated(object(), ["a"], [0]))
