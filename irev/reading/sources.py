"""The only module that opens input: a path, ``-`` or a compressed file becomes a stream that can be read twice.

Compression is recognised by content, not by name (see `irev.reading.open_files`). A pipe cannot be rewound,
so what was read from one is spooled to an anonymous temporary file as it streams by. A file is rewound through the same
descriptor. A file that changes while it is read is refused: half of the old one and half of the new one is a file that
nobody wrote.

Whoever needs to say later what was read asks for a `Digest`, which is computed on the way.
"""

from __future__ import annotations

import io
import os
import stat
import sys
from collections.abc import Callable, Mapping
from contextlib import suppress
from typing import IO, Any, NamedTuple, Protocol

from irev.base.errors import InputError, UnreachableError
from irev.base.registry import provided, where
from irev.reading import limits
from irev.reading.open_files import (
    COMPRESSIONS,
    LONGEST_MARK,
    UNREADABLE,
    ZIP_HEAD,
    Decoded,
    Digest,
    OpenFile,
    Tally,
    is_remote,
    is_workbook,
    is_zip_of_arrays,
    not_kept,
    reason_of,
)

STANDARD_INPUT = "-"

NAMELESS = "''"
"""What messages call a file whose name is empty, as that of a variable of a shell that was never set."""

BOM = b"\xef\xbb\xbf"
"""What some programs put before text in UTF-8."""

UTF_16 = (b"\xff\xfe", b"\xfe\xff")
"""What programs on Windows put before text in UTF-16, of which blanks and ends of lines hold a NUL."""


class Stream(Protocol):
    """What readers read: a `Source`, or one rewritten as lines."""

    @property
    def name(self) -> str:
        """What messages call it."""

    @property
    def size(self) -> int:
        """Bytes that there probably are, 0 when unknown."""

    def fill(self, room: memoryview) -> int:
        """Read into `room` until it is full or the input ends; the number of bytes read."""

    def rewind(self) -> None:
        """Go back to the first byte."""


def reader_of_remote(path: str) -> Any:
    """The module of an extension that reads what is no file here. Raises `UnreachableError` where there is none."""
    if (found := provided("remote")) is None:
        fact = f"what reads URLs and data sets is {where('remote')}"
        raise UnreachableError(fact, path, f"copy it to a file; a file of this name is ./{path}")
    return found


class Source:
    """An open input.

    Parameters
    ----------
    path : str
        A path, ``-`` for standard input, or a URL or data set, which the extension `remote` reads.
    digest : bool
        Whether its `Digest` is wanted.
    watch : callable, optional
        Told how many bytes further the file itself has been read, compressed or not, perhaps from another thread; a
        number below 0 when it is read again, so that their sum is where the reading stands.
    name : str, optional
        What messages call it, where that is not the path.

    Attributes
    ----------
    large : bool
        Whether it may swell, decompressed, to more than is plausible (`irev.reading.limits`).
    beside : mapping of str to str
        Columns that are wanted although no number depends on them, some of `irev.reading.columns.BESIDE`; and what
        stands for an unusable value of each beside the score, where that is no fault.
    unrated : bool
        Whether rows of a table without a grade are no judgments, and no fault.

    Raises
    ------
    InputError
        When it cannot be opened or, later, read: damaged, cut short, changed while it was read, implausibly large. When
        memory runs out inside the ``with`` block, it says how far the reading had come.
    """

    def __init__(
        self,
        path: str,
        digest: bool = False,
        watch: Callable[[int], None] | None = None,
        name: str | None = None,
    ) -> None:
        self.name = name or ("<stdin>" if path == STANDARD_INPUT else path or NAMELESS)
        self.unrated = False
        self.beside: Mapping[str, str] = {}
        self._ahead = b""
        self._begun = False
        self._made = 0
        self._tally = Tally() if digest else None
        try:
            if path == STANDARD_INPUT:
                if sys.stdin is None:
                    raise UnreachableError("standard input is closed", self.name, "name a file, or pipe one to irev")
                file = io.FileIO(sys.stdin.fileno(), closefd=False)
            else:
                file = reader_of_remote(path).opened(path) if is_remote(path) else io.FileIO(path)
            self._bytes = OpenFile(file, self.name, watch)
        except FileNotFoundError:
            raise UnreachableError("there is no such file", self.name) from None
        except IsADirectoryError:
            raise UnreachableError("this is a directory", self.name, "expected a file") from None
        except (OSError, ValueError, AttributeError) as error:  # a NUL in the path; standard input closed, or none
            raise UnreachableError(f"cannot be opened ({reason_of(error)})", self.name) from None
        try:
            self._stream = self._decoded()
        except BaseException:
            self._bytes.close()
            raise

    def __enter__(self) -> Source:
        return self

    def __exit__(self, kind: type[BaseException] | None = None, *_: object) -> None:
        self._bytes.close()
        if kind is not None and issubclass(kind, MemoryError):
            raise limits.exhausted(self.name, self._bytes.passed, max(self._bytes.size - 1, 0)) from None

    def _decoded(self) -> OpenFile | Decoded:
        head = self._bytes.peek(LONGEST_MARK)
        for kind in COMPRESSIONS:
            if head.startswith(kind.marks):
                return Decoded(self._bytes, kind)
        for mark, what in UNREADABLE.items():
            if not head.startswith(mark):
                continue
            first = self._bytes.peek(ZIP_HEAD)
            if not (is_zip_of_arrays(first) or is_workbook(first)):
                names = ", ".join(kind.name for kind in COMPRESSIONS)
                raise InputError(f"this is {what}", self.name, f"unpack it; irev reads files compressed as {names}")
        return self._bytes

    @property
    def size(self) -> int:
        """Bytes that there probably are, to make room for; 0 when unknown."""
        return self._bytes.size if self._stream is self._bytes else 0

    def head(self, size: int) -> bytes:
        """The first `size` bytes, or all if there are fewer, to be looked at before anything is read."""
        if len(self._ahead) < size:
            room = bytearray(size)
            self._ahead = bytes(room[: self.fill(memoryview(room))])
        return self._ahead[:size]

    def fill(self, room: memoryview) -> int:
        """Read into `room` until it is full or the input ends; the number of bytes read."""
        ahead = self._ahead[: len(room)]
        self._ahead = self._ahead[len(ahead) :]
        room[: len(ahead)] = ahead
        rest = room[len(ahead) :]
        got = self._stream.fill(rest)
        if self._stream is not self._bytes:
            self._made += got
            self.require_plausible(self._made)
        if self._tally is not None:
            self._tally.add(rest[:got], last=got < len(rest))
        if not self._begun:
            self._begun = True
            head = bytes(room[: min(64, len(ahead) + got)])
            if head[:2] in UTF_16 and (len(head) < 4 or 0 in head):  # an id may be any bytes but NUL
                raise InputError("this is text in UTF-16", self.name, "write it as UTF-8")
        return len(ahead) + got

    @property
    def may_wait(self) -> bool:
        """Whether reading may have to wait for somebody who writes: of a pipe."""
        return not self._bytes.regular

    @property
    def any_place(self) -> bool:
        """Whether `read_at` gives the bytes of the source, to several processes at the same time."""
        plain = self._stream is self._bytes and self._tally is None
        return plain and self._bytes.any_place and hasattr(os, "preadv")  # not on Windows

    def read_at(self, room: memoryview, position: int) -> int:
        """Read into `room` what stands at a position until it is full or the file ends; the number of bytes."""
        return self._bytes.read_at(room, position)

    def passed_over(self, size: int) -> None:
        """Count so many bytes as read in all, by `read_at`."""
        self._bytes.passed_over(size)

    def check_unchanged(self) -> None:
        """Raise `InputError` when the file is another one than it was when it was opened."""
        self._bytes.check_unchanged()

    def require_plausible(self, made: int) -> None:
        """Raise `InputError` when what has been read of the file became so many bytes that it is not what it seems."""
        if made > limits.LARGE:
            limits.require_plausible(made, self._bytes.passed, self.name)

    def content(self, most: int | None = None) -> bytes:
        """All of it, for a file of at most `most` bytes; `limits.SMALL` unless given, and if it swells implausibly."""
        most = limits.SMALL if most is None else most
        parts, room = [], memoryview(bytearray(1 << 16))
        size = 0
        while got := self.fill(room):
            parts.append(bytes(room[:got]))
            size += got
            plausible = size <= limits.RATIO * self._bytes.passed
            limits.require(size, most if plausible else min(most, limits.SMALL), self.name)
        return b"".join(parts)

    def digest(self) -> Digest:
        """What the whole input is, of which the rest is read now; only for a source that was opened for it."""
        if self._tally is None:
            raise ValueError("the source was not opened for a digest")
        room = memoryview(bytearray(1 << 20))
        while self._tally.digest is None:
            self.fill(room)
        return self._tally.digest

    def seekable(self) -> IO[bytes]:
        """All of it as a file in which one can seek, for formats that are read from their end. The caller closes it.

        Called before anything is read, unless by `head`.
        """
        file = self._bytes.again() if self._stream is self._bytes else None
        if file is not None:
            if self._tally is not None:
                self.digest()
            self._bytes.count_rest()
            return file
        import tempfile

        room = memoryview(bytearray(1 << 20))
        try:
            file = tempfile.TemporaryFile()  # noqa: SIM115 - the caller closes it
            while got := self.fill(room):
                file.write(room[:got])
            file.seek(0)
        except OSError as error:
            raise not_kept(error, self.name) from None
        self._bytes.count_rest()
        return file

    def rewind(self) -> None:
        """Go back to the first byte. Raises `InputError` when the file has changed since it was opened."""
        self._ahead = b""
        self._made = 0
        if self._tally is not None:
            self._tally.begin()
        self._bytes.rewind()
        self._stream = self._decoded()


class GivenText(Source):
    """A text in memory as a file of its own: the first lines of a file, or what was made of one."""

    def __init__(self, text: bytes, name: str) -> None:
        self.name = name
        self.unrated = False
        self.beside = {}
        self._text = self._ahead = text

    @property
    def size(self) -> int:
        """As `Source.size`."""
        return len(self._text)

    def head(self, size: int) -> bytes:
        """As `Source.head`."""
        return self._ahead[:size]

    def fill(self, room: memoryview) -> int:
        """As `Source.fill`."""
        got = self._ahead[: len(room)]
        self._ahead = self._ahead[len(got) :]
        room[: len(got)] = got
        return len(got)

    def rewind(self) -> None:
        """As `Source.rewind`."""
        self._ahead = self._text


class FileRead(NamedTuple):
    """A file as it was when it was read, so that it can be said later what it held.

    Attributes
    ----------
    role : str
        ``qrels`` or ``run``.
    path : str
    size, modified : int
        Its bytes, and when it was written, in nanoseconds.
    """

    role: str
    path: str
    size: int
    modified: int

    def digest(self) -> Digest:
        """What the file is, for which it is read again. Raises `InputError` where it has been written since."""
        if file_read(self.role, self.path) != (self,):
            raise InputError("the file has changed since it was read", self.path, "evaluate it again")
        with Source(self.path, digest=True) as source:
            return source.digest()


def file_read(role: str, given: object) -> tuple[FileRead, ...]:
    """The file that is about to be read; nothing for data in memory and what is not a regular file."""
    if isinstance(given, str | os.PathLike):
        with suppress(OSError, ValueError):
            path = os.fsdecode(given)
            status = os.stat(path)
            if stat.S_ISREG(status.st_mode):
                return (FileRead(role, path, status.st_size, status.st_mtime_ns),)
    return ()
