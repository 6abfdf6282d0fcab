"""Choices: everything that can be asked of a question, each declared once, as a field of a frozen record.

The command line, the Python functions, their help and the reference pages are derived from these declarations. A choice
says by itself when it has an effect; where it has none and ignoring it would mislead, every door refuses it, in its own
words.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from dataclasses import MISSING, field, fields
from typing import Any, NamedTuple

from irev.base.errors import option
from irev.base.kinds import Kind, Word

TEXT = Kind()


class Choice(NamedTuple):
    """What there is to know of a choice.

    Attributes
    ----------
    says : str
        What it says, as help, configurations and their documentation have it: a phrase.
    kind : Kind
        What values it may have.
    flags : str
        What the command line calls it, where that is not ``--name``: ``-q --per-query``.
    more : str
        What its help goes on with.
    several : bool
        Whether it may be given more than once.
    needs : str
        The choices without which it has no effect, or one and the words of it: ``judged design=t,anova``; where one of
        several will do, ``max|min``.
    not_with : str
        The choices with which it has no effect.
    settles : str
        The choices that have no effect beside it.
    changes : str
        What a setting changes; nothing where numbers do not depend on it.
    of_rows : bool
        Whether it is settled when the rows of a run are read.
    of_runs : bool
        Whether it is about runs alone.
    recorded : bool
        Whether a saved result has it.
    heading : str
        What help puts it under: that of many commands, or one for a part of many options; nothing stands first.
    typed : bool
        Whether it is given on the command line alone, and is no key of configuration files.
    """

    says: str
    kind: Kind = TEXT
    flags: str = ""
    more: str = ""
    several: bool = False
    needs: str = ""
    not_with: str = ""
    settles: str = ""
    changes: str = ""
    of_rows: bool = False
    of_runs: bool = False
    recorded: bool = True
    heading: str = ""
    typed: bool = False

    @property
    def words(self) -> tuple[str, ...]:
        """What it may be, where it is one of some words."""
        return self.kind.words if isinstance(self.kind, Word) else ()

    @property
    def parameter(self) -> str:
        """What Python calls it where that is not the name of the field: as the command line does."""
        return next((flag[2:] for flag in self.flags.split() if flag.startswith("--")), "").replace("-", "_")

    @property
    def help(self) -> str:
        """What it says, as a sentence."""
        return f"{self.says[0].upper()}{self.says[1:]}{self.more}."


def choice(default: Any, says: str, kind: Kind = TEXT, flags: str = "", **about: Any) -> Any:
    """A field of a record of choices."""
    return field(default=default, metadata={"choice": Choice(says, kind, flags, **about)})


def as_in(record: type, name: str, **otherwise: Any) -> Any:
    """The same field as in another record, where only some of what there is to know of it is `otherwise`."""
    ((_, about, default),) = (each for each in choices_of(record) if each[0] == name)
    return field(default=default, metadata={"choice": about._replace(**otherwise)})


def choices_of(record: type) -> Iterator[tuple[str, Choice, Any]]:
    """The name, the declaration and the default of every choice of a record, in order."""
    for each in fields(record):
        if "choice" in each.metadata:
            yield each.name, each.metadata["choice"], None if each.default is MISSING else each.default


def idle(
    record: type,
    given: Collection[str],
    values: Mapping[str, Any],
    offered: Collection[str] | None = None,
) -> Iterator[str]:
    """What is wrong with choices that are given and have no effect.

    Parameters
    ----------
    record : type
    given : collection of str
        The choices that somebody has given.
    values : mapping of str to any
        The value of each choice, given or not.
    offered : collection of str, optional
        The choices that can be given at all; all unless given.
    """

    def there(needed: str, words: str) -> bool:
        found = values.get(needed)
        some = found if isinstance(found, tuple) else (found,)
        return bool({*some} & {*words.split(",")}) if words else needed in given

    for name, about, _ in choices_of(record):
        if name not in given:
            continue
        for each in about.needs.split():
            ways = {needed: words for needed, _, words in (way.partition("=") for way in each.split("|"))}
            known = [needed for needed in ways if offered is None or needed in offered]
            if known and not any(there(*way) for way in ways.items()):
                listed = (option(way, ways[way].replace(",", " or ")) for way in known)
                yield f"{option(name)} has no effect without {' or '.join(listed)}"
        for other in about.not_with.split():
            if other in given and (offered is None or other in offered):
                yield f"{option(name)} has no effect with {option(other)}"
        for other in about.settles.split():
            if other in given:
                yield f"{option(other)} has no effect with {option(name)}"
