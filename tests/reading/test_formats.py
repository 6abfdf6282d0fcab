"""File formats: the same data gives the same bytes in each, what each refuses, and how a file's format is found."""

import bz2
import csv
import gzip
import io
import json
import lzma
import subprocess
import sys
from pathlib import Path
from unittest.mock import patch

import numpy as np
import pyarrow
import pytest
from conftest import ROOT, environment, in_process
from hypothesis import given, settings
from hypothesis import strategies as st
from outcomes import refused
from pyarrow import ipc, parquet

import irev as package
from irev.base.errors import Faults, InputError
from irev.base.settings import Settings
from irev.measures.measure import MEASURES, measure
from irev.reading import chunks, formats, qrels, runs
from irev.reading.block import Block
from irev.reading.fields import GRADES, JudgmentKind, Layout
from irev.reading.formats import JUDGMENTS, RUNS, Format
from irev.reading.sources import Source

Row = tuple[str, str, float]

JUDGED: list[Row] = [
    ("q1", "d1", 2),
    ("q1", "d2", 0),
    ("q1", "d,3", 1),
    ("q2", "d1", 3),
    ("q2", 'd"4"', 1),
    ("q3", "é", -1),
    ("q3", "d9", 1),
]
RETRIEVED: list[Row] = [
    ("q1", "d2", 12.5),
    ("q1", "d1", 12.25),
    ("q1", "d,3", 1e-7),
    ("q2", 'd"4"', 0.1),
    ("q2", "d5", 1e22),
    ("q3", "é", -3.0),
    ("q3", "d9", -2.9999999999999996),
]


# What is wrong with all of a file


def test_records_without_a_grade_are_refused_before_all_of_them_are_read(tmp_path):
    path = tmp_path / "judged.jsonl"
    path.write_text("".join(f'{{"query_id": "q{n}", "doc_id": "d"}}\n' for n in range(300_000)))
    with Source(str(path), watch=(read := list[int]()).append) as source, pytest.raises(InputError) as refused:
        qrels.read(source, Settings())
    found = "found no grade field (relevance, rel, grade …); there are 'query_id', 'doc_id'; is this a pool?"
    assert f"{path}: {found}" in str(refused.value)
    assert sum(read) < path.stat().st_size


# Each row as every format writes it


def trec(rows: list[Row], value: str) -> bytes:
    line = "{} 0 {} {}\n" if value == "relevance" else "{} Q0 {} 1 {} run\n"
    return "".join(line.format(*row) for row in rows).encode()


def of_fields(separator: str, header: str = "") -> object:
    return lambda rows, value: (header + "".join(separator.join(map(str, row)) + "\n" for row in rows)).encode()


def table(**dialect: object) -> object:
    def written(rows: list[Row], value: str) -> bytes:
        text = io.StringIO()
        writer = csv.writer(text, **dialect)
        writer.writerow(("query_id", "doc_id", value))
        writer.writerows(rows)
        return text.getvalue().encode()

    return written


def other_columns(rows: list[Row], value: str) -> bytes:
    """The query in the last column but one, and columns that mean nothing."""
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(("", value, "doc_id", "title", "query_id", "note"))
    writer.writerows((i, number, document, "a", query, "b") for i, (query, document, number) in enumerate(rows))
    return text.getvalue().encode()


def text_column(rows: list[Row], value: str) -> bytes:
    """A column of text with everything that makes CSV difficult."""
    text = io.StringIO()
    writer = csv.writer(text)
    writer.writerow(("query_id", "text", "doc_id", value))
    writer.writerows((query, 'two\nlines, "quoted"\r\n', document, number) for query, document, number in rows)
    return text.getvalue().encode()


def nested(rows: list[Row]) -> dict[str, dict[str, float]]:
    found: dict[str, dict[str, float]] = {}
    for query, document, number in rows:
        found.setdefault(query, {})[document] = number
    return found


def records(rows: list[Row], value: str) -> list[dict[str, object]]:
    return [{"query_id": query, "doc_id": document, value: number} for query, document, number in rows]


def json_lines(**options: object) -> object:
    return lambda rows, value: "".join(json.dumps(row, **options) + "\n" for row in records(rows, value)).encode()


def columns_of(rows: list[Row], value: str) -> pyarrow.Table:
    names = ("query_id", "doc_id", value)
    return pyarrow.table({name: [row[i] for row in rows] for i, name in enumerate(names)})


def row_groups(change: object = lambda table: table) -> object:
    def written(rows: list[Row], value: str) -> bytes:
        file = io.BytesIO()
        parquet.write_table(change(columns_of(rows, value)), file, row_group_size=3)
        return file.getvalue()

    return written


def arrow(opened: object) -> object:
    """A file or a stream of Arrow, in batches of three rows."""

    def written(rows: list[Row], value: str) -> bytes:
        file, table = io.BytesIO(), columns_of(rows, value)
        with opened(file, table.schema) as writer:
            writer.write_table(table, max_chunksize=3)
        return file.getvalue()

    return written


def dictionaries(table: pyarrow.Table) -> pyarrow.Table:
    return table.set_column(0, "query_id", table.column(0).dictionary_encode())


def bytes_and_more(table: pyarrow.Table) -> pyarrow.Table:
    ids = table.column(1).cast(pyarrow.binary())
    return table.set_column(1, "doc_id", ids).append_column("title", pyarrow.array(["a b"] * table.num_rows))


BOM = "\ufeff".encode()

EVERY_WAY = {
    "csv": table(lineterminator="\n"),
    "csv with CR LF": table(),
    "csv with all quoted": table(quoting=csv.QUOTE_ALL),
    "csv with text quoted": table(quoting=csv.QUOTE_NONNUMERIC, lineterminator="\n"),
    "csv with other columns": other_columns,
    "csv with a column of text": text_column,
    "csv with a byte order mark": lambda rows, value: BOM + table()(rows, value),
    "csv without last newline": lambda rows, value: table()(rows, value).rstrip(),
    "tsv": table(delimiter="\t", lineterminator="\n"),
    "tsv with all quoted": table(delimiter="\t", quoting=csv.QUOTE_ALL),
    "json": lambda rows, value: json.dumps(nested(rows)).encode(),
    "json with line breaks": lambda rows, value: json.dumps(nested(rows), indent=2, ensure_ascii=False).encode(),
    "json with a byte order mark": lambda rows, value: BOM + json.dumps(nested(rows)).encode(),
    "json array": lambda rows, value: json.dumps(records(rows, value)).encode(),
    "jsonl": json_lines(),
    "jsonl, compact": json_lines(separators=(",", ":"), ensure_ascii=False),
    "jsonl, sorted": json_lines(sort_keys=True),
    "jsonl, odd": lambda rows, value: (
        b"\n\r\n" + json_lines()(rows, value).replace(b"{", b"  {").replace(b"\n", b"\r\n")
    ),
    "jsonl with more fields": lambda rows, value: json_lines()(rows, value).replace(
        b"}", b', "more": [null, {"a": 1}]}'
    ),
    "parquet": row_groups(),
    "parquet with dictionaries": row_groups(dictionaries),
    "parquet with bytes": row_groups(bytes_and_more),
    "arrow file": arrow(ipc.new_file),
    "arrow stream": arrow(ipc.new_stream),
}
"""How a program may write rows so that the format is recognised."""


def evaluated(folder: Path, judged: bytes, retrieved: bytes, *options: str) -> bytes:
    """What eval prints, every measure for every query; the run's file is called run."""
    (folder / "qrels").write_bytes(judged)
    (folder / "run").write_bytes(retrieved)
    done = in_process("eval", "-q", "-m", "all_trec", *options, str(folder / "qrels"), str(folder / "run"))
    assert (0, "") == (done.status, done.stderr)
    return done.stdout


@pytest.fixture(scope="module")
def wanted(tmp_path_factory):
    """What eval prints for the same rows in TREC's formats."""
    return evaluated(tmp_path_factory.mktemp("trec"), trec(JUDGED, "relevance"), trec(RETRIEVED, "score"))


@pytest.mark.parametrize("written", EVERY_WAY.values(), ids=EVERY_WAY)
def test_judgments_in_any_format_give_the_same_numbers(written, wanted, tmp_path):
    assert wanted == evaluated(tmp_path, written(JUDGED, "relevance"), trec(RETRIEVED, "score"))


@pytest.mark.parametrize("written", EVERY_WAY.values(), ids=EVERY_WAY)
def test_runs_in_any_format_give_the_same_numbers(written, wanted, tmp_path):
    assert wanted == evaluated(tmp_path, trec(JUDGED, "relevance"), written(RETRIEVED, "score"))


@pytest.mark.parametrize("written", EVERY_WAY.values(), ids=EVERY_WAY)
def test_queries_may_be_scattered_in_any_format(written, wanted, tmp_path):
    scattered = sorted(RETRIEVED, key=lambda row: row[1])
    assert wanted == evaluated(tmp_path, trec(JUDGED, "relevance"), written(scattered, "score"))


@pytest.mark.thorough
@pytest.mark.parametrize("size", [1, 7, 64, 200])
@pytest.mark.parametrize("written", EVERY_WAY.values(), ids=EVERY_WAY)
def test_any_format_streams_in_small_pieces(written, size, wanted, tmp_path):
    with patch.object(chunks, "SIZE", size):
        assert wanted == evaluated(tmp_path, written(JUDGED, "relevance"), written(RETRIEVED, "score"))


@pytest.mark.parametrize("name", ["csv", "csv with other columns", "csv with a column of text", "json", "parquet"])
def test_a_run_streams_wherever_its_query_stands(name, tmp_path):
    rows = [(f"q{i // 20}", f"d{i}", -float(i)) for i in range(400)]
    (tmp_path / "run").write_bytes(EVERY_WAY[name](rows, "score"))
    with (
        patch.object(chunks, "SIZE", 1000),
        patch.object(runs, "_gathered", side_effect=AssertionError("read whole")),
        Source(str(tmp_path / "run")) as source,
    ):
        kept, reading = runs.read(source, lambda block: len(block.query), Settings())
    assert (400, 400) == (sum(kept), reading.rows)
    assert len(kept) > 3


@pytest.mark.parametrize("compressed", [gzip.compress, bz2.compress, lzma.compress])
@pytest.mark.parametrize("name", ["csv", "json", "jsonl", "parquet"])
def test_any_format_may_be_compressed(name, compressed, wanted, tmp_path):
    judged, retrieved = EVERY_WAY[name](JUDGED, "relevance"), EVERY_WAY[name](RETRIEVED, "score")
    assert wanted == evaluated(tmp_path, compressed(judged), compressed(retrieved))


@pytest.mark.parametrize("name", ["csv", "json", "jsonl", "parquet"])
def test_any_format_may_come_from_standard_input(name, irev, tmp_path):
    (tmp_path / "qrels").write_bytes(trec(JUDGED, "relevance"))
    plain = irev("-m", "map", str(tmp_path / "qrels"), "-", stdin=trec(RETRIEVED, "score"))
    assert plain == irev("-m", "map", str(tmp_path / "qrels"), "-", stdin=EVERY_WAY[name](RETRIEVED, "score"))


EASY = [(query, document.replace(",", "").replace('"', ""), number) for query, document, number in JUDGED]


@pytest.mark.parametrize(
    ("option", "judged"),
    [
        (["--qrels-format", "trec3"], of_fields(" ")(EASY, "")),
        (["--qrels-format", "trec3"], of_fields("\t")(EASY, "")),
        ([], of_fields("\t", "query-id\tcorpus-id\tscore\n")(EASY, "")),
        (["--qrels-format", "beir"], of_fields("\t", "query-id\tcorpus-id\tscore\r\n")(EASY, "")),
        (["--qrels-format", "msmarco"], trec(EASY, "relevance").replace(b" ", b"\t")),
        (["--columns", "query=a,document=b,grade=c"], of_fields(",", "a,b,c\n")(EASY, "")),
        (["--columns", "query=a,document=b,grade=c"], of_fields("\t", "a\tb\tc\n")(EASY, "")),
    ],
    ids=["trec3", "trec3 with tabs", "beir", "beir named", "msmarco", "csv named", "tsv named"],
)
def test_judgments_of_plain_fields_give_the_same_numbers(option, judged, tmp_path):
    retrieved = trec(RETRIEVED, "score")
    assert evaluated(tmp_path, trec(EASY, "relevance"), retrieved) == evaluated(tmp_path, judged, retrieved, *option)


def test_other_names_for_columns_hold_in_records_and_parquet_too(wanted, tmp_path):
    names = ["--columns", "query=qid,document=docno,grade=rel,score=sim"]
    new = {"query_id": "qid", "doc_id": "docno", "relevance": "rel", "score": "sim"}

    def renamed(table: pyarrow.Table) -> pyarrow.Table:
        return table.rename_columns([new[name] for name in table.column_names])

    judged = row_groups(renamed)(JUDGED, "relevance")
    lines = [{new[name]: value for name, value in record.items()} for record in records(RETRIEVED, "score")]
    assert wanted == evaluated(tmp_path, judged, "".join(json.dumps(line) + "\n" for line in lines).encode(), *names)


@pytest.mark.parametrize(
    "names",
    [
        ("qid", "docno", "rel", "score"),
        ("q_id", "corpus-id", "label", "sim"),
        ("query-id", "pid", "Relevance", "Similarity"),
    ],
)
@pytest.mark.parametrize("name", ["csv", "csv with semicolons", "tsv", "jsonl", "json array", "parquet"])
def test_files_know_the_names_that_frames_have(names, name, wanted, tmp_path):
    new = dict(zip(("query_id", "doc_id", "relevance", "score"), names, strict=True))
    found = []
    for rows, value in ((JUDGED, "relevance"), (RETRIEVED, "score")):
        if name == "parquet":
            found.append(
                row_groups(lambda table: table.rename_columns([new[each] for each in table.column_names]))(rows, value)
            )
            continue
        text = (SEMICOLONS if "semicolons" in name else EVERY_WAY[name])(rows, value)
        for old in ("query_id", "doc_id", value):
            text = text.replace(old.encode(), new[old].encode())
        found.append(text)
    assert wanted == evaluated(tmp_path, *found)


SEMICOLONS = table(delimiter=";", lineterminator="\n")


@pytest.mark.thorough
@pytest.mark.parametrize(
    "name", ["csv", "csv with all quoted", "csv with a column of text", "tsv", "json", "jsonl", "parquet"]
)
@pytest.mark.parametrize("size", [7, 1 << 21])
def test_ids_may_hold_blanks(name, size, tmp_path):
    """Query by query the numbers of ids without blanks, also where queries are scattered."""

    def spaced(rows):
        return [(f"the {query}  query", f"{document} x", number) for query, document, number in rows]

    plain = [[(f"the_{q}__query", f"{d}_x", n) for q, d, n in rows] for rows in (JUDGED, RETRIEVED)]
    expected = evaluated(tmp_path, trec(plain[0], "relevance"), trec(plain[1], "score"))
    for order in (list, lambda rows: sorted(rows, key=lambda row: row[1])):
        with patch.object(chunks, "SIZE", size):
            found = evaluated(
                tmp_path,
                EVERY_WAY[name](order(spaced(JUDGED)), "relevance"),
                EVERY_WAY[name](order(spaced(RETRIEVED)), "score"),
            )
        for query in ("q1", "q2", "q3"):
            found = found.replace(f"the {query}  query".encode(), f"the_{query}__query".encode())
        assert expected == found.replace(b" x'", b"_x'")


def test_a_list_names_queries_with_blanks_by_a_tab_behind_them(irev, tmp_path):
    (tmp_path / "qrels.csv").write_text("query,docid,rel\nred shoes,d1,1\nblue sky,d1,1\nq3,d1,1\n")
    (tmp_path / "run.json").write_text('{"red shoes": {"d1": 1}, "blue sky": {"d1": 2}, "q3": {"d1": 1}}')
    files = str(tmp_path / "qrels.csv"), str(tmp_path / "run.json")
    for text in ("red shoes\t\nq3 the text\n", "\nred shoes\tin red\n\tq3\tof it\n", " red shoes\t\r\nq3\r\n"):
        (tmp_path / "list").write_text(text, newline="")
        done = irev("-q", "-n", "-m", "map", "--queries", str(tmp_path / "list"), *files)
        assert (["q3", "red shoes"], "") == (
            [line.split("\t")[1] for line in done.stdout.decode().splitlines()],
            done.stderr,
        )


def test_ids_with_blanks_are_the_same_in_files_and_in_memory(tmp_path):
    (tmp_path / "run.json").write_text('{"red  shoes": {"a b": 2, "c": 1}}')
    judged = {"red  shoes": {"a b": 1}}
    assert {"RR": {"red  shoes": 1.0}} == package.evaluate(judged, tmp_path / "run.json", "RR").per_query


def test_a_byte_that_stands_for_blanks_elsewhere_is_itself_in_trec_format(tmp_path):
    judged, retrieved = b"q\x7f1 0 d\x7f1 1\n", b"q\x7f1 Q0 d\x7f1 1 2 run\n"
    assert b"map                   \tq\x7f1\t1.0000\n" in evaluated(tmp_path, judged, retrieved)


@pytest.mark.parametrize("name", ["csv", "tsv", "jsonl", "parquet"])
def test_a_run_may_have_ranks_in_place_of_scores(name, tmp_path):
    ranked = [("q1", "d2", 1), ("q1", "d1", 2), ("q2", "d5", 2), ("q2", "d1", 1)]
    scored = [(query, document, -rank) for query, document, rank in ranked]
    judged = trec(JUDGED[:5], "relevance")
    assert evaluated(tmp_path, judged, trec(scored, "score")) == evaluated(
        tmp_path, judged, EVERY_WAY[name](ranked, "rank")
    )


def test_ranks_beside_scores_order_when_they_are_asked_to(tmp_path):
    judged = trec(JUDGED[:3], "relevance")
    both = b"qid,docno,rank,score\nq1,d2,1,5\nq1,d1,2,9\n"
    by_score, by_rank = b"q1 Q0 d1 1 9 t\nq1 Q0 d2 2 5 t\n", b"q1 Q0 d2 1 9 t\nq1 Q0 d1 2 5 t\n"
    assert evaluated(tmp_path, judged, by_score) == evaluated(tmp_path, judged, both).replace(b"run\n", b"t\n")
    assert evaluated(tmp_path, judged, by_rank) == evaluated(tmp_path, judged, both, "--order", "rank").replace(
        b"run\n", b"t\n"
    )


def test_ids_and_numbers_may_stand_in_objects_in_records(wanted, tmp_path):
    def nested_lines(rows, value):
        lines = ({"meta": {"of": {"q": q}}, "metadata": {"id": d}, value: {"n": n}} for q, d, n in rows)
        return "".join(json.dumps(line) + "\n" for line in lines).encode()

    paths = "query=meta.of.q,document=metadata.id"
    options = ("--columns", f"{paths},grade=relevance.n,score=score.n")
    given_formats = ("--qrels-format", "jsonl", "--run-format", "jsonl")
    judged, retrieved = nested_lines(JUDGED, "relevance"), nested_lines(RETRIEVED, "score")
    assert wanted == evaluated(tmp_path, judged, retrieved, *options, *given_formats)


@pytest.mark.parametrize("library", ["q_id", "query-id"])
def test_grades_called_scores_are_read_where_it_is_certain(library, tmp_path):
    """ranx and BEIR write them so."""
    names = {"q_id": ("q_id", "doc_id", "score"), "query-id": ("query-id", "corpus-id", "score")}[library]
    table = columns_of([(q, d, int(n)) for q, d, n in JUDGED], "score").rename_columns(names)
    run = columns_of(RETRIEVED, "score").rename_columns(names)
    found = []
    for each in (table, run):
        file = io.BytesIO()
        parquet.write_table(each, file)
        found.append(file.getvalue())
    expected = evaluated(tmp_path, trec(JUDGED, "relevance"), trec(RETRIEVED, "score"))
    assert expected == evaluated(tmp_path, *found)


def test_a_run_of_ranx_is_not_taken_for_judgments(irev, tmp_path):
    columns = {"q_id": ["q1"], "doc_id": ["d1"], "score": [2.5]}
    (tmp_path / "run").write_bytes(parquet_bytes(**columns))
    done = irev(str(tmp_path / "run"), str(tmp_path / "run"))
    refused(done, "the column 'score' holds numbers with fractions, as runs have; are these judgments?")


def test_ranks_order_a_run_of_ms_marco(tmp_path):
    ranked = b"q1\td2\t1\nq1\td1\t2\nq2\td1\t10\nq2\td5\t9\n"
    scored = b"q1 Q0 d2 0 -1 run\nq1 Q0 d1 0 -2 run\nq2 Q0 d1 0 -10 run\nq2 Q0 d5 0 -9 run\n"
    judged = b"q1 0 d1 1\nq2 0 d1 1\n"
    assert evaluated(tmp_path, judged, scored) == evaluated(tmp_path, judged, ranked, "--run-format", "msmarco")


def test_the_rank_of_four_columns_orders_when_it_is_asked_to(tmp_path):
    judged, four = b"q1 0 d1 1\n", b"q1 d1 1 3\nq1 d2 2 5\n"
    ranked = b"q1 Q0 d1 1 3 run\nq1 Q0 d2 2 5 run\n"
    assert evaluated(tmp_path, judged, ranked, "--order", "rank") == evaluated(
        tmp_path, judged, four, "--run-format", "trec4", "--order", "rank"
    )


@pytest.mark.parametrize("rank", ["12.5", "inf", "1e-1"])
def test_a_rank_that_orders_is_a_whole_number(rank, irev, tmp_path):
    """A score that stands where the rank should would turn the ranking upside down."""
    (tmp_path / "qrels").write_bytes(b"q1 0 d1 1\n")
    (tmp_path / "run").write_text(f"q1 Q0 d1 0 2 run\nq1 Q0 d2 {rank} 1 run\n")
    done = irev("--order", "rank", str(tmp_path / "qrels"), str(tmp_path / "run"))
    refused(done, f"run:2: the rank '{rank}' is not a whole number; expected a whole number such as 1")


def test_pairs_of_ms_marco_are_relevant(tmp_path):
    retrieved = b"q1 Q0 d2 0 2 run\nq1 Q0 d1 0 1 run\n"
    pairs = evaluated(tmp_path, b"q1\td1\nq1\td7\n", retrieved, "--qrels-format", "msmarco")
    assert evaluated(tmp_path, b"q1 0 d1 1\nq1 0 d7 1\n", retrieved) == pairs


def test_whole_numbers_are_ids_in_records_and_parquet(tmp_path):
    judged, retrieved = b"1 0 20 1\n", b"1 Q0 20 1 2 run\n"
    wanted = evaluated(tmp_path, judged, retrieved)
    file = io.BytesIO()
    parquet.write_table(pyarrow.table({"query_id": [1], "doc_id": [20], "score": [2]}), file)
    assert wanted == evaluated(tmp_path, b'{"query_id": 1, "doc_id": 20, "relevance": 1}', file.getvalue())


def test_a_run_without_tags_is_called_by_its_file(irev, tmp_path):
    (tmp_path / "qrels").write_bytes(trec(JUDGED, "relevance"))
    names = {"bm25.csv": b"bm25", "bm25-b0.5.json.gz": b"bm25-b0.5", "a b\tc.tsv.zst": b"a_b_c", "plain": b"plain"}
    found = {}
    for name in names:
        (tmp_path / name).write_bytes(EVERY_WAY["csv"](RETRIEVED, "score"))
        found[name] = irev("-m", "runid", str(tmp_path / "qrels"), str(tmp_path / name)).stdout.split()[-1]
    assert names == found


# Made data

IDS = st.text(
    st.one_of(st.sampled_from("ab12,\"'\\/{}:;é\u00a0\u2028\U0001f600"), st.characters(exclude_categories=["C", "Z"])),
    min_size=1,
    max_size=6,
).filter(lambda text: not text.startswith("#"))
NUMBERS = st.floats(-(2.0**53), 2.0**53) | st.integers(-3, 10**15) | st.sampled_from((1, 0.5, 5e-324, -0.0))
ROWS = st.lists(
    st.tuples(st.sampled_from(("q1", "1", "é,")) | IDS, IDS, NUMBERS),
    unique_by=lambda row: row[:2],
    min_size=1,
    max_size=12,
)


class Kept:
    """What a reader made of a file, in full."""

    @staticmethod
    def of(source: Source, kind: str, given: Settings) -> list[object]:
        if kind == "relevance":
            judged = qrels.read(source, given)
            spans = zip(judged.query, judged.document_start, judged.document_length, judged.grade, strict=True)
            return sorted((judged.queries[q], judged.text[s : s + n].tobytes(), float(g)) for q, s, n, g in spans)

        def rows(block: Block) -> list[object]:
            if block.score.uncertain is not None:
                block.score.settle(block.score.uncertain.nonzero()[0])
            spans = zip(block.query, block.start, block.length, block.score.value, strict=True)
            return [(block.queries[q], block.text[s : s + n].tobytes(), float(v)) for q, s, n, v in spans]

        return sorted(row for kept in runs.read(source, rows, given)[0] for row in kept)


@pytest.mark.parametrize("kind", ["relevance", "score"])
@pytest.mark.parametrize(
    "name", ["csv", "csv with all quoted", "csv with a column of text", "tsv", "json", "jsonl", "parquet"]
)
@settings(max_examples=40)
@given(rows=ROWS, size=st.integers(1, 300), ascii_only=st.booleans())
def test_every_id_and_number_arrives_as_it_was(kind, name, tmp_path_factory, rows, size, ascii_only):
    path = tmp_path_factory.getbasetemp() / f"made-{kind}-{name}"
    if name == "parquet":
        rows = [(query, document, float(number)) for query, document, number in rows]
    path.write_bytes(EVERY_WAY[name](rows, kind))
    expected = sorted((query.encode(), document.encode(), float(number)) for query, document, number in rows)
    form = name.split()[0]
    with patch.object(chunks, "SIZE", size), Source(str(path)) as source:
        assert expected == Kept.of(source, kind, Settings(qrels_format=form, run_format=form))


# What is refused

DEEP = b"[" * 100_000

REFUSED_RUNS = [
    ("csv", b"query_id,doc_id,score\nq1, d1,2\n", ":2: the document id ' d1' begins or ends with a blank"),
    ("csv", b"query_id,doc_id,score\nq1 ,d1,2\n", ":2: the query id 'q1 ' begins or ends with a blank"),
    ("csv", b"query_id,doc_id,score\nq1,d1,2 3\n", ":2: the score '2 3' is not a number"),
    ("csv", b"query_id;doc_id;score\nq1;d1;0,5\n", ":2: the score '0,5' is not a number"),
    (
        "csv",
        b"qid,topic_id,doc_id,score\nq1,a,d1,2\n",
        ": columns 'qid' and 'topic_id' could each be the query; --columns run:",
    ),
    ("csv", b"query_id,doc_id,rank\nq1,d1,0\n", ":2: the rank '0' is not a whole number above 0"),
    ("csv", b'query_id,doc_id,score\nq1,d1,2\n"q\t1",d2,3\n', ":3: the query id 'q\\t1' holds a control character"),
    ("csv", b'query_id,doc_id,score\nq1,"d\n1",2\n', ":2: the document id 'd\\n1' holds a control character"),
    ("csv", b"query_id,doc_id,score\nq1,d\x1b[2J,2\n", ":2: the document id 'd\\x1b[2J' holds a control character"),
    ("csv", b"query_id,doc_id,score\nq1,d\x7f,2\n", ":2: the document id 'd\\x7f' holds a control character"),
    ("csv", b"query_id,doc_id,score\nq1,,2\n", ":2: the document id is empty"),
    ("csv", b"query_id,doc_id,score\nq1,d1,\n", ":2: the score is empty"),
    ("csv", b"query_id,doc_id,score\nq1,d1, 2\n", ":2: the score ' 2' is not a number"),
    ("csv", b"query_id,doc_id,score\nq1,d1,high\n", ":2: the score 'high' is not a number"),
    ("csv", b"query_id,doc_id,score\nq1,d1\n", ":2: 2 fields in a record; expected 3 fields: query"),
    ("csv", b'query_id,doc_id,score\nq1,d1,"1"\nq1,"d,2",3,4\n', ":3: 4 fields in a record; expected 3"),
    ("csv", b'query_id,doc_id,score\nq1,d1,1\nq1,"d2,2\nq1,d3,3\n', ":3: the record cannot be read"),
    ("csv", b'query_id,doc_id,score\n\nq1,"d"2,2\n', ":3: the record cannot be read"),
    (
        "csv",
        b"query no,doc_id,score\nq1,d1,2\n",
        ": found no query column (query_id, qid, query …); there are 'query no', "
        "'doc_id', 'score'; add --columns 'run:query=query no'; query=- means that all rows are for one",
    ),
    ("csv", b"query_id,doc_id,score,score\nq1,d1,2,2\n", ": there are 2 columns 'score'"),
    ("csv", b"", ": the file is empty; expected a header such as query_id,doc_id,score"),
    ("csv", b"query_id,doc_id,score\n", ": the file holds no results"),
    (
        "csv",
        b"query_id,doc_id,score\nq1,d1,1\n\nq1,d1,2\n",
        ":4: document 'd1' is retrieved twice for query 'q1' (first on",
    ),
    ("tsv", b"query_id\tdoc_id\tscore\nq1\ta b \t\n", ":2: the document id 'a b ' begins or ends with a blank"),
    ("json", b'{"q1": {"d1": 1, "d1": 2}}', ", entry 2: the key 'd1' occurs twice for query 'q1'"),
    ("json", b'{"q1": {"d1": 1}, "q1": {"d2": 2}}', ", entry 2: the key 'q1' occurs twice among the queries"),
    ("json", b'{"q1": {"d1": NaN}}', ", entry 1: the score of document 'd1' for query 'q1' is NaN"),
    ("json", b'{"q1": {"d1": -Infinity}}', ", entry 1: the score of document 'd1' for query 'q1' is -Infinity"),
    (
        "json",
        b'{"q1": {"d1": "2"}}',
        ", entry 1: the score of document 'd1' for query 'q1' is a string; expected a number",
    ),
    ("json", b'{"q1": {"d1": true}}', ", entry 1: the score of document 'd1' for query 'q1' is true"),
    ("json", b'{"q1": {"d1": null}}', ", entry 1: the score of document 'd1' for query 'q1' is null"),
    ("json", b'{"q1": {"d1": {"a": 1}}}', ", entry 1: the score of document 'd1' for query 'q1' is an object"),
    (
        "json",
        b'{"q1": [1, 2]}',
        ", entry 1: query 'q1' has an array; expected an object of documents and scores",
    ),
    ("json", b'{"q1": 7}', ", entry 1: query 'q1' has a number"),
    ("json", b'{" q1": {"d1": 1}}', ", entry 1: the query id ' q1' begins or ends with a blank"),
    ("json", b'{"q1": {"d\\n1": 1}}', ", entry 1: the document id 'd\\n1' holds a control character"),
    ("json", b'{"q1": {"": 1}}', ", entry 1: the document id is empty"),
    ("json", b'{"q1": {"\\ud800": 1}}', ", entry 1: the document id '\\ud800' holds a control character"),
    ("json", b'{"q1": {"d1": 1}', ", entry 2: this is not JSON: expecting ',' or '}' (line 1, column 17)"),
    ("json", b'{"q1": {"d1": 1}}\n{', ", entry 2: this is not JSON: data follow its end (line 2, column 1)"),
    ("json", b'{"q1": {"d1": 1},\n "q\xff": {"d1": 1}}', ": this is not JSON: it is not UTF-8 (line 2, column 4)"),
    ("json", b'{"q1": {"d1": ' + DEEP, ", entry 1: this is not JSON: values are nested too deeply"),
    ("json", DEEP, ", entry 1: this is not JSON: values are nested too deeply"),
    ("json", b"q1 Q0 d1 1 2 run\n", ", entry 1: this is not JSON: expecting '{' or '['"),
    ("json", b"", ", entry 1: this is not JSON: expecting '{' or '['"),
    ("json", b"{}", ": the file is empty; expected lines such as"),
    (
        "jsonl",
        b'{"query_id": "q1", "doc_id": "d1"}\n',
        ": found no score field (score, sim, similarity …); there are 'query_id', 'doc_id'; add --order file",
    ),
    (
        "jsonl",
        b'\n{"query_id": "q1", "doc_id": 1.5, "score": 1}\n',
        ":2: the document id is a number; expected a string or",
    ),
    ("jsonl", b'{"query_id": null, "doc_id": "d1", "score": 1}\n', ":1: the query id is null"),
    ("jsonl", b'{"query_id": "q1", "doc_id": "d1", "score": "1"}\n', ":1: the score is a string; expected a number"),
    (
        "jsonl",
        b'{"query_id": "q1", "doc_id": "d1", "score": 1, "score": 2}\n',
        ":1: the key 'score' occurs twice in one object",
    ),
    (
        "jsonl",
        b'{"query_id": "q1", "doc_id": " ", "score": 1}\n',
        ":1: the document id ' ' begins or ends with a blank",
    ),
    (
        "jsonl",
        b'{"query_id": "q1", "doc_id": "d1", "score": Infinity}\n',
        ":1: the score is Infinity; expected a number",
    ),
    (
        "jsonl",
        b'{"query_id": "q1", "doc_id": "d1", "score": 1} {}\n',
        ":1: this is not JSON: data follow the record",
    ),
    ("jsonl", b'{"query_id": "q1", "doc_id": "d1",\n"score": 1}\n', ":1: this is not JSON:"),
    ("jsonl", b'{"query_id": "q1", "doc_id": "\xff", "score": 1}\n', ":1: this is not JSON: it is not UTF-8"),
    (
        "jsonl",
        b'{"query_id": "q1", "doc_id": "d1", "score": ' + DEEP + b"\n",
        ":1: this is not JSON: values are nested",
    ),
    ("jsonl", b"[1]\n", ":1: the record is an array; expected an object"),
    ("parquet", b"PAR1 and no more", ": the Parquet data are damaged"),
    ("parquet", b"q1 Q0 d1 1 2 run\n", ": the Parquet data are damaged"),
    ("arrow", b"ARROW1 and no more", ": the Arrow data are damaged"),
    ("arrow", b"\xff\xff\xff\xff\x10", ": the Arrow data are damaged"),
    ("arrow", b"q1 Q0 d1 1 2 run\n", ": the Arrow data are damaged"),
    ("msmarco", b"q1\td1\t1\t2.5\n", ":1: 4 fields in 'q1\\td1\\t1\\t2.5'; expected 3 fields: query document rank"),
    ("msmarco", b"q1\td1\tfirst\n", ":1: the rank 'first' is not a whole number above 0"),
    ("msmarco", b"q1\td1\t1\nq1\td2\t12.5\n", ":2: the rank '12.5' is not a whole number above 0"),
    ("msmarco", b"q1\td1\t0\n", ":1: the rank '0' is not a whole number above 0"),
    ("msmarco", b"q1\td1\t-3\n", ":1: the rank '-3' is not a whole number above 0"),
    ("msmarco", b"q1\td1\tinf\n", ":1: the rank 'inf' is not a whole number above 0"),
    ("msmarco", b"q1\td1\t1e-1\n", "expected a whole number such as 1; with scores it is --run-format trec3"),
    ("trec3", b"q1 d1 1 2.5\n", ":1: 4 fields in 'q1 d1 1 2.5'; expected 3 fields: query document score"),
    ("trec4", b"q1 d1 2.5\n", ":1: 3 fields in 'q1 d1 2.5'; expected 4 fields: query document rank score"),
    ("trec4", b"q1 d1 1 high\n", ":1: the score 'high' is not a number"),
    ("trec", BOM + b"q1 Q0 d1 1 2 run\n", ":1: the file begins with a byte order mark"),
    ("diversity", b"", "there is no format of runs 'diversity'; `irev formats` lists them all"),
    ("jason", b"", "there is no format of runs 'jason'; did you mean 'json'"),
]


@pytest.mark.parametrize(
    ("name", "data", "message"), REFUSED_RUNS, ids=[f"{name}:{message}"[:60] for name, _, message in REFUSED_RUNS]
)
def test_what_a_run_cannot_hold_is_refused_at_its_line(name, data, message, irev, tmp_path):
    (tmp_path / "qrels").write_bytes(trec(JUDGED, "relevance"))
    (tmp_path / "run").write_bytes(data)
    refused(irev("--run-format", name, str(tmp_path / "qrels"), str(tmp_path / "run")), message)


def parquet_bytes(**columns: object) -> bytes:
    file = io.BytesIO()
    parquet.write_table(pyarrow.table(columns), file)
    return file.getvalue()


@pytest.mark.parametrize(
    ("columns", "message"),
    [
        ({"score": [1, None]}, ", row 2: the score is null"),
        ({"score": [1.0, float("nan")]}, ", row 2: the score 'nan' is not a number"),
        ({"score": ["1", "2"]}, ": the column 'score' holds values of type string; expected numbers"),
        ({"score": [True, False]}, ": the column 'score' holds values of type bool"),
        ({"doc_id": ["d1", None]}, ", row 2: the document is null"),
        ({"doc_id": ["d1", "d 2 "]}, ", row 2: the document id 'd 2 ' begins or ends with a blank"),
        ({"doc_id": ["d1", "d\t2"]}, ", row 2: the document id 'd\\t2' holds a control character"),
        ({"doc_id": ["", "d2"]}, ", row 1: the document id is empty"),
        ({"doc_id": [0.5, 1.5]}, ": the column 'doc_id' holds values of type double; expected strings or"),
        ({"doc_id": ["d1", "d1"]}, ", row 2: document 'd1' is retrieved twice for query 'q1' (first in row 1)"),
        ({"query_id": [["q1"], ["q1"]]}, ": the column 'query_id' holds values of type list"),
    ],
)
def test_what_a_parquet_run_cannot_hold_is_refused_at_its_row(columns, message, irev, tmp_path):
    usual = {"query_id": ["q1", "q1"], "doc_id": ["d1", "d2"], "score": [2, 1]}
    (tmp_path / "qrels").write_bytes(trec(JUDGED, "relevance"))
    (tmp_path / "run").write_bytes(parquet_bytes(**usual | columns))
    refused(irev(str(tmp_path / "qrels"), str(tmp_path / "run")), message)


def test_a_parquet_file_without_the_column_names_those_that_it_has(irev, tmp_path):
    (tmp_path / "qrels").write_bytes(parquet_bytes(query_id=["q1"], answer=["d1"], relevance=[1]))
    done = irev(str(tmp_path / "qrels"), str(ROOT / "sample_data" / "keyword.run"))
    assert "there are 'query_id', 'answer', 'relevance'; add --columns qrels:document=NAME" in done.stderr


@pytest.mark.parametrize("at", [8, 100, -20])
def test_a_damaged_parquet_file_is_an_error_and_never_fewer_rows(at, irev, tmp_path):
    data = bytearray(EVERY_WAY["parquet"](RETRIEVED, "score"))
    data[at : at + 8 if at > 0 else at + 4] = b"\xff" * (8 if at > 0 else 4)
    (tmp_path / "qrels").write_bytes(trec(JUDGED, "relevance"))
    (tmp_path / "run").write_bytes(data)
    done = irev("-m", "num_ret", str(tmp_path / "qrels"), str(tmp_path / "run"))
    assert 2 == done.status or b"\t7\n" in done.stdout


def test_without_pyarrow_the_message_says_what_to_install(irev, tmp_path):
    (tmp_path / "run.parquet").write_bytes(EVERY_WAY["parquet"](RETRIEVED, "score"))
    with patch.dict(sys.modules, {"pyarrow": None, "pyarrow.parquet": None}):
        done = irev(str(ROOT / "sample_data" / "qrels.txt"), str(tmp_path / "run.parquet"))
    expected = f"irev: error: {tmp_path / 'run.parquet'}: pyarrow is needed to read Parquet; pip install pyarrow\n"
    assert (2, expected) == (done.status, done.stderr)


@pytest.mark.parametrize(
    ("name", "data", "message"),
    [
        (
            "csv",
            b"query_id,doc_id,relevance\nq1,d1,1\nq1,d1,0\n",
            ":3: document 'd1' is judged twice for query 'q1' (first",
        ),
        (
            "csv",
            b"query_id;doc_id;relevance\nq1;d1\n",
            ":2: 2 fields in a record; expected 3 fields: query_id;doc_id;r",
        ),
        ("csv", b"query_id,doc_id,relevance\nq1,d1,high\n", ":2: the grade 'high' is not a number"),
        ("json", b'{"q1": {"d1": 1e300}}', ", entry 1: the grade '1e300' is too large"),
        ("json", b'{"q1": {"d1": Infinity}}', ", entry 1: the grade of document 'd1' for query 'q1' is Infinity"),
        (
            "jsonl",
            b'{"query_id": "q1", "doc_id": "d1", "relevance": [1]}',
            ":1: the grade is an array; expected a number",
        ),
        ("beir", b"query_id\tdoc_id\trelevance\n", ": there is no column 'query-id'"),
        ("trec3", b"q1 d1\n", ":1: 2 fields in 'q1 d1'; expected 3 fields: query document grade"),
        ("msmarco", b"q1\td1\nq1\t0\td2\t1\n", ":2: 4 fields in"),
        ("trec", BOM + b"q1 0 d1 1\n", ":1: the file begins with a byte order mark"),
    ],
)
def test_what_judgments_cannot_hold_is_refused_at_its_line(name, data, message, irev, tmp_path):
    (tmp_path / "qrels").write_bytes(data)
    refused(irev("--qrels-format", name, str(tmp_path / "qrels"), str(ROOT / "sample_data" / "keyword.run")), message)


@pytest.mark.parametrize("size", [1, 16, 1 << 21])
@pytest.mark.parametrize(
    ("name", "data"),
    [
        ("csv", b"query_id,doc_id,score\nq1,d1,1\nq1,d2,x\nq1,d3 ,2\n"),
        ("csv", b"query_id,doc_id,score\nq1,d1,1\nq1,d2 ,1\nq1,d3,x\n"),
        (
            "jsonl",
            b'{"query_id": "q1", "doc_id": "d1", "score": 1}\n\n{"query_id": "q1", "doc_id": "d1", "score": 2}\n{',
        ),
        ("json", b'{"q1": {"d1": 1, "d2": 1},\n"q2": {"d1": 1, "d1": 2},\n"q2": {'),
    ],
)
def test_the_earliest_fault_is_the_one_that_is_named(name, data, size, irev, tmp_path):
    (tmp_path / "run").write_bytes(data)
    with patch.object(chunks, "SIZE", size):
        done = irev("--run-format", name, str(ROOT / "sample_data" / "qrels.txt"), str(tmp_path / "run"))
    assert f"{tmp_path / 'run'}{', entry 4' if name == 'json' else ':3'}: " in done.stderr


SWALLOWING = b'query_id,doc_id,score,text\nq1,d1,3,"5 inch\nq1,d2,2,plain\nq1,d3,1,6 inch"\nq1,d4,0,x\n'


@pytest.mark.parametrize("size", [1, 16, 1 << 21])
@pytest.mark.parametrize(
    ("name", "data"),
    [
        ("csv", SWALLOWING),
        ("tsv", SWALLOWING.replace(b",", b"\t")),
        ("csv", b'query_id,text,doc_id,score\r\nq1,"5 inch,d1,3\r\n\r\nq1,6 inch",d3,1\r\n'),
    ],
)
def test_a_quotation_mark_in_a_text_swallows_no_lines(name, data, size, irev, tmp_path):
    (tmp_path / "run").write_bytes(data)
    with patch.object(chunks, "SIZE", size):
        done = irev("--run-format", name, str(ROOT / "sample_data" / "qrels.txt"), str(tmp_path / "run"))
    assert (
        f"{tmp_path / 'run'}:2: a field in quotation marks continues to line 4, over lines that are complete"
        in done.stderr
    )
    assert (2, b"") == (done.status, done.stdout)


def test_a_text_of_several_lines_may_hold_separators(tmp_path):
    (tmp_path / "run").write_bytes(b'query_id,text,score,doc_id\nq1,"one, two,\nthree, four",2,d1\n')
    assert {"q1": 1.0} == package.evaluate({"q1": {"d1": 1}}, tmp_path / "run", ["AP"]).per_query["AP"]


def test_an_ignored_text_may_be_as_long_as_a_line(tmp_path):
    text = b'"%b, or so"' % (b"x" * 3_000_000)
    (tmp_path / "run").write_bytes(b"query_id,text,score,doc_id\nq1,%b,2,d1\n" % text)
    assert {"q1": 1.0} == package.evaluate({"q1": {"d1": 1}}, tmp_path / "run", ["AP"]).per_query["AP"]


def test_a_column_of_texts_is_not_taken_for_the_ids_beside_it(irev, tmp_path):
    (tmp_path / "run").write_text("query,id,document,score\nq1,d01,some text,2\n")
    sample, run = str(ROOT / "sample_data" / "qrels.txt"), str(tmp_path / "run")
    said = "columns 'document' and 'id' could each be the document; --columns run:document=NAME chooses one"
    assert (2, f"irev: error: {run}: {said}\n") == (irev(sample, run).status, irev(sample, run).stderr)
    assert 0 == irev("--columns", "document=id", sample, run).status


def test_all_faults_are_found_when_they_are_collected(tmp_path):
    (tmp_path / "run").write_bytes(b'query_id,doc_id,score\nq1,d1 ,1\nq1,d2,x\nq1,,1\nq1,"d4",1,1\nq1,d5,1\n')
    faults = Faults(10)
    with Source(str(tmp_path / "run")) as source:
        kept, reading = runs.read(source, lambda block: len(block.query), Settings(), faults=faults)
    found = sorted((problem.line, problem.code) for problem in faults.problems)
    assert [(2, "E110"), (3, "E105"), (4, "E110"), (5, "E101")] == found
    assert (1, 6) == (sum(kept), reading.lines)


def test_a_query_that_cannot_be_read_counts_as_one_entry(tmp_path):
    (tmp_path / "run").write_bytes(
        b'{"q1 ": {"d1": 1, "d2": 2}, "q2": {"d1": 1, "d2": "x"}, "q3": 5, "q4": {"d1 ": 1}}'
    )
    faults = Faults(10)
    with Source(str(tmp_path / "run")) as source:
        runs.read(source, lambda block: len(block.query), Settings(run_format="json"), faults=faults)
    found = sorted((problem.line, problem.code) for problem in faults.problems)
    assert [(1, "E110"), (3, "E113"), (4, "E113"), (5, "E110")] == found


def test_columns_that_have_two_roles_are_refused(irev):
    sample = str(ROOT / "sample_data" / "qrels.txt")
    done = irev("--columns", "query=a,document=a", sample, str(ROOT / "sample_data" / "keyword.run"))
    assert (2, "one column is given for two roles" in done.stderr) == (done.status, True)


# Recognition


@pytest.mark.parametrize(
    ("name", "head"),
    [
        ("parquet", b"PAR1\x15\x04"),
        ("json", b'{"q1": {"d1": 1'),
        ("json", b' \n{\n  "q\\"1": {}'),
        ("json", b'[{"query_id": '),
        ("json", b"{}\n"),
        ("json", BOM + b'{"q1": {"d1": 1'),
        ("jsonl", b'{"query_id": "q1"'),
        ("jsonl", b'{"doc_id": 7, "query_id": "q1"'),
        ("csv", b"query_id,doc_id,relevance,score\nq1,d1,1,1\n"),
        ("csv", BOM + b'"score","doc_id","relevance","query_id"\r\n'),
        ("csv", b'"a title, and more",score,query_id,doc_id,relevance\n'),
        ("tsv", b"query_id\tdoc_id\trelevance\tscore\n"),
        ("csv", b"qid,docno,rel,sim\nq1,d1,1,1\n"),
        ("csv", b"query_id;doc_id;relevance;score\nq1;d1;1;1\n"),
        ("csv", b"qid,query,docno,label,score\nq1,a,d1,1,1\n"),
        ("tsv", b"QID\tDocNo\tLabel\tRank\n"),
        ({"judgments": "beir", "runs": "tsv"}, b"query-id\tcorpus-id\tscore\n1\t2\t3\n"),
        ({"judgments": "beir", "runs": "tsv"}, b"query-id\tcorpus-id\tscore\r\n1\t2\t3\r\n"),
        ({"judgments": "tsv", "runs": "tsv"}, b"query-id\tcorpus-id\tscore\tmore\n"),
        ({"judgments": None, "runs": "csv"}, b"q_id,doc_id,score\n"),
        ({"judgments": "csv", "runs": None}, b"userId,movieId,rating,timestamp\n"),
        (None, b"query-id corpus-id score\n"),
        (None, b"query_id,doc_id\n"),
        (None, b"query_id doc_id relevance score\n"),
        (None, b"{q1} 0 d1 1\n"),
        (None, b'{"q1" 0 d1 1\n'),
        (None, b"[1] 0 d1 1\n"),
        (None, b"q1 0 PAR1 1\n"),
        (None, b"q1\t0\td1\t1\n"),
        (None, b"q1 d1 1\n"),
        (None, b"q1\td1\t1\n"),
        (None, b""),
    ],
)
def test_a_format_is_recognised_where_it_is_certain(name, head):
    for kind, given_table in (("judgments", JUDGMENTS), ("runs", RUNS)):
        expected = name.get(kind) if isinstance(name, dict) else name if name in given_table else None
        found = formats.recognised(given_table, head, Settings())
        assert expected == (found and found.name)


@pytest.mark.parametrize(
    ("kind", "line", "hint"),
    [
        ("qrels", b"q1 d1 1", "; perhaps it needs --qrels-format trec3\n"),
        ("qrels", b"q1 d1 d2\nq1 d3 d2", "; perhaps it needs --qrels-format pairs\n"),
        ("qrels", b"1 7 8\n1 8 9", "expected 4 fields: query 0 document grade\n"),  # a grade, or a worse document?
        ("qrels", b"1 7 2\n1 8 2", "; perhaps it needs --qrels-format trec3\n"),
        ("qrels", b"q1 d1 1 4 0.5", "; perhaps it needs --qrels-format prels\n"),
        ("qrels", b"q1 0 d1 1 1\nq1 0 d2 2 -1", "; perhaps it needs --qrels-format strata\n"),
        ("qrels", b"q1 a s1 d1 2\nq1 a s1 d2 1", "; perhaps it needs --qrels-format prefs\n"),
        ("qrels", b"q1 d1 1 1 1.5", "expected 4 fields: query 0 document grade\n"),
        ("qrels", b"q1\td1", "; perhaps it needs --qrels-format msmarco\n"),
        (
            "qrels",
            b"q,id,rel",
            "; add --columns qrels:query=q,qrels:document=id; query=- means that all rows are for one query\n",
        ),
        ("qrels", b'{"q1": ["d1"]}', "; perhaps it needs --qrels-format lists\n"),
        ("qrels", b"q1 0 d1", "expected 4 fields: query 0 document grade\n"),
        ("run", b"q1\td1\t1", "expected 6 fields: query Q0 document rank score tag\n"),  # judgments, or a rank?
        ("run", b"q1 d1 1\nq1 d2 2\nq2 d1 1", "; perhaps it needs --run-format msmarco\n"),
        ("run", b"q1 d1 12.5", "; perhaps it needs --run-format trec3\n"),
        ("run", b"q1\td1\t3\nq1\td2\t2", "expected 6 fields: query Q0 document rank score tag\n"),
        ("run", b"q1 d1 1\nq1 d2 0.5", "; perhaps it needs --run-format trec3\n"),
        ("run", b"q1 d1 5\nq2 d2 6", "; perhaps it needs --run-format trec3\n"),
        ("run", b"q1 d1 1 12.5", "; perhaps it needs --run-format trec4\n"),
        ("run", b"q1 d1 1 x", "expected 6 fields: query Q0 document rank score tag\n"),
        ("run", b"q1\tQ0\td1\t1\t2.5", "expected 6 fields: query Q0 document rank score tag\n"),
        ("run", b"q1,d1,0.5", "; with commas it needs a header: query_id,doc_id,score\n"),
        ("qrels", b"q1;0;d1;1", "; with semicolons it needs a header: query_id;iteration;doc_id;relevance\n"),
        ("qrels", b"q1,d1", "expected 4 fields: query 0 document grade\n"),
        ("qrels", b"q1 d1", "; perhaps it needs --qrels-format msmarco\n"),
        (
            "qrels",
            b"q1 0 d1 highly relevant",
            "; a grade of several words is written with _ between them, as highly_relevant\n",
        ),
        ("run", b"q1 Q0 d1 1 2.5", "expected 6 fields: query Q0 document rank score tag\n"),
    ],
)
def test_lines_that_are_not_trecs_get_the_likely_format_named(kind, line, hint, irev, tmp_path):
    files = {"qrels": ROOT / "sample_data" / "qrels.txt", "run": ROOT / "sample_data" / "keyword.run"}
    files[kind] = tmp_path / "file"
    files[kind].write_bytes(line + b"\n")
    done = irev(*map(str, files.values()))
    assert (2, hint) == (done.status, done.stderr[-len(hint) :])


@pytest.mark.parametrize("kind", ["qrels", "run"])
def test_lines_that_end_in_carriage_returns_alone_are_refused_as_that(kind, irev, tmp_path):
    files = {"qrels": ROOT / "sample_data" / "qrels.txt", "run": ROOT / "sample_data" / "keyword.run"}
    old = files[kind].read_bytes().replace(b"\n", b"\r")
    files[kind] = tmp_path / "file"
    files[kind].write_bytes(old)
    done = irev(*map(str, files.values()))
    said = f"irev: error: {files[kind]}: lines end in carriage returns alone; end them in line feeds: tr '\\r' '\\n'\n"
    assert (2, b"", said) == done


def test_a_carriage_return_within_or_behind_a_single_line_is_white_space(irev, tmp_path):
    (tmp_path / "qrels").write_bytes(b"q1 0 d1 1\r")
    (tmp_path / "run").write_bytes(b"q1\rQ0\rd1\r1\r2\rt")
    assert b"1.0000" in irev("-m", "AP", str(tmp_path / "qrels"), str(tmp_path / "run")).stdout


def test_a_named_format_is_not_second_guessed(irev, tmp_path):
    (tmp_path / "run").write_bytes(b'{"q1": {"d01": 1}}\n')
    done = irev("--run-format", "trec", str(ROOT / "sample_data" / "qrels.txt"), str(tmp_path / "run"))
    assert "expected 6 fields" in done.stderr


# The table of formats


@pytest.mark.parametrize("form", [*JUDGMENTS.values(), *RUNS.values()], ids=lambda form: form.name)
def test_every_format_is_described_and_its_example_is_read(form, tmp_path):
    assert form.description.endswith(".")
    if form.name in ("parquet", "arrow", "xlsx") or form.beside:
        return  # its example shows what the columns hold, or is no file of its own
    (tmp_path / "example").write_text(form.example, encoding="utf-8", newline="")
    given_ = Settings(qrels_format=form.name, run_format=form.name)
    kind = "relevance" if form in JUDGMENTS.values() else "score"
    with Source(str(tmp_path / "example")) as source:
        if form.kind.name != GRADES:
            assert 2 == len(qrels.read(source, given_).details.grade)
            return
        assert 2 == len(Kept.of(source, kind, given_))


def test_which_format_is_recognised_does_not_depend_on_the_order_of_import():
    """Extensions are imported last, or sooner where somebody imports one."""
    texts = [form.example.encode() for table in (JUDGMENTS, RUNS) for form in table.values()]
    texts += [path.read_bytes()[: formats.HEAD] for path in (ROOT / "tests" / "corpus").iterdir()]
    known = 0
    for table_of_formats in (JUDGMENTS, RUNS):
        backwards = dict(reversed([*table_of_formats.items()]))
        for text in texts:
            found = formats.recognised(table_of_formats, text, Settings())
            assert found is formats.recognised(backwards, text, Settings()), text
            known += found is not None
    assert known >= 40


def test_a_new_format_is_a_record_and_nothing_else(irev, tmp_path):
    """Lines that begin with the document: named, recognised, listed and read by what its record says."""
    layout = Layout(("document", "query", "grade"), True, False, "none", "document query grade")
    reversed_ = Format(
        name="reversed",
        description="Document, query and grade.",
        example="d01 q1 2\n",
        lines=lambda source, settings, faults: (layout, source),
        recognised=lambda head, settings: head.startswith(b"d01 "),
    )
    (tmp_path / "qrels").write_bytes(b"d01 q1 2\nd02 q1 0\n")
    (tmp_path / "same").write_bytes(b"q1 0 d01 2\nq1 0 d02 0\n")
    arguments = ("-D", "0.q1", "-m", "all_trec")
    run = str(ROOT / "sample_data" / "keyword.run")
    with patch.dict(JUDGMENTS._made, {"reversed": reversed_}):
        expected = irev(*arguments, str(tmp_path / "same"), run)
        assert expected == irev(*arguments, str(tmp_path / "qrels"), run)
        assert expected == irev(*arguments, "--qrels-format", "reversed", str(tmp_path / "qrels"), run)
        assert b"  reversed\n    Document, query and grade.\n      d01 q1 2\n" in irev("formats").stdout


def test_a_new_kind_of_judgments_is_a_format_and_a_measure(irev, tmp_path):
    """Documents judged for parts of a query: read, checked, evaluated and shown by what two records say."""
    layout = Layout(("query", "group", "document", "grade"), True, False, "none", "query part document grade")
    parts = Format(
        name="in-parts",
        description="Query, part, document and grade.",
        example="q1 a d01 2\n",
        lines=lambda source, settings, faults: (layout, source),
        kind=JudgmentKind("parts"),
    )

    def parts_found(ranked):
        """How many parts of the query the results are relevant to."""
        owner, row = ranked.details.rows(ranked.judgment)
        there = ranked.details.grade[row] >= ranked.settings.level
        found = {*zip(ranked.owner[owner][there].tolist(), ranked.details.group[row][there].tolist(), strict=True)}
        return np.array([sum(query == i for query, _ in found) for i in range(ranked.size)])

    (tmp_path / "qrels").write_bytes(b"q1 a d01 2\nq1 b d01 1\nq1 b d02 1\nq1 c d03 0\nq2 a d01 0\n")
    (tmp_path / "grades").write_bytes(b"q1 0 d01 2\nq1 0 d02 1\nq1 0 d03 0\nq2 0 d01 0\n")
    (tmp_path / "run").write_bytes(b"q1 Q0 d01 1 3 x\nq1 Q0 d03 2 2 x\nq2 Q0 d01 1 1 x\n")
    (tmp_path / "again").write_bytes(b"q1 a d01 2\nq1 b d01 1\nq1 b d01 2\n")
    qrels, grades, run, again = (str(tmp_path / name) for name in ("qrels", "grades", "run", "again"))
    option = ("--qrels-format", "in-parts")
    with patch.dict(JUDGMENTS._made, {"in-parts": parts}), patch.dict(MEASURES._made):
        measure("parts", standard="Parts", kind="count", of="parts")(parts_found)
        done = irev("-q", "-m", "parts", *option, qrels, run)
        assert (
            b"parts                 \tq1\t2\nparts                 \tq2\t0\nparts                 \tall\t2\n"
            == done.stdout
        )
        # Whatever looks at grades sees the highest one of each document.
        expected = irev("-q", "-m", "all_trec", grades, run)
        found = irev("-q", "-m", "all_trec", *option, qrels, run)
        assert expected == found._replace(stderr=found.stderr.replace(qrels, grades))
        refused = irev("-m", "parts", grades, run)
        assert 2 == refused.status
        assert (
            "irev: error: the measure 'parts' needs judgments of parts, and these are of grades;"
            " --qrels-format in-parts reads them\n" == refused.stderr
        )
        refused = irev(*option, again, run)
        assert (
            f"irev: error: {again}:3: document 'd01' is judged twice for query 'q1', part 'b' (first on line 2);"
            " keep one of the two lines\n" == refused.stderr
        )
        assert b"Judgments    of parts\n" in irev("measures", "parts").stdout
        refused = irev("convert", "--content", "qrels", *option, qrels, str(tmp_path / "converted.csv"))
        assert (
            f"irev: error: {qrels}: these are judgments of parts; a conversion would keep only their grades;"
            " irev eval reads them unchanged\n" == refused.stderr
        )
        assert not (tmp_path / "converted.csv").exists()
        found = irev("validate", *option, again)
        assert (1, True) == (found.status, b"document 'd01' is judged twice for query 'q1', part 'b'" in found.stdout)


def test_formats_are_listed_with_an_example_of_each(irev):
    done = irev("formats")
    assert (0, "") == (done.status, done.stderr)
    judgments, _, of_runs = done.stdout.decode().partition("\nRuns (--run-format)\n")
    for given_table, text in ((JUDGMENTS, judgments), (RUNS, of_runs)):
        for form in given_table.values():
            example = "".join(f"      {line}\n" for line in form.example.splitlines())
            assert f"\n  {form.name}\n    {form.description}\n{example}" in text
    assert "\x1b" not in done.stdout.decode()


def test_rewritten_sources_begin_anew_when_they_are_rewound(tmp_path):
    (tmp_path / "run").write_bytes(EVERY_WAY["json"](RETRIEVED, "score"))
    with Source(str(tmp_path / "run")) as source:
        _, stream = formats.opened(RUNS, None, source, Settings(), Faults())
        first = chunks.read_all(stream)
        stream.rewind()
        again = chunks.read_all(stream)
    assert first.text[first.begin : first.end].tobytes() == again.text[again.begin : again.end].tobytes()


# What is certainly TREC's

TOKENS = (
    *("1", "q1", "0", "Q0", "-1", "2.5", "L1", "qid:1", "1:0.5", "query_id", "doc_id", "relevance", "score", "#c", ""),
    *(
        "[",
        "{",
        '{"query_id": "1",',
        '"doc_id":',
        "topic",
        "docid",
        "PAR1",
        "1,2",
        ",",
        "query-id",
        "corpus-id",
        "rank",
    ),
)


@given(
    st.lists(st.lists(st.sampled_from(TOKENS), max_size=8), min_size=1, max_size=4),
    st.sampled_from((" ", "\t", ",", "  ")),
    st.sampled_from(("\n", "\r\n")),
)
@settings(max_examples=500)
def test_what_is_certainly_trecs_is_recognised_as_nothing_else(lines, separator, end):
    head = "".join(separator.join(line) + end for line in lines).encode()
    for table_of_formats in (JUDGMENTS, RUNS):
        if formats.trec.certainly(table_of_formats, head):
            assert formats.recognised(table_of_formats, head, Settings()) is None


def test_examples_are_certainly_trecs_where_they_are():
    for table_of_formats in (JUDGMENTS, RUNS):
        examples = {form.name: form.example.encode() for form in table_of_formats.values()}
        found = {name for name, example in examples.items() if formats.trec.certainly(table_of_formats, example)}
        assert {"trec"} == found - {"msmarco", "subtopics", "qrels_prefs"}, "whose judgments are the same lines"
    assert formats.trec.certainly(JUDGMENTS, b"#query iteration document grade\n401 0 FBIS3-1 1\r\n")
    assert formats.trec.certainly(RUNS, b"301\tQ0\tFR-1\t0\t-2.5\tt\n")
    assert not formats.trec.certainly(RUNS, b"301 Q0 FR-1 0 nan t\n"), "which all formats are asked about"


def test_a_small_evaluation_imports_no_other_format():
    code = "import sys; from irev.cli import run; run(sys.argv[1:]); print(*sorted(sys.modules), file=sys.stderr)"
    command = [sys.executable, "-c", code, "-mmap", "sample_data/qrels.txt", "sample_data/keyword.run"]
    found = subprocess.run(command, cwd=ROOT, env=environment(), capture_output=True, text=True, check=True)
    modules = {name for name in found.stderr.split() if name.startswith(("irev.reading.formats.", "irev.extensions."))}

    assert {"irev.reading.formats.trec"} == modules


def test_columns_that_are_named_are_looked_for_in_a_header_of_numbers(tmp_path):
    """As pandas writes a frame whose columns have no names."""
    (tmp_path / "qrels").write_text("1 0 d1 1\n1 0 d2 0\n")
    (tmp_path / "run.tsv").write_text("0\t1\t2\t3\t4\t5\n1\t0\td1\t1\t2.5\tt\n1\t0\td2\t2\t1.5\tt\n")
    named = {"query": "0", "document": "2", "score": "3"}
    for option in ("", "run:"):
        qrels = "qrels" if option else tmp_path / "qrels.csv"
        if not option:
            qrels.write_text("0,2,grade\n1,d1,1\n1,d2,0\n")
        columns = {option + role: name for role, name in named.items()}
        found = package.evaluate(tmp_path / qrels, tmp_path / "run.tsv", ["AP"], columns=columns)
        assert {"AP": 0.5} == found.mean()


PYTERRIER = ("qid,docid,docno,rank,score,query", "1,77,d1,0,2.5,rambo first blood", "2,78,d2,0,2.5,topic of others")


@pytest.mark.parametrize("names", ["qid,query,docno,label", "q_id,topic,doc_id,rel", "query,topic_id,docid,rel"])
def test_texts_of_queries_are_not_taken_for_ids_where_ids_are_beside_them(names, tmp_path):
    """As in PyTerrier's frames, of which the number of a document in the index is no id either."""
    rows = [("rambo first blood", "1", "d1", "1"), ("topic of others", "2", "d2", "1")]
    order = (0, 1, 2, 3) if names.startswith("query") else (1, 0, 2, 3)
    text = "".join(",".join(row[i] for i in order) + "\n" for row in rows)
    (tmp_path / "qrels.csv").write_text(f"{names}\n{text}")
    (tmp_path / "run.csv").write_text("\n".join(PYTERRIER) + "\n")
    assert {"P@1": 1.0, "NumQ": 2} == package.evaluate(
        tmp_path / "qrels.csv", tmp_path / "run.csv", ["P@1", "NumQ"]
    ).mean()
    pandas = pytest.importorskip("pandas")
    frame = pandas.read_csv(tmp_path / "run.csv", dtype={"qid": str})
    judged = pandas.read_csv(tmp_path / "qrels.csv", dtype={"qid": str, "q_id": str, "topic_id": str})
    assert {"P@1": 1.0} == package.evaluate(judged, frame, "P@1").mean()


@pytest.mark.parametrize("indent", [1, 4, "\t"])
def test_records_may_be_spread_over_lines(indent, tmp_path):
    """As jq and editors write them; the first line, a brace, was called no JSON."""
    judged = [{"query_id": "q1", "doc_id": "d1", "relevance": 1, "more": {"a": [1, 2]}}, {**JUDGED_RECORD}]
    found = [{"query_id": "q1", "doc_id": d, "score": s} for d, s in (("d2", 2.5), ("d1", 1.5))]
    for name, records in (("qrels", judged), ("run", found)):
        (tmp_path / name).write_text("\n".join(json.dumps(record, indent=indent) for record in records) + "\n")
    expected = package.evaluate({"q1": {"d1": 1, "d2": 0}}, {"q1": {"d2": 2.5, "d1": 1.5}}, ["AP", "NumRet"])
    for formats_named in ({}, {"qrels_format": "jsonl", "run_format": "jsonl"}):
        found = package.evaluate(tmp_path / "qrels", tmp_path / "run", ["AP", "NumRet"], **formats_named)
        assert expected.per_query == found.per_query
    (tmp_path / "run").write_text(json.dumps(judged[0] | {"score": "high"}, indent=indent))
    with pytest.raises(InputError, match="run, entry 1: the score is a string; expected a number"):
        package.evaluate(tmp_path / "qrels", tmp_path / "run", "AP")


JUDGED_RECORD = {"query_id": "q1", "doc_id": "d2", "relevance": 0}


WORDS = {
    "qrels": "q1 0 a Relevant\nq1 0 b nonrelevant\nq1 0 c Not-Relevant\nq1 0 d true\nq1 0 e yes\n",
    "qrels.csv": 'query_id,doc_id,relevance\nq1,a,Relevant\nq1,b,not relevant\nq1,c,"IRRELEVANT"\nq1,d,yes\nq1,e,yes\n',
    "blanks.csv": "query_id,doc_id,relevance\nq1,a, Relevant \nq1,b,not  relevant\nq1,c,no\nq1,d,yes\nq1,e,yes\n",
    "qrels.jsonl": "".join(
        f'{{"query_id": "q1", "doc_id": "{document}", "grade": {grade}}}\n'
        for document, grade in zip("abcde", ('"Relevant"', '"not relevant"', '"no"', '"true"', '"yes"'), strict=True)
    ),
}


@pytest.mark.parametrize("name", WORDS)
def test_words_for_relevant_and_not_relevant_are_grades(irev, tmp_path, name):
    (tmp_path / name).write_text(WORDS[name])
    (tmp_path / "run").write_text("".join(f"q1 Q0 {document} 1 {9 - n} t\n" for n, document in enumerate("abcde")))
    done = irev("eval", "-q", "-n", "-m", "relstring", str(tmp_path / name), str(tmp_path / "run"))

    assert "relstring             \tq1\t'10011'\n" == done.stdout.decode(), done.stderr


@pytest.mark.parametrize("name", WORDS)
def test_a_word_among_numbers_is_no_grade(irev, tmp_path, name):
    text = WORDS[name].replace("yes", "2").replace('"2"', "2")
    (tmp_path / name).write_text(text)
    (tmp_path / "run").write_text("q1 Q0 a 1 9 t\n")
    done = irev("eval", str(tmp_path / name), str(tmp_path / "run"))
    refused(
        done, "the grade 'Relevant' is not a number; expected a grade such as 0, 1 or 0.5; --grade-words FILE gives"
    )


@pytest.mark.parametrize(
    ("name", "content", "line"),
    [
        ("qrels", "q1 0 a Relevant\nq1 0 b great\n", 2),
        ("qrels", "q1 0 a great\nq1 0 b Relevant\n", 1),
        ("qrels.csv", "query_id,doc_id,relevance\nq1,a,Relevant\nq1,b,great\n", 3),
        ("qrels.jsonl", '{"query_id": "q1", "doc_id": "a", "grade": "great"}\n', 1),
    ],
)
def test_other_words_are_no_grades(irev, tmp_path, name, content, line):
    (tmp_path / name).write_text(content)
    (tmp_path / "run").write_text("q1 Q0 a 1 1 t\n")
    refused(irev("eval", str(tmp_path / name), str(tmp_path / "run")), f"{name}:{line}: the grade")


WIDE = [f"column{number}" for number in range(8000)]
LONG_TEXT = "x" * 90_000


@pytest.mark.parametrize(
    "content",
    [
        ",".join(["query_id", *WIDE, "doc_id", "score"])
        + "\n"
        + ",".join(["q1", *["0"] * len(WIDE), "d1", "2"])
        + "\n",
        json.dumps({"query_id": "q1", "id": "d2", "text": LONG_TEXT, "doc_id": "d1", "score": 2}) + "\n",
        json.dumps([{"query_id": "q1", "id": "d2", "text": LONG_TEXT, "doc_id": "d1", "score": 2}], indent=1) + "\n",
        " " * 70_000 + '{"q1": {"d1": 2.5}}',
        "\n" * 70_000 + '{"query_id": "q1", "doc_id": "d1", "score": 2.5}\n',
        "\ufeff" + " \n" * 40_000 + '[{"query_id": "q1", "doc_id": "d1", "score": 2.5}]',
    ],
    ids=["header", "record", "record in an array", "blanks", "empty lines", "mark and blanks"],
)
def test_a_format_is_recognised_by_the_whole_of_the_first_record(irev, tmp_path, content):
    (tmp_path / "qrels").write_bytes(b"q1 0 d1 1\nq1 0 d2 0\n")
    (tmp_path / "run").write_text(content, encoding="utf-8")

    assert b"1.0000" == irev("eval", "-m", "map", str(tmp_path / "qrels"), str(tmp_path / "run")).stdout.split()[-1]


def test_a_first_record_that_is_too_long_to_be_known_is_refused(irev, tmp_path, monkeypatch):
    for name in ("irev.reading.formats.LONGEST", "irev.reading.formats.json_text.LONGEST"):
        monkeypatch.setattr(name, 1 << 18)
    (tmp_path / "qrels").write_bytes(b"q1 0 d1 1\n")
    record = {"query_id": "q1", "id": "d2", "text": LONG_TEXT * 4, "doc_id": "d1", "score": 2}
    (tmp_path / "run").write_text(json.dumps([record]))
    given = ("eval", "-m", "num_rel_ret", str(tmp_path / "qrels"), str(tmp_path / "run"))

    fact = "run: the first record is longer than 256 kB, so that its fields are not known; name its fields by --columns"
    refused(irev(*given), fact)
    named = irev(*given, "--columns", "run:query=query_id,run:document=doc_id,run:score=score")
    assert b"1" == named.stdout.split()[-1]


def test_a_log_behind_many_blanks_is_recognised(irev, tmp_path):
    record = '{"event": "impression", "impression": "1", "results": ["d1", "d2"], "teams": ["A", "B"]}'
    for name, before in (("plain", ""), ("behind", " " * 70_000)):
        (tmp_path / name).write_text(before + record + "\n")
    plain, behind = (irev("online", "preference", str(tmp_path / name)) for name in ("plain", "behind"))

    assert plain.status == behind.status
    assert plain.stderr.replace("/plain:", "/x:") == behind.stderr.replace("/behind:", "/x:")
