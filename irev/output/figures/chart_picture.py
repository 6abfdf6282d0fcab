"""Curves by matplotlib. Each has a colour that colour-blind eyes tell apart, markers and a name at its end."""

from __future__ import annotations

import math
import textwrap
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

import numpy as np

from irev.base.text import named
from irev.evaluation.curves import (
    BARS,
    BOXES,
    LINES,
    POINTS,
    STEPS_AFTER,
    STEPS_BEFORE,
    TRADEOFF,
    Curve,
    CurvePicture,
    Point,
)
from irev.output.figures import picture as drawing
from irev.output.figures.charts import (
    TOUCH,
    admitted,
    apart,
    by_name,
    captions,
    coinciding,
    finite,
    left_out,
    limits,
    points_called,
    points_to_name,
    prominent,
    ranks_on,
    said_of_names,
    several,
    stated,
    thinned,
    title,
)
from irev.output.report import Form

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure, SubFigure


COLOURS = ("#0072b2", "#d55e00", "#009e73", "#cc79a7", "#333333", "#e69f00", "#56b4e9", "#8c6d31")
"""Those of Okabe and Ito, without a yellow that white paper hides; the ninth curve has the first, and is dashed."""

_DASHES: tuple[tuple[int, tuple[float, ...]], ...] = ((0, ()), (0, (5, 2)), (0, (1, 1.5)))
_MARKERS = "osD^vPX*"

_HEIGHTS = {LINES: 3.7, STEPS_BEFORE: 3.7, STEPS_AFTER: 3.4, BARS: 2.3, POINTS: 4.3}
_BOX, _ABOVE = 0.32, 0.9
"""Sizes in inches."""

_NAME = 26
"""Signs in a line of a name at the end of a curve."""

_MARKED = 60
"""Curves of more points have no markers."""

_NAMED = 40
"""More bars are not called by their names."""

_DOT = 16.0
_THIN, _WIDER, _FAINT = 1.3, 0.8, 0.6
_SIGNS = 7.5
"""Sizes in points."""

_NARROWER = 0.7
"""Width of lines in narrow pictures, as a share of the usual width."""

_OTHERS = "#c4c4c4"
"""The colour of curves without a name."""

_FLAT = 0.75
"""How high a narrow picture is, as a share of its width."""

_BESIDE = 2
"""So many names stand beside each other below it."""

_WIDE_APART = 0.12
"""Names of points in it have to be so far apart, as a share of the axes."""

_FEW = 4
"""So many curves have lines of different widths."""


def picture(charts: Sequence[CurvePicture], form: Form, caption: str) -> bytes:
    """The figure as ``svg``, ``png`` or ``pdf``."""
    with drawing.own_style():
        return drawing.saved(_drawn(charts, caption, form), form, " ".join(captions(charts, caption)))


def _drawn(charts: Sequence[CurvePicture], caption: str, form: Form) -> Figure:
    shown, notes = admitted(charts)
    rows = _rows(shown, form)
    heights = [max(height(chart, form) for chart in row) for row in rows]
    notes += notes_on(shown)
    figure, parts = drawing.stacked(heights, (*captions(shown, caption), *notes), form)
    for part, row in zip(parts, rows, strict=True):
        for place, beside in zip(row, part.subfigures(1, _across(row[0], form), squeeze=False)[0], strict=False):
            draw(beside, place, form)
    return figure


def notes_on(charts: Sequence[CurvePicture]) -> list[str]:
    """Sentences on signs in pictures."""
    notes = []
    dots = [chart for chart in charts if chart.drawn == BOXES or (chart.drawn == POINTS and not _by_name(chart))]
    if dots:
        whose = several(dots[0]) if dots[0].labels else "queries"
        notes.append(f"Dots are single {whose}; larger dots are several at the same place.")
    notes += said_of_names(charts)
    if any("low" in curve.values for chart in charts for curve in chart.curves):
        notes.append("Dashed: the mean; grey: its interval.")
    return notes


def _across(chart: CurvePicture, form: Form) -> int:
    """How many such pictures stand side by side."""
    return 2 if chart.drawn == POINTS and not form.narrow else 1


def _rows(charts: Sequence[CurvePicture], form: Form) -> list[list[CurvePicture]]:
    """Pictures that stand side by side; all of a figure are of one kind."""
    across = _across(charts[0], form) if charts else 1
    return [list(charts[begin : begin + across]) for begin in range(0, len(charts), across)]


def height(chart: CurvePicture, form: Form) -> float:
    """Inches of a picture."""
    if not any(finite(curve.points) for curve in chart.curves):
        return 1.2
    notes = drawing.LINE * len(_lines_below(chart, form))
    if chart.drawn == BOXES:
        return _ABOVE + _BOX * len(chart.curves) + notes
    if form.narrow and chart.drawn in (LINES, STEPS_BEFORE, STEPS_AFTER):
        return _FLAT * form.width + notes + drawing.LINE * math.ceil(len(prominent(chart)) / _BESIDE)
    return min(_HEIGHTS[chart.drawn], form.width) + notes


def draw(part: SubFigure, chart: CurvePicture, form: Form) -> None:
    """Draw a picture into its part of a figure."""
    axes = part.subplots()
    axes.set_title(drawing.wrapped(title(chart), form.title), fontweight="bold")
    below = _lines_below(chart, form)
    if not any(finite(curve.points) for curve in chart.curves):
        axes.set_axis_off()
        axes.text(0.0, 0.5, "\n".join(["There is nothing to draw.", *below]), transform=axes.transAxes, va="center")
        return
    how: dict[str, Callable[[Axes, CurvePicture, Form], None]] = {BARS: _bars, BOXES: _boxes, POINTS: _dots}
    how.get(chart.drawn, _lines)(axes, chart, form)
    axes.set_xlabel("\n".join([drawing.wrapped(named(chart.x.title), form.signs(drawing.TITLE)), *below]))
    drawing.unclip(axes)


def _lines_below(chart: CurvePicture, form: Form) -> list[str]:
    """What is said below a picture, in lines as wide as it is."""
    return [line for note in _below(chart) if form.notes for line in textwrap.wrap(note, form.signs(drawing.TITLE))]


def _below(chart: CurvePicture) -> list[str]:
    """What is said below a picture: its notes, and the values of its curves, where these are no part of names."""
    found = list(chart.notes)
    for curve in (chart.curves[place] for place in prominent(chart)):
        said = [left_out(curve)]
        if chart.drawn in (BARS, POINTS):
            said.insert(0, stated(chart, curve))
        words = "; ".join(filter(None, said))
        if words:
            found.append(words if len(chart.curves) == 1 else f"{named(curve.name)}: {words}")
    return found


def _limit(axes: Axes, chart: CurvePicture, narrow: bool) -> None:
    (left, right), (low, high) = limits(chart)
    room = 0.02 * (high - low)
    axes.set_ylim(low - room, high + room)
    if chart.x.logarithmic:
        axes.set_xscale("log")
        axes.set_xlim(left, right)
        ranks = ranks_on(left, right, narrow)
        axes.set_xticks(ranks, [f"{rank:,}" for rank in ranks])
        axes.set_xticks([], minor=True)
    else:
        aside = 0.01 * (right - left)
        axes.set_xlim(left - aside, right + aside)


# Lines and steps


def _lines(axes: Axes, chart: CurvePicture, form: Form) -> None:
    _limit(axes, chart, form.narrow)
    axes.set_ylabel(drawing.wrapped(named(chart.y.title), 40))
    axes.grid(color="#e3e3e3", linewidth=0.6)
    axes.set_axisbelow(True)
    for number, mark in enumerate(chart.marks, start=1):
        line = axes.axvline(mark, color=drawing.INK, linewidth=0.8, linestyle=(0, (2, 2)))
        line.set_gid(f"mark-{number}")
    shown = prominent(chart)
    for place, curve in enumerate(chart.curves):
        if place not in shown and (points := finite(curve.points)):
            (line,) = axes.plot(*_corners(chart, points), color=_OTHERS, linewidth=_FAINT, zorder=2.2)
            line.set_gid(f"curve-{place + 1}")
    thin, ends = _THIN * (_NARROWER if form.narrow else 1.0), []
    for place, number in enumerate(shown):
        curve = chart.curves[number]
        points = finite(curve.points)
        if not points:
            ends.append((0.0, 0.0, place, curve))
            continue
        colour, dash = COLOURS[place % len(COLOURS)], _DASHES[place // len(COLOURS) % len(_DASHES)]
        marker = _MARKERS[place % len(_MARKERS)] if len(points) <= _MARKED else None
        x, y = _corners(chart, points)
        # Where few curves coincide, those below stick out; in a narrow picture they would be far too thick.
        wide = thin + (_WIDER * (len(shown) - 1 - place) if len(chart.curves) <= _FEW and not form.narrow else 0.0)
        (line,) = axes.plot(x, y, color=colour, linestyle=dash, linewidth=wide, solid_joinstyle="miter", zorder=2.5)
        line.set_gid(f"curve-{number + 1}")
        if marker and chart.drawn != STEPS_AFTER:
            axes.plot(
                [point.x for point in points],
                [point.y for point in points],
                color=colour,
                linestyle="",
                marker=marker,
                markersize=2.5 * thin + wide,
                zorder=3,
            )
        ends.append((x[-1], y[-1], place, curve))
    for point in points_to_name(chart, _WIDE_APART if form.narrow else TOUCH):
        axes.annotate(
            drawing.short(point.label),
            (point.x, point.y),
            (0, 4),
            textcoords="offset points",
            ha="center",
            fontsize=form.size(6.5),
            color=COLOURS[0],
        )
    if form.narrow:
        _list(axes, chart, [chart.curves[place] for place in shown], form)
    else:
        _name(axes, chart, ends)


def _list(axes: Axes, chart: CurvePicture, shown: Sequence[Curve], form: Form) -> None:
    """The name of each curve below the picture, with a piece of it."""
    from matplotlib.lines import Line2D

    pieces = []
    for place, curve in enumerate(shown):
        marker = _MARKERS[place % len(_MARKERS)]
        marked = len(finite(curve.points)) <= _MARKED and chart.drawn != STEPS_AFTER
        look = _DASHES[place // len(COLOURS) % len(_DASHES)]
        colour = COLOURS[place % len(COLOURS)]
        pieces.append(
            Line2D([], [], color=colour, linestyle=look, linewidth=_THIN, marker=marker if marked else "", markersize=4)
        )
    axes.figure.legend(
        pieces,
        [drawing.wrapped(named(curve.name), form.signs(drawing.TITLE) // _BESIDE - 4) for curve in shown],
        loc="outside lower left",
        ncols=_BESIDE,
        frameon=False,
        fontsize=form.size(_SIGNS),
        borderaxespad=0.0,
        columnspacing=1.0,
        handlelength=2.4,
    )


def _corners(chart: CurvePicture, points: Sequence[Point]) -> tuple[list[float], list[float]]:
    """Where a line has to go."""
    if chart.drawn == LINES:
        return [point.x for point in points], [point.y for point in points]
    (left, right), (low, _) = limits(chart)
    x, y = [left], [points[0].y if chart.drawn == STEPS_BEFORE else low]
    for point in points:
        # Before: up or down to the height of the step that begins, then along it. After: along, then up.
        x += [x[-1], point.x] if chart.drawn == STEPS_BEFORE else [point.x, point.x]
        y += [point.y, point.y] if chart.drawn == STEPS_BEFORE else [y[-1], point.y]
    if chart.drawn == STEPS_AFTER:
        x.append(right)
        y.append(y[-1])
    return x, y


def _name(axes: Axes, chart: CurvePicture, ends: Sequence[tuple[float, float, int, Curve]]) -> None:
    """The name of each curve at the right, as high as its end or so, with its colour, and a thin line to it."""
    (_, _), (low, high) = limits(chart)
    line = drawing.LINE / (_HEIGHTS[chart.drawn] - _ABOVE)
    labels = [_label(chart, curve) for _, _, _, curve in ends]
    if line * sum(label.count("\n") + 1 for label in labels) > 1:
        labels = [drawing.wrapped(named(curve.name), _NAME) for _, _, _, curve in ends]
    lines = [label.count("\n") + 1 for label in labels]
    line *= (smaller := min(1.0, 1 / (line * sum(lines))))
    wanted = [(y - low) / (high - low) for _, y, _, _ in ends]
    if chart.drawn == STEPS_AFTER:  # all end at 1
        wanted = [0.0 if curve.values["median"] is None else -(curve.values["median"]) for _, _, _, curve in ends]
        wanted = [1 - sorted(wanted).index(each) / len(wanted) for each in wanted]
    heights = apart(wanted, [line * count for count in lines])
    for (x, y, place, curve), label, at in zip(ends, labels, heights, strict=True):
        colour = COLOURS[place % len(COLOURS)]
        to = {
            "arrowstyle": "-",
            "color": colour,
            "linewidth": 0.6,
            "shrinkA": 0,
            "shrinkB": 3,
        }
        leads = bool(finite(curve.points)) and chart.drawn != STEPS_AFTER
        sample = not leads or len(ends) > len(COLOURS)  # of the line, where colours alone do not tell them apart
        begin, stop = (1.05, 1.1) if leads else (1.02, 1.045)
        if leads:
            axes.annotate("", (x, y), (begin, at), textcoords="axes fraction", arrowprops=to, annotation_clip=False)
        if sample:
            axes.plot(
                [begin, stop],
                [at, at],
                transform=axes.transAxes,
                clip_on=False,
                color=colour,
                linewidth=1.3,
                linestyle=_DASHES[place // len(COLOURS) % len(_DASHES)],
                marker=_MARKERS[place % len(_MARKERS)] if leads and len(curve.points) <= _MARKED else None,
                markevery=[1],
                markersize=3.2,
            )
        axes.annotate(
            label,
            (stop if sample else begin, at),
            (3, 0),
            xycoords="axes fraction",
            textcoords="offset points",
            va="center",
            color=colour,
            fontsize=_SIGNS * smaller,
            annotation_clip=False,
        )


def _label(chart: CurvePicture, curve: Curve) -> str:
    said = stated(chart, curve)
    return drawing.wrapped(named(curve.name), _NAME) + (f"\n{said}" if said else "")


# Bars


def _bars(axes: Axes, chart: CurvePicture, form: Form) -> None:
    (curve,) = chart.curves
    points = finite(curve.points)
    _, (_, most) = limits(chart)
    axes.set_ylabel(drawing.wrapped(named(chart.y.title), 30))
    names = [drawing.short(point.label) for point in points] if len(points) <= _NAMED else []
    values = np.array([point.y for point in points])
    if (np.diff(values) <= 0).all():
        values = thinned(values, drawing.MOST_APART)
    drawing.bars_on(axes, values, len(points), most, names)
    mean, bottom, top = (curve.values.get(name) for name in ("mean", "low", "high"))
    if "low" in curve.values and mean is not None and math.isfinite(mean):
        drawing.mean_on(axes, mean, 8.0)
        if bottom is not None and top is not None and math.isfinite(top - bottom):
            axes.axhspan(bottom, top, color="#999999", alpha=0.3, linewidth=0, zorder=1)


# Boxes


def _boxes(axes: Axes, chart: CurvePicture, form: Form) -> None:
    shown = chart.curves
    (left, right), _ = limits(chart)
    aside = 0.01 * (right - left)
    axes.set_xlim(left - aside, right + aside)
    axes.set_ylim(len(shown) - 0.4, -0.6)
    for place, curve in enumerate(shown):
        colour = COLOURS[place % len(COLOURS)]
        ends = [curve.values[name] for name in ("lowest", "q25", "median", "q75", "highest")]
        if all(end is not None and math.isfinite(end) for end in ends):
            first, low, middle, high, last = (end or 0.0 for end in ends)
            axes.plot([first, low], [place, place], color=colour, linewidth=1.2)
            axes.plot([high, last], [place, place], color=colour, linewidth=1.2)
            axes.barh(place, high - low, left=low, height=0.5, facecolor="white", edgecolor=colour, linewidth=1.2)
            axes.plot([middle, middle], [place - 0.25, place + 0.25], color=colour, linewidth=2.4)
        counts = _counts(curve)
        axes.scatter(
            list(counts),
            [place] * len(counts),
            s=[_DOT * count for count in counts.values()],
            color=colour,
            alpha=0.45,
            linewidth=0,
            zorder=3,
        )
    axes.set_yticks(range(len(shown)), [drawing.wrapped(named(curve.name), form.signs(_NAME)) for curve in shown])
    axes.tick_params(axis="y", length=0)


def _counts(curve: Curve) -> dict[float, int]:
    """How many queries have each value, from the shares of those up to it."""
    queries = int(curve.values["queries"] or 0)
    before, counts = 0, {}
    for point in curve.points:
        so_far = round(point.y * queries)
        if math.isfinite(point.x):
            counts[point.x] = so_far - before
        before = so_far
    return counts


# Points


def _by_name(chart: CurvePicture) -> bool:
    return all(by_name(chart, curve) for curve in chart.curves)


def _dots(axes: Axes, chart: CurvePicture, form: Form) -> None:
    (left, right), (low, high) = limits(chart)
    for set_limits, first, last in ((axes.set_xlim, left, right), (axes.set_ylim, low, high)):
        aside = 0.03 * (last - first)
        set_limits(first - aside, last + aside)
    if chart.equal:
        axes.set_aspect("equal")
        axes.plot([left, right], [low, high], color=drawing.INK, linewidth=0.8, linestyle=(0, (4, 3)), zorder=1)
    if chart.zeros:
        axes.axhline(0, color=drawing.INK, linewidth=0.8, zorder=1)
        axes.axvline(0, color=drawing.INK, linewidth=0.8, zorder=1)
    axes.set_ylabel(drawing.wrapped(named(chart.y.title), 40))
    if chart.kind == TRADEOFF:  # what can be had up to the next point
        front = finite(chart.curves[0].points)
        axes.step([each.x for each in front], [each.y for each in front], where="post", color=COLOURS[0], linewidth=0.8)
    called = points_called(chart) if _by_name(chart) else []
    for place, curve in enumerate(chart.curves):
        points = finite(curve.points)
        counts = coinciding(points)
        faint = coinciding(point for point in points if _by_name(chart) and point not in called)
        axes.scatter(
            [x for x, _ in counts],
            [y for _, y in counts],
            s=[_DOT * count for count in counts.values()],
            color=[_OTHERS if at in faint else COLOURS[place % len(COLOURS)] for at in counts],
            alpha=0.6,
            linewidth=0,
            zorder=2,
        )
        for (x, y), count in counts.items():
            if count > 1 and not _by_name(chart):
                axes.annotate(f"{count:,}", (x, y), (5, 4), textcoords="offset points", fontsize=form.size(6.5))
        if _by_name(chart):
            for number, point in enumerate(
                sorted((each for each in points if each in called), key=lambda each: each.y)
            ):
                left_of = number % 2  # so that names of neighbours do not touch
                axes.annotate(
                    drawing.short(point.label),
                    (point.x, point.y),
                    (-5 if left_of else 5, 6 if chart.kind == TRADEOFF else 0),
                    textcoords="offset points",
                    ha="right" if left_of else "left",
                    va="center",
                    fontsize=form.size(_SIGNS),
                )
