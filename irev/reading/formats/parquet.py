"""Parquet: tables of columns, read row group by row group with pyarrow.

Parquet files are read from their end, so what is no plain file is kept in a temporary one first.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import IO, Any

from irev.reading import columns
from irev.reading.formats import JUDGMENTS, RUNS, Format
from irev.reading.sources import Source
from irev.reading.tables import ROWS, Kind, OpenTable, lines

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


def _format(value: str, example: str) -> Format:
    usual = ", ".join(columns.usual(value))
    return Format(
        name="parquet",
        description=f"Parquet with columns such as {usual}, or as ranx writes it; further columns are not read."
        " Other names by --columns. Needs pyarrow.",
        example=example,
        lines=lambda source, settings, faults: lines(_KIND, columns.of_file(settings, value), source, faults),
        recognised=lambda head, settings: head.startswith(MARK),
    )


JUDGMENTS.add("parquet", _format("grade", "query_id  doc_id  relevance\nq1        d01             2\n"))
RUNS.add("parquet", _format("score", "query_id  doc_id  score\nq1        d01      12.5\n"))
