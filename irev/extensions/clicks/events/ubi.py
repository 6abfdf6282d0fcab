"""Logs of OpenSearch's User Behavior Insights: records of the indexes ubi_queries and ubi_events, one on each line.

A query with the ids of its hits is an impression; clicks and purchases name it by its `query_id`, and their document by
its `object_id`. The specification leaves the names of actions to applications: those that it proposes itself are read,
and all others ignored. What it has no field for, such as a bucket, stands in `query_attributes` under its name in
`schema`.

Source: the specification, https://o19s.github.io/ubi, version 1.3; and the mappings of OpenSearch's plugin.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from datetime import UTC, datetime
from typing import Any

from irev.extensions.clicks.events import json_lines, schema
from irev.extensions.clicks.events.rows import EventBlock
from irev.reading.formats import head_of
from irev.reading.sources import BOM, Source

ACTIONS = {
    **dict.fromkeys(("click", "click_through", "item_click"), schema.CLICK),
    **dict.fromkeys(("purchase", "product_purchase"), schema.CONVERSION),
}
"""Events, by the `action_name` that they have in the specification and the documentation."""

_HITS, _RESPONSE, _SHOWN = "query_response_hit_ids", "query_response_id", "user_query"
_IN_BULK = ("index", "create")


def is_ubi(source: Source) -> bool:
    """Whether the first line is a record of these indexes: as it stands there, exported, or in a bulk request."""
    line = head_of(source).removeprefix(BOM).lstrip().partition(b"\n")[0]
    try:
        found, _ = json.JSONDecoder().raw_decode(line.decode(errors="replace"))
    except (ValueError, RecursionError):
        return False
    return type(found) is dict and "event" not in found and _is_record(found)


def _is_record(found: dict[str, Any]) -> bool:
    for action in _IN_BULK:
        about = found.get(action)
        if len(found) == 1 and type(about) is dict:
            return str(about.get("_index", "")).startswith("ubi_")
    record = _record(found)
    return "query_id" in record and not {"action_name", _HITS, _RESPONSE, _SHOWN}.isdisjoint(record)


def _record(found: dict[str, Any]) -> dict[str, Any]:
    """The record of a hit, or what is none."""
    inside = found.get("_source")
    return inside if type(inside) is dict else found


def blocks(source: Source) -> Iterator[EventBlock]:
    """The events of a log, some at a time."""
    ignored: set[str] = set()

    def reading(found: dict[str, Any]) -> dict[str, Any] | None:
        if len(found) == 1 and next(iter(found)) in _IN_BULK:
            return None
        record = _record(found)
        action = record.get("action_name")
        if action is None:
            return _impression(record)
        event = ACTIONS.get(action) if type(action) is str else None
        if event is None:
            ignored.add(f"action_name {action}"[:40])
            return None
        return _action(record, event)

    for block in json_lines.blocks(source, reading):
        block.strange.update(ignored)
        yield block


def _impression(record: dict[str, Any]) -> dict[str, Any]:
    given = record.get("query_attributes")
    attributes = given if type(given) is dict else {}
    found = {name: attributes[name] for name in schema.OF[schema.IMPRESSION] if name in attributes}
    if _HITS in record or _RESPONSE in record:
        hits = record.get(_HITS)
        found[schema.DOCUMENTS] = [] if hits is None else hits  # of a query that found nothing
    return {"query": record.get(_SHOWN), **found, **_common(record), "event": schema.IMPRESSION}


def _action(record: dict[str, Any], event: str) -> dict[str, Any]:
    found = {**_common(record), "event": event}
    if event == schema.CLICK:
        document = _inside(record, "object", "object_id")
        if document is not None:
            return {**found, "document": document}
        place = _inside(record, "position", "ordinal")
        return {**found, "position": place.get("index") if type(place) is dict else place}
    return found


def _common(record: dict[str, Any]) -> dict[str, Any]:
    user = record.get("client_id")
    return {
        "impression": record.get("query_id"),
        "user": user if user != "" else None,
        schema.TIME: _time(record.get("timestamp")),
    }


def _inside(record: dict[str, Any], *names: str) -> Any:
    value = record.get("event_attributes")
    for name in names:
        value = value.get(name) if type(value) is dict else None
    return value


def _time(value: Any) -> Any:
    """Milliseconds since 1970 as a date, as other records have it."""
    if type(value) is str and value.isdecimal() and len(value) < 16:
        value = int(value)
    if type(value) is not int or abs(value) >= 10**14:
        return value
    return datetime.fromtimestamp(value / 1000, UTC).isoformat()
