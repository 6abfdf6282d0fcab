"""How rows of a query come together on a worker: in buckets of about a million rows, by the hashes of queries, each of
which one call of the kernel takes whole. Buckets are smaller where one would need more memory than was stated.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

from irev.base.errors import InputError
from irev.base.records import dataclass
from irev.base.settings import Settings
from irev.base.text import decoded
from irev.doors.tables.columns import QrelsFacts
from irev.spark.frames import QUERY, SparkRows
from irev.spark.workers import Worker

if TYPE_CHECKING:
    from pyspark.sql import Column, DataFrame


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
    unjudged_rows : int
        Results of queries without judgments.
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
    unjudged_rows: int
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
    size = F.coalesce("judged_bytes", F.lit(0)) + F.coalesce("result_bytes", F.lit(0))
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
        F.sum(F.when(~is_judged, F.col("results"))).alias("unjudged_rows"),
        F.sum(F.when(evaluated, rows)).alias("rows"),
        F.count_if(is_judged & ~is_retrieved).alias("not_retrieved"),
        F.count_if(~is_judged & is_retrieved).alias("not_judged"),
        F.count_if(is_judged & is_retrieved).alias("both"),
        F.max(F.when(evaluated, F.struct(size.alias("size"), F.col(QUERY).alias("of"), rows.alias("rows")))).alias(
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
        found["unjudged_rows"] or 0,
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

MOST = 1 << 24
"""Buckets, at most; that queries still share one then is chance."""

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

    size, query, rows = counts.largest
    if size * OVERHEAD > memory:
        raise InputError(
            f"query {decoded(query)!r} has {rows} rows, which take {size * OVERHEAD} bytes of memory to evaluate, and"
            f" {memory} are allowed",
            remedy="allow more, memory=, or cut the results of each query first",
        )
    buckets = least or max(1, math.ceil(counts.rows / ROWS))
    evaluated = counts.by_query if settings.queries == "run" else counts.by_query.filter("judgments is not null")
    of_query = F.coalesce("judged_bytes", F.lit(0)) + F.coalesce("result_bytes", F.lit(0))
    while True:
        by_bucket = evaluated.groupBy(bucket_of(buckets).alias("bucket")).agg(F.sum(of_query).alias("size"))
        largest = by_bucket.agg(F.max("size")).collect()[0][0] or 0
        if largest * OVERHEAD <= memory or buckets >= MOST:
            return buckets
        buckets *= 2


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
