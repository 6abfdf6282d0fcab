"""Any executor of `concurrent.futures`: threads or processes, a pool of MPI, a cluster behind Dask or Slurm.

Runs go there in portions of about a second, as they stand, and never more of them than keep all workers busy: thousands
of runs are no thousands of futures. What comes back may come in any order.
"""

from __future__ import annotations

import os
import pickle
from collections.abc import Generator, Iterator, Mapping, Sequence
from concurrent.futures import BrokenExecutor, Future
from contextlib import contextmanager
from queue import SimpleQueue
from typing import Any, NamedTuple

from irev import __version__
from irev.base.text import and_more
from irev.errors import InputError
from irev.evaluation.arithmetic import described
from irev.evaluation.batch import Task
from irev.evaluation.executors import worker
from irev.evaluation.executors.executor import Counts, E, Work

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
        here, sender, packed = described(averages), worker.identity(), worker.packed(task)
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
                    sent = [tuple(worker.sent(path)) for path in runs[portion.begin : portion.end]]
                    with self._failing(runs, portion, under_way):
                        asked = pickle.dumps(worker.SentCall(here, averages, sender, packed, sent))
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
                    fact = f"values would not be the same everywhere: the worker {name} has {there}, and here is {here}"
                    raise InputError(fact, remedy=SAME)
                for number, (outcome, size) in enumerate(worker.unpacked(found), start=portion.begin):
                    read[number] = size
                    faulty = faulty or isinstance(outcome, Exception)
                    yield number, outcome
        finally:
            for future in under_way:
                future.cancel()
            worker.forget()

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
            raise InputError(fact, remedy=f"install irev {__version__} where workers are") from None
        except Exception as error:
            lost = [portion]
            if isinstance(error, BrokenExecutor):
                lost = [*under_way.values()][: self._workers or LEAST] or lost
            names = [name for begin, end in lost for name in runs[begin:end]]
            named = ", ".join(names[:NAMED]) + and_more(len(names), NAMED)
            reason = ": ".join(filter(None, (type(error).__name__, " ".join(str(error).split()))))
            fact = f"a worker was lost, or could not do its work, while these runs were evaluated: {named} ({reason})"
            raise InputError(fact, remedy=REMEDY) from None


SAME = "have the same versions on all machines, and where arithmetic differs like machines"
REMEDY = "what workers say may tell why; has each the memory for the judgments and a run?"
