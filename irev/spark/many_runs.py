"""Runs at paths, evaluated with Spark one after the other: what ``python -m irev.spark eval`` shows."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace

from irev.arrow.columns import JUDGMENTS, RUN, require_order
from irev.base.records import dataclass
from irev.base.settings import Settings
from irev.base.text import decoded
from irev.errors import InputError, RowError, shown
from irev.evaluation.result import Outcome
from irev.measures import Request
from irev.ranking.ranking import LeftOut
from irev.reading.runs import tag_of
from irev.spark import plans
from irev.spark.evaluation import SparkEvaluation, evaluate_frames
from irev.spark.frames import TABLE, rows_at, session


@dataclass(frozen=True, eq=False)
class PathEvaluated:
    """What came of one run.

    Attributes
    ----------
    path, tag : str
    made : Outcome
        Its numbers, under the run id.
    left_out : LeftOut
    """

    path: str
    tag: str
    made: Outcome
    left_out: LeftOut

    def outcome(self, name: str) -> Outcome:
        """The numbers, under a name."""
        made = self.made
        return Outcome(name, made.qrels, made.scores, made.summary, made.facts)


def evaluate_paths(
    judgments: str,
    paths: Sequence[str],
    requests: Sequence[Request],
    settings: Settings,
    order_column: str | None,
    buckets: int | None,
    memory: int | None,
    *,
    per_query: bool,
    warn: Callable[[str], None],
) -> list[PathEvaluated]:
    """Evaluate every run; `memory` is in megabytes, and `warn` is told of run ids that differ."""
    require_order(settings, order_column)
    spark = session(spark_ui_showConsoleProgress="false")
    judged = rows_at(spark, judgments, JUDGMENTS, settings)
    named = {str(place): request for place, request in enumerate(requests)}
    found = []
    for path in paths:
        run = rows_at(spark, path, RUN, settings, order_column)
        allowed = plans.MEMORY if memory is None else memory << 20
        try:
            made = evaluate_frames(judged, run, named, settings, b"", buckets, allowed, None, cache=True)
        except RowError as error:
            table, query, document, code, fact, remedy = error.given
            raise RowError(path if table == RUN else judgments, query, document, code, fact, remedy) from None
        except InputError as error:
            error.place = {RUN: path, JUDGMENTS: judgments}.get(error.place, error.place)
            raise
        found.append(_evaluated(path, made, per_query, warn))
        made.unpersist()
    return found


def _evaluated(path: str, made: SparkEvaluation, per_query: bool, warn: Callable[[str], None]) -> PathEvaluated:
    tags = made.counts.tags
    tag = tags[0] if tags else tag_of(path.removeprefix(TABLE))
    if len(tags) > 1:
        differ = f"run ids differ, among them {shown(tags[-1])}"
        warn(f"{path}: {differ}; runid is the first one in byte order, {shown(tag)}, because rows have no order here")
    made = replace(made, tag=tag)
    scores, summary, facts, left_out = made.collected(per_query)
    return PathEvaluated(path, decoded(tag), Outcome(decoded(tag), "", scores, summary, facts), left_out)
