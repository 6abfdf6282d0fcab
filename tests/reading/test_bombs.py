"""What a few bytes can ask for is bounded: decompression, small files, JSON, and memory itself."""

import gzip
import os
import subprocess
import sys

import numpy as np
import pytest
from conftest import ROOT, environment
from outcomes import refused

import irev as package
from irev.base.errors import Faults, InputError
from irev.base.settings import Settings
from irev.reading import fields, limits, runs
from irev.reading.sources import Source

JUDGMENT, ROW = b"q1 0 d1 1\n", b"q1 Q0 d1 1 2.5 tag\n"
COMMENT = b"#" + b" nothing" * 100 + b"\n"


def remedy(stderr: str) -> str:
    """What a message says to do."""
    return stderr.rstrip("\n").rpartition("; ")[2]


@pytest.fixture
def limited(monkeypatch):
    """Bounds that small files pass."""
    monkeypatch.setattr(limits, "SMALL", 2000)
    monkeypatch.setattr("irev.reading.lists.CONFIGURATION", 2000)
    monkeypatch.setattr(limits, "RECORD", 50_000)
    monkeypatch.setattr(limits, "LARGE", 100_000)
    monkeypatch.setattr(limits, "RATIO", 50)


# Decompression


@pytest.mark.usefixtures("limited")
@pytest.mark.parametrize("bomb", ["qrels", "run"])
def test_what_decompresses_to_implausibly_much_is_read_when_asked_for(irev, write, bomb, monkeypatch):
    files = {"qrels": write(JUDGMENT, "qrels"), "run": write(ROW, "run")}
    alone = irev("eval", *files.values())
    files[bomb] = write(gzip.compress({"qrels": JUDGMENT, "run": ROW}[bomb] + COMMENT * 1000), "bomb")
    refused = irev("eval", *files.values())

    assert (2, b"") == (refused.status, refused.stdout)
    assert f"irev: error: {files[bomb]}: " in refused.stderr
    assert "of the file decompress to more than 97.7 kB, 50 times as much" in refused.stderr
    assert "if that is right, set IREV_ALLOW_LARGE=1" == remedy(refused.stderr)
    monkeypatch.setenv("IREV_ALLOW_LARGE", "1")
    assert alone == irev("eval", *files.values())


@pytest.mark.usefixtures("limited")
def test_the_python_interface_has_the_same_bound_and_environment(write, monkeypatch):
    judgments, run = write(JUDGMENT, "qrels"), write(gzip.compress(ROW + COMMENT * 1000), "bomb")

    with pytest.raises(InputError, match="50 times as much"):
        package.evaluate(judgments, run, "AP")
    monkeypatch.setenv("IREV_ALLOW_LARGE", "1")
    assert 1.0 == package.evaluate(judgments, run, "AP").mean()["AP"]


@pytest.mark.usefixtures("limited")
def test_large_files_that_shrink_little_and_small_ones_that_shrink_much_are_read(irev, write):
    judgments = write(JUDGMENT, "qrels")
    alone = irev("eval", judgments, write(ROW, "run"))
    noise = np.random.default_rng(1).integers(33, 126, 200_000, dtype=np.uint8).tobytes()
    large = ROW + b"".join(b"#" + noise[i : i + 1000] + b"\n" for i in range(0, len(noise), 1000))

    assert alone == irev("eval", judgments, write(large, "large"))
    assert alone == irev("eval", judgments, write(gzip.compress(large), "large.gz"))
    assert alone == irev("eval", judgments, write(gzip.compress(ROW + COMMENT * 100), "small.gz"))


def test_a_file_that_is_read_again_is_measured_anew(write, monkeypatch):
    """Scattered queries make a run be read twice: that is not twice as much."""
    rows = b"".join(b"q%d Q0 d%d 1 2 tag\n" % (i % 2, i) for i in range(1000))
    monkeypatch.setattr(limits, "LARGE", len(rows) + 10)
    monkeypatch.setattr(limits, "RATIO", 1)
    with Source(write(gzip.compress(rows), "run")) as source:
        _, reading = runs.read(source, lambda block: None, Settings())

    assert 1000 == reading.rows


# Small files


SMALL_FILES = {
    "queries": (b"q1\n", ("eval", "--queries", "{}", "QRELS", "RUN")),
    "list": (b"RUN\n", ("eval", "QRELS", "@{}")),
    "groups": (b"q1\tone\n", ("eval", "--groups", "{}", "QRELS", "RUN")),
    "topics": (b"q1\n", ("validate", "--topics", "{}", "QRELS", "RUN")),
    "subset": (b"q1\n", ("agree", "QRELS", "a=RUN", "b=RUN", "--subset", "x={}")),
    "configuration": (b'qrels = "QRELS"\nruns = ["RUN"]\nmin = {AP = 0.1}\n', ("check", "--config", "{}")),
}


@pytest.mark.usefixtures("limited")
@pytest.mark.parametrize("kind", SMALL_FILES)
@pytest.mark.parametrize("packed", [False, True])
def test_a_small_file_has_a_largest_size(irev, write, kind, packed):
    content, words = SMALL_FILES[kind]
    paths = {"QRELS": write(JUDGMENT, "qrels"), "RUN": write(ROW, "run")}
    for name, path in paths.items():
        content = content.replace(name.encode(), path.encode())

    def typed(word: str, path: str) -> str:
        name, equals, file = word.rpartition("=")
        return name + equals + paths.get(file, file.format(path))

    def outcome(size: int) -> str:
        filled = content + b"\n" * (size - len(content))
        path = write(gzip.compress(filled) if packed else filled, "file")
        return irev(*(typed(word, path) for word in words)).stderr

    assert "holds more than" not in outcome(2000)
    assert "file: the file has more than 2.0 kB; is it the right file?" in outcome(2001)


def test_a_configuration_has_a_size_of_its_own(irev, write):
    path = write(b"\n" * ((1 << 20) + 1), "irev.toml")

    expected = f"irev: error: {path}: the file has more than 1 MB; is it the right file?\n"
    assert (2, b"", expected) == irev("check", "--config", path)


@pytest.mark.parametrize("part", [b"a", b"'.'", rb'"\"."'])
@pytest.mark.parametrize("written", [b"\n%s = 1", b"\n[%s]", b"\n[[%s]]", b"\nx = {y = 1, %s = 1}"])
@pytest.mark.parametrize("dot", [b".", b" .\t"])
def test_the_keys_of_a_configuration_have_so_many_parts_at_most(irev, write, part, written, dot):
    """Reading more takes the square of their number, in memory too."""

    def refused(parts: int) -> str:
        path = write(written % dot.join([part] * parts), "irev.toml")
        return irev("check", "--config", path).stderr.replace(path, "irev.toml")

    expected = "irev: error: irev.toml:2: a key has more than 32 parts; is it the right file?\n"
    assert refused(33) == refused(20_000) == expected
    assert "parts" not in refused(32)


def test_values_of_a_configuration_may_have_any_number_of_dots(irev, write):
    given = b'gains = "%s"\n#%s\nx = [%s]' % (b". " * 99, b"." * 99, b"0.5, " * 99)

    assert "there is no key 'x'" in irev("check", "--config", write(given, "irev.toml")).stderr


@pytest.mark.usefixtures("limited")
@pytest.mark.parametrize("words", [("show",), ("compare", "--scores")])
def test_a_saved_result_may_be_larger_unless_it_swells(irev, write, words):
    opening = b'{"format": "irev result", "x": "'
    noise = np.random.default_rng(1).integers(97, 122, 60_000, dtype=np.uint8).tobytes()

    def refused(content: bytes) -> str:
        stderr = irev(*words, *[write(content, "record")] * (1 + len(words) // 2)).stderr
        return stderr.partition("record: ")[2]

    assert not refused(opening + noise[:40_000] + b'"}').startswith("the file holds")
    assert refused(opening + noise + b'"}').startswith("the file has more than 48.8 kB")
    assert refused(gzip.compress(opening + b"x" * 40_000 + b'"}')).startswith("the file has more than 2.0 kB")


# JSON


JSON_LINES = b'{"q1": {"d1": 2.5, "d2": 1}, "q2": {"d1": 3}}'


@pytest.fixture
def short(limited, monkeypatch):
    """JSON read a few bytes at a time, so that values are put together."""
    monkeypatch.setattr("irev.reading.chunks.SIZE", 64)


@pytest.mark.usefixtures("short")
@pytest.mark.parametrize(
    ("longer", "fact"),
    [
        (JSON_LINES.replace(b"}", b"," + b" " * 5000 + b'"d3": 1}', 1), "a value is longer than 2.0 kB"),
        (JSON_LINES.replace(b"}", b"0" * 5000 + b"}", 1), "a value is longer than 2.0 kB"),
    ],
    ids=["blanks in a value", "digits"],
)
def test_values_of_json_have_a_largest_size(irev, write, longer, fact, monkeypatch):
    judgments = write(JUDGMENT + b"q2 0 d1 1\n", "qrels")
    path = write(longer, "run.json")
    refused = irev("eval", judgments, path)

    assert (2, b"", f"irev: error: {path}: {fact}; write it in lines, or set IREV_ALLOW_LARGE=1\n") == refused
    expected = irev("eval", "-m", "num_q", judgments, write(JSON_LINES, "short.json"))
    monkeypatch.setenv("IREV_ALLOW_LARGE", "1")
    assert expected == irev("eval", "-m", "num_q", judgments, path)


@pytest.mark.thorough
@pytest.mark.usefixtures("short")
def test_values_of_json_that_are_small_are_read_however_many_there_are(irev, write):
    """And whatever brackets stand in their ids."""
    queries = b", ".join(b'"q%d": {"}d%d": 2.5, "[{": 1}' % (i, i) for i in range(1000))
    judgments = write(b"".join(b"q%d 0 }d%d 1\n" % (i, i) for i in range(1000)), "qrels")

    assert (
        b"1.0000" == irev("eval", "-m", "map", judgments, write(b"{" + queries + b"}", "run.json")).stdout.split()[-1]
    )


# Memory


@pytest.mark.skipif(sys.platform != "linux", reason="only Linux holds a process to RLIMIT_DATA")
class TestMemory:
    @staticmethod
    def bounded(bound: int, *arguments: str) -> subprocess.CompletedProcess[bytes]:
        """The command where a shell has set a limit."""
        return subprocess.run(
            ["sh", "-c", f'ulimit -d {bound >> 10}; exec "$0" -m irev "$@"', sys.executable, *arguments],
            capture_output=True,
            timeout=60,
            cwd=ROOT,
            env=environment(),
        )

    @pytest.mark.parametrize("kilobytes", [30_000, 60_000, 80_000, 100_000])
    def test_too_little_memory_for_libraries_is_refused_in_words(self, kilobytes):
        """Some of them raise one error or another, and OpenBLAS ends the process."""
        done = subprocess.run(
            [
                *("sh", "-c", f'ulimit -v {kilobytes}; exec "$0" -m irev "$@"'),
                *(sys.executable, "sample_data/qrels.txt", "sample_data/keyword.run"),
            ],
            capture_output=True,
            timeout=60,
            cwd=ROOT,
            env=environment(),
        )
        assert (2, b"") == (done.returncode, done.stdout)
        assert b"irev: error: memory ran out" in done.stderr
        assert b"Traceback" not in done.stderr
        assert b"internal error" not in done.stderr

    @pytest.mark.thorough
    @pytest.mark.parametrize("position", ["qrels", "run"])
    def test_a_file_that_does_not_fit_is_an_error_that_says_so(self, tmp_path, position):
        contents = {"qrels": JUDGMENT, "run": ROW}
        contents[position] = b"".join(
            (b"q1 0 document-%d 1\n" if position == "qrels" else b"q1 Q0 document-%d 1 2.5 tag\n") % i
            for i in range(1_500_000)
        )
        for name, content in contents.items():
            (tmp_path / name).write_bytes(content)
        done = self.bounded(120 << 20, "eval", *(str(tmp_path / name) for name in contents))

        assert (2, b"") == (done.returncode, done.stdout)
        said = done.stderr.decode()
        assert said.startswith(f"irev: error: {tmp_path / position}: memory ran out when ")
        assert (
            f" of {limits.amount(len(contents[position]))} of the file had been read (irev may use 120 MB here); "
            in said
        )

    def test_the_command_uses_at_most_the_share_unless_the_user_has_set_another_limit(self):
        script = (
            "import resource, irev.cli, irev.__main__; from irev.reading import limits; irev.__main__.main();"
            "print(resource.getrlimit(resource.RLIMIT_DATA)[0], int((limits.memory() or 0) * limits.SHARE))"
        )
        words = [sys.executable, "-c", f"import sys; sys.argv[1:] = ['--version']; {script}"]
        free = subprocess.run(words, capture_output=True, text=True, env=environment())
        mine = subprocess.run(["sh", "-c", 'ulimit -d 1000000; exec "$0" "$@"', *words], capture_output=True, text=True)
        limit, share = free.stdout.split()[-2:]

        assert limit == share
        assert str(1_000_000 << 10) == mine.stdout.split()[-2]


def test_the_memory_of_a_container_counts_where_it_is_less(monkeypatch, tmp_path):
    machine = os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")
    for written, expected in (("max", machine), (f"{machine * 2}", machine), ("123456", 123_456), (None, machine)):
        path = tmp_path / f"{written}"
        if written is not None:
            path.write_text(f"{written}\n")
        monkeypatch.setattr(limits, "GROUPS", (str(path),))

        assert expected == limits.memory()


def test_amounts_of_memory_are_written_as_people_read_them():
    amounts = {0: "0 bytes", 1023: "1023 bytes", 1024: "1 kB", 1536: "1.5 kB", 1 << 26: "64 MB", 150 << 20: "150 MB"}
    amounts |= {(1 << 30) + 1: "1.0 GB", 5000 << 30: "5000 GB"}

    assert amounts == {size: limits.amount(size) for size in amounts}


def test_parquet_that_memory_does_not_hold_is_not_called_damaged(irev, tmp_path, monkeypatch):
    """Ids that stand in a dictionary are small in the file and large in memory."""
    pyarrow = pytest.importorskip("pyarrow")
    parquet = pytest.importorskip("pyarrow.parquet")

    def exhausted(*_, **__):
        raise pyarrow.ArrowMemoryError("malloc of size 2000000000 failed")

    table = pyarrow.table({"query_id": ["q"], "doc_id": ["d"], "score": [1.0]})
    parquet.write_table(table, tmp_path / "run.parquet")
    (tmp_path / "qrels").write_bytes(b"q 0 d 1\n")
    monkeypatch.setattr(parquet.ParquetFile, "iter_batches", exhausted)
    status, stdout, stderr = irev(str(tmp_path / "qrels"), str(tmp_path / "run.parquet"))

    assert (2, b"") == (status, stdout)
    assert f"{tmp_path / 'run.parquet'}: memory ran out when " in stderr
    assert "damaged" not in stderr


def test_faulty_lines_of_a_run_are_counted_chunk_by_chunk_though_they_begin_alike(write, monkeypatch):
    longest = []

    def watched(text, begin, end, *others):
        longest.append(end - begin)
        return fields.split(text, begin, end, *others)

    monkeypatch.setattr("irev.reading.runs.split", watched)
    found = Faults(3)
    with Source(write(b"q1 Q0 d1 1 2.5\n" * 2000, "run")) as source:
        runs.read(source, lambda block: None, Settings(), faults=found, size=1000)

    assert (found.counts["E101"], len(found.earliest())) == (2000, 3)
    assert max(longest) <= 1000


def test_rows_of_parquet_that_are_more_than_plausible_are_not_read(irev, tmp_path, monkeypatch):
    pyarrow = pytest.importorskip("pyarrow")
    parquet = pytest.importorskip("pyarrow.parquet")
    monkeypatch.setattr(limits, "LARGE", 1 << 20)
    rows = 300_000
    table = pyarrow.table({"query_id": ["q1"] * rows, "doc_id": ["d1"] * rows, "relevance": [1] * rows})
    parquet.write_table(table, tmp_path / "qrels")
    (tmp_path / "run").write_bytes(ROW)
    monkeypatch.setattr(parquet.ParquetFile, "iter_batches", None)

    refused(irev(str(tmp_path / "qrels"), str(tmp_path / "run")), "decompress to more than 1 MB, 200 times as much")
