"""Small files that people write: lists of runs, groups of queries, costs, words for grades.

**Costs** are what it takes to read a result, by its type, as cwl-eval has it. A file of them has lines ``type cost``;
the type of each result stands in the second column of a run in TREC's format, which nothing else reads.
"""

from __future__ import annotations

import math
import os
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np

from irev.base.choice import Real
from irev.base.errors import Faults, InputError, Problem, UnreachableError, brief, option, shown
from irev.base.segments import AnyInts
from irev.base.settings import Settings
from irev.base.text import REAL, and_more, decoded, encoded
from irev.reading import ids
from irev.reading.block import Block
from irev.reading.fields import ListOf, ids_of, written_lines
from irev.reading.sources import BOM, STANDARD_INPUT, Source, is_url


def _entries(
    source: Source, about: ListOf, faults: Faults | None = None
) -> Iterator[tuple[int, tuple[bytes, ...], tuple[bytes, ...]]]:
    from irev.reading.lists import read_list  # seldom wanted, and slow to import

    return read_list(source, about, faults)


def read_ids(source: Source) -> list[bytes]:
    """The ids of the queries that a file lists, in order, as `irev.reading.lists.read_list` gives them."""
    return [query for _, (query,), _ in _entries(source, ids_of("query"))]


def read_lines(source: Source) -> list[tuple[int, bytes]]:
    """The lines that are neither blank nor comments, in order, with their numbers and without blanks around them."""
    return [(number, line.rstrip()) for number, line in written_lines(source.content().removeprefix(BOM))]


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


def runs_named(argument: str) -> list[str]:
    """The paths of the runs that an argument stands for: those that ``@LIST`` lists, the files in a folder, or itself.

    Of a folder, files count whose names do not begin with a dot, as in ``FOLDER/*``, in the order of their names. A
    pattern such as ``runs/*.parquet`` that a shell did not expand, and that is the name of no file, is expanded here.

    Raises
    ------
    InputError
        For a list as `paths_in` does; for a folder without files, and for one with folders or with parts of a table
        in it; for a pattern that nothing matches.
    """
    if argument.startswith("@"):
        return paths_in(argument[1:])
    if any(mark in argument for mark in "*?[") and not is_url(argument) and not os.path.lexists(argument):
        from glob import glob

        matching = sorted(path for path in glob(argument, recursive=True) if not os.path.isdir(path))
        if not matching and ("*" in argument or "?" in argument):
            raise InputError("no file matches this", argument, "expected runs")
        return _whole_runs(matching, argument) or [argument]
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
    return _whole_runs(inside, argument)


def _whole_runs(paths: list[str], argument: str) -> list[str]:
    """The paths. Raises `InputError` for one that has the name of a part of a table."""
    for name in map(os.path.basename, paths):
        if re.match(r"part[-.][0-9].*\.parquet", name):
            fact = f"{shown(os.fsencode(name))} is a part of a table, not a run"
            raise InputError(fact, argument, "write the table to one file, or give each file if it is a run")
    return paths


def read_groups(source: Source, of: str = "query") -> dict[bytes, bytes]:
    """The group of each query, as `_entries` gives them; or of each run, or whatever else `of` says."""
    expected = f"expected a {of}, a tab and its group on each line"
    about = ListOf("groups", (of, "group"), expected, lambda line: [part.strip() for part in line.split(b"\t")])
    return {query: group for _, (query,), (group,) in _entries(source, about)}


def clusters_of(queries: Sequence[bytes], said: str | Iterable[tuple[bytes, bytes]]) -> list[bytes]:
    """The cluster of each query: as a file or pairs of queries and clusters have it, or the part of the query's id that
    a regular expression matches, or that its first group matches.

    Raises
    ------
    InputError
        For a query without a cluster.
    """
    place, before, after, remedy = "", "query ", " has no cluster", "add it"
    if not isinstance(said, str):
        known = dict(said)
    elif os.path.exists(said):
        with Source(said) as source:
            known, place = read_groups(source), said
    else:
        compiled = re.compile(said)
        matches = ((query, compiled.search(decoded(query))) for query in queries)
        known = {query: encoded(each[min(compiled.groups, 1)] or "") for query, each in matches if each is not None}
        before = (
            f"{option('clusters')}: there is no file {brief(said)}, and as a regular expression it finds nothing in"
        )
        before, after, remedy = (
            f"{before} query ",
            "",
            "give a file, or a regular expression that finds a cluster in every query id",
        )
    found = [known.get(query, b"") for query in queries]
    if b"" in found:
        raise InputError(f"{before}{shown(queries[found.index(b'')])}{after}", place, remedy)
    return found


Costs = tuple[tuple[bytes, float], ...]
"""Element types and the cost of each, by type."""

FIELD = "Q0"
"""The field of a run that has the types."""

LARGEST = 1e100
"""No cost is higher: what many results cost together still is a number."""

_NUMBER = REAL.encode()


class _NumberList(NamedTuple):
    """Lists of a name and its number.

    Attributes
    ----------
    listed : ListOf
    code : str
        The code of the problem that a number cannot be used.
    expected : str
    wrong : callable
        What is wrong with a number; nothing for one that can be used.
    """

    listed: ListOf
    code: str
    expected: str
    wrong: Callable[[float], str]


def _read_numbers(source: Source, about: _NumberList) -> dict[bytes, float]:
    """The number of each name, in any order, as `irev.reading.lists.read_list` gives them.

    Raises
    ------
    ProblemError
        For a number that is none or cannot be used.
    """
    found = Faults()
    name, number = about.listed.columns
    values: dict[bytes, float] = {}
    for line, (written,), (cell,) in _entries(source, about.listed, found):
        value = float(cell) if re.fullmatch(_NUMBER, cell) else math.nan
        if wrong := "not a number" if math.isnan(value) else about.wrong(value):
            fact = f"the {number} {shown(cell)} of {name} {shown(written)} is {wrong}"
            found.note(Problem(line, about.code, fact, about.expected))
        values[written] = value
    found.raise_earliest(source.name)
    return values


_COSTS = _NumberList(
    ListOf("costs", ("type", "cost"), "expected an element type and its cost, such as: snippet 2.5"),
    "E164",
    "expected a number above 0, such as 2.5",
    lambda cost: "not above 0" if cost <= 0 else "too large" if cost > LARGEST else "",
)


def read_costs(source: Source) -> Costs:
    """The costs of a file."""
    return tuple(sorted(_read_numbers(source, _COSTS).items()))


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


GradeWords = tuple[tuple[str, float], ...]
"""Words that stand where a grade belongs, and the grade of each, by word as `folded` has it."""

KNOWN_WORDS = {
    **dict.fromkeys(("relevant", "yes", "true"), 1.0),
    **dict.fromkeys(("not relevant", "non relevant", "nonrelevant", "notrelevant", "irrelevant", "no", "false"), 0.0),
}

LARGEST_GRADE = 2**53
"""Every whole number up to it is exact as a double."""

_GRADES = _NumberList(
    ListOf(
        "words",
        ("word", "grade"),
        "expected a word and its grade, such as: partly relevant 1",
        lambda line: line.rsplit(None, 1),
        key_of=lambda word: encoded(folded(decoded(word))),
    ),
    "E102",
    "expected a grade such as 0, 1 or 0.5",
    lambda grade: "too large" if abs(grade) > LARGEST_GRADE else "",
)


def read_grade_words(source: Source) -> GradeWords:
    """The grades of words in a file of lines ``word grade``."""
    found = {decoded(word): grade for word, grade in _read_numbers(source, _GRADES).items()}
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


_WEIGHTS = _NumberList(
    ListOf("weights", ("query", "weight"), "expected a query and its weight, such as: q1 2.5"),
    "E165",
    "expected a number of 0 or more, such as 2.5",
    lambda weight: "below 0" if weight < 0 else "too large" if weight > LARGEST else "",
)


def read_query_weights(source: Source) -> Costs:
    """The weights of queries in a file of lines ``query weight``."""
    found = _read_numbers(source, _WEIGHTS)
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
    """Values, of which those that are known words are their grades: where all are words, or words have grades."""
    values = [*values]
    if not settings.grade_words and not all(isinstance(each, str) for each in values):
        return values
    grades = grades_of_words(settings)
    return [grades.get(folded(each), each) if isinstance(each, str) else each for each in values]


NAMED_NUMBERS: dict[str, tuple[Callable[[Source], Any], Callable[[Mapping[str, Any]], Any]]] = {
    "costs": (read_costs, check_costs),
    "grade_words": (read_grade_words, check_grade_words),
    "query_weights": (read_query_weights, check_query_weights),
    "weights": (read_query_weights, check_query_weights),
}
"""How a file and a dictionary are read, by the setting or the choice that they are for."""
