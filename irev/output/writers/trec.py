"""TREC's formats: ``query 0 document grade`` for judgments, ``query Q0 document rank score tag`` for runs.

What rows have none of is filled in, as nothing is lost by it: 0 for the second field of judgments; for a rank the place
of the row among those of its query; for a score the rank with its sign changed, by which it is ordered just so; for a
run id the name of the file, without folder and suffixes, which is what irev calls it anyway.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator
from itertools import repeat

from irev.base.errors import InputError
from irev.output.writers import Data, require_held, require_short
from irev.reading import formats
from irev.reading.formats import HEAD, JUDGMENTS, RUNS
from irev.reading.rows import Rows

ENDINGS = ("qrels", "run", "txt")
FILLS = True
"""Whether rows need not have everything."""

_BLANKS = b"\0\t\v\f\r "
LOST = re.compile(b"[%b]" % _BLANKS)
"""What would end a field, or be refused in one; but for a newline, which no id holds, and which stands between many."""

_COMMENT = re.compile(rb"^#", re.MULTILINE)


def write(data: Data) -> Iterator[bytes]:
    """A line for each row."""
    places: Counter[bytes] = Counter()
    begun = False
    for rows in data.rows():
        for role, values in rows.columns.items():
            joined = b"\n" + b"\n".join(values)
            if len(joined.translate(None, _BLANKS)) < len(joined):  # much quicker than a pattern
                require_held(rows, role, LOST, "trec", "there is a blank in it", "csv, jsonl and parquet can store it")
            if role == "query" and b"\n#" in joined:
                comment = "the line would be read as a comment"
                require_held(rows, role, _COMMENT, "trec", comment, "csv, jsonl and parquet can store it")
        lines = _judgments(rows) if data.kind == "qrels" else _results(rows, places)
        require_short(rows, lines, "trec")
        text = b"".join(lines)
        if not begun:
            taken_for = formats.taken_for(RUNS if data.kind == "run" else JUDGMENTS, text[:HEAD])
            if taken_for:
                fact = f"as a TREC file this would be read as {taken_for}, because of its first bytes"
                raise InputError(fact, rows.name, "begin with another query, or convert to csv")
            begun = True
        yield text


def _judgments(rows: Rows) -> list[bytes]:
    columns = rows.columns
    iteration = columns.get("iteration", [b"0"] * rows.number)
    fields = zip(columns["query"], iteration, columns["document"], columns["grade"], strict=True)
    return [b"%b %b %b %b\n" % row for row in fields]


def _results(rows: Rows, places: Counter[bytes]) -> list[bytes]:
    columns = rows.columns
    ranks = columns["rank"] if "rank" in columns else _numbered(columns["query"], places)
    scores = columns.get("score") or [_negated(rank) for rank in ranks]
    tags = columns["tag"] if "tag" in columns else [rows.called] * rows.number
    ends = [b"%b\n" % tag for tag in tags]
    return list(map(b" ".join, zip(columns["query"], repeat(b"Q0"), columns["document"], ranks, scores, ends)))


def _numbered(queries: list[bytes], places: Counter[bytes]) -> list[bytes]:
    found = []
    for query in queries:
        places[query] += 1
        found.append(b"%d" % places[query])
    return found


def _negated(rank: bytes) -> bytes:
    return rank[1:] if rank.startswith(b"-") else b"-" + rank.removeprefix(b"+")
