"""A stream of lines of which only those of a few queries are wanted, as by a second look at a run.

Finding the lines that begin like one of the ids takes a third of the time of reading them all. What is let through may
be more than what is wanted: lines that begin otherwise, with a blank or a comment, and ids that share eight bytes.
Lines lose their numbers, so this is for a file that was read before and found in order.
"""

from __future__ import annotations

from collections.abc import Collection

import numpy as np

from irev.reading.chunks import Buffer, Chunks
from irev.reading.fields import BLANK, NEWLINE
from irev.reading.ids import FIRST_BYTES, Words, padded, words_at_any_offset
from irev.reading.sources import Stream


class Chosen:
    """The lines of a stream that may belong to some queries.

    Parameters
    ----------
    stream : Stream
        Its lines begin with the query.
    wanted : collection of bytes
        The queries.
    """

    def __init__(self, stream: Stream, wanted: Collection[bytes]) -> None:
        self.name = stream.name
        self.size = 0
        self._stream = stream
        self._beginnings = _beginnings(wanted)
        self._begin()

    def _begin(self) -> None:
        self._pieces = Chunks(self._stream)
        self._buffer = Buffer(padded(0))
        self._left = memoryview(b"")

    def rewind(self) -> None:
        """As `irev.reading.sources.Source.rewind`."""
        self._stream.rewind()
        self._begin()

    def fill(self, room: memoryview) -> int:
        """As `irev.reading.sources.Source.fill`."""
        filled = 0
        while filled < len(room):
            if not len(self._left):
                if not self._pieces.read(self._buffer):
                    break
                self._left = memoryview(self._kept())
            taken = min(len(self._left), len(room) - filled)
            room[filled : filled + taken] = self._left[:taken]
            self._left = self._left[taken:]
            filled += taken
        return filled

    def _kept(self) -> bytes:
        """The lines of the buffer that may be wanted."""
        text, begin, end = self._buffer.text, self._buffer.begin, self._buffer.end
        bounds = np.concatenate(([begin], np.flatnonzero(text[begin:end] == NEWLINE) + begin + 1))
        starts = bounds[:-1]
        first = words_at_any_offset(text)[starts]
        wanted = text[starts] <= BLANK
        for mask, words in self._beginnings:
            wanted |= np.isin(first & mask, words)
        # Lines that follow each other are copied together.
        edges = np.flatnonzero(np.diff(wanted, prepend=False, append=False))
        spans = zip(bounds[edges[::2]].tolist(), bounds[edges[1::2]].tolist(), strict=True)
        return b"".join(text[start:stop].tobytes() for start, stop in spans)


def _beginnings(wanted: Collection[bytes]) -> list[tuple[np.uint64, Words]]:
    """The first eight bytes of ids as words, those of each length together, with the mask of that length."""
    by_length: dict[int, list[int]] = {}
    for query in wanted:
        by_length.setdefault(min(len(query), 8), []).append(int.from_bytes(query[:8], "little"))
    return [(FIRST_BYTES[length], np.array(words, dtype=np.uint64)) for length, words in by_length.items()]
