"""The record of a result: what it says, that it is what its schema describes, and that all that is shown of it again is
what was shown at first; and what becomes of files that are no record."""

import copy
import gzip
import hashlib
import io
import json
import math
import os
import random
from dataclasses import replace

import numpy as np
import pytest
from conftest import ROOT, added
from hypothesis import given
from hypothesis import strategies as st
from outcomes import refused
from schema import SCHEMA

from irev import __version__
from irev.base import settings
from irev.base.errors import InputError
from irev.evaluation import record, saved
from irev.evaluation.result import Facts, Group, Outcome, Result
from irev.evaluation.scores import Column, Scores, Summary
from irev.measures import MEASURES, parse
from irev.output.report import Look
from irev.output.reports.evaluation import EvaluationReport
from irev.output.styles import EVALUATION, styles, written
from irev.reading.sources import Digest, Source

RESULT = SCHEMA["$defs"]["result"]["properties"]
QRELS = str(ROOT / "sample_data" / "qrels.txt")
KEYWORD, SEMANTIC = (str(ROOT / "sample_data" / f"{name}.run") for name in ("keyword", "semantic"))

GROUPS = b"q1\teasy\nq2\teasy\nq3\teasy\nq4\thard <&> one\nq5\thard <&> one\nq7\tall\n"
CHOICES = {
    "official": (),
    "all of trec_eval": ("-m", "all_trec"),
    "several runs": (SEMANTIC, "-m", "map", "-m", "P.5"),
    "aggregates": ("-m", "map", "-m", "num_rel_ret", "--aggregate", "sd,median"),
    "bounds": ("-m", "P.2", "-m", "num_rel_ret", "--bounds"),
    "expected values": ("-m", "map", "-m", "num_rel_ret", "-M", "3", "--ties", "average"),
    "weights": ("-m", "judged_2,by=pooled", "-m", "map"),
    "labels that are alike": (
        "-m",
        "iprec_at_recall.0.101,0.104",
        "-m",
        "utility.1,-1,0,0",
        "-m",
        "utility.1.0,-1,0,0",
    ),
    "texts": ("-m", "runid", "-m", "relstring"),
    "nothing for single queries": ("-m", "num_q"),
    "all judged queries": ("-c", "-m", "official", SEMANTIC),
    "one query": ("-D", "0.q3", "-l", "2", "-J", "-N", "100"),
    "other settings": (
        "--gains",
        "0=0,1=1.5,2=2,3=7",
        "-m",
        "ndcg",
        "--order",
        "rank",
        "--drop-self",
    ),
    "two sets of judgments": ("--qrels", f"one={QRELS}", "--qrels", f"two={QRELS}", "-m", "map", "-m", "P.1"),
}


def evaluated(irev, *arguments: str) -> bytes:
    """What ``irev eval`` prints for the sample."""
    files = [KEYWORD] if "--qrels" in arguments else [QRELS, KEYWORD]
    status, stdout, stderr = irev("eval", *files, *arguments)
    assert status == 0, stderr
    return stdout


def render(style: str, result: Result) -> bytes:
    return written(style, EvaluationReport(result), Look())


def shown(irev, *arguments: str, stdin: bytes = b"") -> bytes:
    """What ``irev show`` prints."""
    status, stdout, stderr = irev("show", *arguments, stdin=stdin)
    assert (0, "") == (status, stderr)
    return stdout


@pytest.fixture(params=CHOICES.values(), ids=CHOICES)
def choices(request, write):
    groups = ("--groups", write(GROUPS, "groups")) if request.param == CHOICES["several runs"] else ()
    return (*request.param, *groups)


# The schema


def parts(schema, place=""):
    """Every schema inside a schema, with its place."""
    yield place, schema
    for key in ("properties", "$defs"):
        for name, part in schema.get(key, {}).items():
            yield from parts(part, f"{place}.{name}")
    for key in ("items", "additionalProperties"):
        if isinstance(schema.get(key), dict):
            yield from parts(schema[key], f"{place}[]")


def test_the_schema_describes_every_key_and_allows_no_other():
    bare = [
        place
        for place, schema in parts(SCHEMA)
        for name, key in schema.get("properties", {}).items()
        if not (key.get("description") or "$ref" in key)
    ]
    assert bare == []
    others = [(place, schema["additionalProperties"]) for place, schema in parts(SCHEMA) if schema.get("properties")]
    assert [place for place, other in others if other and not (isinstance(other, dict) and other["description"])] == []


def test_the_schema_has_the_choices_that_there_are():
    options = RESULT["options"]["properties"]
    measure = RESULT["measures"]["items"]["properties"]
    there = {
        "order": settings.ABOUT["order"].words,
        "ties": settings.ABOUT["ties"].words,
        "duplicates": settings.ABOUT["duplicates"].words,
        "negative": settings.ABOUT["negative"].words,
    }
    assert there == {name: tuple(options[name]["enum"]) for name in there}
    assert set(settings.ABOUT["compat"].words) == set(options["compat"]["enum"])
    assert set(settings.QUERIES) == set(options["queries"]["anyOf"][0]["enum"])
    assert {each.kind for each in MEASURES.values()} == set(measure["kind"]["enum"])
    assert record.FORMAT == RESULT["format"]["const"]
    assert record.VERSION == RESULT["version"]["const"]


# What it says


@pytest.fixture(scope="module")
def plain(irev):
    """The record of a run with the values of its queries."""
    return json.loads(evaluated(irev, "-m", "map", "-m", "P.5", "-m", "num_ret", "-q", "-f", "json"))


def test_values_are_unrounded(plain):
    (outcome,) = plain["results"]
    values = [row["map"] for row in outcome["per_query"].values()]
    assert 0.7000000000000001 in values
    assert outcome["summary"]["map"] == added(values) / 6
    assert outcome["summary"]["num_ret"] == 23


def test_it_says_which_queries_were_left_out_and_what_else_values_do_not_show(plain):
    expected = {
        "queries": 6,
        "judged": 20,
        "unjudged": 3,
        "tied": 6,
        "positive_judgments": 14,
        "not_retrieved": ["q6"],
        "not_judged": ["q8"],
    }
    assert expected == plain["results"][0]["counts"]


def test_it_says_what_was_computed_how_and_by_which_version(plain):
    assert ("irev result", 1, __version__) == (plain["format"], plain["version"], plain["irev"])
    assert ["map", "P_5", "num_ret"] == [measure["key"] for measure in plain["measures"]]
    assert "Share of the first k results that are relevant." == plain["measures"][1]["definition"]
    assert {"sum", "mean"} == {measure["aggregate"] for measure in plain["measures"]}
    assert "those in both files" == plain["policy"]["queries"]
    assert "docid-desc" == plain["options"]["ties"]


def test_values_of_which_nobody_asked_are_left_out(irev):
    neither = json.loads(evaluated(irev, "-n", "-m", "map", "-f", "json"))["results"][0]
    assert not {"summary", "per_query"} & set(neither)


def test_each_query_has_a_line(irev):
    lines = evaluated(irev, "-q", "-f", "json").decode("ascii").split("\n")
    assert 1 == sum(line.lstrip().startswith('"q3": {') for line in lines)


@pytest.mark.parametrize("style", [(), ("--names", "standard")], ids=["labels", "standard names"])
def test_every_value_has_a_key_of_its_own(irev, style):
    found = json.loads(evaluated(irev, *CHOICES["labels that are alike"], "-q", *style, "-f", "json"))
    keys = [measure["key"] for measure in found["measures"]]
    assert 4 == len(set(keys))
    assert keys == list(found["results"][0]["summary"])
    assert keys == list(found["results"][0]["per_query"]["q1"])


# Shown again


LOOKS = [(), ("-q",), ("-q", "-n"), ("--names", "standard", "--digits", "exact"), ("-q", "--wide", "--digits", "2")]


@pytest.mark.thorough
@pytest.mark.parametrize("style", styles(EVALUATION))
def test_a_saved_result_is_shown_as_it_would_have_been_at_first(irev, choices, style, write):
    saved = write(evaluated(irev, *choices, "-q", "-f", "json"), "saved.json")
    for look in LOOKS:
        if "-n" in look and {"--aggregate", "--groups"} & {*choices}:
            continue
        assert evaluated(irev, *choices, "-f", style, *look) == shown(irev, saved, "-f", style, *look), look


@pytest.mark.parametrize("style", ["table", "html", "latex", "markdown"])
def test_a_saved_result_is_sorted_as_it_would_have_been_at_first(irev, style, write):
    saved = write(evaluated(irev, "-q", "-f", "json"), "saved.json")
    arguments = ("-q", "-f", style, "--sort", "map")
    assert evaluated(irev, *arguments) == shown(irev, saved, *arguments)


def test_a_record_with_standard_names_is_as_good(irev, write):
    saved = write(evaluated(irev, "-q", "--names", "standard", "-f", "json"), "saved.json")
    assert evaluated(irev, "-q") == shown(irev, saved, "-q")


def test_a_record_that_another_program_has_rewritten_is_as_good(irev, plain):
    """Keys in another order, no line ends, and whole numbers without a point, as some programs write them."""

    def whole(value):
        if isinstance(value, dict):
            return {key: whole(value[key]) for key in sorted(value, reverse=True)}
        if isinstance(value, list):
            return [whole(each) for each in value]
        return int(value) if isinstance(value, float) and value.is_integer() else value

    expected = evaluated(irev, "-m", "map", "-m", "P.5", "-m", "num_ret", "-q")
    written = json.dumps(whole(plain), ensure_ascii=False).encode()
    assert expected == shown(irev, "-", "-q", stdin=written)
    assert expected == shown(irev, "-", "-q", stdin=b"\xef\xbb\xbf" + written)


def test_a_record_may_be_compressed_and_its_style_follow_from_the_output(irev, write, tmp_path):
    saved = evaluated(irev, "-f", "json")
    path = write(gzip.compress(saved), "saved.json.gz")
    assert evaluated(irev) == shown(irev, path)
    assert b"" == shown(irev, path, "-o", str(tmp_path / "again.json"))
    assert saved == (tmp_path / "again.json").read_bytes()


def test_a_record_is_never_written_over_by_what_is_shown_of_it(irev, write):
    path = write(evaluated(irev, "-f", "json"), "saved.json")
    status, _, stderr = irev("show", path, "-o", path)
    assert (2, True) == (status, "is an input" in stderr)


@pytest.mark.parametrize(
    ("saved", "asked", "message"),
    [
        ((), ("-q",), "the values of single queries were not saved; make it again with `irev eval -q`"),
        (("-q", "-n"), (), "the values for all queries were not saved; leave them out with -n"),
    ],
)
def test_what_was_not_saved_cannot_be_shown(irev, write, saved, asked, message):
    path = write(evaluated(irev, *saved, "-f", "json"), "saved.json")
    assert (2, b"", f"irev: error: {path}: {message}\n") == irev("show", path, *asked)


def test_a_result_is_sorted_by_what_it_has(irev, write):
    path = write(evaluated(irev, "-q", "-m", "map", "-f", "json"), "saved.json")
    outcome = irev("show", path, "-q", "-f", "table", "--sort", "P.5")
    refused(outcome, "--sort P.5: it must be one of the measures of the result; as map")


def made(values, queries=(b"1", b"2", b"3"), run="run", groups=()):
    """A result of the measure map with these values."""
    requests = parse(["map"])
    column = Column(requests[0], np.array(values, dtype=np.float64))
    scores = Scores(tuple(queries), (column,), len(queries), False, 1, b"tag")
    outcome = Outcome(run, "", scores, Summary((values[0],)), Facts(1, 2, 0, (), ()), groups)
    return Result((outcome,), settings.Settings(), per_query=True)


def test_values_that_are_not_finite_come_back(irev):
    result = made([math.inf, -math.inf, math.nan])
    written = render("json", result)
    rows = json.loads(written)["results"][0]["per_query"]
    assert [{"map": "inf"}, {"map": "-inf"}, {"map": "nan"}] == list(rows.values())
    again = saved.restored(json.loads(written), "saved")
    assert all(render(style, result) == render(style, again) for style in styles(EVALUATION))


STRANGE = (b"\xff\xfe", "é€😀".encode(), b"\xed\xb2\x80", b"all", b'"\\\x1b[31m', b"<b>&amp;")


def test_ids_of_any_bytes_come_back():
    group = Group(b"\xff g\n", 2, Summary((0.5,)), STRANGE[:2])
    result = made([0.1] * len(STRANGE), STRANGE, run="r\udcff", groups=(group,))
    written = render("json", result)
    assert written.isascii()
    again = saved.restored(json.loads(written), "saved")
    assert STRANGE == again.outcomes[0].scores.queries
    # Lines of trec_eval's form refuse the end of a line in a name.
    assert all(render(style, result) == render(style, again) for style in styles())


def test_every_measure_with_any_parameter_is_known_again():
    texts = [name for name in MEASURES if name not in ("runid", "num_q")]
    texts += ["ndcg.1=3,2=9", "P.3", "iprec_at_recall.0.123456", "utility.1,-1.50,0,0", "AP(rel=2,judged_only=true)@7"]
    texts += ["RBP(p=0.123456789)", "map_agg=q12.5", "P_5,bound=low", "recip_rank_10"]
    requests = list(dict.fromkeys(request for text in texts for request in parse([text])))
    zero = {"real": 0.5, "count": 3, "text": b"x"}
    columns = tuple(
        Column(r, np.array([zero[r.measure.kind]], dtype=object if r.measure.kind == "text" else None))
        for r in requests
    )
    summary = Summary(tuple(None if r.measure.summary == "none" else zero[r.measure.kind] for r in requests))
    scores = Scores((b"1",), columns, 1, False, 1, b"tag")
    result = Result((Outcome("run", "", scores, summary, Facts(1, 2, 0, (), ())),), settings.Settings(), per_query=True)
    again = saved.restored(record.record(result), "saved")
    assert requests == list(again.requests)
    assert render("trec", result) == render("trec", again)


def test_single_precision_comes_back_and_is_told():
    result = replace(made([0.5] * 3), settings=settings.Settings(compat="9.0.8", only=b"1", queries=(b"1", b"\xff")))
    plain = record.record(result)
    assert "by score, highest first, in single precision" == plain["policy"]["order"]
    assert result.settings == saved.restored(plain, "saved").settings


def test_the_version_that_computed_a_result_stays(irev, plain):
    older = json.dumps(plain | {"irev": "0.0.7"}).encode()
    assert "0.0.7" == json.loads(shown(irev, "-", "-f", "json", stdin=older))["irev"]


def test_keys_of_a_later_irev_are_left_alone(irev, plain):
    later = copy.deepcopy(plain) | {"colour": "red"}
    later["results"][0]["counts"]["stars"] = {"many": [1, 2]}
    assert shown(irev, "-", stdin=json.dumps(plain).encode()) == shown(irev, "-", stdin=json.dumps(later).encode())


# What is no record


NONE_AT_ALL = {
    "nothing": (b"", ":1: this is not JSON (Expecting value)"),
    "a run": (b"q1 Q0 d1 1 2.5 tag\n", ":1: this is not JSON (Expecting value)"),
    "a broken line": (b'{"format":\n"irev result",\n', ":3: this is not JSON (Expecting property name enclosed in"),
    "another object": (b"{}", ": this is not a record of results; make the record again with `irev eval -f json`"),
    "a list": (b"[1]", ": this is not a record of results"),
    "a number": (b"1", ": this is not a record of results"),
    "no UTF-8": (b'{"format": "\xff"}', ": this is not UTF-8, as JSON must be"),
    "UTF-16": ('{"format": "irev result"}'.encode("utf-16"), ": this is text in UTF-16; write it as UTF-8"),
    "brackets without end": (b"[" * 1_000_000, ": the nesting is too deep for a record of results"),
    "objects without end": (b'{"a":' * 1_000_000, ": the nesting is too deep for a record of results"),
    "a number of a million digits": (
        b'{"a": ' + b"1" * 1_000_000 + b"}",
        ": this is not JSON (a number has 1000000 digits)",
    ),
    "a number that JSON lacks": (b'{"a": NaN}', ": this is not JSON (there is NaN instead of a number)"),
    "a key twice": (b'{"a": 1, "a": 2}', ": this is not JSON (a key occurs twice in an object)"),
    "a later version": (
        b'{"format": "irev result", "version": 2}',
        f": irev {__version__} does not know version 2 of records; show it with the version of irev that made it",
    ),
    "no version": (b'{"format": "irev result"}', ": expected an object with the key 'version', found an object"),
    "a version of another kind": (b'{"format": "irev result", "version": true}', ", version: expected a whole number"),
}


@pytest.mark.parametrize(("data", "message"), NONE_AT_ALL.values(), ids=NONE_AT_ALL)
def test_what_is_no_record_is_refused_with_its_place(irev, write, data, message):
    path = write(data, "result.json")
    refused(irev("show", path), f"irev: error: {path}{message}")


DAMAGES = {
    "a text for a number": (
        "results[0].summary.map",
        "high",
        "expected a number, 'inf', '-inf' or 'nan', found 'high'",
    ),
    "too large a number": ("results[0].per_query.q1.map", 10**300, "expected a number, 'inf', '-inf' or 'nan'"),
    "an infinite number": ("results[0].per_query.q1.map", "1e999", "expected a number, 'inf', '-inf' or 'nan'"),
    "true for a number": ("results[0].summary.P_5", True, "expected a number, 'inf', '-inf' or 'nan', found true"),
    "null for a count": ("results[0].counts.judged", None, "expected a whole number of 0 or more, found null"),
    "a count below 0": ("results[0].counts.tied", -1, "expected a whole number of 0 or more, found a number"),
    "too large a count": ("results[0].counts.tied", 2**64, "expected a whole number of 0 or more, found a number"),
    "a number for an id": ("results[0].queries[0]", 1, "expected a text, found a number"),
    "half of a character": ("results[0].tag", "\ud800", "expected a text of valid characters, found '?'"),
    "an option of no such choice": ("options.ties", "coin", "expected one of docid-desc, docid-asc, file, average"),
    "an option of another kind": ("options.complete", 1, "expected true or false, found a number"),
    "a level below 0": ("options.level", -1, "expected a number of 0 or more, found a number"),
    "a text for a level": ("options.level", "nan", "expected a number, found 'nan'"),
    "a gain without a grade": ("options.gains", [[1]], None),
    "a list for an object": ("results[0].groups", [], "expected an object, found a list"),
    "an object for a list": ("results", {}, "expected a list, found an object"),
    "no results": ("results", [], "expected a list with at least one result, found a list"),
    "no measures": ("measures", [], "expected a list with at least one measure, found a list"),
    "an unknown measure": ("measures[0].standard", "Luck@5", None),
    "a list of cutoffs without end": ("measures[1].label", "P." + "1," * 1_000_000, None),
    "a set for a measure": ("measures[0].label", "official", None),
    "two names of different measures": ("measures[0].standard", "P@5", "expected the standard name of map"),
    "a query without values": ("results[0].queries[1]", "q99", None),
    "a row that is none": ("results[0].per_query.q2", 3, "expected an object, found a number"),
}


def damaged(plain, place, value):
    """A copy of a record with another value at a place."""
    found = copy.deepcopy(plain)
    inside, *path = [found, *place.replace("[", ".[").split(".")]
    steps = [int(step[1:-1]) if step.startswith("[") else step for step in path]
    for step in steps[:-1]:
        inside = inside[step]
    inside[steps[-1]] = value
    return json.dumps(found).replace('"1e999"', "1e999").encode()


@pytest.mark.parametrize(("place", "value", "message"), DAMAGES.values(), ids=DAMAGES)
def test_a_damaged_record_is_refused_with_the_place_of_the_damage(irev, write, plain, place, value, message):
    path = write(damaged(plain, place, value), "result.json")
    status, stdout, stderr = irev("show", path, "-q")
    assert (2, b"") == (status, stdout)
    assert stderr.startswith(f"irev: error: {path}, {place if message else ''}")
    assert message is None or stderr.startswith(f"irev: error: {path}, {place}: {message}")


def test_a_key_from_a_stranger_gives_no_orders_to_a_terminal(irev, plain):
    plain = copy.deepcopy(plain)
    plain["results"][0]["groups"] = {"\x1b[31m": 1}
    status, _, stderr = irev("show", "-", stdin=json.dumps(plain).encode())
    assert (2, False) == (status, "\x1b" in stderr)


def places(value, path=()):
    """The path to everything in a record."""
    yield path
    inside = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for key, member in inside:
        yield from places(member, (*path, key))


ANYTHING = st.recursive(
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats()
    | st.text(max_size=5)
    | st.sampled_from(["inf", "official"]),
    lambda inside: st.lists(inside, max_size=3) | st.dictionaries(st.text(max_size=3), inside, max_size=3),
    max_leaves=6,
)


@pytest.mark.thorough
@given(seed=st.integers(0, 1 << 30), value=ANYTHING, gone=st.booleans())
def test_whatever_stands_in_a_record_it_is_shown_or_refused(plain, seed, value, gone):
    found = copy.deepcopy(plain)
    path = random.Random(seed).choice([path for path in places(found) if path])
    inside = found
    for step in path[:-1]:
        inside = inside[step]
    if gone:
        del inside[path[-1]]
    else:
        inside[path[-1]] = value
    try:
        result = saved.restored(found, "saved")
    except InputError as refused:
        shown = [refused.place.encode()]
    else:
        shown = [render(style, result) for style in styles(EVALUATION)]
    assert all(shown)


# Digests


def digest(data: bytes) -> Digest:
    """The slow and obvious one."""
    return Digest(hashlib.sha256(data).hexdigest(), len(data), len(data.splitlines()))


LINES = b"".join(b"%d Q0 d%d 1 %d.5 tag\n" % (n % 7, n, n) for n in range(50_000))
CONTENTS = {
    "lines": LINES,
    "no last newline": LINES[:-1],
    "nothing": b"",
    "a newline": b"\n",
    "one byte": b"x",
    "a piece exactly": b"x" * (1 << 18),
}


def exhaust(source: Source, step: int) -> bytes:
    """All that is left, read in steps until there is nothing more."""
    found = io.BytesIO()
    room = bytearray(step)
    while got := source.fill(memoryview(room)):
        found.write(room[:got])
    return found.getvalue()


@pytest.mark.thorough
@pytest.mark.parametrize("data", CONTENTS.values(), ids=CONTENTS)
@pytest.mark.parametrize("packed", [bytes, gzip.compress], ids=["plain", "gzip"])
@pytest.mark.parametrize("step", [999, 1 << 18, 1 << 20])
def test_the_digest_is_that_of_the_content(write, data, packed, step):
    with Source(write(packed(data)), digest=True) as source:
        source.head(100)
        assert data == exhaust(source, step)
        assert digest(data) == source.digest()
        source.rewind()
        assert data == exhaust(source, step)
        assert digest(data) == source.digest()


@pytest.mark.parametrize("packed", [bytes, gzip.compress], ids=["plain", "gzip"])
@pytest.mark.parametrize("read", [0, 1000], ids=["before anything is read", "in the middle"])
def test_what_was_not_read_is_read_for_the_digest(write, packed, read):
    with Source(write(packed(LINES)), digest=True) as source:
        source.fill(memoryview(bytearray(read)))
        assert digest(LINES) == source.digest()


@pytest.mark.parametrize("packed", [bytes, gzip.compress], ids=["plain", "gzip"])
def test_a_source_that_is_rewound_early_has_the_digest_of_all(write, packed):
    with Source(write(packed(LINES)), digest=True) as source:
        source.fill(memoryview(bytearray(1000)))
        source.rewind()
        exhaust(source, 5000)
        assert digest(LINES) == source.digest()


@pytest.mark.parametrize("packed", [bytes, gzip.compress], ids=["plain", "gzip"])
def test_a_pipe_has_a_digest_too(packed):
    import threading

    out, into = os.pipe()

    def feed():
        with open(into, "wb") as pipe:
            pipe.write(packed(LINES))

    feeding = threading.Thread(target=feed)
    feeding.start()
    with Source(f"/dev/fd/{out}", digest=True) as source:
        os.close(out)
        source.fill(memoryview(bytearray(1000)))
        source.rewind()
        assert LINES == exhaust(source, 5000)
        assert digest(LINES) == source.digest()
    feeding.join()


@pytest.mark.parametrize("packed", [bytes, gzip.compress], ids=["plain", "gzip"])
def test_a_source_in_which_one_seeks_has_a_digest_too(write, packed):
    with Source(write(packed(LINES)), digest=True) as source:
        source.head(4)
        with source.seekable() as file:
            file.seek(0)
            assert LINES == file.read()
        source.rewind()
        assert digest(LINES) == source.digest()


def test_a_digest_is_computed_only_when_asked_for(write, monkeypatch):
    monkeypatch.setattr(hashlib, "sha256", None)
    with Source(write(LINES)) as source:
        assert LINES == exhaust(source, 5000)
        with pytest.raises(ValueError, match="not opened for a digest"):
            source.digest()


@pytest.mark.parametrize("packed", [bytes, gzip.compress], ids=["plain", "gzip"])
@pytest.mark.parametrize("hashed", [False, True], ids=["as it is", "with a digest"])
def test_whoever_watches_is_told_where_in_the_file_the_reading_stands(write, packed, hashed):
    path = write(packed(LINES))
    size, told = os.path.getsize(path), []
    with Source(path, digest=hashed, watch=told.append) as source:
        source.fill(memoryview(bytearray(1000)))
        assert 0 < sum(told) < size
        source.rewind()
        assert sum(told) < min(100, size)  # the first bytes tell the compression
        exhaust(source, 5000)
        assert size == sum(told)


@pytest.mark.parametrize("packed", [bytes, gzip.compress], ids=["plain", "gzip"])
@pytest.mark.parametrize("hashed", [False, True], ids=["as it is", "with a digest"])
def test_a_source_in_which_one_seeks_counts_as_read(write, packed, hashed):
    path = write(packed(LINES))
    told = []
    with Source(path, digest=hashed, watch=told.append) as source:
        source.head(4)
        source.seekable().close()
        assert os.path.getsize(path) == sum(told)


JUDGMENTS = b"".join(b"%d 0 d%d 1\n" % (n % 7, n) for n in range(1000))


def parquet(lines: bytes, value: str, column: int) -> bytes:
    """A run, or judgments, as Parquet."""
    import pyarrow
    from pyarrow import parquet

    rows = [line.split() for line in lines.decode().splitlines()]
    table = pyarrow.table(
        {
            "query_id": [row[0] for row in rows],
            "doc_id": [row[2] for row in rows],
            value: [float(row[column]) for row in rows],
        }
    )
    stream = io.BytesIO()
    parquet.write_table(table, stream)
    return stream.getvalue()


RUN = b"".join(sorted(LINES.splitlines(keepends=True)[:20_000], key=lambda line: line.split()[0]))
FILES = {
    "plain": (JUDGMENTS, RUN),
    "no last newline": (JUDGMENTS[:-1], RUN[:-1]),
    "queries that are scattered": (JUDGMENTS, LINES),
    "JSON lines": (
        b"".join(
            b'{"query_id": "%b", "doc_id": "%b", "relevance": 1}\n' % (q, d)
            for q, _, d, _ in map(bytes.split, JUDGMENTS.splitlines())
        ),
        b"".join(
            b'{"query_id": "%b", "doc_id": "%b", "score": %b}\n' % (line.split()[0], line.split()[2], line.split()[4])
            for line in RUN.splitlines()
        ),
    ),
    "JSON": (
        json.dumps({"1": {"d1": 1}}).encode() + b"\n \n",
        json.dumps({"1": {"d1": 1.5}}).encode() + b"\n \n",
    ),
    "CSV": (b"query_id,doc_id,relevance\n1,d1,1\n", b"query_id,doc_id,score\r\n1,d1,1.5\r\n"),
    "Parquet": (parquet(JUDGMENTS, "relevance", 3), parquet(RUN, "score", 4)),
}


@pytest.mark.thorough
@pytest.mark.parametrize("files", FILES.values(), ids=FILES)
@pytest.mark.parametrize("way", ["a file", "gzip", "standard input"])
def test_every_input_is_recorded_as_its_content_is(irev, write, files, way):
    packed = [gzip.compress(data, mtime=0) if way == "gzip" else data for data in files]
    qrels, run = write(packed[0], "qrels"), write(packed[1], "run")
    if way == "standard input":
        status, stdout, stderr = irev("eval", qrels, "-", "-f", "json", stdin=files[1])
    else:
        status, stdout, stderr = irev("eval", qrels, run, "-f", "json")

    assert status == 0, stderr
    expected = [
        {
            "role": role,
            "name": name,
            "sha256": hashlib.sha256(data).hexdigest(),
            "bytes": len(data),
            "lines": lines(data),
        }
        for role, name, data in zip(
            ("qrels", "run"), (qrels, "<stdin>" if way == "standard input" else run), files, strict=True
        )
    ]
    found = json.loads(stdout)["inputs"]
    assert [64, None] == [len(file.pop("content", "")) or None for file in found]
    assert expected == found


def lines(data: bytes) -> int:
    return len(data.split(b"\n")) - data.endswith(b"\n")


def test_only_a_style_that_says_so_has_inputs_hashed(irev, monkeypatch):
    monkeypatch.setattr(hashlib, "sha256", None)
    assert 0 == irev("eval", QRELS, KEYWORD).status
    assert 70 == irev("eval", QRELS, KEYWORD, "-f", "json").status


def test_a_baseline_with_the_names_of_an_older_irev_is_compared(irev, write, folder):
    """RBP(p=0.8) was RBP, and gRBP(p=0.9) was gRBP."""
    measures = ("-m", "RBP", "-m", "rbp", "-m", "RBP(p=0.5)")
    made = irev("eval", "-c", "-q", "-f", "json", "--names", "standard", *measures, QRELS, SEMANTIC).stdout.decode()
    older = made.replace("RBP(p=0.8)", "RBP").replace("gRBP(p=0.9)", "gRBP")
    assert all(f'"{name}"' in older for name in ("RBP", "gRBP", "RBP(p=0.5)"))
    files = [write(each.encode(), name) for name, each in (("newer.json", made), ("older.json", older))]

    shown = [irev("show", "-q", each) for each in files]
    assert (0, shown[0].stdout) == (0, shown[1].stdout)
    checked = [irev("check", "--max-drop", "RBP=0", "--baseline", each, QRELS, KEYWORD) for each in files]
    assert 1 == checked[0].status
    newer, older = (b"".join(each.stdout.split()) for each in checked)  # lines are cut where long paths end
    assert newer.replace(b"newer.json", b"older.json") == older


class TestPrintedNumbers:
    @pytest.mark.parametrize("style", ["trec", "table", "csv", "tsv", "markdown", "latex", "html"])
    def test_a_baseline_is_shown_as_it_was_printed(self, irev, write, tmp_path, style):
        ranks = {"q1": 1, "q2": 5, "q3": 1669, "q4": 834}
        qrels = write("".join(f"{query} 0 d 1\n" for query in ranks).encode(), "qrels")
        run = "".join(
            f"{query} Q0 {'d' if n == rank else n} 1 {-n} r\n"
            for query, rank in ranks.items()
            for n in range(1, rank + 1)
        )
        files = (qrels, write(run.encode(), "run"))
        baseline = str(tmp_path / "baseline.json")
        assert 0 == irev("check", "--min", "RR=0", "--baseline", baseline, "--update-baseline", *files).status
        for digits in ("2", "3", "4", "5"):
            look = ("-f", style, "--digits", digits)
            printed = irev("eval", "-c", "-q", "-m", "RR", *look, *files)
            shown = irev("show", "-q", *look, baseline)

            assert (0, printed.stdout) == (shown.status, shown.stdout)
