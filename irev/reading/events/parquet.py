"""Logs in Parquet, with columns of strings, numbers, times and lists, read with pyarrow."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from irev.base.text import decoded
from irev.errors import InputError
from irev.reading.events import schema
from irev.reading.events.rows import ColumnMaker, EventBlock, EventRows, RowFault, unknown_event
from irev.reading.sources import Source

ROWS = 1 << 15
"""Rows that are taken at a time."""


def blocks(source: Source) -> Iterator[EventBlock]:
    """The rows of a log, some at a time."""
    try:
        from pyarrow import parquet
    except ImportError:
        raise InputError("pyarrow is needed to read Parquet", source.name, "pip install pyarrow") from None
    import pyarrow

    try:
        with source.seekable() as file:
            table = parquet.ParquetFile(file)
            names = table.schema_arrow.names
            if "event" not in names:
                raise InputError("this is no log of events", source.name, "expected a column event")
            if len(set(names)) < len(names):
                raise InputError("two columns are called alike", source.name, "rename one of them")
            known = [name for name in names if name in schema.FIELDS]
            rows = 0
            for batch in table.iter_batches(batch_size=ROWS, columns=known):
                block = _block({name: batch.column(name) for name in known}, rows)
                block.strange.update(set(names) - schema.FIELDS)
                yield block
                rows += batch.num_rows
    except pyarrow.ArrowMemoryError:
        raise MemoryError from None
    except (pyarrow.ArrowException, OSError, EOFError, ValueError) as error:
        reason = str(error).partition("\n")[0]
        raise InputError(
            f"the Parquet data are damaged ({reason})", source.name, "fetch or make the file again"
        ) from None


def _block(columns: dict[str, Any], before: int) -> EventBlock:
    faults: list[RowFault] = []
    events = columns["event"].to_pylist()
    count = len(events)
    parts = []
    where: dict[str, list[int]] = {event: [] for event in schema.EVENTS}
    for row, event in enumerate(events):
        if isinstance(event, str) and event in where:
            where[event].append(row)
        else:
            named = columns["impression"][row].as_py() if "impression" in columns else None
            faults.append(unknown_event(row, event, named))
    for event, rows in where.items():
        if rows:
            maker = ColumnMaker(rows, faults)
            taken = np.array(rows, dtype=np.int64)
            parts.append(
                EventRows(
                    event,
                    taken,
                    {
                        name: maker.column(name, _values(name, columns[name].take(_indices(taken))))
                        for name in schema.OF[event]
                        if name in columns and columns[name].null_count < count
                    },
                )
            )
    return EventBlock(np.arange(before + 1, before + count + 1), parts, faults)


def _indices(rows: Any) -> Any:
    import pyarrow

    return pyarrow.array(rows)


def _values(name: str, column: Any) -> list[Any]:
    """The values of a column as JSON would have them."""
    import pyarrow
    from pyarrow import types

    kind = column.type
    if types.is_timestamp(kind):  # what has no zone is in UTC
        return [
            None if each is None else each / 1e6
            for each in column.cast(pyarrow.timestamp("us")).cast("int64").to_pylist()
        ]
    if types.is_decimal(kind):
        column = column.cast(pyarrow.float64())
    values: list[Any] = column.to_pylist()
    if types.is_binary(kind) or types.is_large_binary(kind):
        return [None if each is None else decoded(each) for each in values]
    return values
