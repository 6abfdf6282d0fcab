"""Tables as text: CSV with commas or semicolons, TSV, and BEIR's judgments, which are TSV with a certain header.

Most pieces of most files hold no quotes, no blanks and no empty fields: with commas replaced by blanks they are lines
for the splitter. Other pieces are read by the csv module, with the rules of RFC 4180.
"""

from __future__ import annotations

import csv
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import field
from functools import partial
from types import MappingProxyType

import numpy as np

from irev.base.errors import Faults, InputError, Problem, brief, shown
from irev.base.records import dataclass
from irev.base.settings import Settings
from irev.base.text import decoded
from irev.reading import columns
from irev.reading.columns import Naming
from irev.reading.fields import BLANK, NEWLINE, STAND_IN, Layout
from irev.reading.formats import (
    JUDGMENTS,
    RUNS,
    Format,
    Rewritten,
    as_field,
    head_of,
    id_fault,
    lists_of_table,
    rewritten_layout,
    whole_lines,
)
from irev.reading.lists import csv_records, unreadable
from irev.reading.sources import BOM, Source, Stream

BEIR = Naming(
    ("query", "document", "grade"),
    dict(zip(("query", "document", "grade"), columns.SCORED_JUDGMENTS, strict=True)),
)
"""The columns of BEIR's qrels."""

UNFILLED, FILL_IN = "the grade is not filled in", "fill it in first: a number such as 0, 1 or 2"
"""What is wrong with a grade that is left empty where people fill it in, and the remedy."""

IGNORED = "ignored"
NUMBERS = {"grade": "E102", "score": "E105", "rank": "E105"}
"""Roles that are numbers, and the code of the problem that a field is none."""

_MAY_BE_WORDS = ("query", "document", "grade")
"""Roles whose fields may have blanks in them."""


def header(head: bytes, separator: str) -> list[str]:
    """The names in the first line of a file, without blanks around them; none when it is no header."""
    line = decoded(head.removeprefix(BOM).partition(b"\n")[0].removesuffix(b"\r"))
    try:
        return [name.strip(" ") for name in next(csv.reader([line], delimiter=separator, strict=True), [])]
    except csv.Error:
        return []


def _has(head: bytes, separators: str, naming: Naming) -> bool:
    """Whether the header has these columns. Files of other formats are told apart before the csv module is loaded."""
    first = head.partition(b"\n")[0]
    return columns.may_be(first, naming) and any(
        first.count(separator.encode()) + 1 >= len(naming.roles) and naming.has(header(head, separator))
        for separator in separators
    )


def _kinds(head: bytes, names: list[str], separator: str) -> dict[str, str]:
    """The kind of values in each column, by those of the first rows."""
    rows = [header(line, separator) for line in head.split(b"\n", columns.FIRST + 1)[1 : columns.FIRST + 1]]
    rows = [row for row in rows if len(row) == len(names)]
    return dict(zip(names, map(columns.kind_of, zip(*rows, strict=True)), strict=True)) if rows else {}


def _naming(head: bytes, separators: str, settings: Settings, value: str) -> Naming:
    """How the columns are found, of which there may be two alone, and none of queries."""
    first = head.partition(b"\n")[0]
    pair = [separator for separator in separators if first.count(separator.encode()) == 1]
    return columns.of_table(settings, value, header(head, pair[0]) if pair else ())


def table_lines(
    separators: str, value: str, source: Source, settings: Settings, faults: Faults
) -> tuple[Layout, Stream]:
    """The fields of the table; or, where it has no documents, those of its lists."""
    head = head_of(source)
    naming = _naming(head, separators, settings, value)
    lists = columns.of_lists(settings, value)
    if not any(_has(head, each, naming) for each in separators) and any(_has(head, each, lists) for each in separators):
        separator = _separator(head, separators, lists)
        rows = partial(_cells, separator, faults)
        found = lists_of_table(settings, value, header(head, separator), rows, source, faults)
        if found is not None:
            return found
    return lines(separators, naming, source, faults, unrated=source.unrated)


def _cells(separator: str, faults: Faults, source: Source, names: Sequence[str]) -> Iterator[tuple[str, ...]]:
    """Yield the values of some columns for each record."""
    there = header(head_of(source), separator)
    places = [there.index(name) for name in names]
    text = (decoded(line) + "\n" for piece in whole_lines(source) for line in piece.split(b"\n")[:-1])
    for before, _, record in csv_records(text, separator):
        if isinstance(record, Exception):
            faults.note(unreadable(before + 1, record))
        elif record and len(record) != len(there):
            faults.note(_miscounted(before + 1, record, len(there)))
        elif record and before:
            yield tuple(record[place] for place in places)


def _separator(head: bytes, separators: str, naming: Naming) -> str:
    """The one with which the header has the columns; otherwise the first one that is there."""
    first = head.partition(b"\n")[0]
    return next(
        (separator for separator in separators if _has(head, separator, naming)),
        next((separator for separator in separators if separator.encode() in first), separators[0]),
    )


def lines(
    separators: str, naming: Naming, source: Source, faults: Faults, unrated: bool = False, one: str | None = None
) -> tuple[Layout, Stream]:
    """The fields of the table, in the order of its columns; all but those with a role are ignored.

    Where `unrated` says so, records of one field and those without a grade are no judgments, and no fault. The
    column called `one` must have the same value in all records.
    """
    head = head_of(source)
    if not head:
        raise InputError(
            "the file is empty", source.name, f"expected a header such as {separators[0].join(naming.usual.values())}"
        )
    separator = _separator(head, separators, naming)
    found = header(head, separator)
    names = naming.among(found, source.name, beside=source.beside, kinds=_kinds(head, found, separator))
    parts = {role: columns.parts_of(role, name, found) for role, name in names.items()}
    for name in (each for several in parts.values() for each in several):
        if found.count(name) > 1:
            raise InputError(f"there are {found.count(name)} columns {name!r}", source.name, "rename one of them")
    roles = {several[0]: role for role, several in parts.items()}
    fields = tuple(roles.get(name, IGNORED) for name in found)
    query = () if "query" in names else ("query",)  # all rows are of one
    alike = found.index(one) if one in found else None
    joined = {role: [found.index(each) for each in several] for role, several in parts.items() if several[1:]}
    beside = source.beside if "score" in names else {}
    table = DelimitedLines(source.name, separator, fields, faults, unrated, alike, joined, beside)
    layout = rewritten_layout((*query, *fields), brief(separator.join(found)), named=naming is not BEIR)
    return layout, Rewritten(source, table.rewritten, faults)


@dataclass(frozen=True, eq=False)
class DelimitedLines:
    """Makes lines of white-space separated fields of the records behind the header."""

    name: str
    separator: str
    fields: tuple[str, ...]
    faults: Faults
    unrated: bool
    alike: int | None
    joined: dict[str, list[int]]
    beside: Mapping[str, str] = MappingProxyType({})
    values: set[str] = field(default_factory=set)

    def rewritten(self, source: Source) -> Iterator[bytes]:
        """Line by line, an empty one for the header and for each line that has no record of its own."""
        self.values.clear()
        pieces = _without_header(whole_lines(source))
        lines = 0
        for piece in pieces:
            plain = None if self.unrated or self.alike is not None else self._plain(piece)
            if plain is not None:
                yield plain
                lines += plain.count(b"\n")
                continue
            found = bytearray()
            for record, count in self._records(piece, pieces, lines):
                found += record + b"\n" * count
                lines += count
            yield bytes(found)

    def _plain(self, piece: bytes) -> bytes | None:
        """The piece as lines of fields, when that is a matter of replacing its separators."""
        if b"\x7f" in piece or "query" not in self.fields or self.joined:
            return None
        if b"\r" in piece:
            piece = piece.replace(b"\r\n", b"\n")
        separator = self.separator.encode()
        if b'"' in piece:
            piece = _unquoted(piece, separator)
        if b'"' in piece:
            return None
        for empty in (separator * 2, b"\n" + separator, separator + b"\n"):
            if empty in piece:
                return None
        if b" " in piece:
            ends = (b" " + separator, separator + b" ", b" \n", b"\n ")
            if piece.startswith(b" ") or any(end in piece for end in ends):
                return None
            piece = piece.replace(b" ", bytes((STAND_IN,)))
        white = np.count_nonzero(np.frombuffer(piece, dtype=np.uint8) <= BLANK)
        separating = piece.count(separator) if separator <= b" " else 0
        if piece.startswith(separator) or white != piece.count(b"\n") + separating:
            return None
        return piece if separating else piece.replace(separator, b" ")

    def _records(self, piece: bytes, pieces: Iterator[bytes], lines: int) -> Iterator[tuple[bytes, int]]:
        """Each record as a line without its newline, and how many lines of the file it takes.

        A record that does not end with the piece goes on in the next ones.
        """
        within = False
        taken: list[str] = []

        def feed() -> Iterator[str]:
            nonlocal within, piece
            while piece:
                # Latin-1 takes bytes as they are, and has no line ends that UTF-8 would not have there.
                for line in piece.decode("latin-1").split("\n")[:-1]:
                    within = True
                    taken.append(line)
                    yield line + "\n"
                piece = next(pieces, b"") if within else b""

        for before, after, found in csv_records(feed(), self.separator):
            line, record = lines + before + 1, b""
            if isinstance(found, Exception):
                self.faults.note(unreadable(line, found))
            elif not self._swallowed(taken, line):
                record = self._line(found, line)
            within = False
            taken.clear()
            yield record, after - before

    def _line(self, record: list[str], line: int) -> bytes:
        """The record as a line; nothing, and a problem noted, when something is wrong with it."""
        if not record or (self.unrated and self._is_unrated(record)):
            return b""
        if len(record) != len(self.fields):
            self.faults.note(_miscounted(line, record, len(self.fields)))
            return b""
        if self.alike is not None and record[self.alike] not in self.values:
            if self.values:
                both = " and ".join(shown(value.encode("latin-1")) for value in (*self.values, record[self.alike]))
                self.faults.note(Problem(line, "E113", f"the file has two snapshots, {both}", "export one at a time"))
                return b""
            self.values.add(record[self.alike])
        found = [] if "query" in self.fields else [columns.THE_QUERY]
        for role, written in zip(self.fields, record, strict=True):
            if role in self.joined:
                parts = [record[place] for place in self.joined[role]]
                written = columns.JOINING.join(parts) if all(parts) else ""
            if role == "grade" and (word := written.strip())[:1].isalpha():
                written = word
            if role == IGNORED:
                found.append("-")
            elif (field := as_field(written)) is not None and (role in _MAY_BE_WORDS or " " not in written):
                found.append(field)
            elif self.beside.get(role):
                found.append(self.beside[role])
            else:
                self.faults.note(_field_fault(line, role, written))
                return b""
        return " ".join(found).encode("latin-1")

    def _swallowed(self, taken: list[str], line: int) -> bool:
        """Whether a quotation mark made one record of lines of which each is one by itself; noted as a fault."""
        if len(taken) < 2 or not all(map(self._is_row, filter(str.strip, taken))):
            return False
        fact = (
            f"a field in quotation marks continues to line {line + len(taken) - 1}, over lines that are complete rows"
        )
        remedy = "quote the field and double the quotation marks in it, or remove the mark"
        self.faults.note(Problem(line, "E111", fact, remedy))
        return True

    def _is_row(self, line: str) -> bool:
        """Whether a line has all fields, and numbers where they belong, as if quotation marks were nothing special."""
        fields = line.split(self.separator)
        return len(fields) == len(self.fields) and all(
            role not in NUMBERS or _NUMBER.match(written.strip('" \r').encode("latin-1")) is not None
            for role, written in zip(self.fields, fields, strict=True)
        )

    def _is_unrated(self, record: list[str]) -> bool:
        """Whether there is a query alone, or no grade."""
        whole = len(record) == len(self.fields)
        alone = len(record) == 1 and not any(record[0].count(mark) == len(self.fields) - 1 for mark in ";\t")
        return alone or (whole and not record[self.fields.index("grade")])


def _miscounted(line: int, record: list[str], wanted: int) -> Problem:
    counted = "1 field" if len(record) == 1 else f"{len(record)} fields"
    return Problem(line, "E101", f"{counted} in a record", f"expected {wanted}, as the header has")


def _unquoted(piece: bytes, separator: bytes) -> bytes:
    """The piece without quotation marks when they only enclose whole fields in which they make no difference."""
    text = np.frombuffer(piece, dtype=np.uint8)
    ends_field = (text == ord(separator)) | (text == NEWLINE)
    marks = np.flatnonzero(text == ord('"'))
    opening, closing = marks[0::2], marks[1::2]
    if len(marks) % 2 or not (ends_field[opening - 1] & ends_field[closing + 1]).all():  # the last byte is a newline
        return piece
    fields = np.flatnonzero(ends_field)
    if (np.searchsorted(fields, opening) != np.searchsorted(fields, closing)).any():
        return piece
    return piece.replace(b'"', b"")


def _without_header(pieces: Iterator[bytes]) -> Iterator[bytes]:
    """The pieces, with an empty line in place of the first one."""
    first = next(pieces, b"")
    yield b"\n"
    rest = first.partition(b"\n")[2]
    if rest:
        yield rest
    yield from pieces


def _field_fault(line: int, role: str, written: str) -> Problem:
    if role not in NUMBERS:
        return id_fault(line, role, written.encode("latin-1").decode("utf-8", "backslashreplace"))
    if not written and role == "grade":
        return Problem(line, "E113", UNFILLED, FILL_IN)
    if not written:
        return Problem(line, "E113", f"the {role} is empty", "expected a number")
    fact = f"the {role} {shown(written.encode('latin-1'))} is not a number"
    return Problem(line, NUMBERS[role], fact, "expected a number without blanks around it")


def _add(name: str, separators: str, described: str) -> None:
    """Register the format of judgments and that of runs."""

    def record(value: str, example: str) -> Format:
        usual = ", ".join(columns.of_file(Settings(), value).usual.values())
        return Format(
            name=name,
            description=f"{described} with a header, such as {usual}; further"
            " columns are ignored. Other names by --columns.",
            example=example.replace(",", separators[0]),
            lines=partial(table_lines, separators, value),
            recognised=lambda head, settings: (
                _has(head, separators, _naming(head, separators, settings, value))
                or _has(head, separators, columns.of_lists(settings, value))
            ),
        )

    JUDGMENTS.add(name, record("grade", "query_id,doc_id,relevance\nq1,d01,2\nq1,d02,0\n"))
    RUNS.add(name, record("score", "query_id,doc_id,score\nq1,d01,12.5\nq1,d02,11.0\n"))


_NUMBER = re.compile(rb"[+-]?[0-9.]+")

_add("csv", ",;", "Values separated by commas or semicolons, quoted as in RFC 4180,")
_add("tsv", "\t", "Tab-separated values, quoted as in RFC 4180,")
Format(
    name="beir",
    description="BEIR qrels: tab-separated values with the header query-id, corpus-id, score.",
    example="query-id\tcorpus-id\tscore\nq1\td01\t2\nq1\td02\t0\n",
    lines=lambda source, settings, faults: lines("\t", BEIR, source, faults),
    recognised=lambda head, settings: b"corpus-id" in head and header(head, "\t") == [*columns.SCORED_JUDGMENTS],
    special=1,
).add_to(JUDGMENTS)
