"""Curves of runs: measures by cutoff, precision against recall, and values against what runs take.

A run is dominated by another one that is at least as good and takes no more, and is better or takes less. The others
are the Pareto front: whoever picks a run picks one of them.
"""

from __future__ import annotations

import math
from bisect import bisect_left
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace

from irev.base.directions import Direction, directed, usual
from irev.base.errors import InputError, UsageError, option, shown
from irev.base.settings import Settings
from irev.base.text import and_more, counted, decoded, named
from irev.evaluation.curves import (
    AGAINST_EACH_OTHER,
    CUTOFF,
    LINES,
    NIST,
    ONE_QUERY,
    POINTS,
    RECALL_PRECISION,
    ROC,
    STEPS_BEFORE,
    TRADEOFF,
    Axis,
    Curve,
    CurvePicture,
    Point,
    crossings,
)
from irev.evaluation.result import Outcome
from irev.evaluation.scores import evaluate
from irev.measures import Request, parse
from irev.measures.parameters import Cutoffs
from irev.ranking.ranked import Ranked
from irev.reading.lists import Resources

CUTOFFS = (
    *(1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 12, 15, 20, 25, 30, 40, 50, 60, 70, 80, 90, 100),
    *(120, 150, 200, 250, 300, 400, 500, 600, 700, 800, 900, 1000),
)
"""Where measures are looked at, unless other cutoffs are asked for."""

DEFAULT_MEASURES = ("nDCG", "P", "R")

AXES = {
    AGAINST_EACH_OTHER: (
        ("R", "P"),
        (Axis("recall", "recall at k", 0.0, 1.0), Axis("precision", "precision at k", 0.0, 1.0)),
        "Precision at k against recall at k, each the mean over queries, for each k. Not interpolated.",
    ),
    ROC: (
        ("Fallout", "R"),
        (Axis("fallout", "fallout at k", 0.0, 1.0), Axis("recall", "recall at k", 0.0, 1.0)),
        "ROC curve among judged documents: recall at k, the true positive rate, against fallout at k, the false "
        "positive rate, each the mean over queries, for each k. Unjudged documents are left out: in a whole "
        "collection the false positive rate is close to 0 everywhere. The curve depends on which documents were "
        "judged not relevant.",
    ),
}
"""For each kind of two measures against each other: their names, x before y, the axes, and how to read it."""

_DEPTH = parse(["num_ret"])[0]


def at(request: Request, k: int) -> Request:
    """A measure at a cutoff, whatever its own is. Raises `UsageError` for one that takes none."""
    measure = request.measure
    if isinstance(measure.parameter, Cutoffs):
        return replace(request, value=measure.parameter.read((k,))[0])
    if request.k is not None or measure.cut == "depth":
        return replace(request, k=k)
    if not measure.cut:
        raise UsageError(f"measure '{measure.name}' takes no cutoff", remedy="name one that does, such as nDCG or P")
    return parse([f"{request.standard}@{k}"])[0]


def curve_name(request: Request) -> str:
    """What a measure is called at any cutoff: ``nDCG@k``."""
    return at(request, 1).standard.removesuffix("1") + "k"


def without_cutoffs(names: Iterable[str]) -> tuple[Request, ...]:
    """The measures that names stand for, at cutoff 1, once each.

    Raises `UsageError` for a name that has a cutoff of its own, and for a measure that takes none.
    """
    found = []
    for name in names:
        for request in (several := parse([name])):
            parameter = request.measure.parameter
            own = request.cutoff is not None and (
                not isinstance(parameter, Cutoffs) or tuple(r.value for r in several) != parameter.defaults
            )
            if own:
                fact = f"{request.standard} has a cutoff, but this picture has every cutoff"
                raise UsageError(
                    fact, remedy=f"give the measure without a cutoff: {curve_name(request).removesuffix('@k')}"
                )
            found.append(at(request, 1))
    return tuple(dict.fromkeys(found))


def cutoff_requests(names: Iterable[str] = (), cutoffs: Sequence[int] = CUTOFFS) -> tuple[Request, ...]:
    """What to evaluate for curves by cutoff: every measure at every cutoff, and how much each query retrieves."""
    measures = without_cutoffs(names or DEFAULT_MEASURES)
    return (*(at(each, k) for each in measures for k in cutoffs), _DEPTH)


def depth(outcomes: Sequence[Outcome]) -> int:
    """Where the shallowest run ends: of every run the longest ranking counts, and of these the shortest.

    Beyond it a run would be drawn that has nothing there. Rankings that the settings cut, or without unjudged
    documents, are as long as that left them.
    """
    longest = []
    for outcome in outcomes:
        retrieved = next(column.values for column in outcome.scores.columns if column.request == _DEPTH)
        longest.append(int(retrieved.max(initial=0)))
    return min(longest, default=0)


def by_cutoff(outcomes: Sequence[Outcome]) -> tuple[CurvePicture, ...]:
    """Every measure by cutoff, a picture for each.

    Parameters
    ----------
    outcomes : sequence of Outcome
        Evaluations with all `cutoff_requests`, on the same queries.

    Returns
    -------
    tuple of Curves
        For each run the points (k, value of the measure at k), for the cutoffs up to `depth`. Each value is of its own
        ideal ranking, that of the first k ranks, which is why nDCG@k may fall and rise.
    """
    ends = depth(outcomes)
    families: dict[Request, list[Request]] = {}
    for column in outcomes[0].scores.columns:
        k = column.request.cutoff
        if k is not None and column.request.measure.kind != "text":
            kept = families.setdefault(at(column.request, 1), [])
            kept += [column.request] if k <= ends else []
    values = _values(outcomes)
    found = []
    for first, members in families.items():
        curves = tuple(
            Curve(outcome.run, tuple(Point(float(each.cutoff or 0), of[each]) for each in members))
            for outcome, of in zip(outcomes, values, strict=True)
        )
        share = first.better == "higher" and first.measure.kind == "real"
        name = curve_name(first)
        found.append(
            CurvePicture(
                CUTOFF,
                name,
                "",
                Axis("k", "cutoff k", logarithmic=True),
                Axis("value", name, 0.0 if share else None),
                curves,
                LINES,
                " ".join((f"{name}: {_over(first)}.", *_ideal(first), *_end(outcomes, ends))),
                crossings(curves, "rank"),
            )
        )
    return tuple(found)


def _over(request: Request) -> str:
    """How the value for all queries is made, where it is the mean; otherwise that it is one."""
    return "mean over queries" if request.measure.summary == "mean" and not request.aggregate else "for all queries"


def _ideal(request: Request) -> list[str]:
    """What is said of measures that have an ideal ranking."""
    return ["The ideal ranking is computed for each k."] if request.measure.graded else []


def _end(outcomes: Sequence[Outcome], ends: int) -> list[str]:
    """What is said where cutoffs lie beyond the end."""
    last = max((column.request.cutoff or 0 for column in outcomes[0].scores.columns), default=0)
    if last <= ends:
        return []
    return [
        f"Beyond rank {ends:,}, where the {'shallowest run' if len(outcomes) > 1 else 'run'} ends, curves "
        "are not drawn."
    ]


def against_each_other(outcomes: Sequence[Outcome], kind: str = AGAINST_EACH_OTHER) -> CurvePicture:
    """Two measures at k against each other, both averaged over queries for each k: precision against recall, which is
    not the eleven-point curve, or recall against fallout.

    Parameters
    ----------
    outcomes : sequence of Outcome
        Evaluations with the requests for the two names of `AXES`, on the same queries.
    kind : str
        One of `AXES`.

    Returns
    -------
    Curves
        For each run the points (mean of x at k, mean of y at k), labelled by k, for the cutoffs up to `depth`.
    """
    ends = depth(outcomes)
    names, axes, caption = AXES[kind]
    across, up = without_cutoffs(names)
    columns = [each.request for each in outcomes[0].scores.columns if each.request.cutoff is not None]
    cutoffs = [each.cutoff or 0 for each in columns if at(each, 1) == up]
    curves = tuple(
        Curve(
            outcome.run,
            tuple(Point(of[at(across, k)], of[at(up, k)], str(k)) for k in cutoffs if k <= ends),
        )
        for outcome, of in zip(outcomes, _values(outcomes), strict=True)
    )
    return CurvePicture(
        kind,
        "",
        "",
        *axes,
        curves,
        LINES,
        " ".join((caption, *_end(outcomes, ends))),
        labels="k",
        equal=kind == ROC,
    )


def _values(outcomes: Sequence[Outcome]) -> list[dict[Request, float]]:
    """Of every outcome the value of each request for all queries."""
    return [
        {
            column.request: float(value)
            for column, value in zip(outcome.scores.columns, outcome.summary.values, strict=True)
            if isinstance(value, float | int)
        }
        for outcome in outcomes
    ]


# Precision against recall

_POINTS = tuple(f"{tenth / 10:.1f}" for tenth in range(11))


def recall_requests(rule: str | None = None) -> tuple[Request, ...]:
    """What to evaluate for it: ``iprec_at_recall`` at 0.0, 0.1 … 1.0, by trec_eval's rule unless `NIST` is said."""
    inside = f"(rule={rule})" if rule else ""
    return parse([f"IPrec{inside}@{point}" for point in _POINTS])


def recall_precision(outcomes: Sequence[Outcome], settings: Settings, rule: str | None = None) -> CurvePicture:
    """The curve of every run.

    Parameters
    ----------
    outcomes : sequence of Outcome
        Evaluations with all `recall_requests`, on the same queries.
    settings : Settings
        How they were made: trec_eval 10.0 and 9.0.8 have a rule each.
    rule : str, optional
        As it was for `recall_requests`.

    Returns
    -------
    Curves
        For each run the points (recall, precision), recall being 0, 0.1 … 1 and precision the mean over queries of the
        highest precision at that recall or a higher one, 0 for a query that never reaches it.
    """
    wanted = recall_requests(rule)
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
        have another. Beside it stand ``found``, the number of points, and ``R``.

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
    notes = () if total else ("No document is judged relevant, so there is no precision or recall.",)
    return CurvePicture(
        ONE_QUERY,
        "",
        f"query {decoded(query)}, {counted(total, 'relevant document')}",
        Axis("recall", "recall", 0.0, 1.0),
        Axis("precision", "precision", 0.0, 1.0),
        tuple(curves),
        STEPS_BEFORE,
        "Precision at the rank of each relevant document, not interpolated. The area below the steps is AP.",
        notes,
        more=("rank",),
        given=(("query", decoded(query)),),
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


# Values against what runs take

FRONT, DOMINATED = "Pareto front", "dominated"

_NAMED = 12
"""So many dominated runs are named with a run that dominates them."""


def dominating(values: Sequence[float], costs: Sequence[float], higher: bool, dear: bool = False) -> list[int | None]:
    """For each run another one that dominates it, the best of these, and of equals the cheapest; None on the front.

    `higher` and `dear` say whether higher values, and higher costs, are better. A run whose value is not a number is
    neither on the front nor dominates any: -1.
    """
    signed = [value if higher else -value for value in values]
    costs = [-cost if dear else cost for cost in costs]
    found: list[int | None] = []
    for value, cost in zip(signed, costs, strict=True):
        if math.isnan(value):
            found.append(-1)
            continue
        above = [
            place
            for place, (other, less) in enumerate(zip(signed, costs, strict=True))
            if other >= value and less <= cost and (other, less) != (value, cost)
        ]
        found.append(min(above, key=lambda place: (-signed[place], costs[place])) if above else None)
    return found


def direction_of(resources: Resources, asked: str) -> tuple[str, str, Direction]:
    """The column and the statistic that a text such as ``latency:p99`` or ``qps:higher`` names, and which value is the
    better one. Raises `UsageError` where neither the text nor the name of the column says it."""
    name, better = (asked, None) if asked in resources.columns else directed(asked)
    column, statistic = resources.column(name)
    better = better or usual(column)
    if better is None:
        fact = f"it is not known whether a lower or a higher {column} is better"
        ways = " or ".join(option("against", f"{name}:{each}") for each in ("lower", "higher"))
        raise UsageError(fact, remedy=f"write {ways}")
    return column, statistic, better


def tradeoff(outcomes: Sequence[Outcome], request: Request, resources: Resources, asked: str) -> CurvePicture:
    """A measure against what the runs took, a point for each run, the cheapest first."""
    column, statistic, better = direction_of(resources, asked)
    against = f"{column}:{statistic}" if statistic else column
    place = [column.request for column in outcomes[0].scores.columns].index(request)
    names = [outcome.run for outcome in outcomes]
    values = [float(outcome.summary.values[place]) for outcome in outcomes]  # type: ignore[arg-type]
    costs = [resources.value(run, against) for run in names]
    by = dominating(values, costs, request.better != "lower", better == "higher")
    shown = resources.shown(against)
    points = [
        Point(cost, value, run, (int(beaten is not None), *(resources.value(run, each) for each in shown)))
        for cost, value, run, beaten in zip(costs, values, names, by, strict=True)
    ]
    parts = [
        Curve(name, tuple(sorted((points[n] for n, beaten in enumerate(by) if (beaten is None) is front), key=_cost)))
        for name, front in ((FRONT, True), (DOMINATED, False))
    ]
    beaten = [(names[n], names[one]) for n, one in enumerate(by) if one is not None and one >= 0]
    said = "; ".join(f"{named(run)} by {named(other)}" for run, other in beaten[:_NAMED])
    more = and_more(len(beaten), _NAMED)
    measured = f" {against} is computed over the queries in {named(resources.name)}." if statistic else ""
    return CurvePicture(
        TRADEOFF,
        request.standard,
        f"against {against}",
        Axis(against, against),
        Axis("value", request.standard),
        tuple(part for part in parts if part.points),
        POINTS,
        f"A point for each run; {better} {column} is better. {FRONT}: no other run is at least "
        f"as good in both, and better in one.{measured}",
        notes=(f"Dominated: {said}{more}.",) if beaten else ("No run is dominated.",),
        labels="run",
        more=(DOMINATED, *shown),
    )


def _cost(point: Point) -> tuple[float, float]:
    return point.x, point.y
