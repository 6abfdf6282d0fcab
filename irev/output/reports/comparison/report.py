"""What a comparison hands to the styles."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from irev.analysis.comparison.contrasts import Comparison
from irev.base.text import counted
from irev.evaluation.result import Input
from irev.output.report import PAPER, TABLES, Plain, Report, Sheet
from irev.output.reports.comparison import compact, data, details, paper
from irev.output.reports.comparison.words import ComparisonLayout, legend, reading
from irev.output.reports.tables import stamped

FORMAT, VERSION = "irev comparison", 1


class ComparisonReport(Report):
    """A comparison, laid out.

    Parameters
    ----------
    comparison : Comparison
    policy : str
        Which queries count, in words.
    remarks : sequence of str
        What else is to be said.
    inputs : sequence of Input
        The files.
    per_query : bool
        Whether the difference of every query is wanted.
    detailed : bool
        Whether people are to see all that was found.
    layout : str
        One of `irev.output.report.LAYOUTS`.
    fits : bool
        Whether the table of a paper is to be made as small as its column.
    more : str or None
        With what those who look at it see all that was found; None for a document.
    """

    def __init__(
        self,
        comparison: Comparison,
        policy: str,
        remarks: Sequence[str] = (),
        inputs: Sequence[Input] = (),
        per_query: bool = False,
        detailed: bool = False,
        layout: str = TABLES,
        fits: bool = False,
        more: str | None = None,
    ) -> None:
        self.comparison, self.policy, self.remarks, self.inputs = comparison, policy, remarks, inputs
        self.per_query, self.detailed, self.layout, self.fits = per_query, detailed, layout, fits
        self.more, self.bare = more, layout == PAPER

    @property
    def laid(self) -> ComparisonLayout:
        """The comparison with the look that is asked for."""
        return ComparisonLayout(self.comparison, self.look, self.per_query)

    @property
    def title(self) -> str:
        return "Comparison of " + counted(len(self.comparison.runs), "run")

    @property
    def sheets(self) -> Iterator[Sheet]:
        if self.layout == PAPER:
            return iter([paper.sheet(self.laid, self.policy, self.remarks, self.fits)])
        return details.sheets(self.laid) if self.detailed else compact.sheets(self.laid)

    @property
    def notes(self) -> Iterator[str]:
        if self.layout == PAPER:
            return
        if not self.detailed:
            yield from compact.notes(self.laid, self.policy, self.remarks, self.more)
            return
        yield from legend(self.laid)
        yield from reading(self.laid)
        yield from (f"{remark[0].upper()}{remark[1:]}." for remark in self.remarks)
        yield f"Queries: {self.policy}."

    @property
    def columns(self) -> tuple[str, ...]:
        return data.columns(self.comparison.plan)

    @property
    def exact(self) -> frozenset[str]:
        return frozenset(column for column in self.columns if column.startswith(("p_", "adjusted_")))

    @property
    def rows(self) -> Iterator[tuple[Plain, ...]]:
        return data.rows(self.laid)

    @property
    def record(self) -> dict[str, Any]:
        comparison = self.comparison
        return {
            **stamped(FORMAT, VERSION),
            "policy": self.policy,
            "notes": list(self.remarks),
            "runs": list(comparison.runs),
            "baseline": comparison.baseline,
            "plan": data.planned(comparison),
            "inputs": [file.recorded() for file in self.inputs],
            "measures": data.measures(self.laid),
        }
