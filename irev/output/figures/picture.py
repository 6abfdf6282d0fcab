"""Figures by matplotlib: means with their intervals above, bars for single queries below; and what all pictures share.

Nothing of matplotlib's global state is used or left changed: no pyplot, and a style that does not depend on anyone's
settings. Names are never read as formulas. Text in SVG is text, which can be searched, copied and read aloud. Signs
that the usual font lacks, as those of Chinese, Japanese and Korean, are drawn with another font of the machine; where
there is none, a warning says so.
"""

from __future__ import annotations

import io
import math
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
from irev.base.text import decoded, named
from irev.output import terminal
from irev.output.figures.panels import Panel, admitted, by_measure, one_baseline, pair, reach, span, subject, thinned
from irev.output.pages.html import literal
from irev.output.report import Form

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure, SubFigure

ABOVE, BELOW, INK, _SHADE = "#0072b2", "#d55e00", "#333333", "#e3e3e3"
"""Blue and orange that the colour-blind tell apart, and that differ when printed in grey."""

LINE = 0.17
_ROW = 0.1
_AXIS = 0.75
_BARS = 2.1
"""Sizes in inches: of a line of text, what is between rows, what is around them, and bars."""

LABEL, TITLE, CAPTION = 34, 96, 135
"""Signs in a line: of a label at the left, a title as wide as the figure, a caption."""

_LINES = 3
"""No name has more lines."""

_ACROSS = 3
"""No more bars stand side by side."""

MOST_APART = 800
"""More bars than this cannot be told apart."""

_IDENTIFIED = 20
"""So many queries are called by their names."""

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


def picture(panels: Sequence[Panel], form: Form, caption: str) -> bytes:
    """The figure as ``svg``, ``png`` or ``pdf``."""
    with own_style():
        return saved(_drawn(panels, caption, form), form, caption)


def saved(figure: Figure, form: Form, caption: str) -> bytes:
    """A figure that was drawn in `own_style` as the content of a file; the same figure gives the same bytes."""
    from matplotlib.text import Text

    file = io.BytesIO()
    for text in figure.findobj(Text):
        text.set_text(isolated(text.get_text()))
    if form.ending != "svg":  # whose text is drawn by the fonts of whoever looks at it
        supply(figure)
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


def _drawn(panels: Sequence[Panel], caption: str, form: Form) -> Figure:
    intervals, bars, notes = admitted(panels)
    groups = by_measure(intervals)
    heights = [_forest_height(group, form) for group in groups.values()]
    across = 1 if form.narrow else _across(bars)
    down = math.ceil(len(bars) / across)
    title = form.title // across
    titles = [_pair(panel, title) for panel in bars]
    if any(panel.interval for panel in intervals):
        notes.insert(0, "A dot is filled where zero is outside its interval.")
    below = (_BARS + LINE * max(title.count("\n") for title in titles)) * down
    figure, (top, middle) = stacked([total(np.array(heights)), below], (caption, *notes), form)
    upper = top.subplots(len(groups), 1, squeeze=False, height_ratios=heights)
    for axes, (measure, group) in zip(upper[:, 0], groups.items(), strict=True):
        _draw_intervals(axes, measure, group, form)
    lower = middle.subplots(down, across, squeeze=False)
    reaches = {measure: reach(group) for measure, group in by_measure(bars).items()}
    for axes, about, panel in zip(lower.flat, titles, bars, strict=False):
        measure = named(panel.measure)
        axes.set_title(f"{wrapped(measure, title)}\n{about}")
        _draw_bars(axes, panel, reaches[measure], form)
    for axes in lower.flat[len(bars) :]:
        axes.set_axis_off()
    for axes in (*upper.flat, *lower.flat):
        unclip(axes)
    return figure


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


def _across(panels: list[Panel]) -> int:
    """How many bars stand side by side: those of a measure, where that is possible."""
    most = max(map(len, by_measure(panels).values()))
    return most if most <= _ACROSS else 2 if most == 4 else _ACROSS


def _pair(panel: Panel, width: int) -> str:
    """What is subtracted from what, on one line or several."""
    whole = pair(panel)
    if len(whole) <= width:
        return whole
    return f"{wrapped(named(panel.run), width)}\n− {wrapped(named(panel.baseline), width - 2)}"


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


# Means with their intervals


def _labels(panels: list[Panel], form: Form) -> list[str]:
    if one_baseline(panels):
        return [wrapped(named(panel.run), form.signs(LABEL)) for panel in panels]
    return [isolated(_pair(panel, form.signs(LABEL))) for panel in panels]


def _forest_height(panels: list[Panel], form: Form) -> float:
    labels = _labels(panels, form)
    lines = sum(text.count("\n") + 1 for text in labels)
    return _AXIS + _ROW * len(labels) + LINE * lines


def _draw_intervals(axes: Axes, measure: str, panels: list[Panel], form: Form) -> None:
    labels = _labels(panels, form)
    sizes = np.array([_ROW + LINE * (text.count("\n") + 1) for text in labels])
    places = np.cumsum(sizes) - sizes / 2
    margin = panels[0].margin
    if margin is not None:
        axes.axvspan(-margin, margin, color=_SHADE, linewidth=0, zorder=0)
    axes.axvline(0, color=INK, linewidth=0.8, zorder=1)
    low, high = span(panels)
    room = high - low
    for place, panel in zip(places, panels, strict=True):
        colour = ABOVE if panel.mean > 0 else BELOW if panel.mean < 0 else INK
        if not math.isfinite(panel.mean):
            axes.annotate(panel.endless, (0, place), (4, 0), textcoords="offset points", va="center")
            continue
        if panel.interval is not None:
            axes.plot(panel.interval, [place, place], color=colour, linewidth=1.6, solid_capstyle="butt", zorder=2)
            axes.plot(panel.interval, [place, place], color=colour, linestyle="", marker="|", markersize=6, zorder=2)
        else:
            right = panel.mean
            axes.annotate("no interval", (right, place), (6, 0), textcoords="offset points", va="center", alpha=0.7)
        clear = panel.interval is not None and (panel.interval[0] > 0 or panel.interval[1] < 0)
        face = colour if clear else "white"
        axes.plot([panel.mean], [place], color=colour, marker="o", markersize=5, markerfacecolor=face, zorder=3)
    axes.set_xlim(low - 0.05 * room, high + 0.05 * room)
    axes.set_ylim(float(sizes.sum()), 0)
    axes.set_yticks(places, labels)
    axes.tick_params(axis="y", length=0)
    axes.spines["left"].set_visible(False)
    axes.set_title(wrapped(measure, form.title), fontweight="bold")
    shade = f"; shaded: within {margin:g}" if margin is not None else ""
    axes.set_xlabel(wrapped(subject(panels) + shade, form.signs(LABEL + TITLE) // 2))


# Single queries


def short(query: str) -> str:
    """The name of a query, the middle of a long one left out."""
    name = named(query)
    return name if len(name) <= _QUERY else f"{name[: _QUERY // 2]}…{name[-(_QUERY // 2) :]}"


def _draw_bars(axes: Axes, panel: Panel, most: float, form: Form) -> None:
    values = panel.finite
    count = len(values)
    axes.set_xlabel(panel.counts)
    names = [short(decoded(panel.queries[place])) for place in panel.order] if count <= _IDENTIFIED else []
    bars_on(axes, thinned(values, MOST_APART) if values.any() else values[:0], count, most or 1, names)
    if not values.any():
        axes.text(0.5, 0.75, panel.still if count else "no query", transform=axes.transAxes, ha="center")
        axes.set_yticks([0])
    elif math.isfinite(panel.mean):
        mean_on(axes, panel.mean, form.size(7))


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
