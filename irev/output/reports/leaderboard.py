"""The order of runs by a measure, best first, and which of them are not shown to differ from the best."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import NamedTuple

from irev.evaluation.result import Outcome, Result
from irev.measures import Request
from irev.output.report import Cell, Look


class AgainstBest(NamedTuple):
    """What is known of the difference between each run and the best.

    Attributes
    ----------
    findings : mapping of str to Cell
        By the names of runs: one of `irev.evaluation.comparison.contrasts.FINDINGS`, or ``best``.
    note : str
        Which test, correction, level and queries.
    """

    findings: Mapping[str, Cell]
    note: str


def standings(result: Result, look: Look) -> dict[Outcome, int]:
    """The outcomes in their order, each with its rank; nothing unless runs are sorted by a measure.

    Those under the same judgments are ranked among each other, and the best is the first, whichever end of the table it
    stands at. Equal values share a rank, and what is no number stands last.
    """
    if look.sort is None or not isinstance(look.sort.by, Request) or result.per_query or not result.several_runs:
        return {}
    request, descending = look.sort.by, look.sort.descending
    best_down = request.better != "lower"
    ranks: dict[Outcome, int] = {}
    for qrels in dict.fromkeys(outcome.qrels for outcome in result.outcomes):
        values = {outcome: value_of(outcome, request) for outcome in result.outcomes if outcome.qrels == qrels}
        rank, last, found = 0, math.nan, {}
        for place, outcome in enumerate(sorted(values, key=lambda each: _place(values[each], best_down)), 1):
            rank = rank if values[outcome] == last else place
            last = values[outcome]
            found[outcome] = rank
        down = best_down if descending is None else descending
        ranks |= {outcome: found[outcome] for outcome in sorted(values, key=lambda each: _place(values[each], down))}
    return ranks


def value_of(outcome: Outcome, request: Request) -> float:
    """The number for all queries of a run under a measure."""
    values = zip(outcome.scores.columns, outcome.summary.values, strict=True)
    found = next(value for column, value in values if column.request == request)
    return math.nan if found is None or isinstance(found, bytes) else float(found)


def _place(value: float, down: bool) -> tuple[bool, float]:
    return math.isnan(value), -value if down else value
