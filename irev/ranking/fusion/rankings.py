"""What is kept of a block of a run that is to be fused: its rankings, in far fewer bytes than its lines."""

from __future__ import annotations

from collections.abc import Callable
from functools import cached_property

import numpy as np

from irev.base.records import dataclass
from irev.base.segments import Floats, Ints
from irev.base.settings import Settings
from irev.ranking.fusion.spec import FusionSpec
from irev.ranking.order import comparable_scores
from irev.ranking.ranking import first_rows
from irev.reading.block import Block
from irev.reading.flat_ids import FlatIds
from irev.reading.ids import Words


@dataclass(frozen=True, eq=False)
class RankedBlock:
    """The rankings of some queries, `q` of them with `n` rows.

    Attributes
    ----------
    queries : list of bytes
    ends : list of int, length q + 1
        Where the rows of each begin, and where the last ones end; they stand in the order of ranks.
    documents : FlatIds, length n
        One behind the other in a text of their own.
    key : uint64 (n,)
        As in `Block`: of query and document.
    score : float (n,)
        What ranks them; where that is the order of rows, their ranks with the sign changed.
    """

    queries: list[bytes]
    ends: list[int]
    documents: FlatIds
    key: Words
    score: Floats

    @cached_property
    def sizes(self) -> Ints:
        """(q,) Rows of each query."""
        ends: Ints = np.array(self.ends, dtype=np.int64)
        return ends[1:] - ends[:-1]


def keeper(spec: FusionSpec, settings: Settings) -> Callable[[Block], RankedBlock]:
    """What keeps of a block what a fusion needs of it."""
    exact = spec.of_scores

    def kept(block: Block) -> RankedBlock:
        rows = first_rows(block, settings, spec.depth)
        if exact and block.score.uncertain is not None:
            block.score.settle(rows[block.score.uncertain[rows]])
        ends = np.searchsorted(block.query[rows], np.arange(len(block.queries) + 1))
        score = comparable_scores(block.score, settings)[rows]
        if settings.order == "file":
            score = ends[block.query[rows]] - np.arange(1.0, len(rows) + 1)
        documents = FlatIds(block.text, block.start[rows], block.length[rows]).copied()
        return RankedBlock(list(block.queries), ends.tolist(), documents, block.key[rows], score)

    return kept
