"""TREC's sheet of one run: what it found, precision by recall and by rank, its curve, and topics against the median.

The layout is that of the result pages that TREC hands to participants, so that a run can be laid beside them.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from irev.base.text import named, plain
from irev.evaluation.curves import CurvePicture, HowMade
from irev.evaluation.result import Outcome
from irev.measures import Request
from irev.output.figures import figure_of_curves
from irev.output.finding import CurvesFinding
from irev.output.report import Cell, Form, Plain, Sheet, stamp
from irev.output.reports.grid import shown

MEASURES = ("num_q", "num_ret", "num_rel", "num_rel_ret", "iprec_at_recall", "map", "P", "Rprec")
"""What is evaluated."""

_FOUND = {
    "num_q": "queries",
    "num_ret": "documents retrieved",
    "num_rel": "relevant documents",
    "num_rel_ret": "relevant documents retrieved",
}


class ResultSheet(CurvesFinding):
    """The sheet of one run.

    Parameters
    ----------
    outcome : Outcome
        The run, evaluated by `MEASURES`.
    pictures : tuple of CurvePicture
        Its eleven points; and its differences from the median of the other runs, where there are enough of them.
    made : HowMade
    others : int
        How many other runs there are.
    """

    columns = ("run", "measure", "value")
    texts = frozenset({"run", "measure"})

    def __init__(self, outcome: Outcome, pictures: tuple[CurvePicture, ...], made: HowMade, others: int) -> None:
        requests = [column.request for column in outcome.scores.columns]
        values = dict(zip(requests, outcome.summary.values, strict=True))
        self.outcome, self.pictures, self.made, self.others, self.values = outcome, pictures, made, others, values

    @property
    def title(self) -> str:
        return f"Result sheet of {named(self.outcome.run)}"

    @property
    def _topics(self) -> CurvePicture | None:
        return self.pictures[1] if len(self.pictures) > 1 else None

    @property
    def sheets(self) -> Iterator[Sheet]:
        found = [(Cell(words), self._cell(request)) for name, words in _FOUND.items() for request in self._of(name)]
        yield Sheet("Summary", ("of all queries", "number"), 1, frozenset({0}), (tuple(found),))
        levels = [(Cell(f"{request.value.value:.2f}"), self._cell(request)) for request in self._of("iprec_at_recall")]
        average = [(Cell("average precision"), self._cell(request)) for request in self._of("map")]
        yield Sheet(
            "Recall level averages", ("recall", "precision"), 1, frozenset({0}), (tuple(levels), tuple(average))
        )
        ranks = [(Cell(f"at {request.cutoff} documents"), self._cell(request)) for request in self._of("P")]
        exact = [(Cell("R-precision"), self._cell(request)) for request in self._of("Rprec")]
        yield Sheet("Document level averages", ("cutoff", "precision"), 1, frozenset({0}), (tuple(ranks), tuple(exact)))

    def _of(self, measure: str) -> Sequence[Request]:
        return [request for request in self.values if request.measure.name == measure]

    def _cell(self, request: Request) -> Cell:
        value = self.values[request]
        return Cell("" if value is None else shown(value, self.look.digits))

    @property
    def notes(self) -> Iterator[str]:
        yield "Average precision is over all relevant documents, not interpolated; R-precision is precision at rank R."
        yield self.pictures[0].caption
        if self._topics is not None:
            yield f"{self._topics.caption} In TREC's own sheets the median includes this run."
        elif self.others:
            yield "One other run has no useful median, so there is no histogram."
        yield self.made.caption

    @property
    def rows(self) -> Iterator[tuple[Plain, ...]]:
        for request, value in self.values.items():
            if isinstance(value, int | float):
                yield self.outcome.run, self.look.name(request), value

    @property
    def record(self) -> dict[str, Any]:
        topics = self._topics
        points = [] if topics is None else topics.curves[0].points
        return {
            **stamp("irev sheet"),
            "run": self.outcome.run,
            "policy": self.made.policy,
            "made": self.made.caption,
            "inputs": [file.recorded() for file in self.made.inputs],
            "values": {
                request.label: plain(value) for request, value in self.values.items() if isinstance(value, int | float)
            },
            "others": self.others,
            "topics": [
                {"query": point.label, "difference": plain(point.y), **_known(topics, point.more)} for point in points
            ],
        }

    def drawn(self, form: Form) -> bytes:
        """The pictures."""
        return figure_of_curves(self.pictures, form, self.made.caption)


def _known(topics: CurvePicture | None, more: Sequence[float]) -> dict[str, Any]:
    return {} if topics is None else {name: plain(value) for name, value in zip(topics.more, more, strict=True)}
