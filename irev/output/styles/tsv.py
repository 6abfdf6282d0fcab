"""Tab-separated values: a header, then a line for each row.

A field holds no tab and no end of a line: these stand as ``\\t``, ``\\n`` and ``\\r``, and a backslash as two. All
other bytes are those of the files.
"""

from __future__ import annotations

from irev.base.text import encoded
from irev.output.report import Report
from irev.output.reports.lines import lines

NAMES = "trec"

_ESCAPES = str.maketrans({"\\": "\\\\", "\t": "\\t", "\n": "\\n", "\r": "\\r"})


def write(report: Report) -> bytes:
    """The header and the rows."""
    return encoded("".join("\t".join(field.translate(_ESCAPES) for field in line) + "\n" for line in lines(report)))
