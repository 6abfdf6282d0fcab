"""URLs, where a path may stand: ``s3://bucket/run``, ``memory://run``, whatever fsspec and its packages know.

What one names is copied to a temporary file and read as any file is, since a file may have to be read twice and from
its end. A file that is called so is ``./s3://bucket/run``.
"""

from __future__ import annotations

import io
import re
from collections.abc import Iterator

from irev.errors import UnreachableError

_SCHEMES = r"[a-z][a-z0-9+.-]*(::[a-z][a-z0-9+.-]*)*://"

_PIECE = 1 << 20
"""Bytes that are copied at a time."""


def is_url(path: str) -> bool:
    """Whether a path is a URL instead of the name of a file: it begins with ``scheme://``, or ``cache::scheme://``."""
    return "://" in path and re.match(_SCHEMES, path, re.IGNORECASE) is not None  # which is rarely compiled


def fetched(url: str) -> io.FileIO:
    """What a URL names, as an open temporary file.

    Raises
    ------
    OSError
        As for files, and when the temporary file cannot be written.
    UnreachableError
        When fsspec, or what it needs for such URLs, is not installed, and when the URL cannot be read.
    """
    from irev.reading.temporary import file_of

    return file_of(_pieces(url))


def _pieces(url: str) -> Iterator[bytes]:
    """What a URL names, piece by piece; whatever the package raises becomes an error about the URL."""
    try:
        import fsspec
    except ImportError:
        raise UnreachableError("fsspec is needed to read URLs", url, "pip install fsspec") from None
    try:
        with fsspec.open(url, "rb", compression=None) as source:
            while piece := source.read(_PIECE):
                yield piece
    except (FileNotFoundError, IsADirectoryError, MemoryError):
        raise
    except Exception as error:
        reason = " ".join(f"{type(error).__name__}: {error}".split())
        raise UnreachableError(f"cannot be read ({reason})", url) from None
