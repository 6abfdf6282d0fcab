"""Means and standard deviations of a measure for a query over other runs: what z-scores are made with.

Lines of trec_eval's ``-Z``: query, label of the measure, mean, standard deviation.
"""

from __future__ import annotations

import math
import re
from typing import NamedTuple

from irev.base.text import REAL
from irev.errors import InputError, Problem, ProblemError, shown
from irev.reading.sources import Source

_NUMBER = re.compile(REAL.encode())
_EXPECTED = "expected a query, the label of a measure, a mean and a standard deviation, such as: 301 map 0.21 0.15"


class Spread(NamedTuple):
    """How the values of one measure for one query lie: their mean, and their standard deviation, 0 or more."""

    mean: float
    deviation: float


class ZScores(NamedTuple):
    """A file of them: its name, and for each query by the label of each measure."""

    name: str
    of: dict[bytes, dict[bytes, Spread]]


def read_zscores(source: Source) -> ZScores:
    """The file, whose lines may stand in any order.

    Raises
    ------
    ProblemError
        For a line that has not four fields, a mean or a deviation that is no number, a deviation below 0, and a measure
        that stands twice for a query.
    InputError
        For a file without lines.
    """
    found: dict[bytes, dict[bytes, Spread]] = {}
    lines: dict[tuple[bytes, bytes], int] = {}
    for number, line in enumerate(source.content().removesuffix(b"\n").split(b"\n"), start=1):
        fields = line.split()
        if not line and number == 1:
            break
        if len(fields) != 4:
            fact = f"expected 4 fields, found {len(fields)}"
            raise ProblemError(source.name, Problem(number, "E101", fact, _EXPECTED))
        query, label = fields[:2]
        if (query, label) in lines:
            fact = f"{shown(label)} of query {shown(query)} stands twice"
            first = lines[query, label]
            raise ProblemError(source.name, Problem(number, "E107", fact, "keep one of the two lines", first))
        lines[query, label] = number
        numbers = [float(text) if _NUMBER.fullmatch(text) else math.nan for text in fields[2:]]
        for called, text, value in zip(("mean", "standard deviation"), fields[2:], numbers, strict=True):
            if not math.isfinite(value):
                fact = f"the {called} {shown(text)} is no number"
                raise ProblemError(source.name, Problem(number, "E105", fact, "expected one such as 0.25"))
        spread = Spread(*numbers)
        if spread.deviation < 0:
            fact = f"the standard deviation {shown(fields[3])} is below 0"
            remedy = "the fields are query, measure, mean and deviation"
            raise ProblemError(source.name, Problem(number, "E105", fact, remedy))
        found.setdefault(query, {})[label] = spread
    if not found:
        raise InputError("the file lists no means", source.name, _EXPECTED)
    return ZScores(source.name, found)
