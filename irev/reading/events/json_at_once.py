"""Lines of JSON taken apart all at once, without making an object of any: as programs write them, one like the other.

Quotation marks come in pairs where no backslash is; a pair with a colon behind it is a key, and what stands between a
key and the next one is its value. Everything between must be as it is in JSON: whatever else is found in a line leaves
that line to `irev.reading.events.json_lines`, which reads it with a parser and says what is wrong with it. So what is
taken here is what a parser would have taken.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from irev.base.segments import Bools, Floats, Ints
from irev.reading import ids
from irev.reading.events import schema
from irev.reading.events.cells import parted, read_numbers
from irev.reading.events.rows import (
    UNKNOWN_TEAM,
    Column,
    ColumnMaker,
    EventBlock,
    EventRows,
    ListColumn,
    NumberColumn,
    TimeColumn,
)
from irev.reading.events.texts import TextColumn, controls, texts_of
from irev.reading.fields import BLANK, NEWLINE
from irev.reading.ids import PAD, Bytes, Words
from irev.reading.limits import LONGEST

_QUOTE, _COLON, _COMMA, _OPEN, _CLOSE, _BEGIN, _END, _BACKSLASH = b'":,[]{}\\'
_POINT, _ZERO, _NINE, _MINUS = b".09-"

_NAMES = ("event", *(name for name in sorted(schema.FIELDS) if name != "event"))
_EVENT, _STRANGE = 0, len(_NAMES)
_KNOWN = texts_of(_NAMES)

_STRING, _NUMBER, _ARRAY, _NULL = 1, 2, 4, 8
"""Kinds of values, as bits."""


def _allowed(name: str) -> int:
    if name in schema.LISTS:
        return _ARRAY | _NULL
    if name in schema.NUMBERS:
        return _NUMBER | _NULL
    return _STRING | _NUMBER | _NULL if name == schema.TIME else _STRING | _NULL


_ALLOWED = np.array([*map(_allowed, _NAMES), _STRING | _NUMBER | _NULL], dtype=np.int64)
_CODE = {name: code for code, name in enumerate(_NAMES)}


class _Members(NamedTuple):
    """Of each key: its field, its line, where its value begins and ends and of which kind that is, and the pair of
    quotation marks that it is."""

    field: Ints
    line: Ints
    start: Ints
    stop: Ints
    kind: Ints
    pair: Ints

    def at(self, rows: Ints) -> _Members:
        return _Members(*(column[rows] for column in self))


class _Text(NamedTuple):
    """Some lines, with their pairs of quotation marks."""

    text: Bytes
    newlines: Ints
    opening: Ints
    closing: Ints

    def flagged(self, places: Ints) -> Bools:
        """The lines that have any of some places."""
        found = np.zeros(len(self.newlines), dtype=bool)
        found[np.searchsorted(self.newlines, places)] = True
        return found


def pick(piece: bytes, before: int) -> tuple[EventBlock | None, Ints]:
    """The rows of whole lines, which follow `before` others, and the lines that have to be read otherwise.

    Either there are no such lines, or there is no block.
    """
    text = np.frombuffer(b"".join((bytes(PAD), piece, bytes(PAD))), dtype=np.uint8)
    part = text[PAD : len(text) - PAD]
    newlines = np.flatnonzero(part == NEWLINE) + PAD
    none = np.empty(0, dtype=np.int64)
    lines = _Text(text, newlines, none, none)
    odd: Bools = np.diff(newlines, prepend=PAD - 1) > LONGEST + 1
    if b"\\" in piece:
        odd |= lines.flagged(np.flatnonzero(part == _BACKSLASH) + PAD)
    if np.count_nonzero(controls(part)) != len(newlines):
        odd |= lines.flagged(np.flatnonzero(controls(part) & (part != NEWLINE)) + PAD)
    try:
        piece.decode()
    except UnicodeDecodeError:
        odd |= lines.flagged(np.flatnonzero(part >= 0x80) + PAD)
    quotes = np.flatnonzero(part == _QUOTE) + PAD
    count = np.diff(np.searchsorted(quotes, newlines), prepend=0)
    odd |= (count % 2 == 1) | (count == 0)
    if odd.any():
        return None, np.flatnonzero(odd)
    lines = lines._replace(opening=quotes[0::2], closing=quotes[1::2])
    values, odd = _values(lines)
    if odd.any():
        return None, np.flatnonzero(odd)
    return _block(lines, values, before)


def _values(lines: _Text) -> tuple[_Members, Bools]:
    """What stands behind each key, and the lines in which something stands that must not."""
    text, newlines, opening, closing = lines
    odd = np.zeros(len(newlines), dtype=bool)
    pair = np.flatnonzero(text[closing + 1] == _COLON)
    begins, behind = opening[pair], closing[pair] + 2
    line = np.searchsorted(newlines, begins)
    first = np.append(True, line[1:] != line[:-1])[: len(line)]
    last = np.append(first[1:], True)[: len(line)]
    # A line is ``{"key": …, "key": …}``.
    line_start = np.append(PAD, newlines[:-1] + 1)
    odd |= (text[line_start] != _BEGIN) | (np.bincount(line, minlength=len(newlines)) == 0)
    odd[line[first & (begins != line_start[line] + 1)]] = True
    start = behind + (text[behind] == BLANK)
    following = np.append(begins[1:], 0)[: len(begins)]
    stop = np.where(last, newlines[line] - 1, following - 1 - (text[following - 1] == BLANK))
    odd[line[text[stop] != np.where(last, _END, _COMMA)]] = True
    odd[line[stop <= start]] = True
    if odd.any():
        return _Members(line, line, start, stop, line, pair), odd
    # Between a key and the next are as many pairs of quotation marks as the value has.
    pairs = np.diff(np.append(pair, len(opening))) - 1
    initial = text[start]
    kind = np.zeros(len(start), dtype=np.int64)
    second = np.minimum(pair + 1, len(opening) - 1)
    string = (pairs == 1) & (opening[second] == start) & (closing[second] == stop - 1)
    kind[string] = _STRING
    kind[(initial == _OPEN) & (text[stop - 1] == _CLOSE)] = _ARRAY
    bare = pairs == 0
    null = np.flatnonzero(bare & (initial == ord("n")))
    kind[null[TextColumn(text, start[null], stop[null] - start[null]).are("null")]] = _NULL
    kind[bare & ((initial == _MINUS) | ((initial >= _ZERO) & (initial <= _NINE)))] = _NUMBER
    field, known = _fields(text, begins + 1, closing[pair])
    odd[line[kind & _ALLOWED[field] == 0]] = True
    strange = np.flatnonzero(~known)
    if len(strange):  # two of them may be one
        odd[line[strange[1:][line[strange[1:]] == line[strange[:-1]]]]] = True
    return _Members(field, line, start, stop, kind, pair), odd


def _fields(text: Bytes, start: Ints, stop: Ints) -> tuple[Ints, Bools]:
    """The field of each key, and whether it is one."""
    found = np.full(len(start), _STRANGE, dtype=np.int64)
    length = stop - start
    loads = ids.words_at_any_offset(text)
    head = loads[start] & ids.FIRST_BYTES[np.minimum(length, 8)]
    place = np.minimum(np.searchsorted(_SORTED, _key(head, length)), len(_SORTED) - 1)
    near = _ORDER[place]
    same = (head == _HEADS[near]) & (length == _KNOWN.length[near])
    long = np.flatnonzero(same & (length > 8))
    same[long] = (loads[start[long] + 8] & ids.FIRST_BYTES[length[long] - 8]) == _TAILS[near[long]]
    found[same] = near[same]
    return found, same


def _key(head: Words, length: Ints) -> Words:
    """A number for each name by which it is looked up; that of no other field."""
    return head * np.uint64(0x9E3779B97F4A7C15) + length.astype(np.uint64)


_LOADS = ids.words_at_any_offset(_KNOWN.text)
_HEADS: Words = _LOADS[_KNOWN.start] & ids.FIRST_BYTES[np.minimum(_KNOWN.length, 8)]
_TAILS: Words = _LOADS[_KNOWN.start + 8] & ids.FIRST_BYTES[np.clip(_KNOWN.length - 8, 0, 8)]
_ORDER = np.argsort(_key(_HEADS, _KNOWN.length))
_SORTED = _key(_HEADS, _KNOWN.length)[_ORDER]


def _block(lines: _Text, values: _Members, before: int) -> tuple[EventBlock | None, Ints]:
    text, count = lines.text, len(lines.newlines)
    odd = np.zeros(count, dtype=bool)
    number = np.flatnonzero(values.kind == _NUMBER)
    amounts, wrong = _numbers(text, values.start[number], values.stop[number])
    odd[values.line[number[wrong]]] = True
    amount = np.full(len(values.line), np.nan)
    amount[number] = amounts
    # Where each line has each field.
    at = np.full((count, len(_NAMES)), -1, dtype=np.int64)
    known = np.flatnonzero(values.field != _STRANGE)
    at[values.line[known], values.field[known]] = known
    twice = np.bincount(values.line[known], minlength=count) != np.count_nonzero(at >= 0, axis=1)
    event = np.where(odd | twice | (at[:, _EVENT] < 0), -1, at[:, _EVENT])
    odd |= (event < 0) | (values.kind[event] != _STRING)
    if odd.any():
        return None, np.flatnonzero(odd)
    words = TextColumn(text, values.start[event] + 1, values.stop[event] - values.start[event] - 2, plain=True)
    odd[:] = True
    parts = []
    for name in schema.EVENTS:
        rows = np.flatnonzero(words.are(name))
        odd[rows] = False
        if not len(rows):
            continue
        maker = ColumnMaker(rows, [])
        columns: dict[str, Column] = {}
        for field in schema.OF[name]:
            place = at[rows, _CODE[field]]
            has = (place >= 0) & (values.kind[place] != _NULL)
            if has.any():
                column, bad = _column(field, lines, values.at(place), amount[place], has, maker)
                columns[field] = column
                odd[rows[bad]] = True
        parts.append(EventRows(name, rows, columns))
        odd[[fault.row for fault in maker.faults]] = True
    if odd.any():
        return None, np.flatnonzero(odd)
    strange = values.at(np.flatnonzero(values.field == _STRANGE))
    names = set()
    if len(strange.line):
        begins = lines.opening[strange.pair] + 1
        keys = TextColumn(text, begins, lines.closing[strange.pair] - begins, plain=True)
        _, examples = ids.grouped(text, keys.start, keys.length)
        names = {keys.at(row).decode() for row in examples.tolist()}
    return EventBlock(np.arange(before + 1, before + count + 1), parts, [], names), np.empty(0, np.int64)


def _numbers(text: Bytes, start: Ints, stop: Ints) -> tuple[Floats, Ints]:
    """Numbers, and those among them that are none in JSON: words, or digits that JSON does not let stand so."""
    if not len(start):
        return np.empty(0), np.empty(0, dtype=np.int64)
    read = read_numbers(TextColumn(text, start, stop - start))
    digits = start + (text[start] == _MINUS)
    leading = (text[digits] == _ZERO) & (stop - digits > 1)
    after = text[np.minimum(digits + 1, stop - 1)]
    leading &= (after >= _ZERO) & (after <= _NINE)
    wrong = leading | (text[digits] < _ZERO) | (text[digits] > _NINE) | ~np.isfinite(read.value)
    wrong |= text[stop - 1] == _POINT
    wrong[read.bad] = True
    exponents = np.flatnonzero(~wrong & (read.mantissa == 0) & (stop - start > 1))  # read by another reader, or zero
    for row in exponents.tolist():
        wrong[row] |= not _is_number(ids.at(text, start[row], stop[row] - start[row]))
    return read.value, np.flatnonzero(wrong)


def _is_number(written: bytes) -> bool:
    import re

    return re.fullmatch(rb"-?(0|[1-9][0-9]*)(\.[0-9]+)?([eE][+-]?[0-9]+)?", written) is not None


def _column(
    field: str, lines: _Text, values: _Members, amount: Floats, has: Bools, maker: ColumnMaker
) -> tuple[Column, Bools]:
    """The column of a field in some rows, of which some have it, and the rows that must be read otherwise."""
    fine = np.zeros(len(has), dtype=bool)
    if field in schema.NUMBERS:
        return NumberColumn(np.where(has, amount, np.nan)), fine
    if field in schema.TEXTS:
        start = np.where(has, values.start + 1, PAD)
        return TextColumn(lines.text, start, np.where(has, values.stop - 1 - start, 0), plain=True), fine
    if field == schema.TIME:
        return _times(lines, values, amount, has, maker), fine
    return _lists(field, lines, values, has)


def _times(lines: _Text, values: _Members, amount: Floats, has: Bools, maker: ColumnMaker) -> TimeColumn:
    string = np.flatnonzero(has & (values.kind == _STRING))
    times = maker.seconds(np.where(values.kind == _NUMBER, amount, 0.0), has.copy())
    if len(string):
        start, stop = values.start[string] + 1, values.stop[string] - 1
        words = TextColumn(lines.text, start, stop - start, plain=True)
        written = [words.at(place).decode() for place in range(len(string))]
        moments = ColumnMaker(np.asarray(maker.rows)[string], maker.faults).times(written)
        for whole, part in zip(times, moments, strict=True):
            whole[string] = part
    return times


def _lists(field: str, lines: _Text, values: _Members, has: Bools) -> tuple[ListColumn, Bools]:
    """Arrays: strings, or numbers and null, with a comma between them and perhaps a blank behind it."""
    rows = np.flatnonzero(has)
    sizes = np.full(len(has), -1, dtype=np.int64)
    bad = np.zeros(len(has), dtype=bool)
    start, stop = values.start[rows] + 1, values.stop[rows] - 1
    text = lines.text
    if field == schema.DOCUMENTS:
        first = values.pair[rows] + 1
        sizes[rows] = np.searchsorted(lines.opening, stop) - first
        items = _ranges(first, sizes[rows])
        begins, ends = lines.opening[items], lines.closing[items] + 1
    else:
        commas = np.flatnonzero(text[PAD : len(text) - PAD] == _COMMA) + PAD
        low, high = np.searchsorted(commas, start), np.searchsorted(commas, stop)
        inside = commas[_ranges(low, high - low)]
        sizes[rows] = np.where(stop > start, high - low + 1, 0)
        filled = stop > start
        begins, ends = parted(start[filled], stop[filled], inside, sizes[rows[filled]])
        begins += (text[begins] == BLANK) & (text[begins - 1] == _COMMA)
    owner = np.repeat(rows, sizes[rows])
    # The first item begins where the array does, every other one behind a comma; the last ends where the array does.
    opens = np.append(True, owner[1:] != owner[:-1])[: len(owner)]
    closes = np.append(opens[1:], True)[: len(owner)]
    place = np.searchsorted(rows, owner)
    gap = np.where(opens, 0, begins - np.append(0, ends[:-1])[: len(ends)])
    apart = (gap == 1) | ((gap == 2) & (text[begins - 1] == BLANK))
    wrong = np.where(opens, begins != start[place], ~apart | (text[begins - gap] != _COMMA))
    wrong |= closes & (ends != stop[place])
    wrong |= ends <= begins
    bad[owner[wrong]] = True
    empty = rows[sizes[rows] == 0]
    bad[empty[values.stop[empty] - values.start[empty] != 2]] = True
    cells = TextColumn(text, begins, ends - begins, plain=True)
    if field == schema.DOCUMENTS:
        return ListColumn(sizes, TextColumn(text, begins + 1, ends - begins - 2, plain=True)), bad
    if wrong.any():  # what stands there is none of what is looked for
        return ListColumn(sizes, np.empty(0)), bad
    null = cells.are("null")
    if field == schema.TEAMS:
        team = np.full(len(cells), UNKNOWN_TEAM, dtype=np.int8)
        team[null] = schema.NOBODY
        for name, code in (("A", schema.A), ("B", schema.B)):
            team[cells.are(f'"{name}"')] = code
        bad[owner[team == UNKNOWN_TEAM]] = True
        return ListColumn(sizes, team), bad
    value = np.full(len(cells), np.nan)
    where = np.flatnonzero(~null)
    value[where], odd = _numbers(text, begins[where], ends[where])
    bad[owner[where[odd]]] = True
    if field == "propensities":
        bad[owner[null]] = True
    return ListColumn(sizes, value), bad


def _ranges(first: Ints, sizes: Ints) -> Ints:
    """The numbers from each of the first on, so many of each."""
    ends = np.cumsum(sizes)
    return np.arange(ends[-1] if len(ends) else 0) + np.repeat(first - ends + sizes, sizes)
