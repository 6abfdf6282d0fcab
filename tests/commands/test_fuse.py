"""``irev fuse``: what is read and written, in whatever form; what is refused, and what is said."""

import gzip
import json
import os
import random
import shutil
import subprocess
import sys
import threading
from pathlib import Path

import pytest
from conftest import ROOT, environment
from outcomes import refused
from shell import typed

import irev as package
from irev.reading.flat_ids import FlatIds

A = b"1 Q0 a 1 12 t\n1 Q0 b 2 9 t\n1 Q0 c 3 6 t\n2 Q0 x 1 3 t\n"
B = b"1 Q0 c 1 0.75 t\n1 Q0 d 2 0.5 t\n1 Q0 a 3 0.25 t\n2 Q0 y 1 3 t\n"


@pytest.fixture
def folder(tmp_path, monkeypatch) -> Path:
    """A current folder with two runs."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "a.run").write_bytes(A)
    (tmp_path / "b.run").write_bytes(B)
    return tmp_path


def rows(stdout: bytes) -> list[tuple[str, str, int, float]]:
    """Query, document, rank and score of each line."""
    fields = [line.split() for line in stdout.decode().splitlines()]
    return [(query, document, int(rank), float(score)) for query, _, document, rank, score, _ in fields]


def test_ranks_count_from_1_and_scores_read_back_as_the_same_doubles(irev, folder):
    found = rows(irev("fuse", "a.run", "b.run").stdout)

    assert ("1", "c", 1, 1 / 61 + 1 / 63) == found[0]
    assert [1, 2, 3, 4, 1, 2] == [rank for _, _, rank, _ in found]
    assert package.fuse(["a.run", "b.run"]).to_dict() == {
        query: {document: score for of, document, _, score in found if of == query} for query in ("1", "2")
    }


@pytest.mark.parametrize("ending", ["run", "csv", "jsonl", "parquet"])
def test_every_format_holds_the_same_run(irev, folder, ending):
    expected = irev("fuse", "--method", "combsum", "a.run", "b.run").stdout
    assert (0, b"", "") == irev("fuse", "--method", "combsum", "-o", f"fused.{ending}", "a.run", "b.run")
    back = irev("convert", "--to", "trec", f"fused.{ending}", "-")

    assert rows(expected) == rows(back.stdout)
    if ending != "run":
        name = {"run": "trec"}.get(ending, ending)
        assert (
            Path(f"fused.{ending}").read_bytes()
            == irev("fuse", "--method", "combsum", "-f", name, "a.run", "b.run").stdout
        )


def test_files_are_read_as_everywhere(irev, folder):
    expected = irev("fuse", "--tag", "x", "a.run", "b.run").stdout
    (folder / "runs").mkdir()
    (folder / "runs" / "1.gz").write_bytes(gzip.compress(A))
    (folder / "runs" / "2.json").write_text(
        json.dumps({"1": {"c": 0.75, "d": 0.5, "a": 0.25}, "2": {"y": 3}}), encoding="utf-8"
    )
    (folder / "list").write_text("a.run\nb.run\n", encoding="utf-8")
    (folder / "b.csv").write_text("q,docno,score\n1,c,0.75\n1,d,0.5\n1,a,0.25\n2,y,3\n", encoding="utf-8")

    assert expected == irev("fuse", "--tag", "x", "runs").stdout
    assert expected == irev("fuse", "--tag", "x", "@list").stdout
    assert expected == irev("fuse", "--tag", "x", "--columns", "run:query=q", "a.run", "b.csv").stdout
    assert (0, expected.decode()) == typed("irev fuse --tag x a.run - < b.run", folder)[:2]


def test_what_orders_a_run_is_what_is_fused(irev, folder):
    """By rank or by the order of lines, scores are ranks with their sign changed."""
    (folder / "a.run").write_bytes(b"1 Q0 a 2 9 t\n1 Q0 b 1 5 t\n1 Q0 c 3 7 t\n")
    fuse = ("fuse", "--method", "combsum", "--norm", "none")

    def found(*options):
        return {document: score for _, document, _, score in rows(irev(*fuse, *options, "a.run").stdout)}

    assert {"a": 9, "c": 7, "b": 5} == found()
    assert {"b": -1, "a": -2, "c": -3} == found("--order", "rank")
    assert {"a": -1, "b": -2, "c": -3} == found("--order", "file")


@pytest.mark.parametrize(("policy", "expected"), [("docid-desc", "ba"), ("docid-asc", "ab"), ("file", "ab")])
def test_ties_of_a_run_are_broken_as_asked(irev, folder, policy, expected):
    (folder / "a.run").write_bytes(b"1 Q0 a 1 9 t\n1 Q0 b 2 9 t\n")

    assert [*expected] == [row[1] for row in rows(irev("fuse", "--ties", policy, "a.run").stdout)]


def test_scores_are_compared_and_fused_in_single_precision_where_that_is_asked_for(irev, folder):
    (folder / "a.run").write_bytes(b"1 Q0 a 1 16777217 t\n1 Q0 b 2 16777216 t\n1 Q0 c 3 0 t\n")
    fuse = ("fuse", "--method", "combsum", "--norm", "none")

    assert [("a", 16777217), ("b", 16777216)] == [row[1::2] for row in rows(irev(*fuse, "a.run").stdout)][:2]
    fused = package.fuse(["a.run"], "combsum", norm="none", compat="9.0.8")
    assert [("b", 16777216), ("a", 16777216)] == [*fused.to_dict()["1"].items()][:2]


def test_ties_of_the_fused_run_stand_in_the_order_of_ids_highest_bytes_first(irev, folder):
    (folder / "a.run").write_bytes(b"1 Q0 \xff 1 9 t\n")
    (folder / "b.run").write_bytes("1 Q0 ä 1 9 t\n".encode())
    (folder / "c.run").write_bytes(b"1 Q0 a 1 9 t\n")
    stdout = irev("fuse", "c.run", "b.run", "a.run").stdout

    assert [b"\xff", "ä".encode(), b"a"] == [line.split()[2] for line in stdout.splitlines()]


def test_documents_that_stand_twice_are_as_elsewhere(irev, folder):
    (folder / "a.run").write_bytes(b"1 Q0 a 1 1 t\n1 Q0 b 2 2 t\n1 Q0 a 3 3 t\n")

    refused(irev("fuse", "a.run", "b.run"), "a.run:3: document 'a' is retrieved twice for query '1' (first on line 1)")
    assert ["b", "a"] == [row[1] for row in rows(irev("fuse", "--duplicates", "first", "a.run").stdout)]
    assert ["a", "b"] == [row[1] for row in rows(irev("fuse", "--duplicates", "best", "a.run").stdout)]


def test_one_run_alone_is_fused_too(irev, folder):
    """Which gives it scores of another kind, in its order."""
    found = rows(irev("fuse", "--method", "combsum", "a.run").stdout)

    assert [("1", "a", 1, 1.0), ("1", "b", 2, 0.5), ("1", "c", 3, 0.0), ("2", "x", 1, 1.0)] == found


def test_what_is_looked_at_and_what_is_kept_can_be_cut(irev, folder):
    found = rows(irev("fuse", "--depth", "2", "--length", "2", "a.run", "b.run").stdout)

    assert [("1", "c", 1, 1 / 61), ("1", "a", 2, 1 / 61)] == found[:2], "c is beyond the depth of a.run"
    assert 4 == len(found)


def test_queries_that_a_run_lacks_are_named(irev, folder):
    (folder / "b.run").write_bytes(B[: B.index(b"2 Q0")])
    done = irev("fuse", "a.run", "b.run")

    assert "irev: warning: b.run: query 2 of other runs has no results\n" == done.stderr
    assert ("2", "x", 1, 1 / 61) == rows(done.stdout)[-1]


def test_runs_that_are_given_twice_are_told(irev, folder):
    (folder / "again.run").write_bytes(A)
    done = irev("fuse", "a.run", "b.run", "again.run")

    assert "irev: warning: again.run: this seems to be the same run as a.run; it counts twice\n" == done.stderr
    assert "a.run: this seems to be the same run as a.run" in irev("fuse", "a.run", "a.run").stderr
    assert "" == irev("fuse", "a.run", "b.run").stderr


def test_runs_of_other_documents_with_the_same_keys_are_not_taken_for_one(irev, folder):
    plain = b"abcdefgh" * 2
    flipped = bytes(byte ^ {7: 0x80, 12: 0x04, 15: 0x80}.get(place, 0) for place, byte in enumerate(plain))
    for name, document in (("one.run", plain), ("two.run", flipped)):
        (folder / name).write_bytes(b"1 Q0 " + document + b" 1 2 t\n")
    assert len({int(FlatIds.of([each]).keys[0]) for each in (plain, flipped)}) == 1
    assert "" == irev("fuse", "one.run", "two.run").stderr


def test_queries_without_any_document_are_named(irev, folder):
    (folder / "c.json").write_text('{"1": {"a": 1}, "2": {}, "3": {}}', encoding="utf-8")
    done = irev("fuse", "c.json")

    assert "irev: warning: the fused run: 2 queries have no documents and are left out: 2, 3\n" == done.stderr
    assert 1 == len(rows(done.stdout))


def test_an_older_output_is_replaced_when_all_is_read_and_not_before(irev, folder):
    (folder / "out").write_bytes(b"old")
    (folder / "bad.run").write_bytes(B + b"3 Q0 a 1 x t\n")
    refused(irev("fuse", "-o", "out", "a.run", "bad.run"), "bad.run:5: the score 'x' is not a number")

    assert b"old" == (folder / "out").read_bytes()
    assert {"a.run", "b.run", "bad.run", "out"} == {*os.listdir()}
    irev("fuse", "-o", "out", "a.run", "b.run")
    assert irev("fuse", "a.run", "b.run").stdout == (folder / "out").read_bytes()


@pytest.mark.parametrize(
    ("words", "facts"),
    [
        ("fuse", ["there is nothing to fuse; give at least one run"]),
        ("fuse --list a.run", ["--list only lists the methods; leave out the runs"]),
        ("fuse --method x a.run", ["invalid value for '--method'"]),
        ("fuse --norm x a.run", ["invalid value for '--norm'"]),
        ("fuse --weights 1 a.run b.run", ["1 weight for 2 runs; give --weights one number for each run"]),
        ("fuse --weights 0,0 a.run b.run", ["all weights are 0, so no run counts"]),
        ("fuse --weights 1, a.run b.run", ["'' is not a number; expected one for each run, such as 0.7,0.3"]),
        ("fuse --weights 1,inf a.run b.run", ["'inf' is not a number"]),
        ("fuse --weights 1,1e999 a.run b.run", ["1e999 is too large"]),
        ("fuse --rrf-k=-1 a.run", ["'-1' is not a number of 0 or more"]),
        ("fuse --rrf-k x a.run", ["'x' is not a number"]),
        ("fuse --depth 0 a.run", ["'0' is not a whole number of 1 or more"]),
        ("fuse --length 0 a.run", ["'0' is not a whole number of 1 or more"]),
        ("fuse -k 60 a.run", ["there is no option '-k'"]),
        ("fuse --ties average a.run", ["documents in ties have no rank of their own under --ties average"]),
        ("fuse --order rank c.json a.run", ["c.json: this format has no ranks"]),
        ("fuse -o a.run a.run b.run", ["the output file 'a.run' is an input; write to another file"]),
        ("fuse -o @list @list", ["a.run: "]),
        ("fuse -o x.gz a.run", ["nothing is compressed here; -f FORMAT | gzip > x.gz does both"]),
        ("fuse -o x.run.gz a.run", ["nothing is compressed here; -f"]),
        ("fuse -o x.json a.run", ["-f jsonl, or an ending .jsonl, writes JSON objects, one on each line"]),
        ("fuse -o x.svg a.run", ["the ending of 'x.svg' is not a known format; choose one with -f, or an ending that"]),
        ("fuse --tag a\u00a0b\tc a.run", ["trec cannot store the tag"]),
        (
            "fuse --tag a\x1b[31m a.run",
            ["trec cannot store the tag 'a\\x1b[31m' of --tag; choose one without blanks and"],
        ),
        ("fuse --tag= a.run", ["trec cannot store the tag ''"]),
        ("fuse none.run a.run", ["none.run: there is no such file"]),
        ("fuse - -", ["only one of the files can be standard input"]),
        ("fuse empty a.run", ["empty: the file is empty"]),
    ],
    ids=lambda value: value if isinstance(value, str) else "",
)
def test_what_cannot_be_done_is_refused_and_nothing_is_written(irev, folder, words, facts):
    (folder / "c.json").write_text('{"1": {"a": 1}}', encoding="utf-8")
    (folder / "empty").touch()
    (folder / "@list").touch()
    (folder / "list").write_text("a.run\nnothing.run\n", encoding="utf-8")
    if "@list" in words:
        facts = ["list:2: there is no file 'nothing.run'"]
    before = {*os.listdir()}

    refused(irev(*words.split(" ")), *facts)
    assert before == {*os.listdir()}


def test_what_a_format_cannot_hold_is_told_with_its_row(irev, folder):
    (folder / "c.csv").write_text("query,document,score\n1,a,3\n1,b c,2\n", encoding="utf-8")

    refused(
        irev("fuse", "c.csv"), "the fused run, row 2: trec cannot store the document 'b c': there is a blank in it; csv"
    )
    assert b"1,b c,2," in irev("fuse", "-f", "csv", "c.csv").stdout


def test_the_list_has_every_method_and_normalisation(irev):
    from irev.ranking.fusion import METHODS, NORMALISATIONS

    shown = irev("fuse", "--list").stdout.decode()

    for name in (*METHODS, *NORMALISATIONS, "none"):
        assert f"\n  {name}\n    " in shown


def test_every_method_and_normalisation_stands_in_the_page():
    from irev.ranking.fusion import METHODS, NORMALISATIONS

    page = (ROOT / "docs" / "fusion.md").read_text(encoding="utf-8")
    rows = [line for line in page.splitlines() if line.startswith("| `")]

    assert [] == [name for name in (*METHODS, *NORMALISATIONS) if not any(f"`{name}`" in line for line in rows)]


@pytest.mark.thorough
def test_a_new_method_is_a_function_and_nothing_else(tmp_path, folder):
    shutil.copytree(ROOT / "irev", tmp_path / "irev", ignore=shutil.ignore_patterns("__pycache__"))
    with open(tmp_path / "irev" / "ranking" / "fusion" / "__init__.py", "a") as module:
        module.write(
            """

@_method(RANKS)
def votes(votes: Votes) -> Floats:
    '''The number of runs that have the document.'''
    return votes.count.astype(float)
"""
        )
    program = "import sys; from irev.cli import run; sys.exit(run(sys.argv[1:]))"
    for words, expected in (
        (("fuse", "--method", "votes", "--length", "1", "a.run", "b.run"), "1 Q0 c 1 2.0 votes\n2 Q0 y 1 1.0 votes\n"),
        (("fuse", "--list"), "\n  votes\n    The number of runs that have the document.\n"),
    ):
        done = subprocess.run(
            [sys.executable, "-c", program, *words],
            env=environment(PYTHONPATH=str(tmp_path)),
            capture_output=True,
            text=True,
            check=True,
        )
        assert expected in done.stdout


@pytest.mark.parametrize("seed", range(3))
def test_files_that_turn_out_to_be_in_other_orders_are_read_again_from_their_beginning(irev, folder, monkeypatch, seed):
    """Whatever was read ahead of them when that was found."""
    chance = random.Random(seed)
    queries = [b"%d" % number for number in range(20)]
    for name in ("c.run", "d.run", "e.run"):
        late = chance.sample(queries, 2)
        order = [*(query for query in queries if query not in late), *late]
        lines = [b"%b Q0 d%d 0 %d t\n" % (query, document, document) for query in order for document in range(4)]
        (folder / name).write_bytes(b"".join(lines))
    expected = irev("fuse", "c.run", "d.run", "e.run").stdout
    for size in (100, 400):
        monkeypatch.setattr("irev.reading.chunks.SIZE", size)
        monkeypatch.setattr("irev.ranking.fusion.inputs.LEAST", size)

        assert expected == irev("fuse", "c.run", "d.run", "e.run").stdout
    assert 20 * 4 == expected.count(b"\n")


@pytest.mark.parametrize("wrong", [b"0,a,x\n", b"0,a b,1\n"], ids=["read", "written"])
def test_when_something_is_refused_nobody_reads_on(irev, folder, monkeypatch, wrong):
    """A thread that did would read from whatever file is opened next in the place of the one that was closed."""
    monkeypatch.setattr("irev.reading.chunks.SIZE", 200)
    monkeypatch.setattr("irev.ranking.fusion.inputs.LEAST", 200)
    monkeypatch.setattr("irev.ranking.fusion.fused.ROWS", 1)
    rows = [(query, document) for query in range(300) for document in range(5)]
    (folder / "long.run").write_bytes(b"".join(b"%d Q0 d%d 0 %d t\n" % (q, d, d) for q, d in rows))
    (folder / "wrong.csv").write_bytes(b"query,document,score\n" + wrong)
    before = threading.active_count()

    assert 2 == irev("fuse", "wrong.csv", "long.run").status
    assert before == threading.active_count()
