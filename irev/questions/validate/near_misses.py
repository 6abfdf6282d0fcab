"""Documents that would be judged if their letters were of the other case, or but for a blank in their id."""

from __future__ import annotations

import unicodedata
from dataclasses import replace
from functools import cached_property

import numpy as np

from irev.base.records import dataclass
from irev.base.segments import Bools, Ints
from irev.base.text import decoded, encoded
from irev.reading import ids
from irev.reading.block import Block
from irev.reading.ids import Bytes
from irev.reading.judgments import Judgments


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
