"""A figure as a page, which needs no other file: the picture, and its numbers as a table for whoever cannot see it."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from html import escape

from irev.base.text import named
from irev.output.figures.panels import Panel

_STYLE = """\
:root { color-scheme: light; font-family: system-ui, sans-serif; }
body { margin: 1.5em; }
figure { margin: 0; max-width: 60em; }
svg { width: 100%; height: auto; }
table { border-collapse: collapse; margin-top: 1em; }
th, td { padding: 0.2em 0.8em; text-align: left; font-weight: normal; white-space: pre-wrap; }
thead th { font-weight: bold; border-bottom: 1px solid; }
.number { text-align: right; font-variant-numeric: tabular-nums; }"""


def page(panels: Sequence[Panel], svg: bytes) -> bytes:
    """The page around a picture, in which the caption stands already."""
    drawing = svg[svg.index(b"<svg") :].decode("utf-8").rstrip()
    return "".join(f"{line}\n" for line in _lines(panels, drawing)).encode("utf-8", "replace")


def _lines(panels: Sequence[Panel], drawing: str) -> Iterator[str]:
    yield "<!DOCTYPE html>"
    yield '<html lang="en">'
    yield '<meta charset="utf-8">'
    yield '<meta name="viewport" content="width=device-width">'
    yield "<title>Differences between runs</title>"
    yield f"<style>\n{_STYLE}\n</style>"
    yield "<body>"
    yield "<figure>"
    yield drawing
    yield "</figure>"
    yield "<details open>"
    yield "<summary>The numbers</summary>"
    yield "<table>"
    headings = ("measure", "run", "baseline", "mean difference", "low", "high", "queries")
    yield f"<thead><tr>{''.join(_heading(text, place) for place, text in enumerate(headings))}</tr></thead>"
    yield "<tbody>"
    for panel in panels:
        yield _row(panel)
    yield "</tbody>"
    yield "</table>"
    yield "</details>"
    yield "</body>"
    yield "</html>"


def _heading(text: str, place: int) -> str:
    return f'<th scope="col"{_class(3 <= place < 6)}>{text}</th>'


def _row(panel: Panel) -> str:
    names = (
        f'<th scope="row"><bdi>{escape(named(text))}</bdi></th>' for text in (panel.measure, panel.run, panel.baseline)
    )
    numbers = (f"<td{_class(True)}>{_number(value)}</td>" for value in (panel.mean, panel.low, panel.high))
    return f"<tr>{''.join(names)}{''.join(numbers)}<td>{panel.counts}</td></tr>"


def _class(number: bool) -> str:
    return ' class="number"' if number else ""


def _number(value: float | None) -> str:
    return "" if value is None else f"{value:+.4f}" if math.isfinite(value) else str(value)
