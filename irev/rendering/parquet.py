"""Parquet: a table with a row for each number, unrounded (see `irev.tidy`).

Its columns are ``run``, ``qrels`` where there are several, ``group`` where there are any, ``query``, ``measure``, then
``value``, a double, and ``text`` for the few measures that are no number; the one that a row has not is null. Parquet
has no text but UTF-8, so any other byte stands as an escape, ``\\xff``. Needs pyarrow, the extra ``parquet``.
"""

from __future__ import annotations

from irev.errors import IrevError
from irev.result import Result, Screen
from irev.tidy import about_keys, entries

NAMES = "trec"


def render(result: Result, screen: Screen) -> bytes:
    """The file. The screen has no influence."""
    try:
        import pyarrow
        from pyarrow import parquet
    except ImportError:
        raise IrevError("pyarrow is needed to write Parquet", remedy="pip install 'irev[parquet]'") from None

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
    types = {name: pyarrow.float64() if name == "value" else pyarrow.string() for name in columns}
    table = pyarrow.table({name: pyarrow.array(column, types[name]) for name, column in columns.items()})
    sink = pyarrow.BufferOutputStream()
    parquet.write_table(table, sink)
    return bytes(sink.getvalue())


def _utf8(text: str) -> str:
    return text.encode("utf-8", "surrogateescape").decode("utf-8", "backslashreplace")
