"""`--clusters`: errors of queries that depend on each other, how clusters are said, and what warns of such queries."""

import json
import shlex

import numpy as np
import pytest
import scipy.stats
from comparing import record, rows, write_pairs
from conftest import ROOT
from outcomes import refused

import irev
from irev.base.errors import typed
from irev.evaluation.notes import cluster_notes
from irev.statistics.intervals import share
from irev.statistics.paired import jackknifed
from irev.statistics.shifts import shifts

SIZES = (1, 4, 2, 7, 3, 5, 1, 6)
QUERIES = [f"{30 + number}_{turn}" for number, size in enumerate(SIZES) for turn in range(1, size + 1)]
BY = "^[^_]+"


@pytest.fixture(autouse=True)
def here(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)


def systems(count=3):
    """Values of systems that have a level of their own in each conversation."""
    random = np.random.default_rng(7)
    found = {}
    for name in "ABC"[:count]:
        level = {query.split("_")[0]: random.normal(0.5, 0.15) for query in QUERIES}
        found[name] = {q: round(min(1, max(0, level[q.split("_")[0]] + random.normal(0, 0.05))), 4) for q in QUERIES}
    return found


def leaving_out(before, after):
    """The t test that leaves each conversation out in turn: its p, and the interval."""
    names = list(dict.fromkeys(query.split("_")[0] for query in QUERIES))
    of = {query: after[query] - before[query] for query in QUERIES}
    whole = np.mean([*of.values()])
    without = [np.mean([value for query, value in of.items() if query.split("_")[0] != name]) for name in names]
    error = np.sqrt((len(names) - 1) ** 2 / len(names) * np.var(without, ddof=1))
    reach = scipy.stats.t.ppf(0.975, len(names) - 1) * error
    return 2 * scipy.stats.t.sf(abs(whole) / error, len(names) - 1), whole - reach, whole + reach


def test_errors_are_those_of_leaving_each_cluster_out(irev):
    values = systems(2)
    write_pairs(values)
    (found,) = rows(irev, "compare", "--scores", "A", "B", "--clusters", BY)
    p, low, high = leaving_out(values["A"], values["B"])
    assert [p, low, high] == pytest.approx([float(found[name]) for name in ("p_t", "low", "high")])
    assert ("29", "8") == (found["queries"], found["clusters"])
    (alone,) = rows(irev, "compare", "--scores", "A", "B")
    for same in ("mean", "baseline_mean", "difference", "wins", "effect"):
        assert alone[same] == found[same]
    assert float(alone["p_t"]) < float(found["p_t"])


@pytest.mark.parametrize("form", ["regex", "group", "tab", "csv", "json"])
def test_every_form_of_clusters_says_the_same(irev, form):
    write_pairs(systems())
    pairs = [(query, query.split("_")[0]) for query in QUERIES]
    files = {
        "tab": "".join(f"{query}\t{cluster}\n" for query, cluster in pairs),
        "csv": "query,group\n" + "".join(f"{query},{cluster}\n" for query, cluster in pairs),
        "json": json.dumps(dict(pairs)),
    }
    said = {"regex": BY, "group": "^(.*)_"}.get(form, "clusters")
    if form in files:
        with open("clusters", "w") as file:
            file.write(files[form])
    expected = rows(irev, "compare", "--scores", "A", "B", "C", "--clusters", BY)
    assert expected == rows(irev, "compare", "--scores", "A", "B", "C", "--clusters", said)


def test_all_tests_corrections_and_intervals_take_clusters(irev):
    write_pairs(systems())
    for extra in (
        ["--test", "t,randomization,bootstrap,wilcoxon,sign", "--margin", "0.1"],
        ["--all-pairs"],
        ["--all-pairs", "--correction", "tukey"],
        ["--interval", "bca"],
    ):
        found = record(irev, "compare", "--scores", "A", "B", "C", "--clusters", BY, *extra)
        (measure,) = found["measures"]
        assert 8 == measure["clusters"]
        assert 7 == measure["anova"]["degrees_of_freedom"]["queries"]
        for contrast in measure["contrasts"]:
            assert contrast["design_effect"] > 2
            tests = {test["test"]: test["method"] for test in contrast["tests"]}
            assert "paired t, 7 degrees of freedom" == tests.get("t", "paired t, 7 degrees of freedom")
            assert "exact over 2^8 sign flips" == tests.get("randomization", "exact over 2^8 sign flips")


def test_python_takes_the_same_clusters(irev):
    values = systems(2)
    write_pairs(values)
    expected = rows(irev, "compare", "--scores", "A", "B", "--clusters", BY)[0]["p_t"]
    qrels = {query: {"d": 1} for query in QUERIES}
    runs = {name: {q: {"d": 1.0} if v > 0.5 else {"e": 1.0} for q, v in of.items()} for name, of in values.items()}
    by_regex, by_mapping = (
        _p(qrels, runs, clusters) for clusters in (BY, {query: query.split("_")[0] for query in QUERIES})
    )
    assert by_regex == by_mapping
    assert float(expected) > 0


def _p(qrels, runs, clusters):
    found = irev.compare(qrels, runs, "RR", clusters=clusters)
    return found.compared[0].contrasts[0].tests[0].p


def test_clusters_are_said_where_people_read(irev):
    write_pairs(systems())
    text = irev("compare", "--scores", "A", "B", "C", "--clusters", BY).stdout.decode()
    assert "29 queries in 8 clusters" in text
    assert "paired t test by clusters" in text
    paper = irev("compare", "--scores", "A", "B", "C", "--clusters", BY, "--layout", "paper").stdout.decode()
    assert "29 queries in 8\nclusters, paired t test by clusters" in paper or "by clusters" in paper


@pytest.mark.parametrize(
    ("clusters", "said"),
    [
        ("nowhere", "there is no file nowhere, and as a regular expression it finds nothing in query '30_1'"),
        ("_", "all queries are in one cluster"),
        (".*", "each query is a cluster of its own"),
        ("few", "few: query '30_1' has no cluster"),
        ("(", "'(' is not"),
        ("x{2}", "there is no file x{2}"),
    ],
)
def test_clusters_that_are_none_are_refused(irev, clusters, said):
    write_pairs(systems(2))
    with open("few", "w") as file:
        file.write("31_1\t31\n")
    refused(irev("compare", "--scores", "A", "B", "--clusters", clusters), said)


# Power


def test_power_and_compare_need_the_same_number_of_queries(irev):
    write_pairs(systems())
    compared = rows(irev, "compare", "--scores", "A", "B", "C", "--clusters", BY)
    for place, each in enumerate(compared):
        asked = ["power", "--scores", "A", "B", "C", "--difference", each["difference"].lstrip("-")]
        with_clusters, without = (rows(irev, *asked, *more)[place] for more in (["--clusters", BY], []))
        assert each["needed"] == with_clusters["needed"]
        assert int(with_clusters["needed"]) > int(without["needed"])
        assert float(with_clusters["power"]) < float(without["power"])
        assert "29" == with_clusters["queries"] == without["queries"]


def test_a_gate_of_clusters_fails_more_often_by_chance(irev):
    write_pairs(systems(2))
    gate = ["power", "--scores", "A", "B", "--gate", "0.05", "--difference", "0.01"]
    alone, by_clusters = (float(rows(irev, *gate, *more)[0]["by_value"]) for more in ([], ["--clusters", BY]))
    assert by_clusters > alone


def test_power_refuses_clusters_where_nothing_was_measured(irev):
    write_pairs(systems(2))
    asked = ("power", "--difference", "0.1", "--variance", "0.1", "--clusters", BY)
    refused(irev(*asked), "--clusters has no effect")
    refused(irev(*asked, "--scores", "A", "B"), "--clusters has no effect")


# The warning


@pytest.mark.parametrize("command", [["compare"], ["power", "--difference", "0.1"]])
def test_ids_that_look_clustered_are_warned_of_and_the_remedy_works_when_pasted(irev, command):
    write_pairs(systems(2))
    line = [*command, "--scores", "A", "B"]
    status, _, stderr = irev(*line)
    assert 0 == status
    assert "queries such as '30_1' and '30_2'" not in stderr  # of one turn there is no other
    assert "queries such as '31_1' and '31_2' seem to depend on each other" in stderr
    pasted = shlex.split(stderr.partition(" without ")[2])
    assert ["--clusters", BY] == pasted
    status, stdout, stderr = irev(*line, *pasted)
    assert 0 == status
    assert "depend on each other; if" not in stderr
    assert b"clusters" in stdout


@pytest.mark.parametrize(
    ("queries", "expression"),
    [
        (["31_1", "31_2", "32_1", "32_2", "33_1"], r"^[^_]+"),
        ([f"{topic}-{person}_{turn}" for topic in (1, 2, 3) for person in (1, 2) for turn in range(4)], r"^[^_\-]+"),
        (["cast_31_1", "cast_31_2", "cast_32_1", "cast_32_2"], r"^[^_]+[_][^_]+"),
        (["doc1.q1", "doc1.q2", "doc2.q1", "doc2.q2"], r"^[^\.]+"),
        ([f"q{number}" for number in range(50)], None),
        ([f"{number}" for number in range(301, 351)], None),
        ([f"q_{number}" for number in range(50)], None),
        ([f"wt{year}-{number}" for year in (9, 10) for number in range(50 * year, 50 * year + 50)], None),
        ([f"INEX_LD-{number}" for number in range(50)] + [f"SemSearch_ES-{number}" for number in range(50)], None),
    ],
)
def test_only_ids_of_parts_look_clustered(queries, expression):
    found = [*cluster_notes([query.encode() for query in queries])]
    assert [True] * (expression is not None) == [
        typed(each.said).endswith(f" --clusters '{expression}'") for each in found
    ]


def test_judgments_of_the_sample_do_not_look_clustered():
    lines = (ROOT / "sample_data" / "qrels.txt").read_bytes().splitlines()
    assert [] == [*cluster_notes(sorted({line.split()[0] for line in lines}))]


FEW = "queries are in {}: with so few, tests of two equal runs find a difference, and intervals miss the true one,"
SIGNIFICANCE = ("eval", "-c", "-m", "AP", "--sort", "AP", "--significance")


@pytest.mark.parametrize("command", ["compare", "llm-judge", "power", "check", "trend", "eval", "report"])
def test_few_clusters_are_warned_of_by_every_command(irev, command):
    files, few = _collection(), "20 clusters, which tell as much as 17 of equal size"
    if command == "trend":
        asked, few = [command, *_builds(irev)], "8 clusters, which tell as much as 6 of equal size"
    elif command == "llm-judge":
        asked = [command, "-m", "AP", *_predicted()]
    elif command == "check":
        asked = [command, "--no-worse-than", "AP=0.5", *files]
    elif command == "eval":
        asked = [*SIGNIFICANCE, "-f", "table", *files[2:], "before"]
    else:
        extra = {"power": ["--difference", "0.1"], "report": ["-o", "page.html"]}.get(command, [])
        asked = [command, "-m", "AP", *extra, *files[2:], "before"]
    said = irev(*asked, "--clusters", BY).stderr
    assert 1 == said.count(FEW.format(few))
    assert FEW.format(few) not in irev(*asked).stderr


def test_many_clusters_of_similar_size_are_not_warned_of():
    queries = [b"q"] * 75
    assert [] == [*cluster_notes(queries, np.repeat(np.arange(25), 3))]
    (said,) = cluster_notes(queries, np.repeat(np.arange(24), [6, *[3] * 23]))
    assert "24 clusters, which tell as much as 23 of equal size" in said.said
    (said,) = cluster_notes(queries, np.repeat(np.arange(8), 9))
    assert "are in 8 clusters: with so few" in said.said
    assert "up to 11 of 100" in said.said


def test_few_unequal_clusters_err_as_often_as_is_said():
    """4,000 experiments without a difference: 8 clusters of geometric sizes, skewed values, a correlation of 0.6."""
    random, errors = np.random.default_rng(12), 0
    for _ in range(40):
        cluster = np.repeat(np.arange(8), random.geometric(0.2, 8))
        alike, alone = (random.exponential(1, (size, 100)) - 1 for size in (8, len(cluster)))
        found = jackknifed(np.sqrt(0.6) * alike[cluster] + np.sqrt(0.4) * alone, cluster)
        errors += (scipy.stats.ttest_1samp(found, 0).pvalue <= 0.05).sum()
    assert 0.09 <= errors / 4000 <= 0.13


def test_runs_beside_the_best_are_compared_by_clusters(irev):
    files = [*_collection()[2:], "before"]
    compared = record(irev, "compare", "-m", "AP", "--clusters", BY, "--baseline", "before", *files)
    (contrast,) = compared["measures"][0]["contrasts"]
    evaluated = irev(*SIGNIFICANCE, "-f", "json", "--clusters", BY, *files).stdout
    assert f"{contrast['tests'][0]['p']}" in evaluated.decode()
    text = irev(*SIGNIFICANCE, "-f", "table", "--clusters", BY, *files).stdout.decode()
    irev("report", "-m", "AP", "--clusters", BY, "-o", "page.html", *files)
    with open("page.html") as page:
        for found in (text, page.read()):
            assert "paired t test by clusters" in " ".join(found.split())
            assert "in 20 clusters" in " ".join(found.split())
    refused(irev("eval", "-m", "AP", "--clusters", BY, *files), "--clusters has no effect without --significance")


# Check


def _collection():
    """Judgments and two runs of 20 conversations, in which the second run is better or worse as a whole."""
    random = np.random.default_rng(8)
    with open("qrels", "w") as qrels, open("before", "w") as before, open("after", "w") as after:
        for number in range(20):
            gain = random.normal(0, 0.5)
            for turn in range(int(random.integers(1, 7))):
                query = f"{number}_{turn}"
                for place in range(10):
                    relevant = int(place < 3)
                    qrels.write(f"{query} 0 d{place} {relevant}\n")
                    before.write(f"{query} Q0 d{place} 0 {relevant + 2 * random.random()} before\n")
                    after.write(f"{query} Q0 d{place} 0 {relevant * (1 + gain) + 2 * random.random()} after\n")
    return ["--baseline-run", "before", "qrels", "after"]


def _findings(irev, *arguments):
    status, stdout, stderr = irev("check", *arguments, "-f", "json")
    assert status in (0, 1), stderr
    return json.loads(stdout)["findings"]


def test_a_check_by_clusters_has_the_interval_of_compare(irev):
    files = _collection()
    asked = ["--max-drop", "AP=0.01", "--significant", "0.05", *files]
    (alone,), (found,) = _findings(irev, *asked), _findings(irev, *asked, "--clusters", BY)
    (compared,) = rows(irev, "compare", "-m", "AP", "--clusters", BY, "--confidence", "0.9", "qrels", "before", "after")
    assert [float(compared["low"]), float(compared["high"])] == pytest.approx(
        [found["interval"]["low"], found["interval"]["high"]]
    )
    assert found["interval"]["low"] < alone["interval"]["low"]
    assert alone["difference"] == found["difference"]


def test_the_test_of_a_check_takes_clusters(irev):
    asked = ["--max-drop", "AP=0", "--significant", "0.05", *_collection()]
    (alone,), (found,) = _findings(irev, *asked), _findings(irev, *asked, "--clusters", BY)
    assert alone["p"] != found["p"]
    text = irev("check", *asked, "--clusters", BY).stdout.decode()
    assert "by 20 clusters of queries" in " ".join(text.split())


def test_a_check_counts_the_clusters_that_skewed_differences_need(irev):
    """3 of 30 clusters of 4 queries lose."""
    places = [(f"{number}_{turn}", number < 3) for number in range(30) for turn in range(4)]
    for name, line in (
        ("qrels", "{0} 0 r 1\n{0} 0 n 0\n"),
        ("before", "{0} Q0 r 1 2 before\n{0} Q0 n 2 1 before\n"),
        ("after", "{0} Q0 r 1 {1} after\n{0} Q0 n 2 2 after\n"),
    ):
        with open(name, "w") as file:
            file.writelines(line.format(query, 1 if lost else 3) for query, lost in places)
    asked = ("check", "--max-drop", "RR=0", "--significant", "0.05", "--baseline-run", "before", "qrels", "after")
    for command in (("compare", "-m", "RR", "qrels", "before", "after"), asked):
        text = " ".join(irev(*command, "--clusters", BY).stdout.decode().split())
        assert "with 30 clusters p-values can be far too small; a single test needs about 198 clusters," in text


def test_a_share_of_queries_is_bounded_as_if_all_of_a_cluster_did_the_same(irev):
    asked = ["--max-share-losing", "AP>0.3=30%", *_collection()]
    (alone,), (found,) = _findings(irev, *asked), _findings(irev, *asked, "--clusters", BY)
    assert alone["losing"]["queries"] == found["losing"]["queries"]
    assert found["losing"]["high"] > alone["losing"]["high"]
    assert found["p"] > alone["p"]


def test_the_bound_of_a_share_by_clusters_is_that_of_fewer_queries():
    assert share(2, 40, 0.2, 0.05).high == pytest.approx(share(10, 200, 0.2, 0.05, 5.0).high)
    assert share(2, 40, 0.2, 0.05).p_below == pytest.approx(share(10, 200, 0.2, 0.05, 5.0).p_below)
    assert share(0, 40, 0.2, 0.05).least == pytest.approx(share(0, 200, 0.2, 0.05, 5.0).least)


def test_a_check_in_python_takes_clusters():
    _collection()
    before, after = (irev.evaluate("qrels", run, ["AP"], complete=True) for run in ("before", "after"))
    asked = {"baseline": before, "max_drop": {"AP": 0.01}, "significant": 0.05}
    with pytest.warns(irev.QueriesWarning, match="clusters='"):
        alone = irev.check({"after": after}, **asked)
    found = irev.check({"after": after}, clusters=BY, **asked)
    assert alone.findings[0].low > found.findings[0].low


def test_a_check_without_tests_says_nothing_of_clusters(irev):
    files = _collection()
    assert "depend on each other" not in irev("check", "--max-drop", "AP=0.5", *files).stderr
    refused(irev("check", "--max-drop", "AP=0.5", "--clusters", BY, *files), "--clusters has no effect without")
    warned = irev("check", "--no-worse-than", "AP=0.5", *files).stderr
    assert ["--clusters", BY] == shlex.split(warned.splitlines()[-1].partition(" without ")[2])


# Trend


def _builds(irev, builds=12):
    """Results of builds in which conversations change as a whole, by noise that is new in every build."""
    random = np.random.default_rng(9)
    for build in range(builds):
        level = {query.split("_")[0]: random.normal(0.5, 0.15) for query in QUERIES}
        with open(f"{build:02}.csv", "w") as file:
            file.write("query,AP\n")
            for query in QUERIES:
                file.write(f"{query},{level[query.split('_')[0]] + random.normal(0, 0.02):.4f}\n")
    return [f"{build:02}.csv" for build in range(builds)]


def test_a_trend_by_clusters_is_that_of_pseudo_values(irev):
    builds = _builds(irev)
    found = irev("trend", *builds, "--clusters", BY, "-f", "json")
    assert 0 == found.status
    (series,) = json.loads(found.stdout)["series"]
    assert (29, 8) == (series["queries"], series["clusters"])
    warned = irev("trend", *builds)
    assert ["--clusters", BY] == shlex.split(warned.stderr.partition(" without ")[2])
    text = " ".join(irev("trend", *builds, "--clusters", BY).stdout.decode().split())
    assert "29 in 8 clusters" in text
    assert "a false ▼ in all builds together can be above 5% with so few clusters." in text
    assert "at most 5%" not in text
    many = irev("trend", *builds, "--clusters", "^3[013-7]_.|^32").stdout.decode()  # 28 clusters
    assert "together is at most 5%" in " ".join(many.split())


def test_a_trend_by_clusters_finds_fewer_falls_by_chance():
    random, cluster = np.random.default_rng(10), np.repeat(np.arange(20), 5)
    by_queries = by_clusters = 0
    for _ in range(60):
        values = random.normal(0, 1, (20, 20))[:, cluster] + random.normal(0, 0.5, (20, 100))
        by_queries += any(shift.difference < 0 for shift in shifts(values))
        by_clusters += any(shift.difference < 0 for shift in shifts(values, cluster=cluster))
    assert by_clusters <= 6 < 20 < by_queries, (by_queries, by_clusters)


# Predicted judgments


def _predicted():
    """A model's judgments of 20 conversations, and a human's of the first of them, in which some grades are others."""
    _collection()
    with open("qrels") as model, open("human", "w") as human:
        random = np.random.default_rng(14)
        for line in model:
            query, _, document, grade = line.split()
            number = int(query.split("_")[0])
            if number < 12:  # in every third conversation the model errs
                human.write(f"{query} 0 {document} {int(grade) ^ int(random.random() < (number % 3 == 0) / 2)}\n")
    return ["qrels", "human", "before", "after"]


def test_predicted_judgments_are_corrected_by_clusters(irev):
    asked = _predicted()
    alone = record(irev, "llm-judge", "-m", "AP", *asked)
    found = record(irev, "llm-judge", "-m", "AP", "--clusters", BY, *asked)
    assert (20, None) == (found["clusters"], alone.get("clusters"))
    for of in ("means", "differences"):
        for one, other in zip(alone[of], found[of], strict=True):
            assert (one["corrected"], one["human"], one["tuning"]) == (
                other["corrected"],
                other["human"],
                other["tuning"],
            )
    (one,), (other,) = alone["differences"], found["differences"]
    assert other["error"] > one["error"]
    assert other["high"] - other["low"] > one["high"] - one["low"]
    text = " ".join(irev("llm-judge", "-m", "AP", "--clusters", BY, *asked).stdout.decode().split())
    assert "take 20 clusters of queries as independent" in text


def test_predicted_judgments_of_clusters_are_warned_of(irev):
    said = irev("llm-judge", "-m", "AP", *_predicted()).stderr
    assert ["--clusters", BY] == shlex.split(said.partition(" without ")[2].splitlines()[0])
