"""A source cut into chunks of whole lines, or of whole queries, worked on by a small pool of threads.

Chunks of one to two megabytes stay in the processor's cache. Each thread reads into a buffer of its own that it uses
again and again: fresh pages of memory cost as much as finding the separators. numpy lets other threads run while it
works, so two threads are twice as fast; results come back in the order of the file.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Generator, Iterator
from typing import Any, Generic, TypeVar

import numpy as np

from irev.base.exit import leave_to_first_thread
from irev.base.records import dataclass
from irev.base.segments import Ints
from irev.base.workers import processors
from irev.reading import ids
from irev.reading.fields import BLANK, HASH, NEWLINE
from irev.reading.ids import PAD, Bytes, padded
from irev.reading.limits import LONGEST
from irev.reading.sources import Stream

SIZE = 1 << 21
"""Bytes in a chunk, unless a line or a query is longer. Smaller ones leave threads waiting for one another, larger ones
leave the cache."""

THREADS = 4
"""At most so many threads; more of them wait for one another, and each has its own memory."""

R = TypeVar("R")


class Scattered(Exception):
    """A query came back after another one, so that no chunk of whole queries is what it seems."""


@dataclass
class Buffer:
    """A text that chunks are read into, and where the current one begins and ends.

    `last` tells that no chunk follows; `wanted` is for readers that put their chunks together themselves.
    """

    text: Bytes
    begin: int = PAD
    end: int = PAD
    last: bool = False
    wanted: Any = None

    def room(self, size: int) -> None:
        """Make place for `size` bytes, keeping what is there."""
        if len(self.text) < size + 2 * PAD:
            larger = padded(size)
            larger[PAD : self.end] = self.text[PAD : self.end]
            self.text = larger


class Chunks:
    """Cuts a source into chunks of whole lines.

    Parameters
    ----------
    source : Stream
    size : int
        Bytes in a chunk. It grows for as long as it does not hold a whole line (or query). Nothing is read behind a
        line that is longer than `irev.reading.fields.LONGEST`, which the splitter finds faulty.
    whole_queries : bool
        Cut only where the query changes.
    place : int
        How many fields stand before the query.
    has_rows : callable
        Asked, when a chunk does not hold a whole query, whether any of its lines is a row. A text without one, whose
        lines are all faulty, can be cut after any line.
    """

    def __init__(
        self,
        source: Stream,
        size: int | None = None,
        whole_queries: bool = False,
        place: int = 0,
        has_rows: Callable[[Buffer], bool] = lambda buffer: True,
    ) -> None:
        self._source = source
        self._has_rows = has_rows
        self._size = SIZE if size is None else size
        self._whole_queries = whole_queries
        self._place = place
        self._carried: Bytes = np.empty(0, dtype=np.uint8)
        self._ended = False

    def read(self, buffer: Buffer) -> bool:
        """Read the next chunk into `buffer`; False when there is none. What follows the cut is kept for the next."""
        buffer.begin = buffer.end = PAD
        size = max(self._size, 2 * len(self._carried))
        buffer.room(size)
        buffer.end = PAD + len(self._carried)
        buffer.text[PAD : buffer.end] = self._carried
        cut = 0
        while not cut:
            self._fill(buffer, size)
            if not self._ended and _endless(buffer):
                self._ended = True
                _end_line(buffer)
            cut = buffer.end if self._ended else self.last_cut(buffer)
            if not cut:
                size *= 2
                buffer.room(size)
        self._carried = buffer.text[cut : buffer.end].copy()
        buffer.end = cut
        buffer.last = self._ended
        return buffer.end > buffer.begin

    def _fill(self, buffer: Buffer, size: int) -> None:
        if self._ended:
            return
        wanted = PAD + size - buffer.end
        got = self._source.fill(buffer.text.data[buffer.end : buffer.end + wanted])
        buffer.end += got
        if got < wanted:
            self._ended = True
            _end_line(buffer)

    def last_cut(self, buffer: Buffer) -> int:
        """Where the buffer can be cut: after its last newline, or before the rows of its last query; 0 when nowhere."""
        window = 1 << 16
        while True:
            begin = max(PAD, buffer.end - window)
            newlines = np.flatnonzero(buffer.text[begin : buffer.end] == NEWLINE) + begin
            cut = self._cut_at(buffer.text, newlines) if len(newlines) else 0
            if cut:
                return cut
            if begin == PAD:
                end = int(newlines[-1]) + 1 if len(newlines) else 0
                return end if end and not self._has_rows(Buffer(buffer.text, end=end)) else 0
            window *= 4

    def _cut_at(self, text: Bytes, newlines: Ints) -> int:
        after_last = int(newlines[-1]) + 1
        if not self._whole_queries:
            return after_last
        if len(newlines) < 2:
            return 0
        lines = newlines[:-1] + 1
        lines = lines[text[lines] > BLANK]  # an empty line belongs to no query
        if not len(lines):
            return after_last
        starts = lines
        if self._place:
            starts = _behind_separators(text, lines, after_last, self._place)
            if starts[-1] == after_last:  # the last line has too few fields, which the splitter will find
                return after_last
        last = text[starts[-1] : after_last]
        length = int(np.argmax(last <= BLANK))
        lengths = np.full(len(starts), length)
        # A line shorter than the id ends in the middle of the comparison, where its newline differs from the id.
        same = ids.equal(text, starts, lengths, text, np.full(len(starts), starts[-1]), lengths)
        same &= text[starts + length] <= BLANK
        others = np.flatnonzero(~same)
        if len(others):
            return int(lines[others[-1] + 1])
        # Comments and empty lines without end are no query, and no reason to grow.
        line = text[newlines[-2] + 1 : after_last]
        return after_last if line[0] == HASH or not (line > BLANK).any() else 0


def _behind_separators(text: Bytes, starts: Ints, end: int, count: int) -> Ints:
    """Where the field begins that so many separators stand before; lines have single ones."""
    separators = np.flatnonzero(text[starts[0] : end] <= BLANK) + starts[0]
    place = np.searchsorted(separators, starts) + count - 1
    found: Ints = separators[np.minimum(place, len(separators) - 1)] + 1
    return found


def read_all(source: Stream) -> Buffer:
    """The whole source in one buffer of lines. As with `Chunks`, an endless line is the last."""
    _keep_freed_memory()
    # A byte more than there is: a buffer that is full may not be all.
    buffer = Buffer(padded(min((source.size or SIZE) + 1, 2 * LONGEST)))
    full = True
    while full and not _endless(buffer):
        if buffer.end == len(buffer.text) - PAD:
            # Grown in place by the C library; a copy would need the memory twice.
            larger = len(buffer.text) + max(len(buffer.text) // 4, SIZE)
            buffer.text.resize(max(larger, source.size + 1 + 2 * PAD), refcheck=False)
        room = buffer.text.data[buffer.end : min(len(buffer.text) - PAD, buffer.end + LONGEST)]
        got = source.fill(room)
        buffer.end += got
        full = got == len(room)
        room.release()
    _end_line(buffer)
    return buffer


def _endless(buffer: Buffer) -> bool:
    """Whether the buffer ends in the midst of a line that is too long already."""
    tail = buffer.text[PAD : buffer.end][-LONGEST - 1 :]
    # A newline is nearly always near the end.
    return len(tail) > LONGEST and not (tail[-4096:] == NEWLINE).any() and not (tail == NEWLINE).any()


def _end_line(buffer: Buffer) -> None:
    """Add the last newline, which is optional in a file; the pad has room for it."""
    if buffer.end > PAD and buffer.text[buffer.end - 1] != NEWLINE:
        buffer.text[buffer.end] = NEWLINE
        buffer.end += 1


def line_slices(buffer: Buffer, size: int | None = None) -> Iterator[tuple[int, int]]:
    """The buffer's bytes in slices of whole lines, of about `size` bytes, by default half a chunk."""
    begin = buffer.begin
    while begin < buffer.end:
        end = min(begin + (max(SIZE // 2, 1) if size is None else size), buffer.end)
        while buffer.text[end - 1] != NEWLINE:
            ahead = np.flatnonzero(buffer.text[end : end + (1 << 16)] == NEWLINE)
            end = end + int(ahead[0]) + 1 if len(ahead) else min(end + (1 << 16), buffer.end)
        yield begin, end
        begin = end


def count_lines(buffer: Buffer) -> int:
    """Lines of the buffer."""
    return sum(int(np.count_nonzero(buffer.text[a:b] == NEWLINE)) for a, b in line_slices(buffer))


def in_order(read: Callable[[Buffer], bool], work: Callable[[Buffer], R]) -> Generator[R]:
    """Results of `work` on each chunk that `read` gives, in order; by several threads if there are several chunks.

    `read` is called by one thread at a time. An exception of `read` or `work` is raised where its result would have
    come, after all results before it. When the caller stops early, no further chunk is begun.
    """
    _keep_freed_memory()
    first = Buffer(padded(SIZE))
    if not read(first):
        return
    yield work(first)
    if first.last:
        return
    if min(processors(), THREADS) == 1:
        while not first.last and read(first):
            yield work(first)
        return
    lanes = _Lanes(read, work)
    threads = [
        threading.Thread(target=lanes.run, args=(buffer,), daemon=True)
        for buffer in [first, *(Buffer(padded(0)) for _ in range(min(processors(), THREADS) - 1))]
    ]
    waiting = True
    try:
        _start(threads)
        yield from lanes.results()
    except KeyboardInterrupt:
        waiting = False  # a thread may be waiting for a pipe that nobody writes to
        raise
    finally:
        lanes.stopped = True
        for thread in threads:
            if waiting and thread.is_alive():
                thread.join()


def in_turn(read: Callable[[Buffer], bool], work: Callable[[Buffer], R]) -> Generator[R]:
    """The same without threads of its own: each chunk is read and worked on when its result is asked for."""
    buffer = Buffer(padded(0))
    while not buffer.last and read(buffer):
        yield work(buffer)


def _start(threads: list[threading.Thread]) -> None:
    """Start as many as there is memory for, but one."""
    for thread in threads:
        try:
            thread.start()
        except RuntimeError:  # "can't start new thread"
            if thread is threads[0]:
                raise MemoryError from None
            return


def _keep_freed_memory() -> None:
    """Have the C library keep what is freed, instead of giving it back and fetching fresh pages for the next chunk.

    glibc raises its thresholds to the largest block it has seen freed. This one is never touched, so it costs nothing;
    without it a third of the time goes into page faults.
    """
    np.empty(30 << 20, dtype=np.uint8)


class _Lanes(Generic[R]):
    """Threads that take chunks in turn, and their results in order: each a list of one, an empty list at the end."""

    def __init__(self, read: Callable[[Buffer], bool], work: Callable[[Buffer], R]) -> None:
        self._read, self._work = read, work
        self._reading = threading.Lock()
        self._changed = threading.Condition()
        self._taken = 0
        self._done: dict[int, tuple[list[R], BaseException | None]] = {}
        self.stopped = False

    def run(self, buffer: Buffer) -> None:
        leave_to_first_thread()
        while self._one(buffer):
            pass

    def _one(self, buffer: Buffer) -> bool:
        """Take a chunk, work on it and leave its result; whether there may be another one."""
        result: list[R] = []
        error = None
        with self._reading:
            if self.stopped:
                return False
            number = self._taken
            self._taken += 1
            try:
                more = self._read(buffer)
            except BaseException as raised:  # handed to the thread that asks for the result
                more, error = False, raised
            if not more:
                self.stopped = True
        if more:
            try:
                result = [self._work(buffer)]
            except BaseException as raised:
                more, error = False, raised
        with self._changed:
            self._done[number] = (result, error)
            self._changed.notify()
        return more

    def results(self) -> Iterator[R]:
        number = 0
        while True:
            with self._changed:
                while number not in self._done:
                    self._changed.wait()
                result, error = self._done.pop(number)
            if error is not None:
                raise error
            if not result:
                return
            yield result[0]
            number += 1
