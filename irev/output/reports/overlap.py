"""The report of how far two runs overlap: the means, and every query."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np

from irev.analysis.overlap import RunOverlap
from irev.base.text import counted, decoded, named, plain, real
from irev.errors import decimal, printable
from irev.evaluation.result import Input
from irev.output.report import Cell, Plain, Report, Sheet
from irev.output.reports.tables import stamped

FORMAT, VERSION = "irev overlap", 1

_COLUMNS = ("query", "rbo", "least", "residual", "common", "documents_first", "documents_second")
_TIES = {
    "a": "documents of equal score stand in any order, and what is expected over all orders counts (RBO^a)",
    "b": "as RBO^a, divided by what each run has with itself (RBO^b)",
    "w": "documents of equal score stand at one rank (RBO^w)",
}


class OverlapReport(Report):
    """How far two runs overlap, laid out; `inputs` are the files."""

    columns = _COLUMNS
    texts = frozenset({"query"})

    def __init__(self, found: RunOverlap, inputs: Sequence[Input] = ()) -> None:
        self.found, self.inputs = found, inputs

    @property
    def title(self) -> str:
        return f"Rank-biased overlap of {named(self.found.runs[0])} and {named(self.found.runs[1])}"

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
        means = ("mean", *(real(each, digits) for each in self.found.means), "", "", "")
        header = ("query", "RBO", "least", "residual", "common", "of the first", "of the second")
        yield Sheet("", header, 1, frozenset({0}), (rows, (tuple(Cell(each, tone="total") for each in means),)))

    @property
    def notes(self) -> Iterator[str]:
        yield (
            f"RBO: rank-biased overlap with p = {decimal(self.found.p)}, extrapolated; it is at least what stands"
            " beside it, and at most that and the residual, whatever follows the last results."
        )
        yield f"Ties: {_TIES[self.found.ties]}."
        queries = counted(len(self.found.queries), "query", "queries")
        yield f"Queries: {queries} of either run; one that a run lacks has 0."

    @property
    def rows(self) -> Iterator[tuple[Plain, ...]]:
        for query, values, counts in self._values():
            yield decoded(query), *values, *counts

    @property
    def record(self) -> dict[str, Any]:
        found = self.found
        return {
            **stamped(FORMAT, VERSION),
            "runs": list(found.runs),
            "persistence": found.p,
            "ties": found.ties,
            "inputs": [file.recorded() for file in self.inputs],
            "mean": dict(zip(_COLUMNS[1:4], map(plain, found.means), strict=True)),
            "queries": [dict(zip(_COLUMNS, row, strict=True)) for row in self.rows],
        }

    def _values(self) -> Iterator[tuple[bytes, tuple[float, ...], list[int]]]:
        found = self.found
        values = zip(found.extrapolated.tolist(), found.least.tolist(), found.residual.tolist(), strict=True)
        counts = np.column_stack((found.common, found.documents)).tolist()
        yield from zip(found.queries, values, counts, strict=True)
