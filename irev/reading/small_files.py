"""Small files that people write: lists of ids or runs, groups of queries, costs, propensities, words for grades.

**Costs** are what it takes to read a result, by its type, as cwl-eval has it. A file of them has lines ``type cost``;
the type of each result stands in the second column of a run in TREC's format, which nothing else reads.

**Propensities** are the probability that each position of a list is looked at, one on each line.
"""

from __future__ import annotations

import math
import os
import re
from collections.abc import Callable, Iterable, Mapping
from typing import Any, NamedTuple

import numpy as np

from irev.base.errors import Faults, InputError, Problem, ProblemError, UnreachableError, option, shown
from irev.base.kinds import Real
from irev.base.segments import AnyInts, Floats
from irev.base.settings import Settings
from irev.base.text import REAL, and_more, decoded, encoded
from irev.reading import ids
from irev.reading.block import Block
from irev.reading.fields import too_long
from irev.reading.limits import LONGEST
from irev.reading.remote import is_url
from irev.reading.sources import STANDARD_INPUT, Source


def read_ids(source: Source) -> list[bytes]:
    """The id in every line, in order: what stands before a tab, where there is one, or else the first field.

    What follows it, such as the text of a topic, is ignored.

    Raises
    ------
    ProblemError
        For an id that occurs twice, and for a line that is too long.
    InputError
        For a file without ids.
    """
    found: dict[bytes, int] = {}
    for number, line in enumerate(source.content().split(b"\n"), start=1):
        if len(line) > LONGEST:
            raise ProblemError(source.name, too_long(number))
        line = line.strip(b" \r\v\f")
        before, tab, _ = line.partition(b"\t")
        name = before.strip() if tab and before else line.split(None, 1)[0] if line.strip() else b""
        if name in found:
            fact = f"{shown(name)} occurs twice"
            raise ProblemError(source.name, Problem(number, "E107", fact, "keep one of the two lines", found[name]))
        if name:
            found[name] = number
    if not found:
        raise InputError("the file lists no ids", source.name, "expected one on each line")
    return list(found)


def read_lines(source: Source) -> list[tuple[int, bytes]]:
    """The lines that are not blank, in order, with their numbers and without blanks around them."""
    lines = (line.strip() for line in source.content().split(b"\n"))
    return [(number, line) for number, line in enumerate(lines, start=1) if line]


def paths_in(path: str) -> list[str]:
    """The paths of runs that a file lists, one on each line.

    Raises
    ------
    InputError
        When there are none, and for one that is not there, with its line.
    """
    with Source(path) as source:
        listed = [(number, os.fsdecode(line)) for number, line in read_lines(source)]
    if not listed:
        raise InputError("the file lists no runs", path, "expected a path on each line")
    for number, run in listed:
        if run != STANDARD_INPUT and not is_url(run) and not os.path.exists(run):
            fact = f"there is no file {shown(os.fsencode(run))}"
            raise InputError(fact, f"{path}:{number}", "paths in a list are relative to the current folder")
    return [run for _, run in listed]


def runs_named(argument: str, partitioned: bool = False) -> list[str]:
    """The paths of the runs that an argument stands for: those that ``@LIST`` lists, the files in a folder, or itself.

    As a `partitioned`, a folder or a pattern is one run.

    Of a folder, files count whose names do not begin with a dot, as in ``FOLDER/*``, in the order of their names. A
    pattern such as ``runs/*.parquet`` that a shell did not expand, and that is the name of no file, is expanded here.

    Raises
    ------
    InputError
        For a list as `paths_in` does; for a folder without files, and for one with folders in it; for a pattern that
        nothing matches.
    """
    if argument.startswith("@"):
        return paths_in(argument[1:])
    if partitioned:
        return [argument]
    if any(mark in argument for mark in "*?[") and not is_url(argument) and not os.path.lexists(argument):
        from glob import glob

        matching = sorted(path for path in glob(argument, recursive=True) if not os.path.isdir(path))
        if not matching and ("*" in argument or "?" in argument):
            raise InputError("no file matches this", argument, "expected runs")
        return matching or [argument]
    if not os.path.isdir(argument):
        return [argument]
    try:
        names = sorted(os.listdir(argument))
    except OSError as error:
        raise UnreachableError(f"cannot be read ({error.strerror or error})", argument) from None
    inside = [os.path.join(argument, name) for name in names if not name.startswith(".")]
    for path in inside:
        if os.path.isdir(path):
            fact = f"there is a folder in it, {shown(os.fsencode(path))}"
            raise InputError(fact, argument, "runs are read from one folder, not from its subfolders; give the files")
    if not inside:
        raise InputError("there are no files in this folder", argument, "expected runs")
    return inside


def read_groups(source: Source, of: str = "query") -> dict[bytes, bytes]:
    """The group of each query: lines of two columns with a tab between them, or a JSON object ``{"query": "group"}``.

    Or of each run, or whatever else `of` says.

    Raises
    ------
    ProblemError
        For a line without two columns, and a query that stands in two groups.
    InputError
        For a file without groups, and one that begins as JSON and is none.
    """
    content = source.content()
    if content.lstrip().startswith(b"{"):
        return _groups_of_json(content, source.name, of)
    groups: dict[bytes, bytes] = {}
    first: dict[bytes, int] = {}
    for number, line in enumerate(content.split(b"\n"), start=1):
        if not line.strip():
            continue
        query, _, group = (part.strip() for part in line.rstrip(b"\r").partition(b"\t"))
        if not (query and group) or b"\t" in group:
            fact = f"expected a {of}, a tab and its group, found {shown(line)}"
            raise ProblemError(
                source.name, Problem(number, "E101", fact, "write both on one line, with a tab between them")
            )
        if query in groups:
            fact = f"{of} {shown(query)} occurs twice"
            raise ProblemError(source.name, Problem(number, "E107", fact, "keep one of the two lines", first[query]))
        groups[query], first[query] = group, number
    if not groups:
        raise InputError("the file lists no groups", source.name, f"expected a {of}, a tab and its group on each line")
    return groups


def _groups_of_json(content: bytes, name: str, of: str) -> dict[bytes, bytes]:
    import json

    from irev.reading.json_reader import KeyTwice, once  # of these alone

    expected = f'expected {{"{of}": "group"}}'
    try:
        read = json.loads(content, object_pairs_hook=once)
    except KeyTwice as error:
        raise InputError(f"{of} '{error.key}' occurs twice", name, "keep one of the two") from None
    except (ValueError, RecursionError) as error:
        raise InputError(f"this is not JSON ({error})", name, expected) from None
    for query, group in read.items():
        if not isinstance(group, str) or not group:
            raise InputError(f"the group of {of} '{query}' is no text", name, expected)
    if not read:
        raise InputError("the file lists no groups", name, expected)
    return {q.encode("utf-8", "surrogatepass"): g.encode("utf-8", "surrogatepass") for q, g in read.items()}


Costs = tuple[tuple[bytes, float], ...]
"""Element types and the cost of each, by type."""

FIELD = "Q0"
"""The field of a run that has the types."""

LARGEST = 1e100
"""No cost is higher: what many results cost together still is a number."""

_NUMBER = REAL.encode()


class _Lines(NamedTuple):
    """Lines of a name and its number: what messages say of them.

    Attributes
    ----------
    all, name, number : str
        What the lines, the names and the numbers are called.
    code : str
        The code of the problem that a number cannot be used.
    expected, number_expected : str
    wrong : callable
        What is wrong with a number; nothing for one that can be used.
    blanks : bool
        Whether names are words, which are `folded` and may have blanks in them.
    """

    all: str
    name: str
    number: str
    code: str
    expected: str
    number_expected: str
    wrong: Callable[[float], str]
    blanks: bool = False


def _read_numbers(source: Source, about: _Lines, faults: Faults | None = None) -> dict[bytes, float]:
    """The number of each name, from lines in any order; blank ones mean nothing.

    `faults` collects what is wrong with lines; a number that cannot be used is NaN then. Without it the earliest is
    raised.

    Raises
    ------
    ProblemError
        For a line that has not two fields, a number that is none or cannot be used, and a name that occurs twice.
    InputError
        For a file without lines.
    """
    from irev.reading.small_tables import content_of  # of these alone

    found = Faults() if faults is None else faults
    values: dict[bytes, float] = {}
    first: dict[bytes, int] = {}
    for line, text in enumerate(content_of(source, about.expected, skip_mark=True).split(b"\n"), start=1):
        fields = text.rsplit(None, 1) if about.blanks else text.split()
        if len(fields) != 2:
            if fields:
                fields_found = "1 field" if len(fields) == 1 else f"{len(fields)} fields"
                fact = f"{fields_found} in {shown(text[:200].strip())}"
                found.note(Problem(line, "E101", fact, about.expected))
            continue
        name, written = fields[0].strip(), fields[1]
        name = encoded(folded(decoded(name))) if about.blanks else name
        if name in first:
            fact = f"{about.name} {shown(name)} occurs twice"
            found.note(Problem(line, "E107", fact, "keep one of the two lines", first[name]))
            continue
        first[name] = line
        value = float(written) if re.fullmatch(_NUMBER, written) else math.nan
        if wrong := "not a number" if math.isnan(value) else about.wrong(value):
            fact = f"the {about.number} {shown(written)} of {about.name} {shown(name)} is {wrong}"
            found.note(Problem(line, about.code, fact, about.number_expected))
            value = math.nan
        values[name] = value
    if faults is None:
        found.raise_earliest(source.name)
    if not first and not found.counts:
        raise InputError(f"the file lists no {about.all}", source.name, about.expected)
    return values


_COST_LINES = _Lines(
    "costs",
    "element type",
    "cost",
    "E164",
    "expected an element type and its cost, such as: snippet 2.5",
    "expected a number above 0, such as 2.5",
    lambda cost: "not above 0" if cost <= 0 else "too large" if cost > LARGEST else "",
)


def read_costs(source: Source, faults: Faults | None = None) -> Costs:
    """The costs of a file, which `faults` are collected of; one that cannot be used is 1."""
    found = _read_numbers(source, _COST_LINES, faults)  # that a type has no cost shall not be said of all its results
    return tuple(sorted((name, 1.0 if math.isnan(cost) else cost) for name, cost in found.items()))


def check_costs(value: Mapping[str, Any]) -> Costs:
    """The costs that a dictionary has. Raises `ValueError` with what was expected."""
    cost = Real(0.0, LARGEST)
    try:
        found = {encoded(name): cost.check(number) for name, number in value.items()}
        if not all(found.values()):
            raise ValueError
    except (AttributeError, ValueError):
        raise ValueError("a dictionary of element types and costs above 0, such as {'snippet': 2.5}") from None
    return tuple(sorted(found.items()))


def of_rows(block: Block, costs: Costs) -> AnyInts:
    """(n,) Which of the costs each row of a block has. Adds the rows whose type has none to the faults of the block."""
    fields = block.fields
    start, stop = (offsets[block.row] for offsets in fields.span(FIELD))
    group, examples = ids.grouped(block.text, start, stop - start)
    place = {name: number for number, (name, _) in enumerate(costs)}
    written = [ids.at(block.text, int(start[row]), int(stop[row] - start[row])) for row in examples.tolist()]
    number = np.array([place.get(name, -1) for name in written], dtype=np.int64)[group]

    def problem(row: int) -> Problem:
        own = int(block.row[row])
        name = written[int(group[row])]
        fact = f"element type {shown(name)} has no cost"
        remedy = "add a line for it to the file of costs"
        return Problem(fields.line_of(own), "E163", fact, remedy, column=fields.column(own, FIELD))

    fields.faults.add(np.flatnonzero(number < 0), problem, lambda rows: fields.lines_of(block.row[rows]))
    return np.maximum(number, 0).astype(np.min_scalar_type(max(len(costs) - 1, 0)))


def read_propensities(source: Source) -> Floats:
    """(k,) Of positions 1 to k.

    Raises
    ------
    ProblemError
        For a line that is not a number above 0 and at most 1.
    InputError
        For a file without any.
    """
    found = []
    for number, line in read_lines(source):
        value = float(line) if re.fullmatch(_NUMBER, line) else float("nan")
        if not 0 < value <= 1:
            fact = f"{shown(line)} is not a propensity"
            raise ProblemError(source.name, Problem(number, "E147", fact, "expected a number above 0 and at most 1"))
        found.append(value)
    if not found:
        raise InputError("the file lists no propensities", source.name, "expected one on each line, for each position")
    return np.array(found)


GradeWords = tuple[tuple[str, float], ...]
"""Words that stand where a grade belongs, and the grade of each, by word as `folded` has it."""

KNOWN_WORDS = {
    **dict.fromkeys(("relevant", "yes", "true"), 1.0),
    **dict.fromkeys(("not relevant", "non relevant", "nonrelevant", "notrelevant", "irrelevant", "no", "false"), 0.0),
}

LARGEST_GRADE = 2**53
"""Every whole number up to it is exact as a double."""

_GRADE_LINES = _Lines(
    "words",
    "the word",
    "grade",
    "E102",
    "expected a word and its grade, such as: partly relevant 1",
    "expected a grade such as 0, 1 or 0.5",
    lambda grade: "too large" if abs(grade) > LARGEST_GRADE else "",
    blanks=True,
)


def read_grade_words(source: Source) -> GradeWords:
    """The grades of words in a file of lines ``word grade``."""
    found = {decoded(word): grade for word, grade in _read_numbers(source, _GRADE_LINES).items()}
    for word in found:
        if re.fullmatch(REAL, word):
            raise InputError(f"the word '{word}' is a number", source.name, f"{option('gains')} says what grades gain")
    return check_grade_words(found)


def check_grade_words(value: Mapping[str, Any]) -> GradeWords:
    """The grades of words in a dictionary. Raises `ValueError` with what was expected."""
    grade = Real(-LARGEST_GRADE, LARGEST_GRADE)
    try:
        found = {folded(word): grade.check(number) for word, number in value.items()}
        if any(re.fullmatch(REAL, word) for word in found):
            raise ValueError
    except (AttributeError, ValueError):
        raise ValueError("a dictionary of words and grades, such as {'highly relevant': 2}") from None
    if len(found) < len(value):
        raise ValueError("a dictionary with each word once; case, hyphens and underscores do not make words different")
    return tuple(sorted(found.items()))


_WEIGHT_LINES = _Lines(
    "weights",
    "query",
    "weight",
    "E165",
    "expected a query and its weight, such as: q1 2.5",
    "expected a number of 0 or more, such as 2.5",
    lambda weight: "below 0" if weight < 0 else "too large" if weight > LARGEST else "",
)


def read_query_weights(source: Source) -> Costs:
    """The weights of queries in a file of lines ``query weight``."""
    found = _read_numbers(source, _WEIGHT_LINES)
    if not any(found.values()):
        raise InputError("every weight is 0", source.name, "give at least one query a weight above 0")
    return tuple(sorted(found.items()))


def check_query_weights(value: Mapping[str, Any]) -> Costs:
    """The weights of queries in a dictionary. Raises `ValueError` with what was expected."""
    weight = Real(0.0, LARGEST)
    try:
        found = {encoded(query): weight.check(number) for query, number in value.items()}
        if not any(found.values()):
            raise ValueError
    except (AttributeError, ValueError):
        raise ValueError(
            "a dictionary of queries and weights of 0 or more, not all of them 0, such as {'q1': 2.5}"
        ) from None
    return tuple(sorted(found.items()))


def folded(word: str) -> str:
    """A word without what makes no difference: capitals, and hyphens and underscores in place of blanks."""
    return " ".join(word.lower().replace("_", " ").replace("-", " ").split())


def grades_of_words(settings: Settings) -> dict[str, float]:
    """The grade of each word, by the word as `folded` has it."""
    return {**KNOWN_WORDS, **dict(settings.grade_words or ())}


def words_known(settings: Settings, taken: str = "--grade-words FILE") -> str:
    """What helps where a word is none that has a grade; `taken` is how the option is written."""
    if not settings.grade_words:
        return f"{taken} gives grades to words"
    words = [repr(word) for word, _ in settings.grade_words]
    return f"--grade-words has {', '.join(words[:NAMED_WORDS])}{and_more(len(words), NAMED_WORDS)}"


NAMED_WORDS = 5
"""So many of them are named."""


def without_words(values: Iterable[Any], settings: Settings) -> list[Any]:
    """Values, of which those that are known words are their grades."""
    grades = grades_of_words(settings)
    return [grades.get(folded(each), each) if isinstance(each, str) else each for each in values]


NAMED_NUMBERS: dict[str, tuple[Callable[[Source], Any], Callable[[Mapping[str, Any]], Any]]] = {
    "costs": (read_costs, check_costs),
    "grade_words": (read_grade_words, check_grade_words),
    "query_weights": (read_query_weights, check_query_weights),
    "weights": (read_query_weights, check_query_weights),
}
"""How a file and a dictionary are read, by the setting or the choice that they are for."""
