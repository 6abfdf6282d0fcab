"""The only module that opens input: a path, ``-`` or a compressed file becomes a stream that can be read twice.

Compression is recognised by content, not by name; a further one is a line in `DECODERS`. A pipe cannot be rewound, so
what was read from one is spooled to an anonymous temporary file as it streams by. A file is rewound through the same
descriptor, and refused if its size or time of change differ from what they were when it was opened.
"""

from __future__ import annotations

import io
import os
import sys
import zlib
from collections.abc import Callable
from typing import IO, BinaryIO, cast

from irev.errors import InputError

STANDARD_INPUT = "-"


def _gzip(stream: BinaryIO) -> BinaryIO:
    import gzip

    return cast(BinaryIO, gzip.GzipFile(fileobj=stream))


DECODERS: dict[bytes, tuple[str, Callable[[BinaryIO], BinaryIO]]] = {b"\x1f\x8b": ("gzip", _gzip)}
"""First bytes of a compressed file, the name of the format, and what decodes it."""


class Source:
    """An open input.

    Parameters
    ----------
    path : str
        A path, or ``-`` for standard input.

    Raises
    ------
    InputError
        When it cannot be opened or, later, read.
    """

    def __init__(self, path: str) -> None:
        self.name = "<stdin>" if path == STANDARD_INPUT else path
        self._spool: IO[bytes] | None = None
        try:
            self._file = io.FileIO(sys.stdin.fileno(), closefd=False) if path == STANDARD_INPUT else io.FileIO(path)
            self._rewindable = self._file.seekable()
            self._origin = self._file.tell() if self._rewindable else 0
            self._state = self._fingerprint()
        except FileNotFoundError:
            raise InputError("there is no such file", self.name) from None
        except IsADirectoryError:
            raise InputError("this is a directory", self.name, "expected a file") from None
        except (OSError, ValueError, AttributeError) as error:  # a NUL in the path; standard input closed, or none
            raise InputError(f"cannot be opened ({_reason(error)})", self.name) from None
        self._stream = self._decoded()

    def __enter__(self) -> Source:
        return self

    def __exit__(self, *_: object) -> None:
        self._buffered.close()
        if self._spool is not None:
            self._spool.close()

    def _fingerprint(self) -> tuple[int, int]:
        status = os.fstat(self._file.fileno())
        return status.st_size, status.st_mtime_ns

    def _decoded(self) -> BinaryIO:
        self._buffered = io.BufferedReader(self._file, 1 << 16)
        self._format = ""
        try:
            head = self._buffered.peek(8)
        except OSError as error:
            raise InputError(f"cannot be read ({_reason(error)})", self.name) from None
        for magic, (name, decoder) in DECODERS.items():
            if head.startswith(magic):
                self._format = name
                return decoder(self._buffered)
        return self._buffered

    @property
    def size(self) -> int:
        """Bytes that there probably are, to make room for; 0 when unknown."""
        return self._state[0] - self._origin + 1 if self._rewindable and not self._format else 0

    def fill(self, room: memoryview) -> int:
        """Read into `room` until it is full or the input ends; the number of bytes read."""
        filled = 0
        try:
            while filled < len(room):
                got = self._stream.readinto(room[filled:])  # type: ignore[attr-defined]
                if not got:
                    break
                filled += got
        except (EOFError, zlib.error) as error:
            raise InputError(
                f"the {self._format} data are damaged or cut short ({error})", self.name, "fetch or make the file again"
            ) from None
        except OSError as error:
            what = f"the {self._format} data are damaged" if self._format else "cannot be read"
            raise InputError(f"{what} ({_reason(error)})", self.name) from None
        if not self._rewindable:
            self._keep(room[:filled])
        return filled

    def _keep(self, data: memoryview) -> None:
        try:
            if self._spool is None:
                import tempfile

                self._spool = tempfile.TemporaryFile()  # noqa: SIM115 - it lives as long as the source
            self._spool.write(data)
        except OSError as error:
            raise InputError(f"cannot be kept in a temporary file ({_reason(error)})", self.name) from None

    def rewind(self) -> None:
        """Go back to the first byte. Raises `InputError` when the file has changed since it was opened."""
        if not self._rewindable:
            # The rest is spooled too; from now on it is a file like any other, decoded already.
            rest = memoryview(bytearray(1 << 20))
            while self.fill(rest):
                continue
        if self._spool is not None:
            self._stream = cast(BinaryIO, self._spool)
            self._stream.seek(0)
            self._rewindable = True
            self._format = ""
            return
        if self._fingerprint() != self._state:
            raise InputError("changed while it was being read", self.name)
        self._buffered.detach()
        self._file.seek(self._origin)
        self._stream = self._decoded()


def _reason(error: Exception) -> str:
    return (error.strerror if isinstance(error, OSError) else None) or str(error)
