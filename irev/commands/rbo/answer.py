"""How far the rankings of two runs overlap, query by query.

Queries that stand in one order in both are read side by side, so that memory does not grow with the runs.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from irev.base.errors import UsageError, decimal, option, printable
from irev.base.records import dataclass
from irev.base.segments import Floats, Ints, mean
from irev.base.text import counted, decoded, named, real
from irev.commands.rbo import TIES, RboChoices
from irev.evaluation.inputs import Inputs, side_by_side
from irev.evaluation.result import Input
from irev.output.finding import ReportedFinding, recorded
from irev.output.report import Cell, Plain, Sheet, stamped
from irev.ranking.fusion import NONE, FusionSpec
from irev.ranking.fusion.fused import Part
from irev.ranking.fusion.inputs import SharedQueries, in_step
from irev.reading.flat_ids import FlatIds
from irev.statistics.correlations import Overlap, Ties, overlap, places

if TYPE_CHECKING:
    from irev.ranking.fusion.inputs import InputRun

_COLUMNS = ("query", "rbo", "least", "residual", "common", "documents_first", "documents_second")


@dataclass(frozen=True, eq=False, repr=False)
class RunOverlap(ReportedFinding):
    """How far the rankings of two runs overlap.

    Attributes
    ----------
    runs : (str, str)
        What they are called.
    p : float
        The persistence.
    ties : str
        What documents of equal score are, as `irev.statistics.correlations.overlap` has it.
    queries : tuple of bytes
        Of either run, in byte order.
    extrapolated, least, residual : float (q,)
        Of each; 0, 0 and 1 of one that a run lacks.
    documents : int (q, 2)
        How many each run has.
    common : int (q,)
        How many both have.
    inputs : tuple of Input
    """

    runs: tuple[str, str]
    p: float
    ties: str
    queries: tuple[bytes, ...]
    extrapolated: Floats
    least: Floats
    residual: Floats
    documents: Ints
    common: Ints
    inputs: tuple[Input, ...] = ()

    columns = _COLUMNS
    texts = frozenset({"query"})

    @property
    def means(self) -> Overlap:
        """The means over all queries."""
        return Overlap(*(mean(each) for each in (self.extrapolated, self.least, self.residual)))

    @property
    def title(self) -> str:
        return f"Rank-biased overlap of {named(self.runs[0])} and {named(self.runs[1])}"

    @property
    def sheets(self) -> Iterator[Sheet]:
        digits = self.look.digits
        rows = tuple(
            (
                Cell(printable(query)),
                *(Cell(real(float(value), digits)) for value in values),
                *(Cell(f"{number:,}") for number in counts),
            )
            for query, values, counts in self._values()
        )
        means = ("mean", *(real(each, digits) for each in self.means), "", "", "")
        header = ("query", "RBO", "least", "residual", "common", "of the first", "of the second")
        yield Sheet("", header, 1, frozenset({0}), (rows, (tuple(Cell(each, tone="total") for each in means),)))

    @property
    def notes(self) -> Iterator[str]:
        yield (
            f"RBO: rank-biased overlap with p = {decimal(self.p)}, extrapolated. Whatever follows the last "
            "results, it is at least the minimum shown beside it, and at most that plus the residual."
        )
        yield f"Ties: {TIES[self.ties]}."
        queries = counted(len(self.queries), "query", "queries")
        yield f"Queries: {queries} of either run; a query that a run lacks scores 0."

    @property
    def rows(self) -> Iterator[tuple[Plain, ...]]:
        for query, values, counts in self._values():
            yield decoded(query), *values, *counts

    @property
    def record(self) -> dict[str, Any]:
        return {
            **stamped("irev overlap"),
            "runs": list(self.runs),
            "persistence": self.p,
            "ties": self.ties,
            "inputs": recorded(self.inputs),
            "mean": recorded(dict(zip(_COLUMNS[1:4], self.means, strict=True))),
            "queries": [*self.objects],
        }

    def _values(self) -> Iterator[tuple[bytes, tuple[float, ...], list[int]]]:
        values = zip(self.extrapolated.tolist(), self.least.tolist(), self.residual.tolist(), strict=True)
        counts = np.column_stack((self.common, self.documents)).tolist()
        yield from zip(self.queries, values, counts, strict=True)

    # For Python

    def __repr__(self) -> str:
        return f"<RunOverlap of {named(self.runs[0])} and {named(self.runs[1])}: {real(self.means.extrapolated, 4)}>"


_Found = list[tuple[bytes, Overlap, tuple[int, int, int]]]
"""Of each query the overlap, and how many documents the runs have, and have in common."""


def answer(inputs: Inputs, choices: RboChoices) -> RunOverlap:
    """The overlap of two runs, of every query that one of them has."""
    if inputs.settings.ties == "average":
        fact = f"{option('rbo_ties')} says how ties count"
        raise UsageError(fact, remedy=f"choose another {option('ties')}")

    def work(runs: Sequence[InputRun], shared: SharedQueries, whole: bool) -> _Found:
        merged = in_step([each.whole() if whole else each.in_blocks() for each in runs], whole=whole)
        return sorted(_overlaps(shared.watching(merged), choices), key=lambda each: each[0])

    # Scores tell what ties.
    (first, second), found = side_by_side(inputs, FusionSpec("combsum", NONE, depth=inputs.settings.depth), work)
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
        inputs=tuple(inputs.files),
    )


def _overlaps(
    merged: Iterable[tuple[bytes, list[Part | None]]], choices: RboChoices
) -> Iterable[tuple[bytes, Overlap, tuple[int, int, int]]]:
    ties: Ties = choices.rbo_ties  # type: ignore[assignment]
    of_single: dict[int, Overlap] = {}  # rankings of one document each: by how many they have in common
    for query, parts in merged:
        (one, first), (other, second) = map(_ranking, parts)
        found = one.places(other)
        both = found >= 0
        common = found[both], np.flatnonzero(both)
        counts = len(one), len(other), len(common[0])
        if counts[:2] == (1, 1) and counts[2] in of_single:
            yield query, of_single[counts[2]], counts
        elif any(counts[:2]):
            value = overlap(places(first), places(second), common, choices.p, ties)
            if counts[:2] == (1, 1):
                of_single[counts[2]] = value
            yield query, value, counts


def _ranking(part: Part | None) -> tuple[FlatIds, Floats]:
    """The documents of a query, best first, and their scores."""
    if part is None:
        return FlatIds.of(()), np.zeros(0)
    block, number = part
    here = slice(block.ends[number], block.ends[number + 1])
    return block.documents[here], block.score[here]
