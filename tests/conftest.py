"""What many tests share: the environment that they run in, two ways to run the command, in this process and as one of
its own, and how Hypothesis works."""

import builtins
import contextlib
import functools
import io
import json
import operator
import os
import re
import subprocess
import sys
import threading
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any, NamedTuple

import pytest
from hypothesis import HealthCheck, settings

from irev import cli
from irev.base import workers

ROOT = Path(__file__).resolve().parent.parent

# Whoever runs the tests, wherever: of their environment only what finds programs and places stays, and what steers the
# tests and the arithmetic themselves. Colours, widths, languages, Python's switches and the variables of services would
# each change what is printed; a test that is about one of them sets it.
_KEPT = re.compile(
    "PATH|HOME|USER|LOGNAME|TMPDIR|TEMP|TMP|(LD|DYLD)_.*|VIRTUAL_ENV|PYTEST_.*|COV.*|NUMBA_.*|(OPENBLAS|OMP|MKL)_.*"
    "|SYSTEMROOT|SYSTEMDRIVE|WINDIR|COMSPEC|PATHEXT|USERPROFILE|(LOCAL)?APPDATA|NUMBER_OF_PROCESSORS"
)
for _name in [name for name in os.environ if not _KEPT.fullmatch(name.upper())]:
    del os.environ[_name]
os.environ.update(COLUMNS="80", LINES="24")
sys.dont_write_bytecode = False  # or each worker compiles all tests again, which is half of what collecting them takes


def _sum_of_whole_numbers(values: Iterable[Any], /, start: Any = 0) -> Any:
    """`sum`, which irev may give no floats: since Python 3.12 it adds them otherwise, and the last digit differs."""
    if sys._getframe(1).f_globals.get("__name__", "").partition(".")[0] == "irev":
        values = list(values)
        assert not any(isinstance(value, float) for value in (*values, start)), "segments.sum_in_order adds floats"
    return _sum(values, start)


_sum = sum
builtins.sum = _sum_of_whole_numbers


def added(values: Iterable[float]) -> float:
    """Floats added as irev adds them and as `sum` did before Python 3.12: one after the other."""
    return functools.reduce(operator.add, values, 0.0)


# The same examples on every machine and in every run: a red test is then a change, never chance. Files are slow to
# make and slow to judge, which the health check of speed would call a fault.
settings.register_profile(
    "stable", deadline=None, derandomize=True, database=None, suppress_health_check=[HealthCheck.too_slow]
)
settings.load_profile("stable")


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--spawn", action="store_true", help="let worker processes start from nothing, as on macOS")


def pytest_configure(config: pytest.Config) -> None:
    workers.COPIES = workers.COPIES and not config.getoption("spawn")
    config.addinivalue_line(
        "markers",
        "thorough: slow: goes through inputs, orders, samples or pictures by the hundred, draws many examples, or "
        "starts many processes; `make test-slow` runs it, `make test` all others.",
    )
    config.addinivalue_line(
        "markers", "spark: needs pyspark and Java, which are heavy; runs with -m spark alone, as .ci/run has it."
    )


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    if "spark" not in config.getoption("markexpr"):
        for item in items:
            if item.get_closest_marker("spark"):
                item.add_marker(pytest.mark.skip(reason="it starts Spark: run it with -m spark"))


class Outcome(NamedTuple):
    """What a command left behind."""

    status: int
    stdout: bytes
    stderr: str


def in_process(
    *arguments: str, stdin: bytes = b"", run: Callable[[list[str]], int] = cli.run, together: bool = False
) -> Outcome:
    """Run the command in this process, with streams of its own: a hundred times faster than a process.

    Or what else runs with arguments and gives a status. `together`: what it says stands among what it prints.
    """
    import tempfile

    stdout, stderr = io.BytesIO(), io.BytesIO()
    given = sys.stdin
    with (
        tempfile.TemporaryFile() as data,
        io.TextIOWrapper(stdout, encoding="utf-8", write_through=True) as out,
        io.TextIOWrapper(stdout if together else stderr, encoding="utf-8", write_through=True) as err,
        contextlib.redirect_stdout(out),
        contextlib.redirect_stderr(err),
    ):
        data.write(stdin)
        data.seek(0)
        with io.TextIOWrapper(data, encoding="utf-8") as sys.stdin:
            try:
                status = run(list(arguments))
            finally:
                sys.stdin = given
        return Outcome(status, stdout.getvalue(), stderr.getvalue().decode("utf-8"))


def environment(**changes: str) -> dict[str, str]:
    """The environment of the tests, with warnings as errors, and the code beside these tests."""
    return os.environ | {"PYTHONWARNINGS": "error", "PYTHONPATH": str(ROOT)} | changes


def nested(path: str | Path, place: int) -> dict[str, dict[str, float]]:
    """A file of TREC as {query: {document: number}}; the number stands at place 3 of judgments, 4 of runs."""
    found: dict[str, dict[str, float]] = {}
    for line in Path(path).read_text(encoding="utf-8").splitlines():
        if line and not line.startswith("#"):
            fields = line.split()
            found.setdefault(fields[0], {})[fields[2]] = float(fields[place])
    return found


def answers_of_peers(questions: dict[str, dict], folder: Path) -> dict[str, dict]:
    """What ir_measures and ranx answer to all questions (see `peers`), from one process in a folder of its own."""
    done = subprocess.run(
        [sys.executable, str(ROOT / "tests" / "peers.py")],
        input=json.dumps(questions),
        capture_output=True,
        text=True,
        timeout=120,
        cwd=folder,
        # ranx would compile itself for longer than it runs here, and fail where it can write nothing beside itself.
        env=environment(PYTHONWARNINGS="ignore", NUMBA_DISABLE_JIT="1"),
        check=False,
    )
    assert 0 == done.returncode, done.stderr
    return json.loads(done.stdout)


class Started(subprocess.Popen):
    """A process that is killed when it takes too long: so whatever waits for it, or for what it writes, goes on."""

    SECONDS = 120.0

    def __init__(self, *args, **options):
        super().__init__(*args, **options)
        self._watch = threading.Timer(self.SECONDS, self.kill)
        self._watch.daemon = True
        self._watch.start()

    def wait(self, timeout=None):
        status = super().wait(timeout)
        self._watch.cancel()
        return status


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


QRELS = b"1 0 a 1\n1 0 b 0\n1 0 c 2\n2 0 a 1\n2 0 b 1\n3 0 a 1\n"
RUN = b"1 Q0 a 1 3.0 tag\n1 Q0 x 2 2.0 tag\n1 Q0 c 3 1.0 tag\n2 Q0 b 1 2.0 tag\n2 Q0 y 2 1.0 tag\n4 Q0 a 1 1.0 tag\n"


@pytest.fixture
def folder(tmp_path, monkeypatch) -> Path:
    """A current folder with the files `qrels` (queries 1, 2 and 3) and `run` (1, 2 and 4)."""
    (tmp_path / "qrels").write_bytes(QRELS)
    (tmp_path / "run").write_bytes(RUN)
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.fixture(scope="session")
def irev():
    """``irev(*arguments, stdin=b"")`` runs the command in this process and gives its `Outcome`."""
    return in_process


@pytest.fixture(scope="session")
def process():
    """``process(*arguments, stdin=b"", NAME=value)`` runs it as a process, with these changes to its environment."""
    return as_process
