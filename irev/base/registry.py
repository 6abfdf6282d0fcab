"""Extensions, each of which lists in a record what it adds to the program; named tables, which refuse duplicates and
answer an unknown name with the nearest right one; and folders in which every module is one thing of a kind.

An extension is a package with an `EXTENSION`. Those in the folder `irev.extensions` come with the program; other
packages name theirs as an entry point of the group ``irev.extensions``. Nothing here knows one by its name, and none is
imported while what the core has is enough. A thing in a folder is called by the name of its module, with hyphens where
that has underscores.
"""

from __future__ import annotations

import ast
import inspect
import os
import sys
import threading
from collections.abc import Callable, Iterable, Iterator, Mapping
from functools import cache, partial
from importlib import import_module
from itertools import chain
from pkgutil import iter_modules
from types import MappingProxyType, ModuleType
from typing import Any, NamedTuple, TypeVar

from irev.base.errors import UsageError

ENTRY_POINTS = "irev.extensions"
"""The package of those that come with the program, and the group of entry points of others."""


PROVIDED = ("executors", "values", "remote", "bounds", "lists")
"""Fields with the module of something of which the program needs only one."""


class Extension(NamedTuple):
    """The commands, functions, measures and formats of an extension.

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
        The module that reads values of queries which other programs computed, with ``recognised`` and ``read_result``.
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


T = TypeVar("T")

_filling = threading.RLock()
"""Held while a table is filled, and while this process is forked: the copy has no thread that would end the filling."""
if hasattr(os, "register_at_fork"):  # not on Windows
    os.register_at_fork(before=_filling.acquire, after_in_parent=_filling.release, after_in_child=_filling.release)


class Registry(Mapping[str, T]):
    """Names to entries, in order of registration.

    Parameters
    ----------
    kind : str
        What the entries are, as a message calls one: ``measure``.
    fill : callable, optional
        Called before anybody looks at it for the first time, to have the modules imported that register entries.
    listed : str
        Where all names stand, for who gives one that is near to none.
    added : str
        What an extension calls its modules that register entries too: ``measures``, ``formats``.
    """

    def __init__(self, kind: str, fill: Callable[[], None] | None = None, listed: str = "", added: str = "") -> None:
        self.kind = kind
        self._listed, self._added = listed, added
        self._steps = [] if fill is None else [fill]
        self._others: Callable[[], None] | None = None
        if added:
            self._steps.append(partial(import_added, added, bundled))
            self._others = partial(import_added, added, installed)
        self._is_filling = False
        self._made: dict[str, T] = {}

    def _filled(self, name: object = None) -> dict[str, T]:
        """The entries: all, or as many as are needed to have one of this name, if there is one."""
        if self._steps and name not in self._made:
            self._fill(lambda: name in self._made)
        return self._made

    def _fill(self, is_enough: Callable[[], bool]) -> None:
        # Another thread waits: what it saw of a table that is being filled it might keep.
        with _filling:
            while self._steps and not is_enough() and not self._is_filling:  # what is imported may look at it
                self._is_filling = True
                try:
                    self._steps[0]()
                finally:
                    self._is_filling = False
                self._steps.pop(0)

    def add(self, name: str, entry: T) -> T:
        """Register `entry` under `name`; a name taken already is a fault of the program, not of its user."""
        if name in self._made:
            raise ValueError(f"{self.kind} {name!r} is registered twice")
        self._made[name] = entry
        return entry

    def __getitem__(self, name: str) -> T:
        return self._filled(name)[name]

    def __contains__(self, name: object) -> bool:
        return name in self._filled(name)

    def __iter__(self) -> Iterator[str]:
        return iter(self._filled())

    def __len__(self) -> int:
        return len(self._filled())

    def first(self, wanted: Callable[[T], bool]) -> T | None:
        """The first entry that is wanted, of as few modules as it takes; None where none is."""

        def found() -> T | None:
            return next(filter(wanted, [*self._made.values()]), None)

        if self._steps and found() is None:
            self._fill(lambda: found() is not None)
        return found()

    def more(self) -> bool:
        """Import what other packages add, which is slow, for a name that is not there; True if that is anything."""
        before = len(self)
        if self._others is not None:
            others, self._others = self._others, None
            others()
        return len(self) > before

    def find(self, name: str) -> T:
        """The entry called `name`; `UsageError` with a suggestion when there is none."""
        if name not in self and not (self.more() and name in self):
            if self._added and (where := absent(self._added, name)):
                raise UsageError(f"the {self.kind} {name!r} is {where}")
            raise UsageError(f"there is no {self.kind} {name!r}", remedy=did_you_mean(name, self, self._listed))
        return self[name]


def did_you_mean(word: str, candidates: Iterable[str], fallback: str = "") -> str:
    """``did you mean 'x'?`` for the candidates nearest to `word`, or `fallback` when nothing is near."""
    from difflib import get_close_matches  # rarely needed, and slow to import

    by_folded = {candidate.lower(): candidate for candidate in reversed(list(candidates))}
    near = get_close_matches(word.lower(), by_folded, n=3, cutoff=0.6)
    if not near:
        return fallback
    return "did you mean " + " or ".join(repr(by_folded[match]) for match in near) + "?"


def instead(name: str, option: str) -> str:
    """Return what to type in place of an option that a command had before, by gone.toml; an empty text if it had none.
    An empty name stands for any command."""
    gone = {**next(tables_beside(__package__, "gone.toml"))}
    if not name:
        gone |= {key.rpartition(" ")[2]: said for key, said in reversed([*gone.items()])}
    return str(gone.get(f"{name} {option}") or gone.get(option) or "")


@cache
def names_in(package: str) -> tuple[str, ...]:
    """What users call the modules of a package, in order, without importing any of them.

    The package is imported already. Its folder is looked at once, since that takes time.
    """
    return tuple(sorted(module.name.replace("_", "-") for module in iter_modules(sys.modules[package].__path__)))


def module_of(package: str, name: str) -> ModuleType:
    """The module of a package that users call by this name."""
    return import_module(f"{package}.{name.replace('-', '_')}")


def import_all(package: str) -> None:
    """Import every module of a package, for those that register what they define."""
    for name in names_in(package):
        module_of(package, name)


def docstring(of: Callable[..., Any] | ModuleType) -> str:
    """The docstring of a function or a module; "" where it has none.

    ``python -OO`` drops docstrings, which are then read from the source, where that is at hand.
    """
    if of.__doc__ or __doc__:  # Python keeps this module's, so it keeps all
        return of.__doc__ or ""

    try:
        # Not `ast.parse`: since Python 3.14 it drops docstrings as well, and in 3.11 it cannot be told to keep them.
        node = compile(inspect.getsource(of), of.__name__, "exec", ast.PyCF_ONLY_AST, optimize=0)
    except (OSError, SyntaxError):
        return ""
    if isinstance(node, ast.Module) and not isinstance(of, ModuleType):
        node = node.body[0]
    return (isinstance(node, ast.Module | ast.FunctionDef) and ast.get_docstring(node, clean=False)) or ""
