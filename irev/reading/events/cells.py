"""Columns of cells that are bytes: numbers and times read at once, and lists whose items have blanks between them."""

from __future__ import annotations

from typing import Any

import numpy as np

from irev.base.segments import Bools, Ints
from irev.reading import numbers
from irev.reading.events import schema
from irev.reading.events.rows import (
    UNKNOWN_TEAM,
    Column,
    ColumnMaker,
    ListColumn,
    NumberColumn,
    RowFault,
    TimeColumn,
)
from irev.reading.events.texts import TextColumn
from irev.reading.fields import BLANK


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
    maker.note(place, "E113", f"the {name} is no number", "expected a number without blanks around it")


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
        maker.note(place, "E113", f"the {name} stand in brackets", "write items with one blank between them: d1 d2 d3")
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
