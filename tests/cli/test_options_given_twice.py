"""Options that are given twice: of plain values the last counts, and no file is passed over."""

import click
import pytest
from conftest import ROOT
from outcomes import refused

from irev.cli import command, every_command

FILES = [str(ROOT / "sample_data" / name) for name in ("qrels.txt", "hybrid.run")]
WORDS = {"queries": ("both", "qrels"), "qrels_format": ("trec", "qrels"), "run_format": ("trec", "auto")}
"""Options that take a word or a file."""


def taken_once(name: str) -> list[click.Option]:
    """The options of a command that name one file."""
    return [
        each
        for each in command(name).params
        if isinstance(each, click.Option) and not each.multiple
        if each.name in WORDS or "FILE" in str(each.metavar) or each.metavar in ("LOG", "RUN", "RESULT")
    ]


@pytest.mark.parametrize(
    ("name", "option"),
    [(name, each) for name in every_command() for each in taken_once(name)],
    ids=lambda each: getattr(each, "name", each),
)
def test_no_file_is_passed_over(irev, name, option):
    file, first = "trec:one" if option.name in WORDS else "one", WORDS.get(option.name, ("two",))[0]
    for spelling in option.opts:
        equals = (f"{spelling}={file}",) if spelling.startswith("--") else (spelling, file)
        for twice in ((spelling, first, *equals), (*equals, option.opts[0], first)):
            done = irev(*name.split(), *twice)
            refused(done, f"{option.opts[0]}", " is given twice, and takes one file; ")
            assert option.opts[0] in done.stderr.split(" is given")[0]
    assert "twice" not in irev(*name.split(), option.opts[0], file, "--", option.opts[0], file).stderr


@pytest.mark.parametrize(
    ("replaced", "last"),
    [
        (("-m", "P.5", "-M", "1"), ("-M", "3")),
        (("--digits", "2"), ("--digits", "5")),
        (("-f", "json"), ("-f", "csv")),
        (("--queries", "run"), ("--queries", "qrels")),
        (("-R", "csv"), ("--qrels-format", "qrels")),
    ],
)
def test_of_plain_values_the_last_counts(irev, replaced, last):
    kept = ("-m", "P.5") if "-m" in replaced else ()
    expected = irev("eval", *kept, *last, *FILES)
    assert (0, expected.stdout) == irev("eval", *replaced, *last, *FILES)[:2]
    assert 0 == expected.status
