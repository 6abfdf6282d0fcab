"""Comparisons that unjudged documents decide: what is shown of them, and how often a wrong finding has no mark."""

from __future__ import annotations

import csv
import io
import itertools
import json
from pathlib import Path
from random import Random

import numpy as np
import pytest

import irev
from irev.evaluation.comparison.contrasts import WORSE

MARKED = ("-f", "table"), ("-f", "markdown"), ("-f", "html"), ("-f", "latex")

QUERIES, DOCUMENTS, RELEVANT = 50, 400, 15

Lists = dict[str, dict[str, dict[str, float]]]


def collection(seed: int, depth: int) -> tuple[dict[str, dict[str, int]], Lists]:
    """A lexical pool of three runs to this depth, and the first of these beside an equally good dense run."""
    random = np.random.default_rng(seed)
    relevant = np.arange(DOCUMENTS) < RELEVANT
    shared = random.standard_normal((QUERIES, DOCUMENTS))
    own = random.standard_normal((4, QUERIES, DOCUMENTS))
    mixed = np.concatenate((np.sqrt(0.7) * shared + np.sqrt(0.3) * own[:3], own[3:]))
    ranked = np.argsort(-(2.0 * relevant + mixed), axis=2)[..., :60]
    judged = {
        f"q{q}": {f"d{d}": int(relevant[d]) for d in np.unique(ranked[:3, q, :depth]).tolist()} for q in range(QUERIES)
    }

    def run(number: int) -> dict[str, dict[str, float]]:
        return {
            f"q{q}": {f"d{d}": 60.0 - at for at, d in enumerate(ranked[number, q].tolist())} for q in range(QUERIES)
        }

    return judged, {"lexical": run(0), "other": run(1), "dense": run(3)}


@pytest.fixture
def files(tmp_path: Path) -> Path:
    """The files of a collection of which half of the first documents of the dense run are judged."""
    judged, runs = collection(1, 10)
    lines = (f"{query} 0 {document} {grade}\n" for query, of in judged.items() for document, grade in of.items())
    (tmp_path / "qrels").write_text("".join(lines))
    for name, run in runs.items():
        lines = (f"{query} Q0 {each} 0 {score} {name}\n" for query, of in run.items() for each, score in of.items())
        (tmp_path / f"{name}.run").write_text("".join(lines))
    return tmp_path


def arguments(files: Path, *names: str) -> list[str]:
    return [str(files / "qrels"), *(str(files / f"{name}.run") for name in names)]


@pytest.mark.parametrize("style", MARKED)
@pytest.mark.parametrize("layout", [(), ("--layout", "paper"), ("--layout", "paper", "--all-pairs")])
def test_a_finding_that_rests_on_unjudged_documents_has_a_mark_in_the_table(
    irev, files: Path, style: tuple[str, str], layout: tuple[str, ...]
) -> None:
    ask = ["compare", "-m", "nDCG@10", *style, *layout]
    _, rests, _ = irev(*ask, *arguments(files, "lexical", "dense"))
    _, known, _ = irev(*ask, *arguments(files, "lexical", "other"))
    mark = b"\\S{}" if style[1] == "latex" else "§".encode()
    assert b"judged@10" in rests
    assert rests.count(mark) >= 2
    assert b"unjudged" in rests
    assert b"judged@10" not in known
    assert mark not in known


def test_the_values_beside_a_marked_finding_are_those_of_condensed_lists(irev, files: Path) -> None:
    given = arguments(files, "lexical", "dense")
    _, found, _ = irev("compare", "-m", "nDCG@10", "-f", "json", *given)
    (contrast,) = json.loads(found)["measures"][0]["contrasts"]
    _, condensed, _ = irev("compare", "-J", "-m", "nDCG@10", "-f", "json", *given)
    (without,) = json.loads(condensed)["measures"][0]["contrasts"]
    assert (contrast["finding"], contrast["rests_on_unjudged"]) == ("worse", True)
    assert without["unjudged"] is None
    kept = {name: contrast["unjudged"][name] for name in ("difference", "interval", "finding")}
    assert {name: without[name] for name in kept} == kept
    assert without["tests"][0]["adjusted"] == contrast["unjudged"]["p"]
    _, shares, _ = irev("eval", "-c", "-m", "Judged@10", "--digits", "17", "-f", "json", *given)
    values = [each["summary"]["judged_10"] for each in json.loads(shares)["results"]]
    assert [contrast["unjudged"][name] for name in ("baseline_judged", "judged")] == pytest.approx(values)
    _, rows, _ = irev("compare", "-m", "nDCG@10", "-f", "csv", "--digits", "17", *given)
    (row,) = csv.DictReader(io.StringIO(rows.decode()))
    assert row["condensed_finding"] == contrast["unjudged"]["finding"]
    assert float(row["condensed_difference"]) == contrast["unjudged"]["difference"]


def test_the_bounds_are_the_differences_if_those_of_one_run_alone_are_relevant(irev, files: Path) -> None:
    _, found, _ = irev("compare", "-m", "P@5", "-m", "AP", "-f", "json", *arguments(files, "lexical", "dense"))
    precision, average = (each["contrasts"][0] for each in json.loads(found)["measures"])
    unjudged = precision["unjudged"]
    low, high = (precision["difference"] + side for side in (unjudged["baseline_judged"] - 1, 1 - unjudged["judged"]))
    assert unjudged["bounds"] == {"low": pytest.approx(low), "high": pytest.approx(high)}
    assert average["unjudged"]["bounds"] is None


def test_runs_against_the_best_are_marked_too(irev, files: Path) -> None:
    ask = ["eval", "-c", "-m", "nDCG@10", "--sort", "nDCG@10", "--significance"]
    given = arguments(files, "lexical", "other", "dense")
    _, shown, _ = irev(*ask, "-f", "table", *given)
    assert "worse §" in shown.decode()
    assert "of the first 10 documents are judged" in " ".join(shown.decode().split())
    _, found, _ = irev(*ask, "-f", "json", *given)
    marks = {each["run"]: each["vs_best"]["rests_on_unjudged"] for each in json.loads(found)["results"]}
    assert marks["dense"]
    assert sum(marks.values()) == 1


def test_pages_mark_it_in_the_board_and_in_the_tests(irev, files: Path) -> None:
    _, page, _ = irev("report", "-m", "nDCG@10", "--baseline", "lexical", *arguments(files, "lexical", "dense"))
    assert page.decode().count("<sup>§</sup>") >= 2
    assert "of the first 10 documents are judged" in page.decode()


@pytest.mark.parametrize("rule", [("--significant", "0.05"), ()])
def test_a_check_that_fails_for_unjudged_documents_is_marked(irev, files: Path, rule: tuple[str, ...]) -> None:
    qrels, before, run = arguments(files, "lexical", "dense")
    ask = ["check", qrels, run, "--baseline-run", before, "--max-drop", "nDCG@10=0.02", *rule]
    status, shown, _ = irev(*ask)
    assert status == 1
    assert shown.decode().count("FAIL §") >= 2
    assert "of the first 10 documents are judged" in " ".join(shown.decode().split())
    _, found, _ = irev(*ask, "-f", "json")
    assert [True] == [each["rests_on_unjudged"] for each in json.loads(found)["findings"]]
    status, _, _ = irev(*ask, "-J")
    assert status == 0
    (files / "groups").write_text("".join(f"q{query}\teven\n" for query in range(0, QUERIES, 2)))
    group = ("--groups", str(files / "groups"), "--max-drop", "group:even/nDCG@10=0.02")
    _, found, _ = irev("check", qrels, run, "--baseline-run", before, *group, *rule, "-f", "json")
    (of_group,) = json.loads(found)["findings"]
    _, condensed, _ = irev("check", "-J", qrels, run, "--baseline-run", before, *group, *rule, "-f", "json")
    (without,) = json.loads(condensed)["findings"]
    assert (of_group["state"] != without["state"]) == of_group["rests_on_unjudged"]


def test_a_check_of_pooled_runs_has_no_mark(irev, files: Path) -> None:
    qrels, before, run = arguments(files, "lexical", "other")
    _, shown, _ = irev("check", qrels, run, "--baseline-run", before, "--max-drop", "nDCG@10=0.0001")
    assert "§" not in shown.decode()


def in_files(folder: Path, judged: dict[str, dict[str, int]], runs: Lists) -> list[str]:
    lines = (f"{query} 0 {each} {grade}\n" for query, of in judged.items() for each, grade in of.items())
    (folder / "judged").write_text("".join(lines))
    for name, run in runs.items():
        lines = (f"{query} Q0 {each} 0 {score} {name}\n" for query, of in run.items() for each, score in of.items())
        (folder / f"of_{name}").write_text("".join(lines))
    return [str(folder / "judged"), *(str(folder / f"of_{name}") for name in runs)]


def every_other_lost() -> tuple[dict[str, dict[str, int]], Lists]:
    """Two runs of which every document is judged; the second has no results for every third query."""
    judged = {f"q{q}": {f"d{d}": int(d % 3 == 0) for d in range(20)} for q in range(QUERIES)}
    lists = {query: {f"d{d}": float(d * place % 23) for d in range(20)} for place, query in enumerate(judged)}
    kept = {query: of for place, (query, of) in enumerate(lists.items()) if place % 3}
    return judged, {"whole": lists, "lost": kept}


def test_a_query_without_results_has_no_unjudged_documents(irev, tmp_path: Path) -> None:
    judged, runs = every_other_lost()
    qrels, *paths = in_files(tmp_path, judged, runs)
    for given in ((judged, runs), (qrels, paths)):
        finding, unjudged, rests = irev_compare(*given)
        assert (finding, unjudged, rests) == (WORSE, None, False)
    status, shown, _ = irev("check", qrels, paths[1], "--baseline-run", paths[0], "--max-drop", "nDCG@10=0.02")
    assert (status, "documents are judged" in shown.decode()) == (1, False)
    evaluations = {name: irev_evaluated(judged, run) for name, run in runs.items()}
    verdict = checked(evaluations, judged, runs, "lost", "whole")
    assert [(each.state, each.rests_on_unjudged) for each in verdict.findings] == [("fail", False)]
    _, page, _ = irev("report", "-m", "nDCG@10", qrels, *paths)
    assert "a query without results has 1" in page.decode()


def irev_evaluated(judged: object, run: object) -> irev.Evaluation:
    return irev.evaluate(judged, run, "nDCG@10", complete=True)  # type: ignore[arg-type]


def checked(
    evaluations: dict[str, irev.Evaluation], judged: object, runs: Lists, run: str, baseline: str
) -> irev.Verdict:
    return irev.check(
        {run: evaluations[run]},
        baseline={run: evaluations[baseline]},
        max_drop={"nDCG@10": 0.02},
        qrels=judged,  # type: ignore[arg-type]
        runs={run: runs[run]},
        baseline_runs={run: runs[baseline]},
    )


def test_a_run_of_which_nothing_is_judged_has_a_mark(irev, tmp_path: Path) -> None:
    judged, runs = every_other_lost()
    new = {f"n{d}": 20.0 - d for d in range(15)} | {"d0": 1.0}
    runs = {"whole": runs["whole"], "new": dict.fromkeys(judged, new)}
    del runs["new"]["q0"]
    qrels, *paths = in_files(tmp_path, judged, runs)
    for given in ((judged, runs), (qrels, paths)):
        finding, unjudged, rests = irev_compare(*given)
        assert (finding, unjudged.finding, rests) == (WORSE, WORSE, True)  # type: ignore[attr-defined]
    _, shown, _ = irev("compare", "-m", "nDCG@10", qrels, *paths)
    assert "or one run has too few judged documents to take their place" in " ".join(shown.decode().split())
    _, shown, _ = irev("check", qrels, paths[1], "--baseline-run", paths[0], "--max-drop", "nDCG@10=0.02")
    assert "FAIL §" in shown.decode()
    verdict = checked({name: irev_evaluated(judged, run) for name, run in runs.items()}, judged, runs, "new", "whole")
    assert [each.rests_on_unjudged for each in verdict.findings] == [True]  # type: ignore[attr-defined]


@pytest.mark.parametrize("style", ["json", "table"])
@pytest.mark.parametrize("way", ["--groups", "bayes", "--query-weights", "seeds"])
def test_differences_in_other_ways_have_the_mark(irev, files: Path, way: str, style: str) -> None:
    queries = [f"q{query}" for query in range(QUERIES)]
    (files / "groups").write_text("".join(f"{query}\t{int(query[1:]) % 2}\n" for query in queries))
    (files / "weights").write_text("".join(f"{query} {1 + int(query[1:]) % 2}\n" for query in queries))
    ways = {
        "--groups": ["compare-by", way, str(files / "groups")],
        "--query-weights": ["compare-by", way, str(files / "weights")],
        "bayes": ["bayes"],
        "seeds": ["seeds", "--runs-per-system", "2"],
    }
    ask = [*ways[way], "-m", "nDCG@10", "-f", style]
    found = {}
    for other in ("dense", "other"):
        names = ["lexical", other]
        if way == "seeds":
            for name in names:
                text = (files / f"{name}.run").read_text()
                (files / f"{name}-2.run").write_text(text.replace(f" {name}\n", f" {name}-2\n"))
            names = [each for name in names for each in (name, f"{name}-2")]
        _, stdout, stderr = irev(*ask, *arguments(files, *names))
        assert stdout, stderr
        found[other] = stdout.decode()
    if style == "table":
        assert ("§" in found["dense"], "§" in found["other"]) == (True, False)
        assert "of the first 10 documents are judged" in " ".join(found["dense"].split())
        return
    rests = {other: [line["rests_on_unjudged"] for line in json.loads(text)["lines"]] for other, text in found.items()}
    assert (any(rests["dense"]), any(rests["other"])) == (True, False)


def test_expected_values_over_ties_have_the_mark(irev, files: Path) -> None:
    _, shown, _ = irev("compare", "--ties", "average", "-m", "nDCG@10", *arguments(files, "lexical", "dense"))
    assert "worse §" in shown.decode()


def test_a_figure_has_the_mark(irev, files: Path) -> None:
    given = arguments(files, "lexical", "dense")
    for number, way in enumerate(("compare", "bayes")):
        _, _, stderr = irev(way, "-m", "nDCG@10", *given, "--plot", str(files / f"{number}.svg"))
        assert "§" in (files / f"{number}.svg").read_text(), stderr


def test_collections_that_are_unevenly_judged_are_named(irev, files: Path) -> None:
    entries = (
        f"[[collection]]\nname = '{name}'\nqrels = 'qrels'\nruns = {{ a = 'lexical.run', b = '{run}.run' }}\n"
        for name, run in {"odd": "dense", "even": "other"}.items()
    )
    (files / "all.toml").write_text("".join(entries))
    status, shown, stderr = irev("collections", "-m", "nDCG@10", str(files / "all.toml"))
    assert status == 0, stderr
    assert "Clearly more is judged of one run than of another on odd:" in " ".join(shown.decode().split())


UNKNOWN = "Judged shares unknown: "


def test_what_saved_results_do_not_tell_is_said(irev, files: Path) -> None:
    qrels, *paths = arguments(files, "lexical", "dense")
    saved = [str(files / f"{place}.json") for place in range(2)]
    for path, run in zip(saved, paths, strict=True):
        assert irev("eval", "-c", "-q", "-m", "nDCG@10", "-f", "json", "-o", path, qrels, run).status == 0
    drop = ["--max-drop", "nDCG@10=0.02"]
    for ask in (
        ["compare", *saved],
        ["compare", *saved],
        ["compare", *saved, "--layout", "paper", "-f", "markdown"],
        ["bayes", *saved],
        ["check", qrels, paths[1], "--baseline", saved[0], *drop],
        ["trend", *saved],
    ):
        _, shown, stderr = irev(*ask)
        assert UNKNOWN in " ".join(shown.decode().split()), (ask, stderr)
    _, found, _ = irev("compare", *saved, "-f", "json")
    (measure,) = json.loads(found)["measures"]
    assert "values alone" in measure["judged_unknown"]
    assert [None] == [each["rests_on_unjudged"] for each in measure["contrasts"]]
    _, found, _ = irev("check", qrels, paths[1], "--baseline", saved[0], *drop, "-f", "json")
    assert [None] == [each["rests_on_unjudged"] for each in json.loads(found)["findings"]]


def test_true_neighbours_are_judgments_of_every_document(irev) -> None:
    neighbours = Path(__file__).parents[2] / "sample_data" / "neighbours"
    truth, found = (str(neighbours / f"{name}.ivecs") for name in ("truth", "found"))
    _, shown, _ = irev("compare", "-m", "Recall@5", truth, found, truth)
    assert "not shown" in shown.decode()
    assert UNKNOWN not in " ".join(shown.decode().split())


def test_nothing_is_unknown_where_everything_is_judged(irev, tmp_path: Path) -> None:
    judged, runs = every_other_lost()
    qrels, *paths = in_files(tmp_path, judged, runs)
    saved = [str(tmp_path / f"{place}.json") for place in range(2)]
    for path, run in zip(saved, paths, strict=True):
        irev("eval", "-c", "-q", "-m", "nDCG@10", "-f", "json", "-o", path, qrels, run)
    for ask in (saved, ["-J", qrels, *paths]):
        _, shown, _ = irev("compare", *ask)
        assert "Comparison" in shown.decode()
        assert UNKNOWN not in " ".join(shown.decode().split())


def test_files_and_memory_say_the_same(irev, files: Path) -> None:
    judged, runs = collection(1, 10)
    del runs["other"]
    of_memory = irev_compare(judged, runs)
    qrels, *paths = arguments(files, "lexical", "dense")
    of_files = irev_compare(qrels, paths)
    assert of_files == of_memory
    assert of_memory[2]


def irev_compare(qrels: object, runs: object) -> tuple[str, object, bool | None]:
    (compared,) = irev.compare(qrels, runs, "nDCG@10").compared  # type: ignore[arg-type]
    (contrast,) = compared.contrasts
    return contrast.finding, contrast.unjudged, contrast.rests_on_unjudged


def test_nothing_is_shown_where_judgments_name_relevant_documents_alone() -> None:
    judged, runs = collection(1, 10)
    alone = {query: {each: grade for each, grade in of.items() if grade} for query, of in judged.items()}
    pair = {"lexical": runs["lexical"], "dense": runs["dense"]}
    assert irev_compare(alone, pair)[1:] == (None, None)
    assert "not relevant" in irev.compare(alone, pair, "nDCG@10").compared[0].measured.unknown


def test_wrong_findings_have_a_mark_and_runs_of_the_pool_have_none() -> None:
    wrong = marked = of_pool = 0
    for seed in range(20):
        judged, runs = collection(seed, 10)
        (compared,) = irev.compare(judged, runs, "nDCG@10").compared
        other, dense = compared.contrasts
        wrong += dense.finding == WORSE
        marked += dense.rests_on_unjudged
        of_pool += other.unjudged is not None
    assert wrong >= 15
    assert (marked, of_pool) == (wrong, 0)


# Expected values: --unjudged bootstrap


def exact(pool: list[int], grades: list[int | None], gained: int) -> float:
    """nDCG, the expected value over every way to give unjudged documents grades of the pool."""
    ideal = sum(grade / np.log2(rank + 2) for rank, grade in enumerate(sorted(pool, reverse=True)[:gained]))
    holes = [place for place, grade in enumerate(grades[:gained]) if grade is None]
    values = []
    for drawn in itertools.product(pool, repeat=len(holes)):
        filled = list(grades[:gained])
        for place, grade in zip(holes, drawn, strict=True):
            filled[place] = grade
        values.append(min(sum(grade / np.log2(rank + 2) for rank, grade in enumerate(filled)) / ideal, 1.0))
    return float(np.mean(values))


@pytest.mark.parametrize("name", ["nDCG(unjudged=bootstrap)@4", "ndcg_cut_4,unjudged=bootstrap"])
def test_the_bootstrap_is_the_mean_over_all_grades_that_could_be_drawn(name: str) -> None:
    grades = {"a": [2, None, 0, None, 1], "b": [None, None, 1], "c": [0, 1, 2]}
    pools = {"a": [2, 0, 1, 0], "b": [1, 0, 0, 0, 2], "c": [0, 1, 2]}
    judged: dict[str, dict[str, int]] = {}
    run: dict[str, dict[str, float]] = {}
    for query, of in grades.items():
        run[query] = {f"{query}{place}": 10.0 - place for place in range(len(of))}
        judged[query] = {f"{query}{place}": grade for place, grade in enumerate(of) if grade is not None}
        rest = list(pools[query])
        for grade in judged[query].values():
            rest.remove(grade)
        judged[query] |= {f"{query}x{number}": grade for number, grade in enumerate(rest)}
    found = irev.evaluate(judged, run, name).per_query[name]
    plain = irev.evaluate(judged, run, "nDCG@4").per_query["nDCG@4"]
    for query, of in grades.items():
        # The error of a mean over 1,000 draws of values up to 1 is 0.016 at most.
        assert exact(pools[query], of, 4) == pytest.approx(found[query], abs=0.05)
    assert plain["c"] == found["c"]
    alone = irev.evaluate({"b": judged["b"]}, {"b": run["b"]}, name).per_query[name]
    assert alone["b"] == found["b"]


def test_expected_values_are_the_same_from_files_and_from_memory(irev, files: Path) -> None:
    judged, runs = collection(1, 10)
    name = "P(unjudged=bootstrap)@5"
    _, found, _ = irev("eval", "-c", "-q", "-m", name, "-f", "json", *arguments(files, "dense"))
    (result,) = json.loads(found)["results"]
    expected = evaluated(judged, runs["dense"], name, complete=True)
    assert expected == {query: of["P_5,unjudged=bootstrap"] for query, of in result["per_query"].items()}


def evaluated(qrels: object, run: object, name: str, **options: object) -> dict[str, float]:
    return irev.evaluate(qrels, run, name, **options).per_query[name]  # type: ignore[arg-type, call-overload]


@pytest.mark.parametrize(
    ("options", "said"),
    [
        (("-m", "AP"), "AP(unjudged=bootstrap): grades are drawn for unjudged documents of the first results only"),
        (("-J", "-m", "P@5"), "grades cannot be drawn for unjudged documents that are removed"),
        (("--ties", "average", "-m", "P@5"), "there are no drawn grades for expected values over ties"),
        (("-m", "P(judged_only=true)@5"), "has no expected value, because unjudged documents are removed"),
    ],
)
def test_what_has_no_expected_value_is_refused(irev, files: Path, options: tuple[str, ...], said: str) -> None:
    status, stdout, stderr = irev("compare", "--unjudged", "bootstrap", *options, *arguments(files, "lexical", "dense"))
    assert (2, b"") == (status, stdout)
    assert said in stderr


def test_judgments_of_relevant_documents_alone_are_no_prior() -> None:
    judged, runs = collection(1, 10)
    alone = {query: {each: grade for each, grade in of.items() if grade} for query, of in judged.items()}
    with pytest.raises(irev.UsageError, match="most queries have no document judged not relevant"):
        irev.evaluate(alone, runs["dense"], "P(unjudged=bootstrap)@5")


def test_expected_values_rarely_find_equal_runs_different() -> None:
    plain = drawn = 0
    for seed in range(20):
        judged, runs = collection(seed, 10)
        pair = {name: runs[name] for name in ("lexical", "dense")}
        plain += irev.compare(judged, pair, "nDCG@10").compared[0].contrasts[0].finding == WORSE
        (contrast,) = irev.compare(judged, pair, unjudged="bootstrap").compared[0].contrasts
        drawn += contrast.finding == WORSE
    assert (plain >= 15, drawn <= 3) == (True, True), (plain, drawn)


@pytest.mark.parametrize("depth", [10, 12])
def test_runs_with_too_few_judged_documents_to_fill_the_first_ranks_are_marked(irev, write, depth):
    """Without unjudged documents nothing moves up, so that the difference stays; its bounds tell."""
    judged = [
        (f"q{i}", f"d{j}", int(random.random() < 0.3)) for random in [Random(1)] for i in range(20) for j in range(10)
    ]
    qrels = write("".join(f"{q} 0 {d} {g}\n" for q, d, g in judged).encode(), "few")
    runs = [
        write(
            "".join(
                f"q{i} Q0 {'d' if other or j % 2 else 'x'}{j} 0 {-j} {name}\n" for i in range(20) for j in range(depth)
            ).encode(),
            name,
        )
        for name, other in (("a", True), ("b", False))
    ]
    shown = irev("compare", "-m", "P@10", qrels, *runs).stdout.decode()
    assert "worse §" in shown
    assert "the difference stays" in shown
    assert "or one run has too few judged documents to take their place" in " ".join(shown.split())
