"""Rows with their queries, of nested dictionaries and of columns: all rows of a query together."""

from __future__ import annotations

from array import array
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence, Set
from functools import cached_property
from itertools import chain
from typing import Any

import numpy as np

from irev.base import segments
from irev.base.errors import InputError, UsageError
from irev.base.records import dataclass
from irev.base.segments import Floats, Ints
from irev.base.settings import Settings
from irev.base.text import brief, decoded
from irev.reading import ids
from irev.reading.columns import THE_QUERY
from irev.reading.flat_ids import FlatIds
from irev.reading.ids import Words
from irev.reading.in_memory.frame_columns import (
    array_of,
    changes,
    columns_of_frame,
    doubles,
    id_column,
    ids_of,
    number_column,
    rows_of,
)
from irev.reading.in_memory.written_ids import UnusableId, joined_ids, split_ids, utf8

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
        """What the keys of the documents of each query begin from."""
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


def by_query(data: object, role: str) -> object:
    """The same; documents with numbers, or words in place of grades, and lists of documents, without any query are
    those of one, `THE_QUERY`."""
    one = isinstance(data, list | set | frozenset) and data and all(isinstance(each, str) for each in data)
    if isinstance(data, Mapping) and data:
        first = next(iter(data.values()))
        one = isinstance(first, int | float | np.number) or (isinstance(first, str) and role == "grade")
    return {THE_QUERY: data} if one else data


def nested_rows(data: Mapping[Any, Any], role: str, name: str, words: Settings | None = None) -> Iterator[QueryRows]:
    """A nested dictionary, in parts of about `ROWS` rows. A query may have a list: in a run of its documents, best
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
        if rows >= ROWS:
            yield _nested_part(queries, inner, role, name, words)
            queries, inner, rows = [], [], 0
    if queries:
        yield _nested_part(queries, inner, role, name, words)


_BY_DOCUMENT = (dict, Mapping)  # to ask whether something is a Mapping takes much longer than whether it is a dict

_RANKED = (*_BY_DOCUMENT, list, tuple)

_DISTINCT = (*_BY_DOCUMENT, Set)

_Documents = Mapping[Any, Any] | Sequence[Any] | Set[Any]
"""What a query has: numbers by documents, or documents in their order, or relevant ones in any."""


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


def joined_rows(parts: list[QueryRows]) -> QueryRows:
    """The parts of a nested dictionary as one."""
    if not parts:
        return QueryRows(
            "grade", [], np.zeros(1, np.int64), lambda begin, end: joined_ids([]), np.empty(0), distinct=True
        )
    found = [part.documents(0, part.rows) for part in parts]
    moved = np.cumsum([0, *(len(each.text) for each in found)])
    everything = FlatIds(
        np.concatenate([each.text for each in found]),
        np.concatenate([each.start + by for each, by in zip(found, moved[:-1].tolist(), strict=True)]),
        np.concatenate([each.length for each in found]),
    )
    counts = np.concatenate([np.diff(part.bounds) for part in parts])
    return QueryRows(
        parts[0].role,
        [query for part in parts for query in part.queries],
        np.concatenate(([0], np.cumsum(counts))),
        lambda begin, end: everything[begin:end],
        np.concatenate([part.values for part in parts]),
        distinct=all(part.distinct for part in parts),
    )


def table_rows(data: object, role: str, settings: Settings, name: str) -> QueryRows:
    """A frame, or a tuple of arrays."""
    if isinstance(data, tuple):
        if len(data) != 3:
            raise InputError(f"a tuple of {len(data)}", name, f"expected three arrays: queries, documents and {role}s")
        if role == "rank":
            raise UsageError("arrays have no ranks", name, "leave out order='rank'")
        labels = ["the array of queries", "the array of documents", f"the array of {role}s"]
        columns = [array_of(each, name, label) for each, label in zip(data, labels, strict=True)]
    else:
        role, labels, columns = columns_of_frame(data, role, settings, name)
    lengths = [len(column) for column in columns]
    if len(set(lengths)) > 1:
        said = ", ".join(f"{label} has {length}" for label, length in zip(labels, lengths, strict=True))
        raise InputError(f"lengths differ: {said}", name)
    query = id_column(columns[0], name, labels[0])
    document = id_column(columns[1], name, labels[1])
    values = number_column(columns[2], name, labels[2], settings if role == "grade" else None)
    return _gathered(query, document, values, role, name)


def _gathered(query: Any, document: Any, values: Floats, role: str, name: str) -> QueryRows:
    """Columns as rows by query: as they are when the queries are in one piece each, or else brought together."""
    heads = changes(query)
    try:
        found = ids_of(rows_of(query, heads))
    except UnusableId as fault:
        raise InputError(f"the query id of row {heads[fault.row]} {fault.fact}", name) from None
    group, examples = ids.grouped(found.text, found.start, found.length)
    order = None
    if len(examples) == len(heads):
        queries = list(found)
        bounds = np.append(heads, len(values))
    else:
        of_row = np.repeat(group, np.diff(np.append(heads, len(values))))
        order = segments.stable_order(of_row)
        queries = list(found.pick(examples))
        bounds = np.concatenate(([0], np.cumsum(np.bincount(of_row))))
        values = values[order]

    def documents(begin: int, end: int) -> FlatIds:
        rows = slice(begin, end) if order is None else order[begin:end]
        try:
            return ids_of(rows_of(document, rows))
        except UnusableId as fault:
            row = begin + fault.row if order is None else order[begin + fault.row]
            raise InputError(f"the document id of row {row} {fault.fact}", name) from None

    return QueryRows(role, queries, bounds, documents, values, distinct=False)
