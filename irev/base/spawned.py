"""Worker processes that start from nothing, by multiprocessing, for systems where `irev.base.copies` is not safe."""

from __future__ import annotations

import os
import threading
from collections.abc import Callable, Generator, MutableSequence
from typing import TYPE_CHECKING, Any, TypeVar

from irev.base import exit
from irev.base.processes import beginning, require_done

if TYPE_CHECKING:
    from multiprocessing.connection import Connection

R = TypeVar("R")


def counts(size: int) -> MutableSequence[int]:
    """As `irev.base.copies.counts`."""
    with beginning():
        from multiprocessing.sharedctypes import RawArray

        shared: MutableSequence[int] = RawArray("Q", size)
        return shared


def results(task: Callable[[int], R], count: int, jobs: int) -> Generator[tuple[int, R]]:
    """As `irev.base.copies.results`; the task must be something that can be pickled, too."""
    with beginning():  # a module is a file, too
        import multiprocessing
        from multiprocessing.connection import wait

    context: Any = multiprocessing.get_context("spawn")
    working: dict[Any, Any] = {}  # for each process the connection that it sends through, and the process
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
                    require_done(process.exitcode)
                    if not isinstance(error, EOFError):
                        raise
    finally:
        for process in working.values():
            process.kill()
            process.join()


def _work(task: Callable[[int], Any], count: int, begun: Any, sender: Connection) -> None:
    """Run in a worker: take tasks while there are any, and send each result."""
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
    """Wait until the parent process ends, which may be killed, and end this process.

    Otherwise it could wait for ever, as for a run from a pipe that nobody writes to.
    """
    import multiprocessing
    from multiprocessing.connection import wait

    exit.leave_to_first_thread()
    parent = multiprocessing.parent_process()
    if parent is not None:
        wait([parent.sentinel])
        os._exit(1)
