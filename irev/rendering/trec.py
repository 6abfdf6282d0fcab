"""trec_eval's lines, byte for byte: label, query or ``all``, and value, with tabs between them.

For each query in turn come its measures, then all of them for ``all``. The label is padded to 22 characters and never
cut; reals have four decimals, counts none; ids and run tags are the bytes of the file, but for a query called ``all``,
which stands in quotes.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
import numpy.typing as npt

from irev.result import Result, Screen, told_apart


def render(result: Result, screen: Screen) -> bytes:
    """The lines of a result. The screen has no influence: these lines are for machines."""
    lines: list[bytes] = []
    if result.per_query:
        lines += _per_query(result)
    if result.summarised:
        for column, value in zip(result.scores.columns, result.summary.values, strict=True):
            if value is not None:
                lines.append(b"%-22s\tall\t%s\n" % (result.name(column.request).encode(), _text(value)))
    return b"".join(lines)


def _text(value: float | int | bytes) -> bytes:
    if isinstance(value, bytes):
        return value
    if isinstance(value, int):
        return b"%d" % value
    # The C library prints the sign of a NaN, and the one that arithmetic makes is negative.
    return b"%6.4f" % value if value == value else b"  -nan"


def _per_query(result: Result) -> Iterator[bytes]:
    """The lines of one query after the other.

    One format makes all the lines of a query, several times faster than a format for each; the query takes the place of
    a NUL byte, which no id has. Bytes pass through Latin-1, which leaves them as they are.
    """
    columns = result.columns
    forms = {"f": "%6.4f", "i": "%d", "O": "%s"}
    cells = [_cells(column.values) for column in columns]
    lines = "".join(
        f"{result.name(column.request):22}\t\0\t{forms[values.dtype.kind]}\n"
        for column, values in zip(columns, cells, strict=True)
    )
    rows = zip(*(values.tolist() for values in cells), strict=True)
    for query, row in zip(result.scores.queries, rows, strict=False):
        yield (lines % row).replace("\0", told_apart(query).decode("latin-1")).encode("latin-1")


def _cells(values: npt.NDArray[Any]) -> npt.NDArray[Any]:
    """Values that a format can take: texts decoded, and reals as texts where there is a NaN among them."""
    if values.dtype.kind == "O" or (values.dtype.kind == "f" and np.isnan(values).any()):
        return np.array([*(_text(value).decode("latin-1") for value in values.tolist()), None], dtype=object)[:-1]
    return values
