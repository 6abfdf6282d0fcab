"""What runs score: the report of an evaluation, and the values of queries that are written beside it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from irev.evaluation.result import Result
from irev.output.finding import Finding, Put
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
    log : str, optional
        Where the result is kept for `irev trend`.
    build : sequence of str, optional
        What is said of the build there.
    """

    def __init__(
        self,
        result: Result,
        known: AgainstBest | None = None,
        sort: Sort | None = None,
        queries_to: str | None = None,
        log: str | None = None,
        build: Sequence[str] = (),
    ) -> None:
        super().__init__(result, known)
        self.sort, self._queries_to = sort, queries_to
        self._log, self._build = log, build

    def write(self, put: Put) -> None:
        super().write(put)
        if self._log is not None:
            from irev.questions.builds import build_of, keep

            keep(self._log, build_of(self.result, self._build))

    @property
    def beside(self) -> Iterator[tuple[str, Report]]:
        if self._queries_to is not None:
            yield self._queries_to, EvaluationReport(replace(self.result, per_query=True, summarised=False))
