"""Help: an example that works, and options under headings, in 80 columns."""

import re
import shlex
import shutil

import click
import pytest
from conftest import ROOT
from outcomes import refused

from irev.cli import command, every_command
from irev.cli.help import OWN, SHARED, long_names, sections


def options(name: str) -> list[click.Option]:
    return [each for each in command(name).params if isinstance(each, click.Option)]


@pytest.mark.parametrize("name", every_command())
def test_both_names_of_help_show_the_same_in_80_columns_with_an_example(irev, name):
    done = irev(*name.split(), "--help")
    lines = done.stdout.decode().splitlines()
    assert [] == [line for line in lines if len(line) > 80]
    assert any(line.startswith("  Example: irev") for line in lines)
    assert done == irev(*name.split(), "-h") == irev("help", *name.split())


def test_options_that_are_alike_in_many_commands_stand_last(irev):
    for name in ("compare", "check", "explain", "llm-judge"):
        headings = re.findall(r"^(\S.*):\n", irev(*name.split(), "--help").stdout.decode(), re.MULTILINE)
        assert ["Output", "Reading", "About"] == headings[-3:]


@pytest.mark.parametrize("name", every_command())
def test_every_option_stands_in_the_help_once_and_under_a_heading(irev, name):
    text = irev(*name.split(), "--help").stdout.decode()
    for option in options(name):
        shown = [opt for opt in option.opts if len(re.findall(rf"^  (?:-\w, )?{opt}\b(?!-)", text, re.MULTILINE))]
        assert option.hidden or 1 <= len(shown), option.opts


@pytest.mark.parametrize("name", every_command())
def test_options_of_the_command_itself_stand_first_and_each_under_one_heading(name):
    listed = sections(command(name))
    headings = [heading for heading, _ in listed]
    last = [heading for heading in headings if heading in SHARED]
    assert headings == [heading for heading in headings if heading not in SHARED] + sorted(last, key=SHARED.index)
    assert OWN not in headings[1:]
    names = [parameter for _, of in listed for parameter in of]
    assert sorted(names) == sorted(each.name for each in options(name) if not each.hidden)


def test_long_names_of_trec_eval_are_told_apart_and_no_newcomers_guess_is_shown(irev):
    text = irev("eval", "--help").stdout.decode()
    head, _, own = text.partition("trec_eval's own names:\n")
    assert "--query_eval_wanted" not in head
    assert "--query_eval_wanted (-q)" in own
    assert "--metric" not in text
    assert {long for long, _ in long_names(command("eval"))} <= {*re.findall(r"--\w+", own)}


@pytest.mark.parametrize("name", every_command())
def test_the_example_of_a_command_works(irev, name, tmp_path, monkeypatch):
    shutil.copytree(ROOT / "sample_data", tmp_path, dirs_exist_ok=True)
    monkeypatch.chdir(tmp_path)
    irev("eval", "-q", "-f", "json", "-o", "results.json", "qrels.txt", "keyword.run")
    words = shlex.split(command(name).epilog)
    assert ["irev", *name.split()] == words[: 1 + len(name.split())]
    done = irev(*words[1:])
    assert done.status == 0 or (name == "validate" and done.status == 1)
    assert (tmp_path / words[words.index("-o") + 1]).read_bytes() if "-o" in words else done.stdout


def test_irev_help_alone_is_the_help_of_irev(irev):
    assert irev("--help") == irev("help")


def test_help_of_what_is_no_command_is_refused(irev):
    refused(irev("help", "nonsense"), "nonsense")


def sections_of(irev, name: str) -> dict[str, list[str]]:
    """The long names of the options under each heading of the help of a command."""
    text = irev(*name.split(), "--help").stdout.decode()
    parts = re.split(r"^(\S.*):\n", text, flags=re.MULTILINE)
    return {
        heading: re.findall(r"^  (?:-\w, )?(--[\w-]+)", part, re.MULTILINE)
        for heading, part in zip(parts[1::2], parts[2::2], strict=True)
    }


def test_trec_evals_own_names_are_told_where_its_command_is_and_nowhere_else(irev):
    shown = {name: irev(*name.split(), "--help").stdout.decode() for name in every_command()}
    assert ["eval"] == [name for name, text in shown.items() if "trec_eval's own names" in text]


def test_options_of_fusion_lists_and_clicks_stand_where_they_are_looked_for(irev):
    names = ("fuse", "online ab", "online interleave")
    fuse, buckets, interleave = (sections_of(irev, name) for name in names)

    assert {"--length", "--rrf-k", "--list"} <= {*fuse["Options"]}
    assert "--shares" in buckets["Options"]
    assert "--output" in buckets["Output"]
    assert ["--method", "--length", "--draws", "--seed", "--within"] == interleave["Options"][:5]
