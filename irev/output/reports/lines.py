"""The rows of a report as fields of text, which lists such as tsv and csv hold."""

from __future__ import annotations

from collections.abc import Iterator

from irev.base.text import EXACT, number
from irev.output.report import Plain, Report


def lines(report: Report) -> Iterator[list[str]]:
    """A header, and the rows as text: nothing for what is not there, and ``true`` or ``false``."""
    columns, exact = report.columns, report.exact
    yield list(columns)
    digits = [EXACT if column in exact else report.look.digits for column in columns]
    for row in report.rows:
        yield [
            value if isinstance(value, str) else _text(value, places) for value, places in zip(row, digits, strict=True)
        ]


def _text(value: Plain, digits: int) -> str:
    if value is None or isinstance(value, str):
        return value or ""
    return str(value).lower() if isinstance(value, bool) else number(value, digits)
