"""Judgments that are arrays of neighbours: read some queries at a time by whoever can, and whole by all others."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import ExitStack
from typing import Any

import numpy as np

from irev.base.segments import Ints
from irev.errors import ProblemError
from irev.reading.flat_ids import FlatIds
from irev.reading.formats import ArrayStream
from irev.reading.formats.neighbours import CheckedNeighbours, NeighbourArrays, together
from irev.reading.formats.neighbours import opened as opened_arrays
from irev.reading.ids import PAD, padded
from irev.reading.judgments import Judgments
from irev.reading.sources import Source

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
        return stack.enter_context(opened_arrays(stack.enter_context(Source(path, name=self.name)), beside))


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
