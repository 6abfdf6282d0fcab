"""trec_eval's lines, byte for byte: label, query or ``all``, and value, with tabs between them.

For each query in turn come its measures, then all of them for ``all``. The label is padded to 22 characters and never
cut; reals have four decimals, counts none; ids and run tags are the bytes of the file.
"""

from __future__ import annotations

from collections.abc import Iterator

from irev.evaluation import Column
from irev.result import Result, Screen


def render(result: Result, screen: Screen) -> bytes:
    """The lines of a result. The screen has no influence: these lines are for machines."""
    lines: list[bytes] = []
    if result.per_query:
        lines += _per_query(result)
    if result.summarised:
        for column, value in zip(result.scores.columns, result.summary.values, strict=True):
            if value is not None:
                lines.append(b"%s\tall\t%s\n" % (_label(column), _text(value)))
    return b"".join(lines)


def _label(column: Column) -> bytes:
    return b"%-22s" % column.request.label.encode()


def _text(value: float | int | bytes) -> bytes:
    if isinstance(value, bytes):
        return value
    if isinstance(value, int):
        return b"%d" % value
    # The C library prints the sign of a NaN, and the one that arithmetic makes is negative.
    return b"%6.4f" % value if value == value else b"  -nan"


def _per_query(result: Result) -> Iterator[bytes]:
    columns = [column for column in result.scores.columns if column.request.measure.per_query]
    labels = [_label(column) for column in columns]
    rows = zip(*(map(_text, column.values.tolist()) for column in columns), strict=True)
    for query, row in zip(result.scores.queries, rows, strict=False):
        for label, value in zip(labels, row, strict=True):
            yield b"%s\t%s\t%s\n" % (label, query, value)
