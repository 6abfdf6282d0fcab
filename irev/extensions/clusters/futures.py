"""Any executor of `concurrent.futures`: threads or processes, a cluster behind Dask or Slurm.

Runs go there in portions of about a second, as they stand, and never more of them than keep all workers busy: thousands
of runs are no thousands of futures. What comes back may come in any order.
"""

from __future__ import annotations

import contextlib
import os
import pickle
import socket
import threading
from collections.abc import Generator, Iterator, Mapping, Sequence
from concurrent.futures import BrokenExecutor, Future
from contextlib import contextmanager
from dataclasses import replace
from functools import cache
from queue import SimpleQueue
from typing import Any, NamedTuple

from irev import __version__
from irev.base.errors import InputError, IrevError, UnreachableError
from irev.base.settings import Settings
from irev.base.text import and_more
from irev.base.workers import described
from irev.evaluation.batch import Counts, E, JudgmentsFile, Task, Work, counted, outcome, unreachable
from irev.reading import chunks, qrels
from irev.reading.judgments import Judgments
from irev.reading.sources import Source, is_remote

MOST = 4
"""Sets of judgments that a process keeps, unless one task has more."""


class Sent(NamedTuple):
    """A run as it is sent: where it is, and what messages call it."""

    path: str
    name: str


def sent(path: str) -> Sent:
    """A path as it is sent: absolute, as a worker may be in another folder."""
    local = path and not is_remote(path)
    return Sent(os.path.abspath(path) if local else path, path)


def packed(task: Task) -> bytes:
    """A task as it is sent: without its judgments, but with the places where they can be read."""
    files = tuple(file._replace(path=sent(file.path).path) for file in task.files)
    return pickle.dumps(replace(task, judgments=(), files=files))


class SentCall:
    """A call of `evaluate` that is made where it is unpickled.

    So what is submitted to an executor is `pickle.loads`, and bytes: whatever stands between it and its workers, as the
    scheduler of Dask does, needs no irev, and a worker that has none, or one of another version, can say so.
    """

    def __init__(self, *arguments: Any) -> None:
        self._arguments = arguments

    def __reduce__(self) -> tuple[Any, ...]:
        return evaluate, self._arguments


def identity() -> str:
    """This process, as messages call it: host and number."""
    return f"{socket.gethostname()}:{os.getpid()}"


def evaluate(
    arithmetic: str, averages: bool, sender: str, task: bytes, runs: Sequence[tuple[str, str]]
) -> tuple[str, str, bytes]:
    """Evaluate some runs in turn, up to the first that raises something.

    What goes in and comes out is made of plain values, which any version understands.

    Parameters
    ----------
    arithmetic, averages : str, bool
        What the sender computes with, and whether that is about averages over ties, as `described` has it.
    sender : str
        As `identity` has it.
    task : bytes
        As `packed` has it.
    runs : sequence of Sent

    Returns
    -------
    worker : str
        As `identity` has it.
    arithmetic : str
        What the worker computes with. Where it is not that of the sender, nothing was done.
    found : bytes
        Of `unpacked`.
    """
    worker, here = identity(), described(averages)
    if here != arithmetic:
        return worker, here, b""
    if worker != sender:
        chunks.THREADS = 1  # other processes may be working beside this one, a processor for each
        _keep_pages()
    found: list[tuple[Any, int]] = []
    try:
        work = _with_judgments(pickle.loads(task), worker)
    except (IrevError, MemoryError) as error:
        found.append((error, 0))
    else:
        for path, name in runs:
            read = [0]
            found.append((outcome(work, path, counted(read, 0), name, worker), read[0]))
            if isinstance(found[-1][0], Exception):
                break
    return worker, here, pickle.dumps(found)


@cache
def _keep_pages() -> None:
    """Have the C library keep pages of memory that are needed again at once, where it was told to give them back.

    Dask tells its workers so (``MALLOC_TRIM_THRESHOLD_``), and to have the pages of every buffer made anew takes three
    times as long as to evaluate with those that are there. Up to `PAGES` bytes are kept.
    """
    if "MALLOC_TRIM_THRESHOLD_" not in os.environ:
        return
    with contextlib.suppress(OSError, AttributeError):  # a C library that is not GNU's
        import ctypes

        library = ctypes.CDLL(None)
        library.mallopt(_MMAP_THRESHOLD, PAGES // 4)  # which would not grow any more by itself
        library.mallopt(_TRIM_THRESHOLD, PAGES)


PAGES = 128 << 20
_TRIM_THRESHOLD, _MMAP_THRESHOLD = -1, -3
"""Of malloc.h."""


def unpacked(found: bytes) -> list[tuple[Any, int]]:
    """What came of each run that a worker evaluated, or what it raised, and how many bytes it read for it."""
    outcomes: list[tuple[Any, int]] = pickle.loads(found)
    return outcomes


def _with_judgments(task: Task, worker: str) -> Task:
    with _READING:
        wanted = [(file.sha256, task.settings) for file in task.files]
        others = [key for key in _kept if key not in wanted]
        for key in others[: max(len(others) + len(wanted) - MOST, 0)]:
            _kept.pop(key, None)
        judgments = []
        for key, file in zip(wanted, task.files, strict=True):
            kept = _kept.pop(key) if key in _kept else _read(file, task.settings, worker)
            _kept[key] = kept
            judgments.append(kept)
        return replace(task, judgments=tuple(judgments))


def forget() -> None:
    """Keep no judgments in this process, where whoever sends tasks has come to an end of them."""
    _kept.clear()


_READING = threading.Lock()
"""Held while judgments are read, so that threads that want the same read them once."""


def _begin_copy() -> None:
    """Release the lock in a copy of this process, which lacks the thread that holds it."""
    global _READING
    _READING = threading.Lock()


if hasattr(os, "register_at_fork"):  # not on Windows
    os.register_at_fork(after_in_child=_begin_copy)

_kept: dict[tuple[str, Settings], Judgments] = {}
"""Judgments by what their file held and what they were read with, those used last behind the others."""


def _read(file: JudgmentsFile, settings: Settings, worker: str) -> Judgments:
    found = None
    try:
        with Source(file.path, digest=True, name=file.name) as source:
            judgments = qrels.read(source, settings)
            found = source.digest().sha256
    except UnreachableError as error:
        raise unreachable(error, worker) from None
    except InputError:  # what was read by whoever sent it had no fault
        found = None
    if found != file.sha256:
        fact = f"the worker {worker} has another file under this path"
        raise InputError(fact, file.name, "make the same files available to all workers")
    return judgments


PORTION = 200 << 20
"""Bytes of runs that a worker has done with in one to two seconds: a processor reads 250 MB a second where a file is
near and measures are few, and half of that where they are many."""

EACH = 200 << 10
"""Bytes that could be read in the time that it takes to begin with a run."""

UNKNOWN = 8 << 20
"""Bytes that a run is taken for whose size is not known, as that of a URL."""

PACKED, ENDINGS = 4, (".gz", ".zst", ".xz", ".bz2", ".parquet")
"""Files with such endings hold so many times their size."""

SHARES = 8
"""Portions that there are to be for each worker, so that none waits long for the last one."""

AHEAD = 2
"""Portions that are sent for each worker, so that each has its next one when it has done with one."""

LEAST = 32
"""Workers that there may be, at least, where nobody says how many, or where they may become more."""

NAMED = 3
"""Runs that are named of those that a lost worker had."""


class Portion(NamedTuple):
    """Runs that are sent together: those from `begin` up to `end`."""

    begin: int
    end: int


def portions(costs: Sequence[int], workers: int) -> Iterator[Portion]:
    """Runs that stand together, as many as are to be sent together; at least one."""
    most = min(PORTION, sum(costs) // (SHARES * workers))
    begin = held = 0
    for number, cost in enumerate(costs):
        if number > begin and held + cost > most:
            yield Portion(begin, number)
            begin, held = number, 0
        held += cost
    if costs:
        yield Portion(begin, len(costs))


def _cost(path: str) -> int:
    try:
        size = os.stat(path).st_size
    except (OSError, ValueError):
        size = UNKNOWN
    return EACH + size * (PACKED if path.endswith(ENDINGS) else 1)


class Futures:
    """An executor of `concurrent.futures`, and how many workers it has, where that is known.

    Where it evaluates it raises `InputError` when a worker is lost, cannot do its work, or computes otherwise.
    """

    def __init__(self, executor: Any, workers: int = 0) -> None:
        self._executor = executor
        self._workers = workers

    def counts(self, runs: int) -> Counts:
        return [0] * runs

    def evaluated(self, work: Work[E], runs: Sequence[str], read: Counts) -> Generator[tuple[int, E | Exception]]:
        task: object = work
        if not isinstance(task, Task):
            raise TypeError(f"{type(work).__name__} is no task with judgments that a worker could read")
        averages = task.settings.ties == "average"
        here, sender, in_bytes = described(averages), identity(), packed(task)
        waiting = portions([_cost(path) for path in runs], self._workers or LEAST)
        done: SimpleQueue[Future[Any]] = SimpleQueue()
        under_way: dict[Future[Any], Portion] = {}
        faulty = False
        try:
            while True:
                while not faulty and len(under_way) < AHEAD * max(self._workers, LEAST):
                    portion = next(waiting, None)
                    if portion is None:
                        break
                    sent_runs = [tuple(sent(path)) for path in runs[portion.begin : portion.end]]
                    with self._failing(runs, portion, under_way):
                        asked = pickle.dumps(SentCall(here, averages, sender, in_bytes, sent_runs))
                        future = self._executor.submit(pickle.loads, asked)
                    under_way[future] = portion
                    future.add_done_callback(done.put)
                if not under_way:
                    return
                future = done.get()
                with self._failing(runs, under_way[future], under_way):
                    name, there, found = future.result()
                portion = under_way.pop(future)
                if there != here:
                    fact = (
                        f"values would differ between machines: the worker {name} has {there}, this machine has {here}"
                    )
                    raise InputError(fact, remedy=SAME)
                for number, (outcome, size) in enumerate(unpacked(found), start=portion.begin):
                    read[number] = size
                    faulty = faulty or isinstance(outcome, Exception)
                    yield number, outcome
        finally:
            for future in under_way:
                future.cancel()
            forget()

    @contextmanager
    def _failing(
        self, runs: Sequence[str], portion: Portion, under_way: Mapping[Future[Any], Portion]
    ) -> Iterator[None]:
        """What an executor raises in place of what a worker has to say, with the runs that it was about.

        A pool that breaks loses all that was sent, of which its workers had what was sent first.
        """
        try:
            yield
        except (ImportError, AttributeError) as error:  # the second where another version lacks what is called
            fact = f"a worker cannot import irev ({error})"
            raise InputError(fact, remedy=f"install irev {__version__} on the workers") from None
        except Exception as error:
            lost = [portion]
            if isinstance(error, BrokenExecutor):
                lost = [*under_way.values()][: self._workers or LEAST] or lost
            names = [name for begin, end in lost for name in runs[begin:end]]
            named = ", ".join(names[:NAMED]) + and_more(len(names), NAMED)
            reason = ": ".join(filter(None, (type(error).__name__, " ".join(str(error).split()))))
            fact = f"a worker was lost, or could not do its work, while these runs were evaluated: {named} ({reason})"
            raise InputError(fact, remedy=REMEDY) from None


SAME = "use the same versions on all machines; if the arithmetic differs, use the same kind of machine"
REMEDY = "see the output of the workers; has each enough memory for the judgments and a run?"
