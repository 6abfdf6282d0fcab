"""Many ids as one text, of which each becomes an object only when someone asks for it; and a table of their keys.

An object of Python takes 56 bytes and more for an id, and as much again in a dictionary; here an id takes its bytes
and eight more. What is done with many is done with all of them at once.

Of a key the upper half is enough to find what has it by. A key never decides alone: whoever looks something up says
which of the things found are the same as what was looked for.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Iterator, Sequence
from itertools import repeat
from typing import TYPE_CHECKING, Any, TypeAlias, overload

import numpy as np

from irev.base import segments
from irev.base.records import cached_property, dataclass
from irev.base.segments import AnyInts, Array, Bools, Ints
from irev.reading import ids
from irev.reading.ids import PAD, SEED, Bytes, Words

if TYPE_CHECKING:
    import numpy.typing as npt


MANY = 1 << 16
"""More ids than so many are kept flat; fewer are quicker to look up in a dictionary."""

_FEW = 500
"""Ids that are sooner looked up in a dictionary than by their keys."""

_CHAIN = 8
"""Places that are looked at one by one of those where a key may be: chance alone leaves far fewer."""

_TOGETHER = 1 << 12
"""Ids whose places are made objects of, or copied, at the same time."""


@dataclass(frozen=True, eq=False)
class FlatIds(Sequence[bytes]):
    """Ids where they stand in a text, as `irev.reading.ids` takes them.

    Attributes
    ----------
    text : uint8
    start, length : int (n,)
    words : uint64 (n, w) or None
        The words of each, for whoever has them at hand where all have as many.
    """

    text: Bytes
    start: AnyInts
    length: AnyInts
    words: Words | None = None

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
        return self.keys_from(SEED)

    def keys_from(self, seed: Words | np.uint64) -> Words:
        """(n,) Their keys, begun from a seed, or each from its own."""
        loaded = None if self.words is None else [self.words[:, i] for i in range(self.words.shape[1])]
        return ids.keys(self.text, self.start, self.length, seed, loaded)

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
        if len(self) + len(others) < _FEW:
            places = dict(zip(self, range(len(self)), strict=True))
            return np.array([places.get(each, -1) for each in others], dtype=np.int64)
        others = FlatIds.of(others)
        found = np.full(len(others), -1, dtype=np.int64)
        lookup, order = self._lookup

        def same(rows: Ints, place: Ints) -> Bools:
            mine = self.pick(order[place])
            return ids.equal(others.text, others.start[rows], others.length[rows], self.text, mine.start, mine.length)

        rows, place = lookup.find(others.keys, same, others.pick, lambda place: self.pick(order[place]))
        found[rows] = order[place]
        return found

    @cached_property
    def _lookup(self) -> tuple[Lookup, Ints]:
        """Their keys in order, and where the id of each stands."""
        order, key = by_key(self.keys_from(SEED))
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


Halves: TypeAlias = "npt.NDArray[np.uint32]"


@dataclass(frozen=True, eq=False)
class Lookup:
    """The upper halves of keys, rising."""

    key: Halves

    @cached_property
    def _filter(self) -> tuple[np.uint64, Bools]:
        """A table of the keys' top bits, which rules out most that are not there, and how far to shift a key for it."""
        # The larger, the fewer rows pass by chance, until it no longer fits the cache.
        keys = len(self.key)
        bits = min(max((keys * 8).bit_length(), min((keys * 64).bit_length(), 18), 12), 22)
        table = np.zeros(1 << bits, dtype=bool)
        table[self.key >> np.uint32(32 - bits)] = True
        return np.uint64(64 - bits), table

    @cached_property
    def _second_filter(self) -> tuple[np.uint32, Bools]:
        """The same of the lowest bits that keys have here, as a mask: rows that pass both by chance are few."""
        _, table = self._filter
        mask = np.uint32(len(table) - 1)
        second = np.zeros_like(table)
        second[self.key & mask] = True
        return mask, second

    @cached_property
    def _buckets(self) -> tuple[np.uint32, Ints]:
        """Where the keys of each value of their top bits begin, and how far to shift a key for it.

        Keys are spread evenly, so that a bucket holds about one, or a few where there are millions: looking there is
        faster than a binary search.
        """
        bits = min(max(len(self.key).bit_length(), 1), 22)
        shift = np.uint32(32 - bits)
        begins: Array = np.zeros((1 << bits) + 1, np.int32 if len(self.key) < 1 << 31 else np.int64)
        for begin, end in segments.pieces(len(self.key)):
            bucket = self.key[begin:end] >> shift
            first, last = int(bucket[0]), int(bucket[-1])  # keys rise
            begins[first + 1 : last + 2] += np.bincount(bucket - bucket[0], minlength=last - first + 1).astype(
                begins.dtype
            )
        np.cumsum(begins, out=begins)
        return shift, begins

    def _place(self, key: Halves) -> Ints:
        """The first place whose key is at least each given one."""
        shift, begins = self._buckets
        bucket = key >> shift
        place: Ints = begins[bucket].astype(np.int64)
        end = begins[bucket + 1]
        behind = np.flatnonzero(place < end)
        for _ in range(_CHAIN):
            if not len(behind):
                return place
            behind = behind[self.key[place[behind]] < key[behind]]
            place[behind] += 1
            behind = behind[place[behind] < end[behind]]
        place[behind] = np.searchsorted(self.key, key[behind])
        return place

    def find(
        self,
        key: Words,
        same: Callable[[Ints, Ints], Bools],
        wanted: Callable[[Ints], Iterable[Hashable]],
        there: Callable[[Ints], Iterable[Hashable]],
    ) -> tuple[Ints, Ints]:
        """Which of the given keys are there, and belong to what is looked for.

        Parameters
        ----------
        key : uint64
            Whole keys.
        same : callable
            Whether rows of `key` and places here that have the same upper half are of the same thing, pair by pair.
        wanted, there : callable
            What rows of `key`, and places here, are of, as objects: the same thing is the same object. Asked where
            more things share an upper half than chance brings about.

        Returns
        -------
        rows, place : int (found,)
            The rows that are there, rising, and the place of each.
        """
        shift, table = self._filter
        rows = np.flatnonzero(table[(key >> shift).view(np.int64)])
        upper = upper_half(key[rows])
        mask, second = self._second_filter
        likely = second[upper & mask]
        rows, upper = rows[likely], upper[likely]
        place = self._place(upper)
        found_rows: list[Ints] = []
        found_place: list[Ints] = []
        for _ in range(_CHAIN):
            if not len(rows):
                break
            inside = place < len(self.key)
            rows, place, upper = rows[inside], place[inside], upper[inside]
            alike = self.key[place] == upper
            rows, place, upper = rows[alike], place[alike], upper[alike]
            found = same(rows, place)
            found_rows.append(rows[found])
            found_place.append(place[found])
            # Another one may have the same key: it stands next.
            rows, place, upper = rows[~found], place[~found] + 1, upper[~found]
        if len(rows):  # somebody chose ids for their keys; looking at every pair would take the square of their number
            places = np.flatnonzero(np.isin(self.key, upper))
            known = dict(zip(there(places[::-1]), places[::-1].tolist(), strict=True))
            place = np.array([known.get(each, -1) for each in wanted(rows)], dtype=np.int64)
            found_rows.append(rows[place >= 0])
            found_place.append(place[place >= 0])
        if len(found_rows) == 1:
            return found_rows[0], found_place[0]
        all_rows = np.concatenate([*found_rows, np.empty(0, np.int64)])
        order = np.argsort(all_rows)
        return all_rows[order], np.concatenate([*found_place, np.empty(0, np.int64)])[order]


def upper_half(key: Words) -> Halves:
    """The upper halves of whole keys."""
    return (key >> np.uint64(32)).astype(np.uint32)


def by_key(key: Words) -> tuple[Ints, Halves]:
    """The order of keys by their upper halves, those that share one in their own, and these halves; keys are lost."""
    key >>= np.uint64(32)
    if len(key) < 1 << 32:
        upper, order = segments.packed_order(key)
        return order, upper.astype(np.uint32)
    upper = key  # pragma: no cover - so many need a hundred gigabytes
    order = np.argsort(upper, kind="stable")  # pragma: no cover
    return order, upper[order].astype(np.uint32)  # pragma: no cover
