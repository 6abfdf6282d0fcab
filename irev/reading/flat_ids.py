"""Many ids as one text, of which each becomes an object only when someone asks for it.

An object of Python takes 56 bytes and more for an id, and as much again in a dictionary; here an id takes its bytes
and eight more. What is done with many is done with all of them at once.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import cached_property
from itertools import repeat
from typing import Any, overload

import numpy as np

from irev.base import segments
from irev.base.records import dataclass
from irev.base.segments import AnyInts, Bools, Ints
from irev.reading import ids
from irev.reading.ids import PAD, SEED, Bytes, Words
from irev.reading.lookup import Lookup, by_key

MANY = 1 << 16
"""More ids than so many are kept flat; fewer are quicker to look up in a dictionary."""

_TOGETHER = 1 << 12
"""Ids whose places are made objects of, or copied, at the same time."""


@dataclass(frozen=True, eq=False)
class FlatIds(Sequence[bytes]):
    """Ids where they stand in a text, as `irev.reading.ids` takes them.

    Attributes
    ----------
    text : uint8
    start, length : int (n,)
    """

    text: Bytes
    start: AnyInts
    length: AnyInts

    @classmethod
    def of(cls, written: Sequence[bytes]) -> FlatIds:
        """The same ids, in a text of their own unless they have one."""
        if isinstance(written, FlatIds):
            return written
        length = np.fromiter(map(len, written), dtype=np.int64, count=len(written))
        text = ids.padded(int(length.sum()))
        text[PAD : len(text) - PAD] = np.frombuffer(b"".join(written), dtype=np.uint8)
        return cls(text, PAD + segments.starts(length), length)

    def __len__(self) -> int:
        return len(self.start)

    @overload
    def __getitem__(self, place: int) -> bytes: ...

    @overload
    def __getitem__(self, place: slice) -> FlatIds: ...

    def __getitem__(self, place: int | slice) -> bytes | FlatIds:
        if isinstance(place, slice):
            return FlatIds(self.text, self.start[place], self.length[place])
        return ids.at(self.text, int(self.start[place]), int(self.length[place]))

    def __iter__(self) -> Iterator[bytes]:
        for begin in range(0, len(self), _TOGETHER):
            here = slice(begin, begin + _TOGETHER)
            yield from map(ids.at, repeat(self.text), self.start[here].tolist(), self.length[here].tolist())

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, FlatIds):
            return NotImplemented
        return self is other or (len(self) == len(other) and all(map(bytes.__eq__, self, other)))

    def __hash__(self) -> int:
        return hash((len(self), *self[:2]))

    def __reduce__(self) -> tuple[Any, ...]:
        # Some of many are sent without the text of the others, and without what was made to look them up.
        own = self.copied()
        return FlatIds, (own.text, own.start, own.length)

    def pick(self, rows: AnyInts) -> FlatIds:
        """Some of them, in the same text."""
        return FlatIds(self.text, self.start[rows], self.length[rows])

    def copied(self) -> FlatIds:
        """The same in a text of their own, one behind the other."""
        stop = np.cumsum(self.length, dtype=np.int64) + PAD
        size = int(stop[-1]) - PAD if len(stop) else 0
        text = ids.padded(size)
        for begin in range(0, len(self), _TOGETHER):  # the offsets of every byte take eight times the room of the bytes
            here = slice(begin, begin + _TOGETHER)
            length = self.length[here].astype(np.int64)
            first = stop[begin] - length[0]
            source = np.repeat(self.start[here].astype(np.int64) - (stop[here] - length), length)
            source += np.arange(first, first + len(source))
            text[first : first + len(source)] = self.text[source]
        start = stop - self.length
        return FlatIds(text, start.astype(np.uint32) if size < 1 << 31 else start, segments.narrowed(self.length))

    @property
    def content(self) -> bytes:
        """All of them, one behind the other."""
        text = self.copied().text
        return text[PAD : len(text) - PAD].tobytes()

    @cached_property
    def keys(self) -> Words:
        """(n,) Their keys, begun from `SEED`."""
        return ids.keys(self.text, self.start, self.length, SEED)

    def numbered(self) -> tuple[Ints, AnyInts]:
        """Which of them are the same: the distinct ones in byte order, each as a place here, and the number of each id
        among these."""
        order = ids.rising(self.text, self.start, self.length)
        first = np.zeros(len(self), dtype=bool)
        if len(self):
            first[ids.changes(self.text, self.start[order], self.length[order])] = True
        number = np.empty(len(self), dtype=np.int32)
        number[order] = np.cumsum(first, dtype=np.int32) - 1
        return order[first], number

    def places(self, others: Sequence[bytes]) -> Ints:
        """Where the others stand among these, which differ; -1 for one that does not."""
        others = FlatIds.of(others)
        found = np.full(len(others), -1, dtype=np.int64)
        lookup, order = self._lookup

        def same(rows: Ints, place: Ints) -> Bools:
            mine = self.pick(order[place])
            return ids.equal(others.text, others.start[rows], others.length[rows], self.text, mine.start, mine.length)

        rows, place = lookup.find(others.keys, same)
        found[rows] = order[place]
        return found

    @cached_property
    def _lookup(self) -> tuple[Lookup, Ints]:
        """Their keys in order, and where the id of each stands."""
        order, key = by_key(ids.keys(self.text, self.start, self.length, SEED))
        return Lookup(key), order


def joined(parts: Sequence[FlatIds]) -> FlatIds:
    """The ids of one or more texts, one behind the other in a text of their own."""
    copies = [part.copied() for part in parts]
    sizes = [len(copy.text) - 2 * PAD for copy in copies]
    text = ids.padded(sum(sizes))
    begin = segments.starts(np.array(sizes))
    for copy, first, size in zip(copies, begin.tolist(), sizes, strict=True):
        text[PAD + first : PAD + first + size] = copy.text[PAD : PAD + size]
    start = np.concatenate([copy.start + first for copy, first in zip(copies, begin, strict=True)])
    return FlatIds(text, start, np.concatenate([copy.length for copy in copies]))


def kept(found: FlatIds) -> Sequence[bytes]:
    """Ids to keep, without the text they stand in: as objects where they are few."""
    return found.copied() if len(found) > MANY else tuple(found)


def of_some(all_ids: Sequence[bytes], places: AnyInts) -> Sequence[bytes]:
    """Some of the ids, which are as `kept` gives them; so are these, but in the same text."""
    if isinstance(all_ids, FlatIds) and len(places) > MANY:
        return all_ids.pick(places)
    return tuple(all_ids[i] for i in places.tolist())
