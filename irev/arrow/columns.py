"""Tables of Arrow: their columns found and named alike, and rows put into the order that a column gives."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

from irev.base.records import dataclass
from irev.base.settings import Settings
from irev.errors import InputError, UsageError
from irev.reading.columns import ALIASES
from irev.reading.in_memory.frame_columns import columns_of_frame

if TYPE_CHECKING:
    import pyarrow

JUDGMENTS, RUN = "qrels", "run"
"""What messages call the two tables."""

ORDER = "irev order"
"""What the column is called here that has the order of rows."""


@dataclass(frozen=True, eq=False)
class TableRows:
    """The columns of a table that are read.

    Attributes
    ----------
    name : str
        `JUDGMENTS` or `RUN`.
    table : pyarrow.Table
        Query, document, and grade, score or rank, under the first of their usual names.
    settings : Settings
        Those of the evaluation, with no names of columns.
    role : str
        What the numbers are: ``grade``, ``score`` or ``rank``.
    order : pyarrow.ChunkedArray or None
        The order of the rows, by which the table is sorted.
    """

    name: str
    table: Any
    settings: Settings
    role: str
    order: Any = None

    @property
    def rows(self) -> int:
        """Number of rows."""
        return int(self.table.num_rows)

    @property
    def in_bytes(self) -> bool:
        """Whether query ids are bytes, which need not be UTF-8."""
        import pyarrow

        kind = self.table.schema.field(0).type
        return "binary" in str(kind.value_type if pyarrow.types.is_dictionary(kind) else kind)


def needs_order(settings: Settings) -> str:
    """The setting that looks at the order of rows, empty where none does."""
    wanted = {"order": "file", "ties": "file", "duplicates": "first"}
    return next((f"{name}={word!r}" for name, word in wanted.items() if getattr(settings, name) == word), "")


def require_order(settings: Settings, order_column: str | None) -> None:
    """Refuse settings that look at the order of rows where no column has it, and a column that nothing looks at."""
    needed = needs_order(settings)
    if needed and order_column is None:
        fact = f"{needed} goes by the order of rows, and rows of tables that are cut and shuffled have none"
        raise UsageError(fact, remedy="name a column of whole numbers that has it: order_column=")
    if order_column is not None and not needed:
        raise UsageError(
            "order_column changes nothing: numbers do not depend on the order of rows", remedy="leave it out"
        )


def read_columns(given: pyarrow.Table, name: str, settings: Settings, order_column: str | None = None) -> TableRows:
    """The columns of a table, in the order of `order_column` where there is one.

    Raises
    ------
    InputError
        For what is no table, and for a column that is not there or of a type that it cannot have.
    """
    import pyarrow

    role = "grade" if name == JUDGMENTS else "rank" if settings.order == "rank" else "score"
    table = pyarrow.Table.from_batches([given]) if isinstance(given, pyarrow.RecordBatch) else given
    if not isinstance(table, pyarrow.Table):
        raise InputError(f"this is of type {type(given).__name__}", name, "expected a pyarrow.Table or RecordBatch")
    role, labels, found = columns_of_frame(table, role, settings, name)
    for label, column, number in zip(labels, found, (False, False, True), strict=True):
        _require_type(column, label, name, number)
    usual = [ALIASES[each][0] for each in ("query", "document", role)]
    chosen = pyarrow.table([_long(column) for column in found], names=usual)
    plain = replace(settings, columns=(), qrels_columns=(), run_columns=())
    if order_column is None:
        return TableRows(name, chosen, plain, role)
    if order_column not in table.column_names:
        there = ", ".join(table.column_names)
        raise InputError(f"there is no column {order_column!r}", name, f"order_column is one of {there}")
    order = table.column(order_column)
    if not pyarrow.types.is_integer(order.type):
        fact = f"column {order_column} holds {order.type}"
        raise InputError(fact, name, "expected whole numbers, the order of the rows of each query")
    chosen = chosen.append_column(ORDER, order).sort_by(ORDER)
    return TableRows(name, chosen.select(usual), plain, role, chosen.column(ORDER))


def _long(column: Any) -> Any:
    """A column of texts that are too many for offsets of four bytes with longer ones."""
    import pyarrow

    longer = {pyarrow.string(): pyarrow.large_string(), pyarrow.binary(): pyarrow.large_binary()}
    return column.cast(longer[column.type]) if column.type in longer and column.nbytes >= 1 << 31 else column


def _require_type(column: Any, label: str, name: str, number: bool) -> None:
    """Refuse a column of a type that it cannot have, also where there are no rows to look at."""
    from pyarrow import types

    kind = column.type.value_type if types.is_dictionary(column.type) else column.type
    if number:
        known = (types.is_integer, types.is_floating, types.is_decimal, types.is_boolean)
        expected = "numbers"
    else:
        known = (types.is_integer, *(getattr(types, f"is_{text}") for text in _TEXTS))
        expected = "ids: strings, bytes, or whole numbers"
    if not any(is_known(kind) for is_known in (*known, types.is_null)):  # nulls are rows that are wrong
        raise InputError(f"{label} holds {kind}", name, f"expected a column of {expected}")


_TEXTS = ("string", "large_string", "string_view", "binary", "large_binary", "binary_view")
