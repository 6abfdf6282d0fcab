"""Logs of User Behavior Insights say what the same log says in irev's own fields; clicks may name a document alone."""

import json
import random
from datetime import UTC, datetime
from pathlib import Path

import numpy as np
import pytest
from reference_clicks import as_csv, as_jsonl

from irev.base.errors import InputError
from irev.extensions.clicks.events.log import Log

EPOCH = 1_780_000_000


def dated(seconds: float) -> str:
    return datetime.fromtimestamp(seconds, UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")


def made_up(seed: int, impressions: int = 40) -> list[dict]:
    """A log in irev's fields: buckets, clicks, conversions, queries that find nothing."""
    chance, rows = random.Random(seed), []
    for number in range(impressions):
        user, time = f"u{chance.randrange(9)}", EPOCH + 60 * number
        documents = chance.sample([f"p{each}" for each in range(9)], chance.choice([0, 3, 6]))
        asked = {"query": f"shoes {chance.randrange(4)}", "bucket": f"b{int(user[1:]) % 2}", "documents": documents}
        named = {"impression": f"i{number}", "user": user}
        rows.append({"event": "impression", **named, **asked, "time": dated(time)})
        for place in sorted(chance.sample(range(len(documents)), min(len(documents), chance.randrange(3)))):
            rows.append({"event": "click", **named, "time": dated(time + 1 + place), "position": place + 1})
        if documents and chance.random() < 0.2:
            rows.append({"event": "conversion", **named, "time": dated(time + 20.5)})
    return rows


def as_ubi(rows: list[dict], chance: random.Random) -> tuple[list[dict], list[dict]]:
    """The same as records of ubi_queries and of ubi_events, with some that say nothing about clicks."""
    queries, events = [], []
    shown = {row["impression"]: row for row in rows if row["event"] == "impression"}
    for row in rows:
        common = {"application": "shop", "query_id": row["impression"], "client_id": row["user"]}
        moment = datetime.fromisoformat(row["time"])
        common["timestamp"] = chance.choice([row["time"], round(moment.timestamp() * 1000)])
        if row["event"] == "impression":
            record = {**common, "user_query": row["query"], "query_attributes": {"bucket": row["bucket"]}}
            record["query"] = json.dumps({"query": {"match": {"title": row["query"]}}, "event": "no"})
            record |= {"query_response_id": f"r{row['impression']}", "query_response_hit_ids": row["documents"] or None}
            queries.append(record)
            events.append({**common, "action_name": "on_search", "event_attributes": {"object": None}})
        elif row["event"] == "click":
            document = shown[row["impression"]]["documents"][row["position"] - 1]
            by_document = {"object": {"object_id": document, "object_id_field": "sku"}, "position": {"ordinal": 0}}
            ordinals = [
                {"position": {"ordinal": row["position"]}},
                {"position": {"ordinal": {"index": row["position"]}}},
            ]
            attributes = chance.choice([by_document, *ordinals])
            events.append(
                {**common, "action_name": chance.choice(["click", "click_through"]), "event_attributes": attributes}
            )
        else:
            events.append({**common, "action_name": "purchase", "event_attributes": {}})
    return queries, events


def lines(records: list[dict]) -> bytes:
    return "".join(json.dumps(each) + "\n" for each in records).encode()


def exported(records: list[dict]) -> list[dict]:
    return [{"_index": "ubi_x", "_id": str(number), "_source": each} for number, each in enumerate(records)]


def in_bulk(records: list[dict], index: str) -> list[dict]:
    return [line for each in records for line in ({"index": {"_index": index, "_id": "1"}}, each)]


def found_in(*paths: Path, memory: int | None = None) -> list[tuple]:
    """What is kept of each impression, in their order, but for where it stands."""
    found = []
    with Log([str(path) for path in paths], memory=memory) as log:
        for some in log.impressions():
            for i in range(len(some)):
                clicks = some.click_of == i
                items = slice(some.start[i], some.start[i] + max(some.length[i], 0))
                done = (
                    some.position[clicks].tolist(),
                    some.click_time[clicks].tolist(),
                    int(sum(some.conversion_of == i)),
                )
                shown = (some.length[i], some.lists.get("documents", np.zeros(0))[items].tolist(), some.bucket[i])
                found.append((some.time[i], some.user[i].tolist(), int(some.query[i]), *shown, *done))
        log.require_sound()
        assert log.facts.left_out == 0
    return sorted(found)


@pytest.mark.parametrize("seed", range(3))
def test_records_say_what_the_same_log_says_in_fields_of_irev(seed: int, tmp_path: Path) -> None:
    rows = made_up(seed)
    own, queries, events = (tmp_path / name for name in ("own", "queries.ndjson", "events.ndjson"))
    own.write_bytes(as_jsonl(rows))
    asked, done = as_ubi(rows, random.Random(seed))
    expected = found_in(own)

    queries.write_bytes(lines(asked))
    events.write_bytes(lines(done))
    assert expected == found_in(queries, events)
    queries.write_bytes(lines(exported(asked)))
    events.write_bytes(lines(exported(done)))
    assert expected == found_in(queries, events)
    queries.write_bytes(lines(in_bulk(asked, "ubi_queries") + in_bulk(done, "ubi_events")))
    assert expected == found_in(queries)


def test_a_log_in_parts_has_positions_of_documents_too(tmp_path: Path) -> None:
    rows = made_up(7, impressions=300)
    path = tmp_path / "log"
    path.write_bytes(lines([each for records in as_ubi(rows, random.Random(7)) for each in records]))

    assert found_in(path) == found_in(path, memory=1000)


@pytest.mark.parametrize("write", [as_jsonl, as_csv])
def test_a_click_may_name_its_document_in_place_of_the_position(write, tmp_path: Path) -> None:
    rows = [row for row in made_up(3) if row["event"] != "impression" or row["documents"]]
    asked = {row["impression"] for row in rows if row["event"] == "impression"}
    rows = [row for row in rows if row["impression"] in asked]
    shown = {row["impression"]: row["documents"] for row in rows if row["event"] == "impression"}
    by_document = [
        {name: value for name, value in row.items() if name != "position"}
        | {"document": shown[row["impression"]][row["position"] - 1]}
        if row["event"] == "click"
        else row
        for row in rows
    ]
    one, other = tmp_path / "positions", tmp_path / "documents"
    one.write_bytes(write(rows))
    other.write_bytes(write(by_document))

    assert found_in(one) == found_in(other)


@pytest.mark.parametrize(
    ("impression", "click", "said"),
    [
        ({"documents": ["d1"]}, {"document": "d2"}, "the document clicked was not shown"),
        ({"documents": []}, {"document": "d2"}, "the document clicked was not shown"),
        ({"documents": ["d1"]}, {}, "the click has no position and no document"),
        ({}, {"document": "d1"}, "the click has no position, and its impression no documents"),
    ],
)
def test_a_click_at_no_position_is_refused(impression: dict, click: dict, said: str, tmp_path: Path) -> None:
    rows = [{"event": "impression", "impression": "i", **impression}, {"event": "click", "impression": "i", **click}]
    (tmp_path / "log").write_bytes(as_jsonl(rows))

    with pytest.raises(InputError, match=said):
        found_in(tmp_path / "log")


def test_commands_read_records_and_name_the_actions_that_they_ignore(irev, tmp_path: Path) -> None:
    for name, records in zip(("queries", "events"), as_ubi(made_up(1), random.Random(1)), strict=True):
        (tmp_path / name).write_bytes(lines(records))

    done = irev("online", "click-models", "-f", "json", str(tmp_path / "queries"), str(tmp_path / "events"))

    assert (0, 40) == (done.status, json.loads(done.stdout)["events"]["impressions"])
    assert "action_name on_search" in done.stderr


def test_events_before_their_queries_are_refused_with_a_remedy(tmp_path: Path) -> None:
    queries, events = as_ubi(made_up(1), random.Random(1))
    (tmp_path / "log").write_bytes(lines([*events, *queries]))

    with pytest.raises(InputError, match="is before its impression"):
        found_in(tmp_path / "log")
