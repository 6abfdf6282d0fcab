"""The values of single queries: sorted differences, differences from the median, two runs, and distributions.

All take the values of the same queries, one that a run lacks with the value that counts for it.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

from irev.base.errors import UsageError
from irev.base.records import dataclass
from irev.base.segments import Floats, difference, mean, quantile
from irev.base.text import decoded, percent
from irev.evaluation.comparison import Measured
from irev.evaluation.comparison.contrasts import Contrast
from irev.evaluation.curves import (
    BARS,
    DIFFERENCES,
    DISTRIBUTION,
    STEPS_AFTER,
    TOPICS,
    Axis,
    Curve,
    CurvePicture,
    Point,
)
from irev.evaluation.result import Outcome

FEWEST_RUNS = 3
"""Of fewer runs a median is one of them, or lies between the two."""


def sorted_differences(
    measure: str,
    names: tuple[str, str],
    queries: Sequence[bytes],
    values: tuple[Floats, Floats],
    interval: tuple[float, float] | None,
    outcomes: tuple[int, int, int],
    confidence: str = "95%",
) -> CurvePicture:
    """The differences of single queries between two runs, the highest first; those of 0 stand among them.

    Parameters
    ----------
    measure : str
    names : (str, str)
        Baseline and run.
    queries : sequence of bytes, length n
    values : (float (n,), float (n,))
        Of baseline and run.
    interval : (float, float) or None
        Of the mean difference.
    outcomes : (int, int, int)
        Wins, ties and losses of the run.
    confidence : str
        Of the interval, in words.

    Returns
    -------
    Curves
        One curve of points (place from 1, run minus baseline), labelled by query, of which more is known: the values of
        baseline and run. Its values are ``mean``, ``low``, ``high``, ``wins``, ``ties``, ``losses``. What is not a
        number stands last; 0 is the difference of two equal infinities.
    """
    before, after = (np.asarray(each, dtype=np.float64) for each in values)
    differences = difference(after, before)
    order = np.argsort(-differences, kind="stable").tolist()
    points = tuple(
        Point(float(place), float(differences[i]), decoded(queries[i]), (float(before[i]), float(after[i])))
        for place, i in enumerate(order, start=1)
    )
    low, high = interval or (None, None)
    wins, ties, losses = outcomes
    stated = {
        "mean": _number(mean(differences)),
        "low": low,
        "high": high,
        "wins": wins,
        "ties": ties,
        "losses": losses,
    }
    return CurvePicture(
        DIFFERENCES,
        measure,
        f"{names[1]} − {names[0]}",
        Axis("place", "queries, the highest difference first"),
        Axis("difference", f"difference in {measure}"),
        (Curve(names[1], points, stated),),
        BARS,
        f"Differences of single queries, run minus baseline, sorted; their mean with its {confidence} interval.",
        labels="query",
        more=("baseline_value", "value"),
        given=(("baseline", names[0]),),
    )


def of_contrast(measured: Measured, contrast: Contrast, confidence: float) -> CurvePicture:
    """The same of two runs that were compared."""
    return sorted_differences(
        measured.quantity.standard,
        (contrast.baseline, contrast.run),
        measured.queries,
        (contrast.baseline_values, contrast.values),
        None if contrast.interval is None else (contrast.interval.low, contrast.interval.high),
        (contrast.wins, contrast.ties, contrast.losses),
        percent(confidence),
    )


def require_median(runs: int) -> None:
    """Raise `UsageError` for fewer runs than have a median that says something of each."""
    if runs < FEWEST_RUNS:
        fact = "the median needs at least three runs"
        raise UsageError(fact, remedy=f"give {FEWEST_RUNS} runs or more")


def topics(measure: str, runs: Sequence[str], queries: Sequence[bytes], values: Floats) -> tuple[CurvePicture, ...]:
    """How far each run is above or below the median of all runs, query by query: TREC's sheet, a picture for each run.

    Parameters
    ----------
    measure : str
    runs : sequence of str, length k
        At least `FEWEST_RUNS`.
    queries : sequence of bytes, length n
    values : float (n, k)

    Returns
    -------
    tuple of Curves
        Points (place from 1, value minus median), labelled by query in the order given, of which more is known: value,
        and median, lowest and highest value over all runs, the run itself among them. Of an even number of runs the
        median is the mean of the two in the middle.

    Raises
    ------
    UsageError
        For fewer runs.
    """
    require_median(len(runs))
    middle = _middle(values)
    reach = max(_reach(difference(values[:, place], middle)) for place in range(len(runs)))
    words = f"Difference from the median over {len(runs)} runs, query by query."
    return tuple(
        _from_median(measure, run, queries, values[:, place], values, reach, words) for place, run in enumerate(runs)
    )


def beside_others(measure: str, run: str, queries: Sequence[bytes], values: Floats, others: Floats) -> CurvePicture:
    """How far a run is above or below the median of others, query by query; as `topics`, but that has the run in it.

    Parameters
    ----------
    measure, run : str
    queries : sequence of bytes, length n
    values : float (n,)
    others : float (n, k)
        Of k other runs, at least one less than `FEWEST_RUNS`.

    Raises
    ------
    UsageError
        For fewer runs.
    """
    require_median(others.shape[1] + 1)
    words = f"Difference from the median over the {others.shape[1]} other runs, query by query."
    return _from_median(measure, run, queries, values, others, None, words)


def _middle(values: Floats) -> Floats:
    """The median of each row, of one number or more, as `quantile` has it."""
    ordered = np.sort(values, axis=1)
    last = ordered.shape[1] - 1
    low, high = ordered[:, last // 2], ordered[:, -(-last // 2)]
    with np.errstate(invalid="ignore"):  # the difference of two infinities
        middle: Floats = np.where(low == high, low, low + (high - low) * (last / 2 - last // 2))
    return middle


def _reach(differences: Floats) -> float:
    """How far an axis goes on either side of 0."""
    return float(np.abs(differences[np.isfinite(differences)]).max(initial=0.0)) or 1.0


def _from_median(
    measure: str, run: str, queries: Sequence[bytes], values: Floats, runs: Floats, reach: float | None, words: str
) -> CurvePicture:
    """The differences of a run from the median of `runs`, float (n, k); its axis goes as far as these do unless `reach`
    is given."""
    middle = _middle(runs)
    away = difference(values, middle)
    reach = _reach(away) if reach is None else reach
    beside = zip(*(each.tolist() for each in (values, middle, runs.min(axis=1), runs.max(axis=1))), strict=True)
    points = tuple(
        Point(float(place), apart, decoded(query), more)
        for place, (query, apart, more) in enumerate(zip(queries, away.tolist(), beside, strict=True), start=1)
    )
    stated = {"mean": _number(mean(values)), "above": int((away > 0).sum()), "below": int((away < 0).sum())}
    return CurvePicture(
        TOPICS,
        measure,
        run,
        Axis("place", "queries, in their order"),
        Axis("difference", f"{measure}, difference from the median", -reach, reach),
        (Curve(run, points, stated),),
        BARS,
        words,
        labels="query",
        more=("value", "median", "lowest", "highest"),
    )


def distribution(measure: str, runs: Sequence[str], queries: Sequence[bytes], values: Floats) -> CurvePicture:
    """How the values of queries are distributed: for every value the share of queries that do not exceed it.

    Parameters
    ----------
    measure : str
    runs : sequence of str, length k
    queries : sequence of bytes, length n
    values : float (n, k)

    Returns
    -------
    Curves
        For each run the empirical distribution function as points (value, share of the queries with that value or a
        lower one), one for each value there is, joined by steps; ``lowest``, ``q25``, ``median``, ``q75``, ``highest``
        and ``mean``. The area between the curve and 1 is the mean of a measure from 0 to 1. Values that are no number
        are in no step, and are ``not_numbers``; all others are ``queries``.
    """
    curves = []
    for place, run in enumerate(runs):
        column = np.asarray(values[:, place], dtype=np.float64)
        kept = column[~np.isnan(column)]
        each, counts = np.unique(kept, return_counts=True)
        points = tuple(
            Point(value, so_far / len(kept))
            for value, so_far in zip(each.tolist(), np.cumsum(counts).tolist(), strict=True)
        )
        shares = {"lowest": 0.0, "q25": 0.25, "median": 0.5, "q75": 0.75, "highest": 1.0}
        stated: dict[str, float | int | None] = {name: _number(quantile(kept, share)) for name, share in shares.items()}
        stated |= {"mean": _number(mean(column)), "queries": len(kept), "not_numbers": len(column) - len(kept)}
        curves.append(Curve(run, points, stated))
    low, high = one_scale(*values.T)
    return CurvePicture(
        DISTRIBUTION,
        measure,
        "",
        Axis("value", measure, low, high),
        Axis("share", "share of queries up to here", 0.0, 1.0),
        tuple(curves),
        STEPS_AFTER,
        "Share of queries with this value or a lower one. A curve further to the right has higher values.",
    )


def _number(value: float) -> float | None:
    """None for what is not a number: the mean of nothing, or of infinities of both signs."""
    return None if math.isnan(value) else value


def one_scale(*columns: Floats) -> tuple[float, float]:
    """The ends of an axis that is the same for several: from 0 to 1 where all values are there."""
    finite = np.concatenate(columns) if columns else np.empty(0)
    finite = finite[np.isfinite(finite)]
    if not len(finite) or (finite.min() >= 0 and finite.max() <= 1):
        return 0.0, 1.0
    low, high = min(0.0, float(finite.min())), float(finite.max())
    return (low, high) if low < high else (low, low + 1.0)


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
