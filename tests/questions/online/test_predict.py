"""Past experiments: how well offline differences predicted online ones, against slow definitions and by hand."""

import itertools
import json
import math
import random
import re

import numpy as np
import pytest
import scipy.stats
from conftest import ROOT
from outcomes import refused

from irev.questions.online.predict import Experiments, pictures, predictions

SAMPLE = ROOT / "sample_data" / "experiments.csv"


def made_up():
    """The sample: a true difference for each of 30 experiments, of which users and measures see more or less."""
    chance = random.Random(20)
    lines = ["name,online,online_error,nDCG@10,AP,RR"]
    for number in range(1, 31):
        true = chance.gauss(0, 0.02)
        seen = (true + chance.gauss(0, spread) for spread in (0.008, 0.008, 0.015, 0.05))
        online, *offline = (f"{value:.4f}" for value in seen)
        lines.append(",".join([f"e{number:02}", online, "0.0080", *offline]))
    return "".join(f"{line}\n" for line in lines)


def test_the_sample_is_made_up_by_chance():
    assert made_up() == SAMPLE.read_text()


def held(offline, online, errors=None, lower=None, **choices):
    """Predictions of columns of offline differences."""
    offline = np.array(offline, dtype=float).T
    n, m = offline.shape
    experiments = Experiments(
        tuple(f"e{row}" for row in range(n)),
        tuple(f"m{column}" for column in range(m)),
        tuple(lower or [False] * m),
        offline,
        np.array(online, dtype=float),
        None if errors is None else np.array(errors, dtype=float),
    )
    return predictions(experiments, **choices)


def table(irev, tmp_path, content, *options):
    (tmp_path / "past.csv").write_text(content)
    return irev("online", "predict", str(tmp_path / "past.csv"), *options)


def slow_signs(offline, online):
    same = of = 0
    for one, other in zip(offline, online, strict=True):
        if one and other:
            of += 1
            same += (one > 0) == (other > 0)
    return same, of


@pytest.mark.parametrize("seed", range(10))
def test_numbers_are_those_of_loops_and_of_scipy(seed):
    chance = np.random.default_rng(seed)
    online = chance.integers(-4, 5, 25) / 100
    offline = [online + chance.integers(-reach, reach + 1, 25) / 100 for reach in (2, 5, 9)]
    errors = chance.uniform(0.005, 0.03, 25)
    found = held(offline, online, errors, confidence=0.9, samples=200)
    for each in found.predictors:
        column = offline[int(each.measure[1:])]
        assert slow_signs(column, online) == (each.signs.same, each.signs.of)
        clear = [abs(value) > 1.6448536269514722 * error for value, error in zip(online, errors, strict=True)]
        assert slow_signs(column[clear], online[clear]) == (each.shown.same, each.shown.of)
        exact = scipy.stats.binomtest(each.signs.same, each.signs.of).proportion_ci(0.9, method="exact")
        assert (exact.low, exact.high) == pytest.approx(tuple(each.signs.interval), rel=1e-9)
        for theirs, ours in (
            (scipy.stats.kendalltau, each.tau),
            (scipy.stats.pearsonr, each.pearson),
            (scipy.stats.spearmanr, each.spearman),
        ):
            assert theirs(column, online).statistic == pytest.approx(ours.value, abs=1e-12)
    taus = [each.tau.value for each in found.predictors]
    assert sorted(taus, reverse=True) == taus
    ordered = [each.measure for each in found.predictors]
    assert list(itertools.combinations(ordered, 2)) == [(each.first, each.second) for each in found.rivals]
    for each in found.rivals:
        right = [
            [(one > 0) == (other > 0) and bool(one) and bool(other) for one, other in zip(column, online, strict=True)]
            for column in (offline[int(each.first[1:])], offline[int(each.second[1:])])
        ]
        alone = [sum(a and not b for a, b in zip(*pair, strict=True)) for pair in (right, right[::-1])]
        assert alone == [each.first_alone, each.second_alone]
        expected = scipy.stats.binomtest(alone[0], sum(alone)).pvalue if sum(alone) else 1.0
        assert expected == pytest.approx(each.p_signs, rel=1e-9)


def test_lower_is_better_of_some_measures():
    online = [0.1, 0.2, -0.1, 0.3]
    found = held([online, online], online, lower=[False, True], samples=50)
    assert [("m0", 4, 1.0), ("m1", 0, -1.0)] == [
        (each.measure, each.signs.same, each.tau.value) for each in found.predictors
    ]


def test_a_difference_of_zero_has_no_sign():
    (found,) = held([[0.0, -0.0, 0.1, -0.1]], [0.1, -0.1, 0.0, -0.2]).predictors
    assert (1, 1) == (found.signs.same, found.signs.of)


def test_a_measure_that_never_differs_predicts_nothing_and_stands_last():
    found = held([[0.0, 0.0, 0.0], [0.1, -0.2, 0.3]], [0.3, 0.1, 0.2], samples=50)
    last = found.predictors[-1]
    assert ("m0", None, None, None) == (last.measure, last.tau.value, last.pearson.value, last.signs.share)
    (pair,) = found.rivals
    assert (None, None, None, None) == (pair.tau, pair.interval, pair.p, pair.corrected)


def test_neither_order_nor_unit_of_the_experiments_changes_what_is_found():
    chance = np.random.default_rng(3)
    online = chance.normal(size=20)
    offline = np.stack([online + chance.normal(size=20), chance.normal(size=20)])
    found = held(offline, online, samples=50)
    moved = held(offline[:, ::-1] * 1024, online[::-1] / 8, samples=50)
    for one, other in zip(found.predictors, moved.predictors, strict=True):
        assert (one.measure, one.signs, one.tau) == (other.measure, other.signs, other.tau)
        assert one.pearson.value == pytest.approx(other.pearson.value, rel=1e-12)


@pytest.mark.thorough
def test_two_measures_that_predict_alike_are_rarely_told_apart():
    """At 5% of 300 sets of experiments; percentiles of few experiments are a little too narrow, so up to 8%."""
    chance = np.random.default_rng(4)
    rejected = 0
    for seed in range(300):
        online = chance.normal(size=25)
        offline = online + chance.normal(size=(2, 25))
        (pair,) = held(offline, online, samples=300, seed=seed).rivals
        rejected += pair.p <= 0.05
    assert rejected <= 300 * 0.05 + 3 * math.sqrt(300 * 0.05 * 0.95)


def test_a_measure_that_predicts_better_is_found_to():
    chance = np.random.default_rng(5)
    online = chance.normal(size=40)
    found = held([online + 0.2 * chance.normal(size=40), chance.normal(size=40)], online, samples=2000)
    (pair,) = found.rivals
    assert pair.first == "m0"
    assert pair.corrected == pair.p < 0.01
    assert pair.interval.low > 0
    assert pair.corrected_signs < 0.05


def test_the_report_says_which_is_best_and_whether_that_is_chance(irev):
    done = irev("online", "predict", str(SAMPLE), "-f", "markdown")
    assert "nDCG@10 has the highest tau; it is significantly higher than that of RR." in done.stdout.decode()
    done = irev("online", "predict", str(SAMPLE), "-m", "AP", "-m", "nDCG@10", "-f", "markdown")
    said = "nDCG@10 has the highest tau; it is not significantly higher than that of any other measure."
    assert said in done.stdout.decode()


def test_a_seed_gives_the_same_record_again(irev):
    first, again, other = (
        irev("online", "predict", str(SAMPLE), "--samples", "50", "--seed", seed, "-f", "json").stdout
        for seed in ("1", "1", "2")
    )
    assert first == again
    pairs = [json.loads(each)["pairs"] for each in (first, other)]
    assert pairs[0] != pairs[1]


def test_the_same_experiments_as_json_lines(irev, tmp_path):
    header, *rows = (line.split(",") for line in SAMPLE.read_text().splitlines())
    objects = [
        {name: value if name == "name" else float(value) for name, value in zip(header, row, strict=True)}
        for row in rows
    ]
    path = tmp_path / "past.jsonl"
    path.write_text("".join(f"{json.dumps(each)}\n" for each in objects))
    expected, found = (
        irev("online", "predict", str(path), "-f", "csv", "--digits", "exact").stdout for path in (SAMPLE, path)
    )
    assert expected == found


def test_so_many_experiments_as_nobody_has_are_refused(irev, tmp_path):
    rows = "".join(f"e{n},1,1\n" for n in range(2001))
    refused(table(irev, tmp_path, f"name,online,AP\n{rows}"), "there are 2,001 experiments; expected 2,000 at most")


@pytest.mark.parametrize(
    ("content", "says"),
    {
        "online,AP\n1,1\n2,2\n": "past.csv: there is no column 'name'; expected a row for each experiment with name,",
        "name,AP\nx,1\ny,2\n": "past.csv: there is no column 'online'",
        "name,online\nx,1\ny,2\n": "past.csv: there is no column of a measure; expected a row",
        "name,online,AP\nx,1,1\n": "past.csv: there is only one experiment",
        "name,online,AP\nx,1,1\nx,2,2\n": "past.csv:3: name 'x' occurs twice (first on line 2)",
        "name,online,AP\nx,1,1\ny,1e308,2\n": "past.csv:3: 1e+308, the value of 'online', is too large for a"
        " difference",
        "name,online,AP\nx,1,-1e101\ny,1,2\n": "past.csv:2: -1e+101, the value of 'AP', is too large for a difference",
        "name,online,online_error,AP\nx,1,1e308,1\ny,1,1,2\n": "past.csv:2: 1e+308, the value of 'online_error', is"
        " too",
        "name,online,AP,RR,map\nx,1,1,1,1\ny,1,2,2,2\n": "past.csv: columns 'AP' and 'map' are one measure; leave one",
        "name,online,AP\nx,1,nan\ny,2,1\n": "past.csv:2: the value 'nan' of 'AP' is not a finite number",
        "name,online,AP\nx,1,1\ny,inf,1\n": "past.csv:3: the value 'inf' of 'online' is not a finite number",
        "name,online,AP\nx,1,1\ny,,1\n": "past.csv:3: the value of 'online' is empty",
        "name,online,owner,AP\nx,1,me,1\ny,1,me,1\n": "column 'owner' is not a known measure; leave it out, or",
        "name,online,official\nx,1,1\ny,1,1\n": "column 'official' is not a known measure",
        "name,online,num_ret\nx,1,1\ny,1,1\n": "neither higher nor lower values of NumRet are better; leave it out",
        "name,online,online_error,AP\nx,1,1,1\ny,1,0,1\n": "past.csv:3: the standard error of 'y' is not above 0",
    }.items(),
)
def test_what_is_no_table_of_experiments_is_refused(irev, tmp_path, content, says):
    refused(table(irev, tmp_path, content), says)


def test_a_column_is_chosen_whatever_it_is_called(irev, tmp_path):
    content = "name,online,owner,ours\nx,1,me,1\ny,-1,me,-1\nz,2,me,0.5\n"
    found = table(irev, tmp_path, content, "-m", "ours", "-f", "csv").stdout.decode().splitlines()
    assert "ours,3,3,3" == ",".join(found[1].split(",")[:4])
    refused(table(irev, tmp_path, content, "-m", "theirs"), "has no measure 'theirs'; there are 'owner', 'ours'")
    refused(
        table(irev, tmp_path, content, "-m", "owner"), "past.csv:2: the value 'me' of 'owner' is not a finite number"
    )


def test_judgments_and_runs_are_for_the_other_question(irev):
    refused(irev("online", "predict", str(SAMPLE), str(SAMPLE)), "got unexpected extra argument")


def test_the_picture_has_an_experiment_where_it_is(irev, tmp_path):
    """And a cross of dots where differences are 0, along the sides of which points fall."""
    done = irev("online", "predict", str(SAMPLE), "-m", "AP", "--plot", str(tmp_path / "x.txt"))
    assert 0 == done.status
    lines = (tmp_path / "x.txt").read_text().splitlines()
    assert "AP" == lines[0]
    assert "A digit is the number of experiments at that place; # is ten or more." in lines
    assert any(line.count("·") > 20 for line in lines)
    (chart,) = pictures(held([[0.1, -0.3]], [0.2, 0.1]))
    assert [(0.1, 0.2, "e0"), (-0.3, 0.1, "e1")] == [
        (point.x, point.y, point.label) for point in chart.curves[0].points
    ]
    assert ((-0.3, 0.3), (-0.2, 0.2)) == ((chart.x.low, chart.x.high), (chart.y.low, chart.y.high))


def test_few_experiments_are_letters_and_many_are_counted(irev, tmp_path):
    header, *rows = SAMPLE.read_text().splitlines()
    few = table(irev, tmp_path, "\n".join([header, *rows[:26]]), "-m", "AP", "--plot", str(tmp_path / "x.txt"))
    assert 0 == few.status
    assert "A e01   B e02   C e03" in (tmp_path / "x.txt").read_text()


@pytest.mark.thorough
@pytest.mark.parametrize("rows", [5, 30])
def test_the_picture_names_few_experiments(irev, tmp_path, rows):
    content = "\n".join(SAMPLE.read_text().splitlines()[: rows + 1])
    assert 0 == table(irev, tmp_path, content, "--plot", str(tmp_path / "x.html")).status
    page = (tmp_path / "x.html").read_text()
    # In the table of the page once for each measure, and in the pictures where there is room.
    assert (6 if rows == 5 else 3) == page.count(">e02<")


@pytest.mark.parametrize("ending", ["svg", "txt"])
def test_the_largest_and_smallest_differences_are_computed_with_without_a_warning(irev, tmp_path, ending):
    content = "name,online,AP,RR\na,1e100,1e100,-1e100\nb,-1e100,-1e-320,1e-308\nc,1e-300,1,2\nd,1e-300,-1e-300,1\n"
    done = table(irev, tmp_path, content, "-f", "markdown", "--plot", str(tmp_path / f"plot.{ending}"))
    assert (0, "") == (done.status, done.stderr)
    # The product of -1e-300 and 1e-300 is no float, and its sign is seen all the same.
    assert re.search(r"^\| d .*!", done.stdout.decode(), re.MULTILINE)


def test_one_of_two_columns_of_one_measure_may_be_chosen(irev, tmp_path):
    content = "name,online,AP,map\nx,1,1,2\ny,2,2,1\n"
    assert 0 == table(irev, tmp_path, content, "-m", "map").status
    refused(table(irev, tmp_path, content, "-m", "map", "-m", "AP"), "columns 'map' and 'AP' are one measure")


def test_semicolons_are_read_as_commas_are(irev, tmp_path):
    expected = table(irev, tmp_path, SAMPLE.read_text(), "-f", "csv")
    assert expected == table(irev, tmp_path, SAMPLE.read_text().replace(",", ";"), "-f", "csv")
