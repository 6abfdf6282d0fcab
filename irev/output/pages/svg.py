"""Pictures of curves in SVG, written by hand: axes, lines, steps, bars, and names where lines end.

Colours are classes, of which the style of the page has eight for light and for dark, that people tell apart who do not
see all of them; further curves have dashes, and every curve has its name at its end. Coordinates have three digits, so
that values can be read back from them to the fifth.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence

from irev.base.text import named
from irev.errors import decimal
from irev.evaluation.curves.curve import BARS, LINES, STEPS_AFTER, STEPS_BEFORE, Axis, Curves, Point
from irev.output.pages.html import Attributes, Markup, isolated, joined, tag

WIDTH, HEIGHT = 560, 320
LEFT, RIGHT, TOP, BOTTOM = 52, 118, 12, 44
COLOURS = 8
MARKED = 40
"""Points of a curve up to which each has a mark, unless there are more curves than colours."""

_APART = 12.5
"""Pixels between names at the ends of lines."""

_DASHES = (None, "6 3", "2 2", "8 2 2 2")

Scale = Callable[[float], float]


def drawn(curves: Curves, extra: str = "") -> Markup:
    """A figure: the picture, with its caption below; nothing where no point can be drawn."""
    points = [point for curve in curves.curves for point in curve.points if _finite(point)]
    if not points:
        return Markup()
    x_ends = _ends(curves.x, [point.x for point in points])
    if curves.drawn == BARS:  # each has room of its own
        x_ends = x_ends[0] - 0.5, x_ends[1] + 0.5
    values = [point.y for point in points] + ([0.0] if curves.drawn == BARS else [])
    y_ends = _ends(curves.y, values)
    x = _scale(x_ends, LEFT, WIDTH - RIGHT, curves.x.logarithmic)
    y = _scale(y_ends, HEIGHT - BOTTOM, TOP, False)
    parts = [_axes(curves, x, y, x_ends, y_ends)]
    ends: list[tuple[float, float, str, int]] = []
    for number, curve in enumerate(curves.curves):
        kept = [point for point in curve.points if _finite(point)]
        if not kept:
            continue
        if curves.drawn == BARS:
            above, below = ([point for point in kept if side * point.y > 0] for side in (1, -1))
            for kind, some in (("up", above), ("down", below)):
                if some:
                    parts.append(tag("path", {"class": f"bars {kind}", "d": _bars(some, x, y)}))
            continue
        kind, dash = f"s{number % COLOURS}", _DASHES[number // COLOURS % len(_DASHES)]
        line: Attributes = {"class": f"curve {kind}", "d": _path(kept, curves.drawn, x, y), "stroke-dasharray": dash}
        parts.append(tag("path", line, tag("title", None, named(curve.name))))
        if len(kept) <= MARKED and len(curves.curves) <= COLOURS:
            dots = "".join(f"M{x(point.x):.3f} {y(point.y):.3f}h0" for point in kept)
            parts.append(tag("path", {"class": f"dots {kind}", "d": dots}))
        last = kept[-1]
        ends.append((y(last.y), x(last.x), named(curve.name), number))
    parts += _names(ends)
    said = curves.caption + extra
    about = f"{curves.y.title} by {curves.x.title}" + (f": {named(curves.about)}" if curves.about else "")
    picture = tag(
        "svg",
        {"viewBox": f"0 0 {WIDTH} {HEIGHT}", "width": WIDTH, "height": HEIGHT, "role": "img", "aria-label": about},
        parts,
    )
    caption = tag("figcaption", None, isolated(named(curves.about) + ". ") if curves.about else None, isolated(said))
    return tag("figure", None, picture, caption)


def _finite(point: Point) -> bool:
    return math.isfinite(point.x) and math.isfinite(point.y)


def _ends(axis: Axis, values: Sequence[float]) -> tuple[float, float]:
    """Where an axis begins and ends; never at one place."""
    low = min(values) if axis.low is None else axis.low
    high = max(values) if axis.high is None else axis.high
    if axis.low is not None and axis.low == 0.0 and axis.high is None and 0 <= high <= 1:
        high = 1.0
    if low == high:
        return (low, low * 10) if axis.logarithmic else (low - 0.5, high + 0.5)
    return low, high


def _scale(ends: tuple[float, float], begin: float, stop: float, logarithmic: bool) -> Scale:
    low, high = map(math.log, ends) if logarithmic else ends

    def place(value: float) -> float:
        at = math.log(value) if logarithmic else value
        return begin + (at - low) / (high - low) * (stop - begin)

    return place


def _path(points: Sequence[Point], joined_by: str, x: Scale, y: Scale) -> str:
    places = [(x(point.x), y(point.y)) for point in points]
    first, *others = places
    path = f"M{first[0]:.3f} {first[1]:.3f}"
    for at, up in others:
        if joined_by == LINES:
            path += f"L{at:.3f} {up:.3f}"
        elif joined_by == STEPS_AFTER:
            path += f"H{at:.3f}V{up:.3f}"
        elif joined_by == STEPS_BEFORE:
            path += f"V{up:.3f}H{at:.3f}"
        else:
            path += f"M{at:.3f} {up:.3f}"
    return path


def _bars(points: Sequence[Point], x: Scale, y: Scale) -> str:
    """Bars that stand on zero, or hang from it."""
    zero, half = y(0.0), max(min(x(1.0) - x(0.0), 24.0) * 0.4, 0.2)
    places = [(x(point.x), y(point.y)) for point in points]
    return "".join(f"M{at - half:.3f} {zero:.3f}V{up:.3f}H{at + half:.3f}V{zero:.3f}z" for at, up in places)


def _axes(curves: Curves, x: Scale, y: Scale, x_ends: tuple[float, float], y_ends: tuple[float, float]) -> Markup:
    bottom, right = HEIGHT - BOTTOM, WIDTH - RIGHT
    base = f"{y(0.0) if curves.drawn == BARS else bottom:.3f}"
    parts = []
    for value in _ticks(y_ends, False):
        at = f"{y(value):.3f}"
        parts.append(tag("line", {"class": "grid", "x1": LEFT, "x2": right, "y1": at, "y2": at}))
        parts.append(_text(LEFT - 6, y(value) + 4, decimal(value), "axis y", "end"))
    if curves.drawn != BARS:
        for value in _ticks(x_ends, curves.x.logarithmic):
            parts.append(_text(x(value), bottom + 16, decimal(value), "axis x", "middle"))
    parts.append(tag("line", {"class": "base", "x1": LEFT, "x2": right, "y1": base, "y2": base}))
    parts.append(_text((LEFT + right) / 2, HEIGHT - 8, curves.x.title, "name", "middle"))
    parts.append(
        tag(
            "text",
            {"class": "name", "transform": f"translate(13 {(TOP + bottom) // 2}) rotate(-90)", "text-anchor": "middle"},
            curves.y.title,
        )
    )
    return joined(parts)


def _ticks(ends: tuple[float, float], logarithmic: bool) -> list[float]:
    """Round numbers between the ends of an axis."""
    low, high = ends
    if logarithmic:
        tens = range(math.floor(math.log10(low)), math.ceil(math.log10(high)) + 1)
        found = [float(f"{digit}e{ten}") for ten in tens for digit in (1, 2, 5)]
        return [value for value in found if low <= value <= high]
    rough = (high - low) / 5
    ten = math.floor(math.log10(rough))
    step = next(float(f"{digit}e{ten}") for digit in (1, 2, 5, 10) if float(f"{digit}e{ten}") >= rough * 0.999)
    first, last = math.ceil(low / step - 1e-9), math.floor(high / step + 1e-9)
    return [round(number * step, 12) + 0.0 for number in range(first, last + 1)]


def _names(ends: Sequence[tuple[float, float, str, int]]) -> list[Markup]:
    """The names of curves where they end, apart from each other."""
    found = []
    room = HEIGHT - BOTTOM - TOP
    apart = min(_APART, room / max(len(ends), 1))
    at = -math.inf
    placed = []
    for y, x, name, number in sorted(ends):
        at = max(y, at + apart)
        placed.append((at, x, name, number))
    over = (placed[-1][0] - (HEIGHT - BOTTOM)) if placed else 0.0
    below = math.inf
    for at, _, name, number in reversed(placed):
        at = min(at, HEIGHT - BOTTOM, below - apart) if over > 0 else at
        below = at
        short = name if len(name) <= 17 else f"{name[:16]}…"
        text: Attributes = {"class": f"label s{number % COLOURS}", "x": WIDTH - RIGHT + 8, "y": f"{at + 4:.1f}"}
        found.append(tag("text", text, short))
    return found[::-1]


def _text(x: float, y: float, text: str, kind: str, anchor: str) -> Markup:
    return tag("text", {"class": kind, "x": f"{x:.1f}", "y": f"{y:.1f}", "text-anchor": anchor}, text)
