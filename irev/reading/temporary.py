"""What is no file, copied to a temporary one and read as any file is: twice, or from its end."""

from __future__ import annotations

import io
from collections.abc import Iterable


def file_of(pieces: Iterable[bytes]) -> io.FileIO:
    """An open temporary file of some pieces, at its beginning; closed, and so gone, where making a piece fails.

    Raises
    ------
    OSError
        When it cannot be written.
    """
    import tempfile

    file = tempfile.TemporaryFile(buffering=0)  # noqa: SIM115 - the caller closes it
    try:
        for piece in pieces:
            rest = memoryview(piece)
            while rest:  # unbuffered, a write may end early
                rest = rest[file.write(rest) :]
        file.seek(0)
    except BaseException:
        file.close()
        raise
    return file
