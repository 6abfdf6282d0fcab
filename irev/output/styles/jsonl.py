"""JSON Lines: an object for each query of each run, and for all of its queries, with unrounded numbers by measure.

What is no finite number is ``"inf"``, ``"-inf"`` or ``"nan"``. All of it is ASCII; a byte that is no UTF-8 is a lone
surrogate, as in the style ``json``.
"""

from __future__ import annotations

import json
import math

from irev.base.text import EXACT, number
from irev.evaluation.result import Result, Screen
from irev.evaluation.summary import Summarised
from irev.output.report import Plain, Report
from irev.output.reports.tidy import entries

NAMES = "trec"


def render(result: Result, screen: Screen) -> bytes:
    """The objects. The screen has no influence."""
    lines = []
    for entry in entries(result):
        measures = {name: _plain(value) for name, value in entry.values.items()}
        lines.append(json.dumps({**entry.about, "measures": measures}, allow_nan=False) + "\n")
    return "".join(lines).encode("ascii")


def write(report: Report) -> bytes:
    """An object for each row of a report, by the names of its columns."""
    columns = report.columns
    rows = (dict(zip(columns, map(_plain, row), strict=True)) for row in report.rows)
    return "".join(json.dumps(row, allow_nan=False) + "\n" for row in rows).encode("ascii")


def _plain(value: Summarised | Plain) -> Plain:
    """A value that JSON has."""
    if isinstance(value, bytes):
        return value.decode("utf-8", "surrogateescape")
    return number(value, EXACT) if isinstance(value, float) and not math.isfinite(value) else value
