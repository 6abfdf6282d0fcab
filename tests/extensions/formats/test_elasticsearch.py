"""Requests to and responses of ``_rank_eval``: the ratings and rankings in them, and what is refused."""

import json
from unittest.mock import patch

import pytest
from conftest import in_process
from outcomes import refused

import irev as package
from irev.base.settings import Settings
from irev.reading import chunks, formats, limits
from irev.reading.formats import JUDGMENTS, RUNS

JUDGED = {"q1": {"d1": 1, "d2": 0}, "red shoes": {"d2": 2}}
RANKED = {"q1": ["d2", "d9", "d1"], "red shoes": ["d7", "d2"]}
SCORED = {query: {d: -float(i) for i, d in enumerate(found)} for query, found in RANKED.items()}


def request(judged=JUDGED):
    requests = [
        {"id": q, "request": {"size": 3}, "ratings": [{"_index": "i", "_id": d, "rating": g} for d, g in found.items()]}
        for q, found in judged.items()
    ]
    return {"metric": {"dcg": {"k": 10}}, "requests": requests, "templates": []}


def response(ranked=RANKED):
    details = {
        q: {
            "metric_score": 1,
            "unrated_docs": [],
            "hits": [{"hit": {"_index": "i", "_id": d, "_score": 2.5}} for d in found],
        }
        for q, found in ranked.items()
    }
    return {"metric_score": 0.5, "details": details, "failures": {}}


@pytest.mark.parametrize("size", [1, 60, 1 << 21])
@pytest.mark.parametrize("wrapped", [False, True])
def test_ratings_are_judgments_and_hits_are_ranked(size, wrapped, tmp_path):
    (tmp_path / "qrels").write_text(json.dumps(request(), indent=1))
    (tmp_path / "run").write_text(json.dumps({"rank_eval": response()} if wrapped else response()))
    expected = package.evaluate(JUDGED, SCORED, ["AP", "nDCG", "NumRet"]).per_query
    with patch.object(chunks, "SIZE", size):
        found = package.evaluate(tmp_path / "qrels", tmp_path / "run", ["AP", "nDCG", "NumRet"])
    assert expected == found.per_query


def test_they_are_recognised():
    for table, data in ((JUDGMENTS, request()), (RUNS, response()), (RUNS, {"rank_eval": response()})):
        found = formats.recognised(table, json.dumps(data).encode(), Settings())
        assert "rank_eval" == (found and found.name)


def test_a_request_may_be_long_before_its_first_rating():
    body = json.dumps({"requests": [{"id": "q1", "request": {"query": "x" * (1 << 17)}, "ratings": []}]}).encode()
    assert JUDGMENTS["rank_eval"] is formats.recognised(JUDGMENTS, body[: formats.HEAD], Settings())


def document(**fields):
    return [{"hit": fields}]


def hits(*found):
    return json.dumps({"metric_score": 1, "details": {"q1": {"hits": list(found)}}})


REFUSED_RUNS = [
    (
        hits({"hit": {"_index": "a", "_id": "1"}}, {"hit": {"_index": "b", "_id": "1"}}),
        "entry 2: document '1' is in two indices, 'a' and 'b'; their ids are the same",
    ),
    (
        hits({"hit": {"_index": "a", "_id": "1"}}, {"hit": {"_index": "a", "_id": "1"}}),
        "entry 2: document '1' is retrieved twice",
    ),
    (hits({"hit": {"_index": "a"}}), "entry 1: the document id is null"),
    (hits({"_id": "1"}), "entry 1: the hit is null; expected an object"),
    (hits("1"), "entry 1: the hit is a string; expected an object"),
    (
        json.dumps({"metric_score": 1, "details": {"q1": {"hits": {}}}}),
        "entry 1: query 'q1': the hits are an object",
    ),
    (
        json.dumps({"metric_score": 1, "details": {"q1": 7}}),
        "entry 1: the value of query 'q1' is a number; expected an object",
    ),
    (
        json.dumps({"metric_score": 1, "details": {}, "failures": {"q2": {}}}),
        ": queries failed: 'q2'; repeat the request",
    ),
    (
        json.dumps({"rank_eval": {"metric_score": 1}}),
        ": there is no field 'details'; there are 'rank_eval', 'metric_score'",
    ),
    ('{"metric_score": 1, "details": {"q1": {"hits": [', "entry 1: this is not JSON"),
    ('{"metric_score": 1, "details": {"q1": {"hits": []}, "q1": {"hits": []}}}', "entry 1: the key 'q1' occurs twice"),
]


def rated(*ratings, **more):
    return json.dumps({"requests": [{"id": "q1", "ratings": list(ratings)} | more]})


REFUSED_JUDGMENTS = [
    (rated({"_id": "1", "rating": None}), "entry 1: the rating is null; expected a number"),
    (rated({"_id": "1", "rating": "2"}), "entry 1: the rating is a string; expected a number"),
    (
        rated({"_id": "1", "rating": 1}, {"_id": "1", "rating": 1}),
        "entry 2: document '1' is judged twice for query 'q1'",
    ),
    (
        '{"requests": [{"id": "q", "ratings": [{"_id": "a", "rating": 1, "rating": 2}]}]}',
        "the key 'rating' occurs twice",
    ),
    (rated({"rating": 1}), "entry 1: the document id is null"),
    (rated(id=" "), "entry 1: the query id ' ' begins or ends with a blank"),
    (json.dumps({"requests": [{"ratings": []}]}), "entry 1: the request has no field 'id'"),
    (
        json.dumps({"requests": [{"id": "q1", "query": "ratings", "ratings ": []}], "ratings": 1}),
        "the request has no field 'ratings'",
    ),
    (json.dumps({"requests": [7], "ratings": 1}), "entry 1: the request is a number; expected an object"),
]


@pytest.mark.parametrize(("data", "message"), REFUSED_RUNS, ids=[message for _, message in REFUSED_RUNS])
def test_what_a_response_cannot_hold_is_refused(data, message, tmp_path):
    (tmp_path / "qrels").write_text("q1 0 1 1\n")
    (tmp_path / "run").write_text(data)
    refused(in_process("eval", str(tmp_path / "qrels"), str(tmp_path / "run")), message)


@pytest.mark.parametrize(("data", "message"), REFUSED_JUDGMENTS, ids=[message for _, message in REFUSED_JUDGMENTS])
def test_what_a_request_cannot_hold_is_refused(data, message, tmp_path):
    (tmp_path / "qrels").write_text(data)
    (tmp_path / "run").write_text("q1 Q0 1 1 1 t\n")
    refused(in_process("eval", str(tmp_path / "qrels"), str(tmp_path / "run")), message)


def test_one_is_not_taken_for_the_other(tmp_path):
    """Not under -c either, where a run without a judged query is none that is refused."""
    (tmp_path / "request").write_text(json.dumps(request()))
    (tmp_path / "response").write_text(json.dumps(response()))
    done = in_process("eval", "-c", str(tmp_path / "request"), str(tmp_path / "request"))
    refused(done, "there is no field 'details'; there are 'metric', 'requests', 'templates'; expected a response")
    done = in_process("eval", "-c", str(tmp_path / "response"), str(tmp_path / "response"))
    refused(done, "there is no field 'requests'; there are 'metric_score', 'details', 'failures'; expected a request")


def test_one_query_has_a_largest_size(tmp_path, monkeypatch):
    monkeypatch.setattr(limits, "SMALL", 3000)
    monkeypatch.setattr(chunks, "SIZE", 64)
    (tmp_path / "qrels").write_text("q1 0 d1 1\n")
    files = str(tmp_path / "qrels"), str(tmp_path / "run")
    (tmp_path / "run").write_text(json.dumps(response({"q1": [f"d{i}" for i in range(100)]})))
    said = "a value is longer than 2.9 kB; write it in lines, or set IREV_ALLOW_LARGE=1"
    assert said in in_process("eval", *files).stderr
    (tmp_path / "run").write_text(json.dumps(response({f"q{i}": ["d1"] for i in range(100)})))
    assert 0 == in_process("eval", *files).status
