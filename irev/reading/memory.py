"""Judgments and runs that are in memory already: nested dictionaries, data frames, and arrays.

What comes out is what files give, `Judgments` and `Block`s, so that everything after it is shared and a number does not
depend on where its data came from. Nothing that is handed in is changed, and no library of data frames is imported: one
that hands in a frame has imported it.

Ids are strings. Bytes are the UTF-8 of one, and whole numbers their decimal digits. In memory an id may hold blanks,
which files could not tell from separators, but no NUL.
"""

from __future__ import annotations

import sys
from array import array
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import chain
from typing import Any, Protocol

import numpy as np
import numpy.typing as npt

from irev.base import segments
from irev.base.segments import Floats, Ints
from irev.base.settings import Settings
from irev.base.text import decoded, encoded
from irev.errors import Faults, InputError, UsageError
from irev.reading import columns as column_names
from irev.reading import ids, numbers, qrels
from irev.reading.fields import Fields, Layout
from irev.reading.ids import PAD, Bytes, Words, padded
from irev.reading.qrels import Judgments
from irev.reading.runs import Block, all_but_best


class Frame(Protocol):
    """What a data frame of pandas or polars, and a table of pyarrow, have in common."""

    @property
    def columns(self) -> Any:
        """Its columns, or their names."""

    def __getitem__(self, name: Any, /) -> Any: ...


Nested = Mapping[str, Mapping[str, float]]
"""``{query: {document: grade or score}}``."""

Arrays = tuple[Sequence[Any] | np.ndarray[Any, Any], ...]
"""Queries, documents, and grades or scores, all of one length."""

ROWS = 1 << 16
"""Results in a block, unless a query has more."""


def judgments(data: object, settings: Settings, name: str = "qrels") -> Judgments:
    """Judgments of a nested dictionary, a frame, or a tuple of arrays.

    Parameters
    ----------
    data : Nested, Frame or Arrays
    settings : Settings
        Names of columns, and what a negative grade means.
    name : str
        What messages call them.

    Raises
    ------
    InputError
        For an id that is none, a grade that is no number, a document that is judged twice, or no judgments at all.
    """
    parts = list(_nested(data, "grade", name)) if isinstance(data, Mapping) else [_table(data, "grade", settings, name)]
    part = _joined(parts) if len(parts) != 1 else parts[0]
    if not part.rows:
        raise InputError("there are no judgments", name)
    document = part.documents(0, part.rows)
    grade = graded(part.values, settings, name, part.described)
    counts = np.diff(part.bounds)
    judged = sorted(part.queries[i] for i in np.flatnonzero(counts).tolist())
    index = {query: i for i, query in enumerate(judged)}
    query = np.repeat(np.array([index.get(query, -1) for query in part.queries], dtype=np.int64), counts)
    key = document.keys(np.repeat(part.seeds, counts))
    twice = [] if part.distinct else ids.repeated(document.text, document.start, document.length, key, query)
    if twice:
        raise InputError(f"{part.described(twice[0][0])} is judged again", name, "keep one of the two")
    columns = qrels.JudgmentColumns(query, document.start, document.length, grade, key)
    return qrels.indexed(name, tuple(judged), document.text, columns)


def graded(value: Floats, settings: Settings, name: str, described: Callable[[int], str]) -> Floats:
    """The grades, as the setting for negative ones has them."""
    for row in np.flatnonzero(~(np.abs(value) <= qrels.LARGEST))[:1].tolist():
        fact = "is no number" if np.isnan(value[row]) else "is too large; expected at most 2^53"
        raise InputError(f"the grade {value[row]} of {described(row)} {fact}", name)
    if settings.negative == "nonrelevant":
        value = np.maximum(value, 0.0)
    elif settings.negative == "error":
        for row in np.flatnonzero(value < 0)[:1].tolist():
            remedy = "negative='unjudged' or 'nonrelevant' gives it a meaning"
            raise InputError(f"the grade {value[row]} of {described(row)} is negative", name, remedy)
    return value + 0.0  # a grade of -0 is 0


def blocks(data: object, settings: Settings, name: str = "run") -> Iterator[Block]:
    """The blocks of a run that is a nested dictionary, a frame, or a tuple of arrays.

    Parameters
    ----------
    data : Nested, Frame or Arrays
    settings : Settings
        Names of columns, what orders rows, and what becomes of documents that stand twice.
    name : str
        What messages call it.

    Raises
    ------
    InputError
        For an id that is none, a score that is no number, a document that a query retrieves twice, or no results.
    """
    parts: Iterable[_QueryRows]
    if isinstance(data, Mapping):
        if settings.order == "rank":
            raise UsageError("a dictionary has no ranks to order by", name, "leave out order='rank'")
        parts = _nested(data, "score", name)
    else:
        parts = [_table(data, "rank" if settings.order == "rank" else "score", settings, name)]
    some = False
    for part in parts:
        for first, last in part.cuts():
            some = True
            yield _block(part, first, last, settings, name)
    if not some:
        raise InputError("there are no results", name)


def _block(part: _QueryRows, first: int, last: int, settings: Settings, name: str) -> Block:
    """The block of the queries from `first` up to `last`."""
    begin, end = part.bounds[first], part.bounds[last]
    rows = np.diff(part.bounds[first : last + 1])
    query = np.repeat(np.arange(last - first), rows)
    document = part.documents(begin, end)
    key = document.keys(np.repeat(part.seeds[first:last], rows))
    value = part.values[begin:end]
    for row in np.flatnonzero(np.isnan(value))[:1].tolist():
        raise InputError(f"the {part.role} of {part.described(begin + row)} is no number", name)
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
        _NOWHERE,
        np.broadcast_to(np.int64(0), end - begin),
    )
    if settings.drop_self:
        queries = _joined_ids(part.queries[first:last])
        is_query = ids.equal(
            document.text, document.start, document.length, queries.text, queries.start[query], queries.length[query]
        )
        block = block.without(np.flatnonzero(is_query))
    return block if part.distinct else _without_repeats(block, part, settings, name)


def _without_repeats(block: Block, part: _QueryRows, settings: Settings, name: str) -> Block:
    """The block with each document once per query."""
    pairs = ids.repeated(block.text, block.start, block.length, block.key, block.query)
    if not pairs:
        return block
    again, first = (np.array(rows, dtype=np.int64) for rows in zip(*pairs, strict=True))
    if settings.duplicates == "error":
        fact = f"{part.described(int(block.row[again[0]]))} is retrieved again"
        raise InputError(fact, name, "keep one of the two, or choose duplicates='first' or 'best'")
    return block.without(all_but_best(block, again, first) if settings.duplicates == "best" else again)


_NOWHERE = Fields(
    (), (), None, 0, np.empty(0, np.int64), Faults(), Layout((), True, True, "none", ""), np.empty(0, np.uint8)
)
"""What stands for the lines of rows that come from none."""


def kept(block: Block) -> Block:
    """A block of a file that stays when the text it was read from is overwritten."""
    text = block.text.copy()
    return replace(block, text=text, score=replace(block.score, text=text), fields=_NOWHERE)


# Ids


@dataclass(frozen=True, eq=False)
class _Ids:
    """Ids in a text, as `irev.reading.ids` takes them, and where all have as many words, these words."""

    text: Bytes
    start: Ints
    length: Ints
    words: npt.NDArray[np.uint64] | None = None

    def keys(self, seed: Words | np.uint64) -> Words:
        loaded = None if self.words is None else [self.words[:, i] for i in range(self.words.shape[1])]
        return ids.keys(self.text, self.start, self.length, seed, loaded)

    def at(self, row: int) -> bytes:
        return ids.at(self.text, self.start[row], self.length[row])


class _Unusable(Exception):
    """An id that cannot be one: its row, and what is wrong with it."""

    def __init__(self, row: int, fact: str) -> None:
        super().__init__(fact)
        self.row = row
        self.fact = fact


def _joined_ids(written: Sequence[Any]) -> _Ids:
    """Ids from strings, or from bytes. Raises `_Unusable`."""
    if not len(written):
        return _Ids(padded(0), np.empty(0, np.int64), np.empty(0, np.int64))
    try:
        data = b"\0".join(written) if isinstance(written[0], bytes) else _encoded("\0".join(written))
    except (TypeError, ValueError):
        raise _first_unusable(written) from None
    found = _split(data, len(written))
    if found is None:
        raise _first_unusable(written)
    return found


def _split(data: bytes, count: int) -> _Ids | None:
    """The ids that NULs separate; None when there are not `count` of them, or one is empty."""
    text = padded(len(data))
    text[PAD : PAD + len(data)] = np.frombuffer(data, dtype=np.uint8)
    stop = np.flatnonzero(text[PAD : PAD + len(data) + 1] == 0)
    stop += PAD
    if len(stop) != count:
        return None
    start = np.empty_like(stop)
    start[0] = PAD
    start[1:] = stop[:-1] + 1
    length = stop - start
    return _Ids(text, start, length) if length.all() else None


def _encoded(written: str) -> bytes:
    """UTF-8, with bytes that are none as Python's own functions read them; `ValueError` where no bytes would do."""
    try:
        return written.encode()
    except UnicodeEncodeError:
        data = encoded(written)
        if decoded(data) != written:
            raise ValueError from None
        return data


def _first_unusable(written: Sequence[Any]) -> _Unusable:
    kind = bytes if isinstance(written[0], bytes) else str
    for row, each in enumerate(written):
        if not isinstance(each, kind):
            expected = "a string" if kind is str else "bytes, as the ones before"
            return _Unusable(row, f"{_brief(each)} is of type {type(each).__name__}; expected {expected}")
        if not each:
            return _Unusable(row, "is empty")
        if (0 if isinstance(each, bytes) else "\0") in each:
            return _Unusable(row, f"{_brief(each)} holds a NUL")
        if isinstance(each, str):
            try:
                _encoded(each)
            except ValueError:
                return _Unusable(row, f"{_brief(each)} is no text that UTF-8 can hold")
    raise RuntimeError("every id is usable")


def _brief(value: object) -> str:
    written = repr(value)
    return written if len(written) <= 60 else written[:60] + "…"


def _whole_number_ids(values: Any) -> _Ids:
    """Ids from whole numbers: their decimal digits."""
    values = np.asarray(values)
    if not len(values) or values.min() < 0:
        return _joined_ids([str(value) for value in values.tolist()])
    highest = int(values.max())
    values = values.astype(np.uint32 if highest < 1 << 32 else np.uint64)
    digits = len(str(highest))
    groups = -(-digits // 4)
    length = np.ones(len(values), dtype=np.int64)
    for power in range(1, digits):
        length += values >= 10**power
    written = np.empty((len(values), groups), dtype="<u4")
    for group in reversed(range(groups)):
        rest = values // 10_000
        written[:, group] = _FOUR_DIGITS[values - rest * 10_000]
        values = rest
    width = 4 * groups
    return _Ids(_text(written), PAD + np.arange(1, len(values) + 1) * width - length, length)


_FOUR_DIGITS = np.frombuffer(b"".join(b"%04d" % n for n in range(10_000)), dtype="<u4")
"""The text of every number of four digits, as one word."""


def _text(content: Any) -> Bytes:
    """The bytes of an array between pads."""
    content = np.ascontiguousarray(content).reshape(-1).view(np.uint8)
    text = padded(len(content))
    text[PAD : PAD + len(content)] = content
    return text


def _fixed_width_ids(values: Any) -> _Ids:
    """Ids from a numpy array of strings or bytes of at most some length, which NULs fill up."""
    rows = len(values)
    kind = np.uint32 if values.dtype.kind == "U" else np.uint8
    content = np.ascontiguousarray(values, dtype=values.dtype.newbyteorder("=")).view(kind).reshape(rows, -1)
    if not content.size or (values.dtype.kind == "U" and content.max() >= 128):
        return _joined_ids(values.tolist())
    # Each id has whole words of its own, so that they can be read one after the other.
    width = content.shape[1]
    text = padded(rows * -(-width // 8) * 8)
    by_row = text[PAD : len(text) - PAD].reshape(rows, -1)
    by_row[:, :width] = content
    by_row[:, width:] = 0
    filled = int(np.count_nonzero(text))
    length = np.full(rows, width)
    if filled != content.size:
        length = np.strings.str_len(values).astype(np.int64)
        if filled != int(length.sum()) or not length.all():
            raise _first_unusable(values.tolist())
    words = by_row.view("<u8") if width <= ids.LONG else None
    return _Ids(text, PAD + np.arange(rows) * by_row.shape[1], length, words)


def _arrow_ids(values: Any) -> _Ids:
    """Ids from a pyarrow array of strings or bytes."""
    _, places, content = values.buffers()
    kind = np.int64 if str(values.type).startswith("large") else np.int32
    offsets = np.frombuffer(places, dtype=kind)[values.offset : values.offset + len(values) + 1].astype(np.int64)
    found = np.frombuffer(content, dtype=np.uint8) if content is not None else np.empty(0, np.uint8)
    text = _text(found[offsets[0] : offsets[-1]])
    length = np.diff(offsets)
    if not length.all() or not text[PAD : len(text) - PAD].all():
        raise _first_unusable(values.to_pylist())
    return _Ids(text, offsets[:-1] - offsets[0] + PAD, length)


def _polars_ids(values: Any) -> _Ids:
    """Ids from a polars series of strings."""
    found = _split(_encoded(values.str.join("\0").item()), len(values)) if len(values) else _joined_ids([])
    if found is None:
        raise _first_unusable(values.to_list())
    return found


# Columns: numpy arrays, pyarrow arrays of strings, polars series of strings


def _ids(column: Any) -> _Ids:
    """The ids of a column. Raises `_Unusable`."""
    if isinstance(column, np.ndarray):
        if column.dtype.kind in "iu":
            return _whole_number_ids(column)
        return _joined_ids(column.tolist()) if column.dtype.kind == "O" else _fixed_width_ids(column)
    return _polars_ids(column) if _of(column, "polars", "Series") else _arrow_ids(column)


def _taken(column: Any, rows: slice | Ints) -> Any:
    """Some rows of a column."""
    if _of(column, "pyarrow", "Array") and not isinstance(rows, slice):
        return column.take(sys.modules["pyarrow"].array(rows))
    return column[rows]


def _changes(column: Any) -> Ints:
    """Rows whose value differs from the row before, the first row included."""
    if _of(column, "pyarrow", "Array"):
        found = _arrow_ids(column)
        return ids.changes(found.text, found.start, found.length)
    if isinstance(column, np.ndarray) and column.dtype.kind in "SU" and column.itemsize in (4, 8, 16, 32):
        # As whole words, which are compared faster than texts.
        words = np.ascontiguousarray(column).view(np.uint32 if column.itemsize == 4 else np.uint64)
        words = words.reshape(len(column), -1)
        differs = words[1:, 0] != words[:-1, 0]
        for i in range(1, words.shape[1]):
            differs |= words[1:, i] != words[:-1, i]
    else:
        differs = np.asarray(column[1:] != column[:-1], dtype=bool)
    return np.concatenate(([0], np.flatnonzero(differs) + 1)) if len(column) else np.empty(0, np.int64)


def _of(value: object, library: str, kind: str) -> bool:
    """Whether this is a value of a library that may not even be there."""
    module = sys.modules.get(library)
    return module is not None and isinstance(value, getattr(module, kind))


def _id_column(values: Any, name: str, column: str) -> Any:
    """A column of ids as one of the three kinds. Raises `InputError` for anything else."""
    if _of(values, "pandas", "Series") or _of(values, "pandas", "Index"):
        _require_present(values.isna().to_numpy(), name, column)
        arrow = getattr(values.array, "__arrow_array__", None)
        is_text = str(values.dtype) in ("str", "string") or str(values.dtype).startswith(("string[", "large_string["))
        values = arrow() if arrow is not None and is_text and _has_arrow_text(values) else _unboxed(values)
    elif _of(values, "polars", "Series"):
        _require_present(values.is_null().to_numpy(), name, column)
        if str(values.dtype).startswith(("Categorical", "Enum")):
            values = values.cast(sys.modules["polars"].String)
        if str(values.dtype) == "String":
            return values
        values = values.to_numpy()
    if _of(values, "pyarrow", "ChunkedArray"):
        values = values.combine_chunks()
        if _of(values, "pyarrow", "ChunkedArray"):
            values = values.chunk(0)
    if _of(values, "pyarrow", "Array"):
        _require_present(np.asarray(values.is_null()), name, column)
        if str(values.type).startswith("dictionary"):
            values = values.dictionary_decode()
        if str(values.type) in ("string_view", "binary_view"):
            values = values.cast("large_string" if str(values.type) == "string_view" else "large_binary")
        if str(values.type) in ("string", "large_string", "binary", "large_binary"):
            return values
        values = values.to_numpy(zero_copy_only=False)
    if not isinstance(values, np.ndarray):
        first = next(iter(values), "")
        values = _objects(values) if isinstance(first, str | bytes) else np.asarray(values)
    if values.ndim != 1 or values.dtype.kind not in "SUOiu":
        fact = f"{column} holds {values.dtype}" if values.ndim == 1 else f"{column} has {values.ndim} dimensions"
        raise InputError(fact, name, "expected a column of ids: strings, bytes, or whole numbers")
    return values


def _objects(values: Sequence[Any]) -> Any:
    """A list of Python objects as an array of them."""
    column = np.empty(len(values), dtype=object)
    column[:] = values
    return column


def _unboxed(series: Any) -> Any:
    """A pandas series as a numpy array; whole numbers that could be missing, and are not, as whole numbers."""
    kind = getattr(series.dtype, "kind", "O")
    return series.to_numpy(dtype=f"{kind}8") if kind in "iu" else series.to_numpy()


def _has_arrow_text(series: Any) -> bool:
    return getattr(series.dtype, "storage", "pyarrow") == "pyarrow" and "pyarrow" in sys.modules


def _require_present(absent: Any, name: str, column: str) -> None:
    if absent.any():
        raise InputError(f"{column} has no value in row {int(np.argmax(absent))}", name, "expected an id in every row")


def _number_column(values: Any, name: str, column: str) -> Floats:
    """A column of numbers; NaN where there is none. Raises `InputError` for anything else."""
    if _of(values, "pandas", "Series") and values.dtype.kind in "iufb":
        values = values.to_numpy(dtype=np.float64, na_value=np.nan)
    elif _of(values, "pyarrow", "ChunkedArray") or _of(values, "pyarrow", "Array"):
        values = values.to_numpy(zero_copy_only=False) if _of(values, "pyarrow", "Array") else values.to_numpy()
    elif not isinstance(values, np.ndarray):
        values = values.to_numpy() if hasattr(values, "to_numpy") else _objects(values)
    if values.ndim == 1 and values.dtype.kind in "iufb":
        converted: Floats = values.astype(np.float64, copy=False)
        return converted
    if values.ndim == 1 and values.dtype.kind == "O":
        return _floats(values.tolist(), lambda row: f"{column}, row {row}", name)
    fact = f"{column} holds {values.dtype}" if values.ndim == 1 else f"{column} has {values.ndim} dimensions"
    raise InputError(fact, name, "expected a column of numbers")


def _floats(values: list[Any], where: Callable[[int], str], name: str) -> Floats:
    """Python's numbers as doubles. Raises `InputError` for what is none."""
    try:
        return np.frombuffer(array("d", values), dtype=np.float64)
    except (TypeError, OverflowError):
        for row, value in enumerate(values):
            try:
                array("d", [value])
            except TypeError:
                what = f"{_brief(value)} of type {type(value).__name__}"
                raise InputError(f"{where(row)}: {what} is no number", name) from None
            except OverflowError:
                raise InputError(f"{where(row)}: {_brief(value)} is too large", name) from None
        raise


# Rows by query


@dataclass(frozen=True, eq=False)
class _QueryRows:
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
    documents: Callable[[int, int], _Ids]
    values: Floats
    distinct: bool

    @property
    def rows(self) -> int:
        """Number of rows."""
        return len(self.values)

    @cached_property
    def seeds(self) -> Words:
        """What the keys of the documents of each query begin from."""
        return _joined_ids(self.queries).keys(ids.SEED)

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
        document = self.documents(row, row + 1).at(0)
        return f"document {_shown(document)} of query {_shown(query)}"


def _shown(written: bytes) -> str:
    return _brief(decoded(written))


def _nested(data: Mapping[Any, Any], role: str, name: str) -> Iterator[_QueryRows]:
    """A nested dictionary, in parts of about `ROWS` rows."""
    queries: list[Any] = []
    inner: list[Mapping[Any, Any]] = []
    rows = 0
    for query, documents in data.items():
        if not isinstance(documents, Mapping):
            fact = f"query {_brief(query)} has a value of type {type(documents).__name__}"
            raise InputError(fact, name, f"expected a dictionary of documents and {role}s")
        queries.append(query)
        inner.append(documents)
        rows += len(documents)
        if rows >= ROWS:
            yield _nested_part(queries, inner, role, name)
            queries, inner, rows = [], [], 0
    if queries:
        yield _nested_part(queries, inner, role, name)


def _nested_part(queries: list[Any], inner: list[Mapping[Any, Any]], role: str, name: str) -> _QueryRows:
    bounds = np.zeros(len(inner) + 1, dtype=np.int64)
    np.cumsum([len(documents) for documents in inner], out=bounds[1:])

    def query_of(row: int) -> str:
        return _brief(queries[int(np.searchsorted(bounds, row, "right")) - 1])

    written = _queries(queries, name)
    values = array("d")
    names: list[str] = []
    try:
        # A query at a time, so that its objects are fetched from memory once.
        for documents in inner:
            values.fromlist(list(documents.values()))
            if documents:
                names.append("\0".join(documents))
        found = _split(_encoded("\0".join(names)), len(values)) if names else _joined_ids([])
    except (TypeError, ValueError, OverflowError):
        found = None
    if found is None:
        each = list(chain.from_iterable(inner))
        try:
            found = _joined_ids(each)
        except _Unusable as fault:
            raise InputError(f"a document id of query {query_of(fault.row)} {fault.fact}", name) from None
        _floats(
            list(chain.from_iterable(documents.values() for documents in inner)),
            lambda row: f"the {role} of document {_brief(each[row])} of query {query_of(row)}",
            name,
        )
    return _QueryRows(role, written, bounds, _within(found), np.frombuffer(values, dtype=np.float64), distinct=True)


def _queries(written: list[Any], name: str) -> list[bytes]:
    """Query ids as bytes."""
    try:
        found = _joined_ids(written)
    except _Unusable as fault:
        raise InputError(f"a query id {fault.fact}", name) from None
    return [found.at(row) for row in range(len(written))]


def _within(found: _Ids) -> Callable[[int, int], _Ids]:
    """Some of the ids, which stay where they are."""
    return lambda begin, end: _Ids(found.text, found.start[begin:end], found.length[begin:end])


def _joined(parts: list[_QueryRows]) -> _QueryRows:
    """The parts of a nested dictionary as one."""
    if not parts:
        return _QueryRows("grade", [], np.zeros(1, np.int64), _within(_joined_ids([])), np.empty(0), distinct=True)
    found = [part.documents(0, part.rows) for part in parts]
    moved = np.cumsum([0, *(len(each.text) for each in found)])
    everything = _Ids(
        np.concatenate([each.text for each in found]),
        np.concatenate([each.start + by for each, by in zip(found, moved[:-1].tolist(), strict=True)]),
        np.concatenate([each.length for each in found]),
    )
    counts = np.concatenate([np.diff(part.bounds) for part in parts])
    return _QueryRows(
        parts[0].role,
        [query for part in parts for query in part.queries],
        np.concatenate(([0], np.cumsum(counts))),
        _within(everything),
        np.concatenate([part.values for part in parts]),
        distinct=True,
    )


def _table(data: object, role: str, settings: Settings, name: str) -> _QueryRows:
    """A frame, or a tuple of arrays."""
    if isinstance(data, tuple):
        if len(data) != 3:
            raise InputError(f"a tuple of {len(data)}", name, f"expected three arrays: queries, documents and {role}s")
        if role == "rank":
            raise UsageError("arrays have no ranks to order by", name, "leave out order='rank'")
        labels = ["the array of queries", "the array of documents", f"the array of {role}s"]
        columns = list(data)
    else:
        labels, columns = _frame_columns(data, role, settings, name)
    lengths = [len(column) for column in columns]
    if len(set(lengths)) > 1:
        said = ", ".join(f"{label} has {length}" for label, length in zip(labels, lengths, strict=True))
        raise InputError(f"lengths differ: {said}", name)
    query = _id_column(columns[0], name, labels[0])
    document = _id_column(columns[1], name, labels[1])
    values = _number_column(columns[2], name, labels[2])
    return _gathered(query, document, values, role, name)


def is_frame(data: object) -> bool:
    """Whether this is a data frame of pandas or polars, or a table of pyarrow."""
    kinds = (("pandas", "DataFrame"), ("polars", "DataFrame"), ("pyarrow", "Table"))
    return any(_of(data, library, kind) for library, kind in kinds)


def _frame_columns(data: object, role: str, settings: Settings, name: str) -> tuple[list[str], list[Any]]:
    """The three columns of a frame, and what messages call them."""
    if _of(data, "polars", "LazyFrame"):
        raise InputError("this is a lazy frame", name, "collect() it first")
    if not is_frame(data):
        raise InputError(
            f"this is of type {type(data).__name__}",
            name,
            "expected a path, a nested dictionary, a data frame, or a tuple of three arrays",
        )
    frame: Any = data
    there = list(frame.column_names if _of(data, "pyarrow", "Table") else frame.columns)
    chosen = column_names.chosen(settings, role)
    naming = column_names.Naming(("query", "document", role), chosen, "columns={{'{role}': …}}")
    names = [naming.column(each, there, name) for each in naming.roles]
    return [f"column {_brief(each)}" for each in names], [frame[each] for each in names]


def _gathered(query: Any, document: Any, values: Floats, role: str, name: str) -> _QueryRows:
    """Columns as rows by query: as they are when the queries are in one piece each, or else brought together."""
    heads = _changes(query)
    try:
        found = _ids(_taken(query, heads))
    except _Unusable as fault:
        raise InputError(f"the query id of row {heads[fault.row]} {fault.fact}", name) from None
    group, examples = ids.grouped(found.text, found.start, found.length)
    order = None
    if len(examples) == len(heads):
        queries = [found.at(row) for row in range(len(heads))]
        bounds = np.append(heads, len(values))
    else:
        of_row = np.repeat(group, np.diff(np.append(heads, len(values))))
        order = segments.stable_order(of_row)
        queries = [found.at(row) for row in examples.tolist()]
        bounds = np.concatenate(([0], np.cumsum(np.bincount(of_row))))
        values = values[order]

    def documents(begin: int, end: int) -> _Ids:
        rows = slice(begin, end) if order is None else order[begin:end]
        try:
            return _ids(_taken(document, rows))
        except _Unusable as fault:
            row = begin + fault.row if order is None else order[begin + fault.row]
            raise InputError(f"the document id of row {row} {fault.fact}", name) from None

    return _QueryRows(role, queries, bounds, documents, values, distinct=False)
