"""The earliest fault of a table: the same one in whatever order its rows stand, as there are no lines to go by.

Readers raise the first fault that they meet. What they refused is looked at again here, slowly, and of all that is
wrong the row that is least by query, document and code is named.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterator
from typing import Any

from irev.arrow.columns import JUDGMENTS, TableRows
from irev.base.settings import Settings
from irev.base.text import encoded
from irev.errors import RowError, decimal
from irev.reading.judgments import LARGEST


def earliest_fault(columns: TableRows, settings: Settings) -> RowError | None:
    """The least of all faults of the rows; None where what is wrong is not a row."""
    found = sorted(_faults(columns, settings), key=lambda fault: fault[:3])
    return RowError(columns.name, *found[0]) if found else None


_Fault = tuple[bytes, bytes, str, str, str]
"""Query, document, code, fact and remedy."""


def _faults(columns: TableRows, settings: Settings) -> Iterator[_Fault]:
    lists = [columns.table.column(place).to_pylist() for place in range(3)]
    orders = [None] * columns.rows if columns.order is None else columns.order.to_pylist()
    seen: Counter[tuple[bytes, bytes]] = Counter()
    places: Counter[tuple[bytes, int | None]] = Counter()
    for query, document, value, order in zip(*lists, orders, strict=True):
        row = _bytes(query), _bytes(document)
        for role, written in (("query", query), ("document", document)):
            if written is None:
                yield *row, "E113", f"the {role} is null", "expected an id in every row"
            elif (empty := not _bytes(written)) or b"\0" in _bytes(written):
                fact = f"the {role} id {'is empty' if empty else 'holds a NUL'}"
                yield *row, "E110", fact, "expected an id in every row"
        wrong = _wrong_number(columns.role, value, settings)
        if wrong is not None:
            yield *row, *wrong
        if columns.order is not None:
            places[row[0], order] += 1
            if order is None:
                yield *row, "E113", "the order is null", _OTHER_PLACE
            elif places[row[0], order] == 2:
                yield *row, "E105", f"another row of the query has its order, {order}", _OTHER_PLACE
        if settings.drop_self and columns.name != JUDGMENTS and row[0] == row[1]:
            continue
        seen[row] += 1
        if seen[row] == 2 and (columns.name == JUDGMENTS or settings.duplicates == "error"):
            again = "judged" if columns.name == JUDGMENTS else "retrieved"
            choose = "" if columns.name == JUDGMENTS else ", or choose duplicates='first' or 'best'"
            yield *row, "E103", f"the document is {again} again", f"keep one of the two{choose}"


_OTHER_PLACE = "expected another number in each row of a query"


def _bytes(written: Any) -> bytes:
    if written is None:
        return b""
    return written if isinstance(written, bytes) else encoded(written) if isinstance(written, str) else b"%d" % written


def _wrong_number(role: str, value: Any, settings: Settings) -> tuple[str, str, str] | None:
    """Code, fact and remedy of what is no grade, score or rank."""
    if value is None:
        return "E113", f"the {role} is null", "expected a number in every row"
    number = float(value)
    if role != "grade":
        return ("E105", f"the {role} {value} is no number", "expected a number") if math.isnan(number) else None
    if math.isnan(number):
        return "E102", f"the grade {value} is no number", "expected a grade such as 0, 1 or 0.5"
    if abs(number) > LARGEST:
        return "E102", f"the grade {value} is too large", "expected at most 2^53"
    if number < 0 and settings.negative == "error":
        remedy = "negative='unjudged' or 'nonrelevant' gives it a meaning"
        return "E106", f"the grade {decimal(number)} is negative", remedy
    return None
