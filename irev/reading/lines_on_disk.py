"""Lines of a table whose queries are scattered and that do not fit into memory, brought together on disk.

What `irev.reading.runs` does with all lines in memory, for the few runs whose rows have to be lines: those that are
ordered by rank, hold a document twice, or of which more is looked at than ranks them.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import pairwise
from typing import Any

import numpy as np

from irev.base.segments import Ints
from irev.errors import Faults
from irev.reading import ids, out_of_core
from irev.reading.block import Tags
from irev.reading.chunks import Buffer, Chunks
from irev.reading.fields import NEWLINE, Layout, split
from irev.reading.ids import PAD, padded
from irev.reading.sources import Stream
from irev.reading.tables import ROWS

TEXT = "text"
"""The column of lines."""


class _TogetherOnDisk:
    """Lines of whole queries: their numbers in the file, as an array gives them, and their text."""

    def __init__(self, number: Ints, text: bytes) -> None:
        self._number, self.text = number, text

    def __getitem__(self, place: Any) -> Any:
        return self._number[place]


class LinesOnDisk:
    """As `irev.reading.runs.Lines`; its attributes are known when the first of its parts is there."""

    def __init__(self, source: Stream, layout: Layout, faults: Faults, held: int) -> None:
        self._source, self._layout, self._faults, self._held = source, layout, faults, held
        self.tags = Tags()
        self.count = self.rows = 0

    def parts(self, size: int) -> Iterator[_TogetherOnDisk]:
        """Lines of whole queries, about `size` bytes at a time; inside a query in the order of the file."""
        sorted_rows = out_of_core.brought_together(self._source.name, self._numbered(), self._held, ROWS)
        number: list[Ints] = []
        text: list[bytes] = []
        last, made = -1, 0
        for batch in sorted_rows:
            owner = batch.column(out_of_core.OWNER).to_numpy()
            rows = batch.column(out_of_core.ROW).to_numpy()
            lines = batch.column(TEXT)
            begins = [0, *(np.flatnonzero(owner[1:] != owner[:-1]) + 1).tolist(), len(owner)]
            for begin, end in pairwise(begins):
                if owner[begin] != last and made >= size:
                    yield _TogetherOnDisk(np.concatenate(number), b"".join(text))
                    number, text, made = [], [], 0
                last = owner[begin]
                number.append(rows[begin:end])
                text.append(b"".join(lines.slice(begin, end - begin).to_pylist()))
                made += len(text[-1])
        if text:
            yield _TogetherOnDisk(np.concatenate(number), b"".join(text))

    def _numbered(self) -> Iterator[Any]:
        """Each line, with the numbers of its query and of itself."""
        import pyarrow

        index: dict[bytes, int] = {}
        buffer, pieces = Buffer(padded(0)), Chunks(self._source)
        while not buffer.last and pieces.read(buffer):
            text, begin, end = buffer.text, buffer.begin, buffer.end
            fields = split(text, begin, end, self._layout, self._faults.most)
            self._faults.take(fields.faults, self.count)
            newlines = np.flatnonzero(text[begin:end] == NEWLINE) + begin
            line = fields.lines_of(np.arange(fields.rows)) - 1
            opens, closes = fields.span("query")
            group, examples = ids.grouped(text, opens, closes - opens)
            known = [
                index.setdefault(ids.at(text, opens[row], closes[row] - opens[row]), len(index))
                for row in examples.tolist()
            ]
            ends = np.concatenate(([0], newlines + 1 - begin))
            lines = pyarrow.LargeBinaryArray.from_buffers(
                pyarrow.large_binary(),
                len(newlines),
                [None, pyarrow.py_buffer(ends), pyarrow.py_buffer(text[begin:end].tobytes())],
            )
            self.tags = self.tags.then(Tags.of(text, fields))
            yield pyarrow.record_batch(
                {
                    out_of_core.OWNER: np.array(known, dtype=np.int32)[group],
                    out_of_core.ROW: line + 1 + self.count,
                    TEXT: lines.take(pyarrow.array(line)),
                }
            )
            self.rows += fields.rows
            self.count += fields.lines

    def number(self, line: int) -> int:
        """The line of the file that one of a part is."""
        return int(line)

    def gather(self, rows: _TogetherOnDisk, buffer: Buffer) -> None:
        """Put a part into `buffer`."""
        buffer.end = PAD
        buffer.room(len(rows.text))
        buffer.begin, buffer.end = PAD, PAD + len(rows.text)
        buffer.text[PAD : buffer.end] = np.frombuffer(rows.text, dtype=np.uint8)
