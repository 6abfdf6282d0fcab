"""Several processes of this machine, which share out numbered tasks.

Where that is safe, processes begin as copies of this one, and have whatever it has; elsewhere it is sent to them. None
outlives whoever began it: when the caller stops early they are ended, and when that process is killed they end alone.
"""

from __future__ import annotations

import contextlib
import os
import sys
import threading
from collections.abc import Callable, Generator, Iterator
from typing import TYPE_CHECKING, Any, TypeVar

from irev.base import exit
from irev.base.errors import InputError

if TYPE_CHECKING:
    from multiprocessing.connection import Connection

R = TypeVar("R")

COPIES = sys.platform == "linux"
"""Whether processes begin as copies of this one."""

ROOM = 150 << 20
"""Bytes of memory that one process may need, roughly."""

FEWER = "use fewer of them, for example -j 1"


def processors() -> int:
    """Processors that this process may use."""
    try:
        return len(os.sched_getaffinity(0))
    except AttributeError:  # not on macOS and Windows
        return os.cpu_count() or 1


def threads_suffice() -> bool:
    """Whether threads run at the same time, as in a Python without an interpreter lock."""
    return not getattr(sys, "_is_gil_enabled", lambda: True)()


def how_many(wanted: int | None) -> int:
    """How many processes to use: as many as wanted, or as processors and memory allow."""
    if wanted is not None:
        return wanted
    free = _free_memory()
    return processors() if free is None else min(processors(), max(free // ROOM, 1))


def _free_memory() -> int | None:
    """Bytes of memory that are free; None where the system does not say."""
    try:
        return os.sysconf("SC_AVPHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")
    except (AttributeError, ValueError, OSError):
        return None


def results(task: Callable[[int], R], count: int, jobs: int) -> Generator[tuple[int, R]]:
    """The number of each of `count` tasks and its result, as they are ready.

    Parameters
    ----------
    task : callable
        Is given a number, and has to return what can be sent; it is sent itself where processes are no copies.
    count : int
        Numbers are 0 to ``count - 1``. They are begun in this order.
    jobs : int
        Processes.

    Raises
    ------
    NoProcess
        When the system has no room for one, and before there are any results.
    InputError
        When one was ended.
    """
    with beginning():  # a module is a file, too
        import multiprocessing
        from multiprocessing.connection import wait

    context: Any = multiprocessing.get_context("fork" if COPIES else "spawn")
    working: dict[Any, Any] = {}  # where each process sends, and the process
    try:
        with beginning():
            begun = context.Value("q", 0)
            for _ in range(jobs):
                receiver, sender = context.Pipe(duplex=False)
                process = context.Process(target=_work, args=(task, count, begun, sender), daemon=True)
                process.start()
                sender.close()  # so that the end of the process is the end of what it sends
                working[receiver] = process
        while working:
            for receiver in list[Any](wait(list(working))):
                try:
                    yield receiver.recv()
                except (EOFError, OSError) as error:  # OSError: ended in the midst of what it sent
                    process = working.pop(receiver)
                    process.join()
                    _require_done(process.exitcode)
                    if not isinstance(error, EOFError):
                        raise
    finally:
        for process in working.values():
            process.kill()
            process.join()


class NoProcess(InputError):
    """A process could not begin."""


@contextlib.contextmanager
def beginning() -> Iterator[None]:
    """Say what it is that the system has no room for."""
    try:
        yield
    except (OSError, ImportError) as error:  # a module may find no room for a library of its own
        reason = getattr(error, "strerror", None) or error
        fact = f"no more processes can be started to evaluate runs ({reason})"
        raise NoProcess(fact, remedy=FEWER) from None


def _require_done(status: int) -> None:
    """Raise `InputError` for a process that was ended, as a system without memory does."""
    if status:
        how = f"by signal {-status}" if status < 0 else f"with status {status}"
        raise InputError(f"a process that evaluated runs was stopped {how}", remedy=FEWER)


def _work(task: Callable[[int], Any], count: int, begun: Any, sender: Connection) -> None:
    """One of several processes: take the next task, as long as there is one, and send what comes of it."""
    exit.leave_to_parent()
    threading.Thread(target=_end_with_parent, daemon=True).start()
    while True:
        with begun.get_lock():
            number = begun.value
            begun.value += 1
        if number >= count:
            return
        sender.send((number, task(number)))


def _end_with_parent() -> None:
    """Wait for the end of the process that began this one, which may be killed, and end.

    What this one waits for may never come: a run from a pipe that nobody writes to.
    """
    import multiprocessing
    from multiprocessing.connection import wait

    exit.leave_to_first_thread()
    parent = multiprocessing.parent_process()
    if parent is not None:
        wait([parent.sentinel])
        os._exit(1)
