"""Standard output and the terminal behind it: how wide it is. What is written whole is tried by whole commands."""

import os
import shutil
import sys

import pytest

from irev.cli.output import columns


@pytest.mark.parametrize("said", [None, "", "0", "-3", "120", " 60 ", "wide", "80.5", "1"])
def test_the_terminal_is_as_wide_as_python_has_it(said, monkeypatch):
    if said is None:
        monkeypatch.delenv("COLUMNS", raising=False)
    else:
        monkeypatch.setenv("COLUMNS", said)

    assert shutil.get_terminal_size().columns == columns()


@pytest.mark.parametrize("there", [(132, 50), (0, 0)])
def test_a_terminal_says_itself_how_wide_it_is(there, monkeypatch):
    monkeypatch.delenv("COLUMNS", raising=False)
    monkeypatch.setattr(os, "get_terminal_size", lambda descriptor: os.terminal_size(there))
    monkeypatch.setattr(sys, "__stdout__", sys.__stderr__)

    assert (there[0] or 80) == columns()


def test_without_standard_output_it_is_of_the_usual_width(monkeypatch):
    monkeypatch.delenv("COLUMNS", raising=False)
    monkeypatch.setattr(sys, "__stdout__", None)

    assert 80 == columns()
