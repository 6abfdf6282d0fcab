"""The whole record as JSON, for programs: unrounded; of an evaluation, with everything that `irev show` needs.

The digits and order of other outputs have no influence. All of it is ASCII. Each query of a run has a line.
"""

from __future__ import annotations

import json
from typing import Any

from irev.output.report import Report

OBEYS = ("aggregates", "groups", "titles", "documents")
INPUTS = True


def write(report: Report) -> bytes:
    """The record."""
    return _laid_out(dict(report.record), 0, report.deepest).encode("ascii") + b"\n"


def _laid_out(value: Any, depth: int, deepest: int) -> str:
    if isinstance(value, dict) and value and depth <= deepest:
        inside = [f"{json.dumps(key)}: {_laid_out(member, depth + 1, deepest)}" for key, member in value.items()]
    elif isinstance(value, list) and depth <= deepest and any(isinstance(member, dict) for member in value):
        inside = [_laid_out(member, depth + 1, deepest) for member in value]
    else:
        return json.dumps(value, allow_nan=False)
    opening, closing = "{}" if isinstance(value, dict) else "[]"
    margin = "  " * depth
    lines = ",".join(f"\n{margin}  {line}" for line in inside)
    return f"{opening}{lines}\n{margin}{closing}"
