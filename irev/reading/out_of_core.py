"""Rows that do not fit into memory, brought together by DuckDB, which sorts on disk: the only module that knows it.

Each row has a number of what it is to stand with, and its own number, so that rows that stand together are in the order
in which they came, as they would be in memory. `LinesOnDisk` does for tables what `irev.reading.runs` does with all
lines in memory, where rows have to be lines: those that are ordered by rank, hold a document twice, or of which more is
looked at than ranks them.
"""

from __future__ import annotations

import shutil
import tempfile
from collections.abc import Generator, Iterator
from itertools import pairwise
from types import ModuleType
from typing import Any

import numpy as np

from irev.base.exit import at_a_signal
from irev.base.segments import Ints
from irev.errors import Faults, InputError
from irev.reading import limits
from irev.reading.block import NumberedRows
from irev.reading.chunks import Buffer, Chunks
from irev.reading.fields import Layout
from irev.reading.formats.tables import ROWS
from irev.reading.ids import PAD, padded
from irev.reading.sources import Stream

SHARE = 0.25
"""Share of the memory that there is which rows may take before they are sorted on disk: to bring them together takes
about three times as much as they do."""

OWNER, ROW = "owner", "row"
"""The columns of numbers: of what a row stands with, and of the row."""


def most_held() -> int:
    """Bytes of rows that are brought together in memory."""
    return int(limits.available() * SHARE)


def require(name: str, held: int) -> ModuleType:
    """DuckDB; `InputError` about a file where it is not installed."""
    try:
        import duckdb
    except ImportError:
        fact = (
            f"the rows of a query are not together, and there are more than {limits.amount(held)}: duckdb is "
            "needed to sort them"
        )
        remedy = "pip install duckdb, or write the rows of each query together"
        raise InputError(f"{fact} on disk", name, remedy) from None
    module: ModuleType = duckdb
    return module


def brought_together(name: str, batches: Iterator[Any], held: int, rows: int) -> Generator[Any]:
    """Batches of the same columns, by their numbers.

    Parameters
    ----------
    name : str
        What messages call the file.
    batches : iterator of pyarrow.RecordBatch
        With columns `OWNER` and `ROW`. What it raises is raised.
    held : int
        Bytes of memory to sort in.
    rows : int
        Of a batch that is given, at most.

    Raises
    ------
    InputError
        Where DuckDB is not installed, or cannot sort.
    """
    import pyarrow

    duckdb = require(name, held)
    raised: list[Exception] = []

    def watched() -> Iterator[Any]:
        try:
            yield from batches
        except Exception as error:  # which would come back as a text, out of another library
            raised.append(error)
            raise

    first = next(batches, None)
    if first is None:
        return
    folder = tempfile.mkdtemp(prefix="irev-")
    with at_a_signal(lambda: shutil.rmtree(folder, ignore_errors=True)):
        try:
            settings = {"temp_directory": folder, "memory_limit": f"{max(held >> 20, 64)}MiB", "threads": 1}
            with duckdb.connect(":memory:", config=settings) as database:
                given = pyarrow.RecordBatchReader.from_batches(first.schema, _with_first(first, watched()))
                database.register("given", given)
                found = database.sql(f"SELECT * FROM given ORDER BY {OWNER}, {ROW}")
                yield from found.to_arrow_reader(rows)
        except (duckdb.Error, pyarrow.ArrowException, OSError) as error:
            if raised:
                raise raised[0] from None
            reason = str(error).partition("\n")[0]
            raise InputError(f"its rows could not be sorted on disk ({reason})", name, f"is {folder} full?") from None
        finally:
            shutil.rmtree(folder, ignore_errors=True)


def _with_first(first: Any, others: Iterator[Any]) -> Iterator[Any]:
    yield first
    yield from others


TEXT = "text"
"""The column of lines."""


class _TogetherOnDisk:
    """Lines of whole queries: their numbers in the file, as an array gives them, and their text."""

    def __init__(self, number: Ints, text: bytes) -> None:
        self._number, self.text = number, text

    def __getitem__(self, place: Any) -> Any:
        return self._number[place]


class LinesOnDisk(NumberedRows):
    """As `irev.reading.runs` holds lines; its attributes are known when the first of its parts is there."""

    def __init__(self, source: Stream, layout: Layout, faults: Faults, held: int) -> None:
        super().__init__(layout, faults)
        self._source, self._held = source, held

    def parts(self, size: int) -> Iterator[_TogetherOnDisk]:
        """Lines of whole queries, about `size` bytes at a time; inside a query in the order of the file."""
        sorted_rows = brought_together(self._source.name, self._numbered(), self._held, ROWS)
        number: list[Ints] = []
        text: list[bytes] = []
        last, made = -1, 0
        for batch in sorted_rows:
            owner = batch.column(OWNER).to_numpy()
            rows = batch.column(ROW).to_numpy()
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

        buffer, pieces = Buffer(padded(0)), Chunks(self._source)
        while not buffer.last and pieces.read(buffer):
            before, begin, end = self.count, buffer.begin, buffer.end
            line, owner, stops = self.numbered(buffer.text, begin, end)
            lines = pyarrow.LargeBinaryArray.from_buffers(
                pyarrow.large_binary(),
                len(stops),
                [
                    None,
                    pyarrow.py_buffer(np.concatenate(([0], stops - begin))),
                    pyarrow.py_buffer(buffer.text[begin:end].tobytes()),
                ],
            )
            yield pyarrow.record_batch({OWNER: owner, ROW: line + 1 + before, TEXT: lines.take(pyarrow.array(line))})

    def number(self, line: int) -> int:
        """The line of the file that one of a part is."""
        return int(line)

    def gather(self, rows: _TogetherOnDisk, buffer: Buffer) -> None:
        """Put a part into `buffer`."""
        buffer.end = PAD
        buffer.room(len(rows.text))
        buffer.begin, buffer.end = PAD, PAD + len(rows.text)
        buffer.text[PAD : buffer.end] = np.frombuffer(rows.text, dtype=np.uint8)
