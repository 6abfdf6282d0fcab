"""What several runs say of the documents of some queries, as flat arrays, which methods and normalisations see."""

from __future__ import annotations

import numpy as np

from irev.base import segments
from irev.base.records import cached_property, dataclass
from irev.base.segments import Floats, Ints


@dataclass(frozen=True, eq=False)
class RunRankings:
    """RunRankings of queries by runs, `v` of them with `n` rows together, one behind the other, each best first.

    Attributes
    ----------
    run, query : int (v,)
        Of each ranking. No run has two of a query.
    size : int (v,)
        Rows of each ranking, 1 or more.
    score : float (n,)
        What ranked the rows: it falls within a ranking, or stays.
    runs, queries : int
        How many there are, with runs that rank none of these queries.
    """

    run: Ints
    query: Ints
    size: Ints
    score: Floats
    runs: int
    queries: int

    @cached_property
    def owner(self) -> Ints:
        """(n,) The ranking of each row."""
        return np.repeat(np.arange(len(self.size)), self.size)

    @cached_property
    def first(self) -> Ints:
        """(v,) The first row of each ranking."""
        return segments.starts(self.size)

    @cached_property
    def rank(self) -> Ints:
        """(n,) The rank of each row, counting from 1."""
        found: Ints = np.arange(1, len(self.score) + 1) - self.first[self.owner]
        return found

    @property
    def highest(self) -> Floats:
        """(v,) The highest score of each ranking."""
        found: Floats = self.score[self.first]
        return found

    @property
    def lowest(self) -> Floats:
        """(v,) The lowest score of each ranking."""
        found: Floats = self.score[self.first + self.size - 1]
        return found

    def total(self, values: Floats) -> Floats:
        """(v,) The sum of some values of each ranking, added in the order of ranks."""
        return segments.total(values, self.owner, len(self.size))


@dataclass(frozen=True, eq=False)
class Votes:
    """The rows of rankings as votes for documents, `d` of them.

    Attributes
    ----------
    rankings : RunRankings
    score : float (n,)
        The score of each row, normalised.
    document : int (n,)
        What each row votes for.
    query : int (d,)
        The query of each document, rising.
    weights : float (r,) or None
        What a vote of each run is worth; None where all are worth the same.
    """

    rankings: RunRankings
    score: Floats
    document: Ints
    query: Ints
    weights: Floats | None = None

    @property
    def rank(self) -> Ints:
        """(n,) The rank of each row in its ranking, counting from 1."""
        return self.rankings.rank

    @cached_property
    def count(self) -> Ints:
        """(d,) How many runs have each document."""
        return np.bincount(self.document, minlength=len(self.query))

    def weighted(self, values: Floats) -> Floats:
        """(n,) Values of votes, each times the weight of its run."""
        if self.weights is None:
            return values
        weights = self.weights[self.rankings.run]
        return values * weights[self.rankings.owner]

    def sum(self, values: Floats) -> Floats:
        """(d,) The sum of the values of each document's votes, whatever the order of the runs: see `summed`."""
        return summed(values, self.document, self.count)

    def highest(self, values: Floats) -> Floats:
        """(d,) The highest value of each document's votes."""
        found = np.full(len(self.query), -np.inf)
        np.maximum.at(found, self.document, values)
        return found

    def median(self, values: Floats) -> Floats:
        """(d,) The median of the values of each document's votes; of two in the middle the mean."""
        ordered = values[np.lexsort((values, self.document))]
        first = segments.starts(self.count)
        low, high = ordered[first + (self.count - 1) // 2], ordered[first + self.count // 2]
        middle: Floats = np.where(low == high, low, (low + high) / 2)
        return middle


def summed(values: Floats, document: Ints, count: Ints) -> Floats:
    """(d,) The sum of the values of each document, of which there are `count`.

    They are added from the highest on, so that the last digit does not depend on the order in which they come. Of two
    it does not anyway.
    """
    if count.max(initial=0) > 2:
        order = np.argsort(-values)
        values, document = values[order], document[order]
    return segments.total(values, document, len(count))
