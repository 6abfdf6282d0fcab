"""Plans: how rows of a query come together on a worker.

``buckets`` cuts queries by their hashes into some buckets of about a million rows, each of which one call of the kernel
takes whole: the fewest and largest calls. ``stream`` sorts rows by query and evaluates them as they pass, a million at
a time: memory follows the largest query, and not the bucket, for a sort of all rows, which Spark does on disk where it
must. The second is taken where a bucket would need more memory than was stated.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

from irev.base.text import decoded
from irev.errors import InputError, UsageError
from irev.spark.counts import FirstPass
from irev.spark.frames import QUERY, SparkRows
from irev.spark.workers import KIND, Worker

if TYPE_CHECKING:
    from pyspark.sql import Column, DataFrame

ROWS = 1_000_000
"""About how many rows a bucket has, unless their number is given."""

MEMORY = 1 << 30
"""Bytes that a worker may need for the rows that it evaluates together."""

OVERHEAD = 6
"""How many times the bytes of rows their evaluation takes, at most: 2.3 for a bucket of a million rows and 4.6 for a
fifth of that were measured (`benchmarks/on_spark.py`), and Spark hands rows over in copies."""

BROADCAST = 1_000_000
"""Judged queries of which each worker can have a list."""

PLANS = ("buckets", "stream")


def bucket_of(buckets: int) -> Column:
    """The bucket of a row."""
    from pyspark.sql import functions as F

    return F.pmod(F.xxhash64(QUERY), F.lit(buckets))


def planned(counts: FirstPass, buckets: int | None, memory: int, plan: str | None) -> tuple[str, int]:
    """The plan, and how many buckets it has.

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
    buckets = buckets or max(1, math.ceil(counts.rows / ROWS))
    if plan is not None:
        return plan, buckets
    of_query = F.coalesce("judged_bytes", F.lit(0)) + F.coalesce("result_bytes", F.lit(0))
    by_bucket = counts.by_query.groupBy(bucket_of(buckets).alias("bucket")).agg(F.sum(of_query).alias("size"))
    largest = by_bucket.agg(F.max("size")).collect()[0][0] or 0
    return PLANS[largest * OVERHEAD > memory], buckets


def require_plan(plan: str | None) -> None:
    """Raise `UsageError` for a plan that there is not."""
    if plan is not None and plan not in PLANS:
        raise UsageError(f"{plan!r} is no value of plan", remedy=f"expected one of {', '.join(map(repr, PLANS))}")


def judged_alone(run: SparkRows, counts: FirstPass) -> DataFrame:
    """The results of judged queries."""
    from pyspark.sql import functions as F

    if not counts.not_judged:
        return run.read
    judged = counts.by_query.filter(F.col("judgments").isNotNull()).select(QUERY)
    # Where the list can be everywhere, rows are dropped before they are sent.
    return run.read.join(F.broadcast(judged) if counts.facts.queries <= BROADCAST else judged, QUERY, "left_semi")


def evaluated(judgments: DataFrame, run: DataFrame, worker: Worker, plan: str, buckets: int) -> DataFrame:
    """The values of each query, and what is refused, in no order."""
    from pyspark.sql import functions as F

    if plan == "buckets":
        both: Any = [rows.withColumn("bucket", bucket_of(buckets)) for rows in (judgments, run)]
        together = both[0].groupBy("bucket").cogroup(both[1].groupBy("bucket"))
        # A function of two arguments: Spark counts them, and a method has another one.
        made: DataFrame = together.applyInArrow(lambda left, right: worker.bucket(left, right), worker.spark_schema)
        return made
    rows = judgments.withColumn(KIND, F.lit(0)).unionByName(run.withColumn(KIND, F.lit(1)), allowMissingColumns=True)
    return rows.repartition(buckets, QUERY).sortWithinPartitions(QUERY).mapInArrow(worker.stream, worker.spark_schema)
