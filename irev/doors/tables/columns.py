"""Tables of Arrow: their columns found and named alike, and rows put into the order that a column gives."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterator
from dataclasses import replace
from typing import TYPE_CHECKING, Any, Unpack

from irev.base.errors import InputError, RowError, UsageError, decimal
from irev.base.records import dataclass
from irev.base.settings import Settings
from irev.base.text import encoded
from irev.doors.api.options import Options, settings_of
from irev.measures import Request
from irev.reading import in_memory
from irev.reading.columns import ALIASES
from irev.reading.in_memory.frame_columns import columns_of_frame
from irev.reading.judgments import LARGEST

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
        fact = f"{needed} depends on the order of rows, which is unknown in tables that are split and shuffled"
        raise UsageError(fact, remedy="name a column of whole numbers with the order: order_column=")
    if order_column is not None and not needed:
        raise UsageError(
            "order_column has no effect: the numbers do not depend on the order of rows", remedy="leave it out"
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
        raise InputError(f"there is no column {order_column!r}", name, f"the columns are {there}")
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


def earliest_fault(columns: TableRows, settings: Settings) -> RowError | None:
    """The least of all faults of the rows; None where what is wrong is not a row."""
    found = sorted(_faults(columns, settings), key=lambda fault: fault[:3])
    return RowError(columns.name, *found[0]) if found else None


_Fault = tuple[bytes, bytes, str, str, str]
"""Query, document, code, fact and remedy."""


def _faults(columns: TableRows, settings: Settings) -> Iterator[_Fault]:
    lists = [columns.table.column(place).to_pylist() for place in range(3)]
    orders = [None] * columns.rows if columns.order is None else columns.order.to_pylist()
    seen: Counter[tuple[bytes, bytes]] = Counter()
    places: Counter[tuple[bytes, int | None]] = Counter()
    for query, document, value, order in zip(*lists, orders, strict=True):
        row = _bytes(query), _bytes(document)
        for role, written in (("query", query), ("document", document)):
            if written is None:
                yield *row, "E113", f"the {role} is null", "expected an id in every row"
            elif (empty := not _bytes(written)) or b"\0" in _bytes(written):
                fact = f"the {role} id {'is empty' if empty else 'holds a NUL'}"
                yield *row, "E110", fact, "expected an id in every row"
        wrong = _wrong_number(columns.role, value, settings)
        if wrong is not None:
            yield *row, *wrong
        if columns.order is not None:
            places[row[0], order] += 1
            if order is None:
                yield *row, "E113", "the order is null", _OTHER_PLACE
            elif places[row[0], order] == 2:
                yield *row, "E105", f"another row of the query has its order, {order}", _OTHER_PLACE
        if settings.drop_self and columns.name != JUDGMENTS and row[0] == row[1]:
            continue
        seen[row] += 1
        if seen[row] == 2 and (columns.name == JUDGMENTS or settings.duplicates == "error"):
            again = "judged" if columns.name == JUDGMENTS else "retrieved"
            choose = "" if columns.name == JUDGMENTS else ", or choose duplicates='first' or 'best'"
            yield *row, "E103", f"the document is {again} again", f"keep one of the two{choose}"


_OTHER_PLACE = "expected another number in each row of a query"


def _bytes(written: Any) -> bytes:
    if written is None:
        return b""
    return written if isinstance(written, bytes) else encoded(written) if isinstance(written, str) else b"%d" % written


def _wrong_number(role: str, value: Any, settings: Settings) -> tuple[str, str, str] | None:
    """Code, fact and remedy of what is no grade, score or rank."""
    if value is None:
        return "E113", f"the {role} is null", "expected a number in every row"
    number = float(value)
    if role != "grade":
        return ("E105", f"the {role} {value} is not a number", "expected a number") if math.isnan(number) else None
    if math.isnan(number):
        return "E102", f"the grade {value} is not a number", "expected a grade such as 0, 1 or 0.5"
    if abs(number) > LARGEST:
        return "E102", f"the grade {value} is too large", "expected at most 2^53"
    if number < 0 and settings.negative == "error":
        remedy = "choose negative='unjudged' or 'nonrelevant'"
        return "E106", f"the grade {decimal(number)} is negative", remedy
    return None


@dataclass(frozen=True)
class QrelsFacts:
    """What is true of all judgments. Facts of tables that share no query add up: ``facts + more``.

    Attributes
    ----------
    queries : int
        Judged queries.
    judgments : int
        Judgments, of whatever grade.
    positive_judgments : int
        Judgments with a grade above 0.
    highest_grade : float
        The highest grade; minus infinity where there are no judgments.
    """

    queries: int = 0
    judgments: int = 0
    positive_judgments: int = 0
    highest_grade: float = -math.inf

    def __add__(self, other: QrelsFacts) -> QrelsFacts:
        return QrelsFacts(
            self.queries + other.queries,
            self.judgments + other.judgments,
            self.positive_judgments + other.positive_judgments,
            max(self.highest_grade, other.highest_grade),
        )


def qrels_facts(qrels: pyarrow.Table, **options: Unpack[Options]) -> QrelsFacts:
    """The facts of a table of judgments.

    Parameters
    ----------
    qrels : pyarrow.Table or RecordBatch
        All judgments, or all of some queries, the facts of which then add up.
    **options
        As for the evaluation; of these `negative` and the names of columns matter.

    Raises
    ------
    InputError
        For a table without the columns, and for a row that is no judgment (`irev.RowError`).
    """
    settings = settings_of(options)
    columns = read_columns(qrels, JUDGMENTS, settings)
    if not columns.rows:
        return QrelsFacts()
    try:
        judgments = in_memory.judgments(columns.table, columns.settings, JUDGMENTS)
    except InputError as error:
        raise earliest_fault(columns, settings) or error from None
    return QrelsFacts(len(judgments.queries), columns.rows, judgments.positive, judgments.highest)


def lacking(requests: dict[str, Request], settings: Settings) -> Iterator[tuple[str, str]]:
    """The requests whose values depend on facts about all judgments, each with the fact that it needs."""
    for name, request in requests.items():
        measure = request.measure
        chosen = {option: default.default for option, default in measure.options.items()} | dict(request.options)
        best = "auto" in (value for value in chosen.values() if isinstance(value, str))
        if (best and settings.gains is None) or (request.bound and measure.graded):
            yield name, "the highest grade of all judgments"


def require_facts(requests: dict[str, Request], settings: Settings) -> None:
    """Raise `UsageError` for the first request whose values depend on facts that were not handed in."""
    for name, fact in lacking(requests, settings):
        raise UsageError(
            f"measure '{name}' needs {fact}, which a table with some of the queries does not show", remedy=REMEDY
        )


REMEDY = "pass facts=irev.arrow.qrels_facts(…)"
