"""`irev bayes`, `irev seeds` and `irev replicate`: runs compared in other ways than by tests."""

import json

import click
import numpy as np
import pytest
from comparing import QUERIES, shown, table
from conftest import ROOT
from outcomes import refused

import irev as package
from irev.cli import command
from irev.extensions.studies.statistics.bayesian import posterior
from irev.extensions.studies.statistics.meta_analysis import replication
from irev.extensions.studies.statistics.seeds import over_seeds

CHANCE = np.random.default_rng(1)
QRELS, KEYWORD, SEMANTIC = (str(ROOT / "sample_data" / name) for name in ("qrels.txt", "keyword.run", "semantic.run"))


@pytest.fixture
def lines(irev):
    def found(command, *arguments):
        status, stdout, _ = irev(command, "-f", "json", *arguments)
        assert 0 == status
        return json.loads(stdout)["lines"]

    return found


def values(count=12):
    return np.round(CHANCE.uniform(0.1, 0.9, count), 6)


def test_the_posterior_is_that_of_the_differences(lines, tmp_path):
    one, other = values(), values()
    (line,) = lines("bayes", "--margin", "0.05", "--confidence", "0.9", table(tmp_path / "t.csv", one=one, other=other))
    expected = posterior(other - one, 0.9, 0.05)
    assert expected[:5] == pytest.approx([line[name] for name in ("difference", "low", "high", "better", "beyond")])
    assert ("one", "other", 12) == (line["baseline"], line["run"], line["queries"])


def test_of_a_measure_that_is_better_low_less_is_better(lines, tmp_path):
    one, other = values(), values() - 0.3
    both = [(run, query, of[at]) for run, of in (("a", one), ("b", other)) for at, query in enumerate(QUERIES)]
    rows = [",".join(map(str, each)) for each in both]
    path = tmp_path / "t.csv"
    path.write_text("\n".join(["run,query,SearchLength", *rows, ""]))
    (line,) = lines("bayes", "--margin", "0.1", str(path))
    turned = posterior(one - other, 0.95, 0.1)
    assert (turned.better, turned.beyond) == pytest.approx((line["better"], line["beyond"]))
    assert (-turned.median, -turned.high, -turned.low) == pytest.approx((line["difference"], line["low"], line["high"]))


def test_systems_are_runs_that_follow_each_other(lines, irev, tmp_path):
    runs = {f"{name}-{seed}": values() for name in ("old", "new", "third") for seed in (1, 2)}
    path = table(tmp_path / "t.csv", **runs)
    found = lines("seeds", "--runs-per-system", "2", path)
    assert [("old", "new"), ("old", "third")] == [(line["baseline"], line["run"]) for line in found]
    old, new = (np.stack([runs[f"{name}-{seed}"] for seed in (1, 2)], axis=1) for name in ("old", "new"))
    expected = over_seeds(old, new)
    names = ("difference", "low", "high", "p", "of_queries", "of_runs", "of_rest")
    assert tuple(expected) == pytest.approx([found[0][name] for name in names])
    smaller, larger = sorted(line["p"] for line in found)
    assert sorted([min(2 * smaller, 1.0), max(min(2 * smaller, 1.0), larger)]) == pytest.approx(
        sorted(line["adjusted"] for line in found)
    )
    assert 3 == len(lines("seeds", "--runs-per-system", "2", "--all-pairs", path))
    assert "up to 9 find a difference" in " ".join(shown(irev, "seeds", "--runs-per-system", "2", path).split())
    assert {"third"} == {
        line["baseline"] for line in lines("seeds", "--runs-per-system", "2", "--baseline", "third-2", path)
    }


def test_runs_that_are_no_systems_are_refused(irev, tmp_path):
    path = table(tmp_path / "t.csv", a=values(), b=values(), c=values())
    refused(
        irev("seeds", "--runs-per-system", "2", path),
        "3 runs cannot be two or more systems of 2 runs each; give 2 runs of each system",
    )
    refused(irev("seeds", path), "the number of runs of each system is needed; give --runs-per-system")
    refused(irev("seeds", "--runs-per-system", "3", path), "3 runs cannot be two or more systems of 3 runs each")


def test_a_system_has_a_mean_and_a_deviation_over_its_seeds(lines, irev, tmp_path):
    runs = {f"{name}-{seed}": values() for name in ("old", "new") for seed in (1, 2, 3)}
    path = table(tmp_path / "t.csv", **runs)
    (line,) = lines("seeds", "--runs-per-system", "3", path)
    for name, mean, sd in (("old", "baseline_mean", "baseline_sd"), ("new", "mean", "sd")):
        means = [runs[f"{name}-{seed}"].mean() for seed in (1, 2, 3)]
        assert (np.mean(means), np.std(means, ddof=1)) == pytest.approx((line[mean], line[sd]))
    assert "SD of means" in shown(irev, "seeds", "--runs-per-system", "3", path)


def test_a_baseline_without_seeds_is_named_once(lines, irev, tmp_path):
    new, old = {f"new-{seed}": values() for seed in (1, 2, 3)}, values()
    once = table(tmp_path / "once.csv", bm25=old, **new)
    thrice = table(tmp_path / "thrice.csv", **{f"bm25-{seed}": old for seed in (1, 2, 3)}, **new)
    last = table(tmp_path / "last.csv", **new, bm25=old)
    (found,) = lines("seeds", "--runs-per-system", "3", "--baseline", "bm25", once)
    (expected,) = lines("seeds", "--runs-per-system", "3", thrice)

    assert {**expected, "baseline_sd": None} == found
    assert [found] == lines("seeds", "--runs-per-system", "3", "--baseline", "bm25", last)
    assert "bm25 is one run" in shown(irev, "seeds", "--runs-per-system", "3", "--baseline", "bm25", once)
    refused(irev("seeds", "--runs-per-system", "3", once), "4 runs cannot be two or more systems of 3 runs each")


def test_an_experiment_is_held_against_the_one_before(lines, tmp_path):
    then, now = [values(), values()], [values(), values()]
    before = table(tmp_path / "before.csv", advanced=then[1], base=then[0])
    path = table(tmp_path / "now.csv", base=now[0], advanced=now[1])
    (line,) = lines("replicate", before, path)
    expected = replication((then[0], then[1]), (now[0], now[1]), same_queries=True)
    names = ("original", "difference", "effect_ratio", "original_relative", "relative", "delta_relative")
    assert tuple(expected) == pytest.approx([line[name] for name in (*names, "rmse_baseline", "rmse")])


def test_the_original_is_of_as_many_runs_and_of_a_measure_that_is_compared(irev, tmp_path):
    saved = tmp_path / "before.json"
    saved.write_bytes(irev("eval", "-q", "-c", "-f", "json", "-m", "RR", QRELS, KEYWORD)[1])
    asked = ("replicate", str(saved), QRELS, KEYWORD, SEMANTIC)
    refused(irev(*asked), "has 1 run, but 2 are given")
    saved.write_bytes(irev("eval", "-q", "-c", "-f", "json", "-m", "RR", "-m", "AP", QRELS, KEYWORD, SEMANTIC)[1])
    refused(irev(*asked, "-m", "P@5"), "has no values of P@5")
    status, stdout, _ = irev(*asked)
    assert 0 == status
    assert "left out: nDCG@10" in " ".join(stdout.decode().split())


def test_python_has_the_same(irev):
    by_name = {"keyword": KEYWORD, "semantic": SEMANTIC}
    found = package.bayes(QRELS, by_name, "AP", margin=0.1)
    record = json.loads(irev("bayes", "--margin", "0.1", "-m", "AP", "-f", "json", QRELS, KEYWORD, SEMANTIC)[1])
    assert record["lines"] == found.record["lines"]
    assert record["lines"][0]["better"] == found.lines[0].better


def test_it_is_drawn(irev, tmp_path):
    assert 0 == irev("bayes", "--plot", str(tmp_path / "f.svg"), QRELS, KEYWORD, SEMANTIC)[0]
    assert "semantic − keyword" in (tmp_path / "f.svg").read_text(encoding="utf-8")


def test_where_there_is_no_posterior_it_is_said(irev, tmp_path):
    ones = np.ones(12)
    stdout = irev("bayes", table(tmp_path / "t.csv", a=ones, b=ones))[1].decode()
    assert "b against a, value: no posterior, all queries differ by the same amount" in " ".join(stdout.split())


def test_runs_of_the_original_are_matched_by_name_if_any_has_one(irev, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)  # a long path would be broken at the end of a line
    path = table(tmp_path / "now.csv", a=values(), b=values())
    before = table(tmp_path / "before.csv", b=values(), other=values())
    refused(irev("replicate", before, path), f"{before} has no run named a; it has b, other")
    refused(irev("replicate", QRELS, KEYWORD, SEMANTIC), f"{QRELS}:1: found ", "expected a query and its value")
    table(tmp_path / "before.csv", x=values(), y=values())
    status, stdout, _ = irev("replicate", "before.csv", path)
    assert 0 == status
    assert "No run has its name in before.csv; runs are compared in their order: a with x, b with y." in " ".join(
        stdout.decode().split()
    )


@pytest.mark.parametrize(
    ("given", "error"),
    [("no file", "there is no such file"), (123, "original is of type int"), ("", "expected a path")],
)
def test_python_reads_the_original(given, error):
    with pytest.raises((package.InputError, package.UsageError), match=error):
        package.replicate(given, QRELS, [KEYWORD, SEMANTIC], "AP")


def test_where_there_is_no_interval_it_is_said_why(irev, tmp_path):
    runs = {name: np.arange(12.0) + (name in "cd") for name in "abcd"}
    seeds = shown(irev, "seeds", "--runs-per-system", "2", table(tmp_path / "t.csv", **runs))
    assert "There is no interval where values vary by rounding alone or are not finite." in " ".join(seeds.split())
    varied = table(tmp_path / "t.csv", a=values(), b=values(), c=values(), d=values())
    assert "There is no interval" not in shown(irev, "seeds", "--runs-per-system", "2", varied)


def test_python_has_seeds_and_replications_too(irev, tmp_path):
    by_name = {"a-1": KEYWORD, "a-2": SEMANTIC, "b-1": SEMANTIC, "b-2": KEYWORD}
    found = package.seeds(QRELS, by_name, "AP", runs_per_system=2)
    assert [("a", "b", 2)] == [(line.baseline, line.run, line.runs) for line in found.lines]
    saved = tmp_path / "before.json"
    saved.write_bytes(irev("eval", "-q", "-c", "-f", "json", "-m", "AP", QRELS, KEYWORD, SEMANTIC)[1])
    (line,) = package.replicate(saved, QRELS, [KEYWORD, SEMANTIC], "AP").lines
    assert (1.0, 0.0, 0.0) == (line.effect_ratio, line.rmse, line.delta_relative)


def test_an_earlier_experiment_stands_before_saved_results_too(lines, tmp_path):
    path = table(tmp_path / "now.csv", a=values(), b=values())
    (line,) = lines("replicate", path, path)
    assert (1.0, 0.0) == (line["effect_ratio"], line["rmse"])


def test_a_margin_beyond_the_range_of_all_measures_is_refused(irev):
    said = "--margin 2: all measures lie between 0 and 1, so no difference is larger; write 0.02"
    refused(irev("bayes", "-m", "AP", "--margin", "2", QRELS, KEYWORD, SEMANTIC), said)


@pytest.mark.parametrize("study", ["bayes", "collections", "replicate", "seeds"])
def test_a_study_has_few_options_and_none_that_it_ignores(study):
    options = {option.name for option in command(study).params if isinstance(option, click.Option)}
    assert len(options) <= 16
    assert not options & {"clusters", "tests", "correction", "alpha", "per_query"}
