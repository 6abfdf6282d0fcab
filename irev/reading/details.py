"""Judgments that are more than one grade of a document: what further columns of their rows say.

A format of judgments may have a `group` beside the query, the document and the grade: a subtopic, an assessor, a
stratum; a `subgroup` of it; and the `probability` with which a document was chosen to be judged. A document is then
judged in several rows, one for each group and subgroup. `irev.reading.qrels.Judgments` has one judgment of each query
and document, of the highest of its grades, so that whatever looks at grades works as ever; the rows are here.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property
from typing import TypeVar

import numpy as np

from irev.base import segments
from irev.base.records import Keeping, dataclass
from irev.base.segments import AnyInts, Bools, Floats, Ints
from irev.errors import Faults, Problem, shown
from irev.reading import ids, numbers
from irev.reading.fields import Fields, Layout, column, line
from irev.reading.flat_ids import FlatIds
from irev.reading.ids import Bytes, Words
from irev.reading.lookup import Halves, by_key
from irev.reading.qrels import JudgmentColumns

T = TypeVar("T")

NAMES = ("group", "subgroup")
"""The columns of text, each a part of the one before."""

PROBABILITY = "probability"


@dataclass(frozen=True, eq=False)
class Groups:
    """The groups of all queries, by query and then by name: whole numbers by their value, before other names.

    Attributes
    ----------
    names : tuple of bytes, length g
    within : int (g,)
        The query that each belongs to, an index into `Judgments.queries`; of a subgroup the group.
    """

    names: tuple[bytes, ...]
    within: Ints


@dataclass(frozen=True, eq=False)
class Details(Keeping):
    """The rows of judgments, `d` of them, those of the same judgment together, by group and subgroup.

    Attributes
    ----------
    kind : str
        What they are: ``subtopics``, or whatever a format calls its own.
    start : int (j + 1,)
        Where the rows of each judgment begin, and where those of the last one end.
    grade : float (d,)
        The grade of each row.
    place : int (d,)
        Where its document id stands in the file, for messages.
    documents : FlatIds, length j
        The document of each judgment.
    group, subgroup : int (d,) or None
        Indices into `groups` and `subgroups`; None where the format has no such column.
    groups, subgroups : Groups or None
    probability : float (d,) or None
        Above 0, and at most 1.
    assigned : bool
        As the format says: whether the scores of a run are what it has of each of these.
    graded, ties
        As the format says.
    """

    kind: str
    start: Ints
    grade: Floats
    place: AnyInts
    documents: FlatIds
    group: Ints | None = None
    groups: Groups | None = None
    subgroup: Ints | None = None
    subgroups: Groups | None = None
    probability: Floats | None = None
    assigned: bool = False
    graded: bool = True
    ties: str = ""

    @cached_property
    def by_document(self) -> AnyInts:
        """(j,) The document of each judgment as a number: equal for equal ids, and rising as their bytes do."""
        return self.documents.numbered()[1]

    @cached_property
    def judgment(self) -> Ints:
        """(d,) The judgment that each row is of."""
        return np.repeat(np.arange(len(self.start) - 1), np.diff(self.start))

    @property
    def grouped(self) -> tuple[Ints, Groups]:
        """`group` and `groups`, of a format that has them."""
        if self.group is None or self.groups is None:
            raise ValueError(f"judgments of {self.kind} have no groups")
        return self.group, self.groups

    def rows(self, judgment: AnyInts) -> tuple[Ints, Ints]:
        """The rows of some judgments: for each row the place in `judgment` that it belongs to, rising, and its index
        here."""
        first = self.start[judgment]
        counts = self.start[judgment + 1] - first
        owner = np.repeat(np.arange(len(counts)), counts)
        return owner, first[owner] + np.arange(len(owner)) - segments.starts(counts)[owner]


class Further:
    """The further columns of a file, row by row, as they are read."""

    def __init__(self, layout: Layout) -> None:
        self.layout = layout
        self._names = [name for name in NAMES if name in layout.fields]
        self._spans: dict[str, list[tuple[Ints, Ints]]] = {name: [] for name in self._names}
        self._probability: list[Floats] | None = [] if PROBABILITY in layout.fields else None

    def add(self, text: Bytes, fields: Fields, lines: Ints, faults: Faults) -> None:
        """Take the next part of the file, whose rows stand on these lines. Adds to `faults`."""
        for name in self._names:
            start, stop = fields.span(name)
            self._spans[name].append((start.copy(), stop - start))
        if self._probability is not None:
            self._probability.append(_probabilities(text, fields, lines, faults))

    def taken(
        self, queries: Sequence[bytes], text: Bytes, columns: JudgmentColumns, faults: Faults
    ) -> tuple[JudgmentColumns, Ints, Halves, Details]:
        """The rows of the whole file as judgments, of which none stands twice, and their details.

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
            What `irev.reading.lookup.by_key` gives of their keys.
        details : Details
            Of the judgments in that order.
        """
        query = columns.query.astype(np.int64)
        probability = None if self._probability is None else np.concatenate([*self._probability, np.empty(0)])
        usable = ~np.isnan(columns.grade)
        if probability is not None:
            usable &= ~np.isnan(probability)
        judgment = alike(text, columns, query)
        owner, numbered = query, []
        for name in self._names:
            owner, groups = _numbered(text, self._spans[name], owner)
            numbered.append((owner, groups))
        by_row = _in_order(judgment, numbered)
        again = np.ones(max(len(by_row) - 1, 0), dtype=bool)
        for number in (judgment, *(number for number, _ in numbered)):
            again &= number[by_row[1:]] == number[by_row[:-1]]
        self._refuse(by_row, again, queries, text, columns, faults)
        usable[by_row[1:][again]] = False

        rows = by_row[usable[by_row]]
        opens = np.ones(len(rows), dtype=bool)
        opens[1:] = judgment[rows[1:]] != judgment[rows[:-1]]
        first = np.flatnonzero(opens)
        of_judgment = np.cumsum(opens) - 1
        # Any row of a judgment has its document; that of the earliest line is the one that is named.
        example = np.minimum.reduceat(rows, first) if len(first) else rows
        highest = np.maximum.reduceat(columns.grade[rows], first) if len(first) else np.empty(0)
        own = JudgmentColumns(
            columns.query[example], columns.start[example], columns.length[example], highest, columns.key[example]
        )
        order, key = by_key(own.key)
        place = np.empty(len(order), dtype=np.int64)
        place[order] = np.arange(len(order))
        rows = rows[segments.stable_order(place[of_judgment])]
        counts = segments.count(of_judgment, len(first))[order]
        numbers_of = {name: number[rows] for name, (number, _) in zip(self._names, numbered, strict=True)}
        groups_of = {name: groups for name, (_, groups) in zip(self._names, numbered, strict=True)}
        return (
            own,
            order,
            key,
            Details(
                kind=self.layout.kind,
                start=np.append(segments.starts(counts), counts.sum()),
                grade=columns.grade[rows],
                place=columns.start[rows],
                documents=FlatIds(text, own.start[order], own.length[order]),
                group=numbers_of.get("group"),
                groups=groups_of.get("group"),
                subgroup=numbers_of.get("subgroup"),
                subgroups=groups_of.get("subgroup"),
                probability=None if probability is None else probability[rows],
                assigned=self.layout.assigned,
                graded=self.layout.graded,
                ties=self.layout.ties,
            ),
        )

    def _refuse(
        self,
        by_row: Ints,
        again: Bools,
        queries: Sequence[bytes],
        text: Bytes,
        columns: JudgmentColumns,
        faults: Faults,
    ) -> None:
        """Rows that say what another one said already."""
        opens = np.append(True, ~again)[: len(by_row)]
        first = np.empty(len(by_row), dtype=np.int64)
        first[by_row] = by_row[np.flatnonzero(opens)][np.cumsum(opens) - 1]
        # What a format calls its columns is what its example has in their places.
        called = dict(zip(self.layout.fields, self.layout.example.split(), strict=False))
        spans = {name: [np.concatenate(part) for part in zip(*self._spans[name], strict=True)] for name in self._names}

        def problem(row: int) -> Problem:
            here, there = int(columns.start[row]), int(columns.start[first[row]])
            document = shown(ids.at(text, here, columns.length[row]))
            within = "".join(
                f", {called[name]} {shown(ids.at(text, start[row], length[row]))}"
                for name, (start, length) in spans.items()
            )
            fact = f"document {document} is judged again for query {shown(queries[columns.query[row]])}{within}"
            remedy = "keep one of the two lines"
            return Problem(line(text, here), "E103", fact, remedy, line(text, there), column(text, here))

        faults.add(np.sort(by_row[1:][again]), problem)


def _in_order(judgment: Ints, numbered: list[tuple[Ints, Groups]]) -> Ints:
    """Rows by judgment, group and subgroup, and then in the order of the file."""
    most, code = int(judgment.max(initial=0)) + 1, judgment
    for number, groups in numbered:
        most *= max(len(groups.names), 1)
        code = code * max(len(groups.names), 1) + number
    if segments.packs(most, len(judgment)):  # one sort of single numbers is several times as fast
        return segments.packed_order(code.astype(np.uint64))[1].astype(np.int64)
    return np.lexsort((*(number for number, _ in reversed(numbered)), judgment))


def alike(text: Bytes, columns: JudgmentColumns, query: Ints) -> Ints:
    """(n,) Rows of the same query and document have the same number."""
    order = np.argsort(columns.key)
    key: Words = columns.key[order]
    opens = np.ones(len(order), dtype=bool)
    opens[1:] = key[1:] != key[:-1]
    number = np.empty(len(order), dtype=np.int64)
    number[order] = np.cumsum(opens) - 1
    example = order[opens][number]
    start, length = columns.start.astype(np.int64), columns.length.astype(np.int64)
    same = query == query[example]
    same &= ids.equal(text, start, length, text, start[example], length[example])
    if not same.all():  # different documents share a key
        seen: dict[tuple[int, bytes], int] = {}
        for row in range(len(number)):
            named = int(query[row]), ids.at(text, start[row], length[row])
            number[row] = seen.setdefault(named, len(seen))
    return number


def _numbered(text: Bytes, spans: list[tuple[Ints, Ints]], within: Ints) -> tuple[Ints, Groups]:
    """The groups that rows belong to, as numbers, given where their names stand and what each is a part of."""
    none = np.empty(0, dtype=np.int64)
    start, length = (np.concatenate([*(span[i] for span in spans), none]) for i in (0, 1))
    if int(length.max(initial=0)) <= 2:  # as numbers of subtopics are
        word = next(ids.words(text, start, length), np.empty(0, np.uint64)).astype(np.int64)
        found, number = _in_table(word, 1 << 16)
        names = [value.to_bytes(2, "little").rstrip(b"\0") for value in found.tolist()]
    else:
        # Neighbours mostly share a name, or else names are few: those of every row need no sorting.
        runs = ids.changes(text, start, length)
        distinct, of_runs = FlatIds(text, start[runs], length[runs]).numbered()
        number = np.repeat(of_runs, np.diff(np.append(runs, len(start)))).astype(np.int64)
        names = [ids.at(text, int(start[row]), int(length[row])) for row in runs[distinct].tolist()]
    natural = sorted(range(len(names)), key=lambda i: _natural(names[i]))
    place = np.empty(len(names), dtype=np.int64)
    place[natural] = np.arange(len(names))
    several = max(len(names), 1)
    code = within * several + place[number]
    known, group = _in_table(code, int(within.max(initial=0)) * several + several)
    return group, Groups(tuple(names[natural[i]] for i in (known % several).tolist()), known // several)


def _in_table(code: Ints, size: int) -> tuple[Ints, Ints]:
    """The distinct codes, all of them below `size`, rising, and the number of each code among these."""
    if size > max(1 << 16, 4 * len(code)):
        known = segments.distinct(code)
        return known, np.searchsorted(known, code)
    there = np.zeros(size, dtype=bool)
    there[code] = True
    return np.flatnonzero(there), (np.cumsum(there) - 1)[code]


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
    outside = ~((value > 0) & (value <= 1))

    def problem(row: int) -> Problem:
        written = shown(ids.at(text, start[row], stop[row] - start[row]))
        what = "no number" if np.isnan(value[row]) else "not above 0 and at most 1"
        fact, remedy = f"the probability {written} is {what}", "expected a number such as 0.25"
        return Problem(int(lines[row]), "E114", fact, remedy, column=fields.column(row, PROBABILITY))

    faults.add(np.flatnonzero(outside), problem)
    value[outside] = np.nan
    return value
