"""Logs of impressions and clicks: read in any format, in parts or whole, they are what a slow reader makes of them."""

import csv
import gzip
import random
import re
from collections import Counter
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
from reference_clicks import as_csv, as_jsonl, faults_and_rest, random_log

from irev.base.errors import InputError
from irev.extensions.clicks.events import checks, spill
from irev.extensions.clicks.events.log import Log, hashed
from irev.extensions.clicks.events.spill import parts_of
from irev.reading import chunks

KINDS = ("team-draft", "probabilistic", "buckets", "plain")
TEAMS = {1: "A", -1: "B", 0: None}


def parquet(rows: list, path: Path) -> None:
    pyarrow = pytest.importorskip("pyarrow")
    from pyarrow import parquet

    names = list(dict.fromkeys(name for row in rows for name in row))
    parquet.write_table(pyarrow.table({name: [row.get(name) for row in rows] for name in names}), path)


def found_in(paths: list[Path], memory: int | None = None) -> tuple[Counter[str], dict[int, tuple]]:
    """What `Log` finds: the faults, and for the place of each impression what is kept of it."""
    kept = {}
    with Log([str(path) for path in paths], memory=memory) as log:
        for some in log.impressions():
            for i in range(len(some)):
                items = slice(some.start[i], some.start[i] + max(some.length[i], 0))
                lists = {name: column[items].tolist() for name, column in some.lists.items() if some.given[name][i]}
                clicks = np.flatnonzero(some.click_of == i)
                kept[int(some.place[i])] = (
                    int(some.query[i]),
                    int(some.time[i]),
                    log.facts.buckets[some.bucket[i]] if some.bucket[i] >= 0 else None,
                    lists,
                    list(
                        zip(
                            some.position[clicks].tolist(),
                            np.nan_to_num(some.dwell[clicks], nan=np.inf).tolist(),
                            strict=True,
                        )
                    ),
                    np.nan_to_num(some.value[some.conversion_of == i], nan=-1).tolist(),
                )
        counts = Counter(log.faults.counts)
        facts = log.facts
    assert facts.rows == facts.impressions + facts.clicks + facts.conversions + facts.left_out
    return counts, kept


def expected_of(rows: list, lines: dict[int, int]) -> tuple[Counter[str], dict[int, tuple]]:
    """The same, slowly."""
    faults, rest = faults_and_rest(rows)
    kept = {}
    for place, row in enumerate(rows):
        of = rest.get(row.get("impression"))
        if row["event"] != "impression" or of is None:
            continue
        lists = {}
        for name in ("documents", "teams", "shares", "propensities"):
            if name in of:
                lists[name] = of[name]
        kept[lines[place]] = (of, lists)
    return faults, kept


def agree(expected: tuple, found: tuple) -> None:
    assert expected[0] == found[0]
    assert sorted(expected[1]) == sorted(found[1])
    for place, (of, lists) in expected[1].items():
        query, time, bucket, has, clicks, values = found[1][place]
        assert hashed([of["query"]])[0] == query
        assert round(of.get("time", 0) * 1e6) == time
        assert of.get("bucket") == bucket
        assert sorted(lists) == sorted(has)
        for name, items in lists.items():
            if name == "documents":
                assert hashed(items).tolist() == has[name]
            elif name == "teams":
                assert items == [TEAMS[team] for team in has[name]]
            else:
                assert items == [None if number != number else pytest.approx(number, rel=1e-15) for number in has[name]]
        wanted = sorted((each["position"], each.get("time", 0), each.get("dwell", np.inf)) for each in of["clicks"])
        assert [(position, dwell) for position, _, dwell in wanted] == clicks
        assert sorted(each.get("value", -1) for each in of["conversions"]) == sorted(values)


@pytest.mark.thorough
@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("share", [0.0, 0.15])
def test_every_format_is_read_as_a_slow_reader_reads_it(kind: str, share: float, tmp_path: Path) -> None:
    for seed in range(5):
        rows = random_log(random.Random(f"{kind} {seed}"), kind, faults=share)
        lines = {place: place + 1 for place in range(len(rows))}
        below_header = {place: place + 2 for place in range(len(rows))}
        for spaced in (True, False):
            (tmp_path / "log.jsonl").write_bytes(as_jsonl(rows, spaced))
            agree(expected_of(rows, lines), found_in([tmp_path / "log.jsonl"]))
        for separator, quoting in ((",", csv.QUOTE_MINIMAL), (";", csv.QUOTE_ALL), ("\t", csv.QUOTE_MINIMAL)):
            (tmp_path / "log.csv").write_bytes(as_csv(rows, separator, quoting))
            agree(expected_of(rows, below_header), found_in([tmp_path / "log.csv"]))
        parquet(rows, tmp_path / "log.parquet")
        agree(expected_of(rows, lines), found_in([tmp_path / "log.parquet"]))


@pytest.mark.parametrize("kind", KINDS)
def test_a_log_with_faults_is_read_as_a_slow_reader_reads_it(kind: str, tmp_path: Path) -> None:
    rows = random_log(random.Random(kind), kind, faults=0.15)
    for written, header in ((as_jsonl, 0), (as_csv, 1)):
        (tmp_path / "log").write_bytes(written(rows))
        lines = {place: place + 1 + header for place in range(len(rows))}
        agree(expected_of(rows, lines), found_in([tmp_path / "log"]))


@pytest.mark.parametrize("kind", KINDS)
def test_parts_on_disk_change_nothing(kind: str, tmp_path: Path, monkeypatch) -> None:
    monkeypatch.setattr(spill, "PARTS", 256 >> 4)
    monkeypatch.setattr(checks, "parts_of", lambda key: parts_of(key) >> 4)
    rows = random_log(random.Random(kind), kind, impressions=50, faults=0.1)
    (tmp_path / "log.jsonl").write_bytes(as_jsonl(rows))
    (tmp_path / "log.jsonl.gz").write_bytes(gzip.compress(as_jsonl(rows)))
    faults, kept = found_in([tmp_path / "log.jsonl"])
    for name, memory in (("log.jsonl", 0), ("log.jsonl.gz", 10_000)):
        again, in_parts = found_in([tmp_path / name], memory=memory)
        assert faults == again
        assert repr(sorted(kept.items())) == repr(sorted(in_parts.items()))


def test_several_files_are_one_log_in_their_order(tmp_path: Path) -> None:
    rows = random_log(random.Random(4), "team-draft", faults=0.1)
    (tmp_path / "all.jsonl").write_bytes(as_jsonl(rows))
    (tmp_path / "1.jsonl").write_bytes(as_jsonl(rows[:40]))
    (tmp_path / "2.csv").write_bytes(as_csv(rows[40:]))
    faults, kept = found_in([tmp_path / "all.jsonl"])
    again, kept_again = found_in([tmp_path / "1.jsonl", tmp_path / "2.csv"])
    assert faults == again
    assert [*map(repr, kept.values())] == [*map(repr, (kept_again[place] for place in sorted(kept_again)))]


def test_names_of_which_there_should_be_few_are_not_collected(tmp_path: Path) -> None:
    rows = [{"event": "impression", "impression": f"i{n}", "bucket": f"b{n % 1500}"} for n in range(3000)]
    (tmp_path / "log").write_bytes(as_csv(rows))
    faults, kept = found_in([tmp_path / "log"])
    assert {"E113": 1000} == dict(faults)
    assert 2000 == len(kept)


@pytest.mark.thorough
@pytest.mark.parametrize("written", [as_jsonl, as_csv])
def test_memory_does_not_grow_with_the_log(written: Callable, tmp_path: Path, monkeypatch) -> None:
    import tracemalloc

    rows = random_log(random.Random(0), "buckets", impressions=1000)
    monkeypatch.setattr(chunks, "SIZE", 1 << 18)
    most = []
    for times in (8, 32):
        with open(tmp_path / "log", "wb") as file:
            for number in range(times):
                text = written(rows)
                text = text.partition(b"\n")[2] if number and written is as_csv else text
                file.write(re.sub(rb"\bi(\d+)\b", rb"i%d_\1" % number, text))
        tracemalloc.start()
        with Log([str(tmp_path / "log")], memory=1_000_000) as log:
            found = sum(len(some) for some in log.impressions())
        most.append(tracemalloc.get_traced_memory()[1])
        tracemalloc.stop()
        assert found == 1000 * times
    assert most[1] < 1.25 * most[0]


def test_a_disk_that_is_full_is_said(tmp_path: Path, monkeypatch) -> None:
    def full(**_: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("tempfile.TemporaryFile", full)
    (tmp_path / "log").write_bytes(as_jsonl(random_log(random.Random(0), "plain")))
    with pytest.raises(InputError, match=r"cannot be written \(No space left on device\); TMPDIR=FOLDER changes its"):
        Log([str(tmp_path / "log")], memory=0)


def message(rows: list, path: Path) -> str:
    path.write_bytes(as_jsonl(rows))
    with Log([str(path)]) as log:
        for _ in log.impressions():
            pass
        with pytest.raises(InputError) as refused:
            log.require_sound()
    return str(refused.value)


def test_a_fault_is_told_with_its_place_and_all_are_counted(tmp_path: Path) -> None:
    shown = {"event": "impression", "impression": "i1", "documents": ["d1", "d2"], "teams": ["A", "B"]}
    shown["method"] = "team-draft"
    stray = {"event": "click", "impression": "i2", "position": 1}
    outside = {"event": "click", "impression": "i1", "position": 3}
    path = tmp_path / "log.jsonl"
    assert message([shown, stray, outside, stray], path) == (
        f"{path}:2: the click names an impression that the log does not have; the log must have every impression, "
        "before its clicks; on_error drop leaves it out (3 faults in all: E141 2, E142 1)"
    )
    assert message([shown, shown], path) == (
        f"{path}:2: the id of this impression was used before (first at {path}:1); an impression needs its own id;"
        " on_error drop leaves it out"
    )
    assert "is before its impression" in message([stray | {"impression": "i1"}, shown], path)


def test_impressions_of_another_kind_than_the_first_are_faults(tmp_path: Path) -> None:
    team = {"event": "impression", "impression": "i1", "documents": ["d1"], "teams": ["A"], "method": "team-draft"}
    bucket = {"event": "impression", "impression": "i2", "bucket": "new"}
    other = team | {"impression": "i3", "method": "probabilistic", "shares": [0.5]}
    system = team | {"impression": "i4", "a": "mine"}
    path = tmp_path / "log.jsonl"
    assert "is of a bucket, and the first is interleaved" in message([team, bucket], path)
    assert "is interleaved, and the first is of a bucket" in message([bucket, team], path)
    assert "another method than the first" in message([team, other], path)
    assert "another system a than the first" in message([team, system], path)
    assert "has a bucket, and a method or teams" in message([team | {"bucket": "new"}], path)


@pytest.mark.parametrize(
    ("line", "code"),
    [
        (b'{"event": "click", "impression": "i1", "position": 1', "E111"),
        (b'{"event": "click", "impression": "i1", "position": NaN}', "E113"),
        (b'{"event": "click", "impression": "i1", "position": 1, "position": 1}', "E112"),
        (b'{"event" :"click", "impression": "i1", "position": 1, "event": "click"}', "E112"),
        (b'{"event": "click", "impression": "i1", "position": "1"}', "E113"),
        (b'{"event": "click", "impression": "i1", "position": 1.5}', "E142"),
        (b'{"event": "click", "impression": "i1", "position": true}', "E113"),
        (b'{"event": "click", "impression": ["i1"], "position": 1}', "E113"),
        (b'{"event": "click", "impression": "i\\n1", "position": 1}', "E110"),
        (b'{"event": "click", "impression": "i1", "position": 1, "document": "\\ud800"}', "E110"),
        (b'{"event": "impression", "impression": "i2", "documents": ["d1", "\\udcff"]}', "E110"),
        (b'{"event": "click", "impression": "i1", "position": 1e999}', "E142"),
        (b'{"event": "click", "impression": "i1", "position": 1, "dwell": 1e999}', "E113"),
        (b'{"impression": "i1", "position": 1}', "E113"),
        (b"[1]", "E113"),
        (b'{"event": "click", "impression": "\xff", "position": 1}', "E111"),
        (b'{"event": "impression", "impression": "i2", "documents": ["d1"], "teams": ["C"]}', "E113"),
        (b'{"event": "impression", "impression": "i2", "documents": ["d1", 5.5]}', "E113"),
        (b'{"event": "impression", "impression": "i2", "documents": ["d1", ""]}', "E110"),
        (b'{"event": "impression", "impression": "i2", "documents": "d1"}', "E113"),
        (b'{"event": "impression", "impression": "i2", "propensities": [1]}', "E113"),
        (b'{"event": "impression", "impression": "i2", "documents": ["d1"], "propensities": [1.5]}', "E147"),
    ],
)
def test_what_is_no_event_is_a_fault(line: bytes, code: str, tmp_path: Path) -> None:
    path = tmp_path / "log.jsonl"
    path.write_bytes(b'{"event": "impression", "impression": "i1", "documents": ["d1"]}\n' + line + b"\n\n")
    assert {code: 1} == dict(found_in([path])[0])


def test_times_can_be_words(tmp_path: Path) -> None:
    def shown(time: str) -> dict:
        return {"event": "impression", "impression": time, "time": time}

    path = tmp_path / "log.jsonl"
    times = ["2026-11-22T13:40:00Z", "2026-11-22T14:40:00.5+01:00", "2026-11-22 13:40:01"]
    for written in (as_jsonl, as_csv):
        path.write_bytes(written([shown(time) for time in times]))
        with Log([str(path)]) as log:
            (some,) = log.impressions()
        assert [1795354800000000, 1795354800500000, 1795354801000000] == some.time.tolist()
    for time in ("2026-11-22", "noon", "2026-13-22T13:40:00Z"):
        assert "cannot be read" in message([shown(time)], path)


def test_a_field_that_no_event_has_is_told_and_ignored(tmp_path: Path) -> None:
    row = {"event": "impression", "impression": "i1", "colour": "red"}
    for written in (as_jsonl, as_csv):
        (tmp_path / "log").write_bytes(written([row]))
        with Log([str(tmp_path / "log")]) as log:
            assert {"colour"} == log.facts.strange


@pytest.mark.parametrize("text", [b"", b"\n", b"a,b\n1,2\n", b"event,event,impression\n", b"PAR1"])
def test_what_is_no_log_is_refused(text: bytes, tmp_path: Path) -> None:
    (tmp_path / "log").write_bytes(text)
    with pytest.raises(InputError):
        Log([str(tmp_path / "log")])


@pytest.mark.filterwarnings("error")
@pytest.mark.parametrize("written", [as_jsonl, as_csv])
def test_a_time_too_large_for_a_float_is_a_fault_and_nothing_else(written: Callable, tmp_path: Path) -> None:
    row = {"event": "impression", "impression": "i1"}
    for time in (1e308, 1e10, -1.7e308):
        (tmp_path / "log").write_bytes(written([row | {"time": 1}, row | {"impression": "i2", "time": time}]))
        assert {"E113": 1} == dict(found_in([tmp_path / "log"])[0])


SEEN = {"event": "impression", "impression": "i1", "bucket": "new"}
CLICK = {"event": "click", "impression": "i1", "position": 1}


@pytest.mark.parametrize("written", [as_jsonl, as_csv])
def test_seconds_and_dates_do_not_mix(written: Callable, tmp_path: Path) -> None:
    path = tmp_path / "log"
    times = [1795354800, "2026-11-22T13:40:05Z"]
    for first, second in (times, times[::-1]):
        path.write_bytes(written([SEEN | {"time": first}, CLICK | {"time": second}]))
        with Log([str(path)]) as log:
            assert {"E113": 1} == dict(log.faults.counts)
            ((_, problem),) = log.described()
        assert "and that of the first event" in problem.fact


@pytest.mark.parametrize("colon", [":", " :"])
@pytest.mark.parametrize("time", ["1", "1e3", "+1", "20260101", "2026-11-22", "", " 2026-11-22T13:40:00Z", "1.5"])
def test_a_number_in_quotation_marks_is_no_time_in_json(time: str, colon: str, tmp_path: Path) -> None:
    row = as_jsonl([SEEN | {"time": time}]).replace(b'"time":', b'"time"' + colon.encode())
    (tmp_path / "log").write_bytes(row)
    assert {"E113": 1} == dict(found_in([tmp_path / "log"])[0])


@pytest.mark.parametrize("blank", ["", " ", "\t", "\r", "\r\t"])
def test_a_key_twice_is_a_fault_whatever_stands_before_its_colon(blank: str, tmp_path: Path) -> None:
    line = f'{{"event": "impression", "impression": "i1", "bucket"{blank}: "old", "bucket"{blank}: "new"}}\n'
    (tmp_path / "log").write_bytes(line.encode())
    assert {"E112": 1} == dict(found_in([tmp_path / "log"])[0])


BROKEN = [
    b'{"event": "clik", "impression": "i1", "position": 1}',
    b'{"impression": "i1", "position": 1}',
    b'{"event": "click", "impression": "i1", "position": 1, "position": 1}',
    b'{"event": "click", "impression" : "i\\u0031", "position": 1',
    b'{"event": "click", "impression": "i1", "document": "\xff"}',
    b'{"event": 5, "impression": "i1"}',
]


@pytest.mark.parametrize("line", BROKEN)
def test_an_impression_goes_with_a_line_that_names_it_and_is_no_event(line: bytes, tmp_path: Path) -> None:
    (tmp_path / "log").write_bytes(as_jsonl([SEEN, SEEN | {"impression": "i2"}]) + line + b"\n" + as_jsonl([CLICK]))
    counts, kept = found_in([tmp_path / "log"])
    assert 1 == sum(counts.values())
    assert [2] == [*kept]


@pytest.mark.parametrize(
    "line", ["clik,i1,new,1", "clik,i1,new,1,", '"clik","i1",new,1', '"click",i1,new', ",i1,,", '"","i1",,']
)
def test_so_does_one_with_a_row_of_a_table(line: str, tmp_path: Path) -> None:
    table = f"event,impression,bucket,position\nimpression,i1,new,\nimpression,i2,new,\n{line}\n"
    (tmp_path / "log").write_text(table)
    counts, kept = found_in([tmp_path / "log"])
    assert 1 == sum(counts.values())
    assert [3] == [*kept]


def test_so_does_one_with_a_row_of_parquet(tmp_path: Path) -> None:
    parquet([SEEN, SEEN | {"impression": "i2"}, CLICK | {"event": "clik"}], tmp_path / "log")
    counts, kept = found_in([tmp_path / "log"])
    assert {"E140": 1} == dict(counts)
    assert [2] == [*kept]


USER = "alice@example.com"


@pytest.mark.parametrize(
    "line",
    [
        f'{{"user": "{USER}", "event": "impression", "impression": "i2"',
        f'"{USER}"',
        f'{{"event": "{USER}", "impression": "i2"}}',
        f'{{"event": "click", "impression": "{USER}", "position": 1}}',
        f'{{"event": "click", "impression": "i1", "position": "{USER}"}}',
        f'{{"event": "impression", "impression": "i2", "time": "{USER}"}}',
        f'{{"event": "impression", "impression": "i2", "method": "{USER}", "documents": ["d"], "teams": ["A"]}}',
        f'{{"event": "impression", "impression": "i2", "documents": ["d"], "teams": ["{USER}"]}}',
        f'{{"event": "impression", "impression": "i2", "documents": "{USER}"}}',
        f'{{"event": "impression", "impression": "i2", "user": "{USER} "}}',
    ],
)
def test_messages_repeat_no_values(line: str, tmp_path: Path) -> None:
    (tmp_path / "log").write_bytes(as_jsonl([SEEN | {"user": USER}]) + line.encode() + b"\n")
    with Log([str(tmp_path / "log")]) as log:
        assert 1 == sum(len(some) for some in log.impressions()) or log.faults.counts
        with pytest.raises(InputError) as refused:
            log.require_sound()
    assert USER not in str(refused.value)


@pytest.mark.parametrize("row", [f"{USER},i2,,", f"click,i1,{USER},", f"impression,i2,,{USER}", f'"{USER}",i2,,'])
def test_messages_repeat_no_values_of_tables(row: str, tmp_path: Path) -> None:
    (tmp_path / "log").write_text(f"event,impression,position,time\nimpression,i1,,\n{row}\n")
    with Log([str(tmp_path / "log")]) as log, pytest.raises(InputError) as refused:
        log.require_sound()
    assert USER not in str(refused.value)


@pytest.mark.parametrize("cell", ["['d1', 'd2']", '"[""d1"", ""d2""]"', "[d1 d2]", "[]"])
def test_lists_in_brackets_are_told_how_cells_have_them(cell: str, tmp_path: Path) -> None:
    if "'" in cell:
        cell = f'"{cell}"' if '"' not in cell else cell
    (tmp_path / "log").write_text(f"event,impression,documents\nimpression,i1,{cell}\n")
    with Log([str(tmp_path / "log")]) as log, pytest.raises(InputError, match="the documents are in brackets"):
        log.require_sound()
    (tmp_path / "log").write_text("event\timpression\tdocuments\nimpression\ti1\t['d1', 'd2']\n")
    assert {"E113": 1} == dict(found_in([tmp_path / "log"])[0])


def table(path: Path, **columns: object) -> None:
    pyarrow = pytest.importorskip("pyarrow")
    from pyarrow import parquet

    parquet.write_table(pyarrow.table(columns), path)


def test_every_type_of_texts_and_times_of_parquet_is_read(tmp_path: Path) -> None:
    pa = pytest.importorskip("pyarrow")
    nanoseconds = 1795354800123456789
    lists = [[b"d1", b"d2"], None]
    path = tmp_path / "log"
    kinds = [pa.binary(), pa.large_string(), pa.large_binary(), pa.dictionary(pa.int32(), pa.string())]
    kinds += [pa.string_view(), pa.binary_view()] if hasattr(pa, "string_view") else []
    for kind in kinds:
        for unit, zone in (("ns", None), ("ns", "UTC"), ("us", None), ("ms", "Europe/Berlin"), ("s", None)):
            shift = {"ns": 1, "us": 10**3, "ms": 10**6, "s": 10**9}[unit]
            table(
                path,
                event=pa.array(["impression", "click"]).cast(kind),
                impression=pa.array(["i1", "i1"]).cast(kind),
                user=pa.array(["u1", None]).cast(kind),
                time=pa.array([nanoseconds // shift] * 2, pa.int64()).cast(pa.timestamp(unit, zone)),
                documents=pa.array(lists, pa.list_(pa.binary())),
                position=[None, 2],
            )
            with Log([str(path)]) as log:
                (some,) = log.impressions()
                log.require_sound()
            assert [nanoseconds // shift * shift // 1000] == some.time.tolist()
            assert hashed(["d1", "d2"]).tolist() == some.lists["documents"].tolist()
            assert [2] == some.position.tolist()


def test_a_date_is_no_dwell_time(tmp_path: Path) -> None:
    pa = pytest.importorskip("pyarrow")
    table(
        tmp_path / "log",
        event=["impression", "click"],
        impression=["i1", "i1"],
        position=[None, 1],
        dwell=pa.array([None, 5], pa.int64()).cast(pa.timestamp("ns")),
    )
    with Log([str(tmp_path / "log")]) as log, pytest.raises(InputError, match="the dwell is a date; expected a number"):
        log.require_sound()


def test_seconds_and_dates_do_not_mix_among_tables(tmp_path: Path) -> None:
    pa = pytest.importorskip("pyarrow")
    common = {"event": ["impression"], "bucket": ["new"]}
    table(tmp_path / "1", impression=["i1"], time=pa.array([5], pa.int64()).cast(pa.timestamp("us")), **common)
    table(tmp_path / "2", impression=["i2"], time=[5.0], **common)
    assert {"E113": 1} == dict(found_in([tmp_path / "1", tmp_path / "2"])[0])


def test_a_system_has_another_name_than_the_other(tmp_path: Path) -> None:
    team = {"event": "impression", "impression": "i1", "documents": ["d1"], "teams": ["A"], "method": "team-draft"}
    assert "A and B are the same system" in message([team | {"a": "mine", "b": "mine"}], tmp_path / "log")


@pytest.mark.parametrize("kind", ["click", "conversion"])
@pytest.mark.parametrize("written", [as_jsonl, as_csv])
def test_what_a_user_did_is_of_the_user_and_bucket_of_the_impression(
    kind: str, written: Callable, tmp_path: Path
) -> None:
    shown = SEEN | {"user": "u1"}
    did = {"event": kind, "impression": "i1"} | ({"position": 1} if kind == "click" else {})
    for same in ({}, {"user": "u1"}, {"bucket": "new"}, {"user": "u1", "bucket": "new"}):
        (tmp_path / "log").write_bytes(written([shown, did | same]))
        assert not found_in([tmp_path / "log"])[0]
    for other in ({"user": "u2"}, {"bucket": "old"}, {"user": "u1", "bucket": "old"}):
        (tmp_path / "log").write_bytes(written([shown, shown | {"impression": "i2"}, did | other]))
        counts, kept = found_in([tmp_path / "log"])
        assert ({"E150": 1}, [2 + (written is as_csv)]) == (dict(counts), [*kept])
    del shown["user"], shown["bucket"]  # nobody says whose it is
    (tmp_path / "log").write_bytes(written([shown, did | {"user": "u2", "bucket": "old"}]))
    assert {None} == {of[2] for of in found_in([tmp_path / "log"])[1].values()}
    with Log([str(tmp_path / "log")]) as log:
        assert [] == log.facts.buckets


@pytest.mark.parametrize("quoted", [False, True])
@pytest.mark.parametrize("written", [as_jsonl, as_csv])
def test_a_line_can_be_as_long_however_it_is_read(written: Callable, quoted: bool, tmp_path: Path) -> None:
    def log(length: int) -> bytes:
        documents = [f"{number:07d}" for number in range(length)]
        rows = [SEEN | {"query": 'the "q"' if quoted else "q"}, SEEN | {"impression": "i2", "documents": documents}]
        return written([*rows, SEEN | {"impression": "i3"}], *([False] if written is as_jsonl else []))

    (tmp_path / "log").write_bytes(log(400_000 if written is as_jsonl else 500_000))
    counts, kept = found_in([tmp_path / "log"])
    assert (Counter(), 3) == (counts, len(kept))
    (tmp_path / "log").write_bytes(log(530_000))
    counts, kept = found_in([tmp_path / "log"])
    assert {"E108": 1} == dict(counts)
    assert 1 + (written is as_csv) in kept


def test_what_lacks_the_columns_of_every_event_is_told_its_own(tmp_path: Path) -> None:
    def refused(text: str) -> str:
        (tmp_path / "log").write_text(text)
        with pytest.raises(InputError) as error:
            Log([str(tmp_path / "log")])
        return str(error.value)

    assert "no column event; there are type, user; expected" in refused("type;user\n1;2\n")
    assert "no column impression; there are event, user; expected" in refused("event,user\nclick,u\nclick,u\n")
    assert USER not in refused(f"click,i1,{USER}\n")
    table(tmp_path / "log", event=["click"], user=["u"])
    with pytest.raises(InputError, match=r"no column impression; there are event, user; .* docs/logs.md"):
        Log([str(tmp_path / "log")])


@pytest.mark.parametrize(
    ("team", "share", "codes"), [("A", 0, 1), ("B", 1, 1), ("A", 1, 0), ("B", 0, 0), ("A", 0.5, 0)]
)
def test_shares_allow_for_the_teams(team: str, share: float, codes: int, tmp_path: Path) -> None:
    row = {"event": "impression", "impression": "i1", "method": "probabilistic"}
    (tmp_path / "log").write_bytes(as_jsonl([row | {"documents": ["d1"], "teams": [team], "shares": [share]}]))
    assert ({"E147": 1} if codes else {}) == dict(found_in([tmp_path / "log"])[0])


@pytest.mark.parametrize("written", [as_csv, as_jsonl])
def test_a_log_whose_lines_end_in_carriage_returns_alone_is_refused_as_that(written, tmp_path):
    log = written(random_log(random.Random(3), "plain"))
    (tmp_path / "log").write_bytes(log.replace(b"\r\n", b"\n").replace(b"\n", b"\r"))
    with (
        pytest.raises(InputError, match="log: lines end in carriage returns alone"),
        Log([str(tmp_path / "log")]) as found,
    ):
        list(found.impressions())
