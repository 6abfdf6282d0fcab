"""What has one place in the package: where it stands a second time, somebody will change only one of the two."""

import ast
from collections import defaultdict

import pytest
from conftest import ROOT

SOURCES = {
    path.relative_to(ROOT / "irev").as_posix(): path.read_text(encoding="utf-8") for path in ROOT.glob("irev/**/*.py")
}


@pytest.mark.parametrize(
    ("said", "places"),
    {
        "surrogateescape": {"base/text.py"},
        r"[0-9]+\.?[0-9]*|\.[0-9]+": {"base/text.py"},
        "} more": {"base/text.py", "commands/diff/answer.py", "output/styles/text.py"},
        "only one of the files can be standard input": {"cli/options.py"},
        "ctx.meta": set(),
        "128 + ": {"base/exit.py"},
        "SystemExit(1": {"__main__.py"},  # where nothing may be imported
        "did not hold": {"base/exit.py"},
        "%0A": {"output/styles/github.py"},
    }.items(),
)
def test_it_stands_in_one_place(said, places):
    assert places == {name for name, text in SOURCES.items() if said in text}


def test_no_style_and_no_service_knows_a_command():
    """And the layers of the package hold that no command lays out its findings itself: they are reports."""
    assert [] == [name for name, text in SOURCES.items() if name.startswith("output/") and "irev.cli" in text]


@pytest.mark.thorough
def test_no_two_classes_share_a_name():
    """Nor do they differ in an underscore alone. Other packages' interfaces have the names that those packages give,
    kinds of choices those of what is chosen, and what belongs to one question alone is called as its users call it."""
    elsewhere = ("compat/", "commands/", "extensions/", "base/choice.py", "output/finding.py")
    places = defaultdict(list)
    for name, text in SOURCES.items():
        for node in ast.walk(ast.parse(text)):
            if isinstance(node, ast.ClassDef) and not name.startswith(elsewhere):
                places[node.name.lstrip("_")].append(name)
    assert {} == {name: where for name, where in places.items() if len(where) > 1}


def test_no_two_modules_of_tests_share_a_name():
    """pytest takes the second for the first where one process collects both, and then runs neither."""
    places = defaultdict(list)
    for path in (ROOT / "tests").rglob("test_*.py"):
        places[path.name].append(path.relative_to(ROOT).as_posix())
    assert {} == {name: where for name, where in places.items() if len(where) > 1}
