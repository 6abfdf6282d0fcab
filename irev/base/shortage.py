"""Too little memory, or too few threads: what libraries raise, and what they do, where the system gives no more."""

from __future__ import annotations

import contextlib
import errno
from collections.abc import Callable
from typing import Any

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
