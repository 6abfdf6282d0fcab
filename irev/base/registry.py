"""A named table that refuses duplicates and answers an unknown name with the nearest right one; and folders in which
every module is one thing of a kind, such as a format or a style.

A thing in such a folder is called by the name of its module, with hyphens where that has underscores.
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
from pkgutil import iter_modules
from types import ModuleType
from typing import Any, TypeVar

from irev.base.errors import UsageError
from irev.base.extensions import absent, bundled, import_added, installed

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
    """What to type instead of an option that a command had in an earlier version, by gone.toml; else nothing. Without a
    name, any command."""
    import tomllib
    from importlib.resources import files

    gone = tomllib.loads(files("irev.base").joinpath("gone.toml").read_text(encoding="utf-8"))
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
