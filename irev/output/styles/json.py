"""The whole record as JSON, for programs: unrounded; of an evaluation, with everything that `irev show` needs.

The digits and order of other outputs have no influence. All of it is ASCII. Each query of a run has a line.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from itertools import chain
from typing import Any

from irev.output.report import Report
from irev.output.styles.csv import together

INPUTS = True


def pieces(report: Report) -> Iterator[bytes]:
    """The record, some lines at a time: as one text it would be there several times over."""
    lines = chain(_laid_out(dict(report.record), 0, report.deepest), ("\n",))
    return (text.encode("ascii") for text in together(lines))


def _laid_out(value: Any, depth: int, deepest: int) -> Iterator[str]:
    if isinstance(value, Mapping) and value and depth <= deepest:
        inside = ((f"{json.dumps(key)}: ", member) for key, member in value.items())
    elif isinstance(value, list) and depth <= deepest and any(isinstance(member, dict) for member in value):
        inside = (("", member) for member in value)
    else:
        yield json.dumps(value if not isinstance(value, Mapping) else dict(value), allow_nan=False)
        return
    opening, closing = "{}" if isinstance(value, Mapping) else "[]"
    margin = "\n" + "  " * depth
    before = opening
    for key, member in inside:
        yield f"{before}{margin}  {key}"
        yield from _laid_out(member, depth + 1, deepest)
        before = ","
    yield margin + closing
