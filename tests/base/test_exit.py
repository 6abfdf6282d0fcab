"""Exit statuses: every one has its words in the help and in docs/exit-status.md, and signals have those of shells."""

import re
import signal
import subprocess
import sys

import pytest
from conftest import ROOT, environment

from irev.base import exit

NUMBERS = {name: number for name, number in vars(exit).items() if name.isupper() and isinstance(number, int)}


def test_every_status_that_has_a_name_says_what_it_means():
    assert set(NUMBERS.values()) == {*exit.MEANINGS}
    assert len(NUMBERS) == len(exit.MEANINGS)


@pytest.mark.parametrize("number", exit.MEANINGS)
def test_help_and_documentation_name_every_status(irev, number):
    said, more = exit.MEANINGS[number]
    shown = " ".join(irev("--help").stdout.decode().split())
    assert f"{number} {said}" in shown.partition("Exit status: ")[2]
    page = (ROOT / "docs" / "exit-status.md").read_text(encoding="utf-8")
    assert f"| {number} | {said}{more} |" in page.replace("\\|", "|")


def test_the_documentation_names_no_other_status():
    page = (ROOT / "docs" / "exit-status.md").read_text(encoding="utf-8")
    assert [*map(str, exit.MEANINGS)] == re.findall(r"^\| (\d+)", page, re.MULTILINE)


def test_a_signal_that_ends_the_process_has_the_status_that_shells_have_for_it():
    ends = {name: 128 + getattr(signal, name) for name in exit._NAMES if hasattr(signal, name)}
    assert {
        "SIGINT": exit.INTERRUPTED,
        "SIGTERM": exit.TERMINATED,
        "SIGHUP": exit.HUNG_UP,
    } == ends


def test_what_libraries_registered_for_the_end_is_done(tmp_path):
    """As libraries remove temporary folders."""
    code = (
        "import sys, tempfile; from irev.__main__ import command; folder = tempfile.TemporaryDirectory();"
        "sys.argv = ['irev', *sys.argv[1:]]; command()"
    )
    for arguments, status in (["formats"], exit.DONE), (["eval"], exit.REFUSED):
        done = subprocess.run(
            [sys.executable, "-c", code, *arguments],
            env=environment(TMPDIR=str(tmp_path), TEMP=str(tmp_path), PYTHONWARNINGS="ignore"),
            capture_output=True,
            check=False,
        )
        assert (status, [], b"Traceback" in done.stderr) == (done.returncode, [*tmp_path.iterdir()], False)
