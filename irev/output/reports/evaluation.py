"""The report of an evaluation: its numbers, as a table, as lists, and as the record that can be shown again.

What makes each of these is imported when it is asked for: trec_eval's lines need none of it.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING, Any

from irev.evaluation.result import Result
from irev.output.report import Plain, Report, Sheet

if TYPE_CHECKING:
    from irev.output.reports.leaderboard import AgainstBest


class EvaluationReport(Report):
    """The numbers of a `irev.evaluation.result.Result`, laid out; `known` is what is shown of runs against the best."""

    title = "Evaluation"
    bare = True

    def __init__(self, result: Result, known: AgainstBest | None = None) -> None:
        self.result, self.known = result, known

    @property
    def sheets(self) -> Iterable[Sheet]:
        """One table as wide as it is; on a screen, as many as it takes."""
        from irev.output.reports.grid import grid
        from irev.output.reports.terminal import tables

        if self.look.width is not None:
            return tables(self.result, self.look, self.known)
        return (grid(self.result, self.look, self.known),)

    @property
    def columns(self) -> tuple[str, ...]:
        from irev.output.reports.rows import columns

        return columns(self.result, self.look)

    @property
    def rows(self) -> Iterable[tuple[Plain, ...]]:
        from irev.output.reports.rows import listed

        return listed(self.result, self.look)

    @property
    def objects(self) -> Iterator[dict[str, Any]]:
        """One for each query of each run, and for all of its queries, with the values by measure."""
        from irev.output.reports.rows import about_keys, entries

        keys = about_keys(self.result)
        for about, values in entries(self.result, self.look):
            yield {**dict(zip(keys, about, strict=True)), "measures": values}

    @property
    def texts(self) -> frozenset[str]:
        return frozenset(self.columns) - self.mixed.keys()

    @property
    def mixed(self) -> dict[str, str]:
        return {} if self.look.wide else {"value": "text"}

    @property
    def record(self) -> dict[str, Any]:
        from irev.evaluation.record import record

        return record(self.result, self.look.names == "standard")
