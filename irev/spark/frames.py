"""Data frames of Spark: their columns found by name and type, and made what workers read: ids as bytes, and doubles."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from irev.arrow.columns import JUDGMENTS, RUN
from irev.base.records import dataclass
from irev.base.settings import Settings
from irev.base.text import brief
from irev.errors import InputError
from irev.reading import columns as column_names
from irev.reading.columns import ALIASES, Naming
from irev.reading.judgments import LARGEST

if TYPE_CHECKING:
    from pyspark.sql import Column, DataFrame

QUERY, DOCUMENT = ALIASES["query"][0], ALIASES["document"][0]
ORDER = "row_order"
"""What the column is called that has the order of rows."""

TAG = "tag"
"""What the column is called that has the run id, in rows of a file."""

UNREADABLE = "unreadable"
"""What the column is called that says of a line of a file why it cannot be used."""

_FORGING = r"[\x00-\x1f\x7f]|^ | \z"
"""`irev.reading.formats.FORGING` as Java writes it."""

_IDS = {"string", "varchar", "char", "binary", "byte", "short", "integer", "long"}
_NUMBERS = {"byte", "short", "integer", "long", "float", "double", "decimal", "boolean"}
_WHOLE = {"byte", "short", "integer", "long"}


@dataclass(frozen=True, eq=False)
class SparkRows:
    """Judgments or a run as a data frame of the columns that are read.

    Attributes
    ----------
    name : str
        `JUDGMENTS` or `RUN`.
    rows : DataFrame
        Query and document, as bytes, the number, a double, and the order where it is wanted.
    value : str
        What the column of numbers is called.
    path : str
        The file that they are read from, empty where they are from none.
    forgeable : bool
        Whether ids may hold what a line of TREC could not, which is refused of files.
    in_bytes : bool
        Whether ids of queries were handed in as bytes.
    """

    name: str
    rows: DataFrame
    value: str
    path: str = ""
    forgeable: bool = False
    in_bytes: bool = False

    @property
    def called(self) -> str:
        """What messages call them."""
        return self.path or self.name

    @property
    def read(self) -> DataFrame:
        """The columns that are evaluated."""
        return self.rows.drop(TAG, UNREADABLE)

    @property
    def forged(self) -> Any:
        """Which rows have an id that no file may have."""
        from pyspark.sql import functions as F

        query, document = (F.col(name).cast("string").rlike(_FORGING) for name in (QUERY, DOCUMENT))
        return query | document

    @property
    def wrong(self) -> Any:
        """Which rows are none: what can be told of one row alone."""
        from pyspark.sql import functions as F

        found: Any = F.lit(False)
        for name in (QUERY, DOCUMENT):
            empty = F.col(name).isNull() | (F.octet_length(name) == 0)
            found = found | empty | (F.instr(F.col(name).cast("string"), "\0") > 0)
        found = found | F.col(self.value).isNull() | F.isnan(self.value)
        if self.name == JUDGMENTS:
            found = found | (F.abs(self.value) > LARGEST)
        if UNREADABLE in self.rows.columns:
            found = found | F.col(UNREADABLE).isNotNull()
        if self.forgeable:
            found = found | self.forged
        return found if ORDER not in self.rows.columns else found | F.col(ORDER).isNull()

    @property
    def size(self) -> Column:
        """About how many bytes a row has where it is evaluated."""
        from pyspark.sql import functions as F

        return F.octet_length(QUERY) + F.octet_length(DOCUMENT) + F.lit(24)


def frame_of(given: DataFrame, name: str, settings: Settings, order_column: str | None = None) -> SparkRows:
    """The columns of a data frame that are read.

    Raises
    ------
    InputError
        For what is no data frame of Spark, and for a column that is not there or of a type that it cannot have.
    """
    from pyspark.sql import DataFrame

    any_kind: object = given
    if not isinstance(any_kind, DataFrame):
        fact = f"this is of type {type(given).__name__}"
        raise InputError(fact, name, "expected a DataFrame of Spark; irev.evaluate takes what is in memory")
    role = "grade" if name == JUDGMENTS else "rank" if settings.order == "rank" else "score"
    naming = Naming(("query", "document", role), column_names.chosen(settings, role), "columns={{'{role}': …}}")
    found = [naming.column(each, given.columns, name) for each in naming.roles]
    query, document = (
        _column(given, each, name, _IDS, "ids: strings, bytes, or whole numbers").cast("string").cast("binary")
        for each in found[:2]
    )
    number = _column(given, found[2], name, _NUMBERS, "numbers").cast("double")
    chosen = [query.alias(QUERY), document.alias(DOCUMENT), number.alias(ALIASES[role][0])]
    if order_column is not None and name == RUN:
        if order_column not in given.columns:
            there = ", ".join(map(brief, given.columns))
            raise InputError(f"there is no column {brief(order_column)}", name, f"order_column is one of {there}")
        whole = _column(given, order_column, name, _WHOLE, "whole numbers, the order of the rows of each query")
        chosen.append(whole.cast("long").alias(ORDER))
    in_bytes = given.schema[found[0]].dataType.typeName() == "binary"
    return SparkRows(name, given.select(*chosen), ALIASES[role][0], in_bytes=in_bytes)


def _column(given: DataFrame, column: str, name: str, kinds: set[str], expected: str) -> Column:
    """A column, which is of one of the types that it can have."""
    from pyspark.sql import functions as F

    if given.columns.count(column) > 1:
        raise InputError(f"there are {given.columns.count(column)} columns {brief(column)}", name, "rename one")
    kind = given.schema[column].dataType.typeName()
    if kind not in kinds:
        raise InputError(f"column {brief(column)} holds {kind}", name, f"expected a column of {expected}")
    escaped = column.replace("`", "``")
    return F.col(f"`{escaped}`")
