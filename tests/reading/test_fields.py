"""The splitter: offsets of fields against `bytes.split`, on the quick path and the general one, and faulty lines."""

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from irev.reading import fields
from irev.reading.fields import Fields, Layout, split
from irev.reading.formats.trec import QRELS, RUN
from irev.reading.ids import PAD, Bytes

LAYOUTS = {
    "judgments": QRELS,
    "judgments without comments": replace(QRELS, comments="none"),
    "a run": RUN,
    "a run without comments": replace(RUN, comments="none"),
    "one field": Layout(("only",), True, False, "none", "only"),
}


def text_of(data: bytes) -> tuple[Bytes, int, int]:
    """The bytes between pads that must not matter."""
    text = np.frombuffer(b"#" * PAD + data + b"x " * PAD, dtype=np.uint8)
    return text, PAD, PAD + len(data)


def rows_of(text: Bytes, found: Fields) -> list[tuple[int, tuple[bytes, ...]]]:
    """Line and fields of each row."""
    columns = [
        [text[a:b].tobytes() for a, b in zip(*span, strict=True)] for span in zip(found.start, found.stop, strict=True)
    ]
    lines = found.lines_of(np.arange(found.rows)).tolist()
    return list(zip(lines, zip(*columns, strict=True), strict=True))


def is_comment(line: bytes, layout: Layout) -> bool:
    """Whether the line is a comment of a file with this layout."""
    return {"none": b"", "line start": line, "first field": line.lstrip()}[layout.comments].startswith(b"#")


def expected_rows(data: bytes, layout: Layout) -> tuple[list[tuple[int, tuple[bytes, ...]]], list[int], list[int]]:
    """By lines and `bytes.split`: the rows, the rows with too many fields, the lines that are refused."""
    rows, surplus, refused = [], [], []
    width = len(layout.fields)
    for number, line in enumerate(data.split(b"\n")[:-1], start=1):
        found = line.split()
        if b"\0" in line and (layout.comments == "none" or not line.startswith(b"#")):
            refused.append(number)
        elif is_comment(line, layout) or (not found and layout.empty_lines):
            continue
        elif len(found) < width or (layout.exact and len(found) > width):
            refused.append(number)
        else:
            surplus += [len(rows)] if len(found) > width else []
            rows.append((number, tuple(found[:width])))
    return rows, surplus, refused


pieces = st.sampled_from(
    (b"1", b"abc", b"#", b"\xff", b"\x01", b"\x1f", b"\x7f", b" ", b" ", b"\t", b"\v", b"\f", b"\r", b"\n", b"\n")
)
tidy_rows = st.lists(
    st.lists(st.sampled_from((b"a", b"#b", b"12")), min_size=4, max_size=7).map(b" ".join), max_size=6
).map(b"\n".join)
contents = st.one_of(st.lists(pieces, max_size=60).map(b"".join), tidy_rows).map(
    lambda data: data + b"\n" if data else data
)


@pytest.mark.thorough
@pytest.mark.parametrize("layout", LAYOUTS.values(), ids=LAYOUTS)
@settings(max_examples=300)
@given(data=contents)
def test_fields_are_those_of_split(layout, data):
    text, begin, end = text_of(data)
    found = split(text, begin, end, layout, most=len(data))
    rows, surplus, refused = expected_rows(data, layout)

    assert rows == rows_of(text, found)
    assert surplus == found.surplus.tolist()
    assert refused == [problem.line for problem in found.faults.problems]
    assert data.count(b"\n") == found.lines


regular_lines = st.lists(
    st.tuples(*[st.sampled_from((b"1", b"ab", b"a#", b"\xff\xfe", b"x" * 70, b"7.25"))] * 6).map(b" ".join),
    min_size=1,
    max_size=8,
)


@settings(max_examples=200)
@given(lines=regular_lines, tabs=st.booleans())
def test_the_quick_path_and_the_general_one_give_the_same_fields(lines, tabs):
    data = b"".join(line + b"\n" for line in lines)
    text, begin, end = text_of(data.replace(b" ", b"\t") if tabs else data)
    quick, general = fields._regular(text, begin, end, RUN), fields._general(text, begin, end, RUN, 1)

    assert isinstance(quick, Fields)
    assert rows_of(text, general) == rows_of(text, quick)
    assert (general.lines, []) == (quick.lines, general.faults.problems)


@pytest.mark.thorough
@settings(max_examples=300)
@given(data=contents)
@pytest.mark.parametrize("layout", LAYOUTS.values(), ids=LAYOUTS)
def test_the_quick_path_takes_nothing_that_the_general_one_sees_otherwise(layout, data):
    text, begin, end = text_of(data)
    quick, general = fields._regular(text, begin, end, layout), fields._general(text, begin, end, layout, 1)
    taken = general if quick is None else quick

    assert rows_of(text, general) == rows_of(text, taken)
    assert (general.lines, general.surplus.tolist()) == (taken.lines, taken.surplus.tolist())
    assert general.faults.problems == taken.faults.problems


@pytest.mark.parametrize(
    ("line", "code", "fact"),
    [
        (b"1 Q0 a 1 1.0", "E101", "5 fields in '1 Q0 a 1 1.0'"),
        (b"  x\t", "E101", "1 field in 'x'"),
        (b"1 Q0 \x1b[1m 1 1.0", "E101", r"5 fields in '1 Q0 \x1b[1m 1 1.0'"),
        (b"1 Q0 a\0 1 1.0 t", "E104", "this line contains a NUL byte"),
    ],
)
def test_a_faulty_line_is_told_with_what_is_wrong_and_what_was_expected(line, code, fact):
    text, begin, end = text_of(b"1 Q0 a 1 1.0 t\n" + line + b"\n")
    (problem,) = split(text, begin, end, RUN).faults.problems

    assert (2, code, fact) == (problem.line, problem.code, problem.fact)
    assert problem.remedy.startswith("expected ")


def test_a_comment_under_the_older_version_is_told_to_be_one():
    text, begin, end = text_of(b"# a comment\n")
    (problem,) = split(text, begin, end, replace(QRELS, comments="none")).faults.problems

    assert "comments came with trec_eval 10.0" in problem.remedy
