"""Evaluation on Spark (4.0 or later): tables of judgments and of a run in, the numbers of ``irev eval`` out, to the
last bit, however many workers there are.

    import irev.spark
    found = irev.spark.evaluate(qrels, run, ["nDCG@10", "AP"])
    found.mean()["nDCG@10"], found.per_query

Rows are brought together by query in buckets, each is evaluated by `irev.arrow`, and the values for all queries are
folded here in the order of the queries. It calls nothing but functions of data frames, so that Spark Connect will do.
Needs pyspark and pyarrow, here and on the workers, and irev on these too.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import replace
from typing import TYPE_CHECKING, Any, Unpack, cast

import numpy as np
import pyarrow

from irev.api.evaluation import Evaluation
from irev.api.options import Options, requests_by_name, settings_of, whole_number
from irev.arrow.tables import JUDGMENTS, RUN, Fold, Kernel, QrelsFacts, earliest_fault, read_columns, require_order
from irev.arrow.tables import QUERY as OF_KERNEL
from irev.base.errors import InputError, decimal
from irev.base.records import cached_property, dataclass
from irev.base.settings import Settings
from irev.base.text import encoded
from irev.base.workers import arithmetic_of
from irev.evaluation.result import Facts
from irev.evaluation.scores import Summary
from irev.measures import Request
from irev.ranking import ranking
from irev.ranking.ranking import LeftOut
from irev.spark import plans
from irev.spark.frames import DOCUMENT, ORDER, QUERY, SparkRows, frame_of, require_pyspark, session
from irev.spark.plans import COUNTS, FAULT, FirstPass, Worker, counted, least

if TYPE_CHECKING:
    from pyspark.sql import DataFrame

    from irev.base.errors import RowError

__all__ = ["SparkEvaluation", "evaluate", "session"]


def evaluate(
    qrels: DataFrame,
    run: DataFrame,
    measures: str | Iterable[str] = (),
    *,
    order_column: str | None = None,
    tag: str = "run",
    buckets: int | None = None,
    memory: int = plans.MEMORY,
    cache: bool = True,
    **options: Unpack[Options],
) -> SparkEvaluation:
    """Evaluate a run against judgments, both tables of Spark; the values of queries stay there.

    Parameters
    ----------
    qrels : pyspark.sql.DataFrame
        Columns of queries, documents and grades, called as ``docs/formats.md`` says, or as `columns` does. Ids are
        strings, bytes, or whole numbers, which are their decimal digits.
    run : pyspark.sql.DataFrame
        Columns of queries, documents, and scores or ranks.
    measures : str or iterable of str
        As after ``-m``; none at all means ``official``.
    order_column : str, optional
        A column of the run with whole numbers that order the rows of each query: what ``order="file"``,
        ``ties="file"`` and ``duplicates="first"`` go by, which are refused without, as a shuffle keeps no order.
    tag : str
        What the run is called.
    buckets : int, optional
        Into how many parts queries are cut, at least; as many as have about a million rows each unless given. Numbers
        do not depend on it.
    memory : int
        Bytes that a worker may need for the rows that it evaluates together, 1 GiB unless given. Where a bucket would
        need more, there are more of them; a query that needs more on its own is refused.
    cache : bool
        Whether values are kept by Spark, `DataFrame.persist`, until `SparkEvaluation.unpersist`. Without, they are
        computed again each time they are asked for; serverless Spark may refuse to keep any.
    **options
        See `irev.Options`; `queries` that are listed or "relevant" are refused.

    Raises
    ------
    UsageError
        For a measure or a choice that does not exist, or that these data do not suit.
    InputError
        For tables without these columns, that share no query, or with a row that is none (`irev.RowError`, the
        least of those by query and document); for a query that is too large; where pyspark is missing.
    """
    require_pyspark()
    settings = settings_of(options)
    named = requests_by_name(measures, settings.compat)
    if buckets is not None:
        whole_number("buckets", buckets, 1)
    require_order(settings, order_column)
    judged, retrieved = frame_of(qrels, JUDGMENTS, settings), frame_of(run, RUN, settings, order_column)
    ordered = None if order_column is None else ORDER
    local = replace(settings, columns=(), strict=False)
    Kernel(named, local, QrelsFacts(), ordered)  # what is refused of any data
    counts = counted(judged, retrieved, settings, cache)
    _require_sound(judged, retrieved, counts, settings)
    kernel = Kernel(named, local, counts.facts, ordered)
    _rehearse(kernel, counts)
    buckets = plans.number_of_buckets(counts, buckets, memory, settings)
    rows = retrieved.rows if settings.queries == "run" else plans.judged_alone(retrieved, counts)
    worker = Worker(kernel, arithmetic_of(settings), tuple(judged.rows.columns), tuple(retrieved.rows.columns))
    values = plans.evaluated(judged.rows, rows, worker, buckets, counts)
    if cache:
        values = values.persist()
    error = least(row[FAULT] for row in values.filter(f"{FAULT} is not null").select(FAULT).collect())
    if error is not None:
        raise error
    in_bytes = judged.in_bytes or retrieved.in_bytes
    return SparkEvaluation(named, settings, counts, kernel, encoded(tag), buckets, values, in_bytes)


def _require_sound(judgments: SparkRows, run: SparkRows, counts: FirstPass, settings: Settings) -> None:
    """Raise `InputError` for what is wrong with judgments or run, as far as the first pass has seen it."""
    for frame, wrong in ((judgments, counts.judgments_wrong), (run, counts.run_wrong)):
        if wrong:
            raise _wrong_row(frame, settings)
    if not counts.facts.judgments:
        raise InputError("there are no judgments", JUDGMENTS)
    if not counts.results:
        raise InputError("there are no results", RUN)
    if counts.lacking is not None:
        fact = f"grade {decimal(counts.lacking)} has no gain"
        raise InputError(fact, JUDGMENTS, f"add {decimal(counts.lacking)}=… to gains")
    if not counts.both and not (settings.complete and not settings.single_precision):
        raise ranking.no_common_query(
            judgments.name, _queries(counts, True, 1)[0], run.name, _queries(counts, False, 1)[0]
        )
    if settings.strict:
        ranking.require_none_left_out(_left_out(counts, settings), RUN, settings)


def _wrong_row(frame: SparkRows, settings: Settings) -> InputError:
    """What is wrong with the least of the rows that are none."""
    from pyspark.sql import functions as F

    wrong: Any = frame.wrong
    if frame.name == JUDGMENTS and settings.negative == "error":
        wrong = wrong | (F.col(frame.value) < 0)
    ids = [F.coalesce(name, F.lit(b"")) for name in (QUERY, DOCUMENT)]
    rows = frame.rows.filter(wrong).orderBy(*ids, frame.value).limit(1).toArrow()
    local = replace(settings, columns=())
    fault = earliest_fault(read_columns(rows, frame.name, local, ORDER if ORDER in rows.column_names else None), local)
    return cast("RowError", fault)  # `wrong` and `earliest_fault` apply the same rules


def _queries(counts: FirstPass, judged: bool, most: int | None = None) -> list[bytes]:
    """Queries that only the judgments have, or only the run, in the order of their bytes."""
    from pyspark.sql import functions as F

    there, absent = ("judgments", "results") if judged else ("results", "judgments")
    found = counts.by_query.filter(F.col(there).isNotNull() & F.col(absent).isNull()).select(QUERY).orderBy(QUERY)
    return [bytes(row[0]) for row in (found if most is None else found.limit(most)).collect()]


def _left_out(counts: FirstPass, settings: Settings) -> LeftOut:
    return LeftOut(
        tuple(_queries(counts, True)) if counts.not_retrieved else (),
        tuple(_queries(counts, False)) if counts.not_judged else (),
        not_retrieved_count=settings.complete,
        not_judged_count=settings.queries == "run",
    )


def _rehearse(kernel: Kernel, counts: FirstPass) -> None:
    """Raise what the kernel raises of grades such as there are, before anything is sent: so it depends on no bucket."""
    grades = counts.grades or (0.0,)
    judged = pyarrow.table(
        {"query_id": ["q"] * len(grades), "doc_id": [f"d{place}" for place in range(len(grades))], "relevance": grades}
    )
    role = "rank" if kernel.settings.order == "rank" else "score"
    retrieved = pyarrow.table({"query_id": ["q"], "doc_id": ["d0"], role: [1.0], ORDER: [1]})
    kernel.table(retrieved, judged)


TOGETHER = 1 << 17
"""Queries whose values come to the driver at a time, roughly."""


@dataclass(frozen=True, eq=False, repr=False)
class SparkEvaluation:
    """The scores of one run, of which those of queries stay with Spark.

    Measures are called as in `irev.Evaluation`.

    Attributes
    ----------
    settings : Settings
        How it was evaluated.
    counts : FirstPass
        What the first pass found.
    tag : bytes
    buckets : int
    """

    _named: dict[str, Request]
    settings: Settings
    counts: FirstPass
    _kernel: Kernel
    tag: bytes
    buckets: int
    _values: DataFrame
    _in_bytes: bool = False

    @property
    def measures(self) -> tuple[str, ...]:
        """What was evaluated, in the order asked for."""
        return tuple(self._named)

    @property
    def facts(self) -> QrelsFacts:
        """What is true of all judgments."""
        return self.counts.facts

    @cached_property
    def per_query(self) -> DataFrame:
        """A row for each query, named in the column ``query``, and a column for each measure, in no order.

        Queries are strings, or bytes where judgments or run had them in bytes.
        """
        from pyspark.sql import functions as F

        names = self._kernel.schema.names
        query = F.col(QUERY) if self._in_bytes else F.col(QUERY).cast("string")
        chosen = [query.alias(OF_KERNEL)]
        for place, name in enumerate(names[1:]):
            if name in self._named:
                chosen.append(F.col(f"c{place}").alias(name))
        return self._values.select(*chosen)

    def tables(self) -> Iterator[pyarrow.Table]:
        """What the kernel gave, in the order of the queries' bytes, as tables of some thousand queries each.

        Read as a stream: no more than a partition of Spark is here at a time.
        """
        for table in self._stream():
            yield table.select(self._kernel.schema.names)

    def _stream(self) -> Iterator[pyarrow.Table]:
        """The same with counts."""
        counts = self.counts
        parts = 1 + (counts.both + counts.not_retrieved + counts.not_judged) // TOGETHER
        # As `orderBy`, but in parts that the driver can hold, however few Spark would make of them.
        ordered = self._values.drop(FAULT).repartitionByRange(parts, QUERY).sortWithinPartitions(QUERY)
        packed = ordered.mapInArrow(_packed, "packed binary")
        names = [OF_KERNEL, *self._kernel.schema.names[1:], *COUNTS]
        for row in packed.toLocalIterator():
            table = pyarrow.ipc.open_stream(bytes(row[0])).read_all()
            yield table.rename_columns(names)

    @cached_property
    def _folded(self) -> Fold:
        fold = Fold.of(self._named, self.settings, self.facts, self.tag)
        for table in self._stream():
            fold.add(table)
        return fold

    @property
    def summary(self) -> Summary:
        """The values for all queries."""
        return self._folded.summary

    @property
    def queries(self) -> int:
        """How many queries the averages divide by."""
        return self._folded.scores().considered

    def mean(self) -> dict[str, float]:
        """The value for all queries of each measure, as `irev.Evaluation.mean` gives it, to the last bit.

        Values are added here, in the order of the queries' bytes, as they come from Spark: memory does not grow with
        the number of queries, unless an aggregate looks at all of them together (``agg=median``).
        """
        return self._folded.mean()

    def result(self) -> Evaluation:
        """All of it in memory here, as `irev.evaluate` gives it: for `irev.compare` and `irev.check`, as a record
        (`irev.Evaluation.to_json`, which ``irev show``, ``compare``, ``check`` and ``report`` read), as a frame."""
        fold = Fold.of(self._named, self.settings, self.facts, self.tag)
        tables = list(self._stream())
        if not tables:
            raise InputError("no query counts", RUN)
        for table in tables:
            fold.add(table)
        values = pyarrow.concat_tables(tables)
        columns = tuple(fold.column(values, name, request) for name, request in self._named.items())
        scores = fold.scores(tuple(map(bytes, values.column(OF_KERNEL).to_pylist())), columns)
        retrieved, judged, tied = (int(np.sum(values.column(name).to_numpy())) for name in COUNTS)
        left_out = _left_out(self.counts, self.settings)
        facts = Facts(judged, retrieved - judged, tied, left_out.not_retrieved, left_out.not_judged)
        return Evaluation(self.measures, scores, fold.summary, left_out, facts, self.settings)

    def unpersist(self) -> None:
        """Let Spark forget the values, which are computed again when they are asked for."""
        self._values.unpersist()
        self.counts.by_query.unpersist()

    def __repr__(self) -> str:
        return f"<SparkEvaluation of {', '.join(self.measures)}>"


def _packed(batches: Iterable[Any]) -> Iterator[Any]:
    """Each batch as one value: rows are unpacked one by one where they arrive, and these are few."""
    for batch in batches:
        sink = pyarrow.BufferOutputStream()
        with pyarrow.ipc.new_stream(sink, batch.schema) as stream:
            stream.write_batch(batch)
        yield pyarrow.record_batch([pyarrow.array([sink.getvalue().to_pybytes()], pyarrow.binary())], names=["packed"])
