"""What many tests share: two ways to run the command, in this process and as one of its own; how Hypothesis works."""

import contextlib
import io
import os
import subprocess
import sys
from pathlib import Path
from typing import NamedTuple

import pytest
from hypothesis import HealthCheck, settings

from irev import cli

ROOT = Path(__file__).resolve().parent.parent

# The same examples on every machine and in every run: a red test is then a change, never chance. Files are slow to
# make and slow to judge, which the health check of speed would call a fault.
settings.register_profile(
    "stable", deadline=None, derandomize=True, database=None, suppress_health_check=[HealthCheck.too_slow]
)
settings.load_profile("stable")


class Outcome(NamedTuple):
    """What a command left behind."""

    status: int
    stdout: bytes
    stderr: str


def in_process(*arguments: str, stdin: bytes = b"") -> Outcome:
    """Run the command in this process, with streams of its own: a hundred times faster than a process."""
    import tempfile

    stdout, stderr = io.BytesIO(), io.BytesIO()
    given = sys.stdin
    with (
        tempfile.TemporaryFile() as data,
        io.TextIOWrapper(stdout, encoding="utf-8", write_through=True) as out,
        io.TextIOWrapper(stderr, encoding="utf-8", write_through=True) as err,
        contextlib.redirect_stdout(out),
        contextlib.redirect_stderr(err),
    ):
        data.write(stdin)
        data.seek(0)
        with io.TextIOWrapper(data, encoding="utf-8") as sys.stdin:
            try:
                status = cli.run(list(arguments))
            finally:
                sys.stdin = given
        return Outcome(status, stdout.getvalue(), stderr.getvalue().decode("utf-8"))


def environment(**changes: str) -> dict[str, str]:
    """This environment with a plain terminal of 80 columns, warnings as errors, and the code beside these tests.

    Without what is set for Python, such as PYTHONUNBUFFERED, which users of the command have not.
    """
    odd = ("NO_COLOR", "FORCE_COLOR", "IREV_TRACEBACK")
    plain = {name: value for name, value in os.environ.items() if not name.startswith("PYTHON") and name not in odd}
    return plain | {"COLUMNS": "80", "LINES": "24", "PYTHONWARNINGS": "error", "PYTHONPATH": str(ROOT)} | changes


def as_process(*arguments: str, stdin: bytes = b"", **changes: str) -> Outcome:
    """Run the command as a process of its own; keywords change its environment."""
    done = subprocess.run(
        [sys.executable, "-m", "irev", *arguments],
        input=stdin,
        capture_output=True,
        timeout=60,
        env=environment(**changes),
    )
    return Outcome(done.returncode, done.stdout, done.stderr.decode("utf-8", "backslashreplace"))


def all_of_terminal(side: int) -> bytes:
    """Everything that a program writes to a terminal, read from our side of it, which is closed at the end."""
    found = b""
    while True:
        try:
            piece = os.read(side, 1 << 16)
        except OSError:  # what Linux says when the other side is closed
            break
        if not piece:
            break
        found += piece
    os.close(side)
    return found


@pytest.fixture
def write(tmp_path):
    """``write(content)`` makes a file and gives its path."""

    def write(content: bytes, name: str = "file") -> str:
        (tmp_path / name).write_bytes(content)
        return str(tmp_path / name)

    return write


@pytest.fixture(scope="session")
def irev():
    """``irev(*arguments, stdin=b"")`` runs the command in this process and gives its `Outcome`."""
    return in_process


@pytest.fixture(scope="session")
def process():
    """``process(*arguments, stdin=b"", NAME=value)`` runs it as a process, with these changes to its environment."""
    return as_process
