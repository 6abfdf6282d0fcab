"""Choices: everything that can be asked of a question, each declared once, as a field of a frozen record.

The command line, the Python functions, their help and the reference pages are derived from these declarations. A choice
says by itself when it has an effect; where it has none and ignoring it would mislead, every door refuses it, in its own
words.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import MISSING, field, fields
from typing import Any, NamedTuple

from irev.base.kinds import Kind

TEXT = Kind()


class Choice(NamedTuple):
    """What there is to know of a choice.

    Attributes
    ----------
    says : str
        What it says, as help has it: a phrase without a full stop.
    kind : Kind
    flags : str
        What the command line calls it, where that is not ``--name``: ``-q --per-query``.
    heading : str
        Where help has it.
    several : bool
        Whether it may be given more than once.
    needs : str
        The choice without which it has no effect.
    """

    says: str
    kind: Kind = TEXT
    flags: str = ""
    heading: str = ""
    several: bool = False
    needs: str = ""

    @property
    def parameter(self) -> str:
        """What Python calls it where that is not the name of the field: as the command line does."""
        return next((flag[2:] for flag in self.flags.split() if flag.startswith("--")), "").replace("-", "_")

    @property
    def help(self) -> str:
        """What it says, as a sentence."""
        return f"{self.says[0].upper()}{self.says[1:]}."


def choice(default: Any, says: str, kind: Kind = TEXT, **about: Any) -> Any:
    """A field of a record of choices."""
    return field(default=default, metadata={"choice": Choice(says, kind, **about)})


def choices_of(record: type) -> Iterator[tuple[str, Choice, Any]]:
    """The name, the declaration and the default of every choice of a record, in order."""
    for each in fields(record):
        if "choice" in each.metadata:
            yield each.name, each.metadata["choice"], None if each.default is MISSING else each.default


def idle(record: type, present: Callable[[str], bool]) -> Iterator[tuple[str, str]]:
    """Choices that are given and have no effect, each with the choice that it needs.

    Parameters
    ----------
    record : type
    present : callable
        Whether somebody has given the choice of this name.
    """
    for name, about, _ in choices_of(record):
        if about.needs and present(name) and not present(about.needs):
            yield name, about.needs
