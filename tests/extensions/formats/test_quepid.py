"""Quepid's exports: ratings as judgments, snapshots as runs, and what is refused."""

from unittest.mock import patch

import pytest
from conftest import in_process
from outcomes import refused

import irev as package
from irev.base.settings import Settings
from irev.reading import chunks, formats
from irev.reading.formats import JUDGMENTS, RUNS

JUDGED = {"red shoes": {"d1": 2, "d2": 0}, "blue, sky": {"d3": 1}}
RANKED = {"red shoes": {"d2": -1.0, "d1": -2.0}, "blue, sky": {"d9": -1.0, "d3": -2.0}}
BASIC = b'query,docid,rating\nred shoes,d1,2\nred shoes,d2,0\nred shoes,d9,\n"blue, sky",d3,1\nnothing rated\n'
DETAILED = (
    b"Team Name,Case Name,Case ID,Query Text,Doc ID,Title,Rating,price\r\n"
    b'us,a case,8,red shoes,d1,Shoes,2,9\r\nus,a case,8,red shoes,d2,"Shoes, blue",0,\r\n'
    b'us,a case,8,red shoes,d9,,,\r\nus,a case,8,"blue, sky",d3,Sky,1,\r\n'
)
SNAPSHOT = (
    b"Snapshot Name,Snapshot Time,Case ID,Query Text,Doc ID,Doc Position\r\n"
    b"x,2026-01-31,8,red shoes,d2,1\r\nx,2026-01-31,8,red shoes,d1,2\r\n"
    b'x,2026-01-31,8,"blue, sky",d9,1\r\nx,2026-01-31,8,"blue, sky",d3,2\r\n'
)


@pytest.mark.parametrize("judged", [BASIC, BASIC.replace(b"docid", b"doc_id"), DETAILED])
@pytest.mark.parametrize("size", [1, 40, 1 << 21])
def test_ratings_are_judgments_and_a_snapshot_is_a_run(judged, size, tmp_path):
    (tmp_path / "qrels").write_bytes(judged)
    (tmp_path / "run").write_bytes(SNAPSHOT)
    with patch.object(chunks, "SIZE", size):
        found = package.evaluate(tmp_path / "qrels", tmp_path / "run", ["AP", "nDCG", "NumRet"])
    assert package.evaluate(JUDGED, RANKED, ["AP", "nDCG", "NumRet"]).per_query == found.per_query


def test_they_are_recognised():
    for table, data in ((JUDGMENTS, BASIC), (JUDGMENTS, DETAILED), (RUNS, SNAPSHOT)):
        assert table["quepid"] is formats.recognised(table, data, Settings())
    assert JUDGMENTS["csv"] is formats.recognised(JUDGMENTS, b"query,docid,rating,who\n", Settings())


@pytest.mark.parametrize(
    ("judged", "retrieved", "message"),
    [
        (BASIC + b"red shoes,d7,good\n", SNAPSHOT, "qrels:7: the grade 'good' is not a number"),
        (BASIC + b"red shoes,d7\n", SNAPSHOT, "qrels:7: 2 fields in a record; expected 3, as the header has"),
        (BASIC + b"red shoes,d1,1\n", SNAPSHOT, "qrels:7: document 'd1' is judged twice for query 'red shoes'"),
        (BASIC, SNAPSHOT + b"x,2026,8,red shoes,d5,0\n", "run:6: the rank '0' is not a whole number above 0"),
        (BASIC, SNAPSHOT + b"x,2026,8,red shoes\n", "run:6: 4 fields in "),
        (
            BASIC,
            SNAPSHOT + b"x,2026,8,red shoes,d1,1\n",
            "run:6: document 'd1' is retrieved twice for query 'red shoes'",
        ),
        (BASIC + b"red shoes;d7;0\n", SNAPSHOT, "qrels:7: 1 field in a record; expected 3, as the header has"),
        (
            BASIC,
            SNAPSHOT + b"y,2026,8,other,d1,1\n",
            "run:6: the file has two snapshots, 'x' and 'y'; export one at a time",
        ),
    ],
)
def test_what_an_export_cannot_hold_is_refused_at_its_line(judged, retrieved, message, tmp_path):
    (tmp_path / "qrels").write_bytes(judged)
    (tmp_path / "run").write_bytes(retrieved)
    refused(in_process("eval", str(tmp_path / "qrels"), str(tmp_path / "run")), message)
