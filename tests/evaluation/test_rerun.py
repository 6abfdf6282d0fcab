"""A saved result that is made again is the same, or it is said what changed: files, version, numbers."""

import json
import os
import shutil

import pytest
from conftest import ROOT
from outcomes import refused

from irev.cli.show import MOST

SAMPLE = ROOT / "sample_data"


@pytest.fixture
def folder(tmp_path, monkeypatch):
    """A folder with copies of the sample data, in which irev is called."""
    for name in ("qrels.txt", "judge2.txt", "keyword.run", "semantic.run"):
        shutil.copy(SAMPLE / name, tmp_path)
    judged = (tmp_path / "qrels.txt").read_text().splitlines(keepends=True)
    (tmp_path / "qrels.txt").write_text("".join(line for line in judged if not line.startswith("#")))
    monkeypatch.chdir(tmp_path)
    return tmp_path


def saved(irev, *arguments: str, name: str = "saved.json") -> dict:
    """Make a result, and give its record."""
    done = irev(*arguments, "-f", "json", "-o", name)
    assert 0 == done.status, done.stderr
    with open(name, encoding="utf-8") as file:
        return json.load(file)


WAYS = {
    "the values for all queries": ("eval", "qrels.txt", "keyword.run"),
    "single queries": ("eval", "-q", "-m", "all_trec", "-m", "RBP", "qrels.txt", "keyword.run"),
    "single queries alone": ("eval", "-q", "-n", "-m", "AP", "qrels.txt", "keyword.run"),
    "two sets and two runs": (
        *("eval", "-c", "-q", "-m", "AP", "--qrels", "a=qrels.txt", "--qrels", "b=judge2.txt"),
        *("one=keyword.run", "two=semantic.run"),
    ),
    "groups": ("eval", "-q", "-m", "AP", "--groups", "groups", "qrels.txt", "keyword.run"),
    "settings": (
        *("eval", "-q", "-m", "nDCG@3", "-m", "RBP(p=0.5)", "--level", "2", "--depth", "4", "--ties", "docid-asc"),
        *("--queries", "some", "qrels.txt", "semantic.run"),
    ),
    "trec_eval 9.0.8": ("eval", "-c", "-q", "--compat", "9.0.8", "-m", "official", "qrels.txt", "keyword.run"),
    "bounds": ("eval", "-q", "--bounds", "-m", "P@3", "-m", "AP", "qrels.txt", "keyword.run"),
    "compressed files": ("eval", "-q", "qrels.txt.gz", "keyword.run"),
}


@pytest.mark.parametrize("arguments", WAYS.values(), ids=WAYS)
def test_it_is_the_same_in_whatever_way_it_was_made(irev, folder, arguments):
    import gzip

    (folder / "groups").write_text("q1\teasy\nq2\thard\nq6\thard\n")
    (folder / "some").write_text("q1\nq3\nq6\n")
    (folder / "qrels.txt.gz").write_bytes(gzip.compress((folder / "qrels.txt").read_bytes()))
    saved(irev, *arguments)
    done = irev("show", "--rerun", "saved.json")
    assert (0, "") == (done.status, done.stderr)
    assert done.stdout.startswith(b"the same: ")


@pytest.mark.parametrize("compat", ["10.0", "9.0.8"])
def test_a_baseline_that_was_rounded_is_the_same(irev, folder, compat):
    command = ("check", "--compat", compat, "--min", "AP=0", "--min", "nDCG@10=0")
    assert 0 == irev(*command, "--baseline", "b.json", "--update-baseline", "qrels.txt", "keyword.run").status
    done = irev("show", "--rerun", "b.json")
    assert (0, b"the same: 16 numbers of 2 files\n") == (done.status, done.stdout)


def test_files_that_changed_are_named_with_what_that_did_to_the_numbers(irev, folder):
    was = saved(irev, "eval", "-q", "-m", "map", "qrels.txt", "keyword.run")
    lines = (folder / "keyword.run").read_bytes().splitlines(keepends=True)
    (folder / "keyword.run").write_bytes(b"".join(line for line in lines if not line.startswith(b"q1 ")))
    done = irev("show", "--rerun", "saved.json")
    assert 1 == done.status
    changed, *numbers, last = done.stdout.decode().splitlines()
    assert changed.startswith(f"run keyword.run: changed, sha256 {was['inputs'][1]['sha256']} then, ")
    assert "keyword: map q1: 0.8333333333333333 then, none now" in numbers
    assert "different: 2 of 7 numbers, 1 of 2 files" == last
    assert numbers[0].startswith("keyword: map all: 0.6537037037037036 then, ")  # before single queries


def test_a_file_that_changed_without_a_number_that_did_is_a_difference(irev, folder):
    saved(irev, "eval", "qrels.txt", "keyword.run")
    with open("qrels.txt", "a", encoding="utf-8") as file:
        file.write("other 0 d 1\n")
    done = irev("show", "--rerun", "saved.json")
    assert 1 == done.status
    assert done.stdout.decode().splitlines()[-1].startswith("different: 0 of ")


def test_numbers_and_versions_that_differ_are_told_though_files_are_the_same(irev, folder):
    record = saved(irev, "eval", "-q", "-m", "map", "qrels.txt", "keyword.run")
    record["results"][0]["summary"]["map"] = 0.5
    record["irev"] = "0.0.9"
    done = irev("show", "--rerun", "-", stdin=json.dumps(record).encode())
    expected = "irev 0.0.9 then, 0.1.0 now\nkeyword: map all: 0.5 then, 0.6537037037037036 now\n"
    assert (1, expected + "different: 1 of 7 numbers, 0 of 2 files\n") == (done.status, done.stdout.decode())


def test_another_version_with_the_same_numbers_is_no_difference(irev, folder):
    record = saved(irev, "eval", "-m", "map", "qrels.txt", "keyword.run") | {"irev": "0.0.9"}
    done = irev("show", "--rerun", "-", stdin=json.dumps(record).encode())
    assert (0, b"irev 0.0.9 then, 0.1.0 now\nthe same: 1 number of 2 files\n") == (done.status, done.stdout)


def test_many_numbers_that_differ_are_counted(irev, folder):
    saved(irev, "eval", "-q", "qrels.txt", "keyword.run")
    shutil.copy("semantic.run", "keyword.run")
    lines = irev("show", "--rerun", "saved.json").stdout.decode().splitlines()
    assert MOST + 3 == len(lines)
    assert lines[-2].startswith("and ")


def test_all_files_that_are_gone_are_named(irev, folder):
    saved(irev, "eval", "qrels.txt", "keyword.run", "semantic.run")
    os.remove("qrels.txt")
    os.remove("semantic.run")
    done = irev("show", "--rerun", "saved.json")
    refused(done, "saved.json: 2 files cannot be read again: qrels.txt (there is no such file), semantic.run (")


def test_standard_input_cannot_be_read_again(irev, folder):
    done = irev("eval", "-f", "json", "-o", "saved.json", "qrels.txt", "-", stdin=(folder / "keyword.run").read_bytes())
    assert 0 == done.status
    refused(irev("show", "--rerun", "saved.json"), "<stdin> (it was standard input)")


def test_a_file_that_changed_and_cannot_be_used_is_the_error(irev, folder):
    saved(irev, "eval", "qrels.txt", "keyword.run")
    (folder / "keyword.run").write_bytes(b"q1 Q0 d1 1 x t\n")
    refused(irev("show", "--rerun", "saved.json"), "keyword.run:1: ")


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (lambda record: record["inputs"].clear(), "the record does not have its files"),
        (lambda record: record["inputs"].pop(1), "the record does not have its files"),
        (lambda record: record["inputs"].append(record["inputs"][1]), "the record has other files than results"),
        (lambda record: record["inputs"][0].update(name="a\0b"), "1 file cannot be read again"),
    ],
)
def test_a_record_that_cannot_be_made_again_is_refused(irev, folder, change, message):
    record = saved(irev, "eval", "qrels.txt", "keyword.run")
    change(record)
    refused(irev("show", "--rerun", "-", stdin=json.dumps(record).encode()), message)


def test_options_about_looks_are_refused(irev, folder):
    saved(irev, "eval", "qrels.txt", "keyword.run")
    for option in ("-q", "-n", "--wide", "-f table", "-o x", "--digits 2", "--sort map", "--names trec"):
        done = irev("show", "--rerun", "saved.json", *option.split())
        refused(done, "has no effect here: --rerun only shows what differs")


@pytest.mark.parametrize("options", [(), ("--rerun",)])
def test_a_record_of_another_command_is_refused_with_the_way_out(irev, folder, options):
    saved(irev, "check", "--min", "AP=0", "qrels.txt", "keyword.run")
    done = irev("show", *options, "saved.json")
    refused(done, "this is a record of another kind, 'irev check'; only results of `irev eval` are read")


def test_what_files_of_queries_and_costs_said_stands_in_the_record(irev, folder):
    (folder / "some").write_text("q1\nq3\n")
    (folder / "costs").write_text("Q0 2\n")
    was = saved(
        irev, "eval", "-q", "-m", "INST(of=EC)", "--queries", "some", "--costs", "costs", "qrels.txt", "keyword.run"
    )
    assert ["qrels.txt", "keyword.run"] == [each["name"] for each in was["inputs"]]
    for name in ("some", "costs"):
        (folder / name).write_text("other 9\n")
    assert b"the same: 3 numbers of 2 files\n" == irev("show", "--rerun", "saved.json").stdout
