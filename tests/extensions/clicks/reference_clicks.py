"""Logs of clicks, slowly: random ones with faults, and what is left of them, event by event with dictionaries."""

from __future__ import annotations

import csv
import io
import json
import random
from collections import Counter
from typing import Any

LISTS = ("documents", "teams", "shares", "propensities")

SHARES = {"A": (0.25, 0.5, 0.75, 1.0), "B": (0.0, 0.25, 0.5, 0.75)}
"""Probabilities that A contributed what a team did."""

Row = dict[str, Any]


def random_log(rng: random.Random, kind: str, impressions: int = 30, faults: float = 0.0) -> list[Row]:
    """Events in order, some of them with a fault; ``kind`` is a method of interleaving, ``buckets`` or ``plain``."""
    rows: list[Row] = []
    timed, users = rng.random() < 0.7, rng.random() < 0.8
    propensities = rng.random() < 0.5
    pending: list[Row] = []
    for number in range(impressions):
        length = rng.choice([1, 2, 5, 10, 10, 10])
        documents = [f"d{n}" for n in rng.sample(range(30), length)]
        user = f"user {rng.randrange(8)}"
        shown: Row = {"event": "impression", "impression": f"i{number}", "query": f"q{rng.randrange(5)}"}
        if timed:
            shown["time"] = 1_700_000_000 + 10 * number + rng.randrange(1000) / 1000
        if users and rng.random() < 0.95:
            shown["user"] = user
        shown["documents"] = documents
        if propensities:
            shown["propensities"] = [1 / place for place in range(1, length + 1)]
        if kind == "buckets":
            shown["bucket"] = ["old", "new", "né"][hash_of(user) % 3]
            if "user" not in shown:
                shown["bucket"] = rng.choice(["old", "new", "né"])
            if rng.random() < 0.2 and not propensities:
                del shown["documents"]
        elif kind != "plain":
            teams = [rng.choice(["A", "B", "A", "B", None]) for _ in documents]
            shown |= {"method": kind, "a": "first", "b": "second", "teams": teams}
            if kind == "probabilistic":
                shown["shares"] = [None if team is None else rng.choice(SHARES[team]) for team in teams]
        spoilt = rng.random() < faults
        rows.append(_spoilt(shown, rng) if spoilt else shown)
        if rng.random() < faults / 3:
            rows.append(dict(shown))
        for place in range(length):
            while rng.random() < 0.15:
                done: Row = {"event": "click", "impression": f"i{number}", "position": place + 1}
                if "documents" in shown and rng.random() < 0.5:
                    done["document"] = documents[place]
                if rng.random() < 0.5:
                    done["dwell"] = rng.randrange(2000) / 16
                pending.append(done)
        if rng.random() < 0.2:
            pending.append({"event": "conversion", "impression": f"i{number}"})
            if rng.random() < 0.5:
                pending[-1]["value"] = rng.randrange(10_000) / 100
        for done in pending:
            if timed and "time" not in done:
                done["time"] = shown["time"] + rng.randrange(10**6) / 1000
        rng.shuffle(pending)
        while pending and rng.random() < 0.8:
            done = pending.pop()
            rows.append(_spoilt(done, rng) if rng.random() < faults else done)
    return rows + pending


def hash_of(text: str) -> int:
    """A number that is the same in every process."""
    return sum(text.encode())


def _spoilt(row: Row, rng: random.Random) -> Row:
    row = dict(row)
    spoils = {
        "impression": (_no_impression, _unknown_event, _bad_time, _list_length, _propensity, _twice, _blank),
        "click": (_no_impression, _stray, _outside, _far_outside, _wrong_document, _early, _no_position, _dwell),
        "conversion": (_no_impression, _stray, _early, _unknown_event),
    }
    rng.choice(spoils[row["event"]])(row)
    return row


def _no_impression(row: Row) -> None:
    del row["impression"]


def _unknown_event(row: Row) -> None:
    row["event"] = "scroll"


def _bad_time(row: Row) -> None:
    if "time" in row:
        del row["time"]
    else:
        row["time"] = 5.0


def _list_length(row: Row) -> None:
    names = [name for name in LISTS[1:] if name in row]
    if names:
        row[names[0]] = row[names[0]] + row[names[0]][:1]


def _propensity(row: Row) -> None:
    if "propensities" in row:
        row["propensities"] = [0.0, *row["propensities"][1:]]


def _twice(row: Row) -> None:
    if len(row.get("documents", ())) > 1:
        row["documents"] = [row["documents"][-1], *row["documents"][1:]]


def _blank(row: Row) -> None:
    row["impression"] = " " + row["impression"]


def _stray(row: Row) -> None:
    row["impression"] = "nowhere"


def _outside(row: Row) -> None:
    row["position"] = 0


def _far_outside(row: Row) -> None:
    row["position"] = 11


def _wrong_document(row: Row) -> None:
    row["document"] = "never shown"


def _early(row: Row) -> None:
    if "time" in row:
        row["time"] = 1.0


def _no_position(row: Row) -> None:
    del row["position"]


def _dwell(row: Row) -> None:
    row["dwell"] = -1


def faults_and_rest(rows: list[Row]) -> tuple[Counter[str], dict[str, Row]]:
    """How many rows have each fault, and the impressions that have none with what was done there, in order."""
    faults: Counter[str] = Counter()
    first_impression: Row | None = None
    timed: bool | None = None
    sound: list[Row] = []
    spoilt: set[str] = set()
    unsure: set[str] = set()
    for row in rows:
        code = ""
        if row["event"] not in ("impression", "click", "conversion"):
            faults["E140"] += 1
            spoilt.add(row.get("impression", ""))
            unsure.add(row.get("impression", ""))
            continue
        if timed is None:
            timed = "time" in row
        if "impression" not in row:
            faults["E113"] += 1
            continue
        if timed != ("time" in row):
            code = "E113"
        elif row["impression"] != row["impression"].strip():
            code = "E110"
        elif row["event"] == "impression":
            code = _of_impression(row)
            if not code and first_impression is None:
                first_impression = row
        elif row["event"] == "click":
            if "position" not in row:
                code = "" if "document" in row else "E113"
            elif row["position"] < 1:
                code = "E142"
            elif row.get("dwell", 0) < 0:
                code = "E113"
        if code:
            faults[code] += 1
            spoilt.add(row["impression"])
            unsure.add(row["impression"])
        else:
            sound.append(row)
    shown: dict[str, Row] = {}
    places: dict[str, int] = {}
    for place, row in enumerate(sound):
        if row["event"] == "impression":
            if row["impression"] in shown:
                faults["E144"] += 1
                spoilt.add(row["impression"])
            else:
                shown[row["impression"]] = row | {"clicks": [], "conversions": []}
                places[row["impression"]] = place
    for place, row in enumerate(sound):
        if row["event"] == "impression":
            continue
        name = row["impression"]
        of = shown.get(name)
        if of is None:
            faults["E141"] += name not in unsure
            continue
        code = ""
        if place < places[name]:
            code = "E141"
        elif timed and row["time"] < of["time"]:
            code = "E146"
        elif row["event"] == "click" and "position" not in row:
            if "documents" not in of:
                code = "E113"
            elif row["document"] not in of["documents"]:
                code = "E148"
            else:
                row = row | {"position": of["documents"].index(row["document"]) + 1}
        elif row["event"] == "click" and "documents" in of and row["position"] > len(of["documents"]):
            code = "E142"
        elif "document" in row and "documents" in of and of["documents"][row["position"] - 1] != row["document"]:
            code = "E148"
        if code:
            faults[code] += 1
            spoilt.add(name)
        else:
            of[row["event"] + "s"].append(row)
    kept = {name: row for name, row in shown.items() if name not in spoilt}
    return Counter({code: count for code, count in faults.items() if count}), kept


def _of_impression(row: Row) -> str:
    documents = row.get("documents")
    for name in LISTS[1:]:
        if name in row and documents is None:
            return "E113"
    if documents is not None and len(set(documents)) < len(documents):
        return "E103"
    for name in LISTS[1:]:
        if name in row and len(row[name]) != len(documents):
            return "E143"
        if name == "propensities" and not all(0 < each <= 1 for each in row.get(name, ())):
            return "E147"
    return ""


def as_jsonl(rows: list[Row], spaced: bool = True) -> bytes:
    """A log in JSON."""
    separators = None if spaced else (",", ":")
    return "".join(json.dumps(row, separators=separators) + "\n" for row in rows).encode()


def as_csv(rows: list[Row], separator: str = ",", quoting: int = csv.QUOTE_MINIMAL) -> bytes:
    """A log as a table."""
    names = list(dict.fromkeys(name for row in rows for name in row))
    text = io.StringIO()
    writer = csv.writer(text, delimiter=separator, quoting=quoting, lineterminator="\n")  # type: ignore[arg-type]
    writer.writerow(names)
    for row in rows:
        writer.writerow([_cell(row.get(name)) for name in names])
    return text.getvalue().encode()


def _cell(value: Any) -> str:
    if isinstance(value, list):
        return " ".join("-" if item is None else str(item) for item in value)
    return "" if value is None else str(value)
