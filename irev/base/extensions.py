"""Extensions: each lists in a record, by names of modules, what it adds to the program.

An extension is a package with an `EXTENSION`. Those in the folder `irev.extensions` come with the program; other
packages name theirs as an entry point of the group ``irev.extensions``. Nothing here knows one by its name, and none is
imported while what the core has is enough.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Mapping
from functools import cache
from importlib import import_module
from itertools import chain
from pkgutil import iter_modules
from types import MappingProxyType
from typing import Any, NamedTuple

from irev.base.errors import UsageError

ENTRY_POINTS = "irev.extensions"
"""The package of those that come with the program, and the group of entry points of others."""


PROVIDED = ("executors", "values", "remote", "bounds", "lists")
"""Fields with the module of something of which the program needs only one."""


class Extension(NamedTuple):
    """What an extension adds.

    Attributes
    ----------
    package : str
        Its package, ``__name__`` there.
    says : str
        What it is for, in a line.
    commands : mapping of str to tuple of str
        Each command is a subpackage of its name, with its ``QUESTION``. One that is a group of several commands names
        these, and has them in ``QUESTIONS``.
    after : mapping of str to str
        The command behind which lists have one of these; otherwise it is behind all that answer a question.
    functions : mapping of str to str
        The Python functions that ``irev.NAME`` is, and the module of each in the package.
    measures, formats : tuple of str
        Modules in the package that define measures, or formats of judgments and runs.
    executors : str
        The module for runs that are evaluated elsewhere, with ``opened``, ``require_sendable``, ``is_name`` and
        ``EXPECTED``.
    values : str
        The module that reads values of queries which other programs computed, with ``recognised`` and ``read_scores``.
    remote : str
        The module that reads what is no file of this machine, with ``opened`` and ``records``.
    bounds : str
        The module for bounds of values, and for values of drawn grades, with ``bounded``.
    lists : str
        The module that reads columns of lists of documents, with ``of_table``.
    """

    package: str
    says: str
    commands: Mapping[str, tuple[str, ...]] = MappingProxyType({})
    after: Mapping[str, str] = MappingProxyType({})
    functions: Mapping[str, str] = MappingProxyType({})
    measures: tuple[str, ...] = ()
    formats: tuple[str, ...] = ()
    executors: str = ""
    values: str = ""
    remote: str = ""
    bounds: str = ""
    lists: str = ""

    @property
    def provides(self) -> list[str]:
        """The fields of `PROVIDED` that it has."""
        return [kind for kind in PROVIDED if getattr(self, kind)]

    @property
    def name(self) -> str:
        """The last word of its package."""
        return self.package.rpartition(".")[2]

    def function(self, name: str) -> Any:
        """One of its Python functions."""
        return getattr(import_module(f"{self.package}.{self.functions[name]}"), name)


@cache
def _names() -> tuple[str, ...]:
    folder = os.path.join(os.path.dirname(os.path.dirname(__file__)), "extensions")
    return tuple(sorted(module.name for module in iter_modules([folder])))


def _in_turn() -> Iterator[Extension]:
    """The extensions that come with the program, each imported when it is its turn."""
    return (import_module(f"{ENTRY_POINTS}.{name}").EXTENSION for name in _names())


@cache
def bundled() -> tuple[Extension, ...]:
    """Return the extensions that come with the program, in the order of their names."""
    return tuple(_in_turn())


@cache
def installed() -> tuple[Extension, ...]:
    """Return the extensions in other people's packages; slow, since all packages are looked at."""
    from importlib.metadata import entry_points

    return tuple(each.load() for each in sorted(entry_points(group=ENTRY_POINTS), key=lambda each: each.name))


def every() -> tuple[Extension, ...]:
    """Return all extensions."""
    return (*bundled(), *installed())


def import_added(kind: str, several: Callable[[], tuple[Extension, ...]]) -> None:
    """Import what several extensions have of a kind, ``measures`` or ``formats``, which registers itself."""
    for extension in several():
        for module in getattr(extension, kind):
            import_module(f"{extension.package}.{module}")


def provided(kind: str) -> Any:
    """Return the module that the first extension with one has for one of `PROVIDED`; or None."""
    for several in (bundled, installed):
        for extension in several():
            if name := getattr(extension, kind):
                return import_module(f"{extension.package}.{name}")
    return None


def executors() -> Any:
    """Return the module for runs that are evaluated elsewhere. Raises `UsageError` if no extension has one."""
    if (found := provided("executors")) is not None:
        return found
    raise UsageError(f"what evaluates runs elsewhere is {where('executors')}", remedy="leave out the executor")


def where(kind: str) -> str:
    """Return which extension that is not there has a module for one of `PROVIDED`."""
    return absent("provides", kind) or "in no extension that is installed"


def with_command(name: str, bundled_alone: bool = False) -> Extension | None:
    """Return the extension that has a command, if there is one, of all or of those that come with the program."""
    found = next((each for each in _in_turn() if name in each.commands), None)
    if found is None and not bundled_alone:
        found = next((each for each in installed() if name in each.commands), None)
    return found


def with_function(name: str) -> Extension | None:
    """Return the extension that has a Python function, if there is one."""
    found = (each for several in (bundled, installed) for each in several() if name in each.functions)
    return next(found, None)


def tables_beside(package: str, name: str) -> Iterator[dict[str, Any]]:
    """Read the TOML files of a name in a package of the core and in the packages of all extensions that have one."""
    import tomllib  # rarely needed, and slow to import
    from importlib.resources import files

    for each in (package, *(extension.package for extension in every())):
        if (file := files(each).joinpath(name)).is_file():
            yield tomllib.loads(file.read_text(encoding="utf-8"))


@cache
def _had() -> dict[str, dict[str, list[str]]]:
    """Read extensions.toml, which lists the extensions of irev, deleted ones too."""
    return next(tables_beside(__package__, "extensions.toml"))


def absent(kind: str, *names: str) -> str:
    """Return where one of some names is, if an extension of irev that is not there had it.

    The kind is ``commands``, ``functions``, ``measures``, ``formats`` or ``provides``, or "" for any of them.
    """
    there = {each.name for each in bundled()}
    for extension, had in _had().items():
        if extension not in there and {*names}.intersection(had[kind] if kind else chain(*had.values())):
            return f"in the extension {extension}, which is not installed"
    return ""
