"""Rows of a run, some complete queries at a time, and the run ids that they carry."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from irev.base.records import dataclass
from irev.base.segments import Ints
from irev.reading import ids
from irev.reading.fields import Fields
from irev.reading.ids import Bytes, Words
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
    start: Ints
    length: Ints
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
