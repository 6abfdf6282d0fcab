"""Arrays of nearest neighbours, as vector search has them: a row for each query, ids are whole numbers, nearest first.

Query n is row n, counted from 0, and -1 is no result. As judgments, every neighbour is relevant, and its grade is the
number of neighbours from it to the end of the row: a nearer one has a higher grade, and neighbours of the same distance
have the same. As a run, the order of a row is the ranking.

Files are ``.npy`` and ``.npz`` of numpy, ``.ivecs`` (Texmex), ``.ibin`` (big-ann-benchmarks), HDF5 (ann-benchmarks) and
Parquet with a column of lists (VectorDBBench). `opened` finds the arrays in a file. Rows are read some at a time,
whatever the size of the file; measures that need all judgments at once have them whole.
"""

from __future__ import annotations

import math
import struct
import tempfile
import zipfile
import zlib
from collections.abc import Callable, Iterator, Mapping
from contextlib import AbstractContextManager, ExitStack, contextmanager, nullcontext
from functools import partial
from importlib import import_module
from typing import IO, Any, Literal, NamedTuple, Protocol

import numpy as np
from numpy.lib import format as npy

from irev.base.errors import Faults, InputError, Problem, ProblemError, UsageError, brief, shown
from irev.base.segments import Array, Bools, Ints
from irev.base.settings import Settings
from irev.reading import limits
from irev.reading.fields import Layout
from irev.reading.formats import JUDGMENTS, RUNS, Format, Rewritten, rewritten_layout
from irev.reading.formats.tables import ROWS, require_plausible_columns
from irev.reading.judgments import Judgments
from irev.reading.sources import Source, Stream, is_zip_of_arrays
from irev.reading.written_ids import whole_number_ids

NUMBER = "id"
"""The column of Parquet that numbers the queries, as VectorDBBench calls it."""

IDS = ("neighbors", "neighbours", "neighbors_id", "ids", "indices", "labels", "I")
DISTANCES, SIMILARITIES = ("distances", "dists"), ("similarities", "scores")
EITHER = ("D",)
"""What arrays in a file are called: of ids; of distances, which rise; of similarities, which fall; and what FAISS calls
either, of which the numbers say whether they rise or fall."""

NUMPY, ZIP, HDF5, PARQUET = b"\x93NUMPY", b"PK\x03\x04", b"\x89HDF\r\n\x1a\n", b"PAR1"

Way = Literal["rise", "fall"]


class ArrayRows(Protocol):
    """A table of numbers in a file, read some rows at a time."""

    shape: tuple[int, int]

    def rows(self, begin: int, end: int) -> Array:
        """The rows from `begin` to before `end`."""


class NeighbourArrays(NamedTuple):
    """A file of neighbours.

    Attributes
    ----------
    name : str
        The file, for messages.
    ids : ArrayRows
    distances : ArrayRows or None
        Of the same shape: distances, or similarities.
    way : str or None
        Whether they ``rise`` or ``fall`` along a row, where their name says so.
    base : int or None
        How many vectors there are to be found, where the file says so: ids are below that.
    scored : bool
        Whether distances are scores, which order a row whatever its own order is.
    """

    name: str
    ids: ArrayRows
    distances: ArrayRows | None = None
    way: Way | None = None
    base: int | None = None
    scored: bool = False


def first_of(wrong: Bools) -> Iterator[tuple[int, int]]:
    """Row and column of the first that is wrong, if any is."""
    if wrong.any():
        yield divmod(int(wrong.argmax()), wrong.shape[1])


@contextmanager
def opened(source: Source, beside: str = "") -> Iterator[NeighbourArrays]:
    """The arrays of a file, and of another one that has the distances, as long as the block lasts.

    Raises
    ------
    InputError
        For a file that is none of these, is cut short, or has arrays of other shapes.
    """
    with ExitStack() as stack:
        found = _opened(source, stack, "i")
        if beside:
            other = stack.enter_context(Source(beside))
            found = found._replace(distances=_opened(other, stack, "f").ids)
        if found.distances is not None and found.distances.shape != found.ids.shape:
            fact = f"there are distances of shape {found.distances.shape}, and ids of {found.ids.shape}"
            raise InputError(fact, beside or source.name, "expected one for each id")
        rows, width = found.ids.shape
        if rows < 1 or width < 1:
            raise InputError("the file holds no neighbours", source.name, "expected a row for each query")
        yield found
    source.rewind()  # an error when the file changed meanwhile


def _opened(source: Source, stack: ExitStack, kind: str) -> NeighbourArrays:
    """The arrays of a file: of ids, `kind` ``i``, or of the distances that stand beside them, ``f``."""
    head = source.head(16)
    file = stack.enter_context(source.seekable())
    if head.startswith(NUMPY):
        return NeighbourArrays(source.name, _numpy(file, source.name, kind))
    if head.startswith(ZIP):
        return _named(_zipped(file, source, stack), source.name, kind)
    if head.startswith(HDF5):
        return _hdf5(file, source, kind, stack)
    if head.startswith(PARQUET):
        return NeighbourArrays(source.name, _parquet(file, source))
    return _binary(file, source.name, head, f"<{kind}4")


def _binary(file: IO[bytes], name: str, head: bytes, number: str) -> NeighbourArrays:
    """Texmex's rows, each behind its length; or big-ann's table behind its shape, and perhaps distances behind that."""
    first, second = struct.unpack("<II", head[:8]) if len(head) >= 8 else (0, 0)
    size = file.seek(0, 2)
    rows, rest = divmod(size, 4 * (first + 1))
    whole = [8 + first * second * each for each in (4, 8)]
    led = bool(first) and not rest
    if led and size in whole and rows > 1:  # the size alone does not tell
        file.seek(4 * (first + 1))
        led = file.read(4) == head[:4]
    if led:
        return NeighbourArrays(name, _ids(_InFile(file, name, number, 0, (rows, first), led=True), ".fvecs"))
    if size in whole:
        behind = _InFile(file, name, "<f4", whole[0], (first, second)) if size == whole[1] else None
        return NeighbourArrays(name, _ids(_InFile(file, name, number, 8, (first, second)), ".fbin"), behind)
    if not 0 < first < size:
        remedy = "expected .npy, .npz, .ivecs, .ibin, HDF5 or Parquet"
        raise InputError("this is not an array of neighbours", name, remedy)
    file.seek(4 + first)
    if not size % (first + 4) and file.read(4) in (head[:4], b""):
        fact = f"these are vectors of {first} bytes each (.bvecs)"
        raise InputError(fact, name, "expected the ids of their neighbours, as in .ivecs")
    _refuse_ragged(file, name, first, size)
    fact = f"its {size} bytes are neither whole rows of {first} numbers (.ivecs) nor {first} rows of {second} (.ibin)"
    raise InputError(fact, name, _INCOMPLETE)


def _ids(table: _InFile, vectors: str) -> _InFile:
    """The table as it is. Raises `InputError` for one that is read as ids and holds vectors, whose files have the same
    shape and end in `vectors`."""
    rows, width = table.shape
    if table.number.kind == "i" and rows and width and _are_vectors(table.rows(0, min(rows, _FIRST_ROWS)), table.name):
        remedy = "expected the ids of their neighbours, as in .ivecs; ids that look like vectors can be given as .npy"
        raise InputError(f"these are vectors of {width} numbers each ({vectors})", table.name, remedy)
    return table


def _are_vectors(ids: Array, name: str) -> bool:
    """Whether the bytes of ids are those of numbers with a fraction: of usual size, where ids would be above 800
    million, or negative; enough of them, unless the name says what they are."""
    numbers = ids.view("f4")
    size = abs(numbers[numbers != 0])
    enough = len(size) >= _ENOUGH or name.endswith((".fvecs", ".fbin"))
    return enough and len(size) > 0 and bool(((size > 2.0**-30) & (size < 2.0**30)).mean() > _MOST)


_FIRST_ROWS, _ENOUGH, _MOST = 64, 16, 0.99
"""Rows that tell vectors from ids, the numbers that are enough for that, and the share of them of usual size."""


def _refuse_ragged(file: IO[bytes], name: str, first: int, size: int) -> None:
    """Raise `ProblemError` for Texmex's rows of different lengths, at the first that differs from the one before, and
    for rows of one length of which the last is cut short."""
    place, row, other = 0, 0, None
    while place < size and (other is None or row < other.line + _LOOKED_AT):
        file.seek(place)
        width = int.from_bytes(file.read(4), "little")
        place, row = place + 4 * (width + 1), row + 1
        if place > size and width == first and row > 1 and other is None:
            raise ProblemError(name, Problem(row, "E101", "the file ends within the row (.ivecs)", _INCOMPLETE), "row")
        if not 0 < width < _WIDEST or place > size:
            return
        if width != first and other is None:
            other = Problem(row, "E101", f"the row has {width} numbers, and the first has {first} (.ivecs)", _ALIKE)
    if other is not None:
        raise ProblemError(name, other, "row")


_LOOKED_AT, _WIDEST = 1000, 1 << 16
"""How many rows after a row of another length must have plausible lengths; and the longest plausible row."""

_INCOMPLETE = "is it incomplete? download or make it again"


class _InFile:
    """A table of numbers that stand one behind the other from some byte on; each row is `led` by its length, or not."""

    def __init__(
        self, file: IO[bytes], name: str, number: Any, begin: int, shape: tuple[int, int], led: bool = False
    ) -> None:
        self.shape = shape
        self.name, self.number = name, np.dtype(number)
        self._file, self._begin, self._led = file, begin, led

    def rows(self, begin: int, end: int) -> Array:
        """As `ArrayRows` has it."""
        width = self.shape[1] + self._led
        found = np.empty((end - begin, width), dtype=self.number)
        room, got = found.data.cast("B"), 0
        self._file.seek(self._begin + begin * width * self.number.itemsize)
        while got < len(room) and (more := self._file.readinto(room[got:])):  # type: ignore[attr-defined]
            got += more
        if got < len(room):
            raise InputError("the file ended early", self.name, "it changed while it was read")
        if self._led:
            for row, _ in first_of(found[:, :1].view("<i4") != self.shape[1]):
                fact = f"the row has {int(found[row, :1].view('<i4')[0])} numbers, and the first has {self.shape[1]}"
                raise ProblemError(self.name, Problem(begin + row + 1, "E101", fact, _ALIKE), "row")
            found = found[:, 1:]
        return found.astype(self.number.newbyteorder("="), copy=False)


_ALIKE = "expected the same number in every row; -1 means no result"


def _numpy(file: IO[bytes], name: str, kind: str, begin: int = 0) -> ArrayRows:
    """The table of a file of numpy, which begins at a byte."""
    file.seek(begin)
    try:
        read = npy.read_array_header_1_0 if npy.read_magic(file) == (1, 0) else npy.read_array_header_2_0
        shape, fortran, number = read(file)
    except Exception as error:  # the header is read as Python, and a damaged one raises anything
        raise _damaged("numpy", name, error) from None
    _require_table(shape, number, name, kind)
    if fortran and 1 not in shape:
        raise InputError("the array is stored by columns", name, "np.ascontiguousarray(array) changes that")
    at = file.tell()
    if file.seek(0, 2) - at < shape[0] * shape[1] * number.itemsize:
        fact = f"the header says {shape[0]} rows of {shape[1]} numbers, and the file ends before"
        raise InputError(fact, name, _INCOMPLETE)
    return _InFile(file, name, number, at, (shape[0], shape[1]))


def _require_table(shape: tuple[int, ...], number: Any, name: str, kind: str) -> None:
    if len(shape) != 2 or number.kind not in ("iu" if kind == "i" else "iuf"):
        what = "whole numbers" if kind == "i" else "numbers"
        fact = f"this is an array of {number} of shape {tuple(shape)}"
        raise InputError(fact, name, f"expected {what} of shape (queries, neighbours)")


def _zipped(file: IO[bytes], source: Source, stack: ExitStack) -> dict[str, Callable[[str], ArrayRows]]:
    """For each array of a zip file a function that opens it."""
    damaged = *_DAMAGED, zipfile.BadZipFile, zlib.error

    def opened(member: str, kind: str) -> ArrayRows:
        kept = stack.enter_context(tempfile.TemporaryFile())  # noqa: SIM115 - it lives as long as what it is entered in
        if archive.getinfo(member).compress_type not in (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED):
            # numpy writes none, and they are not decompressed piece by piece.
            raise InputError("an array is compressed in an unusual way", source.name, "write it by numpy.savez")
        try:
            with archive.open(member) as packed:
                made = 0
                while piece := packed.read(1 << 20):
                    made += len(piece)
                    source.require_plausible(made)
                    kept.write(piece)
        except damaged as error:
            raise _damaged("zip", source.name, error) from None
        return _numpy(kept, source.name, kind)

    try:
        archive = stack.enter_context(zipfile.ZipFile(file))
        return {each.removesuffix(".npy"): partial(opened, each) for each in archive.namelist()}
    except damaged as error:
        raise _damaged("zip", source.name, error) from None


def _hdf5(file: IO[bytes], source: Source, kind: str, stack: ExitStack) -> NeighbourArrays:
    try:
        import h5py
    except ImportError:
        raise InputError("h5py is needed to read HDF5", source.name, "pip install h5py") from None
    try:
        read = stack.enter_context(h5py.File(file, "r"))
        # A link is not followed, not even to see what it leads to: it may lead to any file.
        stored = [each for each in read if isinstance(read.get(each, getlink=True), h5py.HardLink)]
        for each in read.keys() - stored:
            if each in (*IDS, *DISTANCES, *SIMILARITIES, *EITHER):
                raise InputError(f"{each!r} is a link, and links are not followed", source.name, _STORE)
        found = {each: read[each] for each in stored}
        arrays = {each: array for each, array in found.items() if isinstance(array, h5py.Dataset)}
        base = _stored_here(arrays["train"], source).shape[0] if "train" in arrays else None
        tables = {each: partial(_of_hdf5, array, source) for each, array in arrays.items()}
    except _DAMAGED as error:
        raise _damaged("HDF5", source.name, error) from None
    return _named(tables, source.name, kind)._replace(base=base)


def _of_hdf5(array: Any, source: Source, kind: str) -> ArrayRows:
    table = _Sliced(_stored_here(array, source), source.name, kind)
    # Few bytes may stand for many: what was never written is a fill value, and a piece is decompressed as a whole.
    source.require_plausible(array.size * array.dtype.itemsize)
    piece = math.prod(array.chunks or (1,)) * array.dtype.itemsize
    if piece > limits.SMALL:
        fact = f"the array is stored in pieces of {limits.amount(piece)}, more than {limits.amount(limits.SMALL)}"
        raise InputError(fact, source.name, "store it in smaller chunks")
    return table


def _stored_here(array: Any, source: Source) -> Any:
    """The array. Raises `InputError` for one whose numbers are in other files: it could show what they hold.

    Nothing else may be asked of such an array before: its shape alone may open the files.
    """
    if array.external or array.is_virtual:
        fact = f"the numbers of {array.name.removeprefix('/')!r} are not in this file but in others"
        raise InputError(fact, source.name, _STORE)
    return array


_STORE = "store the array itself in the file"


class TableInMemory(Protocol):
    """What `irev.top_k` gives: a table whose ids of documents may be whole numbers, and perhaps its distances."""

    given: Any

    def as_numbers(self) -> Any: ...


def in_memory(data: TableInMemory, name: str) -> NeighbourArrays | None:
    """Arrays of a program, whose scores order its rows; None where queries or documents have ids of their own."""
    table = data.as_numbers()
    if table is None:
        return None
    scores = None if data.given is None else _Sliced(data.given, name, "f")
    return NeighbourArrays(name, _Sliced(table, name, "i"), scores, "fall", scored=scores is not None)


class _Sliced:
    """A table of HDF5, or of numpy."""

    def __init__(self, table: Any, name: str, kind: str) -> None:
        _require_table(table.shape, table.dtype, name, kind)
        self.shape, self._table, self._name = table.shape, table, name

    def rows(self, begin: int, end: int) -> Array:
        """As `ArrayRows` has it."""
        try:
            found: Array = self._table[begin:end]
        except _DAMAGED as error:
            raise _damaged("HDF5", self._name, error) from None
        return found


def _parquet(file: IO[bytes], source: Source) -> ArrayRows:
    """A column of lists, which are held in memory; shorter ones end in -1. A column `NUMBER` numbers the queries."""
    name = source.name
    try:
        from pyarrow import ArrowException, ArrowMemoryError, parquet, types
    except ImportError:
        raise InputError("pyarrow is needed to read Parquet", name, "pip install pyarrow") from None
    try:
        table = parquet.ParquetFile(file)
        schema = table.schema_arrow
        there = [each for each in IDS if each in schema.names and types.is_list(schema.field(each).type)]
        if len(there) != 1:
            raise InputError(
                f"the file has {len(there)} columns with lists of ids", name, f"expected one, {_ONE_OF_IDS}"
            )
        chosen = [*there, *{NUMBER}.intersection(schema.names)]
        require_plausible_columns(table, chosen, source)
        rows = table.metadata.num_rows
        found, numbers = np.full((rows, 0), -1, dtype=np.int64), [*range(rows if NUMBER not in chosen else 0)]
        begin = 0
        for batch in table.iter_batches(ROWS, columns=chosen):
            end = begin + batch.num_rows
            lists = batch.column(there[0])
            counts = lists.value_lengths().fill_null(0).to_numpy()
            width = int(counts.max(initial=0))
            if width > found.shape[1]:
                source.require_plausible(rows * width * found.itemsize)
                found = np.pad(found, ((0, 0), (0, width - found.shape[1])), constant_values=-1)
            found[begin:end][np.arange(found.shape[1]) < counts[:, None]] = lists.flatten().to_numpy()
            if NUMBER in chosen:
                numbers += batch.column(NUMBER).to_pylist()
            begin = end
    except ArrowMemoryError:
        raise MemoryError from None
    except (ArrowException, *_DAMAGED) as error:
        raise _damaged("Parquet", name, error) from None
    if len(numbers) != rows or {*numbers} != {*range(rows)}:
        fact = f"the column {NUMBER} does not have each number from 0 to {rows - 1} once"
        raise InputError(fact, name, "number the queries from 0 on, or leave out the column; rows count in order then")
    ordered = np.empty_like(found)
    ordered[numbers] = found
    return _Sliced(ordered, name, "i")


_DAMAGED = (OSError, EOFError, ValueError, KeyError, RuntimeError, NotImplementedError)
"""What libraries raise for damaged files."""

_LONGEST_REASON = 300
"""Characters of the message of a library that are shown."""

_ONE_OF_IDS = f"called {', '.join(IDS[:-1])} or {IDS[-1]}"


def _damaged(what: str, name: str, error: Exception) -> InputError:
    reason = brief(str(error).partition("\n")[0], _LONGEST_REASON)
    return InputError(f"the {what} data are damaged ({reason})", name, "download or make the file again")


def _named(tables: Mapping[str, Callable[[str], ArrayRows]], name: str, kind: str) -> NeighbourArrays:
    """The arrays of ids and of distances among several, by their names."""
    if kind == "f" or not any(each in tables for each in IDS):
        there = [each for each in tables if each in (*DISTANCES, *SIMILARITIES, *EITHER)] or [*tables]
        if len(there) == 1:
            return NeighbourArrays(name, tables[there[0]](kind))
    ids = [each for each in IDS if each in tables]
    beside = [each for each in (*DISTANCES, *SIMILARITIES, *EITHER) if each in tables]
    if len(ids) != 1 or len(beside) > 1:
        listed = ", ".join(shown(each.encode("utf-8", "backslashreplace")) for each in tables) or "none"
        fact = f"{len(ids)} of its arrays have names of ids, and {len(beside)} of distances; the arrays are {listed}"
        raise InputError(fact, name, f"expected one of ids, {_ONE_OF_IDS}, and one of distances at most")
    way: Way | None = None
    if beside and beside[0] not in EITHER:
        way = "rise" if beside[0] in DISTANCES else "fall"
    return NeighbourArrays(name, tables[ids[0]]("i"), tables[beside[0]]("f") if beside else None, way)


# Judgments and runs


NAME = "neighbours"

VALUES = 1 << 19
"""About so many numbers are looked at together."""

LARGEST = 1 << 53
"""Ids are below this."""


def grades_of_neighbours(ids: Array, distances: Array | None) -> Array:
    """(n, k) How many neighbours there are from each one to the end of its row, or from the first one at the same
    distance; 0 where there is none."""
    there = ids >= 0
    found = np.cumsum(there[:, ::-1], axis=1, dtype=np.int32)[:, ::-1]
    if distances is not None:
        opens = np.ones(ids.shape, dtype=bool)
        opens[:, 1:] = (distances[:, 1:] != distances[:, :-1]) | ~there[:, :-1]
        first = np.maximum.accumulate(np.where(opens, np.arange(ids.shape[1], dtype=np.int32), 0), axis=1)
        found = np.take_along_axis(found, first, axis=1)
    return np.where(there, found, 0)


class CheckedNeighbours:
    """The rows of a file, some at a time, and what is wrong with them.

    Attributes
    ----------
    rising, falling : bool
        Whether distances of some row rose, or fell, so far.
    """

    def __init__(self, given: NeighbourArrays, judged: bool, repetitions: bool = True) -> None:
        self._given, self._judged, self._repetitions = given, judged, repetitions
        self.rising, self.falling = given.way == "rise", given.way == "fall"

    def read(self, begin: int, end: int) -> tuple[Array, Array | None, Problem | None]:
        """The ids (n, k) of some rows, less than 0 for none; their distances; and the first thing that is wrong."""
        given = self._given
        ids = given.ids.rows(begin, end)
        distances = None if given.distances is None else given.distances.rows(begin, end)
        for found in self._faults(ids, distances):
            row, code, fact, remedy = found
            return ids, distances, _problem(begin + row, code, fact, remedy)
        return ids, distances, None

    def _faults(self, ids: Array, distances: Array | None) -> Iterator[tuple[int, str, str, str]]:
        """The first of each kind: a row, a code, a fact and a remedy."""
        odd = int(ids.min()) < -1 or int(ids.max()) >= LARGEST
        for row, column in first_of((ids < -1) | (ids >= LARGEST)) if odd else ():
            yield row, "E110", f"{int(ids[row, column])} is not an id", "expected 0 or more, or -1 for no result"
        base = self._given.base
        for row, column in first_of(ids >= base) if base is not None else ():
            fact = f"the id {int(ids[row, column])} is beyond the {base} vectors of the base"
            yield row, "E110", fact, "expected ids from 0 on; were they counted from 1?"
        if self._repetitions:
            ordered = np.sort(ids, axis=1)
            for row, column in first_of((ordered[:, 1:] == ordered[:, :-1]) & (ordered[:, 1:] >= 0)):
                yield row, *_twice(int(ordered[row, column]))
        if distances is not None:
            yield from self._of_distances(ids >= 0, distances)

    def _of_distances(self, there: Bools, distances: Array) -> Iterator[tuple[int, str, str, str]]:
        for row, _ in first_of(np.isnan(distances) & there):
            yield row, "E105", "a distance is nan", "check how it was computed"
        both = there[:, 1:] & there[:, :-1]
        rise: Bools = np.any((distances[:, 1:] > distances[:, :-1]) & both, axis=1)
        fall: Bools = np.any((distances[:, 1:] < distances[:, :-1]) & both, axis=1)
        only_rise, only_fall = rise & ~fall, fall & ~rise
        if self._judged:
            for row in np.flatnonzero(rise & fall)[:1].tolist():
                yield row, "E113", "the distances neither rise nor fall along the row", "expected the nearest first"
            if not (self.rising or self.falling):  # the first row that does either says which they are
                first = int((only_rise | only_fall).argmax())
                self.rising, self.falling = bool(only_rise[first]), bool(only_fall[first])
            for row in np.flatnonzero(only_fall if self.rising else only_rise & self.falling)[:1].tolist():
                went, others = ("fall", "rise") if self.rising else ("rise", "fall")
                remedy = "distances rise along a row and similarities fall, in every row alike"
                yield row, "E113", f"the distances {went} along the row, and others {others}", remedy
        self.rising, self.falling = self.rising or bool(only_rise.any()), self.falling or bool(only_fall.any())


def _problem(query: int, code: str, fact: str, remedy: str) -> Problem:
    return Problem(query + 1, code, f"{fact} (query {query})", remedy)


def _twice(document: int) -> tuple[str, str, str]:
    return "E103", f"the id {document} occurs twice in the row", "keep the first, and -1 for the other"


def repeated(query: int, document: int) -> Problem:
    """The fault of an id that occurs twice in a row."""
    return _problem(query, *_twice(document))


class NeighbourRows(Rewritten):
    """A file of neighbours rewritten as lines, which has arrays, too."""

    def __init__(self, source: Source, settings: Settings, beside: str, faults: Faults, value: str) -> None:
        self.source, self.beside = source, beside
        repetitions = value == "grade" or (settings.repeats == "error" and not settings.drop_self)
        super().__init__(source, partial(_lines, beside=beside, faults=faults, value=value, strict=repetitions), faults)

    @contextmanager
    def opened(self) -> Iterator[NeighbourArrays]:
        """The arrays, as long as the block lasts."""
        with opened(self.source, self.beside) as found:
            yield found

    def judgments(self, path: str, read: Callable[[Source], Judgments]) -> NeighbourJudgments:
        """Those of the file, which can be opened again by a path, and read whole."""
        with self.opened() as given:
            arrays = partial(_in_file, path, self.name, self.beside)
            return NeighbourJudgments.of(given, arrays, partial(_read_again, path, self.name, read))


def _lines(source: Source, *, beside: str, faults: Faults, value: str, strict: bool) -> Iterator[bytes]:
    with opened(source, beside) as given:
        checked, (rows, width) = CheckedNeighbours(given, value == "grade", strict), given.ids.shape
        for begin in range(0, rows, together(width)):
            ids, distances, problem = checked.read(begin, min(begin + together(width), rows))
            if problem is not None:
                faults.note(problem)
                return
            numbers = grades_of_neighbours(ids, distances) if value == "grade" else None
            for row, line in enumerate(ids.tolist()):
                if numbers is None:
                    ranks = enumerate((each for each in line if each >= 0), start=1)
                    text = [f"{begin + row} {document} {rank}\n" for rank, document in ranks]
                else:
                    graded = zip(line, numbers[row].tolist(), strict=True)
                    text = [f"{begin + row} {document} {grade}\n" for document, grade in graded if grade]
                if not text:
                    faults.empty.append(f"{begin + row}")
                yield "".join(text).encode()


def together(width: int) -> int:
    """How many rows of so many numbers are looked at together."""
    return max(VALUES // width, 1)


def _recognised(head: bytes, settings: Settings) -> bool:
    """Whether these are arrays: by their first bytes, or by the lengths of rows of numbers or of bytes."""
    return head.startswith((NUMPY, HDF5)) or is_zip_of_arrays(head) or _led(head, 4) or _led(head, 1)


def _led(head: bytes, size: int) -> bool:
    """Whether the first rows, of numbers of `size` bytes, all begin with a length, as no text does; the lengths need
    not be alike, so that those which are not are refused as that."""
    place, rows = 0, 0
    while place < len(head) - 3 and rows < 64:
        width = int.from_bytes(head[place : place + 4], "little")
        if not 0 < width < 1 << 16:
            return False
        place, rows = place + 4 + size * width, rows + 1
    return rows > 1


def _layout(value: str, source: Source, settings: Settings, faults: Faults) -> tuple[Layout, Stream]:
    form = settings.qrels_format if value == "grade" else settings.run_format
    beside = (form or "").partition(":")[2]
    if beside == "-":
        raise UsageError("distances are read more than once", remedy=f"expected {NAME}:FILE, where FILE is no pipe")
    layout = rewritten_layout(("query", "document", value), "rows of whole numbers", "row", named=False)
    return layout, NeighbourRows(source, settings, beside, faults, value)


_SAID = (
    "Arrays of nearest neighbours, a row for each query, -1 for no result: .npy and .npz, .ivecs, .ibin, HDF5 of "
    "ann-benchmarks (needs h5py), and Parquet with a column of lists (needs pyarrow). {} .ibin and Parquet "
    f"need the option {NAME}. Distances in a separate file: {NAME}:FILE."
)

Format(
    name=NAME,
    description=_SAID.format("All are relevant, the nearer ones with higher grades."),
    example="[[17, 4, 250],\n [3, 99, 12]]\n",
    lines=partial(_layout, "grade"),
    recognised=_recognised,
    beside=True,
).add_to(JUDGMENTS)
Format(
    name=NAME,
    description=_SAID.format("The order of a row is the ranking."),
    example="[[17, 250, 4],\n [3, 99, -1]]\n",
    lines=partial(_layout, "rank"),
    recognised=_recognised,
    beside=True,
).add_to(RUNS)


_COLUMNS = ("text", "query", "document_start", "document_length", "grade", "key")


class NeighbourJudgments(Judgments):
    """Judgments of which every row was looked at, and the columns are read when somebody asks for one.

    Attributes
    ----------
    rows : int
        Queries of the file.
    numbers : int (q,)
        The judged ones, those with a neighbour, in the order of the bytes of their ids.
    """

    of_arrays = True
    content = ""  # of a table its columns would have to be made for it
    rows: int
    numbers: Ints
    arrays: Callable[[], AbstractContextManager[NeighbourArrays]]
    _whole: Callable[[], Judgments]

    @classmethod
    def of(
        cls,
        given: NeighbourArrays,
        arrays: Callable[[], AbstractContextManager[NeighbourArrays]],
        whole: Callable[[], Judgments],
    ) -> NeighbourJudgments:
        """Those of arrays, which `arrays` opens again and `whole` reads whole.

        Raises `InputError` for the first row that is wrong, unless an id stands in it twice.
        """
        rows, width = given.ids.shape
        checked, counts = CheckedNeighbours(given, judged=True, repetitions=False), np.empty(rows, dtype=np.int64)
        for begin in range(0, rows, together(width)):
            here = slice(begin, min(begin + together(width), rows))
            ids, _, problem = checked.read(here.start, here.stop)
            if problem is not None:
                raise ProblemError(given.name, problem, "row")
            counts[here] = width if int(ids.min()) >= 0 else np.count_nonzero(ids >= 0, axis=1)
        found = cls.__new__(cls)
        numbers = in_byte_order(np.flatnonzero(counts))
        found.__dict__.update(
            positive=int(counts.sum()),
            highest=float(counts.max()),
            arrays=arrays,
            _whole=whole,
            name=given.name,
            neighbours=True,
            rows=rows,
            numbers=numbers,
            queries=whole_number_ids(numbers),
        )
        return found

    @classmethod
    def in_memory(cls, given: NeighbourArrays, whole: Callable[[], Judgments]) -> NeighbourJudgments:
        """Those of arrays that are in memory; `whole` gives them as columns."""
        return cls.of(given, partial(_held, given), whole)

    def __getattr__(self, name: str) -> Any:
        if name not in _COLUMNS or "_whole" not in self.__dict__:
            raise AttributeError(f"{type(self).__name__!r} object has no attribute {name!r}")
        whole = self._whole()
        self.__dict__.update({each: getattr(whole, each) for each in (*_COLUMNS, "queries")})
        return self.__dict__[name]

    def evaluated(self, run: Any, requests: Any, settings: Settings, per_query: bool = True) -> Any:
        """As `Judgments.evaluated`."""
        evaluation = import_module("irev.extensions.vectors.evaluation")  # by name: reading does not need it
        return evaluation.evaluated(run, self, requests, settings, per_query)

    @property
    def for_arrays(self) -> bool:
        """Whether every row has a neighbour, and the columns were not asked for so far."""
        return len(self.numbers) == self.rows and "key" not in self.__dict__


def _held(given: NeighbourArrays) -> AbstractContextManager[NeighbourArrays]:
    return nullcontext(given)


@contextmanager
def _in_file(path: str, name: str, beside: str) -> Iterator[NeighbourArrays]:
    with Source(path, name=name) as source, opened(source, beside) as given:
        yield given


def _read_again(path: str, name: str, read: Callable[[Source], Judgments]) -> Judgments:
    with Source(path, name=name) as source:
        return read(source)


def in_byte_order(numbers: Ints) -> Ints:
    """Whole numbers in the order of their digits as bytes: 1, 10, 100, 11, 2."""
    digits = np.searchsorted(10 ** np.arange(1, 18), numbers, "right") + 1
    aligned = numbers * 10 ** (digits.max(initial=1) - digits)
    return numbers[np.lexsort((digits, aligned))]
