"""Judgments of a model as UMBRELA writes them, and as models are asked for them otherwise."""

import json

import pytest
from outcomes import refused

RECORD = {
    "model": "some-model",
    "qid": "q1",
    "docid": "d1",
    "query": "how long is the life cycle of a flea",
    "passage": "It can last from 20 days to a year.",
    "prompt": "…",
    "prediction": "It answers the question.\n\n##final score: 3",
    "judgment": 3,
    "result_status": 1,
}


@pytest.fixture
def run(write) -> str:
    return write(b"q1 Q0 d1 1 9 r\nq1 Q0 d2 2 8 r\nq1 Q0 d3 3 7 r\n", "run")


def test_records_with_ids_are_recognised(irev, write, run):
    records = [RECORD, {**RECORD, "docid": "d2", "judgment": 1}, {**RECORD, "docid": "d3", "judgment": 0}]
    for text in ("".join(json.dumps(each) + "\n" for each in records), json.dumps(records)):
        done = irev("-l", "2", "-m", "P@3", write(text.encode(), "judged.jsonl"), run)
        assert (0, b"P_3                   \tall\t0.3333\n", "") == done


def test_texts_alone_are_refused_with_what_to_give(irev, write, run):
    texts = {name: value for name, value in RECORD.items() if name not in ("qid", "docid")}
    judged = write(json.dumps(texts).encode(), "judged.jsonl")
    refused(irev("-m", "P@3", judged, run), "and no ids", "give the qrels that UMBRELA wrote", "add qid and docid")


@pytest.mark.parametrize(
    ("wrong", "fact"),
    [
        ({"judgment": 0, "result_status": 0}, "no grade was found in what the model wrote"),
        ({"judgment": "3"}, "the judgment is a string"),
        ({"judgment": None}, "the judgment is null"),
        ({"qid": 1.5}, "the query id is a number"),
    ],
)
def test_what_is_no_judgment_is_refused(irev, write, run, wrong, fact):
    lines = "".join(json.dumps(each) + "\n" for each in (RECORD, {**RECORD, "docid": "d2", **wrong}))
    refused(irev("-m", "P@3", write(lines.encode(), "judged.jsonl"), run), "judged.jsonl:2", fact)


def test_judgments_of_the_rag_track_are_read_as_they_are(irev, write):
    judged = write(b"2024-105741 0 msmarco_v2.1_doc_13_1647729865#1_3617390938 3\n", "umbrela.qrels")
    run = write(b"2024-105741 Q0 msmarco_v2.1_doc_13_1647729865#1_3617390938 1 9.5 r\n", "rag.run")
    assert (0, b"P_1                   \tall\t1.0000\n", "") == irev("-l", "2", "-m", "P@1", judged, run)


def test_probabilities_are_grades_and_reasons_are_ignored(irev, write, run):
    lines = b"q1 0 d1 0.7\nq1 0 d2 0.2\n"
    assert b"P_2                   \tall\t0.5000\n" == irev("-l", "0.5", "-m", "P@2", write(lines), run).stdout
    done = irev("-m", "P@2", write(lines), run)
    assert "--level 0.7 would count it as relevant" in done.stderr
    records = [{"query_id": "q1", "doc_id": d, "relevance": p, "reason": "a b"} for d, p in (("d1", 0.7), ("d2", 0.2))]
    text = "".join(json.dumps(each) + "\n" for each in records).encode()
    assert b"P_2                   \tall\t0.5000\n" == irev("-l", "0.5", "-m", "P@2", write(text), run).stdout
