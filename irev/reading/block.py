"""Rows of a run, some complete queries at a time, and how they are made of chunks of text.

Rows are parsed, checked, and worked on while they are in the processor's cache.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any, Generic, TypeVar

import numpy as np

from irev.base import segments
from irev.base.errors import Faults, Problem, option, shown
from irev.base.records import dataclass
from irev.base.segments import AnyInts, Floats, Ints
from irev.base.settings import Settings
from irev.reading import chunks, ids, numbers
from irev.reading.chunks import Buffer, Scattered
from irev.reading.fields import Fields, Layout, column, spaced, split, with_blanks
from irev.reading.flat_ids import FlatIds
from irev.reading.ids import Bytes, Words
from irev.reading.limits import LONGEST
from irev.reading.numbers import Decimals


@dataclass(frozen=True, eq=False)
class Block:
    """Rows of complete queries, `n` rows of `s` queries.

    Attributes
    ----------
    text : uint8
        Where ids and scores stand.
    queries : sequence of bytes
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
        What orders the rows, highest first.
    fields : Fields
        The chunk, for whoever wants to know more of a row.
    row : int (n,)
        Which row of the chunk each is.
    """

    text: Bytes
    queries: Sequence[bytes]
    first: Ints
    query: Ints
    start: AnyInts
    length: AnyInts
    key: Words
    score: Decimals
    fields: Fields
    row: Ints

    def without(self, rows: Ints) -> Block:
        """The block with some rows left out; a query may be left without any."""
        if not len(rows):
            return self
        keep = np.ones(len(self.query), dtype=bool)
        keep[rows] = False
        query = self.query[keep]
        return replace(
            self,
            first=np.searchsorted(query, np.arange(len(self.queries))),
            query=query,
            start=self.start[keep],
            length=self.length[keep],
            key=self.key[keep],
            score=self.score.where(keep),
            row=self.row[keep],
        )


@dataclass(frozen=True)
class Tags:
    """Run ids of some rows: of the first and the last one, and the first that differs from that of the first row."""

    first: bytes = b""
    other: bytes = b""
    last: bytes = b""

    @classmethod
    def of(cls, text: Bytes, fields: Fields) -> Tags:
        """The run ids of a chunk, empty where there are none."""
        if not fields.rows or "tag" not in fields.layout.fields:
            return cls()
        start, stop = fields.span("tag")
        changes = ids.changes(text, start, stop - start)
        tags = [ids.at(text, start[row], stop[row] - start[row]) for row in (*changes[:2], -1)]
        return cls(tags[0], tags[1] if len(changes) > 1 else b"", tags[-1])

    def then(self, more: Tags) -> Tags:
        """These, and those of the rows that follow."""
        if not self.first:
            return more
        other = self.other or next((tag for tag in (more.first, more.other) if tag != self.first), b"")
        return Tags(self.first, other, more.last or self.last)

    def other_than_last(self) -> bytes:
        """The first run id that differs from the last, if any."""
        return self.first if self.first != self.last else self.other


def all_but_best(block: Block, again: Ints, first: Ints) -> Ints:
    """Of the rows of each document (repetitions, and the first row of each) all but the one of the highest score."""
    block.score.settle(np.unique(np.concatenate((again, first))))
    best: dict[int, int] = {}
    for row, opening in zip(again.tolist(), first.tolist(), strict=True):
        kept = best.get(opening, opening)
        best[opening] = row if block.score.value[row] > block.score.value[kept] else kept
    everything = np.concatenate((again, np.unique(first)))
    return np.setdiff1d(everything, np.array(list(best.values()), dtype=np.int64))


R = TypeVar("R")

NO_KEYS: Words = np.empty(0, dtype=np.uint64)


class Seen:
    """The keys of the queries that were there, to find one that comes back.

    All are looked at together whenever they have doubled: in eight bytes each, and often enough that no more is read in
    vain than was read before.
    """

    def __init__(self) -> None:
        self._looked_at = NO_KEYS
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
class WorkedOff(Generic[R]):
    """What is left of a block once it has been worked on: `kept` is empty when it had no rows; of queries, the keys."""

    kept: list[R]
    queries: Words
    lines: int
    rows: int
    tags: Tags
    doubt: Problem | None
    faults: Faults


@dataclass(frozen=True, eq=False)
class Parser:
    """Makes blocks of chunks of text. `inspected`: whoever works on them looks at all fields, as costs do at one."""

    layout: Layout
    settings: Settings
    most: int
    inspected: bool = False

    def digest(self, buffer: Buffer, work: Callable[[Block], R], streamed: bool) -> WorkedOff[R]:
        """Read the rows of a chunk and work on them. A streamed chunk with a query in pieces raises `Scattered`."""
        wanted = self.inspected or self.settings.costs is not None
        if streamed and not wanted and buffer.end - buffer.begin > LONG and self._orders_by("score"):
            return self._digest_long(buffer, work)
        fields = split(buffer.text, buffer.begin, buffer.end, self.layout, self.most)
        with_blanks(buffer.text, buffer.begin, buffer.end, self.layout)
        if not fields.rows:
            return WorkedOff([], NO_KEYS, fields.lines, 0, Tags(), None, fields.faults)
        if not streamed:
            fields.faults.place = lambda lines: buffer.wanted[lines - 1]
        block = self._block(buffer.text, fields, streamed)
        return WorkedOff(
            [work(block)],
            FlatIds.of(block.queries).keys,
            fields.lines,
            fields.rows,
            Tags.of(buffer.text, fields),
            _doubt(buffer.text, fields),
            fields.faults,
        )

    def _orders_by(self, field: str) -> bool:
        return self.settings.order == field and field in self.layout.fields

    def _digest_long(self, buffer: Buffer, work: Callable[[Block], R]) -> WorkedOff[R]:
        """As `digest`, for a chunk with a long query: in slices, of whose rows no more is kept than ranks them."""
        faults, tags, rows = Faults(self.most), Tags(), _RunRows(buffer)
        doubt: Problem | None = None
        lines = usable = 0
        for begin, end in chunks.line_slices(buffer):
            fields = split(buffer.text, begin, end, self.layout, self.most)
            with_blanks(buffer.text, begin, end, self.layout)
            if fields.rows:
                rows.add(self._rows(buffer.text, fields, streamed=True), lines)
                tags = tags.then(Tags.of(buffer.text, fields))
                doubt = gravest(doubt, _doubt(buffer.text, fields), lines)
            faults.take(fields.faults, lines)
            lines, usable = lines + fields.lines, usable + fields.rows
        if not usable:
            return WorkedOff([], NO_KEYS, lines, 0, tags, None, faults)
        block = self._without_repeats(rows.block(self.layout, lines, faults))
        return WorkedOff([work(block)], FlatIds.of(block.queries).keys, lines, usable, tags, doubt, faults)

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
            Seen().add(seeds)
        rows_of = np.diff(np.append(first, fields.rows))
        query = np.repeat(np.arange(len(first)), rows_of)
        start, stop = fields.span("document")
        if self.settings.document_of is not None:
            start, stop = cut(self.settings.document_of, text, start, stop, fields.faults, fields.line_of)
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
        if self.settings.repeats == "error":
            fields = block.fields

            def retrieved_again(row: int) -> Problem:
                document = shown(ids.at(block.text, block.start[row], block.length[row]))
                fact = f"document {document} is retrieved twice for query {shown(block.queries[block.query[row]])}"
                return Problem(
                    fields.line_of(int(block.row[row])),
                    "E103",
                    fact,
                    "keep one of the two lines, or see --duplicates",
                    fields.line_of(int(block.row[first[np.searchsorted(again, row)]])),
                    column(block.text, int(block.start[row])),
                )

            fields.faults.add(again, retrieved_again, lambda rows: fields.lines_of(block.row[rows]))
        elif self.settings.repeats == "best":
            again = all_but_best(block, again, first)
        return block.without(again)


def cut(
    pattern: str, text: Bytes, start: AnyInts, stop: AnyInts, faults: Faults, line_of: Callable[[int], int]
) -> tuple[Ints, Ints]:
    """Where the parts of ids begin and end that `pattern` finds. The first id without one is a doubt of `faults`."""
    start, stop, whole = ids.cut(pattern, text, start, stop)
    if whole is not None:
        document = shown(ids.at(text, start[whole], stop[whole] - start[whole]))
        fact = f"{option('document_of')} finds nothing in document {document}, whose whole id is used"
        faults.doubts.append(Problem(line_of(whole), "W214", fact, "let it find a part of every id"))
    return start, stop


def ordering(text: Bytes, fields: Fields, settings: Settings) -> Decimals:
    """What orders the rows, highest first. Adds to the faults of `fields`."""
    if settings.order == "file" and not {"score", "rank"} & {*fields.layout.fields}:
        return numbers.exact(-np.arange(fields.rows, dtype=np.float64), np.empty(0, np.int64))
    by_rank = settings.order == "rank" or "score" not in fields.layout.fields
    field = "rank" if by_rank else "score"
    number = numbers.decimals(text, *fields.span(field))

    def unusable(row: int) -> Problem:
        written = shown(ids.at(text, number.start[row], number.stop[row] - number.start[row]))
        kind, expected = "number", "expected a decimal number such as 12.5"
        if by_rank:
            kind = "whole number" if "score" in fields.layout.fields else "whole number above 0"
            expected = "expected a whole number such as 1"
        remedy = "; ".join(filter(None, (expected, fields.layout.hint)))
        fact = f"the {field} {written} is not a {kind}"
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


def gravest(doubt: Problem | None, found: Problem | None, lines: int = 0) -> Problem | None:
    """Of two doubts the one with the lower code, or else the earlier; the second is so many lines further down."""
    if found is None or (doubt is not None and doubt.code <= found.code):
        return doubt
    return found.moved(lines)


def _doubt(text: Bytes, fields: Fields) -> Problem | None:
    """What is said of the first line with a blank in an id, where tabs tell where the id ends, or the rank is no
    number; or else of the first one with a run id of several words."""
    if len(fields.spaced):
        return spaced(fields, int(fields.spaced[0]))
    rows = fields.surplus
    if not len(rows) or "rank" not in fields.layout.fields:
        return None
    start, stop = fields.span("rank")
    opening, closing = text[start[rows]], text[stop[rows] - 1]
    number = _IS_DIGIT[closing] & (_IS_DIGIT[opening] | (opening == ord("-")) | (opening == ord("+")))
    suspects = rows[~number]
    if not len(suspects):
        return _long_tag(text, fields, int(rows[0])) if "tag" in fields.layout.fields else None
    fact = "more than 6 fields, and the rank is not a number"
    return Problem(fields.line_of(int(suspects[0])), "W206", fact, "does an id contain a blank?")


def _long_tag(text: Bytes, fields: Fields, row: int) -> Problem:
    """Return the warning about a run id of several words. Only the first word counts, as in trec_eval."""
    start, stop = (int(each[row]) for each in fields.span("tag"))
    line = text[start : start + LONGEST].tobytes().partition(b"\n")[0]
    fact = f"the run id {shown(line.strip())} has several words, of which only {shown(line[: stop - start])} counts"
    return Problem(fields.line_of(row), LONG_TAG, fact, "write it as one word", column=column(text, start))


LONG_TAG = "W233"

_IS_DIGIT = (np.arange(256) >= ord("0")) & (np.arange(256) <= ord("9"))
