"""Tab-separated values: a header, then a line for each row.

A field holds no tab and no end of a line: these stand as ``\\t``, ``\\n`` and ``\\r``, and a backslash as two. All
other bytes are those of the files.
"""

from __future__ import annotations

from collections.abc import Iterator

from irev.base.text import encoded
from irev.output.report import Report
from irev.output.styles.csv import lines, together

_ESCAPES = str.maketrans({"\\": "\\\\", "\t": "\\t", "\n": "\\n", "\r": "\\r"})


def pieces(report: Report) -> Iterator[bytes]:
    """The header and the rows, some at a time."""
    return (encoded(text) for text in together(map(_joined, lines(report))))


def _joined(fields: list[str]) -> str:
    line = "\t".join(fields)
    # Seldom is there anything, and to look at the whole line is fast.
    if "\\" in line or "\n" in line or "\r" in line or line.count("\t") >= len(fields):
        line = "\t".join(field.translate(_ESCAPES) for field in fields)
    return f"{line}\n"
