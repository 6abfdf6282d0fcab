"""What users rely on does not go: names, signatures, options, choices, keys, labels, as the last release had them."""

import re

import promised
import pytest
from conftest import ROOT

PAGE = ROOT / "docs" / "compatibility.md"


@pytest.mark.parametrize("name", promised.PROMISED)
def test_nothing_that_was_promised_is_gone(name):
    then = (promised.FOLDER / f"{name}.txt").read_text(encoding="utf-8").splitlines()
    gone = [line for line in then if line not in {*promised.lines(name)}]
    assert [] == gone, "users rely on these; docs/compatibility.md says when `python tests/promised.py` may forget them"
    assert len(then) > 100


def test_what_goes_is_seen(monkeypatch, tmp_path, capsys):
    monkeypatch.setattr(promised, "FOLDER", tmp_path)
    monkeypatch.setattr(promised, "PROMISED", {"python": promised.python})
    promised.main()
    assert promised.lines("python") == (tmp_path / "python.txt").read_text(encoding="utf-8").splitlines()
    with open(tmp_path / "python.txt", "a", encoding="utf-8") as file:
        file.write("irev.evaluate(9, forgotten)\n")
    with pytest.raises(AssertionError, match="forgotten"):
        test_nothing_that_was_promised_is_gone("python")
    promised.main()
    assert "python: gone: irev.evaluate(9, forgotten)\n" in capsys.readouterr().out


def test_the_page_names_every_file_of_promises_and_only_tests_that_are_there():
    text = PAGE.read_text(encoding="utf-8")
    assert {f"{name}.txt" for name in promised.PROMISED} <= {*re.findall(r"`(\w+\.txt)`", text)}
    for path in re.findall(r"`(tests/[\w./]+)`", text):
        assert (ROOT / path).exists(), path
