"""Several collections side by side: each as if it were evaluated alone, and their means."""

import csv
import io
import json
import math

import pytest
from comparing import shown
from conftest import ROOT
from outcomes import refused

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


def values(irev, *arguments):
    """The numbers of an evaluation by run, collection and measure, unrounded."""
    done = irev("eval", "-c", *arguments, "--digits", "exact", "-f", "csv")
    assert 0 == done.status, done.stderr
    rows = csv.DictReader(io.StringIO(done.stdout.decode()))
    return {(row["run"], row.get("qrels", ""), row["measure"]): float(row["value"]) for row in rows}


def test_each_is_as_it_is_alone_and_the_macro_average_is_the_mean(irev, collections):
    measures = ("-m", "nDCG@10", "-m", "AP", "-m", "RR")
    found = values(irev, *measures, "--collections", collections(ONE, OTHER))
    alone = {}
    for name, qrels, runs in (
        ("first", "qrels.txt", ("keyword.run", "semantic.run")),
        ("second", "judge2.txt", ("hybrid.run", "semantic.run")),
    ):
        files = [f"../{file}" for file in (qrels, *runs)]
        each = values(irev, *measures, "--name", "a", "--name", "b", *files)
        alone |= {(run, name, measure): value for (run, _, measure), value in each.items()}

    means = {
        (run, "macro average", measure): math.fsum(alone[run, name, measure] for name in ("first", "second")) / 2
        for run, _, measure in alone
    }
    assert alone | means == found


def test_people_see_collections_side_by_side_and_the_macro_average_last(irev, collections):
    lines = shown(irev, "eval", "-c", "-f", "table", "-m", "nDCG@10", "--collections", collections(ONE, OTHER))
    numbers = {words[0]: words[1:] for line in lines.splitlines() if len(words := line.split()) == 4}

    assert ["0.6319", "0.8167", "0.7243"] == numbers["a"]
    assert ["0.7577", "0.8605", "0.8091"] == numbers["b"]
    assert "Queries: first 7, second 7." in " ".join(lines.split())


@pytest.mark.parametrize("style", ["trec", "tsv", "csv", "jsonl", "json", "table", "markdown", "latex", "html"])
@pytest.mark.parametrize("more", [(), ("-q",), ("-q", "-n")])
def test_every_style_has_them(irev, collections, style, more):
    done = irev("eval", "-c", *more, "-f", style, "-m", "AP", "--collections", collections(ONE, OTHER))
    text = done.stdout.decode()

    assert 0 == done.status, done.stderr
    assert all(name in text for name in ("first", "second"))
    assert ("macro" in text) == ("-n" not in more)
    assert style not in ("markdown", "latex", "html") or more or "AP" in text


def test_a_run_that_lacks_a_collection_has_no_macro_average(irev, collections):
    other = HEADED.format("second", "judge2.txt", '{ a = "hybrid.run" }')
    path = collections(ONE, other)

    assert {"a"} == {run for run, name, _ in values(irev, "-m", "AP", "--collections", path) if "macro" in name}
    text = " ".join(shown(irev, "eval", "-c", "-f", "table", "-m", "AP", "--collections", path).split())
    assert "A run that lacks a collection has no macro average." in text


def test_what_is_no_mean_has_no_macro_average(irev, collections):
    found = values(irev, "-m", "num_rel", "-m", "gm_map", "-m", "AP", "--collections", collections(ONE, OTHER))
    assert {"map"} == {measure for _, name, measure in found if name == "macro average"}


def test_runs_may_be_a_list_that_is_called_by_run_ids(irev, collections, tmp_path):
    (tmp_path / "runs.txt").write_text(f"{tmp_path / 'semantic.run'}\n")
    parts = (
        HEADED.format("first", "qrels.txt", '["keyword.run", "semantic.run"]'),
        HEADED.format("second", "judge2.txt", '"@runs.txt"'),
    )
    found = values(irev, "-m", "AP", "--collections", collections(*parts))

    assert {"keyword", "semantic"} == {run for run, name, _ in found if name == "first"}
    assert {"semantic"} == {run for run, name, _ in found if name == "macro average"}


def test_runs_are_sorted_by_the_macro_average(irev, collections):
    done = irev("eval", "-c", "--sort", "AP", "-f", "csv", "-m", "AP", "--collections", collections(ONE, OTHER))
    rows = [*csv.DictReader(io.StringIO(done.stdout.decode()))]
    assert ["b", "a"] == [row["run"] for row in rows if row["qrels"] == "macro average"]


def test_a_saved_result_is_shown_and_not_made_again(irev, collections, tmp_path):
    line = ("eval", "-c", "-m", "AP", "--collections", collections(ONE, OTHER))
    irev(*line, "-f", "json", "-o", "saved.json")

    assert irev(*line).stdout == irev("show", "saved.json").stdout
    roles = [file["role"] for file in json.loads((tmp_path / "elsewhere" / "saved.json").read_text())["inputs"]]
    assert (2, 3) == (roles.count("qrels"), roles.count("run"))
    refused(irev("show", "--rerun", "saved.json"), "results of several collections are not made again")


@pytest.mark.parametrize(
    ("parts", "fact"),
    [
        ((), "../all.toml: there is no collection; expected a [[collection]] with name, qrels and runs"),
        (("x = 1",), "../all.toml: there is a key 'x'"),
        (("collection = 3",), "there is no collection"),
        (("collection = [3]",), "collection 1 is no table"),
        (("[[collection]]\nname = 'a'\nruns = 'b'",), "collection 1 has no qrels"),
        ((f"{ONE}k = 1",), "collection 1 has a key 'k'"),
        ((HEADED.format("a", "b", "3"),), "collection 1 has a name, qrels or runs that are no texts"),
        ((HEADED.format("a", "b", "[]"),), "collection 1 has a name, qrels or runs that are no texts"),
        ((HEADED.format("a", "b", "{ x = 1 }"),), "collection 1 has a name, qrels or runs that are no texts"),
        ((ONE, ONE), "two collections are called 'first'"),
        (("[[collection]",), "this is no TOML"),
        (("a." * 999 + "b = 1",), "a key has more than"),
        ((HEADED.format("a", "nowhere", '"keyword.run"'),), "../nowhere: there is no such file"),
    ],
)
def test_a_faulty_file_is_refused(irev, collections, parts, fact):
    refused(irev("eval", "--collections", collections(*parts)), fact)


@pytest.mark.parametrize(
    ("words", "fact"),
    [
        (("../qrels.txt", "../keyword.run"), "--collections has judgments and runs; give no other files"),
        (("--qrels", "a=../qrels.txt"), "--qrels has no effect with --collections"),
        (("--name", "a"), "--name has no effect with --collections"),
        (("-f", "csv", "-o", "../keyword.run"), "is an input; write to another file"),
    ],
)
def test_what_cannot_be_meant_is_refused(irev, collections, words, fact):
    refused(irev("eval", "--collections", collections(ONE, OTHER), *words), fact)
