"""`irev judges --predicted`: runs by the judgments of a model, corrected by those of a human."""

import importlib
import itertools
import json
import math
import random
import re
import statistics
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
import scipy.stats
from conftest import ROOT, added, nested
from outcomes import refused
from pages import Page
from reference_statistics import by_score, prediction_powered
from schema import faults

import irev as package
from irev.commands import drawn
from irev.statistics import corrections
from irev.statistics.sequential import Always

FOLDER = ROOT / "sample_data" / "llm"
HUMAN, MODEL, BM25, RERANK = (str(FOLDER / name) for name in ("human.txt", "llm.txt", "bm25.run", "rerank.run"))
RUNS = ("--run", BM25, "--run", RERANK)


def found(irev, *arguments) -> dict:
    status, stdout, stderr = irev("judges", "-f", "json", "--predicted", "llm.txt", *arguments)
    assert 0 == status, stderr
    return json.loads(stdout)


def of_queries(qrels: str, run: str, measure: str) -> dict[str, float]:
    """The values of single queries, by an evaluation of its own."""
    (values,) = package.evaluate(qrels, run, measure, complete=True).per_query.values()
    return {query: float(value) for query, value in values.items()}


@pytest.fixture
def values():
    """(human, predicted, where these are judged) of a run, under P@5."""

    def of(run: str) -> tuple[list[float], list[float], list[int]]:
        human, predicted = of_queries(HUMAN, run, "P@5"), of_queries(MODEL, run, "P@5")
        queries = sorted(predicted)
        judged = sorted(human)
        return (
            [human[query] for query in judged],
            [predicted[query] for query in queries],
            [queries.index(query) for query in judged],
        )

    return of


def test_means_are_those_of_the_slow_definition(irev, values):
    record = found(irev, "-m", "P@5", *RUNS, HUMAN, MODEL)
    assert (150, 40) == (record["queries"], record["judged"])
    for mean, run in zip(record["means"], (BM25, RERANK), strict=True):
        human, predicted, judged = values(run)
        tuning, value, error = prediction_powered(human, predicted, judged, [1.0] * len(judged))
        t, middle = scipy.stats.t.ppf(0.975, 39), sum(human) / 40
        assert (tuning, value, *by_score(value, error, t, middle)) == pytest.approx(
            (mean["tuning"], mean["corrected"], mean["low"], mean["high"]), rel=1e-9
        )
        assert sum(predicted) / 150 == pytest.approx(mean["predicted"], rel=1e-12)
        alone = by_score(middle, scipy.stats.sem(human), t, middle)
        assert (middle, *alone) == pytest.approx((mean["human"], mean["human_low"], mean["human_high"]), rel=1e-9)
        assert int(40 * ((scipy.stats.sem(human) / error) ** 2 - 1)) == mean["worth"]


def test_a_difference_and_its_p_are_those_of_differences_of_single_queries(irev, values):
    (difference,) = found(irev, "-m", "P@5", *RUNS, HUMAN, MODEL)["differences"]
    (one, predicted_one, judged), (other, predicted_other, _) = values(BM25), values(RERANK)
    human, predicted = (
        [b - a for a, b in zip(*each, strict=True)] for each in ((one, other), (predicted_one, predicted_other))
    )
    _, value, error = prediction_powered(human, predicted, judged, [1.0] * 40)
    assert ("bm25", "rerank") == (difference["baseline"], difference["run"])
    assert (value, 2 * scipy.stats.t.sf(abs(value) / error, 39)) == pytest.approx(
        (difference["corrected"], difference["p"]), rel=1e-9
    )


def test_the_bias_of_two_runs_is_one_paired_test(irev, values):
    means = found(irev, "-m", "P@5", *RUNS, HUMAN, MODEL)["means"]
    apart = []
    for mean, run in zip(means, (BM25, RERANK), strict=True):
        human, predicted, judged = values(run)
        apart.append([h - predicted[place] for h, place in zip(human, judged, strict=True)])
        assert sum(apart[-1]) / 40 == pytest.approx(mean["bias"], rel=1e-9)
    expected = scipy.stats.ttest_rel(*apart)
    assert [expected.pvalue] * 2 == pytest.approx([mean["favour_p"] for mean in means], rel=1e-9)
    assert means[0]["favour"] == pytest.approx(-means[1]["favour"], rel=1e-9)


def test_p_values_of_several_runs_are_corrected(irev, write):
    third = write(Path(BM25).read_bytes().replace(b" bm25", b" third").replace(b"Q0 d0", b"Q0 d1"))
    alone = found(irev, "-m", "P@5", *RUNS, HUMAN, MODEL)
    record = found(irev, "-m", "P@5", *RUNS, "--run", third, HUMAN, MODEL)
    assert [("bm25", "rerank"), ("bm25", "third"), ("rerank", "third")] == [
        (each["baseline"], each["run"]) for each in record["differences"]
    ]
    # The largest p of three has none to be compared with but its own, and the smallest is that of no draw at all.
    p = {(each["baseline"], each["run"]): each["p"] for each in record["differences"]}
    assert alone["differences"][0]["p"] == pytest.approx(p["bm25", "rerank"], abs=0.01)
    assert max(p.values()) == p["bm25", "rerank"]
    assert 1 / 100_001 == pytest.approx(p["rerank", "third"], rel=1e-9)


def test_p_values_against_a_baseline_are_holm_s_and_those_of_all_pairs_the_maximum_t_method_s(irev, write):
    lines = [line.split() for line in Path(BM25).read_text().splitlines()]
    third = write("".join(f"{q} Q0 {d} {r} {-float(s)} third\n" for q, _, d, r, s, _ in lines).encode())
    asked = ("compare", "--predicted", MODEL, "-m", "P@5")

    def p_of(*options) -> tuple[dict, str]:
        done = irev(*asked, *options, "-f", "json", HUMAN, BM25, RERANK, third)
        text = irev(*asked, *options, HUMAN, BM25, RERANK, third).stdout.decode()
        found = json.loads(done.stdout)["differences"]
        return {(each["baseline"], each["run"]): each["p"] for each in found}, " ".join(text.split())

    held, text = p_of()
    assert "of differences with Holm's correction over those of a measure" in text
    joint, text = p_of("--all-pairs")
    assert "of differences by the maximum-t method (100,000 samples, seed 0)" in text
    alone = {run: p_of_two(irev, run) for run in (RERANK, third)}
    assert [2 * min(alone.values()), max(alone.values())] == pytest.approx(sorted(held.values()), rel=1e-9)
    assert all(joint[pair] >= alone[run] - 0.01 for pair, run in zip(held, (RERANK, third), strict=True))


def p_of_two(irev, run: str) -> float:
    done = irev("compare", "--predicted", MODEL, "-m", "P@5", "-f", "json", HUMAN, BM25, run)
    return json.loads(done.stdout)["differences"][0]["p"]


def test_one_run_has_a_mean_and_nothing_to_differ_from(irev):
    record = found(irev, "-m", "AP", "--run", BM25, HUMAN, MODEL)
    assert [] == record["differences"]
    assert (None, None) == (record["means"][0]["favour"], record["means"][0]["favour_p"])
    _, stdout, _ = irev("judges", "--predicted", "llm.txt", "-m", "AP", "--run", BM25, HUMAN, MODEL)
    assert "against other runs" not in stdout.decode()


def test_values_beyond_one_have_intervals_beyond_one(irev):
    (mean,) = found(irev, "-m", "DCG@10", "--run", BM25, HUMAN, MODEL)["means"]
    assert mean["high"] > 1


def test_a_query_that_is_in_the_pool_and_not_judged_is_no_judged_query(irev, write):
    asked = write(Path(HUMAN).read_bytes() + b"t003 0 d0032 -1\n", "human.txt")
    judged = {line.split()[0] for line in Path(HUMAN).read_text().splitlines()}
    assert "t003" not in judged
    assert (
        found(irev, "-m", "AP", "--run", BM25, HUMAN, MODEL)["means"]
        == found(irev, "-m", "AP", "--run", BM25, asked, MODEL)["means"]
    )


def test_nothing_is_said_of_the_queries_that_no_human_judged(irev):
    _, _, stderr = irev("judges", "--predicted", "llm.txt", "-m", "AP", *RUNS, HUMAN, MODEL)
    assert "" == stderr


@pytest.mark.parametrize(("wrong", "said"), [(0, "none"), (4, "only 4"), (5, None)])
def test_errors_too_rare_to_be_seen_are_told(irev, write, wrong, said):
    queries = range(40)
    model = write("".join(f"q{n} 0 d1 {n % 2}\n" for n in queries).encode(), "model")
    human = write("".join(f"q{n} 0 d1 {n % 2 if n >= wrong else 1 - n % 2}\n" for n in range(30)).encode(), "human")
    run = write("".join(f"q{n} Q0 d1 1 1 a\n" for n in queries).encode(), "run")
    printed = irev("compare", "-f", "table", "-m", "P@1", "--predicted", model, human, run).stdout.decode()
    assert (said is not None) == (f" differ in {said} of 30 judged queries." in " ".join(printed.split()))
    assert (said is not None) == ("judge more queries" in " ".join(printed.split()))


def test_few_judged_queries_are_told(irev, write):
    model = write(b"".join(b"q%d 0 d1 %d\n" % (n, n % 2) for n in range(9)), "model")
    human = write(b"q1 0 d1 1\nq2 0 d1 0\nq3 0 d1 1\n", "human")
    run = write(b"".join(b"q%d Q0 d1 1 1 a\n" % n for n in range(9)), "run")
    printed = irev("compare", "-f", "table", "-m", "P@1", "--predicted", model, human, run).stdout.decode()
    assert "with fewer they may be too narrow" in " ".join(printed.split())


@pytest.mark.parametrize("command", ["eval", "compare"])
def test_an_aggregate_that_is_no_mean_is_refused(irev, command):
    done = irev(command, "-m", "AP(agg=gmean)", "--predicted", MODEL, HUMAN, BM25)
    refused(done, "AP(agg=gmean) is no mean over queries, and only means are corrected; ask for AP")


def test_a_sample_of_the_best_queries_looks_chosen(irev, write):
    values = of_queries(MODEL, BM25, "AP")
    best = sorted(values, key=lambda query: -values[query])[:40]
    lines = Path(MODEL).read_text().splitlines(keepends=True)
    human = write("".join(line for line in lines if line.split()[0] in best).encode())
    status, _, stderr = irev("judges", "--predicted", "llm.txt", "-m", "AP", *RUNS, f"human={human}", MODEL)
    assert 0 == status
    assert "the judged queries do not look like a random sample: by predicted judgments AP is" in stderr
    assert "intervals hold for random samples" in stderr
    (unlike,) = found(irev, "-m", "AP", *RUNS, f"human={human}", MODEL)["chosen"]
    assert "AP" == unlike["measure"]
    assert unlike["judged"] > unlike["others"]
    assert unlike["p"] < 0.01
    assert [] == found(irev, "-m", "AP", *RUNS, HUMAN, MODEL)["chosen"]


def test_what_cannot_be_corrected_is_refused(irev, write):
    asked = ("judges", "--predicted", "llm.txt", "-m", "AP", "--run", BM25)
    refused(irev(*asked, HUMAN), "there is no judge llm.txt; there are human.txt")
    refused(
        irev(*asked, HUMAN, f"b={HUMAN}", MODEL),
        "predicted judgments are corrected by those of exactly one other judge",
    )
    refused(
        irev(*asked, f"human={MODEL}", f"llm.txt={HUMAN}"), "query 't003' has human judgments and no predicted ones"
    )
    one = write(b"t003 0 d0032 1\n")
    refused(irev(*asked, f"human={one}", MODEL), "a human judged 1 of the 150 queries with predicted judgments")
    refused(irev(*asked[:4], "runid", "--run", BM25, HUMAN, MODEL), "no measure has numbers for single queries")


def test_python_has_the_same():
    judged, runs = {"human": HUMAN, "llm": MODEL}, {"bm25": BM25, "rerank": RERANK}
    finding = package.judges(judged, runs, "P@5", predicted="llm")
    assert (150, 40) == (finding.found.queries, finding.found.judged)
    assert "<Predicted: 40 of 150 queries judged by a human>" == repr(finding)
    (difference,) = finding.found.differences
    assert difference.low < 0 < difference.high
    assert finding.found.means[0].favour_p < 0.05
    assert ["bm25", "rerank", "rerank"] == finding.to_pandas()["run"].tolist()
    with pytest.raises(package.UsageError, match="predicted has no effect without runs"):
        package.judges(judged, predicted="llm")
    with pytest.raises(package.UsageError, match="weights has no effect with predicted"):
        package.judges(judged, runs, predicted="llm", weights="linear")


def test_compare_finds_the_same(irev):
    expected = found(irev, "-m", "P@5", *RUNS, HUMAN, MODEL)
    done = irev("compare", "--predicted", MODEL, "-m", "P@5", "-f", "json", HUMAN, BM25, RERANK)
    assert (0, "") == (done.status, done.stderr)
    record = json.loads(done.stdout)
    assert {**expected, "human": HUMAN, "predicted": MODEL} == record
    finding = package.compare(HUMAN, {"bm25": BM25, "rerank": RERANK}, "P@5", predicted=MODEL)
    assert record["differences"][0]["p"] == finding.found.differences[0].p


def test_measures_without_numbers_for_single_queries_are_named(irev):
    done = irev("compare", "--predicted", MODEL, "-m", "P@5", "-m", "gm_map", "-m", "runid", HUMAN, BM25, RERANK)
    assert (0, "irev: warning: not compared: GMAP, RunID (no numbers for single queries)\n") == (
        done.status,
        done.stderr,
    )


def test_compare_holds_runs_against_a_baseline(irev, write):
    third = write(Path(BM25).read_bytes().replace(b" bm25", b" third"))
    asked = ("compare", "--predicted", MODEL, "-m", "P@5", "-f", "json", HUMAN, BM25, RERANK, third)

    def pairs(*options):
        return [(each["baseline"], each["run"]) for each in json.loads(irev(*asked, *options).stdout)["differences"]]

    assert [("bm25", "rerank"), ("bm25", "third")] == pairs()
    assert [("rerank", "bm25"), ("rerank", "third")] == pairs("--baseline", "rerank")
    assert [("bm25", "rerank"), ("bm25", "third"), ("rerank", "third")] == pairs("--all-pairs")


def test_compare_has_the_mean_of_one_run(irev):
    (mean,) = json.loads(irev("compare", "--predicted", MODEL, "-m", "P@5", "-f", "json", HUMAN, BM25).stdout)["means"]
    assert found(irev, "-m", "P@5", "--run", BM25, HUMAN, MODEL)["means"] == [mean]


def test_compare_marks_what_is_significant_at_alpha(irev):
    asked = ("compare", "--predicted", MODEL, "-m", "nDCG@10", HUMAN, BM25, RERANK)
    assert "* significant at 0.05." in irev(*asked).stdout.decode()
    assert "significant" not in irev(*asked, "--alpha", "0.001").stdout.decode()


def test_compare_takes_judgments_and_runs_and_every_query(irev, tmp_path):
    saved = str(tmp_path / "saved.json")
    irev("eval", "-q", "-f", "json", "-o", saved, MODEL, BM25, RERANK)
    refused(irev("compare", "--predicted", MODEL, saved), "--predicted takes judgments and runs")
    asked = ("compare", "--predicted", MODEL, HUMAN, BM25, RERANK)
    refused(irev(*asked, "--queries", "both"), "--queries has no effect with --predicted")
    with pytest.raises(package.UsageError, match="tests has no effect with predicted"):
        package.compare(HUMAN, {"a": BM25}, predicted=MODEL, tests=("sign",))
    with pytest.raises(package.UsageError, match="predicted takes judgments and runs"):
        package.compare(HUMAN, {"a": BM25}, predicted=MODEL, both=True)


# How many queries a human is to judge


def test_as_many_queries_are_needed_for_an_interval_as_wide_as_there_were(irev):
    (difference,) = found(irev, "-m", "P@5", *RUNS, HUMAN, MODEL)["differences"]
    width = difference["high"] - difference["low"]
    asked = ("power", "--design", "interval", "--predicted", MODEL, "-m", "P@5", "-f", "json", HUMAN, BM25, RERANK)

    def needed(wide: float) -> int | None:
        done = irev(*asked, "--width", repr(wide))
        assert (0, "") == (done.status, done.stderr)
        (need,) = json.loads(done.stdout)["needs"]
        assert (40, difference["corrected"]) == (need["queries"], need["difference"])
        assert (difference["error"] ** 2 - difference["error_of_all"] ** 2) * 40 == pytest.approx(need["variance"])
        return need["needed"]

    assert 40 == needed(width * (1 + 1e-9))
    assert 41 == needed(width * (1 - 1e-9))
    assert needed(width * 0.8) > 60
    assert None is needed(width * 0.3)


def test_power_by_predictions_asks_for_runs_and_an_interval(irev):
    asked = ("power", "--predicted", MODEL, HUMAN, BM25, RERANK)
    refused(irev(*asked), "--predicted has no effect without --design interval")
    refused(irev(*asked, "--design", "interval"), "the width of the interval is needed")
    refused(irev(*asked[:-1], "--design", "interval", "--width", "0.1"), "there is nothing to compare")


# Documents that were drawn


@pytest.mark.parametrize("name", sorted(drawn.SUMS))
def test_sums_over_ranks_are_sums_of_what_single_documents_add(name):
    chance = random.Random(name)
    for _ in range(20):
        grades = {f"d{rank}": chance.choice((None, 0, 1, 2, 3)) for rank in range(chance.randint(1, 12))}
        whole = {document: grade for document, grade in grades.items() if grade is not None} or {"d0": 0}
        judged = {"whole": {**whole, "missed": 2, "other": 0}} | {
            document: {document: grade} for document, grade in whole.items()
        }
        run = {"whole": [*grades]} | {document: [*grades][: [*grades].index(document) + 1] for document in whole}
        for values in package.evaluate(judged, run, name, complete=True).per_query.values():
            assert float(values.pop("whole")) == pytest.approx(float(added(values.values())), abs=1e-12)


@pytest.fixture
def drawn_finding(write):
    """What is found of a few queries, of which these documents of q1 were drawn with these probabilities."""
    truth = {"q1": {"a": 2, "b": 0, "c": 1}, "q2": {"a": 0, "b": 1}, "q3": {"a": 1, "c": 3}}
    guesses = {"q1": {"a": 0, "b": 1, "c": 1}, "q2": {"a": 1, "b": 1}, "q3": {"a": 1, "b": 1, "c": 2}}
    runs = {"x": {"q1": ["b", "a", "z", "c"], "q2": ["a", "b"], "q3": ["c", "z", "a"]}, "y": {"q1": ["a"], "q2": ["b"]}}

    def found(documents: tuple[str, ...], probability: dict[str, float], measure: str):
        rows = [(q, d, g, 0, 1) for q in ("q2", "q3") for d, g in truth[q].items()]
        rows += [("q1", d, truth["q1"][d], 1, probability[d]) for d in documents]
        rows += [] if documents else [("q1", "nothing", 0, 1, 1)]
        lines = "".join("{} {} {} {} {}\n".format(*row) for row in rows)
        model = "".join(f"{q} {d} {g} 0 1\n" for q, of in guesses.items() for d, g in of.items())
        judged = {"human": write(lines.encode(), "human"), "llm": write(model.encode(), "llm")}
        return package.judges(judged, runs, measure, predicted="llm", qrels_format="prels").found

    found.truth, found.runs = truth, runs
    return found


@pytest.mark.parametrize(
    "measure",
    [
        *("P@3", "DCG@2", "CG", "RBP", "DCG", "INSQ(max_rel=3)", "SDCG(max_rel=3)@3", "TBG(max_rel=4)"),
        *("CWL_P(max_rel=3)@2", "CWL_RBP(max_rel=3,p=0.5)"),
    ],
)
def test_values_by_drawn_documents_expect_those_by_all(drawn_finding, measure):
    """Over all 8 samples of three documents that are drawn independently of each other."""
    probability = {"a": 0.5, "b": 0.25, "c": 0.8}
    expected = {run: of_all(drawn_finding.truth, documents, measure) for run, documents in drawn_finding.runs.items()}
    biases = dict.fromkeys(expected, 0.0)
    alone = dict.fromkeys(expected, 0.0)
    predicted = {}
    for drawn_ones in itertools.product((False, True), repeat=3):
        documents = tuple(itertools.compress("abc", drawn_ones))
        chance = math.prod(probability[d] if d in documents else 1 - probability[d] for d in "abc")
        for mean in drawn_finding(documents, probability, measure).means:
            predicted[mean.run] = mean.predicted
            biases[mean.run] += chance * mean.bias
            alone[mean.run] += chance * mean.human
    assert expected == pytest.approx({run: predicted[run] + off for run, off in biases.items()}, rel=1e-12)
    assert expected == pytest.approx(alone, rel=1e-12)


def of_all(truth, documents, measure: str) -> float:
    """The mean by all judgments."""
    (values,) = package.evaluate(truth, documents, measure, complete=True).per_query.values()
    return float(added(values.values())) / len(truth)


def test_what_is_no_sum_is_not_corrected_by_drawn_documents(drawn_finding):
    sums = "P, CG, DCG, DCG@k, RBP, SDCG@k, INSQ, TBG, CWL_P@k, CWL_RBP"
    for measure, instead in (("AP", sums), ("nDCG@10", "DCG@k"), ("RR", sums), ("INST", "INSQ")):
        with pytest.raises(package.UsageError, match="is not a sum over documents") as error:
            drawn_finding(("a",), {"a": 0.5}, measure)
        assert f"measure by {instead}, or judge whole queries" in str(error.value)
    with pytest.raises(package.UsageError, match=r"say which it is, as INSQ\(max_rel=3\) does"):
        drawn_finding(("a",), {"a": 0.5}, "INSQ")


def test_samples_of_which_probabilities_are_not_known_are_refused(write):
    lines = b"q1 0 a 1 1\nq2 0 a 1 0\n"
    judged = {"human": write(lines, "human"), "llm": write(lines, "llm")}
    with pytest.raises(package.UsageError, match="strata do not say which documents were drawn"):
        package.judges(judged, {"x": {"q1": ["a"]}}, "P@3", predicted="llm", qrels_format="strata")


def test_a_forest_plot_has_every_estimate_and_its_interval(irev, tmp_path):
    asked = ("judges", "--predicted", "llm.txt", "-m", "P@5", *RUNS, HUMAN, MODEL)
    record = json.loads(irev(*asked, "-f", "json", "--plot", str(tmp_path / "forest.txt")).stdout)
    drawn = (tmp_path / "forest.txt").read_text(encoding="utf-8")
    expected = []
    for line, form in (*((mean, ".4f") for mean in record["means"]), (record["differences"][0], "+.4f")):
        expected.append(f"{line['human']:{form}} [{line['human_low']:{form}}, {line['human_high']:{form}}]")
        expected.append(f"{line['predicted']:{form}}")
        expected.append(f"{line['corrected']:{form}} [{line['low']:{form}}, {line['high']:{form}}]")
    estimates = [line for line in drawn.splitlines() if line.startswith("  ")]
    assert expected == [line[line.rindex("  ") :].strip() for line in estimates]
    assert ["○", "◇", "●"] * 3 == [next(sign for sign in "○◇●" if sign in line) for line in estimates]
    (difference,) = [line for line in estimates if line.endswith("[-0.0570, +0.0422]")]
    assert difference.index("├") < difference.index("●") < difference.index("┤")


@pytest.mark.parametrize("ending", ["svg", "html"])
def test_forest_plots_are_the_same_bytes_each_time_and_names_are_text(irev, tmp_path, ending):
    pytest.importorskip("matplotlib")
    hostile = f"<script>x</script>\x1b[31m={HUMAN}"
    asked = ("judges", "--predicted", "llm.txt", "-m", "P@5", *RUNS, hostile, MODEL)
    files = [tmp_path / f"{number}.{ending}" for number in (1, 2)]
    for file in files:
        assert 0 == irev(*asked, "--plot", str(file)).status
    one, other = (file.read_text(encoding="utf-8") for file in files)
    assert one == other
    assert "\x1b" not in one
    assert "<script>" not in one
    assert "rerank" in one
    assert "corrected" in one


def test_of_many_estimates_the_first_are_drawn(tmp_path):
    predicted = {f"q{number}": {"a": number % 2, "b": 1, "c": number % 3} for number in range(9)}
    human = {query: predicted[query] for query in ("q1", "q4", "q6")}
    runs = {f"run{number}": {query: ["a", "b", "c"] for query in predicted} for number in range(30)}
    package.judges({"h": human, "m": predicted}, runs, "P@5", predicted="m").plot().save(str(tmp_path / "forest.svg"))
    assert "Only the first 24 of 465 numbers are drawn." in (tmp_path / "forest.svg").read_text()


def test_the_sample_is_what_its_script_makes(tmp_path):
    script = tmp_path / "make.py"
    script.write_bytes((FOLDER / "make.py").read_bytes())
    subprocess.run([sys.executable, str(script)], check=True)
    for name in ("human.txt", "llm.txt", "bm25.run", "rerank.run"):
        assert (FOLDER / name).read_bytes() == (tmp_path / name).read_bytes()


def test_a_model_that_judges_as_humans_do_has_no_bias():
    predicted = nested(MODEL, 3)
    human = {query: predicted[query] for query in sorted(predicted)[::4]}
    (mean,) = package.judges({"human": human, "llm": predicted}, {"bm25": BM25}, "P@5", predicted="llm").found.means
    assert (0.0, mean.human) == (mean.bias, pytest.approx(sum(of_queries(MODEL, BM25, "P@5")[q] for q in human) / 38))
    assert abs(mean.corrected - mean.predicted) < abs(mean.human - mean.predicted)


# The same asked otherwise


def test_eval_has_the_means_of_compare(irev):
    expected = json.loads(irev("compare", "--predicted", MODEL, "-m", "P@5", "-f", "json", HUMAN, BM25, RERANK).stdout)
    done = irev("eval", "--predicted", MODEL, "-m", "P@5", "-f", "json", HUMAN, BM25, RERANK)
    assert (0, "") == (done.status, done.stderr)
    assert {**expected, "differences": []} == json.loads(done.stdout)
    table = irev("eval", "--predicted", MODEL, "-m", "P@5", HUMAN, BM25, RERANK).stdout.decode()
    assert "Means" in table
    assert "Bias" in table
    assert "Differences" not in table
    assert max(map(len, table.splitlines())) <= 80


def test_eval_writes_every_style_but_lines_of_trec_eval(irev, tmp_path):
    asked = ("eval", "--predicted", MODEL, "-m", "P@5")
    for ending, sign in (("tsv", "\t"), ("csv", ","), ("jsonl", "{"), ("md", "|"), ("tex", "&"), ("html", "<")):
        done = irev(*asked, "-o", str(tmp_path / f"out.{ending}"), HUMAN, BM25)
        assert (0, "") == (done.status, done.stderr)
        assert sign in (tmp_path / f"out.{ending}").read_text()
    refused(irev(*asked, "-f", "trec", HUMAN, BM25), "with --predicted a measure has several numbers")
    refused(irev(*asked, "-o", str(tmp_path / "out.eval"), HUMAN, BM25), "is not an output format")


def test_eval_refuses_what_has_no_effect_on_corrected_means(irev):
    for option in (("-q",), ("--queries", "both"), ("--sort", "P@5"), ("--bounds",), ("--aggregate", "median")):
        refused(irev("eval", "--predicted", MODEL, *option, HUMAN, BM25), "has no effect with --predicted")
    refused(irev("eval", "--confidence", "0.9", HUMAN, BM25), "--confidence has no effect without --predicted")


COMMANDS = (
    ("eval",),
    ("compare",),
    ("report", "-o", "page.html"),
    ("power", "--design", "interval", "--width", "0.1"),
    ("check", "--min", "P@5=0"),
)


@pytest.mark.parametrize("command", COMMANDS, ids=lambda words: words[0])
def test_model_judgments_are_one_file(irev, command):
    twice = irev(*command, "--predicted", MODEL, f"--predicted={MODEL}", HUMAN, BM25)
    refused(twice, "--predicted is given twice, and takes one file; `irev judges --merge` makes one file of several")


@pytest.mark.parametrize("command", COMMANDS[:-1], ids=lambda words: words[0])  # a gate fails such runs
def test_runs_without_a_query_that_was_judged_are_refused(irev, write, command):
    lines = Path(BM25).read_text().splitlines(True)
    human = {line.split()[0] for line in Path(HUMAN).read_text().splitlines()}
    for other in ([f"z{line}" for line in lines], [line for line in lines if line.split()[0] not in human]):
        found = irev(*command, "--predicted", MODEL, HUMAN, BM25, write("".join(other).encode(), "other.run"))
        refused(found, "human.txt and other have no query in common")


def test_python_takes_one_run_and_one_model():
    with pytest.raises(package.UsageError, match="take several runs"):
        package.evaluate(HUMAN, [BM25, RERANK], "P@5", predicted=MODEL)
    for ask, runs in ((package.evaluate, BM25), (package.compare, [BM25])):
        with pytest.raises(package.UsageError, match="predicted takes the judgments of one model; judges"):
            ask(HUMAN, runs, "P@5", predicted=[MODEL, MODEL])
    with pytest.raises(package.InputError, match="have no query in common"):
        package.evaluate(HUMAN, {"z": {"d": 1.0}}, "P@5", predicted=MODEL)


@pytest.mark.parametrize("drawn", ["query", "document"])
def test_probabilities_of_an_audit_are_not_ignored_in_silence(irev, write, drawn):
    audit = write(f"query,document,grade,drawn,probability\nt001,d0000,1,{drawn},0.5\n".encode(), "audit.csv")
    said = "audit.csv: this is an audit, and its probabilities have no effect here; `irev eval --predicted LLM.qrels`"
    assert 1 == irev("eval", "-m", "P@5", audit, BM25).stderr.count(said)
    assert 1 == irev("compare", "-m", "P@5", audit, BM25, RERANK).stderr.count(said)
    assert "an audit" not in irev("eval", "-m", "statP@5", audit, BM25).stderr
    assert "an audit" not in irev("eval", "-m", "P@5", "--predicted", MODEL, audit, BM25).stderr


def test_eval_in_python_has_the_same():
    finding = package.evaluate(HUMAN, BM25, "P@5", predicted=MODEL, confidence=0.9)
    (mean,) = finding.found.means
    (same,) = package.compare(HUMAN, [BM25], "P@5", predicted=MODEL, confidence=0.9).found.means
    assert same == mean
    assert "bm25" == mean.run
    for options in ({"queries": "run"}, {"query_weights": {"t001": 2}}):
        with pytest.raises(package.UsageError, match=f"{next(iter(options))} has no effect with predicted"):
            package.evaluate(HUMAN, BM25, "P@5", predicted=MODEL, **options)
    with pytest.raises(package.UsageError, match="confidence has no effect without predicted"):
        package.evaluate(HUMAN, BM25, "P@5", confidence=0.9)


CHECK = ("check", "--predicted", MODEL, "--baseline-run", BM25)


def checked(irev, *conditions) -> dict:
    """The only finding of a check of rerank against bm25."""
    status, stdout, stderr = irev(*CHECK, "-f", "json", *conditions, HUMAN, RERANK)
    assert "" == stderr
    record = json.loads(stdout)
    assert [] == faults(record)
    (finding,) = record["findings"]
    assert status == (not finding["holds"])
    return finding


def test_check_holds_limits_against_the_corrected_mean(irev):
    mean = found(irev, "-m", "P@5", *RUNS, HUMAN, MODEL)["means"][1]
    close = mean["corrected"]
    assert "pass" == checked(irev, "--min", f"P@5={close - 1e-9!r}")["state"]
    failed = checked(irev, "--min", f"P@5={close + 1e-9!r}")
    assert ("fail", close) == (failed["state"], failed["measured"])
    assert "0.6680 by predicted judgments alone, 0.5850 by human ones" in failed["reason"]
    assert "fail" == checked(irev, "--max", f"P@5={close - 1e-9!r}")["state"]


def test_check_holds_drops_against_the_corrected_difference(irev):
    (difference,) = found(irev, "-m", "P@5", *RUNS, HUMAN, MODEL)["differences"]
    drop = -difference["corrected"]
    assert drop > 0
    finding = checked(irev, "--max-drop", f"P@5={drop + 1e-9!r}")
    assert ("pass", difference["corrected"]) == (finding["state"], finding["difference"])
    assert "fail" == checked(irev, "--max-drop", f"P@5={drop - 1e-9!r}")["state"]


@pytest.mark.parametrize("allowed", ["0.02", "4%"])
def test_check_tests_corrected_drops_by_student_s_t(irev, values, allowed):
    (one, predicted_one, judged), (other, predicted_other, _) = values(BM25), values(RERANK)

    def left(base: list[float], run: list[float]) -> list[float]:
        """What each query has left of what it may lose."""
        share = allowed.endswith("%")
        room = [0.04 * each if share else 0.02 for each in base]
        return [b - a + may for a, b, may in zip(base, run, room, strict=True)]

    _, value, error = prediction_powered(left(one, other), left(predicted_one, predicted_other), judged, [1.0] * 40)
    below = scipy.stats.t.cdf(value / error, 39)
    drop = checked(irev, "--max-drop", f"P@5={allowed}", "--significant", "0.1")
    shown = checked(irev, "--no-worse-than", f"P@5={allowed}")
    (apart,) = found(irev, "-m", "P@5", *RUNS, HUMAN, MODEL)["differences"]
    by_human = {q: before != after for q, before, after in zip(judged, one, other, strict=True)}
    differ = sum(by_human[q] or predicted_one[q] != predicted_other[q] for q in judged)
    unseen = (1 - differ / 40) / (1 + differ / 5) * math.sqrt(2 / (40 * 39))
    assert (differ, pytest.approx(unseen)) == (apart["differ"], apart["unseen"])
    above = scipy.stats.t.sf(value / math.hypot(error, unseen), 39)
    assert (below, above) == pytest.approx((drop["p"], shown["p"]), rel=1e-9)
    assert "undecided" == drop["state"] == shown["state"]
    assert (True, False) == (drop["holds"], shown["holds"])
    apart = [[b - a for a, b in zip(*each, strict=True)] for each in ((one, other), (predicted_one, predicted_other))]
    _, middle, off = prediction_powered(*apart, judged, [1.0] * 40)
    reach = scipy.stats.t.ppf(0.9, 39) * math.hypot(off, unseen)
    assert (middle - reach, middle + reach) == pytest.approx(tuple(drop["interval"].values()), rel=1e-9)


def test_check_fails_where_a_drop_is_shown_and_passes_where_it_is_shown_to_be_small(irev, write):
    assert "pass" == checked(irev, "--no-worse-than", "P@5=0.1")["state"]
    worse = write(b"t003 Q0 d0032 1 9 worse\n", "worse.run")
    asked = ("check", "--predicted", MODEL, "--baseline-run", BM25, "--max-drop", "P@5=0.1", "--significant", "0.05")
    done = irev(*asked, HUMAN, worse)
    assert 1 == done.status
    assert "FAIL" in done.stdout.decode()
    assert "t test of corrected differences" in " ".join(done.stdout.decode().split())


@pytest.mark.parametrize(("options", "beyond"), [((), 0.4), (("--any-drop",), 0.5)])
def test_check_fails_where_all_queries_lose_the_same(irev, write, options, beyond):
    judged, before, after = (
        "".join(line.format(query) for query in range(60))
        for line in (
            "{0} 0 r 1\n{0} 0 n 0\n",
            "{0} Q0 r 1 2 before\n{0} Q0 n 2 1 before\n",
            "{0} Q0 n 1 2 after\n{0} Q0 r 2 1 after\n",
        )
    )
    human = "".join(judged.splitlines(keepends=True)[:60])
    files = [
        write(text.encode(), name)
        for name, text in {"model": judged, "human": human, "before": before, "after": after}.items()
    ]
    asked = ("check", "--predicted", files[0], "--baseline-run", files[2], "--max-drop", "RR=0.1")
    done = irev(*asked, "--significant", "0.05", *options, "-f", "json", files[1], files[3])
    (finding,) = json.loads(done.stdout)["findings"]
    unseen = math.sqrt(2 / (30 * 29))
    assert (1, "fail") == (done.status, finding["state"])
    assert finding["p"] == pytest.approx(scipy.stats.t.sf(beyond / unseen, 29), rel=1e-3, abs=1e-15)


def test_check_corrects_conditions_on_the_same_values_once(irev, write):
    worse = write(b"t003 Q0 d0032 1 9 worse\n", "worse.run")

    def p_values(*measures):
        drops = [word for name in measures for word in ("--max-drop", f"{name}=0.45")]
        done = irev(*CHECK, "-f", "json", "--significant", "0.1", *drops, HUMAN, worse)
        return [each["p"] for each in json.loads(done.stdout)["findings"]]

    (alone,) = p_values("P@5")
    assert [alone, alone] == p_values("P@5", "P(rel=1)@5")
    assert [2 * alone, *p_values("P@10")] == p_values("P@5", "P@10")


def test_check_of_a_measure_that_is_better_low_turns_the_sign(irev):
    asked = ("-m", "RBPResid", *RUNS, HUMAN, MODEL)
    (difference,) = found(irev, *asked)["differences"]
    finding = checked(irev, "--max-drop", f"RBPResid={0.99}")
    assert difference["corrected"] == finding["difference"]


def test_check_details_are_the_tables_of_compare(irev):
    done = irev(*CHECK, "--min", "P@5=0.1", "--details", HUMAN, RERANK)
    text = done.stdout.decode()
    assert all(title in text for title in ("Conditions", "Means", "Differences", "Bias"))
    assert max(map(len, text.splitlines())) <= 80


def test_check_refuses_what_cannot_be_corrected(irev, tmp_path):
    asked = ("check", "--predicted", MODEL)
    refused(irev(*asked, "--min", "queries=3", HUMAN, RERANK), "no condition is about a measure")
    refused(irev(*asked, "--max-drop", "AP=0.1", "--baseline", "x.json", HUMAN, RERANK), "name it by --baseline-run")
    refused(irev(*asked, "--every-query", "RR>0", HUMAN, RERANK), "--every-query is about single queries")
    refused(irev(*CHECK, "--max-query-losses", "3", HUMAN, RERANK), "--max-query-losses is about single queries")
    refused(irev(*asked, "--min", "AP(agg=median)=0.1", HUMAN, RERANK), "corrected in means of queries")
    refused(irev(*asked, "--min", "group:a/AP=0.1", HUMAN, RERANK), "there is no group 'a'")


def test_check_in_python_has_the_same(irev):
    with pytest.warns(package.QueriesWarning, match="110 queries have no judgments"):
        made = {"rerank": package.evaluate(HUMAN, RERANK, "P@5", complete=True)}
    judged = {"qrels": HUMAN, "runs": {"rerank": RERANK}, "baseline_runs": {"bm25": BM25}, "predicted": MODEL}
    verdict = package.check(made, **judged, max_drop={"P@5": 0.02}, significant=0.1)
    (expected,) = verdict.findings
    finding = checked(irev, "--max-drop", "P@5=0.02", "--significant", "0.1")
    assert (finding["measured"], finding["p"]) == pytest.approx((expected.measured, expected.p), rel=1e-12)
    assert 150 == verdict.corrected.found.queries
    with pytest.raises(package.UsageError, match="give its run in baseline_runs"):
        package.check(made, baseline=made["rerank"], predicted=MODEL, max_drop={"P@5": 0.02})
    with pytest.raises(package.UsageError, match="give qrels and runs"):
        package.check(made, predicted=MODEL, min={"P@5": 0.02})
    with pytest.raises(package.UsageError, match="test has no effect with predicted"):
        package.check(made, **judged, max_drop={"P@5": 0.02}, significant=0.1, test="sign")


def page_of(irev, tmp_path, *arguments) -> Page:
    place = tmp_path / "page.html"
    done = irev(*arguments, str(place), HUMAN, RERANK)
    assert done.status < 2, done.stderr
    return Page(place.read_bytes())


def test_a_page_has_corrected_means_in_its_overview_and_a_forest_plot(irev, tmp_path):
    asked = ("report", "--predicted", MODEL, "-m", "P@5", "-m", "AP", "-o")
    place = tmp_path / "page.html"
    assert 0 == irev(*asked, str(place), HUMAN, RERANK, BM25).status
    page = Page(place.read_bytes())
    found = package.compare(HUMAN, [RERANK, BM25], ["P@5", "AP"], predicted=MODEL).found
    means = {(line.measure, line.run): f"{line.corrected:.4f}" for line in found.means}
    (board, *_) = page.tables
    rows = {row[1]: row[2:4] for row in board[1:]}
    assert {run: [means["P@5", run], means["AP", run]] for run in ("bm25", "rerank")} == rows
    assert ["bm25", "rerank"] == [row[1] for row in board[1:]], "ranked by the corrected mean"
    assert "Human and predicted judgments" in page.texts["h2"]
    assert "Significance" not in page.texts["h2"]
    assert {"Means", "Differences", "Bias"} <= {*page.texts["h3"]}
    drawn = [said for said in page.texts["title"] if ": " in said]
    words = {(line.measure, line.run): f"{line.predicted:.4f}" for line in found.means}
    assert all(any(f"{run}, predicted: {value}" in said for said in drawn) for (_, run), value in words.items())
    assert 3 * (len(found.means) + len(found.differences)) == len(drawn)
    captions = " ".join(page.texts["figcaption"])
    assert "AP, differences." in captions
    assert "150 queries, by predicted judgments alone." in captions


def test_the_page_of_a_check_has_the_verdict_and_the_same(irev, tmp_path):
    page = page_of(irev, tmp_path, *CHECK, "--min", "P@5=0.6", "--report")
    assert ["Verdict", "Overview", "Human and predicted judgments"] == page.texts["h2"][:3]
    assert 1 == page.texts["h3"].count("Means")
    assert any("required: at least 0.6" in said for said in page.texts["li"])
    assert [f"Check on {MODEL}, corrected by {HUMAN}"] == page.texts["h1"]  # the baseline is not checked
    assert not any("--details:" in said for said in page.texts["p"])


def test_a_page_refuses_what_has_no_corrected_form(irev, tmp_path):
    for option in (("--coverage",), ("--judge", MODEL), ("--site", str(tmp_path)), ("--test", "sign")):
        refused(irev("report", "--predicted", MODEL, *option, HUMAN, RERANK), "has no effect with --predicted")


@pytest.fixture
def worse(tmp_path) -> str:
    """A model that errs more often."""
    lines = [line.split() for line in Path(MODEL).read_text().splitlines()]
    odd = ((q, 0, d, (int(g) + 1) % 3 if number % 5 == 0 else g) for number, (q, _, d, g) in enumerate(lines))
    (tmp_path / "worse.txt").write_text("".join(f"{q} {zero} {d} {g}\n" for q, zero, d, g in odd))
    return str(tmp_path / "worse.txt")


def test_of_several_models_the_best_predictor_is_used(irev, values, worse):
    alone = found(irev, "-m", "P@5", "-m", "AP", *RUNS, HUMAN, MODEL)
    record = found(irev, "--predicted", "worse.txt", "-m", "P@5", "-m", "AP", *RUNS, HUMAN, worse, MODEL)
    assert [] == faults(record)
    assert "llm.txt" == record["predicted"]
    assert alone["means"] == record["means"]
    assert [("P@5", "llm.txt"), ("P@5", "worse.txt"), ("AP", "llm.txt"), ("AP", "worse.txt")] == [
        (each["measure"], each["predicted"]) for each in record["predictors"]
    ]
    best, other = record["predictors"][:2]
    assert best["residual"] < other["residual"]
    residual, whole = [], []
    for run in (BM25, RERANK):
        human, predicted, judged = values(run)
        tuning, *_ = prediction_powered(human, predicted, judged, [1.0] * 40)
        residual.append(statistics.variance(h - tuning * predicted[at] for h, at in zip(human, judged, strict=True)))
        whole.append(statistics.variance(human))
    assert (statistics.fmean(residual), sum(residual) / sum(whole)) == pytest.approx(
        (best["residual"], best["left"]), rel=1e-9
    )
    assert best["worth"] == min(mean["worth"] for mean in alone["means"] if mean["measure"] == "P@5")


def test_the_best_predictor_is_shown_and_named(irev, worse):
    done = irev("judges", "--predicted", "llm.txt", "--predicted", "worse.txt", *RUNS, HUMAN, worse, MODEL)
    text = " ".join(done.stdout.decode().split())
    assert "Predictors" in text
    assert "The best over all measures is llm.txt" in text
    assert max(map(len, done.stdout.decode().splitlines())) <= 80
    judged = {"human": HUMAN, "worse": worse, "llm": MODEL}
    finding = package.judges(judged, [BM25], "P@5", predicted=["worse", "llm"])
    assert ("llm", ["worse", "llm"]) == (finding.model, [each.predicted for each in finding.predictors])
    refused(
        irev("judges", "--predicted", "llm.txt", *RUNS, HUMAN, worse, MODEL),
        "predicted judgments are corrected by those of exactly one other judge",
        "name all models by --predicted",
    )


def test_p_values_are_never_rounded(irev):
    table = irev("eval", "--predicted", MODEL, "-m", "P@5", "-f", "csv", "--digits", "2", HUMAN, BM25, RERANK).stdout
    header, *rows = (line.split(",") for line in table.decode().splitlines())
    assert all(0 < float(row[header.index("favour_p")]) < 0.001 for row in rows)


@pytest.fixture
def pairs(tmp_path, monkeypatch):
    """A model's judgments of 24 documents of 68 queries, a human's of 30 random pairs and of 28 whole queries."""
    monkeypatch.chdir(tmp_path)
    chance = random.Random(3)
    truth = {(query, document): int(chance.random() < 0.3) for query in range(68) for document in range(24)}
    lines = {pair: f"q{pair[0]} 0 d{pair[1]}" for pair in truth}
    Path("llm").write_text("".join(f"{line} {truth[p] ^ (chance.random() < 0.15)}\n" for p, line in lines.items()))
    Path("run").write_text("".join(f"q{query} Q0 d{document} 1 {-document} run\n" for query, document in truth))
    Path("pairs").write_text("".join(f"{lines[p]} {truth[p]}\n" for p in chance.sample(sorted(truth), 30)))
    Path("whole").write_text("".join(f"{line} {truth[p]}\n" for p, line in lines.items() if p[0] < 28))
    Path("top").write_text("".join(f"{line} {truth[p]}\n" for p, line in lines.items() if p[0] < 28 and p[1] < 5))
    listed = [f"{line} 1\n" for p, line in lines.items() if p[0] < 28 and truth[p]]
    Path("relevant").write_text("".join(listed))


WITH_PREDICTED = {
    "eval": "eval -f table -m P@5 --predicted llm {} run",
    "compare": "compare -m P@5 --predicted llm {} run",
    "check": "check --min P@5=0.1 --predicted llm {} run",
    "report": "report -m P@5 --predicted llm {} run",
    "judges": "judges -m P@5 --predicted llm --run run {} llm",
}


@pytest.mark.parametrize("command", WITH_PREDICTED)
def test_judgments_of_single_pairs_do_not_correct_a_model(irev, pairs, command):
    """Their P@5 is 0.04 where the truth is 0.27, since documents that nobody judged count as not relevant."""
    words = WITH_PREDICTED[command]
    refused(irev(*words.format("pairs").split()), "of 135 are judged here and 135 in llm", "judgments of single pairs")
    for human in ("whole", "top", "relevant"):
        assert 0 == irev(*words.format(human).split()).status
    assert 0 == irev("judges", "pairs", "llm").status


def half_judged(grade):
    """Write judgments where every second document of 28 queries is not judged: its line is missing, or `grade`."""
    kept = []
    for line in Path("whole").read_text().splitlines(keepends=True):
        query, _, document, _ = line.split()
        if int(document[1:]) % 2 == 0:
            kept.append(line)
        elif grade is not None:
            kept.append(f"{query} 0 {document} {grade}\n")
    Path("half").write_text("".join(kept))


@pytest.mark.parametrize("grade", [None, -1])
@pytest.mark.parametrize("command", WITH_PREDICTED)
def test_results_that_only_the_model_judged_are_warned_of(irev, pairs, command, grade):
    """Of the first 5 documents a human judged 3: the corrected P@5 is too low, as it counts the others as 0."""
    half_judged(grade)
    words = WITH_PREDICTED[command]
    found = irev(*words.format("half").split())
    said = " ".join(found.stderr.split())
    assert 0 == found.status
    assert "half: 56 documents among the first 5 results are judged in llm and not here, and count as not" in said
    assert "28 queries: q0, q1, q10, q11, q12 and 23 more" in said
    for human in ("whole", "top"):
        assert "and not here" not in irev(*words.format(human).split()).stderr
    if command in ("report", "judges"):
        return
    for name in ("run", "llm"):  # every query is judged, as --strict leaves none out
        lines = Path(name).read_text().splitlines(keepends=True)
        Path(name).write_text("".join(line for line in lines if int(line.split()[0][1:]) < 28))
    refused(irev(*words.format("half").split(), "--strict"), "56 documents among the first 5 results")


def test_without_a_cutoff_every_result_counts(irev, pairs):
    words = ("eval", "-f", "table", "--predicted", "llm", "top", "run")
    assert ": 532 documents among results are judged in llm and not here" in irev(*words, "-m", "AP").stderr
    assert "" == irev(*words, "-m", "P@5").stderr


def test_a_model_is_not_worth_more_queries_than_there_are(irev, pairs):
    """Human values vary more than predictions of the other queries do, so that new queries would be needed."""
    run = "".join(f"q{q} Q0 d{d} 1 {-d} run\n" for q in range(40) for d in range(10))
    Path("run").write_text(run)
    rows = {q: [int(d < (5 * (q % 2) if q < 28 else 2)) for d in range(10)] for q in range(40)}
    for name, some in (("llm", rows), ("human", {q: of for q, of in rows.items() if q < 28})):
        off = int(name == "llm")
        Path(name).write_text(
            "".join(
                f"q{q} 0 d{d} {grade ^ (off and (q, d) == (0, 0))}\n"
                for q, of in some.items()
                for d, grade in enumerate(of)
            )
        )
    asked = ("-m", "P@5", "--predicted", "llm", "human", "run")
    (mean,) = json.loads(irev("eval", "-f", "json", *asked).stdout)["means"]
    said = irev("eval", "-f", "table", *asked).stdout.decode()
    assert mean["worth"] > 12
    assert re.search(r" >12$", said, re.MULTILINE)
    assert "with > more than there are" in " ".join(said.split())


def test_an_audit_that_may_be_enlarged_has_intervals_and_p_values_of_a_confidence_sequence(irev):
    once = found(irev, "-m", "P@5", *RUNS, HUMAN, MODEL)
    looks = found(irev, "-m", "P@5", *RUNS, "--sequential", "80", HUMAN, MODEL)
    assert "sequential" not in once
    assert 80 == looks["sequential"]
    assert [] == faults(looks)
    (one,), (many,) = once["differences"], looks["differences"]
    assert one["corrected"] == many["corrected"]
    always = Always(40 / 80)
    reach = always.reach(0.95, 39) * math.hypot(one["error"], one["unseen"])
    assert (one["corrected"] - reach, one["corrected"] + reach) == pytest.approx((many["low"], many["high"]))
    assert many["p"] == pytest.approx(always.p(one["corrected"] / one["error"], 39))
    compared = irev(
        "compare", "--predicted", MODEL, "--sequential", "80", "-m", "P@5", "-f", "json", HUMAN, BM25, RERANK
    )
    assert many == json.loads(compared.stdout)["differences"][0]
    assert (
        looks["differences"][0]["p"]
        == package.judges({"human": HUMAN, "llm": MODEL}, [BM25, RERANK], "P@5", predicted="llm", sequential=80)
        .found.differences[0]
        .p
    )


def test_p_values_of_several_runs_at_every_look_are_holm_s(irev, write):
    third = write("".join(f"t{q:03} Q0 d{q} 0 1 third\n" for q in range(1, 151)).encode(), "third.run")
    record = found(irev, "-m", "P@5", "--run", third, *RUNS, "--sequential", "80", HUMAN, MODEL)
    alone = [
        found(irev, "-m", "P@5", "--run", a, "--run", b, "--sequential", "80", HUMAN, MODEL)["differences"][0]["p"]
        for a, b in itertools.combinations((third, BM25, RERANK), 2)
    ]
    assert [each["p"] for each in record["differences"]] == pytest.approx(corrections.adjusted("holm", alone))


def test_an_audit_that_is_enlarged_until_something_is_found_errs_as_seldom_as_said(monkeypatch):
    monkeypatch.syspath_prepend(ROOT / "benchmarks")
    predicted_judgments = importlib.import_module("predicted_judgments")
    values = predicted_judgments.topics(0)
    (any_look, _, always), wider = predicted_judgments.enlarged(
        np.random.default_rng(0), values, 0, range(20, 101, 10), 150
    )
    assert any_look > 9
    assert scipy.stats.binom.cdf(1.5 * always - 1, 150, 0.05) < 0.999
    assert 1.5 < wider < 1.6
