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

from irev.base.errors import InputError, Problem, ProblemError, shown
from irev.base.segments import Floats
from irev.base.text import REAL, counted
from irev.evaluation.result import Outcome, in_groups
from irev.evaluation.scores import Column
from irev.evaluation.summary import Summary, summarise
from irev.reading.sources import Source

_SPREAD_EXPECTED = (
    "expected a query, the label of a measure, a mean and a standard deviation, such as: 301 map 0.21 0.15"
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
    with Source(path) as source:
        content = source.content()
    found: dict[bytes, dict[bytes, Spread]] = {}
    lines: dict[tuple[bytes, bytes], int] = {}
    for number, line in enumerate(content.removesuffix(b"\n").split(b"\n"), start=1):
        fields = line.split()
        if not line and number == 1:
            break
        if len(fields) != 4:
            fact = f"expected 4 fields, found {len(fields)}"
            raise ProblemError(source.name, Problem(number, "E101", fact, _SPREAD_EXPECTED))
        query, label = fields[:2]
        if (query, label) in lines:
            fact = f"{shown(label)} of query {shown(query)} occurs twice"
            first = lines[query, label]
            raise ProblemError(source.name, Problem(number, "E107", fact, "keep one of the two lines", first))
        lines[query, label] = number
        numbers = [float(text) if re.fullmatch(REAL.encode(), text) else math.nan for text in fields[2:]]
        for called, text, value in zip(("mean", "standard deviation"), fields[2:], numbers, strict=True):
            if not math.isfinite(value):
                fact = f"the {called} {shown(text)} is not a number"
                raise ProblemError(source.name, Problem(number, "E105", fact, "expected one such as 0.25"))
        spread = Spread(*numbers)
        if spread.deviation < 0:
            fact = f"the standard deviation {shown(fields[3])} is below 0"
            remedy = "the fields are query, measure, mean and deviation"
            raise ProblemError(source.name, Problem(number, "E105", fact, remedy))
        found.setdefault(query, {})[label] = spread
    if not found:
        raise InputError("the file lists no means", source.name, _SPREAD_EXPECTED)
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
