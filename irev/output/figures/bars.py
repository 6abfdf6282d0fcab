"""Bars: a value for each of some names, above and below zero."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import NamedTuple

from irev.base.text import named
from irev.errors import IrevError

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
        raise IrevError("there is nothing to draw", remedy="it has no values for single queries or ranks")
    return drawn


def picture_of(sets: Sequence[Bars], ending: str, caption: str) -> bytes:
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
        figure = Figure(figsize=(8.0, 2.4 * len(drawn) + 0.3), layout="constrained", facecolor="white")
        for axes, bars in zip(figure.subplots(len(drawn), 1, squeeze=False)[:, 0], drawn, strict=True):
            places = range(len(bars.values))
            colours = [picture.ABOVE if value > 0 else picture.BELOW for value in bars.values]
            axes.bar(places, bars.values, width=0.8 if len(places) <= MOST_NAMES else 1.0, color=colours, linewidth=0)
            axes.axhline(0, color=picture.INK, linewidth=0.8)
            axes.set_title(named(bars.title))
            names = [named(name) for name in bars.names] if len(bars.names) <= MOST_NAMES else []
            axes.set_xticks(range(len(names)), names, rotation=90)
            if not names:
                axes.set_xlabel(f"{len(places):,} queries")
        figure.supxlabel(named(caption), fontsize=8)
        return picture.saved(figure, ending, caption)


def _finite(bars: Bars) -> Bars:
    kept = [place for place, value in enumerate(bars.values) if math.isfinite(value)]
    return Bars(bars.title, tuple(bars.names[i] for i in kept), tuple(bars.values[i] for i in kept))
