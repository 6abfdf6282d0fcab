"""What runs reach for what they take: a measure against time, memory or tokens, and the runs that no other run beats.

A run is dominated by another one that is at least as good and takes no more, and is better or takes less. The others
are the Pareto front: whoever picks a run picks one of them.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

from irev.base.directions import Direction, directed, usual
from irev.base.errors import UsageError, option
from irev.base.text import and_more, named
from irev.evaluation.curves import POINTS, TRADEOFF, Axis, Curve, CurvePicture, Point
from irev.evaluation.result import Outcome
from irev.measures import Request
from irev.reading.resources import Resources

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
