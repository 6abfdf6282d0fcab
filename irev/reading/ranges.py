"""A large file that several processes read at the same time, each a range of bytes that begins and ends at a query.

Threads share one interpreter, which they hand over after every small operation, so that two of them are 1.6 times as
fast as one; processes share nothing. Each takes the next range as soon as it is done with one, and sends back what was
made of its chunks, which is small.
"""

from __future__ import annotations

from collections.abc import Callable, Generator
from contextlib import closing
from typing import TypeVar

from irev.base import workers
from irev.base.errors import IrevError
from irev.reading import chunks
from irev.reading.chunks import Buffer, Chunks, Scattered
from irev.reading.ids import PAD, padded
from irev.reading.sources import Source

SIZE = 4 * chunks.SIZE - (1 << 18)
"""Bytes of a range, unless a query is longer: a little less than four chunks, so that there is no small fifth one."""

WINDOWS = (1 << 16, 1 << 20)
"""How many bytes before the wanted end of a range are looked at for where a query ends; where none does, there is no
cut."""

R = TypeVar("R")


def in_order(source: Source, place: int, work: Callable[[Buffer], R], jobs: int) -> Generator[R]:
    """Results of `work` on the chunks of the file, in order, as `irev.reading.chunks.in_order` gives them.

    Parameters
    ----------
    source : Source
        One that can be read from any place.
    place : int
        As for `Chunks`, which cuts ranges, too.
    work : callable
        It gives what can be sent. Its exceptions are raised where its result would have come.
    jobs : int
        Processes.
    """
    source.rewind()  # its first bytes have been looked at, and count again
    bounds = cuts(source, Chunks(source, whole_queries=True, place=place))

    def results(number: int) -> tuple[list[R], Exception | None]:
        """What comes of one range, up to an exception."""
        chunks.THREADS = 1
        found: list[R] = []
        pieces = Chunks(_Range(source, bounds[number], bounds[number + 1]), whole_queries=True, place=place)
        try:
            found.extend(chunks.in_order(pieces.read, work))
        except (IrevError, MemoryError, Scattered) as error:
            return found, error
        except Exception as error:  # which may hold what cannot be sent
            return found, RuntimeError(f"{type(error).__name__}: {error}")
        return found, None

    done: dict[int, tuple[list[R], Exception | None]] = {}
    following = passed = 0
    with closing(workers.results(results, len(bounds) - 1, jobs)) as arriving:
        for number, found in arriving:
            done[number] = found
            passed += bounds[number + 1] - bounds[number]
            source.passed_over(passed)
            while following in done:
                made, error = done.pop(following)
                yield from made
                if error is not None:
                    raise error
                following += 1
    source.check_unchanged()


def cuts(source: Source, pieces: Chunks) -> list[int]:
    """Where ranges begin, and where the last one ends."""
    found, end = [0], source.size - 1
    buffer = Buffer(padded(WINDOWS[0]))
    for wanted in range(SIZE, end, SIZE):
        for window in WINDOWS:
            begin = max(wanted - window, found[-1])
            buffer.end = PAD
            buffer.room(wanted - begin)
            buffer.end += source.read_at(buffer.text.data[PAD : PAD + wanted - begin], begin)
            if cut := pieces.last_cut(buffer):
                found.append(begin + cut - PAD)
                break
    return [*found, end]


class _Range:
    """A `Stream` of some bytes of a file."""

    def __init__(self, source: Source, begin: int, end: int) -> None:
        self.name, self.size = source.name, end - begin + 1
        self._source, self._begin, self._end, self._at = source, begin, end, begin

    def fill(self, room: memoryview) -> int:
        room = room[: self._end - self._at]
        got = self._source.read_at(room, self._at)
        self._at += got
        return got

    def rewind(self) -> None:
        self._at = self._begin
