"""Judgments that are pairs of documents, of which the first is preferred to the second.

Any line of three words could be one, so the format is named.

Pairs have no grades: all pairs of a query together give the grades of its documents. The documents come in levels. The
first level has those to which none is preferred, the second those to which none is preferred once the first level is
removed, and so on. The grade is the number of the level, counted from the last one, which has 1. So a document has a
higher grade than every document that it is preferred to, by one pair or by a chain of pairs. Pairs that contradict each
other give no such order, and are errors. A format that allows contradictions counts instead: the grade of a document is
the number of pairs in which it is the better one.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from functools import partial

import numpy as np

from irev.base import segments
from irev.base.errors import Faults, Problem, shown
from irev.base.records import dataclass
from irev.base.segments import AnyInts, Array, Ints
from irev.base.text import and_more
from irev.extensions.preferences.levels import cycle
from irev.reading import ids
from irev.reading.extra_columns import Further, alike
from irev.reading.fields import WORSE, Fields, JudgmentKind, Layout, column, line
from irev.reading.flat_ids import FlatIds, Halves, by_key
from irev.reading.formats import JUDGMENTS, Format
from irev.reading.formats.trec import QRELS, lines
from irev.reading.ids import Bytes
from irev.reading.judgments import Details, JudgmentColumns

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


_PAIRS = replace(QRELS, fields=("query", "document", WORSE), example="query better worse")

Format(
    name="pairs",
    description="Preferences as pairs: query, the better document and the worse one, separated by white space. "
    "The grades of documents follow from all pairs of the query; 1 is the lowest.",
    example="q1 d01 d02\n",
    lines=partial(lines, _PAIRS),
    suggested=True,
    kind=JudgmentKind("pairs", rows=WorseDocuments),
).add_to(JUDGMENTS)
Format(
    name="wins",
    description="Preferences as pairs that may repeat or contradict each other: the same lines. The grade of a "
    "document is the number of pairs in which it is the better one.",
    example="q1 d01 d02\n",
    lines=partial(lines, _PAIRS),
    kind=JudgmentKind("wins", rows=PairsWon),
).add_to(JUDGMENTS)
