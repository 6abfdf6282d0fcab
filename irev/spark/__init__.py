"""Evaluation on Spark (4.0 or later): tables of judgments and of a run in, the numbers of ``irev eval`` out, to the
last bit, however many workers there are.

    import irev.spark
    found = irev.spark.evaluate(qrels, run, ["nDCG@10", "AP"])
    found.mean()["nDCG@10"], found.per_query

Rows are brought together by query in buckets, each is evaluated by `irev.arrow`, and the values for all queries are
folded here in the order of the queries. It calls nothing but functions of data frames, so that Spark Connect will do.
Needs pyspark and pyarrow, here and on the workers, and irev on these too.
"""

from irev.spark.evaluation import SparkEvaluation, evaluate
from irev.spark.frames import session

__all__ = ["SparkEvaluation", "evaluate", "session"]
