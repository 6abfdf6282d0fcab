"""Weights of queries: weighted means by their definition, said by their name in every output."""

import csv
import io
import json
import random

import pytest
from conftest import ROOT
from outcomes import refused

import irev as package
from irev.base.errors import InputError, UsageError
from irev.evaluation import scores

QRELS, RUN = (str(ROOT / "sample_data" / name) for name in ("qrels.txt", "keyword.run"))
WEIGHTS = {"q1": 10.0, "q2": 1.0, "q3": 0.0, "q4": 1.0, "q5": 0.5, "q6": 2.5, "q7": 1.0}


@pytest.fixture
def weights(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "weights").write_text("".join(f"{query} {weight}\n" for query, weight in WEIGHTS.items()))
    return "weights"


def weighted(values, given=WEIGHTS):
    """By the definition."""
    return sum(given[query] * value for query, value in values.items()) / sum(given[query] for query in values)


@pytest.mark.parametrize("more", [(), ("-c",), ("-l", "2"), ("--ties", "average")])
def test_a_mean_weighs_each_query_as_the_file_says(irev, weights, more):
    line = ("eval", *more, "-q", "-m", "AP", "-m", "nDCG@10", "--digits", "exact", "-f", "csv", QRELS, RUN)
    values = {}
    for row in csv.DictReader(io.StringIO(irev(*line).stdout.decode())):
        values.setdefault(row["measure"], {})[row["query"]] = float(row["value"])
    done = irev("eval", "--query-weights", weights, *line[1:])
    found = [*csv.DictReader(io.StringIO(done.stdout.decode()))]

    for measure, of in values.items():
        of.pop("all")
        (row,) = (row for row in found if row["query"] == "all" and row["measure"].startswith(measure))
        assert row["measure"].endswith("agg=weighted")
        assert weighted(of) == pytest.approx(float(row["value"]), rel=1e-14)
        single = {r["query"]: float(r["value"]) for r in found if r["query"] != "all" and r["measure"] == measure}
        assert of == single, "values of single queries are what they are"


@pytest.mark.parametrize("style", ["trec", "tsv", "csv", "jsonl", "json", "table", "markdown", "latex", "html"])
def test_every_style_says_so(irev, weights, style):
    done = irev("eval", "-m", "AP", "--query-weights", weights, "-f", style, QRELS, RUN)
    assert ("weighted" if style in ("table", "markdown", "latex", "html") else "agg=weighted") in done.stdout.decode()


def test_counts_and_other_aggregates_stay_as_they_are(irev, weights):
    plain, found = (
        irev("eval", *more, "-m", "num_ret", "-m", "gm_map", "-m", "AP(agg=median)", "-m", "P.5", QRELS, RUN)
        for more in ((), ("--query-weights", weights))
    )
    assert plain.stdout.split(b"\n")[:3] == found.stdout.split(b"\n")[:3]
    assert b"P_5,agg=weighted" in found.stdout


def test_the_plain_mean_can_stand_beside_it(irev, weights):
    done = irev("eval", "-m", "AP", "--aggregate", "mean,weighted", "--query-weights", weights, QRELS, RUN)
    assert [b"map", b"map_agg=weighted"] == [line.split()[0] for line in done.stdout.splitlines()]


def test_equal_weights_give_the_mean(irev, tmp_path, weights):
    (tmp_path / "equal").write_text("".join(f"{query}\t3\n" for query in WEIGHTS))
    mean, found = (
        irev("eval", *more, "-m", "AP", "--digits", "12", QRELS, RUN).stdout.split()[-1]
        for more in ((), ("--query-weights", "equal"))
    )
    assert mean == found


def test_many_queries_in_parts_weigh_the_same(monkeypatch):
    draw = random.Random(3)
    queries = [f"q{n}" for n in range(50)]
    qrels = {query: {"a": 1, "b": draw.randint(0, 1)} for query in queries}
    run = {query: {"a": draw.random(), "b": draw.random(), "c": draw.random()} for query in queries}
    given = {query: draw.random() for query in queries}
    measures = ["RR(agg=weighted)", "RR", "AP(agg=weighted)"]
    whole = package.evaluate(qrels, run, measures, query_weights=given)
    monkeypatch.setattr(scores, "TOGETHER", 7)
    parts = package.evaluate(qrels, run, measures, query_weights=given)

    assert whole.mean() == parts.mean()
    assert weighted(whole.per_query["RR"], given) == pytest.approx(parts.mean()["RR(agg=weighted)"], rel=1e-14)
    assert sum(whole.per_query["RR"].values()) / 50 == pytest.approx(parts.mean()["RR"], rel=1e-14)


def test_groups_are_weighted_too(irev, tmp_path, weights):
    (tmp_path / "groups").write_text("".join(f"{query}\t{'x' if query < 'q4' else 'y'}\n" for query in WEIGHTS))
    line = ("eval", "-c", "-m", "RR", "--digits", "exact", "-f", "csv", "--query-weights", weights)
    rows = [*csv.DictReader(io.StringIO(irev(*line, "-q", QRELS, RUN).stdout.decode()))]
    values = {row["query"]: float(row["value"]) for row in rows if row["query"] in WEIGHTS}
    found = [*csv.DictReader(io.StringIO(irev(*line, "--groups", "groups", QRELS, RUN).stdout.decode()))]

    for group in ("x", "y"):
        (row,) = (row for row in found if row["group"] == group and row["measure"] != "num_q")
        of = {query: value for query, value in values.items() if (query < "q4") == (group == "x")}
        assert weighted(of) == pytest.approx(float(row["value"]), rel=1e-14)


def test_a_saved_result_has_the_weights(irev, weights, tmp_path):
    line = ("eval", "-q", "-m", "AP", "--query-weights", weights, QRELS, RUN)
    irev(*line, "-f", "json", "-o", "saved.json")

    assert WEIGHTS == json.loads((tmp_path / "saved.json").read_text())["options"]["query_weights"]
    assert irev(*line).stdout == irev("show", "-q", "saved.json").stdout


@pytest.mark.parametrize(("limit", "status"), [("0.626", 0), ("0.627", 1)])
def test_a_check_has_conditions_on_weighted_means(irev, weights, limit, status):
    done = irev("check", "--query-weights", weights, "--min", f"AP(agg=weighted)={limit}", QRELS, RUN)
    assert status == done.status, done.stderr


def test_python_takes_a_dictionary_or_a_file(weights):
    measures = ["AP(agg=weighted)", "AP"]
    found, again = (package.evaluate(QRELS, RUN, measures, query_weights=each) for each in (WEIGHTS, weights))

    assert found.mean() == again.mean()
    assert weighted(found.per_query["AP"]) == pytest.approx(found.mean()["AP(agg=weighted)"], rel=1e-14)
    assert found.mean() == package.evaluate_runs(QRELS, {"a": RUN}, measures, query_weights=WEIGHTS)["a"].mean()


@pytest.mark.parametrize(
    ("text", "fact"),
    [
        ("", "weights: the file is empty; expected a query and its weight"),
        ("q1\n", "found 'q1'; expected a query and its weight"),
        ("q1 often\n", "the weight 'often' of query 'q1' is not a number"),
        ("q1 -1\n", "is below 0; expected a number of 0 or more"),
        ("q1 1\nq1 2\n", "query 'q1' occurs twice"),
        ("q1 1\n", "the query 'q2' has no weight; add it to --query-weights"),
    ],
)
def test_a_faulty_file_is_refused(irev, weights, tmp_path, text, fact):
    (tmp_path / "weights").write_text(text)
    refused(irev("eval", "-m", "AP", "--query-weights", weights, QRELS, RUN), fact)


@pytest.mark.parametrize(
    ("words", "fact"),
    [
        (
            ("eval", "-m", "AP(agg=weighted)", QRELS, RUN),
            "there are none; `irev eval` and `irev check` take --query-weights",
        ),
        (
            ("eval", "-m", "num_ret", "--query-weights", "weights", QRELS, RUN),
            "--query-weights has no effect here: no measure uses weights of queries",
        ),
        (
            ("check", "--min", "AP=0", "--query-weights", "weights", QRELS, RUN),
            "--query-weights has no effect here: no measure uses weights of queries",
        ),
        (
            ("eval", "-c", "--compat", "9.0.8", "-m", "AP", "--query-weights", "weights", "old", RUN),
            "they have weights; leave out --compat, or -c",
        ),
    ],
)
def test_what_cannot_be_meant_is_refused(irev, weights, tmp_path, words, fact):
    (tmp_path / "old").write_text("q1 0 a 1\nq2 0 a 1\nq6 0 a 1\n")
    refused(irev(*words), fact)


def test_python_refuses_it_too():
    with pytest.raises(UsageError, match="no measure uses query_weights"):
        package.evaluate(QRELS, RUN, "AP", query_weights=WEIGHTS)
    with pytest.raises(UsageError, match="a dictionary of queries and weights of 0 or more"):
        package.evaluate(QRELS, RUN, "AP(agg=weighted)", query_weights={"q1": -1})
    with pytest.raises(InputError, match="the query 'q2' has no weight"):
        package.evaluate(QRELS, RUN, "AP(agg=weighted)", query_weights={"q1": 1})


def test_weights_that_are_all_0_are_refused(irev, tmp_path, weights):
    (tmp_path / "none").write_text("q1 0\nq2 0\n")
    refused(irev("eval", "-m", "AP", "--query-weights", "none", QRELS, RUN), "none: every weight is 0")
    for wrong in ({"q": 0.0}, {"q": 10**400}):
        with pytest.raises(UsageError, match="query_weights"):
            package.evaluate({"q": {"d": 1}}, {"q": {"d": 1.0}}, "AP(agg=weighted)", query_weights=wrong)


def test_a_measure_that_is_weighted_already_stands_once(irev, weights):
    done = irev("eval", "-m", "AP", "-m", "AP(agg=weighted)", "--query-weights", weights, QRELS, RUN)
    assert 1 == len(done.stdout.splitlines())
