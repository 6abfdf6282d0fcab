"""How far two runs overlap: the record, and how people and programs see it."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from irev.base.aggregates import mean
from irev.base.records import dataclass
from irev.base.segments import Floats, Ints
from irev.base.text import counted, decoded, named, real
from irev.errors import decimal, printable
from irev.evaluation.result import Input
from irev.output.finding import Finding, recorded
from irev.output.report import Cell, Plain, Sheet, stamped
from irev.questions.rbo.choices import TIES
from irev.statistics.overlap import Overlap

_COLUMNS = ("query", "rbo", "least", "residual", "common", "documents_first", "documents_second")


@dataclass(frozen=True, eq=False, repr=False)
class RunOverlap(Finding):
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
            f"RBO: rank-biased overlap with p = {decimal(self.p)}, extrapolated; it is at least what stands"
            " beside it, and at most that and the residual, whatever follows the last results."
        )
        yield f"Ties: {TIES[self.ties]}."
        queries = counted(len(self.queries), "query", "queries")
        yield f"Queries: {queries} of either run; one that a run lacks has 0."

    @property
    def rows(self) -> Iterator[tuple[Plain, ...]]:
        for query, values, counts in self._values():
            yield decoded(query), *values, *counts

    @property
    def record(self) -> dict[str, Any]:
        return {
            **stamped("irev overlap", 1),
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
