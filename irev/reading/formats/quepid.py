"""Quepid's exports: ratings as judgments, a snapshot as a run. Queries are their texts.

The basic export of a case has the columns query, docid and rating, the detailed one Query Text, Doc ID, Title and
Rating; where a query or a document is not rated yet, the rating is missing, and there is no judgment. A snapshot has
the documents that a query found, with their positions. What it exports as JSON `irev.reading.formats.search_tools`
reads.
"""

from __future__ import annotations

from irev.base.errors import Faults
from irev.base.settings import Settings
from irev.reading import columns
from irev.reading.columns import Naming
from irev.reading.fields import Layout
from irev.reading.formats import HEAD, JUDGMENTS, RUNS, Format, delimited, search_tools
from irev.reading.json_reader import begins_json
from irev.reading.sources import Source, Stream

BASIC = (("query", "docid", "rating"), ("query", "doc_id", "rating"))
"""All columns of the basic export, as it is and as it was."""

DETAILED = ("Query Text", "Doc ID", "Rating")
SNAPSHOT = ("Query Text", "Doc ID", "Doc Position")
"""Columns of the other exports, for the query, the document and its number."""


def _naming(names: tuple[str, ...], settings: Settings, value: str) -> Naming:
    roles = ("query", "document", "grade" if value == "grade" else "rank")
    return Naming(
        roles, dict(zip(roles, names, strict=True)) | columns.chosen(settings, value), "--columns {role}=NAME"
    )


def _judgments(source: Source, settings: Settings, faults: Faults) -> tuple[Layout, Stream]:
    if begins_json(source.head(HEAD)):
        return search_tools.quepid(source, settings, faults)
    there = delimited.header(source.head(HEAD), ",")
    names = next((names for names in BASIC if set(names) <= set(there)), DETAILED)
    return delimited.lines(",", _naming(names, settings, "grade"), source, faults, unrated=True)


def _run(source: Source, settings: Settings, faults: Faults) -> tuple[Layout, Stream]:
    return delimited.lines(",", _naming(SNAPSHOT, settings, "score"), source, faults, one="Snapshot Name")


def _has(head: bytes, names: tuple[str, ...]) -> bool:
    return all(name.encode() in head.partition(b"\n")[0] for name in names) and set(names) <= set(
        delimited.header(head, ",")
    )


def _is_ratings(head: bytes) -> bool:
    basic = head.startswith(b"query,") and tuple(delimited.header(head, ",")) in BASIC
    return basic or _has(head, DETAILED) or search_tools.is_quepid(head)


Format(
    name="quepid",
    description="Quepid's exports of a case: CSV with the columns query, docid and rating, or Query Text, Doc ID and"
    " Rating; or JSON with queries and their ratings. Documents without a rating are unjudged.",
    example="query,docid,rating\nred shoes,d01,2\nred shoes,d02,0\nblue sky\n",
    lines=_judgments,
    recognised=lambda head, settings: _is_ratings(head),
    special=True,
).add_to(JUDGMENTS)
Format(
    name="quepid",
    description="Quepid's export of a snapshot: CSV with the columns Query Text, Doc ID and Doc Position; "
    "ordered by position.",
    example="Snapshot Name,Snapshot Time,Case ID,Query Text,Doc ID,Doc Position\n"
    "before,2026-01-31,8,red shoes,d01,1\nbefore,2026-01-31,8,red shoes,d02,2\n",
    lines=_run,
    recognised=lambda head, settings: _has(head, SNAPSHOT),
    special=True,
).add_to(RUNS)
