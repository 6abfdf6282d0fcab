"""The fields of a log: what they are called, and what kind of value each has."""

from __future__ import annotations

import re
from collections.abc import Sequence

from irev.base.text import and_more
from irev.errors import InputError

EVENTS = IMPRESSION, CLICK, CONVERSION = ("impression", "click", "conversion")

METHODS = TEAM_DRAFT, BALANCED, PROBABILISTIC = ("team-draft", "balanced", "probabilistic")
"""How a list can be interleaved."""

KINDS = INTERLEAVED, BUCKETS, PLAIN = ("interleaved", "buckets", "plain")
"""Of impressions: lists of two systems put together; of variants, of which each user sees one; or neither."""

TEXTS = ("impression", "user", "query", "bucket", "method", "a", "b", "document")
"""Fields that hold an id or a name."""

NUMBERS = ("position", "dwell", "value")
"""Fields that hold a number."""

TIME = "time"

DOCUMENTS, TEAMS = "documents", "teams"
NUMBER_LISTS = ("shares", "ranks_a", "ranks_b", "propensities")
LISTS = (DOCUMENTS, TEAMS, *NUMBER_LISTS)
"""Fields that hold a list with an item for each document shown."""

OF = {
    IMPRESSION: ("impression", "time", "user", "query", "bucket", "method", "a", "b", *LISTS),
    CLICK: ("impression", "time", "user", "bucket", "position", "document", "dwell"),
    CONVERSION: ("impression", "time", "user", "bucket", "value"),
}
"""The fields that each event may have beside ``event``."""


def require_columns(names: Sequence[str], file: str) -> None:
    """Raise `InputError` for a table without the columns that every event has.

    The columns that there are are told, but for what no field would be called: where the header is missing, users.
    """
    lacking = next((name for name in ("event", IMPRESSION) if name not in names), None)
    if lacking is not None:
        told = [name for name in names if re.fullmatch("[A-Za-z_][A-Za-z_]{0,30}", name)]
        columns = f"; there are {', '.join(told[:_TOLD])}{and_more(len(told), _TOLD)}" if told else ""
        remedy = "expected objects of JSON on lines, a table with a header, or Parquet, with the fields of docs/logs.md"
        raise InputError(f"this is no log of events: there is no column {lacking}{columns}", file, remedy)


FIELDS = frozenset(("event", *(field for fields in OF.values() for field in fields)))

A, B, NOBODY = 1, -1, 0
TEAM = {"A": A, "B": B, None: NOBODY}
"""Whose a document is."""

MICROSECONDS = 1_000_000
"""TimeColumn are whole numbers of these to a second."""

_TOLD = 8
"""Columns that a message names."""

ON_ERROR = REFUSE, DROP = ("refuse", "drop")
"""What can be done about events that are wrong."""
