"""Plausible arguments of Python that functions cannot take: each is refused with what to give instead."""

import pandas as pd
import pytest
from conftest import ROOT

import irev

DATA = ROOT / "sample_data"
QRELS, JUDGE, HYBRID, SEMANTIC = (
    str(DATA / name) for name in ("qrels.txt", "judge2.txt", "hybrid.run", "semantic.run")
)
LOG = str(DATA / "interleaved.jsonl")


def refused(said, call):
    with pytest.raises(irev.UsageError) as error:
        call()
    assert said in str(error.value)


@pytest.mark.parametrize(
    "call",
    [
        lambda: irev.compare(QRELS, [HYBRID, SEMANTIC], "AP", both="no"),
        lambda: irev.curves(QRELS, [HYBRID, SEMANTIC], both="no"),
        lambda: irev.clicks(LOG, allow_large="no"),
    ],
)
def test_words_in_place_of_true_or_false(call):
    refused("; expected True or False", call)


FRAME = pd.DataFrame({"qid": ["q1", "q3"], "query": ["a", "b"]})


def test_a_frame_of_queries():
    refused("queries is a data frame; give its column of ids", lambda: irev.evaluate(QRELS, HYBRID, queries=FRAME))
    found = irev.evaluate(QRELS, HYBRID, "AP", queries=FRAME["qid"])
    assert ("q1", "q3") == found.queries
    assert found.queries == irev.evaluate(QRELS, HYBRID, "AP", queries=dict(FRAME.values)).queries


@pytest.mark.parametrize(
    ("call", "what"),
    [
        (lambda: irev.clicks(FRAME), "log"),
        (lambda: irev.clicks(LOG, before=FRAME), "before"),
        (lambda: irev.off_policy(FRAME, HYBRID), "log"),
        (lambda: irev.trend(FRAME), "results"),
    ],
)
def test_a_frame_in_place_of_files(call, what):
    refused(f"{what} is of type DataFrame, and only files are read here; write it to a file and give its path", call)


@pytest.mark.parametrize("call", [lambda: irev.judges(FRAME), lambda: irev.fuse(FRAME)])
def test_a_frame_in_place_of_several(call):
    with pytest.raises(TypeError, match=r"expected several (judgments|runs): a list, or a dictionary of"):
        call()
