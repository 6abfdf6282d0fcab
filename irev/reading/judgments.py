"""Judgments, read and indexed: one grade for each judged pair of query and document."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import fields as fields_of
from dataclasses import replace
from typing import Any

import numpy as np

from irev.base import segments
from irev.base.errors import InputError, Problem, decimal, escaped, option, shown
from irev.base.records import Memoized, cached_property, dataclass
from irev.base.registry import did_you_mean
from irev.base.segments import AnyInts, Array, Bools, Floats, Ints
from irev.base.settings import RELEVANT, Settings
from irev.base.text import decoded
from irev.reading import ids
from irev.reading.fields import GRADES, PICKED, JudgmentKind
from irev.reading.flat_ids import FlatIds, Halves, Lookup, of_some
from irev.reading.ids import Bytes, Words

LARGEST = 2**53
"""The largest grade: every whole number up to it is exact as a double."""


@dataclass(frozen=True, eq=False)
class Groups:
    """The groups of all queries, by query and then by name: whole numbers by their value, before other names.

    Attributes
    ----------
    names : tuple of bytes
        Every name once, in that order.
    name : int (g,)
        Indices into these.
    within : int (g,)
        The query that each belongs to, an index into `Judgments.queries`; of a subgroup the group.
    """

    names: tuple[bytes, ...]
    name: Ints
    within: Ints

    def __len__(self) -> int:
        return len(self.name)

    def called(self, group: int) -> bytes:
        """The name of one."""
        return self.names[int(self.name[group])]

    def within_some(self, place: Ints) -> tuple[Groups, Ints]:
        """The groups within what has a new place, and not -1; and the new place of each group, -1 for the others."""
        kept = place[self.within] >= 0
        return Groups(self.names, self.name[kept], place[self.within[kept]]), np.where(kept, np.cumsum(kept) - 1, -1)

    def are(self, *names: bytes) -> Bools:
        """(g,) Which of them have one of these names."""
        wanted: Bools = np.array([name in names for name in self.names], dtype=bool)[self.name]
        return wanted


@dataclass(frozen=True, eq=False)
class Details(Memoized):
    """The rows of judgments, `d` of them, those of the same judgment together, by group and subgroup.

    Attributes
    ----------
    kind : JudgmentKind
        What they are.
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
    """

    kind: JudgmentKind
    start: Ints
    grade: Floats
    place: AnyInts
    documents: FlatIds
    group: Ints | None = None
    groups: Groups | None = None
    subgroup: Ints | None = None
    subgroups: Groups | None = None
    probability: Floats | None = None

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
            raise ValueError(f"judgments of {self.kind.name} have no groups")
        return self.group, self.groups

    def stands_for(self) -> Floats:
        """(j,) How many documents that of each judgment stands for, 1/π. A document has one row."""
        if self.probability is None:
            raise ValueError("these judgments have no probabilities")
        method, methods = self.grouped
        picked = methods.are(*PICKED)[method]
        return (1.0 / np.where(picked, 1.0, self.probability))[self.start[:-1]]

    def of_some(self, judgment: Ints, place: Ints) -> Details:
        """The rows of some judgments, given the new place of each query, -1 for one that goes."""
        _, rows = self.rows(judgment)
        start = np.append(0, np.cumsum(self.start[judgment + 1] - self.start[judgment]))
        found = replace(
            self,
            start=start,
            grade=self.grade[rows],
            place=self.place[rows],
            documents=self.documents.pick(judgment),
            probability=None if self.probability is None else self.probability[rows],
        )
        if self.group is None or self.groups is None:
            return found
        groups, place = self.groups.within_some(place)
        found = replace(found, group=place[self.group[rows]], groups=groups)
        if self.subgroup is None or self.subgroups is None:
            return found
        subgroups, place = self.subgroups.within_some(place)
        return replace(found, subgroup=place[self.subgroup[rows]], subgroups=subgroups)

    def rows(self, judgment: AnyInts) -> tuple[Ints, Ints]:
        """The rows of some judgments: for each row the place in `judgment` that it belongs to, rising, and its index
        here."""
        first = self.start[judgment]
        return segments.ranges(first, self.start[judgment + 1] - first)


@dataclass(frozen=True, eq=False)
class Judgments:
    """The judgments of one file, `j` of them, ordered by key for look-up.

    Attributes
    ----------
    name : str
        The file, for messages.
    queries : sequence of bytes
        Judged queries, in byte order: a tuple, or `FlatIds` where they are many.
    text : uint8
        The file, between pads.
    query, document_start, document_length : int (j,)
        Index of the query, and where the document id stands in `text`, in four bytes each where that will do.
    grade : float64 (j,)
        The grade; negative ones mean "in the pool, not judged".
    key : uint32 (j,)
        The upper half of `irev.reading.ids.keys` of query and document, rising: enough to find a judgment by.
    doubts : tuple of Problem
        What makes it doubtful that the file was meant as it was read, each at its first line.
    named : bool
        Whether they are from a file with columns that can be named.
    details : Details or None
        The rows of judgments that are more than grades of documents; `grade` is then the highest of a document.
    neighbours : bool
        Whether they are arrays of neighbours, all of which are relevant, whatever their grades.
    relevant_only : bool
        Whether the file lists relevant documents and no others.
    unanswerable : sequence of bytes
        Queries without a relevant document that were left out.
    """

    name: str
    queries: Sequence[bytes]
    text: Bytes
    query: Ints
    document_start: Ints
    document_length: Ints
    grade: Floats
    key: Halves
    doubts: tuple[Problem, ...] = ()
    named: bool = False
    details: Details | None = None
    neighbours: bool = False
    relevant_only: bool = False
    unanswerable: Sequence[bytes] = ()

    of_arrays = False
    """Whether rows may be read some at a time, by `evaluated`."""

    def evaluated(self, run: Any, requests: Any, settings: Settings, per_query: bool = True) -> Any:
        """What judgments of an extension make of a run on a way of their own; None where the usual way is right.

        The run is a `Source` or in memory. The results are those of `irev.evaluation.batch.Evaluated`: what was read,
        scores, their summary, what is left out, and facts.
        """
        return None

    @property
    def kind(self) -> str:
        """What they are: grades of documents, or what their format calls them."""
        return GRADES if self.details is None else self.details.kind.name

    @property
    def assigned(self) -> bool:
        """Whether the scores of a run are what it has of each of these; their order means nothing then."""
        return self.details is not None and self.details.kind.assigned

    def require_grades(self, what: str) -> None:
        """Raise `InputError` where grades say nothing of documents, for `what` is about these.

        Levels are of no scale, and opinions of several people would be mixed; nuggets are no documents.
        """
        if self.details is not None and not self.details.kind.graded:
            fact = f"{what} about grades, but these are judgments of {self.kind}"
            raise InputError(fact, self.name, "irev eval, compare and diff accept them, with measures made for them")

    def require_judged(self, queries: Iterable[bytes]) -> None:
        """Raise `InputError` for a query that is not judged, with those that look like it."""
        for query in queries:
            if query not in self.index:
                known = [each.decode("utf-8", "backslashreplace") for each in self.queries]
                near = did_you_mean(
                    query.decode("utf-8", "backslashreplace"), known, f"judged is {known[0]!r}, for example"
                )
                raise InputError(f"query {shown(query)} has no judgments", self.name, escaped(near))

    @cached_property
    def index(self) -> dict[bytes, int]:
        """Index of each query in `queries`. An object for each of them: `places` does without where they are many."""
        return {query: i for i, query in enumerate(self.queries)}

    def places(self, queries: Sequence[bytes]) -> Ints:
        """The index of each of some queries in `queries`, -1 for one without judgments."""
        if isinstance(self.queries, FlatIds):
            return self.queries.places(queries)
        return np.array([self.index.get(query, -1) for query in queries], dtype=np.int64)

    @cached_property
    def by_query(self) -> Ints:
        """Indices that sort judgments by query, and those of a query by grade, highest first."""
        known = segments.distinct(self.grade)
        most = len(self.queries) * len(known)
        if len(self.query) <= segments.MANY or not segments.packs(most, len(self.query)):
            best_first = segments.falling_order(self.grade)
            return best_first[segments.gathered(self.query[best_first])]
        number = self.query.astype(np.uint64)
        number *= np.uint64(len(known))
        for begin, end in segments.pieces(len(number)):
            number[begin:end] += (len(known) - 1 - np.searchsorted(known, self.grade[begin:end])).astype(np.uint64)
        return segments.packed_order(number)[1]

    def over(self, queries: Sequence[bytes]) -> Judgments:
        """The judgments of these queries alone, which are in byte order; there are none of some, perhaps."""
        place = FlatIds.of(queries).places(self.queries)
        rows = np.flatnonzero(place[self.query] >= 0)
        parts = {name: getattr(self, name)[rows] for name in ("document_start", "document_length", "grade", "key")}
        details = None if self.details is None else self.details.of_some(rows, place)
        query = segments.narrowed(place[self.query[rows]])
        return replace(self, queries=queries, query=query, details=details, **parts)

    def without_relevant(self, level: float) -> Ints:
        """Which queries have no document of that grade or a higher one."""
        return np.flatnonzero(np.bincount(self.query[self.grade >= level], minlength=len(self.queries)) == 0)

    def relevant(self, queries: Sequence[bytes], level: float) -> Bools:
        """(q,) Whether each of some queries has a document of that grade or a higher one."""
        found = np.zeros(len(self.queries) + 1, dtype=bool)
        found[self.query[self.grade >= level]] = True
        return found[self.places(queries)]

    @cached_property
    def positive(self) -> int:
        """How many grades are above 0."""
        return int(np.count_nonzero(self.grade > 0))

    @cached_property
    def highest(self) -> float:
        """The highest grade."""
        return float(self.grade.max(initial=-np.inf))

    @cached_property
    def content(self) -> str:
        """SHA-256 of every query, document and grade, whatever the order of the lines and the format of the file.

        Empty for rows that are more than grades of documents.
        """
        if self.details is not None:
            return ""
        from hashlib import sha256

        found, order = sha256(), self.by_query
        ends = np.flatnonzero(np.diff(self.query[order], append=-1)) + 1
        for begin, end in zip([0, *ends.tolist()], ends.tolist(), strict=False):
            rows = order[begin:end]
            graded = sorted(zip(self.documents(rows), self.grade[rows].tolist(), strict=True))
            found.update(repr((self.queries[int(self.query[rows[0]])], graded)).encode())
        return found.hexdigest()

    def of_query(self, query: bytes) -> dict[str, float]:
        """The same as `graded`, by decoded ids."""
        return {decoded(document): grade for document, grade in self.graded(query).items()}

    def graded(self, query: bytes) -> dict[bytes, float]:
        """The grade of each document that is judged for a query, highest first; none for one without judgments."""
        rows = self.rows_of(query)
        return dict(zip(self.documents(rows), self.grade[rows].tolist(), strict=True))

    def rows_of(self, query: bytes) -> Ints:
        """Indices of the judgments of a query, highest grade first; none for one without judgments."""
        place = int(self.places([query])[0])
        # Looked up without a copy of all, since there may be many.
        begin, end = (bisect_left(self.by_query, each, key=self.query.__getitem__) for each in (place, place + 1))
        return self.by_query[begin:end]

    def documents(self, rows: Ints) -> list[bytes]:
        """The documents of some judgments."""
        places = zip(self.document_start[rows].tolist(), self.document_length[rows].tolist(), strict=True)
        return [ids.at(self.text, *at) for at in places]

    @cached_property
    def _lookup(self) -> Lookup:
        return Lookup(self.key)

    def find(self, text: Bytes, query: Ints, start: AnyInts, length: AnyInts, key: Words) -> tuple[Ints, Ints]:
        """Which of the given documents are judged.

        Parameters
        ----------
        text, query, start, length, key
            Documents: the index of their query in `queries` (-1 for others), where their ids stand, and their keys.

        Returns
        -------
        rows, judgment : int (found,)
            The judged among them, rising, and the judgment of each.
        """

        def same(rows: Ints, place: Ints) -> Bools:
            alike: Bools = self.query[place] == query[rows]
            alike &= ids.equal(
                text, start[rows], length[rows], self.text, self.document_start[place], self.document_length[place]
            )
            return alike

        def wanted(rows: Ints) -> Iterator[tuple[int, bytes]]:
            return zip(query[rows].tolist(), FlatIds(text, start[rows], length[rows]), strict=True)

        def there(place: Ints) -> Iterator[tuple[int, bytes]]:
            return zip(self.query[place].tolist(), self.documents(place), strict=True)

        return self._lookup.find(key, same, wanted, there)


def counting(judgments: Judgments, settings: Settings) -> Judgments:
    """The judgments of the queries that may count: without those that have no relevant document, where these are left
    out."""
    if settings.queries != RELEVANT or judgments.of_arrays:
        return judgments
    without = judgments.without_relevant(settings.level)
    if not len(without):
        return judgments
    kept = np.setdiff1d(np.arange(len(judgments.queries)), without)
    if not len(kept):
        fact = f"no query has a relevant document, of grade {decimal(settings.level)} or higher"
        raise InputError(fact, judgments.name, f"leave out {option('queries', RELEVANT)}")
    queries, names = judgments.queries, tuple(of_some(judgments.queries, without))
    return replace(judgments.over(of_some(queries, kept)), unanswerable=names)


@dataclass(eq=False)
class JudgmentColumns:
    """Judgments in whatever order, as long as nobody looks for one: the columns of `Judgments`, and whole keys."""

    query: Array
    start: Array
    length: Array
    grade: Floats
    key: Words

    def of_first(self, rows: int) -> JudgmentColumns:
        """The first rows alone, in the same memory."""
        return JudgmentColumns(*(getattr(self, field.name)[:rows] for field in fields_of(self)))
