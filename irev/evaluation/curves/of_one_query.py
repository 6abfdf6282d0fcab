"""One query without interpolation: precision at every relevant document that a run retrieves."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Mapping, Sequence
from itertools import combinations

from irev.base.text import counted, decoded, named
from irev.errors import InputError, shown
from irev.evaluation.curves.curve import STEPS_BEFORE, Axis, Curve, Curves, Point
from irev.evaluation.curves.kinds import ONE_QUERY
from irev.evaluation.scores import evaluate
from irev.measures import parse
from irev.ranking.ranked import Ranked

AP = parse(["AP"])
"""What is shown beside a curve."""

_MOST_PAIRS = 6
"""Of so many pairs of runs it is said where they cross; where there are more, of those with the first run."""

_MOST_CROSSINGS = 3
"""Of two that cross more often, it is said how often."""


def of_one_query(runs: Mapping[str, Ranked], query: bytes) -> Curves:
    """The curve of every run for one query.

    Parameters
    ----------
    runs : mapping of str to Ranked
        Rankings with that query, under the same judgments and settings.
    query : bytes

    Returns
    -------
    Curves
        For each run the points (i / R, i / k_i) for its i-th relevant document at rank k_i, R being all that are
        relevant, with k_i as ``rank``; none where nothing relevant is retrieved or R is 0. Joined by steps of which
        each has the height of its right end, so that the area below them is ``AP``, to rounding; straight lines would
        have another. Beside it stand ``found``, the number of points, and ``R``. The notes say where curves cross.

    Raises
    ------
    InputError
        When a run has no ranking for the query.
    """
    curves = []
    for name, ranked in runs.items():
        place = bisect_left(ranked.queries, query)
        if place == len(ranked.queries) or ranked.queries[place] != query:
            raise InputError(f"query {shown(query)} does not count: it has no judgments or no results")
        curves.append(_curve(name, ranked.part(place, place + 1)))
    total = int(curves[0].values["R"] or 0)
    crossings = _crossings(curves, total)
    notes = [] if total else ["No document is judged relevant: there is no precision or recall to draw."]
    return Curves(
        ONE_QUERY,
        "",
        f"query {decoded(query)}, {counted(total, 'relevant document')}",
        Axis("recall", "recall", 0.0, 1.0),
        Axis("precision", "precision", 0.0, 1.0),
        tuple(curves),
        STEPS_BEFORE,
        "Precision at the rank of each relevant document, not interpolated. The area below the steps is AP.",
        (*notes, *(said for said, _ in crossings)),
        more=("rank",),
        given=(("query", decoded(query)),),
        marks=tuple(sorted({place for _, places in crossings for place in places})),
    )


def _curve(name: str, ranked: Ranked) -> Curve:
    total = int(ranked.relevant_total[0])
    points = tuple(
        Point(i / total, precision, "", (rank,))
        for i, (rank, precision) in enumerate(
            zip(ranked.relevant_rank.tolist(), ranked.relevant_precision.tolist(), strict=True), start=1
        )
    )
    area = float(evaluate(ranked, AP).columns[0].values[0])
    return Curve(name, points, {"AP": area, "found": len(points), "R": total})


def _crossings(curves: Sequence[Curve], total: int) -> list[tuple[str, list[float]]]:
    """A sentence on each pair of curves that cross, and at which points of recall they do."""
    pairs = list(combinations(curves, 2))
    if len(pairs) > _MOST_PAIRS:
        pairs = [(curves[0], other) for other in curves[1:]]
    return [found for one, other in pairs if (found := _crossing(one, other, total))[0]]


def _crossing(one: Curve, other: Curve, total: int) -> tuple[str, list[float]]:
    """Where two curves cross: steps of i / R on which one is higher, and after them such on which the other is."""
    heights = [[point.y for point in curve.points] + [0.0] * total for curve in (one, other)]
    higher: list[tuple[int, Curve]] = []  # the last step of each stretch, and whose it is
    for i in range(max(len(one.points), len(other.points))):
        first, second = heights[0][i], heights[1][i]
        if first != second:
            best = one if first > second else other
            if higher and higher[-1][1] is best:
                higher.pop()
            higher.append((i + 1, best))
    places = [last / total for last, _ in higher[:-1]]
    if not places:
        return "", []
    if len(places) > _MOST_CROSSINGS:
        return f"The curves of {named(one.name)} and {named(other.name)} cross {len(places)} times.", places
    stretches = [f"of {named(best.name)} below recall {places[0]:.2f}" for _, best in higher[:1]]
    stretches += [
        f"of {named(best.name)} from {before:.2f} to {after:.2f}"
        for before, after, (_, best) in zip(places, places[1:], higher[1:], strict=False)
    ]
    stretches.append(f"of {named(higher[-1][1].name)} above {places[-1]:.2f}")
    return f"The curves cross: precision {', '.join(stretches[:-1])} and {stretches[-1]} is higher.", places
