"""JSON Lines: an object for each row, with unrounded numbers; of an evaluation, for each query, with those by measure.

What is not a finite number is ``"inf"``, ``"-inf"`` or ``"nan"``. All of it is ASCII; a byte that is no UTF-8 is a lone
surrogate, as in the style ``json``.
"""

from __future__ import annotations

import json
import math
from collections.abc import Iterator
from typing import Any

from irev.base.text import EXACT, number
from irev.output.report import Report
from irev.output.styles.csv import together


def pieces(report: Report) -> Iterator[bytes]:
    """A line for each object, some at a time."""
    return (text.encode("ascii") for text in together(map(_line, report.objects)))


def _line(found: dict[str, Any]) -> str:
    try:
        return json.dumps(found, allow_nan=False) + "\n"
    except ValueError:  # there is a number that JSON has not, which is seldom
        return json.dumps(_plain(found), allow_nan=False) + "\n"


def _plain(value: Any) -> Any:
    """A value that JSON has."""
    if isinstance(value, dict):
        return {key: _plain(member) for key, member in value.items()}
    return number(value, EXACT) if isinstance(value, float) and not math.isfinite(value) else value
