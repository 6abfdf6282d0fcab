"""Signals that ask a process to end: an interrupt, a request to terminate, a terminal that is gone.

Each ends it at once, with the status that shells have for it: what is half made is taken away first, and nothing is
said. That is done where the signal arrives and not by an exception, which would come out of whatever runs at that
moment, and which a library may report, swallow or take for something else.
"""

from __future__ import annotations

import contextlib
import os
import signal
from collections.abc import Callable, Iterator

from irev.base.exit_status import by_signal

_NAMES = ("SIGINT", "SIGTERM", "SIGHUP")

_steps: list[Callable[[], object]] = []


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
    for step in reversed(_steps):
        with contextlib.suppress(Exception):
            step()
    with contextlib.suppress(OSError):
        if number == signal.SIGINT and os.isatty(2):
            os.write(2, b"\n")  # the terminal has shown ^C
    os._exit(by_signal(number))
