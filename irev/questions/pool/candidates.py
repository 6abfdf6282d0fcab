"""Runs brought together by query: which documents they have, at which ranks, and which of these are judged already."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from functools import cached_property
from typing import NamedTuple

import numpy as np

from irev.base.records import dataclass
from irev.base.segments import Bools, Floats, Ints
from irev.ranking.ranking import First
from irev.reading.judgments import Judgments


@dataclass(frozen=True, eq=False)
class Candidates:
    """The documents of one query, `d` of them, that `r` runs have, and their `n` places in these.

    Attributes
    ----------
    query : bytes
    documents : sequence of bytes, length d
        Highest bytes first, as irev orders what ties; so a place that comes earlier wins a tie.
    run, rank, document : int (n,)
        A run, a rank in it counting from 1, and the place of the document in `documents`. By run, then by rank.
    runs : int
        How many runs there are, those that lack the query included.
    grade : float (d,)
        The grade of a document that is judged, NaN for any other; one with a negative grade is not judged.
    judged, relevant : int
        Judgments of the query, of whatever document, and those among them that reach the relevance level.
    """

    query: bytes
    documents: list[bytes]
    run: Ints
    rank: Ints
    document: Ints
    runs: int
    grade: Floats
    judged: int
    relevant: int

    @cached_property
    def unjudged(self) -> Bools:
        """(d,) Whether a document is still to be judged."""
        return np.isnan(self.grade)

    @cached_property
    def best(self) -> Ints:
        """(d,) The best rank of each document in any run."""
        found = np.full(len(self.documents), np.iinfo(np.int64).max)
        np.minimum.at(found, self.document, self.rank)
        return found

    @cached_property
    def found_by(self) -> Ints:
        """(d,) How many runs have each document."""
        return np.bincount(self.document, minlength=len(self.documents))

    def ranks(self, run: int) -> Ints:
        """(d,) The rank of each document in a run, 0 where it is not there."""
        found = np.zeros(len(self.documents), dtype=np.int64)
        mine = self.run == run
        found[self.document[mine]] = self.rank[mine]
        return found


class GatheredRuns:
    """Runs, one after the other, taken apart by query: each document is kept once, and of a run four bytes for each.

    Attributes
    ----------
    queries : list of frozenset of bytes
        Those of each run.
    counts : Counter of bytes
        How many runs have each query.
    """

    def __init__(self) -> None:
        self._numbers: dict[bytes, dict[bytes, int]] = {}
        self._rankings: dict[bytes, list[tuple[int, Ints]]] = {}
        self.queries: list[frozenset[bytes]] = []
        self.counts: Counter[bytes] = Counter()
        self._prints: list[int] = []

    def add(self, first: First) -> None:
        """Take the next run, as `irev.ranking.ranking.first_documents` gives it."""
        run = len(self.queries)
        for query, documents in first.items():
            number = self._numbers.setdefault(query, {})
            found = [number.setdefault(document, len(number)) for document in documents]
            self._rankings.setdefault(query, []).append((run, np.array(found, dtype=np.int32)))
        self.queries.append(frozenset(first))
        self.counts.update(first.keys())
        self._prints.append(hash(frozenset(first.items())))

    def lacking(self, run: int) -> list[bytes]:
        """The queries that other runs have, and this one lacks, in byte order."""
        return sorted(self.counts.keys() - self.queries[run])

    def same_as(self, run: int) -> list[int]:
        """The runs before this one of which as much as was kept is the same, or so it seems."""
        return [other for other in range(run) if self._prints[other] == self._prints[run]]

    def candidates(self, judgments: Judgments | None, level: float) -> Iterator[Candidates]:
        """Every query in byte order; what was gathered of it is given away."""
        for query in sorted(self._rankings):
            yield self._of(query, judgments.graded(query) if judgments is not None else {}, level)

    def _of(self, query: bytes, judged: dict[bytes, float], level: float) -> Candidates:
        by_arrival = list(self._numbers.pop(query))
        order = sorted(range(len(by_arrival)), key=by_arrival.__getitem__, reverse=True)
        place = np.empty(len(order), dtype=np.int64)
        place[order] = np.arange(len(order))
        documents = [by_arrival[number] for number in order]
        rankings = self._rankings.pop(query)
        lengths = [len(found) for _, found in rankings]
        judged = {document: grade for document, grade in judged.items() if grade >= 0}
        return Candidates(
            query,
            documents,
            np.repeat(np.array([run for run, _ in rankings], dtype=np.int64), lengths),
            np.concatenate([np.arange(1, length + 1) for length in lengths]),
            place[np.concatenate([found for _, found in rankings])],
            len(self.queries),
            np.array([judged.get(document, np.nan) for document in documents], dtype=np.float64),
            len(judged),
            sum(grade >= level for grade in judged.values()),
        )


class Selection(NamedTuple):
    """The documents of one query that make its pool, `c` of them.

    Attributes
    ----------
    documents : int (c,)
        Their places among the candidates, best first; those that are judged already stand among them.
    value : float (c,) or None
        What they were chosen by, where that is more than ranks.
    stratum : int (c,) or None
        Counting from 1, of a sample.
    """

    documents: Ints
    value: Floats | None = None
    stratum: Ints | None = None
