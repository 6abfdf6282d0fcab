"""Where curves cross that are drawn over the same places, such as cutoffs: neither run is better throughout there."""

from __future__ import annotations

import math
from collections.abc import Sequence
from itertools import combinations

from irev.base.text import named
from irev.evaluation.curves.curve import Curve

MOST_PAIRS = 6
"""Of so many pairs of runs it is said where they cross; where there are more, of those with the first run."""

MOST_CROSSINGS = 3
"""Of two that cross more often, it is said how often."""

_EQUAL = 1e-12


def pairs_of(curves: Sequence[Curve]) -> list[tuple[Curve, Curve]]:
    """The pairs of curves of which it is said where they cross."""
    pairs = list(combinations(curves, 2))
    return [(curves[0], other) for other in curves[1:]] if len(pairs) > MOST_PAIRS else pairs


def crossings(curves: Sequence[Curve], across: str) -> tuple[str, ...]:
    """A sentence on each pair of curves that cross, in order: between which places, and which is higher where.

    Parameters
    ----------
    curves : sequence of Curve
        With points at the same places.
    across : str
        What a place is called, such as ``recall``.
    """
    pairs = pairs_of(curves)
    said = tuple(said for one, other in pairs if (said := _crossing(one, other, across)))
    if len(pairs) == math.comb(len(curves), 2):
        return said
    return (*said, f"Of so many runs, only crossings with {named(curves[0].name)} are given.")


def _crossing(one: Curve, other: Curve, across: str) -> str:
    turns: list[tuple[float, float]] = []
    higher: list[Curve] = []
    before = math.nan
    for first, second in zip(one.points, other.points, strict=False):
        apart = first.y - second.y
        if not abs(apart) > _EQUAL:  # equal, or no number
            continue
        best = one if apart > 0 else other
        if higher and higher[-1] is not best:
            turns.append((before, first.x))
        if not higher or higher[-1] is not best:
            higher.append(best)
        before = first.x
    if not turns:
        return ""
    both = f"{named(one.name)} and {named(other.name)}"
    if len(turns) > MOST_CROSSINGS:
        return f"{both} cross {len(turns)} times, first between {_between(*turns[0], across)}."
    where = " and between ".join(_between(*turn, across) for turn in turns)
    begins, ends = named(higher[0].name), named(higher[-1].name)
    said = f"{begins} is higher before, {ends} after" if begins != ends else f"{begins} is higher before and after"
    return f"{both} cross between {where}: {said}."


def _between(low: float, high: float, across: str) -> str:
    return f"{across} {low:g} and {high:g}"
