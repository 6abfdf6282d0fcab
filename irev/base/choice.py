"""Choices: everything that can be asked of a question, each declared once, as a field of a frozen record; and the kinds
of values that they have.

The command line, the Python functions, their help and the reference pages are derived from these declarations. A choice
says by itself when it has an effect; where it has none and ignoring it would mislead, every door refuses it, in its own
words. A kind reads the text of a command line, and checks the value of a Python call. Both ways end with the same
value, and both refuse with `ValueError`: a text with the fact, a value with what was expected.
"""

from __future__ import annotations

import math
import os
import re
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import MISSING, field, fields
from types import MappingProxyType
from typing import Any, NamedTuple

from irev.base.errors import option
from irev.base.registry import did_you_mean
from irev.base.text import REAL, encoded


class Kind:
    """A text, which is taken as it is. What is more derives from it."""

    metavar: str | None = "TEXT"
    name = "text"
    expected = "a text"
    offers = ""
    """The names that completion offers for a value: ``measures``, ``formats``."""

    def read(self, text: str) -> Any:
        """The value that a text on the command line stands for."""
        return text

    def names_file(self, text: str) -> bool:
        """Return True if a text on the command line names a file."""
        return False

    def check(self, value: Any) -> Any:
        """The value that a Python call gives."""
        if not isinstance(value, str):
            raise ValueError(self.expected)
        return value


class RunName(Kind):
    """The name of a run."""

    metavar = "NAME"


class Flag(Kind):
    """True or false."""

    expected = "True or False"

    def check(self, value: Any) -> bool:
        if not isinstance(value, bool) and type(value).__name__ != "bool":  # numpy's too
            raise ValueError(self.expected)
        return bool(value)


class HoldScores(Flag):
    """True if the files have values of queries instead of judgments and runs."""


class MayReplace(Flag):
    """True if existing files may be replaced."""


class File(Kind):
    """The path of a file."""

    metavar = "FILE"
    name = "file"
    expected = "a path"
    only = "give one"
    """The remedy where several files are given and one is expected."""

    def names_file(self, text: str) -> bool:
        return True

    def check(self, value: Any) -> str:
        if not isinstance(value, str | os.PathLike):
            raise ValueError(self.expected)
        return os.fsdecode(value)


class QrelsFile(File):
    """The path of judgments."""


class NamedRun(str):
    """The path of a run, and the name that was typed before it, ``bm25=runs/a.run``."""

    called = ""

    @classmethod
    def of(cls, path: str, called: str) -> NamedRun:
        """Return the path with a name."""
        run = cls(path)
        run.called = called
        return run


def named_run(text: str, folder: str = "") -> str:
    """The path that a text stands for, in a folder; with a name, where that is typed before it and no file has both for
    a name. Raises `ValueError` for a name without a file."""
    name, equals, path = text.partition("=")
    if not equals or os.path.lexists(os.path.join(folder, text)):
        return text
    for place in (place for place, sign in enumerate(text) if sign == "=" and place):
        if os.path.exists(os.path.join(folder, text[place + 1 :])):
            return NamedRun.of(text[place + 1 :], text[:place])
    if not name or re.search(r"[/\\:*?(\[]|^@", name):
        return text
    if not path:
        raise ValueError(f"'{text}' has no file; a run and its name are NAME=FILE")
    if path != "-" and not re.search(r"^@|[:*?\[]", path):
        raise ValueError(f"there is no file '{path}' to be called '{name}', and none that is called '{text}'")
    return NamedRun.of(path, name)


class RunFile(File):
    """The path of a run, ``NAME=FILE`` where it has another name than its run id."""

    metavar = "RUN"

    def read(self, text: str) -> str:
        return named_run(text)


class RunFiles(File):
    """Judgments, then at least `least` runs. An argument may be a list ``@FILE`` or a folder.

    `sets` has the name of each set of judgments, and `called` is how messages name their files.
    """

    def __init__(self, least: int = 1, sets: tuple[str, ...] = ("",), called: str = "QRELS") -> None:
        self.least, self.sets, self.called = least, sets, called

    def read(self, text: str) -> str:
        return named_run(text)


class RunsOrResults(RunFiles):
    """Judgments and runs, or saved results, which are not evaluated again."""


class JudgmentsOrRuns(File):
    """Judgments alone, or runs alone: one may be a list ``@FILE`` or a folder."""


class NewFile(File):
    """The path of a file that is written."""

    def files(self, flag: str, value: Any) -> dict[str, str | None]:
        """The files that a value of the choice names, each by what messages call the option."""
        return {flag: value}


class NewFiles(NewFile):
    """Files that are written, each of one of some kinds: ``KIND=FILE``, once or more."""

    metavar = "KIND=FILE"

    def __init__(self, kinds: Sequence[str]) -> None:
        self.kinds = tuple(kinds)
        self.expected = f"KIND=FILE, where KIND is {', '.join(kinds[:-1])} or {kinds[-1]}"

    def read(self, text: str) -> tuple[str, str]:
        kind, _, path = text.partition("=")
        if kind not in self.kinds or not path:
            raise ValueError(f"'{text}' is not {self.expected}")
        return kind, path

    def files(self, flag: str, value: Any) -> dict[str, str | None]:
        return {f"{flag} {kind}": path for kind, path in value}


class Picture(NewFile):
    """The path of a picture."""


class FileBeside(NewFile):
    """The path of a file that is written beside the report, in the format that its ending says."""


class SavedResult(File):
    """The path of a result that was saved."""

    metavar = "RESULT"


class SavedResults(SavedResult):
    """The paths of saved results, and of folders of them."""


class UpdatedFile(SavedResult):
    """The path of a result that is read, and written anew where a flag is given."""

    def __init__(self, flag: str) -> None:
        self.flag = flag


class ConfigurationFile(File):
    """The path of a file that has files and choices."""


class NamedFile(Kind):
    """A name and a file, ``NAME=FILE``; a file alone is called by its name."""

    name = "file"

    def __init__(self, metavar: str = "[NAME=]FILE") -> None:
        self.metavar = metavar

    def read(self, text: str) -> tuple[str, str]:
        called, equals, path = text.partition("=")
        if not equals:
            return os.path.basename(text), text
        if not called or not path:
            raise ValueError(f"'{text}' is not NAME=FILE")
        return called, path


class JudgmentSets(NamedFile):
    """Sets of judgments. All other files are runs then."""

    def __init__(self) -> None:
        super().__init__("NAME=FILE")


class JudgesFiles(NamedFile):
    """The judgments of each judge; one table may have several."""


class QueryId(Kind):
    """The id of a query, as bytes."""

    metavar = "ID"

    def read(self, text: str) -> bytes:
        return os.fsencode(text)

    def check(self, value: Any) -> bytes:
        return value if isinstance(value, bytes) else encoded(super().check(value))


MOST = 10**18 - 1
"""The largest whole number that is read: eight bytes hold it."""


class Number(Kind):
    """One number or several: a text is parsed, to None where it is none, and checked as values of Python calls are."""

    name = "number"

    def parse(self, text: str) -> Any:
        """The number that is written so, None for any other text."""
        return float(text) if re.fullmatch(rf"\s*{REAL}\s*", text, re.ASCII) else None

    def read(self, text: str) -> Any:
        try:
            return self.check(self.parse(text))
        except ValueError as error:
            raise ValueError(f"'{text}' is not {error}") from None


class Whole(Number):
    """A whole number in decimal digits; unlike C, nothing else is read as one."""

    metavar = "N"
    name = "integer"

    def __init__(self, least: int = 0, most: int = MOST) -> None:
        self.least, self.most = least, most
        self.expected = (
            f"a whole number from {least} to {most}" if most < MOST else f"a whole number of {least} or more"
        )

    def parse(self, text: str) -> int | None:
        return int(text) if re.fullmatch(r"\s*[+-]?[0-9]{1,99}\s*", text, re.ASCII) else None

    def check(self, value: Any) -> int:
        if isinstance(value, bool) or not hasattr(value, "__index__"):
            raise ValueError(self.expected)
        try:
            number = int(value.__index__())
        except TypeError:  # an array of several
            raise ValueError(self.expected) from None
        if number > self.most >= MOST:
            raise ValueError(f"{self.expected}, with 18 digits at most")
        if not self.least <= number <= self.most:
            raise ValueError(self.expected)
        return number


class Wholes(Number):
    """Whole numbers, ``4,2``; in Python one number, or any iterable of them."""

    metavar = "N,…"
    name = "numbers"
    expected = "a whole number of 0 or more, or a list of them"
    one = Whole()

    def parse(self, text: str) -> list[int | None]:
        return [self.one.parse(part) for part in text.split(",")]

    def check(self, value: Any) -> tuple[int, ...]:
        try:
            return tuple(self.one.check(each) for each in (value if hasattr(value, "__iter__") else (value,)))
        except ValueError:
            raise ValueError(self.expected) from None


class Ranks(Wholes):
    """Ranks, ``1,5,10``, in order and each once."""

    metavar = "K,…"
    name = "cutoffs"
    expected = "a list of whole numbers of 1 or more"
    one = Whole(1)

    def check(self, value: Any) -> tuple[int, ...]:
        return tuple(sorted({*super().check(value)}))


class Real(Number):
    """A decimal number from `least` to `most`; with `open_ends` the ends themselves are refused."""

    metavar = "D"

    def __init__(self, least: float = 0.0, most: float = math.inf, open_ends: bool = False) -> None:
        self.least, self.most, self.open_ends = least, most, open_ends
        limits = f"above {least:g}" if open_ends else f"of {least:g} or more"
        if most != math.inf:
            limits = f"above {least:g} and below {most:g}" if open_ends else f"from {least:g} to {most:g}"
        self.expected = f"a number {limits}"

    def check(self, value: Any) -> float:
        if isinstance(value, str | bool) or not hasattr(value, "__float__"):
            raise ValueError(self.expected)
        try:
            number = float(value)
        except OverflowError:
            number = math.inf
        except TypeError:  # an array of several
            raise ValueError(self.expected) from None
        inside = self.least < number < self.most if self.open_ends else self.least <= number <= self.most
        if not (inside and math.isfinite(number)):
            raise ValueError(self.expected)
        return number


class Aggregates(Kind):
    """Names of aggregates, ``mean,sd,q25``; in Python a list."""

    metavar = "NAME,…"
    name = "aggregates"

    def read(self, text: str) -> tuple[str, ...]:
        return self.check(text.split(","))

    def check(self, value: Any) -> tuple[str, ...]:
        from irev.base.segments import known_aggregate

        return tuple(dict.fromkeys(map(known_aggregate, value)))


class OpenShare(Real):
    """A number between 0 and 1, neither of which it may be."""

    metavar = "SHARE"

    def __init__(self) -> None:
        super().__init__(0, 1, open_ends=True)


class Word(Kind):
    """One of some words.

    Parameters
    ----------
    words : sequence of str, or mapping of str to str
        Each, with what it comes to where results say that.
    metavar : str, optional
        What help calls the value, where it does not list the words.
    """

    def __init__(self, words: Sequence[str] | Mapping[str, str], metavar: str | None = None) -> None:
        self.words = tuple(words)
        self.metavar = metavar
        self.means = words if isinstance(words, Mapping) else {}
        self.expected = "one of " + ", ".join(map(repr, self.words))

    def check(self, value: Any) -> str:
        if not isinstance(value, str) or value not in self.words:
            raise ValueError(self.expected)
        return str(value)


class NearName(Word):
    """One of some names, in letters of either case on the command line.

    Parameters
    ----------
    elsewhere : mapping of str to str
        What some of them are called by others, where that is not near; the others as `Word`.
    """

    def __init__(
        self, words: Sequence[str], metavar: str | None = None, elsewhere: Mapping[str, str] = MappingProxyType({})
    ) -> None:
        super().__init__(words, metavar)
        self.elsewhere = elsewhere


class Words(Kind):
    """Some of some words, with commas between them and in letters of either case; in Python one of them, or several.

    Parameters
    ----------
    words : sequence of str
    metavar : str, optional
        What help calls the value, where it does not list the words.
    """

    name = "words"

    def __init__(self, words: Sequence[str], metavar: str | None = None) -> None:
        self.words = tuple(words)
        self.metavar = metavar or "|".join(self.words)
        self.expected = "some of " + ", ".join(map(repr, self.words))

    def read(self, text: str) -> tuple[str, ...]:
        known = {word.lower(): word for word in self.words}
        found = text.split(",")
        for word in found:
            if word.lower() not in known:
                near = did_you_mean(word, self.words, f"there are {', '.join(self.words)}")
                raise ValueError(f"there is no '{word}'; {near}")
        return tuple(known[word.lower()] for word in found)

    def check(self, value: Any) -> tuple[str, ...]:
        found = (value,) if isinstance(value, str) or not hasattr(value, "__iter__") else tuple(value)
        if not found or not all(isinstance(each, str) and each in self.words for each in found):
            raise ValueError(self.expected)
        return tuple(dict.fromkeys(map(str, found)))


class Grade(Real):
    """A grade of 0 or more."""

    metavar = "GRADE"
    name = "grade"


class Grades(Kind):
    """The grades of a ranking, best rank first, ``3,2,-,0``; - is an unjudged document, in Python None.

    In Python the value is a ranking, or a list of several.
    """

    metavar = "GRADE,…"
    name = "grades"
    expected = "a list of the grades of a ranking, such as [3, 2, None, 0]; None is an unjudged document"

    def read(self, text: str) -> tuple[float | None, ...]:
        words = re.split(r"\s*,\s*|\s+", text.strip())
        for word in words:
            if word != "-" and not (re.fullmatch(REAL, word, re.ASCII) and abs(float(word)) <= 2**53):
                raise ValueError(f"'{word}' is not a grade; expected grades such as 3,2,-,0")
        return self._judged([None if word == "-" else float(word) for word in words])

    def check(self, value: Any) -> tuple[tuple[float | None, ...], ...]:
        if isinstance(value, str | Mapping) or not hasattr(value, "__iter__"):
            raise ValueError(self.expected)
        found = list(value)
        several = found and all(hasattr(each, "__iter__") and not isinstance(each, str) for each in found)
        return tuple(self._ranking(each) for each in (found if several else [found]))

    def _ranking(self, value: Any) -> tuple[float | None, ...]:
        grade = Real(-(2.0**53), 2.0**53)
        try:
            return self._judged([None if each is None else grade.check(each) for each in value])
        except ValueError:
            raise ValueError(self.expected) from None

    def _judged(self, grades: list[float | None]) -> tuple[float | None, ...]:
        if all(each is None for each in grades):
            raise ValueError("no document of the ranking has a judgment")
        return tuple(grades)


class ByGrade(Kind):
    """A number for each of some grades, ``0=0,1=1,2=3``; in Python a dictionary.

    Parameters
    ----------
    name : str
        What the numbers are called.
    one : str
        And one of them.
    example : str
        A pair.
    lowest, highest : float
        What a number may be at the least and the most.
    """

    def __init__(self, name: str, one: str, example: str, lowest: float = -math.inf, highest: float = math.inf) -> None:
        self.name = name
        self.metavar = f"GRADE={one.upper()},…"
        self.expected = f"a dictionary of grades and {name} such as {{{example.replace('=', ': ')}}}"
        self._one, self._example, self._range = one, example, (lowest, highest)

    def read(self, text: str) -> tuple[tuple[float, float], ...]:
        lowest, highest = self._range
        pairs: dict[float, float] = {}
        for part in text.split(","):
            grade, equals, number = part.partition("=")
            if not (equals and all(re.fullmatch(REAL, each, re.ASCII) for each in (grade, number))):
                raise ValueError(f"'{part}' is not a pair of grade and {self._one} such as {self._example}")
            if float(grade) < 0:
                raise ValueError(f"'{part}': a negative grade has no {self._one}")
            if math.isinf(float(grade)) or math.isinf(float(number)):
                raise ValueError(f"'{part}' has too large a number")
            if not lowest <= float(number) <= highest:
                raise ValueError(f"'{part}': a {self._one} is from {lowest:g} to {highest:g}")
            if float(grade) in pairs:
                raise ValueError(f"grade {grade} is given twice")
            pairs[float(grade)] = float(number)
        return tuple(pairs.items())

    def check(self, value: Any) -> tuple[tuple[float, float], ...]:
        if not isinstance(value, Mapping):
            raise ValueError(self.expected)
        pairs = tuple(
            (Real(-math.inf).check(grade), Real(*self._range).check(number)) for grade, number in value.items()
        )
        if any(grade < 0 for grade, _ in pairs):
            raise ValueError("grades of 0 or more")
        return pairs


class ColumnNames(Kind):
    """Roles and names of columns, ``query=qid,run:document=docno``; in Python a dictionary."""

    metavar = "ROLE=NAME,…"
    name = "columns"
    roles = ("query", "document", "grade", "score", "rank", "results", "relevant")
    expected = f"a dictionary of {', '.join(roles)}, and of qrels:document and run:document for one kind of file"

    def _is_role(self, text: str) -> bool:
        return text.removeprefix("run:" if text.startswith("run:") else "qrels:") in self.roles

    def read(self, text: str) -> tuple[tuple[str, str], ...]:
        names: dict[str, str] = {}
        for part in text.split(","):
            role, _, name = part.partition("=")
            if not self._is_role(role) or not name:
                roles = ", ".join(f"{each}=NAME" for each in self.roles)
                raise ValueError(f"'{part}' names no column; expected {roles}, with qrels: or run: before any of these")
            if role in names:
                raise ValueError(f"{role} is given twice")
            names[role] = name
        return tuple(names.items())

    def check(self, value: Any) -> tuple[tuple[str, str], ...]:
        if not isinstance(value, Mapping) or not all(isinstance(role, str) and self._is_role(role) for role in value):
            raise ValueError(self.expected)
        return tuple(value.items())


class Queries(File):
    """``both``, ``qrels``, ``relevant`` or ``run``, or a file that lists queries; in Python a list of them."""

    metavar = "WHICH"
    words = ("both", "qrels", "relevant", "run")

    def names_file(self, text: str) -> bool:
        return text not in self.words


class NamedNumbers(File):
    """A file with a name and a number on each line; in Python a dictionary, too."""


class MeasureName(Kind):
    """The name of a measure, as `irev measures` has them."""

    metavar = "NAME"
    offers = "measures"


class SeveralMeasures(MeasureName):
    """The measures that are asked for, each after an option of its own."""


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
        What a setting changes: values unless it says otherwise, nothing where numbers do not depend on it.
    of_rows : bool
        Whether it is settled when the rows of a run are read.
    of_runs : bool
        Whether it is about runs alone, as those `of_rows` are.
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
    changes: str = "values"
    of_rows: bool = False
    of_runs: bool = False
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
