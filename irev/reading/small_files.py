"""Small files that people write: lists of ids or runs, groups of queries, costs, propensities, words for grades; and
texts beside ids, in files that may be large.

All lists but those of runs are read by `read_list`, texts by `read_texts` in the same forms.

**Costs** are what it takes to read a result, by its type, as cwl-eval has it. A file of them has lines ``type cost``;
the type of each result stands in the second column of a run in TREC's format, which nothing else reads.

**Propensities** are the probability that each position of a list is looked at, one on each line.
"""

from __future__ import annotations

import math
import os
import re
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from functools import lru_cache
from itertools import chain
from typing import Any, NamedTuple

import numpy as np

from irev.base.errors import Faults, InputError, Problem, ProblemError, UnreachableError, brief, option, shown
from irev.base.kinds import Real
from irev.base.segments import AnyInts, Floats
from irev.base.settings import Settings
from irev.base.text import REAL, and_more, decoded, encoded
from irev.reading import columns, ids, limits
from irev.reading.block import Block
from irev.reading.fields import too_long
from irev.reading.formats import HEAD, as_field, id_fault, whole_lines
from irev.reading.open_files import is_url
from irev.reading.sources import BOM, STANDARD_INPUT, GivenText, Source

TEXT_KEYS = ("title", "text", "query", "question", "contents", "body")
"""Names of texts beside ids, the first that is there before the others."""

_BEGINS_JSON = rb'\s*(?:\{\s*["}]|\[\s*["{\]0-9-])'
_BEGINS_TOPICS = rb"(?i)\s*<(?:\?xml|!--|!DOCTYPE|tops?|topics?|quer(?:y|ies)|DOC)\b"
_TOPIC = (
    rb"(?i)<(?:num|number|topic_?id|qid)\b[^>]*>\s*(?:Number:)?\s*([^\s<]+)"
    rb"|<(?:topic|top|query)\b[^>]*?\s(?:number|num|id|qid|query_id)\s*=\s*[\"']\s*([^\"'<]*?)\s*[\"']"
)
"""The number of a topic in TREC's files of topics, old and new: an element, or an attribute of the topic."""
_TEXT_OF_TOPIC = rb"(?i)<(?:topic|title|query|question|text)\b[^>]*>\s*(?:Topic:\s*)?([^<\s][^<]*)"

KEPT = 1000
"""Characters of a text that are kept."""


class ListOf(NamedTuple):
    """What a list has, for its reader and for messages.

    Attributes
    ----------
    all : str
        What the entries are called: ids, groups.
    columns : tuple of str
        What each entry has: an id of a query, a document or something else, and perhaps more.
    expected : str
    split : callable
        Makes the fields of a line, where the lines are no table with a header.
    keys : int
        How many of the columns tell entries apart; 0 where entries may be alike.
    key_of : callable
        Makes one of two keys that are written differently and mean the same.
    """

    all: str
    columns: tuple[str, ...]
    expected: str
    split: Callable[[bytes], list[bytes]] = bytes.split
    keys: int = 1
    key_of: Callable[[bytes], bytes] = bytes


def read_list(
    source: Source, about: ListOf, faults: Faults | None = None
) -> Iterator[tuple[int, tuple[bytes, ...], tuple[bytes, ...]]]:
    """The entries of a list in any of the forms of `_records_in`: of each the number, the
    keys, and the other cells.

    What is wrong with an entry is collected by `faults`, or else raised.

    Raises
    ------
    ProblemError
        For an entry that lacks a cell, or has an id that no judgments could have, and for keys that occur twice.
    InputError
        For a file without entries.
    """
    from irev.reading.json_reader import Unfit

    found = Faults() if faults is None else faults
    found.unit, records = _records_in(source, about)
    first: dict[tuple[bytes, ...], int] = {}
    for number, record in records:
        try:
            cells = _cells_of(record, about, source.name)
        except Unfit as error:
            found.note(error.at(number))
        else:
            key = tuple(map(about.key_of, cells[: about.keys]))
            if not key or key not in first:
                first[key] = number
                yield number, key, cells[about.keys :]
                continue
            several = " of ".join(f"{role} {shown(cell)}" for role, cell in zip(about.columns, key, strict=False))
            remedy = f"keep one of the two {'lines' if found.unit == 'line' else 'entries'}"
            found.note(Problem(number, "E107", f"{several} occurs twice", remedy, first[key]))
        if faults is None:
            found.raise_earliest(source.name)
    if not first and not found.counts:
        raise InputError(f"the file lists no {about.all}", source.name, about.expected)


Record = dict[str, Any]
"""The cells of a list's entry by the names of their columns: bytes from lines, values from JSON."""


def _records_in(source: Source, about: ListOf, large: bool = False) -> tuple[str, Iterator[tuple[int, Record]]]:
    """The entries of a list, with their numbers, and what is numbered: lines, or the entries of JSON. `large` tables
    are read in pieces.

    A list is lines; or a table with a header, between tabs, commas or semicolons; or JSON: records, in lines or in an
    array, an array of ids, or an object with something for each id; or TREC's topics, of which the numbers are read.
    Lines that begin with # are comments, and a byte order mark is skipped.

    Raises
    ------
    ProblemError, InputError
        For what cannot be read, perhaps only when that entry is asked for.
    """
    head = source.head(HEAD).removeprefix(BOM)
    if re.match(_BEGINS_JSON, head):
        return "entry", _of_json_list(source, head, about)
    if re.match(_BEGINS_TOPICS, head):
        return "line", _of_topics(source, about)
    return "line", _of_lines(source, about, large)


def _of_lines(source: Source, about: ListOf, large: bool) -> Iterator[tuple[int, Record]]:
    from irev.reading.small_tables import content_of, quoted_records, require_apart, require_width

    pieces = iter(whole_lines(source) if large else [content_of(source, about.expected, True, limits.SMALL)])
    content = next(pieces)
    if b"\r" in content.strip() and b"\n" not in content.strip():
        raise InputError("lines end in carriage returns alone", source.name, "end them in line feeds: tr '\\r' '\\n'")
    lines = _written_lines(content)
    number, first = next(lines, (0, b""))
    separator, names = _header(first, about)
    if separator is None or separator == b" ":
        if separator is None and first:
            yield number, _fields_of(first, about)
        for number, line in lines:
            yield number, _fields_of(line, about)
        return
    require_apart(source.name, names)
    below = b"\n" * number + content.split(b"\n", number)[-1]
    for number, row in quoted_records(chain([below], pieces), separator, source.name):
        require_width(source.name, number, row, names)
        yield number, dict(zip(map(decoded, names), row, strict=True))


def _header(first: bytes, about: ListOf) -> tuple[bytes | None, list[bytes]]:
    """What separates the names of columns in a first line, and these; None where it is no header.

    In a header the first field is the name of a column, and one is that of the ids. Between blanks all fields are.
    """
    known = {*columns.ALIASES.get(about.columns[0], ()), *columns.RECOMMENDERS.get(about.columns[0], ())}
    known |= {*columns.IDS, *about.columns, *TEXT_KEYS}
    for separator in (b"\t", b",", b";", b" "):
        names = first.split() if separator == b" " else [name.strip(b' "') for name in first.split(separator)]
        texts = [decoded(name) for name in names]
        begins = all(name.lower() in known for name in (texts if separator == b" " else filter(None, texts[:1])))
        if begins and len(names) >= len(about.columns) and _of_ids(texts, about.columns[0]):
            return separator, names
    return None, []


def _are_plain_lines(source: Source, about: ListOf) -> bool:
    """Return True if a list has no header and is no JSON and no file of topics, so that ids are the first fields."""
    head = source.head(HEAD).removeprefix(BOM)
    first = next(_written_lines(head), (0, b""))[1]
    return not (re.match(_BEGINS_JSON, head) or re.match(_BEGINS_TOPICS, head) or _header(first, about)[1])


def _fields_of(line: bytes, about: ListOf) -> Record:
    """The fields of a line; the line itself, without a name, where it has more or fewer."""
    fields = about.split(line)
    return dict(zip(about.columns, fields, strict=True)) if len(fields) == len(about.columns) else {"": line}


def _written_lines(content: bytes) -> Iterator[tuple[int, bytes]]:
    """The lines that are neither blank nor comments, without blanks around them, and their numbers.

    A tab at the end stays: it may end an id that has blanks in it.
    """
    for number, line in enumerate(content.split(b"\n"), start=1):
        if (line := line.lstrip().rstrip(b" \r")) and not line.startswith(b"#"):
            yield number, line


def _of_topics(source: Source, about: ListOf) -> Iterator[tuple[int, Record]]:
    content, line, end = source.content(), 0, 0
    for found in re.finditer(_TOPIC, content):
        line, end = line + content.count(b"\n", end, found.start()), found.start()
        topic: Record = {about.columns[0]: found[1] or found[2]}
        if "text" in about.columns:
            from html import unescape

            whole = found[0] + re.split(_TOPIC, content[found.end() : found.end() + 8 * KEPT])[0]
            text = re.search(_TEXT_OF_TOPIC, whole)
            topic["text"] = " ".join(unescape(decoded(text[1])).split()) if text else ""
        yield line + 1, topic


def _of_json_list(source: Source, head: bytes, about: ListOf, count: int = 0) -> Iterator[tuple[int, Record]]:
    from irev.reading.json_reader import JsonText, NotJson, Unfit, first_fields, members_of, not_json, unfit

    text = JsonText(source)
    id_name, *others = about.columns

    def record() -> Record:
        value = text.value()
        if isinstance(value, str) and not others:
            return {id_name: value}
        return members_of(value, "entry")

    def member(key: str) -> Record:
        if len(others) > 1:
            raise unfit("E113", "the file has an object for all entries", about.expected)
        return {id_name: key, **dict.fromkeys(others, text.value())}

    try:
        if text.next() == "[":
            entries = text.elements(record)
        elif _of_ids([*first_fields(head)], id_name):
            entries = iter(lambda: record() if text.next() else None, None)
        else:
            entries = text.members(member)
        for entry in entries:
            count += 1
            yield count, entry
        text.end()
    except NotJson as error:
        raise ProblemError(source.name, not_json(count + 1, str(error)), "entry") from None
    except Unfit as error:
        raise ProblemError(source.name, error.at(count + 1), "entry") from None


def _of_ids(names: Sequence[str], role: str) -> list[str]:
    """The names that may be that of the ids. Those that are as often names of texts are not, beside others."""
    known = columns.candidates(role, {}, names) if role in columns.ALIASES else []
    known = known or [name for name in names if name.lower() == role]
    sure = [name for name in known if name.lower() not in (*columns.OF_QUERIES, *columns.WORDS)]
    return sure or [name for name in names if name.lower() in columns.IDS] or known


@lru_cache(maxsize=32)
def _columns_of(names: tuple[str, ...], about: ListOf, file: str) -> list[str]:
    """The columns, among these names, that a list needs, that of the ids first; none where there are no ids.

    Raises `InputError` where another one is missing, and where several could be that of the ids.
    """
    role, *others = about.columns
    known = _of_ids(names, role)
    if len(known) > 1:
        several = " and ".join(map(brief, known))
        raise InputError(f"columns {several} could each be the {role}", file, "leave out all but one of them")
    rest = [name for name in names if name not in known]
    for place, wanted in enumerate(others if known else ()):
        named = [name for name in rest if name.lower() == wanted]
        if not named and len(rest) != len(others):
            fact = f"found no column {wanted}; there are {', '.join(map(brief, names))}"
            raise InputError(fact, file, f"call the one that has it {wanted}")
        known += named[:1] or [rest[place]]
    return known


def _cells_of(record: Record, about: ListOf, file: str) -> tuple[bytes, ...]:
    """The cells of an entry that a list needs. Raises `Unfit` for one that is missing, and for ids that are none."""
    from irev.reading.json_reader import Unfit, kind_of, unfit

    is_line = tuple(record) == about.columns
    wanted = tuple(record) if is_line else _columns_of(tuple(record), about, file)
    if not wanted:
        there = ", ".join(shown(name.encode("utf-8", "surrogatepass")) for name in record) or "none"
        fact = shown(record[""]) if [*record] == [""] else f"no {about.columns[0]}; there are {there}"
        raise unfit("E101", f"found {fact}", about.expected)
    found: list[bytes] = []
    for role, value in zip(about.columns, map(record.__getitem__, wanted), strict=True):
        if not isinstance(value, bytes | str):
            raise unfit("E113", f"the {role} is {kind_of(value)}", "expected a text or a number")
        written = value.decode("latin-1") if isinstance(value, bytes) else value
        # Between blanks and tabs an id may hold any other byte, as it may in TREC's lines.
        is_checked = len(found) < max(about.keys, 1) and not (is_line and isinstance(value, bytes))
        if is_checked and as_field(written) is None:
            raise Unfit(id_fault(0, role, written))
        cell = value if isinstance(value, bytes) else value.encode("utf-8", "surrogatepass")
        if not cell.strip():
            raise unfit("E110", f"the {role} is empty", about.expected)
        found.append(cell.strip())
    return tuple(found)


def _id_in(line: bytes) -> list[bytes]:
    """The id of a line: what stands before a tab, where there is one, or else the first field."""
    before, tab, _ = line.partition(b"\t")
    return [before.strip()] if tab else line.split(None, 1)[:1]


def ids_of(role: str) -> ListOf:
    """A list of ids of queries or documents. What follows an id, such as the text of a topic, is ignored."""
    return ListOf("ids", (role,), "expected one on each line", _id_in)


def read_ids(source: Source) -> list[bytes]:
    """The ids of the queries that a file lists, in order, as `read_list` gives them."""
    return [query for _, (query,), _ in read_list(source, ids_of("query"))]


def lines_of_ids(source: Source, role: str) -> Iterator[bytes]:
    """The ids of a list of any length as the first fields of lines, some lines at a time; an id may occur twice."""
    about = ids_of(role)
    if _are_plain_lines(source, about):
        yield from whole_lines(source)
        return
    for _, _, (name,) in read_list(source, about._replace(keys=0)):
        yield f"{as_field(name.decode('latin-1'))}\n".encode("latin-1")


def read_texts(source: Source, role: str, wanted: Collection[bytes]) -> tuple[dict[bytes, str], bytes]:
    """The texts of the wanted ids, as far as the file has them, in any of the forms of `_records_in`; and the first id.

    Of an id that occurs twice the first text counts. Reading ends when all are found. Bytes that are no UTF-8 become
    lone surrogates.

    Raises
    ------
    ProblemError
        For a line without a text, for what is not JSON, and for an id that no judgments could have.
    InputError
        For a file without texts, and where no column has texts.
    """
    line = next(_written_lines(source.head(HEAD).removeprefix(BOM)), (0, b""))[1]
    expected = "expected an id, a tab and a text on each line"
    about = ListOf("texts", (role, "text"), expected, lambda line: line.split(b"\t", 1))
    if _header(line, about)[0] == b" ":
        about = about._replace(split=lambda line: line.split(None, 1))
    missing, found, first = {*wanted}, dict[bytes, str](), b""
    read = _texts_of_lines if _are_plain_lines(source, about) else _texts_of_records
    for key, record in read(source, about, missing) if missing else ():
        first = first or key
        if key in missing:
            found[key] = text_of_record(record, about, source.name)[:KEPT]
            missing.remove(key)
            if not missing:
                break
    if missing and not first:
        raise InputError("the file lists no texts", source.name, expected)
    return found, first


def _texts_of_lines(source: Source, about: ListOf, wanted: Collection[bytes]) -> Iterator[tuple[bytes, Record]]:
    """Yield the first id and the wanted ids of a large file, with their texts."""
    first = True
    for number, line in _long_lines(source):
        fields = about.split(line)
        if len(fields) == 2:
            key = fields[0].strip()
            if first or key in wanted:
                first = False
                yield key, dict(zip(about.columns, fields, strict=True))
        elif line.strip() and not line.lstrip().startswith(b"#"):
            raise ProblemError(source.name, Problem(number, "E101", f"found {shown(line.strip())}", about.expected))


def _texts_of_records(source: Source, about: ListOf, wanted: Collection[bytes]) -> Iterator[tuple[bytes, Record]]:
    """The same for records; of JSON lines, those are parsed that may have a wanted id."""
    from irev.reading.json_reader import Unfit, first_fields

    role, head = about.columns[0], source.head(HEAD).removeprefix(BOM)
    ids = _of_ids([*first_fields(head)], role)
    if head.startswith(b"{") and b"}" in head.partition(b"\n")[0] and ids:
        unit, records = "entry", _of_json_lines(source, about, ids[0], wanted)
    else:
        unit, records = _records_in(source, about, large=True)
    of_ids = about._replace(columns=(role,))
    for number, record in records:
        try:
            yield _cells_of(record, of_ids, source.name)[0], record
        except Unfit as error:
            raise ProblemError(source.name, error.at(number), unit) from None


def _of_json_lines(source: Source, about: ListOf, name: str, wanted: Collection[bytes]) -> Iterator[tuple[int, Record]]:
    ids = re.compile(rb'"%b"\s*:\s*(?:"((?:[^"\\]|\\.)*)"|(-?[0-9]+))' % re.escape(encoded(name)))
    entry = 0
    for _, line in _long_lines(source):
        if line.strip():
            entry += 1
            there = ids.findall(line) if entry > 1 else ()
            if not there or any((text or digits) in wanted or b"\\" in text for text, digits in there):
                yield from _of_json_list(GivenText(line, source.name), line, about, entry - 1)


def _long_lines(source: Source) -> Iterator[tuple[int, bytes]]:
    """The lines of a file of any length, with their numbers."""
    number = 0
    for piece in whole_lines(source):
        for line in piece.split(b"\n")[:-1]:
            number += 1
            if len(line) > limits.LONGEST:
                raise ProblemError(source.name, too_long(number))
            yield number, line


def text_of_record(record: Mapping[str, Any], about: ListOf | None = None, file: str = "") -> str:
    """The title and the text of a record, or what it has of them."""
    texts = [record[name] for name in _text_columns(tuple(record), about, file)]
    if [*map(type, texts)] == [tuple]:
        return text_of_record(dict(texts[0]))
    written = [
        decoded(text[: 4 * KEPT]) if isinstance(text, bytes) else text
        for text in texts
        if isinstance(text, bytes | str)
    ]
    return ": ".join(text[:KEPT] for text in [*dict.fromkeys(filter(None, map(str.strip, written)))][:2])


@lru_cache(maxsize=32)
def _text_columns(names: tuple[str, ...], about: ListOf | None, file: str) -> list[str]:
    """The columns that texts are in, or else the only one beside the ids."""
    ids = [] if about is None else _of_ids(names, about.columns[0])
    rest = [name for name in names if name and name not in ids]
    known = [name for key in TEXT_KEYS for name in rest if name.lower() == key]
    if not known and len(rest) != 1 and about is not None:
        fact = f"found no column text; there are {', '.join(map(brief, names))}"
        raise InputError(fact, file, "call the one that has the texts text")
    return known or rest[:1]


def read_lines(source: Source) -> list[tuple[int, bytes]]:
    """The lines that are neither blank nor comments, in order, with their numbers and without blanks around them."""
    return [(number, line.rstrip()) for number, line in _written_lines(source.content().removeprefix(BOM))]


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
    """The group of each query, as `read_list` gives them; or of each run, or whatever else `of` says."""
    expected = f"expected a {of}, a tab and its group on each line"
    about = ListOf("groups", (of, "group"), expected, lambda line: [part.strip() for part in line.split(b"\t")])
    return {query: group for _, (query,), (group,) in read_list(source, about)}


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
    """The number of each name, in any order, as `read_list` gives them.

    Raises
    ------
    ProblemError
        For a number that is none or cannot be used.
    """
    found = Faults()
    name, number = about.listed.columns
    values: dict[bytes, float] = {}
    for line, (written,), (cell,) in read_list(source, about.listed, found):
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


def read_propensities(source: Source) -> Floats:
    """(k,) Of positions 1 to k.

    Raises
    ------
    ProblemError
        For a line that is not a number above 0 and at most 1.
    InputError
        For a file without any.
    """
    expected = "expected one on each line, for each position"
    about = ListOf("propensities", ("propensity",), expected, lambda line: [line], keys=0)
    faults, found = Faults(), []
    for number, _, (cell,) in read_list(source, about, faults):
        value = float(cell) if re.fullmatch(_NUMBER, cell) else float("nan")
        if not 0 < value <= 1:
            fact = f"{shown(cell)} is not a propensity"
            faults.note(Problem(number, "E147", fact, "expected a number above 0 and at most 1"))
        found.append(value)
    faults.raise_earliest(source.name)
    return np.array(found)


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
