"""The numbers of a picture as a table: a row for each curve where all have the same x, else a row for each point."""

from __future__ import annotations

from irev.base.text import named, real, signed
from irev.evaluation.curves.curve import BARS, Curves
from irev.output.pages.html import Markup, tag
from irev.output.pages.sheets import folded
from irev.output.pages.svg import drawn
from irev.output.report import Cell, Sheet

MOST = 1000
"""Points of single topics of which a picture has a table; those of more topics stand in that of the topics alone."""


def with_numbers(curves: Curves, digits: int, about: str = "") -> Markup:
    """A picture with its numbers below it; nothing where no point can be drawn. `about` is added to its caption."""
    figure = drawn(curves, about)
    if not figure:
        return figure
    found = numbers(curves, digits)
    if found is None:
        below = tag("p", {"class": "note"}, "Its numbers are those of single topics.")
    else:
        by = curves.labels if curves.x.name == "place" else curves.x.title
        of = f", {named(curves.about)}" if curves.about else ""
        below = folded(found, f"Numbers: {curves.y.title} by {by}{of}", "numbers")
    return tag("div", {"class": "chart"}, figure, below)


def numbers(curves: Curves, digits: int) -> Sheet | None:
    """The exact values that are drawn; None where there are none, or too many."""
    points = [point for curve in curves.curves for point in curve.points]
    if not points or (curves.labels == "query" and len(points) > MOST):
        return None
    if not curves.labels:
        shared = curves.curves[0].points
        rows = [
            (Cell(named(curve.name)), *(Cell(real(point.y, digits)) for point in curve.points))
            for curve in curves.curves
        ]
        header = ("run", *(f"{point.x:g}" for point in shared))
        return Sheet("", header, 1, frozenset({0}), (tuple(rows),))
    several = len(curves.curves) > 1
    # The place of a bar is no number of its own.
    names = [axis.name for axis in (curves.x, curves.y) if axis.name != "place"]
    signs = {curves.y.name} if curves.drawn == BARS else set()
    sections = []
    for curve in curves.curves:
        rows = []
        for point in curve.points:
            values = {curves.x.name: point.x, curves.y.name: point.y, **dict(zip(curves.more, point.more, strict=True))}
            about = [Cell(named(curve.name))] if several else []
            of_point = (
                Cell((signed if name in signs else real)(values[name], digits)) for name in (*names, *curves.more)
            )
            rows.append((*about, Cell(named(point.label)), *of_point))
        sections.append(tuple(rows))
    header = (*(["run"] if several else []), curves.labels, *names, *(name.replace("_", " ") for name in curves.more))
    return Sheet("", header, 2 if several else 1, frozenset({0, 1} if several else {0}), tuple(sections))
