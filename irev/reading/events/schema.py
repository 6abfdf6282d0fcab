"""The fields of a log: what they are called, and what kind of value each has."""

from __future__ import annotations

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

FIELDS = frozenset(("event", *(field for fields in OF.values() for field in fields)))

A, B, NOBODY = 1, -1, 0
TEAM = {"A": A, "B": B, None: NOBODY}
"""Whose a document is."""

MICROSECONDS = 1_000_000
"""TimeColumn are whole numbers of these to a second."""

ON_ERROR = REFUSE, DROP = ("refuse", "drop")
"""What can be done about events that are wrong."""
