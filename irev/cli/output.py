"""Where output goes: standard output, or a file that is complete or not there at all."""

from __future__ import annotations

import contextlib
import os
import sys

from irev.errors import InputError, UsageError


def write(data: bytes, path: str | None, inputs: tuple[str, ...]) -> None:
    """Write to standard output, or to the file `path`, which must be none of the `inputs`.

    A file is written to a temporary neighbour that takes its name in the end, so a failure leaves an older file as it
    was.
    """
    if path is None or path == "-":
        sys.stdout.buffer.write(data)
        sys.stdout.buffer.flush()
        return
    for name in inputs:
        if os.path.exists(path) and os.path.exists(name) and os.path.samefile(path, name):
            raise UsageError(f"the output file '{path}' is an input", remedy="give -o another name")
    import tempfile

    try:
        if os.path.exists(path) and not os.path.isfile(path):  # a device or a pipe, which cannot be replaced
            with open(path, "wb") as stream:
                stream.write(data)
            return
        target = os.path.realpath(path)
        handle, neighbour = tempfile.mkstemp(dir=os.path.dirname(target), prefix=".irev-")
        try:
            with os.fdopen(handle, "wb") as stream:
                stream.write(data)
            _take_mode(target, neighbour)
            os.replace(neighbour, target)
        except BaseException:
            with contextlib.suppress(OSError):
                os.unlink(neighbour)
            raise
    except OSError as error:
        raise InputError(f"the output cannot be written ({error.strerror or error})", path) from None


def _take_mode(target: str, neighbour: str) -> None:
    """Give the new file the permissions of the one it replaces, or those of any new file."""
    if os.path.exists(target):
        os.chmod(neighbour, os.stat(target).st_mode & 0o7777)
    else:
        mask = os.umask(0)
        os.umask(mask)
        os.chmod(neighbour, 0o666 & ~mask)
