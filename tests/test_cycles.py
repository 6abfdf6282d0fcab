"""No module of the package needs, at whatever depth, one that needs it: neither when it is loaded, nor later, nor for
type checkers; and no two classes of the package have one name."""

import ast
from collections import Counter
from graphlib import CycleError, TopologicalSorter

import pytest
from conftest import ROOT


def modules() -> dict[str, ast.Module]:
    """The modules of the package by their names, parsed."""
    found = {}
    for path in sorted((ROOT / "irev").rglob("*.py")):
        parts = path.relative_to(ROOT).with_suffix("").parts
        name = ".".join(parts[:-1] if parts[-1] == "__init__" else parts)
        found[name] = ast.parse(path.read_text(encoding="utf-8"))
    return found


def needed(tree: ast.Module, known: dict[str, ast.Module]) -> set[str]:
    """What a module imports, inside functions and for type checkers too."""
    found = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.ImportFrom) and node.module:
            names = {f"{node.module}.{each.name}" for each in node.names}
            found |= {name if name in known else node.module for name in names}
        elif isinstance(node, ast.Import):
            found |= {each.name for each in node.names}
    return found & known.keys()


def order(graph: dict[str, set[str]]) -> list[str]:
    return [*TopologicalSorter(graph).static_order()]


def test_no_module_needs_one_that_needs_it():
    known = modules()
    del known["irev"]  # which shows type checkers the names of `irev.api`
    graph = {name: needed(tree, known) - {name} for name, tree in known.items()}
    assert len(graph) > 100
    assert len(order(graph)) == len(graph)


def test_every_folder_with_modules_is_a_package():
    """What import-linter does not see of a folder it does not hold."""
    folders = {path.parent for path in (ROOT / "irev").rglob("*.py")}
    assert [] == [folder for folder in folders if not (folder / "__init__.py").is_file()]


def test_a_cycle_is_seen():
    known = {"a": ast.parse("def late():\n    from b import c"), "b": ast.parse("import a")}
    with pytest.raises(CycleError):
        order({name: needed(tree, known) for name, tree in known.items()})


def test_no_two_classes_have_one_name():
    classes = (node.name for tree in modules().values() for node in ast.walk(tree) if isinstance(node, ast.ClassDef))
    assert [] == [name for name, times in Counter(classes).items() if times > 1]
