"""``irev online simulate``: logs that hang together, users who click as their model says, and what is refused."""

import csv
import json
import subprocess
import sys
from collections import Counter
from itertools import pairwise

import pytest
from conftest import ROOT, environment
from outcomes import refused

from irev.base.errors import UsageError
from irev.extensions.clicks.events.log import Log
from irev.extensions.clicks.online.interleaving import METHODS
from irev.extensions.clicks.online.models import MODELS
from irev.statistics.resampling import SeededChance

SAMPLE = ROOT / "sample_data"
QRELS, HYBRID, KEYWORD, SEMANTIC = (
    str(SAMPLE / name) for name in ("qrels.txt", "hybrid.run", "keyword.run", "semantic.run")
)
SIMULATE = ("online", "simulate")
FAIR = [name for name in tuple(METHODS) if METHODS.find(name).fair]


def events(outcome) -> list[dict]:
    assert 0 == outcome.status, outcome.stderr
    return [json.loads(line) for line in outcome.stdout.splitlines()]


def of(kind: str, log: list[dict]) -> list[dict]:
    return [each for each in log if each["event"] == kind]


def ways() -> list[tuple[str, ...]]:
    """Two runs interleaved in every way, and three in an A/B test."""
    return [
        *(("--method", name, QRELS, HYBRID, SEMANTIC) for name in tuple(METHODS)),
        (QRELS, HYBRID, KEYWORD, SEMANTIC),
    ]


each_model = pytest.mark.parametrize("model", tuple(MODELS))
each_way = pytest.mark.parametrize("way", ways(), ids=lambda way: way[1] if way[0] == "--method" else "A/B")


def test_a_new_model_is_a_module_and_nothing_else():
    assert ("cascade", "dependent", "position") == tuple(MODELS)
    with pytest.raises(UsageError, match="there is no click model 'positions'; did you mean 'position'"):
        MODELS.find("positions")


# Logs


@each_model
@each_way
def test_a_log_hangs_together(irev, model, way):
    log = events(irev(*SIMULATE, "--model", model, "--impressions", "200", "--users", "12", "--length", "4", *way))
    impressions = {each["impression"]: each for each in of("impression", log)}
    times = [each["time"] for each in log]
    clicks = of("click", log)

    assert 200 == len(impressions) == len(of("impression", log))
    assert all(before <= after for before, after in pairwise(times))
    assert {"impression", "click", "conversion"} == {each["event"] for each in log}
    assert 12 >= len({each["user"] for each in impressions.values()}) > 6
    shown: set[str] = set()
    for each in log:
        shown |= {each["impression"]} if each["event"] == "impression" else set()
        assert each["impression"] in shown, "a click comes after what was shown"
    for click in clicks:
        assert click["document"] == impressions[click["impression"]]["documents"][click["position"] - 1]
        assert 0 < click["dwell"]
    assert len(clicks) == len({(click["impression"], click["position"]) for click in clicks})
    clicked = {each["impression"] for each in clicks}
    assert all(each["impression"] in clicked for each in of("conversion", log))
    for each in impressions.values():
        assert len(each["documents"]) == len({*each["documents"]}) <= 4
        assert ("propensities" in each) == (model == "position")
        assert all(len(each[name]) == len(each["documents"]) for name in ("teams", "shares", "ranks_a") if name in each)


def test_a_user_of_an_ab_test_sees_one_of_the_runs_and_each_has_about_as_many(irev):
    log = of("impression", events(irev(*SIMULATE, "--users", "300", QRELS, HYBRID, KEYWORD, SEMANTIC)))
    buckets = {each["user"]: each["bucket"] for each in log}
    counts = Counter(buckets.values())

    assert all(each["bucket"] == buckets[each["user"]] for each in log)
    assert {"hybrid", "keyword", "semantic"} == {*counts}
    assert all(abs(count / len(buckets) - 1 / 3) < 0.1 for count in counts.values())


def test_every_impression_has_a_list_of_its_own(irev):
    log = events(irev(*SIMULATE, "--method", "team-draft", QRELS, HYBRID, SEMANTIC))
    drawn = {tuple(each["teams"]) for each in of("impression", log) if each["query"] == "q5"}

    assert {"hybrid"} == {each["a"] for each in of("impression", log)}
    assert {"semantic"} == {each["b"] for each in of("impression", log)}
    assert 3 < len(drawn)


@each_way
def test_a_shorter_log_is_the_beginning_of_a_longer_one_and_a_seed_decides(irev, way):
    log = irev(*SIMULATE, "--impressions", "40", *way).stdout

    assert log.startswith(irev(*SIMULATE, "--impressions", "15", *way).stdout)
    assert log == irev(*SIMULATE, "--impressions", "40", *way).stdout
    assert log != irev(*SIMULATE, "--impressions", "40", "--seed", "1", *way).stdout


def test_another_process_makes_the_same_log(irev):
    words = (*SIMULATE, "--impressions", "20", QRELS, HYBRID, KEYWORD)
    done = subprocess.run(
        [sys.executable, "-m", "irev", *words], capture_output=True, env=environment(PYTHONHASHSEED="3")
    )
    assert irev(*words).stdout == done.stdout


MADE = {
    "interleaved.jsonl": ("--method", "team-draft", "--impressions", "150", "--users", "40"),
    "ab_test.csv": ("--impressions", "400", "--users", "80"),
}
"""The sample logs, and what each is made with."""


@pytest.mark.parametrize("name", MADE)
def test_the_sample_logs_are_what_the_command_makes(irev, tmp_path, name):
    made = tmp_path / name
    done = irev(*SIMULATE, *MADE[name], "--length", "5", "-o", str(made), QRELS, HYBRID, KEYWORD)

    assert 0 == done.status
    assert (SAMPLE / name).read_bytes() == made.read_bytes()
    assert 60_000 > made.stat().st_size
    page = (SAMPLE / "README.md").read_text(encoding="utf-8")
    assert " ".join(("irev online simulate", *MADE[name], "--length 5")) in page


# Users


CLICKED = (0.5, 0.125, 0.75, 0.0, 0.25)
"""Probabilities of a click on what is looked at, in the order shown."""


def rates(model: str, draws: int = 40_000) -> list[float]:
    """How often each position is clicked."""
    chance, clicks = SeededChance(11), MODELS.find(model).clicks
    found = Counter(position for _ in range(draws) for position in clicks(CLICKED, chance))
    return [found[position + 1] / draws for position in range(len(CLICKED))]


@pytest.mark.thorough
def test_positions_are_clicked_by_their_propensities():
    expected = [
        attracts * seen for attracts, seen in zip(CLICKED, MODELS.find("position").propensities(5), strict=True)
    ]

    assert [1, 1 / 2, 1 / 3, 1 / 4, 1 / 5] == [*MODELS.find("position").propensities(5)]
    assert pytest.approx(expected, abs=0.01) == rates("position")


@pytest.mark.thorough
def test_users_of_the_dependent_model_go_on_after_half_of_their_clicks():
    looks, expected = 1.0, []
    for attracts in CLICKED:
        expected.append(looks * attracts)
        looks *= 1 - attracts / 2
    assert pytest.approx(expected, abs=0.01) == rates("dependent")


@pytest.mark.thorough
def test_a_cascade_ends_with_its_first_click():
    expected, reached = [], 1.0
    for attracts in CLICKED:
        expected.append(reached * attracts)
        reached *= 1 - attracts

    assert pytest.approx(expected, abs=0.01) == rates("cascade")
    assert all(len(MODELS.find("cascade").clicks(CLICKED, SeededChance(seed))) <= 1 for seed in range(99))
    assert MODELS.find("cascade").propensities is None


def test_known_propensities_give_back_what_documents_are_worth(irev):
    """Clicks over the propensities of their positions are, on average, the probability of a click on what is seen."""
    log = events(irev(*SIMULATE, "--impressions", "4000", "--attraction", "0=0,1=0.2,2=0.4,3=0.8", QRELS, HYBRID))
    shown = {each["impression"]: each for each in of("impression", log) if each["query"] == "q5"}
    found: Counter = Counter()
    for click in of("click", log):
        if each := shown.get(click["impression"]):
            found[click["document"]] += 1 / each["propensities"][click["position"] - 1] / len(shown)

    assert pytest.approx({"d17": 0.8, "d18": 0.4, "d12": 0.2}, abs=0.1) == dict(found)


def test_clicks_are_as_likely_as_by_err_unless_that_is_said(irev):
    record = json.loads(irev(*SIMULATE, "--impressions", "1", "-f", "json", QRELS, HYBRID).stdout)
    assert [[0, 0.05], [1, 0.125], [2, 0.375], [3, 0.875]] == record["attraction"]

    words = (*SIMULATE, "--attraction", "0=0,1=0,2=0,3=1", "--model", "cascade", QRELS, SEMANTIC)
    assert {"d02", "d05", "d10", "d13", "d17", "d20"} >= {
        each["document"] for each in of("click", events(irev(*words)))
    }
    refused(irev(*SIMULATE, "--attraction", "0=0,1=0.5", QRELS, HYBRID), "grade 2 has no probability of a click")


# What logs say in the end

WHATEVER = ("--attraction", "0=0.3,1=0.3,2=0.3,3=0.3")
"""Users who click whatever they look at."""


def found(irev, folder, *words: str) -> dict:
    """What `irev online preference` finds in a simulated log."""
    log = str(folder / "log.jsonl")
    assert 0 == irev(*SIMULATE, *words, "-o", log).status
    return json.loads(irev("online", "preference", "-f", "json", log).stdout)


@pytest.mark.thorough
@pytest.mark.parametrize(("method", "wins", "means"), [("team-draft", 2, 2), ("probabilistic", 9, 2)])
def test_clicks_on_whatever_is_shown_show_no_difference_by_what_decides(irev, tmp_path, method, wins, means):
    """Of 30 logs 1.5 are to be expected at the level 0.05; the docs have these numbers, and why more are won."""
    options = ("--method", method, "--impressions", "400", *WHATEVER, QRELS, KEYWORD, SEMANTIC)
    every = [found(irev, tmp_path, "--seed", str(seed), *options) for seed in range(30)]

    # Lists by team draft of these runs have documents of nobody's.
    assert {"credit"} == {each["decides"] for each in every}
    assert (wins, means) == tuple(sum(each[by]["p"] < 0.05 for each in every) for by in ("users", "credit"))


def test_the_bias_of_balanced_interleaving_is_found_as_if_it_were_a_difference(irev, tmp_path):
    judged, *runs = (tmp_path / name for name in ("qrels", "one", "other"))
    judged.write_text("1 0 x 1\n")
    for path, order in zip(runs, ("xyz", "yzx"), strict=True):
        path.write_text("".join(f"1 Q0 {each} 1 {-place} {path.name}\n" for place, each in enumerate(order)))
    words = ("--model", "cascade", "--attraction", "0=0.3,1=0.3", "--impressions", "400", *map(str, (judged, *runs)))

    assert "B better" == found(irev, tmp_path, "--method", "balanced", *words)["finding"]
    assert {"not shown"} == {found(irev, tmp_path, "--method", name, *words)["finding"] for name in FAIR}


@pytest.mark.parametrize("method", tuple(METHODS))
def test_users_find_the_run_that_judgments_speak_for(irev, tmp_path, method):
    words = ("--impressions", "600", QRELS, HYBRID, KEYWORD)
    assert "A better" == found(irev, tmp_path, "--method", method, *words)["finding"]


# What is written and said


@pytest.mark.thorough
def test_every_style_for_programs_has_the_same_events(irev, tmp_path):
    from pyarrow import parquet

    words = (*SIMULATE, "--impressions", "60", "--method", "balanced", QRELS, HYBRID, KEYWORD)
    expected = events(irev(*words))
    record = json.loads(irev(*words, "-f", "json").stdout)
    irev(*words, "-o", str(tmp_path / "x.parquet"))
    table = csv.DictReader(irev(*words, "-f", "csv").stdout.decode().splitlines())

    def cell(value):
        return " ".join("-" if each is None else str(each) for each in value) if isinstance(value, list) else str(value)

    assert expected == record["events"]
    found = parquet.read_table(tmp_path / "x.parquet").to_pylist()
    assert expected == [{name: value for name, value in each.items() if value is not None} for each in found]
    assert [{name: cell(value) for name, value in each.items()} for each in expected] == [
        {name: value for name, value in each.items() if value} for each in table
    ]


@each_model
@each_way
@pytest.mark.parametrize("ending", ["jsonl", "csv", "parquet"])
def test_a_log_is_read_without_a_fault(irev, tmp_path, model, way, ending):
    words = (*SIMULATE, "--model", model, "--impressions", "30", *way)
    made, path = events(irev(*words)), str(tmp_path / f"log.{ending}")
    assert 0 == irev(*words, "-o", path).status
    with Log([path]) as log:
        parts = [*log.impressions()]

    assert 30 == sum(map(len, parts))
    assert len(of("click", made)) == log.facts.clicks == sum(len(part.position) for part in parts)
    assert (log.facts.left_out, log.facts.unnamed, log.facts.strange) == (0, 0, set())
    assert {} == log.faults.counts


def test_people_are_told_what_there_is(irev):
    shown = irev(*SIMULATE, "-f", "table", QRELS, HYBRID, KEYWORD).stdout.decode()

    assert "1,000 impressions, " in shown
    assert "By the position model; hybrid, keyword.\n" in shown


def test_queries_that_are_never_asked_are_named(irev):
    done = irev(*SIMULATE, QRELS, HYBRID, KEYWORD)

    said = "2 queries are not judged, or not in all of the runs, and are never asked: q6, q8"
    assert f"irev: warning: {said}\n" == done.stderr
    assert {"q1", "q2", "q3", "q4", "q5", "q7"} == {each["query"] for each in of("impression", events(done))}


@pytest.mark.parametrize(
    ("words", "fact"),
    [
        ((QRELS,), "expected QRELS and at least one RUN, but got 1"),
        (("--method", "balanced", QRELS, HYBRID), "interleaving needs two runs, but there is 1; name two"),
        (("--method", "balanced", QRELS, HYBRID, KEYWORD, SEMANTIC), "interleaving needs two runs, but there are 3"),
        (("--attraction", "0=2", QRELS, HYBRID), "'0=2': a probability is from 0 to 1"),
        (("--attraction", "0:1", QRELS, HYBRID), "'0:1' is not a pair of grade and probability such as 1=0.4"),
        (("--attraction", "0=1,0.0=1", QRELS, HYBRID), "grade 0.0 is given twice"),
        (("--users", "0", QRELS, HYBRID), "0 is below 1"),
    ],
)
def test_what_makes_no_log_is_refused(irev, words, fact):
    refused(irev(*SIMULATE, *words), fact)


def test_runs_of_other_queries_are_refused(irev, tmp_path):
    (tmp_path / "run").write_text("x1 Q0 a 1 1 t\n")
    refused(irev(*SIMULATE, QRELS, str(tmp_path / "run")), "no query is judged and in all of the runs")
    (tmp_path / "qrels").write_text("x1 0 a 5000\n")
    refused(irev(*SIMULATE, str(tmp_path / "qrels"), str(tmp_path / "run")), "the grade 5000 is too large")
