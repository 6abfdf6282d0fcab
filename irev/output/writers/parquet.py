"""Parquet with the columns that `irev.output.writers.csv` has. Ids are strings, ranks and whole grades 64-bit integers,
scores and other grades doubles: a number that a double does not give back is refused. Needs pyarrow."""

from __future__ import annotations

from collections.abc import Iterator
from decimal import Decimal
from types import ModuleType
from typing import Any

from irev.base.errors import shown
from irev.output.styles.parquet import Sink, require
from irev.output.writers import NAMES, NOT_WHOLE, Data, require_table, utf8
from irev.reading.columns import TEXTS
from irev.reading.rows import Rows

__all__ = ["require", "write"]


def write(data: Data) -> Iterator[bytes]:
    """The rows of each chunk of the input as a row group. Judgments are read twice, for the type of their grades."""
    arrow = require()
    kinds = {"rank": arrow.int64(), "score": arrow.float64()}
    if data.kind == "qrels":
        whole = not any(NOT_WHOLE.search(b"\n".join(rows.columns["grade"])) for rows in data.rows())
        kinds["grade"] = arrow.int64() if whole else arrow.float64()
    types = {role: arrow.string() if role in TEXTS else kinds[role] for role in data.roles}
    schema = arrow.schema([(NAMES.get(role, role), kind) for role, kind in types.items()])
    sink = Sink()
    with arrow.parquet.ParquetWriter(sink, schema) as writer:
        for rows in data.rows():
            require_table(rows, "parquet")
            columns = [_column(arrow, rows, role, kind) for role, kind in types.items()]
            writer.write_batch(arrow.record_batch(columns, schema=schema))
            yield sink.pick()
    yield sink.pick()


def _column(arrow: ModuleType, rows: Rows, role: str, kind: Any) -> Any:
    if role in TEXTS:
        return arrow.array(utf8(rows, role, "parquet"), kind)
    values = rows.columns[role]
    if arrow.types.is_integer(kind):
        return arrow.array([int(value) for value in values], kind)
    numbers = [float(value) for value in values]
    for row, (written, number) in enumerate(zip(values, numbers, strict=True)):
        if repr(number) != written.decode() and not _gives_back(number, written.decode()):
            fact = f"parquet cannot store the {role} {shown(written)}: a double has fewer digits"
            raise rows.problem(row, fact, "trec, csv and jsonl can store it")
    return arrow.array(numbers, kind)


def _gives_back(number: float, written: str) -> bool:
    """Whether the shortest text of a double has the value that was written."""
    try:
        return Decimal(repr(number)) == Decimal(written)
    except ArithmeticError:  # an exponent of many digits
        return False
