"""Agreement: whether two measures, two sets of judgments or two sets of queries order runs alike.

An `Ordering` is the values of all runs, measured in one way; every two orderings are compared with each other.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import combinations
from typing import NamedTuple

import numpy as np

from irev.base.errors import InputError, UsageError, shown
from irev.base.records import dataclass
from irev.base.segments import Floats, mean
from irev.base.text import named
from irev.evaluation.comparison import Aligned
from irev.evaluation.curves import POINTS, Axis, Curve, CurvePicture, Point
from irev.evaluation.curves.by_query import one_scale
from irev.evaluation.result import Outcome
from irev.evaluation.scores import Scores, summarise
from irev.measures import Request
from irev.statistics import correlations
from irev.statistics.rounding import begins

Subset = tuple[str, frozenset[bytes]]
"""A name, and queries."""


@dataclass(frozen=True, eq=False)
class Ordering:
    """Runs as one way of measuring orders them.

    Attributes
    ----------
    name : str
        The way: a measure, and the judgments and queries where there are several.
    values : (k,)
        Of every run, as measured.
    better : str
        ``higher`` or ``lower``.
    queries : int
        How many queries it is over.
    """

    name: str
    values: Floats
    better: str
    queries: int

    @property
    def merit(self) -> Floats:
        """The values, or their negatives where lower is better: the better run has the higher.

        Those that differ by no more than rounding are made equal: the same values of queries, in another order, may
        have another sum.
        """
        values = -self.values if self.better == "lower" else self.values
        order = np.argsort(values, kind="stable")
        new = np.flatnonzero(begins(values[order]))
        merit = np.empty_like(values)
        merit[order] = values[order][new].repeat(np.diff(new, append=len(values)))
        return merit

    @property
    def places(self) -> list[int]:
        """The place of each run, counting from 1; equal ones share the first of theirs."""
        merit = self.merit
        return [int((merit > value).sum()) + 1 for value in merit]


class Agreed(NamedTuple):
    """How far two orderings agree.

    Attributes
    ----------
    first, second : str
        Names of the orderings.
    tau_a, tau_b : float or None
        Kendall's: pairs of runs in the same order less those in opposite order, as a share of all pairs; and, of tau-b,
        of those without ties. None where there is none.
    tau_ap_first, tau_ap_second, tau_ap : float or None
        Yilmaz's form, which weighs the top more, with the first ordering taken as the true one, with the second, and
        the mean of both.
    rbo, rbo_least : float or None
        Rank-biased overlap, and the least that it can be for so many runs.
    swapped, pairs : int
        Pairs of runs that the two order in opposite ways, and all pairs.
    """

    first: str
    second: str
    tau_a: float | None
    tau_b: float | None
    tau_ap: float | None
    tau_ap_first: float | None
    tau_ap_second: float | None
    rbo: float | None
    rbo_least: float | None
    swapped: int
    pairs: int


@dataclass(frozen=True, eq=False)
class Agreement:
    """Orderings of the same runs, and how far every two of them agree.

    Attributes
    ----------
    runs : tuple of str
    orderings : tuple of Ordering
    agreed : tuple of Agreed
    persistence : float
        The parameter p of rank-biased overlap.
    """

    runs: tuple[str, ...]
    orderings: tuple[Ordering, ...]
    agreed: tuple[Agreed, ...]
    persistence: float


def require_orders(requests: Sequence[Request]) -> None:
    """Raise `UsageError` for a measure that has no number for several queries, by which runs could be ordered."""
    for request in requests:
        if not _orders(request):
            raise UsageError(f"{request.standard} has no number to order runs by", remedy="choose another measure")


def _orders(request: Request) -> bool:
    """Whether runs can be ordered by it: unlike what compares queries, it may have no value for a single one."""
    # The number of queries is the same for all.
    ordering = request.measure.summary not in ("none", "queries") or bool(request.aggregate)
    return request.measure.kind != "text" and ordering


def orderings_of(outcomes: Sequence[Outcome], subsets: Sequence[Subset]) -> tuple[tuple[str, ...], list[Ordering]]:
    """The runs of an evaluation, and their orderings: for each set of judgments, measure, and set of queries.

    Parameters
    ----------
    outcomes : sequence of Outcome
        Every run under every set of judgments.
    subsets : sequence of Subset
        Sets of queries; none for all of them together.

    Raises
    ------
    InputError
        For a set with a query that was not evaluated.
    """
    runs = tuple(dict.fromkeys(outcome.run for outcome in outcomes))
    sets = tuple(dict.fromkeys(outcome.qrels for outcome in outcomes))
    found: list[Ordering] = []
    for qrels in sets:
        under = [outcome for outcome in outcomes if outcome.qrels == qrels]
        for subset in subsets or (None,):
            parts = [outcome.scores if subset is None else _part(outcome, subset) for outcome in under]
            summaries = [summarise(part).values for part in parts]
            about = [qrels] * (len(sets) > 1) + ([] if subset is None else [subset[0]])
            for place, column in enumerate(parts[0].columns):
                if _orders(column.request) and summaries[0][place] is not None:
                    values = np.array([float(summary[place] or 0.0) for summary in summaries])
                    better = column.request.better
                    name = ", ".join([column.request.standard, *about])
                    found.append(Ordering(name, values, better, parts[0].considered))
    return runs, found


def orderings_of_systems(aligned: Aligned, subsets: Sequence[Subset]) -> tuple[tuple[str, ...], list[Ordering]]:
    """The same of values that were saved: runs are ordered by the mean over queries."""
    found = []
    for subset in subsets or (None,):
        for measured in aligned.measured:
            kept = list(range(len(measured.queries)))
            if subset is not None:
                _require_known(subset, measured.queries)
                kept = [place for place, query in enumerate(measured.queries) if query in subset[1]]
            values = np.array([mean(column) for column in measured.values[kept].T])
            name = ", ".join([measured.quantity.standard, *([] if subset is None else [subset[0]])])
            found.append(Ordering(name, values, measured.quantity.better, len(kept)))
    return aligned.runs, found


def _part(outcome: Outcome, subset: Subset) -> Scores:
    _require_known(subset, outcome.scores.queries)
    return outcome.scores.of([query in subset[1] for query in outcome.scores.queries])


def _require_known(subset: Subset, queries: Sequence[bytes]) -> None:
    name, wanted = subset
    if unknown := sorted(wanted.difference(queries)):
        raise InputError(f"query {shown(unknown[0])} was not evaluated", name, "list queries that are judged")


def agreement(runs: Sequence[str], found: Sequence[Ordering], persistence: float = 0.9) -> Agreement:
    """Hold every two orderings against each other.

    Raises
    ------
    UsageError
        For fewer than two runs or orderings, and for values that no order can be made of.
    """
    if len(runs) < 2:
        raise UsageError("there is nothing to order", remedy="give at least two runs")
    if len(found) < 2:
        raise UsageError(
            "there is only one ordering", remedy="name two measures, two --qrels, or two sets of queries (--subset)"
        )
    for each in found:
        if np.isnan(each.values).any():
            raise UsageError(f"{each.name} is not a number for some run", remedy="choose another measure")
    agreed = tuple(_agreed(one, other, persistence) for one, other in combinations(found, 2))
    return Agreement(tuple(runs), tuple(found), agreed, persistence)


def _agreed(one: Ordering, other: Ordering, persistence: float) -> Agreed:
    a, b = one.merit, other.merit
    opposite = [
        (i, j)
        for i, j in combinations(range(len(a)), 2)
        if (a[i] > a[j] and b[i] < b[j]) or (a[i] < a[j] and b[i] > b[j])
    ]
    return Agreed(
        one.name,
        other.name,
        correlations.kendall_a(a, b),
        correlations.kendall_b(a, b),
        correlations.tau_ap(a, b),
        correlations.tau_ap_one_way(a, b),
        correlations.tau_ap_one_way(b, a),
        correlations.rbo(a, b, persistence),
        correlations.least_rbo(len(a), persistence),
        len(opposite),
        len(a) * (len(a) - 1) // 2,
    )


def of_agreement(runs: Sequence[str], one: Ordering, other: Ordering, agreed: Agreed) -> CurvePicture:
    """Two orderings of runs, a point for each run."""
    # Under two sets of judgments a measure has one scale; two measures have no more than limits in common.
    equal = one.name.partition(",")[0] == other.name.partition(",")[0]
    low, high = one_scale(one.values, other.values) if equal else (None, None)
    points = tuple(Point(x, y, run) for run, x, y in zip(runs, one.values.tolist(), other.values.tolist(), strict=True))
    stated = {"tau b": agreed.tau_b, "tau AP": agreed.tau_ap, "swapped": agreed.swapped, "pairs": agreed.pairs}
    return CurvePicture(
        "agreement",
        "",
        f"{one.name} and {other.name}",
        Axis("first", one.name, low, high),
        Axis("second", other.name, low, high),
        (Curve("", points, stated),),
        POINTS,
        f"A point for each run.{_sizes(one, other)} tau: Kendall's and Yilmaz's coefficients; swapped: pairs"
        " of runs that the two put in opposite order.",
        labels="run",
        given=(("ordering", one.name), ("and", other.name)),
        equal=equal,
    )


def _sizes(one: Ordering, other: Ordering) -> str:
    """What is said of orderings over different numbers of queries."""
    if one.queries == other.queries:
        return ""
    return f" {named(one.name)} is over {one.queries:,} queries, {named(other.name)} over {other.queries:,}."
