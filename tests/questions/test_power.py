"""``irev power`` as a shell sees it: every number that it prints, computed again by `reference_comparison` and
`reference_statistics`; what it refuses."""

import math

import numpy as np
import pytest
import reference_comparison as reference
from comparing import QRELS, RUNS, SOME, both, record, sentences, shown, write_pairs
from outcomes import refused
from scipy import stats

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


def test_from_runs_the_difference_and_the_variance_are_measured(irev, pairs):
    files = pairs(SOME)
    for need in planned(irev, "--scores", *files, "--all-pairs"):
        changed = reference.differences(*both(SOME, need["baseline"], need["run"]))
        effect = reference.mean(changed) / reference.deviation(changed)
        expected = {
            "queries": 30,
            "difference": reference.mean(changed),
            "variance": reference.deviation(changed) ** 2,
            "effect": effect,
            "power": reference.power(30, abs(effect)),
            "needed": reference.needed(effect),
        }
        assert pytest.approx(expected, rel=1e-9) == {name: need[name] for name in expected}
    assert 6 == len(planned(irev, "--scores", *files, "--all-pairs"))
    assert ["A", "B", "D"] == [need["run"] for need in planned(irev, "--scores", *files, "--baseline", "C")]


def test_from_runs_anova_looks_at_the_best_and_the_worst_and_at_the_variance_within(irev, pairs):
    need = planned(irev, "--scores", *pairs(SOME), "--design", "anova")[0]

    means = [reference.mean(list(of.values())) for of in SOME.values()]
    variance = reference.mean([reference.deviation(list(of.values())) ** 2 for of in SOME.values()])
    assert pytest.approx((max(means) - min(means), variance)) == (need["difference"], need["variance"])
    assert reference.needed_anova(4, max(means) - min(means), variance, 0.05, 0.8) == need["needed"]


def test_what_is_given_stands_for_what_is_measured(irev):
    need = planned(irev, QRELS, *RUNS[:2], "-m", "AP", "--difference", "0.1", "--variance", "0.04")[0]

    assert (0.1, 0.04, 7) == (need["difference"], need["variance"], need["queries"])
    assert reference.needed(0.5) == need["needed"]


def test_a_difference_that_is_always_the_same_but_for_rounding_has_no_variance_to_plan_with(irev, pairs):
    pairs({"A": {"1": 0.1, "2": 0.2, "3": 0.3}, "B": {"1": 0.2, "2": 0.3, "3": 0.4}})

    need = planned(irev, "--scores", "A", "B")[0]
    assert (0, None, None, None) == tuple(need[name] for name in ("variance", "effect", "power", "needed"))
    assert "or the variance is 0 or unknown" in sentences(shown(irev, "power", "--scores", "A", "B"))


@pytest.mark.parametrize("alternative", ["greater", "less"])
def test_a_test_with_one_side_is_planned_for_differences_on_that_side(irev, pairs, alternative):
    files = pairs(SOME)
    needs = planned(irev, "--scores", *files, "--baseline", "C", "--alternative", alternative)

    seen = set()
    for need in needs:
        toward = need["effect"] if alternative == "greater" else -need["effect"]
        seen.add(toward > 0)
        assert (reference.needed(toward, 0.05, 0.8, 1) if toward > 0 else None) == need["needed"]
        assert (need["power"] > 0.05) == (toward > 0)
    assert {True, False} == seen
    told = sentences(shown(irev, "power", "--scores", *files, "--baseline", "C", "--alternative", alternative))
    assert "or one that --alternative excludes" in told
    asked = planned(irev, "--scores", *files, "--difference", "0.1", "--alternative", alternative)
    assert all(need["needed"] is not None for need in asked), "a difference that is asked for is looked for"


def test_one_run_alone_is_nothing_to_plan_with(irev, pairs):
    refused(irev("power", "--scores", *pairs({"A": SOME["A"]})), "there is nothing to compare; give at least two runs")


@pytest.mark.parametrize(("options", "runs"), [((), 2), (("--systems", "7"), 7)])
def test_for_how_many_runs_an_analysis_of_variance_is_planned_is_said(irev, options, runs):
    command = ("power", "--design", "anova", "--difference", "0.1", "--variance", "0.05", *options)

    assert f"analysis of variance of {runs} runs at level 0.05" in sentences(shown(irev, *command))
    assert runs == record(irev, *command)["design"]["systems"]


def test_power_computed_from_what_was_found_is_called_what_it_is(irev, pairs):
    files = pairs(SOME)
    words = "The power for the measured difference only restates its p-value."

    assert words in sentences(shown(irev, "power", "--scores", *files))
    assert words not in sentences(shown(irev, "power", "--scores", *files, "--difference", "0.1"))


def test_a_difference_of_nothing_cannot_be_found(irev, pairs):
    pairs({"A": SOME["A"], "B": SOME["A"], "one": {"q1": 0.5}, "other": {"q1": 0.25}})

    assert None is planned(irev, "--scores", "A", "B")[0]["needed"]
    assert (None, 1) == tuple(planned(irev, "--scores", "one", "other")[0][of] for of in ("needed", "queries"))
    assert None is planned(irev, "--difference", "0.00001", "--variance", "1")[0]["needed"]
    text = sentences(shown(irev, "power", "--scores", "A", "B"))
    assert "–: no number of queries shows a difference of 0; or more than 10,000,000 are needed;" in text


@pytest.mark.parametrize(
    ("arguments", "fact"),
    [
        ((), "without runs a variance is needed; give --variance, or judgments and runs"),
        (("--variance", "0.1"), "without runs a difference is needed"),
        (("--design", "interval", "--variance", "0.1"), "the width of the interval is needed; give --width"),
        (("--design", "interval", QRELS, *RUNS), "the width of the interval is needed"),
        (
            ("--variance", "0.1", "--difference", "0.1", "--width", "1"),
            "--width has no effect without --design interval",
        ),
        (
            ("--variance", "0.1", "--difference", "0.1", "--systems", "3"),
            "--systems has no effect without --design anova",
        ),
        (("--design", "interval", "--difference", "1"), "--difference has no effect without --design t or anova"),
        (("--design", "anova", "--alternative", "less"), "--alternative has no effect without --design t"),
        (("--design", "anova", "--systems", "1"), "1 is below 2"),
        (("--variance", "0"), "0 is not a number above 0"),
        ((QRELS, RUNS[0], "--all-pairs", "--baseline", "x"), "--baseline has no effect with --all-pairs"),
        ((QRELS, *RUNS, "--baseline", "hybird"), "did you mean 'hybrid'?"),
    ],
)
def test_a_plan_that_lacks_a_number_or_has_one_too_many_is_refused(irev, arguments, fact):
    refused(irev("power", *arguments), fact)


def test_a_direction_without_a_baseline_is_refused(irev):
    """Whose the sign of a measured difference is, would depend on the order of the files."""
    said = "with all pairs there is no baseline, so --alternative less has no meaning; name a baseline or a --differ"
    refused(irev("power", "--all-pairs", "--alternative", "less", QRELS, *RUNS), said)
    asked = ("power", "--all-pairs", "--alternative", "less", "--difference", "0.05", QRELS)
    needed = [
        {frozenset((need["run"], need["baseline"])): need["needed"] for need in planned(irev, *asked[1:], *runs)}
        for runs in (RUNS, RUNS[::-1])
    ]
    assert needed[0] == needed[1]
