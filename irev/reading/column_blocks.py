"""Runs that come in columns, as blocks, without a detour through text.

Only what is plain is read so: ids that could stand in a line of TREC's, finite scores, no document twice. A run in
which anything else turns up is `Unclean`, and is read as lines, where what is wrong has its place and its message.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any, NamedTuple

import numpy as np

from irev.base import segments
from irev.base.settings import Settings
from irev.reading import ids, numbers
from irev.reading.block import Block, Tags
from irev.reading.chunks import Buffer
from irev.reading.fields import BLANK, NOWHERE, Layout
from irev.reading.flat_ids import FlatIds
from irev.reading.formats import TableStream
from irev.reading.formats.tables import ROWS, compute, pyarrow, types
from irev.reading.ids import PAD, Bytes
from irev.reading.limits import LONGEST
from irev.reading.written_ids import UnusableId, arrow_ids, whole_number_ids

_DELETE = 0x7F


class Unclean(Exception):
    """Rows that have to be lines."""


def suits(layout: Layout, settings: Settings) -> bool:
    """Whether a run with these columns may be read so."""
    return "score" in layout.fields and settings.order == "score" and not (settings.drop_self or settings.document_of)


class WholeQueries(NamedTuple):
    """The rows of some complete queries, in columns.

    Attributes
    ----------
    names : list of bytes
        The id of each query.
    counts : list of int
        How many rows it has.
    columns : dict of str to pyarrow.Array
        Of all other roles.
    tags : Tags or None
        What `tags_of` would give, where the rows were brought together and have no run ids.
    """

    names: list[bytes]
    counts: list[int]
    columns: dict[str, Any]
    tags: Tags | None = None


def reader(table: TableStream, scattered: bool = False) -> Callable[[Buffer], bool]:
    """What gives a buffer the next `WholeQueries`; of a table whose queries are scattered, when all of it was read."""
    parts = _gathered(table) if scattered else _whole_queries(table)

    def read(buffer: Buffer) -> bool:
        buffer.wanted = next(parts, None)
        return buffer.wanted is not None

    return read


def _batches(table: TableStream) -> Iterator[tuple[Any, dict[str, Any]]]:
    """The queries of some rows, and their columns of all other roles, with a value in every row."""
    made = 0
    for batch in table.batches():
        query = batch.pop("query")
        if not len(query):
            continue
        if query.null_count or any(column.null_count for column in batch.values()):
            raise Unclean
        made += sum(column.nbytes for column in batch.values())
        table.source.require_plausible(made)
        yield query, batch
    table.source.check_unchanged()


def _whole_queries(table: TableStream) -> Iterator[WholeQueries]:
    """The rows of a table, cut where the query changes."""
    names: list[bytes] = []
    counts: list[int] = []
    held: list[dict[str, Any]] = []
    for query, batch in _batches(table):
        begun, rows = _named(query)
        if names and names[-1] == begun[0]:
            counts[-1] += rows.pop(0)
            begun.pop(0)
        last = len(query) - (rows[-1] if begun else len(query))  # where the last query of the batch begins
        if begun and (names or len(begun) > 1):
            before = {role: column.slice(0, last) for role, column in batch.items()}
            yield WholeQueries(names + begun[:-1], counts + rows[:-1], _together([*held, before]))
            names, counts, held = [], [], []
            batch = {role: column.slice(last) for role, column in batch.items()}
            begun, rows = begun[-1:], rows[-1:]
        names, counts = names + begun, counts + rows
        held.append(batch)
    if held:
        yield WholeQueries(names, counts, _together(held))


def _gathered(table: TableStream) -> Iterator[WholeQueries]:
    """The rows of a table, brought together by query; those of a query in the order of the table."""
    number: dict[bytes, int] = {}
    tags: Tags | None = None
    owners: list[Any] = []
    parts: list[dict[str, Any]] = []
    for query, batch in _batches(table):
        found, code = _coded(query)
        owners.append(np.array([number.setdefault(name, len(number)) for name in found], dtype=np.int32)[code])
        if "tag" in batch:
            more = _tags_of(batch.pop("tag"))
            tags = more if tags is None else tags.then(more)
        parts.append({role: _with_long_offsets(column) for role, column in batch.items()})
    if not parts:
        return
    owner = np.concatenate(owners)
    columns = {role: pyarrow.concat_arrays([part[role] for part in parts]) for role in parts[0]}
    del owners, parts
    order = segments.gathered(owner)
    counts = np.bincount(owner)
    ends, names = np.cumsum(counts), list(number)
    begin = first = 0
    while first < len(names):
        last = max(int(np.searchsorted(ends, begin + ROWS, "right")), first + 1)
        rows = pyarrow.array(order[begin : ends[last - 1]])
        chosen = {role: column.take(rows) for role, column in columns.items()}
        yield WholeQueries(names[first:last], counts[first:last].tolist(), chosen, None if first else tags)
        begin, first = int(ends[last - 1]), last


def _coded(query: Any) -> tuple[list[bytes], Any]:
    """The queries of some rows, and which of them each row has."""
    if not types.is_dictionary(query.type):
        query = query.dictionary_encode()
    return _each(query.dictionary), query.indices.to_numpy()


def _with_long_offsets(column: Any) -> Any:
    """A column that can be joined to others, however many bytes they have together."""
    longer = {types.is_string: pyarrow.large_string(), types.is_binary: pyarrow.large_binary()}
    return next((column.cast(kind) for is_kind, kind in longer.items() if is_kind(column.type)), column)


def _named(query: Any) -> tuple[list[bytes], list[int]]:
    """The queries of some rows, one after the other, and how many rows each has."""
    if types.is_dictionary(query.type):
        code = query.indices.to_numpy()
        changes = code[1:] != code[:-1]
    elif types.is_integer(query.type):
        code = query.to_numpy()
        changes = code[1:] != code[:-1]
    else:
        changes = compute.not_equal(query[1:], query[:-1]).to_numpy(zero_copy_only=False)
    first = np.concatenate(([0], np.flatnonzero(changes) + 1))
    chosen = query.take(first)
    names = _each(chosen.dictionary_decode() if types.is_dictionary(query.type) else chosen)
    return names, np.diff(np.append(first, len(query))).tolist()


def _together(parts: list[dict[str, Any]]) -> dict[str, Any]:
    if len(parts) == 1:
        return parts[0]
    try:
        return {role: pyarrow.concat_arrays([part[role] for part in parts]) for role in parts[0]}
    except pyarrow.ArrowInvalid:  # more text than the offsets of a column of strings can count
        raise Unclean from None


def block(given: WholeQueries) -> Block:
    """The block of some complete queries. Raises `Unclean`."""
    score, document = given.columns["score"], _ids(given.columns["document"])
    if types.is_decimal(score.type):
        raise Unclean
    value = score.to_numpy(zero_copy_only=False).astype(np.float64, copy=False)
    if not np.isfinite(value).all():
        raise Unclean
    queries = FlatIds.of(given.names)
    owner = np.repeat(np.arange(len(queries)), given.counts)
    key = document.keys_from(np.repeat(queries.keys, given.counts))
    if len(ids.repeated(document.text, document.start, document.length, key, owner)[0]):
        raise Unclean
    return Block(
        document.text,
        queries,
        segments.starts(np.array(given.counts)),
        owner,
        document.start,
        document.length,
        key,
        numbers.exact(value, np.empty(0, np.int64)),
        NOWHERE,
        np.arange(len(value)),
    )


def tags_of(given: WholeQueries) -> Tags:
    """Of rows, in the order of the file; empty where they have no run ids."""
    if given.tags is not None:
        return given.tags
    return _tags_of(given.columns["tag"]) if "tag" in given.columns else Tags()


def _tags_of(column: Any) -> Tags:
    other = compute.index(compute.not_equal(column, column[0]), True).as_py()
    return Tags(_tag(column[0]), _tag(column[other]) if other >= 0 else b"", _tag(column[-1]))


def _tag(value: Any) -> bytes:
    return _each(pyarrow.array([value.as_py()], value.type))[0]


def _each(column: Any) -> list[bytes]:
    """Ids that lines could hold, each for itself."""
    _ids(column)
    text = column.cast(pyarrow.large_string()) if types.is_integer(column.type) else column
    names: list[bytes] = text.cast(pyarrow.large_binary()).to_pylist()
    return names


def _ids(column: Any) -> FlatIds:
    """Ids that lines could hold."""
    if types.is_integer(column.type):
        return whole_number_ids(column.to_numpy())
    try:
        found = arrow_ids(column)
    except UnusableId:
        raise Unclean from None
    if _has_others(found.text[PAD : len(found.text) - PAD]) or int(found.length.max(initial=0)) > LONGEST // 8:
        raise Unclean
    return found


def _has_others(text: Bytes) -> bool:
    """Whether there are bytes that an id of a line has not."""
    return bool(len(text) and (text.min() <= BLANK or (text == _DELETE).any()))
