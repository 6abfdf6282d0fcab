"""Files and tables that Spark reads, called by their paths and names: TREC's lines, Parquet, and tables of a catalogue.

Lines are split and numbers read by the functions that read files elsewhere, on workers, so that they mean the same. A
line that cannot be used has no number here, as nobody has counted the lines before it: it is named as it stands.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from irev.arrow.columns import JUDGMENTS
from irev.base.records import dataclass
from irev.base.settings import Settings
from irev.base.text import decoded
from irev.errors import Faults, InputError, Problem, UsageError
from irev.reading import block, qrels
from irev.reading.columns import ALIASES
from irev.reading.fields import GRADES, Fields, Layout, split
from irev.reading.formats import JUDGMENTS as FORMATS
from irev.reading.formats.trec import LAYOUTS, layout_of
from irev.reading.ids import PAD, padded
from irev.reading.sources import BOM
from irev.spark.frames import DOCUMENT, QUERY, TAG, UNREADABLE, SparkRows, frame_of

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

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
        raise UsageError(f"{option} {kind} is not read by Spark here", path, remedy)
    if order_column is not None:
        raise UsageError(
            "lines have no columns, and no order once Spark has read them", path, "leave out --order-column"
        )
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
