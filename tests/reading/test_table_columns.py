"""Runs of tables that are read without a detour through text: what comes of them is what comes of their lines."""

import io
import os
import random
import subprocess
import sys
from dataclasses import astuple
from pathlib import Path

import numpy as np
import pyarrow
import pytest
from conftest import environment
from outcomes import refused
from pyarrow import ipc, parquet

from irev.base.errors import IrevError
from irev.base.settings import Settings
from irev.reading import runs
from irev.reading.formats import tables
from irev.reading.sources import Source


def rows(block) -> list[tuple[bytes, bytes, float, int]]:
    """Query, document, score and key of each row."""
    text = block.text.tobytes()
    block.score.settle(np.arange(len(block.query)))  # numbers of many digits are read exactly where it matters
    return [
        (block.queries[query], text[start : start + length], float(score), int(key))
        for query, start, length, score, key in zip(
            block.query, block.start, block.length, block.score.value, block.key, strict=True
        )
    ]


def read(path: Path, settings: Settings, in_columns: bool) -> tuple:
    """The rows of a run, which block had them left out, and what reading it found; or the error."""
    with Source(os.fspath(path)) as source:
        try:
            kept, reading = runs.read(source, rows, settings, ranks_alone=in_columns)
        except IrevError as error:
            return type(error), str(error)
    found = astuple(reading)
    return [row for part in kept for row in part], found


def written(table: pyarrow.Table, path: Path, chance: random.Random) -> None:
    """The table in one of the kinds of files."""
    kind, size = chance.choice(("parquet", "file", "stream")), chance.choice((1, 2, 7, 1000))
    if kind == "parquet":
        parquet.write_table(table, path, row_group_size=size)
        return
    with (ipc.new_file if kind == "file" else ipc.new_stream)(path, table.schema) as writer:
        writer.write_table(table, max_chunksize=size)


def random_table(chance: random.Random) -> pyarrow.Table:
    """A run in columns of any type, and sometimes with a row in it that is none."""
    numeric = chance.random() < 0.3
    lines = [
        (str(query) if numeric else f"q{'é' * (query % 3)}{query}", document)
        for query in chance.sample(range(30), chance.randint(1, 8))
        for document in chance.sample(range(1000), chance.choice((1, 2, 9, 40)))
    ]
    if chance.random() < 0.4:
        chance.shuffle(lines)
    if chance.random() < 0.1:
        lines.append(chance.choice(lines))
    scores: list = [chance.choice((1.5, -2.0, document / 3, 0.0)) for _, document in lines]
    kinds = (pyarrow.float64(), pyarrow.float32(), pyarrow.float16(), pyarrow.int32())
    kind = chance.choice(kinds)
    if pyarrow.types.is_integer(kind):
        scores = [round(score) for score in scores]
    if pyarrow.types.is_float16(kind):
        scores = [np.float16(score) for score in scores]
    if chance.random() < 0.1:
        scores[chance.randrange(len(scores))] = None
    if chance.random() < 0.1 and pyarrow.types.is_floating(kind):
        scores[chance.randrange(len(scores))] = kind.to_pandas_dtype()(chance.choice(("nan", "inf")))
    query = pyarrow.array([query for query, _ in lines])
    document = pyarrow.array([f"d{document}" for _, document in lines])
    change = chance.choice(("", "", "dictionary", "numbers", "bytes", "odd", "large"))
    if change == "dictionary":
        query, document = query.dictionary_encode(), document.dictionary_encode()
    if change == "numbers":
        document = pyarrow.array([document for _, document in lines])
        query = query.cast(pyarrow.int64()) if numeric else query
    if change == "bytes":
        document = pyarrow.array([b"d\xff%d" % document for _, document in lines])
    if change == "odd":
        odd = chance.choice(("", " ", "a b", "a\x7f", "\n", None))
        document = pyarrow.array([odd, *document.to_pylist()[1:]])
    if change == "large":
        query, document = query.cast(pyarrow.large_string()), document.cast(pyarrow.large_string())
    columns = {"query_id": query, "doc_id": document, "score": pyarrow.array(scores, kind)}
    if chance.random() < 0.5:
        columns["tag"] = pyarrow.array([chance.choice(("t", "t", "u")) for _ in lines])
    return pyarrow.table(columns)


@pytest.mark.thorough
@pytest.mark.parametrize("batch", [1, 5, 1 << 16])
def test_columns_give_what_lines_give(tmp_path, monkeypatch, batch):
    monkeypatch.setattr("irev.reading.formats.tables.ROWS", batch)
    chance = random.Random(batch)
    for number in range(60):
        table = random_table(chance)
        written(table, tmp_path / f"run{number}", chance)
        settings = Settings(
            duplicates=chance.choice(("error", "best", "first")), order=chance.choice(("score", "score", "file"))
        )
        expected = read(tmp_path / f"run{number}", settings, False)

        assert expected == read(tmp_path / f"run{number}", settings, True), table.to_pylist()


@pytest.mark.parametrize("scattered", [False, True])
def test_a_plain_run_is_never_text(tmp_path, monkeypatch, scattered):
    lines = [(f"q{query}", f"d{number}", float(number)) for query in range(9) for number in range(query + 1)]
    if scattered:
        lines.sort(key=lambda line: line[2])
    table = pyarrow.table(
        {name: [line[place] for line in lines] for place, name in enumerate(("qid", "docno", "score"))}
    )
    parquet.write_table(table, tmp_path / "run", row_group_size=4)
    monkeypatch.setattr("irev.reading.formats.tables._text", None)
    found, reading = read(tmp_path / "run", Settings(), True)

    lines.sort(key=lambda line: line[0])
    assert lines == [(query.decode(), document.decode(), score) for query, document, score, _ in found]
    assert (45, 45) == reading[:2]


def test_a_query_that_goes_on_and_on_comes_in_one_block(tmp_path, monkeypatch):
    monkeypatch.setattr("irev.reading.formats.tables.ROWS", 8)
    table = pyarrow.table({"qid": ["a"] * 100 + ["b"], "docno": [*map(str, range(101))], "score": [1.0] * 101})
    parquet.write_table(table, tmp_path / "run", row_group_size=3)
    with Source(os.fspath(tmp_path / "run")) as source:
        kept, _ = runs.read(source, lambda block: len(block.query), Settings(), ranks_alone=True)

    assert [100, 1] == kept


def test_a_stream_is_read_from_a_pipe(irev, tmp_path):
    table = pyarrow.table({"query_id": ["q1", "q1"], "doc_id": ["d1", "d2"], "score": [1.0, 2.0]})
    file = io.BytesIO()
    with ipc.new_stream(file, table.schema) as writer:
        writer.write_table(table)
    (tmp_path / "qrels").write_text("q1 0 d1 1\n")

    assert b"0.5000" in irev("-mrecip_rank", str(tmp_path / "qrels"), "-", stdin=file.getvalue()).stdout


def test_feather_is_read(irev, tmp_path):
    feather = pytest.importorskip("pyarrow.feather")
    feather.write_feather(pyarrow.table({"qid": ["q1"], "docid": ["d1"], "score": [1.0]}), tmp_path / "run.feather")
    (tmp_path / "qrels").write_text("q1 0 d1 1\n")

    assert b"1.0000" in irev("-mrecip_rank", str(tmp_path / "qrels"), str(tmp_path / "run.feather")).stdout


def test_what_has_other_orders_is_lines():
    class Of:
        fields = ("query", "document", "rank")

    assert not tables.suits(Of, Settings())


# Damage


def streamed(table: pyarrow.Table, opened=ipc.new_stream, **options: object) -> bytes:
    file = io.BytesIO()
    with opened(file, table.schema) as writer:
        writer.write_table(table, **options)
    return file.getvalue()


@pytest.fixture
def judged(tmp_path) -> Path:
    (tmp_path / "qrels").write_text("q1 0 d1 1\nq1 0 d3 1\n")
    return tmp_path


@pytest.mark.parametrize("opened", [ipc.new_file, ipc.new_stream])
@pytest.mark.parametrize(
    "offsets", [(0, 0x7FFFFF00, 4, 6), (6, 4, 2, 0), (0, -2, 4, 6), (0, 2, 1, 3), (0, 4, 2, 6), (0, 2, 4, 1000)]
)
def test_offsets_that_lead_anywhere_are_damage(irev, judged, opened, offsets):
    """Which pyarrow follows, out of the column and out of memory."""
    columns = {"query_id": ["q1"] * 3, "doc_id": ["d1", "d2", "d3"], "score": [3.0, 2.0, 1.0], "relevance": [1, 0, 1]}
    whole = streamed(pyarrow.table(columns), opened)
    good = np.array((0, 2, 4, 6), dtype=np.int32).tobytes()
    # The ids of queries have the same offsets, and stand first.
    place = whole.index(good, whole.index(good) + 1)
    damaged = whole[:place] + np.array(offsets, dtype=np.int32).tobytes() + whole[place + len(good) :]
    (judged / "table").write_bytes(damaged)
    (judged / "whole").write_bytes(whole)

    assert 0 == irev("-mmap", str(judged / "qrels"), str(judged / "whole")).status
    for files in (("qrels", "table"), ("table", "whole")):
        refused(irev("-mmap", *(str(judged / name) for name in files)), "table: the Arrow data are damaged")


def test_streams_say_where_they_end(irev, judged):
    table = pyarrow.table({"query_id": ["q1", "q2"], "doc_id": ["d1", "d2"], "score": [3.0, 2.0]})
    whole = streamed(table, max_chunksize=1)
    for data, said in (
        (whole[:-8], "the stream has no end marker"),
        (whole[: whole.index(b"d2") - 200], "damaged"),
        (whole + b"more", "data follow the end of the stream"),
        (whole + whole, "data follow the end of the stream"),
    ):
        refused(irev("-mmap", str(judged / "qrels"), "-", stdin=data), said)
    assert 0 == irev("-mmap", str(judged / "qrels"), "-", stdin=whole).status


@pytest.mark.parametrize("name", ["string_view", "binary_view", "fixed", "categories of views"])
def test_texts_of_any_type_are_ids(tmp_path, name):
    lines = [("q1", "d1"), ("q1", "d2"), ("q2", "d1")]
    query, document = (pyarrow.array([line[place] for line in lines]) for place in (0, 1))
    kinds = {"string_view": pyarrow.string_view(), "binary_view": pyarrow.binary_view(), "fixed": pyarrow.binary(2)}
    if name in kinds:
        query, document = (
            pyarrow.array([each.as_py().encode() for each in column], pyarrow.binary()).cast(kinds[name])
            if name != "string_view"
            else column.cast(kinds[name])
            for column in (query, document)
        )
    else:
        query = pyarrow.DictionaryArray.from_arrays(
            pyarrow.array([0, 0, 1], pyarrow.uint32()), pyarrow.array(["q1", "q2"]).cast(pyarrow.string_view())
        )
    table = pyarrow.table({"query_id": query, "doc_id": document, "score": [3.0, 2.0, 1.0]})
    (tmp_path / "run").write_bytes(streamed(table))
    for in_columns in (True, False):
        found, _ = read(tmp_path / "run", Settings(), in_columns)
        assert lines == [(row[0].decode(), row[1].decode()) for row in found]


def test_what_polars_writes_is_read(irev, judged):
    polars = pytest.importorskip("polars")
    frame = polars.DataFrame({"query_id": ["q1", "q1"], "doc_id": ["d1", "d2"], "score": [1.0, 2.0]})
    frame.write_ipc(judged / "run.arrow")
    frame.write_parquet(judged / "run.parquet")
    frame.with_columns(polars.col("query_id").cast(polars.Categorical)).write_ipc_stream(judged / "run.arrows")
    for name in ("run.arrow", "run.parquet", "run.arrows"):
        done = irev("-mrecip_rank", str(judged / "qrels"), str(judged / name))
        assert b"0.5000" in done.stdout, done.stderr


PEAK = """
from irev.__main__ import main
main()
print(next(line.split()[1] for line in open("/proc/self/status") if line.startswith("VmHWM")))
"""


@pytest.mark.thorough
@pytest.mark.skipif(sys.platform != "linux", reason="asks /proc")
def test_row_groups_need_not_be_held(tmp_path):
    """However many rows they have: all bytes of a row group of three million rows are 50 MB."""
    rows = 3_000_000
    columns = {
        "query_id": pyarrow.array(np.repeat(np.arange(rows // 1000), 1000)),
        "doc_id": pyarrow.array(np.random.default_rng(1).permutation(rows)).cast(pyarrow.string()),
        "score": np.random.default_rng(2).normal(size=rows),
    }
    (tmp_path / "qrels").write_text("1 0 5 1\n")
    peaks = []
    for size in (rows, 1 << 16):
        parquet.write_table(pyarrow.table(columns), tmp_path / "run", row_group_size=size)
        command = [sys.executable, "-c", PEAK, "eval", "-mmap", str(tmp_path / "qrels"), str(tmp_path / "run")]
        done = subprocess.run(command, env=environment(), capture_output=True, check=True)
        peaks.append(int(done.stdout.split()[-1]) / 1000)

    assert peaks[0] < peaks[1] + 25
