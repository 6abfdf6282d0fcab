"""Curves of several runs: which measures a kind of picture takes, and the pictures that outcomes make.

The points are made in `irev.evaluation.curves`; what a kind needs beside them, pairs of runs, intervals, orderings, is
decided here, once for the command and for Python.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import field
from itertools import combinations

import numpy as np

from irev.analysis.comparison.agreement import Agreed, Ordering, agreement, orderings_of, require_orders
from irev.analysis.comparison.contrasts import differences_of, pairs_of
from irev.analysis.comparison.defaults import DEFAULT_MEASURES
from irev.base.records import dataclass
from irev.base.segments import Floats
from irev.base.settings import Settings
from irev.base.text import named, percent
from irev.errors import UsageError
from irev.evaluation.curves import by_cutoff, by_query, recall_precision
from irev.evaluation.curves.curve import POINTS, Axis, Curve, Curves, Point
from irev.evaluation.curves.kinds import (
    AGAINST_EACH_OTHER,
    AGREEMENT,
    BY_CUTOFF,
    CUTOFF,
    DIFFERENCES,
    DISTRIBUTION,
    OF_PAIRS,
    RECALL_PRECISION,
    SCATTER,
    TOPICS,
)
from irev.evaluation.curves.same_queries import on_same_queries
from irev.evaluation.result import Outcome
from irev.measures import Request, parse
from irev.measures.parameters import Warn
from irev.statistics import effects, intervals
from irev.statistics.plan import Plan


@dataclass(frozen=True)
class Wanted:
    """What is to be drawn.

    Attributes
    ----------
    kind : str
        One of `irev.evaluation.curves.kinds.KINDS`, but for that of one query, which is made of rankings.
    measures : tuple of str
        Names; none at all for those that suit the kind.
    rule : str or None
        How a point of recall is reached, where not as in trec_eval.
    cutoffs : tuple of int
        None at all for the usual ones.
    baseline : int
        The place of the run that the others are held against.
    plan : Plan
        Its confidence and tolerance.
    """

    kind: str
    measures: tuple[str, ...] = ()
    rule: str | None = None
    cutoffs: tuple[int, ...] = ()
    baseline: int = 0
    plan: Plan = field(default_factory=Plan)


def requests_of(wanted: Wanted, settings: Settings, warn: Warn = lambda message: None) -> tuple[Request, ...]:
    """What to evaluate. Raises `UsageError` for a measure that there is not, or that does not suit the kind."""
    kind = wanted.kind
    if kind == RECALL_PRECISION:
        return recall_precision.requests(wanted.rule)
    if kind in BY_CUTOFF:
        names = ("P", "R") if kind == AGAINST_EACH_OTHER else wanted.measures
        return by_cutoff.requests(names, wanted.cutoffs or by_cutoff.CUTOFFS)
    requests = parse(wanted.measures or DEFAULT_MEASURES, settings.compat, warn)
    if kind == AGREEMENT:
        require_orders(requests)
        return requests
    numeric = tuple(request for request in requests if request.measure.numeric)
    if not numeric:
        raise UsageError(f"{requests[0].standard} has no numbers for single queries", remedy="choose another measure")
    return tuple(dict.fromkeys(request.base for request in numeric))


def curves_of(wanted: Wanted, outcomes: Sequence[Outcome], settings: Settings) -> tuple[Curves, ...]:
    """The pictures.

    Parameters
    ----------
    wanted : Wanted
    outcomes : sequence of Outcome
        Evaluations with all `requests_of` that; those under one set of judgments on the same queries.
    settings : Settings
        How they were made.

    Raises
    ------
    UsageError
        For fewer runs than the kind takes.
    """
    kind = wanted.kind
    require_runs(kind, len({outcome.run for outcome in outcomes}))
    if kind == RECALL_PRECISION:
        return (recall_precision.recall_precision(outcomes, settings, wanted.rule),)
    if kind == CUTOFF:
        return by_cutoff.by_cutoff(outcomes)
    if kind == AGAINST_EACH_OTHER:
        return (by_cutoff.against_each_other(outcomes),)
    if kind == AGREEMENT:
        return _agreements(outcomes)
    makers: dict[str, Callable[[ValuesByQuery, Wanted], tuple[Curves, ...]]] = {
        DIFFERENCES: _differences,
        SCATTER: _scatters,
        TOPICS: lambda table, _: by_query.topics(table.measure, table.runs, table.queries, table.values),
        DISTRIBUTION: lambda table, _: (by_query.distribution(table.measure, table.runs, table.queries, table.values),),
    }
    return tuple(each for table in values_by_query(outcomes) for each in makers[kind](table, wanted))


def require_runs(kind: str, runs: int) -> None:
    """Raise `UsageError` for fewer runs than a kind takes, to be told before a long computation."""
    if kind in OF_PAIRS and runs < 2:
        raise UsageError("there is nothing to compare", remedy="give at least two runs")
    if kind == AGREEMENT and runs < 2:
        raise UsageError("there is nothing to order", remedy="give at least two runs")
    if kind == TOPICS:
        by_query.require_median(runs)


def same_queries(outcomes: Sequence[Outcome]) -> tuple[tuple[Outcome, ...], tuple[bytes, ...]]:
    """Outcomes on the queries that all runs have under the same judgments, and the queries that are left out."""
    found: list[Outcome] = []
    left_out: list[bytes] = []
    for qrels in dict.fromkeys(outcome.qrels for outcome in outcomes):
        kept, some = on_same_queries([outcome for outcome in outcomes if outcome.qrels == qrels])
        found += kept
        left_out += some
    return tuple(found), tuple(sorted({*left_out}))


@dataclass(frozen=True, eq=False)
class ValuesByQuery:
    """The values of a measure, a row for each query and a column for each run."""

    measure: str
    better: str
    runs: tuple[str, ...]
    queries: Sequence[bytes]
    values: Floats


def values_by_query(outcomes: Sequence[Outcome]) -> list[ValuesByQuery]:
    """The values of every measure, of runs on the same queries."""
    runs = tuple(outcome.run for outcome in outcomes)
    found = []
    for place, column in enumerate(outcomes[0].columns):
        request = column.request
        values = np.array([outcome.columns[place].values for outcome in outcomes], dtype=np.float64).T
        found.append(
            ValuesByQuery(request.standard, request.better, runs, outcomes[0].scores.queries, values),
        )
    return found


def _differences(table: ValuesByQuery, wanted: Wanted) -> tuple[Curves, ...]:
    """Of every run from the baseline, with the interval and the outcomes that comparisons have."""
    pairs = pairs_of(len(table.runs), wanted.baseline)
    differences = differences_of(table.values, pairs)
    spans = intervals.interval(wanted.plan.interval, differences, wanted.plan)
    found = []
    for number, (base, run) in enumerate(pairs):
        gains = -differences[:, number] if table.better == "lower" else differences[:, number]
        found.append(
            by_query.sorted_differences(
                table.measure,
                (table.runs[base], table.runs[run]),
                table.queries,
                (table.values[:, base], table.values[:, run]),
                spans[number],
                effects.outcomes(gains, wanted.plan.tie_tolerance),
                percent(wanted.plan.confidence),
            )
        )
    return tuple(found)


def _scatters(table: ValuesByQuery, wanted: Wanted) -> tuple[Curves, ...]:
    return tuple(
        by_query.scatter(
            table.measure,
            (table.runs[base], table.runs[run]),
            table.queries,
            (table.values[:, base], table.values[:, run]),
        )
        for base, run in pairs_of(len(table.runs), wanted.baseline)
    )


def _agreements(outcomes: Sequence[Outcome]) -> tuple[Curves, ...]:
    """Every two orderings of the runs, as `irev.analysis.comparison.agreement` has them."""
    runs, orderings = orderings_of(outcomes, ())
    agreed = agreement(runs, orderings).agreed
    return tuple(
        of_agreement(runs, one, other, each)
        for (one, other), each in zip(combinations(orderings, 2), agreed, strict=True)
    )


def of_agreement(runs: Sequence[str], one: Ordering, other: Ordering, agreed: Agreed) -> Curves:
    """Two orderings of runs, a point for each run."""
    # Under two sets of judgments a measure has one scale; two measures have no more than limits in common.
    equal = one.name.partition(",")[0] == other.name.partition(",")[0]
    low, high = by_query.one_scale(one.values, other.values) if equal else (None, None)
    points = tuple(Point(x, y, run) for run, x, y in zip(runs, one.values.tolist(), other.values.tolist(), strict=True))
    stated = {"tau b": agreed.tau_b, "tau AP": agreed.tau_ap, "swapped": agreed.swapped, "pairs": agreed.pairs}
    return Curves(
        AGREEMENT,
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
