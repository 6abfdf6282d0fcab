"""What reading may take: every bound on what a file can ask of the machine, and what is said when one is passed.

A file may be damaged, be another one than was meant, or be made to do harm: a few megabytes can decompress to
terabytes. What is bounded here is refused soon and in little memory, whatever it would have become.
"""

from __future__ import annotations

import os

from irev.base.errors import InputError

LONGEST = 1 << 22
"""Bytes that a line may have, without its newline: far more than any line of a run, and little enough that a file
without newlines, as damage and mistakes make them, needs no more memory than other files."""

WINDOW = 1 << 28
"""Bytes of memory that a decompressor may ask for; ``xz -9`` needs a quarter of it."""

SMALL = 1 << 26
"""Bytes after decompression of a file that people write: a list, groups. Also of one value in a JSON
file, such as all results of a query."""

CONFIGURATION, DEEPEST = 1 << 20, 32
"""Bytes after decompression of a configuration, and parts of a key in it: reading one takes the square of both."""

RECORD = 1 << 30
"""Bytes after decompression of a file of scores, such as a saved result."""

LARGE, RATIO = 1 << 28, 200
"""What decompresses to more bytes than the one and to more than so many times its size is not what it seems. Runs
shrink to a third or a tenth, judgments to a twentieth."""

SHARE = 0.75
"""Share of the machine's memory, or of the container's, that the command may use."""


def require(size: int, most: int, name: str, remedy: str = "is it the right file?") -> None:
    """Raise `InputError` for a file of more than `most` bytes."""
    if size > most:
        raise InputError(f"the file has more than {amount(most)}", name, remedy)


def large_allowed() -> bool:
    """Return True if the user's environment says that files may swell, and values of JSON be large."""
    return os.environ.get("IREV_ALLOW_LARGE", "") not in ("", "0")


def require_plausible(size: int, packed: int, name: str) -> None:
    """Raise `InputError` when `size` bytes came out of `packed` ones and that is more than is plausible."""
    if size > LARGE and size > RATIO * packed and not large_allowed():
        fact = f"{amount(packed)} of the file decompress to more than {amount(LARGE)}, {RATIO} times as much"
        raise InputError(fact, name, "if that is right, set IREV_ALLOW_LARGE=1")


OUT_OF_MEMORY = "memory ran out"


def exhausted(name: str, read: int, size: int) -> InputError:
    """What is raised when memory runs out while a file is read, after `read` of its `size` bytes; 0 when unknown."""
    of = f" of {amount(size)}" if size else ""
    return InputError(
        f"{OUT_OF_MEMORY} when {amount(read)}{of} of the file had been read{allowed()}",
        name,
        "a run needs least memory if the lines of each query are together; otherwise split the file, or use a "
        "machine with more memory",
    )


def allowed() -> str:
    """How much there was, where that is a limit of this process."""
    limit = _limit()
    return f" (irev may use {amount(limit)} here)" if limit is not None else ""


def amount(size: float) -> str:
    """A number of bytes as people read it: ``64 MB``, ``1.5 GB``; of 1024 each."""
    units = ["GB", "MB", "kB", "bytes"]
    while size >= 1024 and len(units) > 1:
        size /= 1024
        units.pop()
    unit = units[-1]
    return f"{size:.0f} {unit}" if size >= 100 or size == int(size) else f"{size:.1f} {unit}"


GROUPS = ("/sys/fs/cgroup/memory.max", "/sys/fs/cgroup/memory/memory.limit_in_bytes")
"""Where a container says how much memory it has: a number, a huge one or none at all where there is no limit."""


def memory() -> int | None:
    """Bytes of memory that the machine has, or the container where that is less; None where neither says."""
    try:
        found = os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")
    except (AttributeError, ValueError, OSError):
        return None
    for path in GROUPS:
        try:
            with open(path) as file:
                written = file.read(32).strip()
        except OSError:
            continue
        if written.isdigit():
            found = min(found, int(written))
    return found


def bound_memory() -> None:
    """Let this process use no more than its `SHARE` of the memory, where the system can hold it to that (Linux).

    What asks for more raises `MemoryError`, and a message can say what happened; otherwise the system would end the
    process, or another one. A limit that the user has set, ``ulimit -d`` or ``-v``, stays as it is.
    """
    limit, there = _limit(), memory()
    if limit is None and there:
        import resource

        _, hard = resource.getrlimit(resource.RLIMIT_DATA)
        resource.setrlimit(resource.RLIMIT_DATA, (int(there * SHARE), hard))


def _limit() -> int | None:
    """Bytes that this process may have; None where it may have any number."""
    try:
        import resource  # not on Windows
    except ImportError:
        return None
    limits = (resource.getrlimit(kind)[0] for kind in (resource.RLIMIT_DATA, resource.RLIMIT_AS))
    return min((soft for soft in limits if soft != resource.RLIM_INFINITY), default=None)
