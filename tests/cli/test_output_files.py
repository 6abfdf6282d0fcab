"""Output is never lost and never destroys: full disks, interrupts, inputs that go by other names."""

import itertools
import json
import os
import re
import signal
import struct
import subprocess
import sys
import time
from pathlib import Path

import pytest
from conftest import Started, all_of_terminal, environment
from hostile import IDS
from outcomes import refused
from shell import typed

from irev import cli

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

        def pick(*arguments):
            steps.append(name)
            step(*arguments)

        return pick

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


# Standard output: buffered, as it is on most machines, and not


COMMANDS = {
    "help": ("--help",),
    "version": ("--version",),
    "eval": ("eval", "-q", "-m", "all_trec", "qrels", "run"),
    "compare": ("compare", "qrels", "run", "second"),
    "check": ("check", "--min", "AP=0.99", "qrels", "run"),
    "diff": ("diff", "qrels", "run", "second"),
    "explain": ("explain", "--query", "1", "qrels", "run"),
    "power": ("power", "--difference", "0.1", "--variance", "0.01"),
    "agree": ("agree", "qrels", "run", "second"),
    "collections": ("collections", "collections.toml"),
    "bayes": ("bayes", "--scores", "low", "high"),
    "compare-by": ("compare-by", "--groups", "groups", "qrels", "run", "second"),
    "seeds": ("seeds", "--runs-per-system", "2", "qrels", "a=run", "b=second", "c=run", "d=second"),
    "replicate": ("replicate", "both", "qrels", "run", "second"),
    "trend": ("trend", "saved"),
    "rbo": ("rbo", "run", "second"),
    "judges": ("judges", "qrels", "again=qrels"),
    "llm-judge": ("llm-judge", "qrels", "qrels", "run", "second"),
    "coverage": ("coverage", "qrels", "run", "second"),
    "curves": ("curves", "qrels", "run", "second"),
    "pool": ("pool", "--depth", "3", "run", "second"),
    "online interleave": ("online", "interleave", "run", "second"),
    "online preference": ("online", "preference", "lists"),
    "online ab": ("online", "ab", "log"),
    "online click-models": ("online", "click-models", "log"),
    "online off-policy": ("online", "off-policy", "--min-effective", "1", "run", "log"),
    "fuse": ("fuse", "run", "second"),
    "show": ("show", "-q", "saved"),
    "report": ("report", "qrels", "run", "second"),
    "validate": ("validate", "qrels", "faulty"),
    "convert": ("convert", "--to", "csv", "run", "-"),
    "measures": ("measures",),
    "formats": ("formats",),
    "completion": ("completion", "bash"),
}
"""Something that each command has to print."""
STATUS = {name: 1 if name in ("check", "validate") else 0 for name in COMMANDS}
"""What each ends with."""

each_command = pytest.mark.parametrize("command", COMMANDS)
buffered_or_not = pytest.mark.parametrize("unbuffered", ["", "1"], ids=["buffered", "unbuffered"])


def test_every_command_is_tried():
    assert set(cli.every_command()) < set(COMMANDS)


@pytest.fixture
def files(irev, folder) -> Path:
    """The folder with all that `COMMANDS` read."""
    (folder / "second").write_bytes(RUN.replace(b"x", b"b", 1).replace(b"tag", b"second"))
    (folder / "low").write_bytes(b"1 0.1\n2 0.3\n3 0.2\n4 0.5\n")
    (folder / "high").write_bytes(b"1 0.4\n2 0.5\n3 0.6\n4 0.5\n")
    (folder / "faulty").write_bytes(b"1 Q0 a 1\n" * 3)
    (folder / "groups").write_bytes(b"1\tone\n2\tother\n3\tother\n4\tone\n")
    (folder / "experiments").write_bytes(b"name,online,AP\nx,0.1,0.2\ny,-0.1,0.1\n")
    (folder / "collections.toml").write_text('[[collection]]\nname = "a"\nqrels = "qrels"\nruns = ["run", "second"]\n')
    irev("-q", "-f", "json", "-o", "saved", "qrels", "run")
    irev("-q", "-f", "json", "-o", "both", "qrels", "run", "second")
    (folder / "log").write_bytes(b"".join(shown(number, ("run", "second")[number % 2]) for number in range(40)))
    (folder / "lists").write_bytes(b"".join(shown(number, None) for number in range(40)))
    (folder / "swapped").write_bytes(b"".join(swapped(number) for number in range(40)))
    return folder


def shown(number: int, bucket: str | None) -> bytes:
    """An impression of a bucket, or of an interleaved list, and a click."""
    impression = {"event": "impression", "impression": f"{number}", "user": f"{number}"}
    impression |= {"documents": ["a", "b"], "propensities": [1.0, 0.5]}
    of_list = {"query": f"{number}", "method": "team-draft", "teams": ["A", "B"]}
    impression |= {"query": "1", "bucket": bucket} if bucket else of_list
    click = {"event": "click", "impression": f"{number}", "position": 1 + number % 3 // 2}
    return b"".join(json.dumps(each).encode() + b"\n" for each in (impression, click))


def swapped(number: int) -> bytes:
    """An impression of two documents in either order, and a click on one of them: enough to tell positions by."""
    shown, clicked = ["a", "b"][:: 1 - 2 * (number % 2)], 1 + number % 3 // 2
    impression = {
        "event": "impression",
        "impression": f"{number}",
        "user": f"{number}",
        "query": "q",
        "documents": shown,
    }
    click = {"event": "click", "impression": f"{number}", "document": shown[clicked - 1], "position": clicked}
    return b"".join(json.dumps(each).encode() + b"\n" for each in (impression, click))


@pytest.fixture
def long(folder) -> bytes:
    """Makes the output of `-q qrels run` longer than any pipe or buffer; that output."""
    names = [b"%d" % n for n in range(20_000)]
    (folder / "qrels").write_bytes(b"".join(b"%s 0 a 1\n" % name for name in names))
    (folder / "run").write_bytes(b"".join(b"%s Q0 a 1 1 t\n" % name for name in names))
    lines = [b"map                   \t%s\t1.0000\n" % name for name in sorted([*names, b"all"])]
    lines.remove(lines[-1])
    return b"".join([*lines, b"map                   \tall\t1.0000\n"])


def begun(*arguments: str, stdout: int, unbuffered: str = "", **options) -> Started:
    return Started(
        [sys.executable, "-m", "irev", *arguments],
        stdin=subprocess.DEVNULL,
        stdout=stdout,
        stderr=subprocess.PIPE,
        env=environment(PYTHONUNBUFFERED=unbuffered),
        **options,
    )


@pytest.mark.thorough
@each_command
@buffered_or_not
def test_a_reader_that_is_gone_changes_no_verdict_and_is_no_news(files, command, unbuffered):
    ours, theirs = os.pipe()
    os.close(ours)
    with begun(*COMMANDS[command], stdout=theirs, unbuffered=unbuffered) as running:
        os.close(theirs)
        stderr = running.communicate(timeout=60)[1]

    assert (STATUS[command], b"") == (running.returncode, stderr)


@buffered_or_not
def test_a_reader_that_goes_away_is_no_error(long, unbuffered):
    with begun("-q", "-m", "map", "qrels", "run", stdout=subprocess.PIPE, unbuffered=unbuffered) as running:
        assert b"map" == running.stdout.read(3)
        running.stdout.close()
        stderr = running.stderr.read()

    assert (0, b"") == (running.returncode, stderr)


if os.path.exists("/dev/full"):

    @pytest.mark.thorough
    @each_command
    @buffered_or_not
    def test_what_a_full_device_does_not_take_is_an_error(files, command, unbuffered):
        with (
            open("/dev/full", "wb", buffering=0) as full,
            begun(*COMMANDS[command], stdout=full.fileno(), unbuffered=unbuffered) as running,
        ):
            stderr = running.communicate(timeout=60)[1]

        assert (2, b"irev: error: the output cannot be written: No space left on device\n") == (
            running.returncode,
            stderr,
        )

    def test_an_output_file_may_be_a_full_device(irev, files):
        expected = (2, b"", "irev: error: /dev/full: the output cannot be written (No space left on device)\n")

        assert expected == irev("-o", "/dev/full", "qrels", "run")


# A limit of the size of files, as POSIX has it, makes a disk full.
if os.name == "posix":
    import fcntl
    import termios

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

    @buffered_or_not
    def test_a_disk_that_becomes_full_under_standard_output_is_an_error(long, unbuffered):
        """Where a short write is all that an unbuffered stream is told of it."""
        command = f"export PYTHONUNBUFFERED={unbuffered}; ulimit -f 64; irev -q -m map qrels run >new"

        assert (2, "", "irev: error: the output cannot be written: File too large\n") == typed(command, Path.cwd())
        assert 0 < os.path.getsize("new") < len(long)

    @buffered_or_not
    def test_a_pipe_that_does_not_wait_for_its_reader_gets_everything(long, unbuffered):
        ours, theirs = os.pipe()
        os.set_blocking(theirs, False)
        with begun("-q", "-m", "map", "qrels", "run", stdout=theirs, unbuffered=unbuffered) as running:
            os.close(theirs)
            wait_until_full(ours)
            with open(ours, "rb") as pipe:
                found = pipe.read()
            stderr = running.stderr.read()

        assert (0, b"", long) == (running.returncode, stderr, found)

    @pytest.mark.parametrize("most", [5, 9])
    def test_too_many_open_files_are_no_fault_of_the_output(files, most):
        """Of those that may be opened beside the streams, a process takes more, as may a module that is imported."""
        expected = (
            "irev: error: no more processes can be started to evaluate runs (Too many open files);"
            " use fewer of them, as `irev eval -j 1` does\n"
        )

        assert (2, "", expected) == typed(f"ulimit -n {most}; irev -j 2 qrels run second", Path.cwd())

    @buffered_or_not
    def test_a_process_that_is_stopped_while_it_writes_goes_on(long, unbuffered):
        """A write that was begun ends early then."""
        with begun("-q", "-m", "map", "qrels", "run", stdout=subprocess.PIPE, unbuffered=unbuffered) as running:
            wait_until_full(running.stdout.fileno())
            for number in (signal.SIGSTOP, signal.SIGCONT):
                os.kill(running.pid, number)
            found, stderr = running.communicate(timeout=60)

        assert (0, b"", long) == (running.returncode, stderr, found)

    def wait_until_full(pipe: int) -> None:
        """Wait until a pipe has something in it and gets no more."""
        size, before = 0, -1
        while size != before or not size:
            before = size
            time.sleep(0.2)
            size = struct.unpack("i", fcntl.ioctl(pipe, termios.FIONREAD, b"\0" * 4))[0]

    def test_a_folder_that_may_not_be_written_to_leaves_the_older_output(irev, folder, monkeypatch):
        """For the superuser, who may write anywhere, too."""

        def forbidden(*_, **__):
            raise PermissionError(13, "Permission denied")

        monkeypatch.setattr("irev.cli.output.open", forbidden, raising=False)

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

# Two outputs


SUMMARY = "GITHUB_STEP_SUMMARY"
OUTPUTS = {
    "judges": ("--output", "--merge", "--plot", "--unsettled-to"),
    "online click-models": ("--output", "--propensities-to"),
    "coverage": ("--output", "--plot"),
    "llm-judge": ("--output", "--plot"),
    "curves": ("--output", "--plot"),
    "trend": ("--output", "--plot"),
    "pool": ("--output", "--sample-eval", "--statap"),
    **dict.fromkeys(("compare", "compare-by", "collections", "bayes", "seeds", "replicate"), ("--output", "--plot")),
    "diff": ("--output", "--unjudged"),
    "check": (
        "--output",
        *(f"--also {kind}" for kind in ("page", "junit", "comment")),
        "--baseline",
        SUMMARY,
    ),
}
"""Everything that a command can write to, of those that can write more than one thing."""
WORDS = {
    "online click-models": ("online", "click-models", "swapped"),
    "eval": ("eval", "qrels", "run"),
    **{name: COMMANDS[name] for name in ("compare", "compare-by", "collections", "bayes", "seeds", "replicate")},
    "llm-judge": ("llm-judge", "qrels", "qrels", "run", "second"),
    "judges": ("judges", "--run", "run", "--run", "second", "qrels", "again=qrels"),
    "coverage": ("coverage", "qrels", "run", "second"),
    "curves": ("curves", "qrels", "run", "second"),
    "trend": ("trend", "saved"),
    "diff": ("diff", "qrels", "run", "second"),
    "pool": ("pool", "--strata", "3=1", "--judged", "qrels", "run", "second"),
    "check": ("check", "--min", "AP=0", "--update-baseline", "qrels", "run"),
}
PAIRS = [(command, *pair) for command, options in OUTPUTS.items() for pair in itertools.combinations(options, 2)]
each_pair = pytest.mark.parametrize(("command", "first", "second"), PAIRS)


def test_every_output_of_every_command_is_among_the_pairs():
    """An option that is said to write, and that is no name of a file that is read."""
    for name in cli.every_command():
        command = cli.command(name)
        written = {
            max(parameter.opts, key=lambda option: (option == "--output", len(option)))
            for parameter in command.params
            if re.match(r"(Also )?[Ww]rite .*|Also draw .*|Merge .*", getattr(parameter, "help", None) or "")
            and parameter.metavar in ("FILE", "KIND=FILE")
        }
        expected = {each.split()[0] for each in OUTPUTS.get(name, ("--output",)) if each not in ("--baseline", SUMMARY)}
        assert written in (expected, set()), name


def asked_for(command: str, monkeypatch, **places: str) -> tuple[str, ...]:
    """The command with outputs to these places."""
    words = [word for word in WORDS[command] if "--baseline" in places or word != "--update-baseline"]
    monkeypatch.setenv(SUMMARY, places.pop(SUMMARY, ""))
    return (*words, *(word for each in places.items() for word in typed_out(*each)))


def typed_out(option: str, place: str) -> tuple[str, str]:
    """An option with the file that it writes."""
    name, _, kind = option.partition(" ")
    return name, f"{kind}={place}" if kind else place


def refused_as_one(outcome) -> bool:
    status, stdout, stderr = outcome
    return (2, b"") == (status, stdout) and " both write to " in stderr


@pytest.mark.thorough
@each_pair
def test_two_outputs_to_one_file_are_refused(irev, files, monkeypatch, command, first, second):
    for other in ("new.txt", os.path.join(".", "new.txt"), str(files / "new.txt")):
        words = asked_for(command, monkeypatch, **{first: "new.txt", second: other})
        assert refused_as_one(irev(*words)), other

    assert not (files / "new.txt").exists()


@pytest.mark.thorough
@each_pair
def test_two_outputs_to_two_files_are_both_written(irev, files, monkeypatch, command, first, second):
    names = {
        option: f"{name}.{'svg' if option == '--plot' else 'txt'}" for option, name in ((first, "a"), (second, "b"))
    }
    words = asked_for(command, monkeypatch, **names)

    assert 0 == irev(*words).status
    assert [] == [name for name in names.values() if not (files / name).exists()]


if os.name == "posix":

    @pytest.mark.thorough
    @each_pair
    def test_two_outputs_to_one_file_by_links_are_refused(irev, files, monkeypatch, command, first, second):
        (files / "made.txt").write_bytes(b"")
        (files / "link.txt").symlink_to("made.txt")
        (files / "there.txt").symlink_to("to be.txt")
        (files / "hard.txt").hardlink_to(files / "made.txt")
        (files / "folder").symlink_to(".")
        for one, other in (
            ("made.txt", "link.txt"),
            ("hard.txt", "made.txt"),
            ("to be.txt", "there.txt"),
            ("new.txt", "folder/new.txt"),
        ):
            if "--baseline" in (first, second) and not other.startswith(("there", "folder")):
                continue  # an empty file is no baseline, which is said first
            assert refused_as_one(irev(*asked_for(command, monkeypatch, **{first: one, second: other}))), other

    @pytest.mark.parametrize(
        ("command", "option"), [(command, option) for command, first, option in PAIRS if first == "--output"]
    )
    def test_standard_output_and_a_file_that_it_goes_to_are_one(files, command, option):
        words = " ".join(word for word in WORDS[command] if option == "--baseline" or word != "--update-baseline")
        to = " ".join(typed_out(option, "new.txt"))
        given = f"{SUMMARY}=new.txt irev {words}" if option == SUMMARY else f"irev {words} {to}"
        status, stdout, stderr = typed(f"{given} > new.txt", files)

        assert (2, "") == (status, stdout)
        if option == "--baseline":
            assert "is empty" in stderr or " both write to " in stderr
        else:
            assert f"irev: error: --output and {option} both write to 'new.txt'\n" == stderr

    def test_a_device_takes_one_output_after_the_other(irev, files):
        words = ("diff", "qrels", "run", "second", "--unjudged", os.devnull, "-o", os.devnull)

        assert (0, b"", "") == irev(*words)

    @pytest.mark.parametrize(
        ("place", "redirected"),
        [
            ("/dev/stdout", "{} >> log"),
            ("/dev/fd/1", "{} >> log"),
            ("/proc/self/fd/1", "{} >> log"),
            ("/proc/thread-self/fd/1", "{} >> log"),
            ("link", "{} >> log"),
            ("/dev/stdout", "{} 1<>log"),
        ],
    )
    def test_a_descriptor_that_is_named_is_written_to_where_it_stands(folder, place, redirected):
        """In a file that others write to before and after, which a file of the same name must not replace."""
        os.symlink("/dev/stdout", "link")
        steps = f"{{ echo header; irev -m map qrels run -o {place}; echo footer; }}"

        assert (0, "", "") == typed(redirected.format(steps), folder)
        assert "header\nmap                   \tall\t0.5000\nfooter\n" == (folder / "log").read_text()

    def test_a_summary_is_added_to_a_descriptor_where_it_stands(folder):
        """One that is no file of its own."""
        words = "irev check --min AP=0 qrels run -o /dev/null 2> /dev/null"
        steps = f"{{ echo header; {SUMMARY}=/dev/stdout {words}; echo footer; }} > log"

        assert (0, "", "") == typed(steps, folder)
        assert re.fullmatch(r"(?s)header\n.+footer\n", (folder / "log").read_text())

    def test_a_descriptor_that_is_closed_is_an_error(folder):
        expected = "irev: error: /dev/fd/9: the output cannot be written (Bad file descriptor)\n"

        assert (2, "", expected) == typed("exec 9>&-; irev -m map qrels run -o /dev/fd/9", folder)


@pytest.mark.thorough
@pytest.mark.parametrize("name", ["a\0b", "a\ud800b"])
@each_pair
def test_what_can_be_no_name_of_a_file_is_refused_before_anything_is_read(
    irev, files, monkeypatch, command, first, second, name
):
    if SUMMARY in (first, second):  # the system has no such variable
        return
    words = asked_for(command, monkeypatch, **{first: "new.txt", second: name})
    words = tuple("missing" if word == "qrels" else word for word in words)
    spelt = name.encode("unicode_escape").decode()

    status, stdout, stderr = irev(*words)

    assert (2, b"") == (status, stdout)
    assert f"irev: error: {spelt}: no file can have this name; write to another file\n" == stderr


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
        with Started(
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
        "clear the screen": rb"\x1b[2J\x1b]0;owned\x07",
        "backspace": rb"a\x08\x08\x7fb",
        "no UTF-8": rb"\xff\xfe",
        "right to left": rb"\u202eabc",
        "C1, as UTF-8": rb"\x9b31m\x9d0;t\x9c",
        "letters": IDS["letters"],
        "backslashes": IDS["backslashes"],
    }

    @pytest.mark.parametrize(("called", "shown"), SHOWN.items(), ids=SHOWN)
    def test_ids_and_tags_do_nothing_to_a_terminal_in_trec_style(irev, folder, called, shown):
        name = IDS[called]
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


# What is written piece by piece


ENDINGS = ("csv", "tsv", "jsonl", "parquet", "eval")


@pytest.mark.parametrize("style", [*ENDINGS[:-1], "trec"])
def test_what_is_long_is_the_same_as_what_is_short(irev, files, monkeypatch, style):
    """However many rows are made at a time, and wherever they are kept."""
    line = ("-q", "-m", "all_trec", "-f", style, "qrels", "run")
    expected = irev(*line).stdout
    monkeypatch.setattr("irev.output.styles.csv.TOGETHER", 3)
    monkeypatch.setattr("irev.evaluation.result.TOGETHER", 2)
    monkeypatch.setattr("irev.output.styles.trec.TOGETHER", 2)
    monkeypatch.setattr("irev.output.styles.parquet._GROUP", 5)
    monkeypatch.setattr("irev.cli.output.KEPT", 100)
    found = irev(*line).stdout
    if style == "parquet":
        from pyarrow import BufferReader, parquet

        expected, found = (parquet.ParquetFile(BufferReader(data)) for data in (expected, found))
        assert expected.num_row_groups < found.num_row_groups
        expected, found = expected.read(), found.read()
    assert expected == found


@pytest.mark.parametrize("style", [*ENDINGS[:-1], "trec"])
def test_no_more_rows_are_made_than_were_written(irev, files, monkeypatch, style):
    """All rows of a large result take many times the memory of its values."""
    (files / "many.qrels").write_text("".join(f"{query} 0 d 1\n" for query in range(40)))
    (files / "many").write_text("".join(f"{query} Q0 d 1 1 t\n" for query in range(40)))
    from irev.evaluation.result import query_rows
    from irev.output import styles

    made = []

    def counted(outcome):
        for row in query_rows(outcome):
            made.append(row)
            yield row

    written = styles.pieces

    def watched(*arguments):
        for piece in written(*arguments):
            pieces.append(len(made))
            yield piece

    pieces = []
    monkeypatch.setattr("irev.cli.options.pieces", watched)
    monkeypatch.setattr("irev.evaluation.result.query_rows", counted)
    monkeypatch.setattr("irev.output.styles.csv.TOGETHER", 4)
    monkeypatch.setattr("irev.output.styles.trec.TOGETHER", 2)
    monkeypatch.setattr("irev.output.styles.parquet._GROUP", 4)
    monkeypatch.setattr("irev.output.styles.parquet._ROWS", 2)
    assert 0 == irev("-q", "-m", "map", "-m", "P.5", "-f", style, "-o", "out", "many.qrels", "many").status
    assert 3 < len(pieces)
    assert style == "trec" or pieces[0] < len(made) / 2


@pytest.mark.parametrize("path", ["out", None])
@pytest.mark.parametrize("kept", [1, 1 << 24])
def test_nothing_is_written_where_making_the_rest_fails(irev, folder, monkeypatch, path, kept):
    def failing(*_):
        yield b"some lines\n" * 9
        yield b"more lines\n"
        raise MemoryError

    monkeypatch.setattr("irev.cli.options.pieces", failing)
    monkeypatch.setattr("irev.cli.output.KEPT", kept)
    refused(irev(*(["-o", path] if path else []), "qrels", "run"), "memory ran out")
    assert untouched(folder)
