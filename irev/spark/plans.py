"""What judgments and run have, how rows of a query come together on a worker, and what runs there.

Both are counted in a first pass. Rows come together in buckets of about a million, by the hashes of queries, each of
which one call of the kernel takes whole. Buckets are smaller where one would need more memory than was stated.

What a worker refuses becomes a row of its own, and not an exception: a task that fails is tried again by Spark, and
which of several fails first is chance. Of all that was refused whoever asked chooses the least.
"""

from __future__ import annotations

import json
import math
from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

import numpy as np
import pyarrow
from pyarrow import compute

from irev.arrow.tables import JUDGMENTS, Kernel, QrelsFacts
from irev.base import segments
from irev.base.errors import InputError, IrevError, RowError, UsageError
from irev.base.records import dataclass
from irev.base.settings import Settings
from irev.base.text import decoded, encoded
from irev.base.workers import require_same
from irev.spark.frames import DOCUMENT, QUERY, SparkRows

if TYPE_CHECKING:
    from pyspark.sql import Column, DataFrame


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

        judged = judgments.filter(compute.is_in(judgments.column(QUERY), rows.column(QUERY).unique()))
        return self.bucket(judged, rows.filter(rows.column(DOCUMENT).is_valid()))

    def _values(self, run: pyarrow.Table, qrels: pyarrow.Table) -> pyarrow.Table:
        ranked, values = self.kernel.evaluated(run, qrels)
        judged = (ranked.grade >= 0) & (ranked.rank <= ranked.retrieved[ranked.owner])
        tied = np.zeros(ranked.size, dtype=np.int64)
        tied[ranked.owner[ranked.tie_first < ranked.tie_last]] = 1
        counts = [ranked.retrieved.astype(np.int64), segments.count_flagged(judged, ranked.owner, ranked.size), tied]
        columns = [*values.columns, *map(pyarrow.array, counts), pyarrow.nulls(ranked.size, pyarrow.string())]
        return pyarrow.table(columns, names=self.schema.names).cast(self.schema)

    def refused(self, error: IrevError) -> pyarrow.Table:
        """A row that says what is refused."""
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


# How rows come together


@dataclass(frozen=True, eq=False)
class FirstPass:
    """What judgments and run have.

    Attributes
    ----------
    by_query : DataFrame
        A row for each query of either: rows, bytes, and whether it is judged and retrieved.
    facts : QrelsFacts
    rows : int
        Rows of both that are evaluated.
    results : int
        Rows of the run.
    not_retrieved, not_judged, both : int
        Queries that only the judgments have, that only the run has, and that both have.
    judgments_wrong, run_wrong : int
        Rows that are none.
    grades : tuple of float
        The highest grade of the queries that count, and the highest other than 0 and 1, where there are any.
    lacking : float or None
        The lowest grade that is given no gain, where gains are given.
    largest : tuple of (int, bytes, int)
        Of the largest query the bytes, the id, and the rows.
    """

    by_query: DataFrame
    facts: QrelsFacts
    rows: int
    results: int
    not_retrieved: int
    not_judged: int
    both: int
    judgments_wrong: int
    run_wrong: int
    grades: tuple[float, ...]
    lacking: float | None
    largest: tuple[int, bytes, int]


def counted(judgments: SparkRows, run: SparkRows, settings: Settings, cache: bool) -> FirstPass:
    """Count both."""
    from pyspark.sql import functions as F

    grade: Any = F.col(judgments.value)
    grade = F.greatest(grade, F.lit(0.0)) if settings.negative == "nonrelevant" else grade
    wrong = judgments.wrong | (grade < 0) if settings.negative == "error" else judgments.wrong
    given = [gain for gain, _ in settings.gains or ()]
    judged = judgments.rows.groupBy(QUERY).agg(
        F.count("*").alias("judgments"),
        F.sum(judgments.size).alias("judged_bytes"),
        F.count_if(grade > 0).alias("positive"),
        F.max(grade).alias("highest"),
        F.max(F.when((grade >= 0) & ~grade.isin([0.0, 1.0]), grade)).alias("other"),
        F.min(F.when((grade >= 0) & ~grade.isin(given), grade)).alias("lacking"),
        F.count_if(wrong).alias("judgments_wrong"),
    )
    retrieved = run.rows.groupBy(QUERY).agg(
        F.count("*").alias("results"),
        F.sum(run.size).alias("result_bytes"),
        F.count_if(run.wrong).alias("run_wrong"),
    )
    by_query = judged.join(retrieved, QUERY, "full_outer")
    if cache:
        by_query = by_query.persist()
    is_judged, is_retrieved = F.col("judgments").isNotNull(), F.col("results").isNotNull()
    counts: Any = is_judged if settings.complete else is_judged & is_retrieved
    rows = F.coalesce("judgments", F.lit(0)) + F.coalesce("results", F.lit(0))
    evaluated = is_judged if settings.queries != "run" else is_judged | is_retrieved
    found = by_query.agg(
        F.count_if(is_judged).alias("queries"),
        F.sum("judgments").alias("judgments"),
        F.sum("positive").alias("positive"),
        F.max("highest").alias("highest"),
        F.max(F.when(counts, F.col("highest"))).alias("highest_counting"),
        F.max(F.when(counts, F.col("other"))).alias("other"),
        F.min("lacking").alias("lacking"),
        F.sum("judgments_wrong").alias("judgments_wrong"),
        F.sum("run_wrong").alias("run_wrong"),
        F.sum("results").alias("results"),
        F.sum(F.when(evaluated, rows)).alias("rows"),
        F.count_if(is_judged & ~is_retrieved).alias("not_retrieved"),
        F.count_if(~is_judged & is_retrieved).alias("not_judged"),
        F.count_if(is_judged & is_retrieved).alias("both"),
        F.max(F.when(evaluated, F.struct(_bytes().alias("size"), F.col(QUERY).alias("of"), rows.alias("rows")))).alias(
            "largest"
        ),
    ).collect()[0]
    largest = found["largest"]
    grades = (found["highest_counting"], found["other"])
    return FirstPass(
        by_query,
        QrelsFacts(
            found["queries"],
            found["judgments"] or 0,
            found["positive"] or 0,
            -math.inf if found["highest"] is None else found["highest"],
        ),
        found["rows"] or 0,
        found["results"] or 0,
        found["not_retrieved"],
        found["not_judged"],
        found["both"],
        found["judgments_wrong"] or 0,
        found["run_wrong"] or 0,
        tuple(grade for grade in grades if grade is not None and not math.isnan(grade)),
        found["lacking"] if settings.gains is not None else None,
        (0, b"", 0) if largest is None else (largest["size"], bytes(largest["of"] or b""), largest["rows"]),
    )


ROWS = 1_000_000
"""About how many rows a bucket has, unless their number is given."""

MEMORY = 1 << 30
"""Bytes that a worker may need for the rows that it evaluates together."""

OVERHEAD = 6
"""How many times the bytes of rows their evaluation takes, at most: 2.3 for a bucket of a million rows and 4.6 for a
fifth of that were measured (`benchmarks/on_spark.py`), and Spark hands rows over in copies."""

MOST = 1 << 20
"""Buckets, at most, unless more are wanted; that queries still share one then is chance."""

BROADCAST = 1_000_000
"""Judged queries of which each worker can have a list, and judgments that each can have."""

LOOKED_THROUGH = 100_000_000
"""Judgments that are looked through for their buckets, at most, where each worker has them; that takes a second."""


def bucket_of(buckets: int) -> Column:
    """The bucket of a row."""
    from pyspark.sql import functions as F

    return F.pmod(F.xxhash64(QUERY), F.lit(buckets))


def number_of_buckets(counts: FirstPass, least: int | None, memory: int, settings: Settings) -> int:
    """As many buckets as are wanted, `least`, or more: until the largest needs no more memory than was stated.

    Raises
    ------
    InputError
        For a query that needs more memory than was stated on its own.
    """
    from pyspark.sql import functions as F

    largest, query, rows = counts.largest
    if largest * OVERHEAD > memory:
        raise InputError(
            f"query {decoded(query)!r} has {rows} rows, which take {largest * OVERHEAD} bytes of memory to evaluate,"
            f" and {memory} are allowed",
            remedy="allow more, memory=, or cut the results of each query first",
        )
    buckets = least or max(1, math.ceil(counts.rows / ROWS))
    cells = buckets << max((MOST // buckets).bit_length() - 1, 0)
    evaluated = counts.by_query if settings.queries == "run" else counts.by_query.filter("judgments is not null")
    by_cell = evaluated.groupBy(bucket_of(cells).alias("cell")).agg(F.sum(_bytes()).alias("size")).toArrow()
    size = np.zeros(cells, dtype=np.int64)
    size[by_cell.column("cell").to_numpy()] = by_cell.column("size").to_numpy()
    # A bucket has the cells whose numbers leave its own number when they are divided by how many there are.
    while buckets < cells and size.reshape(-1, buckets).sum(axis=0).max() * OVERHEAD > memory:
        buckets *= 2
    return buckets


def _bytes() -> Any:
    """The bytes of the rows of a query."""
    from pyspark.sql import functions as F

    return F.coalesce("judged_bytes", F.lit(0)) + F.coalesce("result_bytes", F.lit(0))


def judged_alone(run: SparkRows, counts: FirstPass) -> DataFrame:
    """The results of judged queries."""
    from pyspark.sql import functions as F

    if not counts.not_judged:
        return run.rows
    judged = counts.by_query.filter(F.col("judgments").isNotNull()).select(QUERY)
    # Where the list can be everywhere, rows are dropped before they are sent.
    return run.rows.join(F.broadcast(judged) if counts.facts.queries <= BROADCAST else judged, QUERY, "left_semi")


def evaluated(judgments: DataFrame, run: DataFrame, worker: Worker, buckets: int, counts: FirstPass) -> DataFrame:
    """The values of each query, and what is refused, in no order."""
    from pyspark.sql import functions as F

    if (many := counts.facts.judgments) <= BROADCAST and many * buckets <= LOOKED_THROUGH:
        # Each worker has the judgments, so that only the run is sent, and with it queries without results.
        table = judgments.toArrow()
        if counts.not_retrieved:
            absent = counts.by_query.filter(F.col("results").isNull()).select(QUERY)
            run = run.unionByName(absent, allowMissingColumns=True)
        grouped: Any = run.groupBy(bucket_of(buckets))
        return grouped.applyInArrow(lambda rows: worker.with_judgments(rows, table), worker.spark_schema)
    both: Any = [rows.withColumn("bucket", bucket_of(buckets)) for rows in (judgments, run)]
    together = both[0].groupBy("bucket").cogroup(both[1].groupBy("bucket"))
    # A function of two arguments: Spark counts them, and a method has another one.
    made: DataFrame = together.applyInArrow(lambda left, right: worker.bucket(left, right), worker.spark_schema)
    return made
