"""Interpolated precision at eleven points of recall, averaged over queries: the curve that TREC prints."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Mapping, Sequence

from irev.base.errors import InputError, shown
from irev.base.settings import Settings
from irev.base.text import counted, decoded, named
from irev.evaluation.curves import (
    LINES,
    MOST_CROSSINGS,
    NIST,
    ONE_QUERY,
    RECALL_PRECISION,
    STEPS_BEFORE,
    Axis,
    Curve,
    CurvePicture,
    Point,
    crossings,
    pairs_of,
)
from irev.evaluation.result import Outcome
from irev.evaluation.scores import evaluate
from irev.measures import Request, parse
from irev.ranking.ranked import Ranked

_POINTS = tuple(f"{tenth / 10:.1f}" for tenth in range(11))


def requests(rule: str | None = None) -> tuple[Request, ...]:
    """What to evaluate for it: ``iprec_at_recall`` at 0.0, 0.1 … 1.0, by trec_eval's rule unless `NIST` is said."""
    inside = f"(rule={rule})" if rule else ""
    return parse([f"IPrec{inside}@{point}" for point in _POINTS])


def recall_precision(outcomes: Sequence[Outcome], settings: Settings, rule: str | None = None) -> CurvePicture:
    """The curve of every run.

    Parameters
    ----------
    outcomes : sequence of Outcome
        Evaluations with all `requests`, on the same queries.
    settings : Settings
        How they were made: trec_eval 10.0 and 9.0.8 have a rule each.
    rule : str, optional
        As it was for `requests`.

    Returns
    -------
    Curves
        For each run the points (recall, precision), recall being 0, 0.1 … 1 and precision the mean over queries of the
        highest precision at that recall or a higher one, 0 for a query that never reaches it.
    """
    wanted = requests(rule)
    curves = []
    for outcome in outcomes:
        values = dict(zip([column.request for column in outcome.scores.columns], outcome.summary.values, strict=True))
        points = (Point(float(each.value.value), float(values[each] or 0.0)) for each in wanted)
        curves.append(Curve(outcome.run, tuple(points)))
    return CurvePicture(
        RECALL_PRECISION,
        "",
        "",
        Axis("recall", "recall", 0.0, 1.0),
        Axis("precision", "interpolated precision", 0.0, 1.0),
        tuple(curves),
        LINES,
        "Interpolated precision at eleven points of recall, mean over queries; straight lines only connect the "
        f"points. {_rule(settings, rule)}",
        crossings(curves, "recall"),
    )


def _rule(settings: Settings, rule: str | None) -> str:
    if rule == NIST:
        return "Rule of NIST: the highest precision at any rank where recall is at least x."
    if settings.single_precision:
        return (
            "Rule of trec_eval 9.0.8: the highest precision from recall x on, where the number of relevant "
            "documents is x · R + 0.9, rounded down."
        )
    return (
        "Rule of trec_eval 10.0: the highest precision from recall x on, where the number of relevant "
        "documents is x · R, rounded to the nearest whole number."
    )


AP = parse(["AP"])
"""What is shown beside a curve."""


def of_one_query(runs: Mapping[str, Ranked], query: bytes) -> CurvePicture:
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
    found = _crossings(curves, total)
    notes = [] if total else ["No document is judged relevant, so there is no precision or recall."]
    return CurvePicture(
        ONE_QUERY,
        "",
        f"query {decoded(query)}, {counted(total, 'relevant document')}",
        Axis("recall", "recall", 0.0, 1.0),
        Axis("precision", "precision", 0.0, 1.0),
        tuple(curves),
        STEPS_BEFORE,
        "Precision at the rank of each relevant document, not interpolated. The area below the steps is AP.",
        (*notes, *(said for said, _ in found)),
        more=("rank",),
        given=(("query", decoded(query)),),
        marks=tuple(sorted({place for _, places in found for place in places})),
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
    return [found for one, other in pairs_of(curves) if (found := _crossing(one, other, total))[0]]


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
    if len(places) > MOST_CROSSINGS:
        return f"The curves of {named(one.name)} and {named(other.name)} cross {len(places)} times.", places
    stretches = [f"of {named(best.name)} below recall {places[0]:.2f}" for _, best in higher[:1]]
    stretches += [
        f"of {named(best.name)} from {before:.2f} to {after:.2f}"
        for before, after, (_, best) in zip(places, places[1:], higher[1:], strict=False)
    ]
    stretches.append(f"of {named(higher[-1][1].name)} above {places[-1]:.2f}")
    return f"The curves cross: precision {', '.join(stretches[:-1])} and {stretches[-1]} is higher.", places
