"""Plausible arguments of Python that functions cannot take: each is refused with what to give instead."""

import subprocess
import sys

import numpy as np
import pandas as pd
import pytest
from conftest import ROOT, environment

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


@pytest.mark.parametrize(
    "call",
    [
        lambda: irev.evaluate(QRELS, HYBRID, "AP", depth=10**30),
        lambda: irev.fuse([HYBRID, SEMANTIC], depth=10**30),
        lambda: irev.rbo(HYBRID, SEMANTIC, depth=10**30),
        lambda: irev.interleave(HYBRID, SEMANTIC, length=10**30),
    ],
)
def test_numbers_of_more_digits_than_there_are_documents(call):
    refused("a whole number of", call)
    refused("with 18 digits at most", call)


def test_more_lists_than_can_be_drawn():
    said = "is no value of draws; expected a whole number from 1 to 1000000"
    refused(said, lambda: irev.interleave(HYBRID, SEMANTIC, draws=10**30))


@pytest.mark.filterwarnings("ignore::irev.QueriesWarning")
def test_limits_that_are_numbers_of_numpy():
    found = {"a": irev.evaluate(QRELS, HYBRID, ["AP", "num_ret"], complete=True)}
    written = [{"AP": 0.5}, {"AP": np.float64(0.5)}, {"AP": np.float32(0.5)}]
    assert {"at least 0.5"} == {irev.check(found, min=each).findings[0].required for each in written}
    limits = [{"num_ret": 1}, {"num_ret": np.int64(1)}, {"num_ret": np.uint8(1)}]
    assert {"at most 1"} == {irev.check(found, max=each).findings[0].required for each in limits}
    for limit in (True, np.ones(2), 10**30, None):
        refused("expected limits such as {'nDCG@10': 0.01}", lambda limit=limit: irev.check(found, max={"AP": limit}))


@pytest.mark.filterwarnings("ignore::irev.QueriesWarning")
def test_measures_of_ir_measures_are_taken_by_their_names():
    ir_measures = pytest.importorskip("ir_measures")
    asked = [ir_measures.nDCG @ 10, ir_measures.AP(rel=2), "RR"]
    assert (
        irev.evaluate(QRELS, HYBRID, ["nDCG@10", "AP(rel=2)", "RR"]).mean()
        == irev.evaluate(QRELS, HYBRID, asked).mean()
    )
    assert ("AP",) == irev.evaluate(QRELS, HYBRID, ir_measures.AP).measures


def test_metrics_are_called_measures():
    with pytest.raises(TypeError, match=r"there is no option 'metrics'; did you mean 'measures'\?"):
        irev.evaluate(QRELS, HYBRID, metrics=["AP"])


def test_packages_that_pages_name_are_there_after_import_irev():
    program = "import irev; print(irev.compat.replace.__name__, irev.arrow.Fold.__name__); irev.sparc"
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, env=environment())
    assert "replace Fold\n" == done.stdout
    assert done.stderr.endswith("AttributeError: module 'irev' has no attribute 'sparc'\n")


@pytest.fixture(scope="module")
def evaluation():
    with pytest.warns(irev.QueriesWarning):
        return irev.evaluate(QRELS, HYBRID, ["AP", "RR"], complete=True)


def test_runs_in_place_of_a_baseline(evaluation):
    run = {"q1": {"d1": 1.0}}
    for baseline in (run, {"b": run}):
        with pytest.raises(
            TypeError, match="baseline: expected a dictionary of evaluations by the names of their runs"
        ):
            irev.check({"a": evaluation}, baseline=baseline, max_drop={"AP": 0.1})


def test_records_that_readers_make():
    refused("irev.Qrels is what irev.read_qrels gives; irev.read_qrels(data)", lambda: irev.Qrels({"q1": {"d1": 1}}))
    for data in ({"q1": {"d1": 1.0}}, HYBRID):
        refused("irev.Run is what irev.read_run gives; irev.read_run(data)", lambda data=data: irev.Run(data))


@pytest.mark.filterwarnings("ignore::irev.QueriesWarning")
def test_measures_in_an_array():
    found = irev.compare(QRELS, [HYBRID, SEMANTIC], np.array(["AP", "RR"]))
    assert ["AP", "RR"] == [each.measured.quantity.standard for each in found.compared]


@pytest.mark.parametrize(
    ("call", "said"),
    [
        (lambda: irev.top_k([[1, 2], [3]]), "indices have rows of different lengths; give each row k numbers"),
        (lambda: irev.top_k([[1, 2]], [[1, 2], [3]]), "scores have rows of different lengths; give each row k numbers"),
        (lambda: irev.coverage(QRELS, [HYBRID], groups=FRAME), "no value of groups; expected a dictionary of runs and"),
        (lambda: irev.coverage(QRELS, [HYBRID], groups=["a"]), "no value of groups; expected a dictionary of runs and"),
        (
            lambda: irev.coverage(QRELS, [HYBRID], groups=DATA / "groups"),
            "no value of groups; expected a dictionary of",
        ),
        (
            lambda: irev.clicks(LOG, shares={1: 0.5, 2: 0.5}),
            "expected a dictionary of the names of buckets and numbers",
        ),
        (lambda: irev.pool([HYBRID], strata=FRAME), "is no value of strata; expected"),
        (lambda: irev.compare(QRELS, [HYBRID, SEMANTIC], both=FRAME), "is no value of both; expected True or False"),
        (lambda: irev.curves(QRELS, [HYBRID], both=np.ones(2)), "is no value of both; expected True or False"),
        (lambda: irev.compare(QRELS, [HYBRID, HYBRID], confidence=np.ones(2)), "is no value of confidence; expected"),
        (
            lambda: irev.arrow.Fold(["AP"]).add({"AP": [1.0]}),
            "values are of type dict, and a table of pyarrow is expected",
        ),
    ],
)
def test_values_of_types_that_were_met_inside(call, said):
    refused(said, call)


def test_baselines_that_lack_what_is_compared():
    judged, run = {"q1": {"d1": 1}}, {"q1": {"d1": 1.0}}
    both, alone = (irev.evaluate(judged, run, names, complete=True) for names in (["AP", "RR"], ["AP"]))
    said = "'baseline' was not evaluated by RR; evaluate it by all measures that conditions are about"
    refused(said, lambda: irev.check({"a": both}, baseline=alone, max_drop={"RR": 0.1}))
    assert irev.check({"a": both}, baseline=alone, max_drop={"AP": 0.1}, min={"RR": 0.1}).holds
    others = {"a": both, "b": alone}
    assert irev.check({"a": both}, baseline=others, max_drop={"RR": 0.1}).holds
    refused("'b' was not evaluated by RR", lambda: irev.check({"b": both}, baseline=others, max_drop={"RR": 0.1}))
    said = "there is no baseline of the run 'c'; there are a, b"
    refused(said, lambda: irev.check({"c": both}, baseline=others, max_drop={"RR": 0.1}))


def test_an_option_of_earlier_versions_that_became_a_function_is_named():
    with pytest.raises(TypeError, match=r"there is no option 'bayes'; irev\.bayes is a function"):
        irev.compare(QRELS, [HYBRID, SEMANTIC], bayes=True)
