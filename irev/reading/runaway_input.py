"""Whether a text that grows and grows only repeats itself, so that it need not be read to its end.

Most readers find a repeated document when its query is complete, or the file. A file that repeats one line for
gigabytes, a faulty or a blank one perhaps, never comes so far. So whoever holds more than usual asks here, each time it
has doubled, and only the end is looked at.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from irev.base.segments import Ints
from irev.errors import InputError
from irev.reading import ids, limits
from irev.reading.fields import NEWLINE, WORSE, Layout, split
from irev.reading.ids import Bytes, Words

_ONCE = ("query", "group", "subgroup", "document", WORSE)
"""What no two lines share, of these fields those that there are."""

Ends = Callable[[Bytes, int, int], bool]
"""Asked whether nothing behind a text, the lines in ``text[begin:end]``, can matter any more."""


def never(text: Bytes, begin: int, end: int) -> bool:
    """An `Ends` that reads on."""
    return False


class Repetition:
    """An `Ends` for lines in which a query, and a group of it, must not have a document twice.

    Parameters
    ----------
    layout : Layout
        The fields of the lines.
    name : str
        What messages call the file.
    collecting : bool
        Whether all problems of the file are wanted. Otherwise one ends the reading, since the earliest line is named.
        But what is for the most part repetition, or cannot be used, is refused as a whole, with an `InputError`.
    """

    def __init__(self, layout: Layout, name: str, collecting: bool) -> None:
        self._layout, self._name, self._collecting = layout, name, collecting

    def __call__(self, text: Bytes, begin: int, end: int) -> bool:
        begin = max(begin, end - limits.PATIENCE // 2)
        newlines = np.flatnonzero(text[begin:end] == NEWLINE) + begin
        if len(newlines) < 2:
            return False
        lines, rows, fault = len(newlines) - 1, 0, None
        starts: list[Ints] = []
        lengths: list[Ints] = []
        keys: list[Words] = []
        step = 1 << 14
        for first in range(0, lines, step):
            last = min(first + step, lines)
            fields = split(text, int(newlines[first]) + 1, int(newlines[last]) + 1, self._layout)
            rows += fields.rows
            fault = fault or next(iter(fields.faults.problems), None)
            spans = [fields.span(name) for name in _ONCE if name in self._layout.fields]
            starts.append(np.stack([start for start, _ in spans]))
            lengths.append(np.stack([stop - start for start, stop in spans]))
            key: Words = np.full(fields.rows, ids.SEED)
            for start, length in zip(starts[-1], lengths[-1], strict=True):
                key = ids.keys(text, start, length, key)
            keys.append(key)
        repeated = _repeated(text, np.concatenate(starts, 1), np.concatenate(lengths, 1), np.concatenate(keys))
        if self._collecting and repeated > lines // 2:
            fact = f"most lines of {limits.amount(end - begin)} repeat a document of their query, and the file goes on"
            raise InputError(fact, self._name, "is it the file that was meant?")
        if (self._collecting or fault is None) and rows <= lines // 2:
            fact = f"most lines of {limits.amount(end - begin)} hold nothing that can be used, and the file goes on"
            if fault is not None:
                raise InputError(f"{fact}: {fault.fact}", self._name, fault.remedy)
            raise InputError(fact, self._name, f"expected lines such as {self._layout.example}")
        return (fault is not None or repeated > 0) and not self._collecting


def _repeated(text: Bytes, start: Ints, length: Ints, key: Words) -> int:
    """How many rows have the ids of another row, at the places that the rows of `start` have; perhaps some more do."""
    first = ids.first_alike(key)
    other = np.flatnonzero(first != np.arange(len(first)))
    one = first[other]
    same = np.ones(len(other), dtype=bool)
    for field in range(len(start)):
        same &= ids.equal(text, start[field][one], length[field][one], text, start[field][other], length[field][other])
    return int(np.count_nonzero(same))
