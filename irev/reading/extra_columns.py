"""Judgments that are more than one grade of a document: further columns of their rows, and pairs of documents.

A format of judgments may have a `group` beside the query, the document and the grade: a subtopic, an assessor, a
stratum; a `subgroup` of it; and the `probability` with which a document was chosen to be judged. A document is then
judged in several rows, one for each group and subgroup. `irev.reading.qrels.Judgments` has one judgment of each query
and document, of the highest of its grades, so that whatever looks at grades works as ever; the rows are here.

**Pairs** of documents, the better one first, have no grades: all pairs of a query together give the grades of its
documents. The documents come in levels. The first level has those to which none is preferred, the second those to which
none is preferred once the first level is removed, and so on. The grade is the number of the level, counted from the
last one, which has 1. So a document has a higher grade than every document that it is preferred to, by one pair or by a
chain of pairs. Pairs that contradict each other give no such order, and are errors. A format that allows contradictions
counts instead: the grade of a document is the number of pairs in which it is the better one.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import TypeVar

import numpy as np

from irev.base import segments
from irev.base.errors import Faults, Problem, shown
from irev.base.records import dataclass
from irev.base.segments import AnyInts, Array, Bools, Floats, Ints
from irev.base.text import and_more
from irev.reading import ids, numbers
from irev.reading.fields import WORSE, Fields, Layout, column, line
from irev.reading.flat_ids import FlatIds, Halves, by_key
from irev.reading.ids import Bytes, Words
from irev.reading.judgments import LARGEST, Details, Groups, JudgmentColumns
from irev.reading.preferences import cycle

T = TypeVar("T")

NAMES = ("group", "subgroup")
"""The columns of text, each a part of the one before."""

PROBABILITY = "probability"

SMALLEST = 1.0 / LARGEST
"""The lowest probability: a document stands for as many as the reciprocal of its own says, which are added up."""


class Further:
    """The further columns of a file, row by row, as they are read."""

    def __init__(self, layout: Layout) -> None:
        self.layout = layout
        self._names = [name for name in NAMES if name in layout.fields]
        self._called = {name: _NamesRead() for name in self._names}
        self._probability: list[Floats] | None = [] if PROBABILITY in layout.fields else None

    def add(self, text: Bytes, fields: Fields, lines: Ints, faults: Faults) -> None:
        """Take the next part of the file, whose rows stand on these lines. Adds to `faults`."""
        for name in self._names:
            self._called[name].add(text, *fields.span(name))
        if self._probability is not None:
            self._probability.append(_probabilities(text, fields, lines, faults))

    def pick(
        self, queries: Sequence[bytes], text: Bytes, columns: JudgmentColumns, faults: Faults
    ) -> tuple[JudgmentColumns, Ints, Halves, Details]:
        """The rows of the whole file as judgments, of which none occurs twice, and their details.

        Parameters
        ----------
        queries : sequence of bytes
        text : uint8
        columns : JudgmentColumns
            Every row, in the order of the file. Of one that cannot be used the grade is NaN.
        faults : Faults
            Gets the rows that judge a document again for the same query, group and subgroup.

        Returns
        -------
        columns : JudgmentColumns
            One row for each judgment, of its highest grade.
        order, key : (j,)
            What `irev.reading.flat_ids.by_key` gives of their keys.
        details : Details
            Of the judgments in that order.
        """
        probability = None if self._probability is None else np.concatenate([*self._probability, np.empty(0)])
        usable = ~np.isnan(columns.grade)
        if probability is not None:
            usable &= ~np.isnan(probability)
        # Judgments are numbered in the order in which they are looked up.
        judgment, examples = alike(text, columns)
        order, key = by_key(columns.key[examples])
        del columns.key
        place = segments.inverse(order)
        # The smallest part that each row belongs to: of its query, of a group, of a subgroup.
        part: AnyInts = columns.query
        parts, groups = len(queries), dict[str, Groups]()
        for name in self._names:
            part, groups[name] = self._called.pop(name).numbered(text, part)
            parts = len(groups[name])
        code, rows = segments.ordered(place[judgment] * parts + part, len(key) * parts)
        judgment, number = code // max(parts, 1), code % max(parts, 1)
        again = ~segments.opens(judgment, number)
        if again.any():
            self._refuse(rows, again, queries, text, columns, part, groups, faults)
        kept = usable[rows] & ~again
        if not kept.all():
            rows, judgment, number = rows[kept], judgment[kept], number[kept]
        first = np.flatnonzero(segments.opens(judgment))
        # Any row of a judgment has its document; that of the earliest line is the one that is named.
        example = np.minimum.reduceat(rows, first) if len(first) else rows
        grade = columns.grade[rows]
        highest = np.maximum.reduceat(grade, first) if len(first) else np.empty(0)
        own = JudgmentColumns(
            columns.query[example], columns.start[example], columns.length[example], highest, np.empty(0, np.uint64)
        )
        numbers: dict[str, Ints] = {}
        for name in reversed(self._names):
            numbers[name] = number
            number = groups[name].within[number]
        details = Details(
            kind=self.layout.kind,
            start=np.append(first, len(rows)),
            grade=grade,
            place=columns.start[rows],
            documents=FlatIds(text, own.start, own.length),
            group=numbers.get("group"),
            groups=groups.get("group"),
            subgroup=numbers.get("subgroup"),
            subgroups=groups.get("subgroup"),
            probability=None if probability is None else probability[rows],
        )
        return own, np.arange(len(example)), key[judgment[first]], details

    def _refuse(
        self,
        by_row: AnyInts,
        again: Bools,
        queries: Sequence[bytes],
        text: Bytes,
        columns: JudgmentColumns,
        part: AnyInts,
        groups: dict[str, Groups],
        faults: Faults,
    ) -> None:
        """Rows that say what another one said already."""
        opens, places = np.flatnonzero(~again), np.flatnonzero(again)
        firsts = opens[np.searchsorted(opens, places) - 1]
        first = dict(zip(by_row[places].tolist(), by_row[firsts].tolist(), strict=True))
        # What a format calls its columns is what its example has in their places.
        called = dict(zip(self.layout.fields, re.split(r"[\s,;]+", self.layout.example), strict=False))

        def problem(row: int) -> Problem:
            here, there = int(columns.start[row]), int(columns.start[first[row]])
            document = shown(ids.at(text, here, columns.length[row]))
            within, number = "", int(part[row])
            for name in reversed(self._names):
                within = f", {called[name]} {shown(groups[name].called(number))}{within}"
                number = int(groups[name].within[number])
            fact = f"document {document} is judged twice for query {shown(queries[columns.query[row]])}{within}"
            remedy = "keep one of the two lines"
            return Problem(line(text, here), "E103", fact, remedy, line(text, there), column(text, here))

        faults.add(sorted(first), problem)


class _NamesRead:
    """The names in a column of a file, as they are read. Neighbours mostly share one."""

    def __init__(self) -> None:
        none = np.empty(0, dtype=np.int16)
        self._parts: list[tuple[AnyInts, AnyInts, Words, AnyInts]] = [(none, none, np.empty(0, np.uint64), none)]

    def add(self, text: Bytes, start: Ints, stop: Ints) -> None:
        """Take the names of the next rows."""
        runs = ids.changes(text, start, stop - start)
        rows = np.diff(np.append(runs, len(start)))
        start, length = start[runs], (stop - start)[runs]
        key = ids.keys(text, start, length, ids.SEED)
        narrow_start, narrow_length, narrow_rows = (segments.narrowed(each, 0) for each in (start, length, rows))
        self._parts.append((narrow_start, narrow_length, key, narrow_rows))

    def numbered(self, text: Bytes, within: AnyInts) -> tuple[Ints, Groups]:
        """The groups that the rows belong to, as numbers, given what each row's name is a part of."""
        start, length, key, rows = (np.concatenate(part) for part in zip(*self._parts, strict=True))
        of_runs, examples = ids.grouped(text, start, length, key)
        names = [ids.at(text, int(start[run]), int(length[run])) for run in examples.tolist()]
        natural = sorted(range(len(names)), key=lambda i: _natural(names[i]))
        place = segments.inverse(np.array(natural, dtype=np.int64))
        several = max(len(names), 1)
        code = within.astype(np.int64) * several + np.repeat(place[of_runs], rows)
        known, group = segments.numbered(code, (int(within.max(initial=0)) + 1) * several)
        return group, Groups(tuple(names[i] for i in natural), known % several, known // several)


def alike(text: Bytes, columns: JudgmentColumns) -> tuple[Ints, Ints]:
    """(n,) Numbers of the rows, the same for those of the same query and document, in the order in which these first
    come; and the first row of each number."""
    number, examples = ids.numbered(ids.first_alike(columns.key))
    if all(
        _same(text, columns, slice(begin, begin + _TOGETHER), examples[number[begin : begin + _TOGETHER]])
        for begin in range(0, len(number), _TOGETHER)
    ):
        return number, examples
    # Different documents share a key.
    seen: dict[tuple[int, bytes], int] = {}
    for row in range(len(number)):
        named = int(columns.query[row]), ids.at(text, int(columns.start[row]), int(columns.length[row]))
        number[row] = seen.setdefault(named, len(seen))
    return number, np.unique(number, return_index=True)[1]


_TOGETHER = 1 << 16
"""Rows that are compared together: what is made of so many stays in the cache."""


def _same(text: Bytes, columns: JudgmentColumns, rows: slice, others: Ints) -> bool:
    """Whether some rows have the queries and the documents of others."""
    start, length = columns.start[rows].astype(np.int64), columns.length[rows].astype(np.int64)
    other_start, other_length = columns.start[others].astype(np.int64), columns.length[others].astype(np.int64)
    same = columns.query[rows] == columns.query[others]
    return bool((same & ids.equal(text, start, length, text, other_start, other_length)).all())


def _natural(name: bytes) -> tuple[int, bytes, bytes]:
    """What orders names as people do: whole numbers by their value, and before other names."""
    value = name.lstrip(b"0") if name.isdigit() else b""
    return (len(value), value, name) if name.isdigit() else (1 << 62, b"", name)


def _probabilities(text: Bytes, fields: Fields, lines: Ints, faults: Faults) -> Floats:
    """The probabilities of the rows, NaN where they cannot be used. Adds to `faults`."""
    start, stop = fields.span(PROBABILITY)
    found = numbers.decimals(text, start, stop)
    if found.uncertain is not None:
        found.settle(np.flatnonzero(found.uncertain))
    value = found.value
    outside = ~((value >= SMALLEST) & (value <= 1))

    def problem(row: int) -> Problem:
        written = shown(ids.at(text, start[row], stop[row] - start[row]))
        what = "not a number" if np.isnan(value[row]) else "not above 0 and at most 1"
        if 0 < value[row] < SMALLEST:
            what = "too small, because the weight of the document would be above 2^53"
        fact, remedy = f"the probability {written} is {what}", "expected a number such as 0.25"
        return Problem(int(lines[row]), "E114", fact, remedy, column=fields.column(row, PROBABILITY))

    faults.add(np.flatnonzero(outside), problem)
    value[outside] = np.nan
    return value


# Pairs of documents


SHOWN = 10
"""Number of pairs of a cycle that a message names."""


@dataclass(frozen=True, eq=False)
class _Found:
    """Documents as numbers, and what is wrong with the pairs.

    Attributes
    ----------
    grade : int (m,)
        That of each document.
    again : dict of int to int
        Rows that say what an earlier one says, and that one.
    cycles : dict of int to tuple of int
        Rows of which each prefers a document to that of the next, and the last to that of the first; by the row among
        them that is the last in the file.
    """

    grade: Ints
    again: dict[int, int]
    cycles: dict[int, tuple[int, ...]]


class WorseDocuments(Further):
    """The worse documents of a file of pairs, row by row, as they are read."""

    def __init__(self, layout: Layout) -> None:
        super().__init__(layout)
        self._start: list[Ints] = []
        self._length: list[Ints] = []

    def add(self, text: Bytes, fields: Fields, lines: Ints, faults: Faults) -> None:
        """Take the next part of the file."""
        start, stop = fields.span(WORSE)
        self._start.append(segments.narrowed(start, 0))
        self._length.append(segments.narrowed(stop - start, 0))

    def pick(
        self, queries: Sequence[bytes], text: Bytes, columns: JudgmentColumns, faults: Faults
    ) -> tuple[JudgmentColumns, Ints, Halves, Details]:
        """As `Further.pick`, of columns that have the better documents. Adds pairs that stand twice or contradict each
        other to `faults`."""
        none = np.empty(0, dtype=np.int16)
        start, length = np.concatenate([*self._start, none]), np.concatenate([*self._length, none])
        self._start, self._length = [], []
        # The better document of each row, and then the worse one.
        both = JudgmentColumns(
            np.repeat(columns.query, 2),
            _in_turn(columns.start, start),
            _in_turn(columns.length, length),
            np.empty(0),
            _in_turn(columns.key, ids.keys(text, start, length, FlatIds.of(queries).keys[columns.query])),
        )
        del columns.key, columns.start, columns.length
        number, example = alike(text, both)
        own = JudgmentColumns(
            both.query[example], both.start[example], both.length[example], np.empty(0), both.key[example]
        )
        found = self._found(number[0::2], number[1::2], own.query)
        own.grade = found.grade.astype(np.float64)
        self._refuse_pairs(found, queries, text, both, faults)
        order, key = by_key(own.key)
        details = Details(
            kind=self.layout.kind,
            start=np.arange(len(order) + 1),
            grade=own.grade[order],
            place=own.start[order],
            documents=FlatIds(text, own.start[order], own.length[order]),
        )
        return own, order, key, details

    def _found(self, better: Ints, worse: Ints, query: AnyInts) -> _Found:
        return _in_levels(better, worse, query)

    @staticmethod
    def _refuse_pairs(
        found: _Found, queries: Sequence[bytes], text: Bytes, both: JudgmentColumns, faults: Faults
    ) -> None:
        def document(place: int) -> str:
            return shown(ids.at(text, both.start[place], both.length[place]))

        def named(row: int) -> str:
            return f"{document(2 * row)} over {document(2 * row + 1)}"

        def line_of(row: int) -> int:
            return line(text, int(both.start[2 * row]))

        def repeated(row: int) -> Problem:
            fact = f"{named(row)} is repeated for query {shown(queries[both.query[2 * row]])}"
            there, place = line_of(found.again[row]), column(text, int(both.start[2 * row]))
            remedy = "keep one of the two lines; --qrels-format wins counts both"
            return Problem(line_of(row), "E103", fact, remedy, there, place)

        def contradicting(row: int) -> Problem:
            rows, query = found.cycles[row], shown(queries[both.query[2 * row]])
            if len(rows) == 1:
                fact = f"document {document(2 * row)} of query {query} is preferred to itself"
                return Problem(line_of(row), "E118", fact, "a pair needs two different documents; leave it out")
            told = ", ".join(f"{named(each)} (line {line_of(each)})" for each in rows[:SHOWN])
            fact = f"preferences of query {query} contradict each other: {told}{and_more(len(rows), SHOWN)}"
            remedy = (
                "leave out one of them; --qrels-format wins counts them all, and prefs has separate groups "
                "for several people"
            )
            return Problem(line_of(row), "E118", fact, remedy)

        faults.add(sorted(found.again), repeated)
        faults.add(sorted(found.cycles), contradicting)


def _in_turn(better: Array, worse: Array) -> Array:
    both = np.empty((len(better), 2), dtype=better.dtype)
    both[:, 0], both[:, 1] = better, worse
    return both.ravel()


class PairsWon(WorseDocuments):
    """The same for a format whose grades are the number of pairs in which a document is the better one."""

    def _found(self, better: Ints, worse: Ints, query: AnyInts) -> _Found:
        itself = np.flatnonzero(better == worse)
        return _Found(segments.count(better, len(query)), {}, {row: (row,) for row in itself.tolist()})


def _in_levels(better: Ints, worse: Ints, query: AnyInts) -> _Found:
    """The grades of all documents, given the query of each, and pairs that stand twice or contradict each other.

    Every pair that is also there in reverse is named. Of longer cycles, one in each query is named.
    """
    size = len(query)
    code, order = segments.ordered(better * size + worse, size * size)
    opens = segments.opens(code)
    earliest = order[opens]
    repeated = np.flatnonzero(~opens)
    again = dict(
        zip(order[repeated].tolist(), earliest[np.cumsum(opens)[repeated] - 1].tolist(), strict=True),
    )
    code = code[opens]
    high, low = code // max(size, 1), code % max(size, 1)
    itself = high == low
    cycles: dict[int, tuple[int, ...]] = {row: (row,) for row in earliest[itself].tolist()}
    high, low, earliest, code = (each[~itself] for each in (high, low, earliest, code))
    level = _levels(size, high, low)
    if (level < 0).any():  # there is a cycle
        back = low * size + high
        place = np.minimum(np.searchsorted(code, back), max(len(code) - 1, 0))
        turned = (code[place] == back) & (earliest > earliest[place])
        for row, first in zip(earliest[turned].tolist(), earliest[place[turned]].tolist(), strict=True):
            cycles[row] = (first, row)
        high, low, earliest = high[~turned], low[~turned], earliest[~turned]
        level = _levels(size, high, low)
        for rows in _cycles(level, high, low, earliest, query):
            cycles[max(rows)] = rows
    level = np.maximum(level, 0)
    last = np.zeros(int(query.max(initial=-1)) + 1, dtype=np.int64)
    np.maximum.at(last, query, level)
    return _Found(last[query] - level + 1, again, cycles)


def _levels(size: int, better: Ints, worse: Ints) -> Ints:
    """The level of each document, given their pairs in the order of the better one; -1 for those in a cycle or below
    one.

    A document has its level when all that are preferred to it have one, the last of which has the greatest.
    """
    below, begins = worse.tolist(), np.searchsorted(better, np.arange(size + 1)).tolist()
    above = segments.count(worse, size).tolist()
    level = [-1] * size
    settled = [document for document in range(size) if not above[document]]
    for document in settled:
        level[document] = 0
    for document in settled:  # which grows meanwhile, level by level
        next_level = level[document] + 1
        for low in below[begins[document] : begins[document + 1]]:
            above[low] -= 1
            if not above[low]:
                level[low] = next_level
                settled.append(low)
    return np.array(level, dtype=np.int64)


def _cycles(level: Ints, better: Ints, worse: Ints, rows: Ints, query: AnyInts) -> Iterator[tuple[int, ...]]:
    """The rows of one cycle in each query that has one."""
    inside = np.flatnonzero((level[better] < 0) & (level[worse] < 0))
    inside = inside[np.argsort(rows[inside])]  # so that of several circles the same one is named everywhere
    row_of: dict[int, dict[tuple[int, int], int]] = {}
    for place, high, low, row in zip(
        *(each[inside].tolist() for each in (query[better], better, worse, rows)), strict=True
    ):
        row_of.setdefault(place, {})[high, low] = row
    for of_query in row_of.values():
        above, below = zip(*of_query, strict=True)
        circle = cycle(below, above, {*below})[::-1]
        of_steps = [of_query[step] for step in zip(circle, (*circle[1:], circle[0]), strict=True)]
        first = of_steps.index(min(of_steps))
        yield (*of_steps[first:], *of_steps[:first])
