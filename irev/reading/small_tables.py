"""Small files that are read whole: tables of texts and numbers, with a header, in CSV, of commas or semicolons, or with
tabs; tables of an object of JSON a line; and files in TOML."""

from __future__ import annotations

import csv
import io
import re
import tomllib
from collections import Counter
from collections.abc import Iterable, Iterator
from typing import Any, NamedTuple

import numpy as np

from irev.base.errors import InputError, Problem, ProblemError, shown
from irev.base.segments import Floats
from irev.base.text import REAL, decoded, encoded
from irev.reading import limits
from irev.reading.fields import too_long
from irev.reading.json_reader import Unfit, kind_of, members_of, not_json, reason_of, scanner, shown_text
from irev.reading.limits import CONFIGURATION, DEEPEST, LONGEST
from irev.reading.sources import BOM, Source

_ESCAPE = re.compile(rb"\\([\\tnr])")
_ESCAPES = {b"\\": b"\\", b"t": b"\t", b"n": b"\n", b"r": b"\r"}
_QUOTED = re.compile(rb'"[^"]*"')
_NUMBER = re.compile(REAL.encode())


class SmallTable(NamedTuple):
    """Rows with a cell for each column.

    Attributes
    ----------
    file : str
    columns : tuple of str
        Their names, no two alike.
    lines : tuple of int
        The line that each row begins on.
    rows : tuple of tuple of bytes
        A cell without anything in it is empty, and so are null and a key that is not there.
    """

    file: str
    columns: tuple[str, ...]
    lines: tuple[int, ...]
    rows: tuple[tuple[bytes, ...], ...]

    def ids(self, column: str) -> tuple[str, ...]:
        """What rows are called.

        Raises
        ------
        ProblemError
            For an empty one, and one that occurs twice.
        """
        place = self.columns.index(column)
        first: dict[bytes, int] = {}
        for line, row in zip(self.lines, self.rows, strict=True):
            if not row[place]:
                raise ProblemError(self.file, Problem(line, "E110", f"the {column} is empty", "expected one"))
            if row[place] in first:
                fact = f"{column} {shown(row[place])} occurs twice"
                raise ProblemError(
                    self.file, Problem(line, "E107", fact, "keep one of the two rows", first[row[place]])
                )
            first[row[place]] = line
        return tuple(map(decoded, first))

    def numbers(self, column: str) -> Floats:
        """(rows,) The numbers of a column.

        Raises
        ------
        ProblemError
            For a cell without a number, and one that is not finite.
        """
        place = self.columns.index(column)
        values = [
            self._number(line, column, row[place].strip()) for line, row in zip(self.lines, self.rows, strict=True)
        ]
        return np.array(values, dtype=np.float64)

    def _number(self, line: int, column: str, cell: bytes) -> float:
        if not cell:
            fact = f"the value of {shown(encoded(column))} is empty"
            raise ProblemError(
                self.file, Problem(line, "E113", fact, "expected a decimal number; leave out the row if there is none")
            )
        value = float(cell) if _NUMBER.fullmatch(cell) else float("nan")
        if not np.isfinite(value):
            fact = f"the value {shown(cell)} of {shown(encoded(column))} is not a finite number"
            raise ProblemError(self.file, Problem(line, "E105", fact, "expected a decimal number"))
        return value


def read_small_table(source: Source, expected: str) -> SmallTable:
    """The table that a file holds; `expected` says what was, where it is empty.

    Raises
    ------
    ProblemError
        For a row with another number of fields than the header, what is not JSON or no object, a key that occurs twice,
        a value that is neither a text nor a number, a NUL byte, a line that is too long.
    InputError
        For a file without rows, and for columns without a name or with the same.
    """
    content = content_of(source, expected, skip_mark=True)
    table = (_of_json if content.lstrip().startswith(b"{") else _with_header)(content, source.name)
    if not table.rows:
        raise InputError("there are no rows", source.name, expected)
    return table


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


def records_of(content: bytes, separator: bytes, file: str) -> Iterator[tuple[int, list[bytes]]]:
    """The fields of each line that is not blank, or of each record in CSV, and the line that it begins on."""
    if separator == b"\t":
        for number, line in enumerate(content.split(b"\n"), start=1):
            if line := line.removesuffix(b"\r"):
                fields = line.split(b"\t")
                yield number, [_ESCAPE.sub(_unescaped, part) for part in fields] if b"\\" in line else fields
        return
    yield from quoted_records([content], separator, file)


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


def _unescaped(found: re.Match[bytes]) -> bytes:
    return _ESCAPES[found[1]]


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


def separator_of(header: bytes) -> bytes:
    """A tab where there is one; else what stands there more often, quotes aside: names may have the other in them."""
    if b"\t" in header:
        return b"\t"
    bare = _QUOTED.sub(b"", header)
    return b";" if bare.count(b";") > bare.count(b",") else b","


def _with_header(content: bytes, file: str) -> SmallTable:
    records = records_of(content, separator_of(content.partition(b"\n")[0]), file)
    _, header = next(records)
    header = [name.strip() for name in header]
    require_apart(file, header)
    if b"" in header:
        raise InputError(f"column {header.index(b'') + 1} has no name", file, "name it, or leave it out")
    lines, rows = [], []
    for line, row in records:
        require_width(file, line, row, header)
        lines.append(line)
        rows.append(tuple(row))
    return SmallTable(file, tuple(map(decoded, header)), tuple(lines), tuple(rows))


def _of_json(content: bytes, file: str) -> SmallTable:
    scan = scanner()
    lines: list[int] = []
    found: list[dict[str, bytes]] = []
    for number, line in enumerate(content.split(b"\n"), start=1):
        if not line.strip():
            continue
        try:
            text = line.strip().decode()
            value, end = scan(text, 0)
            fields = members_of(value, "record") if end == len(text) else {}
        except Unfit as error:
            raise ProblemError(file, error.at(number)) from None
        except UnicodeDecodeError:
            raise ProblemError(file, not_json(number, "it is not UTF-8")) from None
        except (ValueError, RecursionError) as error:
            raise ProblemError(file, not_json(number, reason_of(error))) from None
        if end < len(text):
            raise ProblemError(file, not_json(number, "data follow the object"))
        lines.append(number)
        found.append({_safe(key): _cell(file, number, key, value) for key, value in fields.items()})
    columns = tuple(dict.fromkeys(key for row in found for key in row))
    rows = tuple(tuple(row.get(column, b"") for column in columns) for row in found)
    return SmallTable(file, columns, tuple(lines), rows)


def _cell(file: str, line: int, key: str, value: Any) -> bytes:
    if value is None:
        return b""
    if not isinstance(value, str):
        fact = f"{shown_text(key)} is {kind_of(value)}"
        raise ProblemError(file, Problem(line, "E113", fact, "expected a text or a number"))
    return value.encode("utf-8", "surrogatepass")


def _safe(key: str) -> str:
    """A key as data, also one with half a character in it, as escapes of JSON may have."""
    return decoded(key.encode("utf-8", "surrogatepass"))


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
