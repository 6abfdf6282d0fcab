"""Several processes of this machine, which share out the runs: ``-j``.

One thread reads a run with little to wait for, while several threads of one process would wait for the interpreter.
Where that is safe, processes begin as copies of this one, and so have the judgments; elsewhere they are sent to them.
"""

from __future__ import annotations

import contextlib
import os
import sys
import threading
from collections.abc import Generator, Iterator, Sequence
from typing import TYPE_CHECKING, Any

from irev.base import signals
from irev.errors import InputError
from irev.evaluation.executors.executor import Counts, E, Work, counted, outcome
from irev.reading import chunks
from irev.reading.sources import STANDARD_INPUT

if TYPE_CHECKING:
    from multiprocessing.connection import Connection

ROOM = 150 << 20
"""Bytes of memory that one process may need, roughly."""


def how_many(runs: Sequence[str], wanted: int | None) -> int:
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


class Processes:
    """So many processes, each of which takes the next run as long as there is one."""

    def __init__(self, jobs: int) -> None:
        self._jobs = jobs

    def counts(self, runs: int) -> Counts:
        with _beginning():
            from multiprocessing.sharedctypes import RawArray

            counts: Counts = RawArray("Q", runs)
            return counts

    def evaluated(self, work: Work[E], runs: Sequence[str], read: Counts) -> Generator[tuple[int, E | Exception]]:
        with _beginning():  # a module is a file, too
            import multiprocessing
            from multiprocessing.connection import wait

        context: Any = multiprocessing.get_context("fork" if sys.platform == "linux" else "spawn")
        working: dict[Any, Any] = {}  # where each process sends, and the process
        try:
            with _beginning():
                begun = context.Value("q", 0)
                for _ in range(self._jobs):
                    receiver, sender = context.Pipe(duplex=False)
                    arguments = (work, tuple(runs), read, begun, self._jobs, sender)
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


def _work(work: Work[Any], runs: tuple[str, ...], read: Any, begun: Any, jobs: int, sender: Connection) -> None:
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
        sender.send((number, outcome(work, runs[number], counted(read, number))))


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
