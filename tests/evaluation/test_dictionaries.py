"""Dictionaries are joined from the side of the judgments, to what columns and files give, to the last bit."""

import dataclasses
import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import irev
from irev.base.errors import InputError, IrevError
from irev.evaluation import dictionaries
from irev.measures import MEASURES, parse
from irev.measures.few_documents import FEW, functions_of

USUAL = [
    *("AP", "AP@3", "P@1", "P@5", "P@1000", "R@2", "R@100", "Success@1", "RR", "RR@2"),
    *("nDCG@1", "nDCG@10", "nDCG", "Rprec"),
]
OTHERS = ["official", "all_trec", "set", "nDCG(gain=exp)@2", "AP(rel=2)", "P(judged_only=true)@2", "AP(agg=median)"]
IDS = [f"d{number}" for number in range(9)]
SCORES = st.sampled_from([0, 1.0, 1, 2.5, -1, 0.1, 16777216, 16777217])
GRADES = st.sampled_from([0, 1, 2, 3, -1, -2, 0.5, 1 / 3, 7, 2**53])
QUERIES = st.sampled_from(["q1", "q2", "q10", "ü"])


def nested(values):
    return st.dictionaries(QUERIES, st.dictionaries(st.sampled_from(IDS), values, min_size=1), min_size=1)


OPTIONS = st.fixed_dictionaries(
    {},
    optional={
        "level": st.sampled_from([0, 1, 2, 0.4]),
        "complete": st.booleans(),
        "compat": st.sampled_from(["10.0", "9.0.8"]),
        "ties": st.sampled_from(["docid-asc", "file", "average"]),
        "negative": st.just("nonrelevant"),
        "depth": st.sampled_from([None, 2]),
        "judged_only": st.booleans(),
        "gains": st.just({0: 0, 1: 5}),
        "queries": st.sampled_from(["both", "run"]),
    },
)


def all_of(found: irev.Evaluation) -> tuple:
    """Everything that an evaluation holds, with the bits of its numbers."""
    scores = dataclasses.replace(found.scores, columns=())
    columns = [
        (
            column.request.standard,
            column.weights,
            column.values.dtype,
            [repr(value) for value in column.values.tolist()],
        )
        for column in found.scores.columns
    ]
    summary = [value.hex() if isinstance(value, float) else value for value in found.summary.values]
    left_out = dataclasses.replace(found.left_out, no_overlap=None, near_miss=None)
    facts = tuple(tuple(each) if isinstance(each, list | tuple) else each for each in found.facts)
    of_scores = [getattr(scores, field.name) for field in dataclasses.fields(scores)]
    return of_scores, columns, summary, dataclasses.astuple(left_out), facts, found.measures


def outcome(qrels, run, measures, options):
    try:
        return all_of(irev.Evaluator(qrels, measures, **options).evaluate(run))
    except IrevError as error:
        return f"{type(error).__name__}: {error}"


@pytest.mark.filterwarnings("ignore::irev.IrevWarning")
@pytest.mark.parametrize("most", [0, 40])
@given(
    qrels=nested(GRADES),
    run=nested(SCORES),
    options=OPTIONS,
    measures=st.sets(st.sampled_from(USUAL), min_size=1) | st.sets(st.sampled_from(USUAL + OTHERS), min_size=1),
)
def test_dictionaries_have_the_values_that_columns_have(most, qrels, run, options, measures):
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(dictionaries, "QUERIES", most)
        found = outcome(qrels, run, sorted(measures), options)
        patch.setattr(dictionaries, "compiled", lambda *_: None)
        expected = outcome(qrels, run, sorted(measures), options)
    assert expected == found


@pytest.mark.filterwarnings("ignore::irev.IrevWarning")
@pytest.mark.parametrize("together", [1, 100, dictionaries.TOGETHER])
@pytest.mark.parametrize(
    "options", [{}, {"ties": "file"}, {"ties": "average"}, {"compat": "9.0.8"}, {"complete": True}]
)
def test_long_rankings_have_the_same_values_too(together, options, monkeypatch):
    monkeypatch.setattr(dictionaries, "TOGETHER", together)
    rng = np.random.default_rng(3)
    grades = {f"q{q}": {f"d{each}": int(rng.integers(-1, 5)) for each in rng.permutation(300)[:120]} for q in range(20)}
    sizes = rng.integers(1, 200, 25)
    run = {
        f"q{q}": {f"d{each}": float(rng.integers(0, 90)) for each in rng.permutation(400)[:size]}
        for q, size in zip(rng.permutation(25).tolist(), sizes.tolist(), strict=True)
    }
    measures = [
        "AP",
        "AP@50",
        "nDCG",
        "nDCG@10",
        "R@100",
        "P@30",
        "RR",
        *["Bpref", "infAP"][: 2 * ("ties" not in options)],
    ]
    found = outcome(grades, run, measures, options)
    monkeypatch.setattr(dictionaries, "compiled", lambda *_: None)
    assert outcome(grades, run, measures, options) == found


def test_the_measures_that_are_asked_for_most_need_no_arrays(monkeypatch):
    def never(*_):
        raise AssertionError("arrays")

    monkeypatch.setattr(dictionaries.NestedEvaluator, "ranked", never)
    for options in ({}, {"complete": True}, {"compat": "9.0.8"}, {"level": 2}):
        evaluator = irev.Evaluator({"q1": {"d1": 1, "d2": 2}}, USUAL, **options)
        assert 1.0 == evaluator.evaluate({"q1": {"d2": 2.0, "d1": 1.0}}).per_query["RR"]["q1"]
    many = {"q1": {f"d{number}": 1.0 for number in range(dictionaries.DOCUMENTS + 1)}}
    with pytest.raises(AssertionError, match="arrays"):
        evaluator.evaluate(many)


@pytest.mark.parametrize(
    "text", ["nDCG(gain=exp)@10", "AP(rel=2)", "P(judged_only=true)@5", "AP(agg=median)", "ndcg.1=3"]
)
def test_what_is_asked_for_in_another_way_is_left_to_arrays(text):
    assert functions_of(parse([text])) is None


def test_what_is_known_is_a_measure_whose_mean_is_its_summary():
    for name in FEW:
        measure = MEASURES[name]
        assert ("real", "mean") == (measure.kind, measure.summary)
        assert math.inf not in [value.value for value in measure.parameter.defaults if value.value is not None]


@pytest.mark.parametrize(
    "measures", [{"map", "ndcg"}, {"Rprec", "ndcg_cut", "recip_rank"}, {"P.5", "recall_10", "success"}]
)
def test_the_interface_of_pytrec_eval_has_the_same_values(measures):
    from irev.compat import pytrec_eval

    rng = np.random.default_rng(5)
    for _ in range(20):
        qrels = {q: {f"d{each}": int(rng.integers(-1, 3)) for each in rng.permutation(30)[:9]} for q in ("q1", "é")}
        run = {q: {f"d{each}": float(rng.integers(0, 9)) for each in rng.permutation(30)[:20]} for q in ("é", "q1")}
        found = pytrec_eval.RelevanceEvaluator(qrels, measures).evaluate(run)
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(dictionaries, "compiled", lambda *_: None)
            expected = pytrec_eval.RelevanceEvaluator(qrels, measures).evaluate(run)
        assert expected == found
        assert list(expected) == list(found)
        assert list(expected["q1"]) == list(found["q1"])


def test_what_is_handed_in_may_change_afterwards():
    qrels = {"q1": {"d1": 1}}
    evaluator = irev.Evaluator(qrels, "RR")
    qrels["q1"]["d2"] = 1
    qrels["q2"] = {"d1": 1}
    many = {"q1": {f"d{number}": -number for number in range(dictionaries.DOCUMENTS + 1)}}

    assert {"q1": 0.5} == evaluator.evaluate({"q1": {"d2": 2.0, "d1": 1.0}}).per_query["RR"]
    assert {"q1": 0.5} == evaluator.evaluate(many).per_query["RR"]


@pytest.mark.parametrize("bad", [float("nan"), "1.0", None])
def test_a_score_that_is_none_is_refused_as_ever(bad):
    evaluator = irev.Evaluator({"q1": {"d1": 1}}, "RR")
    with pytest.raises(InputError, match=r"run: the score of document 'd2' of query 'q1'"):
        evaluator.evaluate({"q1": {"d1": 2.0, "d2": bad}})


@pytest.mark.parametrize("most", [0, 40])
def test_lists_of_documents_have_the_values_that_their_scores_have(most, monkeypatch):
    monkeypatch.setattr(dictionaries, "QUERIES", most)
    qrels = {"q1": {"d1": 2, "d2": 1, "d7": 1}, "q2": {"d3": 1}}
    lists = {"q2": ["d1", "d3"], "q1": ["d9", "d2", "d8", "d1"]}
    falling = {query: {each: -rank for rank, each in enumerate(listed, 1)} for query, listed in lists.items()}
    expected = outcome(qrels, falling, ["AP", "nDCG"], {})
    assert expected == outcome(qrels, lists, ["AP", "nDCG"], {})
    assert "'d1' of query 'q2' is retrieved twice" in outcome(qrels, {"q2": ["d1", "d1"]}, ["AP"], {})
    with monkeypatch.context() as patch:
        patch.setattr(dictionaries, "compiled", lambda *_: None)
        assert expected == outcome(qrels, lists, ["AP", "nDCG"], {})


@pytest.mark.parametrize("seed", range(5))
def test_the_code_of_c_has_the_same_values(seed):
    theirs, ours = pytest.importorskip("pytrec_eval"), pytest.importorskip("irev.compat.pytrec_eval")
    rng = np.random.default_rng(seed)
    queries = [f"q{number}" for number in range(60)]
    qrels = {q: {f"d{each}": int(rng.integers(-1, 4)) for each in rng.permutation(150)[:40]} for q in queries}
    run = {
        q: {f"d{each}": float(rng.integers(0, 60)) / 7 for each in rng.permutation(200)[: rng.integers(1, 120)]}
        for q in rng.permutation(queries).tolist()
    }
    measures = {"map", "ndcg", "bpref", "Rprec", "set_F", "P", "recall", "infAP", "ndcg_cut", "success", "recip_rank"}
    expected = theirs.RelevanceEvaluator(qrels, measures).evaluate(run)
    assert expected == ours.RelevanceEvaluator(qrels, measures).evaluate(run)
