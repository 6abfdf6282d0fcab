"""Comma-separated values: a header, then a line for each row.

Fields are quoted as RFC 4180 has it, where they have to be; lines end in a newline alone. Bytes are those of the files.
"""

from __future__ import annotations

import re

from irev.base.text import encoded
from irev.output.report import Report
from irev.output.reports.lines import lines

NAMES = "trec"

# Not by the module csv: before Python 3.13 it leaves a carriage return without quotes, and then cannot read it back.
_SPECIAL = re.compile(r'[",\r\n]')


def write(report: Report) -> bytes:
    """The header and the rows."""
    return encoded("".join(",".join(map(_quoted, line)) + "\n" for line in lines(report)))


def _quoted(field: str) -> str:
    return '"' + field.replace('"', '""') + '"' if _SPECIAL.search(field) else field
