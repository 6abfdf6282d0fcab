"""A command parses, calls and shows: groups of options come as records, and what it does is read at a glance."""

import ast
import inspect
import re
import textwrap
import tomllib

import pytest
from conftest import ROOT, as_process, in_process

from irev.cli import command, every_command, irev, questions

MOST_PARAMETERS, MOST_LINES = 12, 52
"""What a command may have of its own, beside the options of groups."""


def body_of(name: str) -> tuple[int, int]:
    """How many parameters the function of a command has, and how many lines that is without its help."""
    command = irev.get_command(None, name)
    function = ast.parse(textwrap.dedent(inspect.getsource(command.callback))).body[0]
    given = function.args
    parameters = [*given.posonlyargs, *given.args, *given.kwonlyargs]
    first = next(
        node for node in function.body if not isinstance(node, ast.Expr) or not isinstance(node.value, ast.Constant)
    )
    return len(parameters), function.end_lineno - first.lineno + 1


@pytest.mark.parametrize("name", [name for name in every_command() if name not in questions()])
def test_a_command_has_few_parameters_of_its_own_and_fits_a_screen(name):
    parameters, lines = body_of(name)
    assert parameters <= MOST_PARAMETERS
    assert lines <= MOST_LINES


LONG = b"q" * 300
"""Of ids as long as this Python makes the hash, another one in each process."""


@pytest.mark.thorough
@pytest.mark.parametrize(
    ("words", "status"),
    [
        ("explain judged found", 0),
        ("eval judged strange", 0),
        ("eval judged scattered", 2),
        ("convert --to csv found.csv other.csv -", 2),
    ],
)
def test_what_is_printed_does_not_depend_on_the_seed_of_hashes(words, status, tmp_path, monkeypatch):
    files = {
        "judged": b"".join(b"%b 0 d%d 1\n" % (LONG, number) for number in range(9)),
        "found": b"%b Q0 d4 1 2 run\n" % LONG,
        "strange": b"%b Q0 x 1 2 run\n" % LONG,
        "scattered": b"".join(b"%d%b Q0 d%d 1 2 run\n" % (row % 5, LONG, row) for row in range(10)),
        "found.csv": b"query_id,doc_id,score\nq1,d1,1\n",
        "other.csv": b"query_id,doc_id,score,rank,tag\nq2,d1,1,1,run\n",
    }
    for name, content in files.items():
        (tmp_path / name).write_bytes(content)
    monkeypatch.chdir(tmp_path)
    first, *others = (as_process(*words.split(), PYTHONHASHSEED=str(seed)) for seed in range(1, 5))
    assert status == first.status
    assert [first] * 3 == others


GONE = tomllib.loads((ROOT / "irev" / "base" / "gone.toml").read_text(encoding="utf-8"))


@pytest.mark.parametrize("gone", GONE)
def test_an_option_that_is_gone_says_what_to_type_instead(gone):
    """And what it says has commands and options that there are."""
    name, _, option = gone.rpartition(" ")
    having = [
        each
        for each in every_command()
        for known in command(each).params
        if option in known.opts + known.secondary_opts
    ]
    without = name or next(each for each in every_command() if each not in having and " " not in each)
    assert without not in having
    done = in_process(*without.split(), option, "x")
    assert 2 == done.status
    assert f"there is no option '{option}'; {GONE[gone]}" in done.stderr
    for typed in re.findall(r"irev ([a-z-]+(?: [a-z-]+)?)((?: [^;,]*)?)", GONE[gone]):
        there = next(each for each in (typed[0], typed[0].split()[0]) if each in every_command())
        flags = {flag for known in command(there).params for flag in (*known.opts, *known.secondary_opts)}
        assert {*re.findall(r"(?<![\w-])--?[a-zA-Z][\w-]*", typed[1])} <= flags
