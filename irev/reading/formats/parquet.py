"""Parquet: tables of columns, read row group by row group with pyarrow, of one file or of several as one.

Parquet files are read from their end, so what is no plain file is kept in a temporary one first.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import closing, contextmanager
from typing import IO, Any

from irev.errors import InputError
from irev.reading.parts import MARK, TablePart, TableParts
from irev.reading.sources import Source
from irev.reading.tables import ROWS, Kind, OpenTable, add_format


@contextmanager
def _opened(source: Source) -> Iterator[OpenTable]:
    from pyarrow import parquet

    if source.parts is not None:
        parts = source.parts
        yield OpenTable(_schema(parts), lambda names: _batches_of_parts(parts, names))
        return
    with source.seekable() as file:
        yield OpenTable(parquet.ParquetFile(file).schema_arrow, lambda names: _batches(file, names, names[:1]))


def _schema(parts: TableParts) -> Any:
    """That of the first part with rows, and the columns that folders say; a part without any may say nothing."""
    from pyarrow import parquet

    found = None
    with closing(parts.each()) as each:
        for part, file in each:
            table = parquet.ParquetFile(file)
            if found is None or table.metadata.num_rows:
                found = _with_columns(table.schema_arrow, part)
            if table.metadata.num_rows:
                break
    return found


def _with_columns(schema: Any, part: TablePart) -> Any:
    """A schema, and the columns that folders say."""
    import pyarrow

    for name in part.values:
        schema = schema.append(pyarrow.field(name, pyarrow.string()))
    return schema


def _batches_of_parts(parts: TableParts, names: list[str]) -> Iterator[Any]:
    """The rows of all parts, which have the same columns of the same types unless they have no rows."""
    import pyarrow
    from pyarrow import parquet

    wanted: Any = None
    rows = 0
    for part, file in parts.each():
        table = parquet.ParquetFile(file)
        parts.begin(part, rows)
        rows += table.metadata.num_rows
        if not table.metadata.num_rows:
            continue
        schema = _with_columns(table.schema_arrow, part)
        for name in names:
            if schema.names.count(name) != 1:
                fact = f"there are {schema.names.count(name) or 'no'} columns {name!r}"
                raise InputError(fact, part.path, "expected the columns of the other files, each once")
        kinds = [schema.field(name).type for name in names]
        wanted = wanted or kinds
        if kinds != wanted:
            name, kind, other = next(each for each in zip(names, kinds, wanted, strict=True) if each[1] != each[2])
            raise InputError(
                f"the column {name!r} holds values of type {kind}, and those before it of type {other}",
                part.path,
                "write all files with the same types",
            )
        inside = [name for name in names if name not in part.values]
        for batch in _batches(file, inside, [name for name in names[:1] if name in inside]):
            columns = [
                batch.column(name) if name in inside else _repeated(part.values[name], batch.num_rows) for name in names
            ]
            yield pyarrow.RecordBatch.from_arrays(columns, names=names)


def _repeated(value: str | None, rows: int) -> Any:
    """A column of one text."""
    import numpy as np
    import pyarrow

    if value is None:
        return pyarrow.nulls(rows, pyarrow.string())
    return pyarrow.DictionaryArray.from_arrays(pyarrow.array(np.zeros(rows, np.int32)), [value])


def _batches(file: IO[bytes], names: list[str], query: list[str]) -> Iterator[Any]:
    """Row groups one after the other: whoever asks for all at once is given them by and by, and keeps them."""
    from pyarrow import parquet

    # Not all bytes of a row group at once, of which pyarrow would ask else.
    table = parquet.ParquetFile(file, read_dictionary=query, buffer_size=1 << 18, pre_buffer=False)
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
