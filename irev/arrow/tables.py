"""Evaluation of Arrow tables: all rows of some queries in, a row of values for each of these queries out; `irev.arrow`
has its public names.

Columns are found by their names, and rows are put into the order of a column, if one is named. Tables are then read as
`irev.evaluate` reads data frames, and evaluated by the same functions. This module adds what a part of the data needs:
facts about all judgments are handed in, and a part may be empty, or share no query with the other table.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import replace
from typing import Any, Unpack

import numpy as np
import numpy.typing as npt
import pyarrow

from irev.api.options import Options, requests_by_name, settings_of
from irev.base.errors import InputError, RowError, UsageError, decimal
from irev.base.records import cached_property, dataclass
from irev.base.settings import RELEVANT, Settings
from irev.base.text import decoded, encoded
from irev.base.workers import arithmetic_of, require_same
from irev.evaluation import scores
from irev.evaluation.scores import Column, Folding, Scores, Summary
from irev.measures import Request
from irev.ranking import ranking
from irev.ranking.ranked import Ranked
from irev.reading import in_memory, numbers, qrels
from irev.reading.block import Block
from irev.reading.columns import ALIASES
from irev.reading.fields import GRADES, NOWHERE
from irev.reading.formats import require_grades
from irev.reading.in_memory.frame_columns import columns_of_frame
from irev.reading.judgments import LARGEST, JudgmentColumns, Judgments
from irev.reading.written_ids import joined_ids

JUDGMENTS, RUN = "qrels", "run"
"""What messages call the two tables."""

ORDER = "irev order"
"""Name of the column that has the order of rows."""


def no_judgments() -> Judgments:
    """Judgments of no query: those of a part of the queries of which none is judged."""
    none = np.empty(0, np.int64)
    nothing = JudgmentColumns(none, none, none, np.empty(0), np.empty(0, np.uint64))
    return qrels.indexed(JUDGMENTS, (), joined_ids([]).text, nothing)


def no_results() -> Block:
    """The block of no query."""
    ids_there, none = joined_ids([]), np.empty(0, np.int64)
    number = numbers.exact(np.empty(0), none)
    return Block(ids_there.text, [], none, none, none, none, np.empty(0, np.uint64), number, NOWHERE, none)


@dataclass(frozen=True, eq=False)
class TableRows:
    """The columns of a table that are read.

    Attributes
    ----------
    name : str
        `JUDGMENTS` or `RUN`.
    table : pyarrow.Table
        Query, document, and grade, score or rank, under the first of their usual names.
    settings : Settings
        Those of the evaluation, with no names of columns.
    role : str
        What the numbers are: ``grade``, ``score`` or ``rank``.
    order : pyarrow.ChunkedArray or None
        The order of the rows, by which the table is sorted.
    """

    name: str
    table: Any
    settings: Settings
    role: str
    order: Any = None

    @property
    def rows(self) -> int:
        """Number of rows."""
        return int(self.table.num_rows)

    @property
    def in_bytes(self) -> bool:
        """Whether query ids are bytes, which need not be UTF-8."""
        kind = self.table.schema.field(0).type
        return "binary" in str(kind.value_type if pyarrow.types.is_dictionary(kind) else kind)


def needs_order(settings: Settings) -> str:
    """The setting that depends on the order of rows; empty if none does."""
    wanted = {"order": "file", "ties": "file", "duplicates": "first"}
    return next((f"{name}={word!r}" for name, word in wanted.items() if getattr(settings, name) == word), "")


def require_order(settings: Settings, order_column: str | None) -> None:
    """Raise `UsageError` for settings that depend on the order of rows without a column of it, and for an unused
    one."""
    needed = needs_order(settings)
    if needed and order_column is None:
        fact = f"{needed} depends on the order of rows, which is unknown in tables that are split and shuffled"
        raise UsageError(fact, remedy="name a column of whole numbers with the order: order_column=")
    if order_column is not None and not needed:
        raise UsageError(
            "order_column has no effect: the numbers do not depend on the order of rows", remedy="leave it out"
        )


def read_columns(given: pyarrow.Table, name: str, settings: Settings, order_column: str | None = None) -> TableRows:
    """The columns of a table, in the order of `order_column` where there is one.

    Raises
    ------
    InputError
        For what is not a table, a missing column, and a column of a wrong type.
    """
    role = "grade" if name == JUDGMENTS else "rank" if settings.order == "rank" else "score"
    table = pyarrow.Table.from_batches([given]) if isinstance(given, pyarrow.RecordBatch) else given
    if not isinstance(table, pyarrow.Table):
        raise InputError(f"this is of type {type(given).__name__}", name, "expected a pyarrow.Table or RecordBatch")
    role, labels, found = columns_of_frame(table, role, settings, name)
    for label, column, number in zip(labels, found, (False, False, True), strict=True):
        _require_type(column, label, name, number)
    usual = [ALIASES[each][0] for each in ("query", "document", role)]
    chosen = pyarrow.table([_long(column) for column in found], names=usual)
    plain = replace(settings, columns=())
    if order_column is None:
        return TableRows(name, chosen, plain, role)
    if order_column not in table.column_names:
        there = ", ".join(table.column_names)
        raise InputError(f"there is no column {order_column!r}", name, f"the columns are {there}")
    order = table.column(order_column)
    if not pyarrow.types.is_integer(order.type):
        fact = f"column {order_column} holds {order.type}"
        raise InputError(fact, name, "expected whole numbers, the order of the rows of each query")
    chosen = chosen.append_column(ORDER, order).sort_by(ORDER)
    return TableRows(name, chosen.select(usual), plain, role, chosen.column(ORDER))


def _long(column: Any) -> Any:
    """The column; with offsets of eight bytes if its texts are too long for offsets of four."""
    longer = {pyarrow.string(): pyarrow.large_string(), pyarrow.binary(): pyarrow.large_binary()}
    return column.cast(longer[column.type]) if column.type in longer and column.nbytes >= 1 << 31 else column


def _require_type(column: Any, label: str, name: str, number: bool) -> None:
    """Raise `InputError` for a column of a wrong type, even without rows."""
    types = pyarrow.types
    kind = column.type.value_type if types.is_dictionary(column.type) else column.type
    if number:
        known = (types.is_integer, types.is_floating, types.is_decimal, types.is_boolean)
        expected = "numbers"
    else:
        known = (types.is_integer, *(getattr(types, f"is_{text}") for text in _TEXTS))
        expected = "ids: strings, bytes, or whole numbers"
    if not any(is_known(kind) for is_known in (*known, types.is_null)):  # nulls are rows that are wrong
        raise InputError(f"{label} holds {kind}", name, f"expected a column of {expected}")


_TEXTS = ("string", "large_string", "string_view", "binary", "large_binary", "binary_view")


def earliest_fault(columns: TableRows, settings: Settings) -> RowError | None:
    """The first fault in the order of query and document; None if no single row is wrong."""
    found = sorted(_faults(columns, settings), key=lambda fault: fault[:3])
    return RowError(columns.name, *found[0]) if found else None


_Fault = tuple[bytes, bytes, str, str, str]
"""Query, document, code, fact and remedy."""


def _faults(columns: TableRows, settings: Settings) -> Iterator[_Fault]:
    lists = [columns.table.column(place).to_pylist() for place in range(3)]
    orders = [None] * columns.rows if columns.order is None else columns.order.to_pylist()
    seen: Counter[tuple[bytes, bytes]] = Counter()
    places: Counter[tuple[bytes, int | None]] = Counter()
    for query, document, value, order in zip(*lists, orders, strict=True):
        row = _bytes(query), _bytes(document)
        for role, written in (("query", query), ("document", document)):
            if written is None:
                yield *row, "E113", f"the {role} is null", "expected an id in every row"
            elif (empty := not _bytes(written)) or b"\0" in _bytes(written):
                fact = f"the {role} id {'is empty' if empty else 'holds a NUL'}"
                yield *row, "E110", fact, "expected an id in every row"
        wrong = _wrong_number(columns.role, value, settings)
        if wrong is not None:
            yield *row, *wrong
        if columns.order is not None:
            places[row[0], order] += 1
            if order is None:
                yield *row, "E113", "the order is null", _OTHER_PLACE
            elif places[row[0], order] == 2:
                yield *row, "E105", f"another row of the query has its order, {order}", _OTHER_PLACE
        if settings.drop_self and columns.name != JUDGMENTS and row[0] == row[1]:
            continue
        seen[row] += 1
        if seen[row] == 2 and (columns.name == JUDGMENTS or settings.repeats == "error"):
            again = "judged" if columns.name == JUDGMENTS else "retrieved"
            choose = "" if columns.name == JUDGMENTS else ", or choose duplicates='first' or 'best'"
            yield *row, "E103", f"the document is {again} again", f"keep one of the two{choose}"


_OTHER_PLACE = "expected another number in each row of a query"


def _bytes(written: Any) -> bytes:
    if written is None:
        return b""
    return written if isinstance(written, bytes) else encoded(written) if isinstance(written, str) else b"%d" % written


def _wrong_number(role: str, value: Any, settings: Settings) -> tuple[str, str, str] | None:
    """Code, fact and remedy, if the value is not a grade, score or rank."""
    if value is None:
        return "E113", f"the {role} is null", "expected a number in every row"
    number = float(value)
    if role != "grade":
        return ("E105", f"the {role} {value} is not a number", "expected a number") if math.isnan(number) else None
    if math.isnan(number):
        return "E102", f"the grade {value} is not a number", "expected a grade such as 0, 1 or 0.5"
    if abs(number) > LARGEST:
        return "E102", f"the grade {value} is too large", "expected at most 2^53"
    if number < 0 and settings.negative == "error":
        remedy = "choose negative='unjudged' or 'nonrelevant'"
        return "E106", f"the grade {decimal(number)} is negative", remedy
    return None


@dataclass(frozen=True)
class QrelsFacts:
    """What is true of all judgments. Facts of tables that share no query add up: ``facts + more``.

    Attributes
    ----------
    queries : int
        Judged queries.
    judgments : int
        Judgments, of whatever grade.
    positive_judgments : int
        Judgments with a grade above 0.
    highest_grade : float
        The highest grade; minus infinity where there are no judgments.
    """

    queries: int = 0
    judgments: int = 0
    positive_judgments: int = 0
    highest_grade: float = -math.inf

    def __add__(self, other: QrelsFacts) -> QrelsFacts:
        return QrelsFacts(
            self.queries + other.queries,
            self.judgments + other.judgments,
            self.positive_judgments + other.positive_judgments,
            max(self.highest_grade, other.highest_grade),
        )


def qrels_facts(qrels: pyarrow.Table, **options: Unpack[Options]) -> QrelsFacts:
    """The facts of a table of judgments.

    Parameters
    ----------
    qrels : pyarrow.Table or RecordBatch
        All judgments, or all of some queries, the facts of which then add up.
    **options
        As for the evaluation; of these `negative` and the names of columns matter.

    Raises
    ------
    InputError
        For a table without the columns, and for a row that is no judgment (`irev.RowError`).
    """
    settings = settings_of(options)
    columns = read_columns(qrels, JUDGMENTS, settings)
    if not columns.rows:
        return QrelsFacts()
    try:
        judgments = in_memory.judgments(columns.table, columns.settings, JUDGMENTS)
    except InputError as error:
        raise earliest_fault(columns, settings) or error from None
    return QrelsFacts(len(judgments.queries), columns.rows, judgments.positive, judgments.highest)


def lacking(requests: dict[str, Request], settings: Settings) -> Iterator[tuple[str, str]]:
    """The requests whose values depend on facts about all judgments, each with the fact that it needs."""
    for name, request in requests.items():
        measure = request.measure
        chosen = {option: default.default for option, default in measure.options.items()} | dict(request.options)
        best = "auto" in (value for value in chosen.values() if isinstance(value, str))
        if (best and settings.gains is None) or (request.bound and measure.graded):
            yield name, "the highest grade of all judgments"


def require_facts(requests: dict[str, Request], settings: Settings) -> None:
    """Raise `UsageError` for the first request whose values depend on facts that were not handed in."""
    for name, fact in lacking(requests, settings):
        raise UsageError(
            f"measure '{name}' needs {fact}, which a table with some of the queries does not show", remedy=REMEDY
        )


REMEDY = "pass facts=irev.arrow.qrels_facts(…)"


QUERY = "query"
"""The column that has the queries."""


def evaluate_tables(
    run: pyarrow.Table,
    qrels: pyarrow.Table,
    measures: str | Iterable[str] = (),
    *,
    facts: QrelsFacts | None = None,
    order_column: str | None = None,
    arithmetic: str | None = None,
    **options: Unpack[Options],
) -> pyarrow.Table:
    """Evaluate some queries of a run: all rows of these queries, results and judgments, in whatever order.

    Parameters
    ----------
    run : pyarrow.Table or RecordBatch
        TableRows of queries, documents, and scores or ranks, called as ``docs/formats.md`` says, or as `columns` does.
        Ids are strings, bytes, or whole numbers, which are their decimal digits.
    qrels : pyarrow.Table or RecordBatch
        TableRows of queries, documents and grades.
    measures : str or iterable of str
        As after ``-m``; none at all means ``official``.
    facts : QrelsFacts, optional
        What is true of all judgments (`qrels_facts`). Measures that depend on it are refused without.
    order_column : str, optional
        A column of the run with whole numbers that order the rows of each query: what ``order="file"``,
        ``ties="file"`` and ``duplicates="first"`` go by, which are refused without.
    arithmetic : str, optional
        What `arithmetic` gives where the evaluation was begun: a worker with another is refused.
    **options
        See `irev.Options`. A list of `queries` is refused: leave out the rows of others instead.

    Returns
    -------
    table : pyarrow.Table
        A row for each query that counts, in the order of bytes: the column ``query``, and one for each measure, under
        the name that asked for it, float64, int64 for counts, or string. Its values are those of `irev.evaluate`, to
        the last bit. Beside them is what `Fold` needs for the values of all queries: ``(weight)`` behind the name of a
        measure whose mean is weighted, ``(logarithm)`` behind that of one that has a geometric mean and no value for
        one query.

    Raises
    ------
    UsageError
        For a measure or choice that does not exist, that needs facts or an order that were not handed in, or that
        these judgments do not suit.
    InputError
        For tables without these columns, and for a row that is none: `irev.RowError`, which names the least of
        them by query and document, whatever the order of rows.
    """
    settings = settings_of(options)
    if arithmetic is not None:
        require_same(arithmetic, settings)
    kernel = Kernel(requests_by_name(measures, settings.compat), settings, facts, order_column)
    return kernel.table(run, qrels)


def arithmetic(**options: Unpack[Options]) -> str:
    """What evaluates here: the versions of irev and numpy, and a digest of values that may differ between machines.

    Handed to `evaluate_tables` on every worker, it makes sure that all of them give the same numbers to the last bit,
    or none. Of the options `ties` matters: what expected values are made of differs between processors, too.
    """
    return arithmetic_of(settings_of(options))


def per_query_schema(
    measures: str | Iterable[str] = (), *, facts: QrelsFacts | None = None, **options: Unpack[Options]
) -> pyarrow.Schema:
    """The schema of what `evaluate_tables` returns, for engines that want to know before there is any table."""
    settings = settings_of(options)
    return Kernel(requests_by_name(measures, settings.compat), settings, facts, None, ordered=True).schema


@dataclass(frozen=True, eq=False)
class Kernel:
    """What is the same for all tables. It can be sent to other processes.

    Attributes
    ----------
    named : dict of str to Request
    settings : Settings
    facts : QrelsFacts or None
    order_column : str or None
    ordered : bool
        Whether the order of rows is known whatever `order_column` says.
    """

    named: dict[str, Request]
    settings: Settings
    facts: QrelsFacts | None = None
    order_column: str | None = None
    ordered: bool = False

    def __post_init__(self) -> None:
        if not self.ordered:
            require_order(self.settings, self.order_column)
        if not isinstance(self.settings.queries, str):
            raise UsageError("tables cannot be evaluated for listed queries", remedy="leave out the rows of all others")
        if self.settings.queries == RELEVANT:
            fact = "tables are evaluated for all of their queries, also for those without a relevant document"
            raise UsageError(fact, remedy="leave out the judgments of such queries, and choose queries='qrels'")
        require_grades(self.settings, "those in tables")
        for request in self.named.values():
            if request.measure.of != GRADES:
                called, wanted = request.base.label, request.measure.of
                fact = f"the measure '{called}' needs judgments of {wanted}, and those in tables are grades"
                raise UsageError(fact, remedy="write them to a file, and evaluate that")
        if self.settings.grade_words is not None:
            raise UsageError("tables have numbers for grades", remedy="evaluate files, or without grade_words")
        if self.settings.document_of is not None:
            raise UsageError("ids in tables cannot be cut", remedy="evaluate files, or without document_of")
        if self.settings.costs is not None:
            raise UsageError("tables have no element types, which costs need", remedy="evaluate files, or without")
        if self.facts is None:
            require_facts(self.named, self.settings)

    def table(self, run: pyarrow.Table, qrels: pyarrow.Table) -> pyarrow.Table:
        """The values of each query of two tables."""
        return self.evaluated(run, qrels)[1]

    def evaluated(self, run: pyarrow.Table, qrels: pyarrow.Table) -> tuple[Ranked, pyarrow.Table]:
        """The rankings, and the values, of each query of two tables."""
        judged = read_columns(qrels, JUDGMENTS, self.settings)
        retrieved = read_columns(run, RUN, self.settings, self.order_column)
        ranked = self.ranked(retrieved, judged)
        if not ranked.size:
            schema = _in_bytes(self.schema) if retrieved.in_bytes else self.schema
            return ranked, schema.empty_table()
        return ranked, self.written(scores.evaluate(ranked, self.named.values()), retrieved.in_bytes)

    def ranked(self, run: TableRows, judged: TableRows) -> Ranked:
        """The rankings of the queries of two tables."""
        judgments = self._judgments(judged)
        try:
            self._require_ordered(run)
            blocks = in_memory.blocks(run.table, run.settings, RUN) if run.rows else iter((no_results(),))
            ranked, _ = ranking.rank_blocks(judgments, blocks, RUN, b"run", run.settings, whole=False)
        except InputError as error:
            raise earliest_fault(run, self.settings) or error from None
        facts = self.facts
        if facts is not None:
            # Views that were made of the rankings do not know these facts.
            ranked = replace(
                ranked, positive_judgments=facts.positive_judgments, highest_grade=facts.highest_grade, _views={}
            )
        return ranked

    def _judgments(self, judged: TableRows) -> Judgments:
        if not judged.rows:
            return no_judgments()
        try:
            return in_memory.judgments(judged.table, judged.settings, JUDGMENTS)
        except InputError as error:
            raise earliest_fault(judged, self.settings) or error from None

    def _require_ordered(self, run: TableRows) -> None:
        """Refuse rows of a query that stand at the same place."""
        if run.order is None:
            return
        order = run.order.to_numpy()
        alike = run.order.null_count or bool((order[1:] == order[:-1]).any())
        if alike and (fault := earliest_fault(run, self.settings)) is not None:
            raise fault

    @cached_property
    def schema(self) -> Any:
        """The schema of tables with text for queries: that of what comes of a query with one document."""
        # A grade that every measure and every table of gains puts up with.
        settings = replace(self.settings, negative="unjudged")
        settings = replace(settings, columns=())
        judgments = in_memory.judgments({"q": {"d": -1.0}}, settings, JUDGMENTS)
        role = "rank" if settings.order == "rank" else "score"
        one = pyarrow.table({"query_id": ["q"], "doc_id": ["d"], role: [1.0]})
        blocks = in_memory.blocks(one, settings, RUN)
        ranked, _ = ranking.rank_blocks(judgments, blocks, RUN, b"run", settings, whole=False)
        ranked = replace(ranked, highest_grade=max(1.0, self.facts.highest_grade if self.facts else 0.0), _views={})
        return self.written(scores.evaluate(ranked, self.named.values()), in_bytes=False).schema

    def written(self, found: Scores, in_bytes: bool) -> Any:
        """Scores as a table."""
        queries = pyarrow.array(list(found.queries), pyarrow.binary())
        # Bytes that are no UTF-8 are queries, too, in a file of TREC.
        written = {QUERY: queries if in_bytes else queries.cast(pyarrow.string(), safe=False)}
        for name, column in zip(self.named, found.columns, strict=True):
            measure = column.request.measure
            if measure.per_query:
                written[name] = _array(column.values)
            elif measure.summary == "geometric mean":
                written[name + LOGARITHM] = _array(column.values)
            if column.weights is not None:
                written[name + WEIGHT] = _array(column.weights)
        return pyarrow.table(written)


WEIGHT, LOGARITHM = " (weight)", " (logarithm)"
"""What stands behind the name of a measure whose column is no value of a query."""


def _array(values: npt.NDArray[Any]) -> Any:
    if values.dtype.kind == "O":
        return pyarrow.array(values.tolist(), pyarrow.binary()).cast(pyarrow.string(), safe=False)
    return pyarrow.array(np.ascontiguousarray(values))


def _in_bytes(schema: Any) -> Any:
    return schema.set(0, pyarrow.field(QUERY, pyarrow.binary()))


class Fold:
    """The values for all queries of a run, from tables of `evaluate_tables`.

    Memory does not grow with the number of queries, but for aggregates that are asked for by name (``agg=median``),
    which look at all values together: these are kept, in eight bytes each.

    Parameters
    ----------
    measures : str or iterable of str
        As they were evaluated.
    facts : QrelsFacts, optional
        Needed where all judged queries count (`complete`), and refused to do without there.
    tag : str
        The run id, which ``runid`` gives.
    **options
        As they were evaluated.
    """

    def __init__(
        self,
        measures: str | Iterable[str] = (),
        *,
        facts: QrelsFacts | None = None,
        tag: str = "run",
        **options: Unpack[Options],
    ) -> None:
        settings = settings_of(options)
        self._begin(requests_by_name(measures, settings.compat), settings, facts, encoded(tag))

    @classmethod
    def of(cls, named: dict[str, Request], settings: Settings, facts: QrelsFacts | None, tag: bytes) -> Fold:
        """The same, given what measures and options come to."""
        fold = cls.__new__(cls)
        fold._begin(named, settings, facts, tag)
        return fold

    def _begin(self, named: dict[str, Request], settings: Settings, facts: QrelsFacts | None, tag: bytes) -> None:
        if settings.complete and facts is None:
            raise UsageError("complete=True needs the number of judged queries", remedy=REMEDY)
        self._named, self._settings, self._facts, self._tag = named, settings, facts or QrelsFacts(), tag
        self._folding = Folding(named.values())
        self._last: bytes | None = None
        self._summary: Summary | None = None
        self.queries = 0

    def add(self, table: pyarrow.Table) -> None:
        """Take the values of the next queries.

        Raises
        ------
        InputError
            For queries that do not rise by their bytes, and for a table without the column of a measure.
        """
        if self._summary is not None:
            raise RuntimeError("values come after they were folded")
        if not hasattr(table, "column_names"):
            fact = f"values are of type {type(table).__name__}, and a table of pyarrow is expected"
            raise UsageError(fact, remedy="add what evaluate_tables gives")
        self._require_rising(_bytes_of(self._column(table, QUERY)))
        self._folding.add([self.column(table, name, request) for name, request in self._named.items()])
        self.queries += table.num_rows

    def _require_rising(self, queries: list[bytes]) -> None:
        last = self._last
        for query in queries:
            if last is not None and query <= last:
                fact = f"query {decoded(query)!r} comes after {decoded(last)!r}"
                raise InputError(fact, "values of queries", "sort them by the bytes of the query")
            last = query
        self._last = last

    def column(self, table: pyarrow.Table, name: str, request: Request) -> Column:
        """The column of a measure in a table of `evaluate_tables`, as evaluations have it."""
        measure = request.measure
        if not measure.per_query and measure.summary != "geometric mean":
            return Column(request, np.ones(table.num_rows, dtype=np.int64))
        if measure.kind == "text":
            return Column(request, np.array([*_bytes_of(self._column(table, name)), None], dtype=object)[:-1])
        values = self._column(table, name if measure.per_query else name + LOGARITHM).to_numpy()
        weighted = name + WEIGHT in table.column_names
        return Column(request, values, self._column(table, name + WEIGHT).to_numpy() if weighted else None)

    def _column(self, table: Any, name: str) -> Any:
        if name not in table.column_names:
            there = ", ".join(table.column_names)
            raise InputError(f"there is no column {name!r}", "values of queries", f"there are {there}")
        return table.column(name)

    @property
    def summary(self) -> Summary:
        """The value for all queries of each measure, in their order."""
        if self._summary is None:
            self._summary = self._folding.summary(self.scores())
        return self._summary

    def scores(self, queries: tuple[bytes, ...] | None = None, columns: tuple[Column, ...] = ()) -> Scores:
        """What there is to know of all queries together, with the values of these queries where they are wanted."""
        return Scores(
            queries=range(self.queries) if queries is None else queries,  # type: ignore[arg-type]  # their number alone
            columns=columns,
            considered=self._facts.queries if self._settings.complete else self.queries,
            complete=self._settings.complete,
            positive_judgments=self._facts.positive_judgments,
            tag=self._tag,
        )

    def mean(self) -> dict[str, float]:
        """The value for all queries of each measure, as `irev.Evaluation.mean` gives it; measures that are texts have
        none. It is NaN where no query counts."""
        values = zip(self._named, self.summary.values, strict=True)
        return {name: value for name, value in values if isinstance(value, int | float)}


def _bytes_of(column: Any) -> list[bytes]:
    """A column of texts as bytes."""
    large = pyarrow.large_binary()
    return [bytes(query) for query in column.cast(large, safe=False).to_pylist()]
