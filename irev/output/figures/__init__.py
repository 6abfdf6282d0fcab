"""Figures as files: curves of any kind, and forest plots of mean differences and their intervals.

A figure is an SVG picture, or PNG and PDF that are converted from it by the extra ``plot``. It can be read without
colours: the side of the line at zero shows which run is better. The same data give the same bytes, except in PDF, whose
fonts stand in any order.
"""

from __future__ import annotations

import re
import textwrap
from collections.abc import Iterable, Sequence
from functools import cache
from importlib.util import find_spec
from typing import NamedTuple

from irev.base.errors import IrevError, UsageError, escaped
from irev.evaluation.curves import CurvePicture
from irev.output.figures.charts import admitted, captions, finite, notes_on, said_below, title
from irev.output.figures.svg import (
    MOST_BELOW,
    MOST_ESTIMATED,
    PIXELS,
    SIGN,
    Estimate,
    Estimated,
    by_title,
    forest,
    frame_of,
    parts_of,
)
from irev.output.pages import Markup, joined, resource, sentence, tag
from irev.output.report import Form

__all__ = ["ENDINGS", "Estimate", "Estimated", "Form", "figure_of_curves", "figure_of_estimates", "require_drawable"]

CONVERTED = ("png", "pdf")
ENDINGS = ("svg", *CONVERTED)
"""Endings of the names of files that a figure can be written to."""


def figure_of_curves(charts: Sequence[CurvePicture], form: Form, caption: str) -> bytes:
    """A figure of curves as the content of a file.

    Parameters
    ----------
    charts : sequence of CurvePicture
        At least one; what there is no room for is left out, and the caption says so.
    form : Form
        What kind of file it is, and how wide.
    caption : str
        What is said about all of them: which queries count, and under which settings.

    Raises
    ------
    UsageError, IrevError
        What `require_drawable` raises.
    """
    require_drawable(form.ending)
    blocks, notes = blocks_of(charts, form)
    return picture(blocks, [*captions(charts, escaped(caption)), *notes], form)


def figure_of_estimates(
    numbers: Sequence[Estimated], form: Form, caption: str, below: Sequence[CurvePicture] = ()
) -> bytes:
    """A forest plot, and pictures of curves below it, as the content of a file of this form.

    Raises
    ------
    UsageError, IrevError
        As `figure_of_curves` does, and where there is nothing to draw.
    """
    require_drawable(form.ending)
    if not (numbers or below):
        raise IrevError("there is nothing to draw")
    for what, several, most in (("numbers", numbers, MOST_ESTIMATED), ("pictures", below, MOST_BELOW)):
        if len(several) > most:
            caption += f" Only the first {most} of {len(several):,} {what} are drawn."
    below = below[:MOST_BELOW]
    blocks = []
    for heading, group in by_title(numbers[:MOST_ESTIMATED]).items():
        name = text_block(wrapped([heading], 0.9 * form.width), "title")
        shaded = [] if group[0].margin is None else [f"shaded: within {group[0].margin:g}"]
        height, parts = forest(group, form.width * PIXELS, SIGN)
        blocks += [name, Panel(height, parts), text_block(shaded), GAP]
    further, notes = blocks_of(below, form)
    return picture([*blocks, *further], [*captions(below, escaped(caption)), *notes], form)


# Files of pictures

_LINE = 15
"""Pixels of a line of text."""

_POINTS = 200
"""Dots per inch of a PNG."""


class Panel(NamedTuple):
    """A part of a picture that is as wide as the picture: its height in pixels, and its elements."""

    height: float
    parts: Markup


GAP = Panel(10, Markup())


def text_block(lines: Iterable[str], kind: str | None = None, x: int = 8, anchor: str | None = None) -> Panel:
    """Lines of text, that begin or end at a place."""
    shown = [*lines]
    return Panel(
        _LINE * len(shown) + 8 * bool(shown),
        joined(
            tag("text", {"class": kind, "x": x, "y": _LINE * number, "text-anchor": anchor}, sentence(line))
            for number, line in enumerate(shown, start=1)
        ),
    )


def wrapped(texts: Iterable[str], width: float) -> list[str]:
    """Texts in lines that a picture of so many inches has room for."""
    return [line for each in texts for line in textwrap.wrap(each, int((width * PIXELS - 16) / SIGN))]


def blocks_of(charts: Sequence[CurvePicture], form: Form) -> tuple[list[Panel], list[str]]:
    """Curves as parts of a picture, and what is said of them."""
    shown, notes = admitted(charts)
    blocks = []
    for chart in shown:
        width = form.width
        parts = [text_block(wrapped([title(chart)], width * 0.9), "title")]
        if any(finite(curve.points) for curve in chart.curves):
            frame = frame_of(chart, form)
            parts.append(Panel(frame.height, tag("g", {"class": "picture"}, parts_of(chart, frame))))
        else:
            parts.append(text_block(["There is nothing to draw."]))
        parts.append(text_block(wrapped(said_below(chart) if form.notes else [], width)))
        blocks.append(stacked([*parts, GAP]))
    return blocks, [*notes, *notes_on(shown)]


def stacked(blocks: Iterable[Panel]) -> Panel:
    """Blocks below each other."""
    y, parts = 0.0, []
    for block in blocks:
        parts.append(tag("g", {"transform": f"translate(0 {y:g})"}, block.parts) if y else block.parts)
        y += block.height
    return Panel(y, joined(parts))


def picture(blocks: Iterable[Panel], said: Sequence[str], form: Form) -> bytes:
    """Blocks below each other and what is said of them, as ``svg``, ``png`` or ``pdf``."""
    said = [*map(escaped, said)]
    height, parts = stacked([*blocks, text_block(wrapped(said if form.notes else [], form.width))])
    unit = "" if form.ending in CONVERTED else "pt"  # the converter takes a pixel for a point
    about = {
        "xmlns": "http://www.w3.org/2000/svg",
        "class": "irev",
        "role": "img",
        "width": f"{72 * form.width:g}{unit}",
        "height": f"{0.75 * height:g}{unit}",
        "viewBox": f"0 0 {PIXELS * form.width:g} {height:g}",
        "font-family": "sans-serif",
        "font-size": "10.667",
    }
    title, style = tag("title", None, sentence(" ".join(said))), tag("style", None, Markup(_style()))
    paper = tag("rect", {"width": "100%", "height": "100%", "fill": "#fff"})
    svg = f"{tag('svg', about, title, style, paper, parts)}\n".encode("utf-8", "replace").decode()
    if form.ending == "svg":
        return svg.encode()
    import vl_convert

    if form.ending == "png":
        return bytes(vl_convert.svg_to_png(svg, ppi=_POINTS))
    return bytes(vl_convert.svg_to_pdf(svg))


@cache
def _style() -> str:
    """The rules of pictures in pages for a file that may stand in a page of others, in its light colours."""
    light = dict(re.findall(r"(--\w+): ([^;]+);", resource("report.css").partition("@media")[0]))
    rules = re.sub(r"var\((--\w+)\)", lambda found: light[found[1]], resource("picture.css"))
    rules = re.sub(r" font-size: \d+px;", "", rules)
    return re.sub(r"(?m)^svg ", ".irev ", rules)


def require_drawable(ending: str) -> None:
    """Raise what drawing would raise for such a file, to be told before a long computation."""
    if ending not in ENDINGS:
        known = ", ".join(f".{each}" for each in ENDINGS[:-1])
        called = f"called '.{ending}'" if ending else "whose name has no ending"
        raise UsageError(
            f"no figure can be written to a file {called}",
            remedy=f"name one that ends in {known} or .{ENDINGS[-1]}",
        )
    if ending in CONVERTED and find_spec("vl_convert") is None:
        raise IrevError(
            f"vl-convert-python is needed to write .{ending} files",
            remedy="pip install vl-convert-python, or name a file that ends in .svg",
        )
