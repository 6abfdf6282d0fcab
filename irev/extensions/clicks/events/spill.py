"""Arrays in parts: in memory while they are few, in a temporary file when they are many, and then one part at a time.

Rows that belong together have the same part, whichever array they are of. The rows of a part come back in the order in
which they were put.
"""

from __future__ import annotations

import contextlib
from collections import defaultdict
from typing import IO, Any

import numpy as np

from irev.base.errors import InputError
from irev.base.segments import AnyInts, Array
from irev.reading.ids import Bytes, Words

PARTS = 256
"""So many parts are made of what does not fit; each is to fit."""

MEMORY = 1 << 27
"""Bytes that are held before they are written, unless told otherwise."""


class Spill:
    """Named arrays, cut into parts.

    Parameters
    ----------
    memory : int, optional
        Bytes that are held before they are written; what takes no more is never written.
    """

    def __init__(self, memory: int | None = None) -> None:
        self._memory = MEMORY if memory is None else memory
        self._held: dict[str, list[tuple[Array, AnyInts]]] = defaultdict(list)
        self._kinds: dict[str, Any] = {}
        self._size = 0
        self._file: IO[bytes] | None = None
        self._places: dict[str, list[Any]] = {}

    def put(self, name: str, array: Array, part: AnyInts) -> None:
        """Keep the rows of an array, each in the part that it belongs to (`parts_of`)."""
        self._kinds[name] = array.dtype
        self._held[name].append((array, part))
        self._size += array.nbytes + part.nbytes

    def settle(self) -> None:
        """Write what is held, where that is more than there is memory for; to be called when arrays are complete."""
        if self._size > self._memory:
            self._write()

    @property
    def parts(self) -> range:
        """The parts that there are: one as long as nothing is written."""
        return range(PARTS if self._file is not None else 1)

    def rows(self, name: str, part: int, kind: Any = np.float64) -> Array:
        """The rows of an array in a part; none, of some `kind`, where there is no such array."""
        self._kinds.setdefault(name, kind)
        if self._file is None:
            return self._concatenated(name, [array for array, _ in self._held.get(name, ())])
        if self._size:
            self._write()
        found = []
        for begin, places in self._places.get(name, ()):
            first, last = places[part], places[part + 1]
            self._file.seek(begin + int(first) * self._kinds[name].itemsize)
            found.append(np.fromfile(self._file, dtype=self._kinds[name], count=int(last - first)))
        return self._concatenated(name, found)

    def _concatenated(self, name: str, arrays: list[Array]) -> Array:
        if not arrays:
            return np.empty(0, dtype=self._kinds[name])
        return arrays[0] if len(arrays) == 1 else np.concatenate(arrays)

    def _write(self) -> None:
        import tempfile

        try:
            if self._file is None:
                self._file = tempfile.TemporaryFile(buffering=0)  # noqa: SIM115 - closed with this
            for name in list(self._held):
                held = self._held.pop(name)
                array = np.concatenate([array for array, _ in held])
                part = np.concatenate([part for _, part in held])
                order = np.argsort(part, kind="stable")
                places = np.append(0, np.cumsum(np.bincount(part, minlength=PARTS)))
                begin = self._file.seek(0, 2)
                rest = np.ascontiguousarray(array[order]).data.cast("B")
                while rest:
                    rest = rest[self._file.write(rest) :]
                self._places.setdefault(name, []).append((begin, places))
        except OSError as error:
            fact = f"the temporary file for a large log cannot be written ({error.strerror or error})"
            raise InputError(fact, "", "TMPDIR=FOLDER changes its folder") from None
        self._size = 0

    def close(self) -> None:
        """Let go of everything."""
        self._held.clear()
        if self._file is not None:
            with contextlib.suppress(OSError):
                self._file.close()

    def __enter__(self) -> Spill:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


def parts_of(key: Words) -> Bytes:
    """The part of each key."""
    return (key >> np.uint64(56)).astype(np.uint8)
