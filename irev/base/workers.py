"""Worker processes, by multiprocessing: copies of this process on Linux, begun from nothing elsewhere.

A copy needs nothing sent to it, and takes the number of its next task out of a pipe. The locks of multiprocessing need
/dev/shm, which some hosts lack; they are used where there is no fork.
"""

from __future__ import annotations

import contextlib
import os
import threading
from collections.abc import Callable, Generator, MutableSequence
from typing import TYPE_CHECKING, Any, TypeVar

from irev.base import exit, processes
from irev.base.processes import FEWER, NoProcess, beginning, require_done

if TYPE_CHECKING:
    from multiprocessing.connection import Connection

R = TypeVar("R")


def counts(size: int) -> MutableSequence[int]:
    """An array of this size, all 0, that this process and its workers share."""
    with beginning():
        if processes.COPIES:
            import mmap

            shared: Any = memoryview(mmap.mmap(-1, 8 * size)).cast("Q")
        else:
            from multiprocessing.sharedctypes import RawArray

            shared = RawArray("Q", size)
    return shared  # type: ignore[no-any-return]


def results(task: Callable[[int], R], count: int, jobs: int) -> Generator[tuple[int, R]]:
    """Run `count` tasks; yield the number and the result of each as soon as it is done.

    Parameters
    ----------
    task : callable
        It is given the number of a task, and returns something that can be pickled. It must be something that can be
        pickled, too, where workers are no copies.
    count : int
        Tasks have the numbers 0 to ``count - 1``, and begin in this order.
    jobs : int
        Number of processes.

    Raises
    ------
    NoProcess
        If the system cannot start a process. No result comes before that.
    InputError
        If a process was killed.
    """
    with beginning():  # a module is a file, too
        import multiprocessing
        from multiprocessing.connection import wait

    if multiprocessing.current_process().daemon:
        raise NoProcess("this process may start no others, as a worker of multiprocessing's pools", remedy=FEWER)
    context: Any = multiprocessing.get_context("fork" if processes.COPIES else "spawn")
    working: dict[Any, Any] = {}  # for each process the connection that it sends through, and the process
    finished: set[Any] = set()  # the connections of those that said that nothing is left to do
    with contextlib.ExitStack() as closing:
        try:
            with beginning(), _starting:
                following = _Copied(closing) if processes.COPIES else _Locked(context)
                for _ in range(jobs):
                    receiver, sender = context.Pipe(duplex=False)
                    closing.callback(receiver.close)
                    process = context.Process(target=_work, args=(task, count, following, sender), daemon=True)
                    process.start()
                    sender.close()  # so that the end of the process is the end of what it sends
                    working[receiver] = process
            while working:
                for receiver in list[Any](wait(list(working))):
                    try:
                        message = receiver.recv()
                    except (EOFError, OSError):  # OSError: ended in the midst of what it sent
                        process = working.pop(receiver)
                        process.join()
                        require_done(process.exitcode or int(receiver not in finished))
                    else:
                        if message is None:
                            finished.add(receiver)
                        else:
                            yield message
        finally:
            for process in working.values():
                process.kill()
                process.join()


_starting = threading.RLock()
"""Held while processes begin: one that began between those of another thread would keep open what ends them. Those that
others fork wait, too: the lock would stay held in them."""
if hasattr(os, "register_at_fork"):
    os.register_at_fork(before=_starting.acquire, after_in_parent=_starting.release, after_in_child=_starting.release)


class _Copied:
    """The number of the next task, in a pipe: a worker takes it out and puts the number after it back in."""

    def __init__(self, closing: contextlib.ExitStack) -> None:
        self._ends = os.pipe()
        for end in self._ends:
            closing.callback(os.close, end)
        os.write(self._ends[1], bytes(8))

    def __call__(self) -> int:
        number = int.from_bytes(os.read(self._ends[0], 8))
        os.write(self._ends[1], (number + 1).to_bytes(8))
        return number


class _Locked:
    """The number of the next task, in memory that workers share."""

    def __init__(self, context: Any) -> None:
        self._next = context.Value("q", 0)

    def __call__(self) -> int:
        with self._next.get_lock():
            number: int = self._next.value
            self._next.value += 1
        return number


def _work(task: Callable[[int], Any], count: int, following: Callable[[], int], sender: Connection) -> None:
    """Run in a worker: take tasks while there are any, and send each result."""
    exit.leave_to_parent()
    with contextlib.suppress(RuntimeError):  # no room for a thread: what is sent fails then, once nobody reads
        threading.Thread(target=_end_with_parent, daemon=True).start()
    while (number := following()) < count:
        sender.send((number, task(number)))
    sender.send(None)  # how it ended is not always known otherwise


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
