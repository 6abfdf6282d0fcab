"""Arrays of nearest neighbours, as vector search has them: a row for each query, ids are whole numbers, nearest first.

Query n is row n, counted from 0, and -1 is no result. As judgments, every neighbour is relevant, and its grade is the
number of neighbours from it to the end of the row: a nearer one has a higher grade, and neighbours of the same distance
have the same. As a run, the order of a row is the ranking.

Rows are read some at a time, whatever the size of the file (`irev.reading.array_files`): whoever can reads judgments
so, and all others have them whole.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np

from irev.base.errors import Faults, Problem, ProblemError, UsageError
from irev.base.segments import Ints
from irev.base.settings import Settings
from irev.reading.array_files import HDF5, NUMPY, NeighbourArrays, first_of, opened
from irev.reading.fields import Layout
from irev.reading.flat_ids import FlatIds
from irev.reading.formats import JUDGMENTS, RUNS, ArrayStream, Format, Rewritten, rewritten_layout
from irev.reading.ids import PAD, padded
from irev.reading.judgments import Judgments
from irev.reading.open_files import is_zip_of_arrays
from irev.reading.sources import Source, Stream

if TYPE_CHECKING:
    import numpy.typing as npt

    Table = npt.NDArray[Any]
    Flags = npt.NDArray[np.bool_]


NAME = "neighbours"

VALUES = 1 << 19
"""About so many numbers are looked at together."""

LARGEST = 1 << 53
"""Ids are below this."""


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

    def read(self, begin: int, end: int) -> tuple[Table, Table | None, Problem | None]:
        """The ids (n, k) of some rows, less than 0 for none; their distances; and the first thing that is wrong."""
        given = self._given
        ids = given.ids.rows(begin, end)
        distances = None if given.distances is None else given.distances.rows(begin, end)
        for found in self._faults(ids, distances):
            row, code, fact, remedy = found
            return ids, distances, _problem(begin + row, code, fact, remedy)
        return ids, distances, None

    def _faults(self, ids: Table, distances: Table | None) -> Iterator[tuple[int, str, str, str]]:
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

    def _of_distances(self, there: Flags, distances: Table) -> Iterator[tuple[int, str, str, str]]:
        for row, _ in first_of(np.isnan(distances) & there):
            yield row, "E105", "a distance is nan", "check how it was computed"
        both = there[:, 1:] & there[:, :-1]
        rise: Flags = np.any((distances[:, 1:] > distances[:, :-1]) & both, axis=1)
        fall: Flags = np.any((distances[:, 1:] < distances[:, :-1]) & both, axis=1)
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


def grades(ids: Table, distances: Table | None) -> Table:
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


def _lines(source: Source, *, beside: str, faults: Faults, value: str, strict: bool) -> Iterator[bytes]:
    with opened(source, beside) as given:
        checked, (rows, width) = CheckedNeighbours(given, value == "grade", strict), given.ids.shape
        for begin in range(0, rows, together(width)):
            ids, distances, problem = checked.read(begin, min(begin + together(width), rows))
            if problem is not None:
                faults.note(problem)
                return
            numbers = grades(ids, distances) if value == "grade" else None
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
    rows: int
    numbers: Ints
    _again: tuple[str, str, Callable[[Source], Judgments]]

    @classmethod
    def of(cls, stream: ArrayStream, path: str, read: Callable[[Source], Judgments]) -> NeighbourJudgments:
        """Those of a file, which can be opened again and read whole.

        Raises `InputError` for the first row that is wrong, unless an id stands in it twice.
        """
        with stream.opened() as given:
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
        known = {
            "positive": int(counts.sum()),
            "highest": float(counts.max()),
            "_again": (path, stream.beside, read),
        }
        known |= {
            "name": stream.name,
            "neighbours": True,
            "rows": rows,
            "numbers": numbers,
            "queries": decimal_ids(numbers),
        }
        found.__dict__.update(known)
        return found

    def __getattr__(self, name: str) -> Any:
        if name not in _COLUMNS or "_again" not in self.__dict__:
            raise AttributeError(f"{type(self).__name__!r} object has no attribute {name!r}")
        path, _, read = self._again
        with Source(path, name=self.name) as source:
            whole = read(source)
        self.__dict__.update({each: getattr(whole, each) for each in (*_COLUMNS, "queries")})
        return self.__dict__[name]

    @property
    def for_arrays(self) -> bool:
        """Whether every row has a neighbour, and the columns were not asked for so far."""
        return len(self.numbers) == self.rows and "key" not in self.__dict__

    def arrays(self, stack: ExitStack) -> NeighbourArrays:
        """The file, open as long as `stack` is."""
        path, beside, _ = self._again
        return stack.enter_context(opened(stack.enter_context(Source(path, name=self.name)), beside))


def digits_of(numbers: Ints) -> Ints:
    """How many digits whole numbers have."""
    return np.searchsorted(10 ** np.arange(1, 18), numbers, "right") + 1


def in_byte_order(numbers: Ints) -> Ints:
    """Whole numbers in the order of their digits as bytes: 1, 10, 100, 11, 2."""
    digits = digits_of(numbers)
    aligned = numbers * 10 ** (digits.max(initial=1) - digits)
    return numbers[np.lexsort((digits, aligned))]


def decimal_ids(numbers: Ints) -> FlatIds:
    """Whole numbers as ids."""
    digits = digits_of(numbers)
    start = np.cumsum(digits) - digits + PAD
    text = padded(int(digits.sum()))
    for place in range(int(digits.max(initial=0))):
        there = np.flatnonzero(digits > place)
        text[start[there] + digits[there] - 1 - place] = numbers[there] // 10**place % 10 + ord("0")
    return FlatIds(text, start, digits)
