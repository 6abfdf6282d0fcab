"""Ids as bytes: of strings, of whole numbers, and of arrays of numpy, pyarrow and polars.

A string is its UTF-8, bytes are as they are, and a whole number is its decimal digits. In memory an id may hold blanks,
which files could not tell from separators, but no NUL.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from typing import Any

import numpy as np

from irev.base.text import brief, decoded, encoded
from irev.reading import ids
from irev.reading.flat_ids import FlatIds
from irev.reading.ids import PAD, Bytes, padded


class UnusableId(Exception):
    """An id that cannot be one: its row, and what is wrong with it."""

    def __init__(self, row: int, fact: str) -> None:
        super().__init__(fact)
        self.row = row
        self.fact = fact


def joined_ids(written: Sequence[Any]) -> FlatIds:
    """Ids from strings, bytes, or whole numbers, which are read as in columns of them. Raises `UnusableId`."""
    if not len(written):
        return FlatIds(padded(0), np.empty(0, np.int64), np.empty(0, np.int64))
    try:
        data = b"\0".join(written) if isinstance(written[0], bytes) else utf8("\0".join(written))
    except (TypeError, ValueError):
        if all(isinstance(each, int | np.integer) and not isinstance(each, bool) for each in written):
            return joined_ids([str(each) for each in written])
        raise _first_unusable(written) from None
    found = split_ids(data, len(written))
    if found is None:
        raise _first_unusable(written)
    return found


def split_ids(data: bytes, count: int) -> FlatIds | None:
    """The ids that NULs separate; None when there are not `count` of them, or one is empty."""
    text = padded(len(data))
    text[PAD : PAD + len(data)] = np.frombuffer(data, dtype=np.uint8)
    stop = np.flatnonzero(text[PAD : PAD + len(data) + 1] == 0)
    stop += PAD
    if len(stop) != count:
        return None
    start = np.empty_like(stop)
    start[0] = PAD
    start[1:] = stop[:-1] + 1
    length = stop - start
    return FlatIds(text, start, length) if length.all() else None


def utf8(written: str) -> bytes:
    """UTF-8, with bytes that are none as Python's own functions read them; `ValueError` where no bytes would do."""
    try:
        return written.encode()
    except UnicodeEncodeError:
        data = encoded(written)
        if decoded(data) != written:
            raise ValueError from None
        return data


def _first_unusable(written: Sequence[Any]) -> UnusableId:
    kind = bytes if isinstance(written[0], bytes) else str
    for row, each in enumerate(written):
        if not isinstance(each, kind):
            expected = "a string" if kind is str else "bytes, as the ones before"
            return UnusableId(row, f"{brief(each)} is of type {type(each).__name__}; expected {expected}")
        if not each:
            return UnusableId(row, "is empty")
        if (0 if isinstance(each, bytes) else "\0") in each:
            return UnusableId(row, f"{brief(each)} holds a NUL")
        if isinstance(each, str):
            try:
                utf8(each)
            except ValueError:
                return UnusableId(row, f"{brief(each)} cannot be encoded in UTF-8")
    raise RuntimeError("every id is usable")


def whole_number_ids(values: Any) -> FlatIds:
    """Ids from whole numbers: their decimal digits."""
    values = np.asarray(values)
    if not len(values) or values.min() < 0:
        return joined_ids([str(value) for value in values.tolist()])
    highest = int(values.max())
    values = values.astype(np.uint32 if highest < 1 << 32 else np.uint64)
    digits = len(str(highest))
    groups = -(-digits // 4)
    length = np.ones(len(values), dtype=np.int64)
    for power in range(1, digits):
        length += values >= 10**power
    written = np.empty((len(values), groups), dtype="<u4")
    for group in reversed(range(groups)):
        rest = values // 10_000
        written[:, group] = _four_digits()[values - rest * 10_000]
        values = rest
    width = 4 * groups
    if width <= 8:  # a word each, the first digit lowest
        word = written.view("<u8" if groups == 2 else "<u4").reshape(-1).astype("<u8")
        word >>= (8 * (width - length)).astype(np.uint64)
        return FlatIds(_text(word), PAD + np.arange(len(word)) * 8, length, word.reshape(-1, 1))
    return FlatIds(_text(written), PAD + np.arange(1, len(values) + 1) * width - length, length)


@cache
def _four_digits() -> Any:
    """The text of every number of four digits, as one word."""
    return np.frombuffer(b"".join(b"%04d" % n for n in range(10_000)), dtype="<u4")


def _text(content: Any) -> Bytes:
    """The bytes of an array between pads."""
    content = np.ascontiguousarray(content).reshape(-1).view(np.uint8)
    text = padded(len(content))
    text[PAD : PAD + len(content)] = content
    return text


def fixed_width_ids(values: Any) -> FlatIds:
    """Ids from a numpy array of strings or bytes of at most some length, which NULs fill up."""
    rows = len(values)
    kind = np.uint32 if values.dtype.kind == "U" else np.uint8
    content = np.ascontiguousarray(values, dtype=values.dtype.newbyteorder("=")).view(kind).reshape(rows, -1)
    if not content.size or (values.dtype.kind == "U" and content.max() >= 128):
        return joined_ids(values.tolist())
    # Each id has whole words of its own, so that they can be read one after the other.
    width = content.shape[1]
    text = padded(rows * -(-width // 8) * 8)
    by_row = text[PAD : len(text) - PAD].reshape(rows, -1)
    by_row[:, :width] = content
    by_row[:, width:] = 0
    filled = int(np.count_nonzero(text))
    length = np.full(rows, width)
    if filled != content.size:
        length = np.strings.str_len(values).astype(np.int64)
        if filled != int(length.sum()) or not length.all():
            raise _first_unusable(values.tolist())
    words = by_row.view("<u8") if width <= ids.LONG else None
    return FlatIds(text, PAD + np.arange(rows) * by_row.shape[1], length, words)


def arrow_ids(values: Any) -> FlatIds:
    """Ids from a pyarrow array of strings or bytes."""
    _, places, content = values.buffers()
    kind = np.int64 if str(values.type).startswith("large") else np.int32
    offsets = np.frombuffer(places, dtype=kind)[values.offset : values.offset + len(values) + 1].astype(np.int64)
    found = np.frombuffer(content, dtype=np.uint8) if content is not None else np.empty(0, np.uint8)
    text = _text(found[offsets[0] : offsets[-1]])
    length = np.diff(offsets)
    if not length.all() or not text[PAD : len(text) - PAD].all():
        raise _first_unusable(values.to_pylist())
    return FlatIds(text, offsets[:-1] - offsets[0] + PAD, length)


def polars_ids(values: Any) -> FlatIds:
    """Ids from a polars series of strings."""
    found = split_ids(utf8(values.str.join("\0").item()), len(values)) if len(values) else joined_ids([])
    if found is None:
        raise _first_unusable(values.to_list())
    return found
