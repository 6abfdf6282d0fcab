"""Compressed input: recognised by content, read to its last byte, and refused when it is damaged or cut short."""

import bz2
import gzip
import lzma
import os
import subprocess
import sys
import threading
import tracemalloc
import zlib
from collections.abc import Callable, Iterator
from contextlib import contextmanager

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from outcomes import refused

from irev.base.errors import InputError
from irev.reading.sources import COMPRESSIONS, Source

if sys.version_info >= (3, 14):
    from compression import zstd
else:
    from backports import zstd

LINES = b"".join(b"%d Q0 d%d 1 %d.5 tag\n" % (n % 7, n, n) for n in range(5000))
FEW = LINES[:200]
CHECKED = {zstd.CompressionParameter.checksum_flag: 1}
"""As the command zstd has it, and its library does not: without a checksum nobody can notice a changed letter."""

COMPRESS: dict[str, Callable[[bytes], bytes]] = {
    "gzip": lambda data: gzip.compress(data, mtime=0),
    "bzip2": bz2.compress,
    "xz": lambda data: lzma.compress(data, preset=0),
    "zstd": lambda data: zstd.compress(data, options=CHECKED),
}
KINDS = ["gzip", "gzip, standard library", "bzip2", "xz", "zstd"]


@contextmanager
def without(*modules: str) -> Iterator[None]:
    """As if these modules were not installed."""
    known = {name: sys.modules[name] for name in modules if name in sys.modules}
    sys.modules.update(dict.fromkeys(modules))
    try:
        yield
    finally:
        for name in modules:
            del sys.modules[name]
        sys.modules.update(known)


@pytest.fixture(params=KINDS)
def kind(request) -> Iterator[str]:
    """The name of a compression; gzip once by isal and once by the standard library."""
    name, _, alone = request.param.partition(", ")
    with without(*(["isal"] if alone else [])):
        yield name


def content(source: Source, step: int = 1000) -> bytes:
    """All that is left, read in steps."""
    found = bytearray()
    room = bytearray(step)
    while True:
        got = source.fill(memoryview(room))
        found += room[:got]
        if got < step:
            return bytes(found)


def outcome(path: str) -> bytes | str:
    """What a file holds, or the fact for which it is refused."""
    try:
        with Source(path) as source:
            return content(source)
    except InputError as error:
        return error.fact


def test_the_table_has_every_kind_once():
    assert list(COMPRESS) == [kind.name for kind in COMPRESSIONS]


def test_no_mark_is_the_beginning_of_another():
    marks = [mark for kind in COMPRESSIONS for mark in kind.marks]

    assert [] == [(a, b) for a in marks for b in marks if a != b and a.startswith(b)]


# Whole


@pytest.mark.parametrize("name", ["run", "run.gz", "run.txt"])
@pytest.mark.parametrize("step", [1 << 20, 777])
def test_it_is_recognised_by_content_whatever_the_name(kind, write, name, step):
    with Source(write(COMPRESS[kind](LINES), name)) as source:
        assert LINES == content(source, step)
        source.rewind()
        assert LINES == content(source, step)


def test_streams_that_follow_one_another_are_read_as_one(kind, write):
    compress = COMPRESS[kind]
    parts = (b"", LINES[:1000], LINES[1000:1001], b"", LINES[1001:], b"")

    assert LINES == outcome(write(b"".join(map(compress, parts))))


def test_thousands_of_small_streams_are_read_as_one(kind, write):
    """As tools write them that make compressed files which can be read from their middle."""
    assert FEW * 3000 == outcome(write(COMPRESS[kind](FEW) * 3000))


def test_an_empty_file_that_was_compressed_is_empty(irev, kind, write):
    empty, run = write(COMPRESS[kind](b"")), write(LINES, "run")

    assert b"" == outcome(empty)
    assert irev(empty, run).stderr.startswith(f"irev: error: {empty}: the file is empty; expected lines such as ")


def test_what_does_not_compress_is_read_too(kind, write):
    noise = os.urandom(300_000)

    assert noise == outcome(write(COMPRESS[kind](noise)))


def test_either_file_may_be_compressed_and_come_by_standard_input(irev, kind, write):
    compress = COMPRESS[kind]
    judged = b"".join(b"%d 0 d%d 1\n" % (n % 7, n) for n in range(100))
    qrels, run = write(judged, "qrels"), write(LINES, "run")
    expected = irev("-q", qrels, run)

    assert expected.stdout
    assert expected == irev("-q", write(compress(judged), "qrels.compressed"), run)
    assert expected.stdout == irev("-q", qrels, "-", stdin=compress(LINES)).stdout
    assert expected.stdout == irev("-q", "-", run, stdin=compress(judged)).stdout


def test_a_file_with_the_name_of_an_archive_is_read_as_it_is(write):
    assert FEW == outcome(write(FEW, "run.gz"))


@pytest.mark.parametrize(
    "text", [b"BZh9 0 a 1\n", b"BZh 0 a 1\n", b"(\xb5/ 0 a 1\n", b"\xfd7zXZ 0 a 1\n", b"\x1f 0 a\n"]
)
def test_text_that_begins_nearly_like_an_archive_is_text(write, text):
    assert text == outcome(write(text))


def test_zstd_frames_that_are_to_be_skipped_are_skipped(write):
    skippable = b"\x5f\x2a\x4d\x18\x05\0\0\0hello"

    assert FEW == outcome(write(skippable + zstd.compress(FEW) + skippable))


# Windows has no named pipes of this kind.
if hasattr(os, "mkfifo"):

    @pytest.mark.parametrize("first", [1, 3, 20])
    def test_a_pipe_that_gives_its_first_bytes_one_by_one_is_recognised(kind, tmp_path, first):
        path, data = str(tmp_path / "pipe"), COMPRESS[kind](FEW)
        os.mkfifo(path)

        def write() -> None:
            with open(path, "wb", buffering=0) as stream:
                for n in range(first):
                    stream.write(data[n : n + 1])
                    threading.Event().wait(0.002)
                stream.write(data[first:])

        writer = threading.Thread(target=write)
        writer.start()
        with Source(path) as source:
            assert FEW == content(source)
            source.rewind()
            assert FEW == content(source)
        writer.join()


# Damaged


@pytest.mark.thorough
def test_every_file_that_is_cut_short_is_refused(kind, write):
    data = COMPRESS[kind](FEW)
    recognised = range(10 if kind == "bzip2" else 6 if kind == "xz" else 4 if kind == "zstd" else 2, len(data))

    assert {f"the {kind} data are cut short"} == {outcome(write(data[:length])) for length in recognised}


@pytest.mark.thorough
def test_every_second_stream_that_is_cut_short_is_refused(kind, write):
    data = COMPRESS[kind](FEW)
    facts = {outcome(write(data + data[:length])) for length in range(1, len(data))}

    assert {f"the {kind} data are cut short", f"the {kind} data are followed by other data"} == facts


@pytest.mark.parametrize("garbage", [b"x", b"1 0 a 1\n", b"\n", b"\xff" * 100_000, b"\0" * 12 + b"x"])
def test_something_else_behind_it_is_refused(kind, write, garbage):
    assert f"the {kind} data are followed by other data" == outcome(write(COMPRESS[kind](FEW) + garbage))


@pytest.mark.parametrize("zeros", [1, 4, 512, 100_000])
def test_zeros_behind_it_are_padding_where_they_may_be(kind, write, zeros):
    found = outcome(write(COMPRESS[kind](FEW) + bytes(zeros)))

    assert found == (FEW if kind in ("gzip", "xz") else f"the {kind} data are followed by other data")


@pytest.mark.parametrize("other", COMPRESS)
def test_one_kind_behind_another_is_refused(kind, write, other):
    found = outcome(write(COMPRESS[kind](FEW) + COMPRESS[other](FEW)))

    assert found == (FEW * 2 if kind == other else f"the {kind} data are followed by other data")


def test_a_changed_byte_is_refused_or_changes_nothing(kind, write):
    """Some bytes, such as the time in a header of gzip, have no meaning. In the mark they make it text."""
    data = COMPRESS[kind](FEW)
    for place in range(10, len(data)):
        found = outcome(write(data[:place] + bytes([data[place] ^ 0x55]) + data[place + 1 :]))
        assert found == FEW or str(found).startswith(f"the {kind} data are "), place


@settings(max_examples=200)
@given(st.sampled_from(KINDS), st.binary(max_size=200), st.integers(0, 100), st.integers(0, 40))
def test_nonsense_in_the_middle_is_refused(tmp_path_factory, kind, nonsense, place, dropped):
    name, _, alone = kind.partition(", ")
    data = COMPRESS[name](FEW)
    path = tmp_path_factory.getbasetemp() / "nonsense"
    path.write_bytes(data[: 10 + place] + nonsense + data[10 + place + dropped :])
    with without(*(["isal"] if alone else [])):
        found = outcome(str(path))

    assert found == FEW or str(found).startswith(f"the {name} data are ")


@pytest.mark.parametrize("position", [0, 1])
def test_damaged_data_print_no_numbers(irev, kind, write, position):
    files = [write(b"1 0 d1 1\n", "qrels"), write(LINES, "run")]
    files[position] = write(COMPRESS[kind](LINES)[:-4], "damaged")
    status, stdout, stderr = irev(*files)

    assert (2, b"") == (status, stdout)
    assert stderr == f"irev: error: {files[position]}: the {kind} data are cut short; download or make the file again\n"


@pytest.mark.thorough
def test_a_long_run_that_is_cut_short_prints_no_numbers(irev, kind, write, monkeypatch):
    """Found by a thread, long after the first chunk."""
    monkeypatch.setattr("irev.reading.chunks.SIZE", 1 << 16)
    run = b"".join(b"%d Q0 d%d 1 %d.5 tag\n" % (n // 100, n, n) for n in range(50_000))
    outcome = irev(write(b"1 0 d1 1\n", "qrels"), write(COMPRESS[kind](run)[:-4], "run"))
    refused(outcome, f"the {kind} data are cut short")


UNREADABLE = {
    "a zip archive": b"PK\x03\x04\x14\0",
    "a 7z archive": b"7z\xbc\xaf\x27\x1c\0\x04",
    "compressed by lz4": b"\x04\x22\x4d\x18\x64\x40",
    "compressed by compress": b"\x1f\x9d\x90",
}


@pytest.mark.parametrize("what", UNREADABLE)
def test_other_archives_are_named(irev, write, what):
    path = write(UNREADABLE[what] + b"1 0 a 1\n")

    assert irev(path, path).stderr == (
        f"irev: error: {path}: this is {what}; unpack it; irev reads files compressed as gzip, bzip2, xz, zstd\n"
    )


# Installed or not


def test_zstd_that_is_not_installed_says_how_to_install_it(irev, write):
    path = write(COMPRESS["zstd"](FEW))
    with without("compression" if sys.version_info >= (3, 14) else "backports"):
        outcome = irev(path, path)
    assert (2, b"", f"irev: error: {path}: the zstd data cannot be read; pip install backports.zstd\n") == outcome


@pytest.mark.parametrize(("kind", "module"), [("bzip2", "bz2"), ("xz", "lzma")])
def test_a_python_without_a_module_says_which(write, kind, module):
    path = write(COMPRESS[kind](FEW))
    with without(module), pytest.raises(InputError) as refused:
        Source(path)

    assert f"install a Python with the module {module}" == refused.value.remedy


def test_text_needs_none_of_these_modules(write):
    path = write(FEW)
    script = (
        "import sys; from irev.reading.sources import Source; Source(sys.argv[1]).__exit__();"
        "print([m for m in ('bz2', 'lzma', 'gzip', 'isal', 'backports.zstd', 'tempfile') if m in sys.modules])"
    )
    done = subprocess.run([sys.executable, "-S", "-c", script, path], capture_output=True, cwd=os.getcwd())

    assert (b"[]\n", b"") == (done.stdout, done.stderr)


# Bombs


@pytest.mark.thorough
def test_a_bomb_takes_no_more_memory_than_what_is_asked_for(kind, write):
    """A hundred million zeros, of which a few thousand bytes are left."""
    size = 100_000_000
    path = write(COMPRESS[kind](bytes(size)))
    room = memoryview(bytearray(1 << 16))
    tracemalloc.start()
    try:
        with Source(path) as source:
            found = sum(iter(lambda: source.fill(room), 0))
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()

    assert size == found
    assert peak < 3_000_000


@pytest.mark.thorough
def test_a_stream_that_wants_too_much_memory_is_refused(write):
    """xz and zstd say beforehand how much of what was read they look back to."""
    filters = [{"id": lzma.FILTER_LZMA2, "dict_size": 1 << 20, "preset": 0}]
    greedy = bytearray(lzma.compress(FEW, filters=filters))
    place = greedy.index(b"\x21\x01", 12) + 2
    greedy[place] = 37  # two gigabytes
    header = 12 + (greedy[12] + 1) * 4
    greedy[header - 4 : header] = zlib.crc32(greedy[12 : header - 4]).to_bytes(4, "little")

    assert "the xz data are damaged (Memory usage limit exceeded)" == outcome(write(bytes(greedy)))
    far = {zstd.CompressionParameter.window_log: 30, zstd.CompressionParameter.enable_long_distance_matching: 1}
    streamed = zstd.ZstdCompressor(options=far)
    frame = streamed.compress(FEW) + streamed.flush()
    assert str(outcome(write(frame))).startswith("the zstd data are damaged (")
