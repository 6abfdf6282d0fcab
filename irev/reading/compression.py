"""Compression by content: how the kinds that are read begin, and what decodes them.

Every decoder has one interface, that of the standard library's `bz2.BZ2Decompressor`, and is imported only when a file
needs it. A further kind is a line in `COMPRESSIONS`.
"""

from __future__ import annotations

import sys
import zlib
from collections.abc import Callable
from functools import partial
from typing import Protocol, cast

from irev.base.records import dataclass
from irev.reading.limits import WINDOW


class Decoder(Protocol):
    """Decompresses one stream or member, with the interface of `bz2.BZ2Decompressor`."""

    @property
    def eof(self) -> bool:
        """Whether the stream is complete and its checksum right."""

    @property
    def needs_input(self) -> bool:
        """Whether nothing more can be had without further data."""

    @property
    def unused_data(self) -> bytes:
        """What stood behind the stream."""

    def decompress(self, data: bytes, max_length: int) -> bytes:
        """At most `max_length` bytes of what follows."""


class _Member:
    """The `Decoder` of one gzip member, by the standard library."""

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


Decoding = tuple[Callable[[], Decoder], type[Exception]]
"""What makes the decoder of a stream, and what that raises when the data are damaged."""


def _gzip() -> Decoding:
    try:
        from isal import igzip_lib  # three times as fast
    except ImportError:
        return _Member, zlib.error
    # Its stubs take the exception for an instance of one.
    error = cast(type[Exception], igzip_lib.error)
    return partial(igzip_lib.IgzipDecompressor, flag=igzip_lib.DECOMP_GZIP), error


def _bzip2() -> Decoding:
    import bz2

    return bz2.BZ2Decompressor, OSError


def _xz() -> Decoding:
    import lzma

    return partial(lzma.LZMADecompressor, lzma.FORMAT_XZ, WINDOW), lzma.LZMAError


def _zstd() -> Decoding:
    if sys.version_info >= (3, 14):
        from compression import zstd
    else:
        from backports import zstd
    return zstd.ZstdDecompressor, zstd.ZstdError


@dataclass(frozen=True)
class Compression:
    """A kind of compressed file: one stream, or several one after the other.

    Attributes
    ----------
    name : str
        What messages call it.
    marks : tuple of bytes
        How its streams begin; more than the ids in a file of text plausibly begin with.
    decoding : callable
        Loads what decodes it. Raises `ImportError` where that is not installed.
    remedy : str
        What to do then.
    padded : bool
        Whether zeros between and behind streams mean nothing, as on a tape.
    """

    name: str
    marks: tuple[bytes, ...]
    decoding: Callable[[], Decoding]
    remedy: str
    padded: bool = False


_REBUILD = "install a Python that was built with its module {}"

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


ZIP_HEAD = 30 + 260
"""So many bytes tell that, unless the name of the array is longer."""
