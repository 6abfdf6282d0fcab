"""`irev coverage`: what is judged, what holes could change, and runs without judgments of their own, by brute force."""

import json
import random
from itertools import product
from pathlib import Path

import pytest
from conftest import ROOT
from outcomes import refused

import irev as package
from irev.extensions.judging.coverage import CoverageChoices
from irev.extensions.judging.coverage.finding import pictures

QRELS, *RUNS = (str(ROOT / "sample_data" / name) for name in ("qrels.txt", "hybrid.run", "keyword.run", "semantic.run"))


def record(irev, *arguments):
    status, stdout, stderr = irev("coverage", "-f", "json", *arguments)
    assert 0 == status, stderr
    return json.loads(stdout)


class Collection:
    """Random judgments and runs, as dictionaries and as files; runs have documents that others have not."""

    def __init__(self, folder: Path, seed: int, grades=(0, 0, 1, 2)) -> None:
        self.folder = folder
        pick = random.Random(seed)
        self.runs: dict[str, dict[str, list[str]]] = {}
        for run in range(pick.choice([2, 4, 5])):
            own = [f"d{d}" for d in range(30)] + [f"r{run}-{d}" for d in range(8)]
            self.runs[f"run{run}"] = {f"q{q}": pick.sample(own, pick.randint(3, 25)) for q in range(6)}
        self.judged: dict[str, dict[str, int]] = {}
        for q in range(6):
            pool = {document for run in self.runs.values() for document in run[f"q{q}"]}
            some = [document for document in sorted(pool) if pick.random() < 0.6]
            self.judged[f"q{q}"] = {document: pick.choice(grades) for document in some} | {"d0": 1}
        self.qrels = self.written("qrels", self.judged)
        self.paths = []
        for name, lists in self.runs.items():
            lines = [
                f"{query} Q0 {document} 0 {-rank} {name}\n"
                for query, found in lists.items()
                for rank, document in enumerate(found)
            ]
            pick.shuffle(lines)
            self.paths.append(str(folder / f"{name}.txt"))
            Path(self.paths[-1]).write_text("".join(lines))

    def written(self, name: str, judged: dict[str, dict[str, int]]) -> str:
        lines = [f"{query} 0 {document} {grade}\n" for query, of in judged.items() for document, grade in of.items()]
        (self.folder / name).write_text("".join(lines))
        return str(self.folder / name)


@pytest.fixture(params=range(8))
def collection(request, tmp_path):
    return Collection(tmp_path, request.param)


MEASURES = ["AP", "nDCG@10", "P@5"]
ASKED = [word for name in MEASURES for word in ("-m", name)]


@pytest.mark.parametrize("pool_depth", [1, 5, 100])
def test_a_run_without_what_it_alone_brought_in_has_what_eval_gives_under_fewer_judgments(irev, collection, pool_depth):
    found = record(irev, "--pool-depth", str(pool_depth), *ASKED, collection.qrels, *collection.paths)
    changed = 0
    for run, path in zip(found["runs"], collection.paths, strict=True):
        name = run["name"]
        own = {
            (query, document)
            for query, of in collection.judged.items()
            for document in of
            if document in collection.runs[name][query][:pool_depth]
            and not any(
                document in lists[query][:pool_depth] for other, lists in collection.runs.items() if other != name
            )
        }
        fewer = {
            query: {document: grade for document, grade in of.items() if (query, document) not in own}
            for query, of in collection.judged.items()
        }
        under = package.evaluate(collection.written("fewer", fewer), path, MEASURES, complete=True)
        values = under.per_query
        means = {name: sum(values[name].values()) / len(collection.judged) for name in MEASURES}
        assert len(own) == run["own"]
        assert sum(collection.judged[query][document] >= 1 for query, document in own) == run["own_relevant"]
        for measure in MEASURES:
            assert means[measure] == pytest.approx(run["scores"][measure]["without"], abs=1e-12)
            changed += run["scores"][measure]["without"] != run["scores"][measure]["value"]
    assert changed or pool_depth == 1


def test_runs_of_a_group_are_left_out_together(irev, collection):
    groups = {name: "odd" if place % 2 else "even" for place, name in enumerate(collection.runs)}
    path = collection.folder / "groups"
    path.write_text("".join(f"{name}\t{group}\n" for name, group in groups.items()))
    found = record(irev, "--groups", str(path), "-m", "AP", collection.qrels, *collection.paths)
    for run in found["runs"]:
        own = {
            (query, document)
            for query, of in collection.judged.items()
            for document in of
            if {groups[name] for name, lists in collection.runs.items() if document in lists[query]}
            == {groups[run["name"]]}
        }
        assert (groups[run["name"]], len(own)) == (run["group"], run["own"])


def test_a_run_that_is_called_as_a_group_of_others_is_none_of_them(irev, collection):
    expected = record(irev, "-m", "AP", collection.qrels, *collection.paths)["runs"]
    (collection.folder / "groups").write_text("run0\trun1\n")
    groups = str(collection.folder / "groups")
    found = record(irev, "--groups", groups, "-m", "AP", collection.qrels, *collection.paths)["runs"]
    assert [run["own"] for run in expected] == [run["own"] for run in found]
    assert ["run1", "run1"] == [run["group"] for run in found[:2]]


def test_values_and_those_of_condensed_lists_are_those_of_eval(irev, collection):
    found = record(irev, *ASKED, collection.qrels, *collection.paths)
    for run, path in zip(found["runs"], collection.paths, strict=True):
        value = package.evaluate(collection.qrels, path, MEASURES, complete=True).mean()
        condensed = package.evaluate(collection.qrels, path, MEASURES, complete=True, judged_only=True).mean()
        for measure in MEASURES:
            assert value[measure] == run["scores"][measure]["value"]
            assert condensed[measure] == run["scores"][measure]["condensed"]
        judged = package.evaluate(collection.qrels, path, ["Judged@5", "Judged@20"], complete=True).mean()
        assert judged["Judged@5"] == run["judged"]["5"]
        assert judged["Judged@20"] == run["judged"].get("20", judged["Judged@20"])


def test_unjudged_documents_are_those_of_a_loop(irev, collection):
    found = record(irev, "-m", "P@5", collection.qrels, *collection.paths)
    expected: dict[tuple[str, str], list[int]] = {}
    for lists in collection.runs.values():
        for query, documents in lists.items():
            for rank, document in enumerate(documents[: CoverageChoices.top], start=1):
                if document not in collection.judged[query]:
                    expected.setdefault((query, document), []).append(rank)
    assert {pair: [len(ranks), min(ranks)] for pair, ranks in expected.items()} == {
        (hole["query"], hole["document"]): [hole["runs"], hole["best"]] for hole in found["holes"]
    }
    order = [(-hole["runs"], hole["best"], hole["query"], hole["document"]) for hole in found["holes"]]
    assert sorted(order) == order
    assert {str(runs): count for runs, count in found["shared"]} == {
        str(n): sum(len(ranks) == n for ranks in expected.values()) for n in {len(ranks) for ranks in expected.values()}
    }
    for run in found["runs"]:
        mine = {
            (query, document)
            for query, documents in collection.runs[run["name"]].items()
            for document in documents[: CoverageChoices.top]
            if document not in collection.judged[query]
        }
        assert (len(mine), sum(len(expected[pair]) == 1 for pair in mine)) == (run["unjudged"], run["alone"])


def test_runs_change_places_where_some_judgment_of_the_holes_makes_them(irev, tmp_path):
    """Where the best of the one is above the worst of the other, by hand."""
    (tmp_path / "qrels").write_text("q 0 a 1\nq 0 b 0\n")
    for name, ranking in (("one", "axb"), ("two", "bya"), ("three", "ba")):
        lines = [f"q Q0 {document} 0 {-rank} {name}\n" for rank, document in enumerate(ranking)]
        (tmp_path / name).write_text("".join(lines))
    paths = [str(tmp_path / name) for name in ("one", "two", "three")]
    found = record(irev, "-m", "P@2", str(tmp_path / "qrels"), *paths)
    lowest_and_highest = {run["name"]: [run["scores"]["P@2"][end] for end in ("low", "high")] for run in found["runs"]}
    assert {"one": [0.5, 1.0], "two": [0.0, 0.5], "three": [0.5, 0.5]} == lowest_and_highest
    # two is 0 and can reach 0.5, which is no more than one and three have at least.
    assert [] == found["exchanges"]
    (tmp_path / "qrels").write_text("q 0 a 1\nq 0 z 0\n")
    found = record(irev, "-m", "P@2", str(tmp_path / "qrels"), *paths)
    pairs = {(each["better"], each["worse"]) for each in found["exchanges"]}
    assert {("one", "two"), ("three", "two")} == pairs


@pytest.mark.filterwarnings("ignore::irev.DocumentsWarning")  # nothing of some is judged
def test_whatever_a_run_found_turns_out_to_be_its_value_is_within_its_bounds(tmp_path):
    """Every way to fill the holes of small collections: bounds hold for what a run has; what others have is said."""
    beyond = 0
    for seed in range(25):
        pick = random.Random(seed)
        documents = [f"d{d}" for d in range(7)]
        runs = {name: pick.sample(documents, pick.randint(2, 5)) for name in "AB"}
        judged = {document: pick.choice([0, 1]) for document in documents if pick.random() < 0.6} | {"dx": 1}
        (tmp_path / "qrels").write_text("".join(f"q 0 {document} {grade}\n" for document, grade in judged.items()))
        for name, ranking in runs.items():
            lines = [f"q Q0 {document} 0 {-rank} {name}\n" for rank, document in enumerate(ranking)]
            (tmp_path / name).write_text("".join(lines))
        found = package.coverage(str(tmp_path / "qrels"), [str(tmp_path / name) for name in runs], ["P@3", "AP"])
        holes = [d for d in documents if d not in judged and any(d in ranking for ranking in runs.values())]
        held = {name: {"q": {d: -float(rank) for rank, d in enumerate(ranking)}} for name, ranking in runs.items()}
        turned = set()
        for grades in product([0, 1], repeat=len(holes)):
            filled = {"q": judged | dict(zip(holes, grades, strict=True))}
            values = [package.evaluate(filled, held[name], ["P@3", "AP"]).mean() for name in runs]
            mine = [all(d in runs[name] for d, g in zip(holes, grades, strict=True) if g) for name in runs]
            for run, value, alone in zip(found.runs, values, mine, strict=True):
                for score, name in zip(run.scores, ("P@3", "AP"), strict=True):
                    within = score.low - 1e-12 <= value[name] <= score.high + 1e-12
                    assert within or (name == "AP" and not alone)
                    beyond += not within
            before = [run.scores[0].value for run in found.runs]
            if (before[0] - before[1]) * (values[0]["P@3"] - values[1]["P@3"]) < 0:
                turned.add("P@3")
        assert turned <= {exchange.measure for exchange in found.exchanges}
    assert beyond, "documents that only others have lower AP"
    (said,) = [note for note in found.report().notes if "lowest" in note]
    assert said.endswith("relevant documents that it did not retrieve are not considered.")


def test_what_is_judged_is_told_of_queries_that_have_results(irev, write):
    """keyword has nothing for q6, and every first document that it has is judged."""
    first = {run["name"]: run["judged"]["1"] for run in record(irev, "-m", "AP", QRELS, *RUNS)["runs"]}
    assert {"hybrid": 1.0, "keyword": 1.0, "semantic": 6 / 7} == first


def test_values_that_are_infinite_have_changes(irev, write):
    """one alone has the only relevant document, below another; open could have one too, and none has not."""
    qrels = write(b"q 0 a 1\nq 0 b 0\n", "qrels")
    one = write(b"q Q0 b 1 2 one\nq Q0 a 2 1 one\n", "1")
    none, open_ = write(b"q Q0 b 1 1 none\n", "2"), write(b"q Q0 x 1 1 open\n", "3")
    found = record(irev, "-m", "SearchLength", qrels, one, none, open_)
    (bias,) = found["bias"]
    assert ("inf", "inf", "one") == (bias["mean"], bias["largest"], bias["largest_run"])
    assert [{"measure": "SearchLength", "better": "one", "worse": "open", "difference": "inf", "needed": 1.0}] == [
        each for each in found["exchanges"] if each["better"] == "one"
    ]
    _, stdout, stderr = irev("coverage", "-m", "SearchLength", qrels, one, none, open_)
    assert b"Changes: inf in the mean, inf at most (one)" in stdout
    assert "RuntimeWarning" not in stderr


def test_runs_that_differ_by_rounding_share_a_place_and_do_not_change_it(irev, write):
    """0.1 + 0.2 + 0.3 is another sum than 0.3 + 0.2 + 0.1."""
    qrels = write(b"".join(b"q%d 0 r%d 1\n" % (q, d) for q in range(3) for d in range(10)), "qrels")
    paths = []
    for name, found in (("one", (1, 2, 3)), ("other", (3, 2, 1))):
        lines = [
            f"q{q} Q0 {'r' if d < count else 'n'}{d} 0 {-d} {name}\n"
            for q, count in enumerate(found)
            for d in range(10)
        ]
        paths.append(write("".join(lines).encode(), name))
    found = record(irev, "-m", "P@10", qrels, *paths)
    scores = [run["scores"]["P@10"] for run in found["runs"]]
    assert scores[0]["value"] != scores[1]["value"]
    assert ([1, 1], []) == ([score["place"] for score in scores], found["exchanges"])


def test_the_figure_says_on_which_side_runs_are_that_owe_something(collection):
    for measure, side in (("AP", "below"), ("SearchLength", "above")):
        drawn = pictures(package.coverage(collection.qrels, collection.paths, measure))[-1]
        assert f"; runs {side} the diagonal gain from judgments" in drawn.caption


def test_runs_are_held_against_each_other_over_the_queries_that_all_have(irev):
    """keyword has nothing for q6, so that it does not count for the others either."""
    found = record(irev, "--queries", "both", "-m", "AP", QRELS, *RUNS)
    assert 6 == found["queries"]
    for run, path in zip(found["runs"], RUNS, strict=True):
        values = package.evaluate(QRELS, path, "AP", complete=True).per_query["AP"]
        assert sum(v for q, v in values.items() if q != "q6") / 6 == pytest.approx(
            run["scores"]["AP"]["value"], abs=1e-12
        )
    assert "q6" not in {hole["query"] for hole in found["holes"]}
    _, stdout, stderr = irev("coverage", "--queries", "both", "-m", "AP", QRELS, *RUNS)
    assert "irev: warning: query q6 is not in all of the runs and is left out" in stderr
    assert "6 queries: queries that are in the judgments and in all runs." in stdout.decode()


def test_judgments_of_queries_that_do_not_count_are_nobodys_own(irev, collection):
    (collection.folder / "listed").write_text("q1\n")
    listed = record(
        irev, "--queries", str(collection.folder / "listed"), "-m", "AP", collection.qrels, *collection.paths
    )
    one = collection.written("one", {"q1": collection.judged["q1"]})
    expected = record(irev, "-m", "AP", one, *collection.paths)
    assert [run["own"] for run in expected["runs"]] == [run["own"] for run in listed["runs"]]
    assert any(run["own"] for run in listed["runs"])
    scores = [[run["scores"]["AP"][name] for name in ("value", "low", "high", "without")] for run in expected["runs"]]
    assert scores == [[run["scores"]["AP"][n] for n in ("value", "low", "high", "without")] for run in listed["runs"]]


def test_places_and_changes_are_summed_up(irev, collection):
    found = record(irev, "-m", "AP", collection.qrels, *collection.paths)
    (bias,) = found["bias"]
    scores = {run["name"]: run["scores"]["AP"] for run in found["runs"]}
    changes = {name: abs(score["without"] - score["value"]) for name, score in scores.items()}
    assert max(changes.values()) == bias["largest"] == changes[bias["largest_run"]]
    assert sum(changes.values()) / len(changes) == pytest.approx(bias["mean"], abs=1e-15)
    for name, score in scores.items():
        others = [other["value"] for run, other in scores.items() if run != name]
        assert 1 + sum(value > score["value"] for value in others) == score["place"]
        assert 1 + sum(value > score["without"] for value in others) == score["place_without"]


def test_a_measure_without_bounds_says_so(irev):
    _, stdout, _ = irev("coverage", "-m", "AP", "-m", "ndcg_rel", QRELS, *RUNS)
    said = " ".join(stdout.decode().split())
    assert "No exact bounds are known for nDCGrel under these judgments." in said
    assert "AP: 1 of 3 pairs of runs could change places" in said
    assert "all pooled runs may share a bias (Buckley et al. 2007)." in said


def test_one_run_has_no_others_to_be_held_against(irev):
    found = record(irev, "-m", "AP", QRELS, RUNS[0])
    assert ([], [], 0) == (found["bias"], found["exchanges"], found["pairs"])


def test_a_document_that_is_pooled_and_not_judged_is_a_hole(irev):
    found = record(irev, "-m", "AP", QRELS, *RUNS)
    assert ("q3", "d04") in {(hole["query"], hole["document"]) for hole in found["holes"]}


@pytest.mark.parametrize(
    ("words", "said"),
    [
        ((QRELS,), "expected QRELS and at least one RUN"),
        (("--pool-depth", "0", QRELS, *RUNS), "'0' is not a whole number of 1 or more"),
        (("--top", "0", QRELS, *RUNS), "'0' is not a whole number of 1 or more"),
        (("--queries", "run", QRELS, *RUNS), "--queries run means other queries for each run"),
        (("-m", "runid", QRELS, *RUNS), "does not change with unjudged documents"),
        (("-m", "AP(judged_only=true)", QRELS, *RUNS), "does not change with unjudged documents"),
    ],
)
def test_what_makes_no_sense_is_refused(irev, words, said):
    refused(irev("coverage", *words), said)


def test_groups_are_of_runs_that_there_are(irev, write):
    refused(irev("coverage", "--groups", write(b"nobody\tx\n"), QRELS, *RUNS), "there is no run nobody; the runs are")
    refused(irev("coverage", "--groups", write(b"hybrid\n"), QRELS, *RUNS), "expected a run, a tab and its group")
    refused(irev("coverage", "--groups", write(b"hybrid\tx\nhybrid\ty\n"), QRELS, *RUNS), "run 'hybrid' occurs twice")


@pytest.mark.thorough
def test_python_has_what_the_command_has(irev, collection):
    expected = record(irev, *ASKED, collection.qrels, *collection.paths)
    found = package.coverage(collection.qrels, collection.paths, MEASURES)
    assert expected == json.loads(json.dumps(found.report().record))
    assert len(collection.runs) == len({*found.to_pandas()["run"].dropna()})
    named = package.coverage(collection.qrels, {f"my {path}": path for path in collection.paths}, "AP", groups={})
    assert [f"my {path}" for path in collection.paths] == [run.name for run in named.runs]
    with pytest.raises(package.UsageError, match="judged_only has no effect"):
        package.coverage(collection.qrels, collection.paths, judged_only=True)
    with pytest.raises(package.InputError, match="there is no run x"):
        package.coverage(collection.qrels, collection.paths, groups={"x": "y"})


@pytest.mark.thorough
def test_a_run_may_come_by_standard_input_and_runs_by_a_list(irev, collection):
    expected = record(irev, "-m", "AP", collection.qrels, *collection.paths[:1])["runs"]
    status, stdout, _ = irev(
        "coverage", "-f", "json", "-m", "AP", collection.qrels, "-", stdin=Path(collection.paths[0]).read_bytes()
    )
    assert (0, expected) == (status, json.loads(stdout)["runs"])
    (collection.folder / "list").write_text("\n".join(collection.paths))
    listed = record(irev, "-m", "AP", collection.qrels, f"@{collection.folder / 'list'}")["runs"]
    assert record(irev, "-m", "AP", collection.qrels, *collection.paths)["runs"] == listed


@pytest.mark.thorough
def test_figures_show_shares_and_values(irev, collection, tmp_path):
    status, *_ = irev("coverage", "-m", "AP", "--plot", str(tmp_path / "x.svg"), collection.qrels, *collection.paths)
    assert 0 == status
    text = (tmp_path / "x.svg").read_text(encoding="utf-8")
    assert "share that are judged" in text
    assert "AP without judgments that only it contributed" in text
    package.coverage(collection.qrels, collection.paths, "AP").plot().save(str(tmp_path / "x.svg"))
    assert b"<svg" in (tmp_path / "x.svg").read_bytes()


@pytest.mark.parametrize(
    ("qrels", "runs", "said"),
    [
        ({"q1": {"d1": 1}}, RUNS, "qrels is of type dict, and only files are read here; write it to a file"),
        (QRELS, {"a": {"q1": {"d1": 1}}}, "a run is of type dict, and only files are read here; write it to a file"),
        (QRELS, [{"q1": {"d1": 1}}], "a list of runs must have paths, but one item is of type dict"),
    ],
)
def test_data_in_memory_are_refused_in_words_of_irev(qrels, runs, said):
    with pytest.raises(package.UsageError) as refused:
        package.coverage(qrels, runs)
    assert str(refused.value).startswith(said)
