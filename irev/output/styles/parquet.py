"""Parquet: a table with a row for each number, unrounded (see `irev.output.reports.tidy`).

Its columns are ``run``, ``qrels`` where there are several, ``group`` where there are any, ``query``, ``measure``, then
``value``, a double, and ``text`` for the few measures that are no number; the one that a row has not is null. Parquet
has no text but UTF-8, so any other byte stands as an escape, ``\\xff``. Needs pyarrow, the extra ``parquet``.
"""

from __future__ import annotations

from collections.abc import Sequence
from types import ModuleType
from typing import Any

from irev.base.text import EXACT, number
from irev.errors import IrevError
from irev.evaluation.result import Result, Screen
from irev.output.report import Plain, Report
from irev.output.reports.tidy import about_keys, entries

NAMES = "trec"


def render(result: Result, screen: Screen) -> bytes:
    """The file. The screen has no influence."""
    arrow = require()
    columns: dict[str, list[str | float | None]]
    columns = {name: [] for name in (*about_keys(result), "measure", "value", "text")}
    for entry in entries(result):
        about = [(columns[key], None if text is None else _utf8(text)) for key, text in entry.about.items()]
        for name, value in entry.values.items():
            for column, text in about:
                column.append(text)
            text = value.decode("utf-8", "backslashreplace") if isinstance(value, bytes) else None
            columns["measure"].append(name)
            columns["value"].append(None if value is None or isinstance(value, bytes) else float(value))
            columns["text"].append(text)
    types = {name: arrow.float64() if name == "value" else arrow.string() for name in columns}
    return _written(arrow, {name: arrow.array(column, types[name]) for name, column in columns.items()})


def write(report: Report) -> bytes:
    """The rows of a report, in columns of the types that they hold (see `_typed`)."""
    arrow = require()
    columns = list(zip(*report.rows, strict=True)) or [()] * len(report.columns)
    return _written(arrow, {name: _typed(arrow, column) for name, column in zip(report.columns, columns, strict=True)})


def _typed(arrow: ModuleType, values: Sequence[Plain]) -> Any:
    """A column of truths, of whole numbers, or of reals, where it holds nothing else; otherwise of texts.

    Whole numbers among reals are reals. Where there is nothing at all it is a column of reals, as most are.
    """
    kinds = {type(value) for value in values if value is not None}
    if kinds == {bool}:
        return arrow.array(values, arrow.bool_())
    if kinds == {int}:
        return arrow.array(values, arrow.int64())
    if kinds <= {int, float}:
        return arrow.array([None if value is None else float(value) for value in values], arrow.float64())
    return arrow.array([None if value is None else _text(value) for value in values], arrow.string())


def _text(value: str | float | int | bool) -> str:
    if isinstance(value, str):
        return _utf8(value)
    return str(value).lower() if isinstance(value, bool) else number(value, EXACT)


def require() -> ModuleType:
    """The library; `IrevError` where it is not installed."""
    try:
        import pyarrow
        import pyarrow.parquet
    except ImportError:
        raise IrevError("pyarrow is needed to write Parquet", remedy="pip install 'irev[parquet]'") from None
    module: ModuleType = pyarrow
    return module


def _written(arrow: ModuleType, columns: dict[str, Any]) -> bytes:
    sink = arrow.BufferOutputStream()
    arrow.parquet.write_table(arrow.table(columns), sink)
    return bytes(sink.getvalue())


def _utf8(text: str) -> str:
    return text.encode("utf-8", "surrogateescape").decode("utf-8", "backslashreplace")
