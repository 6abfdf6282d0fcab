"""A figure as a page, which needs no other file: the picture, and its numbers as a table for whoever cannot see it."""

from __future__ import annotations

import math
from collections.abc import Collection, Iterable, Iterator, Sequence

from irev.base.text import named
from irev.evaluation.curves import Curves
from irev.output.figures.charts import title
from irev.output.figures.panels import Panel
from irev.output.pages.html import literal, plain_page

_LABELS = 3
"""So many columns say what a row is about."""

_STYLE = """\
:root { color-scheme: light; font-family: system-ui, sans-serif; }
body { margin: 1.5em; }
figure { margin: 0; max-width: 60em; }
svg { width: 100%; height: auto; }
table { border-collapse: collapse; margin-top: 1em; }
th, td { padding: 0.2em 0.8em; text-align: left; font-weight: normal; white-space: pre-wrap; }
thead th { font-weight: bold; border-bottom: 1px solid; }
.number { text-align: right; font-variant-numeric: tabular-nums; }"""


_COLUMNS = ("measure", "run", "baseline", "mean difference", "low", "high", "queries")


def page(panels: Sequence[Panel], svg: bytes, heading: str) -> bytes:
    """The page around a picture of a comparison, in which the caption stands already."""
    return _page(heading, svg, _COLUMNS, frozenset({3, 4, 5}), map(_cells, panels))


def curves_page(charts: Sequence[Curves], svg: bytes, heading: str) -> bytes:
    """The page around a picture of curves, with the points of all of them."""
    x, y = charts[0].x.name, charts[0].y.name
    rows = (
        (
            *(named(text) for text in (title(chart), curve.name, point.label)),
            *(repr(value) for value in (point.x, point.y)),
        )
        for chart in charts
        for curve in chart.curves
        for point in curve.points
    )
    return _page(heading, svg, ("picture", "curve", charts[0].labels, x, y), frozenset({3, 4}), rows)


def forest_page(rows: Iterable[Sequence[str]], svg: bytes, heading: str) -> bytes:
    """The page around a forest plot, with a row for each estimate: measure, run, method and number."""
    return _page(heading, svg, ("measure", "run", "by", "estimate"), frozenset({3}), rows)


def _page(
    heading: str, svg: bytes, columns: Sequence[str], numbers: Collection[int], rows: Iterable[Sequence[str]]
) -> bytes:
    drawing = svg[svg.index(b"<svg") :].decode("utf-8").rstrip()
    return plain_page(heading, _STYLE, _body(drawing, columns, numbers, rows))


def _body(
    drawing: str, columns: Sequence[str], numbers: Collection[int], rows: Iterable[Sequence[str]]
) -> Iterator[str]:
    yield "<body>"
    yield "<figure>"
    yield drawing
    yield "</figure>"
    yield "<details open>"
    yield "<summary>The numbers</summary>"
    yield "<table>"
    yield f"<thead><tr>{''.join(_heading(text, place in numbers) for place, text in enumerate(columns))}</tr></thead>"
    yield "<tbody>"
    for row in rows:
        yield f"<tr>{''.join(_cell(text, place, numbers) for place, text in enumerate(row))}</tr>"
    yield "</tbody>"
    yield "</table>"
    yield "</details>"
    yield "</body>"


def _heading(text: str, number: bool) -> str:
    return f'<th scope="col"{_class(number)}>{literal(text)}</th>'


def _cell(text: str, place: int, numbers: Collection[int]) -> str:
    if place < _LABELS:
        return f'<th scope="row"><bdi>{literal(text)}</bdi></th>'
    return f"<td{_class(place in numbers)}>{literal(text)}</td>"


def _cells(panel: Panel) -> tuple[str, ...]:
    names = (named(text) for text in (panel.measure, panel.run, panel.baseline))
    return (*names, *map(_number, (panel.mean, panel.low, panel.high)), panel.counts)


def _class(number: bool) -> str:
    return ' class="number"' if number else ""


def _number(value: float | None) -> str:
    return "" if value is None else f"{value:+.4f}" if math.isfinite(value) else str(value)
