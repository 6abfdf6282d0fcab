"""Judgments that are more than one grade of a document: further columns of their rows.

A format of judgments may have a `group` beside the query, the document and the grade: a subtopic, an assessor, a
stratum; a `subgroup` of it; and the `probability` with which a document was chosen to be judged. A document is then
judged in several rows, one for each group and subgroup. `irev.reading.qrels.Judgments` has one judgment of each query
and document, of the highest of its grades, so that whatever looks at grades works as ever; the rows are here.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import TypeVar

import numpy as np

from irev.base import segments
from irev.base.errors import Faults, Problem, shown
from irev.base.segments import AnyInts, Bools, Floats, Ints
from irev.reading import ids, numbers
from irev.reading.fields import Fields, Layout, column, line
from irev.reading.flat_ids import FlatIds, Halves, by_key
from irev.reading.ids import Bytes, Words
from irev.reading.judgments import LARGEST, Details, Groups, JudgmentColumns

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
