"""What programs send to other processes and copy: evaluators, what they are made of, and what comes of them."""

import copy
import pickle
import subprocess
import sys

import numpy as np
import pytest
from conftest import ROOT, environment

import irev
from irev.compat import pytrec_eval
from irev.measures import MEASURES, Request, parse
from irev.measures.measure import SETS

QRELS = {"q1": {"d1": 2, "d2": 0, "d3": 1}, "q2": {"d1": 1}}
RUN = {"q1": {"d3": 1.5, "d9": 1.0, "d1": 1.0}, "q2": {"d7": 2.0, "d1": 1.0}}
WANTED = ["nDCG@10", "AP(rel=2)", "P@2", "RBP(p=0.8)", "ERR", "nDCG(gain=exp,agg=median)", "relstring"]

WAYS = {"pickled": lambda value: pickle.loads(pickle.dumps(value)), "copied": copy.deepcopy}


@pytest.fixture(params=WAYS, name="again")
def way(request):
    """Both ways to another object that is the same."""
    return WAYS[request.param]


def test_an_evaluator_gives_the_same_numbers(again):
    evaluator = irev.Evaluator(QRELS, WANTED, complete=True)
    assert evaluator.evaluate(RUN).to_json() == again(evaluator).evaluate(RUN).to_json()


def test_an_evaluator_that_has_been_used_gives_the_same_numbers(again):
    evaluator = irev.Evaluator(QRELS, WANTED)
    expected = evaluator.evaluate(RUN).to_json()
    assert expected == again(evaluator).evaluate(RUN).to_json()


def test_an_evaluation_keeps_its_numbers(again):
    evaluation = irev.evaluate(QRELS, RUN, WANTED)
    assert evaluation.to_dict() == again(evaluation).to_dict()
    assert evaluation.to_json() == again(evaluation).to_json()


def test_scores_keep_queries_columns_and_values(again):
    scores = irev.evaluate(QRELS, RUN, WANTED).scores
    found = again(scores)

    assert scores.queries == found.queries
    assert [column.request for column in scores.columns] == [column.request for column in found.columns]
    for expected, column in zip(scores.columns, found.columns, strict=True):
        np.testing.assert_array_equal(expected.values, column.values)


def test_an_evaluator_of_pytrec_eval_gives_the_same_numbers(again):
    evaluator = pytrec_eval.RelevanceEvaluator(QRELS, pytrec_eval.supported_measures)
    assert str(evaluator.evaluate(RUN)) == str(again(evaluator).evaluate(RUN))


@pytest.mark.parametrize("name", MEASURES)
def test_there_is_one_of_each_measure(again, name):
    assert MEASURES[name] is again(MEASURES[name])


@pytest.mark.parametrize("text", [*WANTED, *SETS])
def test_requests_stay_equal(again, text):
    requests = parse([text])
    assert requests == again(requests)
    assert [request.standard for request in requests] == [request.standard for request in again(requests)]
    assert all(isinstance(request, Request) for request in requests)


def test_a_process_that_has_imported_nothing_knows_the_measures():
    program = (
        "import pickle, sys; sent = pickle.load(sys.stdin.buffer);"
        " print([request.standard for request in sent], end='')"
    )
    sent = pickle.dumps(parse(["nDCG@10", "RBP(p=0.5)"]))
    done = subprocess.run([sys.executable, "-c", program], input=sent, capture_output=True, env=environment())

    assert (b"['nDCG@10', 'RBP(p=0.5)']", b"") == (done.stdout, done.stderr)


def test_evaluators_are_sent_whatever_they_evaluate():
    """Those of usual measures have functions of their own for few documents."""
    for measure in ("AP", "AP@5", "nDCG@10", "P@5", "R@5", "RR", "Success@1", "ERR@5"):
        evaluator = irev.Evaluator({"q": {"a": 1, "b": 2}}, [measure])
        run = {"q": {"b": 1.0, "c": 0.5, "a": 0.1}}
        assert evaluator.evaluate(run).mean() == pickle.loads(pickle.dumps(evaluator)).evaluate(run).mean()


def test_threads_may_be_the_first_to_ask():
    """What one of them looks up is being imported by another."""
    code = """
import irev
from concurrent.futures import ThreadPoolExecutor
def one(measure):
    return irev.evaluate({"q": {"a": 1}}, {"q": {"a": 1.0}}, measure).mean()
with ThreadPoolExecutor(6) as executor:
    names = ["INST", "SDCG@10", "AP", "Judged@10", "INST", "P@5"]
    print([len(found) for found in executor.map(one, names)])
"""
    done = subprocess.run([sys.executable, "-c", code], env=environment(), capture_output=True, text=True)
    assert ("[1, 1, 1, 1, 1, 1]\n", "") == (done.stdout, done.stderr)


SAMPLES = ROOT / "sample_data"
LLM = SAMPLES / "llm"
RUNS = [str(SAMPLES / f"{name}.run") for name in ("keyword", "semantic")]
FOUND = {
    "compare": lambda: irev.compare(SAMPLES / "qrels.txt", RUNS),
    "diff": lambda: irev.diff(SAMPLES / "qrels.txt", *RUNS),
    "explain": lambda: irev.explain(SAMPLES / "qrels.txt", RUNS[0], "q1", "nDCG@10"),
    "curves": lambda: irev.curves(SAMPLES / "qrels.txt", RUNS),
    "coverage": lambda: irev.coverage(SAMPLES / "qrels.txt", RUNS),
    "judges": lambda: irev.judges([SAMPLES / "qrels.txt", SAMPLES / "judge2.txt"]),
    "llm_judge": lambda: irev.llm_judge(LLM / "llm.txt", LLM / "human.txt", [LLM / "bm25.run", LLM / "rerank.run"]),
    "rbo": lambda: irev.rbo(*RUNS),
    "interleave": lambda: irev.interleave(*RUNS),
    "pool": lambda: irev.pool(RUNS, depth=3),
    "clicks": lambda: irev.clicks(SAMPLES / "ab_test.csv"),
}


@pytest.mark.parametrize("found", FOUND)
def test_findings_say_the_same(found, again):
    expected = FOUND[found]()
    assert (repr(expected), str(expected)) == (repr(again(expected)), str(again(expected)))


def test_errors_say_the_same(again, tmp_path):
    """Each kind as it comes, with the file, the line and the query of what is wrong."""
    (tmp_path / "qrels").write_text("q1 0 d1 1\nq1 0 d1 2\n")
    (tmp_path / "graded").write_text("q1 0 d1 3\n")
    for judged, measure in (("qrels", "AP"), ("graded", "ERR(gmax=2)"), ("none", "AP"), ("graded", "no")):
        with pytest.raises(irev.IrevError) as found:
            irev.evaluate(tmp_path / judged, RUN, measure)
        copied = again(found.value)
        assert (str(found.value), vars(found.value)) == (str(copied), vars(copied))
