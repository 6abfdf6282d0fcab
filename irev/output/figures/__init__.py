"""Figures as files: of curves of any kind; `bars` has forest plots, of mean differences and their intervals.

A figure is a picture (SVG, PNG, PDF, by matplotlib, the extra ``plot``); a self-contained HTML page with the picture
and a table of its numbers, for readers who cannot see it; or plain text. It can be read without colours: the side of
the line at zero shows which run is better. The same data give the same bytes.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from typing import TYPE_CHECKING, NamedTuple, TypeVar

from irev.base.errors import IrevError, UsageError, escaped, without_orders
from irev.base.text import named
from irev.output.pages.html import literal, plain_page
from irev.output.report import Form

if TYPE_CHECKING:
    from irev.evaluation.curves import CurvePicture

T = TypeVar("T")

__all__ = ["ENDINGS", "PICTURES", "Form", "figure_of_curves", "require_drawable"]

PICTURES = ("svg", "png", "pdf")
ENDINGS = (*PICTURES, "html", "txt")
"""Endings of the names of files that a figure can be written to."""


def figure_of_curves(charts: Sequence[CurvePicture], form: Form, caption: str, heading: str) -> bytes:
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
        What `require_drawable` raises.
    """
    from irev.output.figures.chart_picture import picture
    from irev.output.figures.charts import text as lines

    return file_of(charts, form, caption, heading, lines, picture, points_of)


class FigureNumbers(NamedTuple):
    """The numbers of a figure: the names of columns, the places of those that hold numbers, and rows of texts."""

    columns: tuple[str, ...]
    numbers: Collection[int]
    rows: Iterable[Sequence[str]]


def points_of(charts: Sequence[CurvePicture]) -> FigureNumbers:
    """The points of all curves."""
    from irev.output.figures.charts import title

    first = charts[0]
    rows = (
        (*map(named, (title(chart), curve.name, point.label)), repr(point.x), repr(point.y))
        for chart in charts
        for curve in chart.curves
        for point in curve.points
    )
    return FigureNumbers(("picture", "curve", first.labels, first.x.name, first.y.name), {3, 4}, rows)


def file_of(
    shown: T,
    form: Form,
    caption: str,
    heading: str,
    text: Callable[[T, str], str],
    picture: Callable[[T, Form, str], bytes],
    numbers: Callable[[T], FigureNumbers],
) -> bytes:
    """A figure of what is shown as the content of a file: as text and as a picture with its caption, or as a page
    around the picture with its heading and its numbers. Raises what `require_drawable` raises."""
    require_drawable(form.ending)
    caption = escaped(caption)
    if form.ending == "txt":
        return without_orders(text(shown, caption)).encode("utf-8")
    if form.ending == "html":
        return _page(escaped(heading), picture(shown, form._replace(ending="svg"), caption), numbers(shown))
    return picture(shown, form, caption)


def require_drawable(ending: str) -> None:
    """Raise what drawing would raise for such a file, to be told before a long computation."""
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


_LABELS = 3
"""Number of first columns that say what a row is about."""

_STYLE = """\
:root { color-scheme: light; font-family: system-ui, sans-serif; }
body { margin: 1.5em; }
figure { margin: 0; max-width: 60em; }
svg { width: 100%; height: auto; }
table { border-collapse: collapse; margin-top: 1em; }
th, td { padding: 0.2em 0.8em; text-align: left; font-weight: normal; white-space: pre-wrap; }
thead th { font-weight: bold; border-bottom: 1px solid; }
.number { text-align: right; font-variant-numeric: tabular-nums; }"""


def _page(heading: str, svg: bytes, table: FigureNumbers) -> bytes:
    """The page around a picture, which already has the caption."""
    drawing = svg[svg.index(b"<svg") :].decode("utf-8").rstrip()
    return plain_page(heading, _STYLE, _body(drawing, table))


def _body(drawing: str, table: FigureNumbers) -> Iterator[str]:
    columns, numbers, rows = table
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


def _class(number: bool) -> str:
    return ' class="number"' if number else ""
