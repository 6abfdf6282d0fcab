"""Values of single queries from files that are no record of irev: what the comparison of runs can begin with.

Three kinds of file have such values: the lines that ``trec_eval -q`` and ``irev eval -q`` print; tables with a header,
as ``irev eval -q -f tsv`` and ``-f csv`` write them, long or ``--wide``; and plain lines of a query and its value. The
first two are recognised; two columns could as well be judgments and are read only when asked for.

Lines for ``all`` summarise and are left out, and so are texts in single quotes, as relstring prints them. A query that
stands as ``"all"`` is the query called all, as `irev.base.text.disambiguate` writes it.
"""

from __future__ import annotations

import re
from dataclasses import field
from typing import NamedTuple

from irev.base.errors import InputError, Problem, ProblemError, shown
from irev.base.records import dataclass
from irev.base.text import REAL, decoded, encoded
from irev.reading.formats import HEAD
from irev.reading.small_tables import SEPARATORS, content_of, records_of, require_apart, require_width
from irev.reading.sources import BOM, Source

KINDS = ("trec", "tidy", "pairs")
"""What `read_scores` reads: trec_eval's lines, tables with a header, lines of query and value."""

ALL = b"all"

_ABOUT = (b"run", b"qrels", b"group", b"query")
"""Columns of a table that are no measures."""
_DOCUMENTS = frozenset(
    b"document document_id doc doc_id docid docno corpus-id corpus_id pid passage passage_id".split()
)
"""Columns that tables of judgments and runs have, and tables of scores do not."""
_VALUE = re.compile(b"(" + REAL.encode() + rb"|[+-]?inf|[+-]?nan|'.*')?", re.IGNORECASE)
"""What a cell of a wide table may hold: a number, a text, or nothing."""

_HEADERS = "expected a header with query, measure and value, or with query and a column for each measure"

_RECORD = re.compile(rb'"format"\s*:\s*"irev result"')
_PADDED = 22
"""Characters that trec_eval pads its labels to."""
_WITH_OPTIONS = re.compile(rb"[,(][a-z_]+=|^utility_-?[0-9.]+,")
"""What labels of more than 22 characters have in them, and ids do not."""

_RUN_ID = (b"runid", b"RunID")
_GROUP = re.compile(rb"^(?:num_q|NumQ) *\tall:", re.MULTILINE)
"""How the lines for a group begin."""
_LIKE_ALL = {False: re.compile(rb'"+all"+'), True: re.compile(rb'"+all(:.*)?"+', re.DOTALL)}
"""What stands in quotes to be told apart from the lines for all queries; more where there are groups."""


class Table(NamedTuple):
    """The values of one run.

    Attributes
    ----------
    run : str
        What the file calls it; empty when it does not say.
    measures : dict of str to dict of bytes to float
        For each measure, as it is called there, the value of each query, in the order of the file. Values may be nan
        or infinite.
    qrels : str
        What the file calls the judgments; empty when it does not say.
    """

    run: str
    measures: dict[str, dict[bytes, float]]
    qrels: str = ""


def kind(head: bytes) -> str | None:
    """What a file is that begins with these bytes: ``record``, ``trec``, ``tidy``, or None for anything else.

    A record is the JSON that ``irev eval -f json`` writes. Judgments and runs in any format are None, and so are two
    columns.
    """
    head = head.removeprefix(BOM)
    if head.lstrip().startswith(b"{"):
        return "record" if _RECORD.search(head) else None
    if _is_tidy(head):
        return "tidy"
    return "trec" if _is_trec(head) else None


def read_scores(source: Source, kind: str | None = None, measure: str = "value") -> list[Table]:
    """The values of single queries in a file, a table for each run and set of judgments, in the order of the file.

    Parameters
    ----------
    source : Source
    kind : str, optional
        One of `KINDS`; by default what the content is, and when it is nothing else a table where the first line is a
        header, or else two columns.
    measure : str
        What the values of two columns are called.

    Raises
    ------
    ProblemError
        For a line with the wrong number of fields, a value that is not a number, a query with two values of a measure,
        an empty name, a NUL byte, a line that is too long.
    InputError
        For an empty file, and one without values of single queries.
    """
    head = source.head(HEAD)
    found = kind or _told(head) or ("tidy" if _has_header(head) else "pairs")
    if found == "record":
        raise InputError("this is a record of results, not a table of scores", source.name)
    content = content_of(source, "expected values of single queries", skip_mark=found != "pairs")
    if found == "trec":
        tables = _of_trec(content, source.name)
    elif found == "tidy":
        tables = _of_table(content, source.name)
    else:
        tables = _of_pairs(content, source.name, measure)
    made = [Table(part.run, part.values(), part.qrels) for part in tables]
    if not any(table.measures for table in made):
        remedy = "save it again with -q" if found == "trec" else "expected a line for each query"
        raise InputError("there are no values of single queries", source.name, remedy)
    return [table for table in made if table.measures]


_told = kind  # which the parameter of `read_scores` hides


class _ScoreColumn:
    """The values of one measure, and the lines that they stand on."""

    def __init__(self, label: bytes, file: str) -> None:
        self.label, self.file = label, file
        self.values: dict[bytes, float] = {}
        self.lines: dict[bytes, int] = {}
        self.empty: int | None = None

    def put(self, line: int, query: bytes, value: bytes) -> None:
        """Take the value of a query, unless it is a text."""
        try:
            number = float(value)
        except ValueError:
            text = value.strip()
            if len(text) > 1 and text[:1] == text[-1:] == b"'":
                return
            raise self._no_number(line, text) from None
        if b"_" in value:  # which Python reads
            raise self._no_number(line, value.strip())
        if query in self.lines:
            fact = f"query {shown(query)} has two values of {shown(self.label)}"
            raise ProblemError(self.file, Problem(line, "E107", fact, "keep one of the two", self.lines[query]))
        self.values[query], self.lines[query] = number, line

    def put_cell(self, line: int, query: bytes, value: bytes) -> None:
        """The same for a cell of a wide table, which is empty in all rows of a measure without values for queries."""
        if value:
            self.put(line, query, value)
        else:
            self.empty = self.empty or line

    def _no_number(self, line: int, value: bytes) -> ProblemError:
        if not value:
            return self.refused_empty(line)
        fact = f"the value {shown(value)} is not a number"
        return ProblemError(self.file, Problem(line, "E105", fact, "expected a decimal number"))

    def refused_empty(self, line: int) -> ProblemError:
        """The error of a value that is missing."""
        fact = f"the value of {shown(self.label)} is empty"
        return ProblemError(self.file, Problem(line, "E113", fact, "expected a decimal number"))


@dataclass(eq=False)
class _RunTable:
    """What a file has of one run, under one set of judgments.

    The keys of `columns` are labels as they stand there, those of `named` are without the blanks around them.
    """

    file: str
    run: str = ""
    qrels: str = ""
    columns: dict[bytes, _ScoreColumn] = field(default_factory=dict)
    named: dict[bytes, _ScoreColumn] = field(default_factory=dict)

    def column(self, label: bytes, line: int) -> _ScoreColumn:
        """The column of a label, a new one if need be."""
        if label not in self.columns:
            name = label.strip()
            if not name:
                raise ProblemError(self.file, Problem(line, "E110", "the name of the measure is empty", "name it"))
            self.columns[label] = self.named.setdefault(name, _ScoreColumn(name, self.file))
        return self.columns[label]

    def values(self) -> dict[str, dict[bytes, float]]:
        """The values of each measure that has some."""
        for column in self.named.values():
            if column.empty and column.values:
                raise column.refused_empty(column.empty)
        return {decoded(name): column.values for name, column in self.named.items() if column.values}


def _query(name: bytes, grouped: bool, file: str, line: int) -> bytes:
    """The query that is shown as `name`: without the quotes that tell one called ``all`` apart."""
    if not name:
        raise ProblemError(file, Problem(line, "E110", "the query id is empty", "expected an id"))
    return name[1:-1] if name.startswith(b'"') and _LIKE_ALL[grouped].fullmatch(name) else name


# trec_eval's lines


def _is_trec(head: bytes) -> bool:
    """Whether a label is padded as trec_eval pads it, or longer than that and clearly a label.

    Lines before the one that decides have three fields too, the first of them long.
    """
    for line in head.split(b"\n"):
        fields = line.split(b"\t")
        if not line.strip():
            continue
        if len(fields) != 3 or len(fields[0]) < _PADDED or fields[0].startswith(b" "):
            return False
        if fields[0].endswith(b" "):
            return len(fields[0]) == _PADDED
        if _WITH_OPTIONS.search(fields[0]):
            return True
    return False


def _of_trec(content: bytes, file: str) -> list[_RunTable]:
    """A part for each run, one after the other.

    The name of a run stands behind its queries, among the lines for all, or before them where there are no other such
    lines; that of the judgments stands before them. A query behind lines for all is the first of the next run.
    """
    grouped = _GROUP.search(content) is not None
    part = _RunTable(file)
    parts, ended = [part], False
    for number, line in enumerate(content.split(b"\n"), start=1):
        fields = line.split(b"\t", 2)
        if len(fields) != 3:
            fields = line.split(None, 2)
            if not fields:
                continue
            if len(fields) != 3:
                raise _miscounted(file, number, line, "a label, a query and a value")
        label, query, value = fields
        if query == ALL or (grouped and query.startswith(b"all:")):
            name = label.strip()
            if name not in (b"qrels", *_RUN_ID):
                ended = True
            elif part.columns and (name == b"qrels" or part.run):
                part, ended = _RunTable(file), False
                parts.append(part)
            if name in _RUN_ID:
                part.run, ended = decoded(value.rstrip(b"\r")), bool(part.columns)
            elif name == b"qrels":
                part.qrels = decoded(value.rstrip(b"\r"))
            continue
        if ended:
            part, ended = _RunTable(file), False
            parts.append(part)
        column = part.columns.get(label) or part.column(label, number)
        if query[:1] in (b'"', b""):
            query = _query(query, grouped, file, number)
        column.put(number, query, value)
    return parts


def _miscounted(file: str, line: int, found: bytes, expected: str) -> ProblemError:
    return ProblemError(file, Problem(line, "E101", f"found {shown(found)}", f"expected {expected}"))


# Tables


def _is_tidy(head: bytes) -> bool:
    """Whether there is the header of a long table, or of a wide one with nothing but values in the line below it."""
    if b"query" not in head.partition(b"\n")[0]:
        return False
    for separator in SEPARATORS:
        records = records_of(head, separator, "")
        try:
            names, row = next(records)[1], next(records, (0, []))[1]
        except (ProblemError, StopIteration):
            continue
        if {b"query", b"measure", b"value"} <= set(names):
            return True
        if b"query" in names and b"measure" not in names and not _DOCUMENTS.intersection(names):
            cells = [cell for name, cell in zip(names, row, strict=False) if name not in _ABOUT]
            if len(names) == len(row) and any(cells) and all(_VALUE.fullmatch(cell.strip()) for cell in cells):
                return True
    return False


def _has_header(head: bytes) -> bool:
    """Whether the first line of a file of scores is a header, whatever stands below it: it names a column of queries
    and another one, and no number."""
    first = head.removeprefix(BOM).partition(b"\n")[0].rstrip(b"\r")
    for names in (first.split(separator) for separator in SEPARATORS):
        if b"query" in names and len(names) > 1:
            return not any(name and _VALUE.fullmatch(name) for name in names)
    return False


def _of_table(content: bytes, file: str) -> list[_RunTable]:
    """A part for each run and set of judgments that rows name."""
    for separator in SEPARATORS:
        records = records_of(content, separator, file)
        _, header = next(records)
        if b"query" in header:
            break
    else:
        raise InputError("there is no column 'query'", file, _HEADERS)
    require_apart(file, header)
    place = {name: number for number, name in enumerate(header)}
    if b"measure" in place:
        if b"value" not in place:
            raise InputError("there is no column 'value'", file, _HEADERS)
        cells = None
    else:
        cells = [(number, name) for name, number in place.items() if name not in _ABOUT]
        if not cells:
            raise InputError("there is no column of values", file, _HEADERS)
        if b"" in place:
            raise InputError(f"column {place[b''] + 1} has no name", file, "name it, or leave it out")
    parts: dict[tuple[bytes, bytes], _RunTable] = {}
    run, qrels, query = place.get(b"run"), place.get(b"qrels"), place[b"query"]
    measure, value, grouped = place.get(b"measure", 0), place.get(b"value", 0), b"group" in place
    for line, row in records:
        require_width(file, line, row, header)
        about = b"" if run is None else row[run], b"" if qrels is None else row[qrels]
        part = parts.get(about)
        if part is None:
            part = parts[about] = _RunTable(file, decoded(about[0]), decoded(about[1]))
        name = row[query]
        if name == ALL:
            continue
        if name[:1] in (b'"', b""):
            name = _query(name, grouped, file, line)
        if cells is None:
            (part.columns.get(row[measure]) or part.column(row[measure], line)).put(line, name, row[value])
            continue
        for number, label in cells:
            part.column(label, line).put_cell(line, name, row[number])
    return list(parts.values())


# Two columns


def _of_pairs(content: bytes, file: str, measure: str) -> list[_RunTable]:
    part = _RunTable(file)
    column = part.column(encoded(measure), 1)
    for number, line in enumerate(content.split(b"\n"), start=1):
        fields = line.split()
        if len(fields) == 2:
            if fields[0] != ALL:
                column.put(number, _query(fields[0], False, file, number), fields[1])
        elif fields:
            raise _miscounted(file, number, line, "a query and its value")
    return [part]
