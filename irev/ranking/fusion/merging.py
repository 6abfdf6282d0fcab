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
from collections.abc import Iterator, Sequence

from irev.ranking.fusion.rankings import RankedBlock

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
