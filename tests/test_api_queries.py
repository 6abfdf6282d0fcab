"""``irev.diff`` and ``irev.explain``: what the commands find, of files and of whatever else runs may be."""

import json
from pathlib import Path

import pandas as pd
import pytest
from conftest import ROOT, in_process, nested

import irev

SAMPLE = ROOT / "sample_data"
QRELS, SEMANTIC, KEYWORD = (str(SAMPLE / name) for name in ("qrels.txt", "semantic.run", "keyword.run"))
HAS_A_TIE = "q1 Q0 d1 1 2.5 t\nq1 Q0 d2 2 1.25 t\nq1 Q0 d3 3 1.25 t\nq2 Q0 d1 1 1e-3 t\n"


def record_of(*arguments: str) -> dict:
    """What a command finds, as JSON."""
    done = in_process(*arguments, "-f", "json")
    assert 0 == done.status, done.stderr
    return json.loads(done.stdout)


def as_recorded(record: dict) -> dict:
    """A record as JSON has it."""
    return json.loads(json.dumps(record))


def as_frame(path: str) -> pd.DataFrame:
    """A run as a data frame."""
    rows = [line.split() for line in Path(path).read_text().splitlines()]
    return pd.DataFrame(
        {"qid": [r[0] for r in rows], "docno": [r[2] for r in rows], "score": [float(r[4]) for r in rows]}
    )


def ways(path: str) -> dict:
    """A run in all the ways in which it can be given."""
    return {
        "file": path,
        "read": irev.read_run(path),
        "dictionary": nested(path, 4),
        "frame": as_frame(path),
    }


@pytest.fixture(scope="module")
def without_comments(tmp_path_factory) -> str:
    """The judgments without their comments, which trec_eval 9.0.8 does not know."""
    path = tmp_path_factory.mktemp("judged") / "qrels"
    path.write_text("".join(line for line in Path(QRELS).read_text().splitlines(True) if not line.startswith("#")))
    return str(path)


WAYS = ("file", "read", "dictionary", "frame")


class TestDifferences:
    @pytest.mark.parametrize("way", WAYS)
    @pytest.mark.parametrize(
        ("options", "given"),
        [
            ("", {}),
            ("--limit 1 --best --pool-depth 2", {"limit": 1, "best": True, "pool_depth": 2, "complete": True}),
            ("--queries both --level 2 -M 3", {"queries": "both", "level": 2, "depth": 3}),
            ("--query q3 --query q6", {"query": ["q3", "q6"]}),
            ("--compat 9.0.8", {"compat": "9.0.8"}),
        ],
    )
    def test_are_those_of_the_command(self, without_comments, way, options, given):
        files = (without_comments, KEYWORD, SEMANTIC)
        expected = record_of("diff", *files, "-m", "RR", "-m", "nDCG@5", *options.split())
        found = irev.diff(without_comments, ways(KEYWORD)[way], ways(SEMANTIC)[way], ["RR", "nDCG@5"], **given)
        assert expected["policy"] == found.policy
        assert expected == as_recorded(found.report().record) | {
            key: expected[key] for key in ("qrels", "before", "after")
        }

    def test_take_judgments_that_are_in_memory(self):
        of_files = irev.diff(QRELS, KEYWORD, SEMANTIC)
        of_memory = irev.diff(nested(QRELS, 3), ways(KEYWORD)["dictionary"], SEMANTIC)
        called = dict.fromkeys(("qrels", "before", "after"))
        expected, found = (each.report().record | called for each in (of_files, of_memory))
        assert expected == found

    def test_count_every_judged_query_unless_asked_otherwise(self):
        one = {"q1": {"d10": 1.0}}
        judged = {"q1": {"d10": 1}, "q2": {"d10": 1}}
        assert (b"q1", b"q2") == irev.diff(judged, one, one).changes.queries
        assert (b"q1",) == irev.diff(judged, one, one, queries="both").changes.queries
        assert (b"q1",) == irev.diff(judged, one, one, complete=False).changes.queries

    @pytest.mark.parametrize(
        ("measures", "given", "message"),
        [
            ("nDGC", {}, "there is no measure 'nDGC'"),
            ("relstring", {}, "the values of 'relstring' are not numbers"),
            ("num_q", {}, "the measure 'num_q' has no value for a single query"),
            ("AP", {"query": "q99"}, f"{QRELS}: query 'q99' has no judgments"),
            ("AP", {"query": "q6", "queries": "both"}, "query 'q6' is left out: a run has no results for it"),
            ("AP", {"ties": "average"}, "documents in ties have no rank of their own"),
        ],
    )
    def test_refuse_what_there_is_not(self, measures, given, message):
        with pytest.raises(irev.IrevError) as refused:
            irev.diff(QRELS, KEYWORD, SEMANTIC, measures, **given)
        assert str(refused.value).startswith(message)

    def test_refuse_an_option_that_there_is_not(self):
        with pytest.raises(TypeError, match="there is no option 'levle'; did you mean 'level'"):
            irev.diff(QRELS, KEYWORD, SEMANTIC, levle=2)


class TestExplanations:
    @pytest.mark.parametrize("way", WAYS)
    @pytest.mark.parametrize(
        ("options", "given"),
        [
            ("", {}),
            ("--level 2 -M 3 -J", {"level": 2, "depth": 3, "judged_only": True}),
            ("--ties average", {"ties": "average"}),
            ("--gains 0=0,1=1,2=4,3=9", {"gains": {0: 0, 1: 1, 2: 4, 3: 9}}),
        ],
    )
    def test_are_those_of_the_command(self, way, options, given):
        measures = ["nDCG@5", "AP", "RR", "P@3"]
        named = [word for name in measures for word in ("-m", name)]
        expected = record_of("explain", QRELS, SEMANTIC, "--query", "q3", *named, *options.split())
        explanation = irev.explain(QRELS, ways(SEMANTIC)[way], "q3", measures, **given)
        found = as_recorded(explanation.report().record)
        if way in ("dictionary", "frame"):  # which have the numbers alone, not how they were written
            for each in (*expected["measures"], *found["measures"]):
                for place in each["ranking"]:
                    place["score"] = float(place["score"])
        assert expected == found | {key: expected[key] for key in ("qrels", "run")}

    @pytest.mark.parametrize("way", ["file", "read"])
    def test_of_files_have_scores_as_they_are_written(self, tmp_path, way):
        (tmp_path / "run").write_text(HAS_A_TIE)
        given = str(tmp_path / "run")
        run = given if way == "file" else irev.read_run(given)
        whole = irev.explain({"q1": {"d2": 1}}, run, "q1").measures[0].whole
        assert [(b"d1", b"2.5"), (b"d3", b"1.25"), (b"d2", b"1.25")] == list(
            zip(whole.documents, whole.scores, strict=True)
        )

    def test_of_memory_have_scores_unless_something_else_orders_it(self):
        run = {"q1": {"d1": 0.1, "d2": 1e300}}
        judged = {"q1": {"d2": 1}}
        assert [b"1e+300", b"0.1"] == list(irev.explain(judged, run, "q1").measures[0].whole.scores)
        assert [b"", b""] == list(irev.explain(judged, run, "q1", order="file").measures[0].whole.scores)

    def test_are_by_one_measure_unless_asked_otherwise(self):
        assert ["nDCG@10"] == [each.request.standard for each in irev.explain(QRELS, SEMANTIC, "q3").measures]

    @pytest.mark.parametrize(
        ("query", "given", "message"),
        [
            ("q99", {}, f"{QRELS}: query 'q99' has no judgments"),
            ("q3", {"queries": "run"}, "queries has no meaning for a single query; leave it out"),
            ("q3", {"complete": True}, "complete has no meaning for a single query; leave it out"),
            ("q3", {"strict": True}, "strict has no meaning for a single query; leave it out"),
        ],
    )
    def test_refuse_what_there_is_not(self, query, given, message):
        with pytest.raises(irev.IrevError) as refused:
            irev.explain(QRELS, SEMANTIC, query, **given)
        assert str(refused.value).startswith(message)

    def test_refuse_choices_that_a_run_was_not_read_with(self):
        with pytest.raises(irev.UsageError, match="the run was read with order='score'"):
            irev.explain(QRELS, irev.read_run(SEMANTIC), "q3", order="file")


QUERIES = {"q1": {"d1": 1, "d2": 0}, "q2": {"d3": 1}}
JUDGED = {"anna": QUERIES, "ben": QUERIES}


@pytest.mark.parametrize(
    ("ask", "what"),
    [
        (lambda: irev.compare(QUERIES, QUERIES), "runs"),
        (lambda: irev.evaluate_runs(QUERIES, QUERIES), "runs"),
        (lambda: irev.evaluate_runs({"1": {"a": 1}}, {"7": {"a": 1}}), "runs"),
        (lambda: irev.curves(QUERIES, QUERIES), "runs"),
        (lambda: irev.pool(QUERIES, depth=10), "runs"),
        (lambda: irev.fuse(QUERIES), "runs"),
        (lambda: irev.judges(JUDGED, QUERIES), "runs"),
        (lambda: irev.judges(QUERIES), "judgments"),
        (lambda: irev.judges({"q1": ["d1"], "q2": ["d1", "d2"]}), "judgments"),
        (lambda: irev.pool({"bm25": {"q1": {"d1": 1.0}}, "dense": {"d1": 1.0}}, depth=10), "runs"),
    ],
)
def test_queries_of_one_run_are_not_taken_for_runs_nor_for_judges(ask, what):
    with pytest.raises(irev.UsageError, match=f"{what}: '.*' has documents, but no queries; write names, queries and"):
        ask()


def test_runs_without_names_may_be_of_one_query():
    assert ["d2", "d1"] == [*irev.fuse([{"d1": 1.0, "d2": 2.0}, {"d2": 1.0}]).to_dict()["1"]]
    assert 1.0 == irev.rbo({"d1": 1.0}, {"d1": 3.0}).means.extrapolated
