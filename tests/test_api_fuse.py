"""`irev.fuse`: whatever holds the runs, the fused run is the one that the command writes; what is refused, and how."""

import numpy as np
import pandas
import polars
import pytest
from conftest import ROOT

import irev
from irev.base.errors import InputError, UsageError

RUNS = [str(ROOT / "sample_data" / f"{name}.run") for name in ("hybrid", "keyword", "semantic")]
A = {"1": {"a": 12.0, "b": 9.0, "c": 6.0}, "2": {"x": 3.0}}
B = {"1": {"c": 0.75, "d": 0.5, "a": 0.25}, "2": {"y": 3.0}}
FUSED = {
    "1": {"c": 1 / 61 + 1 / 63, "a": 1 / 61 + 1 / 63, "d": 1 / 62, "b": 1 / 62},
    "2": {"y": 1 / 61, "x": 1 / 61},
}


def table(run: dict) -> dict[str, list]:
    rows = [(query, document, score) for query, scores in run.items() for document, score in scores.items()]
    return dict(zip(("query", "docno", "score"), map(list, zip(*rows, strict=True)), strict=True))


@pytest.mark.parametrize(
    "form",
    [
        lambda run, path: run,
        lambda run, path: pandas.DataFrame(table(run)),
        lambda run, path: polars.DataFrame(table(run)),
        lambda run, path: tuple(np.array(column) for column in table(run).values()),
        lambda run, path: irev.read_run(run),
        lambda run, path: path,
        lambda run, path: irev.read_run(path),
    ],
    ids=["dictionary", "pandas", "polars", "arrays", "Run", "path", "Run of a file"],
)
def test_whatever_holds_the_runs_the_same_comes_out(tmp_path, form):
    path = tmp_path / "b.run"
    path.write_text("".join(f"{q} Q0 {d} 0 {s} t\n" for q, scores in B.items() for d, s in scores.items()))
    found = irev.fuse([A, form(B, path)])

    assert FUSED == found.to_dict()
    assert [list(scores) for scores in FUSED.values()] == [list(scores) for scores in found.to_dict().values()]
    assert ("rrf", "rrf") == (found.name, found.tag)


def test_lists_of_documents_have_ranks_for_scores():
    assert {"1": {"a": 0.0, "b": -1.0, "c": -2.0}} == irev.fuse(
        [{"1": ["a", "b", "c"]}, {"1": {"a": 1.0, "b": 1.0, "c": 1.0}}], "combsum", norm="none"
    ).to_dict()


def test_orders_that_contradict_each_other_do_no_harm():
    other = dict(reversed(B.items()))
    found = irev.fuse([A, other]).to_dict()

    assert FUSED == found
    assert ["1", "2"] == [*found], "as the first run has them"


def test_the_fused_run_is_evaluated_at_once():
    qrels = {"1": {"d": 1}, "2": {"y": 1}}

    assert {"RR": (1 / 3 + 1) / 2} == irev.evaluate(qrels, irev.fuse([A, B]), ["RR"]).mean()
    assert {"RR": (1 / 3 + 1) / 2} == irev.evaluate(qrels, irev.fuse([A, B]).to_dict(), ["RR"]).mean()
    assert 2 == len(irev.fuse([irev.fuse([A, B]), A], length=1))


def test_it_has_its_rows_as_a_frame():
    frame = irev.fuse([A, B], "combsum", name="both", length=1).to_pandas()

    assert ["query_id", "doc_id", "score"] == [*frame.columns]
    assert [("1", "c", 1.0), ("2", "y", 1.0)] == [*frame.itertuples(index=False, name=None)]


def test_weights_are_by_order_or_by_name():
    expected = irev.fuse([A, B], "combsum", weights=[0.25, 0.75]).to_dict()

    assert {"c": 0.75, "d": 0.375, "a": 0.25, "b": 0.125} == expected["1"]
    named = irev.fuse({"sparse": A, "dense": B}, "combsum", weights={"dense": 0.75, "sparse": 0.25})
    assert expected == named.to_dict()
    assert expected == irev.fuse([A, B], "combsum", weights=np.array([0.25, 0.75])).to_dict()


def test_any_finite_number_is_a_weight_and_a_run_of_weight_0_brings_its_documents():
    assert {"a": 1.0, "b": 0.5, "d": 0.0, "c": 0.0} == irev.fuse([A, B], "combsum", weights=[1, 0]).to_dict()["1"]
    assert {"a": 1.0, "b": 0.5, "d": -0.5, "c": -1.0} == irev.fuse([A, B], "combsum", weights=[1, -1]).to_dict()["1"]


def test_nothing_that_is_handed_in_is_changed():
    runs = [irev.read_run(path) for path in RUNS]
    before = [run.to_dict() for run in runs]
    irev.fuse(runs, "combmed", depth=2)

    assert before == [run.to_dict() for run in runs]


@pytest.mark.parametrize(
    ("choices", "said"),
    [
        ({"norm": "z"}, "norm has no effect without method='comb"),
        ({"method": "borda", "k": 1}, "k has no effect without method='rrf'"),
        ({"method": "combmax", "weights": [1, 2]}, "weights has no effect without method='borda' or"),
        ({"weights": [1]}, "1 weight for 2 runs; give weights one number for each run, in their order"),
        ({"weights": [1, float("nan")]}, "[1, nan] is no value of weights; expected a number for each run"),
        ({"weights": {"a": 1}}, "the runs have no names, so weights cannot be a dictionary; give a list of weights"),
        ({"k": float("inf")}, "inf is no value of k; expected a number"),
        ({"ties": "average"}, "documents in ties have no rank of their own under ties='average'"),
        ({"runs": []}, "there is nothing to fuse; give at least one run"),
        ({"runs": {"a": A, "b": B}, "weights": {"a": 1, "c": 1}}, "there is no weight for run 'b'; give a weight for"),
        ({"runs": {"a": A}, "weights": {"a": 1, "c": 1}}, "there is no run 'c'; give a weight for each run"),
    ],
    ids=str,
)
def test_what_makes_no_sense_is_refused(choices, said):
    with pytest.raises(UsageError) as error:
        irev.fuse(**{"runs": [A, B]} | choices)

    assert str(error.value).startswith(said)


def test_runs_of_other_topics_are_refused():
    with pytest.raises(InputError, match="run 2: it has no query in common with the other runs: it has 'q', they have"):
        irev.fuse([A, {"q": {"a": 1.0}}, {"1": {"a": 1.0}}])


def test_one_path_and_options_that_there_are_not_are_no_runs():
    with pytest.raises(TypeError, match="expected several runs"):
        irev.fuse(RUNS[0])
    with pytest.raises(TypeError, match="there is no option 'level'"):
        irev.fuse(RUNS, level=1)
