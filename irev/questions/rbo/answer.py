"""How far the rankings of two runs overlap, query by query.

Queries that stand in one order in both are read side by side, so that memory does not grow with the runs.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING

import numpy as np

from irev.base.segments import Floats
from irev.errors import UsageError, option
from irev.questions.question import GivenRuns
from irev.questions.rbo.choices import RboChoices
from irev.questions.rbo.finding import RunOverlap
from irev.ranking.fusion.merging import Part, in_step
from irev.ranking.fusion.spec import NONE, FusionSpec
from irev.reading.flat_ids import FlatIds
from irev.statistics.overlap import Overlap, Ties, overlap, places

if TYPE_CHECKING:
    from irev.ranking.fusion.inputs import InputRun
    from irev.ranking.fusion.shared_queries import SharedQueries

_Found = list[tuple[bytes, Overlap, tuple[int, int, int]]]
"""Of each query the overlap, and how many documents the runs have, and have in common."""


def answer(given: GivenRuns, choices: RboChoices) -> RunOverlap:
    """The overlap of two runs, of every query that one of them has."""
    if given.settings.ties == "average":
        fact = f"{option('rbo_ties')} says what documents of equal score are"
        raise UsageError(fact, remedy=f"choose another {option('ties')}")

    def work(runs: Sequence[InputRun], shared: SharedQueries, whole: bool) -> _Found:
        merged = in_step([each.whole() if whole else each.in_blocks() for each in runs], whole=whole)
        return sorted(_overlaps(shared.watching(merged), choices), key=lambda each: each[0])

    # Scores tell what ties.
    (first, second), found = given.side_by_side(FusionSpec("combsum", NONE, depth=given.settings.depth), work)
    values = np.array([each[1] for each in found], dtype=np.float64).reshape(-1, 3)
    counts = np.array([each[2] for each in found], dtype=np.int64).reshape(-1, 3)
    queries, (extrapolated, least, residual) = tuple(each[0] for each in found), values.T
    return RunOverlap(
        (first, second),
        choices.p,
        choices.rbo_ties,
        queries,
        extrapolated,
        least,
        residual,
        documents=counts[:, :2],
        common=counts[:, 2],
        inputs=tuple(given.inputs),
    )


def _overlaps(
    merged: Iterable[tuple[bytes, list[Part | None]]], choices: RboChoices
) -> Iterable[tuple[bytes, Overlap, tuple[int, int, int]]]:
    ties: Ties = choices.rbo_ties  # type: ignore[assignment]
    for query, parts in merged:
        (one, first), (other, second) = map(_ranking, parts)
        found = one.places(other)
        both = found >= 0
        common = found[both], np.flatnonzero(both)
        counts = len(one), len(other), len(common[0])
        if any(counts[:2]):
            yield query, overlap(places(first), places(second), common, choices.p, ties), counts


def _ranking(part: Part | None) -> tuple[FlatIds, Floats]:
    """The documents of a query, best first, and their scores."""
    if part is None:
        return FlatIds.of(()), np.zeros(0)
    block, number = part
    here = slice(block.ends[number], block.ends[number + 1])
    return block.documents[here], block.score[here]
