"""Everything that irev refuses, as one tree of exceptions.

    IrevError                what went wrong (fact), where (place), what to do about it (remedy)
    ├── UsageError           the command line asks for something that does not exist or makes no sense
    │   └── AboveMaximum     a grade is higher than it says the highest one is
    └── InputError           a file cannot be opened, read, understood or written
        ├── UnreachableError a file cannot be had here: what it holds is another question
        ├── ProblemError     a reader found a `Problem`: a coded fault at a line of a file
        └── RowError         the same at a row of a table, which has no lines: of a query and a document

Warnings of the Python interface are a tree of their own, `IrevWarning`.

A reader never raises at the first fault it meets: it records `Problem`s, so that the caller can raise the earliest line
whatever the number of threads, or collect them all. The prefix ``irev: error:`` is added in one place, by the command
line.
"""

from __future__ import annotations

import copyreg
import re
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from importlib import import_module
from typing import Any


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

    @property
    def typed(self) -> str:
        """The message as the command line says it, with options."""
        return self._message(typed)

    def __str__(self) -> str:
        return self._message(in_python)

    def __reduce__(self) -> tuple[Any, ...]:
        """Copied, or sent from one process to another, as it is: its classes are made of other things."""
        return copyreg.__newobj__, (type(self), *self.args), self.__dict__  # type: ignore[attr-defined]

    def _message(self, worded: Callable[[str], str]) -> str:
        fact, remedy = (worded(brief(text)) for text in (self.fact, self.remedy))
        located = f"{self.place}: {fact}" if self.place else fact
        return message(f"{located}; {remedy}" if remedy else located)


_BEGIN, _BETWEEN, _END = "\ue000", "\ue002", "\ue001"
"""What stands around the name of a choice and before its value: no printable text holds it, so nothing that strangers
wrote looks so."""


def option(name: str, value: str = "") -> str:
    """A choice that a message is about, by its name, ``baseline_run``, and a value that it may have, as on the command
    line, ``K`` for any; each door writes both as it takes them."""
    return f"{_BEGIN}{name}{_BETWEEN}{value}{_END}"


def spoken(text: str, called: Callable[[str], str]) -> str:
    """A message with choices as a door calls them, which begins names with ``--`` on the command line alone."""
    first, *others = text.split(_BEGIN)
    parts = (each.partition(_END) for each in others)
    return first + "".join(_as_taken(choice, called) + rest for choice, _, rest in parts)


def _as_taken(choice: str, called: Callable[[str], str]) -> str:
    """A choice as a door takes it: ``--by rrf or depth`` or ``by='rrf' or 'depth'``, ``--depth K`` or ``depth=…``; of
    pairs ``{query=a,document=b}`` ``--columns query=a,document=b`` or ``columns={'query': 'a', 'document': 'b'}``."""
    name, _, value = choice.partition(_BETWEEN)
    name = called(name)
    if not value:
        return name
    if value.startswith("{"):
        pairs = value[1:-1]
        if name.startswith("-"):
            import shlex  # which few messages need

            return f"{name} {shlex.quote(pairs)}"
        given = dict(pair.split("=", 1) for pair in pairs.split(","))
        return f"{name}={given}".replace("'NAME'", "…")
    if name.startswith("-"):
        return f"{name} '{value}'" if any(mark in value for mark in "*^|") else f"{name} {value}"
    return f"{name}={'…' if re.fullmatch(_ANY_VALUE, value) else ' or '.join(map(repr, value.split(' or ')))}"


_ANY_VALUE = "[A-Z=,…]+"


def typed(text: str) -> str:
    """A message as the command line says it."""
    return spoken(text, typed_option)


def typed_option(name: str) -> str:
    """A choice as the command line calls it: ``--run-format`` for ``run_format``."""
    return f"--{name.replace('_', '-')}"


def in_python(text: str) -> str:
    """A message as Python says it, with parameters in place of options: ``max_drop`` for ``--max-drop``,
    ``level=2`` for ``-l 2``. Commands in quotes stay commands."""
    quoted = re.split(r"(`[^`]*`|'irev [^']*')", spoken(text, str))
    if len(quoted) == 1 and "-" not in text:
        return quoted[0]
    return "".join(part if place % 2 else re.sub(_OPTION, _parameter, part) for place, part in enumerate(quoted))


_OPTION = r"(?<![^\s(])(--[a-z]+(?:-[a-z]+)*|-[a-zA-Z])(?![\w-])(?: ('[^']*'|[^\s;,)'?]+))?"
"""An option, and what may be its value."""


def _parameter(found: re.Match[str]) -> str:
    """An option as a parameter: a word behind it is its value only if it takes such a word."""
    # Kinds and settings are checked with the errors of this module.
    Flag = import_module("irev.base.choice").Flag
    ABOUT = import_module("irev.base.settings").ABOUT

    flag, value = found[1], found[2] or ""
    name = next((name for name, about in ABOUT.items() if flag in about.flags.split()), flag[2:].replace("-", "_"))
    if flag == "-m":
        name = "measures"
    if not name:  # no option of an evaluation
        return found[0]
    if value.startswith("'"):
        return f"{name}={value}"
    if flag == "-m" and value:
        return f"{name}={value!r}"
    kind = ABOUT[name].kind if name in ABOUT else None
    if value.isupper() or value[:1].isdigit():
        return f"{name}={'…' if value.isupper() else value}"
    if value in getattr(kind, "words", ()) or (value and name.endswith("_format")):
        return f"{name}={value!r}"
    return f"{name}{'=True' * isinstance(kind, Flag)}{found[0][len(flag) :]}"


class IrevWarning(UserWarning):
    """What the command says in a line ``irev: warning:``, in Python. Each kind is a category of its own."""


class MeasureWarning(IrevWarning):
    """A measure was read in a way that whoever named it may not expect."""


class JudgmentsWarning(IrevWarning):
    """Judgments were perhaps meant in another way than they were read in."""


class LevelWarning(IrevWarning):
    """No grade reaches the relevance level, or a good part of the grades above 0 lies below it."""


class QueriesWarning(IrevWarning):
    """Queries are in one of judgments and run alone, or not in all runs."""


class DocumentsWarning(IrevWarning):
    """No retrieved document is judged, or many are judged but for capital letters or blanks."""


class RunWarning(IrevWarning):
    """Rows of a run that look wrong, or a run that is given twice."""


class TiesWarning(IrevWarning):
    """Judged documents have the score of another one, so that values depend on how ties are broken."""


class ComparisonWarning(IrevWarning):
    """Evaluations that were made in different ways, or measures that runs are not compared by."""


class UsageError(IrevError):
    """A wrong option, measure or parameter: found before any file is read."""


class AboveMaximum(UsageError):
    """A grade that is higher than a measure was told there is; who knows the file says where.

    Parameters
    ----------
    measure : str
    option : str
        What the highest grade was stated by.
    found, most : float
        The grade, and the highest one there may be.
    called : str
        ``grade``, or ``gain`` where the settings give one to grades.
    """

    def __init__(self, measure: str, option: str, found: float, most: float, called: str = "grade") -> None:
        super().__init__(
            f"a {called} of {decimal(found)} is above the highest {called} {decimal(most)} of measure '{measure}'",
            remedy=f"-m '{measure}({option}={decimal(found)})', or {option}=auto for the highest {called} of all",
        )
        self.measure = measure
        self.most = most
        self.called = called


class InputError(IrevError):
    """A file that cannot be used."""


class UnreachableError(InputError):
    """A file that cannot be opened or read where that is tried; another machine may have it."""


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
    column : int or None
        Byte of the line that the faulty field begins with, counting from 1.
    """

    line: int
    code: str
    fact: str
    remedy: str
    first: int | None = field(default=None, compare=False)
    column: int | None = field(default=None, compare=False)

    def moved(self, lines: int) -> Problem:
        """The same fault, `lines` further down."""
        first = None if self.first is None else self.first + lines
        return replace(self, line=self.line + lines, first=first)

    def renumbered(self, number: Callable[[int], int]) -> Problem:
        """The same fault, where line i of the text that was read is line ``number(i)`` of the file."""
        first = None if self.first is None else number(self.first)
        return replace(self, line=number(self.line), first=first)


ONCE = frozenset({"W229"})
"""Codes of problems that a file has once for each fact, however many rows have it."""


class Faults:
    """The problems that a reader found: how many of each code, and the earliest of each kind as `Problem`s.

    A file of a million bad lines must not become a million objects, so only the earliest `most` of each code do.

    Attributes
    ----------
    place : callable or None
        Where the lines of the text were brought into another order: the lines of some rows, as numbers that rise with
        the lines of the file.
    unit : str
        What the file counts in the place of lines.
    columns : bool
        Whether the columns of problems are those of the file; they are not where lines were rewritten.
    named : bool
        Whether the file has columns that can be named.
    empty : list of str
        Queries for which the file has nothing, and that no line has.
    doubts : list of Problem
        What was perhaps meant otherwise than it is read.
    one_is_enough : bool
        Whether nothing behind the first problem is wanted, so that reading may end there.
    """

    def __init__(self, most: int = 1) -> None:
        self.most = most
        self.counts: Counter[str] = Counter()
        self.problems: list[Problem] = []
        self.place: Callable[[Any], Any] | None = None
        self.unit = "line"
        self.columns = True
        self.named = False
        self.empty: list[str] = []
        self.doubts: list[Problem] = []
        self.one_is_enough = False

    def add(self, rows: Any, problem: Callable[[int], Problem], lines: Callable[[Any], Any] | None = None) -> None:
        """Count a fault at each of `rows`, all of one code.

        Parameters
        ----------
        rows : array or list of int
            They rise by line.
        problem : callable
            Describes the fault at one row.
        lines : callable, optional
            The lines of the text that some rows stand on, for a text whose lines may have been reordered.
        """
        if not len(rows):
            return
        earliest = rows
        if self.place is not None and lines is not None and len(rows) > self.most:
            earliest = [rows[i] for i in self.place(lines(rows)).argsort(kind="stable")[: self.most]]
        described = [problem(int(row)) for row in earliest[: self.most]]
        self.counts[described[0].code] += len(rows)
        self._keep(described)

    def note(self, problem: Problem) -> None:
        """Count one fault; those of a code come in the order of lines."""
        self.counts[problem.code] += 1
        if self.counts[problem.code] <= self.most:
            self.problems.append(problem)

    def take(self, part: Faults, lines: int = 0) -> None:
        """Add the faults of a part of the file that begins after `lines` lines."""
        known = {each.fact for each in self.problems if each.code in ONCE}
        repeated = [each for each in part.problems if each.code in ONCE and each.fact in known]
        self.counts.update(part.counts)
        self.counts.subtract(each.code for each in repeated)
        self.doubts = (self.doubts + [doubt.moved(lines) for doubt in part.doubts])[:1]  # the first says enough
        self._keep([problem.moved(lines) for problem in part.problems if problem not in repeated])

    def earliest(self) -> list[Problem]:
        """The earliest `most` problems of each code, by line."""
        listed: Counter[str] = Counter()
        found = []
        for problem in sorted(self.problems):
            listed[problem.code] += 1
            if listed[problem.code] <= self.most:
                found.append(problem)
        return found

    def _keep(self, problems: list[Problem]) -> None:
        self.problems += problems if self.columns else [replace(problem, column=None) for problem in problems]
        if len(self.problems) > 2 * self.most * max(len(self.counts), 8):
            self.problems = self.earliest()

    def renumbered(self, number: Callable[[int], int]) -> Faults:
        """The same faults, where line i of the text that was read is line ``number(i)`` of the file."""
        faults = Faults(self.most)
        faults.counts = self.counts
        faults.problems = [problem.renumbered(number) for problem in self.problems]
        faults.doubts = [doubt.renumbered(number) for doubt in self.doubts]
        return faults

    def clear(self) -> None:
        """Forget everything, before reading again."""
        self.counts.clear()
        self.problems = []
        self.empty = []
        self.doubts = []

    def raise_earliest(self, file: str) -> None:
        """Raise `ProblemError` for the earliest line, if there is any problem."""
        if self.problems:
            raise ProblemError(file, min(self.problems), self.unit)


class ProblemError(InputError):
    """The earliest `Problem` of a file."""

    def __init__(self, file: str, problem: Problem, unit: str = "line") -> None:
        place = f"{file}:{problem.line}" if unit == "line" else f"{file}, {unit} {problem.line}"
        preposition = "on" if unit == "line" else "in"
        repeats = "" if problem.first is None else f" (first {preposition} {unit} {problem.first})"
        super().__init__(problem.fact + repeats, place, problem.remedy)
        self.problem = problem


class RowError(InputError):
    """A coded fault at a row of a table whose rows stand in no order: the row is named by its query and document.

    Attributes
    ----------
    query, document : bytes
        The ids of the row, empty where they are what is wrong.
    code : str
        Stable name of the kind of fault, such as ``E103``.
    given : tuple
        What it was made of.
    """

    def __init__(self, table: str, query: bytes, document: bytes, code: str, fact: str, remedy: str) -> None:
        self.given: tuple[str, bytes, bytes, str, str, str] = (table, query, document, code, fact, remedy)
        row = f"query {shown(query)}, document {shown(document)}"
        super().__init__(f"{fact} ({code})", f"{table}, {row}", remedy)
        self.query = query
        self.document = document
        self.code = code


def decimal(number: float) -> str:
    """The shortest decimal number that reads back as this one, for a message that says what to type."""
    return repr(float(number)).removesuffix(".0")


def shown(text: bytes, limit: int = 60) -> str:
    """Bytes from a file, quoted for a message: control characters and broken UTF-8 escaped, long ones cut."""
    return f"'{printable(text[:limit])}{'…' if len(text) > limit else ''}'"


def printable(text: bytes) -> str:
    """Bytes from a file as text that is safe on a terminal: control characters and broken UTF-8 as escapes."""
    return escaped(text.decode("utf-8", "backslashreplace"))


LONGEST_PART, LONGEST = 1000, 10_000
"""Characters of what a message quotes, and of all of it: one about a line of megabytes must not have megabytes."""


def message(text: str) -> str:
    """Text as the one line that it is said in, safe on a terminal and in a log, wherever words of it come from."""
    return without_orders(brief(escaped(brief(text, LONGEST)), LONGEST))


def without_orders(text: str) -> str:
    """Lines of text for people as they may stand in a log.

    GitHub takes orders from one: a line that begins with two colons, or has ``##[`` anywhere, may be one.
    """
    return re.sub(r"^ *:(?=:)|(?<=##)\[", _spelt, text, flags=re.MULTILINE)


def _spelt(found: re.Match[str]) -> str:
    return f"{found[0][:-1]}\\x{ord(found[0][-1]):02x}"


def brief(text: str, longest: int = LONGEST_PART) -> str:
    """The text, or if it has more characters than `longest` its beginning and its end."""
    if len(text) <= longest:
        return text
    end = longest // 4
    return f"{text[: longest - end - 1]}…{text[-end:]}"


def escaped(text: str) -> str:
    """Text that is safe on a terminal: control characters as escapes, and bytes that are no UTF-8 as ``\\xff``.

    What is safe already stays as it is, so that text may be made safe twice.
    """
    return text if text.isprintable() else "".join(c if c.isprintable() else _escape(c) for c in text)


def _escape(character: str) -> str:
    if "\udc80" <= character <= "\udcff":  # a byte, as `os.fsdecode` has it
        return f"\\x{ord(character) - 0xDC00:02x}"
    return ascii(character)[1:-1]


for _name, _each in [*vars().items()]:
    if _name.endswith(("Error", "Warning")):
        _each.__module__ = "irev"  # where users find it, and what tracebacks say
