"""What an input was, and that it may have changed meanwhile."""

from __future__ import annotations

from typing import NamedTuple

from irev.errors import InputError


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
