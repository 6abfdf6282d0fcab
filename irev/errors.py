"""Everything that irev refuses, as one tree of exceptions.

    IrevError                what went wrong (fact), where (place), what to do about it (remedy)
    ├── UsageError           the command line asks for something that does not exist or makes no sense
    └── InputError           a file cannot be opened, read, understood or written
        └── ProblemError     a reader found a `Problem`: a coded fault at a line of a file

A reader never raises at the first fault it meets: it records `Problem`s, so that the caller can raise the earliest line
whatever the number of threads, or collect them all. The prefix ``irev: error:`` is added in one place, by the command
line.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field, replace


class IrevError(Exception):
    """Something irev refuses, in three parts that make one message.

    Parameters
    ----------
    fact : str
        What was found.
    place : str, optional
        Where: ``run.txt`` or ``run.txt:812``.
    remedy : str, optional
        What was expected, or what to do.
    """

    def __init__(self, fact: str, place: str = "", remedy: str = "") -> None:
        super().__init__(fact)
        self.fact = fact
        self.place = place
        self.remedy = remedy

    def __str__(self) -> str:
        located = f"{self.place}: {self.fact}" if self.place else self.fact
        return f"{located}; {self.remedy}" if self.remedy else located


class UsageError(IrevError):
    """A wrong option, measure or parameter: found before any file is read."""


class InputError(IrevError):
    """A file that cannot be used."""


@dataclass(frozen=True, order=True)
class Problem:
    """A fault at one line of a file. Orders by line, so that the earliest is the smallest.

    Attributes
    ----------
    line : int
        Line of the file, counting from 1 and counting every line.
    code : str
        Stable name of the kind of fault, such as ``E103``.
    fact, remedy : str
        As in `IrevError`.
    first : int or None
        The line that this one repeats.
    """

    line: int
    code: str
    fact: str
    remedy: str
    first: int | None = field(default=None, compare=False)

    def moved(self, lines: int) -> Problem:
        """The same fault, `lines` further down."""
        first = None if self.first is None else self.first + lines
        return replace(self, line=self.line + lines, first=first)

    def renumbered(self, number: Callable[[int], int]) -> Problem:
        """The same fault, where line i of the text that was read is line ``number(i)`` of the file."""
        first = None if self.first is None else number(self.first)
        return replace(self, line=number(self.line), first=first)


class ProblemError(InputError):
    """The earliest `Problem` of a file."""

    def __init__(self, file: str, problem: Problem) -> None:
        repeats = "" if problem.first is None else f" (first on line {problem.first})"
        super().__init__(problem.fact + repeats, f"{file}:{problem.line}", problem.remedy)
        self.problem = problem


def shown(text: bytes, limit: int = 60) -> str:
    """Bytes from a file, quoted for a message: control characters and broken UTF-8 escaped, long ones cut."""
    cut = text[:limit].decode("utf-8", "backslashreplace")
    safe = "".join(c if c.isprintable() else c.encode("unicode_escape").decode() for c in cut)
    return f"'{safe}{'…' if len(text) > limit else ''}'"
