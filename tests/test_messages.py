"""Messages speak as their door: one rule spells options and parameters, and every message of the program is tried.

What is raised or warned below the doors is written once. `irev.base.errors` spells it for the command line and for
Python; here every text of the program goes through it, whether a test provokes the message or not.
"""

import ast
import re

import pytest
from conftest import ROOT
from outcomes import options_in, parameters_in

from irev.base import errors

OF_COMMAND = ("cli/", "clicks/files.py")
OF_PYTHON = (
    "api/",
    "arrow/tables.py",
    "compat/",
    "spark/",
    "arrow/",
    "evaluation/objects.py",
    "in_memory/",
    "clicks/functions.py",
)
"""Parts of the program whose messages one of the two doors alone has."""

OUTPUT = {"-f", "-q", "-Z", "-D"}
"""Options of what is printed, which no function has; the rooms that print may name them."""

PRINTS = ("output/", "commands/", "extensions/", "ranking/hits.py", "measures/request.py")


def texts(source: str) -> list[str]:
    """The texts of several words in a module, with N for what is put in; but for docstrings and help of options."""
    left, found = set[ast.AST](), list[str]()
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Expr):
            left.add(node.value)
        elif isinstance(node, ast.Call) and getattr(node.func, "id", "") in ("choice", "Question", "Format"):
            left.update(ast.walk(node))
        elif isinstance(node, ast.JoinedStr) and node not in left:
            left.update(node.values)
            found.append("".join(map(_written, node.values)))
        elif isinstance(node, ast.Constant) and isinstance(node.value, str) and node not in left:
            found.append(node.value)
    return [text for text in found if " " in text.strip() and not text.startswith("irev ")]


def _written(value: ast.AST) -> str:
    """A part of a text: what is put in as N, but an option that `errors.option` names as it does."""
    if isinstance(value, ast.Constant):
        return str(value.value)
    call = getattr(value, "value", None)
    if isinstance(call, ast.Call) and getattr(call.func, "id", "") == "option":
        return errors.option(*(each.value if isinstance(each, ast.Constant) else "N" for each in call.args))
    return "N"


def messages(left: tuple[str, ...]) -> list[tuple[str, str]]:
    paths = sorted((ROOT / "irev").rglob("*.py"))
    return [
        (name, text)
        for path in paths
        if not any(part in (name := path.relative_to(ROOT / "irev").as_posix()) for part in left)
        for text in texts(path.read_text(encoding="utf-8"))
    ]


@pytest.mark.thorough
def test_no_message_of_python_names_an_option_of_the_command():
    wrong = {}
    for name, text in messages(OF_COMMAND):
        allowed = OUTPUT if any(part in name for part in PRINTS) else set()
        if found := {*options_in(errors.in_python(text))} - allowed - {"--N"}:
            wrong[f"{name}: {text}"] = found
    assert {} == wrong


@pytest.mark.thorough
def test_no_message_of_the_command_names_a_parameter_of_python():
    found = {f"{name}: {text}": parameters_in(errors.typed(text)) for name, text in messages(OF_PYTHON)}
    assert {} == {place: each for place, each in found.items() if each}


@pytest.mark.parametrize(
    ("source", "expected"),
    [
        ("f\"add {option('ties', 'average')} to {x}\"", ["add --ties average to N"]),
        ('"""A docstring of it."""', []),
        ('choice(1, "the help of --it")', []),
        ('"a text of " "two parts"', ["a text of two parts"]),
    ],
)
def test_texts_are_found_as_they_are_written(source, expected):
    assert expected == [errors.typed(text) for text in texts(f"x = {source}" if "docstring" not in source else source)]


def test_options_and_parameters_are_seen():
    assert ["-m", "--ties"] == options_in("choose -m, or `irev eval -q` (--ties x) in '--file'")
    assert ["ties='", "queries={'a':"] == parameters_in("say ties='x' or queries={'a': 1}, --columns a=b")
    assert ["irev.evaluate"] == parameters_in("irev.evaluate takes one, irev.toml none")


def test_every_option_of_one_letter_that_python_has_is_spelled():
    assert "measures='AP@5' and measures" == re.sub(" +", " ", errors.in_python("-m AP@5 and -m"))
    assert "document_of='(.*)#'" == errors.in_python("--document-of '(.*)#'")
