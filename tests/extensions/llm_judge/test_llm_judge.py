"""`irev llm-judge`: runs by the judgments of a model, corrected by those of a human."""

import importlib
import itertools
import json
import math
import os
import random
import re
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
import scipy.stats
from conftest import ROOT, nested
from outcomes import refused
from reference_statistics import by_score, prediction_powered
from schema import faults

import irev as package
from irev.statistics import corrections
from irev.statistics.ratios import Always

FOLDER = ROOT / "sample_data" / "llm"
HUMAN, MODEL, BM25, RERANK = (str(FOLDER / name) for name in ("human.txt", "llm.txt", "bm25.run", "rerank.run"))
FILES = (MODEL, HUMAN, BM25, RERANK)


def found(irev, *arguments, files=FILES) -> dict:
    status, stdout, stderr = irev("llm-judge", "-f", "json", *arguments, *files)
    assert 0 == status, stderr
    record = json.loads(stdout)
    assert [] == faults(record)
    return record


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
    record = found(irev, "-m", "P@5")
    assert (150, 40) == (record["queries"], record["judged"])
    for mean, run in zip(record["means"], (BM25, RERANK), strict=True):
        human, predicted, judged = values(run)
        tuning, value, error = prediction_powered(human, predicted, judged)
        t, middle = scipy.stats.t.ppf(0.975, 39), sum(human) / 40
        assert (tuning, value, *by_score(value, error, t, middle)) == pytest.approx(
            (mean["tuning"], mean["corrected"], mean["low"], mean["high"]), rel=1e-9
        )
        assert sum(predicted) / 150 == pytest.approx(mean["predicted"], rel=1e-12)
        alone = by_score(middle, scipy.stats.sem(human), t, middle)
        assert (middle, *alone) == pytest.approx((mean["human"], mean["human_low"], mean["human_high"]), rel=1e-9)
        assert int(40 * ((scipy.stats.sem(human) / error) ** 2 - 1)) == mean["worth"]


def test_a_difference_and_its_p_are_those_of_differences_of_single_queries(irev, values):
    (difference,) = found(irev, "-m", "P@5")["differences"]
    (one, predicted_one, judged), (other, predicted_other, _) = values(BM25), values(RERANK)
    human, predicted = (
        [b - a for a, b in zip(*each, strict=True)] for each in ((one, other), (predicted_one, predicted_other))
    )
    _, value, error = prediction_powered(human, predicted, judged)
    assert ("bm25", "rerank") == (difference["baseline"], difference["run"])
    assert (value, 2 * scipy.stats.t.sf(abs(value) / error, 39)) == pytest.approx(
        (difference["corrected"], difference["p"]), rel=1e-9
    )


def test_the_bias_of_two_runs_is_one_paired_test(irev, values):
    means = found(irev, "-m", "P@5")["means"]
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
    alone = found(irev, "-m", "P@5")
    record = found(irev, "-m", "P@5", files=(*FILES, third))
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

    def p_of(*options) -> tuple[dict, str]:
        lines = found(irev, "-m", "P@5", *options, files=(*FILES, third))["differences"]
        text = irev("llm-judge", "-m", "P@5", *options, *FILES, third).stdout.decode()
        return {(each["baseline"], each["run"]): each["p"] for each in lines}, " ".join(text.split())

    held, text = p_of("--baseline", "bm25")
    assert "of differences with Holm's correction over those of a measure" in text
    joint, text = p_of()
    assert "of differences by the maximum-t method (100,000 samples, seed 0)" in text
    alone = {run: p_of_two(irev, run) for run in (RERANK, third)}
    assert [2 * min(alone.values()), max(alone.values())] == pytest.approx(sorted(held.values()), rel=1e-9)
    assert all(joint[pair] >= alone[run] - 0.01 for pair, run in zip(held, (RERANK, third), strict=True))


def p_of_two(irev, run: str) -> float:
    return found(irev, "-m", "P@5", files=(MODEL, HUMAN, BM25, run))["differences"][0]["p"]


def test_one_run_has_a_mean_and_nothing_to_differ_from(irev):
    record = found(irev, "-m", "AP", files=(MODEL, HUMAN, BM25))
    assert [] == record["differences"]
    assert (None, None) == (record["means"][0]["favour"], record["means"][0]["favour_p"])
    _, stdout, _ = irev("llm-judge", "-m", "AP", MODEL, HUMAN, BM25)
    assert "against other runs" not in stdout.decode()


def test_values_beyond_one_have_intervals_beyond_one(irev):
    (mean,) = found(irev, "-m", "DCG@10", files=(MODEL, HUMAN, BM25))["means"]
    assert mean["high"] > 1


def test_a_query_that_is_in_the_pool_and_not_judged_is_no_judged_query(irev, write):
    asked = write(Path(HUMAN).read_bytes() + b"t003 0 d0032 -1\n", "human.txt")
    judged = {line.split()[0] for line in Path(HUMAN).read_text().splitlines()}
    assert "t003" not in judged
    assert (
        found(irev, "-m", "AP", files=(MODEL, HUMAN, BM25))["means"]
        == found(irev, "-m", "AP", files=(MODEL, asked, BM25))["means"]
    )


def test_nothing_is_said_of_the_queries_that_no_human_judged(irev):
    _, _, stderr = irev("llm-judge", "-m", "AP", *FILES)
    assert "" == stderr


@pytest.mark.parametrize(("wrong", "said"), [(0, "none"), (4, "only 4"), (5, None)])
def test_errors_too_rare_to_be_seen_are_told(irev, write, wrong, said):
    queries = range(40)
    model = write("".join(f"q{n} 0 d1 {n % 2}\n" for n in queries).encode(), "model")
    human = write("".join(f"q{n} 0 d1 {n % 2 if n >= wrong else 1 - n % 2}\n" for n in range(30)).encode(), "human")
    run = write("".join(f"q{n} Q0 d1 1 1 a\n" for n in queries).encode(), "run")
    printed = irev("llm-judge", "-m", "P@1", model, human, run).stdout.decode()
    assert (said is not None) == (f" differ in {said} of 30 judged queries." in " ".join(printed.split()))
    assert (said is not None) == ("judge more queries" in " ".join(printed.split()))


def test_few_judged_queries_are_told(irev, write):
    model = write(b"".join(b"q%d 0 d1 %d\n" % (n, n % 2) for n in range(9)), "model")
    human = write(b"q1 0 d1 1\nq2 0 d1 0\nq3 0 d1 1\n", "human")
    run = write(b"".join(b"q%d Q0 d1 1 1 a\n" % n for n in range(9)), "run")
    printed = irev("llm-judge", "-m", "P@1", model, human, run).stdout.decode()
    assert "with fewer they may be too narrow" in " ".join(printed.split())


def test_an_aggregate_that_is_no_mean_is_refused(irev):
    done = irev("llm-judge", "-m", "AP(agg=gmean)", *FILES)
    refused(done, "AP(agg=gmean) is no mean over queries, and only means are corrected; ask for AP")


def test_a_sample_of_the_best_queries_looks_chosen(irev, write):
    values = of_queries(MODEL, BM25, "AP")
    best = sorted(values, key=lambda query: -values[query])[:40]
    lines = Path(MODEL).read_text().splitlines(keepends=True)
    human = write("".join(line for line in lines if line.split()[0] in best).encode())
    status, _, stderr = irev("llm-judge", "-m", "AP", MODEL, human, BM25, RERANK)
    assert 0 == status
    assert "the judged queries do not look like a random sample: by predicted judgments AP is" in stderr
    assert "intervals hold for random samples" in stderr
    (unlike,) = found(irev, "-m", "AP", files=(MODEL, human, BM25, RERANK))["chosen"]
    assert "AP" == unlike["measure"]
    assert unlike["judged"] > unlike["others"]
    assert unlike["p"] < 0.01
    assert [] == found(irev, "-m", "AP")["chosen"]


def test_what_cannot_be_corrected_is_refused(irev, write):
    asked = ("llm-judge", "-m", "AP")
    refused(irev(*asked, MODEL, HUMAN), "expected LLM.qrels, HUMAN.qrels and at least one RUN, but got 2 files")
    refused(irev(*asked, HUMAN, MODEL, BM25), "query 't003' has human judgments and no predicted ones")
    one = write(b"t003 0 d0032 1\n")
    refused(irev(*asked, MODEL, one, BM25), "a human judged 1 of the 150 queries with predicted judgments")
    refused(irev("llm-judge", "-m", "runid", *FILES), "no measure has numbers for single queries")
    nobody = write(b"t003 0 d0032 -1\n", "nobody.txt")
    refused(irev(*asked, MODEL, nobody, BM25), "no query is judged here: all grades are negative")


@pytest.mark.parametrize(("layout", "line"), [("prels", b"t003 d0032 1 1 0.5\n"), ("strata", b"t003 0 d0032 1 1\n")])
def test_judgments_of_documents_that_were_drawn_are_refused(irev, write, layout, line):
    human, model = write(line, "human"), write(line, "model")
    done = irev("llm-judge", "-m", "P@5", "--qrels-format", layout, model, human, BM25)
    refused(done, "these are judgments of documents that were drawn", "drawn by `irev pool --depth K --audit N`")


def test_python_has_the_same(irev):
    runs = {"bm25": BM25, "rerank": RERANK}
    finding = package.llm_judge(MODEL, HUMAN, runs, "P@5", width=0.08, min={"P@5": 0.5})
    expected = found(irev, "-m", "P@5", "--width", "0.08")
    assert (150, 40) == (finding.found.queries, finding.found.judged)
    assert "<CorrectedRuns: 40 of 150 queries judged by a human>" == repr(finding)
    (difference,) = finding.found.differences
    assert [difference._asdict()] == expected["differences"]
    assert [each._asdict() for each in finding.found.means] == expected["means"]
    assert [True, True] == [each.holds for each in finding.conditions]
    assert ["bm25", "rerank", "rerank"] == finding.to_pandas()["run"].tolist()
    with pytest.raises(package.UsageError, match="max_drop has no effect without baseline"):
        package.llm_judge(MODEL, HUMAN, runs, max_drop={"P@5": 0.1})
    with pytest.raises(package.UsageError, match=r"such as \{'nDCG@10': 0.42\}"):
        package.llm_judge(MODEL, HUMAN, runs, min={"P@5": "many"})
    with pytest.raises(package.InputError, match="have no query in common"):
        package.llm_judge(MODEL, HUMAN, {"z": {"z": {"d": 1.0}}}, "P@5")


def test_measures_without_numbers_for_single_queries_are_named(irev):
    done = irev("llm-judge", "-m", "P@5", "-m", "gm_map", "-m", "runid", *FILES)
    assert (0, "irev: warning: not compared: GMAP, RunID (no numbers for single queries)\n") == (
        done.status,
        done.stderr,
    )


def test_runs_are_compared_with_each_other_or_with_a_baseline(irev, write):
    third = write(Path(BM25).read_bytes().replace(b" bm25", b" third"))

    def pairs(*options):
        record = found(irev, "-m", "P@5", *options, files=(*FILES, third))
        return [(each["baseline"], each["run"]) for each in record["differences"]]

    assert [("bm25", "rerank"), ("bm25", "third"), ("rerank", "third")] == pairs()
    assert [("rerank", "bm25"), ("rerank", "third")] == pairs("--baseline", "rerank") == pairs("--baseline", RERANK)
    refused(irev("llm-judge", "--baseline", "x", *FILES), "there is no run 'x'; there are bm25, rerank")


def test_significant_biases_are_marked(irev):
    assert "* significant at 0.05." in irev("llm-judge", "-m", "nDCG@10", *FILES).stdout.decode()


def test_it_is_written_in_every_style_and_fits_a_terminal(irev, tmp_path):
    for ending, sign in (("tsv", "\t"), ("csv", ","), ("jsonl", "{"), ("md", "|"), ("tex", "&"), ("html", "<")):
        done = irev("llm-judge", "-m", "P@5", "-o", str(tmp_path / f"out.{ending}"), *FILES)
        assert (0, "") == (done.status, done.stderr)
        assert sign in (tmp_path / f"out.{ending}").read_text()
    table = irev("llm-judge", "-m", "P@5", "--min", "P@5=0.1", "--width", "0.08", *FILES).stdout.decode()
    assert max(map(len, table.splitlines())) <= 80


# How many queries a human is to judge


def test_as_many_queries_are_needed_for_an_interval_as_wide_as_there_were(irev):
    (difference,) = found(irev, "-m", "P@5")["differences"]
    width = difference["high"] - difference["low"]
    assert None is difference["needed"]

    def needed(wide: float) -> int | None:
        (line,) = found(irev, "-m", "P@5", "--width", repr(wide))["differences"]
        assert {**difference, "needed": line["needed"]} == line
        return line["needed"]

    assert 40 == needed(width * (1 + 1e-9))
    assert 41 == needed(width * (1 - 1e-9))
    assert needed(width * 0.8) > 60
    assert None is needed(width * 0.3)
    table = irev("llm-judge", "-m", "P@5", "--width", repr(width * 0.3), *FILES).stdout.decode()
    assert ">150" in table
    refused(irev("llm-judge", "--width", "0.1", "--clusters", "^t..", *FILES), "--width has no effect with --clusters")


# Conditions


def judged(irev, *conditions, files=FILES) -> dict:
    """The only condition, on rerank against bm25."""
    status, stdout, stderr = irev("llm-judge", "-f", "json", "--baseline", "bm25", *conditions, *files)
    assert "" == stderr
    record = json.loads(stdout)
    assert [] == faults(record)
    (condition,) = record["conditions"]
    assert status == (not condition["holds"])
    return condition


def test_limits_are_compared_with_the_corrected_mean(irev):
    close = found(irev, "-m", "P@5")["means"][1]["corrected"]
    passed = judged(irev, "--min", f"P@5={close - 1e-9!r}")
    assert ("rerank", "P@5", close, True) == tuple(passed[name] for name in ("run", "measure", "found", "holds"))
    assert not judged(irev, "--min", f"P@5={close + 1e-9!r}")["holds"]
    assert 1 == irev("llm-judge", "--min", "P@5=0.567", *FILES).status  # of bm25 it holds


def test_drops_are_those_of_the_corrected_difference(irev):
    (difference,) = found(irev, "-m", "P@5")["differences"]
    drop = -difference["corrected"]
    assert drop > 0
    passed = judged(irev, "--max-drop", f"P@5={drop + 1e-9!r}")
    assert (True, difference["corrected"]) == (passed["holds"], passed["found"])
    assert not judged(irev, "--max-drop", f"P@5={drop - 1e-9!r}")["holds"]


def test_a_loss_is_excluded_by_a_one_sided_test(irev, values):
    (one, predicted_one, places), (other, predicted_other, _) = values(BM25), values(RERANK)
    apart = [[b - a for a, b in zip(*each, strict=True)] for each in ((one, other), (predicted_one, predicted_other))]
    _, middle, error = prediction_powered(*apart, places)
    (difference,) = found(irev, "-m", "P@5")["differences"]
    by_human = {q: before != after for q, before, after in zip(places, one, other, strict=True)}
    differ = sum(by_human[q] or predicted_one[q] != predicted_other[q] for q in places)
    unseen = (1 - differ / 40) / (1 + differ / 5) * math.sqrt(2 / (40 * 39))
    assert (differ, pytest.approx(unseen)) == (difference["differ"], difference["unseen"])
    bound = middle - float(scipy.stats.t.ppf(0.95, 39)) * math.hypot(error, unseen)
    shown = judged(irev, "--no-worse-than", f"P@5={-bound + 1e-6!r}")
    assert (True, bound) == (shown["holds"], pytest.approx(shown["found"]))
    assert not judged(irev, "--no-worse-than", f"P@5={-bound - 1e-6!r}")["holds"]


def test_a_measure_that_is_better_low_drops_by_rising(irev):
    (difference,) = found(irev, "-m", "Fallout")["differences"]
    rise = difference["corrected"]
    assert 0 < rise < 0.1
    assert judged(irev, "--max-drop", f"Fallout={rise + 1e-9!r}")["holds"]
    assert not judged(irev, "--max-drop", f"Fallout={rise - 1e-9!r}")["holds"]
    assert judged(irev, "--no-worse-than", f"Fallout={rise + 0.9!r}")["found"] > rise


def test_the_measures_of_conditions_are_those_that_are_shown(irev):
    record = found(irev, "--min", "P@5=0.1")
    assert {"P@5"} == {line["measure"] for line in record["means"]}
    record = found(irev, "-m", "AP", "--min", "P@5=0.1")
    assert {"AP", "P@5"} == {line["measure"] for line in record["means"]}


def test_conditions_that_say_nothing_are_refused(irev):
    asked = ("llm-judge", "--baseline", "bm25")
    refused(irev("llm-judge", "--max-drop", "AP=0.1", *FILES), "--max-drop has no effect without --baseline")
    refused(irev(*asked, "--min", "AP", *FILES), "expected a measure and a number, such as nDCG@10=0.42, found 'AP'")
    refused(irev(*asked, "--min", "AP=nan", *FILES), "expected a measure and a number")
    refused(irev(*asked, "--min", "gm_map=0.1", *FILES), "GMAP is no mean over queries; choose another measure")
    refused(irev(*asked, "--max-drop", "AP=0.1", MODEL, HUMAN, BM25), "there is nothing to compare")


@pytest.mark.parametrize(
    ("condition", "limit", "said"),
    [
        ("min", "AP=2", "AP lies between 0 and 1, and 2 does not; write a number from 0 to 1"),
        ("min", "AP=-1", "AP lies between 0 and 1, and -1 does not"),
        ("max-drop", "P@5=10", "P@5 lies between 0 and 1, so no drop is larger than 10; write a number below 1"),
        ("max-drop", "P@5=-0.1", "-0.1 is no loss that can be allowed; expected a number of 0 or more"),
        ("no-worse-than", "P@5=3", "P@5 lies between 0 and 1, so no drop is larger than 3"),
        ("no-worse-than", "P@5=0", "0 is no loss that can be allowed; expected a number above 0"),
    ],
)
def test_conditions_that_always_or_never_hold_are_refused(irev, condition, limit, said):
    """As by irev check: a limit of 10 that meant 10% would pass every run."""
    done = irev("llm-judge", "--baseline", "bm25", f"--{condition}", limit, *FILES)
    refused(done, f"--{condition} {limit}: {said}")


def test_with_gains_a_limit_may_be_above_one(irev):
    assert 1 == irev("llm-judge", "--gains", "0=0,1=3,2=9", "--min", "nDCG@5=2", *FILES).status


# Pictures


def test_a_forest_plot_has_every_estimate_and_its_interval(irev, tmp_path):
    record = found(irev, "-m", "P@5", "--plot", str(tmp_path / "forest.svg"))
    drawn = (tmp_path / "forest.svg").read_text(encoding="utf-8")
    expected = []
    for line, form in (*((mean, ".4f") for mean in record["means"]), (record["differences"][0], "+.4f")):
        expected.append(f"human: {line['human']:{form}} [{line['human_low']:{form}}, {line['human_high']:{form}}]")
        expected.append(f"predicted: {line['predicted']:{form}}")
        expected.append(f"corrected: {line['corrected']:{form}} [{line['low']:{form}}, {line['high']:{form}}]")
    assert expected == re.findall(r"<title>[^<]*, ((?:human|predicted|corrected): [^<]*)</title>", drawn)


def test_forest_plots_are_the_same_bytes_each_time_and_names_are_text(irev, write, tmp_path):
    hostile = write(Path(BM25).read_bytes().replace(b" bm25", b" <script>x</script>\x1b[31m"))
    asked = ("llm-judge", "-m", "P@5", MODEL, HUMAN, hostile, RERANK)
    files = [tmp_path / f"{number}.svg" for number in (1, 2)]
    for file in files:
        assert 0 == irev(*asked, "--plot", str(file)).status
    one, other = (file.read_text(encoding="utf-8") for file in files)
    assert one == other
    assert "\x1b" not in one
    assert "<script>x" not in one
    assert "rerank" in one
    assert "corrected" in one


def test_of_many_estimates_the_first_are_drawn(tmp_path):
    predicted = {f"q{number}": {"a": number % 2, "b": 1, "c": number % 3} for number in range(9)}
    human = {query: predicted[query] for query in ("q1", "q4", "q6")}
    runs = {f"run{number}": {query: ["a", "b", "c"] for query in predicted} for number in range(30)}
    package.llm_judge(predicted, human, runs, "P@5").plot().save(str(tmp_path / "forest.svg"))
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
    (mean,) = package.llm_judge(predicted, human, {"bm25": BM25}, "P@5").found.means
    assert (0.0, mean.human) == (mean.bias, pytest.approx(sum(of_queries(MODEL, BM25, "P@5")[q] for q in human) / 38))
    assert abs(mean.corrected - mean.predicted) < abs(mean.human - mean.predicted)


def test_a_query_without_results_counts_as_0_and_nobody_says_that_it_is_left_out(irev, write):
    lines = Path(BM25).read_bytes().splitlines(keepends=True)
    some = write(b"".join(line for line in lines if not line.startswith(b"t001 ")), "some.run")
    done = irev("llm-judge", "-m", "P@5", MODEL, HUMAN, some)
    assert 0 == done.status
    assert "left out" not in done.stderr
    assert found(irev, "-m", "P@5", files=(MODEL, HUMAN, some))["queries"] == 150


def test_runs_without_a_query_that_was_judged_are_refused(irev, write):
    lines = Path(BM25).read_text().splitlines(True)
    human = {line.split()[0] for line in Path(HUMAN).read_text().splitlines()}
    for other in ([f"z{line}" for line in lines], [line for line in lines if line.split()[0] not in human]):
        done = irev("llm-judge", MODEL, HUMAN, BM25, write("".join(other).encode(), "other.run"))
        refused(done, "have no query in common")


def test_p_values_are_never_rounded(irev):
    table = irev("llm-judge", "-m", "P@5", "-f", "csv", "--digits", "2", *FILES).stdout
    header, *rows = (line.split(",") for line in table.decode().splitlines())
    assert all(0 < float(row[header.index("favour_p")]) < 0.001 for row in rows[:2])


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


def test_judgments_of_single_pairs_do_not_correct_a_model(irev, pairs):
    """Their P@5 is 0.04 where the truth is 0.27, since documents that nobody judged count as not relevant."""
    asked = ("llm-judge", "-m", "P@5", "llm")
    refused(irev(*asked, "pairs", "run"), "of 135 are judged here and 135 in llm", "judgments of single pairs")
    for human in ("whole", "top", "relevant"):
        assert 0 == irev(*asked, human, "run").status
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
def test_results_that_only_the_model_judged_are_warned_of(irev, pairs, grade):
    """Of the first 5 documents a human judged 3: the corrected P@5 is too low, as it counts the others as 0."""
    half_judged(grade)
    done = irev("llm-judge", "-m", "P@5", "llm", "half", "run")
    said = " ".join(done.stderr.split())
    assert 0 == done.status
    assert "half: 56 documents among the first 5 results are judged in llm and not here, and count as not" in said
    assert "28 queries: q0, q1, q10, q11, q12 and 23 more" in said
    for human in ("whole", "top"):
        assert "and not here" not in irev("llm-judge", "-m", "P@5", "llm", human, "run").stderr


def test_without_a_cutoff_every_result_counts(irev, pairs):
    words = ("llm-judge", "llm", "top", "run")
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
    (mean,) = found(irev, "-m", "P@5", files=("llm", "human", "run"))["means"]
    said = irev("llm-judge", "-m", "P@5", "llm", "human", "run").stdout.decode()
    assert mean["worth"] > 12
    assert re.search(r" >12$", said, re.MULTILINE)
    assert "with > more than there are" in " ".join(said.split())


def test_an_audit_that_may_be_enlarged_has_intervals_and_p_values_of_a_confidence_sequence(irev):
    once = found(irev, "-m", "P@5")
    looks = found(irev, "-m", "P@5", "--sequential", "80")
    assert "sequential" not in once
    assert 80 == looks["sequential"]
    assert [] == faults(looks)
    (one,), (many,) = once["differences"], looks["differences"]
    assert one["corrected"] == many["corrected"]
    always = Always(40 / 80)
    reach = always.reach(0.95, 39) * math.hypot(one["error"], one["unseen"])
    assert (one["corrected"] - reach, one["corrected"] + reach) == pytest.approx((many["low"], many["high"]))
    assert many["p"] == pytest.approx(always.p(one["corrected"] / one["error"], 39))
    same = package.llm_judge(MODEL, HUMAN, [BM25, RERANK], "P@5", sequential=80)
    assert many["p"] == same.found.differences[0].p


def test_p_values_of_several_runs_at_every_look_are_holm_s(irev, write):
    third = write("".join(f"t{q:03} Q0 d{q} 0 1 third\n" for q in range(1, 151)).encode(), "third.run")
    record = found(irev, "-m", "P@5", "--sequential", "80", files=(MODEL, HUMAN, third, BM25, RERANK))
    alone = [
        found(irev, "-m", "P@5", "--sequential", "80", files=(MODEL, HUMAN, a, b))["differences"][0]["p"]
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


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="named pipes")
def test_judgments_of_a_pipe_are_refused_before_it_is_read(irev, tmp_path):
    """They are read twice: the second time, the pipe was said to be an empty file."""
    os.mkfifo(tmp_path / "pipe")
    said = "pipe: with runs the judgments are read twice, and this is no file; write it to a file first"
    refused(irev("llm-judge", str(tmp_path / "pipe"), HUMAN, BM25), said)
    refused(irev("llm-judge", MODEL, str(tmp_path / "pipe"), BM25), said)
