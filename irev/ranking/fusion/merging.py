"""Queries of several runs brought together while the runs are read side by side.

Nothing need be known of the order of the queries: by number, by id, as in a file of topics. The next query is the first
one of a run that no other run has behind something else. A run lacks it when it has ended, or has a query already that
comes later in the other one. So runs whose queries stand in one order, whichever, are read in step, a block of each at
a time, and memory follows these; what only some of the runs have does not disturb that. Where orders contradict each
other `Disagreement` is raised, as soon as that is known: such runs are read whole, and then the first run that has a
query left goes ahead.
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import cached_property

import numpy as np

from irev.base.errors import InputError, shown
from irev.base.records import dataclass
from irev.base.segments import Floats, Ints
from irev.base.settings import Settings
from irev.ranking.fusion import FusionSpec
from irev.ranking.order import comparable_scores, first_rows
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
        rows, _ = first_rows(block, settings, spec.depth)
        if exact and block.score.uncertain is not None:
            block.score.settle(rows[block.score.uncertain[rows]])
        ends = np.searchsorted(block.query[rows], np.arange(len(block.queries) + 1))
        score = comparable_scores(block.score, settings)[rows]
        if settings.order == "file":
            score = ends[block.query[rows]] - np.arange(1.0, len(rows) + 1)
        documents = FlatIds(block.text, block.start[rows], block.length[rows]).copied()
        return RankedBlock(list(block.queries), ends.tolist(), documents, block.key[rows], score)

    return kept


Part = tuple[RankedBlock, int]
"""The rankings of a block, and which of them is meant."""


class Disagreement(Exception):
    """A query came after one that stands behind it in another run."""


class _RunAhead:
    """The queries of a run that were read and not taken yet."""

    def __init__(self, blocks: Iterator[RankedBlock]) -> None:
        self._blocks = blocks
        self.waiting: OrderedDict[bytes, Part] = OrderedDict()
        self.ended = False
        self.lacking: set[bytes] = set()
        """Queries that others have had taken, and this one was taken to lack."""

    def read(self) -> bool:
        """Read the next block; whether there was one. Raises `Disagreement`."""
        block = next(self._blocks, None)
        if block is None:
            self.ended = True
            return False
        if self.lacking and not self.lacking.isdisjoint(block.queries):
            raise Disagreement
        for number, query in enumerate(block.queries):
            self.waiting[query] = block, number
        return True


def in_step(runs: Sequence[Iterator[RankedBlock]], whole: bool) -> Iterator[tuple[bytes, list[Part | None]]]:
    """Each query of any run, and what every run has of it, None for one that lacks it.

    Parameters
    ----------
    runs : sequence of iterator of RankedBlock
        No query comes twice in one.
    whole : bool
        Whether they are read to their ends first, which is wanted where orders contradict each other.

    Raises
    ------
    Disagreement
        Unless `whole`.
    """
    all_runs = [_RunAhead(blocks) for blocks in runs]
    if whole:
        for run in all_runs:
            while run.read():
                pass
    while True:
        for run in all_runs:
            while not run.waiting and not run.ended:
                run.read()
        left = [run for run in all_runs if run.waiting]
        if not left:
            return
        query = _next(left, all_runs, whole)
        parts = [run.waiting.pop(query, None) for run in all_runs]
        for run, part in zip(all_runs, parts, strict=True):
            if part is None and not run.ended:
                run.lacking.add(query)
        yield query, parts


def _next(left: Sequence[_RunAhead], runs: Sequence[_RunAhead], whole: bool) -> bytes:
    """The first query of a run that all others have first too, or lack."""
    for run in left:
        query = next(iter(run.waiting))
        if all(_is_next(query, run, other) for other in runs if other is not run):
            return query
    if whole:
        return next(iter(left[0].waiting))
    raise Disagreement


def _is_next(query: bytes, run: _RunAhead, other: _RunAhead) -> bool:
    """Whether the other run has a query first, or lacks it, that a run has first. Reads on until that is known."""
    while query not in other.waiting:
        if other.ended:
            return True
        if not run.waiting.keys().isdisjoint(other.waiting.keys()):
            return True  # what the other has already comes later in this one
        other.read()
        if not run.ended:
            run.read()
    return next(iter(other.waiting)) == query


class SharedQueries:
    """What is known of the queries of some runs once all have passed; `passed` is called then.

    Attributes
    ----------
    lacking : list of list of bytes
        The queries that each run lacks and others have, in the order in which they came.
    empty : list of bytes
        Those for which no run has a document.
    """

    def __init__(self, names: Sequence[str], passed: Callable[[], None] = lambda: None) -> None:
        self._names, self._passed = names, passed
        self.lacking: list[list[bytes]] = [[] for _ in names]
        self.empty: list[bytes] = []
        self._example: list[bytes | None] = [None for _ in names]
        self._shares = [len(names) == 1 for _ in names]

    def watching(self, merged: Iterable[tuple[bytes, list[Part | None]]]) -> Iterator[tuple[bytes, list[Part | None]]]:
        """The same queries, noted. Raises `InputError` at the end for a run that has none in common with the others."""
        for query, parts in merged:
            having = len(parts) - parts.count(None)
            if having < len(parts):
                self._note(query, parts, having)
            elif not all(self._shares):
                self._shares = [True for _ in self._shares]
            if not any(block.ends[number + 1] - block.ends[number] for block, number in filter(None, parts)):
                self.empty.append(query)
            yield query, parts
        self._require_shared()
        self._passed()

    def _note(self, query: bytes, parts: Sequence[Part | None], having: int) -> None:
        for run, part in enumerate(parts):
            if part is None:
                self.lacking[run].append(query)
            else:
                self._shares[run] |= having > 1
                self._example[run] = self._example[run] or query

    def _require_shared(self) -> None:
        for run, shares in enumerate(self._shares):
            mine = self._example[run]
            if shares or mine is None:
                continue
            other = min(filter(None, self._example[:run] + self._example[run + 1 :]), default=b"")
            fact = f"it has no query in common with the other runs: it has {shown(mine)}, they have {shown(other)}"
            raise InputError(fact, self._names[run], "do the runs have the same queries?")
