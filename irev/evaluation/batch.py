"""Many runs: each is read once and evaluated under every set of judgments, several at a time.

Judgments are read and indexed once. Where there are several runs and processors, processes share them out: one thread
reads a run with little to wait for, while several threads of one process would wait for the interpreter. Results come
in the order of the runs, and of several faults the one of the earliest run is raised, whatever the number of processes.
"""

from __future__ import annotations

import contextlib
import os
import sys
import threading
from collections.abc import Callable, Generator, Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Generic, NamedTuple, Protocol, TypeVar

import numpy as np

from irev.base import segments, signals
from irev.base.settings import Settings
from irev.errors import InputError, IrevError, ProblemError
from irev.evaluation import scores, summary
from irev.evaluation.result import Facts
from irev.evaluation.scores import Scores
from irev.evaluation.summary import Summary
from irev.measures import Request
from irev.ranking import ranking
from irev.ranking.ranked import Ranked
from irev.ranking.ranking import LeftOut
from irev.reading import chunks
from irev.reading.qrels import Judgments
from irev.reading.runs import Reading
from irev.reading.sources import STANDARD_INPUT, Digest, Source

if TYPE_CHECKING:
    from multiprocessing.connection import Connection

    from irev.evaluation.shown import ShownRun

ROOM = 150 << 20
"""Bytes of memory that one process may need, roughly."""


class Evaluated(NamedTuple):
    """What came of one run.

    Attributes
    ----------
    name : str
        What messages call its file.
    reading : Reading
        What reading it found.
    scores, summaries, left_out, facts : tuple
        One for each set of judgments.
    digest : Digest or None
        What its file was, where that was asked for.
    shown : ShownRun or None
        What pages show of its rankings, where that was asked for.
    """

    name: str
    reading: Reading
    scores: tuple[Scores, ...]
    summaries: tuple[Summary, ...]
    left_out: tuple[LeftOut, ...]
    facts: tuple[Facts, ...]
    digest: Digest | None
    shown: ShownRun | None = None


E = TypeVar("E")
Found = TypeVar("Found", covariant=True)


class Work(Protocol[Found]):
    """What is done with every run of a batch."""

    def evaluated(self, path: str, watch: Callable[[int], None] | None = None) -> Found:
        """What comes of one run; `watch` is told how many bytes were read, as they are."""


@dataclass(frozen=True, eq=False)
class Task:
    """What is the same for every run.

    Attributes
    ----------
    judgments : tuple of Judgments
        The sets to evaluate under.
    requests : tuple of Request
    settings : Settings
    digest : bool
        Whether files are to be hashed.
    per_query : bool
        Whether the scores have the values of single queries.
    """

    judgments: tuple[Judgments, ...]
    requests: tuple[Request, ...]
    settings: Settings
    digest: bool = False
    per_query: bool = True

    def evaluated(self, path: str, watch: Callable[[int], None] | None = None) -> Evaluated:
        """Read and evaluate one run; `watch` is told how many bytes were read, as they are."""
        with Source(path, digest=self.digest, watch=watch) as source:
            ranked, reading = ranking.rank_under(self.judgments, source, self.settings)
            digest = source.digest() if self.digest else None
        return self.of(source.name, reading, ranked, digest)

    def of(
        self, name: str, reading: Reading, ranked: Sequence[tuple[Ranked, LeftOut]], digest: Digest | None
    ) -> Evaluated:
        """The scores of a run under every set of judgments."""
        found = [self._scored(each) for each, _ in ranked]
        return Evaluated(
            name,
            reading,
            tuple(of_queries for of_queries, _ in found),
            tuple(of_all for _, of_all in found),
            tuple(left_out for _, left_out in ranked),
            tuple(facts_of(each, left_out) for each, left_out in ranked),
            digest,
        )

    def _scored(self, ranked: Ranked) -> tuple[Scores, Summary]:
        if not self.per_query:
            return summary.evaluate(ranked, self.requests)
        found = scores.evaluate(ranked, self.requests)
        return found, summary.summarise(found)


def facts_of(ranked: Ranked, left_out: LeftOut) -> Facts:
    """What numbers do not show of rankings."""
    # With expected values over ties, hits behind the cut are kept that could stand before it.
    judged = int(np.count_nonzero((ranked.grade >= 0) & (ranked.rank <= ranked.retrieved[ranked.owner])))
    tied = len(segments.distinct(ranked.owner[ranked.tie_first < ranked.tie_last]))
    return Facts(judged, int(ranked.retrieved.sum()) - judged, tied, left_out.not_retrieved, left_out.not_judged)


def processes(runs: Sequence[str], wanted: int | None) -> int:
    """How many processes to use: as many as wanted, or as processors and memory allow; 1 to do without."""
    if len(runs) < 2 or STANDARD_INPUT in runs:  # which another process may not have
        return 1
    allowed = chunks.processors() if wanted is None else wanted
    if wanted is None and (free := _free_memory()) is not None:
        allowed = min(allowed, max(free // ROOM, 1))
    return min(allowed, len(runs))


def _free_memory() -> int | None:
    """Bytes of memory that are free; None where the system does not say."""
    try:
        return os.sysconf("SC_AVPHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")
    except (AttributeError, ValueError, OSError):
        return None


class Batch(Generic[E]):
    """The evaluation of several runs, under way.

    Parameters
    ----------
    task : Work
    runs : sequence of str
        Paths.
    jobs : int
        Number of processes; 1 evaluates in this one.

    Attributes
    ----------
    done : int
        Runs that are evaluated.
    """

    def __init__(self, task: Work[E], runs: Sequence[str], jobs: int) -> None:
        self._task, self._runs, self._jobs = task, runs, jobs
        self.done = 0
        self._read: Any = [0] * len(runs)
        if jobs > 1:  # which is rare, and takes long to import
            with _beginning():
                from multiprocessing.sharedctypes import RawArray

                self._read = RawArray("Q", len(runs))

    def read(self) -> int:
        """Bytes of all files that were read so far."""
        return sum(self._read)

    def results(self) -> Iterator[E]:
        """What comes of each run, in order. Raises what its evaluation raises."""
        if self._jobs == 1:
            for number, path in enumerate(self._runs):
                yield self._task.evaluated(path, _counted(self._read, number))
                self.done += 1
            return
        found: dict[int, E | Exception] = {}
        with contextlib.closing(self._by_processes()) as arriving:  # no process outlives a fault
            for number, evaluated in arriving:
                found[number] = evaluated
                while self.done in found:
                    first = found.pop(self.done)
                    if isinstance(first, Exception):
                        raise first
                    yield first
                    self.done += 1

    def _by_processes(self) -> Generator[tuple[int, E | Exception], None, None]:
        """The number of each run and what came of it, as processes have done with them."""
        with _beginning():  # a module is a file, too
            import multiprocessing
            from multiprocessing.connection import wait

        # Processes that begin as copies of this one, and so have the judgments, where that is safe; new ones elsewhere.
        context: Any = multiprocessing.get_context("fork" if sys.platform == "linux" else "spawn")
        working: dict[Any, Any] = {}  # where each process sends, and the process
        try:
            with _beginning():
                begun = context.Value("q", 0)
                for _ in range(self._jobs):
                    receiver, sender = context.Pipe(duplex=False)
                    arguments = (self._task, tuple(self._runs), self._read, begun, self._jobs, sender)
                    process = context.Process(target=_work, args=arguments, daemon=True)
                    process.start()
                    sender.close()  # so that the end of the process is the end of what it sends
                    working[receiver] = process
            while working:
                for receiver in list[Any](wait(list(working))):
                    try:
                        yield receiver.recv()
                    except EOFError:
                        process = working.pop(receiver)
                        process.join()
                        _require_done(process.exitcode)
        finally:
            for process in working.values():
                process.kill()
                process.join()


_FEWER = "use fewer of them, for example -j 1"


@contextlib.contextmanager
def _beginning() -> Iterator[None]:
    """Say what it is that the system has no room for."""
    try:
        yield
    except (OSError, ImportError) as error:  # a module may find no room for a library of its own
        reason = getattr(error, "strerror", None) or error
        fact = f"no further process can be started to evaluate runs ({reason})"
        raise InputError(fact, remedy=_FEWER) from None


def _require_done(status: int) -> None:
    """Raise `InputError` for a process that was ended, as a system without memory does."""
    if status:
        how = f"by signal {-status}" if status < 0 else f"with status {status}"
        raise InputError(f"a process that evaluated runs was ended {how}", remedy=_FEWER)


def _counted(read: Any, number: int) -> Callable[[int], None]:
    def watch(size: int) -> None:
        read[number] += size

    return watch


def _work(task: Work[Any], runs: tuple[str, ...], read: Any, begun: Any, jobs: int, sender: Connection) -> None:
    """One of several processes: take the next run, as long as there is one, and send what comes of it."""
    signals.leave_to_parent()
    threading.Thread(target=_end_with_parent, daemon=True).start()
    chunks.THREADS = max(chunks.processors() // jobs, 1)
    while True:
        with begun.get_lock():
            number = begun.value
            begun.value += 1
        if number >= len(runs):
            return
        sender.send((number, _sendable(task, runs[number], _counted(read, number))))


def _end_with_parent() -> None:
    """Wait for the end of the process that began this one, which may be killed, and end.

    What this one waits for may never come: a run from a pipe that nobody writes to.
    """
    import multiprocessing
    from multiprocessing.connection import wait

    signals.leave_to_first_thread()
    parent = multiprocessing.parent_process()
    if parent is not None:
        wait([parent.sentinel])
        os._exit(1)


def _sendable(task: Work[E], path: str, watch: Callable[[int], None]) -> E | Exception:
    """What comes of a run, or what it raises, as an exception that can be sent."""
    try:
        return task.evaluated(path, watch)
    except ProblemError as error:
        return InputError(error.fact, error.place, error.remedy)
    except (IrevError, MemoryError) as error:
        return error
    except Exception as error:
        return RuntimeError(f"{type(error).__name__}: {error}")
