"""Worker processes that begin as copies of this process, by fork, and so need nothing sent to them.

multiprocessing would do this as well, but its import takes as long as reading 200 thousand lines. The number of the
next task is in a pipe: a worker takes it out and puts the number after it back in.
"""

from __future__ import annotations

import contextlib
import os
import pickle
import signal
import threading
from collections.abc import Callable, Generator, MutableSequence
from typing import Any, NoReturn, TypeVar

from irev.base import exit
from irev.base.processes import beginning, require_done

R = TypeVar("R")


def counts(size: int) -> MutableSequence[int]:
    """An array of this size, all 0, that this process and its copies share."""
    import mmap

    with beginning():
        shared: Any = memoryview(mmap.mmap(-1, 8 * size)).cast("Q")
    return shared  # type: ignore[no-any-return]


def results(task: Callable[[int], R], count: int, jobs: int) -> Generator[tuple[int, R]]:
    """Run `count` tasks; yield the number and the result of each as soon as it is done.

    Parameters
    ----------
    task : callable
        It is given the number of a task, and returns something that can be pickled.
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
    import select

    working: dict[int, int] = {}  # for each process the pipe that it sends through, and its id
    finished: set[int] = set()  # the pipes of those that said that nothing is left to do
    ready = select.poll()
    with contextlib.ExitStack() as closing:
        try:
            with beginning(), _forking:
                take, put = _pipe(closing)
                parent_lives, parent_ends = _pipe(closing)
                os.write(put, bytes(_NUMBER))
                for _ in range(jobs):
                    receiver, sender = os.pipe()
                    closing.callback(os.close, receiver)
                    process = os.fork()
                    if not process:
                        os.close(parent_ends)
                        _work(task, count, (take, put), parent_lives, sender)
                    os.close(sender)  # so that the end of the process is the end of what it sends
                    working[receiver] = process
                    ready.register(receiver, select.POLLIN)
            while working:
                for receiver, _ in ready.poll():
                    message = _received(receiver)
                    if message == _FINISHED:
                        finished.add(receiver)
                    elif message is not None:
                        yield message
                    else:
                        ready.unregister(receiver)
                        status = _status(working.pop(receiver))
                        require_done(status or int(receiver not in finished))
        finally:
            for process in working.values():
                with contextlib.suppress(ProcessLookupError):
                    os.kill(process, signal.SIGKILL)
                _status(process)


_forking = threading.RLock()
"""Held while processes begin: one that began between those of another thread would keep open what ends them. Those that
others fork wait, too: the lock would stay held in them."""
os.register_at_fork(before=_forking.acquire, after_in_parent=_forking.release, after_in_child=_forking.release)


def _status(process: int) -> int:
    """The exit status of a process that ends; 0 where the system has not kept it, as where SIGCHLD is ignored."""
    try:
        return os.waitstatus_to_exitcode(os.waitpid(process, 0)[1])
    except ChildProcessError:
        return 0


_NUMBER = 8
"""Bytes of a number in a pipe."""

_FINISHED = "finished"
"""What a worker sends last: how it ended is not always known otherwise."""


def _pipe(closing: contextlib.ExitStack) -> tuple[int, int]:
    ends = os.pipe()
    for end in ends:
        closing.callback(os.close, end)
    return ends


def _work(task: Callable[[int], Any], count: int, next_task: tuple[int, int], parent: int, sender: int) -> NoReturn:
    """Run in a worker: take tasks while there are any, and send each result."""
    status = 1
    try:
        exit.leave_to_parent()
        with contextlib.suppress(RuntimeError):  # no room for a thread: what is sent fails then, once nobody reads
            threading.Thread(target=_end_with_parent, args=(parent,), daemon=True).start()
        while (number := _following(*next_task)) < count:
            _send(sender, (number, task(number)))
        _send(sender, _FINISHED)
        status = 0
    except BaseException:
        import traceback

        # Not to a stream of Python's, where what the first process has not written yet would be written twice.
        os.write(2, traceback.format_exc().encode())
    finally:
        os._exit(status)


def _following(take: int, put: int) -> int:
    number = int.from_bytes(os.read(take, _NUMBER))
    os.write(put, (number + 1).to_bytes(_NUMBER))
    return number


def _send(sender: int, message: Any) -> None:
    data = pickle.dumps(message)
    rest = memoryview(len(data).to_bytes(_NUMBER) + data)
    while rest:
        rest = rest[os.write(sender, rest) :]


def _received(receiver: int) -> Any:
    """The next message; None at the end of the pipe, even if a message is cut short there."""
    size = _read(receiver, _NUMBER)
    data = _read(receiver, int.from_bytes(size)) if len(size) == _NUMBER else b""
    return pickle.loads(data) if len(size) == _NUMBER and len(data) == int.from_bytes(size) else None


def _read(receiver: int, size: int) -> bytearray:
    """This number of bytes, or fewer at the end of the pipe."""
    data = bytearray()
    while len(data) < size and (more := os.read(receiver, min(size - len(data), 1 << 20))):
        data += more
    return data


def _end_with_parent(parent: int) -> None:
    """Wait until the parent process ends, which may be killed, and end this process.

    Otherwise it could wait for ever, as for a run from a pipe that nobody writes to.
    """
    exit.leave_to_first_thread()
    os.read(parent, 1)
    os._exit(1)
