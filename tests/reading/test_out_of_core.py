"""Tables whose queries are scattered over more rows than memory holds: sorted on disk, they give the same."""

import os
import random
import sys
from pathlib import Path

import pyarrow
import pytest
from pyarrow import parquet
from test_column_blocks import random_table, read, written

from irev.base.settings import Settings
from irev.errors import InputError
from irev.reading import chunks, formats, out_of_core, runs
from irev.reading.sources import Source

duckdb = pytest.importorskip("duckdb")


@pytest.fixture
def tiny(monkeypatch, tmp_path) -> Path:
    """No row is brought together in memory; what DuckDB keeps on disk is in this folder."""
    monkeypatch.setattr(out_of_core, "most_held", lambda: 0)
    folder = tmp_path / "sorted"
    folder.mkdir()
    monkeypatch.setattr(out_of_core.tempfile, "tempdir", str(folder))
    return folder


def both(path: Path, settings: Settings, in_columns: bool, most: int) -> tuple[tuple, tuple]:
    """What comes of a run in memory and on disk, its rows in the order of their queries."""
    found = []
    for held in (1 << 40, most):
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(out_of_core, "most_held", lambda held=held: held)
            rows, *facts = read(path, settings, in_columns)
            if settings.order == "file" and isinstance(rows, list):
                rows = [(query, document, key) for query, document, _, key in rows]  # places are those in a block
            found.append((rows, *facts))
    return tuple(found)


@pytest.mark.parametrize(
    ("seed", "rounds"), [(1, 10), *(pytest.param(seed, 60, marks=pytest.mark.thorough) for seed in (2, 3))]
)
def test_rows_sorted_on_disk_are_those_in_memory(tmp_path, monkeypatch, seed, rounds):
    """Of any types, with faults, repetitions and run ids, in columns and as lines, by any order."""
    chance = random.Random(seed)
    monkeypatch.setattr("irev.reading.formats.tables.ROWS", 16)
    monkeypatch.setattr("irev.reading.column_blocks.ROWS", 16)
    monkeypatch.setattr("irev.reading.out_of_core.ROWS", 16)
    scattered = 0
    for number in range(rounds):
        table = random_table(chance)
        order = list(range(len(table)))
        chance.shuffle(order)
        path = tmp_path / f"run{number}"
        written(table.take(order), path, chance)
        settings = Settings(
            duplicates=chance.choice(("error", "best", "first")), order=chance.choice(("score", "score", "file"))
        )
        monkeypatch.setattr(chunks, "SIZE", chance.choice((1 << 21, 256)))
        expected, found = both(path, settings, chance.random() < 0.7, chance.choice((0, 0, 500)))
        scattered += isinstance(expected[0], list)

        assert expected == found, table.to_pylist()
    assert scattered > rounds / 3


def scattered_table(queries: int, rows: int, **more: object) -> pyarrow.Table:
    query = [f"q{row % queries}" for row in range(rows)]
    return pyarrow.table(
        {"query_id": query, "doc_id": [f"d{row}" for row in range(rows)], "score": [1.0] * rows, **more}
    )


def test_a_command_sorts_on_disk_and_leaves_nothing(irev, tmp_path, tiny):
    """Ties in the order of the file, too."""
    parquet.write_table(scattered_table(7, 3000), tmp_path / "run", row_group_size=500)
    (tmp_path / "qrels").write_text("".join(f"q{query} 0 d{query + 70} 1\n" for query in range(7)))
    for options in ((), ("--ties", "file"), ("--order", "file"), ("--duplicates", "first")):
        line = ("-q", "-mmap", "-mrecip_rank", *options, str(tmp_path / "qrels"), str(tmp_path / "run"))
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(out_of_core, "most_held", lambda: 1 << 40)
            expected = irev(*line)
        found = irev(*line)
        assert expected == found
        assert 0 == found.status
    assert [] == os.listdir(tiny)


def test_the_earliest_fault_is_that_of_the_file(irev, tmp_path, tiny):
    table = scattered_table(7, 3000)
    documents = table["doc_id"].to_pylist()
    documents[2900] = documents[2900 - 7 * 3]
    documents[1000] = documents[1000 - 7]
    parquet.write_table(table.set_column(1, "doc_id", [documents]), tmp_path / "run", row_group_size=500)
    (tmp_path / "qrels").write_text("q1 0 d1 1\n")
    done = irev(str(tmp_path / "qrels"), str(tmp_path / "run"))
    assert "row 1001: document 'd993' is retrieved twice for query 'q6' (first in row 994)" in done.stderr
    assert [] == os.listdir(tiny)


def test_without_duckdb_it_is_asked_for(irev, tmp_path, tiny, monkeypatch):
    parquet.write_table(scattered_table(7, 300), tmp_path / "run")
    (tmp_path / "qrels").write_text("q1 0 d1 1\n")
    monkeypatch.setitem(sys.modules, "duckdb", None)
    done = irev(str(tmp_path / "qrels"), str(tmp_path / "run"))
    assert (2, b"") == (done.status, done.stdout)
    assert "duckdb is needed to sort them on disk; pip install duckdb" in done.stderr


def test_rows_in_order_need_no_duckdb(irev, tmp_path, tiny, monkeypatch):
    table = scattered_table(7, 300)
    parquet.write_table(table.sort_by("query_id"), tmp_path / "run", row_group_size=50)
    (tmp_path / "qrels").write_text("q1 0 d1 1\n")
    monkeypatch.setitem(sys.modules, "duckdb", None)
    assert 0 == irev(str(tmp_path / "qrels"), str(tmp_path / "run")).status


def test_what_stops_the_reading_is_raised_as_it_is(tmp_path, tiny):
    """A file that changes is said to have, not that DuckDB failed."""
    parquet.write_table(scattered_table(7, 300), tmp_path / "run", row_group_size=10)
    with Source(os.fspath(tmp_path / "run")) as source:
        settings = Settings()
        _, table = formats.opened(formats.RUNS, None, source, settings, runs.Faults())
        given = table.batches

        def batches():
            yield from given()
            os.utime(tmp_path / "run", ns=(1, 1))

        table.batches = batches
        from irev.reading import column_blocks
        from irev.reading.chunks import Buffer

        with pytest.raises(InputError, match="changed while it was being read"):
            column_blocks.reader(table, scattered=True)(Buffer(None))
    assert [] == os.listdir(tiny)


def test_a_disk_that_is_full_is_said(monkeypatch, tmp_path, tiny):
    def full(*_: object, **__: object) -> None:
        raise duckdb.IOException("IO Error: Could not write file: No space left on device")

    monkeypatch.setattr(duckdb, "connect", full)
    parquet.write_table(scattered_table(7, 300), tmp_path / "run")
    with (
        Source(os.fspath(tmp_path / "run")) as source,
        pytest.raises(InputError, match=r"could not be sorted on disk .*No space left"),
    ):
        runs.read(source, lambda block: None, Settings(), ranks_alone=True)
    assert [] == os.listdir(tiny)
