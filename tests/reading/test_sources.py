"""Input: files, pipes and gzip, read once or twice, changing while they are read, and what cannot be read."""

import gzip
import io
import os
import subprocess
import sys
import threading

import pytest
from conftest import Started, environment
from shell import typed

from irev.base.errors import InputError
from irev.reading.sources import OpenFile, Source

LINES = b"".join(b"%d Q0 d%d 1 %d.5 tag\n" % (n % 7, n, n) for n in range(5000))


def content(source: Source, step: int = 1000) -> bytes:
    """All that is left, read in steps."""
    found = b""
    while True:
        room = bytearray(step)
        got = source.fill(memoryview(room))
        found += room[:got]
        if got < step:
            return found


@pytest.mark.parametrize("step", [1, 999, 1 << 20])
def test_a_file_is_read_as_it_is_and_again_after_rewinding(write, step):
    data = LINES[:3000]
    with Source(write(data)) as source:
        assert data == content(source, step)
        source.rewind()
        assert data == content(source, step)


def test_a_file_is_rewound_from_its_middle(write):
    with Source(write(LINES)) as source:
        source.fill(memoryview(bytearray(100)))
        source.rewind()
        assert LINES == content(source)


WHOLE = gzip.compress(LINES, mtime=0)


def append(path: str) -> None:
    with open(path, "ab") as file:
        file.write(b"8 Q0 a 1 1 tag\n")


CHANGES = {
    "longer": append,
    "shorter": lambda path: os.truncate(path, len(LINES) - 10),
    "emptied": lambda path: os.truncate(path, 0),
    "touched": lambda path: os.utime(path, ns=(0, 0)),
}
CHANGED = "the file changed while it was being read"


@pytest.mark.parametrize("change", CHANGES.values(), ids=CHANGES)
def test_a_file_that_changed_is_not_read_again(write, change):
    path = write(LINES)
    with Source(path) as source:
        assert LINES == content(source)
        change(path)
        with pytest.raises(InputError, match=CHANGED):
            source.rewind()


@pytest.mark.parametrize("change", CHANGES.values(), ids=CHANGES)
@pytest.mark.parametrize("compressed", [False, True], ids=["plain", "gzip"])
def test_a_file_that_changes_while_it_is_read_is_refused_at_its_end(write, change, compressed):
    """What was read is neither the old file nor the new one."""
    path = write(WHOLE if compressed else LINES)
    with Source(path) as source:
        source.fill(memoryview(bytearray(1000)))
        change(path)
        with pytest.raises(InputError, match=CHANGED):
            content(source)


@pytest.mark.parametrize("position", [0, 1])
def test_a_file_that_grows_while_it_is_read_prints_no_numbers(irev, write, monkeypatch, position):
    files = [write(b"1 0 d1 1\n2 0 d2 1\n", "qrels"), write(LINES, "run")]
    opened = OpenFile.peek

    def peek(self, size):
        found = opened(self, size)
        if self.name == files[position]:
            append(self.name)
        return found

    monkeypatch.setattr("irev.reading.sources.OpenFile.peek", peek)
    assert (2, b"", f"irev: error: {files[position]}: {CHANGED}; wait until it is complete\n") == irev(*files)


# An open file cannot be removed or replaced on Windows.
if os.name == "posix":

    @pytest.mark.parametrize("change", ["removed", "replaced"])
    def test_a_file_that_loses_its_name_while_it_is_read_is_read_to_its_end(write, change):
        """What was opened is still there, whole, and can be read again."""
        path = write(LINES)
        with Source(path) as source:
            source.fill(memoryview(bytearray(1000)))
            if change == "removed":
                os.unlink(path)
            else:
                os.replace(write(b"another\n", "other"), path)
            assert LINES[1000:] == content(source)
            source.rewind()
            assert LINES == content(source)


def test_the_size_that_is_told_is_that_of_the_bytes_to_come(write):
    with Source(write(LINES)) as plain, Source(write(WHOLE, "compressed")) as compressed:
        assert plain.size >= len(LINES)
        assert 0 == compressed.size  # unknown


def refusal(path: str) -> InputError:
    with pytest.raises(InputError) as refused:
        Source(path)
    return refused.value


def test_what_cannot_be_opened_is_named(tmp_path):
    missing, folder = str(tmp_path / "missing"), str(tmp_path)

    assert f"{missing}: there is no such file" == str(refusal(missing))
    assert f"{folder}: this is a directory; expected a file" == str(refusal(folder))
    assert "cannot be opened" in str(refusal("a\0b"))
    assert str(refusal(os.path.join(missing, "x"))).endswith("there is no such file")


def test_a_file_in_the_place_of_a_folder_is_named(write):
    assert "cannot be opened (Not a directory)" in str(refusal(os.path.join(write(b""), "x")))


# The superuser may read everything, and Windows has other rights.
if hasattr(os, "geteuid") and os.geteuid() != 0:

    def test_a_file_that_may_not_be_read_is_named(write):
        path = write(LINES)
        os.chmod(path, 0)

        assert f"{path}: cannot be opened (Permission denied)" == str(refusal(path))


def test_standard_input_is_read_from_where_it_stands(write, monkeypatch):
    """A shell that read a line of it before leaves the rest."""
    with open(write(LINES), "rb", buffering=0) as file, io.TextIOWrapper(io.BufferedReader(file)) as stdin:
        file.seek(len(LINES) // 2)
        monkeypatch.setattr("sys.stdin", stdin)
        with Source("-") as source:
            assert "<stdin>" == source.name
            assert LINES[len(LINES) // 2 :] == content(source)
            source.rewind()
            assert LINES[len(LINES) // 2 :] == content(source)


def test_standard_input_stays_open_for_others(write, monkeypatch):
    with open(write(LINES)) as stdin:
        monkeypatch.setattr("sys.stdin", stdin)
        with Source("-") as source:
            content(source)
        assert 0 <= os.lseek(stdin.fileno(), 0, os.SEEK_CUR)


def test_closed_standard_input_is_refused(monkeypatch):
    stdin = io.StringIO()
    stdin.close()
    monkeypatch.setattr("sys.stdin", stdin)

    assert "<stdin>: cannot be opened" in str(refusal("-"))


def test_no_standard_input_at_all_is_refused(monkeypatch):
    monkeypatch.setattr("sys.stdin", None)

    assert "<stdin>: standard input is closed" in str(refusal("-"))


# Windows has no named pipes of this kind.
if hasattr(os, "mkfifo"):

    @pytest.fixture
    def pipe(tmp_path):
        """``pipe(content)`` gives the path of a named pipe that the content is being written to."""
        writers = []

        def pipe(data: bytes) -> str:
            path = str(tmp_path / f"pipe{len(writers)}")
            os.mkfifo(path)

            def write() -> None:
                try:
                    with open(path, "wb") as stream:
                        stream.write(data)
                except BrokenPipeError:
                    return  # the reader had enough

            writers.append(threading.Thread(target=write))
            writers[-1].start()
            return path

        yield pipe
        for writer in writers:
            writer.join()

    @pytest.mark.parametrize("sent", [LINES, WHOLE], ids=["plain", "gzip"])
    @pytest.mark.parametrize("read", [1 << 20, 1, 1000], ids=["whole", "one byte", "a part"])
    def test_a_pipe_can_be_read_again_however_much_of_it_was_read(pipe, sent, read):
        with Source(pipe(sent)) as source:
            source.fill(memoryview(bytearray(read)))
            source.rewind()
            assert LINES == content(source)
            source.rewind()
            assert LINES == content(source)

    def test_a_long_run_with_scattered_queries_is_read_from_a_pipe_as_from_a_file(irev, pipe, write, monkeypatch):
        """Long enough that a query has come back before all of it was read."""
        monkeypatch.setattr("irev.reading.chunks.SIZE", 1 << 16)
        run = b"".join(b"%d Q0 d%d 1 %d.5 tag\n" % (n % 100, n, n) for n in range(20_000))
        qrels = write(b"".join(b"%d 0 d%d 1\n" % (n, n + 10_000) for n in range(100)), "qrels")
        wanted = ("-q", "-m", "num_ret", "-m", "map", "-m", "runid")
        expected = irev(*wanted, qrels, write(run, "run"))

        assert 0 == expected.status
        assert expected == irev(*wanted, qrels, pipe(run))

    def test_judgments_too_may_come_from_a_pipe(irev, pipe, write):
        qrels, run = b"".join(b"%d 0 d%d 1\n" % (n % 7, n) for n in range(5000)), write(LINES, "run")

        assert irev(write(qrels, "qrels"), run) == irev(pipe(qrels), run)

    def test_a_pipe_that_nobody_wrote_to_is_empty_and_stays_so(pipe):
        with Source(pipe(b"")) as source:
            assert b"" == content(source)
            source.rewind()
            assert b"" == content(source)

    def test_both_files_may_be_pipes(irev, pipe, write):
        qrels = b"".join(b"%d 0 d%d 1\n" % (n % 7, n) for n in range(5000))

        assert irev(write(qrels, "qrels"), write(LINES, "run")).stdout == irev(pipe(qrels), pipe(WHOLE)).stdout

    @pytest.fixture(params=[0, 1024], ids=["few", "many"])
    def open_files(request):
        """So many files are open: descriptors above 1,023 do not fit everywhere."""
        resource = pytest.importorskip("resource")
        soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
        if hard != resource.RLIM_INFINITY and hard < 2048:
            pytest.skip("no process may open so many files here")
        resource.setrlimit(resource.RLIMIT_NOFILE, (max(soft, 2048), hard))
        held = [os.open(os.devnull, os.O_RDONLY) for _ in range(request.param)]
        yield
        for descriptor in held:
            os.close(descriptor)
        resource.setrlimit(resource.RLIMIT_NOFILE, (soft, hard))

    @pytest.mark.usefixtures("open_files")
    def test_a_pipe_that_does_not_block_is_waited_for():
        """As one that is shared with a program that set it so."""
        reader, writer = os.pipe()
        os.set_blocking(reader, False)

        def slowly() -> None:
            with open(writer, "wb", buffering=0) as stream:
                for begin in range(0, len(LINES), 30_000):
                    threading.Event().wait(0.005)
                    stream.write(LINES[begin : begin + 30_000])

        thread = threading.Thread(target=slowly, daemon=True)
        thread.start()
        with Source(f"/dev/fd/{reader}") as source:
            os.set_blocking(source._bytes._file.fileno(), False)
            assert LINES == content(source)
        thread.join()
        os.close(reader)

    def test_process_substitution_serves_for_either_file(tmp_path, write):
        write(b"".join(b"%d 0 d%d 1\n" % (n % 7, n) for n in range(5000)), "qrels")
        write(LINES, "run")
        write(WHOLE, "run.gz")
        expected = typed("irev -q qrels run", tmp_path)

        assert expected[1]
        assert [expected] * 3 == [
            typed(f"irev -q {files}", tmp_path)
            for files in ("<(cat qrels) run", "qrels <(gzip -dc run.gz)", "<(cat qrels) <(cat run.gz)")
        ]

    def test_a_pipe_that_does_not_fit_the_temporary_folder_is_an_error(process, tmp_path, write):
        """No file may grow beyond a hundred kilobytes, as on a full disk."""
        write(b"1 0 d1 1\n", "qrels")
        write(LINES * 2, "run")
        said = "irev: error: <stdin>: cannot be kept in a temporary file (File too large)\n"
        assert (2, "", said) == typed("ulimit -f 100; cat run | irev qrels -", tmp_path)


def test_two_processes_read_the_same_files(write):
    qrels = write(b"".join(b"%d 0 d%d 1\n" % (n % 7, n) for n in range(5000)), "qrels")
    command = [sys.executable, "-m", "irev", "-q", qrels, write(WHOLE, "run")]
    both = [Started(command, stdout=subprocess.PIPE, env=environment()) for _ in range(2)]
    found = [process.communicate(timeout=60)[0] for process in both]

    assert [0, 0] == [process.returncode for process in both]
    assert found[0].startswith(b"num_q ") or b"\nnum_q " in found[0]
    assert found[0] == found[1]
