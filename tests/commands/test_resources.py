"""What runs took: a table that is read with every fault named, and Pareto fronts."""

import csv
import io
import math
import random

import numpy as np
import pytest
from comparing import record, shown
from conftest import ROOT
from outcomes import refused

import irev
from irev.base.segments import AGGREGATES, aggregate, quantile
from irev.evaluation.curves.by_run import dominating
from irev.reading.lists import Resources

QRELS = str(ROOT / "sample_data" / "qrels.txt")
RUNS = tuple(str(ROOT / "sample_data" / f"{name}.run") for name in ("hybrid", "keyword", "semantic"))
DRAWN = ("curves", "--kind", "tradeoff", "-m", "nDCG@10")


@pytest.fixture
def took(tmp_path, monkeypatch):
    """Writes a table of what runs took."""
    monkeypatch.chdir(tmp_path)

    def write(text, name="took.csv"):
        (tmp_path / name).write_text(text)
        return name

    return write


OF_RUNS = "run,latency,memory\nkeyword,4,120\nsemantic,18.5,900\nhybrid,23,1020\nother,1,1\n"


def of_queries(slow=40.0):
    rows = [
        f"{run},q{n},{base + n}" for run, base in (("keyword", 1), ("semantic", 10), ("hybrid", 20)) for n in range(99)
    ]
    return "run,query,latency\n" + "".join(
        f"{row}\n" for row in (*rows, *(f"{run},slow,{slow * 10}" for run in ("keyword", "semantic", "hybrid")))
    )


def value(numbers, statistic):
    """The aggregate of numbers of the queries of a run."""
    return Resources("took.csv", ("t",), {"r": {"t": numbers}}, True).value("r", f"t:{statistic}")


# Quantiles and fronts


@pytest.mark.parametrize("seed", range(20))
def test_a_quantile_is_that_of_measures(seed):
    draw = random.Random(seed)
    numbers = [draw.choice((draw.random(), 0.5, 3.0)) for _ in range(draw.randint(1, 40))]
    for share in (0, 1, 25, 50, 90, 95, 99, 99.9, 100):
        assert quantile(np.array(numbers), share / 100) == value(numbers, f"p{share}"), share
        assert math.isclose(np.percentile(numbers, share), value(numbers, f"p{share}")), share
    assert (min(numbers), max(numbers)) == (value(numbers, "min"), value(numbers, "max"))
    assert aggregate("mean", np.array(numbers)) == value(numbers, "mean")


@pytest.mark.parametrize("higher", [True, False])
@pytest.mark.parametrize("seed", range(20))
def test_a_run_is_dominated_where_another_one_is_no_worse_and_no_dearer_and_one_of_them_less(seed, higher):
    draw = random.Random(seed)
    values = [draw.choice((0.1, 0.2, 0.5, math.nan, draw.random())) for _ in range(9)]
    costs = [draw.choice((1.0, 2.0, draw.random())) for _ in range(9)]
    found = dominating(values, costs, higher)

    for one, by in enumerate(found):
        if math.isnan(values[one]):
            assert -1 == by
            continue
        better = [
            n
            for n in range(9)
            if (values[n] >= values[one] if higher else values[n] <= values[one])
            and costs[n] <= costs[one]
            and (values[n] != values[one] or costs[n] != costs[one])
        ]
        assert (by is None) == (not better)
        assert by is None or by in better


# Drawn


def test_runs_stand_by_what_they_took_and_say_who_dominates_them(irev, took):
    found = record(irev, *DRAWN, "--resources", took(OF_RUNS), QRELS, *RUNS)
    (picture,) = found["pictures"]
    points = [point for curve in picture["curves"] for point in curve["points"]]

    assert ["keyword", "semantic", "hybrid"] == [point["run"] for point in points]
    assert [4, 18.5, 23] == [point["latency"] for point in points]
    assert [0, 0, 1] == [point["dominated"] for point in points]
    assert ["Dominated: hybrid by semantic."] == picture["notes"]


def test_values_are_those_of_eval(irev, took):
    lines = irev(*DRAWN, "--resources", took(OF_RUNS), "--digits", "exact", "-f", "csv", QRELS, *RUNS).stdout.decode()
    there = {row["run"]: row["value"] for row in csv.DictReader(io.StringIO(lines))}
    for name, run in zip(("hybrid", "keyword", "semantic"), RUNS, strict=True):
        line = irev("eval", "-c", "-m", "nDCG@10", "--digits", "exact", QRELS, run).stdout.decode()
        assert line.split()[-1] == there[name]


def test_with_queries_it_is_a_quantile_and_the_others_stand_beside_it(irev, took):
    text = irev(*DRAWN, "--resources", took(of_queries()), "--against", "latency:p99", "-f", "csv", QRELS, *RUNS)
    rows = [*csv.DictReader(io.StringIO(text.stdout.decode()))]

    assert ["latency:p50", "latency:p95", "latency:mean"] == [*rows[0]][5:] == [*rows[0]][-3:]
    assert ["102.0100", "110.9200", "120.8200"] == [row["latency:p99"] for row in rows]
    assert "latency:p50" in shown(irev, *DRAWN, "--resources", "took.csv", QRELS, *RUNS)


def test_letters_of_points_are_each_used_once(irev, took):
    text = shown(irev, *DRAWN, "--resources", took(OF_RUNS), QRELS, *RUNS)

    assert "Pareto front: A keyword   B semantic" in text
    assert "dominated: C hybrid" in text


@pytest.mark.thorough
def test_a_picture_has_the_front(irev, took, tmp_path):
    assert 0 == irev(*DRAWN, "--resources", took(OF_RUNS), "--plot", "x.svg", QRELS, *RUNS).status
    assert "Dominated: hybrid by semantic." in (tmp_path / "x.svg").read_text()


def test_python_has_the_same(irev_api, took):
    found = irev_api.curves(QRELS, RUNS, "tradeoff", "nDCG@10", resources=took(OF_RUNS), against="memory")

    assert [120, 900] == [point.x for point in found.pictures[0].curves[0].points]


@pytest.fixture
def irev_api():
    return irev


@pytest.mark.parametrize(
    ("column", "asked", "front"),
    [
        ("qps", "qps", ["semantic"]),
        ("qps", "qps:lower", ["keyword", "semantic"]),
        ("ms", "ms", ["keyword", "semantic"]),
        ("recalls", "recalls:higher", ["semantic"]),
        ("recalls", "recalls:lower", ["keyword", "semantic"]),
        ("GPU seconds", "GPU seconds:lower", ["keyword", "semantic"]),
    ],
)
def test_the_better_direction_is_known_or_said(irev, took, column, asked, front):
    rows = took(f"run,{column}\nkeyword,5\nsemantic,30\nhybrid,30\n")
    found = record(irev, *DRAWN, "--resources", rows, "--against", asked, QRELS, *RUNS)

    assert front == [each["run"] for each in found["pictures"][0]["curves"][0]["points"]]


def test_a_direction_that_is_not_known_is_asked_for(irev, took):
    fact = "it is not known whether a lower or a higher hops is better"
    message = f"{fact}; write --against hops:lower or --against hops:higher"
    refused(irev(*DRAWN, "--resources", took("run,hops\nkeyword,5\nsemantic,30\nhybrid,30\n"), QRELS, *RUNS), message)


# Refused


@pytest.mark.parametrize(
    ("text", "fact"),
    [
        ("", "took.csv: the file is empty; expected rows below a header such as run,query,latency"),
        ("\n \n", "took.csv: the file is empty"),
        ("keyword,3\n", "took.csv: there is no column run, or none beside it; expected rows below a header"),
        ("run\nkeyword\n", "took.csv: there is no column run, or none beside it; expected rows below a header"),
        ("run,x,x\nkeyword,1,2\n", "took.csv: there are 2 columns 'x'; rename one of them"),
        ("run,x\n", "took.csv: there are no rows"),
        ("run,x\nkeyword\n", "took.csv:2: 1 field in a record; expected 2, as the header has"),
        ("run,x\nkeyword,1\nkeyword,2\n", "took.csv:3: run 'keyword' has a row already (first on line 2)"),
        (
            "run,query,x\nkeyword,q,1\nkeyword,q,2\n",
            "took.csv:3: query 'q' of run 'keyword' has a row already (first on line 2)",
        ),
        (
            "run,x\nkeyword,-1\n",
            "took.csv:2: the value '-1' of 'x' is not a number of 0 or more; expected one in each row",
        ),
        ("run,x\nkeyword,nan\n", "took.csv:2: the value 'nan' of 'x' is not a number of 0 or more"),
        ("run,x\nkeyword,1e999\n", "took.csv:2: the value '1e999' of 'x' is not a number of 0 or more"),
        ("run,\x1b[31m\nkeyword,\x1b\n", r"took.csv:2: the value '\x1b' of '\x1b[31m' is not a number of 0 or more"),
        ('{"run": "keyword", "x": null}\n', "took.csv, entry 1: the value 'null' of 'x' is not a number of 0 or more"),
        ('{"run": "keyword", "x": 1}\n{"run": "y"}\n', "took.csv, entry 2: the value 'null' of 'x' is not a number"),
        ("run,ms\nother,1\n", "took.csv: the run 'keyword' has no row; there are other"),
    ],
)
def test_a_faulty_table_is_refused_with_its_line(irev, took, text, fact):
    refused(irev(*DRAWN, "--resources", took(text), QRELS, RUNS[1]), fact)


@pytest.mark.parametrize(
    ("words", "fact"),
    [
        ((*DRAWN, QRELS, *RUNS), "a file with the resources of the runs is needed; give --resources"),
        (("curves", "--resources", "took.csv", QRELS, *RUNS), "--resources has no effect without --kind tradeoff"),
        ((*DRAWN, "--resources", "took.csv", "--against", "lateny", QRELS, *RUNS), "no column 'lateny'; did you mean"),
        (
            (*DRAWN, "--resources", "took.csv", "--against", "latency:p99", QRELS, *RUNS),
            "took.csv has one latency for each run, so it has no 'p99'",
        ),
    ],
)
def test_what_cannot_be_meant_is_refused(irev, took, words, fact):
    took(OF_RUNS)
    refused(irev(*words), fact)


def test_a_statistic_that_is_none_is_refused(irev, took):
    line = (*DRAWN, "--resources", took(of_queries()), "--against", "latency:p101", QRELS, *RUNS)
    refused(irev(*line), "there is no aggregate 'p101'; there are mean, gmean, median, ")


def test_aggregates_have_the_same_names_for_resources_and_measures(irev, took):
    def drawn(statistic):
        asked = ("--resources", took(of_queries()), "--against", f"latency:{statistic}", "-f", "csv")
        return irev(*DRAWN, *asked, QRELS, *RUNS).stdout

    assert b"latency:p50" in drawn("p50")
    assert drawn("p50") == drawn("median") == drawn("q50")
    assert drawn("p05") == drawn("q05")
    for name in (*AGGREGATES, "q2.5"):
        assert aggregate(name, np.array([4.0, 1.0, 2.5])) == value([4.0, 1.0, 2.5], name)
    line = ("eval", "-m", "AP", "--aggregate")
    assert irev(*line, "q25", QRELS, *RUNS).stdout == irev(*line, "p25", QRELS, *RUNS).stdout
    refused(irev(*DRAWN, "--resources", "took.csv", "--against", "latency:weighted", QRELS, *RUNS), "has no weights")
