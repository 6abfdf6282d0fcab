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
from functools import cached_property
from typing import Any, Generic, TypeVar

import numpy as np

from irev.base import processes, segments
from irev.base.records import dataclass
from irev.base.segments import AnyInts, Floats, Ints
from irev.base.settings import Settings
from irev.base.text import encoded
from irev.errors import Faults, InputError, Problem, shown
from irev.reading import chunks, formats, ids, numbers
from irev.reading.block import Block, Tags, all_but_best
from irev.reading.chunks import Buffer, Chunks, Scattered, in_order, line_slices
from irev.reading.fields import NEWLINE, Fields, Layout, column, split, with_blanks
from irev.reading.flat_ids import FlatIds
from irev.reading.ids import PAD, Bytes, Words
from irev.reading.numbers import Decimals
from irev.reading.runaway_input import Ends, Repetition, never
from irev.reading.sources import Source, Stream

R = TypeVar("R")

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
    shifted : int or None
        The first line with surplus fields whose rank is no number: an id with a blank in it, perhaps.
    named : bool
        Whether the file has columns that can be named.
    """

    lines: int
    rows: int
    tag: bytes
    other_tag: bytes = b""
    shifted: int | None = None
    named: bool = False


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
        The format, what orders rows, and what becomes of documents that stand twice.
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
        kept, reading = _gathered(opened.stream, work, opened.parser, size, opened.found, opened.ends)
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
        found.located = None if source.parts is None else source.parts.located
        if settings.order == "rank" and "rank" not in layout.fields:
            raise InputError("this format has no ranks to order by", source.name, "leave out --order rank")
        if settings.costs is not None and "Q0" not in layout.fields:
            remedy = "write it in TREC's format, with the types in the second column"
            raise InputError("this format has no element types, which costs go by", source.name, remedy)
        self.parser = _Parser(layout, settings, found.most, inspected=self._collected)
        self._place = layout.fields.index("query")
        self.ends: Ends = never
        if settings.duplicates == "error" and not settings.drop_self:  # otherwise a repetition may be no fault
            self.ends = Repetition(layout, source.name, collecting=self._collected)

    def chunks(self, size: int | None) -> Chunks:
        """Its chunks of whole queries."""
        return Chunks(self.stream, size, True, self._place, self.ends, self._has_rows)

    def _has_rows(self, buffer: Buffer) -> bool:
        """Whether there is a result in a text of whole lines; where there is, it is soon found."""
        slices = line_slices(buffer, 1 << 14)
        return any(split(buffer.text, begin, end, self._layout).rows for begin, end in slices)

    def in_order(
        self, digest: Callable[[Buffer], _WorkedOff[R]], size: int | None, jobs: int
    ) -> Generator[_WorkedOff[R]]:
        """What comes of each chunk of whole queries, in order, by several threads or processes."""
        source = self.stream
        several = jobs > 1 and processes.COPIES and not processes.threads_suffice()
        if several and isinstance(source, Source) and source.any_place and source.size > LARGE:
            from irev.reading import ranges

            try:
                yield from ranges.in_order(source, self._place, self.ends, digest, jobs)
                return
            except processes.NoProcess:  # as in a container without shared memory: threads need no room
                source.rewind()
        yield from in_order(self.chunks(size).read, digest)

    def streamed(
        self,
        work: Callable[[Block], R],
        digests: Callable[[Callable[[Buffer], _WorkedOff[R]]], Generator[_WorkedOff[R]]],
    ) -> Blocks[R]:
        """The run in one pass; `Scattered` as soon as a query comes back. `digests` has chunks read and worked on."""
        return self._followed(digests(lambda buffer: self.parser.digest(buffer, work, streamed=True)))

    def of_columns(self, work: Callable[[Block], R], kept: list[R]) -> Reading | None:
        """The run in one pass without lines, where it is a table; None where it is none, or rows have to be lines."""
        table = self.stream
        if self._collected or isinstance(table, Source) or not formats.is_table(table):
            return None
        from irev.reading import column_blocks

        if not column_blocks.suits(self._layout, self.parser.settings):
            return None

        def digest(buffer: Buffer) -> _WorkedOff[R]:
            block = column_blocks.block(buffer.wanted)
            rows, queries = len(block.query), FlatIds.of(block.queries).keys
            tags = Tags(*column_blocks.tags_of(buffer.wanted))
            return _WorkedOff([work(block)], queries, rows, rows, tags, None, Faults(self.parser.most))

        for scattered in (False, True):
            try:
                return _taken(self._followed(in_order(column_blocks.reader(table, scattered), digest)), kept)
            except (column_blocks.Unclean, Scattered) as stopped:
                kept.clear()
                table.rewind()
                if isinstance(stopped, column_blocks.Unclean):
                    return None
        return None

    def _followed(self, digests: Generator[_WorkedOff[R]]) -> Blocks[R]:
        """The results of all chunks, in order; `Scattered` as soon as a query comes back."""
        faults = self.found
        # What was found wrong before lines were split; where it is not collected it is raised when its chunk is done.
        refused = None if self._collected else self._refused
        seen = _Seen()
        lines = rows = 0
        tags = Tags()
        shifted: int | None = None
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
                if shifted is None and digest.shifted is not None:
                    shifted = lines + digest.shifted
                tags = tags.then(digest.tags)
                lines += digest.lines
                rows += digest.rows
                yield from digest.kept
        seen.look()
        return Reading(lines, rows, tags.last, tags.other_than_last(), shifted)

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
        return replace(reading, named=layout.named)


def _without_results(queries: Sequence[bytes], layout: Layout) -> Block:
    """The block of queries that a file has, and has no results for: they have found nothing, and are not missing."""
    text, none = np.zeros(PAD, dtype=np.uint8), np.empty(0, dtype=np.int64)
    first, score = np.zeros(len(queries), dtype=np.int64), numbers.exact(np.empty(0), none)
    return Block(text, queries, first, none, none, none, _NO_KEYS, score, split(text, PAD, PAD, layout), none)


def tag_of(name: str) -> bytes:
    """What a run is called whose lines do not say it: its file, without folder and suffixes, as one word."""
    name = os.path.basename(name)
    for suffixes in (COMPRESSED, None):
        stem, suffix = os.path.splitext(name)
        name = stem if suffixes is None or suffix in suffixes else name
    return re.sub(rb"[\x00-\x20\x7f]+", b"_", os.fsencode(name))


_NO_KEYS: Words = np.empty(0, dtype=np.uint64)


class _Seen:
    """The keys of the queries that were there, to find one that comes back.

    All are looked at together whenever they have doubled: in eight bytes each, and often enough that no more is read in
    vain than was read before.
    """

    def __init__(self) -> None:
        self._looked_at = _NO_KEYS
        self._new: list[Words] = []
        self._count = 0

    def add(self, keys: Words) -> None:
        """Take the keys of the next queries. Raises `Scattered`, if not at once then when there are twice as many."""
        self._new.append(keys)
        self._count += len(keys)
        if self._count >= 2 * len(self._looked_at):
            self.look()

    def look(self) -> None:
        """Raise `Scattered` when one came back, or so it seems: reading the file whole is never wrong."""
        keys = np.concatenate((self._looked_at, *self._new))
        self._new.clear()
        keys.sort()
        if (keys[1:] == keys[:-1]).any():
            raise Scattered
        self._looked_at = keys


@dataclass(frozen=True, eq=False)
class _WorkedOff(Generic[R]):
    """What is left of a block once it has been worked on: `kept` is empty when it had no rows; of queries, the keys."""

    kept: list[R]
    queries: Words
    lines: int
    rows: int
    tags: Tags
    shifted: int | None
    faults: Faults


@dataclass(frozen=True, eq=False)
class _Parser:
    """Makes blocks of chunks of text. `inspected`: whoever works on them looks at all fields, as costs do at one."""

    layout: Layout
    settings: Settings
    most: int
    inspected: bool = False

    def digest(self, buffer: Buffer, work: Callable[[Block], R], streamed: bool) -> _WorkedOff[R]:
        """Read the rows of a chunk and work on them. A streamed chunk with a query in pieces raises `Scattered`."""
        wanted = self.inspected or self.settings.costs is not None
        if streamed and not wanted and buffer.end - buffer.begin > LONG and self._orders_by("score"):
            return self._digest_long(buffer, work)
        fields = split(buffer.text, buffer.begin, buffer.end, self.layout, self.most)
        with_blanks(buffer.text, buffer.begin, buffer.end, self.layout)
        if not fields.rows:
            return _WorkedOff([], _NO_KEYS, fields.lines, 0, Tags(), None, fields.faults)
        if not streamed:
            fields.faults.place = lambda lines: buffer.wanted[lines - 1]
        block = self._block(buffer.text, fields, streamed)
        return _WorkedOff(
            [work(block)],
            FlatIds.of(block.queries).keys,
            fields.lines,
            fields.rows,
            Tags.of(buffer.text, fields),
            _shifted(buffer.text, fields),
            fields.faults,
        )

    def _orders_by(self, field: str) -> bool:
        return self.settings.order == field and field in self.layout.fields

    def _digest_long(self, buffer: Buffer, work: Callable[[Block], R]) -> _WorkedOff[R]:
        """As `digest`, for a chunk with a long query: in slices, of whose rows no more is kept than ranks them."""
        faults, tags, rows = Faults(self.most), Tags(), _RunRows(buffer)
        shifted: int | None = None
        lines = usable = 0
        for begin, end in chunks.line_slices(buffer):
            fields = split(buffer.text, begin, end, self.layout, self.most)
            with_blanks(buffer.text, begin, end, self.layout)
            if fields.rows:
                rows.add(self._rows(buffer.text, fields, streamed=True), lines)
                tags = tags.then(Tags.of(buffer.text, fields))
                found = _shifted(buffer.text, fields)
                shifted = found + lines if shifted is None and found is not None else shifted
            faults.take(fields.faults, lines)
            lines, usable = lines + fields.lines, usable + fields.rows
        if not usable:
            return _WorkedOff([], _NO_KEYS, lines, 0, tags, None, faults)
        block = self._without_repeats(rows.block(self.layout, lines, faults))
        return _WorkedOff([work(block)], FlatIds.of(block.queries).keys, lines, usable, tags, shifted, faults)

    def _block(self, text: Bytes, fields: Fields, streamed: bool) -> Block:
        """The usable rows of a chunk, each document once. Adds to the faults of `fields`."""
        return self._without_repeats(self._rows(text, fields, streamed))

    def _rows(self, text: Bytes, fields: Fields, streamed: bool) -> Block:
        """The usable rows of a chunk, each query in one piece. Adds to the faults of `fields`."""
        query_start, query_stop = fields.span("query")
        query_length = query_stop - query_start
        first = ids.changes(text, query_start, query_length)
        queries = FlatIds(text, query_start[first], query_length[first])
        seeds = queries.keys
        if streamed:
            _Seen().add(seeds)
        rows_of = np.diff(np.append(first, fields.rows))
        query = np.repeat(np.arange(len(first)), rows_of)
        start, stop = fields.span("document")
        length = stop - start
        key = ids.keys(text, start, length, np.repeat(seeds, rows_of))
        number = ordering(text, fields, self.settings)
        block = Block(text, queries, first, query, start, length, key, number, fields, np.arange(fields.rows))
        unwanted = number.bad
        if self.settings.drop_self:
            is_query = ids.equal(text, start, length, text, query_start, query_length)
            unwanted = segments.distinct(np.concatenate((unwanted, np.flatnonzero(is_query))))
        return block.without(unwanted)

    def _without_repeats(self, block: Block) -> Block:
        """The block with each document once per query. Where a repetition is an error, adds to the faults."""
        again, first = ids.repeated(block.text, block.start, block.length, block.key, block.query)
        if not len(again):
            return block
        if self.settings.duplicates == "error":
            fields = block.fields

            def retrieved_again(row: int) -> Problem:
                document = shown(ids.at(block.text, block.start[row], block.length[row]))
                fact = f"document {document} is retrieved again for query {shown(block.queries[block.query[row]])}"
                return Problem(
                    fields.line_of(int(block.row[row])),
                    "E103",
                    fact,
                    "keep one of the two lines, or see --duplicates",
                    fields.line_of(int(block.row[first[np.searchsorted(again, row)]])),
                    column(block.text, int(block.start[row])),
                )

            fields.faults.add(again, retrieved_again, lambda rows: fields.lines_of(block.row[rows]))
        elif self.settings.duplicates == "best":
            again = all_but_best(block, again, first)
        return block.without(again)


def ordering(text: Bytes, fields: Fields, settings: Settings) -> Decimals:
    """What orders the rows, highest first. Adds to the faults of `fields`."""
    by_rank = settings.order == "rank" or "score" not in fields.layout.fields
    field = "rank" if by_rank else "score"
    number = numbers.decimals(text, *fields.span(field))

    def unusable(row: int) -> Problem:
        written = shown(ids.at(text, number.start[row], number.stop[row] - number.start[row]))
        kind, remedy = "number", "expected a decimal number such as 12.5"
        if by_rank:
            kind = "whole number" if "score" in fields.layout.fields else "whole number above 0"
            remedy = "; ".join(filter(None, ("expected a whole number such as 1", fields.layout.hint)))
        fact = f"the {field} {written} is no {kind}"
        return Problem(fields.line_of(row), "E105", fact, remedy, column=fields.column(row, field))

    if by_rank:
        number = replace(number, bad=_no_ranks(number.value, fields.layout))
    fields.faults.add(number.bad, unusable, fields.lines_of)
    if settings.order == "file":
        return numbers.exact(-np.arange(fields.rows, dtype=np.float64), number.bad)
    return number.negated() if by_rank else number


def _no_ranks(value: Floats, layout: Layout) -> Ints:
    """Which numbers are no ranks: beside scores any whole number is one, alone one that is above 0.

    Where a score stood in the place of the rank, a ranking would be read upside down.
    """
    rank = np.isfinite(value) & (value == np.floor(value))
    if "score" not in layout.fields:
        rank &= value > 0
    return np.flatnonzero(~rank)


LARGE = 1 << 26
"""Bytes of a run from which on processes that share it out are worth their beginning, which takes milliseconds."""

LONG = 1 << 24
"""Bytes of a chunk above which it is read in slices: what is made of all rows at once would be several times that."""


class _RunRows:
    """The rows of the slices of a chunk as one block, in as few bytes as will do."""

    def __init__(self, buffer: Buffer) -> None:
        self._text = buffer.text
        place = np.uint32 if buffer.end < 1 << 32 else np.int64
        kinds: dict[str, Any] = {
            **{"query": np.int32, "start": place, "length": np.int32, "key": np.uint64, "line": np.int32},
            **{"value": np.float64, "mantissa": np.uint64, "decimals": np.int8, "uncertain": bool},
            **{"opens": place, "closes": place},
        }
        most = chunks.count_lines(buffer)
        self._columns: dict[str, Any] = {name: np.empty(most, kind) for name, kind in kinds.items()}
        self._queries: list[bytes] = []
        self._first: list[int] = []
        self._count = 0

    def add(self, block: Block, lines_before: int) -> None:
        """Take the rows of the next slice, which begins after so many lines. Raises `Scattered`."""
        queries = list(block.queries)
        going_on = self._queries[-1:] == queries[:1]
        offset = len(self._queries) - going_on
        self._queries += queries[going_on:]
        self._first += (block.first[going_on:] + self._count).tolist()
        if len(set(self._queries)) < len(self._queries):
            raise Scattered
        score = block.score
        found = {
            **{"query": block.query + offset, "start": block.start, "length": block.length, "key": block.key},
            "line": block.fields.lines_of(block.row) + lines_before,
            **{"value": score.value, "mantissa": score.mantissa, "decimals": score.decimals},
            "uncertain": False if score.uncertain is None else score.uncertain,
            **{"opens": score.start, "closes": score.stop},
        }
        for name, values in found.items():
            self._columns[name][self._count : self._count + len(block.query)] = values
        self._count += len(block.query)

    def block(self, layout: Layout, lines: int, faults: Faults) -> Block:
        """All of them; of the fields it has but the score."""
        all_of = {name: values[: self._count] for name, values in self._columns.items()}
        decimals, uncertain = all_of["decimals"], all_of["uncertain"]
        alike = len(decimals) and (decimals == decimals[0]).all()
        number = Decimals(
            self._text,
            all_of["opens"],
            all_of["closes"],
            all_of["value"],
            all_of["mantissa"],
            int(decimals[0]) if alike else decimals,
            uncertain if uncertain.any() else None,
            np.empty(0, np.int64),
        )
        only_score = replace(layout, fields=("score",))
        none = np.empty(0, np.int64)
        scores = (all_of["opens"],), (all_of["closes"],)
        fields = Fields(*scores, all_of["line"], lines, none, faults, only_score, self._text)
        of_row: Any = np.arange(self._count, dtype=np.int32)
        named = (self._queries, np.array(self._first, dtype=np.int64), all_of["query"])
        return Block(self._text, *named, all_of["start"], all_of["length"], all_of["key"], number, fields, of_row)


def _shifted(text: Bytes, fields: Fields) -> int | None:
    """The first line with too many fields where the rank does not look like a number."""
    rows = fields.surplus
    if not len(rows) or "rank" not in fields.layout.fields:
        return None
    start, stop = fields.span("rank")
    opening, closing = text[start[rows]], text[stop[rows] - 1]
    number = _IS_DIGIT[closing] & (_IS_DIGIT[opening] | (opening == ord("-")) | (opening == ord("+")))
    suspects = rows[~number]
    return int(fields.lines_of(suspects[:1])[0]) if len(suspects) else None


_IS_DIGIT = (np.arange(256) >= ord("0")) & (np.arange(256) <= ord("9"))


def _gathered(
    source: Stream, work: Callable[[Block], R], parser: _Parser, size: int | None, faults: Faults, ends: Ends
) -> tuple[list[R], Reading]:
    """The run read whole, its lines brought together by query. Problems are collected: the earliest line is wanted."""
    lines = _lines_of(source, parser.layout, faults, ends)
    parts = lines.parts(max(chunks.SIZE // 2, 1) if size is None else size)  # beside them the whole file is in memory

    def read(buffer: Buffer) -> bool:
        buffer.wanted = next(parts, None)
        return buffer.wanted is not None

    def gathered(buffer: Buffer) -> _WorkedOff[R]:
        wanted = buffer.wanted
        lines.gather(wanted, buffer)
        digest = parser.digest(buffer, work, streamed=False)
        return replace(
            digest,
            shifted=None if digest.shifted is None else lines.number(wanted[digest.shifted - 1]),
            faults=digest.faults.renumbered(lambda line: lines.number(wanted[line - 1])),
        )

    kept: list[R] = []
    shifted: list[int] = []
    for digest in in_order(read, gathered):
        kept += digest.kept
        faults.take(digest.faults)
        if digest.shifted is not None:
            shifted.append(digest.shifted)
    other_tag = lines.tags.other_than_last()
    return kept, Reading(lines.count, lines.rows, lines.tags.last, other_tag, min(shifted, default=None))


def _lines_of(source: Stream, layout: Layout, faults: Faults, ends: Ends) -> Any:
    """All lines: in memory, or, of a table for which that is too little, on disk."""
    if isinstance(source, Source) or not formats.is_table(source):
        return _Lines(source, layout, faults, ends)
    from irev.reading import lines_on_disk, out_of_core

    held = out_of_core.most_held()
    try:
        return _Lines(source, layout, faults, ends, held)
    except chunks.TooMuch:
        source.rewind()
        faults.clear()
        return lines_on_disk.LinesOnDisk(source, layout, faults, held)


_STRETCH = 1 << 16


class _Lines:
    """A whole file in memory, with the place and the query of each of its rows, in as few bytes as will do."""

    def __init__(self, source: Stream, layout: Layout, faults: Faults, ends: Ends, held: int | None = None) -> None:
        self._buffer = chunks.read_all(source, ends, held)
        text = self._buffer.text
        self.tags = Tags()
        index: dict[bytes, int] = {}
        # Room for every line of the file is made at once: parts that are joined at the end need the memory twice.
        most = chunks.count_lines(self._buffer)
        start: AnyInts = np.empty(most, dtype=np.uint32 if self._buffer.end < 1 << 32 else np.int64)
        length, query = np.empty(most, dtype=np.int32), np.empty(most, dtype=np.int32)
        rows = lines = 0
        for begin, end in chunks.line_slices(self._buffer):
            fields = split(text, begin, end, layout, faults.most)
            faults.take(fields.faults, lines)
            newlines = np.flatnonzero(text[begin:end] == NEWLINE) + begin
            line = fields.lines_of(np.arange(fields.rows)) - 1
            here = slice(rows, rows + fields.rows)
            start[here] = np.append(begin, newlines[:-1] + 1)[line]
            length[here] = newlines[line] + 1 - start[here].astype(np.int64)
            opens, closes = fields.span("query")
            group, examples = ids.grouped(text, opens, closes - opens)
            known = [
                index.setdefault(ids.at(text, opens[row], closes[row] - opens[row]), len(index))
                for row in examples.tolist()
            ]
            query[here] = np.array(known, dtype=np.int32)[group]
            self.tags = self.tags.then(Tags.of(text, fields))
            rows += fields.rows
            lines += fields.lines
        self.count, self.rows = lines, rows
        self.start, self.length, self._query = start[:rows], length[:rows], query[:rows]

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
