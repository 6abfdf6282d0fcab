"""What runs score: the report of an evaluation, and the values of queries that are written beside it."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import TYPE_CHECKING

from irev.evaluation.result import Result
from irev.output.finding import Finding
from irev.output.report import Report, Sort
from irev.output.reports.evaluation import EvaluationReport

if TYPE_CHECKING:
    from irev.output.reports.grid import AgainstBest


class Evaluated(EvaluationReport, Finding):
    """What runs score.

    Parameters
    ----------
    result : Result
    known : AgainstBest, optional
        What is shown of runs against the best.
    sort : Sort, optional
        What tables are sorted by.
    queries_to : str, optional
        The file that the values of queries are written to.
    """

    def __init__(
        self, result: Result, known: AgainstBest | None = None, sort: Sort | None = None, queries_to: str | None = None
    ) -> None:
        super().__init__(result, known)
        self.sort, self._queries_to = sort, queries_to

    @property
    def beside(self) -> Iterator[tuple[str, Report]]:
        if self._queries_to is not None:
            yield self._queries_to, EvaluationReport(replace(self.result, per_query=True, summarised=False))
