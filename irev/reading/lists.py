"""Lists and tables that people write, in every form, and texts beside ids, in files that may be large.

All lists but those of runs are read by `read_list`, texts by `read_texts` in the same forms, and what runs took, such
as time, memory and tokens, by `read_resources`.
"""

from __future__ import annotations

import csv
import io
import math
import re
import tomllib
from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from functools import lru_cache
from html import unescape
from itertools import chain
from typing import Any, NamedTuple

import numpy as np

from irev.base import segments
from irev.base.errors import Faults, InputError, Problem, ProblemError, UsageError, brief, shown
from irev.base.registry import did_you_mean
from irev.base.text import REAL, decoded, encoded
from irev.reading import columns, limits
from irev.reading.fields import ListOf, ids_of, too_long, written_lines
from irev.reading.formats import HEAD, as_field, id_fault, whole_lines
from irev.reading.json_reader import JsonText, NotJson, Unfit, first_fields, kind_of, members_of, not_json, unfit
from irev.reading.limits import CONFIGURATION, DEEPEST, LONGEST
from irev.reading.sources import BOM, GivenText, Source

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
    pieces = iter(whole_lines(source) if large else [content_of(source, about.expected, True, limits.SMALL)])
    content = next(pieces)
    if b"\r" in content.strip() and b"\n" not in content.strip():
        raise InputError("lines end in carriage returns alone", source.name, "end them in line feeds: tr '\\r' '\\n'")
    lines = written_lines(content)
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
    first = next(written_lines(head), (0, b""))[1]
    return not (re.match(_BEGINS_JSON, head) or re.match(_BEGINS_TOPICS, head) or _header(first, about)[1])


def _fields_of(line: bytes, about: ListOf) -> Record:
    """The fields of a line; the line itself, without a name, where it has more or fewer."""
    fields = about.split(line)
    return dict(zip(about.columns, fields, strict=True)) if len(fields) == len(about.columns) else {"": line}


def _of_topics(source: Source, about: ListOf) -> Iterator[tuple[int, Record]]:
    content, line, end = source.content(), 0, 0
    for found in re.finditer(_TOPIC, content):
        line, end = line + content.count(b"\n", end, found.start()), found.start()
        topic: Record = {about.columns[0]: found[1] or found[2]}
        if "text" in about.columns:
            whole = found[0] + re.split(_TOPIC, content[found.end() : found.end() + 8 * KEPT])[0]
            text = re.search(_TEXT_OF_TOPIC, whole)
            topic["text"] = " ".join(unescape(decoded(text[1])).split()) if text else ""
        yield line + 1, topic


def _of_json_list(source: Source, head: bytes, about: ListOf, count: int = 0) -> Iterator[tuple[int, Record]]:
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
    line = next(written_lines(source.head(HEAD).removeprefix(BOM)), (0, b""))[1]
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


def content_of(source: Source, expected: str, skip_mark: bool, most: int = limits.RECORD) -> bytes:
    """All of a file of at most so many bytes, of which the last line ends.

    `skip_mark` says whether a byte order mark is no part of it.

    Raises
    ------
    ProblemError
        For a byte order mark that is not to be skipped, a NUL byte, a line that is too long.
    InputError
        For an empty file.
    """
    content = source.content(most)
    if content and not content.endswith(b"\n"):
        content += b"\n"
    if content.startswith(BOM):
        if not skip_mark:
            fact = "the file begins with a byte order mark, which would be part of the first query id"
            raise ProblemError(source.name, Problem(1, "E109", fact, "write it as UTF-8 without one", column=1))
        content = content.removeprefix(BOM)
    if len(content) > LONGEST:
        for number, line in enumerate(content.split(b"\n"), start=1):
            if len(line) > LONGEST:
                raise ProblemError(source.name, too_long(number))
    if b"\0" in content:
        place = content.count(b"\n", 0, content.index(b"\0")) + 1
        raise ProblemError(source.name, Problem(place, "E104", "this line contains a NUL byte", "expected text"))
    if not content.strip():
        raise InputError("the file is empty", source.name, expected)
    return content


def quoted_records(pieces: Iterable[bytes], separator: bytes, file: str) -> Iterator[tuple[int, list[bytes]]]:
    """The fields of each record as RFC 4180 has it, and the line that it begins on; the pieces are whole lines."""
    # Latin-1 takes bytes as they are, and lines end in newlines alone.
    lines = (line for piece in pieces for line in io.StringIO(piece.decode("latin-1"), newline="\n"))
    for before, _, record in csv_records(lines, separator.decode()):
        if isinstance(record, Exception):
            raise ProblemError(file, unreadable(before + 1, record))
        if record:
            yield before + 1, [part.encode("latin-1") for part in record]


def csv_records(lines: Iterable[str], separator: str) -> Iterator[tuple[int, int, list[str] | Exception]]:
    """The records of CSV as RFC 4180 has it: how many lines stand before each, and before what follows, and its fields,
    or why it cannot be read."""
    if csv.field_size_limit() < LONGEST:  # of the whole process; nobody can mind that texts may be longer
        csv.field_size_limit(LONGEST)
    reader = csv.reader(lines, delimiter=separator, strict=True)
    found: list[str] | Exception
    while True:
        before = reader.line_num
        try:
            found = next(reader)
        except StopIteration:
            return
        except csv.Error as error:
            found = error
        yield before, reader.line_num, found


def unreadable(line: int, error: Exception) -> Problem:
    """The problem of a record of CSV that cannot be read."""
    remedy = "is a quotation mark missing or not doubled?"
    return Problem(line, "E111", f"the record cannot be read ({error})", remedy)


def require_width(file: str, line: int, row: list[bytes], header: list[bytes]) -> None:
    """Raise `ProblemError` for a record that has another number of fields than the header."""
    if len(row) != len(header):
        counted = "1 field" if len(row) == 1 else f"{len(row)} fields"
        remedy = f"expected {len(header)}, as the header has"
        raise ProblemError(file, Problem(line, "E101", f"{counted} in a record", remedy))


def require_apart(file: str, header: list[bytes]) -> None:
    """Raise `InputError` for columns that are called alike."""
    for name, count in Counter(header).items():
        if count > 1:
            raise InputError(f"there are {count} columns {shown(name)}", file, "rename one of them")


# Resources of runs


RUN, QUERY = "run", "query"

SHOWN = ("p50", "p95", "p99", "mean")
"""What is shown of a column that has a number for each query."""

_ROWS = "run,query,latency"


class Resources(NamedTuple):
    """What runs took.

    Attributes
    ----------
    name : str
        The file.
    columns : tuple of str
        What there are numbers of.
    runs : mapping of str to mapping
        By run and column the numbers: one, or one for each query.
    of_queries : bool
        Whether there are numbers for single queries.
    """

    name: str
    columns: tuple[str, ...]
    runs: Mapping[str, Mapping[str, Sequence[float]]]
    of_queries: bool

    def column(self, asked: str) -> tuple[str, str]:
        """The column and the aggregate that a text like ``latency:p99`` names; of no queries the aggregate is empty.

        Raises
        ------
        UsageError
            For an unknown column, an unknown aggregate, and an aggregate of a single number.
        """
        column, colon, statistic = (asked, "", "") if asked in self.columns else asked.rpartition(":")
        column = column or asked
        if column not in self.columns:
            remedy = did_you_mean(column, self.columns, f"there are {', '.join(self.columns)}")
            raise UsageError(f"{self.name} has no column '{column}'", remedy=remedy)
        if not self.of_queries:
            if colon:
                fact = f"{self.name} has one {column} for each run, so it has no '{statistic}'"
                raise UsageError(fact, remedy="leave it out, or give a column query")
            return column, ""
        if not colon:
            return column, SHOWN[0]
        if statistic == segments.WEIGHTED:
            raise UsageError(f"'{asked}': {column} has no weights", remedy=f"ask for {column}:mean")
        known = segments.known_aggregate(statistic)
        return column, re.sub("^q", "p", "q50" if known == "median" else known)

    def value(self, run: str, asked: str) -> float:
        """The number of a run, or an aggregate over its queries. Raises `InputError` for a run that the file lacks."""
        column, statistic = self.column(asked)
        if run not in self.runs:
            there = ", ".join([*self.runs][:9])
            raise InputError(f"the run '{run}' has no row", self.name, f"there are {there}")
        numbers = np.array(self.runs[run][column], dtype=np.float64)
        return segments.aggregate(segments.known_aggregate(statistic or "max"), numbers)

    def shown(self, asked: str) -> tuple[str, ...]:
        """What is shown of a column beside what is asked for: where there are queries, its quantiles and its mean."""
        column, statistic = self.column(asked)
        return tuple(f"{column}:{each}" for each in SHOWN if each != statistic) if self.of_queries else ()


def read_resources(source: Source) -> Resources:
    """What a file says that runs took, in any of the forms of `_records_in` that have names.

    Raises
    ------
    InputError
        For a table that does not begin with ``run`` or ``query``, or has no column of numbers; with the line, for a
        cell that is not a number of 0 or more, and a run, or a query of it, that has two rows.
    """
    expected = f"expected rows below a header such as {_ROWS}"
    unit, found = _records_in(source, ListOf("rows", (RUN,), expected))
    records = [*found]
    if not records:
        raise InputError("there are no rows", source.name, expected)
    columns = tuple(dict.fromkeys(name for _, row in records for name in row if name not in (RUN, QUERY, "")))
    named = [each for each in (RUN, QUERY) if any(each in row for _, row in records)]
    if RUN not in named or not columns:
        raise InputError("there is no column run, or none beside it", source.name, expected)
    first: dict[tuple[str, ...], int] = {}
    taken: dict[str, dict[str, list[float]]] = {}
    for number, row in records:
        run, *query = key = tuple(_written(row.get(name)) for name in named)
        if key in first:
            of = f"query '{query[0]}' of run" if query else "run"
            problem = Problem(number, "E107", f"{of} '{run}' has a row already", "keep one of them", first[key])
            raise ProblemError(source.name, problem, unit)
        first[key] = number
        for column in columns:
            written = _written(row.get(column))
            value = float(written) if re.fullmatch(REAL, written) else math.nan
            if not 0 <= value < math.inf:
                fact = f"the value {shown(encoded(written))} of {shown(encoded(column))} is not a number of 0 or more"
                problem = Problem(number, "E105", fact, "expected one in each row")
                raise ProblemError(source.name, problem, unit)
            taken.setdefault(run, {}).setdefault(column, []).append(value)
    return Resources(source.name, columns, taken, QUERY in named)


def _written(value: Any) -> str:
    """A cell as text; a value of JSON that is neither a text nor a number as messages call it."""
    if isinstance(value, bytes):
        return decoded(value).strip()
    return decoded(value.encode("utf-8", "surrogatepass")) if isinstance(value, str) else kind_of(value)


# TOML


_PART = r"""(?:[\w-]+|"(?:[^"\\\n]|\\.)*"?|'[^'\n]*'?)"""
_NEXT = rf"[ \t]*\.[ \t]*{_PART}"
_TOKEN = (
    r"#[^\n]*"
    r'|"""(?:[^\\]|\\.)*?(?:"{3,5}|\Z)'
    r"|'''.*?(?:'{3,5}|\Z)"
    rf"|{_PART}(?:{_NEXT}){{0,{DEEPEST - 1}}}(?P<more>{_NEXT})?"
)
"""A comment, a text of several lines, a key with its parts, or another value; what is not closed goes on to the end."""


def toml(path: str, encoding: str) -> dict[str, Any]:
    """What a file in TOML says. Raises `ValueError` or `RecursionError` for one that is not TOML.

    Keys nested so deep that the parser would take minutes are refused.
    """
    with Source(path) as source:
        text = source.content(CONFIGURATION).decode(encoding)
    for token in re.finditer(_TOKEN, text, re.ASCII | re.DOTALL):
        if token["more"]:
            place = f"{path}:{text.count(chr(10), 0, token.start()) + 1}"
            raise InputError(f"a key has more than {DEEPEST} parts", place, "is it the right file?")
    return tomllib.loads(text)
