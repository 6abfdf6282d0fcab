"""The only module that opens input: a path, ``-`` or a compressed file becomes a stream that can be read twice.

Compression is recognised by content, not by name. Every decoder has one interface, that of the standard library's
`bz2.BZ2Decompressor`, and is imported only when a file needs it. A further kind is a line in `COMPRESSIONS`. A pipe
cannot be rewound, so what was read from one is spooled to an anonymous temporary file as it streams by. A file is
rewound through the same descriptor. A file that changes while it is read is refused: half of the old one and half of
the new one is a file that nobody wrote.

Whoever needs to say later what was read asks for a `Digest`, which is computed on the way.
"""

from __future__ import annotations

import io
import os
import re
import stat
import sys
import zlib
from collections.abc import Callable, Mapping
from contextlib import suppress
from functools import partial
from typing import IO, Any, NamedTuple, Protocol

from irev.base.errors import InputError, UnreachableError
from irev.base.records import dataclass
from irev.base.registry import provided, where
from irev.reading import limits
from irev.reading.limits import WINDOW

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


# Open files, and what decompresses them


PIECE = 1 << 16
"""Compressed bytes that are read at a time."""

MOST = 1 << 18
"""Decompressed bytes that are held at a time, whatever a piece swells to."""


_SCHEMES = r"[a-z][a-z0-9+.-]*(::[a-z][a-z0-9+.-]*)*://"

DATASETS = "ir_datasets:"
"""How the name of a data set begins."""


def is_url(path: str) -> bool:
    """Whether a path is a URL instead of the name of a file: it begins with ``scheme://``, or ``cache::scheme://``."""
    return "://" in path and re.match(_SCHEMES, path, re.IGNORECASE) is not None  # which is rarely compiled


def is_dataset(path: str) -> bool:
    """Whether a path names a data set of ir_datasets instead of a file."""
    return path.startswith(DATASETS)


def is_remote(path: str) -> bool:
    """Whether a path names no file of this machine."""
    return is_dataset(path) or is_url(path)


def not_kept(error: OSError, name: str) -> UnreachableError:
    """The error of a temporary file that cannot be written."""
    return UnreachableError(f"cannot be kept in a temporary file ({reason_of(error)})", name)


def reason_of(error: Exception) -> str:
    """What the system says went wrong."""
    return (error.strerror if isinstance(error, OSError) else None) or str(error)


class Tally:
    """Makes the `Digest` of bytes that come piece by piece. Once it is made, it stays."""

    def __init__(self) -> None:
        self.digest: Digest | None = None
        self.begin()

    def begin(self) -> None:
        """Begin with the first byte again."""
        import hashlib  # rarely needed

        self._hash = hashlib.sha256()
        self._size = self._newlines = 0
        self._end = b"\n"

    def add(self, data: memoryview, last: bool) -> None:
        """Take what comes next; `last` says that nothing follows."""
        if self.digest is not None:
            return
        for begin in range(0, len(data), MOST):
            piece = bytes(data[begin : begin + MOST])
            self._hash.update(piece)
            self._size += len(piece)
            self._newlines += piece.count(b"\n")
            self._end = piece[-1:]
        if last:
            self.digest = Digest(self._hash.hexdigest(), self._size, self._newlines + (self._end != b"\n"))


class OpenFile:
    """The bytes of an open file or pipe, compressed or not, from where it stands."""

    def __init__(self, file: io.FileIO, name: str, watch: Callable[[int], None] | None = None) -> None:
        self.name = name
        self.passed = 0  # bytes of the file, so far
        self._watch = watch
        self._counted = 0
        self._file: IO[bytes] = file
        self._ahead = b""
        self._ended = False
        status = os.fstat(file.fileno())
        # Anything else that says it can seek, as terminals and devices do, may not mean it.
        self.regular = stat.S_ISREG(status.st_mode)
        self._origin = file.tell() if self.regular else 0
        self._state = self._fingerprint()
        self._pipe: IO[bytes] | None = None if self.regular else file
        self._spool: IO[bytes] | None = None

    def _fingerprint(self) -> tuple[int, int]:
        status = os.fstat(self._file.fileno())
        return status.st_size, status.st_mtime_ns

    @property
    def size(self) -> int:
        """Bytes that there are and one more, so that whoever makes that much room meets the end; 0 when unknown."""
        return self._state[0] - self._origin + 1 if self.regular else 0

    def close(self) -> None:
        """Close the file, unless it is standard input.

        After Ctrl-C a thread may still be reading from a pipe; as the file has no buffer, nobody waits for it.
        """
        for file in (self._file, self._pipe, self._spool):
            if file is not None:
                # What could not be written to a temporary file is tried again, and nobody wants it any more.
                with suppress(OSError):
                    file.close()

    def again(self) -> IO[bytes] | None:
        """The file once more, if it is one that can be read from any place; the two share where they stand."""
        return os.fdopen(os.dup(self._file.fileno()), "rb") if self.regular and not self._origin else None

    def peek(self, size: int) -> bytes:
        """The next `size` bytes, or all if there are fewer, which stay to be read. A pipe may give them one by one."""
        ahead = bytearray(size)
        self._ahead = bytes(ahead[: self.fill(memoryview(ahead))]) + self._ahead
        return self._ahead[:size]

    def fill(self, room: memoryview) -> int:
        """Read into `room` until it is full or the file ends; the number of bytes read."""
        filled = 0
        while filled < len(room):
            got = self.readinto(room[filled:])
            if not got:
                break
            filled += got
        return filled

    def readinto(self, room: memoryview) -> int:
        """Read what there is into `room`, waiting for at least one byte; 0 at the end of the file."""
        ahead = self._ahead[: len(room)]
        if ahead:
            room[: len(ahead)] = ahead
            self._ahead = self._ahead[len(ahead) :]
            return len(ahead)
        if self._ended:
            return 0
        try:
            while (got := self._file.readinto(room)) is None:  # type: ignore[attr-defined]
                wait_until_ready(self._file)
        except (OSError, ValueError) as error:
            raise UnreachableError(f"cannot be read ({reason_of(error)})", self.name) from None
        if not got:
            self._ended = True  # a terminal would have to be told twice
            self.check_unchanged()
        elif self._file is self._pipe:
            self._keep(room[:got])
        self.passed += got
        self._count(int(got))
        return int(got)

    @property
    def any_place(self) -> bool:
        """Whether it can be read from any place, counted from its first byte."""
        return self.regular and not self._origin

    def read_at(self, room: memoryview, position: int) -> int:
        """Read into `room` what stands at a position until it is full or the file ends; the number of bytes."""
        filled = 0
        try:
            while filled < len(room) and (got := os.preadv(self._file.fileno(), [room[filled:]], position + filled)):
                filled += got
        except OSError as error:
            raise UnreachableError(f"cannot be read ({reason_of(error)})", self.name) from None
        return filled

    def passed_over(self, size: int) -> None:
        """Count so many bytes as read in all."""
        more = max(size - self.passed, 0)
        self.passed += more
        self._count(more)

    def _count(self, size: int) -> None:
        if self._watch is not None and size:
            self._counted += size
            self._watch(size)

    def count_rest(self) -> None:
        """Count as read what somebody else is going to read, for good."""
        if self.regular:
            self.passed = self._state[0] - self._origin
            self._count(self.passed - self._counted)
        self._counted = 0

    def check_unchanged(self) -> None:
        """Raise `InputError` when the file is another one than it was when it was opened."""
        if self.regular and self._fingerprint() != self._state:
            raise changed(self.name)

    def _keep(self, data: memoryview) -> None:
        try:
            if self._spool is None:
                import tempfile

                self._spool = tempfile.TemporaryFile()  # noqa: SIM115 - it lives as long as the source
            self._spool.write(data)
        except OSError as error:
            raise not_kept(error, self.name) from None

    def rewind(self) -> None:
        """Go back to where the file stood. Raises `InputError` when it has changed."""
        self._ahead = b""
        if self._file is self._pipe:
            rest = memoryview(bytearray(1 << 20))
            while self.fill(rest):
                continue
            if self._spool is None:
                return  # nothing came
            self._file = self._spool
        self._count(-self._counted)
        self.passed = 0
        self._ended = False
        self.check_unchanged()
        try:
            self._file.seek(self._origin)
        except OSError as error:  # the last of a spool is written only now
            raise not_kept(error, self.name) from None


class Decoded:
    """What the streams of a compressed file hold, one after the other."""

    def __init__(self, source: OpenFile, kind: Compression) -> None:
        self._source, self._kind = source, kind
        try:
            self._decoder = kind.decoder()
        except ImportError:
            raise self._refused("cannot be read", kind.remedy) from None
        self._piece = memoryview(bytearray(PIECE))
        self._stream: Any = None

    def _refused(self, fact: str, remedy: str = "download or make the file again") -> InputError:
        self._source.check_unchanged()  # which would be the better explanation
        return InputError(f"the {self._kind.name} data {fact}", self._source.name, remedy)

    def fill(self, room: memoryview) -> int:
        """Decompress into `room` until it is full or the file ends; the number of bytes."""
        filled = 0
        while filled < len(room):
            found = self._some(min(len(room) - filled, MOST))
            if not found:
                break
            room[filled : filled + len(found)] = found
            filled += len(found)
        return filled

    def _some(self, most: int) -> bytes:
        """At least one and at most `most` bytes, none at the end of the file."""
        while True:
            data = b""
            if self._stream is None or self._stream.eof:
                data = self._next(b"" if self._stream is None else self._stream.unused_data)
                if not data:
                    return b""
                self._stream = self._decoder()
            elif self._stream.needs_input:
                data = self._read()
                if not data:
                    raise self._refused("are cut short")
            try:
                found: bytes = self._stream.decompress(data, most)
            except MemoryError:
                raise
            except Exception as error:  # each library has its own
                raise self._refused(f"are damaged ({reason_of(error)})") from None
            if found:
                return found

    def _read(self) -> bytes:
        return bytes(self._piece[: self._source.readinto(self._piece)])

    def _next(self, data: bytes) -> bytes:
        """How the next stream begins, given what stood behind the last one; nothing at the end of the file."""
        while True:
            data = data.lstrip(b"\0") if self._kind.padded else data
            if len(data) >= LONGEST_MARK:
                break
            more = self._read()
            if not more:
                break
            data += more
        if data and not data.startswith(self._kind.marks):
            raise self._refused("are followed by other data")
        return data


class Digest(NamedTuple):
    """What an input was, after decompression.

    Attributes
    ----------
    sha256 : str
        In hexadecimal digits.
    size, lines : int
        Bytes, and lines, of which the last need not end in a newline.
    """

    sha256: str
    size: int
    lines: int


def changed(name: str) -> InputError:
    """The error of a file that is another one than it was when it was opened."""
    return InputError("the file changed while it was being read", name, "wait until it is complete")


class _Member:
    """Decompresses one gzip member by the standard library, with the interface of `bz2.BZ2Decompressor`."""

    def __init__(self) -> None:
        self._inner = zlib.decompressobj(wbits=31)
        self.needs_input = True

    @property
    def eof(self) -> bool:
        return self._inner.eof

    @property
    def unused_data(self) -> bytes:
        return self._inner.unused_data

    def decompress(self, data: bytes, max_length: int) -> bytes:
        found = self._inner.decompress(self._inner.unconsumed_tail + data, max_length)
        self.needs_input = len(found) < max_length
        return found


def _gzip() -> Callable[[], Any]:
    try:
        from isal import igzip_lib  # three times as fast
    except ImportError:
        return _Member
    return partial(igzip_lib.IgzipDecompressor, flag=igzip_lib.DECOMP_GZIP)


def _bzip2() -> Callable[[], Any]:
    import bz2

    return bz2.BZ2Decompressor


def _xz() -> Callable[[], Any]:
    import lzma

    return partial(lzma.LZMADecompressor, lzma.FORMAT_XZ, WINDOW)


def _zstd() -> Callable[[], Any]:
    if sys.version_info >= (3, 14):
        from compression import zstd
    else:
        from backports import zstd
    return zstd.ZstdDecompressor


@dataclass(frozen=True)
class Compression:
    """A kind of compressed file: one stream, or several one after the other.

    Attributes
    ----------
    name : str
        What messages call it.
    marks : tuple of bytes
        How its streams begin; more than the ids in a file of text plausibly begin with.
    decoder : callable
        Loads the class that decodes a stream. Raises `ImportError` where that is not installed.
    remedy : str
        What to do then.
    padded : bool
        Whether zeros between and behind streams mean nothing, as on a tape.
    """

    name: str
    marks: tuple[bytes, ...]
    decoder: Callable[[], Callable[[], Any]]
    remedy: str
    padded: bool = False


_REBUILD = "install a Python with the module {}"

COMPRESSIONS = (
    Compression("gzip", (b"\x1f\x8b",), _gzip, "", padded=True),
    Compression(
        "bzip2",
        tuple(b"BZh%d%b" % (n, first) for n in range(1, 10) for first in (b"1AY&SY", b"\x17\x72\x45\x38\x50\x90")),
        _bzip2,
        _REBUILD.format("bz2"),
    ),
    Compression("xz", (b"\xfd7zXZ\0",), _xz, _REBUILD.format("lzma"), padded=True),
    Compression(
        "zstd",
        (b"\x28\xb5\x2f\xfd", *(b"%c\x2a\x4d\x18" % n for n in range(0x50, 0x60))),
        _zstd,
        "pip install backports.zstd",
    ),
)
"""What is recognised, in any order: no mark begins another."""

UNREADABLE = {
    b"PK\x03\x04": "a zip archive",
    b"7z\xbc\xaf\x27\x1c": "a 7z archive",
    b"\x04\x22\x4d\x18": "compressed by lz4",
    b"\x1f\x9d": "compressed by compress",
}
"""First bytes of what is no text either, and deserves a better message than what a reader of text would say."""

LONGEST_MARK = max(len(mark) for kind in COMPRESSIONS for mark in kind.marks)


def is_zip_of_arrays(head: bytes) -> bool:
    """Whether a file that begins with these bytes is a zip archive whose first member is an array of numpy."""
    length = int.from_bytes(head[26:28], "little")
    return head.startswith(b"PK\x03\x04") and head[30 : 30 + length].endswith(b".npy")


def is_workbook(head: bytes) -> bool:
    """Whether a file that begins with these bytes is a zip archive as Office programs write it."""
    length = int.from_bytes(head[26:28], "little")
    name = head[30 : 30 + length]
    return head.startswith(b"PK\x03\x04") and name.startswith((b"[Content_Types].xml", b"xl/", b"_rels/", b"docProps/"))


ZIP_HEAD = 30 + 260
"""So many bytes tell that, unless the name of the array is longer."""


def wait_until_ready(stream: Any, writing: bool = False) -> None:
    """Wait until there is something to read, or until the stream takes more, or the other side is gone.

    For streams that were told not to wait, as one is that is shared with a program that set it so.
    """
    import selectors

    with selectors.DefaultSelector() as ready:
        ready.register(stream, selectors.EVENT_WRITE if writing else selectors.EVENT_READ)
        ready.select()
