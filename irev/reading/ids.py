"""Ids as bytes in place: compared, hashed and ordered eight bytes at a time, without making a Python object of any.

An id is an offset and a length into a text. The text is an array of bytes with `PAD` spare bytes on either side, so
that eight bytes can be loaded at any offset of a field, or before its end. A hash never decides alone: whoever looks
ids up by `keys` compares them by `equal` afterwards.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np

from irev.base import segments
from irev.base.segments import AnyInts, Array, Bools, Ints
from irev.base.text import decoded, encoded

if TYPE_CHECKING:
    import numpy.typing as npt

Bytes: TypeAlias = "npt.NDArray[np.uint8]"
Words: TypeAlias = "npt.NDArray[np.uint64]"

PAD = 64
LONG = 256
"""Ids longer than this are rare, and handled one at a time."""

FIRST_BYTES: Words = np.array([(1 << 8 * n) - 1 for n in range(9)], dtype=np.uint64)
"""Masks that keep the first n bytes of a word."""

_PRIME = np.uint64(0x9E3779B97F4A7C15)
_FOLD = np.uint64(29)


def padded(size: int) -> Bytes:
    """An uninitialised text of `size` bytes between its pads."""
    text = np.empty(size + 2 * PAD, dtype=np.uint8)
    text[:PAD] = 0
    text[size + PAD :] = 0
    return text


def words_at_any_offset(text: Bytes) -> Words:
    """A view of `text` whose element i is the word of its eight bytes from i on, the first byte lowest."""
    return np.ndarray((len(text) - 7,), np.dtype("<u8"), text.data, 0, (1,))


def words(text: Bytes, start: AnyInts, length: AnyInts) -> Iterator[Words]:
    """The ids' words in turn, as many as the longest id has (up to `LONG` bytes), zero beyond the end of an id."""
    loads = words_at_any_offset(text)
    shortest, longest = int(length.min(initial=LONG)), min(int(length.max(initial=0)), LONG)
    for offset in range(0, longest, 8):
        if shortest >= offset + 8:
            yield loads[start + offset if offset else start]
        elif shortest == longest:
            yield loads[start + offset if offset else start] & FIRST_BYTES[longest - offset]
        else:
            remaining = np.clip(length - offset, 0, 8) if offset or longest > 8 else length
            # An id that has ended contributes a zero word, loaded from a place that is surely inside the text.
            places = start + offset if shortest >= offset else np.where(remaining > 0, start + offset, start)
            yield loads[places] & FIRST_BYTES.take(remaining)


def keys(
    text: Bytes, start: AnyInts, length: AnyInts, seed: Words | np.uint64, loaded: Iterable[Words] | None = None
) -> Words:
    """A 64-bit hash of each id, begun from `seed` (one, or one per id): equal ids under equal seeds have equal keys, in
    every process.

    `loaded` has the words of the ids for whoever has them at hand.
    """
    key: Words = np.full(len(start), seed, dtype=np.uint64)
    shortest = int(length.min(initial=LONG))
    for number, word in enumerate(words(text, start, length) if loaded is None else loaded):
        mixed = key ^ word
        mixed *= _PRIME
        mixed ^= mixed >> _FOLD
        if shortest > 8 * number:
            key = mixed
        else:
            # The key of an id must not depend on how long the others are.
            np.copyto(key, mixed, where=length > 8 * number)
    long = np.flatnonzero(length > LONG)
    if len(long):
        key[long] ^= digests(text, start[long] + LONG, length[long] - LONG)
    return key


def digests(text: Bytes, start: AnyInts, length: AnyInts, secret: bytes = b"") -> Words:
    """A 64-bit hash of each of some long ids, the same in every process, as Python's own is not: keys are pickled."""
    from hashlib import blake2b  # rarely needed, and slow to import

    view = text.data
    spans = zip(start.tolist(), (start + length).tolist(), strict=True)
    found = b"".join(blake2b(view[begin:end], digest_size=8, key=secret).digest() for begin, end in spans)
    return np.frombuffer(found, dtype="<u8")


def at(text: Bytes, start: Any, length: Any) -> bytes:
    """One id as bytes."""
    return text[start : start + length].tobytes()


def cut(expression: str, text: Bytes, start: AnyInts, stop: AnyInts) -> tuple[Ints, Ints, int | None]:
    """Where in each id stands what a regular expression finds, or its first group; the whole of an id without any, and
    the first row that has none.

    Ids are matched as text: ``.`` is a character, of as many bytes as it has.
    """
    compiled = re.compile(expression)
    group = min(compiled.groups, 1)
    begins, ends = start.tolist(), stop.tolist()
    low = min(begins, default=0)
    whole = at(text, low, max(ends, default=0) - low)
    letters = whole.decode() if whole.isascii() else None  # at once, which is faster
    without: int | None = None
    for row, (begin, end) in enumerate(zip(begins, ends, strict=True)):
        place = slice(begin - low, end - low)
        name = decoded(whole[place]) if letters is None else letters[place]
        found = compiled.search(name)
        if found is not None and found.start(group) < found.end(group):
            first, last = found.span(group)
            if len(name) < end - begin:
                first, last = len(encoded(name[:first])), len(encoded(name[:last]))
            begins[row], ends[row] = begin + first, begin + last
        elif without is None:
            without = row
    return np.array(begins, dtype=np.int64), np.array(ends, dtype=np.int64), without


def equal(
    text: Bytes, start: AnyInts, length: AnyInts, other: Bytes, other_start: AnyInts, other_length: AnyInts
) -> Bools:
    """Whether the ids of one text equal those of another, pair by pair."""
    same: Bools = length == other_length
    for mine, theirs in zip(words(text, start, length), words(other, other_start, other_length), strict=False):
        same &= mine == theirs
    for row in np.flatnonzero(same & (length > LONG)).tolist():
        same[row] = at(text, start[row], length[row]) == at(other, other_start[row], other_length[row])
    return same


def changes(text: Bytes, start: AnyInts, length: AnyInts) -> Ints:
    """Rows whose id differs from the row before, the first row included: where runs of equal ids begin."""
    differs = np.zeros(len(start), dtype=bool)
    differs[:1] = True
    for word in words(text, start, length):
        differs[1:] |= word[1:] != word[:-1]
    if int(length.max(initial=0)) > LONG:
        differs[1:] |= length[1:] != length[:-1]
        for row in np.flatnonzero(~differs & (length > LONG)).tolist():
            differs[row] = at(text, start[row], length[row]) != at(text, start[row - 1], length[row - 1])
    return np.flatnonzero(differs)


def rising(text: Bytes, start: AnyInts, length: AnyInts, *groups: Array) -> Ints:
    """Indices that sort by the groups, the first of them first, and inside of these ids by their bytes; a prefix comes
    first."""
    if int(length.max(initial=0)) > LONG:
        ids = [at(text, s, n) for s, n in zip(start.tolist(), length.tolist(), strict=True)]
        by_id = np.array(sorted(range(len(ids)), key=ids.__getitem__), dtype=np.int64)
        return by_id[np.lexsort([group[by_id] for group in reversed(groups)])] if groups else by_id
    columns = [*groups, *_comparable(text, start, length)]
    return np.lexsort(columns[::-1]) if columns else np.arange(len(start))


def falling(text: Bytes, start: AnyInts, length: AnyInts, group: Ints) -> Ints:
    """Indices that sort by `group`, and inside a group by id, highest bytes first; a prefix comes last."""
    if int(length.max(initial=0)) > LONG:
        ids = [at(text, s, n) for s, n in zip(start.tolist(), length.tolist(), strict=True)]
        by_id = sorted(range(len(ids)), key=ids.__getitem__, reverse=True)
        return np.array(sorted(by_id, key=group.__getitem__), dtype=np.int64)
    # Complemented words sort ids falling; zero padding, complemented, puts a prefix last.
    columns = [~word for word in _comparable(text, start, length)]
    return np.lexsort((*reversed(columns), group))


def _comparable(text: Bytes, start: AnyInts, length: AnyInts) -> list[Words]:
    """The ids' words as numbers that compare as their bytes do: the first byte highest."""
    little = np.little_endian is not False  # words are loaded little-endian everywhere
    return [word.byteswap() if little else word for word in words(text, start, length)]


SEED = np.uint64(0x243F6A8885A308D3)
"""What the keys of query ids begin from; the keys of documents begin from that of their query."""

_SLOTS_PER_ROW = 8


def repeated(text: Bytes, start: AnyInts, length: AnyInts, key: Words, query: Ints) -> tuple[Ints, Ints]:
    """Rows whose document stands in an earlier row of the same query, in their order, and the first such row of each.

    Each row writes its number into the slot of its key and reads it back. A row that finds another number there has the
    same key as the row it finds, or else shares the slot by chance; the few of these that chance leaves are sorted.
    Much cheaper than sorting all keys.
    """
    rows = len(key)
    if rows > segments.MANY:  # where the table would be a matter of memory
        ordered = np.sort(key)
        shared = segments.distinct(ordered[1:][ordered[1:] == ordered[:-1]])
        del ordered
        return _again_and_first(text, start, length, key, query, shared)
    # Small numbers make a small table, and a small table stays in the cache.
    kind = np.uint16 if rows <= 1 << 16 else np.int32
    bits = (rows * _SLOTS_PER_ROW).bit_length()
    slots = np.empty(1 << bits, dtype=kind)
    slot = (key >> np.uint64(64 - bits)).view(np.int64)
    number = np.arange(rows, dtype=kind)
    slots[slot] = number
    winner = slots[slot]
    lost = np.flatnonzero(winner != number)
    lost_keys = np.sort(key[lost])
    shared = np.concatenate((lost_keys[1:][lost_keys[1:] == lost_keys[:-1]], key[lost][key[lost] == key[winner[lost]]]))
    return _again_and_first(text, start, length, key, query, shared)


def _again_and_first(
    text: Bytes, start: AnyInts, length: AnyInts, key: Words, query: Ints, shared: Words
) -> tuple[Ints, Ints]:
    """As `repeated`, given the keys that several rows share."""
    if not len(shared):
        return np.empty(0, dtype=np.int64), np.empty(0, dtype=np.int64)
    rows = np.flatnonzero(np.isin(key, shared))
    first = rows[first_alike(key[rows])]
    same = equal(text, start[rows], length[rows], text, start[first], length[first])
    if not (same & (query[rows] == query[first])).all():  # different ids share a key
        seen: dict[tuple[int, bytes], int] = {}
        for place, row in enumerate(rows.tolist()):
            first[place] = seen.setdefault((int(query[row]), at(text, start[row], length[row])), row)
    again = rows != first
    return rows[again], first[again]


def grouped(text: Bytes, start: AnyInts, length: AnyInts, key: Words | None = None) -> tuple[Ints, Ints]:
    """Number equal ids alike, in the order in which they first come: for each row the number of its group, and the
    first row of each group as its example. `key` has their keys, begun from `SEED`, for whoever has them at hand."""
    group, examples = numbered(first_alike(keys(text, start, length, SEED) if key is None else key))
    example = examples[group]
    if equal(text, start, length, text, start[example], length[example]).all():
        return group, examples
    # Different ids share a key.
    numbers: dict[bytes, int] = {}
    for row, (s, n) in enumerate(zip(start.tolist(), length.tolist(), strict=True)):
        group[row] = numbers.setdefault(at(text, s, n), len(numbers))
    return group, np.unique(group, return_index=True)[1]


def first_alike(key: Words) -> Ints:
    """(n,) For each row the first one of the same key.

    Each row writes its number into the slot of its key, the first one last, and reads what stands there. Where another
    key has the slot, which chance leaves few of, keys are sorted. Much cheaper than sorting all of them.
    """
    bits = (len(key) * 2).bit_length()
    slot = (key >> np.uint64(64 - bits)).view(np.int64)
    slots = np.empty(1 << bits, dtype=np.int64 if len(key) >= 1 << 31 else np.int32)
    slots[slot[::-1]] = np.arange(len(key), dtype=slots.dtype)[::-1]
    first: Ints = slots[slot].astype(np.int64)
    others = np.flatnonzero(key[first] != key)
    order = others[np.argsort(key[others], kind="stable")]
    opens = segments.opens(key[order])
    first[order] = order[opens][np.cumsum(opens) - 1]
    return first


def numbered(first: Ints) -> tuple[Ints, Ints]:
    """Rows that have the same first row as one number, and these rows in their order."""
    opens = first == np.arange(len(first))
    return (np.cumsum(opens) - 1)[first], np.flatnonzero(opens)
