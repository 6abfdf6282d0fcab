"""Whole-command cases: each folder in tests/cases states a command and every byte that must come of it.

The folders' README says how to write one. This module only runs them; tests/record_cases.py is the one place
that writes them.
"""

import contextlib
import difflib
import shlex
from pathlib import Path

import pytest
from conftest import Outcome, in_process

FOLDER = Path(__file__).resolve().parent / "cases"
NAMES = sorted(path.parent.name for path in FOLDER.glob("*/cmd"))


def run(name: str) -> Outcome:
    """Run the command of a case in its own folder."""
    folder = FOLDER / name
    program, *arguments = shlex.split((folder / "cmd").read_text(encoding="utf-8"))
    if program != "irev":
        raise ValueError(f"{folder / 'cmd'} begins with {program!r}; a case runs irev")
    stdin = folder / "stdin"
    with contextlib.chdir(folder):
        return in_process(*arguments, stdin=stdin.read_bytes() if stdin.exists() else b"")


def lines_of(content: bytes) -> list[str]:
    """Lines as text; bytes that are no text, and carriage returns, which do not show, are escaped."""
    return content.decode("utf-8", "backslashreplace").replace("\r", "\\r").split("\n")


def difference(expected: bytes, found: bytes, stream: str) -> str:
    """A unified diff of one stream."""
    names = f"{stream} expected", f"{stream} found"
    return "\n".join(difflib.unified_diff(lines_of(expected), lines_of(found), *names, lineterm=""))


def test_every_case_folder_states_a_command_and_its_output():
    """A folder without its files would otherwise be a case that silently never runs."""
    folders = {path.name for path in FOLDER.iterdir() if path.is_dir()}
    complete = {name for name in NAMES if (FOLDER / name / "stdout").exists()}
    assert folders
    assert sorted(folders - complete) == [], "these folders lack `cmd` or `stdout`; see tests/cases/README.md"


@pytest.mark.parametrize("name", NAMES)
def test_case_prints_what_it_states(name):
    """Standard output and the status always, standard error where the case states it."""
    folder = FOLDER / name
    expected_status = folder / "status"
    status = int(expected_status.read_text()) if expected_status.exists() else 0
    stdout = (folder / "stdout").read_bytes()
    outcome = run(name)
    faults = []
    if outcome.status != status:
        faults.append(f"exit status: expected {status}, found {outcome.status}")
    if outcome.stdout != stdout:
        faults.append(difference(stdout, outcome.stdout, "stdout"))
    stderr = folder / "stderr"
    said = outcome.stderr.encode()
    if stderr.exists() and said != stderr.read_bytes():
        faults.append(difference(stderr.read_bytes(), said, "stderr"))
    if faults:
        command = (folder / "cmd").read_text(encoding="utf-8").strip()
        pytest.fail("\n".join([f"$ {command}", *faults, "standard error was:", outcome.stderr]), pytrace=False)
