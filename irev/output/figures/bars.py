"""Bars, one value for each name, above and below zero; and forest plots, several estimates of each number with their
intervals, one below the other."""

from __future__ import annotations

import math
import textwrap
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, NamedTuple

from irev.base.errors import IrevError
from irev.base.text import interval, named, real, signed
from irev.output.figures import FigureNumbers, charts, file_of
from irev.output.report import Form

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from irev.evaluation.curves import CurvePicture


MOST_NAMES = 60
"""From here on bars are too narrow to be called by their names."""

MOST = 20
"""So many sets of bars are drawn."""


class Bars(NamedTuple):
    """A set of bars.

    Attributes
    ----------
    title : str
    names : tuple of str
        What each bar is for, as given.
    values : tuple of float
        How high it is; one that is not finite is left out.
    """

    title: str
    names: tuple[str, ...]
    values: tuple[float, ...]

    def sorted(self) -> Bars:
        """The highest first."""
        order = sorted(range(len(self.values)), key=lambda place: -self.values[place])
        return Bars(self.title, tuple(self.names[i] for i in order), tuple(self.values[i] for i in order))


def drawn_of(sets: Sequence[Bars]) -> list[Bars]:
    """What is drawn of sets of bars. Raises `IrevError` where that is nothing."""
    drawn = [kept for kept in map(_finite, sets[:MOST]) if kept.values]
    if not drawn:
        raise IrevError("there is nothing to draw", remedy="the result has no values for single queries or ranks")
    return drawn


def picture_of(sets: Sequence[Bars], form: Form, caption: str) -> bytes:
    """Sets of bars below each other, as ``svg``, ``png`` or ``pdf``.

    Raises
    ------
    IrevError
        Where there is nothing to draw.
    """
    drawn = drawn_of(sets)
    from matplotlib.figure import Figure

    from irev.output.figures import picture

    with picture.own_style():
        figure = Figure(figsize=(form.width, 2.4 * len(drawn) + 0.3), layout="constrained", facecolor="white")
        for axes, bars in zip(figure.subplots(len(drawn), 1, squeeze=False)[:, 0], drawn, strict=True):
            places = range(len(bars.values))
            colours = [picture.ABOVE if value > 0 else picture.BELOW for value in bars.values]
            axes.bar(places, bars.values, width=0.8 if len(places) <= MOST_NAMES else 1.0, color=colours, linewidth=0)
            axes.axhline(0, color=picture.INK, linewidth=0.8)
            axes.set_title(picture.wrapped(named(bars.title), form.title))
            names = [named(name) for name in bars.names] if len(bars.names) <= MOST_NAMES else []
            axes.set_xticks(range(len(names)), names, rotation=90)
            if not names:
                axes.set_xlabel(f"{len(places):,} queries")
        if form.notes:
            figure.supxlabel(picture.wrapped(named(caption), form.signs(picture.CAPTION)), fontsize=8)
        return picture.saved(figure, form, caption)


def _finite(bars: Bars) -> Bars:
    kept = [place for place, value in enumerate(bars.values) if math.isfinite(value)]
    return Bars(bars.title, tuple(bars.names[i] for i in kept), tuple(bars.values[i] for i in kept))


MOST_ESTIMATED = 24
"""A figure has no more numbers, so that they can be told apart."""

MOST_BELOW = 12
"""Nor more pictures below."""

_DIGITS, _LONGEST = 4, 30
_SIGNS = ("○", "◇", "●")
_MARKERS = ("o", "D", "o")
_ROW, _AROUND = 0.2, 0.75
"""Sizes in inches: of an estimate, and of what is around those of a measure."""


class Estimate(NamedTuple):
    """An estimate by one method, and its interval, if it has one."""

    by: str
    value: float
    interval: tuple[float, float] | None


class Estimated(NamedTuple):
    """A number of which there are several estimates.

    Attributes
    ----------
    title : str
        What it is one of, such as a measure; those of one title stand in one picture, on one scale.
    name : str
        What it is called, safe to show.
    estimates : tuple of Estimate
        The last is the one to believe; all but the last two of more than three have one sign.
    zero : bool
        Whether it is a difference, of which 0 is marked.
    margin : float or None
        A difference that is too small to matter, where one was stated: what is within it is shaded.
    """

    title: str
    name: str
    estimates: tuple[Estimate, ...]
    zero: bool
    margin: float | None = None


class _Forest(NamedTuple):
    numbers: Sequence[Estimated]
    charts: Sequence[CurvePicture]


def figure(
    numbers: Sequence[Estimated], form: Form, caption: str, heading: str, below: Sequence[CurvePicture] = ()
) -> bytes:
    """A forest plot, and pictures of curves below it, as the content of a file of this form.

    Raises
    ------
    UsageError, IrevError
        As `irev.output.figures.figure_of_curves` does, and where there is nothing to draw.
    """
    if not (numbers or below):
        raise IrevError("there is nothing to draw")
    for what, several, most in (("numbers", numbers, MOST_ESTIMATED), ("pictures", below, MOST_BELOW)):
        if len(several) > most:
            caption += f" Only the first {most} of {len(several):,} {what} are drawn."
    forest = _Forest(numbers[:MOST_ESTIMATED], below[:MOST_BELOW])
    return file_of(forest, form, caption, heading, _text, _picture, _numbers)


def _numbers(forest: _Forest) -> FigureNumbers:
    rows = ((of.title, of.name, each.by, worded(of, each)) for of in forest.numbers for each in of.estimates)
    return FigureNumbers(("measure", "run", "by", "estimate"), {3}, rows)


def worded(of: Estimated, each: Estimate) -> str:
    """The value of an estimate, and its interval."""
    word = signed if of.zero else real
    span = "" if each.interval is None else f" {interval(each.interval, _DIGITS, of.zero)}"
    return f"{word(each.value, _DIGITS)}{span}"


def _kind(number: int, of: Estimated) -> int:
    """Which of the signs and colours an estimate has."""
    return max(number + len(_SIGNS) - len(of.estimates), 0)


def by_title(numbers: Sequence[Estimated]) -> dict[str, list[Estimated]]:
    """The numbers of each title."""
    found: dict[str, list[Estimated]] = {}
    for each in numbers:
        found.setdefault(each.title, []).append(each)
    return found


def ends_of(numbers: Sequence[Estimated]) -> tuple[float, float]:
    """From where to where a scale goes."""
    margin = numbers[0].margin or 0.0
    values = [-margin, margin] if numbers[0].zero else []
    for of in numbers:
        for each in of.estimates:
            values += [each.value, *(each.interval or ())]
    low, high = min(values), max(values)
    return (low, high) if high > low else (low - 0.5, high + 0.5)


# Plain text


def _text(forest: _Forest, caption: str) -> str:
    lines = [*_lines(forest.numbers), *charts.drawn(forest.charts, 80), *([""] if forest.charts else [])]
    said = charts.captions(forest.charts, caption)
    return "".join(f"{line}\n" for line in (*lines, *(line for each in said for line in textwrap.wrap(each, 80))))


def _lines(numbers: Sequence[Estimated]) -> Iterator[str]:
    for title, group in by_title(numbers).items():
        margin = group[0].margin
        yield from textwrap.wrap(title + ("" if margin is None else f"; ░ within {margin:g}"), 80)
        low, high = ends_of(group)
        labels = [_label(of, each) for of in group for each in of.estimates]
        beside = max(map(len, labels)) if max(map(len, labels)) <= _LONGEST else 0  # or above
        columns = max(80 - beside - max(len(worded(of, each)) for of in group for each in of.estimates) - 6, 12)
        step = (high - low) / (columns - 1)
        for of in group:
            yield from textwrap.wrap(of.name if len(of.estimates) > 1 else "", 80)
            for number, each in enumerate(of.estimates):
                line = [" "] * columns
                if of.zero:
                    line[round(-low / step)] = "│"
                if each.interval is not None:
                    first, last = (round((end - low) / step) for end in each.interval)
                    line[first : last + 1] = ["┼" if sign == "│" else "─" for sign in line[first : last + 1]]
                    line[first], line[last] = "├", "┤"
                line[round((each.value - low) / step)] = _SIGNS[_kind(number, of)]
                if not beside:
                    yield from (f"  {part}" for part in textwrap.wrap(_label(of, each), 78))
                yield f"  {_label(of, each) if beside else '':{beside}}  {''.join(line)}  {worded(of, each)}"
        if margin is not None:
            first, last = (round((end - low) / step) for end in (-margin, margin))
            yield f"  {'':{beside}}  {' ' * first}{'░' * (last + 1 - first)}"
        yield ""


def _label(of: Estimated, each: Estimate) -> str:
    """Return the name of an estimate: its method, or its subject if it stands alone."""
    return each.by if len(of.estimates) > 1 else ", ".join(filter(None, (of.name, each.by)))


# Pictures


def _picture(forest: _Forest, form: Form, caption: str) -> bytes:
    from irev.output.figures import chart_picture, picture

    groups = by_title(forest.numbers)
    heights = [_AROUND + _ROW * len([each for of in group for each in of.estimates]) for group in groups.values()]
    heights += [chart_picture.height(chart, form) for chart in forest.charts]
    said = charts.captions(forest.charts, caption)
    with picture.own_style():
        drawn, parts = picture.stacked(heights, [*said, *chart_picture.notes_on(forest.charts)], form)
        for part, (title, group) in zip(parts, groups.items(), strict=False):
            axes = part.subplots()
            axes.set_title(picture.wrapped(title, form.title), fontweight="bold")
            _draw(axes, group, form)
        for part, chart in zip(parts[len(groups) :], forest.charts, strict=True):
            chart_picture.draw(part, chart, form)
        return picture.saved(drawn, form, " ".join(said))


def _draw(axes: Axes, group: Sequence[Estimated], form: Form) -> None:
    from irev.output.figures import picture

    colours = (picture.INK, picture.BELOW, picture.ABOVE)
    if (margin := group[0].margin) is not None:
        axes.axvspan(-margin, margin, color=picture.SHADE, linewidth=0, zorder=0)
        axes.set_xlabel(f"shaded: within {margin:g}")
    if group[0].zero:
        axes.axvline(0, color=picture.INK, linewidth=0.8, zorder=1)
    labels, place = [], 0
    for of in group:
        for number, each in enumerate(of.estimates):
            colour = colours[_kind(number, of)]
            if each.interval is not None:
                axes.plot(each.interval, [place, place], color=colour, linewidth=1.6, marker="|", zorder=2)
            face = colour if number == len(of.estimates) - 1 else "white"
            axes.plot(
                [each.value],
                [place],
                color=colour,
                marker=_MARKERS[_kind(number, of)],
                markersize=5,
                markerfacecolor=face,
                zorder=3,
            )
            name = picture.wrapped(of.name, form.signs(picture.LABEL)).replace("\n", "\n" if form.narrow else "")
            labels.append(picture.isolated(", ".join(filter(None, (name if not number else "", each.by)))))
            place += 1
    low, high = ends_of(group)
    room = high - low
    axes.set_xlim(low - 0.05 * room, high + 0.05 * room)
    axes.set_ylim(place - 0.5, -0.5)
    axes.set_yticks(range(place), labels)
    axes.tick_params(axis="y", length=0)
    axes.spines["left"].set_visible(False)
    picture.unclip(axes)
