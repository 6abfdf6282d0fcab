"""Z-scores, as trec_eval's ``-Z`` has them: how many standard deviations a value is above the mean of other runs.

z = (value - mean) / deviation, for a query. Where the deviation is 0, z is 0 for a value that is the mean and `NOWHERE`
for another. Summaries are made of z-scores as they are made of values; what is a fact about all queries, how many they
are and how many documents are relevant in the whole file, stays what it is. Means and deviations come from a file with
a query, the label of a measure, its mean and its standard deviation on each line.
"""

from __future__ import annotations

import math
import re
from collections.abc import Sequence
from dataclasses import replace
from typing import NamedTuple

import numpy as np

from irev.base.errors import Faults, InputError, Problem, shown
from irev.base.segments import Floats
from irev.base.text import REAL, counted
from irev.evaluation.result import Outcome, in_groups
from irev.evaluation.scores import Column, Summary, summarise
from irev.reading.fields import ListOf
from irev.reading.lists import read_list
from irev.reading.sources import Source

_SPREADS = ListOf(
    "means",
    ("query", "measure", "mean", "deviation"),
    "expected a query, the label of a measure, a mean and a standard deviation, such as: 301 map 0.21 0.15",
    keys=2,
)


class Spread(NamedTuple):
    """How the values of one measure for one query lie: their mean, and their standard deviation, 0 or more."""

    mean: float
    deviation: float


class ZScores(NamedTuple):
    """A file of them: its name, and for each query by the label of each measure."""

    name: str
    of: dict[bytes, dict[bytes, Spread]]


def read(path: str) -> ZScores:
    """The file, whose lines may stand in any order.

    Raises
    ------
    ProblemError
        For a line that has not four fields, a mean or a deviation that is not a number, a deviation below 0, and a
        measure that occurs twice for a query.
    InputError
        For a file without lines.
    """
    found: dict[bytes, dict[bytes, Spread]] = {}
    with Source(path) as source:
        faults = Faults()
        for line, (query, label), cells in read_list(source, _SPREADS, faults):
            numbers = [float(cell) if re.fullmatch(REAL.encode(), cell) else math.nan for cell in cells]
            for called, cell, value in zip(("mean", "standard deviation"), cells, numbers, strict=True):
                if not math.isfinite(value):
                    fact = f"the {called} {shown(cell)} is not a number"
                    faults.note(Problem(line, "E105", fact, "expected one such as 0.25"))
            spread = Spread(*numbers)
            if spread.deviation < 0:
                fact = f"the standard deviation {shown(cells[1])} is below 0"
                faults.note(Problem(line, "E105", fact, "the fields are query, measure, mean and deviation"))
            found.setdefault(query, {})[label] = spread
        faults.raise_earliest(source.name)
    return ZScores(source.name, found)


NOWHERE = -1000000.0
"""The z-score of a value that has none."""


def standardised(outcome: Outcome, known: ZScores) -> Outcome:
    """The same outcome in z-scores. Texts stay texts; a measure without a line for single queries, which is in no file
    that is made of such lines, may be missing in all of them, and is `NOWHERE` then.

    Raises
    ------
    InputError
        For a query, or a measure of a query, that the file has nothing of.
    """
    scores = outcome.scores
    scores = replace(scores, columns=tuple(_standardised(column, scores.queries, known) for column in scores.columns))
    grouping = {query: group.name for group in outcome.groups for query in group.queries}
    groups = (group._replace(summary=_reals(group.summary)) for group in in_groups(scores, grouping))
    return replace(outcome, scores=scores, summary=_reals(summarise(scores)), groups=tuple(groups))


def missing(outcome: Outcome, known: ZScores) -> tuple[str, ...]:
    """The labels of measures that no query has an entry of, although they are there for all queries together."""
    labels = (column.request.base.label for column in outcome.scores.columns if _for_all_alone(column))
    return tuple(label for label in labels if not any(label.encode() in entries for entries in known.of.values()))


def _for_all_alone(column: Column) -> bool:
    measure = column.request.measure
    return measure.summary == "geometric mean" and not measure.per_query


def _standardised(column: Column, queries: Sequence[bytes], known: ZScores) -> Column:
    measure = column.request.measure
    if measure.kind == "text" or measure.summary == "queries":
        return column
    label = column.request.base.label
    spreads = [known.of.get(query, {}).get(label.encode()) for query in queries]
    lacking = [query for query, spread in zip(queries, spreads, strict=True) if spread is None]
    if lacking and not (_for_all_alone(column) and len(lacking) == len(queries)):
        fact = f"there is no mean of {label} for query {shown(lacking[0])}"
        fact += f", nor for {counted(len(lacking) - 1, 'other query', 'other queries')}" * (len(lacking) > 1)
        raise InputError(fact, known.name, f"expected a line such as: {shown(lacking[0])} {label} 0.25 0.1")
    return replace(column, values=_zscores(column.values.astype(np.float64), spreads))


def _zscores(values: Floats, spreads: list[Spread | None]) -> Floats:
    """One for each value."""
    if not any(spreads):
        return np.full(len(values), NOWHERE)
    mean, deviation = np.array(spreads, dtype=np.float64).reshape(-1, 2).T
    with np.errstate(divide="ignore", invalid="ignore"):
        z = (values - mean) / deviation
    return np.where(deviation == 0, np.where(values == mean, 0.0, NOWHERE), z)


def _reals(summary: Summary) -> Summary:
    """The same, its counts as real numbers, as which z-scores print."""
    return Summary(tuple(float(value) if isinstance(value, int) else value for value in summary.values))
