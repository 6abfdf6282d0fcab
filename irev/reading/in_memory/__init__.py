"""Judgments and runs that are in memory already: nested dictionaries, data frames, and arrays.

They become the same records as files do, `Judgments` and `Block`s, so that all later code is shared and numbers do not
depend on where the data came from. `QueryRows` is the step between: rows grouped by query. Data of the caller are never
changed, and no library of data frames is imported. `frame_columns` reads the columns of frames and arrays.
"""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from array import array
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence, Set
from dataclasses import replace
from itertools import chain
from typing import Any, Protocol

import numpy as np

from irev.base import segments
from irev.base.errors import InputError, UsageError
from irev.base.records import cached_property, dataclass
from irev.base.segments import Floats, Ints
from irev.base.settings import Settings
from irev.base.text import brief, decoded
from irev.reading import ids, numbers, qrels, runs
from irev.reading.block import Block, all_but_best, cut
from irev.reading.columns import THE_QUERY
from irev.reading.fields import NOWHERE, nowhere
from irev.reading.flat_ids import FlatIds
from irev.reading.ids import Words
from irev.reading.in_memory.frame_columns import (
    array_of,
    changes,
    columns_of_frame,
    doubles,
    id_column,
    ids_of,
    lists_of_frame,
    number_column,
    rows_of,
)
from irev.reading.judgments import LARGEST, JudgmentColumns, Judgments, counting
from irev.reading.sources import GivenText
from irev.reading.written_ids import UnusableId, joined_ids, split_ids, utf8

ROWS = 1 << 16
"""Results in a block, unless a query has more."""


@dataclass(frozen=True, eq=False)
class QueryRows:
    """Rows with their queries, all rows of a query together.

    Attributes
    ----------
    role : str
        What the values are: ``grade``, ``score`` or ``rank``.
    queries : list of bytes
    bounds : int (queries + 1,)
        Where the rows of each query begin, and where those of the last one end.
    documents : callable
        ``documents(begin, end)``: the ids of some rows.
    values : float64 (rows,)
    distinct : bool
        Whether no query has a document twice, for certain.
    """

    role: str
    queries: list[bytes]
    bounds: Ints
    documents: Callable[[int, int], FlatIds]
    values: Floats
    distinct: bool

    @property
    def rows(self) -> int:
        """Number of rows."""
        return len(self.values)

    @cached_property
    def seeds(self) -> Words:
        """For each query the key from which the keys of its documents are computed."""
        return joined_ids(self.queries).keys

    def cuts(self) -> Iterator[tuple[int, int]]:
        """Queries of about `ROWS` rows at a time: the first, and the one after the last."""
        first = 0
        while first < len(self.queries):
            last = int(np.searchsorted(self.bounds, self.bounds[first] + ROWS, "right")) - 1
            last = max(last, first + 1)
            yield first, last
            first = last

    def described(self, row: int) -> str:
        """A row in words."""
        query = self.queries[int(np.searchsorted(self.bounds, row, "right")) - 1]
        document = self.documents(row, row + 1)[0]
        return f"document {_shown(document)} of query {_shown(query)}"


def _shown(written: bytes) -> str:
    return brief(decoded(written))


def names_no_query(data: object, role: str) -> bool:
    """Whether these are documents with numbers, or with words in place of grades, or a list of documents, without any
    query."""
    if isinstance(data, Mapping) and data:
        first = next(iter(data.values()))
        return isinstance(first, int | float | np.number) or (isinstance(first, str) and role == "grade")
    return isinstance(data, list | set | frozenset) and bool(data) and all(isinstance(each, str) for each in data)


def by_query(data: object, role: str) -> object:
    """The same; documents without any query are those of one, `THE_QUERY`."""
    return {THE_QUERY: data} if names_no_query(data, role) else data


def nested_rows(
    data: Mapping[Any, Any], role: str, name: str, words: Settings | None = None, most: float = math.inf
) -> Iterator[QueryRows]:
    """A nested dictionary, in parts of about so many rows. A query may have a list: in a run of its documents, best
    first, and in judgments of those that are relevant, with a grade of 1. By the settings `words` these have words."""
    queries: list[Any] = []
    inner: list[_Documents] = []
    rows = 0
    for query, documents in data.items():
        if not isinstance(documents, _RANKED) and not (role == "grade" and isinstance(documents, Set)):
            fact = f"query {brief(query)} has a value of type {type(documents).__name__}"
            lists = "a list of relevant documents" if role == "grade" else "a list of documents, best first"
            raise InputError(fact, name, f"expected a dictionary of documents and {role}s, or {lists}")
        queries.append(query)
        inner.append(documents)
        rows += len(documents)
        if rows >= most:
            yield _nested_part(queries, inner, role, name, words)
            queries, inner, rows = [], [], 0
    if queries:
        yield _nested_part(queries, inner, role, name, words)


_BY_DOCUMENT = (dict, Mapping)  # to ask whether something is a Mapping takes much longer than whether it is a dict

_RANKED = (*_BY_DOCUMENT, list, tuple)

_DISTINCT = (*_BY_DOCUMENT, Set)

_Documents = Mapping[Any, Any] | Sequence[Any] | Set[Any]
"""The documents of a query: with numbers, or in order, or a set of relevant ones."""


def _numbers_of(documents: _Documents, role: str) -> Iterable[Any]:
    """The numbers of documents; of a list in judgments 1 for each, and of one in a run ranks with their sign changed,
    which order it as it stands."""
    if isinstance(documents, _BY_DOCUMENT):
        return documents.values()
    return [1.0] * len(documents) if role == "grade" else range(-1, -len(documents) - 1, -1)


def _nested_part(
    queries: list[Any], inner: list[_Documents], role: str, name: str, words: Settings | None
) -> QueryRows:
    bounds = np.zeros(len(inner) + 1, dtype=np.int64)
    np.cumsum([len(documents) for documents in inner], out=bounds[1:])

    def query_of(row: int) -> str:
        return brief(queries[int(np.searchsorted(bounds, row, "right")) - 1])

    written = _queries(queries, name)
    values = array("d")
    numbers: Floats | None = None
    names: list[str] = []
    try:
        # A query at a time, so that its objects are fetched from memory once.
        for documents in inner:
            values.fromlist(list(_numbers_of(documents, role)))
            if documents:
                names.append("\0".join(documents))
        found = split_ids(utf8("\0".join(names)), len(values)) if names else joined_ids([])
    except (TypeError, ValueError, OverflowError):
        found = None
    if found is None:
        each = list(chain.from_iterable(inner))
        try:
            found = joined_ids(each)
        except UnusableId as fault:
            raise InputError(f"a document id of query {query_of(fault.row)} {fault.fact}", name) from None
        numbers = doubles(
            list(chain.from_iterable(_numbers_of(documents, role) for documents in inner)),
            lambda row: f"the {role} of document {brief(each[row])} of query {query_of(row)}",
            name,
            words,
        )
    distinct = all(isinstance(documents, _DISTINCT) for documents in inner)
    numbers = np.frombuffer(values, dtype=np.float64) if numbers is None else numbers
    return QueryRows(role, written, bounds, lambda begin, end: found[begin:end], numbers, distinct)


def _queries(written: list[Any], name: str) -> list[bytes]:
    """Query ids as bytes."""
    try:
        found = joined_ids(written)
    except UnusableId as fault:
        raise InputError(f"a query id {fault.fact}", name) from None
    return list(found)


def table_rows(data: object, role: str, settings: Settings, name: str) -> QueryRows:
    """A frame, a tuple of arrays, or what has rows of its own."""
    if isinstance(data, OwnRows):
        if role == "rank":
            raise UsageError("arrays have no ranks", name, "leave out order='rank'")
        return data.rows(role, name)
    if isinstance(data, tuple):
        if len(data) != 3 and not (len(data) == 2 and role == "score" and settings.order == "file"):
            raise InputError(f"a tuple of {len(data)}", name, f"expected three arrays: queries, documents and {role}s")
        if role == "rank":
            raise UsageError("arrays have no ranks", name, "leave out order='rank'")
        labels = ["the array of queries", "the array of documents", f"the array of {role}s"]
        columns = [array_of(each, name, label) for each, label in zip(data, labels, strict=False)]
    else:
        role, labels, columns = columns_of_frame(data, role, settings, name)
    lengths = [len(column) for column in columns]
    if len(set(lengths)) > 1:
        said = ", ".join(f"{label} has {length}" for label, length in zip(labels, lengths, strict=False))
        raise InputError(f"lengths differ: {said}", name)
    query = id_column(columns[0], name, labels[0])
    document = id_column(columns[1], name, labels[1])
    values = np.zeros(lengths[0])  # where the order of the rows is all there is
    if len(columns) == 3:
        values = number_column(columns[2], name, labels[2], settings if role == "grade" else None)
    return gathered(query, document, values, role, name)


def gathered(query: Any, document: Any, values: Floats, role: str, name: str) -> QueryRows:
    """Columns as rows by query: as they are when the queries are in one piece each, or else brought together."""
    heads = changes(query)
    try:
        found = ids_of(rows_of(query, heads))
    except UnusableId as fault:
        raise InputError(f"the query id of row {heads[fault.row]} {fault.fact}", name) from None
    group, examples = ids.grouped(found.text, found.start, found.length)
    if len(examples) == len(heads):
        return in_pieces(list(found), np.append(heads, len(values)), document, values, role, name)
    of_row = np.repeat(group, np.diff(np.append(heads, len(values))))
    order = segments.stable_order(of_row)
    bounds = np.append(0, np.cumsum(np.bincount(of_row)))
    return in_pieces(list(found.pick(examples)), bounds, document, values[order], role, name, order)


def in_pieces(
    queries: list[bytes], bounds: Ints, document: Any, values: Floats, role: str, name: str, order: Ints | None = None
) -> QueryRows:
    """Rows whose queries are in one piece each, in another `order` than that of `document`, or in the same."""

    def documents(begin: int, end: int) -> FlatIds:
        rows = slice(begin, end) if order is None else order[begin:end]
        try:
            return ids_of(rows_of(document, rows))
        except UnusableId as fault:
            row = begin + fault.row if order is None else order[begin + fault.row]
            raise InputError(f"the document id of row {row} {fault.fact}", name) from None

    return QueryRows(role, queries, bounds, documents, values, distinct=False)


class OwnRows(ABC):
    """Data in memory that an extension reads: the base of its classes, which have both methods."""

    @abstractmethod
    def rows(self, role: str, name: str) -> QueryRows:
        """Return the rows by query, with grades or scores."""

    @abstractmethod
    def judged(self, settings: Settings) -> Judgments:
        """Return the judgments that they are."""


class Frame(Protocol):
    """What a data frame of pandas or polars, and a table of pyarrow, have in common."""

    @property
    def columns(self) -> Any:
        """Its columns, or their names."""

    def __getitem__(self, name: Any, /) -> Any: ...


Listed = Mapping[str, Mapping[str, float] | Sequence[str]] | Mapping[str, float] | list[str]
"""A run: ``{query: {document: score}}``, or ``{query: [document, …]}``, best first; without queries of one."""


ListedJudgments = Mapping[str, Mapping[str, Any] | Sequence[str] | Set[str]] | Mapping[str, float | str] | list[str]
"""Judgments: ``{query: {document: grade}}``, or ``{query: [document, …]}``, the relevant ones, with a grade of 1;
without queries of one."""


Arrays = tuple[Sequence[Any] | np.ndarray[Any, Any], ...]
"""Queries, documents, and grades or scores, all of one length."""


def judgments(data: object, settings: Settings, name: str = "qrels") -> Judgments:
    """Judgments of a nested dictionary, one of lists, a frame, or a tuple of arrays.

    Parameters
    ----------
    data : ListedJudgments, Frame or Arrays
    settings : Settings
        Names of columns, and what a negative grade means.
    name : str
        What messages call them.

    Raises
    ------
    InputError
        For an id that is none, a grade that is not a number, a document that is judged twice, or no judgments at all.
    """
    data = by_query(data, "grade")
    lists = lists_of_frame(data, "grade", settings, name)
    if isinstance(lists, bytes):
        return qrels.read(GivenText(lists, name), replace(settings, qrels_format="csv"))
    data = data if lists is None else lists
    if isinstance(data, Mapping):
        part = next(nested_rows(data, "grade", name, settings), None)
    else:
        part = table_rows(data, "grade", settings, name)
    if part is None or not part.rows:
        raise InputError("there are no judgments", name)
    document = part.documents(0, part.rows)
    grade = graded(part.values, settings, name, part.described)
    counts = np.diff(part.bounds)
    judged = sorted(part.queries)
    index = {query: i for i, query in enumerate(judged)}
    query = np.repeat(np.array([index.get(query, -1) for query in part.queries], dtype=np.int64), counts)
    key = document.keys_from(np.repeat(part.seeds, counts))
    if not part.distinct:
        twice, first = ids.repeated(document.text, document.start, document.length, key, query)
        grade = grade.copy()
        for row in twice[qrels.refused_again(grade, twice, first, settings)][:1].tolist():
            remedy = f"keep one of the two{qrels.taking_repeated(grade, twice, first, settings)}"
            raise InputError(f"{part.described(row)} is judged twice", name, remedy)
        once = np.ones(len(grade), dtype=bool)
        once[twice] = False
        document, query, grade, key = document.pick(np.flatnonzero(once)), query[once], grade[once], key[once]
    columns = JudgmentColumns(query, document.start, document.length, grade, key)
    suspicions = qrels.Suspicions(seconds=False)
    if not isinstance(data, OwnRows):
        suspicions.look_at_grades(grade, lambda row: (0, None, f" of {part.described(row)}"))
    return counting(qrels.indexed(name, tuple(judged), document.text, columns, suspicions.found()), settings)


def graded(value: Floats, settings: Settings, name: str, described: Callable[[int], str]) -> Floats:
    """The grades, as the setting for negative ones has them."""
    for row in np.flatnonzero(~(np.abs(value) <= LARGEST))[:1].tolist():
        fact = "is not a number" if np.isnan(value[row]) else "is too large; expected at most 2^53"
        raise InputError(f"the grade {value[row]} of {described(row)} {fact}", name)
    if settings.negative == "nonrelevant":
        value = np.maximum(value, 0.0)
    elif settings.negative == "error":
        for row in np.flatnonzero(value < 0)[:1].tolist():
            remedy = "choose negative='unjudged' or 'nonrelevant'"
            raise InputError(f"the grade {value[row]} of {described(row)} is negative", name, remedy)
    return value + 0.0  # a grade of -0 is 0


def blocks(data: object, settings: Settings, name: str = "run") -> Iterator[Block]:
    """The blocks of a run that is a nested dictionary, one of lists, a frame, or a tuple of arrays.

    Parameters
    ----------
    data : Listed, Frame or Arrays
    settings : Settings
        The names of the columns, the order of the rows, and what to do with documents that occur twice.
    name : str
        What messages call it.

    Raises
    ------
    InputError
        For an id that is none, a score that is not a number, a document that a query retrieves twice, or no results.
    """
    data = by_query(data, "score")
    lists = lists_of_frame(data, "score", settings, name)
    if isinstance(lists, bytes):
        yield from _of_text(lists, settings, name)
        return
    data = data if lists is None else lists
    parts: Iterable[QueryRows]
    if isinstance(data, Mapping):
        if settings.order == "rank" and any(isinstance(documents, Mapping) for documents in data.values()):
            raise UsageError("a dictionary has no ranks", name, "leave out order='rank'")
        parts = nested_rows(data, "score", name, most=ROWS)
    else:
        parts = [table_rows(data, "rank" if settings.order == "rank" else "score", settings, name)]
    some = False
    for part in parts:
        for first, last in part.cuts():
            some = True
            yield _block(part, first, last, settings, name)
    if not some:
        raise InputError("there are no results", name)


def _of_text(text: bytes, settings: Settings, name: str) -> Iterator[Block]:
    """The blocks of a run that is CSV; the first has the doubts about it."""
    found, reading = runs.read(GivenText(text, name), kept, replace(settings, run_format="csv"))
    fields = nowhere()
    fields.faults.doubts += [reading.doubt] if reading.doubt is not None else []
    yield from (replace(block, fields=fields) for block in found)


def _block(part: QueryRows, first: int, last: int, settings: Settings, name: str) -> Block:
    """The block of the queries from `first` up to `last`."""
    begin, end = part.bounds[first], part.bounds[last]
    rows = np.diff(part.bounds[first : last + 1])
    query = np.repeat(np.arange(last - first), rows)
    document = part.documents(begin, end)
    fields = NOWHERE
    if settings.document_of is not None:
        fields = nowhere()
        begins, ends = document.start, document.start + document.length
        start, stop = cut(settings.document_of, document.text, begins, ends, fields.faults, lambda row: 0)
        document = FlatIds(document.text, start, stop - start)
    key = document.keys_from(np.repeat(part.seeds[first:last], rows))
    value = part.values[begin:end]
    for row in np.flatnonzero(np.isnan(value))[:1].tolist():
        raise InputError(f"the {part.role} of {part.described(begin + row)} is not a number", name)
    if settings.order == "file":
        value = -np.arange(begin, end, dtype=np.float64)
    elif part.role == "rank":
        value = -value
    block = Block(
        document.text,
        part.queries[first:last],
        part.bounds[first:last] - begin,
        query,
        document.start,
        document.length,
        key,
        numbers.exact(value, np.empty(0, np.int64)),
        fields,
        np.broadcast_to(np.int64(0), end - begin),
    )
    if settings.drop_self:
        queries = joined_ids(part.queries[first:last])
        is_query = ids.equal(
            document.text, document.start, document.length, queries.text, queries.start[query], queries.length[query]
        )
        block = block.without(np.flatnonzero(is_query))
    return block if part.distinct and settings.document_of is None else _without_repeats(block, part, settings, name)


def _without_repeats(block: Block, part: QueryRows, settings: Settings, name: str) -> Block:
    """The block with each document once per query."""
    again, first = ids.repeated(block.text, block.start, block.length, block.key, block.query)
    if not len(again):
        return block
    if settings.repeats == "error":
        fact = f"{part.described(int(block.row[again[0]]))} is retrieved twice"
        raise InputError(fact, name, "keep one of the two, or choose duplicates='first' or 'best'")
    return block.without(all_but_best(block, again, first) if settings.repeats == "best" else again)


def kept(block: Block) -> Block:
    """A block of a file that stays when the text it was read from is overwritten."""
    text = block.text.copy()
    return replace(block, text=text, queries=list(block.queries), score=replace(block.score, text=text), fields=NOWHERE)
