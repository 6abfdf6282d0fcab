"""TREC's sheet of one run: what it found, precision by recall and by rank, its curve, and topics against the median.

The layout is that of the result pages that TREC hands to participants, so that a run can be laid beside them.
"""

from __future__ import annotations

import textwrap
from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np

from irev.base.aggregates import total
from irev.base.text import named, plain
from irev.evaluation.curves import CurvePicture, HowMade
from irev.evaluation.result import Outcome
from irev.measures import Request
from irev.output.figures import figure_of_curves
from irev.output.finding import CurvesFinding
from irev.output.pages.html import document, isolated, tables, tag
from irev.output.pages.svg import with_numbers
from irev.output.report import Cell, Form, Look, Plain, Sheet, stamp
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

    def drawn(self, form: Form, up: str = "") -> bytes:
        """On one page of paper; or a page of HTML with pictures and tables, and with a link to a page above it."""
        seen = self.seen(Look(names="standard", digits=self.look.digits))
        if form.ending == "txt":
            return figure_of_curves(self.pictures, form, self.made.caption, self.title)
        if form.ending != "html":
            return _paper(seen, form)
        charts = tag("div", {"class": "charts"}, [with_numbers(chart, seen.look.digits) for chart in self.pictures])
        back = tag("nav", {"aria-label": "Other pages"}, tag("a", {"href": up}, "All runs")) if up else None
        title = tag("header", None, back, tag("h1", None, isolated(self.title)))
        return document(self.title, tag("div", None, title, tag("main", None, charts, *tables(seen, level=2))))


def _known(topics: CurvePicture | None, more: Sequence[float]) -> dict[str, Any]:
    return {} if topics is None else {name: plain(value) for name, value in zip(topics.more, more, strict=True)}


_PAPER = (8.27, 11.69)
"""A4, in inches."""

_TABLES, _PICTURE, _HEAD, _FOOT = 2.8, 3.2, 0.8, 1.3

_MARGIN = 0.05
"""Share of the width at either side."""

_SIGNS = 125
"""In a line of the sentences at the foot."""


def _paper(found: ResultSheet, form: Form) -> bytes:
    """The page: tables side by side, pictures below each other, sentences at the foot."""
    from matplotlib.figure import Figure

    from irev.output.figures import picture as drawing
    from irev.output.figures.chart_picture import draw

    heading, tables, charts = found.title, [*found.sheets], found.pictures

    with drawing.own_style():
        heights = [_HEAD, _TABLES, *([_PICTURE] * len(charts)), _FOOT]
        rest = _PAPER[1] - total(np.array(heights))
        figure = Figure(figsize=_PAPER, layout="constrained", facecolor="white")
        down, across = [*heights, max(rest, 0.01)], [_MARGIN, 1.0, _MARGIN]
        parts = figure.subfigures(len(down), 3, squeeze=False, height_ratios=down, width_ratios=across)[:, 1]
        parts[0].text(0.0, 0.4, drawing.wrapped(heading, 80), fontsize=13, fontweight="bold", va="center")
        for place, sheet in enumerate(tables):
            left = place / len(tables)
            parts[1].text(left, 0.97, sheet.title, fontweight="bold", va="top", fontsize=9)
            parts[1].text(left, 0.90, "\n".join(_lines(sheet)), va="top", family="monospace", fontsize=7.5)
        for part, chart in zip(parts[2:], charts, strict=False):
            draw(part, chart, Form(form.ending))
        said = [line for sentence in found.notes for line in textwrap.wrap(sentence, _SIGNS)]
        parts[2 + len(charts)].text(0.0, 1.0, "\n".join(said), va="top", linespacing=1.3)
        return drawing.saved(figure, form, heading)


def _lines(sheet: Sheet) -> list[str]:
    """A table of labels and numbers as lines of signs of one width."""
    rows = [sheet.header, *((row[0].text, row[1].text) for section in sheet.sections for row in section)]
    label, number = (max(len(row[place]) for row in rows) for place in (0, 1))
    lines = [f"{rows[0][0]:{label}}  {rows[0][1]:>{number}}", "─" * (label + 2 + number)]
    for section in sheet.sections:
        lines += [f"{row[0].text:{label}}  {row[1].text:>{number}}" for row in section]
        lines.append("─" * (label + 2 + number))
    return lines[:-1]
