"""A table of keys: which of many given keys are there, and where. Few bytes for each, and no objects of Python.

Of a key the upper half is enough to find what has it by. A key never decides alone: whoever looks something up says
which of the things found are the same as what was looked for.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cached_property
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np

from irev.base import segments
from irev.base.records import dataclass
from irev.base.segments import Bools, Ints
from irev.reading.ids import Words

if TYPE_CHECKING:
    import numpy.typing as npt

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
        begins: npt.NDArray[Any] = np.zeros((1 << bits) + 1, np.int32 if len(self.key) < 1 << 31 else np.int64)
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
        while len(behind):
            behind = behind[self.key[place[behind]] < key[behind]]
            place[behind] += 1
            behind = behind[place[behind] < end[behind]]
        return place

    def find(self, key: Words, same: Callable[[Ints, Ints], Bools]) -> tuple[Ints, Ints]:
        """Which of the given keys are there, and belong to what is looked for.

        Parameters
        ----------
        key : uint64
            Whole keys.
        same : callable
            Whether rows of `key` and places here that have the same upper half are of the same thing, pair by pair.

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
        while len(rows):
            inside = place < len(self.key)
            rows, place, upper = rows[inside], place[inside], upper[inside]
            alike = self.key[place] == upper
            rows, place, upper = rows[alike], place[alike], upper[alike]
            found = same(rows, place)
            found_rows.append(rows[found])
            found_place.append(place[found])
            # Another one may have the same key: it stands next.
            rows, place, upper = rows[~found], place[~found] + 1, upper[~found]
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
