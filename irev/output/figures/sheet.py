"""A sheet of tables and pictures on one page of paper, as PDF."""

from __future__ import annotations

import textwrap
from collections.abc import Sequence

import numpy as np

from irev.base.aggregates import total
from irev.evaluation.curves.curve import Curves
from irev.output.figures import picture as drawing
from irev.output.figures.chart_picture import draw
from irev.output.report import Sheet

_PAPER = (8.27, 11.69)
"""A4, in inches."""

_TABLES, _PICTURE, _HEAD, _FOOT = 2.8, 3.2, 0.8, 1.3

_MARGIN = 0.05
"""Share of the width at either side."""

_SIGNS = 125
"""In a line of the sentences at the foot."""


def pdf(heading: str, tables: Sequence[Sheet], charts: Sequence[Curves], sentences: Sequence[str]) -> bytes:
    """The page: tables side by side, pictures below each other, sentences at the foot."""
    from matplotlib.figure import Figure

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
            draw(part, chart)
        said = [line for sentence in sentences for line in textwrap.wrap(sentence, _SIGNS)]
        parts[2 + len(charts)].text(0.0, 1.0, "\n".join(said), va="top", linespacing=1.3)
        return drawing.saved(figure, "pdf", heading)


def _lines(sheet: Sheet) -> list[str]:
    """A table of labels and numbers as lines of signs of one width."""
    rows = [sheet.header, *((row[0].text, row[1].text) for section in sheet.sections for row in section)]
    label, number = (max(len(row[place]) for row in rows) for place in (0, 1))
    lines = [f"{rows[0][0]:{label}}  {rows[0][1]:>{number}}", "─" * (label + 2 + number)]
    for section in sheet.sections:
        lines += [f"{row[0].text:{label}}  {row[1].text:>{number}}" for row in section]
        lines.append("─" * (label + 2 + number))
    return lines[:-1]
