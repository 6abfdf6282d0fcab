"""Figures: curves of any kind; and of comparisons, mean differences with their intervals, and the differences of single
queries, sorted.

A figure is a picture (SVG, PNG, PDF, by matplotlib, the extra ``plot``), a page with the picture and its numbers, or
plain text, which needs nothing. It can be read without colours: which run is better shows in the side of the line at
zero that something stands on. The same panels give the same bytes.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, TypeVar

from irev.base.errors import IrevError, UsageError, escaped, without_orders
from irev.output.figures.panels import Panel, text
from irev.output.report import Form

if TYPE_CHECKING:
    from irev.evaluation.curves import Curves

T = TypeVar("T")

__all__ = ["ENDINGS", "PICTURES", "Form", "Panel", "figure", "figure_of_curves", "require_drawable", "text"]

PICTURES = ("svg", "png", "pdf")
ENDINGS = (*PICTURES, "html", "txt")
"""Endings of the names of files that a figure can be written to."""


def figure(panels: Sequence[Panel], form: Form, caption: str) -> bytes:
    """A figure as the content of a file.

    Parameters
    ----------
    panels : sequence of Panel
        What it shows. Of very many some are left out, and the caption says so.
    form : Form
        What kind of file it is, and how wide.
    caption : str
        What is said about it.

    Raises
    ------
    UsageError
        There is no such kind of file.
    IrevError
        There is no panel, or matplotlib is not installed.
    """
    from irev.output.figures.page import page
    from irev.output.figures.picture import picture

    if not panels:
        raise IrevError("there is nothing to draw", remedy="a figure takes two runs and a measure")
    return file_of(panels, form, caption, "Differences between runs", text, picture, page)


def figure_of_curves(charts: Sequence[Curves], form: Form, caption: str, heading: str) -> bytes:
    """A figure of curves as the content of a file: the same for `irev.evaluation.curves`.

    Parameters
    ----------
    charts : sequence of Curves
        At least one; what there is no room for is left out, and the caption says so.
    form : Form
        What kind of file it is, and how wide.
    caption : str
        What is said about all of them: which queries count, and under which settings.
    heading : str
        What the figure is called, where it is a page.

    Raises
    ------
    UsageError, IrevError
        As `figure` does.
    """
    from irev.output.figures.chart_picture import picture
    from irev.output.figures.chart_text import text as lines
    from irev.output.figures.page import curves_page

    return file_of(charts, form, caption, heading, lines, picture, curves_page)


def file_of(
    shown: T,
    form: Form,
    caption: str,
    heading: str,
    text: Callable[[T, str], str],
    picture: Callable[[T, Form, str], bytes],
    page: Callable[[T, bytes, str], bytes],
) -> bytes:
    """A figure of what is shown as the content of a file: as text and as a picture with its caption, or as a page
    around the picture with its heading. Raises what `require_drawable` raises."""
    require_drawable(form.ending)
    caption = escaped(caption)
    if form.ending == "txt":
        return without_orders(text(shown, caption)).encode("utf-8")
    if form.ending == "html":
        return page(shown, picture(shown, form._replace(ending="svg"), caption), escaped(heading))
    return picture(shown, form, caption)


def require_drawable(ending: str) -> None:
    """Raise what `figure` would raise for such a file, to be told before a long computation."""
    if ending not in ENDINGS:
        known = ", ".join(f".{each}" for each in ENDINGS[:-1])
        called = f"called '.{ending}'" if ending else "whose name has no ending"
        raise UsageError(
            f"no figure can be written to a file {called}",
            remedy=f"name one that ends in {known} or .{ENDINGS[-1]}",
        )
    if ending != "txt":
        try:
            import matplotlib  # noqa: F401
        except ImportError:
            raise IrevError(
                "matplotlib is needed to draw figures",
                remedy="pip install matplotlib, or name a file that ends in .txt for a figure in plain text",
            ) from None
