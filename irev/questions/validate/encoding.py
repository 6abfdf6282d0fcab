"""Rows that are no UTF-8: bytes are compared as they are here, and other tools may differ."""

from __future__ import annotations

import numpy as np

from irev.errors import Problem
from irev.reading import ids
from irev.reading.fields import Fields, column


def check_encoding(fields: Fields) -> None:
    """Add to the faults the rows that are not UTF-8."""
    text, start, stop = fields.text, fields.start[0], fields.stop[-1]
    if not fields.rows:
        return
    beyond = np.flatnonzero(text[start[0] : stop[-1]] >= 0x80) + start[0]
    if not len(beyond) or _not_utf8(text[start[0] : stop[-1]].tobytes()) is None:
        return
    suspects = np.flatnonzero(np.searchsorted(beyond, start) < np.searchsorted(beyond, stop))

    def place(row: int) -> int | None:
        return _not_utf8(ids.at(text, start[row], stop[row] - start[row]))

    # An array: objects for each row of a file of millions would be a matter of memory.
    broken = suspects[np.fromiter((place(int(row)) is not None for row in suspects), bool, len(suspects))]

    def described(row: int) -> Problem:
        where = column(text, int(start[row]) + (place(row) or 0))
        return Problem(
            fields.line_of(row), "W209", "the line is not UTF-8", "tools that decode it will differ", column=where
        )

    fields.faults.add(broken, described, fields.lines_of)


def _not_utf8(text: bytes) -> int | None:
    """The first byte that cannot be decoded, if there is one."""
    try:
        text.decode("utf-8")
    except UnicodeDecodeError as error:
        return error.start
    return None
