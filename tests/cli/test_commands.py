"""A command parses, calls and shows: groups of options come as records, and what it does is read at a glance."""

import ast
import inspect
import subprocess
import sys
import textwrap

import pytest
from conftest import ROOT, environment

from irev.cli import COMMANDS, irev

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


@pytest.mark.parametrize("name", COMMANDS)
def test_a_command_has_few_parameters_of_its_own_and_fits_a_screen(name):
    parameters, lines = body_of(name)
    assert parameters <= MOST_PARAMETERS
    assert lines <= MOST_LINES


@pytest.mark.parametrize("words", ["explain QRELS RUN --query q3", "diff QRELS RUN RUN"])
def test_what_reads_texts_is_not_loaded_where_there_are_none(words):
    files = {"QRELS": str(ROOT / "sample_data" / "qrels.txt"), "RUN": str(ROOT / "sample_data" / "hybrid.run")}
    program = "import sys; from irev.cli import run; run(sys.argv[1:]); sys.exit('irev.reading.titles' in sys.modules)"
    arguments = [files.get(word, word) for word in words.split()]
    done = subprocess.run(
        [sys.executable, "-c", program, *arguments], env=environment(), capture_output=True, check=False
    )
    assert 0 == done.returncode
    assert b"query" in done.stdout.lower()
