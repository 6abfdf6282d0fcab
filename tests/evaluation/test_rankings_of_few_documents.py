"""Small dictionaries are ranked in plain Python, to what arrays give, to the last bit."""

import dataclasses

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import irev
from irev.base.settings import Settings
from irev.errors import InputError, IrevError
from irev.evaluation import few_documents
from irev.ranking import ranking
from irev.ranking.ranked import Ranked
from irev.reading import memory

IDS = st.one_of(
    st.sampled_from(["d1", "d2", "d10", "D1", "é", "z", "\uffff", "\U00010000", "a b", "-1"]),
    st.text(min_size=1, max_size=3),
)
SCORES = st.one_of(
    st.sampled_from([0, 1, 1.0, 2.5, -0.0, 0.0, -1, 1e300, 16777216, 16777217, 0.1, 0.1 + 1e-9, float("inf")]),
    st.floats(allow_nan=True),
    st.integers(-(2**70), 2**70),
    st.sampled_from([True, None, "1", "x", np.float64(1.5), np.float32(0.1), np.int64(3), 10**400]),
)
GRADES = st.one_of(st.sampled_from([0, 1, 2, 3, -1, -0.0, 0.5, 2**53, 2**54]), st.integers(-2, 4))
QUERIES = st.one_of(st.sampled_from(["q1", "q2", "q10", "ü"]), st.text(min_size=1, max_size=2))
SETTINGS = st.builds(
    Settings,
    level=st.sampled_from([1.0, 2.0]),
    depth=st.sampled_from([None, 1, 2, 5]),
    judged_only=st.booleans(),
    complete=st.booleans(),
    compat=st.sampled_from(["10.0", "9.0.8"]),
    ties=st.sampled_from(["docid-desc", "docid-asc", "file", "average"]),
    negative=st.sampled_from(["unjudged", "unjudged", "nonrelevant", "error"]),
).filter(lambda settings: not (settings.ties == "average" and settings.judged_only and settings.depth is not None))


def nested(values):
    return st.dictionaries(QUERIES, st.dictionaries(IDS, values, max_size=6), min_size=1, max_size=4)


def same(expected: Ranked, found: Ranked) -> None:
    for field in dataclasses.fields(Ranked):
        if field.name == "_views":
            continue
        one, other = getattr(expected, field.name), getattr(found, field.name)
        assert type(one) is type(other), field.name
        if isinstance(one, np.ndarray):
            assert one.dtype == other.dtype, field.name
            np.testing.assert_array_equal(one, other, field.name)
            if one.dtype.kind == "f":
                np.testing.assert_array_equal(np.signbit(one), np.signbit(other), field.name)
        else:
            assert one == other, field.name


def outcome(work):
    """What it gives, or what it says."""
    try:
        return work()
    except (IrevError, TypeError, OverflowError) as error:
        return f"{type(error).__name__}: {error}"


@given(qrels=nested(GRADES), run=nested(SCORES), settings=SETTINGS)
def test_few_documents_are_ranked_as_many_are(qrels, run, settings):
    def by_arrays():
        return ranking.rank_blocks(
            memory.judgments(qrels, settings), memory.blocks(run, settings), "run", b"tag", settings
        )

    expected = outcome(by_arrays)
    found = outcome(lambda: few_documents.rank_nested(few_documents.judgments(qrels, settings), run, settings, b"tag"))
    if isinstance(expected, str):
        assert expected == found
        return
    same(expected[0], found[0])
    # What the command says of files that do not belong together, nobody asks of programs.
    one, other = (dataclasses.replace(left_out, strangers=None) for _, left_out in (expected, found))
    assert dataclasses.astuple(one) == dataclasses.astuple(other)
    # Judgments that were indexed already, such as a file's, are asked in another way.
    same(expected[0], few_documents.rank_nested(memory.judgments(qrels, settings), run, settings, b"tag")[0])


def test_usual_dictionaries_are_ranked_in_plain_python(monkeypatch):
    def never(*_):
        raise AssertionError("arrays")

    monkeypatch.setattr(ranking, "rank_blocks", never)
    monkeypatch.setattr(memory, "judgments", never)
    for options in ({}, {"complete": True}, {"compat": "9.0.8"}, {"depth": 2, "judged_only": True}):
        found = irev.evaluate(
            {"q1": {"d1": 1, "d2": 0}}, {"q1": {"d2": 2.0, "d1": 1.0}, "q2": {"d": 1}}, "RR", **options
        )
        assert {"q1": 0.5} == found.per_query["RR"]
        assert ("q2",) == found.unjudged


def test_what_is_handed_in_may_change_afterwards():
    qrels = {"q1": {"d1": 1}}
    evaluator = irev.Evaluator(qrels, "RR")
    qrels["q1"]["d2"] = 1
    qrels["q2"] = {"d1": 1}
    many = {"q1": {f"d{number}": -number for number in range(3 * few_documents.MOST)}}

    assert {"q1": 0.5} == evaluator.evaluate({"q1": {"d2": 2.0, "d1": 1.0}}).per_query["RR"]
    assert {"q1": 0.5} == evaluator.evaluate(many).per_query["RR"]


@pytest.mark.parametrize("bad", [float("nan"), "1.0", None])
def test_a_score_that_is_none_is_refused_as_ever(bad):
    evaluator = irev.Evaluator({"q1": {"d1": 1}}, "RR")
    with pytest.raises(InputError, match=r"run: the score of document 'd2' of query 'q1'"):
        evaluator.evaluate({"q1": {"d1": 2.0, "d2": bad}})
