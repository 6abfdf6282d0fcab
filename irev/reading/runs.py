"""Runs as a stream of blocks: a query, a document and what ranks it in each line.

A block holds complete queries, so that it can be ranked and let go, and memory does not grow with the file. A file
whose queries are not contiguous is legal, though: a query id comes back. Then the stream ends in `Scattered`, and
`gathered` reads the file again, whole, and makes blocks whose lines were brought together by query.
"""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Generator, Iterator, Sequence
from contextlib import closing
from dataclasses import replace

import numpy as np

from irev.base import segments, workers
from irev.base.errors import Faults, InputError, IrevError, Problem
from irev.base.records import cached_property, dataclass
from irev.base.segments import AnyInts, Ints
from irev.base.settings import Settings
from irev.base.text import encoded
from irev.reading import chunks, formats, ids, numbers
from irev.reading.block import NO_KEYS, Block, Parser, R, Seen, Tags, WorkedOff, gravest
from irev.reading.chunks import Buffer, Chunks, Scattered, in_order, line_slices
from irev.reading.fields import NEWLINE, Layout, split
from irev.reading.flat_ids import FlatIds
from irev.reading.ids import PAD, padded
from irev.reading.sources import Source, Stream

Blocks = Generator[R, None, "Reading"]
"""Results of work on the blocks of a run, in their order, and what reading them found."""

COMPRESSED = (".gz", ".bz2", ".xz", ".zst")
"""Suffixes of compressed files, which stand behind the suffix of their format."""


@dataclass(frozen=True, eq=False)
class Reading:
    """What reading a whole run found, beside the results of its blocks.

    Attributes
    ----------
    lines, rows : int
        Lines of the file, and results among them.
    tag : bytes
        Run id of the last row.
    other_tag : bytes
        The first run id that differs from it, empty when all rows agree.
    doubt : Problem or None
        What is said of the first line with a blank in an id, or of the file as a whole, with line 0.
    named : bool
        Whether the file has columns that can be named.
    unfit : str
        Why arrays of neighbours hardly fit the judgments, where that was found.
    """

    lines: int
    rows: int
    tag: bytes
    other_tag: bytes = b""
    doubt: Problem | None = None
    named: bool = False
    unfit: str = ""


def read(
    source: Source,
    work: Callable[[Block], R],
    settings: Settings,
    size: int | None = None,
    faults: Faults | None = None,
    jobs: int = 1,
    ranks_alone: bool = False,
) -> tuple[list[R], Reading]:
    """Read a run and give each of its blocks to `work`, on several threads or, where it is large, processes.

    Parameters
    ----------
    source : Source
    work : callable
        What is kept of a block. The block's text is overwritten when it returns.
    settings : Settings
        The format, the order of the rows, and what to do with documents that occur twice.
    size : int, optional
        Bytes in a block, unless a query is longer.
    faults : Faults, optional
        Where to collect what is wrong; rows that are wrong are then left out. Without it the earliest is raised.
    jobs : int
        Processes that may read ranges of a large file; what `work` gives has to be what can be sent. 1 for threads.
    ranks_alone : bool
        Whether `work` looks at nothing but what ranks documents, so that a table need not be made lines.

    Returns
    -------
    kept : list
        Results of `work`, in the order of the blocks.
    reading : Reading

    Raises
    ------
    ProblemError
        For the earliest line that cannot be read or that repeats a document, however many read it.
    InputError
        For a run without rows.
    """
    opened = _Opened(source, settings, faults)
    kept: list[R] = []
    try:
        reading = opened.of_columns(work, kept) if ranks_alone else None
        if reading is None:
            reading = _taken(opened.streamed(work, lambda digest: opened.in_order(digest, size, jobs)), kept)
    except Scattered:
        kept.clear()
        opened.found.clear()
        opened.stream.rewind()
        kept, reading = _gathered(opened.stream, work, opened.parser, size, opened.found)
    return kept, _taken(opened.concluded(work, reading), kept)


def stream(source: Source, work: Callable[[Block], R], settings: Settings, size: int | None) -> Blocks[R]:
    """Read a run as `read` does, a block whenever the next result is asked for, in the thread that asks.

    Gives the results of `work` and returns the `Reading`. Raises `Scattered` when a query came back after another one,
    after some of its results: `read` reads such a run.
    """
    opened = _Opened(source, settings, None)
    reading = yield from opened.streamed(work, lambda digest: chunks.in_turn(opened.chunks(size).read, digest))
    return (yield from opened.concluded(work, reading))


def _taken(blocks: Blocks[R], kept: list[R]) -> Reading:
    """Put all results into a list; what reading found."""
    while True:
        try:
            kept.append(next(blocks))
        except StopIteration as end:
            reading: Reading = end.value
            return reading


class _Opened:
    """A run whose format is known, of which nothing has been read but its beginning."""

    def __init__(self, source: Source, settings: Settings, faults: Faults | None) -> None:
        self._source, self._collected = source, faults is not None
        self.found = Faults() if faults is None else faults
        self._refused = Faults(self.found.most)
        self._layout, self.stream = formats.opened(formats.RUNS, settings.run_format, source, settings, self._refused)
        layout, found = self._layout, self.found
        found.unit, found.columns, found.named = layout.unit, self.stream is source, layout.named
        if settings.order == "rank" and "rank" not in layout.fields:
            raise InputError("this format has no ranks", source.name, "leave out --order rank")
        if settings.costs is not None and "Q0" not in layout.fields:
            remedy = "write it in TREC's format, with the types in the second column"
            raise InputError("this format has no element types, which --costs needs", source.name, remedy)
        self.parser = Parser(layout, settings, found.most, inspected=self._collected)
        self._place = layout.fields.index("query")

    def chunks(self, size: int | None) -> Chunks:
        """Its chunks of whole queries."""
        return Chunks(self.stream, size, True, self._place, self._has_rows)

    def _has_rows(self, buffer: Buffer) -> bool:
        """Whether there is a result in a text of whole lines; where there is, it is soon found."""
        slices = line_slices(buffer, 1 << 14)
        return any(split(buffer.text, begin, end, self._layout).rows for begin, end in slices)

    def in_order(
        self, digest: Callable[[Buffer], WorkedOff[R]], size: int | None, jobs: int
    ) -> Generator[WorkedOff[R]]:
        """What comes of each chunk of whole queries, in order, by several threads or processes."""
        source = self.stream
        several = jobs > 1 and workers.COPIES and not workers.threads_suffice()
        if several and isinstance(source, Source) and source.any_place and source.size > LARGE:
            try:
                yield from in_ranges(source, self._place, digest, jobs)
                return
            except workers.NoProcess:  # as in a container without shared memory: threads need no room
                source.rewind()
        yield from in_order(self.chunks(size).read, digest)

    def streamed(
        self,
        work: Callable[[Block], R],
        digests: Callable[[Callable[[Buffer], WorkedOff[R]]], Generator[WorkedOff[R]]],
    ) -> Blocks[R]:
        """The run in one pass; `Scattered` as soon as a query comes back. `digests` has chunks read and worked on."""
        return self._followed(digests(lambda buffer: self.parser.digest(buffer, work, streamed=True)))

    def of_columns(self, work: Callable[[Block], R], kept: list[R]) -> Reading | None:
        """The run in one pass without lines, where it is a table; None where it is none, or rows have to be lines."""
        table = self.stream
        if self._collected or isinstance(table, Source) or not formats.is_table(table):
            return None
        from irev.reading.formats import tables

        if not tables.suits(self._layout, self.parser.settings):
            return None

        def digest(buffer: Buffer) -> WorkedOff[R]:
            block = tables.block_of(buffer.wanted)
            rows, queries = len(block.query), FlatIds.of(block.queries).keys
            tags = tables.tags_of(buffer.wanted)
            return WorkedOff([work(block)], queries, rows, rows, tags, None, Faults(self.parser.most))

        for scattered in (False, True):
            try:
                return _taken(self._followed(in_order(tables.reader(table, scattered), digest)), kept)
            except (tables.Unclean, Scattered) as stopped:
                kept.clear()
                table.rewind()
                if isinstance(stopped, tables.Unclean):
                    return None
        return None

    def _followed(self, digests: Generator[WorkedOff[R]]) -> Blocks[R]:
        """The results of all chunks, in order; `Scattered` as soon as a query comes back."""
        faults = self.found
        # What was found wrong before lines were split; where it is not collected it is raised when its chunk is done.
        refused = None if self._collected else self._refused
        seen = Seen()
        lines = rows = 0
        tags = Tags()
        doubt: Problem | None = None
        with closing(digests):  # who reads ahead stops before the file may be read again
            for digest in digests:
                seen.add(digest.queries)
                faults.take(digest.faults, lines)
                if refused is not None:
                    # The reader is ahead of this chunk: what it refused further down is not the earliest yet.
                    faults.problems += [problem for problem in refused.problems if problem.line <= lines + digest.lines]
                    if faults.problems:
                        seen.look()  # where queries are in pieces, another problem may come earlier
                        faults.raise_earliest(self._source.name)
                doubt = gravest(doubt, digest.doubt, lines)
                tags = tags.then(digest.tags)
                lines += digest.lines
                rows += digest.rows
                yield from digest.kept
        seen.look()
        return Reading(lines, rows, tags.last, tags.other_than_last(), doubt)

    def concluded(self, work: Callable[[Block], R], reading: Reading) -> Blocks[R]:
        """What is known of the run when all its blocks are there, and the block of the queries without results."""
        source, layout, refused = self._source, self._layout, self._refused
        self.found.take(refused)
        if not self._collected:
            self.found.raise_earliest(source.name)
        if refused.empty:
            yield work(_without_results([encoded(query) for query in refused.empty], layout))
        elif not reading.rows and not self.found.counts:
            fact = "the file holds no results" if reading.lines else "the file is empty"
            raise InputError(fact, source.name, f"expected lines such as {layout.example}")
        if "tag" not in layout.fields:
            reading = replace(reading, tag=tag_of(source.name))
        return replace(reading, named=layout.named, doubt=min(self.found.doubts, default=reading.doubt))


def _without_results(queries: Sequence[bytes], layout: Layout) -> Block:
    """The block of queries that a file has, and has no results for: they have found nothing, and are not missing."""
    text, none = np.zeros(PAD, dtype=np.uint8), np.empty(0, dtype=np.int64)
    first, score = np.zeros(len(queries), dtype=np.int64), numbers.exact(np.empty(0), none)
    return Block(text, queries, first, none, none, none, NO_KEYS, score, split(text, PAD, PAD, layout), none)


def tag_of(name: str) -> bytes:
    """What a run is called whose lines do not say it: its file, without folder and suffixes, as one word."""
    name = os.path.basename(name)
    for suffixes in (COMPRESSED, None):
        stem, suffix = os.path.splitext(name)
        name = stem if suffixes is None or suffix in suffixes else name
    return re.sub(rb"[\x00-\x20\x7f]+", b"_", os.fsencode(name))


LARGE = 1 << 26
"""Bytes of a run from which on processes that share it out are worth their beginning, which takes milliseconds."""


def _gathered(
    source: Stream, work: Callable[[Block], R], parser: Parser, size: int | None, faults: Faults
) -> tuple[list[R], Reading]:
    """The run read whole, its lines brought together by query. Problems are collected: the earliest line is wanted."""
    lines = _HeldLines(source, parser.layout, faults)
    parts = lines.parts(max(chunks.SIZE // 2, 1) if size is None else size)  # beside them the whole file is in memory

    def read(buffer: Buffer) -> bool:
        buffer.wanted = next(parts, None)
        return buffer.wanted is not None

    def gathered(buffer: Buffer) -> WorkedOff[R]:
        wanted = buffer.wanted
        lines.gather(wanted, buffer)
        digest = parser.digest(buffer, work, streamed=False)
        return replace(
            digest,
            doubt=digest.doubt and digest.doubt.renumbered(lambda line: lines.number(wanted[line - 1])),
            faults=digest.faults.renumbered(lambda line: lines.number(wanted[line - 1])),
        )

    kept: list[R] = []
    doubt: Problem | None = None
    for digest in in_order(read, gathered):
        kept += digest.kept
        faults.take(digest.faults)
        doubt = gravest(doubt, digest.doubt)
    other_tag = lines.tags.other_than_last()
    return kept, Reading(lines.count, lines.rows, lines.tags.last, other_tag, doubt)


_STRETCH = 1 << 16


class _HeldLines:
    """A whole file in memory, with the place and the query of each of its rows, in as few bytes as will do.

    Attributes
    ----------
    tags : Tags
    rows, count : int
        Rows, and lines.
    """

    def __init__(self, source: Stream, layout: Layout, faults: Faults) -> None:
        self.tags = Tags()
        self.rows = self.count = 0
        index: dict[bytes, int] = {}
        self._buffer = chunks.read_all(source)
        text = self._buffer.text
        # Room for every line of the file is made at once: parts that are joined at the end need the memory twice.
        most = chunks.count_lines(self._buffer)
        start: AnyInts = np.empty(most, dtype=np.uint32 if self._buffer.end < 1 << 32 else np.int64)
        length, query = np.empty(most, dtype=np.int32), np.empty(most, dtype=np.int32)
        for begin, end in chunks.line_slices(self._buffer):
            fields = split(text, begin, end, layout, faults.most)
            faults.take(fields.faults, self.count)
            opens, closes = fields.span("query")
            group, examples = ids.grouped(text, opens, closes - opens)
            queries = (ids.at(text, opens[row], closes[row] - opens[row]) for row in examples.tolist())
            number = np.array([index.setdefault(query, len(index)) for query in queries], dtype=np.int32)
            stops = np.flatnonzero(text[begin:end] == NEWLINE) + begin + 1
            line = fields.lines_of(np.arange(fields.rows)) - 1
            here = slice(self.rows, self.rows + fields.rows)
            start[here] = np.append(begin, stops[:-1])[line]
            length[here] = stops[line] - start[here].astype(np.int64)
            query[here] = number[group]
            self.tags = self.tags.then(Tags.of(text, fields))
            self.rows, self.count = self.rows + fields.rows, self.count + fields.lines
        self.start, self.length, self._query = start[: self.rows], length[: self.rows], query[: self.rows]

    def parts(self, size: int) -> Iterator[AnyInts]:
        """Rows of whole queries, about `size` bytes at a time; inside a query in the order of the file."""
        if not len(self._query):
            return
        order: AnyInts = segments.stable_order(self._query).astype(np.int32 if len(self._query) < 1 << 31 else np.int64)
        last_row = np.cumsum(np.bincount(self._query))
        last_byte = np.cumsum(np.bincount(self._query, weights=self.length))
        row, byte = 0, 0.0
        while row < len(order):
            query = max(
                int(np.searchsorted(last_byte, byte + size, "right")) - 1, int(np.searchsorted(last_row, row, "right"))
            )
            yield order[row : last_row[query]]
            row, byte = int(last_row[query]), float(last_byte[query])

    @cached_property
    def _newlines(self) -> Ints:
        """How many lines end before each stretch of `_STRETCH` bytes."""
        text = self._buffer.text[PAD : self._buffer.end]
        ends = [np.count_nonzero(text[i : i + _STRETCH] == NEWLINE) for i in range(0, len(text), _STRETCH)]
        return np.cumsum([0, *ends])

    def number(self, row: int) -> int:
        """The line of the file that a row stands on. Counted, since few rows are ever asked for."""
        stretch, rest = divmod(int(self.start[row]) - PAD, _STRETCH)
        begin = PAD + stretch * _STRETCH
        newlines = int(np.count_nonzero(self._buffer.text[begin : begin + rest] == NEWLINE))
        return 1 + int(self._newlines[stretch]) + newlines

    def gather(self, rows: AnyInts, buffer: Buffer) -> None:
        """Put the given rows into `buffer`, one after the other."""
        length = self.length[rows].astype(np.int64)
        size = int(length.sum())
        buffer.end = PAD
        buffer.room(size)
        end = PAD
        for batch in range(0, len(rows), 4096):  # the offsets of every byte take eight times the room of the bytes
            span = length[batch : batch + 4096]
            stops = np.cumsum(span)
            source = np.repeat(self.start[rows[batch : batch + 4096]].astype(np.int64) - (stops - span), span)
            source += np.arange(len(source))
            np.take(self._buffer.text, source, out=buffer.text[end : end + len(source)], mode="clip")
            end += len(source)
        buffer.begin, buffer.end = PAD, end


# A large file that several processes read at the same time, each a range of bytes that begins and ends at a query
#
# Threads share one interpreter, which they hand over after every small operation, so that two of them are 1.6 times as
# fast as one; processes share nothing. Each takes the next range as soon as it is done with one, and sends back what
# was made of its chunks, which is small.


RANGE = 4 * chunks.SIZE - (1 << 18)
"""Bytes of a range, unless a query is longer: a little less than four chunks, so that there is no small fifth one."""

WINDOWS = (1 << 16, 1 << 20)
"""How many bytes before the wanted end of a range are looked at for where a query ends; where none does, there is no
cut."""


def in_ranges(source: Source, place: int, work: Callable[[Buffer], R], jobs: int) -> Generator[R]:
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
            found.extend(in_order(pieces.read, work))
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
    for wanted in range(RANGE, end, RANGE):
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
