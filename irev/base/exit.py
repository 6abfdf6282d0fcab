"""How a process ends: its exit status, the signals that end it, and too little memory or too few threads.

Signals (an interrupt, a request to terminate, a terminal that is gone) end it at once, with the status that shells have
for them: what is half made is taken away first, and nothing is said. That is done where the signal arrives and not by
an exception, which would come out of whatever runs at that moment, and which a library may report, swallow or take for
something else. Help and docs/exit-status.md read what each status means.
"""

from __future__ import annotations

import contextlib
import errno
import os
import signal
import threading
from collections.abc import Callable, Iterator
from typing import Any


def by_signal(number: int) -> int:
    """The status of a process that a signal ends, as shells have it."""
    return 128 + number


DONE, FAILED, REFUSED, FAULT = 0, 1, 2, 70
INTERRUPTED, TERMINATED, HUNG_UP = by_signal(2), by_signal(15), by_signal(1)

MEANINGS = {
    DONE: (
        "done",
        "; also `--help`, `--version`, and when the reader of a pipe goes away (`irev … | head`), which does not change"
        " the verdict of `irev check`",
    ),
    FAILED: (
        "a check did not hold",
        ": a condition of [`irev check`](check.md) or [`irev llm-judge`](llm-judge.md), or [`irev validate`]"
        "(validate.md) found errors, or"
        " [`irev online ab`](online.md) buckets of other sizes than meant",
    ),
    REFUSED: (
        "wrong usage or unusable input",
        ": an option or a file that cannot be used; also output that cannot be written, and no memory left",
    ),
    FAULT: ("internal error", " of irev, never of your files"),
    INTERRUPTED: ("interrupted", ", as by Ctrl-C (SIGINT)"),
    TERMINATED: ("terminated", ", as by `kill` (SIGTERM)"),
    HUNG_UP: ("hangup", " (SIGHUP)"),
}
"""What each says, in a few words, and what docs/exit-status.md adds to them."""


_NAMES = ("SIGINT", "SIGTERM", "SIGHUP")

_steps: list[Callable[[], object]] = []

making = threading.RLock()
"""Held by a thread while it makes what a step takes away: once a signal ends the process, no thread makes more."""


def heed() -> None:
    """End this process at these signals from now on; for a process of its own, not for a library."""
    for number in _numbers():
        if signal.getsignal(number) in (signal.SIG_DFL, signal.default_int_handler):  # others are ignored on purpose
            signal.signal(number, _end)


def leave_to_parent() -> None:
    """Let the process that began this one take care: an interrupt comes to both."""
    for number in _numbers():
        signal.signal(number, signal.SIG_IGN if number == signal.SIGINT else signal.SIG_DFL)


def leave_to_first_thread() -> None:
    """Let no signal come to this thread, and to those that it begins.

    Python heeds one in the first thread, which must be woken for that where it waits for a pipe; a system may
    send it to any thread that takes it.
    """
    if hasattr(signal, "pthread_sigmask"):  # not on Windows
        signal.pthread_sigmask(signal.SIG_BLOCK, _numbers())


@contextlib.contextmanager
def at_a_signal(step: Callable[[], object]) -> Iterator[None]:
    """Take this step before a signal ends the process, until the block ends; it may fail."""
    _steps.append(step)
    try:
        yield
    finally:
        _steps.remove(step)


def _numbers() -> list[int]:
    return [getattr(signal, name) for name in _NAMES if hasattr(signal, name)]


def _end(number: int, frame: object) -> None:
    making.acquire()
    for step in reversed([*_steps]):  # other threads may end theirs meanwhile
        with contextlib.suppress(Exception):
            step()
    with contextlib.suppress(OSError):
        if number == signal.SIGINT and os.isatty(2):
            os.write(2, b"\n")  # the terminal has shown ^C
    os._exit(by_signal(number))


_WORDS = ("cannot allocate memory", "failed to map segment", "unable to allocate", "start new thread", "out of memory")
"""What is said in errors of other kinds, such as those of imports."""


def is_shortage(error: BaseException | None) -> bool:
    """Whether an error, or one that it came of, says that there is no memory or no thread left."""
    while error is not None:
        if isinstance(error, MemoryError) or (
            isinstance(error, OSError) and error.errno in (errno.ENOMEM, errno.EAGAIN)
        ):
            return True
        said = str(error).lower()
        if any(words in said for words in _WORDS):
            return True
        error = error.__cause__ or error.__context__
    return False


def is_limited() -> bool:
    """Whether somebody has set a limit to the memory of this process."""
    try:
        import resource  # not on Windows
    except ImportError:
        return False
    limits = (resource.RLIMIT_AS, resource.RLIMIT_DATA)
    return any(resource.getrlimit(limit)[0] != resource.RLIM_INFINITY for limit in limits)


def let_threads_share_memory() -> None:
    """Have threads use what others have freed; for a process of its own, not for a library.

    The C library of Linux would give each thread memory of its own, in pages that take it milliseconds to fetch.
    """
    import ctypes  # which numpy imports, too

    with contextlib.suppress(OSError, AttributeError, TypeError):  # another system, another C library
        ctypes.CDLL(None).mallopt(-8, 1)  # M_ARENA_MAX of glibc's malloc.h


def at_exit_of_a_library(step: Callable[[], object]) -> None:
    """Take this step when C code ends the process, as OpenBLAS does with status 1 where it gets no memory.

    Nothing is done where the C library has no way to say so.
    """
    import ctypes  # slow to import

    made = ctypes.CFUNCTYPE(None, ctypes.c_int, ctypes.c_void_p)(lambda status, argument: step())
    with contextlib.suppress(OSError, AttributeError):
        ctypes.CDLL(None).on_exit(made, None)
        _kept.append(made)


_kept: list[Any] = []
"""Functions that C code calls must not be collected."""
