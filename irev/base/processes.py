"""The number of worker processes (`irev.base.workers`), and errors when one cannot start or is killed.

On Linux workers begin as copies of this process; elsewhere they start from nothing. No worker outlives the process that
started it: if the caller stops early the workers are killed, and if that process is killed they end themselves.
"""

from __future__ import annotations

import contextlib
import os
import sys
from collections.abc import Iterator

from irev.base.errors import InputError

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


def let_threads_share_memory() -> None:
    """Have threads use what others have freed; for a process of its own, not for a library.

    The C library of Linux would give each thread memory of its own, in pages that take it milliseconds to fetch.
    """
    import ctypes  # which numpy imports, too

    with contextlib.suppress(OSError, AttributeError, TypeError):  # another system, another C library
        ctypes.CDLL(None).mallopt(_M_ARENA_MAX, 1)


_M_ARENA_MAX = -8
"""Of glibc's malloc.h."""


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
