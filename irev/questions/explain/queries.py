"""Queries by value, for who looks for one to explain: the worst first, with titles that are known."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from irev.base.records import dataclass
from irev.base.text import counted, decoded, named, number
from irev.evaluation.result import Result, order
from irev.output.finding import Finding
from irev.output.report import Cell, Plain, Sheet
from irev.output.reports.evaluation import EvaluationReport
from irev.output.reports.ranking import id_text, with_texts


@dataclass(frozen=True, eq=False, repr=False)
class QueriesByValue(Finding):
    """The queries of the one run of a result, by its first measure; the record is that of the evaluation.

    Attributes
    ----------
    result : Result
    titles : mapping of bytes to str
        Texts of queries.
    """

    result: Result
    titles: Mapping[bytes, str]

    columns = ("query", "measure", "value")

    @property
    def _places(self) -> list[int]:
        (outcome,) = self.result.outcomes
        return order(outcome, outcome.scores.columns[0].request)

    @property
    def title(self) -> str:
        (outcome,) = self.result.outcomes
        return (
            f"Queries of {named(outcome.run)} by {self.look.name(outcome.scores.columns[0].request)}, the worst first"
        )

    @property
    def sheets(self) -> Iterator[Sheet]:
        (outcome,) = self.result.outcomes
        scores = outcome.scores
        rows = tuple(
            (
                Cell(id_text(scores.queries[place])),
                *(Cell(self._shown(column.values[place])) for column in scores.columns),
            )
            for place in self._places
        )
        header = ("query", *(self.look.name(column.request) for column in scores.columns))
        sheet = Sheet("", header, 1, frozenset({0}), (rows,))
        if self.titles:
            texts = [self.titles.get(scores.queries[place]) for place in self._places]
            sheet = with_texts(sheet, 1, "title", texts, self.look.width)
        yield sheet

    def _shown(self, value: Any) -> str:
        return id_text(value) if isinstance(value, bytes) else number(value.item(), self.look.digits)

    @property
    def notes(self) -> Iterator[str]:
        (outcome,) = self.result.outcomes
        yield f"{counted(len(outcome.scores.queries), 'query', 'queries')}: {named(self.result.policy)}."

    @property
    def mixed(self) -> dict[str, str]:
        return {"value": "text"}

    @property
    def rows(self) -> Iterator[tuple[Plain, ...]]:
        (outcome,) = self.result.outcomes
        for place in self._places:
            for column in outcome.scores.columns:
                value = column.values[place]
                plain = decoded(value) if isinstance(value, bytes) else value.item()
                yield decoded(outcome.scores.queries[place]), self.look.name(column.request), plain

    @property
    def record(self) -> Mapping[str, Any]:
        return EvaluationReport(self.result).seen(self.look).record
