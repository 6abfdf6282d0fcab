"""Tables in several files: folders and patterns of Parquet files that are read as one."""

import os
import random
from pathlib import Path

import pyarrow
import pytest
from outcomes import refused
from pyarrow import parquet

import irev as package
from irev.base.errors import IrevError
from irev.base.settings import Settings
from irev.reading import qrels, runs
from irev.reading.parts import is_table, parts_of
from irev.reading.sources import Source

LINES = [(f"q{query}", f"d{number}", float(10 - number)) for query in range(1, 5) for number in range(6)]


def table(lines: list, **more: object) -> pyarrow.Table:
    query, document, score = ([line[place] for line in lines] for place in range(3))
    return pyarrow.table({"query_id": query, "doc_id": document, "score": score, **more})


@pytest.fixture
def judged(tmp_path) -> Path:
    (tmp_path / "qrels").write_text("".join(f"q{query} 0 d{query} 1\n" for query in range(1, 5)))
    text = "".join(f"{query} Q0 {document} 0 {score} run\n" for query, document, score in LINES)
    (tmp_path / "run").write_text(text)
    return tmp_path


def in_parts(folder: Path, lines: list, sizes: list[int], name: str = "part-{:05}-x.snappy.parquet") -> Path:
    """A folder as Spark leaves it."""
    folder.mkdir()
    begin = 0
    for number, size in enumerate([*sizes, len(lines) - sum(sizes)]):
        parquet.write_table(table(lines[begin : begin + size]), folder / name.format(number), row_group_size=3)
        begin += size
    for beside in ("_SUCCESS", "._SUCCESS.crc", ".part-00000.crc", "_metadata", "_common_metadata"):
        (folder / beside).write_bytes(b"")
    return folder


def in_partitions(folder: Path, lines: list, column: str = "topic") -> Path:
    """A folder for each query, whose name alone says it."""
    for query in {line[0] for line in lines}:
        (folder / f"{column}={query}").mkdir(parents=True)
        whole = table([line for line in lines if line[0] == query])
        parquet.write_table(whole.drop_columns("query_id"), folder / f"{column}={query}" / "data_0.parquet")
    return folder


def test_a_folder_of_parts_is_one_run(irev, judged):
    """Of which a query goes on from one part to the next, and some parts have no rows."""
    expected = irev("-q", str(judged / "qrels"), str(judged / "run")).stdout
    in_parts(judged / "spark", LINES, [0, 8, 1, 0, 7])

    done = irev("-q", str(judged / "qrels"), str(judged / "spark"))
    assert expected.replace(b"\trun\n", b"\tspark\n") == done.stdout
    assert "" == done.stderr


def test_each_file_in_a_folder_of_other_names_is_a_run(irev, judged):
    in_parts(judged / "spark", LINES, [12], name="run-{}.parquet")
    for path in (judged / "spark").glob("[._]*"):
        path.unlink()
    done = irev("-mmap", "-ftsv", str(judged / "qrels"), str(judged / "spark"))
    assert 2 == done.stdout.count(b"map")


def test_partitions_are_a_column(irev, judged):
    expected = irev("-q", "-mmap", "-mndcg", str(judged / "qrels"), str(judged / "run")).stdout
    in_partitions(judged / "hive", LINES)
    for given in ("hive", "hive/*", "hive/topic=*/*.parquet", "hive/**/*.parquet", "hive/**"):
        done = irev("-q", "-mmap", "-mndcg", str(judged / "qrels"), str(judged / given))
        assert expected == done.stdout, given


def test_values_of_partitions_are_texts_as_they_stand_and_null_is_none(tmp_path):
    for name in ("topic=007", "topic=red%20bricks%2F", "topic=__HIVE_DEFAULT_PARTITION__"):
        (tmp_path / "hive" / name).mkdir(parents=True)
        parquet.write_table(pyarrow.table({"doc_id": ["d1"], "score": [1.0]}), tmp_path / "hive" / name / "part-0")
    values = {part.values["topic"] for part in parts_of(str(tmp_path / "hive"))}
    assert {"007", "red bricks/", None} == values

    with pytest.raises(IrevError, match="HIVE_DEFAULT_PARTITION__/part-0, row 1: the query is null"):
        package.read_run(tmp_path / "hive")


def test_a_pattern_in_quotation_marks_is_one_run_or_several(irev, judged):
    in_parts(judged / "spark", LINES, [12])
    in_parts(judged / "runs", LINES, [12], name="run-{}.parquet")
    for folder, count in (("spark", 1), ("runs", 2)):
        done = irev("-ftsv", "-mmap", str(judged / "qrels"), str(judged / folder / "*.parquet"))
        assert count == done.stdout.count(b"map")


@pytest.mark.parametrize("name", ["part-{:05}-x.snappy.parquet", "part.{}.parquet", "part-{}"])
def test_names_of_spark_dask_and_arrow_are_those_of_parts(judged, name):
    assert is_table(str(in_parts(judged / "made", LINES, [12], name=name)))


def test_texts_that_are_named_as_parts_are_a_run_each(irev, judged):
    """Spark writes CSV so, too, which no command reads as one."""
    (judged / "texts").mkdir()
    for number in range(2):
        (judged / "texts" / f"part-{number}").write_text(f"q{number + 1} Q0 d1 1 1 run{number}\n")
    done = irev("-ftsv", "-mmap", str(judged / "qrels"), str(judged / "texts"))
    assert 2 == done.stdout.count(b"map")


def test_texts_in_a_folder_that_is_named_as_a_partition_are_a_run_each(irev, judged):
    (judged / "sweep" / "lr=0.1").mkdir(parents=True)
    for number in range(2):
        (judged / "sweep" / "lr=0.1" / f"{number}.run").write_text(f"q{number + 1} Q0 d1 1 1 run{number}\n")
    for given in ("sweep/lr=0.1", "sweep/*/*"):
        done = irev("-ftsv", "-mmap", str(judged / "qrels"), str(judged / given))
        assert 2 == done.stdout.count(b"map")
    refused(irev(str(judged / "qrels"), str(judged / "sweep")), "runs are read from one folder, not from its")


def test_runs_beside_parts_are_refused_until_they_are_given_one_by_one(irev, judged):
    folder = in_parts(judged / "mixed", LINES, [])
    parquet.write_table(table(LINES), folder / "bm25.parquet")
    said = (
        "'part-00000-x.snappy.parquet' is named as a part of one table, and 'bm25.parquet' is not; give runs one by one"
    )
    refused(irev(str(judged / "qrels"), str(folder)), said)
    files = sorted(str(each) for each in folder.glob("[a-z]*.parquet"))
    assert 0 == irev("-mmap", str(judged / "qrels"), *files).status


def test_one_partition_is_a_table_too(irev, judged):
    in_partitions(judged / "hive", LINES)
    done = irev("-mmap", "--columns", "query=qid", str(judged / "qrels"), str(judged / "hive" / "topic=q1"))
    refused(done, "there is no column 'qid'")
    found = package.read_run(judged / "hive" / "topic=*")
    assert 4 == len(found.queries)


@pytest.mark.parametrize("given", ["sweep", "sweep/*", "sweep/lr=*/run.parquet", "sweep/**"])
def test_folders_that_may_be_two_runs_are_refused_until_each_is_given(irev, judged, given):
    """Of two runs with other queries, nothing that is read would say that they are two."""
    for rate, query in (("0.1", "q1"), ("0.2", "q2")):
        (judged / "sweep" / f"lr={rate}").mkdir(parents=True)
        lines = [line for line in LINES if line[0] == query]
        parquet.write_table(table(lines), judged / "sweep" / f"lr={rate}" / "run.parquet")
    said = "the folders 'lr=0.1' and 'lr=0.2' may be two runs or one, since no column 'lr' is read; give each folder"
    refused(irev(str(judged / "qrels"), str(judged / given)), said)
    done = irev("-ftsv", "-mmap", str(judged / "qrels"), *map(str, sorted((judged / "sweep").iterdir())))
    assert 2 == done.stdout.count(b"map")


def test_files_of_other_names_in_a_folder_of_no_column_that_is_read_are_refused(irev, judged):
    (judged / "k=10").mkdir()
    for number, name in enumerate(("bm25", "dense")):
        parquet.write_table(table(LINES[number : number + 1]), judged / "k=10" / f"{name}.parquet")
    refused(irev(str(judged / "qrels"), str(judged / "k=10")), "'bm25.parquet' may be a run or a part of one; give")
    for number, name in enumerate(("bm25", "dense")):
        os.rename(judged / "k=10" / f"{name}.parquet", judged / "k=10" / f"part-{number}.parquet")
    assert 0 == irev("-mmap", str(judged / "qrels"), str(judged / "k=10")).status


def test_judgments_may_be_a_folder_too(irev, judged):
    (judged / "judged").mkdir()
    for number in range(1, 5):
        part = pyarrow.table({"query_id": [f"q{number}"], "doc_id": [f"d{number}"], "relevance": [1]})
        parquet.write_table(part, judged / "judged" / f"part-{number}")
    in_parts(judged / "spark", LINES, [5])
    expected = irev("-q", str(judged / "qrels"), str(judged / "run")).stdout
    done = irev("-q", str(judged / "judged"), str(judged / "run"))
    assert expected == done.stdout
    assert 0 == irev("-q", str(judged / "judged"), str(judged / "spark")).status
    os.rename(judged / "judged" / "part-1", judged / "judged" / "one")
    refused(irev(str(judged / "judged"), str(judged / "run")), "'part-2' is named as a part of one table, and 'one' is")
    for number in range(2, 5):
        os.rename(judged / "judged" / f"part-{number}", judged / "judged" / str(number))
    said = (
        "this is a directory; expected a file; several Parquet files are one table if they are named part-…, or lie in"
    )
    refused(irev(str(judged / "judged"), str(judged / "run")), said)


def command_lines() -> list[list[str]]:
    return [
        ["eval", "-mmap", "qrels", "spark", "hive"],
        ["compare", "-mmap", "qrels", "spark", "hive"],
        ["check", "--min", "AP=0", "qrels", "spark"],
        ["check", "--max-drop", "AP=0", "--baseline-run", "hive", "qrels", "spark"],
        ["diff", "qrels", "spark", "hive"],
        ["explain", "--query", "q1", "qrels", "spark"],
        ["validate", "qrels", "spark", "hive"],
        ["power", "--difference", "0.1", "-mmap", "qrels", "spark", "hive"],
        ["curves", "qrels", "spark", "hive"],
        ["pool", "--depth", "2", "spark", "hive"],
        ["fuse", "spark", "hive"],
        ["online", "interleave", "spark", "hive"],
        ["convert", "--to", "trec", "spark", "-"],
        ["report", "-o", "page.html", "qrels", "spark", "hive"],
        ["online", "simulate", "qrels", "spark"],
        ["coverage", "qrels", "spark"],
        ["agree", "-mmap", "-mP.5", "qrels", "spark", "hive"],
    ]


@pytest.mark.parametrize("line", command_lines(), ids=lambda line: " ".join(line[:2]))
def test_every_command_that_reads_runs_takes_a_folder(irev, judged, monkeypatch, line):
    monkeypatch.chdir(judged)
    in_parts(judged / "spark", LINES, [5, 9])
    in_partitions(judged / "hive", [(query, document, -score) for query, document, score in LINES])
    done = irev(*line)
    assert done.status in (0, 1), done.stderr
    assert "Traceback" not in done.stderr


@pytest.mark.parametrize(
    ("make", "said"),
    [
        (lambda folder: (folder / "_delta_log").mkdir(), "this is a table of Delta, so some of its files may"),
        (lambda folder: (folder / "_temporary").mkdir(), "this folder is still being written"),
        (lambda folder: (folder / "part-9").write_text("hello"), "part-9: this is not a Parquet file"),
        (lambda folder: (folder / "more").mkdir(), "and 'more' is not"),
        (lambda folder: (folder / "notes.txt").write_text("hello"), "and 'notes.txt' is not"),
        (
            lambda folder: parquet.write_table(table(LINES[:1]).drop_columns("score"), folder / "part-9"),
            "part-9: there are no columns 'score'",
        ),
        (
            lambda folder: parquet.write_table(
                pyarrow.table({"query_id": [1], "doc_id": ["d1"], "score": [1.0]}), folder / "part-9"
            ),
            "the column 'query_id' holds values of type int64, and those before it of type",
        ),
        (
            lambda folder: parquet.write_table(table([("q9", None, 1.0)]), folder / "part-9"),
            "part-9: the column 'doc_id' holds values of type null",
        ),
        (
            lambda folder: parquet.write_table(table([("q9", "d1", 1.0), ("q9", "", 1.0)]), folder / "part-9"),
            "part-9, row 2: the document id is empty",
        ),
        (
            lambda folder: parquet.write_table(table([("q1", "d1", 1.0)]), folder / "part-9"),
            "part-9, row 1: document 'd1' is retrieved twice for query 'q1' (first in row 2 of",
        ),
        (
            lambda folder: in_partitions(folder, [("q9", "d9", 1.0)], "query_id"),
            "its partitions have other columns than those of",
        ),
    ],
)
def test_what_is_wrong_with_a_folder_is_said_of_the_part(irev, judged, make, said):
    in_parts(judged / "spark", LINES, [7])
    make(judged / "spark")
    refused(irev(str(judged / "qrels"), str(judged / "spark")), said)


def test_a_column_that_a_file_and_its_folder_have_is_refused(irev, judged):
    (judged / "hive" / "doc_id=d1").mkdir(parents=True)
    parquet.write_table(table(LINES[:1]), judged / "hive" / "doc_id=d1" / "part-0")
    done = irev(str(judged / "qrels"), str(judged / "hive"))
    assert "there are 2 columns 'doc_id'" in done.stderr


def test_no_part_is_written_over(irev, judged):
    in_parts(judged / "spark", LINES, [7])
    part = next((judged / "spark").glob("part*"))
    for given in ("spark", "spark/part*"):
        done = irev("convert", "--force", str(judged / given), str(part))
        assert "is inside the input" in done.stderr


def test_a_part_that_changes_is_refused(judged):
    in_parts(judged / "spark", LINES, [7])
    with Source(str(judged / "spark")) as source:
        os.utime(parts_of(str(judged / "spark"))[1].path, ns=(1, 1))
        with pytest.raises(IrevError, match="changed while it was being read"):
            runs.read(source, lambda block: None, Settings())


def test_a_digest_is_of_names_and_bytes(judged):
    in_parts(judged / "spark", LINES, [7])
    digests = set()
    for name in ("spark", "other", "renamed"):
        if name != "spark":
            os.rename(judged / "spark", judged / name)
        if name == "renamed":
            part = parts_of(str(judged / name))[1].path
            os.rename(part, f"{part}.parquet")
        with Source(str(judged / name), digest=True) as source:
            runs.read(source, lambda block: None, Settings())
            digests.add(source.digest())
        os.rename(judged / name, judged / "spark")
    assert 2 == len(digests)
    assert 1 == len({digest.size for digest in digests})


@pytest.mark.thorough
def test_parts_give_what_one_file_gives(tmp_path):
    chance = random.Random(5)
    for number in range(40):
        lines = [
            (f"q{query}", f"d{document}", chance.choice((1.0, 2.5, -3.0)))
            for query in chance.sample(range(20), chance.randint(1, 7))
            for document in chance.sample(range(99), chance.randint(1, 30))
        ]
        if chance.random() < 0.4:
            chance.shuffle(lines)
        if chance.random() < 0.2:
            lines.append(chance.choice(lines))
        parquet.write_table(table(lines), tmp_path / f"{number}.parquet")
        sizes, left = [], len(lines)
        while left and chance.random() < 0.8:
            sizes.append(chance.randint(0, left))
            left -= sizes[-1]
        in_parts(tmp_path / f"{number}", lines, sizes)
        settings = {"duplicates": chance.choice(("best", "first")), "ties": chance.choice(("docid-desc", "file"))}
        qrels = {f"q{query}": {f"d{document}": document % 3 for document in range(60)} for query in range(20)}
        expected, found = (
            package.evaluate(qrels, tmp_path / name, ["AP", "nDCG@5", "num_ret"], **settings).per_query
            for name in (f"{number}.parquet", f"{number}")
        )
        assert expected == found


def test_judgments_in_parts_say_where_they_are_wrong(tmp_path):
    (tmp_path / "judged").mkdir()
    for number in range(2):
        part = pyarrow.table({"query_id": ["q1"], "doc_id": ["d1"], "relevance": [number]})
        parquet.write_table(part, tmp_path / "judged" / f"part-{number}")
    with (
        Source(str(tmp_path / "judged")) as source,
        pytest.raises(IrevError, match=r"part-1, row 1: document 'd1' is judged twice .*first in row 1 of .*part-0"),
    ):
        qrels.read(source, Settings())


def test_a_result_of_a_folder_is_made_again(irev, judged):
    in_parts(judged / "spark", LINES, [7])
    irev("-q", "-fjson", "-o", str(judged / "saved.json"), str(judged / "qrels"), str(judged / "spark"))
    done = irev("show", "--rerun", str(judged / "saved.json"))
    assert (0, "") == (done.status, done.stderr)
    assert b"the same: " in done.stdout
