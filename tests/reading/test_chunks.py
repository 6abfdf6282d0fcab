"""How a file is cut into chunks of whole lines and whole queries, and worked on in order by several threads."""

import threading
import time
from unittest import mock

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from irev.base.errors import InputError, ProblemError
from irev.base.settings import Settings
from irev.reading import chunks, qrels, runs
from irev.reading.chunks import Buffer, Chunks, in_order, line_slices, read_all
from irev.reading.ids import PAD, padded
from irev.reading.sources import Source


class Given:
    """A source that gives these bytes and hints that there are `size` of them."""

    name = "given"

    def __init__(self, data: bytes, size: int = 0) -> None:
        self._data, self.size = data, size
        self._place = 0

    def head(self, size: int) -> bytes:
        return self._data[:size]

    def fill(self, room: memoryview) -> int:
        piece = self._data[self._place : self._place + len(room)]
        room[: len(piece)] = piece
        self._place += len(piece)
        return len(piece)


def cut(data: bytes, size: int, whole_queries: bool = False) -> list[bytes]:
    """The chunks of these bytes."""
    pieces, buffer, found = Chunks(Given(data), size, whole_queries), Buffer(padded(0)), []
    while pieces.read(buffer):
        found.append(buffer.text[buffer.begin : buffer.end].tobytes())
    return found


def ended(data: bytes) -> bytes:
    """The bytes with a newline at their end, which is optional in a file."""
    return data + b"\n" if data and not data.endswith(b"\n") else data


texts = st.lists(
    st.sampled_from((b"1 a", b"1 b", b"2 a", b"10 a", b"1", b"", b"\n", b"\n", b"# c", b" ")), max_size=30
).map(b"".join)


@settings(max_examples=300)
@given(texts, st.integers(1, 40), st.booleans())
def test_chunks_are_the_file_in_order_cut_after_newlines(data, size, whole_queries):
    found = cut(data, size, whole_queries)

    assert ended(data) == b"".join(found)
    assert all(chunk.endswith(b"\n") for chunk in found)


@settings(max_examples=300)
@given(st.lists(st.integers(1, 6), min_size=1, max_size=8), st.integers(1, 60), st.sampled_from((1, 3, 40)))
def test_a_query_that_stands_in_one_piece_is_never_split(rows, size, width):
    """Ids of which one begins the other, such as 1 and 11, would betray a comparison of too few bytes."""
    queries = [b"1" * (width + n) for n in range(len(rows))]
    data = b"".join(
        b"%s Q0 d%d\n" % (query, n) for query, count in zip(queries, rows, strict=True) for n in range(count)
    )
    found = [{line.split()[0] for line in chunk.splitlines()} for chunk in cut(data, size, whole_queries=True)]

    assert sorted(queries) == sorted(query for chunk in found for query in chunk)


def test_chunks_are_about_as_long_as_asked():
    data = b"".join(b"%d Q0 d\n" % n for n in range(1000))
    lengths = [len(chunk) for chunk in cut(data, 100, whole_queries=True)]

    assert max(lengths) <= 100
    assert min(lengths[:-1]) >= 80


@pytest.mark.parametrize("size", [1, 10, 1000])
def test_a_line_longer_than_a_chunk_makes_it_grow(size):
    line = b"x" * 300_000 + b"\n"

    assert b"1\n" + line + b"2\n" == b"".join(cut(b"1\n" + line + b"2\n", size))


@pytest.mark.parametrize("size", [1, 10, 1000])
def test_a_query_longer_than_a_chunk_makes_it_grow(size):
    long = b"".join(b"1 Q0 d%d\n" % n for n in range(5000))
    found = cut(b"0 Q0 a\n" + long + b"2 Q0 a\n", size, whole_queries=True)

    assert 1 == sum(b"1 Q0 " in chunk for chunk in found)


def test_a_file_without_bytes_has_no_chunks():
    assert [] == cut(b"", 10)


@pytest.mark.parametrize("size", [0, 1, 5, 10**6])
@pytest.mark.parametrize("length", [0, 1, 6, 7, 3 * (1 << 20)])
def test_a_file_is_read_whole_whatever_its_size_was_thought_to_be(size, length):
    data = (b"1 0 a 1\n" * (length // 8 + 1))[:length]
    buffer = read_all(Given(data, size))

    assert ended(data) == buffer.text[buffer.begin : buffer.end].tobytes()
    assert len(buffer.text) >= buffer.end + PAD // 2, "eight bytes can be loaded at any offset of a field"


@settings(max_examples=100)
@given(texts, st.integers(1, 30))
def test_slices_of_a_buffer_are_whole_lines_and_miss_nothing(data, size):
    buffer = read_all(Given(data))
    slices = [buffer.text[begin:end].tobytes() for begin, end in line_slices(buffer, size)]

    assert ended(data) == b"".join(slices)
    assert all(part.endswith(b"\n") for part in slices)


# Threads


def numbered(last: int):
    """A `read` that numbers the buffers up to `last`."""
    counter = iter(range(last))

    def read(buffer: Buffer) -> bool:
        buffer.wanted = next(counter, None)
        return buffer.wanted is not None

    return read


@pytest.fixture(params=[1, 2, 4])
def threads(request):
    """So many threads, whatever the machine has."""
    with (
        mock.patch.object(chunks, "THREADS", request.param),
        mock.patch.object(chunks, "processors", return_value=request.param),
    ):
        yield request.param


def slow_at_first(buffer: Buffer) -> int:
    """Later chunks are done earlier."""
    time.sleep(0.02 if buffer.wanted % 4 == 0 else 0)
    return buffer.wanted


def test_results_come_in_the_order_of_the_file(threads):
    assert list(range(20)) == list(in_order(numbered(20), slow_at_first))


@pytest.mark.parametrize("count", [0, 1, 2])
def test_few_chunks_or_none_are_no_special_case(threads, count):
    assert list(range(count)) == list(in_order(numbered(count), slow_at_first))


@pytest.mark.parametrize("faulty", [0, 1, 5, 19])
def test_a_fault_of_the_work_is_raised_after_all_earlier_results(threads, faulty):
    def work(buffer: Buffer) -> int:
        slow_at_first(buffer)
        if buffer.wanted >= faulty:
            raise ValueError(buffer.wanted)
        return buffer.wanted

    results = in_order(numbered(20), work)

    assert list(range(faulty)) == [next(results) for _ in range(faulty)]
    with pytest.raises(ValueError, match=f"^{faulty}$"):
        next(results)


@pytest.mark.parametrize("faulty", [0, 1, 5, 19])
def test_a_fault_of_reading_is_raised_after_all_earlier_results(threads, faulty):
    inner = numbered(20)

    def read(buffer: Buffer) -> bool:
        more = inner(buffer)
        if buffer.wanted == faulty:
            raise ValueError(buffer.wanted)
        return more

    results = in_order(read, slow_at_first)

    assert list(range(faulty)) == [next(results) for _ in range(faulty)]
    with pytest.raises(ValueError, match=f"^{faulty}$"):
        next(results)


def test_when_the_caller_stops_no_thread_goes_on(threads):
    before = threading.active_count()
    begun = []

    def work(buffer: Buffer) -> int:
        begun.append(buffer.wanted)
        time.sleep(0.001)
        return buffer.wanted

    results = in_order(numbered(10**9), work)
    assert [0, 1, 2] == [next(results) for _ in range(3)]
    results.close()
    count = len(begun)
    time.sleep(0.02)

    assert (before, count) == (threading.active_count(), len(begun))


# Faults in files


BAD = b"1 Q0 bad 1 x t\n"


@pytest.mark.thorough
@pytest.mark.parametrize("size", [1, 30, 100, 1 << 20])
@pytest.mark.parametrize("scattered", [False, True])
def test_the_earliest_bad_line_of_a_run_is_reported_whatever_the_threads(tmp_path, threads, size, scattered):
    queries = [b"%d" % (n % 50 if scattered else n // 4) for n in range(200)]
    lines = [b"%s Q0 d%d 1 %d.5 t\n" % (query, n, n) for n, query in enumerate(queries)]
    lines[150] = lines[151] = BAD
    lines[120] = lines[170] = b"short line\n"
    path = tmp_path / "run"
    path.write_bytes(b"".join(lines))
    with Source(str(path)) as source, pytest.raises(ProblemError) as refused:
        runs.read(source, lambda block: None, Settings(), size=size)

    assert (121, f"{path}:121") == (refused.value.problem.line, refused.value.place)


@pytest.mark.parametrize("size", [1, 30, 100, 1 << 20])
def test_the_earliest_bad_line_of_judgments_is_reported(tmp_path, size):
    lines = [b"%d 0 d%d 1\n" % (n % 7, n) for n in range(200)]
    lines[150] = lines[3]  # a document that is judged twice is noticed after all lines were read
    lines[160] = b"\n"
    path = tmp_path / "qrels"
    path.write_bytes(b"".join(lines))
    with mock.patch.object(chunks, "SIZE", size), Source(str(path)) as source, pytest.raises(ProblemError) as refused:
        qrels.read(source, Settings())

    assert (151, 4) == (refused.value.problem.line, refused.value.problem.first)


@pytest.mark.parametrize("size", [1, 30, 100, 1 << 20])
@pytest.mark.parametrize("scattered", [False, True])
def test_every_row_of_a_run_is_in_one_block_with_all_of_its_query(tmp_path, threads, size, scattered):
    queries = [b"%d" % (n % 20 if scattered else n // 5) for n in range(100)]
    path = tmp_path / "run"
    path.write_bytes(b"".join(b"%s Q0 d%d 1 %d.5 t\n" % (query, n, n) for n, query in enumerate(queries)))
    with Source(str(path)) as source:
        kept, reading = runs.read(
            source,
            lambda block: (list(block.queries), len(block.query), block.score.value.sum()),
            Settings(),
            size=size,
        )
    found = [query for block, _, _ in kept for query in block]

    assert sorted(set(queries)) == sorted(found)
    assert (100, 100) == (reading.lines, reading.rows)
    assert (100, np.arange(100).sum() + 50) == (sum(n for _, n, _ in kept), sum(s for _, _, s in kept))


def test_a_source_that_fails_in_the_middle_fails_the_reading(tmp_path, threads):
    class Failing(Given):
        parts = None

        def fill(self, room: memoryview) -> int:
            if self._place > 500:
                raise InputError("cannot be read (broken)", "given")
            return super().fill(room)

    data = b"".join(b"%d Q0 d 1 1.0 t\n" % n for n in range(1000))

    with pytest.raises(InputError, match="broken"):
        runs.read(Failing(data), lambda block: None, Settings(), size=100)
