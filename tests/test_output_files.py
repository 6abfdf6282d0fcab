"""Output is never lost and never destroys: full disks, interrupts, inputs that go by other names."""

import os
import stat
import subprocess
import sys
from pathlib import Path

import pytest
from conftest import all_of_terminal, environment
from shell import typed

QRELS = b"1 0 a 1\n1 0 b 0\n2 0 a 1\n"
RUN = b"1 Q0 a 1 3.0 tag\n1 Q0 x 2 2.0 tag\n2 Q0 b 1 2.0 tag\n"


@pytest.fixture
def folder(tmp_path, monkeypatch) -> Path:
    """A current folder with the files `qrels`, `run` and `out`, which holds an older output."""
    (tmp_path / "qrels").write_bytes(QRELS)
    (tmp_path / "run").write_bytes(RUN)
    (tmp_path / "out").write_bytes(b"old")
    monkeypatch.chdir(tmp_path)
    return tmp_path


def untouched(folder: Path) -> bool:
    """Whether there is nothing but the older output and the inputs, as they were."""
    files = {path.name: path.read_bytes() for path in folder.iterdir()}
    return files == {"qrels": QRELS, "run": RUN, "out": b"old"}


# Written or not


def test_a_file_gets_what_standard_output_gets(irev, folder):
    expected = irev("-q", "qrels", "run")

    assert (0, b"") == irev("-q", "-o", "out", "qrels", "run")[:2]
    assert expected.stdout == Path("out").read_bytes()
    assert ["out", "qrels", "run"] == sorted(os.listdir())


def test_the_output_is_on_the_disk_before_it_takes_the_name(irev, folder, monkeypatch):
    steps: list[str] = []

    def noted(name: str):
        step = getattr(os, name)

        def taken(*arguments):
            steps.append(name)
            step(*arguments)

        return taken

    for name in ("fsync", "replace"):
        monkeypatch.setattr(os, name, noted(name))
    irev("-o", "out", "qrels", "run")

    assert ["fsync", "replace"] == steps


@pytest.mark.parametrize("step", ["os.fsync", "os.chmod", "os.replace"])
def test_an_interrupt_leaves_the_older_output_and_nothing_else(irev, folder, monkeypatch, step):
    def interrupted(*_):
        raise KeyboardInterrupt

    monkeypatch.setattr(step, interrupted)
    status, stdout, stderr = irev("-o", "out", "qrels", "run")
    monkeypatch.undo()

    assert (130, b"", "") == (status, stdout, stderr.strip())
    assert untouched(folder)


# A limit of the size of files, as POSIX has it, makes a disk full.
if os.name == "posix":

    def on_a_full_disk(kilobytes: int, *arguments: str) -> tuple[int, str, str]:
        """Run the command where no file may grow beyond so much."""
        return typed(f"ulimit -f {kilobytes}; irev {' '.join(arguments)}", Path.cwd())

    def test_a_full_disk_leaves_the_older_output_and_nothing_else(folder):
        found = on_a_full_disk(0, "-o", "out", "qrels", "run")

        assert (2, "", "irev: error: out: the output cannot be written (File too large)\n") == found
        assert untouched(folder)

    def test_a_disk_that_becomes_full_in_the_middle_does_too(irev, folder):
        """The output has more than twenty kilobytes."""
        names = [b"%d" % n for n in range(500)]
        (folder / "qrels").write_bytes(b"".join(b"%s 0 a 1\n" % name for name in names))
        (folder / "run").write_bytes(b"".join(b"%s Q0 a 1 1 t\n" % name for name in names))
        assert len(irev("-q", "-m", "map", "qrels", "run").stdout) > 20_000 - 4096
        found = on_a_full_disk(8, "-q", "-m", "map", "-o", "out", "qrels", "run")

        assert (2, "", "irev: error: out: the output cannot be written (File too large)\n") == found
        assert b"old" == Path("out").read_bytes()
        assert ["out", "qrels", "run"] == sorted(os.listdir())

    def test_standard_output_that_is_a_file_on_a_full_disk_is_an_error(folder):
        status, _, stderr = on_a_full_disk(0, "qrels", "run", ">", "new")

        assert (2, "irev: error: the output cannot be written: File too large\n") == (status, stderr)

    def test_a_folder_that_may_not_be_written_to_leaves_the_older_output(irev, folder, monkeypatch):
        """For the superuser, who may write anywhere, too."""

        def forbidden(*_, **__):
            raise PermissionError(13, "Permission denied")

        monkeypatch.setattr("tempfile.mkstemp", forbidden)
        outcome = irev("-o", "out", "qrels", "run")

        assert (2, b"", "irev: error: out: the output cannot be written (Permission denied)\n") == outcome
        assert untouched(folder)


# Inputs


def refused_as_input(outcome, called: str) -> bool:
    status, stdout, stderr = outcome
    return (2, b"", f"irev: error: {called} is an input; write to another file\n") == (status, stdout, stderr)


@pytest.mark.parametrize("name", ["qrels", "run", os.path.join(".", "run"), "list"])
def test_an_input_is_no_output(irev, folder, name):
    (folder / "list").write_bytes(b"1\n")

    assert refused_as_input(irev("--queries", "list", "-o", name, "qrels", "run"), f"the output file '{name}'")
    assert (QRELS, RUN, b"1\n") == tuple(Path(name).read_bytes() for name in ("qrels", "run", "list"))


if os.name == "posix":

    @pytest.mark.parametrize("link", [os.symlink, os.link], ids=["symbolic link", "hard link"])
    def test_a_link_to_an_input_is_no_output(irev, folder, link):
        link("run", "link")

        assert refused_as_input(irev("-o", "link", "qrels", "run"), "the output file 'link'")
        assert refused_as_input(irev("-o", "run", "qrels", "link"), "the output file 'run'")
        assert (RUN, RUN) == (Path("run").read_bytes(), Path("link").read_bytes())

    def test_an_input_is_found_to_be_the_output_before_anything_is_read(folder):
        """Nobody writes to the pipe: whoever reads it waits."""
        os.mkfifo("pipe")
        for files in (("pipe", "run"), ("run", "pipe")):
            done = subprocess.run(
                [sys.executable, "-m", "irev", "-o", "run", *files], capture_output=True, timeout=30, env=environment()
            )
            assert refused_as_input((done.returncode, done.stdout, done.stderr.decode()), "the output file 'run'")

    def test_a_pipe_that_is_read_is_no_output(folder):
        os.mkfifo("pipe")
        done = subprocess.run(
            [sys.executable, "-m", "irev", "-o", "pipe", "qrels", "pipe"],
            capture_output=True,
            timeout=30,
            env=environment(),
        )

        assert refused_as_input((done.returncode, done.stdout, done.stderr.decode()), "the output file 'pipe'")

    @pytest.mark.parametrize("command", ["irev qrels run >>run", "irev qrels - <run >>run", "irev qrels run 1<>run"])
    def test_standard_output_that_is_an_input_is_refused(folder, command):
        assert (2, "", "irev: error: standard output is an input; write to another file\n") == typed(command, folder)
        assert RUN == Path("run").read_bytes()

    def test_standard_input_that_is_the_output_is_refused(folder):
        expected = (2, "", "irev: error: the output file 'run' is an input; write to another file\n")

        assert expected == typed("irev -o run qrels - <run", folder)
        assert RUN == Path("run").read_bytes()

    def test_one_device_may_be_read_and_written(folder):
        """As a terminal is."""
        status, stdout, stderr = typed("irev -o /dev/null qrels /dev/null", folder)

        assert (2, "") == (status, stdout)
        assert stderr.startswith("irev: error: /dev/null: the file is empty")

    def test_output_goes_to_a_pipe_as_it_is(irev, folder):
        """As process substitution makes one: >(sort)."""
        expected = irev("qrels", "run").stdout.decode()

        assert (0, expected, "") == typed("irev -o >(cat) qrels run; wait $!", folder)

    def test_a_new_file_has_the_rights_of_any_new_file(irev, folder):
        Path("plain").touch()
        irev("-o", "new", "qrels", "run")

        assert stat.filemode(os.stat("plain").st_mode) == stat.filemode(os.stat("new").st_mode)


def test_a_failed_evaluation_leaves_the_older_output(irev, folder):
    for files in (("qrels", "missing"), ("run", "qrels"), ("qrels", os.devnull)):
        assert (2, b"") == irev("-o", "out", *files)[:2]

    assert untouched(folder)


# Terminals

if os.name == "posix":
    import pty

    def on_terminal(*arguments: str) -> bytes:
        """What a terminal gets to see of the standard output of the command."""
        ours, theirs = pty.openpty()
        with subprocess.Popen(
            [sys.executable, "-m", "irev", *arguments],
            stdin=subprocess.DEVNULL,
            stdout=theirs,
            stderr=subprocess.PIPE,
            env=environment(TERM="xterm"),
        ) as running:
            os.close(theirs)
            found = all_of_terminal(ours)
            running.stderr.read()
        return found.replace(b"\r\n", b"\n")

    SHOWN = {
        b"\x1b[2J\x1b]0;owned\x07": rb"\x1b[2J\x1b]0;owned\x07",
        b"a\x08\x7fb": rb"a\x08\x7fb",
        b"\xff\xfe": rb"\xff\xfe",
        "\N{RIGHT-TO-LEFT OVERRIDE}x".encode(): rb"\u202ex",
        b"\xc2\x9b31m": rb"\x9b31m",
        "Äpfel-日本".encode(): "Äpfel-日本".encode(),
        rb"back\slash": rb"back\slash",
    }

    @pytest.mark.parametrize(("name", "shown"), SHOWN.items(), ids=map(repr, SHOWN))
    def test_ids_and_tags_do_nothing_to_a_terminal_in_trec_style(irev, folder, name, shown):
        (folder / "qrels").write_bytes(b"%b 0 a 1\n" % name)
        (folder / "run").write_bytes(b"%b Q0 a 1 1.0 %b\n" % (name, name))
        wanted = ("-q", "-m", "map", "-m", "runid", "qrels", "run")
        piped = irev(*wanted).stdout

        assert b"\t%b\t1.0000\n" % name in piped, "a pipe gets them as they are"
        assert piped.replace(name, shown) == on_terminal(*wanted)

    def test_a_file_gets_ids_as_they_are_though_standard_output_is_a_terminal(irev, folder):
        (folder / "run").write_bytes(RUN.replace(b"tag", b"\x1b[31m"))

        assert b"" == on_terminal("-o", "out", "-m", "runid", "qrels", "run")
        assert b"runid                 \tall\t\x1b[31m\n" == Path("out").read_bytes()

    def test_a_terminal_that_is_named_as_the_output_file_is_a_terminal(folder):
        (folder / "run").write_bytes(RUN.replace(b"tag", b"\x1b[31m"))

        assert b"runid                 \tall\t\\x1b[31m\n" == on_terminal(
            "-o", "/dev/stdout", "-m", "runid", "qrels", "run"
        )
