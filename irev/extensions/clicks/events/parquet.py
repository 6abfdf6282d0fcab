"""Logs in Parquet, with columns of strings, numbers, times and lists, read with pyarrow."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from irev.base.errors import InputError
from irev.base.segments import Ints
from irev.base.text import decoded
from irev.extensions.clicks.events import schema
from irev.extensions.clicks.events.rows import (
    Column,
    ColumnMaker,
    EventBlock,
    EventRows,
    RowFault,
    TimeColumn,
    unknown_event,
)
from irev.reading.formats.tables import PARQUET, parquet, parquet_batches, pyarrow, sound, types
from irev.reading.sources import Source


def blocks(source: Source) -> Iterator[EventBlock]:
    """The rows of a log, some at a time."""
    with sound(source, PARQUET), source.seekable() as file:
        table = parquet.ParquetFile(file)
        names = table.schema_arrow.names
        schema.require_columns(names, source.name)
        if len(set(names)) < len(names):
            raise InputError("two columns have the same name", source.name, "rename one of them")
        known = [name for name in names if name in schema.FIELDS]
        rows = 0
        for batch in parquet_batches(table, known, source, file):
            block = _block({name: batch.column(name) for name in known}, rows)
            block.strange.update(set(names) - schema.FIELDS)
            yield block
            rows += batch.num_rows


def _block(columns: dict[str, Any], before: int) -> EventBlock:
    faults: list[RowFault] = []
    events = _values("event", columns["event"])
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
                        name: _column(name, _taken(columns[name], taken), maker)
                        for name in schema.OF[event]
                        if name in columns and columns[name].null_count < count
                    },
                )
            )
    return EventBlock(np.arange(before + 1, before + count + 1), parts, faults)


def _taken(column: Any, rows: Ints) -> Any:
    try:
        return column.take(pyarrow.array(rows))
    except pyarrow.ArrowNotImplementedError:  # of views, from which Arrow cannot take rows
        values = column.to_pylist()
        return pyarrow.array([values[row] for row in rows.tolist()])


def _column(name: str, column: Any, maker: ColumnMaker) -> Column:
    found = maker.column(name, _values(name, column))
    if isinstance(found, TimeColumn) and _is_date(column):
        found.dated[:] = True
    return found


def _is_date(column: Any) -> bool:
    return bool(types.is_timestamp(column.type))


def _values(name: str, column: Any) -> list[Any]:
    """The values of a column as JSON would have them; dates as seconds, or as dates where no time is wanted."""
    if _is_date(column):  # what has no zone is in UTC; what is finer than a microsecond is cut off
        column = column.cast(pyarrow.timestamp("us"), safe=False)
        if name != schema.TIME:
            return list(column.to_pylist())
        return [None if each is None else each / 1e6 for each in column.cast("int64").to_pylist()]
    if types.is_decimal(column.type):
        column = column.cast(pyarrow.float64())
    return [_text(each) for each in column.to_pylist()]


def _text(value: Any) -> Any:
    """A value; texts as such, though the table has bytes."""
    if isinstance(value, bytes):
        return decoded(value)
    return [_text(each) for each in value] if isinstance(value, list) else value
