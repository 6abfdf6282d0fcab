"""Ids of a block as bytes in place, and what stands for them in memory: 128 bits of hash.

Two ids that differ are taken for one only if both halves agree, which are made independently of each other, from seeds
drawn for each process: of a billion ids, the chance that any two do is about 10^-21, and nobody can choose ids that do.
Nothing else depends on the seeds.
"""

from __future__ import annotations

import os
from collections.abc import Sequence

import numpy as np

from irev.base.records import dataclass
from irev.base.segments import Bools, Ints
from irev.reading import ids
from irev.reading.ids import LONG, PAD, Bytes, Words, at

_SEEDS: Words = np.frombuffer(os.urandom(16), dtype=np.uint64) | np.uint64(1)
_FIRST, _SECOND, _SHIFT = np.uint64(0xFF51AFD7ED558CCD), np.uint64(0xC4CEB9FE1A85EC53), np.uint64(33)


@dataclass(frozen=True, eq=False)
class TextColumn:
    """Ids or names, one for each row.

    Attributes
    ----------
    text : uint8
        Where they stand, with `irev.reading.ids.PAD` bytes on either side.
    start, length : int (n,)
        Of each; a length of 0 where there is none.
    plain : bool
        Whether no control character stands in any of them, as far as is known.
    """

    text: Bytes
    start: Ints
    length: Ints
    plain: bool = False

    def __len__(self) -> int:
        return len(self.start)

    @property
    def given(self) -> Bools:
        """Which rows have one."""
        return self.length > 0

    def __getitem__(self, rows: Ints | Bools | slice) -> TextColumn:
        return TextColumn(self.text, self.start[rows], self.length[rows], self.plain)

    def at(self, row: int) -> bytes:
        """One of them."""
        return at(self.text, self.start[row], self.length[row])

    def keys(self) -> tuple[Words, Words]:
        """The two halves of the hash of each; both 0 where there is none."""
        return self.half(0), self.half(1)

    def half(self, which: int) -> Words:
        """One half of the hash of each; 0 where there is none, and nowhere else."""
        seed = _SEEDS[which]
        key: Words = self.length.astype(np.uint64) * seed
        shortest = int(self.length.min(initial=LONG))
        for number, word in enumerate(ids.words(self.text, self.start, self.length)):
            mixed = _mixed(key ^ word, seed)
            if shortest > 8 * number:
                key = mixed
            else:  # the hash of an id must not depend on how long the others are
                np.copyto(key, mixed, where=self.length > 8 * number)
        if int(self.length.max(initial=0)) > LONG:
            from hashlib import blake2b

            for row in np.flatnonzero(self.length > LONG).tolist():
                digest = blake2b(self.at(row), digest_size=8, key=seed.tobytes(), salt=bytes([which])).digest()
                key[row] = int.from_bytes(digest, "little")
        key[key == 0] = 1
        key[self.length == 0] = 0
        return key

    def unusable(self) -> Ints:
        """Rows whose id has a control character, or a blank at either end, which nobody would see."""
        if not len(self) or not self.length.any():
            return np.empty(0, np.int64)
        last = self.start + self.length - 1  # of what is no id, the byte before it
        found: Bools = self.given & ((self.text[self.start] == 32) | (self.text[last] == 32))
        if not self.plain:
            lowest, highest = int(self.start.min()), int(last.max()) + 1
            odd = np.flatnonzero(controls(self.text[lowest:highest])) + lowest
            found |= np.searchsorted(odd, self.start) < np.searchsorted(odd, last + 1)
        return np.flatnonzero(found)

    def are(self, word: str) -> Bools:
        """Which of them are a certain word."""
        wanted = texts_of([word])
        n = len(self)
        return ids.equal(
            self.text, self.start, self.length, wanted.text, np.repeat(wanted.start, n), np.repeat(wanted.length, n)
        )


def controls(text: Bytes) -> Bools:
    """Which bytes are control characters."""
    found: Bools = (text < 32) | (text == 127)
    return found


def _mixed(key: Words, seed: np.uint64) -> Words:
    """Every bit of the key, spread over all bits; two keys that differ stay different."""
    key ^= key >> _SHIFT
    key *= _FIRST
    key ^= seed
    key ^= key >> _SHIFT
    key *= _SECOND
    key ^= key >> _SHIFT
    return key


def texts_of(values: Sequence[str]) -> TextColumn:
    """Strings as they stand one after the other; an empty one is none.

    Raises `UnicodeEncodeError` for halves of pairs of UTF-16, which JSON can write and UTF-8 cannot.
    """
    joined = "\n".join(values).encode()
    text = np.frombuffer(b"".join((bytes(PAD), joined, b"\n", bytes(PAD))), dtype=np.uint8)
    ends = np.flatnonzero(controls(text[PAD : len(text) - PAD])) + PAD
    if len(ends) != len(values):  # an id holds a control character
        return texts_of_bytes([value.encode() for value in values])
    start = np.empty_like(ends)
    start[:1] = PAD
    start[1:] = ends[:-1] + 1
    return TextColumn(text, start, ends - start, plain=True)


def texts_of_bytes(values: Sequence[bytes]) -> TextColumn:
    """The same of bytes, whatever stands in them."""
    length = np.array([len(value) for value in values], dtype=np.int64)
    text = np.frombuffer(b"".join((bytes(PAD), b"\n".join(values), b"\n", bytes(PAD))), dtype=np.uint8)
    stop = PAD + np.cumsum(length + 1) - 1
    return TextColumn(text, stop - length, length)


def coded(texts: TextColumn, codes: dict[bytes, int], most: int) -> Ints:
    """A number for each name: its place in `codes`, which grows up to `most`; -1 where there is none."""
    found = np.full(len(texts), -1, dtype=np.int64)
    rows = np.flatnonzero(texts.given)
    if len(rows):
        group, examples = ids.grouped(texts.text, texts.start[rows], texts.length[rows])
        names = [texts.at(int(rows[example])) for example in examples.tolist()]
        for name in names[: most - len(codes)]:
            codes.setdefault(name, len(codes))
        found[rows] = np.array([codes.get(name, most) for name in names], dtype=np.int64)[group]
    return found
