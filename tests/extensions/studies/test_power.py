"""``irev power`` as a shell sees it: every number that it prints, computed again by `reference_comparison` and
`reference_statistics`; what it refuses."""

import math

import numpy as np
import pytest
import reference_comparison as reference
from comparing import QRELS, RUNS, SOME, both, record, sentences, shown, write_pairs
from outcomes import refused
from scipy import stats

from irev.statistics.corrections import adjusted

pytestmark = pytest.mark.thorough


@pytest.fixture
def pairs(tmp_path, monkeypatch):
    """``pairs(values)`` writes each system's values to a file called as it is, and gives the files."""
    monkeypatch.chdir(tmp_path)
    return write_pairs


def planned(irev, *arguments: str) -> list[dict]:
    return record(irev, "power", *arguments)["needs"]


@pytest.mark.parametrize("difference", [0.02, 0.05, 0.2])
@pytest.mark.parametrize(("alternative", "sides"), [("two-sided", 2), ("greater", 1), ("less", 1)])
def test_a_t_test_needs_as_many_queries_as_the_noncentral_t_says(irev, difference, alternative, sides):
    options = ("--difference", str(difference), "--variance", "0.03", "--power", "0.9", "--alpha", "0.01")
    need = planned(irev, *options, "--alternative", alternative)[0]

    effect = difference / math.sqrt(0.03)
    assert pytest.approx(effect) == need["effect"]
    assert reference.needed(effect, 0.01, 0.9, sides) == need["needed"]


@pytest.mark.parametrize(("systems", "difference"), [(2, 0.1), (10, 0.1), (50, 0.2)])
def test_anova_needs_as_many_queries_as_the_noncentral_f_says(irev, systems, difference):
    options = ("--design", "anova", "--systems", str(systems), "--difference", str(difference), "--variance", "0.05")

    assert reference.needed_anova(systems, difference, 0.05, 0.05, 0.8) == planned(irev, *options)[0]["needed"]


@pytest.mark.parametrize(("width", "alpha"), [(0.1, 0.05), (0.05, 0.05), (0.1, 0.01)])
def test_an_interval_needs_as_many_queries_as_make_it_so_narrow(irev, width, alpha):
    options = ("--design", "interval", "--width", str(width), "--variance", "0.04", "--alpha", str(alpha))

    assert reference.needed_interval(width, 0.04, alpha) == planned(irev, *options)[0]["needed"]


def test_with_the_queries_needed_four_of_five_experiments_find_the_difference(irev):
    need = planned(irev, "--difference", "0.05", "--variance", "0.02")[0]["needed"]
    draws = np.random.default_rng(7).normal(0.05, math.sqrt(0.02), (20_000, need))

    found = float((stats.ttest_1samp(draws, 0, axis=1).pvalue <= 0.05).mean())

    assert pytest.approx(0.8, abs=0.012) == found


def test_from_runs_the_variance_is_measured(irev, pairs):
    files = pairs(SOME)
    for need in planned(irev, "--scores", *files, "--all-pairs", "--difference", "0.05", "--correction", "none"):
        changed = reference.differences(*both(SOME, need["baseline"], need["run"]))
        effect = 0.05 / reference.deviation(changed)
        expected = {
            "queries": 30,
            "difference": 0.05,
            "variance": reference.deviation(changed) ** 2,
            "effect": effect,
            "power": reference.power(30, effect),
            "needed": reference.needed(effect),
        }
        assert pytest.approx(expected, rel=1e-9) == {name: need[name] for name in expected}
    asked = ("--scores", *files, "--difference", "0.05")
    assert 6 == len(planned(irev, *asked, "--all-pairs"))
    assert ["A", "B", "D"] == [need["run"] for need in planned(irev, *asked, "--baseline", "C")]


@pytest.mark.parametrize(
    ("options", "tests", "level", "words"),
    [
        ((), 1, 0.05, "For a paired t-test at level 0.05"),
        (("--systems", "10"), 9, 0.05 / 9, "Holm's correction over 9 tests at level 0.05, which is p ≤ 0.0056"),
        (("--systems", "5", "--all-pairs"), 10, 0.005, "the maximum-t method over 10 tests at level 0.05"),
        (("--systems", "10", "--correction", "bh"), 9, 0.05 / 9, "the Benjamini-Hochberg correction over 9 tests"),
        (("--systems", "3", "--correction", "by"), 2, 0.05 / 3, "the Benjamini-Yekutieli correction over 2 tests"),
        (("--systems", "10", "--correction", "none"), 9, 0.05, "For a paired t-test at level 0.05"),
    ],
)
def test_a_t_test_is_planned_with_the_correction_that_compare_makes(irev, options, tests, level, words):
    command = ("power", "--difference", "0.05", "--variance", "0.04", *options)

    assert reference.needed(0.25, level) == planned(irev, *command[1:])[0]["needed"]
    assert tests == record(irev, *command)["design"]["tests"]
    assert words in sentences(shown(irev, *command))


@pytest.mark.parametrize(("options", "tests"), [((), 2), (("--family", "all"), 4), (("--systems", "2"), 1)])
def test_with_runs_the_tests_are_those_that_compare_corrects_together(irev, options, tests):
    command = ("power", QRELS, *RUNS, "-m", "AP", "-m", "P@3", "--difference", "0.05", *options)
    need = planned(irev, *command[1:])[0]

    assert reference.needed(need["effect"], 0.05 / tests) == need["needed"]
    assert tests == record(irev, *command)["design"]["tests"]


def test_with_the_queries_planned_for_one_of_nine_tests_holms_correction_finds_the_difference(irev):
    """Planned for one test alone, half of the differences are found."""
    need = planned(irev, "--difference", "0.05", "--variance", "0.04", "--systems", "10")[0]["needed"]
    alone = planned(irev, "--difference", "0.05", "--variance", "0.04")[0]["needed"]
    random = np.random.default_rng(5)
    found = []
    for queries in (alone, need):
        runs = random.normal(0, math.sqrt(0.02), (1_000, queries, 10))
        runs[:, :, 1] += 0.05
        p = stats.ttest_1samp(runs[:, :, 1:] - runs[:, :, :1], 0, axis=1).pvalue
        found.append(float(np.mean([adjusted("holm", each)[0] <= 0.05 for each in p.tolist()])))

    assert (128, 213) == (alone, need)
    assert pytest.approx([0.53, 0.81], abs=0.04) == found


def test_from_runs_anova_looks_at_the_variance_within(irev, pairs):
    need = planned(irev, "--scores", *pairs(SOME), "--design", "anova", "--difference", "0.1")[0]

    variance = reference.mean([reference.deviation(list(of.values())) ** 2 for of in SOME.values()])
    assert pytest.approx((0.1, variance)) == (need["difference"], need["variance"])
    assert reference.needed_anova(4, 0.1, variance, 0.05, 0.8) == need["needed"]


def test_what_is_given_stands_for_what_is_measured(irev):
    need = planned(irev, QRELS, *RUNS[:2], "-m", "AP", "--difference", "0.1", "--variance", "0.04")[0]

    assert (0.1, 0.04, 7) == (need["difference"], need["variance"], need["queries"])
    assert reference.needed(0.5) == need["needed"]


def test_a_difference_that_is_always_the_same_but_for_rounding_has_no_variance_to_plan_with(irev, pairs):
    pairs({"A": {"1": 0.1, "2": 0.2, "3": 0.3}, "B": {"1": 0.2, "2": 0.3, "3": 0.4}})

    asked = ("--scores", "A", "B", "--difference", "0.1")
    need = planned(irev, *asked)[0]
    assert (0, None, None, None) == tuple(need[name] for name in ("variance", "effect", "power", "needed"))
    assert "or the variance is 0 or unknown" in sentences(shown(irev, "power", *asked))


@pytest.mark.parametrize("alternative", ["greater", "less"])
def test_a_test_with_one_side_is_planned_for_a_difference_on_that_side(irev, pairs, alternative):
    asked = ("--scores", *pairs(SOME), "--difference", "0.1", "--correction", "none", "--alternative", alternative)
    for need in planned(irev, *asked):
        assert reference.needed(need["effect"], 0.05, 0.8, 1) == need["needed"]


def test_one_run_alone_is_nothing_to_plan_with(irev, pairs):
    asked = ("--difference", "0.1", "--scores", *pairs({"A": SOME["A"]}))
    refused(irev("power", *asked), "there is nothing to compare; give at least two runs")


@pytest.mark.parametrize(("options", "runs"), [((), 2), (("--systems", "7"), 7)])
def test_for_how_many_runs_an_analysis_of_variance_is_planned_is_said(irev, options, runs):
    command = ("power", "--design", "anova", "--difference", "0.1", "--variance", "0.05", *options)

    assert f"analysis of variance of {runs} runs at level 0.05" in sentences(shown(irev, *command))
    assert runs == record(irev, *command)["design"]["systems"]


def test_of_one_query_there_is_no_variance_and_of_tiny_effects_no_number_is_enough(irev, pairs):
    pairs({"one": {"q1": 0.5}, "other": {"q1": 0.25}})

    need = planned(irev, "--scores", "one", "other", "--difference", "0.1")[0]
    assert (None, 1) == (need["needed"], need["queries"])
    tiny = ("--difference", "0.00001", "--variance", "1")
    assert None is planned(irev, *tiny)[0]["needed"]
    assert "–: more than 10,000,000 are needed, or the variance" in sentences(shown(irev, "power", *tiny))


@pytest.mark.parametrize(
    ("arguments", "fact"),
    [
        (("--difference", "0.1"), "without runs a variance is needed; give --variance, or judgments and runs"),
        (("--variance", "0.1"), "the smallest difference that matters is needed"),
        ((QRELS, *RUNS), "is often too large; give --difference"),
        (("--design", "anova", QRELS, *RUNS), "the smallest difference that matters is needed"),
        (("--design", "interval", "--variance", "0.1"), "the width of the interval is needed; give --width"),
        (("--design", "interval", QRELS, *RUNS), "the width of the interval is needed"),
        (
            ("--variance", "0.1", "--difference", "0.1", "--width", "1"),
            "--width has no effect without --design interval",
        ),
        (
            ("--design", "interval", "--width", "0.1", "--variance", "0.1", "--systems", "3"),
            "--systems has no effect without --design t or anova",
        ),
        (("--design", "interval", "--difference", "1"), "--difference has no effect without --design t or anova"),
        (("--design", "anova", "--alternative", "less"), "--alternative has no effect without --design t"),
        (("--design", "anova", "--systems", "1"), "'1' is not a whole number of 2 or more"),
        (("--variance", "0"), "'0' is not a number above 0"),
        ((QRELS, RUNS[0], "--all-pairs", "--baseline", "x"), "--baseline has no effect with --all-pairs"),
        ((QRELS, *RUNS, "--difference", "1", "--baseline", "hybird"), "did you mean 'hybrid'?"),
    ],
)
def test_a_plan_that_lacks_a_number_or_has_one_too_many_is_refused(irev, arguments, fact):
    refused(irev("power", *arguments), fact)
