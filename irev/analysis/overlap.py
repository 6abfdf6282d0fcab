"""Two runs held against each other without any judgments: how far their rankings overlap, query by query.

Queries that stand in one order in both are read side by side, so that memory does not grow with the runs.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from irev.base.aggregates import mean
from irev.base.records import dataclass
from irev.base.segments import Floats, Ints
from irev.ranking.fusion.merging import Part, in_step
from irev.ranking.fusion.spec import NONE, FusionSpec
from irev.reading.flat_ids import FlatIds
from irev.statistics.overlap import Overlap, Ties, overlap, places

if TYPE_CHECKING:
    from irev.ranking.fusion.inputs import InputRun
    from irev.ranking.fusion.shared_queries import SharedQueries


@dataclass(frozen=True, eq=False)
class RunOverlap:
    """How far the rankings of two runs overlap.

    Attributes
    ----------
    runs : (str, str)
        What they are called.
    p : float
        The persistence.
    ties : str
        What documents of equal score are, as `irev.statistics.overlap.overlap` has it.
    queries : tuple of bytes
        Of either run, in byte order.
    extrapolated, least, residual : float (q,)
        Of each; 0, 0 and 1 of one that a run lacks.
    documents : int (q, 2)
        How many each run has.
    common : int (q,)
        How many both have.
    """

    runs: tuple[str, str]
    p: float
    ties: Ties
    queries: tuple[bytes, ...]
    extrapolated: Floats
    least: Floats
    residual: Floats
    documents: Ints
    common: Ints

    def called(self, names: Sequence[str]) -> RunOverlap:
        """The same of runs with these names."""
        return replace(self, runs=(names[0], names[1]))

    @property
    def means(self) -> Overlap:
        """The means over all queries."""
        return Overlap(*(mean(each) for each in (self.extrapolated, self.least, self.residual)))


def spec_of(depth: int | None) -> FusionSpec:
    """What is kept of runs: scores, which tell what ties, and the first `depth` documents."""
    return FusionSpec("combsum", NONE, depth=depth)


def overlap_of(
    inputs: Sequence[InputRun], names: tuple[str, str], p: float, ties: Ties, shared: SharedQueries, whole: bool
) -> RunOverlap:
    """The overlap of two runs; `shared` notes queries that one of them lacks.

    Raises
    ------
    InputError
        For runs that have no query in common.
    Scattered, Disagreement
        For runs that are not in one order of queries, unless they are read `whole`.
    """
    merged = in_step([each.whole() if whole else each.in_blocks() for each in inputs], whole=whole)
    found = sorted(_overlaps(shared.watching(merged), p, ties), key=lambda each: each[0])
    values = np.array([each[1] for each in found], dtype=np.float64).reshape(-1, 3)
    counts = np.array([each[2] for each in found], dtype=np.int64).reshape(-1, 3)
    queries = tuple(each[0] for each in found)
    rbo, least, residual = values.T
    return RunOverlap(names, p, ties, queries, rbo, least, residual, counts[:, :2], counts[:, 2])


def _overlaps(
    merged: Iterable[tuple[bytes, list[Part | None]]], p: float, ties: Ties
) -> Iterable[tuple[bytes, Overlap, tuple[int, int, int]]]:
    for query, parts in merged:
        (one, first), (other, second) = map(_ranking, parts)
        found = one.places(other)
        both = found >= 0
        common = found[both], np.flatnonzero(both)
        counts = len(one), len(other), len(common[0])
        if any(counts[:2]):
            yield query, overlap(places(first), places(second), common, p, ties), counts


def _ranking(part: Part | None) -> tuple[FlatIds, Floats]:
    """The documents of a query, best first, and their scores."""
    if part is None:
        return FlatIds.of(()), np.zeros(0)
    block, number = part
    here = slice(block.ends[number], block.ends[number + 1])
    return block.documents[here], block.score[here]
