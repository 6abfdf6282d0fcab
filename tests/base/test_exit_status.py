"""Exit statuses: every one has its words in the help and in docs/exit-status.md, and signals have those of shells."""

import re
import signal

import pytest
from conftest import ROOT

from irev.base import exit_status, signals

NUMBERS = {name: number for name, number in vars(exit_status).items() if name.isupper() and isinstance(number, int)}


def test_every_status_that_has_a_name_says_what_it_means():
    assert set(NUMBERS.values()) == {*exit_status.MEANINGS}
    assert len(NUMBERS) == len(exit_status.MEANINGS)


@pytest.mark.parametrize("number", exit_status.MEANINGS)
def test_help_and_documentation_name_every_status(irev, number):
    said, more = exit_status.MEANINGS[number]
    shown = " ".join(irev("--help").stdout.decode().split())
    assert f"{number} {said}" in shown.partition("Exit status: ")[2]
    page = (ROOT / "docs" / "exit-status.md").read_text(encoding="utf-8")
    assert f"| {number} | {said}{more} |" in page.replace("\\|", "|")


def test_the_documentation_names_no_other_status():
    page = (ROOT / "docs" / "exit-status.md").read_text(encoding="utf-8")
    assert [*map(str, exit_status.MEANINGS)] == re.findall(r"^\| (\d+)", page, re.MULTILINE)


def test_a_signal_that_ends_the_process_has_the_status_that_shells_have_for_it():
    ends = {name: 128 + getattr(signal, name) for name in signals._NAMES if hasattr(signal, name)}
    assert {
        "SIGINT": exit_status.INTERRUPTED,
        "SIGTERM": exit_status.TERMINATED,
        "SIGHUP": exit_status.HUNG_UP,
    } == ends
