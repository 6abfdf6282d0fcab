"""`irev.reading.of_queries`: all lines of the wanted queries come through, in their order, and hardly any others."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from irev.reading import chunks
from irev.reading.of_queries import Chosen
from irev.reading.sources import Source

IDS = [b"1", b"2", b"12", b"123456789", b"123456780", b"12345678", b"q\xff", b"q1", b"query-of-some-length"]


def lines_through(path: str, wanted: list[bytes], room: int = 1 << 16) -> list[bytes]:
    """What a reader with so much room gets to see."""
    found = b""
    with Source(path) as source:
        stream = Chosen(source, wanted)
        place = memoryview(bytearray(room))
        while got := stream.fill(place):
            found += bytes(place[:got])
            if got < room:
                break
    return found.splitlines(keepends=True)


@given(
    rows=st.lists(
        st.tuples(st.sampled_from(IDS), st.sampled_from([b" ", b"\t", b"  "]), st.binary(max_size=5)), max_size=40
    ),
    wanted=st.lists(st.sampled_from(IDS), unique=True),
    size=st.sampled_from([16, 64, 1 << 21]),
    room=st.sampled_from([1, 7, 1 << 16]),
)
def test_the_lines_of_wanted_queries_come_through_in_order(tmp_path_factory, rows, wanted, size, room):
    lines = [
        query + blank + rest.translate(None, b"\r\n\x0b\x0c\x1c\x1d\x1e\x85") + b"\n" for query, blank, rest in rows
    ]
    path = tmp_path_factory.mktemp("chosen") / "run"
    path.write_bytes(b"".join(lines))
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(chunks, "SIZE", size)
        found = lines_through(str(path), wanted, room)

    assert [line for line in lines if line.split()[0] in wanted] == [
        line for line in found if line.split()[0] in wanted
    ]
    # Of others only those that begin with the eight bytes of one that is wanted, or all of a shorter one.
    beginnings = tuple(query[:8] for query in wanted)
    assert [line for line in lines if beginnings and line.startswith(beginnings)] == found


def test_lines_that_begin_with_a_blank_come_through(write):
    path = write(b" a 1\nb 2\n\tb 3\n\nc 4")
    assert [b" a 1\n", b"b 2\n", b"\tb 3\n", b"\n"] == lines_through(path, [b"b"])


def test_it_begins_again(write):
    path = write(b"a 1\nb 2\na 3\n")
    with Source(path) as source:
        stream = Chosen(source, [b"a"])
        place = memoryview(bytearray(4))
        assert (4, b"a 1\n") == (stream.fill(place), bytes(place))
        stream.rewind()
        assert (4, b"a 1\n") == (stream.fill(place), bytes(place))
        assert (4, b"a 3\n") == (stream.fill(place), bytes(place))
        assert 0 == stream.fill(place)
