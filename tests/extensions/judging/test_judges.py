"""`irev judges`: the same pairs of documents, agreement, scales, merging, and runs under each judge."""

import json
import random
import re
from collections import Counter
from fractions import Fraction
from pathlib import Path

import numpy as np
import pytest
from conftest import ROOT, nested
from hypothesis import given, settings
from hypothesis import strategies as some
from outcomes import refused
from scipy.stats import ttest_1samp

import irev as package
from irev.extensions.judging.judges import PREFERENCES

QRELS, SECOND = (str(ROOT / "sample_data" / name) for name in ("qrels.txt", "judge2.txt"))
RUNS = tuple(str(ROOT / "sample_data" / f"{name}.run") for name in ("hybrid", "keyword", "semantic"))


def record(irev, *arguments):
    status, stdout, stderr = irev("judges", "-f", "json", *arguments)
    assert 0 == status, stderr
    return json.loads(stdout)


def rated(*held):
    """What several judges gave each pair that any of them judged, None where one did not; a plain dictionary."""
    pairs = {(query, document) for each in held for query, of in each.items() for document in of}
    return {
        (query, document): [
            grade if (grade := each.get(query, {}).get(document)) is not None and grade >= 0 else None for each in held
        ]
        for query, document in pairs
    }


# Pairs


JUDGED = some.dictionaries(
    some.sampled_from("abc"),
    some.dictionaries(some.sampled_from(["x", "y", "zz", "é" * 9]), some.sampled_from([-1, 0, 1, 2]), min_size=1),
    min_size=1,
)


@pytest.mark.thorough
@settings(max_examples=200)
@given(held=some.lists(JUDGED, min_size=2, max_size=4))
def test_what_judges_have_in_common_is_what_a_dictionary_has(held):
    expected = {pair: grades for pair, grades in rated(*held).items() if any(each is not None for each in grades)}
    common = [grades for grades in expected.values() if sum(each is not None for each in grades) > 1]
    named = {f"judge {n}": each for n, each in enumerate(held)}
    if not common:
        with pytest.raises(package.InputError, match="no document was judged by two judges for the same query"):
            package.judges(named)
        return
    found = package.judges(named)
    pooled = found.pooled
    assert expected == {
        (pooled.queries[query].decode(), pooled.document(pair).decode()): [
            None if np.isnan(grade) else grade for grade in pooled.grades[pair]
        ]
        for pair, query in enumerate(pooled.query)
    }
    for each in found.pairs:
        one, other = (int(name.split()[1]) for name in (each.first, each.second))
        both = [(g[one], g[other]) for g in expected.values() if g[one] is not None and g[other] is not None]
        counts = Counter(both)
        assert len(both) == each.documents
        assert [[counts[a, b] for b in found.grades] for a in found.grades] == each.table.tolist()


def test_the_sample_by_hand(irev):
    """24 documents that both judged; 14 alike; of 16 that either holds relevant 10 that both do."""
    (pair,) = record(irev, QRELS, SECOND)["pairs"]
    assert (24, 7) == (pair["documents"], pair["queries"])
    assert [[8, 3, 0, 0], [2, 0, 1, 0], [1, 1, 1, 1], [0, 0, 1, 5]] == pair["counts"]
    assert 14 / 24 == pair["equal"]["value"]
    assert 10 / 16 == pair["overlap"]["value"]
    topics = [2 / 3, 2 / 3, 1 / 2, 2 / 3, 2 / 3, 1, 0]
    assert sum(topics) / 7 == pytest.approx(pair["mean_overlap"]["value"], abs=1e-15)
    # By chance (11 · 11 + 3 · 4 + 4 · 3 + 6 · 6) / 24² alike.
    chance = (11 * 11 + 3 * 4 + 4 * 3 + 6 * 6) / 24**2
    assert (14 / 24 - chance) / (1 - chance) == pytest.approx(pair["kappa"]["value"], abs=1e-15)


def test_topics_are_told_apart(irev):
    (pair,) = record(irev, QRELS, SECOND)["pairs"]
    # Of q1 0 3 1 0 and 0 3 2 1: by chance (2 · 1 + 1 · 1 + 1 · 1 + 0) / 16 alike.
    kappa = pair["topics"]["q1"].pop("kappa")
    assert {"documents": 4, "equal": 0.5, "overlap": 2 / 3, "relevant": [2, 3]} == pair["topics"]["q1"]
    assert (0.5 - 4 / 16) / (1 - 4 / 16) == pytest.approx(kappa, abs=1e-15)
    assert sum(topic["documents"] for topic in pair["topics"].values()) == pair["documents"]


def test_three_judges_are_compared_in_pairs_and_together(irev, write):
    third = write(b"q1 0 d01 0\nq1 0 d02 2\nq2 0 d05 3\nq9 0 d01 1\n")
    found = record(irev, f"a={QRELS}", f"b={SECOND}", f"c={third}")
    assert [("a", "b"), ("a", "c"), ("b", "c")] == [(pair["judge"], pair["and"]) for pair in found["pairs"]]
    together = found["together"]
    assert (24, 3) == (together["documents"], together["by_all"])
    assert 1 / 3 == together["equal"]["value"]
    kappas = [pair["kappa"]["value"] for pair in found["pairs"]]
    assert sum(kappas) / 3 == together["kappa"]["value"]


def test_judges_without_a_document_in_common_are_named(irev, write):
    third = write(b"q1 0 d01 0\n", "third")
    fourth = write(b"q1 0 d99 1\nq1 0 d02 1\n", "fourth")
    found = record(irev, f"a={QRELS}", f"b={third}", f"c={fourth}")
    assert [["b", "c"]] == found["apart"]
    assert found["together"]["kappa"]["value"] is None
    _, stdout, _ = irev("judges", f"a={QRELS}", f"b={third}", f"c={fourth}")
    assert b"b and c judged no document in common." in stdout


# Scales


BINARY = b"q1 0 d01 0\nq1 0 d02 1\nq1 0 d03 1\nq2 0 d05 1\nq2 0 d08 0\n"


def test_scales_that_differ_have_no_weighted_kappa_and_that_is_said(irev, write):
    binary = write(BINARY)
    found = record(irev, f"people={QRELS}", f"model={binary}")
    assert {"people": 3.0, "model": 1.0} == found["highest"]
    assert found["pairs"][0]["weighted"]["value"] is None
    _, stdout, _ = irev("judges", f"people={QRELS}", f"model={binary}")
    said = " ".join(stdout.decode().split())
    assert "The scales seem to differ: the highest grades given are people to 3, model to 1." in said
    assert (
        "So weighted kappa is not computed, and the other numbers treat equal numbers as equal grades. --scale maps"
        in said
    )
    assert " weighted " not in said.partition("The scales")[0]


@pytest.mark.parametrize("scales", [["people=0:0,1:0,2:1,3:1", "0,1"], ["people=0:0,1:0,2:1,3:1"]])
def test_a_scale_maps_grades(irev, write, scales):
    found = record(
        irev, *(word for each in scales for word in ("--scale", each)), f"people={QRELS}", f"model={write(BINARY)}"
    )
    assert [0.0, 1.0] == found["grades"]
    assert [[2, 1], [0, 2]] == found["pairs"][0]["counts"]
    assert found["pairs"][0]["weighted"]["value"] == found["pairs"][0]["kappa"]["value"]


def test_a_scale_of_all_says_that_they_are_one(irev, write):
    found = record(irev, "--scale", "0,1,2,3", QRELS, write(BINARY))
    assert found["highest"] is None
    assert found["pairs"][0]["weighted"]["value"] is not None


def test_a_scale_of_one_judge_says_nothing_of_the_others(irev, write):
    """That the grades of people go from 0 to 3 does not make those of a model that go from 0 to 1 the same."""
    found = record(irev, "--scale", "people=0,1,2,3", f"people={QRELS}", f"model={write(BINARY)}")
    assert {"people": 3.0, "model": 1.0} == found["highest"]
    assert found["pairs"][0]["weighted"]["value"] is None
    both = record(
        irev, "--scale", "people=0,1,2,3", "--scale", "model=0,1", f"people={QRELS}", f"model={write(BINARY)}"
    )
    assert both["pairs"][0]["weighted"]["value"] is not None


def test_a_judge_without_a_grade_has_no_mean(irev, write):
    negative = write(b"q1 0 d01 -1\n")
    found = record(irev, QRELS, SECOND, f"none={negative}")
    assert (0, None, None) == tuple(found["judges"][2][name] for name in ("judgments", "mean", "relevant"))
    _, stdout, _ = irev("judges", QRELS, SECOND, f"none={negative}")
    (line,) = [line.split() for line in stdout.decode().splitlines() if line.startswith("none ")]
    assert ["none", "0", "0", "–", "–"] == line


def test_a_grade_that_is_not_on_the_scale_is_refused(irev):
    refused(
        irev("judges", "--scale", "0,1,2", QRELS, SECOND),
        "qrels.txt: document 'd02' of query 'q1' has grade 3, which is not in the scale; --scale has 0, 1, 2; add it",
    )


@pytest.mark.parametrize(
    ("words", "said"),
    [
        ((QRELS,), "agreement needs at least two judges; give the judgments of at least two judges"),
        ((), "agreement needs at least two judges"),
        ((QRELS, QRELS), "two judges are called qrels.txt; NAME=FILE renames a judge"),
        (("--scale", "x=0,1", QRELS, SECOND), "there is no judge x; there are qrels.txt, judge2.txt"),
        (("--scale", "0,0", QRELS, SECOND), "grade 0 is given twice"),
        (("--scale", "0:a", QRELS, SECOND), "'0:a' is neither a grade such as 2, nor two such as 2:1"),
        (("--scale", "-1", QRELS, SECOND), "'-1' is neither a grade"),
        (("--run", RUNS[0], QRELS, SECOND), "there is nothing to order; give at least two runs"),
        (("--run", RUNS[0], "--run", RUNS[1], "-", SECOND), "with runs the judgments are read twice"),
        (("-", "-"), "only one of the files can be standard input"),
        (("--merge", QRELS, QRELS, SECOND), "is an input"),
        (
            ("--merge", "x.pdf", QRELS, SECOND),
            "the ending of 'x.pdf' is not a known format; choose an ending that has one",
        ),
        (
            ("--merge", "x.json", QRELS, SECOND),
            "is not a known format; an ending .jsonl writes JSON objects, one on each",
        ),
        (("--merge", "x.gz", QRELS, SECOND), "nothing is compressed here; leave out .gz, and use gzip"),
    ],
)
def test_what_makes_no_sense_is_refused(irev, words, said, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    refused(irev("judges", *words), said)
    assert [] == [*tmp_path.iterdir()]


def test_judges_of_other_collections_are_refused(irev, write):
    refused(
        irev("judges", QRELS, write(b"q1 0 D01 0\n")),
        "no document was judged by two judges for the same query; are the",
    )


def test_judges_who_have_nothing_but_negative_grades_in_common_are_told_of_these(irev, write):
    refused(irev("judges", QRELS, write(b"q1 0 d01 -1\n")), "the same in all files, and any grade not negative?")


def test_grades_that_are_no_categories_are_refused(irev, write):
    many = write(b"".join(b"q1 0 d%02d %.3f\n" % (n, n / 1000) for n in range(60)))
    refused(irev("judges", f"a={many}", f"b={QRELS}"), "different grades were given, too many for categories")


# Merging


CHOICES = {
    "first": lambda grades: grades[0],
    "max": max,
    "mean": lambda grades: sum(grades) / len(grades),
    "majority": lambda grades: max(grades, key=lambda grade: (grades.count(grade), -grades.index(grade))),
}


@pytest.mark.parametrize("prefer", PREFERENCES)
@pytest.mark.thorough
def test_merged_judgments_are_those_of_a_dictionary(prefer):
    random_ = random.Random(5)
    for _ in range(20):
        held = [
            {
                f"q{q}": {f"d{d}": random_.choice([-1, 0, 1, 2]) for d in range(9) if random_.random() < 0.7} | {"d": 0}
                for q in range(3)
            }
            for _ in range(random_.choice([2, 3, 5]))
        ]
        found = package.judges({f"j{n}": each for n, each in enumerate(held)}, prefer=prefer)
        expected: dict[str, dict[str, float]] = {}
        conflicts = 0
        for (query, document), grades in rated(*held).items():
            own = [grade for grade in grades if grade is not None]
            if own:
                expected.setdefault(query, {})[document] = CHOICES[prefer](own)
                conflicts += len({*own}) > 1
        assert expected == found.qrels()
        assert conflicts == len(found.merged.conflicts)


def test_merged_judgments_are_read_again_and_every_conflict_is_listed(irev, tmp_path):
    for name in ("merged.txt", "merged.csv", "merged.jsonl", "merged"):
        path = str(tmp_path / name)
        found = record(irev, "--merge", path, "--prefer", "mean", QRELS, SECOND)["merged"]
        assert (10, 24) == (len(found["conflicts"]), found["by_several"])
        assert {"query": "q1", "document": "d03", "grades": [1, 2], "merged": 1.5} == found["conflicts"][0]
        held = package.judges([QRELS, SECOND], prefer="mean").qrels()
        assert {"again": held} == {"again": package.judges({"a": path, "b": held}, prefer="first").qrels()}
    refused(irev("judges", "--merge", path, QRELS, SECOND), "the file exists already; --force replaces it")


def test_grades_that_were_filled_in_are_replaced_by_force_alone(irev, tmp_path):
    path = tmp_path / "unsettled.csv"
    asked = ("judges", "--unsettled-to", str(path), QRELS, SECOND)
    assert 0 == irev(*asked).status
    empty = path.read_text()
    path.write_text(filled := empty.replace(",\n", ",1\n"))
    refused(irev(*asked), f"{path}: the file exists already; --force replaces it")
    assert empty != filled == path.read_text()
    assert 0 == irev(*asked, "--force").status
    assert empty == path.read_text()


def test_an_id_that_the_format_cannot_hold_is_refused_before_anything_is_printed(irev, write, tmp_path):
    one, other = (write(b'{"q 1": {"d": %d, "e": 0}}' % grade, f"{grade}.json") for grade in (1, 2))
    refused(irev("judges", "--merge", str(tmp_path / "m.txt"), one, other), "trec cannot store the query 'q 1'")
    assert not (tmp_path / "m.txt").exists()


# Runs


def test_runs_have_under_each_judge_what_eval_says(irev):
    found = record(irev, *(word for run in RUNS for word in ("--run", run)), "-m", "AP", QRELS, SECOND)["runs"]
    assert 7 == found["queries"]
    for place, judged in enumerate((QRELS, SECOND)):
        expected = {Path(run).stem: package.evaluate(judged, run, "AP", complete=True).mean()["AP"] for run in RUNS}
        assert expected == found["scores"][place]["values"]


def test_runs_that_change_places_are_those_of_a_double_loop_and_have_the_p_values_of_compare(irev, tmp_path):
    random_ = random.Random(9)
    paths = []
    for name in ("one", "other"):
        lines = [f"q{q} 0 d{d} {random_.choice([0, 0, 1, 2])}\n" for q in range(12) for d in range(30)]
        (tmp_path / name).write_text("".join(lines))
        paths.append(str(tmp_path / name))
    for run in range(5):
        lines = [f"q{q} Q0 d{d} 0 {random_.random()} run{run}\n" for q in range(12) for d in range(30)]
        (tmp_path / f"{run}.run").write_text("".join(lines))
    runs = [str(tmp_path / f"{run}.run") for run in range(5)]
    found = record(irev, *(word for run in runs for word in ("--run", run)), "-m", "AP", *paths)["runs"]
    first, second = (each["values"] for each in found["scores"])
    expected = {(a, b) for a in first for b in first if a < b and (first[a] - first[b]) * (second[a] - second[b]) < 0}
    assert expected, "some change places"
    assert expected == {(swap["run"], swap["and"]) for swap in found["differing"] if swap["swapped"]}
    assert len(expected) == found["orders"][0]["swapped"]
    for path, judge in zip(paths, ("one", "other"), strict=True):
        compared = package.compare(path, runs, "AP", all_pairs=True, tests="t", correction="holm").compared[0]
        p = {(each.baseline, each.run): each.adjusted[0] for each in compared.contrasts}
        for swap in found["differing"]:
            assert p[swap["run"], swap["and"]] == swap["under"][judge]["p"]


@pytest.mark.parametrize("queries", [1, 4, 5])
def test_tau_over_few_queries_has_no_interval(irev, tmp_path, queries):
    random_ = random.Random(3)
    for name in ("one", "other"):
        lines = [f"q{q} 0 d{d} {random_.choice([0, 1])}\n" for q in range(queries) for d in range(9)]
        (tmp_path / name).write_text("".join(lines))
    for run in "ABC":
        lines = [f"q{q} Q0 d{d} 0 {random_.random()} {run}\n" for q in range(queries) for d in range(9)]
        (tmp_path / f"{run}.run").write_text("".join(lines))
    arguments = [*(f"--run={tmp_path}/{run}.run" for run in "ABC"), "-m", "AP", f"{tmp_path}/one", f"{tmp_path}/other"]
    (order,) = record(irev, *arguments)["runs"]["orders"]
    assert (queries < 5) == (order["interval"] is None)
    said = " ".join(irev("judges", *arguments).stdout.decode().split())
    assert (queries < 5) == ("No interval of tau b with fewer than 5 queries." in said)


def test_tau_that_is_the_same_in_all_samples_has_no_interval(irev, tmp_path):
    """Run A is the best and run C the worst for every query, under both judges."""
    for name in ("one", "other"):
        (tmp_path / name).write_text("".join(f"q{q} 0 d0 1\n" for q in range(8)))
    for place, run in enumerate("ABC"):
        lines = (f"q{q} Q0 d{(d - place) % 9} 0 {-d} {run}\n" for q in range(8) for d in range(9))
        (tmp_path / f"{run}.run").write_text("".join(lines))
    arguments = [*(f"--run={tmp_path}/{run}.run" for run in "ABC"), "-m", "AP", f"{tmp_path}/one", f"{tmp_path}/other"]
    found = record(irev, *arguments)
    (order,) = found["runs"]["orders"]
    assert (1.0, None) == (order["tau_b"], order["interval"])
    said = " ".join(irev("judges", *arguments).stdout.decode().split())
    assert "none where all samples have the same tau, which says nothing about other queries." in said
    assert "[1.0000, 1.0000]" not in said


@pytest.mark.parametrize("topics", [2, 3, 10, 200])
@pytest.mark.parametrize("apart", [0, 1])
def test_no_interval_of_a_coefficient_has_width_0(irev, tmp_path, topics, apart):
    """Two judges that agree on everything, or on one of two documents of every topic."""
    for name, other in (("one", 0), ("other", apart)):
        lines = (f"q{q} 0 d{d} {grade}\n" for q in range(topics) for d, grade in enumerate((1, 0, other)))
        (tmp_path / name).write_text("".join(lines))
    (pair,) = record(irev, f"{tmp_path}/one", f"{tmp_path}/other")["pairs"]
    spans = [each["interval"] for each in pair.values() if isinstance(each, dict) and "interval" in each]
    assert 7 <= len(spans)
    assert all(span is None or span[0] < span[1] for span in spans)
    assert None is not pair["kappa"]["interval"]


def test_orders_that_agree_need_not_agree_on_what_is_significant(irev):
    """A model that favours one run: both judges have it first, and the model alone finds it better."""
    arguments = [f"--run={ROOT}/sample_data/llm/{run}.run" for run in ("bm25", "rerank")]
    files = [f"human={ROOT}/sample_data/llm/human.txt", f"model={ROOT}/sample_data/llm/llm.txt"]
    found = record(irev, *arguments, "-m", "P@5", *files)["runs"]
    (order,), (pair,) = found["orders"], found["differing"]
    assert 1 == order["tau_b"]
    assert order["interval"][0] < 0
    assert {"both": 0, "first only": 0, "second only": 1, "opposite": 0, "neither": 0} == order["significant"]
    human, model = (pair["under"][judge] for judge in ("human", "model"))
    assert human["p"] > 0.05 > model["p"]
    runs = [f"{ROOT}/sample_data/llm/{run}.run" for run in ("bm25", "rerank")]
    held = package.judges(dict(file.split("=") for file in files), runs, "P@5").under.pairs[0]
    apart = held.contrasts[1].differences - held.contrasts[0].differences
    expected = ttest_1samp(apart, 0)
    assert pair["change"] == pytest.approx(apart.mean())
    assert pair["change"] == pytest.approx(model["difference"] - human["difference"])
    assert pair["p"] == pytest.approx(expected.pvalue)
    assert pair["interval"] == pytest.approx([*expected.confidence_interval()])


def test_mean_grades_differ_as_a_t_test_over_queries_says(irev):
    pair = record(irev, QRELS, SECOND)["pairs"][0]
    held = package.judges({"a": QRELS, "b": SECOND}).pairs[0]
    assert pair["grades"]["first"] == pytest.approx(held.table.sum(axis=1) @ range(4) / held.documents)
    assert pair["grades"]["second"] == pytest.approx(held.table.sum(axis=0) @ range(4) / held.documents)
    assert pair["grades"]["interval"][0] < 0 < pair["grades"]["interval"][1]
    unlike = record(irev, QRELS, SECOND, "--scale", "qrels.txt=0:0,1:1,2:2,3:2")["pairs"][0]
    assert unlike["grades"] is None, "other scales have other means"


def test_runs_are_measured_over_topics_that_all_judges_judged(irev, write):
    few = write(b"q1 0 d01 0\nq1 0 d02 3\nq2 0 d05 3\n")
    found = record(irev, "--run", RUNS[0], "--run", RUNS[1], "-m", "AP", f"a={QRELS}", f"b={few}")["runs"]
    assert 2 == found["queries"]
    refused(
        irev(
            "judges", "--run", RUNS[0], "--run", RUNS[1], f"a={QRELS}", f"b={few}", "c=" + write(b"q3 0 d09 1\n", "c")
        ),
        "no query was judged by all judges; leave out --run, or a judge",
    )


def test_a_topic_with_nothing_but_negative_grades_was_not_judged(irev, write):
    few = write(b"q1 0 d01 0\nq1 0 d02 3\nq2 0 d05 -1\n")
    found = record(irev, "--run", RUNS[0], "--run", RUNS[1], "-m", "AP", f"a={QRELS}", f"b={few}")["runs"]
    assert 1 == found["queries"]
    held = package.judges({"a": QRELS, "b": few}, RUNS[:2], "AP")
    assert 1 == held.under.queries


def test_runs_without_results_are_said_to_find_nothing(irev):
    _, stdout, _ = irev("judges", "--run", RUNS[0], "--run", RUNS[1], QRELS, SECOND)
    said = "Runs over the 7 queries that all judges judged; one without results counts as an empty ranking."
    assert said in " ".join(stdout.decode().split())


def test_python_has_what_the_command_has(irev):
    shown = record(irev, *(word for run in RUNS for word in ("--run", run)), QRELS, SECOND)
    held = {Path(run).stem: package.read_run(run) for run in RUNS}
    judged = {"qrels.txt": nested(QRELS, 3), "judge2.txt": package.read_qrels(SECOND)}
    for found in (package.judges([QRELS, SECOND], RUNS), package.judges(judged, held)):
        assert {**shown, "inputs": []} == json.loads(json.dumps({**found.report().record, "inputs": []}))


@pytest.mark.parametrize(
    ("choices", "said"),
    [
        ({"weights": "cubic"}, "weights"),
        ({"alpha": "ratio"}, "alpha"),
        ({"prefer": "last"}, "prefer"),
        ({"measures": "AP"}, "measures has no effect without runs"),
        ({"scale": {"x": [0, 1]}}, "there is no judge x"),
    ],
)
def test_python_refuses_what_there_is_not(choices, said):
    with pytest.raises(package.UsageError, match=said):
        package.judges([QRELS, SECOND], **choices)


def test_python_shows_and_draws(tmp_path):
    found = package.judges([QRELS, SECOND], RUNS, prefer="max")
    assert "<Judges: qrels.txt and judge2.txt kappa 0.3924>" == repr(found)
    assert {"equal", "kappa", "score", "conflict", "merged"} <= {*found.to_pandas()["statistic"]}
    found.plot().save(str(tmp_path / "runs.svg"))
    assert b"<svg" in (tmp_path / "runs.svg").read_bytes()
    with pytest.raises(package.UsageError, match="there are no runs to draw"):
        package.judges([QRELS, SECOND]).plot().save("runs.svg")
    with pytest.raises(package.UsageError, match="judgments were not merged"):
        package.judges([QRELS, SECOND]).qrels()


def test_runs_without_a_judged_document_are_told(irev, write):
    other = write(b"q1 Q0 X1 1 2 odd\nq1 Q0 X2 2 1 odd\n")
    _, _, stderr = irev("judges", "--run", RUNS[0], "--run", other, f"a={QRELS}", f"b={SECOND}")
    assert "none of the retrieved documents is judged: for query 'q1' 'X1' is retrieved" in stderr


# Kappa by hand


def test_kappa_is_explained_as_the_fraction_that_it_is(irev):
    """What is told is computed from the table anew, with fractions."""
    text = " ".join(irev("judges", "--explain", str(QRELS), str(SECOND)).stdout.decode().split())
    first, second = nested(QRELS, 3), nested(SECOND, 3)
    pairs = [
        (of_first, of_second)
        for of_first, of_second in rated(first, second).values()
        if of_first is not None and of_second is not None
    ]
    n, same = len(pairs), sum(one == other for one, other in pairs)
    chance = sum(
        sum(one == grade for one, _ in pairs) * sum(other == grade for _, other in pairs)
        for grade in {grade for pair in pairs for grade in pair}
    )
    kappa = Fraction(same * n - chance, n * n - chance)

    assert f"= {same}/{n} = {same / n:.4f}." in text
    assert f"= {chance}/{n * n} = {chance / n**2:.4f}." in text
    assert f"= {same * n - chance}/{n * n - chance} = {float(kappa):.4f}." in text
    assert [float(kappa)] == pytest.approx([record(irev, str(QRELS), str(SECOND))["pairs"][0]["kappa"]["value"]])


def test_kappa_of_judges_who_gave_one_grade_is_said_to_be_undefined(irev, tmp_path):
    (tmp_path / "one").write_text("q 0 a 1\nq 0 b 1\n")
    (tmp_path / "other").write_text("q 0 a 1\nq 0 b 1\n")
    text = irev("judges", "--explain", str(tmp_path / "one"), str(tmp_path / "other")).stdout.decode()
    assert "is undefined: chance alone agrees on everything." in " ".join(text.split())


@pytest.mark.parametrize(
    ("given", "options", "said"),
    [
        ([QRELS, QRELS], {}, "two judges are called 'qrels.txt'; use a dictionary with names: {'anna': judgments, …}"),
        (
            [{"q1": {"d1": 1}}],
            {},
            "a list of judgments must have paths, but one item is of type dict; use a dictionary",
        ),
    ],
)
def test_python_refuses_what_makes_no_sense_in_its_own_words(given, options, said):
    with pytest.raises(package.UsageError) as refused:
        package.judges(given, **options)
    assert str(refused.value).startswith(said)


def test_scores_of_a_model_are_mapped_to_grades_by_ranges(irev, tmp_path, monkeypatch):
    """A score of 0.85 beside a grade of 1 was a disagreement. The option in the error works when pasted."""
    monkeypatch.chdir(tmp_path)
    human = [1, 1, 1, 1, 1, 0, 0, 0, 0, 0, 0, 0]
    model = [0.85, 0.9, 0.7, 0.5, 0.2, 0.1, 0.3, 0.0, 0.05, 0.6, 0.25, 0.4]
    for name, grades in (("human", human), ("model", model)):
        lines = (f"q{n % 4} 0 d{n} {grade}\n" for n, grade in enumerate(grades))
        Path(name).write_text("".join(lines))
    told = irev("judges", "human", "model")
    refused(told, "model gives scores such as 0.85, and other judges give whole grades")
    (option,) = re.findall(r"--scale \S+(?=;)", told.stderr)
    assert "--scale model=0..0.5:0,0.5..1:1" == option
    found = record(irev, *option.split(), "human", "model")
    kappa = found["pairs"][0]["kappa"]["value"]
    assert kappa_by_definition(human, [int(score >= 0.5) for score in model]) == pytest.approx(kappa)
    again = package.judges({"human": "human", "model": "model"}, scale={"model": {(0, 0.5): 0, (0.5, 1): 1}})
    assert kappa == again.pairs[0].coefficients["kappa"].value
    with pytest.raises(package.InputError, match=re.escape("scale='model=0..0.5:0,0.5..1:1'")):
        package.judges({"human": "human", "model": "model"})
    written = package.judges({"human": "human", "model": "model"}, scale="model=0..0.5:0,0.5..1:1")
    assert kappa == written.pairs[0].coefficients["kappa"].value
    assert 0 == irev("judges", "--alpha", "interval", "human", "model").status
    refused(irev("judges", "--scale", "1..0:0", "human", "model"), "the range 1..0 ends below its begin")
    refused(irev("judges", "--scale", "model=0..0.5:0", "human", "model"), "not in the scale; --scale has 0..0.5")


def kappa_by_definition(one: list[int], other: list[int]) -> float:
    """Cohen's kappa by its definition."""
    n = len(one)
    observed = sum(a == b for a, b in zip(one, other, strict=True)) / n
    expected = sum((one.count(grade) / n) * (other.count(grade) / n) for grade in {*one, *other})
    return (observed - expected) / (1 - expected)


@pytest.mark.parametrize("separator", [b",", b";", b"\t"])
def test_columns_of_one_table_are_judges_and_empty_cells_no_judgments(irev, write, separator):
    rows = [b"query,docid,ann,bob", b"q1,d1,1,", b"q1,d2,,0", b"q1,d3,2,1", b"q1,d4,0,0", b"q2,d1,1,1", b"q2,d2,0,1"]
    book = write(b"\n".join(rows).replace(b",", separator) + b"\n", "book.csv")
    cells = [row.split(b",") for row in rows[1:]]
    ann, bob = (
        write(b"".join(b"%b 0 %b %b\n" % (row[0], row[1], row[place]) for row in cells if row[place]), name)
        for place, name in ((2, "ann"), (3, "bob"))
    )
    one, other = (
        write(b"q1 Q0 d3 1 2 a\nq2 Q0 d2 1 2 a\n", "a.run"),
        write(b"q1 Q0 d4 1 2 b\nq2 Q0 d1 1 2 b\n", "b.run"),
    )
    asked = ("judges", "-f", "csv", "--run", one, "--run", other, "-m", "P@1")
    wanted = irev(*asked, ann, bob)
    assert wanted.status == 0
    for role in ("grade", "qrels:grade"):
        assert irev(*asked, "--columns", f"{role}=ann+bob", book).stdout == wanted.stdout
    refused(irev("judges", ann, book), "columns of several judges are for `irev judges --columns grade=NAME+NAME FILE`")
    refused(irev("judges", "--columns", "grade=ann+bob", book, ann), "give this table alone; there are 2 files")
