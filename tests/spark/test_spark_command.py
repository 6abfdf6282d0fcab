"""``python -m irev.spark eval``: the bytes of ``irev eval``, from lines, Parquet and tables; the same refusals, which
name a line as it stands; and what is refused by name."""

import json
import runpy
import sys
from pathlib import Path

import pytest
from conftest import ROOT, in_process
from sessions_of_spark import MARKS, spark  # noqa: F401 - a fixture

from irev.doors import cli

COLUMNS = "query_id string, doc_id string, score double"
SAMPLES = ROOT / "sample_data"
COSTS = str(SAMPLES / "costs.txt")
QRELS, RUNS = str(SAMPLES / "qrels.txt"), [str(SAMPLES / f"{name}.run") for name in ("keyword", "semantic")]

pytestmark = MARKS


def with_spark(*arguments: str):
    from irev.spark.__main__ import command

    return in_process(*arguments, run=lambda given: cli.run(given, command(), "python -m irev.spark"))


def assert_same(*arguments: str) -> None:
    """The same bytes and status, and the same said; of files what only reading a file whole tells is left out."""
    expected, found = in_process(*arguments), with_spark(*arguments)
    assert expected.status == found.status
    if "json" in arguments:
        records = [json.loads(outcome.stdout) | {"inputs": []} for outcome in (expected, found)]
        assert records[0] == records[1]
    else:
        assert expected.stdout == found.stdout
    assert expected.stderr == found.stderr


@pytest.mark.parametrize(
    "options",
    [
        ("-f", "table", "-m", "nDCG@10", "-m", "AP", "--sort", "AP", "--bounds"),
        ("-q", "-f", "json", "-c", "-m", "all_trec", "--level", "2", "-n"),
        ("--queries", "run", "--order", "rank", "--ties", "docid-asc", "-M", "3"),
    ],
    ids=" ".join,
)
def test_files_of_lines_give_the_bytes_of_irev_eval(options):
    assert_same("eval", *options, QRELS, *RUNS)


def test_parquet_and_tables_do_as_lines(spark, tmp_path):  # noqa: F811
    files = [str(tmp_path / name) for name in ("qrels.parquet", "keyword.parquet")]
    for source, file in zip((QRELS, RUNS[0]), files, strict=True):
        assert 0 == in_process("convert", source, file).status
        spark.read.parquet(file).createOrReplaceTempView(Path(file).stem)
    assert_same("eval", "-q", "-m", "official", *files)
    expected = in_process("eval", "-q", *files)
    found = with_spark("eval", "-q", "table:qrels", "table:keyword", "--memory", "1", "--buckets", "2")
    assert (0, expected.stdout) == (found.status, found.stdout)


def test_rows_of_parquet_have_the_order_that_a_column_says(spark, tmp_path):  # noqa: F811
    frame = spark.createDataFrame(
        [("q1", f"d{place}", 1.0, place) for place in range(9)],
        "query_id string, doc_id string, score double, place int",
    )
    frame.orderBy("doc_id", ascending=False).repartition(3).write.parquet(str(tmp_path / "run.parquet"))
    (tmp_path / "qrels").write_text("q1 0 d0 1\nq1 0 d8 0\n")
    given = ("eval", "-m", "RR", "--ties", "file", str(tmp_path / "qrels"), str(tmp_path / "run.parquet"))
    refused = with_spark(*given)
    assert (2, b"") == (refused.status, refused.stdout)
    assert "which is unknown in tables that are split and shuffled" in refused.stderr
    assert b"recip_rank            \tall\t1.0000\n" == with_spark(*given, "--order-column", "place").stdout


def test_folders_and_compressed_files_are_read_whole(tmp_path):
    import gzip

    lines = Path(RUNS[0]).read_bytes().splitlines(keepends=True)
    folder = tmp_path / "run"
    folder.mkdir()
    (folder / "part-0").write_bytes(b"".join(lines[::2]))
    with gzip.open(folder / "part-1.gz", "wb") as file:
        file.writelines(lines[1::2])
    assert in_process("eval", "-q", QRELS, RUNS[0]).stdout == with_spark("eval", "-q", QRELS, str(folder)).stdout


LINES = {
    "fields": (b"q1 Q0 d9 1\n", "line 'q1 Q0 d9 1': ", "E101"),
    "score": (b"q1 Q0 d9 1 high x\n", "line 'q1 Q0 d9 1 high x': the score 'high' is not a number", "E105"),
    "NUL": (b"q1 Q0 d\x009 1 1.0 x\n", r"line 'q1 Q0 d\x009 1 1.0 x': ", "E104"),
    "mark": (b"\xef\xbb\xbfq1 Q0 d9 1 1.0 x\n", "the line begins with a byte order mark", "E109"),
    "twice": (
        b"q1 Q0 d01 9 1.0 x\nq1 Q0 d01 8 2.0 x\n",
        "query 'q1', document 'd01': the document is retrieved again",
        "E103",
    ),
}


@pytest.mark.parametrize("fault", LINES)
def test_the_least_line_that_cannot_be_used_is_named_as_it_stands(tmp_path, fault):
    line, said, code = LINES[fault]
    run = tmp_path / "bad.run"
    run.write_bytes(b"q2 Q0 d\n" * (fault != "twice") + b"q1 Q0 d02 1 1.0 x\n" + line)
    found = with_spark("eval", QRELS, str(run))
    assert (2, b"") == (found.status, found.stdout)
    assert f"irev: error: {run}, " in found.stderr
    assert said in found.stderr
    assert f"({code})" in found.stderr
    run.write_bytes(line)
    assert code.encode() in in_process("validate", "-f", "json", QRELS, str(run)).stdout


def test_bad_grades_and_missing_files_are_refused_with_their_paths(tmp_path):
    (tmp_path / "qrels").write_text("q1 0 d01 1\nq1 0 d02 x\n")
    found = with_spark("eval", str(tmp_path / "qrels"), RUNS[0])
    assert f"irev: error: {tmp_path / 'qrels'}, line 'q1 0 d02 x': the grade 'x' is not a number (E102)" in found.stderr
    found = with_spark("eval", str(tmp_path / "none"), RUNS[0])
    assert (2, b"") == (found.status, found.stdout)
    assert f"irev: error: {tmp_path / 'none'}: Spark cannot read it (" in found.stderr


def test_ids_that_files_may_not_hold_are_refused_in_parquet(spark, tmp_path):  # noqa: F811
    rows = [("q1", "d01 ", 1.0), ("q1", "d02", 1.0)]
    spark.createDataFrame(rows, "query_id string, doc_id string, score double").write.parquet(
        str(tmp_path / "run.parquet")
    )
    found = with_spark("eval", QRELS, str(tmp_path / "run.parquet"))
    assert 2 == found.status
    assert "the document id 'd01 ' begins or ends with a blank (E110)" in found.stderr


def test_run_ids_that_differ_are_said_to(tmp_path):
    (tmp_path / "run").write_text("q1 Q0 d01 1 1.0 b\nq2 Q0 d01 1 1.0 a\n")
    found = with_spark("eval", "-m", "runid", QRELS, str(tmp_path / "run"))
    assert b"runid                 \tall\ta\n" == found.stdout
    assert (
        "run ids differ, among them 'b'; runid is the first one in byte order, 'a', because rows have no order here"
        in found.stderr
    )


@pytest.mark.parametrize(
    ("options", "said"),
    [
        (("--groups", "x"), "--groups is not for Spark: compute values of groups from -q"),
        (("--significance",), "--significance is not for Spark: save the result of each run"),
        (("-j", "2"), "--jobs is not for Spark: Spark has workers of its own"),
        (("--executor", "processes"), "--executor is not for Spark: Spark has workers of its own"),
        (("--qrels", "a=b"), "--qrels is not for Spark: Spark evaluates with one set"),
        (("--run-format", "csv"), "--run-format csv is not supported on Spark; choose trec, trec3, trec4, parquet"),
        (
            ("--qrels-format", "subtopics"),
            "--qrels-format subtopics is not supported on Spark; `irev eval` reads judgments of subtopics",
        ),
        (
            ("-m", "alpha-nDCG@5"),
            "measure 'alpha_ndcg_5' needs judgments of subtopics, and those in tables are grades; write them to a file",
        ),
        (
            ("-m", "TBG", "--costs", COSTS),
            "--costs is not for Spark: `irev eval` reads the types of results, from files in TREC's format",
        ),
        (("--order-column", "x"), "order_column has no effect"),
        (("--order-column", "x", "--ties", "file"), "lines have no columns, and Spark does not keep their order"),
    ],
)
def test_what_is_not_served_is_refused_by_name(options, said):
    found = with_spark("eval", *options, QRELS, RUNS[0])
    assert (2, b"") == (found.status, found.stdout)
    assert said in found.stderr


def test_lists_of_queries_are_refused_by_name(tmp_path):
    (tmp_path / "some").write_text("q1\n")
    found = with_spark("eval", "--queries", str(tmp_path / "some"), QRELS, RUNS[0])
    assert (2, b"") == (found.status, found.stdout)
    assert "--queries FILE is not for Spark: filter the tables before" in found.stderr


def test_the_module_runs_it(monkeypatch):
    # By its path: pytest itself loads the modules of a package that has a plugin, and runpy cannot ask its loader.
    path = ROOT / "irev" / "spark" / "__main__.py"

    def module(arguments: list[str]) -> int:
        monkeypatch.setattr(sys, "argv", ["irev.spark", *arguments])
        with pytest.raises(SystemExit) as end:
            runpy.run_path(str(path), run_name="__main__")
        return end.value.code

    found = in_process("eval", "-m", "AP", QRELS, RUNS[0], run=module)
    assert (0, in_process("eval", "-m", "AP", QRELS, RUNS[0]).stdout) == (found.status, found.stdout)
