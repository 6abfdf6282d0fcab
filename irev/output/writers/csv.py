"""CSV with a header, quoted as in RFC 4180 where that is needed: judgments in the columns query_id, iteration, doc_id,
relevance, runs in query_id, doc_id, rank, score, tag; those that the rows have."""

from __future__ import annotations

import re
from collections.abc import Iterator

from irev.output.writers import NAMES, Data, require_short, require_table

_QUOTED = re.compile(rb'[",]')


def write(data: Data) -> Iterator[bytes]:
    """The header, and a line for each row."""
    yield ",".join(NAMES.get(role, role) for role in data.roles).encode() + b"\n"
    for rows in data.rows():
        require_table(rows, "csv")
        columns = (_fields(rows.columns[role]) for role in data.roles)
        lines = [b",".join(row) + b"\n" for row in zip(*columns, strict=True)]
        require_short(rows, lines, "csv")
        yield b"".join(lines)


def _fields(values: list[bytes]) -> list[bytes]:
    if not _QUOTED.search(b"\n".join(values)):
        return values
    return [b'"%b"' % value.replace(b'"', b'""') if _QUOTED.search(value) else value for value in values]
