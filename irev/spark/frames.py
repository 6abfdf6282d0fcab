"""Data frames of Spark: their columns found by name and type, and made what workers read: ids as bytes, and doubles."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from typing import TYPE_CHECKING, Any

from irev.arrow.tables import JUDGMENTS, RUN
from irev.base.errors import InputError
from irev.base.records import dataclass
from irev.base.settings import Settings
from irev.base.text import brief
from irev.reading.columns import ALIASES, Naming
from irev.reading.judgments import LARGEST

if TYPE_CHECKING:
    from pyspark.sql import Column, DataFrame, SparkSession

JAVA = 17
"""The oldest Java that Spark 4 runs on."""


def session(**choices: str) -> SparkSession:
    """The session that there is, or a new one.

    Workers of a new one run the Python that runs here, unless PYSPARK_PYTHON names another. Whoever makes a session
    without this function sets that variable before.

    Parameters
    ----------
    **choices
        Settings of Spark for a new one, with underscores for the dots of their names: ``spark_master="local[4]"``.

    Raises
    ------
    InputError
        Where pyspark is missing, and where Java is, or is older than 17.
    """
    require_pyspark()
    from pyspark.sql import SparkSession

    os.environ.setdefault("PYSPARK_PYTHON", sys.executable)
    active = SparkSession.getActiveSession()
    if active is not None:
        return active
    remote = os.environ.get("SPARK_REMOTE") or choices.get("spark_remote")
    if not remote or remote.startswith("local"):
        require_java()
    builder: Any = SparkSession.builder.appName("irev")
    for name, value in choices.items():
        builder = builder.config(name.replace("_", "."), value)
    made: SparkSession = builder.getOrCreate()
    return made


def require_pyspark() -> None:
    """Raise `InputError` where pyspark or pyarrow is missing or too old."""
    try:
        import pyarrow  # noqa: F401
        import pyspark
    except ImportError as error:
        raise InputError(
            f"{error.name} is needed to evaluate on Spark", remedy="pip install 'pyspark>=4.0' pyarrow"
        ) from None
    if int(pyspark.__version__.partition(".")[0]) < 4:
        fact = f"Spark 4.0 or later is needed, and pyspark is {pyspark.__version__}"
        raise InputError(fact, remedy="pip install 'pyspark>=4.0' pyarrow")


def require_java() -> None:
    """Raise `InputError` where there is no Java, or one that is too old."""
    remedy = f"install Java {JAVA} or newer, for example openjdk-{JAVA}-jre-headless, or set JAVA_HOME"
    home = os.environ.get("JAVA_HOME")
    program = os.path.join(home, "bin", "java") if home else shutil.which("java")
    try:
        said = subprocess.run(
            [program or "", "-version"], capture_output=True, text=True, check=True, timeout=60
        ).stderr
    except (OSError, subprocess.SubprocessError):
        where = f" in JAVA_HOME, {home}" if home else ""
        raise InputError(f"Spark needs Java {JAVA} or newer, and there is none{where}", remedy=remedy) from None
    found = re.search(r'version "(1\.)?(\d+)', said)
    if found is not None and int(found[2]) < JAVA:
        raise InputError(f"Spark needs Java {JAVA} or newer, and {program} is Java {found[2]}", remedy=remedy)


QUERY, DOCUMENT = ALIASES["query"][0], ALIASES["document"][0]
ORDER = "row_order"
"""What the column is called that has the order of rows."""

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
    in_bytes : bool
        Whether ids of queries were handed in as bytes.
    """

    name: str
    rows: DataFrame
    value: str
    in_bytes: bool = False

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
    naming = Naming(("query", "document", role), settings.columns_of(role), given=settings.columns)
    names = naming.among(given.columns, name)
    if role not in names:  # ranks do, elsewhere
        raise naming.missing([role], given.columns, name)
    found = [*names.values()]
    query, document = (
        _column(given, each, name, _IDS, "ids: strings, bytes, or whole numbers").cast("string").cast("binary")
        for each in found[:2]
    )
    number = _column(given, found[2], name, _NUMBERS, "numbers").cast("double")
    chosen = [query.alias(QUERY), document.alias(DOCUMENT), number.alias(ALIASES[role][0])]
    if order_column is not None and name == RUN:
        if order_column not in given.columns:
            there = ", ".join(map(brief, given.columns))
            raise InputError(f"there is no column {brief(order_column)}", name, f"the columns are {there}")
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
