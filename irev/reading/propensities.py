"""Propensities: the probability that each position of a list is looked at, one on each line."""

from __future__ import annotations

import re

import numpy as np

from irev.base.segments import Floats
from irev.base.text import REAL
from irev.errors import InputError, Problem, ProblemError, shown
from irev.reading.id_lists import read_lines
from irev.reading.sources import Source

_NUMBER = re.compile(REAL.encode())


def read_propensities(source: Source) -> Floats:
    """(k,) Of positions 1 to k.

    Raises
    ------
    ProblemError
        For a line that is no number above 0 and at most 1.
    InputError
        For a file without any.
    """
    found = []
    for number, line in read_lines(source):
        value = float(line) if _NUMBER.fullmatch(line) else float("nan")
        if not 0 < value <= 1:
            fact = f"{shown(line)} is no propensity"
            raise ProblemError(source.name, Problem(number, "E147", fact, "expected a number above 0 and at most 1"))
        found.append(value)
    if not found:
        raise InputError("the file lists no propensities", source.name, "expected one on each line, for each position")
    return np.array(found)
