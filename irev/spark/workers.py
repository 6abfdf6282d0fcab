"""What runs on workers: the kernel, called on a bucket of queries.

What a worker refuses becomes a row of its own, and not an exception: a task that fails is tried again by Spark, and
which of several fails first is chance. Of all that was refused whoever asked chooses the least.
"""

from __future__ import annotations

import json
from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

import numpy as np

from irev.base import segments
from irev.base.errors import InputError, IrevError, RowError, UsageError
from irev.base.records import dataclass
from irev.base.text import decoded, encoded
from irev.doors.tables.columns import JUDGMENTS
from irev.doors.tables.kernel import Kernel
from irev.evaluation.arithmetic import require_same
from irev.spark.frames import DOCUMENT, QUERY

if TYPE_CHECKING:
    import pyarrow

COUNTS = ("retrieved", "judged", "tied")
"""The columns behind the values: documents retrieved and judged among them, and whether a judged one ties."""

FAULT = "fault"
"""The column that has what was refused, and is null in rows of values."""


@dataclass(frozen=True, eq=False)
class Worker:
    """A kernel, and what it takes to give the same numbers as elsewhere.

    Attributes
    ----------
    kernel : Kernel
    arithmetic : str
        As `irev.arrow.arithmetic` gives it where the evaluation was begun.
    judgments, run : tuple of str
        The columns of both, beside which stands that of buckets.
    """

    kernel: Kernel
    arithmetic: str
    judgments: tuple[str, ...]
    run: tuple[str, ...]

    @property
    def schema(self) -> Any:
        """The schema of what comes out: the query, values in the order of the kernel's, counts, and a fault."""
        import pyarrow

        kinds = [field.type for field in self.kernel.schema][1:]
        columns = [(f"c{number}", kind) for number, kind in enumerate(kinds)]
        counts = [(name, pyarrow.int64()) for name in COUNTS]
        return pyarrow.schema([(QUERY, pyarrow.binary()), *columns, *counts, (FAULT, pyarrow.string())])

    @property
    def spark_schema(self) -> str:
        """The same as Spark writes it."""
        names = {"double": "double", "int64": "bigint", "string": "string", "binary": "binary"}
        return ", ".join(f"{field.name} {names[str(field.type)]}" for field in self.schema)

    def bucket(self, judged: pyarrow.Table, retrieved: pyarrow.Table) -> pyarrow.Table:
        """The values of each query of a bucket, or one row that says what is refused."""
        try:
            require_same(self.arithmetic, self.kernel.settings)
            return self._values(retrieved.select(list(self.run)), judged.select(list(self.judgments)))
        except IrevError as error:
            return self.refused(error)

    def with_judgments(self, rows: pyarrow.Table, judgments: pyarrow.Table) -> pyarrow.Table:
        """The same, given the judgments of all queries; a query without results has a row without a document."""
        from pyarrow import compute

        judged = judgments.filter(compute.is_in(judgments.column(QUERY), rows.column(QUERY).unique()))
        return self.bucket(judged, rows.filter(rows.column(DOCUMENT).is_valid()))

    def _values(self, run: pyarrow.Table, qrels: pyarrow.Table) -> pyarrow.Table:
        import pyarrow

        ranked, values = self.kernel.evaluated(run, qrels)
        judged = (ranked.grade >= 0) & (ranked.rank <= ranked.retrieved[ranked.owner])
        tied = np.zeros(ranked.size, dtype=np.int64)
        tied[ranked.owner[ranked.tie_first < ranked.tie_last]] = 1
        counts = [ranked.retrieved.astype(np.int64), segments.count_flagged(judged, ranked.owner, ranked.size), tied]
        columns = [*values.columns, *map(pyarrow.array, counts), pyarrow.nulls(ranked.size, pyarrow.string())]
        return pyarrow.table(columns, names=self.schema.names).cast(self.schema)

    def refused(self, error: IrevError) -> pyarrow.Table:
        """A row that says what is refused."""
        import pyarrow

        row = {name: [None] for name in self.schema.names} | {FAULT: [written(error)]}
        return pyarrow.table(row, schema=self.schema)


def written(error: IrevError) -> str:
    """What was refused, as text."""
    if isinstance(error, RowError):
        table, query, document, *rest = error.given
        return json.dumps(["row", table, decoded(query), decoded(document), *rest])
    return json.dumps(["usage" if isinstance(error, UsageError) else "input", error.fact, error.place, error.remedy])


def read_again(text: str) -> IrevError:
    """What `written` wrote."""
    kind, *parts = json.loads(text)
    if kind == "row":
        table, query, document, code, fact, remedy = parts
        return RowError(table, encoded(query), encoded(document), code, fact, remedy)
    return (UsageError if kind == "usage" else InputError)(*parts)


def least(faults: Iterable[str]) -> IrevError | None:
    """Of all that was refused, what does not depend on chance: rows of judgments first, each by query and document."""
    found = [read_again(text) for text in faults]
    rows = [error for error in found if isinstance(error, RowError)]
    if rows:
        return min(rows, key=lambda row: (row.given[0] != JUDGMENTS, row.query, row.document, row.code))
    return min(found, key=str, default=None)
