"""What users rely on does not go: names, signatures, options, choices, keys, labels, as the last release had them."""

import re

import promised
import pytest
from conftest import ROOT

PAGE = ROOT / "docs" / "compatibility.md"

WHAT_TO_DO = """users rely on this.
Put it back: under the old name beside the new one, or with the old default.
For a new major version only, run `python tests/promised.py`, which forgets it (docs/compatibility.md says when)."""


@pytest.mark.parametrize("name", promised.PROMISED)
def test_nothing_that_was_promised_is_gone(name):
    then = (promised.FOLDER / f"{name}.txt").read_text(encoding="utf-8").splitlines()
    now = {*promised.lines(name)}
    if gone := [line for line in then if line not in now]:
        pytest.fail("\n".join((*gone, f"{len(gone)} of tests/promised/{name}.txt gone: {WHAT_TO_DO}")), pytrace=False)
    assert len(then) > 100


def test_what_goes_is_seen(monkeypatch, tmp_path, capsys):
    monkeypatch.setattr(promised, "FOLDER", tmp_path)
    monkeypatch.setattr(promised, "PROMISED", {"python": promised.python})
    promised.main()
    assert promised.lines("python") == (tmp_path / "python.txt").read_text(encoding="utf-8").splitlines()
    with open(tmp_path / "python.txt", "a", encoding="utf-8") as file:
        file.write("irev.evaluate(9, forgotten)\n")
        file.writelines(f"irev.gone{number}\n" for number in range(100))
    with pytest.raises(pytest.fail.Exception) as failed:
        test_nothing_that_was_promised_is_gone("python")
    said = failed.value.msg.splitlines()
    assert ["irev.evaluate(9, forgotten)", *(f"irev.gone{number}" for number in range(100))] == said[:101], "all of it"
    assert "101 of tests/promised/python.txt gone: users rely on this." == said[101]
    assert "Put it back" in said[102]
    promised.main()
    assert "python: gone: irev.evaluate(9, forgotten)\n" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("name", "line"),
    [
        ("python", "irev.Analysis[alpha] is 0.05 unless given"),
        ("python", "irev.Options[level] is 1.0 unless given"),
        ("command_line", "irev comparison as csv: column baseline_mean"),
        ("command_line", "irev result as csv: column value"),
        ("command_line", "irev.toml every-query: texts"),
        ("command_line", "action.yml takes comment, 'false' unless given"),
        ("command_line", "hook irev-check calls irev check"),
        ("command_line", "ci/gitlab.yml .irev-check takes IREV_CHECK"),
        ("python", "irev.compat.replace(0, name)"),
        ("records", 'finding.state is "undecided"'),
        ("records", 'check.format is "irev check"'),
    ],
)
def test_what_no_signature_and_no_key_has_is_promised_too(name, line):
    """What is given in no signature: defaults of Python's options, columns, and the words that records have."""
    then = (promised.FOLDER / f"{name}.txt").read_text(encoding="utf-8").splitlines()
    assert line in then
    assert line in promised.lines(name)


def test_the_page_names_every_file_of_promises_and_only_tests_that_are_there():
    text = PAGE.read_text(encoding="utf-8")
    assert {f"{name}.txt" for name in promised.PROMISED} <= {*re.findall(r"`(\w+\.txt)`", text)}
    for path in re.findall(r"`(tests/[\w./]+)`", text):
        assert (ROOT / path).exists(), path
