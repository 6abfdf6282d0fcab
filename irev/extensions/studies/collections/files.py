"""Several collections in one file of TOML: each has a name, judgments, runs, and perhaps a group that it belongs to."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping
from dataclasses import replace
from typing import Any, NamedTuple

from irev.base.errors import InputError
from irev.evaluation.inputs import Inputs
from irev.reading.lists import toml
from irev.reading.small_files import runs_named

_EXPECTED = (
    "expected a [[collection]] with name, qrels and runs, paths or a table such as { bm25 = 'bm25.run' }, and perhaps a"
    " group"
)

NEEDED, GROUP = ("name", "qrels", "runs"), "group"
"""The keys of a collection; it may have a group too."""

MACRO, RANDOM_EFFECTS = "macro average", "random effects"
"""What stands in the place of a collection where the mean, or a meta-analysis, of several of them does."""


class Collection(NamedTuple):
    """Judgments and the runs that are evaluated by them.

    Attributes
    ----------
    name, qrels : str
    runs : tuple of str
        Their files.
    called : tuple of str
        What the runs are called; nothing for their run ids.
    group : str
        What it is one of; nothing where it has no group.
    """

    name: str
    qrels: str
    runs: tuple[str, ...]
    called: tuple[str, ...] = ()
    group: str = ""


def of_group(what: str, group: str) -> str:
    """What the `MACRO` average or `RANDOM_EFFECTS` of a group of collections are called."""
    return f"{what} of {group}" if group else what


def groups_of(groups: Iterable[str]) -> list[str]:
    """The groups that some collections have, each once, and last that of all, which has no name."""
    return [*dict.fromkeys(filter(None, groups)), ""]


def read(path: str) -> tuple[Collection, ...]:
    """The collections that a file in TOML has; paths are meant from its folder.

    Raises
    ------
    InputError
        For a file that is not TOML, a collection that lacks something or has something else, and a name given twice.
    """
    try:
        found = toml(path, "utf-8-sig")
    except UnicodeDecodeError:
        raise InputError("this is not UTF-8, as TOML must be", path) from None
    except (ValueError, RecursionError) as error:
        raise InputError(f"this is not TOML ({error})", path, "correct the line") from None
    listed = found.pop("collection", None)
    if found or not isinstance(listed, list) or not listed:
        odd = f"there is a key '{next(iter(found))}'" if found else "there is no collection"
        raise InputError(odd, path, _EXPECTED)
    made = tuple(_collection(each, number, path) for number, each in enumerate(listed, 1))
    names = [each.name for each in made]
    for name in names:
        if names.count(name) > 1:
            raise InputError(f"two collections are called '{name}'", path, "give each its own name")
        if name.startswith((MACRO, RANDOM_EFFECTS)):
            fact = f"no collection can be called '{name}', as what is made of several of them"
            raise InputError(fact, path, "give it another name")
    return made


def _collection(each: Any, number: int, path: str) -> Collection:
    def refuse(fact: str) -> InputError:
        return InputError(f"collection {number} {fact}", path, _EXPECTED)

    if not isinstance(each, Mapping):
        raise refuse("is no table")
    if odd := [key for key in each if key not in (*NEEDED, GROUP)]:
        raise refuse(f"has a key '{odd[0]}'")
    if lacking := [key for key in NEEDED if key not in each]:
        raise refuse(f"has no {lacking[0]}")
    runs = each["runs"]
    called = tuple(runs) if isinstance(runs, Mapping) else ()
    files = [*runs.values()] if isinstance(runs, Mapping) else [runs] if isinstance(runs, str) else runs
    if not isinstance(files, list) or not files:
        raise refuse("has runs that are no paths")
    texts = {"name": [each["name"]], "qrels": [each["qrels"]], "runs": files, GROUP: [each.get(GROUP, "-")]}
    for key, values in texts.items():
        if not all(isinstance(one, str) and one for one in values):
            raise refuse(f"has under '{key}' what is no text")
    folder = os.path.dirname(path)

    def placed(file: str) -> str:
        return f"@{os.path.join(folder, file[1:])}" if file.startswith("@") else os.path.join(folder, file)

    return Collection(each["name"], placed(each["qrels"]), tuple(map(placed, files)), called, each.get(GROUP, ""))


def inputs_of(inputs: Inputs, each: Collection) -> Inputs:
    """The same with the judgments and runs of a collection, which are called as it says, or by their run ids."""
    paths = tuple(path for run in each.runs for path in runs_named(run))
    return replace(inputs, judgments=((each.name, each.qrels),), runs=paths, names=each.called, files=[])
