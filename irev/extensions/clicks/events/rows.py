"""Rows of a log as columns, whatever the format they were read from, and how they are made of Python's values.

What is no value of its kind is noted as a fault of its row and left out of the column; what a value means, and whether
it can be so, is for `irev.extensions.clicks.events.checks`.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Sequence
from dataclasses import field
from datetime import UTC, datetime, timedelta
from itertools import chain
from typing import Any, NamedTuple

import numpy as np

from irev.base import segments
from irev.base.errors import Problem
from irev.base.records import dataclass
from irev.base.segments import Bools, Floats, Ints
from irev.base.text import encoded
from irev.extensions.clicks.events import schema
from irev.extensions.clicks.events.schema import MICROSECONDS
from irev.reading import ids
from irev.reading.ids import LONG, PAD, Bytes, Words, at

_SEEDS: Words = np.frombuffer(os.urandom(16), dtype=np.uint64) | np.uint64(1)
_FIRST, _SECOND, _SHIFT = np.uint64(0xFF51AFD7ED558CCD), np.uint64(0xC4CEB9FE1A85EC53), np.uint64(33)


@dataclass(frozen=True, eq=False)
class TextColumn:
    """Ids or names, one for each row.

    Attributes
    ----------
    text : uint8
        Where they stand, with `irev.reading.ids.PAD` bytes on either side.
    start, length : int (n,)
        Of each; a length of 0 where there is none.
    plain : bool
        Whether no control character stands in any of them, as far as is known.
    """

    text: Bytes
    start: Ints
    length: Ints
    plain: bool = False

    def __len__(self) -> int:
        return len(self.start)

    @property
    def given(self) -> Bools:
        """Which rows have one."""
        return self.length > 0

    def __getitem__(self, rows: Ints | Bools | slice) -> TextColumn:
        return TextColumn(self.text, self.start[rows], self.length[rows], self.plain)

    def at(self, row: int) -> bytes:
        """One of them."""
        return at(self.text, self.start[row], self.length[row])

    def keys(self) -> tuple[Words, Words]:
        """The two halves of the hash of each; both 0 where there is none."""
        return self.half(0), self.half(1)

    def half(self, which: int) -> Words:
        """One half of the hash of each; 0 where there is none, and nowhere else."""
        seed = _SEEDS[which]
        key: Words = self.length.astype(np.uint64) * seed
        shortest = int(self.length.min(initial=LONG))
        for number, word in enumerate(ids.words(self.text, self.start, self.length)):
            mixed = _mixed(key ^ word, seed)
            if shortest > 8 * number:
                key = mixed
            else:  # the hash of an id must not depend on how long the others are
                np.copyto(key, mixed, where=self.length > 8 * number)
        long = np.flatnonzero(self.length > LONG)
        if len(long):
            key[long] = ids.digests(self.text, self.start[long], self.length[long], seed.tobytes())
        key[key == 0] = 1
        key[self.length == 0] = 0
        return key

    def unusable(self) -> Ints:
        """Rows whose id has a control character, or a blank at either end, which nobody would see."""
        if not len(self) or not self.length.any():
            return np.empty(0, np.int64)
        last = self.start + self.length - 1  # of what is no id, the byte before it
        found: Bools = self.given & ((self.text[self.start] == 32) | (self.text[last] == 32))
        if not self.plain:
            lowest, highest = int(self.start.min()), int(last.max()) + 1
            odd = np.flatnonzero(controls(self.text[lowest:highest])) + lowest
            found |= np.searchsorted(odd, self.start) < np.searchsorted(odd, last + 1)
        return np.flatnonzero(found)

    def are(self, word: str) -> Bools:
        """Which of them are a certain word."""
        wanted = texts_of([word])
        n = len(self)
        return ids.equal(
            self.text, self.start, self.length, wanted.text, np.repeat(wanted.start, n), np.repeat(wanted.length, n)
        )


def controls(text: Bytes) -> Bools:
    """Which bytes are control characters."""
    found: Bools = (text < 32) | (text == 127)
    return found


def _mixed(key: Words, seed: np.uint64) -> Words:
    """Every bit of the key, spread over all bits; two keys that differ stay different."""
    key ^= key >> _SHIFT
    key *= _FIRST
    key ^= seed
    key ^= key >> _SHIFT
    key *= _SECOND
    key ^= key >> _SHIFT
    return key


def texts_of(values: Sequence[str]) -> TextColumn:
    """Strings as they stand one after the other; an empty one is none.

    Raises `UnicodeEncodeError` for halves of pairs of UTF-16, which JSON can write and UTF-8 cannot.
    """
    joined = "\n".join(values).encode()
    text = np.frombuffer(b"".join((bytes(PAD), joined, b"\n", bytes(PAD))), dtype=np.uint8)
    ends = np.flatnonzero(controls(text[PAD : len(text) - PAD])) + PAD
    if len(ends) != len(values):  # an id holds a control character
        return texts_of_bytes([value.encode() for value in values])
    start = np.empty_like(ends)
    start[:1] = PAD
    start[1:] = ends[:-1] + 1
    return TextColumn(text, start, ends - start, plain=True)


def texts_of_bytes(values: Sequence[bytes]) -> TextColumn:
    """The same of bytes, whatever stands in them."""
    length = np.array([len(value) for value in values], dtype=np.int64)
    text = np.frombuffer(b"".join((bytes(PAD), b"\n".join(values), b"\n", bytes(PAD))), dtype=np.uint8)
    stop = PAD + np.cumsum(length + 1) - 1
    return TextColumn(text, stop - length, length)


def coded(texts: TextColumn, codes: dict[bytes, int], most: int) -> Ints:
    """A number for each name: its place in `codes`, which grows up to `most`; -1 where there is none."""
    found = np.full(len(texts), -1, dtype=np.int64)
    rows = np.flatnonzero(texts.given)
    if len(rows):
        group, examples = ids.grouped(texts.text, texts.start[rows], texts.length[rows])
        names = [texts.at(int(rows[example])) for example in examples.tolist()]
        for name in names[: most - len(codes)]:
            codes.setdefault(name, len(codes))
        found[rows] = np.array([codes.get(name, most) for name in names], dtype=np.int64)[group]
    return found


def grouped(high: Words, low: Words) -> tuple[Ints, Ints]:
    """An order in which equal pairs stand together, and where there each new one begins."""
    order = np.argsort(high)
    first, second = high[order], low[order]
    new = segments.opens(first)
    if (segments.opens(second) & ~new).any():  # two ids share a half
        order = np.lexsort((low, high))
        new = segments.opens(high[order], low[order])
    return order, np.flatnonzero(new)


def numbered(high: Words, low: Words) -> tuple[Ints, int]:
    """Equal pairs numbered alike, and how many numbers there are."""
    order, begins = grouped(high, low)
    number = np.empty(len(order), dtype=np.int64)
    number[order] = np.repeat(np.arange(len(begins)), np.diff(np.append(begins, len(order))))
    return number, len(begins)


FURTHEST = 2**53
"""Microseconds, and positions, that a float holds exactly."""


class RowFault(NamedTuple):
    """What is wrong with a row of a block, as `irev.base.errors.Problem` has it; and which impression a row names
    that is in no part of the block."""

    row: int
    code: str
    fact: str
    remedy: str
    impression: bytes = b""

    @classmethod
    def of(cls, row: int, problem: Problem, impression: bytes = b"") -> RowFault:
        """The fault of a row that has a problem, whatever line that names."""
        return cls(row, problem.code, problem.fact, problem.remedy, impression)


class NumberColumn(NamedTuple):
    """A number for each row; NaN where there is none."""

    value: Floats


class TimeColumn(NamedTuple):
    """Microseconds since 1970 or whenever the log begins to count, for each row that has them, and whether they were
    written as a date."""

    value: Ints
    given: Bools
    dated: Bools


class ListColumn(NamedTuple):
    """A list for each row, one after the other.

    Attributes
    ----------
    sizes : int (n,)
        Items of each row; -1 where there is no list.
    items : TextColumn, float64 or int8 (sum of the sizes,)
        Documents; numbers, NaN for null; teams.
    """

    sizes: Ints
    items: Any


Column = TextColumn | NumberColumn | TimeColumn | ListColumn


@dataclass(frozen=True, eq=False)
class EventRows:
    """The rows of a block that are of one event.

    Attributes
    ----------
    event : str
        One of `schema.EVENTS`.
    rows : int (n,)
        Which rows of the block, rising.
    columns : dict of str to Column
        The fields that any of them has, and perhaps some that none has.
    """

    event: str
    rows: Ints
    columns: dict[str, Column]


@dataclass(frozen=True, eq=False)
class EventBlock:
    """Some rows of a file.

    Attributes
    ----------
    lines : int (n,)
        The line, or the row of a table, that each stands on.
    parts : list of EventRows
        Of the events that are known.
    faults : list of RowFault
        Of rows that cannot be read, or have an unknown event, or something that is no value of its kind.
    strange : set of str
        Names of fields that no event has.
    """

    lines: Ints
    parts: list[EventRows]
    faults: list[RowFault]
    strange: set[str] = field(default_factory=set)


def unknown_event(row: int, value: object, impression: object) -> RowFault:
    """The fault of an event that there is not. What stands there is not told: it may be a user's."""
    expected = "expected " + ", ".join(schema.EVENTS)
    if value is None or value in ("", b""):
        return RowFault(row, "E113", "the row has no event", expected, legible(impression))
    return RowFault(row, "E140", "there is no such event", expected, legible(impression))


def legible(impression: object) -> bytes:
    """The id of an impression; empty for what is none."""
    if type(impression) is bytes:
        return impression
    if type(impression) not in (str, int):
        return b""
    try:
        return encoded(str(impression))
    except (UnicodeEncodeError, ValueError):  # half of a pair of UTF-16; a number of more digits than Python writes
        return b""


@dataclass(frozen=True, eq=False)
class ColumnMaker:
    """Makes columns of Python's values, which are those of rows; None is what is not given.

    `as_texts` is `texts_of`, or what takes more strings.
    """

    rows: Sequence[int]
    faults: list[RowFault]
    as_texts: Callable[[Sequence[str]], TextColumn] = texts_of

    def column(self, name: str, values: list[Any]) -> Column:
        """The column of a field."""
        if name in schema.TEXTS:
            return self.texts(name, values)
        if name in schema.NUMBERS:
            return self.numbers(name, values)
        if name == schema.TIME:
            return self.times(values)
        return self.lists(name, values)

    def texts(self, name: str, values: list[Any]) -> TextColumn:
        kinds = set(map(type, values))
        if kinds != {str}:
            if not kinds <= {str, type(None), int}:
                values = self._where(name, values, (str, int), "expected a string")
            values = ["" if value is None else value if type(value) is str else str(value) for value in values]
        try:
            return self.as_texts(values)
        except UnicodeEncodeError:
            for place, value in enumerate(values):
                if not _is_text(value):
                    self.note(
                        place, "E110", f"the {name} is not valid text", "expected characters that UTF-8 can encode"
                    )
                    values[place] = ""
            return self.as_texts(values)

    def numbers(self, name: str, values: list[Any]) -> NumberColumn:
        kinds = set(map(type, values))
        if not kinds <= {int, float}:
            if not kinds <= {int, float, type(None)}:
                values = self._where(name, values, (int, float), "expected a number")
            values = [np.nan if value is None else value for value in values]
        return NumberColumn(_floats(values))

    def times(self, values: list[Any]) -> TimeColumn:
        kinds = set(map(type, values))
        if kinds <= {int, float}:
            return self._seconds(_floats(values), np.ones(len(values), dtype=bool))
        if not kinds <= {int, float, str, type(None)}:
            values = self._where("time", values, (int, float, str), TIMES)
        given = np.array([value is not None for value in values], dtype=bool)
        written = np.array([type(value) is str for value in values], dtype=bool)
        counted = self._seconds(
            _floats([0.0 if value is None or type(value) is str else value for value in values]), given
        )
        counted.dated[written] = True
        for place in np.flatnonzero(written).tolist():
            moment = microseconds(values[place])
            if moment is None:
                self.note(place, "E113", "the time cannot be read", TIMES)
                counted.given[place] = False
            else:
                counted.value[place] = moment
        return counted

    def _seconds(self, value: Floats, given: Bools) -> TimeColumn:
        """TimeColumn of numbers of seconds."""
        with np.errstate(over="ignore"):
            value = np.rint(value * MICROSECONDS)
        far = given & ~(np.abs(value) <= FURTHEST)
        for place in np.flatnonzero(far).tolist():
            self.note(place, "E113", "the time is too large a number of seconds", TIMES)
        given &= ~far
        return TimeColumn(np.where(given, value, 0).astype(np.int64), given, np.zeros(len(given), dtype=bool))

    def lists(self, name: str, values: list[Any]) -> ListColumn:
        if not set(map(type, values)) <= {list, type(None)}:
            values = self._where(name, values, (list,), "expected a list")
        kinds, expected = _ITEMS[name]
        present = [value for value in values if value is not None]
        items = list(chain.from_iterable(present))
        if not set(map(type, items)) <= kinds:
            for place, value in enumerate(values):
                if value is not None and not set(map(type, value)) <= kinds:
                    self.note(place, "E113", f"an item of {name} is of another type", f"expected {expected}")
                    values[place] = None
            present = [value for value in values if value is not None]
            items = list(chain.from_iterable(present))
        try:
            found = self._items(name, items)
        except UnicodeEncodeError:
            for place, value in enumerate(values):
                if value is not None and not all(map(_is_text, value)):
                    self.note(
                        place,
                        "E110",
                        "the id of a document is not valid text",
                        "expected characters that UTF-8 can encode",
                    )
                    values[place] = None
            found = self._items(name, list(chain.from_iterable(value for value in values if value is not None)))
        return ListColumn(np.array([-1 if value is None else len(value) for value in values], dtype=np.int64), found)

    def _items(self, name: str, items: list[Any]) -> Any:
        if name == schema.DOCUMENTS:
            return self.as_texts([item if type(item) is str else str(item) for item in items])
        if name == schema.TEAMS:
            return np.array([schema.TEAM.get(item, UNKNOWN_TEAM) for item in items], dtype=np.int8)
        return _floats([np.nan if item is None else item for item in items])

    def note(self, place: int, code: str, fact: str, remedy: str) -> None:
        """A fault of one of the rows."""
        self.faults.append(RowFault(int(self.rows[place]), code, fact, remedy))

    def _where(self, name: str, values: list[Any], kinds: tuple[type, ...], remedy: str) -> list[Any]:
        """The values, without those that are of none of some types, which are faults."""
        kept = []
        for place, value in enumerate(values):
            if value is not None and type(value) not in kinds:
                self.note(place, "E113", f"the {name} is {_kind(value)}", remedy)
                value = None
            kept.append(value)
        return kept


TIMES = "expected seconds, or date and time in ISO 8601, such as 2026-11-22T13:40:00Z"

_ITEMS: dict[str, tuple[set[type], str]] = {
    "documents": ({str, int}, "ids"),
    "teams": ({str, type(None)}, '"A", "B" or null'),
    "shares": ({int, float, type(None)}, "numbers or null"),
    "propensities": ({int, float}, "numbers"),
}
"""The types that the items of a list can have, and what they are called."""


def _is_text(value: object) -> bool:
    """Whether UTF-8 can write what stands for an id."""
    return not isinstance(value, str) or value.isascii() or not any("\ud800" <= sign <= "\udfff" for sign in value)


UNKNOWN_TEAM = 2


def _floats(values: Iterable[Any]) -> Floats:
    try:
        return np.array(values, dtype=np.float64)
    except OverflowError:  # a whole number beyond the largest double
        return np.array([_float(value) for value in values])


def _float(value: Any) -> float:
    try:
        return float(value)
    except OverflowError:
        return float("inf") if value > 0 else float("-inf")


def _kind(value: Any) -> str:
    words = {bool: str(value).lower(), str: "a string", list: "a list", dict: "an object", datetime: "a date"}
    return words.get(type(value), "a number" if isinstance(value, int | float) else type(value).__name__)


def microseconds(written: str) -> int | None:
    """What ISO 8601 says, in UTC unless it says otherwise; None for what is no date with a time."""
    try:
        moment = datetime.fromisoformat(written)
    except ValueError:
        return None
    if ":" not in written and "T" not in written:  # a date alone
        return None
    moment = moment if moment.tzinfo is not None else moment.replace(tzinfo=UTC)
    return (moment - datetime(1970, 1, 1, tzinfo=UTC)) // timedelta(microseconds=1)
