"""Parquet: the rows as a table of columns, unrounded, each of one type.

Of an evaluation these are ``run``, ``qrels`` where there are several, ``group`` where there are any, ``query``,
``measure``, then ``value``, a double, and ``text`` for the few measures that are no number; the one that a row has not
is null. Parquet has no text but UTF-8, so any other byte stands as an escape, ``\\xff``. Needs pyarrow, the extra
``parquet``.
"""

from __future__ import annotations

import io
from collections.abc import Iterator, Sequence
from itertools import accumulate, islice
from types import ModuleType
from typing import Any

from irev.base.errors import IrevError
from irev.base.text import EXACT, encoded, number
from irev.output.report import Listed, Plain, Report

_ROWS = 4096
"""Rows that are held as such, since each takes more room than its values."""

_GROUP = 1 << 17
"""Rows of a row group, where the types of all columns are known before the rows are."""


def pieces(report: Report) -> Iterator[bytes]:
    """The rows, in columns of the types that they hold (see `_typed`); a list of numbers is never a wide one."""
    arrow = require()
    report = report.seen(report.look._replace(wide=False))
    names = report.columns
    known = set(names) <= report.texts | report.mixed.keys()
    rows = iter(report.rows)
    sink, writer = Sink(), None
    while True:
        made = _columns(arrow, report, _gathered(names, rows, _GROUP if known else None))
        table = arrow.table(made)
        if writer is None:
            writer = arrow.parquet.ParquetWriter(sink, table.schema)
        elif not table.num_rows:
            break
        writer.write_table(table)
        yield sink.pick()
        if not known:
            break
    writer.close()
    yield sink.pick()


def _gathered(
    names: Sequence[str], rows: Iterator[Sequence[Plain | Listed]], most: int | None
) -> dict[str, list[Plain | Listed]]:
    """The columns of the next rows, or of all."""
    columns: dict[str, list[Plain | Listed]] = {name: [] for name in names}
    rows = islice(rows, most)
    while some := list(islice(rows, _ROWS)):
        for column, part in zip(columns.values(), zip(*some, strict=True), strict=True):
            column += part
    return columns


def _columns(arrow: ModuleType, report: Report, columns: dict[str, list[Plain | Listed]]) -> dict[str, Any]:
    made = {}
    for name, values in columns.items():
        if name in report.mixed:
            numbers = [float(value) if isinstance(value, int | float) else None for value in values]
            made[name] = arrow.array(numbers, arrow.float64())
            made[report.mixed[name]] = _texts(arrow, [value if isinstance(value, str) else None for value in values])
        else:
            made[name] = _texts(arrow, values) if name in report.texts else _typed(arrow, values)
    return made


def _typed(arrow: ModuleType, values: Sequence[Any]) -> Any:
    """A column of truths, of whole numbers, of reals, or of lists, where it holds nothing else; otherwise of texts.

    Whole numbers among reals are reals. Where there is nothing at all it is a column of reals, as most are.
    """
    kinds = {type(value) for value in values if value is not None}
    if kinds == {tuple}:
        return _lists(arrow, values)
    if kinds == {bool}:
        return arrow.array(values, arrow.bool_())
    if kinds == {int}:
        return arrow.array(values, arrow.int64())
    if kinds <= {int, float}:
        return arrow.array([None if value is None else float(value) for value in values], arrow.float64())
    return _texts(arrow, [None if value is None else _text(value) for value in values])


def _lists(arrow: ModuleType, values: Sequence[tuple[Any, ...] | None]) -> Any:
    """A column of lists, with all values of these in one column of one type."""
    ends = list(accumulate((len(each or ()) for each in values), initial=0))
    members = _typed(arrow, [member for each in values for member in each or ()])
    starts = [None if each is None else end for each, end in zip(values, ends, strict=False)]
    return arrow.ListArray.from_arrays(arrow.array([*starts, ends[-1]], arrow.int32()), members)


def _texts(arrow: ModuleType, values: Sequence[Any]) -> Any:
    """A column of texts, most of which stand in many rows."""
    utf8 = {text: None if text is None else _utf8(text) for text in set(values)}
    return arrow.array([utf8[text] for text in values], arrow.string())


def _text(value: str | float | int | bool) -> str:
    if isinstance(value, str):
        return value
    return str(value).lower() if isinstance(value, bool) else number(value, EXACT)


def require() -> ModuleType:
    """The library; `IrevError` where it is not installed."""
    try:
        import pyarrow
        import pyarrow.parquet
    except ImportError:
        raise IrevError("pyarrow is needed to write Parquet", remedy="pip install pyarrow") from None
    module: ModuleType = pyarrow
    return module


class Sink(io.RawIOBase):
    """Keeps what is written until it is taken."""

    def __init__(self) -> None:
        self._parts: list[bytes] = []
        self._size = 0

    def writable(self) -> bool:
        return True

    def tell(self) -> int:
        return self._size

    def write(self, data: Any) -> int:
        self._parts.append(bytes(data))
        self._size += len(self._parts[-1])
        return len(self._parts[-1])

    def pick(self) -> bytes:
        """What was written since this was last called."""
        parts, self._parts = self._parts, []
        return b"".join(parts)


def _utf8(text: str) -> str:
    return text if text.isascii() else encoded(text).decode("utf-8", "backslashreplace")
