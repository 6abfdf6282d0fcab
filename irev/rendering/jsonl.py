"""JSON Lines: an object for each query of each run, and for all of its queries, with unrounded numbers by measure.

What is no finite number is ``"inf"``, ``"-inf"`` or ``"nan"``. All of it is ASCII; a byte that is no UTF-8 is a lone
surrogate, as in the style ``json``.
"""

from __future__ import annotations

import json
import math

from irev.aggregation import Summarised
from irev.result import EXACT, Result, Screen, number
from irev.tidy import entries

NAMES = "trec"


def render(result: Result, screen: Screen) -> bytes:
    """The objects. The screen has no influence."""
    lines = []
    for entry in entries(result):
        measures = {name: _plain(value) for name, value in entry.values.items()}
        lines.append(json.dumps({**entry.about, "measures": measures}, allow_nan=False) + "\n")
    return "".join(lines).encode("ascii")


def _plain(value: Summarised) -> str | float | int | None:
    """A value that JSON has."""
    if isinstance(value, bytes):
        return value.decode("utf-8", "surrogateescape")
    return number(value, EXACT) if isinstance(value, float) and not math.isfinite(value) else value
