"""Points of curves are the values that `irev eval` prints, and what obvious loops over lists make of them."""

import json
import math
import random
from fractions import Fraction
from pathlib import Path
from statistics import median

import numpy as np
import pytest
from conftest import ROOT, added

from irev.base.errors import InputError, UsageError
from irev.base.settings import Settings
from irev.evaluation.curves import by_query, by_run
from irev.evaluation.inputs import Inputs, evaluate_files
from irev.evaluation.result import on_same_queries
from irev.ranking import ranking
from irev.reading import qrels
from irev.reading.sources import Source

QRELS = str(ROOT / "sample_data" / "qrels.txt")
RUNS = tuple(str(ROOT / "sample_data" / f"{name}.run") for name in ("hybrid", "keyword", "semantic"))

EVERY = Settings(complete=True)


def outcomes(requests, files=(QRELS, *RUNS), settings=EVERY):
    return evaluate_files(Inputs((("", files[0]),), files[1:]), requests, settings, each_query=True).outcomes


def evaluated(irev, requests, *options, files=(QRELS, *RUNS)):
    """What `irev eval` has as values for all queries, to the last digit: by run and label."""
    found = {}
    for path in files[1:]:
        names = [part for request in requests for part in ("-m", request.label)]
        status, stdout, _ = irev("eval", "-f", "json", "-c", *options, *names, files[0], path)
        assert 0 == status
        (outcome,) = json.loads(stdout)["results"]
        found[outcome["run"]] = outcome["summary"]
    return found


def ranked_of(path, settings=EVERY, judgments=QRELS):
    with Source(judgments) as source:
        read = qrels.read(source, settings)
    with Source(path) as source:
        return ranking.rank(read, source, settings)[0]


def files_of(judged, retrieved):
    """A file of judgments and one of a run in the current folder: grades and ranked documents, by query."""
    Path("qrels").write_text("".join(f"{q} 0 {d} {g}\n" for q, of in judged.items() for d, g in of.items()))
    Path("run").write_text(
        "".join(f"{q} Q0 {d} {i} {1000 - i} r\n" for q, of in retrieved.items() for i, d in enumerate(of, start=1))
    )
    return "qrels", "run"


def one_query(relevant_ranks, total, depth=20):
    """A query that retrieves relevant documents at these ranks, of so many."""
    found = {f"d{rank}": 1 for rank in relevant_ranks}
    missed = {f"m{i}": 1 for i in range(total - len(found))}
    return files_of({"q": {**found, **missed, "x": 0}}, {"q": [f"d{i}" for i in range(1, depth + 1)]})


def heights(curves):
    return [point.y for point in curves.curves[0].points]


# Recall and precision


@pytest.mark.parametrize(
    ("rule", "settings", "options"),
    [
        (None, EVERY, ()),
        (None, Settings(complete=True, compat="9.0.8"), ("--compat", "9.0.8")),
        ("nist", EVERY, ()),
        (None, Settings(complete=True, level=2, depth=3, judged_only=True), ("-l2", "-M3", "-J")),
    ],
)
def test_eleven_points_are_those_that_eval_prints(irev, write, rule, settings, options):
    bare = [line for line in Path(QRELS).read_text().splitlines(keepends=True) if not line.startswith("#")]
    requests, files = by_run.recall_requests(rule), (write("".join(bare).encode()), *RUNS)

    found = by_run.recall_precision(outcomes(requests, files, settings), settings, rule)

    expected = evaluated(irev, requests, *options, files=files)
    assert {run: list(of.values()) for run, of in expected.items()} == {
        curve.name: [point.y for point in curve.points] for curve in found.curves
    }
    assert [tenth / 10 for tenth in range(11)] == [point.x for point in found.curves[0].points]


@pytest.mark.usefixtures("folder")
@pytest.mark.parametrize(
    ("rule", "compat", "at"),
    [
        (None, "10.0", [1.0, 0.75, 0.75]),
        (None, "9.0.8", [0.75, 0.75, 4 / 15]),
        ("nist", "10.0", [0.75, 0.75, 4 / 15]),
        ("nist", "9.0.8", [0.75, 0.75, 4 / 15]),
    ],
)
def test_each_rule_reaches_a_point_of_recall_where_it_says(rule, compat, at):
    """Relevant at ranks 1, 2, 4 and 15, of four: at recall 0.6, 0.7, 0.8."""
    settings = Settings(complete=True, compat=compat)
    files = one_query([1, 2, 4, 15], 4)

    found = by_run.recall_precision(outcomes(by_run.recall_requests(rule), files, settings), settings, rule)

    assert at == heights(found)[6:9]


@pytest.mark.usefixtures("folder")
@pytest.mark.parametrize("total", [1, 3, 7, 10, 11, 30, 70, 100])
def test_the_rule_of_nist_is_exact_where_products_round(total):
    """0.3 · 7 is less than 2.1 as a float, and 0.07 · 100 more than 7."""
    ranks = list(range(1, total + 1))[::-1][: total // 2 + 1][::-1]  # falling precision would hide a step too far
    points = [by_run.recall_requests("nist")[tenth] for tenth in range(11)]
    files = one_query(ranks, total, depth=total)

    found = heights(
        by_run.recall_precision(outcomes(points, files), EVERY, "nist"),
    )

    for tenth, value in enumerate(found):
        reached = [n / rank for n, rank in enumerate(ranks, start=1) if Fraction(n, total) >= Fraction(tenth, 10)]
        assert max(reached, default=0.0) == value


# Cutoffs


@pytest.mark.parametrize("settings", [EVERY, Settings(complete=True, depth=3)])
def test_values_by_cutoff_are_those_that_eval_prints(irev, settings):
    requests = by_run.cutoff_requests(
        ("nDCG", "P", "R", "Success", "Judged(by=results)", "AP", "RR(rel=2)"), (1, 2, 3, 4)
    )
    options = () if settings.depth is None else (f"-M{settings.depth}",)

    found = by_run.by_cutoff(outcomes(requests, settings=settings))

    expected = evaluated(irev, requests[:-1], *options)
    last = 4 if settings.depth is None else settings.depth
    assert ["nDCG@k", "P@k", "R@k", "Success@k", "Judged@k", "AP@k", "RR(rel=2)@k"] == [each.measure for each in found]
    for place, each in enumerate(found):
        for curve in each.curves:
            points = requests[4 * place : 4 * place + last]
            assert [(float(r.cutoff), expected[curve.name][r.label]) for r in points] == list(
                zip([point.x for point in curve.points], [point.y for point in curve.points], strict=True)
            )


@pytest.mark.usefixtures("folder")
def test_by_cutoff_ends_where_the_shallowest_run_does():
    """Its longest ranking has three documents; the other run has five, and nothing at any cutoff beyond three."""
    qrels_file, deep = files_of({"q": {"a": 1}, "r": {"a": 1}}, {"q": list("abcde"), "r": list("bca")})
    Path("shallow").write_text("q Q0 a 1 9 s\nr Q0 a 1 9 s\nr Q0 b 2 8 s\nr Q0 c 3 7 s\n")

    (found,) = by_run.by_cutoff(
        outcomes(by_run.cutoff_requests(("P",), (1, 2, 3, 4, 5)), (qrels_file, deep, "shallow"))
    )

    assert [[1.0, 2.0, 3.0]] * 2 == [[point.x for point in curve.points] for curve in found.curves]
    assert "Beyond rank 3, where the shallowest run ends, curves are not drawn." in found.caption


@pytest.mark.usefixtures("folder")
def test_of_cutoffs_within_every_run_no_end_is_told_and_sums_are_no_means():
    files = files_of({"q": {"a": 1}}, {"q": list("abcde")})

    precision, found = by_run.by_cutoff(outcomes(by_run.cutoff_requests(("P", "tp"), (1, 2)), files))

    assert "P@k: mean over queries." == precision.caption
    assert "TP@k: for all queries." == found.caption


@pytest.mark.usefixtures("folder")
def test_the_ideal_is_that_of_each_cutoff():
    """A perfect ranking that lacks the second best has nDCG 1 at 1, which then falls."""
    files = files_of({"q": {"a": 2, "b": 1}}, {"q": ["a", "x"]})

    (found,) = by_run.by_cutoff(outcomes(by_run.cutoff_requests(("nDCG",), (1, 2)), files))

    assert [1.0, 2 / (2 + 1 / math.log2(3))] == pytest.approx(heights(found))


def test_precision_against_recall_are_both_those_of_eval_at_each_cutoff(irev):
    requests = by_run.cutoff_requests(("P", "R"), (1, 2, 3))

    found = by_run.against_each_other(outcomes(requests))

    expected = evaluated(irev, requests[:-1])
    for curve in found.curves:
        of = expected[curve.name]
        assert [(of[f"recall_{k}"], of[f"P_{k}"], str(k)) for k in (1, 2, 3)] == [point[:3] for point in curve.points]
    assert [(0.0, 1.0)] * 2 == [(axis.low, axis.high) for axis in (found.x, found.y)]


def test_a_roc_curve_has_fallout_and_recall_of_eval_at_each_cutoff(irev):
    requests = by_run.cutoff_requests(("Fallout", "R"), (1, 2, 3))

    found = by_run.against_each_other(outcomes(requests), "roc")

    expected = evaluated(irev, requests[:-1])
    for curve in found.curves:
        of = expected[curve.name]
        wanted = [(of[f"fallout_{k}"], of[f"recall_{k}"], str(k)) for k in (1, 2, 3)]
        assert wanted == [point[:3] for point in curve.points]
    assert (True, "roc") == (found.equal, found.kind)


@pytest.mark.parametrize(
    ("name", "fact"),
    [("nDCG@10", "has a cutoff"), ("P_5", "has a cutoff"), ("RR@3", "has a cutoff"), ("bpref", "takes no cutoff")],
)
def test_a_measure_with_a_cutoff_of_its_own_or_without_any_is_refused(name, fact):
    with pytest.raises(UsageError, match=fact):
        by_run.cutoff_requests((name,))


# One query


@pytest.mark.usefixtures("folder")
def test_steps_of_one_query_have_the_area_AP():
    files = one_query([1, 2, 4, 15], 4)
    found = by_run.of_one_query({"r": ranked_of(files[1], judgments=files[0])}, b"q")

    (curve,) = found.curves
    assert [(0.25, 1.0, "", (1,)), (0.5, 1.0, "", (2,)), (0.75, 0.75, "", (4,)), (1.0, 4 / 15, "", (15,))] == list(
        curve.points
    )
    widths = [now - before for before, now in zip([0, 0.25, 0.5, 0.75], [0.25, 0.5, 0.75, 1.0], strict=True)]
    assert added(w * point.y for w, point in zip(widths, curve.points, strict=True)) == pytest.approx(0.7542, abs=5e-5)
    assert 0.7542 == pytest.approx(curve.values["AP"], abs=5e-5)


def test_AP_of_one_query_is_that_of_eval(irev):
    runs = {name: ranked_of(path) for name, path in zip(("hybrid", "keyword", "semantic"), RUNS, strict=True)}
    _, stdout, _ = irev("eval", "-f", "json", "-q", "-c", "-m", "AP", QRELS, *RUNS)
    expected = {each["run"]: each["per_query"]["q2"]["map"] for each in json.loads(stdout)["results"]}

    found = by_run.of_one_query(runs, b"q2")

    assert expected == {curve.name: curve.values["AP"] for curve in found.curves}


@pytest.mark.usefixtures("folder")
def test_a_query_without_relevant_documents_has_no_points_and_a_word_on_it():
    files = files_of({"q": {"a": 0}, "r": {"a": 1}}, {"q": ["a"], "r": ["a"]})

    found = by_run.of_one_query({"run": ranked_of(files[1], judgments=files[0])}, b"q")

    assert () == found.curves[0].points
    assert 0.0 == found.curves[0].values["AP"]
    assert ("No document is judged relevant, so there is no precision or recall.",) == found.notes


def test_a_query_that_does_not_count_is_refused():
    with pytest.raises(InputError, match="does not count"):
        by_run.of_one_query({"r": ranked_of(RUNS[0])}, b"nobody")


# Values of single queries

IDS = tuple(f"q{i}".encode() for i in range(9))


def drawn(seed, runs=4):
    """Values with ties between queries and between runs."""
    chance = random.Random(seed)
    return np.array([[chance.choice([0.0, 0.25, 0.5, 1.0]) for _ in range(runs)] for _ in IDS])


@pytest.mark.parametrize("seed", range(5))
def test_sorted_differences_have_every_query_and_zeros_in_their_place(seed):
    values = drawn(seed)
    before, after = values[:, 0], values[:, 1]

    found = by_query.sorted_differences("AP", ("a", "b"), IDS, (before, after), (-0.1, 0.2), (1, 2, 6))

    points = found.curves[0].points
    expected = {name.decode(): (x, y) for name, x, y in zip(IDS, before.tolist(), after.tolist(), strict=True)}
    assert expected == {point.label: point.more for point in points}
    assert [y - x for x, y in (expected[point.label] for point in points)] == [point.y for point in points]
    assert sorted((point.y for point in points), reverse=True) == [point.y for point in points]
    assert added(after - before) / len(IDS) == found.curves[0].values["mean"]


@pytest.mark.parametrize(("seed", "runs"), [(1, 3), (2, 4), (3, 7)])
def test_topics_stand_in_their_order_with_the_difference_from_the_median(seed, runs):
    values = drawn(seed, runs)

    found = by_query.topics("AP", [f"r{i}" for i in range(runs)], IDS, values)

    for run, each in enumerate(found):
        assert [
            (name.decode(), row[run] - median(row), (row[run], median(row), min(row), max(row)))
            for name, row in zip(IDS, values.tolist(), strict=True)
        ] == [(point.label, point.y, point.more) for point in each.curves[0].points]


def test_topics_need_three_runs():
    with pytest.raises(UsageError, match="three"):
        by_query.topics("AP", ["a", "b"], IDS, drawn(1, 2))


@pytest.mark.parametrize("seed", range(3))
def test_a_distribution_has_the_share_up_to_each_value_and_its_upper_area_is_the_mean(seed):
    values = drawn(seed, 2)

    found = by_query.distribution("AP", ["a", "b"], IDS, values)

    for run, curve in enumerate(found.curves):
        column = values[:, run].tolist()
        assert [(v, sum(1 for each in column if each <= v) / 9) for v in sorted(set(column))] == [
            point[:2] for point in curve.points
        ]
        ends = [0.0, *(point.x for point in curve.points), 1.0]
        shares = [0.0, *(point.y for point in curve.points)]
        area = added((1 - y) * (ends[i + 1] - ends[i]) for i, y in enumerate(shares))
        assert curve.values["mean"] == pytest.approx(area)


def test_infinite_and_missing_values_become_no_number_that_is_shown():
    odd = np.array([[math.inf, math.inf, 1.0], [math.nan, 0.0, 2.0], [-math.inf, 1.0, 3.0]])
    ids = (b"a", b"b", b"c")

    differences = by_query.sorted_differences("m", ("a", "b"), ids, (odd[:, 0], odd[:, 1]), None, (1, 1, 0))
    spread = by_query.distribution("m", ["a", "b", "c"], ids, odd)

    assert ["c", "a", "b"] == [point.label for point in differences.curves[0].points]
    assert 0.0 == differences.curves[0].points[1].y
    assert None is differences.curves[0].values["mean"]
    assert 1 == spread.curves[0].values["not_numbers"]
    assert 1.0 == spread.curves[0].points[-1].y


# One set of queries


@pytest.mark.usefixtures("folder")
def test_runs_are_brought_onto_the_queries_that_all_have(irev):
    judgments, one = files_of({"q": {"a": 1}, "r": {"b": 1}, "s": {"a": 1}}, {"q": ["a"], "r": ["a", "b"]})
    Path("other").write_text("r Q0 b 1 9 o\ns Q0 a 1 9 o\n")
    requests = by_run.cutoff_requests(("P",), (1, 2))

    both, left_out = on_same_queries(outcomes(requests, (judgments, one, "other"), Settings()))

    assert (b"q", b"s") == left_out
    assert [(b"r",), (b"r",)] == [outcome.scores.queries for outcome in both]
    assert [(0.0, 0.5), (1.0, 0.5)] == [outcome.summary.values[:2] for outcome in both]


@pytest.mark.usefixtures("folder")
def test_runs_without_a_common_query_are_refused():
    judgments, one = files_of({"q": {"a": 1}, "r": {"b": 1}}, {"q": ["a"]})
    Path("other").write_text("r Q0 b 1 9 o\n")

    with pytest.raises(InputError, match="the runs have no query in common"):
        on_same_queries(outcomes(by_run.cutoff_requests(("P",), (1,)), (judgments, one, "other"), Settings()))
