"""Logs as CSV or TSV with a header: a list is one cell, its items with blanks between them and ``-`` for null.

Pieces without quotation marks are cut at their separators all at once; others are read by the csv module, by the rules
of RFC 4180.
"""

from __future__ import annotations

import io
from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np

from irev.base.segments import Bools, Ints
from irev.base.text import decoded, encoded
from irev.errors import InputError
from irev.reading import numbers
from irev.reading.events import schema
from irev.reading.events.rows import (
    UNKNOWN_TEAM,
    Column,
    ColumnMaker,
    EventBlock,
    EventRows,
    ListColumn,
    NumberColumn,
    RowFault,
    TextColumn,
    TimeColumn,
    controls,
    legible,
    texts_of_bytes,
    unknown_event,
)
from irev.reading.fields import BLANK, NEWLINE, too_long
from irev.reading.formats import HEAD, whole_lines
from irev.reading.formats.delimited import header
from irev.reading.ids import PAD
from irev.reading.limits import LONGEST
from irev.reading.small_tables import csv_records
from irev.reading.sources import Source


def column_of(name: str, cells: TextColumn, rows: Ints, faults: list[RowFault]) -> Column:
    """A column of cells that are bytes."""
    maker = ColumnMaker(rows, faults)
    if name in schema.TEXTS:
        return cells
    if name in schema.NUMBERS:
        return NumberColumn(_numbers(name, cells, maker))
    if name == schema.TIME:
        return times_of(cells, maker)
    return _lists(name, cells, maker)


def _numbers(name: str, cells: TextColumn, maker: ColumnMaker) -> Any:
    """The number in each cell; NaN where there is none."""
    given = np.flatnonzero(cells.given)
    value = np.full(len(cells), np.nan)
    read = read_numbers(cells[given])
    value[given] = read.value
    for place in given[read.bad].tolist():
        _no_number(name, cells, place, maker)
    return value


def read_numbers(cells: TextColumn) -> numbers.Decimals:
    """The numbers of some cells, each at least one byte long, correctly rounded."""
    read = numbers.decimals(cells.text, cells.start, cells.start + cells.length)
    if read.uncertain is not None:
        read.settle(np.flatnonzero(read.uncertain))
    return read


def _no_number(name: str, cells: TextColumn, place: int, maker: ColumnMaker) -> None:
    maker.note(place, "E113", f"the {name} is not a number", "expected a number without blanks around it")


def times_of(cells: TextColumn, maker: ColumnMaker) -> TimeColumn:
    """Numbers of seconds, or dates."""
    given = cells.given
    where = np.flatnonzero(given)
    read = read_numbers(cells[where])
    value = np.zeros(len(cells))
    value[where] = np.nan_to_num(read.value)
    times = maker.seconds(value, given)
    odd = where[read.bad]
    if len(odd):
        words = [cells.at(place).decode("utf-8", "backslashreplace") for place in odd.tolist()]
        moments = ColumnMaker(np.asarray(maker.rows)[odd], maker.faults).times(words)
        times.value[odd] = moments.value
        times.given[odd] = moments.given
        times.dated[odd] = True
    return times


def _lists(name: str, cells: TextColumn, maker: ColumnMaker) -> ListColumn:
    """The items of each cell."""
    where = np.flatnonzero(cells.given)
    bracketed = cells.text[cells.start[where]] == ord("[")
    for place in where[bracketed].tolist():
        maker.note(place, "E113", f"the {name} are in brackets", "write items with one blank between them: d1 d2 d3")
    where = where[~bracketed]
    start, stop = cells.start[where], cells.start[where] + cells.length[where]
    count = np.full(len(cells), -1, dtype=np.int64)
    if not len(where):
        return ListColumn(
            count, _items(name, TextColumn(cells.text, start, stop - start), np.empty(0, np.int64), maker)[0]
        )
    lowest, highest = int(start[0]), int(stop[-1])
    blanks = np.flatnonzero(cells.text[lowest:highest] == BLANK) + lowest
    first, last = np.searchsorted(blanks, start), np.searchsorted(blanks, stop)
    inside = blanks[np.searchsorted(stop, blanks, "right") < np.searchsorted(start, blanks, "right")]
    count[where] = last - first + 1
    begins, ends = parted(start, stop, inside, count[where])
    owner = np.repeat(where, count[where])
    items = TextColumn(cells.text, begins, ends - begins, cells.plain)
    values, bad = _items(name, items, owner, maker)
    if len(bad):
        keep = ~np.isin(owner, bad)
        values = values[keep]
        count[bad] = -1
    return ListColumn(count, values)


def parted(start: Ints, stop: Ints, cuts: Ints, sizes: Ints) -> tuple[Ints, Ints]:
    """Where the items of lists begin and end, given where each list does, all cuts between items, and how many items
    each list has, at least one."""
    behind = np.cumsum(sizes)
    first, last = np.zeros((2, behind[-1] if len(behind) else 0), dtype=bool)
    first[behind - sizes] = True
    last[behind - 1] = True
    begins, ends = np.empty((2, len(first)), dtype=np.int64)
    begins[first], begins[~first] = start, cuts + 1
    ends[last], ends[~last] = stop, cuts
    return begins, ends


def _items(name: str, items: TextColumn, owner: Ints, maker: ColumnMaker) -> tuple[Any, Ints]:
    """The items as they are to be, and the rows of those that cannot be."""
    null: Bools = (items.length == 1) & (items.text[items.start] == ord("-"))
    wrong: Bools
    if name == schema.DOCUMENTS:
        values: Any = items
        wrong = null | ~items.given
    elif name == schema.TEAMS:
        values = np.full(len(items), UNKNOWN_TEAM, dtype=np.int8)
        for team, code in schema.TEAM.items():
            values[(items.length == 1) & (items.text[items.start] == ord(team or "-"))] = code
        wrong = np.zeros(len(items), dtype=bool)
    else:
        values = np.full(len(items), np.nan)
        where = np.flatnonzero(~null & items.given)
        read = read_numbers(items[where])
        values[where] = read.value
        wrong = ~items.given | (null & (name == "propensities"))
        wrong[where[read.bad]] = True
    bad = np.unique(owner[wrong])
    for place in bad.tolist():
        expected = "expected items with one blank between them" + ", - for null" * (name != "propensities")
        maker.note(place, "E113", f"an item of {name} is missing or of another type", expected)
    return values, bad


SEPARATORS = ",\t;"


def names_of(source: Source) -> tuple[str, list[str]]:
    """The separator of a table, and the names of its columns.

    Raises
    ------
    InputError
        For what has no column ``event`` or ``impression``, or two columns that are called alike.
    """
    head = source.head(HEAD)
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
        if b'"' in sound:
            block, open_record = _quoted(sound, separator, names, lines)
        else:
            block = _plain(sound, separator, names, lines)
        block.strange.update(strange)
        strange = set()
        yield block
        if not short:
            problem = too_long(1)
            fault = RowFault(0, problem.code, problem.fact, problem.remedy)
            yield EventBlock(np.array([lines + sound.count(b"\n") + 1]), [], [fault])
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


def _plain(piece: bytes, separator: str, names: list[str], before: int) -> EventBlock:
    """Rows that have no quotation marks."""
    text = np.frombuffer(b"".join((bytes(PAD), piece, bytes(PAD))), dtype=np.uint8)
    part = text[PAD : len(text) - PAD]
    cuts = np.flatnonzero((part == ord(separator)) | (part == NEWLINE))
    cuts += PAD
    is_newline = text[cuts] == NEWLINE
    newlines = cuts[is_newline]
    width, count = len(names), len(newlines)
    faults: list[RowFault] = []
    kept: Ints = np.arange(count)
    if len(cuts) != width * count or not is_newline[width - 1 :: width].all():
        per_line = np.diff(np.append(-1, np.flatnonzero(is_newline)))
        line_start = np.append(PAD, newlines[:-1] + 1)
        for row in np.flatnonzero(per_line != width).tolist():
            if newlines[row] == line_start[row]:
                continue  # an empty line
            fields = bytes(text[line_start[row] : newlines[row]]).split(separator.encode())
            faults.append(_miscounted(row, fields, names))
        kept = np.flatnonzero(per_line == width)
        cuts = cuts[np.repeat(per_line == width, per_line)]
    stop = cuts.reshape(-1, width)
    start = np.empty_like(stop)
    start[:, 1:] = stop[:, :-1] + 1
    start[:, 0] = np.append(PAD, newlines[:-1] + 1)[kept]
    odd = np.count_nonzero(controls(part)) - count
    plain = odd == (np.count_nonzero(part == 9) if separator == "\t" else 0)
    cells = {name: (start[:, place], stop[:, place]) for place, name in enumerate(names) if name in schema.FIELDS}

    def texts(name: str, rows: Ints) -> TextColumn:
        begin, end = cells[name][0][rows], cells[name][1][rows]
        return TextColumn(text, begin, end - begin, plain)

    events = texts("event", np.arange(len(kept)))
    known = np.zeros(len(kept), dtype=bool)
    parts = []
    for event in schema.EVENTS:
        where = events.are(event)
        known |= where
        rows = np.flatnonzero(where)
        if len(rows):
            columns: dict[str, Column] = {}
            for name in schema.OF[event]:
                if name in cells and (cell := texts(name, rows)).length.any():
                    columns[name] = column_of(name, cell, kept[rows], faults)
            parts.append(EventRows(event, kept[rows], columns))
    for place in np.flatnonzero(~known).tolist():
        named = texts("impression", np.array([place])).at(0) if "impression" in cells else None
        faults.append(unknown_event(int(kept[place]), events.at(place), named))
    return EventBlock(np.arange(before + 1, before + count + 1), parts, faults)


def _miscounted(row: int, cells: Sequence[bytes | str], names: list[str]) -> RowFault:
    fields = "1 field" if len(cells) == 1 else f"{len(cells)} fields"
    fact = f"{fields} where the header has {len(names)}"
    return RowFault(row, "E101", fact, "write all columns, empty where need be", _named(cells, names))


def _named(cells: Sequence[bytes | str], names: list[str]) -> bytes:
    """The id of the impression in a row that is no event, as far as it has that column."""
    place = names.index("impression") if "impression" in names else len(cells)
    return legible(cells[place]) if place < len(cells) else b""


def _quoted(piece: bytes, separator: str, names: list[str], before: int) -> tuple[EventBlock, bytes]:
    """Rows with quotation marks, and what is left of the last one if it goes on in the next piece."""
    rest = b""
    text = np.frombuffer(piece, dtype=np.uint8)
    newlines = np.flatnonzero(text == NEWLINE)
    marks = np.searchsorted(np.flatnonzero(text == ord('"')), newlines)
    if marks[-1] % 2:  # the last record goes on: it began behind the last line with an even number of marks up to there
        even = newlines[marks % 2 == 0]
        cut = int(even[-1]) + 1 if len(even) else 0
        piece, rest = piece[:cut], piece[cut:]
        if len(rest) > LONGEST:
            problem = too_long(1)
            fault = RowFault(0, problem.code, problem.fact, "a quotation mark may not be closed")
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
        if not of:
            continue
        where = np.array(rows[event], dtype=np.int64)
        columns: dict[str, Column] = {}
        for name in schema.OF[event]:
            if name in names:
                cells = texts_of_bytes([encoded(record[names.index(name)]) for record in of])
                if cells.length.any():
                    columns[name] = column_of(name, cells, where, faults)
        parts.append(EventRows(event, where, columns))
    return EventBlock(np.array(lines, dtype=np.int64), parts, faults), rest
