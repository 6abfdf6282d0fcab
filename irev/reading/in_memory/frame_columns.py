"""Columns of data frames and arrays: of ids, as numpy, pyarrow or polars has them, and of numbers."""

from __future__ import annotations

import io
import json
import sys
from array import array
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np

from irev.base.errors import InputError
from irev.base.segments import Floats, Ints
from irev.base.settings import Settings
from irev.base.text import brief, counted, encoded
from irev.reading import columns as column_names
from irev.reading import ids
from irev.reading.flat_ids import FlatIds
from irev.reading.small_files import without_words, words_known
from irev.reading.written_ids import arrow_ids, fixed_width_ids, joined_ids, polars_ids, whole_number_ids


def is_frame(data: object) -> bool:
    """Whether this is a data frame of pandas or polars, or a table of pyarrow."""
    kinds = (("pandas", "DataFrame"), ("polars", "DataFrame"), ("pyarrow", "Table"))
    return any(_of(data, library, kind) for library, kind in kinds)


def columns_of_frame(data: object, role: str, settings: Settings, name: str) -> tuple[str, list[str], list[Any]]:
    """The columns of a frame, and what messages call them; before these what the numbers are, ``rank`` where a run has
    ranks and no scores. Without numbers these are two."""
    if _of(data, "polars", "LazyFrame"):
        raise InputError("this is a lazy frame", name, "collect() it first")
    if not is_frame(data):
        expected = "expected a path, a nested dictionary, a data frame, or a tuple of three arrays"
        if hasattr(data, "to_dict"):
            expected += "; its to_dict() may be one"
        elif hasattr(data, "__array__"):
            expected += "; irev.top_k takes an array of neighbours, with a row for each query"
        raise InputError(f"this is of type {type(data).__name__}", name, expected)
    frame: Any = data
    there = _names(frame)
    rivals = column_names.graded(there)
    kinds = {each: _kind_of(frame[each]) for each in rivals} if 1 < len(rivals) == len({*rivals}) else {}
    found = _naming(("query", "document", role), settings).among(there, name, kinds=kinds)
    labels = [f"column {brief(each)}" for each in found.values()]
    return role if len(found) == 2 else [*found][-1], labels, [_column(frame, *each, name) for each in found.items()]


def _kind_of(values: Any) -> str:
    return column_names.kind_of([str(each) for each in _python(values[: column_names.FIRST])])


def _column(frame: Any, role: str, called: Any, name: str) -> Any:
    """The column of a role; of ``file+page`` the ids that both make."""
    parts = column_names.parts_of(role, called, _names(frame))
    if len(parts) == 1:
        return frame[called]
    values = [[*map(_digits, _python(frame[each]))] for each in parts]
    for row, each in enumerate(zip(*values, strict=True)):
        if not all(isinstance(part, str) and part for part in each):
            raise InputError(f"column {brief(called)} has no id in row {row}", name, "expected texts or whole numbers")
    return [column_names.JOINING.join(each) for each in zip(*values, strict=True)]


def lists_of_frame(data: object, role: str, settings: Settings, name: str) -> dict[Any, list[Any]] | bytes | None:
    """The documents of each query of a frame with a row for each query and a column of lists; None for another frame.
    Where lists are written as texts, or hold objects or pairs, the frame as CSV, whose reader knows them.

    Raises
    ------
    InputError
        For a row without a list, and a query with two rows.
    """
    if not is_frame(data):
        return None
    frame: Any = data
    _require_rows(frame, role, settings, name)
    there = _names(frame)
    of_lists = "relevant" if role == "grade" else "results"
    naming = _naming(("query", of_lists), settings)
    if not naming.has(there):
        for column in column_names.candidates("document", naming.chosen, there)[:1]:
            if column in there and isinstance(_first(frame[column]), _lists_of(role)):
                what = "the relevant documents" if role == "grade" else "documents, best first"
                remedy = f"columns={{{of_lists!r}: {brief(column)}}} says that these are {what}"
                raise InputError(f"column {brief(column)} has lists", name, remedy)
        return None
    if _naming(("query", "document", role), settings).has(there):
        return None
    query, lists = naming.among(there, name).values()
    rows, queries = _python(frame[lists]), [*map(_digits, _python(frame[query]))]
    beside = _lists_beside(frame, role, naming.chosen, [query, lists])
    first = next((each for each in rows if each is not None and not _is_nan(each)), None)
    numbers = ("score", "rank") if role != "grade" else ("grade",)
    of_rows = any(column_names.candidates(each, naming.chosen, there) for each in ("document", *numbers))
    if isinstance(first, str) and (first.lstrip().startswith("[") or not of_rows):
        return _as_csv({query: queries, lists: rows, **beside}, name)
    if isinstance(first, set | frozenset) and role != "grade":
        raise InputError(f"column {brief(lists)} has sets, which have no order", name, "expected lists, best first")
    if not isinstance(first, _lists_of(role)):
        return None
    if beside or any(
        isinstance(each, dict | list | tuple) for row in rows if isinstance(row, _lists_of(role)) for each in row
    ):
        return _as_csv({query: queries, lists: rows, **beside}, name)
    found: dict[Any, list[Any]] = {}
    for row, (written, documents) in enumerate(zip(queries, rows, strict=True)):
        if not isinstance(documents, _lists_of(role)):
            fact = f"column {brief(lists)} has a value of type {type(documents).__name__} in row {row}"
            raise InputError(fact, name, "expected a list of documents in every row")
        if written in found:
            raise InputError(f"query {brief(written)} has two rows", name, "put all its documents into one list")
        found[written] = [*map(_digits, documents)]
    return found


def _lists_beside(frame: Any, role: str, chosen: Mapping[str, str], others: Sequence[Any]) -> dict[str, list[Any]]:
    """The columns of lists that may be numbers of documents in another; of judgments, with those of results."""
    there = _names(frame)
    known = [each for kind in (role, "score") for each in column_names.numbers_beside(kind, chosen, there)]
    known += column_names.candidates("results", {}, there) if role == "grade" else []
    firsts = {each: _first(frame[each]) for each in known if each not in others}
    lists = [each for each, first in firsts.items() if isinstance(first, str | list | tuple | np.ndarray)]
    return {each: _python(frame[each]) for each in lists}


def _as_csv(table: Mapping[str, Sequence[Any]], name: str) -> bytes:
    """Columns of a frame as CSV, with lists as JSON; the first has the queries."""
    import csv

    made = io.StringIO()
    writer = csv.writer(made, lineterminator="\n")
    query, *columns = table
    writer.writerow(table)
    for row, (written, *cells) in enumerate(zip(*table.values(), strict=True)):
        if not isinstance(written, str):
            raise InputError(f"column {brief(query)} has no id in row {row}", name, "expected texts or whole numbers")
        texts = []
        for column, cell in zip(columns, cells, strict=True):
            try:
                texts.append(cell if isinstance(cell, str) else json.dumps(cell, default=_plain))
            except (TypeError, ValueError, RecursionError):
                fact = f"column {brief(column)} has a value of type {type(cell).__name__} in row {row}"
                raise InputError(fact, name, "expected a list of documents in every row") from None
        writer.writerow((written, *texts))
    return encoded(made.getvalue())


def _plain(value: Any) -> Any:
    """A value of numpy as Python has it, for JSON."""
    if isinstance(value, np.ndarray | np.generic):
        return value.tolist()
    raise TypeError


def _is_nan(value: Any) -> bool:
    return isinstance(value, float) and value != value


def _lists_of(role: str) -> tuple[type[Any], ...]:
    """What holds documents: relevant ones may be a set, and those of a run have an order."""
    return (list, tuple, np.ndarray, *(set, frozenset) * (role == "grade"))


def _naming(roles: tuple[str, ...], settings: Settings) -> column_names.Naming:
    chosen = settings.columns_of("grade" if roles[-1] in ("grade", "relevant") else "score")
    return column_names.Naming(roles, chosen, unscored=settings.order == "file", given=settings.columns)


def _names(frame: Any) -> list[Any]:
    return list(frame.column_names if _of(frame, "pyarrow", "Table") else frame.columns)


def _python(column: Any) -> list[Any]:
    """The values of a column as Python has them."""
    return list(column.to_pylist() if hasattr(column, "to_pylist") else column.to_list())


def _first(column: Any) -> Any:
    """The first value of a column as Python has it that is one; None of a column without values."""
    begin = column.iloc[:_LOOKED_AT] if hasattr(column, "iloc") else column[:_LOOKED_AT]
    return next((each for each in _python(begin) if each is not None), None)


_LOOKED_AT = 1000
"""Rows that are looked at for the first value."""


def _require_rows(frame: Any, role: str, settings: Settings, name: str) -> None:
    """Raise `InputError` for a frame of no rows, whose columns have no types, and for one with ids in its index."""
    if not len(frame):
        raise InputError("there are no judgments" if role == "grade" else "there are no results", name)
    index = getattr(frame, "index", None)
    if index is None or type(index).__name__ == "RangeIndex":
        return
    called = [each for each in index.names if each is not None]
    for wanted in ("query", "document"):
        known = _naming((wanted,), settings).chosen
        if not column_names.candidates(wanted, known, _names(frame)) and (
            column_names.candidates(wanted, known, called) or (wanted == "query" and not called)
        ):
            fact = f"there is no column of {wanted} ids, and the index is not the numbers of rows"
            raise InputError(fact, name, "frame.reset_index() makes columns of it" + "; name them" * (not called))


def _digits(written: Any) -> Any:
    """A whole number as its decimal digits, which is what it is as an id."""
    return str(written) if isinstance(written, int | np.integer) and not isinstance(written, bool) else written


def array_of(values: Any, name: str, column: str) -> Any:
    """What is an array of another library, such as a tensor, as one of numpy; anything else as it is.

    numpy asks it for one, by ``__array__`` or DLPack, so that no such library is imported. Raises `InputError` where
    that gives none, as what is on a graphics card does not, and for masked values, which numpy would read as if they
    were not.
    """
    if isinstance(values, np.ndarray) and np.any(getattr(values, "mask", False)):
        masked = int(np.count_nonzero(values.mask))  # type: ignore[attr-defined]
        fact = f"{column}: {counted(masked, 'value is', 'values are')} masked"
        raise InputError(fact, name, "leave them out, or fill them: array.filled(…)")
    if isinstance(values, np.ndarray | list | tuple) or is_column(values):
        return values
    try:
        if hasattr(values, "__array__"):
            return np.asarray(values)
        return np.from_dlpack(values) if hasattr(values, "__dlpack__") else values
    except (TypeError, ValueError, RuntimeError, BufferError, AttributeError) as error:
        reason = " ".join(str(error).split())
        fact = f"{column} of type {type(values).__name__} cannot be converted to an array ({reason})"
        raise InputError(fact, name, "move it to the CPU: tensor.detach().cpu()") from None


def is_column(data: object) -> bool:
    """Whether this is a column of a frame of pandas or polars, or of a table of pyarrow."""
    kinds = (
        *(("pandas", "Series"), ("pandas", "Index"), ("polars", "Series")),
        *(("pyarrow", "ChunkedArray"), ("pyarrow", "Array")),
    )
    return any(_of(data, library, kind) for library, kind in kinds)


def id_column(values: Any, name: str, column: str) -> Any:
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


def number_column(values: Any, name: str, column: str, words: Settings | None = None) -> Floats:
    """A column of numbers, or with `words` of words that are grades; NaN where there is none. Raises `InputError` for
    anything else."""
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
        return doubles(values.tolist(), lambda row: f"{column}, row {row}", name, words)
    fact = f"{column} holds {values.dtype}" if values.ndim == 1 else f"{column} has {values.ndim} dimensions"
    raise InputError(fact, name, "expected a column of numbers")


def doubles(
    values: list[Any], where: Callable[[int], str], name: str, words: Settings | None = None, remedy: str = ""
) -> Floats:
    """Python's numbers as doubles, with `words` also words that are grades by these settings. Raises `InputError`, with
    `remedy`, for a value that is not a number."""
    try:
        return np.frombuffer(array("d", values), dtype=np.float64)
    except (TypeError, OverflowError):
        if words is not None and any(isinstance(value, str) for value in values):
            return doubles(without_words(values, words), where, name, remedy=words_known(words, "grade_words"))
        for row, value in enumerate(values):
            try:
                array("d", [value])
            except TypeError:
                what = f"{brief(value)} of type {type(value).__name__}"
                raise InputError(f"{where(row)}: {what} is not a number", name, remedy=remedy) from None
            except OverflowError:
                raise InputError(f"{where(row)}: {brief(value)} is too large", name) from None
        raise


def ids_of(column: Any) -> FlatIds:
    """The ids of a column. Raises `UnusableId`."""
    if isinstance(column, np.ndarray):
        if column.dtype.kind in "iu":
            return whole_number_ids(column)
        return joined_ids(column.tolist()) if column.dtype.kind == "O" else fixed_width_ids(column)
    return polars_ids(column) if _of(column, "polars", "Series") else arrow_ids(column)


def rows_of(column: Any, rows: slice | Ints) -> Any:
    """Some rows of a column."""
    if _of(column, "pyarrow", "Array") and not isinstance(rows, slice):
        return column.take(sys.modules["pyarrow"].array(rows))
    return column[rows]


def changes(column: Any) -> Ints:
    """Rows whose value differs from the row before, the first row included."""
    if _of(column, "pyarrow", "Array"):
        found = arrow_ids(column)
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
    # Another thread may be importing the library, which has not all of its names then.
    return isinstance(value, getattr(sys.modules.get(library), kind, ()))
