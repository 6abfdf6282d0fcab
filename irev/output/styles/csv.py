"""Comma-separated values: a header, then a line for each row.

Fields are quoted as RFC 4180 has it, where they have to be; lines end in a newline alone. Bytes are those of the files.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from irev.base.text import encoded
from irev.output.report import Report
from irev.output.reports.lines import lines, together

# Not by the module csv: before Python 3.13 it leaves a carriage return without quotes, and then cannot read it back.
OBEYS = ("digits", "wide", "groups")

_SPECIAL = re.compile(r'["\r\n]')


def pieces(report: Report) -> Iterator[bytes]:
    """The header and the rows, some at a time."""
    return (encoded(text) for text in together(map(_joined, lines(report))))


def _joined(fields: list[str]) -> str:
    line = ",".join(fields)
    # Seldom is there anything, and to look at the whole line is fast.
    if '"' in line or "\n" in line or "\r" in line or line.count(",") >= len(fields):
        line = ",".join(map(_quoted, fields))
    return f"{line}\n"


def _quoted(field: str) -> str:
    return '"' + field.replace('"', '""') + '"' if "," in field or _SPECIAL.search(field) else field
