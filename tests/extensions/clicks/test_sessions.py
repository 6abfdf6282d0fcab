"""Sessions of users: measures of them, beside slow arithmetic, however a log is written."""

import csv
import json
import random
from collections import defaultdict
from math import inf, sqrt
from pathlib import Path

import pytest
from outcomes import refused
from reference_clicks import as_csv, as_jsonl

from irev.extensions.clicks.events.log import Log
from irev.extensions.clicks.online import AbChoices
from irev.extensions.clicks.online.ab import compare

HALF_AN_HOUR = 1800


def random_sessions(rng: random.Random, named: bool, timed: bool = True, users: int = 12) -> list[dict]:
    """Users who come back soon or late, reformulate, and have what they came for or not."""
    rows, number = [], 0
    for user in range(users):
        time, session = rng.randrange(1000), 0
        for _ in range(rng.randrange(1, 9)):
            number += 1
            time += rng.choice([20, 600, HALF_AN_HOUR, HALF_AN_HOUR + 1, 9000])
            shown = {"event": "impression", "impression": f"i{number}", "time": time, "user": f"u{user}"}
            shown["bucket"] = "new" if user % 3 else "old"
            if named and rng.random() < 0.8:
                session += rng.random() < 0.4
                shown["session"] = f"s{session}"  # of one user: another has sessions of the same name
            rows.append(shown)
            for event, chance in (("reformulation", 0.3), ("success", 0.3), ("success", 0.1)):
                if rng.random() < chance:
                    after = rng.randrange(100)
                    rows.append({"event": event, "impression": f"i{number}", "time": time + after})
            for rank in (1, 2, 2, 10):
                if rng.random() < 0.3:
                    rows.append({"event": "click", "impression": f"i{number}", "time": time + 3, "position": rank})
    if not timed:
        rows = [{name: value for name, value in row.items() if name != "time"} for row in rows]
    return rows


def slowly(rows: list[dict]) -> dict[tuple[str, str], tuple[float | None, float | None]]:
    """The value of each metric in each bucket, and its error, from users who are left out in turn."""
    done = defaultdict(list)
    for row in rows:
        if row["event"] != "impression":
            done[row["impression"]].append(row)
    of_user = defaultdict(list)
    for row in rows:
        if row["event"] == "impression":
            of_user[row["user"], row["bucket"]].append(row)
    sums = defaultdict(list)
    for (_, bucket), shown in of_user.items():
        sessions, last = defaultdict(list), -inf
        count = 0
        for row in sorted(shown, key=lambda each: each.get("time", 0)):
            if "session" in row:
                sessions["named", row["session"]].append(row)
                continue
            if row.get("time", 0) - last > HALF_AN_HOUR:
                count += 1
            last = row.get("time", 0)
            sessions[count].append(row)
        times = []
        for of in sessions.values():
            found = [
                each.get("time", 0) for row in of for each in done[row["impression"]] if each["event"] == "success"
            ]
            if found:
                times.append(min(found) - min(row.get("time", 0) for row in of))
        events = [each for row in shown for each in done[row["impression"]]]
        reformulations = sum(each["event"] == "reformulation" for each in events)
        sums["success", bucket].append((len(times), len(sessions)))
        sums["time_to_success", bucket].append((sum(times), len(times)))
        sums["reformulations", bucket].append((reformulations, len(sessions)))
        sums["sessions", bucket].append((len(sessions), 1))
        for rank in (1, 2, 3, 10):
            at = [any(each.get("position") == rank for each in done[row["impression"]]) for row in shown]
            sums[f"ctr_{rank}", bucket].append((sum(at), len(at)))
    values = {}
    for name, pairs in sums.items():
        pairs = [(y, x) for y, x in pairs if x]
        n, total = len(pairs), sum(x for _, x in pairs)
        value = sum(y for y, _ in pairs) / total if total else None
        error = None
        if n > 1:
            error = sqrt((n - 1) / n * sum(((y - value * x) / (total - x)) ** 2 for y, x in pairs))
        values[name] = (value, error)
    return values


def found_of(path: Path, metrics: tuple[str, ...], memory: int | None = None) -> dict:
    with Log([str(path)], memory=memory) as log:
        found = compare(log, AbChoices(metrics=metrics), memory).found
    return {
        (each.metric.name, bucket.name): (value.value, value.error)
        for each in found.metrics
        for bucket, value in zip(found.buckets, each.values, strict=True)
    }


METRICS = ("success", "time_to_success", "reformulations", "sessions", "ctr_1", "ctr_2", "ctr_3", "ctr_10")


@pytest.mark.parametrize("named", [False, True])
@pytest.mark.parametrize("timed", [False, True])
@pytest.mark.thorough
def test_measures_of_sessions_are_what_slow_arithmetic_makes_of_them(named, timed, tmp_path):
    for seed in range(5):
        rows = random_sessions(random.Random(seed), named, timed)
        (tmp_path / "log.jsonl").write_bytes(as_jsonl(rows))
        (tmp_path / "log.csv").write_bytes(as_csv(rows))
        (tmp_path / "quoted.csv").write_bytes(as_csv(rows, quoting=csv.QUOTE_ALL))
        metrics = tuple(name for name in METRICS if timed or name != "time_to_success")
        expected = {key: values for key, values in slowly(rows).items() if key[0] in metrics}
        found = found_of(tmp_path / "log.jsonl", metrics)
        assert expected.keys() == found.keys()
        for key, (value, error) in expected.items():
            assert (None if value is None else pytest.approx(value, rel=1e-12)) == found[key][0]
            assert (None if error is None else pytest.approx(error, rel=1e-9, abs=1e-12)) == found[key][1]
        for path in ("log.csv", "quoted.csv"):
            assert found == found_of(tmp_path / path, metrics)
        assert found == found_of(tmp_path / "log.jsonl", metrics, memory=0)


def test_measures_of_sessions_are_there_where_a_log_has_their_events(irev, tmp_path):
    rows = random_sessions(random.Random(1), named=False)
    (tmp_path / "log.jsonl").write_bytes(as_jsonl(rows))
    record = json.loads(irev("online", "ab", str(tmp_path / "log.jsonl"), "-f", "json").stdout)
    assert {"success", "time_to_success", "reformulations"} <= {each["name"] for each in record["metrics"]}
    assert sum(row["event"] == "success" for row in rows) == record["events"]["successes"]
    assert sum(row["event"] == "reformulation" for row in rows) == record["events"]["reformulations"]
    assert not {"sessions", "ctr_1"} & {each["name"] for each in record["metrics"]}
    without = [row for row in rows if row["event"] not in ("success", "reformulation")]
    (tmp_path / "log.jsonl").write_bytes(as_jsonl(without))
    record = json.loads(irev("online", "ab", str(tmp_path / "log.jsonl"), "-f", "json").stdout)
    assert not {"success", "time_to_success", "reformulations"} & {each["name"] for each in record["metrics"]}
    assert "successes" not in record["events"]


@pytest.mark.parametrize(
    ("row", "fact"),
    [
        (
            {"event": "success", "impression": "i9", "time": 1},
            "the success names an impression that the log does not have",
        ),
        ({"event": "success", "impression": "i1", "time": -1}, "the time of the success is before that of its"),
        ({"event": "reformulation", "time": 1}, "the reformulation has no impression"),
        (
            {"event": "reformulation", "impression": "i1", "time": 1, "user": "v"},
            "the reformulation has a different user",
        ),
    ],
)
def test_what_is_wrong_with_an_event_of_a_session_is_said(irev, tmp_path, row, fact):
    shown = {"event": "impression", "impression": "i1", "time": 0, "user": "u", "bucket": "a"}
    (tmp_path / "log").write_bytes(as_jsonl([shown, row]))
    refused(irev("online", "ab", str(tmp_path / "log")), "log:2", fact)


def test_sessions_are_not_explained_by_the_time_before(irev, tmp_path):
    rows = random_sessions(random.Random(2), named=False)
    (tmp_path / "log").write_bytes(as_jsonl(rows))
    (tmp_path / "before").write_bytes(as_jsonl([row | {"time": row["time"] - 10**6} for row in rows]))
    words = ("online", "ab", str(tmp_path / "log"), "--before", str(tmp_path / "before"))
    refused(
        irev(*words, "-m", "success"), "success is about sessions, but --before works only with metrics of impressions"
    )
    assert 0 == irev(*words).status
