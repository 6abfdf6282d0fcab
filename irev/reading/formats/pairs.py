"""Pairs of documents, of which the first is preferred to the second.

Any line of three words could be one, so the format is named.
"""

from __future__ import annotations

from irev.reading.fields import WORSE, Layout
from irev.reading.formats import JUDGMENTS, Format
from irev.reading.formats.trec import lines

_LAYOUT = Layout(
    fields=("query", "document", WORSE),
    exact=True,
    empty_lines=False,
    comments="line start",
    example="topic better worse",
)

JUDGMENTS.add(
    "pairs",
    Format(
        name="pairs",
        description="Preferences as pairs: topic, the better document and the worse one, separated by white space. Each"
        " document gets the grade that follows from all pairs of its topic, 1 the lowest.",
        example="q1 d01 d02\n",
        lines=lambda *given: lines(_LAYOUT, *given),
        kind="pairs",
    ),
)
