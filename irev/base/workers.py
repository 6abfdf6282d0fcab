"""Worker processes, by multiprocessing: how many, and errors when one cannot start or is killed; and the arithmetic of
a machine, as a text to be compared.

On Linux workers begin as copies of this process; elsewhere they start from nothing. No worker outlives the process that
started it: if the caller stops early the workers are killed, and if that process is killed they end themselves. A copy
needs nothing sent to it, and takes the number of its next task out of a pipe. The locks of multiprocessing need
/dev/shm, which some hosts lack; they are used where there is no fork.

Additions, divisions and roots are the same on every machine; logarithms and powers are those of the C library, and
expected values over ties use numpy's own and sums of products, which depend on the processor in the last bit. So some
thousand of these values are computed wherever tables or runs are evaluated, and compared as a whole.
"""

from __future__ import annotations

import contextlib
import math
import os
import sys
import threading
from collections.abc import Callable, Generator, Iterator, MutableSequence
from functools import lru_cache
from typing import TYPE_CHECKING, Any, TypeVar

import numpy as np

from irev import __version__
from irev.base import exit, segments
from irev.base.errors import InputError, UsageError, option

if TYPE_CHECKING:
    from multiprocessing.connection import Connection

    from irev.base.settings import Settings


COPIES = sys.platform == "linux"
"""Whether processes begin as copies of this one."""

ROOM = 150 << 20
"""Bytes of memory that one process may need, roughly."""

FEWER = "use fewer of them, as `irev eval -j 1` does"


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


def require_done(status: int) -> None:
    """Raise `InputError` for a process that was ended, as a system without memory does."""
    if status:
        how = f"by signal {-status}" if status < 0 else f"with status {status}"
        raise InputError(f"a process that evaluated runs was stopped {how}", remedy=FEWER)


R = TypeVar("R")


def counts(size: int) -> MutableSequence[int]:
    """An array of this size, all 0, that this process and its workers share."""
    with beginning():
        if COPIES:
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
    context: Any = multiprocessing.get_context("fork" if COPIES else "spawn")
    working: dict[Any, Any] = {}  # for each process the connection that it sends through, and the process
    finished: set[Any] = set()  # the connections of those that said that nothing is left to do
    with contextlib.ExitStack() as closing:
        try:
            with beginning(), _starting:
                following = _Copied(closing) if COPIES else _Locked(context)
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


def arithmetic_of(settings: Settings) -> str:
    """What evaluates here, in words: versions, and a digest of values that would differ if results could."""
    return described(settings.ties == "average")


def described(vectors: bool) -> str:
    """The same for an evaluation that uses numpy's own functions, or not."""
    return f"irev {__version__}, numpy {np.__version__}, arithmetic {_digest(vectors)}"


@lru_cache
def _digest(vectors: bool) -> str:
    import hashlib

    whole = np.arange(1, 2049)
    broken = np.linspace(0.001, 40.0, 1999)
    values = [segments.log2(whole), segments.log2(broken), segments.exp2(-broken)]
    values.append(np.array([[math.log(x), math.exp(-x), 2.0**x, x**0.5] for x in broken.tolist()]).ravel())
    if vectors:
        values += [np.log(broken), np.exp(-broken)]
        values.append(np.array([broken[:n] @ (1.0 / whole[:n]) for n in range(1, 400)]))
    return hashlib.sha256(b"".join(each.tobytes() for each in values)).hexdigest()[:12]


def require_same(there: str, settings: Settings) -> None:
    """Raise `UsageError` where values could differ in the last bit from those of whoever asks for them."""
    if (here := arithmetic_of(settings)) != there:
        fact = f"values would differ between machines: this worker has {here}, the main process has {there}"
        same = f"use the same versions on all machines, and the same kind of processor for {option('ties', 'average')}"
        raise UsageError(fact, remedy=same)
