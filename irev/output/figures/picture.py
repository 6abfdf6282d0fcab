"""Figures by matplotlib: what all pictures share.

Nothing of matplotlib's global state is used or left changed: no pyplot, and a style that does not depend on anyone's
settings. Names are never read as formulas. Text in SVG is text, which can be searched, copied and read aloud. Signs
that the usual font lacks, as those of Chinese, Japanese and Korean, are drawn with another font of the machine; where
there is none, a warning says so.
"""

from __future__ import annotations

import io
import re
import textwrap
import warnings
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

import numpy as np

from irev.base.aggregates import total
from irev.base.errors import IrevWarning, shown
from irev.base.segments import Floats
from irev.base.text import named
from irev.output import terminal
from irev.output.pages.html import literal
from irev.output.report import Form

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure, SubFigure

ABOVE, BELOW, INK, SHADE = "#0072b2", "#d55e00", "#333333", "#e3e3e3"
"""Blue and orange that the colour-blind tell apart, and that differ when printed in grey."""

LINE = 0.17
"""Inches of a line of text."""

LABEL, TITLE, CAPTION = 34, 96, 135
"""Signs in a line: of a label at the left, a title as wide as the figure, a caption."""

_LINES = 3
"""No name has more lines."""

MOST_APART = 800
"""More bars than this cannot be told apart."""

_QUERY = 12
"""Of longer names of queries the middle is left out."""

_STYLE = {
    "svg.hashsalt": "irev",
    "svg.fonttype": "none",
    "pdf.fonttype": 42,
    "text.parse_math": False,
    "font.size": 8,
    "axes.titlesize": 8.5,
    "axes.titlelocation": "left",
    "axes.labelsize": 8,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "axes.edgecolor": INK,
    "axes.labelcolor": INK,
    "xtick.color": INK,
    "ytick.color": INK,
    "text.color": INK,
    "figure.dpi": 100,
    "savefig.dpi": 200,
    "path.simplify": False,
}

_METADATA: dict[str, dict[str, str | None]] = {
    "svg": {"Date": None, "Creator": None},
    "pdf": {"CreationDate": None, "Creator": None, "Producer": None},
    "png": {"Software": None},
}
"""What a file says of itself, without the time at which it was made."""


def saved(figure: Figure, form: Form, caption: str) -> bytes:
    """A figure that was drawn in `own_style` as the content of a file; the same figure gives the same bytes."""
    from matplotlib.text import Text

    file = io.BytesIO()
    for text in figure.findobj(Text):
        text.set_text(isolated(text.get_text()))
    if form.ending != "svg":  # whose text is drawn by the fonts of whoever looks at it
        supply(figure)
    if (layout := figure.get_layout_engine()) is not None:  # its last digits depend on places in memory
        layout.execute(figure)
        figure.set_layout_engine("none")
        for axes in figure.axes:
            axes.set_position(np.round(axes.get_position().bounds, 6).tolist())
    figure.savefig(file, format=form.ending, metadata=_METADATA[form.ending])
    return _titled(file.getvalue(), caption) if form.ending == "svg" else file.getvalue()


@contextmanager
def own_style() -> Iterator[None]:
    """Within it figures are drawn as irev's are, whatever anyone's settings are."""
    import logging

    import matplotlib.style

    # A font that has what another lacks is drawn in the weight that it has.
    fonts = logging.getLogger("matplotlib.font_manager")
    before = fonts.level
    fonts.setLevel(logging.ERROR)
    with matplotlib.style.context(["default", _STYLE]), warnings.catch_warnings():
        # A name in a script that the font lacks is drawn as boxes, and in SVG by the fonts of whoever looks at it.
        warnings.filterwarnings("ignore", message="Glyph .* missing from font")
        try:
            yield
        finally:
            fonts.setLevel(before)


def _titled(svg: bytes, caption: str) -> bytes:
    """With a title for those who have it read to them."""
    title = literal(caption).encode("utf-8", "replace")
    return re.sub(
        rb"<svg ([^>]*)>", lambda tag: b'<svg role="img" %b>\n <title>%b</title>' % (tag[1], title), svg, count=1
    )


def stacked(heights: Sequence[float], said: Iterable[str], form: Form) -> tuple[Figure, list[SubFigure]]:
    """A figure, and parts of it of these heights below each other, below which stands what is said, if it has notes."""
    from matplotlib.figure import Figure

    lines = [line for each in said if form.notes for line in textwrap.wrap(each, form.signs(CAPTION))]
    heights = [*heights, LINE * (len(lines) + 0.5)]
    figure = Figure(figsize=(form.width, total(np.array(heights))), layout="constrained", facecolor="white")
    *parts, foot = figure.subfigures(len(heights), 1, squeeze=False, height_ratios=heights)[:, 0]
    foot.text(0.01, 1.0, "\n".join(lines), va="top", ha="left", linespacing=1.3)
    return figure, parts


def unclip(axes: Axes) -> None:
    """Nothing sticks out of axes, and matplotlib would call a clip by where it is in memory."""
    for artist in (*axes.get_children(), *axes.get_xgridlines(), *axes.get_ygridlines()):
        artist.set_clip_on(False)


def isolated(text: str) -> str:
    """Text with words isolated that run from right to left; matplotlib before 3.11 draws boxes for the signs."""
    import matplotlib

    return terminal.isolated(text) if matplotlib.__version_info__ >= (3, 11) else text


def wrapped(name: str, width: int) -> str:
    """A name on a few lines; of a very long one what is before its end is left out, since ends tell names apart."""
    lines: list[str] = []
    while len(name) > width and len(lines) < _LINES - 1:
        end = max((place for place in range(width // 2, width) if name[place] in "-_./+ "), default=width - 1) + 1
        lines.append(name[:end])
        name = name[end:]
    lines.append(name if len(name) <= width else "…" + name[1 - width :])
    return "\n".join(lines)


# Single queries


def short(query: str) -> str:
    """The name of a query, the middle of a long one left out."""
    name = named(query)
    return name if len(name) <= _QUERY else f"{name[: _QUERY // 2]}…{name[-(_QUERY // 2) :]}"


def bars_on(axes: Axes, values: Floats, count: int, most: float, names: Sequence[str]) -> None:
    """Bars above and below zero, as far as `most`, for `count` queries, with these names or none.

    `values` has one for each query; where there are more than `MOST_APART`, it may be thinned.
    """
    axes.axhline(0, color=INK, linewidth=0.8, zorder=3)
    extent = max(count, 10)
    axes.set_xlim((count - extent) / 2, (count + extent) / 2)
    axes.set_ylim(-1.08 * most, 1.08 * most)
    axes.set_xticks(np.arange(len(names)) + 0.5, names, rotation=90)
    axes.tick_params(axis="x", length=0)
    if count > MOST_APART:
        edges = np.linspace(0, count, len(values) + 1)
        for part, colour in ((np.maximum(values, 0), ABOVE), (np.minimum(values, 0), BELOW)):
            axes.stairs(part, edges, fill=True, color=colour, linewidth=0, zorder=2)
    elif len(values):
        colours, wide = np.where(values > 0, ABOVE, BELOW).tolist(), 0.8 if count <= 100 else 1.0
        axes.bar(np.arange(count) + 0.5, values, width=wide, color=colours, linewidth=0, zorder=2)


def mean_on(axes: Axes, mean: float, size: float) -> None:
    """A dashed line at the mean."""
    axes.axhline(mean, color=INK, linewidth=0.8, linestyle=(0, (4, 3)), zorder=3)
    place: Any = {"xycoords": ("axes fraction", "data"), "textcoords": "offset points"}
    axes.annotate("mean", (1, mean), (2, 0), va="center", fontsize=size, **place)


_USUAL = "DejaVu Sans"
_BEST = ("noto sans cjk", "source han", "wenquanyi", "noto sans", "noto")
"""Families that are tried first, for what they have and how they look."""

_NAMED = 5
"""So many signs are named that no font has."""


def supply(figure: Figure) -> None:
    """Give the texts of a figure fonts that have their signs; those that no font has are an `IrevWarning`."""
    from matplotlib import font_manager
    from matplotlib.text import Text

    known = _signs_of(font_manager.findfont(_USUAL))
    texts: list[Text] = figure.findobj(Text)
    missing = {sign for text in texts for sign in text.get_text() if sign.isprintable() and not sign.isspace()} - known
    if not missing:
        return
    families = [_USUAL]
    for family, path in _ordered((each.name, each.fname) for each in font_manager.fontManager.ttflist):
        if found := missing & _signs_of(path):
            families.append(family)
            missing -= found
        if not missing:
            break
    for text in texts:
        if {*text.get_text()} - known:
            text.set_fontfamily(families)
    if missing:
        several = "".join(sorted(missing)[:_NAMED]) + "…" * (len(missing) > _NAMED)
        warnings.warn(
            f"no font of this machine has {shown(several.encode())}; the figure has boxes in their place: install a"
            " font such as Noto Sans CJK, or make an .svg file",
            IrevWarning,
            stacklevel=2,
        )


def _ordered(fonts: Iterable[tuple[str, str]]) -> list[tuple[str, str]]:
    """A file of each family, the best first."""
    files = {family: path for family, path in sorted(fonts, reverse=True) if not family.startswith("Last Resort")}

    def place(family: str) -> int:
        ranks = [rank for rank, best in enumerate(_BEST) if family.lower().startswith(best)]
        return min(ranks, default=len(_BEST))

    return sorted(files.items(), key=lambda each: (place(each[0]), each[0]))


def _signs_of(path: str) -> set[str]:
    from matplotlib.ft2font import FT2Font

    try:
        return {*map(chr, FT2Font(path).get_charmap())}
    except (RuntimeError, OSError, ValueError):  # a font that cannot be read has none
        return set()
