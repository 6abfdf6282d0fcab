"""A signal ends irev and all that it began at once, with the status of the signal, and nothing half made is left."""

import contextlib
import os
import random
import re
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest
from conftest import Started, all_of_terminal, environment

import irev

if os.name != "posix":
    pytest.skip("this system has no signals that a process could be sent", allow_module_level=True)

NAMES = [b"%d" % n for n in range(2000)]
SIGNALS = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)
each_signal = pytest.mark.parametrize("number", SIGNALS, ids=lambda number: number.name)


@pytest.fixture
def folder(tmp_path, monkeypatch) -> Path:
    """A current folder with judgments, two runs, and an older output."""
    (tmp_path / "qrels").write_bytes(b"".join(b"%s 0 a 1\n" % name for name in NAMES))
    for run in (b"first", b"second"):
        (tmp_path / run.decode()).write_bytes(b"".join(b"%s Q0 a 1 1 %s\n" % (name, run) for name in NAMES))
    (tmp_path / "out").write_bytes(b"old")
    monkeypatch.chdir(tmp_path)
    return tmp_path


def begun(*arguments: str, prelude: str = "", ignored: str = "") -> Started:
    """The command in a process group of its own, after some Python, with signals ignored that the shell calls so."""
    code = f"import os, signal, sys, time\n{prelude}\nfrom irev.__main__ import command\ncommand()"
    trap = f"trap '' {ignored}; " if ignored else ""
    return Started(
        ["sh", "-c", f'{trap}exec "$0" "$@"', sys.executable, "-c", code, *arguments],
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        start_new_session=True,
        env=environment(),
    )


def members(group: int) -> list[int]:
    """The processes of a group that have not ended, as ps tells."""
    listed = subprocess.run(["ps", "-A", "-o", "pid=,pgid=,stat="], capture_output=True, text=True, check=True).stdout
    rows = [line.split() for line in listed.splitlines()]
    return [int(pid) for pid, of, state, *_ in rows if int(of) == group and not state.startswith("Z")]


def all_gone(group: int) -> bool:
    """Whether a group of processes ends, in the time that a test has."""
    for _ in range(200):
        if not members(group):
            return True
        time.sleep(0.05)
    return False


def ended(running: Started) -> tuple[int, bytes, bytes]:
    """Status and output, when the streams are closed: by all processes that have them."""
    stdout, stderr = running.communicate(timeout=60)
    return running.returncode, stdout, stderr


def until(condition) -> None:
    for _ in range(1200):
        if condition():
            return
        time.sleep(0.05)
    raise AssertionError("this takes too long")


EARLY = [(module, signal.SIGINT) for module in ("irev.base", "signal")]
"""Before signals are heeded, when those but an interrupt end a process by themselves."""
LATER = [
    (module, number) for module in ("click", "irev.cli.options", "numpy", "irev.evaluation.batch") for number in SIGNALS
]


@pytest.mark.parametrize(("module", "number"), [*EARLY, *LATER])
def test_a_signal_while_something_is_imported_leaves_no_traceback(folder, module, number):
    """It may come out of any import, also before there is anything of irev but its first lines."""
    prelude = f"""
def at(event, arguments):
    if event == "import" and arguments[0] == {module!r}:
        os.kill(os.getpid(), {int(number)})
for name in ("signal", "click", "numpy"):
    sys.modules.pop(name, None)
sys.addaudithook(at)
"""
    expected = (128 + number, b"", b"")

    assert expected == ended(begun("-j2", "qrels", "first", "second", prelude=prelude))


@each_signal
def test_a_signal_while_a_file_is_written_leaves_the_older_one_and_nothing_else(folder, number):
    running = begun("-o", "out", "qrels", "first", prelude="os.fsync = lambda file: time.sleep(60)")
    until(lambda: list(folder.glob(".irev-*")))
    os.kill(running.pid, number)

    assert (128 + number, b"", b"") == ended(running)
    assert ["first", "out", "qrels", "second"] == sorted(os.listdir())
    assert b"old" == Path("out").read_bytes()


@pytest.mark.parametrize("whole_group", [False, True], ids=["the first process", "all processes"])
@pytest.mark.parametrize("number", [*SIGNALS, signal.SIGKILL], ids=lambda number: number.name)
def test_other_processes_end_with_the_first(folder, number, whole_group):
    """They wait for runs that never come, from pipes to which nobody writes."""
    for pipe in ("one", "two"):
        os.mkfifo(pipe)
    running = begun("-j2", "qrels", "one", "two")
    until(lambda: len(members(running.pid)) == 3)
    (os.killpg if whole_group else os.kill)(running.pid, number)

    assert (-number if number == signal.SIGKILL else 128 + number, b"", b"") == ended(running)
    assert all_gone(running.pid)


def test_a_signal_that_is_to_be_ignored_is_ignored(folder):
    """As `nohup` has it."""
    os.mkfifo("pipe")
    running = begun("qrels", "pipe", prelude="print('begun', flush=True)", ignored="HUP")
    assert b"begun" == running.stdout.read(5)
    for number in (signal.SIGHUP, signal.SIGTERM):
        os.kill(running.pid, number)

    assert running.wait(60) in (128 + signal.SIGTERM, -signal.SIGTERM)
    running.communicate()


@pytest.mark.thorough
def test_at_any_moment_a_signal_ends_everything_and_leaves_nothing(folder):
    """Those included at which Python looks for irev: it may say that it was interrupted, with the names of folders."""
    ours = re.escape(os.fsencode(os.path.dirname(irev.__file__) + os.sep))
    chance = random.Random(7)
    before = time.perf_counter()
    ended(begun("-q", "-j2", "-o", "out", "qrels", "first", "second"))
    whole = time.perf_counter() - before
    for _ in range(16):
        number = chance.choice((*SIGNALS, signal.SIGKILL))
        running = begun("-q", "-j2", "-o", "out", "qrels", "first", "second")
        time.sleep(chance.uniform(0, 1.1 * whole))
        with contextlib.suppress(ProcessLookupError):
            (chance.choice((os.kill, os.killpg)))(running.pid, number)
        status, stdout, stderr = ended(running)

        assert b"" == stdout
        assert not re.search(rb'File "' + ours, stderr)
        assert status in (0, 128 + number, -number) or b"KeyboardInterrupt" in stderr
        assert all_gone(running.pid)
        if number != signal.SIGKILL:
            assert ["first", "out", "qrels", "second"] == sorted(os.listdir())
        for left in folder.glob(".irev-*"):
            left.unlink()


@contextlib.contextmanager
def at_a_pipe(lines: int) -> Iterator[tuple[Started, int, bytes]]:
    """The command with progress on a terminal, our side of it, and what came so far.

    It waits for a pipe that holds so many lines, and begins no other.
    """
    os.mkfifo("pipe")
    ours, theirs = os.openpty()
    command = [sys.executable, "-m", "irev", "qrels", "pipe"]
    with Started(command, stderr=theirs, env=environment(TERM="xterm")) as running:
        os.close(theirs)
        with open("pipe", "wb") if lines else contextlib.nullcontext() as pipe:
            if pipe:
                pipe.write(b"".join(b"%d Q0 d%d 1 1.5 tag\n" % (n // 10, n) for n in range(lines)))
                pipe.flush()
            seen = b""
            while b"\x1b[?25l" not in seen:
                seen += os.read(ours, 1 << 16)
            yield running, ours, seen


SOON_OR_LATER = pytest.mark.parametrize("lines", [0, 300_000], ids=["nothing read", "several chunks read"])


@SOON_OR_LATER
def test_a_signal_gives_the_terminal_its_cursor_back(folder, lines):
    """Progress hides it."""
    with at_a_pipe(lines) as (running, ours, seen):
        running.terminate()
        seen += all_of_terminal(ours)

        assert 143 == running.wait()
    assert seen.endswith(b"\x1b[2K\x1b[?25h")


def test_what_shows_progress_writes_nothing_behind_that():
    """Its thread runs on until the process ends, and may be about to write a line."""
    ours, theirs = os.openpty()
    program = "import os; from irev.cli.output import _give_back; _give_back(); os.write(2, b'reading')"
    with Started([sys.executable, "-c", program], stderr=theirs, env=environment()) as running:
        os.close(theirs)
        seen = all_of_terminal(ours)
        assert 0 == running.wait()
    assert b"\r\x1b[2K\x1b[?25h" == seen


@pytest.mark.skipif(not Path("/proc/self/task").exists(), reason="there is no /proc that tells what a thread blocks")
@SOON_OR_LATER
def test_no_thread_but_the_first_takes_a_signal(folder, lines):
    """Which would not wake the first, and Python heeds signals there: irev would wait for its pipe for ever."""
    expected = sum(1 << number - 1 for number in SIGNALS)
    with at_a_pipe(lines) as (running, ours, _):
        blocked = {}
        for task in Path(f"/proc/{running.pid}/task").iterdir():
            mask = re.search(r"SigBlk:\s*(\w+)", (task / "status").read_text())[1]
            blocked[int(task.name)] = int(mask, 16) & expected
        running.kill()
        all_of_terminal(ours)

    assert 0 == blocked.pop(running.pid)
    assert blocked
    assert {expected} == set(blocked.values())
