"""Tab-separated values: a header, then a line for each number, or with ``--wide`` for each query (see `tidy`).

A field holds no tab and no end of a line: these stand as ``\\t``, ``\\n`` and ``\\r``, and a backslash as two. All
other bytes are those of the files.
"""

from __future__ import annotations

from collections.abc import Iterable

from irev.evaluation.result import Result, Screen
from irev.output.report import Report
from irev.output.reports.tidy import lines, report_lines

NAMES = "trec"

_ESCAPES = str.maketrans({"\\": "\\\\", "\t": "\\t", "\n": "\\n", "\r": "\\r"})


def render(result: Result, screen: Screen) -> bytes:
    """The lines. The screen has no influence."""
    return _joined(lines(result))


def write(report: Report) -> bytes:
    """The header and the rows of a report."""
    return _joined(report_lines(report))


def _joined(lines: Iterable[list[str]]) -> bytes:
    text = "".join("\t".join(field.translate(_ESCAPES) for field in line) + "\n" for line in lines)
    return text.encode("utf-8", "surrogateescape")
