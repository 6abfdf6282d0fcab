"""A fused run as rows of text, for the formats that `irev.output.writers` has.

Scores have as many digits as it takes to read the same double again, and ranks count from 1.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator

import numpy as np

from irev.base import segments
from irev.output.writers import Data
from irev.reading.block import Block
from irev.reading.rows import ROLES, Rows

NAME = "the fused run"
"""What messages call it."""


def data_of(blocks: Callable[[], Iterable[Block]], tag: bytes) -> Data:
    """What is to be written of blocks whose rows stand in the order of ranks. `tag` is the run id of all."""
    return Data("run", ROLES["run"], lambda: _rows(blocks(), tag))


def _rows(blocks: Iterable[Block], tag: bytes) -> Iterator[Rows]:
    before = 0
    for block in blocks:
        count = len(block.query)
        text, starts = block.text.tobytes(), block.start
        position = segments.position(block.query, len(block.queries)) + 1
        columns = {
            "query": list(map(list(block.queries).__getitem__, block.query.tolist())),
            "document": [
                text[begin:end] for begin, end in zip(starts.tolist(), (starts + block.length).tolist(), strict=True)
            ],
            "rank": _ranks(position),
            "score": repr(block.score.value.tolist())[1:-1].encode().split(b", ") if count else [],
            "tag": [tag] * count,
        }
        yield Rows(NAME, "row", tag, columns, lambda row, before=before: before + row + 1)  # type: ignore[misc]
        before += count


def _ranks(position: np.ndarray[tuple[int], np.dtype[np.int64]]) -> list[bytes]:
    written = [b"%d" % rank for rank in range(int(position.max(initial=0)) + 1)]
    return list(map(written.__getitem__, position.tolist()))
