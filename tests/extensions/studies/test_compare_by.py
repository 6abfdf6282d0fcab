"""Differences otherwise than by tests: `irev compare-by`."""

import json

import numpy as np
import pytest
from comparing import QUERIES, shown, table
from conftest import ROOT
from outcomes import refused
from scipy import stats

import irev as package
from irev.statistics.plan import INTERVAL_NAMES, Plan
from irev.statistics.ratios import weighted_mean
from irev.statistics.variance import welch

CHANCE = np.random.default_rng(1)
QRELS, KEYWORD, SEMANTIC = (str(ROOT / "sample_data" / name) for name in ("qrels.txt", "keyword.run", "semantic.run"))


@pytest.fixture
def lines(irev):
    def found(*arguments):
        status, stdout, _ = irev("compare-by", "-f", "json", *arguments)
        assert 0 == status
        return json.loads(stdout)["lines"]

    return found


def values(count=12):
    return np.round(CHANCE.uniform(0.1, 0.9, count), 6)


def test_where_there_is_no_interval_it_is_said_why(irev, tmp_path):
    runs = {name: np.arange(12.0) + (name in "cd") for name in "abcd"}
    (tmp_path / "w").write_text("".join(f"{query} {int(place < 3)}\n" for place, query in enumerate(QUERIES)))
    weighted = shown(irev, "compare-by", "--query-weights", str(tmp_path / "w"), table(tmp_path / "t.csv", **runs))
    told = "no interval where a few queries all differ by the same amount, or one query has nearly all of the weight."
    assert told in " ".join(weighted.split())


@pytest.mark.parametrize(("heaviest", "warned"), [(1, False), (3, False), (12, True)])
def test_few_queries_that_decide_by_their_weights_are_warned_of(irev, tmp_path, heaviest, warned):
    random, queries = np.random.default_rng(3), [f"q{number}" for number in range(40)]
    rows = "".join(f"{query},{random.random()}\n" for query in queries)
    files = [tmp_path / "a.csv", tmp_path / "b.csv"]
    for file in files:
        file.write_text("query,AP\n" + rows)
        rows = "".join(f"{query},{random.random()}\n" for query in queries)
    listed = tmp_path / "weights"
    listed.write_text("".join(f"{query} {heaviest if query in ('q1', 'q2') else 1}\n" for query in queries))
    text = " ".join(shown(irev, "compare-by", "--query-weights", str(listed), *map(str, files)).split())
    effective = (38 + 2 * heaviest) ** 2 / (38 + 2 * heaviest**2)
    assert warned == (effective < 25) == (f"Few queries decide: n eff is {effective:.1f}." in text)


def test_differences_of_weighted_means_have_the_weights_of_queries(irev, lines, tmp_path):
    one, other, weights = values(), values(), np.arange(12.0)
    path, listed = table(tmp_path / "t.csv", one=one, other=other), tmp_path / "weights.txt"
    listed.write_text("".join(f"{query} {weight}\n" for query, weight in zip(QUERIES, weights, strict=True)))
    order = np.argsort(QUERIES)  # as queries stand, samples of which depend on that
    for kind in INTERVAL_NAMES:
        (line,) = lines("--query-weights", str(listed), "--interval", kind, path)
        expected = weighted_mean((other - one)[order], weights[order], Plan(interval=kind, samples=100_000))
        numbers = (expected.effective, expected.mean, *expected.interval, expected.p, expected.p)
        names = ("effective", "difference", "low", "high", "p", "adjusted")
        assert numbers == pytest.approx(tuple(line[name] for name in names))
        assert 11 == line["queries"]
    text = shown(irev, "compare-by", "--query-weights", str(listed), "--interval", "percentile", path)
    assert (
        "bootstrap percentiles, 100,000 samples, seed 0; wider where not all queries differ, or all by the same amount."
        in " ".join(text.split())
    )
    listed.write_text("q0 1\n")
    refused(irev("compare-by", "--query-weights", str(listed), path), "the query 'q1' has no weight; add it to")
    listed.write_text("q0 -1\n")
    said = "weights.txt:1: the weight '-1' of query 'q0' is below 0"
    refused(irev("compare-by", "--query-weights", str(listed), path), said)
    refused(irev("compare-by", path), "there is nothing to compare by; give --query-weights or --groups")


def test_python_takes_weights_as_a_dictionary(irev, tmp_path):
    weights = {f"q{number}": number / 2 for number in range(1, 8)}
    (tmp_path / "w").write_text("".join(f"{query} {weight}\n" for query, weight in weights.items()))
    arguments = ("--query-weights", str(tmp_path / "w"), "-m", "AP", "-f", "json", QRELS, KEYWORD, SEMANTIC)
    record = json.loads(irev("compare-by", *arguments)[1])
    by_name = {"keyword": KEYWORD, "semantic": SEMANTIC}
    assert record["lines"] == package.compare_by(QRELS, by_name, "AP", query_weights=weights).record["lines"]
    assert record["lines"] == package.compare_by(QRELS, by_name, "AP", query_weights=tmp_path / "w").record["lines"]


HALVES = {query: "even" if int(query[1:]) % 2 == 0 else "odd" for query in QUERIES}


def listed_groups(path, groups=HALVES):
    path.write_text("".join(f"{query}\t{group}\n" for query, group in groups.items()))
    return str(path)


def test_differences_in_groups_are_those_of_their_queries(lines, tmp_path):
    one, other = values(), values()
    path, groups = table(tmp_path / "t.csv", one=one, other=other), listed_groups(tmp_path / "groups")
    found = lines("--groups", groups, path)
    assert ["even", "odd"] == [line["group"] for line in found]
    parts = [(other - one)[start::2] for start in (0, 1)]
    for line, part in zip(found, parts, strict=True):
        tested = stats.ttest_1samp(part, 0)
        assert (6, part.mean(), tested.pvalue) == pytest.approx((line["queries"], line["difference"], line["p"]))
        assert tested.confidence_interval() == pytest.approx((line["low"], line["high"]))
    # Welch's analysis of variance of two groups is Welch's t test.
    assert [stats.ttest_ind(*parts, equal_var=False).pvalue] * 2 == pytest.approx(
        [line["interaction"] for line in found]
    )


def test_welch_s_analysis_is_that_of_scipy():
    groups = [CHANCE.normal(at, 1 + at, 9 + 3 * at) for at in range(4)]
    means, errors = [of.mean() for of in groups], [of.std(ddof=1) / np.sqrt(len(of)) for of in groups]
    found = welch(np.array(means), np.array(errors), np.array([len(of) for of in groups], dtype=float))
    assert found[2] == pytest.approx(stats.f.sf(found[0], 3, found[1]))
    weights = 1 / np.array(errors) ** 2
    middle = np.average(means, weights=weights)
    spread = sum((1 - w / weights.sum()) ** 2 / (len(of) - 1) for w, of in zip(weights, groups, strict=True))
    f = (weights * (means - middle) ** 2).sum() / 3 / (1 + 2 * 2 / 15 * spread)
    assert (f, 15 / 3 / spread) == pytest.approx(found[:2])


def test_a_test_of_the_interaction_keeps_its_level():
    """1,000 experiments with three groups of which one varies much; 5% are 50, and 3 errors of that 20."""
    false = 0
    for _ in range(1000):
        groups = [CHANCE.normal(0, spread, size) for spread, size in ((1, 30), (3, 12), (0.5, 20))]
        rows = zip(*((of.mean(), of.std(ddof=1) / np.sqrt(len(of)), len(of)) for of in groups), strict=True)
        false += welch(*(np.array(each, dtype=float) for each in rows))[2] <= 0.05
    assert 30 <= false <= 72


def test_groups_are_of_whole_clusters(irev, lines, tmp_path):
    one, other = values(), values()
    path, groups = table(tmp_path / "t.csv", one=one, other=other), listed_groups(tmp_path / "groups")
    pairs = {query: f"{int(query[1:]) % 2}{int(query[1:]) // 4}" for query in QUERIES}  # two queries of one group each
    clusters = listed_groups(tmp_path / "clusters", pairs)
    found = lines("--groups", groups, "--clusters", clusters, path)
    for line, start in zip(found, (0, 1), strict=True):
        means = (other - one)[start::2].reshape(3, 2).mean(axis=1)
        assert stats.ttest_1samp(means, 0).pvalue == pytest.approx(line["p"])
    across = listed_groups(tmp_path / "clusters", {query: str(int(query[1:]) // 2) for query in QUERIES})
    asked = ("compare-by", "--groups", groups, "--clusters", across, path)
    refused(irev(*asked), "a cluster has queries of several groups")


def test_a_group_of_one_query_is_left_out_of_the_interaction(irev, lines, tmp_path):
    path = table(tmp_path / "t.csv", one=values(), other=values())
    two = listed_groups(tmp_path / "two", {query: group for query, group in HALVES.items() if query != "q3"})
    three = listed_groups(tmp_path / "three", {**HALVES, "q3": "alone"})
    expected = {line["group"]: line["interaction"] for line in lines("--groups", two, path)}
    found = {line["group"]: line["interaction"] for line in lines("--groups", three, path)}
    assert {**expected, "alone": None} == found
    said = " ".join(shown(irev, "compare-by", "--groups", three, path).split())
    assert "Left out of the interaction, because they have one query or no variance: alone." in said
    assert "Left out of the interaction" not in shown(irev, "compare-by", "--groups", two, path)


def test_groups_that_leave_queries_out_are_told_and_one_group_is_refused(irev, tmp_path):
    path = table(tmp_path / "t.csv", one=values(), other=values())
    some = {query: group for query, group in HALVES.items() if query != "q3"}
    text = shown(irev, "compare-by", "--groups", listed_groups(tmp_path / "groups", some), path)
    assert "query q3 is in no group" in text
    assert "interaction: p of the difference being the same in all groups" in " ".join(text.split())
    alone = listed_groups(tmp_path / "groups", dict.fromkeys(QUERIES, "all"))
    said = "the queries that count are in 1 group; give two groups or more"
    refused(irev("compare-by", "--groups", alone, path), said)
    (tmp_path / "weights").write_text("".join(f"{query} 1\n" for query in QUERIES))
    both = ("--groups", alone, "--query-weights", str(tmp_path / "weights"))
    refused(irev("compare-by", *both, path), "--query-weights has no effect with --groups")


def test_python_takes_groups_as_a_dictionary(irev, tmp_path):
    groups = {f"q{number}": "ab"[number % 2] for number in range(1, 8)}
    listed = listed_groups(tmp_path / "g", groups)
    arguments = ("--groups", listed, "-m", "AP", "-f", "json", QRELS, KEYWORD, SEMANTIC)
    record = json.loads(irev("compare-by", *arguments).stdout)
    by_name = {"keyword": KEYWORD, "semantic": SEMANTIC}
    assert record["lines"] == package.compare_by(QRELS, by_name, "AP", groups=groups).record["lines"]
    assert record["lines"] == package.compare_by(QRELS, by_name, "AP", groups=tmp_path / "g").record["lines"]


def test_weighted_means_take_clusters(irev, lines, tmp_path):
    one, other, weights = values(), values(), np.arange(1.0, 13.0)
    path, listed = table(tmp_path / "t.csv", one=one, other=other), tmp_path / "weights.txt"
    listed.write_text("".join(f"{query} {weight}\n" for query, weight in zip(QUERIES, weights, strict=True)))
    pairs = listed_groups(tmp_path / "pairs", {query: str(int(query[1:]) // 2) for query in QUERIES})
    (alone,), (found,) = (
        lines("--query-weights", str(listed), path),
        lines("--query-weights", str(listed), "--clusters", pairs, path),
    )
    sums = (weights * (other - one)).reshape(6, 2).sum(axis=1), weights.reshape(6, 2).sum(axis=1)
    expected = weighted_mean(sums[0] / sums[1], sums[1], Plan())
    assert alone["difference"] == pytest.approx(found["difference"])
    assert [*expected.interval, expected.p] == pytest.approx([found["low"], found["high"], found["p"]])
    assert expected.effective == pytest.approx(found["effective"])
    asked = ("compare-by", "--query-weights", str(listed), "--clusters", pairs, path)
    for kind in INTERVAL_NAMES:
        text = " ".join(shown(irev, *asked, "--interval", kind).split())
        assert f"Few clusters decide: n eff is {found['effective']:.1f}." in text
        assert "n eff: so many clusters of equal weight would weigh as much." in text
        assert " by clusters" in text
