"""Logs as CSV or TSV with a header: a list is one cell, its items with blanks between them and ``-`` for null.

The csv module reads records, by the rules of RFC 4180.
"""

from __future__ import annotations

import io
import re
from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np

from irev.base.errors import InputError
from irev.base.text import REAL, decoded, encoded
from irev.extensions.clicks.events import schema
from irev.extensions.clicks.events.rows import (
    ColumnMaker,
    EventBlock,
    EventRows,
    RowFault,
    TextColumn,
    legible,
    texts_of,
    texts_of_bytes,
    unknown_event,
)
from irev.extensions.clicks.events.schema import TEAMS
from irev.reading.fields import NEWLINE, too_long
from irev.reading.formats import head_of, whole_lines
from irev.reading.formats.delimited import header
from irev.reading.limits import LONGEST
from irev.reading.lists import csv_records
from irev.reading.sources import Source

SEPARATORS = ",\t;"

_NUMBER = re.compile(REAL + "|[+-]?inf(inity)?", re.ASCII | re.IGNORECASE)


def names_of(source: Source) -> tuple[str, list[str]]:
    """The separator of a table, and the names of its columns.

    Raises
    ------
    InputError
        For what has no column ``event`` or ``impression``, or two columns that are called alike.
    """
    head = head_of(source)
    tables = [(separator, header(head, separator)) for separator in SEPARATORS]
    separator, names = max(tables, key=lambda table: ("event" in table[1], len(table[1])))
    schema.require_columns(names, source.name)
    again = next((name for i, name in enumerate(names) if name in names[:i] and name in schema.FIELDS), None)
    if again is not None:
        raise InputError(f"there are two columns {again!r}", source.name, "rename one of them")
    return separator, names


def blocks(source: Source) -> Iterator[EventBlock]:
    """The rows of a log, some at a time."""
    separator, names = names_of(source)
    lines, first, open_record = 0, True, b""
    strange = {name for name in names if name and name not in schema.FIELDS}
    for piece in whole_lines(source):
        if first:
            piece = piece.partition(b"\n")[2]
            lines, first = 1, False
        piece = open_record + piece
        open_record = b""
        if not piece:
            continue
        count = piece.count(b"\n")
        if b"\r" in piece:
            piece = piece.replace(b"\r\n", b"\n")
        sound = _before_too_long(piece)
        short = len(sound) == len(piece)
        if sound:
            block, open_record = _block(sound, separator, names, lines)
            block.strange.update(strange)
            strange = set()
            yield block
        if not short:
            yield EventBlock(np.array([lines + sound.count(b"\n") + 1]), [], [RowFault.of(0, too_long(1))])
            return
        lines += count - open_record.count(b"\n")
    if open_record:
        remedy = "quote the field and double the quotation marks in it, or remove the mark"
        fault = RowFault(0, "E111", "a quotation mark is not closed", remedy)
        yield EventBlock(np.array([lines + 1]), [], [fault])


def _before_too_long(piece: bytes) -> bytes:
    """What stands before the first line that is too long."""
    if len(piece) > LONGEST:
        ends = np.flatnonzero(np.frombuffer(piece, dtype=np.uint8) == NEWLINE)
        long = np.flatnonzero(np.diff(ends, prepend=-1) > LONGEST + 1)
        if len(long):
            return piece[: int(ends[long[0] - 1]) + 1 if long[0] else 0]
    return piece


def _miscounted(row: int, cells: Sequence[str], names: list[str]) -> RowFault:
    fields = "1 field" if len(cells) == 1 else f"{len(cells)} fields"
    fact = f"{fields} where the header has {len(names)}"
    return RowFault(row, "E101", fact, "write all columns, empty where need be", _named(cells, names))


def _named(cells: Sequence[str], names: list[str]) -> bytes:
    """The id of the impression in a row that is no event, as far as it has that column."""
    place = names.index("impression") if "impression" in names else len(cells)
    return legible(cells[place]) if place < len(cells) else b""


def _block(piece: bytes, separator: str, names: list[str], before: int) -> tuple[EventBlock, bytes]:
    """The rows of whole lines, and what is left of the last one if it goes on in the next piece."""
    rest = b""
    text = np.frombuffer(piece, dtype=np.uint8)
    newlines = np.flatnonzero(text == NEWLINE)
    marks = np.searchsorted(np.flatnonzero(text == ord('"')), newlines)
    if marks[-1] % 2:  # the last record goes on: it began behind the last line with an even number of marks up to there
        even = newlines[marks % 2 == 0]
        cut = int(even[-1]) + 1 if len(even) else 0
        piece, rest = piece[:cut], piece[cut:]
        if len(rest) > LONGEST:
            fault = RowFault.of(0, too_long(1))._replace(remedy="a quotation mark may not be closed")
            return EventBlock(np.array([before + piece.count(b"\n") + 1]), [], [fault]), b""
    faults: list[RowFault] = []
    lines = [before + 1]
    rows: dict[str, list[int]] = {event: [] for event in schema.EVENTS}
    records: dict[str, list[list[str]]] = {event: [] for event in schema.EVENTS}
    place = names.index("event")
    for row, (_, behind, record) in enumerate(csv_records(io.StringIO(decoded(piece), newline=""), separator)):
        lines.append(before + behind + 1)
        if isinstance(record, Exception):
            fact = f"this is not CSV: {record}"
            faults.append(RowFault(row, "E111", fact, "quote the field and double the marks in it"))
            continue
        if not record:
            continue
        if len(record) != len(names):
            faults.append(_miscounted(row, record, names))
        elif record[place] not in rows:
            faults.append(unknown_event(row, record[place], _named(record, names)))
        else:
            rows[record[place]].append(row)
            records[record[place]].append(record)
    parts = []
    for event, of in records.items():
        if of:
            maker = ColumnMaker(rows[event], faults, _texts)
            places = {name: names.index(name) for name in schema.OF[event] if name in names}
            cells = {name: [record[place] for record in of] for name, place in places.items()}
            columns = {
                name: maker.column(name, _values(name, each, maker)) for name, each in cells.items() if any(each)
            }
            parts.append(EventRows(event, np.array(rows[event], dtype=np.int64), columns))
    return EventBlock(np.array(lines, dtype=np.int64), parts, faults), rest


def _values(name: str, cells: list[str], maker: ColumnMaker) -> list[Any]:
    """The values of cells as JSON would have them; of empty ones None."""
    if name in schema.TEXTS:
        return [cell or None for cell in cells]
    if name in schema.NUMBERS:
        return [_number(name, place, cell, maker) for place, cell in enumerate(cells)]
    if name == schema.TIME:
        return [float(cell) if _NUMBER.fullmatch(cell) else cell or None for cell in cells]
    return [_items(name, place, cell, maker) if cell else None for place, cell in enumerate(cells)]


def _texts(cells: Sequence[str]) -> TextColumn:
    """Strings as they stand one after the other; bytes that are no UTF-8 stay as they are."""
    try:
        return texts_of(cells)
    except UnicodeEncodeError:
        return texts_of_bytes([encoded(cell) for cell in cells])


def _number(name: str, place: int, cell: str, maker: ColumnMaker) -> float | None:
    """The number in a cell; None where there is none."""
    if _NUMBER.fullmatch(cell):
        return float(cell)
    if cell:
        maker.note(place, "E113", f"the {name} is not a number", "expected a number without blanks around it")
    return None


def _items(name: str, place: int, cell: str, maker: ColumnMaker) -> list[Any] | None:
    """The items of a cell; None, and a fault, where one cannot be."""
    if cell.startswith("["):
        maker.note(place, "E113", f"the {name} are in brackets", "write items with one blank between them: d1 d2 d3")
        return None
    written = cell.split(" ")
    if name == TEAMS:
        return [None if item == "-" else item for item in written]
    if name == schema.DOCUMENTS:
        wrong = "" in written or "-" in written
    else:
        nulls = name != "propensities"
        wrong = not all(_NUMBER.fullmatch(item) or (nulls and item == "-") for item in written)
    if wrong:
        expected = "expected items with one blank between them" + ", - for null" * (name != "propensities")
        maker.note(place, "E113", f"an item of {name} is missing or of another type", expected)
        return None
    return written if name == schema.DOCUMENTS else [None if item == "-" else float(item) for item in written]
