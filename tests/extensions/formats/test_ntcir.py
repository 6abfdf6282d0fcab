"""Judgments with NTCIR's levels: as grades, and refused where one is none."""

import re
from unittest.mock import patch

import pytest
from conftest import in_process
from outcomes import refused

import irev as package
from irev.base.settings import Settings
from irev.reading import chunks, formats
from irev.reading.formats import JUDGMENTS

JUDGED = {"0001": {"d1": 2, "d2": 0}, "0002": {"L1": 3, "d2": 1}}
RUN = {"0001": {"d2": 2.0, "d1": 1.0}, "0002": {"L1": 1.0, "d7": 2.0}}
THREES = b"0001 d1 L2\n0001 d2 L0\n0002 L1 L3\n0002 d2 L1\n"


@pytest.mark.parametrize(
    "data",
    [THREES, THREES.replace(b" ", b"\t"), THREES.replace(b"\n", b" \r\n"), THREES.rstrip(), b"\n" + THREES + b"\n \n",
     re.sub(rb"(?m)^(\S+)", rb"\1 0", THREES)],
    ids=["blanks", "tabs", "CR LF", "no last newline", "blank lines", "four fields"],
)  # fmt: skip
@pytest.mark.parametrize("size", [1, 12, 1 << 21])
def test_levels_are_grades(data, size, tmp_path):
    (tmp_path / "qrels").write_bytes(data)
    with patch.object(chunks, "SIZE", size):
        found = package.evaluate(tmp_path / "qrels", RUN, ["AP", "nDCG"]).per_query
    assert package.evaluate(JUDGED, RUN, ["AP", "nDCG"]).per_query == found


@pytest.mark.parametrize(
    ("data", "message"),
    [
        (b"0001 d1 L2\n0001 d2 1\n", "qrels:2: the grade '1' is not a level; expected L0, L1, L2 …"),
        (b"0001 d1 L2\n0001 d2 Lx\n", "qrels:2: the grade 'Lx' is not a level"),
        (b"0001 d1 L2\n0001 L1\n", "qrels:2: 2 fields in '0001 1'; expected 3 fields: topic document L2"),
        (b"0001 d1 L2\n0001 0 d2 L1\n", "qrels:2: 4 fields in "),
        (b"0001 d1 L2\n0001 d1 L1\n", "qrels:2: document 'd1' is judged twice for query '0001' (first on line 1)"),
        (b"\n", "qrels: the file holds no judgments"),
    ],
)
def test_what_is_no_level_is_refused_at_its_line(data, message, tmp_path):
    (tmp_path / "qrels").write_bytes(data)
    (tmp_path / "run").write_text("0001 Q0 d1 1 1 t\n")
    refused(in_process("eval", "--qrels-format", "ntcir", str(tmp_path / "qrels"), str(tmp_path / "run")), message)


def test_they_are_recognised_where_all_first_lines_have_levels(tmp_path):
    def found(data):
        form = formats.recognised(JUDGMENTS, data, Settings())
        return form and form.name

    assert ["ntcir", "ntcir"] == [found(THREES), found(THREES + b"0003 d")]
    assert [None, None, None] == [found(b""), found(THREES + b"0003 d1 2\n"), found(b"q1 0 d1 1\n")]
    (tmp_path / "qrels").write_bytes(THREES + b"0003 d1 2\n")
    (tmp_path / "run").write_text("0001 Q0 d1 1 1 t\n")
    done = in_process("eval", str(tmp_path / "qrels"), str(tmp_path / "run"))
    assert done.stderr.endswith("; expected 4 fields: query 0 document grade\n")
