"""Differences from trec_eval: every row of the table in docs/differences.md is tried out.

The rows are the records of tests/differences, from which docs/generate.py makes the page. So a row cannot stand
there that does not run here.
"""

import re
import tomllib
from pathlib import Path

import pytest
from shell import typed

FOLDER = Path(__file__).parent / "differences"
SECTIONS = {path.stem: tomllib.loads(path.read_text(encoding="utf-8")) for path in sorted(FOLDER.glob("*.toml"))}
VERSIONS = {"trec_eval_10": "", "trec_eval_9": ""}


def name_of(section: str, row: dict) -> str:
    """A short name for a row, from what its input is."""
    return section + "-" + re.sub(r"[^A-Za-z0-9.]+", "_", row["input"]).strip("_")[:50]


def texts_of(page: dict) -> set[str]:
    """What every row of a section has to say."""
    return {"input", "irev"} | page.get("columns", VERSIONS).keys()


TEXTS = [
    pytest.param(row, texts_of(page), id=name_of(section, row))
    for section, page in SECTIONS.items()
    for row in page["row"]
]
ROWS = [pytest.param(row, id=name_of(section, row)) for section, page in SECTIONS.items() for row in page["row"]]


@pytest.mark.parametrize(("row", "texts"), TEXTS)
def test_row_says_everything_and_nothing_else(row, texts):
    assert texts | {"command"} == row.keys() - {"files"}
    assert all(row[text].strip() for text in texts)
    assert row["command"], "a row needs a command that shows it"
    for command in row["command"]:
        assert command.keys() <= {"run", "prints", "says", "status"}
        assert command["run"]


@pytest.mark.parametrize("row", ROWS)
def test_irev_does_what_the_row_says(row, tmp_path):
    for name, content in row.get("files", {}).items():
        (tmp_path / name).write_bytes(content.encode())

    faults = []
    for command in row["command"]:
        status, printed, said = typed(command["run"], tmp_path)
        expected = command.get("status", 0), command.get("prints", [])
        # Lines are compared field by field: how they are padded is the business of other tests.
        found = status, [" ".join(line.split()) for line in printed.splitlines()]
        if expected != found:
            faults.append(f"$ {command['run']}\n  expected: {expected}\n  found:    {found}\n  said: {said}")
        unsaid = [part for part in command.get("says", []) if part not in said]
        if unsaid or (said and "says" not in command):
            faults.append(f"$ {command['run']}\n  expected it to say: {command.get('says')}\n  it said: {said}")
    assert not faults, "\n".join(faults)
