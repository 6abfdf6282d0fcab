"""Comma-separated values: a header, then a line for each number, or with ``--wide`` for each query (see `tidy`).

Fields are quoted as RFC 4180 has it, where they have to be; lines end in a newline alone. Bytes are those of the files.
"""

from __future__ import annotations

import re
from collections.abc import Iterable

from irev.evaluation.result import Result, Screen
from irev.output.report import Report
from irev.output.reports.tidy import lines, report_lines

NAMES = "trec"

# Not by the module csv: before Python 3.13 it leaves a carriage return without quotes, and then cannot read it back.
_SPECIAL = re.compile(r'[",\r\n]')


def render(result: Result, screen: Screen) -> bytes:
    """The lines. The screen has no influence."""
    return _joined(lines(result))


def write(report: Report) -> bytes:
    """The header and the rows of a report."""
    return _joined(report_lines(report))


def _joined(lines: Iterable[list[str]]) -> bytes:
    text = "".join(",".join(map(_quoted, line)) + "\n" for line in lines)
    return text.encode("utf-8", "surrogateescape")


def _quoted(field: str) -> str:
    return '"' + field.replace('"', '""') + '"' if _SPECIAL.search(field) else field
