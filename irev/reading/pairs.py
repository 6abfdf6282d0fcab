"""Pairs of documents, the better one first: a grade of each document that follows from all pairs of its query.

The documents of a query come in levels: the first has those to which none is preferred, the second those to which none
is preferred when the first is taken away, and so on. The grade is the number of the level, counted from the last one,
which has 1. So a document has a higher grade than each that it is preferred to, by one pair or by several that follow
on each other. Pairs that contradict each other make no such order, and are named.

Or, where they may contradict each other, the grade of a document is how many pairs it is the better one of.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from irev.base import segments
from irev.base.errors import Faults, Problem, shown
from irev.base.records import dataclass
from irev.base.segments import AnyInts, Ints
from irev.base.text import and_more
from irev.reading import ids
from irev.reading.extra_columns import Further, alike
from irev.reading.fields import WORSE, Fields, Layout, column, line
from irev.reading.flat_ids import FlatIds, Halves, by_key
from irev.reading.ids import Bytes
from irev.reading.judgments import Details, JudgmentColumns

if TYPE_CHECKING:
    import numpy.typing as npt


SHOWN = 10
"""So many pairs of a cycle are named."""


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


def _in_turn(better: npt.NDArray[Any], worse: npt.NDArray[Any]) -> npt.NDArray[Any]:
    both = np.empty((len(better), 2), dtype=better.dtype)
    both[:, 0], both[:, 1] = better, worse
    return both.ravel()


class PairsWon(WorseDocuments):
    """The same, where it counts how often a document is the better one."""

    def _found(self, better: Ints, worse: Ints, query: AnyInts) -> _Found:
        itself = np.flatnonzero(better == worse)
        return _Found(segments.count(better, len(query)), {}, {row: (row,) for row in itself.tolist()})


def _in_levels(better: Ints, worse: Ints, query: AnyInts) -> _Found:
    """The grades of all documents, given the query of each, and pairs that stand twice or contradict each other.

    Every pair is named that stands both ways round. Of what goes in a circle otherwise one shortest circle is named,
    for all that hangs together in it.
    """
    size = len(query)
    code, order = segments.ordered(better * size + worse, size * size)
    opens = np.ones(len(order), dtype=bool)
    opens[1:] = code[1:] != code[:-1]
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
    if (level < 0).any():  # something goes in a circle
        back = low * size + high
        place = np.minimum(np.searchsorted(code, back), max(len(code) - 1, 0))
        turned = (code[place] == back) & (earliest > earliest[place])
        for row, first in zip(earliest[turned].tolist(), earliest[place[turned]].tolist(), strict=True):
            cycles[row] = (first, row)
        high, low, earliest = high[~turned], low[~turned], earliest[~turned]
        level = _levels(size, high, low)
        for rows in _cycles(level, high, low, earliest):
            cycles[max(rows)] = rows
    level = np.maximum(level, 0)
    last = np.zeros(int(query.max(initial=-1)) + 1, dtype=np.int64)
    np.maximum.at(last, query, level)
    return _Found(last[query] - level + 1, again, cycles)


def _levels(size: int, better: Ints, worse: Ints) -> Ints:
    """The level of each of so many documents, given their pairs by the better one; -1 for those in a circle and below.

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


def _cycles(level: Ints, better: Ints, worse: Ints, rows: Ints) -> Iterator[tuple[int, ...]]:
    """Rows of one shortest circle in each set of documents that are all above and below each other."""
    inside = (level[better] < 0) & (level[worse] < 0)
    if not inside.any():
        return
    better, worse, rows = better[inside], worse[inside], rows[inside]
    order = np.argsort(rows)  # so that of several circles the same one is named everywhere
    pairs = zip(better[order].tolist(), worse[order].tolist(), strict=True)
    row_of = dict(zip(pairs, rows[order].tolist(), strict=True))
    for circle in shortest_cycles(list(row_of)):
        of_steps = [row_of[step] for step in zip(circle, (*circle[1:], circle[0]), strict=True)]
        first = of_steps.index(min(of_steps))
        yield (*of_steps[first:], *of_steps[:first])


Step = tuple[int, int]
Neighbours = Mapping[int, Sequence[int]]


def shortest_cycles(steps: Sequence[Step]) -> Iterator[list[int]]:
    """One shortest circle of each set of things that can all be reached from each other.

    Things are tried as its beginning one after the other, and left out when they were, with all that are in no circle
    then.

    Parameters
    ----------
    steps : sequence of (int, int)
        None occurs twice or both ways round, or leads from a thing to itself, so that a circle has three things or
        more. Of several circles the order decides which one is found.

    Yields
    ------
    list of int
        From each there is a step to the next, and from the last to the first.
    """
    part = _parts(*_neighbours(steps))
    within: dict[int, list[Step]] = {}
    for one, other in steps:
        if part[one] == part[other]:
            within.setdefault(part[one], []).append((one, other))
    for of_part in within.values():
        yield _Circles(*_neighbours(of_part)).shortest()


def _neighbours(steps: Sequence[Step]) -> tuple[dict[int, list[int]], dict[int, list[int]]]:
    """What follows each thing, and what comes before it, in the order of the steps."""
    after: dict[int, list[int]] = {}
    before: dict[int, list[int]] = {}
    for one, other in steps:
        after.setdefault(one, []).append(other)
        before.setdefault(other, []).append(one)
    return after, before


def _parts(after: Neighbours, before: Neighbours) -> dict[int, int]:
    """A number for each thing, which those share that can be reached from each other (Kosaraju's algorithm)."""
    left: list[int] = []
    seen = set[int]()
    for root in after:
        if root in seen:
            continue
        seen.add(root)
        path = [(root, iter(after[root]))]
        while path:
            here, following = path[-1]
            found = next((other for other in following if other not in seen), None)
            if found is None:
                path.pop()
                left.append(here)
            else:
                seen.add(found)
                path.append((found, iter(after.get(found, ()))))
    part: dict[int, int] = {}
    for root in reversed(left):
        if root in part:
            continue
        part[root] = root
        waiting = [root]
        while waiting:
            for one in before.get(waiting.pop(), ()):
                if one not in part:
                    part[one] = root
                    waiting.append(one)
    return part


class _Circles:
    """Looks for circles among things that can all be reached from each other."""

    def __init__(self, after: Neighbours, before: Neighbours) -> None:
        self._after, self._before = after, before
        self._onwards = {one: len(others) for one, others in after.items()}
        self._back = {one: len(others) for one, others in before.items()}

    def shortest(self) -> list[int]:
        """One of the shortest."""
        best: list[int] = []
        for start in self._after:
            if start in self._onwards:
                best = self._through(start, len(best)) or best
                if len(best) == 3:  # as few as there can be
                    break
                self._leave_out(start)
        return best

    def _through(self, start: int, fewer_than: int) -> list[int]:
        """The shortest circle through a thing, if it has fewer things than so many, 0 for any number; else none."""
        came_from: dict[int, int] = {}
        here, length = [start], 1
        while here and length != fewer_than:
            following = []
            for one in here:
                for other in self._after[one]:
                    if other == start:
                        circle = [one]
                        while circle[-1] != start:
                            circle.append(came_from[circle[-1]])
                        return circle[::-1]
                    if other in self._onwards and other not in came_from:
                        came_from[other] = one
                        following.append(other)
            here, length = following, length + 1
        return []

    def _leave_out(self, one: int) -> None:
        """Without a thing, and without all that are in no circle then."""
        leaving = [one]
        while leaving:
            gone = leaving.pop()
            if self._onwards.pop(gone, None) is None:
                continue
            for counts, others in ((self._back, self._after[gone]), (self._onwards, self._before[gone])):
                for other in others:
                    if other in self._onwards:
                        counts[other] -= 1
                        if not counts[other]:
                            leaving.append(other)
