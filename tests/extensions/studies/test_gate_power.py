"""What a gate can tell: how often a condition of `irev check` fails for a drop that is known, by simulation, and as
`irev power --gate` says."""

import math

import numpy as np
import pytest
from comparing import QRELS, RUNS, SOME, both, record, sentences, shown, write_pairs
from outcomes import refused
from scipy import stats

from irev.commands.check.conditions import read
from irev.commands.check.judging import GateRules, _weighed, weigh
from irev.extensions.studies.statistics.planning import needed_interval, shown_within
from irev.statistics.intervals import of_differences, unseen_error
from irev.statistics.plan import Plan

SPREAD = 0.1


def states(drop, allowed, queries, trials, alpha=0.05):
    """What becomes of a condition on a drop, once for each trial."""
    rules = GateRules(alpha, significant=True)
    gains = np.random.default_rng(11).normal(-drop, SPREAD, (trials, queries))
    room = np.full(queries, allowed)
    for each in gains:
        weighed = weigh(each, room, False, rules, 1.0)
        yield _weighed(weighed, -each.mean() > allowed, weighed.worse.p, rules)


def share(state, *arguments, **options):
    found = list(states(*arguments, **options))
    return found.count(state) / len(found)


@pytest.mark.thorough
@pytest.mark.parametrize("allowed", [0.0, 0.01, 0.05])
def test_a_drop_as_large_as_is_allowed_fails_no_oftener_than_the_level_says(allowed):
    assert 0.05 == pytest.approx(share("fail", allowed, allowed, 50, 1000), abs=0.02)
    assert 0.05 == pytest.approx(share("pass", allowed, allowed, 50, 1000), abs=0.02)


@pytest.mark.thorough
def test_half_of_what_is_allowed_hardly_ever_fails():
    assert 0.03 > share("fail", 0.005, 0.01, 200, 500)


@pytest.mark.parametrize(("share", "queries"), [("2%", 149), ("10%", 29)])
def test_so_many_queries_without_a_loss_show_that_few_lose(share, queries):
    from irev.statistics import intervals

    (condition,) = read("max_share_losing", f"AP>0.2={share}")
    assert condition.value >= intervals.share(0, queries, condition.value, 0.05).high
    assert condition.value < intervals.share(0, queries - 1, condition.value, 0.05).high


# irev power --gate


def chances(irev, *arguments):
    return record(irev, "power", "--gate", *arguments)["chances"]


@pytest.mark.thorough
@pytest.mark.parametrize("queries", [5, 80])
@pytest.mark.parametrize("allowed", [0.0, 0.03])
def test_what_a_plan_says_is_what_checks_do(irev, queries, allowed):
    options = ("--variance", str(SPREAD**2), "--number", str(queries))
    for chance in chances(irev, str(allowed), *options)[::2]:
        about = (chance["drop"], allowed, queries, 400)
        differences = np.random.default_rng(11).normal(-chance["drop"], SPREAD, (400, queries))
        assert share("fail", *about) == pytest.approx(chance["significant"], abs=0.07)
        assert 1 - share("pass", *about) == pytest.approx(chance["no_worse"], abs=0.07)
        assert (-differences.mean(axis=1) > allowed).mean() == pytest.approx(chance["by_value"], abs=0.07)


@pytest.mark.parametrize("alpha", ["0.05", "0.01"])
def test_a_plan_is_that_of_the_noncentral_t(irev, alpha):
    options = ("--variance", "0.04", "--number", "60", "--difference", "0.07", "--alpha", alpha)
    (chance,) = chances(irev, "0.02", *options)

    limit, moved = stats.t.ppf(1 - float(alpha), 59), 0.05 * math.sqrt(60) / 0.2
    assert pytest.approx(stats.nct.sf(limit, 59, moved)) == chance["significant"]
    assert pytest.approx(1 - stats.nct.sf(limit, 59, -moved)) == chance["no_worse"]
    assert pytest.approx(stats.norm.cdf(moved)) == chance["by_value"]


def test_a_true_drop_as_large_as_is_allowed_turns_red_at_the_level(irev):
    drops = {each["drop"]: each for each in chances(irev, "0.01", "--variance", "0.04", "--number", "60")}
    assert [0.0, 0.005, 0.01, 0.02, 0.03, 0.05] == pytest.approx(list(drops))
    assert (0.5, 0.05, 0.95) == pytest.approx(tuple(drops[0.01][of] for of in ("by_value", "significant", "no_worse")))


def test_number_and_spread_are_taken_from_saved_results(irev, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    assert 0 == irev("eval", "-c", "-q", "-m", "AP", QRELS, *RUNS[:2], "-f", "json", "-o", "saved.json").status
    by_runs = chances(irev, "0.01", QRELS, *RUNS[:2], "-m", "AP")
    assert by_runs == chances(irev, "0.01", "saved.json")
    write_pairs(SOME)
    for chance in chances(irev, "0.01", "--scores", *SOME, "--difference", "0.03"):
        differences = np.subtract(*reversed(both(SOME, chance["baseline"], chance["run"])))
        assert (30, pytest.approx(differences.var(ddof=1))) == (chance["queries"], chance["variance"])
        given = ("--variance", repr(chance["variance"]), "--number", "30", "--difference", "0.03")
        (same,) = chances(irev, "0.01", *given)
        for of in ("by_value", "significant"):
            assert pytest.approx(same[of]) == chance[of]
        assert same["no_worse"] == pytest.approx(chance["no_worse"], abs=1e-3)


def test_a_plan_of_a_gate_is_put_into_words(irev):
    text = sentences(shown(irev, "power", "--gate", "0.01", "--variance", "0.0256", "--number", "200"))
    assert "200 0.025600 0.02 81.2% 22.2% 99.4%" in text
    assert "By value: --max-drop 0.01; significant: with --significant 0.05; no worse: --no-worse-than 0.01" in text


def test_of_queries_that_do_not_differ_nothing_is_said(irev, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    files = write_pairs({"A": SOME["A"], "B": SOME["A"]})
    assert {(0.0, None, None)} == {
        (each["variance"], each["significant"], each["no_worse"]) for each in chances(irev, "0.01", "--scores", *files)
    }
    assert "the variance is 0 or unknown" in sentences(shown(irev, "power", "--gate", "0.01", "--scores", *files))


@pytest.mark.parametrize(
    ("arguments", "fact"),
    [
        (("--gate", "0.01"), "without runs a variance is needed; give --variance"),
        (("--gate", "0.01", "--variance", "0.1"), "without runs a number of queries is needed; give --number"),
        (("--gate", "-1"), "'-1' is not a number of 0 or more"),
        (("--gate", "2%"), "'2%' is not a number"),
        (("--gate", "0.01", "--design", "t"), "--design has no effect with --gate"),
        (("--gate", "0.01", "--power", "0.9"), "--power has no effect with --gate"),
        (("--gate", "0.01", "--alternative", "less"), "--alternative has no effect with --gate"),
        (("--number", "5"), "--number has no effect without --gate"),
        (("--gate", "0.01", "--number", "1", "--variance", "0.1"), "'1' is not a whole number of 2 or more"),
        (("--gate", "0.01", QRELS, RUNS[0]), "there is nothing to compare"),
    ],
)
def test_a_plan_of_a_gate_that_cannot_be_made_is_refused(irev, arguments, fact):
    refused(irev("power", *arguments), fact)


def test_every_part_of_a_table_that_is_too_wide_says_which_true_drop_a_row_is_about(irev):
    runs = ("sample_data/hybrid.run", "sample_data/keyword.run")
    done = irev("power", "--gate", "0.01", "-m", "AP", "sample_data/qrels.txt", *runs)
    heads = [line for line in done.stdout.decode().splitlines() if line.startswith("measure ")]
    assert len(heads) > 1
    assert [] == [line for line in heads if "true drop" not in line]


def test_differences_whose_squares_are_too_large_have_no_chances(irev, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    files = write_pairs({"A": {"q1": 0.0, "q2": 0.0, "q3": 0.0}, "B": {"q1": 1e200, "q2": -1e200, "q3": 3e200}})
    found = chances(irev, "0.01", "--scores", *files)
    assert {None} == {each["by_value"] for each in found}


def few(random, n, experiments):
    """(n, experiments) differences of mean -0.005, of which one in ten is not 0."""
    differs = random.random((n, experiments)) < 0.1
    return np.where(differs, random.normal(-0.05, 0.1, (n, experiments)), 0.0)


def test_where_few_queries_differ_gates_and_intervals_are_planned_as_they_are_made():
    random, spread, n, limit = np.random.default_rng(2), math.sqrt(0.1 * (0.1**2 + 0.05**2) - 0.005**2), 50, 0.03

    def unseen(queries):
        return unseen_error(queries, 0.1 * queries, 1.0)

    spans = of_differences(few(random, n, 1000), Plan(confidence=0.9), 1.0)
    shown = np.mean([span.low > -limit for span in spans])
    planned, student = (shown_within(n, 0.005, limit, spread, 0.05, each) for each in (unseen(n), 0.0))
    assert shown == pytest.approx(planned, abs=0.15)  # as if the share in every sample were the same
    assert student > 0.99
    assert shown_within(n, 0.01, limit, spread, 0.05, 1e-12) == pytest.approx(
        shown_within(n, 0.01, limit, spread, 0.05), abs=1e-4
    )
    needed = needed_interval(0.08, spread**2, 0.05, unseen)
    spans = of_differences(few(random, needed, 1000), Plan(), 1.0)
    assert np.mean([span.high - span.low for span in spans]) == pytest.approx(0.08, rel=0.08)
    assert needed > 30 > 10 > needed_interval(0.08, spread**2, 0.05)


def test_of_runs_as_large_a_share_of_the_queries_differs_in_the_plan(irev, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    random = np.random.default_rng(3)
    values = {"a.txt": random.uniform(0.3, 0.7, 40)}
    values["b.txt"] = values["a.txt"] + np.where(np.arange(40) < 8, random.normal(0, 0.1, 40), 0)
    for name, column in values.items():
        (tmp_path / name).write_text("".join(f"q{q} {value!r}\n" for q, value in enumerate(column.tolist())))
    for number in (40, 90):
        asked = ("--scores", *values, "--number", str(number), "--difference", "0.01")
        (chance,) = chances(irev, "0.05", *asked)
        error = unseen_error(number, number / 5, 1.0)
        assert chance["no_worse"] == pytest.approx(
            1 - shown_within(number, 0.01, 0.05, math.sqrt(chance["variance"]), 0.05, error)
        )
    (need,) = record(irev, "power", "--design", "interval", "--width", "0.05", "--scores", *values)["needs"]
    assert need["needed"] == needed_interval(0.05, need["variance"], 0.05, lambda n: unseen_error(n, n / 5, 1.0))
    text = sentences(shown(irev, "power", "--design", "interval", "--width", "0.05", "--scores", *values))
    assert "0.05 wide, if as large a share of the queries differs." in text
