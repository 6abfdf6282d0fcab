"""Data frames of Spark: their columns found by name and type, and made what workers read: ids as bytes, and doubles."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
from collections.abc import Iterable, Iterator
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from irev.arrow.columns import JUDGMENTS, RUN
from irev.base.records import dataclass
from irev.base.settings import Settings
from irev.base.text import brief, decoded
from irev.errors import Faults, InputError, Problem, UsageError
from irev.reading import block, qrels
from irev.reading import columns as column_names
from irev.reading.columns import ALIASES, Naming
from irev.reading.fields import GRADES, Fields, Layout, split
from irev.reading.formats import JUDGMENTS as FORMATS
from irev.reading.formats.trec import LAYOUTS, layout_of
from irev.reading.ids import PAD, padded
from irev.reading.judgments import LARGEST
from irev.reading.sources import BOM

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


TABLE = "table:"
"""What stands before the name of a table of Spark, in place of a path."""


def rows_at(
    spark: SparkSession, path: str, name: str, settings: Settings, order_column: str | None = None
) -> SparkRows:
    """The judgments or the run at a path, or in a table.

    Parameters
    ----------
    spark : SparkSession
    path : str
        A path or an address that Spark reads, of one file or a folder of them, or ``table:NAME``. What ends in
        ``.parquet``, and is not said to be of another format, is Parquet, and anything else TREC's lines.
    name : str
        What it has, `JUDGMENTS` or `RUN`.
    settings : Settings
    order_column : str, optional
        Of a run.

    Raises
    ------
    UsageError
        For a format that Spark does not read here, and an order in lines, which have none once they are read.
    InputError
        For what is not there.
    """
    wanted = settings.qrels_format if name == JUDGMENTS else settings.run_format
    if path.startswith(TABLE):
        return frame_of(_there(lambda: spark.table(path.removeprefix(TABLE)), path), name, settings, order_column)
    kind = wanted or ("parquet" if path.rstrip("/").endswith(".parquet") else "trec")
    if kind == "parquet":
        given = frame_of(_there(lambda: spark.read.parquet(path), path), name, settings, order_column)
        return replace(given, path=path, forgeable=True)
    layouts = LAYOUTS[name == JUDGMENTS]
    if kind not in layouts:
        option = "--qrels-format" if name == JUDGMENTS else "--run-format"
        known = ", ".join([*layouts, "parquet"])
        remedy = f"choose {known}; `irev convert` makes them"
        if name == JUDGMENTS and kind in FORMATS and FORMATS[kind].kind.name != GRADES:
            remedy = f"`irev eval` reads judgments of {FORMATS[kind].kind.name}"
        raise UsageError(f"{option} {kind} is not supported on Spark", path, remedy)
    if order_column is not None:
        raise UsageError("lines have no columns, and Spark does not keep their order", path, "leave out --order-column")
    named = settings.qrels_columns if name == JUDGMENTS else settings.run_columns
    if named or settings.columns:
        raise UsageError(
            "lines have no columns with names", path, "leave out --columns, or name them for the other file"
        )
    lines = TrecLines(layout_of(layouts[kind], settings), name == JUDGMENTS, settings)
    read = _there(lambda: spark.read.text(path, lineSep="\n"), path)
    rows = read.selectExpr("cast(value as binary) as value").mapInArrow(lines.rows, lines.schema)
    return SparkRows(name, rows, lines.value, path)


def _there(read: Any, path: str) -> Any:
    """What a function of Spark reads; `InputError` where there is nothing."""
    from pyspark.errors import AnalysisException

    try:
        found = read()
        found.schema  # noqa: B018 - Spark Connect looks whether it is there when it is asked
    except AnalysisException as error:
        reason = str(error.getMessage() or error).partition("\n")[0]
        raise InputError(f"Spark cannot read it ({reason})", path) from None
    return found


@dataclass(frozen=True, eq=False)
class TrecLines:
    """What workers do with lines.

    Attributes
    ----------
    layout : Layout
    judgments : bool
        Whether these are judgments, or a run.
    settings : Settings
    """

    layout: Layout
    judgments: bool
    settings: Settings

    @property
    def value(self) -> str:
        """What the column of numbers is called."""
        by_rank = self.settings.order == "rank" or "score" not in self.layout.fields
        return ALIASES["grade" if self.judgments else "rank" if by_rank else "score"][0]

    @property
    def schema(self) -> str:
        """The columns, as Spark writes them."""
        return f"{QUERY} binary, {DOCUMENT} binary, {self.value} double, {TAG} binary, {UNREADABLE} string"

    def rows(self, batches: Iterable[Any]) -> Iterator[Any]:
        """Rows for lines, and for each line that cannot be used one that says so."""
        for batch in batches:
            yield self._of(batch.column(0).to_pylist())

    def _of(self, lines: list[bytes]) -> Any:
        import pyarrow

        data = b"\n".join([*lines, b""])
        text = padded(len(data))
        text[PAD : PAD + len(data)] = np.frombuffer(data, dtype=np.uint8)
        fields = split(text, PAD, PAD + len(data), self.layout, len(lines))
        value, problems = self._numbers(text, fields)
        problems += _marked(lines)
        usable = ~np.isnan(value)

        def column(name: str) -> list[bytes]:
            if name not in self.layout.fields:
                return [b""] * int(usable.sum())
            start, stop = (each[usable] - PAD for each in fields.span(name))
            return [data[begin:end] for begin, end in zip(start.tolist(), stop.tolist(), strict=True)]

        wrong = [written(lines[problem.line - 1], problem) for problem in problems]
        empty: list[Any] = [None] * len(wrong)
        rows = {
            QUERY: pyarrow.array(column("query") + empty, pyarrow.binary()),
            DOCUMENT: pyarrow.array(column("document") + empty, pyarrow.binary()),
            self.value: pyarrow.array([*value[usable].tolist(), *empty], pyarrow.float64()),
            TAG: pyarrow.array(column("tag") + empty, pyarrow.binary()),
            UNREADABLE: pyarrow.array([None] * int(usable.sum()) + wrong, pyarrow.string()),
        }
        return pyarrow.RecordBatch.from_pydict(rows)

    def _numbers(self, text: Any, fields: Fields) -> tuple[npt.NDArray[np.float64], list[Problem]]:
        """The number of each row, NaN where it is none, and all that is wrong with these lines."""
        if self.judgments:
            faults = Faults(fields.lines)
            value = qrels.grades(text, fields, fields.lines_of(np.arange(fields.rows)), self.settings, faults)
            return value, [*fields.faults.problems, *faults.problems]
        number = block.ordering(text, fields, self.settings)
        if number.uncertain is not None:
            number.settle(np.flatnonzero(number.uncertain))
        value = -number.value if self.value == "rank" else number.value.copy()
        value[number.bad] = np.nan
        return value, list(fields.faults.problems)


def _marked(lines: list[bytes]) -> list[Problem]:
    """A byte order mark before a line would be a part of its query id; where a file begins is not known."""
    fact = "the line begins with a byte order mark, which would be part of the query id"
    return [
        Problem(place, "E109", fact, "write the file as UTF-8 without one")
        for place, line in enumerate(lines, start=1)
        if line.startswith(BOM)
    ]


def written(line: bytes, problem: Problem) -> str:
    """A line that cannot be used, and what is wrong with it, as text that orders by the line."""
    return json.dumps([decoded(line[:1000]), problem.code, problem.fact, problem.remedy])
