"""Pairs of documents, of which the first is preferred to the second.

Any line of three words could be one, so the format is named: pairs, or wins, which only counts them.
"""

from __future__ import annotations

from irev.reading.fields import WORSE, Layout
from irev.reading.formats import JUDGMENTS, Format
from irev.reading.formats.trec import ends_in_number, lines

_LAYOUT = Layout(
    fields=("query", "document", WORSE),
    exact=True,
    empty_lines=False,
    comments="line start",
    example="topic better worse",
)


def _likely(lines: list[bytes]) -> bool:
    """Whether they are several of three fields, of which the last is never a number, or else names a document of
    another line."""
    rows = [line.split() for line in lines]
    if len(rows) < 2 or any(len(row) != len(_LAYOUT.fields) for row in rows):  # one line may be a header
        return False
    documents = {row[1] for row in rows}
    return not any(ends_in_number(line, len(row)) for line, row in zip(lines, rows, strict=True)) or any(
        row[2] in documents for row in rows
    )


JUDGMENTS.add(
    "pairs",
    Format(
        name="pairs",
        description="Preferences as pairs: topic, the better document and the worse one, separated by white space. Each"
        " document gets the grade that follows from all pairs of its topic, 1 the lowest.",
        example="q1 d01 d02\n",
        lines=lambda *given: lines(_LAYOUT, *given),
        likely=_likely,
        kind="pairs",
    ),
)

JUDGMENTS.add(
    "wins",
    Format(
        name="wins",
        description="Preferences as pairs that may contradict each other or stand several times: the same lines. The"
        " grade of a document is how many of them it is the better one of.",
        example="q1 d01 d02\n",
        lines=lambda *given: lines(_LAYOUT, *given),
        kind="wins",
    ),
)
