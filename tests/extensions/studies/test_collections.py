"""Several collections: each as if it were evaluated alone, side by side with their means, and runs compared on them."""

import csv
import io
import json
import math
import re

import numpy as np
import pytest
import reference_comparison
from comparing import shown
from conftest import ROOT
from outcomes import refused

import irev as package
from irev.base.errors import UsageError
from irev.extensions.studies.collections.files import of_group
from irev.extensions.studies.statistics.meta_analysis import macro_average, random_effects
from irev.statistics.corrections import adjusted

SAMPLE = ROOT / "sample_data"
HEADED = '[[collection]]\nname = "{}"\nqrels = "{}"\nruns = {}\n'
ONE = HEADED.format("first", "qrels.txt", '{ a = "keyword.run", b = "semantic.run" }')
OTHER = HEADED.format("second", "judge2.txt", '{ a = "hybrid.run", b = "semantic.run" }')


@pytest.fixture
def collections(tmp_path, monkeypatch):
    """Writes a file of collections beside judgments and runs, and works from another folder."""
    for name in ("qrels.txt", "judge2.txt", "keyword.run", "semantic.run", "hybrid.run"):
        (tmp_path / name).write_bytes((SAMPLE / name).read_bytes())
    (tmp_path / "elsewhere").mkdir()
    monkeypatch.chdir(tmp_path / "elsewhere")

    def write(*parts):
        (tmp_path / "all.toml").write_text("\n".join(parts))
        return "../all.toml"

    return write


def rows(irev, *arguments):
    done = irev("collections", *arguments, "--digits", "exact", "-f", "csv")
    assert 0 == done.status, done.stderr
    return [*csv.DictReader(io.StringIO(done.stdout.decode()))]


def means(irev, *arguments):
    """The means by run, collection and measure, unrounded."""
    found = (row for row in rows(irev, *arguments) if not row["baseline"])
    return {(row["run"], row["collection"], row["measure"]): float(row["mean"]) for row in found}


def test_each_mean_is_that_of_eval_and_the_macro_average_is_their_mean(irev, collections):
    measures = ("-m", "nDCG@10", "-m", "AP", "-m", "RR")
    found = means(irev, *measures, collections(ONE, OTHER))
    alone = {}
    for name, qrels, runs in (
        ("first", "qrels.txt", {"a": "keyword.run", "b": "semantic.run"}),
        ("second", "judge2.txt", {"a": "hybrid.run", "b": "semantic.run"}),
    ):
        for run, file in runs.items():
            evaluated = package.evaluate(f"../{qrels}", f"../{file}", ["nDCG@10", "AP", "RR"], complete=True)
            alone |= {(run, name, measure): value for measure, value in evaluated.mean().items()}

    averages = {
        (run, "macro average", measure): math.fsum(alone[run, name, measure] for name in ("first", "second")) / 2
        for run, _, measure in alone
    }
    assert alone | averages == found


def test_people_see_collections_side_by_side_and_the_macro_average_last(irev, collections):
    lines = shown(irev, "collections", "-m", "nDCG@10", collections(ONE, OTHER))
    numbers = {words[0]: words[1:] for line in lines.splitlines() if len(words := line.split()) == 4}

    assert ["0.6319", "0.8167", "0.7243"] == numbers["a"]
    assert ["0.7577", "0.8605", "0.8091"] == numbers["b"]
    assert "first 7, second 7." in " ".join(lines.split())


@pytest.mark.parametrize(
    ("measure", "first", "second"), [("nDCG@10", "b", "b"), ("SearchLength", "ab", "b"), ("num_ret", "", "")]
)
def test_the_best_run_of_each_collection_is_marked(irev, collections, measure, first, second):
    """A lower search length is better; both are infinite on the first. Of documents retrieved no number is better."""
    done = irev("collections", "-m", measure, "-f", "markdown", collections(ONE, OTHER))
    of_means = done.stdout.decode().partition("against")[0].splitlines()
    cells = {line[2]: line.split("|")[2:] for line in of_means if line.startswith(("| a ", "| b "))}
    for place, best in enumerate((first, second)):
        assert best == "".join(run for run in "ab" if "**" in cells[run][place])


@pytest.mark.parametrize("style", ["tsv", "csv", "jsonl", "json", "table", "markdown", "latex", "html"])
def test_every_style_has_them(irev, collections, style):
    done = irev("collections", "-f", style, "-m", "AP", collections(ONE, OTHER))
    text = done.stdout.decode()

    assert 0 == done.status, done.stderr
    assert all(name in text for name in ("first", "second", "macro", "random", "AP"))


def test_a_run_that_lacks_a_collection_has_no_macro_average(irev, collections):
    other = HEADED.format("second", "judge2.txt", '{ a = "hybrid.run" }')
    path = collections(ONE, other)

    assert {"a"} == {run for run, name, _ in means(irev, "-m", "AP", path) if "macro" in name}
    text = " ".join(shown(irev, "collections", "-m", "AP", path).split())
    assert "A run that lacks a collection has no macro average." in text


def test_of_runs_on_no_collection_together_there_are_means_alone(irev, collections):
    """Nothing can be compared, which was an internal error."""
    one, other = (HEADED.format(name, "qrels.txt", f'"{name}.run"') for name in ("keyword", "semantic"))
    found = rows(irev, "-m", "AP", collections(one, other))
    assert [("", "keyword"), ("", "semantic")] == [(row["baseline"], row["run"]) for row in found]


def test_of_one_run_there_are_means_alone(irev, collections, tmp_path):
    path = collections(HEADED.format("first", "qrels.txt", '"keyword.run"'))
    found = rows(irev, "-m", "AP", path)

    assert [("", "first"), ("", "macro average")] == [(row["baseline"], row["collection"]) for row in found]
    assert "random effects" not in shown(irev, "collections", "-m", "AP", path)
    refused(irev("collections", path, "--plot", str(tmp_path / "f.svg")), "no two runs are on the same collection")


def test_a_group_has_a_macro_average_of_its_own_even_for_runs_that_others_lack(irev, collections):
    third = HEADED.format("third", "qrels.txt", '{ a = "semantic.run" }')
    path = collections(f'{ONE}group = "x"', f'{OTHER}group = "x"', third)
    found = means(irev, "-m", "AP", path)

    assert {"first", "second", "third", "macro average of x", "macro average"} == {name for _, name, _ in found}
    for run in "ab":
        of_both = [found[run, name, "AP"] for name in ("first", "second")]
        assert math.fsum(of_both) / 2 == found[run, "macro average of x", "AP"]
    assert ("b", "macro average", "AP") not in found


def test_runs_may_be_a_list_that_is_called_by_run_ids(irev, collections, tmp_path):
    (tmp_path / "runs.txt").write_text(f"{tmp_path / 'semantic.run'}\n")
    parts = (
        HEADED.format("first", "qrels.txt", '["keyword.run", "semantic.run"]'),
        HEADED.format("second", "judge2.txt", '"@runs.txt"'),
    )
    found = means(irev, "-m", "AP", collections(*parts))

    assert {"keyword", "semantic"} == {run for run, name, _ in found if name == "first"}
    assert {"semantic"} == {run for run, name, _ in found if name == "macro average"}


@pytest.mark.parametrize(
    ("parts", "fact"),
    [
        ((), "../all.toml: there is no collection; expected a [[collection]] with name, qrels and runs"),
        (("x = 1",), "../all.toml: there is a key 'x'"),
        (("collection = 3",), "there is no collection"),
        (("collection = [3]",), "collection 1 is no table"),
        (("[[collection]]\nname = 'a'\nruns = 'b'",), "collection 1 has no qrels"),
        ((f"{ONE}k = 1",), "collection 1 has a key 'k'"),
        ((HEADED.format("a", "b", "3"),), "collection 1 has runs that are no paths"),
        ((HEADED.format("a", "b", "[]"),), "collection 1 has runs that are no paths"),
        ((HEADED.format("a", "b", "{ x = 1 }"),), "collection 1 has under 'runs' what is no text"),
        ((f"{ONE}group = 3",), "collection 1 has under 'group' what is no text"),
        ((HEADED.format("macro average", "b", "'c'"),), "no collection can be called 'macro average'"),
        ((ONE, ONE), "two collections are called 'first'"),
        (("[[collection]",), "this is not TOML"),
        (("a." * 999 + "b = 1",), "a key has more than"),
        ((HEADED.format("a", "nowhere", '"keyword.run"'),), "../nowhere: there is no such file"),
    ],
)
def test_a_faulty_file_is_refused(irev, collections, parts, fact):
    refused(irev("collections", collections(*parts)), fact)


@pytest.mark.parametrize(
    ("words", "fact"),
    [
        (("../qrels.txt",), "got unexpected extra argument"),
        (("--baseline", "c"), "there is no run 'c'"),
        (("-f", "csv", "-o", "../keyword.run"), "is an input; write to another file"),
    ],
)
def test_what_cannot_be_meant_is_refused(irev, collections, words, fact):
    refused(irev("collections", collections(ONE, OTHER), *words), fact)


VALUES = {
    name: {
        run: np.random.default_rng(seed).uniform(0, 1, size).round(4)
        for seed, run in enumerate(("old", "new", "other"), start)
    }
    for name, size, start in (("small", 9, 1), ("large", 40, 4), ("third", 20, 7))
}


def ranked_first(run):
    """Values of RR that a run has: of a query one relevant document, at a rank from 1 to 10, or none."""
    return [0 if value < 0.2 else 1 / math.ceil(10 * (1 - value) + 1e-9) for value in run]


@pytest.fixture
def several(tmp_path):
    """A file of collections whose runs have the reciprocal ranks of `VALUES`, of which `without` are left out."""

    def write(without=(), groups=None):
        parts = []
        for name, runs in VALUES.items():
            queries = range(len(runs["old"]))
            (tmp_path / f"{name}.qrels").write_text("".join(f"{query} 0 right 1\n" for query in queries))
            kept = [run for run in runs if (name, run) not in without]
            for run in kept:
                lines = []
                for query, value in zip(queries, ranked_first(runs[run]), strict=True):
                    rank = round(1 / value) if value else 99
                    lines += [f"{query} Q0 wrong{n} {n} {100 - n} x" for n in range(1, min(rank, 12))]
                    lines += [f"{query} Q0 right {rank} {100 - rank} x"] if value else []
                (tmp_path / f"{name}-{run}.run").write_text("\n".join(lines) + "\n")
            listed = ", ".join(f'{run} = "{name}-{run}.run"' for run in kept)
            group = f'group = "{groups[name]}"\n' if groups and name in groups else ""
            parts.append(HEADED.format(name, f"{name}.qrels", f"{{ {listed} }}") + group)
        (tmp_path / "several.toml").write_text("\n".join(parts))
        return str(tmp_path / "several.toml")

    return write


def compared(irev, path, *arguments):
    done = irev("collections", "-m", "RR", "-f", "json", *arguments, path)
    assert 0 == done.status, done.stderr
    return json.loads(done.stdout)


def gains(name, run, baseline="old"):
    return np.subtract(*(ranked_first(VALUES[name][each]) for each in (run, baseline)))


def test_a_difference_on_each_collection_and_their_meta_analysis(irev, several):
    for pair, run in zip(compared(irev, several(), "--confidence", "0.9")["pairs"], ("new", "other"), strict=True):
        assert ("RR", "old", run) == (pair["measure"], pair["baseline"], pair["run"])
        for each in pair["collections"]:
            expected = reference_comparison.t_interval(gains(each["collection"], run), 0.9, 1.0)
            assert len(VALUES[each["collection"]]["old"]) == each["queries"]
            assert gains(each["collection"], run).mean() == pytest.approx(each["difference"])
            assert list(expected) == pytest.approx(each["interval"])
        found = [gains(name, run) for name in VALUES]
        means, errors = (
            np.array([f(of) for of in found]) for f in (np.mean, lambda of: reference_comparison.error(of, 1.0) ** 2)
        )
        (combined,) = pair["combined"]
        assert [*VALUES] == combined["collections"]
        expected = random_effects(means, errors, 0.9).recorded()
        assert expected.keys() == combined["random_effects"].keys()
        for name, value in expected.items():
            assert value == pytest.approx(combined["random_effects"][name], rel=1e-9), name
        assert macro_average(means, 0.9)._asdict() == pytest.approx(combined["macro"], rel=1e-9)


def test_p_values_are_corrected_over_the_pairs_of_runs(irev, several):
    found = [pair["combined"][0] for pair in compared(irev, several(), "--all-pairs")["pairs"]]
    assert 3 == len(found)
    for name, p in (("adjusted", "random_effects"), ("macro_adjusted", "macro")):
        raw = [each[p]["p"] for each in found]
        assert adjusted("holm", raw) == pytest.approx([each[name] for each in found])


def test_groups_of_collections_are_combined_too_and_one_alone_is_not(irev, several):
    path = several(groups={"small": "x", "third": "x", "large": "y"})
    pair = compared(irev, path, "--baseline", "other")["pairs"][0]
    assert [("x", ["small", "third"]), ("", ["small", "large", "third"])] == [
        (each["group"], each["collections"]) for each in pair["combined"]
    ]
    means = np.array([gains(name, "old", "other").mean() for name in ("small", "third")])
    assert macro_average(means)._asdict() == pytest.approx(pair["combined"][0]["macro"])

    found = [row for row in rows(irev, "-m", "RR", path) if row["baseline"]]
    names = ["small", "large", "third"]
    for what in ("x", ""):
        names += [of_group(made, what) for made in ("macro average", "random effects")]
    assert names == [row["collection"] for row in found if row["run"] == "new"]


def test_a_run_that_lacks_a_collection_is_compared_on_the_others(irev, several):
    record = compared(irev, several(without=[("third", "new"), ("small", "other"), ("large", "other")]))
    new, other = record["pairs"]
    assert ["small", "large"] == [each["collection"] for each in new["collections"]]
    assert (["third"], []) == ([each["collection"] for each in other["collections"]], other["combined"])
    assert ["new is not in third.", "other is not in small, large."] == record["notes"][:2]


def test_differences_that_do_not_vary_have_the_variance_of_none_that_differ(irev, several, tmp_path):
    path = several()
    for run, ranked in (("old", ["right"]), ("new", ["wrong", "right"])):
        lines = [
            f"{query} Q0 {document} {rank} {9 - rank} x\n"
            for query in range(len(VALUES["small"]["old"]))
            for rank, document in enumerate(ranked)
        ]
        (tmp_path / f"small-{run}.run").write_text("".join(lines))
    pair = compared(irev, path)["pairs"][0]
    small, n = pair["collections"][0], len(VALUES["small"]["old"])
    _, reach = reference_comparison.t_interval([0.0] * n, 0.95, 1.0)
    assert reach < 1
    assert pytest.approx((-0.5 - reach, -0.5 + reach)) == tuple(small["interval"])
    assert -0.5 == small["difference"]
    (combined,) = pair["combined"]
    assert combined["random_effects"]["weights"][0] > 0


def test_a_collection_of_one_query_is_said_to_have_one(irev, several, tmp_path):
    path = several()
    (tmp_path / "small.qrels").write_text("0 0 right 1\n")
    for run, rank in (("old", 1), ("new", 2), ("other", 3)):
        lines = (f"0 Q0 {'right' if place == rank else place} {place} {9 - place} x\n" for place in range(1, 5))
        (tmp_path / f"small-{run}.run").write_text("".join(lines))
    (combined,) = compared(irev, path)["pairs"][0]["combined"]
    assert None is combined["random_effects"]
    said = " ".join(irev("collections", "-m", "RR", path).stdout.decode().split())
    assert "No random effects: small has one query, which gives no standard error." in said
    assert "not vary" not in said


def test_a_collection_on_which_no_query_differs_has_an_interval_and_a_weight(irev, several, tmp_path):
    path = several()
    (tmp_path / "small-new.run").write_bytes((tmp_path / "small-old.run").read_bytes())
    pair = compared(irev, path)["pairs"][0]
    small, others = pair["collections"][0], pair["collections"][1:]
    n = small["queries"]
    assert small["interval"] == pytest.approx(reference_comparison.t_interval([0.0] * n, 0.95, 1.0))
    errors = [reference_comparison.error([0.0] * n, 1.0) ** 2]
    errors += [reference_comparison.error(gains(each["collection"], "new"), 1.0) ** 2 for each in others]
    means = np.array([each["difference"] for each in pair["collections"]])
    expected = random_effects(means, np.array(errors)).weights
    assert expected == pytest.approx(pair["combined"][0]["random_effects"]["weights"])


def test_a_forest_plot_has_collections_and_what_is_made_of_them(irev, several, tmp_path):
    path = tmp_path / "forest.svg"
    irev("collections", "-m", "RR", "--baseline", "old", "--plot", str(path), several(groups={"small": "x"}))
    drawn = path.read_text()
    for name in ("small", "third", "macro average", "random effects"):
        assert 2 == len(re.findall(f"<title>[^<]*, {name}[^<]*: [^<]*</title>", drawn))


def test_python_has_the_same_of_a_file_and_of_evaluations(irev, several, tmp_path):
    path = several()
    expected = compared(irev, path)["pairs"]
    found = package.collections(path, "RR")
    assert expected == json.loads(json.dumps(found.record["pairs"]))
    evaluations = {
        name: {
            run: package.evaluate(
                *(str(tmp_path / f"{name}{end}") for end in (".qrels", f"-{run}.run")), "RR", complete=True
            )
            for run in runs
        }
        for name, runs in VALUES.items()
    }
    assert found.pairs == package.collections(evaluations).pairs
    with pytest.raises(UsageError, match="measures has no effect on existing evaluations"):
        package.collections(evaluations, "RR")
    assert found.means == package.collections(evaluations).means
    other = package.evaluate({"q": {"d": 1}}, {"q": {"d": 1}}, "AP", complete=True)
    with pytest.raises(UsageError, match="the collections have no measure in common"):
        package.collections({**evaluations, "one more": {"old": other, "new": other}})


@pytest.mark.parametrize(
    ("given", "error"),
    [
        ({}, "collections: expected a collection or more"),
        ({"a": {"A": "A.run"}}, "collection 'a': expected a dictionary of evaluations"),
        ({"a": ["A.run"]}, "collection 'a': expected a dictionary of evaluations"),
        (["a"], "collections is of type list"),
    ],
)
def test_python_says_what_collections_should_be(given, error):
    with pytest.raises((TypeError, UsageError), match=error):
        package.collections(given)
