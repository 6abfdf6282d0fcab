"""`irev check` by its whole command line: every kind of condition passes, fails and is undecided where it should;
baselines, configuration, files for services, exit status; and a slow reference that judges its verdicts.

In the runs of most tests every query has one relevant document, so that RR and AP are 1 / its rank.
"""

import gzip
import json
import math
import os
import random
import re
import shlex
import subprocess
import sys
import time
from collections.abc import Hashable
from pathlib import Path
from xml.etree import ElementTree

import pytest
import reference_comparison
from conftest import ROOT, added, environment
from outcomes import refused
from schema import faults
from scipy import stats

from irev import check as check_in_python
from irev import evaluate
from irev.base.choice import NewFile, UpdatedFile
from irev.base.errors import UsageError
from irev.cli.check import _CHOICES, KEYS
from irev.output.styles import styles

SUMMARY = "GITHUB_STEP_SUMMARY"
UNKNOWN = "Judged shares unknown: most queries have no document judged not relevant."
COMMAND = [sys.executable, "-m", "irev", "check"]


@pytest.fixture(autouse=True)
def folder(tmp_path, monkeypatch):
    """Every test has a folder of its own, and no service around it."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv(SUMMARY, raising=False)
    return tmp_path


def made(name: str, *ranks: int | None, tag: str = "") -> str:
    """A run in which the relevant document of each query has this rank; 0: not found, None: no results at all."""
    lines = []
    for number, rank in enumerate(ranks, start=1):
        if rank is not None:
            found = [f"x{place}" for place in range(1, max(rank, 1) + 1)]
            found[rank - 1 :] = ["relevant"] if rank else found[-1:]
            lines += [
                f"q{number} Q0 {document} {place} {-place} {tag or name}\n"
                for place, document in enumerate(found, start=1)
            ]
    Path(name).write_text("".join(lines), encoding="utf-8")
    return name


def judged(queries: int, name: str = "qrels") -> str:
    """Judgments of so many queries, in each of which one document is relevant."""
    lines = (f"q{number} 0 relevant 1\n" for number in range(1, queries + 1))
    Path(name).write_text("".join(lines), encoding="utf-8")
    return name


@pytest.fixture
def check(irev):
    """``check(*arguments)``: what the command left behind."""
    return lambda *arguments: irev("check", *arguments)


@pytest.fixture
def verdict(irev):
    """``verdict(*arguments)``: the JSON of a check that came to a verdict, which fits its schema and exit status."""

    def verdict(*arguments: str) -> dict:
        status, stdout, stderr = irev("check", *arguments, "-f", "json")
        assert status in (0, 1), stderr
        record = json.loads(stdout)
        assert [] == faults(record)
        assert (status == 0) == record["holds"] == all(found["holds"] for found in record["findings"])
        assert record["failed"] == sum(not found["holds"] for found in record["findings"])
        return record

    return verdict


@pytest.fixture
def states(verdict):
    """``states(*arguments)``: the state of each condition, in the order of the findings."""
    return lambda *arguments: [found["state"] for found in verdict(*arguments)["findings"]]


# Conditions about the run alone


RANKS = (1, 2, 4, 0)
"""RR is 1, 0.5, 0.25 and 0: 0.4375 in the mean."""

ALONE = {
    ("--min", "RR=0.4375"): "pass",
    ("--min", "RR=0.43751"): "fail",
    ("--min", "RR=0"): "pass",
    ("--min", "RR = 4e-1"): "pass",
    ("--max", "RR=0.4375"): "pass",
    ("--max", "RR=0.4374"): "fail",
    ("--min", "AP(rel=2)=0"): "pass",
    ("--min", "AP(rel=2)=0.3"): "fail",
    ("--max", "AP(rel=2)=0"): "pass",
    ("--min", "recip_rank=0.4"): "pass",
    ("--min", "RR(agg=median)=0.375"): "pass",
    ("--min", "RR(agg=median)=0.376"): "fail",
    ("--min", "gm_map=0.03"): "pass",
    ("--min", "gm_map=0.04"): "fail",
    ("--max", "num_q=4"): "pass",
    ("--max", "num_q=3"): "fail",
    ("--max", "SearchLength=1.3"): "fail",
    ("--every-query", "RR>=0"): "pass",
    ("--every-query", "RR>0"): "fail",
    ("--every-query", "RR<=1"): "pass",
    ("--every-query", "RR<1"): "fail",
    ("--every-query", "P@5 < 0.3"): "pass",
    ("--every-query", "AP(rel=2)=0"): "pass",
    ("--every-query", "RR=0"): "fail",
    ("--min", "queries=4"): "pass",
    ("--min", "queries=5"): "fail",
    ("--max", "missing=0"): "pass",
    ("--max", "tied=0"): "pass",
    ("--min", "judged=3"): "pass",
    ("--min", "judged=4"): "fail",
    ("--max", "unjudged=5"): "pass",
    ("--max", "unjudged=4"): "fail",
    ("--min", "judged@1=0.25"): "pass",
    ("--min", "judged@1=0.26"): "fail",
}


@pytest.mark.parametrize(("condition", "state"), ALONE.items(), ids=lambda value: " ".join(value))
def test_a_condition_about_a_run_is_judged_by_the_value(states, condition, state):
    assert [state] == states(judged(4), made("run", *RANKS), *condition)


def test_a_run_that_lost_its_hard_queries_does_not_pass(verdict):
    record = verdict(judged(4), made("run", 1, 2, None, None), "--min", "RR=0.5", "--max", "missing=0")
    assert [("missing", 2.0), ("RR", 0.375)] == sorted(
        ((found["measure"], found["measured"]) for found in record["findings"]), reverse=True
    )
    assert 2 == record["failed"]
    assert [4] == [value["queries"] for value in record["values"]]


def test_the_same_run_passes_where_only_its_own_queries_count(states):
    assert ["pass"] == states(judged(4), made("run", 1, 2, None, None), "--min", "RR=0.75", "--queries", "both")


def test_queries_with_results_are_counted_whichever_queries_count(states):
    files = (judged(4), made("run", 1, 2, None, None), "--min", "queries=2", "--max", "queries=2")
    assert ["pass", "pass"] == states(*files)
    assert ["pass", "pass"] == states(*files, "--queries", "both")


def test_a_mean_that_is_the_limit_but_for_what_adding_rounds_holds(states):
    files = (judged(10), made("run", *(2,) * 10), "--baseline-run", made("before", *(2,) * 10))
    assert 0.1 != added([0.1] * 10) / 10
    assert ["pass", "pass"] == states(*files, "--min", "P@10=0.1", "--max", "P@10=0.1")
    lost = (judged(100), made("run", *(1,) * 69, *(0,) * 31), "--baseline-run", made("before", *(1,) * 70, *(0,) * 30))
    assert 0.01 < 0.7 - 0.69
    assert ["pass"] == states(*lost, "--max-drop", "RR=0.01")
    assert ["fail"] == states(*lost, "--max-drop", "RR=0.00999999")


def test_a_reason_has_as_many_digits_as_show_that_there_is_one(verdict):
    files = (judged(3), made("run", 1, 1, 0), "--baseline-run", made("before", 1, 1, 1))
    for condition, reason in {
        ("--min", "RR=0.66667"): "run: RR is 0.666667; required: at least 0.66667",
        ("--max", "RR=0.66666"): "run: RR is 0.66667; required: at most 0.66666",
        ("--max-drop", "RR=0.33333"): "run: RR is 0.666667, the baseline 1.000000 (-0.333333); required: a drop of at"
        " most 0.33333 (q3: 1.000000 to 0.000000)",
        ("--every-query", "RR>=0.12345678"): "run: RR must be >= 0.12345678 for every query; it is not for 1 of 3"
        " (q3: 0.0000)",
    }.items():
        assert [reason] == [found["reason"] for found in verdict(*files, *condition)["findings"]]


def test_every_query_that_is_not_as_required_is_named_worst_first(verdict):
    record = verdict(judged(4), made("run", *RANKS), "--every-query", "RR>=0.5")
    (found,) = record["findings"]
    assert [{"query": "q4", "before": None, "after": 0.0}, {"query": "q3", "before": None, "after": 0.25}] == found[
        "queries"
    ]
    assert "run: RR must be >= 0.5 for every query; it is not for 2 of 4 (q4: 0.0000, q3: 0.2500)" == found["reason"]


def test_what_must_be_low_is_worst_where_it_is_high(verdict):
    (found,) = verdict(judged(4), made("run", *RANKS), "--every-query", "RR<0.5")["findings"]
    assert ["q1", "q2"] == [change["query"] for change in found["queries"]]


def test_queries_in_a_tie_are_counted(states):
    Path("run").write_text("q1 Q0 relevant 1 1 run\nq1 Q0 other 2 1 run\nq2 Q0 other 1 2 run\n", encoding="utf-8")
    assert ["fail"] == states(judged(2), "run", "--max", "tied=0")
    assert ["pass"] == states("qrels", "run", "--max", "tied=1")


def test_a_condition_holds_for_each_of_several_runs(verdict):
    record = verdict(judged(2), made("good", 1, 1), made("bad", 2, 2), "--min", "RR=0.6")
    assert [("bad", "fail"), ("good", "pass")] == [(found["run"], found["state"]) for found in record["findings"]]


def test_a_condition_may_be_about_one_run_one_group_or_both(verdict):
    groups = "".join(f"q{number}\t{'de/x=1' if number < 3 else 'en'}\n" for number in range(1, 5))
    Path("groups").write_text(groups, encoding="utf-8")
    conditions = {
        "run:a/b=c/RR=0.4": ("a/b=c", "", 0.4375),
        "group:de/x=1/RR=0.5": (None, "de/x=1", 0.75),
        "run:two/group:en/RR=1": ("two", "en", 1.0),
        "group:de/x=1/run:a/b=c/RR=0.7": ("a/b=c", "de/x=1", 0.75),
    }
    options = [word for condition in conditions for word in ("--min", condition)]
    files = (judged(4), made("one", *RANKS), made("two", 2, 1, 1, 1))
    record = verdict(files[0], f"a/b=c={files[1]}", f"two={files[2]}", "--groups", "groups", *options)
    found = {(each["condition"].removeprefix("--min "), each["run"]): each for each in record["findings"]}
    assert 5 == len(found)
    for condition, (run, group, value) in conditions.items():
        of_run = found[condition, run or "a/b=c"]
        assert (group, value, "pass") == (of_run["group"], of_run["measured"], of_run["state"])


def test_a_condition_may_name_several_measures(verdict):
    record = verdict(judged(4), made("run", *RANKS), "--min", "P.1,5=0.2")
    assert [("P@5", "fail"), ("P@1", "pass")] == [(found["measure"], found["state"]) for found in record["findings"]]


# Conditions about what became of a run


BEFORE, AFTER = (1, 2, 4, 1), (1, 4, 2, 2)
"""RR falls from 0.6875 to 0.5625, by 0.125, which are 2/11; two queries of four are worse. SearchLength rises from 2 to
2.25."""

AGAINST = {
    ("--max-drop", "RR=0.125"): "pass",
    ("--max-drop", "RR=0.124"): "fail",
    ("--max-drop", "RR=0"): "fail",
    ("--max-drop", "RR=18.2%"): "pass",
    ("--max-drop", "RR=18.1%"): "fail",
    ("--max-drop", "RR=99%"): "pass",
    ("--max-drop", "SearchLength=0.25"): "pass",
    ("--max-drop", "SearchLength=0.24"): "fail",
    ("--max-drop", "SearchLength=12.5%"): "pass",
    ("--max-drop", "SearchLength=12.4%"): "fail",
    ("--max-drop", "num_rel_ret=0"): "pass",
    ("--max-drop", "RR(agg=median)=0.25"): "pass",
    ("--max-drop", "RR(agg=median)=0.24"): "fail",
    ("--max-query-losses", "RR=2"): "pass",
    ("--max-query-losses", "RR=1"): "fail",
    ("--max-query-losses", "SearchLength=2"): "pass",
    ("--max-query-losses", "SearchLength=1"): "fail",
    ("--max-share-losing", "RR>0.5=1%"): "undecided",
    ("--max-share-losing", "RR>0.5=53%"): "pass",  # of 4 without a loss, at most 1 - 0.05^(1/4) = 52.7%
    ("--max-share-losing", "RR > 0.5 = 0.53"): "pass",
    ("--max-share-losing", "RR>0.2=91%"): "pass",  # of 4 with two, at most 90.2%
    ("--max-share-losing", "RR>0.25=76%"): "pass",
    ("--max-share-losing", "RR>0.25=75%"): "undecided",
    ("--max-share-losing", "RR>0=9%"): "fail",  # and at least 9.8%
    ("--max-share-losing", "RR>0=10%"): "undecided",
    ("--max-share-losing", "SearchLength>1=91%"): "pass",
    ("--no-worse-than", "RR=0.99"): "pass",
    ("--no-worse-than", "RR=0.125"): "undecided",
    ("--no-worse-than", "RR=1%"): "undecided",
    ("--no-worse-than", "SearchLength=4"): "pass",
    ("--no-worse-than", "SearchLength=0.5"): "undecided",
}


@pytest.mark.parametrize(("condition", "state"), AGAINST.items(), ids=lambda value: " ".join(value))
def test_a_condition_about_a_change_is_judged_by_the_change(states, condition, state):
    files = (judged(4), made("run", *AFTER), "--baseline-run", made("before", *BEFORE))
    assert [state] == states(*files, *condition)


def test_losses_are_named_worst_first(verdict):
    files = (judged(4), made("run", *AFTER), "--baseline-run", made("before", *BEFORE))
    (found,) = verdict(*files, "--max-query-losses", "RR=1")["findings"]
    assert [{"query": "q4", "before": 1.0, "after": 0.5}, {"query": "q2", "before": 0.5, "after": 0.25}] == found[
        "queries"
    ]
    assert "required: at most 1 query worse; 2 of 4 are (q4: 1.0000 to 0.5000, q2: 0.5000 to 0.2500)" in found["reason"]


@pytest.mark.parametrize("condition", ["--no-worse-than 0.9", "--max-query-losses 1", "--max-share-losing >0.2=9%"])
def test_what_names_no_measure_is_about_those_of_other_conditions_or_the_usual_ones(verdict, condition):
    files = (judged(4), made("run", *AFTER), "--baseline-run", made("before", *BEFORE), *condition.split())
    assert ["AP", "nDCG@10"] == sorted(found["measure"] for found in verdict(*files)["findings"])
    named = verdict(*files, "--min", "RR=0")["findings"]
    assert ["RR", "RR"] == [found["measure"] for found in named]


def test_a_missing_query_is_a_loss(verdict):
    files = (judged(3), made("run", 1, None, 1), "--baseline-run", made("before", 1, 1, 1))
    (found,) = verdict(*files, "--max-query-losses", "RR=0")["findings"]
    assert [{"query": "q2", "before": 1.0, "after": 0.0}] == found["queries"]


@pytest.mark.parametrize(
    "condition",
    [
        ("--every-query", "RR>0"),
        ("--max-query-losses", "RR=0"),
        ("--min", "group:hard/RR=0.1"),
        ("--max-drop", "group:hard/RR=0.1"),
        ("--max-drop", "RR=0.1", "--significant", "0.2"),
        ("--no-worse-than", "RR=0.1"),
    ],
)
def test_a_missing_query_is_a_loss_in_the_numbers_of_9_0_8_too(verdict, condition):
    Path("groups").write_text("q3\thard\nq4\thard\n", encoding="utf-8")
    before, after = made("before", 1, 1, 1, 1, 1, 1), made("run", 1, 1, None, None, None, 1)
    files = (judged(6), after, "--baseline-run", before, "--compat", "9.0.8")
    files += ("--groups", "groups") if "group:" in condition[1] else ()
    (found,) = verdict(*files, *condition)["findings"]
    assert (False, False) == (found["holds"], found["state"] == "pass")


def test_a_run_and_its_baseline_have_the_same_queries(check):
    files = (judged(4), made("run", 1, 1, 1, None), "--baseline-run", made("before", 1, 1, 1, 1))
    for condition in ("--max-drop", "--max-query-losses", "--no-worse-than"):
        limit = "RR=1" if condition == "--max-query-losses" else "RR=0.9"
        done = check(*files, condition, limit, "--queries", "both")
        refused(done, "the baseline has other queries than run: 1 query is in only one of them", "--queries qrels")


# Significance


def contrast(before, after, level=0.05, allowed=0.0):
    """The mean difference of RR, its bounds at a level, and the p-value of a drop that is larger than is allowed; of a
    share, a text such as 10%, that is the share of every query's value before."""
    old, new = ([1 / rank if rank else 0 for rank in of] for of in (before, after))
    differences = [b - a for a, b in zip(old, new, strict=True)]
    share = float(allowed[:-1]) / 100 if isinstance(allowed, str) else None
    left = [d + (share * a if share is not None else allowed) for a, d in zip(old, differences, strict=True)]
    mean = sum(differences) / len(differences)
    reach = stats.t.ppf(1 - level, len(differences) - 1) * reference_comparison.error(differences, 1.0)
    return mean, mean - reach, mean + reach, float(stats.ttest_1samp(left, 0, alternative="less").pvalue)


STEADY, FALLEN = (1, 1, 1, 1, 1, 2, 2, 2), (2, 2, 2, 2, 3, 4, 4, 3)
"""Every query lost, and not all of them as much: a drop of 0.417, which lies between 0.301 and 0.533."""

MIXED = (2, 1, 1, 1, 1, 1, 3, 2)
"""A drop of 0.021, which lies between 0.205 and -0.163."""

SIGNIFICANT = [
    (FALLEN, "RR=0.3", "fail"),  # shown to be larger
    (FALLEN, "RR=0.31", "undecided"),  # larger, but not shown to be
    (FALLEN, "RR=0.53", "undecided"),
    (FALLEN, "RR=0.54", "pass"),  # shown to be smaller
    (FALLEN, "RR=10%", "fail"),
    (FALLEN, "RR=35%", "fail"),
    (FALLEN, "RR=50%", "undecided"),
    (FALLEN, "RR=60%", "pass"),
    (FALLEN, "SearchLength=0.5", "fail"),
    (FALLEN, "SearchLength=3", "pass"),
    (MIXED, "RR=0.01", "undecided"),
    (MIXED, "RR=0.1", "undecided"),
    (MIXED, "RR=0.3", "pass"),
    (STEADY, "RR=0", "pass"),
]


@pytest.mark.parametrize(("after", "limit", "state"), SIGNIFICANT)
def test_with_significance_a_drop_is_held_against_the_one_that_is_allowed(verdict, after, limit, state):
    files = (judged(8), made("run", *after), "--baseline-run", made("before", *STEADY))
    record = verdict(*files, "--max-drop", limit, "--significant", "0.05")
    (found,) = record["findings"]
    assert (state, state != "fail") == (found["state"], found["holds"])
    tests, *others = (note for note in record["notes"] if note != UNKNOWN)
    assert "Tests: paired t test, one-sided, against the drop that is allowed, level 0.05, Holm's correction." == tests
    assert [] == [other for other in others if not limit.startswith("SearchLength")]  # whose differences are skewed
    if limit.startswith("RR") and after != STEADY:
        allowed = limit.removeprefix("RR=")
        mean, low, high, p = contrast(STEADY, after, 0.05, allowed if allowed.endswith("%") else float(allowed))
        assert [pytest.approx(each) for each in (mean, low, high, p)] == [
            found["difference"],
            *found["interval"].values(),
            found["p"],
        ]


def test_a_share_is_one_of_what_the_baseline_has_where_lower_is_better_too(verdict):
    before, after = (2, 3, 4, 6, 5, 3, 2, 4), (3, 5, 5, 9, 6, 4, 3, 7)  # and so is SearchLength
    files = (judged(8), made("run", *after), "--baseline-run", made("before", *before), "--significant", "0.05")
    for share in (10, 30, 45, 100, 120):
        (found,) = verdict(*files, "--max-drop", f"SearchLength={share}%")["findings"]
        left = [(b - a) + share / 100 * b for b, a in zip(before, after, strict=True)]
        below, above = (stats.ttest_1samp(left, 0, alternative=side).pvalue for side in ("less", "greater"))
        assert pytest.approx(below) == found["p"]
        assert ("fail" if below <= 0.05 else "pass" if above <= 0.05 else "undecided") == found["state"]


BETTER_ON_MOST = (10,) * 45 + (2,) * 5, (9,) * 45 + (4,) * 5
"""On 45 of 50 queries RR rises by 0.011, on five it falls by 0.25: by 0.015 in the mean."""


@pytest.mark.parametrize("condition", ["--max-drop", "--no-worse-than"])
def test_a_run_that_is_better_on_most_queries_does_not_fail_for_it(verdict, condition):
    before, after = BETTER_ON_MOST
    files = (judged(50), made("run", *after), "--baseline-run", made("before", *before), condition, "RR=0.01")
    (found,) = verdict(*files, "--significant", "0.05")["findings"]
    assert (pytest.approx(-0.015), "undecided") == (found["difference"], found["state"])


def test_a_level_is_the_level_of_test_and_interval(verdict):
    files = (judged(8), made("run", *MIXED), "--baseline-run", made("before", *STEADY), "--max-drop", "RR=0.01")
    *_, p = contrast(STEADY, MIXED, 0.05, 0.01)
    (found,) = verdict(*files, "--significant", str(p * 1.001))["findings"]
    assert "fail" == found["state"]
    assert [pytest.approx(each) for each in contrast(STEADY, MIXED, p * 1.001)[1:3]] == list(found["interval"].values())
    (found,) = verdict(*files, "--significant", str(p * 0.999))["findings"]
    assert "undecided" == found["state"]


def test_conditions_of_the_same_numbers_are_one_test(irev):
    files = [str(ROOT / "sample_data" / name) for name in ("hybrid.run", "qrels.txt", "keyword.run")]

    def p_values(*conditions):
        drops = [word for each in conditions for word in ((each,) if each[:2] == "--" else ("--max-drop", each))]
        asked = ("check", "--significant", "0.05", *drops, "--baseline-run", *files, "-f", "json")
        return [found["p"] for found in json.loads(irev(*asked).stdout)["findings"]]

    (alone,) = p_values("AP=0.01")
    assert [alone, alone, alone] == p_values("AP=0.01", "map=0.01", "AP(rel=1)=0.01")
    two = p_values("AP=0.01", "nDCG=0.01")
    assert [2 * alone] == two[:1]
    assert [*two, two[0]] == p_values("AP=0.01", "nDCG=0.01", "map=0.01")
    assert [2 * alone] == p_values("AP=0.01", "AP=0.02")[:1]


def test_runs_that_lose_as_much_in_other_queries_are_tests_of_their_own(verdict):
    """Equal p-values and intervals do not make one test of two runs."""
    ranks = {"one": (2, 1, 1, 2, 1, 1), "two": (1, 2, 1, 1, 2, 1), "again": (2, 1, 1, 2, 1, 1)}

    def p_values(*names):
        runs = (made(name, *ranks[name]) for name in names)
        asked = ("--max-drop", "RR=0.01", "--significant", "0.05")
        found = verdict(judged(6), *runs, "--baseline-run", made("before", 1, 1, 1, 1, 1, 1), *asked)["findings"]
        return [each["p"] for each in found]

    (p,) = p_values("one")
    assert [p, p] == p_values("one", "again")
    assert [2 * p, 2 * p] == p_values("one", "two")
    assert [2 * p, 2 * p, 2 * p] == p_values("one", "two", "again")


def test_a_correction_can_make_of_a_failure_what_cannot_be_told(states):
    after = (2, 1, 2, 1, 2, 2, 4, 2)
    p = contrast(STEADY, after, 0.05, 0.01)[3]
    files = (judged(8), made("run", *after), made("same", *STEADY[:-1], 3), "--baseline-run", made("b", *STEADY))
    conditions = ("--max-drop", "run:run/RR=0.01", "--significant", str(p * 1.5))
    assert ["fail"] == states(*files, *conditions)
    assert ["undecided", "pass"] == states(*files, *conditions, "--max-drop", "run:same/RR=0.6")


@pytest.mark.parametrize("condition", ["--max-drop", "--no-worse-than"])
@pytest.mark.parametrize(("queries", "few"), [(2, True), (3, True), (12, False)])
@pytest.mark.parametrize(("before", "after"), [(1, 2), (2, 1)])
def test_a_few_queries_that_all_differ_by_the_same_amount_show_nothing_of_others(
    verdict, condition, queries, few, before, after
):
    files = (judged(queries), made("run", *(after,) * queries), "--baseline-run", made("b", *(before,) * queries))
    (found,) = verdict(*files, condition, "RR=0.1", "--significant", "0.05")["findings"]
    worse = after > before
    assert ("undecided" if few else "fail" if worse else "pass") == found["state"]
    assert ("all queries differ by the same amount, and" in found["reason"]) == few
    assert found["holds"] == ((few and condition == "--max-drop") or (not few and not worse))
    left, error = (-0.4 if worse else 0.6), math.sqrt(2 / (queries * (queries - 1)))  # as if none differed
    assert (found["interval"] is None) == few
    if not few:
        off, mean = stats.t.ppf(0.95, queries - 1) * error, (-0.5 if worse else 0.5)
        assert pytest.approx((mean - off, mean + off)) == (found["interval"]["low"], found["interval"]["high"])
    p = stats.t.sf(left / error, queries - 1)
    assert pytest.approx(1 - p if condition == "--max-drop" else p) == found["p"]


@pytest.mark.parametrize("condition", ["--max-drop", "--no-worse-than"])
@pytest.mark.parametrize(("after", "said"), [((1, 2), "no query differs"), ((1, 1), None)])
def test_two_queries_without_a_difference_show_nothing_of_others_and_that_is_said(verdict, condition, after, said):
    files = (judged(2), made("run", *after), "--baseline-run", made("before", 1, 2), "--significant", "0.05")
    (found,) = verdict(*files, condition, "RR=0.1")["findings"]
    if not said:
        assert "undecided" == found["state"]
        return
    assert ("pass" if condition == "--max-drop" else "undecided") == found["state"]
    excluded = stats.t.ppf(0.95, 1)  # the error is √(2/(2 · 1))
    enough = next(n for n in range(2, 99) if stats.t.ppf(0.95, n - 1) * math.sqrt(2 / (n * (n - 1))) <= 0.1)
    assert (
        f"{said}, which excludes a drop of more than {excluded:.4f}; about {enough} queries without a difference would"
        " exclude the drop that is allowed"
    ) in found["reason"]


@pytest.mark.thorough
def test_a_share_of_losing_queries_is_judged_by_its_exact_bound(verdict):
    before, after = (1,) * 60, (1,) * 57 + (4, 2, 2)
    files = (judged(60), made("run", *after), "--baseline-run", made("before", *before))
    for loss, lost in ((0.8, 0), (0.75, 0), (0.7, 1), (0.5, 1), (0.4, 3), (0, 3)):
        for share in (1, 4, 5, 7, 8, 12, 13):
            for level in (0.05, 0.2):
                condition = ("--max-share-losing", f"RR>{loss}={share}%", "--significant", str(level))
                (found,) = verdict(*files, *condition)["findings"]
                bounds = {
                    side: stats.binomtest(lost, 60, alternative=way).proportion_ci(1 - level)
                    for side, way in (("low", "greater"), ("high", "less"))
                }
                expected = {"queries": lost, "of": 60, "low": bounds["low"].low, "high": bounds["high"].high}
                assert pytest.approx(expected) == found["losing"]
                p = stats.binomtest(lost, 60, share / 100, alternative="less").pvalue
                assert pytest.approx(p) == found["p"]
                state = "pass" if p <= level else "undecided"
                if stats.binomtest(lost, 60, share / 100, alternative="greater").pvalue < level:
                    state = "fail"
                assert (state, state == "pass") == (found["state"], found["holds"])
                assert lost == (len(found["queries"]) if state != "pass" else lost)


def test_a_share_of_losing_queries_is_put_into_words(verdict):
    files = (judged(60), made("run", *(1,) * 57, 4, 2, 2), "--baseline-run", made("before", *(1,) * 60))
    for condition, said in {
        "RR>0.7=8%": "run: RR is 0.9708, the baseline 1.0000 (-0.0292); required: shown that at most 8% of queries lose"
        " more than 0.7; 1 of 60 does, and of all queries at most 7.7%, p = 0.0418",
        "RR>0.7=7%": "shown that at most 7% of queries lose more than 0.7; 1 of 60 does, and of all queries at most"
        " 7.7%, p = 0.0709: the queries are too few to tell (q58: 1.0000 to 0.2500)",
        "RR>0=1%": "3 of 60 do, and of all queries at least 1.4% (q58: 1.0000 to 0.2500,",
    }.items():
        (found,) = verdict(*files, "--max-share-losing", condition)["findings"]
        assert said in found["reason"]


def test_a_share_of_losing_queries_is_in_every_output(check, monkeypatch):
    monkeypatch.setenv("GITHUB_ACTIONS", "true")
    files = (judged(60), made("run", *(1,) * 57, 4, 2, 2), "--baseline-run", made("before", *(1,) * 60))
    done = check(*files, "--max-share-losing", "RR>0.7=7%", *ALL_FILES, "-f", "tsv")
    assert 1 == done.status
    header, row = (line.split("\t") for line in done.stdout.decode().splitlines())
    about = dict(zip(header, row, strict=True))
    assert ("0.0167", "0.0766") == (about["losing"], about["losing_high"])
    assert "losing: 1 of 60, 0.1% to 7.7% of all" in ElementTree.parse("junit.xml").find("*/*/failure").text
    said = "1 of 60 does, and of all queries at most 7.7%"
    assert said in Path("comment.md").read_text()
    assert "1 of 60 does, and of all queries at most 7.7%25" in done.stderr
    assert b"1 of 60, 0.1% to 7.7%" in check(*files, "--max-share-losing", "RR>0.7=7%").stdout


@pytest.mark.parametrize("undecided", ["fail", "pass"])
def test_a_share_that_cannot_be_told_counts_as_it_is_said_to(verdict, undecided):
    files = (judged(4), made("run", *AFTER), "--baseline-run", made("before", *BEFORE), "--undecided", undecided)
    (found,) = verdict(*files, "--max-share-losing", "RR>0.5=1%")["findings"]
    assert ("undecided", undecided == "pass") == (found["state"], found["holds"])


def test_notes_say_how_shares_are_judged_and_what_p_is(verdict):
    files = (judged(4), made("run", *AFTER), "--baseline-run", made("before", *BEFORE))
    record = verdict(*files, "--max-share-losing", "RR>0.5=30%", "--significant", "0.1")
    note = (
        "Shares of queries: exact bound of Clopper and Pearson, one-sided, level 0.1; p is the probability that "
        "so few queries or fewer lose, if the true share is the limit."
    )
    assert [note, UNKNOWN] == record["notes"]
    (found,) = record["findings"]
    assert stats.binomtest(found["losing"]["queries"], 4, 0.3, alternative="less").pvalue == pytest.approx(found["p"])


@pytest.mark.parametrize("condition", ["--max-drop", "--no-worse-than"])
def test_where_no_query_differs_notes_name_no_correction(verdict, condition):
    files = (judged(4), made("run", *BEFORE), "--baseline-run", made("before", *BEFORE))
    record = verdict(*files, condition, "RR=0.1", "--significant", "0.05")
    assert record["holds"] == (condition == "--max-drop")
    assert ["Tests: paired t test, one-sided, against the drop that is allowed, level 0.05.", UNKNOWN] == record[
        "notes"
    ]


@pytest.mark.parametrize(("queries", "state"), [(23, "undecided"), (24, "undecided"), (25, "pass")])
def test_enough_queries_without_a_difference_show_that_nothing_was_lost(verdict, queries, state):
    ranks = (1, 2) * queries
    files = (judged(queries), made("run", *ranks[:queries]), "--baseline-run", made("before", *ranks[:queries]))
    (found,) = verdict(*files, "--no-worse-than", "RR=0.1")["findings"]
    p = stats.t.sf(0.1 / math.sqrt(2 / (queries * (queries - 1))), queries - 1)
    assert (state, pytest.approx(p)) == (found["state"], found["p"])


def test_notes_name_a_correction_only_where_a_corrected_p_is_shown(verdict):
    files = (judged(4), made("run", *AFTER), "--baseline-run", made("before", *BEFORE), "--significant", "0.05")
    assert "Holm" not in verdict(*files, "--no-worse-than", "RR=0.1")["notes"][0]
    assert "Holm" in verdict(*files, "--no-worse-than", "RR=0.1", "--max-drop", "RR=0.1")["notes"][0]


def test_every_part_of_a_table_says_which_of_several_conditions_on_a_measure_a_row_is_about(check):
    files = (judged(4), made("run", *AFTER), "--baseline-run", made("before", *BEFORE), "--significant", "0.05")
    lines = check(*files, "--max-drop", "RR=0.3", "--no-worse-than", "RR=0.9").stdout.decode().splitlines()
    heads = [line for line in lines if line.startswith("state ")]
    assert len(heads) > 1
    assert [] == [line for line in heads if "required" not in line]


def test_no_share_of_a_baseline_of_0_can_be_lost(verdict):
    files = (judged(4), made("run", 2, 3, 2, 4), "--baseline-run", made("before", 1, 1, 1, 1))
    (found,) = verdict(*files, "--no-worse-than", "unjudged@1=2%")["findings"]
    assert "fail" == found["state"]
    files = (*files[:1], made("run", 2, 3, 1, 4), *files[2:])
    (found,) = verdict(*files, "--no-worse-than", "unjudged@1=2%", "--significant", "0.2")["findings"]
    assert ("fail", 0.0) == (found["state"], found["baseline"])


def test_one_query_tells_nothing_where_significance_is_asked_for(verdict):
    files = (judged(1), made("run", 2), "--baseline-run", made("before", 1))
    for condition, holds in (("--max-drop", True), ("--no-worse-than", False)):
        (found,) = verdict(*files, condition, "RR=0.1", "--significant", "0.05")["findings"]
        assert ("undecided", holds, None, None) == (found["state"], found["holds"], found["interval"], found["p"])
    assert ["fail"] == [each["state"] for each in verdict(*files, "--max-drop", "RR=0.1")["findings"]]


def test_what_became_infinitely_worse_fails_although_no_test_can_be_made(verdict):
    files = (judged(4), made("run", 1, 1, 1, 0), "--baseline-run", made("before", 1, 1, 1, 9), "--undecided", "pass")
    for condition in (("--max-drop", "SearchLength=5"), ("--no-worse-than", "SearchLength=5")):
        (found,) = verdict(*files, *condition, "--significant", "0.05")["findings"]
        assert ("fail", "inf") == (found["state"], found["difference"])


def test_what_is_infinite_in_the_mean_is_judged_by_what_queries_lost(verdict):
    files = (judged(4), "--baseline-run", made("before", 1, 1, 2, 0), "--max-drop", "SearchLength=0.5")
    for ranks, state in {
        (1, 1, 2, 0): "pass",
        (1, 2, 3, 0): "pass",  # 0.5 in the mean
        (1, 2, 4, 0): "fail",
        (1, 1, 0, 0): "fail",
        (1, 1, 0, 5): "fail",
    }.items():
        (found,) = verdict(*files[:1], made("run", *ranks), *files[1:])["findings"]
        assert (state, "inf", "inf") == (found["state"], found["measured"], found["baseline"]), ranks
    (found,) = verdict(*files[:1], made("run", 0, 0, 0, 0), *files[1:], "--significant", "0.05")["findings"]
    assert "fail" == found["state"]
    assert (
        "run: SearchLength is inf, the baseline inf; required: a drop of at most 0.5; the test has no result"
        in (found["reason"])
    )


@pytest.mark.parametrize(
    ("measure", "most"), [("num_rel_ret", 1), ("RR(agg=median)", 0.9), ("Judged(by=pooled)@2", 0.9)]
)
def test_what_is_no_mean_of_queries_is_not_tested(check, measure, most):
    files = (judged(4), made("run", *AFTER), "--baseline-run", made("before", *BEFORE))
    for options in (
        ("--max-drop", f"{measure}={most}", "--significant", "0.05"),
        ("--no-worse-than", f"{measure}={most}"),
    ):
        refused(check(*files, *options), "tests are about means of queries")
    assert 0 == check(*files, "--max-drop", f"{measure}={most}").status


@pytest.mark.parametrize(
    ("condition", "said"),
    [
        ("--max-drop nDCG@10=2", "so no drop is larger than 2; write 2% or 0.02"),
        ("--max-drop nDCG@10=1", "so no drop is larger than 1; write 1% or 0.01"),
        ("--max-drop nDCG@10=200%", "so no drop is larger than 200%; write a share below 100%"),
        ("--max-drop run:run/RR(agg=median)=500", "so no drop is larger than 500; write a number below 1"),
        ("--no-worse-than 1.3", "so no drop is larger than 1.3; write 1.3% or 0.013"),
        ("--max-share-losing AP>2=5%", "so no drop is larger than 2; write 0.02"),
        ("--min RR=2", "and 2 does not; write a number from 0 to 1"),
        ("--max RR=1.5", "and 1.5 does not; write a number from 0 to 1"),
        ("--every-query RR>-1", "and -1 does not; write a number from 0 to 1"),
    ],
)
def test_limits_beyond_the_range_of_a_measure_are_refused(check, condition, said):
    files = (judged(4), made("run", *AFTER), "--baseline-run", made("before", *BEFORE))
    refused(check(*files, *condition.split()), f" lies between 0 and 1, {said}")


@pytest.mark.parametrize(
    "condition",
    [
        "--max-drop DCG@10=2",
        "--max-drop num_rel_ret=2",
        "--max-drop RBPResid=200%",
        "--max-drop RR(agg=sum)=2",
        "--max CWL_P(of=ETC)@3=4",
        "--min nDCG(gains={0:-5})@1=-3",
        "--min nDCG(gains={0:-5})=-3",
        "--min RR=1",
    ],
)
def test_limits_within_the_range_of_a_measure_or_of_none_are_taken(check, condition):
    files = (judged(4), made("run", *AFTER), "--baseline-run", made("before", *BEFORE))
    assert check(*files, *condition.split()).status in (0, 1)
    of_gains = check(*files, "--max-drop", "nDCG@10=2", "--gains", "0=-1,1=1")
    assert of_gains.status == 0, of_gains.stderr


# The saved baseline


def saved(irev, name: str, *arguments: str) -> str:
    """A result that ``irev eval`` saved."""
    status, _, stderr = irev("eval", *arguments, "-f", "json", "-o", name)
    assert 0 == status, stderr
    return name


def test_a_result_of_eval_is_a_baseline(irev, verdict):
    made("before", *BEFORE)
    saved(irev, "saved.json", "-c", "-q", "-m", "recip_rank", judged(4), "before")
    by_run = verdict("qrels", made("run", *AFTER), "--baseline-run", "before", "--max-drop", "RR=0.1")
    by_file = verdict("qrels", "run", "--baseline", "saved.json", "--max-drop", "RR=0.1")
    assert ("before", "saved.json") == (by_run.pop("baseline"), by_file.pop("baseline"))
    assert ["Judged shares unknown:"] == [note[: note.index(" values")] for note in by_file.pop("notes")]
    assert [UNKNOWN] == by_run.pop("notes")
    assert by_run == by_file


def test_a_compressed_result_is_a_baseline(irev, states):
    saved(irev, "saved.json", "-c", "-q", "-m", "recip_rank", judged(4), made("before", *BEFORE))
    Path("saved.json.gz").write_bytes(gzip.compress(Path("saved.json").read_bytes()))
    assert ["fail"] == states("qrels", made("run", *AFTER), "--baseline", "saved.json.gz", "--max-drop", "RR=0.1")


def test_without_values_of_single_queries_only_the_value_for_all_can_be_compared(irev, check, states):
    saved(irev, "saved.json", "-c", "-m", "recip_rank", judged(4), made("before", *BEFORE))
    files = ("qrels", made("run", *AFTER), "--baseline", "saved.json")
    assert ["fail"] == states(*files, "--max-drop", "RR=0.1")
    for options in (
        ("--max-drop", "RR=0.1", "--significant", "0.05"),
        ("--no-worse-than", "RR=0.1"),
        ("--max-query-losses", "RR=1"),
    ):
        refused(check(*files, *options), "saved without the values of single queries", "irev eval -c -q -f json")


def test_the_first_baseline_is_written_when_all_else_holds(check, verdict):
    files = (judged(4), made("run", *BEFORE), "--baseline", "saved.json", "--update-baseline")
    assert 1 == check(*files, "--min", "RR=0.9", "--max-drop", "RR=0.1").status
    assert not Path("saved.json").exists()
    record = verdict(*files, "--min", "RR=0.5", "--max-drop", "RR=0.1")
    assert ["--min RR=0.5"] == [found["condition"] for found in record["findings"]]
    assert ["There is no baseline yet, so conditions that need one were not checked."] == record["notes"]
    assert Path("saved.json").exists()


def test_a_first_baseline_needs_no_other_condition(check):
    done = check(judged(4), made("run", *BEFORE), "--baseline", "saved.json", "--update-baseline", "--max-drop", "RR=0")
    assert (0, True) == (done.status, b"No condition was checked." in done.stdout)
    assert Path("saved.json").exists()


def test_the_first_baseline_is_told_and_where_it_is(check):
    files = (judged(4), made("run", *BEFORE), "--baseline", "saved.json", "--update-baseline")
    said = "irev: saved.json: this is the first baseline; later runs are compared with it\n"
    assert "" == check(*files, "--min", "RR=1")[2].partition("irev: warning")[0], "nothing is written, or said"
    assert said == check(*files, "--max-drop", "RR=0")[2]
    assert "" == check(*files, "--max-drop", "RR=0")[2], "which is none but the first"


def test_a_baseline_is_stable_has_all_digits_and_is_shown(check, irev):
    ranks = (3, 7, 1, 11)
    arguments = ("--baseline", "saved.json", "--update-baseline", "--min", "RR=0")
    check(judged(4), made("run", *ranks), *arguments)
    first = Path("saved.json").read_bytes()
    check("qrels", "run", *arguments)
    assert first == Path("saved.json").read_bytes()
    record = json.loads(first)
    assert {"q1": 1 / 3, "q2": 1 / 7, "q3": 1.0, "q4": 1 / 11} == {
        query: values["RR"] for query, values in record["results"][0]["per_query"].items()
    }
    assert 0 == irev("show", "saved.json").status
    assert [] == faults(record)


def test_a_baseline_is_updated_only_when_all_holds_or_where_it_was_deleted(check):
    arguments = ("--baseline", "saved.json", "--update-baseline", "--max-drop", "RR=0.01")
    check(judged(4), made("before", *BEFORE), *arguments)
    first = Path("saved.json").read_bytes()
    done = check("qrels", made("run", *AFTER), *arguments)
    assert (1, first) == (done.status, Path("saved.json").read_bytes())
    said = "saved.json is unchanged, because not all conditions hold"
    assert f"{said}; to accept the change, delete it and check again\n" in done.stderr
    assert f"{said}\n" in check("qrels", "run", *arguments, "--min", "RR=0.9").stderr, "which would not lead there"
    Path("saved.json").unlink()
    assert 0 == check("qrels", "run", *arguments).status
    assert first != Path("saved.json").read_bytes()
    assert 0 == check("qrels", "run", *arguments).status


def test_without_update_nothing_is_written(check):
    refused(
        check(judged(1), made("run", 1), "--baseline", "saved.json", "--max-drop", "RR=0"),
        "there is no such file; --update-baseline writes the first one",
    )
    assert ["qrels", "run"] == sorted(os.listdir())
    Path("irev.toml").write_text('qrels = "qrels"\nruns = ["run"]\nbaseline = "saved.json"\nmax-drop = ["RR=0"]\n')
    refused(check(), "the key 'baseline' names 'saved.json', which does not exist", "--update-baseline writes the f")


OTHERWISE = {
    "level": ("-l", "2"),
    "depth": ("-M", "3"),
    "judged-only": ("-J",),
    "compat": ("--compat", "9.0.8"),
    "order": ("--order", "rank"),
    "ties": ("--ties", "docid-asc"),
    "duplicates": ("--duplicates", "best"),
    "gains": ("--gains", "0=0,1=3", "--min", "nDCG=0"),
}


@pytest.mark.parametrize("setting", OTHERWISE)
def test_a_baseline_that_was_made_otherwise_is_refused_until_it_is_deleted(irev, check, setting):
    saved(irev, "saved.json", "-c", "-q", "-m", "recip_rank", judged(4), made("before", *BEFORE))
    arguments = ("qrels", made("run", *AFTER), "--baseline", "saved.json", "--max-drop", "RR=0", *OTHERWISE[setting])
    refused(check(*arguments), f"the baseline was made with {setting} ", "delete it, and make it again")
    Path("saved.json").unlink()
    assert 0 == check(*arguments, "--update-baseline").status
    assert 0 == check(*arguments).status


def test_a_baseline_without_the_measure_is_refused_until_it_is_deleted(irev, check):
    saved(irev, "saved.json", "-c", "-q", "-m", "recip_rank", judged(4), made("run", *BEFORE))
    arguments = ("qrels", "run", "--baseline", "saved.json", "--max-drop", "P@3=0")
    refused(check(*arguments), "the baseline has no P@3", "delete it, and make it again")
    Path("saved.json").unlink()
    assert 0 == check(*arguments, "--update-baseline").status
    assert 0 == check(*arguments).status


def test_a_baseline_of_the_queries_that_its_run_had_is_refused(irev, check):
    saved(irev, "saved.json", "-q", "-m", "recip_rank", judged(4), made("before", 1, None, 1, 1))
    done = check("qrels", made("run", *AFTER), "--baseline", "saved.json", "--max-drop", "RR=0")
    refused(done, "the baseline lacks the judged queries for which its run has no results", "irev eval -c -q -f json")


def test_a_baseline_of_every_judged_query_is_refused_where_others_count(check):
    update = ("--baseline", "saved.json", "--max-drop", "RR=0")
    assert 0 == check(judged(4), made("run", *AFTER), *update, "--update-baseline").status
    refused(check("qrels", "run", *update, "--queries", "both"), "counts every judged query; leave --queries out")


def test_changed_judgments_are_refused_unless_they_are_allowed(irev, check, verdict):
    saved(irev, "saved.json", "-c", "-q", "-m", "recip_rank", judged(4), made("before", *BEFORE))
    Path("qrels").write_text(Path("qrels").read_text() + "q1 0 x9 0\n")
    arguments = ("qrels", made("run", *AFTER), "--baseline", "saved.json", "--max-drop", "RR=0.1")
    refused(check(*arguments), "the baseline was made with other judgments", "--allow-changed-qrels")
    record = verdict(*arguments, "--allow-changed-qrels")
    assert ["fail"] == [found["state"] for found in record["findings"]]
    assert "The baseline was made with other judgments, which may explain differences." == record["notes"][0]


def test_a_baseline_of_other_queries_is_refused(irev, check):
    saved(irev, "saved.json", "-c", "-q", "-m", "recip_rank", judged(4), made("before", *BEFORE))
    arguments = (judged(3), made("run", 1, 1, 1), "--baseline", "saved.json", "--max-drop", "RR=0")
    refused(check(*arguments), "the baseline was made with other judgments")
    done = check(*arguments, "--allow-changed-qrels")
    refused(done, "the baseline has other queries than run: 1 query is in only one of them")


def test_judgments_are_compared_by_what_is_in_them_not_by_name(irev, states):
    saved(irev, "saved.json", "-c", "-q", "-m", "recip_rank", judged(4), made("before", *BEFORE))
    os.rename("qrels", "renamed")
    assert ["fail"] == states("renamed", made("run", *AFTER), "--baseline", "saved.json", "--max-drop", "RR=0")


def test_each_of_several_runs_is_compared_with_the_one_of_its_name(check, verdict):
    made("one", 1, 1), made("two", 2, 2)
    arguments = ("--baseline", "saved.json", "--max-drop", "RR=0", "--update-baseline")
    assert 0 == check(judged(2), "a=one", "b=two", *arguments).status
    record = verdict("qrels", "b=two", "a=one", *arguments[:4])
    assert [("b", 0.0), ("a", 0.0)] == [(found["run"], found["difference"]) for found in record["findings"]]
    done = check("qrels", "c=one", *arguments[:4])
    refused(done, "the baseline has no run 'c' but a, b", "as before, NAME=RUN\n")


def test_the_only_run_of_a_baseline_may_be_called_otherwise(check, states):
    check(judged(2), made("one", 1, 1), "--baseline", "saved.json", "--min", "RR=0", "--update-baseline")
    assert ["fail"] == states("qrels", made("two", 2, 2), "--baseline", "saved.json", "--max-drop", "RR=0")


def test_groups_need_not_have_been_there_when_the_baseline_was_made(check, verdict):
    check(judged(4), made("before", *BEFORE), "--baseline", "saved.json", "--min", "RR=0", "--update-baseline")
    Path("groups").write_text("q1\teasy\nq2\teasy\nq3\thard\nq4\thard\n")
    arguments = ("qrels", made("run", *AFTER), "--baseline", "saved.json", "--groups", "groups")
    record = verdict(*arguments, "--max-drop", "group:easy/RR=0.1", "--max-drop", "group:hard/RR=0.2")
    assert [("easy", 0.75, 0.625), ("hard", 0.625, 0.5)] == [
        (found["group"], found["baseline"], found["measured"]) for found in record["findings"]
    ]


DAMAGED = {
    "empty": (lambda text: "", "this is not JSON"),
    "cut off": (lambda text: text[: len(text) // 2], "this is not JSON"),
    "qrels": (lambda text: "q1 0 relevant 1\n", "this is not JSON"),
    "a list": (lambda text: "[1]", "this is not a record of results"),
    "later": (lambda text: text.replace('"version": 1', '"version": 2'), "does not know version 2"),
    "a text for a number": (lambda text: text.replace('"RR": 1.0', '"RR": "one"'), "expected a number"),
    "no UTF-8": (lambda text: text.replace("irev result", "\udcff"), "not UTF-8"),
    "nested": (lambda text: "[" * 100_000, "too deep"),
}


@pytest.mark.parametrize("damage", DAMAGED)
@pytest.mark.parametrize("update", [(), ("--update-baseline",)], ids=["", "update"])
def test_a_damaged_baseline_is_refused_and_left_alone(check, damage, update):
    change, message = DAMAGED[damage]
    arguments = ("--baseline", "saved.json", "--max-drop", "RR=0")
    check(judged(2), made("run", 1, 2), *arguments, "--update-baseline")
    text = change(Path("saved.json").read_text(encoding="utf-8"))
    Path("saved.json").write_bytes(text.encode("utf-8", "surrogateescape"))
    refused(check("qrels", "run", *arguments, *update), "saved.json", message)
    assert text == Path("saved.json").read_bytes().decode("utf-8", "surrogateescape")


# Configuration


def configured(text: str, name: str = "irev.toml") -> str:
    """A configuration file."""
    Path(name).parent.mkdir(exist_ok=True)
    Path(name).write_text(text, encoding="utf-8")
    return name


BASIC = 'qrels = "qrels"\nruns = ["run"]\n'


def test_a_configuration_is_found_by_itself(check):
    judged(4), made("run", *RANKS)
    configured(f"{BASIC}min = {{ RR = 0.5 }}\n")
    assert 1 == check().status
    assert check() == check("--config", "irev.toml")
    assert 0 == check("--min", "RR=0.1").status


def test_a_configuration_in_pyproject_is_found_by_itself(check):
    judged(4), made("run", *RANKS)
    configured('[project]\nname = "x"\n[tool.irev]\n' + BASIC + '[tool.irev.min]\n"RR" = 0.5\n', "pyproject.toml")
    assert 1 == check().status
    configured(f"{BASIC}min = {{ RR = 0.4 }}\n")  # irev.toml comes first
    assert 0 == check().status


@pytest.mark.parametrize("text", ["tool = 3", "[tool]\nirev = 3", "", "= broken", "\x00"])
def test_a_pyproject_of_others_is_passed_over_unless_it_is_named(check, text):
    configured(text, "pyproject.toml")
    refused(check(), "expected QRELS and RUNs, or saved results")
    refused(check("--config", "pyproject.toml"), "pyproject.toml: ")


def test_where_files_are_named_no_configuration_is_looked_for(check):
    judged(4), made("run", *RANKS)
    configured(f'{BASIC}also = "junit=junit.xml"\n')
    refused(check("qrels", "run"), "no condition is given")
    assert 0 == check("--min", "RR=0", "qrels", "run").status
    assert not Path("junit.xml").exists()
    assert 0 == check("--min", "RR=0", "qrels", "run", "--config", "irev.toml").status
    assert Path("junit.xml").exists()


OUTPUTS = [key for key, about in _CHOICES.items() if isinstance(about.kind, NewFile | UpdatedFile)]
"""Keys that name a file that is written."""

KIND = {key: "comment=" if key == "also" else "" for key in OUTPUTS}
"""What stands before the file."""


@pytest.mark.parametrize("key", OUTPUTS)
@pytest.mark.parametrize("named", ["../out", "{root}/out", "up/out", "linked", "up", "sub/../../out"])
def test_a_configuration_writes_nothing_outside_its_folder(check, key, named):
    """It may come with a checkout of strangers, and so may links."""
    root = Path.cwd()
    (root / "eval" / "sub").mkdir(parents=True)
    judged(4, "eval/qrels"), made("eval/run", *RANKS)
    Path("eval/up").symlink_to(root), Path("eval/linked").symlink_to(root / "out")
    configured(f'{BASIC}min = {{ RR = 0 }}\n{key} = "{KIND[key]}{named.format(root=root)}"\n', "eval/irev.toml")
    asked = ("--config", "eval/irev.toml", *(["--update-baseline"] if key == "baseline" else []))
    before = sorted(map(str, root.iterdir()))
    refused(check(*asked), f"eval/irev.toml: the key '{key}' names the output ")
    assert before == sorted(map(str, root.iterdir()))
    # As the remedy says.
    assert 0 == check(*asked, f"--{key}", f"{KIND[key]}out").status
    assert Path("out").exists()


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="needs rights and named pipes of POSIX")
@pytest.mark.parametrize("key", OUTPUTS)
@pytest.mark.parametrize(
    ("named", "why"),
    [
        (".git/hooks/pre-commit", "hidden"),
        (".envrc", "hidden"),
        ("hook", "hidden"),
        ("tool", "executable"),
        ("pipe", "not a regular file"),
    ],
)
def test_a_configuration_writes_no_hooks_programs_or_pipes(check, key, named, why):
    hook, tool = Path("eval/.git/hooks/pre-commit"), Path("eval/tool")
    hook.parent.mkdir(parents=True)
    for path in (hook, tool):
        path.write_text("#!/bin/sh\n")
        path.chmod(0o755)
    Path("eval/hook").symlink_to(hook.absolute())
    os.mkfifo("eval/pipe")
    judged(4, "eval/qrels"), made("eval/run", *RANKS)
    configured(f'{BASIC}min = {{ RR = 0 }}\n{key} = "{KIND[key]}{named}"\n', "eval/irev.toml")
    asked = ("--config", "eval/irev.toml", *(["--update-baseline"] if key == "baseline" else []))
    refused(check(*asked), f"eval/irev.toml: the key '{key}' names the output ", why)
    assert "#!/bin/sh\n" == hook.read_text() == tool.read_text()
    assert not Path("eval/.envrc").exists()
    assert 0 == check(*asked, f"--{key}", f"{KIND[key]}out").status


@pytest.mark.parametrize("key", OUTPUTS)
@pytest.mark.parametrize("named", ["out", "{root}/eval/out", "sub/../out", "within"])
def test_a_configuration_writes_inside_its_folder(check, key, named):
    root = Path.cwd()
    (root / "eval" / "sub").mkdir(parents=True)
    judged(4, "eval/qrels"), made("eval/run", *RANKS)
    Path("eval/within").symlink_to("out")
    configured(f'{BASIC}min = {{ RR = 0 }}\n{key} = "{KIND[key]}{named.format(root=root)}"\n', "eval/irev.toml")
    asked = ("--config", "eval/irev.toml", *(["--update-baseline"] if key == "baseline" else []))
    assert 0 == check(*asked).status
    assert Path("eval/out").exists()


def test_a_baseline_that_is_only_read_may_be_anywhere(check):
    Path("eval").mkdir()
    judged(4, "eval/qrels"), made("eval/run", *RANKS)
    assert 0 == check("--min", "RR=0", "--baseline", "before", "--update-baseline", "eval/qrels", "eval/run").status
    configured(f'{BASIC}max-drop = {{ RR = 0.1 }}\nbaseline = "../before"\n', "eval/irev.toml")
    assert 0 == check("--config", "eval/irev.toml").status


def test_help_is_shown_whatever_the_configuration_is(check):
    configured("= broken")
    assert 0 == check("--help").status


def test_paths_are_meant_from_the_folder_of_the_file(check):
    os.mkdir("eval")
    judged(4, "eval/qrels"), made("eval/run", *AFTER, tag="run"), made("eval/before", *BEFORE, tag="before")
    Path("eval/list").write_text("eval/run\n")
    Path("eval/groups").write_text("q1\teasy\n")
    Path("eval/queries").write_text("q1\nq2\n")
    configured(
        'qrels = "qrels"\nruns = "@list"\nbaseline-run = "before"\ngroups = "groups"\nqueries = "queries"\n'
        'min = { "group:easy/RR" = 1 }\nmax-drop = { RR = 0.2 }\nalso = "junit=junit.xml"\n',
        "eval/irev.toml",
    )
    done = check("--config", "eval/irev.toml", "-f", "json")
    assert 0 == done.status, done.stderr
    assert [1, 2] == sorted(value["queries"] for value in json.loads(done.stdout)["values"])
    assert Path("eval/junit.xml").exists()


def test_the_command_line_overrides_the_configuration(check):
    judged(4), made("run", *RANKS), made("best", 1, 1, 1, 1)
    configured(f"{BASIC}min = {{ RR = 0.5 }}\nlevel = 2\n")
    assert b"0.0000" in check().stdout
    assert b"0.4375" in check("--level", "1").stdout
    assert 0 == check("--config", "irev.toml", "--level", "1", "qrels", "best").status


GRADED = "q1 0 a 2\nq1 0 b 1\nq1 0 n -1\nq2 0 a 1\nq2 0 c 0\nq3 0 a 1\n"
"""For keys: a negative grade, a query that the run lacks, and in the run a tie, a document that is its own query, and
ranks that contradict scores."""

ODD_RUN = "".join(
    f"{line} run\n"
    for line in (
        *("q1 Q0 q1 1 9", "q1 Q0 b 2 5", "q1 Q0 a 3 5", "q1 Q0 n 4 1"),
        *("q2 Q0 u 3 3", "q2 Q0 c 2 2", "q2 Q0 a 1 1"),
    )
)

BESIDE = 'baseline-run = "before"\nmax-drop = { RR = 0 }\n'
TESTED = f"{BESIDE}significant = 0.4\n"

SAID = {  # key: its value, the same as options, and what else there is to say for it to matter
    "min": ("{ RR = 0.99 }", ("--min", "RR=0.99"), ""),
    "max": ('["RR=0.1"]', ("--max", "RR=0.1"), "min = { RR = 0 }\n"),
    "every-query": ('["RR>0.9", "P@5<1"]', ("--every-query", "RR>0.9", "--every-query", "P@5<1"), ""),
    "baseline": ('"saved.json"', ("--baseline", "saved.json"), "max-drop = { RR = 0 }\n"),
    "baseline-run": ('"before"', ("--baseline-run", "before"), "max-drop = { RR = 0 }\n"),
    "max-drop": ('{ RR = "2%" }', ("--max-drop", "RR=2%"), 'baseline-run = "before"\n'),
    "no-worse-than": ("0.1", ("--no-worse-than", "0.1"), 'baseline-run = "before"\n'),
    "max-query-losses": ("{ RR = 0 }", ("--max-query-losses", "RR=0"), 'baseline-run = "before"\n'),
    "max-share-losing": ('{ "RR>0.1" = "70%" }', ("--max-share-losing", "RR>0.1=70%"), 'baseline-run = "before"\n'),
    "clusters": ('"groups"', ("--clusters", "groups"), 'baseline-run = "before"\nno-worse-than = 0.1\n'),
    "significant": ("0.2", ("--significant", "0.2"), BESIDE),
    "undecided": ('"fail"', ("--undecided", "fail"), f"{BESIDE}significant = 0.001\n"),
    "allow-changed-qrels": ("true", ("--allow-changed-qrels",), 'baseline = "other.json"\nmax-drop = { RR = 0 }\n'),
    "groups": ('"groups"', ("--groups", "groups"), 'min = { "group:easy/RR" = 0.1 }\n'),
    "queries": ('"both"', ("--queries", "both"), ""),
    "level": ("2", ("-l", "2"), ""),
    "depth": ("1", ("-M", "1"), ""),
    "judged-only": ("true", ("-J",), ""),
    "gains": ('"0=0,1=5,2=6"', ("--gains", "0=0,1=5,2=6"), "min = { nDCG = 0 }\n"),
    "compat": ('"9.0.8"', ("--compat", "9.0.8"), "min = { DCG = 0 }\n"),
    "query-weights": ('"weights"', ("--query-weights", "weights"), 'min = { "AP(agg=weighted)" = 0 }\n'),
    "order": ('"rank"', ("--order", "rank"), ""),
    "ties": ('"docid-asc"', ("--ties", "docid-asc"), "min = { nDCG = 0 }\n"),
    "duplicates": ('"first"', ("--duplicates", "first"), 'runs = "twice"\n'),
    "document-of": ('"^."', ("--document-of", "^."), 'runs = "twice"\n'),
    "qrels-format": ('"json"', ("--qrels-format", "json"), ""),
    "run-format": ('"json"', ("--run-format", "json"), ""),
    "columns": ('"grade=g"', ("--columns", "grade=g"), 'qrels = "table"\n'),
    "also": ('"junit=out"', ("--also", "junit=out"), ""),
}


def test_every_key_is_tried():
    assert set(KEYS) == {"qrels", "runs", *SAID}


@pytest.mark.thorough
@pytest.mark.parametrize("key", SAID)
def test_a_key_does_what_its_option_does(irev, check, key, monkeypatch):
    Path("qrels").write_text(GRADED)
    Path("run").write_text(ODD_RUN)
    Path("before").write_text("".join(f"q{query} Q0 a 1 1 before\n" for query in (1, 2)) + "q3 Q0 b 1 1 before\n")
    Path("twice").write_text(ODD_RUN + "q2 Q0 a 4 1 run\n")
    Path("table").write_text("query_id\tdoc_id\tg\nq1\ta\t2\nq2\ta\t1\n")
    Path("table.run").write_text("query_id\tdoc_id\ts\tscore\nq1\ta\t1\t2\nq1\tunjudged\t2\t1\n")
    Path("groups").write_text("q1\teasy\nq2\thard\nq3\thard\n")
    Path("weights").write_text("q1 1\nq2 3\nq3 2\n")
    Path("other").write_text(GRADED + "q3 0 b 0\n")
    saved(irev, "saved.json", "-c", "-q", "-m", "recip_rank", "qrels", "before")
    saved(irev, "other.json", "-c", "-q", "-m", "recip_rank", "other", "before")
    value, option, beside = SAID[key]
    for line in (*BASIC.splitlines(), "max = { RR = 1, AP = 1 }"):
        if not re.search(rf"^{line.split()[0]} =", beside, re.MULTILINE) and line.split()[0] != key:
            beside = f"{line}\n{beside}"

    def left(text: str, *arguments: str) -> tuple:
        configured(text)
        Path("out").unlink(missing_ok=True)
        done = check("--config", "irev.toml", "-f", "json", *arguments)
        written = Path("out").read_bytes() if Path("out").exists() else None
        return done.status, done.stdout, done.stderr, written

    by_option = left(beside, *option)
    assert by_option == left(f"{beside}{key} = {value}\n")
    assert by_option != left(beside), "it makes no difference"
    if key not in ("compat", "qrels-format", "run-format"):  # which are refused
        assert by_option[0] in (0, 1), by_option[2]


WRONG = {
    "[check]\nmin = 'RR=1'": "there is no key 'check'; there are no tables of commands: write the keys",
    "mn = { RR = 1 }": "there is no key 'mn'; did you mean 'min'?",
    "max_drop = { RR = 1 }": "there is no key 'max_drop'; did you mean 'max-drop'?",
    "baselin = 'x'": "there is no key 'baselin'; did you mean 'baseline' or 'baseline-run'?",
    "[irev]\nmin = 3": "there is no key 'irev'",
    "min = true": "the key 'min' is not a table or a list of conditions; expected min = {",
    "min = { RR = true }": "the key 'min' is not a table",
    "min = { RR = { x = 1 } }": "the key 'min' is not a table",
    "min = 0.4": "--min 0.4: this is not a condition",
    "min = { RR = nan }": "--min RR=nan: 'nan' is not a number",
    "min = { RR = 'x' }": "--min RR=x: 'x' is not a number",
    "min = { XYZ = 1 }": "there is no measure 'XYZ'",
    "every-query = { RR = 1 }": "the key 'every-query' is not a text or a list of texts",
    "significant = '0.05'": "the key 'significant' is not a number; expected significant = 0.05",
    "significant = 5": "'5' is not a number between 0 and 0.5",
    "depth = 1.5": "the key 'depth' is not a whole number; expected depth = 10",
    "depth = true": "the key 'depth' is not a whole number",
    f"depth = {'9' * 30}": "the key 'depth' is not a whole number",
    f"depth = {'9' * 5000}": "this is not TOML",
    f"depth = 0x{'f' * 5000}": "the key 'depth' is not a whole number",
    "judged-only = 1": "the key 'judged-only' is not true or false; expected judged-only = true",
    "junit = 'x'": "there is no key 'junit'; irev check --also junit=FILE writes that",
    "also = 3": "the key 'also' is not a text or a list of texts",
    "also = 'junit'": "'junit' is not KIND=FILE",
    "undecided = 'maybe'": "'maybe' is not one of",
    "test = 't'": "there is no key 'test'; checks use Student's t",
    "min = [": "this is not TOML",
    "min = { RR = 0 }\nmin = { RR = 1 }": "this is not TOML",
    "min =\n= 3": "this is not TOML",
    "a = " + "[" * 5000: "this is not TOML",
}


def test_a_configuration_does_not_choose_what_no_condition_is_judged_by(check):
    judged(4), made("run", *RANKS)
    configured(f"{BASIC}min = {{ RR = 0.1 }}\nundecided = 'pass'\n")
    refused(check(), "--undecided has no effect without --max-drop or")
    configured(f"{BASIC}min = {{ RR = 0.1 }}\nallow-changed-qrels = false\n")
    assert 0 == check().status


@pytest.mark.parametrize("text", WRONG, ids=lambda text: text[:40])
def test_a_wrong_configuration_is_refused_with_what_was_probably_meant(check, text):
    judged(1), made("run", 1)
    configured(f"{BASIC}{text}\n")
    refused(check(), WRONG[text])


def test_a_configuration_that_is_no_text_is_refused(check):
    Path("irev.toml").write_bytes(b"\xff\xff")
    refused(check(), "irev.toml: this is not UTF-8")
    Path("irev.toml").write_bytes(b"\xff\xfe")
    refused(check(), "irev.toml: this is text in UTF-16; write it as UTF-8")
    refused(check("--config", "nowhere.toml"), "nowhere.toml: there is no such file")


# What is refused


NO_CONDITIONS = {
    "--min": [
        "RR",
        "",
        "=",
        "=0.3",
        "RR=",
        "RR=1e400",
        "RR=nan",
        "RR=inf",
        "RR=2%",
        "RR=2%%",
        "RR=0x1",
        "RR=1_0",
        "RR=０",
    ],
    "--max": ["RR>0.3", "RR=0.3x", "runid=1", "official=1"],
    "--every-query": ["RR", ">0", "RR>", "RR=>0", "RR>>0", "RR!=0", "RR>1e400", "queries>3", "num_q>1", "gm_map>1"],
    "--max-drop": ["RR", "0.1", "2%", "RR=-1", "RR=2%%", "RR=%", "RR=1e400", "gm_map=1", "missing=1", "num_ret=1"],
    "--no-worse-than": ["0", "RR=0", "RR=0%", "-1", "RR=nan", "%", "RR=1e400", "judged=1"],
    "--max-query-losses": ["1.5", "-1", "2%", "RR=", "RR=0.5", "1e400"],
    "--max-share-losing": [
        *("RR>0.2", "RR=2%", "2%", "RR>=2%", "RR>0.2=", "RR>x=2%", "RR>-0.1=2%", "RR>0.1=-2%", "RR>10%=2%"),
        *("RR>0.2=0", "RR>0.2=0%", "RR>0.2=100%", "RR>0.2=1", "RR>0.2=2", "missing>1=2%", "gm_map>0.1=2%"),
        *("num_ret>1=2%", "RR>>0.2=2%", "RR>0.2=2%%", "RR>0.2=nan", "RR>nan=2%"),
    ],
}


@pytest.mark.parametrize("option", NO_CONDITIONS)
def test_what_is_no_condition_is_refused(check, option):
    files = (judged(2), made("run", 1, 1), "--baseline-run", made("before", 1, 1), "--also", "junit=junit.xml")
    for text in NO_CONDITIONS[option]:
        refused(check(*files, option, text), f"irev: error: {option} {text}: ")
    assert not Path("junit.xml").exists()


REFUSED = {
    ("--min", "queris=3"): "did you mean 'queries'?",
    ("--min", "nDGC@10=3"): "--min nDGC@10=3: there is no measure 'nDGC@10'; did you mean 'ndcg@10'",
    ("--min", "run:rnu/RR=0"): "there is no run 'rnu'; did you mean 'run'?",
    ("--min", "group:de/RR=0"): "there is no group 'de'; name --groups FILE",
    ("--min", "run:/RR=0"): "names no measure",
    ("--min", "x:run/RR=0"): "names no measure",
    ("--min", "run:run/=0"): "names no measure",
    ("--min", "group:easy/queries=3"): "'queries' is counted for a run, not of a group; leave the group out",
    ("--max-drop", "RR=0"): "--max-drop has no effect without --baseline or --baseline-run",
    ("--max-drop", "RR=0", "--baseline", "a", "--baseline-run", "b"): "--baseline has no effect with --baseline-run",
    ("--min", "RR=0", "--update-baseline"): "--update-baseline has no effect without --baseline",
    ("--min", "RR=0", "--also", "junit=x", "--also", "page=./x"): "--also junit and --also page both write to './x'",
    ("--min", "RR=0", "--also", "junit=-"): "--output and --also junit both write to standard output",
    (
        *("--min", "RR=0", "--also", "junit=s", "--baseline", "s", "--update-baseline"),
    ): "--also junit and --baseline both write to 's'",
    ("--min", "RR=0", "--baseline", "-", "--update-baseline"): "both write to standard output",
    ("--min", "RR=0", "-o", "run"): "the output file 'run' is an input",
    ("--min", "RR=0", "--also", "junit=qrels"): "the output file 'qrels' is an input",
    ("--min", "RR=0", "--baseline-run", "qrels", "--also", "comment=qrels"): "is an input",
    ("--min", "RR=0", "--significant", "0"): "'0' is not a number between 0 and 0.5",
    ("--min", "RR=0", "--significant", "0.6"): "'0.6' is not a number between 0 and 0.5",
    ("--min", "RR=0", "--significant", "1"): "'1' is not a number between 0 and 0.5",
    (
        *("--max-drop", "RR=0", "--baseline-run", "run", "--undecided", "fail"),
    ): "--undecided has no effect without --significant or --no-worse-than or --max-share-losing",
    ("--min", "RR=0", "-f", "trec"): "'trec'",
    (): "no condition is given; add one, for example --min nDCG@10=0.4",
}


@pytest.mark.parametrize("arguments", REFUSED, ids=" ".join)
def test_wrong_usage_is_refused_before_anything_is_written(check, arguments):
    files = (judged(2), made("run", 1, 1))
    there = {name: Path(name).read_bytes() for name in files}
    refused(check(*files, *arguments), REFUSED[arguments])
    assert there == {path.name: path.read_bytes() for path in Path().iterdir()}


def test_a_group_without_judged_queries_is_no_pass(check):
    Path("groups").write_text("q1\teasy\nq9\thard\n")
    files = (judged(2), made("run", 1, 1), "--groups", "groups")
    for condition in (("--every-query", "group:hard/RR>0"), ("--min", "group:hard/RR=0"), ("--max", "group:hard/RR=1")):
        refused(check(*files, *condition), "no query in the group 'hard' counts")
    assert 0 == check(*files, "--every-query", "group:easy/RR>0").status


# What comes out


@pytest.mark.parametrize("kind", ["page", ""])
def test_all_files_are_written_or_none(check, kind):
    Path("older").write_text("as it was")
    files = (judged(2), made("run", 1, 1))
    outputs = ("--also", "junit=junit.xml", "--also", "comment=older")
    last = ("--also", f"{kind}=no/such/folder.html") if kind else ("-o", "no/such/folder.html", "-f", "html")
    outcome = check(*files, "--min", "RR=0", *outputs, *last)
    refused(outcome, "no/such/folder.html: the output cannot be written")
    assert {"older", "qrels", "run"} == {path.name for path in Path().iterdir()}
    assert "as it was" == Path("older").read_text()


FILES = (
    ("--also", "junit=junit.xml"),
    ("--also", "comment=comment.md"),
)
ALL_FILES = [word for pair in FILES for word in pair]


def test_what_needs_work_comes_first(verdict):
    files = (judged(8), made("run", *MIXED), "--baseline-run", made("before", *STEADY))
    conditions = (
        "--min",
        "RR=0",
        "--max-drop",
        "RR=0.01",
        "--min",
        "AP=1",
        "--no-worse-than",
        "RR=0.01",
        "--max",
        "RR=0",
    )
    record = verdict(*files, *conditions, "--significant", "0.05")
    assert [
        ("--min AP=1", "fail", False),
        ("--max RR=0", "fail", False),
        ("--no-worse-than RR=0.01", "undecided", False),
        ("--max-drop RR=0.01", "undecided", True),
        ("--min RR=0", "pass", True),
    ] == [(found["condition"], found["state"], found["holds"]) for found in record["findings"]]
    assert "3 of 5 conditions do not hold" == record["headline"]


@pytest.mark.parametrize(
    ("conditions", "headline"),
    [
        (["RR=0"], "The condition holds"),
        (["RR=1"], "The condition does not hold"),
        (["RR=0", "AP=0"], "All 2 conditions hold"),
        (["RR=0", "AP=1"], "1 of 2 conditions does not hold"),
        (["RR=1", "AP=1"], "2 of 2 conditions do not hold"),
    ],
)
def test_the_headline_is_the_verdict(verdict, conditions, headline):
    options = [word for condition in conditions for word in ("--min", condition)]
    assert headline == verdict(judged(4), made("run", *RANKS), *options)["headline"]


@pytest.mark.parametrize(
    ("conditions", "headline"),
    [
        (["--max-drop RR=0.01"], "The condition cannot be decided (counts as holding)"),
        (["--max-drop RR=0.01", "--min RR=0"], "1 holds, 1 cannot be decided (counts as holding)"),
        (["--max-drop RR=0.01,AP=0.01", "--min RR=0,AP=0"], "2 hold, 2 cannot be decided (count as holding)"),
        (["--max-drop RR=0.01,AP=0.01"], "2 cannot be decided (count as holding)"),
        (["--max-drop RR=0.01", "--min RR=1"], "1 of 2 conditions does not hold"),
    ],
)
def test_a_condition_that_cannot_be_told_is_in_the_headline(verdict, conditions, headline):
    files = (judged(4), made("run", *AFTER), "--baseline-run", made("before", *BEFORE), "--significant", "0.05")
    options = [word for condition in conditions for word in condition.replace(",", f" {condition.split()[0]} ").split()]
    assert headline == verdict(*files, *options)["headline"]


@pytest.mark.parametrize("style", styles())
def test_every_style_has_the_conditions_and_goes_to_a_file_as_well(check, style):
    arguments = (judged(4), made("run", *RANKS), "--min", "RR=0.9", "--min", "AP=0.1", "-f", style)
    done = check(*arguments)
    assert 1 == done.status
    assert done.stdout
    if style != "parquet":
        assert b"RR" in done.stdout
        assert re.search(b"FAIL|fail", done.stdout)
    to_file = check(*arguments, "-o", "out")
    assert (1, b"", done.stdout) == (to_file.status, to_file.stdout, Path("out").read_bytes())


def test_files_for_services_are_written_and_can_be_read(check):
    files = (judged(4), made("run", *AFTER), "--baseline-run", made("before", *BEFORE))
    done = check(*files, "--min", "RR=0.9", "--max-drop", "RR=0.2", *ALL_FILES)
    assert (1, "") == (done.status, done.stderr)
    (suite,) = ElementTree.parse("junit.xml").getroot()
    assert ("2", "1") == (suite.get("tests"), suite.get("failures"))
    assert Path("comment.md").read_text().startswith("<!-- irev check -->\n")
    assert "1 of 2 conditions does not hold" in Path("comment.md").read_text()


def test_the_summary_of_a_step_is_appended_where_github_names_a_file(check, monkeypatch):
    monkeypatch.setenv("GITHUB_ACTIONS", "true")
    monkeypatch.setenv(SUMMARY, "step.md")
    Path("step.md").write_text("before\n")
    done = check(judged(4), made("run", *RANKS), "--min", "RR=0.9", "-f", "markdown")
    assert "before\n" + done.stdout.decode() == Path("step.md").read_text()
    assert "::error file=run,title=irev check%3A FAIL --min RR=0.9::" in done.stderr


def test_github_is_told_what_its_variables_ask_for(check, monkeypatch):
    arguments = (judged(4), made("run", *RANKS), "--min", "RR=0.9")
    assert "" == check(*arguments).stderr
    monkeypatch.setenv(SUMMARY, "step.md")
    assert "" == check(*arguments).stderr
    assert Path("step.md").exists()
    monkeypatch.setenv(SUMMARY, "")
    monkeypatch.setenv("GITHUB_ACTIONS", "true")
    assert "::error" in check(*arguments).stderr


def test_a_summary_that_cannot_be_written_does_not_change_the_verdict(check, monkeypatch):
    monkeypatch.setenv(SUMMARY, "nowhere/step.md")
    arguments = (judged(4), made("run", *RANKS), "--min", "RR=0.9")
    done = check(*arguments)
    assert (1, True) == (done.status, b"FAIL" in done.stdout)
    assert "irev: warning: nowhere/step.md: the output cannot be written" in done.stderr


def test_the_summary_is_not_appended_to_an_input(check, monkeypatch):
    monkeypatch.setenv(SUMMARY, "qrels")
    refused(check(judged(4), made("run", *RANKS), "--min", "RR=0.9"), "the output file 'qrels' is an input")
    assert "relevant" in Path("qrels").read_text().splitlines()[-1]


# Sabotage


def swapped(*queries: int) -> str:
    """A run of 50 queries, of five results each; in these queries the first two have changed places."""
    lines = []
    for query in range(50):
        documents = [f"d{query}-{place}" for place in range(5)]
        if query in queries:
            documents[:2] = documents[1::-1]
        lines += [
            f"q{query} Q0 {document} {place} {-place} system\n" for place, document in enumerate(documents, start=1)
        ]
    return "".join(lines)


@pytest.mark.parametrize("condition", ["--max-drop nDCG@10=0", "--max-query-losses nDCG@10=0"])
def test_sabotage_in_three_queries_is_caught_and_these_are_named(check, condition, monkeypatch):
    Path("qrels").write_text("".join(f"q{query} 0 d{query}-0 2\nq{query} 0 d{query}-3 1\n" for query in range(50)))
    Path("good").write_text(swapped())
    Path("bad").write_text(swapped(7, 23, 42))
    arguments = ("--baseline", "saved.json", *condition.split())
    assert 0 == check("qrels", "good", *arguments, "--update-baseline").status
    assert 0 == check("qrels", "good", *arguments).status

    monkeypatch.setenv("GITHUB_ACTIONS", "true")
    done = check("qrels", "bad", *arguments, "--also", "comment=comment.md", "--also", "junit=junit.xml")

    assert 1 == done.status
    guilty = {"q7", "q23", "q42"}
    record = json.loads(check("qrels", "bad", *arguments, "-f", "json").stdout)
    assert guilty == {change["query"] for change in record["findings"][0]["queries"]}
    assert guilty == {change["query"] for change in record["moved"][0]["queries"]}
    assert 3 == len(record["findings"][0]["queries"])
    (annotation,) = (line for line in done.stderr.splitlines() if line.startswith("::error "))
    for shown in (
        done.stdout.decode(),
        annotation,
        Path("comment.md").read_text(),
        ElementTree.parse("junit.xml").find("*/*/failure").text,
    ):
        assert guilty == set(re.findall(r"\bq\d+\b", shown))


def test_the_command_that_shows_what_made_queries_fall_works(check, irev):
    files = (judged(4), made("run", *AFTER), "--baseline-run", made("before the change", *BEFORE))
    asked = "To see which documents made queries fall, with the same options for files: "
    (said,) = re.findall(f"{asked}(.*)", check(*files, "--max-drop", "RR=0", "-f", "markdown").stdout.decode())
    _, *words = shlex.split(said.replace("\\", ""))
    assert ["diff", "-m", "RR", "qrels", "before the change", "run"] == words
    status, shown, _ = irev(*words)
    assert (0, True) == (status, b"Queries by change in RR" in shown)
    assert asked not in check(*files, "--max-drop", "RR=1", "-f", "markdown").stdout.decode(), "which holds"


def test_of_a_saved_baseline_only_values_are_known_and_that_is_said(check):
    saved = ("--baseline", "saved.json", "--max-drop", "RR=0")
    assert 0 == check(judged(4), made("before", *BEFORE), *saved, "--update-baseline").status
    said = "The baseline has only values. Keep a copy of its run for irev diff"
    assert said in " ".join(check("qrels", made("run", *AFTER), *saved).stdout.decode().split())


def test_queries_are_named_once_for_all_conditions_on_a_measure(check):
    files = (judged(4), made("run", *AFTER), "--baseline-run", made("before", *BEFORE))
    conditions = ("--max-drop", "RR=0", "--max-drop", "RR=1%", "--max-drop", "P@1=0")
    shown = check(*files, *conditions, "--also", "comment=out")
    for text in (" ".join(shown.stdout.decode().split()), Path("out").read_text()):
        reasons = re.findall(r"required: a drop of at most (?:0|1%)(?: \((q\d+): )?", text)
        assert 3 == len(reasons)
        assert (True, False, True) == tuple(map(bool, reasons)), "of RR once, and of P@1"


# Hard weather


@pytest.mark.thorough
def test_many_queries_and_many_runs_are_judged_in_little_time_and_text(check):
    queries, chance = 7000, random.Random(1)
    judged(queries)
    ranks = [chance.choice((1, 2, 3)) for _ in range(queries)]
    made("before", *ranks)
    made("worse", *(rank + chance.choice((0, 0, 1)) for rank in ranks))
    arguments = ("--max-drop", "RR=0.001", "--max-query-losses", "RR=10", "--every-query", "RR>0.9")
    began = time.monotonic()
    done = check("qrels", "worse", "--baseline-run", "before", "--significant", "0.05", *arguments, *ALL_FILES)
    assert time.monotonic() - began < 10
    assert 1 == done.status
    assert len(done.stdout) < 10_000
    assert all(os.path.getsize(each.partition("=")[2]) < 40_000 for _, each in FILES)

    runs = [made(f"run{number}", *(1 + (query % 20 == number) for query in range(40))) for number in range(20)]
    done = check(
        judged(40),
        *runs,
        "--baseline-run",
        runs[0],
        "--max-drop",
        "RR=0.02",
        "--max-query-losses",
        "RR=1",
        "-f",
        "json",
    )
    record = json.loads(done.stdout)
    assert (1, 40, 19) == (done.status, len(record["findings"]), record["failed"])


if os.path.exists("/dev/full"):

    def test_a_full_disk_leaves_the_baseline_as_it_was(check, monkeypatch):
        """What cannot be reported must not become what later runs are compared with."""
        arguments = ("--baseline", "saved.json", "--max-drop", "RR=0", "--update-baseline")
        check(judged(2), made("before", 1, 1), *arguments)
        first = Path("saved.json").read_bytes()
        for option in (("-o", "/dev/full"), ("--also", "junit=/dev/full")):
            refused(check("qrels", made("run", 1, 1), *arguments, *option), "/dev/full")
        assert first == Path("saved.json").read_bytes()

    @pytest.mark.parametrize("least", ["RR=0", "num_ret=9"], ids=["holds", "fails"])
    def test_standard_output_on_a_full_disk_is_no_verdict_and_makes_no_baseline(least):
        arguments = [judged(1), made("run", 1), "--min", least, "--baseline", "b.json", "--update-baseline"]
        with open("/dev/full", "wb") as full:
            done = subprocess.run([*COMMAND, *arguments], stdout=full, stderr=subprocess.PIPE, env=environment())
        assert (2, True) == (done.returncode, b"No space left on device" in done.stderr)
        assert not Path("b.json").exists()


def test_a_file_that_cannot_be_made_is_an_error(check):
    files = (judged(1), made("run", 1), "--min", "RR=0")
    for option, name in (("-o", "nowhere/x"), ("--also", "junit=nowhere/x"), ("--also", "page=nowhere/x")):
        refused(check(*files, option, name), "nowhere/x: the output cannot be written")
    refused(check(*files, "--baseline", "nowhere/b.json", "--update-baseline")._replace(stdout=b""), "nowhere/b.json")


def test_an_interrupt_is_no_verdict_and_leaves_the_baseline(check, monkeypatch):
    arguments = (judged(1), made("run", 1), "--baseline", "saved.json", "--max-drop", "RR=0", "--update-baseline")

    def interrupted(*_, **__):
        raise KeyboardInterrupt

    monkeypatch.setattr("irev.commands.check.answer.judge", interrupted)
    done = check(*arguments)
    assert (130, b"", "") == (done.status, done.stdout, done.stderr.strip())
    assert not Path("saved.json").exists()


def test_one_file_may_be_standard_input(irev):
    judged(1), made("run", 1)
    done = irev("check", "-", "run", "--baseline-run", "-", "--max-drop", "RR=0", stdin=b"q1 0 relevant 1\n")
    refused(done, "only one of the files can be standard input")
    assert 0 == irev("check", "-", "run", "--min", "RR=1", stdin=b"q1 0 relevant 1\n").status


# The reference


def value(measure: str, rank: int | None) -> float:
    found = bool(rank) and (measure == "RR" or rank <= 2)
    return (1 / rank if measure == "RR" else 0.5) if found else 0.0


def student(left, differences):
    """One-sided p-values of the mean being below 0, and above it; None where there is none. The second one allows for
    queries that differ and are not in the sample."""
    if len(left) < 2:
        return None, None
    error = reference_comparison.error(left, 1.0, differences)
    above = None if error < 1e-12 else float(stats.t.sf(reference_comparison.mean(left) / error, len(left) - 1))
    if max(left) - min(left) < 1e-12:
        if not any(left):
            return 1.0, above
        return (1 - above if above is not None and any(differences) else None), above
    return float(stats.ttest_1samp(left, 0, alternative="less").pvalue), above


def holm(found: list[tuple[Hashable, float | None]]) -> list[float | None]:
    """Of each p; those with an equal key are one test."""
    left = sorted({key: p for key, p in found if p is not None}.items(), key=lambda each: each[1])
    made: dict[Hashable, float] = {}
    largest = 0.0
    for already, (key, p) in enumerate(left):
        largest = max(largest, min(1.0, p * (len(left) - already)))
        made[key] = largest
    return [None if p is None else made[key] for key, p in found]


def expected(conditions, runs, before, level, undecided):
    """For each condition and run: state, whether it holds, and p."""
    cases, plain = [], []
    for kind, measure, limit in conditions:
        for ranks in runs.values():
            new, old = ([value(measure, rank) for rank in of] for of in (ranks, before))
            differences = [a - b for a, b in zip(new, old, strict=True)]
            loss, amount = limit.split("=") if "=" in limit else ("0", limit)
            share = float(amount[:-1]) / 100 if amount.endswith("%") else None
            left = [d + (float(amount) if share is None else share * b) for d, b in zip(differences, old, strict=True)]
            left = [0.0 if abs(each) < 1e-12 else each for each in left]
            differences = [0.0 if abs(each) < 1e-12 else each for each in differences]
            allowed = float(amount) if share is None else share * added(old) / len(old)
            lost = sum(-each > float(loss.lstrip(">")) + 1e-12 for each in differences)
            cases.append((kind, allowed, added(new) / len(new), added(old) / len(old), differences, left, share, lost))
            p = student(left, differences)[0] if kind == "max-drop" and level else None
            plain.append(((*new, *old, *left, p), p))
    tested = level or 0.05
    corrected = holm(plain)
    results = []
    for (kind, allowed, new, old, differences, left, share, lost), p in zip(cases, corrected, strict=True):
        state = "fail"
        n, exceeded = len(differences), old - new > allowed + 1e-12
        if kind == "min":
            state = "pass" if new >= allowed - 1e-12 else "fail"
        elif kind == "max":
            state = "pass" if new <= allowed + 1e-12 else "fail"
        elif kind == "max-query-losses":
            state = "pass" if lost <= allowed else "fail"
        elif kind == "max-share-losing":
            p = float(stats.binomtest(lost, n, share, alternative="less").pvalue)
            more = stats.binomtest(lost, n, share, alternative="greater").pvalue
            state = "pass" if p <= tested else "fail" if more < tested else "undecided"
        elif kind == "max-drop" and not level:
            state = "fail" if exceeded else "pass"
        else:
            below = p
            if kind == "no-worse-than":
                below, p = student(left, differences)
                above = p
            else:
                above = student(left, differences)[1]
            state = "undecided"
            if exceeded and below is not None and below <= tested:
                state = "fail"
            unchanged = n > 1 and not any(differences)
            if not exceeded and ((above is not None and above <= tested) or (kind == "max-drop" and unchanged)):
                state = "pass"
        lenient = {"pass": True, "fail": False, None: kind not in ("no-worse-than", "max-share-losing")}[undecided]
        holds = state == "pass" or (state == "undecided" and lenient)
        results.append((state, holds, p))
    return results


LIMITS = {
    "min": ("0.25", "0.5", "0.7"),
    "max": ("0.3", "0.6", "1"),
    "max-query-losses": ("0", "1", "2"),
    "max-drop": ("0.013", "0.1", "0.29", "0.7", "7%", "33%"),
    "no-worse-than": ("0.013", "0.1", "0.29", "0.7", "7%", "33%"),
    "max-share-losing": (">0=2%", ">0.2=30%", ">0.5=30%", ">0.1=70%"),
}


@pytest.mark.thorough
@pytest.mark.parametrize("seed", range(200))
def test_verdicts_are_those_of_the_reference(verdict, seed):
    chance = random.Random(seed)
    queries = chance.choice((1, 2, 3, 4, 6, 9, 15))
    spread = chance.choice(((1, 2), (1, 2, 3), (1, 2, 3, 4, 7, 0, None), (0, None)))
    before = [chance.choice(spread) for _ in range(queries)]
    runs = {}
    for name in ("one", "two", "three")[: chance.randint(1, 3)]:
        moved = chance.choice((0.0, 0.2, 0.5, 1.0))
        worse = chance.random() < 0.5
        runs[name] = [
            (rank + 1 if rank and worse else chance.choice(spread)) if chance.random() < moved else rank
            for rank in before
        ]
    if not any(rank is not None for of in (before, *runs.values()) for rank in of):
        before[0] = 0
    for of in (before, *runs.values()):  # an empty file is no run
        of[0] = 0 if all(rank is None for rank in of) else of[0]
    conditions = [
        (kind, chance.choice(("RR", "P@2")), chance.choice(LIMITS[kind]))
        for kind in chance.choices(list(LIMITS), weights=(1, 1, 1, 4, 3, 2), k=chance.randint(1, 5))
    ]
    conditions = list(dict.fromkeys(conditions))
    level = chance.choice((None, 0.05, 0.2))
    undecided = chance.choice((None, "pass", "fail"))
    tested = {kind for kind, *_ in conditions} - (set() if level else {"max-drop"})
    undecided = undecided if tested & {"max-drop", "no-worse-than", "max-share-losing"} else None
    arguments = [judged(queries), *(made(name, *ranks) for name, ranks in runs.items())]
    arguments += ["--baseline-run", made("before", *before)]
    for kind, measure, limit in conditions:
        arguments += [f"--{kind}", f"{measure}{'' if limit[0] == '>' else '='}{limit}"]
    kinds = {kind for kind, _, _ in conditions}
    shown = kinds & {"no-worse-than", "max-share-losing", *(["max-drop"] if level else [])}
    arguments += ["--significant", str(level)] if level and shown else []
    arguments += ["--undecided", undecided] if undecided and shown else []

    record = verdict(*arguments)

    keys = [
        (f"--{kind} {measure}{'' if limit[0] == '>' else '='}{limit}", name)
        for kind, measure, limit in conditions
        for name in runs
    ]
    wanted = dict(zip(keys, expected(conditions, runs, before, level, undecided), strict=True))
    found = {(each["condition"], each["run"]): each for each in record["findings"]}
    assert set(wanted) == set(found)
    for key, (state, holds, p) in wanted.items():
        assert (state, holds) == (found[key]["state"], found[key]["holds"]), (key, found[key])
        assert (None if p is None else pytest.approx(p, abs=1e-12)) == found[key]["p"], key


def test_it_is_said_where_no_share_can_be_shown(irev, tmp_path, monkeypatch):
    """To show that at most a tenth of the queries lose takes 29 of which none does."""
    monkeypatch.chdir(tmp_path)
    for queries, said in ((28, True), (29, False)):
        Path("qrels").write_text("".join(f"{query} 0 d 1\n" for query in range(queries)))
        Path("run").write_text("".join(f"{query} Q0 d 1 1 run\n" for query in range(queries)))
        options = ("--baseline-run", "run", "--max-share-losing", "AP>0.1=10%", "-f", "json")
        (found,) = json.loads(irev("check", "qrels", "run", *options)[1])["findings"]
        assert ("undecided" if said else "pass") == found["state"]
        assert said == (f"no result can show that the condition holds: p is at least {0.9**28:.4f}" in found["reason"])


def test_what_is_a_condition_and_no_measure_is_told(irev, write):
    from irev.commands.check.conditions import COUNTS
    from irev.measures.request import is_measure
    from irev.measures.spellings import CONDITIONS

    assert {*CONDITIONS} == {name for name in COUNTS if not is_measure(name)}
    qrels, run = write(b"q 0 a 1\n", "qrels"), write(b"q Q0 a 1 1 r\n", "run")
    for name in CONDITIONS:
        done = irev("eval", "-m", name, qrels, run)
        assert (2, b"") == (done.status, done.stdout)
        assert (
            f"there is no measure '{name}'; `irev check` has it as a condition, such as --max {name}=0" in done.stderr
        )
        assert irev("check", "--max", f"{name}=0", qrels, run).status in (0, 1)


SPOKEN = {
    "min AP=x: 'x' is not a number": {"min": {"AP": "x"}},
    "max_drop has no effect without baseline": {"max_drop": {"AP": 0.1}},
    "no condition is given; add one, for example min='nDCG@10=0.4' or max_drop='AP=0.01'": {},
    "significant has no effect without max_drop or no_worse_than or max_share_losing": {
        "min": {"AP": 0},
        "significant": 0.05,
    },
    "there is no evaluation of the run 'rum', which is one of runs; did you mean 'run'?": {
        "min": {"AP": 0},
        "qrels": "qrels",
        "runs": {"rum": "run"},
    },
    "qrels and runs are needed together to tell whether unjudged documents decide": {
        "min": {"AP": 0},
        "runs": {"run": "run"},
    },
}


@pytest.mark.parametrize("said", SPOKEN)
def test_errors_in_python_speak_of_parameters(said):
    found = evaluate(judged(4), made("run", *AFTER), ["AP"], complete=True)
    with pytest.raises(UsageError) as raised:
        check_in_python({"run": found}, **SPOKEN[said])
    assert str(raised.value).startswith(said)
    assert "--" not in str(raised.value)
