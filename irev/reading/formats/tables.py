"""Tables of columns, as pyarrow gives them, and Parquet.

Rows become lines, in the same blocks as text; or columns are handed on as they are. Ids are strings, bytes or whole
numbers. Messages count rows, since a table has no lines. Errors in rows are found in the lines; columns are for runs
without errors, which are read without a detour through text (`block_of`). Other modules import
pyarrow from here, so that it is imported on first use.

Parquet is read row group by row group, and from its end, so what is no plain file is kept in a temporary one first.
"""

from __future__ import annotations

import functools
import importlib
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, contextmanager
from dataclasses import replace
from functools import partial
from typing import IO, Any, NamedTuple

import numpy as np

from irev.base import segments
from irev.base.errors import Faults, InputError, Problem
from irev.base.settings import Settings
from irev.reading import columns, ids, limits, numbers
from irev.reading.block import Block, Tags
from irev.reading.chunks import Buffer
from irev.reading.columns import Naming
from irev.reading.fields import BLANK, NOWHERE, STAND_IN, Layout
from irev.reading.flat_ids import FlatIds
from irev.reading.formats import (
    JUDGMENTS,
    RUNS,
    Format,
    Rewritten,
    TableStream,
    id_fault,
    lists_of_table,
    rewritten_layout,
)
from irev.reading.ids import PAD, Bytes
from irev.reading.limits import LONGEST
from irev.reading.sources import Source, Stream
from irev.reading.written_ids import UnusableId, arrow_ids, whole_number_ids


class _Lazy:
    """A module that is imported on first use: pyarrow is optional, and takes long to import."""

    def __init__(self, name: str) -> None:
        self._name = name

    def __getattr__(self, name: str) -> Any:
        return getattr(importlib.import_module(self._name), name)


pyarrow: Any = _Lazy("pyarrow")
compute: Any = _Lazy("pyarrow.compute")
parquet: Any = _Lazy("pyarrow.parquet")
types: Any = _Lazy("pyarrow.types")

ROWS = 1 << 16
"""Rows that are read at a time."""

RANX = ("q_id", "doc_id", "score")
"""The columns that ranx writes, of judgments and runs alike."""


class OpenTable(NamedTuple):
    """A table that is being read: its schema, and what gives columns by names, in batches of at most `ROWS` rows.

    The first is that of queries, and may come as a dictionary.
    """

    schema: Any
    batches: Callable[[list[str]], Iterator[Any]]


class TableKind(NamedTuple):
    """A kind of files: what messages call it, the module that reads it, and what opens a source."""

    name: str
    module: str
    opened: Callable[[Source], AbstractContextManager[OpenTable]]


class RewrittenTable(Rewritten):
    """A table rewritten as lines, which has columns, too."""

    def __init__(self, kind: TableKind, names: Mapping[str, str], source: Source, faults: Faults) -> None:
        self.source = source
        self._kind, self._names = kind, names

        def rewritten(source: Source) -> Iterator[bytes]:
            rows = made = 0
            for batch in self.batches():
                table = {role: _as_text(column) for role, column in batch.items()}
                for role, stand_in in source.beside.items():
                    if stand_in and "score" in table and role in table:
                        unusable = compute.match_substring_regex(table[role], pattern=r"[\x00-\x20\x7f]|^\z")
                        table[role] = compute.if_else(compute.fill_null(unusable, True), stand_in.encode(), table[role])
                text = _text(table, rows, faults)
                made += len(text)
                source.require_plausible(made)
                yield text
                rows += len(next(iter(batch.values())))
            source.rewind()  # an error when the file changed meanwhile

        super().__init__(source, rewritten, faults)

    def batches(self) -> Iterator[dict[str, Any]]:
        """The columns of some rows, by role. That of queries may be a dictionary."""
        with sound(self.source, self._kind), self._kind.opened(self.source) as opened:
            parts = {role: columns.parts_of(role, name, opened.schema.names) for role, name in self._names.items()}
            for batch in opened.batches([each for several in parts.values() for each in several]):
                found = {role: _joined([_usual(batch.column(each)) for each in parts[role]]) for role in parts}
                yield {role: column if role == "query" else decoded(column) for role, column in found.items()}


def lines(kind: TableKind, value: str, source: Source, settings: Settings, faults: Faults) -> tuple[Layout, Stream]:
    """The lines of a file of tables. Raises `InputError` for one that has no such columns."""
    naming = columns.of_file(settings, value)
    with sound(source, kind), kind.opened(source) as opened:
        there = opened.schema.names
        lists = None
        if not naming.has(there) and columns.of_lists(settings, value).has(there):
            lists = lists_of_table(settings, value, there, partial(_cells, kind), source, faults)
        names = {} if lists else _names(naming, source, opened.schema)
    source.rewind()
    if lists:
        return lists
    layout = rewritten_layout(tuple(names), "rows with the columns " + ", ".join(names.values()), "row", named=True)
    return layout, RewrittenTable(kind, names, source, faults)


def _cells(kind: TableKind, source: Source, names: Sequence[str]) -> Iterator[tuple[Any, ...]]:
    """Yield the values of some columns for each row."""
    made = 0
    with sound(source, kind), kind.opened(source) as opened:
        for batch in opened.batches([*names]):
            made += batch.nbytes
            source.require_plausible(made)
            yield from zip(*(batch.column(name).to_pylist() for name in names), strict=True)
    source.rewind()  # an error when the file changed meanwhile


def _kind_of(kind: Any) -> str:
    """The kind of values in a column of this type."""
    lists = (types.is_list, types.is_large_list, types.is_fixed_size_list)
    numbers = (types.is_integer, types.is_floating, types.is_decimal)
    if any(each(kind) for each in lists):
        return columns.LIST
    return columns.NUMBER if any(each(kind) for each in numbers) else columns.TEXT


def add_format(
    name: str, kind: TableKind, what: str, or_as: str, recognised: Callable[[bytes, Settings], bool]
) -> None:
    """Register a format of judgments and of runs: `what` its files are called, and `or_as` what else writes them."""
    for table, value, number, written in ((JUDGMENTS, "grade", "relevance", "2"), (RUNS, "score", "score", "12.5")):
        usual = ", ".join(columns.usual(value))
        form = Format(
            name=name,
            description=f"{what} with columns such as {usual}{or_as}; further columns are not read."
            " Other names by --columns. Needs pyarrow.",
            example=f"query_id  doc_id  {number}\nq1        d01     {written:>{len(number)}}\n",
            lines=partial(lines, kind, value),
            recognised=recognised,
        )
        table.add(name, form)


def _names(naming: Naming, source: Source, schema: Any) -> dict[str, str]:
    """The column of each role, all of a type that it can have."""
    names = schema.names
    if naming.roles[-1] == "grade" and set(RANX) <= set(names) and not naming.has(names):
        # Judgments and runs of ranx have the same columns; only grades are whole numbers there.
        if types.is_floating(schema.field(RANX[-1]).type):
            fact = f"the column {RANX[-1]!r} holds numbers with fractions, as runs have"
            raise InputError(fact, source.name, f"are these judgments? {naming.named({'grade': RANX[-1]})} reads them")
        naming = replace(naming, chosen={"grade": RANX[-1], **naming.chosen})
    if naming.roles[-1] == "grade" and {"drawn", "probability"} <= set(names):
        fact = "this is an audit, and irev reads no probabilities from tables of this kind"
        raise InputError(
            fact, source.name, "write it as CSV or JSON in lines, as pandas' to_csv(FILE, index=False) does"
        )
    kinds = {field.name: _kind_of(field.type) for field in schema}
    found = naming.among(names, source.name, beside=source.beside, kinds=kinds)
    for role, called in [*found.items()]:
        if source.beside.get(role) and "score" in found:
            if types.is_nested(schema.field(called).type):
                del found[role]
            continue
        for name in columns.parts_of(role, called, names):
            if names.count(name) > 1:
                raise InputError(f"there are {names.count(name)} columns {name!r}", source.name, "rename one")
            _check_type(role, name, schema.field(name).type, source.name)
    return found


def _joined(parts: list[Any]) -> Any:
    """One column of ids of several; empty where one of them is."""
    if len(parts) == 1:
        return parts[0]
    texts = [_as_text(part) for part in parts]
    separator, nothing = (pyarrow.scalar(text, pyarrow.large_binary()) for text in (columns.JOINING.encode(), b""))
    empty = functools.reduce(compute.or_kleene, [compute.equal(compute.binary_length(each), 0) for each in texts])
    return compute.if_else(empty, nothing, compute.binary_join_element_wise(*texts, separator))


@contextmanager
def sound(source: Source, kind: TableKind) -> Iterator[None]:
    """Where pyarrow reads: what it raises becomes an error about the file, and so does that it is not there."""
    try:
        importlib.import_module(kind.module)
    except ImportError:
        raise InputError(f"pyarrow is needed to read {kind.name}", source.name, "pip install pyarrow") from None
    try:
        yield
    except pyarrow.ArrowMemoryError:
        raise MemoryError from None  # not damaged: a few bytes may stand for many, as where ids are in a dictionary
    except (pyarrow.ArrowException, OSError, EOFError, ValueError, IndexError, SystemError) as error:
        # Of these, names of columns that are not UTF-8 are ValueErrors, and damaged ones anything.
        source.rewind()
        reason = str(error).partition("\n")[0]
        raise InputError(
            f"the {kind.name} data are damaged ({reason})", source.name, "download or make the file again"
        ) from None


def _check_type(role: str, name: str, kind: Any, source: str) -> None:
    """Raise `InputError` for a column that cannot be what it should be."""
    kind = kind.value_type if types.is_dictionary(kind) else kind
    if role in columns.TEXTS:
        known = [types.is_string, types.is_large_string, types.is_binary, types.is_large_binary, types.is_integer]
        known += [types.is_string_view, types.is_binary_view, types.is_fixed_size_binary]
        expected = "expected strings or whole numbers"
    else:
        known = [types.is_integer, types.is_floating, types.is_decimal]
        known += [types.is_boolean] if role == "grade" else []  # true and false are words, as in CSV
        expected = "expected numbers"
    if not any(is_known(kind) for is_known in known):
        raise InputError(f"the column {name!r} holds values of type {kind}", source, expected)


def _usual(column: Any) -> Any:
    """A column of texts of a type that every function of pyarrow knows."""
    if types.is_dictionary(column.type):
        texts = _usual(column.dictionary)
        return column if texts is column.dictionary else pyarrow.DictionaryArray.from_arrays(column.indices, texts)
    if types.is_string_view(column.type):
        return column.cast(pyarrow.large_string())
    if types.is_binary_view(column.type) or types.is_fixed_size_binary(column.type):
        return column.cast(pyarrow.large_binary())
    return column


def decoded(column: Any) -> Any:
    """A column that is no dictionary."""
    return column.dictionary_decode() if types.is_dictionary(column.type) else column


def _as_text(column: Any) -> Any:
    """A column as bytes: numbers so that they are read back as the same."""
    column = decoded(column)
    if types.is_floating(column.type):
        column = column.cast(pyarrow.float64())
    if not (types.is_binary(column.type) or types.is_large_binary(column.type)):
        column = column.cast(pyarrow.large_string())
    return column.cast(pyarrow.large_binary())


def _text(table: Mapping[str, Any], rows: int, faults: Faults) -> bytes:
    """Rows as lines; an empty line, and a problem noted, for each that something is wrong with."""
    wrong = np.zeros(len(next(iter(table.values()))), dtype=bool)
    fields = dict(table)
    for role, column in table.items():
        bad = column.is_null()
        if role in columns.TEXTS:
            forging = compute.match_substring_regex(column, pattern=FORGING_BYTES)
            bad = compute.or_kleene(bad, compute.or_kleene(forging, compute.equal(compute.binary_length(column), 0)))
            if compute.any(compute.match_substring(column, pattern=b" ")).as_py():
                fields[role] = compute.replace_substring(column, pattern=b" ", replacement=bytes((STAND_IN,)))
        found = bad.to_numpy(zero_copy_only=False) & ~wrong
        for row in np.flatnonzero(found).tolist():
            faults.note(_fault(rows + row + 1, role, column[row].as_py()))
        wrong |= found
    nothing, blank, newline = (pyarrow.scalar(text, pyarrow.large_binary()) for text in (b"", b" ", b"\n"))
    lines = compute.binary_join_element_wise(*fields.values(), blank)
    if wrong.any():
        lines = compute.if_else(pyarrow.array(wrong), nothing, lines)
    joined = compute.binary_join_element_wise(lines, nothing, newline)
    # The strings of a column that has just been made stand one after the other.
    offsets, text = joined.buffers()[-2:]
    return bytes(text[: np.frombuffer(offsets, dtype=np.int64)[len(joined)]])


FORGING_BYTES = r"[\x00-\x1f\x7f]|^ | \z"
"""`irev.reading.formats.FORGING` for bytes."""


def _fault(row: int, role: str, value: bytes | None) -> Problem:
    if value is None:
        return Problem(row, "E113", f"the {role} is null", "expected a value in every row")
    return id_fault(row, role, value.decode("utf-8", "backslashreplace"))


@contextmanager
def _opened_parquet(source: Source) -> Iterator[OpenTable]:
    with source.seekable() as file:
        table = parquet.ParquetFile(file)
        yield OpenTable(table.schema_arrow, lambda names: parquet_batches(table, names, source, file, names[:1]))


def require_plausible_columns(table: Any, names: list[str], source: Source) -> None:
    """Raise `InputError` for a Parquet file whose columns of these names have more bytes than is plausible.

    The metadata say how many they are, before anything is read.
    """
    groups = [table.metadata.row_group(group) for group in range(table.num_row_groups)]
    # pyarrow ends the process where the metadata of a column are damaged: they are asked for only where it matters.
    flat = all(column.max_repetition_level == 0 for _, column in _columns(table, names))
    size = sum(max(group.total_byte_size, 0) + group.num_rows * _LEAST * len(names) for group in groups)
    if flat and size <= limits.LARGE:
        return
    chunks = [group.column(place) for group in groups for place, _ in _columns(table, names)]
    source.require_plausible(sum(max(chunk.total_uncompressed_size, chunk.num_values * _LEAST) for chunk in chunks))


_LEAST = 8
"""Bytes that each value takes at least when it is read."""


def _columns(table: Any, names: list[str]) -> list[tuple[int, Any]]:
    """Some columns of the schema of a Parquet file, with their places."""
    columns = enumerate(map(table.schema.column, range(table.metadata.num_columns)))
    return [(n, each) for n, each in columns if each.path in names or each.path.partition(".")[0] in names]


def parquet_batches(
    table: Any, names: list[str], source: Source, file: IO[bytes], query: Sequence[str] = ()
) -> Iterator[Any]:
    """Row groups one after the other: whoever asks for all at once is given them by and by, and keeps them."""
    require_plausible_columns(table, names, source)
    # Not all bytes of a row group at once, of which pyarrow would ask else.
    table = parquet.ParquetFile(file, read_dictionary=query, buffer_size=1 << 18, pre_buffer=False)
    groups: list[int] = []
    rows = 0
    for group in range(table.num_row_groups):
        groups.append(group)
        rows += table.metadata.row_group(group).num_rows
        if rows >= ROWS or group == table.num_row_groups - 1:
            yield from table.iter_batches(batch_size=ROWS, row_groups=groups, columns=names, use_threads=False)
            groups, rows = [], 0


MARK = b"PAR1"
"""How a Parquet file begins."""

PARQUET = TableKind("Parquet", "pyarrow.parquet", _opened_parquet)


add_format("parquet", PARQUET, "Parquet", ", or as ranx writes it", lambda head, settings: head.startswith(MARK))


# Columns without a detour through text
#
# Only what is plain is read so: ids that could stand in a line of TREC's, finite scores, no document twice. A run in
# which anything else turns up is `Unclean`, and is read as lines, where what is wrong has its place and its message.


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


def block_of(given: WholeQueries) -> Block:
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
