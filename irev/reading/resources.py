"""What runs took, such as time, memory and tokens: a table with a row for each run, or for each query of a run.

It has the columns ``run``, perhaps ``query``, and numbers of any name. With queries each number is looked at by its
quantiles, since a mean hides the slow ones: ``latency:p99``.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import NamedTuple

import numpy as np

from irev.base import aggregates
from irev.base.errors import InputError, Problem, ProblemError, UsageError, shown
from irev.base.registry import did_you_mean
from irev.base.text import decoded, encoded
from irev.reading.small_tables import read_small_table
from irev.reading.sources import Source

RUN, QUERY = "run", "query"

SHOWN = ("p50", "p95", "p99", "mean")
"""What is shown of a column that has a number for each query."""

_ROWS = "run,query,latency"


class Resources(NamedTuple):
    """What runs took.

    Attributes
    ----------
    name : str
        The file.
    columns : tuple of str
        What there are numbers of.
    runs : mapping of str to mapping
        By run and column the numbers: one, or one for each query.
    of_queries : bool
        Whether there are numbers for single queries.
    """

    name: str
    columns: tuple[str, ...]
    runs: Mapping[str, Mapping[str, Sequence[float]]]
    of_queries: bool

    def column(self, asked: str) -> tuple[str, str]:
        """The column and the aggregate that a text like ``latency:p99`` names; of no queries the aggregate is empty.

        Raises
        ------
        UsageError
            For an unknown column, an unknown aggregate, and an aggregate of a single number.
        """
        column, colon, statistic = (asked, "", "") if asked in self.columns else asked.rpartition(":")
        column = column or asked
        if column not in self.columns:
            remedy = did_you_mean(column, self.columns, f"there are {', '.join(self.columns)}")
            raise UsageError(f"{self.name} has no column '{column}'", remedy=remedy)
        if not self.of_queries:
            if colon:
                fact = f"{self.name} has one {column} for each run, so it has no '{statistic}'"
                raise UsageError(fact, remedy="leave it out, or give a column query")
            return column, ""
        if not colon:
            return column, SHOWN[0]
        if statistic == aggregates.WEIGHTED:
            raise UsageError(f"'{asked}': {column} has no weights", remedy=f"ask for {column}:mean")
        known = aggregates.check(statistic)
        return column, re.sub("^q", "p", "q50" if known == "median" else known)

    def value(self, run: str, asked: str) -> float:
        """The number of a run, or an aggregate over its queries. Raises `InputError` for a run that the file lacks."""
        column, statistic = self.column(asked)
        if run not in self.runs:
            there = ", ".join([*self.runs][:9])
            raise InputError(f"the run '{run}' has no row", self.name, f"there are {there}")
        numbers = np.array(self.runs[run][column], dtype=np.float64)
        return aggregates.aggregate(aggregates.check(statistic or "max"), numbers)

    def shown(self, asked: str) -> tuple[str, ...]:
        """What is shown of a column beside what is asked for: where there are queries, its quantiles and its mean."""
        column, statistic = self.column(asked)
        return tuple(f"{column}:{each}" for each in SHOWN if each != statistic) if self.of_queries else ()


def read_resources(source: Source) -> Resources:
    """What a file says that runs took.

    Raises
    ------
    InputError
        For a table without ``run`` and a column of numbers; with the line, for a cell that is not a number of 0 or
        more, and a run, or a query of it, that has two rows; and as `read_small_table`.
    """
    expected = f"expected rows below a header such as {_ROWS}"
    table = read_small_table(source, expected)
    columns = tuple(each for each in table.columns if each not in (RUN, QUERY))
    if RUN not in table.columns or not columns:
        raise InputError("there is no column run, or none beside it", source.name, expected)
    named = [table.columns.index(each) for each in (RUN, QUERY) if each in table.columns]
    first: dict[tuple[str, ...], int] = {}
    found: dict[str, dict[str, list[float]]] = {}
    for line, cells in zip(table.lines, table.rows, strict=True):
        run, *query = key = tuple(decoded(cells[place]).strip() for place in named)
        if key in first:
            of = f"query '{query[0]}' of run" if query else "run"
            fact = f"{of} '{run}' has a row already"
            raise ProblemError(source.name, Problem(line, "E107", fact, "keep one of them", first[key]))
        first[key] = line
    for column in columns:
        for line, (run, *_), number in zip(table.lines, first, table.numbers(column).tolist(), strict=True):
            if number < 0:
                fact = f"the value {number:g} of {shown(encoded(column))} is below 0"
                raise ProblemError(source.name, Problem(line, "E105", fact, "expected a number of 0 or more"))
            found.setdefault(run, {}).setdefault(column, []).append(number)
    return Resources(source.name, columns, found, QUERY in table.columns)
