"""Checks beside those of reading: documents that are judged but for a letter or a blank, rows that are no UTF-8, and
what a track asks of a submission.
"""

from __future__ import annotations

import re
import unicodedata
from dataclasses import replace
from functools import cached_property

import numpy as np

from irev.base.records import dataclass
from irev.base.segments import Bools, Ints
from irev.base.text import decoded, encoded
from irev.errors import Faults, InputError, Problem
from irev.reading import ids
from irev.reading.block import Block
from irev.reading.chunks import Buffer, Chunks
from irev.reading.fields import Fields, Layout, column, split
from irev.reading.ids import Bytes, Words
from irev.reading.judgments import Judgments
from irev.reading.sources import Source


@dataclass(frozen=True, eq=False)
class NearMisses:
    """Looks for them among the documents of blocks."""

    judgments: Judgments

    def rows(self, block: Block) -> tuple[Ints, list[int]]:
        """The rows whose document a judged one equals but for capital letters, and but for a blank."""
        judged = self.judgments
        if not judged.queries:
            return np.empty(0, np.int64), []
        of_block = judged.places(block.queries)
        query = of_block[block.query]
        exact, _ = judged.find(block.text, query, block.start, block.length, block.key)
        text = _folded(block.text)
        seeds = np.array([_key_of(query) for query in block.queries], dtype=np.uint64)
        key = ids.keys(text, block.start, block.length, seeds[block.query])
        folded, _ = self._folded.find(text, query, block.start, block.length, key)
        candidates = (query >= 0) & (_beyond_ascii(block.text, block.start, block.length) | self._has_blanks[query])
        candidates[exact] = False
        blank = [row for row in np.flatnonzero(candidates).tolist() if self._but_for_blanks(block, row, query)]
        return np.setdiff1d(folded, exact), blank

    @cached_property
    def _folded(self) -> Judgments:
        """The judgments with their ids in small letters."""
        judged = self.judgments
        text = _folded(judged.text)
        seeds = np.array([_key_of(query) for query in judged.queries], dtype=np.uint64)
        key = ids.keys(text, judged.document_start, judged.document_length, seeds[judged.query])
        order = np.argsort(key)
        return replace(
            judged,
            text=text,
            query=judged.query[order],
            document_start=judged.document_start[order],
            document_length=judged.document_length[order],
            grade=judged.grade[order],
            key=(key[order] >> np.uint64(32)).astype(np.uint32),
        )

    @cached_property
    def _has_blanks(self) -> Bools:
        """Which judged queries have a document id with a blank in it: one that Unicode knows and ASCII does not."""
        judged = self.judgments
        has = np.zeros(len(judged.queries), dtype=bool)
        high = np.flatnonzero(_beyond_ascii(judged.text, judged.document_start, judged.document_length))
        for row in high.tolist():
            written = ids.at(judged.text, judged.document_start[row], judged.document_length[row])
            has[judged.query[row]] |= _without_blanks(written) != written
        return has

    def _but_for_blanks(self, block: Block, row: int, query: Ints) -> bool:
        written = ids.at(block.text, block.start[row], block.length[row])
        return _without_blanks(written) in self._bare_ids(int(query[row]))

    def _bare_ids(self, query: int) -> set[bytes]:
        """The ids of the documents judged for a query, without their blanks."""
        if query not in self._bare:
            judged = self.judgments
            spans = [
                (judged.document_start[row], judged.document_length[row])
                for row in np.flatnonzero(judged.query == query)
            ]
            self._bare[query] = {_without_blanks(ids.at(judged.text, start, length)) for start, length in spans}
        return self._bare[query]

    @cached_property
    def _bare(self) -> dict[int, set[bytes]]:
        return {}


def _beyond_ascii(text: Bytes, start: Ints, length: Ints) -> Bools:
    """Which ids have a byte that is not ASCII."""
    high = np.zeros(len(start), dtype=bool)
    if (text >= 0x80).any():
        for word in ids.words(text, start, length):
            high |= (word & np.uint64(0x8080808080808080)) != 0
    return high


def _without_blanks(written: bytes) -> bytes:
    """An id without what Unicode calls white space, and without characters that have no width."""
    text = decoded(written)
    return encoded("".join(c for c in text if not c.isspace() and unicodedata.category(c) != "Cf"))


def _folded(text: Bytes) -> Bytes:
    """The text with the letters A to Z small."""
    return np.where((text >= ord("A")) & (text <= ord("Z")), text + np.uint8(32), text)


def _key_of(query: bytes) -> int:
    return hash(query) & 0xFFFFFFFFFFFFFFFF


def check_encoding(fields: Fields) -> None:
    """Add to the faults the rows that are not UTF-8."""
    text, start, stop = fields.text, fields.start[0], fields.stop[-1]
    if not fields.rows:
        return
    beyond = np.flatnonzero(text[start[0] : stop[-1]] >= 0x80) + start[0]
    if not len(beyond) or _not_utf8(text[start[0] : stop[-1]].tobytes()) is None:
        return
    suspects = np.flatnonzero(np.searchsorted(beyond, start) < np.searchsorted(beyond, stop))

    def place(row: int) -> int | None:
        return _not_utf8(ids.at(text, start[row], stop[row] - start[row]))

    # An array: objects for each row of a file of millions would be a matter of memory.
    broken = suspects[np.fromiter((place(int(row)) is not None for row in suspects), bool, len(suspects))]

    def described(row: int) -> Problem:
        where = column(text, int(start[row]) + (place(row) or 0))
        return Problem(
            fields.line_of(row), "W209", "the line is not UTF-8", "tools that decode it will differ", column=where
        )

    fields.faults.add(broken, described, fields.lines_of)


def _not_utf8(text: bytes) -> int | None:
    """The first byte that cannot be decoded, if there is one."""
    try:
        text.decode("utf-8")
    except UnicodeDecodeError as error:
        return error.start
    return None


@dataclass(frozen=True)
class TrackRules:
    """What a track asks of a submission; None asks nothing.

    Attributes
    ----------
    topics : tuple of bytes or None
        The queries that a run must have, and no others.
    max_depth : int or None
        Most results for a query.
    tag : re.Pattern or None
        What the run id must match, as a whole.
    sorted : bool
        Whether the rows of a query must be sorted by score, highest first.
    docids : DocIds or None
        The documents of the collection.
    """

    topics: tuple[bytes, ...] | None = None
    max_depth: int | None = None
    tag: re.Pattern[bytes] | None = None
    sorted: bool = False
    docids: DocIds | None = None


@dataclass(frozen=True, eq=False)
class DocIds:
    """The ids of a collection as sorted hashes of eight bytes, so that ten million fit.

    An id that is not in the collection is taken for one that is when their hashes agree: once in 10^5 runs of
    seven million lines.
    """

    name: str
    key: Words

    @classmethod
    def read(cls, source: Source) -> DocIds:
        """Read the first field of every line, a chunk at a time.

        Raises
        ------
        ProblemError
            For a line that is no text.
        InputError
            For a file without ids.
        """
        layout = Layout(("document",), exact=False, empty_lines=True, comments="none", example="document")
        chunks, buffer = Chunks(source), Buffer(ids.padded(0))
        parts: list[Words] = []
        faults, lines = Faults(), 0
        while chunks.read(buffer):
            fields = split(buffer.text, buffer.begin, buffer.end, layout)
            faults.take(fields.faults, lines)
            faults.raise_earliest(source.name)
            lines += fields.lines
            start, stop = fields.span("document")
            parts.append(ids.keys(buffer.text, start, stop - start, ids.SEED))
        if not sum(len(part) for part in parts):
            raise InputError("the file lists no ids", source.name, "expected one on each line")
        key = np.concatenate(parts)
        key.sort()
        return cls(source.name, key)

    def lacks(self, text: Bytes, start: Ints, length: Ints) -> Bools:
        """Which of the given ids are not in the collection."""
        wanted = ids.keys(text, start, length, ids.SEED)
        place = np.minimum(np.searchsorted(self.key, wanted), len(self.key) - 1)
        lacking: Bools = self.key[place] != wanted
        return lacking
