"""What has no end, or no lines, is refused soon and in little memory: long lines, NUL bytes, bombs."""

import gzip
import os
import subprocess
import sys
from pathlib import Path
from unittest import mock

import numpy as np
import pytest
from conftest import ROOT, environment
from hypothesis import given, settings
from hypothesis import strategies as st

from irev.base.errors import ProblemError
from irev.reading import chunks, fields
from irev.reading.chunks import Buffer, Chunks, read_all
from irev.reading.formats.trec import RUN
from irev.reading.ids import padded
from irev.reading.small_files import read_ids
from irev.reading.sources import Source

ROW = b"1 Q0 a 1 1.0 tag\n"
LIMIT = 1000
"""In these tests, where 4 MiB would take too long."""


class Given:
    """A source of these bytes, and a count of those that were asked for."""

    name, size = "given", 0

    def __init__(self, data: bytes) -> None:
        self._data = data
        self.read = 0

    def fill(self, room: memoryview) -> int:
        piece = self._data[self.read : self.read + len(room)]
        room[: len(piece)] = piece
        self.read += len(piece)
        return len(piece)


@pytest.fixture
def limited(monkeypatch):
    """Lines of at most a thousand bytes."""
    monkeypatch.setattr(fields, "LONGEST", LIMIT)
    monkeypatch.setattr(chunks, "LONGEST", LIMIT)
    monkeypatch.setattr("irev.reading.lists.LONGEST", LIMIT)


def faults(data: bytes, size: int, whole_queries: bool) -> list[tuple[str, int]]:
    """Codes and lines of what is wrong with a run."""
    pieces, buffer, found, lines = Chunks(Given(data), size, whole_queries), Buffer(padded(0)), [], 0
    while pieces.read(buffer):
        part = fields.split(buffer.text, buffer.begin, buffer.end, RUN, most=100)
        found += [(problem.code, problem.line + lines) for problem in part.faults.problems]
        lines += part.lines
    return found


def row(length: int, tag: bytes = b"t") -> bytes:
    """A row of a run of that many bytes, newline not counted."""
    opening = b"2 Q0 a 1 1.0 "
    return opening + tag * (length - len(opening)) + b"\n"


@pytest.mark.parametrize("size", [1, 64, 999, 1001, 5000])
@pytest.mark.parametrize("whole_queries", [False, True])
@pytest.mark.parametrize("last", [b"\n", b"", ROW])
@pytest.mark.usefixtures("limited")
def test_a_line_may_be_as_long_as_the_limit_and_no_longer(size, whole_queries, last):
    for before in (0, 1, 30):
        allowed, longer = (ROW * before + row(length)[:-1] + b"\n" * bool(last) + last for length in (LIMIT, LIMIT + 1))

        assert [] == faults(allowed, size, whole_queries)
        assert ("E108", before + 1) == faults(longer, size, whole_queries)[0]


@settings(max_examples=200)
@given(
    st.lists(st.sampled_from((1, 1, 1, 30, 999, 1000, 1001, 1500, 5000)), max_size=12),
    st.sampled_from((1, 100, 1000, 3000, 1 << 20)),
    st.booleans(),
)
def test_the_first_long_line_is_found_wherever_chunks_are_cut(lengths, size, whole_queries):
    lines = [row(max(length, 14)) for length in lengths]
    with mock.patch.object(fields, "LONGEST", LIMIT), mock.patch.object(chunks, "LONGEST", LIMIT):
        found = faults(b"".join(lines), size, whole_queries)
    expected = [("E108", n) for n, length in enumerate(lengths, start=1) if length > LIMIT]

    assert expected[:1] == found[:1]


@pytest.mark.usefixtures("limited")
def test_a_query_may_be_longer_than_a_line():
    """All rows of a query are kept together, however many they are."""
    data = ROW * 1000

    assert [] == faults(data, 100, whole_queries=True)
    assert [("E108", 1001)] == faults(data + row(50_000), 100, whole_queries=True)


@pytest.mark.usefixtures("limited")
def test_a_comment_that_is_too_long_is_refused_as_well():
    """What follows it may not have been read."""
    assert [("E108", 2)] == faults(ROW + b"#" * 5000 + b"\n", 100, whole_queries=False)


@pytest.mark.usefixtures("limited")
def test_blanks_are_no_empty_line_when_they_do_not_end():
    assert [("E108", 2)] == faults(ROW + b" " * 5000 + b"\n" + ROW, 100, whole_queries=False)


@pytest.mark.usefixtures("limited")
def test_nul_bytes_without_end_are_called_that():
    assert [("E104", 2)] == faults(ROW + bytes(5000), 100, whole_queries=True)


@pytest.mark.parametrize("data", [bytes(10**6), b"x" * 10**6, ROW * 3 + b"x " * 10**6])
@pytest.mark.usefixtures("limited")
def test_nothing_is_read_behind_a_line_without_end(data):
    source, whole = Given(data), Given(data)
    pieces, buffer = Chunks(source, 100), Buffer(padded(0))
    while pieces.read(buffer):
        continue
    read_all(whole)

    assert source.read < 4 * LIMIT
    assert whole.read < 4 * LIMIT


@pytest.mark.parametrize("rest", [b"", b"\n", b"\nq2\n"])
@pytest.mark.usefixtures("limited")
def test_a_list_with_a_line_that_is_too_long_is_refused(tmp_path, rest):
    path = tmp_path / "list"
    path.write_bytes(b"q1\n" + b"x" * (LIMIT + 1) + rest)
    with Source(str(path)) as source, pytest.raises(ProblemError) as refused:
        read_ids(source)

    assert ("E108", 2) == (refused.value.problem.code, refused.value.problem.line)


@given(st.lists(st.sampled_from((b"\0", b"a", b" ", b"#", b"\n")), max_size=40).map(b"".join))
def test_lines_with_nul_bytes_are_those_that_hold_one(data):
    text = padded(len(data) + 1)
    text[64 : 64 + len(data)] = np.frombuffer(data, np.uint8)
    text[64 + len(data)] = 10
    found = fields.split(text, 64, 64 + len(data) + 1, RUN, most=100).faults.problems
    expected = [
        n for n, line in enumerate(data.split(b"\n"), start=1) if b"\0" in line and not line.lstrip().startswith(b"#")
    ]

    assert expected == [problem.line for problem in found if problem.code == "E104"]


# Memory, of a process of its own, where that can be limited.
if os.name == "posix" and sys.platform != "darwin":
    HUGE = 1 << 30

    LITTLE = 250 << 20
    """What the interpreter and numpy need, and a line of 4 MiB."""

    LIMITED = (
        "import resource, sys; import numpy;"
        "resource.setrlimit(resource.RLIMIT_DATA, ({0}, {0}));"
        "from irev.cli import run; sys.exit(run(sys.argv[1:]))"
    )

    def in_little_memory(*arguments: str, stdin: int = subprocess.DEVNULL) -> tuple[int, bytes, str]:
        """Run the command where it gets no more memory than that."""
        done = subprocess.run(
            [sys.executable, "-c", LIMITED.format(LITTLE), *arguments],
            stdin=stdin,
            capture_output=True,
            timeout=60,
            cwd=ROOT,
            env=environment(OPENBLAS_NUM_THREADS="1"),
        )
        return done.returncode, done.stdout, done.stderr.decode()

    @pytest.fixture
    def small(tmp_path) -> dict[str, str]:
        """Files that are as they should be: judgments and a run."""
        (tmp_path / "qrels").write_bytes(b"1 0 a 1\n")
        (tmp_path / "run").write_bytes(ROW)
        return {name: str(tmp_path / name) for name in ("qrels", "run")}

    def holes(path: Path, begin: bytes = b"") -> str:
        """A gigabyte of zeros that takes no room on the disk."""
        with open(path, "wb") as file:
            file.write(begin)
            file.truncate(HUGE)
        return str(path)

    def members(path: Path, begin: bytes, repeated: bytes, size: int = HUGE) -> str:
        """A gzip file of a few megabytes that holds a gigabyte."""
        step = repeated * ((1 << 22) // len(repeated))
        path.write_bytes(gzip.compress(begin) + gzip.compress(step) * (size // len(step)))
        return str(path)

    @pytest.mark.parametrize("position", ["qrels", "run"])
    def test_a_file_of_zeros_is_refused_in_little_memory(small, tmp_path, position):
        files = small | {position: holes(tmp_path / "zeros", begin=Path(small[position]).read_bytes())}
        said = f"irev: error: {files[position]}:2: this line contains a NUL byte; expected text\n"
        assert (2, b"", said) == in_little_memory(*files.values())

    @pytest.mark.parametrize("position", ["qrels", "run"])
    @pytest.mark.parametrize(
        ("repeated", "expected"),
        [(b"\0", "this line contains a NUL byte"), (b"x", "longer than 4 MiB"), (b"a ", "longer than 4 MiB")],
        ids=["zeros", "letters", "fields"],
    )
    def test_a_bomb_is_refused_in_little_memory(small, tmp_path, position, repeated, expected):
        bomb = members(tmp_path / "bomb", Path(small[position]).read_bytes(), repeated)
        status, stdout, stderr = in_little_memory(*(small | {position: bomb}).values())

        assert (2, b"") == (status, stdout)
        assert stderr.startswith(f"irev: error: {bomb}:2: ")
        assert expected in stderr

    def test_a_bomb_of_lines_is_read_in_little_memory(small, tmp_path):
        """128 MB of comments are a legal run."""
        bomb = members(tmp_path / "bomb", ROW, b"#" + b"x" * 998 + b"\n", 1 << 27)

        assert in_little_memory(small["qrels"], small["run"]) == in_little_memory(small["qrels"], bomb)

    @pytest.mark.parametrize("position", ["qrels", "run"])
    def test_what_never_ends_is_refused(small, position):
        """Of a device and of a pipe."""
        files = small | {position: "/dev/zero"}
        status, _, stderr = in_little_memory(*files.values())
        assert (2, "irev: error: /dev/zero:1: this line contains a NUL byte; expected text\n") == (status, stderr)

        with subprocess.Popen(["sh", "-c", "yes | tr -d '\\n'"], stdout=subprocess.PIPE) as endless:
            files[position] = "-"
            status, _, stderr = in_little_memory(*files.values(), stdin=endless.stdout.fileno())
            endless.stdout.close()

        assert (2, True) == (status, stderr.startswith("irev: error: <stdin>:1: the line is longer than 4 MiB"))
