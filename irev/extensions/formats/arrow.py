"""Arrow's files (Feather) and streams, read batch by batch. A stream is read as it comes, from a pipe too."""

from __future__ import annotations

import io
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from typing import Any

from irev.reading.formats.tables import ROWS, OpenTable, TableKind, add_format, pyarrow
from irev.reading.sources import Source

FILE, STREAM = b"ARROW1", b"\xff\xff\xff\xff"

END = (STREAM + bytes(4),)
"""The last bytes of a stream."""


@contextmanager
def _opened(source: Source) -> Iterator[OpenTable]:
    if source.head(len(FILE)) == FILE:
        with source.seekable() as file:
            table = pyarrow.ipc.open_file(file)
            batches = (table.get_batch(number) for number in range(table.num_record_batches))
            yield OpenTable(table.schema, lambda names: _small(batches, names))
    else:
        text = _Readable(source)
        stream = pyarrow.ipc.open_stream(text)
        yield OpenTable(stream.schema, lambda names: _small(_whole(stream, text), names))


def _whole(stream: Any, text: _Readable) -> Iterator[Any]:
    """The batches of a stream, which says where it ends: otherwise what is left of one would be taken for it."""
    yield from stream
    if text.tail not in END:
        raise EOFError("the stream has no end marker: is it incomplete?")
    if text.read(1):
        raise EOFError("data follow the end of the stream")


def _small(batches: Iterable[Any], names: list[str]) -> Iterator[Any]:
    """The columns of some rows at a time, however many a batch has."""
    for batch in batches:
        chosen = batch.select(names)
        chosen.validate(full=True)  # which pyarrow leaves to whoever reads; offsets may lead anywhere
        for begin in range(0, batch.num_rows, ROWS):
            yield chosen.slice(begin, ROWS)


class _Readable(io.RawIOBase):
    """A source as a file that is read once. `tail`: the last bytes that were read."""

    def __init__(self, source: Source) -> None:
        self._source = source
        self.tail = b""

    def readable(self) -> bool:
        return True

    def readinto(self, room: Any) -> int:
        view = memoryview(room).cast("B")
        got = self._source.fill(view)
        self.tail = (self.tail + bytes(view[max(got - 8, 0) : got]))[-8:]
        return got


_ARROW = TableKind("Arrow", "pyarrow.ipc", _opened)


add_format(
    "arrow", _ARROW, "Arrow's files (Feather) and streams,", "", lambda head, settings: head.startswith((FILE, STREAM))
)
