"""The fields of a log: what they are called, and what kind of value each has."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import field

from irev.base.errors import InputError
from irev.base.records import dataclass
from irev.base.text import and_more

EVENTS = IMPRESSION, CLICK, CONVERSION = ("impression", "click", "conversion")

METHODS = {"team-draft": (), "probabilistic": ("shares",)}
"""How a list can be interleaved, and the fields that lists have then, beside teams."""

KINDS = INTERLEAVED, BUCKETS, PLAIN = ("interleaved", "buckets", "plain")
"""Of impressions: lists of two systems put together; of variants, of which each user sees one; or neither."""

TEXTS = ("impression", "user", "query", "bucket", "method", "a", "b", "document")
"""Fields that hold an id or a name."""

NUMBERS = ("position", "dwell", "value")
"""Fields that hold a number."""

TIME = "time"

DOCUMENTS, TEAMS = "documents", "teams"
NUMBER_LISTS = ("shares", "propensities")
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
        remedy = "expected JSON objects, one a line, a table with a header, or Parquet, with the fields of docs/logs.md"
        raise InputError(f"this is not a log of events: there is no column {lacking}{columns}", file, remedy)


FIELDS = frozenset(("event", *(field for fields in OF.values() for field in fields)))

ELSEWHERE = {
    **dict.fromkeys(("uid", "userid", "visitor", "visitor_id", "client_id", "client"), "user"),
    **dict.fromkeys(("variant", "variation", "arm", "group", "treatment"), "bucket"),
    **dict.fromkeys(("timestamp", "datetime", "date", "ts"), TIME),
    **dict.fromkeys(("rank", "pos"), "position"),
    **dict.fromkeys(("doc", "docid", "doc_id", "item", "item_id"), "document"),
    "type": "event",
}
"""Names of fields in other logs, and the field that each probably means."""


def with_meant(name: str) -> str:
    """The name of an unknown field, and the field that is perhaps meant."""
    folded = name.lower()
    meant = ELSEWHERE.get(folded) or folded.removesuffix("_id").removesuffix("id")
    return f"{name} (is it `{meant}`?)" if meant in FIELDS else name


A, B, NOBODY = 1, -1, 0
TEAM = {"A": A, "B": B, None: NOBODY}
"""Whose a document is."""

MICROSECONDS = 1_000_000
"""TimeColumn are whole numbers of these to a second."""

_TOLD = 8
"""Columns that a message names."""

ON_ERROR = REFUSE, DROP = ("refuse", "drop")
"""What can be done about events that are wrong."""


@dataclass
class LogFacts:
    """What a log is.

    Attributes
    ----------
    kind : str
        One of `schema.KINDS`: that of the first impression.
    method : str
        One of `schema.METHODS`, of interleaved lists; else empty.
    names : tuple of str
        The names of the systems A and B, which are ``A`` and ``B`` unless the log has them.
    buckets : list of str
        The names of the buckets, in order of names; what `Impressions.bucket` refers to.
    timed : bool
        Whether events have times.
    rows, impressions, clicks, conversions : int
        Rows with something on them; the others of those that are kept, when all is put together.
    left_out : int
        Events that are not, those with faults among them.
    unnamed : int
        Impressions that name no user; each is taken for a user of its own.
    strange : set of str
        Names of fields that no event has.
    """

    kind: str = ""
    method: str = ""
    names: tuple[str, str] = ("A", "B")
    buckets: list[str] = field(default_factory=list)
    timed: bool = False
    rows: int = 0
    impressions: int = 0
    clicks: int = 0
    conversions: int = 0
    left_out: int = 0
    unnamed: int = 0
    strange: set[str] = field(default_factory=set)
