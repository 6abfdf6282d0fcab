"""``irev compare`` as a shell sees it: every number that it prints, computed again from the values by
`reference_comparison`; what it says, writes and draws; what it refuses."""

import copy
import csv
import io
import json
import math
import os
import random
import re
import signal
import subprocess
import sys
import time
import tracemalloc
import typing
from pathlib import Path

import numpy as np
import pytest
import reference_comparison as reference
import reference_statistics
from comparing import (
    FEW,
    MANY,
    QRELS,
    RUNS,
    SOME,
    Systems,
    both,
    contrasts,
    random_values,
    record,
    rows,
    sentences,
    shown,
    write_pairs,
)
from conftest import ROOT, Started, environment
from outcomes import refused
from schema import SCHEMA, faults
from scipy import stats

import irev as package
from irev import cli
from irev.api import Analysis
from irev.base.errors import UsageError
from irev.evaluation.comparison import Aligned, Measured, Quantity, QueryValues, System, align
from irev.evaluation.comparison import contrasts as every_pair
from irev.evaluation.comparison.contrasts import FINDINGS
from irev.extensions.studies.power import DESIGNS
from irev.statistics import maximum_t, plan
from irev.statistics.corrections import CORRECTIONS
from irev.statistics.intervals import INTERVALS
from irev.statistics.paired import TESTS

EXAMPLES = ROOT / "sample_data" / "examples"


@pytest.fixture
def pairs(tmp_path, monkeypatch):
    """``pairs(values)`` writes each system's values to a file called as it is, and gives the files."""
    monkeypatch.chdir(tmp_path)
    return write_pairs


@pytest.fixture
def compared(irev, pairs):
    """``compared(values, *options)`` gives the rows that are printed for programs, as dictionaries of texts."""

    def compared(values: Systems, *options: str) -> list[dict[str, str]]:
        return rows(irev, "compare", "--scores", *pairs(values), *options)

    return compared


def number(text: str) -> float | None:
    return float(text) if text else None


# What is computed


@pytest.mark.parametrize("values", [FEW, SOME, MANY], ids=["few", "some", "many"])
def test_means_differences_and_outcomes_are_those_of_the_values(compared, values):
    found = compared(values)

    assert [("A", name) for name in list(values)[1:]] == [(row["baseline"], row["run"]) for row in found]
    for row in found:
        before, after = both(values, "A", row["run"])
        changed = reference.differences(before, after)
        wins, ties, losses = reference.outcomes(before, after)
        expected = {
            "queries": len(before),
            "baseline_mean": reference.mean(before),
            "mean": reference.mean(after),
            "difference": reference.mean(changed),
            "relative": reference.mean(changed) / reference.mean(before),
            "wins": wins,
            "ties": ties,
            "losses": losses,
            "effect": reference.mean(changed) / reference.deviation(changed),
            "common_language": (wins + ties / 2) / len(before),
            "improved": wins / len(before),
        }
        assert pytest.approx(expected, rel=1e-12) == {name: float(row[name]) for name in expected}


def test_a_bare_name_beside_its_cutoffs_means_no_others(irev):
    """As in trec_eval, which merges the parameters of a measure: beside P.1 the name P is not P.5 to P.1000."""
    files = [f"sample_data/{name}" for name in ("qrels.txt", "keyword.run", "semantic.run")]
    status, printed, _ = irev("compare", "-m", "P.1,2", "-m", "P", "-f", "csv", *files)

    found = csv.DictReader(io.StringIO(printed.decode()))
    assert (0, ["P_1", "P_2"]) == (status, list(dict.fromkeys(row["measure"] for row in found)))


SIDES = ("two-sided", "greater", "less")


@pytest.mark.thorough
@pytest.mark.parametrize("interval", INTERVALS)
def test_an_interval_has_two_sides_and_no_correction_whatever_is_tested(compared, interval):
    ends = [
        [(row["low"], row["high"]) for row in compared(SOME, "--interval", interval, *options)]
        for options in (
            (),
            *(("--alternative", side) for side in SIDES),
            *(("--correction", name) for name in ("none", "holm", "bonferroni", "by")),
            ("--test", "wilcoxon"),
        )
    ]
    assert all(float(low) < float(high) for low, high in ends[0])
    assert [ends[0]] * len(ends) == ends


@pytest.mark.parametrize("alternative", SIDES)
@pytest.mark.parametrize("values", [FEW, SOME, MANY], ids=["few", "some", "many"])
def test_the_t_test_is_the_one_of_scipy(compared, values, alternative):
    for row in compared(values, "--alternative", alternative):
        expected = reference.t(*both(values, "A", row["run"]), alternative)
        assert pytest.approx(expected, rel=1e-9) == (float(row["statistic_t"]), float(row["p_t"]))


@pytest.mark.thorough
@pytest.mark.parametrize("alternative", SIDES)
def test_the_signed_rank_test_is_the_one_of_scipy(compared, alternative):
    for row in compared(FEW, "--test", "wilcoxon", "--alternative", alternative):
        expected = reference.signed_ranks(*both(FEW, "A", row["run"]), alternative)
        assert pytest.approx(expected, rel=1e-9) == float(row["p_wilcoxon"])


@pytest.mark.parametrize("alternative", SIDES)
def test_randomisation_counts_all_signs_when_these_are_few(compared, alternative):
    for row in compared(FEW, "--test", "randomization", "--alternative", alternative):
        expected = reference.sign_flips(*both(FEW, "A", row["run"]), alternative)
        assert pytest.approx(expected, rel=1e-9) == float(row["p_randomization"])
        assert pytest.approx(float(row["difference"])) == float(row["statistic_randomization"])


def test_of_several_tests_the_first_decides(irev, compared):
    values = {"A": {f"q{i}": 0.5 for i in range(10)}, "B": {f"q{i}": 0.51 if i else 0.4 for i in range(10)}}

    by_sign = compared(values, "--test", "sign,t")[0]
    by_t = compared(values, "--test", "t", "--test", "sign")[0]

    assert ("better", "not shown") == (by_sign["finding"], by_t["finding"])
    assert by_sign["p_t"] == by_t["p_t"]
    assert list(by_sign)[19:25] == ["statistic_sign", "p_sign", "adjusted_sign", "statistic_t", "p_t", "adjusted_t"]


def test_a_test_of_signs_that_contradicts_the_mean_is_read_as_what_it_tests(irev, pairs):
    files = pairs({"A": {f"q{i}": 0.5 for i in range(20)}, "B": {f"q{i}": 0.51 if i > 1 else 0.1 for i in range(20)}})

    found = contrasts(record(irev, "compare", "--scores", *files, "--test", "sign"))[0]
    text = sentences(shown(irev, "compare", "--scores", *files, "--test", "sign"))

    assert "better" == found["finding"]
    assert found["difference"] < 0
    assert "By the sign test B against A: better, though its mean is lower." in text


@pytest.mark.parametrize("confidence", ["0.5", "0.95", "0.999"])
def test_intervals_are_students_and_of_means_by_score(irev, pairs, confidence):
    found = record(irev, "compare", "--scores", *pairs(SOME), "--confidence", confidence)

    for contrast in contrasts(found):
        changed = reference.differences(*both(SOME, "A", contrast["run"]))
        expected = reference.t_interval(changed, float(confidence), 1.0)
        assert pytest.approx(expected, rel=1e-9) == tuple(contrast["interval"].values())
    for name, of in found["measures"][0]["means"].items():
        values, mean = list(SOME[name].values()), reference.mean([*SOME[name].values()])
        reach = reference.t_interval(values, float(confidence))[1] - mean
        expected = (mean, *reference_statistics.by_score(mean, reach, 1.0, mean))  # values are from 0 to 1
        assert pytest.approx(expected, rel=1e-9) == tuple(of.values())


def test_an_interval_that_cannot_be_made_is_missed_aloud(irev, pairs):
    best = {"A": {f"q{i}": 0.5 for i in range(30)}, "B": {f"q{i}": 0.5 if i else 0.6 for i in range(30)}}
    text = shown(irev, "compare", "--scores", *pairs(best), "--interval", "bca", "--confidence", "0.9999999999")

    told = "B against A: no bias-corrected and accelerated bootstrap interval can be computed from these samples."
    assert told in sentences(text)


@pytest.mark.parametrize("correction", ["none", "bonferroni", "holm", "bh", "by"])
@pytest.mark.parametrize("all_pairs", [False, True], ids=["baseline", "all pairs"])
def test_p_values_are_corrected_within_their_family(compared, correction, all_pairs):
    found = compared(SOME, "--correction", correction, "--test", "t,sign", *["--all-pairs"] * all_pairs)

    assert (6 if all_pairs else 3) == len(found)
    for test in ("t", "sign"):
        expected = reference.corrected(correction, [float(row[f"p_{test}"]) for row in found])
        assert pytest.approx(expected, rel=1e-12) == [float(row[f"adjusted_{test}"]) for row in found]


@pytest.mark.parametrize(("systems", "correction"), [(2, "none"), (3, "holm"), (4, "holm")])
def test_holm_corrects_two_tests_or_more_unless_told_otherwise(irev, pairs, systems, correction):
    files = pairs(SOME)[:systems]

    assert correction == record(irev, "compare", "--scores", *files)["plan"]["correction"]
    assert ("p holm" in shown(irev, "compare", "--scores", *files)) == (correction == "holm")


@pytest.mark.parametrize("correction", ["holm", "bh"])
@pytest.mark.parametrize("family", ["measure", "all"])
def test_a_family_is_the_tests_of_a_measure_or_all(irev, write, family, correction):
    other = random_values(9, 30, 4)
    files = [
        write(("query\tx\ty\n" + "".join(f"{q}\t{SOME[n][q]}\t{other[n][q]}\n" for q in SOME[n])).encode(), n)
        for n in "ABCD"
    ]
    options = ("--correction", correction, "--family", family)
    found = record(irev, "compare", *files, *options)

    p = [[contrast["tests"][0]["p"] for contrast in measure["contrasts"]] for measure in found["measures"]]
    apart = [reference.corrected(correction, of) for of in p]
    together = reference.corrected(correction, [*p[0], *p[1]])
    adjusted = [contrast["tests"][0]["adjusted"] for contrast in contrasts(found)]
    assert apart[0] + apart[1] != pytest.approx(together), "it makes a difference"
    assert pytest.approx(together if family == "all" else apart[0] + apart[1]) == adjusted
    size, of = (6, "all measures") if family == "all" else (3, "each measure")
    assert [size, size] == [measure["family"] for measure in found["measures"]]
    assert f"correction over {size} tests of {of}" in sentences(shown(irev, "compare", *files, *options))


def test_the_family_that_is_stated_has_no_test_without_a_p_value(irev, pairs):
    values = {
        "A": {"1": 0.1, "2": 0.3, "3": 0.2},
        "B": {"1": math.inf, "2": 0.5, "3": 0.1},
        "C": {"1": 0.2, "2": 0.4, "3": 0.3},
        "D": {"1": 0.5, "2": 0.1, "3": 0.3},
        "E": {"1": 0.3, "2": 0.2, "3": 0.3},
    }
    files = pairs(values)

    assert 2 == record(irev, "compare", "--scores", *files)["measures"][0]["family"]
    assert "Holm's correction over 2 tests." in sentences(shown(irev, "compare", "--scores", *files))
    both = sentences(shown(irev, "compare", "--scores", *files, "--test", "t,sign"))
    assert "Holm's correction over 2 to 3 tests." in both, "the sign test has a p-value for C"


def values_of(systems: Systems, *names: str) -> list[list[float]]:
    return [[systems[name][query] for name in names] for query in sorted(systems[names[0]])]


@pytest.mark.thorough
@pytest.mark.parametrize("alternative", SIDES)
@pytest.mark.parametrize("test", ["t", "randomization"])
def test_all_pairs_are_corrected_by_the_largest_t_over_all_signs_of_queries(irev, pairs, test, alternative):
    against = ("--all-pairs",) if alternative == "two-sided" else ("--baseline", "A", "--correction", "max-t")
    options = (*against, "--test", test, "--alternative", alternative)
    found = record(irev, "compare", "--scores", *pairs(FEW), *options)

    of = None if alternative == "two-sided" else [(0, 1), (0, 2)]
    count = 2 if of else 3
    assert ("max-t", count) == (found["plan"]["correction"], found["measures"][0]["family"])
    expected = reference_statistics.maximum_t(values_of(FEW, *"ABC"), alternative, of)
    assert pytest.approx(expected) == [each["tests"][0]["adjusted"] for each in contrasts(found)]
    assert "exact over 2^8 joint sign flips" == found["measures"][0]["drawn"]
    told = sentences(shown(irev, "compare", "--scores", *FEW, *options))
    assert f"the maximum-t method over {count} tests, exact over 2^8 joint sign flips." in told


@pytest.mark.parametrize("alternative", ["greater", "less"])
def test_all_pairs_have_no_direction_that_the_order_of_files_would_not_turn(irev, pairs, alternative):
    done = irev("compare", "--scores", *pairs(FEW), "--all-pairs", "--alternative", alternative)
    refused(done, f"all pairs are tested, and none has a baseline; so the alternative {alternative} has no meaning")
    evaluations = {name: package.evaluate({"q": {"d": 1}}, {"q": {"d": 1.0}}, ["AP"]) for name in "ab"}
    with pytest.raises(UsageError, match="name a baseline, or leave the alternative two-sided"):
        package.compare(evaluations, all_pairs=True, alternative=alternative)


def odd_findings(write) -> list[str]:
    """Three files of two measures, of which the latter two are better in most queries, and lower by far in one."""
    files = []
    for place, run in enumerate("ABC"):
        rows = [f"q{n}\t{0.5 + place * (-3 if n == place else 0.01 + n / 1e4)!r}" for n in range(30)]
        files.append(
            write(("query\tx\ty\n" + "".join(f"{row}\t{row.split(chr(9))[1]}\n" for row in rows)).encode(), run)
        )
    return files


@pytest.mark.parametrize(
    "more",
    [[], *(["--layout", "paper", "-f", style] for style in ("table", "markdown", "html", "latex"))],
)
def test_every_finding_beside_the_mean_is_told(irev, write, more):
    text = sentences(shown(irev, "compare", *odd_findings(write), "--test", "wilcoxon", *more))

    for run in "BC":
        assert 2 == text.count(f"{run} against A: better, though its mean is lower"), "once for each measure"


@pytest.mark.parametrize("style", ["table", "markdown", "html", "latex"])
def test_the_table_of_a_paper_tells_what_is_doubtful(irev, write, style):
    values = {"A": "0.1 0.2 0.3 0.4", "B": "0.3 nan 0.5 0.6", "C": "0.2 inf 0.5 0.1"}
    lines = {run: "".join(f"q{n}\t{x}\t{n}\n" for n, x in enumerate(of.split())) for run, of in values.items()}
    files = [write(("query\tx\ty\n" + lines[run]).encode(), run) for run in "ABC"]
    paper = ("compare", *files, "--layout", "paper", "-f", style)
    text = sentences(shown(irev, *paper))

    assert "x: 1 query has a value that is not a finite number: q1." in text
    assert "0 to" not in text
    alone = [write(("query\tx\n" + f"q1\t0.{n}\n").encode(), f"one{n}") for n in range(3)]
    for more in ([], ["--all-pairs"]):
        text = sentences(shown(irev, "compare", *alone, "--layout", "paper", "-f", style, *more))
        assert "No difference is significant: paired t test, two-sided, without p-values." in text
        assert "†" not in text
        assert "Letters above" not in text


def test_the_maximum_t_method_corrects_comparisons_with_a_baseline_when_asked(irev, pairs):
    found = contrasts(record(irev, "compare", "--scores", *pairs(FEW), "--correction", "max-t"))

    expected = reference_statistics.maximum_t(values_of(FEW, *"ABC"), "two-sided", [(0, 1), (0, 2)])
    assert pytest.approx(expected) == [each["tests"][0]["adjusted"] for each in found]


@pytest.fixture
def two_measures(write):
    """Files of three systems with two measures, of very different size; and their values, six columns."""
    other = random_values(9, 8, 3, steps=20)
    lines = {n: "".join(f"{q}\t{FEW[n][q]}\t{other[n][q]}e6\n" for q in FEW[n]) for n in "ABC"}
    files = [write(("query\tx\ty\n" + lines[n]).encode(), n) for n in "ABC"]
    return files, [[*a, *b] for a, b in zip(values_of(FEW, *"ABC"), values_of(other, *"ABC"), strict=True)]


def test_the_maximum_t_method_takes_all_measures_together_when_these_are_a_family(irev, two_measures):
    files, columns = two_measures
    together = [(0, 1), (0, 2), (1, 2), (3, 4), (3, 5), (4, 5)]

    found = record(irev, "compare", *files, "--all-pairs", "--family", "all")

    expected = reference_statistics.maximum_t(columns, "two-sided", together)
    assert pytest.approx(expected) == [each["tests"][0]["adjusted"] for each in contrasts(found)]
    assert [6, 6] == [measure["family"] for measure in found["measures"]]


def test_a_pair_without_a_p_value_takes_no_part_in_the_maximum(irev, pairs):
    endless = {query: math.inf if query == "q1" else value for query, value in FEW["C"].items()}
    found = contrasts(record(irev, "compare", "--scores", *pairs({**FEW, "D": endless}), "--all-pairs"))

    adjusted = {each["baseline"] + each["run"]: each["tests"][0]["adjusted"] for each in found}
    expected = reference_statistics.maximum_t(values_of(FEW, *"ABC"), "two-sided")
    assert {"AD": None, "BD": None, "CD": None} == {pair: p for pair, p in adjusted.items() if "D" in pair}
    assert pytest.approx(expected) == [adjusted[pair] for pair in ("AB", "AC", "BC")]


def test_the_maximum_t_method_is_refused_for_tests_that_are_not_of_the_mean(irev):
    outcome = irev("compare", QRELS, *RUNS, "--correction", "max-t", "--test", "t,wilcoxon")

    fact = "the maximum-t method corrects tests of the mean by sign flips; --test wilcoxon is not such a test"
    refused(outcome, f"{fact}; choose another correction, such as holm")
    other = record(irev, "compare", QRELS, *RUNS, "--all-pairs", "--test", "t,wilcoxon")
    assert "holm" == other["plan"]["correction"], "unless asked for, Holm's stands in"


def test_the_interval_of_the_effect_is_that_of_the_noncentral_t(irev, pairs):
    files = pairs(SOME)
    found = contrasts(record(irev, "compare", "--scores", *files, "--confidence", "0.9"))

    for each, row in zip(found, rows(irev, "compare", "--scores", *files, "--confidence", "0.9"), strict=True):
        effect, ends = each["effect"]["standardised"], tuple(each["effect"]["interval"].values())
        chances = [stats.nct.cdf(effect * math.sqrt(30), 29, end * math.sqrt(30)) for end in ends]
        assert pytest.approx([0.95, 0.05], abs=1e-7) == chances
        assert ends == (float(row["effect_low"]), float(row["effect_high"]))


def test_an_effect_that_is_not_there_has_no_interval(irev, pairs):
    found = contrasts(record(irev, "compare", "--scores", *pairs({"A": SOME["A"], "B": SOME["A"]})))

    assert (None, None) == (found[0]["effect"]["standardised"], found[0]["effect"]["interval"])


def test_tukey_is_over_all_pairs_whichever_are_shown(irev, pairs):
    files = pairs(SOME)
    found = record(irev, "compare", "--scores", *files, "--correction", "tukey")

    assert (3, 6) == (len(contrasts(found)), found["measures"][0]["family"])
    told = sentences(shown(irev, "compare", "--scores", *files, "--correction", "tukey"))
    assert "Tukey's test by randomisation, over all 6 pairs of runs, 100,000 samples, seed 0." in told


@pytest.mark.parametrize(
    ("options", "expected"),
    [
        ((), ["Interval: widened Student's t, uncorrected"]),
        (("--correction", "none"), ["Interval: widened Student's t."]),
        (
            ("--alternative", "less", "--correction", "none"),
            [
                "widened Student's t, two-sided;",
                "not shown: it is not shown that the run's values are less; only this was tested",
            ],
        ),
        (("--margin", "0.5"), ["runs differ by less than the margin; uncorrected"]),
    ],
    ids=["corrected", "uncorrected", "one-sided", "margin"],
)
def test_what_is_not_corrected_and_has_two_sides_is_said_where_the_tests_are_otherwise(irev, pairs, options, expected):
    told = sentences(shown(irev, "compare", "--scores", *pairs(SOME), *options))

    assert [] == [words for words in expected if words not in told]


@pytest.mark.parametrize(
    ("options", "fact"),
    [
        (("--test", "t"), "Tukey's test is made by randomisation here; leave out --test"),
        (("--test", "randomization,sign"), "Tukey's test is made by randomisation here"),
        (("--alternative", "less"), "Tukey's test is two-sided; choose another correction, such as holm"),
        (("--family", "all"), "Tukey's test is made for each measure; leave out --family all"),
    ],
    ids=["another test", "two tests", "one side", "all measures"],
)
def test_tukey_is_refused_where_it_does_not_fit_before_anything_is_read(irev, options, fact):
    outcome = irev("compare", QRELS, *RUNS, "--correction", "tukey", *options)

    refused(outcome, fact)
    assert 1 == len(outcome.stderr.splitlines()), "there are no warnings about runs"


def test_a_margin_beyond_the_range_of_all_measures_is_refused(irev):
    files = ("sample_data/qrels.txt", "sample_data/hybrid.run", "sample_data/semantic.run")
    said = "--margin 2: all measures lie between 0 and 1, so no difference is larger; write 0.02"
    refused(irev("compare", "-m", "AP", "--margin", "2", *files), said)
    assert 0 == irev("compare", "-m", "AP", "-m", "DCG@10", "--margin", "2", *files).status


@pytest.mark.parametrize("margin", [0.001, 0.05, 0.08, 0.1, 0.2, 0.99])
def test_equivalence_is_two_one_sided_tests_and_the_finding_follows(compared, margin):
    for row in compared(SOME, "--margin", str(margin), "--correction", "none"):
        changed = reference.differences(*both(SOME, "A", row["run"]))
        no_worse, same = reference.equivalence(changed, margin)
        assert pytest.approx((no_worse, same), rel=1e-9) == (float(row["p_not_worse"]), float(row["p_equivalent"]))
        if same <= 0.05:
            finding = "equivalent"
        elif float(row["p_t"]) <= 0.05:
            finding = "better" if float(row["difference"]) > 0 else "worse"
        else:
            finding = "no worse" if no_worse <= 0.05 else "not shown"
        assert finding == row["finding"]


def test_no_difference_found_is_never_said_to_be_none(irev, compared):
    text = sentences(shown(irev, "compare", QRELS, *RUNS, "-m", "AP"))

    assert "not shown does not mean equal." in text
    assert "equivalent" not in text


def test_shares_of_the_variance_are_those_of_two_way_anova(irev, pairs):
    found = record(irev, "compare", "--scores", *pairs(SOME))["measures"][0]["anova"]

    squares = reference_statistics.sums_of_squares([[SOME[name][query] for name in SOME] for query in SOME["A"]])
    assert pytest.approx(squares, rel=1e-9) == tuple(found["sums_of_squares"].values())
    assert (3, 29, 87) == tuple(found["degrees_of_freedom"].values())
    assert pytest.approx([square / sum(squares) for square in squares]) == list(found["shares"].values())
    f = squares[0] / 3 / (squares[2] / 87)
    epsilon = reference_statistics.sphericity([[SOME[name][query] for name in SOME] for query in SOME["A"]])
    expected = (f, epsilon, stats.f.sf(f, 3 * epsilon, 87 * epsilon))
    assert pytest.approx(expected, rel=1e-9) == (found["f"], found["epsilon"], found["p"])


@pytest.mark.parametrize(
    ("options", "alpha", "sides"),
    [((), 0.05, 2), (("--alpha", "0.01"), 0.01, 2), (("--alternative", "greater"), 0.05, 1)],
    ids=["default", "strict", "one-sided"],
)
def test_the_queries_needed_are_the_fewest_of_which_the_noncentral_t_has_80_percent_power(
    compared, options, alpha, sides
):
    for row in compared(SOME, *options):
        effect = float(row["effect"])
        expected = "" if sides == 1 and effect < 0 else str(reference.needed(effect, alpha / 3, 0.8, sides))
        assert expected == row["needed"]


def test_the_queries_needed_follow_the_values_and_not_what_is_better(irev, write):
    first = write(b"query\tsearch_length\n1\t3\n2\t5\n3\t9\n4\t2\n", "first")
    second = write(b"query\tsearch_length\n1\t2\n2\t3\n3\t8\n4\t2\n", "second")

    def needed(alternative: str) -> int | None:
        return contrasts(record(irev, "compare", first, second, "--alternative", alternative))[0]["needed"]

    changed = [-1, -2, -1, 0]
    assert reference.needed(reference.mean(changed) / reference.deviation(changed), 0.05, 0.8, 1) == needed("less")
    assert None is needed("greater")


@pytest.mark.parametrize(
    ("options", "said"),
    [
        (
            (),
            "AP, the first, is the primary measure: if no runs differ, 5% of comparisons have a star there, and up to",
        ),
        (("--alpha", "0.1", "--all-pairs"), "10% of comparisons have a star there, and up to 27% under any of the 3"),
        (("--layout", "paper"), "5% of comparisons have a dagger there, and up to 14% under any of the 3 measures."),
        (("--layout", "paper", "--all-pairs"), "5% of comparisons have a letter there, and up to 14% under any of"),
        (("--family", "all"), ""),
        (("--correction", "bh"), ""),
        (("--correction", "none"), ""),
    ],
)
def test_of_several_measures_the_first_is_primary_and_the_rate_of_any_star_is_said(irev, options, said):
    command = ("compare", QRELS, *RUNS, "-m", "AP,P@3,RR", *options)
    text = sentences(shown(irev, *command))
    assert (said in text) if said else ("primary" not in text)
    assert "primary" not in sentences(shown(irev, "compare", QRELS, *RUNS, "-m", "AP", *options))


def test_more_comparisons_of_equal_runs_have_a_star_by_any_of_five_measures_than_by_the_primary_one():
    random, queries = np.random.default_rng(2), tuple(b"%d" % number for number in range(50))
    stars = []
    for _ in range(400):
        shared = random.normal(0, 0.1, (50, 2))
        measured = tuple(
            Measured(Quantity(name, name), queries, shared + random.normal(0, 0.1, (50, 2))) for name in "abcde"
        )
        by_family = (
            every_pair.compare(Aligned(("A", "B"), measured), 0, plan.Plan(family=family))
            for family in ("measure", "all")
        )
        found = [[of.contrasts[0].finding in ("better", "worse") for of in each.compared] for each in by_family]
        stars.append((found[0][0], any(found[0]), any(found[1])))
    assert pytest.approx((0.05, 0.165, 0.04), abs=0.03) == tuple(np.mean(stars, axis=0))


def test_stars_are_for_corrected_p_values_and_the_legend_says_how(irev, pairs):
    text = shown(irev, "compare", "--scores", *pairs(SOME), "--alpha", "0.001")

    found = {
        contrast["run"]: contrast["tests"][0] for contrast in contrasts(record(irev, "compare", "--scores", *SOME))
    }
    lines = {line.split()[0]: line for line in text.splitlines() if line[:2] in ("B ", "C ", "D ")}
    starred = {run for run, test in found.items() if test["adjusted"] <= 0.001}
    assert starred
    assert starred < set(found)
    assert starred == {
        run for run in lines if any(run == line[0] and "*" in line for line in text.splitlines() if line)
    }
    assert "* p ≤ 0.001: paired t test, two-sided, Holm's correction over 3 tests." in text


# Which values


def test_lower_values_win_where_lower_is_better(irev, write):
    """Search length: the rank of the first relevant document."""
    qrels = write(b"".join(b"%d 0 d 1\n" % n for n in range(6)), "qrels")
    lengths = {"near": [1, 2, 1, 3, 2, 1], "far": [2, 5, 1, 6, 2, 4]}
    files = []
    for name, ranks in lengths.items():
        lines = [
            f"{n} Q0 {'d' if rank == at else f'x{at}'} {at} {10 - at} {name}\n"
            for n, rank in enumerate(ranks)
            for at in range(1, rank + 1)
        ]
        files.append(write("".join(lines).encode(), name))

    found = record(irev, "compare", qrels, *files, "-m", "search_length")
    contrast = contrasts(found)[0]

    assert "lower" == found["measures"][0]["better"]
    assert reference.outcomes(*lengths.values(), lower=True) == (contrast["wins"], contrast["ties"], contrast["losses"])
    assert contrast["difference"] > 0 > contrast["effect"]["standardised"]
    assert "worse" == contrast["finding"]
    assert "better" == contrasts(record(irev, "compare", qrels, *files[::-1], "-m", "search_length"))[0]["finding"]
    text = shown(irev, "compare", qrels, *files, "-m", "search_length", "-q")
    assert "SearchLength, 6 queries, lower is better\n" in text
    listed = [line.split() for line in text.partition("far minus near\n")[2].splitlines()[2:8]]
    losses = [["1", "2.0000", "5.0000", "+3.0000", "near"], ["3", "3.0000", "6.0000", "+3.0000", "near"]]
    assert losses == listed[:2], "losses first"


def test_where_nothing_is_found_both_searches_are_endless_and_tie(irev, write):
    qrels, empty = write(b"1 0 d 1\n2 0 d 1\n3 0 d 1\n", "qrels"), b"1 Q0 x 1 1 %s\n2 Q0 d 1 1 %s\n"
    files = [
        write((empty + b"3 Q0 %s 1 1 %s\n") % (n, n, doc, n), n.decode()) for n, doc in ((b"a", b"d"), (b"b", b"x"))
    ]

    found = record(irev, "compare", qrels, *files, "-m", "search_length", "-q")
    contrast = contrasts(found)[0]

    assert ["1", "3"] == found["measures"][0]["nonfinite"]
    assert {"baseline": "inf", "run": "inf", "difference": 0.0} == contrast["per_query"]["1"]
    assert (0, 2, 1) == (contrast["wins"], contrast["ties"], contrast["losses"])
    assert ("inf", None, "no test") == (contrast["difference"], contrast["interval"], contrast["finding"])
    text = sentences(shown(irev, "compare", qrels, *files, "-m", "search_length"))
    assert "2 queries have a value that is not a finite number: 1, 3." in text
    assert "b against a: a difference is not a finite number." in text


@pytest.mark.thorough
def test_a_measure_that_is_named_is_compared_and_of_a_set_those_that_tell_runs_apart(irev):
    labels = {
        options: [measure["label"] for measure in record(irev, "compare", QRELS, *RUNS, *options)["measures"]]
        for options in (("-m", "num_rel", "-m", "AP", "-m", "map"), ("-m", "official"))
    }

    assert ["num_rel", "map"] == labels[("-m", "num_rel", "-m", "AP", "-m", "map")]
    assert "map" in labels[("-m", "official")]
    assert not {"num_q", "num_ret", "num_rel", "runid", "gm_map"} & set(labels[("-m", "official")])
    text = sentences(shown(irev, "compare", QRELS, *RUNS, "-m", "num_ret"))
    assert "If neither high nor low values of a measure are better, the higher value counts as a win." in text


def test_measures_of_a_list_that_are_left_out_are_said(irev):
    outcome = irev("compare", "-m", "num_ret,AP,gm_map", QRELS, RUNS[0], RUNS[2])

    said = "ot compared: NumRet (neither high nor low is better); GMAP (no numbers for single queries)"
    assert f"irev: warning: n{said}\n" in outcome.stderr
    assert f"N{said}." in sentences(outcome.stdout.decode())


@pytest.mark.parametrize("measure", ["gm_map", "num_q", "runid", "relstring"])
@pytest.mark.parametrize("command", [("compare",), ("power", "--difference", "0.1")])
def test_a_measure_without_numbers_for_single_queries_is_refused(irev, command, measure):
    refused(irev(*command, QRELS, *RUNS, "-m", "AP", "-m", measure), f"{measure} has no numbers for single queries")


@pytest.mark.parametrize("value", ["nan", "inf", "-inf"])
def test_values_that_are_no_finite_numbers_are_stated_and_break_nothing(irev, write, value):
    files = [write(b"1 0.5\n2 %s\n3 0.25\n" % value.encode(), "a"), write(b"1 0.5\n2 0.5\n3 0.75\n", "b")]
    options = ("--test", ",".join(TESTS), "--margin", "0.1", "--interval", "bca", "-q")

    contrast = contrasts(record(irev, "compare", "--scores", *files, *options))[0]
    text = shown(irev, "compare", "--scores", *files, *options)

    assert [None] * 5 == [test["p"] for test in contrast["tests"]]
    assert "no test" == contrast["finding"]
    assert contrast["wins"] == (2 if value == "-inf" else 1)
    assert "1 query has a value that is not a finite number: 2." in text


def test_huge_and_tiny_values_are_compared_without_a_warning(irev, write):
    huge = [write(b"1 1e308\n2 -1e308\n3 1e308\n", "a"), write(b"1 -1e308\n2 1e308\n3 1e307\n", "b")]
    tiny = [write(b"1 1e-320\n2 2e-320\n3 1e-321\n", "c"), write(b"1 2e-320\n2 1e-320\n3 1e-320\n", "d")]

    assert "no test" == contrasts(record(irev, "compare", "--scores", *huge))[0]["finding"]
    found = contrasts(record(irev, "compare", "--scores", *tiny))[0]
    expected = reference.t([1.0, 2.0, 0.1], [2.0, 1.0, 1.0])
    assert pytest.approx(expected, rel=1e-2) == (found["tests"][0]["statistic"], found["tests"][0]["p"])
    plan = ("power", "--difference", "0.1")
    for command in (plan, (*plan, "--design", "anova"), ("compare", "--interval", "percentile")):
        for files in (huge, tiny):
            assert (0, "") == (lambda done: (done.status, done.stderr))(irev(*command, "--scores", *files))


def test_one_query_has_differences_and_no_test(irev, write):
    files = [write(b"1 0.5\n", "a"), write(b"1 0.75\n", "b")]
    options = ("--test", ",".join(TESTS), "--margin", "0.1")

    contrast = contrasts(record(irev, "compare", "--scores", *files, *options))[0]

    assert (0.25, 0.5, 1) == (contrast["difference"], contrast["relative"], contrast["wins"])
    assert {(None, None, "fewer than two queries")} == {(t["p"], t["statistic"], t["note"]) for t in contrast["tests"]}
    assert (None, "no test", None) == (contrast["interval"], contrast["finding"], contrast["needed"])
    text = sentences(shown(irev, "compare", "--scores", *files, *options))
    assert "value, 1 query " in text
    assert "b against a: fewer than two queries." in text
    assert "nan" not in text


def test_identical_runs_do_not_differ_and_that_is_said(irev, pairs):
    pairs({"A": SOME["A"], "B": SOME["A"]})
    options = ("--test", ",".join(TESTS))

    contrast = contrasts(record(irev, "compare", "--scores", "A", "B", *options))[0]

    assert {(1.0, "no query differs")} == {(test["p"], test["note"]) for test in contrast["tests"]}
    assert (0.0, 30, "not shown") == (contrast["difference"], contrast["ties"], contrast["finding"])
    reach = stats.t.ppf(0.975, 29) * math.sqrt(2 / (30 * 29))
    assert {"low": -reach, "high": reach} == pytest.approx(contrast["interval"])
    assert "B against A: no query differs." in shown(irev, "compare", "--scores", "A", "B")


def test_queries_of_which_none_differs_prove_nothing_within_a_margin(irev, pairs):
    pairs({"A": {"q1": 0.5, "q2": 0.25}, "B": {"q1": 0.5, "q2": 0.25}})
    options = ("--scores", "A", "B", "--margin", "0.01")

    found = contrasts(record(irev, "compare", *options))[0]

    p = stats.t.sf(0.01, 1)  # two queries of which none differs have an error of √(2/(2 · 1))
    assert ("not shown", pytest.approx(p)) == (found["finding"], found["equivalence"]["p"])


def test_a_difference_that_is_always_the_same_has_no_variance_to_test_against(irev, write):
    files = [write(b"1 0.25\n2 0.5\n3 0.75\n", "a"), write(b"1 0.5\n2 0.75\n3 1\n", "b")]

    tests = contrasts(record(irev, "compare", "--scores", *files, "--test", ",".join(TESTS)))[0]["tests"]

    assert [None, 0.25, 0.25, None, 0.25] == [test["p"] for test in tests]
    text = sentences(shown(irev, "compare", "--scores", *files))
    assert "b against a: all queries differ by the same amount: no variance to test against." in text


def test_a_baseline_of_nothing_has_no_relative_difference(compared):
    row = compared({"A": {"1": 0.0, "2": 0.0}, "B": {"1": 0.5, "2": 0.25}})[0]

    assert ("", "0.375") == (row["relative"], row["difference"])


# Which queries


def test_a_query_that_a_run_lacks_counts_as_0_and_so_does_not_help(irev):
    """keyword.run lacks q6."""
    found = {row["run"]: row for row in rows(irev, "compare", QRELS, *RUNS, "-m", "AP", "-q") if row["query"] == "q6"}

    assert ("0.5", "0.0", "-0.5") == tuple(found["keyword"][of] for of in ("baseline_mean", "mean", "difference"))
    outcome = irev("compare", QRELS, *RUNS, "-m", "AP")
    assert "keyword.run: judged query q6 has no results and counts as an empty ranking" in outcome.stderr
    assert "Queries: all judged queries; one without results counts as an empty ranking." in outcome.stdout.decode()


def test_means_are_those_that_eval_prints_for_all_judged_queries(irev):
    found = rows(irev, "compare", QRELS, *RUNS, "-m", "AP", "-m", "ndcg_cut_10", "-m", "P_3")
    for row in found:
        run = next(path for path in RUNS if f"{row['run']}.run" in path)
        printed = irev("eval", "-c", "-m", row["measure"], QRELS, run).stdout.split()
        assert printed[-1].decode() == f"{float(row['mean']):.4f}"


def test_queries_that_not_all_have_are_left_out_when_asked_and_said(irev):
    options = ("-m", "AP", "--queries", "both")
    found = record(irev, "compare", QRELS, *RUNS, *options, "-q")

    assert 6 == found["measures"][0]["queries"]
    assert "q6" not in contrasts(found)[0]["per_query"]
    outcome = irev("compare", QRELS, *RUNS, *options)
    assert "query q6 is not in all of the runs and is left out" in outcome.stderr
    told = sentences(outcome.stdout.decode())
    assert "Query q6 is not in all of the runs and is left out." in told
    assert "Queries: queries that are judged and that all runs have." in told


def test_both_and_all_judged_queries_exclude_each_other(irev):
    refused(irev("eval", "-c", "--queries", "both", QRELS, *RUNS[:2]), "-c means --queries qrels, but another")


def test_queries_of_runs_are_said_as_they_count(irev, write):
    """A judged one counts that no run has, and one that is not judged; each is 0 where a run lacks it."""
    judged = write(b"1 0 a 1\n2 0 a 1\n4 0 a 1\n", "judged")
    first, second = write(b"1 Q0 a 1 1 x\n3 Q0 a 1 1 x\n", "x"), write(b"1 Q0 a 1 1 y\n2 Q0 a 1 1 y\n", "y")
    found = record(irev, "compare", "--queries", "run", "-m", "AP", judged, first, second, "-q")

    assert ["1", "2", "3", "4"] == list(contrasts(found)[0]["per_query"])
    assert (
        "all queries that are judged or in any run; a query without judgments or results counts as 0" == found["policy"]
    )


def test_listed_queries_are_all_that_count(irev, write):
    listed = write(b"q1\nq3\nq6\n", "listed")
    found = record(irev, "compare", QRELS, *RUNS, "-m", "AP", "--queries", listed, "-q")

    assert ["q1", "q3", "q6"] == list(contrasts(found)[0]["per_query"])


def test_thousands_of_queries_are_remarked_upon(irev, pairs):
    text = {n: sentences(shown(irev, "compare", "--scores", *pairs(random_values(1, n, 2)))) for n in (999, 1000)}

    assert "differences too small to matter" not in text[999]
    assert (
        "With 1,000 queries even differences too small to matter become significant; look at the effect first"
        in text[1000]
    )


def test_significant_differences_of_few_queries_whose_interval_contains_0_are_said(irev, pairs):
    """6 of 50 queries gain 0.1: the t test has p = 0.012, and the interval allows for others."""
    even = {"A": {f"q{n:02}": 0.5 for n in range(50)}}
    some = even | {"B": {f"q{n:02}": 0.6 if n < 6 else 0.5 for n in range(50)}}
    said = (
        "¶ The interval contains 0 in 1 of 1 significant difference: it allows for queries that are not in the sample"
        " and differ otherwise. B against A: 6 of 50 queries differ; compare on more queries"
        " (docs/statistics.md, Intervals)."
    )
    for options in ((), ("-f", "markdown")):
        text = sentences(shown(irev, "compare", "--scores", *pairs(some), *options))
        assert said in text.replace("<sup>¶</sup>", "¶")
        assert "better ¶" in text or "better<sup>¶</sup>" in text
        assert "nterval: widened Student's t" in text
    (found,) = contrasts(record(irev, "compare", "--scores", *pairs(some)))
    assert (found["tests"][0]["p"] < 0.05, found["interval"]["low"] < 0) == (True, True)
    same = {"A": {f"q{n}": 1.0 for n in range(7)}, "B": {f"q{n}": 0.5 for n in range(7)}}
    text = sentences(shown(irev, "compare", "--scores", *pairs(same), "--test", "randomization"))
    assert "B against A: all 7 queries differ by the same amount; compare on more queries" in text
    more = even | {"B": {f"q{n:02}": 0.6 + n / 1000 if n < 40 else 0.5 for n in range(50)}}
    for values, options in ((more, ()), (some, ("--confidence", "0.99")), (some, ("--test", "sign"))):
        assert "contains 0" not in shown(irev, "compare", "--scores", *pairs(values), *options)


def test_skewed_differences_of_few_queries_are_remarked_upon(irev, pairs):
    """3 of 50 queries gain much: 25 G² is 366. Tests of ranks and signs are not about means."""
    even = {"A": {f"q{n:02}": 0.5 for n in range(50)}}
    rare = even | {"B": {f"q{n:02}": 0.9 if n < 3 else 0.49 for n in range(50)}}
    about = "with 50 queries p-values can be far too small; a single test needs about 366 queries,"
    for options in ((), ("--test", "randomization")):
        assert f"1 of 1 pair, the most skewed B against A: {about}" in sentences(
            shown(irev, "compare", "--scores", *pairs(rare), *options)
        )
    for values, options in ((rare, ("--test", "sign")), (even | {"B": dict.fromkeys(even["A"], 0.4)}, ())):
        assert "Skewed" not in shown(irev, "compare", "--scores", *pairs(values), *options)


def test_every_command_that_tests_says_that_differences_are_skewed(irev, write):
    """Of 50 queries at rank 3 six rise to rank 1, and all others to rank 2."""
    ranks = {"before": [3] * 50, "after": [1] * 6 + [2] * 44}
    qrels = write(b"".join(b"q%02d 0 x 1\n" % n for n in range(50)), "qrels")
    runs = []
    for name, of in ranks.items():
        lines = (
            f"q{n:02} Q0 {'x' if r == rank else r} {r} {9 - r} {name}" for n, rank in enumerate(of) for r in (1, 2, 3)
        )
        runs.append(write("\n".join(lines).encode() + b"\n", name))
    saved = [f"{run}.json" for run in runs]
    for run, path in zip(runs, saved, strict=True):
        assert 0 == irev("eval", "-q", "-m", "RR", "-o", path, qrels, run).status
    check = ("check", qrels, runs[1], "--baseline-run", runs[0], "--significant", "0.05")
    for command, about in (
        (("compare", "-m", "RR", qrels, *runs), "1 of 1 pair, the most skewed after against before"),
        (
            ("eval", "-f", "table", "-m", "RR", "--sort", "RR", "--significance", qrels, *runs),
            "1 of 1 pair, the most skewed before",
        ),
        ((*check, "--max-drop", "RR=0.2"), "1 of 1 test, the most skewed RR of after"),
        ((*check, "--no-worse-than", "RR=0.2"), "1 of 1 test, the most skewed RR of after"),
        (("trend", *saved), "1 of 1 shift, the most skewed RR from build 2 on"),
    ):
        text = sentences(irev(*command).stdout.decode())
        assert f"Skewed differences in {about}" in text, command
        assert "with 50 queries p-values can be far too small; a single test needs about 146 queries," in text


# Which runs


@pytest.mark.parametrize("name", ["keyword", RUNS[1]], ids=["by name", "by file"])
def test_any_run_can_be_the_baseline(irev, name):
    found = record(irev, "compare", QRELS, *RUNS, "-m", "AP", "--baseline", name)

    assert "keyword" == found["baseline"]
    assert [("keyword", "hybrid"), ("keyword", "semantic")] == [(c["baseline"], c["run"]) for c in contrasts(found)]


def test_runs_that_are_called_alike_are_told_apart(irev, write):
    content = Path(RUNS[0]).read_bytes()
    files = [write(content, "one.run"), write(content.replace(b"d02", b"d99"), "two.run")]

    outcome = irev("compare", QRELS, *files, "-m", "AP", "-f", "json")

    assert ["one", "two"] == json.loads(outcome.stdout)["runs"]
    assert "several runs have the run id 'hybrid'; their names are one, two" in outcome.stderr
    given = record(irev, "compare", QRELS, f"x={files[0]}", f"y={files[1]}", "-m", "AP")
    assert ["x", "y"] == given["runs"]


# Saved results


@pytest.fixture
def saved(irev, tmp_path, monkeypatch):
    """``saved(run, *options)`` is what `irev eval` saved of a run of the sample."""
    monkeypatch.chdir(tmp_path)

    def saved(*arguments: str, to: str) -> str:
        runs = [run for run in RUNS if Path(run).stem in arguments]
        options = [argument for argument in arguments if not any(argument == Path(run).stem for run in RUNS)]
        status, _, stderr = irev("eval", *options, QRELS, *runs, "-o", to)
        assert status == 0, stderr
        return to

    return saved


def essence(found: dict) -> dict:
    """A record without its files, the words for its queries, and what saved values do not tell."""
    of_saved = {"judged_unknown": None, "rests_on_unjudged": None, "unjudged": None}
    measures = [
        {**each, **of_saved, "contrasts": [{**contrast, **of_saved} for contrast in each["contrasts"]]}
        for each in found["measures"]
    ]
    return {key: value for key, value in found.items() if key not in ("inputs", "policy")} | {"measures": measures}


def test_results_saved_for_all_queries_compare_as_their_runs_do(irev, saved):
    files = [saved(name, "-c", "-q", "-m", "AP", "-m", "P@3", to=f"{name}.json") for name in ("hybrid", "keyword")]

    found = record(irev, "compare", *files, "-q")

    assert essence(record(irev, "compare", QRELS, *RUNS[:2], "-m", "AP", "-m", "P@3", "-q")) == essence(found)
    assert [("scores", "hybrid.json"), ("scores", "keyword.json")] == [(f["role"], f["name"]) for f in found["inputs"]]


def test_results_saved_without_the_missing_queries_know_them_and_count_them_as_0(irev, saved):
    files = [saved(name, "-q", "-m", "AP", to=f"{name}.json") for name in ("hybrid", "keyword")]

    outcome = irev("compare", *files, "-f", "json", "-q")

    assert "irev: warning: keyword: query q6 has no value and counts as 0\n" == outcome.stderr
    expected = record(irev, "compare", QRELS, *RUNS[:2], "-m", "AP", "-q")
    assert essence(expected) == essence(json.loads(outcome.stdout))
    outcome = irev("compare", *files, "-f", "json", "--queries", "both")
    assert "irev: warning: query q6 is not in all of the runs and is left out\n" == outcome.stderr
    found = json.loads(outcome.stdout)
    assert 6 == found["measures"][0]["queries"]
    assert ["query q6 is not in all of the runs and is left out"] == found["notes"]


def test_both_files_may_lack_the_same_judged_query(irev, saved):
    first = saved("keyword", "-q", "-m", "AP", to="a.json")
    second = saved("keyword", "-q", "-m", "AP", to="b.json")

    found = record(irev, "compare", first, second)
    assert 7 == found["measures"][0]["queries"]
    assert "all queries that any result has or lists as judged; a query without a value counts as 0" == found["policy"]
    assert (
        "queries for which all runs have values"
        == record(irev, "compare", first, second, "--queries", "both")["policy"]
    )
    third = saved("hybrid", "-q", "-m", "AP", to="c.json")
    assert (
        "all queries of any file; a query that a file lacks counts as 0"
        == record(irev, "compare", first, third)["policy"]
    )


def test_a_missing_query_cannot_count_as_0_where_0_is_best(irev, saved):
    files = [saved(name, "-q", "-m", "search_length", to=f"{name}.json") for name in ("hybrid", "keyword")]

    refused(
        irev("compare", *files), "keyword has no value of SearchLength for query 'q6', and 0 would be the best value"
    )
    assert 6 == record(irev, "compare", *files, "--queries", "both")["measures"][0]["queries"]


def test_results_without_single_queries_are_refused(irev, saved):
    good = saved("hybrid", "-q", "-m", "AP", to="good.json")
    bad = saved("keyword", "-m", "AP", to="bad.json")

    refused(irev("compare", good, bad), "bad.json: the values of single queries were not saved", "`irev eval -q`")


def test_several_runs_in_one_file_are_compared(irev, saved):
    one = saved("hybrid", "keyword", "semantic", "-c", "-q", "-m", "AP", to="all.json")

    assert essence(record(irev, "compare", QRELS, *RUNS, "-m", "AP")) == essence(record(irev, "compare", one))


def test_results_under_different_judgments_are_doubted(irev, saved, write):
    first = saved("hybrid", "-c", "-q", "-m", "AP", to="a.json")
    other = write(Path(QRELS).read_bytes().replace(b"q1 0 d01 0", b"q1 0 d01 1"), "qrels")
    irev("eval", "-c", "-q", "-m", "AP", other, RUNS[1], "-o", "b.json")

    status, stdout, stderr = irev("compare", first, "b.json")

    doubt = "results were saved under different judgments, which may explain a difference"
    assert 0 == status
    assert f"irev: warning: the {doubt}\n" == stderr
    assert f"The {doubt}." in sentences(stdout.decode())


def test_results_saved_with_different_options_are_doubted(irev, saved):
    first = saved("hybrid", "-c", "-q", "-m", "AP", to="a.json")
    other = saved("keyword", "-q", "-m", "AP", "-l", "2", "-M", "5", to="b.json")
    same = saved("keyword", "-c", "-q", "-m", "AP", "--run-format", "trec", to="c.json")

    status, stdout, stderr = irev("compare", first, other)

    doubt = "results were saved with different options (level, depth); which may explain a difference"
    assert 0 == status
    assert f"irev: warning: the {doubt}\n" in stderr
    assert f"The {doubt}." in sentences(stdout.decode())
    assert "" == irev("compare", first, same)[2]


def test_options_that_change_values_are_refused_for_saved_ones(irev, saved):
    one = saved("hybrid", "keyword", "-c", "-q", "-m", "AP", to="all.json")

    for option in (("--level", "2"), ("-M", "5"), ("--ties", "average"), ("-J",), ("--gains", "1=2")):
        refused(irev("compare", one, *option), "cannot change results that were saved; give judgments and runs")
    refused(irev("power", "--difference", "0.1", one, "-l", "2"), "--level cannot change")
    refused(irev("agree", one, "-m", "AP", "-l", "2"), "--level cannot change")


def test_lines_and_tables_of_scores_compare_like_records(irev, saved):
    names = ("hybrid", "keyword")
    expected = [
        {name: row[name] for name in ("run", "query", "difference", "mean", "wins", "finding")}
        for row in rows(irev, "compare", QRELS, *RUNS[:2], "-m", "AP", "-q")
    ]
    for ending, options in (("txt", ()), ("tsv", ()), ("csv", ("--wide",))):
        files = [saved(n, "-c", "-q", "-m", "AP", "--digits", "17", *options, to=f"{n}.{ending}") for n in names]
        found = rows(irev, "compare", *files, "-q", "-m", "AP")
        assert [row["run"] for row in expected] == [row["run"] for row in found]
        assert [row["query"] for row in expected] == [row["query"] for row in found]
        for of in ("difference", "mean"):
            assert pytest.approx([float(row[of]) for row in expected], abs=1e-15) == [float(row[of]) for row in found]


def test_kinds_may_be_mixed_and_one_may_be_standard_input(irev, saved):
    files = [
        saved("hybrid", "-c", "-q", "-m", "AP", to="a.json"),
        saved("keyword", "-c", "-q", "-m", "AP", "--digits", "17", to="b.txt"),
        saved("semantic", "-c", "-q", "-m", "AP", "--digits", "17", to="c.tsv"),
    ]
    expected = essence(record(irev, "compare", QRELS, *RUNS, "-m", "AP"))

    found = essence(record(irev, "compare", *files))

    assert ["hybrid", "b", "semantic"] == found["runs"], "trec_eval's lines do not name the run unless asked to"
    means = [[of["mean"] for of in each["measures"][0]["means"].values()] for each in (expected, found)]
    assert pytest.approx(means[0]) == means[1]
    piped = essence(record(irev, "compare", *files[:2], "-", stdin=Path(files[2]).read_bytes()))
    assert found == piped
    first = essence(record(irev, "compare", "--scores", "-", *files[1:], stdin=Path(files[0]).read_bytes()))
    assert found == first


def test_two_columns_are_scores_only_when_they_are_said_to_be(irev, pairs):
    files = pairs(SOME)

    refused(irev("compare", *files), "'A' has lines of a query and a value", "add --scores to compare values")
    assert "value" == record(irev, "compare", "--scores", *files)["measures"][0]["label"]


SYSTEMS = b"""query,System A,System B
q1,0.28,0.35
q2,0.30,0.20
q3,0.38,0.40
q4,0.29,0.33
q5,0.23,0.23
"""


def test_the_columns_of_a_table_may_be_runs(irev, write):
    found = record(irev, "compare", "--scores", "--test", "sign", write(SYSTEMS))
    (contrast,) = contrasts(found)

    assert ["System A", "System B"] == found["runs"]
    assert "value" == found["measures"][0]["label"]
    assert (3, 1, 1) == (contrast["wins"], contrast["ties"], contrast["losses"])


@pytest.mark.parametrize("header", [b"query,System A,AP", b"query,AP,nDCG@10"])
def test_columns_that_may_be_measures_are_no_runs(irev, write, header):
    table = write(SYSTEMS.replace(b"query,System A,System B", header))

    refused(irev("compare", "--scores", table), "there is nothing to compare", "two runs")


def test_the_plain_table_of_a_sign_test_has_wins_ties_and_losses(irev, write):
    table = write(SYSTEMS)

    assert "  3/1/1  " in irev("compare", "--scores", "--test", "sign", table).stdout.decode()
    said = " ".join(irev("compare", "--scores", "--test", "sign", table).stdout.decode().split())
    assert "W/T/L: queries that the run won, tied and lost." in said
    assert "W/T/L" not in irev("compare", "--scores", table).stdout.decode()


def test_each_query_says_which_run_won_it(irev, write):
    done = irev("compare", "--scores", "-q", write(SYSTEMS))
    rows = re.findall(r"^q[1-5] .* (\S+)$", done.stdout.decode(), re.MULTILINE)

    assert ["A", "tie", "B", "B", "B"] == rows


def test_the_run_with_the_lower_value_wins_where_lower_is_better(irev):
    files = [str(ROOT / "sample_data" / name) for name in ("qrels.txt", "keyword.run", "semantic.run")]
    done = irev("compare", "-q", "-m", "search_length", "--queries", "both", *files)
    rows = re.findall(r"^q[0-9] +([0-9.]+) +([0-9.]+) +\S+ +(\S+)$", done.stdout.decode(), re.MULTILINE)
    expected = ["tie" if a == b else "keyword" if float(a) < float(b) else "semantic" for a, b, _ in rows]

    assert {"tie", "keyword", "semantic"} >= {*expected} > {"tie"}
    assert expected == [winner for _, _, winner in rows]


def test_the_measures_that_all_share_are_compared(irev, saved):
    files = [saved("hybrid", "-c", "-q", "-m", "AP", "-m", "P@3", to="a.json")]
    files.append(saved("keyword", "-c", "-q", "-m", "P@3", "-m", "RR", to="b.json"))

    assert ["P@3"] == [measure["standard"] for measure in record(irev, "compare", *files)["measures"]]
    assert "P@3" == record(irev, "compare", *files, "-m", "P_3")["measures"][0]["standard"]
    refused(irev("compare", *files, "-m", "AP"), "not all results have the measure 'AP'")
    lonely = saved("keyword", "-c", "-q", "-m", "RR", to="c.json")
    refused(irev("compare", files[0], lonely), "the results have no measure in common", "-m")


# Examples of textbooks


def test_example_22_is_won_four_to_one(irev):
    files = [str(EXAMPLES / f"example22.{name}.txt") for name in "ab"]
    row = rows(irev, "compare", "--scores", f"A={files[0]}", f"B={files[1]}", "--test", "sign")[0]

    assert ("4", "0", "1") == (row["wins"], row["ties"], row["losses"])
    assert 2 * (1 + 5) / 2**5 == float(row["p_sign"])


def test_example_23_is_won_five_to_four_by_the_one_whose_mean_is_lower(irev):
    files = [str(EXAMPLES / f"example23.{name}.txt") for name in "ab"]
    row = rows(irev, "compare", "--scores", f"A={files[0]}", f"B={files[1]}", "--test", "sign,wilcoxon")[0]

    assert ("5", "0", "4") == (row["wins"], row["ties"], row["losses"])
    assert ("0.292", "0.256") == (f"{float(row['baseline_mean']):.3f}", f"{float(row['mean']):.3f}")
    assert (1.0, 15.0) == (float(row["p_sign"]), float(row["statistic_wilcoxon"]))
    before, after = ([float(line.split()[1]) for line in Path(file).read_text().splitlines()] for file in files)
    assert pytest.approx(reference.signed_ranks(before, after)) == float(row["p_wilcoxon"])


# What is written


SAMPLE = ("compare", QRELS, *RUNS, "-m", "AP", "-m", "RR", "--test", "t,sign", "-q")


def test_another_seed_draws_other_samples_and_the_record_says_which(irev, pairs):
    files = pairs(SOME)
    found = {
        seed: record(irev, "compare", "--scores", *files, "--test", "bootstrap", "--seed", seed) for seed in ("0", "1")
    }

    p = {seed: [contrast["tests"][0]["p"] for contrast in contrasts(of)] for seed, of in found.items()}
    assert p["0"] != p["1"]
    assert [(100_000, 0), (100_000, 1)] == [(of["plan"]["samples"], of["plan"]["seed"]) for of in found.values()]
    assert {"100,000 bootstrap samples, shifted, seed 1"} == {c["tests"][0]["method"] for c in contrasts(found["1"])}


def test_the_record_says_what_was_done_with_what(irev):
    found = record(irev, *SAMPLE)

    import scipy

    assert scipy.__version__ == found["scipy"]
    assert ["qrels", "run", "run", "run"] == [file["role"] for file in found["inputs"]]
    assert [QRELS, *RUNS] == [file["name"] for file in found["inputs"]]
    assert (["t", "sign"], "holm", 100_000) == tuple(found["plan"][name] for name in ("tests", "correction", "samples"))


def test_rows_and_record_have_the_same_numbers(irev):
    printed = [row for row in rows(irev, *SAMPLE) if row["query"] == "all"]

    for row, contrast in zip(printed, contrasts(record(irev, *SAMPLE)), strict=True):
        flat = contrast | contrast["interval"] | contrast["effect"] | {"effect": contrast["effect"]["standardised"]}
        for test in contrast["tests"]:
            flat |= {f"{of}_{test['test']}": test[of] for of in ("statistic", "p", "adjusted")}
        for name in set(row) & set(flat) - {"baseline", "run", "finding"}:
            assert flat[name] == number(row[name]), name


def test_every_query_has_a_row_with_its_values(irev):
    found = [row for row in rows(irev, *SAMPLE) if row["measure"] == "map" and row["run"] == "keyword"]

    assert [*(f"q{i}" for i in range(1, 8)), "all"] == [row["query"] for row in found]
    for row in found[:-1]:
        assert float(row["difference"]) == float(row["mean"]) - float(row["baseline_mean"])
        assert "" == row["p_t"]


def test_digits_are_as_many_as_asked_for_and_p_values_are_whole(irev):
    text = shown(irev, "compare", QRELS, *RUNS[:2], "-m", "AP", "-f", "tsv", "--digits", "2")
    row = dict(zip(*(line.split("\t") for line in text.splitlines()), strict=True))

    assert ("0.67", "0.56", "-0.11") == (row["baseline_mean"], row["mean"], row["difference"])
    assert len(row["p_t"]) > 10


def test_measures_are_named_for_readers_or_for_programs(irev):
    assert "nDCG@10" in shown(irev, "compare", QRELS, *RUNS)
    assert {"map", "ndcg_cut_10"} == {row["measure"] for row in rows(irev, "compare", QRELS, *RUNS)}


def test_a_measure_has_one_table_and_there_are_five_lines_below_all(irev):
    text = shown(irev, "compare", "-J", QRELS, *RUNS, "-m", "AP")
    table, notes = text.split("\n\n")[1:]

    assert ["run", "mean", "difference", "interval", "p", "holm", "finding"] == table.split("\n")[2].split()
    assert ["hybrid", "keyword", "semantic"] == [line.split()[0] for line in table.split("\n")[4:]]
    assert len(notes.splitlines()) <= 5


@pytest.mark.parametrize("style", ["latex", "markdown", "html"])
def test_a_document_has_all_remarks_and_none_about_other_formats(irev, pairs, style):
    odd = {"r0": {"q1": 0.3, "q2": 0.3}, "r1": {"q1": math.nan, "q2": 0.5}}
    hidden = "a difference is not a finite number"
    on_screen, document = (
        sentences(shown(irev, "compare", "--scores", *pairs(odd), "-f", f)) for f in ("table", style)
    )

    assert hidden in on_screen
    assert "JSON also has effects" in on_screen
    assert hidden in document
    assert "effects, wins" not in document


def test_of_all_pairs_the_means_come_first(irev):
    titles = [part.split("\n")[0] for part in shown(irev, "compare", QRELS, *RUNS, "--all-pairs").split("\n\n")]

    assert ["Means", "AP, 7 queries", "nDCG@10, 7 queries"] == titles[1:4]


@pytest.mark.thorough
@pytest.mark.parametrize("more", [[], ["--margin", "0.1"]])
def test_all_pairs_of_many_runs_are_a_matrix_of_what_the_record_finds(irev, pairs, more, monkeypatch):
    monkeypatch.setenv("COLUMNS", "100")
    random = np.random.default_rng(1)
    values = {f"r{n}": {f"q{i}": random.normal(n / 20, 0.1) for i in range(12)} for n in range(12)}
    files = pairs(values)
    text = shown(irev, "compare", "--scores", "--all-pairs", *more, *files)
    rows = [line.split() for line in text.splitlines() if re.match(r" ?\d+ +r\d", line)]
    order = [row[1] for row in rows]
    signs = {(row[1], other): sign for row in rows for other, sign in zip(order, "".join(row[3:]), strict=True)}
    findings = contrasts(record(irev, "compare", "--scores", "--all-pairs", *more, *files))
    turned = {"better": ("+", "-"), "worse": ("-", "+"), "not shown": (".", ".")}
    turned |= {"equivalent": ("=", "="), "no worse": ("~", ".")} if more else {}

    assert 66 == len(findings)
    assert {*turned} >= {each["finding"] for each in findings} > {"equivalent" if more else "not shown"}
    assert sorted(values, key=lambda run: -sum(values[run].values())) == order
    for each in findings:
        pair = each["run"], each["baseline"]
        assert turned[each["finding"]] == (signs[pair], signs[pair[::-1]])
    assert {"\\"} == {signs[run, run] for run in order}
    assert len(text.splitlines()) < 30


@pytest.mark.parametrize("correction", ["none", "holm", "max-t", "tukey"])
def test_a_comparison_without_a_p_value_does_not_speak_of_no_tests(irev, pairs, correction):
    values = {run: {"q1": 0.1 + place / 10} for place, run in enumerate("ABC")}
    options = ["--correction", correction, "--all-pairs"]
    for more in ([], ["--family", "all"] if correction != "tukey" else []):
        text = sentences(shown(irev, "compare", "--scores", *pairs(values), *options, *more))

        assert "without p-values." in text
        assert " 0 tests" not in text
        assert " 0 pairs" not in text


# Figures


PLOTTED = ("compare", QRELS, *RUNS, "-m", "AP")


def test_a_figure_says_where_lower_is_better(irev, tmp_path):
    irev("compare", QRELS, *RUNS, "-m", "search_length", "--plot", str(tmp_path / "figure.svg"))

    assert "SearchLength (lower is better), mean difference to hybrid" in (tmp_path / "figure.svg").read_text()


def test_without_the_converter_a_figure_in_svg_is_offered(irev, tmp_path, monkeypatch):
    monkeypatch.setitem(sys.modules, "vl_convert", None)

    status, stdout, stderr = irev(*PLOTTED, "--plot", str(tmp_path / "figure.pdf"))

    assert (0, b"") != (status, stdout)
    assert b"" == stdout
    assert "pip install vl-convert-python, or name a file that ends in .svg" in stderr
    assert 0 == irev(*PLOTTED, "--plot", str(tmp_path / "figure.svg")).status


def test_a_figure_that_cannot_be_written_is_an_error(irev, pairs):
    done = irev("compare", "--scores", *pairs(SOME), "--plot", "nowhere/x.svg")

    refused(done, "nowhere/x.svg: the output cannot be written")


# What is refused


@pytest.mark.parametrize(
    ("arguments", "fact"),
    [
        ((), "expected QRELS and RUNs, or saved results"),
        ((QRELS,), "expected QRELS and at least one RUN"),
        ((QRELS, RUNS[0]), "there is nothing to compare; give at least two runs"),
        ((QRELS, *RUNS, "--baseline", "hybird"), "there is no run 'hybird'; did you mean 'hybrid'?"),
        ((QRELS, *RUNS, "--baseline", "zzz"), "there are hybrid, keyword, semantic"),
        ((QRELS, *RUNS, "--baseline", "hybrid", "--all-pairs"), "--baseline has no effect with --all-pairs"),
        ((QRELS, *RUNS, "-m", "nDGC@10"), "there is no measure 'nDGC@10'; did you mean"),
        ((QRELS, *RUNS, "--test", "wilcoxn"), "there is no 'wilcoxn'; did you mean 'wilcoxon'?"),
        ((QRELS, *RUNS, "--test", "t,,sign"), "there is no ''"),
        ((QRELS, *RUNS, "--correction", "bonferoni"), "'bonferoni'"),
        ((QRELS, *RUNS, "--alpha", "5"), "'5' is not a number above 0 and below 1"),
        ((QRELS, *RUNS, "--confidence", "1"), "'1' is not a number above 0 and below 1"),
        ((QRELS, *RUNS, "--confidence", "95%"), "'95%' is not a number"),
        ((QRELS, *RUNS, "--margin", "0"), "'0' is not a number above 0"),
        ((QRELS, *RUNS, "--seed", "x"), "'x' is not a whole number"),
        ((QRELS, *RUNS, "-f", "trec"), "'trec'"),
        ((QRELS, *(f"one={run}" for run in RUNS)), "two runs are called 'one'"),
        ((QRELS, "missing", RUNS[0]), "missing: there is no such file"),
        (("--scores", "missing", RUNS[0]), "missing: there is no such file"),
        (("--scores", QRELS, RUNS[0]), "expected a query and its value"),
        (("--scores", "-", "-"), "only one of the files can be standard input"),
        (("-", "-", RUNS[0]), "only one of the files can be standard input"),
        ((QRELS, *RUNS, "-q", "-m"), "-m"),
    ],
)
def test_wrong_usage_is_refused_before_anything_is_printed(irev, arguments, fact):
    refused(irev("compare", *arguments), fact)


def test_judgments_and_saved_results_do_not_mix(irev, saved):
    one = saved("hybrid", "-c", "-q", "-m", "AP", to="a.json")

    refused(irev("compare", QRELS, one), "a.json has values of queries", "give judgments and runs, or only results")


def test_runs_that_share_no_query_are_refused(irev, pairs):
    files = pairs({"A": {"1": 0.5, "2": 0.5}, "B": {"3": 0.5}})

    refused(irev("compare", "--scores", *files, "--queries", "both"), "no query is in all of the runs")


if hasattr(os, "mkfifo"):
    # Where a shell started the tests in the background, their children ignore Ctrl-C unless told otherwise.
    LISTENING = (
        "import signal; signal.signal(signal.SIGINT, signal.default_int_handler);"
        "from irev.__main__ import command; command()"
    )

    def test_an_interrupt_while_samples_are_drawn_ends_with_130(pairs):
        pairs(random_values(1, 50_000, 2))
        endless = ("--test", "bootstrap")
        with Started(
            [sys.executable, "-c", LISTENING, "compare", "--scores", "A", "B", *endless],
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            env=environment(),
        ) as running:
            try:
                time.sleep(1.5)
                assert None is running.poll(), "it is still at work"
                running.send_signal(signal.SIGINT)
                stdout, stderr = running.communicate(timeout=10)
            finally:
                running.kill()

        assert (130, b"", b"") == (running.returncode, stdout, stderr.strip())


# The schema


def test_the_schema_has_the_choices_that_there_are():
    defs = SCHEMA["$defs"]
    choices = defs["comparison"]["properties"]["plan"]["properties"]
    there = {
        "alternative": plan.ALTERNATIVES,
        "interval": plan.INTERVAL_NAMES,
        "correction": plan.CORRECTION_NAMES,
        "family": plan.FAMILIES,
    }
    assert {name: set(of) for name, of in there.items()} == {name: set(choices[name]["enum"]) for name in there}
    assert {*plan.TEST_NAMES} == {*choices["tests"]["items"]["enum"]}
    assert {*plan.TEST_NAMES} == {*defs["contrast"]["properties"]["tests"]["items"]["properties"]["test"]["enum"]}
    assert set(FINDINGS) == set(defs["contrast"]["properties"]["finding"]["enum"])
    assert set(DESIGNS) == set(defs["power"]["properties"]["design"]["properties"]["kind"]["enum"])


NAMED = ("means", "per_query", "values", "places")
"""Keys whose objects have names of runs and queries as keys."""


def objects(found, key: str = ""):
    """Every object in a record that has keys of its own."""
    if isinstance(found, dict):
        if key not in NAMED:
            yield found
        for name, value in found.items():
            yield from objects(value, name)
    if isinstance(found, list):
        for value in found:
            yield from objects(value)


@pytest.mark.thorough
@pytest.mark.parametrize(
    "arguments",
    [
        ("compare", *PLOTTED[1:], "-q", "--margin", "0.1"),
        ("power", "--difference", "0.1", QRELS, *RUNS),
        ("agree", QRELS, *RUNS),
    ],
    ids=["compare", "power", "agree"],
)
def test_a_key_that_the_schema_does_not_describe_would_be_found(irev, arguments):
    found = record(irev, *arguments)

    count = len(list(objects(found)))
    assert count > 5
    for place in range(count):
        changed = copy.deepcopy(found)
        list(objects(changed))[place]["unheard of"] = 1
        assert faults(changed)
    for place in range(count):
        each = list(objects(found))[place]
        for key in each:
            if key != "per_query":
                changed = copy.deepcopy(found)
                del list(objects(changed))[place][key]
                assert faults(changed), key


def test_the_tables_have_what_options_offer_and_the_python_interface_takes():
    assert plan.INTERVAL_NAMES == tuple(INTERVALS)
    assert plan.OF_VALUES == tuple(CORRECTIONS)
    assert (*plan.JOINT, *CORRECTIONS) == plan.CORRECTION_NAMES
    offered = {option.name: option.type for option in cli.command("compare").params}
    assert [plan.INTERVAL_NAMES, plan.CORRECTION_NAMES] == [
        tuple(offered[name].choices) for name in ("interval", "correction")
    ]
    taken = typing.get_type_hints(Analysis)
    words = {"interval": plan.INTERVAL_NAMES, "alternative": plan.ALTERNATIVES, "family": plan.FAMILIES}
    assert words == {name: typing.get_args(taken[name]) for name in words}
    assert set(plan.CORRECTION_NAMES) == {
        word for each in typing.get_args(taken["correction"])[:-1] for word in typing.get_args(each)
    }


@pytest.mark.parametrize(
    "said",
    [Analysis.__doc__, *((ROOT / "docs" / page).read_text() for page in ("compare.md", "statistics.md"))],
    ids=["Analysis", "compare.md", "statistics.md"],
)
def test_every_test_is_named_where_they_are_explained(said):
    assert [] == [name for name in plan.TEST_NAMES if f"`{name}`" not in said]


def test_a_file_of_values_in_the_place_of_judgments_is_named(irev, write):
    values = write(b"q1 0.5\nq2 0.25\n", "values")
    refused(irev("compare", values, *RUNS[:2]), f"'{values}' has lines of a query and a value, which are no judgments")
    refused(irev("compare", QRELS, values, RUNS[0]), f"{values}:1: ")


FIVE = "".join(f"{number} {number / 10}\n" for number in range(1, 6))
NONE = "".join(f"{number} 0\n" for number in range(1, 6))


@pytest.mark.parametrize(
    ("options", "least"),
    [
        (("--test", "sign"), "p of the sign test here is 0.0625"),
        (("--test", "wilcoxon"), "p of the Wilcoxon signed-rank test here is 0.0625"),
        (("--test", "randomization"), "p of the randomisation test here is 0.0625"),
        (("--test", "sign", "--correction", "holm", "third"), "corrected p of the sign test here is 0.1250"),
        (("--all-pairs", "third"), "corrected p of the paired t test here is 0.0625"),
    ],
)
def test_it_is_said_where_no_result_can_be_significant(irev, tmp_path, monkeypatch, options, least):
    monkeypatch.chdir(tmp_path)
    for name, text in (("first", NONE), ("second", FIVE), ("third", FIVE.replace("0.1", "0.7"))):
        Path(name).write_text(text)
    text = " ".join(shown(irev, "compare", "--scores", "first", "second", *options).split())
    assert f"The lowest possible {least}: no result can be significant at 0.05." in text
    assert "The lowest possible" not in shown(
        irev, "compare", "--scores", "first", "second", *options, "--alpha", "0.2"
    )
    found = json.loads(shown(irev, "compare", "--scores", "first", "second", *options, "-f", "json"))
    assert float(least.split()[-1]) == found["measures"][0]["contrasts"][0]["tests"][0]["least"]


def test_without_scipy_what_needs_it_says_so(tmp_path):
    code = "import sys; sys.modules['scipy'] = None; from irev.__main__ import command; sys.exit(command())"

    def status_and_words(*arguments):
        run = subprocess.run([sys.executable, "-c", code, *arguments], capture_output=True, env=environment())
        return run.returncode, run.stderr.decode()

    for arguments in (
        ("compare", QRELS, *RUNS),
        ("power", "--difference", "0.1", "--variance", "0.1"),
        ("check", QRELS, RUNS[0], "--baseline-run", RUNS[1], "--max-drop", "AP=0.1", "--significant", "0.05"),
    ):
        status, words = status_and_words(*arguments)
        assert 2 == status, words
        assert "scipy is needed for tests and intervals" in words
        assert "; pip install scipy" in words
    assert 0 == status_and_words("eval", QRELS, RUNS[0])[0]


def test_scipy_that_finds_no_room_is_not_said_to_be_missing():
    code = """import sys
class NoRoom:
    def find_spec(self, name, *others):
        if name.startswith("scipy"):
            raise ImportError("_ufuncs.so: failed to map segment from shared object")
sys.meta_path.insert(0, NoRoom())
from irev.__main__ import command
command()"""
    arguments = [sys.executable, "-c", code, "compare", QRELS, *RUNS]
    run = subprocess.run(arguments, capture_output=True, env=environment())
    words = run.stderr.decode()
    assert 2 == run.returncode, words
    assert "irev: error: memory ran out" in words
    assert "pip install" not in words


@pytest.mark.thorough
def test_many_runs_are_compared_without_a_table_of_all_their_differences(monkeypatch):
    runs, queries = 40, 2000
    values = np.random.default_rng(2).normal(size=(queries, runs))
    numbered = tuple(str(number).encode() for number in range(queries))
    quantity = Quantity("x", "x")
    systems = [System(f"r{run}", {quantity: QueryValues(numbered, values[:, run])}) for run in range(runs)]
    aligned, asked = align(systems, [quantity], both=False), plan.Plan(tests=("t",), samples=50, seed=1)
    whole = every_pair.compare(aligned, None, asked)
    monkeypatch.setattr(every_pair, "_AT_ONCE", 20 * queries)
    monkeypatch.setattr(maximum_t, "TOGETHER", 20 * queries)
    tracemalloc.start()
    parts = every_pair.compare(aligned, None, asked)
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()

    assert peak < math.comb(runs, 2) * queries * values.itemsize
    for one, other in zip(whole.compared[0].contrasts, parts.compared[0].contrasts, strict=True):
        assert (one.finding, one.adjusted, one.interval) == (other.finding, other.adjusted, other.interval)


def test_runs_that_share_no_query_with_the_judgments_are_refused(irev, write):
    """One of them alone counts as 0, as every run does that lacks a query."""
    qrels, good = write(b"q1 0 a 1\nq2 0 a 1\nq3 0 a 1\n", "qrels"), write(b"q1 Q0 a 1 1 good\n", "good")
    others = [write(f"{query} Q0 a 1 1 {query}\n".encode(), query) for query in ("q8", "q9")]
    fact = "no run has results for a query that counts: the first is 'q1' in the judgments and 'q8' in q8"
    refused(irev("compare", "-m", "map", qrels, *others), fact)
    for runs in (others, {"q8": {"q8": {"a": 1}}, "q9": {"q9": {"a": 1}}}):
        with pytest.raises(package.InputError, match=fact):
            package.compare(qrels, runs, "AP")

    assert 0 == irev("compare", "-m", "map", qrels, others[0], good).status
    assert 0 == irev("compare", "-m", "map", "--queries", "both", qrels, good, good).status


def test_a_baseline_that_is_the_best_run_by_the_same_data_has_a_remedy(irev, tmp_path):
    """The best of three runs is significantly better than both; chosen in advance, the worst run needs no remedy."""
    chance, queries = random.Random(1), range(40)
    qrels = tmp_path / "qrels"
    qrels.write_text("".join(f"q{query} 0 d1 1\n" for query in queries))
    for name, share in (("good", 0.9), ("fair", 0.3), ("poor", 0.2)):
        ranks = [0 if chance.random() < share else 2 for _ in queries]
        lines = "".join(f"q{q} Q0 d1 1 {1 - rank} {name}\nq{q} Q0 d2 1 0 {name}\n" for q, rank in enumerate(ranks))
        (tmp_path / name).write_text(lines)

    def said(*words, runs=("good", "fair", "poor")):
        line = ("compare", "-m", "RR", *words, str(qrels), *(str(tmp_path / run) for run in runs))
        return " ".join(irev(*line).stdout.decode().split())

    remedy = "If the baseline was chosen because it is the best run here, compare all pairs instead."
    assert remedy in said("--baseline", "good")
    assert remedy not in said("--baseline", "poor")
    assert remedy not in said("--all-pairs")
    assert remedy not in said(runs=("good", "fair"))


def test_comparisons_lead_to_the_page_on_conclusions(irev, tmp_path):
    runs = [str(ROOT / "sample_data" / f"{name}.run") for name in ("hybrid", "keyword")]
    qrels, page, said = str(ROOT / "sample_data" / "qrels.txt"), str(tmp_path / "page.html"), "docs/reader.md: what may"
    gate = ("check", "--max-drop", "AP=0.5", "--baseline-run", runs[0], qrels, runs[1])
    for asked in (("compare", qrels, *runs), gate):
        assert said in " ".join(irev(*asked).stdout.decode().split())
        assert "reader.md" not in irev(*asked, "-f", "json").stdout.decode()
    irev("report", "-o", page, qrels, *runs)
    with open(page) as file:
        assert said in file.read()
    assert (ROOT / "docs" / "reader.md").exists()


@pytest.mark.parametrize("extra", [[], ["--all-pairs"], ["--test", "t,sign"], ["--layout", "paper"]])
def test_measures_of_the_same_values_are_one_test_of_the_family_of_all(irev, extra):
    files = [str(ROOT / "sample_data" / name) for name in ("qrels.txt", "hybrid.run", "keyword.run", "semantic.run")]
    asked = ["compare", "--family", "all", *extra]
    two = json.loads(irev(*asked, "-m", "AP,nDCG@10", "-f", "json", *files).stdout)["measures"]
    four = json.loads(irev(*asked, "-m", "AP,nDCG@10,AP(rel=1),map", "-f", "json", *files).stdout)["measures"]
    assert [each["contrasts"] for each in (*two, two[0])] == [each["contrasts"] for each in four]
    text = " ".join(irev(*asked, "-m", "AP,nDCG@10,AP(rel=1)", *files).stdout.decode().split())
    assert "AP(rel=1) has the values of AP: one test." in text
    assert ("6 tests" if "--all-pairs" in extra else "4 tests") in text
    apart = irev("compare", *extra, "-m", "AP,AP(rel=1)", *files).stdout.decode()
    assert "one test" not in apart


def test_power_plans_for_measures_of_the_same_values_as_one_test(irev):
    files = [str(ROOT / "sample_data" / name) for name in ("qrels.txt", "hybrid.run", "keyword.run")]
    asked = ("power", "--difference", "0.1", "--family", "all", "-f", "json", *files)
    one, two = (json.loads(irev(*asked, "-m", names).stdout) for names in ("AP", "AP,AP(rel=1)"))
    assert [each["needed"] for each in one["needs"]] * 2 == [each["needed"] for each in two["needs"]]
