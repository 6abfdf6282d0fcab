"""Parquet: tables of columns, read row group by row group with pyarrow.

Parquet files are read from their end, so what is no plain file is kept in a temporary one first.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import IO, Any

from irev.reading.sources import Source
from irev.reading.tables import ROWS, Kind, OpenTable, add_format

MARK = b"PAR1"


@contextmanager
def _opened(source: Source) -> Iterator[OpenTable]:
    from pyarrow import parquet

    with source.seekable() as file:
        yield OpenTable(parquet.ParquetFile(file).schema_arrow, lambda names: _batches(file, names))


def _batches(file: IO[bytes], names: list[str]) -> Iterator[Any]:
    """Row groups one after the other: whoever asks for all at once is given them by and by, and keeps them."""
    from pyarrow import parquet

    table = parquet.ParquetFile(file, read_dictionary=names[:1])
    groups: list[int] = []
    rows = 0
    for group in range(table.num_row_groups):
        groups.append(group)
        rows += table.metadata.row_group(group).num_rows
        if rows >= ROWS or group == table.num_row_groups - 1:
            yield from table.iter_batches(batch_size=ROWS, row_groups=groups, columns=names, use_threads=False)
            groups, rows = [], 0


_KIND = Kind("Parquet", "pyarrow.parquet", _opened)


add_format("parquet", _KIND, "Parquet", ", or as ranx writes it", lambda head, settings: head.startswith(MARK))
