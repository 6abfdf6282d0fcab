"""irev convert: what comes out says what went in, to the last digit, or nothing comes out; from any format to each."""

import csv
import io
import json
import math
import os
import subprocess
import sys
from itertools import zip_longest
from pathlib import Path

import numpy as np
import pyarrow
import pytest
from conftest import ROOT, as_process, in_process
from hostile import IDS
from hypothesis import given, settings
from hypothesis import strategies as st
from outcomes import refused
from pyarrow import feather, parquet
from workbooks import workbook

from irev.output.writers import WRITERS
from irev.reading import formats
from irev.reading.fields import GRADES
from irev.reading.formats import JUDGMENTS, RUNS

QRELS = b"q1 0 d1 2\nq1 1.5 d2 0\nq2 0 d1 -1\n"
RUN = b"q1 Q0 d2 1 12.50 tag\nq1 Q0 d1 2 1e-7 tag\nq2 Q0 d1 7 -3 other\n"


@pytest.fixture
def folder(tmp_path, monkeypatch) -> Path:
    (tmp_path / "qrels").write_bytes(QRELS)
    (tmp_path / "run").write_bytes(RUN)
    monkeypatch.chdir(tmp_path)
    return tmp_path


def only_doubts(stderr: str) -> bool:
    """Whether nothing is said but what is said of such judgments wherever they are read."""
    return all(line.startswith("irev: warning: ") for line in stderr.splitlines())


def converted(*arguments: str, stdin: bytes = b"") -> bytes:
    """What convert writes to standard output."""
    done = in_process("convert", *arguments, "-", stdin=stdin)
    assert (0, "") == (done.status, done.stderr)
    return done.stdout


def test_a_file_that_appears_while_another_is_made_is_not_replaced(irev, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    Path("in.run").write_text("q1 Q0 d1 1 2.0 r\n")
    written = WRITERS["trec"].write

    def meanwhile(data):
        Path("out.run").write_text("of somebody else")
        yield from written(data)

    monkeypatch.setitem(WRITERS, "trec", WRITERS["trec"]._replace(write=meanwhile))
    status, _, stderr = irev("convert", "in.run", "out.run", "--to", "trec")
    assert (2, "irev: error: out.run: the file exists already; --force replaces it\n") == (status, stderr)
    assert {"in.run": "q1 Q0 d1 1 2.0 r\n", "out.run": "of somebody else"} == {
        path.name: path.read_text() for path in Path().iterdir()
    }
    assert 0 == irev("convert", "in.run", "out.run", "--to", "trec", "--force").status


def test_judgments_are_written_in_each_format(irev, folder):
    assert QRELS == converted("--to", "trec", "qrels")
    assert b"query_id,iteration,doc_id,relevance\nq1,0,d1,2\nq1,1.5,d2,0\nq2,0,d1,-1\n" == converted(
        "--to", "csv", "qrels"
    )
    assert (
        b'{"query_id": "q1", "iteration": "0", "doc_id": "d1", "relevance": 2}\n'
        b'{"query_id": "q1", "iteration": "1.5", "doc_id": "d2", "relevance": 0}\n'
        b'{"query_id": "q2", "iteration": "0", "doc_id": "d1", "relevance": -1}\n'
    ) == converted("--to", "jsonl", "qrels")
    assert {
        "query_id": ["q1", "q1", "q2"],
        "iteration": ["0", "1.5", "0"],
        "doc_id": ["d1", "d2", "d1"],
        "relevance": [2, 0, -1],
    } == parquet.read_table(io.BytesIO(converted("--to", "parquet", "qrels"))).to_pydict()


def test_the_option_of_styles_is_not_taken_for_that_of_formats(irev, folder):
    """The words of ``-f`` are others than those of ``--to``."""
    refused(irev("convert", "-f", "csv", "qrels", "-"), "there is no option '-f'")


def test_runs_are_written_in_each_format(irev, folder):
    assert RUN == converted("--to", "trec", "run")
    assert (b"query_id,doc_id,rank,score,tag\nq1,d2,1,12.50,tag\nq1,d1,2,1e-7,tag\nq2,d1,7,-3,other\n") == converted(
        "--to", "csv", "run"
    )
    assert (
        b'{"query_id": "q1", "doc_id": "d1", "rank": 2, "score": 1e-7, "tag": "tag"}'
        == (converted("--to", "jsonl", "run").split(b"\n")[1])
    )
    table = parquet.read_table(io.BytesIO(converted("--to", "parquet", "run")))
    assert [12.5, 1e-7, -3.0] == table["score"].to_pylist()
    assert [1, 2, 7] == table["rank"].to_pylist()
    assert ["tag", "tag", "other"] == table["tag"].to_pylist()


def test_the_ending_of_the_file_chooses_the_format(irev, folder):
    for ending, target in (
        ("csv", "csv"),
        ("ndjson", "jsonl"),
        ("RUN", "trec"),
        ("txt", "trec"),
        ("parquet", "parquet"),
    ):
        assert (0, b"", "") == irev("convert", "run", f"out.{ending}")
        assert converted("--to", target, "run") == Path(f"out.{ending}").read_bytes()
    refused(irev("convert", "run", "out.run7"), "the ending of 'out.run7' is not a known format; choose one with --to")
    refused(irev("convert", "run", "out.jsonl.gz"), "nothing is compressed here; --to jsonl - | gzip > out.jsonl.gz")
    refused(irev("convert", "run", "out.zst"), "nothing is compressed here; --to FORMAT - | zstd > out.zst does")
    refused(
        irev("convert", "run", "out.json"),
        "a known format; --to jsonl, or an ending .jsonl, writes JSON objects, one on",
    )
    refused(irev("convert", "run", "-"), "the ending of '-' is not a known format; choose one with --to")
    refused(irev("convert", "run"), "missing argument 'IN…'")


def test_a_grade_with_a_fraction_makes_a_column_of_doubles(irev, folder):
    found = converted("--to", "parquet", "-", stdin=b"q1 0 d1 2\nq1 0 d2 0.5\n")
    assert [2.0, 0.5] == parquet.read_table(io.BytesIO(found))["relevance"].to_pylist()


# What rows have none of


def test_judgments_without_a_second_field_get_a_zero(irev, folder):
    Path("qrels.csv").write_text("query_id,doc_id,relevance\nq1,d1,2\n")
    assert b"q1 0 d1 2\n" == converted("--to", "trec", "qrels.csv")


def test_pairs_are_relevant(irev, folder):
    Path("pairs").write_text("q1\td1\nq2\td3\n")
    assert b"q1 0 d1 1\nq2 0 d3 1\n" == converted("--to", "trec", "--qrels-format", "msmarco", "pairs")


def test_a_run_without_run_ids_gets_the_name_of_its_file_or_what_tag_says(irev, folder):
    Path("bm 25.csv").write_text("query_id,doc_id,score\nq1,d1,2\nq2,d1,3\nq1,d9,1\n")
    assert b"q1 Q0 d1 1 2 bm_25\nq2 Q0 d1 1 3 bm_25\nq1 Q0 d9 2 1 bm_25\n" == converted("--to", "trec", "bm 25.csv")
    assert b"q1 Q0 d1 1 2 x\n" == converted("--to", "trec", "--tag", "x", "bm 25.csv").split(b"q2")[0]
    assert b"query_id,doc_id,score\nq1,d1,2\n" == converted("--to", "csv", "bm 25.csv").split(b"q2")[0]
    assert (
        b"query_id,doc_id,score,tag\nq1,d1,2,x\n"
        == (converted("--to", "csv", "--tag", "x", "bm 25.csv").split(b"q2")[0])
    )
    assert b"q2 Q0 d1 7 -3 new\n" == converted("--to", "trec", "--tag", "new", "run")[-18:]
    refused(irev("convert", "--to", "trec", "--tag", "a b", "run", "-"), "trec cannot store the tag 'a b' of --tag")


def test_ranks_alone_become_scores_that_order_alike(irev, folder):
    Path("ranked").write_text("q1\td5\t1\nq1\td3\t2\n")
    assert b"q1 Q0 d5 1 -1 ranked\nq1 Q0 d3 2 -2 ranked\n" == (
        converted("--to", "trec", "--run-format", "msmarco", "ranked")
    )
    assert b"query_id,doc_id,rank\nq1,d5,1\nq1,d3,2\n" == converted("--to", "csv", "--run-format", "msmarco", "ranked")


def test_comments_and_blank_lines_are_no_rows(irev, folder):
    assert b"q1 0 d1 2\n" == converted("--to", "trec", "-", stdin=b"#a comment\nq1  0\td1 2\r\n")


# What cannot be held


@pytest.mark.parametrize(
    ("to", "written", "said"),
    [
        (
            "trec",
            "query_id,doc_id,score\nq1,d1,1\nred bricks,d1,2\n",
            "in.csv:3: trec cannot store the query 'red bricks'",
        ),
        (
            "trec",
            "query_id,doc_id,score\nq1,d 1,1\n",
            "in.csv:2: trec cannot store the document 'd 1': there is a blank",
        ),
        (
            "trec",
            "query_id,doc_id,score\n#q,d1,1\n",
            "trec cannot store the query '#q': the line would be read as a comment",
        ),
        (
            "jsonl",
            "query_id,doc_id,score\nq,d1,1\nq,d2,-INF\n",
            "in.csv:3: jsonl cannot store the score '-INF': JSON has",
        ),
        ("parquet", "query_id,doc_id,score\nq,d1,0.12345678901234567890\n", "in.csv:2: parquet cannot store the score"),
        (
            "parquet",
            "query_id,doc_id,score\nq,d1,1e-999\n",
            "parquet cannot store the score '1e-999': a double has fewer",
        ),
        ("csv", "q Q0 d\x01 1 2 t\n", "in.csv:1: csv cannot store the document 'd\\x01': it holds a control character"),
        ("jsonl", "q Q0 d 1.5 2 t\n", "in.csv:1: jsonl cannot store the rank '1.5': it is not a whole number"),
        ("jsonl", b"q Q0 \xff 1 2 t\n", "in.csv:1: jsonl cannot store the document '\\xff': it is not UTF-8"),
        ("parquet", b"q\xff Q0 d 1 2 t\n", "in.csv:1: parquet cannot store the query 'q\\xff': it is not UTF-8"),
        ("csv", "q Q0 d 1 2 t\nq Q0 e 2 1 t u\n", "in.csv:2: the line has more than 6 fields, and the others would be"),
        ("csv", "q Q0 d 1 2 t\nq Q0 e 2 x t\n", "in.csv:2: the score 'x' is not a number"),
        ("csv", "q Q0 d 1 2 t\nq Q0 e 2\n", "in.csv:2: 4 fields in 'q Q0 e 2'"),
        ("trec", '"{""a"":{",d,1\n', "as a TREC file this would be read as json"),
        ("trec", "BZh91AY&SY,d,1\n", "as a TREC file this would be read as bzip2"),
    ],
)
def test_what_a_format_cannot_hold_is_refused_and_nothing_is_left(irev, folder, to, written, said):
    text = written.encode() if isinstance(written, str) else written
    if b",d,1" in text:
        text = b"query_id,doc_id,score\n" + text
    Path("in.csv").write_bytes(text)
    before = sorted(os.listdir())
    for out in ("out", "-"):
        refused(irev("convert", "--to", to, "in.csv", out), said)
    assert before == sorted(os.listdir())


def test_ids_that_only_tables_hold_are_held_by_all_of_them(irev, folder):
    text = b'query_id,doc_id,score\nred bricks,"a,""b""",1\n'
    Path("in.csv").write_bytes(text)
    assert text == converted("--to", "csv", "in.csv")
    assert {"query_id": "red bricks", "doc_id": 'a,"b"', "score": 1} == json.loads(converted("--to", "jsonl", "in.csv"))


@pytest.mark.thorough
@pytest.mark.parametrize("name", IDS)
def test_names_of_strangers_are_kept_or_refused(irev, folder, name):
    held = IDS[name]
    lines = b"q0 Q0 d 1 1 t\n%b Q0 %b 1 1.5 %b\n" % (held, held, held)
    Path("in.run").write_bytes(lines)
    for target in WRITERS:
        done = irev("convert", "--force", "--to", target, "in.run", "out")
        assert done.status in (0, 2)
        if done.status == 0:
            assert lines == converted("--to", "trec", "out")
        else:
            assert f"{target} cannot store the query" in done.stderr
            assert "\x1b" not in done.stderr


# Which kind, which files


def test_what_could_be_either_kind_has_to_be_said(irev, folder):
    Path("both.json").write_text('{"q1": {"d1": 2}}')
    refused(
        irev("convert", "--to", "trec", "both.json", "-"),
        "both.json: this may be judgments or a run; add --content qrels or",
    )
    assert b"q1 0 d1 2\n" == converted("--to", "trec", "--content", "qrels", "both.json")
    assert b"q1 Q0 d1 1 2 both\n" == converted("--to", "trec", "--content", "run", "both.json")
    refused(
        irev("convert", "--to", "csv", "-", "-", stdin=b"a b\n"), "<stdin>: this looks neither like judgments nor like"
    )


def test_grades_called_score_that_have_fractions_may_be_scores(irev, folder):
    (folder / "either.tsv").write_text("query-id\tcorpus-id\tscore\nq1\td1\t2\nq1\td2\t1.25\n")
    refused(
        irev("convert", "--to", "csv", "either.tsv", "-"),
        "either.tsv: this may be judgments or a run; add --content qrels",
    )
    assert b"query_id,doc_id,score\nq1,d1,2\nq1,d2,1.25\n" == converted("--to", "csv", "--content", "run", "either.tsv")


@pytest.mark.parametrize("tag", ["", " ", "a ", "a\nb", "\t", "a\x1b[31m", "\x7f"])
@pytest.mark.parametrize("to", WRITERS)
def test_a_run_id_that_could_not_be_read_again_is_refused_before_anything_is_read(irev, folder, tag, to):
    said = f"{to} cannot store the tag"
    refused(irev("convert", "--tag", tag, "--to", to, "missing", "-"), said)


def test_second_fields_of_ntcir_and_columns_in_capitals_are_kept(irev, folder):
    Path("levels").write_text("q1 7 d1 L2\n")
    assert b"q1 7 d1 2\n" == converted("--to", "trec", "levels")
    Path("run.csv").write_text("QID,DocNo,Score,Rank,Tag\nq1,d1,2,9,bm25\n")
    assert b"q1 Q0 d1 9 2 bm25\n" == converted("--to", "trec", "run.csv")


@pytest.mark.parametrize("to", WRITERS)
def test_judgments_are_doubted_as_evaluations_doubt_them(irev, folder, to):
    """MovieLens's u.data has a user, an item, a rating and a time."""
    Path("u.data").write_text("196\t242\t3\t881250949\n186\t302\t4\t891717742\n")
    done = irev("convert", "--content", "qrels", "u.data", f"out.{to}", "--to", to)
    assert 0 == done.status
    assert done.stderr.startswith("irev: warning: u.data:1: the grade 881250949 is above 1000; is it a timestamp or")
    assert "irev: warning: u.data:2: the second field is '302', and in the first line '242'" in done.stderr
    assert 2 == done.stderr.count("\n")


@pytest.mark.parametrize(
    "content",
    [
        '{"q1": ["d1"], "q2": [], "red shoes": []}',
        '{"q1": {"d1": 1}, "q2": {}, "red shoes": {}}',
        '{"metric_score": 1, "details": {"q1": {"hits": [{"hit": {"_id": "d1"}}]}, "q2": {"hits": []},'
        ' "red shoes": {"hits": []}}}',
    ],
)
def test_queries_without_documents_are_named(irev, folder, content):
    Path("run.json").write_text(content)
    done = irev("convert", "--content", "run", "run.json", "out.run")
    assert "irev: warning: run.json: 2 queries have no documents and are left out: q2, red shoes\n" == done.stderr
    assert [0, "q1 Q0 d1 1"] == [done.status, Path("out.run").read_text()[:10]]


def test_help_says_what_is_not_kept(irev, folder):
    """A column that no format knows is left out in silence, so that help must not promise to keep everything."""
    Path("shop.csv").write_text("query_id,doc_id,score,colour\nq1,d01,2,red\n")
    assert b"query_id,doc_id,score\nq1,d01,2\n" == converted("--to", "csv", "shop.csv")
    assert "Not copied: unknown columns, comments, queries without documents, and the scores in JSON" in " ".join(
        irev("convert", "--help").stdout.decode().split()
    )


def test_columns_tell_judgments_from_runs(irev, folder):
    for kind, name in (("qrels", "relevance"), ("run", "score")):
        parquet.write_table(pyarrow.table({"query_id": ["q"], "doc_id": ["d"], name: [1]}), "x.parquet")
        expected = b"q 0 d 1\n" if kind == "qrels" else b"q Q0 d 1 1 x\n"
        assert expected == converted("--to", "trec", "x.parquet")
    assert b"q 0 d 1\n" == converted("--to", "trec", "-", stdin=b"query-id\tcorpus-id\tscore\nq\td\t1\n")


def test_files_of_different_queries_are_put_together(irev, folder):
    Path("more").write_bytes(b"q3 Q0 d1 1 4 tag\n")
    assert RUN + b"q3 Q0 d1 1 4 tag\n" == converted("--to", "trec", "run", "more")
    Path("list").write_text("run\nmore\n")
    assert RUN + b"q3 Q0 d1 1 4 tag\n" == converted("--to", "trec", "@list")
    Path("more").write_bytes(b"q3 Q0 d1 1 4 tag\nq2 Q0 d1 1 4 tag\n")
    refused(
        irev("convert", "--to", "trec", "run", "more", "-"),
        "more:2: the query 'q2' is also in run; files are joined only if each query is in one",
    )
    refused(irev("convert", "--to", "trec", "run", "qrels", "-"), "judgments and runs cannot be joined: run and qrels")


def test_of_queries_that_stand_in_two_files_the_earliest_is_named(irev, folder):
    lines = [b"x%d Q0 d1 1 4 tag\n" % number for number in range(40)]
    Path("first").write_bytes(b"".join(lines))
    Path("second").write_bytes(b"".join(lines[::-1]))
    refused(irev("convert", "--to", "trec", "first", "second", "-"), "second:1: the query 'x39' is also in first")


def test_files_that_have_not_the_same_columns_make_no_table(irev, folder):
    Path("plain.csv").write_text("query_id,doc_id,score,tag\nq3,d1,2,t\n")
    refused(
        irev("convert", "--to", "csv", "run", "plain.csv", "-"),
        "plain.csv: this file has no rank, but run has; convert",
    )
    assert RUN + b"q3 Q0 d1 1 2 t\n" == converted("--to", "trec", "run", "plain.csv")


def test_an_input_is_never_written_over_and_a_file_only_by_force(irev, folder):
    refused(irev("convert", "--force", "run", "--to", "csv", "run"), "the output file 'run' is an input")
    refused(irev("convert", "run", "--to", "csv", "qrels"), "qrels: the file exists already; --force replaces it")
    beside = irev("convert", "--force", "--run-format", "letor-scores:qrels", "--to", "csv", "run", "qrels")
    refused(beside, "the output file 'qrels' is an input")
    assert QRELS == Path("qrels").read_bytes()
    assert 0 == irev("convert", "--force", "run", "--to", "csv", "qrels").status
    assert converted("--to", "csv", "run") == Path("qrels").read_bytes()


@pytest.mark.thorough
def test_memory_does_not_grow_with_the_file(folder):
    """A file of three lines takes about as much as one of many chunks."""
    lines = b"".join(b"q%d Q0 document-%d %d 1.25 tag\n" % (i // 1000, i, i % 1000) for i in range(300_000))
    Path("long.run").write_bytes(lines)
    script = (
        "import resource, sys; from irev import cli; status = cli.run(sys.argv[1:]);"
        "print(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss, file=sys.stderr); sys.exit(status)"
    )
    peaks = []
    for name in ("run", "long.run"):
        done = subprocess.run(
            [sys.executable, "-c", script, "convert", name, f"{name}.csv"],
            capture_output=True,
            env={**os.environ, "PYTHONPATH": str(ROOT)},
            check=True,
        )
        peaks.append(int(done.stderr))
    assert peaks[1] - peaks[0] < 50_000  # kB; its rows as objects would have 120,000
    assert lines == converted("--to", "trec", "long.run.csv")


def test_standard_output_gets_nothing_of_a_file_that_is_faulty_further_down(folder):
    Path("late").write_bytes(b"".join(b"q Q0 d%d 1 1 t\n" % i for i in range(300_000)) + b"q Q0 d x\n")
    done = as_process("convert", "--to", "csv", "late", "-")
    assert (2, b"") == (done.status, done.stdout)
    assert "late:300001: 4 fields" in done.stderr


# From every format to every format


@pytest.mark.thorough
@pytest.mark.parametrize("target", WRITERS)
@pytest.mark.parametrize("form", [*JUDGMENTS.values(), *RUNS.values()], ids=lambda form: form.name)
def test_every_format_that_is_read_can_be_converted(form, target, irev, folder):
    kind, table = ("qrels", JUDGMENTS) if form in JUDGMENTS.values() else ("run", RUNS)
    if form.name in ("parquet", "arrow"):
        value = "relevance" if kind == "qrels" else "score"
        table_of_one = pyarrow.table({"query_id": ["q1"], "doc_id": ["d01"], value: [2.5]})
        (parquet.write_table if form.name == "parquet" else feather.write_feather)(table_of_one, "in")
    elif form.name == "neighbours":
        with open("in", "wb") as file:
            np.save(file, np.array([[3, 1], [2, 5]]))
    elif form.name == "xlsx":
        value = "relevance" if kind == "qrels" else "score"
        Path("in").write_bytes(workbook([["query_id", "doc_id", value], ["q1", "d01", 2.5]]))
    else:
        Path("in").write_text(form.example)
    assert form is table[form.name]
    named = f"{form.name}:scored" if form.beside else form.name
    Path("scored").write_text(JUDGMENTS["letor"].example)
    if form.name == "neighbours":
        with open("scored", "wb") as file:
            np.save(file, np.array([[0.5, 1.0], [0.25, 2.0]]))
    done = irev("convert", "--content", kind, f"--{kind}-format", named, "--to", target, "in", "in.out")
    if form.kind.name != GRADES:
        refused(done, f"these are judgments of {form.kind.name}; a conversion would keep only their grades")
        return
    if done.status == 2:  # what only tables hold stays there
        assert target == "trec"
        refused(done, "trec cannot store the")
        return
    assert (0, b"") == done[:2]
    assert only_doubts(done.stderr)
    other = RUN.replace(b"q1", b"1048585") + RUN if kind == "qrels" else QRELS.replace(b"q1", b"1048585") + QRELS
    Path("other").write_bytes(b"".join(dict.fromkeys(other.splitlines(keepends=True))))
    measures = ("-q", "-c", "-m", "map", "-m", "ndcg", "-m", "num_ret")

    def evaluated(name: str, *options: str) -> bytes:
        files = (name, "other") if kind == "qrels" else ("other", name)
        done = irev("eval", *measures, *options, *files)
        assert 0 == done.status, done.stderr
        return done.stdout

    assert evaluated("in", f"--{kind}-format", named) == evaluated("in.out")


ID = st.text(st.characters(codec="utf-8", exclude_categories=["Cc", "Zs", "Zl", "Zp"]), min_size=1, max_size=5)
NUMBER = st.one_of(
    st.integers(-(2**53), 2**53).map(str),
    st.floats(allow_nan=False, allow_infinity=False).map(repr),
    st.decimals(-99, 99, places=3).map(str),
    st.sampled_from(["+1", "007", ".5", "5.", "-.25e-3", "1E5", "0.10", "-0"]),
)


def unique(rows: list[tuple]) -> list[tuple]:
    """Rows that retrieve each document once for a query; the first may not look like anything else."""
    found = {(row[0], row[1]): row for row in rows if not row[0].startswith("#")}
    return [("q", "d", *rows[0][2:]), *(row for key, row in found.items() if key != ("q", "d"))]


JUDGED = st.lists(st.tuples(ID, ID, NUMBER, ID), min_size=1, max_size=8).map(unique)
RETRIEVED = st.lists(st.tuples(ID, ID, NUMBER, st.integers(-9, 99), ID), min_size=1, max_size=8).map(unique)


def same_number(a: str, b: str) -> bool:
    return a == b or (float(a) == float(b) and math.copysign(1, float(a)) == math.copysign(1, float(b)))


def lost_in_turn(folder: Path, lines: bytes, kind: str) -> list[str]:
    """What differs when lines of TREC go through each pair of formats and back again; nothing where all is kept.

    Numbers have to be the same, and where text is kept so have their digits.
    """
    lost = []
    for first in WRITERS:
        for second in WRITERS:
            text = lines
            for target in (first, second, "trec"):
                (folder / "in").write_bytes(text)
                done = in_process("convert", "--content", kind, "--to", target, str(folder / "in"), "-")
                if done.status or not only_doubts(done.stderr):
                    lost.append(f"{first}, {second}, {target}: {done.stderr}")
                text = done.stdout
            exact = {first, second} <= {"trec", "csv"}
            number = 3 if kind == "qrels" else 4
            for a, b in zip_longest(lines.decode().splitlines(), text.decode().splitlines(), fillvalue=""):
                if not (a == b or (not exact and same_row(a.split(" "), b.split(" "), number))):
                    lost.append(f"{first}, {second}: {a!r} became {b!r}")
    return lost


def same_row(before: list[str], after: list[str], number: int) -> bool:
    """Whether two rows are alike but for the digits of the number in one place."""
    if len(before) != len(after):
        return False
    return same_number(before.pop(number), after.pop(number)) and before == after


def judgments_of(rows: list[tuple]) -> bytes:
    return "".join(f"{q} {second} {d} {g}\n" for q, d, g, second in rows if abs(float(g)) <= 2**53).encode()


@settings(max_examples=20)
@given(JUDGED.filter(judgments_of))
@pytest.mark.thorough
def test_judgments_survive_every_pair_of_formats(tmp_path_factory, rows):
    lines = judgments_of(rows)
    if not lines.startswith(b"q "):
        lines = b"q 0 d 1\n" + lines
    if b"-0" not in lines.split():  # as a whole number it has no sign
        assert [] == lost_in_turn(tmp_path_factory.mktemp("qrels"), lines, "qrels")


@settings(max_examples=20)
@given(RETRIEVED)
@pytest.mark.thorough
def test_runs_survive_every_pair_of_formats(tmp_path_factory, rows):
    lines = "".join(f"{q} Q0 {d} {rank} {score} {tag}\n" for q, d, score, rank, tag in rows).encode()
    assert [] == lost_in_turn(tmp_path_factory.mktemp("run"), lines, "run")


def test_csv_is_what_other_programs_read(irev, folder):
    rows = list(csv.DictReader(io.StringIO(converted("--to", "csv", "run").decode())))
    assert [("q1", "d2", "12.50"), ("q1", "d1", "1e-7"), ("q2", "d1", "-3")] == [
        (row["query_id"], row["doc_id"], row["score"]) for row in rows
    ]


def test_what_is_taken_for_another_format_is_known_by_all_marks(irev):
    for mark, what in ((b"\x1f\x8b", "gzip"), (b"PK\x03\x04", "a zip archive"), (b"\xef\xbb\xbf", "byte order mark")):
        assert what in formats.taken_for(RUNS, mark + b"q Q0 d 1 1 t\n")
    assert "" == formats.taken_for(RUNS, RUN)


READ = "q1 Q0 a#2 1 5 t\nq1 Q0 b#1 2 7 t\nq1 Q0 a#1 3 7 t\nq1 Q0 q1 4 9 t\nq1 Q0 c#1 5 7.0 t\nq2 Q0 b#1 1 2 t\n"
TWICE = "q1 Q0 a 1 5 t\nq1 Q0 b 2 7 t\nq1 Q0 a 3 8 t\nq2 Q0 b 1 2 t\n"


@pytest.mark.parametrize("target", WRITERS)
@pytest.mark.parametrize(
    ("options", "run"),
    [
        (("--order", "rank"), READ),
        (("--order", "file"), READ),
        (("--ties", "docid-asc"), READ),
        (("--ties", "file"), READ),
        (("--drop-self",), READ),
        (("--document-of", "^[^#]+"), READ),
        (("--document-of", "^[^#]+", "--drop-self", "--order", "rank"), READ),
        (("--duplicates", "first"), TWICE),
        (("--duplicates", "best"), TWICE),
        (("--duplicates", "best", "--order", "rank"), TWICE),
    ],
)
def test_a_run_is_converted_into_what_is_evaluated(options, run, target, irev, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    Path("a.run").write_text(run)
    Path("qrels").write_text(
        "".join(f"q{q} 0 {d} {g}\n" for q in (1, 2) for g, d in enumerate(["ab#1", "a", "b", "c", "q1"]))
    )
    asked = ("eval", "-q", "-m", "AP", "-m", "RR", "-m", "nDCG", "-m", "num_ret")
    wanted = irev(*asked, *options, "qrels", "a.run")
    done = irev("convert", *options, "--to", target, "a.run", "new")
    assert (0, "") == (done.status, done.stderr)
    for way in ((), ("--order", "rank")):
        assert wanted.stdout == irev(*asked, *way, "qrels", "new").stdout


def test_judgments_are_converted_into_what_is_evaluated(irev, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    Path("qrels").write_text("q2 0 d1 good\nq1 0 d2 -2\nq1 0 d1 poor\nq1 0 d1 good\n")
    Path("words").write_text("good 2.5\npoor 0\n")
    options = ("--grade-words", "words", "--negative", "nonrelevant", "--duplicates", "max")
    assert b"q1 0 d1 2.5\nq1 0 d2 0\nq2 0 d1 2.5\n" == converted(*options, "--to", "trec", "qrels")
    done = irev("convert", *options[:2], "--negative", "error", "--duplicates", "max", "qrels", "new.qrels")
    refused(done, "qrels:2: the grade '-2' is negative")
    assert b"q1 0 d1 2.5\nq1 0 d2 -2\nq2 0 d1 2.5\n" == converted(*options[:2], *options[4:], "--to", "trec", "qrels")


@pytest.mark.parametrize(
    ("options", "name", "said"),
    [
        (("--order", "rank"), "qrels", "--order has no effect here: these are judgments"),
        (("--drop-self",), "qrels", "--drop-self has no effect here: these are judgments"),
        (("--negative", "error"), "run", "--negative has no effect here: this is a run"),
        (("--ties", "average"), "run", "have no rank of their own under --ties average"),
    ],
)
def test_a_way_of_reading_the_other_kind_of_file_is_refused(options, name, said, irev, folder):
    refused(irev("convert", *options, name, "new.csv"), said)
