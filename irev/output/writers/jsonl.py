"""JSONL: a record in each line, with the fields that `irev.output.writers.csv` has as columns. Numbers stand as they
were written, but for what JSON has no room for: a plus sign, zeros in front, a point without digits on both sides."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator

from irev.output.writers import NAMES, Data, require_held, require_short, require_table, utf8
from irev.reading.columns import TEXTS
from irev.reading.rows import Rows

ENDINGS = ("ndjson",)

_INFINITE = re.compile(rb"inf", re.IGNORECASE)
_NUMBER = re.compile(r"-?(0|[1-9][0-9]*)(\.[0-9]+)?([eE][+-]?[0-9]+)?")
_PARTS = re.compile(r"([+-]?)0*([0-9]*)\.?([0-9]*)((?:[eE][+-]?[0-9]+)?)")


def write(data: Data) -> Iterator[bytes]:
    """A line for each row."""
    record = "{" + ", ".join(f'"{NAMES.get(role, role)}": %s' for role in data.roles) + "}\n"
    for rows in data.rows():
        require_table(rows, "jsonl")
        lines = [record % row for row in zip(*(_values(rows, role) for role in data.roles), strict=True)]
        encoded = [line.encode() for line in lines]
        require_short(rows, encoded, "jsonl")
        yield b"".join(encoded)


def _values(rows: Rows, role: str) -> list[str]:
    if role in TEXTS:
        written: Callable[[str], str] = json.JSONEncoder(ensure_ascii=False).encode
        return [written(value) for value in utf8(rows, role, "jsonl")]
    require_held(rows, role, _INFINITE, "jsonl", "JSON has no infinity", "trec, csv and parquet can store it")
    return [_number(value.decode()) for value in rows.columns[role]]


def _number(written: str) -> str:
    """The same digits as JSON has them."""
    if _NUMBER.fullmatch(written):
        return written
    sign, whole, decimals, exponent = _PARTS.fullmatch(written).groups()  # type: ignore[union-attr]  # it is a number
    return f"{sign.strip('+')}{whole or '0'}{'.' if decimals else ''}{decimals}{exponent}"
