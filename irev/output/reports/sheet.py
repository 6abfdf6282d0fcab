"""TREC's sheet of one run: what it found, precision by recall and by rank, its curve, and topics against the median.

The layout is that of the result pages that TREC hands to participants, so that a run can be laid beside them.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from irev import __version__
from irev.base.text import named, plain
from irev.evaluation.curves.curve import Curves, HowMade
from irev.evaluation.result import Outcome
from irev.measures import Request
from irev.output.report import Cell, Plain, Report, Sheet
from irev.output.reports.grid import shown

FORMAT, VERSION = "irev sheet", 1

MEASURES = ("num_q", "num_ret", "num_rel", "num_rel_ret", "iprec_at_recall", "map", "P", "Rprec")
"""What is evaluated."""

_FOUND = {
    "num_q": "topics",
    "num_ret": "documents retrieved",
    "num_rel": "relevant documents",
    "num_rel_ret": "relevant documents retrieved",
}


class SheetReport(Report):
    """The sheet of one run.

    Parameters
    ----------
    outcome : Outcome
        The run, evaluated by `MEASURES`.
    curve : Curves
        Its eleven points.
    topics : Curves or None
        Its differences from the median of the other runs, where there are enough of them.
    others : int
        How many other runs there are.
    made : HowMade
    """

    columns = ("run", "measure", "value")

    def __init__(self, outcome: Outcome, curve: Curves, topics: Curves | None, others: int, made: HowMade) -> None:
        self.outcome, self.curve, self.topics, self.others, self.made = outcome, curve, topics, others, made
        requests = [column.request for column in outcome.scores.columns]
        self.values = dict(zip(requests, outcome.summary.values, strict=True))

    @property
    def title(self) -> str:
        return f"Result sheet of {named(self.outcome.run)}"

    @property
    def charts(self) -> list[Curves]:
        """The pictures on it."""
        return [self.curve, *([] if self.topics is None else [self.topics])]

    @property
    def lead(self) -> Iterator[str]:
        if self.look.width is not None:
            from irev.output.figures.chart_text import drawn

            yield from drawn(self.charts, self.look.width)

    @property
    def sheets(self) -> Iterator[Sheet]:
        found = [(Cell(words), self._cell(request)) for name, words in _FOUND.items() for request in self._of(name)]
        yield Sheet("Summary", ("of all topics", "number"), 1, frozenset({0}), (tuple(found),))
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
        yield self.curve.caption
        if self.topics is not None:
            yield f"{self.topics.caption} TREC's own sheets have this run in the median, too."
        elif self.others:
            yield "The median of one other run says nothing: there is no histogram."
        yield self.made.caption

    @property
    def rows(self) -> Iterator[tuple[Plain, ...]]:
        for request, value in self.values.items():
            if isinstance(value, int | float):
                yield self.outcome.run, self.look.name(request), value

    @property
    def record(self) -> dict[str, Any]:
        topics = self.topics
        points = [] if topics is None else topics.curves[0].points
        return {
            "format": FORMAT,
            "version": VERSION,
            "irev": __version__,
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


def _known(topics: Curves | None, more: Sequence[float]) -> dict[str, Any]:
    return {} if topics is None else {name: plain(value) for name, value in zip(topics.more, more, strict=True)}
