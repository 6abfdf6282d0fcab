"""Runs in TREC format, as a stream of blocks: ``query Q0 document rank score tag``, a line for each retrieved document.

A block holds complete queries, so that it can be ranked and let go, and memory does not grow with the file. A file
whose queries are not contiguous is legal, though: a query id comes back. Then the stream ends in `Scattered`, and
`gathered` reads the file again, whole, and makes blocks whose lines were brought together by query.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from typing import Generic, TypeVar

import numpy as np

from irev import segments
from irev.errors import InputError, Problem, ProblemError, shown
from irev.reading import chunks, ids, numbers
from irev.reading.chunks import SIZE, Buffer, Chunks, in_order
from irev.reading.fields import NEWLINE, Fields, Layout, split
from irev.reading.ids import PAD, Bytes, Words
from irev.reading.numbers import Decimals
from irev.segments import Ints, Whole
from irev.settings import CURRENT
from irev.sources import Source

LAYOUT = Layout(
    fields=("query", "Q0", "document", "rank", "score", "tag"),
    exact=False,
    empty_lines=True,
    comments="first field",
    example="query Q0 document rank score tag",
)
NO_COMMENTS = Layout(LAYOUT.fields, LAYOUT.exact, LAYOUT.empty_lines, "none", LAYOUT.example)

QUERY, DOCUMENT, RANK, SCORE, TAG = 0, 2, 3, 4, 5


@dataclass(frozen=True, eq=False)
class Block:
    """Rows of complete queries, `n` rows of `s` queries.

    Attributes
    ----------
    text : uint8
        Where ids and scores stand.
    queries : list of bytes
        The id of each query.
    first : int (s,)
        First row of each query.
    query : int (n,)
        Index in `queries` of each row.
    start, length : int (n,)
        Where the document ids stand.
    key : uint64 (n,)
        `irev.reading.ids.keys` of query and document.
    score : Decimals
        The scores.
    """

    text: Bytes
    queries: list[bytes]
    first: Ints
    query: Ints
    start: Ints
    length: Ints
    key: Words
    score: Decimals


R = TypeVar("R")


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
        A run id that differs from it, empty when all rows agree.
    shifted : int or None
        The first line with surplus fields whose rank is no number: an id with a blank in it, perhaps.
    """

    lines: int
    rows: int
    tag: bytes
    other_tag: bytes
    shifted: int | None


def read(
    source: Source, work: Callable[[Block], R], compat: str = CURRENT, size: int | None = None
) -> tuple[list[R], Reading]:
    """Read a run and give each of its blocks to `work`, on several threads.

    Parameters
    ----------
    source : Source
    work : callable
        What is kept of a block. The block's text is overwritten when it returns.
    compat : str
        Version of trec_eval: 9.0.8 knows no comments.
    size : int, optional
        Bytes in a block, unless a query is longer.

    Returns
    -------
    kept : list
        Results of `work`, in the order of the blocks.
    reading : Reading

    Raises
    ------
    ProblemError
        For the earliest line that cannot be read or that repeats a document, whatever the number of threads.
    InputError
        For a run without rows.
    """
    layout = LAYOUT if compat == CURRENT else NO_COMMENTS
    try:
        kept, reading = _streamed(source, work, layout, size)
    except _Scattered:
        source.rewind()
        kept, reading = _gathered(source, work, layout, size)
    if not reading.rows:
        fact = "the file holds no results" if reading.lines else "the file is empty"
        raise InputError(fact, source.name, f"expected lines such as {LAYOUT.example}")
    return kept, reading


class _Scattered(Exception):
    """A query came back after another one."""


@dataclass(frozen=True, eq=False)
class _Digest(Generic[R]):
    """What is left of a block once it has been worked on: `kept` is empty when the block has problems."""

    kept: list[R]
    queries: list[bytes]
    lines: int
    rows: int
    tags: tuple[bytes, bytes]
    shifted: int | None
    problems: list[Problem]


def _digest(buffer: Buffer, layout: Layout, work: Callable[[Block], R], streamed: bool) -> _Digest[R]:
    """Read the rows of a chunk and work on them. A streamed chunk with a query in pieces raises `_Scattered`."""
    fields = split(buffer.text, buffer.begin, buffer.end, layout)
    problems = list(fields.problems)
    if not fields.rows:
        return _Digest([], [], fields.lines, 0, (b"", b""), None, problems)
    text = buffer.text
    block = _block(text, fields, problems, streamed)
    return _Digest(
        [] if problems else [work(block)],
        block.queries,
        fields.lines,
        fields.rows,
        _tags(text, fields.start[TAG], fields.stop[TAG]),
        _shifted(text, fields),
        problems,
    )


def _block(text: Bytes, fields: Fields, problems: list[Problem], streamed: bool) -> Block:
    """The rows of a chunk, each query in one piece. Adds to `problems`."""
    query_start = fields.start[QUERY]
    query_length = fields.stop[QUERY] - query_start
    first = ids.changes(text, query_start, query_length)
    seeds = ids.keys(text, query_start[first], query_length[first], ids.SEED)
    if streamed and len(np.unique(seeds)) < len(seeds):
        raise _Scattered  # or so it seems: reading the file whole is never wrong
    spans = zip(query_start[first].tolist(), query_length[first].tolist(), strict=True)
    queries = [ids.at(text, start, length) for start, length in spans]
    rows_of = np.diff(np.append(first, fields.rows))
    query = np.repeat(np.arange(len(first)), rows_of)
    start = fields.start[DOCUMENT]
    length = fields.stop[DOCUMENT] - start
    key = ids.keys(text, start, length, np.repeat(seeds, rows_of))

    score = numbers.decimals(text, fields.start[SCORE], fields.stop[SCORE])
    for row, line in zip(score.bad.tolist(), fields.lines_of(score.bad).tolist(), strict=True):
        written = ids.at(text, score.start[row], score.stop[row] - score.start[row])
        problems.append(
            Problem(line, "E105", f"the score {shown(written)} is no number", "expected a decimal number such as 12.5")
        )
    for again, before in ids.repeated(text, start, length, key, query):
        problems.append(
            Problem(
                int(fields.lines_of(np.array([again]))[0]),
                "E103",
                f"document {shown(ids.at(text, start[again], length[again]))} is retrieved again"
                f" for query {shown(queries[query[again]])}",
                "keep one of the two lines",
                int(fields.lines_of(np.array([before]))[0]),
            )
        )
    return Block(text, queries, first, query, start, length, key, score)


def _tags(text: Bytes, start: Ints, stop: Ints) -> tuple[bytes, bytes]:
    """The last run id, and one that differs from it, or nothing."""
    changes = ids.changes(text, start, stop - start)
    last = ids.at(text, start[-1], stop[-1] - start[-1])
    before = changes[-1] - 1
    return last, ids.at(text, start[before], stop[before] - start[before]) if before >= 0 else b""


def _shifted(text: Bytes, fields: Fields) -> int | None:
    """The first line with too many fields where the rank does not look like a number."""
    rows = fields.surplus
    opening, closing = text[fields.start[RANK][rows]], text[fields.stop[RANK][rows] - 1]
    number = _IS_DIGIT[closing] & (_IS_DIGIT[opening] | (opening == ord("-")) | (opening == ord("+")))
    suspects = rows[~number]
    return int(fields.lines_of(suspects[:1])[0]) if len(suspects) else None


_IS_DIGIT = np.isin(np.arange(256), np.frombuffer(b"0123456789", np.uint8))


def _streamed(source: Source, work: Callable[[Block], R], layout: Layout, size: int | None) -> tuple[list[R], Reading]:
    """The run in one pass; `_Scattered` as soon as a query comes back."""
    kept: list[R] = []
    seen: set[bytes] = set()
    lines = rows = 0
    tag = other_tag = b""
    shifted: int | None = None
    pieces = Chunks(source, size, whole_queries=True)
    for digest in in_order(pieces.read, lambda buffer: _digest(buffer, layout, work, streamed=True)):
        before = len(seen)
        seen.update(digest.queries)
        if len(seen) < before + len(digest.queries):
            raise _Scattered
        if digest.problems:
            raise ProblemError(source.name, min(digest.problems).moved(lines))
        if shifted is None and digest.shifted is not None:
            shifted = lines + digest.shifted
        if digest.rows:
            other_tag = next((t for t in (tag, other_tag, digest.tags[1]) if t and t != digest.tags[0]), b"")
            tag = digest.tags[0]
        lines += digest.lines
        rows += digest.rows
        kept += digest.kept
    return kept, Reading(lines, rows, tag, other_tag, shifted)


def _gathered(source: Source, work: Callable[[Block], R], layout: Layout, size: int | None) -> tuple[list[R], Reading]:
    """The run read whole, its lines brought together by query. Problems are collected: the earliest line is wanted."""
    lines = _Lines(source, layout)
    parts = lines.parts(chunks.SIZE if size is None else size)

    def read(buffer: Buffer) -> bool:
        buffer.wanted = next(parts, None)
        return buffer.wanted is not None

    def gathered(buffer: Buffer) -> _Digest[R]:
        wanted = buffer.wanted
        lines.gather(wanted, buffer)
        digest = _digest(buffer, layout, work, streamed=False)
        return replace(
            digest,
            shifted=None if digest.shifted is None else lines.number(wanted[digest.shifted - 1]),
            problems=[problem.renumbered(lambda line: lines.number(wanted[line - 1])) for problem in digest.problems],
        )

    kept: list[R] = []
    problems = list(lines.problems)
    tags: set[bytes] = set()
    shifted: list[int] = []
    for digest in in_order(read, gathered):
        kept += digest.kept
        problems += digest.problems
        tags.update(digest.tags)
        if digest.shifted is not None:
            shifted.append(digest.shifted)
    if problems:
        raise ProblemError(source.name, min(problems))
    others = sorted(tags - {b"", lines.tag})
    return kept, Reading(
        lines.count, len(lines.start), lines.tag, others[0] if others else b"", min(shifted, default=None)
    )


class _Lines:
    """A whole file in memory, with the place and the query of each of its rows, in as few bytes as will do."""

    def __init__(self, source: Source, layout: Layout) -> None:
        self._buffer = chunks.read_all(source)
        text = self._buffer.text
        self.problems: list[Problem] = []
        self.tag = b""
        index: dict[bytes, int] = {}
        # Room for every line of the file is made at once: parts that are joined at the end need the memory twice.
        most = int(sum(np.count_nonzero(text[a:b] == NEWLINE) for a, b in chunks.line_slices(self._buffer)))
        start: Whole = np.empty(most, dtype=np.uint32 if self._buffer.end < 1 << 32 else np.int64)
        length, query = np.empty(most, dtype=np.int32), np.empty(most, dtype=np.int32)
        rows = lines = 0
        for begin, end in chunks.line_slices(self._buffer):
            fields = split(text, begin, end, layout)
            self.problems += [problem.moved(lines) for problem in fields.problems]
            newlines = np.flatnonzero(text[begin:end] == NEWLINE) + begin
            line = fields.lines_of(np.arange(fields.rows)) - 1
            here = slice(rows, rows + fields.rows)
            start[here] = np.append(begin, newlines[:-1] + 1)[line]
            length[here] = newlines[line] + 1 - start[here].astype(np.int64)
            opens, closes = fields.start[QUERY], fields.stop[QUERY]
            group, examples = ids.grouped(text, opens, closes - opens)
            known = [
                index.setdefault(ids.at(text, opens[row], closes[row] - opens[row]), len(index))
                for row in examples.tolist()
            ]
            query[here] = np.array(known, dtype=np.int32)[group]
            if fields.rows:
                self.tag = ids.at(text, fields.start[TAG][-1], fields.stop[TAG][-1] - fields.start[TAG][-1])
            rows += fields.rows
            lines += fields.lines
        self.count = lines
        self.start, self.length, self._query = start[:rows], length[:rows], query[:rows]

    def parts(self, size: int) -> Iterator[Whole]:
        """Rows of whole queries, about `size` bytes at a time; inside a query in the order of the file."""
        if not len(self._query):
            return
        order: Whole = segments.stable_order(self._query).astype(np.int32 if len(self._query) < 1 << 31 else np.int64)
        last_row = np.cumsum(np.bincount(self._query))
        last_byte = np.cumsum(np.bincount(self._query, weights=self.length))
        row, byte = 0, 0.0
        while row < len(order):
            query = max(
                int(np.searchsorted(last_byte, byte + size, "right")) - 1, int(np.searchsorted(last_row, row, "right"))
            )
            yield order[row : last_row[query]]
            row, byte = int(last_row[query]), float(last_byte[query])

    def number(self, row: int) -> int:
        """The line of the file that a row stands on. Counted, which takes a moment, but few rows are ever asked for."""
        before = self._buffer.text[PAD : self.start[row]]
        return 1 + sum(int(np.count_nonzero(before[i : i + SIZE] == NEWLINE)) for i in range(0, len(before), SIZE))

    def gather(self, rows: Whole, buffer: Buffer) -> None:
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
