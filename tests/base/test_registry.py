"""Folders in which every module is one thing of a kind."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from irev.base.registry import import_all, module_of, names_in


@pytest.fixture
def package(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    folder = tmp_path / "kinds_of_tea"
    folder.mkdir()
    for name in ("__init__", "oolong", "earl_grey"):
        (folder / f"{name}.py").write_text("MADE = __name__\n")
    monkeypatch.syspath_prepend(tmp_path)
    __import__("kinds_of_tea")
    return "kinds_of_tea"


def test_names_are_known_before_anything_is_imported(package: str) -> None:
    assert names_in(package) == ("earl-grey", "oolong")
    assert f"{package}.oolong" not in sys.modules
    assert module_of(package, "earl-grey").MADE == f"{package}.earl_grey"
    assert f"{package}.oolong" not in sys.modules
    import_all(package)
    assert f"{package}.oolong" in sys.modules
